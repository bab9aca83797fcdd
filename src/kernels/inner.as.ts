/**
 * One iteration of the inner solve for sheets with frames, by one thread or by several: the product with the matrix, and the preconditioner. Each does
 * what the kernels of its parts do one after the other (linalg/single.ts, system/frame-membrane.ts, step/frame-blocks.ts, step/transfers.ts), so that the
 * bits are theirs whoever does which part: sums are gathered by who receives them, in the order in which the parts scatter them.
 *
 * `T` is the address of the table of inner-kernel.ts. Addresses in bytes.
 */
import { solveOne } from "./cholesky-solve.as";
import { applySome, strainSome } from "./frames.as";
import { barrier, nextShare, share, startShares } from "./threads.as";
import { prolongSome } from "./two-level.as";
import { int, multiplyAdd, multiplyAddSingle, zero } from "./lanes.as";

/** Places in the table. */
const SAMPLES = 0, EDGES = 1, COARSE = 2, HAS_COARSE = 3, CONTROL = 4;
const Z = 5, D = 6, AD = 7, P = 8, R = 9, X32 = 10, Y32 = 11;
const ROW_START = 12, ROW_INDEX = 13, ROW_VALUES = 14, NODE_ROWS = 15;
const ENDS = 16, C32 = 17, M32 = 18, W32 = 19, DM32 = 20, U32 = 21, SIDE = 22, AROUND = 23, FIRST = 24, INCIDENT = 25;
const RHS = 26, FROM_START = 27, FROM_INDEX = 28, FROM_WEIGHT = 29, BLOCKS = 30, TO_START = 31, TO_INDEX = 32, TO_WEIGHT = 33, FIXED = 34, CHOLESKY = 35, AROUND_FIRST = 36;

/** Samples whose blocks a thread takes at a time. */
const SAMPLES_AT_ONCE = 64;

// @ts-ignore: decorator
@inline function at(T: usize, k: i32): usize { return <usize>load<i32>(T + (<usize>k << 2)); }

/** d = z + β d, or z if it is the first; then y = A d in single precision, and as doubles in Ad. */
export function innerProduct(T: usize, thread: i32, threads: i32, beta: f64, isFirst: i32): void {
  const control = at(T, CONTROL), points = 3 * int(T, SAMPLES), edges = int(T, EDGES), n = int(T, SAMPLES);
  direction(T, share(points, thread, threads), share(points, thread + 1, threads), beta, isFirst);
  barrier(control, threads);
  strainSome(at(T, X32), n, at(T, ENDS), at(T, C32), at(T, M32), at(T, DM32), at(T, U32), share(edges, thread, threads), share(edges, thread + 1, threads));
  barrier(control, threads);
  arcForces(T, share(edges, thread, threads), share(edges, thread + 1, threads));
  barrier(control, threads);
  forces(T, share(n, thread, threads), share(n, thread + 1, threads));
  barrier(control, threads);
}

function direction(T: usize, first: i32, last: i32, beta: f64, isFirst: i32): void {
  const factor = f64x2.splat(beta);
  let z = at(T, Z) + <usize>first * 24, d = at(T, D) + <usize>first * 24, x = at(T, X32) + (<usize>first << 4);
  for (let i = first; i < last; i++, z += 24, d += 24, x += 16) {
    let xy = v128.load(z), w = v128.load64_zero(z, 16);
    if (!isFirst) {
      xy = multiplyAdd(factor, v128.load(d), xy);
      w = multiplyAdd(factor, v128.load64_zero(d, 16), w);
    }
    v128.store(d, xy);
    v128.store64_lane(d, w, 0, 16);
    v128.store(x, v128.shuffle<f32>(f32x4.demote_f64x2_zero(xy), f32x4.demote_f64x2_zero(w), 0, 1, 4, 5));
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

/** What an edge pulls with, in the place of its dm. */
function arcForces(T: usize, first: i32, last: i32): void {
  const u = at(T, U32), side = at(T, SIDE), W = at(T, W32), aroundFirst = at(T, AROUND_FIRST), around = at(T, AROUND);
  let c = at(T, C32) + (<usize>first << 5), m = at(T, M32) + (<usize>first << 4), d = at(T, DM32) + (<usize>first << 4);
  for (let e = first, k = int(aroundFirst, first); e < last; e++, c += 32, m += 16, d += 16) {
    let v: f32 = 0;
    for (const end = int(aroundFirst, e + 1); k < end; k++) v += weighted(side, W, u, int(around, k));
    v128.store(d, f32x4.add(f32x4.mul(f32x4.splat(v), v128.load(m)), f32x4.mul(v128.load32_splat(c, 20), v128.load(d))));
  }
}

/** The point of x whose number stands at `at`. */
// @ts-ignore: decorator
@inline function pointAt(x: usize, place: usize): v128 { return v128.load(x + (<usize>load<i32>(place) << 4)); }

/** Row r of the scalar matrix times x. */
// @ts-ignore: decorator
@inline function row(x: usize, start: usize, index: usize, values: usize, r: i32): v128 {
  const p = int(start, r);
  let place = index + (<usize>p << 2), value = values + (<usize>p << 2);
  const end = index + (<usize>int(start, r + 1) << 2);
  let sum = f32x4.splat(0), odd = f32x4.splat(0);
  for (; place + 12 < end; place += 16, value += 16) {
    const a = v128.load(value);
    sum = multiplyAddSingle(v128.shuffle<f32>(a, a, 0, 0, 0, 0), pointAt(x, place), sum);
    odd = multiplyAddSingle(v128.shuffle<f32>(a, a, 1, 1, 1, 1), pointAt(x, place + 4), odd);
    sum = multiplyAddSingle(v128.shuffle<f32>(a, a, 2, 2, 2, 2), pointAt(x, place + 8), sum);
    odd = multiplyAddSingle(v128.shuffle<f32>(a, a, 3, 3, 3, 3), pointAt(x, place + 12), odd);
  }
  for (; place < end; place += 4, value += 4) sum = multiplyAddSingle(v128.load32_splat(value), pointAt(x, place), sum);
  return f32x4.add(sum, odd);
}

// @ts-ignore: decorator
@inline function sum3(a: v128): v128 { return f32x4.splat(f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1) + f32x4.extract_lane(a, 2)); }

// @ts-ignore: decorator
@inline function write(y: usize, Ad: usize, point: i32, v: v128): void {
  const to = Ad + <usize>point * 24;
  v128.store(y + (<usize>point << 4), v);
  v128.store(to, f64x2.promote_low_f32x4(v));
  store<f64>(to, <f64>f32x4.extract_lane(v, 2), 16);
}

/** Rows of samples and of their frames: scalar matrix, isometry of the frame, arcs. */
function forces(T: usize, first: i32, last: i32): void {
  const n = int(T, SAMPLES), x = at(T, X32), y = at(T, Y32), Ad = at(T, AD);
  const start = at(T, ROW_START), index = at(T, ROW_INDEX), values = at(T, ROW_VALUES), incidentFirst = at(T, FIRST), incident = at(T, INCIDENT);
  const c32 = at(T, C32), dm = at(T, DM32);
  let S = at(T, NODE_ROWS) + <usize>first * 72;
  for (let i = first; i < last; i++, S += 72) {
    const f = n + 2 * i;
    for (let k = -1; k < 2; k++) {
      const r = k < 0 ? i : f + k;
      v128.store(y + (<usize>r << 4), row(x, start, index, values, r));
    }
    let own = v128.load(y + (<usize>i << 4)), a = v128.load(y + (<usize>f << 4)), b = v128.load(y + (<usize>f << 4), 16);
    const xa = v128.load(x + (<usize>f << 4)), xb = v128.load(x + (<usize>f << 4), 16), none = f32x4.splat(0);
    const s0 = sum3(multiplyAddSingle(v128.load(S, 36), xb, multiplyAddSingle(v128.load(S), xa, none)));
    const s1 = sum3(multiplyAddSingle(v128.load(S, 48), xb, multiplyAddSingle(v128.load(S, 12), xa, none)));
    const s2 = sum3(multiplyAddSingle(v128.load(S, 60), xb, multiplyAddSingle(v128.load(S, 24), xa, none)));
    a = f32x4.add(a, multiplyAddSingle(v128.load(S, 24), s2, multiplyAddSingle(v128.load(S, 12), s1, f32x4.mul(v128.load(S), s0))));
    b = f32x4.add(b, multiplyAddSingle(v128.load(S, 60), s2, multiplyAddSingle(v128.load(S, 48), s1, f32x4.mul(v128.load(S, 36), s0))));
    const end = incident + (<usize>int(incidentFirst, i + 1) << 2);
    for (let k = incident + (<usize>int(incidentFirst, i) << 2); k < end; k += 4) {
      const place = load<i32>(k), e = <usize>(place >> 1), c = c32 + (e << 5), force = v128.load(dm + (e << 4)), apart = f32x4.mul(v128.load32_splat(c), force);
      if (place & 1) {
        own = f32x4.add(own, apart);
        a = f32x4.add(a, f32x4.mul(v128.load32_splat(c, 12), force));
        b = f32x4.add(b, f32x4.mul(v128.load32_splat(c, 16), force));
      } else {
        own = f32x4.sub(own, apart);
        a = f32x4.add(a, f32x4.mul(v128.load32_splat(c, 4), force));
        b = f32x4.add(b, f32x4.mul(v128.load32_splat(c, 8), force));
      }
    }
    write(y, Ad, i, own);
    write(y, Ad, f, a);
    write(y, Ad, f + 1, b);
  }
}

/** p += α d, r −= α Ad, and z = P⁻¹ r. With α = 0 only the last. */
export function innerPrecondition(T: usize, thread: i32, threads: i32, alpha: f64): void {
  const control = at(T, CONTROL), n = int(T, SAMPLES), coarse = int(T, COARSE), hasCoarse = int(T, HAS_COARSE) != 0;
  if (alpha != 0) {
    const first = share(9 * n, thread, threads), last = share(9 * n, thread + 1, threads);
    addTo(at(T, P), alpha, at(T, D), first, last);
    addTo(at(T, R), -alpha, at(T, AD), first, last);
  }
  if (thread == 0) startShares(control);
  barrier(control, threads);
  if (hasCoarse) {
    restrictTo(T, share(coarse, thread, threads), share(coarse, thread + 1, threads));
    barrier(control, threads);
    if (thread == 0) solveOne(at(T, CHOLESKY), at(T, RHS));
  }
  for (let first = SAMPLES_AT_ONCE * nextShare(control, threads); first < n; first = SAMPLES_AT_ONCE * nextShare(control, threads))
    applySome(at(T, Z), at(T, BLOCKS), n, at(T, R), first, min(n, first + SAMPLES_AT_ONCE));
  barrier(control, threads);
  if (!hasCoarse) return;
  prolongSome(at(T, Z), n, at(T, RHS), at(T, FIXED), at(T, TO_START), at(T, TO_INDEX), at(T, TO_WEIGHT), share(n, thread, threads), share(n, thread + 1, threads));
  barrier(control, threads);
}

/** y += a x from the first to before the last number. */
function addTo(y: usize, a: f64, x: usize, first: i32, last: i32): void {
  const factor = f64x2.splat(a), end = x + (<usize>last << 3), whole = x + (<usize>(last - ((last - first) & 1)) << 3);
  x += <usize>first << 3;
  y += <usize>first << 3;
  for (; x < whole; x += 16, y += 16) v128.store(y, multiplyAdd(factor, v128.load(x), v128.load(y)));
  if (x < end) store<f64>(y, load<f64>(y) + a * load<f64>(x));
}

/** rhs = Zᵀ r of some coarse points. */
function restrictTo(T: usize, first: i32, last: i32): void {
  const y = at(T, R), F = y + <usize>int(T, SAMPLES) * 24, start = at(T, FROM_START), index = at(T, FROM_INDEX);
  let rhs = at(T, RHS) + <usize>first * 24, q = int(start, first), w = at(T, FROM_WEIGHT) + <usize>q * 24;
  for (let I = first; I < last; I++, rhs += 24) {
    let xy = zero(), z = zero();
    for (const to = int(start, I + 1); q < to; q++, w += 24) {
      const i = <usize>int(index, q), r = y + i * 24, f = F + i * 48, wy = v128.load64_splat(w), wa = v128.load64_splat(w, 8), wb = v128.load64_splat(w, 16);
      xy = f64x2.add(xy, f64x2.add(f64x2.add(f64x2.mul(wy, v128.load(r)), f64x2.mul(wa, v128.load(f))), f64x2.mul(wb, v128.load(f, 24))));
      z = f64x2.add(z, f64x2.add(f64x2.add(f64x2.mul(wy, v128.load64_zero(r, 16)), f64x2.mul(wa, v128.load64_zero(f, 16))), f64x2.mul(wb, v128.load64_zero(f, 40))));
    }
    v128.store(rhs, xy);
    v128.store64_lane(rhs, z, 0, 16);
  }
}
