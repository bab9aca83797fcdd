import { expect, test } from "vitest";
import type { Panel, Seam, Vec2, Vec3 } from "../../src/scene/scene.ts";
import { secondRings } from "../../src/sheet/curvature.ts";
import { framesOf } from "../../src/sheet/frames.ts";
import { createSheet, type Sheet } from "../../src/sheet/kinematics.ts";
import { startPose } from "../../src/sheet/pose.ts";
import { irregular, sheetScene } from "./sheets.ts";

const THICKNESS = 1e-3;
const [WIDTH, HEIGHT] = [0.4, 0.5];
const RECTANGLE: Vec2[] = [
  [0, 0],
  [WIDTH, 0],
  [WIDTH, HEIGHT],
  [0, HEIGHT],
];
const EDGES = { bottom: [0, 1], right: [1, 2], top: [2, 3], left: [3, 0] } as Panel["edges"];

function panel(name: string, position: Vec3, rotation: Vec3): Panel {
  const place = { position, rotation, wrap: null };
  return { name, points: RECTANGLE, edges: EDGES, holes: [], place };
}

/** Two panels that are sewn at their sides and at the bottom, upright in y = 0: the front faces −y, the back is behind it, turned by half a turn. */
function bag(back: Vec3 = [WIDTH, 0, 0], seconds = 0): { sheet: Sheet; Y: Float64Array } {
  const panels = [panel("front", [0, 0, 0], [0, 0, 0]), panel("back", back, [0, 0, Math.PI])];
  const seams: Seam[] = [
    { from: "front:left", to: "back:right", reversed: true },
    { from: "front:right", to: "back:left", reversed: true },
    { from: "front:bottom", to: "back:bottom", reversed: true },
  ];
  const scene = sheetScene({ type: "garment", panels, seams, sewing: { seconds } }, irregular(300));
  const sheet = createSheet(
    [{ ...scene, material: { ...scene.material, thickness: THICKNESS } }],
    1,
  );
  return { sheet, Y: startPose(sheet, [scene], 1).Y };
}

test("panels sewn together that lie on each other start apart by twice their thickness, the front in front; their seams stay closed", () => {
  const { sheet, Y } = bag();
  const [front] = sheet.parts[0].panels!;
  let far = 0;
  for (let t = 0; t < sheet.triangles.length / 3; t++)
    for (let k = 3 * t; k < 3 * t + 3; k++) {
      const i = 3 * sheet.triangles[k];
      const toSeam = Math.min(Y[i], WIDTH - Y[i], Y[i + 2]);
      const height = t < front.triangles ? -Y[i + 1] : Y[i + 1];
      if (toSeam < 1e-9) expect(height).toBeCloseTo(0, 12);
      else expect(height).toBeGreaterThan(0);
      if (toSeam < 0.05) continue;
      expect(height).toBeCloseTo(THICKNESS, 12);
      far++;
    }
  expect(far).toBeGreaterThan(100);
});

test("along such a seam frames have their normals outwards, in the plane of the panels", () => {
  const { sheet, Y } = bag();
  const frames = framesOf(sheet, secondRings(sheet), Y);
  let count = 0;
  for (const i of sheet.parts[0].edges["front:left"] as Int32Array) {
    const height = Y[3 * i + 2];
    if (height < 0.05 || height > HEIGHT - 0.05) continue; // corners face between two directions
    const [ax, ay, az, bx, by, bz] = frames.slice(6 * i, 6 * i + 6);
    const normal = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
    const size = Math.hypot(...normal);
    expect(size).toBeCloseTo(sheet.spacing[i] ** 2, 12);
    expect(normal[0] / size).toBeLessThan(-0.99);
    count++;
  }
  expect(count).toBeGreaterThan(5);
});

test("panels that start apart, or side by side, stay where they are", () => {
  for (const { sheet, Y } of [bag([WIDTH, 0.1, 0], 0.5), bag([2 * WIDTH, 0, 0], 0.5)])
    expect([...Y]).toEqual([...(sheet.rest as Float64Array)]);
});
