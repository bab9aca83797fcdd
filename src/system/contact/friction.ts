/**
 * Friction as rows: two tangents per contact, along which the slip of a weighted sum of its points is resisted by μN (barrier.ts).
 * Who touches, how hard, and from where slip counts is the owner's to say; here is what follows from it.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import { SPARE } from "../../linalg/single.ts";
import type { RowSet } from "../system.ts";
import { slipEnergy, slipWeight } from "./barrier.ts";

export interface Friction extends RowSet {
  /** [2·contacts] m, what J Y was where the contact stuck. */
  readonly base: Float64Array;
  /** [contacts] N, μ times the normal force. */
  readonly force: Float64Array;
  /** From now on its loop runs in the kernels. */
  attach(kernels: { slips: typeof slips }): void;
}

/** g = J Y − base of contacts with so many points each. */
export function slips(
  { g, J, index, base, blocks }: Pick<Friction, "g" | "J" | "index" | "base" | "blocks">,
  points: number,
  Y: ReadonlyF64,
): void {
  for (let k = 0; k < blocks; k++) {
    let u = -base[2 * k];
    let v = -base[2 * k + 1];
    for (let c = points * k; c < points * (k + 1); c++) {
      const i = 3 * index[c];
      u += J[6 * c] * Y[i] + J[6 * c + 1] * Y[i + 1] + J[6 * c + 2] * Y[i + 2];
      v += J[6 * c + 3] * Y[i] + J[6 * c + 4] * Y[i + 1] + J[6 * c + 5] * Y[i + 2];
    }
    g[2 * k] = u;
    g[2 * k + 1] = v;
  }
}

/**
 * @param points   of a contact
 * @param start    [most+1] the multiples of it
 * @param epsilon  m, the slip from which on friction slides
 * @param anchors  whether the other side stands still (a body)
 */
export function frictionRows(
  memory: Allocator,
  points: number,
  most: number,
  start: Int32Array,
  epsilon: () => number,
  anchors: boolean,
): Friction {
  const J = memory.f64(6 * points * most);
  const index = memory.i32(points * most);
  const base = memory.f64(2 * most);
  const force = memory.f64(most);
  const g = memory.f64(2 * most);
  const sigma = memory.f64(2 * most);
  const weight = memory.f64(2 * most);
  let energy = 0; // J, at the last evaluate

  let run = slips; // or the kernel, once it is there

  /** Length of the slip of contact k, m. */
  const length = (k: number): number =>
    Math.sqrt(g[2 * k] * g[2 * k] + g[2 * k + 1] * g[2 * k + 1]);

  const rows: Friction = {
    rowsPer: 2,
    blocks: 0,
    start,
    index,
    g,
    J,
    single: memory.f32(6 * points * most + SPARE),
    sigma,
    weight,
    base,
    force,
    anchors,
    attach(kernels) {
      run = kernels.slips;
    },
    evaluate(Y) {
      const reach = epsilon();
      energy = 0;
      run(rows, points, Y);
      for (let k = 0; k < rows.blocks; k++) {
        const y = length(k);
        energy += force[k] * slipEnergy(y, reach);
        const w = force[k] * slipWeight(y, reach);
        for (let r = 2 * k; r < 2 * k + 2; r++) {
          sigma[r] = w * g[r];
          weight[r] = w;
        }
      }
    },
    energyNow: () => energy,
    energy(Y) {
      const reach = epsilon();
      let sum = 0;
      run(rows, points, Y);
      for (let k = 0; k < rows.blocks; k++) sum += force[k] * slipEnergy(length(k), reach);
      return sum;
    },
  };
  return rows;
}
