/**
 * One step (§5).
 *
 * solver: accurate and interactive minimise the incremental potential (minimise.ts). With implicit Euler
 *
 *   Φ(Y) = Σ m/(2h²)|Y − Ỹ|² + E_bend + E_isometry + loads,     Ỹ = Y₀ + h V₀
 *
 * and with BDF2 the same with h → 2h/3 and Ỹ = (4Y₀ − Y₋₁)/3 + h(8V₀ − 2V₋₁)/9. After a step that needed help BDF2
 * starts again from Euler.
 *
 * When the minimiser does not get there (a pin torn away, a 20 m/s impact) the ladder is: (1) its clamped stiffness and
 * line search; (2) accept after the last iteration if the last Newton step, before contact or the line search shortened
 * it, was under a twentieth of a spacing; (3) restore, halve h, move the pins half way, at most five deep; (4) accept a
 * finite iterate and say so. A body that comes near faster than a spacing per step is followed in halves from the start.
 * A state that is not finite is never accepted: the step throws, with the time and the points.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { hold } from "../system/attachments.ts";
import type { System } from "../system/build.ts";
import { directPreconditioner } from "./direct.ts";
import { prepare } from "./incremental-potential.ts";
import {
  type MinimiseOptions,
  type MinimiseReport,
  minimise,
  type Potential,
  type Preconditioner,
} from "./minimise.ts";

export interface StepReport {
  /** Newton iterations or projections. */
  rounds: number;
  /** max |g| of the constraint set at the end. */
  residual: number;
  /** 1: plain; 2: accepted with a small last move; 3: sub-steps; 4: accepted unconverged. */
  rung: number;
  converged: boolean;
  cgIterations: number;
  contacts: number;
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

/** What one solver does differently from another. */
export interface Solver {
  readonly preconditioner: Preconditioner;
  readonly options: MinimiseOptions;
  /** m/s: the accuracy asked for; moveTolerance = this × h. */
  readonly speedTolerance: number;
  /** 1: the same as a share of the root mean square speed of the sheet. */
  readonly relativeTolerance: number;
  /** interactive: a fixed number of iterations is success. */
  readonly fixedIterations: boolean;
}

/** Below this step size inertia rules and block-Jacobi alone is best; above it the two-level preconditioner is. */
const SMALL_STEP = 1.5e-3;
/**
 * Below it one Newton iteration is often all, and what its inner solve leaves is lost for good, a thousand times a second. At 0.2 a
 * spinning sheet lost 2 % of its momentum in half a second at 1 ms; at 0.05 (and REFERENCE_STEP) 0.1 %, for a fifth more time.
 */
const SMALL_CG = 0.05;
/** s: tolerances are per step of this size; shorter steps are more in number and must each be better. */
const REFERENCE_STEP = 1 / 240;

/**
 * A step is not done while points still move by more than this share of their spacing. Sheets of cloth reach it long
 * before 1 mm/s; wrinkles of a millimetre that grow within a second move no faster than that, and would seem at rest.
 */
const FINEST_MOVE = 1e-3;

/** accurate: stops when a Newton step moves no point by more than 1 mm/s·h, or 1 % of the root mean square speed. */
export function accurateSolver(system: System): Solver {
  const { h, work } = system;
  return {
    preconditioner: preconditionerOf(system, h > SMALL_STEP ? work.twoLevel : work.fine),
    options: {
      moveTolerance: 0,
      energyTolerance: 0,
      maxIterations: 40,
      cgTolerance: h > SMALL_STEP ? 0.2 : SMALL_CG,
      cgMax: 400,
    },
    speedTolerance: Math.min(1e-3, (FINEST_MOVE * work.spacing) / h),
    relativeTolerance: 0.01,
    fixedIterations: false,
  };
}

/**
 * interactive: at most three Newton iterations per step, warm-started. The line search still lowers the potential, so a
 * step that is cut short loses energy rather than gaining it, and what is missing is made up for in the next steps.
 */
export function interactiveSolver(system: System): Solver {
  return {
    preconditioner: preconditionerOf(system, system.work.twoLevel),
    options: {
      moveTolerance: 0,
      energyTolerance: 0,
      maxIterations: 3,
      cgTolerance: 0.25,
      cgMax: 60,
    },
    speedTolerance: 2e-3,
    relativeTolerance: 0.02,
    fixedIterations: true,
  };
}

/** The sheet's preconditioner; a solid under it has one of its own, and stiff shells are solved directly. */
export function preconditionerOf(system: System, sheet: Preconditioner): Preconditioner {
  const own = system.baseline?.membrane ? directPreconditioner(system) : sheet;
  return system.substrate?.precondition(own) ?? own;
}

const MAX_DEPTH = 5;
/** A body that moves further than so many spacings in a step, and is near, is followed in halves from the start: it would only fail. */
const FAST_BODY = 1;
/** After the last iteration a move under this share of the spacing is good enough. */
const ACCEPTED_MOVE = 0.05;
/**
 * … unless the sheet is strained beyond this many times its limit: a short move is not a small error. A blow has ended so with 44 % of
 * strain in one of seven runs.
 */
const TORN = 10;

/** The multiple of the limit on strain (isometry.ts) at which it is made stiffer: 1 % of length. */
const TOO_STRAINED = 2;
/** How often a step is made harder and minimised further, */
const HARDENINGS = 4;
/** and how much at most: inner solves of stiffer ones hit their maximum. */
const HARDEST = 100;
/** Energy from nowhere that a blow may bring along, as a share of what is in motion. At 0.1 sheets that are still being hit stay strained; 1 does as well. */
const LENT = 0.3;

/** Advances the state by h. Allocates nothing but when a clamp is let go. */
export function step(system: System, solver: Solver, report: StepReport): void {
  const { state, work, h } = system;
  const { Y, V } = state;
  report.rounds = 0;
  report.cgIterations = 0;
  report.rung = 1;
  report.converged = true;
  report.contacts = 0;
  const t0 = state.steps * h;
  const t1 = (state.steps + 1) * h;
  work.startY.set(Y);
  work.startV.set(V);

  const smooth = system.scene.integrator === "bdf2" && state.smoothSteps > 0;
  advance(system, solver, t0, t1, h, smooth, 0, report);

  state.Yold.set(work.startY);
  state.Vold.set(work.startV);
  report.contacts = (system.bodies?.barrier.blocks ?? 0) + (system.layers?.barrier.blocks ?? 0);
  // what touches has a kink in its motion: a second-order step across it would throw the sheet back
  const kinked = system.scene.integrator === "bdf2" && report.contacts > 0;
  state.smoothSteps = report.rung > 1 || kinked ? 0 : state.smoothSteps + 1;
  state.steps += 1;
  report.residual = system.isometry.residual();
}

/** From t0 to t1 in one go, or in two halves if that fails. */
function advance(
  system: System,
  solver: Solver,
  t0: number,
  t1: number,
  h: number,
  smooth: boolean,
  depth: number,
  report: StepReport,
): void {
  const { state, work, pins, n } = system;
  const { Y, V } = state;
  const { start } = work;
  start.set(Y);
  hold(pins, t1);
  const t = performance.now();
  system.bodies?.beginStep(Y, t0, t1, pins.fixed);
  system.layers?.beginStep(Y, V, h, t0, t1);
  const prepared = performance.now();
  work.clock.contact += prepared - t;
  if (depth < MAX_DEPTH && system.bodies && system.bodies.reach[0] > FAST_BODY * work.spacing) {
    halve(system, solver, t0, t1, h, depth, report);
    return;
  }
  const potential = prepare(system, h, smooth, t1);
  work.twoLevel.startStep();

  const ready = chooseStart(system, potential, solver, h);
  work.clock.predict += performance.now() - prepared;
  let failed = !ready;
  if (ready) {
    const speed = Math.max(solver.speedTolerance, solver.relativeTolerance * rmsSpeed(system));
    const fine = speed * Math.min(1, system.h / REFERENCE_STEP);
    solver.options.moveTolerance = fine * h;
    solver.options.energyTolerance = mass(system) * fine * fine;
    const result = descend(system, potential, solver, report);
    const { finite, converged, lastMove } = result;
    failed = !finite || (!converged && !solver.fixedIterations);
    if (failed && finite) {
      const isTorn = (system.isometry.excess?.() ?? 0) > TORN && depth < MAX_DEPTH;
      if (lastMove < ACCEPTED_MOVE * work.spacing && !isTorn) {
        report.rung = Math.max(report.rung, 2);
        failed = false;
      } else if (depth >= MAX_DEPTH) {
        report.rung = 4;
        report.converged = false;
        failed = false;
      }
    }
    if (!finite && depth >= MAX_DEPTH)
      throw new SimulationError("positions are no longer finite", t1, notFinite(Y));
    if (!failed && !solver.fixedIterations) harden(system, potential, solver, h, report);
  } else if (depth >= MAX_DEPTH) {
    // a body or a pin leaves no way out: stay, and say so
    Y.set(start);
    report.rung = 4;
    report.converged = false;
    failed = false;
  }
  if (failed) {
    Y.set(start);
    halve(system, solver, t0, t1, h, depth, report);
    return;
  }
  system.attachments?.updateMultipliers(); // what the spring behind them still gave way, the next step takes back
  system.bodies?.endStep(Y);
  system.layers?.endStep(Y);

  // V = (Y − Y₀)/h, or the second-order difference
  if (smooth) {
    const { Yold } = state;
    for (let k = 0; k < 3 * n; k++) V[k] = (3 * Y[k] - 4 * start[k] + Yold[k]) / (2 * h);
  } else for (let k = 0; k < 3 * n; k++) V[k] = (Y[k] - start[k]) / h;
}

/**
 * A sheet that is jerked by Δv strains by Δv/c, c the speed of its waves, however well the step is solved: beyond the limit c is some 2 km/s, and
 * a ball at 20 m/s, whose blow the sheet focuses, strained it by 4 %. So where a step leaves the sheet at twice its limit the limit is made ten times
 * stiffer for the rest of the step, which is minimised further from there, and again.
 *
 * A good third of these run out of iterations. They are taken as they are: each iteration lowers the potential, and the sheet of before
 * was strained more. Stiff from the start, steps with a blow end frozen.
 *
 * A sheet that was strained beyond its limit already would be thrown back by a spring that was softer when it was drawn, with energy from nowhere:
 * not where that is a share of what is in motion.
 *
 * This is for strain by inertia: where there is more energy in the membrane than in motion, something slow holds the sheet in folds that its
 * mesh has no unstrained shape for. There it was tried and not kept: a crumpled ball had 1 % instead of 3 % for six times the iterations and more.
 */
function harden(
  system: System,
  potential: Potential,
  solver: Solver,
  h: number,
  report: StepReport,
): void {
  const { isometry, state } = system;
  if (!isometry.limit || !isometry.excess || !(isometry.excess() > TOO_STRAINED)) return;
  if (kinetic(system, h) < isometry.energy(state.Y)) return;
  const usual = isometry.limit;
  if (lent(system, usual) > LENT * kinetic(system, h)) return;
  for (let tries = 0; tries < HARDENINGS && isometry.excess() > TOO_STRAINED; tries++) {
    isometry.limit = Math.min(HARDEST * usual, 10 * isometry.limit);
    const { converged } = descend(system, potential, solver, report);
    if (!converged) report.rung = Math.max(report.rung, 2);
    else if (isometry.limit === HARDEST * usual) break;
  }
  isometry.limit = usual;
}

/** J: what the membrane would hold more at the start of the step if its limit had been as hard as can be. */
function lent({ isometry, work }: System, usual: number): number {
  const held = isometry.energy(work.start);
  isometry.limit = HARDEST * usual;
  const most = isometry.energy(work.start);
  isometry.limit = usual;
  return most - held;
}

/** J: of the motion from the start of the step. */
function kinetic({ state: { Y }, work: { start }, m, n }: System, h: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++)
    for (let k = 3 * i; k < 3 * i + 3; k++) sum += m[i] * (Y[k] - start[k]) ** 2;
  return (0.5 * sum) / (h * h);
}

/** Minimises from Y on, and counts. */
function descend(
  { state, work }: System,
  potential: Potential,
  solver: Solver,
  report: StepReport,
): MinimiseReport {
  const result = minimise(state.Y, potential, work.minimise, solver.preconditioner, solver.options);
  report.rounds += result.iterations;
  report.cgIterations += result.cgIterations;
  return result;
}

/** The same way in two halves; `work.start` is theirs to overwrite. */
function halve(
  system: System,
  solver: Solver,
  t0: number,
  t1: number,
  h: number,
  depth: number,
  report: StepReport,
): void {
  report.rung = Math.max(report.rung, 3);
  const middle = 0.5 * (t0 + t1);
  advance(system, solver, t0, middle, 0.5 * h, false, depth + 1, report);
  advance(system, solver, middle, t1, 0.5 * h, false, depth + 1, report);
}

/**
 * Writes the start of the minimisation into Y: where we are, the inertial prediction, or the last step's motion carried on with its
 * acceleration, whichever is lowest, as far as contact allows. (The last halves the iterations of smooth motion.) False if none is allowed.
 */
function chooseStart(
  system: System,
  potential: Potential,
  { speedTolerance, options }: Solver,
  h: number,
): boolean {
  const { state, work, pins, bodies, layers } = system;
  const { Y, V, Vold } = state;
  const { start, predicted } = work;
  const { trial, d: carried, p } = work.minimise;
  const { fixed, target } = pins;
  const smooth = state.smoothSteps > 0 && h === system.h;
  let fastest = 0;
  let held = 0;
  for (let k = 0; k < Y.length; k++) {
    const speed = Math.max(Math.abs(V[k]), Math.abs(Vold[k]));
    if (speed > fastest) fastest = speed;
    held += fixed[k];
    trial[k] = fixed[k] ? target[k] : Y[k];
    if (fixed[k]) predicted[k] = target[k];
    carried[k] = fixed[k] ? target[k] : Y[k] + h * (2 * V[k] - Vold[k]);
  }
  let here = !bodies || bodies.makeFeasible(trial, start, fixed);
  if (!here || !isReached(system)) {
    // pressed into the next layer, or run over by something thin: all of it makes way
    for (let k = 0; k < Y.length; k++) trial[k] = fixed[k] ? target[k] : Y[k];
    bodies?.squeeze(trial, fixed);
    here = !bodies || bodies.makeFeasible(trial, start, fixed);
    if (!isReached(system)) return false;
  }
  // slower than the accuracy asked for it is at rest, and here is where it will be, unless it has only just been let go
  const isHeldAsBefore = state.steps > 0 && held === work.minimise.heldCount;
  if (here && isHeldAsBefore && fastest < speedTolerance) {
    Y.set(trial);
    options.guess = V; // as direction: it creeps on, if at all
    return true;
  }
  let lowest = here ? value(trial, potential, system) : Infinity;
  let best = trial;
  for (let candidate = 0; candidate < (smooth ? 2 : 1); candidate++) {
    const guess = candidate === 0 ? predicted : carried;
    if (bodies && !bodies.makeFeasible(guess, start, fixed)) continue;
    if (layers) {
      for (let k = 0; k < Y.length; k++) p[k] = guess[k] - trial[k];
      const t = layers.barrier.maxStep?.(trial, p) ?? 1;
      for (let k = 0; k < Y.length; k++) guess[k] = trial[k] + t * p[k];
    }
    const height = value(guess, potential, system);
    if (height < lowest) {
      lowest = height;
      best = guess;
    }
  }
  Y.set(best);
  return lowest < Infinity;
}

/** Whether what is in `trial` is a start: only what can be reached without touching is, and held points and meshes must get there whole. */
function isReached({ work, pins, layers }: System): boolean {
  if (!layers) return true;
  const { trial, p } = work.minimise;
  layers.carry(trial, pins.fixed);
  for (let k = 0; k < p.length; k++) p[k] = trial[k] - work.start[k];
  return layers.moveBodies(work.start, p);
}

/** Φ(Y) up to a constant; good to rounding of a|Y|², enough to compare two starts. */
function value(Y: Float64Array, { base, b, sets }: Potential, { work }: System): number {
  const { ops, Ad } = work.minimise;
  ops.multiplyScalar3(Ad, base, Y);
  let E = 0.5 * ops.dot(Y, Ad) - ops.dot(Y, b);
  for (let s = 0; s < sets.length; s++) E += sets[s].energy(Y);
  return E;
}

/** m/s */
function rmsSpeed(system: System): number {
  const { state, m, n } = system;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const k = 3 * i;
    sum += m[i] * (state.V[k] ** 2 + state.V[k + 1] ** 2 + state.V[k + 2] ** 2);
  }
  return Math.sqrt(sum / mass(system));
}

/** kg */
function mass({ m, n }: System): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += m[i];
  return sum;
}

function notFinite(Y: ReadonlyF64): number[] {
  const points: number[] = [];
  for (let i = 0; 3 * i < Y.length; i++)
    if (
      !(Math.abs(Y[3 * i]) < 1e12 && Math.abs(Y[3 * i + 1]) < 1e12 && Math.abs(Y[3 * i + 2]) < 1e12)
    )
      points.push(i);
  return points;
}
