/**
 * Frames: a sample carries, beside its position y, its deformation gradient F = [a b], two vectors in space (§4).
 *
 * F lives in the chart of its sample (charts.ts), so that tubes, seams and meshes need nothing special: a direction of an edge
 * or of a triangle is turned into the chart of each of its ends. A vector d of the chart is mapped to F d in space.
 *
 * Frames are stored as points: of sample i, n + 2i is the place of s a and n + 2i + 1 that of s b, with the spacing s = ℓᵢ of the
 * sample, so that all unknowns are metres and moves of positions and of frames compare.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { atan2 } from "../linalg/elementary.ts";
import { neighbourhoods } from "./charts.ts";
import { quadraticFit } from "./curvature.ts";
import type { Neighbourhoods, Sheet } from "./kinematics.ts";

/** Where the edges and triangles of a sheet lie in the charts of its samples. */
export interface FrameCharts {
  /** [4·edges] unit tangent of each edge from its first end to its second: in the chart of the first, in that of the second. */
  readonly tangent: Float64Array;
  /** [3·triangles] the edge opposite each corner. */
  readonly side: Int32Array;
  /** [6·triangles] cosine and sine, per corner, of the turn from the triangle's coordinates into the chart of its sample. */
  readonly turn: Float64Array;
}

/** A sheet whose edges know where they lie in the charts of its samples. */
export type FramedSheet<S> = S & { readonly tangent: ReadonlyF64 };

/** The sheet with the tangents of its edges, as all that draws or measures arcs needs it. */
export function withTangents(sheet: Sheet): FramedSheet<Sheet> {
  return { ...sheet, tangent: tangents(sheet, firstRings(sheet)) };
}

/** Whether Y holds frames, [9n], and the sheet knows the charts that they are in; else Y is positions alone, [3n]. */
export function hasFrames<S extends Pick<Sheet, "n" | "tangent">>(
  sheet: S,
  Y: ArrayLike<number>,
): sheet is FramedSheet<S> {
  return sheet.tangent !== undefined && Y.length === 9 * sheet.n;
}

/**
 * ℓ F t at one end of edge e: the derivative, along the edge from 0 to 1, of the cubic that is the edge's arc.
 *
 * @param end 0: the first, 1: the second
 */
export function endTangent(
  out: Float64Array,
  at: number,
  {
    n,
    edges,
    edgeLength,
    spacing,
    tangent,
  }: FramedSheet<Pick<Sheet, "n" | "edges" | "edgeLength" | "spacing">>,
  Y: ReadonlyF64,
  e: number,
  end: 0 | 1,
): void {
  const i = edges[2 * e + end];
  const scale = edgeLength[e] / spacing[i];
  const u = scale * tangent[4 * e + 2 * end];
  const v = scale * tangent[4 * e + 2 * end + 1];
  const f = 3 * n + 6 * i;
  for (let c = 0; c < 3; c++) out[at + c] = u * Y[f + c] + v * Y[f + 3 + c];
}

export function frameCharts(sheet: Sheet): FrameCharts {
  const near = firstRings(sheet);
  return { tangent: tangents(sheet, near), side: sides(sheet), turn: turns(sheet, near) };
}

/** The sheet's own neighbourhoods where they hold every edge, else the first rings. */
export function firstRings(sheet: Sheet): Neighbourhoods {
  const { near, edges } = sheet;
  for (let e = 0; e < edges.length; e += 2)
    if (entryOf(near, edges[e], edges[e + 1]) < 0 || entryOf(near, edges[e + 1], edges[e]) < 0)
      return neighbourhoods(sheet, { rings: 1 });
  return near;
}

function entryOf({ start, index }: Neighbourhoods, i: number, j: number): number {
  for (let e = start[i]; e < start[i + 1]; e++) if (index[e] === j) return e;
  return -1;
}

function tangents({ edges }: Sheet, near: Neighbourhoods): Float64Array {
  const out = new Float64Array(2 * edges.length);
  for (let e = 0; e < edges.length; e += 2) {
    setUnit(out, 2 * e, near, entryOf(near, edges[e], edges[e + 1]), 1);
    setUnit(out, 2 * e + 2, near, entryOf(near, edges[e + 1], edges[e]), -1);
  }
  return out;
}

function setUnit(
  out: Float64Array,
  at: number,
  { X }: Neighbourhoods,
  e: number,
  sign: number,
): void {
  const u = X[2 * e];
  const v = X[2 * e + 1];
  const length = Math.sqrt(u * u + v * v);
  out[at] = (sign * u) / length;
  out[at + 1] = (sign * v) / length;
}

/** [3·triangles] the edge opposite each corner. Edges are sorted by their ends. */
export function sides({ triangles, edges }: Pick<Sheet, "triangles" | "edges">): Int32Array {
  const out = new Int32Array(triangles.length);
  for (let k = 0; k < out.length; k++) {
    const t = k - (k % 3);
    const a = triangles[t + ((k + 1) % 3)];
    const b = triangles[t + ((k + 2) % 3)];
    out[k] = findEdge(edges, Math.min(a, b), Math.max(a, b));
  }
  return out;
}

function findEdge(edges: Sheet["edges"], a: number, b: number): number {
  let low = 0;
  let high = edges.length / 2 - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const before = edges[2 * middle] - a || edges[2 * middle + 1] - b;
    if (before < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The turn that fits both edges of a corner: exact where the chart is flat, their mean where a fan was spread. */
function turns({ triangles, corners }: Sheet, near: Neighbourhoods): Float64Array {
  const out = new Float64Array(2 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    const t = k - (k % 3);
    let cosine = 0;
    let sine = 0;
    for (let step = 1; step < 3; step++) {
      const other = t + ((k + step) % 3);
      const u = corners[2 * other] - corners[2 * k];
      const v = corners[2 * other + 1] - corners[2 * k + 1];
      const e = 2 * entryOf(near, triangles[k], triangles[other]);
      const x = near.X[e];
      const y = near.X[e + 1];
      const scale = 1 / Math.sqrt((u * u + v * v) * (x * x + y * y));
      cosine += (u * x + v * y) * scale;
      sine += (u * y - v * x) * scale;
    }
    const length = Math.sqrt(cosine * cosine + sine * sine);
    out[2 * k] = cosine / length;
    out[2 * k + 1] = sine / length;
  }
  return out;
}

/**
 * Gradients of a field that is given at the samples: F = Σⱼ yⱼ bⱼᵀ, the linear term of a quadratic fit.
 *
 * @param near  second rings
 * @returns [2·entries of near] 1/m, bⱼ
 */
export function gradientWeights({ n, spacing }: Sheet, near: Neighbourhoods): Float64Array {
  const B = new Float64Array(2 * near.index.length);
  for (let i = 0; i < n; i++) B.set(quadraticFit(near, i, spacing[i]).F, 2 * near.start[i]);
  return B;
}

/** [6n] gradients of a field of vectors, ℓ times each: two vectors per sample. */
export function gradientsOf(
  { n, spacing }: Sheet,
  near: Neighbourhoods,
  Y: ReadonlyF64,
  B: ReadonlyF64,
): Float64Array {
  const out = new Float64Array(6 * n);
  for (let i = 0; i < n; i++)
    for (let e = near.start[i]; e < near.start[i + 1]; e++)
      for (let c = 0; c < 3; c++) {
        const y = spacing[i] * Y[3 * near.index[e] + c];
        out[6 * i + c] += B[2 * e] * y;
        out[6 * i + 3 + c] += B[2 * e + 1] * y;
      }
  return out;
}

/**
 * Frames of a pose that is given by positions alone: the isometric part (polar factor) of the gradient. Where a sheet lies back on itself, at the seam of a
 * flat balloon, the gradient across the seam is nothing but noise; there the frame is the nearest one that has the normal of the triangles around.
 *
 * @param B weights of gradientWeights over `near`
 * @returns [6n] m, ℓ a and ℓ b of every sample
 */
export function framesOf(
  sheet: Sheet,
  near: Neighbourhoods,
  Y: ReadonlyF64,
  B: ReadonlyF64 = gradientWeights(sheet, near),
): Float64Array {
  const out = gradientsOf(sheet, near, Y, B);
  const normals = angleNormals(sheet, Y);
  for (let i = 0; i < sheet.n; i++) {
    const mean = Math.sqrt(squaredLength3(normals, 3 * i));
    if (mean < FOLDED && mean > NO_SIDE) turnToNormal(out, 6 * i, normals, 3 * i, sheet.spacing[i]);
    else makeIsometric(out, 6 * i, sheet.spacing[i]);
  }
  return out;
}

/** Mean of the unit normals around a sample under which the sheet is folded there: by some 150°. */
export const FOLDED = 0.25;
/** … and under which it lies on itself so exactly that rounding would choose the side. */
const NO_SIDE = 1e-9;

/** [3n] mean of the unit normals of the triangles around each sample, each by its angle there. */
export function angleNormals(
  { n, triangles }: Pick<Sheet, "n" | "triangles">,
  Y: ReadonlyF64,
): Float64Array {
  const out = new Float64Array(3 * n);
  const angles = new Float64Array(n);
  const normal = new Float64Array(3);
  for (let k = 0; k < triangles.length; k++) {
    const t = k - (k % 3);
    const i = triangles[k];
    const a = 3 * i;
    const b = 3 * triangles[t + ((k + 1) % 3)];
    const c = 3 * triangles[t + ((k + 2) % 3)];
    let cosine = 0;
    for (let x = 0; x < 3; x++) {
      const [y, z] = [(x + 1) % 3, (x + 2) % 3];
      normal[x] = (Y[b + y] - Y[a + y]) * (Y[c + z] - Y[a + z]);
      normal[x] -= (Y[b + z] - Y[a + z]) * (Y[c + y] - Y[a + y]);
      cosine += (Y[b + x] - Y[a + x]) * (Y[c + x] - Y[a + x]);
    }
    const sine = Math.sqrt(squaredLength3(normal, 0));
    if (!(sine > 0)) continue;
    const angle = atan2(sine, cosine);
    angles[i] += angle;
    for (let x = 0; x < 3; x++) out[a + x] += (angle * normal[x]) / sine;
  }
  for (let i = 0; i < n; i++)
    for (let x = 3 * i; x < 3 * i + 3; x++) if (angles[i] > 0) out[x] /= angles[i];
  return out;
}

/**
 * F = [a b] ← the pair of orthonormal vectors, times scale, that has a normal n and is nearest to F: since b = n × a and a = b × n in such a pair, its first is
 * along a + b × n.
 */
function turnToNormal(
  F: Float64Array,
  at: number,
  normals: ReadonlyF64,
  from: number,
  scale: number,
): void {
  const size = Math.sqrt(squaredLength3(normals, from));
  const n = [0, 1, 2].map((c) => normals[from + c] / size);
  const b = F.slice(at + 3, at + 6);
  const a = [0, 1, 2].map((c) => F[at + c] + crossed(b, n, c));
  const along = a[0] * n[0] + a[1] * n[1] + a[2] * n[2];
  for (let c = 0; c < 3; c++) a[c] -= along * n[c];
  const length = Math.sqrt(squaredLength3(a, 0));
  for (let c = 0; c < 3; c++) {
    F[at + c] = (scale * a[c]) / length;
    F[at + 3 + c] = (scale * crossed(n, a, c)) / length;
  }
}

/** Component c of u × v. */
function crossed(u: ArrayLike<number>, v: ArrayLike<number>, c: number): number {
  const [d, e] = [(c + 1) % 3, (c + 2) % 3];
  return u[d] * v[e] - u[e] * v[d];
}

function squaredLength3(v: ArrayLike<number>, at: number): number {
  return v[at] ** 2 + v[at + 1] ** 2 + v[at + 2] ** 2;
}

/** F ← scale · F (FᵀF)^(−½), the nearest pair of orthonormal vectors; C^½ of a 2×2 matrix in closed form. */
function makeIsometric(F: Float64Array, at: number, scale: number): void {
  let a = 0;
  let b = 0;
  let d = 0;
  for (let c = 0; c < 3; c++) {
    a += F[at + c] * F[at + c];
    b += F[at + c] * F[at + 3 + c];
    d += F[at + 3 + c] * F[at + 3 + c];
  }
  const root = Math.sqrt(Math.max(a * d - b * b, 0));
  const trace = Math.sqrt(a + d + 2 * root); // of C^½
  // C^½ = (C + root·I)/trace, and its inverse is its adjugate over its determinant, which is root
  const xx = (d + root) / (trace * root);
  const xy = -b / (trace * root);
  const yy = (a + root) / (trace * root);
  for (let c = 0; c < 3; c++) {
    const p = F[at + c];
    const q = F[at + 3 + c];
    F[at + c] = scale * (p * xx + q * xy);
    F[at + 3 + c] = scale * (p * xy + q * yy);
  }
}
