import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../src/linalg/arena.ts";
import { analyse, type Cholesky, prepareCholesky } from "../../src/linalg/cholesky.ts";
import { factor } from "../../src/linalg/cholesky-factor.ts";
import { solve } from "../../src/linalg/cholesky-solve.ts";
import { analyseInSpace } from "../../src/linalg/dissection.ts";
import {
  type BlockSize,
  type BlockSymmetric,
  lowerBlocks,
  type SparsePattern,
} from "../../src/linalg/sparse.ts";
import { panelStart } from "../../src/linalg/symbolic.ts";
import { multiplyBlocks } from "./products.ts";
import { definite, random, randomGraph, shuffledGrid, twoRingGrid } from "./samples.ts";

const BLOCKS: readonly BlockSize[] = [1, 2, 3];

/** A random definite matrix on the pattern, factored; the scratch starts as NaN. */
function factored(pattern: SparsePattern, block: BlockSize, coordinates?: Float64Array) {
  const lower = lowerBlocks(pattern);
  const analysis = coordinates ? analyseInSpace(lower, block, coordinates) : analyse(lower, block);
  const { value } = inOneMemory((memory) => ({
    A: definite(memory, lower, block, 5),
    cholesky: prepareCholesky(memory, analysis),
  }));
  const { A, cholesky } = value;
  for (const scratch of [cholesky.L, cholesky.U, cholesky.y, cholesky.w]) scratch.fill(Number.NaN);
  return { A, cholesky, failed: factor(cholesky, A.values) };
}

function randomVector(length: number, seed: number): Float64Array {
  const next = random(seed);
  return Float64Array.from({ length }, () => next() - 0.5);
}

/** The largest |A x − b|, relative to the largest |b|. */
function residual(A: BlockSymmetric, x: Float64Array, b: Float64Array): number {
  const y = new Float64Array(x.length);
  multiplyBlocks(y, A, x);
  let worst = 0;
  let scale = 0;
  for (let r = 0; r < b.length; r++) {
    worst = Math.max(worst, Math.abs(y[r] - b[r]));
    scale = Math.max(scale, Math.abs(b[r]));
  }
  return worst / scale;
}

/** Entry (r, k) of L in elimination order, from the tiles. */
function entryOfL({ analysis, L }: Cholesky, r: number, k: number): number {
  const { block, supernodes, firstPlace, columns, rowStart, rowPlace, factorStart } = analysis;
  for (let s = 0; s < supernodes; s++) {
    const first = block * firstPlace[s];
    if (k < first || k >= first + columns[s]) continue;
    const width = (columns[s] + 3) & ~3;
    let row = r - first;
    if (row >= columns[s]) {
      const below = rowPlace.subarray(rowStart[s], rowStart[s + 1]).indexOf(Math.floor(r / block));
      if (below === -1) return 0;
      row = width + block * below + (r % block);
    }
    const at = factorStart[s] + panelStart(row >> 2, width) + 4 * (k - first) + (row & 3);
    return r === k ? 1 / L[at] : L[at];
  }
  throw new Error("no such column");
}

describe("sparse Cholesky", () => {
  test.each(BLOCKS)("L Lᵀ is the permuted matrix, entry by entry (block %i)", (block) => {
    const { pattern } = twoRingGrid(6, 5, 1);
    const { A, cholesky, failed } = factored(pattern, block);
    expect(failed).toBe(0);
    const size = block * A.n;
    const L = Array.from({ length: size }, (_, r) =>
      Array.from({ length: r + 1 }, (_, k) => entryOfL(cholesky, r, k)),
    );
    const { order } = cholesky.analysis;
    const e = new Float64Array(size);
    const column = new Float64Array(size);
    for (let c = 0; c < size; c++) {
      e.fill(0);
      e[block * order[Math.floor(c / block)] + (c % block)] = 1;
      multiplyBlocks(column, A, e);
      for (let r = c; r < size; r++) {
        let sum = 0;
        for (let k = 0; k <= c; k++) sum += L[r][k] * L[c][k];
        const wanted = column[block * order[Math.floor(r / block)] + (r % block)];
        expect(sum).toBeCloseTo(wanted, 12); // entries up to 50, round-off of 90-term sums
      }
    }
  });

  test.each(BLOCKS)(
    "solving undoes multiplying on sheets and on random graphs (block %i)",
    (block) => {
      const { pattern, coordinates } = twoRingGrid(31, 27, 2);
      const cases: [SparsePattern, Float64Array | undefined][] = [
        [pattern, undefined],
        [shuffledGrid(45, 40, 3).pattern, shuffledGrid(45, 40, 3).coordinates], // nested dissection
        [pattern, coordinates],
        [randomGraph(200, 300, 4), undefined],
      ];
      for (const [graph, where] of cases) {
        const { A, cholesky, failed } = factored(graph, block, where);
        expect(failed).toBe(0);
        const b = randomVector(block * A.n, 6);
        const x = b.slice();
        solve(cholesky, x);
        expect(residual(A, x, b)).toBeLessThan(1e-13); // a dominant diagonal keeps the digits
      }
    },
  );

  test("factoring again with other values forgets the old ones", () => {
    const { pattern } = twoRingGrid(9, 9, 10);
    const { A, cholesky } = factored(pattern, 2);
    const first = cholesky.L.slice();
    for (let p = 0; p < A.values.length; p++) A.values[p] *= 2;
    expect(factor(cholesky, A.values)).toBe(0);
    for (let p = 0; p < A.values.length; p++) A.values[p] /= 2;
    expect(factor(cholesky, A.values)).toBe(0);
    expect(cholesky.L).toEqual(first);
  });

  test.each(BLOCKS)("names the point whose pivot is not positive (block %i)", (block) => {
    // A diagonal matrix has no fill: the pivot that fails is the entry made negative.
    const { pattern } = shuffledGrid(5, 5, 11);
    const { A, cholesky } = factored(pattern, block);
    for (let p = 0; p < A.values.length; p++) A.values[p] = 0;
    const squares = block * block;
    for (let i = 0; i < A.n; i++) {
      for (let a = 0; a < block; a++) A.values[squares * A.start[i] + (block + 1) * a] = 1;
    }
    expect(factor(cholesky, A.values)).toBe(0);
    for (const bad of [0, 7, 24]) {
      for (const value of [-1, 0, Number.NaN]) {
        const last = squares * A.start[bad] + squares - 1;
        A.values[last] = value;
        expect(factor(cholesky, A.values)).toBe(1 + bad);
        A.values[last] = 1;
      }
    }
  });

  test("one point, no edges, and nothing at all are matrices too", () => {
    for (const block of BLOCKS) {
      for (const n of [0, 1, 7]) {
        const { A, cholesky, failed } = factored(randomGraph(n, 0, 1), block);
        expect(failed).toBe(0);
        const b = randomVector(block * n, 12);
        const x = b.slice();
        solve(cholesky, x);
        if (n > 0) expect(residual(A, x, b)).toBeLessThan(1e-14);
      }
    }
  });

  test("an order given by the caller is taken, up to a postorder with the same fill", () => {
    const { pattern } = twoRingGrid(15, 15, 13);
    const lower = lowerBlocks(pattern);
    const own = analyse(lower, 1);
    const again = analyse(lower, 1, { order: own.order });
    expect(again.nonzeros).toBe(own.nonzeros);
    const natural = analyse(lower, 1, { order: Int32Array.from(own.order).sort() });
    expect(natural.nonzeros).toBeGreaterThan(2 * own.nonzeros); // points are numbered at random
  });
});
