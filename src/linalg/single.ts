// biome-ignore-all format: components are kept in columns
/**
 * The products of an inner solve in single precision: half the memory to read, and one register per point.
 *
 *   y = (A ⊗ I₃) x + Σ_b S_bᵀ S_b x,     S = W^½ J: rows scaled by the root of their weights
 *
 * What is solved stays in double precision: the gradient, the energies, the vectors of the iteration. A direction needs no more than these seven digits,
 * and S̃ᵀS̃ with rounded S̃ is as symmetric and as positive as before: a motion that strains nothing costs it the square of a rounding.
 *
 * Points are four numbers, x y z and one that means nothing. Rows are packed (three numbers each), so a register that is loaded from them holds, as its
 * fourth, the next row's x: vectors that are multiplied have a 0 there, and what is added to a result there is never read.
 *
 * Math.fround after every operation is what single precision means: the sum or product of two singles, rounded to double and then to single, is the one
 * rounded once.
 */
import type { ReadonlyF64 } from "./arena.ts";
import type { BlockRows } from "./rows.ts";
import type { SparsePattern } from "./sparse.ts";

const { fround } = Math;

/** The operations as one object, so that the kernels can take their place. */
export interface SingleOperations {
  toSingle(to: Float32Array, from: ReadonlyF64): void;
  toPoints(to: Float32Array, from: ReadonlyF64): void;
  fromPoints(to: Float64Array, from: Float32Array): void;
  toScaledRows(to: Float32Array, R: BlockRows, w: ReadonlyF64): void;
  multiplySingle(y: Float32Array, A: SparsePattern, values: Float32Array, x: Float32Array): void;
  addSingleRows(y: Float32Array, R: BlockRows, S: Float32Array, x: Float32Array): void;
}

/** Numbers beyond the last row, so that a register may be loaded there. */
export const SPARE = 4;

/** to = from, rounded. */
function toSingle(to: Float32Array, from: ReadonlyF64): void {
  to.set(from as Float64Array);
}

/** xyz of each point and a 0. */
function toPoints(to: Float32Array, from: ReadonlyF64): void {
  for (let i = 0; 3 * i < from.length; i++) {
    for (let c = 0; c < 3; c++) to[4 * i + c] = from[3 * i + c];
    to[4 * i + 3] = 0;
  }
}

function fromPoints(to: Float64Array, from: Float32Array): void {
  for (let i = 0; 3 * i < to.length; i++)
    for (let c = 0; c < 3; c++) to[3 * i + c] = from[4 * i + c];
}

/** S = W^½ J. */
function toScaledRows(to: Float32Array, { rowsPer, blocks, start, J }: BlockRows, w: ReadonlyF64): void {
  for (let b = 0; b < blocks; b++)
    for (let r = 0; r < rowsPer; r++) {
      const s = Math.sqrt(w[rowsPer * b + r]);
      for (let e = start[b]; e < start[b + 1]; e++)
        for (let k = 3 * (rowsPer * e + r), c = 0; c < 3; c++) to[k + c] = J[k + c] * s;
    }
}

/** y = (A ⊗ I₃) x. Two sums per row, since additions to one sum wait for each other: entries alternate in fours, those left over go to the first. */
function multiplySingle(y: Float32Array, { rows, start, index }: SparsePattern, values: Float32Array, x: Float32Array): void {
  for (let r = 0; r < rows; r++) {
    const from = start[r], to = start[r + 1], whole = from + ((to - from) & ~3);
    for (let c = 0; c < 3; c++) {
      let even = 0, odd = 0;
      for (let p = from; p < to; p++) {
        const product = fround(values[p] * x[4 * index[p] + c]);
        if (p < whole && (p - from) & 1) odd = fround(odd + product);
        else even = fround(even + product);
      }
      y[4 * r + c] = even + odd;
    }
  }
}

/** y += SᵀS x. */
function addSingleRows(y: Float32Array, { rowsPer, blocks, start, index }: BlockRows, S: Float32Array, x: Float32Array): void {
  for (let b = 0; b < blocks; b++) {
    const from = start[b], to = start[b + 1];
    for (let r = 0; r < rowsPer; r++) {
      strain[r] = 0;
      for (let c = 0; c < 3; c++) {
        let sum = 0;
        for (let e = from; e < to; e++) sum = fround(sum + fround(S[3 * (rowsPer * e + r) + c] * x[4 * index[e] + c]));
        strain[r] += sum;
      }
    }
    // the rows of a block are added up before they are added to a point
    for (let e = from; e < to; e++)
      for (let c = 0; c < 3; c++) {
        const k = 3 * rowsPer * e + c;
        let sum = fround(S[k] * strain[0]);
        for (let r = 1; r < rowsPer; r++) sum = fround(sum + fround(S[k + 3 * r] * strain[r]));
        y[4 * index[e] + c] += sum;
      }
  }
}
const strain = new Float32Array(8);

/** The TypeScript versions as one object, used where there are no kernels. */
export const singleOperations: SingleOperations = { toSingle, toPoints, fromPoints, toScaledRows, multiplySingle, addSingleRows };
