/**
 * Where a step of second order (BDF2) is not to be trusted.
 *
 * BDF2 loses a tenth of what implicit Euler loses, but it looks back one step: across a jerk (a cloth that comes taut, a pin that changes
 * its speed) it throws the sheet back, with several times the strain and, measured on a cloth that falls taut from two pins at 1/60 s, with 6 % of
 * its energy gained in one step. Such steps are taken by Euler.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { Stepper } from "./stepper.ts";

/**
 * By how much a step may rise: the sum of these shares of what there is to fall (its weight times its size) and of the kinetic energy. By the exact second order
 * the energy of a swing rises and falls a little too, the more the longer the step. At five times the share of the weight a light cloth gains a thousandth of what there
 * is to fall within half a second, at ten times that of the kinetic energy a yanked one does (tests/slow/robustness).
 */
const GAIN = { weight: 2e-5, kinetic: 1e-5 } as const;
/** The same share of the kinetic energy where nothing falls and nothing is jerked: a sheet that spins freely lost 3 % of its energy to steps taken back at 10⁻⁵. */
const FREE_GAIN = 1e-3;
/** Multiple of the limit on strain (0.5 % of length) from which a sheet counts as jerked. */
const JERKED = 0.1;
/** Steps of first order after one that gained energy: a jerk lasts, and each trial costs a step. */
export const RETRY_STEPS = 3;
/**
 * Times the speed up to which steps are solved: slower sheets come to rest by Euler. BDF2 makes velocities of three positions and so half as much again of what each solve leaves
 * open; a strip between two hinges trembled at 2 mm/s for as long as it was watched.
 */
export const RESTING = 10;
/** m: pins that are closer than this to where they must be do not move. */
const STILL = 1e-12;

/** Whether a held coordinate is led elsewhere in this step. */
export function movesPins({ pins: { fixed, target }, state: { Y } }: Stepper): boolean {
  for (let k = 0; k < fixed.length; k++)
    if (fixed[k] && Math.abs(target[k] - Y[k]) > STILL) return true;
  return false;
}

/** Whether the step of second order that has ended in Y has more energy than it began with, by more than the solver leaves open (`tolerance`, J). */
export function gainsEnergy(system: Stepper, h: number, tolerance: number): boolean {
  const { state, work, m, n, isometry } = system;
  const { Y, V, Yold } = state;
  const { start, force } = work;
  let before = 0;
  let after = 0;
  let done = 0; // by gravity, pressure and forces of a program
  for (let i = 0; i < n; i++)
    for (let k = 3 * i; k < 3 * i + 3; k++) {
      const v = (3 * Y[k] - 4 * start[k] + Yold[k]) / (2 * h);
      before += 0.5 * m[i] * V[k] * V[k];
      after += 0.5 * m[i] * v * v;
      done += force[k] * (Y[k] - start[k]);
    }
  const gain = after - before - done + stored(system, Y) - stored(system, start);
  const weight = fall(system);
  const isFree = weight === 0 && !((isometry.excess?.() ?? 0) > JERKED);
  const share = isFree ? FREE_GAIN : GAIN.kinetic;
  const rise = GAIN.weight * weight + share * Math.max(before, after);
  return gain > rise + tolerance;
}

/** J: weight times size. */
function fall({ sheet, scene: { gravity: g }, m, n }: Stepper): number {
  let mass = 0;
  let area = 0;
  for (let i = 0; i < n; i++) mass += m[i];
  for (let i = 0; i < sheet.n; i++) area += sheet.area[i];
  return mass * Math.sqrt((g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * area);
}

/** J: of bending and of the membrane. */
function stored({ membrane, K, pattern }: Stepper, Y: ReadonlyF64): number {
  let E = 0;
  for (let i = 0; i < pattern.rows; i++)
    for (let p = pattern.start[i]; p < pattern.start[i + 1]; p++) {
      const y = 3 * pattern.index[p];
      const x = 3 * i;
      E += 0.5 * K[p] * (Y[x] * Y[y] + Y[x + 1] * Y[y + 1] + Y[x + 2] * Y[y + 2]);
    }
  for (let s = 0; s < membrane.length; s++) E += membrane[s].energy(Y);
  return E;
}
