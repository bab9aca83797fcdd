/**
 * Minimises the incremental potential by projected Newton with conjugate gradients.
 *
 * Each iteration solves (A ⊗ I₃ + Σ JᵀWJ) p = −∇Φ (potential.ts), A = K + diag(a) + geometric stiffness clamped to positive
 * semidefinite, and goes along p as far as contact (limited-step.ts) and Armijo's rule (line-search.ts) allow.
 *
 * Without the geometric stiffness a hanging sheet takes ten times the iterations; unclamped, a compressed one has
 * directions of negative curvature. Held coordinates are left out by a mask.
 *
 * Solved means that the predicted decrease ½|gᵀp| of a whole step is within the tolerance, that the step moves no point further than the
 * tolerance, and that nothing cut it; where the weights of the points are given, the residual force along every contact must be small against
 * them as well. A step that contact or the line search cut short is never a small one.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { continueSolve, singleOf, startSolve } from "./inner-solve.ts";
import { count, limitPoints, stepLimit } from "./limited-step.ts";
import { direction, lineSearch, MOVE, measureDirection, SHIFT, SLOPE } from "./line-search.ts";
import {
  assemble,
  gradient,
  type MinimiseReport,
  type MinimiseWork,
  type Potential,
  type Preconditioner,
  rowGradient,
  toSingle,
} from "./potential.ts";
import { fade } from "./step-limit.ts";

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
  /** J: and when the energy of the inner residual is less than this. A relative residual alone can be dominated by one stiff corner. */
  energyTolerance: number;
  maxIterations: number;
  /** Relative residual of the inner solves, first and (once Newton is close) last. */
  cgTolerance: number;
  cgMax: number;
  /** Iteration from which the geometric stiffness is exact, if not as steps of this kind of sheet have it. */
  exactFrom?: number;
  /** [3n] m: warm start of the next inner solve, if there is one: a sheet that creeps repeats its last motion. */
  guess?: ReadonlyF64 | null;
  /**
   * Solved by the error alone: the share of energyTolerance that the residual force may leave, as the preconditioner sees it, without a bound on the last
   * move. Where a few points of a buckling sheet still move, rounds for them would cost as much as all others.
   */
  byError?: number;
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
/** One bad step shrinks the trust radius by this factor at most. */
const SHRINK = 0.02;
/** Predicted decrease -gᵀp of a solved step, in energyTolerance: twice the ½|gᵀp| that it bounds. The residual of a stiff membrane acts like drag, so frames get a tenth. */
const DECREASE = 2;
const DECREASE_FRAMED = 0.2;
/** Share of the trust radius below which a step was not bounded by it. */
const INSIDE = 0.99;
/** Where a residual force is left along a contact, the next inner solve is so much tighter, down to the least of these. */
const TIGHTER = 0.3;
const LEAST_CG = 1e-3;
/** The same where no step lowered the potential though the move was of more than so many tolerances: the direction was poor. */
const STUCK_MOVE = 10;
const MUCH_TIGHTER = 0.03;
const LEAST_CG_STUCK = 1e-4;
/** Newton is close when it moves no point further than so many tolerances. */
const CLOSE = 30;
/**
 * Relative residual of the inner solves then. In steps of sheets with frames Newton itself gains a factor of 2 to 3 a round, because the stiffness of what is compressed is
 * clamped: over nine steps of a fall solving to 0.1 took 677 inner iterations instead of 555, both within 0.7 % of the speed and on average 0.2
 * (docs/decisions/measure/step-error.mjs).
 */
const LAST = 0.1;
const LAST_FRAMED = 0.2;
/**
 * Share of energyTolerance that the residual force may leave, as the last preconditioner sees it, for a step to be solved without another round. That norm is
 * too small by a factor of 1 to 20, so what is truly left is under the 0.2 that a round would be judged by, or near it.
 */
const RESIDUAL_SHARE = 0.01;
/** Of a point's weight that may be left as residual force. */
const RESIDUAL = 0.1;
const SLICE = 32; // iterations of the inner solve between two looks at the clock
/** Places in work.newton: relative residual of the inner solves; trust radius, m; time of the last pause, ms; way since the preconditioner was made, m. */
const [CG_TOLERANCE, RADIUS, PAUSED_AT, DRIFT] = [0, 1, 2, 3];
/**
 * Share of the spacing that any coordinate, of frames too, may have moved since the preconditioner was made: the inverses of its blocks are a third of what
 * a round costs. Inner iterations of six steps of a fall by STALE 0, 0.01, 0.02, 0.05, 0.1: 4060, 4057, 4151, 4751, 7170.
 */
const STALE = 0.02;
/** m: positions farther away are no longer positions. */
const FARTHEST = 1e12;
/** ms of work after which a minimisation lets others in. */
const UNTIL_PAUSE = 40;

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

/** The same in slices: yields when the caller should handle events. */
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
      if (isPauseDue(work)) yield;
    if (endIteration(Y, potential, work, preconditioner, options, iteration)) break;
    if (iteration > 2 && isPauseDue(work)) yield; // most steps are over by then
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
  const exactFrom = options.exactFrom ?? (potential.framed ? FRAMES_EXACT_FROM : EXACT_FROM);
  const isFresh =
    iteration > 0 && newton[DRIFT] < STALE * (potential.spacing ?? 0) && !isTouched(potential);
  setMatrix(potential, work, preconditioner, iteration >= exactFrom, isFresh);
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
  if (free < 1)
    free = limitPoints(Y, potential, work, preconditioner, options, newton[RADIUS], free);
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
  newton[DRIFT] += t * move;
  report.lastMove = move < INSIDE * newton[RADIUS] ? shift : Number.POSITIVE_INFINITY;
  clock.evaluate += performance.now() - t0;
  if (t === 0) return endsWithoutDescent(potential, work, options, shift);
  const isCut = free < 1 || work.stiffening.rows.blocks > 0;
  // a step this short was halved because of rounding, not because the potential rises: at the minimum of a free fall halving would never end
  const share = potential.framed ? DECREASE_FRAMED : DECREASE;
  const isShort = options.byError !== undefined || report.lastMove <= options.moveTolerance;
  const isSmall = isShort && -slope <= share * options.energyTolerance;
  if (isSmall && !isCut) {
    if (!options.weights || isSettled(potential, work, options)) {
      report.ending = "solved";
      return true;
    }
    newton[CG_TOLERANCE] = Math.max(LEAST_CG, TIGHTER * newton[CG_TOLERANCE]);
  } else {
    rowGradient(potential, work);
    if (!isCut && t === 1 && isDone(potential, work, preconditioner, options)) {
      report.ending = "solved";
      return true;
    }
  }
  fade(work.stiffening);
  // a step that the line search shortened shows how far the model holds; full steps enlarge the trust region
  if (t < free) newton[RADIUS] = Math.max(SHRINK * move, 2 * t * move, 4 * options.moveTolerance);
  else if (move > 0.5 * newton[RADIUS]) newton[RADIUS] *= 3;
  // near the end the move is only as true as the inner solve
  if (options.byError === undefined && shift < CLOSE * options.moveTolerance) {
    const isStep = potential.framed && options.energyTolerance < Infinity;
    newton[CG_TOLERANCE] = Math.min(newton[CG_TOLERANCE], isStep ? LAST_FRAMED : LAST);
  }
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
  if (move > STUCK_MOVE * options.moveTolerance && newton[CG_TOLERANCE] >= LEAST_CG_STUCK) {
    newton[CG_TOLERANCE] *= MUCH_TIGHTER;
    return false;
  }
  const isSmall = report.lastMove <= STUCK_MOVE * options.moveTolerance;
  report.ending = isSmall && isBalanced(potential, work, options) ? "solved" : "no-descent";
  return true;
}

/** Whether the gradient at the new place is so small that another round would only confirm it; asked of sheets with frames, where a round is dear. */
function isDone(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  options: MinimiseOptions,
): boolean {
  const { report, gradient: g, residual: r, z, ops } = work;
  const { moveTolerance, energyTolerance, byError } = options;
  if (!potential.framed || !(energyTolerance < Infinity)) return false;
  if (byError === undefined && !(report.lastMove <= CLOSE * moveTolerance)) return false;
  ops.negate(r, g);
  preconditioner.apply(z, r, work);
  if (!(ops.dot(r, z) <= (byError ?? RESIDUAL_SHARE) * energyTolerance)) return false;
  return isBalanced(potential, work, options);
}

/** Whether the caller should handle events now. */
function isPauseDue({ newton }: MinimiseWork): boolean {
  const now = performance.now();
  if (now - newton[PAUSED_AT] < UNTIL_PAUSE) return false;
  newton[PAUSED_AT] = now;
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
  const { report, stiffening, ops } = work;
  stiffening.rows.blocks = 0;
  if (!(ops.largest(Y, Y.length) < FARTHEST && ops.dot(Y, Y) < Infinity)) report.finite = false;
  if (!report.finite) report.ending = "not-finite";
  if (report.ending !== "solved" && options.weights) isBalanced(potential, work, options);
  report.converged = report.ending === "solved";
  return report;
}

/** The matrix of this iteration, and its preconditioner: that is made from the clamped one, which is positive definite. */
function setMatrix(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  exact: boolean,
  isFresh: boolean,
): void {
  const t = performance.now();
  assemble(potential, work, true);
  if (!isFresh) {
    preconditioner.update(work, potential);
    work.newton[DRIFT] = 0;
  }
  if (exact) assemble(potential, work, false);
  const single = singleOf(potential, work, preconditioner);
  if (single) toSingle(potential, single, work);
  work.clock.assemble += performance.now() - t;
}

/** Whether rows of contact are in the matrix: their weights change with every round. */
function isTouched({ sets }: Potential): boolean {
  for (let s = 0; s < sets.length; s++) if (sets[s].maxStep && sets[s].blocks > 0) return true;
  return false;
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
