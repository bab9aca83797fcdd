import { describe, expect, test } from "vitest";
import { acos, atan2, cos, exp, sin } from "../../src/linalg/elementary.ts";

describe("elementary functions", () => {
  test("sin, cos, exp, atan2 and acos agree with Math to a few units in the last place", () => {
    for (let k = -4000; k <= 4000; k++) {
      const x = k * 0.00731;
      expect(Math.abs(sin(x) - Math.sin(x))).toBeLessThan(1e-15);
      expect(Math.abs(cos(x) - Math.cos(x))).toBeLessThan(1e-15);
      expect(Math.abs(exp(x / 4) / Math.exp(x / 4) - 1)).toBeLessThan(1e-13); // each squaring doubles the relative error
      expect(
        Math.abs(atan2(Math.sin(x), Math.cos(x)) - Math.atan2(Math.sin(x), Math.cos(x))),
      ).toBeLessThan(2e-15);
      expect(Math.abs(acos(k / 4000) - Math.acos(k / 4000))).toBeLessThan(4e-15);
    }
  });
});
