/**
 * The curved sheet as triangles, made anew from positions and frames: the samples and the middles of the arcs,
 *
 *   ½(yᵢ + yⱼ) + ⅛ ℓ (Fᵢ t − Fⱼ t)
 *
 * and four triangles for each. This is the surface that contact looks at where arcs leave their chords.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import type { ArcEdges } from "./strain.ts";

export interface HalvedSheet {
  /** [12·triangles of the sheet] points: samples, then middles in the order of the edges */
  readonly triangles: Int32Array;
  /** [n + edges] points of one number are one point of a seam */
  readonly sewn: Int32Array | undefined;
  /** Positions of all points. */
  place(pose: ReadonlyF64): Float64Array;
}

export function halvedSheet(
  {
    triangles,
    edges,
    edgeLength,
    sewn,
  }: {
    triangles: ReadonlyI32;
    edges: ReadonlyI32;
    edgeLength: ReadonlyF64;
    sewn?: ReadonlyI32;
  },
  arcs: ArcEdges,
): HalvedSheet {
  const { n } = arcs;
  const key = (a: number, b: number): number => Math.min(a, b) * n + Math.max(a, b);
  const middle = new Map<number, number>();
  for (let e = 0; 2 * e < edges.length; e++) middle.set(key(edges[2 * e], edges[2 * e + 1]), n + e);
  const fine = new Int32Array(4 * triangles.length);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t], triangles[t + 1], triangles[t + 2]];
    const [p, q, r] = [key(a, b), key(b, c), key(c, a)].map((k) => middle.get(k) ?? -1);
    fine.set([a, p, r, p, b, q, r, q, c, p, q, r], 4 * t);
  }
  return {
    triangles: fine,
    sewn: sewn && sewnMiddles(edges, sewn, n),
    place: (pose) => places(pose, edges, edgeLength, arcs),
  };
}

function places(
  Y: ReadonlyF64,
  edges: ReadonlyI32,
  length: ReadonlyF64,
  { n, spacing, tangent }: ArcEdges,
): Float64Array {
  const out = new Float64Array(3 * n + (3 * edges.length) / 2);
  for (let k = 0; k < 3 * n; k++) out[k] = Y[k];
  const slope = (i: number, t: number, c: number): number => {
    const f = 3 * n + 6 * i + c;
    return (tangent[t] * Y[f] + tangent[t + 1] * Y[f + 3]) / spacing[i];
  };
  for (let e = 0; 2 * e < edges.length; e++) {
    const [i, j] = [edges[2 * e], edges[2 * e + 1]];
    for (let c = 0; c < 3; c++)
      out[3 * (n + e) + c] =
        (Y[3 * i + c] + Y[3 * j + c]) / 2 +
        (length[e] / 8) * (slope(i, 4 * e, c) - slope(j, 4 * e + 2, c));
  }
  return out;
}

/** Middles of edges whose ends are sewn together are sewn together. */
function sewnMiddles(edges: ReadonlyI32, sewn: ReadonlyI32, n: number): Int32Array {
  const out = new Int32Array(n + edges.length / 2);
  const known = new Map<number, number>();
  for (let i = 0; i < n; i++) out[i] = sewn[i];
  for (let e = 0; 2 * e < edges.length; e++) {
    const [a, b] = [sewn[edges[2 * e]], sewn[edges[2 * e + 1]]];
    const key = Math.min(a, b) * n + Math.max(a, b);
    const first = known.get(key) ?? n + e;
    known.set(key, first);
    out[n + e] = first;
  }
  return out;
}
