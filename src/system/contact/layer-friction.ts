/**
 * Friction between layers, and of the sheet on meshes. It sticks, as it does on bodies: every touching pair remembers the two points that met,
 * by their weights w. Slip is how far they have parted along the tangents,
 *
 *   u = T Σ wₖ Yₖ          T: two tangents to the line between the closest points, at the last step's end
 *
 * smoothed over what the slip speed makes in a step, and a sliding pair drags its points behind. Counted from the start of each step instead, two
 * layers under load creep for ever, and a fold that has come to rest snaps seconds later. Normal forces are those of the last step's end.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../../linalg/arena.ts";
import { tangents } from "./barrier.ts";
import type { ContactRows } from "./contact-rows.ts";
import { separation } from "./distance.ts";
import { type Friction, frictionRows } from "./friction.ts";
import type { PairList } from "./pair-lists.ts";

export interface LayerFriction {
  readonly rows: Friction;
  /** Part of the state: their number, then of every contact the numbers below. */
  readonly kept: Float64Array;
  /** The rows of a step. X: where all points are at its start; sweep: how far those that are not unknowns go in it, m. */
  beginStep(X: ReadonlyF64, sweep: ReadonlyF64): void;
  /** Keeps the contacts; those of list s end at ends[s]. */
  endStep(
    X: ReadonlyF64,
    contacts: ContactRows,
    ends: ReadonlyI32,
    lists: readonly PairList[],
  ): void;
}

/** What is kept of a contact: four points, and from these places on their weights, the normal, the normal force, and which list it is of. */
const [WEIGHTS, NORMAL, FORCE, LIST, KEPT] = [4, 8, 11, 12, 13];

/**
 * @param most      contacts at once
 * @param start     [most+1] the multiples of 4
 * @param n         points that are unknowns; those after them belong to meshes
 * @param friction  [points] coefficients; of meshes, they decide
 * @param epsilon   m, the slip from which on layers slide
 */
export function layerFriction(
  memory: Allocator,
  most: number,
  start: Int32Array,
  n: number,
  friction: ReadonlyF64,
  epsilon: number,
): LayerFriction {
  const kept = memory.f64(KEPT * most + 1);
  const before = new Float64Array(kept.length);
  const latest = new Int32Array(friction.length); // contact before that has this point first, + 1,
  const earlier = new Int32Array(most); // and the one before it with the same
  const rows = frictionRows(memory, 4, most, start, epsilon, false);
  const { J, index, base, force } = rows;
  const basis = new Float64Array(6);
  const stuck = new Float64Array(4);
  const delta = new Float64Array(3);

  /** Makes the contacts of the last step from number `from` on findable by their first point. */
  function remember(from: number): void {
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
  function find(pairs: ReadonlyI32, at: number, list: number): number {
    for (let k = latest[pairs[at]]; k > 0; k = earlier[k - 1])
      if (isOf(before, k - 1, pairs, at, list)) return k - 1;
    return -1;
  }

  return {
    rows,
    kept,
    beginStep(X, sweep) {
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
          const j = 24 * k + 6 * c;
          const own = i < n ? w : 0;
          index[4 * k + c] = i < n ? i : 0;
          J[j] = own * basis[0];
          J[j + 1] = own * basis[1];
          J[j + 2] = own * basis[2];
          J[j + 3] = own * basis[3];
          J[j + 4] = own * basis[4];
          J[j + 5] = own * basis[5];
          if (i < n) continue;
          // a mesh's points are where it will be at the end of the step
          const x = X[3 * i] + sweep[3 * i];
          const y = X[3 * i + 1] + sweep[3 * i + 1];
          const z = X[3 * i + 2] + sweep[3 * i + 2];
          u -= w * (basis[0] * x + basis[1] * y + basis[2] * z);
          v -= w * (basis[3] * x + basis[4] * y + basis[5] * z);
          mu = friction[i];
        }
        base[2 * k] = u;
        base[2 * k + 1] = v;
        force[k] = mu * kept[at + FORCE];
      }
      rows.blocks = count;
    },
    endStep(X, { pair, weights, sigma }, ends, lists) {
      // at rest they are the same, in the same order, and nothing has to be looked for
      let those = kept;
      let list = 0;
      const count = ends[lists.length - 1];
      for (let b = 0; b < count; b++) {
        while (b >= ends[list]) list++;
        const pairs = lists[list].candidates.points;
        const first = 4 * pair[b];
        const i = pairs[first];
        const j = pairs[first + 1];
        const k = pairs[first + 2];
        const l = pairs[first + 3];
        if (those === kept && !(b < kept[0] && isOf(kept, b, pairs, first, list))) {
          remember(b);
          those = before;
        }
        const found = those === kept ? b : find(pairs, first, list);
        // the normal, and how far the points that stuck have parted along it and across
        separation(delta, 0, weights, b, X, i, j, k, l);
        const d = Math.sqrt(delta[0] ** 2 + delta[1] ** 2 + delta[2] ** 2);
        const x = delta[0] / d;
        const y = delta[1] / d;
        const z = delta[2] / d;
        let share = 0; // of where it stuck; the rest is of where it touches now
        if (found >= 0) {
          for (let c = 0; c < 4; c++) stuck[c] = those[1 + KEPT * found + WEIGHTS + c];
          separation(delta, 0, stuck, 0, X, i, j, k, l);
          const along = delta[0] * x + delta[1] * y + delta[2] * z;
          const slip = Math.sqrt(
            (delta[0] - along * x) ** 2 + (delta[1] - along * y) ** 2 + (delta[2] - along * z) ** 2,
          );
          share = slip > epsilon ? epsilon / slip : 1;
        }
        const at = 1 + KEPT * b;
        for (let c = 0; c < 4; c++) {
          // δ is linear in the weights, and that of the closest points has no tangential part
          const now = weights[4 * b + c];
          kept[at + c] = pairs[first + c];
          kept[at + WEIGHTS + c] =
            share === 0 ? now : share === 1 ? stuck[c] : now + share * (stuck[c] - now);
        }
        kept[at + NORMAL] = x;
        kept[at + NORMAL + 1] = y;
        kept[at + NORMAL + 2] = z;
        kept[at + FORCE] = -sigma[b];
        kept[at + LIST] = list;
      }
      kept[0] = count;
    },
  };
}
