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
 * G and B go to L, U = front₂₂ − B Bᵀ waits for the parent (the product first, then the children's
 * updates; the matrix itself has no entries there). All of it in 4×4 tiles (tiles.ts). A front
 * is eliminated by blocks of BLOCK columns, each first within itself and then from everything to its
 * right, GROUP tile columns at a time, so that what is read again and again stays in the fastest cache.
 *
 * This file is the readable twin of kernels/cholesky.as.ts. Both work on the same storage, operation by
 * operation, so `attachKernels` changes the speed and not one bit. At 2716 points and 2×2 blocks the
 * kernels take a quarter of the time.
 *
 * The trap: a matrix that is positive definite on paper may not be so in floating point. `factor` never
 * throws; it returns which point failed, and its caller shifts the diagonal.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "./arena.ts";
import { minimumDegree } from "./minimum-degree.ts";
import { nestedDissection } from "./ordering.ts";
import { type BlockPattern, type BlockSize, graphOf } from "./sparse.ts";
import { type Analysis, panelStart, roundUp4, symbolicAnalysis } from "./symbolic.ts";
import { factorTile, solveTile, subtractProduct } from "./tiles.ts";

export type { Analysis } from "./symbolic.ts";

/** Columns eliminated from the rest of a front at once: 4 rows × 64 columns are 2 KB. */
export const BLOCK = 64;
/** Tile columns updated at once: 8 × 2 KB fit into any first-level cache beside the rest. */
export const GROUP = 8;
/** Panels that a solve reads at once. */
export const STREAM = 4;
/**
 * Up to this many points minimum degree gives as few operations as nested dissection, in a tenth of the
 * time; at 2716 it gives 6 % more, at 15 039 28 %.
 */
const SMALL = 1000;

/** What the kernels do instead of the functions of this file; see kernels/kernels.ts. */
export interface CholeskyKernels {
  factor(cholesky: Cholesky, values: ReadonlyF64): number;
  solve(cholesky: Cholesky, x: Float64Array, rhsCount: number): void;
  solveXyz(cholesky: Cholesky, x: Float64Array): void;
}

/** A factorisation in the making or made. All arrays live in the memory it was prepared in. */
export interface Cholesky {
  readonly analysis: Analysis;
  /** The factor and the waiting updates, stored as symbolic.ts says. */
  readonly L: Float64Array;
  readonly U: Float64Array;
  /** [4·block·n] right-hand sides in elimination order, four interleaved. */
  readonly y: Float64Array;
  /** [4·largestFront] right-hand sides of the rows below a supernode. */
  readonly w: Float64Array;
  readonly structure: Structure;
  /** Sizes, then byte addresses of the arrays above, in the order that kernels/cholesky.as.ts names. */
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
  /** [2n] or [3n] rest positions; with them large sheets are ordered by nested dissection. */
  readonly coordinates?: ReadonlyF64;
  /** [n] an elimination order to take as it is, such as that of an earlier, similar pattern. */
  readonly order?: ReadonlyI32;
  /** 2 plans for kernels with a partner (kernels/partner.ts): some more memory, the same bits. */
  readonly threads?: 1 | 2;
}

/**
 * Orders and analyses a pattern. Once per pattern; allocates on the heap.
 *
 * @example
 * const analysis = analyse(lowerBlocks(pattern), 1, { coordinates: sheet.uv });
 */
export function analyse(
  pattern: BlockPattern,
  block: BlockSize,
  options: AnalyseOptions = {},
): Analysis {
  const graph = graphOf(pattern);
  const { coordinates, order, threads } = options;
  if (order !== undefined) {
    return symbolicAnalysis(pattern, graph, block, Int32Array.from(order as Int32Array), threads);
  }
  const chosen =
    coordinates === undefined || pattern.n <= SMALL
      ? minimumDegree(graph)
      : nestedDissection(graph, coordinates);
  return symbolicAnalysis(pattern, graph, block, chosen, threads);
}

/** Where the address of w stands in the table. */
const TABLE_W = 6;

/** The arrays of one factorisation in the given memory; `factor` comes next. */
export function prepareCholesky(memory: Allocator, analysis: Analysis): Cholesky {
  const a = analysis;
  const L = memory.f64(a.factorLength);
  const U = memory.f64(a.updateLength);
  const y = memory.f64(4 * a.block * a.n);
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

// ------------------------------------------------------------------------------------------ factor

/**
 * L Lᵀ = A. Returns 0, or 1 + the point (block column, in the caller's numbering) at which a pivot was
 * not positive; L is then useless. Does not throw, does not allocate.
 *
 * @param values  [block²·blocks] of a BlockSymmetric with the analysed pattern. Of diagonal blocks only
 *                the lower triangle is read.
 */
export function factor(cholesky: Cholesky, values: ReadonlyF64): number {
  if (cholesky.kernels !== null) return cholesky.kernels.factor(cholesky, values);
  const { analysis, L, U, structure } = cholesky;
  const { block, supernodes } = analysis;
  const { order, firstPlace, columns, rows, childStart, child, factorStart, updateStart } =
    structure;
  for (let s = 0; s < supernodes; s++) {
    const width = roundUp4(columns[s]);
    const height = roundUp4(rows[s]);
    const l = factorStart[s];
    const u = updateStart[s];
    L.fill(0, l, l + panelStart((width + height) >> 2, width));
    U.fill(0, u, u + triangle(height >> 2));
    placeEntries(cholesky, values, s);
    for (let q = childStart[s]; q < childStart[s + 1]; q++) addToPivots(cholesky, s, child[q]);
    const failed = eliminate(L, l, U, u, columns[s], rows[s]);
    if (failed !== 0) return 1 + order[firstPlace[s] + Math.floor((failed - 1) / block)];
    for (let q = childStart[s]; q < childStart[s + 1]; q++) addToUpdate(cholesky, s, child[q]);
  }
  return 0;
}

/** Numbers in the first t rows of tiles of an update. */
function triangle(t: number): number {
  return 8 * t * (t + 1);
}

/** Writes the matrix's own entries into the front of s. */
function placeEntries(cholesky: Cholesky, values: ReadonlyF64, s: number): void {
  const { analysis, L, structure } = cholesky;
  const { block } = analysis;
  const { columns, factorStart, entryStart, entryBlock, entryRow, entryColumn } = structure;
  const width = roundUp4(columns[s]);
  for (let q = entryStart[s]; q < entryStart[s + 1]; q++) {
    const transposed = entryBlock[q] < 0;
    const from = block * block * (transposed ? ~entryBlock[q] : entryBlock[q]);
    const rowStep = transposed ? 1 : block;
    const columnStep = transposed ? block : 1;
    const isDiagonal = entryRow[q] === entryColumn[q];
    for (let a = 0; a < block; a++) {
      const r = entryRow[q] + a;
      const to = factorStart[s] + panelStart(r >> 2, width) + 4 * entryColumn[q] + (r & 3);
      const last = isDiagonal ? a : block - 1;
      for (let c = 0; c <= last; c++) L[to + 4 * c] = values[from + rowStep * a + columnStep * c];
    }
  }
}

/** Adds what the update of child c has in the pivot columns of s. */
function addToPivots(cholesky: Cholesky, s: number, c: number): void {
  const { analysis, L, U, structure } = cholesky;
  const { block } = analysis;
  const { columns, rowStart, rowInParent, pivotsOfParent, factorStart, updateStart } = structure;
  const width = roundUp4(columns[s]);
  const target = rowStart[c];
  const rows = rowStart[c + 1] - rowStart[c];
  for (let i = 0; i < rows; i++) {
    for (let a = 0; a < block; a++) {
      const source = updateStart[c] + rowOfUpdate(block * i + a);
      const r = rowInParent[target + i] + a;
      const row = factorStart[s] + panelStart(r >> 2, width) + (r & 3);
      for (let j = 0; j < Math.min(i + 1, pivotsOfParent[c]); j++) {
        const last = j === i ? a : block - 1;
        const to = row + 4 * rowInParent[target + j];
        const from = source + 4 * block * j;
        for (let b = 0; b <= last; b++) L[to + 4 * b] += U[from + 4 * b];
      }
    }
  }
}

/** Adds the rest of it. It comes after the elimination, so that the kernels need not clear U first. */
function addToUpdate(cholesky: Cholesky, s: number, c: number): void {
  const { analysis, U, structure } = cholesky;
  const { block } = analysis;
  const { columns, rowStart, rowInParent, pivotsOfParent, updateStart } = structure;
  const width = roundUp4(columns[s]);
  const target = rowStart[c];
  const rows = rowStart[c + 1] - rowStart[c];
  for (let i = pivotsOfParent[c]; i < rows; i++) {
    for (let a = 0; a < block; a++) {
      const source = updateStart[c] + rowOfUpdate(block * i + a);
      const row = updateStart[s] + rowOfUpdate(rowInParent[target + i] + a - width);
      for (let j = pivotsOfParent[c]; j <= i; j++) {
        const last = j === i ? a : block - 1;
        const to = row + 4 * (rowInParent[target + j] - width);
        const from = source + 4 * block * j;
        for (let b = 0; b <= last; b++) U[to + 4 * b] += U[from + 4 * b];
      }
    }
  }
}

/** Where row r of an update starts; its columns follow at steps of 4. */
function rowOfUpdate(r: number): number {
  return triangle(r >> 2) + (r & 3);
}

/**
 * Eliminates the pivots of one front: G and B in place of front₁₁ and front₂₁, U −= B Bᵀ.
 * Returns 0 or 1 + the column whose pivot is not positive.
 */
function eliminate(
  L: Float64Array,
  l: number,
  U: Float64Array,
  u: number,
  columns: number,
  rows: number,
): number {
  const width = roundUp4(columns);
  const pivotPanels = width >> 2;
  const panels = pivotPanels + (roundUp4(rows) >> 2);
  // the padding of the last tile gets the pivots of the identity
  const lastPanel = l + panelStart(pivotPanels - 1, width);
  for (let k = columns; k < width; k++) L[lastPanel + 4 * k + (k & 3)] = 1;

  for (let from = 0; from < columns; from += BLOCK) {
    const to = Math.min(from + BLOCK, columns);

    // the block itself, one tile column after the other, each from the ones before it
    for (let k = from; k < to; k += 4) {
      const pivotPanel = l + panelStart(k >> 2, width);
      const pivot = pivotPanel + 4 * k;
      subtractProduct(L, pivot, L, pivotPanel + 4 * from, pivotPanel + 4 * from, k - from);
      const failed = factorTile(L, pivot);
      if (failed !== 0) return k + failed;
      for (let i = (k >> 2) + 1; i < panels; i++) {
        const row = l + panelStart(i, width);
        subtractProduct(L, row + 4 * k, L, row + 4 * from, pivotPanel + 4 * from, k - from);
        solveTile(L, row + 4 * k, pivot);
      }
    }

    // the pivot columns to its right
    for (let group = roundUp4(to) >> 2; group < pivotPanels; group += GROUP) {
      const groupEnd = Math.min(group + GROUP, pivotPanels);
      for (let i = group; i < panels; i++) {
        const row = l + panelStart(i, width);
        for (let j = group; j < Math.min(groupEnd, i + 1); j++) {
          const other = l + panelStart(j, width) + 4 * from;
          subtractProduct(L, row + 16 * j, L, row + 4 * from, other, to - from);
        }
      }
    }

    // the update
    for (let group = pivotPanels; group < panels; group += GROUP) {
      const groupEnd = Math.min(group + GROUP, panels);
      for (let i = group; i < panels; i++) {
        const row = l + panelStart(i, width) + 4 * from;
        const tiles = u + triangle(i - pivotPanels);
        for (let j = group; j < Math.min(groupEnd, i + 1); j++) {
          const other = l + panelStart(j, width) + 4 * from;
          subtractProduct(U, tiles + 16 * (j - pivotPanels), L, row, other, to - from);
        }
      }
    }
  }
  return 0;
}

// ------------------------------------------------------------------------------------------- solve

/**
 * x = A⁻¹ x in place, for `rhsCount` right-hand sides one after the other.
 *
 * @param x  [rhsCount][block·n]
 */
export function solve(cholesky: Cholesky, x: Float64Array, rhsCount = 1): void {
  if (cholesky.kernels !== null) {
    cholesky.kernels.solve(cholesky, x, rhsCount);
    return;
  }
  const { analysis, y, structure } = cholesky;
  const { n, block } = analysis;
  const { order } = structure;
  const size = block * n;
  for (let first = 0; first < rhsCount; first += 4) {
    const lanes = Math.min(4, rhsCount - first);
    const stride = lanes === 1 ? 1 : 4;
    // a missing lane repeats the last one
    for (let lane = 0; lane < stride; lane++) {
      const rhs = size * (first + Math.min(lane, lanes - 1));
      for (let k = 0; k < n; k++) {
        for (let a = 0; a < block; a++) {
          y[stride * (block * k + a) + lane] = x[rhs + block * order[k] + a];
        }
      }
    }
    if (stride === 1) substituteOne(cholesky);
    else substituteFour(cholesky);
    for (let lane = 0; lane < lanes; lane++) {
      const rhs = size * (first + lane);
      for (let k = 0; k < n; k++) {
        for (let a = 0; a < block; a++) {
          x[rhs + block * order[k] + a] = y[stride * (block * k + a) + lane];
        }
      }
    }
  }
}

/**
 * x = (A⁻¹ ⊗ I₃) x in place: a scalar factor applied to the x, y and z of every point at once.
 *
 * @param x  [3n] xyz per point
 */
export function solveXyz(cholesky: Cholesky, x: Float64Array): void {
  if (cholesky.kernels !== null) {
    cholesky.kernels.solveXyz(cholesky, x);
    return;
  }
  const { analysis, y, structure } = cholesky;
  const { n } = analysis;
  const { order } = structure;
  for (let k = 0; k < n; k++) {
    const i = 3 * order[k];
    y[4 * k] = x[i];
    y[4 * k + 1] = x[i + 1];
    y[4 * k + 2] = x[i + 2];
    y[4 * k + 3] = 0;
  }
  substituteFour(cholesky);
  for (let k = 0; k < n; k++) {
    const i = 3 * order[k];
    x[i] = y[4 * k];
    x[i + 1] = y[4 * k + 1];
    x[i + 2] = y[4 * k + 2];
  }
}

/**
 * y = L⁻ᵀ L⁻¹ y for one right-hand side in elimination order.
 *
 * Reading L takes all the time, so the kernels read STREAM panels at once, as many streams of memory;
 * this twin adds in the order that this gives.
 */
function substituteOne(cholesky: Cholesky): void {
  const { analysis, L, y, w, structure } = cholesky;
  const { block, supernodes } = analysis;
  const { firstPlace, columns, rows, factorStart } = structure;
  const group = 4 * STREAM;

  // L y' = y, supernode by supernode: y₁ = G⁻¹ y₁, then y₂ −= B y₁ with y₂ scattered over y
  for (let s = 0; s < supernodes; s++) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    for (let from = 0; from < columns[s]; from += group) {
      const to = Math.min(from + group, columns[s]);
      panelsTimesVector(w, L, l, width, from, to, y, first, from);
      for (let i = from; i < to; i++) {
        let t = y[first + i] - w[i - from];
        const at = l + panelStart(i >> 2, width) + (i & 3);
        for (let j = from; j < i; j++) t -= L[at + 4 * j] * y[first + j];
        y[first + i] = t * L[at + 4 * i];
      }
    }
    panelsTimesVector(w, L, l, width, width, width + rows[s], y, first, columns[s]);
    scatterBelow(cholesky, s, 1);
  }

  // Lᵀ y' = y, from the root down: y₁ = G⁻ᵀ (y₁ − Bᵀ y₂)
  for (let s = supernodes - 1; s >= 0; s--) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    gatherBelow(cholesky, s, 1);
    subtractPanelsTransposed(y, first, L, l, width, width, width + rows[s], w, columns[s]);
    for (let from = Math.floor((columns[s] - 1) / group) * group; from >= 0; from -= group) {
      const to = Math.min(from + group, columns[s]);
      w.fill(0, 0, group);
      for (let k = (to - 1) & ~3; k >= from; k -= 4) {
        const row = l + panelStart(k >> 2, width);
        const tile = row + 4 * k;
        const used = Math.min(4, to - k);
        for (let i = used - 1; i >= 0; i--) {
          let t = y[first + k + i];
          for (let j = i + 1; j < used; j++) t -= L[tile + 4 * i + j] * w[k - from + j];
          t *= L[tile + 5 * i];
          w[k - from + i] = t;
          y[first + k + i] = t;
        }
        // from the columns of this group; those before it wait until the group is done
        for (let c = from; c < k; c++) {
          const p = row + 4 * c;
          const q = k - from;
          const even = L[p] * w[q] + L[p + 2] * w[q + 2];
          const odd = L[p + 1] * w[q + 1] + L[p + 3] * w[q + 3];
          y[first + c] -= even + odd;
        }
      }
      subtractPanelsTransposed(y, first, L, l, width, from, to, w, from);
    }
  }
}

/** w = P y over K columns of the rows from … to of a front, which start a panel. */
function panelsTimesVector(
  w: Float64Array,
  L: Float64Array,
  l: number,
  width: number,
  from: number,
  to: number,
  y: Float64Array,
  first: number,
  K: number,
): void {
  for (let r = from; r < to; r++) {
    const at = l + panelStart(r >> 2, width) + (r & 3);
    let sum = 0;
    for (let k = 0; k < K; k++) sum += L[at + 4 * k] * y[first + k];
    w[r - from] = sum;
  }
}

/**
 * y −= Pᵀ w over K columns of the rows from … to of a front: STREAM panels at a time, then one by one;
 * rows of even and odd number are summed apart.
 */
function subtractPanelsTransposed(
  y: Float64Array,
  first: number,
  L: Float64Array,
  l: number,
  width: number,
  from: number,
  to: number,
  w: Float64Array,
  K: number,
): void {
  const end = roundUp4(to);
  for (let r = from; r < end; ) {
    const next = end - r >= 4 * STREAM ? r + 4 * STREAM : r + 4;
    for (let k = 0; k < K; k++) {
      let even = 0;
      let odd = 0;
      for (let q = r; q < next; q += 2) {
        const entry = l + panelStart(q >> 2, width) + 4 * k + (q & 3);
        even += L[entry] * w[q - from];
        odd += L[entry + 1] * w[q - from + 1];
      }
      y[first + k] -= even + odd;
    }
    r = next;
  }
}

/** The same for four interleaved right-hand sides, which keep the processor busy panel by panel. */
function substituteFour(cholesky: Cholesky): void {
  const { analysis, L, y, w, structure } = cholesky;
  const { block, supernodes } = analysis;
  const { firstPlace, columns, rows, factorStart } = structure;

  for (let s = 0; s < supernodes; s++) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    for (let k = 0; k < columns[s]; k += 4) {
      const row = l + panelStart(k >> 2, width);
      panelTimesFour(w, 0, L, row, y, 4 * first, k);
      const tile = row + 4 * k;
      for (let i = 0; i < Math.min(4, columns[s] - k); i++) {
        for (let lane = 0; lane < 4; lane++) {
          const at = 4 * (first + k) + lane;
          let t = y[at + 4 * i] - w[4 * i + lane];
          for (let j = 0; j < i; j++) t -= L[tile + 4 * j + i] * y[at + 4 * j];
          y[at + 4 * i] = t * L[tile + 5 * i];
        }
      }
    }
    for (let r = 0; r < rows[s]; r += 4) {
      const row = l + panelStart((width + r) >> 2, width);
      panelTimesFour(w, 4 * r, L, row, y, 4 * first, columns[s]);
    }
    scatterBelow(cholesky, s, 4);
  }

  for (let s = supernodes - 1; s >= 0; s--) {
    const width = roundUp4(columns[s]);
    const l = factorStart[s];
    const first = block * firstPlace[s];
    gatherBelow(cholesky, s, 4);
    for (let r = 0; r < rows[s]; r += 4) {
      const row = l + panelStart((width + r) >> 2, width);
      subtractPanelFour(y, 4 * first, L, row, w, 4 * r, columns[s]);
    }
    for (let k = width - 4; k >= 0; k -= 4) {
      const row = l + panelStart(k >> 2, width);
      const tile = row + 4 * k;
      const used = Math.min(4, columns[s] - k);
      w.fill(0, 0, 16);
      for (let i = used - 1; i >= 0; i--) {
        for (let lane = 0; lane < 4; lane++) {
          const at = 4 * (first + k + i) + lane;
          let t = y[at];
          for (let j = i + 1; j < used; j++) t -= L[tile + 4 * i + j] * w[4 * j + lane];
          w[4 * i + lane] = t * L[tile + 5 * i];
          y[at] = w[4 * i + lane];
        }
      }
      subtractPanelFour(y, 4 * first, L, row, w, 0, k);
    }
  }
}

/** w[at … at+15] = P y, one row of four right-hand sides after the other. */
function panelTimesFour(
  w: Float64Array,
  at: number,
  L: Float64Array,
  panel: number,
  y: Float64Array,
  first: number,
  K: number,
): void {
  for (let r = 0; r < 4; r++) {
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let k = 0; k < K; k++) {
      const a = L[panel + 4 * k + r];
      const q = first + 4 * k;
      s0 += a * y[q];
      s1 += a * y[q + 1];
      s2 += a * y[q + 2];
      s3 += a * y[q + 3];
    }
    w[at + 4 * r] = s0;
    w[at + 4 * r + 1] = s1;
    w[at + 4 * r + 2] = s2;
    w[at + 4 * r + 3] = s3;
  }
}

/** y −= Pᵀ w for four interleaved right-hand sides. */
function subtractPanelFour(
  y: Float64Array,
  first: number,
  L: Float64Array,
  panel: number,
  w: Float64Array,
  at: number,
  K: number,
): void {
  for (let k = 0; k < K; k++) {
    const a0 = L[panel + 4 * k];
    const a1 = L[panel + 4 * k + 1];
    const a2 = L[panel + 4 * k + 2];
    const a3 = L[panel + 4 * k + 3];
    for (let lane = 0; lane < 4; lane++) {
      const q = at + lane;
      y[first + 4 * k + lane] -= a0 * w[q] + a1 * w[q + 4] + a2 * w[q + 8] + a3 * w[q + 12];
    }
  }
}

/** y at the rows below s −= w. */
function scatterBelow(cholesky: Cholesky, s: number, lanes: number): void {
  const { analysis, y, w, structure } = cholesky;
  const { rowStart, rowPlace } = structure;
  const run = lanes * analysis.block;
  let from = 0;
  for (let q = rowStart[s]; q < rowStart[s + 1]; q++) {
    const to = run * rowPlace[q];
    for (let a = 0; a < run; a++) y[to + a] -= w[from++];
  }
}

/** w = y at the rows below s, and zeros up to a whole tile. */
function gatherBelow(cholesky: Cholesky, s: number, lanes: number): void {
  const { analysis, y, w, structure } = cholesky;
  const { rows, rowStart, rowPlace } = structure;
  const run = lanes * analysis.block;
  let to = 0;
  for (let q = rowStart[s]; q < rowStart[s + 1]; q++) {
    const from = run * rowPlace[q];
    for (let a = 0; a < run; a++) w[to++] = y[from + a];
  }
  w.fill(0, to, lanes * roundUp4(rows[s]));
}
