/**
 * Moves sheets that start deep inside a body out of it, without changing their shape.
 *
 * Points a little inside are pushed out while the scene runs. A sheet that lies through the middle of a ball cannot be: every point would be pushed
 * to its nearest side, which tears the sheet. If nothing holds such a sheet it is moved as a whole, along the axis on which that takes the
 * shortest way (upwards first among equals), and the move is told.
 */
import { inOneMemory, type ReadonlyF64 } from "../../linalg/arena.ts";
import { colliderAt, createRigid, type Rigid } from "../../scene/motion.ts";
import type { Body, Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import { pick } from "../../sheet/picks.ts";
import type { Warning } from "../warning.ts";
import { prepareBodies, worldDistance } from "./colliders.ts";

/** Depth from which on a point is deep: spacings. */
const DEEP = 0.5;
/** Tries of a shift: each goes as far as the deepest point is inside, so few are needed unless bodies stand behind each other. */
const TRIES = 100;

type Distance = (x: number, y: number, z: number) => number;

/** A sheet that was moved, and what to tell about it. */
export interface MovedSheet {
  readonly sheet: string;
  readonly warning: Warning;
}

/** Moves what starts, at a time, deep inside a body; says what was moved and how far. */
export function separateStart(
  scene: Scene,
  sheet: Sheet,
  Y: Float64Array,
  time: number,
): MovedSheet[] {
  const distances = scene.colliders.flatMap((collider) => {
    if (collider.body.type === "mesh") return [];
    const pose = createRigid();
    colliderAt(pose, collider, time);
    return [{ name: collider.name, distance: distanceOf(collider.body, pose) }];
  });
  const held = new Set(scene.pins.flatMap(({ at }) => [...pick(sheet, at)]));
  const out: MovedSheet[] = [];
  for (const part of sheet.parts) {
    const points = Array.from({ length: part.points }, (_, i) => part.firstPoint + i);
    if (points.some((i) => held.has(i))) continue;
    const deep = DEEP * sheet.spacing[part.firstPoint];
    const inside = distances.filter(({ distance }) => depthOf(distance, Y, points, 0, 0, 0) > deep);
    if (inside.length === 0) continue;
    const thickness = scene.sheets[sheet.parts.indexOf(part)].material.thickness;
    const shift = shortestShift(
      distances.map((d) => d.distance),
      Y,
      points,
      thickness,
    );
    if (!shift) continue;
    for (const i of points) for (let c = 0; c < 3; c++) Y[3 * i + c] += shift[c];
    const by = shift.map((x) => Number(x.toPrecision(3))).join(", ");
    const text = `${part.name} starts inside ${inside.map(({ name }) => name).join(" and ")}: it was moved by (${by}) m to be outside`;
    out.push({ sheet: part.name, warning: { text, points, time, cause: "inside-body" } });
  }
  return out;
}

function distanceOf(body: Exclude<Body, { type: "mesh" }>, pose: Rigid): Distance {
  const table = inOneMemory((memory) => prepareBodies(memory, [body])).value;
  const answer = new Float64Array(10);
  const at = new Float64Array(3);
  return (x, y, z) => {
    at[0] = x;
    at[1] = y;
    at[2] = z;
    worldDistance(answer, 0, table, 0, pose, at, 0);
    return answer[0];
  };
}

/** m: how deep the deepest of the points is after a shift; 0 if none is inside. */
function depthOf(
  distance: Distance,
  Y: ReadonlyF64,
  points: readonly number[],
  x: number,
  y: number,
  z: number,
): number {
  let deepest = 0;
  for (const i of points)
    deepest = Math.max(deepest, -distance(Y[3 * i] + x, Y[3 * i + 1] + y, Y[3 * i + 2] + z));
  return deepest;
}

const AXES = [
  [0, 0, 1],
  [0, 0, -1],
  [1, 0, 0],
  [-1, 0, 0],
  [0, 1, 0],
  [0, -1, 0],
];

/** The shortest shift along an axis after which every point keeps its distance from all bodies; null if there is none. */
function shortestShift(
  distances: readonly Distance[],
  Y: ReadonlyF64,
  points: readonly number[],
  clearance: number,
): number[] | null {
  let best: number[] | null = null;
  let shortest = Number.POSITIVE_INFINITY;
  for (const [x, y, z] of AXES) {
    let length = 0;
    for (let tries = 0; tries < TRIES && length < shortest; tries++) {
      let lacking = 0; // no shift shorter than that frees the point that lacks it
      for (const distance of distances)
        for (const i of points) {
          const phi = distance(
            Y[3 * i] + length * x,
            Y[3 * i + 1] + length * y,
            Y[3 * i + 2] + length * z,
          );
          lacking = Math.max(lacking, clearance - phi);
        }
      if (lacking > 0) {
        length += lacking + 1e-3 * clearance;
        continue;
      }
      shortest = length;
      best = [length * x, length * y, length * z];
    }
  }
  return best;
}
