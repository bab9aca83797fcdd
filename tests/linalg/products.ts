/** Products that only tests need. */
import type { ReadonlyF64 } from "../../src/linalg/arena.ts";
import type { BlockSymmetric } from "../../src/linalg/sparse.ts";

/** y = A x for a symmetric block matrix of which the lower triangle is stored. */
export function multiplyBlocks(y: Float64Array, A: BlockSymmetric, x: ReadonlyF64): void {
  const { n, block, start, index, values } = A;
  y.fill(0);
  for (let j = 0; j < n; j++) {
    for (let p = start[j]; p < start[j + 1]; p++) {
      const i = index[p];
      for (let a = 0; a < block; a++) {
        for (let c = 0; c < block; c++) {
          const value = values[block * block * p + block * a + c];
          y[block * i + a] += value * x[block * j + c];
          if (i !== j) y[block * j + c] += value * x[block * i + a];
        }
      }
    }
  }
}
