// biome-ignore-all format: components are kept in columns
/**
 * The loops of an inner solve in single precision (single-solve.ts). kernels/inner.as.ts repeats them, operation by operation; several threads share them by
 * chunks of samples, and sums are made chunk by chunk, so that the bits do not depend on who did which.
 *
 *   turn      d = z + Z c + β d,   dm = Σ c d and u = 2 m·dm of every arc,   Ad of every sample
 *   descend   p += α d, r −= α Ad, z = B r;   c = A_c⁻¹ Zᵀ r;   rᵀP⁻¹r = rᵀz + (Zᵀr)ᵀc
 */
import { solve as solveCoarse } from "../linalg/cholesky-solve.ts";
import type { SparseMatrix } from "../linalg/sparse.ts";
import { CHUNK, HAS_COARSE, type SingleLoops, type SingleSolve } from "./single-solve.ts";

const { fround } = Math;

/** A in blocks of nine: of sample i and each of its neighbours, rows y a b and columns y a b. */
function packMatrix({ samples: n, nearStart, A }: SingleSolve, { start, values }: SparseMatrix): void {
  for (let i = 0; i < n; i++) {
    const count = nearStart[i + 1] - nearStart[i];
    for (let p = 0; p < 3; p++) {
      const row = start[p === 0 ? i : n + 2 * i + p - 1];
      for (let k = 0, to = 9 * nearStart[i] + 3 * p; k < count; k++, to += 9) {
        A[to] = values[row + k];
        A[to + 1] = values[row + count + 2 * k];
        A[to + 2] = values[row + count + 2 * k + 1];
      }
    }
  }
}

/** Columns of the inverse blocks, each as three points. */
function packBlocks({ samples: n, inverse, parts: { blocks: { B } } }: SingleSolve): void {
  for (let i = 0; i < n; i++)
    for (let p = 0; p < 9; p++)
      for (let k = 0; k < 9; k++) inverse[108 * i + 12 * p + k + Math.floor(k / 3)] = B[81 * i + 9 * p + k];
}

function turn(solve: SingleSolve, beta: number, isFirst: boolean): void {
  const { samples, sums } = solve;
  setDirection(solve, beta, isFirst);
  strainArcs(solve);
  pullArcs(solve);
  for (let chunk = 0; chunk * CHUNK < samples; chunk++)
    sums[chunk] = applyMatrix(solve, CHUNK * chunk, Math.min(samples, CHUNK * (chunk + 1)));
}

const c9 = new Float32Array(9);

/** d = z + Z c + β d; Z c on free coordinates alone. */
function setDirection({ samples: n, table, d, z, fixed, transfers }: SingleSolve, beta: number, isFirst: boolean): void {
  const { start, index, single: weight, solved } = transfers, b = fround(beta);
  for (let i = 0; i < n; i++) {
    c9.fill(0);
    for (let q = start[i]; q < start[i + 1] && table[HAS_COARSE] !== 0; q++)
      for (let p = 0; p < 3; p++)
        for (let c = 0; c < 3; c++) c9[3 * p + c] += fround(weight[4 * q + p] * solved[4 * index[q] + c]);
    for (let p = 0; p < 3; p++) {
      const point = p === 0 ? i : n + 2 * i + p - 1;
      for (let c = 0; c < 3; c++) {
        const k = 4 * point + c, s = fixed[3 * point + c] ? z[k] : fround(z[k] + c9[3 * p + c]);
        d[k] = isFirst ? s : s + fround(b * d[k]);
      }
    }
  }
}

/** dm = Σ c d and u = 2 m·dm. */
function strainArcs({ samples: n, edges, d: x, arcs: { arcs: { ends, c32: c, m32: m, dm32: dm, u32: u } } }: SingleSolve): void {
  for (let e = 0; e < edges; e++) {
    const i = 4 * ends[2 * e], j = 4 * ends[2 * e + 1], f = 4 * n + 2 * i, g = 4 * n + 2 * j;
    for (let k = 0; k < 3; k++) {
      let sum = fround(c[8 * e] * fround(x[j + k] - x[i + k]));
      sum = fround(sum + fround(c[8 * e + 1] * x[f + k])); sum = fround(sum + fround(c[8 * e + 2] * x[f + 4 + k]));
      sum = fround(sum + fround(c[8 * e + 3] * x[g + k])); sum = fround(sum + fround(c[8 * e + 4] * x[g + 4 + k]));
      dm[4 * e + k] = sum;
    }
    u[e] = fround(fround(m[4 * e] * dm[4 * e]) + fround(m[4 * e + 1] * dm[4 * e + 1])) + fround(m[4 * e + 2] * dm[4 * e + 2]);
  }
}

/** What an arc pulls with, in the place of its dm: v 2m + 2 s⁺ dm, v = Σ W u over its triangles. */
function pullArcs({ edges, aroundFirst, around, arcs: { arcs: { side, M32: W, c32: c, m32: m, dm32: dm, u32: u } } }: SingleSolve): void {
  for (let e = 0; e < edges; e++) {
    let v = 0;
    for (let q = aroundFirst[e]; q < aroundFirst[e + 1]; q++) {
      const t = Math.floor(around[q] / 3), k = around[q] - 3 * t, w = 6 * t;
      const x = u[side[3 * t]], y = u[side[3 * t + 1]], z = u[side[3 * t + 2]];
      // row k of the upper triangle
      const a = W[w + k], b = W[w + (k === 0 ? 1 : k + 2)], d = W[w + (k === 0 ? 2 : k + 3)];
      v = fround(v + fround(fround(fround(a * x) + fround(b * y)) + fround(d * z)));
    }
    for (let k = 0; k < 3; k++) dm[4 * e + k] = fround(v * m[4 * e + k]) + fround(c[8 * e + 5] * dm[4 * e + k]);
  }
}

const y9 = new Float32Array(9), lanes = new Float32Array(3), strain = new Float32Array(3);

/** Ad of some samples: the scalar matrix, the isometry of the frame, the arcs; dᵀAd of them. */
function applyMatrix(solve: SingleSolve, first: number, last: number): number {
  const { samples: n, d: x, Ad, nearStart, near, A, nodes, fixed, parts: { blocks }, arcs: { arcs: { c32: c, dm32: pull } } } = solve;
  const S = nodes.single as Float32Array;
  lanes.fill(0);
  for (let i = first; i < last; i++) {
    y9.fill(0);
    for (let q = nearStart[i]; q < nearStart[i + 1]; q++)
      for (let from = 0; from < 3; from++) {
        const to = 4 * (from === 0 ? near[q] : n + 2 * near[q] + from - 1);
        for (let p = 0; p < 3; p++) for (let k = 0; k < 3; k++) y9[3 * p + k] += fround(A[9 * q + 3 * p + from] * x[to + k]);
      }
    const f = 4 * (n + 2 * i), s = 18 * i;
    for (let r = 0; r < 3; r++) {
      strain[r] = 0;
      for (let k = 0; k < 3; k++) strain[r] += fround(fround(S[s + 3 * r + k] * x[f + k]) + fround(S[s + 9 + 3 * r + k] * x[f + 4 + k]));
    }
    for (let p = 0; p < 2; p++)
      for (let k = 0; k < 3; k++) {
        const at = s + 9 * p + k;
        y9[3 + 3 * p + k] += fround(fround(fround(S[at] * strain[0]) + fround(S[at + 3] * strain[1])) + fround(S[at + 6] * strain[2]));
      }
    for (let q = blocks.first[i]; q < blocks.first[i + 1]; q++) {
      const e = blocks.incident[q] >> 1, isSecond = (blocks.incident[q] & 1) === 1, w = 8 * e + (isSecond ? 3 : 1);
      for (let k = 0; k < 3; k++) {
        const force = pull[4 * e + k], apart = fround(c[8 * e] * force);
        y9[k] += isSecond ? apart : -apart;
        y9[3 + k] += fround(c[w] * force);
        y9[6 + k] += fround(c[w + 1] * force);
      }
    }
    for (let p = 0; p < 3; p++) {
      const point = p === 0 ? i : n + 2 * i + p - 1;
      for (let k = 0; k < 3; k++) {
        const value = fixed[3 * point + k] ? 0 : y9[3 * p + k];
        Ad[4 * point + k] = value;
        lanes[k] += fround(x[4 * point + k] * value);
      }
    }
  }
  return lanes[0] + lanes[1] + lanes[2];
}

function descend(solve: SingleSolve, alpha: number): void {
  const { samples, coarse, table, sums, transfers: { rhs, restricted, solved }, parts } = solve;
  let chunk = 0;
  for (; chunk * CHUNK < samples; chunk++)
    sums[chunk] = descendSome(solve, alpha, CHUNK * chunk, Math.min(samples, CHUNK * (chunk + 1)));
  if (table[HAS_COARSE] === 0) return;
  restrict(solve);
  solveCoarse(parts.cholesky, rhs);
  sums[chunk] = 0;
  for (let I = 0; I < coarse; I++)
    for (let c = 0; c < 3; c++) {
      solved[4 * I + c] = rhs[3 * I + c];
      sums[chunk] += restricted[4 * I + c] * solved[4 * I + c];
    }
}

/** p += α d, r −= α Ad and z = B r of some samples; rᵀz of them. */
function descendSome({ samples: n, p, d, r, Ad, z, inverse: B }: SingleSolve, alpha: number, first: number, last: number): number {
  const a = fround(alpha);
  lanes.fill(0);
  for (let i = first; i < last; i++) {
    y9.fill(0);
    for (let k = 0; k < 3; k++)
      for (let c = 0, at = 4 * (k === 0 ? i : n + 2 * i + k - 1); c < 3; c++, at++) {
        p[at] += fround(a * d[at]);
        r[at] -= fround(a * Ad[at]);
        for (let j = 0, column = 108 * i + 12 * (3 * k + c); j < 9; j++) y9[j] += fround(B[column + j + Math.floor(j / 3)] * r[at]);
      }
    for (let k = 0; k < 3; k++)
      for (let c = 0, at = 4 * (k === 0 ? i : n + 2 * i + k - 1); c < 3; c++, at++) {
        z[at] = y9[3 * k + c];
        lanes[c] += fround(r[at] * z[at]);
      }
  }
  return lanes[0] + lanes[1] + lanes[2];
}

/** Zᵀ r. */
function restrict({ samples: n, coarse, r, transfers }: SingleSolve): void {
  const { fromStart, fromIndex, fromSingle: w, restricted, rhs } = transfers;
  for (let I = 0; I < coarse; I++)
    for (let c = 0; c < 3; c++) {
      let sum = 0;
      for (let q = fromStart[I]; q < fromStart[I + 1]; q++) {
        const y = 4 * fromIndex[q] + c, f = 4 * (n + 2 * fromIndex[q]) + c;
        sum = fround(sum + fround(fround(fround(w[4 * q] * r[y]) + fround(w[4 * q + 1] * r[f])) + fround(w[4 * q + 2] * r[f + 4])));
      }
      restricted[4 * I + c] = sum;
      rhs[3 * I + c] = sum;
    }
}

/** The TypeScript versions as one object, used where there are no kernels (isoplate/methods). */
export const singleLoops: SingleLoops = { packMatrix, packBlocks, turn, descend };
