/**
 * Friction as rows: two tangents per contact, along which the slip of a weighted sum of its points is resisted by μN (barrier.ts).
 * The owner of the rows gives the contacts, their normal forces and from where slip counts; this file makes rows of them.
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
  attach(kernels: { evaluateFriction: typeof evaluateFriction }): void;
}

/** g = J Y − base, sigma and weight of contacts with so many points each; returns the energy. */
export function evaluateFriction(
  rows: Pick<Friction, "g" | "J" | "index" | "base" | "force" | "sigma" | "weight" | "blocks">,
  points: number,
  Y: ReadonlyF64,
  reach: number,
): number {
  const { g, J, index, base, force, sigma, weight, blocks } = rows;
  let energy = 0;
  for (let k = 0; k < blocks; k++) {
    let u = -base[2 * k];
    let v = -base[2 * k + 1];
    for (let c = points * k; c < points * (k + 1); c++) {
      const i = 3 * index[c];
      u += J[6 * c] * Y[i] + J[6 * c + 1] * Y[i + 1] + J[6 * c + 2] * Y[i + 2];
      v += J[6 * c + 3] * Y[i] + J[6 * c + 4] * Y[i + 1] + J[6 * c + 5] * Y[i + 2];
    }
    const length = Math.sqrt(u * u + v * v);
    energy += force[k] * slipEnergy(length, reach);
    const w = force[k] * slipWeight(length, reach);
    g[2 * k] = u;
    g[2 * k + 1] = v;
    sigma[2 * k] = w * u;
    sigma[2 * k + 1] = w * v;
    weight[2 * k] = w;
    weight[2 * k + 1] = w;
  }
  return energy;
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
  epsilon: number,
  anchors: boolean,
): Friction {
  const J = memory.f64(6 * points * most);
  const index = memory.i32(points * most);
  const base = memory.f64(2 * most);
  const force = memory.f64(most);
  let run = evaluateFriction; // or the kernel, once it is there
  let energy = 0; // J, at the last evaluate
  const rows: Friction = {
    rowsPer: 2,
    blocks: 0,
    start,
    index,
    g: memory.f64(2 * most),
    J,
    single: memory.f32(6 * points * most + SPARE),
    sigma: memory.f64(2 * most),
    weight: memory.f64(2 * most),
    base,
    force,
    anchors,
    attach(kernels) {
      run = kernels.evaluateFriction;
    },
    evaluate(Y) {
      energy = run(rows, points, Y, epsilon);
    },
    energyNow: () => energy,
    energy: (Y) => run(rows, points, Y, epsilon),
  };
  return rows;
}
