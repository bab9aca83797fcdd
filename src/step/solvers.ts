/** What one solver of the incremental potential does differently from another: accuracy, limits, preconditioner. */

import { methodsOf } from "./methods.ts";
import type { MinimiseOptions, MinimiseReport, Preconditioner } from "./minimise.ts";
import type { StepReport } from "./outcome.ts";
import type { Stepper } from "./stepper.ts";

export interface Solver {
  readonly preconditioner: Preconditioner;
  readonly options: MinimiseOptions;
  /** m/s: the accuracy asked for; moveTolerance = this × h. */
  readonly speedTolerance: number;
  /** 1: the same as a share of the root mean square speed of the sheet. */
  readonly relativeTolerance: number;
  /** interactive: what its iterations leave is left to the next steps. */
  readonly isInteractive: boolean;
}

/**
 * s: below this step size inertia dominates. The two-level preconditioner is used all the same: block-Jacobi left 5 % of the residual of a spinning
 * sheet's contraction, which added 7 % to its spin in 200 steps.
 */
const SMALL_STEP = 1.5e-3;
/**
 * Below it one Newton iteration is often all, and what its inner solve leaves is lost for good, a thousand times a second. At 0.2 a
 * spinning sheet lost 2 % of its momentum in half a second at 1 ms; at 0.05 (and REFERENCE_STEP) 0.1 %, for a fifth more time.
 */
const SMALL_CG = 0.05;
/** Of other steps: a direction to a fifth is enough, since the next iteration corrects it. */
const FIRST_CG = 0.2;

/**
 * A step is not done while points still move by more than this share of their spacing. Sheets of cloth reach it long
 * before 1 mm/s; wrinkles of a millimetre that grow within a second move no faster than that, and would seem at rest.
 */
const FINEST_MOVE = 1e-3;

/** Newton iterations of an accurate step: layers in a fold need up to 88, a ball at 20 m/s up to 137; a free sheet needs 2 to 8. */
const MOST_ROUNDS = 150;

/** accurate: stops when a Newton step moves no point by more than 1 mm/s·h, or 1 % of the root mean square speed. */
export function accurateSolver(system: Stepper): Solver {
  const { h, work } = system;
  return {
    preconditioner: preconditionerOf(system, work.twoLevel),
    options: {
      moveTolerance: 0,
      energyTolerance: 0,
      maxIterations: MOST_ROUNDS,
      cgTolerance: h > SMALL_STEP ? FIRST_CG : SMALL_CG,
      cgMax: 400,
      weights: pointWeights(system),
    },
    speedTolerance: Math.min(1e-3, (FINEST_MOVE * work.spacing) / h),
    relativeTolerance: 0.01,
    isInteractive: false,
  };
}

/** Points times Newton iterations that an interactive step may take. */
const INTERACTIVE_WORK = 24_000;
const LEAST_ITERATIONS = 3;
const MOST_ITERATIONS = 40;

/**
 * interactive: solved by its error, a twentieth of the root mean square speed, and no more Newton iterations than a picture has time for: 3 for 8000 points
 * and more, 40 for 600. The line search still lowers the potential, so a step that is cut short loses energy rather than gaining it, and what is missing
 * is made up for in the next steps.
 */
export function interactiveSolver(system: Stepper): Solver {
  const most = Math.round(INTERACTIVE_WORK / system.sheet.n);
  return {
    preconditioner: preconditionerOf(system, system.work.twoLevel),
    options: {
      moveTolerance: 0,
      energyTolerance: 0,
      maxIterations: Math.max(LEAST_ITERATIONS, Math.min(MOST_ITERATIONS, most)),
      cgTolerance: 0.25,
      cgMax: 60,
      byError: 0.2,
    },
    speedTolerance: 5e-3,
    relativeTolerance: 0.05,
    isInteractive: true,
  };
}

/** The sheet's preconditioner; a solid under it has one of its own, and stiff shells are solved directly. */
export function preconditionerOf(system: Stepper, sheet: Preconditioner): Preconditioner {
  const direct = system.baseline?.membrane && methodsOf(system.scene)?.directPreconditioner(system);
  return system.work.withSolid(direct ?? sheet);
}

/** m/s²: residual forces are measured by weight on earth also where there is less of it. */
const LEAST_GRAVITY = 9.81;

/** [points of the sheets] N: weight of each point, and what pressure puts on it. */
function pointWeights({ scene, sheet, m }: Stepper): Float64Array {
  const [x, y, z] = scene.gravity;
  const g = Math.max(LEAST_GRAVITY, Math.sqrt(x * x + y * y + z * z));
  return Float64Array.from(
    { length: sheet.n },
    (_, i) => m[i] * g + Math.abs(scene.pressure) * sheet.area[i],
  );
}

/** Counts what a minimisation cost. */
export function countRounds(report: StepReport, result: MinimiseReport): void {
  report.rounds += result.iterations;
  report.cgIterations += result.cgIterations;
}
