/**
 * A step allocates nothing: no arrays, no objects, no closures.
 *
 * What the heap still sees are numbers that pass between functions which the engine did not inline, 16 bytes each, a few
 * hundred a step. So the bound is the smallest array that a careless step would make: one number per point and coordinate.
 */
import { PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { SceneInput } from "../../src/scene/input.ts";
import { simulationOf } from "../support.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Bytes of the heap and of the typed arrays, whose contents are elsewhere. */
const allocated = (): number =>
  getHeapStatistics().used_heap_size + process.memoryUsage().arrayBuffers;

const POINTS = 200;
const corners: SceneInput["pins"] = [
  { at: { corner: "top-left", radius: 0.1 } },
  { at: { corner: "top-right", radius: 0.1 } },
];

/** Scenes, and what they may allocate in a step, in arrays of one number for each unknown. */
const scenes: [string, SceneInput, number?][] = [
  ["a pinned cloth at 1/240 s", { h: 1 / 240, pins: corners }],
  ["a pinned cloth at 1 ms", { h: 1e-3, pins: corners }],
  [
    "a cloth led by a moving clamp in the wind",
    {
      h: 1 / 240,
      air: { density: 1.2, wind: [1, 2, 0] },
      pins: [
        {
          at: { edge: "left" },
          kind: "clamp",
          motion: { keys: [{ time: 0 }, { time: 5, translate: [0, 0, 1], rotate: [0, 40, 0] }] },
        },
      ],
    },
  ],
  [
    "a cloth that lies over a box",
    {
      h: 1 / 240,
      contact: { self: true },
      colliders: [
        {
          body: { type: "box", size: [0.5, 0.5, 0.1] },
          position: [0.5, 0.5, -0.055],
          friction: 0.5,
        },
      ],
    },
    4, // distances of a thousand samples to a body come back as numbers on the heap; no array of theirs would fit
  ],
];

test.each(scenes)("%s: steps allocate no array of their own", async (_, scene, most = 1) => {
  const simulation = simulationOf({ sampling: { points: POINTS } }, { gravity: 9.81, ...scene });
  // until the engine has compiled all of a step, its numbers live on the heap too
  for (let k = 0; k < 300; k++) simulation.step();

  // the growth of the heap is what was allocated only if no garbage is collected meanwhile; then try again
  let collections = 1;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  observer.observe({ entryTypes: ["gc"] });
  const steps = 40;
  const array = 8 * simulation.system.state.Y.length; // bytes: one number for each unknown
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5; attempt++) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 20)); // entries arrive later
    collections = 0;
    const before = allocated();
    for (let k = 0; k < steps; k++) simulation.step();
    const after = allocated();
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (collections === 0) least = Math.min(least, (after - before) / steps);
    if (least < most * array) break;
  }
  observer.disconnect();
  expect(least).toBeLessThan(most * array);
});
