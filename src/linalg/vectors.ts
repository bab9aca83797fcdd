/**
 * The vector work of iterative solvers: readable twins of kernels/vectors.as.ts.
 *
 * A sum depends on its order, so `dot` fixes one that suits registers of two numbers: eight partial
 * sums, element i going to sum i mod 8, added up in pairs; what is left over comes last, one by one.
 */
import type { ReadonlyF64 } from "./arena.ts";
import { multiplyScalar3, type SparseMatrix } from "./sparse.ts";

/** The operations as one object, so that the kernels can take their place. */
export interface Vectors {
  /** xᵀy. */
  dot(x: ReadonlyF64, y: ReadonlyF64): number;
  /** y += a x. */
  axpy(y: Float64Array, a: number, x: ReadonlyF64): void;
  /** y = x + b y. */
  xpby(y: Float64Array, x: ReadonlyF64, b: number): void;
  /** y = −x. */
  negate(y: Float64Array, x: ReadonlyF64): void;
  /** z = x + y. */
  add(z: Float64Array, x: ReadonlyF64, y: ReadonlyF64): void;
  /** The largest |x| of the first `count` numbers. */
  largest(x: ReadonlyF64, count: number): number;
  /** y = (A ⊗ I₃) x. */
  multiplyScalar3(y: Float64Array, A: SparseMatrix, x: ReadonlyF64): void;
}

export function dot(x: ReadonlyF64, y: ReadonlyF64): number {
  const n = x.length;
  const whole = n - (n % 8);
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let s4 = 0;
  let s5 = 0;
  let s6 = 0;
  let s7 = 0;
  for (let i = 0; i < whole; i += 8) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
    s4 += x[i + 4] * y[i + 4];
    s5 += x[i + 5] * y[i + 5];
    s6 += x[i + 6] * y[i + 6];
    s7 += x[i + 7] * y[i + 7];
  }
  let sum = s0 + s2 + (s4 + s6) + (s1 + s3 + (s5 + s7));
  for (let i = whole; i < n; i++) sum += x[i] * y[i];
  return sum;
}

export function axpy(y: Float64Array, a: number, x: ReadonlyF64): void {
  for (let i = 0; i < x.length; i++) y[i] += a * x[i];
}

export function xpby(y: Float64Array, x: ReadonlyF64, b: number): void {
  for (let i = 0; i < x.length; i++) y[i] = x[i] + b * y[i];
}

export function negate(y: Float64Array, x: ReadonlyF64): void {
  for (let i = 0; i < x.length; i++) y[i] = -x[i];
}

export function add(z: Float64Array, x: ReadonlyF64, y: ReadonlyF64): void {
  for (let i = 0; i < x.length; i++) z[i] = x[i] + y[i];
}

export function largest(x: ReadonlyF64, count: number): number {
  let most = 0;
  for (let i = 0; i < count; i++) {
    const a = Math.abs(x[i]);
    if (most < a) most = a;
  }
  return most;
}

/** The TypeScript versions as one object, used where there are no kernels. */
export const vectors: Vectors = { dot, axpy, xpby, negate, add, largest, multiplyScalar3 };
