/** What a step says about itself: how it ended, what it cost, and where it was not solved. */
import type { Ending } from "./potential.ts";

/** How a step ended, from good to bad. */
export type Outcome =
  /** Solved in one go. */
  | "solved"
  /** Solved in shorter steps, or by the fallback of `solver: paper`. */
  | "substeps"
  /** A pin or a body could not go on and was left where it is; all else is solved. */
  | "held-back"
  /** Some point is not in balance: see `ending`, `force` and `worst`. */
  | "unsolved";

export interface StepReport {
  /** Newton iterations or projections. */
  rounds: number;
  /** max |g| of the constraint set at the end. */
  residual: number;
  outcome: Outcome;
  /** Whether every part of the step was solved. */
  converged: boolean;
  /** Shorter steps that it was divided into; 0: none. */
  substeps: number;
  /** Why the worst minimisation of the step ended. */
  ending: Ending;
  /** Largest residual force at a point that was left, in weights of the point. */
  force: number;
  /** The point where it is, −1: none. */
  worst: number;
  cgIterations: number;
  contacts: number;
}

export function createStepReport(): StepReport {
  return {
    rounds: 0,
    residual: 0,
    outcome: "solved",
    converged: true,
    substeps: 0,
    ending: "solved",
    force: 0,
    worst: -1,
    cgIterations: 0,
    contacts: 0,
  };
}

/** A report of nothing yet. */
export function clearReport(report: StepReport): void {
  report.rounds = 0;
  report.residual = 0;
  report.outcome = "solved";
  report.converged = true;
  report.substeps = 0;
  report.ending = "solved";
  report.force = 0;
  report.worst = -1;
  report.cgIterations = 0;
  report.contacts = 0;
}

const ORDER: readonly Outcome[] = ["solved", "substeps", "held-back", "unsolved"];

/** The outcome is at least that bad. */
export function worsen(report: StepReport, outcome: Outcome): void {
  if (ORDER.indexOf(outcome) > ORDER.indexOf(report.outcome)) report.outcome = outcome;
  if (outcome === "unsolved") report.converged = false;
}

/** Something that no step can mend; says when and where. */
export class SimulationError extends Error {
  readonly time: number;
  readonly points: number[];
  constructor(message: string, time: number, points: number[]) {
    const where = points.length
      ? ` (points ${points.slice(0, 8).join(", ")}${points.length > 8 ? ", …" : ""})`
      : "";
    super(`at t = ${time.toFixed(6)} s${where}: ${message}`);
    this.name = "SimulationError";
    this.time = time;
    this.points = points;
  }
}
