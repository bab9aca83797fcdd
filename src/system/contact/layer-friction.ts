/**
 * Friction between layers, of the sheet on meshes, and on the edges and corners of other bodies. It sticks, as it does on bodies: every touching pair
 * keeps its two material points that touched, as weights w. Slip is how far they have parted along the tangents,
 *
 *   u = T (Σ wₖ Yₖ − r)          T: two tangents to the line between the closest points, at the last step's end
 *
 * smoothed over the slip speed times the step, and a sliding pair moves its points along. If slip counted from the start of each step, two layers
 * under load would creep without end, and a fold at rest would spring open seconds later. Normal forces are those of the last step's end.
 *
 * r is for edges and corners inside a round body: the vector from the touched place of the body's surface to the edge, which turns with the body.
 * Without it a sheet that rolls on a ball would count as slipping, by as much as the line to the ball's centre turns.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";
import type { Rigid } from "../../scene/motion.ts";
import { tangents } from "./barrier.ts";
import type { ContactRows } from "./contact-rows.ts";
import { separation } from "./distance.ts";
import { type Friction, frictionRows } from "./friction.ts";
import type { PairList } from "./pair-lists.ts";
import type { ContactSurface } from "./surface.ts";

export interface LayerFriction {
  readonly rows: Friction;
  /** Part of the state: their number, then of every contact the numbers below. */
  readonly kept: Float64Array;
  /** Those of the step before, the last of them that has a vertex first (+ 1), and the one before each with the same. */
  readonly before: Float64Array;
  readonly latest: Int32Array;
  readonly earlier: Int32Array;
  readonly surface: ContactSurface;
  /** m, the slip from which on layers slide. */
  readonly epsilon: number;
}

/** What is kept of a contact: four points, and from these places on their weights, r in the body's directions, the normal, the normal force, and its list. */
const [WEIGHTS, ROUND, NORMAL, FORCE, LIST, KEPT] = [4, 8, 11, 14, 15, 16];

/**
 * @param most   contacts at once
 * @param start  [most+1] the multiples of 4
 */
export function layerFriction(
  memory: Allocator,
  most: number,
  start: Int32Array,
  surface: ContactSurface,
  epsilon: number,
): LayerFriction {
  const kept = memory.f64(KEPT * most + 1);
  return {
    rows: frictionRows(memory, 4, most, start, epsilon, false),
    kept,
    before: new Float64Array(kept.length),
    latest: new Int32Array(surface.total),
    earlier: new Int32Array(most),
    surface,
    epsilon,
  };
}

const basis = new Float64Array(6);
const delta = new Float64Array(3);
const round = new Float64Array(3);
const stuck = new Float64Array(7); // weights, and r

/** The rows of a step. X: where all points are at its start; sweep: how far those that are not unknowns go in it, m. */
export function openFriction(F: LayerFriction, X: ReadonlyF64, sweep: ReadonlyF64): void {
  const { kept, rows, surface } = F;
  const { n, friction, radius, bodies, group } = surface;
  const { J, index, base, force } = rows;
  const count = kept[0];
  for (let k = 0; k < count; k++) {
    const at = 1 + KEPT * k;
    tangents(basis, 0, kept[at + NORMAL], kept[at + NORMAL + 1], kept[at + NORMAL + 2]);
    let u = 0;
    let v = 0;
    let mu = friction[kept[at]];
    for (let c = 0; c < 4; c++) {
      const i = kept[at + c] | 0;
      const w = kept[at + WEIGHTS + c];
      const own = i < n ? w : 0;
      index[4 * k + c] = i < n ? i : 0;
      for (let r = 0; r < 6; r++) J[24 * k + 6 * c + r] = own * basis[r];
      if (i < n) continue;
      // a mesh's points are where it will be at the end of the step
      const x = X[3 * i] + sweep[3 * i];
      const y = X[3 * i + 1] + sweep[3 * i + 1];
      const z = X[3 * i + 2] + sweep[3 * i + 2];
      u -= w * (basis[0] * x + basis[1] * y + basis[2] * z);
      v -= w * (basis[3] * x + basis[4] * y + basis[5] * z);
      mu = friction[i];
    }
    const first = kept[at] | 0;
    if (radius[first] > 0) {
      turn(round, 0, kept, at + ROUND, bodies[group[first] - 1].pose);
      u += basis[0] * round[0] + basis[1] * round[1] + basis[2] * round[2];
      v += basis[3] * round[0] + basis[4] * round[1] + basis[5] * round[2];
    }
    base[2 * k] = u;
    base[2 * k + 1] = v;
    force[k] = mu * kept[at + FORCE];
  }
  rows.blocks = count;
}

/** Keeps the contacts at X; those of list s end at ends[s]. */
export function closeFriction(
  F: LayerFriction,
  X: ReadonlyF64,
  contacts: ContactRows,
  ends: ReadonlyI32,
  lists: readonly PairList[],
): void {
  const { kept } = F;
  // at rest they are the same, in the same order, and nothing has to be looked for
  let those = kept;
  let list = 0;
  const count = ends[lists.length - 1];
  for (let b = 0; b < count; b++) {
    while (b >= ends[list]) list++;
    const pairs = lists[list].candidates.points;
    const first = 4 * contacts.pair[b];
    if (those === kept && !(b < kept[0] && isOf(kept, b, pairs, first, list))) {
      remember(F, b);
      those = F.before;
    }
    const found = those === kept ? b : find(F, pairs, first, list);
    keep(F, b, those, found, X, contacts, pairs, first);
    kept[1 + KEPT * b + LIST] = list;
  }
  kept[0] = count;
}

/** Keeps contact b of the pair at `first`, which was contact `found` of those before; −1: it did not touch. */
function keep(
  { kept, surface, epsilon }: LayerFriction,
  b: number,
  those: ReadonlyF64,
  found: number,
  X: ReadonlyF64,
  { weights, sigma }: ContactRows,
  pairs: ReadonlyI32,
  first: number,
): void {
  const i = pairs[first];
  const j = pairs[first + 1];
  const k = pairs[first + 2];
  const l = pairs[first + 3];
  separation(delta, 0, weights, b, X, i, j, k, l);
  const d = Math.sqrt(delta[0] ** 2 + delta[1] ** 2 + delta[2] ** 2);
  const x = delta[0] / d;
  const y = delta[1] / d;
  const z = delta[2] / d;
  const r = surface.radius[i];
  const pose = r > 0 ? surface.bodies[surface.group[i] - 1].pose : null;
  round.fill(0);
  if (pose)
    for (let c = 0; c < 3; c++) round[c] = r * (pose[c] * x + pose[3 + c] * y + pose[6 + c] * z);
  let share = 0; // of where it stuck; the rest is of where it touches now
  if (found >= 0) {
    for (let c = 0; c < 7; c++) stuck[c] = those[1 + KEPT * found + WEIGHTS + c];
    share = stuckShare(X, i, j, k, l, x, y, z, pose, epsilon);
  }
  const at = 1 + KEPT * b;
  for (let c = 0; c < 7; c++) {
    // the slip is linear in the weights and r, and between the closest points it is 0
    const now = c < 4 ? weights[4 * b + c] : round[c - 4];
    kept[at + WEIGHTS + c] =
      share === 0 ? now : share === 1 ? stuck[c] : now + share * (stuck[c] - now);
  }
  for (let c = 0; c < 4; c++) kept[at + c] = pairs[first + c];
  kept[at + NORMAL] = x;
  kept[at + NORMAL + 1] = y;
  kept[at + NORMAL + 2] = z;
  kept[at + FORCE] = -sigma[b];
}

/** Share of where a pair stuck that is left after it has slid no further than ε. */
function stuckShare(
  X: ReadonlyF64,
  i: number,
  j: number,
  k: number,
  l: number,
  x: number,
  y: number,
  z: number,
  pose: Readonly<Rigid> | null,
  epsilon: number,
): number {
  separation(delta, 0, stuck, 0, X, i, j, k, l);
  if (pose) {
    turn(parted, 0, stuck, 4, pose);
    for (let c = 0; c < 3; c++) delta[c] -= parted[c];
  }
  const along = delta[0] * x + delta[1] * y + delta[2] * z;
  const slip = Math.sqrt(
    (delta[0] - along * x) ** 2 + (delta[1] - along * y) ** 2 + (delta[2] - along * z) ** 2,
  );
  return slip > epsilon ? epsilon / slip : 1;
}
const parted = new Float64Array(3);

/** A direction of a body, as it stands. */
function turn(out: Float64Array, to: number, v: ReadonlyF64, at: number, R: Readonly<Rigid>): void {
  for (let c = 0; c < 3; c++)
    out[to + c] = R[3 * c] * v[at] + R[3 * c + 1] * v[at + 1] + R[3 * c + 2] * v[at + 2];
}

/** Makes the contacts of the last step from number `from` on findable by their first point. */
function remember({ kept, before, latest, earlier }: LayerFriction, from: number): void {
  const count = kept[0];
  for (let k = KEPT * from; k <= KEPT * count; k++) before[k] = kept[k];
  latest.fill(0);
  for (let k = from; k < count; k++) {
    const first = kept[1 + KEPT * k];
    earlier[k] = latest[first];
    latest[first] = k + 1;
  }
}

/** Whether contact k of those is that of the pair at `at`. */
function isOf(
  those: ReadonlyF64,
  k: number,
  pairs: ReadonlyI32,
  at: number,
  list: number,
): boolean {
  const from = 1 + KEPT * k;
  for (let c = 0; c < 4; c++) if (those[from + c] !== pairs[at + c]) return false;
  return those[from + LIST] === list;
}

/** Which contact of before is of that pair; −1: it did not touch. */
function find(
  { before, latest, earlier }: LayerFriction,
  pairs: ReadonlyI32,
  at: number,
  list: number,
): number {
  for (let k = latest[pairs[at]]; k > 0; k = earlier[k - 1])
    if (isOf(before, k - 1, pairs, at, list)) return k - 1;
  return -1;
}
