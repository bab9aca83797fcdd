import { describe, expect, test } from "vitest";
import { instantiate } from "../../src/kernels/kernels.ts";
import { shared } from "../../src/kernels/wasm-shared.generated.ts";
import { type Allocator, inOneMemory } from "../../src/linalg/arena.ts";
import { analyse, attachKernels, prepareCholesky } from "../../src/linalg/cholesky.ts";
import { factor } from "../../src/linalg/cholesky-factor.ts";
import { solve } from "../../src/linalg/cholesky-solve.ts";
import { analyseInSpace } from "../../src/linalg/dissection.ts";
import {
  type BlockSize,
  createSparse,
  lowerBlocks,
  multiplyScalar3,
  type SparsePattern,
} from "../../src/linalg/sparse.ts";
import { add, axpy, dot, largest, negate, xpby } from "../../src/linalg/vectors.ts";
import { definite, random, randomGraph, shuffledGrid, twoRingGrid } from "../linalg/samples.ts";

const BLOCKS: readonly BlockSize[] = [1, 2, 3];

function randomVector(memory: Allocator, length: number, seed: number): Float64Array {
  const next = random(seed);
  return memory.copyF64(Float64Array.from({ length }, () => next() - 0.5));
}

/** A random definite matrix with a factorisation in TypeScript and one in WebAssembly. */
function twins(pattern: SparsePattern, block: BlockSize, coordinates?: Float64Array) {
  const lower = lowerBlocks(pattern);
  const analysis = coordinates ? analyseInSpace(lower, block, coordinates) : analyse(lower, block);
  const { arena, value } = inOneMemory((memory) => ({
    A: definite(memory, lower, block, 5),
    typescript: prepareCholesky(memory, analysis),
    wasm: prepareCholesky(memory, analysis),
    x: randomVector(memory, block * lower.n, 6),
  }));
  attachKernels(value.wasm, instantiate(arena));
  for (const { L, U, y, w } of [value.typescript, value.wasm]) {
    for (const scratch of [L, U, y, w]) scratch.fill(Number.NaN);
  }
  return value;
}

describe("kernels", () => {
  const samples: [string, SparsePattern, Float64Array | undefined][] = [
    ["a sheet", twoRingGrid(23, 19, 1).pattern, undefined],
    [
      "a sheet with fronts of several blocks",
      twoRingGrid(40, 40, 2).pattern,
      twoRingGrid(40, 40, 2).coordinates,
    ],
    ["a sheet of triangles alone", shuffledGrid(40, 11, 3).pattern, undefined],
    ["a random graph", randomGraph(300, 500, 4), undefined],
    ["points without edges", randomGraph(9, 0, 4), undefined],
  ];
  for (const block of BLOCKS) {
    test.each(samples)(
      `factor and solve give the bits of the TypeScript: %s, block ${block}`,
      (_, pattern, coordinates) => {
        const { A, typescript, wasm, x } = twins(pattern, block, coordinates);
        expect(factor(typescript, A.values)).toBe(0);
        expect(factor(wasm, A.values)).toBe(0);
        expect(sameBits(wasm.L, typescript.L)).toBe(true);

        const wanted = x.slice();
        solve(typescript, wanted);
        solve(wasm, x);
        expect(sameBits(x, wanted)).toBe(true);
      },
    );

    test(`a pivot that is not positive is named alike, block ${block}`, () => {
      const { A, typescript, wasm } = twins(twoRingGrid(9, 9, 8).pattern, block);
      for (const bad of [0, 40, 80]) {
        const at = block * block * A.start[bad] + block * block - 1;
        const good = A.values[at];
        A.values[at] = -1e6;
        const named = factor(typescript, A.values);
        expect(named).toBeGreaterThan(0);
        expect(factor(wasm, A.values)).toBe(named);
        A.values[at] = good;
      }
    });
  }

  test.each([0, 1, 7, 8, 9, 31, 3000])(
    "vectors of length %i give the bits of the TypeScript",
    (n) => {
      const { arena, value } = inOneMemory((memory) => ({
        x: randomVector(memory, n, 1),
        y: randomVector(memory, n, 2),
      }));
      const { x, y } = value;
      const kernels = instantiate(arena);
      expect(kernels.dot(x, y)).toBe(dot(x, y));
      const wanted = y.slice();
      axpy(wanted, 0.3, x);
      kernels.axpy(y, 0.3, x);
      expect(sameBits(y, wanted)).toBe(true);
      xpby(wanted, x, -1.7);
      kernels.xpby(y, x, -1.7);
      expect(sameBits(y, wanted)).toBe(true);
      expect(kernels.largest(x, n)).toBe(largest(x, n));
      negate(wanted, x);
      kernels.negate(y, x);
      expect(sameBits(y, wanted)).toBe(true);
      add(wanted, x, x);
      kernels.add(y, x, x);
      expect(sameBits(y, wanted)).toBe(true);
    },
  );

  test("the scalar product on xyz gives the bits of the TypeScript, empty rows included", () => {
    const pattern: SparsePattern = {
      rows: 4,
      columns: 5,
      start: Int32Array.of(0, 2, 2, 5, 6),
      index: Int32Array.of(0, 4, 1, 2, 3, 4),
    };
    for (const sample of [pattern, twoRingGrid(20, 20, 3).pattern]) {
      const { arena, value } = inOneMemory((memory) => ({
        A: createSparse(memory, sample),
        x: randomVector(memory, 3 * sample.columns, 4),
        y: memory.f64(3 * sample.rows),
      }));
      const { A, x, y } = value;
      A.values.forEach((_, p) => {
        A.values[p] = 1 / (p + 3);
      });
      const wanted = y.slice();
      multiplyScalar3(wanted, A, x);
      instantiate(arena).multiplyScalar3(y, A, x);
      expect(sameBits(y, wanted)).toBe(true);
    }
  });

  test("compiling for a shared memory gives the same kernels", () => {
    const layout = (memory: Allocator) => randomVector(memory, 100, 5);
    const alone = inOneMemory(layout);
    const both = inOneMemory(layout, { shared: true });
    const wanted = dot(alone.value, alone.value);
    expect(instantiate(alone.arena).dot(alone.value, alone.value)).toBe(wanted);
    expect(instantiate(both.arena, { shared }).dot(both.value, both.value)).toBe(wanted);
    expect(() => instantiate(both.arena)).toThrow("wasm-shared");
  });

  test("an array of another memory is refused", () => {
    const { arena } = inOneMemory((memory) => memory.f64(8));
    const elsewhere = new Float64Array(8);
    expect(() => instantiate(arena).dot(elsewhere, elsewhere)).toThrow("their own memory");
  });
});

/** Equal bit for bit, −0 and NaN included. */
function sameBits(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  const left = new BigInt64Array(a.slice().buffer);
  const right = new BigInt64Array(b.slice().buffer);
  return left.every((bits, i) => bits === right[i]);
}
