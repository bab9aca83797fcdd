/**
 * The numeric factorisation A = L Lᵀ (cholesky.ts says how): fronts are assembled, eliminated and handed to their parents.
 */
import type { ReadonlyF64 } from "./arena.ts";
import { BLOCK, type Cholesky, GROUP } from "./cholesky.ts";
import { panelStart, roundUp4 } from "./symbolic.ts";
import { factorTile, solveTile, subtractProduct } from "./tiles.ts";

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
