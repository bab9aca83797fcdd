import { describe, expect, test } from "vitest";
import type { Simulation } from "../../src/simulation.ts";
import { largest, simulationOf } from "../support.ts";

/** Mean horizontal reach and drop of the right edge, over L. */
function tip(simulation: Simulation, L: number): { reach: number; drop: number } {
  const right = simulation.sheet.parts[0].edges.right;
  let [reach, drop] = [0, 0];
  for (let k = 0; k < right.length; k++) {
    reach += simulation.Y[3 * right[k]] / (L * right.length);
    drop -= simulation.Y[3 * right[k] + 2] / (L * right.length);
  }
  return { reach, drop };
}

describe("static mode", () => {
  test("finds the equilibrium of a coarse cantilever in one step, as it says, and leaves it at rest", () => {
    // σgL³/D = 20 at L/12: the elastica reaches 0.44523 L and drops 0.82988 L (G2 of the references)
    const L = 0.3;
    const simulation = simulationOf(
      {
        shape: { type: "rectangle", width: L, height: 0.1 },
        sampling: { spacing: L / 12 },
        material: { density: 0.15, D: (0.15 * 9.81 * L ** 3) / 20, poisson: 0 },
      },
      { static: true, gravity: 9.81, pins: [{ at: { edge: "left" }, kind: "clamp" }] },
    );
    const report = simulation.step();
    expect(report.converged).toBe(true);
    expect(simulation.warnings).toEqual([]);
    const { reach, drop } = tip(simulation, L);
    expect(Math.hypot(reach - 0.44523, drop - 0.82988)).toBeLessThan(0.005);
    expect(largest(simulation.V)).toBe(0);
  });

  test("says so when it does not get there", () => {
    const simulation = simulationOf(
      { sampling: { points: 60 } },
      {
        static: { maxIterations: 1, forceTolerance: 1e-12 },
        gravity: 9.81,
        pins: [{ at: { edge: "left" } }],
      },
    );
    const report = simulation.step();
    expect(report.converged).toBe(false);
    expect(simulation.warnings[0].text).toMatch(/equilibrium not reached.*maxIterations/);
  });

  test("a foundation and a pressure balance where p = K z", () => {
    const simulation = simulationOf(
      { sampling: { points: 60 } },
      { static: true, gravity: 0, pressure: 20, foundation: { stiffness: 1e4, axis: [0, 0, 1] } },
    );
    expect(simulation.step().converged).toBe(true);
    for (let k = 2; k < simulation.Y.length; k += 3)
      expect(simulation.Y[k]).toBeCloseTo(20 / 1e4, 6);
  });
});
