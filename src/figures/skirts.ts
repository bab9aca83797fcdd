/** Bending stiffness: one skirt at four rigidities a decade apart; wider folds, the same strain. */
import { linePlot } from "../picture/plots.ts";
import { edgeStrain } from "../recording/measures.ts";
import { powerLaw, type RimPattern, rimPattern } from "../recording/patterns.ts";
import type { Recording } from "../recording/recording.ts";
import { skirt } from "../scene/library/garments.ts";
import { percent, soundCheck, stretchCheck } from "./checks.ts";
import type { Figure } from "./figure.ts";
import { withRecordings } from "./runs.ts";
import { commonCamera, endOf, pictureBlock, shots } from "./shots.ts";

/** N·m; small versions leave out the first, whose folds need all the points. */
const RIGIDITIES = [3e-5, 3e-4, 3e-3, 3e-2];

export const skirts: Figure = {
  name: "skirts",
  title: "Bending stiffness",
  claim:
    "Just by adjusting the bending stiffness, our method produces cloth with different wrinkling patterns without stretching.",
  minutes: { fast: 3, full: 40 },
  async make(options) {
    const size = options.fast ? { points: 900, seconds: 1.6 } : {};
    const rigidities = RIGIDITIES.slice(options.fast ? 1 : 0);
    const scenes = rigidities.map((D) => ({ ...skirt({ D, ...size }), name: `skirt-${D}` }));
    return withRecordings(scenes, options, async (runs) => {
      const recordings = runs.map(({ recording }) => recording);
      const rims = recordings.map(settledRim);
      const lengths = rims.map(({ wavelength }) => wavelength);
      const law = powerLaw(rigidities, lengths);
      const strains = recordings.map((r) => edgeStrain(r.sheet, r.pose(r.frames - 1)).mean);
      const spread = Math.max(...strains) - Math.min(...strains);
      const end = endOf(recordings[0]);
      const camera = commonCamera(recordings, [end], { width: 440, height: 420 });
      const label = (k: number): string =>
        `D = ${rigidities[k]} N·m\n${rims[k].folds.toFixed(1)} folds of ${(100 * lengths[k]).toFixed(0)} cm`;
      const pictures = await pictureBlock(
        recordings.flatMap((r) => shots(r, [end], { camera, width: 440, height: 420 })),
        rigidities.map((_, k) => label(k)),
        {
          out: options.out,
          name: "skirts",
          columns: rigidities.length,
          caption:
            "The same skirt on the same waist; only the rigidity differs, ten times from one to the next.",
        },
      );
      const plot = await linePlot({
        title: "Width of the folds at the hem",
        x: { label: "flexural rigidity", unit: "N·m", log: true },
        y: { label: "wavelength", unit: "m", log: true },
        series: [
          { name: "measured", x: rigidities, y: lengths, style: "points" },
          {
            name: `∝ D^${law.exponent.toFixed(2)}`,
            x: rigidities,
            y: rigidities.map((D) => law.factor * D ** law.exponent),
            style: "dashed",
          },
        ],
        width: 420,
        height: 220,
      });
      return {
        blocks: [pictures, { type: "plot", svg: plot }],
        checks: [
          {
            what: "width of the folds at the hem over stiffness",
            claim: "grows with stiffness, as a power law: 95 % of the variance of the logarithms",
            ours: `${lengths.map((l) => `${(100 * l).toFixed(0)} cm`).join(", ")}; λ ∝ D^${law.exponent.toFixed(2)}, which explains ${percent(law.explained)} of the variance`,
            holds: law.explained >= 0.95 && lengths.every((l, k) => k === 0 || l > lengths[k - 1]),
          },
          {
            what: "mean change of an edge's length",
            claim: "without stretching: varies by less than 0.1 % across the decades",
            ours: strains.map((s) => percent(s)).join(", "),
            holds: spread < 1e-3,
          },
          ...runs.flatMap((run) => [stretchCheck(run), soundCheck(run)]),
        ],
        runs: runs.map(({ name, summary }) => ({ name, summary })),
      };
    });
  },
};

/** The pattern of the hem, its powers averaged over the last half second: folds that still sway count as they are on average. */
function settledRim(recording: Recording): RimPattern {
  const hem = ["front:hem", "back:hem"];
  const end = endOf(recording);
  const rims: RimPattern[] = [];
  for (let frame = 0; frame < recording.frames; frame++)
    if (recording.time(frame) > end - 0.5)
      rims.push(rimPattern(recording.sheet, recording.positions(frame), hem));
  const mean = (of: (rim: RimPattern) => number): number =>
    rims.reduce((sum, rim) => sum + of(rim), 0) / rims.length;
  const last = rims[rims.length - 1];
  const folds = mean(({ folds }) => folds);
  return { ...last, folds, wavelength: last.length / folds, amplitude: mean((r) => r.amplitude) };
}
