/**
 * Wavelengths of wrinkles by spectrum, in the material plane.
 *
 * Heights at irregular points are put on a regular grid through the triangles, a smooth part (a quadratic surface: the
 * bulge of the solid, a tilt) is taken away, the rim is faded out (Hann), and the rest is transformed. The power in rings
 * |k| … |k|+dk is the spectrum. Its peak, as the mean of k over the part above half of it, gives the wavelength: for
 * parallel waves that is their wave number, for labyrinths the mean over their width.
 *
 * Fading broadens a peak to about 1.5/L, so a pattern needs some three waves to be measured to a few per cent.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";

/** A pattern of wrinkles on a part of the plane. */
export interface Pattern {
  /** m, in the material. */
  readonly wavelength: number;
  /** m: √2 times the root mean square of the heights, the smooth part taken away; of a sine its amplitude. */
  readonly amplitude: number;
  /** 1: all waves run one way; 0: as much in every direction, or in two perpendicular ones. */
  readonly order: number;
  /** rad, −π/2 … π/2: the direction in which most waves run, from u. */
  readonly angle: number;
  /** Power (m²·m) per wave number (1/m, waves not radians). */
  readonly k: Float64Array;
  readonly power: Float64Array;
}

/** Points with material coordinates, triangles between them. */
export interface Plane {
  readonly n: number;
  readonly uv: ReadonlyF64; // [2n] m
  readonly triangles: ReadonlyI32;
}

/** Samples across the shorter side: eight per wave when there are eight waves. */
const GRID = 64;
/** Of barycentric coordinates, for rounding: samples on an edge belong to both triangles. */
const SLACK = 1e-9;
/** Pivot over the largest entry under which the samples do not tell two functions apart. */
const SINGULAR = 1e-12;
/** The transform is this many times longer than the data, so that peaks are found between its own steps. */
const PADDING = 4;

/**
 * The pattern of heights z over the material plane.
 *
 * @param z  [n] m
 * @example
 * const { wavelength } = wrinklePattern(sheet, sheet.uv.map((_, i) => Y[3 * i + 2]));
 */
export function wrinklePattern(plane: Plane, z: ReadonlyF64): Pattern {
  const map = heightMap(plane, z);
  const { columns, rows, step } = map;
  const amplitude = Math.SQRT2 * removeQuadratic(map);
  const width = powerOfTwo(PADDING * columns);
  const height = rows === 1 ? 1 : powerOfTwo(PADDING * rows);
  const re = new Float64Array(width * height);
  for (let j = 0; j < rows; j++)
    for (let i = 0; i < columns; i++)
      re[j * width + i] =
        map.inside[j * columns + i] * map.z[j * columns + i] * hann(i, columns) * hann(j, rows);
  const im = new Float64Array(width * height);
  transformPlane(re, im, width, height);

  // rings of one step of the longer side
  const dk = 1 / (step * Math.max(width, height));
  const most = Math.floor(1 / (2 * step) / dk);
  const power = new Float64Array(most);
  let cos2 = 0;
  let sin2 = 0;
  let whole = 0;
  for (let j = 0; j < height; j++)
    for (let i = 0; i < width; i++) {
      const kx = (i < width / 2 ? i : i - width) / (width * step);
      const ky = height === 1 ? 0 : (j < height / 2 ? j : j - height) / (height * step);
      const k = Math.hypot(kx, ky);
      const ring = Math.round(k / dk);
      const P = re[j * width + i] ** 2 + im[j * width + i] ** 2;
      if (ring < most) power[ring] += P;
      if (k < dk) continue;
      whole += P;
      cos2 += (P * (kx * kx - ky * ky)) / (k * k);
      sin2 += (P * 2 * kx * ky) / (k * k);
    }
  power[0] = 0;
  const k = Float64Array.from(power, (_, ring) => ring * dk);
  return {
    wavelength: 1 / peak(k, power),
    amplitude,
    order: whole > 0 ? Math.hypot(cos2, sin2) / whole : 0,
    angle: 0.5 * Math.atan2(sin2, cos2),
    k,
    power,
  };
}

/**
 * The wavelength of a line z(u) with samples anywhere, each of some weight (its length or area).
 *
 * @param shortest  m: waves shorter than this are not looked for; four spacings is the least that samples can tell
 * @returns m; NaN without waves
 */
export function lineWavelength(
  u: ReadonlyF64,
  z: ReadonlyF64,
  weight: ReadonlyF64,
  shortest: number,
): number {
  const n = u.length;
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < n; i++) {
    low = Math.min(low, u[i]);
    high = Math.max(high, u[i]);
  }
  const L = high - low;
  // least squares of 1, s, s² with s from −1 to 1
  const basis = (i: number): number[] => {
    const s = (2 * (u[i] - low)) / L - 1;
    return [1, s, s * s];
  };
  const rest = residuals(n, basis, 3, z, weight);
  const dk = 1 / (8 * L);
  const most = Math.max(5, Math.floor(1 / (shortest * dk)));
  const power = new Float64Array(most);
  const k = new Float64Array(most);
  for (let q = 4; q < most; q++) {
    let a = 0;
    let b = 0;
    k[q] = q * dk;
    for (let i = 0; i < n; i++) {
      const s = (u[i] - low) / L;
      const w = weight[i] * rest[i] * Math.sin(Math.PI * s) ** 2;
      a += w * Math.cos(2 * Math.PI * k[q] * (u[i] - low));
      b += w * Math.sin(2 * Math.PI * k[q] * (u[i] - low));
    }
    power[q] = a * a + b * b;
  }
  return 1 / peak(k, power);
}

/** The mean of k over the stretch around the highest power that is above half of it. */
function peak(k: Float64Array, power: Float64Array): number {
  let top = 0;
  for (let q = 1; q < power.length; q++) if (power[q] > power[top]) top = q;
  if (!(power[top] > 0)) return Number.NaN;
  let from = top;
  let to = top;
  while (from > 0 && power[from - 1] > 0.5 * power[top]) from--;
  while (to + 1 < power.length && power[to + 1] > 0.5 * power[top]) to++;
  let sum = 0;
  let whole = 0;
  for (let q = from; q <= to; q++) {
    const over = power[q] - 0.5 * power[top]; // fades in and out, so that the ends of the stretch do not matter
    sum += over * k[q];
    whole += over;
  }
  return sum / whole;
}

function hann(i: number, count: number): number {
  return count === 1 ? 1 : Math.sin((Math.PI * (i + 0.5)) / count) ** 2;
}

function powerOfTwo(x: number): number {
  let p = 1;
  while (p < x) p *= 2;
  return p;
}

// ------------------------------------------------------------------------------------------- heights

interface HeightMap {
  readonly columns: number;
  readonly rows: number;
  /** m */
  readonly step: number;
  /** Corner of the first sample's cell, m. */
  readonly u0: number;
  readonly v0: number;
  readonly z: Float64Array;
  /** 1 where a triangle covers the sample. */
  readonly inside: Uint8Array;
}

/** z on a regular grid over the box of uv, linear in every triangle. */
function heightMap({ uv, triangles, n }: Plane, z: ReadonlyF64): HeightMap {
  let [u0, v0, u1, v1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < n; i++) {
    u0 = Math.min(u0, uv[2 * i]);
    u1 = Math.max(u1, uv[2 * i]);
    v0 = Math.min(v0, uv[2 * i + 1]);
    v1 = Math.max(v1, uv[2 * i + 1]);
  }
  const short = Math.min(u1 - u0, v1 - v0);
  const long = Math.max(u1 - u0, v1 - v0);
  // a strip has fewer samples across and no more than 512 along
  const step = Math.max(short / GRID, long / 512);
  const columns = Math.max(1, Math.round((u1 - u0) / step));
  const rows = Math.max(1, Math.round((v1 - v0) / step));
  const map = new Float64Array(columns * rows);
  const inside = new Uint8Array(columns * rows);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [triangles[t], triangles[t + 1], triangles[t + 2]];
    const [ax, ay] = [uv[2 * a], uv[2 * a + 1]];
    const [bx, by] = [uv[2 * b] - ax, uv[2 * b + 1] - ay];
    const [cx, cy] = [uv[2 * c] - ax, uv[2 * c + 1] - ay];
    const area = bx * cy - by * cx;
    const left = Math.max(0, Math.floor((ax + Math.min(0, bx, cx) - u0) / step - 0.5));
    const right = Math.min(columns - 1, Math.ceil((ax + Math.max(0, bx, cx) - u0) / step - 0.5));
    const low = Math.max(0, Math.floor((ay + Math.min(0, by, cy) - v0) / step - 0.5));
    const high = Math.min(rows - 1, Math.ceil((ay + Math.max(0, by, cy) - v0) / step - 0.5));
    for (let j = low; j <= high; j++)
      for (let i = left; i <= right; i++) {
        const x = u0 + (i + 0.5) * step - ax;
        const y = v0 + (j + 0.5) * step - ay;
        const beta = (x * cy - y * cx) / area;
        const gamma = (bx * y - by * x) / area;
        if (beta < -SLACK || gamma < -SLACK || beta + gamma > 1 + SLACK) continue;
        map[j * columns + i] = (1 - beta - gamma) * z[a] + beta * z[b] + gamma * z[c];
        inside[j * columns + i] = 1;
      }
  }
  return { columns, rows, step, u0, v0, z: map, inside };
}

/** Takes the best quadratic surface away; root mean square of what is left, m. */
function removeQuadratic({ columns, rows, z, inside }: HeightMap): number {
  const n = z.length;
  const basis = (p: number): number[] => {
    const s = (2 * ((p % columns) + 0.5)) / columns - 1;
    const t = (2 * (Math.floor(p / columns) + 0.5)) / rows - 1;
    return [1, s, s * s, t, s * t, t * t];
  };
  const weight = Float64Array.from(inside);
  const rest = residuals(n, basis, rows === 1 ? 3 : 6, z, weight);
  let sum = 0;
  let count = 0;
  for (let p = 0; p < n; p++) {
    z[p] = inside[p] ? rest[p] : 0;
    sum += z[p] * z[p];
    count += inside[p];
  }
  return Math.sqrt(sum / Math.max(1, count));
}

/** z minus its weighted least-squares fit by `count` functions. */
function residuals(
  n: number,
  basis: (i: number) => number[],
  count: number,
  z: ReadonlyF64,
  weight: ReadonlyF64,
): Float64Array {
  const A = Array.from({ length: count }, () => new Float64Array(count + 1));
  for (let i = 0; i < n; i++) {
    if (!(weight[i] > 0)) continue;
    const f = basis(i);
    for (let r = 0; r < count; r++) {
      for (let c = 0; c < count; c++) A[r][c] += weight[i] * f[r] * f[c];
      A[r][count] += weight[i] * f[r] * z[i];
    }
  }
  const x = solveSmall(A);
  const out = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const f = basis(i);
    let fit = 0;
    for (let r = 0; r < count; r++) fit += x[r] * f[r];
    out[i] = z[i] - fit;
  }
  return out;
}

/** Gauss with pivots on [A | b]; functions that the samples cannot tell apart get 0. */
function solveSmall(A: Float64Array[]): Float64Array {
  const n = A.length;
  const x = new Float64Array(n);
  const scale = Math.max(...A.map((row, r) => row[r]));
  const used: number[] = [];
  for (let c = 0; c < n; c++) {
    let best = -1;
    for (let r = 0; r < n; r++)
      if (!used.includes(r) && (best < 0 || Math.abs(A[r][c]) > Math.abs(A[best][c]))) best = r;
    if (best < 0 || !(Math.abs(A[best][c]) > SINGULAR * scale)) {
      used.push(-1);
      continue;
    }
    used.push(best);
    for (let r = 0; r < n; r++) {
      if (r === best) continue;
      const f = A[r][c] / A[best][c];
      for (let k = c; k <= n; k++) A[r][k] -= f * A[best][k];
    }
  }
  for (let c = 0; c < n; c++) if (used[c] >= 0) x[c] = A[used[c]][n] / A[used[c]][c];
  return x;
}

// ---------------------------------------------------------------------------------------- transforms

/**
 * In place: the discrete Fourier transform X_k = Σ x_j e^{−2πi jk/n}, n a power of two (Cooley, Tukey).
 * `stride` and `offset` pick a row or a column of a plane.
 */
export function fft(
  re: Float64Array,
  im: Float64Array,
  n: number = re.length,
  offset = 0,
  stride = 1,
): void {
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    const [p, q] = [offset + i * stride, offset + j * stride];
    [re[p], re[q]] = [re[q], re[p]];
    [im[p], im[q]] = [im[q], im[p]];
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; k++) {
      const c = Math.cos((2 * Math.PI * k) / size);
      const s = -Math.sin((2 * Math.PI * k) / size);
      for (let i = k; i < n; i += size) {
        const p = offset + i * stride;
        const q = offset + (i + half) * stride;
        const x = c * re[q] - s * im[q];
        const y = s * re[q] + c * im[q];
        re[q] = re[p] - x;
        im[q] = im[p] - y;
        re[p] += x;
        im[p] += y;
      }
    }
  }
}

function transformPlane(re: Float64Array, im: Float64Array, width: number, height: number): void {
  for (let j = 0; j < height; j++) fft(re, im, width, j * width, 1);
  if (height > 1) for (let i = 0; i < width; i++) fft(re, im, height, i, width);
}
