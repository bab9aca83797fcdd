/** What there is to see: its box, its floor, and where to look from. */
import type { Scene, Vec3 } from "../../../src/index.ts";
import { isFloor } from "../../../src/view/index.ts";
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
export function floorOf(scene: Scene, start: ArrayLike<number>): number | null {
  if (!scene.view.ground) return null;
  for (const collider of scene.colliders) if (isFloor(collider)) return collider.position[2];
  const { min, max, size } = boxOf(start);
  let lowest = min[2];
  for (const { body, position } of scene.colliders)
    if (body.type !== "plane") lowest = Math.min(lowest, position[2] - heightOf(body));
  const hangs = max[2] - min[2] < 0.3 * size && scene.pins.length > 0;
  return lowest - (hangs ? 0.5 : 0.12) * size;
}

/** m from the middle of a body to its lowest point, upright. */
function heightOf(body: Body): number {
  switch (body.type) {
    case "sphere":
      return body.radius;
    case "box":
      return body.size[2] / 2;
    case "capsule":
      return body.length / 2 + body.radius;
    case "cylinder":
    case "cone":
      return body.length / 2;
    case "torus":
      return body.minor;
    default:
      return 0;
  }
}

/** m from the middle of a body to its side. */
function widthOf(body: Body): number {
  switch (body.type) {
    case "sphere":
    case "capsule":
    case "cylinder":
    case "cone":
      return body.radius;
    case "box":
      return Math.max(body.size[0], body.size[1]) / 2;
    case "torus":
      return body.major + body.minor;
    default:
      return 0;
  }
}

/** m, how large handles on a body should be. */
export function reachOf(body: Body): number {
  return Math.max(heightOf(body), widthOf(body));
}

/**
 * What the camera must hold, and from where it looks best. `begins`: leave room for what will happen.
 * @param poses [12 per collider] rotation by rows, then translation
 */
export function subjectOf(
  scene: Scene,
  P: ArrayLike<number>,
  poses: ArrayLike<number>,
  begins: boolean,
): { points: number[]; from: Vec3 } {
  const points: number[] = [];
  for (let k = 0; k < P.length; k++) points.push(P[k]);
  const { min, max, centre, size } = boxOf(P);
  const flat = max[2] - min[2] < 0.3 * size;
  if (begins && flat && scene.pins.length > 0)
    points.push(centre[0], centre[1], min[2] - 0.42 * size);
  scene.colliders.forEach(({ body, position }, k) => {
    const [w, h] = [widthOf(body), heightOf(body)];
    if (w === 0) return;
    const at = (c: number): number => (poses.length > 12 * k ? poses[12 * k + 9 + c] : position[c]);
    const [x, y, z] = [at(0), at(1), at(2)];
    points.push(x - w, y, z, x + w, y, z, x, y - w, z, x, y + w, z, x, y, z - h, x, y, z + h);
  });
  return { points, from: flat ? [0.62, -0.6, 0.42] : [0.5, -0.8, 0.3] };
}
