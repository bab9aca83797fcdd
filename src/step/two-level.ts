/**
 * Two-level preconditioner: z = D⁻¹ r + Z A_c⁻¹ Zᵀ r.
 *
 * Block-Jacobi sees one point at a time; a hanging sheet also moves in the large. Z interpolates from coarse points
 * some five spacings apart, chosen along the mesh so that tubes and garments need nothing special, and
 *
 *   A_c = Zᵀ (A ⊗ I₃ + JᵀWJ) Z          3×3 blocks, sparse, factored once a step
 *
 * Z must reproduce linear displacements (moving least squares over the tangent plane of the rest shape): with partitions
 * of unity alone a rotated patch would be strained by its own interpolation, and the coarse matrix would be as stiff as
 * the membrane in exactly the modes it is there for.
 *
 * Cost at 2716 points: some 130 coarse points; a coarse factorisation costs about two products with the fine matrix.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import {
  analyse,
  attachKernels,
  type Cholesky,
  type CholeskyKernels,
  factor,
  prepareCholesky,
  solve,
} from "../linalg/cholesky.ts";
import {
  type BlockPattern,
  findBlock,
  lowerBlocks,
  patternFromElements,
  type SparsePattern,
} from "../linalg/sparse.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { RowSet } from "../system/system.ts";
import { blockJacobi, type MinimiseWork, type Potential, type Preconditioner } from "./minimise.ts";

/** Coarse points are this many spacings apart, 4 to 8 is flat. */
const COARSENING = 5;
/** Reach of a coarse point in units of their distance: at 1 some points would see fewer than three. */
const REACH = 1.7;

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
  const graph = edgeGraph(sheet);

  // greedy cover: a point farther than `distance` from all coarse points becomes one
  const near: { seed: number; d: number }[][] = Array.from({ length: n }, () => []);
  const seeds: number[] = [];
  const covered = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    if (covered[i]) continue;
    const seed = seeds.length;
    seeds.push(i);
    walk(graph, i, reach, (j, d) => {
      near[j].push({ seed, d });
      if (d <= distance) covered[j] = 1;
    });
  }

  const normals = restNormals(sheet);
  const start = new Int32Array(n + 1);
  const index: number[] = [];
  const weight: number[] = [];
  for (let i = 0; i < n; i++) {
    const w = linearWeights(sheet.rest, normals, i, near[i], seeds, reach);
    near[i].forEach(({ seed }, k) => {
      if (w[k] === 0) return;
      index.push(seed);
      weight.push(w[k]);
    });
    start[i + 1] = index.length;
  }
  return {
    coarse: seeds.length,
    start,
    index: Int32Array.from(index),
    weight: Float64Array.from(weight),
  };
}

/** Moving least squares with basis (1, u, v) in the tangent plane at i; (1) where that is singular. */
function linearWeights(
  rest: ReadonlyF64,
  normals: Float64Array,
  i: number,
  near: { seed: number; d: number }[],
  seeds: number[],
  reach: number,
): number[] {
  const [nx, ny, nz] = [normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]];
  // tangents
  let [tx, ty, tz] = Math.abs(nz) > 0.7 ? [1, 0, 0] : [0, 0, 1];
  const along = tx * nx + ty * ny + tz * nz;
  tx -= along * nx;
  ty -= along * ny;
  tz -= along * nz;
  const length = Math.sqrt(tx * tx + ty * ty + tz * tz);
  tx /= length;
  ty /= length;
  tz /= length;
  const [bx, by, bz] = [ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx];
  const k = near.map(({ seed, d }) => {
    const x = rest[3 * seeds[seed]] - rest[3 * i];
    const y = rest[3 * seeds[seed] + 1] - rest[3 * i + 1];
    const z = rest[3 * seeds[seed] + 2] - rest[3 * i + 2];
    const s = 1 - d / reach;
    return {
      w: s * s,
      u: (x * tx + y * ty + z * tz) / reach,
      v: (x * bx + y * by + z * bz) / reach,
    };
  });
  let [m, mu, mv, muu, muv, mvv] = [0, 0, 0, 0, 0, 0];
  for (const { w, u, v } of k) {
    m += w;
    mu += w * u;
    mv += w * v;
    muu += w * u * u;
    muv += w * u * v;
    mvv += w * v * v;
  }
  // first row of the inverse of the moment matrix
  const c0 = muu * mvv - muv * muv;
  const c1 = muv * mv - mu * mvv;
  const c2 = mu * muv - muu * mv;
  const det = m * c0 + mu * c1 + mv * c2;
  // 1e-3: below that the three coarse points lie nearly on a line and the weights would run away
  if (!(det > 1e-3 * m * m * m * 0.01)) return k.map(({ w }) => w / m);
  return k.map(({ w, u, v }) => (w * (c0 + c1 * u + c2 * v)) / det);
}

function restNormals({ n, rest, triangles }: Sheet): Float64Array {
  const N = new Float64Array(3 * n);
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    const [ux, uy, uz] = [rest[b] - rest[a], rest[b + 1] - rest[a + 1], rest[b + 2] - rest[a + 2]];
    const [vx, vy, vz] = [rest[c] - rest[a], rest[c + 1] - rest[a + 1], rest[c + 2] - rest[a + 2]];
    for (const k of [a, b, c]) {
      N[k] += uy * vz - uz * vy;
      N[k + 1] += uz * vx - ux * vz;
      N[k + 2] += ux * vy - uy * vx;
    }
  }
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
    const [a, b] = [edges[2 * e], edges[2 * e + 1]];
    index[next[a]] = b;
    length[next[a]++] = edgeLength[e];
    index[next[b]] = a;
    length[next[b]++] = edgeLength[e];
  }
  return { start, index, length };
}

/** Visits every point within `reach` of i along the edges, with its distance (label-correcting; few points). */
function walk(graph: Graph, i: number, reach: number, visit: (j: number, d: number) => void): void {
  const distance = new Map<number, number>([[i, 0]]);
  const queue = [i];
  for (let at = 0; at < queue.length; at++) {
    const a = queue[at];
    const d = distance.get(a)!;
    for (let p = graph.start[a]; p < graph.start[a + 1]; p++) {
      const next = d + graph.length[p];
      const known = distance.get(graph.index[p]);
      if (next >= reach || (known !== undefined && known <= next)) continue;
      distance.set(graph.index[p], next);
      queue.push(graph.index[p]);
    }
  }
  for (const [j, d] of distance) visit(j, d);
}

export interface TwoLevel extends Preconditioner {
  readonly coarse: number;
  /** Forgets the coarse matrix; call when a step begins. */
  startStep(): void;
  attach(kernels: CholeskyKernels): void;
}

/**
 * @param rows  the set whose JᵀWJ the coarse matrix holds (isometry); only its first `blocks` blocks count,
 *              scaled by 1/share, the rest (single triangles) being the same in the mean
 */
export function twoLevel(
  memory: Allocator,
  sheet: Sheet,
  Z: Interpolation,
  pattern: SparsePattern,
  rows: Pick<RowSet, "rowsPer">,
  near: { start: ArrayLike<number>; index: ArrayLike<number> },
  blocks: number,
  share: number,
): TwoLevel {
  const { n } = sheet;
  const { coarse } = Z;
  // coarse points of each block, and for every entry and weight the local number of its coarse point
  const unionStart = new Int32Array(blocks + 1);
  const union: number[] = [];
  const entryLocal: number[] = [];
  const entryStart = new Int32Array(near.start[blocks] + 1);
  const local = new Int32Array(coarse).fill(-1);
  let widest = 0;
  for (let b = 0; b < blocks; b++) {
    const first = union.length;
    for (let e = near.start[b]; e < near.start[b + 1]; e++) {
      const i = near.index[e];
      for (let q = Z.start[i]; q < Z.start[i + 1]; q++) {
        const I = Z.index[q];
        if (local[I] < 0) {
          local[I] = union.length - first;
          union.push(I);
        }
        entryLocal.push(local[I]);
      }
      entryStart[e + 1] = entryLocal.length;
    }
    for (let q = first; q < union.length; q++) local[union[q]] = -1;
    unionStart[b + 1] = union.length;
    widest = Math.max(widest, union.length - first);
  }
  // the pattern holds the blocks' unions and all pairs that the scalar matrix couples
  const scalarLists = scalarElements(pattern, Z);
  const elementStart = new Int32Array(blocks + scalarLists.start.length);
  elementStart.set(unionStart);
  for (let k = 1; k < scalarLists.start.length; k++)
    elementStart[blocks + k] = union.length + scalarLists.start[k];
  const points = Int32Array.from([...union, ...scalarLists.index]);
  const lower: BlockPattern = lowerBlocks(patternFromElements(coarse, elementStart, points));
  const analysis = analyse(lower, 3);
  const cholesky: Cholesky = prepareCholesky(memory, analysis);
  const values = memory.f64(9 * lower.index.length);
  const rhs = memory.f64(3 * coarse);
  const zStart = memory.copyI32(Z.start);
  const zIndex = memory.copyI32(Z.index);
  const zWeight = memory.copyF64(Z.weight);
  const unionIndex = memory.copyI32(Int32Array.from(union));
  const unionFirst = memory.copyI32(unionStart);
  const localOf = memory.copyI32(Int32Array.from(entryLocal));
  const localFirst = memory.copyI32(entryStart);
  const Jc = memory.f64(3 * rows.rowsPer * widest);
  // where block (I, J) of a union is: [union²] per block would be large; look it up by column instead
  const column = new Int32Array(coarse);
  const row = new Float64Array(coarse);
  let fresh = false;

  function assemble(work: MinimiseWork, potential: Potential): void {
    values.fill(0);
    const { start, index, values: A } = work.A;
    const { fixed } = potential;
    // scalar part: (ZᵀAZ) by rows of Z: for coarse I, row = Σᵢ zᵢ_I Aᵢ, then times Z
    addScalar(values, lower, start, index, A, zStart, zIndex, zWeight, fixed, row, transposed);
    // rows: compress J to the coarse points of the block, then its outer products
    const set = potential.sets[0];
    const { rowsPer, J, weight } = set;
    const width = 3 * rowsPer;
    for (let b = 0; b < blocks; b++) {
      const first = unionFirst[b];
      const count = unionFirst[b + 1] - first;
      Jc.fill(0, 0, width * count);
      for (let e = set.start[b]; e < set.start[b + 1]; e++) {
        const i = set.index[e];
        const held = fixed[3 * i] | (fixed[3 * i + 1] << 1) | (fixed[3 * i + 2] << 2);
        if (held === 7) continue;
        for (let q = zStart[i], p = localFirst[e]; q < zStart[i + 1]; q++, p++) {
          const w = zWeight[q];
          const at = width * localOf[p];
          for (let k = 0; k < width; k++) Jc[at + k] += w * J[width * e + k];
        }
      }
      for (let a = 0; a < count; a++) {
        const I = unionIndex[first + a];
        // places of the blocks in column I
        for (let p = lower.start[I]; p < lower.start[I + 1]; p++) column[lower.index[p]] = p;
        for (let c = 0; c < count; c++) {
          const K = unionIndex[first + c];
          if (K < I) continue;
          const at = 9 * column[K];
          for (let r = 0; r < rowsPer; r++) {
            const w = weight[rowsPer * b + r] / share;
            const x = width * c + 3 * r;
            const y = width * a + 3 * r;
            const [y0, y1, y2] = [Jc[y], Jc[y + 1], Jc[y + 2]];
            const u0 = w * Jc[x];
            const u1 = w * Jc[x + 1];
            const u2 = w * Jc[x + 2];
            values[at] += u0 * y0;
            values[at + 1] += u0 * y1;
            values[at + 2] += u0 * y2;
            values[at + 3] += u1 * y0;
            values[at + 4] += u1 * y1;
            values[at + 5] += u1 * y2;
            values[at + 6] += u2 * y0;
            values[at + 7] += u2 * y1;
            values[at + 8] += u2 * y2;
          }
        }
      }
    }
    // a coarse point whose points are all held has an empty row
    for (let I = 0; I < coarse; I++) {
      const at = 9 * lower.start[I];
      const scale = values[at] + values[at + 4] + values[at + 8];
      for (let c = 0; c < 3; c++) values[at + 4 * c] += scale > 0 ? 1e-9 * scale : 1;
    }
  }
  const transposed = transposeInterpolation(Z, n);

  let usable = false;
  return {
    coarse,
    startStep() {
      fresh = false;
    },
    attach: (kernels) => attachKernels(cholesky, kernels),
    update(work, potential) {
      blockJacobi.update(work, potential);
      if (fresh) return;
      assemble(work, potential);
      usable = factor(cholesky, values) === 0;
      fresh = true;
    },
    apply(z, r, work) {
      blockJacobi.apply(z, r, work);
      if (!usable) return;
      rhs.fill(0);
      for (let i = 0; i < n; i++)
        for (let q = zStart[i]; q < zStart[i + 1]; q++) {
          const w = zWeight[q];
          const I = 3 * zIndex[q];
          rhs[I] += w * r[3 * i];
          rhs[I + 1] += w * r[3 * i + 1];
          rhs[I + 2] += w * r[3 * i + 2];
        }
      solve(cholesky, rhs);
      for (let i = 0; i < n; i++) {
        let [x, y, t] = [0, 0, 0];
        for (let q = zStart[i]; q < zStart[i + 1]; q++) {
          const w = zWeight[q];
          const I = 3 * zIndex[q];
          x += w * rhs[I];
          y += w * rhs[I + 1];
          t += w * rhs[I + 2];
        }
        z[3 * i] += x;
        z[3 * i + 1] += y;
        z[3 * i + 2] += t;
      }
      // held coordinates stay out
      mask(z, r, work);
    },
  };
}

/** Zeroes held coordinates: block-Jacobi's inverse is 0 there. */
function mask(z: Float64Array, _r: ReadonlyF64, work: MinimiseWork): void {
  const { blocks } = work;
  for (let i = 0, k = 0; k < z.length; i += 6, k += 3) {
    if (blocks[i] === 0) z[k] = 0;
    if (blocks[i + 3] === 0) z[k + 1] = 0;
    if (blocks[i + 5] === 0) z[k + 2] = 0;
  }
}

/** Coarse points that the scalar matrix couples: for every coarse I the coarse points reached by one row. */
function scalarElements(
  pattern: SparsePattern,
  Z: Interpolation,
): { start: Int32Array; index: number[] } {
  const n = pattern.rows;
  const start = new Int32Array(n + 1);
  const index: number[] = [];
  const seen = new Int32Array(Z.coarse).fill(-1);
  for (let i = 0; i < n; i++) {
    for (let p = pattern.start[i]; p < pattern.start[i + 1]; p++) {
      const j = pattern.index[p];
      for (let q = Z.start[j]; q < Z.start[j + 1]; q++) {
        if (seen[Z.index[q]] === i) continue;
        seen[Z.index[q]] = i;
        index.push(Z.index[q]);
      }
    }
    start[i + 1] = index.length;
  }
  return { start, index };
}

interface Transposed {
  start: Int32Array;
  point: Int32Array;
  weight: Float64Array;
}

function transposeInterpolation(Z: Interpolation, n: number): Transposed {
  const start = new Int32Array(Z.coarse + 1);
  for (let q = 0; q < Z.index.length; q++) start[Z.index[q] + 1]++;
  for (let I = 0; I < Z.coarse; I++) start[I + 1] += start[I];
  const next = start.slice();
  const point = new Int32Array(Z.index.length);
  const weight = new Float64Array(Z.index.length);
  for (let i = 0; i < n; i++)
    for (let q = Z.start[i]; q < Z.start[i + 1]; q++) {
      const at = next[Z.index[q]]++;
      point[at] = i;
      weight[at] = Z.weight[q];
    }
  return { start, point, weight };
}

/** values += ZᵀAZ ⊗ I₃ on the free points. */
function addScalar(
  values: Float64Array,
  lower: BlockPattern,
  start: ArrayLike<number>,
  index: ArrayLike<number>,
  A: Float64Array,
  zStart: Int32Array,
  zIndex: Int32Array,
  zWeight: Float64Array,
  fixed: Uint8Array,
  row: Float64Array,
  { start: tStart, point, weight }: Transposed,
): void {
  const n = fixed.length / 3;
  const v = scalarScratch(n);
  for (let I = 0; I + 1 < tStart.length; I++) {
    // v = A z_I on the points it reaches
    const touched = v.touched;
    let count = 0;
    for (let q = tStart[I]; q < tStart[I + 1]; q++) {
      const i = point[q];
      if (fixed[3 * i] && fixed[3 * i + 1] && fixed[3 * i + 2]) continue;
      const w = weight[q];
      for (let p = start[i]; p < start[i + 1]; p++) {
        const j = index[p];
        if (v.mark[j] !== I) {
          v.mark[j] = I;
          v.value[j] = 0;
          touched[count++] = j;
        }
        v.value[j] += w * A[p];
      }
    }
    // row = Zᵀ v
    for (let p = lower.start[I]; p < lower.start[I + 1]; p++) row[lower.index[p]] = 0;
    for (let k = 0; k < count; k++) {
      const j = touched[k];
      if (fixed[3 * j] && fixed[3 * j + 1] && fixed[3 * j + 2]) continue;
      for (let q = zStart[j]; q < zStart[j + 1]; q++) row[zIndex[q]] += zWeight[q] * v.value[j];
    }
    for (let p = lower.start[I]; p < lower.start[I + 1]; p++) {
      const s = row[lower.index[p]];
      values[9 * p] += s;
      values[9 * p + 4] += s;
      values[9 * p + 8] += s;
    }
    for (let k = 0; k < count; k++) v.mark[touched[k]] = -1;
  }
}

let scratch: { value: Float64Array; mark: Int32Array; touched: Int32Array } | null = null;
function scalarScratch(n: number): { value: Float64Array; mark: Int32Array; touched: Int32Array } {
  if (scratch === null || scratch.mark.length < n)
    scratch = {
      value: new Float64Array(n),
      mark: new Int32Array(n).fill(-1),
      touched: new Int32Array(n),
    };
  return scratch;
}

/** Kept for tests: the block (I, J) of the coarse matrix. */
export function coarseBlock(lower: BlockPattern, i: number, j: number): number {
  return findBlock(lower, Math.max(i, j), Math.min(i, j));
}
