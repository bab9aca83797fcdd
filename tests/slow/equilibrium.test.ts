import { describe, expect, test } from "vitest";
import { createSimulation, parseScene } from "../../src/index.ts";

/** G2 of the references: reach and drop over L of a strip clamped level, from the planar elastica. */
const ELASTICA: Record<number, { reach: number; drop: number }> = {
  20: { reach: 0.44523, drop: 0.82988 },
};

describe("cantilever at equilibrium", () => {
  test.each([1, 2, 3])(
    "Γ = 20 at L/24, seed %i: the tip is within 0.003 L of the elastica",
    (seed) => {
      const [L, density, gamma] = [0.3, 0.15, 20];
      const simulation = createSimulation(
        parseScene({
          seed,
          static: true,
          gravity: 9.81,
          sheet: {
            shape: { type: "rectangle", width: L, height: 0.1 },
            sampling: { type: "irregular", spacing: L / 24 },
            material: { density, D: (density * 9.81 * L ** 3) / gamma, poisson: 0 },
          },
          pins: [{ at: { edge: "left" }, kind: "clamp" }],
        }),
      );
      expect(simulation.step().converged).toBe(true);
      const right = simulation.sheet.parts[0].edges.right;
      let [reach, drop] = [0, 0];
      for (let k = 0; k < right.length; k++) {
        reach += simulation.Y[3 * right[k]] / (L * right.length);
        drop -= simulation.Y[3 * right[k] + 2] / (L * right.length);
      }
      const exact = ELASTICA[gamma];
      expect(Math.hypot(reach - exact.reach, drop - exact.drop)).toBeLessThan(0.003);
    },
  );

  test.each([1, 2, 3])(
    "a membrane a hundred times as stiff, seed %i: balanced to 10⁻⁵ of a point's weight, where the energy tells steps apart no more",
    (seed) => {
      const [L, density] = [0.3, 0.15];
      const weight = density * 9.81 * L; // of a metre of width
      const material = { density, D: (weight * L * L) / 100, poisson: 0 };
      const simulation = createSimulation(
        parseScene({
          seed,
          static: { forceTolerance: 1e-5 },
          gravity: 9.81,
          sheet: {
            shape: { type: "rectangle", width: L, height: 0.1 },
            sampling: { type: "irregular", spacing: L / 24 },
            material: { ...material, membraneStiffness: 5e5 * weight },
          },
          pins: [{ at: { edge: "left" }, kind: "clamp" }],
        }),
      );
      expect(simulation.step().converged).toBe(true);
    },
  );
});

describe("equilibrium on a body", () => {
  test.each([
    [1e-3, 1],
    [1e-3, 2],
    [1e-3, 3],
    [5e-3, 1],
  ])("a plate of %d N·m laid on a ball, beside its middle, is found, seed %i", (D, seed) => {
    const simulation = createSimulation(
      parseScene({
        seed,
        static: true,
        sheet: {
          shape: { type: "rectangle", width: 0.5, height: 0.5 },
          sampling: { points: 120 },
          pose: { position: [-0.25, -0.22, 0.29] },
          material: { density: 0.2, D, thickness: 1e-3 },
        },
        colliders: [{ body: { type: "sphere", radius: 0.27 }, friction: 0.3 }],
      }),
    );
    expect(simulation.step().converged).toBe(true);
    expect(simulation.contact().penetration).toBe(0);
    expect(simulation.contact().contacts).toBeGreaterThan(0);
  });
});
