/**
 * What a result is judged by, as pure functions of a sheet and its positions. Nothing here looks at a solver: the strain
 * is measured on the triangles and between points, so that a small residual cannot hide a stretched sheet.
 *
 * Relative lengths are without unit, everything else SI. All are O(n) unless said otherwise.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { acos } from "../linalg/elementary.ts";
import { averagingWeights, neighbourhoods } from "../sheet/charts.ts";
import { quadraticFit } from "../sheet/curvature.ts";
import type { Neighbourhoods, Sheet } from "../sheet/kinematics.ts";

/** A sheet as far as measures need it: what recordings keep. */
export type MeasuredSheet = Omit<Sheet, "near">;

/**
 * Relative change of length of every edge, signed: |y_a − y_b|/rest − 1.
 *
 * @example
 * const strains = new Float64Array(sheet.edgeLength.length);
 * edgeStrains(strains, sheet, simulation.Y);
 */
export function edgeStrains(out: Float64Array, sheet: MeasuredSheet, Y: ReadonlyF64): void {
  const { edges, edgeLength } = sheet;
  for (let e = 0; e < edgeLength.length; e++)
    out[e] = distance(Y, edges[2 * e], edges[2 * e + 1]) / edgeLength[e] - 1;
}

/**
 * Mean and largest |length/rest − 1| over the edges.
 *
 * @example
 * const { mean, max } = edgeStrain(simulation.sheet, simulation.Y);
 */
export function edgeStrain(sheet: MeasuredSheet, Y: ReadonlyF64): { mean: number; max: number } {
  const { edges, edgeLength } = sheet;
  let sum = 0;
  let max = 0;
  for (let e = 0; e < edgeLength.length; e++) {
    const strain = Math.abs(distance(Y, edges[2 * e], edges[2 * e + 1]) / edgeLength[e] - 1);
    sum += strain;
    max = Math.max(max, strain); // NaN stays NaN
  }
  return { mean: edgeLength.length === 0 ? 0 : sum / edgeLength.length, max };
}

/**
 * Principal strains of every triangle: √λ − 1 of the eigenvalues λ of C = FᵀF, the larger first.
 *
 * @param out [2·triangles]
 *
 * @example
 * const strains = new Float64Array((2 * sheet.triangles.length) / 3);
 * principalStrains(strains, sheet, simulation.Y);
 */
export function principalStrains(out: Float64Array, sheet: MeasuredSheet, Y: ReadonlyF64): void {
  const { triangles, corners } = sheet;
  for (let t = 0; 3 * t < triangles.length; t++) {
    const [i, j, k] = [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]];
    const u1 = corners[6 * t + 2] - corners[6 * t];
    const v1 = corners[6 * t + 3] - corners[6 * t + 1];
    const u2 = corners[6 * t + 4] - corners[6 * t];
    const v2 = corners[6 * t + 5] - corners[6 * t + 1];
    const det = u1 * v2 - u2 * v1;

    // F = [y_j − y_i, y_k − y_i] [X_j − X_i, X_k − X_i]⁻¹, C = FᵀF = [a b; b d]
    let a = 0;
    let b = 0;
    let d = 0;
    for (let c = 0; c < 3; c++) {
      const y1 = Y[3 * j + c] - Y[3 * i + c];
      const y2 = Y[3 * k + c] - Y[3 * i + c];
      const p = (y1 * v2 - y2 * v1) / det;
      const q = (y2 * u1 - y1 * u2) / det;
      a += p * p;
      b += p * q;
      d += q * q;
    }
    const mid = 0.5 * (a + d);
    const half = Math.sqrt(0.25 * (a - d) * (a - d) + b * b);
    out[2 * t] = Math.sqrt(mid + half) - 1;
    out[2 * t + 1] = Math.sqrt(Math.max(0, mid - half)) - 1;
  }
}

/**
 * Largest principal strain of a triangle in magnitude, stretched or compressed.
 *
 * @example
 * const strain = principalMax(simulation.sheet, simulation.Y);
 */
export function principalMax(sheet: MeasuredSheet, Y: ReadonlyF64): number {
  const strains = new Float64Array((2 * sheet.triangles.length) / 3);
  principalStrains(strains, sheet, Y);
  let max = 0;
  for (const strain of strains) max = Math.max(max, Math.abs(strain));
  return max;
}

/**
 * m: how far the lowest point hangs below the mean height of the pinned points, or of the highest if none is pinned.
 *
 * @example
 * const metres = sag(simulation.Y, simulation.pinPoints("left"));
 */
export function sag(Y: ReadonlyF64, pinned: ArrayLike<number>): number {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (let k = 2; k < Y.length; k += 3) {
    lowest = Math.min(lowest, Y[k]);
    highest = Math.max(highest, Y[k]);
  }
  if (Y.length === 0) return 0;
  let level = highest;
  if (pinned.length > 0) {
    level = 0;
    for (let k = 0; k < pinned.length; k++) level += Y[3 * pinned[k] + 2] / pinned.length;
  }
  return level - lowest;
}

/**
 * rad: rms angle, by area, between a triangle's normal and its smoothed normal, the mean of the normals of its points.
 * Smooth bending changes normals linearly and cancels; what is left is facets and zigzag.
 *
 * @example
 * const radians = roughness(simulation.sheet, simulation.Y);
 */
export function roughness(sheet: MeasuredSheet, Y: ReadonlyF64): number {
  const { triangles, triangleArea } = sheet;
  const faces = new Float64Array(triangles.length);
  triangleNormals(faces, sheet, Y);
  const points = pointNormals(sheet, faces);
  let sum = 0;
  let area = 0;
  for (let t = 0; t < triangleArea.length; t++) {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let c = 0; c < 3; c++) {
      const i = 3 * triangles[3 * t + c];
      x += points[i];
      y += points[i + 1];
      z += points[i + 2];
    }
    const length = Math.sqrt(x * x + y * y + z * z);
    if (length === 0) continue;
    const cosine = (x * faces[3 * t] + y * faces[3 * t + 1] + z * faces[3 * t + 2]) / length;
    const angle = acos(cosine);
    sum += triangleArea[t] * angle * angle;
    area += triangleArea[t];
  }
  return area > 0 ? Math.sqrt(sum / area) : 0;
}

/**
 * Unit normals of the triangles (0 where one has no area), [3·triangles].
 *
 * @example
 * const normals = new Float64Array(sheet.triangles.length);
 * triangleNormals(normals, sheet, simulation.Y);
 */
export function triangleNormals(out: Float64Array, sheet: MeasuredSheet, Y: ReadonlyF64): void {
  const { triangles } = sheet;
  for (let t = 0; 3 * t < triangles.length; t++) {
    const [i, j, k] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
    const ax = Y[j] - Y[i];
    const ay = Y[j + 1] - Y[i + 1];
    const az = Y[j + 2] - Y[i + 2];
    const bx = Y[k] - Y[i];
    const by = Y[k + 1] - Y[i + 1];
    const bz = Y[k + 2] - Y[i + 2];
    const x = ay * bz - az * by;
    const y = az * bx - ax * bz;
    const z = ax * by - ay * bx;
    const length = Math.sqrt(x * x + y * y + z * z);
    const f = length > 0 ? 1 / length : 0;
    out[3 * t] = f * x;
    out[3 * t + 1] = f * y;
    out[3 * t + 2] = f * z;
  }
}

/**
 * Unit normals of the points: means of the triangles around them, weighted by rest area, [3n].
 *
 * @example
 * const faces = new Float64Array(sheet.triangles.length);
 * triangleNormals(faces, sheet, simulation.Y);
 * const normals = pointNormals(sheet, faces);
 */
export function pointNormals(sheet: MeasuredSheet, faces: ReadonlyF64): Float64Array {
  const { n, triangles, triangleArea } = sheet;
  const normals = new Float64Array(3 * n);
  for (let t = 0; t < triangleArea.length; t++)
    for (let c = 0; c < 3; c++)
      for (let d = 0; d < 3; d++)
        normals[3 * triangles[3 * t + c] + d] += triangleArea[t] * faces[3 * t + d];
  for (let i = 0; i < 3 * n; i += 3) {
    const length = Math.sqrt(normals[i] ** 2 + normals[i + 1] ** 2 + normals[i + 2] ** 2);
    if (length > 0) for (let d = 0; d < 3; d++) normals[i + d] /= length;
  }
  return normals;
}

/**
 * 1/m: mean curvature ½(κ₁ + κ₂) at every point, positive where the sheet bends towards its normal.
 *
 * From the quadratic fit over the second ring in material coordinates, which for a sheet that does not stretch is the
 * curvature itself: H⃗ = ½ (h₀₀ + h₁₁), measured along the normal. Exact on cylinders up to O(ℓ²), boundary included.
 *
 * @example
 * const H = meanCurvature(simulation.sheet, simulation.Y); // 1/m per point
 */
export function meanCurvature(sheet: MeasuredSheet, Y: ReadonlyF64): Float64Array {
  return createCurvature(sheet)(Y);
}

/**
 * The same, prepared once for many frames.
 *
 * @example
 * const curvature = createCurvature(sheet);
 * const H = curvature(simulation.Y); // 1/m per point
 */
export function createCurvature(sheet: MeasuredSheet): (Y: ReadonlyF64) => Float64Array {
  const near = neighbourhoods(sheet, { rings: 2 });
  const { n } = sheet;
  const weight = new Float64Array(near.index.length); // of ½ (h₀₀ + h₁₁) per entry
  for (let i = 0; i < n; i++) {
    const first = near.start[i];
    const H = fitted(near, i, sheet.spacing[i]);
    if (H === null) continue;
    for (let e = first; e < near.start[i + 1]; e++)
      weight[e] = 0.5 * (H[3 * (e - first)] + H[3 * (e - first) + 2]);
  }
  const faces = new Float64Array(sheet.triangles.length);
  return (Y) => {
    triangleNormals(faces, sheet, Y);
    const normals = pointNormals(sheet, faces);
    const curvature = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let e = near.start[i]; e < near.start[i + 1]; e++)
        for (let c = 0; c < 3; c++)
          sum += weight[e] * Y[3 * near.index[e] + c] * normals[3 * i + c];
      curvature[i] = sum;
    }
    return curvature;
  };
}

/** Coefficients of the second derivatives, or null where too few points lie around to tell: 0 is shown there. */
function fitted(near: Neighbourhoods, i: number, spacing: number): Float64Array | null {
  try {
    return quadraticFit(near, i, spacing).H;
  } catch {
    return null;
  }
}

/**
 * J: Σ ½ m v².
 *
 * @example
 * const joule = kineticEnergy(simulation.masses, simulation.V);
 */
export function kineticEnergy(m: ReadonlyF64, V: ReadonlyF64): number {
  let sum = 0;
  for (let i = 0; i < m.length; i++)
    sum += 0.5 * m[i] * (V[3 * i] ** 2 + V[3 * i + 1] ** 2 + V[3 * i + 2] ** 2);
  return sum;
}

/**
 * Linear momentum (kg·m/s), angular momentum about the centre of mass (kg·m²/s), and that centre (m).
 *
 * @example
 * const { linear, angular } = momenta(simulation.masses, simulation.Y, simulation.V);
 */
export function momenta(
  m: ReadonlyF64,
  Y: ReadonlyF64,
  V: ReadonlyF64,
): { linear: Vec3; angular: Vec3; centre: Vec3 } {
  const linear: Vec3 = [0, 0, 0];
  const centre: Vec3 = [0, 0, 0];
  let mass = 0;
  for (let i = 0; i < m.length; i++) {
    mass += m[i];
    for (let c = 0; c < 3; c++) {
      linear[c] += m[i] * V[3 * i + c];
      centre[c] += m[i] * Y[3 * i + c];
    }
  }
  if (mass > 0) for (let c = 0; c < 3; c++) centre[c] /= mass;
  const angular: Vec3 = [0, 0, 0];
  for (let i = 0; i < m.length; i++)
    for (let c = 0; c < 3; c++) {
      const [a, b] = [(c + 1) % 3, (c + 2) % 3];
      angular[c] +=
        m[i] *
        ((Y[3 * i + a] - centre[a]) * V[3 * i + b] - (Y[3 * i + b] - centre[b]) * V[3 * i + a]);
    }
  return { linear, angular, centre };
}

type Vec3 = [number, number, number];

/**
 * m/s: the fastest point.
 *
 * @example
 * const atRest = speedMax(simulation.V) < 1e-3; // m/s
 */
export function speedMax(V: ReadonlyF64): number {
  let max = 0;
  for (let k = 0; k + 2 < V.length; k += 3) {
    const squared = V[k] * V[k] + V[k + 1] * V[k + 1] + V[k + 2] * V[k + 2];
    max = Math.max(max, squared);
  }
  return Math.sqrt(max);
}

/** m, between two points. */
export function distance(Y: ReadonlyF64, i: number, j: number): number {
  const x = Y[3 * i] - Y[3 * j];
  const y = Y[3 * i + 1] - Y[3 * j + 1];
  const z = Y[3 * i + 2] - Y[3 * j + 2];
  return Math.sqrt(x * x + y * y + z * z);
}

/**
 * max(|tr C − 2|, |det C − 1|) per point of C = FᵀF averaged over the neighbourhood (§4): what the method keeps at 0.
 *
 * @example
 * const residuals = createResiduals(simulation.sheet);
 * const worst = Math.max(...residuals(simulation.Y));
 */
export function createResiduals({ n, near, area }: Sheet): (Y: ReadonlyF64) => Float64Array {
  const B = averagingWeights(near, area);
  const out = new Float64Array(n);
  const F = new Float64Array(6); // columns ∂y/∂u and ∂y/∂v
  return (Y) => {
    for (let i = 0; i < n; i++) {
      F.fill(0);
      for (let e = near.start[i]; e < near.start[i + 1]; e++)
        for (let c = 0; c < 3; c++) {
          F[c] += Y[3 * near.index[e] + c] * B[2 * e];
          F[3 + c] += Y[3 * near.index[e] + c] * B[2 * e + 1];
        }
      const a = F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
      const b = F[0] * F[3] + F[1] * F[4] + F[2] * F[5];
      const d = F[3] * F[3] + F[4] * F[4] + F[5] * F[5];
      out[i] = Math.max(Math.abs(a + d - 2), Math.abs(a * d - b * b - 1));
    }
    return out;
  };
}
