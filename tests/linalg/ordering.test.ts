import { describe, expect, test } from "vitest";
import { minimumDegree } from "../../src/linalg/minimum-degree.ts";
import { nestedDissection } from "../../src/linalg/ordering.ts";
import {
  graphOf,
  lowerBlocks,
  patternFromCells,
  type SparsePattern,
} from "../../src/linalg/sparse.ts";
import { symbolicAnalysis } from "../../src/linalg/symbolic.ts";
import { random, randomGraph, shuffledGrid, twoRingGrid } from "./samples.ts";

/** A symmetric pattern without its diagonal. */
const graph = (pattern: SparsePattern): SparsePattern => graphOf(lowerBlocks(pattern));

/** Entries below the diagonal of L, by eliminating with sets of neighbours. */
function fill(g: SparsePattern, order: Int32Array): number {
  const near = Array.from(
    { length: g.rows },
    (_, i) => new Set((g.index as Int32Array).subarray(g.start[i], g.start[i + 1])),
  );
  let entries = 0;
  for (const i of order) {
    const later = [...near[i]];
    entries += later.length;
    for (const a of later) {
      near[a].delete(i);
      for (const b of later) if (a !== b) near[a].add(b);
    }
  }
  return entries;
}

/** The same by exact minimum degree: the least degree at each step, ties to the first. */
function exactMinimumDegree(g: SparsePattern): Int32Array {
  const near = Array.from(
    { length: g.rows },
    (_, i) => new Set((g.index as Int32Array).subarray(g.start[i], g.start[i + 1])),
  );
  const left = new Set(near.keys());
  const order: number[] = [];
  while (left.size > 0) {
    let best = -1;
    for (const i of left) if (best === -1 || near[i].size < near[best].size) best = i;
    left.delete(best);
    order.push(best);
    for (const a of near[best]) {
      near[a].delete(best);
      for (const b of near[best]) if (a !== b) near[a].add(b);
    }
  }
  return Int32Array.from(order);
}

function expectPermutation(order: Int32Array, n: number): void {
  expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
}

describe("minimum degree", () => {
  test("a tree is eliminated without fill", () => {
    const next = random(1);
    const cells: number[] = [];
    for (let i = 1; i < 500; i++) cells.push(i, Math.floor(next() * i));
    const g = graph(patternFromCells(500, 2, cells));
    const order = minimumDegree(g);
    expectPermutation(order, 500);
    expect(fill(g, order)).toBe(499); // one entry per edge
  });

  test("graphs of all kinds are ordered completely, complete, empty and disconnected ones too", () => {
    const complete: number[] = [];
    for (let i = 0; i < 12; i++) for (let j = 0; j < i; j++) complete.push(i, j);
    const samples = [
      randomGraph(0, 0, 1),
      randomGraph(1, 0, 1),
      randomGraph(30, 0, 1),
      patternFromCells(12, 2, complete),
      ...[10, 50, 200, 1000].map((edges) => randomGraph(100, edges, edges)),
    ];
    for (const sample of samples) expectPermutation(minimumDegree(graph(sample)), sample.rows);
  });

  test("the approximate degree costs at most a tenth more fill than the exact one", () => {
    const samples = [twoRingGrid(17, 13, 2), shuffledGrid(25, 20, 3)].map((s) => s.pattern);
    for (const sample of [...samples, randomGraph(200, 350, 4)]) {
      const g = graph(sample);
      const exact = fill(g, exactMinimumDegree(g));
      expect(fill(g, minimumDegree(g))).toBeLessThan(1.1 * exact);
    }
  });
});

describe("nested dissection", () => {
  test("orders every point once, in the plane, in space, and when coordinates say nothing", () => {
    const { pattern, coordinates } = twoRingGrid(40, 30, 5);
    const g = graph(pattern);
    const n = g.rows;
    const space = new Float64Array(3 * n);
    for (let i = 0; i < n; i++) {
      space[3 * i] = coordinates[2 * i + 1];
      space[3 * i + 2] = coordinates[2 * i];
    }
    for (const where of [coordinates, space, new Float64Array(2 * n)]) {
      expectPermutation(nestedDissection(g, where), n);
    }
  });

  test("the last points separate the rest into two parts without an edge between them", () => {
    // The last point lies in the first separator. Without the 2·20 points that a line across a two-ring
    // grid of 20 rows needs, and a few more for its raggedness, the sheet falls apart.
    const { pattern, coordinates } = twoRingGrid(30, 20, 6);
    const g = graph(pattern);
    const order = nestedDissection(g, coordinates);
    const kept = new Set(order.subarray(0, g.rows - 50));
    let reached = 0;
    const stack = [order[0]];
    kept.delete(order[0]);
    for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
      reached++;
      for (let p = g.start[i]; p < g.start[i + 1]; p++) {
        if (kept.delete(g.index[p])) stack.push(g.index[p]);
      }
    }
    expect(reached).toBeLessThan(0.6 * g.rows);
    expect(kept.size).toBeGreaterThan(0.3 * g.rows);
  });

  test("four times the points have about five times the fill, where a band has eight times", () => {
    // O(n log n): 4 log(4n)/log(n) = 4.7 at n = 3600; O(n^1.5): 8. Halfway is 6.4. The entries of L are
    // counted by the analysis, which is checked against elimination in symbolic.test.ts.
    const grown = (order: (g: SparsePattern, where: Float64Array) => Int32Array): number => {
      const [small, large] = [60, 120].map((side) => {
        const { pattern, coordinates } = shuffledGrid(side, side, 7);
        const lower = lowerBlocks(pattern);
        const g = graphOf(lower);
        return symbolicAnalysis(lower, g, 1, order(g, coordinates)).nonzeros;
      });
      return large / small;
    };
    const byRows = (g: SparsePattern, where: Float64Array): Int32Array => {
      const row = (i: number): number => Math.floor(where[2 * i + 1]);
      const all = Int32Array.from({ length: g.rows }, (_, i) => i);
      return all.sort((a, b) => row(a) - row(b) || where[2 * a] - where[2 * b]);
    };
    expect(grown(nestedDissection)).toBeLessThan(6.4);
    expect(grown(byRows)).toBeGreaterThan(6.4);
  });

  test("does not depend on where the sheet lies or how large it is", () => {
    const { pattern, coordinates } = twoRingGrid(25, 25, 8);
    const g = graph(pattern);
    const moved = coordinates.map((x) => 4 * x + 8); // exact in floating point up to rounding of the sum
    expect(fill(g, nestedDissection(g, moved))).toBe(fill(g, nestedDissection(g, coordinates)));
  });
});
