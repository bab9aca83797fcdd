/**
 * The line search: along the direction of an iteration as far as Armijo's rule allows. The quadratic part of Φ(Y + tp) is taken in closed form: as plain
 * differences it would drown in the rounding of a|Y|² at small steps.
 */
import type { MembraneSet, RowSet } from "../system/system.ts";
import { energyNow, evaluate, type MinimiseWork, type Potential, rowEnergy } from "./potential.ts";

/** Armijo's constant: the share of the predicted decrease that must be real. */
const ARMIJO = 1e-4;
/** Below 2⁻²⁰ of a Newton step the direction is noise. */
const MAX_HALVINGS = 20;
/**
 * The numbers of the direction p of one iteration: J, gᵀp; J, the same of the quadratic part; J, pᵀ(K + diag a)p; m, the longest coordinate of p; m, the
 * longest of what has mass: frames have none. In an array, which is written without a heap object each.
 */
export const direction: Float64Array = new Float64Array(5);
export const SLOPE = 0;
const SLOPE_QUADRATIC = 1;
const CURVATURE = 2;
export const MOVE = 3;
export const SHIFT = 4;

/** Slopes, curvature and length of work.p; Ad = (K + diag a) p. */
export function measureDirection(potential: Potential, work: MinimiseWork): void {
  const { gradient: g, quadratic, p, Ad, ops } = work;
  const framed = potential.framed ?? 0;
  direction[SLOPE] = ops.dot(g, p);
  direction[MOVE] = ops.largest(p, p.length);
  direction[SHIFT] = framed > 0 ? ops.largest(p, 3 * framed) : direction[MOVE];
  if (framed > 0) return; // the line search takes the quadratic part of what was retracted
  ops.multiplyScalar3(Ad, potential.base, p);
  direction[SLOPE_QUADRATIC] = ops.dot(quadratic, p);
  direction[CURVATURE] = ops.dot(p, Ad);
}

/** Armijo's rule along p from `free` down. Moves Y and evaluates the sets there; returns the share taken, 0 if none lowers the potential. */
export function lineSearch(
  Y: Float64Array,
  potential: Potential,
  work: MinimiseWork,
  free: number,
): number {
  const { sets, framed = 0 } = potential;
  const { p, trial, delta, quadratic, report, ops } = work;
  const slope = direction[SLOPE];
  const slopeQuadratic = direction[SLOPE_QUADRATIC];
  const curvature = direction[CURVATURE];
  const energy = energyNow(Y, sets); // after maxStep, which may have renewed what the sets look at
  let t = free;
  for (let halving = 0; halving < MAX_HALVINGS; halving++) {
    if (framed > 0) {
      ops.retract(delta, framed, Y, t, p);
      ops.add(trial, Y, delta);
    } else {
      trial.set(Y);
      ops.axpy(trial, t, p);
    }
    // the first is taken as a rule: its rows are those of the next gradient
    const height = halving === 0 ? evaluate(trial, sets) : rowEnergy(trial, sets);
    const quadraticChange =
      framed > 0 ? changeAlong(potential, work) : t * slopeQuadratic + 0.5 * t * t * curvature;
    const change = height - energy + quadraticChange;
    // rounding of the energies is no reason to stop: allow for it
    const allowed = ARMIJO * t * slope + 1e-14 * Math.abs(energy);
    if (change <= allowed || (framed > 0 && change <= allowed + rounding(energy, sets))) {
      Y.set(trial);
      work.ops.axpy(quadratic, framed > 0 ? 1 : t, work.Ad);
      if (t < free) evaluate(Y, sets);
      if (free < 1 && pressHarder(sets)) evaluate(Y, sets);
      return t;
    }
    t *= 0.5;
    report.halvings++;
  }
  evaluate(Y, sets);
  return 0;
}

/** J: change of the quadratic part along work.delta; Ad = (K + diag a) δ. */
function changeAlong({ base }: Potential, { ops, delta, Ad, quadratic }: MinimiseWork): number {
  ops.multiplyScalar3(Ad, base, delta);
  return ops.dot(quadratic, delta) + 0.5 * ops.dot(delta, Ad);
}

/**
 * J: how well Σψ of an isometric sheet is known. Strains are differences of numbers near 1, so that ½ w g² has an error of ε w |g|, together at most
 * ε √(2 E Σw): near an equilibrium that is more than there is left to gain, and a step would be halved for ever where its gradient still shows the way.
 */
function rounding(energy: number, sets: readonly RowSet[]): number {
  let sum = 0;
  for (let s = 0; s < sets.length; s++) {
    const { stiffness } = sets[s] as Partial<MembraneSet>;
    for (let r = 0; stiffness && r < stiffness.length; r++) sum += stiffness[r];
  }
  return Number.EPSILON * Math.sqrt(2 * Math.abs(energy) * sum);
}

/** Contact that was pressed thin and stopped the step presses back harder; says whether any did. */
function pressHarder(sets: readonly RowSet[]): boolean {
  let any = false;
  for (let s = 0; s < sets.length; s++) if (sets[s].stiffen?.()) any = true;
  return any;
}
