/** What of the coarse level can be worked out before there is a memory: patterns, and which coarse points each row sees. */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { type Analysis, analyse } from "../linalg/cholesky.ts";
import { listI32 } from "../linalg/lists.ts";
import { type BlockPattern, lowerBlocks, type SparsePattern } from "../linalg/sparse.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { Interpolation } from "./coarse-points.ts";

/** What of a two-level preconditioner can be worked out before there is a memory. */
export interface TwoLevelPlan {
  readonly Z: Interpolation;
  readonly pattern: SparsePattern;
  /** Coarse points of each block, rising, as a list of lists. */
  readonly unionStart: Int32Array;
  readonly union: Int32Array;
  readonly widest: number;
  /** Entries of the coarse matrix: of each block, (a, c) for all a and c ≥ a of its coarse points. */
  readonly places: Int32Array;
  /** For every entry of a block and weight of its point the local number of the coarse point. */
  readonly entryStart: Int32Array;
  readonly entryLocal: Int32Array;
  readonly lower: BlockPattern;
  readonly analysis: Analysis;
  readonly transposed: Transposed;
  readonly forms: EdgeForms;
  readonly formsRoom: { nodes: number; pairs: number };
}

/** The two vectors of every frame as one block. */
function framesAsBlocks(n: number): { start: Int32Array; index: Int32Array } {
  return {
    start: Int32Array.from({ length: n + 1 }, (_, i) => 2 * i),
    index: Int32Array.from({ length: 2 * n }, (_, p) => n + p),
  };
}

/** @param forms tangents of the arcs */
export function planTwoLevel(
  sheet: Sheet,
  Z: Interpolation,
  pattern: SparsePattern,
  forms: EdgeForms,
): TwoLevelPlan {
  const near = framesAsBlocks(sheet.n);
  const unions = unionsOf(near, Z);
  const transposed = transposeInterpolation(Z);
  const lower = lowerBlocks(coarsePattern(pattern, Z, transposed));
  return {
    Z,
    pattern,
    ...unions,
    places: placesOf(unions, lower),
    lower,
    analysis: analyse(lower, 3),
    transposed,
    forms,
    formsRoom: formsRoom(Z, forms),
  };
}

type Unions = Pick<TwoLevelPlan, "unionStart" | "union" | "widest" | "entryStart" | "entryLocal">;

/** The coarse points that each block sees, and where among them those of its entries are. */
function unionsOf(near: { start: Int32Array; index: Int32Array }, Z: Interpolation): Unions {
  const blocks = near.start.length - 1;
  const unionStart = new Int32Array(blocks + 1);
  const union = listI32();
  const entryLocal = listI32();
  const entryStart = new Int32Array(near.start[blocks] + 1);
  const seen = new Int32Array(Z.coarse).fill(-1);
  const local = new Int32Array(Z.coarse);
  let widest = 0;
  for (let b = 0; b < blocks; b++) {
    const first = union.length;
    for (let e = near.start[b]; e < near.start[b + 1]; e++)
      for (let q = Z.start[near.index[e]]; q < Z.start[near.index[e] + 1]; q++) {
        const I = Z.index[q];
        if (seen[I] === b) continue;
        seen[I] = b;
        union.push(I);
      }
    union.items.subarray(first, union.length).sort();
    for (let k = first; k < union.length; k++) local[union.items[k]] = k - first;
    for (let e = near.start[b]; e < near.start[b + 1]; e++) {
      for (let q = Z.start[near.index[e]]; q < Z.start[near.index[e] + 1]; q++)
        entryLocal.push(local[Z.index[q]]);
      entryStart[e + 1] = entryLocal.length;
    }
    unionStart[b + 1] = union.length;
    widest = Math.max(widest, union.length - first);
  }
  return {
    unionStart,
    union: union.done(),
    widest,
    entryStart,
    entryLocal: entryLocal.done(),
  };
}

function placesOf({ unionStart, union }: Unions, lower: BlockPattern): Int32Array {
  const places = listI32();
  for (let b = 0; b + 1 < unionStart.length; b++)
    for (let a = unionStart[b]; a < unionStart[b + 1]; a++)
      // both lists rise, so the column is walked once
      for (let c = a, r = lower.start[union[a]]; c < unionStart[b + 1]; c++) {
        while (lower.index[r] < union[c]) r++;
        places.push(r);
      }
  return places.done();
}

/**
 * Who shares an entry of the scalar matrix, seen from the coarse points. The points of a block all share entries, so their coarse
 * points are coupled here as well.
 */
function coarsePattern(
  pattern: SparsePattern,
  Z: Interpolation,
  { start: tStart, point }: Transposed,
): SparsePattern {
  const { coarse } = Z;
  const start = new Int32Array(coarse + 1);
  const index = listI32();
  const touched = new Int32Array(pattern.rows).fill(-1);
  const seen = new Int32Array(coarse).fill(-1);
  for (let I = 0; I < coarse; I++) {
    seen[I] = I;
    index.push(I);
    for (let t = tStart[I]; t < tStart[I + 1]; t++) {
      for (let p = pattern.start[point[t]]; p < pattern.start[point[t] + 1]; p++) {
        const j = pattern.index[p];
        if (touched[j] === I || j + 1 >= Z.start.length) continue;
        touched[j] = I;
        for (let q = Z.start[j]; q < Z.start[j + 1]; q++) {
          if (seen[Z.index[q]] === I) continue;
          seen[Z.index[q]] = I;
          index.push(Z.index[q]);
        }
      }
    }
    start[I + 1] = index.length;
    index.items.subarray(start[I], start[I + 1]).sort();
  }
  return { rows: coarse, columns: coarse, start, index: index.done() };
}

/** One linear form over a few points per edge of the mesh: Σ c Y, the tangent of its arc. */
export interface EdgeForms {
  /** Points per edge. */
  readonly per: number;
  readonly points: ReadonlyI32; // [per·edges]
  readonly c: ReadonlyF64; // [per·edges]
}

/** Rooms for them: coarse points of all edges, and their pairs. */
function formsRoom(Z: Interpolation, { per, points }: EdgeForms): { nodes: number; pairs: number } {
  const seen = new Int32Array(Z.coarse).fill(-1);
  let nodes = 0;
  let pairs = 0;
  for (let e = 0; per * e < points.length; e++) {
    let own = 0;
    for (let k = per * e; k < per * e + per; k++)
      for (let q = Z.start[points[k]]; q < Z.start[points[k] + 1]; q++) {
        if (seen[Z.index[q]] === e) continue;
        seen[Z.index[q]] = e;
        own++;
      }
    nodes += own;
    pairs += (own * (own + 1)) / 2;
  }
  return { nodes, pairs };
}

/** Z by coarse points: the points that each moves, and by how much. */
export interface Transposed {
  start: Int32Array;
  point: Int32Array;
  weight: Float64Array;
}

function transposeInterpolation(Z: Interpolation): Transposed {
  const n = Z.start.length - 1;
  const start = new Int32Array(Z.coarse + 1);
  for (let q = 0; q < Z.index.length; q++) start[Z.index[q] + 1]++;
  for (let I = 0; I < Z.coarse; I++) start[I + 1] += start[I];
  const next = start.slice();
  const point = new Int32Array(Z.index.length);
  const weight = new Float64Array(Z.index.length);
  for (let i = 0; i < n; i++)
    for (let q = Z.start[i]; q < Z.start[i + 1]; q++) {
      const at = next[Z.index[q]]++;
      point[at] = i;
      weight[at] = Z.weight[q];
    }
  return { start, point, weight };
}
