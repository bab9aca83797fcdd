/**
 * Where a step of second order (BDF2) is not to be trusted.
 *
 * BDF2 loses a tenth of what implicit Euler loses, but it looks back one step: across a jerk (a sheet that meets another, a pin that changes its speed, a step taken
 * in halves) it throws the sheet back. So each sheet has an order of its own. It goes by Euler while something touches or leads it, in the steps right after that, and
 * near rest; what happens to one sheet changes nothing for another.
 *
 * And each has an account: what it has gained since its energy was lowest,
 *
 *   gained ← max(0, gained + Δ(kinetic + stored) − work of its loads)
 *
 * A step of second order that would bring it above `allowed` is taken again by Euler, which loses. So all steps together gain no more than that, however many they
 * are. (Second order as such rises and falls by ½m|ΔV|² of a step.) The account starts anew where something else did work: contact, a hand, a pin that is led.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { addArcEnergies, addNodeEnergies, isArcs, isNodes } from "../system/frame-membrane.ts";
import { LAST_STEP, type RowSet } from "../system/system.ts";
import type { MinimiseReport } from "./minimise.ts";
import type { Part } from "./parts.ts";
import type { Stepper } from "./stepper.ts";

/**
 * What may be gained, all steps together, as shares of what there is to fall (weight times size) and of the kinetic energy. A cloth of 10 g/m² and one that was yanked may
 * rise by a thousandth of what there is to fall, of which K_r and Euler take a part (tests/slow/robustness).
 */
const ALLOWED = { weight: 4e-4, kinetic: 5e-6 } as const;
/** … of the kinetic energy where nothing falls. A sheet that spins freely rises and falls by 2·10⁻⁴; `isoplate verify` asks for 10⁻³. */
const ALLOWED_FREE = 7e-4;
/** Steps of first order after one that was taken back: a jerk lasts, and each trial costs a step. */
const RETRY = 3;
/** … and after the last contact. */
const SETTLE = 2;
/**
 * Times the speed up to which steps are solved: slower sheets come to rest by Euler. BDF2 makes velocities of three positions and so half as much again of what each solve leaves
 * open; a strip between two hinges trembled at 2 mm/s for as long as it was watched.
 */
const RESTING = 10;
/** Times the part before it that a part by BDF2 may be long: from 2.41 on it would swing up. */
const LONGER = 2;
/** m: pins that are closer than this to where they must be do not move. */
const STILL = 1e-12;

/** The order of each sheet in the step that is open. */
export interface SecondOrder {
  /** Sheets that do not know of each other but by contact; 1 where seams or a solid join them. */
  readonly count: number;
  /** [n] the sheet of every point. */
  readonly sheetOf: Int32Array;
  /**
   * [n] s: velocities at the end of the part are (Y − origin)/step. By Euler that is (Y − Y₀)/h; by BDF2, for a part that is ω times as long as the one before it,
   *
   *   step = h (1 + ω)/(1 + 2ω),     origin = now·Y₀ − before·Y₋₁,     now = (1 + ω)²/(1 + 2ω),     before = ω²/(1 + 2ω)
   */
  readonly step: Float64Array;
  now: number;
  before: number;
  /** [count] 1: by BDF2. */
  readonly smooth: Uint8Array;
  /** [count] 1: something touches, holds or leads it in this step. */
  readonly busy: Uint8Array;
  /** [count] 1: some part of this step was not solved, and for all that is known because of it. */
  readonly trouble: Uint8Array;
  /** [count] J, what the part that is open has gained. */
  readonly change: Float64Array;
  /** [count] J, what may be gained, of weight times size. */
  readonly fall: Float64Array;
  /** [count] kg */
  readonly mass: Float64Array;
  /** [count] J, scratch. */
  readonly kinetic: Float64Array;
}

/** How many sheets of a scene have an order of their own. */
export function countOrders({
  scene,
  sheet,
  framed,
}: {
  scene: Stepper["scene"];
  sheet: Stepper["sheet"];
  framed: boolean;
}): number {
  const isJoined = sheet.seamPairs !== undefined || scene.attachments.length > 0;
  return framed && !isJoined && scene.substrate === null ? sheet.parts.length : 1;
}

export function createSecondOrder(
  count: number,
  { sheet, n }: Pick<Stepper, "sheet" | "n">,
): SecondOrder {
  const sheetOf = new Int32Array(n);
  if (count > 1)
    sheet.parts.forEach(({ firstPoint, points }, s) => {
      sheetOf.fill(s, firstPoint, firstPoint + points);
      sheetOf.fill(s, sheet.n + 2 * firstPoint, sheet.n + 2 * (firstPoint + points));
    });
  return {
    count,
    sheetOf,
    step: new Float64Array(n),
    now: 1,
    before: 0,
    smooth: new Uint8Array(count),
    busy: new Uint8Array(count),
    trouble: new Uint8Array(count),
    change: new Float64Array(count),
    fall: new Float64Array(count),
    mass: new Float64Array(count),
    kinetic: new Float64Array(count),
  };
}

/** Before a step: which sheets go by BDF2; whether any does. */
export function chooseOrders(system: Stepper, speedTolerance: number): boolean {
  const { scene, state, work, m, seams, substrate, grip } = system;
  const { second } = work;
  const { count, sheetOf, smooth, kinetic, mass } = second;
  smooth.fill(0);
  second.busy.fill(0);
  second.trouble.fill(0);
  if (scene.integrator !== "bdf2") return false;
  const isDriven = substrate !== null || scene.attachments.length > 0;
  if (isDriven || (seams && state.steps * system.h < seams.until)) return false;
  kinetic.fill(0);
  mass.fill(0);
  for (let i = 0; i < m.length; i++) {
    mass[sheetOf[i]] += m[i];
    for (let k = 3 * i; k < 3 * i + 3; k++) kinetic[sheetOf[i]] += 0.5 * m[i] * state.V[k] ** 2;
  }
  const slow = RESTING * speedTolerance;
  let any = false;
  for (let s = 0; s < count; s++) {
    smooth[s] = state.calm[s] > 0 && kinetic[s] > 0.5 * mass[s] * slow * slow ? 1 : 0;
    if (smooth[s]) any = true;
  }
  if (grip.hands > 0) any = false;
  return any;
}

/** Pins are where they go in this part, of length h: sheets that are led go by Euler. Whether any goes by BDF2. */
export function leaveLed({ pins, state, work, scene }: Stepper, h: number): boolean {
  const { fixed, target } = pins;
  const { Y, numbers } = state;
  const { busy, smooth, sheetOf, count } = work.second;
  if (scene.integrator !== "bdf2") return false;
  for (let k = 0; k < fixed.length; k++)
    if (fixed[k] && Math.abs(target[k] - Y[k]) > STILL) busy[sheetOf[Math.floor(k / 3)]] = 1;
  let any = false;
  for (let s = 0; s < count; s++) {
    if (busy[s]) smooth[s] = 0;
    if (smooth[s]) any = true;
  }
  return any && h <= LONGER * numbers[LAST_STEP];
}

/** Steps of all points in a part of length h; by Euler all, or as they are marked. */
export function setSteps({ work: { second }, state }: Stepper, h: number, any: boolean): void {
  const { sheetOf, smooth, step } = second;
  const ratio = any ? h / state.numbers[LAST_STEP] : 0;
  second.now = ((1 + ratio) * (1 + ratio)) / (1 + 2 * ratio);
  second.before = (ratio * ratio) / (1 + 2 * ratio);
  const shorter = (h * (1 + ratio)) / (1 + 2 * ratio);
  for (let i = 0; i < step.length; i++) step[i] = any && smooth[sheetOf[i]] ? shorter : h;
}

/** Where coordinate k of a point that stands still at the end of the part would be. @param x and xOld at its start, and at the start of the part before */
export function originOf(
  { now, before }: SecondOrder,
  x: ReadonlyF64,
  xOld: ReadonlyF64,
  k: number,
  smooth: boolean,
): number {
  return smooth ? now * x[k] - before * xOld[k] : x[k];
}

/**
 * After a part was minimised: whether sheets that went by BDF2 must go by Euler instead, which are then marked so.
 *
 * @param tolerance J, what the solver leaves open
 */
export function spoilsOrder(
  system: Stepper,
  { h, smooth }: Part,
  { converged, worst }: MinimiseReport,
  tolerance: number,
): boolean {
  const { state, work, scene } = system;
  const { second } = work;
  if (scene.integrator !== "bdf2") return false;
  markTouched(system);
  measureChange(system, h);
  if (!converged) markTrouble(second, worst);
  let any = false;
  for (let s = 0; s < second.count && smooth; s++) {
    if (!second.smooth[s]) continue;
    const isOver = !(state.gained[s] + second.change[s] <= allowed(system, s, tolerance));
    if (!second.trouble[s] && !isOver && !second.busy[s]) continue;
    second.smooth[s] = 0;
    state.calm[s] = -RETRY;
    any = true;
  }
  return any;
}

/** Who is to blame for what is not solved: the sheet with the worst point or, if there is none, those that something touches or leads, or all. */
function markTrouble({ busy, trouble, sheetOf, count }: SecondOrder, worst: number): void {
  if (worst >= 0) {
    trouble[sheetOf[worst]] = 1;
    return;
  }
  let any = false;
  for (let s = 0; s < count; s++)
    if (busy[s]) {
      trouble[s] = 1;
      any = true;
    }
  if (!any) trouble.fill(1);
}

/** At the end of a part: what was gained. */
export function settleAccounts({ state, work, limp }: Stepper): void {
  const { count, change, busy } = work.second;
  for (let s = 0; s < count; s++)
    state.gained[s] = busy[s] ? 0 : Math.max(0, state.gained[s] + change[s]);
  change.fill(0);
  if (limp) state.smoothing.set(limp.tension);
}

/** At the end of a step. */
export function countCalm({ state, work }: Stepper): void {
  const { count, busy, trouble } = work.second;
  for (let s = 0; s < count; s++) {
    if (trouble[s]) state.calm[s] = Math.min(0, state.calm[s]);
    else if (busy[s]) state.calm[s] = -SETTLE;
    else state.calm[s] += 1;
  }
}

/** The next step is of first order: the one before it is not known. */
export function restart({ calm, gained }: Stepper["state"]): void {
  calm.fill(0);
  gained.fill(0);
}

function allowed({ work, scene: { gravity: g } }: Stepper, s: number, tolerance: number): number {
  const { fall, kinetic, mass } = work.second;
  const isFree = g[0] === 0 && g[1] === 0 && g[2] === 0;
  let all = 0;
  for (let k = 0; k < mass.length; k++) all += mass[k];
  return (
    ALLOWED.weight * fall[s] +
    (isFree ? ALLOWED_FREE : ALLOWED.kinetic) * kinetic[s] +
    (tolerance * mass[s]) / all
  );
}

/** Marks sheets that touch something or are held by a hand. */
function markTouched({ bodies, layers, grip, work, sheet }: Stepper): void {
  if (bodies) markRows(work.second, bodies.barrier, sheet.n);
  if (layers) markRows(work.second, layers.barrier, sheet.n);
  if (grip.hands > 0) work.second.busy.fill(1);
}

function markRows(
  { busy, sheetOf }: SecondOrder,
  { blocks, start, index }: RowSet,
  n: number,
): void {
  for (let e = start[0]; e < start[blocks]; e++) if (index[e] < n) busy[sheetOf[index[e]]] = 1;
}

/** change = kinetic + stored energy at the end of the part − at its start − work of the loads, of every sheet that nothing else works on. */
function measureChange(system: Stepper, h: number): void {
  const { limp, sheet, state, work } = system;
  const { count, change, busy, sheetOf } = work.second;
  change.fill(0);
  let isAny = false;
  for (let s = 0; s < count; s++) if (!busy[s]) isAny = true;
  if (!isAny) return;
  measureMotion(system, h);
  addBendingChange(system);
  if (count === 1)
    for (const set of system.stores)
      change[0] += set.energy(system.state.Y) - set.energy(work.start);
  else addMembraneChanges(system);
  if (!limp) return;
  // K_r has followed the tension since the last part
  sheet.parts.forEach(({ firstPoint }, p) => {
    const before = state.smoothing[p];
    if (before > 0 && limp.tension[p] !== before)
      change[sheetOf[firstPoint]] += (limp.tension[p] - before) * limp.residual(work.start, p);
  });
}

/** Kinetic energy, the work of forces and of the air; and what there is to turn over. */
function measureMotion({ state, work, m, n, sheet, scene }: Stepper, h: number): void {
  const { Y, V, Yold } = state;
  const { start, force, second } = work;
  const { sheetOf, step, change, kinetic, mass, fall } = second;
  const { drag, wind } = scene.air;
  const [gx, gy, gz] = scene.gravity;
  kinetic.fill(0);
  mass.fill(0);
  fall.fill(0);
  for (let i = 0; i < n; i++) {
    const s = sheetOf[i];
    const air = i < sheet.n ? (drag * sheet.area[i]) / step[i] : 0;
    let before = 0;
    let after = 0;
    for (let c = 0; c < 3; c++) {
      const k = 3 * i + c;
      const moved = Y[k] - start[k];
      const way = Y[k] - originOf(second, start, Yold, k, step[i] < h);
      before += V[k] * V[k];
      after += (way * way) / (step[i] * step[i]);
      change[s] -= (force[k] + air * (step[i] * wind[c] - way)) * moved;
    }
    change[s] += 0.5 * m[i] * (after - before);
    kinetic[s] += 0.5 * m[i] * Math.max(after, before);
    mass[s] += m[i];
    if (i < sheet.n) fall[s] += sheet.area[i];
  }
  const g = Math.sqrt(gx * gx + gy * gy + gz * gz);
  for (let s = 0; s < fall.length; s++) fall[s] = mass[s] * g * Math.sqrt(fall[s]);
}

/** ½ (Y − Y₀)ᵀK(Y + Y₀), and the work of the wind. */
function addBendingChange({ state: { Y }, work, pattern, K, wind }: Stepper): void {
  const { start, second } = work;
  const { sheetOf, change } = second;
  for (let i = 0; i < pattern.rows; i++) {
    let x = 0;
    let y = 0;
    let z = 0;
    for (let p = pattern.start[i]; p < pattern.start[i + 1]; p++) {
      const j = 3 * pattern.index[p];
      x += K[p] * (Y[j] + start[j]);
      y += K[p] * (Y[j + 1] + start[j + 1]);
      z += K[p] * (Y[j + 2] + start[j + 2]);
    }
    const k = 3 * i;
    const dx = Y[k] - start[k];
    const dy = Y[k + 1] - start[k + 1];
    const dz = Y[k + 2] - start[k + 2];
    change[sheetOf[i]] += 0.5 * (dx * x + dy * y + dz * z);
    if (!wind || i >= wind.blocks) continue;
    const { J, offset, weight } = wind;
    const push = offset[i] - J[k] * Y[k] - J[k + 1] * Y[k + 1] - J[k + 2] * Y[k + 2];
    change[sheetOf[i]] -= weight[i] * push * (J[k] * dx + J[k + 1] * dy + J[k + 2] * dz);
  }
}

/** Of arcs, frames and a foundation, sheet by sheet. */
function addMembraneChanges({
  state: { Y },
  work,
  sheet,
  isometry,
  membrane,
  foundation,
}: Stepper): void {
  const { start, second } = work;
  const { sheetOf, change } = second;
  for (const set of membrane)
    if (isNodes(set)) {
      addNodeEnergies(change, set, Y, sheetOf, 1);
      addNodeEnergies(change, set, start, sheetOf, -1);
    }
  if (isArcs(isometry)) {
    addArcEnergies(change, isometry.arcs, Y, sheet.parts, 1);
    addArcEnergies(change, isometry.arcs, start, sheet.parts, -1);
  }
  if (!foundation) return;
  const { J, offset, weight } = foundation;
  for (let i = 0; i < foundation.blocks; i++) {
    const k = 3 * i;
    const to = J[k] * Y[k] + J[k + 1] * Y[k + 1] + J[k + 2] * Y[k + 2] - offset[i];
    const from = J[k] * start[k] + J[k + 1] * start[k + 1] + J[k + 2] * start[k + 2] - offset[i];
    change[sheetOf[i]] += 0.5 * weight[i] * (to * to - from * from);
  }
}
