/** The order of each sheet: second where nothing touches or leads it, and never at the price of energy. */
import { describe, expect, test } from "vitest";
import type { SceneInput, SheetInput } from "../../src/scene/input.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { createSimulation, type Simulation } from "../../src/simulation.ts";

const square = (name: string, change: Partial<SheetInput> = {}): SheetInput => ({
  name,
  shape: { type: "rectangle", width: 0.2, height: 0.2 },
  sampling: { points: 30 },
  material: { density: 0.2, D: 1e-4 },
  ...change,
});

function start(scene: SceneInput): Simulation {
  return createSimulation(parseScene(scene));
}

/** Mean height of a sheet. */
function heightOf({ sheet, Y }: Simulation, s: number): number {
  const { firstPoint, points } = sheet.parts[s];
  let sum = 0;
  for (let i = firstPoint; i < firstPoint + points; i++) sum += Y[3 * i + 2];
  return sum / points;
}

describe("the order of a step", () => {
  test("is second by default where solves are accurate, first elsewhere", () => {
    const solvers = ["accurate", "interactive", "paper"] as const;
    const integrators = solvers.map((solver) => {
      const constraint = solver === "paper" ? "paper" : "frames";
      return parseScene({ solver, constraint, sheet: square("cloth") }).integrator;
    });
    expect(integrators).toEqual(["bdf2", "euler", "euler"]);
  });

  test("belongs to each sheet: one that falls does not know of one that lies on the floor", () => {
    const falling = square("falling", { pose: { position: [2, 0, 5] } });
    const lying = square("lying", { pose: { position: [0, 0, 0.003] } });
    const both = start({
      sheets: [lying, falling],
      contact: { self: true },
      colliders: [{ body: { type: "plane" } }],
    });
    const alone = start({ sheets: [falling] });
    let touching = 0;
    for (let k = 0; k < 60; k++) {
      if (both.step().contacts > 0) touching++;
      alone.step();
    }
    expect(touching).toBeGreaterThan(30);
    // Euler would be g h t/2 = 5 mm lower; what solves leave open of either costs a few steps of it
    expect(Math.abs(heightOf(both, 1) - heightOf(alone, 0))).toBeLessThan(1e-3);
    expect(Math.abs(heightOf(alone, 0) - (5 - 0.5 * 9.81 * 0.25 ** 2))).toBeLessThan(3e-4);
  });

  test("is kept through steps of other lengths: a sheet falls on in halves that another one asks for", () => {
    // the hand is pulled through a held sheet, which halves its steps again and again
    const wall = square("wall", { pose: { position: [-0.1, -0.1, 0] } });
    const hammer = square("hammer", { pose: { position: [-0.1, -0.1, 0.01] } });
    const falling = square("falling", { pose: { position: [2, 0, 5] } });
    const simulation = start({
      sheets: [wall, hammer, falling],
      contact: { self: true },
      pins: [
        { at: { sheet: "wall", edges: ["left", "right"] } },
        {
          at: { sheet: "hammer", nearest: [0.1, 0.1], radius: 0.03 },
          motion: [{ time: 0.1, translate: [0, 0, -0.1] }],
        },
      ],
    });
    let parts = 0;
    for (let k = 0; k < 24; k++) parts += simulation.step().substeps;
    expect(parts).toBeGreaterThan(0);
    const exact = 5 - 0.5 * 9.81 * 0.1 ** 2;
    expect(Math.abs(heightOf(simulation, 2) - exact)).toBeLessThan(3e-4); // Euler: 2 mm
  });
});

describe("what steps of second order gain", () => {
  test.each([1 / 60, 1 / 240])(
    "at h = %d s stays within a thousandth of what there is to fall, all steps together",
    (h) => {
      const strip: SceneInput = {
        h,
        sheet: {
          shape: { type: "rectangle", width: 0.1, height: 0.4 },
          sampling: { points: 50 },
          pose: { rotation: [60, 0, 0] },
          material: { density: 0.15, D: 1e-3 },
        },
        pins: [{ at: { edge: "top" }, kind: "hinge" }],
      };
      const simulation = start(strip);
      const fall = 0.15 * 0.1 * 0.4 * 9.81 * Math.sqrt(0.1 * 0.4);
      let lowest = simulation.energy().total;
      while (simulation.time < 1.5) {
        simulation.step();
        const { total } = simulation.energy();
        expect(total).toBeLessThan(lowest + 1e-3 * fall);
        lowest = Math.min(lowest, total);
      }
    },
  );

  test("does not count what the wind gives", () => {
    // a sheet that a wind carries off gains energy from it and keeps its order: after a second it has not fallen behind that of a tenth of the step
    const blown = (h: number) =>
      start({
        h,
        gravity: 0,
        air: { density: 1.2, wind: [0, 0, 3] },
        sheet: square("sail", { material: { density: 0.2, D: 1e-2 } }),
      });
    const [coarse, fine] = [blown(1 / 60), blown(1 / 600)];
    for (let k = 0; k < 30; k++) coarse.step();
    for (let k = 0; k < 300; k++) fine.step();
    expect(coarse.energy().kinetic / fine.energy().kinetic).toBeCloseTo(1, 2);
  });
});
