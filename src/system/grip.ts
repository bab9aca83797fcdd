/**
 * A hand on the sheet: pulls the mean of some points towards a target with a spring, for dragging with a mouse.
 *
 *   ψ = ½ k |mean(Y) − target|²,     k lifts a few times the whole sheet's weight per tenth of a metre
 *
 * A hand that pulled harder would tear pins out of a real sheet; here it could only stretch it.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { Vec3 } from "../scene/scene.ts";
import type { RowSet } from "./system.ts";

/** Most points that a hand holds. */
const FINGERS = 8;

export interface Grip {
  readonly rows: RowSet;
  /** Takes hold of the points and leads their mean to the target; null lets go. */
  hold(points: readonly number[], target: Vec3 | null): void;
}

export function grip(memory: Allocator, weight: number): Grip {
  const stiffness = 30 * weight; // N/m: 3 weights per 0.1 m
  const target = new Float64Array(3);
  const rows: RowSet = {
    rowsPer: 3,
    blocks: 0,
    start: memory.i32(2),
    index: memory.i32(FINGERS),
    g: memory.f64(3),
    J: memory.f64(9 * FINGERS),
    sigma: memory.f64(3),
    weight: memory.f64(3),
    evaluate(Y) {
      for (let c = 0; c < 3; c++) {
        rows.g[c] = rows.blocks > 0 ? offset(c, Y) : 0;
        rows.sigma[c] = stiffness * rows.g[c];
      }
    },
    energy(Y) {
      if (rows.blocks === 0) return 0;
      let sum = 0;
      for (let c = 0; c < 3; c++) sum += offset(c, Y) ** 2;
      return 0.5 * stiffness * sum;
    },
  };
  function offset(c: number, Y: ReadonlyF64): number {
    let sum = -target[c];
    for (let e = 0; e < rows.start[1]; e++) sum += rows.J[9 * e + 4 * c] * Y[3 * rows.index[e] + c];
    return sum;
  }
  return {
    rows,
    hold(points, to) {
      rows.blocks = to && points.length > 0 ? 1 : 0;
      if (!to) return;
      target.set(to);
      const count = Math.min(points.length, FINGERS);
      rows.start[1] = count;
      for (let e = 0; e < count; e++) {
        rows.index[e] = points[e];
        for (let c = 0; c < 3; c++) rows.J[9 * e + 4 * c] = 1 / count;
      }
      rows.weight.fill(stiffness);
    },
  };
}
