/**
 * What a result is judged by, as pure functions of a sheet and its positions. Nothing here depends on a solver: the strain
 * is measured on the triangles and between points, so that a small residual cannot hide a stretched sheet.
 *
 * Where samples have frames, Y is their pose [9n] (sheet/frames.ts) and lengths are those of arcs: a bent sheet that is not
 * strained has shorter chords. Given positions alone, [3n], lengths are those of chords.
 *
 * Relative lengths are without unit, everything else SI. All are O(n) unless said otherwise.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { acos } from "../linalg/elementary.ts";
import { averagingWeights, neighbourhoods } from "../sheet/charts.ts";
import { quadraticFit } from "../sheet/curvature.ts";
import { endTangent, type FramedSheet, hasFrames, sides } from "../sheet/frames.ts";
import type { Neighbourhoods, Sheet } from "../sheet/kinematics.ts";

/** A sheet as far as measures need it: what recordings keep. */
export type MeasuredSheet = Omit<Sheet, "near">;

/**
 * Relative change of length of every edge, signed: length/rest − 1.
 *
 * @example
 * const strains = new Float64Array(sheet.edgeLength.length);
 * edgeStrains(strains, sheet, simulation.pose);
 */
export function edgeStrains(out: Float64Array, sheet: MeasuredSheet, Y: ReadonlyF64): void {
  for (let e = 0; e < sheet.edgeLength.length; e++) out[e] = strainOfEdge(sheet, Y, e);
}

export interface EdgeStrain {
  /** Mean and largest |length/rest − 1|. */
  mean: number;
  max: number;
  /** Largest length/rest − 1 and largest 1 − length/rest; at least 0. */
  stretchMax: number;
  compressionMax: number;
}

/**
 * Strain over the edges: of arcs where Y holds frames, else of chords.
 *
 * @example
 * const { mean, max } = edgeStrain(simulation.sheet, simulation.pose);
 */
export function edgeStrain(sheet: MeasuredSheet, Y: ReadonlyF64): EdgeStrain {
  const count = sheet.edgeLength.length;
  const strain: EdgeStrain = { mean: 0, max: 0, stretchMax: 0, compressionMax: 0 };
  let sum = 0;
  for (let e = 0; e < count; e++) {
    const change = strainOfEdge(sheet, Y, e);
    sum += Math.abs(change);
    strain.max = Math.max(strain.max, Math.abs(change)); // NaN stays NaN
    strain.stretchMax = Math.max(strain.stretchMax, change);
    strain.compressionMax = Math.max(strain.compressionMax, -change);
  }
  strain.mean = count === 0 ? 0 : sum / count;
  return strain;
}

function strainOfEdge(sheet: MeasuredSheet, Y: ReadonlyF64, e: number): number {
  const { edges, edgeLength } = sheet;
  const length = hasFrames(sheet, Y)
    ? arcLength(sheet, Y, e)
    : distance(Y, edges[2 * e], edges[2 * e + 1]);
  return length / edgeLength[e] - 1;
}

/** Places and weights of Gauss's rule of three on 0 … 1. */
const GAUSS_PLACES = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15)];
const GAUSS_WEIGHTS = [5 / 18, 8 / 18, 5 / 18];
const ends = new Float64Array(6);

/**
 * m, of the cubic with the ends and end tangents of edge e:
 *
 *   L = ∫ |y′| ds,   y′ = 6 s(1 − s) (yⱼ − yᵢ) + (1 − s)(1 − 3s) ℓFᵢt + s(3s − 2) ℓFⱼt
 *
 * by three points, which is exact to O((κℓ)⁶).
 */
function arcLength(sheet: FramedSheet<MeasuredSheet>, Y: ReadonlyF64, e: number): number {
  const i = 3 * sheet.edges[2 * e];
  const j = 3 * sheet.edges[2 * e + 1];
  endTangent(ends, 0, sheet, Y, e, 0);
  endTangent(ends, 3, sheet, Y, e, 1);
  let length = 0;
  for (let q = 0; q < 3; q++) {
    const s = GAUSS_PLACES[q];
    const chord = 6 * s * (1 - s);
    const first = (1 - s) * (1 - 3 * s);
    const second = s * (3 * s - 2);
    let squared = 0;
    for (let c = 0; c < 3; c++) {
      const slope = chord * (Y[j + c] - Y[i + c]) + first * ends[c] + second * ends[3 + c];
      squared += slope * slope;
    }
    length += GAUSS_WEIGHTS[q] * Math.sqrt(squared);
  }
  return length;
}

/**
 * Principal strains of every triangle: √λ − 1 of the eigenvalues λ of its metric C, the larger first. C is the one that gives
 * its three sides their lengths, chords or arcs.
 *
 * @param out [2·triangles]
 *
 * @example
 * const strains = new Float64Array((2 * sheet.triangles.length) / 3);
 * principalStrains(strains, sheet, simulation.Y);
 */
export function principalStrains(out: Float64Array, sheet: MeasuredSheet, Y: ReadonlyF64): void {
  const side = hasFrames(sheet, Y) ? sidesOf(sheet) : null;
  for (let t = 0; 3 * t < sheet.triangles.length; t++) {
    if (side) setArcMetric(metric, sheet, Y, side, t);
    else setChordMetric(metric, sheet, Y, t);
    setPrincipal(out, 2 * t, metric[0], metric[1], metric[2]);
  }
}

const metric = new Float64Array(3);

/** C = FᵀF = [a b; b d] of a flat triangle, F = [y_j − y_i, y_k − y_i] [X_j − X_i, X_k − X_i]⁻¹. */
function setChordMetric(C: Float64Array, sheet: MeasuredSheet, Y: ReadonlyF64, t: number): void {
  const { triangles, corners } = sheet;
  const [i, j, k] = [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]];
  const u1 = corners[6 * t + 2] - corners[6 * t];
  const v1 = corners[6 * t + 3] - corners[6 * t + 1];
  const u2 = corners[6 * t + 4] - corners[6 * t];
  const v2 = corners[6 * t + 5] - corners[6 * t + 1];
  const det = u1 * v2 - u2 * v1;
  C.fill(0);
  for (let c = 0; c < 3; c++) {
    const y1 = Y[3 * j + c] - Y[3 * i + c];
    const y2 = Y[3 * k + c] - Y[3 * i + c];
    const p = (y1 * v2 - y2 * v1) / det;
    const q = (y2 * u1 - y1 * u2) / det;
    C[0] += p * p;
    C[1] += p * q;
    C[2] += q * q;
  }
}

/** C = [a b; b d] that gives the sides of a triangle the lengths of their arcs: with sides x, xᵀ(C − I)x = (1 + ε)²|x|² − |x|². */
function setArcMetric(
  C: Float64Array,
  sheet: MeasuredSheet,
  Y: ReadonlyF64,
  side: Int32Array,
  t: number,
): void {
  const { corners } = sheet;
  const u1 = corners[6 * t + 2] - corners[6 * t];
  const v1 = corners[6 * t + 3] - corners[6 * t + 1];
  const u2 = corners[6 * t + 4] - corners[6 * t];
  const v2 = corners[6 * t + 5] - corners[6 * t + 1];
  const g1 = growth(strainOfEdge(sheet, Y, side[3 * t + 2]), u1, v1);
  const g2 = growth(strainOfEdge(sheet, Y, side[3 * t + 1]), u2, v2);
  const g3 = growth(strainOfEdge(sheet, Y, side[3 * t]), u2 - u1, v2 - v1);
  const g12 = 0.5 * (g1 + g2 - g3);
  const f = 1 / (u1 * v2 - u2 * v1) ** 2;
  C[0] = 1 + f * (g1 * v2 * v2 - 2 * g12 * v1 * v2 + g2 * v1 * v1);
  C[1] = f * (-g1 * u2 * v2 + g12 * (u1 * v2 + u2 * v1) - g2 * u1 * v1);
  C[2] = 1 + f * (g1 * u2 * u2 - 2 * g12 * u1 * u2 + g2 * u1 * u1);
}

/** (1 + ε)²|x|² − |x|² */
function growth(strain: number, u: number, v: number): number {
  return strain * (2 + strain) * (u * u + v * v);
}

/** √λ − 1 of the eigenvalues of [a b; b d], the larger first. */
function setPrincipal(out: Float64Array, at: number, a: number, b: number, d: number): void {
  const mid = 0.5 * (a + d);
  const half = Math.sqrt(0.25 * (a - d) * (a - d) + b * b);
  out[at] = Math.sqrt(mid + half) - 1;
  out[at + 1] = Math.sqrt(Math.max(0, mid - half)) - 1;
}

const sidesKnown = new WeakMap<object, Int32Array>();

/** The edges of every triangle; found once for each sheet. */
function sidesOf(sheet: MeasuredSheet): Int32Array {
  const known = sidesKnown.get(sheet.triangles);
  if (known) return known;
  const found = sides(sheet);
  sidesKnown.set(sheet.triangles, found);
  return found;
}

/**
 * Principal strains √λ − 1 of FᵀF of every sample, the larger first.
 *
 * @param out [2n]
 *
 * @example
 * const strains = new Float64Array(2 * sheet.n);
 * if (sheet.tangent) frameStrains(strains, { ...sheet, tangent: sheet.tangent }, simulation.pose);
 */
export function frameStrains(
  out: Float64Array,
  { n, spacing }: FramedSheet<MeasuredSheet>,
  Y: ReadonlyF64,
): void {
  for (let i = 0; i < n; i++) {
    const f = 3 * n + 6 * i;
    const scale = 1 / (spacing[i] * spacing[i]);
    let a = 0;
    let b = 0;
    let d = 0;
    for (let c = f; c < f + 3; c++) {
      a += scale * Y[c] * Y[c];
      b += scale * Y[c] * Y[c + 3];
      d += scale * Y[c + 3] * Y[c + 3];
    }
    setPrincipal(out, 2 * i, a, b, d);
  }
}

/**
 * Largest principal strain in magnitude, stretched or compressed: of the triangles, and of the frames where Y holds them.
 *
 * @example
 * const strain = principalMax(simulation.sheet, simulation.pose);
 */
export function principalMax(sheet: MeasuredSheet, Y: ReadonlyF64): number {
  const triangles = new Float64Array((2 * sheet.triangles.length) / 3);
  principalStrains(triangles, sheet, Y);
  let max = 0;
  for (const strain of triangles) max = Math.max(max, Math.abs(strain));
  if (!hasFrames(sheet, Y)) return max;
  const frames = new Float64Array(2 * sheet.n);
  frameStrains(frames, sheet, Y);
  for (const strain of frames) max = Math.max(max, Math.abs(strain));
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
