/** The block of flesh under a skin as a three.js object: walls from the rim of the skin down (picture/flesh.ts). */
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Mesh,
  MeshStandardMaterial,
} from "three";
import { toHex } from "../picture/color.ts";
import { createFlesh } from "../picture/flesh.ts";
import type { Scene } from "../scene/scene.ts";
import type { DrawnSheet } from "./frame.ts";

export interface FleshView {
  readonly object: Mesh;
  /** m, height of the lower face. */
  readonly bottom: number;
  /** Follows the skin. @param positions [3n] m */
  follow(positions: ArrayLike<number>): void;
  dispose(): void;
}

/**
 * @param sheet the mesh that is drawn: a sheet, or `mesh` of its view
 * @returns null unless the scene has a block under its first sheet
 *
 * @example
 * const view = createPoseView(simulation.sheet);
 * const flesh = createFleshView(simulation.scene, view.mesh);
 * flesh?.follow(view.frame.positions);
 */
export function createFleshView(
  scene: Pick<Scene, "substrate">,
  sheet: DrawnSheet,
): FleshView | null {
  const flesh = createFlesh(scene, sheet);
  if (flesh === null) return null;
  const first = flesh.at(new Float64Array(3 * sheet.n));
  const position = new BufferAttribute(Float32Array.from(first.positions), 3);
  position.setUsage(DynamicDrawUsage);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", position);
  geometry.setIndex([...(first.triangles as Int32Array)]);
  const color = first.color && toHex(first.color);
  const material = new MeshStandardMaterial({
    ...(color ? { color } : {}),
    roughness: 0.7,
    side: DoubleSide,
  });
  const object = new Mesh(geometry, material);
  object.castShadow = true;
  object.receiveShadow = true;
  object.frustumCulled = false;
  return {
    object,
    bottom: flesh.bottom,
    follow(positions) {
      (position.array as Float32Array).set(flesh.at(positions).positions);
      position.needsUpdate = true;
      geometry.computeVertexNormals(); // walls share no points: theirs are flat
    },
    dispose() {
      geometry.dispose();
      material.dispose();
    },
  };
}
