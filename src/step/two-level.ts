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
import type { Allocator, ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import {
  type Analysis,
  analyse,
  attachKernels,
  type Cholesky,
  type CholeskyKernels,
  prepareCholesky,
} from "../linalg/cholesky.ts";
import { factor } from "../linalg/cholesky-factor.ts";
import { solve } from "../linalg/cholesky-solve.ts";
import { listF64, listI32 } from "../linalg/lists.ts";
import {
  type BlockPattern,
  countingSort,
  lowerBlocks,
  type SparseMatrix,
  type SparsePattern,
} from "../linalg/sparse.ts";
import type { Neighbourhoods, Sheet } from "../sheet/kinematics.ts";
import { areaNormals } from "../system/loads.ts";
import type { RowSet } from "../system/system.ts";
import type { MinimiseWork, Potential, Preconditioner } from "./minimise.ts";

/** Coarse points are this many spacings apart. */
const COARSENING = 3;
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
  const walk = walker(edgeGraph(sheet));

  // greedy cover: a point farther than `distance` from all coarse points becomes one
  const seeds: number[] = [];
  const covered = new Uint8Array(n);
  // who reaches whom: a coarse point, a point, and how far apart
  const seedOf = listI32();
  const pointOf = listI32();
  const lengthOf = listF64();
  for (let i = 0; i < n; i++) {
    if (covered[i]) continue;
    const { points, count, distance: far } = walk(i, 1.15 * reach);
    for (let k = 0; k < count; k++) {
      const d = far[points[k]];
      seedOf.push(seeds.length);
      pointOf.push(points[k]);
      lengthOf.push(d);
      if (d <= distance) covered[points[k]] = 1;
    }
    seeds.push(i);
  }

  // of each point the coarse ones that reach it, in their order
  const reached = pointOf.done();
  const byPoint = countingSort(n, reached);
  const pairs = byPoint.length;
  const near: Near = {
    rest: sheet.rest,
    normals: restNormals(sheet),
    reach,
    seeds,
    ...room(seeds.length),
  };
  const start = new Int32Array(n + 1);
  const index = new Int32Array(pairs);
  const weight = new Float64Array(pairs);
  const { items: from } = seedOf;
  const { items: far } = lengthOf;
  const { seed, d, w } = near;
  let length = 0;
  for (let i = 0, at = 0; i < n; i++) {
    let count = 0;
    for (; at < pairs && reached[byPoint[at]] === i; at++, count++) {
      seed[count] = from[byPoint[at]];
      d[count] = far[byPoint[at]];
    }
    linearWeights(near, i, count);
    for (let k = 0; k < count; k++) {
      if (w[k] === 0) continue;
      index[length] = seed[k];
      weight[length++] = w[k];
    }
    start[i + 1] = length;
  }
  return {
    coarse: seeds.length,
    start,
    index: index.slice(0, length),
    weight: weight.slice(0, length),
  };
}

/** The coarse points around one point. */
interface Near {
  readonly rest: ReadonlyF64;
  readonly normals: Float64Array;
  readonly reach: number;
  readonly seeds: readonly number[];
  readonly seed: Int32Array;
  readonly d: Float64Array; // m, along the edges
  readonly w: Float64Array; // out: their weights
  readonly u: Float64Array;
  readonly v: Float64Array;
}

function room(most: number): Pick<Near, "seed" | "d" | "w" | "u" | "v"> {
  const numbers = (): Float64Array => new Float64Array(most);
  return { seed: new Int32Array(most), d: numbers(), w: numbers(), u: numbers(), v: numbers() };
}

/** Moving least squares with basis (1, u, v) in the tangent plane at i; (1) where that is singular. Into near.w. */
function linearWeights(near: Near, i: number, count: number): void {
  const { rest, normals, reach, seeds, seed, w, u, v } = near;
  const nx = normals[3 * i];
  const ny = normals[3 * i + 1];
  const nz = normals[3 * i + 2];
  // tangents
  const flat = Math.abs(nz) > 0.7;
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
  // 1e-3: below that the three coarse points lie nearly on a line and the weights would run away
  const isPlane = det > 1e-3 * m * m * m * 0.01;
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
  /** Points within reach, in the order in which they were met, and how many. */
  readonly points: Int32Array;
  count: number;
  /** [n] m along the edges; right for the points of the walk that `met` names. */
  readonly distance: Float64Array;
}

/** Finds every point within `reach` of a point along the edges (label-correcting; few points). */
function walker(graph: Graph): (i: number, reach: number) => Walk {
  const n = graph.start.length - 1;
  const met = new Int32Array(n).fill(-1); // the walk that met the point last
  const walk: Walk = { points: new Int32Array(n), count: 0, distance: new Float64Array(n) };
  const { points, distance } = walk;
  const queue: number[] = [];
  return (i, reach) => {
    queue.length = 0;
    queue.push(i);
    points[0] = i;
    walk.count = 1;
    met[i] = i;
    distance[i] = 0;
    for (let at = 0; at < queue.length; at++) {
      const a = queue[at];
      for (let p = graph.start[a]; p < graph.start[a + 1]; p++) {
        const b = graph.index[p];
        const d = distance[a] + graph.length[p];
        if (d >= reach || (met[b] === i && distance[b] <= d)) continue;
        if (met[b] !== i) points[walk.count++] = b;
        met[b] = i;
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

export interface TwoLevel extends Preconditioner {
  readonly coarse: number;
  /** Forgets the coarse matrix; call when a step begins. */
  startStep(): void;
  attach(kernels: TwoLevelOperations & CholeskyKernels): void;
}

/** No coarse level: what samples without frames have. */
export function oneLevel(fine: Preconditioner): TwoLevel {
  return { ...fine, coarse: 0, startStep() {}, attach() {} };
}

/** The loops that kernels repeat. */
export interface TwoLevelOperations {
  addCoarseRows(level: Level, set: RowSet, fixed: Uint8Array): void;
  addCoarseForms(values: Float64Array, forms: CoarseForms, S: ReadonlyF64): void;
  restrict(level: Level, r: ReadonlyF64): void;
  prolong(z: Float64Array, level: Level, fixed: Uint8Array): void;
}

/** Everything that these loops read and write, in the system's memory. */
export interface Level {
  readonly n: number;
  readonly coarse: number;
  readonly blocks: number;
  readonly lower: { start: Int32Array; index: Int32Array };
  readonly values: Float64Array; // [9·blocks of lower]
  readonly column: Int32Array; // [coarse] scratch
  readonly Jc: Float64Array; // scratch: the widest block, and its weights
  readonly rhs: Float64Array; // [3·coarse]
  readonly zStart: Int32Array;
  readonly zIndex: Int32Array;
  readonly zWeight: Float64Array;
  /** Coarse points of each block, and for every entry and weight the local number of its coarse point. */
  readonly unionFirst: Int32Array;
  readonly unionIndex: Int32Array;
  readonly localFirst: Int32Array;
  readonly localOf: Int32Array;
}

/** values += Zᵀ(JᵀWJ)Z: J compressed to the coarse points of each block, then its outer products. */
export function addCoarseRows(level: Level, set: RowSet, fixed: Uint8Array): void {
  const { blocks, lower, values, column, Jc, zStart, zWeight } = level;
  const { unionFirst, unionIndex, localFirst, localOf } = level;
  const { rowsPer, J, weight } = set;
  const width = 3 * rowsPer;
  for (let b = 0; b < blocks; b++) {
    const first = unionFirst[b];
    const count = unionFirst[b + 1] - first;
    Jc.fill(0, 0, width * count);
    for (let e = set.start[b]; e < set.start[b + 1]; e++) {
      const i = set.index[e];
      if (fixed[3 * i] & fixed[3 * i + 1] & fixed[3 * i + 2]) continue;
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
          const w = weight[rowsPer * b + r];
          const x = width * c + 3 * r;
          const y = width * a + 3 * r;
          for (let k = 0; k < 3; k++) {
            const u = w * Jc[x + k];
            values[at + 3 * k] += u * Jc[y];
            values[at + 3 * k + 1] += u * Jc[y + 1];
            values[at + 3 * k + 2] += u * Jc[y + 2];
          }
        }
      }
    }
  }
}

/** rhs = Zᵀ r. */
export function restrict(level: Level, r: ReadonlyF64): void {
  const { n, rhs, zStart, zIndex, zWeight } = level;
  rhs.fill(0);
  for (let i = 0; i < n; i++)
    for (let q = zStart[i]; q < zStart[i + 1]; q++) {
      const w = zWeight[q];
      const I = 3 * zIndex[q];
      rhs[I] += w * r[3 * i];
      rhs[I + 1] += w * r[3 * i + 1];
      rhs[I + 2] += w * r[3 * i + 2];
    }
}

/** z += Z rhs on the free coordinates. */
export function prolong(z: Float64Array, level: Level, fixed: Uint8Array): void {
  const { n, rhs, zStart, zIndex, zWeight } = level;
  for (let i = 0; i < n; i++) {
    let x = 0;
    let y = 0;
    let t = 0;
    for (let q = zStart[i]; q < zStart[i + 1]; q++) {
      const w = zWeight[q];
      const I = 3 * zIndex[q];
      x += w * rhs[I];
      y += w * rhs[I + 1];
      t += w * rhs[I + 2];
    }
    if (!fixed[3 * i]) z[3 * i] += x;
    if (!fixed[3 * i + 1]) z[3 * i + 1] += y;
    if (!fixed[3 * i + 2]) z[3 * i + 2] += t;
  }
}

/** What of a two-level preconditioner can be worked out before there is a memory. */
export interface TwoLevelPlan {
  readonly Z: Interpolation;
  readonly pattern: SparsePattern;
  /** Coarse points of each block, as a list of lists. */
  readonly unionStart: Int32Array;
  readonly union: Int32Array;
  readonly widest: number;
  /** For every entry of a block and weight of its point the local number of the coarse point. */
  readonly entryStart: Int32Array;
  readonly entryLocal: Int32Array;
  readonly lower: BlockPattern;
  readonly analysis: Analysis;
  readonly transposed: Transposed;
  readonly forms: EdgeForms;
  readonly formsRoom: { nodes: number; pairs: number };
}

/** The two vectors of every frame as one block. */
function framesAsBlocks(n: number): { start: Int32Array; index: Int32Array } {
  return {
    start: Int32Array.from({ length: n + 1 }, (_, i) => 2 * i),
    index: Int32Array.from({ length: 2 * n }, (_, p) => n + p),
  };
}

/** @param forms tangents of the arcs */
export function planTwoLevel(
  sheet: Sheet,
  Z: Interpolation,
  pattern: SparsePattern,
  forms: EdgeForms,
): TwoLevelPlan {
  const near = framesAsBlocks(sheet.n);
  const blocks = near.start.length - 1;
  const { coarse } = Z;
  const unionStart = new Int32Array(blocks + 1);
  const union = listI32();
  const entryLocal = listI32();
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
    for (let q = first; q < union.length; q++) local[union.items[q]] = -1;
    unionStart[b + 1] = union.length;
    widest = Math.max(widest, union.length - first);
  }
  const transposed = transposeInterpolation(Z);
  const lower = lowerBlocks(coarsePattern(pattern, Z, transposed));
  return {
    Z,
    pattern,
    unionStart,
    union: union.done(),
    widest,
    entryStart,
    entryLocal: entryLocal.done(),
    lower,
    analysis: analyse(lower, 3),
    transposed,
    forms,
    formsRoom: formsRoom(Z, forms),
  };
}

/** What a two-level preconditioner is made for. */
export interface CoarseMembrane {
  /** Isometry of the frames, one block per sample. */
  readonly rows: RowSet;
  /** The fine level. */
  readonly fine: Preconditioner;
  /** Writes the stiffness of every edge along the form of its arc into out, six numbers each. */
  readonly stiffness: (out: Float64Array) => void;
}

export function twoLevel(
  memory: Allocator,
  plan: TwoLevelPlan,
  { rows: membrane, fine, stiffness }: CoarseMembrane,
): TwoLevel {
  const { Z, pattern, lower: lowerBlocksOf, transposed } = plan;
  const edges = plan.forms.points.length / plan.forms.per;
  const { rowsPer } = membrane;
  const { coarse } = Z;
  const n = Z.start.length - 1;
  const blocks = plan.unionStart.length - 1;
  const cholesky: Cholesky = prepareCholesky(memory, plan.analysis);
  const level: Level = {
    n,
    coarse,
    blocks,
    lower: {
      start: memory.copyI32(lowerBlocksOf.start),
      index: memory.copyI32(lowerBlocksOf.index),
    },
    values: memory.f64(9 * lowerBlocksOf.index.length),
    column: memory.i32(coarse),
    Jc: memory.f64(3 * rowsPer * plan.widest + rowsPer),
    rhs: memory.f64(3 * coarse),
    zStart: memory.copyI32(Z.start),
    zIndex: memory.copyI32(Z.index),
    zWeight: memory.copyF64(Z.weight),
    unionFirst: memory.copyI32(plan.unionStart),
    unionIndex: memory.copyI32(plan.union),
    localFirst: memory.copyI32(plan.entryStart),
    localOf: memory.copyI32(plan.entryLocal),
  };
  // ZᵀKZ and Zᵀdiag Z never change, nor does where the edges of the mesh are
  const constant = new Float64Array(lowerBlocksOf.index.length);
  const scratch = {
    held: new Uint8Array(n),
    value: new Float64Array(n),
    mark: new Int32Array(n).fill(-1),
    touched: new Int32Array(n),
  };
  const row = new Float64Array(coarse);
  const anchors = memory.f64(6 * pattern.rows);
  const forms: CoarseForms = {
    edges,
    start: memory.i32(edges + 1),
    node: new Int32Array(plan.formsRoom.nodes),
    weight: memory.f64(plan.formsRoom.nodes),
    at: memory.i32(plan.formsRoom.pairs),
  };
  const edgeStiffness = memory.f64(6 * edges);
  let heldFor = -1; // the sum of the indices of the held points that `forms` was made for
  let constantFor = Number.NaN; // the sum of the diagonal of base that `constant` was made for
  let ops: TwoLevelOperations = { addCoarseRows, addCoarseForms, restrict, prolong };
  let fresh = false;
  let usable = false;

  /**
   * values += Zᵀ D Z, D: the 3×3 diagonal blocks of what anchors the sheet. Without it a skin on flesh looks ten thousand
   * times too soft to the coarse level, whose corrections then drown those that matter.
   */
  function addAnchors({ ops: rows }: MinimiseWork, { sets, fixed }: Potential): void {
    const { lower, values, zStart, zIndex, zWeight } = level;
    let any = false;
    for (const set of sets) {
      if (!set.anchors) continue;
      if (!any) anchors.fill(0);
      any = true;
      rows.addNormalDiagonal(anchors, set, set.weight);
    }
    if (!any) return;
    for (let i = 0; i < n; i++) {
      const at = 6 * i;
      if (anchors[at] + anchors[at + 3] + anchors[at + 5] === 0) continue;
      const x = fixed[3 * i] ? 0 : 1;
      const y = fixed[3 * i + 1] ? 0 : 1;
      const z = fixed[3 * i + 2] ? 0 : 1;
      const xx = anchors[at] * x;
      const xy = anchors[at + 1] * x * y;
      const xz = anchors[at + 2] * x * z;
      const yy = anchors[at + 3] * y;
      const yz = anchors[at + 4] * y * z;
      const zz = anchors[at + 5] * z;
      const end = zStart[i + 1];
      for (let q = zStart[i]; q < end; q++) {
        // the coarse points of a point rise, and so do the rows of a column
        for (let r = q, p = lower.start[zIndex[q]]; r < end; r++) {
          while (lower.index[p] < zIndex[r]) p++;
          const w = zWeight[q] * zWeight[r];
          const v = 9 * p;
          values[v] += w * xx;
          values[v + 1] += w * xy;
          values[v + 2] += w * xz;
          values[v + 3] += w * xy;
          values[v + 4] += w * yy;
          values[v + 5] += w * yz;
          values[v + 6] += w * xz;
          values[v + 7] += w * yz;
          values[v + 8] += w * zz;
        }
      }
    }
  }

  function assemble(work: MinimiseWork, potential: Potential): void {
    const { lower, values } = level;
    const { fixed, base, diagonal } = potential;
    // a new step size, or pins that were let go
    let trace = 0;
    let heldSum = 0;
    for (let i = 0; i < n; i++) {
      const held = fixed[3 * i] & fixed[3 * i + 1] & fixed[3 * i + 2];
      scratch.held[i] = held;
      trace += base.values[diagonal[i]] * (held ? 1 : 1 + (i + 1) / n);
      if (held) heldSum += i + 1;
    }
    if (trace !== constantFor) {
      addScalar(constant, lowerBlocksOf, base, Z, row, transposed, scratch);
      constantFor = trace;
    }
    if (heldSum !== heldFor) {
      setForms(forms, Z, plan.forms, lowerBlocksOf, scratch.held);
      heldFor = heldSum;
    }
    values.fill(0);
    for (let p = 0; p < constant.length; p++) {
      values[9 * p] = constant[p];
      values[9 * p + 4] = constant[p];
      values[9 * p + 8] = constant[p];
    }
    stiffness(edgeStiffness);
    ops.addCoarseForms(values, forms, edgeStiffness);
    ops.addCoarseRows(level, membrane, fixed);
    addAnchors(work, potential);
    // a coarse point whose points are all held has an empty row
    for (let I = 0; I < coarse; I++) {
      const at = 9 * lower.start[I];
      const scale = values[at] + values[at + 4] + values[at + 8];
      for (let c = 0; c < 3; c++) values[at + 4 * c] += scale > 0 ? 1e-9 * scale : 1;
    }
  }

  let held: Uint8Array | null = null;
  return {
    coarse,
    startStep() {
      fresh = false;
    },
    attach(kernels) {
      attachKernels(cholesky, kernels);
      ops = kernels;
    },
    update(work, potential) {
      fine.update(work, potential);
      held = potential.fixed;
      if (fresh) return;
      assemble(work, potential);
      const t = performance.now();
      usable = factor(cholesky, level.values) === 0;
      const took = performance.now() - t;
      work.clock.factor += took;
      work.clock.assemble -= took; // all of this counts as assembling to whoever called
      fresh = true;
    },
    apply(z, r, work) {
      fine.apply(z, r, work);
      if (!usable || held === null) return;
      ops.restrict(level, r);
      solve(cholesky, level.rhs);
      ops.prolong(z, level, held);
    },
  };
}

/**
 * Who shares an entry of the scalar matrix, seen from the coarse points. The points of a block all share entries, so their coarse
 * points are coupled here as well.
 */
function coarsePattern(
  pattern: SparsePattern,
  Z: Interpolation,
  { start: tStart, point }: Transposed,
): SparsePattern {
  const { coarse } = Z;
  const start = new Int32Array(coarse + 1);
  const index = listI32();
  const touched = new Int32Array(pattern.rows).fill(-1);
  const seen = new Int32Array(coarse).fill(-1);
  for (let I = 0; I < coarse; I++) {
    seen[I] = I;
    index.push(I);
    for (let t = tStart[I]; t < tStart[I + 1]; t++) {
      for (let p = pattern.start[point[t]]; p < pattern.start[point[t] + 1]; p++) {
        const j = pattern.index[p];
        if (touched[j] === I || j + 1 >= Z.start.length) continue;
        touched[j] = I;
        for (let q = Z.start[j]; q < Z.start[j + 1]; q++) {
          if (seen[Z.index[q]] === I) continue;
          seen[Z.index[q]] = I;
          index.push(Z.index[q]);
        }
      }
    }
    start[I + 1] = index.length;
    index.items.subarray(start[I], start[I + 1]).sort();
  }
  return { rows: coarse, columns: coarse, start, index: index.done() };
}

/** One linear form over a few points per edge of the mesh: Σ c Y, the tangent of its arc. */
export interface EdgeForms {
  /** Points per edge. */
  readonly per: number;
  readonly points: ReadonlyI32; // [per·edges]
  readonly c: ReadonlyF64; // [per·edges]
}

/** The same over the coarse points, Σ c Z, and where the products of its weights belong. */
export interface CoarseForms {
  readonly edges: number;
  readonly start: Int32Array; // [edges+1]
  readonly node: Int32Array;
  readonly weight: Float64Array;
  /** Entries of the coarse matrix: of each edge, (p, q) for all p and q ≥ p of its weights. */
  readonly at: Int32Array;
}

/** Rooms for them: coarse points of all edges, and their pairs. */
function formsRoom(Z: Interpolation, { per, points }: EdgeForms): { nodes: number; pairs: number } {
  const seen = new Int32Array(Z.coarse).fill(-1);
  let nodes = 0;
  let pairs = 0;
  for (let e = 0; per * e < points.length; e++) {
    let own = 0;
    for (let k = per * e; k < per * e + per; k++)
      for (let q = Z.start[points[k]]; q < Z.start[points[k] + 1]; q++) {
        if (seen[Z.index[q]] === e) continue;
        seen[Z.index[q]] = e;
        own++;
      }
    nodes += own;
    pairs += (own * (own + 1)) / 2;
  }
  return { nodes, pairs };
}

/** Works out the forms; points that are held ([n] 1 there) are left out. */
function setForms(
  { edges, start, node, weight, at }: CoarseForms,
  Z: Interpolation,
  { per, points, c }: EdgeForms,
  lower: BlockPattern,
  held: Uint8Array,
): void {
  for (let e = 0, k = 0; e < edges; e++) {
    let end = start[e];
    for (let t = per * e; t < per * e + per; t++)
      if (!held[points[t]]) end = merge(node, weight, start[e], end, Z, points[t], c[t]);
    start[e + 1] = end;
    for (let p = start[e]; p < end; p++)
      // both lists rise, so the column is walked once
      for (let q = p, r = lower.start[node[p]]; q < end; q++) {
        while (lower.index[r] < node[q]) r++;
        at[k++] = r;
      }
  }
}

/** Adds c Z_i to the list that begins at `from` and ends at `to`, in the order of the nodes; returns its new end. */
function merge(
  node: Int32Array,
  weight: Float64Array,
  from: number,
  to: number,
  Z: Interpolation,
  i: number,
  c: number,
): number {
  let end = to;
  for (let q = Z.start[i]; q < Z.start[i + 1]; q++) {
    let k = end;
    while (k > from && node[k - 1] > Z.index[q]) k--;
    if (k > from && node[k - 1] === Z.index[q]) {
      weight[k - 1] += c * Z.weight[q];
      continue;
    }
    for (let e = end++; e > k; e--) {
      node[e] = node[e - 1];
      weight[e] = weight[e - 1];
    }
    node[k] = Z.index[q];
    weight[k] = c * Z.weight[q];
  }
  return end;
}

/** values += Σₑ (κ κᵀ) ⊗ S, κ the form of edge e over the coarse points and S its symmetric 3×3 stiffness, six numbers each. */
export function addCoarseForms(
  values: Float64Array,
  { edges, start, weight, at }: CoarseForms,
  S: ReadonlyF64,
): void {
  for (let e = 0, k = 0; e < edges; e++) {
    const xx = S[6 * e];
    const xy = S[6 * e + 1];
    const xz = S[6 * e + 2];
    const yy = S[6 * e + 3];
    const yz = S[6 * e + 4];
    const zz = S[6 * e + 5];
    for (let p = start[e]; p < start[e + 1]; p++)
      for (let q = p; q < start[e + 1]; q++) {
        const w = weight[p] * weight[q];
        const v = 9 * at[k++];
        values[v] += w * xx;
        values[v + 1] += w * xy;
        values[v + 2] += w * xz;
        values[v + 3] += w * xy;
        values[v + 4] += w * yy;
        values[v + 5] += w * yz;
        values[v + 6] += w * xz;
        values[v + 7] += w * yz;
        values[v + 8] += w * zz;
      }
  }
}

interface Transposed {
  start: Int32Array;
  point: Int32Array;
  weight: Float64Array;
}

function transposeInterpolation(Z: Interpolation): Transposed {
  const n = Z.start.length - 1;
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

/** [n] each: which points are held, and what addScalar needs while it works. */
interface ScalarScratch {
  held: Uint8Array;
  value: Float64Array;
  mark: Int32Array;
  touched: Int32Array;
}

/** out = the lower entries of ZᵀAZ over the free points, column by column. */
function addScalar(
  out: Float64Array,
  lower: BlockPattern,
  A: SparseMatrix,
  Z: Interpolation,
  row: Float64Array,
  { start: tStart, point, weight }: Transposed,
  { held, value, mark, touched }: ScalarScratch,
): void {
  const { start: aStart, index: aIndex, values } = A;
  const { start: zStart, index: zIndex, weight: zWeight } = Z;
  for (let I = 0; I + 1 < tStart.length; I++) {
    // A z_I on the points that it reaches
    let count = 0;
    for (let q = tStart[I]; q < tStart[I + 1]; q++) {
      const i = point[q];
      if (held[i]) continue;
      const w = weight[q];
      for (let p = aStart[i]; p < aStart[i + 1]; p++) {
        const j = aIndex[p];
        if (mark[j] !== I) {
          mark[j] = I;
          value[j] = 0;
          touched[count++] = j;
        }
        value[j] += w * values[p];
      }
    }
    for (let p = lower.start[I]; p < lower.start[I + 1]; p++) row[lower.index[p]] = 0;
    for (let k = 0; k < count; k++) {
      const j = touched[k];
      mark[j] = -1;
      if (held[j]) continue;
      const v = value[j];
      for (let q = zStart[j]; q < zStart[j + 1]; q++) row[zIndex[q]] += zWeight[q] * v;
    }
    for (let p = lower.start[I]; p < lower.start[I + 1]; p++) out[p] = row[lower.index[p]];
  }
}
