/**
 * The inner solve of sheets with frames in single precision, by one thread or by several: the twin of step/single-loops.ts, where the formulas are. Sums are
 * gathered by who receives them, chunk by chunk of samples, so that the bits do not depend on who does which part.
 *
 * `T` is the address of the table of single-solve.ts. Addresses in bytes; a point is one register.
 */
import { solveOne } from "./cholesky-solve.as";
import { barrier, nextShare, share, startShares } from "./threads.as";
import { int, multiplyAddSingle } from "./lanes.as";

/** Places in the table. */
const SAMPLES = 0, EDGES = 1, COARSE = 2, HAS_COARSE = 3, CONTROL = 4, SUMS = 5;
const D = 6, AD = 7, P = 8, R = 9, Z = 10, FIXED = 11;
const NEAR_START = 12, NEAR = 13, A = 14, ROW_START = 15, VALUES = 16, INVERSE = 17, BLOCKS = 18;
const NODE_ROWS = 19, ENDS = 20, C32 = 21, M32 = 22, W32 = 23, PULL = 24, U32 = 25, SIDE = 26;
const AROUND_FIRST = 27, AROUND = 28, FIRST = 29, INCIDENT = 30;
const TO_START = 31, TO_INDEX = 32, TO_WEIGHT = 33, FROM_START = 34, FROM_INDEX = 35, FROM_WEIGHT = 36, RESTRICTED = 37, SOLVED = 38;
const RHS = 39, CHOLESKY = 40;

/** Samples of a chunk. */
const CHUNK = 64;

// @ts-ignore: decorator
@inline function at(T: usize, k: i32): usize { return <usize>load<i32>(T + (<usize>k << 2)); }
// @ts-ignore: decorator
@inline function splat(a: v128, lane: i32): v128 {
  if (lane == 0) return v128.shuffle<f32>(a, a, 0, 0, 0, 0);
  if (lane == 1) return v128.shuffle<f32>(a, a, 1, 1, 1, 1);
  return v128.shuffle<f32>(a, a, 2, 2, 2, 2);
}
/** How many chunks there are. */
// @ts-ignore: decorator
@inline function chunks(T: usize): i32 { return (int(T, SAMPLES) + CHUNK - 1) / CHUNK; }

export function packMatrix(T: usize): void {
  const n = int(T, SAMPLES), nearStart = at(T, NEAR_START), start = at(T, ROW_START), values = at(T, VALUES);
  let to = at(T, A);
  for (let i = 0; i < n; i++) {
    const count = int(nearStart, i + 1) - int(nearStart, i), rows = <usize>count << 3;
    let y = values + (<usize>int(start, i) << 3), a = values + (<usize>int(start, n + 2 * i) << 3), b = values + (<usize>int(start, n + 2 * i + 1) << 3);
    let ya = y + rows, aa = a + rows, ba = b + rows;
    for (let k = 0; k < count; k++, to += 36, y += 8, a += 8, b += 8, ya += 16, aa += 16, ba += 16) {
      store<f32>(to, <f32>load<f64>(y)); v128.store64_lane(to, f32x4.demote_f64x2_zero(v128.load(ya)), 0, 4);
      store<f32>(to, <f32>load<f64>(a), 12); v128.store64_lane(to, f32x4.demote_f64x2_zero(v128.load(aa)), 0, 16);
      store<f32>(to, <f32>load<f64>(b), 24); v128.store64_lane(to, f32x4.demote_f64x2_zero(v128.load(ba)), 0, 28);
    }
  }
}

export function packBlocks(T: usize): void {
  let B = at(T, BLOCKS), to = at(T, INVERSE);
  for (let column = 0, all = 9 * int(T, SAMPLES); column < all; column++, B += 72, to += 48)
    for (let p: usize = 0; p < 3; p++) {
      const from = B + p * 24, point = to + p * 16;
      v128.store64_lane(point, f32x4.demote_f64x2_zero(v128.load(from)), 0);
      store<f32>(point, <f32>load<f64>(from, 16), 8);
    }
}

/** d = z + Z c + β d, or z + Z c if it is the first; then Ad. */
export function turnShare(T: usize, thread: i32, threads: i32, beta: f64, isFirst: i32): void {
  const control = at(T, CONTROL), edges = int(T, EDGES), n = int(T, SAMPLES);
  setDirection(T, share(n, thread, threads), share(n, thread + 1, threads), <f32>beta, isFirst);
  barrier(control, threads);
  strainArcs(T, share(edges, thread, threads), share(edges, thread + 1, threads));
  barrier(control, threads);
  pullArcs(T, share(edges, thread, threads), share(edges, thread + 1, threads));
  barrier(control, threads);
  const all = chunks(T), sums = at(T, SUMS);
  for (let chunk = share(all, thread, threads), last = share(all, thread + 1, threads); chunk < last; chunk++)
    store<f64>(sums + (<usize>chunk << 3), applyMatrix(T, CHUNK * chunk, min(n, CHUNK * (chunk + 1))));
  barrier(control, threads);
}

/** Which coordinates of a sample and of its frame are held, a byte each. */
// @ts-ignore: decorator
@inline function heldOf(fixed: usize, n: i32, i: i32): u64 {
  const y = <u64>(load<u32>(fixed + 3 * <usize>i) & 0xffffff), f = load<u64>(fixed + 3 * <usize>n + 6 * <usize>i) & 0xffffffffffff;
  return y | f;
}
/** v where the coordinates of a point are free, `other` where they are held. */
function freeOr(v: v128, other: v128, fixed: usize): v128 {
  let held = i32x4.splat(0);
  held = i32x4.replace_lane(held, 0, -<i32>(load<u8>(fixed) != 0));
  held = i32x4.replace_lane(held, 1, -<i32>(load<u8>(fixed, 1) != 0));
  held = i32x4.replace_lane(held, 2, -<i32>(load<u8>(fixed, 2) != 0));
  return v128.bitselect(other, v, held);
}

function setDirection(T: usize, first: i32, last: i32, beta: f32, isFirst: i32): void {
  const n = int(T, SAMPLES), hasCoarse = int(T, HAS_COARSE), fixed = at(T, FIXED), start = at(T, TO_START), index = at(T, TO_INDEX), solved = at(T, SOLVED);
  const factor = f32x4.splat(beta);
  let q = int(start, first), weight = at(T, TO_WEIGHT) + (<usize>q << 4);
  let z = at(T, Z) + (<usize>first << 4), d = at(T, D) + (<usize>first << 4), frame = <usize>(n + 2 * first) << 4;
  let fz = at(T, Z) + frame, fd = at(T, D) + frame;
  for (let i = first; i < last; i++, z += 16, d += 16, fz += 32, fd += 32) {
    let y = f32x4.splat(0), a = f32x4.splat(0), b = f32x4.splat(0);
    if (hasCoarse) for (const end = int(start, i + 1); q < end; q++, weight += 16) {
      const w = v128.load(weight), c = v128.load(solved + (<usize>int(index, q) << 4));
      y = multiplyAddSingle(splat(w, 0), c, y);
      a = multiplyAddSingle(splat(w, 1), c, a);
      b = multiplyAddSingle(splat(w, 2), c, b);
    }
    const zy = v128.load(z), za = v128.load(fz), zb = v128.load(fz, 16);
    y = f32x4.add(zy, y);
    a = f32x4.add(za, a);
    b = f32x4.add(zb, b);
    if (heldOf(fixed, n, i) != 0) {
      const f = fixed + <usize>(3 * n + 6 * i);
      y = freeOr(y, zy, fixed + 3 * <usize>i);
      a = freeOr(a, za, f);
      b = freeOr(b, zb, f + 3);
    }
    if (!isFirst) {
      y = multiplyAddSingle(factor, v128.load(d), y);
      a = multiplyAddSingle(factor, v128.load(fd), a);
      b = multiplyAddSingle(factor, v128.load(fd, 16), b);
    }
    v128.store(d, y);
    v128.store(fd, a);
    v128.store(fd, b, 16);
  }
}

function strainArcs(T: usize, first: i32, last: i32): void {
  const x = at(T, D), X = x + (<usize>int(T, SAMPLES) << 4), e0 = <usize>first;
  let ends = at(T, ENDS) + (e0 << 3), c = at(T, C32) + (e0 << 5), m = at(T, M32) + (e0 << 4), d = at(T, PULL) + (e0 << 4), u = at(T, U32) + (e0 << 2);
  for (let e = first; e < last; e++, ends += 8, c += 32, m += 16, d += 16, u += 4) {
    const a = <usize>load<i32>(ends), b = <usize>load<i32>(ends, 4), f = X + (a << 5), g = X + (b << 5);
    let dm = f32x4.mul(v128.load32_splat(c), f32x4.sub(v128.load(x + (b << 4)), v128.load(x + (a << 4))));
    dm = multiplyAddSingle(v128.load32_splat(c, 4), v128.load(f), dm);
    dm = multiplyAddSingle(v128.load32_splat(c, 8), v128.load(f, 16), dm);
    dm = multiplyAddSingle(v128.load32_splat(c, 12), v128.load(g), dm);
    dm = multiplyAddSingle(v128.load32_splat(c, 16), v128.load(g, 16), dm);
    v128.store(d, dm);
    const along = f32x4.mul(v128.load(m), dm);
    store<f32>(u, f32x4.extract_lane(along, 0) + f32x4.extract_lane(along, 1) + f32x4.extract_lane(along, 2));
  }
}

/** Of the triangle at one side of an edge: Σ W u. */
// @ts-ignore: decorator
@inline function weighted(side: usize, W: usize, u: usize, place: i32): f32 {
  const t = place / 3, k = place - 3 * t, s = side + <usize>t * 12, w = W + <usize>t * 24;
  const a = load<f32>(u + (<usize>load<i32>(s) << 2)), b = load<f32>(u + (<usize>load<i32>(s, 4) << 2)), c = load<f32>(u + (<usize>load<i32>(s, 8) << 2));
  if (k == 0) return load<f32>(w) * a + load<f32>(w, 4) * b + load<f32>(w, 8) * c;
  if (k == 1) return load<f32>(w, 4) * a + load<f32>(w, 12) * b + load<f32>(w, 16) * c;
  return load<f32>(w, 8) * a + load<f32>(w, 16) * b + load<f32>(w, 20) * c;
}

function pullArcs(T: usize, first: i32, last: i32): void {
  const u = at(T, U32), side = at(T, SIDE), W = at(T, W32), aroundFirst = at(T, AROUND_FIRST), around = at(T, AROUND);
  let c = at(T, C32) + (<usize>first << 5), m = at(T, M32) + (<usize>first << 4), d = at(T, PULL) + (<usize>first << 4);
  for (let e = first, k = int(aroundFirst, first); e < last; e++, c += 32, m += 16, d += 16) {
    let v: f32 = 0;
    for (const end = int(aroundFirst, e + 1); k < end; k++) v += weighted(side, W, u, int(around, k));
    v128.store(d, f32x4.add(f32x4.mul(f32x4.splat(v), v128.load(m)), f32x4.mul(v128.load32_splat(c, 20), v128.load(d))));
  }
}

// @ts-ignore: decorator
@inline function sum3(a: v128): v128 { return f32x4.splat(f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1) + f32x4.extract_lane(a, 2)); }
// @ts-ignore: decorator
@inline function sumOf(lanes: v128): f64 { return <f64>f32x4.extract_lane(lanes, 0) + <f64>f32x4.extract_lane(lanes, 1) + <f64>f32x4.extract_lane(lanes, 2); }

function applyMatrix(T: usize, first: i32, last: i32): f64 {
  const n = int(T, SAMPLES), x = at(T, D), X = x + (<usize>n << 4), Ad = at(T, AD), fixed = at(T, FIXED), nearStart = at(T, NEAR_START), near = at(T, NEAR);
  const incidentFirst = at(T, FIRST), incident = at(T, INCIDENT), c32 = at(T, C32), pull = at(T, PULL);
  let S = at(T, NODE_ROWS) + <usize>first * 72, q = int(nearStart, first), v = at(T, A) + <usize>q * 36, lanes = f32x4.splat(0);
  for (let i = first; i < last; i++, S += 72) {
    let y = f32x4.splat(0), a = f32x4.splat(0), b = f32x4.splat(0);
    for (const end = int(nearStart, i + 1); q < end; q++, v += 36) {
      const j = <usize>int(near, q), f = X + (j << 5), xy = v128.load(x + (j << 4)), xa = v128.load(f), xb = v128.load(f, 16);
      y = multiplyAddSingle(v128.load32_splat(v), xy, y);
      a = multiplyAddSingle(v128.load32_splat(v, 12), xy, a);
      b = multiplyAddSingle(v128.load32_splat(v, 24), xy, b);
      y = multiplyAddSingle(v128.load32_splat(v, 4), xa, y);
      a = multiplyAddSingle(v128.load32_splat(v, 16), xa, a);
      b = multiplyAddSingle(v128.load32_splat(v, 28), xa, b);
      y = multiplyAddSingle(v128.load32_splat(v, 8), xb, y);
      a = multiplyAddSingle(v128.load32_splat(v, 20), xb, a);
      b = multiplyAddSingle(v128.load32_splat(v, 32), xb, b);
    }
    const own = x + (<usize>i << 4), frame = X + (<usize>i << 5), xa = v128.load(frame), xb = v128.load(frame, 16);
    const s0 = sum3(multiplyAddSingle(v128.load(S, 36), xb, f32x4.mul(v128.load(S), xa)));
    const s1 = sum3(multiplyAddSingle(v128.load(S, 48), xb, f32x4.mul(v128.load(S, 12), xa)));
    const s2 = sum3(multiplyAddSingle(v128.load(S, 60), xb, f32x4.mul(v128.load(S, 24), xa)));
    a = f32x4.add(a, multiplyAddSingle(v128.load(S, 24), s2, multiplyAddSingle(v128.load(S, 12), s1, f32x4.mul(v128.load(S), s0))));
    b = f32x4.add(b, multiplyAddSingle(v128.load(S, 60), s2, multiplyAddSingle(v128.load(S, 48), s1, f32x4.mul(v128.load(S, 36), s0))));
    const end = incident + (<usize>int(incidentFirst, i + 1) << 2);
    for (let k = incident + (<usize>int(incidentFirst, i) << 2); k < end; k += 4) {
      const place = load<i32>(k), e = <usize>(place >> 1), c = c32 + (e << 5), force = v128.load(pull + (e << 4)), apart = f32x4.mul(v128.load32_splat(c), force);
      if (place & 1) {
        y = f32x4.add(y, apart);
        a = f32x4.add(a, f32x4.mul(v128.load32_splat(c, 12), force));
        b = f32x4.add(b, f32x4.mul(v128.load32_splat(c, 16), force));
      } else {
        y = f32x4.sub(y, apart);
        a = f32x4.add(a, f32x4.mul(v128.load32_splat(c, 4), force));
        b = f32x4.add(b, f32x4.mul(v128.load32_splat(c, 8), force));
      }
    }
    if (heldOf(fixed, n, i) != 0) {
      const f = fixed + <usize>(3 * n + 6 * i), none = f32x4.splat(0);
      y = freeOr(y, none, fixed + 3 * <usize>i);
      a = freeOr(a, none, f);
      b = freeOr(b, none, f + 3);
    }
    const to = Ad + (<usize>i << 4), toFrame = Ad + (<usize>(n + 2 * i) << 4);
    v128.store(to, y);
    v128.store(toFrame, a);
    v128.store(toFrame, b, 16);
    lanes = multiplyAddSingle(v128.load(own), y, lanes);
    lanes = multiplyAddSingle(xa, a, lanes);
    lanes = multiplyAddSingle(xb, b, lanes);
  }
  return sumOf(lanes);
}

/** p += α d, r −= α Ad, z = B r; then c = A_c⁻¹ Zᵀ r. */
export function descendShare(T: usize, thread: i32, threads: i32, alpha: f64): void {
  const control = at(T, CONTROL), n = int(T, SAMPLES), coarse = int(T, COARSE), hasCoarse = int(T, HAS_COARSE) != 0, all = chunks(T), sums = at(T, SUMS);
  if (!ASC_FEATURE_THREADS || !hasCoarse || threads == 1) {
    for (let chunk = share(all, thread, threads), last = share(all, thread + 1, threads); chunk < last; chunk++)
      store<f64>(sums + (<usize>chunk << 3), descendSome(T, <f32>alpha, CHUNK * chunk, min(n, CHUNK * (chunk + 1)), true, true));
    if (hasCoarse) {
      restrict(T, 0, coarse);
      solveCoarse(T, all);
    }
    barrier(control, threads);
    return;
  }
  // the coarse system is solved by one thread, while the others take the blocks
  for (let chunk = share(all, thread, threads), last = share(all, thread + 1, threads); chunk < last; chunk++)
    descendSome(T, <f32>alpha, CHUNK * chunk, min(n, CHUNK * (chunk + 1)), true, false);
  if (thread == 0) startShares(control);
  barrier(control, threads);
  restrict(T, share(coarse, thread, threads), share(coarse, thread + 1, threads));
  barrier(control, threads);
  if (thread == 0) solveCoarse(T, all);
  for (let chunk = nextShare(control, threads); chunk < all; chunk = nextShare(control, threads))
    store<f64>(sums + (<usize>chunk << 3), descendSome(T, 0, CHUNK * chunk, min(n, CHUNK * (chunk + 1)), false, true));
  barrier(control, threads);
}

/** The step along d and what is left, if asked; the blocks, if asked. */
function descendSome(T: usize, alpha: f32, first: i32, last: i32, moves: bool, solves: bool): f64 {
  const f = <usize>(int(T, SAMPLES) + 2 * first) << 4, i0 = <usize>first << 4, factor = f32x4.splat(alpha);
  let p = at(T, P) + i0, d = at(T, D) + i0, r = at(T, R) + i0, Ad = at(T, AD) + i0, z = at(T, Z) + i0, B = at(T, INVERSE) + <usize>first * 432;
  let fp = at(T, P) + f, fd = at(T, D) + f, fr = at(T, R) + f, fAd = at(T, AD) + f, fz = at(T, Z) + f, lanes = f32x4.splat(0);
  for (let i = first; i < last; i++, p += 16, d += 16, r += 16, Ad += 16, z += 16, fp += 32, fd += 32, fr += 32, fAd += 32, fz += 32, B += 432) {
    let y = v128.load(r), a = v128.load(fr), b = v128.load(fr, 16);
    if (moves) {
      v128.store(p, multiplyAddSingle(factor, v128.load(d), v128.load(p)));
      v128.store(fp, multiplyAddSingle(factor, v128.load(fd), v128.load(fp)));
      v128.store(fp, multiplyAddSingle(factor, v128.load(fd, 16), v128.load(fp, 16)), 16);
      y = f32x4.sub(y, f32x4.mul(factor, v128.load(Ad)));
      a = f32x4.sub(a, f32x4.mul(factor, v128.load(fAd)));
      b = f32x4.sub(b, f32x4.mul(factor, v128.load(fAd, 16)));
      v128.store(r, y);
      v128.store(fr, a);
      v128.store(fr, b, 16);
    }
    if (!solves) continue;
    let zy = f32x4.splat(0), za = f32x4.splat(0), zb = f32x4.splat(0);
    for (let k: usize = 0; k < 9; k++) {
      const v = v128.load32_splat(k < 3 ? r + (k << 2) : k < 6 ? fr + (k << 2) - 12 : fr + (k << 2) - 8), column = B + k * 48;
      zy = multiplyAddSingle(v128.load(column), v, zy);
      za = multiplyAddSingle(v128.load(column, 16), v, za);
      zb = multiplyAddSingle(v128.load(column, 32), v, zb);
    }
    v128.store(z, zy);
    v128.store(fz, za);
    v128.store(fz, zb, 16);
    lanes = multiplyAddSingle(y, zy, lanes);
    lanes = multiplyAddSingle(a, za, lanes);
    lanes = multiplyAddSingle(b, zb, lanes);
  }
  return sumOf(lanes);
}

/** Zᵀ r of some coarse points. */
function restrict(T: usize, first: i32, last: i32): void {
  const r = at(T, R), F = r + (<usize>int(T, SAMPLES) << 4), start = at(T, FROM_START), index = at(T, FROM_INDEX);
  let to = at(T, RESTRICTED) + (<usize>first << 4), rhs = at(T, RHS) + <usize>first * 24, q = int(start, first), weight = at(T, FROM_WEIGHT) + (<usize>q << 4);
  for (let I = first; I < last; I++, to += 16, rhs += 24) {
    let sum = f32x4.splat(0);
    for (const end = int(start, I + 1); q < end; q++, weight += 16) {
      const i = <usize>int(index, q), f = F + (i << 5), w = v128.load(weight);
      sum = f32x4.add(sum, multiplyAddSingle(splat(w, 2), v128.load(f, 16), multiplyAddSingle(splat(w, 1), v128.load(f), f32x4.mul(splat(w, 0), v128.load(r + (i << 4))))));
    }
    v128.store(to, sum);
    v128.store(rhs, f64x2.promote_low_f32x4(sum));
    store<f64>(rhs, <f64>f32x4.extract_lane(sum, 2), 16);
  }
}

/** c = A_c⁻¹ Zᵀ r, and (Zᵀr)ᵀc behind the sums of the chunks. */
function solveCoarse(T: usize, chunks: i32): void {
  const coarse = int(T, COARSE);
  solveOne(at(T, CHOLESKY), at(T, RHS));
  let from = at(T, RHS), rhs = at(T, RESTRICTED), to = at(T, SOLVED), sum: f64 = 0;
  for (let I = 0; I < coarse; I++, from += 24, rhs += 16, to += 16)
    for (let c: usize = 0; c < 3; c++) {
      const x = <f32>load<f64>(from + (c << 3));
      store<f32>(to + (c << 2), x);
      sum += <f64>load<f32>(rhs + (c << 2)) * <f64>x;
    }
  store<f64>(at(T, SUMS) + (<usize>chunks << 3), sum);
}
