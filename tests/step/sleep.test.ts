import { describe, expect, test } from "vitest";
import type { SceneInput } from "../../src/scene/input.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { createSimulation, type Simulation } from "../../src/simulation.ts";
import { sameBits } from "../support.ts";

/** A small cloth in thick air, which hangs still within a second or two. */
const hung = (change: Partial<SceneInput> = {}): SceneInput => ({
  h: 1 / 100,
  sheet: {
    shape: { type: "rectangle", width: 0.2, height: 0.2 },
    sampling: { points: 40 },
    material: { density: 0.2, D: 1e-4 },
  },
  air: { drag: 20 },
  pins: [{ name: "corner", at: { corner: "top-left", radius: 0.05 } }],
  ...change,
});

function create(change: Partial<SceneInput> = {}): Simulation {
  return createSimulation(parseScene(hung(change)));
}

/** Steps until one costs no iteration; how many that took, at most `most`. */
function fallAsleep(simulation: Simulation, most = 4000): number {
  for (let k = 0; k < most; k++) if (simulation.step().rounds === 0) return k;
  return most;
}

const largest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, v, k) => Math.max(most, Math.abs(v - b[k])), 0);

describe("a cloth at rest", () => {
  test("costs no iteration, and is within 0.1 mm of where it would be without sleep", () => {
    const [asleep, awake] = [create(), create({ sleep: false })];
    const steps = fallAsleep(asleep);
    expect(steps).toBeLessThan(4000);
    for (let k = 0; k < 300; k++) {
      expect(asleep.step().rounds).toBe(0);
      expect(asleep.V.every((v) => v === 0)).toBe(true);
    }
    while (awake.steps < asleep.steps) expect(awake.step().rounds).toBeGreaterThan(0);
    expect(asleep.time).toBe(awake.time);
    expect(largest(asleep.Y, awake.Y)).toBeLessThan(1e-4);
  });

  test("goes on bit for bit when it is restored in its sleep and woken there", () => {
    const [one, other] = [create(), create()];
    fallAsleep(one);
    other.restore(one.save());
    for (const simulation of [one, other]) {
      for (let k = 0; k < 5; k++) expect(simulation.step().rounds).toBe(0);
      simulation.setLoads({ gravity: [0, 1, -9.81] });
      for (let k = 0; k < 5; k++) expect(simulation.step().rounds).toBeGreaterThan(0);
    }
    expect(sameBits(one.Y, other.Y)).toBe(true);
  });

  test("wakes for a pin that moves or lets go, a body that comes, a hand and a force", () => {
    const moves = create();
    fallAsleep(moves);
    moves.setPin("corner", { translate: [0, 0, 0.01] });
    expect(moves.step().rounds).toBeGreaterThan(0);

    const [PULL, RELEASE, COME] = [12, 24, 46]; // s
    const path = (time: number, z: number) => [
      { time, translate: [0, 0, 0] as [number, number, number] },
      { time: time + 0.1, translate: [0, 0, z] as [number, number, number] },
    ];
    const late = create({
      pins: [
        { at: { corner: "top-left", radius: 0.05 }, motion: path(PULL, 0.01) },
        { at: { corner: "bottom-left", radius: 0.05 }, release: RELEASE },
      ],
      colliders: [
        {
          body: { type: "sphere", radius: 0.05 },
          position: [0.1, 0.1, 2],
          motion: path(COME, -0.01),
        },
      ],
    });
    for (const time of [PULL, RELEASE, COME]) {
      while (late.time < time - 0.5 * late.scene.h) {
        const { rounds } = late.step();
        if (late.time > time - 0.1 && late.time < time) expect(rounds, `${late.time} s`).toBe(0);
      }
      expect(late.step().rounds, `${time} s`).toBeGreaterThan(0);
    }

    const held = create();
    fallAsleep(held);
    const hand = held.grab([0], [0, 0, 0.1]);
    expect(held.step().rounds).toBeGreaterThan(0);
    hand.release();
    expect(held.step().rounds).toBeGreaterThan(0);

    const pushed = create();
    fallAsleep(pushed);
    pushed.setForce((force) => {
      force[0] += 0.01;
    });
    expect(pushed.step().rounds).toBeGreaterThan(0);
  });
});
