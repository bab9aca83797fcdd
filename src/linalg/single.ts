// biome-ignore-all format: components are kept in columns
/**
 * Inner solves in single precision (step/single-solve.ts): points, and rows of constraints scaled by the root of their weights,
 *
 *   y += Σ_b S_bᵀ S_b x,     S = W^½ J
 *
 * The gradient and the energies that decide stay in double precision. A direction needs no more than these seven digits, and S̃ᵀS̃ with rounded S̃ is as
 * symmetric and as positive as before: a motion that strains nothing costs it the square of a rounding.
 *
 * Points are four numbers, x y z and one that means nothing. Rows are packed (three numbers each), so a register that is loaded from them holds, as its
 * fourth, the next row's x: vectors that are multiplied have a 0 there, and what is added to a result there is never read.
 *
 * Math.fround after every operation is what single precision means: the sum or product of two singles, rounded to double and then to single, is the one
 * rounded once.
 */
import type { ReadonlyF64 } from "./arena.ts";
import type { BlockRows } from "./rows.ts";

const { fround } = Math;

/** The operations as one object, so that the kernels can take their place. */
export interface SingleOperations {
  toPoints(to: Float32Array, from: ReadonlyF64): void;
  fromPoints(to: Float64Array, from: Float32Array): void;
  toScaledRows(to: Float32Array, R: BlockRows, w: ReadonlyF64): void;
  addSingleRows(y: Float32Array, R: BlockRows, S: Float32Array, x: Float32Array): void;
  /** x·y over points. */
  dotSingle(x: Float32Array, y: Float32Array): number;
  /** The largest |x| of the coordinates of points. */
  largestSingle(x: Float32Array): number;
  /** The largest t with |p + t d| ≤ radius in every coordinate of points. */
  stepToRadiusSingle(p: Float32Array, d: Float32Array, radius: number): number;
}

/** Numbers beyond the last row, so that a register may be loaded there. */
export const SPARE = 4;

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

/** Points whose products are summed in single precision, before they are added in double. */
const CHUNK = 256;
const lanes = new Float32Array(3);

function dotSingle(x: Float32Array, y: Float32Array): number {
  let sum = 0;
  for (let first = 0; first < x.length; first += 4 * CHUNK) {
    lanes.fill(0);
    for (let k = first, end = Math.min(x.length, first + 4 * CHUNK); k < end; k += 4) for (let c = 0; c < 3; c++) lanes[c] += fround(x[k + c] * y[k + c]);
    sum += lanes[0] + lanes[1] + lanes[2];
  }
  return sum;
}

function largestSingle(x: Float32Array): number {
  let most = 0;
  for (let k = 0; k < x.length; k += 4) for (let c = 0; c < 3; c++) { const a = Math.abs(x[k + c]); if (most < a) most = a; }
  return most;
}

function stepToRadiusSingle(p: Float32Array, d: Float32Array, radius: number): number {
  const R = fround(radius);
  let t = Number.POSITIVE_INFINITY;
  for (let k = 0; k < p.length; k += 4)
    for (let c = 0; c < 3; c++) {
      const v = d[k + c], way = fround(fround(v < 0 ? R + p[k + c] : R - p[k + c]) / Math.abs(v));
      if (v !== 0 && way < t) t = way;
    }
  return t;
}

/** The TypeScript versions as one object, used where there are no kernels. */
export const singleOperations: SingleOperations = { toPoints, fromPoints, toScaledRows, addSingleRows, dotSingle, largestSingle, stepToRadiusSingle };
