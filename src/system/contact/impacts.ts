/**
 * Resolves impacts: changes a motion of the sheet so that no pair passes through another while bodies and held points move as prescribed.
 *
 * The points of every pair that would touch at time t of the motion P are displaced by what they lack along the normal n at t,
 *
 *   Pₘ += n wₘ c / Σ w²,     c = OPEN·d̂ − Σ wₘ (1 − t) Pₘ·n
 *
 * pair after pair and round after round (Gauss–Seidel), until no pair passes through another. Held points and those of bodies are not displaced. This is
 * a start for the minimiser, not physics: it ignores mass and strain, which the minimiser then restores.
 */
import type { ReadonlyF64 } from "../../linalg/arena.ts";
import { edgeEdge, pointTriangle, separation } from "./distance.ts";
import { coveredShare, type LayerLists, makeLists, updateDisplacements } from "./layer-lists.ts";
import { pairTime } from "./pair-limits.ts";
import type { PairList } from "./pair-lists.ts";

/** Rounds over all pairs: a corner that lifts a triangle, whose neighbours then meet the next, takes five to ten. */
const ROUNDS = 40;
/** Gap that a pair is opened to, as a share of the reach. */
const OPEN = 0.3;
/**
 * Least Σw² over the points of a pair that can give way, whose displacement is 1/√Σw² times what the pair lacks. A pair near the held end of an edge is a lever:
 * a pin at 1 m/s that met a box at a hundredth of an edge threw the free end at 50 m/s, which gave the sheet 3 J where it had 0.06. With arms of 1 : 10 or
 * less it is the held point itself that is stopped.
 */
const LEAST_MOBILITY = 0.01;

const x = new Float64Array(12);
const d2 = new Float64Array(1);
const w = new Float64Array(4);
const delta = new Float64Array(3);

/**
 * Changes the motion P of the sheet's vertices from X; false if some pair still passes through another.
 *
 * @param fixed  [3n] 1: the coordinate is held and keeps its motion
 */
export function resolveImpacts(
  L: LayerLists,
  X: ReadonlyF64,
  P: Float64Array,
  fixed: Uint8Array,
): boolean {
  for (let round = 0; round < ROUNDS; round++) {
    if (coveredShare(L, X, P) < 1) makeLists(L, X, P);
    if (coveredShare(L, X, P) < 1) return false;
    updateDisplacements(L, X, P, 1);
    let cuts = 0;
    let isHopeless = false;
    for (const list of L.lists)
      for (let k = 0; k < list.candidates.found[0]; k++) {
        const t = pairTime(list, k, X, P, L.reach);
        if (t === 1) continue;
        cuts++;
        if (!separate(L, list, k, t, X, P, fixed)) isHopeless = true;
      }
    if (cuts === 0) return true;
    if (isHopeless) return false;
  }
  return false;
}

/** Takes what approaches out of the motion of pair k from time t on; false if its points cannot give way, or only as a long lever. */
function separate(
  { surface, reach, displacement }: LayerLists,
  { candidates, first }: PairList,
  k: number,
  t: number,
  X: ReadonlyF64,
  P: Float64Array,
  fixed: Uint8Array,
): boolean {
  const q = candidates.points;
  for (let m = 0; m < 4; m++)
    for (let c = 0; c < 3; c++) {
      const i = 3 * q[4 * k + m] + c;
      x[3 * m + c] = X[i] + t * P[i];
    }
  if (first === 1) pointTriangle(d2, w, 0, x, 0, 1, 2, 3);
  else edgeEdge(d2, w, 0, x, 0, 1, 2, 3);
  separation(delta, 0, w, 0, x, 0, 1, 2, 3);
  const d = Math.sqrt(d2[0]);
  let opening = 0;
  let mobility = 0;
  for (let m = 0; m < 4; m++) {
    const i = 3 * q[4 * k + m];
    const along = P[i] * delta[0] + P[i + 1] * delta[1] + P[i + 2] * delta[2];
    opening += (w[m] * (1 - t) * along) / d;
    if (q[4 * k + m] < surface.n && !(fixed[i] || fixed[i + 1] || fixed[i + 2]))
      mobility += w[m] * w[m];
  }
  if (!(mobility > LEAST_MOBILITY)) return false;
  const push = (OPEN * reach - opening) / (mobility * d);
  for (let m = 0; m < 4; m++) {
    const p = q[4 * k + m];
    const i = 3 * p;
    if (p >= surface.n || fixed[i] || fixed[i + 1] || fixed[i + 2]) continue;
    for (let c = 0; c < 3; c++) P[i + c] += w[m] * push * delta[c];
    displacement[p] += Math.abs(w[m] * push) * d; // it may now move that much further than the list assumed
  }
  return true;
}
