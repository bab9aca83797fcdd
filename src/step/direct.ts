/**
 * A direct solve as preconditioner: the Newton matrix itself, factored in 3×3 blocks.
 *
 *   P = A ⊗ I₃ + JᵀWJ          all sets whose points are coupled in the pattern anyway; others (a hand, contact) are left to CG
 *
 * For membranes so stiff that conjugate gradients crawl: discrete shells at 10⁴ MPa. A factorisation costs as much as some
 * thirty iterations at 662 points and does not mind the stiffness. Where P is not positive definite (exact geometric stiffness
 * in a buckling sheet) its diagonal is raised until it is.
 */
import { inOneMemory } from "../linalg/arena.ts";
import { attachKernels, prepareCholesky } from "../linalg/cholesky.ts";
import { factor } from "../linalg/cholesky-factor.ts";
import { solve } from "../linalg/cholesky-solve.ts";
import { analyseInSpace } from "../linalg/dissection.ts";
import { createBlockSymmetric, findBlock, lowerBlocks } from "../linalg/sparse.ts";
import type { RowSet } from "../system/system.ts";
import { blockJacobi, type Preconditioner } from "./minimise.ts";
import { blockPairs } from "./projection-plan.ts";
import type { Stepper } from "./stepper.ts";

/** Share of the diagonal that is added at the first failure; ten times as much at each further one. */
const RAISE = 1e-4;
const MAX_RAISES = 5;

export function directPreconditioner(system: Stepper): Preconditioner {
  const { pattern, n, sheet, work: ofSystem } = system;
  const lower = lowerBlocks(pattern);
  const coordinates = new Float64Array(3 * n);
  coordinates.set(sheet.rest as Float64Array);
  const analysis = analyseInSpace(lower, 3, coordinates);
  const { arena, value } = inOneMemory((memory) => ({
    H: createBlockSymmetric(memory, lower, 3),
    cholesky: prepareCholesky(memory, analysis),
    x: memory.f64(3 * n),
  }));
  try {
    const kernels = ofSystem.compile?.(arena);
    if (kernels) attachKernels(value.cholesky, kernels);
  } catch {
    // a page's main thread may not compile while it waits; the TypeScript gives the same bits
  }
  const { H, cholesky, x } = value;
  const { values } = H;

  // where the scalar entries of A and the pairs of every set go
  const scalar = new Int32Array(pattern.index.length);
  for (let i = 0; i < n; i++)
    for (let p = pattern.start[i]; p < pattern.start[i + 1]; p++)
      scalar[p] = pattern.index[p] <= i ? findBlock(lower, i, pattern.index[p]) : -1;
  const places = new Map<RowSet, Int32Array>();
  for (const set of [system.isometry, system.springs, system.foundation, system.wind])
    if (set) places.set(set, blockPairs(set, lower));

  let usable = false;
  return {
    update(work, potential) {
      const { fixed, sets } = potential;
      values.fill(0);
      for (let p = 0; p < scalar.length; p++) {
        const to = 9 * scalar[p];
        if (to < 0) continue;
        const a = work.A.values[p];
        values[to] += a;
        values[to + 4] += a;
        values[to + 8] += a;
      }
      for (let s = 0; s < sets.length; s++) {
        const at = places.get(sets[s]);
        if (at) addNormal(values, sets[s], at);
      }
      hold(values, lower, fixed);
      usable = factor(cholesky, values) === 0;
      let raise = RAISE;
      for (let k = 0; !usable && k < MAX_RAISES; k++) {
        for (let j = 0; j < n; j++) {
          const p = 9 * lower.start[j];
          for (let c = 0; c < 3; c++) values[p + 4 * c] += raise * Math.abs(values[p + 4 * c]);
        }
        usable = factor(cholesky, values) === 0;
        raise *= 10;
      }
      if (!usable) blockJacobi.update(work, potential);
    },
    apply(z, r, work) {
      if (!usable) {
        blockJacobi.apply(z, r, work);
        return;
      }
      x.set(r as Float64Array);
      solve(cholesky, x);
      z.set(x);
    },
  };
}

/** H += JᵀWJ of one set. */
function addNormal(values: Float64Array, set: RowSet, places: Int32Array): void {
  const { rowsPer, blocks, start, J, weight } = set;
  let k = 0;
  for (let b = 0; b < blocks; b++) {
    const from = start[b];
    const to = start[b + 1];
    for (let r = 0; r < rowsPer; r++) {
      const w = weight[rowsPer * b + r];
      if (w === 0) continue;
      let q = k;
      for (let e = from; e < to; e++) {
        const je = 3 * (rowsPer * e + r);
        for (let f = from; f < to; f++) {
          const p = 9 * places[q++];
          if (p < 0) continue;
          const jf = 3 * (rowsPer * f + r);
          for (let a = 0; a < 3; a++) {
            const v = w * J[je + a];
            values[p + 3 * a] += v * J[jf];
            values[p + 3 * a + 1] += v * J[jf + 1];
            values[p + 3 * a + 2] += v * J[jf + 2];
          }
        }
      }
    }
    k += (to - from) * (to - from);
  }
}

/** Held coordinates: rows and columns of the identity. */
function hold(
  values: Float64Array,
  lower: ReturnType<typeof lowerBlocks>,
  fixed: Uint8Array,
): void {
  for (let j = 0; j < lower.n; j++)
    for (let p = lower.start[j]; p < lower.start[j + 1]; p++) {
      const i = lower.index[p];
      for (let a = 0; a < 3; a++)
        for (let c = 0; c < 3; c++)
          if (fixed[3 * i + a] || fixed[3 * j + c])
            values[9 * p + 3 * a + c] = i === j && a === c ? 1 : 0;
    }
}
