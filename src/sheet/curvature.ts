/**
 * Second derivatives at a point (for E_bend of §5), from the points around it.
 *
 * Quadratic fit. Over the second ring of i, with d = Xᵢⱼ and weights ωⱼ = exp(−|d|²/(1.5 ℓᵢ)²),
 *
 *   yⱼ − yᵢ ≈ F d + ½ H(d, d)            F: 2 vectors, H: 3 vectors (h₀₀, h₀₁, h₁₁), by least squares
 *
 * which needs no care at the boundary: affine shapes have H = 0 there too. A clamped point knows its F, so only
 * H is fitted, to yⱼ − yᵢ − F d; F then enters as two more unknowns ("virtual points") of the local matrix.
 *
 * The residuals rⱼ of the fit are what H cannot see, zigzag among them. Penalised as if each were a curvature
 * 2|r|/ℓ² they make the energy accurate on coarse meshes:
 *
 *   Eᵢ = D/2 Aᵢ [(1−ν)|H|² + ν|tr H|²] + D/2 Aᵢ · ρ (4/ℓᵢ⁴) Σⱼ ωⱼ|rⱼ|² / Σⱼωⱼ,     ρ = 3
 *
 * ρ between 2 and 4 is a plateau; at 0 zigzag is free, at 10 coarse cylinders are 1 % too stiff.
 *
 * The cotangent and meshless Laplacians of the paper are beside it, for comparison: |ΔY|² has no twist stiffness.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { exp } from "../linalg/elementary.ts";
import type { Mesh, Neighbourhoods, Sheet } from "./kinematics.ts";

/** Weight of the residual term, 1. */
const RESIDUAL_SHARE = 3;
/** Reach of the weights in spacings: at the second ring (|d| ≈ 2ℓ) ω ≈ 0.17. */
const REACH = 1.5;

/** E = ½ yᵀ Q y over the local unknowns, per unit of D; the same for x, y and z. */
export interface LocalEnergy {
  /** Local unknowns: the points of the neighbourhood in its order, then F₁ and F₂ if clamped. */
  size: number;
  /** [size²] 1/m², row-major, symmetric. */
  Q: Float64Array;
}

/** The quadratic fit at i as an operator: H = Σⱼ c[3j…] yⱼ, one column per local unknown. */
export interface Fit {
  size: number;
  /** [3·size] 1/m²: coefficients of (h₀₀, h₀₁, h₁₁) per local unknown. */
  H: Float64Array;
  /** [2·size] 1/m: coefficients of F per local unknown (zero where F is given). */
  F: Float64Array;
  /** [size²] residual form Σω|r|²/Σω. */
  R: Float64Array;
}

/**
 * Fits at point i over `near` (its second ring). `clamped`: F is given and is the last two unknowns.
 * Throws if the points cannot tell the five (three) coefficients apart.
 */
export function quadraticFit(near: Neighbourhoods, i: number, l: number, clamped: boolean): Fit {
  const { start, index, X } = near;
  const first = start[i];
  const count = start[i + 1] - first; // the last entry is i itself
  const size = count + (clamped ? 2 : 0);
  const terms = clamped ? 3 : 5;

  // basis of each neighbour in units of ℓ, and the normal matrix N = Σ ω φ φᵀ
  const phi = new Float64Array(terms * (count - 1));
  const omega = new Float64Array(count - 1);
  const N = new Float64Array(terms * terms);
  let sum = 0;
  for (let j = 0; j < count - 1; j++) {
    const u = X[2 * (first + j)] / l;
    const v = X[2 * (first + j) + 1] / l;
    const w = exp(-(u * u + v * v) / (REACH * REACH));
    const basis = clamped
      ? [0.5 * u * u, u * v, 0.5 * v * v]
      : [0.5 * u * u, u * v, 0.5 * v * v, u, v];
    for (let a = 0; a < terms; a++) {
      phi[terms * j + a] = basis[a];
      for (let b = 0; b < terms; b++) N[terms * a + b] += w * basis[a] * basis[b];
    }
    omega[j] = w;
    sum += w;
  }
  const inverse = invertSymmetric(N, terms);
  if (!inverse)
    throw new Error(
      `point ${i}: its ${count - 1} neighbours do not fix a curvature (point ${index[first]} and others lie on one conic)`,
    );

  // P: local unknowns → differences zⱼ = yⱼ − yᵢ (− F d); then coefficients = N⁻¹ Φᵀ W z
  const H = new Float64Array(3 * size);
  const F = new Float64Array(2 * size);
  const self = count - 1;
  for (let j = 0; j < count - 1; j++) {
    const u = X[2 * (first + j)];
    const v = X[2 * (first + j) + 1];
    for (let a = 0; a < terms; a++) {
      let c = 0;
      for (let b = 0; b < terms; b++) c += inverse[terms * a + b] * phi[terms * j + b] * omega[j];
      const out = a < 3 ? H : F;
      const at = a < 3 ? a : a - 3;
      const stride = a < 3 ? 3 : 2;
      const k = a < 3 ? c / (l * l) : c / l;
      out[stride * j + at] += k;
      out[stride * self + at] -= k;
      if (clamped) {
        out[stride * count + at] -= k * u;
        out[stride * (count + 1) + at] -= k * v;
      }
    }
  }

  // residual rows: r_j = z_j − φ_j · coefficients, as vectors over the local unknowns
  const R = new Float64Array(size * size);
  const r = new Float64Array(size);
  for (let j = 0; j < count - 1; j++) {
    const u = X[2 * (first + j)];
    const v = X[2 * (first + j) + 1];
    for (let a = 0; a < size; a++) {
      r[a] = -(0.5 * u * u * H[3 * a] + u * v * H[3 * a + 1] + 0.5 * v * v * H[3 * a + 2]);
      if (!clamped) r[a] -= u * F[2 * a] + v * F[2 * a + 1];
    }
    r[j] += 1;
    r[self] -= 1;
    if (clamped) {
      r[count] -= u;
      r[count + 1] -= v;
    }
    const w = omega[j] / sum;
    for (let a = 0; a < size; a++)
      for (let b = 0; b < size; b++) R[size * a + b] += w * r[a] * r[b];
  }
  return { size, H, F, R };
}

/** The matrix of Eᵢ per unit D·Aᵢ from the fit: (1−ν)|H|² + ν|tr H|² + ρ(4/ℓ⁴) R. */
export function fitEnergy(fit: Fit, l: number, poisson: number): LocalEnergy {
  const { size, H, R } = fit;
  const Q = new Float64Array(size * size);
  const share = (4 * RESIDUAL_SHARE) / (l * l * l * l);
  for (let a = 0; a < size; a++) {
    const a0 = H[3 * a];
    const a1 = H[3 * a + 1];
    const a2 = H[3 * a + 2];
    for (let b = 0; b < size; b++) {
      const b0 = H[3 * b];
      const b1 = H[3 * b + 1];
      const b2 = H[3 * b + 2];
      Q[size * a + b] =
        (1 - poisson) * (a0 * b0 + 2 * a1 * b1 + a2 * b2) +
        poisson * (a0 + a2) * (b0 + b2) +
        share * R[size * a + b];
    }
  }
  return { size, Q };
}

/** One row of an integrated Laplacian: (LY)ᵢ = Σ values[k]·Y[columns[k]], with the area it is integrated over. */
export interface LaplacianRow {
  columns: number[];
  values: number[];
  area: number;
}

/** Cotangent weights of the triangles, from their material corners: −Δ integrated over barycentric cells. */
export function cotangentLaplacian(mesh: Mesh, area: ReadonlyF64): LaplacianRow[] {
  const { n, triangles, corners } = mesh;
  const rows = Array.from({ length: n }, () => new Map<number, number>());
  const add = (i: number, j: number, w: number) => rows[i].set(j, (rows[i].get(j) ?? 0) + w);
  for (let t = 0; 3 * t < triangles.length; t++) {
    for (let k = 0; k < 3; k++) {
      const [a, b, c] = [k, (k + 1) % 3, (k + 2) % 3];
      const at = 6 * t;
      const pu = corners[at + 2 * b] - corners[at + 2 * a];
      const pv = corners[at + 2 * b + 1] - corners[at + 2 * a + 1];
      const qu = corners[at + 2 * c] - corners[at + 2 * a];
      const qv = corners[at + 2 * c + 1] - corners[at + 2 * a + 1];
      const w = (0.5 * (pu * qu + pv * qv)) / (pu * qv - pv * qu); // ½ cot of the angle at a
      const i = triangles[3 * t + b];
      const j = triangles[3 * t + c];
      add(i, j, -w);
      add(j, i, -w);
      add(i, i, w);
      add(j, j, w);
    }
  }
  return rows.map((row, i) => ({
    columns: [...row.keys()],
    values: [...row.values()],
    area: area[i],
  }));
}

/** The trace of the fitted H, times −area: a Laplacian without triangles. */
export function meshlessLaplacian(sheet: Sheet, near: Neighbourhoods): LaplacianRow[] {
  return Array.from({ length: sheet.n }, (_, i) => {
    const fit = quadraticFit(near, i, sheet.spacing[i], false);
    const columns: number[] = [];
    const values: number[] = [];
    for (let e = near.start[i], a = 0; e < near.start[i + 1]; e++, a++) {
      columns.push(near.index[e]);
      values.push(-sheet.area[i] * (fit.H[3 * a] + fit.H[3 * a + 2]));
    }
    return { columns, values, area: sheet.area[i] };
  });
}

/** Inverse of a small symmetric positive matrix by Cholesky; null when it is singular to 1e-10 of its size. */
function invertSymmetric(A: Float64Array, n: number): Float64Array | null {
  const L = new Float64Array(n * n);
  let scale = 0;
  for (let a = 0; a < n; a++) scale = Math.max(scale, A[n * a + a]);
  for (let a = 0; a < n; a++) {
    for (let b = 0; b <= a; b++) {
      let s = A[n * a + b];
      for (let c = 0; c < b; c++) s -= L[n * a + c] * L[n * b + c];
      if (a === b) {
        if (!(s > 1e-10 * scale)) return null;
        L[n * a + a] = Math.sqrt(s);
      } else L[n * a + b] = s / L[n * b + b];
    }
  }
  const inverse = new Float64Array(n * n);
  const x = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    for (let a = 0; a < n; a++) {
      let s = a === k ? 1 : 0;
      for (let c = 0; c < a; c++) s -= L[n * a + c] * x[c];
      x[a] = s / L[n * a + a];
    }
    for (let a = n - 1; a >= 0; a--) {
      let s = x[a];
      for (let c = a + 1; c < n; c++) s -= L[n * c + a] * inverse[n * c + k];
      inverse[n * a + k] = s / L[n * a + a];
    }
  }
  return inverse;
}
