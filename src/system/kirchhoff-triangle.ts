// biome-ignore-all format: components are kept in columns
/**
 * The discrete Kirchhoff triangle: curvatures of the field θ of frame-bending.ts as linear forms over the nine unknowns of a triangle, y, a and b of each corner.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";

const NEXT: readonly number[] = [1, 2, 0], LAST: readonly number[] = [2, 0, 1];

/** θ₁ and θ₂ at the six nodes of a triangle (corners, then middles of the sides opposite them) as rows over its nine unknowns. */
export type Rotations = Float64Array; // [2·6·9]

/** A triangle of the sheet as linear forms; filled by setTriangle. */
export interface Kirchhoff {
  readonly theta: Rotations;
  /** [27] 1: r = (yⱼ − yᵢ)/ℓ − ½(Fᵢ + Fⱼ) t of the side opposite each corner, from the corner after it to the one before it. */
  readonly residual: Float64Array;
  /** [3·2] unit tangents of those sides, and [3] m their lengths. */
  readonly tangent: Float64Array;
  readonly length: Float64Array;
  /** [3·2] 1/m: gradients of the barycentric coordinates. */
  readonly gradient: Float64Array;
  area: number; // m²
}

export function createTriangle(): Kirchhoff {
  return {
    theta: new Float64Array(108), residual: new Float64Array(27), tangent: new Float64Array(6), length: new Float64Array(3), gradient: new Float64Array(6), area: 0,
  };
}

/**
 * @param corners [6·triangles] m, of which triangle t is taken
 * @param basis   [6] 1/m per corner: cosine and sine of the turn into the chart of its sample, over the length by which its frame is stored longer
 */
export function setTriangle(triangle: Kirchhoff, corners: ReadonlyF64, t: number, basis: ReadonlyF64): void {
  const { theta, residual, tangent, length } = triangle;
  setGradients(triangle, corners, t);
  theta.fill(0);
  for (let k = 0; k < 3; k++) {
    // θ e₁ = F (R e₁), θ e₂ = F (R e₂), R the turn into the chart
    theta[18 * k + 3 * k + 1] = basis[2 * k];          theta[18 * k + 3 * k + 2] = basis[2 * k + 1];
    theta[18 * k + 9 + 3 * k + 1] = -basis[2 * k + 1]; theta[18 * k + 9 + 3 * k + 2] = basis[2 * k];
  }
  for (let k = 0; k < 3; k++) {
    const i = NEXT[k], j = LAST[k];
    const u = corners[6 * t + 2 * j] - corners[6 * t + 2 * i], v = corners[6 * t + 2 * j + 1] - corners[6 * t + 2 * i + 1];
    const l = Math.sqrt(u * u + v * v), x = u / l, y = v / l;
    length[k] = l; tangent[2 * k] = x; tangent[2 * k + 1] = y;
    for (let p = 0; p < 9; p++) {
      const first = theta[18 * i + p] + theta[18 * j + p], second = theta[18 * i + 9 + p] + theta[18 * j + 9 + p];
      const chord = p === 3 * j ? 1 / l : p === 3 * i ? -1 / l : 0, ends = x * first + y * second;
      const along = 1.5 * chord - 0.25 * ends, across = 0.5 * (x * second - y * first);
      theta[18 * (3 + k) + p] = along * x - across * y;
      theta[18 * (3 + k) + 9 + p] = along * y + across * x;
      residual[9 * k + p] = chord - 0.5 * ends;
    }
  }
}

function setGradients(triangle: Kirchhoff, x: ReadonlyF64, t: number): void {
  const area2 = (x[6 * t + 2] - x[6 * t]) * (x[6 * t + 5] - x[6 * t + 1]) - (x[6 * t + 3] - x[6 * t + 1]) * (x[6 * t + 4] - x[6 * t]);
  triangle.area = 0.5 * Math.abs(area2);
  for (let k = 0; k < 3; k++) {
    const i = 6 * t + 2 * NEXT[k], j = 6 * t + 2 * LAST[k];
    triangle.gradient[2 * k] = (x[i + 1] - x[j + 1]) / area2; triangle.gradient[2 * k + 1] = (x[j] - x[i]) / area2;
  }
}

/** ∂₁ and ∂₂ of the shape function of a node at the middle of side m: λ(2λ−1) at a corner, 4λλ' at a middle; λ = ½ there but at corner m, where it is 0. */
export function shapeGradient(out: Float64Array, gradient: ReadonlyF64, node: number, m: number): void {
  if (node < 3) {
    const slope = node === m ? -1 : 1;
    out[0] = slope * gradient[2 * node]; out[1] = slope * gradient[2 * node + 1];
    return;
  }
  const i = NEXT[node - 3], j = LAST[node - 3], atI = i === m ? 0 : 2, atJ = j === m ? 0 : 2;
  out[0] = atI * gradient[2 * j] + atJ * gradient[2 * i]; out[1] = atI * gradient[2 * j + 1] + atJ * gradient[2 * i + 1];
}

const slope = new Float64Array(2);

/** Rows of ∂₁θ₁, ∂₂θ₂ and ½(∂₂θ₁ + ∂₁θ₂), and of the trace, at the middle of side m, [36]. */
export function setCurvature(rows: Float64Array, { theta, gradient }: Kirchhoff, m: number): void {
  rows.fill(0);
  for (let node = 0; node < 6; node++) {
    shapeGradient(slope, gradient, node, m);
    const gx = slope[0], gy = slope[1];
    for (let p = 0; p < 9; p++) {
      const first = theta[18 * node + p], second = theta[18 * node + 9 + p];
      rows[p] += gx * first; rows[9 + p] += gy * second; rows[18 + p] += 0.5 * (gy * first + gx * second);
    }
  }
  for (let p = 0; p < 9; p++) rows[27 + p] = rows[p] + rows[9 + p];
}

const rows = new Float64Array(36);

/** Q = matrix of ∫ (1−ν)|sym ∇θ|² + ν tr² over the triangle: its three middles integrate a quadratic exactly. */
export function setCurvatureSquare(Q: Float64Array, triangle: Kirchhoff, nu: number): void {
  Q.fill(0);
  for (let m = 0; m < 3; m++) {
    setCurvature(rows, triangle, m);
    for (let p = 0; p < 9; p++)
      for (let q = 0; q < 9; q++)
        Q[9 * p + q] += (triangle.area / 3) * ((1 - nu) * (rows[p] * rows[q] + rows[9 + p] * rows[9 + q] + 2 * rows[18 + p] * rows[18 + q]) + nu * rows[27 + p] * rows[27 + q]);
  }
}
