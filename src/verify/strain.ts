/**
 * How much a frame is strained, from its positions and the rest shape alone: the relative change of length of every edge.
 *
 * Rest lengths are worked out anew from the material coordinates of the triangles, not taken from the list of lengths that the
 * engine used. Where samples have frames the length of an edge is that of its arc: the cubic with the ends of the edge and, as
 * derivatives there, ℓ F t. The tangents t are recorded, because each sample has a chart of its own; that they make the
 * angles of the material is proven by `tangentFault`, and that frames do not strain the sheet by `frameStrain`.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { placesOf } from "./places.ts";

/** Edges of a triangulation with their rest lengths, m. */
export interface RestEdges {
  /** [2·edges] points */
  readonly points: ReadonlyI32;
  /** [edges] m */
  readonly length: ReadonlyF64;
  /** Where samples have frames: what they need to be read. */
  readonly arcs?: ArcEdges;
}

export interface ArcEdges {
  readonly n: number;
  /** [n] m, by which frames are stored longer */
  readonly spacing: ReadonlyF64;
  /** [4·edges] unit tangent of each edge in the charts of its two ends */
  readonly tangent: ReadonlyF64;
}

export interface Strain {
  /** Mean of |length/rest − 1| over the edges. */
  mean: number;
  /** Largest length/rest − 1, and largest 1 − length/rest; at least 0. */
  stretchMax: number;
  compressionMax: number;
  /** The edge with the largest |length/rest − 1|, and that with the largest length/rest. */
  edge: number;
  longest: number;
}

/** @param pose [3n] positions, [9n] with frames where edges are arcs */
export function strainOf(pose: ReadonlyF64, edges: RestEdges): Strain {
  const count = edges.length.length;
  const strain: Strain = { mean: 0, stretchMax: 0, compressionMax: 0, edge: 0, longest: 0 };
  let sum = 0;
  let worst = 0;
  for (let e = 0; e < count; e++) {
    const length = edges.arcs
      ? arcLength(pose, edges, edges.arcs, e)
      : chord(pose, edges.points, e);
    const change = length / edges.length[e] - 1;
    sum += Math.abs(change);
    if (change > strain.stretchMax) {
      strain.stretchMax = change;
      strain.longest = e;
    }
    if (-change > strain.compressionMax) strain.compressionMax = -change;
    if (Math.abs(change) > worst) {
      worst = Math.abs(change);
      strain.edge = e;
    }
  }
  strain.mean = count === 0 ? 0 : sum / count;
  return strain;
}

/** m, between the ends of edge e. */
function chord(positions: ReadonlyF64, points: ReadonlyI32, e: number): number {
  const [a, b] = [3 * points[2 * e], 3 * points[2 * e + 1]];
  const x = positions[a] - positions[b];
  const y = positions[a + 1] - positions[b + 1];
  const z = positions[a + 2] - positions[b + 2];
  return Math.sqrt(x * x + y * y + z * z);
}

/** Where and how much Gauss's rule of three samples −1 … 1. */
const RULE: readonly (readonly [place: number, weight: number])[] = [
  [-Math.sqrt(3 / 5), 5 / 9],
  [0, 8 / 9],
  [Math.sqrt(3 / 5), 5 / 9],
];

/** m, along the cubic of edge e: its Bézier points are the ends and those a third of ℓ F t away from them. */
function arcLength(Y: ReadonlyF64, edges: RestEdges, arcs: ArcEdges, e: number): number {
  const [i, j] = [edges.points[2 * e], edges.points[2 * e + 1]];
  const third = edges.length[e] / 3;
  const along = (p: number, t: number, c: number): number => {
    const f = 3 * arcs.n + 6 * p + c;
    return (third * (arcs.tangent[t] * Y[f] + arcs.tangent[t + 1] * Y[f + 3])) / arcs.spacing[p];
  };
  let length = 0;
  for (const [place, weight] of RULE) {
    const s = (1 + place) / 2;
    let squared = 0;
    for (let c = 0; c < 3; c++) {
      const [first, last] = [along(i, 4 * e, c), along(j, 4 * e + 2, c)];
      const middle = Y[3 * j + c] - last - (Y[3 * i + c] + first);
      const slope = 3 * ((1 - s) * (1 - s) * first + 2 * s * (1 - s) * middle + s * s * last);
      squared += slope * slope;
    }
    length += (weight / 2) * Math.sqrt(squared);
  }
  return length;
}

/** Largest | |F d| − 1 | of any direction d at any sample, and that sample. */
export function frameStrain(
  Y: ReadonlyF64,
  { n, spacing }: ArcEdges,
): { strain: number; sample: number } {
  const worst = { strain: 0, sample: 0 };
  for (let i = 0; i < n; i++) {
    const f = 3 * n + 6 * i;
    const dot = (a: number, b: number): number =>
      (Y[a] * Y[b] + Y[a + 1] * Y[b + 1] + Y[a + 2] * Y[b + 2]) / (spacing[i] * spacing[i]);
    const [p, q, r] = [dot(f, f), dot(f, f + 3), dot(f + 3, f + 3)];
    // eigenvalues of [p q; q r]
    const root = Math.sqrt((p - r) * (p - r) + 4 * q * q);
    const most = Math.sqrt((p + r + root) / 2) - 1;
    const least = 1 - Math.sqrt(Math.max(0, (p + r - root) / 2));
    const strain = Math.max(most, least);
    if (!(strain <= worst.strain)) {
      worst.strain = strain;
      worst.sample = i;
    }
  }
  return worst;
}

/** rad that a recorded angle may be off. */
const ANGLE = 1e-6;

/**
 * What is wrong with the tangents of edges, or null. They must be units and, at every sample around which the material is flat
 * (its angles add to a whole turn, or it is on the rim), make the angles that the triangles have there: then a frame that keeps
 * lengths keeps them in every direction.
 */
export function tangentFault(
  sheet: {
    n: number;
    triangles: ReadonlyI32;
    corners: ReadonlyF64;
    boundary: Uint8Array;
    edges: ReadonlyI32;
  },
  tangent: ReadonlyF64,
): string | null {
  const { n, triangles, corners, boundary, edges } = sheet;
  for (let k = 0; k < tangent.length; k += 2)
    if (!(Math.abs(tangent[k] * tangent[k] + tangent[k + 1] * tangent[k + 1] - 1) < ANGLE))
      return `the tangent of edge ${edges[k >> 1]}–${edges[(k >> 1) ^ 1]} is no unit vector`;
  const place = placesOf(edges, n);
  const total = new Float64Array(n);
  const worst = new Float64Array(n);
  for (let k = 0; k < triangles.length; k++) {
    const [next, last] = [k % 3 === 2 ? k - 2 : k + 1, k % 3 === 0 ? k + 2 : k - 1];
    const i = triangles[k];
    const to = (other: number): number[] =>
      [0, 1].map((c) => corners[2 * other + c] - corners[2 * k + c]);
    const chart = (other: number): number[] => {
      const p = place.get(i * n + triangles[other]);
      if (p === undefined) return [Number.NaN, Number.NaN];
      const sign = p % 2 === 0 ? 1 : -1; // tangents go from the first end to the second
      return [sign * tangent[2 * p], sign * tangent[2 * p + 1]];
    };
    const [flat, recorded] = [angle(to(next), to(last)), angle(chart(next), chart(last))];
    const off = Math.abs(flat - recorded);
    total[i] += flat;
    if (!(off <= worst[i])) worst[i] = off;
  }
  for (let i = 0; i < n; i++) {
    const isFlat = boundary[i] === 1 || Math.abs(total[i] - 2 * Math.PI) < ANGLE;
    if (isFlat && !(worst[i] < ANGLE))
      return `the tangents of edges at sample ${i} do not make the angles of its triangles`;
  }
  return null;
}

/** rad, from one vector to another, counter-clockwise. */
function angle([a, b]: number[], [c, d]: number[]): number {
  return Math.atan2(a * d - b * c, a * c + b * d);
}

/**
 * Least and largest length of each edge by the material coordinates of the triangles that have it; NaN where none has. They
 * differ where a seam eases a longer edge onto a shorter one.
 *
 * @param corners [6·triangles] m, uv of the corners of each triangle
 */
export function materialLengths(
  edges: ReadonlyI32,
  triangles: ReadonlyI32,
  corners: ReadonlyF64,
  n: number,
): [least: Float64Array, most: Float64Array] {
  const key = (a: number, b: number): number => Math.min(a, b) * n + Math.max(a, b);
  const number = new Map<number, number>();
  const count = edges.length / 2;
  for (let e = 0; e < count; e++) number.set(key(edges[2 * e], edges[2 * e + 1]), e);
  const least = new Float64Array(count).fill(Number.NaN);
  const most = new Float64Array(count).fill(Number.NaN);
  for (let k = 0; k < triangles.length; k++) {
    const next = k % 3 === 2 ? k - 2 : k + 1;
    const e = number.get(key(triangles[k], triangles[next]));
    if (e === undefined) continue;
    const u = corners[2 * k] - corners[2 * next];
    const v = corners[2 * k + 1] - corners[2 * next + 1];
    const length = Math.sqrt(u * u + v * v);
    if (!(length >= least[e])) least[e] = length;
    if (!(length <= most[e])) most[e] = length;
  }
  return [least, most];
}
