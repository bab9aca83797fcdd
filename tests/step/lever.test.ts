import { describe, expect, test } from "vitest";
import { createSimulation, edgeStrain, parseScene, type SceneInput } from "../../src/index.ts";

/** A sheet held at its left edge, which moves down at 2 m/s; the edge of a box is 1 mm beside it, a fiftieth of the spacing. */
const lever: SceneInput = {
  gravity: 0,
  sheet: {
    shape: { type: "rectangle", width: 0.2, height: 0.1 },
    sampling: { type: "grid", points: 15 },
    material: { density: 0.5, D: 0.01, thickness: 2e-4 },
  },
  pins: [
    {
      name: "edge",
      at: { edge: "left" },
      motion: [{ time: 0.05, translate: [0, 0, -0.1] }],
    },
  ],
  colliders: [
    { name: "box", body: { type: "box", size: [0.2, 0.3, 0.1] }, position: [0.101, 0.05, -0.06] },
  ],
};

describe("a pin that meets a body right beside the points that it holds", () => {
  test("is held back: it does not throw the sheet by a lever of 1 : 50", () => {
    const simulation = createSimulation(parseScene(lever));
    const { masses, sheet } = simulation;
    const mass = masses.subarray(0, sheet.n).reduce((sum, m) => sum + m, 0);
    let energy = 0;
    let stretch = 0;
    while (simulation.time < 0.05) {
      simulation.step();
      energy = Math.max(energy, simulation.energy().total);
      stretch = Math.max(stretch, edgeStrain(sheet, simulation.pose).stretchMax);
    }
    // the whole sheet at twice the speed of the pin, as after an elastic blow, has 2 m v²
    expect(energy).toBeLessThan(2 * mass * 2 * 2);
    expect(stretch).toBeLessThan(0.02);
    expect(simulation.warnings.map(({ text }) => text).join()).toMatch(
      /pin edge cannot go on.*box/,
    );
  });
});
