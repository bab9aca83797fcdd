/**
 * Coarse matrix and transfers of the two-level preconditioner: twins of step/two-level.ts. Addresses in bytes.
 */
import { int } from "./lanes.as";

/** values += Zᵀ(JᵀWJ)Z; see addCoarseRows(). */
export function addCoarseRows(
  values: usize, lowerStart: usize, lowerIndex: usize, column: usize, Jc: usize,
  blocks: i32, rowsPer: i32, start: usize, index: usize, J: usize, weight: usize, share: f64,
  zStart: usize, zWeight: usize, unionFirst: usize, unionIndex: usize, localFirst: usize, localOf: usize, fixed: usize,
): void {
  const width = 3 * rowsPer;
  const bytes = <usize>width << 3;
  for (let b = 0; b < blocks; b++) {
    const first = int(unionFirst, b), count = int(unionFirst, b + 1) - first;
    memory.fill(Jc, 0, bytes * count);
    for (let e = int(start, b), to = int(start, b + 1); e < to; e++) {
      const i = int(index, e);
      const f = fixed + 3 * i;
      if (load<u8>(f) & load<u8>(f, 1) & load<u8>(f, 2)) continue;
      const row = J + bytes * e;
      for (let q = int(zStart, i), end = int(zStart, i + 1), p = int(localFirst, e); q < end; q++, p++) {
        const w = load<f64>(zWeight + (<usize>q << 3));
        const at = Jc + bytes * int(localOf, p);
        for (let k: usize = 0; k < bytes; k += 8) store<f64>(at + k, load<f64>(at + k) + w * load<f64>(row + k));
      }
    }
    for (let a = 0; a < count; a++) {
      const I = int(unionIndex, first + a);
      for (let p = int(lowerStart, I), end = int(lowerStart, I + 1); p < end; p++) store<i32>(column + (<usize>int(lowerIndex, p) << 2), p);
      for (let c = 0; c < count; c++) {
        const K = int(unionIndex, first + c);
        if (K < I) continue;
        const at = values + 72 * <usize>int(column, K);
        let v0 = load<f64>(at), v1 = load<f64>(at, 8), v2 = load<f64>(at, 16), v3 = load<f64>(at, 24), v4 = load<f64>(at, 32), v5 = load<f64>(at, 40), v6 = load<f64>(at, 48), v7 = load<f64>(at, 56), v8 = load<f64>(at, 64);
        for (let r = 0; r < rowsPer; r++) {
          const w = load<f64>(weight + (<usize>(rowsPer * b + r) << 3)) / share;
          const x = Jc + (<usize>(width * c + 3 * r) << 3), y = Jc + (<usize>(width * a + 3 * r) << 3);
          const y0 = load<f64>(y), y1 = load<f64>(y, 8), y2 = load<f64>(y, 16);
          const u0 = w * load<f64>(x), u1 = w * load<f64>(x, 8), u2 = w * load<f64>(x, 16);
          v0 += u0 * y0; v1 += u0 * y1; v2 += u0 * y2;
          v3 += u1 * y0; v4 += u1 * y1; v5 += u1 * y2;
          v6 += u2 * y0; v7 += u2 * y1; v8 += u2 * y2;
        }
        store<f64>(at, v0); store<f64>(at, v1, 8); store<f64>(at, v2, 16); store<f64>(at, v3, 24); store<f64>(at, v4, 32); store<f64>(at, v5, 40); store<f64>(at, v6, 48); store<f64>(at, v7, 56); store<f64>(at, v8, 64);
      }
    }
  }
}

/** R = Zᵀ r on xyz; see restrict(). */
export function restrict(R: usize, coarse: i32, r: usize, n: i32, zStart: usize, zIndex: usize, zWeight: usize): void {
  memory.fill(R, 0, <usize>coarse * 24);
  for (let i = 0; i < n; i++, r += 24) {
    const xy = v128.load(r), z = v128.load64_zero(r, 16);
    for (let q = int(zStart, i), to = int(zStart, i + 1); q < to; q++) {
      const w = v128.load64_splat(zWeight + (<usize>q << 3));
      const I = R + <usize>int(zIndex, q) * 24;
      v128.store(I, f64x2.add(v128.load(I), f64x2.mul(w, xy)));
      v128.store64_lane(I, f64x2.add(v128.load64_zero(I, 16), f64x2.mul(w, z)), 0, 16);
    }
  }
}

/** z += Z R on the free coordinates; see prolong(). */
export function prolong(z: usize, n: i32, R: usize, fixed: usize, zStart: usize, zIndex: usize, zWeight: usize): void {
  for (let i = 0; i < n; i++, z += 24, fixed += 3) {
    let xy = f64x2.splat(0), t = f64x2.splat(0);
    for (let q = int(zStart, i), to = int(zStart, i + 1); q < to; q++) {
      const w = v128.load64_splat(zWeight + (<usize>q << 3));
      const I = R + <usize>int(zIndex, q) * 24;
      xy = f64x2.add(xy, f64x2.mul(w, v128.load(I)));
      t = f64x2.add(t, f64x2.mul(w, v128.load64_zero(I, 16)));
    }
    if (!load<u8>(fixed)) store<f64>(z, load<f64>(z) + f64x2.extract_lane(xy, 0));
    if (!load<u8>(fixed, 1)) store<f64>(z, load<f64>(z, 8) + f64x2.extract_lane(xy, 1), 8);
    if (!load<u8>(fixed, 2)) store<f64>(z, load<f64>(z, 16) + f64x2.extract_lane(t, 0), 16);
  }
}
