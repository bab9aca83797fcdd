/**
 * The inside of sampled loops: whether a place is in it, and whether it is far enough from all points and from the boundary.
 *
 * Points are kept in squares of one spacing and boundary segments in rows of one spacing, so that each question looks at a handful of them.
 */
import { grown } from "../linalg/lists.ts";
import { squaredLength } from "./plane.ts";

/** Square of the share of r that a place keeps from boundary segments (0.7), whose points it keeps r away from. */
const BESIDE = 0.49;

/** Points of a region in squares no smaller than a spacing; around a tube a whole number of them. */
export interface Region {
  readonly period: number;
  readonly spacing: number;
  readonly minU: number;
  readonly maxU: number;
  readonly minV: number;
  readonly maxV: number;
  readonly columns: number;
  readonly rows: number;
  readonly squareU: number;
  /** [2·capacity] uv: those of the boundary, which are `fixed`, then what was added. */
  points: Float64Array;
  readonly fixed: number;
  count: number;
  /** [fixed] neighbours of a point along its boundary, −1 without. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** Each square is a chain: its last point, and of each point the one put there before it. */
  readonly last: Int32Array;
  earlier: Int32Array;
  /** Starts of the boundary segments that reach into each row. */
  readonly segmentsInRow: number[][];
}

/** With a period, u wraps around and everything between the two rims is inside. */
export function createRegion(
  boundary: { points: readonly number[]; loops: readonly (readonly number[])[] },
  spacing: number,
  period = 0,
): Region {
  const fixed = boundary.points.length / 2;
  const points = new Float64Array(Math.max(2 * boundary.points.length, 256));
  points.set(boundary.points);
  const before = new Int32Array(fixed).fill(-1);
  const after = new Int32Array(fixed).fill(-1);
  for (const loop of boundary.loops) {
    loop.forEach((a, k) => {
      const b = loop[(k + 1) % loop.length];
      after[a] = b;
      before[b] = a;
    });
  }
  let [minU, maxU, minV, maxV] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < fixed; i++) {
    minU = Math.min(minU, points[2 * i]);
    maxU = Math.max(maxU, points[2 * i]);
    minV = Math.min(minV, points[2 * i + 1]);
    maxV = Math.max(maxV, points[2 * i + 1]);
  }
  if (period > 0) [minU, maxU] = [0, period];
  const columns = Math.max(1, Math.floor((maxU - minU) / spacing) + (period > 0 ? 0 : 1));
  const rows = Math.max(1, Math.floor((maxV - minV) / spacing) + 1);
  const region: Region = {
    period,
    spacing,
    minU,
    maxU,
    minV,
    maxV,
    columns,
    rows,
    squareU: period > 0 ? period / columns : spacing,
    points,
    fixed,
    count: fixed,
    before,
    after,
    last: new Int32Array(columns * rows).fill(-1),
    earlier: new Int32Array(points.length / 2),
    segmentsInRow: Array.from({ length: rows }, () => []),
  };
  for (let i = 0; i < fixed; i++) putIntoSquare(region, i);
  for (let a = 0; a < fixed; a++) {
    if (after[a] < 0) continue;
    const from = rowOf(region, points[2 * a + 1]);
    const to = rowOf(region, points[2 * after[a] + 1]);
    for (let r = Math.min(from, to); r <= Math.max(from, to); r++) region.segmentsInRow[r].push(a);
  }
  return region;
}

function columnOf({ columns, minU, squareU }: Region, u: number): number {
  return Math.max(0, Math.min(columns - 1, Math.floor((u - minU) / squareU)));
}

function rowOf({ rows, minV, spacing }: Region, v: number): number {
  return Math.max(0, Math.min(rows - 1, Math.floor((v - minV) / spacing)));
}

function putIntoSquare(region: Region, i: number): void {
  const { points, last, earlier, columns } = region;
  const square = rowOf(region, points[2 * i + 1]) * columns + columnOf(region, points[2 * i]);
  earlier[i] = last[square];
  last[square] = i;
}

/** A difference along u, the short way around a tube. */
function wrapped({ period }: Region, du: number): number {
  return period > 0 ? du - period * Math.round(du / period) : du;
}

/** Squared distance of a place to the segment from point a to point b. */
function toSegment(region: Region, u: number, v: number, a: number, b: number): number {
  const { points } = region;
  const pu = wrapped(region, u - points[2 * a]);
  const pv = v - points[2 * a + 1];
  const du = wrapped(region, points[2 * b] - points[2 * a]);
  const dv = points[2 * b + 1] - points[2 * a + 1];
  const t = Math.max(0, Math.min(1, (pu * du + pv * dv) / (du * du + dv * dv)));
  return squaredLength(pu - t * du, pv - t * dv);
}

/** By the number of boundary segments to the right. */
export function isInside(region: Region, u: number, v: number): boolean {
  const { period, minU, maxU, minV, maxV, points, after } = region;
  if (period > 0) return v > minV && v < maxV;
  if (u < minU || u > maxU || v < minV || v > maxV) return false;
  let odd = false;
  const starts = region.segmentsInRow[rowOf(region, v)];
  for (let s = 0; s < starts.length; s++) {
    const a = starts[s];
    const b = after[a];
    const av = points[2 * a + 1];
    const bv = points[2 * b + 1];
    if (av > v === bv > v) continue;
    const at = points[2 * a] + ((v - av) / (bv - av)) * (points[2 * b] - points[2 * a]);
    if (u < at) odd = !odd;
  }
  return odd;
}

/** Whether no point is within r of a place, and no boundary within 0.7 r. */
export function isClear(region: Region, u: number, v: number, r: number): boolean {
  const { period, columns, rows, last, earlier, points, fixed, before, after } = region;
  const column = columnOf(region, u);
  const row = rowOf(region, v);
  const reach = period > 0 && columns < 3 ? 0 : 1;
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = column - reach; x <= column + reach; x++) {
      if (period === 0 && (x < 0 || x >= columns)) continue;
      const square = y * columns + ((x + columns) % columns);
      for (let i = last[square]; i >= 0; i = earlier[i]) {
        if (squaredLength(wrapped(region, u - points[2 * i]), v - points[2 * i + 1]) < r * r)
          return false;
        if (i >= fixed || before[i] < 0 || after[i] < 0) continue;
        const nearest = Math.min(
          toSegment(region, u, v, before[i], i),
          toSegment(region, u, v, i, after[i]),
        );
        if (nearest < BESIDE * r * r) return false;
      }
    }
  }
  return true;
}

export function addPoint(region: Region, u: number, v: number): void {
  if (2 * region.count === region.points.length) {
    region.points = grown(region.points);
    region.earlier = grown(region.earlier);
  }
  region.points[2 * region.count] = u;
  region.points[2 * region.count + 1] = v;
  putIntoSquare(region, region.count++);
}
