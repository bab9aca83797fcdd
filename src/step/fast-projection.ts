/**
 * Fast projection (§5): moves a predicted Y onto g(Y) = 0 along M⁻¹Jᵀ.
 *
 * One round minimises ½ δYᵀ M̃ δY subject to g + J δY = c(λ + δλ), M̃ = M/h² or M/h² + G (geometric-stiffness.ts). It is
 * solved in one of two forms, with the same γ_r = c_r + shift · S_rr:
 *
 *   dual    (S + γ) δλ = g − cλ,   S = J M̃⁻¹ Jᵀ,   δY = −M̃⁻¹ Jᵀ δλ          2×2 blocks of neighbouring points
 *   primal  (M̃ + Jᵀγ⁻¹J) δY = −Jᵀγ⁻¹(g − cλ),   δλ = γ⁻¹(g − cλ + J δY)     3×3 blocks, also with a G that is not diagonal
 *
 * until max|g| ≤ tol in every component, and by default at least once. Without that round (`everyStep: false`, as the paper has it) g grows for k − 1
 * steps within the tolerance and is taken back in one, which throws the points back k − 1 times as fast (tests/step/literal.test.ts).
 *
 * The tolerance τ is slack that is used. Projected to 0, one round with G leaves 1e-5 whatever τ, and 0.1 and 0.001 would be
 * one and the same sheet. So rows have a compliance c in proportion to τ. Where c|λ| would come near τ (at pins) that block's
 * c shrinks, and never grows again: one that comes and goes with the load would pump. Tried and dropped: one c for all that
 * shrinks with the most loaded row (0.2 J gained while it shrinks); c that is a hundredth beyond τ/2 (rows jump from one line
 * to the other, 2000 J); projecting onto the band |g| ≤ τ (averages of F leave half of all in-plane modes free, 2000 J).
 *
 * The trap: S is singular at rest. g^det − g^tr = det ε is of second order in the strain, so where ε = 0 the two rows of a
 * point coincide. Any shift from 1e-12 factors; 1e-3 visibly changes the motion. Near the solution a round therefore gains
 * a factor, not twice the digits.
 *
 * Cost: the pattern never changes, so it is ordered and analysed once; a round evaluates g and J, refills the matrix,
 * factors, solves. 2×2 dual blocks take a third of the time of 3×3 primal ones, which is why the dual form is there.
 */
import { factor } from "../linalg/cholesky-factor.ts";
import { solve } from "../linalg/cholesky-solve.ts";
import { addGeometricStiffness } from "./geometric-stiffness.ts";
import type { Dual, Primal, Projection } from "./projection-plan.ts";

export interface Target {
  /** [n] kg */
  readonly m: Float64Array;
  /** s, the h of M/h². */
  readonly h: number;
  /** [3n] 1 where held. */
  readonly fixed: Uint8Array;
  readonly tolerance: number;
  /** Relative shift of the diagonal of S. */
  readonly shift: number;
  readonly maxRounds: number;
  /** Whether a step whose prediction is within the tolerance has a round too. */
  readonly everyStep: boolean;
  /** m: a round that moves a point further is not trusted. */
  readonly longestMove: number;
}

/** A residual below this share of the smallest so far is progress. */
const PROGRESS = 0.99;
/** Rounds without progress after which it is given up. */
const PATIENCE = 4;
/** Share of the tolerance that c|λ| may use; the rest is for what is not linear. */
const USED = 0.7;

/**
 * Projects Y. λ of the projection is that of the last step on entry (for G) and of this one on return.
 * Allocates nothing.
 */
export function fastProjection(Y: Float64Array, projection: Projection, target: Target): void {
  const { sets, lambda, dY, report, form, clock } = projection;
  startProjection(Y, projection, target);
  for (let s = 0; s < sets.length; s++) lambda[s].fill(0);
  report.rounds = 0;
  report.converged = false;
  report.shifted = 0;
  let best = Infinity;
  let stale = 0;
  for (;;) {
    let t0 = performance.now();
    for (let s = 0; s < sets.length; s++) sets[s].evaluate(Y);
    measureRows(projection);
    let t1 = performance.now();
    clock.evaluate += t1 - t0;
    report.residual = residual(projection);
    if (report.residual <= target.tolerance && (report.rounds > 0 || !target.everyStep)) {
      report.converged = true;
      return;
    }
    if (report.residual < PROGRESS * best) {
      best = report.residual;
      stale = 0;
    } else if (++stale >= PATIENCE || !(report.residual < Infinity)) return;
    if (report.rounds === target.maxRounds) return;

    if (form.kind === "dual") assembleDual(projection, form, target.shift);
    else assemblePrimal(projection, form, target);
    t0 = performance.now();
    clock.assemble += t0 - t1;
    const failed = factor(form.cholesky, form.kind === "dual" ? form.S.values : form.H.values);
    t1 = performance.now();
    clock.factor += t1 - t0;
    if (failed !== 0) return;
    report.shifted =
      form.kind === "dual"
        ? solveDual(projection, form, target)
        : solvePrimal(projection, form, target);
    clock.solve += performance.now() - t1;

    let move = 0;
    for (let k = 0; k < dY.length; k++) {
      const a = dY[k] < 0 ? -dY[k] : dY[k];
      if (!(a <= move)) move = a;
    }
    if (!(move <= target.longestMove)) return;
    for (let k = 0; k < dY.length; k++) Y[k] += dY[k];
    stiffen(projection, USED * target.tolerance);
    report.rounds++;
  }
}

/** h²M⁻¹ and the constant part of the primal matrix, with G from the multipliers that λ holds now. */
function startProjection(Y: Float64Array, projection: Projection, target: Target): void {
  const { inverse, sets, lambda, form, clock } = projection;
  const { m, h, fixed } = target;
  for (let k = 0; k < inverse.length; k++)
    inverse[k] = fixed[k] ? 0 : (h * h) / m[Math.floor(k / 3)];
  if (form.kind === "dual") return;
  const t0 = performance.now();
  const { constant, diagonal, places, stress } = form;
  constant.values.fill(0);
  if (stress)
    for (let s = 0; s < sets.length; s++)
      addGeometricStiffness(constant, sets[s], places[s], lambda[s], Y, stress.A, stress.places);
  for (let i = 0; i < diagonal.length; i++)
    for (let c = 0; c < 3; c++) constant.values[9 * diagonal[i] + 4 * c] += m[i] / (h * h);
  clock.assemble += performance.now() - t0;
}

/** Shrinks c of the blocks of the sheet whose c|λ| is above `most`. */
function stiffen({ own, lambda, compliance }: Projection, most: number): void {
  const { rowsPer, blocks } = own;
  for (let b = 0; b < blocks; b++) {
    let largest = 0;
    for (let r = rowsPer * b; r < rowsPer * (b + 1); r++) {
      const a = lambda[0][r] < 0 ? -lambda[0][r] : lambda[0][r];
      if (a > largest) largest = a;
    }
    if (compliance[0][b] * largest > most) compliance[0][b] = most / largest;
  }
}

/** J stored in the compliance at the last evaluation of the rows, Σ g²/2c where there is any, and in the shift. */
export function slackEnergy({ own, scale, compliance, report }: Projection): number {
  const { g, rowsPer, blocks } = own;
  let E = report.shifted;
  for (let b = 0; b < blocks; b++)
    for (let r = rowsPer * b; r < rowsPer * (b + 1); r++)
      if (scale[0][r] > 0 && compliance[0][b] > 0) E += (g[r] * g[r]) / (2 * compliance[0][b]);
  return E;
}

/** S_rr of every row. */
function measureRows({ sets, scale, inverse }: Projection): void {
  for (let s = 0; s < sets.length; s++) {
    const { rowsPer, blocks, start, index, J } = sets[s];
    const out = scale[s];
    for (let b = 0; b < blocks; b++)
      for (let r = 0; r < rowsPer; r++) {
        let sum = 0;
        for (let e = start[b]; e < start[b + 1]; e++) {
          const k = 3 * (rowsPer * e + r);
          const i = 3 * index[e];
          sum +=
            J[k] * J[k] * inverse[i] +
            J[k + 1] * J[k + 1] * inverse[i + 1] +
            J[k + 2] * J[k + 2] * inverse[i + 2];
        }
        out[rowsPer * b + r] = sum;
      }
  }
}

/** max |g| over the rows that any free point can change. */
function residual({ sets, scale }: Projection): number {
  let most = 0;
  for (let s = 0; s < sets.length; s++) {
    const { g } = sets[s];
    for (let r = 0; r < scale[s].length; r++) {
      if (scale[s][r] === 0) continue;
      const a = g[r] < 0 ? -g[r] : g[r];
      if (!(a <= most)) most = a;
    }
  }
  return most;
}

// -------------------------------------------------------------------------------------------- dual

function assembleDual(projection: Projection, form: Dual, shift: number): void {
  const { own, scale, inverse, lambda, compliance } = projection;
  const { J, g, index, rowsPer, blocks } = own;
  const { S, place, row, column } = form;
  const { values } = S;
  const size = rowsPer * rowsPer;
  values.fill(0);
  for (let q = 0; q < place.length; q++) {
    const i = 3 * index[row[q]];
    const x = inverse[i];
    const y = inverse[i + 1];
    const z = inverse[i + 2];
    if (x === 0 && y === 0 && z === 0) continue;
    const e = 3 * rowsPer * row[q];
    const d = 3 * rowsPer * column[q];
    const to = size * place[q];
    for (let a = 0; a < rowsPer; a++) {
      const ex = x * J[e + 3 * a];
      const ey = y * J[e + 3 * a + 1];
      const ez = z * J[e + 3 * a + 2];
      for (let c = 0; c < rowsPer; c++)
        values[to + rowsPer * a + c] +=
          ex * J[d + 3 * c] + ey * J[d + 3 * c + 1] + ez * J[d + 3 * c + 2];
    }
  }
  // γ on the diagonal; a row that nothing can change gets the identity
  for (let b = 0; b < blocks; b++)
    for (let a = 0; a < rowsPer; a++) {
      const r = rowsPer * b + a;
      const p = size * S.start[b] + (rowsPer + 1) * a;
      const s = scale[0][r];
      values[p] += s > 0 ? compliance[0][b] + shift * s : 1;
      form.x[r] = s > 0 ? g[r] - compliance[0][b] * lambda[0][r] : 0;
    }
}

/** δY and λ of a round; returns what the shift holds after it, J. */
function solveDual(
  { own, lambda, dY, inverse, scale }: Projection,
  form: Dual,
  { shift }: Target,
): number {
  const { x, cholesky } = form;
  solve(cholesky, x);
  const { rowsPer, blocks, start, index, J } = own;
  dY.fill(0);
  for (let b = 0; b < blocks; b++)
    for (let e = start[b]; e < start[b + 1]; e++)
      for (let r = 0; r < rowsPer; r++) {
        const k = 3 * (rowsPer * e + r);
        const i = 3 * index[e];
        const v = x[rowsPer * b + r];
        dY[i] -= J[k] * v;
        dY[i + 1] -= J[k + 1] * v;
        dY[i + 2] -= J[k + 2] * v;
      }
  for (let k = 0; k < dY.length; k++) dY[k] *= inverse[k];
  let E = 0;
  for (let r = 0; r < x.length; r++) {
    lambda[0][r] += x[r];
    E += 0.5 * shift * scale[0][r] * x[r] * x[r];
  }
  return E;
}

// ------------------------------------------------------------------------------------------ primal

function assemblePrimal(projection: Projection, form: Primal, { fixed, shift }: Target): void {
  const { sets, scale, dY, lambda, compliance } = projection;
  const { H, constant, places } = form;
  const { values } = H;
  values.set(constant.values);
  dY.fill(0);
  for (let s = 0; s < sets.length; s++) {
    const { rowsPer, blocks, start, index, J, g } = sets[s];
    const at = places[s];
    let k = 0;
    for (let b = 0; b < blocks; b++) {
      const from = start[b];
      const to = start[b + 1];
      for (let r = 0; r < rowsPer; r++) {
        const row = rowsPer * b + r;
        if (scale[s][row] === 0) continue;
        const w = 1 / (compliance[s][b] + shift * scale[s][row]);
        const force = w * (g[row] - compliance[s][b] * lambda[s][row]);
        let q = k;
        for (let e = from; e < to; e++) {
          const je = 3 * (rowsPer * e + r);
          const x = w * J[je];
          const y = w * J[je + 1];
          const z = w * J[je + 2];
          const i = 3 * index[e];
          dY[i] -= force * J[je];
          dY[i + 1] -= force * J[je + 1];
          dY[i + 2] -= force * J[je + 2];
          for (let f = from; f < to; f++) {
            const p = 9 * at[q++];
            if (p < 0) continue;
            const jf = 3 * (rowsPer * f + r);
            const u = J[jf];
            const v = J[jf + 1];
            const t = J[jf + 2];
            values[p] += x * u;
            values[p + 1] += x * v;
            values[p + 2] += x * t;
            values[p + 3] += y * u;
            values[p + 4] += y * v;
            values[p + 5] += y * t;
            values[p + 6] += z * u;
            values[p + 7] += z * v;
            values[p + 8] += z * t;
          }
        }
      }
      k += (to - from) * (to - from);
    }
  }
  // held coordinates are left out: rows and columns of the identity
  for (let j = 0; j < H.n; j++)
    for (let p = H.start[j]; p < H.start[j + 1]; p++) {
      const i = H.index[p];
      for (let a = 0; a < 3; a++)
        for (let c = 0; c < 3; c++)
          if (fixed[3 * i + a] || fixed[3 * j + c])
            values[9 * p + 3 * a + c] = i === j && a === c ? 1 : 0;
    }
  for (let k = 0; k < dY.length; k++) if (fixed[k]) dY[k] = 0;
}

/** λ of a round, whose δY is made of dY; returns what the shift holds after it, J. */
function solvePrimal(projection: Projection, { cholesky }: Primal, { shift }: Target): number {
  const { sets, lambda, scale, dY, compliance } = projection;
  let E = 0;
  solve(cholesky, dY);
  // δλ = γ⁻¹(g − cλ + J δY)
  for (let s = 0; s < sets.length; s++) {
    const { rowsPer, blocks, start, index, J, g } = sets[s];
    for (let b = 0; b < blocks; b++)
      for (let r = 0; r < rowsPer; r++) {
        const row = rowsPer * b + r;
        if (scale[s][row] === 0) continue;
        let sum = g[row] - compliance[s][b] * lambda[s][row];
        for (let e = start[b]; e < start[b + 1]; e++) {
          const k = 3 * (rowsPer * e + r);
          const i = 3 * index[e];
          sum += J[k] * dY[i] + J[k + 1] * dY[i + 1] + J[k + 2] * dY[i + 2];
        }
        const change = sum / (compliance[s][b] + shift * scale[s][row]);
        lambda[s][row] += change;
        E += 0.5 * shift * scale[s][row] * change * change;
      }
  }
  return E;
}
