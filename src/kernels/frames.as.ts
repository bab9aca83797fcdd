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

// @ts-ignore: decorator
@inline function plusSingle(to: usize, c: v128, f: v128): void { v128.store(to, multiplyAddSingle(c, f, v128.load(to))); }

/** y += the same product; a point is one register, its fourth number means nothing. */
export function addArcProductSingle(y: usize, A: usize, x: usize): void {
  const n = <usize>int(A, 0) << 4, edges = int(A, 1), triangles = int(A, 2), ends0 = field(A, 3), c0 = field(A, 13), m0 = field(A, 14), d0 = field(A, 16), u = field(A, 17), v = field(A, 18);
  const X = x + n, F = y + n;
  for (let e = 0, ends = ends0, c = c0, m = m0, d = d0; e < edges; e++, ends += 8, c += 32, m += 16, d += 16) {
    const a = <usize>load<i32>(ends), b = <usize>load<i32>(ends, 4), f = X + (a << 5), g = X + (b << 5);
    let dm = f32x4.mul(v128.load32_splat(c), f32x4.sub(v128.load(x + (b << 4)), v128.load(x + (a << 4))));
    dm = multiplyAddSingle(v128.load32_splat(c, 4), v128.load(f), dm);
    dm = multiplyAddSingle(v128.load32_splat(c, 8), v128.load(f, 16), dm);
    dm = multiplyAddSingle(v128.load32_splat(c, 12), v128.load(g), dm);
    dm = multiplyAddSingle(v128.load32_splat(c, 16), v128.load(g, 16), dm);
    v128.store(d, dm);
    const along = f32x4.mul(v128.load(m), dm);
    store<f32>(u + (<usize>e << 2), f32x4.extract_lane(along, 0) + f32x4.extract_lane(along, 1) + f32x4.extract_lane(along, 2));
    store<f32>(v + (<usize>e << 2), 0);
  }
  let side = field(A, 5), M = field(A, 15);
  for (let t = 0; t < triangles; t++, side += 12, M += 24) {
    const a = <usize>load<i32>(side) << 2, b = <usize>load<i32>(side, 4) << 2, c = <usize>load<i32>(side, 8) << 2;
    const ua = load<f32>(u + a), ub = load<f32>(u + b), uc = load<f32>(u + c), m01 = load<f32>(M, 4), m02 = load<f32>(M, 8), m12 = load<f32>(M, 16);
    store<f32>(v + a, load<f32>(v + a) + (load<f32>(M) * ua + m01 * ub + m02 * uc));
    store<f32>(v + b, load<f32>(v + b) + (m01 * ua + load<f32>(M, 12) * ub + m12 * uc));
    store<f32>(v + c, load<f32>(v + c) + (m02 * ua + m12 * ub + load<f32>(M, 20) * uc));
  }
  for (let e = 0, ends = ends0, c = c0, m = m0, d = d0; e < edges; e++, ends += 8, c += 32, m += 16, d += 16) {
    const a = <usize>load<i32>(ends), b = <usize>load<i32>(ends, 4), f = F + (a << 5), g = F + (b << 5), i = y + (a << 4), j = y + (b << 4);
    const force = f32x4.add(f32x4.mul(v128.load32_splat(v + (<usize>e << 2)), v128.load(m)), f32x4.mul(v128.load32_splat(c, 20), v128.load(d)));
    const apart = f32x4.mul(v128.load32_splat(c), force);
    v128.store(i, f32x4.sub(v128.load(i), apart));
    v128.store(j, f32x4.add(v128.load(j), apart));
    plusSingle(f, v128.load32_splat(c, 4), force);
    plusSingle(f + 16, v128.load32_splat(c, 8), force);
    plusSingle(g, v128.load32_splat(c, 12), force);
    plusSingle(g + 16, v128.load32_splat(c, 16), force);
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

// ------------------------------------------------------------------------------------------ blocks of 9×9

/** Blocks from the scalar matrix, the 3×3 blocks of points, and the rows of the frames. */
export function setBlocks(B: usize, n: i32, at: usize, A: usize, D: usize, J: usize, w: usize): void {
  for (let i = 0; i < n; i++, B += 648, at += 24, J += 144, w += 24) {
    for (let p = 0; p < 3; p++)
      for (let q = 0; q < 3; q++) {
        const low = min(p, q), high = max(p, q), pair = low == 0 ? high : low + high + 1; // 00 01 02 11 12 22
        const a = num(A, int(at, pair));
        const block = D + <usize>(p == 0 ? i : n + 2 * i + p - 1) * 48;
        for (let c = 0; c < 3; c++)
          for (let d = 0; d < 3; d++) {
            let v: f64 = c == d ? a : 0;
            if (p == q) {
              const l = min(c, d), h = max(c, d);
              v += num(block, l == 0 ? h : l + h + 1);
            } else if (p > 0 && q > 0)
              for (let r = 0; r < 3; r++) v += num(w, r) * num(J, 9 * (p - 1) + 3 * r + c) * num(J, 9 * (q - 1) + 3 * r + d);
            store<f64>(B + (<usize>(9 * (3 * p + c) + 3 * q + d) << 3), v);
          }
      }
  }
}

/** Row p·3+c of a block += f (cᵣ m_d) over all columns; f carries its own coefficient. */
// @ts-ignore: decorator
@inline function addOuter(row: usize, f: f64, k0: f64, k1: f64, k2: f64, xy: v128, z: f64): void {
  const ff = f64x2.splat(f);
  v128.store(row, f64x2.add(v128.load(row), f64x2.mul(ff, f64x2.mul(f64x2.splat(k0), xy))));
  store<f64>(row, load<f64>(row, 16) + f * (k0 * z), 16);
  v128.store(row, f64x2.add(v128.load(row, 24), f64x2.mul(ff, f64x2.mul(f64x2.splat(k1), xy))), 24);
  store<f64>(row, load<f64>(row, 40) + f * (k1 * z), 40);
  v128.store(row, f64x2.add(v128.load(row, 48), f64x2.mul(ff, f64x2.mul(f64x2.splat(k2), xy))), 48);
  store<f64>(row, load<f64>(row, 64) + f * (k2 * z), 64);
}

// @ts-ignore: decorator
@inline function plusAt(to: usize, v: f64): void { store<f64>(to, load<f64>(to) + v); }

// @ts-ignore: decorator
@inline function coefficient(c: usize, end: i32, p: i32): f64 {
  if (p == 0) return end == 0 ? -load<f64>(c) : load<f64>(c);
  return num(c, p + 2 * end);
}

export function addArcBlocks(B: usize, A: usize): void {
  const edges = int(A, 1), triangles = int(A, 2), ends0 = field(A, 3), c0 = field(A, 4), side = field(A, 5), q = field(A, 6), w = field(A, 7), m0 = field(A, 8), s = field(A, 9), u = field(A, 11);
  memory.fill(u, 0, <usize>edges << 3);
  for (let k = 0; k < 3 * triangles; k++) {
    const a = q + <usize>k * 24, to = u + (<usize>int(side, k) << 3);
    plusAt(to, 4 * num(w, k / 3) * (load<f64>(a) * load<f64>(a) + load<f64>(a, 8) * load<f64>(a, 8) + load<f64>(a, 16) * load<f64>(a, 16)));
  }
  for (let e = 0, ends = ends0, c = c0, m = m0; e < edges; e++, ends += 8, c += 40, m += 24) {
    const tension = num(s, e), across: f64 = tension > 0 ? 2 * tension : 0, stiff = num(u, e), xy = v128.load(m), z = load<f64>(m, 16);
    for (let end = 0; end < 2; end++) {
      const block = B + <usize>int(ends, end) * 648;
      const k0 = coefficient(c, end, 0), k1 = coefficient(c, end, 1), k2 = coefficient(c, end, 2);
      for (let p = 0; p < 3; p++) {
        const k = coefficient(c, end, p), g = across * k;
        for (let d = 0; d < 3; d++) {
          const row = block + <usize>(3 * p + d) * 72;
          addOuter(row, stiff * k * num(m, d), k0, k1, k2, xy, z);
          plusAt(row + (<usize>d << 3), g * k0);
          plusAt(row + (<usize>(3 + d) << 3), g * k1);
          plusAt(row + (<usize>(6 + d) << 3), g * k2);
        }
      }
    }
  }
  for (let t = 0; t < triangles; t++)
    for (let k = 0; k < 3; k++) {
      const x = (k + 1) % 3, y = (k + 2) % 3, e = int(side, 3 * t + x), f = int(side, 3 * t + y);
      const e0 = int(ends0, 2 * e), f0 = int(ends0, 2 * f), f1 = int(ends0, 2 * f + 1);
      const i = e0 == f0 || e0 == f1 ? e0 : int(ends0, 2 * e + 1);
      const a = q + <usize>(9 * t + 3 * x) * 8, b = q + <usize>(9 * t + 3 * y) * 8;
      const W = 4 * num(w, t) * (load<f64>(a) * load<f64>(b) + load<f64>(a, 8) * load<f64>(b, 8) + load<f64>(a, 16) * load<f64>(b, 16));
      const ce = c0 + <usize>e * 40, cf = c0 + <usize>f * 40, endE = e0 == i ? 0 : 1, endF = f0 == i ? 0 : 1, me = m0 + <usize>e * 24, mf = m0 + <usize>f * 24;
      const k0 = coefficient(ce, endE, 0), k1 = coefficient(ce, endE, 1), k2 = coefficient(ce, endE, 2);
      const l0 = coefficient(cf, endF, 0), l1 = coefficient(cf, endF, 1), l2 = coefficient(cf, endF, 2);
      const xye = v128.load(me), xyf = v128.load(mf), ze = load<f64>(me, 16), zf = load<f64>(mf, 16);
      const block = B + <usize>i * 648;
      for (let p = 0; p < 3; p++)
        for (let d = 0; d < 3; d++) {
          const row = block + <usize>(3 * p + d) * 72;
          addOuter(row, W * coefficient(ce, endE, p) * num(me, d), l0, l1, l2, xyf, zf);
          addOuter(row, W * coefficient(cf, endF, p) * num(mf, d), k0, k1, k2, xye, ze);
        }
    }
}

// @ts-ignore: decorator
@inline function isFixed(fixed: usize, n: i32, i: i32, p: i32): bool { return load<u8>(fixed + <usize>(p < 3 ? 3 * i + p : 3 * n + 6 * i + p - 3)) != 0; }

export function invertBlocks(B: usize, n: i32, fixed: usize): void {
  for (let i = 0; i < n; i++, B += 648) {
    for (let p = 0; p < 9; p++) {
      if (!isFixed(fixed, n, i, p)) continue;
      for (let c = 0; c < 9; c++) { store<f64>(B + (<usize>(9 * p + c) << 3), 0); store<f64>(B + (<usize>(9 * c + p) << 3), 0); }
      store<f64>(B + (<usize>(10 * p) << 3), 1);
    }
    for (let p = 0; p < 9; p++) {
      const row = B + <usize>p * 72, f = 1 / num(row, p), ff = f64x2.splat(f);
      store<f64>(row + (<usize>p << 3), 1);
      const r0 = f64x2.mul(v128.load(row), ff), r1 = f64x2.mul(v128.load(row, 16), ff), r2 = f64x2.mul(v128.load(row, 32), ff), r3 = f64x2.mul(v128.load(row, 48), ff), r4 = load<f64>(row, 64) * f;
      v128.store(row, r0); v128.store(row, r1, 16); v128.store(row, r2, 32); v128.store(row, r3, 48); store<f64>(row, r4, 64);
      for (let r = 0; r < 9; r++) {
        if (r == p) continue;
        const other = B + <usize>r * 72, g = num(other, p), gg = f64x2.splat(g);
        store<f64>(other + (<usize>p << 3), 0);
        v128.store(other, f64x2.sub(v128.load(other), f64x2.mul(gg, r0)));
        v128.store(other, f64x2.sub(v128.load(other, 16), f64x2.mul(gg, r1)), 16);
        v128.store(other, f64x2.sub(v128.load(other, 32), f64x2.mul(gg, r2)), 32);
        v128.store(other, f64x2.sub(v128.load(other, 48), f64x2.mul(gg, r3)), 48);
        store<f64>(other, load<f64>(other, 64) - g * r4, 64);
      }
    }
    for (let p = 0; p < 9; p++) if (isFixed(fixed, n, i, p)) store<f64>(B + (<usize>(10 * p) << 3), 0);
  }
}

export function applyBlocks(z: usize, B: usize, n: i32, r: usize): void {
  let y = r, f = r + <usize>n * 24, to = z, frame = z + <usize>n * 24;
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
