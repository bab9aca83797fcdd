/**
 * What can be read off a simulation between steps: energies, forces, contact.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { multiplyScalar3 } from "../linalg/sparse.ts";
import type { Vec3 } from "../scene/scene.ts";
import { renewLimp } from "../step/incremental-potential.ts";
import { addForces } from "../step/potential.ts";
import { projectedEnergy } from "../step/step-paper.ts";
import type { Stepper } from "../step/stepper.ts";
import { restEnergy } from "../system/rest-curvature.ts";

/** J */
export interface Energy {
  kinetic: number;
  gravity: number;
  bending: number;
  membrane: number;
  total: number;
}

/** Gravity is −m g·y, so that it falls as the sheet falls. */
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
  const quadratic = (values: Float64Array): number => {
    multiplyScalar3(trial, { ...pattern, values }, Y);
    let E = 0;
    for (let k = 0; k < 3 * n; k++) E += 0.5 * trial[k] * Y[k];
    return E;
  };
  const whole = quadratic(K);
  const ofBending = system.limp ? quadratic(system.limp.bending) : whole;
  const bending = ofBending + (system.natural ? restEnergy(system.natural, sheet.n, Y) : 0);
  // what keeps limp cloth from folding counts with the membrane
  const membrane = membraneEnergy(system, Y) + (whole - ofBending);
  const solid = system.substrate?.energy(Y) ?? 0;
  const total = kinetic + gravity + bending + membrane + solid;
  return { kinetic, gravity, bending, membrane, total };
}

function membraneEnergy(system: Stepper, Y: ReadonlyF64): number {
  return projectedEnergy(system) ?? system.membrane.reduce((sum, set) => sum + set.energy(Y), 0);
}

/** What is missing to balance at held coordinates is what the pins give: ∇Φ there. */
export function reactions({ state, work, sets, pins }: Stepper): { name: string; force: Vec3 }[] {
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
