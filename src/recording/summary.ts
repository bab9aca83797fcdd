/**
 * From a run to its numbers: what is kept per frame (Metrics), what is gathered per step (Tally), and what stands in the end (Summary). The names of
 * the summary are public: programs read them.
 */
import type { Energy } from "../live/readings.ts";
import type { Scene, Vec3 } from "../scene/scene.ts";
import { pick } from "../sheet/picks.ts";
import type { Simulation } from "../simulation.ts";
import { version } from "../version.ts";
import { hashNumbers } from "./hash.ts";
import { type EdgeStrain, edgeStrain, principalMax, roughness, sag, speedMax } from "./measures.ts";
import { pairMax } from "./pairs.ts";

/** One line per frame. Only what is the same every time the scene is run: no clocks. */
export interface Metrics extends Energy {
  /** s */
  time: number;
  steps: number;
  /** Rounds a step, mean and most since the last frame. */
  rounds: number;
  roundsMax: number;
  /** Largest residual of a step since the last frame. */
  residual: number;
  trace: number;
  det: number;
  edgeMean: number;
  edgeMax: number;
  /** The two signs of edgeMax: largest length/rest − 1, largest 1 − length/rest. */
  stretchMax: number;
  compressionMax: number;
  principalMax: number;
  /** m/s */
  speedMax: number;
  contacts: number;
}

export const METRICS: readonly (keyof Metrics)[] = [
  "time",
  "steps",
  "rounds",
  "roundsMax",
  "residual",
  "trace",
  "det",
  "edgeMean",
  "edgeMax",
  "stretchMax",
  "compressionMax",
  "principalMax",
  "kinetic",
  "gravity",
  "bending",
  "membrane",
  "smoothing",
  "foundation",
  "pressure",
  "substrate",
  "total",
  "speedMax",
  "contacts",
];

export interface Phases {
  predict: number;
  evaluate: number;
  assemble: number;
  factor: number;
  solve: number;
  contact: number;
}

export interface Summary {
  scene: string;
  version: string;
  points: number;
  method: Scene["method"];
  constraint: Scene["constraint"];
  solver: Scene["solver"];
  h: number;
  tolerance: number;
  /** Simulated, s. */
  seconds: number;
  steps: number;
  frames: number;
  wallSeconds: number;
  projections: { mean: number; max: number };
  /** Steps that needed sub-steps or another method. */
  fallbackSteps: number;
  unconvergedSteps: number;
  residual: { trace: number; det: number };
  strain: {
    edgeMean: number;
    edgeMax: number;
    /** Worst of all frames. */
    edgeMaxEver: number;
    /** The worst stretchMax over all recorded frames: what a sheet that must not stretch is judged by. */
    stretchMaxEver: number;
    /** The two signs of edgeMax: largest length/rest − 1, largest 1 − length/rest. */
    stretchMax: number;
    compressionMax: number;
    principalMax: number;
    pairMax: number;
  };
  /** J */
  energy: Energy;
  speedMax: number;
  penetrationMax: number;
  /** Intersecting pairs of triangles over all frames, by the exact check; only with `verify`. */
  intersections?: number;
  /** Triangles that cut into bodies over all frames; only with `verify`. */
  bodyIntersections?: number;
  /** Why the end of the run is not to be trusted: sheets stuck, frozen, or strained beyond 2 %. Empty if it is. */
  problems: string[];
  sag: number;
  /** rad */
  roughness: number;
  /** N, force of every pin on the sheet at the end of the last step; left out where there is no pin, and by projections. */
  reactions?: PinForce[];
  /** s in each phase of the steps. */
  phases: Phases;
  memoryBytes: number;
  warnings: string[];
  hash: string;
}

export interface PinForce {
  name: string;
  /** N */
  force: Vec3;
}

/** What is gathered over the steps, and must survive a resume. */
export interface Tally {
  steps: number;
  frames: number;
  rounds: number;
  roundsMax: number;
  fallbackSteps: number;
  unconvergedSteps: number;
  edgeMaxEver: number;
  stretchMaxEver: number;
  penetrationMax: number;
  /** Intersecting pairs of triangles over all frames; null unless asked for. */
  intersections: number | null;
  /** Triangles that cut into bodies over all frames; null unless asked for. */
  bodyIntersections?: number | null;
  /** Of the last step. */
  reactions?: PinForce[];
  /** Steps at the end that were not solved, in a row. */
  unsolvedInARow?: number;
  /** s, of this and earlier sessions. */
  wallSeconds: number;
  phases: Phases;
  /** Since the last frame. */
  recent: { steps: number; rounds: number; roundsMax: number; residual: number; contacts: number };
}

/**
 * @example
 * const tally = createTally();
 * countStep(tally, simulation.step());
 */
export function createTally(): Tally {
  return {
    steps: 0,
    frames: 0,
    rounds: 0,
    roundsMax: 0,
    fallbackSteps: 0,
    unconvergedSteps: 0,
    edgeMaxEver: 0,
    stretchMaxEver: 0,
    penetrationMax: 0,
    intersections: null,
    wallSeconds: 0,
    phases: { predict: 0, evaluate: 0, assemble: 0, factor: 0, solve: 0, contact: 0 },
    recent: { steps: 0, rounds: 0, roundsMax: 0, residual: 0, contacts: 0 },
  };
}

/**
 * @example
 * const tally = createTally();
 * countStep(tally, simulation.step());
 */
export function countStep(
  tally: Tally,
  report: Readonly<{
    rounds: number;
    residual: number;
    substeps: number;
    converged: boolean;
    contacts: number;
  }>,
): void {
  const { recent } = tally;
  tally.steps += 1;
  tally.rounds += report.rounds;
  tally.roundsMax = Math.max(tally.roundsMax, report.rounds);
  if (report.substeps > 0) tally.fallbackSteps += 1;
  if (!report.converged) tally.unconvergedSteps += 1;
  tally.unsolvedInARow = report.converged ? 0 : (tally.unsolvedInARow ?? 0) + 1;
  recent.steps += 1;
  recent.rounds += report.rounds;
  recent.roundsMax = Math.max(recent.roundsMax, report.rounds);
  recent.residual = Math.max(recent.residual, report.residual);
  recent.contacts = report.contacts;
}

/** The pose with frames in single precision, as recordings keep them: what is measured can then be proven from the files to the last digits. */
function asRecorded({ pose, Y }: Simulation): Float64Array {
  if (pose.length === Y.length) return pose;
  const out = pose.slice();
  for (let k = Y.length; k < out.length; k++) out[k] = Math.fround(out[k]);
  return out;
}

/**
 * The line of this frame; starts counting anew.
 *
 * @example
 * const metrics = takeMetrics(tally, simulation); // one line of metrics.csv
 */
export function takeMetrics(tally: Tally, simulation: Simulation): Metrics {
  const { recent } = tally;
  const { sheet, V } = simulation;
  const pose = asRecorded(simulation);
  const edge = edgeStrain(sheet, pose);
  const residual = simulation.residual();
  const energy = simulation.energy();
  const touch = simulation.contact();
  const metrics: Metrics = {
    time: simulation.time,
    steps: simulation.steps,
    rounds: recent.steps === 0 ? 0 : recent.rounds / recent.steps,
    roundsMax: recent.roundsMax,
    residual: recent.residual,
    trace: residual.trace,
    det: residual.det,
    edgeMean: edge.mean,
    edgeMax: edge.max,
    stretchMax: edge.stretchMax,
    compressionMax: edge.compressionMax,
    principalMax: principalMax(sheet, pose),
    ...energy,
    speedMax: speedMax(V),
    contacts: Math.max(recent.contacts, touch.contacts),
  };
  tally.penetrationMax = Math.max(tally.penetrationMax, touch.penetration);
  tally.frames += 1;
  tally.edgeMaxEver = Math.max(tally.edgeMaxEver, edge.max);
  tally.stretchMaxEver = Math.max(tally.stretchMaxEver, edge.stretchMax);
  tally.recent = { steps: 0, rounds: 0, roundsMax: 0, residual: 0, contacts: 0 };
  return metrics;
}

/** Points that some pin still holds at the end of the scene, each once. */
function pinnedPoints(scene: Scene, sheet: Simulation["sheet"], time: number): number[] {
  const points = new Set<number>();
  for (const pin of scene.pins)
    if (pin.release === null || pin.release > time)
      for (const i of pick(sheet, pin.at)) points.add(i);
  return [...points].sort((a, b) => a - b);
}

/** Strain of an edge from which on a sheet that must not stretch has failed. */
const TOO_STRAINED = 0.02;
/** Steps in a row that are not solved at the end of a run: a single one may come from an impact. */
const FROZEN = 10;

/** m, of the thickest sheet. */
function sheetThickness({ sheets }: Scene): number {
  return sheets.reduce((most, { material }) => Math.max(most, material.thickness), 0);
}

/** Why the end of a run is not to be trusted, in words. */
function problemsOf(simulation: Simulation, tally: Tally, edge: EdgeStrain): string[] {
  const { scene } = simulation;
  // an arc that turns by more than a right angle between two samples is shorter: a fold too sharp for the mesh, not a strain
  const isFramed = simulation.pose.length > simulation.Y.length;
  const strain = isFramed ? edge.stretchMax : edge.max;
  const out: string[] = [];
  const late = simulation.heldBack();
  if (late.length > 0)
    out.push(
      `stuck: ${late.join(", ")} could not go on and ${late.length > 1 ? "are" : "is"} held back`,
    );
  const unsolved = tally.unsolvedInARow ?? 0;
  if (scene.solver !== "interactive" && (unsolved >= FROZEN || (scene.static && unsolved > 0)))
    out.push(
      scene.static
        ? "the equilibrium was not reached"
        : `the last ${unsolved} steps are not solved`,
    );
  const { penetration, point } = simulation.contact();
  if (penetration > sheetThickness(scene))
    out.push(
      `stuck: point ${point} is ${(1000 * penetration).toFixed(1)} mm inside what it should lie on`,
    );
  // the paper's own constraints and the methods it compares with let a sheet stretch by more than that
  const isHeld = scene.method === "isometry" && scene.constraint !== "paper";
  if (isHeld && strain > TOO_STRAINED)
    out.push(
      `strained: an edge is ${(100 * strain).toFixed(1)} % longer ${isFramed ? "" : "or shorter "}than at rest`,
    );
  return out;
}

/**
 * @example
 * const summary = summarise(simulation, tally);
 */
export function summarise(simulation: Simulation, tally: Tally): Summary {
  const { scene, sheet, Y, V } = simulation;
  const pose = asRecorded(simulation);
  const edge = edgeStrain(sheet, pose);
  return {
    scene: scene.name,
    version,
    points: sheet.n,
    method: scene.method,
    constraint: scene.constraint,
    solver: scene.solver,
    h: scene.h,
    tolerance: scene.tolerance,
    seconds: simulation.time,
    steps: simulation.steps,
    frames: tally.frames,
    wallSeconds: tally.wallSeconds,
    projections: {
      mean: tally.steps === 0 ? 0 : tally.rounds / tally.steps,
      max: tally.roundsMax,
    },
    fallbackSteps: tally.fallbackSteps,
    unconvergedSteps: tally.unconvergedSteps,
    residual: simulation.residual(),
    strain: {
      edgeMean: edge.mean,
      edgeMax: edge.max,
      edgeMaxEver: Math.max(tally.edgeMaxEver, edge.max),
      stretchMaxEver: Math.max(tally.stretchMaxEver, edge.stretchMax),
      stretchMax: edge.stretchMax,
      compressionMax: edge.compressionMax,
      principalMax: principalMax(sheet, pose),
      pairMax: pairMax(sheet, Y),
    },
    energy: simulation.energy(),
    speedMax: speedMax(V),
    penetrationMax: tally.penetrationMax,
    ...(tally.intersections === null ? {} : { intersections: tally.intersections }),
    ...(tally.bodyIntersections == null ? {} : { bodyIntersections: tally.bodyIntersections }),
    problems: problemsOf(simulation, tally, edge),
    sag: sag(Y, pinnedPoints(scene, sheet, simulation.time)),
    roughness: roughness(sheet, Y),
    ...(tally.reactions && tally.reactions.length > 0 ? { reactions: tally.reactions } : {}),
    phases: { ...tally.phases },
    memoryBytes: simulation.memoryBytes,
    warnings: simulation.warnings.map(({ text }) => text),
    hash: hashNumbers(Y),
  };
}
