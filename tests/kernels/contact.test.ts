import { describe, expect, test } from "vitest";
import { instantiate } from "../../src/kernels/kernels.ts";
import { inOneMemory } from "../../src/linalg/arena.ts";
import {
  type Candidates,
  createBroadPhase,
  createCandidates,
  findEdgeEdges,
  findPointTriangles,
  update,
} from "../../src/system/contact/broad-phase.ts";
import { contactOperations } from "../../src/system/contact/operations.ts";
import { sameBits } from "../support.ts";
import { grid, randoms } from "../system/contact/random.ts";

/** A sheet in four layers a third of a spacing apart, shaken; with two groups, and a point sewn to another. */
function heap4(seed: number, size: number) {
  const random = randoms(seed);
  const mesh = grid(size, (i, j) => [
    (Math.abs((i % 8) - 4) + 0.1 * random()) * 0.01,
    (j + 0.1 * random()) * 0.01,
    (Math.floor(i / 4) * 0.3 + 0.1 * random()) * 0.01,
  ]);
  const group = Int32Array.from({ length: mesh.n }, (_, i) => (i < mesh.n / 2 ? 0 : 1));
  const wanted = Uint8Array.from(seed % 2 ? [1, 1, 1, 0] : [1, 1, 1, 1]);
  const sewn = Int32Array.from({ length: mesh.n }, (_, i) => (i === mesh.n - 1 ? 0 : i));
  return inOneMemory((memory) => ({
    broad: createBroadPhase(memory, { ...mesh, group, wanted, sewn }),
    points: createCandidates(memory, 60 * mesh.n),
    lines: createCandidates(memory, 60 * mesh.n),
    Y: memory.copyF64(mesh.Y),
    dY: memory.copyF64(mesh.Y.map(() => 0.004 * random())),
    d2: memory.f64(60 * mesh.n),
    keep: memory.f64(60 * mesh.n),
    distance: memory.f64(60 * mesh.n),
    displacement: memory.f64(mesh.n),
    moved: memory.f64(3 * mesh.n),
    rows: {
      index: memory.i32(4 * MOST),
      J: memory.f64(12 * MOST),
      g: memory.f64(MOST),
      sigma: memory.f64(MOST),
      weight: memory.f64(MOST),
      pair: memory.i32(MOST),
      weights: memory.f64(4 * MOST),
      factor: memory.f64(MOST),
      sums: memory.f64(2),
    },
    slip: {
      g: memory.f64(2 * MOST),
      J: memory.f64(24 * MOST),
      index: memory.i32(4 * MOST),
      base: memory.f64(2 * MOST),
      force: memory.f64(MOST),
      sigma: memory.f64(2 * MOST),
      weight: memory.f64(2 * MOST),
      blocks: MOST,
    },
  }));
}

/** Contacts of a list of rows; some tests have more pairs within reach. */
const MOST = 300;

describe("kernels of contact give the bits of the TypeScript", () => {
  test.each([1, 2, 3, 4, 5, 6])("pairs, distances and safe times, seed %i", (seed) => {
    const { arena, value } = heap4(seed, 16 + seed);
    const { broad, points, lines, Y, dY, d2, keep, distance, displacement, moved, rows } = value;
    const kernels = instantiate(arena);
    for (const motion of [null, dY]) {
      update(broad, Y, motion, 0.004);
      for (const [list, find, first] of [
        [points, findPointTriangles, 1],
        [lines, findEdgeEdges, 2],
      ] as const) {
        const count = find(list, broad, Y, motion);
        expect(count).toBeGreaterThan(50);
        expect(count).toBeLessThan(list.capacity);
        const wanted = list.points.slice(0, 4 * count);
        list.points.fill(-1);
        expect(find(list, broad, Y, motion, kernels)).toBe(count);
        expect(list.points.slice(0, 4 * count)).toEqual(wanted);
        sameDistances(list, count, first);
        passedOver(list, count, first);
        sameRows(list, count, first);
      }
    }

    /** Pairs that are left alone, too near and out of reach among them, and more than there is room for. */
    function sameRows({ points: pairs }: Candidates, count: number, first: number): void {
      contactOperations.squaredDistances(d2, pairs, count, first, Y);
      for (let k = 0; k < count; k++) {
        distance[k] = Math.sqrt(d2[k]);
        keep[k] = k % 7 === 0 ? -1 : (k % 101 === 0 ? 1.1 : 0.9) * distance[k];
      }
      displacement.fill(0);
      const list = { pairs, count, first, before: { distance, displacement }, keep };
      for (const most of [MOST, 40]) {
        const results = [contactOperations, kernels].map((operations) => {
          for (const array of Object.values(rows)) array.fill(7);
          const end = operations.contactRows(rows, 3, most, list, Y, dY, broad.n - 20, 3e-4, 0.02);
          const left = Object.values(rows).map((array) => Float64Array.from(array));
          return { end, left };
        });
        expect(results[1].end).toBe(results[0].end);
        expect(results[0].end).toBeGreaterThan(20);
        results[0].left.forEach((array, k) => {
          expect(sameBits(array, results[1].left[k])).toBe(true);
        });
        const slopes = rows.sigma.subarray(3, results[0].end);
        expect(slopes.every((slope) => slope <= 0)).toBe(true);
        expect(slopes.some((slope) => slope < 0)).toBe(true);
      }
    }

    /** What was known before leaves out pairs that are far, only those, and changes no time. */
    function passedOver(list: Candidates, count: number, first: number): void {
      const reach = 0.0002;
      contactOperations.squaredDistances(d2, list.points, count, first, Y);
      for (let k = 0; k < count; k++) {
        distance[k] = Math.sqrt(d2[k]);
        keep[k] = 0.9 * distance[k];
      }
      const before = { distance, displacement };
      const length = (i: number) => Math.hypot(dY[3 * i], dY[3 * i + 1], dY[3 * i + 2]);
      for (let k = 0; k < moved.length; k++) moved[k] = Y[k] + 0.1 * dY[k];
      const pairs = { pairs: list.points, count, first, before, keep };
      const energy = (operations: typeof contactOperations, way: (i: number) => number) => {
        for (let i = 0; i < displacement.length; i++) displacement[i] = way(i);
        rows.sums.fill(0);
        operations.contactRows(rows, 0, 0, pairs, moved, Y, broad.n, reach, 1);
        return rows.sums[0];
      };
      const all = energy(contactOperations, () => Number.POSITIVE_INFINITY); // nothing is known to be far
      expect(all).toBeGreaterThan(0);
      for (const operations of [contactOperations, kernels])
        expect(energy(operations, (i) => 0.1 * length(i))).toBe(all);
      expect(energy(kernels, () => Number.NEGATIVE_INFINITY)).toBe(0); // all are
      for (let i = 0; i < displacement.length; i++) displacement[i] = length(i);
      const time = contactOperations.safeTime(list.points, count, first, keep, Y, dY, reach, 1);
      for (const operations of [contactOperations, kernels])
        expect(operations.safeTime(list.points, count, first, keep, Y, dY, reach, 1, before)).toBe(
          time,
        );
    }

    function sameDistances(list: Candidates, count: number, first: number): void {
      contactOperations.squaredDistances(d2, list.points, count, first, Y);
      const wanted = d2.slice(0, count);
      d2.fill(Number.NaN);
      kernels.squaredDistances(d2, list.points, count, first, Y);
      expect(sameBits(d2.slice(0, count), wanted)).toBe(true);
      // some pairs are left alone, some start closer than what they keep
      for (let k = 0; k < count; k++)
        keep[k] = k % 7 === 0 ? -1 : (k % 101 === 0 ? 1.1 : 0.5) * Math.sqrt(d2[k]);
      const times = new Set<number>();
      let different = 0;
      for (let k = 0; k < count; k++) {
        const pair = list.points.subarray(4 * k, 4 * k + 4);
        const own = keep.subarray(k, k + 1);
        const time = kernels.safeTime(pair, 1, first, own, Y, dY, 0.001, 1);
        if (time !== contactOperations.safeTime(pair, 1, first, own, Y, dY, 0.001, 1)) different++;
        times.add(time);
      }
      expect(different).toBe(0);
      expect(times.size).toBeGreaterThan(10);
      for (let k = 0; k < count; k++) if (k % 101 === 0) keep[k] = -1;
      const all = contactOperations.safeTime(list.points, count, first, keep, Y, dY, 0.001, 1);
      expect(kernels.safeTime(list.points, count, first, keep, Y, dY, 0.001, 1)).toBe(all);
      expect(all).toBeGreaterThan(0);
      expect(all).toBeLessThan(1);
    }
  });

  test.each([3, 4])("friction of contacts of %i points", (points) => {
    const { arena, value } = heap4(1, 20);
    const { slip, Y } = value;
    const random = randoms(points);
    for (const array of [slip.J, slip.base])
      for (let k = 0; k < array.length; k++) array[k] = 0.01 * random();
    for (let k = 0; k < MOST; k++) slip.force[k] = Math.abs(random());
    for (let k = 0; k < slip.index.length; k++)
      slip.index[k] = Math.floor((Math.abs(random()) * Y.length) / 3);
    const { g, sigma, weight } = slip;
    const [wanted, got] = [contactOperations, instantiate(arena)].map(({ evaluateFriction }) => {
      for (const array of [g, sigma, weight]) array.fill(Number.NaN);
      return Float64Array.from([
        evaluateFriction(slip, points, Y, 0.006),
        ...g,
        ...sigma,
        ...weight,
      ]);
    });
    expect(sameBits(got, wanted)).toBe(true);
    expect(wanted.every(Number.isFinite)).toBe(true);
    // some stick and some slide
    const slides = Array.from(
      { length: MOST },
      (_, k) => Math.hypot(g[2 * k], g[2 * k + 1]) > 0.006,
    );
    expect(new Set(slides).size).toBe(2);
  });

  test("lists that are too short are counted alike", () => {
    const { arena, value } = heap4(1, 20);
    const { broad, Y, points } = value;
    const short = { ...points, capacity: 10 };
    update(broad, Y, null, 0.004);
    const count = findPointTriangles(short, broad, Y, null);
    expect(count).toBeGreaterThan(10);
    expect(findPointTriangles(short, broad, Y, null, instantiate(arena))).toBe(count);
  });
});
