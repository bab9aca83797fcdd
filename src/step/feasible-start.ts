/**
 * The feasible start of a step: pins and bodies where they go, and the sheet somewhere that it can reach without passing anything.
 *
 * Three starts are compared: where the sheet is, the inertial prediction, and the last step's motion carried on with its acceleration, which halves
 * the iterations of smooth motion. The lowest is taken, each as far as contact allows.
 */

import { HELD_BEFORE } from "../system/system.ts";
import type { Potential } from "./potential.ts";
import type { Solver } from "./solvers.ts";
import type { Stepper } from "./stepper.ts";

/**
 * Writes the start of the minimisation into Y. False if the drivers cannot get where they go; those in the way are then marked
 * in work.drivers.blocked.
 */
export function feasibleStart(
  system: Stepper,
  potential: Potential,
  { speedTolerance, options }: Solver,
  h: number,
): boolean {
  const { state, work, pins, bodies } = system;
  const { Y, V } = state;
  const { trial } = work.minimise;
  const held = writeStarts(system, h);
  work.drivers.pushing.fill(0);
  if (bodies?.isEntered(trial, work.start)) {
    markBlocked(system);
    return false;
  }
  let here = isReached(system);
  if (!here) {
    // points are pressed into the next layer, or a thin body passed them: displace all points near the bodies
    for (let k = 0; k < Y.length; k++) trial[k] = pins.fixed[k] ? pins.target[k] : Y[k];
    bodies?.squeeze(trial, pins.fixed);
    here = isReached(system);
    if (!here) {
      markBlocked(system);
      return false;
    }
  }
  markStopped(system, work.drivers.pushing);
  // a sheet slower than the tolerance is at rest and starts from where it is, unless it has just been released
  const isHeldAsBefore = state.steps > 0 && held === state.numbers[HELD_BEFORE];
  state.numbers[HELD_BEFORE] = held;
  if (here && isHeldAsBefore && fastest(system) < speedTolerance) {
    Y.set(trial);
    options.guess = V; // as a direction: if the sheet still creeps, it goes on like that
    return true;
  }
  if (takeLowest(system, potential, here, h)) return true;
  markBlocked(system);
  return false;
}

/**
 * Writes the present positions with pins at their targets into trial; the prediction and the extrapolated motion get the same pins. Returns how many
 * coordinates are held.
 */
function writeStarts({ state, work, pins }: Stepper, h: number): number {
  const { Y, V, Vold } = state;
  const { trial, d: carried } = work.minimise;
  const { predicted } = work;
  const { fixed, target } = pins;
  let held = 0;
  for (let k = 0; k < Y.length; k++) {
    held += fixed[k];
    trial[k] = fixed[k] ? target[k] : Y[k];
    if (fixed[k]) predicted[k] = target[k];
    carried[k] = fixed[k] ? target[k] : Y[k] + h * (2 * V[k] - Vold[k]);
  }
  return held;
}

/** Y becomes the lowest of trial (if it is allowed) and the other starts; false if none is. */
function takeLowest(system: Stepper, potential: Potential, here: boolean, h: number): boolean {
  const { state, work, pins, bodies, layers } = system;
  const { Y } = state;
  const { trial, d: carried, p } = work.minimise;
  const isSmooth = state.smoothSteps > 0 && h === system.h;
  let lowest = here ? value(trial, potential, system) : Infinity;
  let best = trial;
  for (let candidate = 0; candidate < (isSmooth ? 2 : 1); candidate++) {
    const guess = candidate === 0 ? work.predicted : carried;
    if (system.framed > 0) turnFrames(system, guess);
    if (bodies && !bodies.makeFeasible(guess, work.start, pins.fixed)) continue;
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

/** Frames of a guess turn from where they are instead of being carried straight on, which would strain them. */
function turnFrames({ state: { Y }, work, pins, framed }: Stepper, guess: Float64Array): void {
  const { p, delta, ops } = work.minimise;
  for (let k = 0; k < Y.length; k++) p[k] = guess[k] - Y[k];
  ops.retract(delta, framed, Y, 1, p);
  for (let k = 3 * framed; k < 9 * framed; k++) if (!pins.fixed[k]) guess[k] = Y[k] + delta[k];
}

/** m/s: the fastest coordinate of this step and the last. */
function fastest({ state: { V, Vold } }: Stepper): number {
  let most = 0;
  for (let k = 0; k < V.length; k++) {
    const speed = Math.max(Math.abs(V[k]), Math.abs(Vold[k]));
    if (speed > most) most = speed;
  }
  return most;
}

/** Tries of bodies and layers in turn: what is pushed out of one may be pushed into the other. */
const TURNS = 4;

/**
 * Makes `trial` a start: only what can be reached without touching is, and held points and bodies must get there whole. Points that are in the way are
 * pushed aside. False if that fails.
 */
function isReached({ work, pins, bodies, layers }: Stepper): boolean {
  const { trial } = work.minimise;
  for (let turn = 0; turn < TURNS; turn++) {
    if (bodies && !bodies.makeFeasible(trial, work.start, pins.fixed)) return false;
    if (!layers) return true;
    if (!layers.moveBodies(trial, pins.fixed)) return false;
    if (!bodies || bodies.barrier.energy(trial) < Infinity) return true;
    layers.moveBack();
  }
  return false;
}

/** Marks the drivers that are in the way; all that move if nothing says which. */
function markBlocked(system: Stepper): void {
  const { from, to, blocked, moves, count } = system.work.drivers;
  if (markStopped(system, blocked)) return;
  for (let d = 0; d < count; d++) if (moves[d] && to[d] !== from[d]) blocked[d] = 1;
}

/** Marks the moving drivers that the last motion of bodies and held points found something in the way of; whether there are any. */
function markStopped({ work, pins, bodies, layers }: Stepper, marks: Uint8Array): boolean {
  const { drivers } = work;
  const { from, to, moves, count } = drivers;
  let any = false;
  for (let d = 0; d < count; d++) {
    if (!moves[d] || to[d] === from[d]) continue;
    let isStopped = false;
    if (d >= drivers.pins) {
      const b = d - drivers.pins;
      isStopped = bodies?.inWay[b] === 1 || layers?.inWay[b] === 1;
    } else {
      const { points } = pins.held[d];
      for (let k = 0; k < points.length && !isStopped; k++)
        isStopped = layers?.isStopped[points[k]] === 1 || bodies?.isStopped[points[k]] === 1;
    }
    if (!isStopped) continue;
    marks[d] = 1;
    any = true;
  }
  return any;
}

/** Φ(Y) up to a constant; good to rounding of a|Y|², enough to compare two starts. */
function value(Y: Float64Array, { base, b, sets }: Potential, { work }: Stepper): number {
  const { ops, Ad } = work.minimise;
  ops.multiplyScalar3(Ad, base, Y);
  let E = 0.5 * ops.dot(Y, Ad) - ops.dot(Y, b);
  for (let s = 0; s < sets.length; s++) E += sets[s].energy(Y);
  return E;
}
