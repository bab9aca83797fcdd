// biome-ignore-all format: components are kept in columns
/**
 * Bending of samples with frames (§5): the discrete Kirchhoff energy, quadratic in positions and frames, so that its Hessian is constant.
 *
 * On every triangle θ is quadratic, with θ = F at the corners and, at the middle of an edge with ends i and j, length ℓ, tangent t and normal n,
 *
 *   θ t = (3/2)(yⱼ − yᵢ)/ℓ − ¼(Fᵢ + Fⱼ) t          the tangent of the edge's cubic
 *   θ n = ½(Fᵢ + Fⱼ) n
 *   E_b = D/2 ∫ (1−ν)|sym ∇θ|² + ν (tr ∇θ)²          the same for x, y and z: a scalar 9×9 matrix per triangle
 *
 * It vanishes on affine maps and is exact on quadratics. A clamp is positions and frames that are held, nothing else.
 *
 * Beside it the residual of edges, r = (yⱼ − yᵢ)/ℓ − ½(Fᵢ + Fⱼ) t, which makes the edge's cubic an S: 0 on quadratics, O(ℓ²) on smooth surfaces.
 *
 *   E_r = K_r Σₑ wₑ |r|²,     wₑ a third of the triangles at the edge; K_r in N/m (limp-cloth.ts)
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { findEntry, patternFromElements, type SparsePattern } from "../linalg/sparse.ts";
import type { FrameCharts } from "../sheet/frames.ts";
import type { Sheet } from "../sheet/kinematics.ts";

const NEXT = [1, 2, 0], LAST = [2, 0, 1];

/** Points of a triangle in the order of its local unknowns: y, a, b of each corner. */
export function localPoints(out: Int32Array, { n, triangles }: Sheet, t: number): void {
  for (let k = 0; k < 3; k++) {
    const i = triangles[3 * t + k];
    out[3 * k] = i; out[3 * k + 1] = n + 2 * i; out[3 * k + 2] = n + 2 * i + 1;
  }
}

/** Positions and frames that share a triangle; points from 3n to `points` are coupled by rows alone. */
export function framePattern(sheet: Sheet, points: number): SparsePattern {
  const T = sheet.triangles.length / 3;
  const start = Int32Array.from({ length: T + 1 }, (_, t) => 9 * t);
  const index = new Int32Array(9 * T);
  for (let t = 0; t < T; t++) localPoints(index.subarray(9 * t, 9 * t + 9), sheet, t);
  return patternFromElements(points, start, index);
}

/** θ₁ and θ₂ at the six nodes of a triangle (corners, then middles of the sides opposite them) as rows over its nine unknowns. */
type Rotations = Float64Array; // [2·6·9]

/** K of E_b on the pattern, N/m. @param D [n] N·m; @param nu [n] Poisson's ratio */
export function frameBending(sheet: Sheet, charts: FrameCharts, D: ReadonlyF64, nu: ReadonlyF64, pattern: SparsePattern): Float64Array {
  const { triangles, corners, triangleArea } = sheet;
  const K = new Float64Array(pattern.index.length);
  const theta: Rotations = new Float64Array(108), gradient = new Float64Array(6), Q = new Float64Array(81), points = new Int32Array(9);
  for (let t = 0; 3 * t < triangles.length; t++) {
    let stiffness = 0, poisson = 0;
    for (let k = 0; k < 3; k++) { stiffness += D[triangles[3 * t + k]] / 3; poisson += nu[triangles[3 * t + k]] / 3; }
    setRotations(theta, sheet, charts, t);
    barycentricGradients(gradient, corners, t);
    Q.fill(0);
    for (let m = 0; m < 3; m++) addCurvatureSquare(Q, theta, gradient, m, (stiffness * triangleArea[t]) / 3, poisson);
    localPoints(points, sheet, t);
    addDense(K, pattern, points, Q, 9);
  }
  return K;
}

function setRotations(theta: Rotations, { triangles, corners, spacing }: Sheet, { turn }: FrameCharts, t: number): void {
  theta.fill(0);
  for (let k = 0; k < 3; k++) {
    const s = spacing[triangles[3 * t + k]], c = turn[6 * t + 2 * k] / s, d = turn[6 * t + 2 * k + 1] / s;
    // θ e₁ = F (R e₁), θ e₂ = F (R e₂), R the turn into the chart
    theta[18 * k + 3 * k + 1] = c;      theta[18 * k + 3 * k + 2] = d;
    theta[18 * k + 9 + 3 * k + 1] = -d; theta[18 * k + 9 + 3 * k + 2] = c;
  }
  for (let k = 0; k < 3; k++) {
    const i = NEXT[k], j = LAST[k];
    const u = corners[6 * t + 2 * j] - corners[6 * t + 2 * i], v = corners[6 * t + 2 * j + 1] - corners[6 * t + 2 * i + 1];
    const l = Math.sqrt(u * u + v * v), x = u / l, y = v / l;
    for (let p = 0; p < 9; p++) {
      const first = theta[18 * i + p] + theta[18 * j + p], second = theta[18 * i + 9 + p] + theta[18 * j + 9 + p];
      const chord = p === 3 * j ? 1.5 / l : p === 3 * i ? -1.5 / l : 0;
      const along = chord - 0.25 * (x * first + y * second), across = 0.5 * (x * second - y * first);
      theta[18 * (3 + k) + p] = along * x - across * y;
      theta[18 * (3 + k) + 9 + p] = along * y + across * x;
    }
  }
}

/** ∇λₖ of the three corners, two numbers each, 1/m. */
function barycentricGradients(out: Float64Array, x: ReadonlyF64, t: number): void {
  const area2 = (x[6 * t + 2] - x[6 * t]) * (x[6 * t + 5] - x[6 * t + 1]) - (x[6 * t + 3] - x[6 * t + 1]) * (x[6 * t + 4] - x[6 * t]);
  for (let k = 0; k < 3; k++) {
    const i = 6 * t + 2 * NEXT[k], j = 6 * t + 2 * LAST[k];
    out[2 * k] = (x[i + 1] - x[j + 1]) / area2; out[2 * k + 1] = (x[j] - x[i]) / area2;
  }
}

/** Rows of ∂₁θ₁, ∂₂θ₂ and ½(∂₂θ₁ + ∂₁θ₂), and of the trace, at the middle of side m. */
function setCurvature(rows: Float64Array, theta: Rotations, gradient: Float64Array, m: number): void {
  rows.fill(0);
  for (let node = 0; node < 6; node++) {
    // gradient of the node's shape function: λ(2λ−1) at a corner, 4λλ' at a middle; here λ = ½ but at corner m, where it is 0
    let gx = 0, gy = 0;
    if (node < 3) {
      const slope = node === m ? -1 : 1;
      gx = slope * gradient[2 * node]; gy = slope * gradient[2 * node + 1];
    } else {
      const i = NEXT[node - 3], j = LAST[node - 3], atI = i === m ? 0 : 2, atJ = j === m ? 0 : 2;
      gx = atI * gradient[2 * j] + atJ * gradient[2 * i]; gy = atI * gradient[2 * j + 1] + atJ * gradient[2 * i + 1];
    }
    for (let p = 0; p < 9; p++) {
      const first = theta[18 * node + p], second = theta[18 * node + 9 + p];
      rows[p] += gx * first; rows[9 + p] += gy * second; rows[18 + p] += 0.5 * (gy * first + gx * second);
    }
  }
  for (let p = 0; p < 9; p++) rows[27 + p] = rows[p] + rows[9 + p];
}

const rows = new Float64Array(36);

/** Q += weight·[(1−ν)|sym ∇θ|² + ν tr²] at the middle of side m: three of these integrate a quadratic exactly. */
function addCurvatureSquare(Q: Float64Array, theta: Rotations, gradient: Float64Array, m: number, weight: number, nu: number): void {
  setCurvature(rows, theta, gradient, m);
  for (let p = 0; p < 9; p++)
    for (let q = 0; q < 9; q++)
      Q[9 * p + q] += weight * ((1 - nu) * (rows[p] * rows[q] + rows[9 + p] * rows[9 + q] + 2 * rows[18 + p] * rows[18 + q]) + nu * rows[27 + p] * rows[27 + q]);
}

/** Means over triangle t of ∂₁θ₁, ∂₂θ₂ and ½(∂₂θ₁ + ∂₁θ₂) as rows over its nine unknowns, [27]. */
export function curvatureRows(out: Float64Array, sheet: Sheet, charts: FrameCharts, t: number): void {
  const theta: Rotations = new Float64Array(108), gradient = new Float64Array(6);
  setRotations(theta, sheet, charts, t);
  barycentricGradients(gradient, sheet.corners, t);
  out.fill(0);
  for (let m = 0; m < 3; m++) {
    setCurvature(rows, theta, gradient, m);
    for (let p = 0; p < 27; p++) out[p] += rows[p] / 3;
  }
}

function addDense(K: Float64Array, pattern: SparsePattern, points: Int32Array, Q: Float64Array, size: number): void {
  for (let p = 0; p < size; p++)
    for (let q = 0; q < size; q++) K[findEntry(pattern, points[p], points[q])] += Q[size * p + q];
}

/** The matrix of 2 Σₑ wₑ |r|² on the pattern, so that E_r = ½ K_r yᵀ R y; 1. */
export function edgeResidual(sheet: Sheet, { tangent, side }: FrameCharts, pattern: SparsePattern): Float64Array {
  const { n, edges, edgeLength, triangleArea, spacing } = sheet;
  const weight = new Float64Array(edges.length / 2);
  for (let k = 0; k < side.length; k++) weight[side[k]] += triangleArea[Math.floor(k / 3)] / 3;
  const R = new Float64Array(pattern.index.length);
  const points = new Int32Array(6), row = new Float64Array(6), Q = new Float64Array(36);
  for (let e = 0; 2 * e < edges.length; e++) {
    const i = edges[2 * e], j = edges[2 * e + 1], l = edgeLength[e];
    points.set([i, n + 2 * i, n + 2 * i + 1, j, n + 2 * j, n + 2 * j + 1]);
    row.set([-1 / l, (-0.5 * tangent[4 * e]) / spacing[i], (-0.5 * tangent[4 * e + 1]) / spacing[i], 1 / l, (-0.5 * tangent[4 * e + 2]) / spacing[j], (-0.5 * tangent[4 * e + 3]) / spacing[j]]);
    for (let p = 0; p < 6; p++) for (let q = 0; q < 6; q++) Q[6 * p + q] = 2 * weight[e] * row[p] * row[q];
    addDense(R, pattern, points, Q, 6);
  }
  return R;
}
