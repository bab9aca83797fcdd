/**
 * First and second derivatives at a point, from the points around it: frames that follow from positions, curvature that is shown.
 *
 * Over the second ring of i, with d = Xᵢⱼ and weights ωⱼ = exp(−|d|²/(1.5 ℓᵢ)²),
 *
 *   yⱼ − yᵢ ≈ F d + ½ H(d, d)            F: 2 vectors, H: 3 vectors (h₀₀, h₀₁, h₁₁), by least squares
 *
 * which needs no care at the boundary: affine shapes have H = 0 there too.
 */
import { exp } from "../linalg/elementary.ts";
import { listF64, listI32 } from "../linalg/lists.ts";
import { neighbourhoods } from "./charts.ts";
import type { Mesh, Neighbourhoods, Sheet } from "./kinematics.ts";
import { placesOf } from "./plane.ts";
import { SheetError } from "./sheet-error.ts";

/** Reach of the weights in spacings: at the second ring (|d| ≈ 2ℓ) ω ≈ 0.17. */
const REACH = 1.5;

/** The quadratic fit at i as an operator: H = Σⱼ H[3j…] yⱼ, one column per point of its neighbourhood. */
export interface Fit {
  /** [3·points] 1/m²: coefficients of (h₀₀, h₀₁, h₁₁). */
  H: Float64Array;
  /** [2·points] 1/m: coefficients of F. */
  F: Float64Array;
}

/**
 * Fits at point i over `near` (its second ring), in units of its spacing l.
 * Throws if the points cannot tell the five coefficients apart.
 */
export function quadraticFit(near: Neighbourhoods, i: number, l: number): Fit {
  const { start, index, X } = near;
  const first = start[i];
  const count = start[i + 1] - first; // the last entry is i itself
  const self = count - 1;
  if (scratch.phi.length < 5 * self) scratch = createScratch(self);
  const { phi, omega, N, inverse } = scratch;

  // basis and normal matrix N = Σ ω φ φᵀ, of which the inverse reads the lower triangle
  N.fill(0);
  for (let j = 0; j < self; j++) {
    const x = X[2 * (first + j)] / l;
    const y = X[2 * (first + j) + 1] / l;
    const w = exp(-(x * x + y * y) / (REACH * REACH));
    const at = 5 * j;
    phi[at] = 0.5 * x * x;
    phi[at + 1] = x * y;
    phi[at + 2] = 0.5 * y * y;
    phi[at + 3] = x;
    phi[at + 4] = y;
    for (let a = 0; a < 5; a++) {
      const wp = w * phi[at + a];
      for (let b = 0; b <= a; b++) N[5 * a + b] += wp * phi[at + b];
    }
    omega[j] = w;
  }
  if (!invertSymmetric(inverse, N, 5))
    throw new SheetError("sheet", [
      `point ${i}: its ${self} neighbours do not fix a curvature (point ${index[first]} and the others lie on one conic); use more points`,
    ]);

  // coefficients = N⁻¹ Φᵀ W z with z = yⱼ − yᵢ
  const H = new Float64Array(3 * count);
  const F = new Float64Array(2 * count);
  for (let j = 0; j < self; j++) {
    for (let a = 0; a < 5; a++) {
      let c = 0;
      for (let b = 0; b < 5; b++) c += inverse[5 * a + b] * phi[5 * j + b] * omega[j];
      if (a < 3) {
        H[3 * j + a] += c / (l * l);
        H[3 * self + a] -= c / (l * l);
      } else {
        F[2 * j + a - 3] += c / l;
        F[2 * self + a - 3] -= c / l;
      }
    }
  }
  return { H, F };
}

/** What a fit needs while it works, kept from one fit to the next: new arrays for every point are work for the collector. */
interface Scratch {
  phi: Float64Array; // [5·most]
  omega: Float64Array; // [most]
  N: Float64Array; // [25]
  inverse: Float64Array; // [25]
}

/** For as many neighbours. */
function createScratch(most: number): Scratch {
  return {
    phi: new Float64Array(5 * most),
    omega: new Float64Array(most),
    N: new Float64Array(25),
    inverse: new Float64Array(25),
  };
}

let scratch: Scratch = createScratch(40);

/** Points of the second ring farther than this many spacings are left out of the fit (see secondRings). */
const FARTHEST = 2.4;

/**
 * Two rings, or three where two hold fewer than 8 points (thin strips, corners of coarse sheets). Of the second ring only what is
 * within FARTHEST spacings: on a grid whose diagonals all lean one way it reaches twice as far along them, and a cylinder of
 * five spacings bent about the other diagonal was 1.5 % too stiff (0.3 % without). First-ring points always count.
 */
export function secondRings(sheet: Mesh & Pick<Sheet, "edges" | "spacing">): Neighbourhoods {
  const { n, edges, spacing } = sheet;
  const two = neighbourhoods(sheet, { rings: 2 });
  const enough = 9; // 8 neighbours and i itself; 5 unknowns need some to spare
  let three: Neighbourhoods | null = null;
  const { start: first, place } = placesOf(n, edges);
  const joined = new Int32Array(n).fill(-1); // the last i that an edge joins the point to
  const start = new Int32Array(n + 1);
  const index = listI32();
  const X = listF64();
  for (let i = 0; i < n; i++) {
    const thin = two.start[i + 1] - two.start[i] < enough;
    if (thin) three ??= neighbourhoods(sheet, { rings: 3 });
    const from = thin ? three! : two;
    for (let p = first[i]; p < first[i + 1]; p++) joined[edges[place[p] ^ 1]] = i; // ^ 1: the other end
    const farthest = (FARTHEST * spacing[i]) ** 2;
    let count = 0;
    for (let e = from.start[i]; e < from.start[i + 1]; e++)
      if (isNear(from, e, i, farthest)) count++;
    const all = thin || count < enough;
    for (let e = from.start[i]; e < from.start[i + 1]; e++) {
      if (!all && !isNear(from, e, i, farthest)) continue;
      index.push(from.index[e]);
      X.push(from.X[2 * e]);
      X.push(from.X[2 * e + 1]);
    }
    start[i + 1] = index.length;
  }
  return { start, index: index.done(), X: X.done() };

  function isNear({ index, X }: Neighbourhoods, e: number, i: number, farthest: number): boolean {
    const u = X[2 * e];
    const v = X[2 * e + 1];
    return u * u + v * v <= farthest || joined[index[e]] === i;
  }
}

/** Scratch of invertSymmetric: its factor, and a column. */
const factorOf = new Float64Array(25);
const columnOf = new Float64Array(5);

/** Pivot over the largest diagonal entry: below it the points do not tell the coefficients apart. */
const SINGULAR = 1e-10;

/** inverse = A⁻¹ of a symmetric positive matrix, n ≤ 5, by Cholesky from its lower triangle; false when it is singular. */
function invertSymmetric(inverse: Float64Array, A: Float64Array, n: number): boolean {
  const L = factorOf;
  const x = columnOf;
  let scale = 0;
  for (let a = 0; a < n; a++) scale = Math.max(scale, A[n * a + a]);
  for (let a = 0; a < n; a++) {
    for (let b = 0; b <= a; b++) {
      let s = A[n * a + b];
      for (let c = 0; c < b; c++) s -= L[n * a + c] * L[n * b + c];
      if (a === b) {
        if (!(s > SINGULAR * scale)) return false;
        L[n * a + a] = Math.sqrt(s);
      } else L[n * a + b] = s / L[n * b + b];
    }
  }
  for (let k = 0; k < n; k++) {
    for (let a = 0; a < n; a++) {
      let s = a === k ? 1 : 0;
      for (let c = 0; c < a; c++) s -= L[n * a + c] * x[c];
      x[a] = s / L[n * a + a];
    }
    for (let a = n - 1; a >= 0; a--) {
      let s = x[a];
      for (let c = a + 1; c < n; c++) s -= L[n * c + a] * inverse[n * c + k];
      inverse[n * a + k] = s / L[n * a + a];
    }
  }
  return true;
}
