/**
 * The coarse matrix A_c = Zᵀ(A ⊗ I₃ + JᵀWJ)Z in 3×3 blocks.
 *
 * The loops that cost are twins of kernels/two-level.as.ts: same bits.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { BlockPattern, SparseMatrix } from "../linalg/sparse.ts";
import type { RowSet } from "../system/system.ts";
import type { EdgeForms, Transposed, TwoLevelPlan } from "./coarse-plan.ts";
import type { Interpolation } from "./coarse-points.ts";
import { prolong, restrict, type TransferOperations } from "./transfers.ts";

/** The loops that kernels repeat. */
export interface TwoLevelOperations extends TransferOperations {
  addCoarseRows(level: Level, set: RowSet, fixed: Uint8Array): void;
  addCoarseForms(values: Float64Array, forms: CoarseForms, S: ReadonlyF64): void;
}

/** Everything that these loops read and write, in the system's memory. */
export interface Level {
  readonly n: number;
  readonly coarse: number;
  readonly blocks: number;
  readonly lower: { start: Int32Array; index: Int32Array };
  readonly values: Float64Array; // [9·blocks of lower]
  readonly Jc: Float64Array; // scratch: the widest block, and the same times its weights
  readonly zStart: Int32Array;
  readonly zIndex: Int32Array;
  readonly zWeight: Float64Array;
  /** Coarse points of each block, where their pairs are in the matrix, and for every entry and weight the local number of its coarse point. */
  readonly unionFirst: Int32Array;
  readonly places: Int32Array;
  readonly localFirst: Int32Array;
  readonly localOf: Int32Array;
}

/** values += Zᵀ(JᵀWJ)Z: J compressed to the coarse points of each block, then its outer products. */
export function addCoarseRows(level: Level, set: RowSet, fixed: Uint8Array): void {
  const { blocks, values, Jc, zStart, zWeight, unionFirst, places, localFirst, localOf } = level;
  const { rowsPer, J, weight } = set;
  const width = 3 * rowsPer;
  for (let b = 0, place = 0; b < blocks; b++) {
    const count = unionFirst[b + 1] - unionFirst[b];
    const scaled = width * count;
    Jc.fill(0, 0, scaled);
    for (let e = set.start[b]; e < set.start[b + 1]; e++) {
      const i = set.index[e];
      if (fixed[3 * i] & fixed[3 * i + 1] & fixed[3 * i + 2]) continue;
      for (let q = zStart[i], p = localFirst[e]; q < zStart[i + 1]; q++, p++) {
        const w = zWeight[q];
        const at = width * localOf[p];
        for (let k = 0; k < width; k++) Jc[at + k] += w * J[width * e + k];
      }
    }
    for (let k = 0; k < scaled; k++)
      Jc[scaled + k] = weight[rowsPer * b + Math.floor((k % width) / 3)] * Jc[k];
    for (let a = 0; a < count; a++)
      for (let c = a; c < count; c++) {
        const at = 9 * places[place++];
        for (let r = 0; r < width; r += 3)
          for (let k = 0; k < 3; k++) {
            const u = Jc[scaled + width * c + r + k];
            for (let m = 0; m < 3; m++) values[at + 3 * k + m] += u * Jc[width * a + r + m];
          }
      }
  }
}

export const twoLevelOperations: TwoLevelOperations = {
  addCoarseRows,
  addCoarseForms,
  restrict,
  prolong,
};

/** @param rowsPer of the set that addCoarseRows is for */
export function createLevel(memory: Allocator, plan: TwoLevelPlan, rowsPer: number): Level {
  const { Z, lower } = plan;
  return {
    n: Z.start.length - 1,
    coarse: Z.coarse,
    blocks: plan.unionStart.length - 1,
    lower: { start: memory.copyI32(lower.start), index: memory.copyI32(lower.index) },
    values: memory.f64(9 * lower.index.length),
    Jc: memory.f64(6 * rowsPer * plan.widest + 1),
    zStart: memory.copyI32(Z.start),
    zIndex: memory.copyI32(Z.index),
    zWeight: memory.copyF64(Z.weight),
    unionFirst: memory.copyI32(plan.unionStart),
    places: memory.copyI32(plan.places),
    localFirst: memory.copyI32(plan.entryStart),
    localOf: memory.copyI32(plan.entryLocal),
  };
}

/** values = a ⊗ I₃. */
export function setScalar({ values }: Level, a: ReadonlyF64): void {
  values.fill(0);
  for (let p = 0; p < a.length; p++) {
    values[9 * p] = a[p];
    values[9 * p + 4] = a[p];
    values[9 * p + 8] = a[p];
  }
}

/** Block p of `values` += w S, S the symmetric 3×3 block xx xy xz yy yz zz from `at` on. */
function addSymmetric(
  values: Float64Array,
  p: number,
  w: number,
  S: ReadonlyF64,
  at: number,
): void {
  const v = 9 * p;
  values[v] += w * S[at];
  values[v + 1] += w * S[at + 1];
  values[v + 2] += w * S[at + 2];
  values[v + 3] += w * S[at + 1];
  values[v + 4] += w * S[at + 3];
  values[v + 5] += w * S[at + 4];
  values[v + 6] += w * S[at + 2];
  values[v + 7] += w * S[at + 4];
  values[v + 8] += w * S[at + 5];
}

/** Scratch of addPointBlocks: a block without its held coordinates. */
const free = new Float64Array(6);

/** values += Zᵀ D Z. @param D [6n] symmetric 3×3 blocks of the points: xx xy xz yy yz zz */
export function addPointBlocks(level: Level, D: ReadonlyF64, fixed: Uint8Array): void {
  const { n, lower, values, zStart, zIndex, zWeight } = level;
  for (let i = 0; i < n; i++) {
    const at = 6 * i;
    if (D[at] + D[at + 3] + D[at + 5] === 0) continue;
    const x = fixed[3 * i] ? 0 : 1;
    const y = fixed[3 * i + 1] ? 0 : 1;
    const z = fixed[3 * i + 2] ? 0 : 1;
    free[0] = D[at] * x;
    free[1] = D[at + 1] * x * y;
    free[2] = D[at + 2] * x * z;
    free[3] = D[at + 3] * y;
    free[4] = D[at + 4] * y * z;
    free[5] = D[at + 5] * z;
    const end = zStart[i + 1];
    for (let q = zStart[i]; q < end; q++) {
      // the coarse points of a point rise, and so do the rows of a column
      for (let r = q, p = lower.start[zIndex[q]]; r < end; r++) {
        while (lower.index[p] < zIndex[r]) p++;
        addSymmetric(values, p, zWeight[q] * zWeight[r], free, 0);
      }
    }
  }
}

/** Share of the diagonal that is added to it, so that rounding cannot make the matrix singular. */
const SHIFT = 1e-9;

/** A coarse point whose points are all held has an empty row; it gets a 1. */
export function shiftDiagonal({ coarse, lower, values }: Level): void {
  for (let I = 0; I < coarse; I++) {
    const at = 9 * lower.start[I];
    const scale = values[at] + values[at + 4] + values[at + 8];
    for (let c = 0; c < 3; c++) values[at + 4 * c] += scale > 0 ? SHIFT * scale : 1;
  }
}

/** The forms of EdgeForms over the coarse points, Σ c Z, and where the products of its weights belong. */
export interface CoarseForms {
  readonly edges: number;
  readonly start: Int32Array; // [edges+1]
  readonly node: Int32Array;
  readonly weight: Float64Array;
  /** Entries of the coarse matrix: of each edge, (p, q) for all p and q ≥ p of its weights. */
  readonly at: Int32Array;
}

/** Works out the forms; points that are held ([n] 1 there) are left out. */
export function setForms(
  { edges, start, node, weight, at }: CoarseForms,
  Z: Interpolation,
  { per, points, c }: EdgeForms,
  lower: BlockPattern,
  held: Uint8Array,
): void {
  for (let e = 0, k = 0; e < edges; e++) {
    let end = start[e];
    for (let t = per * e; t < per * e + per; t++)
      if (!held[points[t]]) end = merge(node, weight, start[e], end, Z, points[t], c[t]);
    start[e + 1] = end;
    for (let p = start[e]; p < end; p++)
      // both lists rise, so the column is walked once
      for (let q = p, r = lower.start[node[p]]; q < end; q++) {
        while (lower.index[r] < node[q]) r++;
        at[k++] = r;
      }
  }
}

/** Adds c Z_i to the list that begins at `from` and ends at `to`, in the order of the nodes; returns its new end. */
function merge(
  node: Int32Array,
  weight: Float64Array,
  from: number,
  to: number,
  Z: Interpolation,
  i: number,
  c: number,
): number {
  let end = to;
  for (let q = Z.start[i]; q < Z.start[i + 1]; q++) {
    let k = end;
    while (k > from && node[k - 1] > Z.index[q]) k--;
    if (k > from && node[k - 1] === Z.index[q]) {
      weight[k - 1] += c * Z.weight[q];
      continue;
    }
    for (let e = end++; e > k; e--) {
      node[e] = node[e - 1];
      weight[e] = weight[e - 1];
    }
    node[k] = Z.index[q];
    weight[k] = c * Z.weight[q];
  }
  return end;
}

/** values += Σₑ (κ κᵀ) ⊗ S, κ the form of edge e over the coarse points and S its symmetric 3×3 stiffness, six numbers each. */
function addCoarseForms(
  values: Float64Array,
  { edges, start, weight, at }: CoarseForms,
  S: ReadonlyF64,
): void {
  for (let e = 0, k = 0; e < edges; e++) {
    for (let p = start[e]; p < start[e + 1]; p++)
      for (let q = p; q < start[e + 1]; q++)
        addSymmetric(values, at[k++], weight[p] * weight[q], S, 6 * e);
  }
}

/** [n] each: which points are held, and what setCoarseScalar needs while it works. */
export interface ScalarScratch {
  held: Uint8Array;
  value: Float64Array;
  mark: Int32Array;
  touched: Int32Array;
}

/** out = the lower entries of ZᵀAZ over the free points, column by column. */
export function setCoarseScalar(
  out: Float64Array,
  lower: BlockPattern,
  A: SparseMatrix,
  Z: Interpolation,
  row: Float64Array,
  { start: tStart, point, weight }: Transposed,
  { held, value, mark, touched }: ScalarScratch,
): void {
  const { start: aStart, index: aIndex, values } = A;
  const { start: zStart, index: zIndex, weight: zWeight } = Z;
  for (let I = 0; I + 1 < tStart.length; I++) {
    // A z_I on the points that it reaches
    let count = 0;
    for (let q = tStart[I]; q < tStart[I + 1]; q++) {
      const i = point[q];
      if (held[i]) continue;
      const w = weight[q];
      for (let p = aStart[i]; p < aStart[i + 1]; p++) {
        const j = aIndex[p];
        if (mark[j] !== I) {
          mark[j] = I;
          value[j] = 0;
          touched[count++] = j;
        }
        value[j] += w * values[p];
      }
    }
    for (let p = lower.start[I]; p < lower.start[I + 1]; p++) row[lower.index[p]] = 0;
    for (let k = 0; k < count; k++) {
      const j = touched[k];
      mark[j] = -1;
      if (held[j]) continue;
      const v = value[j];
      for (let q = zStart[j]; q < zStart[j + 1]; q++) row[zIndex[q]] += zWeight[q] * v;
    }
    for (let p = lower.start[I]; p < lower.start[I + 1]; p++) out[p] = row[lower.index[p]];
  }
}
