/**
 * The incremental potential of one step: inertia, drag, forces and damping as one quadratic, and the rows told the time.
 *
 *   ½ Σ aᵢ|Yᵢ|² − b·Y + ½ YᵀKY,     aᵢ = mᵢ/h² + drag,   b = aᵢ·(where inertia and air would carry point i) + forces
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { isArcs } from "../system/frame-membrane.ts";
import { addGravity, addPressure, areaNormals, setWind } from "../system/loads.ts";
import { addRestMoments } from "../system/rest-curvature.ts";
import type { Potential } from "./minimise.ts";
import type { Stepper } from "./stepper.ts";

/**
 * Inner solves multiply in single precision while bending is less than so many times inertia: rounding adds forces of up to 6·10⁻⁸ of K to a motion
 * that does not bend, and this bound keeps them to a hundredth of its inertia. (With D = 10⁻⁴ N·m at 8 mm and 1/240 s it is 60.)
 */
const SINGLE = 1e5;

/** Inertia, drag and forces of this step; the rows are told the time. */
export function prepare(system: Stepper, h: number, smooth: boolean, time: number): Potential {
  const { scene, sheet, n, m, K, diagonal, state, work } = system;
  const { Y, V, Yold, Vold } = state;
  const { b, force, predicted, potential } = work;
  const base = work.base.values;
  // velocities at the end of the step are (Y − origin)/step, of first or second order
  const step = smooth ? (2 * h) / 3 : h;

  force.fill(0);
  addGravity(force, m, scene.gravity);
  if (scene.pressure !== 0) addPressure(force, Y, sheet.triangles, scene.pressure);
  if (system.natural) addRestMoments(force, system.natural, sheet.n, Y);
  system.outside?.(force, time);
  renewLimp(system, h);
  if (system.attachments) system.attachments.setTime(time);
  system.substrate?.setTime(time);
  if (system.wind) {
    areaNormals(work.normals, Y, sheet.triangles);
    for (let k = 0; k < 3 * sheet.n; k++) predicted[k] = originOf(state, k, smooth);
    setWind(system.wind, scene.air, predicted, V, work.normals, step);
  }

  const { drag, wind } = scene.air;
  const damping = system.material.damping;
  base.set(K);
  for (let i = 0; i < n; i++) {
    const inertia = m[i] / (step * step);
    const air = i < sheet.n ? (drag * sheet.area[i]) / step : 0; // a solid has mass, not area
    base[diagonal[i]] += inertia + air;
    for (let c = 0; c < 3; c++) {
      const k = 3 * i + c;
      const ahead = smooth
        ? (4 * Y[k] - Yold[k]) / 3 + (h * (8 * V[k] - 2 * Vold[k])) / 9
        : Y[k] + h * V[k];
      b[k] = inertia * ahead + air * (originOf(state, k, smooth) + step * wind[c]) + force[k];
      predicted[k] = m[i] > 0 ? b[k] / (inertia + air) : ahead; // where it would go by itself
    }
  }
  if (isDamped(damping)) addBendingDamping(system, step, smooth);
  potential.single = true;
  for (let i = 0; i < n; i++)
    if (m[i] > 0 && base[diagonal[i]] * step * step > SINGLE * m[i]) potential.single = false;
  return potential;
}

function isDamped(damping: ReadonlyF64): boolean {
  for (let i = 0; i < damping.length; i++) if (damping[i] > 0) return true;
  return false;
}

/** Where a point that stands still at the end of the step would be. */
function originOf({ Y, Yold }: Stepper["state"], k: number, smooth: boolean): number {
  return smooth ? (4 * Y[k] - Yold[k]) / 3 : Y[k];
}

/** Kelvin–Voigt damping of bending: ½ (η/step)(Y − origin)ᵀK(Y − origin). */
function addBendingDamping(system: Stepper, step: number, smooth: boolean): void {
  const { work, pattern, state, material, sheet, framed } = system;
  const { b } = work;
  const K = system.limp?.bending ?? system.K;
  const base = work.base.values;
  const { n } = sheet;
  const rows = framed > 0 ? 3 * n : n;
  const sample = (point: number): number => (point < n ? point : (point - n) >> 1);
  for (let i = 0; i < rows; i++)
    for (let p = pattern.start[i]; p < pattern.start[i + 1]; p++) {
      const j = pattern.index[p];
      const eta = 0.5 * (material.damping[sample(i)] + material.damping[sample(j)]);
      const v = (eta / step) * K[p];
      base[p] += v;
      for (let c = 0; c < 3; c++) b[3 * i + c] += v * originOf(state, 3 * j + c, smooth);
    }
}

/** Renews the added bending stiffness of limp cloth (system/limp-cloth.ts) from tension and loads at the start of a step of length h. */
export function renewLimp({ limp, isometry, state, work, K }: Stepper, h: number): void {
  if (!limp || !isArcs(isometry)) return;
  isometry.evaluate(state.Y);
  limp.renew(K, isometry.arcs, work.force, state.tension, h);
}
