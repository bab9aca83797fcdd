/** Products of panels, four rows of L each, with one vector: the inner loops of cholesky-solve.as.ts. */
import { STREAM, roundUp4 } from "./cholesky-layout.as";
import { multiplyAdd, zero } from "./lanes.as";

/**
 * w = P y over K columns of the panels P, for so many rows. The first panel has `panel` bytes, each of the
 * next `growth` more; pivot panels, which grow, come at most STREAM at once.
 */
export function panelsTimesVector(
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
export function subtractPanelsTransposed(
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

export function subtractPanel(y: usize, p: usize, w: usize, K: i32): void {
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
