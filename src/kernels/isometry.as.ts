/**
 * The averaged metric: twins of system/isometry.ts, where the formulas are. Addresses in bytes.
 */
import { int } from "./lanes.as";

// @ts-ignore: decorator
@inline function num(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }

/** J += a − b of one row at three corners, a and b the products of q with twice the edges that meet there. */
// @ts-ignore: decorator
@inline function addRow(c0: usize, c1: usize, c2: usize, q0: f64, q1: f64, q2: f64, xy0: v128, xy1: v128, xy2: v128, z0: f64, z1: f64, z2: f64): void {
  const e0 = f64x2.mul(f64x2.splat(q0), xy0), e1 = f64x2.mul(f64x2.splat(q1), xy1), e2 = f64x2.mul(f64x2.splat(q2), xy2);
  v128.store(c0, f64x2.add(v128.load(c0), f64x2.sub(e1, e2)));
  v128.store(c1, f64x2.add(v128.load(c1), f64x2.sub(e2, e0)));
  v128.store(c2, f64x2.add(v128.load(c2), f64x2.sub(e0, e1)));
  const f0 = q0 * z0, f1 = q1 * z1, f2 = q2 * z2;
  store<f64>(c0, load<f64>(c0, 16) + (f1 - f2), 16);
  store<f64>(c1, load<f64>(c1, 16) + (f2 - f0), 16);
  store<f64>(c2, load<f64>(c2, 16) + (f0 - f1), 16);
}

// @ts-ignore: decorator
@inline function squared(xy: v128, z: f64): f64 {
  const s = f64x2.mul(xy, xy);
  return f64x2.extract_lane(s, 0) + f64x2.extract_lane(s, 1) + z * z;
}

/** g and J at every block; see metric(). */
export function metric(g: usize, J: usize, Y: usize, blocks: i32, start: usize, index: usize, triStart: usize, local: usize, q: usize): void {
  const two = f64x2.splat(2);
  for (let b = 0; b < blocks; b++) {
    const first = int(start, b), last = int(start, b + 1);
    memory.fill(J + <usize>first * 72, 0, <usize>(last - first) * 72);
    let s0 = -1.4142135623730951, s1: f64 = 0, s2: f64 = 0;
    const from = int(triStart, b);
    let at = q + <usize>from * 72;
    let corners = local + <usize>from * 12;
    for (const end = local + <usize>int(triStart, b + 1) * 12; corners < end; corners += 12, at += 72) {
      const n0 = load<i32>(corners), n1 = load<i32>(corners, 4), n2 = load<i32>(corners, 8);
      const i = Y + <usize>int(index, n0) * 24, j = Y + <usize>int(index, n1) * 24, k = Y + <usize>int(index, n2) * 24;
      const xyi = v128.load(i), xyj = v128.load(j), xyk = v128.load(k);
      const zi = load<f64>(i, 16), zj = load<f64>(j, 16), zk = load<f64>(k, 16);
      let xy0 = f64x2.sub(xyk, xyj), xy1 = f64x2.sub(xyi, xyk), xy2 = f64x2.sub(xyj, xyi);
      let z0 = zk - zj, z1 = zi - zk, z2 = zj - zi;
      const q00 = load<f64>(at), q01 = load<f64>(at, 8), q02 = load<f64>(at, 16);
      const q10 = load<f64>(at, 24), q11 = load<f64>(at, 32), q12 = load<f64>(at, 40);
      const q20 = load<f64>(at, 48), q21 = load<f64>(at, 56), q22 = load<f64>(at, 64);
      const l0 = squared(xy0, z0), l1 = squared(xy1, z1), l2 = squared(xy2, z2);
      s0 += q00 * l0; s1 += q01 * l0; s2 += q02 * l0;
      s0 += q10 * l1; s1 += q11 * l1; s2 += q12 * l1;
      s0 += q20 * l2; s1 += q21 * l2; s2 += q22 * l2;
      xy0 = f64x2.mul(xy0, two); xy1 = f64x2.mul(xy1, two); xy2 = f64x2.mul(xy2, two);
      z0 *= 2; z1 *= 2; z2 *= 2;
      const c0 = J + <usize>n0 * 72, c1 = J + <usize>n1 * 72, c2 = J + <usize>n2 * 72;
      addRow(c0, c1, c2, q00, q10, q20, xy0, xy1, xy2, z0, z1, z2);
      addRow(c0 + 24, c1 + 24, c2 + 24, q01, q11, q21, xy0, xy1, xy2, z0, z1, z2);
      addRow(c0 + 48, c1 + 48, c2 + 48, q02, q12, q22, xy0, xy1, xy2, z0, z1, z2);
    }
    store<f64>(g, s0); store<f64>(g, s1, 8); store<f64>(g, s2, 16);
    g += 24;
  }
}

// @ts-ignore: decorator
@inline function stretch(s0: f64, s1: f64, s2: f64): f64 {
  const r = sqrt(s1 * s1 + s2 * s2);
  if (s0 <= -r) return 0;
  return s0 >= r ? sqrt(s0 * s0 + r * r) : (s0 + r) / 1.4142135623730951;
}

/** Σψ; see metricEnergy(). */
export function metricEnergy(Y: usize, blocks: i32, index: usize, triStart: usize, local: usize, q: usize, stiffness: usize, lambda: usize, tolerance: f64, shorter: f64, limit: f64): f64 {
  let E: f64 = 0;
  for (let b = 0; b < blocks; b++) {
    let s0 = -1.4142135623730951, s1: f64 = 0, s2: f64 = 0;
    for (let p = int(triStart, b), to = int(triStart, b + 1); p < to; p++) {
      const i = Y + <usize>int(index, int(local, 3 * p)) * 24, j = Y + <usize>int(index, int(local, 3 * p + 1)) * 24, k = Y + <usize>int(index, int(local, 3 * p + 2)) * 24;
      const xyi = v128.load(i), xyj = v128.load(j), xyk = v128.load(k);
      const zi = load<f64>(i, 16), zj = load<f64>(j, 16), zk = load<f64>(k, 16);
      const at = q + (<usize>(9 * p) << 3);
      const l0 = squared(f64x2.sub(xyk, xyj), zk - zj);
      s0 += load<f64>(at) * l0; s1 += load<f64>(at, 8) * l0; s2 += load<f64>(at, 16) * l0;
      const l1 = squared(f64x2.sub(xyi, xyk), zi - zk);
      s0 += load<f64>(at, 24) * l1; s1 += load<f64>(at, 32) * l1; s2 += load<f64>(at, 40) * l1;
      const l2 = squared(f64x2.sub(xyj, xyi), zj - zi);
      s0 += load<f64>(at, 48) * l2; s1 += load<f64>(at, 56) * l2; s2 += load<f64>(at, 64) * l2;
    }
    const w = num(stiffness, 3 * b), W = limit * w;
    const over = W > 0 ? stretch(s0, s1, s2) - tolerance + num(lambda, b) / W : 0;
    const under = stretch(-s0, s1, s2) - shorter;
    E += 0.5 * w * (s0 * s0 + s1 * s1 + s2 * s2);
    if (over > 0) E += 0.5 * W * over * over;
    if (under > 0) E += 0.5 * W * under * under;
  }
  return E;
}

/** s[3t+k] = Σ over the neighbourhoods of stress : Qₖ; see edgeStress(). */
export function edgeStress(s: usize, triangles3: i32, stress: usize, blocks: i32, triStart: usize, tri: usize, q: usize): void {
  memory.fill(s, 0, <usize>triangles3 << 3);
  for (let b = 0; b < blocks; b++) {
    const m0 = load<f64>(stress), m1 = load<f64>(stress, 8), m2 = load<f64>(stress, 16);
    stress += 24;
    for (let p = int(triStart, b), to = int(triStart, b + 1); p < to; p++) {
      const k = s + (<usize>(3 * int(tri, p)) << 3), at = q + (<usize>(9 * p) << 3);
      store<f64>(k, load<f64>(k) + (m0 * load<f64>(at) + m1 * load<f64>(at, 8) + m2 * load<f64>(at, 16)));
      store<f64>(k, load<f64>(k, 8) + (m0 * load<f64>(at, 24) + m1 * load<f64>(at, 32) + m2 * load<f64>(at, 40)), 8);
      store<f64>(k, load<f64>(k, 16) + (m0 * load<f64>(at, 48) + m1 * load<f64>(at, 56) + m2 * load<f64>(at, 64)), 16);
    }
  }
}

// @ts-ignore: decorator
@inline function put3(at: usize, a: f64, b: f64, c: f64): void { store<f64>(at, a); store<f64>(at, b, 8); store<f64>(at, c, 16); }

/** sigma, weight and stress of every block of the averaged metric, its rows turned beyond the limit; leaves the largest over `shorter`, the largest |g| and Σψ in `extremes`; see limitRows(). */
export function limitRows(
  extremes: usize, g: usize, J: usize, sigma: usize, stress: usize, weight: usize, stretches: usize, lambda: usize, stiffness: usize,
  blocks: i32, start: usize, tolerance: f64, shorter: f64, limit: f64,
): void {
  let most: f64 = 0, largest: f64 = 0, energy: f64 = 0;
  for (let b = 0; b < blocks; b++, g += 24, sigma += 24, stress += 24, weight += 24, stiffness += 24) {
    const g0 = load<f64>(g), g1 = load<f64>(g, 8), g2 = load<f64>(g, 16);
    const s = sqrt(g0 * g0 + g1 * g1 + g2 * g2);
    if (!(s <= largest)) largest = s;
    const w = load<f64>(stiffness), W = limit * w;
    const stretched = stretch(g0, g1, g2), pressed = stretch(-g0, g1, g2);
    store<f64>(stretches + (<usize>b << 3), stretched);
    if (stretched > most * shorter) most = stretched / shorter;
    if (pressed > most * shorter) most = pressed / shorter;
    let over = stretched - tolerance;
    if (W > 0) over += num(lambda, b) / W;
    const under = pressed - shorter;
    energy += 0.5 * w * (g0 * g0 + g1 * g1 + g2 * g2);
    if (over > 0) energy += 0.5 * W * over * over;
    if (under > 0) energy += 0.5 * W * under * under;
    if (stretched > 0 && pressed > 0) {
      if (over > 0 || under > 0) {
        limitBoth(g, J, sigma, stress, weight, int(start, b), int(start, b + 1), w, W, over > 0 ? over : 0, under > 0 ? under : 0);
        continue;
      }
    } else if (pressed > 0) over = under;
    const extra = over > 0 && s > 0 ? (W * over) / s : 0;
    const all = w + extra;
    put3(stress, all * g0, all * g1, all * g2);
    put3(sigma, all * g0, all * g1, all * g2);
    put3(weight, all, all, all);
    if (!(extra > 0)) continue;
    store<f64>(weight, w + W);
    const sign: f64 = g0 < 0 ? -1 : 1;
    const v0 = g0 / s + sign, v1 = g1 / s, v2 = g2 / s;
    const f = 2 / (v0 * v0 + v1 * v1 + v2 * v2);
    for (let k = J + <usize>int(start, b) * 72, end = J + <usize>int(start, b + 1) * 72; k < end; k += 72)
      for (let c = k; c < k + 24; c += 8) {
        const d = f * (v0 * load<f64>(c) + v1 * load<f64>(c, 24) + v2 * load<f64>(c, 48));
        store<f64>(c, load<f64>(c) - d * v0);
        store<f64>(c, load<f64>(c, 24) - d * v1, 24);
        store<f64>(c, load<f64>(c, 48) - d * v2, 48);
      }
    put3(g, -sign * s, 0, 0);
    put3(sigma, -sign * all * s, 0, 0);
  }
  store<f64>(extremes, most);
  store<f64>(extremes, largest, 8);
  store<f64>(extremes, energy, 16);
}

function limitBoth(
  g: usize, J: usize, sigma: usize, stress: usize, weight: usize, from: i32, to: i32, w: f64, W: f64, over: f64, under: f64,
): void {
  const g0 = load<f64>(g), g1 = load<f64>(g, 8), g2 = load<f64>(g, 16);
  const rho = sqrt(g1 * g1 + g2 * g2);
  const x = g1 / rho, y = g2 / rho, h = 1 / 1.4142135623730951;
  const first = h * (g0 + rho), second = h * (g0 - rho);
  const sum = h * W * (over - under), difference = h * W * (over + under);
  put3(stress, w * g0 + sum, w * g1 + difference * x, w * g2 + difference * y);
  for (let k = J + <usize>from * 72, end = J + <usize>to * 72; k < end; k += 72)
    for (let c = k; c < k + 24; c += 8) {
      const j0 = load<f64>(c), j1 = load<f64>(c, 24), j2 = load<f64>(c, 48);
      const along = x * j1 + y * j2;
      store<f64>(c, x * j2 - y * j1, 48);
      store<f64>(c, h * (j0 + along));
      store<f64>(c, h * (j0 - along), 24);
    }
  put3(g, first, second, 0);
  put3(sigma, w * first + W * over, w * second - W * under, 0);
  put3(weight, over > 0 ? w + W : w, under > 0 ? w + W : w, w + (W * (over + under)) / (first - second));
}

// @ts-ignore: decorator
@inline function edgeLaplacian(values: usize, at: usize, near: i32, far: i32, k: i32, w: f64): void {
  const a = values + (<usize>int(at, near) << 3);
  store<f64>(a, load<f64>(a) + w);
  const c = values + (<usize>int(at, far) << 3);
  store<f64>(c, load<f64>(c) + w);
  const d = values + (<usize>int(at, 3 + k) << 3);
  store<f64>(d, load<f64>(d) - w);
  const e = values + (<usize>int(at, 6 + k) << 3);
  store<f64>(e, load<f64>(e) - w);
}

/** values += edge Laplacians of the triangles' stress, clamped or exact; see addTriangleStress(). */
export function addTriangleStress(values: usize, sides: i32, ee: usize, dual: usize, at: usize, s: usize, clamp: i32): void {
  const triangles = sides / 3;
  for (let t = 0; t < triangles; t++, ee += 72, dual += 72, at += 36, s += 24) {
    const s0 = load<f64>(s), s1 = load<f64>(s, 8), s2 = load<f64>(s, 16);
    if (!clamp) {
      edgeLaplacian(values, at, 1, 2, 0, 2 * s0);
      edgeLaplacian(values, at, 2, 0, 1, 2 * s1);
      edgeLaplacian(values, at, 0, 1, 2, 2 * s2);
      continue;
    }
    let a = s0 * load<f64>(ee) + s1 * load<f64>(ee, 24) + s2 * load<f64>(ee, 48);
    let b = s0 * load<f64>(ee, 8) + s1 * load<f64>(ee, 32) + s2 * load<f64>(ee, 56);
    let d = s0 * load<f64>(ee, 16) + s1 * load<f64>(ee, 40) + s2 * load<f64>(ee, 64);
    const mean = 0.5 * (a + d), diff = 0.5 * (a - d), r = sqrt(diff * diff + b * b);
    if (!(mean - r >= 0)) {
      if (mean + r <= 0) { a = 0; b = 0; d = 0; }
      else {
        const f = (mean + r) / (2 * r), low = mean - r;
        a = f * (a - low); b = f * b; d = f * (d - low);
      }
    }
    edgeLaplacian(values, at, 1, 2, 0, 2 * (load<f64>(dual) * a + load<f64>(dual, 8) * b + load<f64>(dual, 16) * d));
    edgeLaplacian(values, at, 2, 0, 1, 2 * (load<f64>(dual, 24) * a + load<f64>(dual, 32) * b + load<f64>(dual, 40) * d));
    edgeLaplacian(values, at, 0, 1, 2, 2 * (load<f64>(dual, 48) * a + load<f64>(dual, 56) * b + load<f64>(dual, 64) * d));
  }
}
