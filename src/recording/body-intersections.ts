/**
 * Where sheets cut into bodies, for `--verify`: of mesh bodies by the exact check of triangles (intersections.ts), of bodies with a formula by their signed
 * distance at a grid of places on every triangle. Thickness does not count: only what is inside does.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { inOneMemory } from "../linalg/arena.ts";
import { colliderAt, createRigid } from "../scene/motion.ts";
import type { Body, Collider, Scene } from "../scene/scene.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { prepareBodies, worldDistance } from "../system/contact/colliders.ts";
import { intersections } from "../system/contact/intersections.ts";
import { bendingMesh, bendMesh, placePoints } from "../system/contact/mesh-body.ts";

/** Places along a side of a triangle: 15 on each. */
const DIVISIONS = 4;
/** m: distances are rounded to some units in the last place of a metre. */
const ROUNDING = 1e-12;

export interface BodyCheck {
  /** Triangles of the sheet that cut into body k, or pairs of triangles if it is a mesh, with the body where it is at that time of its path. */
  count(k: number, time: number, Y: ReadonlyF64, triangles: ReadonlyI32): number;
}

export function createBodyCheck(scene: Scene, readMesh: ReadMesh | undefined): BodyCheck {
  const checks = scene.colliders.map((collider) =>
    collider.body.type === "mesh" ? meshCheck(collider, readMesh) : formulaCheck(collider),
  );
  return { count: (k, time, Y, triangles) => checks[k](time, Y, triangles) };
}

type Check = (time: number, Y: ReadonlyF64, triangles: ReadonlyI32) => number;

function meshCheck(collider: Collider, readMesh: ReadMesh | undefined): Check {
  const { body } = collider;
  if (body.type !== "mesh" || !readMesh) return () => 0;
  const mesh = bendingMesh(collider.name, body, readMesh);
  const pose = createRigid();
  const X = new Float64Array(mesh.points.length);
  return (time, Y, triangles) => {
    colliderAt(pose, collider, time);
    bendMesh(mesh, time);
    placePoints(X, 0, mesh.points, pose);
    return intersections({ Y, triangles }, { Y: X, triangles: mesh.triangles }).length / 2;
  };
}

function formulaCheck(collider: Collider): Check {
  const body = collider.body as Exclude<Body, { type: "mesh" }>;
  const table = inOneMemory((memory) => prepareBodies(memory, [body])).value;
  const pose = createRigid();
  const answer = new Float64Array(10);
  const x = new Float64Array(3);
  return (time, Y, triangles) => {
    colliderAt(pose, collider, time);
    let count = 0;
    for (let t = 0; t < triangles.length; t += 3) {
      let isInside = false;
      for (let a = 0; a <= DIVISIONS && !isInside; a++)
        for (let b = 0; a + b <= DIVISIONS && !isInside; b++) {
          const [u, v] = [a / DIVISIONS, b / DIVISIONS];
          for (let c = 0; c < 3; c++)
            x[c] =
              u * Y[3 * triangles[t] + c] +
              v * Y[3 * triangles[t + 1] + c] +
              (1 - u - v) * Y[3 * triangles[t + 2] + c];
          worldDistance(answer, 0, table, 0, pose, x, 0);
          isInside = answer[0] < -ROUNDING;
        }
      if (isInside) count++;
    }
    return count;
  };
}
