/** Skin on flesh: wrinkles of one wavelength whatever the mesh, parallel, branching, and between two fingertips. */
import { type LinePlot, linePlot } from "../picture/plots.ts";
import type { Recording } from "../recording/recording.ts";
import type { SceneInput } from "../scene/input.ts";
import { skinBiaxial, skinPinch, skinUniaxial } from "../scene/library/skin.ts";
import { halfSpaceWavelength } from "../substrate/coupling.ts";
import { type Pattern, wrinklePattern } from "../substrate/spectrum.ts";
import { percent, soundCheck, strainCheck, stretchCheck } from "./checks.ts";
import type { Figure, FigureCheck } from "./figure.ts";
import { type FigureRecording, withRecordings } from "./runs.ts";
import { endOf, pictureBlock, shots } from "./shots.ts";

export const skin: Figure = {
  name: "skin",
  title: "Skin wrinkling",
  claim:
    "Even for coarse discretizations, our method reproduces the correct undulating or 3D-folded wrinkling pattern for compression in one or two directions, and pinching.",
  minutes: { fast: 0.7, full: 30 },
  async make(options) {
    const scenes: SceneInput[] = options.fast
      ? [{ ...skinUniaxial({ twoWay: false }), name: "skin-uniaxial" }]
      : [
          { ...skinUniaxial(), name: "skin-uniaxial" },
          { ...skinUniaxial({ fine: true }), name: "skin-uniaxial-fine" },
          { ...skinBiaxial(), name: "skin-biaxial" },
          { ...skinBiaxial({ fine: true }), name: "skin-biaxial-fine" },
          { ...skinPinch(), name: "skin-pinch" },
          { ...skinPinch({ fine: true }), name: "skin-pinch-fine" },
        ];
    return withRecordings(scenes, options, async (runs) => {
      const blocks = [];
      for (const { name, recording } of runs) {
        const end = endOf(recording);
        const times = [0, 0.4 * end, 0.6 * end, end];
        blocks.push(
          await pictureBlock(
            shots(recording, times, { pins: false, width: 420, height: 300 }),
            times.map((t) => `${t.toFixed(2)} s`),
            { out: options.out, name, columns: 4, caption: CAPTIONS[name] },
          ),
        );
      }
      const patterns = runs.map(({ recording }) => patternAt(recording));
      const svg = await linePlot(spectra(runs, patterns));
      return {
        blocks: [
          ...blocks,
          { type: "plot", svg, caption: "Spectra of the heights at the end, each over its peak." },
        ],
        checks: [
          ...checksOf(runs, patterns),
          ...runs.flatMap((run) => [strainCheck(run), stretchCheck(run), soundCheck(run)]),
        ],
        runs: runs.map(({ name, summary }) => ({ name, summary })),
      };
    });
  },
};

const CAPTIONS: Record<string, string> = {
  "skin-uniaxial": "Compressed along one direction by a tenth: parallel wrinkles.",
  "skin-uniaxial-fine": "The same with twice as many points: as long, and as many.",
  "skin-biaxial": "Compressed along both directions: wrinkles that turn and branch.",
  "skin-biaxial-fine": "The same with twice as many points.",
  "skin-pinch": "Pinched between two fingertips.",
  "skin-pinch-fine": "The same with twice as many points.",
};

/** The wrinkles at the end of a run. */
function patternAt(recording: Recording): Pattern {
  const Y = recording.positions(recording.frames - 1);
  const { sheet } = recording;
  const { n } = sheet;
  return wrinklePattern(
    sheet,
    Float64Array.from({ length: n }, (_, i) => Y[3 * i + 2]),
  );
}

/** m: 2π(4D/Ē)^⅓ of the scene's skin and flesh. */
function expectedOf({ scene }: Recording): number {
  return halfSpaceWavelength(scene.sheets[0].material.D, scene.substrate!);
}

const mm = (x: number): string => `${(1000 * x).toFixed(1)} mm`;

function checksOf(runs: readonly FigureRecording[], patterns: readonly Pattern[]): FigureCheck[] {
  const checks: FigureCheck[] = [];
  const of = (name: string): Pattern | undefined =>
    patterns[runs.findIndex((run) => run.name === name)];
  for (const [k, { name, recording }] of runs.entries()) {
    const expected = expectedOf(recording);
    const { wavelength, amplitude } = patterns[k];
    if (name.startsWith("skin-pinch")) {
      checks.push({
        what: `${name}: height of the folds (√2 times their root mean square)`,
        claim: "the skin folds between the fingertips",
        ours: `${mm(amplitude)}, mean wavelength ${mm(wavelength)}`,
        holds: amplitude > 1e-4,
      });
      continue;
    }
    checks.push({
      what: `${name}: wavelength by spectrum`,
      claim: `2π(4D/Ē)^⅓ = ${mm(expected)}, within 15 %`,
      ours: `${mm(wavelength)}, height ${mm(amplitude)}`,
      holds: Math.abs(wavelength / expected - 1) <= 0.15,
    });
  }
  const coarse = of("skin-uniaxial");
  if (coarse)
    checks.push({
      what: "skin-uniaxial: how much of the waves runs one way",
      claim: "parallel: above 0.8 (1 is all)",
      ours: coarse.order.toFixed(2),
      holds: coarse.order > 0.8,
    });
  for (const name of ["skin-uniaxial", "skin-biaxial", "skin-pinch"]) {
    const [rough, fine] = [of(name), of(`${name}-fine`)];
    if (!rough || !fine) continue;
    const apart = Math.abs(rough.wavelength / fine.wavelength - 1);
    checks.push({
      what: `${name}: wavelength, coarse against fine`,
      claim: "within 10 %",
      ours: percent(apart),
      holds: apart <= 0.1,
    });
  }
  const both = of("skin-biaxial");
  if (both)
    checks.push({
      what: "skin-biaxial: how much of the waves runs one way",
      claim: "no direction rules: below 0.5",
      ours: both.order.toFixed(2),
      holds: both.order < 0.5,
    });
  return checks;
}

function spectra(runs: readonly FigureRecording[], patterns: readonly Pattern[]): LinePlot {
  return {
    title: "Power over the wave number",
    x: { label: "waves per metre", unit: "1/m" },
    y: { label: "power", unit: "of the peak" },
    lines: [{ x: 1 / expectedOf(runs[0].recording), label: "half-space" }],
    series: runs.map(({ name }, k) => {
      const { k: waves, power } = patterns[k];
      const peak = power.reduce((a, b) => Math.max(a, b), 0);
      const shown = Array.from(waves.keys()).filter((q) => waves[q] < 250);
      return {
        name,
        x: shown.map((q) => waves[q]),
        y: shown.map((q) => power[q] / peak),
      };
    }),
  };
}
