/** The paper's projection as it is written: no slack, no round where the prediction is within the tolerance. What that does, and why. */
import { describe, expect, test } from "vitest";
import type { SceneInput } from "../../src/scene/input.ts";
import { simulationOf } from "../support.ts";

const LITERAL = { slack: false, everyStep: false };

/** A free flat sheet that grows in its plane by `rate` of its size a second. */
function growing(rate: number, scene: SceneInput) {
  const simulation = simulationOf(
    { sampling: { points: 60 }, material: { density: 0.2, D: 1e-6 } },
    { gravity: 0, solver: "paper", constraint: "paper", h: 1e-3, ...scene },
  );
  const { Y, V, sheet } = simulation;
  for (let i = 0; i < sheet.n; i++) for (let c = 0; c < 3; c++) V[3 * i + c] = rate * Y[3 * i + c];
  simulation.setState({ V });
  return simulation;
}

describe("steps without a projection", () => {
  test("what grows for k − 1 steps within the tolerance is thrown back k − 1 times as fast", () => {
    // F = (1 + r h k) I after k steps, so that det C − 1 passes τ first in the step k with (1 + r h k)⁴ > 1 + τ. A round takes back the part P of a
    // displacement that the constraints see, and leaves the part Q that averages hide: rQX − r(k − 1)PX is left of V = rX, for the whole growth r h k PX
    // goes back in one step of length h. With a round in every step k is 1, and rQX is left.
    const [h, rate, tolerance] = [1e-3, 1, 0.05];
    const start = growing(rate, { tolerance }).energy().kinetic;
    const everyStep = growing(rate, { tolerance, projection: { slack: false } });
    expect(everyStep.step().rounds).toBe(1);
    const hidden = everyStep.energy().kinetic;
    expect(hidden).toBeLessThan(0.8 * start);

    const simulation = growing(rate, { tolerance, projection: LITERAL });
    let skipped = 0; // k − 1
    while (simulation.step().rounds === 0) skipped++;
    expect(skipped).toBe(Math.floor(((1 + tolerance) ** 0.25 - 1) / (rate * h)));
    const thrown = (simulation.energy().kinetic - hidden) / (start - hidden);
    expect(thrown / skipped ** 2).toBeGreaterThan(0.95); // g of a growth of 1.3 % is not linear
    expect(thrown / skipped ** 2).toBeLessThan(1.05);
  });
});

describe("rows without slack", () => {
  test.each([1e-6, 1e-8])(
    "what falls and rises again is held by the shift of %d: no energy is gained",
    (shift) => {
      // counted without the energy of the shifted diagonal the total of this fall rises by 0.03 and 0.18 J
      const simulation = simulationOf(
        { sampling: { points: 150 }, material: { density: 0.2, D: 1e-4 } },
        {
          gravity: 9.81,
          solver: "paper",
          constraint: "paper",
          h: 1e-3,
          projection: { slack: false, shift },
          pins: [{ at: { corner: "bottom-left" } }, { at: { corner: "top-right" } }],
        },
      );
      let [before, gained, held] = [simulation.energy().total, 0, 0];
      for (let k = 0; k < 500; k++) {
        expect(simulation.step().rounds).toBe(1);
        const { total, membrane } = simulation.energy();
        gained += Math.max(0, total - before);
        held = Math.max(held, membrane);
        before = total;
      }
      expect(gained).toBeLessThan(1e-9);
      expect(held).toBeGreaterThan(0.05); // J: it is not small
    },
  );
});
