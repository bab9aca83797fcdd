/**
 * Lengths of edges as rows: g = |Y_a − Y_b|²/L² − 1, hard (projected) or soft (springs). What quad-edges and triangle-edges share.
 *
 * A spring of stiffness k has ψ = ½(kL²/4)g²: near its rest length l − L = Lg/2, so that is ½k(l − L)².
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { findEntry, type SparseMatrix, type SparsePattern } from "../linalg/sparse.ts";
import { arrays, type HardRows } from "../system/hard.ts";
import type { RowSet } from "../system/system.ts";

export interface Edges {
  /** [2·edges] */
  readonly points: ArrayLike<number>;
  /** [edges] m */
  readonly length: ArrayLike<number>;
}

/** Where the four entries of each edge's Laplacian are in the pattern: aa, bb, ab, ba. */
function places({ points, length }: Edges, pattern: SparsePattern): Int32Array {
  const at = new Int32Array(4 * length.length);
  for (let e = 0; e < length.length; e++) {
    const a = points[2 * e];
    const b = points[2 * e + 1];
    at[4 * e] = findEntry(pattern, a, a);
    at[4 * e + 1] = findEntry(pattern, b, b);
    at[4 * e + 2] = findEntry(pattern, a, b);
    at[4 * e + 3] = findEntry(pattern, b, a);
  }
  return at;
}

interface Layout {
  readonly index: Int32Array; // [2·edges]
  readonly inverseSquare: Float64Array; // [edges] 1/L²
  readonly at: Int32Array; // [4·edges]
}

function layOut(memory: Allocator, edges: Edges, pattern: SparsePattern): Layout {
  const square = Float64Array.from(edges.length as number[], (l) => 1 / (l * l));
  return {
    index: memory.copyI32(Int32Array.from(edges.points as number[])),
    inverseSquare: memory.copyF64(square),
    at: memory.copyI32(places(edges, pattern)),
  };
}

function lengths(
  g: Float64Array,
  J: Float64Array | null,
  Y: ReadonlyF64,
  { index, inverseSquare }: Layout,
): void {
  for (let e = 0; e < inverseSquare.length; e++) {
    const a = 3 * index[2 * e];
    const b = 3 * index[2 * e + 1];
    const x = Y[b] - Y[a];
    const y = Y[b + 1] - Y[a + 1];
    const z = Y[b + 2] - Y[a + 2];
    const s = inverseSquare[e];
    g[e] = s * (x * x + y * y + z * z) - 1;
    if (!J) continue;
    const k = 6 * e;
    J[k] = -2 * s * x;
    J[k + 1] = -2 * s * y;
    J[k + 2] = -2 * s * z;
    J[k + 3] = 2 * s * x;
    J[k + 4] = 2 * s * y;
    J[k + 5] = 2 * s * z;
  }
}

/** A += Σ 2 λ/L² (Laplacian of the edge), of the tense edges only if clamped. */
function addEdgeStress(
  A: SparseMatrix,
  lambda: ReadonlyF64,
  { inverseSquare, at }: Layout,
  clamp: boolean,
): void {
  for (let e = 0; e < inverseSquare.length; e++) {
    const w = 2 * inverseSquare[e] * lambda[e];
    if (clamp && !(w > 0)) continue;
    A.values[at[4 * e]] += w;
    A.values[at[4 * e + 1]] += w;
    A.values[at[4 * e + 2]] -= w;
    A.values[at[4 * e + 3]] -= w;
  }
}

function starts(count: number): Int32Array {
  return Int32Array.from({ length: count + 1 }, (_, e) => 2 * e);
}

/** Edges that keep their length exactly. */
export function hardEdges(memory: Allocator, edges: Edges, pattern: SparsePattern): HardRows {
  const count = edges.length.length;
  const layout = layOut(memory, edges, pattern);
  const start = memory.copyI32(starts(count));
  const set: HardRows = {
    ...arrays(memory, 1, start, layout.index, count, 2 * count),
    evaluate: (Y) => lengths(set.g, set.J, Y, layout),
    evaluateInto: (g, J, Y) => lengths(g, J, Y, layout),
    addStress: (A, lambda) => addEdgeStress(A, lambda, layout, true),
  };
  return set;
}

/** Edges as springs of stiffness k (N/m). */
export function springs(
  memory: Allocator,
  edges: Edges,
  stiffness: number,
  pattern: SparsePattern,
): RowSet {
  const count = edges.length.length;
  const layout = layOut(memory, edges, pattern);
  const weight = Float64Array.from(edges.length as number[], (l) => (stiffness * l * l) / 4);
  const trial = memory.f64(count);
  const set: RowSet = {
    rowsPer: 1,
    blocks: count,
    start: memory.copyI32(starts(count)),
    index: layout.index,
    g: memory.f64(count),
    J: memory.f64(6 * count),
    sigma: memory.f64(count),
    weight: memory.copyF64(weight),
    evaluate(Y) {
      lengths(set.g, set.J, Y, layout);
      for (let e = 0; e < count; e++) set.sigma[e] = set.weight[e] * set.g[e];
    },
    energy(Y) {
      lengths(trial, null, Y, layout);
      let E = 0;
      for (let e = 0; e < count; e++) E += 0.5 * set.weight[e] * trial[e] * trial[e];
      return E;
    },
    addStress: (A, clamp) => addEdgeStress(A, set.sigma, layout, clamp),
  };
  return set;
}
