import { test as check, fc } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { type Camera, projected, projection } from "../../src/picture/camera.ts";
import {
  createTarget,
  depthMap,
  drawTriangles,
  fill,
  lit,
  type Target,
} from "../../src/picture/raster.ts";
import type { Vec3 } from "../../src/scene/scene.ts";

function covered({ id, width, height }: Target): string[] {
  return Array.from({ length: height }, (_, j) =>
    Array.from({ length: width }, (_, i) => (id![j * width + i] >= 0 ? "#" : ".")).join(""),
  );
}

/** Corners and depth of a triangle, as `fill` takes them. */
const flat = (...numbers: number[]): Float64Array => Float64Array.from(numbers);

describe("coverage", () => {
  test("a right triangle covers exactly the samples whose centres it holds", () => {
    // below x + y = 4: centres (i + ½, j + ½) with i + j + 1 < 4; on the line is a right or bottom edge, so open
    const target = createTarget(5, 5, true);
    fill(target, flat(0, 0, 4, 0, 0, 4, 0, 0, 1), 7);
    expect(covered(target)).toEqual(["###..", "##...", "#....", ".....", "....."]);
  });

  test("orientation does not matter", () => {
    const a = createTarget(8, 8, true);
    const b = createTarget(8, 8, true);
    fill(a, flat(0.3, 0.7, 7.2, 2.1, 3.3, 7.9, 0, 0, 1), 1);
    fill(b, flat(3.3, 7.9, 7.2, 2.1, 0.3, 0.7, 0, 0, 1), 1);
    expect(covered(a)).toEqual(covered(b));
  });

  const place = fc.integer({ min: -64, max: 20 * 64 }).map((k) => k / 64);
  check.prop([fc.array(place, { minLength: 8, maxLength: 8 })])(
    "two triangles that share an edge cover no sample twice and leave no gap",
    (xy) => {
      // the quadrilateral's triangles on either side of its diagonal
      const [ax, ay, bx, by, cx, cy, dx, dy] = xy;
      const side = (px: number, py: number): number =>
        (cx - ax) * (py - ay) - (cy - ay) * (px - ax);
      fc.pre(side(bx, by) * side(dx, dy) < 0);
      const count = new Uint8Array(20 * 20);
      for (const [x, y] of [
        [bx, by],
        [dx, dy],
      ]) {
        const target = createTarget(20, 20, true);
        fill(target, flat(ax, ay, cx, cy, x, y, 0, 0, 1), 1);
        target.id!.forEach((t, p) => {
          count[p] += t === 1 ? 1 : 0;
        });
      }
      expect(Math.max(...count)).toBeLessThanOrEqual(1);
      // samples strictly inside both half planes' union along the diagonal are covered once
      for (let j = 0; j < 20; j++)
        for (let i = 0; i < 20; i++) {
          const [px, py] = [i + 0.5, j + 0.5];
          const onDiagonal = side(px, py) === 0;
          const t =
            ((px - ax) * (cx - ax) + (py - ay) * (cy - ay)) / ((cx - ax) ** 2 + (cy - ay) ** 2);
          if (onDiagonal && t > 0.01 && t < 0.99) expect(count[j * 20 + i]).toBe(1);
        }
    },
  );

  check.prop([fc.array(place, { minLength: 6, maxLength: 6 })])(
    "agrees with the half-plane test at every sample",
    ([ax, ay, bx, by, cx, cy]) => {
      const target = createTarget(20, 20, true);
      fill(target, flat(ax, ay, bx, by, cx, cy, 0, 0, 1), 1);
      const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
      for (let j = 0; j < 20; j++)
        for (let i = 0; i < 20; i++) {
          const [x, y] = [i + 0.5, j + 0.5];
          const e = [
            (bx - ax) * (y - ay) - (by - ay) * (x - ax),
            (cx - bx) * (y - by) - (cy - by) * (x - bx),
            (ax - cx) * (y - cy) - (ay - cy) * (x - cx),
          ].map((v) => v * Math.sign(area));
          const seen = target.id![j * 20 + i] === 1;
          if (area !== 0 && e.every((v) => v > 0)) expect(seen).toBe(true);
          if (area === 0 || e.some((v) => v < 0)) expect(seen).toBe(false);
        }
    },
  );

  test("triangles without area, with NaN, or out of sight cover nothing; huge ones cover all", () => {
    const target = createTarget(4, 4, true);
    fill(target, flat(0, 0, 4, 4, 2, 2, 0, 0, 1), 1);
    fill(target, flat(Number.NaN, 0, 4, 0, 0, 4, 0, 0, 1), 1);
    fill(target, flat(10, 10, 14, 10, 10, 14, 0, 0, 1), 1);
    fill(target, flat(-9, -9, -1, -9, -1, -1, 0, 0, 1), 1);
    expect(Math.max(...target.id!)).toBe(-1);
    fill(target, flat(-1e9, -1e9, 1e9, -1e9, 0, 1e9, 0, 0, 1), 1);
    expect(Math.min(...target.id!)).toBe(1);
  });
});

describe("depth", () => {
  test("nearer hides farther, whichever is drawn first", () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const target = createTarget(4, 4, true);
      for (const t of order) fill(target, flat(0, 0, 8, 0, 0, 8, 0, 0, t === 0 ? 0.5 : 0.25), t);
      expect(new Set(target.id!)).toEqual(new Set([0]));
    }
  });

  test("triangles that pierce each other meet where their depths are equal", () => {
    // depths x and 8 − x are equal at x = 4
    const target = createTarget(8, 1, true);
    fill(target, flat(0, 0, 16, 0, 0, 16, 1, 0, 0), 0);
    fill(target, flat(0, 0, 16, 0, 0, 16, -1, 0, 8), 1);
    expect(Array.from(target.id!)).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
  });
});

describe("perspective", () => {
  const camera: Camera = { eye: [0.3, -4, 1], target: [0, 0, 0], up: [0, 0, 1], fov: 0.7 };
  const corners: Vec3[] = [
    [-1, -1.5, -0.8],
    [1.2, 2, -0.5],
    [0.1, 0.5, 1.1],
  ];

  test("weights at a projected point of the triangle are that point's barycentric coordinates", () => {
    const rows = projection(camera, 200, 100);
    const planes = new Float64Array(9);
    const target = createTarget(200, 100, true);
    drawTriangles(
      target,
      planes,
      Float64Array.from(corners.flat()),
      Int32Array.of(0, 1, 2),
      rows,
      1,
      0.01,
    );
    for (const weights of [
      [0.2, 0.3, 0.5],
      [0.8, 0.1, 0.1],
      [1, 0, 0],
    ]) {
      const p = [0, 1, 2].map((c) =>
        weights.reduce((sum, w, k) => sum + w * corners[k][c], 0),
      ) as Vec3;
      const [x, y, w] = projected(rows, p);
      for (let k = 0; k < 3; k++) {
        const share = planes[3 * k] * x + planes[3 * k + 1] * y + planes[3 * k + 2];
        expect(share * w).toBeCloseTo(weights[k], 10); // λᵢ/w · w
      }
    }
  });

  test("a triangle that reaches behind the camera is cut, not turned inside out", () => {
    // the floor z = −1 from far ahead to behind: covers exactly what lies below the horizon of its edge
    const level: Camera = { eye: [0, 0, 0], target: [0, 1, 0], up: [0, 0, 1], fov: Math.PI / 2 };
    const rows = projection(level, 40, 40);
    const floor = Float64Array.of(-1e3, -10, -1, 1e3, -10, -1, 0, 1e4, -1);
    const target = createTarget(40, 40, true);
    drawTriangles(target, new Float64Array(9), floor, Int32Array.of(0, 1, 2), rows, 1, 0.01);
    const picture = covered(target);
    expect(picture.slice(0, 20).join("")).not.toContain("#");
    expect(picture[39]).toBe("#".repeat(40));
    expect(picture[22]).toBe("#".repeat(40));
  });
});

describe("depth maps", () => {
  test("a square shades what is under it, nothing else, and not itself", () => {
    const positions = Float64Array.of(-1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1);
    const triangles = Int32Array.of(0, 1, 2, 0, 2, 3);
    const map = depthMap(positions, triangles, new Uint8Array(2), [0, 0, 1], [0, 0, 0], 3, 256);
    expect(lit(map, 0, 0, 0, 0.01)).toBe(0);
    expect(lit(map, 0.9, -0.9, -2, 0.01)).toBe(0);
    expect(lit(map, 1.1, 0, 0, 0.01)).toBe(1);
    expect(lit(map, 0, 0, 1, 0.01)).toBe(1);
    expect(lit(map, 0, 0, 2, 0.01)).toBe(1);
    // along its edge half of the texels vote
    expect(lit(map, 1, 0, 0, 0.01)).toBeCloseTo(0.5, 0);
    // beyond the map there is light
    expect(lit(map, 50, 0, 0, 0.01)).toBe(1);
  });

  test("slanted light moves the shadow by height times slope", () => {
    const positions = Float64Array.of(-0.5, -0.5, 1, 0.5, -0.5, 1, 0.5, 0.5, 1, -0.5, 0.5, 1);
    const triangles = Int32Array.of(0, 1, 2, 0, 2, 3);
    const s = Math.SQRT1_2;
    const map = depthMap(positions, triangles, new Uint8Array(2), [s, 0, s], [0, 0, 0], 3, 512);
    // light from +x at 45°: on z = 0 the shadow lies at x − 1
    expect(lit(map, -1, 0, 0, 0.01)).toBe(0);
    expect(lit(map, -0.55, 0, 0, 0.01)).toBe(0);
    expect(lit(map, -0.45, 0, 0, 0.01)).toBe(1);
    expect(lit(map, -1.55, 0, 0, 0.01)).toBe(1);
  });

  test("one-sided triangles cast only when they face the light", () => {
    const positions = Float64Array.of(-1, -1, 1, 1, -1, 1, 1, 1, 1);
    const up = depthMap(
      positions,
      Int32Array.of(0, 1, 2),
      Uint8Array.of(1),
      [0, 0, 1],
      [0, 0, 0],
      3,
      64,
    );
    const down = depthMap(
      positions,
      Int32Array.of(0, 2, 1),
      Uint8Array.of(1),
      [0, 0, 1],
      [0, 0, 0],
      3,
      64,
    );
    expect(lit(up, 0.5, -0.5, 0, 0.01)).toBe(0);
    expect(lit(down, 0.5, -0.5, 0, 0.01)).toBe(1);
  });
});
