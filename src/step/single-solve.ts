/**
 * The inner solve of sheets with frames in single precision: conjugate gradients whose vectors, matrix and preconditioner are singles. A solve that is
 * started from a gradient in double precision and ends at a hundredth of it needs no more than these seven digits, and what it reads is much of what it costs: at 2716
 * points it is more than a core's cache holds.
 *
 * An iteration is two jobs, which several threads may share (kernels/team.ts): `turn`, the next direction and its product, and `descend`, the step along it
 * and the preconditioner. Their loops are in single-loops.ts. What else pulls at the points (contact, seams, hands) is added between the two.
 */
import type { Allocator } from "../linalg/arena.ts";
import type { Cholesky } from "../linalg/cholesky.ts";
import type { SparseMatrix, SparsePattern } from "../linalg/sparse.ts";
import type { ArcSet, NodeSet } from "../system/frame-membrane.ts";
import type { FrameBlocks } from "./frame-blocks.ts";
import type { MinimiseWork, Potential } from "./potential.ts";
import type { Transfers } from "./transfers.ts";

/** What a two-level preconditioner is made of. */
export interface PreconditionerParts {
  readonly blocks: FrameBlocks;
  readonly transfers: Transfers;
  readonly cholesky: Cholesky;
  /** Whether there is a coarse matrix, and it could be factored. */
  hasCoarse(): boolean;
}

/** The sets of the sheet itself, which the product holds. */
export interface InnerSets {
  readonly nodes: NodeSet;
  readonly arcs: ArcSet;
}

/** The loops that cost; single-loops.ts has them to be read. */
export interface SingleLoops {
  packMatrix(solve: SingleSolve, A: SparseMatrix): void;
  packBlocks(solve: SingleSolve): void;
  /** Leaves dᵀAd of every chunk in `sums`. */
  turn(solve: SingleSolve, beta: number, isFirst: boolean): void;
  /** Leaves rᵀz of every chunk there, and behind them that of the coarse level, if there is one. */
  descend(solve: SingleSolve, alpha: number): void;
}

/** The arrays of a solve. Vectors have four numbers a point: x, y, z, and one that means nothing (0 in d). */
export interface SingleSolve extends InnerSets {
  readonly samples: number;
  readonly edges: number;
  readonly coarse: number;
  readonly d: Float32Array; // [12·samples] direction
  readonly Ad: Float32Array;
  readonly p: Float32Array; // the step so far
  readonly r: Float32Array; // what is left of the residual
  readonly z: Float32Array; // blocks of the preconditioner times r
  /** Samples that share a triangle with each, itself included; A has nine numbers for each of them (rows y a b, columns y a b). */
  readonly nearStart: Int32Array; // [samples+1]
  readonly near: Int32Array;
  readonly A: Float32Array; // [9·entries] N/m
  readonly inverse: Float32Array; // [108·samples] columns of the inverse blocks, three points each
  readonly transfers: Transfers;
  readonly parts: PreconditionerParts;
  readonly fixed: Uint8Array; // [9·samples]
  /** Of each edge its places 3t + k among the sides of triangles, rising. */
  readonly aroundFirst: Int32Array; // [edges+1]
  readonly around: Int32Array; // [3·triangles]
  /** [chunks+1] dᵀAd or rᵀz of every chunk of samples, and rᵀz of the coarse level. */
  readonly sums: Float64Array;
  /** Counts and addresses of all of these, for the kernels; where threads meet (kernels/threads.as.ts). */
  readonly table: Int32Array;
  readonly control: Int32Array;
  /** The kernels, or the TypeScript that they repeat; null until one of them is attached. */
  loops: SingleLoops | null;
}

/** Samples of a chunk: sums are made chunk by chunk. */
export const CHUNK = 64;
/** Numbers of the table, and the place of the flag that says whether there is a coarse level. */
const TABLE = 41;
export const HAS_COARSE = 3;
/** Integers in the control: four cache lines. */
const CONTROL = 64;

/** Asks for the arrays; runs twice (linalg/arena.ts). */
export function createSingleSolve(
  memory: Allocator,
  pattern: SparsePattern,
  { nodes, arcs }: InnerSets,
  parts: PreconditionerParts,
  { edges, side }: { edges: number; side: ArrayLike<number> },
  fixed: Uint8Array,
): SingleSolve {
  const samples = pattern.rows / 3;
  const { transfers } = parts;
  const vector = (): Float32Array => memory.f32(12 * samples);
  const { nearStart, near } = neighbours(pattern, samples);
  const { aroundFirst, around } = trianglesAround(edges, side);
  return {
    samples,
    edges,
    coarse: transfers.coarse,
    nodes,
    arcs,
    parts,
    fixed,
    d: vector(),
    Ad: vector(),
    p: vector(),
    r: vector(),
    z: vector(),
    nearStart: memory.copyI32(nearStart),
    near: memory.copyI32(near),
    A: memory.f32(9 * near.length),
    inverse: memory.f32(108 * samples),
    transfers,
    aroundFirst: memory.copyI32(aroundFirst),
    around: memory.copyI32(around),
    sums: memory.f64(Math.ceil(samples / CHUNK) + 1),
    table: memory.i32(TABLE),
    control: memory.i32(CONTROL),
    loops: null,
  };
}

/** Samples that share a triangle: the rows of a sample and of its frame's vectors have the same, each with its own three columns. */
function neighbours(
  { start, index }: SparsePattern,
  samples: number,
): { nearStart: Int32Array; near: Int32Array } {
  const nearStart = new Int32Array(samples + 1);
  for (let i = 0; i < samples; i++) nearStart[i + 1] = nearStart[i] + (start[i + 1] - start[i]) / 3;
  const near = new Int32Array(nearStart[samples]);
  for (let i = 0; i < samples; i++)
    for (let k = nearStart[i]; k < nearStart[i + 1]; k++)
      near[k] = index[start[i] + k - nearStart[i]];
  return { nearStart, near };
}

function trianglesAround(
  edges: number,
  side: ArrayLike<number>,
): { aroundFirst: Int32Array; around: Int32Array } {
  const aroundFirst = new Int32Array(edges + 1);
  for (let k = 0; k < side.length; k++) aroundFirst[side[k] + 1]++;
  for (let e = 0; e < edges; e++) aroundFirst[e + 1] += aroundFirst[e];
  const next = aroundFirst.slice();
  const around = new Int32Array(side.length);
  for (let k = 0; k < side.length; k++) around[next[side[k]]++] = k;
  return { aroundFirst, around };
}

/** Writes counts and addresses once all arrays are in their memory. */
export function setSingleTable(solve: SingleSolve, matrix: SparseMatrix): void {
  const { samples, edges, coarse, nodes, parts, transfers, sums, table, control } = solve;
  const { arcs } = solve.arcs;
  const { blocks, cholesky } = parts;
  const arrays = [
    ...[control, sums, solve.d, solve.Ad, solve.p, solve.r, solve.z, solve.fixed],
    ...[solve.nearStart, solve.near, solve.A, matrix.start, matrix.values, solve.inverse, blocks.B],
    ...[nodes.single, arcs.ends, arcs.c32, arcs.m32, arcs.M32, arcs.dm32, arcs.u32, arcs.side],
    ...[solve.aroundFirst, solve.around, blocks.first, blocks.incident],
    ...[transfers.start, transfers.index, transfers.single, transfers.fromStart],
    ...[transfers.fromIndex, transfers.fromSingle, transfers.restricted, transfers.solved],
    ...[transfers.rhs, cholesky.table],
  ] as { byteOffset: number }[];
  table.set([samples, edges, coarse, 0, ...arrays.map(({ byteOffset }) => byteOffset)]);
}

/** Takes the matrix of this iteration. */
export function takeMatrix(solve: SingleSolve, { A }: MinimiseWork): void {
  solve.loops?.packMatrix(solve, A);
}

/** Takes the preconditioner, after its blocks were made. */
export function takeBlocks(solve: SingleSolve): void {
  solve.loops?.packBlocks(solve);
}

/** Starts from work.p, with work.residual left; rᵀz. */
export function startSingle(solve: SingleSolve, { p, residual, ops }: MinimiseWork): number {
  ops.toPoints(solve.p, p);
  ops.toPoints(solve.r, residual);
  return descend(solve, 0);
}

/** p += α d, r −= α Ad, z = P⁻¹ r; rᵀz. */
export function descend(solve: SingleSolve, alpha: number): number {
  const { table, parts, loops, sums } = solve;
  table[HAS_COARSE] = parts.hasCoarse() ? 1 : 0;
  loops?.descend(solve, alpha);
  return sum(sums, sums.length - 1 + table[HAS_COARSE]);
}

function sum(numbers: Float64Array, count: number): number {
  let s = 0;
  for (let k = 0; k < count; k++) s += numbers[k];
  return s;
}

/** d = P⁻¹ r + β d, or P⁻¹ r if it is the first, and Ad = (A ⊗ I₃ + Σ JᵀWJ) d on the free coordinates of the last gradient; dᵀAd. */
export function turn(
  solve: SingleSolve,
  { sets }: Potential,
  work: MinimiseWork,
  beta: number,
  isFirst: boolean,
): number {
  const { sums } = solve;
  solve.loops?.turn(solve, beta, isFirst);
  if (addOthers(solve, sets, work)) return work.ops.dotSingle(solve.d, solve.Ad);
  return sum(sums, sums.length - 1);
}

/** Adds to Ad what is not the sheet's own: contact, seams, hands; whether there is any. */
function addOthers(
  solve: SingleSolve,
  sets: Potential["sets"],
  { ops, d, Ad, held, heldCount }: MinimiseWork,
): boolean {
  const { nodes, arcs } = solve;
  let isAdded = false;
  let isDouble = false;
  for (let s = 0; s < sets.length; s++) {
    const set = sets[s];
    if (set === nodes || set === arcs || (set.blocks === 0 && !set.addProduct)) continue;
    isAdded = true;
    if (set.single) ops.addSingleRows(solve.Ad, set, set.single, solve.d);
    if (!set.single || set.addProduct) isDouble = true;
  }
  if (isDouble) {
    ops.fromPoints(d, solve.d);
    ops.fromPoints(Ad, solve.Ad);
    for (let s = 0; s < sets.length; s++) {
      const set = sets[s];
      if (set === nodes || set === arcs) continue;
      if (!set.single) ops.addNormalProduct(Ad, set, set.weight, d);
      set.addProduct?.(Ad, d);
    }
    ops.toPoints(solve.Ad, Ad);
  }
  if (isAdded) for (let k = 0; k < heldCount; k++) solve.Ad[held[k] + Math.floor(held[k] / 3)] = 0;
  return isAdded;
}
