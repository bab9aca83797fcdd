/**
 * A Newton step that contact allows: points that it stops are made stiffer along the plane of their contact and the step is solved again, then what still goes
 * too far is shortened point by point (step-limit.ts).
 */
import type { RowSet } from "../system/system.ts";
import { continueSolve, restartSolve, singleOf } from "./inner-solve.ts";
import type { MinimiseOptions } from "./minimise.ts";
import { type MinimiseWork, type Potential, type Preconditioner, toSingle } from "./potential.ts";
import { collectLimits, PASSES, stiffenPoints } from "./step-limit.ts";

/** The share of p that all sets allow to all points. */
export function stepLimit(Y: Float64Array, p: Float64Array, sets: readonly RowSet[]): number {
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
 *
 * @param radius  m, that the model is trusted for
 * @param first   the share that all points may go of the step as it is
 */
export function limitPoints(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  options: MinimiseOptions,
  radius: number,
  first: number,
): number {
  const { sets, fixed } = potential;
  const { p, limits, stiffening, blocks, trial } = work;
  let free = first;
  for (let pass = 0; pass < PASSES && free < 1; pass++) {
    if (!collectLimits(limits, sets, Y, p)) break;
    if (!stiffenPoints(stiffening, limits, blocks, fixed)) break;
    preconditioner.update(work, potential);
    const single = singleOf(potential, work, preconditioner);
    if (single) toSingle(potential, single, work);
    restartSolve(potential, work, preconditioner, radius);
    continueSolve(potential, work, preconditioner, radius, options, Number.POSITIVE_INFINITY);
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

/** Counts the iterations of the last solve. */
export function count({ inner, report, budget }: MinimiseWork): void {
  report.cgIterations += inner.iteration;
  budget.cgIterations -= inner.iteration;
}
