/**
 * Leaving saddles: a sheet that is in balance but not stable buckles.
 *
 * A balloon of two discs, or any other symmetric sheet under pressure or compression, can come to rest where every force is zero and the energy still has
 * directions of negative curvature. Real sheets are disturbed by noise; a simulation would stay there. So when a sheet has been quiet for a while the lowest mode
 *
 *   ρ(x) = xᵀHx / xᵀMx           H: exact Hessian without inertia, M: masses
 *
 * is looked for, from a fixed vector made of the numbers of the points, by conjugate gradients on ρ with the preconditioner of the step. If ρ < UNSTABLE
 * the sheet gets a small velocity along x, and physics does the rest. Deterministic, the same bits everywhere, and nothing is done to stable sheets.
 *
 * A sheet that is exactly flat and pressed within its plane is tested at once, and only for modes out of the plane: if it waited, it would first
 * deform within it.
 */
import { isArcs } from "../system/frame-membrane.ts";
import { addPressure } from "../system/loads.ts";
import { QUIET_STEPS } from "../system/system.ts";
import { prepare } from "./incremental-potential.ts";
import { assemble, gradient, hessianProduct, type Potential } from "./potential.ts";
import type { Solver } from "./solvers.ts";
import type { Stepper } from "./stepper.ts";

/** 1/s²: slower growth than e-fold in 0.14 s is left to the mesh's own unevenness; at rest in folds ρ is some tens above 0. */
const UNSTABLE = -50;
/** Quiet steps before the first search, and from one search to the next. */
const FIRST_SEARCH = 12;
const SEARCH_INTERVAL = 96;
/** Searches in one rest: a sheet that three modes have not set in motion is held by something else. */
const MOST_SEARCHES = 3;
/** Quiet steps after which there is no further search. */
export const LAST_SEARCH: number = FIRST_SEARCH + SEARCH_INTERVAL * (MOST_SEARCHES - 1);
/** Iterations on ρ: enough to know its sign where it matters. */
const ITERATIONS = 40;
/** Velocity of the fastest point, in tolerances of the solver. */
const KICK = 4;
/** 1: compression of an arc beyond which a flat sheet is pressed; and m per m: how far from a plane it may be. */
const PRESSED = 1e-6;
const FLAT = 1e-9;
/** Of a sample's mass, what a vector of its frame counts: without any, ρ of frames that turn while the samples stay would have no bound. */
const FRAME_MASS = 1 / 12;

/** Counts quiet steps; when it is time, looks for an unstable mode and sets the sheet in motion along it. Says whether it did. */
export function leaveSaddle(system: Stepper, solver: Solver): boolean {
  const { state, work } = system;
  const { numbers, V } = state;
  let change = 0;
  for (let k = 0; k < V.length; k++) change = Math.max(change, Math.abs(V[k] - work.startV[k]));
  const plane = state.steps % FIRST_SEARCH === 0 ? planeOfPressed(system) : null;
  if (!(change < 0.1 * solver.speedTolerance)) numbers[QUIET_STEPS] = 0;
  else numbers[QUIET_STEPS]++;
  const quiet = numbers[QUIET_STEPS] - FIRST_SEARCH;
  const isDue =
    quiet >= 0 && quiet <= SEARCH_INTERVAL * (MOST_SEARCHES - 1) && quiet % SEARCH_INTERVAL === 0;
  if (!plane && !isDue) return false;
  if (!(lowestMode(system, solver, plane) < UNSTABLE)) return false;
  const { p: x } = work.minimise;
  let most = 0;
  for (let k = 0; k < x.length; k++) if (Math.abs(x[k]) > Math.abs(most)) most = x[k];
  if (most === 0) return false;
  for (let k = 0; k < x.length; k++) V[k] += (KICK * solver.speedTolerance * x[k]) / most;
  return true;
}

const normal = new Float64Array(3);

/** The normal of sheets with frames that are flat, in parallel planes, and pressed; null for others. */
function planeOfPressed({ sheet, state, work, isometry, framed }: Stepper): Float64Array | null {
  if (framed === 0 || !isArcs(isometry)) return null;
  const { Y } = state;
  const f = 3 * framed;
  let size = 0;
  for (let c = 0; c < 3; c++) {
    const [u, v] = [(c + 1) % 3, (c + 2) % 3];
    normal[c] = Y[f + u] * Y[f + 3 + v] - Y[f + v] * Y[f + 3 + u];
    size += normal[c] * normal[c];
  }
  for (let c = 0; c < 3; c++) normal[c] /= Math.sqrt(size);
  const most = FLAT * work.spacing * Math.sqrt(framed);
  for (const { firstPoint, points } of sheet.parts)
    for (let i = firstPoint; i < firstPoint + points; i++) {
      let height = 0;
      for (let c = 0; c < 3; c++) height += normal[c] * (Y[3 * i + c] - Y[3 * firstPoint + c]);
      if (!(Math.abs(height) < most)) return null;
    }
  const { m, edges } = isometry.arcs;
  for (let e = 0; e < edges; e++)
    if (m[3 * e] ** 2 + m[3 * e + 1] ** 2 + m[3 * e + 2] ** 2 < 1 - 2 * PRESSED) return normal;
  return null;
}

/**
 * s: the preconditioner is that of a step so long that inertia is as small as what is looked for; with that of a real step ρ comes down to 20 within
 * the iterations where it is −600.
 */
const LONG = 0.1;

/** ρ of the lowest mode, or of the lowest along a normal, which is left in work.minimise.p, 1/s². */
export function lowestMode(
  system: Stepper,
  solver: Solver,
  along: Float64Array | null = null,
): number {
  const { work, state } = system;
  const [base, b] = [work.base.values.slice(), work.b.slice()]; // what reactions of pins are read from
  const potential = prepare(system, LONG, false, state.steps * system.h);
  work.twoLevel.startStep();
  const rho = descendRho(system, solver, { ...potential, single: false }, along);
  work.base.values.set(base);
  work.b.set(b);
  return rho;
}

function descendRho(
  system: Stepper,
  solver: Solver,
  exact: Potential,
  along: Float64Array | null,
): number {
  const { state, work } = system;
  const { p: x, Ad: Hx, d, residual: Hd, z } = work.minimise;
  const r = work.predicted;
  gradient(state.Y, exact, work.minimise);
  assemble(exact, work.minimise, true);
  solver.preconditioner.update(work.minimise, exact);
  assemble(exact, work.minimise, false);
  const { held, heldCount } = work.minimise;
  // 1009 and 997 are primes: no symmetry of a mesh has this pattern
  for (let k = 0; k < r.length; k++) r[k] = ((k * 1009) % 997) / 997 - 0.5;
  for (let k = 0; k < r.length; k++) r[k] *= massAt(system, Math.floor(k / 3));
  if (along) project(r, along);
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
      r[q] = Hx[q] - rho * massAt(system, i) * x[q];
    }
    if (along) project(r, along);
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
function applyStatic(
  system: Stepper,
  potential: Potential,
  y: Float64Array,
  x: Float64Array,
): void {
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
  { state, work, sheet, scene }: Stepper,
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
  system: Stepper,
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

/** kg: of a point, or what a vector of a frame counts. */
function massAt({ m, framed }: Stepper, point: number): number {
  if (point < framed || point >= 3 * framed) return m[point];
  return FRAME_MASS * m[(point - framed) >> 1];
}

function massDot(system: Stepper, x: Float64Array, y: Float64Array): number {
  let sum = 0;
  for (let i = 0; 3 * i < x.length; i++) {
    const mass = massAt(system, i);
    for (let k = 3 * i; k < 3 * i + 3; k++) sum += mass * x[k] * y[k];
  }
  return sum;
}

/** Leaves of every vector of x what is along n. */
function project(x: Float64Array, n: Float64Array): void {
  for (let k = 0; k < x.length; k += 3) {
    const height = n[0] * x[k] + n[1] * x[k + 1] + n[2] * x[k + 2];
    for (let c = 0; c < 3; c++) x[k + c] = height * n[c];
  }
}
