/**
 * The strain that a jerk leaves, taken out within the step.
 *
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
import type { System } from "../system/build.ts";

/** The multiple of the limit on strain (isometry.ts) at which it is made stiffer: 1 % of length. */
const TOO_STRAINED = 2;
/** How often a step is made harder and minimised further, */
const HARDENINGS = 4;
/** and how much at most: inner solves of stiffer ones hit their maximum. */
const HARDEST = 100;
/** Energy from nowhere that a blow may bring along, as a share of what is in motion. At 0.1 sheets that are still being hit stay strained; 1 does as well. */
const LENT = 0.3;

/** Whether the motion of this step has strained the sheet beyond what is left alone. */
export function isJerked(system: System, h: number): boolean {
  const { isometry, state } = system;
  if (!isometry.limit || !isometry.excess || !(isometry.excess() > TOO_STRAINED)) return false;
  if (kinetic(system, h) < isometry.energy(state.Y)) return false;
  return lent(system, isometry.limit) <= LENT * kinetic(system, h);
}

/**
 * Makes the limit stiffer for a further minimisation; false if the sheet is well enough, or the stiffest limit was solved for.
 *
 * @param tries  how often it was made stiffer in this step
 * @param usual  the limit before
 */
export function harden(
  { isometry }: System,
  tries: number,
  usual: number,
  isSolved: boolean,
): boolean {
  const excess = isometry.excess as () => number;
  const isHardest = isometry.limit === HARDEST * usual;
  if (tries >= HARDENINGS || !(excess() > TOO_STRAINED) || (isSolved && isHardest)) return false;
  isometry.limit = Math.min(HARDEST * usual, 10 * (isometry.limit as number));
  return true;
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
