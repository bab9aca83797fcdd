/** Bodies of a size that suits the sheet, put where it will meet them. */
import type { BodyInput, SceneInput, Vec3 } from "../../../src/index.ts";
import { rounded } from "./edits.ts";

export const BODY_KINDS = [
  { kind: "box", name: "Box", says: "a table, a step" },
  { kind: "cylinder", name: "Cylinder", says: "a round table, a pole" },
  { kind: "sphere", name: "Sphere", says: "a ball" },
  { kind: "capsule", name: "Capsule", says: "a limb, a trunk; inside a garment" },
  { kind: "cone", name: "Cone", says: "a stand" },
  { kind: "torus", name: "Ring", says: "a hoop" },
  { kind: "plane", name: "Floor", says: "what it falls on" },
] as const;
export type BodyKind = (typeof BODY_KINDS)[number]["kind"];

/** m of air between a sheet and what is put under it: more than twice the contact thickness of thick cloth. */
const AIR = 6e-3;

/** Height of the scene's floor; null without. */
export function floorHeight({ colliders = [] }: SceneInput): number | null {
  const floor = colliders.find(({ body, rotation }) => body.type === "plane" && rotation == null);
  return floor === undefined ? null : (floor.position?.[2] ?? 0);
}

/**
 * @param start [3n] m, where the sheet starts
 * @param floor m, its height; null without. Boxes, cylinders, cones and what a garment is worn on stand on it.
 * @param triangles of the sheet
 */
export function bodyUnder(
  kind: BodyKind,
  start: ArrayLike<number>,
  floor: number | null,
  triangles: ArrayLike<number>,
): { body: BodyInput; position: Vec3 } {
  const { min, max } = extent(start);
  const width = Math.max(max[0] - min[0], max[1] - min[1]);
  const [x, y] = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
  const tall = max[2] - min[2] > 0.3 * width;
  const top = min[2] - AIR;
  const stands = floor === null || top - floor < 0.05 * width ? 0.5 * width : top - floor;
  const at = (height: number): Vec3 => [x, y, top - height / 2].map(rounded) as Vec3;
  const size = (share: number): number => rounded(share * width);
  switch (kind) {
    case "sphere":
      return { body: { type: "sphere", radius: size(0.22) }, position: at(2 * size(0.22)) };
    case "box": {
      const side = size(0.45);
      const body = { type: "box", size: [side, side, rounded(stands)], rounding: 0.01 } as const;
      return { body: { ...body, size: [...body.size] }, position: at(stands) };
    }
    case "cylinder":
      return {
        body: { type: "cylinder", radius: size(0.3), length: rounded(stands), rounding: 0.01 },
        position: at(stands),
      };
    case "cone":
      return {
        body: { type: "cone", radius: size(0.25), length: rounded(stands), rounding: 0.02 },
        position: at(stands),
      };
    case "capsule":
      return tall
        ? capsuleInside(start, triangles, floor)
        : capsuleUnder(size(0.12), size(0.4), at);
    case "torus": {
      const minor = size(0.02);
      return { body: { type: "torus", major: size(0.25), minor }, position: at(2 * minor) };
    }
    case "plane":
      return { body: { type: "plane" }, position: [0, 0, rounded(Math.min(0, top))] };
  }
}

function capsuleUnder(
  radius: number,
  length: number,
  at: (height: number) => Vec3,
): { body: BodyInput; position: Vec3 } {
  return { body: { type: "capsule", radius, length }, position: at(length + 2 * radius) };
}

/** Of its radius: how far below the upper edge of a garment a body is as thick as the garment is wide. It sits there, and its edge ends near the top of the body. */
const WORN = 0.45;
/** m between a garment as it starts and the body inside. */
const CLEAR = 0.012;
/** Levels at which a garment is measured. */
const LEVELS = 50;

/**
 * Upright in the middle of a garment and on the floor, with its top a little below the garment's, as thick as the garment is a little
 * below its upper edge.
 */
function capsuleInside(
  start: ArrayLike<number>,
  triangles: ArrayLike<number>,
  floor: number | null,
): { body: BodyInput; position: Vec3 } {
  const { min, max } = extent(start);
  const [x, y] = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
  const height = max[2] - min[2];
  let radius = Number.POSITIVE_INFINITY;
  // above the lowest place of a curved edge there are but tips of panels
  const tips = girth(start, triangles, max[2] - height / 2) / 2 / (2 * Math.PI);
  for (let k = 1; k < LEVELS && radius === Number.POSITIVE_INFINITY; k++) {
    const below = (k / LEVELS) * height;
    const around = girth(start, triangles, max[2] - below) / (2 * Math.PI);
    if (around > tips && around <= below / WORN) radius = around;
  }
  for (let i = 0; i < start.length; i += 3)
    radius = Math.min(radius, Math.hypot(start[i] - x, start[i + 1] - y) - CLEAR);
  radius = Math.max(0.01, rounded(radius));
  const top = max[2] - 0.1 * height;
  const foot = floor === null ? top - 1.2 * height - 2 * radius : Math.min(floor, min[2]);
  const length = rounded(Math.max(0.5 * height, top - foot - 2 * radius));
  return {
    body: { type: "capsule", radius, length },
    position: [x, y, top - radius - length / 2].map(rounded) as Vec3,
  };
}

/** m around a garment at a height: the widths of its panels there, whether they are sewn or not. */
function girth(P: ArrayLike<number>, triangles: ArrayLike<number>, height: number): number {
  let around = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const ends: [number, number][] = [];
    for (let c = 0; c < 3; c++) {
      const [a, b] = [3 * triangles[t + c], 3 * triangles[t + ((c + 1) % 3)]];
      const [low, high] = [P[a + 2] - height, P[b + 2] - height];
      if (low < 0 === high < 0) continue;
      const s = low / (low - high);
      ends.push([P[a] + s * (P[b] - P[a]), P[a + 1] + s * (P[b + 1] - P[a + 1])]);
    }
    if (ends.length === 2) around += Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]);
  }
  return around;
}

function extent(P: ArrayLike<number>): { min: Vec3; max: Vec3 } {
  const min: Vec3 = [Infinity, Infinity, Infinity];
  const max: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < P.length; k++) {
    min[k % 3] = Math.min(min[k % 3], P[k]);
    max[k % 3] = Math.max(max[k % 3], P[k]);
  }
  return { min, max };
}
