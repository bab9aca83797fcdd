import { describe, expect, test } from "vitest";
import { createSimulation, parseScene, type SceneInput } from "../../../src/index.ts";

/** m: least distance of places on the triangles from a centre, by a lattice of places; never below the true one. */
function nearest(Y: ArrayLike<number>, triangles: ArrayLike<number>, centre: number[]): number {
  const N = 20;
  let least = Number.POSITIVE_INFINITY;
  for (let t = 0; t < triangles.length; t += 3)
    for (let a = 0; a <= N; a++)
      for (let b = 0; a + b <= N; b++) {
        const place = (c: number) =>
          (a * Y[3 * triangles[t] + c] +
            b * Y[3 * triangles[t + 1] + c] +
            (N - a - b) * Y[3 * triangles[t + 2] + c]) /
          N;
        least = Math.min(least, Math.hypot(...centre.map((x, c) => place(c) - x)));
      }
  return least;
}

const radius = 0.0554;
const ball: [number, number, number] = [-0.02, 0.005, -0.0654];
const driven: SceneInput["pins"] = [
  {
    name: "plate",
    at: { nearest: [0.0737, 0], radius: 0.05 },
    motion: [{ time: 0.27, translate: [-0.053, 0.018, -0.083] }],
  },
];
const ring: SceneInput = {
  seed: 948,
  sheet: {
    shape: { type: "annulus", inner: 0.049, outer: 0.123 },
    sampling: { points: 92 },
    material: { density: 0.317, D: 4e-4, thickness: 2e-4 },
  },
  pins: driven,
  colliders: [{ name: "ball", body: { type: "sphere", radius }, position: ball }],
};

describe("a patch held by a pin", () => {
  test("does not let a ball in between its points: the pin is held back, and named", () => {
    const simulation = createSimulation(parseScene(ring));
    const { triangles } = simulation.sheet;
    for (let k = 0; k < 48; k++) {
      simulation.step();
      if (k % 4 === 0)
        expect(nearest(simulation.Y, triangles, ball)).toBeGreaterThan(radius - 1e-9);
    }
    expect(simulation.warnings.some(({ text }) => /plate cannot go on.*ball/.test(text))).toBe(
      true,
    );
  });
});
