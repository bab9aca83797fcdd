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
import { originOf, setSteps } from "./second-order.ts";
import type { Stepper } from "./stepper.ts";

/**
 * Inner solves multiply in single precision while bending is less than so many times inertia: rounding adds forces of up to 6·10⁻⁸ of K to a motion
 * that does not bend, and this bound keeps them to a hundredth of its inertia. (With D = 10⁻⁴ N·m at 8 mm and 1/240 s it is 60.)
 */
const SINGLE = 1e5;

/**
 * Inertia, drag and forces of this step; the rows are told the time.
 *
 * @param smooth whether sheets may go by BDF2; which do is in work.second
 */
export function prepare(system: Stepper, h: number, smooth: boolean, time: number): Potential {
  const { scene, sheet, n, m, K, diagonal, state, work } = system;
  const { Y, V, Yold, Vold } = state;
  const { b, force, predicted, potential } = work;
  const base = work.base.values;
  // velocities at the end of the step are (Y − origin)/step, of first or second order
  const { second } = work;
  const { step } = second;
  setSteps(system, h, smooth);

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
    for (let k = 0; k < 3 * sheet.n; k++)
      predicted[k] = originOf(second, Y, Yold, k, step[Math.floor(k / 3)] < h);
    setWind(system.wind, scene.air, predicted, V, work.normals, step);
  }

  const { drag, wind } = scene.air;
  const damping = system.material.damping;
  base.set(K);
  for (let i = 0; i < n; i++) {
    const isSmooth = step[i] < h;
    const inertia = m[i] / (step[i] * step[i]);
    const air = i < sheet.n ? (drag * sheet.area[i]) / step[i] : 0; // a solid has mass, not area
    base[diagonal[i]] += inertia + air;
    for (let c = 0; c < 3; c++) {
      const k = 3 * i + c;
      const origin = originOf(second, Y, Yold, k, isSmooth);
      const ahead = origin + step[i] * originOf(second, V, Vold, k, isSmooth);
      b[k] = inertia * ahead + air * (origin + step[i] * wind[c]) + force[k];
      predicted[k] = m[i] > 0 ? b[k] / (inertia + air) : ahead; // where it would go by itself
    }
  }
  if (isDamped(damping)) addBendingDamping(system, h);
  potential.single = true;
  for (let i = 0; i < n; i++)
    if (m[i] > 0 && base[diagonal[i]] * step[i] * step[i] > SINGLE * m[i]) potential.single = false;
  return potential;
}

function isDamped(damping: ReadonlyF64): boolean {
  for (let i = 0; i < damping.length; i++) if (damping[i] > 0) return true;
  return false;
}

/** Kelvin–Voigt damping of bending: ½ (η/step)(Y − origin)ᵀK(Y − origin). */
function addBendingDamping(system: Stepper, h: number): void {
  const { work, pattern, state, material, sheet, framed } = system;
  const { b, second } = work;
  const { step } = second;
  const { Y, Yold } = state;
  const K = system.limp?.bending ?? system.K;
  const base = work.base.values;
  const { n } = sheet;
  const rows = framed > 0 ? 3 * n : n;
  const sample = (point: number): number => (point < n ? point : (point - n) >> 1);
  for (let i = 0; i < rows; i++)
    for (let p = pattern.start[i]; p < pattern.start[i + 1]; p++) {
      const j = pattern.index[p];
      const eta = 0.5 * (material.damping[sample(i)] + material.damping[sample(j)]);
      const v = (eta / step[i]) * K[p];
      base[p] += v;
      for (let c = 0; c < 3; c++)
        b[3 * i + c] += v * originOf(second, Y, Yold, 3 * j + c, step[j] < h);
    }
}

/** Renews the added bending stiffness of limp cloth (system/limp-cloth.ts) from tension and loads at the start of a step of length h. */
export function renewLimp({ limp, isometry, state, work, K }: Stepper, h: number): void {
  if (!limp || !isArcs(isometry)) return;
  isometry.evaluate(state.Y);
  limp.renew(K, isometry.arcs, work.force, state.tension, h);
}
