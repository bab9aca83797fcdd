// biome-ignore-all format: components are kept in columns
/**
 * What discrete Kirchhoff bending (frame-bending.ts) lacks on cubics, as a term of its own.
 *
 * On a cubic y the field θ is ∇y but for the normal derivative at the middles of sides, which the mean of the ends misses by δ = (ℓ²/8) ∂ₙ∂ₜₜy. With b the
 * quadratic that is 1 at that middle the error of θ is e = Σ b δ nᵀ, and the energy of a patch of triangles is off by
 *
 *   −D ∫ e·∇Δy + D/2 ∫ (1−ν)|sym ∇e|² + ν (tr ∇e)²          of order (ℓ/R)²: 0.11 % too low at ℓ/R = 0.25, 0.16 % on a grid
 *
 * On a cylinder, ∂ₐ∂ᵦ∂ᵧ y = cₐcᵦcᵧ y‴ with c the unit vector across its axis, δ is (ℓ²/8)(n·c)(t·c)² y‴ and this is −D f(c)|y‴|². The residuals of the sides,
 * r = (yⱼ − yᵢ)/ℓ − ½(Fᵢ + Fⱼ) t, are −(ℓ²/12)(t·c)³ y‴ there and vanish on quadratics. So
 *
 *   E = D μ Σₖ |rₖ|²/ℓₖ²,       μ such that the means over c agree: μ · 5 Σ ℓₖ²/2304 = ⟨f⟩
 *
 * puts back what is missing on average over the axes: 0.02 % stay on irregular meshes and 0.07 % on a grid. It is quadratic, positive, of the same nine unknowns, and
 * costs nothing in a step (docs/decisions/0017-bending-on-cubics.md).
 */
import { type Kirchhoff, shapeGradient } from "./kirchhoff-triangle.ts";

const slopes = new Float64Array(6), slope = new Float64Array(2);

/** μ of a triangle, m². */
export function cubicStiffness(triangle: Kirchhoff, nu: number): number {
  const { tangent: t, length, gradient, area } = triangle;
  let squares = 0, missing = 0;
  for (let k = 0; k < 3; k++) squares += length[k] * length[k];
  // ⟨(n·c)²(t·c)²⟩ = 1/8 and ∫ b = A/3
  missing = (area * squares) / 192;
  for (let m = 0; m < 3; m++) {
    for (let k = 0; k < 3; k++) { shapeGradient(slope, gradient, 3 + k, m); slopes.set(slope, 2 * k); }
    for (let k = 0; k < 3; k++)
      for (let l = 0; l < 3; l++) missing -= 0.5 * (area / 3) * product(t, k, l, nu) * meanDeltas(t, length, k, l);
  }
  return Math.max(0, (missing * 2304) / (5 * squares));
}

/** (1−ν) sym(nₖ ∇bₖ) : sym(nₗ ∇bₗ) + ν (nₖ·∇bₖ)(nₗ·∇bₗ), 1/m². */
function product(t: Float64Array, k: number, l: number, nu: number): number {
  const g = slopes[2 * k], h = slopes[2 * k + 1], p = slopes[2 * l], q = slopes[2 * l + 1];
  const a = -t[2 * k + 1], b = t[2 * k], c = -t[2 * l + 1], d = t[2 * l];
  const symmetric = 0.5 * ((a * c + b * d) * (g * p + h * q) + (a * p + b * q) * (g * c + h * d));
  return (1 - nu) * symmetric + nu * (a * g + b * h) * (c * p + d * q);
}

/** ⟨δₖ δₗ⟩ for |y‴| = 1: the mean over c of (n·c)(t·c)² of both sides is (2x³ − x)/16 with x = tₖ·tₗ; m⁴. */
function meanDeltas(t: Float64Array, length: Float64Array, k: number, l: number): number {
  const x = t[2 * k] * t[2 * l] + t[2 * k + 1] * t[2 * l + 1];
  return ((length[k] * length[k] * length[l] * length[l]) / 1024) * (2 * x * x * x - x);
}
