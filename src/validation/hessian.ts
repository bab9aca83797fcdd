/**
 * The exact second derivative of a sheet's energy as a matrix, factored: H + s M, s M a shift by the masses.
 *
 * H is read off products with it. Points no two of which share a neighbour are probed together, so some 150 products give every block, whatever
 * the sets that make up H; sets with frames store no rows from which it could be assembled.
 */
import { HEAP, inOneMemory } from "../linalg/arena.ts";
import { prepareCholesky } from "../linalg/cholesky.ts";
import { factor } from "../linalg/cholesky-factor.ts";
import { solve } from "../linalg/cholesky-solve.ts";
import { analyseInSpace } from "../linalg/dissection.ts";
import {
  type BlockPattern,
  createBlockSymmetric,
  lowerBlocks,
  type SparsePattern,
} from "../linalg/sparse.ts";
import type { Simulation } from "../simulation.ts";
import { prepare } from "../step/incremental-potential.ts";
import { gradient, hessianProduct } from "../step/minimise.ts";

export interface FactoredHessian {
  /** y = H x, without the shift. */
  multiply(y: Float64Array, x: Float64Array): void;
  /** x = (H + s M)⁻¹ x */
  solve(x: Float64Array): void;
  /** 1/s²: 0 where H is positive definite, otherwise the first tried that makes H + s M so. */
  readonly shift: number;
}

/** s: inertia of a step so long does not matter. */
const STILL = 1e9;
/** 1/s²: the first shift, about that of the lowest modes of the strips looked at; four times as much at each further one. */
const FIRST_SHIFT = 25;
const MAX_SHIFTS = 12;

export function factoredHessian({ system }: Simulation): FactoredHessian {
  const { state, work, m, n, pins, pattern, sheet } = system;
  const potential = prepare(system, STILL, false, system.h * state.steps);
  gradient(state.Y, potential, work.minimise);
  const { A } = work.minimise;
  A.values.set(potential.base.values);
  for (const set of potential.sets) set.addStress?.(A, false);
  // products run in the system's memory, which kernels want
  const [from, to] = [work.predicted, work.minimise.Ad];
  const multiply = (y: Float64Array, x: Float64Array): void => {
    from.set(x);
    hessianProduct(to, potential, work.minimise, from);
    y.set(to);
  };
  const lower = lowerBlocks(pattern);
  const H = probed(multiply, pattern, lower, pins.fixed);
  const coordinates = new Float64Array(3 * n);
  coordinates.set(sheet.rest as Float64Array);
  const analysis = analyseInSpace(lower, 3, coordinates);
  const { cholesky } = inOneMemory((memory) => ({
    cholesky: prepareCholesky(memory, analysis),
  })).value;
  let shift = 0;
  for (let k = 0; factor(cholesky, H) !== 0; k++) {
    if (k === MAX_SHIFTS)
      throw new Error(`the second derivative plus ${shift} 1/s² of mass is not positive definite`);
    const more = k === 0 ? FIRST_SHIFT : 3 * shift;
    shift += more;
    for (let i = 0; i < n; i++)
      for (let c = 0; c < 3; c++)
        if (!pins.fixed[3 * i + c]) H[9 * lower.start[i] + 4 * c] += more * m[i];
  }
  return { multiply, solve: (x) => solve(cholesky, x), shift };
}

/** The blocks of the lower triangle, with rows and columns of the identity where a coordinate is held. */
function probed(
  multiply: (y: Float64Array, x: Float64Array) => void,
  pattern: SparsePattern,
  lower: BlockPattern,
  fixed: Uint8Array,
): Float64Array {
  const { n } = lower;
  const { values } = createBlockSymmetric(HEAP, lower, 3);
  const colour = distinctNeighbours(pattern);
  const colours = colour.reduce((most, c) => Math.max(most, c + 1), 0);
  const [x, y] = [new Float64Array(3 * n), new Float64Array(3 * n)];
  for (let probe = 0; probe < 3 * colours; probe++) {
    const [own, c] = [Math.floor(probe / 3), probe % 3];
    x.fill(0);
    for (let j = 0; j < n; j++) if (colour[j] === own && !fixed[3 * j + c]) x[3 * j + c] = 1;
    multiply(y, x);
    for (let j = 0; j < n; j++) {
      if (colour[j] !== own) continue;
      for (let p = lower.start[j]; p < lower.start[j + 1]; p++)
        for (let a = 0; a < 3; a++)
          if (!fixed[3 * j + c]) values[9 * p + 3 * a + c] = y[3 * lower.index[p] + a];
      if (fixed[3 * j + c]) values[9 * lower.start[j] + 4 * c] = 1;
    }
  }
  return values;
}

/** [n] Colours such that no point has two neighbours, itself counted, of one colour. */
function distinctNeighbours({ rows: n, start, index }: SparsePattern): Int32Array {
  const colour = new Int32Array(n).fill(-1);
  const taken = new Int32Array(n).fill(-1); // by which point a colour was last found near
  for (let j = 0; j < n; j++) {
    for (let p = start[j]; p < start[j + 1]; p++) {
      const i = index[p];
      for (let q = start[i]; q < start[i + 1]; q++)
        if (colour[index[q]] >= 0) taken[colour[index[q]]] = j;
    }
    let free = 0;
    while (taken[free] === j) free++;
    colour[j] = free;
  }
  return colour;
}
