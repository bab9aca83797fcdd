import { describe, expect, test } from "vitest";
import { createPatches } from "../../src/sheet/patches.ts";
import { createFrame, setFrame, setPatchFrame } from "../../src/view/frame.ts";
import { framedSheet, plane, poseOf, rolled } from "../sheet/curved.ts";

describe("frames of a view", () => {
  const sheet = framedSheet({ sampling: { points: 60 } });

  test("curved patches: points on the cylinder, exact normals, values between samples", () => {
    const patches = createPatches(sheet, 2);
    const frame = createFrame(patches.n);
    const values = Float64Array.from({ length: sheet.n }, (_, i) => sheet.uv[2 * i]);
    setPatchFrame(frame, patches, poseOf(sheet, rolled(0.3)), values);
    for (let i = 0; i < patches.n; i++) {
      const [x, z] = [frame.positions[3 * i], frame.positions[3 * i + 2] - 0.3];
      expect(Math.hypot(x, z)).toBeCloseTo(0.3, 3);
      const inward = -(x * frame.normals[3 * i] + z * frame.normals[3 * i + 2]) / 0.3;
      expect(inward).toBeGreaterThan(0.999);
      expect(frame.values[i]).toBeCloseTo(patches.uv[2 * i], 5);
    }
  });

  test("not halved and flat it is the frame of the samples; values that are not given stay", () => {
    const Y = poseOf(sheet, plane());
    const patches = createPatches(sheet, 0);
    const [curved, flat] = [createFrame(patches.n), createFrame(sheet.n)];
    curved.values.fill(7);
    setPatchFrame(curved, patches, Y);
    setFrame(flat, Y, sheet.triangles);
    expect(curved.positions).toEqual(flat.positions);
    for (let k = 0; k < flat.normals.length; k++)
      expect(curved.normals[k]).toBeCloseTo(flat.normals[k], 6);
    expect(curved.values.every((value) => value === 7)).toBe(true);
  });
});
