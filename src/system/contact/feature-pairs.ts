/**
 * Candidate pairs of body features (body-features.ts) and the sheet: corners with triangles, edges with edges.
 *
 * A body has few features, and each has a radius that may be large against the sheet's spacing, which the trees of broad-phase.ts do not know. The boxes
 * of all triangles and edges are compared with the box of the body first, and those that are left with every feature.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";
import { type Candidates, growCandidates } from "./broad-phase.ts";
import { edgeEdge, pointTriangle } from "./distance.ts";

/** Features of one body among the points of all. */
export interface FeatureGroup {
  /** Points first … first + count. */
  readonly first: number;
  readonly count: number;
  /** [2·edges] points */
  readonly edges: Int32Array;
  /** m: how near they may come to the sheet without touching. */
  readonly radius: number;
}

const box = new Float64Array(6);
const d2 = new Float64Array(1);
const w = new Float64Array(4);
let near = new Int32Array(1024);
let bounds = new Float64Array(6 * 1024); // of those, lows and highs of their swept boxes

/**
 * Pairs that may come within `margin` beyond the radius while all points go from X to X + dX. Lists grow as they must.
 *
 * @param faces     out: corner, a, b, c
 * @param lines     out: edge of the body, edge of the sheet
 */
export function findFeaturePairs(
  faces: Candidates,
  lines: Candidates,
  groups: readonly FeatureGroup[],
  triangles: ReadonlyI32,
  edges: ReadonlyI32,
  X: ReadonlyF64,
  dX: ReadonlyF64,
  margin: number,
): void {
  faces.found[0] = 0;
  lines.found[0] = 0;
  for (let g = 0; g < groups.length; g++) {
    const { first, count, edges: own, radius } = groups[g];
    clear();
    for (let i = first; i < first + count; i++) include(X, dX, i);
    widen(margin + radius);
    let found = collectNear(triangles, 3, X, dX);
    for (let i = first; i < first + count; i++) {
      clear();
      include(X, dX, i);
      widen(margin + radius);
      for (let k = 0; k < found; k++) {
        const t = 3 * near[k];
        const a = triangles[t];
        const b = triangles[t + 1];
        const c = triangles[t + 2];
        if (isApart(k)) continue;
        pointTriangle(d2, w, 0, X, i, a, b, c);
        const relative = Math.max(relative2(dX, i, a), relative2(dX, i, b), relative2(dX, i, c));
        add(faces, margin + radius + Math.sqrt(relative), i, a, b, c);
      }
    }
    clear();
    for (let i = first; i < first + count; i++) include(X, dX, i);
    widen(margin + radius);
    found = collectNear(edges, 2, X, dX);
    for (let e = 0; e < own.length; e += 2) {
      const i = own[e];
      const j = own[e + 1];
      clear();
      include(X, dX, i);
      include(X, dX, j);
      widen(margin + radius);
      for (let k = 0; k < found; k++) {
        const a = edges[2 * near[k]];
        const b = edges[2 * near[k] + 1];
        if (isApart(k)) continue;
        edgeEdge(d2, w, 0, X, i, j, a, b);
        const relative = Math.max(
          relative2(dX, i, a),
          relative2(dX, i, b),
          relative2(dX, j, a),
          relative2(dX, j, b),
        );
        add(lines, margin + radius + Math.sqrt(relative), i, j, a, b);
      }
    }
  }
}

/** Keeps the pair if its last distance is at most `far`. */
function add(list: Candidates, far: number, a: number, b: number, c: number, e: number): void {
  if (!(d2[0] <= far * far)) return;
  const k = list.found[0];
  if (k === list.capacity) {
    const before = list.points;
    growCandidates(list, 2 * list.capacity);
    list.points.set(before);
  }
  list.found[0] = k + 1;
  list.points[4 * k] = a;
  list.points[4 * k + 1] = b;
  list.points[4 * k + 2] = c;
  list.points[4 * k + 3] = e;
}

/** Primitives whose swept box meets the box, into `near`; returns how many. */
function collectNear(corners: ReadonlyI32, arity: number, X: ReadonlyF64, dX: ReadonlyF64): number {
  const count = corners.length / arity;
  if (near.length < count) {
    near = new Int32Array(2 * count);
    bounds = new Float64Array(12 * count);
  }
  let found = 0;
  for (let t = 0; t < count; t++) {
    let isOut = false;
    for (let c = 0; c < 3 && !isOut; c++) {
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let m = 0; m < arity; m++) {
        const k = 3 * corners[arity * t + m] + c;
        const from = X[k];
        const to = from + dX[k];
        if (from < low) low = from;
        if (to < low) low = to;
        if (from > high) high = from;
        if (to > high) high = to;
      }
      isOut = low > box[3 + c] || high < box[c];
      bounds[6 * found + c] = low;
      bounds[6 * found + 3 + c] = high;
    }
    if (!isOut) near[found++] = t;
  }
  return found;
}

/** Whether the box of the k-th of those near does not meet the box of a feature. */
function isApart(k: number): boolean {
  for (let c = 0; c < 3; c++)
    if (bounds[6 * k + c] > box[3 + c] || bounds[6 * k + 3 + c] < box[c]) return true;
  return false;
}

function clear(): void {
  box.fill(Number.POSITIVE_INFINITY, 0, 3);
  box.fill(Number.NEGATIVE_INFINITY, 3, 6);
}

function include(X: ReadonlyF64, dX: ReadonlyF64, i: number): void {
  for (let c = 0; c < 3; c++) {
    const from = X[3 * i + c];
    const to = from + dX[3 * i + c];
    box[c] = Math.min(box[c], from, to);
    box[3 + c] = Math.max(box[3 + c], from, to);
  }
}

function widen(by: number): void {
  for (let c = 0; c < 3; c++) {
    box[c] -= by;
    box[3 + c] += by;
  }
}

/** |Δᵢ − Δⱼ|²: no two points of two features move farther relative to each other than their corners do. */
function relative2(dX: ReadonlyF64, i: number, j: number): number {
  const x = dX[3 * i] - dX[3 * j];
  const y = dX[3 * i + 1] - dX[3 * j + 1];
  const z = dX[3 * i + 2] - dX[3 * j + 2];
  return x * x + y * y + z * z;
}
