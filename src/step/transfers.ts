// biome-ignore-all format: components are kept in columns
/**
 * Transfers between the samples and the coarse level: rhs = Zᵀ r and z += Z rhs.
 *
 * A sample and the two vectors of its frame follow the same coarse points, each with weights of its own, so that a sample has one list of coarse points
 * with three weights each: a coarse point is read and written once instead of three times.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { listF64, listI32 } from "../linalg/lists.ts";
import type { Interpolation } from "./coarse-points.ts";

/** What the loops read and write, in the system's memory. */
export interface Transfers {
  readonly samples: number;
  readonly coarse: number;
  readonly start: Int32Array; // [samples+1]
  readonly index: Int32Array; // coarse points
  readonly weight: Float64Array; // [3·entries] of the position, and of both vectors of the frame
  readonly rhs: Float64Array; // [3·coarse]
  /** The same by coarse points: the samples that each moves, rising. */
  readonly fromStart: Int32Array; // [coarse+1]
  readonly fromIndex: Int32Array; // samples
  /** What inner solves in single precision read and write (single-solve.ts): weights, four an entry, the last 0; Zᵀr and its solution, four a point. */
  readonly single: Float32Array; // [4·entries] by samples
  readonly fromSingle: Float32Array; // [4·entries] by coarse points
  readonly restricted: Float32Array; // [4·coarse]
  readonly solved: Float32Array; // [4·coarse]
}

/** The loops that kernels repeat. */
export interface TransferOperations {
  restrict(transfers: Transfers, r: ReadonlyF64): void;
  prolong(z: Float64Array, transfers: Transfers, fixed: Uint8Array): void;
}

/** @param Z over the samples, and then both vectors of every frame */
export function createTransfers(memory: Allocator, Z: Interpolation): Transfers {
  const { coarse } = Z, samples = (Z.start.length - 1) / 3;
  const start = new Int32Array(samples + 1), index = listI32(), weight = listF64();
  const place = new Int32Array(coarse).fill(-1); // of a coarse point in the list of the sample, if not before its start
  for (let i = 0; i < samples; i++) {
    for (let p = 0; p < 3; p++) {
      const point = p === 0 ? i : samples + 2 * i + p - 1;
      for (let q = Z.start[point]; q < Z.start[point + 1]; q++) {
        const I = Z.index[q];
        if (place[I] < start[i]) {
          place[I] = index.length;
          index.push(I);
          for (let k = 0; k < 3; k++) weight.push(0);
        }
        weight.items[3 * place[I] + p] = Z.weight[q];
      }
    }
    start[i + 1] = index.length;
  }
  const to = { start, index: index.done(), weight: weight.done() }, from = byCoarse(coarse, to);
  return {
    samples, coarse, start: memory.copyI32(start), index: memory.copyI32(to.index), weight: memory.copyF64(to.weight), rhs: memory.f64(3 * coarse),
    fromStart: memory.copyI32(from.start), fromIndex: memory.copyI32(from.index),
    single: inFours(memory, to.weight), fromSingle: inFours(memory, from.weight), restricted: memory.f32(4 * coarse), solved: memory.f32(4 * coarse),
  };
}

/** Three weights an entry as four singles. */
function inFours(memory: Allocator, weight: Float64Array): Float32Array {
  const fours = memory.f32((4 * weight.length) / 3);
  for (let k = 0; k < weight.length && fours.length > 0; k++) fours[k + Math.floor(k / 3)] = weight[k];
  return fours;
}

type Lists = { start: Int32Array; index: Int32Array; weight: Float64Array };

/** Lists of samples by coarse points, from lists of coarse points by samples. */
function byCoarse(coarse: number, to: Lists): Lists {
  const start = new Int32Array(coarse + 1), index = new Int32Array(to.index.length), weight = new Float64Array(to.weight.length);
  for (let q = 0; q < index.length; q++) start[to.index[q] + 1]++;
  for (let I = 0; I < coarse; I++) start[I + 1] += start[I];
  const next = start.slice();
  for (let i = 0; i + 1 < to.start.length; i++)
    for (let q = to.start[i]; q < to.start[i + 1]; q++) {
      const p = next[to.index[q]]++;
      index[p] = i;
      for (let k = 0; k < 3; k++) weight[3 * p + k] = to.weight[3 * q + k];
    }
  return { start, index, weight };
}

/** rhs = Zᵀ r. */
export function restrict({ samples, start, index, weight, rhs }: Transfers, r: ReadonlyF64): void {
  rhs.fill(0);
  for (let i = 0; i < samples; i++) {
    const y = 3 * i, f = 3 * samples + 6 * i;
    for (let q = start[i]; q < start[i + 1]; q++) {
      const I = 3 * index[q], w = weight[3 * q], a = weight[3 * q + 1], b = weight[3 * q + 2];
      for (let c = 0; c < 3; c++) rhs[I + c] += w * r[y + c] + a * r[f + c] + b * r[f + 3 + c];
    }
  }
}

const sum = new Float64Array(9);

/** z += Z rhs on the free coordinates. */
export function prolong(z: Float64Array, { samples, start, index, weight, rhs }: Transfers, fixed: Uint8Array): void {
  for (let i = 0; i < samples; i++) {
    const y = 3 * i, f = 3 * samples + 6 * i;
    sum.fill(0);
    for (let q = start[i]; q < start[i + 1]; q++) {
      const I = 3 * index[q], w = weight[3 * q], a = weight[3 * q + 1], b = weight[3 * q + 2];
      for (let c = 0; c < 3; c++) { sum[c] += w * rhs[I + c]; sum[3 + c] += a * rhs[I + c]; sum[6 + c] += b * rhs[I + c]; }
    }
    for (let c = 0; c < 3; c++) if (!fixed[y + c]) z[y + c] += sum[c];
    for (let c = 0; c < 6; c++) if (!fixed[f + c]) z[f + c] += sum[3 + c];
  }
}
