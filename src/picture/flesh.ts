/**
 * The block of flesh under a skin, as a picture shows it: walls from the rim of the skin down to the block's lower face.
 *
 * Recordings keep the skin and not the solid. What can be seen of the solid is its sides, and their upper rim is that of the
 * skin, which is bonded to it; further down they are drawn straight.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import type { Scene } from "../scene/scene.ts";
import { type Color, hex } from "./color.ts";
import type { PictureMesh } from "./render.ts";

const FLESH: Color = hex("#e2b9a3");

export interface Flesh {
  /** m, height of the lower face. */
  readonly bottom: number;
  /** The walls when the sheets are at Y. */
  at(Y: ReadonlyF64): PictureMesh;
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
  const rim = rimOf(triangles, parts[0].firstTriangle, parts[0].triangles);
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

/** Edges of one triangle only, each from a to b as its triangle goes round. */
function rimOf(triangles: ReadonlyI32, first: number, count: number): number[] {
  const seen = new Map<string, [number, number] | null>();
  for (let t = first; t < first + count; t++)
    for (let k = 0; k < 3; k++) {
      const [a, b] = [triangles[3 * t + k], triangles[3 * t + ((k + 1) % 3)]];
      const key = a < b ? `${a} ${b}` : `${b} ${a}`;
      seen.set(key, seen.has(key) ? null : [a, b]);
    }
  return [...seen.values()].flatMap((edge) => edge ?? []);
}
