/**
 * The drawn sheet beside bodies. Contact acts on samples, not on what is drawn between them: at a spacing of 35 mm a curved patch
 * reaches up to 5 mm into the ball of drape-sphere, and the ball would show through the cloth. Drawn points that lie in a body
 * are therefore put on its surface, half the thickness away. Only pictures use it: nothing is measured on it.
 *
 * Points that lie deeper than a quarter of an edge, which is as far as a patch between samples outside can reach (decision 0010),
 * are left where they are: faults must stay visible.
 */
import { HEAP } from "../linalg/arena.ts";
import { colliderAt, type Rigid } from "../scene/motion.ts";
import type { Body, Scene } from "../scene/scene.ts";
import {
  type BodyTable,
  DISTANCE_LENGTH,
  prepareBodies,
  worldDistance,
} from "../system/contact/colliders.ts";

type Formula = Exclude<Body, { type: "mesh" }>;

/** The bodies of a scene that have a formula. */
export interface Outside {
  readonly table: BodyTable;
  /** [bodies] their number among the colliders of the scene. */
  readonly number: readonly number[];
  /** [bodies] m, distance at which points are drawn. */
  readonly gap: readonly number[];
  /** m, beyond which a point is left where it is. */
  readonly deepest: number;
}

/**
 * @param sheet the one that is drawn, with its lengths of edges (m)
 * @returns null if there is nothing to keep outside of
 *
 * @example
 * const outside = createOutside(simulation.scene, simulation.sheet);
 */
export function createOutside(
  { colliders, sheets }: Pick<Scene, "colliders" | "sheets">,
  sheet: { readonly edgeLength: ArrayLike<number> },
): Outside | null {
  const number = [...colliders.keys()].filter((k) => colliders[k].body.type !== "mesh");
  if (number.length === 0) return null;
  const half = Math.min(...sheets.map(({ material }) => material.thickness)) / 2;
  let longest = 0;
  for (let e = 0; e < sheet.edgeLength.length; e++)
    longest = Math.max(longest, sheet.edgeLength[e]);
  return {
    table: prepareBodies(
      HEAP,
      number.map((k) => colliders[k].body as Formula),
    ),
    number,
    gap: number.map((k) => half + colliders[k].offset),
    deepest: longest / 4,
  };
}

const found = new Float64Array(DISTANCE_LENGTH);

/**
 * Moves points of a drawn sheet out of bodies.
 *
 * @param positions in and out [3·points] m
 * @param poses     [12·colliders] where all colliders of the scene are
 *
 * @example
 * const outside = createOutside(simulation.scene, simulation.sheet);
 * if (outside) keepOutside(positions, outside, new Float64Array(12 * simulation.scene.colliders.length));
 */
export function keepOutside(
  positions: Float64Array | Float32Array,
  { table, number, gap, deepest }: Outside,
  poses: Float64Array,
): void {
  for (let b = 0; b < number.length; b++) {
    const pose: Rigid = poses.subarray(12 * number[b], 12 * number[b] + 12);
    for (let i = 0; i < positions.length / 3; i++) {
      worldDistance(found, 0, table, b, pose, positions as Float64Array, i);
      const way = gap[b] - found[0];
      if (way <= 0 || way > gap[b] + deepest) continue;
      for (let c = 0; c < 3; c++) positions[3 * i + c] += way * found[1 + c];
    }
  }
}

/** [12·colliders] where bodies are at a time, or each at its own. */
export function posesAt(
  { colliders }: Pick<Scene, "colliders">,
  time: number,
  times?: ArrayLike<number>,
): Float64Array {
  const poses = new Float64Array(12 * colliders.length);
  colliders.forEach((collider, k) => {
    colliderAt(poses.subarray(12 * k, 12 * k + 12), collider, times?.[k] ?? time);
  });
  return poses;
}
