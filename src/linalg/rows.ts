// biome-ignore-all format: components are kept in columns
/**
 * Dense rows over a few points each: the Jacobians of constraints, contacts and attachments.
 *
 * Block b has `rowsPer` rows that share the points index[start[b]] … index[start[b+1]]; J keeps, per entry, xyz of
 * each row. Everything a Newton step needs of them is here: Jᵀσ, JᵀWJ x, and the 3×3 diagonal blocks of JᵀWJ.
 */
import type { ReadonlyF64 } from "./arena.ts";

/** The operations as one object, so that the kernels can take their place. */
export interface RowOperations {
  addTransposed(y: Float64Array, R: BlockRows, s: ReadonlyF64): void;
  addNormalProduct(y: Float64Array, R: BlockRows, w: ReadonlyF64, x: ReadonlyF64): void;
  addNormalDiagonal(D: Float64Array, R: BlockRows, w: ReadonlyF64): void;
  invertDiagonal(D: Float64Array, fixed: Uint8Array): void;
  applyDiagonal(z: Float64Array, D: ReadonlyF64, r: ReadonlyF64): void;
}

export interface BlockRows {
  readonly rowsPer: number;
  readonly blocks: number;
  readonly start: Int32Array; // [blocks+1]
  readonly index: Int32Array; // [entries] points
  readonly J: Float64Array; // [3·rowsPer·entries]
}

/** y += Jᵀ s. */
function addTransposed(y: Float64Array, R: BlockRows, s: ReadonlyF64): void {
  const { rowsPer, blocks, start, index, J } = R;
  if (rowsPer === 3) {
    for (let b = 0; b < blocks; b++) {
      const s0 = s[3 * b], s1 = s[3 * b + 1], s2 = s[3 * b + 2];
      for (let e = start[b]; e < start[b + 1]; e++) {
        const k = 9 * e, i = 3 * index[e];
        y[i]     += J[k] * s0 + J[k + 3] * s1 + J[k + 6] * s2;
        y[i + 1] += J[k + 1] * s0 + J[k + 4] * s1 + J[k + 7] * s2;
        y[i + 2] += J[k + 2] * s0 + J[k + 5] * s1 + J[k + 8] * s2;
      }
    }
    return;
  }
  for (let b = 0; b < blocks; b++)
    for (let e = start[b]; e < start[b + 1]; e++)
      for (let r = 0; r < rowsPer; r++) {
        const k = 3 * (rowsPer * e + r), i = 3 * index[e], v = s[rowsPer * b + r];
        y[i] += J[k] * v; y[i + 1] += J[k + 1] * v; y[i + 2] += J[k + 2] * v;
      }
}

/** y += Jᵀ W J x. */
function addNormalProduct(y: Float64Array, R: BlockRows, w: ReadonlyF64, x: ReadonlyF64): void {
  const { rowsPer, blocks, start, index, J } = R;
  if (rowsPer === 3) {
    for (let b = 0; b < blocks; b++) {
      const from = start[b], to = start[b + 1];
      // x, y and z are summed apart, as registers of two numbers like it
      let ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0, cx = 0, cy = 0, cz = 0;
      for (let e = from; e < to; e++) {
        const k = 9 * e, i = 3 * index[e], u = x[i], v = x[i + 1], t = x[i + 2];
        ax += J[k] * u;     ay += J[k + 1] * v; az += J[k + 2] * t;
        bx += J[k + 3] * u; by += J[k + 4] * v; bz += J[k + 5] * t;
        cx += J[k + 6] * u; cy += J[k + 7] * v; cz += J[k + 8] * t;
      }
      const s0 = (ax + ay + az) * w[3 * b], s1 = (bx + by + bz) * w[3 * b + 1], s2 = (cx + cy + cz) * w[3 * b + 2];
      for (let e = from; e < to; e++) {
        const k = 9 * e, i = 3 * index[e];
        y[i]     += J[k] * s0 + J[k + 3] * s1 + J[k + 6] * s2;
        y[i + 1] += J[k + 1] * s0 + J[k + 4] * s1 + J[k + 7] * s2;
        y[i + 2] += J[k + 2] * s0 + J[k + 5] * s1 + J[k + 8] * s2;
      }
    }
    return;
  }
  for (let b = 0; b < blocks; b++)
    for (let r = 0; r < rowsPer; r++) {
      const from = start[b], to = start[b + 1];
      const weight = w[rowsPer * b + r];
      if (weight === 0) continue;
      let s = 0;
      for (let e = from; e < to; e++) {
        const k = 3 * (rowsPer * e + r), i = 3 * index[e];
        s += J[k] * x[i] + J[k + 1] * x[i + 1] + J[k + 2] * x[i + 2];
      }
      s *= weight;
      for (let e = from; e < to; e++) {
        const k = 3 * (rowsPer * e + r), i = 3 * index[e];
        y[i] += J[k] * s; y[i + 1] += J[k + 1] * s; y[i + 2] += J[k + 2] * s;
      }
    }
}

/** D += the 3×3 diagonal blocks of JᵀWJ; six numbers per point: xx xy xz yy yz zz. */
function addNormalDiagonal(D: Float64Array, R: BlockRows, w: ReadonlyF64): void {
  const { rowsPer, blocks, start, index, J } = R;
  for (let b = 0; b < blocks; b++)
    for (let e = start[b]; e < start[b + 1]; e++)
      for (let r = 0; r < rowsPer; r++) {
        const v = w[rowsPer * b + r], k = 3 * (rowsPer * e + r), i = 6 * index[e];
        const x = J[k], y = J[k + 1], z = J[k + 2];
        D[i]     += v * x * x; D[i + 1] += v * x * y; D[i + 2] += v * x * z;
        D[i + 3] += v * y * y; D[i + 4] += v * y * z; D[i + 5] += v * z * z;
      }
}

/** In place: each symmetric 3×3 block becomes its inverse; a held coordinate keeps no coupling and gives 0. */
function invertDiagonal(D: Float64Array, fixed: Uint8Array): void {
  for (let i = 0, k = 0; k < fixed.length; i += 6, k += 3) {
    let a = D[i], b = D[i + 1], c = D[i + 2], d = D[i + 3], e = D[i + 4], f = D[i + 5];
    const fx = fixed[k], fy = fixed[k + 1], fz = fixed[k + 2];
    if (fx) { a = 1; b = 0; c = 0; }
    if (fy) { d = 1; b = 0; e = 0; }
    if (fz) { f = 1; c = 0; e = 0; }
    const A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
    const s = 1 / (a * A + b * B + c * C);
    D[i]     = fx ? 0 : A * s;             D[i + 1] = fx || fy ? 0 : B * s; D[i + 2] = fx || fz ? 0 : C * s;
    D[i + 3] = fy ? 0 : (a * f - c * c) * s; D[i + 4] = fy || fz ? 0 : (b * c - a * e) * s;
    D[i + 5] = fz ? 0 : (a * d - b * b) * s;
  }
}

/** z = D r, block by block. */
function applyDiagonal(z: Float64Array, D: ReadonlyF64, r: ReadonlyF64): void {
  for (let i = 0, k = 0; k < z.length; i += 6, k += 3) {
    const x = r[k], y = r[k + 1], t = r[k + 2];
    z[k]     = D[i] * x + D[i + 1] * y + D[i + 2] * t;
    z[k + 1] = D[i + 1] * x + D[i + 3] * y + D[i + 4] * t;
    z[k + 2] = D[i + 2] * x + D[i + 4] * y + D[i + 5] * t;
  }
}

/** The TypeScript versions as one object, used where there are no kernels. */
export const rowOperations: RowOperations = { addTransposed, addNormalProduct, addNormalDiagonal, invertDiagonal, applyDiagonal };
