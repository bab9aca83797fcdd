/**
 * Constraints as a projection sees them: rows g(Y) = 0 with gradients, and no stiffness behind them (§4, §5).
 *
 * The same constraints are soft elsewhere (isometry.ts: a membrane with a limit). Here g and J are plain, a multiplier
 * λ belongs to every row, and the geometric stiffness Σ λ ∂²g/∂Y², clamped to positive semidefinite element by element,
 * is asked for with λ given. It is a scalar matrix, the same for x, y and z: exactly so for `strain`, `metric` and edges,
 * whose g are sums of squared lengths, and for `paper` with adj(C) ≈ I. The determinant of `paper` is of fourth order;
 * its full 3×3 blocks are in geometric-stiffness.ts, which needs `averagedF`.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import type { SparseMatrix, SparsePattern } from "../linalg/sparse.ts";
import type { Scene } from "../scene/scene.ts";
import { averagingWeights } from "../sheet/charts.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import {
  type AveragedF,
  addTriangleStress,
  clampSymmetric,
  isometry,
  type MetricGroups,
  metric,
  metricGroups,
  pairPlaces,
  strain,
  triangleStress,
} from "./isometry.ts";

/** Blocks of `rowsPer` rows that share their points, laid out as in RowSet. */
export interface HardRows {
  readonly rowsPer: number;
  readonly blocks: number;
  readonly start: Int32Array; // [blocks+1]
  readonly index: Int32Array; // [entries]
  readonly g: Float64Array; // [rows]
  readonly J: Float64Array; // [3·rowsPer·entries]
  /** g and J at Y. */
  evaluate(Y: ReadonlyF64): void;
  /** The same into other arrays. */
  evaluateInto(g: Float64Array, J: Float64Array, Y: ReadonlyF64): void;
  /** A += Σ λ ∂²g, clamped; absent where g is linear. */
  addStress?(A: SparseMatrix, lambda: ReadonlyF64): void;
  /** Of tr and det only: the averages that their second derivatives are made of. */
  readonly averagedF?: AveragedF;
}

/** The isometry constraints of a scene (`paper`, `strain` or `metric`), hard. */
export function hardIsometry(
  memory: Allocator,
  kind: Scene["constraint"],
  sheet: Sheet,
  pattern: SparsePattern,
): HardRows {
  return kind === "metric"
    ? hardMetric(memory, sheet, pattern)
    : hardAveragedF(memory, kind as "paper" | "strain", sheet, pattern);
}

function hardAveragedF(
  memory: Allocator,
  kind: "paper" | "strain",
  sheet: Sheet,
  pattern: SparsePattern,
): HardRows {
  const rowsPer = kind === "paper" ? 2 : 3;
  const near: AveragedF = {
    n: sheet.n,
    start: memory.copyI32(sheet.near.start),
    index: memory.copyI32(sheet.near.index),
    B: memory.copyF64(averagingWeights(sheet.near, sheet.area)),
  };
  const at = memory.copyI32(pairPlaces(sheet.n, sheet.near.start, sheet.near.index, pattern));
  const form = kind === "paper" ? isometry : strain;
  const set: HardRows = {
    ...arrays(memory, rowsPer, near.start, near.index, sheet.n, sheet.near.index.length),
    evaluate: (Y) => form(set.g, set.J, Y, near),
    evaluateInto: (g, J, Y) => form(g, J, Y, near),
    addStress(A, lambda) {
      // S = ∂(λ·g)/∂C; A += 2 bⱼᵀ S⁺ bₖ over the pairs of each neighbourhood
      let p = 0;
      for (let i = 0; i < near.n; i++) {
        if (kind === "paper") {
          const s = lambda[2 * i] + lambda[2 * i + 1];
          clampSymmetric(clamped, s, 0, s);
        } else {
          const s0 = lambda[3 * i] / Math.SQRT2;
          const s1 = lambda[3 * i + 1] / Math.SQRT2;
          clampSymmetric(clamped, s0 + s1, lambda[3 * i + 2] / Math.SQRT2, s0 - s1);
        }
        const [from, to] = [near.start[i], near.start[i + 1]];
        if (clamped[0] === 0 && clamped[2] === 0) {
          p += (to - from) * (to - from);
          continue;
        }
        for (let e = from; e < to; e++) {
          const u = 2 * (clamped[0] * near.B[2 * e] + clamped[1] * near.B[2 * e + 1]);
          const v = 2 * (clamped[1] * near.B[2 * e] + clamped[2] * near.B[2 * e + 1]);
          for (let f = from; f < to; f++)
            A.values[at[p++]] += u * near.B[2 * f] + v * near.B[2 * f + 1];
        }
      }
    },
  };
  return kind === "paper" ? { ...set, averagedF: near } : set;
}

function hardMetric(memory: Allocator, sheet: Sheet, pattern: SparsePattern): HardRows {
  const groups = metricGroups(sheet, new Float64Array(sheet.n), 0);
  const G: MetricGroups = {
    blocks: groups.blocks,
    start: memory.copyI32(groups.start),
    index: memory.copyI32(groups.index),
    triStart: memory.copyI32(groups.triStart),
    tri: memory.copyI32(groups.tri),
    local: memory.copyI32(groups.local),
    q: memory.copyF64(groups.q),
    stiffness: groups.stiffness,
  };
  const stress = triangleStress(memory, sheet, pattern);
  const set: HardRows = {
    ...arrays(memory, 3, G.start, G.index, groups.blocks, groups.index.length),
    evaluate: (Y) => metric(set.g, set.J, Y, G),
    evaluateInto: (g, J, Y) => metric(g, J, Y, G),
    addStress(A, lambda) {
      const { s } = stress;
      s.fill(0);
      for (let b = 0; b < G.blocks; b++)
        for (let p = G.triStart[b]; p < G.triStart[b + 1]; p++)
          for (let k = 0; k < 3; k++)
            s[3 * G.tri[p] + k] +=
              lambda[3 * b] * G.q[9 * p + 3 * k] +
              lambda[3 * b + 1] * G.q[9 * p + 3 * k + 1] +
              lambda[3 * b + 2] * G.q[9 * p + 3 * k + 2];
      addTriangleStress(A, stress, true);
    },
  };
  return set;
}

const clamped = new Float64Array(3);

/** What every set of hard rows holds. */
export function arrays(
  memory: Allocator,
  rowsPer: number,
  start: Int32Array,
  index: Int32Array,
  blocks: number,
  entries: number,
): Pick<HardRows, "rowsPer" | "blocks" | "start" | "index" | "g" | "J"> {
  return {
    rowsPer,
    blocks,
    start,
    index,
    g: memory.f64(rowsPer * blocks),
    J: memory.f64(3 * rowsPer * entries),
  };
}
