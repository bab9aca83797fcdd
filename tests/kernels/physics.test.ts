import { describe, expect, test } from "vitest";
import { instantiate } from "../../src/kernels/kernels.ts";
import { type Allocator, inOneMemory } from "../../src/linalg/arena.ts";
import { type BlockRows, rowOperations } from "../../src/linalg/rows.ts";
import { type SingleOperations, SPARE, singleOperations } from "../../src/linalg/single.ts";
import { createRandom } from "../../src/sheet/random.ts";
import { addCoarseRows, type Level } from "../../src/step/coarse-matrix.ts";
import type { Interpolation } from "../../src/step/coarse-points.ts";
import { createTransfers, prolong, restrict } from "../../src/step/transfers.ts";
import type { RowSet } from "../../src/system/system.ts";
import { dotOf, randomVector, sameBits } from "../support.ts";

/** `wanted` of the TypeScript and `got` of the kernel, from the same start, must be the same bits. */
function expectTwins(array: Float64Array, typescript: () => void, wasm: () => void): void {
  const before = array.slice();
  typescript();
  const wanted = array.slice();
  array.set(before);
  wasm();
  expect(sameBits(array, wanted)).toBe(true);
  expect(wanted.some((x) => x !== 0)).toBe(true);
}

/** Blocks of one to six points out of n, with random rows. */
function randomRows(memory: Allocator, n: number, blocks: number, rowsPer: number): BlockRows {
  const next = createRandom(rowsPer);
  const start = [0];
  const index: number[] = [];
  for (let b = 0; b < blocks; b++) {
    for (let e = Math.floor(7 * next()); e > 0; e--) index.push(Math.floor(n * next()));
    start.push(index.length);
  }
  return {
    rowsPer,
    blocks,
    start: memory.copyI32(Int32Array.from(start)),
    index: memory.copyI32(Int32Array.from(index)),
    J: memory.copyF64(randomVector(3 * rowsPer * index.length, 5)),
  };
}

describe("kernels of rows give the bits of the TypeScript", () => {
  test.each([1, 2, 3, 4])("%i rows a block, empty blocks and zero weights included", (rowsPer) => {
    const [n, blocks] = [30, 41];
    const { arena, value } = inOneMemory((memory) => ({
      R: randomRows(memory, n, blocks, rowsPer),
      x: memory.copyF64(randomVector(3 * n, 6)),
      y: memory.copyF64(randomVector(3 * n, 7)),
      s: memory.copyF64(randomVector(rowsPer * blocks, 8)),
      w: memory.copyF64(
        randomVector(rowsPer * blocks, 9).map((v, k) => (k % 5 === 0 ? 0 : Math.abs(v))),
      ),
      D: memory.copyF64(randomVector(6 * n, 10)),
    }));
    const { R, x, y, s, w, D } = value;
    const kernels = instantiate(arena);
    const twins = (name: string, array: Float64Array, run: (ops: typeof rowOperations) => void) => {
      expect(name in kernels).toBe(true);
      expectTwins(
        array,
        () => run(rowOperations),
        () => run(kernels),
      );
    };
    twins("addTransposed", y, (ops) => ops.addTransposed(y, R, s));
    twins("addNormalProduct", y, (ops) => ops.addNormalProduct(y, R, w, x));
    twins("addNormalDiagonal", D, (ops) => ops.addNormalDiagonal(D, R, w));
  });

  test("diagonal blocks are inverted and applied, with any of their coordinates held", () => {
    const n = 64; // all eight masks, eight times
    const { arena, value } = inOneMemory((memory) => ({
      D: memory.copyF64(
        randomVector(6 * n, 11).map((v, k) => ([0, 3, 5].includes(k % 6) ? 3 + v : v)),
      ),
      fixed: memory.u8(3 * n),
      r: memory.copyF64(randomVector(3 * n, 12)),
      z: memory.f64(3 * n),
    }));
    const { D, fixed, r, z } = value;
    fixed.forEach((_, k) => {
      fixed[k] = (Math.floor(k / 3) >> (k % 3)) & 1;
    });
    const kernels = instantiate(arena);
    const plain = D.slice();
    expectTwins(
      D,
      () => rowOperations.invertDiagonal(D, fixed),
      () => kernels.invertDiagonal(D, fixed),
    );
    expectTwins(
      z,
      () => rowOperations.applyDiagonal(z, D, r),
      () => kernels.applyDiagonal(z, D, r),
    );
    // and it is the inverse: the free part of the block times z gives r back
    for (let i = 0; i < n; i++) {
      const [a, b, c, d, e, f] = plain.subarray(6 * i, 6 * i + 6);
      const block = [
        [a, b, c],
        [b, d, e],
        [c, e, f],
      ];
      for (let p = 0; p < 3; p++) {
        if (fixed[3 * i + p]) {
          expect(Math.abs(z[3 * i + p])).toBe(0);
          continue;
        }
        let sum = 0;
        for (let q = 0; q < 3; q++) sum += block[p][q] * z[3 * i + q];
        expect(sum).toBeCloseTo(r[3 * i + p], 12);
      }
    }
  });
});

describe("products in single precision", () => {
  const n = 30;
  const blocks = 41;
  const rounded = 6e-8; // a single has 24 bits

  test.each([1, 2, 3])(
    "of %i rows a block: the bits of the TypeScript, and the product",
    (rowsPer) => {
      const { arena, value } = inOneMemory((memory) => ({
        R: randomRows(memory, n, blocks, rowsPer),
        S: memory.f32(3 * rowsPer * 6 * blocks + SPARE),
        x: memory.copyF64(randomVector(3 * n, 6)),
        y: memory.copyF64(randomVector(3 * n, 7)),
        w: memory.copyF64(
          randomVector(rowsPer * blocks, 9).map((v, k) => (k % 5 === 0 ? 0 : Math.abs(v))),
        ),
        from: memory.f32(4 * n),
        to: memory.f32(4 * n),
      }));
      const { R, S, x, y, w, from, to } = value;
      const run = (ops: SingleOperations) => {
        S.fill(Number.NaN);
        S.fill(0, 3 * rowsPer * R.index.length); // what stands beyond the last row
        from.fill(Number.NaN);
        const result = y.slice();
        ops.toScaledRows(S, R, w);
        ops.toPoints(from, x);
        ops.toPoints(to, y);
        ops.addSingleRows(to, R, S, from);
        y.set(result);
        ops.fromPoints(y, to);
        const out = y.slice();
        y.set(result);
        return out;
      };
      const wanted = run(singleOperations);
      expect(sameBits(run(instantiate(arena)), wanted)).toBe(true);
      const exact = y.slice();
      rowOperations.addNormalProduct(exact, R, w, x);
      for (let k = 0; k < exact.length; k++)
        expect(Math.abs(wanted[k] - exact[k])).toBeLessThan(200 * rounded);
      expect(exact.some((v, k) => Math.abs(v - y[k]) > 1e-3)).toBe(true);
    },
  );

  test("of two vectors, and how far one may be followed within a radius", () => {
    const { arena, value } = inOneMemory((memory) => ({
      x: memory.copyF64(randomVector(3 * n, 6)),
      d: memory.copyF64(randomVector(3 * n, 7).map((v, k) => (k % 5 === 0 ? 0 : v))),
      x32: memory.f32(4 * n),
      d32: memory.f32(4 * n),
    }));
    const { x, d, x32, d32 } = value;
    const radius = 1.5;
    const run = (ops: SingleOperations): Float64Array => {
      ops.toPoints(x32, x);
      ops.toPoints(d32, d);
      return Float64Array.of(
        ops.dotSingle(x32, d32),
        ops.largestSingle(x32),
        ops.stepToRadiusSingle(x32, d32, radius),
      );
    };
    const wanted = run(singleOperations);
    expect(sameBits(run(instantiate(arena)), wanted)).toBe(true);
    expect(wanted[0]).toBeCloseTo(dotOf(x, d), 4);
    expect(wanted[1]).toBeCloseTo(Math.max(...x.map(Math.abs)), 6);
    const farthest = (t: number): number => Math.max(...x.map((v, k) => Math.abs(v + t * d[k])));
    expect(farthest(wanted[2])).toBeCloseTo(radius, 5);
  });
});

/** Random weights of n points over the coarse ones. */
function randomWeights(n: number, coarse: number): Interpolation {
  const next = createRandom(13);
  const start = new Int32Array(n + 1);
  const index: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let I = 0; I < coarse; I++) if (next() < 0.4) index.push(I);
    start[i + 1] = index.length;
  }
  return { coarse, start, index: Int32Array.from(index), weight: randomVector(index.length, 15) };
}

/** A coarse level with random weights over a few rows: what the kernels read, and nothing else. */
function randomLevel(memory: Allocator, R: BlockRows, n: number, coarse: number): Level {
  const next = createRandom(13);
  const zStart = [0];
  const zIndex: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let I = 0; I < coarse; I++) if (next() < 0.4) zIndex.push(I);
    zStart.push(zIndex.length);
  }
  const unionFirst = [0];
  const places: number[] = []; // in a full lower triangle, column by column
  const localFirst = [0];
  const localOf: number[] = [];
  let widest = 0;
  for (let b = 0; b < R.blocks; b++) {
    const seen = (e: number) => zIndex.slice(zStart[R.index[e]], zStart[R.index[e] + 1]);
    const entries = Array.from({ length: R.start[b + 1] - R.start[b] }, (_, k) => R.start[b] + k);
    const union = [...new Set(entries.flatMap(seen))].sort((I, K) => I - K);
    for (const e of entries) {
      localOf.push(...seen(e).map((I) => union.indexOf(I)));
      localFirst.push(localOf.length);
    }
    for (const [a, I] of union.entries())
      for (const K of union.slice(a)) places.push(I * coarse - (I * (I - 1)) / 2 + K - I);
    unionFirst.push(unionFirst[b] + union.length);
    widest = Math.max(widest, union.length);
  }
  const lowerStart = [0];
  const lowerIndex: number[] = [];
  for (let I = 0; I < coarse; I++) {
    for (let K = I; K < coarse; K++) lowerIndex.push(K);
    lowerStart.push(lowerIndex.length);
  }
  const ints = (list: number[]) => memory.copyI32(Int32Array.from(list));
  return {
    n,
    coarse,
    blocks: R.blocks,
    lower: { start: ints(lowerStart), index: ints(lowerIndex) },
    values: memory.copyF64(randomVector(9 * lowerIndex.length, 14)),
    Jc: memory.f64(6 * R.rowsPer * widest + 1),
    zStart: ints(zStart),
    zIndex: ints(zIndex),
    zWeight: memory.copyF64(randomVector(zIndex.length, 16)),
    unionFirst: ints(unionFirst),
    places: ints(places),
    localFirst: ints(localFirst),
    localOf: ints(localOf),
  };
}

describe("kernels of the coarse level give the bits of the TypeScript", () => {
  test.each([2, 3])("%i rows a block, some points held", (rowsPer) => {
    const [n, blocks, coarse] = [30, 25, 9];
    // the layout runs twice, first on arrays without contents, so the sizes come from elsewhere
    const heapRows = inOneMemory((memory) => randomRows(memory, n, blocks, rowsPer)).value;
    const { arena, value } = inOneMemory((memory) => ({
      R: {
        ...heapRows,
        start: memory.copyI32(heapRows.start),
        index: memory.copyI32(heapRows.index),
        J: memory.copyF64(heapRows.J),
        weight: memory.copyF64(randomVector(rowsPer * blocks, 17).map(Math.abs)),
      },
      level: randomLevel(memory, heapRows, n, coarse),
      transfers: createTransfers(memory, randomWeights(n, coarse)),
      fixed: memory.u8(3 * n),
      r: memory.copyF64(randomVector(3 * n, 18)),
      z: memory.copyF64(randomVector(3 * n, 19)),
    }));
    const { R, level, transfers, fixed, r, z } = value;
    for (const i of [3, 7]) fixed.fill(1, 3 * i, 3 * i + 3);
    fixed[3 * 11 + 1] = 1;
    const kernels = instantiate(arena);
    const set = R as unknown as RowSet;
    expectTwins(
      level.values,
      () => addCoarseRows(level, set, fixed),
      () => kernels.addCoarseRows(level, set, fixed),
    );
    expectTwins(
      transfers.rhs,
      () => restrict(transfers, r),
      () => kernels.restrict(transfers, r),
    );
    expectTwins(
      z,
      () => prolong(z, transfers, fixed),
      () => kernels.prolong(z, transfers, fixed),
    );
  });
});
