/**
 * Leaving saddles: a sheet that is in balance but not stable buckles.
 *
 * A balloon of two discs, or any other symmetric sheet under pressure or compression, can come to rest where every force is zero and the energy still has
 * directions of negative curvature. Nature has noise; a simulation stays there for ever. So when a sheet has been quiet for a while the lowest mode
 *
 *   ρ(x) = xᵀHx / xᵀMx           H: exact Hessian without inertia, M: masses
 *
 * is looked for, from a fixed vector made of the numbers of the points, by conjugate gradients on ρ with the preconditioner of the step. If ρ < UNSTABLE
 * the sheet gets a small velocity along x, and physics does the rest. Deterministic, the same bits everywhere, and nothing is done to stable sheets.
 */
import type { System } from "../system/build.ts";
import { addPressure } from "../system/loads.ts";
import { QUIET_STEPS } from "../system/system.ts";
import { prepare } from "./incremental-potential.ts";
import { assemble, gradient, hessianProduct, type Potential } from "./potential.ts";
import type { Solver } from "./solvers.ts";

/** 1/s²: slower growth than e-fold in 0.14 s is left to the mesh's own unevenness; at rest in folds ρ is some tens above 0. */
const UNSTABLE = -50;
/** Steps that a sheet is quiet before it is asked, and from one time to the next. */
const QUIET = 12;
const AGAIN = 96;
/** Times that it is asked in one rest: a sheet that three modes have not moved is held by something. */
const MOST = 3;
/** Iterations on ρ: enough to know its sign where it matters. */
const ITERATIONS = 40;
/** Velocity of the fastest point, in tolerances of the solver. */
const KICK = 4;

/** Counts quiet steps; when it is time, looks for an unstable mode and sets the sheet in motion along it. Says whether it did. */
export function leaveSaddle(system: System, solver: Solver): boolean {
  const { state, work } = system;
  const { numbers, V } = state;
  let change = 0;
  for (let k = 0; k < V.length; k++) change = Math.max(change, Math.abs(V[k] - work.startV[k]));
  if (!(change < 0.1 * solver.speedTolerance)) {
    numbers[QUIET_STEPS] = 0;
    return false;
  }
  const quiet = ++numbers[QUIET_STEPS];
  if (quiet < QUIET || quiet > QUIET + AGAIN * (MOST - 1) || (quiet - QUIET) % AGAIN !== 0)
    return false;
  if (!(lowestMode(system, solver) < UNSTABLE)) return false;
  const { p: x } = work.minimise;
  let most = 0;
  for (let k = 0; k < x.length; k++) if (Math.abs(x[k]) > Math.abs(most)) most = x[k];
  if (most === 0) return false;
  for (let k = 0; k < x.length; k++) V[k] += (KICK * solver.speedTolerance * x[k]) / most;
  return true;
}

/**
 * s: the preconditioner is that of a step so long that inertia is as small as what is looked for; with that of a real step ρ comes down to 20 within
 * the iterations where it is −600.
 */
const LONG = 0.1;

/** ρ of the lowest mode, which is left in work.minimise.p, 1/s². */
export function lowestMode(system: System, solver: Solver): number {
  const { work, state } = system;
  const [base, b] = [work.base.values.slice(), work.b.slice()]; // what reactions of pins are read from
  const potential = prepare(system, LONG, false, state.steps * system.h);
  work.twoLevel.startStep();
  const rho = descendRho(system, solver, { ...potential, single: false });
  work.base.values.set(base);
  work.b.set(b);
  return rho;
}

function descendRho(system: System, solver: Solver, exact: Potential): number {
  const { state, work, m } = system;
  const { p: x, Ad: Hx, d, residual: Hd, z } = work.minimise;
  const r = work.predicted;
  gradient(state.Y, exact, work.minimise);
  assemble(exact, work.minimise, true);
  solver.preconditioner.update(work.minimise, exact);
  assemble(exact, work.minimise, false);
  const { held, heldCount } = work.minimise;
  // 1009 and 997 are primes: no symmetry of a mesh has this pattern
  for (let k = 0; k < r.length; k++) r[k] = ((k * 1009) % 997) / 997 - 0.5;
  for (let k = 0; k < 3 * m.length; k++) r[k] *= m[Math.floor(k / 3)];
  for (let k = 0; k < heldCount; k++) r[held[k]] = 0;
  solver.preconditioner.apply(x, r, work.minimise);
  applyStatic(system, exact, Hx, x);
  d.fill(0);
  Hd.fill(0);
  let before = 0; // r·z of the last iteration
  let rho = 0;
  for (let k = 0; k < ITERATIONS; k++) {
    const mass = massDot(system, x, x);
    if (!(mass > 0)) return 0;
    rho = dot(x, Hx) / mass;
    for (let q = 0; q < r.length; q++) {
      const i = Math.floor(q / 3);
      r[q] = Hx[q] - (i < m.length ? rho * m[i] * x[q] : 0);
    }
    for (let q = 0; q < heldCount; q++) r[held[q]] = 0;
    solver.preconditioner.apply(z, r, work.minimise);
    const now = dot(r, z);
    const beta = k > 0 && before > 0 ? now / before : 0;
    before = now;
    for (let q = 0; q < d.length; q++) d[q] = beta * d[q] - z[q];
    applyStatic(system, exact, Hd, d);
    const alpha = lowestAlong(system, x, Hx, d, Hd);
    if (!(Math.abs(alpha) < Infinity) || alpha === 0) break;
    for (let q = 0; q < x.length; q++) {
      x[q] += alpha * d[q];
      Hx[q] += alpha * Hd[q];
    }
  }
  return rho;
}

/** y = (H − M/h² − drag) x: the Hessian without inertia, of the step of length LONG. */
function applyStatic(system: System, potential: Potential, y: Float64Array, x: Float64Array): void {
  const { work, m, scene, sheet } = system;
  hessianProduct(y, potential, work.minimise, x);
  for (let i = 0; i < m.length; i++) {
    const air = i < sheet.n ? (scene.air.drag * sheet.area[i]) / LONG : 0;
    const a = m[i] / (LONG * LONG) + air;
    for (let k = 3 * i; k < 3 * i + 3; k++) y[k] -= a * x[k];
  }
  if (scene.pressure !== 0) addPressureStiffness(system, y, x);
  const { held, heldCount } = work.minimise;
  for (let k = 0; k < heldCount; k++) y[held[k]] = 0;
}

/** y −= ∂f x, f the forces of pressure: they are quadratic in Y, so that the central difference is exact whatever the step. */
function addPressureStiffness(
  { state, work, sheet, scene }: System,
  y: Float64Array,
  x: Float64Array,
): void {
  const { force, normals } = work;
  const { trial } = work.minimise;
  force.fill(0);
  for (const sign of [1, -1]) {
    for (let k = 0; k < trial.length; k++) trial[k] = state.Y[k] + sign * x[k];
    normals.fill(0);
    addPressure(normals, trial, sheet.triangles, scene.pressure);
    for (let k = 0; k < 3 * sheet.n; k++) force[k] += 0.5 * sign * normals[k];
  }
  for (let k = 0; k < 3 * sheet.n; k++) y[k] -= force[k];
}

/** α at which ρ(x + αd) is lowest: ρ′ = 0 is a quadratic equation. */
function lowestAlong(
  system: System,
  x: Float64Array,
  Hx: Float64Array,
  d: Float64Array,
  Hd: Float64Array,
): number {
  const [a, b, c] = [dot(x, Hx), dot(x, Hd), dot(d, Hd)];
  const [k, l, n] = [massDot(system, x, x), massDot(system, x, d), massDot(system, d, d)];
  const [A, B, C] = [c * l - b * n, c * k - a * n, b * k - a * l];
  const root = B * B - 4 * A * C;
  if (!(root >= 0)) return 0;
  const q = -0.5 * (B + (B < 0 ? -1 : 1) * Math.sqrt(root));
  const rho = (t: number) => (a + 2 * b * t + c * t * t) / (k + 2 * l * t + n * t * t);
  const [s, t] = [q / A, C / q];
  if (!(Math.abs(s) < Infinity)) return t;
  return rho(s) < rho(t) ? s : t;
}

function dot(x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < x.length; k++) sum += x[k] * y[k];
  return sum;
}

function massDot({ m }: System, x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < m.length; i++)
    for (let k = 3 * i; k < 3 * i + 3; k++) sum += m[i] * x[k] * y[k];
  return sum;
}
