/**
 * Prescribed motion of pins, attachments and bodies: where a Motion has moved things at time t.
 *
 *   x(t) = pivot + Rₛ(t) R_k(t) (x₀ − pivot) + translate(t)
 *
 * R_k and translate come from the keyframes (rotation vector and translation, each interpolated linearly or, if
 * smooth, by 3s² − 2s³, whose speed is 0 at every key). Rₛ is the steady spin on top: its angle is the integral of the
 * rate, which is piecewise linear between its keys, so that trapezoids are exact.
 *
 * The trap: these numbers reach the simulated positions, so sine and cosine come from elementary.ts and have the same
 * bits on every engine. Nothing is allocated; callers own the twelve numbers.
 */
import { atan2, cos, sin } from "../linalg/elementary.ts";
import type { Collider, Motion, Vec3 } from "./scene.ts";

/** [12] a rigid map x ↦ R x + t: R by rows, then t in m. */
export type Rigid = Float64Array;

/**
 * @example
 * const pose = createRigid(); // at rest
 */
export function createRigid(): Rigid {
  const map = new Float64Array(12);
  setIdentity(map);
  return map;
}

/**
 * The map of `motion` at `time` (s); null is at rest.
 *
 * @example
 * const map = createRigid();
 * motionAt(map, scene.pins[0].motion, 0.5);
 */
export function motionAt(out: Rigid, motion: Motion | null, time: number): void {
  setIdentity(out);
  if (motion === null) return;
  const { keys, pivot, spin } = motion;

  let tx = 0;
  let ty = 0;
  let tz = 0;
  if (keys.length > 0) {
    let k = 0;
    while (k + 1 < keys.length && keys[k + 1].time <= time) k++;
    const a = keys[k];
    const b = keys[Math.min(k + 1, keys.length - 1)];
    const span = b.time - a.time;
    let s = span > 0 ? Math.max(0, (time - a.time) / span) : 0; // before the first key its values hold
    if (motion.smooth) s = s * s * (3 - 2 * s);
    tx = a.translate[0] + s * (b.translate[0] - a.translate[0]);
    ty = a.translate[1] + s * (b.translate[1] - a.translate[1]);
    tz = a.translate[2] + s * (b.translate[2] - a.translate[2]);
    setRotation(
      out,
      a.rotate[0] + s * (b.rotate[0] - a.rotate[0]),
      a.rotate[1] + s * (b.rotate[1] - a.rotate[1]),
      a.rotate[2] + s * (b.rotate[2] - a.rotate[2]),
    );
  }
  if (spin !== null) {
    const angle = spinAngle(spin.rates, time);
    const { axis } = spin;
    const length = Math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    const f = length > 0 ? angle / length : 0;
    rotateFirst(out, f * axis[0], f * axis[1], f * axis[2]);
  }
  const [px, py, pz] = pivot;
  out[9] = px + tx - (out[0] * px + out[1] * py + out[2] * pz);
  out[10] = py + ty - (out[3] * px + out[4] * py + out[5] * pz);
  out[11] = pz + tz - (out[6] * px + out[7] * py + out[8] * pz);
}

/**
 * From the body's own coordinates to the world at `time`.
 *
 * @example
 * const pose = createRigid();
 * colliderAt(pose, scene.colliders[0], 1.5);
 */
export function colliderAt(out: Rigid, collider: Collider, time: number): void {
  motionAt(out, collider.motion, time);
  const [x, y, z] = collider.position;
  const tx = out[0] * x + out[1] * y + out[2] * z + out[9];
  const ty = out[3] * x + out[4] * y + out[5] * z + out[10];
  const tz = out[6] * x + out[7] * y + out[8] * z + out[11];
  const [rx, ry, rz] = collider.rotation;
  rotateLast(out, rx, ry, rz);
  out[9] = tx;
  out[10] = ty;
  out[11] = tz;
}

/** x[at … at+3] moved by the map, in place. */
export function moveInPlace(x: Float64Array, at: number, map: Readonly<Rigid>): void {
  const a = x[at];
  const b = x[at + 1];
  const c = x[at + 2];
  x[at] = map[0] * a + map[1] * b + map[2] * c + map[9];
  x[at + 1] = map[3] * a + map[4] * b + map[5] * c + map[10];
  x[at + 2] = map[6] * a + map[7] * b + map[8] * c + map[11];
}

/**
 * R of a rotation vector r (rad) into out[0 … 9], by rows; the translation is left as it is.
 *
 *   R = cos θ I + a [r]ₓ + b r rᵀ,   θ = |r|,   a = sin θ / θ,   b = (1 − cos θ)/θ² = ½ (sin(θ/2)/(θ/2))²
 */
export function setRotation(out: Float64Array, x: number, y: number, z: number): void {
  const theta = Math.sqrt(x * x + y * y + z * z);
  const c = cos(theta);
  const a = theta > 0 ? sin(theta) / theta : 1;
  const half = theta > 0 ? sin(theta / 2) / (theta / 2) : 1;
  const b = 0.5 * half * half;
  out[0] = c + b * x * x;
  out[1] = b * x * y - a * z;
  out[2] = b * x * z + a * y;
  out[3] = b * y * x + a * z;
  out[4] = c + b * y * y;
  out[5] = b * y * z - a * x;
  out[6] = b * z * x - a * y;
  out[7] = b * z * y + a * x;
  out[8] = c + b * z * z;
}

/** rad, ∫ rate from 0 to `time`; before the first key its rate holds, after the last the last. */
export function spinAngle(rates: readonly { time: number; rate: number }[], time: number): number {
  if (rates.length === 0) return 0;
  return integral(rates, time) - integral(rates, 0);
}

/** ∫ rate from the first key to `time` (negative before it). */
function integral(rates: readonly { time: number; rate: number }[], time: number): number {
  const first = rates[0];
  if (time <= first.time) return first.rate * (time - first.time);
  let sum = 0;
  for (let k = 0; k + 1 < rates.length; k++) {
    const a = rates[k];
    const b = rates[k + 1];
    const span = b.time - a.time;
    if (time < b.time) {
      const s = (time - a.time) / span;
      const rate = a.rate + s * (b.rate - a.rate);
      return sum + 0.5 * (a.rate + rate) * (time - a.time);
    }
    sum += 0.5 * (a.rate + b.rate) * span;
  }
  const last = rates[rates.length - 1];
  return sum + last.rate * (time - last.time);
}

function setIdentity(map: Float64Array): void {
  map.fill(0);
  map[0] = 1;
  map[4] = 1;
  map[8] = 1;
}

const scratch = new Float64Array(9);

/** out ← R(r) out, rotation part only. */
function rotateFirst(out: Float64Array, x: number, y: number, z: number): void {
  setRotation(scratch, x, y, z);
  for (let c = 0; c < 3; c++) {
    const a = out[c];
    const b = out[3 + c];
    const d = out[6 + c];
    out[c] = scratch[0] * a + scratch[1] * b + scratch[2] * d;
    out[3 + c] = scratch[3] * a + scratch[4] * b + scratch[5] * d;
    out[6 + c] = scratch[6] * a + scratch[7] * b + scratch[8] * d;
  }
}

/** out ← out R(r), rotation part only. */
function rotateLast(out: Float64Array, x: number, y: number, z: number): void {
  setRotation(scratch, x, y, z);
  for (let r = 0; r < 9; r += 3) {
    const a = out[r];
    const b = out[r + 1];
    const d = out[r + 2];
    out[r] = a * scratch[0] + b * scratch[3] + d * scratch[6];
    out[r + 1] = a * scratch[1] + b * scratch[4] + d * scratch[7];
    out[r + 2] = a * scratch[2] + b * scratch[5] + d * scratch[8];
  }
}

/** The rotation vector that turns by `angle` (rad) about `axis`. */
export function rotationVector(axis: Vec3, angle: number): Vec3 {
  const length = Math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
  const f = length > 0 ? angle / length : 0;
  return [f * axis[0] + 0, f * axis[1] + 0, f * axis[2] + 0]; // not −0, which JSON would lose
}

/**
 * The rotation vector (rad, at most half a turn) of the rotation in a rigid map, by way of its largest quaternion component.
 *
 * @example
 * const turn = rotationVectorOf(pose); // rad
 */
export function rotationVectorOf(R: Readonly<Rigid>): Vec3 {
  const trace = R[0] + R[4] + R[8];
  const q: Quaternion = [R[7] - R[5], R[2] - R[6], R[3] - R[1], 1 + trace];
  if (trace <= 0) {
    // w is small: start from the largest of x, y and z instead
    const c = R[0] >= R[4] && R[0] >= R[8] ? 0 : R[4] >= R[8] ? 1 : 2;
    const [d, e] = [(c + 1) % 3, (c + 2) % 3];
    q[3] = q[c];
    q[c] = 1 + R[4 * c] - R[4 * d] - R[4 * e];
    q[d] = R[3 * c + d] + R[3 * d + c];
    q[e] = R[3 * c + e] + R[3 * e + c];
  }
  return quaternionVector(q);
}

/** x, y, z, w, as three.js and glTF have them. */
export type Quaternion = [number, number, number, number];

/** The rotation vector (rad, at most half a turn) of a quaternion of any length but 0. */
export function quaternionVector([x, y, z, w]: Readonly<Quaternion>): Vec3 {
  const sine = Math.sqrt(x * x + y * y + z * z);
  if (sine === 0) return [0, 0, 0];
  const f = ((w < 0 ? -2 : 2) * atan2(sine, Math.abs(w))) / sine;
  return [f * x, f * y, f * z];
}

/**
 * The vector of the same rotation as r that is nearest to `from`: full turns about its axis are added or taken away.
 *
 * @example
 * nearestTurn([0, 0, -3], [0, 0, 3]); // [0, 0, 3.28…]: the short way on
 */
export function nearestTurn(r: Vec3, from: Vec3): Vec3 {
  const angle = Math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
  const TURN = 2 * Math.PI;
  if (angle === 0) {
    // no rotation is a whole number of turns about any axis: take that of `from`
    const size = Math.sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
    const f = size > 0 ? (TURN * Math.round(size / TURN)) / size : 0;
    return [f * from[0], f * from[1], f * from[2]];
  }
  const along = (r[0] * from[0] + r[1] * from[1] + r[2] * from[2]) / angle;
  const f = (angle + TURN * Math.round((along - angle) / TURN)) / angle;
  return [f * r[0], f * r[1], f * r[2]];
}
