/**
 * Sparse Cholesky in SIMD: the twin of linalg/cholesky.ts and linalg/tiles.ts, which say what is
 * computed and why; linalg/symbolic.ts says how L and U are stored. Same operations, same order.
 *
 * Addresses are in bytes: a number is 8, a column of a panel 32, a tile 128. `t` is the table of
 * addresses that linalg/cholesky.ts writes, in this order.
 *
 * Tile arithmetic is in functions of its own, not inlined, so that its eight sums can stay in registers.
 * Looping over a row of tiles inside them, instead of one call per tile, gained 2 %.
 */
import { int, multiplyAdd, multiplySubtract, zero } from "./lanes.as";

// ------------------------------------------------------------------------------- table of addresses

// @ts-ignore: decorator
@inline function field(t: usize, i: i32): usize { return <usize>load<u32>(t + (<usize>i << 2)); }

// @ts-ignore: decorator
@inline const N = 0, BLOCK_SIZE = 1, SUPERNODES = 2, L = 3, U = 4, Y = 5, W = 6, ORDER = 7,
  FIRST_PLACE = 8, COLUMNS = 9, ROWS = 10, ROW_START = 11, ROW_PLACE = 12, ROW_IN_PARENT = 13,
  PIVOTS_OF_PARENT = 14, CHILD_START = 15, CHILD = 16, FACTOR_START = 17, UPDATE_START = 18,
  ENTRY_START = 19, ENTRY_BLOCK = 20, ENTRY_ROW = 21, ENTRY_COLUMN = 22;

/** As in linalg/cholesky.ts. */
// @ts-ignore: decorator
@inline const BLOCK = 64, GROUP = 8, STREAM = 4;

// @ts-ignore: decorator
@inline function roundUp4(x: i32): i32 { return (x + 3) & ~3; }

/** Bytes in the first t rows of tiles of an update, and in the first t pivot panels. */
// @ts-ignore: decorator
@inline function triangle(t: i32): usize { return <usize>(t * (t + 1)) << 6; }

/**
 * Where panel i of a supernode starts, in bytes. Both answers are computed and one is selected: which it is
 * cannot be foreseen, and a mispredicted branch costs more than a product.
 */
// @ts-ignore: decorator
@inline function panelStart(i: i32, width: i32): usize {
  const pivotPanels = width >> 2;
  const below = triangle(pivotPanels) + <usize>(i - pivotPanels) * columnsOfPanel(width);
  return select<usize>(triangle(i), below, i <= pivotPanels);
}

// @ts-ignore: decorator
@inline function numbers(count: i32): usize { return <usize>count << 3; }

// @ts-ignore: decorator
@inline function columnsOfPanel(count: i32): usize { return <usize>count << 5; }

// -------------------------------------------------------------------------------------------- tiles

/**
 * C −= A Bᵀ for `count` tiles beside each other: one panel at a, the others from b on, K columns of each.
 * The first of the others has `panel` bytes, each of the next `growth` more.
 */
function subtractProducts(
  c: usize, a: usize, b: usize, panel: usize, growth: usize, count: i32, K: i32,
): void {
  for (; count > 0; count--) {
    let s00 = zero(), s20 = zero(), s01 = zero(), s21 = zero();
    let s02 = zero(), s22 = zero(), s03 = zero(), s23 = zero();
    let p = a, q = b;
    for (let k = K; k > 0; k--) {
      const a0 = v128.load(p), a2 = v128.load(p, 16);
      let bk = v128.load64_splat(q);
      s00 = multiplyAdd(a0, bk, s00);
      s20 = multiplyAdd(a2, bk, s20);
      bk = v128.load64_splat(q, 8);
      s01 = multiplyAdd(a0, bk, s01);
      s21 = multiplyAdd(a2, bk, s21);
      bk = v128.load64_splat(q, 16);
      s02 = multiplyAdd(a0, bk, s02);
      s22 = multiplyAdd(a2, bk, s22);
      bk = v128.load64_splat(q, 24);
      s03 = multiplyAdd(a0, bk, s03);
      s23 = multiplyAdd(a2, bk, s23);
      p += 32;
      q += 32;
    }
    v128.store(c, f64x2.sub(v128.load(c), s00));
    v128.store(c, f64x2.sub(v128.load(c, 16), s20), 16);
    v128.store(c, f64x2.sub(v128.load(c, 32), s01), 32);
    v128.store(c, f64x2.sub(v128.load(c, 48), s21), 48);
    v128.store(c, f64x2.sub(v128.load(c, 64), s02), 64);
    v128.store(c, f64x2.sub(v128.load(c, 80), s22), 80);
    v128.store(c, f64x2.sub(v128.load(c, 96), s03), 96);
    v128.store(c, f64x2.sub(v128.load(c, 112), s23), 112);
    c += 128;
    b += panel;
    panel += growth;
  }
}

/** The same where nothing is there yet: C = 0 − A Bᵀ. */
function storeProducts(
  c: usize, a: usize, b: usize, panel: usize, growth: usize, count: i32, K: i32,
): void {
  for (; count > 0; count--) {
    let s00 = zero(), s20 = zero(), s01 = zero(), s21 = zero();
    let s02 = zero(), s22 = zero(), s03 = zero(), s23 = zero();
    let p = a, q = b;
    for (let k = K; k > 0; k--) {
      const a0 = v128.load(p), a2 = v128.load(p, 16);
      let bk = v128.load64_splat(q);
      s00 = multiplyAdd(a0, bk, s00);
      s20 = multiplyAdd(a2, bk, s20);
      bk = v128.load64_splat(q, 8);
      s01 = multiplyAdd(a0, bk, s01);
      s21 = multiplyAdd(a2, bk, s21);
      bk = v128.load64_splat(q, 16);
      s02 = multiplyAdd(a0, bk, s02);
      s22 = multiplyAdd(a2, bk, s22);
      bk = v128.load64_splat(q, 24);
      s03 = multiplyAdd(a0, bk, s03);
      s23 = multiplyAdd(a2, bk, s23);
      p += 32;
      q += 32;
    }
    v128.store(c, f64x2.sub(zero(), s00));
    v128.store(c, f64x2.sub(zero(), s20), 16);
    v128.store(c, f64x2.sub(zero(), s01), 32);
    v128.store(c, f64x2.sub(zero(), s21), 48);
    v128.store(c, f64x2.sub(zero(), s02), 64);
    v128.store(c, f64x2.sub(zero(), s22), 80);
    v128.store(c, f64x2.sub(zero(), s03), 96);
    v128.store(c, f64x2.sub(zero(), s23), 112);
    c += 128;
    b += panel;
    panel += growth;
  }
}

/**
 * C = (C − A Bᵀ) G⁻ᵀ for `count` tiles below each other, with the factored tile G at d and its panel at b;
 * `column` is where C is in its panel, whose K columns from a on are A.
 */
function subtractAndSolve(
  a: usize, b: usize, panel: usize, growth: usize, count: i32, K: i32, d: usize, column: usize,
): void {
  for (; count > 0; count--) {
    const c = a + column;
    let s00 = zero(), s20 = zero(), s01 = zero(), s21 = zero();
    let s02 = zero(), s22 = zero(), s03 = zero(), s23 = zero();
    let p = a, q = b;
    for (let k = K; k > 0; k--) {
      const a0 = v128.load(p), a2 = v128.load(p, 16);
      let bk = v128.load64_splat(q);
      s00 = multiplyAdd(a0, bk, s00);
      s20 = multiplyAdd(a2, bk, s20);
      bk = v128.load64_splat(q, 8);
      s01 = multiplyAdd(a0, bk, s01);
      s21 = multiplyAdd(a2, bk, s21);
      bk = v128.load64_splat(q, 16);
      s02 = multiplyAdd(a0, bk, s02);
      s22 = multiplyAdd(a2, bk, s22);
      bk = v128.load64_splat(q, 24);
      s03 = multiplyAdd(a0, bk, s03);
      s23 = multiplyAdd(a2, bk, s23);
      p += 32;
      q += 32;
    }
    // column 0: x₀ = c₀ / g₀₀
    let g = v128.load64_splat(d);
    const x00 = f64x2.mul(f64x2.sub(v128.load(c), s00), g);
    const x20 = f64x2.mul(f64x2.sub(v128.load(c, 16), s20), g);
    v128.store(c, x00);
    v128.store(c, x20, 16);
    // column 1: x₁ = (c₁ − x₀ g₁₀) / g₁₁
    g = v128.load64_splat(d, 8);
    let x01 = multiplySubtract(x00, g, f64x2.sub(v128.load(c, 32), s01));
    let x21 = multiplySubtract(x20, g, f64x2.sub(v128.load(c, 48), s21));
    g = v128.load64_splat(d, 40);
    x01 = f64x2.mul(x01, g);
    x21 = f64x2.mul(x21, g);
    v128.store(c, x01, 32);
    v128.store(c, x21, 48);
    // column 2
    g = v128.load64_splat(d, 16);
    let x02 = multiplySubtract(x00, g, f64x2.sub(v128.load(c, 64), s02));
    let x22 = multiplySubtract(x20, g, f64x2.sub(v128.load(c, 80), s22));
    g = v128.load64_splat(d, 48);
    x02 = multiplySubtract(x01, g, x02);
    x22 = multiplySubtract(x21, g, x22);
    g = v128.load64_splat(d, 80);
    x02 = f64x2.mul(x02, g);
    x22 = f64x2.mul(x22, g);
    v128.store(c, x02, 64);
    v128.store(c, x22, 80);
    // column 3
    g = v128.load64_splat(d, 24);
    let x03 = multiplySubtract(x00, g, f64x2.sub(v128.load(c, 96), s03));
    let x23 = multiplySubtract(x20, g, f64x2.sub(v128.load(c, 112), s23));
    g = v128.load64_splat(d, 56);
    x03 = multiplySubtract(x01, g, x03);
    x23 = multiplySubtract(x21, g, x23);
    g = v128.load64_splat(d, 88);
    x03 = multiplySubtract(x02, g, x03);
    x23 = multiplySubtract(x22, g, x23);
    g = v128.load64_splat(d, 120);
    v128.store(c, f64x2.mul(x03, g), 96);
    v128.store(c, f64x2.mul(x23, g), 112);
    a += panel;
    panel += growth;
  }
}

/** D = G Gᵀ in place, inverse diagonal. Returns 0 or 1 + the row whose pivot is not positive. */
function factorTile(d: usize): i32 {
  const p0 = load<f64>(d);
  if (!(p0 > 0)) return 1;
  const g00 = 1 / sqrt(p0);
  const g10 = load<f64>(d, 8) * g00, g20 = load<f64>(d, 16) * g00, g30 = load<f64>(d, 24) * g00;
  const p1 = load<f64>(d, 40) - g10 * g10;
  if (!(p1 > 0)) return 2;
  const g11 = 1 / sqrt(p1);
  const g21 = (load<f64>(d, 48) - g20 * g10) * g11, g31 = (load<f64>(d, 56) - g30 * g10) * g11;
  const p2 = load<f64>(d, 80) - g20 * g20 - g21 * g21;
  if (!(p2 > 0)) return 3;
  const g22 = 1 / sqrt(p2);
  const g32 = (load<f64>(d, 88) - g30 * g20 - g31 * g21) * g22;
  const p3 = load<f64>(d, 120) - g30 * g30 - g31 * g31 - g32 * g32;
  if (!(p3 > 0)) return 4;
  store<f64>(d, g00);
  store<f64>(d, g10, 8);
  store<f64>(d, g20, 16);
  store<f64>(d, g30, 24);
  store<f64>(d, g11, 40);
  store<f64>(d, g21, 48);
  store<f64>(d, g31, 56);
  store<f64>(d, g22, 80);
  store<f64>(d, g32, 88);
  store<f64>(d, 1 / sqrt(p3), 120);
  return 0;
}

// ------------------------------------------------------------------------------------------- factor

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

// -------------------------------------------------------------------------------------------- solve

/** x = A⁻¹ x, one right-hand side [block·n]. */
export function solveOne(t: usize, x: usize): void {
  const n = int(t, N), block = int(t, BLOCK_SIZE), order = field(t, ORDER);
  let y = field(t, Y);
  for (let k = 0; k < n; k++) {
    const from = x + numbers(block * int(order, k));
    for (let a = 0; a < block; a++, y += 8) store<f64>(y, load<f64>(from + numbers(a)));
  }
  substituteOne(t);
  y = field(t, Y);
  for (let k = 0; k < n; k++) {
    const to = x + numbers(block * int(order, k));
    for (let a = 0; a < block; a++, y += 8) store<f64>(to + numbers(a), load<f64>(y));
  }
}

/** x = A⁻¹ x, two to four right-hand sides [lanes][block·n]; a missing lane repeats the last one. */
export function solveFour(t: usize, x: usize, lanes: i32): void {
  const n = int(t, N), block = int(t, BLOCK_SIZE), order = field(t, ORDER);
  for (let lane = 0; lane < 4; lane++) {
    const rhs = x + numbers(block * n) * <usize>min(lane, lanes - 1);
    let y = field(t, Y) + numbers(lane);
    for (let k = 0; k < n; k++) {
      const from = rhs + numbers(block * int(order, k));
      for (let a = 0; a < block; a++, y += 32) store<f64>(y, load<f64>(from + numbers(a)));
    }
  }
  substituteFour(t);
  for (let lane = 0; lane < lanes; lane++) {
    const rhs = x + numbers(block * n) * <usize>lane;
    let y = field(t, Y) + numbers(lane);
    for (let k = 0; k < n; k++) {
      const to = rhs + numbers(block * int(order, k));
      for (let a = 0; a < block; a++, y += 32) store<f64>(to + numbers(a), load<f64>(y));
    }
  }
}

/** x = (A⁻¹ ⊗ I₃) x [3n] for a scalar factor. */
export function solveXyz(t: usize, x: usize): void {
  const n = int(t, N), order = field(t, ORDER);
  let y = field(t, Y);
  for (let k = 0; k < n; k++, y += 32) {
    const from = x + <usize>int(order, k) * 24;
    v128.store(y, v128.load(from));
    v128.store(y, v128.load64_zero(from, 16), 16);
  }
  substituteFour(t);
  y = field(t, Y);
  for (let k = 0; k < n; k++, y += 32) {
    const to = x + <usize>int(order, k) * 24;
    v128.store(to, v128.load(y));
    store<f64>(to, load<f64>(y, 16), 16);
  }
}

function substituteOne(t: usize): void {
  const block = int(t, BLOCK_SIZE), supernodes = int(t, SUPERNODES), w = field(t, W);

  for (let s = 0; s < supernodes; s++) {
    const columns = int(field(t, COLUMNS), s), rows = int(field(t, ROWS), s);
    const width = roundUp4(columns), panel = columnsOfPanel(width);
    const l = field(t, L) + numbers(int(field(t, FACTOR_START), s));
    const y = field(t, Y) + numbers(block * int(field(t, FIRST_PLACE), s));
    for (let from = 0; from < columns; from += 4 * STREAM) {
      const to = min(from + 4 * STREAM, columns);
      const row = l + triangle(from >> 2);
      let size = <usize>((from >> 2) + 1) << 7;
      panelsTimesVector(w, row, size, 128, to - from, y, from);
      // w = y − P y, then column by column of the group, tile by tile
      let wk = w, yk = y + numbers(from), tile = row + columnsOfPanel(from);
      const wEnd = w + numbers(roundUp4(to - from));
      for (let wr = w, yr = yk; wr < wEnd; wr += 16, yr += 16) {
        v128.store(wr, f64x2.sub(v128.load(yr), v128.load(wr)));
      }
      for (let k = from; k < to; k += 4) {
        solveForward(yk, wk, tile, min(4, to - k));
        const y0 = v128.load64_splat(yk), y1 = v128.load64_splat(yk, 8);
        const y2 = v128.load64_splat(yk, 16), y3 = v128.load64_splat(yk, 24);
        let p = tile, step = size;
        for (let wr = wk + 32; wr < wEnd; wr += 32) {
          p += step;
          step += 128;
          let r0 = v128.load(wr), r2 = v128.load(wr, 16);
          r0 = multiplySubtract(v128.load(p), y0, r0);
          r2 = multiplySubtract(v128.load(p, 16), y0, r2);
          r0 = multiplySubtract(v128.load(p, 32), y1, r0);
          r2 = multiplySubtract(v128.load(p, 48), y1, r2);
          r0 = multiplySubtract(v128.load(p, 64), y2, r0);
          r2 = multiplySubtract(v128.load(p, 80), y2, r2);
          r0 = multiplySubtract(v128.load(p, 96), y3, r0);
          r2 = multiplySubtract(v128.load(p, 112), y3, r2);
          v128.store(wr, r0);
          v128.store(wr, r2, 16);
        }
        tile += size + 128;
        size += 128;
        wk += 32;
        yk += 32;
      }
    }
    panelsTimesVector(w, l + triangle(width >> 2), panel, 0, rows, y, columns);
    scatterBelow(t, s);
  }

  for (let s = supernodes - 1; s >= 0; s--) {
    const columns = int(field(t, COLUMNS), s), rows = int(field(t, ROWS), s);
    const width = roundUp4(columns), panel = columnsOfPanel(width);
    const l = field(t, L) + numbers(int(field(t, FACTOR_START), s));
    const y = field(t, Y) + numbers(block * int(field(t, FIRST_PLACE), s));
    gatherBelow(t, s);
    subtractPanelsTransposed(y, l + triangle(width >> 2), panel, 0, rows, w, columns);
    for (let from = (columns - 1) / (4 * STREAM) * (4 * STREAM); from >= 0; from -= 4 * STREAM) {
      const to = min(from + 4 * STREAM, columns), start = columnsOfPanel(from);
      for (let k = (to - 1) & ~3; k >= from; k -= 4) {
        const pivotRow = l + triangle(k >> 2), wk = w + numbers(k - from);
        solveBackward(y + numbers(k), wk, pivotRow + columnsOfPanel(k), min(4, to - k));
        subtractPanel(y + numbers(from), pivotRow + start, wk, k - from);
      }
      const size = <usize>((from >> 2) + 1) << 7;
      subtractPanelsTransposed(y, l + triangle(from >> 2), size, 128, to - from, w, from);
    }
  }
}

/** y = G⁻¹ r for the first `used` rows of the tile G at d. */
function solveForward(y: usize, r: usize, d: usize, used: i32): void {
  const y0 = load<f64>(r) * load<f64>(d);
  store<f64>(y, y0);
  if (used == 1) return;
  const y1 = (load<f64>(r, 8) - load<f64>(d, 8) * y0) * load<f64>(d, 40);
  store<f64>(y, y1, 8);
  if (used == 2) return;
  const y2 = (load<f64>(r, 16) - load<f64>(d, 16) * y0 - load<f64>(d, 48) * y1) * load<f64>(d, 80);
  store<f64>(y, y2, 16);
  if (used == 3) return;
  const r3 = load<f64>(r, 24) - load<f64>(d, 24) * y0 - load<f64>(d, 56) * y1 - load<f64>(d, 88) * y2;
  store<f64>(y, r3 * load<f64>(d, 120), 24);
}

/** w = y = G⁻ᵀ y for the first `used` rows of the tile G at d; zeros in the rest of w. */
function solveBackward(y: usize, w: usize, d: usize, used: i32): void {
  let y3 = 0.0, y2 = 0.0, y1 = 0.0;
  if (used > 3) {
    y3 = load<f64>(y, 24) * load<f64>(d, 120);
    store<f64>(y, y3, 24);
  }
  if (used > 2) {
    y2 = load<f64>(y, 16);
    if (used > 3) y2 -= load<f64>(d, 88) * y3;
    y2 *= load<f64>(d, 80);
    store<f64>(y, y2, 16);
  }
  if (used > 1) {
    y1 = load<f64>(y, 8);
    if (used > 2) y1 -= load<f64>(d, 48) * y2;
    if (used > 3) y1 -= load<f64>(d, 56) * y3;
    y1 *= load<f64>(d, 40);
    store<f64>(y, y1, 8);
  }
  let y0 = load<f64>(y);
  if (used > 1) y0 -= load<f64>(d, 8) * y1;
  if (used > 2) y0 -= load<f64>(d, 16) * y2;
  if (used > 3) y0 -= load<f64>(d, 24) * y3;
  y0 *= load<f64>(d);
  store<f64>(y, y0);
  store<f64>(w, y0);
  store<f64>(w, y1, 8);
  store<f64>(w, y2, 16);
  store<f64>(w, y3, 24);
}

/**
 * w = P y over K columns of the panels P, for so many rows. The first panel has `panel` bytes, each of the
 * next `growth` more; pivot panels, which grow, come at most STREAM at once.
 */
function panelsTimesVector(
  w: usize, p: usize, panel: usize, growth: usize, rows: i32, y: usize, K: i32,
): void {
  let left = roundUp4(rows) >> 2;
  for (; left >= STREAM; left -= STREAM) {
    fourPanelsTimesVector(w, p, panel, growth, y, K);
    p += panel * STREAM;
    w += 32 * STREAM;
  }
  if (left >= 2) {
    twoPanelsTimesVector(w, p, panel, y, K);
    p += panel * 2 + growth;
    w += 64;
    left -= 2;
  }
  if (left) panelTimesVector(w, p, y, K);
}

function fourPanelsTimesVector(w: usize, p: usize, panel: usize, growth: usize, y: usize, K: i32): void {
  let s0 = zero(), s2 = zero(), s4 = zero(), s6 = zero();
  let s8 = zero(), s10 = zero(), s12 = zero(), s14 = zero();
  let q = p + panel, r = q + panel + growth, s = r + panel + 2 * growth;
  for (; K > 0; K--) {
    const yk = v128.load64_splat(y);
    s0 = multiplyAdd(v128.load(p), yk, s0);
    s2 = multiplyAdd(v128.load(p, 16), yk, s2);
    s4 = multiplyAdd(v128.load(q), yk, s4);
    s6 = multiplyAdd(v128.load(q, 16), yk, s6);
    s8 = multiplyAdd(v128.load(r), yk, s8);
    s10 = multiplyAdd(v128.load(r, 16), yk, s10);
    s12 = multiplyAdd(v128.load(s), yk, s12);
    s14 = multiplyAdd(v128.load(s, 16), yk, s14);
    p += 32;
    q += 32;
    r += 32;
    s += 32;
    y += 8;
  }
  v128.store(w, s0);
  v128.store(w, s2, 16);
  v128.store(w, s4, 32);
  v128.store(w, s6, 48);
  v128.store(w, s8, 64);
  v128.store(w, s10, 80);
  v128.store(w, s12, 96);
  v128.store(w, s14, 112);
}

function twoPanelsTimesVector(w: usize, p: usize, panel: usize, y: usize, K: i32): void {
  let s0 = zero(), s2 = zero(), s4 = zero(), s6 = zero();
  let q = p + panel;
  for (; K > 0; K--) {
    const yk = v128.load64_splat(y);
    s0 = multiplyAdd(v128.load(p), yk, s0);
    s2 = multiplyAdd(v128.load(p, 16), yk, s2);
    s4 = multiplyAdd(v128.load(q), yk, s4);
    s6 = multiplyAdd(v128.load(q, 16), yk, s6);
    p += 32;
    q += 32;
    y += 8;
  }
  v128.store(w, s0);
  v128.store(w, s2, 16);
  v128.store(w, s4, 32);
  v128.store(w, s6, 48);
}

function panelTimesVector(w: usize, p: usize, y: usize, K: i32): void {
  let s0 = zero(), s2 = zero();
  for (; K > 0; K--) {
    const yk = v128.load64_splat(y);
    s0 = multiplyAdd(v128.load(p), yk, s0);
    s2 = multiplyAdd(v128.load(p, 16), yk, s2);
    p += 32;
    y += 8;
  }
  v128.store(w, s0);
  v128.store(w, s2, 16);
}

/** y −= Pᵀ w over K columns of the panels P of so many rows: STREAM panels at a time, then one. */
function subtractPanelsTransposed(
  y: usize, p: usize, panel: usize, growth: usize, rows: i32, w: usize, K: i32,
): void {
  let left = roundUp4(rows) >> 2;
  for (; left >= STREAM; left -= STREAM) {
    subtractFourPanels(y, p, panel, growth, w, K);
    p += panel * STREAM;
    w += 32 * STREAM;
  }
  for (; left > 0; left--) {
    subtractPanel(y, p, w, K);
    p += panel;
    panel += growth;
    w += 32;
  }
}

/** Pᵀ w of one column of four panels, rows of even and odd number apart. */
// @ts-ignore: decorator
@inline
function columnOfFour(
  p: usize, q: usize, r: usize, s: usize, w0: v128, w2: v128, w4: v128, w6: v128,
  w8: v128, w10: v128, w12: v128, w14: v128,
): v128 {
  let sum = f64x2.mul(v128.load(p), w0);
  sum = multiplyAdd(v128.load(p, 16), w2, sum);
  sum = multiplyAdd(v128.load(q), w4, sum);
  sum = multiplyAdd(v128.load(q, 16), w6, sum);
  sum = multiplyAdd(v128.load(r), w8, sum);
  sum = multiplyAdd(v128.load(r, 16), w10, sum);
  sum = multiplyAdd(v128.load(s), w12, sum);
  return multiplyAdd(v128.load(s, 16), w14, sum);
}

function subtractFourPanels(y: usize, p: usize, panel: usize, growth: usize, w: usize, K: i32): void {
  const w0 = v128.load(w), w2 = v128.load(w, 16), w4 = v128.load(w, 32), w6 = v128.load(w, 48);
  const w8 = v128.load(w, 64), w10 = v128.load(w, 80), w12 = v128.load(w, 96), w14 = v128.load(w, 112);
  let q = p + panel, r = q + panel + growth, s = r + panel + 2 * growth;
  for (; K > 0; K--) {
    const sum = columnOfFour(p, q, r, s, w0, w2, w4, w6, w8, w10, w12, w14);
    store<f64>(y, load<f64>(y) - (f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)));
    p += 32;
    q += 32;
    r += 32;
    s += 32;
    y += 8;
  }
}

function subtractPanel(y: usize, p: usize, w: usize, K: i32): void {
  const w0 = v128.load(w), w2 = v128.load(w, 16);
  for (let k = K >> 1; k > 0; k--) {
    const even = multiplyAdd(v128.load(p, 16), w2, f64x2.mul(v128.load(p), w0));
    const odd = multiplyAdd(v128.load(p, 48), w2, f64x2.mul(v128.load(p, 32), w0));
    const first = v128.shuffle<f64>(even, odd, 0, 2), second = v128.shuffle<f64>(even, odd, 1, 3);
    v128.store(y, f64x2.sub(v128.load(y), f64x2.add(first, second)));
    p += 64;
    y += 16;
  }
  if (K & 1) {
    const even = multiplyAdd(v128.load(p, 16), w2, f64x2.mul(v128.load(p), w0));
    const sum = f64x2.extract_lane(even, 0) + f64x2.extract_lane(even, 1);
    store<f64>(y, load<f64>(y) - sum);
  }
}

/** y at the rows below s −= w. */
function scatterBelow(t: usize, s: i32): void {
  const block = int(t, BLOCK_SIZE), y = field(t, Y), places = field(t, ROW_PLACE);
  const end = places + (<usize>int(field(t, ROW_START), s + 1) << 2);
  let q = places + (<usize>int(field(t, ROW_START), s) << 2), w = field(t, W);
  if (block == 1) {
    for (; q < end; q += 4, w += 8) {
      const to = y + numbers(load<i32>(q));
      store<f64>(to, load<f64>(to) - load<f64>(w));
    }
  } else if (block == 2) {
    for (; q < end; q += 4, w += 16) {
      const to = y + numbers(2 * load<i32>(q));
      v128.store(to, f64x2.sub(v128.load(to), v128.load(w)));
    }
  } else {
    for (; q < end; q += 4, w += 24) {
      const to = y + numbers(3 * load<i32>(q));
      v128.store(to, f64x2.sub(v128.load(to), v128.load(w)));
      store<f64>(to, load<f64>(to, 16) - load<f64>(w, 16), 16);
    }
  }
}

/** w = y at the rows below s, and zeros up to a whole tile. */
function gatherBelow(t: usize, s: i32): void {
  const block = int(t, BLOCK_SIZE), y = field(t, Y), places = field(t, ROW_PLACE);
  const end = places + (<usize>int(field(t, ROW_START), s + 1) << 2);
  let q = places + (<usize>int(field(t, ROW_START), s) << 2), w = field(t, W);
  if (block == 1) {
    for (; q < end; q += 4, w += 8) store<f64>(w, load<f64>(y + numbers(load<i32>(q))));
  } else if (block == 2) {
    for (; q < end; q += 4, w += 16) v128.store(w, v128.load(y + numbers(2 * load<i32>(q))));
  } else {
    for (; q < end; q += 4, w += 24) {
      const from = y + numbers(3 * load<i32>(q));
      v128.store(w, v128.load(from));
      store<f64>(w, load<f64>(from, 16), 16);
    }
  }
  v128.store(w, zero());
  v128.store(w, zero(), 16);
}

function substituteFour(t: usize): void {
  const block = int(t, BLOCK_SIZE), supernodes = int(t, SUPERNODES), w = field(t, W);

  for (let s = 0; s < supernodes; s++) {
    const columns = int(field(t, COLUMNS), s), rows = int(field(t, ROWS), s);
    const width = roundUp4(columns), panel = columnsOfPanel(width);
    const l = field(t, L) + numbers(int(field(t, FACTOR_START), s));
    const y = field(t, Y) + columnsOfPanel(block * int(field(t, FIRST_PLACE), s));
    for (let k = 0; k < columns; k += 4) {
      const row = l + triangle(k >> 2), tile = row + columnsOfPanel(k);
      const yk = y + columnsOfPanel(k);
      panelTimesFour(w, row, y, k);
      const used = min(4, columns - k);
      for (let i = 0; i < used; i++) {
        const at = yk + columnsOfPanel(i), wi = w + columnsOfPanel(i);
        let r0 = f64x2.sub(v128.load(at), v128.load(wi));
        let r2 = f64x2.sub(v128.load(at, 16), v128.load(wi, 16));
        for (let j = 0; j < i; j++) {
          const g = v128.load64_splat(tile + numbers(4 * j + i)), yj = yk + columnsOfPanel(j);
          r0 = multiplySubtract(g, v128.load(yj), r0);
          r2 = multiplySubtract(g, v128.load(yj, 16), r2);
        }
        const inverse = v128.load64_splat(tile + numbers(5 * i));
        v128.store(at, f64x2.mul(r0, inverse));
        v128.store(at, f64x2.mul(r2, inverse), 16);
      }
    }
    let row = l + triangle(width >> 2), wr = w;
    for (let r = 0; r < rows; r += 4) {
      panelTimesFour(wr, row, y, columns);
      row += panel;
      wr += 128;
    }
    scatterFour(t, s);
  }

  for (let s = supernodes - 1; s >= 0; s--) {
    const columns = int(field(t, COLUMNS), s), rows = int(field(t, ROWS), s);
    const width = roundUp4(columns), panel = columnsOfPanel(width);
    const l = field(t, L) + numbers(int(field(t, FACTOR_START), s));
    const y = field(t, Y) + columnsOfPanel(block * int(field(t, FIRST_PLACE), s));
    gatherFour(t, s);
    let row = l + triangle(width >> 2), wr = w;
    for (let r = 0; r < rows; r += 4) {
      subtractPanelFour(y, row, wr, columns);
      row += panel;
      wr += 128;
    }
    for (let k = width - 4; k >= 0; k -= 4) {
      const pivotRow = l + triangle(k >> 2), tile = pivotRow + columnsOfPanel(k);
      const yk = y + columnsOfPanel(k);
      const used = min(4, columns - k);
      memory.fill(w, 0, 128);
      for (let i = used - 1; i >= 0; i--) {
        const at = yk + columnsOfPanel(i), wi = w + columnsOfPanel(i);
        let r0 = v128.load(at), r2 = v128.load(at, 16);
        for (let j = i + 1; j < used; j++) {
          const g = v128.load64_splat(tile + numbers(4 * i + j)), wj = w + columnsOfPanel(j);
          r0 = multiplySubtract(g, v128.load(wj), r0);
          r2 = multiplySubtract(g, v128.load(wj, 16), r2);
        }
        const inverse = v128.load64_splat(tile + numbers(5 * i));
        r0 = f64x2.mul(r0, inverse);
        r2 = f64x2.mul(r2, inverse);
        v128.store(wi, r0);
        v128.store(wi, r2, 16);
        v128.store(at, r0);
        v128.store(at, r2, 16);
      }
      subtractPanelFour(y, pivotRow, w, k);
    }
  }
}

/** w = P y, four rows of four right-hand sides, over K columns. */
function panelTimesFour(w: usize, p: usize, y: usize, K: i32): void {
  let s00 = zero(), s02 = zero(), s10 = zero(), s12 = zero();
  let s20 = zero(), s22 = zero(), s30 = zero(), s32 = zero();
  for (; K > 0; K--) {
    const y0 = v128.load(y), y2 = v128.load(y, 16);
    let a = v128.load64_splat(p);
    s00 = multiplyAdd(a, y0, s00);
    s02 = multiplyAdd(a, y2, s02);
    a = v128.load64_splat(p, 8);
    s10 = multiplyAdd(a, y0, s10);
    s12 = multiplyAdd(a, y2, s12);
    a = v128.load64_splat(p, 16);
    s20 = multiplyAdd(a, y0, s20);
    s22 = multiplyAdd(a, y2, s22);
    a = v128.load64_splat(p, 24);
    s30 = multiplyAdd(a, y0, s30);
    s32 = multiplyAdd(a, y2, s32);
    p += 32;
    y += 32;
  }
  v128.store(w, s00);
  v128.store(w, s02, 16);
  v128.store(w, s10, 32);
  v128.store(w, s12, 48);
  v128.store(w, s20, 64);
  v128.store(w, s22, 80);
  v128.store(w, s30, 96);
  v128.store(w, s32, 112);
}

/** y −= Pᵀ w for four right-hand sides, over K columns. */
function subtractPanelFour(y: usize, p: usize, w: usize, K: i32): void {
  const w00 = v128.load(w), w02 = v128.load(w, 16), w10 = v128.load(w, 32), w12 = v128.load(w, 48);
  const w20 = v128.load(w, 64), w22 = v128.load(w, 80), w30 = v128.load(w, 96), w32 = v128.load(w, 112);
  for (; K > 0; K--) {
    let a = v128.load64_splat(p);
    let s0 = f64x2.mul(a, w00), s2 = f64x2.mul(a, w02);
    a = v128.load64_splat(p, 8);
    s0 = multiplyAdd(a, w10, s0);
    s2 = multiplyAdd(a, w12, s2);
    a = v128.load64_splat(p, 16);
    s0 = multiplyAdd(a, w20, s0);
    s2 = multiplyAdd(a, w22, s2);
    a = v128.load64_splat(p, 24);
    s0 = multiplyAdd(a, w30, s0);
    s2 = multiplyAdd(a, w32, s2);
    v128.store(y, f64x2.sub(v128.load(y), s0));
    v128.store(y, f64x2.sub(v128.load(y, 16), s2), 16);
    p += 32;
    y += 32;
  }
}

function scatterFour(t: usize, s: i32): void {
  const block = int(t, BLOCK_SIZE), y = field(t, Y), places = field(t, ROW_PLACE);
  const end = int(field(t, ROW_START), s + 1);
  let w = field(t, W);
  for (let q = int(field(t, ROW_START), s); q < end; q++) {
    let to = y + columnsOfPanel(block * int(places, q));
    for (let a = 0; a < block; a++) {
      v128.store(to, f64x2.sub(v128.load(to), v128.load(w)));
      v128.store(to, f64x2.sub(v128.load(to, 16), v128.load(w, 16)), 16);
      to += 32;
      w += 32;
    }
  }
}

function gatherFour(t: usize, s: i32): void {
  const block = int(t, BLOCK_SIZE), y = field(t, Y), places = field(t, ROW_PLACE);
  const end = int(field(t, ROW_START), s + 1), rows = int(field(t, ROWS), s);
  let w = field(t, W);
  for (let q = int(field(t, ROW_START), s); q < end; q++) {
    let from = y + columnsOfPanel(block * int(places, q));
    for (let a = 0; a < block; a++) {
      v128.store(w, v128.load(from));
      v128.store(w, v128.load(from, 16), 16);
      from += 32;
      w += 32;
    }
  }
  memory.fill(w, 0, columnsOfPanel(roundUp4(rows) - rows));
}
