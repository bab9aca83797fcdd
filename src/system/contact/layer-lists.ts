/**
 * The candidate lists of layers, and for which motions they are complete.
 *
 * Candidates are the pairs that may come within a margin while the surface moves from where the lists were made (`madeAt`) along a motion d, first that of the
 * last step. If absolute displacements counted, the lists of a sheet that flies as a whole would hold half of all its pairs. They are complete while
 * every vertex is within half the margin of
 * madeAt + s·d, with one s in 0 … 1 for all vertices: only relative motion changes distances. Beyond that new lists are made, for the motion that is asked
 * about.
 *
 * Of pairs that already intersect or coincide the distance does not tell which side is outside. They are left out (and reported) until the sheet's
 * own stiffness has separated them.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import {
  type BroadPhase,
  createBroadPhase,
  findEdgeEdges,
  findPointTriangles,
  growCandidates,
  update,
} from "./broad-phase.ts";
import { findFeaturePairs } from "./feature-pairs.ts";
import { selfIntersections } from "./intersections.ts";
import { type ContactOperations, contactOperations } from "./operations.ts";
import { createPairList, fitArrays, measurePairs, type PairList } from "./pair-lists.ts";
import type { ContactSurface } from "./surface.ts";

export interface LayerLists {
  readonly surface: ContactSurface;
  readonly broad: BroadPhase;
  /** Points and triangles, edges and edges; the same of body features. */
  readonly lists: readonly [PairList, PairList, PairList, PairList];
  /** [3·total] m, where the lists were made, */
  readonly madeAt: Float64Array;
  /** and the motion they were made for. */
  readonly motion: Float64Array;
  /** [total] m: displacement of each vertex since then, or its displacement bound. */
  readonly displacement: Float64Array;
  /** Vertices of triangles that intersect. */
  readonly crossing: Set<number>;
  /** [n] m, half the thickness of the sheet at each of its vertices. */
  readonly half: Float64Array;
  /** m, that layers keep, and the reach of the barrier beyond it. */
  readonly thickness: number;
  readonly reach: number;
  /** m, the most that any pair of the first two lists keeps. */
  readonly widest: number;
  /** m, of the mesh. */
  readonly shortest: number;
  /** m, how near pairs of the list may come. */
  margin: number;
  /** Counts the lists that were made. */
  number: number;
  /** Whether there may be intersections to look for: at the start, and as long as there are any. */
  mayIntersect: boolean;
  /**
   * Whether the next step may use the same lists: all pairs keep their full separation, so that results do not depend on when the lists were made (a
   * resumed run has none).
   */
  isReusable: boolean;
  kernels: ContactOperations;
}

/** How far beyond the reach candidates are looked for, as a share of the shortest edge. */
const SLACK = 0.5;
/** Where too many pairs are found the slack shrinks by this factor, until it is less than this share of the shortest edge. */
const NARROWER = 0.7;
const LEAST_SLACK = 1e-3;
/** Room in a list that grows, over the pairs found. */
const GROWTH = 1.5;
/** What a pair that starts closer than it should keeps of its distance: the rest is room for the barrier. */
const KEPT_SHARE = 0.9;
/** Pairs per vertex for which lists have room in the shared memory; only tightly packed heaps need more. */
const USUAL = 40;
const USUAL_FEATURES = 16;

export function createLayerLists(
  memory: Allocator,
  surface: ContactSurface,
  half: Float64Array,
  thickness: number,
  reach: number,
  shortest: number,
): LayerLists {
  const { total, n, triangles, edges, group, wanted, sewn, features } = surface;
  const displacement = memory.f64(total);
  const few = features.length > 0 ? USUAL_FEATURES * n : 1;
  const list = (first: 1 | 2, length: number) =>
    createPairList(memory, first, length, displacement);
  return {
    surface,
    broad: createBroadPhase(memory, { n: total, triangles, edges, group, wanted, sewn }),
    lists: [list(1, USUAL * n), list(2, USUAL * n), list(1, few), list(2, few)],
    madeAt: memory.f64(3 * total),
    motion: memory.f64(3 * total),
    displacement,
    crossing: new Set(),
    half,
    thickness,
    reach,
    widest: thickness + surface.meshOffset,
    shortest,
    margin: 0,
    number: 0,
    mayIntersect: true,
    isReusable: false,
    kernels: contactOperations,
  };
}

/** Displacement bound of every vertex: its distance at X from where the lists were made, and the length of t·P. */
export function updateDisplacements(
  { displacement, madeAt, surface }: LayerLists,
  X: ReadonlyF64,
  P: ReadonlyF64,
  t: number,
): void {
  for (let i = 0; i < surface.total; i++) {
    const x = X[3 * i] - madeAt[3 * i];
    const y = X[3 * i + 1] - madeAt[3 * i + 1];
    const z = X[3 * i + 2] - madeAt[3 * i + 2];
    displacement[i] = Math.sqrt(x * x + y * y + z * z);
    if (t === 0) continue;
    const u = P[3 * i];
    const v = P[3 * i + 1];
    const w = P[3 * i + 2];
    displacement[i] += t * Math.sqrt(u * u + v * v + w * w);
  }
}

/** s of the nearest madeAt + s·motion to X + t·P, by least squares. */
function nearestShare(
  { madeAt, motion }: LayerLists,
  X: ReadonlyF64,
  P: ReadonlyF64,
  t: number,
): number {
  let up = 0;
  let down = 0;
  for (let k = 0; k < madeAt.length; k++) {
    up += (X[k] + t * P[k] - madeAt[k]) * motion[k];
    down += motion[k] * motion[k];
  }
  return down > 0 ? Math.max(0, Math.min(1, up / down)) : 0;
}

/** Share of the motion from X by P for which the lists are complete. */
export function coveredShare(L: LayerLists, X: ReadonlyF64, P: ReadonlyF64): number {
  const { madeAt, motion, surface } = L;
  const budget = 0.5 * (L.margin - L.widest - L.reach);
  const s0 = nearestShare(L, X, P, 0);
  const s1 = nearestShare(L, X, P, 1);
  let limit = 1;
  for (let i = 0; i < surface.total; i++) {
    let from = 0;
    let to = 0;
    for (let c = 3 * i; c < 3 * i + 3; c++) {
      const u = X[c] - madeAt[c];
      from += (u - s0 * motion[c]) ** 2;
      to += (u + P[c] - s1 * motion[c]) ** 2;
    }
    if (to <= budget * budget) continue;
    const room = budget - Math.sqrt(from);
    if (room <= 0) return 0;
    limit = Math.min(limit, room / (Math.sqrt(to) - Math.sqrt(from)));
  }
  return limit;
}

/** Candidates for the motion from X by P. Pairs keep their full separation, or nine tenths of what they have. */
export function makeLists(L: LayerLists, X: ReadonlyF64, P: ReadonlyF64): void {
  const { lists, madeAt, motion, widest, reach, shortest, surface } = L;
  L.number++;
  L.margin = widest + reach + SLACK * shortest;
  madeAt.set(X as Float64Array);
  motion.set(P as Float64Array);
  const usual = lists[0].usual;
  while (search(L, X) > usual) {
    // too many for the list: look less far, and take shorter steps
    const slack = L.margin - widest - reach;
    if (slack < LEAST_SLACK * shortest) break;
    for (let k = 0; k < motion.length; k++) motion[k] *= 0.5;
    L.margin = widest + reach + NARROWER * slack;
  }
  // more pairs than that within reach: none may be left out, so the list grows. It grows only where no margin gives one of the usual length, so that
  // lists are a function of the state: those of a resumed run have not grown yet
  for (let found = longer(L); found > lists[0].candidates.capacity; found = search(L, X))
    for (let s = 0; s < 2; s++) growCandidates(lists[s].candidates, Math.ceil(GROWTH * found));
  const { features, triangles, edges } = surface;
  if (features.length > 0)
    findFeaturePairs(
      lists[2].candidates,
      lists[3].candidates,
      features,
      triangles,
      edges,
      X,
      motion,
      L.margin,
    );
  L.isReusable = L.crossing.size === 0 && longer(L) <= usual;
  for (let s = 0; s < lists.length; s++) setSeparations(L, lists[s], X);
}

/** What each pair of a list keeps. */
function setSeparations(L: LayerLists, list: PairList, X: ReadonlyF64): void {
  const { candidates } = list;
  fitArrays(list);
  measurePairs(list, X, L.kernels);
  const { distance } = list.before;
  for (let k = 0; k < candidates.found[0]; k++) {
    const full = separationOf(L, candidates.points, 4 * k, list.first);
    const d = distance[k];
    list.keep[k] = d > full ? full : KEPT_SHARE * d;
    // starts inside a body: its samples are pushed out first (body-contact.ts), the axis of a rod has no side to push to
    if (d < FEATURE_DEPTH * full && isFeature(L, candidates.points, 4 * k)) list.keep[k] = -1;
    if (d < COINCIDENT * full) list.keep[k] = -1;
    if (!(d > full)) L.isReusable = false;
    if (L.crossing.size > 0 && crosses(L, candidates.points, 4 * k)) list.keep[k] = -1;
  }
}

/**
 * Share of what they keep below which the two sides of a pair coincide: rounding decides what is outside, and a motion of any length would be stopped at
 * once. Two discs that start in one plane, as a balloon does, are apart after the first step.
 */
const COINCIDENT = 1e-6;

/** A feature inside a body counts only if its distance from the sheet is at least this share of its radius and thickness. */
const FEATURE_DEPTH = 0.5;

/** Whether a pair is of a body feature that has a radius: a point or line within the body. */
function isFeature({ surface }: LayerLists, points: Int32Array, at: number): boolean {
  return points[at] >= surface.n && surface.radius[points[at]] > 0;
}

/** m: layers keep their thickness, a layer and a body half of it and the body's offset. */
function separationOf(
  { surface, half, thickness }: LayerLists,
  points: Int32Array,
  at: number,
  first: number,
): number {
  const a = points[at];
  const b = points[at + first];
  const { n, offset } = surface;
  if (a < n && b < n) return thickness;
  return a < n ? half[a] + offset[b] : half[b] + offset[a];
}

/** Fills the lists of layers and meshes and returns the length of the longer; pairs beyond the capacity are counted only. */
function search(L: LayerLists, X: ReadonlyF64): number {
  const { broad, motion, lists, kernels, margin } = L;
  const operations = lists[0].candidates.capacity === lists[0].usual ? kernels : contactOperations;
  update(broad, X, motion, margin);
  findPointTriangles(lists[0].candidates, broad, X, motion, operations);
  findEdgeEdges(lists[1].candidates, broad, X, motion, operations);
  return longer(L);
}

function longer({ lists }: LayerLists): number {
  return Math.max(lists[0].candidates.found[0], lists[1].candidates.found[0]);
}

/** Vertices of triangles of sheets that intersect anything now; intersections of bodies with each other do not count. */
export function findCrossings(L: LayerLists, X: ReadonlyF64): void {
  const { crossing, surface } = L;
  const { triangles, sewn, group, wanted, bodies, firstOfBodies } = surface;
  crossing.clear();
  const pairs = selfIntersections({ Y: X, triangles, sewn, firstOfBodies });
  for (let k = 0; k < pairs.length; k += 2) {
    const a = group[triangles[3 * pairs[k]]];
    const b = group[triangles[3 * pairs[k + 1]]];
    if (!wanted[a * (bodies.length + 1) + b]) continue;
    for (let q = k; q < k + 2; q++)
      for (let c = 0; c < 3; c++)
        if (triangles[3 * pairs[q] + c] < surface.n) crossing.add(triangles[3 * pairs[q] + c]);
  }
  L.mayIntersect = crossing.size > 0;
}

function crosses({ crossing }: LayerLists, points: Int32Array, at: number): boolean {
  for (let c = 0; c < 4; c++) if (crossing.has(points[at + c])) return true;
  return false;
}
