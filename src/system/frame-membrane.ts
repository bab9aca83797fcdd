// biome-ignore-all format: components are kept in columns
/**
 * Isometry of samples with frames (§4): asked of F at every sample and, along edges, of the arc instead of the chord.
 *
 *   edge ij    m = (3/2)(yⱼ − yᵢ)/ℓ − ¼(Fᵢ tᵢ + Fⱼ tⱼ)       tangent of its cubic at the middle: |m| = 1 + O(ℓ⁴) on an isometric surface
 *   triangle   C = Σₖ ℓₖ²|mₖ|² Qₖ                            its metric from the squared lengths of its arcs, Qₖ dual to its edges
 *   E_m = (K_n/8) Σᵢ Aᵢ |FᵢᵀFᵢ − I|² + (K_e/8) Σₜ Aₜ |C − I|²
 *
 * A bent sheet has short chords but whole arcs, so K does not stiffen bending. With chords strained by ε and frames by η an arc has
 * |m|² − 1 = 3ε − η; minimised over η the energy is that of a membrane K if
 *
 *   K_e = 4 K K_n/(9 K_n − K)
 *
 * K_n is free. At K/3 (Simpson's weights) η = ε, but at the boundary of a grid frames give way and shear has 0.86 of K; rigid frames
 * (K_n → ∞) have 1.000. K_n couples nothing but the two vectors of one sample, which the block preconditioner inverts exactly, so it costs nothing to
 * make it larger than K (docs/decisions/0010-samples-with-frames.md).
 *
 * Everything of an edge is scalar coefficients times m, so no rows are stored: with dm = Σ c dY over its six points
 *
 *   JᵀWJ dY: u = 2 m·dm per edge, v = Σₜ W u over the edges of each triangle, and 2 v m + 2 s⁺ dm back to the points
 *
 * where s = ∂E/∂|m|² is the tension of the edge; its geometric stiffness is clamped to s⁺ = max(0, s).
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { SPARE } from "../linalg/single.ts";
import { findEntry, type SparseMatrix, type SparsePattern } from "../linalg/sparse.ts";
import type { FrameCharts } from "../sheet/frames.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { MembraneSet, RowSet } from "./system.ts";
import { clampSymmetric, dualMetric } from "./triangle-metric.ts";

const SQRT2 = Math.SQRT2;
/** K_n/K: shear of a grid has 0.97 of K (tests/system/frames.test.ts). */
const NODE_STIFFNESS = 2;
/** K_e/K for it. */
const ARC_STIFFNESS: number = (4 * NODE_STIFFNESS) / (9 * NODE_STIFFNESS - 1);

/** The arcs of all edges and what they are made of; the first six arrays never change. */
export interface Arcs {
  readonly n: number; // samples; the frame of sample i is at the points n + 2i and n + 2i + 1
  readonly edges: number;
  readonly triangles: number;
  readonly ends: Int32Array; // [2E] samples
  readonly c: Float64Array; // [5E] 1/m: of yⱼ − yᵢ, and of the frame vectors of i and of j
  readonly side: Int32Array; // [3T] edges of each triangle
  readonly q: Float64Array; // [9T] 1: ℓₖ² Qₖ in the orthonormal basis of C
  readonly w: Float64Array; // [T] J: K_e A/4
  readonly m: Float64Array; // [3E] 1
  readonly s: Float64Array; // [E] J: ∂E/∂|m|²
  readonly dm: Float64Array; // [3E] scratch of products
  readonly u: Float64Array; // [E] scratch
  readonly v: Float64Array; // [E] scratch
  /** What inner solves in single precision read, and their scratch (step/single-solve.ts). */
  readonly c32: Float32Array; // [8E] c, 2 s⁺, and room
  readonly m32: Float32Array; // [4E] 2 m
  readonly M32: Float32Array; // [6T] J: upper triangle of W over the three edges
  readonly dm32: Float32Array; // [4E]
  readonly u32: Float32Array; // [E]
  /** The counts and the addresses of these arrays, for the kernels. */
  readonly table: Int32Array;
}

/** The loops that kernels repeat. */
export interface FrameOperations {
  arcs(A: Arcs, Y: ReadonlyF64): number;
  arcEnergy(A: Arcs, Y: ReadonlyF64): number;
  addArcForce(y: Float64Array, A: Arcs): void;
  addArcProduct(y: Float64Array, A: Arcs, x: ReadonlyF64): void;
  arcsToSingle(A: Arcs): void;
  nodeRows(N: NodeRows, Y: ReadonlyF64): number;
  nodeEnergy(N: NodeRows, Y: ReadonlyF64): number;
  retract(delta: Float64Array, n: number, Y: ReadonlyF64, t: number, p: ReadonlyF64): void;
}

/** m of every edge at Y into A.m or, for products, Σ c x into A.dm. */
function tangentsOf(out: Float64Array, { n, edges, ends, c }: Arcs, Y: ReadonlyF64): void {
  for (let e = 0; e < edges; e++) {
    const i = 3 * ends[2 * e], j = 3 * ends[2 * e + 1], f = 3 * n + 2 * i, g = 3 * n + 2 * j;
    const c0 = c[5 * e], c1 = c[5 * e + 1], c2 = c[5 * e + 2], c3 = c[5 * e + 3], c4 = c[5 * e + 4];
    for (let k = 0; k < 3; k++)
      out[3 * e + k] = c0 * (Y[j + k] - Y[i + k]) + c1 * Y[f + k] + c2 * Y[f + 3 + k] + c3 * Y[g + k] + c4 * Y[g + 3 + k];
  }
}

/** |m|² of every edge into A.u. */
function squaredArcs({ edges, u }: Arcs, m: ReadonlyF64): void {
  for (let e = 0; e < edges; e++) u[e] = m[3 * e] * m[3 * e] + m[3 * e + 1] * m[3 * e + 1] + m[3 * e + 2] * m[3 * e + 2];
}

/** Σ ½ w |C − I|² of the squared arcs in A.u; with `s` also their derivatives. */
function triangleEnergy({ triangles, side, q, w, u }: Arcs, s: Float64Array | null, first = 0, end: number = triangles): number {
  let E = 0;
  for (let t = first; t < end; t++) {
    const a = side[3 * t], b = side[3 * t + 1], c = side[3 * t + 2], k = 9 * t;
    const ua = u[a], ub = u[b], uc = u[c];
    const g0 = q[k] * ua + q[k + 3] * ub + q[k + 6] * uc - SQRT2;
    const g1 = q[k + 1] * ua + q[k + 4] * ub + q[k + 7] * uc;
    const g2 = q[k + 2] * ua + q[k + 5] * ub + q[k + 8] * uc;
    const h = w[t];
    E += 0.5 * h * (g0 * g0 + g1 * g1 + g2 * g2);
    if (s === null) continue;
    s[a] += h * (q[k] * g0 + q[k + 1] * g1 + q[k + 2] * g2);
    s[b] += h * (q[k + 3] * g0 + q[k + 4] * g1 + q[k + 5] * g2);
    s[c] += h * (q[k + 6] * g0 + q[k + 7] * g1 + q[k + 8] * g2);
  }
  return E;
}

/** m and s at Y; returns Σψ. */
export function arcs(A: Arcs, Y: ReadonlyF64): number {
  tangentsOf(A.m, A, Y);
  squaredArcs(A, A.m);
  A.s.fill(0);
  return triangleEnergy(A, A.s);
}

/** Σψ at Y; leaves m and s as they are. */
export function arcEnergy(A: Arcs, Y: ReadonlyF64): number {
  tangentsOf(A.dm, A, Y);
  squaredArcs(A, A.dm);
  return triangleEnergy(A, null);
}

/** The same of `count` triangles from the first on: of one sheet. */
export function arcEnergyOf(A: Arcs, Y: ReadonlyF64, first: number, count: number): number {
  tangentsOf(A.dm, A, Y);
  squaredArcs(A, A.dm);
  return triangleEnergy(A, null, first, first + count);
}

/** energies[p] += factor · Σψ at Y of the arcs of sheet p, the sheets in the order of their triangles. */
export function addArcEnergies(energies: Float64Array, A: Arcs, Y: ReadonlyF64, parts: readonly { firstTriangle: number; triangles: number }[], factor: number): void {
  tangentsOf(A.dm, A, Y);
  squaredArcs(A, A.dm);
  for (let p = 0; p < parts.length; p++) energies[p] += factor * triangleEnergy(A, null, parts[p].firstTriangle, parts[p].firstTriangle + parts[p].triangles);
}

/** max |m|² − 1 at the last evaluation along the sides of `count` triangles from the first on. */
export function stretchOf({ side, m }: Arcs, first: number, count: number): number {
  let most = 0;
  for (let k = 3 * first; k < 3 * (first + count); k++) {
    const e = 3 * side[k], g = m[e] * m[e] + m[e + 1] * m[e + 1] + m[e + 2] * m[e + 2] - 1;
    if (!(g <= most)) most = g;
  }
  return most;
}

/** y += Σ c f over the six points of edge e. */
function scatter(y: Float64Array, { n, ends, c }: Arcs, e: number, fx: number, fy: number, fz: number): void {
  const i = 3 * ends[2 * e], j = 3 * ends[2 * e + 1], f = 3 * n + 2 * i, g = 3 * n + 2 * j;
  const c0 = c[5 * e], c1 = c[5 * e + 1], c2 = c[5 * e + 2], c3 = c[5 * e + 3], c4 = c[5 * e + 4];
  y[i] -= c0 * fx; y[i + 1] -= c0 * fy; y[i + 2] -= c0 * fz;
  y[j] += c0 * fx; y[j + 1] += c0 * fy; y[j + 2] += c0 * fz;
  y[f] += c1 * fx; y[f + 1] += c1 * fy; y[f + 2] += c1 * fz;
  y[f + 3] += c2 * fx; y[f + 4] += c2 * fy; y[f + 5] += c2 * fz;
  y[g] += c3 * fx; y[g + 1] += c3 * fy; y[g + 2] += c3 * fz;
  y[g + 3] += c4 * fx; y[g + 4] += c4 * fy; y[g + 5] += c4 * fz;
}

/** y += ∂E/∂Y of the last `arcs`. */
export function addArcForce(y: Float64Array, A: Arcs): void {
  const { edges, m, s } = A;
  for (let e = 0; e < edges; e++) {
    const f = 2 * s[e];
    scatter(y, A, e, f * m[3 * e], f * m[3 * e + 1], f * m[3 * e + 2]);
  }
}

/** y += (JᵀWJ + clamped geometric stiffness) x at the last `arcs`. */
export function addArcProduct(y: Float64Array, A: Arcs, x: ReadonlyF64): void {
  const { edges, triangles, side, q, w, m, s, dm, u, v } = A;
  tangentsOf(dm, A, x);
  for (let e = 0; e < edges; e++) {
    u[e] = 2 * (m[3 * e] * dm[3 * e] + m[3 * e + 1] * dm[3 * e + 1] + m[3 * e + 2] * dm[3 * e + 2]);
    v[e] = 0;
  }
  for (let t = 0; t < triangles; t++) {
    const a = side[3 * t], b = side[3 * t + 1], c = side[3 * t + 2], k = 9 * t, h = w[t];
    const ua = u[a], ub = u[b], uc = u[c];
    const g0 = h * (q[k] * ua + q[k + 3] * ub + q[k + 6] * uc);
    const g1 = h * (q[k + 1] * ua + q[k + 4] * ub + q[k + 7] * uc);
    const g2 = h * (q[k + 2] * ua + q[k + 5] * ub + q[k + 8] * uc);
    v[a] += q[k] * g0 + q[k + 1] * g1 + q[k + 2] * g2;
    v[b] += q[k + 3] * g0 + q[k + 4] * g1 + q[k + 5] * g2;
    v[c] += q[k + 6] * g0 + q[k + 7] * g1 + q[k + 8] * g2;
  }
  for (let e = 0; e < edges; e++) {
    const along = 2 * v[e], across = s[e] > 0 ? 2 * s[e] : 0;
    scatter(y, A, e, along * m[3 * e] + across * dm[3 * e], along * m[3 * e + 1] + across * dm[3 * e + 1], along * m[3 * e + 2] + across * dm[3 * e + 2]);
  }
}

/** y += 2 s dm of the edges that are compressed, after addArcProduct, which clamps them: the exact geometric stiffness. */
function addCompression(y: Float64Array, A: Arcs): void {
  const { edges, s, dm } = A;
  for (let e = 0; e < edges; e++) if (s[e] < 0) scatter(y, A, e, 2 * s[e] * dm[3 * e], 2 * s[e] * dm[3 * e + 1], 2 * s[e] * dm[3 * e + 2]);
}

/** Takes tangents and weights in single precision. */
export function arcsToSingle({ edges, triangles, q, w, m, s, c32, m32, M32 }: Arcs): void {
  for (let e = 0; e < edges; e++) {
    c32[8 * e + 5] = s[e] > 0 ? 2 * s[e] : 0;
    for (let k = 0; k < 3; k++) m32[4 * e + k] = 2 * m[3 * e + k];
  }
  for (let t = 0; t < triangles; t++)
    for (let a = 0, at = 6 * t; a < 3; a++)
      for (let b = a; b < 3; b++) {
        const x = 9 * t + 3 * a, y = 9 * t + 3 * b;
        M32[at++] = w[t] * (q[x] * q[y] + q[x + 1] * q[y + 1] + q[x + 2] * q[y + 2]);
      }
}

/** The arcs as a constraint set: its rows are not stored, it adds its force and its product itself. */
export interface ArcSet extends MembraneSet {
  readonly arcs: Arcs;
  operations: FrameOperations;
}

export function isArcs(set: RowSet): set is ArcSet {
  return "arcs" in set;
}

/** Numbers in the table of Arcs. */
const TABLE = 18;

/** @param membrane [n] N/m, K at each sample */
export function arcConstraint(memory: Allocator, sheet: Sheet, charts: FrameCharts, membrane: ReadonlyF64): ArcSet {
  const { n, triangles, edges, triangleArea } = sheet;
  const E = edges.length / 2, T = triangles.length / 3;
  const w = new Float64Array(T);
  for (let t = 0; t < T; t++)
    w[t] = (ARC_STIFFNESS * triangleArea[t] * (membrane[triangles[3 * t]] + membrane[triangles[3 * t + 1]] + membrane[triangles[3 * t + 2]])) / 12;
  const A: Arcs = {
    n, edges: E, triangles: T,
    ends: memory.copyI32(edges), c: memory.copyF64(coefficients(sheet, charts)),
    side: memory.copyI32(charts.side), q: memory.copyF64(metricOfArcs(sheet)), w: memory.copyF64(w),
    m: memory.f64(3 * E), s: memory.f64(E), dm: memory.f64(3 * E), u: memory.f64(E), v: memory.f64(E),
    c32: memory.f32(8 * E), m32: memory.f32(4 * E), M32: memory.f32(6 * T), dm32: memory.f32(4 * E), u32: memory.f32(E), table: memory.i32(TABLE),
  };
  for (let k = 0; k < A.c.length; k++) A.c32[8 * Math.floor(k / 5) + (k % 5)] = A.c[k];
  const arrays = [A.ends, A.c, A.side, A.q, A.w, A.m, A.s, A.dm, A.u, A.v, A.c32, A.m32, A.M32, A.dm32, A.u32];
  if (A.table.length > 0) A.table.set([n, E, T, ...arrays.map((array) => array.byteOffset)]);
  let energy = 0;
  let isClamped = true; // products leave out what is compressed
  const set: ArcSet = {
    ...noRows(memory), arcs: A, operations: frameOperations, stiffness: A.w,
    evaluate(Y) { energy = set.operations.arcs(A, Y); },
    energy: (Y) => set.operations.arcEnergy(A, Y),
    energyNow: () => energy,
    addForce(y) { set.operations.addArcForce(y, A); },
    addStress(_A, clamp) { isClamped = clamp; },
    addProduct(y, x) {
      set.operations.addArcProduct(y, A, x);
      if (!isClamped) addCompression(y, A);
    },
    toSingle() { set.operations.arcsToSingle(A); },
    residual: () => largestStrain(A),
    excess: () => largestStretch(A) / STRETCHED,
  };
  return set;
}

/** |m|² − 1 of an arc that is half a hundredth longer than at rest. */
const STRETCHED = 0.01;

/** max |m|² − 1 of the last evaluation: arcs of sharp folds are shorter than at rest, and that harms nothing. */
function largestStretch({ edges, m }: Arcs): number {
  let most = 0;
  for (let e = 0; e < edges; e++) {
    const g = m[3 * e] * m[3 * e] + m[3 * e + 1] * m[3 * e + 1] + m[3 * e + 2] * m[3 * e + 2] - 1;
    if (!(g <= most)) most = g;
  }
  return most;
}

/** Fields of a set whose rows are not stored. */
function noRows(memory: Allocator): Pick<RowSet, "rowsPer" | "blocks" | "start" | "index" | "g" | "J" | "sigma" | "weight"> {
  return { rowsPer: 3, blocks: 0, start: memory.i32(1), index: memory.i32(0), g: memory.f64(0), J: memory.f64(0), sigma: memory.f64(0), weight: memory.f64(0) };
}

/** max ||m|² − 1| of the last evaluation: twice the largest strain of an arc. */
function largestStrain({ edges, m }: Arcs): number {
  let most = 0;
  for (let e = 0; e < edges; e++) {
    const g = Math.abs(m[3 * e] * m[3 * e] + m[3 * e + 1] * m[3 * e + 1] + m[3 * e + 2] * m[3 * e + 2] - 1);
    if (!(g <= most)) most = g;
  }
  return most;
}

function coefficients({ edges, edgeLength, spacing }: Sheet, { tangent }: FrameCharts): Float64Array {
  const c = new Float64Array((5 * edges.length) / 2);
  for (let e = 0; 2 * e < edges.length; e++) {
    const si = spacing[edges[2 * e]], sj = spacing[edges[2 * e + 1]];
    c[5 * e] = 1.5 / edgeLength[e];
    c[5 * e + 1] = (-0.25 * tangent[4 * e]) / si;     c[5 * e + 2] = (-0.25 * tangent[4 * e + 1]) / si;
    c[5 * e + 3] = (-0.25 * tangent[4 * e + 2]) / sj; c[5 * e + 4] = (-0.25 * tangent[4 * e + 3]) / sj;
  }
  return c;
}

/** m of every edge as a linear form over its six points, for the coarse level. */
export function arcForms(sheet: Sheet, charts: FrameCharts): { per: number; points: Int32Array; c: Float64Array } {
  const { n, edges } = sheet, own = coefficients(sheet, charts), E = edges.length / 2;
  const points = new Int32Array(6 * E), c = new Float64Array(6 * E);
  for (let e = 0; e < E; e++) {
    const i = edges[2 * e], j = edges[2 * e + 1];
    points.set([i, j, n + 2 * i, n + 2 * i + 1, n + 2 * j, n + 2 * j + 1], 6 * e);
    c.set([-own[5 * e], own[5 * e], own[5 * e + 1], own[5 * e + 2], own[5 * e + 3], own[5 * e + 4]], 6 * e);
  }
  return { per: 6, points, c };
}

/**
 * Stiffness of every arc along m, 2 s⁺ I + (8/3) K_e w m mᵀ with w a third of the triangles at the edge: a truss with the mean stiffness of the
 * triangles. Six numbers each.
 */
export function trussStiffness(out: Float64Array, { edges, triangles, side, w, m, s, u }: Arcs): void {
  u.fill(0);
  // w of a triangle is K_e A/4; a third of it per side
  for (let k = 0; k < 3 * triangles; k++) u[side[k]] += (TRUSS / 3) * w[Math.floor(k / 3)];
  for (let e = 0; e < edges; e++) {
    const x = m[3 * e], y = m[3 * e + 1], z = m[3 * e + 2], a = u[e], b = s[e] > 0 ? 2 * s[e] : 0;
    out[6 * e] = a * x * x + b; out[6 * e + 1] = a * x * y;     out[6 * e + 2] = a * x * z;
    out[6 * e + 3] = a * y * y + b; out[6 * e + 4] = a * y * z; out[6 * e + 5] = a * z * z + b;
  }
}
/** (8/3) K_e A over K_e A/4. */
const TRUSS = 32 / 3;

/** ℓₖ² Qₖ of every triangle, so that C = Σ |mₖ|² ℓₖ² Qₖ. */
function metricOfArcs({ triangles, corners }: Sheet): Float64Array {
  const q = new Float64Array(3 * triangles.length);
  for (let t = 0; 3 * t < triangles.length; t++) {
    dualMetric(q, 9 * t, corners, 6 * t, 1);
    for (let k = 0; k < 3; k++) {
      const i = 6 * t + 2 * ((k + 1) % 3), j = 6 * t + 2 * ((k + 2) % 3);
      const u = corners[j] - corners[i], v = corners[j + 1] - corners[i + 1];
      for (let r = 0; r < 3; r++) q[9 * t + 3 * k + r] *= u * u + v * v;
    }
  }
  return q;
}

/** Rows FᵀF − I of every frame, in the orthonormal basis of symmetric matrices (isometry.ts). */
export interface NodeRows {
  readonly n: number;
  readonly g: Float64Array; // [3n] 1
  readonly J: Float64Array; // [18n] 1/m
  readonly sigma: Float64Array; // [3n] J
  readonly stiffness: Float64Array; // [3n] J: K_n A/4
  readonly scale: Float64Array; // [n] m: ℓ, by which frames are stored longer
}

/** g, J and sigma at Y; returns Σψ. */
export function nodeRows({ n, g, J, sigma, stiffness, scale }: NodeRows, Y: ReadonlyF64): number {
  let E = 0;
  for (let i = 0; i < n; i++) {
    const f = 3 * n + 6 * i, k = 18 * i, r = 3 * i, t = 1 / (scale[i] * scale[i]), root = SQRT2 * t;
    for (let c = 0; c < 3; c++) {
      const p = root * Y[f + c], q = root * Y[f + 3 + c];
      J[k + c] = p;     J[k + 3 + c] = p;   J[k + 6 + c] = q;
      J[k + 9 + c] = q; J[k + 12 + c] = -q; J[k + 15 + c] = p;
    }
    nodeStrain(g, r, Y, f, t);
    for (let c = 0; c < 3; c++) { sigma[r + c] = stiffness[r] * g[r + c]; E += 0.5 * sigma[r + c] * g[r + c]; }
  }
  return E;
}

/** Σψ at Y; leaves g, J and sigma as they are. */
export function nodeEnergy({ n, stiffness, scale }: NodeRows, Y: ReadonlyF64): number {
  let E = 0;
  for (let i = 0; i < n; i++) {
    nodeStrain(strain, 0, Y, 3 * n + 6 * i, 1 / (scale[i] * scale[i]));
    E += 0.5 * stiffness[3 * i] * (strain[0] * strain[0] + strain[1] * strain[1] + strain[2] * strain[2]);
  }
  return E;
}

/** energies[p] += factor · Σψ at Y of the frames of sheet p. @param part [n] the sheet of each */
export function addNodeEnergies(energies: Float64Array, { n, stiffness, scale }: NodeRows, Y: ReadonlyF64, part: Int32Array, factor: number): void {
  for (let i = 0; i < n; i++) {
    nodeStrain(strain, 0, Y, 3 * n + 6 * i, 1 / (scale[i] * scale[i]));
    energies[part[i]] += 0.5 * factor * stiffness[3 * i] * (strain[0] * strain[0] + strain[1] * strain[1] + strain[2] * strain[2]);
  }
}

function nodeStrain(out: Float64Array, at: number, Y: ReadonlyF64, f: number, t: number): void {
  const a = t * (Y[f] * Y[f] + Y[f + 1] * Y[f + 1] + Y[f + 2] * Y[f + 2]), d = t * (Y[f + 3] * Y[f + 3] + Y[f + 4] * Y[f + 4] + Y[f + 5] * Y[f + 5]);
  const b = t * (Y[f] * Y[f + 3] + Y[f + 1] * Y[f + 4] + Y[f + 2] * Y[f + 5]);
  out[at] = (a + d) / SQRT2 - SQRT2; out[at + 1] = (a - d) / SQRT2; out[at + 2] = SQRT2 * b;
}
const strain = new Float64Array(3);

export const frameOperations: FrameOperations = { arcs, arcEnergy, addArcForce, addArcProduct, arcsToSingle, nodeRows, nodeEnergy, retract };

/** The frames as a constraint set. */
export interface NodeSet extends MembraneSet, Pick<NodeRows, "n" | "scale" | "stiffness"> {
  operations: FrameOperations;
  readonly stiffness: Float64Array;
}

export function isNodes(set: RowSet): set is NodeSet & NodeRows {
  return "scale" in set;
}

/**
 * Isometry of the frames themselves. These rows double as the membrane of the coarse level: on smooth fields frames strain as arcs do.
 */
export function nodeConstraint(memory: Allocator, sheet: Sheet, membrane: ReadonlyF64, pattern: SparsePattern): NodeSet {
  const { n, area, spacing } = sheet;
  const start = Int32Array.from({ length: n + 1 }, (_, i) => 2 * i), index = Int32Array.from({ length: 2 * n }, (_, p) => n + p);
  const w = new Float64Array(3 * n), at = new Int32Array(4 * n);
  for (let i = 0; i < n; i++) {
    w.fill((NODE_STIFFNESS * membrane[i] * area[i]) / 4, 3 * i, 3 * i + 3);
    const a = n + 2 * i, b = a + 1;
    at.set([findEntry(pattern, a, a), findEntry(pattern, a, b), findEntry(pattern, b, a), findEntry(pattern, b, b)], 4 * i);
  }
  const N: NodeRows = {
    n, g: memory.f64(3 * n), J: memory.f64(18 * n), sigma: memory.f64(3 * n), stiffness: memory.copyF64(w), scale: memory.copyF64(spacing),
  };
  let energy = 0;
  const set: NodeSet = {
    ...N, operations: frameOperations, rowsPer: 3, blocks: n, start: memory.copyI32(start), index: memory.copyI32(index),
    weight: N.stiffness, single: memory.f32(18 * n + SPARE),
    evaluate(Y) { energy = set.operations.nodeRows(N, Y); },
    energy: (Y) => set.operations.nodeEnergy(N, Y),
    energyNow: () => energy,
    addStress(A, clamp) { addNodeStress(A, at, N.sigma, N.scale, n, clamp); },
    residual() {
      let most = 0;
      for (let r = 0; r < 3 * n; r++) most = Math.max(most, Math.abs(N.g[r]));
      return most;
    },
  };
  return set;
}

/**
 * δ of a step t p from Y, retracted: positions go straight, frames turn. F + t p is longer than F by (t p)²/2 where it turns, which the stiff rows of
 * the frames would resist; so F takes the direction of F + t p and the metric to first order, C + t(Fᵀp + pᵀF):
 *
 *   δ = (F + t p) G^(−½) C₁^½ − F,      G = (F + t p)ᵀ(F + t p),  C₁ = G − t² pᵀp
 *
 * Along it the energy of the frames is a parabola. Where C₁ is not positive definite the step is not small, and δ = t p.
 */
export function retract(delta: Float64Array, n: number, Y: ReadonlyF64, t: number, p: ReadonlyF64): void {
  for (let k = 0; k < p.length; k++) delta[k] = t * p[k];
  for (let f = 3 * n; f < 9 * n; f += 6) {
    let ga = 0, gb = 0, gd = 0, pa = 0, pb = 0, pd = 0;
    for (let k = f; k < f + 3; k++) {
      const u = Y[k] + delta[k], v = Y[k + 3] + delta[k + 3], x = delta[k], y = delta[k + 3];
      ga += u * u; gb += u * v; gd += v * v; pa += x * x; pb += x * y; pd += y * y;
    }
    if (!(pa + pd > 0)) continue;
    // G^½ = (G + r I)/τ with r = √det G, τ = √(tr G + 2r); its inverse is (adj G + r I)/(τ r)
    const ca = ga - pa, cb = gb - pb, cd = gd - pd, detG = ga * gd - gb * gb, detC = ca * cd - cb * cb;
    if (!(detC > 0.25 * detG && ca + cd > 0 && detG > 0)) continue;
    const r = Math.sqrt(detG), q = Math.sqrt(detC), s = 1 / (Math.sqrt(ga + gd + 2 * r) * r * Math.sqrt(ca + cd + 2 * q));
    const ia = gd + r, ib = -gb, id = ga + r, ha = ca + q, hb = cb, hd = cd + q;
    // M = G^(−½) C₁^½ − I
    const aa = s * (ia * ha + ib * hb) - 1, ab = s * (ia * hb + ib * hd), ba = s * (ib * ha + id * hb), bb = s * (ib * hb + id * hd) - 1;
    for (let k = f; k < f + 3; k++) {
      const u = Y[k] + delta[k], v = Y[k + 3] + delta[k + 3];
      delta[k] += u * aa + v * ba; delta[k + 3] += u * ab + v * bb;
    }
  }
}

const clamped = new Float64Array(3);
/** A += 2 S⁺/ℓ² between the two vectors of each frame, S = ∂E/∂C. */
function addNodeStress(A: SparseMatrix, at: Int32Array, sigma: ReadonlyF64, scale: ReadonlyF64, n: number, clamp: boolean): void {
  for (let i = 0; i < n; i++) {
    const s0 = sigma[3 * i] / SQRT2, s1 = sigma[3 * i + 1] / SQRT2, s2 = sigma[3 * i + 2] / SQRT2, t = 2 / (scale[i] * scale[i]);
    if (clamp) clampSymmetric(clamped, s0 + s1, s2, s0 - s1);
    else { clamped[0] = s0 + s1; clamped[1] = s2; clamped[2] = s0 - s1; }
    A.values[at[4 * i]] += t * clamped[0]; A.values[at[4 * i + 1]] += t * clamped[1];
    A.values[at[4 * i + 2]] += t * clamped[1]; A.values[at[4 * i + 3]] += t * clamped[2];
  }
}
