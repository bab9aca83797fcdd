/**
 * Triangles over sample points: the constrained Delaunay triangulation of an outline, and of a
 * tube.
 *
 * Delaunator triangulates the convex hull. Because the boundary is sampled as densely as the
 * inside, nearly every piece of the outline is a Delaunay edge already; the few that are not
 * (narrow necks) are won by flipping the edges that cross them (Sloan 1993), after which the others
 * are made Delaunay again. What lies outside is then culled by flooding from the outline, never by
 * testing centroids: the centroid of a sliver along a straight side lies on that side, up to rounding.
 *
 * The trap: Delaunator drops duplicates silently. A point in no triangle is an error here,
 * with its place.
 */
import Delaunator from "delaunator";
import { orient2d } from "robust-predicates";
import { next } from "./plane.ts";
import { SheetError } from "./sheet-error.ts";

export interface FlatTriangles {
  /** [3·triangles] counter-clockwise */
  triangles: Int32Array;
  /**
   * [6·triangles] m, uv of the corners; differ from the points' own only across the cut of a tube.
   */
  corners: Float64Array;
}

/**
 * The triangles inside an outline.
 * @param points [2n] m, uv
 * @param loops closed loops of points with the inside on their left: the outer one
 *   counter-clockwise, holes clockwise
 * @returns gives the triangles of where the points are when it is called
 */
export function createTriangulation(
  points: Float64Array,
  loops: readonly (readonly number[])[],
): () => FlatTriangles {
  const n = points.length / 2;
  const follows = new Int32Array(n).fill(-1); // follows[a] = b for the outline's piece a → b
  for (const loop of loops) {
    for (let k = 0; k < loop.length; k++) follows[loop[k]] = loop[(k + 1) % loop.length];
  }

  let delaunay: Delaunator<Float64Array> | null = null;
  return () => {
    if (delaunay) delaunay.update();
    else delaunay = new Delaunator(points);
    const { triangles, halfedges } = delaunay;
    if (triangles.length === 0)
      throw new SheetError("triangulation", ["all points lie on one line"]);
    // Delaunator's triangles are clockwise with v up, so inside lies the half-edge b → a.
    const missing = missingPieces(triangles, follows);
    if (missing.length > 0) constrain(points, triangles, halfedges, follows, missing);

    const within = insideOnly(triangles, flood(triangles, halfedges, follows));
    refuseLoosePoints(within, points);
    return { triangles: within, corners: cornersOf(within, points) };
  };
}

/** The triangles that are inside, counter-clockwise. */
function insideOnly(triangles: Uint32Array, inside: Uint8Array): Int32Array {
  const within = new Int32Array(triangles.length);
  let k = 0;
  for (let t = 0; t < inside.length; t++) {
    if (inside[t] === 0) continue;
    within[k++] = triangles[3 * t];
    within[k++] = triangles[3 * t + 2];
    within[k++] = triangles[3 * t + 1];
  }
  return within.slice(0, k);
}

function cornersOf(triangles: Int32Array, points: Float64Array): Float64Array {
  const corners = new Float64Array(2 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    corners[2 * k] = points[2 * triangles[k]];
    corners[2 * k + 1] = points[2 * triangles[k] + 1];
  }
  return corners;
}

/**
 * The triangles of a tube: u is periodic, v runs between two rims that are sampled at constant v.
 *
 * The points near the cut are repeated on its other side and the strip is triangulated; of the
 * copies of each triangle, the one whose lowest point is no repeat is kept. Its corners keep the
 * repeats' coordinates and are therefore flat across the cut.
 * @param margin m, how far from the cut points are repeated; several spacings
 */
export function triangulateTube(
  points: Float64Array,
  circumference: number,
  rimPoints: number,
  margin: number = circumference,
): FlatTriangles {
  const n = points.length / 2;
  const origin: number[] = Array.from({ length: n }, (_, i) => i);
  const strip: number[] = Array.from(points);
  for (let i = 0; i < n; i++) {
    for (const shift of [circumference, -circumference]) {
      const u = points[2 * i] + shift;
      if (u < -margin || u > circumference + margin) continue;
      origin.push(i);
      strip.push(u, points[2 * i + 1]);
    }
  }
  const { triangles } = new Delaunator(Float64Array.from(strip));
  const kept: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    // clockwise to counter-clockwise
    const [a, b, c] = [triangles[t], triangles[t + 2], triangles[t + 1]];
    const lowest = Math.min(origin[a], origin[b], origin[c]);
    if (a === lowest || b === lowest || c === lowest) kept.push(a, b, c);
  }
  // V − E + F = 0 on a tube: F = 2V − (points on the rims)
  if (kept.length / 3 !== 2 * n - rimPoints) {
    throw new SheetError("triangulation", [
      `${n} points do not close into one surface around this tube; take more of them`,
    ]);
  }
  const corners = new Float64Array(2 * kept.length);
  for (let k = 0; k < kept.length; k++) {
    corners[2 * k] = strip[2 * kept[k]];
    corners[2 * k + 1] = strip[2 * kept[k] + 1];
  }
  const own = Int32Array.from(kept, (k) => origin[k]);
  refuseLoosePoints(own, points);
  return { triangles: own, corners };
}

/** Starts a of the pieces a → b of the outline that no triangle has on its inner side. */
function missingPieces(triangles: Uint32Array, follows: Int32Array): number[] {
  const found = new Uint8Array(follows.length);
  for (let e = 0; e < triangles.length; e++) {
    const a = triangles[next(e)];
    if (follows[a] === triangles[e]) found[a] = 1;
  }
  const missing: number[] = [];
  for (let a = 0; a < follows.length; a++) if (follows[a] >= 0 && found[a] === 0) missing.push(a);
  return missing;
}

/** A triangulation whose edges are being flipped. */
interface Flips {
  readonly points: Float64Array;
  readonly n: number;
  readonly triangles: Uint32Array;
  readonly halfedges: Int32Array;
  /** from·n + to → half-edge */
  readonly edgeAt: Map<number, number>;
}

/**
 * Flips edges until the missing pieces of the outline are edges, then until all others are
 * Delaunay.
 */
function constrain(
  points: Float64Array,
  triangles: Uint32Array,
  halfedges: Int32Array,
  follows: Int32Array,
  missing: readonly number[],
): void {
  const n = points.length / 2;
  const edgeAt = new Map<number, number>();
  for (let e = 0; e < triangles.length; e++) edgeAt.set(triangles[e] * n + triangles[next(e)], e);
  const mesh: Flips = { points, n, triangles, halfedges, edgeAt };
  for (const a of missing) insertEdge(mesh, a, follows[a]);
  flipToDelaunay(mesh, follows);
}

/** Which side of the line from a to b point c is on. */
function side({ points }: Flips, a: number, b: number, c: number): number {
  return orient2d(
    points[2 * a],
    points[2 * a + 1],
    points[2 * b],
    points[2 * b + 1],
    points[2 * c],
    points[2 * c + 1],
  );
}

/** Whether c and d are on different sides of the line through a and b. */
function separates(mesh: Flips, a: number, b: number, c: number, d: number): boolean {
  return side(mesh, a, b, c) * side(mesh, a, b, d) < 0;
}

/** Whether the segments from a to b and from c to d cross; a common end is no crossing. */
function crosses(mesh: Flips, a: number, b: number, c: number, d: number): boolean {
  if (a === c || a === d || b === c || b === d) return false;
  return separates(mesh, a, b, c, d) && separates(mesh, c, d, a, b);
}

/**
 * Turns the diagonal p → q of a quadrilateral into r → s; the triangles were (p q r) and (q p s).
 */
function flip(mesh: Flips, p: number, q: number): [number, number] {
  const { n, triangles, halfedges, edgeAt } = mesh;
  const a = edgeAt.get(p * n + q)!;
  const b = halfedges[a];
  const aNext = next(a);
  const aLast = next(aNext);
  const bNext = next(b);
  const bLast = next(bNext);
  const r = triangles[aLast];
  const s = triangles[bLast];
  const [outA, outB] = [halfedges[bNext], halfedges[aNext]];
  const [outALast, outBLast] = [halfedges[aLast], halfedges[bLast]];
  edgeAt.delete(p * n + q);
  edgeAt.delete(q * n + p);
  // triangle of a becomes (r p s), of b (s q r)
  setEdge(mesh, aLast, r, p, outALast);
  setEdge(mesh, a, p, s, outA);
  setEdge(mesh, bLast, s, q, outBLast);
  setEdge(mesh, b, q, r, outB);
  setEdge(mesh, aNext, s, r, bNext);
  setEdge(mesh, bNext, r, s, aNext);
  return [r, s];
}

function setEdge(mesh: Flips, e: number, from: number, to: number, twin: number): void {
  const { n, triangles, halfedges, edgeAt } = mesh;
  triangles[e] = from;
  edgeAt.set(from * n + to, e);
  halfedges[e] = twin;
  if (twin >= 0) halfedges[twin] = e;
}

/** Makes b → a an edge, by flipping the edges that it crosses (Sloan). */
function insertEdge(mesh: Flips, a: number, b: number): void {
  const { n, triangles, halfedges, edgeAt, points } = mesh;
  if (edgeAt.has(b * n + a)) return;
  const crossing: [number, number][] = [];
  for (let e = 0; e < triangles.length; e++) {
    const p = triangles[e];
    const q = triangles[next(e)];
    if (halfedges[e] > e && crosses(mesh, a, b, p, q)) crossing.push([p, q]);
  }
  // Each flip that clears an edge shortens the list; Sloan shows that the turns are finite, the
  // bound is for faults.
  for (let turns = 0; crossing.length > 0; turns++) {
    if (turns > 100 + 100 * triangles.length) break;
    const [p, q] = crossing.shift()!;
    const e = edgeAt.get(p * n + q)!;
    const r = triangles[next(next(e))];
    const s = triangles[next(next(halfedges[e]))];
    if (!crosses(mesh, p, q, r, s)) {
      // not convex: cannot be flipped yet
      crossing.push([p, q]);
      continue;
    }
    const diagonal = flip(mesh, p, q);
    if (crosses(mesh, a, b, diagonal[0], diagonal[1])) crossing.push(diagonal);
  }
  if (!edgeAt.has(b * n + a)) {
    throw new SheetError("outline", [
      `the outline crosses itself or passes through a point near (${points[2 * a]}, ${points[2 * a + 1]})`,
    ]);
  }
}

/** Lawson: flips what is not Delaunay, but never the outline. Four points on one circle, up to rounding, stay as they are. */
function flipToDelaunay(mesh: Flips, follows: Int32Array): void {
  const { triangles, halfedges } = mesh;
  for (let flipped = true, pass = 0; flipped && pass < 100; pass++) {
    flipped = false;
    for (let e = 0; e < triangles.length; e++) {
      const twin = halfedges[e];
      if (twin < e) continue;
      const p = triangles[e];
      const q = triangles[next(e)];
      if (follows[p] === q || follows[q] === p) continue;
      const r = triangles[next(next(e))];
      const s = triangles[next(next(twin))];
      // positive inside a counter-clockwise circle, for which orient2d of robust-predicates is negative
      const apart = inCircle(mesh, p, q, r, s) * side(mesh, p, q, r);
      if (apart < 0 && crosses(mesh, p, q, r, s)) {
        flip(mesh, p, q);
        flipped = true;
      }
    }
  }
}

/** Shewchuk's bound of the rounding errors of the determinant below, relative to the sum of its terms: (10 + 96 ε) ε with ε = 2⁻⁵³. */
const IN_CIRCLE_ERROR = (10 + 96 * 2 ** -53) * 2 ** -53;

/** Whether d is in the circle through a, b and c: positive if these turn counter-clockwise and it is; 0 where rounding might decide. */
function inCircle({ points }: Flips, a: number, b: number, c: number, d: number): number {
  const [x, y] = [points[2 * d], points[2 * d + 1]];
  const [ax, ay] = [points[2 * a] - x, points[2 * a + 1] - y];
  const [bx, by] = [points[2 * b] - x, points[2 * b + 1] - y];
  const [cx, cy] = [points[2 * c] - x, points[2 * c + 1] - y];
  const [aa, bb, cc] = [ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy];
  const det = aa * (bx * cy - cx * by) + bb * (cx * ay - ax * cy) + cc * (ax * by - bx * ay);
  const terms =
    aa * (Math.abs(bx * cy) + Math.abs(cx * by)) +
    bb * (Math.abs(cx * ay) + Math.abs(ax * cy)) +
    cc * (Math.abs(ax * by) + Math.abs(bx * ay));
  return Math.abs(det) > IN_CIRCLE_ERROR * terms ? det : 0;
}

/**
 * [triangles] 1 where a triangle is inside: reached from the inner side of the outline without
 * crossing it.
 */
function flood(triangles: Uint32Array, halfedges: Int32Array, follows: Int32Array): Uint8Array {
  const inside = new Uint8Array(triangles.length / 3);
  const queue = new Int32Array(inside.length); // each triangle enters it once
  let length = 0;
  for (let e = 0; e < triangles.length; e++) {
    if (follows[triangles[next(e)]] !== triangles[e]) continue;
    const t = Math.floor(e / 3);
    if (inside[t] === 0) queue[length++] = t;
    inside[t] = 1;
  }
  while (length > 0) {
    const t = queue[--length];
    for (let e = 3 * t; e < 3 * t + 3; e++) {
      const a = triangles[next(e)];
      const b = triangles[e];
      if (halfedges[e] < 0 || follows[a] === b || follows[b] === a) continue;
      const other = Math.floor(halfedges[e] / 3);
      if (inside[other] === 0) queue[length++] = other;
      inside[other] = 1;
    }
  }
  return inside;
}

function refuseLoosePoints(triangles: Int32Array, points: Float64Array): void {
  const used = new Uint8Array(points.length / 2);
  for (let k = 0; k < triangles.length; k++) used[triangles[k]] = 1;
  const faults: string[] = [];
  for (let i = 0; i < used.length && faults.length < 10; i++) {
    if (used[i] === 0)
      faults.push(
        `point ${i} at (${points[2 * i]}, ${points[2 * i + 1]}) is in no triangle: a duplicate, or outside an outline that has too few points`,
      );
  }
  if (faults.length > 0) throw new SheetError("triangulation", faults);
}
