/**
 * The memory of a projection (fast-projection.ts): its matrix in the dual or the primal form, ordered and analysed once per pattern, and
 * the places at which pairs of entries add to it.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { type Cholesky, prepareCholesky } from "../linalg/cholesky.ts";
import { analyseInSpace } from "../linalg/dissection.ts";
import {
  type BlockPattern,
  type BlockSize,
  type BlockSymmetric,
  createBlockSymmetric,
  createSparse,
  findBlock,
  lowerBlocks,
  patternFromElements,
  type SparseMatrix,
  type SparsePattern,
} from "../linalg/sparse.ts";
import type { HardRows } from "../system/hard.ts";

export interface Projection {
  /** The sheet's own constraints, which alone have compliance, and after them those of attachments. */
  readonly sets: readonly HardRows[];
  /** The sheet's own constraints. */
  readonly own: HardRows;
  /** [rows] of each set, J: the multipliers of the step, all rounds together. */
  readonly lambda: readonly Float64Array[];
  /** [rows] of each set, 1/J: S_rr; 0 where all points of a row are held. */
  readonly scale: readonly Float64Array[];
  /** [blocks] of each set, 1/J: c; 0 for all sets but the sheet's own. */
  readonly compliance: readonly Float64Array[];
  /** [3n] m */
  readonly dY: Float64Array;
  /** [3n] h²/m, 0 where held. */
  readonly inverse: Float64Array;
  readonly form: Dual | Primal;
  readonly report: ProjectionReport;
  readonly clock: { evaluate: number; assemble: number; factor: number; solve: number };
}

export interface ProjectionReport {
  rounds: number;
  /** max |g| at the end. */
  residual: number;
  converged: boolean;
  /** J that the shift of the diagonal holds after the last round, as a spring of compliance shift · S_rr would. */
  shifted: number;
}

export interface Dual {
  readonly kind: "dual";
  readonly S: BlockSymmetric;
  readonly cholesky: Cholesky;
  /** [rows] right-hand side and δλ */
  readonly x: Float64Array;
  /** Pairs of entries that meet at a point: the block of S they add to, and the two entries. */
  readonly place: Int32Array;
  readonly row: Int32Array;
  readonly column: Int32Array;
}

export interface Primal {
  readonly kind: "primal";
  readonly H: BlockSymmetric;
  readonly cholesky: Cholesky;
  /** The part of H that stays the same in all rounds of a step: M/h² + G. */
  readonly constant: BlockSymmetric;
  /** Per set: place of every pair of entries of every block, −1 above the diagonal. */
  readonly places: readonly Int32Array[];
  readonly diagonal: Int32Array;
  /** Scratch of the scalar geometric stiffness, null without. */
  readonly stress: { A: SparseMatrix; places: Int32Array } | null;
}

export interface ProjectionOptions {
  readonly n: number;
  readonly coordinates: ReadonlyF64;
  /** [n] 1/J: compliance of a row of the sheet at each point, to begin with. */
  readonly compliance: ReadonlyF64;
  /** Pattern of the scalar geometric stiffness of the sets. */
  readonly pattern: SparsePattern;
  readonly geometricStiffness: boolean;
  /** 2 plans the factorisation for two threads. */
  readonly threads?: 1 | 2;
}

/** Orders and analyses; the analysis is shared by the two passes over the memory. @param sets the sheet's own constraints first */
export function planProjection(
  sets: readonly Pick<HardRows, "rowsPer" | "blocks" | "start" | "index">[],
  options: ProjectionOptions,
): (memory: Allocator, sets: readonly HardRows[]) => Projection {
  const dual = !options.geometricStiffness && sets.length === 1 && sets[0].rowsPer === 2;
  return dual ? planDual(sets[0], options) : planPrimal(sets, options);
}

type Shape = Pick<HardRows, "rowsPer" | "blocks" | "start" | "index">;

function planDual(shape: Shape, options: ProjectionOptions) {
  const { n, coordinates } = options;
  const compliance = [blockMeans(shape, options.compliance)];
  const { blocks, start, index } = shape;
  // blocks around each point
  const owner = new Int32Array(index.length);
  for (let b = 0; b < blocks; b++) owner.fill(b, start[b], start[b + 1]);
  const around: number[][] = Array.from({ length: n }, () => []);
  for (let e = 0; e < index.length; e++) around[index[e]].push(e);
  const first = new Int32Array(n + 1);
  const members: number[] = [];
  for (let i = 0; i < n; i++) {
    for (const e of around[i]) members.push(owner[e]);
    first[i + 1] = members.length;
  }
  const lower = lowerBlocks(patternFromElements(blocks, first, members));
  const [place, row, column]: number[][] = [[], [], []];
  for (let i = 0; i < n; i++)
    for (const e of around[i])
      for (const f of around[i]) {
        if (owner[e] < owner[f]) continue;
        place.push(findBlock(lower, owner[e], owner[f]));
        row.push(e);
        column.push(f);
      }
  // a neighbourhood is where its point is; other blocks (edges) where their first point is
  const where = new Float64Array(3 * blocks);
  for (let b = 0; b < blocks; b++)
    for (let c = 0; c < 3; c++) where[3 * b + c] = coordinates[3 * index[start[b + 1] - 1] + c];
  const analysis = analyseInSpace(lower, shape.rowsPer as BlockSize, where, options.threads);
  return (memory: Allocator, sets: readonly HardRows[]): Projection => ({
    ...common(memory, sets, compliance, n),
    form: {
      kind: "dual",
      S: createBlockSymmetric(memory, lower, shape.rowsPer as BlockSize),
      cholesky: prepareCholesky(memory, analysis),
      x: memory.f64(shape.rowsPer * blocks),
      place: memory.copyI32(Int32Array.from(place)),
      row: memory.copyI32(Int32Array.from(row)),
      column: memory.copyI32(Int32Array.from(column)),
    },
  });
}

function planPrimal(shapes: readonly Shape[], options: ProjectionOptions) {
  const { n, coordinates, pattern, geometricStiffness } = options;
  const first: number[] = [0];
  const members: number[] = [];
  for (const { blocks, start, index } of shapes)
    for (let b = 0; b < blocks; b++) {
      for (let e = start[b]; e < start[b + 1]; e++) members.push(index[e]);
      first.push(members.length);
    }
  const lower = lowerBlocks(patternFromElements(n, first, members));
  const places = shapes.map((shape) => blockPairs(shape, lower));
  const compliance = shapes.map((shape, s) =>
    s === 0 ? blockMeans(shape, options.compliance) : new Float64Array(shape.blocks),
  );
  const diagonal = new Int32Array(n);
  for (let i = 0; i < n; i++) diagonal[i] = findBlock(lower, i, i);
  const scalarPlaces = new Int32Array(pattern.index.length);
  for (let i = 0; i < n; i++)
    for (let p = pattern.start[i]; p < pattern.start[i + 1]; p++)
      scalarPlaces[p] = pattern.index[p] <= i ? findBlock(lower, i, pattern.index[p]) : -1;
  const analysis = analyseInSpace(lower, 3, coordinates, options.threads);
  return (memory: Allocator, sets: readonly HardRows[]): Projection => ({
    ...common(memory, sets, compliance, n),
    form: {
      kind: "primal",
      H: createBlockSymmetric(memory, lower, 3),
      constant: createBlockSymmetric(memory, lower, 3),
      cholesky: prepareCholesky(memory, analysis),
      places: places.map((p) => memory.copyI32(p)),
      diagonal: memory.copyI32(diagonal),
      stress: geometricStiffness
        ? { A: createSparse(memory, pattern), places: memory.copyI32(scalarPlaces) }
        : null,
    },
  });
}

/** Place of the pair (e, f) of every block in `lower`, −1 above the diagonal; blocks one after the other, e slowest. */
export function blockPairs({ blocks, start, index }: Shape, lower: BlockPattern): Int32Array {
  let count = 0;
  for (let b = 0; b < blocks; b++) count += (start[b + 1] - start[b]) ** 2;
  const places = new Int32Array(count);
  let k = 0;
  for (let b = 0; b < blocks; b++)
    for (let e = start[b]; e < start[b + 1]; e++)
      for (let f = start[b]; f < start[b + 1]; f++)
        places[k++] = index[e] >= index[f] ? findBlock(lower, index[e], index[f]) : -1;
  return places;
}

/** Mean over the points of each block. */
function blockMeans({ blocks, start, index }: Shape, value: ReadonlyF64): Float64Array {
  const out = new Float64Array(blocks);
  for (let b = 0; b < blocks; b++)
    for (let e = start[b]; e < start[b + 1]; e++)
      out[b] += value[index[e]] / (start[b + 1] - start[b]);
  return out;
}

function common(
  memory: Allocator,
  sets: readonly HardRows[],
  compliance: readonly Float64Array[],
  n: number,
): Omit<Projection, "form"> {
  return {
    sets,
    own: sets[0],
    compliance: compliance.map((c) => memory.copyF64(c)),
    lambda: sets.map((set) => memory.f64(set.rowsPer * set.blocks)),
    scale: sets.map((set) => memory.f64(set.rowsPer * set.blocks)),
    dY: memory.f64(3 * n),
    inverse: memory.f64(3 * n),
    report: { rounds: 0, residual: 0, converged: false, shifted: 0 },
    clock: { evaluate: 0, assemble: 0, factor: 0, solve: 0 },
  };
}
