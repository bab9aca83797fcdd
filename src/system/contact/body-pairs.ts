/**
 * Pairs of samples (points, edges, triangles; body-samples.ts) and bodies: poses, distances, what each pair keeps, and which may touch in this step.
 *
 * A pair has the number s·bodies + b. The gradient of a signed distance has length 1, so a measured distance, less how far sample and body have moved
 * since, is a lower bound of all later ones: most pairs are measured once.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { colliderAt, createRigid, type Rigid } from "../../scene/motion.ts";
import type { Body, Collider, Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import { type BodySamples, createSamples, roundBody } from "./body-samples.ts";
import {
  type BodyTable,
  createSweep,
  prepareBodies,
  setSweep,
  worldDistance,
} from "./colliders.ts";
import {
  NEAREST_LENGTH,
  NEAREST_NORMAL,
  NEAREST_WEIGHTS,
  nearestOfTriangle,
} from "./triangle-body.ts";

/** [colliders] s, where each body is on its path at the start and at the end of a step. */
export interface BodyTimes {
  readonly from: ReadonlyF64;
  readonly to: ReadonlyF64;
}

export interface BodyPairs {
  readonly n: number; // points of the sheet
  readonly samples: BodySamples;
  readonly table: BodyTable;
  /** The bodies that edges and triangles keep off (body-samples.ts), and [bodies] their numbers among those; −1: not one of them. */
  readonly round: BodyTable;
  readonly roundOf: Int32Array;
  readonly colliders: readonly Collider[];
  /** [bodies] their numbers among the scene's colliders. */
  readonly which: readonly number[];
  readonly count: number; // samples × bodies
  /** [bodies] at the start and at the end of the step, and the motion between; `still` stays at the end. */
  readonly from: readonly Rigid[];
  readonly to: readonly Rigid[];
  readonly sweeps: readonly Float64Array[];
  readonly still: readonly Float64Array[];
  /** [bodies] m, how far each moves in this step (Infinity if it turns), and how far it moved before, since distances were measured. */
  readonly moved: Float64Array;
  readonly movedBefore: Float64Array;
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
  /** Whether anything has changed since forces were written last. */
  isNewList: boolean;
  /** [3n] m, where the list was made; [n] m, how far points are from there; [count] m, least distances there; [bodies] poses there. */
  readonly begin: Float64Array;
  readonly displacement: Float64Array;
  readonly phi0: Float64Array;
  readonly measured: readonly Rigid[];
  isMeasured: boolean;
  /** m, reach of the barrier of points, the longest; longest side of a triangle. */
  readonly reach: number;
  readonly longest: number;
  /** m, mean spacing of the points. */
  readonly spacing: number;
  /** Whether the distances that pairs keep, or the skipped samples, have changed since it was last read. */
  isChanged: boolean;
  /** [10] φ and n of the last distance, [3] weights of its points and [3] where; of an edge or a triangle all of triangle-body.ts as well. */
  readonly answer: Float64Array;
  readonly weights: Float64Array;
  readonly x: Float64Array;
  readonly nearest: Float64Array;
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
  const spacing = (sheet.spacing as Float64Array).reduce((sum, l) => sum + l / n, 0);
  const bodies = colliders.map((c) => c.body) as Formula[];
  let thickest = 0;
  for (let i = 0; i < n; i++) thickest = Math.max(thickest, thickness[i]);
  const seen = bodies.map((body) => roundBody(body, spacing, thickest));
  const round = seen.filter((body) => body !== null);
  const samples = createSamples(memory, sheet, thickness, round.length > 0);
  const count = samples.count * colliders.length;
  const xi = memory.f64(count);
  xi.fill(Number.NEGATIVE_INFINITY);
  const rigids = () => colliders.map(() => createRigid());
  return {
    n,
    samples,
    table: prepareBodies(memory, bodies),
    round: prepareBodies(memory, round),
    roundOf: Int32Array.from(seen, (body) => (body ? round.indexOf(body) : -1)),
    colliders,
    which: colliders.map((c) => scene.colliders.indexOf(c)),
    count,
    from: rigids(),
    to: rigids(),
    sweeps: colliders.map(() => createSweep()),
    still: colliders.map(() => createSweep()),
    moved: new Float64Array(colliders.length),
    movedBefore: new Float64Array(colliders.length),
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
    displacement: memory.f64(n),
    phi0: memory.f64(count),
    measured: rigids(),
    isMeasured: false,
    reach: samples.reach.reduce((most, reach) => Math.max(most, reach), 0),
    longest: (sheet.edgeLength as Float64Array).reduce((most, l) => Math.max(most, l), 0),
    spacing,
    isChanged: true,
    answer: new Float64Array(10),
    weights: new Float64Array(3),
    x: new Float64Array(3),
    nearest: new Float64Array(NEAREST_LENGTH),
  };
}

type Formula = Exclude<Body, { type: "mesh" }>;

/**
 * φ of sample s and body b at a pose; normal, weights of the points and place are left in `answer`, `weights` and `x`. Where all of a triangle is
 * farther than `far` it is a bound.
 */
export function pairDistance(
  B: BodyPairs,
  s: number,
  b: number,
  Y: ReadonlyF64,
  pose: Rigid,
  far: number = Number.POSITIVE_INFINITY,
): number {
  const { samples, answer, weights, nearest } = B;
  if (s < samples.n) {
    weights[0] = 1;
    weights[1] = 0;
    weights[2] = 0;
    for (let c = 0; c < 3; c++) B.x[c] = Y[3 * s + c];
    worldDistance(answer, 0, B.table, b, pose, B.x, 0);
    return answer[0];
  }
  if (B.roundOf[b] < 0) {
    answer[0] = Number.POSITIVE_INFINITY;
    return answer[0];
  }
  const { points: P } = samples;
  const i = P[3 * s];
  const j = P[3 * s + 1];
  const k = P[3 * s + 2];
  nearestOfTriangle(nearest, B.round, B.roundOf[b], pose, Y, i, j, k, far);
  takeNearest(B);
  weightedAt(B.x, B, s, Y);
  return answer[0];
}

/** The same of an edge or a triangle with other positions of its corners, at the end of the step. Does not write the place. */
export function cornersDistance(
  B: BodyPairs,
  s: number,
  b: number,
  corners: ReadonlyF64,
  far: number,
): number {
  const { points: P } = B.samples;
  const third = P[3 * s + 1] === P[3 * s + 2] ? 1 : 2;
  nearestOfTriangle(B.nearest, B.round, B.roundOf[b], B.to[b], corners, 0, 1, third, far);
  takeNearest(B);
  return B.answer[0];
}

function takeNearest({ answer, weights, nearest }: BodyPairs): void {
  answer[0] = nearest[0];
  for (let c = 0; c < 3; c++) {
    answer[1 + c] = nearest[NEAREST_NORMAL + c];
    weights[c] = nearest[NEAREST_WEIGHTS + c];
  }
}

/** Σ w Y over the points of sample s, with the weights of the last distance. */
function weightedAt(
  out: Float64Array,
  { samples: { points: P }, weights: w }: BodyPairs,
  s: number,
  Y: ReadonlyF64,
): void {
  const i = 3 * P[3 * s];
  const j = 3 * P[3 * s + 1];
  const k = 3 * P[3 * s + 2];
  for (let c = 0; c < 3; c++) out[c] = w[0] * Y[i + c] + w[1] * Y[j + c] + w[2] * Y[k + c];
}

/** m: the distance that sample s keeps from body b where it can. */
export function fullSeparation({ samples, colliders }: BodyPairs, s: number, b: number): number {
  return samples.keep[s] + colliders[b].offset;
}

/** Displacements of all points from where the list was made to Y, for leastPairDistance. */
export function updateDisplacements(B: BodyPairs, Y: ReadonlyF64): void {
  for (let i = 0; i < B.n; i++) updateDisplacement(B, i, Y);
}

export function updateDisplacement(
  { begin, displacement }: BodyPairs,
  i: number,
  Y: ReadonlyF64,
): void {
  const u = Y[3 * i] - begin[3 * i];
  const v = Y[3 * i + 1] - begin[3 * i + 1];
  const w = Y[3 * i + 2] - begin[3 * i + 2];
  displacement[i] = Math.sqrt(u * u + v * v + w * w);
}

export function longestDisplacement({ displacement, n }: BodyPairs): number {
  let most = 0;
  for (let i = 0; i < n; i++) if (!(displacement[i] <= most)) most = displacement[i];
  return most;
}

/** A lower bound of the distance of a pair, at the measured pose and the last Y of updateDisplacements. */
export function leastPairDistance(B: BodyPairs, s: number, b: number): number {
  const { points: P } = B.samples;
  const { displacement } = B;
  const most = Math.max(
    displacement[P[3 * s]],
    displacement[P[3 * s + 1]],
    displacement[P[3 * s + 2]],
  );
  return B.phi0[s * B.colliders.length + b] - most;
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
  updateDisplacements(B, Y);
  for (let b = 0; b < nb; b++) {
    const motion = B.isMeasured
      ? displacementBetween(B.measured[b], B.to[b])
      : Number.POSITIVE_INFINITY;
    for (let s = 0; s < B.samples.count; s++) {
      const pair = s * nb + b;
      let phi = leastPairDistance(B, s, b) - motion;
      const far = B.margin + B.longest;
      if (!(phi - B.xi[pair] >= far)) phi = pairDistance(B, s, b, Y, B.to[b], B.xi[pair] + far);
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
  updateDisplacements(B, Y);
}

/** Poses and motions of the bodies in this step; a new list of near pairs if the last one does not cover it. */
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
    fastest = Math.max(fastest, bodyMotion(B, b));
    B.moved[b] = displacementBetween(B.from[b], B.to[b]);
    B.movedBefore[b] = B.isMeasured
      ? displacementBetween(B.measured[b], B.from[b])
      : Number.POSITIVE_INFINITY;
    if (B.movedBefore[b] + B.moved[b] > 0) serves = false;
  }
  const listed = 20 * B.reach + 2 * fastest;
  updateDisplacements(B, Y);
  if (!(B.margin - longestDisplacement(B) >= listed)) serves = false;
  setSeparations(B, Y, serves);
  if (!serves) makeBodyList(B, Y, listed + 0.5 * B.longest);
}

/** m: how far the fastest body moves in this step that has pairs on the list. */
export function nearestMotion(B: BodyPairs): number {
  let most = 0;
  for (let b = 0; b < B.colliders.length; b++)
    if (B.nearEnd[b] > (b > 0 ? B.nearEnd[b - 1] : 0)) most = Math.max(most, bodyMotion(B, b));
  return most;
}

/** m, of the middle of the body in this step. */
function bodyMotion({ sweeps }: BodyPairs, b: number): number {
  const sweep = sweeps[b];
  return Math.sqrt(sweep[3] ** 2 + sweep[4] ** 2 + sweep[5] ** 2);
}

/** m: how far a body moves from one pose to the other, Infinity if it turns. */
function displacementBetween(from: Readonly<Rigid>, to: Readonly<Rigid>): number {
  for (let m = 0; m < 9; m++) if (from[m] !== to[m]) return Number.POSITIVE_INFINITY;
  return Math.sqrt((to[9] - from[9]) ** 2 + (to[10] - from[10]) ** 2 + (to[11] - from[11]) ** 2);
}

/** Samples whose points are all held need no contact; says whether others are held than before. */
function skipHeld(B: BodyPairs, fixed: Uint8Array): boolean {
  const { points: P, count } = B.samples;
  let isOther = false;
  for (let k = 0; k < 3 * B.n; k++) if (fixed[k] !== B.wasFixed[k]) isOther = true;
  if (!isOther) return false;
  for (let k = 0; k < 3 * B.n; k++) B.wasFixed[k] = fixed[k];
  for (let s = 0; s < count; s++) {
    let held = 1;
    for (let c = 0; c < 3; c++) {
      const i = 3 * P[3 * s + c];
      if (!(fixed[i] && fixed[i + 1] && fixed[i + 2])) held = 0;
    }
    if (B.isSkipped[s] !== held) B.isChanged = true;
    B.isSkipped[s] = held;
  }
  return true;
}

/** Share of the reach that a sample which starts closer than it should has to its barrier. */
const ROOM_SHARE = 0.1;

/**
 * The distance that each pair (or each of the list) keeps in this step: the full one or, for a sample that starts closer, its present distance less a
 * tenth of the reach, and never less than before.
 */
function setSeparations(B: BodyPairs, Y: ReadonlyF64, isListed: boolean): void {
  const nb = B.colliders.length;
  for (let k = 0; k < (isListed ? B.near : B.count); k++) {
    const pair = pairAt(B, k, isListed);
    const s = Math.floor(pair / nb);
    const b = pair - s * nb;
    const full = fullSeparation(B, s, b);
    let allowed = full;
    if (!(leastPairDistance(B, s, b) - B.movedBefore[b] > full)) {
      const phi = pairDistance(B, s, b, Y, B.from[b], full + B.reach);
      if (!(phi > full)) allowed = phi - ROOM_SHARE * B.samples.reach[s];
      if (B.xi[pair] >= allowed && B.xi[pair] < phi) continue;
    }
    if (B.xi[pair] !== allowed) B.isChanged = true;
    B.xi[pair] = allowed;
  }
}
