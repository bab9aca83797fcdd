import { describe, expect, test } from "vitest";
import { BLOCK_OF, type Kind, modelMatrix, modelSheet } from "../../bench/cases.ts";
import { benchLinalg, linalgTable } from "../../bench/linalg.ts";
import { missingForNative } from "../../bench/native/native.ts";
import { inOneMemory } from "../../src/linalg/arena.ts";
import { multiplyBlocks } from "./products.ts";

const KINDS: readonly Kind[] = ["S", "B", "A"];

describe("model matrices of the benchmark", () => {
  test("a sheet has exactly the points asked for, all of them in the unit square", () => {
    for (const n of [50, 121, 662]) {
      const sheet = modelSheet(n);
      expect(sheet.coordinates.length).toBe(2 * n);
      for (const x of sheet.coordinates) expect(x >= 0 && x <= 1).toBe(true);
    }
  });

  test.each(KINDS)(
    "%s couples the points of a two-ring, and is as stiff as it says against translation",
    (kind) => {
      // B moves rigidly at the cost of its identity alone (LᵀL has the constants as null space);
      // xᵀSx ≥ 10⁻³ xᵀx and xᵀAx ≥ 0.05 xᵀx because the rest is a Gram matrix.
      const sheet = modelSheet(150);
      const { value: A } = inOneMemory((memory) => modelMatrix(memory, sheet, kind));
      const size = BLOCK_OF[kind] * sheet.n;
      const least = { S: 1e-3, B: 1, A: 0.05 }[kind];
      const y = new Float64Array(size);
      for (const x of [
        new Float64Array(size).fill(1),
        Float64Array.from(y, (_, i) => (i % 7) - 3),
      ]) {
        multiplyBlocks(y, A, x);
        let quadratic = 0;
        let square = 0;
        for (let i = 0; i < size; i++) {
          quadratic += x[i] * y[i];
          square += x[i] * x[i];
        }
        expect(quadratic / square).toBeGreaterThan(least * (1 - 1e-12));
        if (kind === "B" && square === size) expect(quadratic / square).toBeCloseTo(1, 12);
      }
    },
  );
});

describe("benchmark of the linear algebra", () => {
  test("gives a row per matrix with times, operations and memory, and a table of them", async () => {
    const rows = await benchLinalg({ sizes: [60, 90], kinds: ["S", "B"], seconds: 0, twin: true });
    expect(rows.map(({ kind, points }) => `${kind}${points}`)).toEqual([
      "S60",
      "B60",
      "S90",
      "B90",
    ]);
    for (const row of rows) {
      for (const time of [row.factorMs, row.solveMs, row.solve3Ms, row.twinMs!]) {
        expect(time).toBeGreaterThan(0);
        expect(time).toBeLessThan(Number.POSITIVE_INFINITY);
      }
      expect(row.storedNonzeros).toBeGreaterThanOrEqual(row.nonzeros);
      expect(row.native).toBeNull();
    }
    expect(linalgTable(rows).split("\n")).toHaveLength(5);
  });

  test("what the native comparison lacks is one sentence with the command that installs it", () => {
    const missing = missingForNative();
    if (missing !== null)
      expect(missing).toMatch(/^the native benchmark needs .*: apt-get install /);
  });
});
