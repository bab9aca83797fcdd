/**
 * Minimises the incremental potential by projected Newton with conjugate gradients.
 *
 *   Φ(Y) = ½ Σᵢ aᵢ|Yᵢ|² − b·Y + ½ YᵀKY + Σ_sets Σψ(g)          a: inertia and drag, b: their targets and the forces
 *
 * Each iteration solves (A ⊗ I₃ + Σ JᵀWJ) p = −∇Φ, A = K + diag(a) + geometric stiffness clamped to positive
 * semidefinite, and goes along p as far as Armijo's rule and the sets (contact) allow. The quadratic part of Φ(Y + tp)
 * is taken in closed form: as plain differences it would drown in the rounding of a|Y|² at small steps.
 *
 * Without the geometric stiffness a hanging sheet takes ten times the iterations; unclamped, a compressed one has
 * directions of negative curvature. Held coordinates are left out by a mask.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { type RowOperations, rowOperations } from "../linalg/rows.ts";
import { type SingleOperations, singleOperations } from "../linalg/single.ts";
import { createSparse, type SparseMatrix, type SparsePattern } from "../linalg/sparse.ts";
import { type Vectors, vectors } from "../linalg/vectors.ts";
import { retract } from "../system/frame-membrane.ts";
import type { RowSet } from "../system/system.ts";

/** The quadratic part, and everything that is a row set. */
export interface Potential {
  readonly n: number;
  /** K + diag(a), N/m, on the pattern of A. */
  readonly base: SparseMatrix;
  /** Where the diagonal entries are. */
  readonly diagonal: Int32Array;
  /** [3n] N: linear part, so that the quadratic gradient is base·Y − b. */
  readonly b: Float64Array;
  readonly sets: readonly RowSet[];
  readonly fixed: Uint8Array;
  /** Samples whose frames turn rather than move along a step (system/frame-membrane.ts). */
  readonly framed?: number;
  /** Whether inner solves may multiply in single precision. */
  single?: boolean;
}

export interface MinimiseOptions {
  /** m: stop when a full Newton step moves no point further than this. */
  moveTolerance: number;
  /** J: and when what the inner solve leaves is less than this. A stiff corner can hide a soft sheet from a relative residual. */
  energyTolerance: number;
  maxIterations: number;
  /** Relative residual of the inner solves, first and (once Newton is close) last. */
  cgTolerance: number;
  cgMax: number;
  /** [3n] m: a motion that the next inner solve tries first, if there is a likely one. A sheet that creeps goes on as it did. */
  guess?: ReadonlyF64 | null;
}

export interface MinimiseReport {
  iterations: number;
  cgIterations: number;
  converged: boolean;
  /** m: the last Newton step before anything shortened it, which is what may still be missing; Infinity if the model was not trusted that far. */
  lastMove: number;
  /** How often the line search halved a step. */
  halvings: number;
  finite: boolean;
}

export interface Preconditioner {
  /** Takes the matrix of this Newton iteration. */
  update(work: MinimiseWork, potential: Potential): void;
  /** z = P⁻¹ r. */
  apply(z: Float64Array, r: ReadonlyF64, work: MinimiseWork): void;
}

/** The loops, in TypeScript or in the kernels. */
export type Operations = Vectors & RowOperations & SingleOperations;
export const operations: Operations = { ...vectors, ...rowOperations, ...singleOperations };

export interface MinimiseWork {
  ops: Operations;
  readonly A: SparseMatrix;
  readonly gradient: Float64Array; // [3n] N
  readonly quadratic: Float64Array; // [3n] N, the part of the quadratic in it: base·Y − b
  readonly held: Int32Array; // [3n] the coordinates that are held, heldCount of them
  heldCount: number;
  readonly p: Float64Array; // [3n] m, the step
  readonly residual: Float64Array; // [3n] of the inner solve
  readonly z: Float64Array; // [3n]
  readonly d: Float64Array; // [3n] search direction of the inner solve
  readonly Ad: Float64Array; // [3n]
  readonly trial: Float64Array; // [3n] m
  readonly delta: Float64Array; // [3n] m, trial − Y
  readonly blocks: Float64Array; // [6n] inverse 3×3 diagonal blocks
  readonly single: Single;
  readonly report: MinimiseReport;
  /** ms spent so far. */
  readonly clock: { evaluate: number; assemble: number; factor: number; solve: number };
}

/** What the products of an inner solve read in single precision (linalg/single.ts), and write. */
interface Single {
  readonly A: Float32Array; // [entries] N/m
  readonly x: Float32Array; // [4n]
  readonly y: Float32Array; // [4n]
}

export function prepareMinimise(memory: Allocator, pattern: SparsePattern): MinimiseWork {
  const n = pattern.rows;
  return {
    ops: operations,
    A: createSparse(memory, pattern),
    gradient: memory.f64(3 * n),
    quadratic: memory.f64(3 * n),
    held: memory.i32(3 * n),
    heldCount: 0,
    p: memory.f64(3 * n),
    residual: memory.f64(3 * n),
    z: memory.f64(3 * n),
    d: memory.f64(3 * n),
    Ad: memory.f64(3 * n),
    trial: memory.f64(3 * n),
    delta: memory.f64(3 * n),
    blocks: memory.f64(6 * n),
    single: {
      A: memory.f32(pattern.index.length),
      x: memory.f32(4 * n),
      y: memory.f32(4 * n),
    },
    report: {
      iterations: 0,
      cgIterations: 0,
      converged: false,
      lastMove: 0,
      halvings: 0,
      finite: true,
    },
    clock: { evaluate: 0, assemble: 0, factor: 0, solve: 0 },
  };
}

/** Block-Jacobi: exact 3×3 diagonal blocks. Best at small time steps. */
export const blockJacobi: Preconditioner = {
  update(work, { diagonal, sets, fixed }) {
    const { A, blocks, ops } = work;
    blocks.fill(0);
    for (let i = 0; i < diagonal.length; i++) {
      const a = A.values[diagonal[i]];
      blocks[6 * i] = a;
      blocks[6 * i + 3] = a;
      blocks[6 * i + 5] = a;
    }
    for (let s = 0; s < sets.length; s++) ops.addNormalDiagonal(blocks, sets[s], sets[s].weight);
    ops.invertDiagonal(blocks, fixed);
  },
  apply(z, r, work) {
    work.ops.applyDiagonal(z, work.blocks, r);
  },
};

/** From this iteration on the geometric stiffness is exact: buckling sheets leave saddles along negative curvature. */
const EXACT_FROM = 6;
/** Armijo's constant: the share of the predicted decrease that must be real. */
const ARMIJO = 1e-4;
/** Share of moveTolerance that a sheet at rest may leave for the next step, of the lightest of equal points. */
const LEFT = 0.05;
/** Below 2⁻²⁰ of a Newton step the direction is noise. */
const MAX_HALVINGS = 20;
/** At most by this factor does one bad step lessen the trust in the model. */
const SHRINK = 0.02;

/** Moves Y to a minimum of the potential. Allocates nothing. */
export function minimise(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  options: MinimiseOptions,
): MinimiseReport {
  const { sets, fixed } = potential;
  const { report, p, trial, clock } = work;
  report.iterations = 0;
  report.cgIterations = 0;
  report.converged = false;
  report.finite = true;
  report.lastMove = 0;
  report.halvings = 0;

  let t0 = performance.now();
  gradient(Y, potential, work);
  clock.evaluate += performance.now() - t0;
  let cgTolerance = options.cgTolerance;
  let radius = Number.POSITIVE_INFINITY; // m: how far the quadratic model is trusted
  for (let iteration = 0; iteration < options.maxIterations; iteration++) {
    // the matrix of this iteration
    t0 = performance.now();
    assemble(potential, work, true); // clamped also for the preconditioner, which must be positive definite
    preconditioner.update(work, potential);
    if (iteration >= EXACT_FROM) assemble(potential, work, false);
    if (potential.single) toSingle(potential, work);
    let t1 = performance.now();
    clock.assemble += t1 - t0;

    const done = conjugateGradients(potential, work, preconditioner, cgTolerance, radius, options);
    options.guess = null;
    report.cgIterations += done;
    t0 = performance.now();
    clock.solve += t0 - t1;

    // line search: quadratic part in closed form, the rest by evaluation
    const { gradient: g, quadratic } = work;
    let slope = 0;
    let slopeQuadratic = 0;
    let move = 0;
    for (let k = 0; k < p.length; k++) {
      slope += g[k] * p[k];
      slopeQuadratic += quadratic[k] * p[k];
      const a = p[k] < 0 ? -p[k] : p[k];
      if (a > move) move = a;
    }
    if (!(slope <= 0) || !(move < Infinity)) {
      report.finite = !Number.isNaN(slope) && move < Infinity;
      break;
    }
    const framed = potential.framed ?? 0;
    if (framed === 0) work.ops.multiplyScalar3(work.Ad, potential.base, p);
    const curvature = framed === 0 ? work.ops.dot(p, work.Ad) : 0;
    let t = 1;
    for (let s = 0; s < sets.length; s++) {
      const most = sets[s].maxStep?.(Y, p) ?? 1;
      if (most < t) t = most;
    }
    const free = t;
    const energy = energyNow(Y, sets); // after maxStep, which may have renewed what the sets look at
    let accepted = false;
    for (let halving = 0; halving < MAX_HALVINGS; halving++) {
      if (framed > 0) retract(work.delta, framed, Y, t, p);
      for (let k = 0; k < p.length; k++) trial[k] = Y[k] + (framed > 0 ? work.delta[k] : t * p[k]);
      // the first is taken as a rule: its rows are those of the next gradient
      const height = halving === 0 ? evaluate(trial, sets) : rowEnergy(trial, sets);
      const change =
        height -
        energy +
        (framed > 0
          ? turnedQuadratic(potential, work)
          : t * slopeQuadratic + 0.5 * t * t * curvature);
      // rounding of the energies is no reason to stop: allow for it
      if (change <= ARMIJO * t * slope + 1e-14 * Math.abs(energy)) {
        accepted = true;
        break;
      }
      t *= 0.5;
      report.halvings++;
    }
    report.iterations = iteration + 1;
    report.lastMove = move < 0.99 * radius ? move : Number.POSITIVE_INFINITY;
    if (!accepted) {
      evaluate(Y, sets);
      // no descent within rounding: this is the minimum to the precision there is, or the solve was poor
      clock.evaluate += performance.now() - t0;
      if (move <= 10 * options.moveTolerance || cgTolerance < 1e-4) {
        report.converged = report.lastMove <= 10 * options.moveTolerance;
        break;
      }
      cgTolerance *= 0.03;
      continue;
    }
    Y.set(trial);
    work.ops.axpy(quadratic, framed > 0 ? 1 : t, work.Ad);
    if (t < free) evaluate(Y, sets);
    if (free < 1 && stiffen(sets)) evaluate(Y, sets);
    t1 = performance.now();
    clock.evaluate += t1 - t0;
    // a step this short that Armijo halved met rounding, not a hill: at the minimum of a free fall it would be halved for ever
    if (report.lastMove <= options.moveTolerance && free === 1) {
      report.converged = true;
      break;
    }
    rowGradient(potential, work);
    // a step that Armijo shortened shows how far the model holds; whole ones win trust back
    if (t < free) radius = Math.max(SHRINK * move, 2 * t * move, 4 * options.moveTolerance);
    else if (move > 0.5 * radius) radius *= 3;
    // near the end the move is only as true as the inner solve
    if (move < 30 * options.moveTolerance) cgTolerance = Math.min(cgTolerance, 0.1);
  }
  for (let k = 0; k < fixed.length && report.finite; k++)
    if (!(Math.abs(Y[k]) < 1e12)) report.finite = false;
  return report;
}

/** Change of the quadratic part along work.delta, whose product with the matrix is left in work.Ad. */
function turnedQuadratic({ base }: Potential, { ops, delta, Ad, quadratic }: MinimiseWork): number {
  ops.multiplyScalar3(Ad, base, delta);
  return ops.dot(quadratic, delta) + 0.5 * ops.dot(delta, Ad);
}

/** Contact that was pressed thin and stopped the step presses back harder; says whether any did. */
function stiffen(sets: readonly RowSet[]): boolean {
  let any = false;
  for (let s = 0; s < sets.length; s++) if (sets[s].stiffen?.()) any = true;
  return any;
}

/** work.A = K + diag(a) + geometric stiffness, the last clamped to positive semidefinite or exact. */
function assemble({ base, sets }: Potential, { A }: MinimiseWork, clamp: boolean): void {
  A.values.set(base.values);
  for (let s = 0; s < sets.length; s++) sets[s].addStress?.(A, clamp);
}

/** work.gradient = ∇Φ at Y, 0 at held coordinates; evaluates the sets. */
export function gradient(Y: Float64Array, potential: Potential, work: MinimiseWork): void {
  const { fixed, b } = potential;
  const { quadratic, held } = work;
  work.ops.multiplyScalar3(quadratic, potential.base, Y);
  work.heldCount = 0;
  for (let k = 0; k < b.length; k++) {
    quadratic[k] -= b[k];
    if (fixed[k]) held[work.heldCount++] = k;
  }
  for (let s = 0; s < potential.sets.length; s++) potential.sets[s].evaluate(Y);
  rowGradient(potential, work);
}

/** The same where the sets are evaluated and the quadratic part is known. */
function rowGradient({ sets }: Potential, work: MinimiseWork): void {
  const { gradient: g, quadratic, held } = work;
  g.set(quadratic);
  addForces(g, sets, work.ops);
  for (let k = 0; k < work.heldCount; k++) g[held[k]] = 0;
}

/** y += Jᵀψ′ of all sets at the last evaluate. */
export function addForces(y: Float64Array, sets: readonly RowSet[], ops: Operations): void {
  for (let s = 0; s < sets.length; s++) {
    ops.addTransposed(y, sets[s], sets[s].sigma);
    sets[s].addForce?.(y);
  }
}

/** Σψ of all sets. */
function rowEnergy(Y: Float64Array, sets: readonly RowSet[]): number {
  let E = 0;
  for (let s = 0; s < sets.length; s++) E += sets[s].energy(Y);
  return E;
}

/** Evaluates the sets at Y; returns Σψ. */
function evaluate(Y: Float64Array, sets: readonly RowSet[]): number {
  for (let s = 0; s < sets.length; s++) sets[s].evaluate(Y);
  return energyNow(Y, sets);
}

/** Σψ where the sets were evaluated last, which may know theirs. */
function energyNow(Y: Float64Array, sets: readonly RowSet[]): number {
  let E = 0;
  for (let s = 0; s < sets.length; s++) E += sets[s].energyNow?.() ?? sets[s].energy(Y);
  return E;
}

/** Takes the matrix of this iteration in single precision. */
export function toSingle({ sets }: Potential, { ops, A, single }: MinimiseWork): void {
  ops.toSingle(single.A, A.values);
  for (let s = 0; s < sets.length; s++) {
    const rows = sets[s].single;
    if (rows) ops.toScaledRows(rows, sets[s], sets[s].weight);
    sets[s].toSingle?.();
  }
}

/** y = (A ⊗ I₃ + Σ JᵀWJ) x on the free coordinates of the last gradient. */
export function hessianProduct(
  y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  x: ReadonlyF64,
): void {
  const { sets, single } = potential;
  const { ops, held, heldCount } = work;
  if (single) {
    const { A, x: from, y: to } = work.single;
    ops.toPoints(from, x);
    ops.multiplySingle(to, work.A, A, from);
    for (let s = 0; s < sets.length; s++) {
      if (sets[s].single) ops.addSingleRows(to, sets[s], sets[s].single as Float32Array, from);
      sets[s].addProductSingle?.(to, from);
    }
    ops.fromPoints(y, to);
  } else ops.multiplyScalar3(y, work.A, x);
  for (let s = 0; s < sets.length; s++) {
    if (!single || !sets[s].single) ops.addNormalProduct(y, sets[s], sets[s].weight, x);
    if (!single || !sets[s].addProductSingle) sets[s].addProduct?.(y, x);
  }
  for (let k = 0; k < heldCount; k++) y[held[k]] = 0;
}

/**
 * work.p ≈ −H⁻¹ gradient, no coordinate moving further than `radius`; returns the iterations. Where the sheet buckles
 * the matrix has directions of little or negative curvature: the path of the iteration is left where it leaves the
 * radius (Steihaug), and so leads down into the buckle instead of past it.
 */
function conjugateGradients(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  tolerance: number,
  radius: number,
  { cgMax, moveTolerance, energyTolerance, guess }: MinimiseOptions,
): number {
  const { gradient: g, p, residual: r, z, d, Ad, ops } = work;
  p.fill(0);
  for (let k = 0; k < r.length; k++) r[k] = -g[k];
  preconditioner.apply(z, r, work);
  d.set(z);
  let rz = ops.dot(r, z);
  let enough = tolerance * tolerance * rz;
  let iteration = 0;
  if (!(rz > 0)) return 0;
  // at rest what is left need not move any one point
  if (guess) enough = Math.max(enough, (LEFT * LEFT * 3 * energyTolerance) / p.length);
  if (guess && along(guess, potential, work)) {
    iteration = 1;
    preconditioner.apply(z, r, work);
    rz = ops.dot(r, z);
    if (!(rz > enough)) return iteration;
    d.set(z);
  }
  while (iteration < cgMax) {
    hessianProduct(Ad, potential, work, d);
    const dAd = ops.dot(d, Ad);
    iteration++;
    const way = radius < Infinity ? wayOut(p, d, radius) : radius;
    if (!(dAd > 0)) {
      if (way < Infinity) ops.axpy(p, way, d);
      else if (iteration === 1) p.set(d);
      break;
    }
    const alpha = rz / dAd;
    if (alpha > way) {
      ops.axpy(p, way, d);
      break;
    }
    ops.axpy(p, alpha, d);
    ops.axpy(r, -alpha, Ad);
    preconditioner.apply(z, r, work);
    const next = ops.dot(r, z);
    if (!(next > enough) && !(next > energyTolerance && within(p, moveTolerance))) break;
    const beta = next / rz;
    rz = next;
    ops.xpby(d, z, beta);
  }
  return iteration;
}

/** Goes as far along the guess as the quadratic model falls: p and what is left in the residual; false if it does not fall. */
function along(guess: ReadonlyF64, potential: Potential, work: MinimiseWork): boolean {
  const { p, residual: r, z: v, Ad, held, heldCount, ops } = work;
  v.set(guess as Float64Array);
  for (let k = 0; k < heldCount; k++) v[held[k]] = 0;
  const fall = ops.dot(r, v);
  if (!(fall > 0)) return false;
  hessianProduct(Ad, potential, work, v);
  const t = fall / ops.dot(v, Ad);
  if (!(t > 0 && t < Infinity)) return false;
  ops.axpy(p, t, v);
  ops.axpy(r, -t, Ad);
  return true;
}

/** Whether no coordinate is larger than `most`. */
function within(p: ReadonlyF64, most: number): boolean {
  for (let k = 0; k < p.length; k++) if (!(Math.abs(p[k]) <= most)) return false;
  return true;
}

/** The largest t with |p + t·d| ≤ radius in every coordinate. */
function wayOut(p: ReadonlyF64, d: ReadonlyF64, radius: number): number {
  let t = Number.POSITIVE_INFINITY;
  for (let k = 0; k < p.length; k++) {
    const v = d[k];
    if (v === 0) continue;
    const room = v > 0 ? radius - p[k] : radius + p[k];
    if (room < t * Math.abs(v)) t = room / Math.abs(v);
  }
  return t;
}
