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

/** Meshes that each keep their own points, in one. */
export function joined(a: TriangleMesh, b: TriangleMesh): TriangleMesh {
  return {
    positions: Float64Array.from([...a.positions, ...b.positions]),
    triangles: Int32Array.from([
      ...a.triangles,
      ...b.triangles.map((i) => i + a.positions.length / 3),
    ]),
    uv: null,
  };
}

/** A box without its top, both sides of which the sheet may touch. */
export function openBox(x: number, y: number, z: number): TriangleMesh {
  const box = boxMesh(x, y, z);
  const triangles = [...box.triangles].filter((_, k) => k < 6 || k >= 12);
  return { ...box, triangles: Int32Array.from(triangles) };
}

/** A channel of that size along y about the origin, open above: a closed concave mesh with walls that thick. */
export function channelMesh(x: number, y: number, z: number, wall: number): TriangleMesh {
  const [u, v, w] = [x / 2, z / 2, wall];
  // its section, counter-clockwise seen from −y
  const section = [
    [-u, -v],
    [u, -v],
    [u, v],
    [u - w, v],
    [u - w, w - v],
    [w - u, w - v],
    [w - u, v],
    [-u, v],
  ];
  const positions = [-y / 2, y / 2].flatMap((at) => section.flatMap(([a, b]) => [a, at, b]));
  const caps = [
    [0, 1, 4],
    [0, 4, 5],
    [1, 2, 3],
    [1, 3, 4],
    [0, 5, 6],
    [0, 6, 7],
  ];
  const n = section.length;
  const triangles = caps.flatMap(([a, b, c]) => [a, b, c, n + a, n + c, n + b]);
  for (let k = 0; k < n; k++) {
    const next = (k + 1) % n;
    triangles.push(k, n + next, next, k, n + k, n + next);
  }
  return {
    positions: Float64Array.from(positions),
    triangles: Int32Array.from(triangles),
    uv: null,
  };
}
