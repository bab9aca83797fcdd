/**
 * Vector work of iterative solvers: twins of linalg/vectors.ts and of multiplyScalar3 in
 * linalg/sparse.ts, where the formulas are. All addresses in bytes, all lengths in numbers.
 */
import { int, multiplyAdd, zero } from "./lanes.as";

export function dot(x: usize, y: usize, n: i32): f64 {
  let s0 = zero();
  let s1 = zero();
  let s2 = zero();
  let s3 = zero();
  const whole = x + (<usize>(n & ~7) << 3);
  const end = x + (<usize>n << 3);
  while (x < whole) {
    s0 = multiplyAdd(v128.load(x), v128.load(y), s0);
    s1 = multiplyAdd(v128.load(x, 16), v128.load(y, 16), s1);
    s2 = multiplyAdd(v128.load(x, 32), v128.load(y, 32), s2);
    s3 = multiplyAdd(v128.load(x, 48), v128.load(y, 48), s3);
    x += 64;
    y += 64;
  }
  const s = f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3));
  let sum = f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1);
  for (; x < end; x += 8, y += 8) sum += load<f64>(x) * load<f64>(y);
  return sum;
}

export function axpy(y: usize, a: f64, x: usize, n: i32): void {
  const factor = f64x2.splat(a);
  const whole = x + (<usize>(n & ~1) << 3);
  for (; x < whole; x += 16, y += 16) {
    v128.store(y, multiplyAdd(factor, v128.load(x), v128.load(y)));
  }
  if (n & 1) store<f64>(y, load<f64>(y) + a * load<f64>(x));
}

export function xpby(y: usize, x: usize, b: f64, n: i32): void {
  const factor = f64x2.splat(b);
  const whole = x + (<usize>(n & ~1) << 3);
  for (; x < whole; x += 16, y += 16) {
    v128.store(y, multiplyAdd(factor, v128.load(y), v128.load(x)));
  }
  if (n & 1) store<f64>(y, load<f64>(x) + b * load<f64>(y));
}

export function negate(y: usize, x: usize, n: i32): void {
  const whole = x + (<usize>(n & ~1) << 3);
  for (; x < whole; x += 16, y += 16) v128.store(y, f64x2.neg(v128.load(x)));
  if (n & 1) store<f64>(y, -load<f64>(x));
}

export function add(z: usize, x: usize, y: usize, n: i32): void {
  const whole = x + (<usize>(n & ~1) << 3);
  for (; x < whole; x += 16, y += 16, z += 16) v128.store(z, f64x2.add(v128.load(x), v128.load(y)));
  if (n & 1) store<f64>(z, load<f64>(x) + load<f64>(y));
}

export function largest(x: usize, n: i32): f64 {
  let most = zero();
  const whole = x + (<usize>(n & ~1) << 3);
  for (; x < whole; x += 16) most = f64x2.pmax(most, f64x2.abs(v128.load(x)));
  let a = f64x2.extract_lane(most, 0), b = f64x2.extract_lane(most, 1);
  if (a < b) a = b;
  if (n & 1) {
    b = abs<f64>(load<f64>(x));
    if (a < b) a = b;
  }
  return a;
}

/** y = (A ⊗ I₃) x: x and y of a point in one register, z in half of another. Two sums, for one would wait for itself. */
export function multiplyScalar3(
  y: usize, rows: i32, start: usize, index: usize, values: usize, x: usize,
): void {
  let p = int(start, 0);
  let at = index + (<usize>p << 2);
  let value = values + (<usize>p << 3);
  for (let r = 0; r < rows; r++) {
    const end = index + (<usize>int(start, r + 1) << 2);
    let xy = zero(), z = zero(), oddXy = zero(), oddZ = zero();
    for (; at + 4 < end; at += 8, value += 16) {
      const a = v128.load64_splat(value);
      const point = x + <usize>load<i32>(at) * 24;
      xy = multiplyAdd(a, v128.load(point), xy);
      z = multiplyAdd(a, v128.load64_zero(point, 16), z);
      const b = v128.load64_splat(value, 8);
      const next = x + <usize>load<i32>(at, 4) * 24;
      oddXy = multiplyAdd(b, v128.load(next), oddXy);
      oddZ = multiplyAdd(b, v128.load64_zero(next, 16), oddZ);
    }
    if (at < end) {
      const a = v128.load64_splat(value);
      const point = x + <usize>load<i32>(at) * 24;
      xy = multiplyAdd(a, v128.load(point), xy);
      z = multiplyAdd(a, v128.load64_zero(point, 16), z);
      at += 4;
      value += 8;
    }
    v128.store(y, f64x2.add(xy, oddXy));
    v128.store64_lane(y, f64x2.add(z, oddZ), 0, 16);
    y += 24;
  }
}
