/**
 * The inner solve: preconditioned conjugate gradients on the Newton matrix, in slices.
 *
 * Where the sheet buckles the matrix has directions of little or negative curvature: the path of the iteration is left where it leaves the trust
 * radius (Steihaug), and so leads down into the buckle instead of past it.
 *
 * A solve may take seconds on a large sheet. startSolve and continueSolve keep where they are in work.inner, so that whoever drives them can listen to
 * other things between slices. Slices change no bit.
 *
 * Sheets with frames are solved in single precision (single-solve.ts); work.p is then written when the solve is done.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { MinimiseOptions } from "./minimise.ts";
import {
  hessianProduct,
  type MinimiseWork,
  type Potential,
  type Preconditioner,
} from "./potential.ts";
import { descend, type SingleSolve, startSingle, turn } from "./single-solve.ts";

/** Share of moveTolerance that a sheet at rest may leave for the next step, of the lightest of equal points. */
const RESTING_SHARE = 0.05;
/** Share of the trust radius beyond which a step has come to it. */
const AT_RADIUS = 0.99;
/** Places in work.inner.rz. */
const [NOW, ENOUGH, BETA] = [0, 1, 2];

/** work.p = 0, or the guess; the residual of it, and when the solve ends. */
export function startSolve(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  tolerance: number,
  { energyTolerance, guess }: MinimiseOptions,
): void {
  const { gradient: g, p, residual: r, ops, inner } = work;
  const { rz } = inner;
  p.fill(0);
  ops.negate(r, g);
  inner.isFirst = true;
  inner.iteration = 0;
  rz[NOW] = residualNorm(potential, work, preconditioner);
  rz[ENOUGH] = tolerance * tolerance * rz[NOW];
  inner.isDone = !(rz[NOW] > 0);
  if (inner.isDone || !guess) return;
  // at rest what is left need not move any one point
  rz[ENOUGH] = Math.max(
    rz[ENOUGH],
    (RESTING_SHARE * RESTING_SHARE * 3 * energyTolerance) / p.length,
  );
  const isAlong = along(guess, potential, work);
  const next = residualNorm(potential, work, preconditioner); // also where the guess does not lead down: z was its scratch
  if (!isAlong) return;
  inner.iteration = 1;
  rz[NOW] = next;
  inner.isDone = !(rz[NOW] > rz[ENOUGH]);
}

/** z = P⁻¹ r and rᵀz; a solve in single precision starts from there. */
function residualNorm(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
): number {
  const { residual: r, z, ops } = work;
  const single = singleOf(potential, work, preconditioner);
  if (single) return startSingle(single, work);
  preconditioner.apply(z, r, work);
  return ops.dot(r, z);
}

/** The solve in single precision, where the preconditioner is the sheet's own. */
export function singleOf(
  { single }: Potential,
  { sheet }: MinimiseWork,
  { parts }: Preconditioner,
): SingleSolve | null {
  return single && sheet && parts === sheet.parts ? sheet : null;
}

/**
 * The same from the p that is there, after the matrix has changed. From 0 if p had come to the trust radius: from there the first direction leads out
 * again, and the solve would end where it began.
 */
export function restartSolve(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  radius: number,
): void {
  const { gradient: g, p, residual: r, Ad, ops, inner } = work;
  const { rz } = inner;
  if (!isWithin(work, null, AT_RADIUS * radius)) p.fill(0);
  hessianProduct(Ad, potential, work, p);
  ops.add(r, g, Ad);
  ops.negate(r, r);
  inner.isFirst = true;
  inner.iteration = 0;
  rz[NOW] = residualNorm(potential, work, preconditioner);
  inner.isDone = !(rz[NOW] > rz[ENOUGH]);
}

/**
 * Goes on with work.p ≈ −H⁻¹ gradient for so many iterations, no coordinate moving further than `radius`; whether it is done.
 */
export function continueSolve(
  potential: Potential,
  work: MinimiseWork,
  preconditioner: Preconditioner,
  radius: number,
  { cgMax, moveTolerance, energyTolerance }: MinimiseOptions,
  slice: number,
): boolean {
  const { inner, ops, p } = work;
  const { rz } = inner;
  const single = singleOf(potential, work, preconditioner);
  for (let k = 0; k < slice && !inner.isDone; k++) {
    if (inner.iteration >= cgMax) {
      inner.isDone = true;
      break;
    }
    const dAd = single
      ? turn(single, potential, work, rz[BETA], inner.isFirst)
      : turnDouble(potential, work, rz[BETA]);
    inner.isFirst = false;
    inner.iteration++;
    const most = radius < Infinity ? stepToRadius(work, single, radius) : radius;
    const alpha = rz[NOW] / dAd;
    if (!(dAd > 0) || alpha > most) {
      stopAtRadius(work, single, most);
      inner.isDone = true;
      break;
    }
    const next = single ? descend(single, alpha) : descendDouble(work, preconditioner, alpha);
    if (!(next > rz[ENOUGH]) && !(next > energyTolerance && isWithin(work, single, moveTolerance)))
      inner.isDone = true;
    else {
      rz[BETA] = next / rz[NOW];
      rz[NOW] = next;
    }
  }
  if (inner.isDone && single) ops.fromPoints(p, single.p);
  return inner.isDone;
}

/** d = z + β d, or z if it is the first, and Ad; dᵀAd. */
function turnDouble(potential: Potential, work: MinimiseWork, beta: number): number {
  const { d, z, Ad, ops, inner } = work;
  if (inner.isFirst) d.set(z);
  else ops.xpby(d, z, beta);
  hessianProduct(Ad, potential, work, d);
  return ops.dot(d, Ad);
}

/** p += α d, r −= α Ad, z = P⁻¹ r; rᵀz. */
function descendDouble(work: MinimiseWork, preconditioner: Preconditioner, alpha: number): number {
  const { p, residual: r, z, d, Ad, ops } = work;
  ops.axpy(p, alpha, d);
  ops.axpy(r, -alpha, Ad);
  preconditioner.apply(z, r, work);
  return ops.dot(r, z);
}

/** Goes along d as far as the trust radius lets it; without one the first direction is the step. */
function stopAtRadius(
  { p, d, ops, inner }: MinimiseWork,
  single: SingleSolve | null,
  most: number,
): void {
  if (!(most < Infinity) && inner.iteration > 1) return;
  if (single) {
    ops.fromPoints(p, single.p);
    ops.fromPoints(d, single.d);
  }
  if (most < Infinity) ops.axpy(p, most, d);
  else p.set(d);
  if (single) ops.toPoints(single.p, p);
}

/** Goes as far along the guess as the quadratic model falls: p and what is left in the residual; false if it does not fall. */
function along(guess: ReadonlyF64, potential: Potential, work: MinimiseWork): boolean {
  const { p, residual: r, z: v, Ad, held, heldCount, ops } = work;
  v.set(guess as Float64Array);
  for (let k = 0; k < heldCount; k++) v[held[k]] = 0;
  const fall = ops.dot(r, v);
  if (!(fall > 0)) return false;
  hessianProduct(Ad, potential, work, v);
  const t = fall / ops.dot(v, Ad);
  if (!(t > 0 && t < Infinity)) return false;
  ops.axpy(p, t, v);
  ops.axpy(r, -t, Ad);
  return true;
}

/** Whether no coordinate of the step is larger than `most`. */
function isWithin({ p, ops }: MinimiseWork, single: SingleSolve | null, most: number): boolean {
  const largest = single ? ops.largestSingle(single.p) : ops.largest(p, p.length);
  return largest <= most;
}

/** The largest t with |p + t·d| ≤ radius in every coordinate. */
function stepToRadius(
  { p, d, ops }: MinimiseWork,
  single: SingleSolve | null,
  radius: number,
): number {
  if (single) return ops.stepToRadiusSingle(single.p, single.d, radius);
  let t = Number.POSITIVE_INFINITY;
  for (let k = 0; k < p.length; k++) {
    const v = d[k];
    if (v === 0) continue;
    const room = v > 0 ? radius - p[k] : radius + p[k];
    if (room < t * Math.abs(v)) t = room / Math.abs(v);
  }
  return t;
}
