/**
 * Static mode: finds equilibrium directly.
 *
 * Implicit gradient flow: steps of the incremental potential from rest (V = 0 at the start of each), with a time step
 * that grows while the minimiser converges easily and shrinks when it does not. As h → ∞ the inertia vanishes and the
 * last steps are Newton's on the energy itself. The membrane stiffness is continued from soft to its full value: raised
 * at once from a bad start the sheet is trapped in crumpled shapes that look like locking.
 *
 * Contact and friction are those of dynamics: each iteration opens and closes them like a step, with bodies and pins where they are now.
 */
import { hold } from "../system/attachments.ts";
import type { System } from "../system/build.ts";
import { prepare } from "./incremental-potential.ts";
import type { MinimiseOptions, Potential } from "./minimise.ts";
import { gradient, minimise } from "./minimise.ts";
import { preconditionerOf } from "./solvers.ts";

export interface EquilibriumReport {
  converged: boolean;
  iterations: number;
  /** Largest net force at a free point over the mean weight (or load) of a point. */
  force: number;
  cgIterations: number;
}

/** Stages of membrane stiffness, as shares of the full one. */
const STAGES = [0.01, 0.1, 1];

/** Statics has no inertia to help the inner solves: they are taken further. */
const OPTIONS: Omit<MinimiseOptions, "moveTolerance"> = {
  energyTolerance: Infinity,
  maxIterations: 40,
  cgTolerance: 0.01,
  cgMax: 2000,
};

/** Iterations of inner solves times points that statics may cost: some minutes on one core of 2024. */
const CG_WORK = 1e9;

export function equilibrium(
  system: System,
  { forceTolerance, maxIterations }: { forceTolerance: number; maxIterations: number },
): EquilibriumReport {
  const { state, isometry, work, pins } = system;
  const { Y, V } = state;
  const { budget } = work.minimise;
  const full = isometry.stiffness.slice();
  const report: EquilibriumReport = {
    converged: false,
    iterations: 0,
    force: Infinity,
    cgIterations: 0,
  };
  const time = system.h * state.steps;
  work.drivers.from.fill(time);
  work.drivers.to.fill(time);
  hold(pins, time);
  for (let k = 0; k < Y.length; k++) if (pins.fixed[k]) Y[k] = pins.target[k];
  budget.iterations = Number.POSITIVE_INFINITY;
  budget.cgIterations = CG_WORK / system.n;
  for (const stage of STAGES) {
    for (let r = 0; r < full.length; r++) isometry.stiffness[r] = stage * full[r];
    settleStage(system, report, stage === 1, forceTolerance, maxIterations);
    if (budget.cgIterations <= 0) break;
  }
  isometry.stiffness.set(full);
  V.fill(0);
  state.Yold.set(Y);
  state.Vold.fill(0);
  return report;
}

/** Implicit gradient flow with one membrane stiffness until the forces are in balance. */
function settleStage(
  system: System,
  report: EquilibriumReport,
  isLast: boolean,
  forceTolerance: number,
  maxIterations: number,
): void {
  const { state, work, bodies, layers, pins } = system;
  const { Y, V } = state;
  const time = system.h * state.steps;
  const preconditioner = preconditionerOf(system, work.twoLevel);
  const options = { ...OPTIONS, moveTolerance: 1e-7 * extent(system) };
  const longest = isLast ? 1e4 : 1;
  let h = 0.02;
  for (let k = 0; k < maxIterations && work.minimise.budget.cgIterations > 0; k++) {
    V.fill(0);
    work.start.set(Y);
    bodies?.beginStep(Y, work.drivers.bodies, 0, pins.fixed);
    layers?.beginStep(Y, V, 0, work.drivers.bodies);
    const potential = prepare(system, h, false, time);
    work.twoLevel.startStep();
    const result = minimise(Y, potential, work.minimise, preconditioner, options);
    report.iterations += result.iterations;
    report.cgIterations += result.cgIterations;
    // the force that remains without inertia
    const still = prepare(system, 1e9, false, time);
    gradient(Y, still, work.minimise);
    report.force = largestForce(system);
    if (result.converged && isLast) report.force = polished(system, still, report.force);
    if (result.finite) {
      bodies?.endStep(Y); // contacts stick where they first touched: friction has a history in statics too
      layers?.endStep(Y);
    }
    if (report.force <= (isLast ? forceTolerance : 1e-2)) {
      report.converged = isLast;
      return;
    }
    if (result.finite) system.attachments?.updateMultipliers();
    if (!result.finite) {
      Y.set(work.start);
      h *= 0.1;
    } else if (result.converged && result.iterations <= 12) h = Math.min(h * 3, longest);
    else if (!result.converged) h = Math.max(h * 0.3, 1e-3);
  }
}

/**
 * At the end the energy changes by less than its rounding, and the line search refuses even good steps. The last of them is taken
 * nevertheless if it lessens the largest force, which is returned.
 */
function polished(system: System, still: Potential, force: number): number {
  const { state, work } = system;
  const { p } = work.minimise;
  work.start.set(state.Y);
  for (const set of still.sets) if ((set.maxStep?.(state.Y, p) ?? 1) < 1) return force;
  for (let k = 0; k < p.length; k++) state.Y[k] += p[k];
  gradient(state.Y, still, work.minimise);
  const left = largestForce(system);
  if (left < force) return left;
  state.Y.set(work.start);
  return force;
}

function extent({ sheet }: System): number {
  let area = 0;
  for (let i = 0; i < sheet.n; i++) area += sheet.area[i];
  return Math.sqrt(area);
}

/** max |∇Φ| at a free point over the mean |load| of a point. */
function largestForce({ work, n, sheet, m, scene }: System): number {
  const { gradient: g } = work.minimise;
  const [x, y, z] = scene.gravity;
  let load = 0;
  for (let i = 0; i < n; i++)
    load +=
      m[i] * Math.sqrt(x * x + y * y + z * z) +
      (i < sheet.n ? Math.abs(scene.pressure) * sheet.area[i] : 0);
  load = load > 0 ? load / n : 1e-3;
  let most = 0;
  for (let i = 0; i < n; i++) {
    const f = Math.sqrt(g[3 * i] ** 2 + g[3 * i + 1] ** 2 + g[3 * i + 2] ** 2);
    if (!(f <= most)) most = f;
  }
  return most / load;
}
