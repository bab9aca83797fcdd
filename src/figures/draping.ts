/** Draping, coarse against fine, from a level drop: the same silhouette and the same folds, on a sphere and on a box, whatever the seed of the mesh. */
import { rimPattern } from "../recording/patterns.ts";
import type { Recording } from "../recording/recording.ts";
import { type Shape, SQUARE, silhouetteDistance } from "../recording/silhouette.ts";
import type { SceneInput } from "../scene/input.ts";
import { drapeBox, drapeDropped } from "../scene/library/draping.ts";
import { percent, soundCheck, strainCheck, stretchCheck } from "./checks.ts";
import type { Figure, FigureCheck } from "./figure.ts";
import { withRecordings } from "./runs.ts";
import { endOf, frameAt, pictureBlock, shots } from "./shots.ts";

/** m, of the cloth. */
const SIDE = 1;
/** Share of the side by which outlines may be apart, on average. */
const NEAR = 0.02;
/** Share by which folds of coarse and fine may differ in number and depth. */
const ALIKE = 0.1;
const RIM = ["bottom", "right", "top", "left"];
const SEEDS = [1, 2, 3];

export const draping: Figure = {
  name: "draping",
  title: "Draping, coarse and fine",
  claim:
    "Our isometry constraints yield consistent results even for very coarse discretizations of the cloth (845 and 2716 points, tolerance 0.01).",
  minutes: { fast: 1, full: 40 },
  async make(options) {
    const sizes = options.fast ? [300, 600] : [845, 2716];
    const seeds = options.fast ? SEEDS.slice(0, 1) : SEEDS;
    const shorter = options.fast ? { seconds: 2 } : {};
    const bodies = [
      { body: "sphere", scene: drapeDropped },
      { body: "box", scene: drapeBox },
    ];
    const scenes = bodies.flatMap(({ body, scene }) =>
      seeds.flatMap((seed) =>
        sizes.map(
          (points): SceneInput => ({
            ...scene({ points, ...shorter }),
            seed,
            name: `drape-${body}-${points}-${seed}`,
          }),
        ),
      ),
    );
    return withRecordings(scenes, options, async (runs) => {
      const pictures = runs.flatMap(({ recording }) => shots(recording, [endOf(recording)]));
      const checks: FigureCheck[] = [];
      for (let k = 0; k < runs.length; k += 2)
        checks.push(...alike(runs[k].recording, runs[k + 1].recording));
      for (const run of runs) checks.push(strainCheck(run), stretchCheck(run), soundCheck(run));
      const block = await pictureBlock(
        pictures,
        runs.map(({ summary, name }) => `${summary.points} points, seed ${name.slice(-1)}`),
        {
          out: options.out,
          name: "draping",
          columns: 2,
          caption:
            "Dropped level. Coarse on the left, fine on the right, after the cloth has come to rest.",
        },
      );
      return {
        blocks: [block],
        checks,
        runs: runs.map(({ name, summary }) => ({ name, summary })),
      };
    });
  },
};

/** Silhouettes, and the folds of the rim: how many, and how deep. */
function alike(coarse: Recording, fine: Recording): FigureCheck[] {
  const what = `${coarse.scene.name} and ${fine.sheet.n} points`;
  const apart = silhouetteDistance(shapeOf(coarse), shapeOf(fine), { symmetries: SQUARE });
  const [a, b] = [coarse, fine].map((r) => rimPattern(r.sheet, shapeOf(r).Y, RIM));
  const [number, depth] = [a.folds / b.folds - 1, a.amplitude / b.amplitude - 1];
  return [
    {
      what: `${what}: silhouettes`,
      claim: `consistent: mean distance of the outlines within ${percent(NEAR)} of the side`,
      ours: `${percent(apart.mean / SIDE)} on average, ${percent(apart.most / SIDE)} for 95 % of the outline`,
      holds: apart.mean <= NEAR * SIDE,
    },
    {
      what: `${what}: folds of the rim`,
      claim: `as many and as deep, to ${percent(ALIKE)}`,
      ours: `${a.folds.toFixed(1)} and ${b.folds.toFixed(1)}, ${(1000 * a.amplitude).toFixed(0)} and ${(1000 * b.amplitude).toFixed(0)} mm`,
      holds: Math.abs(number) <= ALIKE && Math.abs(depth) <= ALIKE,
    },
  ];
}

function shapeOf(recording: Recording): Shape {
  return {
    Y: recording.positions(frameAt(recording, endOf(recording))),
    triangles: recording.sheet.triangles,
  };
}
