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
 * @param floor m, its height; null without. Boxes, cylinders and cones stand on it.
 */
export function bodyUnder(
  kind: BodyKind,
  start: ArrayLike<number>,
  floor: number | null,
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
      return tall ? capsuleInside(min, max) : capsuleUnder(size(0.12), size(0.4), at);
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

/**
 * Upright in the middle of a garment, four fifths as wide, its top a fifth of the way up: the garment is put on from
 * above, and is sewn by the time it has fallen that far.
 */
function capsuleInside(min: Vec3, max: Vec3): { body: BodyInput; position: Vec3 } {
  const radius = rounded((0.8 * Math.min(max[0] - min[0], max[1] - min[1])) / 2);
  const height = max[2] - min[2];
  const length = rounded(height);
  const top = min[2] + 0.2 * height;
  const position: Vec3 = [
    (min[0] + max[0]) / 2,
    (min[1] + max[1]) / 2,
    top - radius - length / 2,
  ].map(rounded) as Vec3;
  return { body: { type: "capsule", radius, length }, position };
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
