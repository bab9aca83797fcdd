/**
 * Dense rows over a few points each: twins of linalg/rows.ts, where the formulas are. Addresses in bytes.
 * x and y of a point share a register, z stands alone.
 */
import { int, zero } from "./lanes.as";

// @ts-ignore: decorator
@inline function at(base: usize, i: i32): usize { return base + (<usize>i << 3); }
// @ts-ignore: decorator
@inline function num(base: usize, i: i32): f64 { return load<f64>(base + (<usize>i << 3)); }

/** y += Jᵀ s, three rows per block. */
function transposed3(y: usize, blocks: i32, start: usize, index: usize, J: usize, s: usize): void {
  let e = int(start, 0);
  let k = J + <usize>e * 72;
  for (let b = 0; b < blocks; b++) {
    const to = int(start, b + 1);
    const s0 = load<f64>(s), s1 = load<f64>(s, 8), s2 = load<f64>(s, 16);
    const t0 = f64x2.splat(s0), t1 = f64x2.splat(s1), t2 = f64x2.splat(s2);
    s += 24;
    for (; e < to; e++) {
      const i = y + <usize>int(index, e) * 24;
      const xy = f64x2.add(f64x2.add(f64x2.mul(v128.load(k), t0), f64x2.mul(v128.load(k, 24), t1)), f64x2.mul(v128.load(k, 48), t2));
      v128.store(i, f64x2.add(v128.load(i), xy));
      store<f64>(i, load<f64>(i, 16) + (load<f64>(k, 16) * s0 + load<f64>(k, 40) * s1 + load<f64>(k, 64) * s2), 16);
      k += 72;
    }
  }
}

export function addTransposed(y: usize, rowsPer: i32, blocks: i32, start: usize, index: usize, J: usize, s: usize): void {
  if (rowsPer == 3) { transposed3(y, blocks, start, index, J, s); return; }
  for (let b = 0; b < blocks; b++)
    for (let e = int(start, b), to = int(start, b + 1); e < to; e++)
      for (let r = 0; r < rowsPer; r++) {
        const k = at(J, 3 * (rowsPer * e + r)), i = y + <usize>int(index, e) * 24;
        const v = num(s, rowsPer * b + r);
        store<f64>(i, load<f64>(i) + load<f64>(k) * v);
        store<f64>(i, load<f64>(i, 8) + load<f64>(k, 8) * v, 8);
        store<f64>(i, load<f64>(i, 16) + load<f64>(k, 16) * v, 16);
      }
}

function normal3(y: usize, blocks: i32, start: usize, index: usize, J: usize, w: usize, x: usize): void {
  let from = int(start, 0);
  let block = J + <usize>from * 72;
  for (let b = 0; b < blocks; b++) {
    const to = int(start, b + 1);
    let a = zero(), c = zero(), d = zero();
    let az: f64 = 0, cz: f64 = 0, dz: f64 = 0;
    let k = block;
    for (let e = from; e < to; e++) {
      const i = x + <usize>int(index, e) * 24;
      const uv = v128.load(i);
      const t = load<f64>(i, 16);
      a = f64x2.add(a, f64x2.mul(v128.load(k), uv));
      c = f64x2.add(c, f64x2.mul(v128.load(k, 24), uv));
      d = f64x2.add(d, f64x2.mul(v128.load(k, 48), uv));
      az += load<f64>(k, 16) * t;
      cz += load<f64>(k, 40) * t;
      dz += load<f64>(k, 64) * t;
      k += 72;
    }
    const s0 = (f64x2.extract_lane(a, 0) + f64x2.extract_lane(a, 1) + az) * load<f64>(w);
    const s1 = (f64x2.extract_lane(c, 0) + f64x2.extract_lane(c, 1) + cz) * load<f64>(w, 8);
    const s2 = (f64x2.extract_lane(d, 0) + f64x2.extract_lane(d, 1) + dz) * load<f64>(w, 16);
    w += 24;
    const t0 = f64x2.splat(s0), t1 = f64x2.splat(s1), t2 = f64x2.splat(s2);
    k = block;
    for (let e = from; e < to; e++) {
      const i = y + <usize>int(index, e) * 24;
      const xy = f64x2.add(f64x2.add(f64x2.mul(v128.load(k), t0), f64x2.mul(v128.load(k, 24), t1)), f64x2.mul(v128.load(k, 48), t2));
      v128.store(i, f64x2.add(v128.load(i), xy));
      store<f64>(i, load<f64>(i, 16) + (load<f64>(k, 16) * s0 + load<f64>(k, 40) * s1 + load<f64>(k, 64) * s2), 16);
      k += 72;
    }
    block = k;
    from = to;
  }
}

export function addNormalProduct(y: usize, rowsPer: i32, blocks: i32, start: usize, index: usize, J: usize, w: usize, x: usize): void {
  if (rowsPer == 3) { normal3(y, blocks, start, index, J, w, x); return; }
  for (let b = 0; b < blocks; b++)
    for (let r = 0; r < rowsPer; r++) {
      const from = int(start, b), to = int(start, b + 1);
      const weight = num(w, rowsPer * b + r);
      if (weight == 0) continue;
      let s: f64 = 0;
      for (let e = from; e < to; e++) {
        const k = at(J, 3 * (rowsPer * e + r)), i = x + <usize>int(index, e) * 24;
        s += load<f64>(k) * load<f64>(i) + load<f64>(k, 8) * load<f64>(i, 8) + load<f64>(k, 16) * load<f64>(i, 16);
      }
      s *= weight;
      for (let e = from; e < to; e++) {
        const k = at(J, 3 * (rowsPer * e + r)), i = y + <usize>int(index, e) * 24;
        store<f64>(i, load<f64>(i) + load<f64>(k) * s);
        store<f64>(i, load<f64>(i, 8) + load<f64>(k, 8) * s, 8);
        store<f64>(i, load<f64>(i, 16) + load<f64>(k, 16) * s, 16);
      }
    }
}

export function addNormalDiagonal(D: usize, rowsPer: i32, blocks: i32, start: usize, index: usize, J: usize, w: usize): void {
  let e = int(start, 0);
  let k = at(J, 3 * rowsPer * e);
  for (let b = 0; b < blocks; b++, w += <usize>rowsPer << 3)
    for (const to = int(start, b + 1); e < to; e++) {
      const i = D + <usize>int(index, e) * 48;
      let xxxy = v128.load(i), xzyy = v128.load(i, 16), yzzz = v128.load(i, 32);
      for (let r = 0; r < rowsPer; r++, k += 24) {
        const v = v128.load64_splat(w + (<usize>r << 3));
        const xy = v128.load(k), zz = v128.load64_splat(k, 16);
        const vx = f64x2.mul(v, v128.load64_splat(k)), vxy = f64x2.mul(v, xy), vyz = f64x2.mul(v, v128.load(k, 8));
        xxxy = f64x2.add(xxxy, f64x2.mul(vx, xy));
        xzyy = f64x2.add(xzyy, f64x2.mul(vxy, v128.shuffle<f64>(zz, xy, 0, 3)));
        yzzz = f64x2.add(yzzz, f64x2.mul(vyz, zz));
      }
      v128.store(i, xxxy); v128.store(i, xzyy, 16); v128.store(i, yzzz, 32);
    }
}

export function invertDiagonal(D: usize, fixed: usize, length: i32): void {
  for (let k = 0; k < length; k += 3, D += 48) {
    let a = load<f64>(D), b = load<f64>(D, 8), c = load<f64>(D, 16), d = load<f64>(D, 24), e = load<f64>(D, 32), f = load<f64>(D, 40);
    const fx = load<u8>(fixed + k), fy = load<u8>(fixed + k, 1), fz = load<u8>(fixed + k, 2);
    if (fx) { a = 1; b = 0; c = 0; }
    if (fy) { d = 1; b = 0; e = 0; }
    if (fz) { f = 1; c = 0; e = 0; }
    const A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
    const s = 1 / (a * A + b * B + c * C);
    store<f64>(D, fx ? 0 : A * s);
    store<f64>(D, fx | fy ? 0 : B * s, 8);
    store<f64>(D, fx | fz ? 0 : C * s, 16);
    store<f64>(D, fy ? 0 : (a * f - c * c) * s, 24);
    store<f64>(D, fy | fz ? 0 : (b * c - a * e) * s, 32);
    store<f64>(D, fz ? 0 : (a * d - b * b) * s, 40);
  }
}

export function applyDiagonal(z: usize, D: usize, r: usize, length: i32): void {
  for (let k = 0; k < length; k += 3) {
    const x = load<f64>(r), y = load<f64>(r, 8), t = load<f64>(r, 16);
    store<f64>(z, load<f64>(D) * x + load<f64>(D, 8) * y + load<f64>(D, 16) * t);
    store<f64>(z, load<f64>(D, 8) * x + load<f64>(D, 24) * y + load<f64>(D, 32) * t, 8);
    store<f64>(z, load<f64>(D, 16) * x + load<f64>(D, 32) * y + load<f64>(D, 40) * t, 16);
    z += 24; r += 24; D += 48;
  }
}
