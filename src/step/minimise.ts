/**
 * Minimises the incremental potential by projected Newton with conjugate gradients.
 *
 * Each iteration solves (A ⊗ I₃ + Σ JᵀWJ) p = −∇Φ (potential.ts), A = K + diag(a) + geometric stiffness clamped to positive
 * semidefinite, and goes along p as far as Armijo's rule and contact (step-limit.ts) allow. The quadratic part of Φ(Y + tp)
 * is taken in closed form: as plain differences it would drown in the rounding of a|Y|² at small steps.
 *
 * Without the geometric stiffness a hanging sheet takes ten times the iterations; unclamped, a compressed one has
 * directions of negative curvature. Held coordinates are left out by a mask.
 *
 * Solved means that the predicted decrease ½|gᵀp| of a whole step is within the tolerance, that the step moves no point further than the
 * tolerance, and that nothing cut it; where the weights of the points are given, the residual force along every contact must be small against
 * them as well. A step that contact or the line search cut short is never a small one.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { retract } from "../system/frame-membrane.ts";
import type { RowSet } from "../system/system.ts";
import { continueSolve, restartSolve, startSolve } from "./inner-solve.ts";
import {
  assemble,
  energyNow,
  evaluate,
  gradient,
  type MinimiseReport,
  type MinimiseWork,
  type Potential,
  type Preconditioner,
  rowEnergy,
  rowGradient,
  toSingle,
} from "./potential.ts";
import { collectLimits, fade, PASSES, stiffenPoints } from "./step-limit.ts";

export {
  blockJacobi,
  type Ending,
  gradient,
  hessianProduct,
  type MinimiseReport,
  type MinimiseWork,
  type Operations,
  operations,
  type Potential,
  type Preconditioner,
  prepareMinimise,
  toSingle,
} from "./potential.ts";

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
  /** [points] N: the weight of each point, or another load that its residual force is measured by. */
  weights?: ReadonlyF64;
}

/** From this iteration on the geometric stiffness is exact: buckling sheets leave saddles along negative curvature. */
const EXACT_FROM = 6;
/**
 * The same for frames. Clamped, their steps keep to the branch that they are on (a film on springs keeps its even waves, which exact steps leave), but a skin
 * that has buckled stays under the load at which it does, and then clamped steps gain a few per cent each: 845 iterations where 120 do, or no end within 450.
 */
const FRAMES_EXACT_FROM = 100;
/** Armijo's constant: the share of the predicted decrease that must be real. */
const ARMIJO = 1e-4;
/** Below 2⁻²⁰ of a Newton step the direction is noise. */
const MAX_HALVINGS = 20;
/** At most by this factor does one bad step lessen the trust in the model. */
const SHRINK = 0.02;
/** Of a point's weight that may be left as residual force. */
export const RESIDUAL = 0.1;
const SLICE = 32; // iterations of the inner solve between two looks at the clock
/** Places in work.newton: relative residual of the inner solves, m that the model is trusted for, ms when others were let in last. */
const [CG_TOLERANCE, RADIUS, BREATH_AT] = [0, 1, 2];
/** ms of work after which a minimisation lets others in. */
const BREATH = 40;

/** Moves Y to a minimum of the potential, in one go. Allocates nothing that grows. */
export function minimise(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  options: MinimiseOptions,
): MinimiseReport {
  return finish(minimising(Y, potential, work, preconditioner, options));
}

/** Runs work that comes in slices to its end. */
export function finish<T>(slices: Generator<void, T>): T {
  for (;;) {
    const next = slices.next();
    if (next.done) return next.value;
  }
}

/**
 * The numbers of the direction p of one iteration: J, gᵀp; J, the same of the quadratic part; J, pᵀ(K + diag a)p; m, the longest coordinate of p; m, the
 * longest of what has mass: frames have none. In an array, which is written without a heap object each.
 */
const direction = new Float64Array(5);
const [SLOPE, SLOPE_QUADRATIC, CURVATURE, MOVE, SHIFT] = [0, 1, 2, 3, 4];

/** The same in slices: yields when others should be let in. */
export function* minimising(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  options: MinimiseOptions,
): Generator<void, MinimiseReport> {
  begin(Y, potential, work, options);
  for (let iteration = 0; iteration < options.maxIterations; iteration++) {
    if (!startIteration(potential, work, preconditioner, options, iteration)) break;
    while (!continueSolve(potential, work, preconditioner, work.newton[RADIUS], options, SLICE))
      if (isTime(work)) yield;
    if (endIteration(Y, potential, work, preconditioner, options, iteration)) break;
    if (iteration > 2 && isTime(work)) yield; // most steps are over by then
  }
  return end(Y, potential, work, options);
}

/** Matrix and inner solve of an iteration; false if the budget is used up. */
function startIteration(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  options: MinimiseOptions,
  iteration: number,
): boolean {
  const { budget, report, clock, newton } = work;
  if (budget.iterations-- <= 0 || budget.cgIterations <= 0) {
    report.ending = "budget";
    return false;
  }
  const exactFrom = potential.framed ? FRAMES_EXACT_FROM : EXACT_FROM;
  setMatrix(potential, work, preconditioner, iteration >= exactFrom);
  clock.solve -= performance.now();
  startSolve(potential, work, preconditioner, newton[CG_TOLERANCE], options);
  return true;
}

/** Goes along the direction that was solved for; whether that was the last iteration. */
function endIteration(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  options: MinimiseOptions,
  iteration: number,
): boolean {
  const { report, p, clock, newton } = work;
  const t0 = performance.now();
  clock.solve += t0;
  options.guess = null;
  count(work);
  let free = stepLimit(Y, p, potential.sets);
  if (free < 1) free = limitPoints(Y, potential, work, preconditioner, options, free);
  measureDirection(potential, work);
  const slope = direction[SLOPE];
  const move = direction[MOVE];
  const shift = direction[SHIFT];
  if (!(slope <= 0) || !(move < Infinity)) {
    report.finite = !Number.isNaN(slope) && move < Infinity;
    report.ending = report.finite ? "no-descent" : "not-finite";
    return true;
  }
  const t = lineSearch(Y, potential, work, free);
  report.iterations = iteration + 1;
  report.lastMove = move < 0.99 * newton[RADIUS] ? shift : Number.POSITIVE_INFINITY;
  clock.evaluate += performance.now() - t0;
  if (t === 0) return endsWithoutDescent(potential, work, options, shift);
  const isCut = free < 1 || work.stiffening.rows.blocks > 0;
  // a step this short that Armijo halved met rounding, not a hill: at the minimum of a free fall it would be halved for ever
  // what a stiff membrane leaves looks like drag: of frames a tenth may be left
  const share = potential.framed ? 0.2 : 2;
  const isSmall =
    report.lastMove <= options.moveTolerance && -slope <= share * options.energyTolerance;
  if (isSmall && !isCut) {
    if (!options.weights || isSettled(potential, work, options)) {
      report.ending = "solved";
      return true;
    }
    newton[CG_TOLERANCE] = Math.max(1e-3, 0.3 * newton[CG_TOLERANCE]);
  } else rowGradient(potential, work);
  fade(work.stiffening);
  // a step that Armijo shortened shows how far the model holds; whole ones win trust back
  if (t < free) newton[RADIUS] = Math.max(SHRINK * move, 2 * t * move, 4 * options.moveTolerance);
  else if (move > 0.5 * newton[RADIUS]) newton[RADIUS] *= 3;
  // near the end the move is only as true as the inner solve
  if (shift < 30 * options.moveTolerance)
    newton[CG_TOLERANCE] = Math.min(newton[CG_TOLERANCE], 0.1);
  return false;
}

/** No descent within rounding: this is the minimum to the precision there is, or the solve was poor and a better one is tried. */
function endsWithoutDescent(
  potential: Potential,
  work: MinimiseWork,
  options: MinimiseOptions,
  move: number,
): boolean {
  const { report, newton } = work;
  if (move > 10 * options.moveTolerance && newton[CG_TOLERANCE] >= 1e-4) {
    newton[CG_TOLERANCE] *= 0.03;
    return false;
  }
  const isSmall = report.lastMove <= 10 * options.moveTolerance;
  report.ending = isSmall && isBalanced(potential, work, options) ? "solved" : "no-descent";
  return true;
}

/** Whether others should be let in. */
function isTime({ newton }: MinimiseWork): boolean {
  const now = performance.now();
  if (now - newton[BREATH_AT] < BREATH) return false;
  newton[BREATH_AT] = now;
  return true;
}

/** Gradient at the start, and a report without anything in it. */
function begin(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  options: MinimiseOptions,
): void {
  const { report, clock, stiffening, newton } = work;
  newton[CG_TOLERANCE] = options.cgTolerance;
  newton[RADIUS] = Number.POSITIVE_INFINITY;
  report.iterations = 0;
  report.cgIterations = 0;
  report.ending = "iterations";
  report.finite = true;
  report.lastMove = 0;
  report.halvings = 0;
  report.residual = Number.NaN;
  report.worst = -1;
  stiffening.rows.blocks = 0;
  const t = performance.now();
  gradient(Y, potential, work);
  clock.evaluate += performance.now() - t;
}

function end(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  options: MinimiseOptions,
): MinimiseReport {
  const { report, stiffening } = work;
  stiffening.rows.blocks = 0;
  for (let k = 0; k < Y.length && report.finite; k++)
    if (!(Math.abs(Y[k]) < 1e12)) report.finite = false;
  if (!report.finite) report.ending = "not-finite";
  if (report.ending !== "solved" && options.weights) isBalanced(potential, work, options);
  report.converged = report.ending === "solved";
  return report;
}

/** Counts the iterations of the last solve. */
function count({ inner, report, budget }: MinimiseWork): void {
  report.cgIterations += inner.iteration;
  budget.cgIterations -= inner.iteration;
}

/** The matrix of this iteration, and its preconditioner: that is made from the clamped one, which is positive definite. */
function setMatrix(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  exact: boolean,
): void {
  const t = performance.now();
  assemble(potential, work, true);
  preconditioner.update(work, potential);
  if (exact) assemble(potential, work, false);
  if (potential.single) toSingle(potential, work);
  work.clock.assemble += performance.now() - t;
}

/** The share of p that all sets allow to all points. */
function stepLimit(Y: Float64Array, p: Float64Array, sets: readonly RowSet[]): number {
  let t = 1;
  for (let s = 0; s < sets.length; s++) {
    const most = sets[s].maxStep?.(Y, p) ?? 1;
    if (most < t) t = most;
  }
  return t;
}

/** Rounds of shortening: contacts of neighbours follow each other within a few. */
const SWEEPS = 20;

/**
 * Makes work.p a step that contact allows nearly whole, by stiffening and then shortening the points that it stops (step-limit.ts). Returns the
 * share of it that all points may go; that of the step as it was if the shortened one leads uphill.
 */
function limitPoints(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  options: MinimiseOptions,
  first: number,
): number {
  const { sets, fixed } = potential;
  const { p, limits, stiffening, blocks, trial } = work;
  const radius = work.newton[RADIUS];
  let free = first;
  for (let pass = 0; pass < PASSES && free < 1; pass++) {
    if (!collectLimits(limits, sets, Y, p)) break;
    if (!stiffenPoints(stiffening, limits, blocks, fixed)) break;
    preconditioner.update(work, potential);
    if (potential.single) toSingle(potential, work);
    restartSolve(potential, work, preconditioner, radius);
    while (!continueSolve(potential, work, preconditioner, radius, options, SLICE));
    count(work);
    free = stepLimit(Y, p, sets);
  }
  if (free === 1) return 1;
  trial.set(p);
  const whole = free;
  for (let round = 0; round < PASSES && free < 1; round++) {
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      let cuts = 0;
      for (let s = 0; s < sets.length; s++) cuts += sets[s].shorten?.(p, Y) ?? 0;
      if (cuts === 0) break;
    }
    free = stepLimit(Y, p, sets); // also renews lists that the shortened motion has left
  }
  if (work.ops.dot(work.gradient, p) < 0 && free > whole) return free;
  p.set(trial);
  return whole;
}

/** Slopes, curvature and length of work.p; Ad = (K + diag a) p. */
function measureDirection(potential: Potential, work: MinimiseWork): void {
  const { gradient: g, quadratic, p, Ad, ops } = work;
  let slope = 0;
  let slopeQuadratic = 0;
  let move = 0;
  let shift = 0;
  const framed = potential.framed ?? 0;
  const lastOfMass = (framed > 0 ? 3 * framed : p.length) - 1;
  for (let k = 0; k < p.length; k++) {
    slope += g[k] * p[k];
    slopeQuadratic += quadratic[k] * p[k];
    const a = p[k] < 0 ? -p[k] : p[k];
    if (a > move) move = a;
    if (k === lastOfMass) shift = move;
  }
  let curvature = 0;
  if (framed === 0) {
    ops.multiplyScalar3(Ad, potential.base, p);
    for (let k = 0; k < p.length; k++) curvature += p[k] * Ad[k];
  }
  direction[SLOPE] = slope;
  direction[SLOPE_QUADRATIC] = slopeQuadratic;
  direction[MOVE] = move;
  direction[SHIFT] = shift;
  direction[CURVATURE] = curvature;
}

/** Armijo's rule along p from `free` down. Moves Y and evaluates the sets there; returns the share taken, 0 if none lowers the potential. */
function lineSearch(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  free: number,
): number {
  const { sets, framed = 0 } = potential;
  const { p, trial, delta, quadratic, report } = work;
  const slope = direction[SLOPE];
  const slopeQuadratic = direction[SLOPE_QUADRATIC];
  const curvature = direction[CURVATURE];
  const energy = energyNow(Y, sets); // after maxStep, which may have renewed what the sets look at
  let t = free;
  for (let halving = 0; halving < MAX_HALVINGS; halving++) {
    if (framed > 0) retract(delta, framed, Y, t, p);
    for (let k = 0; k < p.length; k++) trial[k] = Y[k] + (framed > 0 ? delta[k] : t * p[k]);
    // the first is taken as a rule: its rows are those of the next gradient
    const height = halving === 0 ? evaluate(trial, sets) : rowEnergy(trial, sets);
    const quadraticChange =
      framed > 0 ? changeAlong(potential, work) : t * slopeQuadratic + 0.5 * t * t * curvature;
    const change = height - energy + quadraticChange;
    // rounding of the energies is no reason to stop: allow for it
    if (change <= ARMIJO * t * slope + 1e-14 * Math.abs(energy)) {
      Y.set(trial);
      work.ops.axpy(quadratic, framed > 0 ? 1 : t, work.Ad);
      if (t < free) evaluate(Y, sets);
      if (free < 1 && pressHarder(sets)) evaluate(Y, sets);
      return t;
    }
    t *= 0.5;
    report.halvings++;
  }
  evaluate(Y, sets);
  return 0;
}

/** J: change of the quadratic part along work.delta; Ad = (K + diag a) δ. */
function changeAlong({ base }: Potential, { ops, delta, Ad, quadratic }: MinimiseWork): number {
  ops.multiplyScalar3(Ad, base, delta);
  return ops.dot(quadratic, delta) + 0.5 * ops.dot(delta, Ad);
}

/** Contact that was pressed thin and stopped the step presses back harder; says whether any did. */
function pressHarder(sets: readonly RowSet[]): boolean {
  let any = false;
  for (let s = 0; s < sets.length; s++) if (sets[s].stiffen?.()) any = true;
  return any;
}

/** Takes the gradient at the new place; whether the residual force is small at every point. */
function isSettled(potential: Potential, work: MinimiseWork, options: MinimiseOptions): boolean {
  rowGradient(potential, work);
  return isBalanced(potential, work, options);
}

/**
 * Whether the residual force along the normal of every contact is small against the weight of the points that touch. Elsewhere the predicted decrease of the
 * potential says what is left: a stiff membrane is out of balance by many weights where a micrometre is missing.
 */
function isBalanced(
  { sets }: Potential,
  work: MinimiseWork,
  { weights }: MinimiseOptions,
): boolean {
  if (!weights) return true;
  const { gradient: g, report } = work;
  report.residual = 0;
  for (let s = 0; s < sets.length; s++) {
    const { blocks, rowsPer, start, index, J } = sets[s];
    if (!sets[s].maxStep || rowsPer !== 1) continue;
    for (let e = start[0]; e < start[blocks]; e++) {
      const i = index[e];
      if (i >= weights.length) continue;
      const x = J[3 * e];
      const y = J[3 * e + 1];
      const z = J[3 * e + 2];
      const along = Math.abs(x * g[3 * i] + y * g[3 * i + 1] + z * g[3 * i + 2]);
      const ratio = along / (weights[i] * Math.sqrt(x * x + y * y + z * z));
      if (!(ratio > report.residual)) continue;
      report.residual = ratio;
      report.worst = i;
    }
  }
  return report.residual <= RESIDUAL;
}
