import { describe, expect, test } from "vitest";
import { createSimulation, parseScene } from "../../src/index.ts";
import { singleLoops } from "../../src/step/single-loops.ts";
import { HAS_COARSE, type SingleLoops, type SingleSolve } from "../../src/step/single-solve.ts";
import type { Stepper } from "../../src/step/stepper.ts";
import { randomVector, sameBits, shapes } from "../support.ts";

/** Coordinates of points: the fourth number of each means nothing. */
const coordinates = (points: Float32Array): Float64Array =>
  Float64Array.from(points).map((x, k) => (k % 4 === 3 ? 0 : x));

describe("an inner solve in single precision", () => {
  test.each(shapes)("gives the bits of the TypeScript on $name", ({ sheet }) => {
    const shape = { type: "rectangle", width: 1, height: 1 } as const;
    const scene = parseScene({ sheet: { shape, ...sheet }, pins: [{ at: { nearest: [0, 0] } }] });
    const simulation = createSimulation(scene, { kernels: true });
    for (let k = 0; k < 3; k++) simulation.step();
    const { work } = (simulation as unknown as { system: Stepper }).system;
    const solve = work.minimise.sheet as SingleSolve;
    const kernels = solve.loops as SingleLoops;
    expect(kernels).not.toBe(singleLoops);
    const { d, Ad, p, r, z, sums, table, A, inverse, transfers } = solve;

    const results = (loops: SingleLoops, hasCoarse: number): Float64Array[] => {
      const out: Float64Array[] = [];
      for (const [k, vector] of [d, Ad, p, r, z].entries())
        vector.set(randomVector(vector.length, k).map((x, at) => (at % 4 === 3 ? 0 : x)));
      sums.fill(0);
      A.fill(Number.NaN);
      loops.packMatrix(solve, work.minimise.A);
      loops.packBlocks(solve);
      out.push(Float64Array.from(A), coordinates(inverse));
      table[HAS_COARSE] = hasCoarse;
      for (const isFirst of [true, false]) {
        loops.descend(solve, 0.1);
        out.push(sums.slice(), ...[p, r, z].map(coordinates));
        if (hasCoarse) out.push(coordinates(transfers.solved));
        loops.turn(solve, 0.3, isFirst);
        out.push(sums.slice(), ...[d, Ad].map(coordinates));
      }
      return out;
    };
    for (const hasCoarse of [0, 1]) {
      const [ours, twins] = [results(kernels, hasCoarse), results(singleLoops, hasCoarse)];
      for (const [k, array] of ours.entries()) expect(sameBits(array, twins[k]), `${k}`).toBe(true);
    }
  });
});
