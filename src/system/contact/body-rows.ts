/** Rows of the barrier between samples and bodies, and how far they let a motion go. */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { SPARE } from "../../linalg/single.ts";
import { createRigid, type Rigid } from "../../scene/motion.ts";
import type { RowSet, StepLimits } from "../system.ts";
import { type BarrierPressure, barrierParts, pressHarder } from "./barrier.ts";
import {
  type BodyPairs,
  cornersDistance,
  leastPairDistance,
  longestDisplacement,
  makeBodyList,
  pairDistance,
  updateDisplacements,
} from "./body-pairs.ts";
import { isConvex, sweptPointTime } from "./colliders.ts";
import { isSame, longestVector } from "./distance.ts";
import { limitPoint } from "./step-limits.ts";
import { NEAREST_LEVELS, rockingRows } from "./triangle-body.ts";

/** Bodies that a sample may touch at once. */
const NORMAL_SLOTS = 3;
/** Share of its gap that a sample may use in one step. */
const ROOM = 0.9;

export interface BodyRows {
  readonly pairs: BodyPairs;
  readonly rows: RowSet;
  readonly capacity: number;
  /** [rows] the pair of each, in the order of the list, [3·rows] its normal, and the weights of its points. */
  readonly pairOf: Int32Array;
  readonly normalOf: Float64Array;
  readonly weightsOf: Float64Array;
  /** Edges and triangles that rock on a body (triangle-body.ts): stiffness without force, in the matrix alone. */
  readonly rocking: RowSet;
  readonly pressure: BarrierPressure;
  /** Of the last evaluate: positions, pressure, energy, and the least gap (none is smaller). */
  readonly seen: {
    isTrue: boolean;
    readonly Y: Float64Array;
    readonly poses: readonly Rigid[];
    pressure: number;
    energy: number;
    gap: number;
  };
}

export function createBodyRows(
  memory: Allocator,
  pairs: BodyPairs,
  pressure: BarrierPressure,
): BodyRows {
  const nb = pairs.colliders.length;
  const capacity = pairs.samples.count * Math.min(nb, NORMAL_SLOTS);
  const rows: RowSet = {
    ...rowsOfThree(memory, capacity),
    evaluate: (Y) => evaluate(R, Y),
    energyNow: () => R.seen.energy,
    energy: (Y) => sumUp(R, Y, false),
    stiffen: () => pressHarder(pressure, rows),
    maxStep: (Y, p) => maxStep(R, Y, p),
    addLimits: (limits, Y, p) => addLimits(pairs, limits, Y, p),
    shorten: (p, Y) => shorten(pairs, p, Y),
  };
  const R: BodyRows = {
    pairs,
    rows,
    capacity,
    pairOf: new Int32Array(capacity),
    normalOf: new Float64Array(3 * capacity),
    weightsOf: new Float64Array(3 * capacity),
    rocking: rockingSet(memory, ROCKING * pairs.samples.n),
    pressure,
    seen: {
      isTrue: false,
      Y: new Float64Array(3 * pairs.n),
      poses: pairs.colliders.map(() => createRigid()),
      pressure: 0,
      energy: 0,
      gap: 0,
    },
  };
  return R;
}

/** Rocking rows per point that memory is laid out for. Further ones are left out, which costs some iterations. */
const ROCKING = 4;

function rockingSet(memory: Allocator, most: number): RowSet {
  return {
    ...rowsOfThree(memory, most),
    evaluate() {}, // written with the rows of the barrier
    energy: () => 0,
    energyNow: () => 0,
  };
}

/** Memory for `most` rows of one to three points each, held by a body; none in use. */
function rowsOfThree(memory: Allocator, most: number): Omit<RowSet, "evaluate" | "energy"> {
  return {
    rowsPer: 1,
    blocks: 0,
    start: memory.copyI32(Int32Array.from({ length: most + 1 }, (_, k) => 3 * k)),
    index: memory.i32(3 * most),
    g: memory.f64(most),
    J: memory.f64(9 * most),
    single: memory.f32(9 * most + SPARE),
    anchors: true,
    sigma: memory.f64(most),
    weight: memory.f64(most),
  };
}

function evaluate(R: BodyRows, Y: ReadonlyF64): void {
  const { seen, pairs, pressure } = R;
  if (isSeen(R, Y)) return; // the start of a step is the end of the last
  seen.gap = 0.5 * pairs.reach;
  seen.energy = sumUp(R, Y, true);
  seen.isTrue = true;
  seen.pressure = pressure.now[0];
  for (let k = 0; k < seen.Y.length; k++) seen.Y[k] = Y[k];
  for (let b = 0; b < seen.poses.length; b++) seen.poses[b].set(pairs.to[b]);
}

const parts = new Float64Array(3);

/** Σψ at Y; with the rows if they are asked for. */
function sumUp(R: BodyRows, Y: ReadonlyF64, writes: boolean): number {
  const { pairs: B, rows, pressure, seen } = R;
  const nb = B.colliders.length;
  let energy = 0;
  let block = 0;
  if (writes) R.rocking.blocks = 0;
  updateDisplacements(B, Y);
  // the list may have been made around a start that was rejected: active pairs may then be missing
  if (!(longestDisplacement(B) <= B.margin - B.reach)) makeBodyList(B, Y, B.margin);
  for (let k = 0; k < B.near; k++) {
    const pair = B.nearList[k];
    const s = Math.floor(pair / nb);
    const b = pair - s * nb;
    const reach = B.samples.reach[s];
    if (leastPairDistance(B, s, b) - B.xi[pair] >= reach) continue;
    const gap = pairDistance(B, s, b, Y, B.to[b], B.xi[pair] + reach) - B.xi[pair];
    if (gap >= reach) continue;
    const scale = B.samples.share[s] * pressure.now[0];
    barrierParts(parts, gap / reach);
    energy += scale * reach * parts[0];
    if (!writes) continue;
    if (block === R.capacity)
      throw new Error(`more than ${NORMAL_SLOTS} bodies touch every sample: nothing can move`);
    rows.g[block] = gap;
    rows.sigma[block] = scale * parts[1];
    rows.weight[block] = (scale / reach) * parts[2];
    if (gap < seen.gap) seen.gap = gap;
    writeRow(R, block, pair, s);
    if (s >= B.samples.n) writeRocking(R, s, b, -rows.sigma[block]);
    block++;
  }
  if (writes) rows.blocks = block;
  return energy;
}

/** Points and Jacobian of a row, from the last distance. */
function writeRow(
  { pairs, rows, pairOf, normalOf, weightsOf }: BodyRows,
  block: number,
  pair: number,
  s: number,
): void {
  const { answer, samples, weights } = pairs;
  pairOf[block] = pair;
  for (let c = 0; c < 3; c++) {
    rows.index[3 * block + c] = samples.points[3 * s + c];
    normalOf[3 * block + c] = answer[1 + c];
    const w = weights[c];
    weightsOf[3 * block + c] = w;
    for (let a = 0; a < 3; a++) rows.J[9 * block + 3 * c + a] = w * answer[1 + a];
  }
}

const rock = new Float64Array(18);

/** How the edge or triangle s of the last distance rocks on body b that presses with a force. */
function writeRocking({ pairs, rocking }: BodyRows, s: number, b: number, force: number): void {
  const { samples, nearest, to } = pairs;
  const count = rockingRows(rock, to[b], nearest, samples.reach[s]);
  for (let r = 0; r < count && rocking.blocks < rocking.weight.length; r++) {
    const at = rocking.blocks++;
    rocking.weight[at] = force;
    for (let c = 0; c < 3; c++) rocking.index[3 * at + c] = samples.points[3 * s + c];
    for (let c = 0; c < 9; c++) rocking.J[9 * at + c] = rock[9 * r + c];
  }
}

/** Whether the last evaluate was at Y, and nothing has changed since. */
function isSeen({ seen, pairs, pressure }: BodyRows, Y: ReadonlyF64): boolean {
  if (pairs.isChanged) seen.isTrue = false;
  pairs.isChanged = false;
  if (!seen.isTrue || seen.pressure !== pressure.now[0]) return false;
  for (let b = 0; b < seen.poses.length; b++)
    if (!isSame(seen.poses[b], pairs.to[b], 12)) return false;
  return isSame(seen.Y, Y, seen.Y.length);
}

const time = new Float64Array(1);

/** The share of the motion p from Y that all samples allow. */
function maxStep(R: BodyRows, Y: ReadonlyF64, p: ReadonlyF64): number {
  const { pairs: B, seen } = R;
  // samples that are not listed were farther away than margin. A motion beyond that makes a new list: the step bound must not depend on
  // the age of the list, because a resumed run has just made one
  const farthest = longestVector(p, B.n);
  updateDisplacements(B, Y);
  if (!(longestDisplacement(B) + farthest <= B.margin - B.reach))
    makeBodyList(B, Y, Math.max(B.margin, 2 * farthest + 2 * B.reach));
  // a motion that leaves every pair half of the least gap: a sheet at rest needs no more
  if (farthest < 0.5 * seen.gap && isSeen(R, Y)) return 1;
  let limit = 1;
  for (let k = 0; k < B.near; k++) limit = pairTime(B, B.nearList[k], Y, p, limit);
  return limit;
}

/** m: the longest way of a point of sample s. */
function sampleMotion({ samples: { points: P } }: BodyPairs, s: number, p: ReadonlyF64): number {
  let most = 0;
  for (let c = 0; c < (P[3 * s] === P[3 * s + 1] ? 1 : 3); c++) {
    const i = 3 * P[3 * s + c];
    most = Math.max(most, p[i] * p[i] + p[i + 1] * p[i + 1] + p[i + 2] * p[i + 2]);
  }
  return Math.sqrt(most);
}

/** The share of the motion p from Y (of the last updateDisplacements) that a pair allows, at most `limit`. */
function pairTime(
  B: BodyPairs,
  pair: number,
  Y: ReadonlyF64,
  p: ReadonlyF64,
  limit: number,
): number {
  const s = Math.floor(pair / B.colliders.length);
  const b = pair - s * B.colliders.length;
  const xi = B.xi[pair];
  if (leastPairDistance(B, s, b) - xi > sampleMotion(B, s, p) * limit + B.reach) return limit;
  if (s >= B.samples.n) return nearestTime(B, s, b, Y, p, xi, limit);
  time[0] = limit;
  sweptPointTime(time, 0, B.table, b, B.to[b], B.still[b], Y, p, s, xi, B.reach, limit);
  return time[0];
}

/** Share of a gap that a motion leaves; the search ends within twice that share. As in ccd.ts. */
const LEAVE = 0.1;
/** Spacings: a motion that is shorter cannot pass a body. */
const SHORT = 0.5;
const MOST_ROUNDS = 64;
const corners = new Float64Array(9);

/**
 * The same of an edge or a triangle and a body that stands still, from its gap where the motion ends: a body that has these samples is thicker than a spacing,
 * so that nothing passes it in a shorter motion. Longer ones go on as far as the tangent planes of the body allow, round by round.
 */
function nearestTime(
  B: BodyPairs,
  s: number,
  b: number,
  Y: ReadonlyF64,
  p: ReadonlyF64,
  xi: number,
  limit: number,
): number {
  const longest = sampleMotion(B, s, p) * limit;
  const far = xi + B.reach + longest;
  const gap = gapAt(B, s, b, Y, p, 0, far) - xi;
  if (!(gap > 0)) return 0;
  const leave = LEAVE * Math.min(gap, B.samples.reach[s]);
  if (!(longest < SHORT * B.spacing)) return advance(B, s, b, Y, p, xi, limit, leave);
  const end = gapAt(B, s, b, Y, p, limit, far) - xi;
  if (end >= leave) return limit;
  // between a share that is free and one that is not
  let low = 0;
  let above = gap;
  let high = limit;
  let below = end;
  for (let round = 0; round < MOST_ROUNDS && above > 2 * leave; round++) {
    const middle = Math.max(0.1, Math.min(0.9, (above - 1.5 * leave) / (above - below)));
    const t = low + middle * (high - low);
    const now = gapAt(B, s, b, Y, p, t, far) - xi;
    if (now >= leave) {
      low = t;
      above = now;
    } else {
      high = t;
      below = now;
    }
  }
  return low;
}

/** m: the gap of an edge or a triangle after a share t of the motion, less what it keeps; normal and tangent plane are left. */
function gapAt(
  B: BodyPairs,
  s: number,
  b: number,
  Y: ReadonlyF64,
  p: ReadonlyF64,
  t: number,
  far: number,
): number {
  const { points: P } = B.samples;
  for (let c = 0; c < 9; c++) {
    const k = 3 * P[3 * s + Math.floor(c / 3)] + (c % 3);
    corners[c] = Y[k] + t * p[k];
  }
  return cornersDistance(B, s, b, corners, far);
}

/**
 * By conservative advancement. The body lies behind its tangent plane at the nearest point, from which the corners are as far as triangle-body.ts says; sliding
 * along it is free. A torus has no such plane: there the longest way of a corner counts.
 */
function advance(
  B: BodyPairs,
  s: number,
  b: number,
  Y: ReadonlyF64,
  p: ReadonlyF64,
  xi: number,
  limit: number,
  leave: number,
): number {
  const { points: P } = B.samples;
  const { answer, nearest } = B;
  const convex = isConvex(B.table, b);
  const longest = sampleMotion(B, s, p);
  let t = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const gap = gapAt(B, s, b, Y, p, t, xi + B.reach + longest * limit) - xi;
    if (round > 0 && gap <= 2 * leave) return t;
    let forward = convex ? Number.POSITIVE_INFINITY : (gap - leave) / longest;
    for (let c = 0; c < 3 && convex; c++) {
      const k = 3 * P[3 * s + c];
      const closing = -(answer[1] * p[k] + answer[2] * p[k + 1] + answer[3] * p[k + 2]);
      if (closing > 0)
        forward = Math.min(forward, (nearest[NEAREST_LEVELS + c] - xi - leave) / closing);
    }
    t += forward;
    if (!(t < limit)) return limit;
  }
  return t;
}

/** How far the point of sample s that is its c-th corner may go towards body b, m: of the last distance, ROOM of what its tangent plane leaves. */
function roomOf({ samples, answer, nearest }: BodyPairs, s: number, c: number, xi: number): number {
  return ROOM * ((s < samples.n ? answer[0] : nearest[NEAREST_LEVELS + c]) - xi);
}

/** Planes for the points of all samples that the motion p would bring into a body. */
function addLimits(B: BodyPairs, limits: StepLimits, Y: ReadonlyF64, p: ReadonlyF64): void {
  const { points: P, n } = B.samples;
  updateDisplacements(B, Y);
  for (let k = 0; k < B.near; k++) {
    const pair = B.nearList[k];
    const t = pairTime(B, pair, Y, p, 1);
    if (t === 1) continue;
    const s = Math.floor(pair / B.colliders.length);
    const b = pair - s * B.colliders.length;
    pairDistance(B, s, b, Y, B.to[b]);
    const { answer } = B;
    for (let c = 0; c < (s < n ? 1 : 3); c++) {
      const room = roomOf(B, s, c, B.xi[pair]);
      limitPoint(limits, P[3 * s + c], answer[1], answer[2], answer[3], room, ROOM * t, p);
    }
  }
}

/** Shortens p at the points of all samples that it would bring into a body; how many there were. */
function shorten(B: BodyPairs, p: Float64Array, Y: ReadonlyF64): number {
  const { points: P, n } = B.samples;
  let cuts = 0;
  updateDisplacements(B, Y);
  for (let k = 0; k < B.near; k++) {
    const t = pairTime(B, B.nearList[k], Y, p, 1);
    if (t === 1) continue;
    cuts++;
    const s = Math.floor(B.nearList[k] / B.colliders.length);
    for (let c = 0; c < (s < n ? 1 : 3); c++)
      for (let q = 3 * P[3 * s + c]; q < 3 * P[3 * s + c] + 3; q++) p[q] *= t;
  }
  return cuts;
}
