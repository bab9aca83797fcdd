/** Graphs and matrices for the tests of linalg: small, irregular where it matters, and seeded. */
import type { Allocator } from "../../src/linalg/arena.ts";
import {
  type BlockPattern,
  type BlockSize,
  type BlockSymmetric,
  createBlockSymmetric,
  lowerBlocks,
  patternFromCells,
  productPattern,
  type SparsePattern,
} from "../../src/linalg/sparse.ts";

/** Uniform numbers in [0, 1): mulberry32. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A triangulated grid whose points are numbered at random, with its positions. */
export function shuffledGrid(
  nu: number,
  nv: number,
  seed: number,
): { pattern: SparsePattern; coordinates: Float64Array } {
  const n = nu * nv;
  const next = random(seed);
  const label = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1));
    [label[i], label[j]] = [label[j], label[i]];
  }
  const coordinates = new Float64Array(2 * n);
  const cells: number[] = [];
  for (let v = 0; v < nv; v++) {
    for (let u = 0; u < nu; u++) {
      coordinates[2 * label[v * nu + u]] = u + 0.3 * next();
      coordinates[2 * label[v * nu + u] + 1] = v + 0.3 * next();
      if (u + 1 === nu || v + 1 === nv) continue;
      const [a, b, c, d] = [0, 1, nu, nu + 1].map((step) => label[v * nu + u + step]);
      cells.push(...(next() < 0.5 ? [a, b, c, b, d, c] : [a, b, d, a, d, c]));
    }
  }
  return { pattern: patternFromCells(n, 3, cells), coordinates };
}

/** The same with neighbours of neighbours, as S and the bending matrix have. */
export function twoRingGrid(
  nu: number,
  nv: number,
  seed: number,
): { pattern: SparsePattern; coordinates: Float64Array } {
  const { pattern, coordinates } = shuffledGrid(nu, nv, seed);
  return { pattern: productPattern(pattern, pattern), coordinates };
}

/** A random symmetric pattern, not planar and possibly disconnected. */
export function randomGraph(n: number, edges: number, seed: number): SparsePattern {
  const next = random(seed);
  const cells: number[] = [];
  for (let e = 0; e < edges; e++) cells.push(Math.floor(next() * n), Math.floor(next() * n));
  return patternFromCells(n, 2, cells);
}

/** Random blocks with a dominant diagonal, hence positive definite. */
export function definite(
  memory: Allocator,
  pattern: BlockPattern,
  block: BlockSize,
  seed: number,
): BlockSymmetric {
  const A = createBlockSymmetric(memory, pattern, block);
  if (A.values.length > 0) fillDefinite(A, seed);
  return A;
}

function fillDefinite(A: BlockSymmetric, seed: number): void {
  const { n, block, start, index, values } = A;
  const next = random(seed);
  const sums = new Float64Array(block * n);
  const diagonal = (i: number, a: number, c: number): number =>
    block * block * start[i] + block * a + c;
  for (let j = 0; j < n; j++) {
    for (let p = start[j]; p < start[j + 1]; p++) {
      const i = index[p];
      for (let a = 0; a < block; a++) {
        for (let c = 0; c < block; c++) {
          if (i === j && c >= a) continue;
          const value = next() - 0.5;
          values[block * block * p + block * a + c] = value;
          if (i === j) values[diagonal(i, c, a)] = value;
          sums[block * i + a] += Math.abs(value);
          sums[block * j + c] += Math.abs(value);
        }
      }
    }
  }
  for (let i = 0; i < n; i++) {
    for (let a = 0; a < block; a++) values[diagonal(i, a, a)] = sums[block * i + a] + 0.1;
  }
}

/** The same on the lower triangle of a symmetric pattern. */
export function definiteOn(
  memory: Allocator,
  graph: SparsePattern,
  block: BlockSize,
  seed: number,
): BlockSymmetric {
  return definite(memory, lowerBlocks(graph), block, seed);
}
