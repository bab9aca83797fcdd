/**
 * Frames across a seam that is pressed flat: the two samples of a sewn pair have one deformation gradient.
 *
 *   g = ℓ (Fᵢ Rᵢ − Fⱼ Rⱼ)        Rᵢ: from the chart of the welded point, which reaches across the seam, into the chart of i
 *   ψ = ½ k |g|² + λ·g            k: STIFF times what the frames of the pair resist by themselves, D/ℓ² and K_r (limp-cloth.ts), N/m
 *
 * Linear in the unknowns. λ takes over the moment step by step, as it does for the gaps of the seam (seams.ts), so that k need not be stiff: a sewn cantilever
 * hangs as a welded one. While a seam is open its panels end in free edges, and there are no rows.
 */
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { secondRings } from "../sheet/curvature.ts";
import type { Neighbourhoods, Sheet } from "../sheet/kinematics.ts";
import type { ClosedSheet } from "./seams.ts";
import type { RowSet } from "./system.ts";

/** k over what a frame resists by itself. */
const STIFF = 10;

export interface SeamFrames extends RowSet {
  /** Rows for a step from Y; none unless the seams are closed. */
  beginStep(Y: ReadonlyF64, isClosed: boolean): void;
  /** For checkpoints: [1] whether the rows hold; then [6·pairs] N, λ. */
  readonly memory: Float64Array;
}

/**
 * @param open   second rings within the panels
 * @param D      [n] N·m
 * @param limp   [parts] N/m, the least K_r of each sheet
 */
export function seamFrames(
  memory: Allocator,
  sheet: Sheet,
  open: Neighbourhoods,
  closed: ClosedSheet,
  D: ReadonlyF64,
  limp: ReadonlyF64,
): SeamFrames {
  const pairs = sheet.seamPairs as ReadonlyI32;
  const count = pairs.length / 2;
  const blocks = 2 * count;
  const { index, J } = rowsOf(sheet, open, closed);
  const g = memory.f64(3 * blocks);
  const sigma = memory.f64(3 * blocks);
  const weight = memory.f64(3 * blocks);
  const kept = memory.f64(1 + 3 * blocks);
  const lambda = kept.subarray(1);
  const stiffness = new Float64Array(count);
  for (let p = 0; p < count; p++) {
    const i = pairs[2 * p];
    const part = sheet.parts.findIndex(({ firstPoint, points }) => i < firstPoint + points);
    stiffness[p] = STIFF * (D[i] / sheet.spacing[i] ** 2 + limp[part]);
  }

  /** g of one row at Y: the four entries of a block share one coefficient for x, y and z. */
  const residual = (Y: ReadonlyF64, b: number, c: number): number => {
    let sum = 0;
    for (let e = 4 * b; e < 4 * b + 4; e++) sum += J[9 * e] * Y[3 * index[e] + c];
    return sum;
  };

  const set: SeamFrames = {
    rowsPer: 3,
    blocks: 0,
    start: memory.copyI32(Int32Array.from({ length: blocks + 1 }, (_, b) => 4 * b)),
    index: memory.copyI32(index),
    g,
    J: memory.copyF64(J),
    sigma,
    weight,
    memory: kept,
    evaluate(Y) {
      for (let b = 0; b < this.blocks; b++)
        for (let c = 0; c < 3; c++) {
          const r = 3 * b + c;
          g[r] = residual(Y, b, c);
          weight[r] = stiffness[b >> 1];
          sigma[r] = weight[r] * g[r] + lambda[r];
        }
    },
    energy(Y) {
      let sum = 0;
      for (let b = 0; b < this.blocks; b++)
        for (let c = 0; c < 3; c++) {
          const x = residual(Y, b, c);
          sum += (0.5 * stiffness[b >> 1] * x + lambda[3 * b + c]) * x;
        }
      return sum;
    },
    beginStep(Y, isClosed) {
      this.blocks = isClosed ? blocks : 0;
      if (!isClosed) kept.fill(0);
      if (!isClosed) return;
      // what the rows still gave way in the last step, this one takes back
      for (let b = 0; b < blocks && kept[0] > 0; b++)
        for (let c = 0; c < 3; c++) lambda[3 * b + c] += stiffness[b >> 1] * residual(Y, b, c);
      kept[0] = 1;
    },
  };
  return set;
}

/** Points and coefficients of the two blocks of each pair: a vector of the welded chart seen by both frames. */
function rowsOf(
  sheet: Sheet,
  open: Neighbourhoods,
  closed: ClosedSheet,
): { index: Int32Array; J: Float64Array } {
  const { n, spacing } = sheet;
  const pairs = sheet.seamPairs as ReadonlyI32;
  const welded = secondRings(closed.mesh);
  const index = new Int32Array(4 * pairs.length);
  const J = new Float64Array(36 * pairs.length);
  for (let p = 0; 2 * p < pairs.length; p++) {
    const size = 0.5 * (spacing[pairs[2 * p]] + spacing[pairs[2 * p + 1]]);
    for (let end = 0; end < 2; end++) {
      const i = pairs[2 * p + end];
      const [c, s] = turnInto(open, i, welded, closed.number);
      const scale = ((end === 0 ? 1 : -1) * size) / spacing[i];
      for (let k = 0; k < 2; k++) {
        const e = 8 * p + 4 * k + 2 * end;
        index[e] = n + 2 * i;
        index[e + 1] = n + 2 * i + 1;
        for (let d = 0; d < 3; d++) {
          J[9 * e + 4 * d] = scale * (k === 0 ? c : -s);
          J[9 * e + 9 + 4 * d] = scale * (k === 0 ? s : c);
        }
      }
    }
  }
  return { index, J };
}

/** Cosine and sine of the turn from the chart of the welded point into that of its copy i, by the neighbours that both know. */
function turnInto(
  open: Neighbourhoods,
  i: number,
  welded: Neighbourhoods,
  number: ReadonlyI32,
): [number, number] {
  const place = new Map<number, number>();
  for (let e = open.start[i]; e < open.start[i + 1]; e++) place.set(number[open.index[e]], e);
  const w = number[i];
  let cosine = 0;
  let sine = 0;
  for (let e = welded.start[w]; e < welded.start[w + 1]; e++) {
    const own = place.get(welded.index[e]);
    if (own === undefined || welded.index[e] === w) continue;
    const [u, v] = [welded.X[2 * e], welded.X[2 * e + 1]];
    const [x, y] = [open.X[2 * own], open.X[2 * own + 1]];
    cosine += u * x + v * y;
    sine += u * y - v * x;
  }
  const length = Math.sqrt(cosine * cosine + sine * sine);
  return [cosine / length, sine / length];
}
