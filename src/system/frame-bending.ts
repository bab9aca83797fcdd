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
 * It vanishes on affine maps and is exact on quadratics; what it lacks on cubics is added (cubic-bending.ts). A clamp is positions and frames that are held, nothing else.
 *
 * Beside it the residual of edges, r = (yⱼ − yᵢ)/ℓ − ½(Fᵢ + Fⱼ) t, which makes the edge's cubic an S: 0 on quadratics, O(ℓ²) on smooth surfaces.
 *
 *   E_r = K_r Σₑ wₑ |r|²,     wₑ a third of the triangles at the edge; K_r in N/m (limp-cloth.ts)
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { findEntry, patternFromElements, type SparsePattern } from "../linalg/sparse.ts";
import type { FrameCharts } from "../sheet/frames.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import { cubicStiffness } from "./cubic-bending.ts";
import { createTriangle, type Kirchhoff, setCurvature, setCurvatureSquare, setTriangle } from "./kirchhoff-triangle.ts";

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

/** K of E_b on the pattern, N/m. @param D [n] N·m; @param nu [n] Poisson's ratio */
export function frameBending(sheet: Sheet, charts: FrameCharts, D: ReadonlyF64, nu: ReadonlyF64, pattern: SparsePattern): Float64Array {
  const { triangles, corners } = sheet;
  const K = new Float64Array(pattern.index.length);
  const triangle = createTriangle(), basis = new Float64Array(6), Q = new Float64Array(81), points = new Int32Array(9);
  for (let t = 0; 3 * t < triangles.length; t++) {
    let stiffness = 0, poisson = 0;
    for (let k = 0; k < 3; k++) { stiffness += D[triangles[3 * t + k]] / 3; poisson += nu[triangles[3 * t + k]] / 3; }
    setBasis(basis, sheet, charts, t);
    setTriangle(triangle, corners, t, basis);
    setCurvatureSquare(Q, triangle, poisson);
    addCubics(Q, triangle, cubicStiffness(triangle, poisson));
    for (let k = 0; k < 81; k++) Q[k] *= stiffness;
    localPoints(points, sheet, t);
    addDense(K, pattern, points, Q, 9);
  }
  return K;
}

/** What setTriangle asks for. */
function setBasis(basis: Float64Array, { triangles, spacing }: Sheet, { turn }: FrameCharts, t: number): void {
  for (let k = 0; k < 6; k++) basis[k] = turn[6 * t + k] / spacing[triangles[3 * t + (k >> 1)]];
}

/** Q += the matrix of 2 μ Σ |r|²/ℓ². */
function addCubics(Q: Float64Array, { residual, length }: Kirchhoff, mu: number): void {
  for (let k = 0; k < 3; k++) {
    const weight = (2 * mu) / (length[k] * length[k]);
    for (let p = 0; p < 9; p++) for (let q = 0; q < 9; q++) Q[9 * p + q] += weight * residual[9 * k + p] * residual[9 * k + q];
  }
}

const rows = new Float64Array(36);

/** ∂₁θ₁, ∂₂θ₂ and ½(∂₂θ₁ + ∂₁θ₂) at the middles of the sides of triangle t as rows over its nine unknowns, [81]. */
export function curvatureRows(out: Float64Array, sheet: Sheet, charts: FrameCharts, t: number): void {
  const triangle = createTriangle(), basis = new Float64Array(6);
  setBasis(basis, sheet, charts, t);
  setTriangle(triangle, sheet.corners, t, basis);
  for (let m = 0; m < 3; m++) {
    setCurvature(rows, triangle, m);
    for (let p = 0; p < 27; p++) out[27 * m + p] = rows[p];
  }
}

function addDense(K: Float64Array, pattern: SparsePattern, points: Int32Array, Q: Float64Array, size: number): void {
  for (let p = 0; p < size; p++)
    for (let q = 0; q < size; q++) K[findEntry(pattern, points[p], points[q])] += Q[size * p + q];
}

/** [edges] m², wₑ. */
export function edgeWeights({ edges, triangleArea }: Sheet, side: Int32Array): Float64Array {
  const weight = new Float64Array(edges.length / 2);
  for (let k = 0; k < side.length; k++) weight[side[k]] += triangleArea[Math.floor(k / 3)] / 3;
  return weight;
}

/** The matrix of 2 Σₑ wₑ |r|² on the pattern, so that E_r = ½ K_r yᵀ R y; 1. */
export function edgeResidual(sheet: Sheet, { tangent, side }: FrameCharts, pattern: SparsePattern): Float64Array {
  const { n, edges, edgeLength, spacing } = sheet;
  const weight = edgeWeights(sheet, side);
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
