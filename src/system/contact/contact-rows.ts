/**
 * Rows of the barrier: one for each candidate pair within reach.
 *
 *   gap = |δ| − keep,   ψ = scale·reach·B(gap/reach),   row = wₖ δ/|δ|        (distance.ts, barrier.ts)
 */
import type { ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";
import { barrierParts } from "./barrier.ts";
import {
  type Before,
  edgeEdge,
  leastDistance,
  parallelFactor,
  pointTriangle,
  separation,
} from "./distance.ts";

/** The rows of four points each, and what they came from. */
export interface ContactRows {
  readonly index: Int32Array; // [4·most] 0 where a point is not an unknown
  readonly J: Float64Array; // [12·most]
  readonly g: Float64Array; // [most] gaps, m
  readonly sigma: Float64Array;
  readonly weight: Float64Array;
  readonly pair: Int32Array; // [most] which pair of its list,
  readonly weights: Float64Array; // [4·most] and the weights of its points
  readonly factor: Float64Array; // [most] 0 … 1, fades out nearly parallel edges
  /** [2] J and m: energy of all pairs and the least gap, added to and lowered by each list. */
  readonly sums: Float64Array;
}

/** Pairs of one kind (first = 1: point and triangle, 2: edge and edge). */
export interface ContactPairs {
  readonly pairs: ReadonlyI32; // [4·count]
  readonly count: number;
  readonly first: number;
  readonly before: Before;
  readonly keep: Float64Array; // [count] m; negative ones are left alone
}

const d2 = new Float64Array(1);
const w = new Float64Array(4);
const delta = new Float64Array(3);
const parts = new Float64Array(3);

/**
 * Appends the rows of one list from `block` on and returns where they end, at `most` at the latest: pairs beyond it count in the sums alone.
 *
 * @param start   positions at the start of the step, from which nearly parallel edges are told, so that their factors are constant within it
 * @param points  how many of the points of Y are unknowns
 * @param scale   N, area times pressure
 */
export function contactRows(
  rows: ContactRows,
  block: number,
  most: number,
  { pairs, count, first, before, keep }: ContactPairs,
  Y: ReadonlyF64,
  start: ReadonlyF64,
  points: number,
  reach: number,
  scale: number,
): number {
  const { index, J, g, sigma, weight, pair, weights, factor, sums } = rows;
  for (let k = 0; k < count; k++) {
    if (keep[k] < 0 || leastDistance(before, pairs, k, first) > keep[k] + reach) continue;
    const a = pairs[4 * k];
    const b = pairs[4 * k + 1];
    const c = pairs[4 * k + 2];
    const e = pairs[4 * k + 3];
    if (first === 1) pointTriangle(d2, w, 0, Y, a, b, c, e);
    else edgeEdge(d2, w, 0, Y, a, b, c, e);
    const d = Math.sqrt(d2[0]);
    const gap = d - keep[k];
    if (gap >= reach) continue;
    const factorNow = first === 1 ? 1 : parallelFactor(start, a, b, c, e);
    const size = scale * factorNow;
    barrierParts(parts, gap / reach);
    sums[0] += size * reach * parts[0];
    if (gap < sums[1]) sums[1] = gap;
    if (block >= most) continue;
    g[block] = gap;
    sigma[block] = size * parts[1];
    weight[block] = (size / reach) * parts[2];
    pair[block] = k;
    factor[block] = factorNow;
    separation(delta, 0, w, 0, Y, a, b, c, e);
    for (let m = 0; m < 4; m++) {
      const i = pairs[4 * k + m];
      const own = i < points ? 1 : 0;
      const at = 4 * block + m;
      weights[at] = w[m];
      index[at] = own * i;
      for (let x = 0; x < 3; x++) J[3 * at + x] = own ? (w[m] * delta[x]) / d : 0;
    }
    block++;
  }
  return block;
}
