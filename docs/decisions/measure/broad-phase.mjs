/** Decision 0003: how the search for pairs grows. After `npm run build`: node docs/decisions/measure/broad-phase.mjs */
import { inOneMemory } from "../../../dist/linalg/arena.js";
import {
  createBroadPhase,
  createCandidates,
  findEdgeEdges,
  findPointTriangles,
  update,
} from "../../../dist/system/contact/broad-phase.js";
import { table } from "./table.mjs";

/** Four square layers of side² points each, 0.3 spacings apart. */
function layers(side) {
  const [Y, triangles, edges] = [[], [], []];
  for (let l = 0; l < 4; l++)
    for (let j = 0; j < side; j++)
      for (let i = 0; i < side; i++) {
        const p = (l * side + j) * side + i;
        Y.push(i, j, 0.3 * l);
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

const rows = [16, 26, 50, 89, 158].map((side) => {
  const mesh = layers(side);
  const { Y, n } = mesh;
  const { value } = inOneMemory((memory) => ({
    broad: createBroadPhase(memory, mesh),
    faces: createCandidates(memory, 60 * n),
    lines: createCandidates(memory, 60 * n),
  }));
  const { broad, faces, lines } = value;
  let [least, pairs] = [Infinity, 0];
  for (let k = 0; k < 8; k++) {
    const t = performance.now();
    update(broad, Y, null, 0.5);
    pairs = findPointTriangles(faces, broad, Y, null) + findEdgeEdges(lines, broad, Y, null);
    if (k > 0) least = Math.min(least, performance.now() - t); // the first one builds the trees
  }
  const each = (1000 * least) / n;
  return [n, (pairs / n).toFixed(1), each.toFixed(1), (each / Math.log2(n)).toFixed(2)];
});
console.log("four layers 0.3 spacings apart, margin half a spacing; fastest of seven");
table(["points", "pairs a point", "µs a point", "over log₂ n"], rows);
