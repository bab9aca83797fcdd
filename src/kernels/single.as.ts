/**
 * Products in single precision: twins of linalg/single.ts, where the formulas are. Addresses in bytes.
 * A point is one register; its fourth number means nothing.
 */
import { int, multiplyAddSingle } from "./lanes.as";

/** Two doubles of a register as singles, in its lower half. */
// @ts-ignore: decorator
@inline function narrow(a: v128): v128 { return f32x4.demote_f64x2_zero(a); }

export function toPoints(to: usize, from: usize, length: i32): void {
  const n = length / 3;
  for (let i = 0; i < n; i++, from += 24, to += 16)
    v128.store(to, v128.shuffle<f32>(narrow(v128.load(from)), narrow(v128.load64_zero(from, 16)), 0, 1, 4, 5));
}

export function fromPoints(to: usize, from: usize, length: i32): void {
  const n = length / 3;
  for (let i = 0; i < n; i++, from += 16, to += 24) {
    v128.store(to, f64x2.promote_low_f32x4(v128.load64_zero(from)));
    store<f64>(to, <f64>load<f32>(from, 8), 16);
  }
}

export function toScaledRows(to: usize, rowsPer: i32, blocks: i32, start: usize, J: usize, w: usize): void {
  let e = int(start, 0);
  if (rowsPer == 3) {
    to += <usize>e * 36;
    J += <usize>e * 72;
    for (let b = 0; b < blocks; b++, w += 24) {
      const r0 = sqrt(load<f64>(w)), r1 = sqrt(load<f64>(w, 8)), r2 = sqrt(load<f64>(w, 16));
      const s0 = f64x2.splat(r0), s1 = f64x2.splat(r1), s2 = f64x2.splat(r2), s01 = f64x2.replace_lane(s0, 1, r1);
      for (const last = int(start, b + 1); e < last; e++, to += 36, J += 72) {
        const a = narrow(f64x2.mul(v128.load(J), s0)), c = narrow(f64x2.mul(v128.load(J, 16), s01));
        v128.store(to, v128.shuffle<f32>(a, c, 0, 1, 4, 5));
        const d = narrow(f64x2.mul(v128.load(J, 32), s1)), f = narrow(f64x2.mul(v128.load(J, 48), s2));
        v128.store(to, v128.shuffle<f32>(d, f, 0, 1, 4, 5), 16);
        store<f32>(to, <f32>(load<f64>(J, 64) * r2), 32);
      }
    }
    return;
  }
  to += <usize>(e * rowsPer) * 12;
  J += <usize>(e * rowsPer) * 24;
  for (let b = 0; b < blocks; b++, w += <usize>rowsPer << 3)
    for (const last = int(start, b + 1); e < last; e++)
      for (let r = 0; r < rowsPer; r++, to += 12, J += 24) {
        const s = sqrt(load<f64>(w + (<usize>r << 3)));
        v128.store64_lane(to, narrow(f64x2.mul(v128.load(J), f64x2.splat(s))), 0);
        store<f32>(to, <f32>(load<f64>(J, 16) * s), 8);
      }
}

/** The point of x whose number stands at `at`. */
// @ts-ignore: decorator
@inline function point(x: usize, at: usize): v128 { return v128.load(x + (<usize>load<i32>(at) << 4)); }

/** x + y + z. */
// @ts-ignore: decorator
@inline function sum3(a: v128): f32 { return f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1) + f32x4.extract_lane(a, 2); }

function rows3(y: usize, blocks: i32, start: usize, index: usize, S: usize, x: usize): void {
  let e = int(start, 0);
  let block = S + <usize>e * 36;
  let first = index + (<usize>e << 2);
  for (let b = 0; b < blocks; b++) {
    const end = index + (<usize>int(start, b + 1) << 2);
    let a = f32x4.splat(0), c = f32x4.splat(0), d = f32x4.splat(0);
    let k = block;
    for (let i = first; i < end; i += 4, k += 36) {
      const at = point(x, i);
      a = multiplyAddSingle(v128.load(k), at, a);
      c = multiplyAddSingle(v128.load(k, 12), at, c);
      d = multiplyAddSingle(v128.load(k, 24), at, d);
    }
    const s0 = f32x4.splat(sum3(a)), s1 = f32x4.splat(sum3(c)), s2 = f32x4.splat(sum3(d));
    k = block;
    for (let i = first; i < end; i += 4, k += 36) {
      const to = y + (<usize>load<i32>(i) << 4);
      const f = multiplyAddSingle(v128.load(k, 24), s2, multiplyAddSingle(v128.load(k, 12), s1, f32x4.mul(v128.load(k), s0)));
      v128.store(to, f32x4.add(v128.load(to), f));
    }
    block = k;
    first = end;
  }
}

function rows2(y: usize, blocks: i32, start: usize, index: usize, S: usize, x: usize): void {
  let e = int(start, 0);
  let block = S + <usize>e * 24;
  let first = index + (<usize>e << 2);
  for (let b = 0; b < blocks; b++) {
    const end = index + (<usize>int(start, b + 1) << 2);
    let a = f32x4.splat(0), c = f32x4.splat(0);
    let k = block;
    for (let i = first; i < end; i += 4, k += 24) {
      const at = point(x, i);
      a = multiplyAddSingle(v128.load(k), at, a);
      c = multiplyAddSingle(v128.load(k, 12), at, c);
    }
    const s0 = f32x4.splat(sum3(a)), s1 = f32x4.splat(sum3(c));
    k = block;
    for (let i = first; i < end; i += 4, k += 24) {
      const to = y + (<usize>load<i32>(i) << 4);
      v128.store(to, f32x4.add(v128.load(to), multiplyAddSingle(v128.load(k, 12), s1, f32x4.mul(v128.load(k), s0))));
    }
    block = k;
    first = end;
  }
}

function rows1(y: usize, blocks: i32, start: usize, index: usize, S: usize, x: usize): void {
  let e = int(start, 0);
  let block = S + <usize>e * 12;
  let first = index + (<usize>e << 2);
  for (let b = 0; b < blocks; b++) {
    const end = index + (<usize>int(start, b + 1) << 2);
    let a = f32x4.splat(0);
    let k = block;
    for (let i = first; i < end; i += 4, k += 12) a = multiplyAddSingle(v128.load(k), point(x, i), a);
    const s = f32x4.splat(sum3(a));
    k = block;
    for (let i = first; i < end; i += 4, k += 12) {
      const to = y + (<usize>load<i32>(i) << 4);
      v128.store(to, f32x4.add(v128.load(to), f32x4.mul(v128.load(k), s)));
    }
    block = k;
    first = end;
  }
}

export function addSingleRows(y: usize, rowsPer: i32, blocks: i32, start: usize, index: usize, S: usize, x: usize): void {
  if (rowsPer == 3) rows3(y, blocks, start, index, S, x);
  else if (rowsPer == 2) rows2(y, blocks, start, index, S, x);
  else rows1(y, blocks, start, index, S, x);
}

/** Bytes of the points whose products are summed in single precision. */
const CHUNK: usize = 4096;

export function dotSingle(x: usize, y: usize, length: i32): f64 {
  let sum: f64 = 0;
  for (const end = x + (<usize>length << 2); x < end; ) {
    let lanes = f32x4.splat(0);
    for (const last = min(end, x + CHUNK); x < last; x += 16, y += 16) lanes = multiplyAddSingle(v128.load(x), v128.load(y), lanes);
    sum += <f64>f32x4.extract_lane(lanes, 0) + <f64>f32x4.extract_lane(lanes, 1) + <f64>f32x4.extract_lane(lanes, 2);
  }
  return sum;
}

export function largestSingle(x: usize, length: i32): f64 {
  let most = f32x4.splat(0);
  for (const end = x + (<usize>length << 2); x < end; x += 16) most = f32x4.pmax(most, f32x4.abs(v128.load(x)));
  return <f64>max(f32x4.extract_lane(most, 0), max(f32x4.extract_lane(most, 1), f32x4.extract_lane(most, 2)));
}

export function stepToRadiusSingle(p: usize, d: usize, radius: f64, length: i32): f64 {
  const R = f32x4.splat(<f32>radius), sign = f32x4.splat(-0.0);
  let t = f32x4.splat(Infinity);
  for (const end = p + (<usize>length << 2); p < end; p += 16, d += 16) {
    const v = v128.load(d), way = f32x4.div(f32x4.sub(R, v128.xor(v128.load(p), v128.and(v, sign))), f32x4.abs(v));
    t = f32x4.pmin(t, v128.bitselect(f32x4.splat(Infinity), way, f32x4.eq(v, f32x4.splat(0))));
  }
  return <f64>min(f32x4.extract_lane(t, 0), min(f32x4.extract_lane(t, 1), f32x4.extract_lane(t, 2)));
}
