/**
 * What no step may do, whatever it is given: make numbers that are not finite, gain energy, or keep a strain.
 */
import { describe, expect, test } from "vitest";
import { createSimulation, parseScene, type SceneInput, type Simulation } from "../../src/index.ts";
import { edgeStrain } from "../../src/recording/measures.ts";
import { createRandom } from "../../src/sheet/random.ts";

const side = 0.5;
const cloth = (change: SceneInput = {}, density = 0.2): Simulation =>
  createSimulation(
    parseScene({
      h: 1 / 240,
      gravity: 9.81,
      sheet: {
        shape: { type: "rectangle", width: side, height: side },
        sampling: { points: 120 },
        material: { density, D: 1e-5 },
      },
      pins: [
        { at: { corner: "top-left", radius: 0.06 } },
        { at: { corner: "top-right", radius: 0.06 } },
      ],
      ...change,
    }),
  );

/** Runs so long, and asks after every step that numbers are finite and (if asked) that energy did not rise. */
function survive(simulation: Simulation, seconds: number, { falling }: { falling: boolean }): void {
  const { scene, system } = simulation;
  let weight = 0;
  for (const m of system.m) weight += 9.81 * m;
  let lowest = simulation.energy().total;
  for (let k = Math.round(seconds / scene.h); k > 0; k--) {
    simulation.step();
    const now = simulation.energy().total;
    expect(Number.isFinite(now)).toBe(true);
    // Implicit Euler loses energy where the potential is convex; a plate that buckles may give back a little. Never above
    // the lowest so far by more than a thousandth of what there is to fall.
    if (falling) expect(now).toBeLessThan(lowest + 1e-3 * weight * side);
    lowest = Math.min(lowest, now);
  }
  expect(simulation.Y.every(Number.isFinite)).toBe(true);
}

describe("pins yanked half a metre in one frame", () => {
  test.each([1 / 60, 1 / 240, 1e-3])(
    "at h = %d s the sheet follows and is unstrained half a second later",
    (h) => {
      const yank = {
        keys: [
          { time: 0.1 },
          { time: 0.1 + 1 / 60, translate: [0.2, 0.3, 0.35] as [number, number, number] },
        ],
      };
      const simulation = cloth({
        h,
        pins: [
          { at: { corner: "top-left", radius: 0.06 }, motion: yank },
          { at: { corner: "top-right", radius: 0.06 }, motion: yank },
        ],
      });
      survive(simulation, 0.1 + 2 / 60, { falling: false });
      survive(simulation, 0.5, { falling: true });
      expect(edgeStrain(simulation.sheet, simulation.pose).mean).toBeLessThan(0.01);
    },
  );
});

describe("a start with half of every length wrong", () => {
  test.each([1 / 60, 1 / 240])(
    "at h = %d s comes back under a hundredth in half a second, energy falling all the way",
    (h) => {
      const simulation = cloth({ h });
      const { sheet, Y, system } = simulation;
      const next = createRandom(5);
      for (let k = 0; k < Y.length; k++)
        if (!system.pins.fixed[k])
          Y[k] += 0.35 * sheet.spacing[Math.floor(k / 3)] * (2 * next() - 1);
      expect(edgeStrain(sheet, simulation.pose).max).toBeGreaterThan(0.5);
      system.state.Yold.set(Y);
      survive(simulation, 0.5, { falling: true });
      expect(edgeStrain(sheet, simulation.pose).mean).toBeLessThan(0.01);
    },
  );
});

describe("any step size", () => {
  test.each([1e-4, 1e-3, 1 / 240, 1 / 60])(
    "h = %d s: falls without gaining energy and does not stretch",
    (h) => {
      const simulation = cloth({ h });
      survive(simulation, h < 5e-4 ? 0.05 : 0.5, { falling: true });
      expect(edgeStrain(simulation.sheet, simulation.pose).mean).toBeLessThan(0.005);
    },
  );
});

describe("any density", () => {
  test.each([0.01, 0.1, 1, 10])(
    "%d kg/m²: falls without gaining energy and does not stretch",
    (density) => {
      const simulation = cloth({ h: 1 / 120 }, density);
      survive(simulation, 0.5, { falling: true });
      expect(edgeStrain(simulation.sheet, simulation.pose).mean).toBeLessThan(0.01);
    },
  );
});

describe("almost limp and almost rigid", () => {
  test.each([1e-8, 1e-6, 1e-2, 1])("D = %d N·m", (D) => {
    const simulation = cloth({
      h: 1 / 120,
      sheet: {
        shape: { type: "rectangle", width: side, height: side },
        sampling: { points: 120 },
        material: { density: 0.2, D },
      },
    });
    survive(simulation, 0.4, { falling: true });
    expect(edgeStrain(simulation.sheet, simulation.pose).mean).toBeLessThan(0.01);
  });
});
