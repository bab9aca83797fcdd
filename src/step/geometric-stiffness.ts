// biome-ignore-all format: components are kept in columns
/**
 * Geometric stiffness of the constraints (§5, after Tournier et al. 2015): what regularises a projection.
 *
 * Along the directions in which constraint forces turn, Fast Projections sees no resistance and overshoots. With the
 * multipliers λ of the step before,
 *
 *   G = Σ_r λ_r ∂²g_r/∂Y²,    clamped to positive semidefinite,    and    M/h² + G    takes the place of    M/h²
 *
 * G must be the whole matrix: its diagonal alone diverges. For tr and det of C = FᵀF it is a 6×6 matrix per
 * neighbourhood in the columns of F. With F = [σ₁u₁ σ₂u₂]Vᵀ, the columns turned by V, n = u₁ × u₂ and det C = |f₁ × f₂|²,
 * it falls apart into blocks that are clamped in closed form:
 *
 *   (δf₁·u₁, δf₂·u₂):  [2λₜ + 2λ_d σ₂²   4λ_d σ₁σ₂ ]        (δf₁·u₂, δf₂·u₁):  [ 2λₜ         −2λ_d σ₁σ₂]
 *                      [ 4λ_d σ₁σ₂   2λₜ + 2λ_d σ₁²]                           [−2λ_d σ₁σ₂    2λₜ       ]
 *   δf₁·n:  2λₜ + 2λ_d σ₂²            δf₂·n:  2λₜ + 2λ_d σ₁²
 *
 * Edges are squared lengths: their G is scalar and comes from the sets themselves.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { BlockSymmetric, SparseMatrix } from "../linalg/sparse.ts";
import type { HardRows } from "../system/hard.ts";
import type { AveragedF } from "../system/isometry.ts";
import { clampSymmetric } from "../system/triangle-metric.ts";

/**
 * H += G of one set.
 *
 * @param places where the pairs of every block of the set are in H (projection-plan.ts), −1 above the diagonal
 * @param A scratch: a scalar matrix on a pattern whose entries are at `scalarPlaces` in H
 */
export function addGeometricStiffness(
  H: BlockSymmetric, set: HardRows, places: Int32Array, lambda: ReadonlyF64, Y: ReadonlyF64,
  A: SparseMatrix, scalarPlaces: Int32Array,
): void {
  if (set.averagedF) { addPaperStress(H, places, set.averagedF, lambda, Y); return; }
  if (!set.addStress) return;
  A.values.fill(0);
  set.addStress(A, lambda);
  const { values } = H;
  for (let p = 0; p < scalarPlaces.length; p++) {
    const to = scalarPlaces[p];
    if (to < 0) continue;
    const a = A.values[p];
    values[9 * to] += a; values[9 * to + 4] += a; values[9 * to + 8] += a;
  }
}

const clamped = new Float64Array(3);

/** tr and det: 6×6 per neighbourhood, spread over its pairs by the weights bⱼ. */
export function addPaperStress(H: BlockSymmetric, places: Int32Array, near: AveragedF, lambda: ReadonlyF64, Y: ReadonlyF64): void {
  const { n, start, index, B } = near;
  const { values } = H;
  let k = 0;
  for (let i = 0; i < n; i++) {
    const from = start[i], to = start[i + 1];
    const t = 2 * lambda[2 * i], D = 2 * lambda[2 * i + 1];
    if (t <= 0 && D === 0) { k += (to - from) * (to - from); continue; }
    let px = 0, py = 0, pz = 0, qx = 0, qy = 0, qz = 0;
    for (let e = from; e < to; e++) {
      const y = 3 * index[e], u = B[2 * e], v = B[2 * e + 1];
      px += Y[y] * u; py += Y[y + 1] * u; pz += Y[y + 2] * u;
      qx += Y[y] * v; qy += Y[y + 1] * v; qz += Y[y + 2] * v;
    }
    // V: the rotation (c, s) that makes the columns orthogonal
    const a = px * px + py * py + pz * pz, b = px * qx + py * qy + pz * qz, d = qx * qx + qy * qy + qz * qz;
    const diff = 0.5 * (a - d), r = Math.sqrt(diff * diff + b * b);
    let c = 1, s = 0;
    if (r > 1e-14 * (a + d)) {
      const cos2 = diff / r;
      c = Math.sqrt(0.5 * (1 + (cos2 > 0 ? cos2 : -cos2)));
      s = (0.5 * b) / (r * c);
      if (cos2 < 0) { const swap = c; c = s < 0 ? -s : s; s = b < 0 ? -swap : swap; }
    }
    let f1x = c * px + s * qx, f1y = c * py + s * qy, f1z = c * pz + s * qz;
    let f2x = c * qx - s * px, f2y = c * qy - s * py, f2z = c * qz - s * pz;
    const s1 = Math.sqrt(f1x * f1x + f1y * f1y + f1z * f1z), s2 = Math.sqrt(f2x * f2x + f2y * f2y + f2z * f2z);
    if (!(s1 > 1e-9) || !(s2 > 1e-9)) { k += (to - from) * (to - from); continue; } // a collapsed neighbourhood has no tangents
    f1x /= s1; f1y /= s1; f1z /= s1; f2x /= s2; f2y /= s2; f2z /= s2;
    const nx = f1y * f2z - f1z * f2y, ny = f1z * f2x - f1x * f2z, nz = f1x * f2y - f1y * f2x;

    clampSymmetric(clamped, t + D * s2 * s2, 2 * D * s1 * s2, t + D * s1 * s1);
    const k11 = clamped[0], k12 = clamped[1], k22 = clamped[2];
    clampSymmetric(clamped, t, -D * s1 * s2, t);
    const m11 = clamped[0], m12 = clamped[1];
    const v1 = Math.max(t + D * s2 * s2, 0), v2 = Math.max(t + D * s1 * s1, 0);
    // K₁₁ = k11 u₁u₁ᵀ + m11 u₂u₂ᵀ + v1 nnᵀ, K₂₂ = m11 u₁u₁ᵀ + k22 u₂u₂ᵀ + v2 nnᵀ, K₁₂ = k12 u₁u₂ᵀ + m12 u₂u₁ᵀ
    const axx = k11 * f1x * f1x + m11 * f2x * f2x + v1 * nx * nx, axy = k11 * f1x * f1y + m11 * f2x * f2y + v1 * nx * ny;
    const axz = k11 * f1x * f1z + m11 * f2x * f2z + v1 * nx * nz, ayy = k11 * f1y * f1y + m11 * f2y * f2y + v1 * ny * ny;
    const ayz = k11 * f1y * f1z + m11 * f2y * f2z + v1 * ny * nz, azz = k11 * f1z * f1z + m11 * f2z * f2z + v1 * nz * nz;
    const dxx = m11 * f1x * f1x + k22 * f2x * f2x + v2 * nx * nx, dxy = m11 * f1x * f1y + k22 * f2x * f2y + v2 * nx * ny;
    const dxz = m11 * f1x * f1z + k22 * f2x * f2z + v2 * nx * nz, dyy = m11 * f1y * f1y + k22 * f2y * f2y + v2 * ny * ny;
    const dyz = m11 * f1y * f1z + k22 * f2y * f2z + v2 * ny * nz, dzz = m11 * f1z * f1z + k22 * f2z * f2z + v2 * nz * nz;
    const bxx = (k12 + m12) * f1x * f2x, byy = (k12 + m12) * f1y * f2y, bzz = (k12 + m12) * f1z * f2z;
    const bxy = k12 * f1x * f2y + m12 * f2x * f1y, byx = k12 * f1y * f2x + m12 * f2y * f1x;
    const bxz = k12 * f1x * f2z + m12 * f2x * f1z, bzx = k12 * f1z * f2x + m12 * f2z * f1x;
    const byz = k12 * f1y * f2z + m12 * f2y * f1z, bzy = k12 * f1z * f2y + m12 * f2z * f1y;

    for (let e = from; e < to; e++) {
      const u = c * B[2 * e] + s * B[2 * e + 1], v = c * B[2 * e + 1] - s * B[2 * e];
      for (let f = from; f < to; f++) {
        const p = 9 * places[k++];
        if (p < 0) continue;
        const x = c * B[2 * f] + s * B[2 * f + 1], y = c * B[2 * f + 1] - s * B[2 * f];
        const ux = u * x, uy = u * y, vx = v * x, vy = v * y;
        values[p]     += ux * axx + vy * dxx + (uy + vx) * bxx;
        values[p + 1] += ux * axy + vy * dxy + uy * bxy + vx * byx;
        values[p + 2] += ux * axz + vy * dxz + uy * bxz + vx * bzx;
        values[p + 3] += ux * axy + vy * dxy + uy * byx + vx * bxy;
        values[p + 4] += ux * ayy + vy * dyy + (uy + vx) * byy;
        values[p + 5] += ux * ayz + vy * dyz + uy * byz + vx * bzy;
        values[p + 6] += ux * axz + vy * dxz + uy * bzx + vx * bxz;
        values[p + 7] += ux * ayz + vy * dyz + uy * bzy + vx * byz;
        values[p + 8] += ux * azz + vy * dzz + (uy + vx) * bzz;
      }
    }
  }
}
