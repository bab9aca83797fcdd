/**
 * The points of the coarse level, and how displacements of theirs become those of all samples and frames (the prolongation Z).
 *
 * Coarse points are chosen along the mesh, so that tubes and garments need nothing special. Z must reproduce linear displacements (moving least
 * squares over the tangent plane of the rest shape): with partitions of unity alone a rotated patch would be strained by its own interpolation,
 * and the coarse matrix would be as stiff as the membrane in exactly the modes it is there for.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { listF64, listI32 } from "../linalg/lists.ts";
import { countingSort } from "../linalg/sparse.ts";
import type { Neighbourhoods, Sheet } from "../sheet/kinematics.ts";
import { areaNormals } from "../system/loads.ts";

/** Coarse points are this many spacings apart. Every sample has nine unknowns, so the coarse matrix is small even at 3. */
const COARSENING = 3;
/** Reach of a coarse point in units of their distance: at 1 some points would see fewer than three. */
const REACH = 1.7;
/** Ways along the edges are up to this much longer than the straight ones that weights are made of. */
const DETOUR = 1.15;
/** Least determinant of the moments over their cubed mass: below it the coarse points lie nearly on a line and weights would run away. */
const PLANE = 1e-5;
/** A normal whose z is larger is nearly vertical, and x a good start for a tangent. */
const UPRIGHT = 0.7;

/** Interpolation from coarse points: Yᵢ = Σ weight·coarse[index]. */
export interface Interpolation {
  readonly coarse: number;
  readonly start: Int32Array; // [n+1]
  readonly index: Int32Array;
  readonly weight: Float64Array;
}

/** Chooses coarse points and the weights of every point. */
export function interpolation(sheet: Sheet): Interpolation {
  const { n, spacing } = sheet;
  let l = 0;
  for (let i = 0; i < n; i++) l += spacing[i] / n;
  const distance = COARSENING * l;
  const reach = REACH * distance;
  const cover = chooseCoarse(sheet, distance, reach);
  const pairs = cover.point.length;
  const near: Near = {
    rest: sheet.rest,
    normals: restNormals(sheet),
    reach,
    seeds: cover.seeds,
    ...room(cover.seeds.length),
  };
  const byPoint = countingSort(n, cover.point);
  const start = new Int32Array(n + 1);
  const index = new Int32Array(pairs);
  const weight = new Float64Array(pairs);
  const { seed, w } = near;
  let length = 0;
  for (let i = 0, at = 0; i < n; i++) {
    // of each point the coarse ones that reach it, in their order
    let count = 0;
    for (; at < pairs && cover.point[byPoint[at]] === i; at++)
      seed[count++] = cover.seed[byPoint[at]];
    linearWeights(near, i, count);
    for (let k = 0; k < count; k++) {
      if (w[k] === 0) continue;
      index[length] = seed[k];
      weight[length++] = w[k];
    }
    start[i + 1] = length;
  }
  return {
    coarse: cover.seeds.length,
    start,
    index: index.slice(0, length),
    weight: weight.slice(0, length),
  };
}

/** Coarse points, and who reaches whom: pairs of a coarse point and a point. */
interface Cover {
  readonly seeds: readonly number[];
  readonly seed: Int32Array;
  readonly point: Int32Array;
}

/** Greedy: a point farther than `distance` from all coarse points becomes one. */
function chooseCoarse(sheet: Sheet, distance: number, reach: number): Cover {
  const { n } = sheet;
  const walk = walker(edgeGraph(sheet));
  const seeds: number[] = [];
  const covered = new Uint8Array(n);
  const seed = listI32();
  const point = listI32();
  for (let i = 0; i < n; i++) {
    if (covered[i]) continue;
    const { points, count, distance: far } = walk(i, DETOUR * reach);
    for (let k = 0; k < count; k++) {
      seed.push(seeds.length);
      point.push(points[k]);
      if (far[points[k]] <= distance) covered[points[k]] = 1;
    }
    seeds.push(i);
  }
  return { seeds, seed: seed.done(), point: point.done() };
}

/** The coarse points around one point. */
interface Near {
  readonly rest: ReadonlyF64;
  readonly normals: Float64Array;
  readonly reach: number;
  readonly seeds: readonly number[];
  readonly seed: Int32Array;
  readonly w: Float64Array; // out: their weights
  readonly u: Float64Array;
  readonly v: Float64Array;
}

function room(most: number): Pick<Near, "seed" | "w" | "u" | "v"> {
  const numbers = (): Float64Array => new Float64Array(most);
  return { seed: new Int32Array(most), w: numbers(), u: numbers(), v: numbers() };
}

/** Moving least squares with basis (1, u, v) in the tangent plane at i; (1) where that is singular. Into near.w. */
function linearWeights(near: Near, i: number, count: number): void {
  const { rest, normals, reach, seeds, seed, w, u, v } = near;
  const nx = normals[3 * i];
  const ny = normals[3 * i + 1];
  const nz = normals[3 * i + 2];
  // tangents
  const flat = Math.abs(nz) > UPRIGHT;
  let tx = flat ? 1 : 0;
  let ty = 0;
  let tz = flat ? 0 : 1;
  const along = tx * nx + ty * ny + tz * nz;
  tx -= along * nx;
  ty -= along * ny;
  tz -= along * nz;
  const length = Math.sqrt(tx * tx + ty * ty + tz * tz);
  tx /= length;
  ty /= length;
  tz /= length;
  const bx = ny * tz - nz * ty;
  const by = nz * tx - nx * tz;
  const bz = nx * ty - ny * tx;
  const atX = rest[3 * i];
  const atY = rest[3 * i + 1];
  const atZ = rest[3 * i + 2];
  let m = 0;
  let mu = 0;
  let mv = 0;
  let muu = 0;
  let muv = 0;
  let mvv = 0;
  for (let k = 0; k < count; k++) {
    const at = 3 * seeds[seed[k]];
    const x = rest[at] - atX;
    const y = rest[at + 1] - atY;
    const z = rest[at + 2] - atZ;
    const uk = (x * tx + y * ty + z * tz) / reach;
    const vk = (x * bx + y * by + z * bz) / reach;
    const s = Math.max(0, 1 - uk * uk - vk * vk);
    const wk = s * s;
    m += wk;
    mu += wk * uk;
    mv += wk * vk;
    muu += wk * uk * uk;
    muv += wk * uk * vk;
    mvv += wk * vk * vk;
    w[k] = wk;
    u[k] = uk;
    v[k] = vk;
  }
  // first row of the inverse of the moment matrix
  const c0 = muu * mvv - muv * muv;
  const c1 = muv * mv - mu * mvv;
  const c2 = mu * muv - muu * mv;
  const det = m * c0 + mu * c1 + mv * c2;
  const isPlane = det > PLANE * m * m * m;
  for (let k = 0; k < count; k++)
    w[k] = isPlane ? (w[k] * (c0 + c1 * u[k] + c2 * v[k])) / det : w[k] / m;
}

function restNormals({ n, rest, triangles }: Sheet): Float64Array {
  const N = new Float64Array(3 * n);
  areaNormals(N, rest, triangles);
  for (let i = 0; i < n; i++) {
    const length = Math.sqrt(N[3 * i] ** 2 + N[3 * i + 1] ** 2 + N[3 * i + 2] ** 2) || 1;
    for (let c = 0; c < 3; c++) N[3 * i + c] /= length;
  }
  return N;
}

interface Graph {
  start: Int32Array;
  index: Int32Array;
  length: Float64Array;
}

function edgeGraph({ n, edges, edgeLength }: Sheet): Graph {
  const start = new Int32Array(n + 1);
  for (let k = 0; k < edges.length; k++) start[edges[k] + 1]++;
  for (let i = 0; i < n; i++) start[i + 1] += start[i];
  const next = start.slice();
  const index = new Int32Array(edges.length);
  const length = new Float64Array(edges.length);
  for (let e = 0; 2 * e < edges.length; e++) {
    const a = edges[2 * e];
    const b = edges[2 * e + 1];
    index[next[a]] = b;
    length[next[a]++] = edgeLength[e];
    index[next[b]] = a;
    length[next[b]++] = edgeLength[e];
  }
  return { start, index, length };
}

interface Walk {
  /** Points within reach, in the order in which they were visited, and how many. */
  readonly points: Int32Array;
  count: number;
  /** [n] m along the edges; right for the points of the walk that `visitedBy` names. */
  readonly distance: Float64Array;
}

/** Finds every point within `reach` of a point along the edges (label-correcting; few points). */
function walker(graph: Graph): (i: number, reach: number) => Walk {
  const n = graph.start.length - 1;
  const visitedBy = new Int32Array(n).fill(-1); // the walk that visited the point last
  const walk: Walk = { points: new Int32Array(n), count: 0, distance: new Float64Array(n) };
  const { points, distance } = walk;
  const queue: number[] = [];
  return (i, reach) => {
    queue.length = 0;
    queue.push(i);
    points[0] = i;
    walk.count = 1;
    visitedBy[i] = i;
    distance[i] = 0;
    for (let at = 0; at < queue.length; at++) {
      const a = queue[at];
      for (let p = graph.start[a]; p < graph.start[a + 1]; p++) {
        const b = graph.index[p];
        const d = distance[a] + graph.length[p];
        if (d >= reach || (visitedBy[b] === i && distance[b] <= d)) continue;
        if (visitedBy[b] !== i) points[walk.count++] = b;
        visitedBy[b] = i;
        distance[b] = d;
        queue.push(b);
      }
    }
    return walk;
  };
}

/**
 * The same for samples with frames: a frame follows the gradient F = Σⱼ Yⱼ bⱼᵀ of the coarse motion.
 *
 * @param B [2·entries] 1/m weights bⱼ over `near`, exact on quadratics: with the first-order average of the paper arcs are strained by
 *   what the coarse level moves, and its corrections are of no use
 */
export function frameInterpolation(
  { n, spacing }: Sheet,
  Z: Interpolation,
  near: Neighbourhoods,
  B: ReadonlyF64,
): Interpolation {
  const start = new Int32Array(3 * n + 1);
  start.set(Z.start);
  const index = listI32();
  const weight = listF64();
  for (let q = 0; q < Z.index.length; q++) {
    index.push(Z.index[q]);
    weight.push(Z.weight[q]);
  }
  const sum = new Float64Array(Z.coarse);
  const mark = new Int32Array(Z.coarse).fill(-1);
  const touched = new Int32Array(Z.coarse);
  for (let f = 0; f < 2 * n; f++) {
    const i = f >> 1;
    let count = 0;
    for (let e = near.start[i]; e < near.start[i + 1]; e++) {
      const j = near.index[e];
      for (let q = Z.start[j]; q < Z.start[j + 1]; q++) {
        const I = Z.index[q];
        if (mark[I] !== f) {
          mark[I] = f;
          sum[I] = 0;
          touched[count++] = I;
        }
        sum[I] += spacing[i] * B[2 * e + (f & 1)] * Z.weight[q];
      }
    }
    touched.subarray(0, count).sort();
    for (let k = 0; k < count; k++) {
      index.push(touched[k]);
      weight.push(sum[touched[k]]);
    }
    start[n + f + 1] = index.length;
  }
  return { coarse: Z.coarse, start, index: index.done(), weight: weight.done() };
}
