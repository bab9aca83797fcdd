/**
 * Local isometric coordinates Xᵢⱼ of neighbourhoods (§3), by unrolling triangles from a point
 * outwards.
 *
 * Every triangle knows its own flat shape (`corners`). Starting with the fan around i, each
 * triangle is laid beside the one it was reached from, along their shared side; j gets its place
 * from the shortest unrolling that reaches it. Within one flat panel the next triangle has the same
 * coordinates already, nothing is turned, and X is the exact difference of uv. On a tube the next
 * triangle may be one circumference away; across a seam it is turned as well.
 *
 * Where no flat chart exists (the tip of a dart, a mesh that is curved at rest) the angles around i
 * add up to θ ≠ 2π. The fan is then spread evenly by the factor 2π/θ: distances from i stay exact
 * and no direction is preferred, while `trianglesIn` still gives every triangle its own undistorted
 * shape.
 *
 * Neighbourhoods whose points have one place each in the plane (all of a flat panel but its seams, all of a tube but its cut) are
 * read off their coordinates: the same bits at a fraction of the cost.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { atan2, cos, PI, sin } from "../linalg/elementary.ts";
import { grown, type List, listF64, listI32 } from "../linalg/lists.ts";
import type { Mesh, Neighbourhoods } from "./kinematics.ts";
import { lengthOf, next, type Places, placesOf, squaredLength } from "./plane.ts";
import { SheetError } from "./sheet-error.ts";

/**
 * Relative to the size of a triangle: rounding of coordinates is 1e-16 of the sheet's size, real
 * gaps are ≥ 1e-6.
 */
const SAME = 1e-10;

/** Triangles of neighbourhoods: entries start[i] … start[i+1]. */
export interface NeighbourhoodTriangles {
  readonly start: ReadonlyI32; // [n+1]
  /** [entries] triangles, rising */
  readonly index: ReadonlyI32;
  /** [6·entries] m, the triangle's corners in the local coordinates of i, relative to i. */
  readonly X: ReadonlyF64;
}

/**
 * 𝒩ᵢ and Xᵢⱼ for every point: the points at most so many edges away, or within a distance (m)
 * measured over the unrolled sheet. Neighbours rise by index; i itself is last, with X = 0.
 * @throws SheetError that lists points with fewer than two neighbours, or with collinear or
 *   coinciding ones
 */
export function neighbourhoods(
  mesh: Mesh,
  size: { rings: number } | { radius: number },
): Neighbourhoods {
  const unroller = createUnroller(mesh);
  const start = new Int32Array(mesh.n + 1);
  const index = listI32();
  const X = listF64();
  const faults: string[] = [];
  for (let i = 0; i < mesh.n; i++) {
    const begin = index.length;
    if (!("rings" in size && unroller.flatRings(i, size.rings, index, X))) {
      const placed =
        "rings" in size ? unroller.rings(i, size.rings) : unroller.within(i, size.radius);
      for (const j of [...placed.keys()].sort((a, b) => a - b)) {
        const [u, v] = placed.get(j)!;
        index.push(j);
        X.push(u);
        X.push(v);
      }
    }
    const fault = degeneracy(index, X, begin);
    if (fault !== null && faults.length < 10) {
      const [x, y, z] = [mesh.rest[3 * i], mesh.rest[3 * i + 1], mesh.rest[3 * i + 2]];
      faults.push(`point ${i} at (${x}, ${y}, ${z}) ${fault}`);
    }
    index.push(i);
    X.push(0);
    X.push(0);
    start[i + 1] = index.length;
  }
  if (faults.length > 0) throw new SheetError("neighbourhoods", faults);
  return { start, index: index.done(), X: X.done() };
}

/**
 * For each point the triangles all of whose corners are in its neighbourhood, laid out in its
 * coordinates.
 */
export function trianglesIn(mesh: Mesh, near: Neighbourhoods): NeighbourhoodTriangles {
  const unroller = createUnroller(mesh);
  const start = new Int32Array(mesh.n + 1);
  const index = listI32();
  const X = listF64();
  const member = new Int32Array(mesh.n).fill(-1); // the last i that counted j as a neighbour
  for (let i = 0; i < mesh.n; i++) {
    const around = (near.index as Int32Array).subarray(near.start[i], near.start[i + 1]);
    for (let e = 0; e < around.length; e++) member[around[e]] = i;
    if (!unroller.flatAmong(i, around, member, index, X)) {
      const laid = unroller.among(i, member);
      for (const t of [...laid.keys()].sort((a, b) => a - b)) {
        index.push(t);
        for (const x of laid.get(t)!) X.push(x);
      }
    }
    start[i + 1] = index.length;
  }
  return { start, index: index.done(), X: X.done() };
}

/**
 * B: the weights bⱼ of the moving-least-squares F = Σⱼ Yⱼ bⱼᵀ (§4), [2·entries] 1/m.
 *
 *   bⱼ = (Σ w X Xᵀ)⁻¹ wⱼ Xⱼ,   wⱼ = rest area of j,   bᵢ = −Σⱼ bⱼ
 *
 * Weighted by rest area and never by simulated mass: a pin of huge mass would own every F around
 * it.
 */
export function averagingWeights(near: Neighbourhoods, area: ReadonlyF64): Float64Array {
  const { start, index, X } = near;
  const B = new Float64Array(2 * index.length);
  for (let i = 0; i + 1 < start.length; i++) {
    const self = start[i + 1] - 1;
    let a = 0; // Σ w X Xᵀ = [a b; b d]
    let b = 0;
    let d = 0;
    for (let e = start[i]; e < self; e++) {
      const w = area[index[e]];
      const u = X[2 * e];
      const v = X[2 * e + 1];
      a += w * u * u;
      b += w * u * v;
      d += w * v * v;
    }
    const det = a * d - b * b;
    for (let e = start[i]; e < self; e++) {
      const w = area[index[e]];
      const u = X[2 * e];
      const v = X[2 * e + 1];
      B[2 * e] = (w * (d * u - b * v)) / det;
      B[2 * e + 1] = (w * (a * v - b * u)) / det;
      B[2 * self] -= B[2 * e];
      B[2 * self + 1] -= B[2 * e + 1];
    }
  }
  return B;
}

/**
 * Gives the points within a distance (m, over the unrolled sheet) of the place (u, v) in the chart
 * of i.
 */
export type Reach = (i: number, u: number, v: number, distance: number) => number[];

export function createReach(mesh: Mesh): Reach {
  const unroller = createUnroller(mesh);
  return (i, u, v, distance) => {
    const placed = unroller.within(i, distance + Math.sqrt(u * u + v * v));
    const limit = distance * distance * (1 + 1e-12);
    const points = u * u + v * v <= limit ? [i] : [];
    for (const [j, [x, y]] of placed) if (squaredLength(x - u, y - v) <= limit) points.push(j);
    return points;
  };
}

/** For each place in `triangles` the place of the same side in the neighbouring triangle, or −1. */
export function twins({ n, triangles }: Pick<Mesh, "n" | "triangles">): Int32Array {
  return twinsOf(triangles, placesOf(n, triangles));
}

function twinsOf(triangles: ReadonlyI32, { start, place }: Places): Int32Array {
  const twin = new Int32Array(triangles.length).fill(-1);
  for (let k = 0; k < triangles.length; k++) {
    const a = triangles[k];
    const b = triangles[next(k)];
    // the last of them, where more than two triangles share a side
    let e = start[b + 1] - 1;
    while (e >= start[b] && triangles[next(place[e])] !== a) e--;
    if (e >= start[b]) twin[k] = place[e];
  }
  return twin;
}

/** Place of j → its coordinates relative to i. */
type Placed = Map<number, [number, number]>;

interface Unroller {
  /** The rings of i where the sheet has one flat chart there: appended, rising by index. False: it has not, nothing appended. */
  flatRings(i: number, rings: number, index: List, X: List): boolean;
  /** Triangles among the points around i, likewise. */
  flatAmong(i: number, around: ReadonlyI32, member: Int32Array, index: List, X: List): boolean;
  rings(i: number, rings: number): Placed;
  within(i: number, radius: number): Placed;
  /** Triangles whose corners j all have member[j] = i, with their corners. */
  among(i: number, member: Int32Array): Map<number, number[]>;
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

function createUnroller({ n, triangles, corners }: Mesh): Unroller {
  const { start: first, place: places } = placesOf(n, triangles);
  const twin = twinsOf(triangles, { start: first, place: places });
  const flat = flatPoints();
  const seenBy = new Int32Array(n).fill(-1); // the last i whose rings held the point
  const usedBy = new Int32Array(triangles.length / 3).fill(-1);
  let found = new Int32Array(64);

  // A triangle that is only shifted is not multiplied, so that X stays the exact difference of uv.
  const x = (k: number, { c, s, u }: Laid): number =>
    (c === 1 ? corners[2 * k] : c * corners[2 * k] - s * corners[2 * k + 1]) + u;
  const y = (k: number, { c, s, v }: Laid): number =>
    (c === 1 ? corners[2 * k + 1] : s * corners[2 * k] + c * corners[2 * k + 1]) + v;

  return { flatRings, flatAmong, rings, within, among };

  /**
   * Points with the same coordinates in all their triangles, which lie around them in one fan. A neighbourhood of such points
   * needs no unrolling: every triangle would be laid where its own coordinates have it.
   */
  function flatPoints(): Uint8Array {
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

  function flatRings(i: number, count: number, index: List, X: List): boolean {
    if (first[i] === first[i + 1] || flat[i] === 0) return false;
    let size = 1;
    found[0] = i;
    seenBy[i] = i;
    for (let r = 0, begin = 0; r < count; r++) {
      const end = size;
      for (; begin < end; begin++) {
        const p = found[begin];
        for (let e = first[p]; e < first[p + 1]; e++) {
          const one = next(places[e]);
          for (let side = 0; side < 2; side++) {
            const j = triangles[side === 0 ? one : next(one)];
            if (seenBy[j] === i) continue;
            if (flat[j] === 0) {
              for (let f = 0; f < size; f++) seenBy[found[f]] = -1;
              return false;
            }
            seenBy[j] = i;
            if (size === found.length) found = grown(found);
            found[size++] = j;
          }
        }
      }
    }
    const points = found.subarray(1, size).sort();
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

  function flatAmong(
    i: number,
    around: ReadonlyI32,
    member: Int32Array,
    index: List,
    X: List,
  ): boolean {
    for (let e = 0; e < around.length; e++) if (flat[around[e]] === 0) return false;
    let size = 0;
    for (let e = 0; e < around.length; e++) {
      const p = around[e];
      for (let f = first[p]; f < first[p + 1]; f++) {
        const t = Math.floor(places[f] / 3);
        if (usedBy[t] === i) continue;
        usedBy[t] = i;
        if (!isAmong(t, i, member)) continue;
        if (size === found.length) found = grown(found);
        found[size++] = t;
      }
    }
    const own = places[first[i]];
    const u = -corners[2 * own];
    const v = -corners[2 * own + 1];
    const chosen = found.subarray(0, size).sort();
    for (let f = 0; f < size; f++) {
      index.push(chosen[f]);
      for (let k = 3 * chosen[f]; k < 3 * chosen[f] + 3; k++) {
        X.push(corners[2 * k] + u);
        X.push(corners[2 * k + 1] + v);
      }
    }
    return true;
  }

  function isAmong(t: number, i: number, member: Int32Array): boolean {
    return (
      member[triangles[3 * t]] === i &&
      member[triangles[3 * t + 1]] === i &&
      member[triangles[3 * t + 2]] === i
    );
  }

  function rings(i: number, count: number): Placed {
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
    return unroll(i, (t) => corners3(t).every((j) => distance.has(j))).placed;
  }

  function within(i: number, radius: number): Placed {
    const limit = radius * radius * (1 + 1e-12); // a grid's neighbours at exactly the radius are in
    const { placed } = unroll(i, (_, shared) => shared <= limit);
    for (const [j, [u, v]] of placed) if (u * u + v * v > limit) placed.delete(j);
    return placed;
  }

  function among(i: number, member: Int32Array): Map<number, number[]> {
    const { laid } = unroll(i, (t) => corners3(t).every((j) => member[j] === i));
    const result = new Map<number, number[]>();
    for (const at of laid) {
      const ks = [3 * at.t, 3 * at.t + 1, 3 * at.t + 2];
      if (ks.every((k) => member[triangles[k]] === i)) {
        result.set(
          at.t,
          ks.flatMap((k) => [x(k, at), y(k, at)]),
        );
      }
    }
    return result;
  }

  function corners3(t: number): number[] {
    return [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]];
  }

  /**
   * Nearest first over the triangles that may be entered: of all sides on the frontier the one
   * whose middle is nearest to i is crossed next, so that a point behind a hole or a dart is
   * reached the short way around. `shared` is the least squared distance of the ends of the side.
   */
  function unroll(
    i: number,
    mayEnter: (t: number, shared: number) => boolean,
  ): { placed: Placed; laid: Laid[] } {
    const placed: Placed = new Map();
    const laid = fan(i, placed);
    const seen = new Set(laid.map(({ t }) => t));
    const frontier: { from: Laid; k: number; far: number }[] = [];
    const widen = (from: Laid): void => {
      for (let k = 3 * from.t; k < 3 * from.t + 3; k++) {
        if (twin[k] < 0 || seen.has(Math.floor(twin[k] / 3))) continue;
        const [ax, ay, bx, by] = [x(k, from), y(k, from), x(next(k), from), y(next(k), from)];
        const shared = Math.min(ax * ax + ay * ay, bx * bx + by * by);
        if (!mayEnter(Math.floor(twin[k] / 3), shared)) continue;
        frontier.push({ from, k, far: squaredLength(ax + bx, ay + by) });
      }
    };
    for (const triangle of laid) widen(triangle);
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
      const triangle = beside(from, k, twin[k], 0.5);
      laid.push(triangle);
      for (let c = 3 * t; c < 3 * t + 3; c++) place(placed, i, c, triangle);
      widen(triangle);
    }
    return { placed, laid };
  }

  /** Keeps the nearest place found for a point. */
  function place(placed: Placed, i: number, k: number, laid: Laid): void {
    const j = triangles[k];
    if (j === i) return;
    const [u, v] = [x(k, laid), y(k, laid)];
    const known = placed.get(j);
    if (known === undefined || squaredLength(u, v) < squaredLength(...known) * (1 - 1e-9)) {
      placed.set(j, [u, v]);
    }
  }

  /**
   * The triangle of side `across` laid along side `k` of `from`, which is the same side seen from
   * the other triangle. Eased seams have sides of two lengths: they are brought together at the
   * fraction `anchor` from the start of k.
   */
  function beside(from: Laid, k: number, across: number, anchor: number): Laid {
    const to = next(k);
    const back = next(across); // the point of k; `across` itself starts at the point of `to`
    const t = Math.floor(across / 3);
    const same = (p: number, q: number): boolean =>
      corners[2 * p] === corners[2 * q] && corners[2 * p + 1] === corners[2 * q + 1];
    if (same(k, back) && same(to, across)) return { ...from, t };
    const [au, av] = [x(to, from) - x(k, from), y(to, from) - y(k, from)];
    const [bu, bv] = [
      corners[2 * across] - corners[2 * back],
      corners[2 * across + 1] - corners[2 * back + 1],
    ];
    const size = Math.sqrt((au * au + av * av) * (bu * bu + bv * bv));
    let [c, s] = [(au * bu + av * bv) / size, (av * bu - au * bv) / size];
    if (Math.abs(s) < SAME && c > 0) [c, s] = [1, 0];
    const turned: Laid = { t, c, s, u: 0, v: 0 };
    const along = (p: number, q: number): number => p + anchor * (q - p);
    turned.u = along(x(k, from), x(to, from)) - along(x(back, turned), x(across, turned));
    turned.v = along(y(k, from), y(to, from)) - along(y(back, turned), y(across, turned));
    return turned;
  }

  /** Lays the triangles around i, i at 0, and places the points of the first ring. */
  function fan(i: number, placed: Placed): Laid[] {
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
      else laid.push(beside(laid[a - 1], next(next(around[a - 1])), k, 1));
    });
    if (twin[begin] >= 0 && !closes(around, laid)) {
      spread(around, laid, placed);
      return laid;
    }

    around.forEach((k, a) => {
      for (const p of [next(k), next(next(k))]) {
        const [u, v] = [x(p, laid[a]), y(p, laid[a])];
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
  function closes(around: readonly number[], laid: readonly Laid[]): boolean {
    const [k, last] = [next(around[0]), next(next(around[around.length - 1]))];
    const [au, av] = [x(k, laid[0]), y(k, laid[0])];
    const end = laid[laid.length - 1];
    const [bu, bv] = [x(last, end), y(last, end)];
    const size = Math.sqrt((au * au + av * av) * (bu * bu + bv * bv));
    return Math.abs(au * bv - av * bu) < 1e-8 * size && au * bu + av * bv > 0;
  }

  /**
   * Spreads a fan whose angles add up to θ over the full turn: angles times 2π/θ, distances from i
   * kept.
   */
  function spread(around: readonly number[], laid: Laid[], placed: Placed): void {
    const angles = around.map((k, a) => {
      const [p, q] = [next(k), next(next(k))];
      const [au, av, bu, bv] = [x(p, laid[a]), y(p, laid[a]), x(q, laid[a]), y(q, laid[a])];
      return atan2(au * bv - av * bu, au * bu + av * bv);
    });
    const factor = (2 * PI) / angles.reduce((sum, angle) => sum + angle, 0);
    const begin = next(around[0]);
    let direction = atan2(y(begin, laid[0]), x(begin, laid[0]));
    let before = 0;
    around.forEach((k, a) => {
      // The side that this triangle shares with the one before; an eased seam gives it two lengths.
      const last = around[(a + around.length - 1) % around.length];
      const size = (side(k, next(k)) + side(last, next(next(last)))) / 2;
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
  function side(p: number, q: number): number {
    return lengthOf(corners[2 * p] - corners[2 * q], corners[2 * p + 1] - corners[2 * q + 1]);
  }
}

/** Why a neighbourhood (entries from `begin`) cannot carry a plane, or null. */
function degeneracy(index: List, X: List, begin: number): string | null {
  const count = index.length - begin;
  if (count < 2) return `has ${count === 1 ? "one neighbour" : "no neighbour"}, needs two or more`;
  const at = X.items;
  const end = index.length;
  let a = 0;
  let b = 0;
  let d = 0;
  for (let e = begin; e < end; e++) {
    const u = at[2 * e];
    const v = at[2 * e + 1];
    a += u * u;
    b += u * v;
    d += v * v;
  }
  for (let e = begin; e < end; e++) {
    if (squaredLength(at[2 * e], at[2 * e + 1]) < 1e-18 * (a + d))
      return `coincides with its neighbour ${index.items[e]}`;
  }
  // The ratio of the two spreads; at 1e-5 the neighbours are within a third of a percent of one
  // line.
  if (!(a * d - b * b > 2.5e-6 * (a + d) * (a + d))) return "has all its neighbours on one line";
  return null;
}
