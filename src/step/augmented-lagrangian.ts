/**
 * The fallback of fast projection (§5): a true projection of the prediction Ỹ onto g = 0.
 *
 *   min ½|Y − Ỹ|²_{M/h²}  subject to g(Y) = 0,      L(Y) = ½|Y − Ỹ|²_{M/h²} + λᵀg + ½ gᵀρ g,     λ ← λ + ρ g
 *
 * L is minimised by the projected Newton of minimise.ts, which cannot overshoot: it searches along its steps. ρ_r starts as
 * a multiple of 1/S_rr, so that a row costs as much as the inertia it must move, or as 1/c of the compliance that the
 * projection gives it, whichever is softer, and grows where g shrinks too slowly.
 *
 * Contact stays out of this loop: projected inside it, it pumped energy (2.5 J → 40 J).
 */

import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { createSparse, type SparsePattern } from "../linalg/sparse.ts";
import type { HardRows } from "../system/hard.ts";
import type { RowSet } from "../system/system.ts";
import type { Target } from "./fast-projection.ts";
import {
  type MinimiseOptions,
  type MinimiseWork,
  minimise,
  type Potential,
  type Preconditioner,
} from "./minimise.ts";
import type { Projection } from "./projection-plan.ts";

/** Rows of L: ψ = λg + ½ρg². */
export interface AugmentedRows extends RowSet {
  readonly hard: HardRows;
  readonly lambda: Float64Array; // [rows] J
  readonly rho: Float64Array; // [rows] J
}

export interface AugmentedLagrangian {
  readonly potential: Potential;
  readonly rows: readonly AugmentedRows[];
  readonly options: MinimiseOptions;
}

/** ρ = this / S_rr at first: softer takes more rounds, stiffer more conjugate gradients. */
const PENALTY = 100;
/** ρ grows by this where a round shrinks max|g| by less than a half. */
const GROWTH = 10;
const MAX_ROUNDS = 12;

export function prepareAugmentedLagrangian(
  memory: Allocator,
  sets: readonly HardRows[],
  /** Length of the J of each set: what a counting memory hands out is empty. */
  jacobians: readonly number[],
  diagonal: Int32Array,
  pattern: SparsePattern,
  fixed: Uint8Array,
): AugmentedLagrangian {
  const n = fixed.length / 3;
  const rows = sets.map((set, s) => augmentedRows(memory, set, jacobians[s]));
  return {
    rows,
    potential: {
      n,
      base: createSparse(memory, pattern),
      diagonal,
      b: memory.f64(3 * n),
      sets: rows,
      fixed,
    },
    options: {
      moveTolerance: 0,
      energyTolerance: Infinity,
      maxIterations: 40,
      cgTolerance: 0.1,
      cgMax: 1000,
    },
  };
}

function augmentedRows(memory: Allocator, hard: HardRows, jacobian: number): AugmentedRows {
  const { rowsPer, blocks, start, index, g, J } = hard;
  const rows = rowsPer * blocks;
  const trial = memory.f64(rows);
  const trialJ = memory.f64(jacobian);
  const set: AugmentedRows = {
    hard,
    rowsPer,
    blocks,
    start,
    index,
    g,
    J,
    sigma: memory.f64(rows),
    weight: memory.f64(rows),
    lambda: memory.f64(rows),
    rho: memory.f64(rows),
    evaluate(Y) {
      hard.evaluate(Y);
      for (let r = 0; r < rows; r++) {
        set.weight[r] = set.rho[r];
        set.sigma[r] = set.rho[r] > 0 ? set.lambda[r] + set.rho[r] * g[r] : 0;
      }
    },
    energy(Y) {
      hard.evaluateInto(trial, trialJ, Y);
      let E = 0;
      for (let r = 0; r < rows; r++)
        if (set.rho[r] > 0) E += trial[r] * (set.lambda[r] + 0.5 * set.rho[r] * trial[r]);
      return E;
    },
    addStress(A) {
      hard.addStress?.(A, set.sigma);
    },
  };
  return set;
}

/**
 * Moves Y, which starts anywhere, to the projection of `predicted`. The report and λ of the projection are those of
 * the whole. Allocates nothing.
 */
export function augmentedLagrangian(
  Y: Float64Array,
  predicted: ReadonlyF64,
  work: AugmentedLagrangian,
  projection: Projection,
  target: Target,
  minimiser: MinimiseWork,
  preconditioner: Preconditioner,
): void {
  const { potential, rows, options } = work;
  const { report, lambda, scale, compliance } = projection;
  const { m, h, fixed } = target;
  potential.base.values.fill(0);
  for (let i = 0; i < potential.n; i++) {
    const inertia = m[i] / (h * h);
    potential.base.values[potential.diagonal[i]] = inertia;
    for (let c = 0; c < 3; c++) potential.b[3 * i + c] = inertia * predicted[3 * i + c];
  }
  for (let s = 0; s < rows.length; s++) {
    rows[s].hard.evaluate(Y);
    rows[s].lambda.fill(0);
    freedom(scale[s], rows[s].hard, m, h, fixed);
    const { rowsPer } = rows[s];
    for (let r = 0; r < scale[s].length; r++) {
      const c = compliance[s][Math.floor(r / rowsPer)];
      rows[s].rho[r] = scale[s][r] > 0 ? 1 / Math.max(scale[s][r] / PENALTY, c) : 0;
    }
  }

  options.moveTolerance = 1e-3 * target.tolerance * target.longestMove;
  let before = Infinity;
  report.converged = false;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const result = minimise(Y, potential, minimiser, preconditioner, options);
    report.rounds += result.iterations;
    let most = 0;
    for (let s = 0; s < rows.length; s++) {
      const { rho, g } = rows[s];
      for (let r = 0; r < rho.length; r++) {
        if (rho[r] === 0) continue;
        const a = g[r] < 0 ? -g[r] : g[r];
        if (!(a <= most)) most = a;
      }
    }
    report.residual = most;
    for (let s = 0; s < rows.length; s++) {
      const { rho, g, lambda: mu } = rows[s];
      for (let r = 0; r < rho.length; r++) mu[r] += rho[r] * g[r];
    }
    if (!result.finite) break;
    if (most <= target.tolerance) {
      report.converged = true;
      break;
    }
    if (most > 0.5 * before)
      for (let s = 0; s < rows.length; s++) {
        const { rho } = rows[s];
        for (let r = 0; r < rho.length; r++) rho[r] *= GROWTH;
      }
    before = most;
  }
  for (let s = 0; s < rows.length; s++) lambda[s].set(rows[s].lambda);
}

/** S_rr of every row with the plain masses; 0 where all points are held. */
function freedom(
  out: Float64Array,
  { rowsPer, blocks, start, index, J }: HardRows,
  m: ReadonlyF64,
  h: number,
  fixed: Uint8Array,
): void {
  for (let b = 0; b < blocks; b++)
    for (let r = 0; r < rowsPer; r++) {
      let sum = 0;
      for (let e = start[b]; e < start[b + 1]; e++)
        for (let c = 0; c < 3; c++) {
          const v = J[3 * (rowsPer * e + r) + c];
          if (!fixed[3 * index[e] + c]) sum += (v * v * h * h) / m[index[e]];
        }
      out[rowsPer * b + r] = sum;
    }
}
