/**
 * Sparse patterns, matrices and their products. Nothing here depends on cloth.
 *
 * Two storages. Compressed rows (CSR) hold anything that is multiplied: the columns of row r are
 * index[start[r]] … index[start[r+1]−1], increasing, each once. The lower block triangle by block
 * column (BlockPattern) holds what is factored: symmetric, one dense b×b block per pair of points.
 *
 * Patterns are built once, with sorting and sets; products run every step, allocate nothing and add
 * in the order of storage, so that the kernels can repeat them bit for bit.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "./arena.ts";
import { listI32 } from "./lists.ts";

/** Where a matrix may be non-zero, by rows. */
export interface SparsePattern {
  readonly rows: number;
  readonly columns: number;
  readonly start: ReadonlyI32; // [rows+1]
  readonly index: ReadonlyI32; // [entries] columns, increasing within a row
}

export interface SparseMatrix extends SparsePattern {
  readonly values: Float64Array; // [entries]
}

/** Scalars per point and row of a block: 1 for a scalar matrix, 2 for tr and det, 3 for xyz. */
export type BlockSize = 1 | 2 | 3;

/** Lower block triangle by block column: the diagonal block first, then rows increasing. */
export interface BlockPattern {
  readonly n: number; // block columns
  readonly start: ReadonlyI32; // [n+1]
  readonly index: ReadonlyI32; // [blocks] block row of each block, ≥ its column
}

export interface BlockSymmetric extends BlockPattern {
  readonly block: BlockSize;
  /** [blocks·block²], each block by rows: values[block²·p + block·a + c] is row a, column c of block p. */
  readonly values: Float64Array;
}

// ---------------------------------------------------------------------------------------- patterns

/** The pattern with the given entries (row[e], column[e]); repeated ones count once. */
export function patternFromEntries(
  rows: number,
  columns: number,
  row: ArrayLike<number>,
  column: ArrayLike<number>,
): SparsePattern {
  // sorting by column and then, stably, by row leaves the columns of a row in order
  const byColumn = countingSort(columns, column);
  const rowsByColumn = new Int32Array(row.length);
  for (let e = 0; e < row.length; e++) rowsByColumn[e] = row[byColumn[e]];
  const byRow = countingSort(rows, rowsByColumn);

  const start = new Int32Array(rows + 1);
  const index = new Int32Array(row.length);
  let length = 0;
  let r = -1;
  for (let e = 0; e < row.length; e++) {
    const entry = byColumn[byRow[e]];
    while (r < row[entry]) start[++r] = length;
    if (length > start[r] && index[length - 1] === column[entry]) continue;
    index[length++] = column[entry];
  }
  while (r < rows) start[++r] = length;
  return { rows, columns, start, index: index.slice(0, length) };
}

/** The pattern whose row r holds the columns lists[r], in any order, repeated or not. */
export function patternFromLists(
  columns: number,
  lists: ArrayLike<ArrayLike<number>>,
): SparsePattern {
  const row: number[] = [];
  const column: number[] = [];
  for (let r = 0; r < lists.length; r++) {
    for (let e = 0; e < lists[r].length; e++) {
      row.push(r);
      column.push(lists[r][e]);
    }
  }
  return patternFromEntries(lists.length, columns, row, column);
}

/**
 * Who shares an element with whom: the pattern of any sum of element matrices, diagonal included.
 * Elements are lists of points (triangles, neighbourhoods): those of element e are
 * points[start[e]] … points[start[e+1]−1], and may repeat a point.
 */
export function patternFromElements(
  n: number,
  start: ArrayLike<number>,
  points: ArrayLike<number>,
): SparsePattern {
  const elements = start.length - 1;
  const owner = new Int32Array(points.length);
  for (let e = 0; e < elements; e++) owner.fill(e, start[e], start[e + 1]);
  const byPoint = countingSort(n, points);

  const rowStart = new Int32Array(n + 1);
  const index = listI32();
  const seen = new Int32Array(n).fill(-1);
  let at = 0;
  for (let i = 0; i < n; i++) {
    index.push(i);
    seen[i] = i;
    for (; at < points.length && points[byPoint[at]] === i; at++) {
      const e = owner[byPoint[at]];
      for (let p = start[e]; p < start[e + 1]; p++) {
        const j = points[p];
        if (seen[j] === i) continue;
        seen[j] = i;
        index.push(j);
      }
    }
    rowStart[i + 1] = index.length;
    index.items.subarray(rowStart[i], rowStart[i + 1]).sort();
  }
  return { rows: n, columns: n, start: rowStart, index: index.done() };
}

/** The same for elements of equal size, such as triangles (size 3) or edges (size 2). */
export function patternFromCells(n: number, size: number, cells: ArrayLike<number>): SparsePattern {
  const start = new Int32Array(cells.length / size + 1);
  for (let e = 0; e < start.length; e++) start[e] = size * e;
  return patternFromElements(n, start, cells);
}

/** The pattern of A·B. With B = A of a graph: who is within two steps of whom. */
export function productPattern(A: SparsePattern, B: SparsePattern): SparsePattern {
  const start = new Int32Array(A.rows + 1);
  const index: number[] = [];
  const seen = new Int32Array(B.columns).fill(-1);
  for (let r = 0; r < A.rows; r++) {
    const row: number[] = [];
    for (let p = A.start[r]; p < A.start[r + 1]; p++) {
      const k = A.index[p];
      for (let q = B.start[k]; q < B.start[k + 1]; q++) {
        const c = B.index[q];
        if (seen[c] === r) continue;
        seen[c] = r;
        row.push(c);
      }
    }
    row.sort((a, b) => a - b);
    for (const c of row) index.push(c);
    start[r + 1] = index.length;
  }
  return { rows: A.rows, columns: B.columns, start, index: Int32Array.from(index) };
}

/** The lower block triangle of a symmetric pattern; the diagonal is there even where A lacks it. */
export function lowerBlocks(A: SparsePattern): BlockPattern {
  const n = A.rows;
  const start = new Int32Array(n + 1);
  const index = new Int32Array(A.index.length + n);
  let length = 0;
  for (let j = 0; j < n; j++) {
    index[length++] = j;
    for (let p = A.start[j]; p < A.start[j + 1]; p++) {
      if (A.index[p] > j) index[length++] = A.index[p];
    }
    start[j + 1] = length;
  }
  return { n, start, index: index.slice(0, length) };
}

/** Both triangles of a block pattern, without the diagonal: its graph. */
export function graphOf(A: BlockPattern): SparsePattern {
  const { n } = A;
  const start = new Int32Array(n + 1);
  for (let j = 0; j < n; j++) {
    for (let p = A.start[j]; p < A.start[j + 1]; p++) {
      const i = A.index[p];
      if (i === j) continue;
      start[i + 1]++;
      start[j + 1]++;
    }
  }
  for (let i = 0; i < n; i++) start[i + 1] += start[i];
  const index = new Int32Array(start[n]);
  const next = start.slice();
  // walking the columns in order fills the part below i of every list in order, then the part above
  for (let j = 0; j < n; j++) {
    for (let p = A.start[j]; p < A.start[j + 1]; p++) {
      if (A.index[p] !== j) index[next[A.index[p]]++] = j;
    }
  }
  for (let j = 0; j < n; j++) {
    for (let p = A.start[j]; p < A.start[j + 1]; p++) {
      if (A.index[p] !== j) index[next[j]++] = A.index[p];
    }
  }
  return { rows: n, columns: n, start, index };
}

/** The place p of (row, column) in A.index and A.values, or −1. */
export function findEntry(A: SparsePattern, row: number, column: number): number {
  return find(A.index, A.start[row], A.start[row + 1], column);
}

/** The place p of block (i, j), i ≥ j, or −1. */
export function findBlock(A: BlockPattern, i: number, j: number): number {
  return find(A.index, A.start[j], A.start[j + 1], i);
}

function find(index: ReadonlyI32, from: number, to: number, value: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (index[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low < to && index[low] === value ? low : -1;
}

/** The order that sorts items by key, stably: order[0] is the item that comes first. */
export function countingSort(keys: number, key: ArrayLike<number>): Int32Array {
  const next = new Int32Array(keys + 1);
  for (let e = 0; e < key.length; e++) next[key[e] + 1]++;
  for (let k = 0; k < keys; k++) next[k + 1] += next[k];
  const order = new Int32Array(key.length);
  for (let e = 0; e < key.length; e++) order[next[key[e]]++] = e;
  return order;
}

// ---------------------------------------------------------------------------------------- matrices

/** A zero matrix of the given pattern; pattern and values live in the given memory. */
export function createSparse(memory: Allocator, pattern: SparsePattern): SparseMatrix {
  const { rows, columns } = pattern;
  const start = memory.copyI32(pattern.start);
  const index = memory.copyI32(pattern.index);
  return { rows, columns, start, index, values: memory.f64(pattern.index.length) };
}

/** A zero symmetric matrix; only its values need be in the memory, the analysis keeps the pattern. */
export function createBlockSymmetric(
  memory: Allocator,
  pattern: BlockPattern,
  block: BlockSize,
): BlockSymmetric {
  const { n, start, index } = pattern;
  return { n, block, start, index, values: memory.f64(block * block * index.length) };
}

// ---------------------------------------------------------------------------------------- products

/**
 * y = (A ⊗ I₃) x: one scalar matrix applied to x, y and z, as bending and masses are. Even and odd entries of a row have
 * sums of their own: one sum would make every product wait for the last.
 *
 * @param y  out [3·rows], xyz per point; must not alias x
 * @param x  [3·columns], xyz per point
 */
export function multiplyScalar3(y: Float64Array, A: SparseMatrix, x: ReadonlyF64): void {
  const { rows, start, index, values } = A;
  for (let r = 0; r < rows; r++) {
    let sx = 0;
    let sy = 0;
    let sz = 0;
    let oddX = 0;
    let oddY = 0;
    let oddZ = 0;
    let p = start[r];
    const end = start[r + 1];
    for (; p + 1 < end; p += 2) {
      const a = values[p];
      const j = 3 * index[p];
      sx += a * x[j];
      sy += a * x[j + 1];
      sz += a * x[j + 2];
      const b = values[p + 1];
      const k = 3 * index[p + 1];
      oddX += b * x[k];
      oddY += b * x[k + 1];
      oddZ += b * x[k + 2];
    }
    if (p < end) {
      const a = values[p];
      const j = 3 * index[p];
      sx += a * x[j];
      sy += a * x[j + 1];
      sz += a * x[j + 2];
    }
    y[3 * r] = sx + oddX;
    y[3 * r + 1] = sy + oddY;
    y[3 * r + 2] = sz + oddZ;
  }
}
