/**
 * Runs a scene from its start (or from a checkpoint) to its end, into a recorder.
 *
 * Frames fall on multiples of 1/rate, rounded to whole steps, and on the last step. Checkpoints are taken on steps too,
 * after the frame of that step if it has one, and carry everything that has been gathered, so that a resumed run writes
 * the same bytes as one that was never broken off.
 *
 * The loop hands control back every 40 ms, for progress bars, signals and other tasks.
 */
import type { Threads } from "../kernels/team.ts";
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import type { SimulationOptions } from "../live/running.ts";
import type { Scene } from "../scene/scene.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { createSimulation, type Simulation } from "../simulation.ts";
import type { StepReport } from "../step/outcome.ts";
import { selfIntersections } from "../system/contact/intersections.ts";
import { type BodyCheck, createBodyCheck } from "./body-intersections.ts";
import type { Recorder } from "./recording.ts";
import {
  countStep,
  createTally,
  type Summary,
  summarise,
  type Tally,
  takeMetrics,
} from "./summary.ts";

export interface Progress {
  /** Simulated, s. */
  time: number;
  seconds: number;
  steps: number;
  totalSteps: number;
  /** s since the start of this session. */
  wallSeconds: number;
  /** s, an estimate of what is left. */
  leftSeconds: number;
  /** The worst stretch of an edge over all frames so far. */
  stretchMax: number;
}

export interface RunOptions {
  recorder?: Recorder;
  /** Goes on from here instead of the start. */
  checkpoint?: { head: unknown; state: Uint8Array };
  onProgress?: (progress: Progress) => void;
  /** Breaks the run off at the next step; a checkpoint is written first. */
  signal?: { readonly aborted: boolean };
  readMesh?: ReadMesh;
  /** Counts intersecting triangles of every frame by an exact check that shares nothing with the contact code. */
  verify?: boolean;
  /** Those of the frames before the checkpoint, which were not asked for then. */
  intersectionsBefore?: () => number;
  /** Several threads, for the same bits. */
  threads?: Threads | undefined;
  /** An own simulation of the scene, if there is one already. */
  simulation?: Simulation;
}

/** The run was broken off by its signal, after this much time. */
export class Interrupted extends Error {
  readonly time: number;
  constructor(time: number) {
    super(`broken off at ${time.toFixed(3)} s`);
    this.name = "Interrupted";
    this.time = time;
  }
}

/** ms between pauses. */
const BREATH = 40;
/** ms of work at most, but for the frame at hand, that a killed run loses. */
const UNSAVED = 10_000;

/**
 * Steps that a scene takes.
 *
 * @example
 * while (simulation.steps < totalSteps(scene)) simulation.step();
 */
export function totalSteps(scene: Scene): number {
  return scene.static === null ? Math.round(scene.seconds / scene.h) : 1;
}

/**
 * Whether the state after so many steps is a frame: nearest to a multiple of 1/rate, and at least a step apart.
 *
 * @example
 * if (isFrameStep(scene, simulation.steps)) record(simulation.Y);
 */
export function isFrameStep(scene: Scene, steps: number): boolean {
  const interval = Math.max(1, 1 / (scene.record.rate * scene.h));
  return Math.round(Math.round(steps / interval) * interval) === steps;
}

/**
 * Runs a scene and gives its summary.
 *
 * @throws SheetError if a sheet cannot be built, SimulationError if it cannot go on, Interrupted by the signal
 *
 * @example
 * const recording = createMemoryRecording();
 * const summary = await runScene(scene, { recorder: recording });
 */
export async function runScene(scene: Scene, options: RunOptions = {}): Promise<Summary> {
  const { recorder, onProgress, signal } = options;
  const simulation = options.simulation ?? createSimulation(scene, buildOptions(options));
  const last = totalSteps(scene);
  const checkpointSteps = Math.max(1, Math.round(scene.record.checkpoint / scene.h));
  const started = performance.now();
  let saved = started;
  let tally = createTally();
  if (options.checkpoint !== undefined) {
    tally = structuredClone((options.checkpoint.head as { tally: Tally }).tally);
    simulation.restore(options.checkpoint.state);
  }
  if (options.verify) tally.intersections ??= options.intersectionsBefore?.() ?? 0;
  const bodies = options.verify ? createBodyCheck(scene, options.readMesh) : null;
  if (bodies) tally.bodyIntersections ??= 0;
  if (options.checkpoint === undefined) {
    recorder?.begin(scene, simulation.sheet);
    takeFrame(simulation, tally, recorder, bodies);
  }

  // clocks of earlier sessions count on
  const before = { wallSeconds: tally.wallSeconds, phases: { ...tally.phases } };
  const from = tally.steps;
  const keepTime = (): void => {
    tally.wallSeconds = before.wallSeconds + (performance.now() - started) / 1000;
    for (const phase of Object.keys(before.phases) as (keyof typeof before.phases)[])
      tally.phases[phase] = before.phases[phase] + simulation.phases[phase] / 1000;
  };
  const save = (): void => {
    keepTime();
    recorder?.checkpoint({ tally }, simulation.save());
    saved = performance.now();
  };
  const tell = (): void => {
    const wallSeconds = (performance.now() - started) / 1000;
    const done = tally.steps - from;
    onProgress?.({
      time: simulation.time,
      seconds: scene.seconds,
      steps: tally.steps,
      totalSteps: last,
      wallSeconds,
      leftSeconds: done === 0 ? Number.NaN : (wallSeconds / done) * (last - tally.steps),
      stretchMax: tally.stretchMaxEver,
    });
  };

  tell();
  let breath = performance.now();
  while (tally.steps < last) {
    if (signal?.aborted) {
      save();
      throw new Interrupted(simulation.time);
    }
    countStep(tally, await stepOrStop(simulation, signal, save));
    const isFrame = isFrameStep(scene, tally.steps) || tally.steps === last;
    if (isFrame) takeFrame(simulation, tally, recorder, bodies);
    const isDue =
      tally.steps % checkpointSteps === 0 || (isFrame && performance.now() - saved > UNSAVED);
    if (isDue && tally.steps < last) save();
    if (performance.now() - breath > BREATH) {
      tell();
      await new Promise((resume) => setTimeout(resume, 0));
      breath = performance.now();
    }
  }
  if (tally.steps > from) tally.reactions = simulation.reactions();
  save();
  tell();
  const summary = summarise(simulation, tally);
  recorder?.end(summary);
  return summary;
}

/** One step, with a pause for others every 40 ms; broken off by the signal it goes back to the state before, which is saved. */
async function stepOrStop(
  simulation: Simulation,
  signal: RunOptions["signal"],
  save: () => void,
): Promise<StepReport> {
  const slices = simulation.stepping();
  for (;;) {
    const next = slices.next();
    if (next.done) return next.value;
    await new Promise((resume) => setTimeout(resume, 0));
    if (!signal?.aborted) continue;
    slices.return(undefined as never);
    save();
    throw new Interrupted(simulation.time);
  }
}

function buildOptions({ readMesh, threads }: RunOptions): SimulationOptions {
  return readMesh === undefined ? { threads } : { readMesh, threads };
}

function takeFrame(
  simulation: Simulation,
  tally: Tally,
  recorder: Recorder | undefined,
  bodies: BodyCheck | null,
): void {
  if (tally.intersections !== null)
    tally.intersections += intersectionsOf(simulation.sheet, simulation.Y);
  for (let k = 0; bodies && k < simulation.scene.colliders.length; k++) {
    const { sheet, Y } = simulation;
    const found = bodies.count(k, simulation.bodyTime(k), Y, sheet.triangles);
    tally.bodyIntersections = (tally.bodyIntersections ?? 0) + found;
  }
  const metrics = takeMetrics(tally, simulation);
  if (!recorder) return;
  const motion = { V: simulation.V, smoothing: simulation.smoothing() };
  recorder.frame(simulation.time, simulation.pose, metrics, bodyTimesOf(simulation), motion);
}

/** [colliders] s: the time on its path at which each body stands. */
function bodyTimesOf({ scene, bodyTime }: Simulation): Float64Array {
  return Float64Array.from(scene.colliders, (_, k) => bodyTime(k));
}

/** Pairs of triangles of a frame that intersect, by the exact check; of a sheet or, with the points of its patches, of the curved one. */
export function intersectionsOf(
  { triangles, sewn }: { triangles: ReadonlyI32; sewn?: ReadonlyI32 | null },
  Y: ReadonlyF64,
): number {
  const surface = sewn ? { Y, triangles, sewn } : { Y, triangles };
  return selfIntersections(surface).length / 2;
}
