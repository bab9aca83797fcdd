/**
 * A scene that runs: scene → sheet → system → step → state.
 */
import type { StartPartner } from "./kernels/kernels.ts";
import type { ReadonlyF64 } from "./linalg/arena.ts";
import { multiplyScalar3 } from "./linalg/sparse.ts";
import { colliderAt, createRigid } from "./scene/motion.ts";
import type { Scene, Vec3 } from "./scene/scene.ts";
import { averagingWeights } from "./sheet/charts.ts";
import { withTangents } from "./sheet/frames.ts";
import { createSheet, type ReadMesh, type Sheet } from "./sheet/kinematics.ts";
import { startPose } from "./sheet/pose.ts";
import { equilibrium } from "./step/equilibrium.ts";
import { clampEnergy, renewClamps } from "./step/incremental-potential.ts";
import { createStepReport, type StepReport, worsen } from "./step/outcome.ts";
import { addForces } from "./step/potential.ts";
import { accurateSolver, interactiveSolver } from "./step/solvers.ts";
import { step, stepping } from "./step/step.ts";
import { DECLINED, paperMemory, paperOf, projectedEnergy, stepPaper } from "./step/step-paper.ts";
import { lateDrivers, tellTroubles } from "./step/troubles.ts";
import { hold } from "./system/attachments.ts";
import { bending } from "./system/bending.ts";
import { createSystem, isFramed, type System } from "./system/build.ts";
import { type AveragedF, paperResidual } from "./system/isometry.ts";
import { seamName } from "./system/seams.ts";

export interface Energy {
  kinetic: number;
  gravity: number;
  bending: number;
  membrane: number;
  total: number;
}

export interface Simulation {
  readonly scene: Scene;
  readonly sheet: Sheet;
  readonly system: System;
  /** [3n] m, positions. */
  readonly Y: Float64Array;
  /** [3n] m/s */
  readonly V: Float64Array;
  /** [9n] m: positions, and after them the frames of the samples (sheet/frames.ts); Y itself where samples have none. */
  readonly pose: Float64Array;
  readonly steps: number;
  readonly time: number;
  /** Advances by h. The report is the same object every time. */
  step(): StepReport;
  /**
   * The same in slices of some 40 ms: yields when others should be let in. Left before its end (by return or throw of the generator) it goes back to the
   * state before the step.
   */
  stepping(): Generator<void, StepReport>;
  /** Pins and bodies that could not go on and are behind their paths. */
  heldBack(): string[];
  /** s: where body k is on its path; the time unless it was held back. */
  bodyTime(k: number): number;
  energy(): Energy;
  residual(): { trace: number; det: number };
  readonly phases: Record<
    "predict" | "evaluate" | "assemble" | "factor" | "solve" | "contact",
    number
  >;
  /** Deepest penetration (m, thickness included), pairs in touch, and the point where it is deepest (−1: none). */
  contact(): { penetration: number; contacts: number; point: number };
  /** Force of every pin on the sheet at the end of the last step, N (solvers accurate and interactive, and static mode). */
  reactions(): { name: string; force: Vec3 }[];
  /** Takes hold of points and leads their mean to the target, as a hand would; null lets go. */
  grab(points: readonly number[], target: Vec3 | null): void;
  /** Where collider k is at a time: position and rotation matrix by rows. */
  colliderPose(k: number, time: number): { position: Vec3; rotation: number[] };
  readonly memoryBytes: number;
  readonly warnings: string[];
  checkpoint(): Uint8Array;
  restore(bytes: Uint8Array): void;
}

export interface SimulationOptions {
  /** Reads the meshes that the scene names. */
  readMesh?: ReadMesh;
  /** false: the TypeScript twins instead of WebAssembly; the same bits. */
  kernels?: boolean;
  /** Two threads for the factorisations of `solver: paper`; the same bits (see kernels/partner.ts). */
  startPartner?: StartPartner | undefined;
}

export function createSimulation(
  scene: Scene,
  { readMesh, kernels = true, startPartner }: SimulationOptions = {},
): Simulation {
  const bare = createSheet(scene.sheets, scene.seed, readMesh);
  const sheet = isFramed(scene) ? withTangents(bare) : bare;
  const start = startPose(sheet, scene.sheets, scene.seed, readMesh);
  const system = createSystem(scene, sheet, start, readMesh ? { kernels, readMesh } : { kernels });
  const projects = !(system.seams && scene.solver === "paper");
  const paper = projects ? paperOf(system, startPartner) : null;
  const solver =
    scene.solver === "interactive" ? interactiveSolver(system) : accurateSolver(system);
  const warnings = [...badStart(system), ...(system.substrate?.warnings ?? [])];
  if (!projects) warnings.push(SEWN_OTHERWISE);
  else if (scene.solver === "paper" && !paper && !scene.static) warnings.push(DECLINED);
  hold(system.pins, 0);
  const report = createStepReport();
  const told = new Set<string>(); // causes of trouble that were told
  let backup: Float64Array | null = null; // the state before a step in slices
  const rigid = createRigid();
  const colliderPose = (k: number, time: number): { position: Vec3; rotation: number[] } => {
    colliderAt(rigid, scene.colliders[k], time);
    return { position: [rigid[9], rigid[10], rigid[11]], rotation: [...rigid.subarray(0, 9)] };
  };
  const { state } = system;
  const Y = state.Y.subarray(0, 3 * sheet.n);
  let near: AveragedF | null = null; // made when first asked for
  return {
    scene,
    sheet,
    system,
    Y,
    pose: system.framed > 0 ? state.Y.subarray(0, 9 * sheet.n) : Y,
    V: state.V.subarray(0, 3 * sheet.n),
    get steps() {
      return state.steps;
    },
    get time() {
      return state.steps * scene.h;
    },
    step() {
      sew(system, warnings);
      if (scene.static) settle(system, scene.static, report, warnings);
      else if (paper) stepPaper(system, paper, report);
      else step(system, solver, report);
      tellTroubles(system, report, told, warnings);
      return report;
    },
    *stepping() {
      if (scene.static || paper) return this.step();
      backup ??= new Float64Array(stateLength(system));
      saveState(system, backup);
      let isDone = false;
      try {
        sew(system, warnings);
        yield* stepping(system, solver, report);
        isDone = true;
      } finally {
        if (!isDone) {
          loadState(system, backup);
          if (system.seams) bendAcross(system);
        }
      }
      tellTroubles(system, report, told, warnings);
      return report;
    },
    heldBack: () => lateDrivers(system),
    bodyTime: (k) => state.clock[system.work.drivers.pins + k],
    energy: () => energy(system),
    residual: () => {
      near ??= averagedF(sheet);
      return paperResidual(state.Y, near);
    },
    contact: () => contact(system),
    reactions: () => reactions(system),
    grab: (points, target) => system.grip.hold(points, target),
    colliderPose,
    get phases() {
      const { evaluate, assemble, factor, solve } = system.work.minimise.clock;
      const { predict, contact } = system.work.clock;
      return { predict, evaluate, assemble, factor, solve, contact };
    },
    memoryBytes: system.arena.memory.buffer.byteLength,
    warnings,
    checkpoint: () => checkpoint(system),
    restore: (bytes) => {
      restore(system, bytes);
      if (system.seams) bendAcross(system);
    },
  };
}

/** What the paper's own residual needs. */
function averagedF({ n, near, area }: Sheet): AveragedF {
  return {
    n,
    start: near.start as Int32Array,
    index: near.index as Int32Array,
    B: averagingWeights(near, area),
  };
}

const SEWN_OTHERWISE =
  "solver: paper projects without seams that are pulled together; the accurate solver steps this scene, with the same constraints";

/** Shortens the ropes of open seams for the coming step; what has come together bends as one. Says so if it takes too long. */
function sew(system: System, warnings: string[]): void {
  const { seams, state, h, sheet } = system;
  if (!seams) return;
  const time = (state.steps + 1) * h;
  if (seams.beginStep(state.Y, time)) bendAcross(system);
  const late = 2 * seams.until;
  if (seams.closed || time < late || time - h >= late) return;
  const { gap, points } = seams.widest(state.Y);
  warnings.push(
    `seam ${seamName(sheet, ...points)} is still ${(1000 * gap).toFixed(1)} mm open at ${time.toFixed(2)} s, twice the time for sewing: something is in the way, or the garment is too small; it goes on pulling`,
  );
}

/** Bending over the second rings of open or closed seams, whichever they are. */
export function bendAcross(system: System): void {
  const { seams, sheet, material, pattern, pins, state, h, baseline } = system;
  const near = seams!.closed ? seams!.rings : seams!.open;
  if (system.bending.near === near) return;
  const clamps = pins.clampsAt(state.steps * h);
  const { D, poisson } = material;
  system.bending = bending(sheet, D, poisson, clamps, near, pattern, baseline?.bending ?? "fit");
  system.K.set(system.bending.K);
}

/** What is wrong with the start, in plain words with the points: sheets inside bodies, layers that cross. */
function badStart({ bodies, layers, state, pins, sheet, work }: System): string[] {
  const { n } = sheet;
  const out: string[] = [];
  bodies?.beginStep(state.Y, work.drivers.bodies, 0, pins.fixed);
  const inside = bodies?.measureDeep(state.Y) ?? [];
  for (const { name, points, depth, held } of inside)
    out.push(
      `${points.length} points start inside ${name}, the deepest (point ${points[0]}) ${(1000 * depth).toFixed(1)} mm; ${held ? "held ones stay there, the others are" : "they are"} pushed out`,
    );
  layers?.beginStep(state.Y, state.V, 0, work.drivers.bodies);
  const crossings = layers?.crossings.filter((i) => i < n) ?? [];
  if (crossings.length > 0) {
    const [i] = crossings;
    const at = [0, 1, 2].map((c) => state.Y[3 * i + c].toFixed(3)).join(", ");
    const part = sheet.parts.find((p) => i >= p.firstPoint && i < p.firstPoint + p.points);
    out.push(
      `layers intersect at the start: ${crossings.length} points, the first of them point ${i} of ${part?.name ?? "the sheet"} at (${at}); they may pass each other until they are apart`,
    );
  }
  return out;
}

/** Static mode: one step is all of it. */
function settle(
  system: System,
  options: NonNullable<Scene["static"]>,
  report: StepReport,
  warnings: string[],
): void {
  const result = equilibrium(system, options);
  report.rounds = result.iterations;
  report.cgIterations = result.cgIterations;
  report.converged = result.converged;
  worsen(report, result.converged ? "solved" : "unsolved");
  report.residual = system.isometry.residual();
  system.state.steps += 1;
  system.state.clock.fill(system.state.steps * system.h);
  if (!result.converged)
    warnings.push(
      `equilibrium not reached: the largest force left is ${result.force.toExponential(1)} of a point's weight (asked: ${options.forceTolerance}); raise static.maxIterations`,
    );
}

/** What is missing to balance at held coordinates is what the pins give: ∇Φ there. */
function reactions({ state, work, sets, pins }: System): { name: string; force: Vec3 }[] {
  const { ops, Ad } = work.minimise;
  ops.multiplyScalar3(Ad, work.base, state.Y);
  for (let k = 0; k < Ad.length; k++) Ad[k] -= work.b[k];
  for (const set of sets) set.evaluate(state.Y);
  addForces(Ad, sets, ops);
  return pins.held
    .filter(({ turns }) => !turns)
    .map(({ pin, points }) => {
      const force: Vec3 = [0, 0, 0];
      for (const i of points)
        for (let c = 0; c < 3; c++) if (pins.fixed[3 * i + c]) force[c] += Ad[3 * i + c];
      return { name: pin.name, force };
    });
}

/** The worst of bodies and layers. */
function contact({ state, bodies, layers }: System): {
  penetration: number;
  contacts: number;
  point: number;
} {
  const out = { penetration: 0, contacts: 0, point: -1 };
  for (const part of [bodies, layers]) {
    if (!part) continue;
    const found = part.measure(state.Y);
    out.contacts += found.contacts;
    if (found.penetration > out.penetration) {
      out.penetration = found.penetration;
      out.point = found.point;
    }
  }
  return out;
}

/** J. Gravity is −m g·y, so that it falls as the sheet falls. */
export function energy(system: System): Energy {
  const { state, m, n, scene, K, pattern, work } = system;
  const { Y, V } = state;
  let kinetic = 0;
  let gravity = 0;
  for (let i = 0; i < n; i++)
    for (let c = 0; c < 3; c++) {
      kinetic += 0.5 * m[i] * V[3 * i + c] * V[3 * i + c];
      gravity -= m[i] * scene.gravity[c] * Y[3 * i + c];
    }
  const { trial } = work.minimise;
  multiplyScalar3(trial, { ...pattern, values: K }, Y);
  let bending = clampEnergy(system, Y, state.steps * system.h);
  for (let k = 0; k < 3 * n; k++) bending += 0.5 * trial[k] * Y[k];
  const membrane = membraneEnergy(system, Y);
  const solid = system.substrate?.energy(Y) ?? 0;
  const total = kinetic + gravity + bending + membrane + solid;
  return { kinetic, gravity, bending, membrane, total };
}

function membraneEnergy(system: System, Y: ReadonlyF64): number {
  return projectedEnergy(system) ?? system.membrane.reduce((sum, set) => sum + set.energy(Y), 0);
}

/** State and multipliers, as float64 in a fixed order. */
function checkpoint(system: System): Uint8Array {
  const all = new Float64Array(stateLength(system));
  saveState(system, all);
  return new Uint8Array(all.buffer);
}

function restore(system: System, bytes: Uint8Array): void {
  const all = new Float64Array(bytes.slice().buffer);
  const length = stateLength(system);
  if (all.length !== length)
    throw new Error(
      `the checkpoint holds ${all.length} numbers, this scene needs ${length}: it is another scene's`,
    );
  loadState(system, all);
}

function stateLength(system: System): number {
  return stateArrays(system).reduce((sum, a) => sum + a.length, 2);
}

function saveState(system: System, all: Float64Array): void {
  all[0] = system.state.steps;
  all[1] = system.state.smoothSteps;
  let at = 2;
  for (const a of stateArrays(system)) {
    all.set(a, at);
    at += a.length;
  }
}

function loadState(system: System, all: Float64Array): void {
  system.state.steps = all[0];
  system.state.smoothSteps = all[1];
  let at = 2;
  for (const a of stateArrays(system)) {
    a.set(all.subarray(at, at + a.length));
    at += a.length;
  }
  renewClamps(system, system.state.steps * system.h);
}

function stateArrays(system: System): Float64Array[] {
  const { state, isometry, attachments, seams, bodies, layers, substrate } = system;
  const arrays = [
    state.Y,
    state.V,
    state.Yold,
    state.Vold,
    state.clock,
    state.numbers,
    isometry.lambda,
  ];
  arrays.push(...paperMemory(system));
  if (attachments) arrays.push(attachments.lambda);
  if (seams) arrays.push(seams.memory);
  if (bodies) arrays.push(bodies.normalForce, bodies.anchor, bodies.xi, bodies.pressure);
  if (layers) arrays.push(...layers.memory);
  if (substrate) arrays.push(...substrate.memory);
  return arrays;
}
