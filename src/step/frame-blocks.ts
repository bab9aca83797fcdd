// biome-ignore-all format: components are kept in columns
/**
 * Block-Jacobi for samples with frames: the exact 9×9 diagonal block of every sample, over its position and both vectors of its frame.
 *
 * Blocks of 3×3 would not do: isometry of a frame leaves its rotations free, and only position and frame together show which moves are soft.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { findEntry, type SparsePattern } from "../linalg/sparse.ts";
import type { Arcs } from "../system/frame-membrane.ts";
import type { RowSet } from "../system/system.ts";
import type { MinimiseWork, Potential, Preconditioner } from "./minimise.ts";

/** Blocks of n samples; symmetric, order y a b with xyz each. */
export interface FrameBlocks {
  readonly n: number;
  readonly at: Int32Array; // [6n] entries yy ya yb aa ab bb of the scalar matrix
  readonly B: Float64Array; // [81n] the blocks, then their inverses
}

/** The loops that kernels repeat. */
export interface FrameBlockOperations {
  setBlocks(blocks: FrameBlocks, A: ReadonlyF64, D: ReadonlyF64, frames: RowSet): void;
  addArcBlocks(blocks: FrameBlocks, arcs: Arcs): void;
  invertBlocks(blocks: FrameBlocks, fixed: Uint8Array): void;
  applyBlocks(z: Float64Array, blocks: FrameBlocks, r: ReadonlyF64): void;
}

/** Place of each pair of the three vectors of a sample in `at`. */
const PAIR = [0, 1, 2, 1, 3, 4, 2, 4, 5];
/** Place of each pair of coordinates in the six numbers of a symmetric 3×3 matrix. */
const SYMMETRIC = [0, 1, 2, 1, 3, 4, 2, 4, 5];

/** What every sample has of the scalar matrix, of the rows of others (D: 3×3 blocks by points) and of its frame's own rows. */
export function setBlocks({ n, at, B }: FrameBlocks, A: ReadonlyF64, D: ReadonlyF64, { J, weight }: RowSet): void {
  for (let i = 0; i < n; i++)
    for (let p = 0; p < 3; p++)
      for (let q = 0; q < 3; q++) {
        const a = A[at[6 * i + PAIR[3 * p + q]]], point = p === 0 ? i : n + 2 * i + p - 1;
        for (let c = 0; c < 3; c++)
          for (let d = 0; d < 3; d++) {
            let v = c === d ? a : 0;
            if (p === q) v += D[6 * point + SYMMETRIC[3 * c + d]];
            else if (p > 0 && q > 0)
              for (let r = 0; r < 3; r++) v += weight[3 * i + r] * J[18 * i + 9 * (p - 1) + 3 * r + c] * J[18 * i + 9 * (q - 1) + 3 * r + d];
            B[81 * i + 9 * (3 * p + c) + 3 * q + d] = v;
          }
      }
}

const first = new Float64Array(3), second = new Float64Array(3);

/** Coefficients of edge e at its end `side` (0, 1). */
function endCoefficients(out: Float64Array, { c }: Arcs, e: number, side: number): void {
  out[0] = side === 0 ? -c[5 * e] : c[5 * e];
  out[1] = c[5 * e + 1 + 2 * side]; out[2] = c[5 * e + 2 + 2 * side];
}

/** B += the diagonal blocks of the arcs, geometric stiffness included. */
export function addArcBlocks({ B }: FrameBlocks, arcs: Arcs): void {
  const { edges, triangles, ends, side, q, w, m, s, u } = arcs;
  u.fill(0);
  for (let k = 0; k < 3 * triangles; k++) u[side[k]] += 4 * w[(k / 3) | 0] * (q[3 * k] * q[3 * k] + q[3 * k + 1] * q[3 * k + 1] + q[3 * k + 2] * q[3 * k + 2]);
  for (let e = 0; e < edges; e++)
    for (let end = 0; end < 2; end++) {
      const at = 81 * ends[2 * e + end], across = s[e] > 0 ? 2 * s[e] : 0;
      endCoefficients(first, arcs, e, end);
      for (let p = 0; p < 3; p++)
        for (let c = 0; c < 3; c++) {
          const f = u[e] * first[p] * m[3 * e + c], g = across * first[p];
          for (let r = 0; r < 3; r++) {
            const k = at + 9 * (3 * p + c) + 3 * r;
            for (let d = 0; d < 3; d++) B[k + d] += f * (first[r] * m[3 * e + d]);
            B[k + c] += g * first[r];
          }
        }
    }
  // the two edges that meet at a corner
  for (let t = 0; t < triangles; t++)
    for (let k = 0; k < 3; k++) {
      const x = (k + 1) % 3, y = (k + 2) % 3, e = side[3 * t + x], f = side[3 * t + y];
      // the corner is the end that the two edges share
      const i = ends[2 * e] === ends[2 * f] || ends[2 * e] === ends[2 * f + 1] ? ends[2 * e] : ends[2 * e + 1];
      const a = 9 * t + 3 * x, b = 9 * t + 3 * y;
      const W = 4 * w[t] * (q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2]);
      endCoefficients(first, arcs, e, ends[2 * e] === i ? 0 : 1);
      endCoefficients(second, arcs, f, ends[2 * f] === i ? 0 : 1);
      for (let p = 0; p < 3; p++)
        for (let c = 0; c < 3; c++) {
          const g = W * first[p] * m[3 * e + c], h = W * second[p] * m[3 * f + c];
          for (let r = 0; r < 3; r++)
            for (let d = 0; d < 3; d++) {
              const at = 81 * i + 9 * (3 * p + c) + 3 * r + d;
              B[at] += g * (second[r] * m[3 * f + d]);
              B[at] += h * (first[r] * m[3 * e + d]);
            }
        }
    }
}

/** In place: each block becomes its inverse (Gauss–Jordan; positive definite, so no pivoting). Held coordinates keep no coupling and give 0. */
export function invertBlocks({ n, B }: FrameBlocks, fixed: Uint8Array): void {
  for (let i = 0; i < n; i++) {
    const at = 81 * i;
    for (let p = 0; p < 9; p++) {
      const k = p < 3 ? 3 * i + p : 3 * n + 6 * i + p - 3;
      if (!fixed[k]) continue;
      for (let c = 0; c < 9; c++) { B[at + 9 * p + c] = 0; B[at + 9 * c + p] = 0; }
      B[at + 10 * p] = 1;
    }
    for (let p = 0; p < 9; p++) {
      const row = at + 9 * p, f = 1 / B[row + p];
      B[row + p] = 1;
      for (let c = 0; c < 9; c++) B[row + c] *= f;
      for (let r = 0; r < 9; r++) {
        if (r === p) continue;
        const other = at + 9 * r, g = B[other + p];
        B[other + p] = 0;
        for (let c = 0; c < 9; c++) B[other + c] -= g * B[row + c];
      }
    }
    for (let p = 0; p < 9; p++) if (fixed[p < 3 ? 3 * i + p : 3 * n + 6 * i + p - 3]) B[at + 10 * p] = 0;
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

export const frameBlockOperations: FrameBlockOperations = { setBlocks, addArcBlocks, invertBlocks, applyBlocks };

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
  operations: FrameBlockOperations;
}

/** @param nodes isometry of the frames, whose two vectors it couples */
export function frameJacobi(memory: Allocator, n: number, pattern: SparsePattern, nodes: RowSet, arcs: Arcs): FrameJacobi {
  const at = new Int32Array(6 * n);
  for (let i = 0; i < n; i++) {
    const a = n + 2 * i, b = a + 1;
    at.set([findEntry(pattern, i, i), findEntry(pattern, i, a), findEntry(pattern, i, b), findEntry(pattern, a, a), findEntry(pattern, a, b), findEntry(pattern, b, b)], 6 * i);
  }
  const blocks: FrameBlocks = { n, at: memory.copyI32(at), B: memory.f64(81 * n) };
  const others = pattern.rows > 3 * n; // nodes of a solid
  const preconditioner: FrameJacobi = {
    operations: frameBlockOperations,
    update(work: MinimiseWork, { sets, fixed, diagonal }: Potential) {
      const { A, blocks: D, ops } = work;
      D.fill(0);
      for (let s = 0; s < sets.length; s++) ops.addNormalDiagonal(D, sets[s], sets[s].weight);
      preconditioner.operations.setBlocks(blocks, A.values, D, nodes);
      preconditioner.operations.addArcBlocks(blocks, arcs);
      preconditioner.operations.invertBlocks(blocks, fixed);
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
