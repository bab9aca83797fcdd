// biome-ignore-all format: components are kept in columns
/**
 * Distances between points, edges and triangles, as weights on four points.
 *
 * Every pair is four points x₀…x₃ and four weights w with Σ w = 0, so that the vector between the closest points is
 *
 *   δ = Σₖ wₖ xₖ          d² = |δ|²
 *   point–triangle (p, a, b, c):   w = (1, −u, −v, −t)              u + v + t = 1
 *   edge–edge (a, b; c, e):        w = (1−s, s, −(1−t), −t)
 *
 * The weights minimise d², hence (envelope theorem) its gradient sees them as constants: ∂d²/∂xₖ = 2 wₖ δ, exactly,
 * wherever d² is differentiable. A weight is exactly 0 when its point takes no part; `support` reads the closest
 * feature from that.
 *
 * The trap: formulas by dot products lose half the digits on needles and on nearly parallel edges, where
 * |u|²|v|² − (u·v)² cancels. Here the parameters come from cross products, which leaves an error of a few
 * units in the last place of the coordinates in d, whatever the shape. Whatever the rounding, the weights belong to
 * points of both features, so a returned distance is never below the true one by more than that.
 * Where no interior solution exists (zero-length, collinear, parallel) the end features are tried in a fixed order.
 *
 * Results go into arrays, results[k] and weights[4k…4k+3]: a double returned from a function that is not inlined
 * is a heap allocation in JavaScript.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";

/**
 * sin² of the angle below which two directions count as parallel. At 1e-30 (1e-15 rad) the direction of the cross product is noise,
 * while taking end features instead costs at most 1e-15 of the length in d. At 10× nothing changes.
 */
const PARALLEL = 1e-30;

/**
 * Squared distance of point p and triangle (a, b, c).
 *
 * @param d2  out, d2[k] m²
 * @param w   out, w[4k … 4k+3] = (1, −u, −v, −t), 1
 * @param Y   [3n] m; p, a, b, c are points of it
 */
export function pointTriangle(d2: Float64Array, w: Float64Array, k: number, Y: ReadonlyF64, p: number, a: number, b: number, c: number): void {
  const px = Y[3 * p], py = Y[3 * p + 1], pz = Y[3 * p + 2];
  // relative to p, which keeps small distances exact
  const ax = Y[3 * a] - px, ay = Y[3 * a + 1] - py, az = Y[3 * a + 2] - pz;
  const bx = Y[3 * b] - px, by = Y[3 * b + 1] - py, bz = Y[3 * b + 2] - pz;
  const cx = Y[3 * c] - px, cy = Y[3 * c + 1] - py, cz = Y[3 * c + 2] - pz;
  const ux = bx - ax, uy = by - ay, uz = bz - az;
  const vx = cx - ax, vy = cy - ay, vz = cz - az;
  const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const nn = nx * nx + ny * ny + nz * nz;
  const uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz;
  w[4 * k] = 1;

  // inside the face: areas of (p,b,c), (p,c,a), (p,a,b) seen along n, all positive
  if (nn > PARALLEL * uu * vv) {
    const A = nx * (by * cz - bz * cy) + ny * (bz * cx - bx * cz) + nz * (bx * cy - by * cx);
    const B = nx * (cy * az - cz * ay) + ny * (cz * ax - cx * az) + nz * (cx * ay - cy * ax);
    const C = nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx);
    if (A > 0 && B > 0 && C > 0) {
      const s = 1 / (A + B + C), β = B * s, γ = C * s, α = 1 - β - γ;
      if (α > 0) {
        const x = ax + β * ux + γ * vx, y = ay + β * uy + γ * vy, z = az + β * uz + γ * vz;
        d2[k] = x * x + y * y + z * z;
        w[4 * k + 1] = -α; w[4 * k + 2] = -β; w[4 * k + 3] = -γ;
        return;
      }
    }
  }

  // else on one of the edges (a,b), (b,c), (c,a): the nearest, the first of equals
  let t = segment(ax, ay, az, bx, by, bz);
  let x = ax + t * ux, y = ay + t * uy, z = az + t * uz;
  let best = x * x + y * y + z * z;
  w[4 * k + 1] = -(1 - t); w[4 * k + 2] = -t; w[4 * k + 3] = 0;
  t = segment(bx, by, bz, cx, cy, cz);
  x = bx + t * (cx - bx); y = by + t * (cy - by); z = bz + t * (cz - bz);
  let e = x * x + y * y + z * z;
  if (e < best) { best = e; w[4 * k + 1] = 0; w[4 * k + 2] = -(1 - t); w[4 * k + 3] = -t; }
  t = segment(cx, cy, cz, ax, ay, az);
  x = cx - t * vx; y = cy - t * vy; z = cz - t * vz;
  e = x * x + y * y + z * z;
  if (e < best) { best = e; w[4 * k + 1] = -t; w[4 * k + 2] = 0; w[4 * k + 3] = -(1 - t); }
  d2[k] = best;
}

/**
 * Squared distance of the edges (a, b) and (c, e).
 *
 * @param d2  out, d2[k] m²
 * @param w   out, w[4k … 4k+3] = (1−s, s, −(1−t), −t), 1
 */
export function edgeEdge(d2: Float64Array, w: Float64Array, k: number, Y: ReadonlyF64, a: number, b: number, c: number, e: number): void {
  const ax = Y[3 * a], ay = Y[3 * a + 1], az = Y[3 * a + 2];
  // relative to a
  const ux = Y[3 * b] - ax, uy = Y[3 * b + 1] - ay, uz = Y[3 * b + 2] - az;
  const cx = Y[3 * c] - ax, cy = Y[3 * c + 1] - ay, cz = Y[3 * c + 2] - az;
  const ex = Y[3 * e] - ax, ey = Y[3 * e + 1] - ay, ez = Y[3 * e + 2] - az;
  const vx = ex - cx, vy = ey - cy, vz = ez - cz;
  const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
  const nn = nx * nx + ny * ny + nz * nz;
  const uu = ux * ux + uy * uy + uz * uz, vv = vx * vx + vy * vy + vz * vz;

  // inside both: s = (c×v)·n/nn on the first line, then the best t for it
  if (nn > PARALLEL * uu * vv) {
    const s = (nx * (cy * vz - cz * vy) + ny * (cz * vx - cx * vz) + nz * (cx * vy - cy * vx)) / nn;
    if (s > 0 && s < 1) {
      const rx = s * ux - cx, ry = s * uy - cy, rz = s * uz - cz;
      const t = (rx * vx + ry * vy + rz * vz) / vv;
      if (t > 0 && t < 1) {
        const x = rx - t * vx, y = ry - t * vy, z = rz - t * vz;
        d2[k] = x * x + y * y + z * z;
        w[4 * k] = 1 - s; w[4 * k + 1] = s; w[4 * k + 2] = -(1 - t); w[4 * k + 3] = -t;
        return;
      }
    }
  }

  // else an end of one and the other edge: a, b, c, e in this order; the first of equals
  let t = segment(cx, cy, cz, ex, ey, ez);
  let x = cx + t * vx, y = cy + t * vy, z = cz + t * vz;
  let best = x * x + y * y + z * z;
  w[4 * k] = 1; w[4 * k + 1] = 0; w[4 * k + 2] = -(1 - t); w[4 * k + 3] = -t;
  t = segment(cx - ux, cy - uy, cz - uz, ex - ux, ey - uy, ez - uz);
  x = cx - ux + t * vx; y = cy - uy + t * vy; z = cz - uz + t * vz;
  let f = x * x + y * y + z * z;
  if (f < best) { best = f; w[4 * k] = 0; w[4 * k + 1] = 1; w[4 * k + 2] = -(1 - t); w[4 * k + 3] = -t; }
  t = segment(-cx, -cy, -cz, ux - cx, uy - cy, uz - cz);
  x = t * ux - cx; y = t * uy - cy; z = t * uz - cz;
  f = x * x + y * y + z * z;
  if (f < best) { best = f; w[4 * k] = 1 - t; w[4 * k + 1] = t; w[4 * k + 2] = -1; w[4 * k + 3] = 0; }
  t = segment(-ex, -ey, -ez, ux - ex, uy - ey, uz - ez);
  x = t * ux - ex; y = t * uy - ey; z = t * uz - ez;
  f = x * x + y * y + z * z;
  if (f < best) { best = f; w[4 * k] = 1 - t; w[4 * k + 1] = t; w[4 * k + 2] = 0; w[4 * k + 3] = -1; }
  d2[k] = best;
}

/** Where on the segment from a to b the origin projects: t in [0, 1], exactly 0 or 1 beyond its ends, 0 if it has no length. */
function segment(ax: number, ay: number, az: number, bx: number, by: number, bz: number): number {
  const x = bx - ax, y = by - ay, z = bz - az;
  const length2 = x * x + y * y + z * z;
  const along = -(ax * x + ay * y + az * z);
  if (!(along > 0)) return 0; // also where length2 = 0
  return along < length2 ? along / length2 : 1;
}

/** Earlier distances of pairs: no pair is nearer than it was then, less the displacements of its points since. */
export interface Before {
  /** [pairs] m */
  readonly distance: Float64Array;
  /** [points] m, displacement since then, or the displacement bound */
  readonly displacement: Float64Array;
}

/** Not more than the distance of pair k, m. */
export function leastDistance({ distance, displacement }: Before, pairs: ReadonlyI32, k: number, first: number): number {
  const a = displacement[pairs[4 * k]], b = displacement[pairs[4 * k + 1]], c = displacement[pairs[4 * k + 2]], e = displacement[pairs[4 * k + 3]];
  const last = Math.max(c, e);
  return distance[k] - Math.max(b, first === 1 ? last : a) - (first === 1 ? a : last);
}

/** Squared distances of many pairs, four points each: point and triangle (first = 1) or edge and edge (first = 2); d2 [count] m². */
export function squaredDistances(d2: Float64Array, pairs: ReadonlyI32, count: number, first: number, Y: ReadonlyF64): void {
  for (let k = 0; k < count; k++) {
    const a = pairs[4 * k], b = pairs[4 * k + 1], c = pairs[4 * k + 2], e = pairs[4 * k + 3];
    if (first === 1) pointTriangle(one, weights, 0, Y, a, b, c, e);
    else edgeEdge(one, weights, 0, Y, a, b, c, e);
    d2[k] = one[0];
  }
}
const one = new Float64Array(1), weights = new Float64Array(4);

/** Bit m is set where weight m of pair k is not zero: which of the four points the closest feature has. */
export function support(w: ReadonlyF64, k: number): number {
  return (w[4 * k] !== 0 ? 1 : 0) | (w[4 * k + 1] !== 0 ? 2 : 0) | (w[4 * k + 2] !== 0 ? 4 : 0) | (w[4 * k + 3] !== 0 ? 8 : 0);
}

/** δ = Σ w x of pair k, written to out[at … at+2], m. */
export function separation(out: Float64Array, at: number, w: ReadonlyF64, k: number, Y: ReadonlyF64, a: number, b: number, c: number, e: number): void {
  // weights sum to zero: with x₀ as origin its weight drops out, and so does most of the rounding
  const x = Y[3 * a], y = Y[3 * a + 1], z = Y[3 * a + 2];
  const wb = w[4 * k + 1], wc = w[4 * k + 2], we = w[4 * k + 3];
  out[at]     = wb * (Y[3 * b]     - x) + wc * (Y[3 * c]     - x) + we * (Y[3 * e]     - x);
  out[at + 1] = wb * (Y[3 * b + 1] - y) + wc * (Y[3 * c + 1] - y) + we * (Y[3 * e + 1] - y);
  out[at + 2] = wb * (Y[3 * b + 2] - z) + wc * (Y[3 * c + 2] - z) + we * (Y[3 * e + 2] - z);
}

/** sin² of the angle below which edge pairs are faded out. */
const NEARLY_PARALLEL = 1e-3;

/**
 * The factor that fades out nearly parallel edge pairs (Li et al. 2020, Incremental Potential Contact, §4.3).
 *
 * The closest points of two edges jump when they pass through parallel, and the gradient of d with them: the barrier has a kink there, and
 * hems that lie on each other do not come to rest. The barrier of an edge pair is therefore multiplied by
 *
 *   e(s) = s/ε (2 − s/ε)  for s < ε, else 1       s = |u × v|²/|u|²|v|²
 *
 * which is C¹, and 0 where they are parallel: there the point–triangle pairs around hold the contact. Rounded to 64ths, so that it is constant at rest.
 */
export function parallelFactor(Y: ReadonlyF64, a: number, b: number, c: number, e: number): number {
  const ux = Y[3 * b] - Y[3 * a], uy = Y[3 * b + 1] - Y[3 * a + 1], uz = Y[3 * b + 2] - Y[3 * a + 2];
  const vx = Y[3 * e] - Y[3 * c], vy = Y[3 * e + 1] - Y[3 * c + 1], vz = Y[3 * e + 2] - Y[3 * c + 2];
  const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
  const cross = x * x + y * y + z * z;
  const most = NEARLY_PARALLEL * (ux * ux + uy * uy + uz * uz) * (vx * vx + vy * vy + vz * vz);
  if (cross >= most && most > 0) return 1;
  const s = most > 0 ? cross / most : 0;
  return Math.floor(64 * s * (2 - s) + 0.5) / 64;
}

/** Whether the first `length` numbers of both are the same. */
export function isSame(a: ReadonlyF64, b: ReadonlyF64, length: number): boolean {
  for (let k = 0; k < length; k++) if (a[k] !== b[k]) return false;
  return true;
}

/** m: the longest of n displacements. */
export function longestVector(p: ReadonlyF64, n: number): number {
  let most = 0;
  for (let k = 0; k < 3 * n; k += 3)
    most = Math.max(most, p[k] * p[k] + p[k + 1] * p[k + 1] + p[k + 2] * p[k + 2]);
  return Math.sqrt(most);
}
