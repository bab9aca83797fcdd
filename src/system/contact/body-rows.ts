/** Rows of the barrier between samples and bodies, and how far they let a motion go. */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { SPARE } from "../../linalg/single.ts";
import { createRigid, type Rigid } from "../../scene/motion.ts";
import type { RowSet, StepLimits } from "../system.ts";
import { barrierParts, pressHarder } from "./barrier.ts";
import {
  type BodyPairs,
  leastPairDistance,
  longestStray,
  makeBodyList,
  pairDistance,
  stray,
} from "./body-pairs.ts";
import { sampleAt } from "./body-samples.ts";
import { sweptPointTime } from "./colliders.ts";
import { isSame, longestWay } from "./distance.ts";
import { limitPoint } from "./step-limits.ts";

/** Bodies that a sample may touch at once. */
const NORMAL_SLOTS = 3;
/** Share of its gap that a sample may use in one step. */
const ROOM = 0.9;

export interface BodyRows {
  readonly pairs: BodyPairs;
  readonly rows: RowSet;
  readonly capacity: number;
  /** [rows] the pair of each, in the order of the list, [3·rows] and its normal. */
  readonly pairOf: Int32Array;
  readonly normalOf: Float64Array;
  /** [1] Pa, p₀: part of the state. */
  readonly pressure: Float64Array;
  /** What the last evaluate saw: where, with which pressure, the energy, and the least gap (none is smaller). */
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
  startPressure: number,
): BodyRows {
  const nb = pairs.colliders.length;
  const capacity = pairs.samples.count * Math.min(nb, NORMAL_SLOTS);
  const pressure = memory.f64(1);
  pressure[0] = startPressure;
  const start = Int32Array.from({ length: capacity + 1 }, (_, k) => 3 * k);
  const rows: RowSet = {
    rowsPer: 1,
    blocks: 0,
    start: memory.copyI32(start),
    index: memory.i32(3 * capacity),
    g: memory.f64(capacity),
    J: memory.f64(9 * capacity),
    single: memory.f32(9 * capacity + SPARE),
    anchors: true,
    sigma: memory.f64(capacity),
    weight: memory.f64(capacity),
    evaluate: (Y) => evaluate(R, Y),
    energyNow: () => R.seen.energy,
    energy: (Y) => sumUp(R, Y, false),
    stiffen: () => pressHarder(pressure, startPressure, rows, pairs.reach),
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

function evaluate(R: BodyRows, Y: ReadonlyF64): void {
  const { seen, pairs, pressure } = R;
  if (isSeen(R, Y)) return; // the start of a step is the end of the last
  seen.gap = 0.5 * pairs.reach;
  seen.energy = sumUp(R, Y, true);
  seen.isTrue = true;
  seen.pressure = pressure[0];
  for (let k = 0; k < seen.Y.length; k++) seen.Y[k] = Y[k];
  for (let b = 0; b < seen.poses.length; b++) seen.poses[b].set(pairs.to[b]);
}

const parts = new Float64Array(3);

/** Σψ at Y; with the rows if they are asked for. */
function sumUp(R: BodyRows, Y: ReadonlyF64, writes: boolean): number {
  const { pairs: B, rows, pressure, seen } = R;
  const nb = B.colliders.length;
  const { reach } = B;
  let energy = 0;
  let block = 0;
  stray(B, Y);
  // the list may have been made around a guess that was not taken: then pairs that touch here are not on it
  if (!(longestStray(B) <= B.margin - B.reach)) makeBodyList(B, Y, B.margin);
  for (let k = 0; k < B.near; k++) {
    const pair = B.nearList[k];
    const s = Math.floor(pair / nb);
    const b = pair - s * nb;
    if (leastPairDistance(B, s, b) - B.xi[pair] >= reach) continue;
    const gap = pairDistance(B, s, b, Y, B.to[b]) - B.xi[pair];
    if (gap >= reach) continue;
    const scale = B.samples.share[s] * pressure[0];
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
    block++;
  }
  if (writes) rows.blocks = block;
  return energy;
}

/** Points and Jacobian of a row, from the last distance. */
function writeRow(
  { pairs, rows, pairOf, normalOf }: BodyRows,
  block: number,
  pair: number,
  s: number,
): void {
  const { answer, samples } = pairs;
  pairOf[block] = pair;
  for (let c = 0; c < 3; c++) {
    rows.index[3 * block + c] = samples.points[3 * s + c];
    normalOf[3 * block + c] = answer[1 + c];
    const w = samples.weights[3 * s + c];
    for (let a = 0; a < 3; a++) rows.J[9 * block + 3 * c + a] = w * answer[1 + a];
  }
}

/** Whether the last evaluate was at Y, and nothing has changed since. */
export function isSeen({ seen, pairs, pressure }: BodyRows, Y: ReadonlyF64): boolean {
  if (pairs.isChanged) seen.isTrue = false;
  pairs.isChanged = false;
  if (!seen.isTrue || seen.pressure !== pressure[0]) return false;
  for (let b = 0; b < seen.poses.length; b++)
    if (!isSame(seen.poses[b], pairs.to[b], 12)) return false;
  return isSame(seen.Y, Y, seen.Y.length);
}

const time = new Float64Array(1);
const way = new Float64Array(3);

/** The share of the motion p from Y that all samples allow. */
function maxStep(R: BodyRows, Y: ReadonlyF64, p: ReadonlyF64): number {
  const { pairs: B, seen } = R;
  // samples that are not on the list were farther than margin. Who goes farther asks for a new one: how far a step may go must not depend
  // on how old the list is, which a resumed run has just made
  const farthest = longestWay(p, B.n);
  stray(B, Y);
  if (!(longestStray(B) + farthest <= B.margin - B.reach))
    makeBodyList(B, Y, Math.max(B.margin, 2 * farthest + 2 * B.reach));
  // a motion that leaves every pair half of the least gap: a sheet at rest needs no more
  if (farthest < 0.5 * seen.gap && isSeen(R, Y)) return 1;
  let limit = 1;
  for (let k = 0; k < B.near; k++) limit = pairTime(B, B.nearList[k], Y, p, limit);
  return limit;
}

/** The share of the motion p from Y (of the last stray) that a pair allows, at most `limit`. */
function pairTime(
  B: BodyPairs,
  pair: number,
  Y: ReadonlyF64,
  p: ReadonlyF64,
  limit: number,
): number {
  const s = Math.floor(pair / B.colliders.length);
  const b = pair - s * B.colliders.length;
  sampleAt(way, B.samples, s, p);
  const length = Math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) * limit;
  if (leastPairDistance(B, s, b) - B.xi[pair] > length + B.reach) return limit;
  sampleAt(B.x, B.samples, s, Y);
  time[0] = limit;
  sweptPointTime(time, 0, B.table, b, B.to[b], B.still[b], B.x, way, 0, B.xi[pair], B.reach, limit);
  return time[0];
}

/** Planes for the points of all samples that the motion p would bring into a body. */
function addLimits(B: BodyPairs, limits: StepLimits, Y: ReadonlyF64, p: ReadonlyF64): void {
  const { points: P, weights: W } = B.samples;
  stray(B, Y);
  for (let k = 0; k < B.near; k++) {
    const pair = B.nearList[k];
    if (pairTime(B, pair, Y, p, 1) === 1) continue;
    const s = Math.floor(pair / B.colliders.length);
    const b = pair - s * B.colliders.length;
    const room = ROOM * (pairDistance(B, s, b, Y, B.to[b]) - B.xi[pair]);
    const { answer } = B;
    for (let c = 0; c < 3; c++)
      if (W[3 * s + c] !== 0)
        limitPoint(limits, P[3 * s + c], answer[1], answer[2], answer[3], room, p);
  }
}

/** Shortens p at the points of all samples that it would bring into a body; how many there were. */
function shorten(B: BodyPairs, p: Float64Array, Y: ReadonlyF64): number {
  const { points: P, weights: W } = B.samples;
  let cuts = 0;
  stray(B, Y);
  for (let k = 0; k < B.near; k++) {
    const t = pairTime(B, B.nearList[k], Y, p, 1);
    if (t === 1) continue;
    cuts++;
    const s = Math.floor(B.nearList[k] / B.colliders.length);
    for (let c = 0; c < 3; c++) {
      if (W[3 * s + c] === 0) continue;
      for (let q = 3 * P[3 * s + c]; q < 3 * P[3 * s + c] + 3; q++) p[q] *= t;
    }
  }
  return cuts;
}
