// biome-ignore-all format: components are kept in columns
/**
 * Isometry constraints (§4): three ways to say that a neighbourhood is not strained.
 *
 *   paper    g = (tr C − 2, det C − 1)      C = FᵀF of the deformation gradient F averaged over 𝒩ᵢ
 *   strain   g = C − I, three components    the same F
 *   metric   g = Σₜ Aₜ(Cₜ − I)/ΣₜAₜ         Cₜ = FₜᵀFₜ of the triangles of 𝒩ᵢ: the metric averaged, not F
 *
 * The default is metric: mean(FᵀF) = mean(F)ᵀmean(F) + covariance, and the covariance is the zigzag that averaging F
 * hides. Components of a symmetric 2×2 matrix are taken in an orthonormal basis,
 *
 *   s₀ = (c₀₀ + c₁₁)/√2,  s₁ = (c₀₀ − c₁₁)/√2,  s₂ = √2 c₀₁,        |C|² = s₀² + s₁² + s₂²
 *
 * so that the energy of a membrane of stiffness K_m, ψ = ½ (K_m Aᵢ/4) g², is (K_m/8) Aᵢ|ε|² (isotropic, Poisson 0).
 *
 * The tolerance τ is a limit: where |g| of a block passes it the stiffness rises LIMIT-fold,
 *
 *   ψ(s) = ½ w s² + ½ W (s − τ + μ/W)₊²,     s = |g|,  W = LIMIT·w,  μ ← max(0, μ + W(s − τ))  the multiplier
 *
 * so that loads that would stretch the sheet visibly (at pins) meet a hard constraint, and the rest a physical stiffness.
 * Along g the curvature is w + W, across it w + W(1 − τ/s): the rows of such a block are turned so that g is the first.
 *
 * The metric has two limits: τ on |g₊| and max(τ, SHORTER) on |g₋|, the parts of g with its positive and its negative eigenvalues. Under pressure
 * a sheet buckles below the spacing of its points, and folds that are sharper than the spacing have chords shorter than the sheet: to hold
 * both to a thousandth locked a crushed tube with a hundred times the energy of its bending. With eigenvalues λ₁ > 0 > λ₂ the
 * curvatures are w + W along both (beyond their limits) and w + W(excesses)/(λ₁ − λ₂) where the axes turn.
 *
 * A metric is linear in squared lengths: Cₜ = Σₖ lₖ² Qₖ over the three edges of t, Qₖ constant with eⱼᵀQₖeⱼ = δⱼₖ. So
 * g needs no frames at run time, a point may have other coordinates in every neighbourhood (tubes, seams), and the
 * second derivative of g is a graph Laplacian: the geometric stiffness is scalar. Per triangle it is the stress
 * S = Σₖ sₖ eₖeₖᵀ, which is clamped to positive semidefinite there (2×2) and turned back by sₖ = Qₖ : S.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { SPARE } from "../linalg/single.ts";
import { findEntry, type SparseMatrix, type SparsePattern } from "../linalg/sparse.ts";
import { averagingWeights, trianglesIn } from "../sheet/charts.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { ConstraintSet } from "./system.ts";

const SQRT2 = Math.SQRT2;

/** What the averaged metric needs to know of each neighbourhood; constant. */
export interface MetricGroups {
  readonly blocks: number;
  readonly start: Int32Array;      // [blocks+1] points of each neighbourhood
  readonly index: Int32Array;      // [entries]
  readonly triStart: Int32Array;   // [blocks+1] triangles of each neighbourhood
  readonly tri: Int32Array;        // [pairs] triangle
  readonly local: Int32Array;      // [3·pairs] entries (absolute) of its three points
  readonly q: Float64Array;        // [9·pairs] per edge k (opposite corner k): s₀ s₁ s₂ of Qₖ in the chart, times Aₜ/ΣA
  readonly stiffness: Float64Array;// [3·blocks] J
}

/** Edge k of a triangle joins its corners k+1 and k+2. */
const NEXT = [1, 2, 0];
const LAST = [2, 0, 1];

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

/** Neighbourhoods 𝒩ᵢ of the sheet as metric groups, and optionally every triangle by itself. */
export function metricGroups(sheet: Sheet, membrane: ReadonlyF64, triangleShare: number): MetricGroups {
  const inside = trianglesIn(sheet, sheet.near);
  const { near, n, triangles, triangleArea, area, corners } = sheet;
  const T = triangles.length / 3;
  const extra = triangleShare > 0 ? T : 0;
  const blocks = n + extra;
  const pairs = inside.start[n] + extra;
  const start = new Int32Array(blocks + 1), triStart = new Int32Array(blocks + 1);
  const index = new Int32Array(near.start[n] + 3 * extra);
  const tri = new Int32Array(pairs), local = new Int32Array(3 * pairs), q = new Float64Array(9 * pairs);
  const stiffness = new Float64Array(3 * blocks);
  const entry = new Int32Array(n).fill(-1);
  for (let i = 0; i < n; i++) {
    start[i + 1] = near.start[i + 1]; triStart[i + 1] = inside.start[i + 1];
    for (let e = near.start[i]; e < near.start[i + 1]; e++) { index[e] = near.index[e]; entry[index[e]] = e; }
    let sum = 0;
    for (let p = inside.start[i]; p < inside.start[i + 1]; p++) sum += triangleArea[inside.index[p]];
    for (let p = inside.start[i]; p < inside.start[i + 1]; p++) {
      const t = inside.index[p];
      tri[p] = t;
      for (let c = 0; c < 3; c++) local[3 * p + c] = entry[triangles[3 * t + c]];
      dualMetric(q, 9 * p, inside.X, 6 * p, triangleArea[t] / sum);
    }
    const w = ((1 - triangleShare) * membrane[i] * area[i]) / 4;
    stiffness[3 * i] = w; stiffness[3 * i + 1] = w; stiffness[3 * i + 2] = w;
  }
  for (let k = 0; k < extra; k++) {
    const b = n + k, p = inside.start[n] + k, e = near.start[n] + 3 * k;
    start[b + 1] = e + 3; triStart[b + 1] = p + 1; tri[p] = k;
    let K = 0;
    for (let c = 0; c < 3; c++) { index[e + c] = triangles[3 * k + c]; local[3 * p + c] = e + c; K += membrane[triangles[3 * k + c]] / 3; }
    dualMetric(q, 9 * p, corners, 6 * k, 1);
    const w = (triangleShare * K * triangleArea[k]) / 4;
    stiffness[3 * b] = w; stiffness[3 * b + 1] = w; stiffness[3 * b + 2] = w;
  }
  return { blocks, start, index, triStart, tri, local, q, stiffness };
}

/** Residual of the averaged metric at one block into s[0…2]. */
function averagedMetric(out: Float64Array, at: number, G: MetricGroups, b: number, Y: ReadonlyF64): void {
  const { triStart, local, index, q } = G;
  let s0 = -SQRT2, s1 = 0, s2 = 0;
  for (let p = triStart[b]; p < triStart[b + 1]; p++)
    for (let k = 0; k < 3; k++) {
      const a = 3 * index[local[3 * p + NEXT[k]]], c = 3 * index[local[3 * p + LAST[k]]], e = 9 * p + 3 * k;
      const x = Y[c] - Y[a], y = Y[c + 1] - Y[a + 1], z = Y[c + 2] - Y[a + 2], l = x * x + y * y + z * z;
      s0 += q[e] * l; s1 += q[e + 1] * l; s2 += q[e + 2] * l;
    }
  out[at] = s0; out[at + 1] = s1; out[at + 2] = s2;
}

/** Scratch of metric: the three edges of a triangle. */
const edges = new Float64Array(9);

/** g and J of the averaged metric: per entry 9 numbers, xyz of the three rows. */
export function metric(g: Float64Array, J: Float64Array, Y: ReadonlyF64, G: MetricGroups): void {
  const { blocks, start, index, triStart, local, q } = G;
  for (let b = 0; b < blocks; b++) {
    for (let k = 9 * start[b]; k < 9 * start[b + 1]; k++) J[k] = 0;
    let s0 = -SQRT2, s1 = 0, s2 = 0;
    for (let p = triStart[b]; p < triStart[b + 1]; p++) {
      const c0 = local[3 * p], c1 = local[3 * p + 1], c2 = local[3 * p + 2], at = 9 * p;
      // edge k from corner k+1 to k+2: l², and 2q(Y₊₂ − Y₊₁) on its two ends
      const i = 3 * index[c0], j = 3 * index[c1], k = 3 * index[c2];
      for (let c = 0; c < 3; c++) {
        edges[c] = Y[k + c] - Y[j + c]; edges[3 + c] = Y[i + c] - Y[k + c]; edges[6 + c] = Y[j + c] - Y[i + c];
      }
      for (let e = 0; e < 3; e++) {
        const x = edges[3 * e], y = edges[3 * e + 1], z = edges[3 * e + 2], l = x * x + y * y + z * z;
        s0 += q[at + 3 * e] * l; s1 += q[at + 3 * e + 1] * l; s2 += q[at + 3 * e + 2] * l;
      }
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 3; c++) {
          const e0 = q[at + r] * (2 * edges[c]), e1 = q[at + 3 + r] * (2 * edges[3 + c]), e2 = q[at + 6 + r] * (2 * edges[6 + c]);
          const row = 3 * r + c;
          J[9 * c0 + row] += e1 - e2; J[9 * c1 + row] += e2 - e0; J[9 * c2 + row] += e0 - e1;
        }
    }
    g[3 * b] = s0; g[3 * b + 1] = s1; g[3 * b + 2] = s2;
  }
}

/** Σψ of all blocks at Y. */
export function metricEnergy(Y: ReadonlyF64, G: MetricGroups, lambda: ReadonlyF64, tolerance: number, shorter: number, limit: number): number {
  let E = 0;
  for (let b = 0; b < G.blocks; b++) {
    averagedMetric(value, 0, G, b, Y);
    const w = G.stiffness[3 * b], W = limit * w;
    const over = W > 0 ? stretch(value[0], value[1], value[2]) - tolerance + lambda[b] / W : 0;
    const under = stretch(-value[0], value[1], value[2]) - shorter;
    E += 0.5 * w * (value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
    if (over > 0) E += 0.5 * W * over * over;
    if (under > 0) E += 0.5 * W * under * under;
  }
  return E;
}

/** |g₊| of the symmetric matrix with components s; with −s₀, |g₋|. */
export function stretch(s0: number, s1: number, s2: number): number {
  const r = Math.sqrt(s1 * s1 + s2 * s2);
  if (s0 <= -r) return 0;
  return s0 >= r ? Math.sqrt(s0 * s0 + r * r) : (s0 + r) / SQRT2;
}
const value = new Float64Array(3);

/** s[3t + k] = Σ over the neighbourhoods that hold triangle t of stress : Qₖ, the coefficient of lₖ² in the first-order change of Σψ. */
export function edgeStress(s: Float64Array, stress: ReadonlyF64, G: MetricGroups): void {
  s.fill(0);
  for (let b = 0; b < G.blocks; b++) {
    const m0 = stress[3 * b], m1 = stress[3 * b + 1], m2 = stress[3 * b + 2];
    for (let p = G.triStart[b]; p < G.triStart[b + 1]; p++) {
      const at = 3 * G.tri[p];
      for (let k = 0; k < 3; k++) s[at + k] += m0 * G.q[9 * p + 3 * k] + m1 * G.q[9 * p + 3 * k + 1] + m2 * G.q[9 * p + 3 * k + 2];
    }
  }
}

/** The loops of this file that kernels repeat, as one object so that they can take their place. */
export interface IsometryOperations {
  metric(g: Float64Array, J: Float64Array, Y: ReadonlyF64, G: MetricGroups): void;
  metricEnergy(Y: ReadonlyF64, G: MetricGroups, lambda: ReadonlyF64, tolerance: number, shorter: number, limit: number): number;
  edgeStress(s: Float64Array, stress: ReadonlyF64, G: MetricGroups): void;
  limitRows(set: Limited): void;
  addTriangleStress(A: SparseMatrix, stress: TriangleStress, clamp: boolean): void;
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

/** How much stiffer the membrane is beyond the tolerance. 10: residuals 10 % over; 1000: twice the iterations. */
export const LIMIT = 100;
/** The least limit on |g₋|: edges half a hundredth shorter. */
export const SHORTER = 0.01;

/** sigma, weight and stress of every block from g; turns the rows of blocks that are beyond the limit. */
export function limitRows(set: Limited): void {
  const { g, J, sigma, stress, stretches, weight, lambda, stiffness, start, blocks, rowsPer, tolerance } = set;
  const coarse = Math.max(tolerance, SHORTER);
  let most = 0, largest = 0, energy = 0;
  for (let b = 0; b < blocks; b++) {
    const r = rowsPer * b;
    let s = 0;
    for (let c = 0; c < rowsPer; c++) s += g[r + c] * g[r + c];
    s = Math.sqrt(s);
    if (!(s <= largest)) largest = s;
    const w = stiffness[r], W = set.limit * w;
    stretches[b] = set.shorter > 0 ? stretch(g[r], g[r + 1], g[r + 2]) : s;
    if (stretches[b] > most * coarse) most = stretches[b] / coarse;
    let over = stretches[b] - tolerance;
    if (W > 0) over += lambda[b] / W;
    if (set.shorter > 0) {
      const pressed = stretch(-g[r], g[r + 1], g[r + 2]), under = pressed - set.shorter;
      if (pressed > most * coarse) most = pressed / coarse;
      energy += 0.5 * w * (g[r] * g[r] + g[r + 1] * g[r + 1] + g[r + 2] * g[r + 2]);
      if (over > 0) energy += 0.5 * W * over * over;
      if (under > 0) energy += 0.5 * W * under * under;
      if (stretches[b] > 0 && pressed > 0) {
        if (over > 0 || under > 0) { limitBoth(set, b, Math.max(over, 0), Math.max(under, 0)); continue; }
      } else if (pressed > 0) over = under;
    }
    const extra = over > 0 && s > 0 ? (W * over) / s : 0;
    for (let c = 0; c < rowsPer; c++) {
      stress[r + c] = (w + extra) * g[r + c];
      sigma[r + c] = stress[r + c];
      weight[r + c] = w + extra;
    }
    if (!(extra > 0)) continue;
    // Householder: H = I − 2vvᵀ/|v|², v = ĝ + sign(g₀)e₀, turns g into ∓s e₀; J and sigma follow
    weight[r] = w + W;
    const sign = g[r] < 0 ? -1 : 1;
    const v0 = g[r] / s + sign, v1 = g[r + 1] / s, v2 = rowsPer > 2 ? g[r + 2] / s : 0;
    const f = 2 / (v0 * v0 + v1 * v1 + v2 * v2);
    for (let e = start[b]; e < start[b + 1]; e++)
      for (let c = 0; c < 3; c++) {
        const k = 3 * rowsPer * e + c;
        const dot = f * (v0 * J[k] + v1 * J[k + 3] + (rowsPer > 2 ? v2 * J[k + 6] : 0));
        J[k] -= dot * v0; J[k + 3] -= dot * v1;
        if (rowsPer > 2) J[k + 6] -= dot * v2;
      }
    for (let c = 0; c < rowsPer; c++) { g[r + c] = 0; sigma[r + c] = 0; }
    g[r] = -sign * s;
    sigma[r] = -sign * (w + extra) * s;
  }
  set.extremes[0] = most; set.extremes[1] = largest;
  if (set.shorter > 0) set.extremes[2] = energy;
}

/** The same for a block that is stretched one way and pressed the other: its rows become those of λ₁, λ₂ and the turn of their axes. */
function limitBoth({ g, J, sigma, stress, weight, stiffness, start, limit }: Limited, b: number, over: number, under: number): void {
  const r = 3 * b, w = stiffness[r], W = limit * w;
  const rho = Math.sqrt(g[r + 1] * g[r + 1] + g[r + 2] * g[r + 2]);
  const x = g[r + 1] / rho, y = g[r + 2] / rho, h = 1 / SQRT2;
  const first = h * (g[r] + rho), second = h * (g[r] - rho);
  const sum = h * W * (over - under), difference = h * W * (over + under);
  stress[r] = w * g[r] + sum; stress[r + 1] = w * g[r + 1] + difference * x; stress[r + 2] = w * g[r + 2] + difference * y;
  for (let e = start[b]; e < start[b + 1]; e++)
    for (let c = 0; c < 3; c++) {
      const k = 9 * e + c, j0 = J[k], along = x * J[k + 3] + y * J[k + 6];
      J[k + 6] = x * J[k + 6] - y * J[k + 3];
      J[k] = h * (j0 + along); J[k + 3] = h * (j0 - along);
    }
  g[r] = first; g[r + 1] = second; g[r + 2] = 0;
  sigma[r] = w * first + W * over; sigma[r + 1] = w * second - W * under; sigma[r + 2] = 0;
  weight[r] = over > 0 ? w + W : w; weight[r + 1] = under > 0 ? w + W : w; weight[r + 2] = w + (W * (over + under)) / (first - second);
}

/** ψ of one block with |g| = s. */
function limitEnergy(s: number, w: number, mu: number, tolerance: number, limit: number): number {
  const W = limit * w;
  const over = W > 0 ? s - tolerance + mu / W : 0;
  return 0.5 * w * s * s + (over > 0 ? 0.5 * W * over * over : 0);
}

/** μ ← max(0, μ + W(s − τ)) on every block. */
function updateMultipliers(set: Limited): void {
  const { lambda, stretches, stiffness, blocks, rowsPer, tolerance } = set;
  for (let b = 0; b < blocks; b++) {
    const mu = lambda[b] + set.limit * stiffness[rowsPer * b] * (stretches[b] - tolerance);
    lambda[b] = Math.max(mu, 0);
  }
}

/** A constraint set with its limit. */
export interface Limited extends ConstraintSet {
  readonly tolerance: number;
  limit: number;
  /** The limit on |g₋|, if it has one of its own (the metric); 0 where `tolerance` is one on |g|. */
  readonly shorter: number;
  /** At the last evaluate: the larger of |g₊| and |g₋| over max(τ, SHORTER), the largest |g|, and (the metric) Σψ. */
  readonly extremes: Float64Array;
  /** [blocks] what the limit is on, at the last evaluate. */
  readonly stretches: Float64Array;
  /** [rows] ∂ψ/∂g in the original basis, for the geometric stiffness. */
  readonly stress: Float64Array;
}

/** The averaged metric as a constraint set on the given memory. `pattern`: where its geometric stiffness goes. */
export function metricConstraint(memory: Allocator, sheet: Sheet, groups: MetricGroups, pattern: SparsePattern, tolerance: number): Limited & { operations: IsometryOperations } {
  const rows = 3 * groups.blocks;
  const G: MetricGroups = {
    blocks: groups.blocks,
    start: memory.copyI32(groups.start), index: memory.copyI32(groups.index),
    triStart: memory.copyI32(groups.triStart), tri: memory.copyI32(groups.tri), local: memory.copyI32(groups.local),
    q: memory.copyF64(groups.q), stiffness: memory.copyF64(groups.stiffness),
  };
  const stress = triangleStress(memory, sheet, pattern);
  const set: Limited & { operations: IsometryOperations } = {
    operations: isometryOperations,
    rowsPer: 3, tolerance, limit: LIMIT, excess: () => set.extremes[0], extremes: memory.f64(3), shorter: Math.max(tolerance, SHORTER), stretches: memory.f64(groups.blocks), blocks: groups.blocks, start: G.start, index: G.index,
    g: memory.f64(rows), J: memory.f64(9 * groups.index.length), single: memory.f32(9 * groups.index.length + SPARE), sigma: memory.f64(rows),
    stress: memory.f64(rows), lambda: memory.f64(groups.blocks), stiffness: G.stiffness, weight: memory.f64(rows),
    evaluate(Y) { set.operations.metric(set.g, set.J, Y, G); set.operations.limitRows(set); },
    energy: (Y) => set.operations.metricEnergy(Y, G, set.lambda, tolerance, set.shorter, set.limit),
    energyNow: () => set.extremes[2],
    residual: () => set.extremes[1],
    updateMultipliers: () => updateMultipliers(set),
    addStress(A, clamp) {
      set.operations.edgeStress(stress.s, set.stress, G);
      set.operations.addTriangleStress(A, stress, clamp);
    },
  };
  return set;
}

/** Constants and scratch of the geometric stiffness on triangles. */
export interface TriangleStress {
  readonly ee: Float64Array; // [9T] eₖeₖᵀ as (00, 01, 11)
  readonly dual: Float64Array; // [9T] Qₖ as (00, 2·01, 11)
  readonly at: Int32Array; // [9T] where the diagonals of the three corners and the edges (both triangles of A) are
  readonly s: Float64Array; // [3T] coefficient of each squared length
}

export function triangleStress(memory: Allocator, sheet: Sheet, pattern: SparsePattern): TriangleStress {
  const { triangles, corners } = sheet;
  const T = triangles.length / 3;
  const ee = memory.f64(9 * T), dual = memory.f64(9 * T), at = memory.i32(9 * T), s = memory.f64(3 * T), Q = new Float64Array(9);
  const diagonal = new Int32Array(sheet.n);
  for (let i = 0; i < diagonal.length; i++) diagonal[i] = findEntry(pattern, i, i);
  // none while the memory is only counted
  for (let t = 0; 9 * t < ee.length; t++) {
    dualMetric(Q, 0, corners, 6 * t, 1);
    for (let k = 0; k < 3; k++) {
      const u = corners[6 * t + 2 * LAST[k]] - corners[6 * t + 2 * NEXT[k]], v = corners[6 * t + 2 * LAST[k] + 1] - corners[6 * t + 2 * NEXT[k] + 1];
      ee[9 * t + 3 * k] = u * u; ee[9 * t + 3 * k + 1] = u * v; ee[9 * t + 3 * k + 2] = v * v;
      dual[9 * t + 3 * k] = (Q[3 * k] + Q[3 * k + 1]) / SQRT2; dual[9 * t + 3 * k + 1] = SQRT2 * Q[3 * k + 2]; dual[9 * t + 3 * k + 2] = (Q[3 * k] - Q[3 * k + 1]) / SQRT2;
      const b = triangles[3 * t + NEXT[k]], c = triangles[3 * t + LAST[k]];
      at[9 * t + k] = diagonal[triangles[3 * t + k]]; at[9 * t + 3 + k] = findEntry(pattern, b, c); at[9 * t + 6 + k] = findEntry(pattern, c, b);
    }
  }
  return { ee, dual, at, s };
}

const clamped = new Float64Array(3);

/** A += Σₜ Σₖ 2 sₖ⁺ (edge Laplacian of edge k), s⁺ from the stress of t clamped to positive semidefinite. */
export function addTriangleStress(A: SparseMatrix, { ee, dual, at, s }: TriangleStress, clamp: boolean): void {
  const { values: value } = A;
  for (let t = 0; t < s.length / 3; t++) {
    const p = 9 * t, s0 = s[3 * t], s1 = s[3 * t + 1], s2 = s[3 * t + 2];
    if (!clamp) {
      for (let k = 0; k < 3; k++) {
        const w = 2 * s[3 * t + k];
        value[at[p + NEXT[k]]] += w; value[at[p + LAST[k]]] += w;
        value[at[p + 3 + k]] -= w; value[at[p + 6 + k]] -= w;
      }
      continue;
    }
    clampSymmetric(clamped,
      s0 * ee[p] + s1 * ee[p + 3] + s2 * ee[p + 6],
      s0 * ee[p + 1] + s1 * ee[p + 4] + s2 * ee[p + 7],
      s0 * ee[p + 2] + s1 * ee[p + 5] + s2 * ee[p + 8]);
    const a = clamped[0], b = clamped[1], d = clamped[2];
    for (let k = 0; k < 3; k++) {
      const w = 2 * (dual[p + 3 * k] * a + dual[p + 3 * k + 1] * b + dual[p + 3 * k + 2] * d);
      value[at[p + NEXT[k]]] += w; value[at[p + LAST[k]]] += w;
      value[at[p + 3 + k]] -= w; value[at[p + 6 + k]] -= w;
    }
  }
}

export const isometryOperations: IsometryOperations = { metric, metricEnergy, edgeStress, limitRows, addTriangleStress };

/**
 * The paper's constraints from the averaged deformation gradient, at every point i (rows per point: 2).
 *
 *   F = Σⱼ Yⱼ bⱼᵀ = [p q]                3×2
 *   C = FᵀF = [a b; b d]
 *   g[2i]   = tr C − 2  = a + d − 2        ∂/∂Yⱼ = 2 F bⱼ
 *   g[2i+1] = det C − 1 = ad − b² − 1      ∂/∂Yⱼ = 2 F adj(C) bⱼ
 */
export function isometry(g: Float64Array, J: Float64Array, Y: ReadonlyF64, near: AveragedF): void {
  const { n, start, B } = near;
  for (let i = 0; i < n; i++) {
    averagedC(C, Y, near, i);
    const a = C[0], b = C[1], d = C[2], px = F[0], py = F[1], pz = F[2], qx = F[3], qy = F[4], qz = F[5];
    g[2 * i] = a + d - 2;
    g[2 * i + 1] = a * d - b * b - 1;
    // rows of J: 2 F bⱼ, and 2 F adj(C) bⱼ with adj(C) = [d −b; −b a]
    for (let e = start[i]; e < start[i + 1]; e++) {
      const u = 2 * B[2 * e], v = 2 * B[2 * e + 1], s = d * u - b * v, t = a * v - b * u;
      J[6 * e]     = px * u + qx * v; J[6 * e + 1] = py * u + qy * v; J[6 * e + 2] = pz * u + qz * v;
      J[6 * e + 3] = px * s + qx * t; J[6 * e + 4] = py * s + qy * t; J[6 * e + 5] = pz * s + qz * t;
    }
  }
}

/** All three components of C − I of the averaged F (rows per point: 3), in the orthonormal basis above. */
export function strain(g: Float64Array, J: Float64Array, Y: ReadonlyF64, near: AveragedF): void {
  const { n, start, B } = near;
  for (let i = 0; i < n; i++) {
    averagedC(C, Y, near, i);
    const a = C[0], b = C[1], d = C[2], px = F[0], py = F[1], pz = F[2], qx = F[3], qy = F[4], qz = F[5];
    g[3 * i] = (a + d) / SQRT2 - SQRT2; g[3 * i + 1] = (a - d) / SQRT2; g[3 * i + 2] = SQRT2 * b;
    // δC = [2p·δp, p·δq + q·δp; …, 2q·δq] with δp = u δY, δq = v δY
    for (let e = start[i]; e < start[i + 1]; e++) {
      const u = SQRT2 * B[2 * e], v = SQRT2 * B[2 * e + 1];
      J[9 * e]     = px * u + qx * v; J[9 * e + 1] = py * u + qy * v; J[9 * e + 2] = pz * u + qz * v;
      J[9 * e + 3] = px * u - qx * v; J[9 * e + 4] = py * u - qy * v; J[9 * e + 5] = pz * u - qz * v;
      J[9 * e + 6] = px * v + qx * u; J[9 * e + 7] = py * v + qy * u; J[9 * e + 8] = pz * v + qz * u;
    }
  }
}

/** 𝒩ᵢ with the weights bⱼ of the averaged deformation gradient. */
export interface AveragedF {
  readonly n: number;
  readonly start: Int32Array;
  readonly index: Int32Array;
  readonly B: Float64Array; // [2·entries] 1/m
}

/** Scratch: C, and F = [p q] of the last averagedC. */
const C = new Float64Array(3), F = new Float64Array(6);

/** C = (a, b, d) of the averaged F at point i into out[0…2]. */
export function averagedC(out: Float64Array, Y: ReadonlyF64, near: AveragedF, i: number): void {
  const { start, index, B } = near;
  F.fill(0);
  for (let e = start[i]; e < start[i + 1]; e++)
    for (let c = 0; c < 3; c++) {
      const y = Y[3 * index[e] + c];
      F[c] += y * B[2 * e]; F[3 + c] += y * B[2 * e + 1];
    }
  out[0] = F[0] * F[0] + F[1] * F[1] + F[2] * F[2]; out[1] = F[0] * F[3] + F[1] * F[4] + F[2] * F[5]; out[2] = F[3] * F[3] + F[4] * F[4] + F[5] * F[5];
}

/** `paper` or `strain` as a constraint set. */
export function averagedFConstraint(memory: Allocator, kind: "paper" | "strain", sheet: Sheet, membrane: ReadonlyF64, pattern: SparsePattern, tolerance: number): ConstraintSet {
  const { n } = sheet;
  const rowsPer = kind === "paper" ? 2 : 3;
  const near: AveragedF = {
    n, start: memory.copyI32(sheet.near.start), index: memory.copyI32(sheet.near.index),
    B: memory.copyF64(averagingWeights(sheet.near, sheet.area)),
  };
  const rows = rowsPer * n;
  const w = new Float64Array(rows);
  for (let i = 0; i < n; i++) for (let c = 0; c < rowsPer; c++) w[rowsPer * i + c] = (membrane[i] * sheet.area[i]) / (kind === "paper" ? 8 : 4);
  const at = memory.copyI32(pairPlaces(n, sheet.near.start, sheet.near.index, pattern));
  const value = new Float64Array(3);
  const set: Limited = {
    rowsPer, tolerance, limit: LIMIT, excess: () => set.extremes[0], extremes: memory.f64(2), shorter: 0, stretches: memory.f64(n), blocks: n, start: near.start, index: near.index,
    g: memory.f64(rows), J: memory.f64(3 * rowsPer * sheet.near.index.length), sigma: memory.f64(rows),
    stress: memory.f64(rows), lambda: memory.f64(n), stiffness: memory.copyF64(w), weight: memory.f64(rows),
    evaluate(Y) { (kind === "paper" ? isometry : strain)(set.g, set.J, Y, near); limitRows(set); },
    energy(Y) {
      let E = 0;
      for (let i = 0; i < n; i++) {
        averagedC(value, Y, near, i);
        const a = value[0], b = value[1], d = value[2];
        if (kind === "paper") { value[0] = a + d - 2; value[1] = a * d - b * b - 1; value[2] = 0; }
        else { value[0] = (a + d) / SQRT2 - SQRT2; value[1] = (a - d) / SQRT2; value[2] = SQRT2 * b; }
        const s = Math.sqrt(value[0] * value[0] + value[1] * value[1] + value[2] * value[2]);
        E += limitEnergy(s, set.stiffness[rowsPer * i], set.lambda[i], tolerance, set.limit);
      }
      return E;
    },
    residual: () => set.extremes[1],
    updateMultipliers: () => updateMultipliers(set),
    addStress(A, clamp) {
      // S = ∂ψ/∂C; A += 2 bⱼᵀ S⁺ bₖ over the pairs of each neighbourhood
      let p = 0;
      for (let i = 0; i < n; i++) {
        const r = rowsPer * i;
        if (kind === "paper") {
          // ∂det/∂C = adj(C) = I near the constraint, to the order of ε
          const s = set.stress[r] + set.stress[r + 1];
          clampSymmetric(clamped, s, 0, s);
        } else {
          const s0 = set.stress[r] / SQRT2, s1 = set.stress[r + 1] / SQRT2, s2 = set.stress[r + 2] / SQRT2;
          if (clamp) clampSymmetric(clamped, s0 + s1, s2, s0 - s1);
          else { clamped[0] = s0 + s1; clamped[1] = s2; clamped[2] = s0 - s1; }
        }
        const a = 2 * clamped[0], b = 2 * clamped[1], d = 2 * clamped[2];
        for (let e = near.start[i]; e < near.start[i + 1]; e++) {
          const u = a * near.B[2 * e] + b * near.B[2 * e + 1], v = b * near.B[2 * e] + d * near.B[2 * e + 1];
          for (let f = near.start[i]; f < near.start[i + 1]; f++) A.values[at[p++]] += u * near.B[2 * f] + v * near.B[2 * f + 1];
        }
      }
    },
  };
  return set;
}

/** Places in `pattern` of all pairs (e, f) of every neighbourhood, in that order. */
export function pairPlaces(n: number, start: ReadonlyI32, index: ReadonlyI32, pattern: SparsePattern): Int32Array {
  let count = 0;
  for (let i = 0; i < n; i++) count += (start[i + 1] - start[i]) ** 2;
  const at = new Int32Array(count);
  let p = 0;
  for (let i = 0; i < n; i++)
    for (let e = start[i]; e < start[i + 1]; e++)
      for (let f = start[i]; f < start[i + 1]; f++) at[p++] = findEntry(pattern, index[e], index[f]);
  return at;
}

/** Largest |tr C − 2| and |det C − 1| over the points: the paper's own measure, whatever the constraint. */
export function paperResidual(Y: ReadonlyF64, near: AveragedF): { trace: number; det: number } {
  let trace = 0, det = 0;
  for (let i = 0; i < near.n; i++) {
    averagedC(C, Y, near, i);
    trace = Math.max(trace, Math.abs(C[0] + C[2] - 2));
    det = Math.max(det, Math.abs(C[0] * C[2] - C[1] * C[1] - 1));
  }
  return { trace, det };
}
