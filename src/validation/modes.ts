/**
 * The lowest vibrations of a sheet about an equilibrium: H v = ω² M v, H the exact second derivative of the energy there.
 *
 * Subspace iteration: solve (H + s M) x = M v for a handful of vectors, make them orthogonal in the small (Rayleigh–Ritz), repeat. The solves are
 * direct, so no tolerance of theirs and no time step is in the frequencies: what is off is the mesh.
 */
import { createRandom } from "../sheet/random.ts";
import type { Simulation } from "../simulation.ts";
import { factoredHessian } from "./hessian.ts";

export interface Mode {
  /** 1/s²: ω², negative where the equilibrium is not stable. */
  square: number;
  /** [3n] */
  shape: Float64Array;
}

const MAX_ROUNDS = 300;
/** Relative change of ω² + s in a round at which the modes count as found. */
const FOUND = 1e-6;

/** Throws if they are not found: a test must not pass on what is none. */
export function lowestModes(simulation: Simulation, count: number): Mode[] {
  const { m, n, pins } = simulation.system;
  const size = 3 * n;
  const { multiply, solve, shift } = factoredHessian(simulation);
  const random = createRandom(1);
  const width = 2 * count; // spare vectors: a round divides the error of mode i by ω²(width)/ω²(i), and limp strips have many modes near each other
  let V = Array.from({ length: width }, () =>
    Float64Array.from({ length: size }, (_, k) => (pins.fixed[k] ? 0 : 2 * random() - 1)),
  );
  const weighted = (x: Float64Array): Float64Array =>
    Float64Array.from(x, (v, k) => (pins.fixed[k] ? 0 : v * m[Math.floor(k / 3)]));
  let values = new Float64Array(width);
  let change = Infinity;
  for (let round = 0; round < MAX_ROUNDS && !(change < FOUND); round++) {
    const X = V.map((v) => {
      const x = weighted(v);
      solve(x);
      return x;
    });
    // Rayleigh–Ritz: the small problem in the span of X
    const HX = X.map((x) => {
      const y = new Float64Array(size);
      multiply(y, x);
      return y;
    });
    const MX = X.map(weighted);
    const a = new Float64Array(width * width);
    const b = new Float64Array(width * width);
    for (let i = 0; i < width; i++)
      for (let j = 0; j < width; j++) {
        a[width * i + j] = dot(X[i], HX[j]);
        b[width * i + j] = dot(X[i], MX[j]);
      }
    const small = generalised(a, b, width);
    const before = values;
    values = small.values;
    V = small.vectors.map((c) => {
      const v = new Float64Array(size);
      for (let j = 0; j < width; j++) for (let k = 0; k < size; k++) v[k] += c[j] * X[j][k];
      return v;
    });
    change = 0;
    for (let i = 0; i < count; i++)
      change = Math.max(change, Math.abs((values[i] - before[i]) / (values[i] + shift)));
  }
  if (!(change < FOUND))
    throw new Error(
      `the lowest ${count} modes still change by ${change} after ${MAX_ROUNDS} rounds`,
    );
  return V.slice(0, count).map((shape, i) => ({ square: values[i], shape }));
}

function dot(x: Float64Array, y: Float64Array): number {
  let s = 0;
  for (let k = 0; k < x.length; k++) s += x[k] * y[k];
  return s;
}

/** a c = λ b c, b positive definite: by Cholesky of b and Jacobi's rotations. Values rising. */
function generalised(
  a: Float64Array,
  b: Float64Array,
  n: number,
): { values: Float64Array<ArrayBuffer>; vectors: Float64Array[] } {
  const L = new Float64Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++) {
      let s = b[n * i + j];
      for (let k = 0; k < j; k++) s -= L[n * i + k] * L[n * j + k];
      L[n * i + j] = i === j ? Math.sqrt(Math.max(s, 1e-300)) : s / L[n * j + j];
    }
  // C = L⁻¹ a L⁻ᵀ
  const C = a.slice();
  for (let c = 0; c < n; c++)
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < i; k++) C[n * i + c] -= L[n * i + k] * C[n * k + c];
      C[n * i + c] /= L[n * i + i];
    }
  for (let r = 0; r < n; r++)
    for (let j = 0; j < n; j++) {
      for (let k = 0; k < j; k++) C[n * r + j] -= L[n * j + k] * C[n * r + k];
      C[n * r + j] /= L[n * j + j];
    }
  const Q = new Float64Array(n * n);
  for (let i = 0; i < n; i++) Q[n * i + i] = 1;
  for (let sweep = 0; sweep < 40; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const x = C[n * p + q];
        off = Math.max(
          off,
          Math.abs(x) / Math.sqrt(Math.abs(C[n * p + p] * C[n * q + q]) + 1e-300),
        );
        if (x === 0) continue;
        const theta = (C[n * q + q] - C[n * p + p]) / (2 * x);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < n; k++) {
          const [u, v] = [C[n * k + p], C[n * k + q]];
          C[n * k + p] = c * u - s * v;
          C[n * k + q] = s * u + c * v;
        }
        for (let k = 0; k < n; k++) {
          const [u, v] = [C[n * p + k], C[n * q + k]];
          C[n * p + k] = c * u - s * v;
          C[n * q + k] = s * u + c * v;
          const [e, f] = [Q[n * k + p], Q[n * k + q]];
          Q[n * k + p] = c * e - s * f;
          Q[n * k + q] = s * e + c * f;
        }
      }
    if (off < 1e-14) break;
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => C[n * i + i] - C[n * j + j]);
  const vectors = order.map((col) => {
    const c = Float64Array.from({ length: n }, (_, i) => Q[n * i + col]);
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) c[i] -= L[n * k + i] * c[k];
      c[i] /= L[n * i + i];
    }
    return c;
  });
  return { values: Float64Array.from(order, (i) => C[n * i + i]), vectors };
}
