import { describe, expect, test } from "vitest";
import { minimumDegree } from "../../src/linalg/minimum-degree.ts";
import {
  type BlockSize,
  graphOf,
  lowerBlocks,
  type SparsePattern,
} from "../../src/linalg/sparse.ts";
import {
  type Analysis,
  roundUp4,
  symbolicAnalysis,
  updateSize,
} from "../../src/linalg/symbolic.ts";
import { randomGraph, shuffledGrid, twoRingGrid } from "./samples.ts";

const samples: [string, SparsePattern][] = [
  ["a two-ring sheet", twoRingGrid(20, 15, 1).pattern],
  ["a triangulated sheet", shuffledGrid(30, 12, 2).pattern],
  ["a random graph in several pieces", randomGraph(150, 140, 3)],
];

function analysed(pattern: SparsePattern, block: BlockSize): Analysis {
  const lower = lowerBlocks(pattern);
  const graph = graphOf(lower);
  return symbolicAnalysis(lower, graph, block, minimumDegree(graph));
}

/** Rows of every column of L in the given order, by elimination with sets. */
function structureOfL(pattern: SparsePattern, order: Int32Array, place: Int32Array): Set<number>[] {
  const graph = graphOf(lowerBlocks(pattern));
  const columns = Array.from(order, () => new Set<number>());
  order.forEach((i, k) => {
    for (let p = graph.start[i]; p < graph.start[i + 1]; p++) {
      const other = place[graph.index[p]];
      if (other > k) columns[k].add(other);
    }
  });
  for (const column of columns) {
    const parent = Math.min(...column);
    for (const row of column) if (row !== parent) columns[parent].add(row);
  }
  return columns;
}

describe.each(samples)("symbolic analysis of %s", (_, pattern) => {
  test("supernodes hold all of L, and count it exactly", () => {
    const a = analysed(pattern, 1);
    const L = structureOfL(pattern, a.order, a.place);
    expect(a.nonzeros).toBe(L.reduce((sum, column) => sum + 1 + column.size, 0));
    for (let s = 0; s < a.supernodes; s++) {
      const end = a.firstPlace[s + 1];
      const rows = new Set(a.rowPlace.subarray(a.rowStart[s], a.rowStart[s + 1]));
      for (let k = a.firstPlace[s]; k < end; k++) {
        for (const row of L[k]) expect(row < end || rows.has(row)).toBe(true);
      }
      // and no row that no column needs
      for (const row of rows) {
        const needed = L.slice(a.firstPlace[s], end).some((column) => column.has(row));
        expect(needed).toBe(true);
      }
    }
    expect(a.storedNonzeros).toBeGreaterThanOrEqual(a.nonzeros);
  });

  test("children come before parents, whose fronts hold all their rows", () => {
    for (const block of [1, 2, 3] as const) {
      const a = analysed(pattern, block);
      for (let s = 0; s < a.supernodes; s++) {
        const width = roundUp4(a.columns[s]);
        const own = a.rowPlace.subarray(a.rowStart[s], a.rowStart[s + 1]);
        for (let q = a.childStart[s]; q < a.childStart[s + 1]; q++) {
          const c = a.child[q];
          expect(c).toBeLessThan(s);
          expect(a.parent[c]).toBe(s);
          for (let r = a.rowStart[c]; r < a.rowStart[c + 1]; r++) {
            const isPivot = r - a.rowStart[c] < a.pivotsOfParent[c];
            const at = a.rowInParent[r];
            const place = isPivot ? a.firstPlace[s] + at / block : own[(at - width) / block];
            expect(place).toBe(a.rowPlace[r]);
          }
        }
      }
    }
  });

  test("no two updates that exist at the same time share memory", () => {
    const a = analysed(pattern, 2);
    // update s exists from front s to front parent(s)
    for (let s = 0; s < a.supernodes; s++) {
      const size = updateSize(a.rows[s]);
      expect(a.updateStart[s] + size).toBeLessThanOrEqual(a.updateLength);
      for (let other = 0; other < s; other++) {
        const otherSize = updateSize(a.rows[other]);
        if (size === 0 || otherSize === 0 || a.parent[other] < s) continue;
        const apart =
          a.updateStart[other] + otherSize <= a.updateStart[s] ||
          a.updateStart[s] + size <= a.updateStart[other];
        expect(apart).toBe(true);
      }
    }
  });

  test("every block of the matrix goes to the front of its earlier point, once", () => {
    const lower = lowerBlocks(pattern);
    const a = analysed(pattern, 3);
    const blocks = new Set<number>();
    for (let s = 0; s < a.supernodes; s++) {
      const width = roundUp4(a.columns[s]);
      const rows = a.rowPlace.subarray(a.rowStart[s], a.rowStart[s + 1]);
      for (let q = a.entryStart[s]; q < a.entryStart[s + 1]; q++) {
        const transposed = a.entryBlock[q] < 0;
        const p = transposed ? ~a.entryBlock[q] : a.entryBlock[q];
        blocks.add(p);
        const column = a.firstPlace[s] + a.entryColumn[q] / 3;
        const row =
          a.entryRow[q] < width
            ? a.firstPlace[s] + a.entryRow[q] / 3
            : rows[(a.entryRow[q] - width) / 3];
        const [i, j] = transposed ? [column, row] : [row, column];
        expect(lower.index[p]).toBe(a.order[i]);
        expect(p >= lower.start[a.order[j]] && p < lower.start[a.order[j] + 1]).toBe(true);
      }
    }
    expect(blocks.size).toBe(lower.index.length);
  });
});

test("on a sheet, merged supernodes are few and their zeros at most a third of L", () => {
  const { pattern } = twoRingGrid(30, 30, 4);
  for (const block of [1, 2, 3] as const) {
    const a = analysed(pattern, block);
    expect(a.supernodes).toBeLessThan(a.n / 5);
    expect(a.storedNonzeros).toBeLessThan((4 / 3) * a.nonzeros);
  }
});
