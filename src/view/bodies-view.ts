/** Colliders as three.js objects, of the same shapes that contact keeps the sheet away from. */
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  Mesh,
  MeshStandardMaterial,
} from "three";
import { bodyMesh, creased } from "../picture/bodies.ts";
import { BODY, toHex } from "../picture/color.ts";
import type { Collider } from "../scene/scene.ts";
import { isFloor } from "./floor.ts";

/** A body as triangles in its own coordinates, for bodies that come from a file. */
export interface BodyShape {
  readonly positions: ArrayLike<number>;
  readonly triangles: ArrayLike<number>;
}

export interface BodiesView {
  readonly object: Group;
  /** One per collider; null where there is nothing to draw (a level plane is the ground). */
  readonly bodies: readonly (Mesh | null)[];
  /** Shows a body as a pane of glass, if it stands between the eye and the sheet. */
  setGlass(k: number, on: boolean): void;
  /** [12 per collider] rotation by rows, then translation in m: what colliderAt of scene/motion.ts gives. */
  setPoses(poses: ArrayLike<number>): void;
  dispose(): void;
}

/**
 * @example
 * const bodies = createBodiesView(simulation.scene.colliders);
 * stage.scene.add(bodies.object);
 */
export function createBodiesView(
  colliders: readonly Pick<Collider, "body" | "rotation">[],
  {
    extent = 2,
    shapes = [],
  }: {
    /** m, how wide planes and table edges are shown. */
    extent?: number;
    /** Triangles of bodies of type mesh, by place. */
    shapes?: readonly (BodyShape | null)[];
  } = {},
): BodiesView {
  const object = new Group();
  const material = new MeshStandardMaterial({
    color: toHex(BODY),
    roughness: 0.7,
    side: DoubleSide,
    // thin cloth lies 0.05 mm above a body: a sixteenth of a pixel, which is as fine as cards place corners, is more than that
    ...{ polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 },
  });
  const bodies = colliders.map(({ body, rotation }, k) => {
    if (isFloor({ body, rotation })) return null;
    const given = shapes[k];
    if (body.type === "mesh" && given == null) return null;
    const shape =
      body.type === "mesh"
        ? creased(given!.positions, given!.triangles)
        : bodyMesh(body, { extent });
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(shape.positions), 3));
    geometry.setIndex(new BufferAttribute(Uint32Array.from(shape.triangles), 1));
    geometry.setAttribute("normal", new BufferAttribute(Float32Array.from(shape.normals), 3));
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.userData.collider = k;
    object.add(mesh);
    return mesh;
  });
  const glass = material.clone();
  glass.transparent = true;
  glass.opacity = 0.1;
  glass.depthWrite = false;
  return {
    object,
    bodies,
    setGlass(k, on) {
      const mesh = bodies[k];
      if (mesh === null || mesh === undefined) return;
      mesh.material = on ? glass : material;
      mesh.castShadow = !on;
    },
    setPoses(p) {
      bodies.forEach((mesh, b) => {
        if (mesh === null) return;
        const k = 12 * b;
        // biome-ignore format: a matrix
        mesh.matrix.set(
          p[k],     p[k + 1], p[k + 2], p[k + 9],
          p[k + 3], p[k + 4], p[k + 5], p[k + 10],
          p[k + 6], p[k + 7], p[k + 8], p[k + 11],
          0,        0,        0,        1,
        );
        mesh.matrixWorldNeedsUpdate = true;
      });
    },
    dispose() {
      material.dispose();
      glass.dispose();
      for (const mesh of bodies) mesh?.geometry.dispose();
    },
  };
}
