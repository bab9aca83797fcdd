/** The feasible start of a step where bodies move: points that a body has run into are carried along with it, or pushed out. */
import type { ReadonlyF64 } from "../../linalg/arena.ts";
import { createRigid, type Rigid } from "../../scene/motion.ts";
import {
  type BodyPairs,
  fullSeparation,
  leastPairDistance,
  makeBodyList,
  pairAt,
  pairDistance,
  updateDisplacement,
  updateDisplacements,
} from "./body-pairs.ts";
import { poseAt, sweptPointTime, worldDistance } from "./colliders.ts";

/**
 * Depth over which layers in front of a moving body are displaced with it, in longest edges: the deeper, the smaller the share of its gap that each
 * layer loses.
 */
const SQUEEZED = 5;
/** Normals with at least this cosine are on the same side of a body; used for thin rods, which must push what they hit ahead of them. */
const SAME_SIDE = 0.9;
/** Rounds of pushing samples out. */
const PASSES = 40;
/** Gap that a sample is pushed to, as a share of the reach. */
const OPEN = 0.3;

const then = createRigid();
const place = new Float64Array(3);
const sum = new Float64Array(3);
const entry = new Float64Array(3);
const exit = new Float64Array(3);
const dx = new Float64Array(3);
const time = new Float64Array(1);

/** Displaces points by the bodies' motion times a weight that falls linearly to 0 at SQUEEZED edge lengths: layers stay in their order. */
export function squeeze(B: BodyPairs, Y: Float64Array, fixed: Uint8Array): void {
  const depth = SQUEEZED * B.longest;
  const { x } = B;
  for (let i = 0; i < B.n; i++) {
    sum.fill(0);
    for (let b = 0; b < B.colliders.length; b++) {
      if (B.moved[b] === 0) continue;
      const share = Math.min(1, 1 - pairDistance(B, i, b, Y, B.from[b]) / depth);
      if (!(share > 0)) continue;
      moveWithBody(place, B, b, x[0], x[1], x[2]);
      for (let c = 0; c < 3; c++) sum[c] += share * (place[c] - x[c]);
    }
    shift(B, Y, i, sum[0], sum[1], sum[2], fixed);
  }
}

/** Moves samples that the bodies have passed over out of them; false if that fails. */
export function makeFeasible(
  B: BodyPairs,
  Y: Float64Array,
  Yold: ReadonlyF64,
  fixed: Uint8Array,
): boolean {
  updateDisplacements(B, Y);
  let most = 0;
  for (let i = 0; i < B.n; i++) {
    // on a straight path the distance from `begin` is largest at one of the ends
    const to = B.displacement[i];
    updateDisplacement(B, i, Yold);
    if (!(B.displacement[i] > to)) B.displacement[i] = to;
    if (!(B.displacement[i] <= most)) most = B.displacement[i];
  }
  let farthest = 0;
  for (let b = 0; b < B.moved.length; b++) farthest = Math.max(farthest, B.moved[b]);
  // samples that are not listed are farther away than any point moved: usually the list is complete
  let isListed = most + farthest < B.margin;
  const isCarried = carryAll(B, Y, Yold, fixed, isListed);
  if (isCarried) isListed = false; // neighbouring points were moved too
  for (let pass = 0; pass < PASSES; pass++) {
    if (pushAll(B, Y, fixed, isListed)) {
      if (pass > 0 || isCarried || !(most < 0.25 * B.margin)) makeBodyList(B, Y, B.margin);
      return true;
    }
    isListed = false;
  }
  return false;
}

/** Points that a body has passed over move with it from the moment of contact on; returns whether there are any. */
function carryAll(
  B: BodyPairs,
  Y: Float64Array,
  Yold: ReadonlyF64,
  fixed: Uint8Array,
  isListed: boolean,
): boolean {
  const nb = B.colliders.length;
  let isCarried = false;
  for (let k = 0; k < (isListed ? B.near : B.count); k++) {
    const pair = pairAt(B, k, isListed);
    const s = Math.floor(pair / nb);
    const b = pair - s * nb;
    if (s >= B.n || B.isSkipped[s]) continue;
    if (leastPairDistance(B, s, b) - B.moved[b] > B.xi[pair]) continue; // too far to have touched
    for (let c = 0; c < 3; c++) dx[c] = Y[3 * s + c] - Yold[3 * s + c];
    const own = Math.sqrt(dx[0] * dx[0] + dx[1] * dx[1] + dx[2] * dx[2]);
    const phi1 = pairDistance(B, s, b, Y, B.to[b]) - B.xi[pair];
    if (B.moved[b] === 0 && phi1 > 0) {
      // a displacement shorter than the gaps at both its ends touches nothing between; a fast sheet may have jumped over the body
      if (own < phi1 || own < phi1 + pairDistance(B, s, b, Yold, B.from[b]) - B.xi[pair]) continue;
    }
    for (let c = 0; c < 3; c++) B.x[c] = Yold[3 * s + c];
    time[0] = 1;
    sweptPointTime(time, 0, B.table, b, B.from[b], B.sweeps[b], B.x, dx, 0, B.xi[pair], B.reach, 1);
    if (time[0] >= 1 && phi1 > 0) continue;
    if (!(phi1 > 0) && exitsWhereItEntered(B, s, b, Y, time[0])) continue; // pushed out below, which moves it less
    isCarried = true;
    for (let c = 0; c < 3; c++) B.x[c] = Yold[3 * s + c];
    carry(B, Y, s, b, pair, time[0], fixed);
  }
  return isCarried;
}

/** Pushes what is inside out along the normal, sample by sample; true if nothing was. */
function pushAll(B: BodyPairs, Y: Float64Array, fixed: Uint8Array, isListed: boolean): boolean {
  const nb = B.colliders.length;
  let isClear = true;
  updateDisplacements(B, Y);
  for (let k = 0; k < (isListed ? B.near : B.count); k++) {
    const pair = pairAt(B, k, isListed);
    const s = Math.floor(pair / nb);
    const b = pair - s * nb;
    if (B.isSkipped[s] || leastPairDistance(B, s, b) > B.xi[pair]) continue;
    const gap = pairDistance(B, s, b, Y, B.to[b], B.xi[pair] + B.reach) - B.xi[pair];
    if (gap > 0) continue;
    isClear = false;
    pushOut(B, Y, s, OPEN * B.samples.reach[s] - gap, fixed);
  }
  return isClear;
}

/** Marks the colliders that some sample is still inside of, and the held points of those samples. */
export function markInWay(
  B: BodyPairs,
  inWay: Uint8Array,
  isStopped: Uint8Array,
  Y: ReadonlyF64,
): void {
  const nb = B.colliders.length;
  for (let k = 0; k < B.count; k++) {
    const s = Math.floor(k / nb);
    const b = k - s * nb;
    if (B.isSkipped[s] || pairDistance(B, s, b, Y, B.to[b], B.xi[k] + B.reach) > B.xi[k]) continue;
    inWay[B.which[b]] = 1;
    for (let c = 0; c < 3; c++) {
      const i = B.samples.points[3 * s + c];
      if (B.wasFixed[3 * i] && B.wasFixed[3 * i + 1] && B.wasFixed[3 * i + 2]) isStopped[i] = 1;
    }
  }
}

/** Share of the reach: a held point that is nearer to a body than the kept distance by this much started inside, and is not bounded. */
const TOUCH = 0.01;

/**
 * Marks the colliders that held samples would come into from outside, and the points of those samples; whether there are any. The triangles of a held patch count
 * as well: a ball that is smaller than the patch enters between its points. Samples that start inside are left alone: garments hang on points inside
 * of a body.
 */
export function markEntered(
  B: BodyPairs,
  inWay: Uint8Array,
  isStopped: Uint8Array,
  Y: ReadonlyF64,
  Yold: ReadonlyF64,
): boolean {
  const nb = B.colliders.length;
  const { points: P } = B.samples;
  let any = false;
  for (let s = 0; s < B.samples.count; s++) {
    if (!B.isSkipped[s]) continue;
    for (let b = 0; b < nb; b++) {
      const kept = fullSeparation(B, s, b) - (s < B.n ? TOUCH * B.reach : 0);
      if (pairDistance(B, s, b, Y, B.to[b], kept) >= kept) continue;
      if (pairDistance(B, s, b, Yold, B.from[b], kept) < kept) continue;
      any = true;
      inWay[B.which[b]] = 1;
      for (let c = 0; c < 3; c++) isStopped[P[3 * s + c]] = 1;
    }
  }
  return any;
}

/** Whether a sample is nearest, at the end, to the side of the body that it entered at time t of the sweep, x and dx its motion. */
function exitsWhereItEntered(
  B: BodyPairs,
  s: number,
  b: number,
  Y: ReadonlyF64,
  t: number,
): boolean {
  for (let c = 0; c < 3; c++) place[c] = B.x[c] + t * dx[c];
  poseAt(then, B.from[b], B.sweeps[b], t);
  worldDistance(B.answer, 0, B.table, b, then, place, 0);
  turnBack(entry, B.answer, then);
  pairDistance(B, s, b, Y, B.to[b]);
  turnBack(exit, B.answer, B.to[b]);
  return entry[0] * exit[0] + entry[1] * exit[1] + entry[2] * exit[2] > SAME_SIDE;
}

/** The normal of the last distance in the body's own directions. */
function turnBack(out: Float64Array, answer: ReadonlyF64, R: Readonly<Rigid>): void {
  for (let c = 0; c < 3; c++)
    out[c] = R[c] * answer[1] + R[3 + c] * answer[2] + R[6 + c] * answer[3];
}

/** Where a place on the body at its start pose is at its end pose. */
function moveWithBody(
  out: Float64Array,
  B: BodyPairs,
  b: number,
  px: number,
  py: number,
  pz: number,
): void {
  const Q = B.from[b];
  const R = B.to[b];
  const wx = px - Q[9];
  const wy = py - Q[10];
  const wz = pz - Q[11];
  const u = Q[0] * wx + Q[3] * wy + Q[6] * wz;
  const v = Q[1] * wx + Q[4] * wy + Q[7] * wz;
  const w = Q[2] * wx + Q[5] * wy + Q[8] * wz;
  out[0] = R[0] * u + R[1] * v + R[2] * w + R[9];
  out[1] = R[3] * u + R[4] * v + R[5] * w + R[10];
  out[2] = R[6] * u + R[7] * v + R[8] * w + R[11];
}

/** From time t of the sweep on, the point keeps its place on the body. Taken at the start pose: exact for pure translation. */
function carry(
  B: BodyPairs,
  Y: Float64Array,
  s: number,
  b: number,
  pair: number,
  t: number,
  fixed: Uint8Array,
): void {
  const { x } = B;
  const sweep = B.sweeps[b];
  moveWithBody(
    place,
    B,
    b,
    x[0] + t * (dx[0] - sweep[3]),
    x[1] + t * (dx[1] - sweep[4]),
    x[2] + t * (dx[2] - sweep[5]),
  );
  shift(B, Y, s, place[0] - Y[3 * s], place[1] - Y[3 * s + 1], place[2] - Y[3 * s + 2], fixed);
  const gap = pairDistance(B, s, b, Y, B.to[b]) - B.xi[pair];
  if (gap < OPEN * B.reach) pushOut(B, Y, s, OPEN * B.reach - gap, fixed);
}

/** Moves the sample by `depth` along the normal of the last distance. */
function pushOut(B: BodyPairs, Y: Float64Array, s: number, depth: number, fixed: Uint8Array): void {
  const { answer } = B;
  shift(B, Y, s, depth * answer[1], depth * answer[2], depth * answer[3], fixed);
}

/** Moves the points of a sample that have weight in the last distance. */
function shift(
  B: BodyPairs,
  Y: Float64Array,
  s: number,
  x: number,
  y: number,
  z: number,
  fixed: Uint8Array,
): void {
  const { points: P, n } = B.samples;
  for (let c = 0; c < (s < n ? 1 : 3); c++) {
    if (s >= n && !(B.weights[c] > 0)) continue;
    const p = P[3 * s + c];
    const i = 3 * p;
    if (!fixed[i]) Y[i] += x;
    if (!fixed[i + 1]) Y[i + 1] += y;
    if (!fixed[i + 2]) Y[i + 2] += z;
    const before = B.displacement[p];
    updateDisplacement(B, p, Y);
    if (!(B.displacement[p] > before)) B.displacement[p] = before;
  }
}
