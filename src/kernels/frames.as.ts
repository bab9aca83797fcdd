/**
 * Samples with frames: twins of system/frame-membrane.ts and step/frame-blocks.ts, where the formulas are.
 *
 * `A` is the address of the table of Arcs: three counts, then the addresses of its arrays in the order of their declaration. Addresses in bytes.
 * x and y of a point share a register, z stands alone.
 */
import { int, multiplyAddSingle, zero } from "./lanes.as";

const ROOT2: f64 = 1.4142135623730951;

// @ts-ignore: decorator
@inline function num(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }
// @ts-ignore: decorator
@inline function field(A: usize, k: i32): usize { return <usize>load<i32>(A + (<usize>k << 2)); }
// @ts-ignore: decorator
@inline function plus(to: usize, xy: v128, z: f64): void {
  v128.store(to, f64x2.add(v128.load(to), xy));
  store<f64>(to, load<f64>(to, 16) + z, 16);
}
// @ts-ignore: decorator
@inline function minus(to: usize, xy: v128, z: f64): void {
  v128.store(to, f64x2.sub(v128.load(to), xy));
  store<f64>(to, load<f64>(to, 16) - z, 16);
}

function tangentsOf(out: usize, A: usize, Y: usize): void {
  const edges = int(A, 1), F = Y + <usize>int(A, 0) * 24;
  let ends = field(A, 3), c = field(A, 4);
  for (let e = 0; e < edges; e++, ends += 8, c += 40, out += 24) {
    const a = <usize>load<i32>(ends), b = <usize>load<i32>(ends, 4);
    const i = Y + a * 24, j = Y + b * 24, f = F + a * 48, g = F + b * 48;
    const c0 = load<f64>(c), c1 = load<f64>(c, 8), c2 = load<f64>(c, 16), c3 = load<f64>(c, 24), c4 = load<f64>(c, 32);
    let xy = f64x2.mul(f64x2.splat(c0), f64x2.sub(v128.load(j), v128.load(i)));
    xy = f64x2.add(xy, f64x2.mul(f64x2.splat(c1), v128.load(f)));
    xy = f64x2.add(xy, f64x2.mul(f64x2.splat(c2), v128.load(f, 24)));
    xy = f64x2.add(xy, f64x2.mul(f64x2.splat(c3), v128.load(g)));
    xy = f64x2.add(xy, f64x2.mul(f64x2.splat(c4), v128.load(g, 24)));
    v128.store(out, xy);
    store<f64>(out, c0 * (load<f64>(j, 16) - load<f64>(i, 16)) + c1 * load<f64>(f, 16) + c2 * load<f64>(f, 40) + c3 * load<f64>(g, 16) + c4 * load<f64>(g, 40), 16);
  }
}

function squaredArcs(A: usize, m: usize): void {
  const edges = int(A, 1);
  let u = field(A, 11);
  for (let e = 0; e < edges; e++, m += 24, u += 8) {
    const xy = f64x2.mul(v128.load(m), v128.load(m)), z = load<f64>(m, 16);
    store<f64>(u, f64x2.extract_lane(xy, 0) + f64x2.extract_lane(xy, 1) + z * z);
  }
}

function triangleEnergy(A: usize, s: usize): f64 {
  const triangles = int(A, 2), u = field(A, 11);
  let side = field(A, 5), q = field(A, 6), w = field(A, 7), E: f64 = 0;
  for (let t = 0; t < triangles; t++, side += 12, q += 72, w += 8) {
    const a = <usize>load<i32>(side) << 3, b = <usize>load<i32>(side, 4) << 3, c = <usize>load<i32>(side, 8) << 3;
    const ua = load<f64>(u + a), ub = load<f64>(u + b), uc = load<f64>(u + c);
    const q0 = load<f64>(q), q1 = load<f64>(q, 8), q2 = load<f64>(q, 16), q3 = load<f64>(q, 24), q4 = load<f64>(q, 32), q5 = load<f64>(q, 40), q6 = load<f64>(q, 48), q7 = load<f64>(q, 56), q8 = load<f64>(q, 64);
    const g0 = q0 * ua + q3 * ub + q6 * uc - ROOT2, g1 = q1 * ua + q4 * ub + q7 * uc, g2 = q2 * ua + q5 * ub + q8 * uc;
    const h = load<f64>(w);
    E += 0.5 * h * (g0 * g0 + g1 * g1 + g2 * g2);
    if (s == 0) continue;
    store<f64>(s + a, load<f64>(s + a) + h * (q0 * g0 + q1 * g1 + q2 * g2));
    store<f64>(s + b, load<f64>(s + b) + h * (q3 * g0 + q4 * g1 + q5 * g2));
    store<f64>(s + c, load<f64>(s + c) + h * (q6 * g0 + q7 * g1 + q8 * g2));
  }
  return E;
}

export function arcs(A: usize, Y: usize): f64 {
  const m = field(A, 8), s = field(A, 9);
  tangentsOf(m, A, Y);
  squaredArcs(A, m);
  memory.fill(s, 0, <usize>int(A, 1) << 3);
  return triangleEnergy(A, s);
}

export function arcEnergy(A: usize, Y: usize): f64 {
  const dm = field(A, 10);
  tangentsOf(dm, A, Y);
  squaredArcs(A, dm);
  return triangleEnergy(A, 0);
}

// @ts-ignore: decorator
@inline function scatter(y: usize, F: usize, ends: usize, c: usize, xy: v128, z: f64): void {
  const a = <usize>load<i32>(ends), b = <usize>load<i32>(ends, 4), f = F + a * 48, g = F + b * 48;
  const c0 = load<f64>(c), c1 = load<f64>(c, 8), c2 = load<f64>(c, 16), c3 = load<f64>(c, 24), c4 = load<f64>(c, 32);
  const xy0 = f64x2.mul(f64x2.splat(c0), xy), z0 = c0 * z;
  minus(y + a * 24, xy0, z0);
  plus(y + b * 24, xy0, z0);
  plus(f, f64x2.mul(f64x2.splat(c1), xy), c1 * z);
  plus(f + 24, f64x2.mul(f64x2.splat(c2), xy), c2 * z);
  plus(g, f64x2.mul(f64x2.splat(c3), xy), c3 * z);
  plus(g + 24, f64x2.mul(f64x2.splat(c4), xy), c4 * z);
}

export function addArcForce(y: usize, A: usize): void {
  const edges = int(A, 1), F = y + <usize>int(A, 0) * 24;
  let ends = field(A, 3), c = field(A, 4), m = field(A, 8), s = field(A, 9);
  for (let e = 0; e < edges; e++, ends += 8, c += 40, m += 24, s += 8) {
    const f = 2 * load<f64>(s);
    scatter(y, F, ends, c, f64x2.mul(f64x2.splat(f), v128.load(m)), f * load<f64>(m, 16));
  }
}

export function addArcProduct(y: usize, A: usize, x: usize): void {
  const edges = int(A, 1), triangles = int(A, 2), F = y + <usize>int(A, 0) * 24;
  const m0 = field(A, 8), dm0 = field(A, 10), u = field(A, 11), v = field(A, 12);
  tangentsOf(dm0, A, x);
  for (let e = 0, m = m0, d = dm0; e < edges; e++, m += 24, d += 24) {
    const xy = f64x2.mul(v128.load(m), v128.load(d));
    store<f64>(u + (<usize>e << 3), 2 * (f64x2.extract_lane(xy, 0) + f64x2.extract_lane(xy, 1) + load<f64>(m, 16) * load<f64>(d, 16)));
    store<f64>(v + (<usize>e << 3), 0);
  }
  let side = field(A, 5), q = field(A, 6), w = field(A, 7);
  for (let t = 0; t < triangles; t++, side += 12, q += 72, w += 8) {
    const a = <usize>load<i32>(side) << 3, b = <usize>load<i32>(side, 4) << 3, c = <usize>load<i32>(side, 8) << 3;
    const ua = load<f64>(u + a), ub = load<f64>(u + b), uc = load<f64>(u + c), h = load<f64>(w);
    const q0 = load<f64>(q), q1 = load<f64>(q, 8), q2 = load<f64>(q, 16), q3 = load<f64>(q, 24), q4 = load<f64>(q, 32), q5 = load<f64>(q, 40), q6 = load<f64>(q, 48), q7 = load<f64>(q, 56), q8 = load<f64>(q, 64);
    const g0 = h * (q0 * ua + q3 * ub + q6 * uc), g1 = h * (q1 * ua + q4 * ub + q7 * uc), g2 = h * (q2 * ua + q5 * ub + q8 * uc);
    store<f64>(v + a, load<f64>(v + a) + (q0 * g0 + q1 * g1 + q2 * g2));
    store<f64>(v + b, load<f64>(v + b) + (q3 * g0 + q4 * g1 + q5 * g2));
    store<f64>(v + c, load<f64>(v + c) + (q6 * g0 + q7 * g1 + q8 * g2));
  }
  let ends = field(A, 3), c = field(A, 4), s = field(A, 9);
  for (let e = 0, m = m0, d = dm0; e < edges; e++, ends += 8, c += 40, s += 8, m += 24, d += 24) {
    const along = 2 * num(v, e), tension = load<f64>(s), across: f64 = tension > 0 ? 2 * tension : 0;
    scatter(y, F, ends, c, f64x2.add(f64x2.mul(f64x2.splat(along), v128.load(m)), f64x2.mul(f64x2.splat(across), v128.load(d))), along * load<f64>(m, 16) + across * load<f64>(d, 16));
  }
}

/** Coefficients, tangents and weights in single precision. */
export function arcsToSingle(A: usize): void {
  const edges = int(A, 1), triangles = int(A, 2);
  let m = field(A, 8), s = field(A, 9), c32 = field(A, 13), m32 = field(A, 14), M32 = field(A, 15), q = field(A, 6), w = field(A, 7);
  for (let e = 0; e < edges; e++, m += 24, s += 8, c32 += 32, m32 += 16) {
    const tension = load<f64>(s);
    store<f32>(c32, tension > 0 ? <f32>(2 * tension) : 0, 20);
    store<f32>(m32, <f32>(2 * load<f64>(m)));
    store<f32>(m32, <f32>(2 * load<f64>(m, 8)), 4);
    store<f32>(m32, <f32>(2 * load<f64>(m, 16)), 8);
  }
  for (let t = 0; t < triangles; t++, q += 72, w += 8, M32 += 24) {
    const q0 = load<f64>(q), q1 = load<f64>(q, 8), q2 = load<f64>(q, 16), q3 = load<f64>(q, 24), q4 = load<f64>(q, 32), q5 = load<f64>(q, 40), q6 = load<f64>(q, 48), q7 = load<f64>(q, 56), q8 = load<f64>(q, 64);
    const h = load<f64>(w);
    store<f32>(M32, <f32>(h * (q0 * q0 + q1 * q1 + q2 * q2)));
    store<f32>(M32, <f32>(h * (q0 * q3 + q1 * q4 + q2 * q5)), 4);
    store<f32>(M32, <f32>(h * (q0 * q6 + q1 * q7 + q2 * q8)), 8);
    store<f32>(M32, <f32>(h * (q3 * q3 + q4 * q4 + q5 * q5)), 12);
    store<f32>(M32, <f32>(h * (q3 * q6 + q4 * q7 + q5 * q8)), 16);
    store<f32>(M32, <f32>(h * (q6 * q6 + q7 * q7 + q8 * q8)), 20);
  }
}

/** Rows of the frames themselves: g, J, sigma; returns Σψ. */
export function nodeRows(g: usize, J: usize, sigma: usize, stiffness: usize, scale: usize, n: i32, Y: usize): f64 {
  let E: f64 = 0, f = Y + <usize>n * 24;
  for (let i = 0; i < n; i++, f += 48, J += 144, g += 24, sigma += 24, stiffness += 24, scale += 8) {
    const s = load<f64>(scale), t = 1 / (s * s), r = ROOT2 * t, rr = f64x2.splat(r);
    const pz0 = load<f64>(f, 16), qz0 = load<f64>(f, 40), p0 = v128.load(f), q0 = v128.load(f, 24);
    const p = f64x2.mul(rr, p0), q = f64x2.mul(rr, q0), pz = r * pz0, qz = r * qz0;
    v128.store(J, p); store<f64>(J, pz, 16); v128.store(J, p, 24); store<f64>(J, pz, 40); v128.store(J, q, 48); store<f64>(J, qz, 64);
    v128.store(J, q, 72); store<f64>(J, qz, 88); v128.store(J, f64x2.neg(q), 96); store<f64>(J, -qz, 112); v128.store(J, p, 120); store<f64>(J, pz, 136);
    const pp = f64x2.mul(p0, p0), qq = f64x2.mul(q0, q0), pq = f64x2.mul(p0, q0);
    const a = t * (f64x2.extract_lane(pp, 0) + f64x2.extract_lane(pp, 1) + pz0 * pz0), d = t * (f64x2.extract_lane(qq, 0) + f64x2.extract_lane(qq, 1) + qz0 * qz0);
    const b = t * (f64x2.extract_lane(pq, 0) + f64x2.extract_lane(pq, 1) + pz0 * qz0);
    const g0 = (a + d) / ROOT2 - ROOT2, g1 = (a - d) / ROOT2, g2 = ROOT2 * b, w = load<f64>(stiffness);
    store<f64>(g, g0); store<f64>(g, g1, 8); store<f64>(g, g2, 16);
    const s0 = w * g0, s1 = w * g1, s2 = w * g2;
    store<f64>(sigma, s0); store<f64>(sigma, s1, 8); store<f64>(sigma, s2, 16);
    E += 0.5 * s0 * g0; E += 0.5 * s1 * g1; E += 0.5 * s2 * g2;
  }
  return E;
}

/** Σψ of the same rows. */
export function nodeEnergy(stiffness: usize, scale: usize, n: i32, Y: usize): f64 {
  let E: f64 = 0, f = Y + <usize>n * 24;
  for (let i = 0; i < n; i++, f += 48, stiffness += 24, scale += 8) {
    const s = load<f64>(scale), t = 1 / (s * s);
    const pz = load<f64>(f, 16), qz = load<f64>(f, 40), p = v128.load(f), q = v128.load(f, 24);
    const pp = f64x2.mul(p, p), qq = f64x2.mul(q, q), pq = f64x2.mul(p, q);
    const a = t * (f64x2.extract_lane(pp, 0) + f64x2.extract_lane(pp, 1) + pz * pz), d = t * (f64x2.extract_lane(qq, 0) + f64x2.extract_lane(qq, 1) + qz * qz);
    const b = t * (f64x2.extract_lane(pq, 0) + f64x2.extract_lane(pq, 1) + pz * qz);
    const g0 = (a + d) / ROOT2 - ROOT2, g1 = (a - d) / ROOT2, g2 = ROOT2 * b;
    E += 0.5 * load<f64>(stiffness) * (g0 * g0 + g1 * g1 + g2 * g2);
  }
  return E;
}

/** δ of a retracted step; see retract(). */
export function retract(delta: usize, n: i32, Y: usize, t: f64, p: usize, length: i32): void {
  const tt = f64x2.splat(t);
  for (let k: usize = 0, end = <usize>length << 3; k < end; k += 16) {
    if (k + 8 < end) v128.store(delta + k, f64x2.mul(tt, v128.load(p + k)));
    else store<f64>(delta + k, t * load<f64>(p + k));
  }
  let f = Y + <usize>n * 24, d = delta + <usize>n * 24;
  for (let i = 0; i < n; i++, f += 48, d += 48) {
    let ga: f64 = 0, gb: f64 = 0, gd: f64 = 0, pa: f64 = 0, pb: f64 = 0, pd: f64 = 0;
    for (let k: usize = 0; k < 24; k += 8) {
      const x = load<f64>(d + k), y = load<f64>(d + k, 24), u = load<f64>(f + k) + x, v = load<f64>(f + k, 24) + y;
      ga += u * u; gb += u * v; gd += v * v; pa += x * x; pb += x * y; pd += y * y;
    }
    if (!(pa + pd > 0)) continue;
    const ca = ga - pa, cb = gb - pb, cd = gd - pd, detG = ga * gd - gb * gb, detC = ca * cd - cb * cb;
    if (!(detC > 0.25 * detG && ca + cd > 0 && detG > 0)) continue;
    const r = sqrt(detG), q = sqrt(detC), s = 1 / (sqrt(ga + gd + 2 * r) * r * sqrt(ca + cd + 2 * q));
    const ia = gd + r, ib = -gb, id = ga + r, ha = ca + q, hb = cb, hd = cd + q;
    const aa = s * (ia * ha + ib * hb) - 1, ab = s * (ia * hb + ib * hd), ba = s * (ib * ha + id * hb), bb = s * (ib * hb + id * hd) - 1;
    for (let k: usize = 0; k < 24; k += 8) {
      const x = load<f64>(d + k), y = load<f64>(d + k, 24), u = load<f64>(f + k) + x, v = load<f64>(f + k, 24) + y;
      store<f64>(d + k, x + (u * aa + v * ba)); store<f64>(d + k, y + (u * ab + v * bb), 24);
    }
  }
}

// ------------------------------------------------------------------------------------------ blocks of 9×9

// @ts-ignore: decorator
@inline function plusAt(to: usize, v: f64): void { store<f64>(to, load<f64>(to) + v); }

/** Bytes from the block to a column of it, the same scaled, and the vectors v and x of the rows that a sample sees, 80 bytes each. */
const COLUMN: usize = 720, SCALED: usize = 800, VECTORS: usize = 880;

// @ts-ignore: decorator
@inline function addScalar(b: usize, s: f64): void { plusAt(b, s); plusAt(b + 88, s); plusAt(b + 176, s); }

// @ts-ignore: decorator
@inline function startPoint(b: usize, D: usize): void {
  store<f64>(b, load<f64>(D)); store<f64>(b, load<f64>(D, 8), 80); store<f64>(b, load<f64>(D, 24), 88);
  store<f64>(b, load<f64>(D, 16), 160); store<f64>(b, load<f64>(D, 32), 168); store<f64>(b, load<f64>(D, 40), 176);
}

/** x = w v over ten numbers. */
// @ts-ignore: decorator
@inline function scaleVector(v: usize, w: f64): void {
  const ww = f64x2.splat(w);
  for (let k: usize = 0; k < 80; k += 16) v128.store(v + k, f64x2.mul(ww, v128.load(v + k)), 80);
}

function collectArcs(S: usize, k: usize, end: usize, A: usize): usize {
  const c0 = field(A, 4), m0 = field(A, 8), s = field(A, 9), u = field(A, 11);
  let v = S + VECTORS;
  for (; k < end; k += 4, v += 160) {
    const place = load<i32>(k), e = place >> 1, c = c0 + <usize>e * 40, m = m0 + <usize>e * 24, tension = num(s, e), across: f64 = tension > 0 ? 2 * tension : 0;
    const isSecond = (place & 1) != 0, own = isSecond ? c + 16 : c;
    const k0 = isSecond ? load<f64>(c) : -load<f64>(c), k1 = load<f64>(own, 8), k2 = load<f64>(own, 16), xy = v128.load(m), z = load<f64>(m, 16);
    v128.store(v, f64x2.mul(f64x2.splat(k0), xy)); store<f64>(v, k0 * z, 16);
    v128.store(v, f64x2.mul(f64x2.splat(k1), xy), 24); store<f64>(v, k1 * z, 40);
    v128.store(v, f64x2.mul(f64x2.splat(k2), xy), 48); store<f64>(v, k2 * z, 64);
    store<f64>(v, 0, 72);
    scaleVector(v, num(u, e));
    const a0 = across * k0, a1 = across * k1, a2 = across * k2;
    addScalar(S, a0 * k0); addScalar(S + 240, a0 * k1); addScalar(S + 480, a0 * k2);
    addScalar(S + 264, a1 * k1); addScalar(S + 504, a1 * k2); addScalar(S + 528, a2 * k2);
  }
  return v;
}

function addCorners(S: usize, k: usize, end: usize, A: usize): void {
  const q = field(A, 6), w = field(A, 7);
  for (; k < end; k += 20) {
    const x = S + VECTORS + <usize>load<i32>(k) * 160, y = S + VECTORS + <usize>load<i32>(k, 4) * 160, t = load<i32>(k, 8);
    const a = q + <usize>(9 * t + 3 * load<i32>(k, 12)) * 8, b = q + <usize>(9 * t + 3 * load<i32>(k, 16)) * 8;
    const W = f64x2.splat(4 * num(w, t) * (load<f64>(a) * load<f64>(b) + load<f64>(a, 8) * load<f64>(b, 8) + load<f64>(a, 16) * load<f64>(b, 16)));
    for (let d: usize = 0; d < 80; d += 16) {
      v128.store(x + d, f64x2.add(v128.load(x + d, 80), f64x2.mul(W, v128.load(y + d))), 80);
      v128.store(y + d, f64x2.add(v128.load(y + d, 80), f64x2.mul(W, v128.load(x + d))), 80);
    }
  }
}

/** Rows 0 and 1 of the block += Σ x vᵀ. */
function addRows1(S: usize, end: usize): void {
  let a0 = v128.load(S, 0), b0 = v128.load(S, 80);
  for (let v = S + VECTORS; v < end; v += 160) {
    const x = v128.load64_splat(v, 80), y = v128.load64_splat(v, 88);
    const v0 = v128.load(v, 0); a0 = f64x2.add(a0, f64x2.mul(x, v0)); b0 = f64x2.add(b0, f64x2.mul(y, v0));
  }
  v128.store(S, a0, 0); v128.store(S, b0, 80);
}

/** Rows 2 and 3 of the block += Σ x vᵀ. */
function addRows2(S: usize, end: usize): void {
  let a0 = v128.load(S, 160), a1 = v128.load(S, 176), b0 = v128.load(S, 240), b1 = v128.load(S, 256);
  for (let v = S + VECTORS; v < end; v += 160) {
    const x = v128.load64_splat(v, 96), y = v128.load64_splat(v, 104);
    const v0 = v128.load(v, 0); a0 = f64x2.add(a0, f64x2.mul(x, v0)); b0 = f64x2.add(b0, f64x2.mul(y, v0));
    const v1 = v128.load(v, 16); a1 = f64x2.add(a1, f64x2.mul(x, v1)); b1 = f64x2.add(b1, f64x2.mul(y, v1));
  }
  v128.store(S, a0, 160); v128.store(S, a1, 176); v128.store(S, b0, 240); v128.store(S, b1, 256);
}

/** Rows 4 and 5 of the block += Σ x vᵀ. */
function addRows3(S: usize, end: usize): void {
  let a0 = v128.load(S, 320), a1 = v128.load(S, 336), a2 = v128.load(S, 352), b0 = v128.load(S, 400), b1 = v128.load(S, 416), b2 = v128.load(S, 432);
  for (let v = S + VECTORS; v < end; v += 160) {
    const x = v128.load64_splat(v, 112), y = v128.load64_splat(v, 120);
    const v0 = v128.load(v, 0); a0 = f64x2.add(a0, f64x2.mul(x, v0)); b0 = f64x2.add(b0, f64x2.mul(y, v0));
    const v1 = v128.load(v, 16); a1 = f64x2.add(a1, f64x2.mul(x, v1)); b1 = f64x2.add(b1, f64x2.mul(y, v1));
    const v2 = v128.load(v, 32); a2 = f64x2.add(a2, f64x2.mul(x, v2)); b2 = f64x2.add(b2, f64x2.mul(y, v2));
  }
  v128.store(S, a0, 320); v128.store(S, a1, 336); v128.store(S, a2, 352); v128.store(S, b0, 400); v128.store(S, b1, 416); v128.store(S, b2, 432);
}

/** Rows 6 and 7 of the block += Σ x vᵀ. */
function addRows4(S: usize, end: usize): void {
  let a0 = v128.load(S, 480), a1 = v128.load(S, 496), a2 = v128.load(S, 512), a3 = v128.load(S, 528), b0 = v128.load(S, 560), b1 = v128.load(S, 576), b2 = v128.load(S, 592), b3 = v128.load(S, 608);
  for (let v = S + VECTORS; v < end; v += 160) {
    const x = v128.load64_splat(v, 128), y = v128.load64_splat(v, 136);
    const v0 = v128.load(v, 0); a0 = f64x2.add(a0, f64x2.mul(x, v0)); b0 = f64x2.add(b0, f64x2.mul(y, v0));
    const v1 = v128.load(v, 16); a1 = f64x2.add(a1, f64x2.mul(x, v1)); b1 = f64x2.add(b1, f64x2.mul(y, v1));
    const v2 = v128.load(v, 32); a2 = f64x2.add(a2, f64x2.mul(x, v2)); b2 = f64x2.add(b2, f64x2.mul(y, v2));
    const v3 = v128.load(v, 48); a3 = f64x2.add(a3, f64x2.mul(x, v3)); b3 = f64x2.add(b3, f64x2.mul(y, v3));
  }
  v128.store(S, a0, 480); v128.store(S, a1, 496); v128.store(S, a2, 512); v128.store(S, a3, 528); v128.store(S, b0, 560); v128.store(S, b1, 576); v128.store(S, b2, 592); v128.store(S, b3, 608);
}

/** Rows 8 of the block += Σ x vᵀ. */
function addLastRow(S: usize, end: usize): void {
  let a0 = v128.load(S, 640), a1 = v128.load(S, 656), a2 = v128.load(S, 672), a3 = v128.load(S, 688), a4 = v128.load(S, 704);
  for (let v = S + VECTORS; v < end; v += 160) {
    const x = v128.load64_splat(v, 144);
    const v0 = v128.load(v, 0); a0 = f64x2.add(a0, f64x2.mul(x, v0));
    const v1 = v128.load(v, 16); a1 = f64x2.add(a1, f64x2.mul(x, v1));
    const v2 = v128.load(v, 32); a2 = f64x2.add(a2, f64x2.mul(x, v2));
    const v3 = v128.load(v, 48); a3 = f64x2.add(a3, f64x2.mul(x, v3));
    const v4 = v128.load(v, 64); a4 = f64x2.add(a4, f64x2.mul(x, v4));
  }
  v128.store(S, a0, 640); v128.store(S, a1, 656); v128.store(S, a2, 672); v128.store(S, a3, 688); v128.store(S, a4, 704);
}

/** The lower half becomes that of the negative inverse. */
function invertBlock(S: usize, fixed: usize, n: i32, i: i32): void {
  const column = S + COLUMN, scaled = S + SCALED;
  for (let p = 0; p < 9; p++) {
    const row = S + <usize>p * 80;
    for (let r = 0; r < p; r++) store<f64>(column + (<usize>r << 3), num(row, r));
    for (let r = p; r < 9; r++) store<f64>(column + (<usize>r << 3), load<f64>(S + <usize>r * 80 + (<usize>p << 3)));
    const isHeld = load<u8>(fixed + <usize>(p < 3 ? 3 * i + p : 3 * n + 6 * i + p - 3)) != 0, d: f64 = isHeld ? 0 : 1 / num(row, p), dd = f64x2.splat(d);
    const h0 = f64x2.mul(dd, v128.load(column)), h1 = f64x2.mul(dd, v128.load(column, 16)), h2 = f64x2.mul(dd, v128.load(column, 32)), h3 = f64x2.mul(dd, v128.load(column, 48));
    v128.store(scaled, h0); v128.store(scaled, h1, 16); v128.store(scaled, h2, 32); v128.store(scaled, h3, 48); store<f64>(scaled, d * load<f64>(column, 64), 64);
    const h4 = v128.load(scaled, 64);
    for (let r = 0; r < 9; r++) {
      const to = S + <usize>r * 80, g = v128.load64_splat(column + (<usize>r << 3));
      v128.store(to, f64x2.sub(v128.load(to), f64x2.mul(g, h0)));
      if (r < 2) continue;
      v128.store(to, f64x2.sub(v128.load(to, 16), f64x2.mul(g, h1)), 16);
      if (r < 4) continue;
      v128.store(to, f64x2.sub(v128.load(to, 32), f64x2.mul(g, h2)), 32);
      if (r < 6) continue;
      v128.store(to, f64x2.sub(v128.load(to, 48), f64x2.mul(g, h3)), 48);
      if (r < 8) continue;
      v128.store(to, f64x2.sub(v128.load(to, 64), f64x2.mul(g, h4)), 64);
    }
    for (let c = 0; c < p; c++) store<f64>(row + (<usize>c << 3), num(scaled, c));
    for (let r = p + 1; r < 9; r++) store<f64>(S + <usize>r * 80 + (<usize>p << 3), num(scaled, r));
    store<f64>(row + (<usize>p << 3), -d);
  }
}

export function invertedBlocks(B: usize, n: i32, at: usize, first: usize, incident: usize, cornerFirst: usize, corner: usize, S: usize, values: usize, D: usize, J: usize, weight: usize, A: usize, fixed: usize): void {
  const edges = int(A, 1), triangles = int(A, 2), side = field(A, 5), q = field(A, 6), w = field(A, 7), u = field(A, 11);
  memory.fill(u, 0, <usize>edges << 3);
  for (let k = 0; k < 3 * triangles; k++) {
    const a = q + <usize>k * 24;
    plusAt(u + (<usize>int(side, k) << 3), 4 * num(w, k / 3) * (load<f64>(a) * load<f64>(a) + load<f64>(a, 8) * load<f64>(a, 8) + load<f64>(a, 16) * load<f64>(a, 16)));
  }
  for (let i = 0; i < n; i++, B += 648, at += 24, J += 144, weight += 24) {
    memory.fill(S, 0, 720);
    startPoint(S, D + <usize>i * 48); startPoint(S + 264, D + <usize>(n + 2 * i) * 48); startPoint(S + 528, D + <usize>(n + 2 * i + 1) * 48);
    addScalar(S, num(values, int(at, 0))); addScalar(S + 240, num(values, int(at, 1))); addScalar(S + 480, num(values, int(at, 2)));
    addScalar(S + 264, num(values, int(at, 3))); addScalar(S + 504, num(values, int(at, 4))); addScalar(S + 528, num(values, int(at, 5)));
    let v = collectArcs(S, incident + (<usize>int(first, i) << 2), incident + (<usize>int(first, i + 1) << 2), A);
    addCorners(S, corner + <usize>int(cornerFirst, i) * 20, corner + <usize>int(cornerFirst, i + 1) * 20, A);
    for (let r: usize = 0; r < 3; r++, v += 160) {
      const j = J + r * 24;
      v128.store(v, zero()); store<f64>(v, 0, 16); store<f64>(v, 0, 72);
      v128.store(v, v128.load(j), 24); store<f64>(v, load<f64>(j, 16), 40);
      v128.store(v, v128.load(j, 72), 48); store<f64>(v, load<f64>(j, 88), 64);
      scaleVector(v, load<f64>(weight + (r << 3)));
    }
    addRows1(S, v); addRows2(S, v); addRows3(S, v); addRows4(S, v); addLastRow(S, v);
    invertBlock(S, fixed, n, i);
    for (let r = 0; r < 9; r++)
      for (let c = 0; c <= r; c++) {
        const value = -num(S, 10 * r + c);
        store<f64>(B + (<usize>(9 * r + c) << 3), value); store<f64>(B + (<usize>(9 * c + r) << 3), value);
      }
  }
}

export function applyBlocks(z: usize, B: usize, n: i32, r: usize): void {
  const frames = <usize>n * 24;
  let y = r, f = r + frames, to = z, frame = z + frames;
  for (let i = 0; i < n; i++, y += 24, f += 48, to += 24, frame += 48) {
    let s0 = zero(), s1 = zero(), s2 = zero(), s3 = zero(), s4: f64 = 0;
    for (let p = 0; p < 9; p++, B += 72) {
      const v = p < 3 ? num(y, p) : num(f, p - 3), vv = f64x2.splat(v);
      s0 = f64x2.add(s0, f64x2.mul(v128.load(B), vv));
      s1 = f64x2.add(s1, f64x2.mul(v128.load(B, 16), vv));
      s2 = f64x2.add(s2, f64x2.mul(v128.load(B, 32), vv));
      s3 = f64x2.add(s3, f64x2.mul(v128.load(B, 48), vv));
      s4 += load<f64>(B, 64) * v;
    }
    v128.store(to, s0);
    store<f64>(to, f64x2.extract_lane(s1, 0), 16);
    store<f64>(frame, f64x2.extract_lane(s1, 1));
    v128.store(frame, s2, 8);
    v128.store(frame, s3, 24);
    store<f64>(frame, s4, 40);
  }
}
