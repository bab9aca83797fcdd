// biome-ignore-all format: components are kept in columns
/**
 * The metric C of a triangle from the squared lengths of its three sides: C = Σₖ lₖ² Qₖ, Qₖ constant with eⱼᵀQₖeⱼ = δⱼₖ.
 *
 * Components of a symmetric 2×2 matrix are taken in an orthonormal basis,
 *
 *   s₀ = (c₀₀ + c₁₁)/√2,  s₁ = (c₀₀ − c₁₁)/√2,  s₂ = √2 c₀₁,        |C|² = s₀² + s₁² + s₂²
 *
 * so that the energy of a membrane of stiffness K, ½ (K A/4)|C − I|², is isotropic with Poisson's ratio 0.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";

const SQRT2 = Math.SQRT2;

/** s-components of Q₀, Q₁, Q₂ for a triangle with corners X [6]; scaled by `share`, written at out[at…at+9]. */
export function dualMetric(out: Float64Array, at: number, X: ReadonlyF64, x: number, share: number): void {
  // rows: lₖ² = u² c₀₀ + 2uv c₀₁ + v² c₁₁ = [ (u²+v²)/√2, (u²−v²)/√2, √2 uv ] · s
  const x0 = X[x], y0 = X[x + 1], x1 = X[x + 2], y1 = X[x + 3], x2 = X[x + 4], y2 = X[x + 5];
  const au = x2 - x1, av = y2 - y1, bu = x0 - x2, bv = y0 - y2, cu = x1 - x0, cv = y1 - y0;
  const m0 = (au * au + av * av) / SQRT2, m1 = (au * au - av * av) / SQRT2, m2 = SQRT2 * au * av;
  const m3 = (bu * bu + bv * bv) / SQRT2, m4 = (bu * bu - bv * bv) / SQRT2, m5 = SQRT2 * bu * bv;
  const m6 = (cu * cu + cv * cv) / SQRT2, m7 = (cu * cu - cv * cv) / SQRT2, m8 = SQRT2 * cu * cv;
  // its inverse, column k = s-components of Qₖ
  const c0 = m4 * m8 - m5 * m7, c1 = m5 * m6 - m3 * m8, c2 = m3 * m7 - m4 * m6;
  const f = share / (m0 * c0 + m1 * c1 + m2 * c2);
  out[at]     = c0 * f;                  out[at + 1] = c1 * f;                  out[at + 2] = c2 * f;
  out[at + 3] = (m2 * m7 - m1 * m8) * f; out[at + 4] = (m0 * m8 - m2 * m6) * f; out[at + 5] = (m1 * m6 - m0 * m7) * f;
  out[at + 6] = (m1 * m5 - m2 * m4) * f; out[at + 7] = (m2 * m3 - m0 * m5) * f; out[at + 8] = (m0 * m4 - m1 * m3) * f;
}

/** The positive semidefinite part of [a b; b d] into out[0…2]. */
export function clampSymmetric(out: Float64Array, a: number, b: number, d: number): void {
  const mean = 0.5 * (a + d), diff = 0.5 * (a - d), r = Math.sqrt(diff * diff + b * b);
  if (mean - r >= 0) { out[0] = a; out[1] = b; out[2] = d; return; }
  if (mean + r <= 0) { out[0] = 0; out[1] = 0; out[2] = 0; return; }
  // the larger eigenvalue μ with projector (S − (mean − r)I)/(2r)
  const f = (mean + r) / (2 * r), low = mean - r;
  out[0] = f * (a - low); out[1] = f * b; out[2] = f * (d - low);
}
