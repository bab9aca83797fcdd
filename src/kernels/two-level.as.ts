/**
 * Coarse matrix and transfers of the two-level preconditioner: twins of step/coarse-matrix.ts and step/transfers.ts. Addresses in bytes.
 */
import { int } from "./lanes.as";

/** values += Zᵀ(JᵀWJ)Z; see addCoarseRows(). */
export function addCoarseRows(
  values: usize, Jc: usize, blocks: i32, rowsPer: i32, start: usize, index: usize, J: usize, weight: usize,
  zStart: usize, zWeight: usize, unionFirst: usize, places: usize, localFirst: usize, localOf: usize, fixed: usize,
): void {
  const bytes = <usize>(3 * rowsPer) << 3;
  for (let b = 0; b < blocks; b++, weight += <usize>rowsPer << 3) {
    const count = int(unionFirst, b + 1) - int(unionFirst, b), scaled = bytes * count, end = Jc + scaled;
    for (let at = Jc; at < end; at += 8) store<f64>(at, 0);
    for (let e = int(start, b), to = int(start, b + 1); e < to; e++) {
      const i = int(index, e), f = fixed + 3 * i;
      if (load<u8>(f) & load<u8>(f, 1) & load<u8>(f, 2)) continue;
      const row = J + bytes * e;
      for (let q = int(zStart, i), last = int(zStart, i + 1), p = int(localFirst, e); q < last; q++, p++)
        addScaled(Jc + bytes * int(localOf, p), row, load<f64>(zWeight + (<usize>q << 3)), bytes);
    }
    for (let at = Jc; at < end; )
      for (let r = 0; r < rowsPer; r++, at += 24) {
        const w = load<f64>(weight + (<usize>r << 3));
        v128.store(at + scaled, f64x2.mul(f64x2.splat(w), v128.load(at)));
        store<f64>(at + scaled, w * load<f64>(at, 16), 16);
      }
    for (let a = Jc; a < end; a += bytes)
      for (let c = a; c < end; c += bytes, places += 4) addPair(values + 72 * <usize>load<i32>(places), a, c + scaled, bytes);
  }
}

/** to += w from. */
// @ts-ignore: decorator
@inline function addScaled(to: usize, from: usize, w: f64, bytes: usize): void {
  const factor = f64x2.splat(w);
  let k: usize = 0;
  for (; k + 8 < bytes; k += 16) v128.store(to + k, f64x2.add(v128.load(to + k), f64x2.mul(factor, v128.load(from + k))));
  if (k < bytes) store<f64>(to + k, load<f64>(to + k) + w * load<f64>(from + k));
}

/** The 3×3 block at `to` += Σ x yᵀ over the rows; its rows are two numbers in a register and one. */
// @ts-ignore: decorator
@inline function addPair(to: usize, y: usize, x: usize, bytes: usize): void {
  let v0 = v128.load(to), v1 = v128.load(to, 24), v2 = v128.load(to, 48);
  let z0 = v128.load64_zero(to, 16), z1 = v128.load64_zero(to, 40), z2 = v128.load64_zero(to, 64);
  for (const end = y + bytes; y < end; x += 24, y += 24) {
    const y01 = v128.load(y), y2 = v128.load64_zero(y, 16), u0 = v128.load64_splat(x), u1 = v128.load64_splat(x, 8), u2 = v128.load64_splat(x, 16);
    v0 = f64x2.add(v0, f64x2.mul(u0, y01)); z0 = f64x2.add(z0, f64x2.mul(u0, y2));
    v1 = f64x2.add(v1, f64x2.mul(u1, y01)); z1 = f64x2.add(z1, f64x2.mul(u1, y2));
    v2 = f64x2.add(v2, f64x2.mul(u2, y01)); z2 = f64x2.add(z2, f64x2.mul(u2, y2));
  }
  v128.store(to, v0); v128.store64_lane(to, z0, 0, 16);
  v128.store(to, v1, 24); v128.store64_lane(to, z1, 0, 40);
  v128.store(to, v2, 48); v128.store64_lane(to, z2, 0, 64);
}

/** R = Zᵀ r; see transfers.ts. */
export function restrict(R: usize, coarse: i32, r: usize, samples: i32, start: usize, index: usize, weight: usize): void {
  memory.fill(R, 0, <usize>coarse * 24);
  for (let i = 0, f = r + <usize>samples * 24; i < samples; i++, r += 24, f += 48) {
    const y0 = v128.load(r), y1 = v128.load64_zero(r, 16), a0 = v128.load(f), a1 = v128.load64_zero(f, 16), b0 = v128.load(f, 24), b1 = v128.load64_zero(f, 40);
    for (let q = int(start, i), to = int(start, i + 1), w = weight + <usize>q * 24; q < to; q++, w += 24) {
      const wy = v128.load64_splat(w), wa = v128.load64_splat(w, 8), wb = v128.load64_splat(w, 16), I = R + <usize>int(index, q) * 24;
      v128.store(I, f64x2.add(v128.load(I), f64x2.add(f64x2.add(f64x2.mul(wy, y0), f64x2.mul(wa, a0)), f64x2.mul(wb, b0))));
      v128.store64_lane(I, f64x2.add(v128.load64_zero(I, 16), f64x2.add(f64x2.add(f64x2.mul(wy, y1), f64x2.mul(wa, a1)), f64x2.mul(wb, b1))), 0, 16);
    }
  }
}

// @ts-ignore: decorator
@inline function addFree(z: usize, fixed: usize, xy: v128, t: v128): void {
  if (!load<u8>(fixed)) store<f64>(z, load<f64>(z) + f64x2.extract_lane(xy, 0));
  if (!load<u8>(fixed, 1)) store<f64>(z, load<f64>(z, 8) + f64x2.extract_lane(xy, 1), 8);
  if (!load<u8>(fixed, 2)) store<f64>(z, load<f64>(z, 16) + f64x2.extract_lane(t, 0), 16);
}

/** z += Z R on the free coordinates; see transfers.ts. */
export function prolong(z: usize, samples: i32, R: usize, fixed: usize, start: usize, index: usize, weight: usize): void {
  const frames = 3 * <usize>samples;
  let f = z + (frames << 3), held = fixed + frames;
  for (let i = 0; i < samples; i++, z += 24, f += 48, fixed += 3, held += 6) {
    let y0 = f64x2.splat(0), y1 = f64x2.splat(0), a0 = f64x2.splat(0), a1 = f64x2.splat(0), b0 = f64x2.splat(0), b1 = f64x2.splat(0);
    for (let q = int(start, i), to = int(start, i + 1), w = weight + <usize>q * 24; q < to; q++, w += 24) {
      const wy = v128.load64_splat(w), wa = v128.load64_splat(w, 8), wb = v128.load64_splat(w, 16), I = R + <usize>int(index, q) * 24, xy = v128.load(I), t = v128.load64_zero(I, 16);
      y0 = f64x2.add(y0, f64x2.mul(wy, xy)); y1 = f64x2.add(y1, f64x2.mul(wy, t));
      a0 = f64x2.add(a0, f64x2.mul(wa, xy)); a1 = f64x2.add(a1, f64x2.mul(wa, t));
      b0 = f64x2.add(b0, f64x2.mul(wb, xy)); b1 = f64x2.add(b1, f64x2.mul(wb, t));
    }
    addFree(z, fixed, y0, y1); addFree(f, held, a0, a1); addFree(f + 24, held + 3, b0, b1);
  }
}

/** values += Σₑ (κ κᵀ) ⊗ S; see addCoarseForms(). */
export function addCoarseForms(values: usize, edges: i32, start: usize, weight: usize, at: usize, S: usize): void {
  for (let e = 0; e < edges; e++, S += 48) {
    const xx = load<f64>(S), xy = load<f64>(S, 8), xz = load<f64>(S, 16), yy = load<f64>(S, 24), yz = load<f64>(S, 32), zz = load<f64>(S, 40);
    const a = v128.load(S), b = f64x2.replace_lane(f64x2.splat(xz), 1, xy), c = v128.load(S, 24), d = f64x2.replace_lane(f64x2.splat(xz), 1, yz);
    const end = weight + (<usize>load<i32>(start + (<usize>(e + 1) << 2)) << 3);
    for (let p = weight + (<usize>load<i32>(start + (<usize>e << 2)) << 3); p < end; p += 8) {
      const first = load<f64>(p);
      for (let q = p; q < end; q += 8, at += 4) {
        const w = first * load<f64>(q), ww = f64x2.splat(w), v = values + <usize>load<i32>(at) * 72;
        v128.store(v, f64x2.add(v128.load(v), f64x2.mul(ww, a)));
        v128.store(v, f64x2.add(v128.load(v, 16), f64x2.mul(ww, b)), 16);
        v128.store(v, f64x2.add(v128.load(v, 32), f64x2.mul(ww, c)), 32);
        v128.store(v, f64x2.add(v128.load(v, 48), f64x2.mul(ww, d)), 48);
        store<f64>(v, load<f64>(v, 64) + w * zz, 64);
      }
    }
  }
}
