/** x = A⁻¹ x for two to four right-hand sides at once, one per lane: the twin of linalg/cholesky-solve.ts. Same operations, same order. */
import {
  BLOCK_SIZE, COLUMNS, FACTOR_START, FIRST_PLACE, L, N, ORDER, ROW_PLACE, ROW_START, ROWS, SUPERNODES, W, Y, columnsOfPanel,
  field, numbers, roundUp4, triangle,
} from "./cholesky-layout.as";
import { int, multiplyAdd, multiplySubtract, zero } from "./lanes.as";

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
