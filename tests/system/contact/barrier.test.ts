import { describe, expect, test } from "vitest";
import {
  type BarrierPressure,
  barrierParts,
  ln,
  openPressure,
  pressHarder,
  slipEnergy,
  slipWeight,
  tangents,
} from "../../../src/system/contact/barrier.ts";
import { randomVector } from "../../support.ts";

describe("ln", () => {
  test("agrees with Math.log to the last bits on (0, 1]", () => {
    expect(ln(1)).toBe(0);
    for (let k = 1; k < 3000; k++) {
      for (const x of [k / 3000, 2 ** -(k / 10), 1 - 1 / (k + 1) ** 2]) {
        const wanted = Math.log(x);
        // relative to the size of the terms: near 1 the result is small but exact, elsewhere k·ln 2 rounds
        expect(Math.abs(ln(x) - wanted)).toBeLessThanOrEqual(
          4e-16 * Math.max(Math.abs(wanted), 1e-300) + 1e-17,
        );
      }
    }
  });
});

/** B, B′ and B″ at x, one by one. */
const part = (which: number) => (x: number) => {
  const parts = new Float64Array(3);
  barrierParts(parts, x);
  return parts[which];
};
const [barrier, barrierSlope, barrierCurvature] = [0, 1, 2].map(part);

describe("the barrier", () => {
  const places = Array.from({ length: 60 }, (_, k) => (k + 1) / 61);

  test("its slope and curvature are its derivatives", () => {
    const eps = 1e-6;
    for (const x of places) {
      const slope = (barrier(x + eps) - barrier(x - eps)) / (2 * eps);
      const curvature = (barrierSlope(x + eps) - barrierSlope(x - eps)) / (2 * eps);
      expect(Math.abs(slope - barrierSlope(x))).toBeLessThan(1e-8 * (1 + 1 / x ** 3));
      expect(Math.abs(curvature - barrierCurvature(x))).toBeLessThan(1e-8 * (1 + 1 / x ** 4));
    }
  });

  test("pushes apart, never pulls, is convex, and has no end but at contact", () => {
    let last = Number.POSITIVE_INFINITY;
    for (const x of places) {
      expect(barrier(x)).toBeGreaterThan(0);
      expect(barrierSlope(x)).toBeLessThan(0);
      expect(barrierCurvature(x)).toBeGreaterThan(0);
      expect(barrier(x)).toBeLessThan(last);
      last = barrier(x);
    }
    expect(barrierSlope(1e-12)).toBeLessThan(-1e11);
    for (const x of [1, 1.5, 100])
      expect([barrier(x), barrierSlope(x), barrierCurvature(x)]).toEqual([0, 0, 0]);
  });

  test("ends twice differentiable: near x = 1 it goes as (1 − x)³", () => {
    for (const d of [1e-2, 1e-3, 1e-4]) {
      expect(barrier(1 - d) / d ** 3).toBeCloseTo(1, 1);
      expect(barrierCurvature(1 - d)).toBeLessThan(7 * d);
    }
  });
});

describe("smoothed friction", () => {
  const epsilon = 0.3;

  test("its weight is the slope of its energy over the slip", () => {
    for (const y of [0.01, 0.1, 0.29, 0.31, 1, 7]) {
      const eps = 1e-6;
      const slope = (slipEnergy(y + eps, epsilon) - slipEnergy(y - eps, epsilon)) / (2 * eps);
      expect(slipWeight(y, epsilon) * y).toBeCloseTo(slope, 7);
    }
  });

  test("is full Coulomb friction beyond the smoothing length, less below, and smooth between", () => {
    expect(slipWeight(2, epsilon) * 2).toBe(1);
    expect(slipWeight(epsilon, epsilon) * epsilon).toBeCloseTo(1, 14);
    expect(slipWeight(0, epsilon)).toBeCloseTo(2 / epsilon, 14);
    expect(slipEnergy(epsilon * (1 + 1e-12), epsilon)).toBeCloseTo(
      slipEnergy(epsilon * (1 - 1e-12), epsilon),
      10,
    );
  });
});

describe("contact that is pressed thin", () => {
  const pressed = (): BarrierPressure => ({
    now: Float64Array.of(20),
    start: 20,
    most: 5000,
    reach: 1,
    density: 1,
    thin: Float64Array.of(Number.POSITIVE_INFINITY),
  });
  const gaps = (...g: number[]) => ({ g: Float64Array.from([...g, 0]), blocks: g.length }); // the last is no row

  test("presses three times as hard, to a limit; other contact as before", () => {
    const pressure = pressed();
    expect(pressHarder(pressure, gaps())).toBe(false);
    expect(pressHarder(pressure, gaps(0.5, 0.03, 0.9))).toBe(false);
    expect(pressure.now[0]).toBe(20);
    expect(pressHarder(pressure, gaps(0.5, 0.01, 0.9))).toBe(true);
    expect(pressure.now[0]).toBe(60);
    for (let k = 0; k < 40; k++) pressHarder(pressure, gaps(1e-6));
    expect(pressure.now[0]).toBe(5000);
    expect(pressHarder(pressure, gaps(1e-6))).toBe(false); // nothing changes: nobody has to look again
  });

  test("does not press harder while it opens", () => {
    const pressure = pressed();
    expect(pressHarder(pressure, gaps(0.001))).toBe(true);
    expect(pressHarder(pressure, gaps(0.002))).toBe(false);
    expect(pressHarder(pressure, gaps(0.0009))).toBe(true);
    openPressure(pressure, 0, 0.01);
    expect(pressHarder(pressure, gaps(0.01))).toBe(true); // another step
  });
});

test("tangents are two unit vectors across the normal and across each other", () => {
  const out = new Float64Array(8);
  const normals = randomVector(300, 1);
  for (let k = 0; k < 300; k += 3) {
    const l = Math.hypot(normals[k], normals[k + 1], normals[k + 2]);
    const n = [normals[k] / l, normals[k + 1] / l, normals[k + 2] / l];
    tangents(out, 2, n[0], n[1], n[2]);
    const [t, s] = [out.subarray(2, 5), out.subarray(5, 8)];
    const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
      a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (const [a, b, wanted] of [
      [t, t, 1],
      [s, s, 1],
      [t, s, 0],
      [t, n, 0],
      [s, n, 0],
    ] as [ArrayLike<number>, ArrayLike<number>, number][])
      expect(dot(a, b)).toBeCloseTo(wanted, 14);
  }
});
