/** Meshes that several tests of contact use. */
import type { TriangleMesh } from "../../../src/sheet/kinematics.ts";

/** A box of that size about the origin, as the mesh that a file would give: twelve triangles facing out. */
export function boxMesh(x: number, y: number, z: number): TriangleMesh {
  const positions: number[] = [];
  for (let k = 0; k < 8; k++)
    positions.push(((k & 1) - 0.5) * x, (((k >> 1) & 1) - 0.5) * y, ((k >> 2) - 0.5) * z);
  const quads = [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ];
  const triangles = quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
  return {
    positions: Float64Array.from(positions),
    triangles: Int32Array.from(triangles),
    uv: null,
  };
}
