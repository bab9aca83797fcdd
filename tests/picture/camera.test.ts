import { test as check, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  axes,
  type Camera,
  dot,
  fitCamera,
  PRESETS,
  projected,
  projection,
  turned,
} from "../../src/picture/camera.ts";
import type { Vec3 } from "../../src/scene/scene.ts";

const camera: Camera = { eye: [0, -5, 0], target: [0, 0, 0], up: [0, 0, 1], fov: Math.PI / 2 };

describe("projection", () => {
  test("what the camera looks at is in the middle, at its distance", () => {
    const [x, y, w] = projected(projection(camera, 640, 480), [0, 0, 0]);
    expect([x, y, w]).toEqual([320, 240, 5]);
  });

  test("at 90° a point as far off the axis as it is deep lies on the picture's edge", () => {
    const rows = projection(camera, 480, 480);
    // 5 m deep and 5 m to the right, left, up, down
    expect(projected(rows, [5, 0, 0])[0]).toBeCloseTo(480, 12);
    expect(projected(rows, [-5, 0, 0])[0]).toBeCloseTo(0, 12);
    expect(projected(rows, [0, 0, 5])[1]).toBeCloseTo(0, 12);
    expect(projected(rows, [0, 0, -5])[1]).toBeCloseTo(480, 12);
  });

  test("twice as far is half as large", () => {
    const rows = projection(camera, 480, 480);
    const near = projected(rows, [1, 0, 0])[0] - 240;
    const far = projected(rows, [1, 5, 0])[0] - 240;
    expect(near / far).toBeCloseTo(2, 12);
  });

  test("behind the camera depth is negative", () => {
    expect(projected(projection(camera, 64, 48), [0, -6, 0])[2]).toBe(-1);
  });

  test("the axes are orthonormal and right-handed, also straight down", () => {
    for (const eye of [
      [3, -2, 1],
      [0, 0, 4],
      [0, 0, -4],
      [0, 7, 0],
    ] as Vec3[]) {
      const { f, r, u } = axes({ eye, target: [0, 0, 0], up: [0, 0, 1], fov: 1 });
      for (const [a, b] of [
        [f, r],
        [r, u],
        [u, f],
      ])
        expect(dot(a, b)).toBeCloseTo(0, 14);
      expect(dot(r, r)).toBeCloseTo(1, 14);
      // r × u points back at the viewer
      expect(r[0] * u[1] - r[1] * u[0]).toBeCloseTo(-f[2], 14);
    }
  });
});

describe("fitting", () => {
  check.prop([
    fc.array(
      fc.tuple(
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: -3, max: 3, noNaN: true }),
      ),
      { minLength: 2, maxLength: 40 },
    ),
    fc.constantFrom(...PRESETS),
    fc.double({ min: 0.4, max: 3, noNaN: true }),
  ])("every point is in the picture, and some point touches the margin", (points, from, aspect) => {
    const flat = Float64Array.from(points.flat());
    const margin = 0.1;
    const rows = projection(fitCamera(flat, { from, aspect, margin }), 1000 * aspect, 1000);
    let widest = 0;
    for (const point of points) {
      const [x, y, w] = projected(rows, point);
      expect(w).toBeGreaterThan(0);
      widest = Math.max(widest, Math.abs(x / (500 * aspect) - 1), Math.abs(y / 500 - 1));
    }
    expect(widest).toBeLessThanOrEqual(1 - margin + 1e-9);
    // unless they are so close together across the view that the camera would stand inside, or closer than the micrometre that it keeps
    const spread = Math.max(
      ...[0, 1, 2].map(
        (c) => Math.max(...points.map((p) => p[c])) - Math.min(...points.map((p) => p[c])),
      ),
    );
    if (spread > 1e-5 && from === "auto" && widest < 1 - margin - 1e-9) {
      const { f } = axes(fitCamera(flat, { from, aspect, margin }));
      const depths = points.map((p) => dot(f, p));
      expect(Math.max(...depths) - Math.min(...depths)).toBeGreaterThan(spread / 4);
    }
  });

  test("a square seen from the front fills the height up to the margin", () => {
    const square = [-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1];
    const rows = projection(fitCamera(square, { from: "front", aspect: 2, margin: 0 }), 800, 400);
    expect(projected(rows, [1, 0, 1])[1]).toBeCloseTo(0, 9);
    expect(projected(rows, [1, 0, -1])[1]).toBeCloseTo(400, 9);
    expect(projected(rows, [0, 0, 0])[0]).toBeCloseTo(400, 9);
  });

  test("front has x to the right and z up; top has x to the right and y up; side looks along −x", () => {
    const cloud = [-1, -1, -1, 1, 1, 1];
    const at = (from: "front" | "top" | "side", p: Vec3): Vec3 =>
      projected(projection(fitCamera(cloud, { from, aspect: 1 }), 100, 100), p);
    expect(at("front", [1, 0, 0])[0]).toBeGreaterThan(50);
    expect(at("front", [0, 0, 1])[1]).toBeLessThan(50);
    expect(at("top", [1, 0, 0])[0]).toBeGreaterThan(50);
    expect(at("top", [0, 1, 0])[1]).toBeLessThan(50);
    expect(at("side", [0, 1, 0])[0]).toBeGreaterThan(50);
  });

  test("points that are not numbers do not move the camera", () => {
    const good = [-1, 0, -1, 1, 0, 1];
    expect(fitCamera([...good, Number.NaN, 0, Infinity])).toEqual(fitCamera(good));
  });
});

describe("turntable", () => {
  test("keeps height and distance, and a whole turn comes back", () => {
    const start: Camera = { eye: [3, -4, 2], target: [1, 1, 1], up: [0, 0, 1], fov: 0.4 };
    for (const angle of [0.3, 2, Math.PI]) {
      const { eye } = turned(start, angle);
      expect(eye[2]).toBe(2);
      expect(Math.hypot(eye[0] - 1, eye[1] - 1)).toBeCloseTo(Math.hypot(2, 5), 12);
    }
    const back = turned(start, 2 * Math.PI);
    for (let c = 0; c < 3; c++) expect(back.eye[c]).toBeCloseTo(start.eye[c], 12);
  });
});
