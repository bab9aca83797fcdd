/**
 * Bending (§5): quadratic in the positions, so that its Hessian is constant.
 *
 *   E_bend = ½ Σ over x, y, z of yᵀ K y,      K = Σᵢ D Aᵢ Qᵢ   (curvature.ts: the fit with its residual term)
 *
 * A clamp line mirrors the sheet (curvature.ts), so points near it couple to the tangents F of the clamp:
 * E gains yᵀ C f + ½ fᵀ P f with f the columns of every F. Without the mirror a clamp, where the moment is largest, bends like
 * a free edge and the tip of a cantilever is off by an error of order ℓ: 5 % of L at L/12 against 0.3 %.
 *
 * Shapes that are curved at rest have a rest curvature: |H − H₀|² with H₀ along the current normal. The normal is
 * taken at the start of the step (natural(n)), which keeps the Hessian constant.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { listF64, listI32 } from "../linalg/lists.ts";
import { findEntry, type SparsePattern } from "../linalg/sparse.ts";
import { neighbourhoods } from "../sheet/charts.ts";
import {
  cotangentLaplacian,
  type Fit,
  fitEnergy,
  type Ghost,
  type LaplacianRow,
  meshlessLaplacian,
  quadraticFit,
} from "../sheet/curvature.ts";
import type { Mesh, Neighbourhoods, Sheet } from "../sheet/kinematics.ts";
import { placesOf } from "../sheet/plane.ts";
import { hingeBending } from "./hinges.ts";

/** How second derivatives are taken; `fit` is ours, `hinge` that of discrete shells, the others are the paper's |LY|². */
export type BendingForm = "fit" | "cotangent" | "meshless" | "hinge";

export interface Bending {
  /** [entries of the pattern] N/m. */
  readonly K: Float64Array;
  /** Coupling of clamped tangents: energy Σ y[point]·f[column]·value. Column 2c and 2c+1 are F of clamp c. */
  readonly coupling: readonly { point: number; column: number; value: number }[];
  /** ½ fᵀ P f between the columns of one clamp: [4·clamps] row-major 2×2. */
  readonly tangent: Float64Array;
  /** Points with given tangents, in the order of `coupling`'s columns. */
  readonly clamps: Int32Array;
  /** Second rings and fits, for curvature measures and rest curvature. */
  readonly near: Neighbourhoods;
  readonly fits: readonly Pick<Fit, "size" | "H" | "F">[];
}

/**
 * @param D  [n] N·m flexural rigidity at each point
 * @param nu [n] Poisson's ratio at each point
 * @param near second rings
 * @param pattern of K, which must hold all pairs of each second ring
 */
export function bending(
  sheet: Sheet,
  D: ReadonlyF64,
  nu: ReadonlyF64,
  clamps: Int32Array,
  near: Neighbourhoods,
  pattern: SparsePattern,
  form: BendingForm = "fit",
): Bending {
  if (form === "hinge") return hingeBending(sheet, D, clamps, near, pattern);
  const { n, area, spacing } = sheet;
  const K = new Float64Array(pattern.index.length);
  const add = (i: number, j: number, v: number) => {
    K[findEntry(pattern, i, j)] += v;
  };
  const coupling: { point: number; column: number; value: number }[] = [];
  const tangent = new Float64Array(4 * clamps.length);
  const fits: Pick<Fit, "size" | "H" | "F">[] = [];

  if (form !== "fit") {
    const rows =
      form === "cotangent" ? cotangentLaplacian(sheet, area) : meshlessLaplacian(sheet, near);
    for (let i = 0; i < n; i++) {
      // k/2 |LY|² / area, interior rows only for the cotangent form: its boundary rows see a slope as curvature
      if (form === "cotangent" && sheet.boundary[i]) continue;
      addSquare(add, rows[i], D[i]);
    }
    return { K, coupling, tangent, clamps: new Int32Array(0), near, fits };
  }

  const clampOf = new Map<number, number>();
  for (let c = 0; c < clamps.length; c++) clampOf.set(clamps[c], c);
  const ghosts = mirrors(sheet, clampOf, near);
  for (let i = 0; i < n; i++) {
    const mirror = ghosts.get(i);
    const fit = quadraticFit(near, i, spacing[i], mirror?.ghosts);
    const { size, Q } = fitEnergy(fit, spacing[i], nu[i]);
    const scale = D[i] * area[i];
    const first = near.start[i];
    const count = near.start[i + 1] - first;
    addBlock(i, count, size, Q, scale);
    if (mirror) {
      const c = mirror.clamp;
      for (let a = 0; a < count; a++)
        for (let b = 0; b < 2; b++)
          coupling.push({
            point: near.index[first + a],
            column: 2 * c + b,
            value: scale * Q[size * a + count + b],
          });
      for (let a = 0; a < 2; a++)
        for (let b = 0; b < 2; b++)
          tangent[4 * c + 2 * a + b] += scale * Q[size * (count + a) + count + b];
    }
    fits.push({ size, H: fit.H, F: fit.F }); // R is a third of a gigabyte at 100 000 points
  }
  return { K, coupling, tangent, clamps, near, fits };

  /** K += scale·Q over the neighbourhood of i. Its points mostly rise by index, so a row of K is walked along with them. */
  function addBlock(i: number, count: number, size: number, Q: Float64Array, scale: number): void {
    const { start: begin, index: columns } = pattern;
    const points = near.index;
    const first = near.start[i];
    for (let a = 0; a < count; a++) {
      const row = begin[points[first + a]];
      for (let b = 0, p = row; b < count; b++) {
        const column = points[first + b];
        if (columns[p] > column) p = findEntry(pattern, points[first + a], column);
        while (columns[p] < column) p++;
        K[p] += scale * Q[size * a + b];
      }
    }
  }
}

/** Boundary points joined to each boundary point by a boundary edge. */
function boundaryNeighbours({ n, triangles }: Sheet): number[][] {
  const seen = new Map<number, number>();
  const key = (a: number, b: number) => Math.min(a, b) * n + Math.max(a, b);
  for (let t = 0; t < triangles.length; t += 3)
    for (let k = 0; k < 3; k++) {
      const e = key(triangles[t + k], triangles[t + ((k + 1) % 3)]);
      seen.set(e, (seen.get(e) ?? 0) + 1);
    }
  const lines: number[][] = Array.from({ length: n }, () => []);
  for (const [e, count] of seen) {
    if (count !== 1) continue;
    const [a, b] = [Math.floor(e / n), e % n];
    lines[a].push(b);
    lines[b].push(a);
  }
  return lines;
}

/**
 * Ghosts of the points near clamp lines. A clamp line is a run of clamped boundary points; clamped regions need no ghosts, their
 * rows of held points fix the tangent by themselves. i sees the mirror image of j if a path of two edges i – c – j, c on the line,
 * would lead there in the doubled sheet.
 */
function mirrors(
  sheet: Sheet,
  clampOf: ReadonlyMap<number, number>,
  near: Neighbourhoods,
): Map<number, { clamp: number; ghosts: Ghost[] }> {
  const out = new Map<number, { clamp: number; ghosts: Ghost[] }>();
  if (clampOf.size === 0) return out;
  const lines = boundaryNeighbours(sheet);
  const ring: Set<number>[] = Array.from({ length: sheet.n }, () => new Set());
  for (let e = 0; e < sheet.edges.length; e += 2) {
    ring[sheet.edges[e]].add(sheet.edges[e + 1]);
    ring[sheet.edges[e + 1]].add(sheet.edges[e]);
  }
  const onLine = (c: number) => clampOf.has(c) && lines[c].some((b) => clampOf.has(b));
  for (let i = 0; i < sheet.n; i++) {
    const self = onLine(i);
    const first = near.start[i];
    const last = near.start[i + 1] - 1;
    const entryOf = new Map<number, number>();
    for (let e = first; e <= last; e++) entryOf.set(near.index[e], e - first);
    // the nearest point of the line is the one whose line and tangents count
    let c = self ? i : -1;
    let nearest = Infinity;
    for (const j of self ? [] : ring[i]) {
      if (!onLine(j)) continue;
      const e = first + entryOf.get(j)!;
      const d = near.X[2 * e] ** 2 + near.X[2 * e + 1] ** 2;
      if (d < nearest) {
        nearest = d;
        c = j;
      }
    }
    if (c < 0) continue;
    const at = (j: number): [number, number] => {
      const e = first + entryOf.get(j)!;
      return [near.X[2 * e], near.X[2 * e + 1]];
    };
    // direction of the line at c, from its clamped boundary neighbours within reach
    const [cu, cv] = at(c);
    let [tu, tv] = [0, 0];
    for (const b of lines[c]) {
      if (!clampOf.has(b) || !entryOf.has(b)) continue;
      const [u, v] = at(b);
      const sign = tu * (u - cu) + tv * (v - cv) < 0 ? -1 : 1;
      tu += sign * (u - cu);
      tv += sign * (v - cv);
    }
    const l = Math.sqrt(tu * tu + tv * tv);
    if (l === 0) continue;
    const [nu, nv] = [-tv / l, tu / l];
    const reached = new Set<number>();
    if (self) for (const j of entryOf.keys()) reached.add(j);
    else
      for (const b of ring[i])
        if (onLine(b)) for (const j of ring[b]) if (entryOf.has(j)) reached.add(j);
    const ghosts: Ghost[] = [];
    for (const j of [...reached].sort((a, b) => a - b)) {
      if (onLine(j)) continue;
      const [u, v] = at(j);
      const d = nu * (u - cu) + nv * (v - cv);
      ghosts.push({
        entry: entryOf.get(j)!,
        u: u - 2 * d * nu,
        v: v - 2 * d * nv,
        f1: -2 * d * nu,
        f2: -2 * d * nv,
      });
    }
    if (ghosts.length > 0) out.set(i, { clamp: clampOf.get(c)!, ghosts });
  }
  return out;
}

/** Points of the second ring farther than this many spacings are left out of the fit (see secondRings). */
const FARTHEST = 2.4;

/**
 * Two rings, or three where two hold fewer than 8 points (thin strips, corners of coarse sheets). Of the second ring only what is
 * within FARTHEST spacings: on a grid whose diagonals all lean one way it reaches twice as far along them, and a cylinder of
 * five spacings bent about the other diagonal was 1.5 % too stiff (0.3 % without). First-ring points always count.
 */
export function secondRings(sheet: Mesh & Pick<Sheet, "edges" | "spacing">): Neighbourhoods {
  const { n, edges, spacing } = sheet;
  const two = neighbourhoods(sheet, { rings: 2 });
  const enough = 9; // 8 neighbours and i itself; 5 unknowns need some to spare
  let three: Neighbourhoods | null = null;
  const { start: first, place } = placesOf(n, edges);
  const joined = new Int32Array(n).fill(-1); // the last i that an edge joins the point to
  const start = new Int32Array(n + 1);
  const index = listI32();
  const X = listF64();
  for (let i = 0; i < n; i++) {
    const thin = two.start[i + 1] - two.start[i] < enough;
    if (thin) three ??= neighbourhoods(sheet, { rings: 3 });
    const from = thin ? three! : two;
    for (let p = first[i]; p < first[i + 1]; p++) joined[edges[place[p] ^ 1]] = i; // ^ 1: the other end
    const farthest = (FARTHEST * spacing[i]) ** 2;
    let count = 0;
    for (let e = from.start[i]; e < from.start[i + 1]; e++)
      if (isNear(from, e, i, farthest)) count++;
    const all = thin || count < enough;
    for (let e = from.start[i]; e < from.start[i + 1]; e++) {
      if (!all && !isNear(from, e, i, farthest)) continue;
      index.push(from.index[e]);
      X.push(from.X[2 * e]);
      X.push(from.X[2 * e + 1]);
    }
    start[i + 1] = index.length;
  }
  return { start, index: index.done(), X: X.done() };

  function isNear({ index, X }: Neighbourhoods, e: number, i: number, farthest: number): boolean {
    const u = X[2 * e];
    const v = X[2 * e + 1];
    return u * u + v * v <= farthest || joined[index[e]] === i;
  }
}

function addSquare(
  add: (i: number, j: number, v: number) => void,
  row: LaplacianRow,
  D: number,
): void {
  for (let a = 0; a < row.columns.length; a++)
    for (let b = 0; b < row.columns.length; b++)
      add(row.columns[a], row.columns[b], (D * row.values[a] * row.values[b]) / row.area);
}

/** Second derivatives H = (h₀₀, h₀₁, h₁₁) at point i, nine numbers into out: xyz of each. */
export function secondDerivatives(
  out: Float64Array,
  bend: Bending,
  i: number,
  Y: ReadonlyF64,
): void {
  out.fill(0, 0, 9);
  const { H } = bend.fits[i];
  for (let e = bend.near.start[i], a = 0; e < bend.near.start[i + 1]; e++, a++) {
    const y = 3 * bend.near.index[e];
    for (let k = 0; k < 3; k++)
      for (let c = 0; c < 3; c++) out[3 * k + c] += H[3 * a + k] * Y[y + c];
  }
}
