/**
 * Numbers the points of a sheet along a Morton curve, so that what is near in the sheet is near in memory.
 */
import { countingSort } from "../linalg/sparse.ts";
import type { FlatSheet } from "./boundary.ts";
import { next } from "./plane.ts";
import type { FlatTriangles } from "./triangulation.ts";

/** Numbers the points along a Morton curve, so that what is near in the sheet is near in memory. */
export function renumbered(sheet: FlatSheet): FlatSheet {
  const { uv, named } = sheet;
  const n = uv.length / 2;
  let [minU, minV, size] = [Infinity, Infinity, 0];
  for (let i = 0; i < n; i++) {
    minU = Math.min(minU, uv[2 * i]);
    minV = Math.min(minV, uv[2 * i + 1]);
  }
  for (let i = 0; i < n; i++) {
    size = Math.max(size, uv[2 * i] - minU);
    size = Math.max(size, uv[2 * i + 1] - minV);
  }
  // by code and, where two points have the same, by number: as one key, sorted without a comparison in JavaScript
  const keys = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const code = interleave(
      Math.floor((1023 * (uv[2 * i] - minU)) / size),
      Math.floor((1023 * (uv[2 * i + 1] - minV)) / size),
    );
    keys[i] = code * n + i;
  }
  keys.sort();
  const place = new Int32Array(n); // old → new
  for (let k = 0; k < n; k++) place[keys[k] % n] = k;
  const moved = new Float64Array(2 * n);
  for (let i = 0; i < n; i++) {
    moved[2 * place[i]] = uv[2 * i];
    moved[2 * place[i] + 1] = uv[2 * i + 1];
  }
  const edges: Record<string, number[]> = {};
  for (const [name, points] of Object.entries(named.edges))
    edges[name] = points.map((i) => place[i]);
  const corners: Record<string, number> = {};
  for (const [name, i] of Object.entries(named.corners)) corners[name] = place[i];
  return { ...sortedTriangles(sheet, place), uv: moved, named: { edges, corners } };
}

/** The triangles under new numbers, each from its lowest point on, in rising order. */
function sortedTriangles({ triangles, corners }: FlatTriangles, place: Int32Array): FlatTriangles {
  const n = place.length;
  const count = triangles.length / 3;
  const from = new Int32Array(3 * count); // places in `triangles`, the lowest point's first
  const points: Int32Array[] = [0, 1, 2].map(() => new Int32Array(count)); // the new numbers there
  for (let t = 0; t < count; t++) {
    const a = place[triangles[3 * t]];
    const b = place[triangles[3 * t + 1]];
    const c = place[triangles[3 * t + 2]];
    let k = a < b && a < c ? 3 * t : b < c ? 3 * t + 1 : 3 * t + 2;
    for (let e = 0; e < 3; e++, k = next(k)) {
      from[3 * t + e] = k;
      points[e][t] = place[triangles[k]];
    }
  }
  // by the last point, then stably by the others: the first counts most
  let order = countingSort(n, points[2]);
  for (const key of [points[1], points[0]]) {
    const sorted = countingSort(
      n,
      order.map((t) => key[t]),
    );
    order = sorted.map((at) => order[at]);
  }
  const sorted = {
    triangles: new Int32Array(triangles.length),
    corners: new Float64Array(corners.length),
  };
  for (let to = 0; to < count; to++) {
    for (let e = 0; e < 3; e++) {
      const k = from[3 * order[to] + e];
      sorted.triangles[3 * to + e] = place[triangles[k]];
      sorted.corners[6 * to + 2 * e] = corners[2 * k];
      sorted.corners[6 * to + 2 * e + 1] = corners[2 * k + 1];
    }
  }
  return sorted;
}

function interleave(x: number, y: number): number {
  let code = 0;
  for (let bit = 0; bit < 10; bit++) {
    code |= (((x >> bit) & 1) << (2 * bit)) | (((y >> bit) & 1) << (2 * bit + 1));
  }
  return code;
}
