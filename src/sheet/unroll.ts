/**
 * Unrolls a mesh from a point outwards: each triangle keeps its own flat shape (`corners`) and is laid beside the one it was reached from, along
 * their shared side; a point gets its place from the shortest unrolling that reaches it (charts.ts says what for).
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { atan2, cos, PI, sin } from "../linalg/elementary.ts";
import { grown, type List } from "../linalg/lists.ts";
import type { Mesh } from "./kinematics.ts";
import { lengthOf, next, type Places, placesOf, squaredLength, twinsOf } from "./plane.ts";

/**
 * Relative to the size of a triangle: rounding of coordinates is 1e-16 of the sheet's size, real
 * gaps are ≥ 1e-6.
 */
const SAME = 1e-10;

/** Factor on squared radii: a grid's neighbours at exactly the radius are in. */
export const SAME_RADIUS: number = 1 + 1e-12;
/** Factor on squared lengths under which another unrolling is shorter, not the same but for rounding. */
const NEARER = 1 - 1e-9;
/** rad between the first and the last side of a fan that closes: rounding of some ten turns. */
const ONE_DIRECTION = 1e-8;

/** Place of j → its coordinates relative to i. */
export type Placed = Map<number, [number, number]>;

/** A mesh that can be unrolled, with room for the search. */
export interface Unroller {
  readonly triangles: ReadonlyI32;
  readonly corners: ReadonlyF64; // [2·places] m, each corner in the flat shape of its triangle
  /** Places in `triangles` of point i: places[first[i]] … */
  readonly first: Int32Array;
  readonly places: Int32Array;
  readonly twin: Int32Array; // twins of the places
  readonly flat: Uint8Array; // [n] flatPoints
  readonly seenBy: Int32Array; // [n] the last i whose rings held the point
  found: Int32Array; // grows
}

/**
 * A triangle laid into a chart: corner x goes to [c −s; s c] x + (u, v). Only shifted where c = 1.
 */
interface Laid {
  t: number;
  c: number;
  s: number;
  u: number;
  v: number;
}

export function createUnroller({ n, triangles, corners }: Mesh): Unroller {
  const places = placesOf(n, triangles);
  const twin = twinsOf(triangles, places);
  return {
    triangles,
    corners,
    first: places.start,
    places: places.place,
    twin,
    flat: flatPoints(n, corners, places, twin),
    seenBy: new Int32Array(n).fill(-1),
    found: new Int32Array(64),
  };
}

// A triangle that is only shifted is not multiplied, so that X stays the exact difference of uv.
function x(corners: ReadonlyF64, k: number, { c, s, u }: Laid): number {
  return (c === 1 ? corners[2 * k] : c * corners[2 * k] - s * corners[2 * k + 1]) + u;
}
function y(corners: ReadonlyF64, k: number, { c, s, v }: Laid): number {
  return (c === 1 ? corners[2 * k + 1] : s * corners[2 * k] + c * corners[2 * k + 1]) + v;
}

/**
 * Points with the same coordinates in all their triangles, which lie around them in one fan. A neighbourhood of such points
 * needs no unrolling: every triangle would be laid where its own coordinates have it.
 */
function flatPoints(
  n: number,
  corners: ReadonlyF64,
  { start: first, place: places }: Places,
  twin: Int32Array,
): Uint8Array {
  const one = new Uint8Array(n).fill(1);
  for (let i = 0; i < n; i++) {
    const own = places[first[i]];
    let ends = 0;
    for (let e = first[i]; e < first[i + 1]; e++) {
      const k = places[e];
      if (corners[2 * k] !== corners[2 * own] || corners[2 * k + 1] !== corners[2 * own + 1])
        one[i] = 0;
      if (twin[k] < 0) ends++;
    }
    if (ends > 1) one[i] = 0;
  }
  return one;
}

/** The rings of i where the sheet has one flat unroller there: appended, rising by index. False: it has not, nothing appended. */
export function flatRings(
  unroller: Unroller,
  i: number,
  count: number,
  index: List,
  X: List,
): boolean {
  const { triangles, corners, first, places, flat, seenBy } = unroller;
  if (first[i] === first[i + 1] || flat[i] === 0) return false;
  let size = 1;
  unroller.found[0] = i;
  seenBy[i] = i;
  for (let r = 0, begin = 0; r < count; r++) {
    const end = size;
    for (; begin < end; begin++) {
      const p = unroller.found[begin];
      for (let e = first[p]; e < first[p + 1]; e++) {
        const one = next(places[e]);
        for (let side = 0; side < 2; side++) {
          const j = triangles[side === 0 ? one : next(one)];
          if (seenBy[j] === i) continue;
          if (flat[j] === 0) {
            for (let f = 0; f < size; f++) seenBy[unroller.found[f]] = -1;
            return false;
          }
          seenBy[j] = i;
          if (size === unroller.found.length) unroller.found = grown(unroller.found);
          unroller.found[size++] = j;
        }
      }
    }
  }
  const points = unroller.found.subarray(1, size).sort();
  const own = places[first[i]];
  const u = -corners[2 * own];
  const v = -corners[2 * own + 1];
  for (let f = 0; f < points.length; f++) {
    const k = places[first[points[f]]];
    index.push(points[f]);
    X.push(corners[2 * k] + u);
    X.push(corners[2 * k + 1] + v);
  }
  return true;
}

/** The points at most `count` edges from i. */
export function ringsAround(unroller: Unroller, i: number, count: number): Placed {
  const { triangles, first, places } = unroller;
  // Points by number of edges from i; then every triangle among them.
  const distance = new Map<number, number>([[i, 0]]);
  for (let ring = [i], r = 1; r <= count; r++) {
    const wider: number[] = [];
    for (const p of ring) {
      for (let e = first[p]; e < first[p + 1]; e++) {
        for (const k of [next(places[e]), next(next(places[e]))]) {
          if (distance.has(triangles[k])) continue;
          distance.set(triangles[k], r);
          wider.push(triangles[k]);
        }
      }
    }
    ring = wider;
  }
  return unroll(unroller, i, (t) => corners3(unroller, t).every((j) => distance.has(j)));
}

/** The points within a distance of i, measured over the unrolled sheet. */
export function pointsWithin(unroller: Unroller, i: number, radius: number): Placed {
  const limit = radius * radius * SAME_RADIUS;
  const placed = unroll(unroller, i, (_, shared) => shared <= limit);
  for (const [j, [u, v]] of placed) if (u * u + v * v > limit) placed.delete(j);
  return placed;
}

function corners3(unroller: Unroller, t: number): number[] {
  const { triangles } = unroller;
  return [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]];
}

/**
 * Nearest first over the triangles that may be entered: of all sides on the frontier the one
 * whose middle is nearest to i is crossed next, so that a point behind a hole or a dart is
 * reached the short way around. `shared` is the least squared distance of the ends of the side.
 */
function unroll(
  unroller: Unroller,
  i: number,
  mayEnter: (t: number, shared: number) => boolean,
): Placed {
  const { twin, corners } = unroller;
  const placed: Placed = new Map();
  const around = fan(unroller, i, placed);
  const seen = new Set(around.map(({ t }) => t));
  const frontier: { from: Laid; k: number; far: number }[] = [];
  const widen = (from: Laid): void => {
    for (let k = 3 * from.t; k < 3 * from.t + 3; k++) {
      if (twin[k] < 0 || seen.has(Math.floor(twin[k] / 3))) continue;
      const [ax, ay, bx, by] = [
        x(corners, k, from),
        y(corners, k, from),
        x(corners, next(k), from),
        y(corners, next(k), from),
      ];
      const shared = Math.min(ax * ax + ay * ay, bx * bx + by * by);
      if (!mayEnter(Math.floor(twin[k] / 3), shared)) continue;
      frontier.push({ from, k, far: squaredLength(ax + bx, ay + by) });
    }
  };
  for (const triangle of around) widen(triangle);
  while (frontier.length > 0) {
    let nearest = 0;
    for (let f = 1; f < frontier.length; f++) {
      if (frontier[f].far < frontier[nearest].far) nearest = f;
    }
    const { from, k } = frontier[nearest];
    frontier[nearest] = frontier[frontier.length - 1];
    frontier.pop();
    const t = Math.floor(twin[k] / 3);
    if (seen.has(t)) continue;
    seen.add(t);
    const triangle = beside(unroller, from, k, twin[k], 0.5);
    for (let c = 3 * t; c < 3 * t + 3; c++) place(unroller, placed, i, c, triangle);
    widen(triangle);
  }
  return placed;
}

/** Keeps the nearest place found for a point. */
function place(unroller: Unroller, placed: Placed, i: number, k: number, laid: Laid): void {
  const { triangles, corners } = unroller;
  const j = triangles[k];
  if (j === i) return;
  const [u, v] = [x(corners, k, laid), y(corners, k, laid)];
  const known = placed.get(j);
  if (known === undefined || squaredLength(u, v) < squaredLength(...known) * NEARER) {
    placed.set(j, [u, v]);
  }
}

/**
 * The triangle of side `across` laid along side `k` of `from`, which is the same side seen from
 * the other triangle. Eased seams have sides of two lengths: they are brought together at the
 * fraction `anchor` from the start of k.
 */
function beside(unroller: Unroller, from: Laid, k: number, across: number, anchor: number): Laid {
  const { corners } = unroller;
  const to = next(k);
  const back = next(across); // the point of k; `across` itself starts at the point of `to`
  const t = Math.floor(across / 3);
  const same = (p: number, q: number): boolean =>
    corners[2 * p] === corners[2 * q] && corners[2 * p + 1] === corners[2 * q + 1];
  if (same(k, back) && same(to, across)) return { ...from, t };
  const [au, av] = [
    x(corners, to, from) - x(corners, k, from),
    y(corners, to, from) - y(corners, k, from),
  ];
  const [bu, bv] = [
    corners[2 * across] - corners[2 * back],
    corners[2 * across + 1] - corners[2 * back + 1],
  ];
  const size = Math.sqrt((au * au + av * av) * (bu * bu + bv * bv));
  let [c, s] = [(au * bu + av * bv) / size, (av * bu - au * bv) / size];
  if (Math.abs(s) < SAME && c > 0) [c, s] = [1, 0];
  const turned: Laid = { t, c, s, u: 0, v: 0 };
  const along = (p: number, q: number): number => p + anchor * (q - p);
  turned.u =
    along(x(corners, k, from), x(corners, to, from)) -
    along(x(corners, back, turned), x(corners, across, turned));
  turned.v =
    along(y(corners, k, from), y(corners, to, from)) -
    along(y(corners, back, turned), y(corners, across, turned));
  return turned;
}

/** Lays the triangles around i, i at 0, and places the points of the first ring. */
function fan(unroller: Unroller, i: number, placed: Placed): Laid[] {
  const { triangles, corners, first, places, twin } = unroller;
  const lowest = places[first[i]];
  if (first[i] === first[i + 1]) return [];
  // Places of i, counter-clockwise: from the boundary if i is on it, else from the lowest
  // triangle.
  let begin = lowest;
  while (twin[begin] >= 0) {
    begin = next(twin[begin]);
    if (begin === lowest) break;
  }
  const around = [begin];
  for (;;) {
    const k = twin[next(next(around[around.length - 1]))];
    if (k < 0 || k === begin) break;
    around.push(k);
  }

  const laid: Laid[] = [];
  around.forEach((k, a) => {
    const t = Math.floor(k / 3);
    if (a === 0) laid.push({ t, c: 1, s: 0, u: -corners[2 * k], v: -corners[2 * k + 1] });
    else laid.push(beside(unroller, laid[a - 1], next(next(around[a - 1])), k, 1));
  });
  if (twin[begin] >= 0 && !closes(unroller, around, laid)) {
    spread(unroller, around, laid, placed);
    return laid;
  }

  around.forEach((k, a) => {
    for (const p of [next(k), next(next(k))]) {
      const [u, v] = [x(corners, p, laid[a]), y(corners, p, laid[a])];
      const [knownU, knownV] = placed.get(triangles[p]) ?? [u, v];
      const apart = Math.abs(knownU - u) + Math.abs(knownV - v);
      // The two sides of an eased seam place a point twice, on one line from i: the mean.
      if (apart > SAME * (Math.abs(u) + Math.abs(v))) {
        placed.set(triangles[p], [(knownU + u) / 2, (knownV + v) / 2]);
      } else placed.set(triangles[p], [knownU, knownV]);
    }
  });
  return laid;
}

/** Does the last triangle around a point end in the direction in which the first one starts? */
function closes(unroller: Unroller, around: readonly number[], laid: readonly Laid[]): boolean {
  const { corners } = unroller;
  const [k, last] = [next(around[0]), next(next(around[around.length - 1]))];
  const [au, av] = [x(corners, k, laid[0]), y(corners, k, laid[0])];
  const end = laid[laid.length - 1];
  const [bu, bv] = [x(corners, last, end), y(corners, last, end)];
  const size = Math.sqrt((au * au + av * av) * (bu * bu + bv * bv));
  return Math.abs(au * bv - av * bu) < ONE_DIRECTION * size && au * bu + av * bv > 0;
}

/**
 * Spreads a fan whose angles add up to θ over the full turn: angles times 2π/θ, distances from i
 * kept.
 */
function spread(unroller: Unroller, around: readonly number[], laid: Laid[], placed: Placed): void {
  const { triangles, corners } = unroller;
  const angles = around.map((k, a) => {
    const [p, q] = [next(k), next(next(k))];
    const [au, av, bu, bv] = [
      x(corners, p, laid[a]),
      y(corners, p, laid[a]),
      x(corners, q, laid[a]),
      y(corners, q, laid[a]),
    ];
    return atan2(au * bv - av * bu, au * bu + av * bv);
  });
  const factor = (2 * PI) / angles.reduce((sum, angle) => sum + angle, 0);
  const begin = next(around[0]);
  let direction = atan2(y(corners, begin, laid[0]), x(corners, begin, laid[0]));
  let before = 0;
  around.forEach((k, a) => {
    // The side that this triangle shares with the one before; an eased seam gives it two lengths.
    const last = around[(a + around.length - 1) % around.length];
    const size = (side(corners, k, next(k)) + side(corners, last, next(next(last)))) / 2;
    placed.set(triangles[next(k)], [size * cos(direction), size * sin(direction)]);
    // Each triangle keeps its shape, its bisector where the spread angles have it.
    laid[a] = turnedBy(laid[a], (factor - 1) * (before + angles[a] / 2));
    before += angles[a];
    direction += factor * angles[a];
  });
}

function turnedBy(laid: Laid, angle: number): Laid {
  const [c, s] = [cos(angle), sin(angle)];
  return {
    t: laid.t,
    c: c * laid.c - s * laid.s,
    s: s * laid.c + c * laid.s,
    u: c * laid.u - s * laid.v,
    v: s * laid.u + c * laid.v,
  };
}

/** m, between two corners of one triangle. */
function side(corners: ReadonlyF64, p: number, q: number): number {
  return lengthOf(corners[2 * p] - corners[2 * q], corners[2 * p + 1] - corners[2 * q + 1]);
}
