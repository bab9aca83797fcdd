/**
 * The lowest vibrations of a sheet about an equilibrium: H v = ω² M v, H the exact second derivative of the energy there.
 *
 * Subspace iteration: solve H x = M v for a handful of vectors, make them orthogonal in the small (Rayleigh–Ritz), repeat. The
 * solves are conjugate gradients preconditioned by a factorisation of nearly the same matrix (direct.ts), so each takes a few
 * products. No time step is involved: what is off is the mesh.
 */
import { conjugateGradients, prepareCg } from "../linalg/cg.ts";
import { createRandom } from "../sheet/random.ts";
import type { Simulation } from "../simulation.ts";
import { directPreconditioner } from "../step/direct.ts";
import { prepare } from "../step/incremental-potential.ts";
import { gradient, hessianProduct } from "../step/minimise.ts";

export interface Mode {
  /** rad/s */
  omega: number;
  /** [3n] */
  shape: Float64Array;
}

/** Inertia of a step so long that it does not matter. */
const STILL = 1e9;

export function lowestModes({ system }: Simulation, count: number): Mode[] {
  const { state, work, m, n, pins } = system;
  const size = 3 * n;
  const potential = prepare(system, STILL, false, system.h * state.steps);
  gradient(state.Y, potential, work.minimise);
  const { A } = work.minimise;
  A.values.set(potential.base.values);
  for (const set of potential.sets) set.addStress?.(A, false);
  const direct = directPreconditioner(system);
  direct.update(work.minimise, potential);

  // products and solves run in the system's memory, which kernels want
  const [from, to] = [work.predicted, work.minimise.Ad];
  const product = (y: Float64Array, x: Float64Array): void => {
    from.set(x);
    hessianProduct(to, potential, work.minimise, from);
    y.set(to);
  };
  const cg = prepareCg(
    {
      f64: (length) => new Float64Array(length),
      f32: (length) => new Float32Array(length),
      i32: (length) => new Int32Array(length),
      u8: (length) => new Uint8Array(length),
      copyF64: (a) => Float64Array.from(a as Float64Array),
      copyI32: (a) => Int32Array.from(a as Int32Array),
    },
    size,
  );
  const random = createRandom(1);
  const width = count + 6; // spare vectors, so that the last wanted mode converges as fast as the first
  let V = Array.from({ length: width }, () =>
    Float64Array.from({ length: size }, (_, k) => (pins.fixed[k] ? 0 : 2 * random() - 1)),
  );
  const weighted = (x: Float64Array): Float64Array =>
    Float64Array.from(x, (v, k) => (pins.fixed[k] ? 0 : v * m[Math.floor(k / 3)]));
  let values = new Float64Array(width);
  for (let round = 0; round < 60; round++) {
    const X = V.map((v) => {
      const x = new Float64Array(size);
      conjugateGradients(x, weighted(v), product, (z, r) => direct.apply(z, r, work.minimise), cg, {
        tolerance: 1e-8,
        maxIterations: 200,
      });
      return x;
    });
    // Rayleigh–Ritz: the small problem in the span of X
    const HX = X.map((x) => {
      const y = new Float64Array(size);
      product(y, x);
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
    let change = 0;
    for (let i = 0; i < count; i++) change = Math.max(change, Math.abs(values[i] / before[i] - 1));
    if (change < 1e-7) break;
  }
  return V.slice(0, count).map((shape, i) => ({ omega: Math.sqrt(Math.max(0, values[i])), shape }));
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
