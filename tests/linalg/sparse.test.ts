import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../src/linalg/arena.ts";
import {
  type BlockSize,
  createSparse,
  findBlock,
  findEntry,
  graphOf,
  lowerBlocks,
  multiplyScalar3,
  patternFromCells,
  patternFromElements,
  patternFromEntries,
  patternFromLists,
  productPattern,
  type SparseMatrix,
  type SparsePattern,
} from "../../src/linalg/sparse.ts";
import { multiplyBlocks } from "./products.ts";
import { definite, random, randomGraph } from "./samples.ts";

/** The pattern as a table of booleans. */
function dense(A: SparsePattern): boolean[][] {
  const table = Array.from({ length: A.rows }, () => new Array<boolean>(A.columns).fill(false));
  for (let r = 0; r < A.rows; r++) {
    for (let p = A.start[r]; p < A.start[r + 1]; p++) table[r][A.index[p]] = true;
  }
  return table;
}

/** Columns increase within every row, so each occurs once. */
function expectSorted(A: SparsePattern): void {
  for (let r = 0; r < A.rows; r++) {
    for (let p = A.start[r] + 1; p < A.start[r + 1]; p++) {
      expect(A.index[p]).toBeGreaterThan(A.index[p - 1]);
    }
  }
}

/** A random rectangular matrix in plain memory. */
function randomMatrix(rows: number, columns: number, entries: number, seed: number): SparseMatrix {
  const next = random(seed);
  const row = Array.from({ length: entries }, () => Math.floor(next() * rows));
  const column = Array.from({ length: entries }, () => Math.floor(next() * columns));
  const pattern = patternFromEntries(rows, columns, row, column);
  const { value: A } = inOneMemory((memory) => createSparse(memory, pattern));
  for (let p = 0; p < A.values.length; p++) A.values[p] = next() - 0.5;
  return A;
}

describe("sparse patterns", () => {
  test("entries in any order, repeated, come out sorted and once", () => {
    const A = patternFromEntries(3, 4, [2, 0, 2, 0, 2], [3, 1, 0, 1, 3]);
    expect([...(A.start as Int32Array)]).toEqual([0, 1, 1, 3]);
    expect([...(A.index as Int32Array)]).toEqual([1, 0, 3]);
    expect(patternFromLists(4, [[1, 1], [], [3, 0, 3]])).toEqual(A);
  });

  test("points of one element are neighbours, and nobody else", () => {
    const next = random(1);
    const start = [0, 3, 3, 7, 9];
    const points = Array.from({ length: 9 }, () => Math.floor(next() * 12));
    const A = patternFromElements(12, start, points);
    expectSorted(A);
    const wanted = Array.from({ length: 12 }, (_, i) =>
      Array.from({ length: 12 }, (_, j) => i === j),
    );
    for (let e = 0; e < 4; e++) {
      for (const i of points.slice(start[e], start[e + 1])) {
        for (const j of points.slice(start[e], start[e + 1])) wanted[i][j] = true;
      }
    }
    expect(dense(A)).toEqual(wanted);
    expect(patternFromCells(4, 2, [0, 1, 2, 3])).toEqual(
      patternFromElements(4, [0, 2, 4], [0, 1, 2, 3]),
    );
  });

  test("multiplying patterns is multiplying booleans", () => {
    const A = randomMatrix(9, 7, 20, 2);
    const B = randomMatrix(7, 8, 20, 3);
    const a = dense(A);
    const b = dense(B);
    const product = productPattern(A, B);
    expectSorted(product);
    expect(dense(product)).toEqual(
      a.map((row) => b[0].map((_, c) => row.some((set, k) => set && b[k][c]))),
    );
  });

  test("the lower blocks and the graph of a symmetric pattern hold all of it", () => {
    const A = randomGraph(20, 40, 4);
    const lower = lowerBlocks(A);
    for (let j = 0; j < 20; j++) expect(lower.index[lower.start[j]]).toBe(j); // the diagonal first
    const graph = graphOf(lower);
    expectSorted(graph);
    const wanted = dense(A);
    for (let i = 0; i < 20; i++) wanted[i][i] = false;
    expect(dense(graph)).toEqual(wanted);
  });

  test("entries are found where they are, and −1 where they are not", () => {
    const A = randomGraph(15, 25, 5);
    const lower = lowerBlocks(A);
    dense(A).forEach((row, r) => {
      row.forEach((set, c) => {
        const p = findEntry(A, r, c);
        if (set) expect(A.index[p]).toBe(c);
        else expect(p).toBe(-1);
        if (r < c) return;
        const q = findBlock(lower, r, c);
        if (set) expect(lower.index[q]).toBe(r);
        else expect(q).toBe(-1);
      });
    });
  });
});

describe("sparse products", () => {
  /** Σ A(r, c) x(c) from the definition. */
  const slow = (A: SparseMatrix, x: (c: number) => number): number[] =>
    Array.from({ length: A.rows }, (_, r) => {
      let sum = 0;
      for (let c = 0; c < A.columns; c++) {
        const p = findEntry(A, r, c);
        if (p !== -1) sum += A.values[p] * x(c);
      }
      return sum;
    });

  test("(A ⊗ I₃) x is what the definition says", () => {
    const A = randomMatrix(11, 6, 30, 6);
    const next = random(7);
    const x = Float64Array.from({ length: 18 }, () => next() - 0.5);
    const y = new Float64Array(33).fill(Number.NaN);
    multiplyScalar3(y, A, x);
    for (let c = 0; c < 3; c++) {
      const wanted = slow(A, (j) => x[3 * j + c]);
      for (let r = 0; r < 11; r++) expect(y[3 * r + c]).toBeCloseTo(wanted[r], 14);
    }
  });

  test.each([1, 2, 3] as BlockSize[])(
    "a stored lower triangle multiplies as the whole (block %i)",
    (block) => {
      const lower = lowerBlocks(randomGraph(10, 15, 10));
      const { value: A } = inOneMemory((memory) => definite(memory, lower, block, 11));
      const size = 10 * block;
      const entry = (r: number, c: number): number => {
        const [i, j] = [Math.floor(r / block), Math.floor(c / block)];
        if (i < j) return entry(c, r);
        const p = findBlock(A, i, j);
        return p === -1 ? 0 : A.values[block * block * p + block * (r % block) + (c % block)];
      };
      const next = random(12);
      const x = Float64Array.from({ length: size }, () => next() - 0.5);
      const y = new Float64Array(size).fill(Number.NaN);
      multiplyBlocks(y, A, x);
      for (let r = 0; r < size; r++) {
        let sum = 0;
        for (let c = 0; c < size; c++) sum += entry(r, c) * x[c];
        expect(y[r]).toBeCloseTo(sum, 12);
      }
    },
  );
});
