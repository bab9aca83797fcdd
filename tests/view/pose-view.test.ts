import { describe, expect, test } from "vitest";
import { createPoseView } from "../../src/view/pose-view.ts";
import { framedSheet, poseOf, rolled } from "../sheet/curved.ts";
import { sheetOf } from "../support.ts";

describe("a sheet drawn from its poses", () => {
  const framed = framedSheet({ sampling: { points: 60 } });

  test("with frames: all that is drawn lies on the cylinder, far nearer than chords of the samples", () => {
    const view = createPoseView(framed);
    view.setPose(poseOf(framed, rolled(0.3)));
    const { positions, normals } = view.frame;
    expect(positions.length).toBeGreaterThan(3 * 10 * framed.n);
    let worst = 0;
    for (let k = 0; k < positions.length; k += 3) {
      const [x, z] = [positions[k], positions[k + 2] - 0.3];
      worst = Math.max(worst, Math.abs(Math.hypot(x, z) - 0.3));
      expect(-(x * normals[k] + z * normals[k + 2]) / 0.3).toBeGreaterThan(0.999);
    }
    // the sagitta of a chord of 0.15 m on that cylinder is 9 mm
    expect(worst).toBeLessThan(5e-4);
    view.dispose();
  });

  test("positions alone: flat triangles with the normals of the samples, and values between them", () => {
    const view = createPoseView(framed, { halvings: 1 });
    const pose = poseOf(framed, rolled(0.3)).slice(0, 3 * framed.n);
    view.setPose(
      pose,
      Float64Array.from({ length: framed.n }, (_, i) => framed.uv[2 * i]),
    );
    for (let i = 0; i < framed.n; i++)
      expect(
        Math.hypot(view.frame.positions[3 * i], view.frame.positions[3 * i + 2] - 0.3),
      ).toBeCloseTo(0.3, 6);
    const us = [...view.frame.values];
    expect(Math.max(...us) - Math.min(...us)).toBeCloseTo(1, 6);
    for (let k = 0; k < view.frame.normals.length; k += 3)
      expect(Math.hypot(...view.frame.normals.subarray(k, k + 3))).toBeGreaterThan(0.9);
    view.dispose();
  });

  test("a sheet without frames is drawn with its own points", () => {
    const sheet = sheetOf({ shape: { type: "disc", radius: 1 }, sampling: { points: 50 } });
    const view = createPoseView(sheet);
    view.setPose(sheet.rest);
    expect(view.frame.positions.length).toBe(3 * sheet.n);
    expect(view.frame.positions[0]).toBeCloseTo(sheet.rest[0], 6);
    view.dispose();
  });
});
