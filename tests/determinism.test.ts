import { describe, expect, test } from "vitest";
import { hashNumbers } from "../src/recording/hash.ts";
import type { SceneInput } from "../src/scene/input.ts";
import { parseScene } from "../src/scene/scene.ts";
import { createSimulation, type Simulation } from "../src/simulation.ts";

/** Small scenes that between them use every part of a step that could remember something. */
const scenes: Record<string, SceneInput> = {
  "a pinned cloth": {
    h: 1 / 120,
    sheet: { shape: { type: "rectangle", width: 0.5, height: 0.5 }, sampling: { points: 80 } },
    pins: [{ at: { corner: "top-left", radius: 0.05 } }, { at: { corner: "top-right" } }],
  },
  "the same at 1 ms by BDF2 with air": {
    h: 1e-3,
    integrator: "bdf2",
    air: { density: 1.2, wind: [1, 3, 0] },
    sheet: { shape: { type: "disc", radius: 0.3 }, sampling: { points: 90 }, noise: 1e-4 },
    pins: [{ at: { nearest: [0, 0], radius: 0.06 } }],
  },
  "a clamp that moves and lets go": {
    h: 1 / 100,
    sheet: { shape: { type: "rectangle", width: 0.4, height: 0.1 }, sampling: { points: 60 } },
    pins: [
      {
        at: { edge: "left" },
        kind: "clamp",
        motion: { keys: [{ time: 0 }, { time: 0.1, rotate: [0, 30, 0] }] },
        release: 0.1,
      },
    ],
  },
  "a tube dropped on a sphere, with friction and layers": {
    h: 1 / 120,
    contact: { self: true },
    sheet: {
      shape: { type: "tube", radius: 0.1, height: 0.2 },
      sampling: { points: 70 },
      pose: { type: "rest", position: [0.02, 0, 0.12] },
    },
    colliders: [{ body: { type: "sphere", radius: 0.12 }, friction: 0.4 }],
  },
  "attachments and a foundation": {
    h: 1 / 60,
    foundation: { stiffness: 50 },
    sheet: { shape: { type: "rectangle", width: 0.4, height: 0.4 }, sampling: { points: 80 } },
    attachments: [
      {
        at: { region: { min: [0.1, 0.1], max: [0.3, 0.3] } },
        motion: { keys: [{ time: 0 }, { time: 0.1, translate: [0, 0, 0.05] }] },
      },
    ],
  },
};

function simulation(name: string, options: { kernels?: boolean } = {}): Simulation {
  return createSimulation(parseScene({ name, ...scenes[name] }), options);
}

function run(s: Simulation, steps: number): string {
  for (let k = 0; k < steps; k++) s.step();
  return `${hashNumbers(s.Y)} ${hashNumbers(s.V)}`;
}

describe.each(Object.keys(scenes))("%s", (name) => {
  const steps = 16;
  const wanted = run(simulation(name), steps);

  test("gives the same bits twice", () => {
    expect(run(simulation(name), steps)).toBe(wanted);
  });

  test("gives the same bits without the kernels", () => {
    expect(run(simulation(name, { kernels: false }), steps)).toBe(wanted);
  });

  test("gives the same bits when it is put away in the middle and taken up again", () => {
    for (const middle of [3, 11]) {
      const first = simulation(name);
      run(first, middle);
      const saved = first.save();
      run(first, 3); // what happens after the checkpoint is not in it
      const second = simulation(name);
      second.restore(saved);
      expect(second.steps).toBe(middle);
      expect(run(second, steps - middle)).toBe(wanted);
    }
  });

  test("can go back in time: restored into the simulation that went on, it repeats itself", () => {
    const s = simulation(name);
    run(s, 5);
    const saved = s.save();
    run(s, steps - 5);
    s.restore(saved);
    expect(run(s, steps - 5)).toBe(wanted);
  });
});

test("another seed gives another sheet", () => {
  const of = (seed: number) =>
    run(createSimulation(parseScene({ ...scenes["a pinned cloth"], seed })), 1);
  expect(of(1)).not.toBe(of(2));
});

test("the checkpoint of another scene is refused by its size", () => {
  const saved = simulation("a pinned cloth").save();
  expect(() => simulation("attachments and a foundation").restore(saved)).toThrow(
    "another scene's",
  );
});
