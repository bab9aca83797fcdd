import { test as check, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  balance,
  COLOR_MAPS,
  colorAt,
  ember,
  fromLinear,
  hex,
  SHEETS,
  toHex,
  toLinear,
  toOklab,
  viridis,
} from "../../src/picture/color.ts";

describe("sRGB", () => {
  check.prop([fc.double({ min: 0, max: 1, noNaN: true })])(
    "to linear and back is the same",
    (c) => {
      expect(fromLinear(toLinear(c))).toBeCloseTo(c, 12);
    },
  );

  test("the standard's fixed points: 0, 1, and middle grey #bcbcbc is half the light", () => {
    expect(toLinear(0)).toBe(0);
    expect(toLinear(1)).toBeCloseTo(1, 15);
    expect(toLinear(0xbc / 255)).toBeCloseTo(0.5, 2);
  });

  test("hex codes come back, and others are refused", () => {
    expect(toHex(hex("#b4472f"))).toBe("#b4472f");
    for (const bad of ["b4472f", "#12", "#12345g", "red"])
      expect(() => hex(bad)).toThrow("#rrggbb");
  });
});

describe("maps", () => {
  test("pass through their control colours", () => {
    expect(toHex(colorAt(viridis, 0))).toBe("#440154");
    expect(toHex(colorAt(viridis, 1))).toBe("#fde725");
    expect(toHex(colorAt(balance, 0.5))).toBe("#f0ece4");
  });

  test("viridis only gets lighter, ember only darker, balance darker on both sides alike", () => {
    const lightness = (map: typeof viridis): number[] =>
      Array.from({ length: 65 }, (_, i) => toOklab(colorAt(map, i / 64))[0]);
    const rising = (list: number[]): boolean =>
      list.every((v, i) => i === 0 || v > list[i - 1] - 1e-4);
    expect(rising(lightness(viridis))).toBe(true);
    expect(rising(lightness(ember).reverse())).toBe(true);
    const b = lightness(balance);
    expect(rising(b.slice(0, 33))).toBe(true);
    expect(rising(b.slice(32).reverse())).toBe(true);
    for (let i = 0; i <= 32; i++) expect(Math.abs(b[i] - b[64 - i])).toBeLessThan(0.06);
  });

  test("steps are even: no step of a hundredth looks more than three times the mean one", () => {
    for (const map of Object.values(COLOR_MAPS)) {
      const colors = Array.from({ length: 101 }, (_, i) => toOklab(colorAt(map, i / 100)));
      const steps = colors.slice(1).map((c, i) => Math.hypot(...c.map((v, k) => v - colors[i][k])));
      const mean = steps.reduce((a, b) => a + b) / steps.length;
      expect(Math.max(...steps)).toBeLessThan(3 * mean);
    }
  });

  test("values outside, and NaN, take the colours at the ends", () => {
    expect(colorAt(ember, -3)).toEqual(colorAt(ember, 0));
    expect(colorAt(ember, 7)).toEqual(colorAt(ember, 1));
    expect(colorAt(ember, Number.NaN)).toEqual(colorAt(ember, 0));
  });

  test("fronts and backs of the house palette can be told apart by lightness alone", () => {
    for (const { front, back } of SHEETS)
      expect(toOklab(back)[0] - toOklab(front)[0]).toBeGreaterThan(0.15);
  });
});
