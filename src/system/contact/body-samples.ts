/** Samples of the sheet that keep their distance from bodies: points, middles of edges and centres of triangles, each a weighted mean of at most three points. */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import type { Sheet } from "../../sheet/kinematics.ts";

export interface BodySamples {
  readonly count: number;
  /** [3·count] points and their weights; a weight of 0 takes no part. */
  readonly points: Int32Array;
  readonly weights: Float64Array;
  /** [count] m², the area that each stands for. */
  readonly share: Float64Array;
  /** [count] m, half the thickness. */
  readonly half: Float64Array;
}

export function createSamples(
  memory: Allocator,
  sheet: Sheet,
  thickness: ReadonlyF64,
): BodySamples {
  const { n, edges, triangles, triangleArea, area } = sheet;
  const E = edges.length / 2;
  const T = triangles.length / 3;
  const count = n + E + T;
  const points = new Int32Array(3 * count);
  const weights = new Float64Array(3 * count);
  const share = new Float64Array(count);
  const edgeArea = edgeAreas(sheet);
  for (let i = 0; i < n; i++) {
    points.fill(i, 3 * i, 3 * i + 3);
    weights[3 * i] = 1;
    share[i] = area[i] / 3;
  }
  for (let e = 0; e < E; e++) {
    const s = n + e;
    points.set([edges[2 * e], edges[2 * e + 1], edges[2 * e]], 3 * s);
    weights.set([0.5, 0.5, 0], 3 * s);
    share[s] = edgeArea[e] / 9;
  }
  for (let t = 0; t < T; t++) {
    const s = n + E + t;
    points.set([triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]], 3 * s);
    weights.fill(1 / 3, 3 * s, 3 * s + 3);
    share[s] = triangleArea[t] / 3;
  }
  const half = Float64Array.from({ length: count }, (_, s) => 0.5 * thickness[points[3 * s]]);
  return { count, points: memory.copyI32(points), weights: memory.copyF64(weights), share, half };
}

/** Where sample s is, or how far it goes: the weighted mean of Y at its points. */
export function sampleAt(
  out: Float64Array,
  { points, weights }: BodySamples,
  s: number,
  Y: ReadonlyF64,
): void {
  const a = 3 * points[3 * s];
  const b = 3 * points[3 * s + 1];
  const c = 3 * points[3 * s + 2];
  const u = weights[3 * s];
  const v = weights[3 * s + 1];
  const w = weights[3 * s + 2];
  out[0] = u * Y[a] + v * Y[b] + w * Y[c];
  out[1] = u * Y[a + 1] + v * Y[b + 1] + w * Y[c + 1];
  out[2] = u * Y[a + 2] + v * Y[b + 2] + w * Y[c + 2];
}

/** [edges] m², the triangles on both sides of each edge. */
function edgeAreas({ n, edges, triangles, triangleArea }: Sheet): Float64Array {
  const key = new Map<number, number>();
  for (let e = 0; 2 * e < edges.length; e++) key.set(edges[2 * e] * n + edges[2 * e + 1], e);
  const out = new Float64Array(edges.length / 2);
  for (let t = 0; 3 * t < triangles.length; t++)
    for (let k = 0; k < 3; k++) {
      const a = triangles[3 * t + k];
      const b = triangles[3 * t + ((k + 1) % 3)];
      out[key.get(Math.min(a, b) * n + Math.max(a, b))!] += triangleArea[t];
    }
  return out;
}
