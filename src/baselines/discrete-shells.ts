/**
 * Discrete elastic shells (Grinspun; §6 Comparison): each triangle by itself is a St. Venant–Kirchhoff membrane.
 *
 *   W = E t/(2(1−ν²)) [(1−ν)|G|² + ν(tr G)²],   G = ½(C − I)
 *     = E t/(8(1−ν²)) [(1+ν)s₀² + (1−ν)(s₁² + s₂²)]        s: C − I in the orthonormal basis of isometry.ts
 *
 * per area, so that the three rows of a triangle have the weights E t A (1 ± ν)/(4(1−ν²)). Its bending is hinges.ts at the
 * sheet's D: as in the paper, the modulus changes the membrane only. The rows stand behind those of the neighbourhoods, which
 * have no stiffness here: solvers that know the layout of the isometry constraints find it.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { SparsePattern } from "../linalg/sparse.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import {
  addTriangleStress,
  type MetricGroups,
  metric,
  metricGroups,
  triangleStress,
} from "../system/isometry.ts";
import type { ConstraintSet } from "../system/system.ts";

export interface ShellMaterial {
  /** Pa */
  readonly young: number;
  /** m */
  readonly thickness: number;
  /** [n] */
  readonly poisson: ReadonlyF64;
}

/** Groups and weights; the layout of the memory comes after. */
export function shellMembrane(
  sheet: Sheet,
  { young, thickness, poisson }: ShellMaterial,
  pattern: SparsePattern,
): (memory: Allocator) => ConstraintSet {
  const groups = metricGroups(sheet, new Float64Array(sheet.n), 1);
  const T = sheet.triangles.length / 3;
  for (let t = 0; t < T; t++) {
    let nu = 0;
    for (let c = 0; c < 3; c++) nu += poisson[sheet.triangles[3 * t + c]] / 3;
    const w = (young * thickness * sheet.triangleArea[t]) / (4 * (1 - nu * nu));
    const row = 3 * (sheet.n + t);
    groups.stiffness[row] = w * (1 + nu);
    groups.stiffness[row + 1] = w * (1 - nu);
    groups.stiffness[row + 2] = w * (1 - nu);
  }
  return (memory) => membrane(memory, sheet, groups, pattern);
}

function membrane(
  memory: Allocator,
  sheet: Sheet,
  groups: MetricGroups,
  pattern: SparsePattern,
): ConstraintSet {
  const { blocks } = groups;
  const rows = 3 * blocks;
  const entries = groups.index.length;
  const T = sheet.triangles.length / 3;
  const first = 3 * sheet.n;
  const G: MetricGroups = {
    blocks,
    start: memory.copyI32(groups.start),
    index: memory.copyI32(groups.index),
    triStart: memory.copyI32(groups.triStart),
    tri: memory.copyI32(groups.tri),
    local: memory.copyI32(groups.local),
    q: memory.copyF64(groups.q),
    stiffness: memory.copyF64(groups.stiffness),
  };
  const stress = triangleStress(memory, sheet, pattern);
  const trial = memory.f64(rows);
  const trialJ = memory.f64(9 * entries);
  const set: ConstraintSet = {
    rowsPer: 3,
    blocks,
    start: G.start,
    index: G.index,
    g: memory.f64(rows),
    J: memory.f64(9 * entries),
    sigma: memory.f64(rows),
    weight: memory.f64(rows),
    lambda: memory.f64(0),
    stiffness: G.stiffness,
    evaluate(Y) {
      metric(set.g, set.J, Y, G);
      for (let r = 0; r < rows; r++) {
        set.weight[r] = set.stiffness[r];
        set.sigma[r] = set.stiffness[r] * set.g[r];
      }
    },
    energy(Y) {
      metric(trial, trialJ, Y, G);
      let E = 0;
      for (let r = first; r < rows; r++) E += 0.5 * set.stiffness[r] * trial[r] * trial[r];
      return E;
    },
    residual() {
      let most = 0;
      for (let r = first; r < rows; r++) most = Math.max(most, Math.abs(set.g[r]));
      return most;
    },
    updateMultipliers() {
      // a shell stretches: there is nothing to make exact
    },
    addStress(A, clamp) {
      const { s } = stress;
      const p = groups.triStart[sheet.n]; // the triangles' own pairs come last, one each
      for (let t = 0; t < T; t++)
        for (let k = 0; k < 3; k++) {
          const q = 9 * (p + t) + 3 * k;
          const r = first + 3 * t;
          s[3 * t + k] =
            set.sigma[r] * G.q[q] + set.sigma[r + 1] * G.q[q + 1] + set.sigma[r + 2] * G.q[q + 2];
        }
      addTriangleStress(A, stress, clamp);
    },
  };
  return set;
}
