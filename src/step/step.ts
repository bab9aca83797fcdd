/**
 * One step (§5) by the solvers accurate and interactive: the incremental potential minimised (minimise.ts). With implicit Euler
 *
 *   Φ(Y) = Σ m/(2h²)|Y − Ỹ|² + E_bend + E_isometry + loads,     Ỹ = Y₀ + h V₀
 *
 * and with BDF2 the same with h → 2h/3 and Ỹ = (4Y₀ − Y₋₁)/3 + h(8V₀ − 2V₋₁)/9. Each sheet has
 * an order of its own: BDF2 gives way to Euler where something touches or leads the sheet, near rest, and where it would gain energy (second-order.ts).
 *
 * When the minimiser does not get there (a pin torn away, a 20 m/s impact) the step is restored, halved and taken in two, at most MAX_DEPTH deep. What is
 * still not solved then is accepted if it is finite, and reported: which point is out of balance, by how much, and why the minimisation
 * ended. A driver (drivers.ts) that has no way on is held back. A state that is not finite is never accepted: the step throws.
 *
 * A step has a budget of iterations: what is not solved within it is accepted and reported the same way.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { hold } from "../system/attachments.ts";
import { CONTACTS, LAST_STEP } from "../system/system.ts";
import { leaveSaddle } from "./buckling.ts";
import {
  arrive,
  driverName,
  isLate,
  markMoving,
  obstacleOf,
  setPaths,
  strainingObstacle,
  updateWaits,
} from "./drivers.ts";
import { feasibleStart } from "./feasible-start.ts";
import { isForced, isOverstretched } from "./forced.ts";
import { prepare } from "./incremental-potential.ts";
import {
  type Ending,
  finish,
  type MinimiseReport,
  minimising,
  type Potential,
} from "./minimise.ts";
import { clearReport, SimulationError, type StepReport, worsen } from "./outcome.ts";
import { MAX_DEPTH, type Part, type Parts, push } from "./parts.ts";
import {
  chooseOrders,
  countCalm,
  leaveLed,
  originOf,
  settleAccounts,
  spoilsOrder,
} from "./second-order.ts";
import { isAsleep, sleep } from "./sleep.ts";
import { countRounds, type Solver } from "./solvers.ts";
import type { Stepper } from "./stepper.ts";

export { SimulationError, type StepReport } from "./outcome.ts";

/** s: tolerances are per step of this size; shorter steps are more in number and must each be better. */
const REFERENCE_STEP = 1 / 240;
/** A body that moves further than so many spacings in a step, and is near, has its step halved at once: the whole one would fail. */
const FAST_BODY = 1;
/** What is not solved is halved so many times whatever it looks like: in shorter steps inertia dominates, and most are solved then. */
const FIRST_HALVES = 2;
/** After that a part whose last move is under this share of the spacing is not halved: shorter ones would not be better. */
const ACCEPTED_MOVE = 0.05;
/**
 * … unless the sheet is strained beyond this many times its limit: a short move is not a small error. A blow has ended so with 44 % of
 * strain in one of seven runs.
 */
const TORN = 10;
/**
 * Newton iterations that a step may cost, all its parts together: a wire that goes 22 spacings in a step needs 989 in 32 parts. And iterations of inner
 * solves times points, some 20 s of work on one core of 2024, within these limits.
 */
const BUDGET = 2000;
/** … of an interactive step, as a multiple of those that it takes as a rule: it goes on while a sheet is strained beyond 2 %. */
const INTERACTIVE_BUDGET = 10;
const CG_WORK = 6e7;
const CG_LEAST = 10_000;
const CG_MOST = 60_000;

/** Halves of a part cost about as much each as the whole. */
const HALVES = 2;

/** Advances the state by h. */
export function step(system: Stepper, solver: Solver, report: StepReport): void {
  finish(stepping(system, solver, report));
}

/** The same in slices: yields when the caller should handle events. The state is complete only at the end. */
export function* stepping(
  system: Stepper,
  solver: Solver,
  report: StepReport,
): Generator<void, void> {
  const { state, work } = system;
  const { preconditioner, options } = solver;
  if (isAsleep(system, state.steps * system.h, (state.steps + 1) * system.h)) {
    sleep(system, report);
    return;
  }
  const parts = beginStep(system, solver, report);
  while (parts.count > 0) {
    const part = parts.list[--parts.count];
    const potential = startPart(system, solver, part, parts, report);
    if (!potential) continue;
    let result = yield* minimising(state.Y, potential, work.minimise, preconditioner, options);
    countRounds(report, result);
    while (isContinued(system, solver, result)) {
      result = yield* minimising(state.Y, potential, work.minimise, preconditioner, options);
      countRounds(report, result);
    }
    const { converged, ending, residual, worst } = result;
    if (spoilsOrder(system, part, result, options.energyTolerance)) {
      redo(system, part, parts);
      continue;
    }
    if (isHalved(system, solver, part, result)) {
      halve(system, part, parts, report);
      continue;
    }
    if (isForced(system, part)) {
      const isTried = part.depth >= FIRST_HALVES || isLate(system, part.t0);
      if (!isTried && canHalve(system, part)) halve(system, part, parts, report);
      else redoWithoutPushing(system, part, parts, report);
      continue;
    }
    if (!converged) noteUnsolved(report, ending, residual, worst);
    close(system, part);
    if (parts.count === 0 && report.outcome === "solved" && !system.baseline)
      leaveSaddle(system, solver);
  }
  endStep(system, report);
}

/** One part from here to h later, a report of nothing, and a full budget. */
function beginStep(system: Stepper, solver: Solver, report: StepReport): Parts {
  const { isInteractive, options } = solver;
  const { state, work, h } = system;
  const { parts } = work;
  clearReport(report);
  const { budget } = work.minimise;
  budget.iterations = isInteractive ? INTERACTIVE_BUDGET * options.maxIterations : BUDGET;
  budget.cgIterations = Math.max(CG_LEAST, Math.min(CG_MOST, CG_WORK / system.n));
  work.startY.set(state.Y);
  work.startV.set(state.V);
  work.drivers.held.fill(0);
  markMoving(system);
  parts.count = 0;
  const smooth = chooseOrders(system, solver.speedTolerance);
  push(parts, state.steps * h, (state.steps + 1) * h, h, smooth, 0);
  return parts;
}

function endStep(system: Stepper, report: StepReport): void {
  const { state, work, h } = system;
  // the next step looks back a whole one, however many parts this one had
  state.Yold.set(work.startY);
  state.Vold.set(work.startV);
  state.numbers[LAST_STEP] = h;
  updateWaits(system);
  report.contacts = (system.bodies?.barrier.blocks ?? 0) + (system.layers?.barrier.blocks ?? 0);
  state.numbers[CONTACTS] = report.contacts;
  const isWhole = report.outcome === "solved";
  countCalm(system);
  state.smoothSteps = isWhole ? state.smoothSteps + 1 : 0;
  state.steps += 1;
  report.residual = system.isometry.residual();
}

/** The same part once more, with the orders that are left. */
function redo({ state, work }: Stepper, part: Part, parts: Parts): void {
  const { t0, t1, h, smooth, depth, isHeld } = part;
  state.Y.set(work.start);
  push(parts, t0, t1, h, smooth, depth);
  parts.list[parts.count - 1].isHeld = isHeld;
}

/** The feasible start of a part into Y, and its potential; null if the part was halved, or is over because nothing can move. */
function startPart(
  system: Stepper,
  solver: Solver,
  part: Part,
  parts: Parts,
  report: StepReport,
): Potential | null {
  const { state, work, bodies } = system;
  if (!part.isHeld) work.drivers.blocked.fill(0);
  let potential = open(system, part);
  let isReady = false;
  if (!canHalve(system, part) || !bodies || !(bodies.reach[0] > FAST_BODY * work.spacing))
    isReady = feasibleStart(system, potential, solver, part.h);
  if (!isReady && canHalve(system, part) && !isLate(system, part.t0)) {
    halve(system, part, parts, report);
    return null;
  }
  // drivers that are blocked keep their clocks: first those that are known to be, then all
  for (let tries = 0; !isReady && tries < 2; tries++) {
    if (tries > 0) work.drivers.blocked.fill(1);
    holdBack(system, part.t1, report);
    potential = open(system, part);
    isReady = feasibleStart(system, potential, solver, part.h);
  }
  setTolerances(system, solver, part.h);
  if (isReady) return potential;
  state.Y.set(work.start);
  worsen(report, "unsolved");
  close(system, part);
  return null;
}

/** The same part once more with the drivers that pushed left where they are. */
function redoWithoutPushing(
  system: Stepper,
  { t0, t1, h, smooth, depth }: Part,
  parts: Parts,
  report: StepReport,
): void {
  const { blocked, pushing, obstacle, count } = system.work.drivers;
  blocked.set(pushing);
  for (let d = 0; d < count; d++) if (pushing[d]) obstacle[d] ??= strainingObstacle(system, d);
  holdBack(system, t1, report);
  push(parts, t0, t1, h, smooth, depth);
  parts.list[parts.count - 1].isHeld = true;
}

function canHalve({ work }: Stepper, { depth }: Part): boolean {
  return depth < MAX_DEPTH && work.minimise.budget.iterations > 0;
}

/** An interactive step leaves what it has no time for to the next ones, but not strain: whether its iterations go on. */
function isContinued(
  system: Stepper,
  { isInteractive }: Solver,
  { finite, ending }: MinimiseReport,
): boolean {
  if (!isInteractive || !finite || ending !== "iterations") return false;
  return system.work.minimise.budget.iterations > 0 && isOverstretched(system);
}

/** Whether a part that was minimised so should be tried in halves. */
function isHalved(
  system: Stepper,
  solver: Solver,
  part: Part,
  { finite, converged, lastMove, cgIterations }: MinimiseReport,
): boolean {
  const { state, work, isometry } = system;
  if (!finite) {
    if (part.depth >= MAX_DEPTH)
      throw new SimulationError("positions are no longer finite", part.t1, notFinite(state.Y));
    return true;
  }
  if (converged || solver.isInteractive || !canHalve(system, part)) return false;
  // what was reached is better than two halves that the budget does not last for, of which the second would stand still
  if (work.minimise.budget.cgIterations < HALVES * cgIterations) return false;
  if (isForced(system, part) && isLate(system, part.t0)) return false;
  const isTorn = (isometry.excess?.() ?? 0) > TORN;
  return part.depth < FIRST_HALVES || lastMove >= ACCEPTED_MOVE * work.spacing || isTorn;
}

/** Pins, bodies and layers for this part, and its potential. */
function open(system: Stepper, part: Part): Potential {
  const { t0, t1, h } = part;
  const { state, work, pins, bodies, layers } = system;
  const { Y, V } = state;
  work.start.set(Y);
  setPaths(system, t0, t1);
  hold(pins, t1, work.drivers.to);
  part.smooth = leaveLed(system, h) && part.smooth;
  const t = performance.now();
  bodies?.beginStep(Y, work.drivers.bodies, h, pins.fixed);
  layers?.beginStep(Y, V, h, work.drivers.bodies);
  const prepared = performance.now();
  work.clock.contact += prepared - t;
  const potential = prepare(system, h, part.smooth, t1);
  work.twoLevel.startStep();
  work.clock.predict += performance.now() - prepared;
  return potential;
}

/** Multipliers, anchors, clocks and velocities at the end of a part. */
function close(system: Stepper, { h }: Part): void {
  const { state, work, bodies, layers } = system;
  const { Y, V, Yold, Vold } = state;
  const { start, second } = work;
  const { step } = second;
  system.attachments?.updateMultipliers(); // what the spring behind them still gave way, the next step takes back
  bodies?.endStep(Y);
  layers?.endStep(Y);
  arrive(system);
  if (system.limp) state.tension.set(system.limp.lasting);
  settleAccounts(system);
  for (let k = 0; k < V.length; k++) {
    const i = Math.floor(k / 3);
    const v = (Y[k] - originOf(second, start, Yold, k, step[i] < h)) / step[i];
    Vold[k] = V[k];
    V[k] = v;
  }
  Yold.set(start);
  state.numbers[LAST_STEP] = h;
}

/** The step is not solved: where and why, if this is the worst of it. */
function noteUnsolved(report: StepReport, ending: Ending, residual: number, worst: number): void {
  worsen(report, "unsolved");
  if (!(residual > report.force)) return;
  report.force = residual;
  report.worst = worst;
  report.ending = ending;
}

function setTolerances(system: Stepper, solver: Solver, h: number): void {
  const { options } = solver;
  const speed = Math.max(solver.speedTolerance, solver.relativeTolerance * rmsSpeed(system));
  const fine = speed * Math.min(1, system.h / REFERENCE_STEP);
  options.moveTolerance = fine * h;
  options.energyTolerance = mass(system) * fine * fine;
}

/** Two halves instead of a part. */
function halve(
  system: Stepper,
  { t0, t1, h, smooth, depth }: Part,
  parts: Parts,
  report: StepReport,
): void {
  system.state.Y.set(system.work.start);
  worsen(report, "substeps");
  report.substeps += report.substeps === 0 ? 2 : 1;
  const middle = 0.5 * (t0 + t1);
  push(parts, middle, t1, 0.5 * h, smooth, depth + 1);
  push(parts, t0, middle, 0.5 * h, smooth, depth + 1);
}

/** The drivers that are blocked stay where they are in this part; the scene may want to be stopped instead. */
function holdBack(system: Stepper, t1: number, report: StepReport): void {
  const { state, work, scene } = system;
  const { blocked, held, from, to, count, obstacle } = work.drivers;
  state.Y.set(work.start);
  worsen(report, "held-back");
  for (let d = 0; d < count; d++) {
    if (!blocked[d] || from[d] === to[d]) continue;
    held[d] = 1;
    obstacle[d] ??= obstacleOf(system, d);
    if (scene.stuck === "stop")
      throw new SimulationError(`${driverName(system, d)} cannot go on: ${obstacle[d]}`, t1, []);
  }
}

/** m/s */
function rmsSpeed(system: Stepper): number {
  const { state, m, n } = system;
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const k = 3 * i;
    const x = state.V[k];
    const y = state.V[k + 1];
    const z = state.V[k + 2];
    sum += m[i] * (x * x + y * y + z * z);
  }
  return Math.sqrt(sum / mass(system));
}

/** kg */
function mass({ m, n }: Stepper): number {
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
