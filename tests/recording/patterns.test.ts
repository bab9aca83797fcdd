import { describe, expect, test } from "vitest";
import { bucklingLoad, powerLaw, rimPattern, tubePattern } from "../../src/recording/patterns.ts";
import { outlineDistance, SQUARE, silhouetteDistance } from "../../src/recording/silhouette.ts";
import { skirt } from "../../src/scene/library/garments.ts";
import { cylinder } from "../../src/scene/library/tube.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";

describe("lobes of a tube", () => {
  const R = 0.1;
  const { sheets, seed } = parseScene(cylinder({ points: 1200 }));
  const sheet = createSheet(sheets, seed);
  const posed = (out: (angle: number, v: number) => number): Float64Array => {
    const Y = new Float64Array(3 * sheet.n);
    for (let i = 0; i < sheet.n; i++) {
      const [angle, v] = [sheet.uv[2 * i] / R, sheet.uv[2 * i + 1]];
      const r = R + out(angle, v);
      Y.set([r * Math.cos(angle), r * Math.sin(angle), v], 3 * i);
    }
    return Y;
  };

  test("a fluted tube has as many lobes as flutes, and their amplitude over √2", () => {
    const pattern = tubePattern(
      sheet,
      posed((angle) => 0.004 * Math.cos(7 * angle)),
      R,
    );
    expect(pattern.lobes).toBe(7);
    // bands two spacings high hold some 70 irregular samples: sums are good to a tenth
    expect(pattern.amplitude / (0.004 / Math.SQRT2)).toBeCloseTo(1, 1);
    expect(Math.sqrt(pattern.around[7]) / (0.004 / Math.SQRT2)).toBeCloseTo(1, 0);
  });

  test("diamonds, which turn by half a lobe from row to row, are counted both ways", () => {
    const H = 0.25;
    const diamonds = (angle: number, v: number): number =>
      0.003 * Math.cos(6 * angle) * Math.sin((4 * Math.PI * v) / H);
    const pattern = tubePattern(sheet, posed(diamonds), R);
    expect(pattern.lobes).toBe(6);
    expect(pattern.halfWaves).toBe(4);
    expect(pattern.mode).toEqual({ lobes: 6, halfWaves: 4 });
  });

  test("of two modes the stronger pair is the mode, not the strongest of each", () => {
    // 6 lobes in two modes of 4 and 2 half waves have more power around than the 5 lobes, but each of them less
    const wave = (n: number, m: number, angle: number, v: number): number =>
      Math.cos(n * angle) * Math.sin((m * Math.PI * v) / 0.25);
    const mixed = (angle: number, v: number): number =>
      0.003 * wave(5, 3, angle, v) + 0.0024 * (wave(6, 4, angle, v) + wave(6, 2, angle, v));
    const pattern = tubePattern(sheet, posed(mixed), R);
    expect(pattern.lobes).toBe(6);
    expect(pattern.mode).toEqual({ lobes: 5, halfWaves: 3 });
  });

  test("modes on Koiter's circle buckle at the least load, others later", () => {
    // (α² + n²)² = α² R√(K/D) with α = mπR/H: n = 5, α = 5 where R√(K/D) = 100
    const tube = { radius: 1, height: Math.PI, K: 1e4, D: 1 };
    expect(bucklingLoad({ lobes: 5, halfWaves: 5 }, tube)).toBeCloseTo(1, 12);
    expect(bucklingLoad({ lobes: 0, halfWaves: 10 }, tube)).toBeCloseTo(1, 12); // rings, as short as they get
    expect(bucklingLoad({ lobes: 10, halfWaves: 5 }, tube)).toBeCloseTo(
      0.5 * (6.25 + 1 / 6.25),
      12,
    );
  });
});

describe("folds of a hem", () => {
  const { sheets, seed } = parseScene(skirt({ points: 700 }));
  const sheet = createSheet(sheets, seed);
  const rim = ["front:hem", "back:hem"];

  test("a hem of five waves in height has five folds of a fifth of its length", () => {
    const Y = new Float64Array(3 * sheet.n);
    for (let i = 0; i < sheet.n; i++) {
      const [x, y] = [sheet.rest[3 * i], sheet.rest[3 * i + 1]];
      Y.set([x, y, 0.01 * Math.cos(5 * Math.atan2(y, x))], 3 * i);
    }
    const { folds, wavelength, length, amplitude } = rimPattern(sheet, Y, rim);
    expect(folds).toBeCloseTo(5, 1);
    expect(wavelength).toBeCloseTo(length / 5, 1);
    expect(amplitude).toBeCloseTo(0.01 / Math.SQRT2, 3);
    // the polygon through the samples is shorter than the circle by (spacing/radius)²/24
    expect(length / (2 * Math.PI * 0.53)).toBeCloseTo(1, 2);
  });

  test("of three broad and nine narrow waves there are as many folds as the hem crosses its mean upwards", () => {
    // equal powers: √((3² + 9²)/2)
    const Y = new Float64Array(3 * sheet.n);
    for (let i = 0; i < sheet.n; i++) {
      const [x, y] = [sheet.rest[3 * i], sheet.rest[3 * i + 1]];
      const angle = Math.atan2(y, x);
      Y.set([x, y, 0.005 * (Math.cos(3 * angle) + Math.cos(9 * angle))], 3 * i);
    }
    expect(rimPattern(sheet, Y, rim).folds).toBeCloseTo(Math.sqrt(45), 1);
  });

  test("tilting and shifting the hem makes no folds", () => {
    const Y = Float64Array.from(sheet.rest as Float64Array);
    for (let i = 0; i < sheet.n; i++) {
      Y[3 * i + 2] += 0.2 * Y[3 * i];
      Y[3 * i + 1] += 0.05;
    }
    expect(rimPattern(sheet, Y, rim).amplitude).toBeLessThan(2e-3); // the tilted circle is an ellipse, to second order
  });
});

test("a power law is found exactly in exact data", () => {
  const x = [1e-6, 1e-5, 1e-4, 1e-3];
  const { exponent, factor, explained } = powerLaw(
    x,
    x.map((D) => 4 * D ** 0.25),
  );
  expect(exponent).toBeCloseTo(0.25, 12);
  expect(factor).toBeCloseTo(4, 10);
  expect(explained).toBeCloseTo(1, 12);
});

describe("silhouettes", () => {
  const triangles = Int32Array.of(0, 1, 2, 0, 2, 3);
  const square = (side: number, x = 0): { Y: Float64Array; triangles: Int32Array } => ({
    // stands in the plane y = 0
    Y: Float64Array.of(x, 0, 0, x + side, 0, 0, x + side, 0, side, x, 0, side),
    triangles,
  });

  test("a shape is no distance from itself", () => {
    expect(outlineDistance(square(1), square(1), "front")).toEqual({ mean: 0, most: 0, max: 0 });
  });

  test("a square and one a tenth larger are apart by the tenth at the two far sides only", () => {
    const { mean, max } = outlineDistance(square(1), square(1.1), "front", 550);
    // two of four sides coincide, two are 0.1 apart; corners are √2 of that
    expect(mean).toBeGreaterThan(0.045);
    expect(mean).toBeLessThan(0.06);
    expect(max / (0.1 * Math.SQRT2)).toBeCloseTo(1, 1);
  });

  test("a mirror image is the same shape where the experiment has that symmetry", () => {
    const [a, b] = [square(1, 0.5), square(1, -1.5)];
    expect(silhouetteDistance(a, b).mean).toBeGreaterThan(0.5);
    expect(silhouetteDistance(a, b, { symmetries: SQUARE }).mean).toBeLessThan(0.005);
  });
});
