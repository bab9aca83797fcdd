/**
 * An independent check: which triangles of a state cut through each other, decided exactly.
 *
 * It checks the contact code in tests and by `--verify`, and shares no code with it: candidates come from sorting
 * along one axis, and every decision from the sign of orient3d and orient2d (adaptive, exact on the given doubles). No tolerance.
 *
 * Triangles are closed sets: touching counts. Two triangles
 *   - without common point meet if an edge of one meets the other;
 *   - with one common point v meet beyond v exactly if the edge opposite to v of one meets the other, because what they share is convex,
 *     holds v, and can leave a triangle only through the edge opposite to v;
 *   - with a common edge meet beyond it only if both lie in one plane on the same side of that edge (folded flat).
 *
 * Cost: O(n log n) and the overlaps along the longest axis, n^1.5 for a sheet: 5 200 triangles take 14 ms, or 60 where all lie in
 * one plane and every sign has to be worked out exactly. Allocates.
 */
import { orient2d, orient3d } from "robust-predicates";
import type { ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";

export interface Surface {
  /** [3n] m */
  readonly Y: ReadonlyF64;
  /** [3·triangles] points */
  readonly triangles: ReadonlyI32;
  /** [n] points of one number belong to one seam that is being closed: triangles that meet there are not looked at. */
  readonly sewn?: ReadonlyI32;
  /** Triangles from this one on are of bodies: two of them are not compared, however often a body crosses itself. */
  readonly firstOfBodies?: number;
}

/** All pairs of triangles of one surface that intersect: [2·pairs], first < second. */
export function selfIntersections(surface: Surface): Int32Array {
  const found: number[] = [];
  const triangles = surface.triangles as Int32Array;
  const { firstOfBodies = triangles.length / 3 } = surface;
  const visit = (s: number, t: number): void => {
    if (sewnTogether(surface, s, t)) return;
    if (trianglesIntersect(surface, s, surface, t, true)) found.push(s, t);
  };
  const sheet = { ...surface, triangles: triangles.subarray(0, 3 * firstOfBodies) };
  const bodies = { ...surface, triangles: triangles.subarray(3 * firstOfBodies) };
  forOverlappingBoxes(sheet, sheet, visit);
  forOverlappingBoxes(sheet, bodies, (s, t) => visit(s, firstOfBodies + t));
  return sorted(found);
}

/** All pairs of a triangle of `first` and one of `second`, which have no common points, that intersect: [2·pairs]. */
export function intersections(first: Surface, second: Surface): Int32Array {
  const found: number[] = [];
  forOverlappingBoxes(first, second, (s, t) => {
    if (trianglesIntersect(first, s, second, t, false)) found.push(s, t);
  });
  return sorted(found);
}

/** Do two triangles have different points that a seam makes one? */
function sewnTogether({ triangles, sewn }: Surface, s: number, t: number): boolean {
  if (!sewn) return false;
  for (let i = 3 * s; i < 3 * s + 3; i++)
    for (let j = 3 * t; j < 3 * t + 3; j++)
      if (triangles[i] !== triangles[j] && sewn[triangles[i]] === sewn[triangles[j]]) return true;
  return false;
}

function sorted(pairs: number[]): Int32Array {
  const order = Array.from({ length: pairs.length / 2 }, (_, k) => k);
  order.sort((a, b) => pairs[2 * a] - pairs[2 * b] || pairs[2 * a + 1] - pairs[2 * b + 1]);
  return Int32Array.from(order.flatMap((k) => [pairs[2 * k], pairs[2 * k + 1]]));
}

type Point = readonly [number, number, number];

function corner({ Y, triangles }: Surface, t: number, m: number): Point {
  const i = 3 * triangles[3 * t + m];
  return [Y[i], Y[i + 1], Y[i + 2]];
}

/** Do triangle s of A and triangle t of B meet, other than in the points that they have in common (by number)? */
function trianglesIntersect(
  A: Surface,
  s: number,
  B: Surface,
  t: number,
  mayShare: boolean,
): boolean {
  const P = [corner(A, s, 0), corner(A, s, 1), corner(A, s, 2)] as const;
  const Q = [corner(B, t, 0), corner(B, t, 1), corner(B, t, 2)] as const;
  const common: [number, number][] = [];
  if (mayShare)
    for (let i = 0; i < 3; i++)
      for (let j = 0; j < 3; j++)
        if (A.triangles[3 * s + i] === B.triangles[3 * t + j]) common.push([i, j]);

  // most pairs end here: the points that one has for itself lie on one side of the other
  if (common.length < 2) {
    const i = common.length === 1 ? common[0][0] : -1;
    const j = common.length === 1 ? common[0][1] : -1;
    if (onOneSide(P, Q, j) || onOneSide(Q, P, i)) return false;
  }
  if (common.length === 0) {
    for (let m = 0; m < 3; m++) {
      if (edgeMeetsTriangle(P[m], P[(m + 1) % 3], Q)) return true;
      if (edgeMeetsTriangle(Q[m], Q[(m + 1) % 3], P)) return true;
    }
    return false;
  }
  if (common.length === 1) {
    const [i, j] = common[0];
    return (
      edgeMeetsTriangle(P[(i + 1) % 3], P[(i + 2) % 3], Q) ||
      edgeMeetsTriangle(Q[(j + 1) % 3], Q[(j + 2) % 3], P)
    );
  }
  if (common.length === 2) {
    const [[i, j], [k, l]] = common;
    return foldedFlat(P[i], P[k], P[3 - i - k], Q[3 - j - l]);
  }
  return true; // the same three points
}

/** Do all corners of Q, but for number `without`, lie strictly on one side of the plane of P? */
function onOneSide(P: Triangle, Q: Triangle, without: number): boolean {
  let side = 0;
  for (let m = 0; m < 3; m++) {
    if (m === without) continue;
    const sign = Math.sign(orientation(P[0], P[1], P[2], Q[m]));
    if (sign === 0 || sign === -side) return false;
    side = sign;
  }
  return true;
}

/** Triangles (v, w, a) and (v, w, b) in one plane, a and b on one side of vw. Triangles without area do not count. */
function foldedFlat(v: Point, w: Point, a: Point, b: Point): boolean {
  if (orientation(v, w, a, b) !== 0) return false;
  for (let axis = 0; axis < 3; axis++) {
    const sideA = sideOf(v, w, a, axis);
    const sideB = sideOf(v, w, b, axis);
    if (sideA !== 0 && sideB !== 0) return sideA > 0 === sideB > 0;
  }
  return false;
}

type Triangle = readonly [Point, Point, Point];

function edgeMeetsTriangle(p: Point, q: Point, T: Triangle): boolean {
  const [a, b, c] = T;
  const above = orientation(a, b, c, p);
  const below = orientation(a, b, c, q);
  if ((above > 0 && below > 0) || (above < 0 && below < 0)) return false;
  if (above === 0 && below === 0) return edgeMeetsTriangleInPlane(p, q, T);
  // the line through p and q leaves the corners on one side, all around
  const ab = orientation(p, q, a, b);
  const bc = orientation(p, q, b, c);
  const ca = orientation(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

/** p, q in the plane of a triangle (or the triangle has no area, and then any plane through it is its plane). */
function edgeMeetsTriangleInPlane(p: Point, q: Point, T: Triangle): boolean {
  const [a, b, c] = T;
  for (let axis = 0; axis < 3; axis++) {
    const area = sideOf(a, b, c, axis);
    if (area === 0) continue;
    // seen along this axis the plane is not edge-on: decide there
    const inside = (x: Point) => {
      const u = sideOf(a, b, x, axis);
      const v = sideOf(b, c, x, axis);
      const w = sideOf(c, a, x, axis);
      return area > 0 ? u >= 0 && v >= 0 && w >= 0 : u <= 0 && v <= 0 && w <= 0;
    };
    return (
      inside(p) ||
      inside(q) ||
      edgesMeet(p, q, a, b, axis) ||
      edgesMeet(p, q, b, c, axis) ||
      edgesMeet(p, q, c, a, axis)
    );
  }
  // no area: the triangle is its edges
  return (
    edgesMeetInSpace(p, q, a, b) || edgesMeetInSpace(p, q, b, c) || edgesMeetInSpace(p, q, c, a)
  );
}

function edgesMeetInSpace(p: Point, q: Point, a: Point, b: Point): boolean {
  if (orientation(p, q, a, b) !== 0) return false;
  for (let axis = 0; axis < 3; axis++) {
    const flat =
      sideOf(p, q, a, axis) === 0 &&
      sideOf(p, q, b, axis) === 0 &&
      sideOf(a, b, p, axis) === 0 &&
      sideOf(a, b, q, axis) === 0;
    if (!flat) return edgesMeet(p, q, a, b, axis);
  }
  // all on one line
  return [0, 1, 2].every((c) => intervalsMeet(p[c], q[c], a[c], b[c]));
}

/** Two edges of one plane, seen along an axis. */
function edgesMeet(p: Point, q: Point, a: Point, b: Point, axis: number): boolean {
  const pa = sideOf(p, q, a, axis);
  const pb = sideOf(p, q, b, axis);
  const ap = sideOf(a, b, p, axis);
  const aq = sideOf(a, b, q, axis);
  if (pa === 0 && pb === 0 && ap === 0 && aq === 0)
    return [0, 1, 2].every((c) => c === axis || intervalsMeet(p[c], q[c], a[c], b[c]));
  const apart = (x: number, y: number) => (x > 0 && y > 0) || (x < 0 && y < 0);
  return !apart(pa, pb) && !apart(ap, aq);
}

function intervalsMeet(a: number, b: number, c: number, d: number): boolean {
  return Math.max(Math.min(a, b), Math.min(c, d)) <= Math.min(Math.max(a, b), Math.max(c, d));
}

/** Sign of the volume of (a, b, c, d); exact. */
function orientation(a: Point, b: Point, c: Point, d: Point): number {
  return orient3d(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], d[0], d[1], d[2]);
}

/** Sign of the area of (a, b, c) seen along an axis; exact. */
function sideOf(a: Point, b: Point, c: Point, axis: number): number {
  const u = (axis + 1) % 3;
  const v = (axis + 2) % 3;
  return orient2d(a[u], a[v], b[u], b[v], c[u], c[v]);
}

/** Calls visit(s, t) once for every triangle s of A and t of B whose boxes meet; within one surface for s < t. */
function forOverlappingBoxes(A: Surface, B: Surface, visit: (s: number, t: number) => void): void {
  const a = boxesOf(A);
  const b = A === B ? a : boxesOf(B);
  const axis = longestAxis([a, b]);
  const orderA = byLowerEnd(a, axis);
  const orderB = A === B ? orderA : byLowerEnd(b, axis);
  sweep(a, orderA, b, orderB, axis, (s, t) => {
    if (A !== B) visit(s, t);
    else if (s < t || a[6 * s + axis] < a[6 * t + axis]) visit(Math.min(s, t), Math.max(s, t)); // each pair once
  });
  if (A !== B)
    sweep(b, orderB, a, orderA, axis, (t, s) => {
      if (a[6 * s + axis] > b[6 * t + axis]) visit(s, t); // the others were visited above
    });
}

/** Calls visit(s, t) for boxes s of a and t of b that meet where t does not begin before s. */
function sweep(
  a: Float64Array,
  orderA: readonly number[],
  b: Float64Array,
  orderB: readonly number[],
  axis: number,
  visit: (s: number, t: number) => void,
): void {
  const lower = (k: number): number => b[6 * orderB[k] + axis];
  let first = 0;
  for (const s of orderA) {
    while (lower(first) < a[6 * s + axis]) first++;
    for (let k = first; lower(k) <= a[6 * s + 3 + axis]; k++)
      if (boxesMeet(a, s, b, orderB[k])) visit(s, orderB[k]);
  }
}

function byLowerEnd(boxes: Float64Array, axis: number): number[] {
  const order = Array.from({ length: boxes.length / 6 }, (_, k) => k);
  return order.sort((s, t) => boxes[6 * s + axis] - boxes[6 * t + axis] || s - t);
}

function boxesMeet(a: Float64Array, s: number, b: Float64Array, t: number): boolean {
  for (let c = 0; c < 3; c++)
    if (a[6 * s + c] > b[6 * t + 3 + c] || b[6 * t + c] > a[6 * s + 3 + c]) return false;
  return true;
}

/** [6·triangles] lower xyz, upper xyz. */
function boxesOf({ Y, triangles }: Surface): Float64Array {
  const boxes = new Float64Array(2 * triangles.length);
  for (let t = 0; t < triangles.length / 3; t++)
    for (let c = 0; c < 3; c++) {
      const p = Y[3 * triangles[3 * t] + c];
      const q = Y[3 * triangles[3 * t + 1] + c];
      const r = Y[3 * triangles[3 * t + 2] + c];
      boxes[6 * t + c] = Math.min(p, q, r);
      boxes[6 * t + 3 + c] = Math.max(p, q, r);
    }
  return boxes;
}

function longestAxis(sets: readonly Float64Array[]): number {
  const lower = [1 / 0, 1 / 0, 1 / 0];
  const upper = [-1 / 0, -1 / 0, -1 / 0];
  for (const boxes of sets)
    for (let k = 0; k < boxes.length; k += 6)
      for (let c = 0; c < 3; c++) {
        lower[c] = Math.min(lower[c], boxes[k + c]);
        upper[c] = Math.max(upper[c], boxes[k + 3 + c]);
      }
  const extent = [0, 1, 2].map((c) => upper[c] - lower[c]);
  return extent.indexOf(Math.max(...extent));
}
