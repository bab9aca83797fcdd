/**
 * What holds for every step of one scene: the seams between the physics and the solvers.
 *
 * All second derivatives that a solver sees have one form,
 *
 *   ∂²Φ/∂Y² ≈ A ⊗ I₃ + diag(d) + Σ_sets Jᵀ W J
 *
 * A: scalar, n × n, the same for x, y and z (inertia, bending, drag, geometric stiffness of the metric);
 * d: per coordinate (foundations); J: rows of constraints, attachments, contact, wind. So whatever is added to
 * the physics is a set of rows, or an entry in A, and the solvers never change.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { SparseMatrix } from "../linalg/sparse.ts";

/**
 * Rows of Jacobian with an energy ψ(g) each. Blocks of `rowsPer` rows share their points:
 * block b has entries start[b] … start[b+1], entry e the point index[e] and J[3·rowsPer·e …]: xyz of each row.
 */
export interface RowSet {
  readonly rowsPer: number;
  /** May change between steps (contact), never within the products of one Newton iteration. */
  blocks: number;
  readonly start: Int32Array;
  readonly index: Int32Array;
  /** [rows] residuals. */
  readonly g: Float64Array;
  readonly J: Float64Array;
  /** [rows] ψ′(g), the force along the row. */
  readonly sigma: Float64Array;
  /** [rows] ψ″(g) ≥ 0. */
  readonly weight: Float64Array;
  /** Room for the rows, one to three a block, in single precision (linalg/single.ts), if inner solves may use them so. */
  readonly single?: Float32Array;
  /** Holds points to something that is not the sheet (a foundation, flesh, a body): the coarse level must know. */
  readonly anchors?: boolean;
  /** g, J, sigma and weight at Y. */
  evaluate(Y: ReadonlyF64): void;
  /** Σψ at Y, without touching J. Infinity where Y is not allowed (contact). */
  energy(Y: ReadonlyF64): number;
  /** Σψ of the last evaluate, if that came with it and is still true. */
  energyNow?(): number | undefined;
  /** How far along p (0 … 1] the sheet may go from Y; contact stops before anything touches. */
  maxStep?(Y: ReadonlyF64, p: ReadonlyF64): number;
  /**
   * Every point whose motion along p some contact would stop gets the plane that stops it, if that is the tightest so far. A plane leaves
   * nine tenths of the gap, shared between both sides, so that points that stay behind their planes never meet.
   */
  addLimits?(limits: StepLimits, Y: ReadonlyF64, p: ReadonlyF64): void;
  /** Shortens p at the points of every contact that would be passed, each by what that contact allows; how many there were. */
  shorten?(p: Float64Array, Y: ReadonlyF64): number;
  /** After a step that maxStep cut: presses harder where that is what it takes (barrier.ts), and says whether it does. */
  stiffen?(): boolean;
  /** A += geometric stiffness Σ ψ′ ∂²g from the last evaluate; clamped to positive semidefinite if asked. */
  addStress?(A: SparseMatrix, clamp: boolean): void;
  /** y += Jᵀψ′ at the last evaluate, of a set that does not store its rows. */
  addForce?(y: Float64Array): void;
  /** y += JᵀWJ x, geometric stiffness included, of a set that does not store its rows. */
  addProduct?(y: Float64Array, x: ReadonlyF64): void;
  /** The same in single precision (linalg/single.ts), after toSingle. */
  addProductSingle?(y: Float32Array, x: Float32Array): void;
  toSingle?(): void;
}

/** Half-spaces that contacts leave to the motion of their points: n·Δ ≥ −slack. */
export interface StepLimits {
  /** [points] 1, how many times too far the motion asked about goes; 0: no contact in its way. */
  readonly ratio: Float64Array;
  /** [3·points] 1, n of the plane with that ratio. */
  readonly normal: Float64Array;
}

/** Constraints: row sets with a stiffness, and multipliers that make them exact. */
export interface ConstraintSet extends RowSet {
  /** Multipliers of the augmented Lagrangian, J per unit of g; one per row or per block. */
  readonly lambda: Float64Array;
  /** [rows] J, w = K_m A/4: the stiffness behind the constraint. */
  readonly stiffness: Float64Array;
  /** How much stiffer it is beyond its limit, if it has one. */
  limit?: number;
  /** The largest |g| of the last evaluate as a multiple of its limit, or of half a hundredth of length if that is more. */
  excess?(): number;
  /** max |g| of the last evaluate. */
  residual(): number;
  /** One augmented-Lagrangian update from the last evaluate. */
  updateMultipliers(): void;
}

/** The changing half: what a checkpoint keeps. */
export interface State {
  readonly Y: Float64Array; // [3n] m
  readonly V: Float64Array; // [3n] m/s
  /** The step before, for BDF2. */
  readonly Yold: Float64Array; // [3n] m
  readonly Vold: Float64Array; // [3n] m/s
  /** [drivers] s, where each pin and each body is on its path (step/drivers.ts). */
  readonly clock: Float64Array;
  /** [STATE_NUMBERS] further numbers that the next step reads. */
  readonly numbers: Float64Array;
  steps: number;
  /** Steps since the last restart of BDF2 (contact, sub-steps, a moved pin); 0 means the next one is Euler. */
  smoothSteps: number;
}

/** Places in State.numbers. */
export const HELD_BEFORE = 0; // how many coordinates the last step held
export const QUIET_STEPS = 1; // steps since anything was accelerated
export const STATE_NUMBERS = 2;
