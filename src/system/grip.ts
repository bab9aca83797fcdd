/**
 * Hands on the sheet: each pulls the mean of some points towards a target with a spring, for dragging with a mouse or a finger.
 *
 *   ψ = ½ k |mean(Y) − target|²,     k lifts three times the whole sheet's weight per tenth of a metre
 *
 * A hand that pulled harder would tear pins out of a real sheet; here it could only stretch it.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { Vec3 } from "../scene/scene.ts";
import type { RowSet } from "./system.ts";

/** Most points that one hand holds: their rows are allocated with the system. */
export const MOST_FINGERS = 8;
/** Most hands at once. */
export const MOST_HANDS = 32;
/** 1/m: stiffness of a hand as a multiple of the sheet's weight; 3 weights per 0.1 m. */
const WEIGHTS_PER_METRE = 30;

/** One hand that holds points of the sheet. */
export interface Hand {
  /** The points that it holds. */
  readonly points: readonly number[];
  /** Leads the mean of the points to another place, m. */
  moveTo(target: Readonly<Vec3>): void;
  /** Lets go. A hand that has let go does nothing any more. */
  release(): void;
}

export interface Grip {
  readonly rows: RowSet;
  /** How many hands hold something now. */
  readonly hands: number;
  /** Takes hold of at most MOST_FINGERS points; the caller checks that there are some and a hand is free. */
  grab(points: readonly number[], target: Readonly<Vec3>): Hand;
  releaseAll(): void;
}

interface Held {
  readonly points: readonly number[];
  target: Readonly<Vec3>;
}

/** @param weight N, of everything that hands may have to lift */
export function grip(memory: Allocator, weight: number): Grip {
  const stiffness = WEIGHTS_PER_METRE * weight;
  const held: Held[] = [];
  const rows: RowSet = {
    rowsPer: 3,
    blocks: 0,
    start: memory.i32(MOST_HANDS + 1),
    index: memory.i32(MOST_HANDS * MOST_FINGERS),
    g: memory.f64(3 * MOST_HANDS),
    J: memory.f64(9 * MOST_HANDS * MOST_FINGERS),
    sigma: memory.f64(3 * MOST_HANDS),
    weight: memory.f64(3 * MOST_HANDS),
    evaluate(Y) {
      for (let b = 0; b < rows.blocks; b++)
        for (let c = 0; c < 3; c++) {
          rows.g[3 * b + c] = offset(rows, held[b].target, b, c, Y);
          rows.sigma[3 * b + c] = stiffness * rows.g[3 * b + c];
        }
    },
    energy(Y) {
      let sum = 0;
      for (let b = 0; b < rows.blocks; b++)
        for (let c = 0; c < 3; c++) sum += offset(rows, held[b].target, b, c, Y) ** 2;
      return 0.5 * stiffness * sum;
    },
  };
  return {
    rows,
    get hands() {
      return held.length;
    },
    grab(points, target) {
      const hand: Held = { points: [...points], target: [...target] };
      held.push(hand);
      layRows(rows, held, stiffness);
      return {
        points: hand.points,
        moveTo(next) {
          hand.target = [...next];
        },
        release() {
          const k = held.indexOf(hand);
          if (k < 0) return;
          held.splice(k, 1);
          layRows(rows, held, stiffness);
        },
      };
    },
    releaseAll() {
      held.length = 0;
      layRows(rows, held, stiffness);
    },
  };
}

/** m: component c of the mean of block b, less its target. */
function offset(
  rows: RowSet,
  target: Readonly<Vec3>,
  b: number,
  c: number,
  Y: ReadonlyF64,
): number {
  let sum = -target[c];
  for (let e = rows.start[b]; e < rows.start[b + 1]; e++)
    sum += rows.J[9 * e + 4 * c] * Y[3 * rows.index[e] + c];
  return sum;
}

/** One block per hand, in the order in which they took hold. */
function layRows(rows: RowSet, held: readonly Held[], stiffness: number): void {
  rows.blocks = held.length;
  held.forEach(({ points }, b) => {
    const first = rows.start[b];
    rows.start[b + 1] = first + points.length;
    points.forEach((i, k) => {
      rows.index[first + k] = i;
      for (let c = 0; c < 3; c++) rows.J[9 * (first + k) + 4 * c] = 1 / points.length;
    });
  });
  rows.weight.fill(stiffness);
}
