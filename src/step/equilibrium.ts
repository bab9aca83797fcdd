/**
 * Static mode: finds equilibrium directly.
 *
 * Implicit gradient flow: steps of the incremental potential from rest (V = 0 at the start of each), with a time step
 * that grows while the minimiser converges easily and shrinks when it does not. As h → ∞ the inertia vanishes and the
 * last steps are Newton's on the energy itself. The membrane stiffness is continued from soft to its full value: raised
 * at once from a bad start the sheet is trapped in crumpled shapes that look like locking.
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

export function equilibrium(
  system: System,
  { forceTolerance, maxIterations }: { forceTolerance: number; maxIterations: number },
): EquilibriumReport {
  const { state, isometry, work, n } = system;
  const { Y, V } = state;
  const full = isometry.stiffness.slice();
  const report: EquilibriumReport = {
    converged: false,
    iterations: 0,
    force: Infinity,
    cgIterations: 0,
  };
  const preconditioner = preconditionerOf(system, work.twoLevel);
  hold(system.pins, system.h * state.steps);
  for (let k = 0; k < 3 * n; k++) if (system.pins.fixed[k]) Y[k] = system.pins.target[k];

  for (const stage of STAGES) {
    for (let r = 0; r < full.length; r++) isometry.stiffness[r] = stage * full[r];
    const last = stage === 1;
    let h = 0.02;
    const longest = last ? 1e4 : 1;
    for (let k = 0; k < maxIterations; k++) {
      V.fill(0);
      work.start.set(Y);
      const potential = prepare(system, h, false, system.h * state.steps);
      work.twoLevel.startStep();
      const result = minimise(Y, potential, work.minimise, preconditioner, {
        ...OPTIONS,
        moveTolerance: 1e-7 * extent(system),
      });
      report.iterations += result.iterations;
      report.cgIterations += result.cgIterations;
      // the force that remains without inertia
      const still = prepare(system, 1e9, false, system.h * state.steps);
      gradient(Y, still, work.minimise);
      report.force = largestForce(system);
      if (result.converged && last) report.force = polished(system, still, report.force);
      if (report.force <= (last ? forceTolerance : 1e-2)) {
        report.converged = last;
        break;
      }
      if (result.finite) system.attachments?.updateMultipliers();
      if (!result.finite) {
        Y.set(work.start);
        h *= 0.1;
      } else if (result.converged && result.iterations <= 12) h = Math.min(h * 3, longest);
      else if (!result.converged) h = Math.max(h * 0.3, 1e-3);
    }
  }
  V.fill(0);
  state.Yold.set(Y);
  state.Vold.fill(0);
  return report;
}

/**
 * At the end the energy changes by less than its rounding, and the line search refuses even good steps. The last of them is taken
 * nevertheless if it lessens the largest force, which is returned.
 */
function polished(system: System, still: Potential, force: number): number {
  const { state, work } = system;
  const { p } = work.minimise;
  work.start.set(state.Y);
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
