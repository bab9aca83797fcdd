/** Shear: a heavy mass on the corner of a flag; the growth of distances from its upper left corner, as colours. */

import { ember } from "../picture/color.ts";
import type { Measure } from "../picture/coloring.ts";
import { growthFrom } from "../recording/pairs.ts";
import { shearFlag } from "../scene/library.ts";
import { percent, soundCheck, strainCheck, stretchCheck } from "./checks.ts";
import type { Figure } from "./figure.ts";
import { withRecordings } from "./runs.ts";
import { endOf, pictureBlock, shots } from "./shots.ts";

export const shear: Figure = {
  name: "shear",
  title: "Shear",
  claim:
    "The cloth stretches taut along diagonal lines of tension, but does not lock. The maximum increase in extrinsic distance from the top left corner is under 1 %.",
  minutes: { fast: 0.3, full: 1 },
  async make(options) {
    const scene = {
      ...shearFlag(options.fast ? { points: 250 } : {}),
      ...(options.fast ? { seconds: 1 } : {}),
      name: "shear-flag",
    };
    return withRecordings([scene], options, async ([run]) => {
      const { recording } = run;
      const { sheet } = recording;
      const corner = sheet.parts[0].corners["top-left"];
      const growth = growthFrom(sheet, recording.positions(recording.frames - 1), corner);
      const most = growth.reduce((a, b) => Math.max(a, b), 0);
      const color: Measure = {
        label: "farther from the corner",
        unit: "%",
        factor: 100,
        map: ember,
        least: 1e-2,
        values: (Y) => growthFrom(sheet, Y, corner).map((g) => Math.max(0, g)),
      };
      const size = { width: 560, height: 520, from: "front" as const };
      const [plain] = shots(recording, [endOf(recording)], size);
      const [coloured] = shots(recording, [endOf(recording)], { ...size, color, max: 0.01 });
      const block = await pictureBlock(
        [plain, coloured],
        ["1 kg on a flag of 24 g", "warm: farther than at rest"],
        {
          out: options.out,
          name: "shear",
          caption: "The flag is pinned along its left side. Colours end at the paper's 1 %.",
        },
      );
      return {
        blocks: [block],
        checks: [
          {
            what: "largest growth of the distance from the upper left corner",
            claim: "under 1 %",
            ours: percent(most),
            holds: most < 0.01,
          },
          strainCheck(run),
          stretchCheck(run),
          soundCheck(run),
        ],
        runs: [{ name: run.name, summary: run.summary }],
      };
    });
  },
};
