// biome-ignore-all format: components are kept in columns
/**
 * Discrete elastic shells (Grinspun; §6 Comparison): each triangle by itself is a St. Venant–Kirchhoff membrane.
 *
 *   W = E t/(2(1−ν²)) [(1−ν)|G|² + ν(tr G)²],   G = ½(C − I)
 *     = E t/(8(1−ν²)) [(1+ν)s₀² + (1−ν)(s₁² + s₂²)]        s: C − I in the orthonormal basis of triangle-metric.ts
 *
 * per area, so that the three rows of a triangle have the weights E t A (1 ± ν)/(4(1−ν²)). As in the paper, the modulus changes the
 * membrane only; bending is bending.ts at the sheet's D.
 *
 * C is linear in squared lengths, so its second derivative is a graph Laplacian and the geometric stiffness is scalar: per triangle the
 * stress S = Σₖ sₖ eₖeₖᵀ is clamped to positive semidefinite (2×2) and turned back by sₖ = Qₖ : S.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { findEntry, type SparseMatrix, type SparsePattern } from "../linalg/sparse.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { MembraneSet } from "../system/system.ts";
import { clampSymmetric, dualMetric } from "../system/triangle-metric.ts";

const SQRT2 = Math.SQRT2;

export interface ShellMaterial {
  /** Pa */
  readonly young: number;
  /** m */
  readonly thickness: number;
  /** [n] */
  readonly poisson: ReadonlyF64;
}

/** Edge k of a triangle joins its corners k+1 and k+2. */
const NEXT = [1, 2, 0];
const LAST = [2, 0, 1];

/** The triangles of a sheet as a membrane. `pattern`: where its geometric stiffness goes. */
export function shellMembrane(sheet: Sheet, material: ShellMaterial, pattern: SparsePattern): (memory: Allocator) => MembraneSet {
  const T = sheet.triangles.length / 3;
  const stiffness = shellStiffness(sheet, material);
  const q = new Float64Array(9 * T);
  for (let t = 0; t < T; t++) dualMetric(q, 9 * t, sheet.corners, 6 * t, 1);
  return (memory) => membrane(memory, sheet, { stiffness, q }, pattern);
}

/** [3·triangles] J */
function shellStiffness({ triangles, triangleArea }: Sheet, { young, thickness, poisson }: ShellMaterial): Float64Array {
  const out = new Float64Array(triangles.length);
  for (let t = 0; 3 * t < out.length; t++) {
    let nu = 0;
    for (let c = 0; c < 3; c++) nu += poisson[triangles[3 * t + c]] / 3;
    const w = (young * thickness * triangleArea[t]) / (4 * (1 - nu * nu));
    out[3 * t] = w * (1 + nu); out[3 * t + 1] = w * (1 - nu); out[3 * t + 2] = w * (1 - nu);
  }
  return out;
}

/** Scratch: the three edges of a triangle. */
const edges = new Float64Array(9);

/** g = C − I of every triangle, and J: per corner nine numbers, xyz of the three rows. J null: g alone. */
function triangleStrain(g: Float64Array, J: Float64Array | null, Y: ReadonlyF64, triangles: Int32Array, q: ReadonlyF64): void {
  for (let t = 0; 3 * t < triangles.length; t++) {
    const at = 9 * t;
    let s0 = -SQRT2, s1 = 0, s2 = 0;
    for (let k = 0; k < 3; k++) {
      const a = 3 * triangles[3 * t + NEXT[k]], b = 3 * triangles[3 * t + LAST[k]], e = 3 * k;
      for (let c = 0; c < 3; c++) edges[e + c] = Y[b + c] - Y[a + c];
      const l = edges[e] * edges[e] + edges[e + 1] * edges[e + 1] + edges[e + 2] * edges[e + 2];
      s0 += q[at + e] * l; s1 += q[at + e + 1] * l; s2 += q[at + e + 2] * l;
    }
    g[3 * t] = s0; g[3 * t + 1] = s1; g[3 * t + 2] = s2;
    if (!J) continue;
    // 2q(Y₊₂ − Y₊₁) on the two ends of edge k
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++) {
        const e0 = q[at + r] * (2 * edges[c]), e1 = q[at + 3 + r] * (2 * edges[3 + c]), e2 = q[at + 6 + r] * (2 * edges[6 + c]);
        const row = 27 * t + 3 * r + c;
        J[row] = e1 - e2; J[row + 9] = e2 - e0; J[row + 18] = e0 - e1;
      }
  }
}

function membrane(memory: Allocator, sheet: Sheet, shell: { stiffness: Float64Array; q: Float64Array }, pattern: SparsePattern): MembraneSet {
  const rows = sheet.triangles.length, T = rows / 3;
  const q = memory.copyF64(shell.q), index = memory.copyI32(sheet.triangles), stiffness = memory.copyF64(shell.stiffness);
  const stress = triangleStress(memory, sheet, pattern), trial = memory.f64(rows);
  const set: MembraneSet = {
    rowsPer: 3, blocks: T, start: memory.copyI32(Int32Array.from({ length: T + 1 }, (_, t) => 3 * t)), index,
    g: memory.f64(rows), J: memory.f64(9 * rows), sigma: memory.f64(rows), weight: stiffness, stiffness,
    evaluate(Y) {
      triangleStrain(set.g, set.J, Y, index, q);
      for (let r = 0; r < rows; r++) set.sigma[r] = stiffness[r] * set.g[r];
    },
    energy(Y) {
      triangleStrain(trial, null, Y, index, q);
      let E = 0;
      for (let r = 0; r < rows; r++) E += 0.5 * stiffness[r] * trial[r] * trial[r];
      return E;
    },
    residual() {
      let most = 0;
      for (let r = 0; r < rows; r++) most = Math.max(most, Math.abs(set.g[r]));
      return most;
    },
    addStress(A, clamp) {
      const { s } = stress;
      for (let t = 0; t < T; t++)
        for (let k = 0; k < 3; k++) {
          const e = 9 * t + 3 * k, r = 3 * t;
          s[r + k] = set.sigma[r] * q[e] + set.sigma[r + 1] * q[e + 1] + set.sigma[r + 2] * q[e + 2];
        }
      addTriangleStress(A, stress, clamp);
    },
  };
  return set;
}

/** Constants and scratch of the geometric stiffness on triangles. */
interface TriangleStress {
  readonly ee: Float64Array; // [9T] eₖeₖᵀ as (00, 01, 11)
  readonly dual: Float64Array; // [9T] Qₖ as (00, 2·01, 11)
  readonly at: Int32Array; // [9T] where the diagonals of the three corners and the edges (both triangles of A) are
  readonly s: Float64Array; // [3T] coefficient of each squared length
}

function triangleStress(memory: Allocator, sheet: Sheet, pattern: SparsePattern): TriangleStress {
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
function addTriangleStress(A: SparseMatrix, { ee, dual, at, s }: TriangleStress, clamp: boolean): void {
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
