/**
 * The block of flesh under a skin, as a picture shows it: walls from the rim of the skin down to the block's lower face.
 *
 * Recordings keep the skin and not the solid. What can be seen of the solid is its sides, and their upper rim is that of the
 * skin, which is bonded to it; further down they are drawn straight.
 */
import type { ReadonlyI32 } from "../linalg/arena.ts";
import type { Scene } from "../scene/scene.ts";
import { rim as rimCorners } from "../sheet/hems.ts";
import { type Color, hex } from "./color.ts";
import type { PictureMesh } from "./pool.ts";

const FLESH: Color = hex("#e2b9a3");

export interface Flesh {
  /** m, height of the lower face. */
  readonly bottom: number;
  /** The walls when the sheets are at Y. */
  at(Y: ArrayLike<number>): PictureMesh;
}

/** null unless the scene has a block under its first sheet. */
export function createFlesh(
  { substrate }: Pick<Scene, "substrate">,
  {
    triangles,
    parts,
  }: { triangles: ReadonlyI32; parts: readonly { firstTriangle: number; triangles: number }[] },
): Flesh | null {
  if (substrate === null || substrate.shape.type !== "block" || parts.length === 0) return null;
  const { firstTriangle, triangles: own } = parts[0];
  const rim = rimCorners({ triangles }, new Set(), firstTriangle, own)
    .flat()
    .map((corner) => triangles[corner]);
  const bottom = substrate.position[2] - 0.5 * substrate.shape.size[2];
  const count = rim.length / 2;
  // two triangles a wall, counter-clockwise from outside
  const walls = new Int32Array(6 * count);
  for (let k = 0; k < count; k++)
    walls.set([4 * k, 4 * k + 2, 4 * k + 1, 4 * k + 1, 4 * k + 2, 4 * k + 3], 6 * k);
  return {
    bottom,
    at(Y) {
      const positions = new Float64Array(12 * count);
      for (let k = 0; k < rim.length; k++) {
        const i = 3 * rim[k];
        const at = 12 * (k >> 1) + 3 * (k & 1);
        positions.set([Y[i], Y[i + 1], Y[i + 2]], at);
        positions.set([Y[i], Y[i + 1], bottom], at + 6);
      }
      return { positions, triangles: walls, color: FLESH, smooth: false, solid: true };
    },
  };
}
