import { expect, test } from "vitest";
import type { PanelInput, SceneInput } from "../../src/scene/input.ts";
import type { Simulation } from "../../src/simulation.ts";
import { lowestMode } from "../../src/step/buckling.ts";
import { accurateSolver } from "../../src/step/solvers.ts";
import { selfIntersections } from "../../src/system/contact/intersections.ts";
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

/** Two discs in one plane, welded at the rim, with pressure between them. */
const balloon = (scene: SceneInput, points = 300): Simulation => {
  const R = 0.25;
  const rim: [number, number][] = Array.from({ length: 24 }, (_, k) => [
    R * Math.cos((2 * Math.PI * k) / 24),
    R * Math.sin((2 * Math.PI * k) / 24),
  ]);
  const edges: PanelInput["edges"] = { up: [0, 12], down: [12, 0] };
  return simulationOf(
    {
      shape: {
        type: "garment",
        panels: [
          { name: "front", points: rim, edges },
          { name: "back", points: rim, edges, place: { rotation: [180, 0, 0] } },
        ],
        seams: [
          { from: "front:up", to: "back:down", reversed: true },
          { from: "front:down", to: "back:up", reversed: true },
        ],
      },
      sampling: { points },
      material: { D: 1e-5, density: 0.1, thickness: 5e-4 },
    },
    { h: 1 / 240, pressure: 100, air: { drag: 0.5 }, contact: { self: true }, ...scene },
  );
};

/** m³ */
const volume = ({ Y, sheet: { triangles } }: Simulation): number => {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    for (let k = 0; k < 3; k++) {
      const [u, v] = [(k + 1) % 3, (k + 2) % 3];
      sum += (Y[a + k] * (Y[b + u] * Y[c + v] - Y[b + v] * Y[c + u])) / 6;
    }
  }
  return sum;
};

test("a balloon of two flat discs inflates without noise to the volume of its equilibrium, every time the same way", () => {
  const [first, second, still] = [balloon({}), balloon({}), balloon({ static: {} })];
  while (first.time < 0.12) {
    expect(first.step().converged).toBe(true);
    if (first.steps > 12) continue; // it is round by then
    second.step();
    expect(sameBits(first.Y, second.Y)).toBe(true);
  }
  expect(still.step().converged).toBe(true);
  // 1.2185 R³ is what two inextensible discs can hold; a polygon of 24 sides and 300 points lose some of it to wrinkles
  expect(volume(still)).toBeGreaterThan(0.87 * 1.2185 * 0.25 ** 3);
  expect(Math.abs(volume(first) / volume(still) - 1)).toBeLessThan(0.01);
  expect(first.warnings.filter(({ text }) => /inside out/.test(text))).toEqual([]);
});

test.each([true, false])(
  "the layers of a balloon that starts flat never pass each other, on any mesh (contact of layers: %s)",
  (self) => {
    for (const seed of [1, 2, 3]) {
      const simulation = balloon({ seed, contact: { self } }, 120);
      const { triangles } = simulation.sheet;
      while (simulation.steps < 12) {
        expect(simulation.step().converged).toBe(true);
        expect(selfIntersections({ Y: simulation.Y, triangles })).toHaveLength(0);
      }
      expect(volume(simulation)).toBeGreaterThan(0.8 * 1.2185 * 0.25 ** 3);
    }
  },
);

test("a balloon whose layers nothing keeps apart says that it may turn inside out", () => {
  const texts = balloon({ contact: { self: false } }).warnings.map(({ text }) => text);
  expect(texts.join()).toMatch(/inside out.*contact\.self: true/);
});

test("layers that coincide at the start may part: a flat balloon with self-contact is not frozen", () => {
  const simulation = balloon({});
  for (let k = 0; k < 3; k++) expect(simulation.step().converged).toBe(true);
  expect(volume(simulation)).toBeGreaterThan(1e-3);
});
