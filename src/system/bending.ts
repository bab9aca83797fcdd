/**
 * Bending (§5): quadratic in the positions, so that its Hessian is constant.
 *
 *   E_bend = ½ Σ over x, y, z of yᵀ K y,      K = Σᵢ D Aᵢ Qᵢ   (curvature.ts: the fit with its residual term)
 *
 * Clamped points know their tangents F. They add E = yᵀ C f + ½ fᵀ P f with f the columns of every F. A clamp line
 * is the middle of a mirrored sheet, of which the cell of a clamped point is one half: the fit sees both halves, so it
 * counts with its whole cell (twice the area that lies in the sheet). Without that an error of order ℓ remains.
 *
 * Shapes that are curved at rest have a rest curvature: |H − H₀|² with H₀ along the current normal. The normal is
 * taken at the start of the step (natural(n)), which keeps the Hessian constant.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { findEntry, type SparsePattern } from "../linalg/sparse.ts";
import { neighbourhoods } from "../sheet/charts.ts";
import {
  cotangentLaplacian,
  type Fit,
  fitEnergy,
  type LaplacianRow,
  meshlessLaplacian,
  quadraticFit,
} from "../sheet/curvature.ts";
import type { Neighbourhoods, Sheet } from "../sheet/kinematics.ts";


/** How second derivatives are taken; `fit` is ours, the others are the paper's |LY|². */
export type BendingForm = "fit" | "cotangent" | "meshless";

export interface Bending {
  /** [entries of the pattern] N/m. */
  readonly K: Float64Array;
  /** Coupling of clamped tangents: energy Σ y[point]·f[column]·value. Column 2c and 2c+1 are F of clamp c. */
  readonly coupling: readonly { point: number; column: number; value: number }[];
  /** ½ fᵀ P f between the columns of one clamp: [4·clamps] row-major 2×2. */
  readonly tangent: Float64Array;
  /** Points with given tangents, in the order of `coupling`'s columns. */
  readonly clamps: Int32Array;
  /** Second rings and fits, for curvature measures and rest curvature. */
  readonly near: Neighbourhoods;
  readonly fits: readonly Fit[];
}

/** A cell of a clamped point counts with its mirror image. */
const CLAMP_SHARE = 2;

/**
 * @param D  [n] N·m flexural rigidity at each point
 * @param nu [n] Poisson's ratio at each point
 * @param near second rings
 * @param pattern of K, which must hold all pairs of each second ring
 */
export function bending(
  sheet: Sheet,
  D: ReadonlyF64,
  nu: ReadonlyF64,
  clamps: Int32Array,
  near: Neighbourhoods,
  pattern: SparsePattern,
  form: BendingForm = "fit",
): Bending {
  const { n, area, spacing } = sheet;
  const K = new Float64Array(pattern.index.length);
  const add = (i: number, j: number, v: number) => {
    K[findEntry(pattern, i, j)] += v;
  };
  const coupling: { point: number; column: number; value: number }[] = [];
  const tangent = new Float64Array(4 * clamps.length);
  const fits: Fit[] = [];

  if (form !== "fit") {
    const rows =
      form === "cotangent" ? cotangentLaplacian(sheet, area) : meshlessLaplacian(sheet, near);
    for (let i = 0; i < n; i++) {
      // k/2 |LY|² / area, interior rows only for the cotangent form: its boundary rows see a slope as curvature
      if (form === "cotangent" && sheet.boundary[i]) continue;
      addSquare(add, rows[i], D[i]);
    }
    return { K, coupling, tangent, clamps: new Int32Array(0), near, fits };
  }

  const clampOf = new Map<number, number>();
  for (let c = 0; c < clamps.length; c++) clampOf.set(clamps[c], c);
  for (let i = 0; i < n; i++) {
    const c = clampOf.get(i);
    const fit = quadraticFit(near, i, spacing[i], c !== undefined);
    const { size, Q } = fitEnergy(fit, spacing[i], nu[i]);
    const scale = D[i] * area[i] * (c === undefined ? 1 : CLAMP_SHARE);
    const first = near.start[i];
    const count = near.start[i + 1] - first;
    for (let a = 0; a < count; a++)
      for (let b = 0; b < count; b++)
        add(near.index[first + a], near.index[first + b], scale * Q[size * a + b]);
    if (c !== undefined) {
      for (let a = 0; a < count; a++)
        for (let b = 0; b < 2; b++)
          coupling.push({
            point: near.index[first + a],
            column: 2 * c + b,
            value: scale * Q[size * a + count + b],
          });
      for (let a = 0; a < 2; a++)
        for (let b = 0; b < 2; b++)
          tangent[4 * c + 2 * a + b] = scale * Q[size * (count + a) + count + b];
    }
    fits.push(fit);
  }
  return { K, coupling, tangent, clamps, near, fits };
}

/** Two rings, or three where two hold fewer than 8 points (thin strips, corners of coarse sheets). */
export function secondRings(sheet: Sheet): Neighbourhoods {
  const two = neighbourhoods(sheet, { rings: 2 });
  const enough = 9; // 8 neighbours and i itself; 5 unknowns need some to spare
  let thin = false;
  for (let i = 0; i < sheet.n; i++) if (two.start[i + 1] - two.start[i] < enough) thin = true;
  if (!thin) return two;
  const three = neighbourhoods(sheet, { rings: 3 });
  const start = new Int32Array(sheet.n + 1);
  const index: number[] = [];
  const X: number[] = [];
  for (let i = 0; i < sheet.n; i++) {
    const from = two.start[i + 1] - two.start[i] < enough ? three : two;
    for (let e = from.start[i]; e < from.start[i + 1]; e++) {
      index.push(from.index[e]);
      X.push(from.X[2 * e], from.X[2 * e + 1]);
    }
    start[i + 1] = index.length;
  }
  return { start, index: Int32Array.from(index), X: Float64Array.from(X) };
}

function addSquare(
  add: (i: number, j: number, v: number) => void,
  row: LaplacianRow,
  D: number,
): void {
  for (let a = 0; a < row.columns.length; a++)
    for (let b = 0; b < row.columns.length; b++)
      add(row.columns[a], row.columns[b], (D * row.values[a] * row.values[b]) / row.area);
}

/** Second derivatives H = (h₀₀, h₀₁, h₁₁) at point i, nine numbers into out: xyz of each. */
export function secondDerivatives(
  out: Float64Array,
  bend: Bending,
  i: number,
  Y: ReadonlyF64,
): void {
  out.fill(0, 0, 9);
  const { H } = bend.fits[i];
  for (let e = bend.near.start[i], a = 0; e < bend.near.start[i + 1]; e++, a++) {
    const y = 3 * bend.near.index[e];
    for (let k = 0; k < 3; k++)
      for (let c = 0; c < 3; c++) out[3 * k + c] += H[3 * a + k] * Y[y + c];
  }
}
