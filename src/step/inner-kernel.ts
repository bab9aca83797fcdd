/**
 * An iteration of the inner solve as two jobs of the kernels, for sheets with frames whose products are in single precision: the product, and the
 * preconditioner. They give the bits of hessianProduct and of the two-level preconditioner, and several threads may share them (kernels/team.ts).
 *
 * Everything that they read is named by one table of addresses. What else pulls at the points (contact, seams, hands) is added afterwards.
 */
import type { Allocator } from "../linalg/arena.ts";
import type { Cholesky } from "../linalg/cholesky.ts";
import type { ArcSet, NodeSet } from "../system/frame-membrane.ts";
import type { FrameBlocks } from "./frame-blocks.ts";
import type { MinimiseWork, Potential } from "./potential.ts";
import type { Transfers } from "./transfers.ts";

/** The jobs, as kernels do them. */
export interface InnerJobs {
  /** d = z + β d, or z if it is the first; y = A d on the sheet's own rows, in single and in double precision. */
  innerProduct(inner: InnerTable, beta: number, isFirst: boolean): void;
  /** p += α d, r −= α Ad; z = P⁻¹ r. */
  innerPrecondition(inner: InnerTable, alpha: number): void;
}

/** What a two-level preconditioner is made of. */
export interface PreconditionerParts {
  readonly blocks: FrameBlocks;
  readonly transfers: Transfers;
  readonly cholesky: Cholesky;
  /** Whether there is a coarse matrix, and it could be factored. */
  hasCoarse(): boolean;
}

/** Addresses, and the lists that the jobs need beyond those of their parts. */
export interface InnerTable {
  readonly table: Int32Array;
  /** Where threads meet (kernels/threads.as.ts). */
  readonly control: Int32Array;
  readonly aroundFirst: Int32Array; // [E+1]
  readonly around: Int32Array; // [3T] of each edge its places 3t + k among the sides of triangles, rising
}

const TABLE = 37;
/** Place of the flag that says whether there is a coarse level. */
const HAS_COARSE = 3;
/** Integers in the control: four cache lines. */
const CONTROL = 64;

export function createInnerTable(
  memory: Allocator,
  edges: number,
  side: ArrayLike<number>,
): InnerTable {
  const aroundFirst = new Int32Array(edges + 1);
  for (let k = 0; k < side.length; k++) aroundFirst[side[k] + 1]++;
  for (let e = 0; e < edges; e++) aroundFirst[e + 1] += aroundFirst[e];
  const next = aroundFirst.slice();
  const around = new Int32Array(side.length);
  for (let k = 0; k < side.length; k++) around[next[side[k]]++] = k;
  return {
    table: memory.i32(TABLE),
    control: memory.i32(CONTROL),
    aroundFirst: memory.copyI32(aroundFirst),
    around: memory.copyI32(around),
  };
}

/** The sets of the sheet itself, which the product holds. */
export interface InnerSets {
  readonly nodes: NodeSet;
  readonly arcs: ArcSet;
}

/** Writes the addresses once all arrays are in their memory. */
export function setInnerTable(
  { table, control, aroundFirst, around }: InnerTable,
  { nodes, arcs: { arcs } }: InnerSets,
  { blocks, transfers, cholesky }: PreconditionerParts,
  { z, d, Ad, p, residual, single, A }: MinimiseWork,
  fixed: Uint8Array,
): void {
  const arrays = [
    ...[z, d, Ad, p, residual, single.x, single.y, A.start, A.index, single.A, nodes.single],
    ...[arcs.ends, arcs.c32, arcs.m32, arcs.M32, arcs.dm32, arcs.u32, arcs.side, around],
    ...[blocks.first, blocks.incident, transfers.rhs],
    ...[transfers.fromStart, transfers.fromIndex, transfers.fromWeight, blocks.B],
    ...[transfers.start, transfers.index, transfers.weight, fixed, cholesky.table, aroundFirst],
  ] as { byteOffset: number }[];
  const addresses = arrays.map(({ byteOffset }) => byteOffset);
  table.set([arcs.n, arcs.edges, transfers.coarse, 0, control.byteOffset, ...addresses]);
}

/** The solve of one system by these jobs. */
export interface InnerSolve extends InnerSets {
  readonly inner: InnerTable;
  readonly jobs: InnerJobs;
  readonly parts: PreconditionerParts;
}

/** Ad = (A ⊗ I₃ + Σ JᵀWJ) d on the free coordinates, d being the next direction. */
export function multiplyDirection(
  { inner, jobs, nodes, arcs }: InnerSolve,
  { sets }: Potential,
  work: MinimiseWork,
  beta: number,
  isFirst: boolean,
): void {
  const { ops, d, Ad, single, held, heldCount } = work;
  jobs.innerProduct(inner, beta, isFirst);
  let isAdded = false;
  for (let s = 0; s < sets.length; s++) {
    const set = sets[s];
    if (set === nodes || set === arcs || !set.single || set.blocks === 0) continue;
    ops.addSingleRows(single.y, set, set.single, single.x);
    isAdded = true;
  }
  if (isAdded) ops.fromPoints(Ad, single.y);
  for (let s = 0; s < sets.length; s++) {
    const set = sets[s];
    if (set === nodes || set === arcs) continue;
    if (!set.single) ops.addNormalProduct(Ad, set, set.weight, d);
    set.addProduct?.(Ad, d);
  }
  for (let k = 0; k < heldCount; k++) Ad[held[k]] = 0;
}

/** p += α d, r −= α Ad, z = P⁻¹ r. */
export function preconditionDirection({ inner, jobs, parts }: InnerSolve, alpha: number): void {
  inner.table[HAS_COARSE] = parts.hasCoarse() ? 1 : 0;
  jobs.innerPrecondition(inner, alpha);
}
