/** L Lᵀ = A in SIMD: the twin of linalg/cholesky-factor.ts, which says what is computed and why. Same operations, same order. */
import {
  BLOCK, BLOCK_SIZE, CHILD, CHILD_START, COLUMNS, ENTRY_BLOCK, ENTRY_COLUMN, ENTRY_ROW, ENTRY_START, FACTOR_START, FIRST_PLACE,
  GROUP, L, ORDER, PIVOTS_OF_PARENT, ROW_IN_PARENT, ROW_START, ROWS, SUPERNODES, U, UPDATE_START, W, columnsOfPanel, field,
  numbers, panelStart, roundUp4, triangle,
} from "./cholesky-layout.as";
import { int } from "./lanes.as";
import { factorTile, storeProducts, subtractAndSolve, subtractProducts } from "./tiles.as";

/** L Lᵀ = A. Returns 0, or 1 + the point whose pivot is not positive. */
export function factor(t: usize, values: usize): i32 {
  return factorSome(t, values, 0, int(t, SUPERNODES));
}

/** The same for supernodes from … to − 1 alone, whose children are done. */
export function factorSome(t: usize, values: usize, from: i32, to: i32): i32 {
  const block = int(t, BLOCK_SIZE);
  for (let s = from; s < to; s++) {
    const columns = int(field(t, COLUMNS), s), rows = int(field(t, ROWS), s);
    const width = roundUp4(columns), height = roundUp4(rows);
    const l = field(t, L) + numbers(int(field(t, FACTOR_START), s));
    const u = field(t, U) + numbers(int(field(t, UPDATE_START), s));
    memory.fill(l, 0, triangle(width >> 2) + numbers(width * height));
    placeEntries(t, values, s, l, width);
    const children = field(t, CHILD), firstChild = int(field(t, CHILD_START), s);
    const lastChild = int(field(t, CHILD_START), s + 1);
    for (let q = firstChild; q < lastChild; q++) extendAdd(t, int(children, q), l, width, false);
    const failed = eliminate(l, u, columns, rows);
    if (failed) {
      return 1 + int(field(t, ORDER), int(field(t, FIRST_PLACE), s) + (failed - 1) / block);
    }
    for (let q = firstChild; q < lastChild; q++) extendAdd(t, int(children, q), u, width, true);
  }
  return 0;
}

/** Writes the matrix's own entries into the front of s. */
function placeEntries(t: usize, values: usize, s: i32, l: usize, width: i32): void {
  const block = int(t, BLOCK_SIZE);
  const blocks = field(t, ENTRY_BLOCK), rows = field(t, ENTRY_ROW), columns = field(t, ENTRY_COLUMN);
  const end = int(field(t, ENTRY_START), s + 1);
  if (block == 1) {
    for (let q = int(field(t, ENTRY_START), s); q < end; q++) {
      const p = int(blocks, q), row = int(rows, q);
      const to = l + panelStart(row >> 2, width) + columnsOfPanel(int(columns, q)) + numbers(row & 3);
      store<f64>(to, load<f64>(values + numbers(p < 0 ? ~p : p)));
    }
    return;
  }
  for (let q = int(field(t, ENTRY_START), s); q < end; q++) {
    const p = int(blocks, q), row = int(rows, q), column = int(columns, q);
    const from = values + numbers(block * block * (p < 0 ? ~p : p));
    const rowStep = numbers(p < 0 ? 1 : block), columnStep = numbers(p < 0 ? block : 1);
    for (let a = 0; a < block; a++) {
      const r = row + a;
      let to = l + panelStart(r >> 2, width) + columnsOfPanel(column) + numbers(r & 3);
      let source = from + <usize>a * rowStep;
      const last = row == column ? a : block - 1;
      for (let c = 0; c <= last; c++) {
        store<f64>(to, load<f64>(source));
        to += 32;
        source += columnStep;
      }
    }
  }
}

/**
 * Adds the update of child c into the parent's front: into L at `to` what falls into its pivot columns, or
 * into U at `to` what is below.
 *
 * By rows of tiles. Two rows that stay neighbours in one tile of the parent, as all pairs of 2×2 blocks
 * do, are added as one register; others number by number. w holds the byte offset of every column.
 */
function extendAdd(t: usize, c: i32, to: usize, width: i32, below: bool): void {
  const block = int(t, BLOCK_SIZE);
  const first = int(field(t, ROW_START), c), blocks = int(field(t, ROW_START), c + 1) - first;
  const rows = block * blocks, pivots = block * int(field(t, PIVOTS_OF_PARENT), c);
  if (below && rows == pivots) return;
  const from = below ? pivots : 0, end = below ? rows : pivots; // columns
  const origin = below ? width : 0;
  const target = field(t, ROW_IN_PARENT) + (<usize>first << 2), offset = field(t, W);
  let o = offset;
  for (let i = 0; i < blocks; i++) {
    for (let a = 0; a < block; a++, o += 4) store<i32>(o, (int(target, i) + a - origin) << 5);
  }

  const update = field(t, U) + numbers(int(field(t, UPDATE_START), c));
  for (let i = from & ~3; i < rows; i += 4) {
    const tiles = update + triangle(i >> 2);
    const whole = min(i, end), rowsEnd = min(i + 4, rows);
    for (let r = max(i, from); r < rowsEnd; r++) {
      const row = int(offset, r) >> 5;
      const source = tiles + numbers(r & 3);
      const at = to + (below ? triangle(row >> 2) : panelStart(row >> 2, width)) + numbers(row & 3);
      // left of the diagonal tile, then within it up to the diagonal
      const paired = r + 1 < rowsEnd && (row & 3) != 3 && int(offset, r + 1) >> 5 == row + 1;
      if (from < whole) {
        if (paired) addPairs(at, source, offset, from, whole);
        else addSingles(at, source, offset, from, whole);
      }
      if (i >= end) {
        if (paired) r++;
        continue;
      }
      addSingles(at, source, offset, max(i, from), min(r + 1, end));
      if (!paired) continue;
      r++;
      addSingles(at + 8, source + 8, offset, max(i, from), min(r + 1, end));
    }
  }
}

/** Columns j … end of one row of an update, from the row of tiles at `from`, added at `to`. */
function addSingles(to: usize, from: usize, offset: usize, j: i32, end: i32): void {
  from += columnsOfPanel(j);
  for (let o = offset + (<usize>j << 2), last = offset + (<usize>end << 2); o < last; o += 4) {
    const at = to + <usize>load<u32>(o);
    store<f64>(at, load<f64>(at) + load<f64>(from));
    from += 32;
  }
}

/** The same for two rows. */
function addPairs(to: usize, from: usize, offset: usize, j: i32, end: i32): void {
  from += columnsOfPanel(j);
  for (let o = offset + (<usize>j << 2), last = offset + (<usize>end << 2); o < last; o += 4) {
    const at = to + <usize>load<u32>(o);
    v128.store(at, f64x2.add(v128.load(at), v128.load(from)));
    from += 32;
  }
}

/** Eliminates the pivots of one front. Returns 0 or 1 + the column whose pivot is not positive. */
function eliminate(l: usize, u: usize, columns: i32, rows: i32): i32 {
  const width = roundUp4(columns), panel = columnsOfPanel(width);
  const pivotPanels = width >> 2, panels = pivotPanels + (roundUp4(rows) >> 2);
  const rowsBelow = l + triangle(pivotPanels);
  const lastPanel = l + triangle(pivotPanels - 1);
  for (let k = columns; k < width; k++) {
    store<f64>(lastPanel + columnsOfPanel(k) + numbers(k & 3), 1);
  }

  for (let from = 0; from < columns; from += BLOCK) {
    const to = min(from + BLOCK, columns);
    const start = columnsOfPanel(from);

    // the block itself, one tile column after the other, each from the ones before it
    for (let k = from; k < to; k += 4) {
      const i = k >> 2, K = k - from, column = columnsOfPanel(K);
      const known = l + triangle(i) + start, pivot = known + column;
      subtractProducts(pivot, known, known, 0, 0, 1, K);
      const failed = factorTile(pivot);
      if (failed) return k + failed;
      const next = l + triangle(i + 1) + start;
      subtractAndSolve(next, known, <usize>(i + 2) << 7, 128, pivotPanels - i - 1, K, pivot, column);
      subtractAndSolve(rowsBelow + start, known, panel, 0, panels - pivotPanels, K, pivot, column);
    }

    // the pivot columns to its right
    for (let group = roundUp4(to) >> 2; group < pivotPanels; group += GROUP) {
      const groupEnd = min(group + GROUP, pivotPanels), size = <usize>(group + 1) << 7;
      const firstRow = l + triangle(group) + start;
      for (let i = group; i < panels; i++) {
        const row = l + panelStart(i, width), tile = row + (<usize>group << 7);
        const count = min(groupEnd, i + 1) - group;
        subtractProducts(tile, row + start, firstRow, size, 128, count, to - from);
      }
    }

    // the update
    for (let group = pivotPanels; group < panels; group += GROUP) {
      const groupEnd = min(group + GROUP, panels);
      const firstRow = rowsBelow + <usize>(group - pivotPanels) * panel + start;
      let row = firstRow;
      for (let i = group; i < panels; i++) {
        const tile = u + triangle(i - pivotPanels) + (<usize>(group - pivotPanels) << 7);
        const count = min(groupEnd, i + 1) - group;
        if (from == 0) storeProducts(tile, row, firstRow, panel, 0, count, to);
        else subtractProducts(tile, row, firstRow, panel, 0, count, to - from);
        row += panel;
      }
    }
  }
  return 0;
}
