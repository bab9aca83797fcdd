/** Scenes that are about contact itself: a fold, a crumpled ball, a slope, an impact. */
import type { ColliderInput, SceneInput } from "../input.ts";
import type { Vec3 } from "../scene.ts";
import { floor } from "./draping.ts";

/** A strip on the floor: one end is carried over onto the other and let go; the fold settles under its own weight. */
export function fold({ points = 800, D = 1e-4 }: { points?: number; D?: number } = {}): SceneInput {
  const [width, height, thickness] = [0.6, 0.2, 2e-3];
  const reach = width / 2;
  return {
    seconds: 3,
    sheet: {
      shape: { type: "rectangle", width, height },
      sampling: { points },
      pose: { position: [-width / 2, -height / 2, 2e-3] },
      material: { density: 0.2, D, thickness },
    },
    air: { drag: 2 },
    contact: { self: true },
    colliders: [floor(0.4)],
    pins: [
      { name: "lies", at: { edge: "left" }, release: 1.6 },
      {
        name: "carried",
        at: { edge: "right" },
        // a half turn about the middle, a little above the floor, and down onto the other end
        motion: {
          keys: [
            { time: 0.4, translate: [-0.14, 0, 0.24] },
            { time: 0.8, translate: [-0.5, 0, 0.24] },
            { time: 1.2, translate: [-2 * reach + 0.03, 0, 0.04] },
          ],
        },
        release: 1.25,
      },
    ],
  };
}

/**
 * A film pressed into a ball by six planes that close in from all sides, then let go.
 *
 * The ridges of a crumpled sheet stretch, whatever it is made of, the less the larger K/D is: by 0.6 % at most in a ball of 13 cm
 * (docs/decisions/measure/pressed.mjs).
 */
export function crumple({
  points = 1000,
  D = 1e-4,
  ball = 0.16,
}: {
  points?: number;
  D?: number;
  /** Distance of opposite planes at the tightest, m. */
  ball?: number;
} = {}): SceneInput {
  const side = 0.3;
  const away = 0.22; // planes start clear of the corners of the tilted sheet
  const plane = (name: string, normal: Vec3): ColliderInput => {
    const [x, y, z] = normal.map((c) => -c * away) as Vec3;
    const [dx, dy, dz] = normal.map((c) => c * (away - ball / 2)) as Vec3;
    return {
      name,
      body: { type: "plane", normal },
      position: [x, y, z],
      friction: 0.2,
      motion: {
        keys: [
          { time: 1.5, translate: [dx, dy, dz] },
          { time: 1.7, translate: [dx, dy, dz] },
          { time: 2.5, translate: [0, 0, 0] },
        ],
      },
    };
  };
  return {
    seconds: 2.5,
    sheet: {
      shape: { type: "rectangle", width: side, height: side },
      sampling: { points },
      // turned so that corners are met first: a whole edge pressed at once is strained before it buckles
      pose: {
        position: [-0.0406, -0.1612, -0.1318],
        rotation: { axis: [1, -2, 1], angle: 50 },
      },
      material: { density: 0.2, D, damping: 0.02, thickness: 1e-3 },
      noise: 1e-4,
    },
    gravity: 0,
    air: { drag: 2 },
    contact: { self: true, friction: 0.2 },
    colliders: [
      plane("left", [1, 0, 0]),
      plane("right", [-1, 0, 0]),
      plane("front", [0, 1, 0]),
      plane("back", [0, -1, 0]),
      plane("below", [0, 0, 1]),
      plane("above", [0, 0, -1]),
    ],
  };
}

/** A sheet on a slope: it slides with g (sin α − μ cos α) if tan α > μ, and stays where it is if not. */
export function incline({
  points = 200,
  angle = 20,
  friction = 0.3,
}: {
  points?: number;
  /** Of the slope, degrees. */
  angle?: number;
  friction?: number;
} = {}): SceneInput {
  const side = 0.1;
  const thickness = 1e-3;
  return {
    seconds: 0.5,
    sheet: {
      shape: { type: "rectangle", width: side, height: side },
      sampling: { points },
      // parallel to the slope, which rises towards +x through the origin
      pose: { position: [0, -side / 2, 0], rotation: [0, -angle, 0] },
      material: { density: 0.2, D: 1e-3, thickness },
    },
    colliders: [
      {
        name: "slope",
        body: { type: "plane" },
        rotation: [0, -angle, 0],
        position: [0, 0, -0.75 * thickness],
        friction,
      },
    ],
  };
}

/** A hanging sheet hit in its middle by a ball at 20 m/s, which then stops. */
export function impact({
  points = 845,
  speed = 20,
}: {
  points?: number;
  /** Of the ball, m/s. */
  speed?: number;
} = {}): SceneInput {
  const [side, radius, from] = [0.6, 0.08, 0.5];
  const travel = from + 0.3;
  return {
    seconds: 1,
    sheet: {
      shape: { type: "rectangle", width: side, height: side },
      sampling: { points },
      pose: { position: [-side / 2, 0, -side], rotation: [90, 0, 0] },
      material: { density: 0.2, D: 1e-4, thickness: 2e-3 },
    },
    air: { drag: 1 },
    contact: { self: true },
    pins: [{ name: "rail", at: { edge: "top" } }],
    colliders: [
      {
        name: "ball",
        body: { type: "sphere", radius },
        position: [0, -from, -0.6 * side],
        friction: 0.3,
        motion: { keys: [{ time: travel / speed, translate: [0, travel, 0] }] },
      },
    ],
    record: { rate: 120 },
  };
}
