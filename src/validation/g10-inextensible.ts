/**
 * G10: what a sheet that does not stretch must not show: its membrane, Poisson's ratio, and a loss of energy or momentum that nothing took.
 *
 * All is run with what a scene gets that asks for nothing: the membrane and the integrator.
 */
import { momenta } from "../recording/measures.ts";
import type { SamplingInput, SceneInput } from "../scene/input.ts";
import type { Simulation } from "../simulation.ts";
import {
  compared,
  edgeMean,
  MESHES,
  type Row,
  settled,
  simulate,
  type TestOptions,
  type TestResult,
  type ValidationTest,
} from "./test.ts";

/** Share of a length, or of a momentum that only what solves leave open can change. */
const SEEN = 1e-3;
const SIGMA = 0.15;
const G = 9.81;

export const inextensible: ValidationTest = {
  name: "G10",
  title: "What does not stretch",
  exposes:
    "a membrane that sags in its plane, a Poisson's ratio that shows, energy and momentum lost by the integrator",
  run,
};

function run(options: TestOptions): TestResult {
  const rows: Row[] = [];
  for (const { name: mesh, sampling } of options.fast ? MESHES.slice(0, 1) : MESHES) {
    for (const length of options.fast ? [0.3] : [0.3, 1])
      rows.push(onEdge(length, mesh, sampling, options));
    for (const gamma of options.fast ? [100] : [20, 100])
      rows.push(poisson(gamma, mesh, sampling, options));
  }
  rows.push(...tumbling(options), swinging(options));
  return {
    rows,
    claims: [],
    plots: [],
    shots: [],
    notes: [
      "Sags are of the strip's middle line at its free end over its length; tips move by Poisson's ratio in percent of the length.",
    ],
  };
}

/** A strip three times as long as high stands on edge, clamped at one end. Rigid in its plane it would not sag. */
function onEdge(length: number, mesh: string, sampling: SamplingInput, { say }: TestOptions): Row {
  say(`strip of ${length} m on edge, ${mesh}`);
  const simulation = settled({
    gravity: G,
    sheet: {
      shape: { type: "rectangle", width: length, height: length / 3 },
      sampling: { ...sampling, spacing: length / 24 },
      pose: { rotation: [90, 0, 0] },
      // too stiff to buckle sideways
      material: { density: SIGMA, D: 1e-2 * (length / 0.3) ** 3 },
    },
    pins: [{ at: { edge: "left" }, kind: "clamp" }],
  });
  const height = (edge: string): number => edgeMean(simulation, edge)[2];
  return compared({
    what: `strip of ${(100 * length).toFixed(0)} cm on edge: sag over its length`,
    mesh,
    resolution: 24,
    reference: 0,
    ours: (height("left") - height("right")) / length,
    scale: 1,
    limit: SEEN,
  });
}

/** The tip of a cantilever with Poisson's ratio 0.3 beside that with 0, at equal D. */
function poisson(gamma: number, mesh: string, sampling: SamplingInput, { say }: TestOptions): Row {
  const length = 0.3;
  say(`Poisson's ratio at Γ = ${gamma}, ${mesh}`);
  const tips = [0, 0.3].map((ratio) =>
    edgeMean(
      settled({
        gravity: G,
        sheet: {
          shape: { type: "rectangle", width: length, height: 0.1 },
          sampling: { ...sampling, spacing: length / 24 },
          material: { density: SIGMA, D: (SIGMA * G * length ** 3) / gamma, poisson: ratio },
        },
        pins: [{ at: { edge: "left" }, kind: "clamp" }],
      }),
      "right",
    ),
  );
  return compared({
    what: `cantilever, Γ = ${gamma}: tip moved by a Poisson's ratio of 0.3, over its length`,
    mesh,
    resolution: 24,
    reference: 0,
    ours: Math.hypot(...tips[0].map((x, c) => x - tips[1][c])) / length,
    scale: 1,
    limit: SEEN,
  });
}

function seconds({ fast }: TestOptions): number {
  return fast ? 2 : 10;
}

function runFor(scene: SceneInput, time: number): Simulation {
  const simulation = simulate({ ...scene, seconds: time });
  while (simulation.time < time - 1e-9) simulation.step();
  return simulation;
}

/** A sheet that flies and tumbles without gravity keeps its energy and its momenta. */
function tumbling(options: TestOptions): Row[] {
  const time = seconds(options);
  options.say(`tumbling for ${time} s`);
  const scene: SceneInput = {
    gravity: 0,
    sheet: {
      shape: { type: "rectangle", width: 0.3, height: 0.3 },
      sampling: { points: 80 },
      material: { density: 0.2, D: 1e-3 },
      velocity: [1, 0.5, 0.2],
      spin: [200, 0, 400],
    },
  };
  const start = simulate(scene);
  const end = runFor(scene, time);
  const [a, b] = [start, end].map(({ masses, Y, V }) => momenta(masses, Y, V));
  const share = (p: readonly number[], q: readonly number[]): number =>
    Math.hypot(...p.map((x, c) => q[c] - x)) / Math.hypot(...p);
  const common = { mesh: "jittered", resolution: 9, reference: 0, scale: 1 };
  const what = `tumbling for ${time} s at 1/240`;
  return [
    compared({
      ...common,
      what: `${what}: momentum lost`,
      ours: share(a.linear, b.linear),
      limit: SEEN,
    }),
    compared({
      ...common,
      what: `${what}: angular momentum lost`,
      ours: share(a.angular, b.angular),
      limit: 0.01,
    }),
    compared({
      ...common,
      what: `${what}: energy lost`,
      ours: 1 - end.energy().total / start.energy().total,
      limit: 0.02,
    }),
  ];
}

/** A strip that swings from a hinge: what it has lost of what it had to fall. */
function swinging(options: TestOptions): Row {
  const time = seconds(options);
  options.say(`swinging for ${time} s`);
  const scene: SceneInput = {
    gravity: G,
    sheet: {
      shape: { type: "rectangle", width: 0.1, height: 0.5 },
      sampling: { points: 80 },
      pose: { rotation: [60, 0, 0] },
      material: { density: SIGMA, D: 1.8e-3 },
    },
    pins: [{ at: { edge: "top" }, kind: "hinge" }],
  };
  const start = simulate(scene).energy();
  // the straight strip, 60° up from level about its hinge, falls to plumb
  const fall = SIGMA * 0.1 * 0.5 * G * 0.25 * (1 - Math.sin(Math.PI / 3));
  return compared({
    what: `swinging for ${time} s at 1/240: energy lost of what there is to fall`,
    mesh: "jittered",
    resolution: 16,
    reference: 0,
    ours: (start.total - runFor(scene, time).energy().total) / fall,
    scale: 1,
    limit: 0.02,
  });
}
