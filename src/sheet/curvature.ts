/**
 * Second derivatives at a point (for E_bend of §5), from the points around it.
 *
 * Quadratic fit. Over the second ring of i, with d = Xᵢⱼ and weights ωⱼ = exp(−|d|²/(1.5 ℓᵢ)²),
 *
 *   yⱼ − yᵢ ≈ F d + ½ H(d, d)            F: 2 vectors, H: 3 vectors (h₀₀, h₀₁, h₁₁), by least squares
 *
 * which needs no care at the boundary: affine shapes have H = 0 there too. A clamp line mirrors the sheet: behind it lie
 * ghosts of the points before it, yⱼ − 2(n·d)Fₙ at the mirrored place, Fₙ being the clamp's tangent along its inward normal n.
 * Points near the line fit through them as if the sheet went on; F₁ and F₂ of the clamp are then two more local unknowns.
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
import { SheetError } from "./sheet-error.ts";

/** Weight of the residual term, 1. */
const RESIDUAL_SHARE = 3;
/** Reach of the weights in spacings: at the second ring (|d| ≈ 2ℓ) ω ≈ 0.17. */
const REACH = 1.5;

/** E = ½ yᵀ Q y over the local unknowns, per unit of D; the same for x, y and z. */
export interface LocalEnergy {
  /** Local unknowns: the points of the neighbourhood in its order, then F₁ and F₂ of the clamp if it has ghosts. */
  size: number;
  /** [size²] 1/m², row-major, symmetric. Its memory is the next energy's. */
  Q: Float64Array;
}

/** The quadratic fit at i as an operator: H = Σⱼ c[3j…] yⱼ, one column per local unknown. */
export interface Fit {
  size: number;
  /** [3·size] 1/m²: coefficients of (h₀₀, h₀₁, h₁₁) per local unknown. */
  H: Float64Array;
  /** [2·size] 1/m: coefficients of F per local unknown. */
  F: Float64Array;
  /** [size²] residual form Σω|r|²/Σω. Its memory is the next fit's. */
  R: Float64Array;
}

/** A mirror image behind a clamp line: at (u, v) from i stands yⱼ + f₁ F₁ + f₂ F₂, j the entry-th neighbour of i. */
export interface Ghost {
  entry: number;
  u: number;
  v: number;
  f1: number;
  f2: number;
}

/**
 * Fits at point i over `near` (its second ring) and the ghosts, in units of its spacing l.
 * Throws if the points cannot tell the five coefficients apart.
 */
export function quadraticFit(
  near: Neighbourhoods,
  i: number,
  l: number,
  ghosts: readonly Ghost[] = [],
): Fit {
  const { start, index, X } = near;
  const first = start[i];
  const count = start[i + 1] - first; // the last entry is i itself
  const self = count - 1;
  const size = count + (ghosts.length > 0 ? 2 : 0);
  const samples = self + ghosts.length;
  if (scratch.most < samples || scratch.most < size)
    scratch = createScratch(Math.max(samples, size));
  const { u, v, phi, omega, N, inverse, r, wr, R } = scratch;

  // where each sample is, in units of ℓ
  for (let j = 0; j < self; j++) {
    u[j] = X[2 * (first + j)] / l;
    v[j] = X[2 * (first + j) + 1] / l;
  }
  for (let k = 0; k < ghosts.length; k++) {
    u[self + k] = ghosts[k].u / l;
    v[self + k] = ghosts[k].v / l;
  }

  // basis and normal matrix N = Σ ω φ φᵀ, of which the inverse reads the lower triangle
  N.fill(0);
  let sum = 0;
  for (let j = 0; j < samples; j++) {
    const x = u[j];
    const y = v[j];
    const w = exp(-(x * x + y * y) / (REACH * REACH));
    const at = 5 * j;
    phi[at] = 0.5 * x * x;
    phi[at + 1] = x * y;
    phi[at + 2] = 0.5 * y * y;
    phi[at + 3] = x;
    phi[at + 4] = y;
    for (let a = 0; a < 5; a++) {
      const wp = w * phi[at + a];
      for (let b = 0; b <= a; b++) N[5 * a + b] += wp * phi[at + b];
    }
    omega[j] = w;
    sum += w;
  }
  if (!invertSymmetric(inverse, N, 5))
    throw new SheetError("sheet", [
      `point ${i}: its ${self} neighbours do not fix a curvature (point ${index[first]} and the others lie on one conic); use more points`,
    ]);

  // coefficients = N⁻¹ Φᵀ W z with z = yⱼ − yᵢ
  const H = new Float64Array(3 * size);
  const F = new Float64Array(2 * size);
  for (let j = 0; j < samples; j++) {
    for (let a = 0; a < 5; a++) {
      let c = 0;
      for (let b = 0; b < 5; b++) c += inverse[5 * a + b] * phi[5 * j + b] * omega[j];
      if (a < 3) read(H, 3, a, c / (l * l), j, self, ghosts);
      else read(F, 2, a - 3, c / l, j, self, ghosts);
    }
  }

  // residuals rⱼ = zⱼ − φⱼ · coefficients, as coefficients of the local unknowns: those of unknown a from r[samples·a] on
  for (let a = 0; a < size; a++) {
    const h0 = H[3 * a];
    const h1 = H[3 * a + 1];
    const h2 = H[3 * a + 2];
    const f0 = F[2 * a];
    const f1 = F[2 * a + 1];
    for (let j = 0; j < samples; j++) {
      const x = l * u[j];
      const y = l * v[j];
      r[samples * a + j] = -(0.5 * x * x * h0 + x * y * h1 + 0.5 * y * y * h2 + x * f0 + y * f1);
    }
  }
  for (let j = 0; j < samples; j++) {
    read(r, samples, j, 1, j, self, ghosts);
    omega[j] /= sum;
  }
  for (let a = 0; a < size; a++) {
    for (let j = 0; j < samples; j++) wr[j] = omega[j] * r[samples * a + j];
    for (let b = 0; b <= a; b++) {
      const at = samples * b;
      let product = 0;
      for (let j = 0; j < samples; j++) product += wr[j] * r[at + j];
      R[size * a + b] = product;
      R[size * b + a] = product;
    }
  }
  return { size, H, F, R };
}

/**
 * Adds c times what sample j reads to column `at` of out: its point less i (entry `self`), and of a ghost its shares of F₁ and F₂,
 * the two unknowns behind i.
 */
function read(
  out: Float64Array,
  stride: number,
  at: number,
  c: number,
  j: number,
  self: number,
  ghosts: readonly Ghost[],
): void {
  out[stride * (j < self ? j : ghosts[j - self].entry) + at] += c;
  out[stride * self + at] -= c;
  if (j < self) return;
  out[stride * (self + 1) + at] += c * ghosts[j - self].f1;
  out[stride * (self + 2) + at] += c * ghosts[j - self].f2;
}

/** What a fit needs while it works, kept from one fit to the next: a dozen new arrays for every point are work for the collector. */
interface Scratch {
  most: number;
  u: Float64Array; // [most]
  v: Float64Array; // [most]
  phi: Float64Array; // [5·most]
  omega: Float64Array; // [most]
  r: Float64Array; // [most²]
  wr: Float64Array; // [most]
  N: Float64Array; // [25]
  inverse: Float64Array; // [25]
  R: Float64Array; // [most²]
  Q: Float64Array; // [most²]
}

/** For as many samples and local unknowns. */
function createScratch(most: number): Scratch {
  return {
    most,
    u: new Float64Array(most),
    v: new Float64Array(most),
    phi: new Float64Array(5 * most),
    omega: new Float64Array(most),
    r: new Float64Array(most * most),
    wr: new Float64Array(most),
    N: new Float64Array(25),
    inverse: new Float64Array(25),
    R: new Float64Array(most * most),
    Q: new Float64Array(most * most),
  };
}

let scratch: Scratch = createScratch(40);

/** The matrix of Eᵢ per unit D·Aᵢ from the fit: (1−ν)|H|² + ν|tr H|² + ρ(4/ℓ⁴) R. */
export function fitEnergy(fit: Fit, l: number, poisson: number): LocalEnergy {
  const { size, H, R } = fit;
  const { Q } = scratch;
  const share = (4 * RESIDUAL_SHARE) / (l * l * l * l);
  for (let a = 0, at = 0; a < size; a++) {
    const a0 = H[3 * a];
    const a1 = H[3 * a + 1];
    const a2 = H[3 * a + 2];
    for (let b = 0; b < size; b++, at++) {
      const b0 = H[3 * b];
      const b1 = H[3 * b + 1];
      const b2 = H[3 * b + 2];
      Q[at] =
        (1 - poisson) * (a0 * b0 + 2 * a1 * b1 + a2 * b2) +
        poisson * (a0 + a2) * (b0 + b2) +
        share * R[at];
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
    const fit = quadraticFit(near, i, sheet.spacing[i]);
    const columns: number[] = [];
    const values: number[] = [];
    for (let e = near.start[i], a = 0; e < near.start[i + 1]; e++, a++) {
      columns.push(near.index[e]);
      values.push(-sheet.area[i] * (fit.H[3 * a] + fit.H[3 * a + 2]));
    }
    return { columns, values, area: sheet.area[i] };
  });
}

/** Scratch of invertSymmetric: its factor, and a column. */
const factorOf = new Float64Array(25);
const columnOf = new Float64Array(5);

/** inverse = A⁻¹ of a symmetric positive matrix, n ≤ 5, by Cholesky from its lower triangle; false when it is singular to 1e-10 of its size. */
function invertSymmetric(inverse: Float64Array, A: Float64Array, n: number): boolean {
  const L = factorOf;
  const x = columnOf;
  let scale = 0;
  for (let a = 0; a < n; a++) scale = Math.max(scale, A[n * a + a]);
  for (let a = 0; a < n; a++) {
    for (let b = 0; b <= a; b++) {
      let s = A[n * a + b];
      for (let c = 0; c < b; c++) s -= L[n * a + c] * L[n * b + c];
      if (a === b) {
        if (!(s > 1e-10 * scale)) return false;
        L[n * a + a] = Math.sqrt(s);
      } else L[n * a + b] = s / L[n * b + b];
    }
  }
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
  return true;
}
