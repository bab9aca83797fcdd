/**
 * Solving for a solid: a preconditioner that knows its linear elasticity, and a solid that moves by itself.
 *
 * The preconditioner is the Cholesky factor of the stiffness at rest (with inertia, and without held coordinates). It
 * never sees the deformation, so a run that goes on from a checkpoint repeats its bits, and at the strains of flesh
 * (20 %) conjugate gradients need some ten iterations with it. Pressure that is averaged at nodes would widen its
 * pattern fourfold; instead the cells carry the geometric mean of what they have and what the nodes have, which is off by
 * a factor √(λ/λ_cell) either way: 1.8 at ν = 0.45, 4 at 0.49.
 *
 * A solid by itself is minimised as sheets are (minimise.ts): `settle` finds its equilibrium for the boundary of a time,
 * `step` advances it by implicit Euler.
 */
import { type Allocator, inOneMemory, type ReadonlyF64 } from "../linalg/arena.ts";
import {
  type Analysis,
  attachKernels,
  type Cholesky,
  type CholeskyKernels,
  prepareCholesky,
} from "../linalg/cholesky.ts";
import { factor } from "../linalg/cholesky-factor.ts";
import { solve } from "../linalg/cholesky-solve.ts";
import { analyseInSpace } from "../linalg/dissection.ts";
import {
  type BlockPattern,
  createSparse,
  findBlock,
  lowerBlocks,
  patternFromCells,
  patternFromEntries,
} from "../linalg/sparse.ts";
import { createRigid, motionAt, moveInPlace } from "../scene/motion.ts";
import type { Motion, Pin, Substrate, Vec3 } from "../scene/scene.ts";
import type { CompileSolid } from "../step/methods.ts";
import {
  type MinimiseOptions,
  type MinimiseReport,
  minimise,
  operations,
  type Potential,
  type Preconditioner,
  prepareMinimise,
} from "../step/minimise.ts";
import type { RowSet } from "../system/system.ts";
import { createSolid, type Solid, type SolidMaterial } from "./solid.ts";
import { SolidError, type SolidMesh } from "./tetrahedra.ts";

// ------------------------------------------------------------------------------------ held boundary

/** Nodes whose coordinates are prescribed. */
export interface HeldNodes {
  readonly nodes: Int32Array;
  readonly axes: Pin["axes"];
  readonly motion: Motion | null;
}

/**
 * The nodes of the faces and boxes that a scene holds.
 * @throws SolidError for faces that the solid does not have, and for boxes without nodes
 */
export function heldNodes(mesh: SolidMesh, held: Substrate["held"]): HeldNodes[] {
  const faults: string[] = [];
  const out = held.map(({ face, min, max, axes, motion }, k) => {
    const box = min !== null || max !== null;
    const named = mesh.faces[face];
    if (!named && !box) {
      faults.push(
        `held[${k}].face: no face "${face}"; there are ${Object.keys(mesh.faces).sort().join(", ")}, or give min and max`,
      );
      return { nodes: new Int32Array(0), axes, motion };
    }
    const nodes = (named ?? Int32Array.from({ length: mesh.n }, (_, p) => p)).filter((p) => {
      for (let c = 0; c < 3; c++) {
        const x = mesh.rest[3 * p + c];
        if ((min && x < min[c] - SLACK) || (max && x > max[c] + SLACK)) return false;
      }
      return true;
    });
    if (nodes.length === 0)
      faults.push(`held[${k}]: no node of the solid lies in the box "${face}"`);
    return { nodes, axes, motion };
  });
  if (faults.length > 0) throw new SolidError(faults);
  return out;
}

/** m: a box that ends on a plane of nodes holds them in spite of rounding. */
const SLACK = 1e-9;

// ----------------------------------------------------------------------------------- preconditioner

/** Share of the diagonal that is added to it: a solid that nothing holds may turn freely, and pivots must stay positive. */
const SHIFT = 1e-9;
/** Share of its size that a solid at rest may still move: far below any strain of interest and far above rounding. */
const STILL = 1e-9;
/** Relative residual of inner solves. */
const INNER = 0.03;

/** A preconditioner for the points of a solid; other points keep the one that they had. */
export interface SolidFactor extends Preconditioner {
  attach(kernels: CholeskyKernels): void;
}

/** The pattern of a solid's stiffness and the order in which it is factored: found once, which takes longer than factoring it. */
export interface SolidAnalysis {
  readonly lower: BlockPattern;
  readonly analysis: Analysis;
}

export function analyseSolid({ n, tetrahedra, rest }: SolidMesh): SolidAnalysis {
  const lower = lowerBlocks(patternFromCells(n, 4, tetrahedra));
  return { lower, analysis: analyseInSpace(lower, 3, rest) };
}

/**
 * @param others  preconditions the points that are not the solid's; null if there are none
 * @param rows    further rows that touch the solid, each within one cell (its bonds to a skin)
 */
export function solidFactor(
  memory: Allocator,
  solid: Solid,
  { lower, analysis }: SolidAnalysis,
  others: Preconditioner | null,
  rows: RowSet | null = null,
): SolidFactor {
  const { mesh, first } = solid;
  const { n } = mesh;
  const cholesky: Cholesky = prepareCholesky(memory, analysis);
  const values = memory.f64(9 * lower.index.length);
  const rhs = memory.f64(3 * n);
  const diagonal = new Float64Array(n).fill(Number.NaN);
  const held = new Uint8Array(3 * n);
  const elastic = new Float64Array(9 * lower.index.length);
  addElastic(elastic, solid, lower);
  let usable = false;

  function refactor(): boolean {
    values.set(elastic);
    for (let i = 0; i < n; i++)
      for (let c = 0; c < 3; c++) values[9 * lower.start[i] + 4 * c] += diagonal[i];
    if (rows) addRows(values, rows, first, n, lower);
    for (let j = 0; j < n; j++)
      for (let p = lower.start[j]; p < lower.start[j + 1]; p++)
        for (let a = 0; a < 3; a++)
          for (let c = 0; c < 3; c++) {
            const i = lower.index[p];
            if (held[3 * i + a] || held[3 * j + c]) values[9 * p + 3 * a + c] = 0;
          }
    for (let i = 0; i < n; i++) {
      const at = 9 * lower.start[i];
      const scale = values[at] + values[at + 4] + values[at + 8];
      for (let c = 0; c < 3; c++) {
        if (held[3 * i + c]) values[at + 4 * c] = 1;
        else values[at + 4 * c] += SHIFT * scale;
      }
    }
    return factor(cholesky, values) === 0;
  }

  return {
    attach(kernels) {
      attachKernels(cholesky, kernels);
    },
    update(work, potential) {
      others?.update(work, potential);
      const { base, fixed } = potential;
      let same = true;
      for (let i = 0; i < n; i++) {
        const a = base.values[potential.diagonal[first + i]];
        if (a !== diagonal[i]) {
          diagonal[i] = a;
          same = false;
        }
        for (let c = 0; c < 3; c++) {
          const k = 3 * i + c;
          if (fixed[3 * first + k] !== held[k]) {
            held[k] = fixed[3 * first + k];
            same = false;
          }
        }
      }
      if (same) return;
      const t = performance.now();
      usable = refactor();
      work.clock.factor += performance.now() - t;
    },
    apply(z, r, work) {
      others?.apply(z, r, work);
      const from = 3 * first;
      if (!usable) {
        if (!others) z.set(r as Float64Array);
        return;
      }
      for (let k = 0; k < 3 * n; k++) rhs[k] = held[k] ? 0 : r[from + k];
      solve(cholesky, rhs);
      for (let k = 0; k < 3 * n; k++) z[from + k] = held[k] ? 0 : rhs[k];
    },
  };
}

/** The stiffness at rest: K_ab = V (μ (gₐ·g_b) I + μ g_b gₐᵀ + λ gₐ g_bᵀ). */
function addElastic(values: Float64Array, solid: Solid, lower: BlockPattern): void {
  const { mesh, gradients: g, mu, lambdaCell, lambdaNode } = solid;
  if (g.length === 0) return; // only counting memory
  const lambda = Math.sqrt(lambdaCell * (lambdaCell + lambdaNode)) - mu;
  const { tetrahedra, volume } = mesh;
  for (let t = 0; t < volume.length; t++)
    for (let a = 0; a < 4; a++)
      for (let b = 0; b < 4; b++) {
        const i = tetrahedra[4 * t + a];
        const j = tetrahedra[4 * t + b];
        if (i < j) continue;
        const at = 9 * findBlock(lower, i, j);
        const x = 12 * t + 3 * a;
        const y = 12 * t + 3 * b;
        const dot = g[x] * g[y] + g[x + 1] * g[y + 1] + g[x + 2] * g[y + 2];
        for (let c = 0; c < 3; c++)
          for (let d = 0; d < 3; d++)
            values[at + 3 * c + d] +=
              volume[t] *
              ((c === d ? mu * dot : 0) + mu * g[y + c] * g[x + d] + lambda * g[x + c] * g[y + d]);
      }
}

/** values += the part of JᵀWJ between points of the solid; blocks that reach beyond one cell are left out. */
function addRows(
  values: Float64Array,
  { rowsPer, blocks, start, index, J, weight }: RowSet,
  first: number,
  n: number,
  lower: BlockPattern,
): void {
  for (let b = 0; b < blocks; b++)
    for (let e = start[b]; e < start[b + 1]; e++)
      for (let f = start[b]; f < start[b + 1]; f++) {
        const i = index[e] - first;
        const j = index[f] - first;
        if (i < j || j < 0 || i >= n) continue;
        const at = 9 * findBlock(lower, i, j);
        if (at < 0) continue;
        for (let r = 0; r < rowsPer; r++) {
          const w = weight[rowsPer * b + r];
          const x = 3 * (rowsPer * e + r);
          const y = 3 * (rowsPer * f + r);
          for (let c = 0; c < 3; c++)
            for (let d = 0; d < 3; d++) values[at + 3 * c + d] += w * J[x + c] * J[y + d];
        }
      }
}

// ------------------------------------------------------------------------------- a solid by itself

export interface SolidSystem {
  readonly solid: Solid;
  readonly mesh: SolidMesh;
  /** [3n] m and m/s, yours to set. */
  readonly x: Float64Array;
  readonly v: Float64Array;
  /** Equilibrium for the boundary as it is at `time`, from where the solid is. */
  settle(time: number): MinimiseReport;
  /** Implicit Euler from time − h to time. */
  step(time: number, h: number): MinimiseReport;
  /** J: elastic, of motion, of weight. */
  energy(): { elastic: number; kinetic: number; gravity: number };
  /** N: what holds these nodes, summed. */
  force(nodes: ArrayLike<number>): Vec3;
}

export interface SolidOptions {
  held?: readonly HeldNodes[];
  /** m/s² */
  gravity?: Vec3;
  /** N, added at every node. */
  load?: ReadonlyF64;
  /** Compiles the loops for its memory; null or left out: TypeScript, with the same bits. */
  compile?: CompileSolid | null;
}

/**
 * A solid with prescribed boundary, and nothing else.
 *
 * @example
 * const mesh = block({ size: [0.1, 0.1, 0.1], cells: [4, 4, 4] });
 * const held = heldNodes(mesh, [{ face: "bottom", … }, { face: "top", …, motion }]);
 * const jelly = createSolidSystem(mesh, { young: 1e4, poisson: 0.45, density: 1000 }, { held });
 * jelly.settle(1);
 */
export function createSolidSystem(
  mesh: SolidMesh,
  material: SolidMaterial,
  { held = [], gravity = [0, 0, 0], load, compile }: SolidOptions = {},
): SolidSystem {
  const { n } = mesh;
  const points = Int32Array.from({ length: n }, (_, i) => i);
  const pattern = patternFromEntries(n, n, points, points);
  const analysis = analyseSolid(mesh);
  const { arena, value } = inOneMemory((memory) => {
    const solid = createSolid(memory, mesh, material);
    return {
      solid,
      factor: solidFactor(memory, solid, analysis, null),
      base: createSparse(memory, pattern),
      b: memory.f64(3 * n),
      fixed: memory.u8(3 * n),
      work: prepareMinimise(memory, pattern),
      x: memory.copyF64(mesh.rest),
      v: memory.f64(3 * n),
      start: memory.f64(3 * n),
    };
  });
  const { solid, base, b, fixed, work, x, v, start } = value;
  if (compile) {
    const compiled = compile(arena);
    work.ops = compiled;
    value.factor.attach(compiled);
  }
  const potential: Potential = { n, base, diagonal: points, b, sets: solid.sets, fixed };
  const extent = diameter(mesh.rest);
  const options: MinimiseOptions = {
    moveTolerance: STILL * extent,
    energyTolerance: Infinity,
    maxIterations: 60,
    cgTolerance: INNER,
    cgMax: 600,
  };
  const map = createRigid();

  function weigh(inverseSquare: number): void {
    for (let i = 0; i < n; i++) {
      base.values[i] = solid.m[i] * inverseSquare;
      for (let c = 0; c < 3; c++)
        b[3 * i + c] = solid.m[i] * gravity[c] + (load ? load[3 * i + c] : 0);
    }
  }

  return {
    solid,
    mesh,
    x,
    v,
    settle(time) {
      holdNodes(x, fixed, mesh, held, map, time);
      weigh(0);
      v.fill(0);
      return minimise(x, potential, work, value.factor, options);
    },
    step(time, h) {
      start.set(x);
      weigh(1 / (h * h));
      for (let k = 0; k < 3 * n; k++) b[k] += base.values[(k / 3) | 0] * (start[k] + h * v[k]);
      holdNodes(x, fixed, mesh, held, map, time);
      const report = minimise(x, potential, work, value.factor, options);
      for (let k = 0; k < 3 * n; k++) v[k] = (x[k] - start[k]) / h;
      return report;
    },
    energy() {
      let kinetic = 0;
      let weight = 0;
      for (let k = 0; k < 3 * n; k++) {
        const mass = solid.m[(k / 3) | 0];
        kinetic += 0.5 * mass * v[k] * v[k];
        weight -= mass * gravity[k % 3] * x[k];
      }
      return { elastic: solid.energy(x), kinetic, gravity: weight };
    },
    force(nodes) {
      const f = new Float64Array(3 * n);
      for (const set of solid.sets) {
        set.evaluate(x);
        operations.addTransposed(f, set, set.sigma);
      }
      const out: Vec3 = [0, 0, 0];
      for (let k = 0; k < nodes.length; k++)
        for (let c = 0; c < 3; c++) out[c] += f[3 * nodes[k] + c];
      return out;
    },
  };
}

/** m: the diagonal of the box around the points. */
function diameter(X: ReadonlyF64): number {
  let square = 0;
  for (let c = 0; c < 3; c++) {
    let min = Infinity;
    let max = -Infinity;
    for (let k = c; k < X.length; k += 3) {
      min = Math.min(min, X[k]);
      max = Math.max(max, X[k]);
    }
    square += (max - min) * (max - min);
  }
  return Math.sqrt(square);
}

/** Writes the prescribed coordinates of a time into x, and which they are. Later entries win. */
function holdNodes(
  x: Float64Array,
  fixed: Uint8Array,
  mesh: SolidMesh,
  held: readonly HeldNodes[],
  map: Float64Array,
  time: number,
): void {
  fixed.fill(0);
  const at = scratch;
  for (const { nodes, axes, motion } of held) {
    motionAt(map, motion, time);
    for (let k = 0; k < nodes.length; k++) {
      const p = 3 * nodes[k];
      at[0] = mesh.rest[p];
      at[1] = mesh.rest[p + 1];
      at[2] = mesh.rest[p + 2];
      moveInPlace(at, 0, map);
      if (axes.x) {
        x[p] = at[0];
        fixed[p] = 1;
      }
      if (axes.y) {
        x[p + 1] = at[1];
        fixed[p + 1] = 1;
      }
      if (axes.z) {
        x[p + 2] = at[2];
        fixed[p + 2] = 1;
      }
    }
  }
}
const scratch = new Float64Array(3);
