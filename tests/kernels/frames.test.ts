import { describe, expect, test } from "vitest";
import { instantiate } from "../../src/kernels/kernels.ts";
import { inOneMemory } from "../../src/linalg/arena.ts";
import { frameCharts } from "../../src/sheet/frames.ts";
import { applyBlocks, createBlocks, invertedBlocks } from "../../src/step/frame-blocks.ts";
import { framePattern } from "../../src/system/frame-bending.ts";
import { arcConstraint, frameOperations, nodeConstraint } from "../../src/system/frame-membrane.ts";
import { randomVector, sameBits, shapes, sheetOf } from "../support.ts";

describe("kernels of samples with frames give the bits of the TypeScript", () => {
  test.each(shapes)("on $name", ({ sheet: input }) => {
    const sheet = sheetOf(input);
    const { n } = sheet;
    const charts = frameCharts(sheet);
    const pattern = framePattern(sheet, 3 * n);
    const membrane = randomVector(n, 1).map(Math.abs);
    const at = Int32Array.from({ length: 6 * n }, (_, k) => k % pattern.index.length);
    const mesh = {
      n,
      edges: sheet.edges.length / 2,
      triangles: sheet.triangles.length / 3,
      ends: sheet.edges,
      side: charts.side,
    };
    const { arena, value } = inOneMemory((memory) => ({
      set: arcConstraint(memory, sheet, charts, membrane),
      nodes: nodeConstraint(memory, sheet, membrane, pattern),
      Y: memory.copyF64(randomVector(9 * n, 2)),
      x: memory.copyF64(randomVector(9 * n, 3)),
      y: memory.f64(9 * n),
      blocks: createBlocks(memory, at, mesh),
      A: memory.copyF64(randomVector(pattern.index.length, 4).map((v) => 5 + Math.abs(v))),
      D: memory.copyF64(randomVector(18 * n, 5).map(Math.abs)),
      fixed: memory.u8(9 * n),
    }));
    const { set, nodes, Y, x, y, blocks, A, D, fixed } = value;
    for (let k = 0; k < 9 * n; k += 7) fixed[k] = 1;
    const { arcs } = set;

    /** Everything that one of the two leaves behind, as one list of arrays. */
    const results = (compiled: boolean): Float64Array[] => {
      const ops = compiled
        ? instantiate(arena)
        : { ...frameOperations, invertedBlocks, applyBlocks };
      set.operations = ops;
      nodes.operations = ops;
      for (const array of [arcs.m, arcs.s, arcs.dm, arcs.u, arcs.v, nodes.J, nodes.g, blocks.B])
        array.fill(Number.NaN);
      const out: Float64Array[] = [];
      const keep = (array: Float64Array | Float32Array): void => {
        out.push(Float64Array.from(array));
      };
      set.evaluate(Y);
      nodes.evaluate(Y);
      keep(
        Float64Array.of(
          set.energyNow?.() ?? 0,
          set.energy(Y),
          nodes.energyNow?.() ?? 0,
          nodes.energy(Y),
        ),
      );
      for (const t of [0.01, 1]) {
        ops.retract(y, n, Y, t, x);
        keep(y);
      }
      for (const array of [arcs.m, arcs.s, nodes.g, nodes.J, nodes.sigma]) keep(array);
      y.fill(0);
      set.addForce?.(y);
      keep(y);
      set.addProduct?.(y, x);
      keep(y);
      set.toSingle?.();
      for (const array of [arcs.c32, arcs.m32, arcs.M32]) keep(array);
      ops.invertedBlocks(blocks, A, D, nodes, arcs, fixed);
      keep(blocks.B);
      ops.applyBlocks(y, blocks, x);
      keep(y);
      return out;
    };
    const wanted = results(false);
    const got = results(true);
    got.forEach((array, k) => {
      expect(sameBits(array, wanted[k]), `array ${k}`).toBe(true);
    });
    expect(wanted.every((array) => array.some((v) => v !== 0))).toBe(true);
  });
});
