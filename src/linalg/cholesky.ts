/**
 * Sparse Cholesky factorisation A = L Lᵀ of symmetric positive definite matrices with 1×1, 2×2 or 3×3
 * blocks: order and analyse once per pattern, factor and solve as often as values change.
 *
 * Multifrontal: supernodes in postorder (symbolic.ts). For each,
 *
 *   front = entries of A + updates of the children
 *         = [G  ·] [I  ·] [Gᵀ Bᵀ]      G: columns × columns, B: rows × columns
 *           [B  I] [·  U] [·  I ]
 *
 * G and B go to L, U = front₂₂ − B Bᵀ is kept for the parent (the product first, then the children's
 * updates; the matrix itself has no entries there). All of it in 4×4 tiles (tiles.ts). A front
 * is eliminated by blocks of BLOCK columns, each first within itself and then from everything to its
 * right, GROUP tile columns at a time, so that what is read again and again stays in the fastest cache.
 *
 * cholesky-factor.ts and cholesky-solve.ts are the readable twins of kernels/cholesky-*.as.ts. Both work on the same storage, operation by
 * operation, so `attachKernels` changes the speed and not one bit. At 2716 points and 2×2 blocks the
 * kernels take a quarter of the time.
 *
 * The trap: a matrix that is positive definite on paper may not be so in floating point. `factor` never
 * throws; it returns which point failed, and its caller shifts the diagonal.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "./arena.ts";
import { minimumDegree } from "./minimum-degree.ts";
import { type BlockPattern, type BlockSize, graphOf } from "./sparse.ts";
import { type Analysis, symbolicAnalysis } from "./symbolic.ts";

export type { Analysis } from "./symbolic.ts";

/** Columns eliminated from the rest of a front at once: 4 rows × 64 columns are 2 KB. */
export const BLOCK = 64;
/** Tile columns updated at once: 8 × 2 KB fit into any first-level cache beside the rest. */
export const GROUP = 8;
/** Panels that a solve reads at once. */
export const STREAM = 4;
/** What the kernels do instead of the functions of this file; see kernels/kernels.ts. */
export interface CholeskyKernels {
  factor(cholesky: Cholesky, values: ReadonlyF64): number;
  solve(cholesky: Cholesky, x: Float64Array): void;
}

/** A factorisation in the making or made. All arrays live in the memory it was prepared in. */
export interface Cholesky {
  readonly analysis: Analysis;
  /** The factor and the waiting updates, stored as symbolic.ts says. */
  readonly L: Float64Array;
  readonly U: Float64Array;
  /** [block·n] a right-hand side in elimination order. */
  readonly y: Float64Array;
  /** [4·largestFront] of it the rows below a supernode; scratch of a factorisation. */
  readonly w: Float64Array;
  readonly structure: Structure;
  /** Sizes, then byte addresses of the arrays above, in the order that kernels/cholesky-layout.as.ts names. */
  readonly table: Int32Array;
  /** The same with another w, for a second thread; null where there is one. */
  readonly partnerTable: Int32Array | null;
  kernels: CholeskyKernels | null;
}

/** The index arrays of the analysis that factor and solve read, in the same memory; see `table`. */
export interface Structure {
  readonly order: Int32Array;
  readonly firstPlace: Int32Array;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  readonly rowStart: Int32Array;
  readonly rowPlace: Int32Array;
  readonly rowInParent: Int32Array;
  readonly pivotsOfParent: Int32Array;
  readonly childStart: Int32Array;
  readonly child: Int32Array;
  readonly factorStart: Int32Array;
  readonly updateStart: Int32Array;
  readonly entryStart: Int32Array;
  readonly entryBlock: Int32Array;
  readonly entryRow: Int32Array;
  readonly entryColumn: Int32Array;
}

export interface AnalyseOptions {
  /** [n] an elimination order to take as it is, such as that of an earlier, similar pattern; by minimum degree if left out. */
  readonly order?: ReadonlyI32;
  /** 2 plans for kernels with a partner (kernels/partner.ts): some more memory, the same bits. */
  readonly threads?: 1 | 2;
}

/**
 * Orders and analyses a pattern. Once per pattern; allocates on the heap. Large sheets: analyseInSpace of dissection.ts.
 *
 * @example
 * const analysis = analyse(lowerBlocks(pattern), 1);
 */
export function analyse(
  pattern: BlockPattern,
  block: BlockSize,
  options: AnalyseOptions = {},
): Analysis {
  const graph = graphOf(pattern);
  const { order, threads } = options;
  const chosen = order ? Int32Array.from(order as Int32Array) : minimumDegree(graph);
  return symbolicAnalysis(pattern, graph, block, chosen, threads);
}

/** Numbers behind a right-hand side that the kernels read with its last tile. */
const SPARE = 4;
/** Where the address of w stands in the table. */
const TABLE_W = 6;

/** The arrays of one factorisation in the given memory; `factor` comes next. */
export function prepareCholesky(memory: Allocator, analysis: Analysis): Cholesky {
  const a = analysis;
  const L = memory.f64(a.factorLength);
  const U = memory.f64(a.updateLength);
  const y = memory.f64(a.block * a.n + SPARE);
  const w = memory.f64(4 * a.largestFront);
  const structure: Structure = {
    order: memory.copyI32(a.order),
    firstPlace: memory.copyI32(a.firstPlace),
    columns: memory.copyI32(a.columns),
    rows: memory.copyI32(a.rows),
    rowStart: memory.copyI32(a.rowStart),
    rowPlace: memory.copyI32(a.rowPlace),
    rowInParent: memory.copyI32(a.rowInParent),
    pivotsOfParent: memory.copyI32(a.pivotsOfParent),
    childStart: memory.copyI32(a.childStart),
    child: memory.copyI32(a.child),
    factorStart: memory.copyI32(a.factorStart),
    updateStart: memory.copyI32(a.updateStart),
    entryStart: memory.copyI32(a.entryStart),
    entryBlock: memory.copyI32(a.entryBlock),
    entryRow: memory.copyI32(a.entryRow),
    entryColumn: memory.copyI32(a.entryColumn),
  };
  const addresses = [L, U, y, w, ...Object.values(structure)].map((array) => array.byteOffset);
  const table = Int32Array.of(a.n, a.block, a.supernodes, ...addresses);
  const forPartner = table.slice();
  if (a.halves) forPartner[TABLE_W] = memory.f64(4 * a.largestFront).byteOffset;
  return {
    analysis,
    L,
    U,
    y,
    w,
    structure,
    table: memory.copyI32(table),
    partnerTable: a.halves ? memory.copyI32(forPartner) : null,
    kernels: null,
  };
}

/** From now on `factor` and `solve` of this factorisation run in the kernels. */
export function attachKernels(cholesky: Cholesky, kernels: CholeskyKernels): void {
  cholesky.kernels = kernels;
}
