// biome-ignore-all format: components are kept in columns
/**
 * Bodies with a formula: signed distance φ, its gradient n and its Hessian in the body's own coordinates, and φ and n in the world.
 *
 *   plane      n·y                                     through the origin
 *   sphere     |y| − r
 *   box        |max(q, 0)| + min(max q, 0) − r         q = |y| − (size/2 − r), r the rounding
 *   capsule    distance to a segment − r               axis z, `length` from centre to centre of its ends
 *   cylinder   the box formula in (ρ, z) − r           axis z, centred, ρ² = x² + y²
 *   cone       distance to its inset profile in (ρ, z) − r       axis z, base at −length/2, apex at +length/2
 *   torus      |(ρ − major, z)| − minor                ring in the plane z = 0
 *   edge       the box formula in (x, z) − r           the table fills x ≤ 0, z ≤ 0; its edge runs along y
 *
 * Rounding keeps the outer size: a box of size 1 with rounding 0.1 is still 1 wide. All are true distances, outside and
 * inside, hence |∇φ| = 1, and all but the torus are convex. A surface of revolution whose profile has the normal (nρ, nz) and the curvature κ has
 *
 *   ∂²φ = κ t tᵀ + (nρ/ρ) h hᵀ          t the tangent of the profile, h the direction around the axis
 *
 * Poses are the twelve numbers of motion.ts (Rigid): R by rows, then c. World and body: x = R y + c.
 *
 * Moving bodies: sweptPointTime advances a point and a body together, as ccd.ts does two features. Between two poses the centre moves straight and the
 * body turns with constant speed ω about it. Since the slope of φ is 1,
 *
 *   φ(t + τ) ≥ φ(t) − τ (|v| + ω·r)                            v = relative velocity, r ≥ |x − c| from t on
 *   φ(t + τ) ≥ φ(t) + τ n·ẏ − ½ τ² (2 ω|v| + ω² r)             convex bodies lie behind their tangent plane
 *
 * and the larger of both steps is taken. Nothing tunnels, however fast. Turning by half a turn or more in one step is ambiguous
 * from two poses; the shorter way is taken.
 */

import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { atan2, cos, sin } from "../../linalg/elementary.ts";
import type { Rigid } from "../../scene/motion.ts";
import type { Body } from "../../scene/scene.ts";

/** Analytic bodies as numbers, for loops and kernels. */
export interface BodyTable {
  readonly count: number;
  /** [count] PLANE, SPHERE, … */
  readonly kind: Int32Array;
  /** [8·count] what each kind's case in bodyDistance says. */
  readonly parameters: Float64Array;
}

const PLANE = 0, SPHERE = 1, BOX = 2, CAPSULE = 3, CYLINDER = 4, CONE = 5, TORUS = 6, EDGE = 7;

/** Is body b convex? Then it lies behind every tangent plane. */
export function isConvex(table: BodyTable, b: number): boolean {
  return table.kind[b] !== TORUS;
}

/** Numbers per answer of bodyDistance: φ, n (3), Hessian xx yy zz yz xz xy. */
export const DISTANCE_LENGTH = 10;

/** The bodies that have a formula; those of type mesh are mesh-body.ts's. */
export function prepareBodies(memory: Allocator, bodies: readonly Exclude<Body, { type: "mesh" }>[]): BodyTable {
  const kind = memory.i32(bodies.length), parameters = memory.f64(8 * bodies.length);
  const table: BodyTable = { count: bodies.length, kind, parameters };
  if (kind.length < bodies.length) return table; // only counting
  bodies.forEach((body, b) => {
    const [k, ...numbers] = numbersOf(body);
    kind[b] = k;
    parameters.set(numbers, 8 * b);
  });
  return table;
}

function numbersOf(body: Exclude<Body, { type: "mesh" }>): number[] {
  switch (body.type) {
    case "plane": {
      const [x, y, z] = body.normal, length = Math.sqrt(x * x + y * y + z * z);
      return length > 0 ? [PLANE, x / length, y / length, z / length] : [PLANE, 0, 0, 1];
    }
    case "sphere": return [SPHERE, body.radius];
    case "box": {
      const [a, b, c] = body.size, r = Math.min(body.rounding, a / 2, b / 2, c / 2);
      return [BOX, a / 2 - r, b / 2 - r, c / 2 - r, r];
    }
    case "capsule": return [CAPSULE, body.length / 2, body.radius];
    case "cylinder": {
      const r = Math.min(body.rounding, body.radius, body.length / 2);
      return [CYLINDER, body.radius - r, body.length / 2 - r, r];
    }
    case "cone": {
      // the profile triangle moved inwards by r, at most to its in-centre
      const { radius: R, length: L } = body, S = Math.sqrt(R * R + L * L);
      const r = Math.min(body.rounding, (R * L) / (S + R));
      const base = -L / 2 + r, apex = Math.max(base, L / 2 - (r * S) / R), rim = Math.max(0, R - (r * (S + R)) / L);
      return [CONE, rim, base, apex, r, L / S, R / S];
    }
    case "torus": return [TORUS, body.major, body.minor];
    case "edge": return [EDGE, body.radius];
  }
}

/**
 * φ, n and ∂²φ of body b at y (its own coordinates): out[at] m, out[at+1 … at+3] 1, out[at+4 … at+9] 1/m as xx yy zz yz xz xy.
 * Where n is not unique (centres, axes, inside ridges) one of them is given.
 */
export function bodyDistance(out: Float64Array, at: number, table: BodyTable, b: number, y: ReadonlyF64, yAt: number): void {
  const P = table.parameters, p = 8 * b, kind = table.kind[b];
  const x = y[yAt], u = y[yAt + 1], z = y[yAt + 2];
  if (kind === PLANE) {
    out[at] = P[p] * x + P[p + 1] * u + P[p + 2] * z;
    out[at + 1] = P[p]; out[at + 2] = P[p + 1]; out[at + 3] = P[p + 2];
    noCurvature(out, at);
  } else if (kind === SPHERE) {
    const d = Math.sqrt(x * x + u * u + z * z);
    if (d > 0) roundAll(out, at, d, x / d, u / d, z / d);
    else roundAll(out, at, 0, 0, 0, 1);
    out[at] -= P[p];
  } else if (kind === BOX || kind === EDGE) {
    if (kind === BOX) boxDistance(out, at, x, u, z, P[p], P[p + 1], P[p + 2]);
    else cornerDistance(out, at, x + P[p], Number.NEGATIVE_INFINITY, z + P[p], 1, 1, 1);
    out[at] -= kind === BOX ? P[p + 3] : P[p];
  } else {
    profileDistance(out, at, P, p, kind, x, u, z);
  }
}

/** Box of half sizes (a, b, c) without rounding. */
function boxDistance(out: Float64Array, at: number, x: number, y: number, z: number, a: number, b: number, c: number): void {
  cornerDistance(out, at, Math.abs(x) - a, Math.abs(y) - b, Math.abs(z) - c, x < 0 ? -1 : 1, y < 0 ? -1 : 1, z < 0 ? -1 : 1);
}

/** |max(q, 0)| + min(max q, 0), with the signs of the octant that q was folded from. */
function cornerDistance(out: Float64Array, at: number, qx: number, qy: number, qz: number, sx: number, sy: number, sz: number): void {
  const x = Math.max(qx, 0), y = Math.max(qy, 0), z = Math.max(qz, 0);
  const d = Math.sqrt(x * x + y * y + z * z);
  if (d > 0) {
    const nx = x / d, ny = y / d, nz = z / d;
    out[at] = d;
    out[at + 1] = sx * nx; out[at + 2] = sy * ny; out[at + 3] = sz * nz;
    out[at + 4] = ((x > 0 ? 1 : 0) - nx * nx) / d;
    out[at + 5] = ((y > 0 ? 1 : 0) - ny * ny) / d;
    out[at + 6] = ((z > 0 ? 1 : 0) - nz * nz) / d;
    out[at + 7] = (-sy * sz * ny * nz) / d;
    out[at + 8] = (-sx * sz * nx * nz) / d;
    out[at + 9] = (-sx * sy * nx * ny) / d;
    return;
  }
  // inside: the nearest side
  out[at + 1] = 0; out[at + 2] = 0; out[at + 3] = 0;
  noCurvature(out, at);
  if (qz >= qx && qz >= qy) { out[at] = qz; out[at + 3] = sz; }
  else if (qx >= qy) { out[at] = qx; out[at + 1] = sx; }
  else { out[at] = qy; out[at + 2] = sy; }
}

/** Answer of a profile, in the half plane (ρ, z): distance, normal (ρ, z), curvature. */
const profile = new Float64Array(4);
const FLAT = 0, NORMAL_RHO = 1, NORMAL_Z = 2, CURVATURE = 3;

function setProfile(distance: number, nρ: number, nz: number, κ: number): void {
  profile[FLAT] = distance; profile[NORMAL_RHO] = nρ; profile[NORMAL_Z] = nz; profile[CURVATURE] = κ;
}

/** Surfaces of revolution about z. */
function profileDistance(out: Float64Array, at: number, P: ReadonlyF64, p: number, kind: number, x: number, y: number, z: number): void {
  const ρ = Math.sqrt(x * x + y * y);
  let r = 0;
  if (kind === CAPSULE) {
    const half = P[p];
    fromPoint(ρ, z - Math.min(half, Math.max(-half, z)));
    if (z < half && z > -half) profile[CURVATURE] = 0;
    r = P[p + 1];
  } else if (kind === TORUS) {
    fromPoint(ρ - P[p], z);
    r = P[p + 1];
  } else if (kind === CYLINDER) {
    const side = z < 0 ? -1 : 1, a = ρ - P[p], b = side * z - P[p + 1];
    if (a > 0 && b > 0) fromPoint(a, b);
    else if (a > b) setProfile(a, 1, 0, 0);
    else setProfile(b, 0, 1, 0);
    profile[NORMAL_Z] *= side;
    r = P[p + 2];
  } else {
    coneProfile(ρ, z, P[p], P[p + 1], P[p + 2], P[p + 4], P[p + 5]);
    r = P[p + 3];
  }

  // around the axis: h = (−s, c, 0); on the axis the surface is round in all directions
  const c = ρ > 0 ? x / ρ : 1, s = ρ > 0 ? y / ρ : 0;
  const nρ = profile[NORMAL_RHO], nz = profile[NORMAL_Z], κ = profile[CURVATURE];
  const around = ρ > 0 ? nρ / ρ : κ, tρ = nz, tz = -nρ;
  out[at] = profile[FLAT] - r;
  out[at + 1] = nρ * c; out[at + 2] = nρ * s; out[at + 3] = nz;
  out[at + 4] = κ * tρ * tρ * c * c + around * s * s;
  out[at + 5] = κ * tρ * tρ * s * s + around * c * c;
  out[at + 6] = κ * tz * tz;
  out[at + 7] = κ * tρ * tz * s;
  out[at + 8] = κ * tρ * tz * c;
  out[at + 9] = (κ * tρ * tρ - around) * c * s;
}

/** The distance to the origin of the profile plane. */
function fromPoint(ρ: number, z: number): void {
  const d = Math.sqrt(ρ * ρ + z * z);
  if (d > 0) setProfile(d, ρ / d, z / d, 1 / d);
  else setProfile(0, 1, 0, 0);
}

/** Triangle (0, base), (rim, base), (0, apex) with the outward normal m of its slant. */
function coneProfile(ρ: number, z: number, rim: number, base: number, apex: number, mρ: number, mz: number): void {
  const below = base - z, beside = mρ * ρ + mz * (z - apex);
  if (below <= 0 && beside <= 0) {
    if (below > beside) setProfile(below, 0, -1, 0);
    else setProfile(beside, mρ, mz, 0);
    return;
  }
  // outside: below the base, beside the slant, or round a corner; s runs up the slant from the rim
  if (below > 0 && ρ <= rim) { setProfile(below, 0, -1, 0); return; }
  const s = -mz * (ρ - rim) + mρ * (z - base);
  if (s <= 0) { fromPoint(ρ - rim, z - base); return; }
  const top = mz * rim + mρ * (apex - base);
  if (s >= top) { fromPoint(ρ, z - apex); return; }
  setProfile(beside, mρ, mz, 0);
}

function noCurvature(out: Float64Array, at: number): void {
  for (let m = 4; m < DISTANCE_LENGTH; m++) out[at + m] = 0;
}

/** A distance d to a point in direction n: Hessian (I − nnᵀ)/d. */
function roundAll(out: Float64Array, at: number, d: number, x: number, y: number, z: number): void {
  const κ = d > 0 ? 1 / d : 0;
  out[at] = d;
  out[at + 1] = x; out[at + 2] = y; out[at + 3] = z;
  out[at + 4] = κ * (1 - x * x); out[at + 5] = κ * (1 - y * y); out[at + 6] = κ * (1 - z * z);
  out[at + 7] = -κ * y * z;      out[at + 8] = -κ * x * z;      out[at + 9] = -κ * x * y;
}

const own = new Float64Array(3);

/** φ and n as of bodyDistance, in the world: the body lies at `pose`, the point is point i of Y. The Hessian stays the body's own. */
export function worldDistance(out: Float64Array, at: number, table: BodyTable, b: number, pose: Readonly<Rigid>, Y: ReadonlyF64, i: number): void {
  toBody(own, pose, Y[3 * i], Y[3 * i + 1], Y[3 * i + 2]);
  bodyDistance(out, at, table, b, own, 0);
  const x = out[at + 1], y = out[at + 2], z = out[at + 3];
  out[at + 1] = pose[0] * x + pose[1] * y + pose[2] * z;
  out[at + 2] = pose[3] * x + pose[4] * y + pose[5] * z;
  out[at + 3] = pose[6] * x + pose[7] * y + pose[8] * z;
}

/** y = Rᵀ(x − c) */
function toBody(y: Float64Array, pose: Readonly<Rigid>, px: number, py: number, pz: number): void {
  const x = px - pose[9], u = py - pose[10], z = pz - pose[11];
  y[0] = pose[0] * x + pose[3] * u + pose[6] * z;
  y[1] = pose[1] * x + pose[4] * u + pose[7] * z;
  y[2] = pose[2] * x + pose[5] * u + pose[8] * z;
}

const answer = new Float64Array(DISTANCE_LENGTH);

/**
 * How a body gets from one pose to another: [10] c₀ (3) and Δc (3) in m, axis of rotation (3, unit, in the world), angle in rad.
 */
export function createSweep(): Float64Array {
  return new Float64Array(10);
}

/** Fills a sweep from two poses. The rotation is the one of R₁R₀ᵀ by at most half a turn. */
export function setSweep(sweep: Float64Array, from: Readonly<Rigid>, to: Readonly<Rigid>): void {
  for (let c = 0; c < 3; c++) { sweep[c] = from[9 + c]; sweep[3 + c] = to[9 + c] - from[9 + c]; }
  // Q = R₁ R₀ᵀ, entry (i, j) = row i of R₁ · row j of R₀
  const q = (i: number, j: number): number =>
    to[3 * i] * from[3 * j] + to[3 * i + 1] * from[3 * j + 1] + to[3 * i + 2] * from[3 * j + 2];
  // 2 sin θ · axis, and 2 cos θ + 1 = tr Q
  const x = q(2, 1) - q(1, 2), y = q(0, 2) - q(2, 0), z = q(1, 0) - q(0, 1);
  const sine = Math.sqrt(x * x + y * y + z * z), cosine = q(0, 0) + q(1, 1) + q(2, 2) - 1;
  if (cosine > 0) {
    // 1e-15 is the rounding of Q itself: below it the body does not turn
    const turns = sine > 1e-15, f = turns ? 1 / sine : 0;
    sweep[6] = f * x; sweep[7] = f * y; sweep[8] = turns ? f * z : 1;
    sweep[9] = turns ? atan2(sine, cosine) : 0;
    return;
  }
  // beyond a quarter turn the axis a comes from (Q + Qᵀ)/2 = cos θ I + (1 − cos θ) aaᵀ, its sign from sin θ · a
  const c = cosine / 2;
  let m = 0;
  if (q(1, 1) > q(0, 0)) m = 1;
  if (q(2, 2) > q(m, m)) m = 2;
  const length = Math.sqrt((q(m, m) - c) / (1 - c));
  for (let j = 0; j < 3; j++) sweep[6 + j] = j === m ? length : (q(m, j) + q(j, m)) / (2 * (1 - c) * length);
  if (sweep[6] * x + sweep[7] * y + sweep[8] * z < 0) for (let j = 6; j < 9; j++) sweep[j] = -sweep[j];
  sweep[9] = atan2(sine, cosine);
}

const LEAVE = 0.1, ENOUGH = 0.2, ROUNDING = 16 * 2 ** -52, MOST_ROUNDS = 256;
const poseNow = new Float64Array(12);

/**
 * Safe time of point i of Y, which moves by dY, and body b, which moves by `sweep` from pose `from`; written to time[k], in [0, limit]. On all of
 * [0, time] the point stays more than minSeparation outside, and a tenth of min(its gap, reach) is left; 0 if it starts nearer.
 */
export function sweptPointTime(
  time: Float64Array, k: number, table: BodyTable, b: number, from: Readonly<Rigid>, sweep: Float64Array,
  Y: ReadonlyF64, dY: ReadonlyF64, i: number, minSeparation: number, reach: number, limit: number,
): void {
  const x = Y[3 * i], y = Y[3 * i + 1], z = Y[3 * i + 2];
  // relative to the centre: r(t) = r + t v
  const rx = x - sweep[0], ry = y - sweep[1], rz = z - sweep[2];
  const vx = dY[3 * i] - sweep[3], vy = dY[3 * i + 1] - sweep[4], vz = dY[3 * i + 2] - sweep[5];
  const speed = Math.sqrt(vx * vx + vy * vy + vz * vz), ω = sweep[9];
  const ex = rx + limit * vx, ey = ry + limit * vy, ez = rz + limit * vz;
  const end = Math.sqrt(ex * ex + ey * ey + ez * ez);
  const size = Math.max(
    Math.abs(x), Math.abs(y), Math.abs(z), Math.abs(sweep[0]), Math.abs(sweep[1]), Math.abs(sweep[2]),
    end, Math.sqrt(rx * rx + ry * ry + rz * rz),
  );
  const keep = minSeparation + ROUNDING * size;
  const convex = isConvex(table, b);

  let t = 0, leave = 0, enough = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // the point in the body's coordinates at t
    const px = rx + t * vx, py = ry + t * vy, pz = rz + t * vz;
    poseAt(poseNow, from, sweep, t);
    toBody(own, poseNow, px + poseNow[9], py + poseNow[10], pz + poseNow[11]);
    bodyDistance(answer, 0, table, b, own, 0);
    const gap = answer[0] - keep;
    if (round === 0) {
      if (!(gap > 0)) break;
      leave = LEAVE * Math.min(gap, reach);
      enough = ENOUGH * Math.min(gap, reach);
    } else if (gap <= enough) break;

    const radius = Math.max(end, Math.sqrt(px * px + py * py + pz * pz));
    const room = gap - leave;
    let τ = room / (speed + ω * radius);
    if (convex) {
      // rate of φ: n·(v − ω × r), n in the world
      const a = answer[1], c = answer[2], e = answer[3];
      const nx = poseNow[0] * a + poseNow[1] * c + poseNow[2] * e;
      const ny = poseNow[3] * a + poseNow[4] * c + poseNow[5] * e;
      const nz = poseNow[6] * a + poseNow[7] * c + poseNow[8] * e;
      const wx = vx - ω * (sweep[7] * pz - sweep[8] * py);
      const wy = vy - ω * (sweep[8] * px - sweep[6] * pz);
      const wz = vz - ω * (sweep[6] * py - sweep[7] * px);
      const rate = nx * wx + ny * wy + nz * wz;
      const A = 2 * ω * speed + ω * ω * radius;
      const divisor = Math.sqrt(rate * rate + 2 * A * room) - rate;
      // divisor is 0 only when nothing closes in
      τ = divisor > 0 ? Math.max(τ, (2 * room) / divisor) : Number.POSITIVE_INFINITY;
    }
    t += τ;
    if (!(t < limit)) { t = limit; break; }
  }
  time[k] = t;
}

/** The pose at t of the motion from `from` by `sweep`: c = c₀ + tΔc, R = exp(t θ [a]ₓ) R₀. */
export function poseAt(pose: Rigid, from: Readonly<Rigid>, sweep: Float64Array, t: number): void {
  for (let c = 0; c < 3; c++) pose[9 + c] = sweep[c] + t * sweep[3 + c];
  if (sweep[9] === 0) {
    for (let m = 0; m < 9; m++) pose[m] = from[m];
    return;
  }
  const angle = t * sweep[9], c = cos(angle), s = sin(angle), x = sweep[6], y = sweep[7], z = sweep[8], d = 1 - c;
  const q00 = c + d * x * x,     q01 = d * x * y - s * z, q02 = d * x * z + s * y;
  const q10 = d * x * y + s * z, q11 = c + d * y * y,     q12 = d * y * z - s * x;
  const q20 = d * x * z - s * y, q21 = d * y * z + s * x, q22 = c + d * z * z;
  for (let j = 0; j < 3; j++) {
    const a = from[j], b = from[3 + j], e = from[6 + j];
    pose[j] = q00 * a + q01 * b + q02 * e;
    pose[3 + j] = q10 * a + q11 * b + q12 * e;
    pose[6 + j] = q20 * a + q21 * b + q22 * e;
  }
}
