/**
 * Limp cloth: what keeps edges from turning into an S where bending is too weak to (bending length (D/σg)^⅓ under the spacing).
 *
 *   E_r = K_r Σₑ wₑ |r|²,     r = (yⱼ − yᵢ)/ℓ − ½(Fᵢ + Fⱼ) t        (frame-bending.ts)
 *   K_r = max(1.5 Σ|f|/√A, max|f|/ℓ, T̄)                             one number per sheet, N/m; f: loads, at least its weight on earth
 *   T̄   : the median over the samples of T, as it lasts: dT̄/dt = (median − T̄)/LASTING
 *   T   = max(0, largest principal tension),  N = 3/(2Aᵢ) Σ s t tᵀ over the edges at a sample, s = ∂E/∂|m|²
 *
 * Quadratic, so that it is part of the same matrix as bending. K_r is a tension: if it scaled with the membrane stiffness, results would depend on that.
 * The median, because a largest or mean tension would let one taut line stiffen the folds across it. The load of a strip as long as the sheet is
 * there for sheets that are mostly slack; a hung sheet has a median of 1.1 to 1.4 of its weight, so K_r changes only where something pulls.
 * A load on a point pulls a line taut, one spacing wide, in a sheet that is slack elsewhere: |f|/ℓ. Without it edges across that line turn into an S, their chords
 * shorten (27 below 0.9) and the line gets longer than the cloth: 0.9 % with 1 kg on the corner of a flag (validate G4), now 0.6 to 0.9 % shorter.
 *
 * The lag of T̄ keeps impacts from changing K_r: when K_r rises, energy rises without any work being done, and the tension of a jerk is a hundred
 * weights for a few steps. A lasting tension is followed within some tenths of a second, and statics, whose steps are long, takes the median as it
 * is.
 * K_r changes in steps of a tenth, so that the matrix is seldom assembled. T̄ is part of the state (system.ts).
 */

import type { ReadonlyF64 } from "../linalg/arena.ts";
import { EARTH } from "../scene/materials.ts";
import type { FrameCharts } from "../sheet/frames.ts";
import type { Part, Sheet } from "../sheet/kinematics.ts";
import { edgeWeights } from "./frame-bending.ts";
import type { Arcs } from "./frame-membrane.ts";

/** K_r in units of the load of a strip as long as the sheet, σ|g|√A under gravity. */
const LOADS = 1.5;
/** Ratio of two neighbouring values of K_r. */
const RATIO = 1.1;
/** s: longer than an impact, shorter than a swing. */
const LASTING = 0.1;

export interface LimpCloth {
  /** [parts] N/m, K_r of each sheet. */
  readonly tension: Float64Array;
  /** K of bending alone, on the pattern of K. */
  readonly bending: Float64Array;
  /** Other bending, on the same pattern; the next renew adds to that. */
  setBending(K: ReadonlyF64): void;
  /** [parts] N/m, T̄ after the step that `renew` was last called for; becomes part of the state when that step is done. */
  readonly lasting: Float64Array;
  /**
   * Takes K_r from the arcs as they were evaluated last; K = bending + K_r R if that changed.
   *
   * @param before  [parts] N/m, T̄ at the start of the step
   * @param h       s, length of the step
   */
  renew(K: Float64Array, arcs: Arcs, loads: ReadonlyF64, before: ReadonlyF64, h: number): void;
  /** m², Σ w|r|² of sheet p: E_r over K_r. */
  residual(Y: ReadonlyF64, p: number): number;
  /** J, E_r edge by edge: as ½ yᵀKy it would be the difference of two large numbers. */
  energy(Y: ReadonlyF64): number;
}

/**
 * @param bending  K of bending alone
 * @param R        the matrix of the residual (frame-bending.ts), both on one pattern with its rows at `start`
 */
export function limpCloth(
  sheet: Sheet,
  { tangent, side }: FrameCharts,
  bending: Float64Array,
  R: Float64Array,
  start: ArrayLike<number>,
): LimpCloth {
  const tension = new Float64Array(sheet.parts.length).fill(Number.NaN);
  const lasting = new Float64Array(sheet.parts.length);
  const N = new Float64Array(3 * sheet.n);
  const T = new Float64Array(sheet.n);
  const own = sheet.parts.map(({ firstPoint, points }) =>
    T.subarray(firstPoint, firstPoint + points),
  );
  const sizes = sheet.parts.map(({ firstPoint, points }) => size(sheet, firstPoint, points));
  const least = leastStiffness(sheet);
  const weight = edgeWeights(sheet, side);
  return {
    tension,
    lasting,
    residual,
    bending,
    setBending(K) {
      bending.set(K as Float64Array);
      tension.fill(Number.NaN);
    },
    renew(K, arcs, loads, before, h) {
      const share = h / (LASTING + h);
      principalTensions(T, N, sheet, tangent, arcs.s);
      for (let p = 0; p < tension.length; p++) {
        lasting[p] = before[p] + share * (middle(own[p]) - before[p]);
        const floor = Math.max(
          (LOADS * totalLoad(loads, sheet.parts[p])) / sizes[p],
          lineTension(loads, sheet, sheet.parts[p]),
          least[p],
        );
        const wanted = stepped(Math.max(lasting[p], floor));
        if (wanted === tension[p]) continue;
        tension[p] = wanted;
        setRows(K, sheet, p, wanted);
      }
    },
    energy(Y) {
      let E = 0;
      for (let p = 0; p < tension.length; p++) E += tension[p] * residual(Y, p);
      return E;
    },
  };

  function residual(Y: ReadonlyF64, p: number): number {
    const { firstPoint, points } = sheet.parts[p];
    let sum = 0;
    for (let e = 0; e < weight.length; e++) {
      const i = sheet.edges[2 * e];
      if (i >= firstPoint && i < firstPoint + points)
        sum += weight[e] * squaredResidual(sheet, tangent, Y, e);
    }
    return sum;
  }

  /** K = bending + K_r R in the rows of one part: its positions, and its frames after all positions. */
  function setRows(K: Float64Array, { n, parts }: Sheet, p: number, Kr: number): void {
    const { firstPoint, points } = parts[p];
    const last = firstPoint + points;
    for (let k = start[firstPoint]; k < start[last]; k++) K[k] = bending[k] + Kr * R[k];
    for (let k = start[n + 2 * firstPoint]; k < start[n + 2 * last]; k++)
      K[k] = bending[k] + Kr * R[k];
  }
}

/** |r|² of edge e. */
function squaredResidual(
  { n, edges, edgeLength, spacing }: Sheet,
  tangent: ReadonlyF64,
  Y: ReadonlyF64,
  e: number,
): number {
  const i = edges[2 * e];
  const j = edges[2 * e + 1];
  const f = 3 * n + 6 * i;
  const g = 3 * n + 6 * j;
  let sum = 0;
  for (let c = 0; c < 3; c++) {
    const first = (tangent[4 * e] * Y[f + c] + tangent[4 * e + 1] * Y[f + 3 + c]) / spacing[i];
    const second = (tangent[4 * e + 2] * Y[g + c] + tangent[4 * e + 3] * Y[g + 3 + c]) / spacing[j];
    const r = (Y[3 * j + c] - Y[3 * i + c]) / edgeLength[e] - 0.5 * (first + second);
    sum += r * r;
  }
  return sum;
}

/** [parts] N/m: K_r is never less, whatever pulls. */
export function leastStiffness(sheet: Sheet): Float64Array {
  return Float64Array.from(
    sheet.parts,
    ({ firstPoint, points }) =>
      (LOADS * weight(sheet, firstPoint, points)) / size(sheet, firstPoint, points),
  );
}

/** Median of the values, which are reordered in place (quickselect: no memory, unlike sort). */
function middle(values: Float64Array): number {
  const k = values.length >> 1;
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[k];
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i] < pivot) i++;
      while (values[j] > pivot) j--;
      if (i > j) break;
      const kept = values[i];
      values[i++] = values[j];
      values[j--] = kept;
    }
    if (j < k) low = i;
    if (k < i) high = j;
  }
  return values[k];
}

/** m: the square root of the area. */
function size({ area }: Sheet, first: number, count: number): number {
  let whole = 0;
  for (let i = first; i < first + count; i++) whole += area[i];
  return Math.sqrt(whole);
}

/** N, on earth: without any load a sheet that is pressed gives way within its plane, frame by frame, instead of buckling. */
function weight({ m }: Sheet, first: number, count: number): number {
  let mass = 0;
  for (let i = first; i < first + count; i++) mass += m[i];
  return EARTH * mass;
}

/** N: sum of what pulls at each sample. */
function totalLoad(f: ReadonlyF64, { firstPoint, points }: Part): number {
  let sum = 0;
  for (let k = 3 * firstPoint; k < 3 * (firstPoint + points); k += 3)
    sum += Math.sqrt(f[k] * f[k] + f[k + 1] * f[k + 1] + f[k + 2] * f[k + 2]);
  return sum;
}

/** N/m: the largest load of a sample over its spacing, the tension of a line that carries it. */
function lineTension(f: ReadonlyF64, { spacing }: Sheet, { firstPoint, points }: Part): number {
  let most = 0;
  for (let i = firstPoint; i < firstPoint + points; i++) {
    const k = 3 * i;
    const load = Math.sqrt(f[k] * f[k] + f[k + 1] * f[k + 1] + f[k + 2] * f[k + 2]);
    if (load > most * spacing[i]) most = load / spacing[i];
  }
  return most;
}

/** The least value LEAST·RATIOᵏ that is not below `tension`. */
function stepped(tension: number): number {
  let value = LEAST;
  while (value < tension && value < Number.MAX_VALUE) value *= RATIO;
  return value;
}
/** N/m: where nothing pulls. */
const LEAST = 1e-6;

/** T of every sample; N is scratch, [3n]. */
function principalTensions(
  T: Float64Array,
  N: Float64Array,
  { n, edges, area }: Sheet,
  tangent: ReadonlyF64,
  s: ReadonlyF64,
): void {
  N.fill(0);
  for (let k = 0; k < edges.length; k++) {
    const e = k >> 1;
    const i = 3 * edges[k];
    const u = tangent[2 * k];
    const v = tangent[2 * k + 1];
    N[i] += s[e] * u * u;
    N[i + 1] += s[e] * u * v;
    N[i + 2] += s[e] * v * v;
  }
  for (let i = 0; i < n; i++) {
    const a = N[3 * i];
    const b = N[3 * i + 1];
    const d = N[3 * i + 2];
    const largest = 0.5 * (a + d) + Math.sqrt(0.25 * (a - d) * (a - d) + b * b);
    T[i] = Math.max(0, (1.5 * largest) / area[i]);
  }
}
