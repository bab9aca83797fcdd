/**
 * Lists of candidate pairs: four points each, the separation that the pair keeps, and its distance when the list was made.
 *
 * There are four lists: points and triangles, edges and edges of all layers and meshes; and the same of body features and the sheet.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { type Candidates, createCandidates } from "./broad-phase.ts";
import type { ContactPairs } from "./contact-rows.ts";
import type { Before } from "./distance.ts";
import { type ContactOperations, contactOperations } from "./operations.ts";

export interface PairList {
  /** 1: point and triangle, 2: edge and edge. */
  readonly first: 1 | 2;
  readonly candidates: Candidates;
  /** Length up to which it lies in the one memory, within the kernels' reach. */
  readonly usual: number;
  /** [capacity] m, ξ; negative: the pair intersects and is left alone. */
  keep: Float64Array;
  /** Distances when the list was made, and how far points have moved since. */
  before: Before;
  /** [capacity] m² */
  squares: Float64Array;
}

export function createPairList(
  memory: Allocator,
  first: 1 | 2,
  usual: number,
  displacement: Float64Array,
): PairList {
  return {
    first,
    usual,
    candidates: createCandidates(memory, usual),
    keep: memory.f64(usual),
    before: { distance: memory.f64(usual), displacement },
    squares: memory.f64(usual),
  };
}

/** The arrays beside the candidates are as long as those. */
export function fitArrays(list: PairList): void {
  const { capacity } = list.candidates;
  if (list.keep.length >= capacity) return;
  list.keep = new Float64Array(capacity);
  list.before = { distance: new Float64Array(capacity), displacement: list.before.displacement };
  list.squares = new Float64Array(capacity);
}

/** The loops for this list: those of the kernels while it lies in their memory. */
export function operationsOf(list: PairList, kernels: ContactOperations): ContactOperations {
  return list.candidates.capacity === list.usual ? kernels : contactOperations;
}

export function pairsOf({ candidates, first, before, keep }: PairList): ContactPairs {
  return { pairs: candidates.points, count: candidates.found[0], first, before, keep };
}

/** Distances at X into `before`. */
export function measurePairs(list: PairList, X: ReadonlyF64, kernels: ContactOperations): void {
  const { candidates, squares, before, first } = list;
  const count = candidates.found[0];
  operationsOf(list, kernels).squaredDistances(squares, candidates.points, count, first, X);
  for (let k = 0; k < count; k++) before.distance[k] = Math.sqrt(squares[k]);
}
