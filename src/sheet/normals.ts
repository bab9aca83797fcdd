// biome-ignore-all format: components are kept in columns
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";

/**
 * Smooth normals of a mesh: the area vectors of the triangles around each point, added and made unit.
 *
 * @param N out [3n] unit
 * @param Y [3n] m, or more: what follows the positions is not read
 */
export function pointNormals(N: Float32Array | Float64Array, Y: ReadonlyF64, triangles: ReadonlyI32): void {
  N.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
    const ux = Y[b] - Y[a], uy = Y[b + 1] - Y[a + 1], uz = Y[b + 2] - Y[a + 2];
    const vx = Y[c] - Y[a], vy = Y[c + 1] - Y[a + 1], vz = Y[c + 2] - Y[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    N[a] += x; N[a + 1] += y; N[a + 2] += z;
    N[b] += x; N[b + 1] += y; N[b + 2] += z;
    N[c] += x; N[c + 1] += y; N[c + 2] += z;
  }
  for (let i = 0; i < N.length; i += 3) {
    const length = Math.sqrt(N[i] * N[i] + N[i + 1] * N[i + 1] + N[i + 2] * N[i + 2]);
    if (length > 0) { N[i] /= length; N[i + 1] /= length; N[i + 2] /= length; }
    else N[i + 2] = 1; // a point without triangles: any unit vector will do
  }
}
