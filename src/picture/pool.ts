// biome-ignore-all format: components are kept in columns
/** Meshes of a picture, joined into one pool of points and triangles, and what of them casts shadows. */
import type { Print } from "../scene/looks.ts";
import type { Vec3 } from "../scene/scene.ts";
import { BODY, type Color, type ColorMap, toLinear } from "./color.ts";
import type { Casters } from "./light.ts";
import type { Texture } from "./texture.ts";

export interface PictureMesh {
  /** [3n] m, xyz */
  positions: ArrayLike<number>;
  /** [3·triangles] counter-clockwise seen from the front */
  triangles: ArrayLike<number>;
  color?: Color;
  /** [3n] sRGB; instead of one colour. */
  vertexColors?: ArrayLike<number>;
  /** Instead of colours: a number per point, shown by a map over min … max. */
  field?: { values: ArrayLike<number>; map: ColorMap; min: number; max: number };
  /** The other side; the front's colour if not said. */
  backColor?: Color;
  /** A print on both sides: uv [6·triangles] of the corners, in repeats. */
  print?: { kind: Print; ink: Color; uv: ArrayLike<number> };
  /** An image on both sides, over the print: uv [6·triangles] of the corners, 0 … 1 across the image and up. */
  image?: { texture: Texture; uv: ArrayLike<number> };
  /** Light from fibres that stand out, times that of cloth; 1 if not said. */
  sheen?: number;
  /** Normals averaged at the points (the default), or flat triangles. */
  smooth?: boolean;
  /** [3n] unit; instead of the averaged ones. */
  normals?: ArrayLike<number>;
  /** Draws the edges of the triangles. */
  wire?: boolean;
  /** [triangles] which of them: bit c is the edge opposite corner c; all if not said. */
  wireEdges?: ArrayLike<number>;
  /** A thin sheet lets a little light through; a solid body does not. */
  solid?: boolean;
}

/** How the triangles of a mesh are drawn. */
export interface Style {
  flat: boolean;
  wire: boolean;
  thin: boolean;
  back: Float32Array | null;
  map: Float32Array | null;
  /** uv [6·triangles] of the corners, in repeats; `first` is the mesh's first triangle of the pool. */
  print: { kind: Print; ink: Float32Array; uv: Float64Array; first: number } | null;
  image: { texture: Texture; uv: Float64Array; first: number } | null;
  sheen: number;
}

/** All meshes as one. */
export interface Pool {
  n: number;
  /** [3n] m */
  positions: Float64Array;
  triangles: Int32Array;
  /** [3n] unit, averaged */
  normals: Float32Array;
  /** [3·triangles] unit */
  faces: Float32Array;
  /** [3n] linear; or the place in the map, 0 … 1, in its first component */
  colors: Float32Array;
  /** [triangles] its mesh */
  mesh: Uint16Array;
  /** [triangles] bit c: the edge opposite corner c is drawn */
  wires: Uint8Array;
  styles: Style[];
}

export function pooled(meshes: readonly PictureMesh[]): Pool {
  let n = 0, triangleCount = 0;
  for (const mesh of meshes) {
    if (mesh.positions.length % 3 !== 0 || mesh.triangles.length % 3 !== 0) throw new Error("a mesh needs 3 numbers per point and per triangle");
    n += mesh.positions.length / 3;
    triangleCount += mesh.triangles.length / 3;
  }
  const positions = new Float64Array(3 * n), triangles = new Int32Array(3 * triangleCount);
  const normals = new Float32Array(3 * n), faces = new Float32Array(3 * triangleCount);
  const colors = new Float32Array(3 * n), mesh = new Uint16Array(triangleCount), wires = new Uint8Array(triangleCount).fill(7);
  const styles: Pool["styles"] = [];
  let point = 0, corner = 0;
  meshes.forEach((m, which) => {
    const count = m.positions.length / 3;
    for (let i = 0; i < 3 * count; i++) positions[3 * point + i] = m.positions[i];
    for (let i = 0; i < m.triangles.length; i++) {
      const p = m.triangles[i];
      if (!(p >= 0 && p < count)) throw new Error(`mesh ${which}: triangle ${Math.floor(i / 3)} names point ${p} of ${count}`);
      triangles[corner + i] = point + p;
    }
    mesh.fill(which, corner / 3, (corner + m.triangles.length) / 3);
    if (m.wireEdges) wires.set(m.wireEdges, corner / 3);

    const plain = (m.color ?? BODY).map(toLinear);
    for (let i = 0; i < count; i++) {
      const c = 3 * (point + i);
      if (m.field) {
        const t = (m.field.values[i] - m.field.min) / (m.field.max - m.field.min || 1);
        colors[c] = Number.isNaN(t) ? 0 : Math.min(Math.max(t, 0), 1);
      } else if (m.vertexColors) for (let k = 0; k < 3; k++) colors[c + k] = toLinear(m.vertexColors[3 * i + k]);
      else { colors[c] = plain[0]; colors[c + 1] = plain[1]; colors[c + 2] = plain[2]; }
    }
    styles.push({
      flat: m.smooth === false, wire: m.wire ?? false, thin: !m.solid,
      back: m.backColor && !m.field ? Float32Array.from(m.backColor, toLinear) : null,
      map: m.field ? Float32Array.from(m.field.map.table, toLinear) : null,
      print: m.print && !m.field ? { kind: m.print.kind, ink: Float32Array.from(m.print.ink, toLinear), uv: Float64Array.from(m.print.uv), first: corner / 3 } : null,
      image: m.image && !m.field ? { texture: m.image.texture, uv: Float64Array.from(m.image.uv), first: corner / 3 } : null,
      sheen: m.sheen ?? 1,
    });
    point += count;
    corner += m.triangles.length;
  });

  // Normals: corners weighted by sin(angle)/(lengths), exact on a sphere (Max 1999).
  for (let t = 0; t < triangleCount; t++) {
    const a = 3 * triangles[3 * t], b = 3 * triangles[3 * t + 1], c = 3 * triangles[3 * t + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const wx = vx - ux, wy = vy - uy, wz = vz - uz;
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (!(length > 0)) continue;
    faces[3 * t] = nx / length; faces[3 * t + 1] = ny / length; faces[3 * t + 2] = nz / length;
    const uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz, ww = wx * wx + wy * wy + wz * wz;
    const ga = 1 / (uu * vv), gb = 1 / (uu * ww), gc = 1 / (vv * ww);
    normals[a] += nx * ga; normals[a + 1] += ny * ga; normals[a + 2] += nz * ga;
    normals[b] += nx * gb; normals[b + 1] += ny * gb; normals[b + 2] += nz * gb;
    normals[c] += nx * gc; normals[c + 1] += ny * gc; normals[c + 2] += nz * gc;
  }
  for (let i = 0; i < 3 * n; i += 3) {
    const length = Math.hypot(normals[i], normals[i + 1], normals[i + 2]);
    if (length > 0) { normals[i] /= length; normals[i + 1] /= length; normals[i + 2] /= length; }
  }
  point = 0;
  for (const m of meshes) {
    if (m.normals) for (let i = 0; i < m.positions.length; i++) normals[3 * point + i] = m.normals[i];
    point += m.positions.length / 3;
  }
  return { n, positions, triangles, normals, faces, colors, mesh, wires, styles };
}

export function castersOf({ positions, triangles, mesh, styles }: Pool): Casters {
  const solid = Uint8Array.from(mesh, (m) => (styles[m].thin ? 0 : 1));
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity, z0 = Infinity, z1 = -Infinity;
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i], y = positions[i + 1], z = positions[i + 2];
    if (!Number.isFinite(x + y + z)) continue;
    x0 = Math.min(x0, x); x1 = Math.max(x1, x);
    y0 = Math.min(y0, y); y1 = Math.max(y1, y);
    z0 = Math.min(z0, z); z1 = Math.max(z1, z);
  }
  if (x0 > x1) return { positions, triangles, solid, centre: [0, 0, 0], radius: 1 };
  const centre: Vec3 = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2];
  let radius = 0;
  for (let i = 0; i < positions.length; i += 3) {
    const d = Math.hypot(positions[i] - centre[0], positions[i + 1] - centre[1], positions[i + 2] - centre[2]);
    if (d > radius) radius = d;
  }
  return { positions, triangles, solid, centre, radius: 1.02 * radius || 1 };
}
