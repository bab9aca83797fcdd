/**
 * Pairs of samples and bodies: poses, distances, what each pair keeps, and which may touch in this step.
 *
 * A pair has the number s·bodies + b. Slopes of a signed distance are 1, so a distance that was measured once bounds all later ones by how far sample and
 * body have gone since: most pairs are never looked at again.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { colliderAt, createRigid, type Rigid } from "../../scene/motion.ts";
import type { Body, Collider, Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import { type BodySamples, createSamples, sampleAt } from "./body-samples.ts";
import {
  type BodyTable,
  createSweep,
  prepareBodies,
  setSweep,
  worldDistance,
} from "./colliders.ts";

/** [colliders] s, where each body is on its path at the start and at the end of a step. */
export interface BodyTimes {
  readonly from: ReadonlyF64;
  readonly to: ReadonlyF64;
}

export interface BodyPairs {
  readonly n: number; // points of the sheet
  readonly samples: BodySamples;
  readonly table: BodyTable;
  readonly colliders: readonly Collider[];
  /** [bodies] their numbers among the scene's colliders. */
  readonly which: readonly number[];
  readonly count: number; // samples × bodies
  /** [bodies] at the start and at the end of the step, and the way between; `still` stays at the end. */
  readonly from: readonly Rigid[];
  readonly to: readonly Rigid[];
  readonly sweeps: readonly Float64Array[];
  readonly still: readonly Float64Array[];
  /** [bodies] m, in this step, Infinity if it turns; and from where distances were measured to the start of the step. */
  readonly moved: Float64Array;
  readonly came: Float64Array;
  /** [count] m, the distance that each pair keeps: part of the state. */
  readonly xi: Float64Array;
  /** [samples] 1: all its points are held. */
  readonly isSkipped: Uint8Array;
  readonly wasFixed: Uint8Array;
  /** Near pairs, body by body; [bodies] where those of each end; [count] 1: on the list. */
  readonly nearList: Int32Array;
  readonly nearEnd: Int32Array;
  readonly isListed: Uint8Array;
  near: number;
  /** m, within which pairs are on the list. */
  margin: number;
  /** Since forces were written last. */
  isNewList: boolean;
  /** [3n] m, where the list was made; [n] m, how far points are from there; [count] m, least distances there; [bodies] poses there. */
  readonly begin: Float64Array;
  readonly strayed: Float64Array;
  readonly phi0: Float64Array;
  readonly measured: readonly Rigid[];
  isMeasured: boolean;
  /** m, reach of the barrier; longest side of a triangle. */
  readonly reach: number;
  readonly longest: number;
  /** Whether what pairs keep, or who is skipped, has changed since it was last asked. */
  isChanged: boolean;
  /** [10] φ, n and ∂²φ of the last distance, [3] where. */
  readonly answer: Float64Array;
  readonly x: Float64Array;
}

export function createBodyPairs(
  memory: Allocator,
  scene: Scene,
  sheet: Sheet,
  thickness: ReadonlyF64,
): BodyPairs | null {
  const colliders = scene.colliders.filter((c) => c.body.type !== "mesh");
  if (colliders.length === 0) return null;
  const { n } = sheet;
  const samples = createSamples(memory, sheet, thickness);
  const count = samples.count * colliders.length;
  const xi = memory.f64(count);
  xi.fill(Number.NEGATIVE_INFINITY);
  const rigids = () => colliders.map(() => createRigid());
  return {
    n,
    samples,
    table: prepareBodies(memory, colliders.map((c) => c.body) as Exclude<Body, { type: "mesh" }>[]),
    colliders,
    which: colliders.map((c) => scene.colliders.indexOf(c)),
    count,
    from: rigids(),
    to: rigids(),
    sweeps: colliders.map(() => createSweep()),
    still: colliders.map(() => createSweep()),
    moved: new Float64Array(colliders.length),
    came: new Float64Array(colliders.length),
    xi,
    isSkipped: memory.u8(samples.count),
    wasFixed: new Uint8Array(3 * n),
    nearList: memory.i32(count),
    nearEnd: new Int32Array(colliders.length),
    isListed: new Uint8Array(count),
    near: 0,
    margin: 0,
    isNewList: true,
    begin: memory.f64(3 * n),
    strayed: memory.f64(n),
    phi0: memory.f64(count),
    measured: rigids(),
    isMeasured: false,
    reach: samples.half.reduce((most, half) => Math.max(most, half), 0),
    longest: (sheet.edgeLength as Float64Array).reduce((most, l) => Math.max(most, l), 0),
    isChanged: true,
    answer: new Float64Array(10),
    x: new Float64Array(3),
  };
}

/** φ of sample s and body b at a pose; normal and place are left in `answer` and `x`. */
export function pairDistance(
  B: BodyPairs,
  s: number,
  b: number,
  Y: ReadonlyF64,
  pose: Rigid,
): number {
  sampleAt(B.x, B.samples, s, Y);
  worldDistance(B.answer, 0, B.table, b, pose, B.x, 0);
  return B.answer[0];
}

/** How far Y is from where the list was made, for leastPairDistance. */
export function stray(B: BodyPairs, Y: ReadonlyF64): void {
  for (let i = 0; i < B.n; i++) strayPoint(B, i, Y);
}

export function strayPoint({ begin, strayed }: BodyPairs, i: number, Y: ReadonlyF64): void {
  const u = Y[3 * i] - begin[3 * i];
  const v = Y[3 * i + 1] - begin[3 * i + 1];
  const w = Y[3 * i + 2] - begin[3 * i + 2];
  strayed[i] = Math.sqrt(u * u + v * v + w * w);
}

export function longestStray({ strayed, n }: BodyPairs): number {
  let most = 0;
  for (let i = 0; i < n; i++) if (!(strayed[i] <= most)) most = strayed[i];
  return most;
}

/** Not more than the distance of the pair at the pose that was measured and the last Y of stray. */
export function leastPairDistance(B: BodyPairs, s: number, b: number): number {
  const { points: P, weights: W } = B.samples;
  const { strayed } = B;
  return (
    B.phi0[s * B.colliders.length + b] -
    (W[3 * s] * strayed[P[3 * s]] +
      W[3 * s + 1] * strayed[P[3 * s + 1]] +
      W[3 * s + 2] * strayed[P[3 * s + 2]])
  );
}

/** The k-th pair of the near list, or of all, body by body. */
export function pairAt(B: BodyPairs, k: number, isListed: boolean): number {
  const { count } = B.samples;
  return isListed ? B.nearList[k] : (k % count) * B.colliders.length + Math.floor(k / count);
}

/** Pairs within `reach` of a body at its end pose, body by body. */
export function makeBodyList(B: BodyPairs, Y: ReadonlyF64, reach: number): void {
  const nb = B.colliders.length;
  B.margin = Math.max(reach, 2 * B.reach);
  B.near = 0;
  B.isListed.fill(0);
  B.isNewList = true;
  stray(B, Y);
  for (let b = 0; b < nb; b++) {
    const way = B.isMeasured ? wayBetween(B.measured[b], B.to[b]) : Number.POSITIVE_INFINITY;
    for (let s = 0; s < B.samples.count; s++) {
      const pair = s * nb + b;
      let phi = leastPairDistance(B, s, b) - way;
      if (!(phi - B.xi[pair] >= B.margin + B.longest)) phi = pairDistance(B, s, b, Y, B.to[b]);
      B.phi0[pair] = phi;
      if (B.isSkipped[s] || phi - B.xi[pair] >= B.margin) continue;
      B.isListed[pair] = 1;
      B.nearList[B.near++] = pair;
    }
    B.nearEnd[b] = B.near;
    B.measured[b].set(B.to[b]);
  }
  B.isMeasured = true;
  for (let k = 0; k < 3 * B.n; k++) B.begin[k] = Y[k];
  stray(B, Y);
}

/** Poses and ways of the bodies in this step; the near list, if the last one does not serve. */
export function openBodyPairs(
  B: BodyPairs,
  Y: ReadonlyF64,
  times: BodyTimes,
  fixed: Uint8Array,
): void {
  let fastest = 0;
  let serves = !skipHeld(B, fixed) && B.isMeasured;
  for (let b = 0; b < B.colliders.length; b++) {
    colliderAt(B.from[b], B.colliders[b], times.from[B.which[b]]);
    colliderAt(B.to[b], B.colliders[b], times.to[B.which[b]]);
    setSweep(B.sweeps[b], B.from[b], B.to[b]);
    setSweep(B.still[b], B.to[b], B.to[b]);
    fastest = Math.max(fastest, wayOf(B, b));
    B.moved[b] = wayBetween(B.from[b], B.to[b]);
    B.came[b] = B.isMeasured ? wayBetween(B.measured[b], B.from[b]) : Number.POSITIVE_INFINITY;
    if (B.came[b] + B.moved[b] > 0) serves = false;
  }
  const listed = 20 * B.reach + 2 * fastest;
  stray(B, Y);
  if (!(B.margin - longestStray(B) >= listed)) serves = false;
  setSeparations(B, Y, serves);
  if (!serves) makeBodyList(B, Y, listed + 0.5 * B.longest);
}

/** m: how far the fastest body moves in this step that has pairs on the list. */
export function nearestWay(B: BodyPairs): number {
  let most = 0;
  for (let b = 0; b < B.colliders.length; b++)
    if (B.nearEnd[b] > (b > 0 ? B.nearEnd[b - 1] : 0)) most = Math.max(most, wayOf(B, b));
  return most;
}

/** m, of the middle of the body in this step. */
function wayOf({ sweeps }: BodyPairs, b: number): number {
  const sweep = sweeps[b];
  return Math.sqrt(sweep[3] ** 2 + sweep[4] ** 2 + sweep[5] ** 2);
}

/** m: how far a body moves from one pose to the other, Infinity if it turns. */
function wayBetween(from: Readonly<Rigid>, to: Readonly<Rigid>): number {
  for (let m = 0; m < 9; m++) if (from[m] !== to[m]) return Number.POSITIVE_INFINITY;
  return Math.sqrt((to[9] - from[9]) ** 2 + (to[10] - from[10]) ** 2 + (to[11] - from[11]) ** 2);
}

/** Samples whose points are all held need no contact; says whether others are held than before. */
function skipHeld(B: BodyPairs, fixed: Uint8Array): boolean {
  const { points: P, weights: W, count } = B.samples;
  let isOther = false;
  for (let k = 0; k < 3 * B.n; k++) if (fixed[k] !== B.wasFixed[k]) isOther = true;
  if (!isOther) return false;
  for (let k = 0; k < 3 * B.n; k++) B.wasFixed[k] = fixed[k];
  for (let s = 0; s < count; s++) {
    let held = 1;
    for (let c = 0; c < 3; c++) {
      if (W[3 * s + c] === 0) continue;
      const i = 3 * P[3 * s + c];
      if (!(fixed[i] && fixed[i + 1] && fixed[i + 2])) held = 0;
    }
    if (B.isSkipped[s] !== held) B.isChanged = true;
    B.isSkipped[s] = held;
  }
  return true;
}

/**
 * What each pair, or each of the list, keeps in this step: the full distance; a sample that starts closer what it has but a tenth of the reach, and
 * never less than before.
 */
function setSeparations(B: BodyPairs, Y: ReadonlyF64, isListed: boolean): void {
  const nb = B.colliders.length;
  for (let k = 0; k < (isListed ? B.near : B.count); k++) {
    const pair = pairAt(B, k, isListed);
    const s = Math.floor(pair / nb);
    const b = pair - s * nb;
    const full = B.samples.half[s] + B.colliders[b].offset;
    let allowed = full;
    if (!(leastPairDistance(B, s, b) - B.came[b] > full)) {
      const phi = pairDistance(B, s, b, Y, B.from[b]);
      if (!(phi > full)) allowed = phi - 0.1 * B.reach;
      if (B.xi[pair] >= allowed && B.xi[pair] < phi) continue;
    }
    if (B.xi[pair] !== allowed) B.isChanged = true;
    B.xi[pair] = allowed;
  }
}
