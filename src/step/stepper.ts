/**
 * A system with its state and the memory of its solvers: what steps.
 *
 * Like a system it is made in parts, around the one memory that both are in: planSolver, createState and createWork.
 */
import type { Allocator, Arena, ReadonlyF64 } from "../linalg/arena.ts";
import type { CholeskyKernels } from "../linalg/cholesky.ts";
import { createSparse, type SparseMatrix, type SparsePattern } from "../linalg/sparse.ts";
import type { FrameCharts } from "../sheet/frames.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { SystemArrays, SystemPlan } from "../system/build.ts";
import { type ArcSet, arcForms, trussStiffness } from "../system/frame-membrane.ts";
import type { ClosedSheet } from "../system/seams.ts";
import { type RowSet, STATE_NUMBERS, type State, type System } from "../system/system.ts";
import type { TwoLevelOperations } from "./coarse-matrix.ts";
import { planTwoLevel, type TwoLevelPlan } from "./coarse-plan.ts";
import { frameInterpolation, type Interpolation, interpolation } from "./coarse-points.ts";
import { createDrivers, type Drivers } from "./drivers.ts";
import { type FrameBlockOperations, frameJacobi } from "./frame-blocks.ts";
import type { Projections } from "./methods.ts";
import {
  blockJacobi,
  type MinimiseWork,
  type Operations,
  type Potential,
  type Preconditioner,
  prepareMinimise,
} from "./minimise.ts";
import { createParts, type Parts } from "./parts.ts";
import { countOrders, createSecondOrder, type SecondOrder } from "./second-order.ts";
import { createSingleSolve, type SingleLoops, setSingleTable } from "./single-solve.ts";
import { type CoarseMembrane, oneLevel, type TwoLevel, twoLevel } from "./two-level.ts";

/** A system that can be stepped. */
export interface Stepper extends System {
  readonly state: State;
  readonly work: StepWork;
}

/** Compiles the loops that factor and solve for a memory of its own. */
export type Compile = (arena: Arena) => CholeskyKernels;

/** Memory of the solvers. */
export interface StepWork {
  readonly minimise: MinimiseWork;
  readonly twoLevel: TwoLevel;
  /** The fine level of it by itself. */
  readonly fine: Preconditioner;
  readonly base: SparseMatrix; // N/m: K + diag(a)
  readonly b: Float64Array; // [3n] N
  readonly force: Float64Array; // [3n] N: gravity, pressure, clamps
  readonly predicted: Float64Array; // [3n] m
  readonly start: Float64Array; // [3n] m: Y at the start of the step
  readonly startV: Float64Array; // [3n] m/s
  readonly startY: Float64Array; // [3n] m: before sub-steps
  readonly normals: Float64Array; // [3n] m²
  /** m, mean spacing. */
  readonly spacing: number;
  readonly drivers: Drivers;
  /** What a step minimises; its numbers are those of the step that is open. */
  readonly potential: Potential;
  /** Parts of the step that is open. */
  readonly parts: Parts;
  readonly second: SecondOrder;
  /** What steps the scene instead, where it asks for projections. */
  projections: Projections | null;
  /** A preconditioner that leaves the points of a solid to that solid's own. */
  readonly withSolid: (sheet: Preconditioner) => Preconditioner;
  /** null: TypeScript everywhere. */
  readonly compile: Compile | null;
  /** ms spent in contact detection so far. */
  readonly clock: { predict: number; contact: number };
}

/** Coarse points and patterns of the preconditioner; null for samples without frames, whose methods do without. */
export function planSolver(plan: SystemPlan): TwoLevelPlan | null {
  const { sheet, closed, frames, gradients, near, pattern } = plan;
  if (!frames || !gradients) return null;
  const positions = closed ? sewnInterpolation(sheet, closed) : interpolation(sheet);
  const Z = frameInterpolation(sheet, positions, near, gradients);
  return planTwoLevel(sheet, Z, pattern, arcForms(sheet, frames));
}

/** The state at the start. */
export function createState(
  memory: Allocator,
  { start, scene, sheet, frames }: SystemPlan,
  { pins }: SystemArrays,
): State {
  const orders = countOrders({ scene, sheet, framed: frames !== null });
  return {
    Y: memory.copyF64(start.Y),
    V: memory.copyF64(start.V),
    Yold: memory.copyF64(start.Y),
    Vold: memory.copyF64(start.V),
    clock: memory.f64(pins.drivers + scene.colliders.length),
    wait: memory.f64(pins.drivers + scene.colliders.length),
    tension: memory.f64(sheet.parts.length),
    smoothing: memory.f64(sheet.parts.length),
    numbers: memory.f64(STATE_NUMBERS),
    calm: memory.f64(orders),
    gained: memory.f64(orders),
    steps: 0,
    smoothSteps: 0,
  };
}

/** The part of StepWork that is in the memory of the system. */
export type WorkArrays = Pick<
  StepWork,
  | "minimise"
  | "twoLevel"
  | "fine"
  | "base"
  | "b"
  | "force"
  | "predicted"
  | "start"
  | "startV"
  | "startY"
  | "normals"
>;

/** Asks for the arrays of the solvers; runs twice (linalg/arena.ts). */
export function layOutWork(
  memory: Allocator,
  { sheet, frames, n, pattern }: SystemPlan,
  coarse: TwoLevelPlan | null,
  { nodes, arcs, pins }: SystemArrays,
): WorkArrays {
  const membrane =
    frames && nodes && arcs && coarseFrames(memory, sheet, frames, pattern, nodes, arcs);
  const minimise = prepareMinimise(memory, pattern);
  const solver = coarse && membrane ? twoLevel(memory, coarse, membrane) : oneLevel(blockJacobi);
  const isAlone = pattern.rows === 3 * sheet.n; // without a solid under it
  if (isAlone && frames && nodes && arcs && solver.parts) {
    const mesh = { edges: sheet.edges.length / 2, side: frames.side };
    const sets = { nodes, arcs };
    minimise.sheet = createSingleSolve(memory, pattern, sets, solver.parts, mesh, pins.fixed);
  }
  return {
    minimise,
    twoLevel: solver,
    fine: membrane?.fine ?? blockJacobi,
    base: createSparse(memory, pattern),
    b: memory.f64(3 * n),
    force: memory.f64(3 * n),
    predicted: memory.f64(3 * n),
    start: memory.f64(3 * n),
    startV: memory.f64(3 * n),
    startY: memory.f64(3 * n),
    normals: memory.f64(3 * n),
  };
}

/** A system with a state and solvers. */
export function createStepper(
  system: System,
  state: State,
  arrays: WorkArrays,
  { withSolid, compile }: Pick<StepWork, "withSolid" | "compile">,
): Stepper {
  const { n, sheet, scene, pins, diagonal, framed, bodies, layers } = system;
  const { base, b, minimise } = arrays;
  const sets = bodies || layers ? [...system.sets, minimise.stiffening.rows] : system.sets;
  const spacing = mean(sheet.spacing);
  const work: StepWork = {
    ...arrays,
    spacing,
    drivers: createDrivers(pins.drivers, scene.colliders.length),
    potential: { n, base, diagonal, b, sets, fixed: pins.fixed, framed, spacing },
    parts: createParts(),
    second: createSecondOrder(state.calm.length, { sheet, n }),
    projections: null,
    withSolid,
    compile,
    clock: { predict: 0, contact: 0 },
  };
  return { ...system, state, work };
}

/** From now on the hot loops of the solvers run in the kernels. */
export function attachWork(
  kernels: Operations &
    TwoLevelOperations &
    FrameBlockOperations &
    CholeskyKernels & { readonly single: SingleLoops },
  { minimise, twoLevel, fine }: StepWork,
): void {
  minimise.ops = kernels;
  twoLevel.attach(kernels);
  if ("operations" in fine) fine.operations = kernels;
  const { sheet, A } = minimise;
  if (!sheet) return;
  setSingleTable(sheet, A);
  sheet.loops = kernels.single;
}

/** Coarse points of the closed sheet: those that stop at seams would leave the stiff ropes to the fine level, at five times the iterations. */
function sewnInterpolation(sheet: Sheet, { mesh, number }: ClosedSheet): Interpolation {
  const Z = interpolation({ ...sheet, ...mesh });
  const start = new Int32Array(sheet.n + 1);
  const index: number[] = [];
  const weight: number[] = [];
  for (let i = 0; i < sheet.n; i++) {
    for (let q = Z.start[number[i]]; q < Z.start[number[i] + 1]; q++) {
      index.push(Z.index[q]);
      weight.push(Z.weight[q]);
    }
    start[i + 1] = index.length;
  }
  return {
    coarse: Z.coarse,
    start,
    index: Int32Array.from(index),
    weight: Float64Array.from(weight),
  };
}

/** The coarse level sees the membrane as a truss of arcs, which has about its stiffness, and their tension. */
function coarseFrames(
  memory: Allocator,
  { n, edges, triangles }: Sheet,
  { side }: FrameCharts,
  pattern: SparsePattern,
  nodes: RowSet,
  { arcs }: ArcSet,
): CoarseMembrane {
  const mesh = { n, edges: edges.length / 2, triangles: triangles.length / 3, ends: edges, side };
  return {
    rows: nodes,
    fine: frameJacobi(memory, mesh, pattern, nodes, arcs),
    stiffness: (out) => trussStiffness(out, arcs),
  };
}

function mean(values: ReadonlyF64): number {
  let s = 0;
  for (let i = 0; i < values.length; i++) s += values[i];
  return s / values.length;
}
