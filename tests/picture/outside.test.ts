import { describe, expect, test } from "vitest";
import { createOutside, keepOutside } from "../../src/picture/outside.ts";
import { parseScene } from "../../src/scene/scene.ts";

const scene = parseScene(
  {
    name: "beside",
    sheet: {
      shape: { type: "rectangle", width: 1, height: 1 },
      sampling: { points: 100 },
      material: { density: 0.2, D: 1e-4, thickness: 0.002 },
    },
    colliders: [
      { name: "mesh", body: { type: "mesh", file: "a.obj" } },
      { name: "ball", body: { type: "sphere", radius: 0.2 }, position: [1, 0, 0] },
    ],
  },
  "beside",
);
/** Bodies without a turn: the mesh at the origin, the ball at x = 1 m. */
const poses = Float64Array.of(
  ...[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0],
  ...[1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0],
);
const sheet = { edgeLength: [0.03, 0.04] };

describe("the drawn sheet beside bodies", () => {
  test("a point in a body is drawn on its surface, half the thickness away; others stay", () => {
    const points = Float64Array.of(1, 0, 0.195, 1, 0, 0.3, 1.1995, 0, 0);
    keepOutside(points, createOutside(scene, sheet)!, poses);
    const wanted = [1, 0, 0.201, 1, 0, 0.3, 1.201, 0, 0];
    points.forEach((x, k) => {
      expect(x).toBeCloseTo(wanted[k], 12);
    });
  });

  test("a point deeper than a quarter of an edge stays: what is wrong looks wrong", () => {
    const points = Float32Array.of(1, 0, 0.185);
    keepOutside(points, createOutside(scene, sheet)!, poses);
    expect(points).toEqual(Float32Array.of(1, 0, 0.185));
  });

  test("where no body has a formula there is nothing to do", () => {
    expect(createOutside({ ...scene, colliders: scene.colliders.slice(0, 1) }, sheet)).toBe(null);
  });
});
