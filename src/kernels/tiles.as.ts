/**
 * Arithmetic on 4×4 tiles in SIMD: the twin of linalg/tiles.ts. Same operations, same order.
 *
 * These functions are not inlined, so that their eight sums can stay in registers. Looping over a row of tiles inside them, instead of
 * one call per tile, gained 2 %.
 */
import { multiplyAdd, multiplySubtract, zero } from "./lanes.as";

/**
 * C −= A Bᵀ for `count` tiles beside each other: one panel at a, the others from b on, K columns of each.
 * The first of the others has `panel` bytes, each of the next `growth` more.
 */
export function subtractProducts(
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
export function storeProducts(
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
export function subtractAndSolve(
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
export function factorTile(d: usize): i32 {
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

/** y = G⁻¹ r for the first `used` rows of the tile G at d. */
export function solveForward(y: usize, r: usize, d: usize, used: i32): void {
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
export function solveBackward(y: usize, w: usize, d: usize, used: i32): void {
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
