// biome-ignore-all format: components are kept in columns
/**
 * Block-Jacobi for samples with frames: the exact 9×9 diagonal block of every sample, over its position and both vectors of its frame.
 *
 * Blocks of 3×3 would not do: isometry of a frame leaves its rotations free, and only position and frame together show which moves are soft.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { findEntry, type SparsePattern } from "../linalg/sparse.ts";
import type { Arcs } from "../system/frame-membrane.ts";
import type { RowSet } from "../system/system.ts";
import type { MinimiseWork, Potential, Preconditioner } from "./minimise.ts";

/** Inverse blocks of n samples; symmetric, order y a b with xyz each. */
export interface FrameBlocks {
  readonly n: number;
  readonly at: Int32Array; // [6n] entries yy ya yb aa ab bb of the scalar matrix
  readonly B: Float64Array; // [81n] m/N
  readonly first: Int32Array; // [n+1] into incident
  readonly incident: Int32Array; // [2E] the edges at each sample: 2e, and 1 more at the second end
  readonly cornerFirst: Int32Array; // [n+1] into corner, by CORNER
  readonly corner: Int32Array; // [CORNER·3T] the two edges at a corner, as places among those of the sample; the triangle; their sides
  readonly scratch: Float64Array; // the block, a column of it, and two vectors for every row that a sample sees
}

/** The loops that kernels repeat. */
export interface FrameBlockOperations {
  invertedBlocks(blocks: FrameBlocks, A: ReadonlyF64, D: ReadonlyF64, frames: RowSet, arcs: Arcs, fixed: Uint8Array): void;
  applyBlocks(z: Float64Array, blocks: FrameBlocks, r: ReadonlyF64): void;
}

/** Numbers of a corner; from one row of the block to the next; places in scratch. */
const CORNER = 5, ROW = 10, COLUMN = 90, SCALED = 100, VECTORS = 110;

/**
 * B = (A ⊗ I + D + Σ w JᵀJ of the frames' own rows + the arcs)⁻¹ of every sample, the geometric stiffness of the arcs included. An arc is the vector
 * v = c ⊗ m over the nine unknowns, so that those at a sample are Σ W v vᵀ: first x = W v, then the lower half of Σ x vᵀ.
 *
 * @param D [6·points] 3×3 blocks of the rows of others
 */
export function invertedBlocks(blocks: FrameBlocks, A: ReadonlyF64, D: ReadonlyF64, frames: RowSet, arcs: Arcs, fixed: Uint8Array): void {
  const { n, scratch: S } = blocks;
  edgeStiffness(arcs);
  for (let i = 0; i < n; i++) {
    startBlock(S, blocks, A, D, i);
    const count = collectVectors(S, blocks, frames, arcs, i);
    for (let r = 0; r < 9; r++)
      for (let c = 0; c <= (r | 1); c++) {
        let sum = S[ROW * r + c];
        for (let k = 0, v = VECTORS; k < count; k++, v += 2 * ROW) sum += S[v + ROW + r] * S[v + c];
        S[ROW * r + c] = sum;
      }
    invert(S, n, i, fixed);
    for (let r = 0; r < 9; r++)
      for (let c = 0; c <= r; c++) { const value = -S[ROW * r + c]; blocks.B[81 * i + 9 * r + c] = value; blocks.B[81 * i + 9 * c + r] = value; }
  }
}

/** u = 4 Σ w |q|² of every edge, over its triangles. */
function edgeStiffness({ triangles, side, q, w, u }: Arcs): void {
  u.fill(0);
  for (let k = 0; k < 3 * triangles; k++) u[side[k]] += 4 * w[(k / 3) | 0] * (q[3 * k] * q[3 * k] + q[3 * k + 1] * q[3 * k + 1] + q[3 * k + 2] * q[3 * k + 2]);
}

/** The block of the scalar matrix and of D. */
function startBlock(S: Float64Array, { n, at }: FrameBlocks, A: ReadonlyF64, D: ReadonlyF64, i: number): void {
  for (let k = 0; k < COLUMN; k++) S[k] = 0;
  for (let p = 0, k = 6 * i; p < 3; p++) {
    const d = 6 * (p === 0 ? i : n + 2 * i + p - 1), b = ROW * 3 * p + 3 * p;
    S[b] = D[d]; S[b + ROW] = D[d + 1]; S[b + ROW + 1] = D[d + 3]; S[b + 2 * ROW] = D[d + 2]; S[b + 2 * ROW + 1] = D[d + 4]; S[b + 2 * ROW + 2] = D[d + 5];
    for (let q = p; q < 3; q++, k++) addScalar(S, p, q, A[at[k]]);
  }
}

/** Adds s I to the block of the vectors p ≤ q. */
function addScalar(S: Float64Array, p: number, q: number, s: number): void {
  const b = ROW * 3 * q + 3 * p;
  S[b] += s; S[b + ROW + 1] += s; S[b + 2 * ROW + 2] += s;
}

/** v and x of the arcs at a sample and of its frame's rows; adds the tension of the arcs to the block. Returns how many there are. */
function collectVectors(S: Float64Array, { first, incident, cornerFirst, corner }: FrameBlocks, { J, weight }: RowSet, { q, w, m, s, u, c: C }: Arcs, i: number): number {
  let v = VECTORS;
  for (let k = first[i]; k < first[i + 1]; k++, v += 2 * ROW) {
    const e = incident[k] >> 1, end = incident[k] & 1, stiff = u[e], across = s[e] > 0 ? 2 * s[e] : 0;
    const c0 = end ? C[5 * e] : -C[5 * e], c1 = C[5 * e + 1 + 2 * end], c2 = C[5 * e + 2 + 2 * end];
    for (let d = 0; d < 3; d++) { S[v + d] = c0 * m[3 * e + d]; S[v + 3 + d] = c1 * m[3 * e + d]; S[v + 6 + d] = c2 * m[3 * e + d]; }
    S[v + 9] = 0;
    for (let d = 0; d < ROW; d++) S[v + ROW + d] = stiff * S[v + d];
    const a0 = across * c0, a1 = across * c1, a2 = across * c2;
    addScalar(S, 0, 0, a0 * c0); addScalar(S, 0, 1, a0 * c1); addScalar(S, 0, 2, a0 * c2);
    addScalar(S, 1, 1, a1 * c1); addScalar(S, 1, 2, a1 * c2); addScalar(S, 2, 2, a2 * c2);
  }
  for (let k = CORNER * cornerFirst[i]; k < CORNER * cornerFirst[i + 1]; k += CORNER) {
    const x = VECTORS + 2 * ROW * corner[k], y = VECTORS + 2 * ROW * corner[k + 1], t = corner[k + 2], a = 9 * t + 3 * corner[k + 3], b = 9 * t + 3 * corner[k + 4];
    const W = 4 * w[t] * (q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2]);
    for (let d = 0; d < ROW; d++) { S[x + ROW + d] += W * S[y + d]; S[y + ROW + d] += W * S[x + d]; }
  }
  for (let r = 0; r < 3; r++, v += 2 * ROW) {
    for (let d = 0; d < 3; d++) { S[v + d] = 0; S[v + 3 + d] = J[18 * i + 3 * r + d]; S[v + 6 + d] = J[18 * i + 9 + 3 * r + d]; }
    S[v + 9] = 0;
    for (let d = 0; d < ROW; d++) S[v + ROW + d] = weight[3 * i + r] * S[v + d];
  }
  return first[i + 1] - first[i] + 3;
}

/** The lower half of a block becomes that of its negative inverse, pivot by pivot (positive definite, so any order will do). Held coordinates give 0. */
function invert(S: Float64Array, n: number, i: number, fixed: Uint8Array): void {
  for (let p = 0; p < 9; p++) {
    const isHeld = fixed[p < 3 ? 3 * i + p : 3 * n + 6 * i + p - 3] !== 0;
    for (let r = 0; r < 9; r++) S[COLUMN + r] = r < p ? S[ROW * p + r] : S[ROW * r + p];
    const d = isHeld ? 0 : 1 / S[ROW * p + p];
    for (let r = 0; r < 9; r++) S[SCALED + r] = d * S[COLUMN + r];
    for (let r = 0; r < 9; r++) {
      const g = S[COLUMN + r];
      for (let c = 0; c <= (r | 1); c++) S[ROW * r + c] -= g * S[SCALED + c];
    }
    for (let c = 0; c < p; c++) S[ROW * p + c] = S[SCALED + c];
    for (let r = p + 1; r < 9; r++) S[ROW * r + p] = S[SCALED + r];
    S[ROW * p + p] = -d;
  }
}

const sum = new Float64Array(9);
/** z = B r on the samples, column by column. */
export function applyBlocks(z: Float64Array, { n, B }: FrameBlocks, r: ReadonlyF64): void {
  for (let i = 0; i < n; i++) {
    const y = 3 * i, f = 3 * n + 6 * i;
    sum.fill(0);
    for (let p = 0; p < 9; p++) {
      const v = p < 3 ? r[y + p] : r[f + p - 3], row = 81 * i + 9 * p;
      for (let c = 0; c < 9; c++) sum[c] += B[row + c] * v;
    }
    for (let c = 0; c < 3; c++) z[y + c] = sum[c];
    for (let c = 0; c < 6; c++) z[f + c] = sum[3 + c];
  }
}

const frameBlockOperations: FrameBlockOperations = { invertedBlocks, applyBlocks };

/** Inverse 3×3 blocks of the points from `first` on, which have no frames. */
function invertPoints(D: Float64Array, { A, ops }: MinimiseWork, diagonal: Int32Array, fixed: Uint8Array, first: number): void {
  for (let p = first; p < diagonal.length; p++) {
    const a = A.values[diagonal[p]];
    D[6 * p] += a; D[6 * p + 3] += a; D[6 * p + 5] += a;
  }
  ops.invertDiagonal(D, fixed);
}

/** What the positions of the samples give way to a force, with their frames free: for contact that stiffens points (step-limit.ts). */
function setCompliance(D: Float64Array, { n, B }: FrameBlocks): void {
  for (let i = 0; i < n; i++) {
    const b = 81 * i;
    D[6 * i] = B[b]; D[6 * i + 1] = B[b + 1]; D[6 * i + 2] = B[b + 2];
    D[6 * i + 3] = B[b + 10]; D[6 * i + 4] = B[b + 11]; D[6 * i + 5] = B[b + 20];
  }
}

export interface FrameJacobi extends Preconditioner {
  readonly blocks: FrameBlocks;
  operations: FrameBlockOperations;
}

/** Samples, edges and triangles of a sheet with frames. */
export interface ArcMesh extends Pick<Arcs, "n" | "edges" | "triangles"> {
  readonly ends: ReadonlyI32; // [2E] samples
  readonly side: ReadonlyI32; // [3T] edges of each triangle
}

/** Memory for the blocks, and which edges and corners meet at each sample. */
export function createBlocks(memory: Allocator, at: ReadonlyI32, { n, edges, triangles, ends, side }: ArcMesh): FrameBlocks {
  const first = new Int32Array(n + 1), incident = new Int32Array(2 * edges), cornerFirst = new Int32Array(n + 1), corner = new Int32Array(CORNER * 3 * triangles);
  const apex = (t: number, k: number): number => {
    const e = side[3 * t + ((k + 1) % 3)], f = side[3 * t + ((k + 2) % 3)];
    return ends[2 * e] === ends[2 * f] || ends[2 * e] === ends[2 * f + 1] ? ends[2 * e] : ends[2 * e + 1];
  };
  for (let k = 0; k < 2 * edges; k++) first[ends[k] + 1]++;
  for (let k = 0; k < 3 * triangles; k++) cornerFirst[apex((k / 3) | 0, k % 3) + 1]++;
  let most = 0;
  for (let i = 0; i < n; i++) { most = Math.max(most, first[i + 1]); first[i + 1] += first[i]; cornerFirst[i + 1] += cornerFirst[i]; }
  const next = first.slice(), nextCorner = cornerFirst.slice(), place = new Int32Array(2 * edges);
  for (let k = 0; k < 2 * edges; k++) { place[k] = next[ends[k]] - first[ends[k]]; incident[next[ends[k]]++] = k; }
  for (let k = 0; k < 3 * triangles; k++) {
    const t = (k / 3) | 0, x = (k + 1 - 3 * t) % 3, y = (k + 2 - 3 * t) % 3, e = side[3 * t + x], f = side[3 * t + y], i = apex(t, k - 3 * t);
    corner.set([place[ends[2 * e] === i ? 2 * e : 2 * e + 1], place[ends[2 * f] === i ? 2 * f : 2 * f + 1], t, x, y], CORNER * nextCorner[i]++);
  }
  return {
    n, at: memory.copyI32(at), B: memory.f64(81 * n), first: memory.copyI32(first), incident: memory.copyI32(incident),
    cornerFirst: memory.copyI32(cornerFirst), corner: memory.copyI32(corner), scratch: memory.f64(VECTORS + 2 * ROW * (most + 3)),
  };
}

/** @param nodes isometry of the frames, whose two vectors it couples */
export function frameJacobi(memory: Allocator, mesh: ArcMesh, pattern: SparsePattern, nodes: RowSet, arcs: Arcs): FrameJacobi {
  const { n } = mesh;
  const at = new Int32Array(6 * n);
  for (let i = 0; i < n; i++) {
    const a = n + 2 * i, b = a + 1;
    at.set([findEntry(pattern, i, i), findEntry(pattern, i, a), findEntry(pattern, i, b), findEntry(pattern, a, a), findEntry(pattern, a, b), findEntry(pattern, b, b)], 6 * i);
  }
  const blocks = createBlocks(memory, at, mesh);
  const others = pattern.rows > 3 * n; // nodes of a solid
  const preconditioner: FrameJacobi = {
    operations: frameBlockOperations,
    blocks,
    update(work: MinimiseWork, { sets, fixed, diagonal }: Potential) {
      const { A, blocks: D, ops } = work;
      D.fill(0);
      for (let s = 0; s < sets.length; s++) if (sets[s] !== nodes) ops.addNormalDiagonal(D, sets[s], sets[s].weight);
      preconditioner.operations.invertedBlocks(blocks, A.values, D, nodes, arcs, fixed);
      if (others) invertPoints(D, work, diagonal, fixed, 3 * n);
      setCompliance(D, blocks);
    },
    apply(z, r, work) {
      if (others) work.ops.applyDiagonal(z, work.blocks, r);
      preconditioner.operations.applyBlocks(z, blocks, r);
    },
  };
  return preconditioner;
}
