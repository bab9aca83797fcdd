/**
 * The inner solve: preconditioned conjugate gradients on the Newton matrix, in slices.
 *
 * Where the sheet buckles the matrix has directions of little or negative curvature: the path of the iteration is left where it leaves the trust
 * radius (Steihaug), and so leads down into the buckle instead of past it.
 *
 * A solve may take seconds on a large sheet. startSolve and continueSolve keep where they are in work.inner, so that whoever drives them can listen to
 * other things between slices. Slices change no bit.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { type InnerSolve, multiplyDirection, preconditionDirection } from "./inner-kernel.ts";
import type { MinimiseOptions } from "./minimise.ts";
import {
  hessianProduct,
  type MinimiseWork,
  type Potential,
  type Preconditioner,
} from "./potential.ts";

/** Share of moveTolerance that a sheet at rest may leave for the next step, of the lightest of equal points. */
const LEFT = 0.05;
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
  const { gradient: g, p, residual: r, z, ops, inner } = work;
  const { rz } = inner;
  p.fill(0);
  ops.negate(r, g);
  preconditioner.apply(z, r, work);
  inner.isFirst = true;
  inner.iteration = 0;
  rz[NOW] = ops.dot(r, z);
  rz[ENOUGH] = tolerance * tolerance * rz[NOW];
  inner.isDone = !(rz[NOW] > 0);
  if (inner.isDone || !guess) return;
  // at rest what is left need not move any one point
  rz[ENOUGH] = Math.max(rz[ENOUGH], (LEFT * LEFT * 3 * energyTolerance) / p.length);
  const isAlong = along(guess, potential, work);
  preconditioner.apply(z, r, work); // also where the guess does not lead down: z was its scratch
  if (!isAlong) return;
  inner.iteration = 1;
  rz[NOW] = ops.dot(r, z);
  inner.isDone = !(rz[NOW] > rz[ENOUGH]);
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
  const { gradient: g, p, residual: r, z, Ad, ops, inner } = work;
  const { rz } = inner;
  if (!within(p, AT_RADIUS * radius)) p.fill(0);
  hessianProduct(Ad, potential, work, p);
  ops.add(r, g, Ad);
  ops.negate(r, r);
  preconditioner.apply(z, r, work);
  inner.isFirst = true;
  inner.iteration = 0;
  rz[NOW] = ops.dot(r, z);
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
  const { p, residual: r, z, d, Ad, ops, inner } = work;
  const { rz } = inner;
  const whole = potential.single && preconditioner.parts === work.whole?.parts ? work.whole : null;
  for (let k = 0; k < slice && !inner.isDone; k++) {
    if (inner.iteration >= cgMax) {
      inner.isDone = true;
      break;
    }
    multiplyNext(potential, work, whole);
    const dAd = ops.dot(d, Ad);
    inner.iteration++;
    const way = radius < Infinity ? wayOut(p, d, radius) : radius;
    const alpha = rz[NOW] / dAd;
    if (!(dAd > 0) || alpha > way) {
      if (way < Infinity) ops.axpy(p, way, d);
      else if (inner.iteration === 1) p.set(d);
      inner.isDone = true;
      break;
    }
    if (whole) preconditionDirection(whole, alpha);
    else {
      ops.axpy(p, alpha, d);
      ops.axpy(r, -alpha, Ad);
      preconditioner.apply(z, r, work);
    }
    const next = ops.dot(r, z);
    if (!(next > rz[ENOUGH]) && !(next > energyTolerance && within(p, moveTolerance)))
      inner.isDone = true;
    else {
      rz[BETA] = next / rz[NOW];
      rz[NOW] = next;
    }
  }
  return inner.isDone;
}

/** d = z + β d, or z if it is the first, and Ad. */
function multiplyNext(potential: Potential, work: MinimiseWork, whole: InnerSolve | null): void {
  const { d, z, Ad, ops, inner } = work;
  const beta = inner.rz[BETA];
  const { isFirst } = inner;
  inner.isFirst = false;
  if (whole) {
    multiplyDirection(whole, potential, work, beta, isFirst);
    return;
  }
  if (isFirst) d.set(z);
  else ops.xpby(d, z, beta);
  hessianProduct(Ad, potential, work, d);
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

/** Whether no coordinate is larger than `most`. */
function within(p: ReadonlyF64, most: number): boolean {
  for (let k = 0; k < p.length; k++) if (!(Math.abs(p[k]) <= most)) return false;
  return true;
}

/** The largest t with |p + t·d| ≤ radius in every coordinate. */
function wayOut(p: ReadonlyF64, d: ReadonlyF64, radius: number): number {
  let t = Number.POSITIVE_INFINITY;
  for (let k = 0; k < p.length; k++) {
    const v = d[k];
    if (v === 0) continue;
    const room = v > 0 ? radius - p[k] : radius + p[k];
    if (room < t * Math.abs(v)) t = room / Math.abs(v);
  }
  return t;
}
