// biome-ignore-all format: components are kept in columns
/**
 * The point of a triangle or an edge that is nearest to a round body, or deepest in it:
 *
 *   min φ(x(u, v)),   x = y₀ + u a + v b,   u, v ≥ 0, u + v ≤ 1
 *
 * φ is convex (but for the torus), so there is one minimum, it moves continuously with the corners, and by the envelope theorem its slope is that of φ at
 * weights that do not change: rows of it have no kink. Where the body is straight and an edge lies along it the nearest point is not unique; such an
 * edge is no nearer than its ends, and a triangle on a straight side no nearer than its edges, which keep their distance by themselves (body-samples.ts).
 *
 * Newton's method in (u, v) on the triangle, with the curvature of the body and at least LEAST_CURVATURE. Because the body lies behind its tangent plane,
 *
 *   φ(y) ≥ φ(x) + n·(y − x) ≥ φ(x) + min_k n·(y_k − x)         for every y of the triangle
 *
 * is a bound that says when the minimum is found, and when the triangle is farther away than the caller asks about.
 */
import type { ReadonlyF64 } from "../../linalg/arena.ts";
import type { Rigid } from "../../scene/motion.ts";
import { type BodyTable, bodyDistance } from "./colliders.ts";

/** φ (m), n (3) in the world, weights of the corners (3), and φ + n·(yₖ − x) of the corners (3, m): the tangent plane at the nearest point. */
export const NEAREST_LENGTH = 10;
export const NEAREST_NORMAL = 1;
export const NEAREST_WEIGHTS = 4;
export const NEAREST_LEVELS = 7;

/** m: the nearest point is as near as that; four digits of the thinnest film. */
const ENOUGH = 1e-11;
/** In units of 1/longest side: flat sides of a body get so much, and steps along them stay short. */
const LEAST_CURVATURE = 1e-3;
const MOST_ROUNDS = 40;
const MOST_HALVINGS = 12;

const y = new Float64Array(9); // corners in the body's coordinates
const x = new Float64Array(3);
const answer = new Float64Array(10);
const step = new Float64Array(2);

/**
 * @param k    the third corner; j: it is an edge
 * @param far  m: if the whole triangle is at least so far away, φ is a bound instead of the minimum
 */
export function nearestOfTriangle(out: Float64Array, table: BodyTable, body: number, pose: Readonly<Rigid>, Y: ReadonlyF64, i: number, j: number, k: number, far: number): void {
  corner(0, pose, Y, i); corner(3, pose, Y, j); corner(6, pose, Y, k);
  const isEdge = j === k;
  let u = isEdge ? 1 / 2 : 1 / 3, v = isEdge ? 0 : 1 / 3;
  place(u, v);
  bodyDistance(answer, 0, table, body, x, 0);
  for (let round = 0; ; round++) {
    const phi = answer[0];
    let low = Number.POSITIVE_INFINITY;
    for (let c = 0; c < 3; c++) {
      const level = phi + answer[1] * (y[3 * c] - x[0]) + answer[2] * (y[3 * c + 1] - x[1]) + answer[3] * (y[3 * c + 2] - x[2]);
      out[NEAREST_LEVELS + c] = level;
      if (level < low) low = level;
    }
    out[0] = low >= far ? low : phi;
    if (round === MOST_ROUNDS || low >= far || phi - low <= ENOUGH || !(isEdge ? edgeStep(u) : newtonStep(u, v))) break;
    // go as far along the step as φ falls
    let t = 1;
    for (let halving = 0; ; halving++) {
      place(u + t * step[0], v + t * step[1]);
      bodyDistance(answer, 0, table, body, x, 0);
      if (answer[0] < phi || halving === MOST_HALVINGS) break;
      t *= 0.5;
    }
    if (!(answer[0] < phi)) { // nothing lower within rounding
      place(u, v);
      bodyDistance(answer, 0, table, body, x, 0);
      break;
    }
    u += t * step[0]; v += t * step[1];
  }
  const a = answer[1], b = answer[2], c = answer[3];
  out[NEAREST_NORMAL] = pose[0] * a + pose[1] * b + pose[2] * c;
  out[NEAREST_NORMAL + 1] = pose[3] * a + pose[4] * b + pose[5] * c;
  out[NEAREST_NORMAL + 2] = pose[6] * a + pose[7] * b + pose[8] * c;
  out[NEAREST_WEIGHTS] = 1 - u - v; out[NEAREST_WEIGHTS + 1] = u; out[NEAREST_WEIGHTS + 2] = v;
}

/** A corner of less weight takes no part. */
const NOTHING = 1e-9;

/**
 * How the nearest point of the last nearestOfTriangle moves within the triangle, as rows r over the corners (9 numbers each, in the world) whose squares
 * are what the distance lacks to second order, besides the curvature of φ:
 *
 *   m(Y + δ) ≈ m + Σ w n·δ − ½ Σ (r·δ)²,      r = L⁻¹ ∂(∇_{u,v} φ)/∂Y,   L Lᵀ = ∂²φ/∂(u,v)² + ρ
 *
 * A triangle that rocks on a body is held by the point that it comes down to; without these rows a Newton step does not know. On a side without
 * curvature that point jumps from corner to corner: ρ bounds the stiffness by what moves it once across as the triangle tilts by ρ.
 *
 * @returns how many rows: 2 where the nearest point is inside the triangle, 1 on a side, 0 at a corner
 */
export function rockingRows(rows: Float64Array, pose: Readonly<Rigid>, out: ReadonlyF64, rho: number): number {
  let zeros = 0;
  for (let c = 0; c < 3; c++) if (!(out[NEAREST_WEIGHTS + c] > NOTHING)) zeros++;
  if (zeros > 1) return 0;
  // along one or two sides that start at a corner with weight
  const from = out[NEAREST_WEIGHTS] > NOTHING ? 0 : 1, first = out[NEAREST_WEIGHTS + 1] > NOTHING && from === 0 ? 1 : 2, count = 2 - zeros;
  for (let r = 0; r < count; r++) slide(rows, 9 * r, from, r === 0 ? first : 2, out);
  const p = bendOf(from, first, from, first) + rho, L = Math.sqrt(p);
  for (let c = 0; c < 9; c++) rows[c] /= L;
  if (count === 2) {
    const q = bendOf(from, 1, from, 2) / L, M = Math.sqrt(Math.max(0, bendOf(from, 2, from, 2) - q * q) + rho);
    for (let c = 0; c < 9; c++) rows[9 + c] = (rows[9 + c] - q * rows[c]) / M;
  }
  for (let r = 0; r < 9 * count; r += 3) {
    const a = rows[r], b = rows[r + 1], c = rows[r + 2];
    for (let d = 0; d < 3; d++) rows[r + d] = pose[3 * d] * a + pose[3 * d + 1] * b + pose[3 * d + 2] * c;
  }
  return count;
}

/** ∂(n·e)/∂yₖ for the side e from one corner to another, into rows[at…at+9]. */
function slide(rows: Float64Array, at: number, from: number, to: number, out: ReadonlyF64): void {
  const ex = y[3 * to] - y[3 * from], ey = y[3 * to + 1] - y[3 * from + 1], ez = y[3 * to + 2] - y[3 * from + 2];
  const hx = answer[4] * ex + answer[9] * ey + answer[8] * ez, hy = answer[9] * ex + answer[5] * ey + answer[7] * ez, hz = answer[8] * ex + answer[7] * ey + answer[6] * ez;
  for (let k = 0; k < 3; k++) {
    const own = k === to ? 1 : k === from ? -1 : 0, w = out[NEAREST_WEIGHTS + k];
    rows[at + 3 * k] = own * answer[1] + w * hx; rows[at + 3 * k + 1] = own * answer[2] + w * hy; rows[at + 3 * k + 2] = own * answer[3] + w * hz;
  }
}

/** Curvature of φ between two sides. */
function bendOf(a: number, b: number, c: number, d: number): number {
  return curvature(
    y[3 * b] - y[3 * a], y[3 * b + 1] - y[3 * a + 1], y[3 * b + 2] - y[3 * a + 2],
    y[3 * d] - y[3 * c], y[3 * d + 1] - y[3 * c + 1], y[3 * d + 2] - y[3 * c + 2],
  );
}

/** Corner i of the world into y[at…], in the body's coordinates. */
function corner(at: number, R: Readonly<Rigid>, Y: ReadonlyF64, i: number): void {
  const p = Y[3 * i] - R[9], q = Y[3 * i + 1] - R[10], r = Y[3 * i + 2] - R[11];
  y[at]     = R[0] * p + R[3] * q + R[6] * r;
  y[at + 1] = R[1] * p + R[4] * q + R[7] * r;
  y[at + 2] = R[2] * p + R[5] * q + R[8] * r;
}

function place(u: number, v: number): void {
  for (let c = 0; c < 3; c++) x[c] = y[c] + u * (y[3 + c] - y[c]) + v * (y[6 + c] - y[c]);
}

/** The step along an edge to the minimum of the quadratic model on it; false if it does not fall. */
function edgeStep(u: number): boolean {
  const ax = y[3] - y[0], ay = y[4] - y[1], az = y[5] - y[2];
  const g = answer[1] * ax + answer[2] * ay + answer[3] * az, aa = ax * ax + ay * ay + az * az;
  const p = Math.max(0, curvature(ax, ay, az, ax, ay, az)) + LEAST_CURVATURE * Math.sqrt(aa);
  if (!(p > 0)) return false; // without length
  step[0] = Math.max(-u, Math.min(1 - u, -g / p)); step[1] = 0;
  return g * step[0] < 0;
}

/** The step from (u, v) to the minimum of the quadratic model on the triangle; false if it does not fall. */
function newtonStep(u: number, v: number): boolean {
  const ax = y[3] - y[0], ay = y[4] - y[1], az = y[5] - y[2], bx = y[6] - y[0], by = y[7] - y[1], bz = y[8] - y[2];
  const g = answer[1] * ax + answer[2] * ay + answer[3] * az, h = answer[1] * bx + answer[2] * by + answer[3] * bz;
  const aa = ax * ax + ay * ay + az * az, ab = ax * bx + ay * by + az * bz, bb = bx * bx + by * by + bz * bz;
  const least = LEAST_CURVATURE / Math.sqrt(Math.max(aa, bb));
  let p = curvature(ax, ay, az, ax, ay, az) + least * aa, q = curvature(ax, ay, az, bx, by, bz) + least * ab, r = curvature(bx, by, bz, bx, by, bz) + least * bb;
  // a saddle of the torus
  if (!(p > 0 && r > 0 && p * r - q * q > 1e-12 * p * r)) { const turn = Math.max(Math.abs(p / aa), Math.abs(r / bb), least); p = turn * aa; q = turn * ab; r = turn * bb; }
  const det = p * r - q * q;
  if (!(det > 0)) return false; // a triangle without area
  const du = (q * h - r * g) / det, dv = (q * g - p * h) / det;
  step[0] = du; step[1] = dv;
  if (u + du >= 0 && v + dv >= 0 && u + du + v + dv <= 1) return true;
  // else on the side where the model is lowest: v = 0, u = 0, u + v = 1
  let best = 0;
  for (let side = 0; side < 3; side++) {
    const fu = side === 1 ? -u : side === 0 ? 0 : 1 - u - v, fv = side === 0 ? -v : 0; // onto the side
    const eu = side === 1 ? 0 : side === 0 ? 1 : -1, ev = side === 0 ? 0 : 1; // along it
    const slope = g * eu + h * ev + p * fu * eu + q * (fu * ev + fv * eu) + r * fv * ev, bend = p * eu * eu + 2 * q * eu * ev + r * ev * ev;
    const from = side === 0 ? -u : side === 1 ? -v : -v, s = Math.max(from, Math.min(from + 1, -slope / bend));
    const su = fu + s * eu, sv = fv + s * ev;
    const change = g * su + h * sv + 0.5 * (p * su * su + 2 * q * su * sv + r * sv * sv);
    if (change < best) { best = change; step[0] = su; step[1] = sv; }
  }
  return best < 0;
}

/** aᵀ ∂²φ b */
function curvature(ax: number, ay: number, az: number, bx: number, by: number, bz: number): number {
  return answer[4] * ax * bx + answer[5] * ay * by + answer[6] * az * bz + answer[7] * (ay * bz + az * by) + answer[8] * (ax * bz + az * bx) + answer[9] * (ax * by + ay * bx);
}
