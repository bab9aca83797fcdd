import { describe, expect, test } from "vitest";
import { instantiate, type Kernels } from "../../src/kernels/kernels.ts";
import { createPartner, type Partner } from "../../src/kernels/partner.ts";
import { shared } from "../../src/kernels/wasm-shared.generated.ts";
import { type Arena, inOneMemory } from "../../src/linalg/arena.ts";
import {
  type Analysis,
  analyse,
  attachKernels,
  prepareCholesky,
} from "../../src/linalg/cholesky.ts";
import { factor } from "../../src/linalg/cholesky-factor.ts";
import { analyseInSpace } from "../../src/linalg/dissection.ts";
import { type BlockSize, lowerBlocks, type SparsePattern } from "../../src/linalg/sparse.ts";
import { definite, randomGraph, shuffledGrid, twoRingGrid } from "../linalg/samples.ts";
import { sameBits } from "../support.ts";

/**
 * A partner without a thread, which does its half first or last: the two must not depend on each other. (A real thread is in
 * slow/package.test.ts: threads cannot run the sources.)
 */
function obliging(arena: Arena, late: boolean): Partner & { halves: number } {
  const kernels: Kernels = instantiate(arena, { shared });
  let task = (): number => 0;
  let result = 0;
  return {
    halves: 0,
    isUp: () => true,
    begin(...numbers) {
      task = () => kernels.factorSome(...numbers);
      if (!late) result = task();
      this.halves++;
      return true;
    },
    end: () => (late ? task() : result),
    close: () => undefined,
  };
}

function sample(pattern: SparsePattern, block: BlockSize, coordinates?: Float64Array) {
  const lower = lowerBlocks(pattern);
  const analysed = (threads: 1 | 2): Analysis =>
    coordinates
      ? analyseInSpace(lower, block, coordinates, threads)
      : analyse(lower, block, { threads });
  const analysis = analysed(2);
  const { arena, value } = inOneMemory(
    (memory) => ({
      A: definite(memory, lower, block, 5),
      alone: prepareCholesky(memory, analysed(1)),
      together: prepareCholesky(memory, analysis),
    }),
    { shared: true },
  );
  attachKernels(value.alone, instantiate(arena, { shared }));
  return { arena, analysis, ...value };
}

const samples: [string, SparsePattern, Float64Array | undefined][] = [
  ["a sheet", twoRingGrid(40, 31, 2).pattern, twoRingGrid(40, 31, 2).coordinates],
  ["a sheet by minimum degree", twoRingGrid(23, 19, 1).pattern, undefined],
  ["a strip", shuffledGrid(60, 5, 3).pattern, undefined],
];

describe("two threads", () => {
  for (const block of [1, 2, 3] as const) {
    test.each(samples)(
      `give the factor of one, whoever is first: %s, block ${block}`,
      (_, pattern, coordinates) => {
        const { arena, A, alone, together } = sample(pattern, block, coordinates);
        expect(factor(alone, A.values)).toBe(0);
        for (const late of [false, true]) {
          const partner = obliging(arena, late);
          attachKernels(together, instantiate(arena, { shared, partner }));
          for (const scratch of [together.L, together.U, together.w]) scratch.fill(Number.NaN);
          expect(factor(together, A.values)).toBe(0);
          expect(partner.halves).toBe(1);
          expect(sameBits(together.L, alone.L)).toBe(true);
        }
      },
    );
  }

  test("halves are even, and reach into nobody else's places", () => {
    const { pattern, coordinates } = twoRingGrid(60, 60, 2);
    const { analysis } = sample(pattern, 2, coordinates);
    const { halves, parent, supernodes } = analysis as Analysis & {
      halves: { middle: number; top: number };
    };
    const { middle, top } = halves;
    for (let s = 0; s < top; s++) {
      const ends = s < middle ? middle : top;
      expect(parent[s] < ends || parent[s] >= top).toBe(true);
    }
    const flops = (from: number, to: number): number => {
      let sum = 0;
      for (let s = from; s < to; s++)
        sum += analysis.columns[s] * (analysis.columns[s] + analysis.rows[s]) ** 2;
      return sum;
    };
    const [first, second, rest] = [flops(0, middle), flops(middle, top), flops(top, supernodes)];
    expect(Math.max(first, second) + rest).toBeLessThan(0.75 * (first + second + rest));
  });

  test("a graph without two halves is factored by one", () => {
    const { arena, A, alone, together } = sample(randomGraph(2, 1, 4), 1);
    const partner = obliging(arena, false);
    attachKernels(together, instantiate(arena, { shared, partner }));
    expect(factor(together, A.values)).toBe(factor(alone, A.values));
    expect(partner.halves).toBe(0);
  });

  test("the pivot that is not positive is named as one thread names it", () => {
    const { pattern, coordinates } = twoRingGrid(30, 30, 2);
    const { arena, A, alone, together, analysis } = sample(pattern, 1, coordinates);
    const { middle, top } = analysis.halves!;
    const { order, firstPlace } = analysis;
    attachKernels(together, instantiate(arena, { shared, partner: obliging(arena, false) }));
    const values = A.values.slice();
    for (const s of [2, middle - 1, middle, top - 1, top]) {
      const point = order[firstPlace[s]];
      A.values.set(values);
      A.values[A.start[point]] = -1;
      expect(factor(together, A.values)).toBe(1 + point);
      expect(factor(alone, A.values)).toBe(1 + point);
    }
  });

  test("until its thread is up a partner declines", () => {
    const { arena } = sample(twoRingGrid(5, 5, 1).pattern, 1);
    const { partner } = createPartner(arena);
    expect(partner.begin(0, 0, 0, 0)).toBe(false);
  });
});
