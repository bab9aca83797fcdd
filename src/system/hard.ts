/**
 * Constraints as a projection sees them: rows g(Y) = 0 with gradients, and no stiffness behind them (§4, §5).
 *
 * A multiplier λ belongs to every row, and the geometric stiffness Σ λ ∂²g/∂Y², clamped to positive semidefinite element by
 * element, is asked for with λ given. It is a scalar matrix, the same for x, y and z: exactly so for edges, whose g are
 * squared lengths, and for the paper's constraints with adj(C) ≈ I. Their determinant is of fourth order; its full 3×3 blocks
 * are in geometric-stiffness.ts, which needs `averagedF`.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { SparseMatrix, SparsePattern } from "../linalg/sparse.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import { type AveragedF, addPairStress, averagedF, isometry, pairPlaces } from "./isometry.ts";

/** Blocks of `rowsPer` rows that share their points, laid out as in RowSet. */
export interface HardRows {
  readonly rowsPer: number;
  readonly blocks: number;
  readonly start: Int32Array; // [blocks+1]
  readonly index: Int32Array; // [entries]
  readonly g: Float64Array; // [rows]
  readonly J: Float64Array; // [3·rowsPer·entries]
  /** g and J at Y. */
  evaluate(Y: ReadonlyF64): void;
  /** The same into other arrays. */
  evaluateInto(g: Float64Array, J: Float64Array, Y: ReadonlyF64): void;
  /** A += Σ λ ∂²g, clamped; absent where g is linear. */
  addStress?(A: SparseMatrix, lambda: ReadonlyF64): void;
  /** Of tr and det only: the averages that their second derivatives are made of. */
  readonly averagedF?: AveragedF;
}

/** The paper's isometry constraints, hard. */
export function hardIsometry(memory: Allocator, sheet: Sheet, pattern: SparsePattern): HardRows {
  const near = averagedF(memory, sheet);
  const { start, index } = sheet.near;
  const at = memory.copyI32(pairPlaces(sheet.n, start, index, pattern));
  const set: HardRows = {
    ...arrays(memory, 2, near.start, near.index, sheet.n, index.length),
    averagedF: near,
    evaluate: (Y) => isometry(set.g, set.J, Y, near),
    evaluateInto: (g, J, Y) => isometry(g, J, Y, near),
    addStress: (A, lambda) => addPairStress(A, near, at, lambda),
  };
  return set;
}

/** What every set of hard rows holds. */
export function arrays(
  memory: Allocator,
  rowsPer: number,
  start: Int32Array,
  index: Int32Array,
  blocks: number,
  entries: number,
): Pick<HardRows, "rowsPer" | "blocks" | "start" | "index" | "g" | "J"> {
  return {
    rowsPer,
    blocks,
    start,
    index,
    g: memory.f64(rowsPer * blocks),
    J: memory.f64(3 * rowsPer * entries),
  };
}
