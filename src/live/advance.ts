/**
 * One step of a running scene by its solver, whole or in slices; pulls seams together and reports problems.
 */
import type { Scene } from "../scene/scene.ts";
import { equilibrium } from "../step/equilibrium.ts";
import { type StepReport, worsen } from "../step/outcome.ts";
import { step, stepping } from "../step/step.ts";
import type { Stepper } from "../step/stepper.ts";
import { addWarnings } from "../step/warnings.ts";
import { seamName } from "../system/seams.ts";
import { bendAcross } from "../system/stiffness.ts";
import type { Warning } from "../system/warning.ts";
import { type Running, timeOf } from "./running.ts";
import { copyState, setNumbers, stateLength } from "./saved.ts";

/** One step by the solver of the scene; static mode finds its equilibrium in one. */
export function advance(
  { system, projections, solver, known }: Running,
  report: StepReport,
  warnings: Warning[],
): void {
  sew(system, warnings);
  if (system.scene.static) settle(system, system.scene.static, report, warnings);
  else if (projections) projections.step(report);
  else step(system, solver, report);
  addWarnings(system, report, known, warnings);
}

/** The same in slices; ended early it restores the state before the step. */
export function* advancing(
  running: Running,
  report: StepReport,
  warnings: Warning[],
): Generator<void, void> {
  const { system, projections, solver, known } = running;
  if (system.scene.static || projections) {
    advance(running, report, warnings);
    return;
  }
  running.backup ??= new Float64Array(stateLength(system));
  copyState(running.backup, system);
  running.isStepping = true;
  let isDone = false;
  try {
    sew(system, warnings);
    yield* stepping(system, solver, report);
    isDone = true;
  } finally {
    running.isStepping = false;
    if (!isDone) setNumbers(system, running.backup);
  }
  addWarnings(system, report, known, warnings);
}

/** Shortens the ropes of open seams for the coming step; once closed, the sheet bends across them. Warns if that takes too long. */
function sew(system: Stepper, warnings: Warning[]): void {
  const { seams, state, h, sheet } = system;
  if (!seams) return;
  const time = (state.steps + 1) * h;
  if (seams.beginStep(state.Y, time)) bendAcross(system);
  system.seamFrames?.beginStep(state.Y, seams.closed);
  const late = 2 * seams.until;
  if (seams.closed || time < late || time - h >= late) return;
  const { gap, points } = seams.widest(state.Y);
  warnings.push({
    text: `seam ${seamName(sheet, ...points)} is still ${(1000 * gap).toFixed(1)} mm open at ${time.toFixed(2)} s, twice the time for sewing: something is in the way, or the garment is too small; it goes on pulling`,
    points,
    time,
    cause: "seam-open",
  });
}

/** Static mode: one step is all of it. */
function settle(
  system: Stepper,
  options: NonNullable<Scene["static"]>,
  report: StepReport,
  warnings: Warning[],
): void {
  const result = equilibrium(system, options);
  report.rounds = result.iterations;
  report.cgIterations = result.cgIterations;
  report.converged = result.converged;
  worsen(report, result.converged ? "solved" : "unsolved");
  report.residual = system.isometry.residual();
  system.state.steps += 1;
  system.state.clock.fill(timeOf(system));
  if (!result.converged)
    warnings.push({
      text: `equilibrium not reached: the largest force left is ${result.force.toExponential(1)} of a point's weight (asked: ${options.forceTolerance}); raise static.maxIterations`,
      points: [],
      time: timeOf(system),
      cause: "equilibrium",
    });
}
