import type { Pick, Pose, Sampling, Shape, SheetScene } from "../../src/scene/scene.ts";
import type { Mesh, Sheet } from "../../src/sheet/kinematics.ts";
import { createSheet, type ReadMesh } from "../../src/sheet/kinematics.ts";

/** A sheet scene with everything that a test does not care about filled in. */
export function sheetScene(
  shape: Shape,
  sampling: Sampling,
  more: Partial<SheetScene> = {},
): SheetScene {
  return {
    name: "cloth",
    shape,
    sampling,
    neighbourhood: { rings: 1 },
    pose: { type: "rest", position: [0, 0, 0], rotation: [0, 0, 0] },
    velocity: [0, 0, 0],
    spin: [0, 0, 0],
    material: {
      preset: null,
      density: 0.2,
      D: 1e-4,
      poisson: 0.3,
      membraneStiffness: 1e4,
      thickness: 1e-3,
      damping: 0,
    },
    curvature: null,
    noise: 0,
    ...more,
  };
}

export const irregular = (points: number): Sampling => ({ type: "irregular", angle: 0, points });
export const bySpacing = (spacing: number): Sampling => ({ type: "irregular", angle: 0, spacing });
export const grid = (points: number): Sampling => ({ type: "grid", angle: 0, points });
export const ownPoints: Sampling = { type: "mesh", angle: 0, points: 0 };

export function sheetOf(
  shape: Shape,
  sampling: Sampling,
  {
    seed = 1,
    readMesh,
    ...more
  }: Partial<SheetScene> & { seed?: number; readMesh?: ReadMesh } = {},
): Sheet {
  return createSheet([sheetScene(shape, sampling, more)], seed, readMesh);
}

export function posed(
  pose: Pose extends infer P ? (P extends Pose ? Omit<P, "position" | "rotation"> : never) : never,
): Pose {
  return { position: [0, 0, 0], rotation: [0, 0, 0], ...pose } as Pose;
}

export function pickOf(at: Partial<Pick>): Pick {
  return {
    sheet: 0,
    corners: [],
    edges: [],
    regions: [],
    nearest: [],
    points: [],
    radius: 0,
    ...at,
  };
}

/** Smallest and largest angle of the triangles in the material, degrees. */
export function angles({ corners: x }: Pick2<Mesh, "corners">): { least: number; most: number } {
  let [least, most] = [180, 0];
  for (let t = 0; t < x.length / 6; t++) {
    for (let k = 0; k < 3; k++) {
      const at = (c: number): number => 6 * t + 2 * ((k + c) % 3);
      const [au, av] = [x[at(1)] - x[at(0)], x[at(1) + 1] - x[at(0) + 1]];
      const [bu, bv] = [x[at(2)] - x[at(0)], x[at(2) + 1] - x[at(0) + 1]];
      const angle = (Math.atan2(au * bv - av * bu, au * bu + av * bv) * 180) / Math.PI;
      [least, most] = [Math.min(least, angle), Math.max(most, angle)];
    }
  }
  return { least, most };
}
type Pick2<T, K extends keyof T> = { [P in K]: T[P] };

export function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((a, b) => a + b, 0);
}

/** V − E + F: 1 for a disc, 0 for a tube or an annulus. */
export function euler({ n, edges, triangles }: Sheet): number {
  return n - edges.length / 2 + triangles.length / 3;
}
