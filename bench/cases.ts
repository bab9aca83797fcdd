/**
 * Model matrices for benchmarks of the linear algebra: what a step factors, without the step.
 *
 * The sheet is a unit square of jittered points, Delaunay triangulated and numbered at random (so
 * that the natural order helps nobody). On it, with 𝒩ᵢ the one-ring and Jᵢ two rows per point,
 *
 *   S = J Jᵀ + 10⁻³ I      2×2 blocks, the Schur matrix of tr and det (§5)
 *   B = I + h² LᵀL         scalar, inertia and bending
 *   A = 0.05 I + Jᵀ J      3×3 blocks, Gauss–Newton of a membrane
 *
 * All three couple points that share a neighbourhood: the pattern of the two-ring.
 */
import Delaunator from "delaunator";
import type { Allocator, ReadonlyF64 } from "../src/linalg/arena.ts";
import {
  type BlockSize,
  type BlockSymmetric,
  createBlockSymmetric,
  findBlock,
  lowerBlocks,
  patternFromCells,
  productPattern,
  type SparsePattern,
} from "../src/linalg/sparse.ts";

/** The point counts of the paper's Table 1, and one beyond it. */
export const SIZES: readonly number[] = [662, 1656, 2716, 15039, 100000];

export type Kind = "S" | "B" | "A";
export const BLOCK_OF: Readonly<Record<Kind, BlockSize>> = { S: 2, B: 1, A: 3 };

export interface ModelSheet {
  readonly n: number;
  readonly coordinates: Float64Array; // [2n] m
  readonly oneRing: SparsePattern; // every point is in its own
  readonly twoRing: SparsePattern;
}

export function modelSheet(n: number, seed = 1): ModelSheet {
  const coordinates = jitteredSquare(n, random(seed));
  const { triangles } = new Delaunator(coordinates);
  const oneRing = patternFromCells(n, 3, triangles);
  return { n, coordinates, oneRing, twoRing: productPattern(oneRing, oneRing) };
}

/** Exactly n points in the unit square, exact on its boundary, in random order. */
function jitteredSquare(n: number, next: () => number): Float64Array {
  const columns = Math.ceil(Math.sqrt(n));
  const rows = Math.ceil(n / columns);
  const points: [number, number][] = [];
  for (let v = 0; v < rows; v++) {
    for (let u = 0; u < columns; u++) {
      const onSide = u === 0 || u === columns - 1;
      const onEnd = v === 0 || v === rows - 1;
      const x = u + (onSide ? 0 : 0.6 * (next() - 0.5));
      const y = v + (onEnd ? 0 : 0.6 * (next() - 0.5));
      points.push([x / (columns - 1), y / (rows - 1)]);
    }
  }
  while (points.length > n) {
    const i = Math.floor(next() * points.length);
    const [x, y] = points[i];
    if (x > 0 && x < 1 && y > 0 && y < 1) points.splice(i, 1);
  }
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [points[i], points[j]] = [points[j], points[i]];
  }
  return Float64Array.from(points.flat());
}

/** The matrix with its values in the given memory. */
export function modelMatrix(memory: Allocator, sheet: ModelSheet, kind: Kind): BlockSymmetric {
  const A = createBlockSymmetric(memory, lowerBlocks(sheet.twoRing), BLOCK_OF[kind]);
  if (A.values.length === 0) return A; // the memory is only being measured
  if (kind === "B") fillBending(A, sheet);
  else if (kind === "S") fillSchur(A, sheet);
  else fillMembrane(A, sheet);
  return A;
}

/** Two rows per point over its one-ring, 6 numbers per entry, like the gradients of tr and det. */
function jacobian({ n, coordinates, oneRing }: ModelSheet): Float64Array {
  const next = random(7);
  const J = new Float64Array(6 * oneRing.index.length);
  for (let i = 0; i < n; i++) {
    const own = selfEntry(oneRing, i);
    const degree = oneRing.start[i + 1] - oneRing.start[i] - 1;
    for (let e = oneRing.start[i]; e < oneRing.start[i + 1]; e++) {
      if (e === own) continue;
      const j = oneRing.index[e];
      const u = coordinates[2 * j] - coordinates[2 * i];
      const v = coordinates[2 * j + 1] - coordinates[2 * i + 1];
      const length = Math.sqrt(u * u + v * v);
      const direction = [u / length, v / length, 0.2 * (next() - 0.5)];
      for (let c = 0; c < 3; c++) {
        J[6 * e + c] = (direction[c] * u) / length;
        J[6 * e + 3 + c] = (direction[c] * v) / length;
        J[6 * own + c] -= J[6 * e + c];
        J[6 * own + 3 + c] -= J[6 * e + 3 + c];
      }
    }
    J[6 * own + 2] += 0.3 * degree * (next() - 0.5);
    J[6 * own + 5] += 0.3 * degree * (next() - 0.5);
  }
  return J;
}

function selfEntry({ start, index }: SparsePattern, i: number): number {
  for (let e = start[i]; e < start[i + 1]; e++) if (index[e] === i) return e;
  throw new Error(`point ${i} is not in its own neighbourhood`);
}

/** S = J Jᵀ + 10⁻³ I: the rows of i and j meet at the points that both rings hold. */
function fillSchur(S: BlockSymmetric, sheet: ModelSheet): void {
  const { n, oneRing } = sheet;
  const { start, index } = oneRing;
  const J = jacobian(sheet);
  const entryOfPoint = new Int32Array(n).fill(-1);
  for (let j = 0; j < n; j++) {
    for (let e = start[j]; e < start[j + 1]; e++) entryOfPoint[index[e]] = e;
    for (let p = S.start[j]; p < S.start[j + 1]; p++) {
      const i = S.index[p];
      for (let e = start[i]; e < start[i + 1]; e++) {
        const other = entryOfPoint[index[e]];
        if (other !== -1) addProduct(S.values, 4 * p, J, e, J, other);
      }
    }
    for (let e = start[j]; e < start[j + 1]; e++) entryOfPoint[index[e]] = -1;
    S.values[4 * S.start[j]] += 1e-3;
    S.values[4 * S.start[j] + 3] += 1e-3;
  }
}

/** The 2×2 block at `to` += rows of entry e times rows of entry f. */
function addProduct(
  values: Float64Array,
  to: number,
  J: ReadonlyF64,
  e: number,
  K: ReadonlyF64,
  f: number,
): void {
  for (let a = 0; a < 2; a++) {
    for (let b = 0; b < 2; b++) {
      let sum = 0;
      for (let c = 0; c < 3; c++) sum += J[6 * e + 3 * a + c] * K[6 * f + 3 * b + c];
      values[to + 2 * a + b] += sum;
    }
  }
}

/** A = 0.05 I + Jᵀ J. */
function fillMembrane(A: BlockSymmetric, sheet: ModelSheet): void {
  const J = jacobian(sheet);
  forPairs(A, sheet, (p, e, f) => {
    for (let a = 0; a < 3; a++) {
      for (let b = 0; b < 3; b++) {
        A.values[9 * p + 3 * a + b] +=
          J[6 * e + a] * J[6 * f + b] + J[6 * e + 3 + a] * J[6 * f + 3 + b];
      }
    }
  });
  for (let j = 0; j < A.n; j++) {
    for (let a = 0; a < 3; a++) A.values[9 * A.start[j] + 4 * a] += 0.05;
  }
}

/** B = I + 0.1 LᵀL with the graph Laplacian. */
function fillBending(B: BlockSymmetric, sheet: ModelSheet): void {
  const { n, oneRing } = sheet;
  const L = new Float64Array(oneRing.index.length).fill(1);
  for (let i = 0; i < n; i++) {
    L[selfEntry(oneRing, i)] = oneRing.start[i] + 1 - oneRing.start[i + 1];
  }
  forPairs(B, sheet, (p, e, f) => {
    B.values[p] += 0.1 * L[e] * L[f];
  });
  for (let j = 0; j < n; j++) B.values[B.start[j]] += 1;
}

/** Calls back for entries e, f of every neighbourhood whose points are block p of the lower triangle. */
function forPairs(
  A: BlockSymmetric,
  { n, oneRing }: ModelSheet,
  add: (p: number, e: number, f: number) => void,
): void {
  const { start, index } = oneRing;
  for (let i = 0; i < n; i++) {
    for (let f = start[i]; f < start[i + 1]; f++) {
      for (let e = start[i]; e < start[i + 1]; e++) {
        if (index[e] >= index[f]) add(findBlock(A, index[e], index[f]), e, f);
      }
    }
  }
}

/** Uniform numbers in [0, 1): mulberry32. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
