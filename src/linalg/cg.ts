/**
 * Preconditioned conjugate gradients for A x = b, A symmetric, given as functions.
 *
 *   r = b − A x,  z = M⁻¹ r,  p = z
 *   α = rᵀz / pᵀAp,  x += α p,  r −= α A p,  z = M⁻¹ r,  β = (rᵀz)' / rᵀz,  p = z + β p
 *
 * Stops when √(rᵀz) ≤ tolerance · √(bᵀM⁻¹b): the residual in the norm of M⁻¹, which a good
 * preconditioner makes close to the error in the norm of A. That costs nothing extra, unlike ‖r‖.
 *
 * The trap: Newton's matrices need not be positive definite. Where pᵀAp ≤ 0 the iteration stops with
 * what it has, which is a descent direction for ½xᵀAx − bᵀx; if it has nothing yet (cold start, first
 * direction) it returns p = M⁻¹b, the preconditioned gradient (Nocedal and Wright, algorithm 7.1).
 *
 * Allocates nothing: the vectors and the report are the workspace's, and the report is overwritten by
 * the next call.
 */
import type { Allocator, ReadonlyF64 } from "./arena.ts";
import { vectors as typescriptVectors, type Vectors } from "./vectors.ts";

/** Writes A x or M⁻¹ x into y; the two never alias. */
export type LinearMap = (y: Float64Array, x: Float64Array) => void;

export type CgEnd = "converged" | "iterations" | "negative-curvature" | "not-finite";

export interface CgReport {
  end: CgEnd;
  /** Products with A, but for the one of a warm start. */
  iterations: number;
  /** √(rᵀz / bᵀM⁻¹b) at the end. */
  residual: number;
}

export interface CgWorkspace {
  readonly r: Float64Array; // [n] residual
  readonly z: Float64Array; // [n] preconditioned residual
  readonly p: Float64Array; // [n] search direction; of negative curvature if that is how it ended
  readonly q: Float64Array; // [n] A p
  readonly report: CgReport;
  vectors: Vectors;
}

export interface CgOptions {
  readonly tolerance: number;
  readonly maxIterations: number;
  /** Start from what x holds; otherwise from 0. */
  readonly warm?: boolean;
}

/** @param vectors  the kernels' if everything lives in their memory */
export function prepareCg(
  memory: Allocator,
  n: number,
  vectors: Vectors = typescriptVectors,
): CgWorkspace {
  return {
    r: memory.f64(n),
    z: memory.f64(n),
    p: memory.f64(n),
    q: memory.f64(n),
    report: { end: "converged", iterations: 0, residual: 0 },
    vectors,
  };
}

/**
 * @param x  in (warm start) and out [n]
 * @param b  [n]; must not alias x
 */
export function conjugateGradients(
  x: Float64Array,
  b: ReadonlyF64,
  apply: LinearMap,
  precondition: LinearMap,
  work: CgWorkspace,
  options: CgOptions,
): CgReport {
  const { r, z, p, q, report, vectors } = work;
  const { tolerance, maxIterations, warm = false } = options;

  r.set(b as Float64Array);
  precondition(z, r);
  const scale = vectors.dot(r, z); // bᵀM⁻¹b
  let rz = scale;
  if (warm) {
    apply(q, x);
    vectors.axpy(r, -1, q);
    precondition(z, r);
    rz = vectors.dot(r, z);
  } else {
    x.fill(0);
  }
  p.set(z);

  report.iterations = 0;
  for (;;) {
    report.residual = scale > 0 ? Math.sqrt(rz / scale) : rz === 0 ? 0 : Number.POSITIVE_INFINITY;
    if (!Number.isFinite(rz)) return ended(report, "not-finite");
    if (rz <= tolerance * tolerance * scale) return ended(report, "converged");
    if (report.iterations === maxIterations) return ended(report, "iterations");

    apply(q, p);
    const curvature = vectors.dot(p, q);
    if (!(curvature > 0)) {
      if (Number.isNaN(curvature)) return ended(report, "not-finite");
      if (report.iterations === 0 && !warm) x.set(p);
      return ended(report, "negative-curvature");
    }
    const alpha = rz / curvature;
    vectors.axpy(x, alpha, p);
    vectors.axpy(r, -alpha, q);
    precondition(z, r);
    const before = rz;
    rz = vectors.dot(r, z);
    vectors.xpby(p, z, rz / before);
    report.iterations++;
  }
}

function ended(report: CgReport, end: CgEnd): CgReport {
  report.end = end;
  return report;
}
