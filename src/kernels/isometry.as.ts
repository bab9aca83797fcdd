/**
 * The averaged metric: twins of system/isometry.ts, where the formulas are. Addresses in bytes.
 */
import { int } from "./lanes.as";

// @ts-ignore: decorator
@inline function num(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }

// @ts-ignore: decorator
@inline function addTo(J: usize, q: f64, qd: v128, xy: v128, z: f64, offset: i32): void {
  const k = J + offset;
  v128.store(k, f64x2.add(v128.load(k), f64x2.mul(qd, xy)));
  store<f64>(k, load<f64>(k, 16) + q * z, 16);
}
// @ts-ignore: decorator
@inline function takeFrom(J: usize, q: f64, qd: v128, xy: v128, z: f64, offset: i32): void {
  const k = J + offset;
  v128.store(k, f64x2.sub(v128.load(k), f64x2.mul(qd, xy)));
  store<f64>(k, load<f64>(k, 16) - q * z, 16);
}

/** g and J at every block; see metric(). */
export function metric(g: usize, J: usize, Y: usize, blocks: i32, start: usize, index: usize, triStart: usize, local: usize, q: usize): void {
  for (let b = 0; b < blocks; b++) {
    const first = int(start, b), last = int(start, b + 1);
    memory.fill(J + <usize>first * 72, 0, <usize>(last - first) * 72);
    let s0 = -1.4142135623730951, s1: f64 = 0, s2: f64 = 0;
    for (let p = int(triStart, b), to = int(triStart, b + 1); p < to; p++) {
      for (let k = 0; k < 3; k++) {
        const ea = int(local, 3 * p + (k == 2 ? 0 : k + 1)), eb = int(local, 3 * p + (k == 0 ? 2 : k - 1));
        const a = Y + <usize>int(index, ea) * 24, c = Y + <usize>int(index, eb) * 24;
        const x = load<f64>(c) - load<f64>(a), y = load<f64>(c, 8) - load<f64>(a, 8), z = load<f64>(c, 16) - load<f64>(a, 16);
        const l = x * x + y * y + z * z;
        const at = q + (<usize>(9 * p + 3 * k) << 3);
        const q0 = load<f64>(at), q1 = load<f64>(at, 8), q2 = load<f64>(at, 16);
        s0 += q0 * l; s1 += q1 * l; s2 += q2 * l;
        const xy = f64x2.replace_lane(f64x2.splat(2 * x), 1, 2 * y), z2 = 2 * z;
        const A = J + <usize>ea * 72, C = J + <usize>eb * 72;
        const d0 = f64x2.splat(q0), d1 = f64x2.splat(q1), d2 = f64x2.splat(q2);
        addTo(C, q0, d0, xy, z2, 0); addTo(C, q1, d1, xy, z2, 24); addTo(C, q2, d2, xy, z2, 48);
        takeFrom(A, q0, d0, xy, z2, 0); takeFrom(A, q1, d1, xy, z2, 24); takeFrom(A, q2, d2, xy, z2, 48);
      }
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
      const a = Y + <usize>int(index, int(local, 3 * p)) * 24, c = Y + <usize>int(index, int(local, 3 * p + 1)) * 24, d = Y + <usize>int(index, int(local, 3 * p + 2)) * 24;
      const ax = load<f64>(a), ay = load<f64>(a, 8), az = load<f64>(a, 16);
      const cx = load<f64>(c), cy = load<f64>(c, 8), cz = load<f64>(c, 16);
      const dx = load<f64>(d), dy = load<f64>(d, 8), dz = load<f64>(d, 16);
      const at = q + (<usize>(9 * p) << 3);
      let x = dx - cx, y = dy - cy, z = dz - cz;
      let l = x * x + y * y + z * z;
      s0 += load<f64>(at) * l; s1 += load<f64>(at, 8) * l; s2 += load<f64>(at, 16) * l;
      x = ax - dx; y = ay - dy; z = az - dz;
      l = x * x + y * y + z * z;
      s0 += load<f64>(at, 24) * l; s1 += load<f64>(at, 32) * l; s2 += load<f64>(at, 40) * l;
      x = cx - ax; y = cy - ay; z = cz - az;
      l = x * x + y * y + z * z;
      s0 += load<f64>(at, 48) * l; s1 += load<f64>(at, 56) * l; s2 += load<f64>(at, 64) * l;
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
export function limitMetric(
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
export function addTriangleStress(values: usize, triangles: i32, ee: usize, dual: usize, at: usize, s: usize, clamp: i32): void {
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
