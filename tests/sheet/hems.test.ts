import { describe, expect, test } from "vitest";
import { createHems, evaluateHems, LIP } from "../../src/sheet/hems.ts";
import { createPatches, evaluatePatches } from "../../src/sheet/patches.ts";
import { sheetOf } from "../support.ts";
import { framedSheet, poseOf, rolled } from "./curved.ts";

/** Places and normals of the lips of a mesh. */
function lips(
  hems: ReturnType<typeof createHems>,
  Y: ArrayLike<number>,
  N: ArrayLike<number>,
  r: number,
) {
  const positions = new Float64Array(3 * LIP * hems.count);
  const normals = new Float64Array(3 * LIP * hems.count);
  evaluateHems(positions, normals, 0, hems, Y, N, [r]);
  return { positions, normals };
}

describe("hems", () => {
  test("the lip of a flat sheet is as thick as said, and reaches as far beyond the rim", () => {
    const sheet = sheetOf({
      shape: { type: "rectangle", width: 1, height: 1 },
      sampling: { points: 60 },
    });
    const hems = createHems(sheet);
    expect(hems.count).toBe(sheet.parts[0].edges.boundary.length);
    const up = Float64Array.from({ length: 3 * sheet.n }, (_, k) => (k % 3 === 2 ? 1 : 0));
    const { positions, normals } = lips(hems, sheet.rest, up, 0.01);
    for (let v = 0; v < LIP * hems.count; v++) {
      const [x, y, z] = positions.subarray(3 * v, 3 * v + 3);
      expect(Math.abs(z)).toBeCloseTo([0, 0.01, 0, 0, 0.01, 0][v % LIP], 12);
      const beyond = Math.max(Math.abs(x - 0.5), Math.abs(y - 0.5)) - 0.5;
      const isOut = v % LIP === 2 || v % LIP === 3;
      // at a corner outward is along the diagonal
      if (isOut) expect(beyond).toBeGreaterThan(0.0069);
      expect(beyond).toBeLessThan(0.01 + 1e-12);
      expect(Math.hypot(...normals.subarray(3 * v, 3 * v + 3))).toBeCloseTo(1, 12);
    }
  });

  test("its triangles turn as the sheet does: the front half up, the back half up as seen from behind", () => {
    const sheet = sheetOf({ shape: { type: "disc", radius: 1 }, sampling: { points: 80 } });
    const hems = createHems(sheet);
    const up = Float64Array.from({ length: 3 * sheet.n }, (_, k) => (k % 3 === 2 ? 1 : 0));
    const { positions: P, normals: N } = lips(hems, sheet.rest, up, 0.02);
    for (let t = 0; t < hems.triangles.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => 3 * hems.triangles[t + k]);
      const u = [0, 1, 2].map((k) => P[b + k] - P[a + k]);
      const v = [0, 1, 2].map((k) => P[c + k] - P[a + k]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      for (const i of [a, b, c])
        expect(n[0] * N[i] + n[1] * N[i + 1] + n[2] * N[i + 2]).toBeGreaterThan(-1e-9);
    }
  });

  test("seams and the closed way round of a tube have no lip", () => {
    const tube = sheetOf({
      shape: { type: "tube", radius: 0.2, height: 0.5 },
      sampling: { points: 120 },
    });
    const heights = [...createHems(tube).point].map((i) => tube.rest[3 * i + 2]);
    expect(heights.length).toBeGreaterThan(10);
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    expect(high - low).toBeCloseTo(0.5, 6);
    for (const z of heights) expect(Math.min(z - low, high - z)).toBeCloseTo(0, 6);

    // two triangles side by side, once as one piece and once cut and sewn along their common edge
    const parts = [{ firstTriangle: 0, triangles: 2 }];
    const cut = { triangles: Int32Array.of(0, 1, 2, 4, 3, 5), parts };
    const perEdge = 2 * 4; // triangles of a lip along one edge
    expect(createHems(cut).triangles.length / 3 / perEdge).toBe(6);
    const sewn = Int32Array.of(0, 1, 2, 1, 2, 5);
    expect(createHems({ ...cut, sewn }).triangles.length / 3 / perEdge).toBe(4);
  });

  test("around curved patches the lip follows the arc of the rim", () => {
    const sheet = framedSheet({ sampling: { points: 40 } });
    const patches = createPatches(sheet, 2);
    const [P, N] = [new Float64Array(3 * patches.n), new Float64Array(3 * patches.n)];
    evaluatePatches(P, N, patches, poseOf(sheet, rolled(0.3)));
    const hems = createHems(patches);
    const { positions } = lips(hems, P, N, 0.002);
    for (let v = 0; v < LIP * hems.count; v++) {
      const off = Math.hypot(positions[3 * v], positions[3 * v + 2] - 0.3) - 0.3;
      expect(Math.abs(off)).toBeLessThan(0.0025); // its radius, and what the cubic leaves
    }
  });
});
