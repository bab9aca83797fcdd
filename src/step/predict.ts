/**
 * The implicit step of bending and loads alone (§5), before the constraints:
 *
 *   (M/h² + K + …) Ỹ = M/h² (Y + hV) + f          scalar, the same for x, y and z; `prepare` of step.ts gives both sides
 *
 * The matrix is constant, so it is factored once and again only when h, a pin or a clamp changes. Held coordinates are
 * eliminated: their rows become the identity and what they are coupled to gets their share of the right-hand side. Pins
 * that hold some axes only make the three matrices differ; there are then three factors.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { type Cholesky, prepareCholesky } from "../linalg/cholesky.ts";
import { factor } from "../linalg/cholesky-factor.ts";
import { solve } from "../linalg/cholesky-solve.ts";
import { analyseInSpace } from "../linalg/dissection.ts";
import {
  type BlockSymmetric,
  createBlockSymmetric,
  findEntry,
  lowerBlocks,
  type SparsePattern,
} from "../linalg/sparse.ts";
import type { Potential } from "./minimise.ts";

export interface Prediction {
  readonly pattern: SparsePattern;
  /** The lower triangle that is factored, and where its entries are in the pattern. */
  readonly A: BlockSymmetric;
  readonly places: Int32Array;
  /** One factor, or one per axis. */
  readonly factors: readonly Cholesky[];
  /** [n] right-hand side of one axis. */
  readonly x: Float64Array;
  /** What was factored last. */
  readonly base: Float64Array; // [entries]
  readonly fixed: Uint8Array; // [3n]
  factored: boolean;
}

/** Analyses the pattern; the result lays out the arrays. */
export function planPrediction(
  pattern: SparsePattern,
  coordinates: ReadonlyF64,
  axesDiffer: boolean,
): (memory: Allocator) => Prediction {
  const lower = lowerBlocks(pattern);
  const analysis = analyseInSpace(lower, 1, coordinates);
  const places = new Int32Array(lower.index.length);
  for (let j = 0; j < lower.n; j++)
    for (let p = lower.start[j]; p < lower.start[j + 1]; p++)
      places[p] = findEntry(pattern, lower.index[p], j);
  return (memory) => ({
    pattern,
    A: createBlockSymmetric(memory, lower, 1),
    places: memory.copyI32(places),
    factors: (axesDiffer ? [0, 1, 2] : [0]).map(() => prepareCholesky(memory, analysis)),
    x: memory.f64(pattern.rows),
    base: memory.f64(pattern.index.length),
    fixed: memory.u8(3 * pattern.rows),
    factored: false,
  });
}

/**
 * Ỹ into `out`. Returns false if the matrix is not positive definite (it is, unless something is not finite).
 * Allocates nothing.
 *
 * @param out [3n] m
 * @param target [3n] m, where held coordinates must be
 */
export function predict(
  out: Float64Array,
  { base: matrix, b, fixed }: Potential,
  target: ReadonlyF64,
  work: Prediction,
): boolean {
  const base = matrix.values;
  if (!work.factored || changed(work, base, fixed)) {
    work.base.set(base);
    work.fixed.set(fixed);
    work.factored = factorAll(work);
    if (!work.factored) return false;
  }
  const { start, index, rows: n } = work.pattern;
  for (let i = 0; i < n; i++)
    for (let c = 0; c < 3; c++) {
      const k = 3 * i + c;
      if (fixed[k]) {
        out[k] = target[k];
        continue;
      }
      let sum = b[k];
      for (let p = start[i]; p < start[i + 1]; p++) {
        const j = 3 * index[p] + c;
        if (fixed[j]) sum -= base[p] * target[j];
      }
      out[k] = sum;
    }
  const { factors, x } = work;
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < n; i++) x[i] = out[3 * i + c];
    solve(factors[factors.length === 1 ? 0 : c], x);
    for (let i = 0; i < n; i++) out[3 * i + c] = x[i];
  }
  return true;
}

function changed(work: Prediction, base: ReadonlyF64, fixed: Uint8Array): boolean {
  for (let k = 0; k < fixed.length; k++) if (fixed[k] !== work.fixed[k]) return true;
  for (let p = 0; p < base.length; p++) if (base[p] !== work.base[p]) return true;
  return false;
}

function factorAll({ A, places, factors, base, fixed }: Prediction): boolean {
  for (let c = 0; c < factors.length; c++) {
    for (let j = 0; j < A.n; j++)
      for (let p = A.start[j]; p < A.start[j + 1]; p++) {
        const i = A.index[p];
        const held = fixed[3 * i + c] || fixed[3 * j + c];
        A.values[p] = held ? (i === j ? 1 : 0) : base[places[p]];
      }
    if (factor(factors[c], A.values) !== 0) return false;
  }
  return true;
}
