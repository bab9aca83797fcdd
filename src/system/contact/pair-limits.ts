/** How the pairs of a list limit a motion: which points they stop, at which plane, and how far each point may go. */
import type { ReadonlyF64 } from "../../linalg/arena.ts";
import type { StepLimits } from "../system.ts";
import { edgeEdgeTime, pointTriangleTime } from "./ccd.ts";
import { edgeEdge, leastDistance, pointTriangle, separation } from "./distance.ts";
import type { PairList } from "./pair-lists.ts";
import { limitPoint } from "./step-limits.ts";

const time = new Float64Array(1);
const d2 = new Float64Array(1);
const w = new Float64Array(4);
const delta = new Float64Array(3);

/** The share of the motion P from X that pair k allows; 1 for pairs that cannot come within reach (`before` knows how far points go). */
export function pairTime(
  { candidates: { points: q }, first, keep, before }: PairList,
  k: number,
  X: ReadonlyF64,
  P: ReadonlyF64,
  reach: number,
): number {
  if (keep[k] < 0 || leastDistance(before, q, k, first) > keep[k] + reach) return 1;
  const a = q[4 * k];
  const b = q[4 * k + 1];
  const c = q[4 * k + 2];
  const e = q[4 * k + 3];
  time[0] = 1;
  if (first === 1) pointTriangleTime(time, 0, X, P, a, b, c, e, keep[k], reach, 1);
  else edgeEdgeTime(time, 0, X, P, a, b, c, e, keep[k], reach, 1);
  return time[0];
}

/** Share of its room that a point may use in one step: Li et al. keep a tenth. */
const ROOM = 0.9;

/**
 * Planes for the points of all pairs that would pass through each other in the motion P. The plane lies in the middle of the gap, or at the side that
 * stands still.
 *
 * @param n  vertices that are unknowns
 */
export function addPairLimits(
  limits: StepLimits,
  list: PairList,
  X: ReadonlyF64,
  P: ReadonlyF64,
  n: number,
  reach: number,
): void {
  const { candidates, first, keep } = list;
  const { points: q } = candidates;
  for (let k = 0; k < candidates.found[0]; k++) {
    const t = pairTime(list, k, X, P, reach);
    if (t === 1) continue;
    const allowed = ROOM * t;
    const a = q[4 * k];
    const b = q[4 * k + 1];
    const c = q[4 * k + 2];
    const e = q[4 * k + 3];
    if (first === 1) pointTriangle(d2, w, 0, X, a, b, c, e);
    else edgeEdge(d2, w, 0, X, a, b, c, e);
    separation(delta, 0, w, 0, X, a, b, c, e);
    const d = Math.sqrt(d2[0]);
    const nx = delta[0] / d;
    const ny = delta[1] / d;
    const nz = delta[2] / d;
    const firstMoves = moves(P, q, 4 * k, first);
    const secondMoves = moves(P, q, 4 * k + first, 4 - first);
    const share = firstMoves && secondMoves ? 0.5 : 1;
    const room = share * (d - keep[k]);
    // heights along n of the closest points of both sides
    let low = 0;
    for (let m = first; m < 4; m++) low -= w[m] * along(X, q[4 * k + m], nx, ny, nz);
    const high = low + d;
    for (let m = 0; m < 4; m++) {
      const i = q[4 * k + m];
      if (i >= n) continue;
      const height = along(X, i, nx, ny, nz);
      if (m < first) limitPoint(limits, i, nx, ny, nz, ROOM * (height - high + room), allowed, P);
      else limitPoint(limits, i, -nx, -ny, -nz, ROOM * (low - height + room), allowed, P);
    }
  }
}

function along(X: ReadonlyF64, i: number, x: number, y: number, z: number): number {
  return x * X[3 * i] + y * X[3 * i + 1] + z * X[3 * i + 2];
}

/** Whether any of so many points of a pair goes anywhere. */
function moves(P: ReadonlyF64, q: Int32Array, at: number, count: number): boolean {
  for (let m = at; m < at + count; m++)
    if (P[3 * q[m]] !== 0 || P[3 * q[m] + 1] !== 0 || P[3 * q[m] + 2] !== 0) return true;
  return false;
}

/** Shortens the motion P at all points of every pair that would pass through another, to what that pair allows; returns how many pairs there were. */
export function shortenAtPairs(
  P: Float64Array,
  list: PairList,
  X: ReadonlyF64,
  n: number,
  reach: number,
): number {
  const { candidates } = list;
  const { points: q } = candidates;
  let cuts = 0;
  for (let k = 0; k < candidates.found[0]; k++) {
    const t = pairTime(list, k, X, P, reach);
    if (t === 1) continue;
    cuts++;
    for (let m = 4 * k; m < 4 * k + 4; m++) {
      if (q[m] >= n) continue;
      for (let c = 3 * q[m]; c < 3 * q[m] + 3; c++) P[c] *= t;
    }
  }
  return cuts;
}

/** Marks the points of all pairs that would pass through each other in the motion P. */
export function markStopped(
  stopped: Uint8Array,
  list: PairList,
  X: ReadonlyF64,
  P: ReadonlyF64,
  reach: number,
): void {
  const { candidates } = list;
  for (let k = 0; k < candidates.found[0]; k++)
    if (pairTime(list, k, X, P, reach) < 1)
      for (let m = 4 * k; m < 4 * k + 4; m++) stopped[candidates.points[m]] = 1;
}
