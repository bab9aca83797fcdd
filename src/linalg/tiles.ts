// biome-ignore-all format: components are kept in columns
/**
 * Arithmetic on 4×4 tiles, the only place where Cholesky multiplies.
 *
 * A tile is 16 numbers by columns: entry (r, c) at 4c + r. A panel is four rows of L stored by columns,
 * so that columns k … k+K of it are K consecutive groups of four numbers. Sixteen sums fit into the
 * registers of the kernels (kernels/tiles.as.ts), which do the same operations in the same order.
 */

/**
 * C −= A Bᵀ, the sum over K columns formed first.
 *
 * @param C  tile, at c
 * @param L  panels, A from a on and B from b on
 */
export function subtractProduct(
  C: Float64Array, c: number, L: Float64Array, a: number, b: number, K: number,
): void {
  let s00 = 0, s10 = 0, s20 = 0, s30 = 0, s01 = 0, s11 = 0, s21 = 0, s31 = 0;
  let s02 = 0, s12 = 0, s22 = 0, s32 = 0, s03 = 0, s13 = 0, s23 = 0, s33 = 0;
  const end = a + 4 * K;
  for (let p = a, q = b; p < end; p += 4, q += 4) {
    const a0 = L[p], a1 = L[p + 1], a2 = L[p + 2], a3 = L[p + 3];
    const b0 = L[q], b1 = L[q + 1], b2 = L[q + 2], b3 = L[q + 3];
    s00 += a0 * b0; s10 += a1 * b0; s20 += a2 * b0; s30 += a3 * b0;
    s01 += a0 * b1; s11 += a1 * b1; s21 += a2 * b1; s31 += a3 * b1;
    s02 += a0 * b2; s12 += a1 * b2; s22 += a2 * b2; s32 += a3 * b2;
    s03 += a0 * b3; s13 += a1 * b3; s23 += a2 * b3; s33 += a3 * b3;
  }
  C[c]      -= s00; C[c + 1]  -= s10; C[c + 2]  -= s20; C[c + 3]  -= s30;
  C[c + 4]  -= s01; C[c + 5]  -= s11; C[c + 6]  -= s21; C[c + 7]  -= s31;
  C[c + 8]  -= s02; C[c + 9]  -= s12; C[c + 10] -= s22; C[c + 11] -= s32;
  C[c + 12] -= s03; C[c + 13] -= s13; C[c + 14] -= s23; C[c + 15] -= s33;
}

/**
 * D = G Gᵀ in place, lower triangle; the diagonal keeps 1/Gᵢᵢ, which is what factor and solve multiply by.
 * Returns 0, or 1 + the row whose pivot is not positive.
 */
export function factorTile(L: Float64Array, d: number): number {
  const p0 = L[d];
  if (!(p0 > 0)) return 1;
  const g00 = 1 / Math.sqrt(p0);
  const g10 = L[d + 1] * g00, g20 = L[d + 2] * g00, g30 = L[d + 3] * g00;
  const p1 = L[d + 5] - g10 * g10;
  if (!(p1 > 0)) return 2;
  const g11 = 1 / Math.sqrt(p1);
  const g21 = (L[d + 6] - g20 * g10) * g11, g31 = (L[d + 7] - g30 * g10) * g11;
  const p2 = L[d + 10] - g20 * g20 - g21 * g21;
  if (!(p2 > 0)) return 3;
  const g22 = 1 / Math.sqrt(p2);
  const g32 = (L[d + 11] - g30 * g20 - g31 * g21) * g22;
  const p3 = L[d + 15] - g30 * g30 - g31 * g31 - g32 * g32;
  if (!(p3 > 0)) return 4;
  L[d]      = g00;
  L[d + 1]  = g10; L[d + 5]  = g11;
  L[d + 2]  = g20; L[d + 6]  = g21; L[d + 10] = g22;
  L[d + 3]  = g30; L[d + 7]  = g31; L[d + 11] = g32; L[d + 15] = 1 / Math.sqrt(p3);
  return 0;
}

/** C = (C) G⁻ᵀ for the factored tile G at d: four rows of L from what is left of A. */
export function solveTile(L: Float64Array, c: number, d: number): void {
  const i0 = L[d],      g10 = L[d + 1],  g20 = L[d + 2],  g30 = L[d + 3];
  const i1 = L[d + 5],  g21 = L[d + 6],  g31 = L[d + 7];
  const i2 = L[d + 10], g32 = L[d + 11], i3 = L[d + 15];
  for (let r = c; r < c + 4; r++) {
    const x0 = L[r] * i0;
    const x1 = (L[r + 4] - x0 * g10) * i1;
    const x2 = (L[r + 8] - x0 * g20 - x1 * g21) * i2;
    L[r] = x0;
    L[r + 4] = x1;
    L[r + 8] = x2;
    L[r + 12] = (L[r + 12] - x0 * g30 - x1 * g31 - x2 * g32) * i3;
  }
}
