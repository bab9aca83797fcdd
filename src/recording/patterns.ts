/**
 * Lobes, folds and wavelengths: how often a shape goes in and out around a tube or along a hem.
 *
 * Samples are irregular, so sums carry the area or the length that a sample stands for, and waves are counted only while
 * a wave has four samples or more. Powers are mean squares, m²: a wave a·cos has the power a²/2.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { distance, type MeasuredSheet } from "./measures.ts";

const TAU = 2 * Math.PI;

export interface TubePattern {
  /** [n] m², power of n waves around, n = 0, 1, …; what is the same all around (n = 0) counts as none. */
  around: Float64Array;
  /** [m] m², power of m half waves from ring to ring, m = 0, 1, …. */
  along: Float64Array;
  /** The strongest n ≥ 2 and m ≥ 1. */
  lobes: number;
  halfWaves: number;
  /** The strongest pair of both: n waves around times m half waves along the height. */
  mode: { lobes: number; halfWaves: number };
  /** m, root mean square of the displacement inwards and outwards. */
  amplitude: number;
}

/**
 * The pattern of a crushed tube, from the displacement towards its axis as a function of the material.
 *
 * Diamonds turn by half a lobe from row to row, so waves around are measured in narrow bands of the height and their
 * powers averaged; waves along the height likewise in narrow strips. In the material the displacement has one value
 * everywhere, even where the tube has folded over itself.
 *
 * @param radius of the tube, m, whose axis is z
 */
export function tubePattern(sheet: MeasuredSheet, Y: ReadonlyF64, radius: number): TubePattern {
  const { n, uv, area } = sheet;
  const circumference = TAU * radius;
  let height = 0;
  let spacing = 0;
  for (let i = 0; i < n; i++) {
    height = Math.max(height, uv[2 * i + 1]);
    spacing += sheet.spacing[i] / n;
  }
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) out[i] = Math.hypot(Y[3 * i], Y[3 * i + 1]) - radius;

  const most = Math.max(2, Math.floor(circumference / spacing / 4));
  const bands = Math.max(1, Math.round(height / (2 * spacing)));
  const around = new Float64Array(most + 1);
  for (let band = 0; band < bands; band++) {
    const inBand = pointsIn(n, (i) => bandOf(uv[2 * i + 1], height, bands) === band);
    addPowers(around, inBand, (i) => (TAU * uv[2 * i]) / circumference, out, area, 1 / bands);
  }
  around[0] = 0;

  const rows = Math.max(1, Math.floor(height / spacing / 2));
  const strips = Math.max(1, Math.round(circumference / (2 * spacing)));
  const along = new Float64Array(rows + 1);
  for (let strip = 0; strip < strips; strip++) {
    const inStrip = pointsIn(n, (i) => bandOf(uv[2 * i], circumference, strips) === strip);
    const phase = (i: number): number => (Math.PI * uv[2 * i + 1]) / height;
    addPowers(along, inStrip, phase, out, area, 1 / strips, true);
  }
  let squares = 0;
  let whole = 0;
  for (let i = 0; i < n; i++) {
    squares += area[i] * out[i] * out[i];
    whole += area[i];
  }
  return {
    around,
    along,
    lobes: strongest(around, 2),
    halfWaves: strongest(along, 1),
    mode: strongestMode(sheet, out, circumference, height, { lobes: most, halfWaves: rows }),
    amplitude: Math.sqrt(squares / whole),
  };
}

/** Largest |Σ a w e^{inθ} sin(mπz/H)| over n ≥ 2 and m ≥ 1. */
function strongestMode(
  { n, uv, area }: MeasuredSheet,
  out: ReadonlyF64,
  circumference: number,
  height: number,
  { lobes, halfWaves }: TubePattern["mode"],
): TubePattern["mode"] {
  let most = 0;
  const mode = { lobes: 2, halfWaves: 1 };
  for (let k = 2; k <= lobes; k++)
    for (let m = 1; m <= halfWaves; m++) {
      let [c, s] = [0, 0];
      for (let i = 0; i < n; i++) {
        const f = area[i] * out[i] * Math.sin((Math.PI * m * uv[2 * i + 1]) / height);
        c += f * Math.cos((TAU * k * uv[2 * i]) / circumference);
        s += f * Math.sin((TAU * k * uv[2 * i]) / circumference);
      }
      if (c * c + s * s <= most) continue;
      most = c * c + s * s;
      mode.lobes = k;
      mode.halfWaves = m;
    }
  return mode;
}

/**
 * Load at which a perfect tube of radius R, height H, held round at its rims, buckles into n lobes and m half waves, over the least of all modes (Koiter):
 *
 *   N/N₀ = ½(x + 1/x),    x = (α² + n²)²/(α² R √(K/D)),    α = mπR/H
 */
export function bucklingLoad(
  { lobes, halfWaves }: TubePattern["mode"],
  tube: { radius: number; height: number; K: number; D: number },
): number {
  const alpha = (halfWaves * Math.PI * tube.radius) / tube.height;
  const square = alpha * alpha;
  const x = (square + lobes ** 2) ** 2 / (square * tube.radius * Math.sqrt(tube.K / tube.D));
  return 0.5 * (x + 1 / x);
}

export interface RimPattern {
  /** m, around the rim. */
  length: number;
  /** [k] m², power of k waves around the rim, k = 0, 1, …. */
  power: Float64Array;
  /** The root of the power's mean k² from 2 on: the number of folds. */
  folds: number;
  /** m, length / folds. */
  wavelength: number;
  /** m, root mean square of the waves. */
  amplitude: number;
}

/**
 * Waves of a closed rim such as a hem, in height and in distance from its middle. One wave around is a tilt or a shift,
 * not a fold, and is left out. Of a mixture of waves there are as many as it crosses its mean upwards: √(Σk²P/ΣP), Rice's formula.
 *
 * @param edges names of the pieces of the rim, in order
 */
export function rimPattern(
  sheet: MeasuredSheet,
  Y: ReadonlyF64,
  edges: readonly string[],
  part = 0,
): RimPattern {
  const rim = closedRim(sheet, edges, part);
  const count = rim.length;
  const arc = new Float64Array(count + 1);
  for (let k = 0; k < count; k++) arc[k + 1] = arc[k] + distance(Y, rim[k], rim[(k + 1) % count]);
  const length = arc[count];
  const weight = new Float64Array(count);
  let [x, y] = [0, 0];
  for (let k = 0; k < count; k++) {
    const before = k === 0 ? arc[count] - arc[count - 1] : arc[k] - arc[k - 1];
    weight[k] = (before + arc[k + 1] - arc[k]) / 2;
    x += (weight[k] * Y[3 * rim[k]]) / length;
    y += (weight[k] * Y[3 * rim[k] + 1]) / length;
  }
  const height = Float64Array.from(rim, (i) => Y[3 * i + 2]);
  const away = Float64Array.from(rim, (i) => Math.hypot(Y[3 * i] - x, Y[3 * i + 1] - y));
  const power = new Float64Array(Math.max(3, Math.floor(count / 4)) + 1);
  const all = pointsIn(count, () => true);
  const phase = (k: number): number => (TAU * arc[k]) / length;
  addPowers(power, all, phase, height, weight, 1);
  addPowers(power, all, phase, away, weight, 1);

  let [sum, second] = [0, 0];
  for (let k = 2; k < power.length; k++) {
    sum += power[k];
    second += k * k * power[k];
  }
  const folds = sum > 0 ? Math.sqrt(second / sum) : 0;
  return {
    length,
    power,
    folds,
    wavelength: folds > 0 ? length / folds : Number.POSITIVE_INFINITY,
    amplitude: Math.sqrt(sum),
  };
}

/** Points of a rim put together from named edges, each once. */
function closedRim(sheet: MeasuredSheet, edges: readonly string[], part = 0): number[] {
  const rim: number[] = [];
  for (const name of edges) {
    const points = sheet.parts[part]?.edges[name];
    if (points === undefined) throw new Error(`no edge "${name}"`);
    for (let k = 0; k < points.length; k++)
      if (rim[rim.length - 1] !== points[k]) rim.push(points[k]);
  }
  if (rim.length > 1 && rim[0] === rim[rim.length - 1]) rim.pop();
  return rim;
}

/** y = factor · x^exponent by least squares of the logarithms, and how much of their variance it explains. */
export function powerLaw(
  x: readonly number[],
  y: readonly number[],
): { exponent: number; factor: number; explained: number } {
  const [a, b] = [x.map(Math.log), y.map(Math.log)];
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, v) => sum + v, 0) / values.length;
  const [ma, mb] = [mean(a), mean(b)];
  let [aa, ab, bb] = [0, 0, 0];
  for (let k = 0; k < a.length; k++) {
    aa += (a[k] - ma) ** 2;
    ab += (a[k] - ma) * (b[k] - mb);
    bb += (b[k] - mb) ** 2;
  }
  const exponent = ab / aa;
  return {
    exponent,
    factor: Math.exp(mb - exponent * ma),
    explained: bb > 0 ? (ab * ab) / (aa * bb) : 1,
  };
}

/** power[k] += share · power of the wave with k times the phase; sines alone, for half waves between fixed ends. */
function addPowers(
  power: Float64Array,
  points: readonly number[],
  phase: (i: number) => number,
  values: ReadonlyF64,
  weight: ReadonlyF64,
  share: number,
  sines = false,
): void {
  let whole = 0;
  for (const i of points) whole += weight[i];
  if (!(whole > 0)) return;
  const mean = sines ? 0 : weightedMean(points, values, weight);
  for (let k = 1; k < power.length; k++) {
    let [c, s] = [0, 0];
    for (const i of points) {
      const f = weight[i] * (values[i] - mean);
      if (!sines) c += f * Math.cos(k * phase(i));
      s += f * Math.sin(k * phase(i));
    }
    power[k] += (share * 2 * (c * c + s * s)) / (whole * whole);
  }
}

function pointsIn(n: number, isIn: (i: number) => boolean): number[] {
  const points: number[] = [];
  for (let i = 0; i < n; i++) if (isIn(i)) points.push(i);
  return points;
}

function weightedMean(points: readonly number[], values: ReadonlyF64, weight: ReadonlyF64): number {
  let [sum, whole] = [0, 0];
  for (const i of points) {
    sum += weight[i] * values[i];
    whole += weight[i];
  }
  return whole > 0 ? sum / whole : 0;
}

function bandOf(x: number, extent: number, bands: number): number {
  return Math.min(bands - 1, Math.max(0, Math.floor((x / extent) * bands)));
}

function strongest(power: Float64Array, from: number): number {
  let best = from;
  for (let k = from; k < power.length; k++) if (power[k] > power[best]) best = k;
  return best;
}
