/**
 * Bending of samples without frames (§5): quadratic in the positions, so that its Hessian is constant.
 *
 *   E_bend = ½ Σ over x, y, z of yᵀ K y = ½ D ‖L Y‖²_{M⁻¹}
 *
 * with L of the triangulation's edges, which is the quadratic bending that the paper names (Bergou et al. 2006): one term per interior edge,
 *
 *   E = s · D Σₑ 3/(A₁ + A₂) |Kₑ·(x₀, x₁, x₂, x₃)|²/2,    Kₑ = (c₀₃ + c₀₄, c₀₁ + c₀₂, −c₀₁ − c₀₃, −c₀₂ − c₀₄)   cotangents
 *
 * x₀x₁ is the edge, x₂ and x₃ are opposite it. Exactly zero on affine shapes, but on a cylinder it holds 2.7 to 3.3 times the
 * exact energy, depending on the direction of its axis: s makes the mean over all directions exact on the mesh at hand, so that
 * comparisons are at equal D. What it cannot mend is the dependence on direction. Samples with frames bend by frame-bending.ts.
 *
 * Panels that are sewn have a hinge across their seam where the neighbourhoods reach across it, as they do once it is closed.
 */
import type { SparsePattern } from "../linalg/sparse.ts";
import { findEntry } from "../linalg/sparse.ts";
import type { Neighbourhoods, Sheet } from "../sheet/kinematics.ts";
import { SheetError } from "../sheet/sheet-error.ts";

/** One interior edge with the two corners opposite it. */
interface Hinge {
  points: number[];
  /** Coefficients of K on the points. */
  row: number[];
  /** 3/(A₁ + A₂), 1/m² */
  weight: number;
  /** K of the heights u², uv and v², in coordinates along and across the edge. */
  quadratics: [number, number, number];
}

/**
 * @param near second rings, which reach across seams that are closed
 * @param pattern must hold all pairs of points of two triangles that share an edge
 * @returns [entries of the pattern] N/m
 */
export function hingeBending(
  sheet: Sheet,
  D: ArrayLike<number>,
  near: Neighbourhoods,
  pattern: SparsePattern,
): Float64Array {
  const hinges = hingesOf(sheet, near);
  const scale = calibration(sheet, hinges);
  const K = new Float64Array(pattern.index.length);
  for (const { points, row, weight } of hinges) {
    let stiffness = 0;
    for (const i of points) stiffness += D[i] / points.length;
    const w = scale * stiffness * weight;
    for (let a = 0; a < points.length; a++)
      for (let b = 0; b < points.length; b++)
        K[findEntry(pattern, points[a], points[b])] += w * row[a] * row[b];
  }
  return K;
}

/**
 * The paper's energy as it is written: a row of L per point, cotangents of its triangles, ‖LY‖² weighted by 1/area. The rows of boundary points
 * take a slope for curvature, so that a flat sheet has energy (tests/system/bending.test.ts).
 *
 * @param pattern must hold all pairs of points with a common neighbour
 * @returns [entries of the pattern] N/m
 */
export function pointBending(
  sheet: Sheet,
  D: ArrayLike<number>,
  pattern: SparsePattern,
): Float64Array {
  const { n, triangles, corners, area } = sheet;
  if (sheet.sewn)
    throw new SheetError("bending", ["points do not bend across seams that are sewn; use edges"]);
  const L = Array.from({ length: n }, () => new Map<number, number>());
  const add = (i: number, j: number, w: number): void => {
    L[i].set(i, (L[i].get(i) ?? 0) + w);
    L[i].set(j, (L[i].get(j) ?? 0) - w);
  };
  for (let t = 0; 3 * t < triangles.length; t++)
    for (let k = 0; k < 3; k++) {
      const [i, j] = [1, 2].map((c) => triangles[3 * t + ((k + c) % 3)]);
      const cotangent = cotangents(corners, t, (k + 1) % 3, true).b; // at corner k
      add(i, j, 0.5 * cotangent);
      add(j, i, 0.5 * cotangent);
    }
  const K = new Float64Array(pattern.index.length);
  for (let i = 0; i < n; i++)
    for (const [a, u] of L[i])
      for (const [b, v] of L[i]) K[findEntry(pattern, a, b)] += (D[i] / area[i]) * u * v;
  return K;
}

function hingesOf(sheet: Sheet, near: Neighbourhoods): Hinge[] {
  const { n, triangles, corners } = sheet;
  const whole = (i: number): number => sheet.sewn?.[i] ?? i; // the point that i is once it is sewn
  // the triangles on both sides of every edge, with the corner opposite it
  const sides = new Map<number, Side[]>();
  for (let t = 0; 3 * t < triangles.length; t++)
    for (let k = 0; k < 3; k++) {
      const a = triangles[3 * t + ((k + 1) % 3)];
      const b = triangles[3 * t + ((k + 2) % 3)];
      const [p, q] = [whole(a), whole(b)];
      const key = Math.min(p, q) * n + Math.max(p, q);
      const list = sides.get(key) ?? [];
      list.push({ t, k });
      sides.set(key, list);
    }
  const hinges: Hinge[] = [];
  /** j as the ring of i knows it: itself, or its copy across a closed seam; −1 if the ring ends before it. */
  const inRing = (i: number, j: number): number => {
    let found = -1;
    for (let e = near.start[i]; e < near.start[i + 1]; e++)
      if (near.index[e] === j || (found < 0 && whole(near.index[e]) === whole(j)))
        found = near.index[e];
    return found;
  };
  for (const pair of sides.values()) {
    if (!isJoined(pair, triangles, inRing)) continue;
    const [{ t: t0, k: k0 }] = pair;
    const ends = [triangles[3 * t0 + ((k0 + 1) % 3)], triangles[3 * t0 + ((k0 + 2) % 3)]];
    const [a, b] = whole(ends[0]) < whole(ends[1]) ? ends : [ends[1], ends[0]];
    const [p, q] = pair.map(({ t, k }) =>
      cotangents(corners, t, k, whole(triangles[3 * t + ((k + 1) % 3)]) === whole(a)),
    );
    const opposite = pair.map(({ t, k }) => inRing(a, triangles[3 * t + k]));
    const row = [p.b + q.b, p.a + q.a, -p.a - p.b, -q.a - q.b];
    const place = [0, 0, p.length, 0, p.height * p.a, p.height, q.height * q.a, -q.height];
    const quadratics: [number, number, number] = [0, 0, 0];
    for (let c = 0; c < 4; c++) {
      const [u, v] = [place[2 * c], place[2 * c + 1]];
      quadratics[0] += row[c] * u * u;
      quadratics[1] += row[c] * u * v;
      quadratics[2] += row[c] * v * v;
    }
    const weight = 3 / (p.area + q.area);
    hinges.push({ points: [a, b, opposite[0], opposite[1]], row, weight, quadratics });
  }
  return hinges;
}

/** One corner k of a triangle t, and the edge opposite it. */
interface Side {
  t: number;
  k: number;
}

/** Whether these sides of one edge share a hinge: across a seam only where rings reach across it. */
function isJoined(
  all: readonly Side[],
  triangles: Sheet["triangles"],
  inRing: (i: number, j: number) => number,
): boolean {
  if (all.length !== 2) return false;
  const own = ({ t, k }: Side, c: number): number => triangles[3 * t + ((k + c) % 3)];
  const [p, q] = all;
  const same = own(p, 1) === own(q, 2) && own(p, 2) === own(q, 1);
  return same || (inRing(own(p, 1), own(q, 0)) >= 0 && inRing(own(p, 2), own(q, 0)) >= 0);
}

/** Cotangents of the angles of triangle t at the ends a and b of the edge opposite corner k, and its measures. */
function cotangents(
  x: Sheet["corners"],
  t: number,
  k: number,
  inOrder: boolean,
): { a: number; b: number; area: number; length: number; height: number } {
  const at = (c: number): [number, number] => [x[6 * t + 2 * c], x[6 * t + 2 * c + 1]];
  const [p, q, o] = [at((k + 1) % 3), at((k + 2) % 3), at(k)];
  const cot = (m: [number, number], s: [number, number], r: [number, number]) =>
    ((s[0] - m[0]) * (r[0] - m[0]) + (s[1] - m[1]) * (r[1] - m[1])) /
    Math.abs((s[0] - m[0]) * (r[1] - m[1]) - (s[1] - m[1]) * (r[0] - m[0]));
  const area = Math.abs((q[0] - p[0]) * (o[1] - p[1]) - (q[1] - p[1]) * (o[0] - p[0])) / 2;
  const length = Math.sqrt((q[0] - p[0]) ** 2 + (q[1] - p[1]) ** 2);
  const size = { area, length, height: (2 * area) / length };
  const [first, second] = [cot(p, q, o), cot(q, p, o)];
  return inOrder ? { a: first, b: second, ...size } : { a: second, b: first, ...size };
}

/**
 * s: exact energy over the energy of this mesh, in the mean over the directions of a cylinder's axis. The heights are
 * z = ½κ(c²u² + 2cs uv + s²v²) with c and s of the direction; of their products c⁴ and s⁴ have the mean 3/8, c²s² 1/8.
 */
function calibration(sheet: Sheet, hinges: readonly Hinge[]): number {
  let energy = 0;
  for (const { weight, quadratics } of hinges) {
    const [uu, uv, vv] = quadratics;
    const square = (3 / 8) * (uu ** 2 + vv ** 2) + (1 / 8) * (2 * uu * vv + 4 * uv ** 2);
    energy += (weight * square) / 4;
  }
  let area = 0;
  for (let t = 0; t < sheet.triangleArea.length; t++) area += sheet.triangleArea[t];
  return energy > 0 ? area / energy : 1;
}
