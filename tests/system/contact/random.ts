import { type Allocator, HEAP } from "../../../src/linalg/arena.ts";

/** Uniform numbers in [−1, 1) from a seed. */
export function randoms(seed: number): () => number {
  let s = seed | 0;
  return () => {
    s = (s + 0x9e3779b9) | 0;
    let z = s;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 31 - 1;
  };
}

/** Ordinary arrays, for tests that need no shared memory. */
export const heap: Allocator = HEAP;

/** A grid of m × m points with diagonals, placed by a function of (i, j). */
export function grid(
  m: number,
  place: (i: number, j: number) => readonly [number, number, number],
): { n: number; Y: Float64Array; triangles: Int32Array; edges: Int32Array } {
  const Y = new Float64Array(3 * m * m);
  const triangles: number[] = [];
  const edges: number[] = [];
  for (let i = 0; i < m; i++)
    for (let j = 0; j < m; j++) {
      const k = i * m + j;
      Y.set(place(i, j), 3 * k);
      if (i + 1 < m) edges.push(k, k + m);
      if (j + 1 < m) edges.push(k, k + 1);
      if (i + 1 === m || j + 1 === m) continue;
      edges.push(k + 1, k + m);
      triangles.push(k, k + m, k + 1, k + 1, k + m, k + m + 1);
    }
  return { n: m * m, Y, triangles: Int32Array.from(triangles), edges: Int32Array.from(edges) };
}
