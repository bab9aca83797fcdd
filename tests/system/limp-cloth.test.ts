import { describe, expect, test } from "vitest";
import type { SceneInput } from "../../src/scene/input.ts";
import { simulationOf } from "../support.ts";

/** N/m: K_r of a flag of 0.4 m after a step. */
function stiffness(scene: SceneInput): { Kr: number; spacing: number } {
  const simulation = simulationOf(
    {
      shape: { type: "rectangle", width: 0.4, height: 0.4 },
      sampling: { type: "grid", spacing: 0.04 },
      pose: { rotation: [90, 0, 0] },
      material: { density: 0.15, D: 1e-5 },
    },
    { gravity: 9.81, pins: [{ at: { edge: "left" } }], ...scene },
  );
  simulation.step();
  const corner = simulation.sheet.parts[0].corners["bottom-right"];
  return { Kr: simulation.system.limp!.tension[0], spacing: simulation.sheet.spacing[corner] };
}

describe("what keeps limp cloth from folding below the spacing", () => {
  test("is the load of a strip as long as the sheet where nothing else pulls", () => {
    const { Kr } = stiffness({});
    const load = 1.5 * 0.15 * 9.81 * 0.4;
    expect(Kr / load).toBeGreaterThanOrEqual(1 - 1e-12);
    expect(Kr / load).toBeLessThanOrEqual(1.1); // in steps of a tenth
  });

  test("is the tension of a line one spacing wide that carries the largest load of a sample", () => {
    const { Kr, spacing } = stiffness({ masses: [{ at: { corner: "bottom-right" }, mass: 1 }] });
    expect((Kr * spacing) / 9.81).toBeGreaterThanOrEqual(1);
    expect((Kr * spacing) / 9.81).toBeLessThanOrEqual(1.12);
  });
});
