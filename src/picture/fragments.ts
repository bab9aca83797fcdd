// biome-ignore-all format: components are kept in columns
/** What pixels show of a pool: fragments, one for each triangle in each pixel, and the surface at them. */
import type { Camera } from "./camera.ts";
import type { Lights } from "./light.ts";
import type { Pool } from "./pool.ts";

/** What pixels show: one fragment for each triangle in each pixel, pixels in order. */
export interface Fragments {
  count: number;
  pixel: Int32Array;
  triangle: Int32Array;
  /** Where in the picture, in pixels: the middle of the samples covered. */
  x: Float32Array;
  y: Float32Array;
  /** 0 … 1 */
  coverage: Float32Array;
}

export function fragmentsOf(id: Int32Array, width: number, height: number, rate: number): Fragments {
  const samples = rate * rate, stride = width * rate;
  let room = 1024, count = 0;
  let pixel = new Int32Array(room), triangle = new Int32Array(room);
  let x = new Float32Array(room), y = new Float32Array(room), coverage = new Float32Array(room);
  for (let j = 0; j < height; j++) for (let i = 0; i < width; i++) {
    const corner = j * rate * stride + i * rate;
    if (count + samples > room) {
      room *= 2;
      const grown = <T extends Int32Array | Float32Array>(old: T, next: T): T => { next.set(old); return next; };
      pixel = grown(pixel, new Int32Array(room)); triangle = grown(triangle, new Int32Array(room));
      x = grown(x, new Float32Array(room)); y = grown(y, new Float32Array(room)); coverage = grown(coverage, new Float32Array(room));
    }
    const first = count, one = id[corner];
    let same = true;
    for (let sy = 0, at = corner; sy < rate && same; sy++, at += stride)
      for (let sx = 0; sx < rate && same; sx++) same = id[at + sx] === one;
    if (same) {
      if (one >= 0) { pixel[count] = j * width + i; triangle[count] = one; x[count] = i + 0.5; y[count] = j + 0.5; coverage[count++] = 1; }
      continue;
    }
    for (let s = 0; s < samples; s++) {
      const sx = s % rate, sy = (s - sx) / rate, t = id[corner + sy * stride + sx];
      if (t < 0) continue;
      let f = first;
      while (f < count && triangle[f] !== t) f++;
      if (f === count) { pixel[f] = j * width + i; triangle[f] = t; x[f] = 0; y[f] = 0; coverage[f] = 0; count++; }
      x[f] += sx + 0.5; y[f] += sy + 0.5; coverage[f] += 1;
    }
    for (let f = first; f < count; f++) {
      x[f] = i + x[f] / coverage[f] / rate;
      y[f] = j + y[f] / coverage[f] / rate;
      coverage[f] /= samples;
    }
  }
  return { count, pixel, triangle, x, y, coverage };
}

/** Geometry at the fragments. */
export interface Surface {
  /** [2·fragments] λ₀, λ₁, perspective-correct */
  weights: Float32Array;
  /** [3·fragments] m */
  at: Float32Array;
  /** [3·fragments] unit, towards the viewer's side */
  normal: Float32Array;
  /** [3·fragments] m, where the lamp's shadows are looked up: on the smooth surface that the normals tell of */
  lampAt: Float32Array;
  /** [3·fragments] unit, towards the lamp's side */
  off: Float32Array;
  /** [fragments] 1 where the back is seen */
  back: Uint8Array;
}

export function surfaceOf(fragments: Fragments, pool: Pool, planes: Float64Array, camera: Camera, lights: Lights): Surface {
  const { count, triangle, x, y } = fragments, { positions, triangles, normals, faces, mesh, styles } = pool;
  const weights = new Float32Array(2 * count), at = new Float32Array(3 * count), normal = new Float32Array(3 * count);
  const lampAt = new Float32Array(3 * count), off = new Float32Array(3 * count), back = new Uint8Array(count);
  const [ex, ey, ez] = camera.eye, [kx, ky, kz] = lights.key;
  for (let f = 0; f < count; f++) {
    const t = triangle[f], q = 9 * t, X = x[f], Y = y[f];
    const l0 = planes[q] * X + planes[q + 1] * Y + planes[q + 2];
    const l1 = planes[q + 3] * X + planes[q + 4] * Y + planes[q + 5];
    const l2 = planes[q + 6] * X + planes[q + 7] * Y + planes[q + 8];
    const w = 1 / (l0 + l1 + l2), a = l0 * w, b = l1 * w, c = l2 * w;
    weights[2 * f] = a; weights[2 * f + 1] = b;
    const i = 3 * triangles[3 * t], j = 3 * triangles[3 * t + 1], m = 3 * triangles[3 * t + 2];
    const px = a * positions[i]     + b * positions[j]     + c * positions[m];
    const py = a * positions[i + 1] + b * positions[j + 1] + c * positions[m + 1];
    const pz = a * positions[i + 2] + b * positions[j + 2] + c * positions[m + 2];
    at[3 * f] = px; at[3 * f + 1] = py; at[3 * f + 2] = pz;

    const gx = faces[3 * t], gy = faces[3 * t + 1], gz = faces[3 * t + 2];
    const away = gx * (ex - px) + gy * (ey - py) + gz * (ez - pz) < 0;
    const turn = away ? -1 : 1;
    back[f] = away ? 1 : 0;
    let nx = gx, ny = gy, nz = gz;
    const { flat } = styles[mesh[t]];
    if (!flat) {
      nx = a * normals[i]     + b * normals[j]     + c * normals[m];
      ny = a * normals[i + 1] + b * normals[j + 1] + c * normals[m + 1];
      nz = a * normals[i + 2] + b * normals[j + 2] + c * normals[m + 2];
      const length = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1;
      nx /= length; ny /= length; nz /= length;
    }
    normal[3 * f] = turn * nx; normal[3 * f + 1] = turn * ny; normal[3 * f + 2] = turn * nz;
    // The lamp sees facets where we show a curved sheet, and would shade half of a fold's triangles by themselves. So the
    // point is lifted above the tangent planes of its corners, onto the curved sheet (Hanika 2021).
    const lamp = nx * kx + ny * ky + nz * kz >= 0 ? 1 : -1;
    let lx = px, ly = py, lz = pz;
    if (!flat) for (let corner = 0; corner < 3; corner++) {
      const v = corner === 0 ? i : corner === 1 ? j : m, share = corner === 0 ? a : corner === 1 ? b : c;
      const vx = lamp * normals[v], vy = lamp * normals[v + 1], vz = lamp * normals[v + 2];
      const below = (px - positions[v]) * vx + (py - positions[v + 1]) * vy + (pz - positions[v + 2]) * vz;
      if (below < 0) { lx -= share * below * vx; ly -= share * below * vy; lz -= share * below * vz; }
    }
    lampAt[3 * f] = lx; lampAt[3 * f + 1] = ly; lampAt[3 * f + 2] = lz;
    off[3 * f] = lamp * nx; off[3 * f + 1] = lamp * ny; off[3 * f + 2] = lamp * nz;
  }
  return { weights, at, normal, lampAt, off, back };
}
