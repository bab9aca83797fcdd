/**
 * Which triangles cut through each other, decided exactly: by the signs of orient3d and orient2d, which are right for the
 * doubles that are given. No tolerance, and no code shared with the contact that is checked.
 *
 * Triangles are closed sets: touching counts. Two triangles without a common point meet exactly if an edge of one meets the
 * other. With one common point v they meet elsewhere exactly if the edge opposite to v of one meets the other: what they share is
 * convex and holds v, and can leave a triangle only through the edge opposite to v. With a common edge they meet beyond
 * it only if they are folded flat onto each other.
 *
 * Pairs come from a tree of boxes: O(n log n) and the pairs of boxes that overlap.
 */
import { orient2d, orient3d } from "robust-predicates";
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";

export interface Triangles {
  /** [3n] m */
  readonly positions: ReadonlyF64;
  /** [3·triangles] */
  readonly triangles: ReadonlyI32;
}

/** More pairs than this say nothing new. */
const MOST_PAIRS = 1000;

/**
 * Pairs of triangles of one surface that intersect, s < t, the first MOST_PAIRS.
 *
 * @param sewn  [n] points of one number are one point of a seam: triangles that meet there are not compared
 */
export function selfCrossings(surface: Triangles, sewn?: ReadonlyI32): [number, number][] {
  const { triangles } = surface;
  const tree = boxTree(surface);
  const found: [number, number][] = [];
  for (let s = 0; 3 * s < triangles.length && found.length < MOST_PAIRS; s++)
    visitOverlaps(tree, tree.boxes, s, (t) => {
      if (t <= s || (sewn && areSewn(triangles, sewn, s, t))) return;
      if (meet(surface, s, surface, t)) found.push([s, t]);
    });
  return found;
}

/** Pairs of a triangle of each of two surfaces without common points that intersect, the first MOST_PAIRS. */
export function crossings(a: Triangles, b: Triangles): [number, number][] {
  const tree = boxTree(b);
  const boxes = boxesOf(a);
  const found: [number, number][] = [];
  for (let s = 0; 3 * s < a.triangles.length && found.length < MOST_PAIRS; s++)
    visitOverlaps(tree, boxes, s, (t) => {
      if (meet(a, s, b, t)) found.push([s, t]);
    });
  return found;
}

function areSewn(triangles: ReadonlyI32, sewn: ReadonlyI32, s: number, t: number): boolean {
  for (let i = 3 * s; i < 3 * s + 3; i++)
    for (let j = 3 * t; j < 3 * t + 3; j++)
      if (triangles[i] !== triangles[j] && sewn[triangles[i]] === sewn[triangles[j]]) return true;
  return false;
}

type Point = readonly [number, number, number];
type Triangle = readonly [Point, Point, Point];

function meet(a: Triangles, s: number, b: Triangles, t: number): boolean {
  const [P, Q] = [cornersOf(a, s), cornersOf(b, t)];
  const own = [0, 1, 2].filter((i) => a !== b || !names(b, t, a.triangles[3 * s + i]));
  const other = [0, 1, 2].filter((j) => a !== b || !names(a, s, b.triangles[3 * t + j]));
  if (own.length === 0) return true; // the same three points
  if (own.length === 1) return isFoldedFlat(P, own[0], Q[other[0]]);
  if (own.length === 2)
    return segmentMeets(P[own[0]], P[own[1]], Q) || segmentMeets(Q[other[0]], Q[other[1]], P);
  for (let m = 0; m < 3; m++)
    if (segmentMeets(P[m], P[(m + 1) % 3], Q) || segmentMeets(Q[m], Q[(m + 1) % 3], P)) return true;
  return false;
}

function names({ triangles }: Triangles, t: number, point: number): boolean {
  return (
    triangles[3 * t] === point || triangles[3 * t + 1] === point || triangles[3 * t + 2] === point
  );
}

function cornersOf({ positions, triangles }: Triangles, t: number): Triangle {
  const at = (k: number): Point => {
    const i = 3 * triangles[3 * t + k];
    return [positions[i], positions[i + 1], positions[i + 2]];
  };
  return [at(0), at(1), at(2)];
}

/** Whether a point beyond a common edge lies in the plane of P, on the side of P's own corner. */
function isFoldedFlat(P: Triangle, own: number, beyond: Point): boolean {
  const [a, b, c] = [P[(own + 1) % 3], P[(own + 2) % 3], P[own]];
  if (volume(a, b, c, beyond) !== 0) return false;
  for (let axis = 0; axis < 3; axis++) {
    const mine = side(a, b, c, axis);
    if (mine !== 0) return mine === side(a, b, beyond, axis);
  }
  return true; // a triangle without area
}

/** Whether the segment pq meets the triangle. */
function segmentMeets(p: Point, q: Point, [a, b, c]: Triangle): boolean {
  const [sp, sq] = [volume(a, b, c, p), volume(a, b, c, q)];
  if (sp * sq > 0) return false;
  if (sp === 0 && sq === 0) return meetsInPlane(p, q, [a, b, c]);
  const [u, v, w] = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
  return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

/** The same where all lie in one plane, seen along an axis along which the triangle has an area. */
function meetsInPlane(p: Point, q: Point, [a, b, c]: Triangle): boolean {
  const axis = [0, 1, 2].find((k) => side(a, b, c, k) !== 0);
  if (axis === undefined) return segmentsMeetAnyhow(p, q, [a, b, c]);
  const around = side(a, b, c, axis);
  const isInside = (x: Point): boolean =>
    side(a, b, x, axis) * around >= 0 &&
    side(b, c, x, axis) * around >= 0 &&
    side(c, a, x, axis) * around >= 0;
  if (isInside(p) || isInside(q)) return true;
  return (
    segmentsMeet(p, q, a, b, axis) ||
    segmentsMeet(p, q, b, c, axis) ||
    segmentsMeet(p, q, c, a, axis)
  );
}

/** A triangle without area is its three edges; those in one plane with the segment meet it if they do so along every axis. */
function segmentsMeetAnyhow(p: Point, q: Point, [a, b, c]: Triangle): boolean {
  const edges: readonly [Point, Point][] = [
    [a, b],
    [b, c],
    [c, a],
  ];
  return edges.some(
    ([x, y]) =>
      volume(p, q, x, y) === 0 && [0, 1, 2].every((axis) => segmentsMeet(p, q, x, y, axis)),
  );
}

function segmentsMeet(p: Point, q: Point, a: Point, b: Point, axis: number): boolean {
  const [pa, pb] = [side(p, q, a, axis), side(p, q, b, axis)];
  const [ap, aq] = [side(a, b, p, axis), side(a, b, q, axis)];
  if (pa * pb > 0 || ap * aq > 0) return false;
  if (pa !== 0 || pb !== 0 || ap !== 0 || aq !== 0) return true;
  return [0, 1, 2].every(
    (c) =>
      c === axis ||
      Math.max(Math.min(p[c], q[c]), Math.min(a[c], b[c])) <=
        Math.min(Math.max(p[c], q[c]), Math.max(a[c], b[c])),
  );
}

/** Sign of the volume of abcd. */
function volume(a: Point, b: Point, c: Point, d: Point): number {
  return Math.sign(
    orient3d(a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], d[0], d[1], d[2]),
  );
}

/** Sign of the area of abc seen along an axis. */
function side(a: Point, b: Point, c: Point, axis: number): number {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  return Math.sign(orient2d(a[u], a[v], b[u], b[v], c[u], c[v]));
}

interface Tree {
  /** [6·triangles] lower xyz, upper xyz. */
  readonly boxes: Float64Array;
  /** Triangles in the order of the leaves. */
  readonly order: Int32Array;
  /** [6·nodes] boxes of nodes; node k has the children 2k + 1 and 2k + 2, halves of its range of `order`. */
  readonly nodes: Float64Array;
  readonly levels: number;
}

function boxesOf({ positions, triangles }: Triangles): Float64Array {
  const boxes = new Float64Array(2 * triangles.length);
  for (let t = 0; 3 * t < triangles.length; t++)
    for (let c = 0; c < 3; c++) {
      const [p, q, r] = [0, 1, 2].map((k) => positions[3 * triangles[3 * t + k] + c]);
      boxes[6 * t + c] = Math.min(p, q, r);
      boxes[6 * t + 3 + c] = Math.max(p, q, r);
    }
  return boxes;
}

/** Halves by the middle of the boxes along the longest axis, down to some four triangles a leaf. */
function boxTree(surface: Triangles): Tree {
  const boxes = boxesOf(surface);
  const count = boxes.length / 6;
  let levels = 0;
  while (count >> levels > 4) levels++;
  const nodes = new Float64Array(6 * (2 ** (levels + 1) - 1));
  const order = Int32Array.from({ length: count }, (_, t) => t);
  const build = (node: number, from: number, to: number, level: number): void => {
    const box = nodes.subarray(6 * node, 6 * node + 6);
    box.fill(Number.POSITIVE_INFINITY, 0, 3).fill(Number.NEGATIVE_INFINITY, 3);
    for (let k = from; k < to; k++)
      for (let c = 0; c < 3; c++) {
        box[c] = Math.min(box[c], boxes[6 * order[k] + c]);
        box[3 + c] = Math.max(box[3 + c], boxes[6 * order[k] + 3 + c]);
      }
    if (level === levels) return;
    const extent = [0, 1, 2].map((c) => box[3 + c] - box[c]);
    const axis = extent.indexOf(Math.max(...extent));
    const middle = (t: number): number => boxes[6 * t + axis] + boxes[6 * t + 3 + axis];
    order.subarray(from, to).sort((s, t) => middle(s) - middle(t) || s - t);
    const half = (from + to) >> 1;
    build(2 * node + 1, from, half, level + 1);
    build(2 * node + 2, half, to, level + 1);
  };
  build(0, 0, count, 0);
  return { boxes, order, nodes, levels };
}

/** Calls visit for every triangle of the tree whose box meets box s of `boxes`. */
function visitOverlaps(
  { boxes: own, order, nodes, levels }: Tree,
  boxes: Float64Array,
  s: number,
  visit: (t: number) => void,
): void {
  const descend = (node: number, from: number, to: number, level: number): void => {
    if (from === to || !boxesMeet(nodes, node, boxes, s)) return;
    if (level === levels) {
      for (let k = from; k < to; k++) if (boxesMeet(own, order[k], boxes, s)) visit(order[k]);
      return;
    }
    const half = (from + to) >> 1;
    descend(2 * node + 1, from, half, level + 1);
    descend(2 * node + 2, half, to, level + 1);
  };
  descend(0, 0, order.length, 0);
}

function boxesMeet(a: Float64Array, s: number, b: Float64Array, t: number): boolean {
  for (let c = 0; c < 3; c++)
    if (a[6 * s + c] > b[6 * t + 3 + c] || b[6 * t + c] > a[6 * s + 3 + c]) return false;
  return true;
}
