/** x = A⁻¹ x for one right-hand side in SIMD: the twin of linalg/cholesky-solve.ts. Same operations, same order. */
import {
  BLOCK_SIZE, COLUMNS, FACTOR_START, FIRST_PLACE, L, N, ORDER, ROW_PLACE, ROW_START, ROWS, STREAM, SUPERNODES, W, Y,
  columnsOfPanel, field, numbers, roundUp4, triangle,
} from "./cholesky-layout.as";
import { int, multiplySubtract, zero } from "./lanes.as";
import { panelsTimesVector, subtractPanel, subtractPanelsTransposed } from "./panels.as";
import { solveBackward, solveForward } from "./tiles.as";

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
