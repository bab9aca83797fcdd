import { describe, expect, test } from "vitest";
import { createRandom } from "../../src/sheet/random.ts";
import { fft, lineWavelength, type Plane, wrinklePattern } from "../../src/substrate/spectrum.ts";
import { sheetOf } from "../support.ts";

describe("the transform", () => {
  test("is the sum that defines it, and keeps the power (Parseval)", () => {
    const n = 32;
    const random = createRandom(3);
    const re = Float64Array.from({ length: n }, () => random() - 0.5);
    const im = Float64Array.from({ length: n }, () => random() - 0.5);
    const [X, Y] = [re.slice(), im.slice()];
    fft(X, Y);
    for (let k = 0; k < n; k++) {
      let [a, b] = [0, 0];
      for (let j = 0; j < n; j++) {
        const angle = (-2 * Math.PI * j * k) / n;
        a += re[j] * Math.cos(angle) - im[j] * Math.sin(angle);
        b += re[j] * Math.sin(angle) + im[j] * Math.cos(angle);
      }
      expect(X[k]).toBeCloseTo(a, 12);
      expect(Y[k]).toBeCloseTo(b, 12);
    }
    const power = (x: Float64Array, y: Float64Array): number =>
      x.reduce((s, v, k) => s + v * v + y[k] * y[k], 0);
    expect(power(X, Y) / n).toBeCloseTo(power(re, im), 12);
  });
});

describe("patterns", () => {
  const sheet = sheetOf({
    shape: { type: "rectangle", width: 0.3, height: 0.2 },
    sampling: { points: 2000 },
  });
  const heights = (z: (u: number, v: number) => number): Float64Array =>
    Float64Array.from({ length: sheet.n }, (_, i) => z(sheet.uv[2 * i], sheet.uv[2 * i + 1]));

  test.each([0, 30, -60])(
    "waves of 41 mm at %s° are measured to 0.02, with their direction and height, on a bulge ten times as high",
    (degrees) => {
      const angle = (degrees * Math.PI) / 180;
      const k = (2 * Math.PI) / 0.041;
      const pattern = wrinklePattern(
        sheet,
        heights(
          (u, v) =>
            0.003 * Math.sin(k * (u * Math.cos(angle) + v * Math.sin(angle)) + 1) +
            0.03 -
            2 * u * v +
            u * u,
        ),
      );
      expect(Math.abs(pattern.wavelength / 0.041 - 1)).toBeLessThan(0.02);
      expect(Math.abs(pattern.amplitude / 0.003 - 1)).toBeLessThan(0.1);
      expect(Math.cos(2 * (pattern.angle - angle))).toBeGreaterThan(0.99);
      expect(pattern.order).toBeGreaterThan(0.8);
    },
  );

  test("crossed waves have their length and no direction", () => {
    const k = (2 * Math.PI) / 0.03;
    const pattern = wrinklePattern(
      sheet,
      heights((u, v) => Math.sin(k * u) + Math.cos(k * v)),
    );
    expect(Math.abs(pattern.wavelength / 0.03 - 1)).toBeLessThan(0.03);
    expect(pattern.order).toBeLessThan(0.1);
  });

  test("a plane has no wavelength", () => {
    const plane: Plane = sheet;
    const { wavelength, amplitude } = wrinklePattern(
      plane,
      heights((u, v) => 1 + u - v),
    );
    expect(amplitude).toBeLessThan(1e-12);
    expect(wavelength > 0 || Number.isNaN(wavelength)).toBe(true);
  });
});

describe("lines", () => {
  const measured = (u: Float64Array, z: Float64Array): number =>
    lineWavelength(
      u,
      z,
      u.map(() => 1),
      0.03,
    );

  test("five waves are measured within 1 % at even places, 3 % at random ones and on a bulge", () => {
    const even = Float64Array.from({ length: 300 }, (_, i) => i / 299);
    const sine = (x: number): number => Math.sin(10 * Math.PI * x);
    expect(Math.abs(measured(even, even.map(sine)) / 0.2 - 1)).toBeLessThan(0.01);
    const random = createRandom(5);
    const u = Float64Array.from({ length: 300 }, random);
    const z = u.map((x) => sine(x) + 3 * x * x);
    expect(Math.abs(measured(u, z) / 0.2 - 1)).toBeLessThan(0.03);
  });
});
