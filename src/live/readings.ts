/**
 * What can be read off a simulation between steps: energies, forces, contact.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { multiplyScalar3 } from "../linalg/sparse.ts";
import type { Vec3 } from "../scene/scene.ts";
import { renewLimp } from "../step/incremental-potential.ts";
import { addForces } from "../step/potential.ts";
import type { Stepper } from "../step/stepper.ts";
import { restEnergy } from "../system/rest-curvature.ts";

/** J */
export interface Energy {
  kinetic: number;
  /** −m g·y, hung masses included, so that it falls as the sheet falls. */
  gravity: number;
  bending: number;
  /** Of strain alone: arcs and frames, or what a method has in their place. */
  membrane: number;
  /** E_r, what keeps the edges of limp cloth from turning into an S (system/limp-cloth.ts). */
  smoothing: number;
  /** Of the springs of a foundation. */
  foundation: number;
  /** −p V of closed sheets; 0 of open ones, on which pressure has no potential. */
  pressure: number;
  /** Of the solid under a sheet. */
  substrate: number;
  /** The sum. What contact, seams, attachments and hands store is not in it. */
  total: number;
}

export function energy(system: Stepper): Energy {
  const { state, m, n, sheet, scene, K, pattern, work } = system;
  const { Y, V } = state;
  let kinetic = 0;
  let gravity = 0;
  for (let i = 0; i < n; i++)
    for (let c = 0; c < 3; c++) {
      kinetic += 0.5 * m[i] * V[3 * i + c] * V[3 * i + c];
      gravity -= m[i] * scene.gravity[c] * Y[3 * i + c];
    }
  const { trial } = work.minimise;
  renewLimp(system, 0);
  // a shift does not bend, and rounding grows with the distance
  const { d: near } = work.minimise;
  near.set(Y);
  for (const { firstPoint, points } of sheet.parts)
    for (let c = 0; c < 3; c++) {
      const last = 3 * (firstPoint + points);
      let mean = 0;
      for (let k = 3 * firstPoint + c; k < last; k += 3) mean += Y[k] / points;
      for (let k = 3 * firstPoint + c; k < last; k += 3) near[k] -= mean;
    }
  multiplyScalar3(trial, { ...pattern, values: system.limp?.bending ?? K }, near);
  let bending = system.natural ? restEnergy(system.natural, sheet.n, Y) : 0;
  for (let k = 0; k < 3 * n; k++) bending += 0.5 * trial[k] * near[k];
  const membrane = membraneEnergy(system, Y);
  const smoothing = system.limp?.energy(Y) ?? 0;
  const foundation = system.foundation?.energy(Y) ?? 0;
  const pressure = scene.pressure === 0 ? 0 : -scene.pressure * closedVolume(sheet, Y);
  const substrate = system.substrate?.energy(Y) ?? 0;
  const stored = bending + membrane + smoothing + foundation + pressure + substrate;
  const total = kinetic + gravity + stored;
  return {
    kinetic,
    gravity,
    bending,
    membrane,
    smoothing,
    foundation,
    pressure,
    substrate,
    total,
  };
}

/** [parts] N/m: K_r of E_r as it is now; empty where samples have no frames. */
export function smoothingStiffness(system: Stepper): Float64Array {
  renewLimp(system, 0);
  return system.limp ? system.limp.tension.slice() : new Float64Array(0);
}

/** m³ inside of the sheets that have no boundary: Σ a·(b × c)/6 over their triangles. */
function closedVolume({ parts, triangles, boundary }: Stepper["sheet"], Y: ReadonlyF64): number {
  let volume = 0;
  for (const { firstPoint, points } of parts) {
    const last = firstPoint + points;
    if (boundary.subarray(firstPoint, last).includes(1)) continue;
    for (let t = 0; t < triangles.length; t += 3) {
      if (triangles[t] < firstPoint || triangles[t] >= last) continue;
      const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
      volume +=
        (Y[a] * (Y[b + 1] * Y[c + 2] - Y[b + 2] * Y[c + 1]) +
          Y[a + 1] * (Y[b + 2] * Y[c] - Y[b] * Y[c + 2]) +
          Y[a + 2] * (Y[b] * Y[c + 1] - Y[b + 1] * Y[c])) /
        6;
    }
  }
  return volume;
}

function membraneEnergy(system: Stepper, Y: ReadonlyF64): number {
  const projected = system.work.projections?.membraneEnergy();
  return projected ?? system.membrane.reduce((sum, set) => sum + set.energy(Y), 0);
}

/** What is missing to balance at held coordinates is what the pins give: ∇Φ there. Projections have no such balance. */
export function reactions({ state, work, sets, pins }: Stepper): { name: string; force: Vec3 }[] {
  if (work.projections) return [];
  const { ops, Ad } = work.minimise;
  ops.multiplyScalar3(Ad, work.base, state.Y);
  for (let k = 0; k < Ad.length; k++) Ad[k] -= work.b[k];
  for (const set of sets) set.evaluate(state.Y);
  addForces(Ad, sets, ops);
  return pins.held
    .filter(({ turns }) => !turns)
    .map(({ pin, points }) => {
      const force: Vec3 = [0, 0, 0];
      for (const i of points)
        for (let c = 0; c < 3; c++) if (pins.fixed[3 * i + c]) force[c] += Ad[3 * i + c];
      return { name: pin.name, force };
    });
}

/** The deepest penetration of bodies and layers. */
export function contactNow({ state, bodies, layers }: Stepper): {
  penetration: number;
  contacts: number;
  point: number;
} {
  const out = { penetration: 0, contacts: 0, point: -1 };
  for (const part of [bodies, layers]) {
    if (!part) continue;
    const found = part.measure(state.Y);
    out.contacts += found.contacts;
    if (found.penetration > out.penetration) {
      out.penetration = found.penetration;
      out.point = found.point;
    }
  }
  return out;
}

/** Pa into out [n]: normal force of everything that touches a point over its area, as the last step found it. */
export function contactPressure(
  out: Float32Array | Float64Array,
  { n, sheet, bodies, layers }: Stepper,
): void {
  out.fill(0);
  const force = new Float64Array(3 * n);
  for (const contact of [bodies, layers]) {
    if (!contact) continue;
    const { rowsPer, blocks, start, index, J, sigma } = contact.barrier;
    for (let b = 0; b < blocks; b++)
      for (let r = 0; r < rowsPer; r++) {
        const s = sigma[rowsPer * b + r];
        if (s === 0) continue;
        for (let e = start[b]; e < start[b + 1]; e++)
          for (let c = 0; c < 3; c++) force[3 * index[e] + c] += s * J[3 * (rowsPer * e + r) + c];
      }
  }
  for (let i = 0; i < sheet.n; i++)
    out[i] = Math.hypot(force[3 * i], force[3 * i + 1], force[3 * i + 2]) / sheet.area[i];
}
