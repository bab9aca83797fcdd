/**
 * The potential that a step minimises, and what Newton's method reads of it: value, gradient and the product with its Hessian.
 *
 *   Φ(Y) = ½ Σᵢ aᵢ|Yᵢ|² − b·Y + ½ YᵀKY + Σ_sets Σψ(g)          a: inertia and drag, b: their targets and the forces
 *   ∂²Φ ≈ A ⊗ I₃ + Σ JᵀWJ                                        A = K + diag(a) + geometric stiffness
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { type RowOperations, rowOperations } from "../linalg/rows.ts";
import { type SingleOperations, singleOperations } from "../linalg/single.ts";
import { createSparse, type SparseMatrix, type SparsePattern } from "../linalg/sparse.ts";
import { type Vectors, vectors } from "../linalg/vectors.ts";
import { type FrameOperations, frameOperations } from "../system/frame-membrane.ts";
import type { RowSet, StepLimits } from "../system/system.ts";
import { type PreconditionerParts, type SingleSolve, takeMatrix } from "./single-solve.ts";
import { createLimits, createStiffening, type Stiffening } from "./step-limit.ts";

/** The quadratic part, and everything that is a row set. */
export interface Potential {
  readonly n: number;
  /** K + diag(a), N/m, on the pattern of A. */
  readonly base: SparseMatrix;
  /** Where the diagonal entries are. */
  readonly diagonal: Int32Array;
  /** [3n] N: linear part, so that the quadratic gradient is base·Y − b. */
  readonly b: Float64Array;
  readonly sets: readonly RowSet[];
  readonly fixed: Uint8Array;
  /** Samples whose frames turn rather than move along a step (system/frame-membrane.ts). */
  readonly framed?: number;
  /** m: mean distance of samples with frames. */
  readonly spacing?: number;
  /** Whether inner solves may be in single precision. */
  single?: boolean;
}
/** How a minimisation ended. */
export type Ending =
  /** The predicted decrease and the residual force at every point are within the tolerance. */
  | "solved"
  /** All its iterations are used up. */
  | "iterations"
  /** No step along the last direction lowers the potential. */
  | "no-descent"
  /** The work that the step may cost is used up. */
  | "budget"
  | "not-finite";

export interface MinimiseReport {
  iterations: number;
  cgIterations: number;
  ending: Ending;
  /** ending === "solved" */
  converged: boolean;
  /** Largest residual force at a point, in weights of that point; NaN if no weights were given. */
  residual: number;
  /** The point where it is. */
  worst: number;
  /** m: the last Newton step before anything shortened it, which is what may still be missing; Infinity if the model was not trusted that far. */
  lastMove: number;
  /** How often the line search halved a step. */
  halvings: number;
  finite: boolean;
}

export interface Preconditioner {
  /** Takes the matrix of this Newton iteration. */
  update(work: MinimiseWork, potential: Potential): void;
  /** z = P⁻¹ r. */
  apply(z: Float64Array, r: ReadonlyF64, work: MinimiseWork): void;
  /** What it is made of, where it is that of the sheet alone (single-solve.ts). */
  readonly parts?: PreconditionerParts;
}

/** The loops, in TypeScript or in the kernels. */
export type Operations = Vectors &
  RowOperations &
  SingleOperations &
  Pick<FrameOperations, "retract">;
export const operations: Operations = {
  ...vectors,
  ...rowOperations,
  ...singleOperations,
  retract: frameOperations.retract,
};

export interface MinimiseWork {
  ops: Operations;
  readonly A: SparseMatrix;
  readonly gradient: Float64Array; // [3n] N
  readonly quadratic: Float64Array; // [3n] N, the part of the quadratic in it: base·Y − b
  readonly held: Int32Array; // [3n] the coordinates that are held, heldCount of them
  heldCount: number;
  readonly p: Float64Array; // [3n] m, the step
  readonly residual: Float64Array; // [3n] of the inner solve
  readonly z: Float64Array; // [3n]
  readonly d: Float64Array; // [3n] search direction of the inner solve
  readonly Ad: Float64Array; // [3n]
  readonly trial: Float64Array; // [3n] m
  readonly delta: Float64Array; // [3n] m, trial − Y
  readonly blocks: Float64Array; // [6n] inverse 3×3 diagonal blocks
  readonly stiffening: Stiffening;
  readonly limits: StepLimits;
  /** [4] what one Newton iteration leaves to the next (minimise.ts). */
  readonly newton: Float64Array;
  /** Where the inner solve is: conjugate gradients are continued in slices. */
  readonly inner: InnerState;
  /** The solve in single precision, for sheets with frames. */
  sheet: SingleSolve | null;
  readonly budget: Budget;
  readonly report: MinimiseReport;
  /** ms spent so far. */
  readonly clock: { evaluate: number; assemble: number; factor: number; solve: number };
}

/** State of the conjugate gradients between two slices. */
export interface InnerState {
  iteration: number;
  isDone: boolean;
  /** Whether the next direction is the first. */
  isFirst: boolean;
  /** [3] r·z now, that at which the solve ends, and β; numbers in an array are written without a heap object each. */
  readonly rz: Float64Array;
}

/** Remaining work of a step, set when it begins; Infinity without a limit. */
export interface Budget {
  iterations: number;
  cgIterations: number;
}

export function prepareMinimise(memory: Allocator, pattern: SparsePattern): MinimiseWork {
  const n = pattern.rows;
  return {
    ops: operations,
    A: createSparse(memory, pattern),
    gradient: memory.f64(3 * n),
    quadratic: memory.f64(3 * n),
    held: memory.i32(3 * n),
    heldCount: 0,
    p: memory.f64(3 * n),
    residual: memory.f64(3 * n),
    z: memory.f64(3 * n),
    d: memory.f64(3 * n),
    Ad: memory.f64(3 * n),
    trial: memory.f64(3 * n),
    delta: memory.f64(3 * n),
    blocks: memory.f64(6 * n),
    stiffening: createStiffening(memory, n),
    limits: createLimits(memory, n),
    newton: new Float64Array(4),
    inner: { iteration: 0, isDone: true, isFirst: true, rz: new Float64Array(3) },
    sheet: null,
    budget: { iterations: Number.POSITIVE_INFINITY, cgIterations: Number.POSITIVE_INFINITY },
    report: {
      iterations: 0,
      cgIterations: 0,
      ending: "iterations",
      converged: false,
      residual: Number.NaN,
      worst: -1,
      lastMove: 0,
      halvings: 0,
      finite: true,
    },
    clock: { evaluate: 0, assemble: 0, factor: 0, solve: 0 },
  };
}

/** Block-Jacobi: exact 3×3 diagonal blocks. Best at small time steps. */
export const blockJacobi: Preconditioner = {
  update(work, { diagonal, sets, fixed }) {
    const { A, blocks, ops } = work;
    blocks.fill(0);
    for (let i = 0; i < diagonal.length; i++) {
      const a = A.values[diagonal[i]];
      blocks[6 * i] = a;
      blocks[6 * i + 3] = a;
      blocks[6 * i + 5] = a;
    }
    for (let s = 0; s < sets.length; s++) ops.addNormalDiagonal(blocks, sets[s], sets[s].weight);
    ops.invertDiagonal(blocks, fixed);
  },
  apply(z, r, work) {
    work.ops.applyDiagonal(z, work.blocks, r);
  },
};
/** work.A = K + diag(a) + geometric stiffness, the last clamped to positive semidefinite or exact. */
export function assemble({ base, sets }: Potential, { A }: MinimiseWork, clamp: boolean): void {
  A.values.set(base.values);
  for (let s = 0; s < sets.length; s++) sets[s].addStress?.(A, clamp);
}

/** work.gradient = ∇Φ at Y, 0 at held coordinates; evaluates the sets. */
export function gradient(Y: Float64Array, potential: Potential, work: MinimiseWork): void {
  const { ops, quadratic, held } = work;
  ops.multiplyScalar3(quadratic, potential.base, Y);
  ops.axpy(quadratic, -1, potential.b);
  work.heldCount = listHeld(held, potential.fixed);
  for (let s = 0; s < potential.sets.length; s++) potential.sets[s].evaluate(Y);
  rowGradient(potential, work);
}

/** Lists the coordinates that are held; returns how many they are. */
function listHeld(held: Int32Array, fixed: Uint8Array): number {
  let count = 0;
  for (let k = 0; k < fixed.length; k++) if (fixed[k]) held[count++] = k;
  return count;
}

/** The same where the sets are evaluated and the quadratic part is known. */
export function rowGradient({ sets }: Potential, work: MinimiseWork): void {
  const { gradient: g, quadratic, held } = work;
  g.set(quadratic);
  addForces(g, sets, work.ops);
  for (let k = 0; k < work.heldCount; k++) g[held[k]] = 0;
}

/** y += Jᵀψ′ of all sets at the last evaluate. */
export function addForces(y: Float64Array, sets: readonly RowSet[], ops: Operations): void {
  for (let s = 0; s < sets.length; s++) {
    ops.addTransposed(y, sets[s], sets[s].sigma);
    sets[s].addForce?.(y);
  }
}

/** Σψ of all sets. */
export function rowEnergy(Y: Float64Array, sets: readonly RowSet[]): number {
  let E = 0;
  for (let s = 0; s < sets.length; s++) E += sets[s].energy(Y);
  return E;
}

/** Evaluates the sets at Y; returns Σψ. */
export function evaluate(Y: Float64Array, sets: readonly RowSet[]): number {
  for (let s = 0; s < sets.length; s++) sets[s].evaluate(Y);
  return energyNow(Y, sets);
}

/** Σψ where the sets were evaluated last, which may know theirs. */
export function energyNow(Y: Float64Array, sets: readonly RowSet[]): number {
  let E = 0;
  for (let s = 0; s < sets.length; s++) E += sets[s].energyNow?.() ?? sets[s].energy(Y);
  return E;
}

/** Takes the matrix of this iteration in single precision. */
export function toSingle({ sets }: Potential, sheet: SingleSolve, work: MinimiseWork): void {
  takeMatrix(sheet, work);
  for (let s = 0; s < sets.length; s++) {
    const rows = sets[s].single;
    if (rows) work.ops.toScaledRows(rows, sets[s], sets[s].weight);
    sets[s].toSingle?.();
  }
}

/** y = (A ⊗ I₃ + Σ JᵀWJ) x on the free coordinates of the last gradient. */
export function hessianProduct(
  y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  x: ReadonlyF64,
): void {
  const { sets } = potential;
  const { ops, held, heldCount } = work;
  ops.multiplyScalar3(y, work.A, x);
  for (let s = 0; s < sets.length; s++) {
    ops.addNormalProduct(y, sets[s], sets[s].weight, x);
    sets[s].addProduct?.(y, x);
  }
  for (let k = 0; k < heldCount; k++) y[held[k]] = 0;
}
