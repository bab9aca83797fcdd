/**
 * What one run is judged by when methods are compared: pure numbers, with the same ruler for all.
 *
 * Bending energy is the trap. Samples without frames bend by hinges, and a hinge on a grid reads up to twice the energy of a
 * cylinder, depending on its axis. So every end shape is measured by one functional of its positions, on its own mesh: the energy of
 * frame-bending.ts with the frames that make it least, clamped ones held. The deflection is an integral too: how far the mass has fallen on average
 * (without gravity: how far the points have moved), since the lowest point of a cloth is nearly the same for very different folds.
 */
import "../methods.ts";
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { createMemoryRecording, type Recording } from "../recording/recording.ts";
import { type Progress, runScene } from "../recording/run.ts";
import type { Summary } from "../recording/summary.ts";
import type { Scene } from "../scene/scene.ts";
import { framesOf } from "../sheet/frames.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { createSimulation, type Simulation } from "../simulation.ts";
import { blockJacobi, minimise } from "../step/minimise.ts";
import { hold } from "../system/attachments.ts";
import { bendAcross } from "../system/stiffness.ts";

export interface Outcome {
  readonly scene: Scene;
  readonly summary: Summary;
  /** Its first and its last frame. */
  readonly recording: Recording;
  /** [3n] m, at the end. */
  readonly Y: Float64Array;
  readonly measures: Measures;
}

export interface Measures {
  points: number;
  edgeMean: number;
  edgeMax: number;
  /** Largest growth of a distance between far points. */
  pair: number;
  /** J, by the same ruler for all methods. */
  bending: number;
  /** m, see above. */
  deflection: number;
  /** m, of the lowest point below the pins. */
  sag: number;
  /** rad */
  roughness: number;
  /** m/s, of the fastest point at the end. */
  speed: number;
  /** s of work. */
  seconds: number;
  /** Share of the steps that did not converge. */
  unconverged: number;
}

export interface RunHooks {
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
  readMesh?: ReadMesh;
  /** Of the scene, if it is built already. */
  simulation?: Simulation;
}

/** Runs a scene and measures how it ends. */
export async function outcomeOf(scene: Scene, hooks: RunHooks = {}): Promise<Outcome> {
  const recording = createMemoryRecording();
  // start and end are enough
  const rate = 1 / Math.max(scene.seconds, scene.h);
  const ends: Scene = { ...scene, record: { rate, checkpoint: 2 * scene.seconds + 1 } };
  const summary = await runScene(ends, { ...hooks, recorder: recording });
  const Y = recording.positions(recording.frames - 1);
  const measures = measured(recording, summary, Y, hooks.readMesh);
  return { scene, summary, recording, Y, measures };
}

/** The measures of a recording that is complete. */
export function measured(
  recording: Recording,
  summary: Summary,
  Y: ReadonlyF64,
  readMesh?: ReadMesh,
): Measures {
  const { strain } = summary;
  const { scene } = recording;
  return {
    points: summary.points,
    edgeMean: strain.edgeMean,
    edgeMax: strain.edgeMax,
    pair: strain.pairMax,
    bending: bendingEnergy(scene, Y, summary.steps, readMesh),
    deflection: deflection(recording, Y),
    sag: summary.sag,
    roughness: summary.roughness,
    speed: summary.speedMax,
    seconds: summary.wallSeconds,
    unconverged: summary.unconvergedSteps / Math.max(1, summary.steps),
  };
}

/** J: the bending energy of our own method at Y, whatever method led there. */
export function bendingEnergy(
  scene: Scene,
  Y: ReadonlyF64,
  steps: number,
  readMesh?: ReadMesh,
): number {
  const own: Scene = {
    ...scene,
    method: "isometry",
    constraint: "frames",
    solver: "accurate",
    substrate: null,
    colliders: [],
    contact: { ...scene.contact, self: false },
  };
  const ruler = createSimulation(own, { kernels: false, ...(readMesh ? { readMesh } : {}) });
  const { system } = ruler;
  const { state, seams, sheet } = system;
  state.Y.set(Y as Float64Array);
  // seams that are closed by then bend like the sheet, in every method
  const time = steps * scene.h;
  if (seams?.beginStep(state.Y, time)) bendAcross(system);
  state.Y.set(framesOf(sheet, system.rings, Y), 3 * sheet.n);
  system.seamFrames?.beginStep(state.Y, seams!.closed);
  relaxFrames(system, time);
  return ruler.energy().bending;
}

/** One Newton step is the minimum of a quadratic; a second mends what its inner solve left. */
const RULER = {
  moveTolerance: 0,
  energyTolerance: Infinity,
  maxIterations: 2,
  cgTolerance: 1e-8,
  cgMax: 5000,
};

/** Gives the frames that bend least to positions that stay; clamped ones are where their clamps are at that time. */
function relaxFrames(system: Simulation["system"], time: number): void {
  const { n, sheet, pattern, diagonal, pins, state, limp, seamFrames, work } = system;
  hold(pins, time);
  const fixed = pins.fixed.slice().fill(1, 0, 3 * sheet.n);
  for (let k = 3 * sheet.n; k < 3 * n; k++) if (fixed[k]) state.Y[k] = pins.target[k];
  const values = limp!.bending;
  const sets = seamFrames ? [seamFrames] : [];
  const base = { ...pattern, values };
  const b = new Float64Array(3 * n);
  work.minimise.budget.iterations = Number.POSITIVE_INFINITY;
  work.minimise.budget.cgIterations = Number.POSITIVE_INFINITY;
  minimise(state.Y, { n, base, diagonal, b, sets, fixed }, work.minimise, blockJacobi, RULER);
}

/** m: mean fall of the mass since the start; without gravity, mean way of the area. */
function deflection({ scene, sheet, positions }: Recording, Y: ReadonlyF64): number {
  const start = positions(0);
  const [x, y, z] = scene.gravity;
  const g = Math.sqrt(x * x + y * y + z * z);
  let sum = 0;
  let whole = 0;
  for (let i = 0; i < sheet.n; i++) {
    const [dx, dy, dz] = [0, 1, 2].map((c) => Y[3 * i + c] - start[3 * i + c]);
    const weight = g > 0 ? sheet.m[i] : sheet.area[i];
    sum +=
      weight * (g > 0 ? (x * dx + y * dy + z * dz) / g : Math.sqrt(dx * dx + dy * dy + dz * dz));
    whole += weight;
  }
  return sum / whole;
}

/** What came of a method, in words, beside the finest solution. */
export interface Verdict {
  /** Empty if it is as the reference. */
  readonly faults: readonly string[];
  readonly text: string;
}

/** Shares of the reference beyond which a deflection or a bending energy counts as another. */
export const FAR = { deflection: 0.1, bending: 0.2 } as const;
/** Growth of distances from which a sheet counts as stretched: what the paper asks of its own flag. */
export const STRETCHED = 0.01;
/** J: less is the rounding of a sheet that is flat. */
const FLAT = 1e-9;
/** m/s: a sheet that ends faster has not come to rest. */
const AT_REST = 0.05;

export function verdictOf(ours: Measures, reference: Measures): Verdict {
  const faults: string[] = [];
  const fall = ours.deflection / reference.deflection - 1;
  const bend = ours.bending / reference.bending - 1;
  if (ours.unconverged > 0.1) faults.push("does not converge");
  if (fall < -FAR.deflection) faults.push("locks");
  if (fall > FAR.deflection) faults.push("sags too far");
  if (ours.pair > STRETCHED) faults.push("stretches");
  const bent = Math.max(ours.bending, reference.bending) > FLAT;
  if (bent && Math.abs(fall) <= FAR.deflection && Math.abs(bend) > FAR.bending)
    faults.push(bend < 0 ? "folds too bluntly" : "folds too sharply");
  if (ours.speed > AT_REST) faults.push("still moves");
  return { faults, text: faults.length === 0 ? "as the finest" : faults.join(", ") };
}
