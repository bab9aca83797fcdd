// biome-ignore-all format: components are kept in columns
/**
 * Isometry constraints as the paper has them (§4, `constraint: paper`): trace and determinant of the metric C = FᵀF of the deformation
 * gradient F that is averaged over 𝒩ᵢ. Ours is frame-membrane.ts.
 *
 * Projections keep g at 0 (hard.ts). In scenes that cannot be projected (contact, a substrate, statics) they are an energy instead,
 * ψ = ½ (K Aᵢ/8) g²: both rows are tr(C − I) to first order, so that a stretch one way costs what it costs a membrane of stiffness K.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { findEntry, type SparseMatrix, type SparsePattern } from "../linalg/sparse.ts";
import { averagingWeights } from "../sheet/charts.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { MembraneSet } from "./system.ts";

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

/** The averages over the neighbourhoods of a sheet, in the given memory. */
export function averagedF(memory: Allocator, { n, near, area }: Sheet): AveragedF {
  return { n, start: memory.copyI32(near.start), index: memory.copyI32(near.index), B: memory.copyF64(averagingWeights(near, area)) };
}

/** g of point i from C = (a, b, d) of averagedC, in place. */
function traceAndDet(C: Float64Array): void {
  const a = C[0], b = C[1], d = C[2];
  C[0] = a + d - 2; C[1] = a * d - b * b - 1;
}

/** A += Σ 2 (s₀ + s₁)₊ bⱼᵀbₖ over the pairs of each neighbourhood, s = ∂ψ/∂g: ∂det/∂C = adj(C) is I near the constraint, to the order of ε. */
export function addPairStress(A: SparseMatrix, { n, start, B }: AveragedF, at: ReadonlyI32, s: ReadonlyF64): void {
  let p = 0;
  for (let i = 0; i < n; i++) {
    const from = start[i], to = start[i + 1], w = 2 * (s[2 * i] + s[2 * i + 1]);
    if (!(w > 0)) { p += (to - from) * (to - from); continue; }
    for (let e = from; e < to; e++) {
      const u = w * B[2 * e], v = w * B[2 * e + 1];
      for (let f = from; f < to; f++) A.values[at[p++]] += u * B[2 * f] + v * B[2 * f + 1];
    }
  }
}

/** The constraints as an energy. `pattern`: where its geometric stiffness goes. */
export function paperMembrane(memory: Allocator, sheet: Sheet, membrane: ReadonlyF64, pattern: SparsePattern): MembraneSet {
  const { n } = sheet;
  const near = averagedF(memory, sheet);
  const w = new Float64Array(2 * n);
  for (let r = 0; r < w.length; r++) w[r] = (membrane[r >> 1] * sheet.area[r >> 1]) / 8;
  const stiffness = memory.copyF64(w);
  const at = memory.copyI32(pairPlaces(n, sheet.near.start, sheet.near.index, pattern));
  const value = new Float64Array(3);
  const set: MembraneSet = {
    rowsPer: 2, blocks: n, start: near.start, index: near.index,
    g: memory.f64(2 * n), J: memory.f64(6 * sheet.near.index.length), sigma: memory.f64(2 * n), stiffness, weight: stiffness,
    evaluate(Y) {
      isometry(set.g, set.J, Y, near);
      for (let r = 0; r < 2 * n; r++) set.sigma[r] = stiffness[r] * set.g[r];
    },
    energy(Y) {
      let E = 0;
      for (let i = 0; i < n; i++) {
        averagedC(value, Y, near, i);
        traceAndDet(value);
        E += 0.5 * stiffness[2 * i] * (value[0] * value[0] + value[1] * value[1]);
      }
      return E;
    },
    residual() {
      let most = 0;
      for (let r = 0; r < 2 * n; r++) most = Math.max(most, Math.abs(set.g[r]));
      return most;
    },
    addStress: (A) => addPairStress(A, near, at, set.sigma),
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
