import { expect, test } from "vitest";
import { lowestMode } from "../../src/step/buckling.ts";
import { accurateSolver } from "../../src/step/solvers.ts";
import { sameBits, simulationOf } from "../support.ts";

const strip = {
  shape: { type: "rectangle", width: 0.3, height: 0.1 },
  sampling: { points: 120 },
  material: { D: 1e-4, density: 0.2 },
} as const;
const pressed = () =>
  simulationOf(strip, {
    h: 1 / 240,
    gravity: [0, 0, 0],
    air: { drag: 0.5 },
    pins: [
      { at: { edge: "left" } },
      {
        at: { edge: "right" },
        motion: { keys: [{ time: 0 }, { time: 0.2, translate: [-0.006, 0, 0] }] },
      },
    ],
  });

test("a strip that is exactly flat buckles when it is pressed, without noise, and every time the same way", () => {
  const [first, second] = [pressed(), pressed()];
  while (first.time < 0.3) {
    first.step();
    second.step();
  }
  // an arch that is 2 % shorter than its length rises by 2/π √0.02 of it
  const height = first.Y.filter((_, k) => k % 3 === 2).reduce(
    (m, z) => Math.max(m, Math.abs(z)),
    0,
  );
  expect(height).toBeGreaterThan(0.2 * 0.3 * 0.09);
  expect(sameBits(first.Y, second.Y)).toBe(true);
});

test("the lowest mode of a clamped strip at rest is its first bending mode", () => {
  // a cantilever of length L: ω = 3.516 √(D/σ)/L², by beam theory; the plate's Poisson ratio moves it by some per cent
  const simulation = simulationOf(
    { ...strip, material: { D: 1e-4, density: 0.2, poisson: 0 } },
    { h: 1 / 240, gravity: [0, 0, 0], pins: [{ at: { edge: "left" }, kind: "clamp" }] },
  );
  simulation.step();
  const rho = lowestMode(simulation.system, accurateSolver(simulation.system));
  const omega = (3.516 * Math.sqrt(1e-4 / 0.2)) / 0.3 ** 2;
  expect(Math.abs(Math.sqrt(rho) / omega - 1)).toBeLessThan(0.05);
});
