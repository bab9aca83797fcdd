/** What there is to see: its box, its floor, and where to look from. */
import { colliderAt, createRigid, motionAt, type Scene, type Vec3 } from "../../../src/index.ts";
import { type BodyShape, isFloor } from "../../../src/view/index.ts";
import type { Opened } from "../engine/protocol.ts";

export interface Box {
  min: Vec3;
  max: Vec3;
  centre: Vec3;
  /** m, its diagonal. */
  size: number;
}

export function boxOf(P: ArrayLike<number>): Box {
  const min: Vec3 = [Infinity, Infinity, Infinity];
  const max: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < P.length; k++) {
    const c = k % 3;
    if (P[k] < min[c]) min[c] = P[k];
    if (P[k] > max[c]) max[c] = P[k];
  }
  const centre: Vec3 = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2];
  const size = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) || 1;
  return { min, max, centre, size };
}

type Body = Scene["colliders"][number]["body"];

export function hasOwnFloor({ colliders }: Scene): boolean {
  return colliders.some(isFloor);
}

/** Height of the floor: the scene's own, or far enough below what hangs; null without. */
export function floorOf({ scene, start, startPoses, bodyShapes }: Opened): number | null {
  if (!scene.view.ground) return null;
  for (const collider of scene.colliders) if (isFloor(collider)) return collider.position[2];
  const { min, max, size } = boxOf(start);
  let lowest = min[2];
  scene.colliders.forEach(({ body }, k) => {
    const ends = bodyEnds(body, bodyShapes[k], startPoses.subarray(12 * k, 12 * k + 12));
    for (let c = 2; c < ends.length; c += 3) lowest = Math.min(lowest, ends[c]);
  });
  const hangs = max[2] - min[2] < 0.3 * size && scene.pins.length > 0;
  return lowest - (hangs ? 0.5 : 0.12) * size;
}

/** The box around a body in its own coordinates; null for what has no end. */
function ownBox(body: Body, shape: BodyShape | null): Pick<Box, "min" | "max"> | null {
  const around = (x: number, y: number, z: number): Pick<Box, "min" | "max"> => ({
    min: [-x, -y, -z],
    max: [x, y, z],
  });
  switch (body.type) {
    case "sphere":
      return around(body.radius, body.radius, body.radius);
    case "box":
      return around(body.size[0] / 2, body.size[1] / 2, body.size[2] / 2);
    case "capsule":
      return around(body.radius, body.radius, body.length / 2 + body.radius);
    case "cylinder":
    case "cone":
      return around(body.radius, body.radius, body.length / 2);
    case "torus":
      return around(body.major + body.minor, body.major + body.minor, body.minor);
    case "mesh":
      return shape === null ? null : boxOf(shape.positions);
    default:
      return null;
  }
}

/** m from the origin of a body to the farthest side of its box: how large handles on it should be. */
export function reachOf(body: Body, shape: BodyShape | null): number {
  const box = ownBox(body, shape);
  return box === null ? 0 : Math.max(...[...box.min, ...box.max].map(Math.abs));
}

/**
 * Places that show how far a body reaches, xyz each: the corners of its box, or the middles of its sides if it is round.
 * @param pose [12] rotation by rows, then translation
 */
function bodyEnds(body: Body, shape: BodyShape | null, pose: Float64Array): number[] {
  const box = ownBox(body, shape);
  if (box === null || pose.length < 12) return [];
  const { min, max } = box;
  const isRound = body.type !== "box" && body.type !== "mesh";
  const middle = [0, 1, 2].map((c) => (min[c] + max[c]) / 2);
  const own: number[][] = isRound
    ? [0, 1, 2].flatMap((c) => [min, max].map((end) => middle.with(c, end[c])))
    : Array.from({ length: 8 }, (_, q) => [0, 1, 2].map((c) => (q & (1 << c) ? max : min)[c]));
  // round bodies with flat ends reach farthest at their rims
  if (body.type === "cylinder" || body.type === "cone")
    for (let q = 1; q < 8; q += 2) {
      const [x, y] = [max[0] * Math.cos((q * Math.PI) / 4), max[1] * Math.sin((q * Math.PI) / 4)];
      own.push([x, y, min[2]]);
      if (body.type === "cylinder") own.push([x, y, max[2]]);
    }
  return own.flatMap((x) =>
    [0, 1, 2].map((r) => {
      const R = 3 * r;
      return pose[R] * x[0] + pose[R + 1] * x[1] + pose[R + 2] * x[2] + pose[9 + r];
    }),
  );
}

/** Sizes of the sheet beyond which the camera leaves no room for what keyframes will do: all else would be tiny. */
const FAR = 1.5;

const rigid = createRigid();

/** Where keyframes will lead pins and bodies, xyz each. */
function placesAhead({ scene, pins, start, bodyShapes }: Opened): number[] {
  const { centre, size } = boxOf(start);
  const places: number[] = [];
  const add = (found: ArrayLike<number>): void => {
    for (let k = 0; k < found.length; k += 3) {
      const far = Math.hypot(...centre.map((x, c) => found[k + c] - x));
      if (far < FAR * size) places.push(found[k], found[k + 1], found[k + 2]);
    }
  };
  scene.pins.forEach(({ motion, release }, k) => {
    for (const { time } of motion?.keys ?? []) {
      if (release !== null && time > release) continue;
      motionAt(rigid, motion, time);
      for (const i of pins[k].points) {
        const [x, y, z] = start.subarray(3 * i, 3 * i + 3);
        const R = rigid;
        add([0, 1, 2].map((r) => R[3 * r] * x + R[3 * r + 1] * y + R[3 * r + 2] * z + R[9 + r]));
      }
    }
  });
  scene.colliders.forEach((collider, k) => {
    for (const { time } of collider.motion?.keys ?? []) {
      colliderAt(rigid, collider, time);
      add(bodyEnds(collider.body, bodyShapes[k], rigid));
    }
  });
  return places;
}

/** What a sheet that nothing holds will fall to: the piece of the floor under it; nothing if a body is in the way or the floor is far. */
function placesBelow({ scene }: Opened, { min, max, size }: Box): number[] {
  const floor = scene.colliders.find(isFloor)?.position[2];
  if (floor === undefined || scene.pins.length > 0 || !scene.colliders.every(isFloor)) return [];
  if (min[2] - floor > FAR * size) return [];
  return [min, max].flatMap(([x]) => [min, max].flatMap(([, y]) => [x, y, floor]));
}

/**
 * What the camera must hold, and from where it looks best. `begins`: leave room for what will happen.
 * @param poses [12 per collider] rotation by rows, then translation
 */
export function subjectOf(
  opened: Opened,
  P: ArrayLike<number>,
  poses: Float64Array,
  begins: boolean,
): { points: number[]; from: Vec3 } {
  const { scene, bodyShapes } = opened;
  const points: number[] = [];
  for (let k = 0; k < P.length; k++) points.push(P[k]);
  const box = boxOf(P);
  const { min, max, centre, size } = box;
  const flat = max[2] - min[2] < 0.3 * size;
  if (begins) {
    if (flat && scene.pins.length > 0) points.push(centre[0], centre[1], min[2] - 0.42 * size);
    points.push(...placesAhead(opened), ...placesBelow(opened, box));
  }
  scene.colliders.forEach(({ body }, k) => {
    points.push(...bodyEnds(body, bodyShapes[k], poses.subarray(12 * k, 12 * k + 12)));
  });
  points.push(...fleshEnds(scene));
  return { points, from: flat ? [0.62, -0.6, 0.42] : [0.5, -0.8, 0.3] };
}

/** The corners of the lower face of the flesh under a skin, xyz each. */
function fleshEnds({ substrate }: Scene): number[] {
  if (substrate === null || substrate.shape.type !== "block") return [];
  const half = substrate.shape.size.map((x) => x / 2);
  const [x, y, z] = substrate.position;
  return [-1, 1].flatMap((a) =>
    [-1, 1].flatMap((b) => [x + a * half[0], y + b * half[1], z - half[2]]),
  );
}
