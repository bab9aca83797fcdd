/** Draping, coarse against fine: the same silhouette, on a sphere and on a box. */
import { edgeStrain } from "../recording/measures.ts";
import type { Recording } from "../recording/recording.ts";
import { type Shape, SQUARE, silhouetteDistance } from "../recording/silhouette.ts";
import type { SceneInput } from "../scene/input.ts";
import { drape, drapeBox } from "../scene/library/draping.ts";
import type { Figure, FigureCheck } from "./figure.ts";
import { type FigureRecording, withRecordings } from "./runs.ts";
import { endOf, frameAt, pictureBlock, shots } from "./shots.ts";

/** m, of the cloth. */
const SIDE = 1;
/** Share of the side that the issue of agreement is decided by. */
const NEAR = 0.03;

export const draping: Figure = {
  name: "draping",
  title: "Draping, coarse and fine",
  claim:
    "Our isometry constraints yield consistent results even for very coarse discretizations of the cloth (845 and 2716 points, tolerance 0.01).",
  minutes: { fast: 1, full: 12 },
  async make(options) {
    const sizes = options.fast ? [300, 600] : [845, 2716];
    const shorter = options.fast ? { seconds: 2 } : {};
    const scenes = [drape, drapeBox].flatMap((scene, body) =>
      sizes.map(
        (points): SceneInput => ({
          ...scene({ points, ...shorter }),
          name: `drape-${body === 0 ? "sphere" : "box"}-${points}`,
        }),
      ),
    );
    return withRecordings(scenes, options, async (runs) => {
      const pictures = runs.flatMap(({ recording }) => shots(recording, [endOf(recording)]));
      const checks: FigureCheck[] = [];
      for (const [k, body] of ["sphere", "box"].entries()) {
        const pair = [runs[2 * k], runs[2 * k + 1]];
        const apart = distanceOf(pair[0].recording, pair[1].recording);
        checks.push({
          what: `silhouettes on the ${body}, ${sizes.join(" and ")} points apart`,
          claim: `consistent: mean distance of the outlines within ${100 * NEAR} % of the side`,
          ours: `${percent(apart.mean / SIDE)} on average, ${percent(apart.most / SIDE)} for 95 % of the outline`,
          holds: apart.mean <= NEAR * SIDE,
        });
      }
      for (const run of runs) checks.push(strainCheck(run));
      const block = await pictureBlock(
        pictures,
        runs.map(({ summary }) => `${summary.points} points`),
        {
          out: options.out,
          name: "draping",
          columns: 2,
          caption: "Coarse on the left, fine on the right, after the cloth has come to rest.",
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

function distanceOf(a: Recording, b: Recording): { mean: number; most: number } {
  return silhouetteDistance(shapeOf(a), shapeOf(b), { symmetries: SQUARE });
}

function shapeOf(recording: Recording): Shape {
  return {
    Y: recording.positions(frameAt(recording, endOf(recording))),
    triangles: recording.sheet.triangles,
  };
}

/** No edge longer or shorter by more than 1 %, 0.1 % on average. */
export function strainCheck({ name, recording }: FigureRecording): FigureCheck {
  const { mean, max } = edgeStrain(recording.sheet, recording.pose(recording.frames - 1));
  return {
    what: `${name}: change of length of edges`,
    claim: "isometric: at most 0.1 % on average and 1 % anywhere",
    ours: `${percent(mean)} on average, ${percent(max)} at most`,
    holds: mean <= 1e-3 && max <= 1e-2,
  };
}

export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}
