/**
 * Speed of whole steps, phase by phase, on the cloth of the locking test at the paper's sizes.
 *
 * A step in the middle of a fall costs what that moment asks for, so a run of steps has no minimum worth the name. Here
 * the same step is done again and again: the state is kept, the step taken, the state put back. Then every run does the
 * same operations on the same bits, the fastest one is the machine's, and the median says how busy the machine was. A
 * few moments of the fall are looked at, and their times averaged.
 */
import "../methods.ts";
import { loadavg } from "node:os";
import { libraryScene } from "../scene/library.ts";
import { parseScene, type Scene } from "../scene/scene.ts";
import { createSimulation, type Simulation } from "../simulation.ts";

/** Points of the paper's Table 1. */
export const SIZES: readonly number[] = [662, 1656, 2716, 15039];
export const LARGE = 100_000;

export const PHASES = ["predict", "evaluate", "assemble", "factor", "solve", "contact"] as const;
export type Phase = (typeof PHASES)[number];

/** ms, the smallest and the middle one. */
export interface Time {
  min: number;
  median: number;
}

export interface StepRow {
  points: number;
  solver: Scene["solver"];
  /** s */
  h: number;
  /** s from the scene to the end of the first step. */
  startSeconds: number;
  /** Steps measured: moments × repetitions. */
  runs: number;
  /** ms of a whole step. */
  total: Time;
  phases: Record<Phase, Time>;
  /** Mean over the moments. */
  rounds: number;
  cgIterations: number;
  bytes: number;
  /** s of work per simulated second, by the fastest steps. */
  perSecond: number;
  /** Load average of the machine while it ran, processors included. */
  load: number;
}

export interface StepBenchOptions {
  solver?: Scene["solver"];
  /** s; the solver's own if left out. */
  h?: number;
  /** Wall time to spend on repetitions of one size. */
  seconds?: number;
  /** Least repetitions of each moment. */
  repetitions?: number;
}

/** Moments of the fall, s; what is before the first warms the engine up. */
const MOMENTS = [0.1, 0.15, 0.2] as const;

export function benchSteps(points: number, options: StepBenchOptions = {}): StepRow {
  const { solver = "accurate", seconds = 6, repetitions = 10 } = options;
  const scene = benchScene(points, solver, options.h);
  const began = performance.now();
  const simulation = createSimulation(scene);
  simulation.step();
  const startSeconds = (performance.now() - began) / 1000;

  const moments = MOMENTS.map((time) => {
    while (simulation.time < time - 1e-9) simulation.step();
    return simulation.save();
  });
  const times = moments.map(() => [] as StepTime[]);
  let [rounds, cgIterations, loads] = [0, 0, 0];
  const from = performance.now();
  let runs = 0;
  // the moments alternate, so that a noisy second does not fall on one of them
  while (runs < repetitions || (performance.now() - from < 1000 * seconds && runs < 200)) {
    for (const [k, state] of moments.entries()) {
      simulation.restore(state);
      const { time, report } = timed(simulation);
      times[k].push(time);
      if (runs > 0) continue;
      rounds += report.rounds / moments.length;
      cgIterations += report.cgIterations / moments.length;
    }
    loads += loadavg()[0];
    runs += 1;
  }
  const over = (pick: (time: StepTime) => number): Time => averaged(times.map((t) => t.map(pick)));
  const total = over((time) => time.total);
  return {
    points: simulation.sheet.n,
    solver,
    h: scene.h,
    startSeconds,
    runs: runs * moments.length,
    total,
    phases: Object.fromEntries(
      PHASES.map((phase) => [phase, over((time) => time.phases[phase])]),
    ) as Record<Phase, Time>,
    rounds,
    cgIterations,
    bytes: simulation.memoryBytes,
    perSecond: total.min / 1000 / scene.h,
    load: loads / runs,
  };
}

/** The two-corner cloth with that many points. */
function benchScene(points: number, solver: Scene["solver"], h?: number): Scene {
  const input = libraryScene("pinned-cloth")?.input();
  if (input?.sheet === undefined) throw new Error("the library has no pinned-cloth");
  return parseScene({
    ...input,
    solver,
    ...(h !== undefined && { h }),
    sheet: { ...input.sheet, sampling: { type: "irregular", points } },
  });
}

interface StepTime {
  total: number;
  phases: Record<Phase, number>;
}

function timed(simulation: Simulation): {
  time: StepTime;
  report: ReturnType<Simulation["step"]>;
} {
  const before = { ...simulation.phases };
  const began = performance.now();
  const report = simulation.step();
  const total = performance.now() - began;
  const after = simulation.phases;
  const phases = Object.fromEntries(
    PHASES.map((phase) => [phase, after[phase] - before[phase]]),
  ) as Record<Phase, number>;
  return { time: { total, phases }, report };
}

/** Means over the moments of their smallest and middle times. */
function averaged(times: readonly number[][]): Time {
  let [min, median] = [0, 0];
  for (const list of times) {
    const sorted = [...list].sort((a, b) => a - b);
    min += sorted[0] / times.length;
    median += sorted[Math.floor(sorted.length / 2)] / times.length;
  }
  return { min, median };
}

/** p in t ~ nᵖ, by least squares on logarithms. */
export function growth(rows: readonly { n: number; t: number }[]): number {
  const points = rows.filter(({ t }) => t > 0).map(({ n, t }) => [Math.log(n), Math.log(t)]);
  if (points.length < 2) return Number.NaN;
  const mean = (k: number): number => points.reduce((sum, p) => sum + p[k], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  let [xy, xx] = [0, 0];
  for (const [a, b] of points) {
    xy += (a - x) * (b - y);
    xx += (a - x) ** 2;
  }
  return xy / xx;
}
