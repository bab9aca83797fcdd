/** Spinning tank top: frames of its motion; straps stay, seams hold. */

import { tankTop } from "../scene/library/garments.ts";
import { parseScene } from "../scene/scene.ts";
import { soundCheck, strainCheck, stretchCheck } from "./checks.ts";
import type { Figure } from "./figure.ts";
import { withRecordings } from "./runs.ts";
import { endOf, pictureBlock, shots } from "./shots.ts";

export const spinningTankTop: Figure = {
  name: "tank-top",
  title: "Spinning tank top",
  claim:
    "The dynamics of a tank top draping over a spinning hanger; our method resolves the wrinkles generated during the motion (3450 points, tolerance 0.01).",
  minutes: { fast: 2, full: 15 },
  async make(options) {
    const input = {
      ...tankTop(options.fast ? { points: 900, seconds: 1.8 } : {}),
      name: "tank-top",
    };
    const { height } = hangerOf(input);
    return withRecordings([input], options, async ([run]) => {
      const { recording } = run;
      const end = endOf(recording);
      const times = options.fast ? [0.3, 0.8, 1.3, end] : [0.3, 0.9, 1.3, 2, 2.4, 2.7, 3.3, end];
      const block = await pictureBlock(
        shots(recording, times, { width: 420, height: 480 }),
        times.map((t) => `${t.toFixed(1)} s`),
        {
          out: options.out,
          name: "tank-top",
          columns: 4,
          caption: "At rest, spinning up, at speed, brought to a stop, and spun the other way.",
        },
      );
      const straps = strapHeight(run.recording, height);
      return {
        blocks: [block],
        checks: [
          {
            what: "straps on the hanger, all the time",
            claim:
              "none slides off: the lowest point of a shoulder stays within 5 cm of the arms' ends",
            ours: `${(1000 * straps).toFixed(0)} mm below the middle of the hanger at most`,
            holds: straps < 0.1,
          },
          stretchCheck(run),
          strainCheck(run),
          soundCheck(run),
        ],
        runs: [{ name: run.name, summary: run.summary }],
      };
    });
  },
};

function hangerOf(input: Parameters<typeof parseScene>[0]): { height: number } {
  const [x] = parseScene(input).colliders;
  return { height: x.motion?.pivot[2] ?? 0 };
}

/** m: how far the lowest point of the shoulder seams was ever below the middle of the hanger. */
function strapHeight(
  {
    sheet,
    frames,
    positions,
  }: Pick<import("../recording/recording.ts").Recording, "sheet" | "frames" | "positions">,
  height: number,
): number {
  const points = Object.entries(sheet.parts[0].edges)
    .filter(([name]) => /shoulder:(front|back)$/.test(name))
    .flatMap(([, edge]) => Array.from(edge as Int32Array));
  let lowest = Infinity;
  for (let frame = 0; frame < frames; frame++) {
    const Y = positions(frame);
    for (const i of points) lowest = Math.min(lowest, Y[3 * i + 2]);
  }
  return height - lowest;
}
