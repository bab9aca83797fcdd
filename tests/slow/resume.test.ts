/** All that a step reads is in its state: a run restored at any step into a new simulation goes on bit for bit. */
import { expect, test } from "vitest";
import type { SceneInput } from "../../src/scene/input.ts";
import { crumple, fold, impact } from "../../src/scene/library/contact.ts";
import { parseScene, type Vec3 } from "../../src/scene/scene.ts";
import { createSimulation } from "../../src/simulation.ts";
import { sameBits } from "../support.ts";
import { boxMesh } from "../system/contact/meshes.ts";

const sheet = (points: number, width: number, position: Vec3) => ({
  shape: { type: "rectangle", width, height: width } as const,
  sampling: { points },
  pose: { position },
  material: { density: 0.2, D: 1e-4, thickness: 1e-3 },
});
const corner = { at: { corner: "top-left", radius: 0.05 } } as const;

/** Scenes, the step from which on every one is restored, and how many. */
const scenes: [string, SceneInput, number, number][] = [
  ["a cloth that swings", { sheet: sheet(50, 0.3, [0, 0, 0]), pins: [corner] }, 0, 20],
  [
    "a cloth nearly at rest",
    {
      h: 0.01,
      seed: 3,
      sheet: {
        shape: { type: "rectangle", width: 0.2, height: 0.2 },
        sampling: { type: "irregular", points: 40 },
      },
      pins: [corner],
    },
    2140,
    20,
  ],
  [
    "BDF2 with air",
    {
      integrator: "bdf2",
      h: 1e-3,
      air: { density: 1.2, wind: [1, 2, 0] },
      sheet: sheet(40, 0.3, [0, 0, 0]),
      pins: [corner],
    },
    30,
    15,
  ],
  [
    "a clamp that moves and lets go",
    {
      h: 1 / 100,
      sheet: sheet(40, 0.3, [0, 0, 0]),
      pins: [
        {
          at: { edge: "left" },
          kind: "clamp",
          motion: [{ time: 0 }, { time: 0.1, rotate: [0, 30, 0] }],
          release: 0.1,
        },
      ],
    },
    4,
    12,
  ],
  [
    "a sheet that comes to rest on the floor",
    {
      sheet: sheet(50, 0.2, [0, 0, 4e-3]),
      contact: { self: true },
      colliders: [{ body: { type: "plane" }, friction: 0.5 }],
    },
    0,
    60,
  ],
  [
    "a sheet on a box with sharp edges",
    {
      sheet: sheet(80, 0.4, [-0.2, -0.2, 0.06]),
      contact: { self: true },
      colliders: [{ body: { type: "box", size: [0.15, 0.15, 0.1] }, friction: 0.4 }],
    },
    10,
    20,
  ],
  [
    "a sheet on a mesh that turns",
    {
      sheet: sheet(80, 0.4, [-0.2, -0.2, 0.11]),
      contact: { self: true },
      colliders: [
        {
          body: { type: "mesh", file: "cube.obj" },
          friction: 0.4,
          motion: { spin: { axis: [0.3, 1, 0], rate: 360 } },
        },
      ],
    },
    8,
    20,
  ],
  [
    "a pin that is held back",
    {
      sheets: [
        { ...sheet(40, 0.2, [-0.1, -0.1, 0]), name: "wall" },
        { ...sheet(20, 0.1, [-0.05, -0.05, 0.02]), name: "hammer" },
      ],
      contact: { self: true },
      pins: [
        { at: { sheet: "wall", edges: ["left", "right"] } },
        {
          at: { sheet: "hammer", nearest: [0.05, 0.05], radius: 0.02 },
          motion: [{ time: 0.2, translate: [0, 0, -0.2] }],
        },
      ],
    },
    4,
    16,
  ],
  ["impact", impact({ points: 80 }), 4, 8],
  ["fold", fold({ points: 80 }), 300, 12],
  ["crumple", crumple({ points: 80 }), 250, 8],
  [
    "interactive",
    {
      solver: "interactive",
      sheet: sheet(60, 0.3, [-0.15, -0.15, 0.06]),
      contact: { self: true },
      colliders: [{ body: { type: "sphere", radius: 0.05 }, friction: 0.3 }],
    },
    4,
    15,
  ],
];

test.each(scenes)(
  "%s: every step of a restored run has the bits of the run",
  (_, input, from, count) => {
    const scene = parseScene(input);
    const options = { readMesh: () => boxMesh(0.2, 0.2, 0.2) };
    const simulation = createSimulation(scene, options);
    while (simulation.steps < from) simulation.step();
    for (let k = 0; k < count; k++) {
      const restored = createSimulation(scene, options);
      restored.restore(simulation.save());
      simulation.step();
      restored.step();
      expect(sameBits(restored.Y, simulation.Y)).toBe(true);
      expect(sameBits(restored.V, simulation.V)).toBe(true);
    }
  },
);
