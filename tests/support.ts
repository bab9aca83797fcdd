/**
 * What the tests of the engine share: small sheets and systems, poses, and derivatives by central differences.
 */
import { expect } from "vitest";
import { type Allocator, HEAP, type ReadonlyF64 } from "../src/linalg/arena.ts";
import { createSparse, type SparseMatrix, type SparsePattern } from "../src/linalg/sparse.ts";
import type { SceneInput, ShapeInput, SheetInput } from "../src/scene/input.ts";
import { parseScene, type Vec3 } from "../src/scene/scene.ts";
import { createSheet, type Sheet } from "../src/sheet/kinematics.ts";
import { createRandom } from "../src/sheet/random.ts";
import { createSimulation, type Simulation } from "../src/simulation.ts";

/** An allocator on ordinary memory, for tests that need no kernels. */
export const heap: Allocator = HEAP;

export const square: ShapeInput = { type: "rectangle", width: 1, height: 1 };

/** A scene of one sheet, 100 irregular points on a square metre unless said otherwise; no gravity. */
export function simulationOf(
  sheet: Partial<SheetInput> = {},
  scene: SceneInput = {},
  options: { kernels?: boolean } = {},
): Simulation {
  return createSimulation(
    parseScene({
      gravity: 0,
      sheet: { shape: square, sampling: { points: 100 }, ...sheet },
      ...scene,
    }),
    options,
  );
}

/** The sheet of that scene alone; made once, since nobody changes a sheet. */
export function sheetOf(sheet: Partial<SheetInput>): Sheet {
  const key = JSON.stringify(sheet);
  const known = sheets.get(key);
  if (known) return known;
  const scene = parseScene({ sheet: { shape: square, sampling: { points: 100 }, ...sheet } });
  const made = createSheet(scene.sheets, scene.seed);
  sheets.set(key, made);
  return made;
}
const sheets = new Map<string, Sheet>();

/** The shapes on which local things must hold: flat and irregular, flat and regular, closed, sewn. */
export const shapes: readonly { name: string; sheet: Partial<SheetInput> }[] = [
  { name: "an irregular square", sheet: { sampling: { points: 60 } } },
  { name: "a grid", sheet: { sampling: { type: "grid", points: 49 } } },
  {
    name: "a disc of two rings",
    sheet: {
      shape: { type: "disc", radius: 0.5 },
      sampling: { points: 60 },
      neighbourhood: { rings: 2 },
    },
  },
  {
    name: "a tube",
    sheet: { shape: { type: "tube", radius: 0.2, height: 0.6 }, sampling: { points: 80 } },
  },
  { name: "two sewn panels", sheet: { shape: sewnPanels(), sampling: { points: 90 } } },
];

/** Front and back, sewn at both sides: a flat sleeve whose points on the seams have coordinates in both. */
export function sewnPanels(): ShapeInput {
  const points: [number, number][] = [
    [0, 0],
    [0.5, 0],
    [0.5, 0.6],
    [0, 0.6],
  ];
  return {
    type: "garment",
    panels: [
      { name: "front", points, place: { position: [0, 0, 0] } },
      { name: "back", points, place: { position: [0.5, 0, -0.1], rotation: [0, 180, 0] } },
    ],
    seams: [
      { from: "front:e1", to: "back:e3" },
      { from: "front:e3", to: "back:e1" },
    ],
    sewing: { seconds: 0 },
  };
}

/** Positions from the material coordinates of every point. */
export function pose(sheet: Sheet, at: (u: number, v: number) => Vec3): Float64Array {
  const Y = new Float64Array(3 * sheet.n);
  for (let i = 0; i < sheet.n; i++) Y.set(at(sheet.uv[2 * i], sheet.uv[2 * i + 1]), 3 * i);
  return Y;
}

/** Numbers in ±size. */
export function randomVector(length: number, seed: number, size = 1): Float64Array {
  const next = createRandom(seed);
  return Float64Array.from({ length }, () => size * (2 * next() - 1));
}

/** The rest shape, every coordinate moved by up to `amount` spacings. */
export function randomPose(sheet: Sheet, seed: number, amount = 0.3): Float64Array {
  const next = createRandom(seed);
  return Float64Array.from(
    { length: 3 * sheet.n },
    (_, k) => sheet.rest[k] + amount * sheet.spacing[Math.floor(k / 3)] * (2 * next() - 1),
  );
}

/** Rotation by the rotation vector, as a row-major matrix (Rodrigues). */
export function rotation([x, y, z]: Vec3): number[] {
  const angle = Math.hypot(x, y, z);
  const [a, b, c] = angle > 0 ? [x / angle, y / angle, z / angle] : [1, 0, 0];
  const [s, k] = [Math.sin(angle), 1 - Math.cos(angle)];
  return [
    1 - k * (b * b + c * c),
    k * a * b - s * c,
    k * a * c + s * b,
    k * a * b + s * c,
    1 - k * (a * a + c * c),
    k * b * c - s * a,
    k * a * c - s * b,
    k * b * c + s * a,
    1 - k * (a * a + b * b),
  ];
}

/** R Y + t of every point. */
export function moved(Y: ReadonlyF64, R: number[], t: Vec3 = [0, 0, 0]): Float64Array {
  const out = new Float64Array(Y.length);
  for (let k = 0; k < Y.length; k += 3)
    for (let c = 0; c < 3; c++)
      out[k + c] = R[3 * c] * Y[k] + R[3 * c + 1] * Y[k + 1] + R[3 * c + 2] * Y[k + 2] + t[c];
  return out;
}

/** a + s b */
export function plus(a: ReadonlyF64, s: number, b: ReadonlyF64): Float64Array {
  return Float64Array.from(a as Float64Array, (x, k) => x + s * b[k]);
}

export function dotOf(a: ReadonlyF64, b: ReadonlyF64): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
}

export function largest(a: ArrayLike<number>): number {
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k])); // NaN stays NaN
  return most;
}

export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let most = 0;
  for (let k = 0; k < a.length; k++) most = Math.max(most, Math.abs(a[k] - b[k]));
  return most;
}

export function total(a: ArrayLike<number>): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k];
  return sum;
}

/** (f(Y + eps dY) − f(Y − eps dY)) / 2 eps agrees with gradient·dY to `tol` of the sum of its terms. */
export function expectDirectional(
  f: (Y: Float64Array) => number,
  gradient: ReadonlyF64,
  Y: ReadonlyF64,
  dY: ReadonlyF64,
  { eps = 1e-6, tol = 1e-6 }: { eps?: number; tol?: number } = {},
): void {
  const difference = (f(plus(Y, eps, dY)) - f(plus(Y, -eps, dY))) / (2 * eps);
  let scale = 0;
  for (let k = 0; k < Y.length; k++) scale += Math.abs(gradient[k] * dY[k]);
  expect(Math.abs(difference - dotOf(gradient, dY))).toBeLessThan(tol * scale);
}

/** J dY of rows laid out in blocks (system.ts). */
export function rowsTimes(
  R: { rowsPer: number; blocks: number; start: Int32Array; index: Int32Array; J: Float64Array },
  dY: ReadonlyF64,
): Float64Array {
  const out = new Float64Array(R.rowsPer * R.blocks);
  for (let b = 0; b < R.blocks; b++)
    for (let e = R.start[b]; e < R.start[b + 1]; e++)
      for (let r = 0; r < R.rowsPer; r++)
        for (let c = 0; c < 3; c++)
          out[R.rowsPer * b + r] += R.J[3 * (R.rowsPer * e + r) + c] * dY[3 * R.index[e] + c];
  return out;
}

/** Jᵀ s. */
export function rowsTransposed(
  R: { rowsPer: number; blocks: number; start: Int32Array; index: Int32Array; J: Float64Array },
  s: ReadonlyF64,
  length: number,
): Float64Array {
  const out = new Float64Array(length);
  for (let b = 0; b < R.blocks; b++)
    for (let e = R.start[b]; e < R.start[b + 1]; e++)
      for (let r = 0; r < R.rowsPer; r++)
        for (let c = 0; c < 3; c++)
          out[3 * R.index[e] + c] += R.J[3 * (R.rowsPer * e + r) + c] * s[R.rowsPer * b + r];
  return out;
}

/** A pattern that holds every pair, for tests that look at whole matrices. */
export function fullPattern(n: number): SparsePattern {
  const start = Int32Array.from({ length: n + 1 }, (_, i) => n * i);
  const index = Int32Array.from({ length: n * n }, (_, k) => k % n);
  return { rows: n, columns: n, start, index };
}

export function emptyMatrix(pattern: SparsePattern): SparseMatrix {
  return createSparse(heap, pattern);
}

/** Dense rows of a sparse matrix. */
export function dense({ rows, columns, start, index, values }: SparseMatrix): Float64Array {
  const out = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let p = start[i]; p < start[i + 1]; p++) out[columns * i + index[p]] += values[p];
  return out;
}

/** Eigenvalues of a dense symmetric matrix, rising, by Jacobi's rotations. */
export function eigenvalues(matrix: Float64Array, n: number): Float64Array {
  const A = matrix.slice();
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    let all = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        all += A[n * i + j] ** 2;
        if (i !== j) off += A[n * i + j] ** 2;
      }
    if (off <= 1e-28 * all) break;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = A[n * p + q];
        if (apq === 0) continue;
        const theta = (A[n * q + q] - A[n * p + p]) / (2 * apq);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < n; k++) {
          const [x, y] = [A[n * k + p], A[n * k + q]];
          A[n * k + p] = c * x - s * y;
          A[n * k + q] = s * x + c * y;
        }
        for (let k = 0; k < n; k++) {
          const [x, y] = [A[n * p + k], A[n * q + k]];
          A[n * p + k] = c * x - s * y;
          A[n * q + k] = s * x + c * y;
        }
      }
  }
  return Float64Array.from({ length: n }, (_, i) => A[n * i + i]).sort();
}

/** Points whose two rings do not reach the boundary. */
export function interior(sheet: Sheet, rings = 1): number[] {
  let outer = Uint8Array.from(sheet.boundary);
  for (let k = 1; k < rings; k++) {
    const next = outer.slice();
    for (let e = 0; e < sheet.edges.length; e += 2) {
      if (outer[sheet.edges[e]]) next[sheet.edges[e + 1]] = 1;
      if (outer[sheet.edges[e + 1]]) next[sheet.edges[e]] = 1;
    }
    outer = next;
  }
  return Array.from({ length: sheet.n }, (_, i) => i).filter((i) => !outer[i]);
}

/** Equal bit for bit, −0 and NaN included. */
export function sameBits(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  const left = new BigInt64Array(a.slice().buffer);
  const right = new BigInt64Array(b.slice().buffer);
  return left.every((bits, k) => bits === right[k]);
}
