/**
 * Bodies of a scene as shapes that are drawn where they are at the time of a frame.
 */
import type { MeasuredSheet } from "../recording/measures.ts";
import { colliderAt, createRigid, moveInPlace } from "../scene/motion.ts";
import type { Collider, Scene, Vec3 } from "../scene/scene.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { verticesOf } from "../sheet/vertices.ts";
import { bodyMesh, creased } from "./bodies.ts";
import { BODY } from "./color.ts";
import type { PictureMesh } from "./pool.ts";

/** A body that can be put where it is at any time. */
export interface Prop {
  /** Of the collider in the scene. */
  number: number;
  /** Ends somewhere, so that the camera should hold it. */
  finite: boolean;
  /** Height of a level floor, if it is one. */
  level: number | null;
  at(time: number): PictureMesh;
}

export function collidersOf(
  scene: Scene,
  sheet: MeasuredSheet,
  readMesh: ReadMesh | undefined,
): Prop[] {
  const size = sizeOf(sheet.rest);
  const props: Prop[] = [];
  for (const [number, collider] of scene.colliders.entries()) {
    const { body } = collider;
    const own = bodyShape(collider, size, readMesh);
    if (!own) continue;
    const map = createRigid();
    colliderAt(map, collider, 0);
    const moves = collider.motion !== null;
    const up = body.type === "plane" ? worldUp(map, body.normal) : 0;
    // walls and ceilings would hide what they hold: only floors and slopes are drawn
    if (body.type === "plane" && up < 0.3) continue;
    const level = body.type === "plane" && up > 0.9999 && !moves ? map[11] : null;
    if (level !== null) {
      props.push({ number, finite: false, level, at: () => ({ positions: [], triangles: [] }) });
      continue;
    }
    const bends = bendingShape(collider, readMesh);
    props.push({
      number,
      finite: body.type !== "plane" && body.type !== "edge",
      level: null,
      at(time) {
        colliderAt(map, collider, time);
        const { positions, triangles, normals } = bends ? bends(time) : own;
        const placed = Float64Array.from(positions);
        const turned = normals ? Float64Array.from(normals) : null;
        for (let k = 0; k < placed.length; k += 3) moveInPlace(placed, k, map);
        if (turned) {
          const turn = map.slice();
          turn.fill(0, 9);
          for (let k = 0; k < turned.length; k += 3) moveInPlace(turned, k, turn);
        }
        return {
          positions: placed,
          triangles,
          ...(turned ? { normals: turned } : {}),
          color: BODY,
          // a plane is seen from both sides, and an open mesh too
          solid: body.type !== "plane" && !(body.type === "mesh" && !body.closed),
        };
      },
    });
  }
  return props;
}

/** The shape at a time of a mesh whose vertices move; null for every other body. */
function bendingShape(
  { name, body }: Collider,
  readMesh: ReadMesh | undefined,
): ((time: number) => ReturnType<typeof creased>) | null {
  if (body.type !== "mesh" || !body.vertices || !readMesh) return null;
  const mesh = readMesh(body.file);
  const move = verticesOf(name, body, mesh, readMesh)!;
  const out = new Float64Array(mesh.positions.length);
  return (time) => {
    move(out, time);
    return creased(out, mesh.triangles);
  };
}

function bodyShape(
  { body }: Collider,
  size: number,
  readMesh: ReadMesh | undefined,
): { positions: ArrayLike<number>; triangles: ArrayLike<number>; normals?: Float64Array } | null {
  if (body.type !== "mesh") return bodyMesh(body, { extent: 1.8 * size });
  if (!readMesh) return null;
  const { positions, triangles } = readMesh(body.file);
  return creased(
    positions.map((x) => x * body.scale),
    triangles,
  );
}

function worldUp(map: Float64Array, [x, y, z]: Vec3): number {
  return (map[6] * x + map[7] * y + map[8] * z) / Math.hypot(x, y, z);
}

/** m, diagonal of the box around points. */
export function sizeOf(points: ArrayLike<number>): number {
  const { min, max } = boxOf(points);
  return min[0] <= max[0] ? Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) || 1 : 1;
}

export function boxOf(points: ArrayLike<number>): { min: Vec3; max: Vec3 } {
  const min: Vec3 = [Infinity, Infinity, Infinity];
  const max: Vec3 = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < points.length; k++) {
    const c = k % 3;
    if (points[k] < min[c]) min[c] = points[k];
    if (points[k] > max[c]) max[c] = points[k];
  }
  return { min, max };
}
