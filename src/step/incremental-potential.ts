/**
 * The incremental potential of one step: inertia, drag, forces, clamps and damping as one quadratic, and the rows told the time.
 *
 *   ½ Σ aᵢ|Yᵢ|² − b·Y + ½ YᵀKY,     aᵢ = mᵢ/h² + drag,   b = aᵢ·(where inertia and air would carry point i) + forces
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { createRigid, motionAt } from "../scene/motion.ts";
import { quadraticFit } from "../sheet/curvature.ts";
import { clampMotion } from "../system/attachments.ts";
import { isArcs } from "../system/frame-membrane.ts";
import { addGravity, addPressure, areaNormals, setWind } from "../system/loads.ts";
import { renewBending } from "../system/stiffness.ts";
import type { Potential } from "./minimise.ts";
import type { Stepper } from "./stepper.ts";

/**
 * Inner solves multiply in single precision while bending is less than so many times inertia: rounding K takes from a motion that does not bend, or
 * adds to it, 6·10⁻⁸ of K, and this bound makes that a hundredth of what moves it. (With D = 10⁻⁴ N·m at 8 mm and 1/240 s it is 60.)
 */
const SINGLE = 1e5;

/** Inertia, drag, forces and clamps of this step; the rows are told the time. */
export function prepare(system: Stepper, h: number, smooth: boolean, time: number): Potential {
  const { scene, sheet, n, m, K, diagonal, state, work } = system;
  const { Y, V, Yold, Vold } = state;
  const { b, force, predicted, potential } = work;
  const base = work.base.values;

  releaseClamps(system, time);
  force.fill(0);
  addGravity(force, m, scene.gravity);
  if (scene.pressure !== 0) addPressure(force, Y, sheet.triangles, scene.pressure);
  addClampTangents(system, force, time);
  system.outside?.(force, time);
  renewLimp(system, h);
  if (system.attachments) system.attachments.setTime(time);
  system.substrate?.setTime(time);
  if (system.wind) {
    areaNormals(work.normals, Y, sheet.triangles);
    setWind(system.wind, scene.air, Y, V, work.normals, h);
  }

  const step = smooth ? (2 * h) / 3 : h;
  const { drag, wind } = scene.air;
  const damping = system.material.damping;
  base.set(K);
  for (let i = 0; i < n; i++) {
    const inertia = m[i] / (step * step);
    const air = i < sheet.n ? (drag * sheet.area[i]) / h : 0; // a solid has mass, not area
    base[diagonal[i]] += inertia + air;
    for (let c = 0; c < 3; c++) {
      const k = 3 * i + c;
      const ahead = smooth
        ? (4 * Y[k] - Yold[k]) / 3 + (h * (8 * V[k] - 2 * Vold[k])) / 9
        : Y[k] + h * V[k];
      b[k] = inertia * ahead + air * (Y[k] + h * wind[c]) + force[k];
      predicted[k] = m[i] > 0 ? b[k] / (inertia + air) : ahead; // where it would go by itself
    }
  }
  if (isDamped(damping)) addBendingDamping(system, h);
  potential.single = true;
  for (let i = 0; i < n; i++)
    if (m[i] > 0 && base[diagonal[i]] * step * step > SINGLE * m[i]) potential.single = false;
  return potential;
}

function isDamped(damping: ReadonlyF64): boolean {
  for (let i = 0; i < damping.length; i++) if (damping[i] > 0) return true;
  return false;
}

/** Kelvin–Voigt damping of bending: ½ (η/h)(Y − Y₀)ᵀK(Y − Y₀). */
function addBendingDamping(system: Stepper, h: number): void {
  const { work, pattern, state, material, sheet, framed } = system;
  const { b } = work;
  const K = system.limp?.bending ?? system.K;
  const base = work.base.values;
  const { Y } = state;
  const { n } = sheet;
  const rows = framed > 0 ? 3 * n : n;
  const sample = (point: number): number => (point < n ? point : (point - n) >> 1);
  for (let i = 0; i < rows; i++)
    for (let p = pattern.start[i]; p < pattern.start[i + 1]; p++) {
      const j = pattern.index[p];
      const eta = 0.5 * (material.damping[sample(i)] + material.damping[sample(j)]);
      const v = (eta / h) * K[p];
      base[p] += v;
      for (let c = 0; c < 3; c++) b[3 * i + c] += v * Y[3 * j + c];
    }
}

/** The clamps' tangents as a force on the points around them: −C f. */
const tangentMap = createRigid();
function addClampTangents(system: Stepper, force: Float64Array, time: number): void {
  const { bending: bend, pins } = system;
  const tangents = clampTangents(system);
  let last = -1;
  for (let k = 0; k < bend.coupling.length; k++) {
    const { point, column, value } = bend.coupling[k];
    const clamp = column >> 1;
    if (clamp !== last) {
      motionAt(tangentMap, clampMotion(pins, bend.clamps[clamp]), time);
      last = clamp;
    }
    const f = 3 * column;
    for (let c = 0; c < 3; c++)
      force[3 * point + c] -=
        value *
        (tangentMap[3 * c] * tangents[f] +
          tangentMap[3 * c + 1] * tangents[f + 1] +
          tangentMap[3 * c + 2] * tangents[f + 2]);
  }
}

/** J: what clamped tangents add to ½ YᵀKY, f·CᵀY + ½ fᵀPf; a flat sheet in a level clamp has no energy only with it. */
export function clampEnergy(system: Stepper, Y: ReadonlyF64, time: number): number {
  const { bending: bend, pins } = system;
  const tangents = clampTangents(system);
  const f = new Float64Array(tangents.length);
  for (let c = 0; c < bend.clamps.length; c++) {
    motionAt(tangentMap, clampMotion(pins, bend.clamps[c]), time);
    for (let k = 6 * c; k < 6 * c + 6; k += 3)
      for (let d = 0; d < 3; d++)
        for (let e = 0; e < 3; e++) f[k + d] += tangentMap[3 * d + e] * tangents[k + e];
  }
  let E = 0;
  for (const { point, column, value } of bend.coupling)
    for (let d = 0; d < 3; d++) E += value * Y[3 * point + d] * f[3 * column + d];
  for (let c = 0; c < bend.clamps.length; c++)
    for (let a = 0; a < 2; a++)
      for (let b = 0; b < 2; b++)
        for (let d = 0; d < 3; d++)
          E += 0.5 * bend.tangent[4 * c + 2 * a + b] * f[6 * c + 3 * a + d] * f[6 * c + 3 * b + d];
  return E;
}

/** [6·clamps] F₁ and F₂ of every clamp as they were at the start, from the fit to the start pose. */
function clampTangents(system: Stepper): Float64Array {
  const { bending, work } = system;
  const known = work.clampTangents;
  if (known.of !== bending) {
    known.of = bending;
    known.F = startTangents(system);
  }
  return known.F;
}

function startTangents({ bending: bend, startPose, sheet }: Stepper): Float64Array {
  const out = new Float64Array(6 * bend.clamps.length);
  for (let c = 0; c < bend.clamps.length; c++) {
    const i = bend.clamps[c];
    const fit = quadraticFit(bend.near, i, sheet.spacing[i]);
    for (let e = bend.near.start[i], a = 0; e < bend.near.start[i + 1]; e++, a++)
      for (let f = 0; f < 2; f++)
        for (let k = 0; k < 3; k++)
          out[6 * c + 3 * f + k] += fit.F[2 * a + f] * startPose[3 * bend.near.index[e] + k];
  }
  return out;
}

/** What keeps limp cloth from folding below the spacing follows the tension and the loads at the start of a step of length h. */
export function renewLimp({ limp, isometry, state, work, K }: Stepper, h: number): void {
  if (!limp || !isArcs(isometry)) return;
  isometry.evaluate(state.Y);
  limp.renew(K, isometry.arcs, work.force, state.tension, h);
}

/** When a clamp has been let go its points bend freely again: new K, same pattern. */
function releaseClamps(system: Stepper, time: number): void {
  if (system.bending.clamps.length === 0) return;
  let due = false;
  for (const { pin } of system.pins.held)
    if (pin.kind === "clamp" && pin.release !== null && time > pin.release) due = true;
  if (due) renewClamps(system, time);
}

/** The bending of the clamps that hold at that time, whatever they were before: for releases, and for going back to a checkpoint. */
export function renewClamps(system: Stepper, time: number): void {
  if (system.framed > 0) return; // clamps hold frames, bending does not know of them
  if (system.pins.clampsAt(time).length === system.bending.clamps.length) return;
  renewBending(system, time);
}
