// biome-ignore-all format: components are kept in columns
/**
 * Triangles against bodies with a formula: the point of a triangle that is nearest to a body, and safe times of moving triangles.
 *
 * Points alone do not keep a sheet out of a body: the corner of a box pokes through the middle of a triangle, and a ball reaches
 * ℓ²/8R beyond the chord of an edge. The nearest point of the triangle to the body does:
 *
 *   φₘ = min over weights w ≥ 0, Σw = 1 of φ(Σ wₖ yₖ)        ∂φₘ/∂yₖ = wₖ n        (envelope theorem, as in distance.ts)
 *
 * φ is convex for all bodies but the torus, and smooth outside, so this is a convex problem in two unknowns. For boxes and table edges, whose cores
 * have flat sides, corners and edges are tried one by one. For round bodies: Newton with the Hessian of bodyDistance, each step a
 * quadratic program on the triangle solved by trying its inside and its edges, and a line search on the slope. Inside, where φ
 * has ridges, the answer is some point of the triangle that is inside too. Convexity also certifies the answer: at any point y
 * of the triangle, with n = ∇φ(y),
 *
 *   φ(y) − gap ≤ φₘ ≤ φ(y),         gap = maxₖ n·(y − yₖ)
 *
 * which is the stop criterion, and what safe times are counted from. For the torus, which has no such bound, it is a local minimum
 * from the best of the corners and the centre, and safe times are those of the corners and that point.
 *
 * An edge is the triangle (i, j, j), a point (i, i, i).
 */
import type { ReadonlyF64 } from "../../linalg/arena.ts";
import type { Rigid } from "../../scene/motion.ts";
import { type BodyTable, bodyDistance, DISTANCE_LENGTH, isConvex, poseAt, sharpEdges } from "./colliders.ts";
import { edgeEdge, pointTriangle } from "./distance.ts";

/** The search ends when φₘ is known to this share of the triangle's size. At 1e-6 the force on the corners is off by as much; 1e-12 costs one more step. */
const EXACT = 1e-9;
const MOST_STEPS = 40;

const corner = new Float64Array(9); // corners in body coordinates
const y = new Float64Array(3);
const now = new Float64Array(DISTANCE_LENGTH);
const next = new Float64Array(DISTANCE_LENGTH);
const step = new Float64Array(2);
const found = new Float64Array(4); // φ at the nearest point, its weights 1 and 2, and the gap
/** Evaluations of φ by the last call; for tests and tuning. */
export const evaluations: Int32Array = new Int32Array(1);

/**
 * The point of triangle (i, j, l) nearest to body b at `pose`: phi[k] m and w[3k … 3k+2], its weights. Its normal is
 * worldDistance's at that point.
 */
export function triangleDistance(
  phi: Float64Array, w: Float64Array, k: number, table: BodyTable, b: number, pose: Readonly<Rigid>,
  Y: ReadonlyF64, i: number, j: number, l: number,
): void {
  loadCorner(0, pose, Y[3 * i], Y[3 * i + 1], Y[3 * i + 2]);
  loadCorner(1, pose, Y[3 * j], Y[3 * j + 1], Y[3 * j + 2]);
  loadCorner(2, pose, Y[3 * l], Y[3 * l + 1], Y[3 * l + 2]);
  nearest(table, b);
  phi[k] = found[0];
  w[3 * k] = Math.max(0, 1 - found[1] - found[2]); w[3 * k + 1] = found[1]; w[3 * k + 2] = found[2];
}

const LEAVE = 0.1, ENOUGH = 0.2, ROUNDING = 16 * 2 ** -52, MOST_ROUNDS = 256;
const poseNow = new Float64Array(12);

/**
 * Safe time of triangle (i, j, l), which moves by dY, and body b, which moves by `sweep` from pose `from`; as sweptPointTime in colliders.ts, for
 * every point of the triangle.
 */
export function sweptTriangleTime(
  time: Float64Array, k: number, table: BodyTable, b: number, from: Readonly<Rigid>, sweep: Float64Array,
  Y: ReadonlyF64, dY: ReadonlyF64, i: number, j: number, l: number, minSeparation: number, reach: number, limit: number,
): void {
  const ω = sweep[9], convex = isConvex(table, b);
  let fastest = 0, radius = 0, size = 0;
  for (let m = 0; m < 3; m++) {
    const p = 3 * (m === 0 ? i : m === 1 ? j : l);
    const vx = dY[p] - sweep[3], vy = dY[p + 1] - sweep[4], vz = dY[p + 2] - sweep[5];
    const rx = Y[p] - sweep[0], ry = Y[p + 1] - sweep[1], rz = Y[p + 2] - sweep[2];
    const ex = rx + limit * vx, ey = ry + limit * vy, ez = rz + limit * vz;
    fastest = Math.max(fastest, vx * vx + vy * vy + vz * vz);
    radius = Math.max(radius, rx * rx + ry * ry + rz * rz, ex * ex + ey * ey + ez * ez);
    size = Math.max(size, Math.abs(Y[p]), Math.abs(Y[p + 1]), Math.abs(Y[p + 2]));
  }
  const speed = Math.sqrt(fastest);
  radius = Math.sqrt(radius);
  const keep = minSeparation + ROUNDING * (size + radius);

  let t = 0, leave = 0, enough = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    poseAt(poseNow, from, sweep, t);
    for (let m = 0; m < 3; m++) {
      const p = 3 * (m === 0 ? i : m === 1 ? j : l);
      loadCorner(m, poseNow, Y[p] + t * dY[p], Y[p + 1] + t * dY[p + 1], Y[p + 2] + t * dY[p + 2]);
    }
    nearest(table, b);
    const gap = found[0] - found[3] - keep; // the certified lower bound
    if (round === 0) {
      if (!(gap > 0)) break;
      leave = LEAVE * Math.min(gap, reach);
      enough = ENOUGH * Math.min(gap, reach);
    } else if (gap <= enough) break;

    let τ = (gap - leave) / (speed + ω * radius);
    if (convex) {
      // every point stays before the tangent plane at the nearest one at least until a corner, moved along it, does not
      const A = 2 * ω * speed + ω * ω * radius;
      const nx = poseNow[0] * now[1] + poseNow[1] * now[2] + poseNow[2] * now[3];
      const ny = poseNow[3] * now[1] + poseNow[4] * now[2] + poseNow[5] * now[3];
      const nz = poseNow[6] * now[1] + poseNow[7] * now[2] + poseNow[8] * now[3];
      let plane = Number.POSITIVE_INFINITY;
      for (let m = 0; m < 3; m++) {
        const p = 3 * (m === 0 ? i : m === 1 ? j : l);
        const vx = dY[p] - sweep[3], vy = dY[p + 1] - sweep[4], vz = dY[p + 2] - sweep[5];
        const rx = Y[p] + t * dY[p] - poseNow[9], ry = Y[p + 1] + t * dY[p + 1] - poseNow[10], rz = Y[p + 2] + t * dY[p + 2] - poseNow[11];
        const wx = vx - ω * (sweep[7] * rz - sweep[8] * ry);
        const wy = vy - ω * (sweep[8] * rx - sweep[6] * rz);
        const wz = vz - ω * (sweep[6] * ry - sweep[7] * rx);
        const rate = nx * wx + ny * wy + nz * wz;
        const height = now[1] * (corner[3 * m] - y[0]) + now[2] * (corner[3 * m + 1] - y[1]) + now[3] * (corner[3 * m + 2] - y[2]);
        const room = found[0] + height - keep - leave;
        if (!(room > 0)) { plane = 0; break; }
        const divisor = Math.sqrt(rate * rate + 2 * A * room) - rate;
        if (divisor > 0) plane = Math.min(plane, (2 * room) / divisor);
      }
      τ = Math.max(τ, plane);
    }
    t += τ;
    if (!(t < limit)) { t = limit; break; }
  }
  time[k] = t;
}

/** y = Rᵀ(x − c) of corner m. */
function loadCorner(m: number, pose: Readonly<Rigid>, px: number, py: number, pz: number): void {
  const x = px - pose[9], u = py - pose[10], z = pz - pose[11];
  corner[3 * m]     = pose[0] * x + pose[3] * u + pose[6] * z;
  corner[3 * m + 1] = pose[1] * x + pose[4] * u + pose[7] * z;
  corner[3 * m + 2] = pose[2] * x + pose[5] * u + pose[8] * z;
}

/** φ at the point with weights (1 − s − t, s, t), which is left in y. */
function evaluate(out: Float64Array, table: BodyTable, b: number, s: number, t: number): void {
  const r = 1 - s - t;
  y[0] = r * corner[0] + s * corner[3] + t * corner[6];
  y[1] = r * corner[1] + s * corner[4] + t * corner[7];
  y[2] = r * corner[2] + s * corner[5] + t * corner[8];
  evaluations[0]++;
  bodyDistance(out, 0, table, b, y, 0);
}

/** Minimises φ over the loaded triangle; leaves found, now (φ, n, Hessian there) and y. */
function nearest(table: BodyTable, b: number): void {
  evaluations[0] = 0;
  const edges = sharpEdges(solid, table, b, corner);
  if (edges >= 0) {
    nearestOfSharp(table, b, edges);
    // a triangle that cuts through the body without any of these near is found by going down from there
    if (found[3] > EXACT * length()) descend(table, b, found[1], found[2]);
    return;
  }
  // start from the best of the centre and the corners
  let s = 1 / 3, t = 1 / 3;
  evaluate(now, table, b, s, t);
  for (let m = 0; m < 3; m++) {
    evaluate(next, table, b, m === 1 ? 1 : 0, m === 2 ? 1 : 0);
    if (next[0] < now[0]) { s = m === 1 ? 1 : 0; t = m === 2 ? 1 : 0; now.set(next); }
  }
  descend(table, b, s, t);
}

/** The longer of the edges at corner 0, m. */
function length(): number {
  const ex = corner[3] - corner[0], ey = corner[4] - corner[1], ez = corner[5] - corner[2];
  const fx = corner[6] - corner[0], fy = corner[7] - corner[1], fz = corner[8] - corner[2];
  return Math.sqrt(Math.max(ex * ex + ey * ey + ez * ez, fx * fx + fy * fy + fz * fz));
}

const solid = new Float64Array(36); // the triangle's corners as points 0 … 2, then those of the body's core
const d2 = new Float64Array(1);
const w4 = new Float64Array(4);

/**
 * Bodies whose core (the body without its rounding) has flat sides: what is nearest is a corner of one and a side of the other, or two edges.
 * Trying them is exact where Newton would creep along kinks.
 */
function nearestOfSharp(table: BodyTable, b: number, edges: number): void {
  let s = 0, t = 0, best = Number.POSITIVE_INFINITY, core = Number.POSITIVE_INFINITY;
  for (let m = 0; m < 3; m++) {
    evaluate(next, table, b, m === 1 ? 1 : 0, m === 2 ? 1 : 0);
    if (next[0] < best) { best = next[0]; s = m === 1 ? 1 : 0; t = m === 2 ? 1 : 0; }
  }
  // against the core's corners and edges, each by its distance, which is φ and the rounding
  solid.set(corner);
  for (let q = 0; q < edges; q++) {
    const a = EDGES[2 * q], e = EDGES[2 * q + 1];
    for (let m = 0; m < 3; m++) {
      edgeEdge(d2, w4, 0, solid, m, m === 2 ? 0 : m + 1, 3 + a, 3 + e);
      if (d2[0] >= core) continue;
      core = d2[0];
      trial[0] = m === 0 ? w4[1] : m === 1 ? w4[0] : 0;
      trial[1] = m === 1 ? w4[1] : m === 2 ? w4[0] : 0;
    }
  }
  for (let q = 0; q < (edges === 12 ? 8 : 0); q++) {
    pointTriangle(d2, w4, 0, solid, 3 + q, 0, 1, 2);
    if (d2[0] >= core) continue;
    core = d2[0];
    trial[0] = -w4[2]; trial[1] = -w4[3];
  }
  if (core < Number.POSITIVE_INFINITY) {
    evaluate(next, table, b, trial[0], trial[1]);
    if (next[0] < best) { s = trial[0]; t = trial[1]; }
  }
  evaluate(now, table, b, s, t);
  found[0] = now[0]; found[1] = s; found[2] = t; found[3] = certificate(s, t);
}

const trial = new Float64Array(2); // weights 1 and 2 of the nearest feature so far

/** Pairs of corners of a box, numbered by their bits x, y, z; the first serves an edge that is a line. */
const EDGES = [0, 2, 0, 1, 0, 4, 1, 3, 1, 5, 2, 3, 2, 6, 4, 5, 4, 6, 3, 7, 5, 7, 6, 7];

/** gap = maxₖ n·(y − yₖ), with n and y of the last evaluation into `now`. */
function certificate(s: number, t: number): number {
  const g = now[1] * (corner[3] - corner[0]) + now[2] * (corner[4] - corner[1]) + now[3] * (corner[5] - corner[2]);
  const h = now[1] * (corner[6] - corner[0]) + now[2] * (corner[7] - corner[1]) + now[3] * (corner[8] - corner[2]);
  const here = s * g + t * h;
  return Math.max(0, here, here - g, here - h);
}

/** Newton from the weights s and t, where `now` was evaluated. */
function descend(table: BodyTable, b: number, fromS: number, fromT: number): void {
  const ex = corner[3] - corner[0], ey = corner[4] - corner[1], ez = corner[5] - corner[2];
  const fx = corner[6] - corner[0], fy = corner[7] - corner[1], fz = corner[8] - corner[2];
  const size = length();
  let s = fromS, t = fromT, best = now[0];
  let gap = 0;
  for (let round = 0; ; round++) {
    // slopes along the edges; gap = maxₖ n·(y − yₖ)
    const g = now[1] * ex + now[2] * ey + now[3] * ez, h = now[1] * fx + now[2] * fy + now[3] * fz;
    gap = certificate(s, t);
    if (gap <= EXACT * size || round === MOST_STEPS) break;

    // the quadratic model, made convex, and a little more so that it has one minimum
    const hx = now[4] * ex + now[9] * ey + now[8] * ez, hy = now[9] * ex + now[5] * ey + now[7] * ez, hz = now[8] * ex + now[7] * ey + now[6] * ez;
    let A = hx * ex + hy * ey + hz * ez;
    const B = hx * fx + hy * fy + hz * fz;
    let D = (now[4] * fx + now[9] * fy + now[8] * fz) * fx + (now[9] * fx + now[5] * fy + now[7] * fz) * fy + (now[8] * fx + now[7] * fy + now[6] * fz) * fz;
    const lowest = (A + D) / 2 - Math.sqrt(((A - D) / 2) ** 2 + B * B), shift = Math.max(0, -lowest) + 1e-9 * size;
    A += shift; D += shift;
    quadraticOnTriangle(s, t, g, h, A, B, D);
    const ds = step[0] - s, dt = step[1] - t;

    // along the step: take it all, or the place where the slope turns, by bisection and false position in turn
    const downhill = g * ds + h * dt;
    let lo = 0, hi = 1, slopeLo = downhill, slopeHi = 0, a = 1;
    for (let tries = 0; ; tries++) {
      evaluate(next, table, b, s + a * ds, t + a * dt);
      const slope = next[1] * (ex * ds + fx * dt) + next[2] * (ey * ds + fy * dt) + next[3] * (ez * ds + fz * dt);
      if (Math.abs(slope) <= -0.3 * downhill || (a === 1 && slope < 0) || tries === 12) break;
      if (slope > 0) { hi = a; slopeHi = slope; } else { lo = a; slopeLo = slope; }
      const split = tries % 2 === 0 ? slopeLo / (slopeLo - slopeHi) : 0.5;
      a = lo + (hi - lo) * split;
    }
    if (!(next[0] < best)) break; // rounding: nothing left to gain
    s += a * ds; t += a * dt;
    best = next[0];
    now.set(next);
  }
  // y holds the last trial: back to the best
  const r = 1 - s - t;
  y[0] = r * corner[0] + s * corner[3] + t * corner[6];
  y[1] = r * corner[1] + s * corner[4] + t * corner[7];
  y[2] = r * corner[2] + s * corner[5] + t * corner[8];
  found[0] = now[0]; found[1] = s; found[2] = t; found[3] = gap;
}

/** The minimum of g·ds + h·dt + ½(A ds² + 2B ds dt + D dt²) with (s + ds, t + dt) in the triangle, written to `step` as (s, t). */
function quadraticOnTriangle(s: number, t: number, g: number, h: number, A: number, B: number, D: number): void {
  const det = A * D - B * B;
  if (det > 0) {
    const u = s + (B * h - D * g) / det, v = t + (B * g - A * h) / det;
    if (u >= 0 && v >= 0 && u + v <= 1) { step[0] = u; step[1] = v; return; }
  }
  // the edges t = 0, s = 0 and s + t = 1, each a parabola
  const onS = clamp((A * s + B * t - g) / A);
  const onT = clamp((B * s + D * t - h) / D);
  const C = A - 2 * B + D;
  const onC = clamp(s + ((B - D) * (s + t - 1) - g + h) / C);
  step[0] = onS; step[1] = 0;
  let least = model(onS - s, -t, g, h, A, B, D);
  const second = model(-s, onT - t, g, h, A, B, D);
  if (second < least) { least = second; step[0] = 0; step[1] = onT; }
  if (model(onC - s, 1 - onC - t, g, h, A, B, D) < least) { step[0] = onC; step[1] = 1 - onC; }
}

function model(x: number, z: number, g: number, h: number, A: number, B: number, D: number): number {
  return g * x + h * z + 0.5 * (A * x * x + 2 * B * x * z + D * z * z);
}

function clamp(x: number): number {
  return Math.min(1, Math.max(0, x));
}
