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
