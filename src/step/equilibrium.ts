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
import { prepare } from "./incremental-potential.ts";
import type { Potential } from "./minimise.ts";
import { gradient, minimise } from "./minimise.ts";
import { preconditionerOf } from "./solvers.ts";
import type { Stepper } from "./stepper.ts";

export interface EquilibriumReport {
  converged: boolean;
  iterations: number;
  /** Largest net force at a free point over the mean weight (or load) of a point. */
  force: number;
  cgIterations: number;
  /** s, the time step of a relaxation, which goes on from stage to stage. */
  h: number;
}

/** A membrane of so many times the load per length strains by a thousandth: soft enough to start from. */
const SOFT = 1e3;
/** Each time step of a relaxation is a few Newton iterations, solved loosely: there is another one right after. */
const RELAXATION = { energyTolerance: Infinity, maxIterations: 3, cgTolerance: 0.1, cgMax: 2000 };
/**
 * … while a sheet that is under pressure or meets bodies is not near. With three, the volume of a balloon of 300 points was 0.865 to 0.880 of what two discs can hold (five seeds),
 * where motion ends at 0.880 to 0.894; with these 0.878 to 0.886 (measure/balloon.mjs). And a plate that friction holds on a ball was found for two of four meshes and stiffnesses, in
 * some 3500 iterations, and with these for ten of ten, in 200 to 1350; with 15 and 100 for eight (tests/slow/equilibrium has four of them).
 */
const FROM_AFAR = 40;
/** s: of a relaxation, the first time step, and bounds of the others. */
const FIRST_STEP = 0.05;
const SHORTEST_STEP = 1e-3;
const LONGEST_STEP = 1e4;
/** The next time step where an iteration failed. */
const SHORTER = 0.1;
/** Largest force that a soft stage may leave, of a point's weight: its equilibrium is only where the next starts. */
const STAGE_FORCE = 0.1;
/**
 * Largest force, of a point's weight, under which the geometric stiffness is exact. Clamped it gains a few per cent an iteration near equilibrium, where arcs are pressed as
 * well as pulled: two-corner cloth of 662 points at D = 10⁻³ N·m takes 357 iterations clamped and 99 with this.
 */
const NEAR = 10;
/** Iterations of inner solves times points (a sample with a frame is three) that statics may cost: some minutes on one core of 2024. */
const CG_WORK = 3e9;

export function equilibrium(
  system: Stepper,
  { forceTolerance, maxIterations }: { forceTolerance: number; maxIterations: number },
): EquilibriumReport {
  const { state, work, pins, membrane } = system;
  const { Y, V } = state;
  const { budget } = work.minimise;
  const full = membrane.map(({ stiffness }) => stiffness.slice());
  const report: EquilibriumReport = {
    converged: false,
    iterations: 0,
    force: Infinity,
    cgIterations: 0,
    h: FIRST_STEP,
  };
  const time = system.h * state.steps;
  work.drivers.from.fill(time);
  work.drivers.to.fill(time);
  hold(pins, time);
  for (let k = 0; k < Y.length; k++) if (pins.fixed[k]) Y[k] = pins.target[k];
  budget.iterations = Number.POSITIVE_INFINITY;
  budget.cgIterations = CG_WORK / system.n;
  for (const stage of stages(system)) {
    setStiffness(system, full, stage);
    relax(system, report, stage === 1, forceTolerance, maxIterations);
    if (budget.cgIterations <= 0) break;
  }
  setStiffness(system, full, 1);
  V.fill(0);
  state.Yold.set(Y);
  state.Vold.fill(0);
  return report;
}

/** The membrane at a share of its stiffness. */
function setStiffness({ membrane }: Stepper, full: readonly Float64Array[], share: number): void {
  for (let s = 0; s < full.length; s++) {
    const { stiffness } = membrane[s];
    for (let r = 0; r < stiffness.length; r++) stiffness[r] = share * full[s][r];
  }
}

/** Bodies and layers are where they are; the potential of a time step from rest. */
function open(system: Stepper, h: number): Potential {
  const { state, work, bodies, layers, pins } = system;
  const { Y, V } = state;
  V.fill(0);
  work.start.set(Y);
  bodies?.beginStep(Y, work.drivers.bodies, 0, pins.fixed);
  layers?.beginStep(Y, V, 0, work.drivers.bodies);
  const potential = prepare(system, h, false, system.h * state.steps);
  work.twoLevel.startStep();
  return potential;
}

/** Contacts stick where they first touched: friction has a history in statics too. */
function close({ state, bodies, layers, limp }: Stepper): void {
  if (limp) state.tension.set(limp.lasting);
  bodies?.endStep(state.Y);
  layers?.endStep(state.Y);
}

function extent({ sheet }: Stepper): number {
  let area = 0;
  for (let i = 0; i < sheet.n; i++) area += sheet.area[i];
  return Math.sqrt(area);
}

/** Shares of the membrane stiffness, each ten times the one before, from SOFT times the load per length of the sheet on. */
function stages(system: Stepper): number[] {
  const { membrane } = system.material;
  let K = 0;
  for (let i = 0; i < membrane.length; i++) K = Math.max(K, membrane[i]);
  const load = totalLoad(system);
  if (load === 0) return [1];
  const out: number[] = [];
  const least = (SOFT * load) / (extent(system) * K);
  for (let share = 1; out.length === 0 || share * 10 > least; share /= 10) out.unshift(share);
  return out;
}

/** N: weight and pressure on all points. */
function totalLoad({ n, sheet, m, scene }: Stepper): number {
  const [x, y, z] = scene.gravity;
  let load = 0;
  for (let i = 0; i < n; i++)
    load +=
      m[i] * Math.sqrt(x * x + y * y + z * z) +
      (i < sheet.n ? Math.abs(scene.pressure) * sheet.area[i] : 0);
  return load;
}

/** max |∇Φ| at a free point over the mean |load| of a point. */
function largestForce(system: Stepper): number {
  const { work, n, m } = system;
  const { gradient: g } = work.minimise;
  let carrying = 0;
  for (let i = 0; i < n; i++) if (m[i] > 0) carrying++;
  const all = totalLoad(system);
  const load = all > 0 ? all / carrying : 1e-3;
  let most = 0;
  for (let i = 0; i < n; i++) {
    const f = Math.sqrt(g[3 * i] ** 2 + g[3 * i + 1] ** 2 + g[3 * i + 2] ** 2);
    if (!(f <= most)) most = f;
  }
  return most / load;
}

/** Share of the extent of a sheet that the mean of an attached patch may be off its target in equilibrium. */
const OFF_TARGET = 1e-7;

/** Whether attachments hold their means where they should; if not, their multipliers take over what the spring behind them gave way. */
function areMeansHeld(system: Stepper): boolean {
  const { attachments, state } = system;
  if (!attachments) return true;
  attachments.evaluate(state.Y);
  let most = 0;
  for (let r = 0; r < attachments.g.length; r++) most = Math.max(most, Math.abs(attachments.g[r]));
  if (most <= OFF_TARGET * extent(system)) return true;
  attachments.updateMultipliers();
  return false;
}

/**
 * Newton's method on the energy itself, held back by the inertia of a time step that doubles while the line search takes
 * whole steps and shrinks where it does not. The membrane starts soft and is made ten times stiffer from equilibrium to equilibrium, which
 * hardly moves: two-corner cloth of 331 points takes 480 iterations, and 10 000 without reaching equilibrium if each time step is solved to its end.
 */
function relax(
  system: Stepper,
  report: EquilibriumReport,
  isLast: boolean,
  forceTolerance: number,
  maxIterations: number,
): void {
  const { state, work } = system;
  const { Y } = state;
  const preconditioner = preconditionerOf(system, work.twoLevel);
  const options = { ...RELAXATION, moveTolerance: 1e-9 * extent(system), exactFrom: 0 };
  const goesFar = system.scene.pressure !== 0 || system.bodies !== null;
  const enough = isLast ? forceTolerance : STAGE_FORCE;
  let wasCut = false;
  for (let k = 0; k < maxIterations && work.minimise.budget.cgIterations > 0; k++) {
    const potential = open(system, report.h);
    // after an exact iteration that the line search cut, one on the convex model
    const isNear: boolean = report.force < NEAR;
    const isExact: boolean = system.framed > 0 && isNear && !wasCut;
    options.maxIterations = goesFar && !isNear ? FROM_AFAR : RELAXATION.maxIterations;
    options.exactFrom = isExact ? 0 : options.maxIterations;
    const result = minimise(Y, potential, work.minimise, preconditioner, options);
    wasCut = isExact && result.halvings > 1;
    report.iterations += result.iterations;
    report.cgIterations += result.cgIterations;
    // the force that remains without inertia
    const still = prepare(system, Number.MAX_VALUE, false, system.h * state.steps);
    gradient(Y, still, work.minimise);
    report.force = largestForce(system);
    if (result.finite) close(system);
    if (report.force <= enough && (!isLast || areMeansHeld(system))) {
      report.converged = isLast;
      return;
    }
    if (!result.finite) {
      Y.set(work.start);
      report.h *= SHORTER;
    } else if (result.iterations === 0) {
      // inertia too small for a direction that leads down: a stiff plate on a ball stayed so until its budget was used up
      report.h = Math.max(SHORTER * report.h, SHORTEST_STEP);
    } else if (result.halvings === 0) report.h = Math.min(2 * report.h, LONGEST_STEP);
    else if (result.halvings > 1) report.h = Math.max(0.5 * report.h, SHORTEST_STEP);
  }
}
