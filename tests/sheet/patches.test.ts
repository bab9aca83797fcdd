import { describe, expect, test } from "vitest";
import { parseScene } from "../../src/scene/scene.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { createPatches, evaluatePatches, type Patches, spread } from "../../src/sheet/patches.ts";
import { shapes } from "../support.ts";
import { framedSheet, plane, point, poseOf, rolled, tubePose } from "./curved.ts";

const flat = framedSheet({ sampling: { points: 60 } });
const tube = framedSheet({
  shape: { type: "tube", radius: 0.2, height: 0.6 },
  sampling: { points: 120 },
});

function evaluated(
  patches: Patches,
  Y: Float64Array,
): { positions: Float64Array; normals: Float64Array } {
  const positions = new Float64Array(3 * patches.n).fill(Number.NaN);
  const normals = new Float64Array(3 * patches.n).fill(Number.NaN);
  evaluatePatches(positions, normals, patches, Y);
  return { positions, normals };
}

describe("curved patches", () => {
  test("halved once: the samples and the middles of the arcs, ½(y + y) + ℓ/8 (F t − F t)", () => {
    for (const [sheet, Y] of [
      [flat, poseOf(flat, rolled(0.3))],
      [tube, tubePose(tube)],
    ] as const) {
      const patches = createPatches(sheet, 1);
      const E = sheet.edges.length / 2;
      expect(patches.n).toBe(sheet.n + E);
      const { positions } = evaluated(patches, Y);
      for (let k = 0; k < 3 * sheet.n; k++) expect(positions[k]).toBe(Y[k]);
      for (let e = 0; e < E; e++) {
        const [i, j] = [sheet.edges[2 * e], sheet.edges[2 * e + 1]];
        for (let c = 0; c < 3; c++) {
          const slope = (end: 0 | 1, p: number): number => {
            const f = 3 * sheet.n + 6 * p + c;
            const [u, v] = [sheet.tangent[4 * e + 2 * end], sheet.tangent[4 * e + 2 * end + 1]];
            return (sheet.edgeLength[e] * (u * Y[f] + v * Y[f + 3])) / sheet.spacing[p];
          };
          const middle = (Y[3 * i + c] + Y[3 * j + c]) / 2 + (slope(0, i) - slope(1, j)) / 8;
          expect(positions[3 * (sheet.n + e) + c]).toBeCloseTo(middle, 15);
        }
      }
    }
  });

  test("a plane, turned and stretched, stays one: points and normals to rounding", () => {
    const at = plane(1.2, 0.9);
    const patches = createPatches(flat, 3);
    const { positions, normals } = evaluated(patches, poseOf(flat, at));
    for (let i = 0; i < patches.n; i++) {
      const { y } = at(patches.uv[2 * i], patches.uv[2 * i + 1]);
      for (let c = 0; c < 3; c++) {
        expect(positions[3 * i + c]).toBeCloseTo(y[c], 13);
        expect(normals[3 * i + c]).toBeCloseTo([1 / 3, -2 / 3, 2 / 3][c], 13);
      }
    }
  });

  test("a quadratic is met exactly, centres of the patches included", () => {
    const at = (u: number, v: number) => ({
      y: [u, v, u * u - 0.7 * u * v + 0.2 * v * v],
      du: [1, 0, 2 * u - 0.7 * v],
      dv: [0, 1, 0.4 * v - 0.7 * u],
    });
    const patches = createPatches(flat, 2);
    const { positions, normals } = evaluated(patches, poseOf(flat, at));
    for (let i = 0; i < patches.n; i++) {
      const [u, v] = [positions[3 * i], positions[3 * i + 1]];
      const { y, du, dv } = at(u, v);
      expect(positions[3 * i + 2]).toBeCloseTo(y[2], 13);
      const length = Math.hypot(du[2], dv[2], 1);
      expect(normals[3 * i]).toBeCloseTo(-du[2] / length, 12);
      expect(normals[3 * i + 1]).toBeCloseTo(-dv[2] / length, 12);
    }
  });

  test("a cylinder: off by less than a hundredth of what flat triangles are, normals within 1°", () => {
    const R = 0.2;
    const Y = tubePose(tube);
    const patches = createPatches(tube, 3);
    const curved = evaluated(patches, Y);
    const facets = evaluated(patches, Y.subarray(0, 3 * tube.n));
    const off = (P: Float64Array): number => {
      let most = 0;
      for (let i = 0; i < patches.n; i++)
        most = Math.max(most, Math.abs(Math.hypot(P[3 * i], P[3 * i + 1]) - R));
      return most;
    };
    expect(off(facets.positions)).toBeGreaterThan(5e-3); // ℓ²/8R
    expect(off(curved.positions)).toBeLessThan(off(facets.positions) / 100);
    for (let i = 0; i < patches.n; i++) {
      const [x, y, z] = point(curved.positions, i);
      const [a, b, c] = point(curved.normals, i);
      const outward = Math.abs((a * x + b * y) / Math.hypot(x, y));
      expect(outward).toBeGreaterThan(Math.cos(Math.PI / 180));
      expect(Math.abs(c)).toBeLessThan(0.02);
      expect(z).toBeGreaterThan(-1);
    }
  });

  test.each(shapes)(
    "$name: no cracks: every inner edge of the finer mesh has two triangles, as many rims as before",
    ({ sheet: input }) => {
      const sheet = framedSheet(input);
      const patches = createPatches(sheet, 2);
      const count = (triangles: ArrayLike<number>): Map<number, number> => {
        const used = new Map<number, number>();
        for (let k = 0; k < triangles.length; k++) {
          const [a, b] = [triangles[k], triangles[k % 3 === 2 ? k - 2 : k + 1]];
          const key = Math.min(a, b) * 1e6 + Math.max(a, b);
          used.set(key, (used.get(key) ?? 0) + 1);
        }
        return used;
      };
      const rims = (used: Map<number, number>): number =>
        [...used.values()].filter((k) => k === 1).length;
      const [coarse, fine] = [count(sheet.triangles), count(patches.triangles)];
      expect([...fine.values()].every((k) => k === 1 || k === 2)).toBe(true);
      expect(rims(fine)).toBe(4 * rims(coarse));
      expect(new Set(patches.triangles).size).toBe(patches.n);
      expect(patches.edges.length).toBe(4 * sheet.edges.length);
    },
  );

  test("values are linear between samples, and exact at them", () => {
    const patches = createPatches(flat, 2);
    const out = new Float32Array(patches.n);
    const values = Float64Array.from(
      { length: flat.n },
      (_, i) => 2 * flat.uv[2 * i] - flat.uv[2 * i + 1],
    );
    spread(out, patches, values);
    for (let i = 0; i < patches.n; i++)
      expect(out[i]).toBeCloseTo(2 * patches.uv[2 * i] - patches.uv[2 * i + 1], 6);
  });

  test("the second sheet of two has its own range of points", () => {
    const shape = { type: "rectangle", width: 1, height: 1 } as const;
    const scene = parseScene({
      sheets: ["upper", "lower"].map((name) => ({ name, shape, sampling: { points: 30 } })),
    });
    const both = createSheet(scene.sheets, scene.seed);
    const patches = createPatches(both, 1);
    expect(patches.parts.map(({ name }) => name)).toEqual(["upper", "lower"]);
    for (const part of patches.parts)
      for (let k = 3 * part.firstTriangle; k < 3 * (part.firstTriangle + part.triangles); k++) {
        expect(patches.triangles[k]).toBeGreaterThanOrEqual(part.firstPoint);
        expect(patches.triangles[k]).toBeLessThan(part.firstPoint + part.points);
      }
  });

  test("halvings that are none are refused", () => {
    expect(() => createPatches(flat, 1.5)).toThrow("subdivide 1.5: needs a whole number, 0 … 6");
    expect(() => createPatches(flat, 7)).toThrow(RangeError);
  });
});
