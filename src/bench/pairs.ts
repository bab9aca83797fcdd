/** Speed of contact's loops: the search for pairs, their distances and safe times, on four layers that lie on each other. */
import { instantiate } from "../kernels/kernels.ts";
import { inOneMemory } from "../linalg/arena.ts";
import {
  createBroadPhase,
  createCandidates,
  findEdgeEdges,
  findPointTriangles,
  type Primitives,
  update,
} from "../system/contact/broad-phase.ts";
import { type ContactOperations, contactOperations } from "../system/contact/operations.ts";

export interface PairRow {
  points: number;
  pairsPerPoint: number;
  /** µs a point, the fastest of several: refit and both searches, distances of all pairs, safe times of all pairs. */
  search: number;
  distances: number;
  times: number;
  /** How many times as long the TypeScript takes for all three. */
  twin: number;
}

/** m, of a layer; they lie 0.3 spacings apart, and pairs within half a spacing are looked for. */
const [APART, MARGIN] = [0.3, 0.5];
const REPETITIONS = 7;

export function benchPairs(points: number): PairRow {
  const mesh = layers(Math.max(4, Math.round(Math.sqrt(points / 4))));
  const { n } = mesh;
  const { arena, value } = inOneMemory((memory) => ({
    broad: createBroadPhase(memory, mesh),
    faces: createCandidates(memory, 60 * n),
    lines: createCandidates(memory, 60 * n),
    Y: memory.copyF64(mesh.Y),
    move: memory.copyF64(mesh.Y.map((_, k) => 0.05 * Math.sin(k))),
    d2: memory.f64(60 * n),
    keep: memory.f64(60 * n),
  }));
  const { broad, faces, lines, Y, move, d2, keep } = value;
  let pairs = 0;
  const measure = (operations: ContactOperations): [number, number, number] => {
    const best: [number, number, number] = [Infinity, Infinity, Infinity];
    for (let k = 0; k <= REPETITIONS; k++) {
      const begin = performance.now();
      update(broad, Y, null, MARGIN);
      const [points, edges] = [
        findPointTriangles(faces, broad, Y, null, operations),
        findEdgeEdges(lines, broad, Y, null, operations),
      ];
      pairs = points + edges;
      const found = performance.now();
      operations.squaredDistances(d2, faces.points, points, 1, Y);
      operations.squaredDistances(d2, lines.points, edges, 2, Y);
      const measured = performance.now();
      operations.safeTime(faces.points, points, 1, keep, Y, move, 1, 1);
      operations.safeTime(lines.points, edges, 2, keep, Y, move, 1, 1);
      const end = performance.now();
      if (k === 0) continue; // builds the trees
      [found - begin, measured - found, end - measured].forEach((time, c) => {
        best[c] = Math.min(best[c], time);
      });
    }
    return best;
  };
  const sum = (times: readonly number[]): number => times.reduce((all, t) => all + t, 0);
  const typescript = sum(measure(contactOperations));
  const kernels = measure(instantiate(arena));
  const [search, distances, times] = kernels.map((t) => (1000 * t) / n);
  const twin = typescript / sum(kernels);
  return { points: n, pairsPerPoint: pairs / n, search, distances, times, twin };
}

/** Four square layers of side² points each, one metre from point to point. */
function layers(side: number): Primitives & { Y: Float64Array } {
  const [Y, triangles, edges]: number[][] = [[], [], []];
  for (let l = 0; l < 4; l++)
    for (let j = 0; j < side; j++)
      for (let i = 0; i < side; i++) {
        const p = (l * side + j) * side + i;
        Y.push(i, j, APART * l);
        if (i + 1 < side) edges.push(p, p + 1);
        if (j + 1 < side) edges.push(p, p + side);
        if (i + 1 === side || j + 1 === side) continue;
        edges.push(p, p + side + 1);
        triangles.push(p, p + 1, p + side + 1, p, p + side + 1, p + side);
      }
  return {
    n: Y.length / 3,
    Y: Float64Array.from(Y),
    triangles: Int32Array.from(triangles),
    edges: Int32Array.from(edges),
  };
}
