/**
 * How much a frame is strained, from its positions and the rest shape alone: the relative change of length of every edge.
 *
 * Rest lengths are worked out anew from the material coordinates of the triangles, not taken from the list of lengths that the
 * engine used. Where the sheet is drawn as curved patches the length of an edge is that of its arc; another definition
 * takes the place of `edgeLengths`, and nothing else changes.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";

/** Edges of a triangulation with their rest lengths, m. */
export interface RestEdges {
  /** [2·edges] points */
  readonly points: ReadonlyI32;
  /** [edges] m */
  readonly length: ReadonlyF64;
}

export interface Strain {
  /** Mean of |length/rest − 1| over the edges. */
  mean: number;
  /** Largest length/rest − 1, and largest 1 − length/rest; at least 0. */
  stretchMax: number;
  compressionMax: number;
  /** The edge with the largest |length/rest − 1|. */
  edge: number;
}

export function strainOf(positions: ReadonlyF64, edges: RestEdges): Strain {
  const count = edges.length.length;
  const strain: Strain = { mean: 0, stretchMax: 0, compressionMax: 0, edge: 0 };
  let sum = 0;
  let worst = 0;
  for (let e = 0; e < count; e++) {
    const change = edgeLength(positions, edges.points, e) / edges.length[e] - 1;
    sum += Math.abs(change);
    if (change > strain.stretchMax) strain.stretchMax = change;
    if (-change > strain.compressionMax) strain.compressionMax = -change;
    if (Math.abs(change) > worst) {
      worst = Math.abs(change);
      strain.edge = e;
    }
  }
  strain.mean = count === 0 ? 0 : sum / count;
  return strain;
}

/** m, of edge e as the frame has it. */
function edgeLength(positions: ReadonlyF64, points: ReadonlyI32, e: number): number {
  const [a, b] = [3 * points[2 * e], 3 * points[2 * e + 1]];
  const x = positions[a] - positions[b];
  const y = positions[a + 1] - positions[b + 1];
  const z = positions[a + 2] - positions[b + 2];
  return Math.sqrt(x * x + y * y + z * z);
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
