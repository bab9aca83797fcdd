/**
 * Continuous collision detection: how far four points may move before two features come too close.
 *
 * Points move on straight lines, x(t) = x + t·Δ, 0 ≤ t ≤ 1. Wanted is a t, as large as is cheap, such that the features stay
 * at least ξ (minSeparation) apart on all of [0, t]. Roots of cubics and quintics are not needed, and would have
 * to be proven against rounding. Instead time is advanced by steps that are safe by construction
 * (Li et al. 2021, Codimensional IPC, "additive CCD"), with the larger of two bounds on the distance d after τ more time:
 *
 *   d(t + τ) ≥ d(t) − τ·ℓ                     ℓ = max|Δ| over one feature + max|Δ| over the other, mean motion removed
 *   d(t + τ) ≥ min over points i of one, j of the other of n·(xᵢ − xⱼ) + τ n·(Δᵢ − Δⱼ)       n = δ/d at t
 *
 * The first is theirs. The second says that features on two sides of a plane do not touch; it is exact for flat approach and ends
 * at once for features that slide along or leave each other, where the first crawls. (2·10⁵ random pairs: 1.9
 * rounds in the mean and 126 at most, with the first bound alone 6.4 and more than 1000.)
 *
 * A step aims at a tenth of min(d(0) − ξ, reach) and the search ends when less than a fifth is left, so that a line search
 * that takes t keeps between 10 and 20 % of a small gap, as barriers want it. `reach` is the distance at which the caller's
 * barrier begins: pairs that start farther apart may well come that near, and would be stopped for nothing otherwise. The
 * gap is counted after taking off the rounding of x + t·Δ itself, hence the answer holds for the positions that the caller computes.
 *
 * Never overestimates. Features that start at ξ or closer get 0. The number of rounds is bounded; on running out
 * the time reached so far is the answer, which is safe as well.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";
import { type Before, edgeEdge, leastDistance, pointTriangle, separation } from "./distance.ts";

/** Share of the first gap that a step aims to leave, and below which the search ends. Li et al. use 0.1 for both. */
const LEAVE = 0.1;
const ENOUGH = 0.2;
/** Rounding of x + t·Δ and of the distance, as a share of the sum of all twelve |x| + |Δ|: each of these is off by half a unit in its last place, twice. */
const ROUNDING = 4 * 2 ** -52;
/** Of 10⁶ random pairs the worst took 531. A pair that needs more gets the time reached so far. */
const MOST_ROUNDS = 1000;

// scratch of one pair: positions at t, start, displacements (mean removed), distance, weights, δ
const x = new Float64Array(12);
const start = new Float64Array(12);
const move = new Float64Array(12);
const d2 = new Float64Array(1);
const w = new Float64Array(4);
const delta = new Float64Array(3);
/** Rounds that the last call took; for tests and tuning. */
export const rounds: Int32Array = new Int32Array(1);

/**
 * Safe time of point p and triangle (a, b, c), written to time[k], in [0, limit].
 *
 * @param Y   [3n] m, at t = 0
 * @param dY  [3n] m, displacement over the whole step
 * @param minSeparation  m, ξ: distance kept on all of [0, t]
 * @param reach          m, gap from which on the pair is of no concern (Infinity: keep a tenth of any gap)
 */
export function pointTriangleTime(
  time: Float64Array,
  k: number,
  Y: ReadonlyF64,
  dY: ReadonlyF64,
  p: number,
  a: number,
  b: number,
  c: number,
  minSeparation: number,
  reach: number,
  limit: number,
): void {
  load(Y, dY, 0, p);
  load(Y, dY, 1, a);
  load(Y, dY, 2, b);
  load(Y, dY, 3, c);
  advance(time, k, 1, minSeparation, reach, limit);
}

/** Safe time of the edges (a, b) and (c, e); as pointTriangleTime. */
export function edgeEdgeTime(
  time: Float64Array,
  k: number,
  Y: ReadonlyF64,
  dY: ReadonlyF64,
  a: number,
  b: number,
  c: number,
  e: number,
  minSeparation: number,
  reach: number,
  limit: number,
): void {
  load(Y, dY, 0, a);
  load(Y, dY, 1, b);
  load(Y, dY, 2, c);
  load(Y, dY, 3, e);
  advance(time, k, 2, minSeparation, reach, limit);
}

const safest = new Float64Array(1);

/**
 * The largest t ≤ limit that is safe for all pairs of one kind, each of which keeps a separation of its own: the step limit of a line search.
 *
 * @param pairs      [4·count] points: p, a, b, c (first = 1) or a, b, c, e (first = 2)
 * @param separation [count] m; pairs with a negative one are left alone
 * @param before     with the displacements of this motion in `displacement`: pairs that cannot come within separation + reach are skipped
 */
export function safeTime(
  pairs: ReadonlyI32,
  count: number,
  first: number,
  separation: ReadonlyF64,
  Y: ReadonlyF64,
  dY: ReadonlyF64,
  reach: number,
  limit: number,
  before: Before | null = null,
): number {
  safest[0] = limit;
  for (let k = 0; k < count; k++) {
    if (separation[k] < 0) continue;
    if (before && leastDistance(before, pairs, k, first) > separation[k] + reach) continue;
    for (let m = 0; m < 4; m++) load(Y, dY, m, pairs[4 * k + m]);
    advance(safest, 0, first, separation[k], reach, safest[0]);
  }
  return safest[0];
}

function load(Y: ReadonlyF64, dY: ReadonlyF64, slot: number, point: number): void {
  for (let c = 0; c < 3; c++) {
    start[3 * slot + c] = Y[3 * point + c];
    move[3 * slot + c] = dY[3 * point + c];
  }
}

/** Advances the loaded pair; its first feature has `first` points (1 or 2), its second the others. */
function advance(
  time: Float64Array,
  k: number,
  first: number,
  minSeparation: number,
  reach: number,
  limit: number,
): void {
  // rounding is proportional to the size of the coordinates; the common motion changes no distance
  let size = 0;
  for (let m = 0; m < 12; m++) size += Math.abs(start[m]) + limit * Math.abs(move[m]);
  for (let c = 0; c < 3; c++) {
    const mean = 0.25 * (move[c] + move[3 + c] + move[6 + c] + move[9 + c]);
    for (let m = c; m < 12; m += 3) move[m] -= mean;
  }
  let fastA = 0;
  let fastB = 0;
  for (let m = 0; m < 4; m++) {
    const u = move[3 * m];
    const v = move[3 * m + 1];
    const s = move[3 * m + 2];
    const speed2 = u * u + v * v + s * s;
    if (m < first) fastA = Math.max(fastA, speed2);
    else fastB = Math.max(fastB, speed2);
  }
  const fastest = Math.sqrt(fastA) + Math.sqrt(fastB);
  const keep = minSeparation + ROUNDING * size;

  let t = 0;
  let leave = 0;
  let enough = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    rounds[0] = round + 1;
    for (let m = 0; m < 12; m++) x[m] = start[m] + t * move[m];
    if (first === 1) pointTriangle(d2, w, 0, x, 0, 1, 2, 3);
    else edgeEdge(d2, w, 0, x, 0, 1, 2, 3);
    const d = Math.sqrt(d2[0]);
    const gap = d - keep;
    if (round === 0) {
      if (!(gap > 0)) break;
      leave = LEAVE * Math.min(gap, reach);
      enough = ENOUGH * Math.min(gap, reach);
    } else if (gap <= enough) break;

    // the common bound, and the one of the plane between the features
    let τ = (gap - leave) / fastest;
    const aim = keep + leave;
    separation(delta, 0, w, 0, x, 0, 1, 2, 3);
    const nx = delta[0] / d;
    const ny = delta[1] / d;
    const nz = delta[2] / d;
    let plane = Number.POSITIVE_INFINITY;
    for (let i = 0; i < first; i++)
      for (let j = first; j < 4; j++) {
        const apart =
          nx * (x[3 * i] - x[3 * j]) +
          ny * (x[3 * i + 1] - x[3 * j + 1]) +
          nz * (x[3 * i + 2] - x[3 * j + 2]);
        const closing =
          nx * (move[3 * j] - move[3 * i]) +
          ny * (move[3 * j + 1] - move[3 * i + 1]) +
          nz * (move[3 * j + 2] - move[3 * i + 2]);
        if (apart < aim) plane = 0;
        else if (closing > 0) plane = Math.min(plane, (apart - aim) / closing);
      }
    τ = Math.max(τ, plane); // 0/0 is NaN only for gap = leave, which ends above
    t += τ;
    if (!(t < limit)) {
      t = limit;
      break;
    }
  }
  time[k] = t;
}
