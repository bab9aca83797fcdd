/**
 * Sample points of an outline (§3): its boundary exactly, its inside by blue noise or a clipped
 * grid.
 *
 * How many points at which spacing? With B of N points on the boundary and Euler number χ (1 less
 * the holes), a triangulation has F = 2N − B − 2χ triangles, and even ones have area κ s². From the
 * area A and the perimeter P,
 *
 *   A = κ s² (2N − P/s − 2χ)
 *
 * gives s for a wanted N or N for a wanted s, such that boundary and inside are equally dense. The
 * boundary is then divided into whole numbers of steps and the inside gets what is left: N is met
 * exactly.
 *
 * Blue noise: darts that keep a distance r from all before them; r shrinks when they find no room.
 * A few sweeps move each inner point to the centroid of the triangles around it, on the Delaunay
 * triangulation of each sweep, until the angles are good. Few sweeps, because many would
 * crystallise the sheet into a hexagonal grid, and a sheet with preferred directions hides what
 * irregular sampling is there to show.
 *
 * The trap: darts near the boundary must keep away from its segments, not only from its points, or
 * the triangles there are slivers that no amount of smoothing repairs.
 */
import { cos, sin } from "../linalg/elementary.ts";
import { grown } from "../linalg/lists.ts";
import { countingSort } from "../linalg/sparse.ts";
import type { Sampling, Vec2 } from "../scene/scene.ts";
import { next, type Places, placesOf, squaredLength, twins } from "./plane.ts";
import type { Random } from "./random.ts";
import { SheetError } from "./sheet-error.ts";
import { createTriangulation, type FlatTriangles, triangulateTube } from "./triangulation.ts";

/** A smooth stretch of outline between two corners, or a whole smooth loop. */
export interface Piece {
  /** m */
  length: number;
  /** The point at arc length s, m. */
  at(s: number): Vec2;
  /**
   * Named stretches of it, by arc length; `backwards` lists their points against the outline's
   * direction.
   */
  edges: { name: string; from: number; to: number; backwards?: boolean }[];
  corners: { name: string; at: number }[];
}

/** Closed loops of pieces with the inside on their left. */
export interface Outline {
  loops: Piece[][];
  /** m² */
  area: number;
}

/** Names of boundary stretches and corners → points. */
export interface Named {
  edges: Record<string, number[]>;
  corners: Record<string, number>;
}

/** A sampled and triangulated region of the plane. */
export interface FlatSheet extends FlatTriangles {
  /** [2n] m */
  uv: Float64Array;
  named: Named;
}

/** Boundary of an outline, sampled: the first points of a sheet. */
export interface SampledBoundary {
  /** uv, flat */
  points: number[];
  loops: number[][];
  named: Named;
}

/**
 * Area of a triangle over the squared spacing; blue noise is a little less regular than equilateral
 * (√3/4).
 */
export const KAPPA: { irregular: number; grid: number } = { irregular: 0.415, grid: 0.5 };
/** Sweeps of smoothing: at least, and at most while some angle is too small. */
const SWEEPS = { least: 6, most: 30 };
/** The smallest angle that smoothing tries for, as sin²: 25°. */
const GOOD_ANGLE = 0.179;
/**
 * Darts start this far apart, in spacings, and give up at the second number: what is closer makes
 * slivers.
 */
const DART = { first: 0.85, last: 0.5 };

/** The spacing at which `count` points fill an outline (see the head of this file). */
export function spacingFor(
  count: number,
  shape: { area: number; perimeter: number; euler: number; kappa: number },
): number {
  const a = shape.kappa * Math.max(1, 2 * count - 2 * shape.euler);
  const b = shape.kappa * shape.perimeter;
  return (b + Math.sqrt(b * b + 4 * a * shape.area)) / (2 * a);
}

/** Samples a flat outline as the scene asks. */
export function sampleOutline(outline: Outline, sampling: Sampling, random: Random): FlatSheet {
  if (sampling.type === "mesh") throw new SheetError("sampling", ['"mesh" needs a mesh shape']);
  if (sampling.type !== "irregular") return clippedGrid(outline, sampling);
  const plan = planOutline(outline, sampling, KAPPA.irregular);
  for (;;) {
    const boundary = sampleBoundary(outline, plan.steps);
    const inside = dartsInside(boundary, plan.inner, plan.spacing, random);
    const left = plan.inner - inside.length / 2;
    if (left === 0 || !plan.exact) return fill(boundary, inside);
    // No room inside (a narrow strip): the points left over go to the boundary.
    plan.inner -= left;
    for (let k = 0; k < left; k++) addStep(outline, plan.steps);
  }
}

interface Plan {
  spacing: number;
  /** Steps of each piece of each loop. */
  steps: number[][];
  /** Points inside. */
  inner: number;
  /** The total is prescribed. */
  exact: boolean;
}

function planOutline(outline: Outline, sampling: Sampling, kappa: number): Plan {
  const perimeter = outline.loops.flat().reduce((sum, piece) => sum + piece.length, 0);
  const euler = 2 - outline.loops.length;
  if ("spacing" in sampling) {
    const { spacing } = sampling;
    const steps = stepsAt(outline, spacing);
    const B = total(steps);
    const N = Math.round((outline.area / (kappa * spacing * spacing) + B + 2 * euler) / 2);
    return { spacing, steps, inner: Math.max(0, N - B), exact: false };
  }
  const least = total(stepsAt(outline, Number.POSITIVE_INFINITY));
  if (sampling.points < least) {
    throw new SheetError("sampling", [
      `points: got ${sampling.points}, this outline needs at least ${least} (its corners)`,
    ]);
  }
  let spacing = spacingFor(sampling.points, { area: outline.area, perimeter, euler, kappa });
  let steps = stepsAt(outline, spacing);
  while (total(steps) > sampling.points) {
    spacing *= 1.02;
    steps = stepsAt(outline, spacing);
  }
  return { spacing, steps, inner: sampling.points - total(steps), exact: true };
}

/** Steps of about a spacing for each piece of each loop. */
export function stepsAt(outline: Outline, spacing: number): number[][] {
  return outline.loops.map((loop) => {
    const steps = loop.map((piece) => Math.max(1, Math.round(piece.length / spacing)));
    // A loop of one or two pieces is a polygon all the same: three steps at least.
    while (total([steps]) < 3) addStep({ loops: [loop], area: 0 }, [steps]);
    return steps;
  });
}

const total = (steps: readonly (readonly number[])[]): number =>
  steps.flat().reduce((a, b) => a + b, 0);

/** One step more where the steps are longest. */
function addStep(outline: Outline, steps: number[][]): void {
  let [l, k, longest] = [0, 0, 0];
  outline.loops.forEach((loop, a) => {
    loop.forEach((piece, b) => {
      if (piece.length / steps[a][b] > longest)
        [l, k, longest] = [a, b, piece.length / steps[a][b]];
    });
  });
  steps[l][k]++;
}

/** Divides every piece into its number of equal steps. */
export function sampleBoundary(
  outline: Outline,
  steps: readonly (readonly number[])[],
): SampledBoundary {
  const boundary: SampledBoundary = { points: [], loops: [], named: { edges: {}, corners: {} } };
  outline.loops.forEach((loop, l) => {
    const first = boundary.points.length / 2;
    for (const [k, piece] of loop.entries()) {
      for (let j = 0; j < steps[l][k]; j++) {
        boundary.points.push(...piece.at((piece.length * j) / steps[l][k]));
      }
    }
    const points = range(first, boundary.points.length / 2);
    boundary.loops.push(points);
    let start = 0;
    for (const [k, piece] of loop.entries()) {
      const from = start;
      nameParts(boundary.named, piece, steps[l][k], (j) => points[(from + j) % points.length]);
      start += steps[l][k];
    }
  });
  boundary.named.edges.boundary = boundary.loops.flat();
  return boundary;
}

/** Finds the points of the named edges and corners of one piece. */
function nameParts(
  named: Named,
  piece: Piece,
  steps: number,
  pointAt: (step: number) => number,
): void {
  const step = piece.length / steps;
  for (const { name, from, to, backwards } of piece.edges) {
    let first = Math.ceil(from / step - 1e-9); // the ends of an edge are points but for rounding
    let last = Math.floor(to / step + 1e-9);
    if (first > last) first = last = Math.round((from + to) / 2 / step);
    const points: number[] = [];
    for (let j = first; j <= last; j++) {
      const point = pointAt(j);
      if (points[0] !== point) points.push(point); // a closed loop ends where it starts
    }
    named.edges[name] = backwards ? points.reverse() : points;
  }
  for (const { name, at } of piece.corners) named.corners[name] = pointAt(Math.round(at / step));
}

/**
 * Triangulates points inside a sampled boundary, relaxed unless they are on a lattice, and numbers them along the
 * sheet. The list of the edge `boundary` keeps the boundary's order: its entry k is what was point
 * k.
 */
export function fill(
  boundary: SampledBoundary,
  inside: readonly number[],
  lattice: Lattice | null = null,
): FlatSheet {
  const uv = new Float64Array(boundary.points.length + inside.length);
  uv.set(boundary.points);
  uv.set(inside, boundary.points.length);
  const fixed = lattice === null ? boundary.points.length / 2 : uv.length / 2;
  const flat = relax(uv, fixed, createTriangulation(uv, boundary.loops));
  if (lattice) alternateDiagonals(flat, uv, boundary, lattice);
  return renumbered({ ...flat, uv, named: boundary.named });
}

/** Samples a tube: u in [0, circumference) around it, v in [0, height] along it. */
export function sampleTube(
  circumference: number,
  height: number,
  sampling: Sampling,
  random: Random,
): FlatSheet {
  if (sampling.type === "mesh") throw new SheetError("sampling", ['"mesh" needs a mesh shape']);
  if (sampling.type === "rotated") {
    throw new SheetError("sampling", ['a rotated grid does not close around a tube; take "grid"']);
  }
  if (sampling.type === "grid") return gridTube(circumference, height, sampling);
  const area = circumference * height;
  const shape = { area, perimeter: 2 * circumference, euler: 0, kappa: KAPPA.irregular };
  const spacing = "spacing" in sampling ? sampling.spacing : spacingFor(sampling.points, shape);
  const wanted = "points" in sampling ? sampling.points : null;
  if (circumference < (LEAST_AROUND - 1) * spacing) {
    const largest = circumference / LEAST_AROUND;
    const least = Math.ceil(area / (2 * shape.kappa * largest * largest)) + LEAST_AROUND;
    throw new SheetError("sampling", [
      wanted === null
        ? `spacing: got ${spacing}, this tube needs ${largest} or less, six points around it`
        : `points: got ${wanted}, this tube needs at least ${least}, so that six go around it`,
    ]);
  }
  const most = wanted === null ? Infinity : Math.floor(wanted / 2);
  const steps = Math.max(LEAST_AROUND, Math.round(circumference / spacing));
  const round = Math.min(most, steps);
  const around: [number, number] = [round, round];
  let inner =
    wanted === null
      ? Math.max(0, Math.round(area / (2 * shape.kappa * spacing * spacing) - round))
      : wanted - 2 * round;
  for (;;) {
    const points: number[] = [];
    for (let k = 0; k < around[0]; k++) points.push((circumference * k) / around[0], 0);
    // The rims are staggered: opposite points would make rectangles, whose diagonals Delaunay
    // leaves open.
    for (let k = 0; k < around[1]; k++) {
      points.push((circumference * (k + 0.5)) / around[1], height);
    }
    const [bottom, top] = [range(0, around[0]), range(around[0], around[0] + around[1])];
    const rims = { points, loops: [bottom, top] };
    const darts = throwDarts(createRegion(rims, spacing, circumference), inner, spacing, random);
    const left = inner - darts.length / 2;
    if (left > 0 && wanted !== null) {
      inner -= left;
      around[0] += Math.ceil(left / 2);
      around[1] += Math.floor(left / 2);
      continue;
    }
    const uv = Float64Array.from([...points, ...darts]);
    const flat = relax(uv, points.length / 2, () => {
      for (let i = 0; i < uv.length; i += 2) {
        uv[i] -= circumference * Math.floor(uv[i] / circumference);
      }
      return triangulateTube(uv, circumference, points.length / 2, 8 * spacing);
    });
    const named = { edges: { bottom, top, boundary: [...bottom, ...top] }, corners: {} };
    return renumbered({ ...flat, uv, named });
  }
}

/** Fewer points around a tube than this and a triangle could meet itself. */
const LEAST_AROUND = 6;

/**
 * The plain grid of a rectangle: columns × rows points, row by row, neighbouring cells cut along
 * different diagonals. Cut along the same, a sheet would be soft in one direction and stiff in another.
 */
export function gridRectangle(width: number, height: number, sampling: Sampling): FlatSheet {
  const [cells, layers] = gridSize(width, height, sampling, false);
  const at = (i: number, j: number): number => j * (cells + 1) + i;
  const uv = new Float64Array(2 * (cells + 1) * (layers + 1));
  for (let j = 0; j <= layers; j++) {
    for (let i = 0; i <= cells; i++) {
      uv[2 * at(i, j)] = (width * i) / cells;
      uv[2 * at(i, j) + 1] = (height * j) / layers;
    }
  }
  const bottom = range(0, cells + 1);
  const top = bottom.map((i) => at(i, layers));
  const left = range(0, layers + 1).map((j) => at(0, j));
  const right = left.map((i) => i + cells);
  const boundary = [
    ...bottom.slice(0, -1),
    ...right.slice(0, -1),
    ...top.slice(1).reverse(),
    ...left.slice(1).reverse(),
  ];
  const corners = {
    "bottom-left": at(0, 0),
    "bottom-right": at(cells, 0),
    "top-left": at(0, layers),
    "top-right": at(cells, layers),
  };
  const grid = gridTriangles(
    cells,
    layers,
    at,
    (i) => (width * i) / cells,
    (j) => (height * j) / layers,
  );
  return { uv, ...grid, named: { edges: { left, right, bottom, top, boundary }, corners } };
}

function gridTube(circumference: number, height: number, sampling: Sampling): FlatSheet {
  const [cells, layers] = gridSize(circumference, height, sampling, true);
  const at = (i: number, j: number): number => j * cells + (i % cells);
  const uv = new Float64Array(2 * cells * (layers + 1));
  for (let j = 0; j <= layers; j++) {
    for (let i = 0; i < cells; i++) {
      uv[2 * at(i, j)] = (circumference * i) / cells;
      uv[2 * at(i, j) + 1] = (height * j) / layers;
    }
  }
  const bottom = range(0, cells);
  const top = bottom.map((i) => at(i, layers));
  const named = { edges: { bottom, top, boundary: [...bottom, ...top] }, corners: {} };
  const grid = gridTriangles(
    cells,
    layers,
    at,
    (i) => (circumference * i) / cells,
    (j) => (height * j) / layers,
  );
  return { uv, ...grid, named };
}

/**
 * Cells along u and v: as square as can be among those whose points come nearest to the wanted
 * number.
 */
function gridSize(
  width: number,
  height: number,
  sampling: Sampling,
  periodic: boolean,
): [number, number] {
  const least = periodic ? LEAST_AROUND : 1;
  const cellsFor = (length: number, s: number): number => Math.max(1, Math.round(length / s));
  if ("spacing" in sampling) {
    return [Math.max(least, cellsFor(width, sampling.spacing)), cellsFor(height, sampling.spacing)];
  }
  let best: [number, number] = [least, 1];
  let bestCost = Number.POSITIVE_INFINITY;
  for (let cells = least; cells <= sampling.points; cells++) {
    const layers = cellsFor(height, width / cells);
    const points = (periodic ? cells : cells + 1) * (layers + 1);
    const aspect = (width * layers) / (height * cells);
    const cost = Math.abs(points - sampling.points) + 0.1 * Math.max(aspect, 1 / aspect);
    if (cost < bestCost) [best, bestCost] = [[cells, layers], cost];
    if (points > 2 * sampling.points + 100) break;
  }
  return best;
}

function gridTriangles(
  cells: number,
  layers: number,
  at: (i: number, j: number) => number,
  u: (i: number) => number,
  v: (j: number) => number,
): FlatTriangles {
  const triangles = new Int32Array(6 * cells * layers);
  const corners = new Float64Array(12 * cells * layers);
  // the cell a b c d as (a b c) and (a c d), or as (b c d) and (b d a)
  const even = [0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1];
  const odd = [1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 0];
  for (let j = 0, k = 0; j < layers; j++) {
    for (let i = 0; i < cells; i++) {
      const ij = (i + j) % 2 === 0 ? even : odd;
      for (let c = 0; c < 6; c++, k++) {
        triangles[k] = at(i + ij[2 * c], j + ij[2 * c + 1]);
        corners[2 * k] = u(i + ij[2 * c]);
        corners[2 * k + 1] = v(j + ij[2 * c + 1]);
      }
    }
  }
  return { triangles, corners };
}

/**
 * A square grid, turned by an angle, clipped to the outline. Its points keep half a spacing from
 * the boundary, which is sampled on its own. For a wanted number of points, spacing and phase of
 * the grid are searched near the estimate.
 */
function clippedGrid(outline: Outline, sampling: Sampling): FlatSheet {
  const wanted = "points" in sampling ? sampling.points : 0;
  const plan = planOutline(outline, sampling, KAPPA.grid);
  const angle = sampling.type === "rotated" ? sampling.angle : 0;
  let best: { boundary: SampledBoundary; inside: number[]; lattice: Lattice } | null = null;
  let bestMiss = Number.POSITIVE_INFINITY;
  for (let k = 0; k < 120 && bestMiss > 0; k++) {
    // 1, 1.005, 0.995, 1.01, … times the estimate, then again with the grid shifted
    const turn = k % 40;
    const spacing = plan.spacing * (1 + 0.005 * Math.ceil(turn / 2) * (turn % 2 === 0 ? 1 : -1));
    const phase = Math.floor(k / 40) / 3;
    const boundary = sampleBoundary(outline, stepsAt(outline, spacing));
    const lattice = { spacing, angle, phase };
    const inside = gridInside(boundary, spacing, angle, phase);
    const miss = Math.abs((boundary.points.length + inside.length) / 2 - wanted);
    if (miss < bestMiss) [best, bestMiss] = [{ boundary, inside, lattice }, miss];
    if ("spacing" in sampling) break;
  }
  const { boundary, inside, lattice } = best!;
  return fill(boundary, inside, lattice);
}

/** A turned square lattice about the middle of a region, moved by a share of its spacing along its first axis. */
export interface Lattice {
  spacing: number;
  angle: number;
  phase: number;
}

/**
 * Cuts the squares of a lattice by turns, as gridTriangles does. All four corners of a square are on one circle, so that Delaunay's choice
 * is one of rounding, alike for long stretches: some are stiffer than others, and the wrinkles of G7 were 16 % too high where they are 4 % now.
 */
function alternateDiagonals(
  { triangles, corners }: FlatTriangles,
  uv: Float64Array,
  boundary: SampledBoundary,
  { spacing, angle, phase }: Lattice,
): void {
  const { minU, maxU, minV, maxV } = createRegion(boundary, spacing);
  const [c, s] = [cos(angle), sin(angle)];
  const n = uv.length / 2;
  // lattice coordinates of the points that are on it
  const at = new Int32Array(2 * n);
  const isOn = new Uint8Array(n);
  for (let i = boundary.points.length / 2; i < n; i++) {
    const [u, v] = [uv[2 * i] - (minU + maxU) / 2, uv[2 * i + 1] - (minV + maxV) / 2];
    at[2 * i] = Math.round((c * u + s * v) / spacing - phase);
    at[2 * i + 1] = Math.round((c * v - s * u) / spacing);
    isOn[i] = 1;
  }
  const apart = (a: number, b: number): number => {
    const [i, j] = [at[2 * a] - at[2 * b], at[2 * a + 1] - at[2 * b + 1]];
    return isOn[a] && isOn[b] ? i * i + j * j : 0;
  };
  // a triangle is half of one square: turning one diagonal leaves the others as they are
  const twin = twins({ n, triangles });
  const before = triangles.slice();
  const put = (first: number, points: readonly number[]): void => {
    for (const [e, i] of points.entries()) {
      triangles[first + e] = i;
      corners[2 * (first + e)] = uv[2 * i];
      corners[2 * (first + e) + 1] = uv[2 * i + 1];
    }
  };
  for (let k = 0; k < before.length; k++) {
    if (twin[k] < k) continue;
    const [p, q] = [before[k], before[next(k)]];
    const [r, o] = [before[next(next(k))], before[next(next(twin[k]))]];
    if (apart(p, q) !== 2 || apart(p, r) !== 1 || apart(p, o) !== 1) continue;
    if ((at[2 * p] + at[2 * p + 1]) % 2 === 0) continue;
    put(3 * Math.floor(k / 3), [r, p, o]);
    put(3 * Math.floor(twin[k] / 3), [o, q, r]);
  }
}

/**
 * Points of a square grid, turned by an angle and shifted by a phase, that keep clear of the
 * boundary. Flat uv.
 */
export function gridInside(
  boundary: SampledBoundary,
  spacing: number,
  angle: number,
  phase = 0,
): number[] {
  const region = createRegion(boundary, spacing);
  const [c, s] = [cos(angle), sin(angle)];
  const [middleU, middleV] = [(region.minU + region.maxU) / 2, (region.minV + region.maxV) / 2];
  const reach = Math.ceil((region.maxU - region.minU + region.maxV - region.minV) / spacing);
  const inside: number[] = [];
  for (let j = -reach; j <= reach; j++) {
    for (let i = -reach; i <= reach; i++) {
      const u = middleU + spacing * (c * (i + phase) - s * j);
      const v = middleV + spacing * (s * (i + phase) + c * j);
      if (region.inside(u, v) && region.clear(u, v, 0.6 * spacing)) inside.push(u, v);
    }
  }
  return inside;
}

/** Up to `count` blue-noise points inside a boundary; fewer where there is no room. Flat uv. */
export function dartsInside(
  boundary: SampledBoundary,
  count: number,
  spacing: number,
  random: Random,
): number[] {
  return throwDarts(createRegion(boundary, spacing), count, spacing, random);
}

/** The inside of sampled loops, with room for the points thrown into it. */
interface Region {
  minU: number;
  maxU: number;
  minV: number;
  maxV: number;
  inside(u: number, v: number): boolean;
  /** No point closer than r, and no piece of the boundary closer than 0.7 r. */
  clear(u: number, v: number, r: number): boolean;
  add(u: number, v: number): void;
}

/**
 * Buckets of points (squares of one spacing) and of boundary segments (rows of one spacing), so
 * that each question looks at a handful of them. With a period, u wraps around and everything
 * between the rims is inside.
 */
function createRegion(
  boundary: { points: readonly number[]; loops: readonly (readonly number[])[] },
  spacing: number,
  period = 0,
): Region {
  const squares = createSquares(boundary, spacing, period);
  const { minU, maxU, minV, maxV } = squares;
  return {
    minU,
    maxU,
    minV,
    maxV,
    inside: (u, v) => isInside(squares, u, v),
    clear: (u, v, r) => isClear(squares, u, v, r),
    add: (u, v) => addPoint(squares, u, v),
  };
}

/** Points of a region in squares no smaller than a spacing; around a tube a whole number of them. */
interface Squares {
  readonly period: number;
  readonly spacing: number;
  readonly minU: number;
  readonly maxU: number;
  readonly minV: number;
  readonly maxV: number;
  readonly columns: number;
  readonly rows: number;
  readonly squareU: number;
  /** [2·capacity] uv: those of the boundary, which are `fixed`, then what was added. */
  points: Float64Array;
  readonly fixed: number;
  count: number;
  /** [fixed] neighbours of a point along its boundary, −1 without. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** Each square is a chain: its last point, and of each point the one put there before it. */
  readonly last: Int32Array;
  earlier: Int32Array;
  /** Starts of the boundary segments that reach into each row. */
  readonly segmentsInRow: number[][];
}

function createSquares(
  boundary: { points: readonly number[]; loops: readonly (readonly number[])[] },
  spacing: number,
  period: number,
): Squares {
  const fixed = boundary.points.length / 2;
  const points = new Float64Array(Math.max(2 * boundary.points.length, 256));
  points.set(boundary.points);
  const before = new Int32Array(fixed).fill(-1);
  const after = new Int32Array(fixed).fill(-1);
  for (const loop of boundary.loops) {
    loop.forEach((a, k) => {
      const b = loop[(k + 1) % loop.length];
      after[a] = b;
      before[b] = a;
    });
  }
  let [minU, maxU, minV, maxV] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < fixed; i++) {
    minU = Math.min(minU, points[2 * i]);
    maxU = Math.max(maxU, points[2 * i]);
    minV = Math.min(minV, points[2 * i + 1]);
    maxV = Math.max(maxV, points[2 * i + 1]);
  }
  if (period > 0) [minU, maxU] = [0, period];
  const columns = Math.max(1, Math.floor((maxU - minU) / spacing) + (period > 0 ? 0 : 1));
  const rows = Math.max(1, Math.floor((maxV - minV) / spacing) + 1);
  const squares: Squares = {
    period,
    spacing,
    minU,
    maxU,
    minV,
    maxV,
    columns,
    rows,
    squareU: period > 0 ? period / columns : spacing,
    points,
    fixed,
    count: fixed,
    before,
    after,
    last: new Int32Array(columns * rows).fill(-1),
    earlier: new Int32Array(points.length / 2),
    segmentsInRow: Array.from({ length: rows }, () => []),
  };
  for (let i = 0; i < fixed; i++) putIntoSquare(squares, i);
  for (let a = 0; a < fixed; a++) {
    if (after[a] < 0) continue;
    const from = rowOf(squares, points[2 * a + 1]);
    const to = rowOf(squares, points[2 * after[a] + 1]);
    for (let r = Math.min(from, to); r <= Math.max(from, to); r++) squares.segmentsInRow[r].push(a);
  }
  return squares;
}

function columnOf({ columns, minU, squareU }: Squares, u: number): number {
  return Math.max(0, Math.min(columns - 1, Math.floor((u - minU) / squareU)));
}

function rowOf({ rows, minV, spacing }: Squares, v: number): number {
  return Math.max(0, Math.min(rows - 1, Math.floor((v - minV) / spacing)));
}

function putIntoSquare(squares: Squares, i: number): void {
  const { points, last, earlier, columns } = squares;
  const square = rowOf(squares, points[2 * i + 1]) * columns + columnOf(squares, points[2 * i]);
  earlier[i] = last[square];
  last[square] = i;
}

/** A difference along u, the short way around a tube. */
function wrapped({ period }: Squares, du: number): number {
  return period > 0 ? du - period * Math.round(du / period) : du;
}

/** Squared distance of a place to the segment from point a to point b. */
function toSegment(squares: Squares, u: number, v: number, a: number, b: number): number {
  const { points } = squares;
  const pu = wrapped(squares, u - points[2 * a]);
  const pv = v - points[2 * a + 1];
  const du = wrapped(squares, points[2 * b] - points[2 * a]);
  const dv = points[2 * b + 1] - points[2 * a + 1];
  const t = Math.max(0, Math.min(1, (pu * du + pv * dv) / (du * du + dv * dv)));
  return squaredLength(pu - t * du, pv - t * dv);
}

/** By the number of boundary segments to the right. */
function isInside(squares: Squares, u: number, v: number): boolean {
  const { period, minU, maxU, minV, maxV, points, after } = squares;
  if (period > 0) return v > minV && v < maxV;
  if (u < minU || u > maxU || v < minV || v > maxV) return false;
  let odd = false;
  const starts = squares.segmentsInRow[rowOf(squares, v)];
  for (let s = 0; s < starts.length; s++) {
    const a = starts[s];
    const b = after[a];
    const av = points[2 * a + 1];
    const bv = points[2 * b + 1];
    if (av > v === bv > v) continue;
    const at = points[2 * a] + ((v - av) / (bv - av)) * (points[2 * b] - points[2 * a]);
    if (u < at) odd = !odd;
  }
  return odd;
}

/** Whether no point is within r of a place, and no boundary within 0.7 r. */
function isClear(squares: Squares, u: number, v: number, r: number): boolean {
  const { period, columns, rows, last, earlier, points, fixed, before, after } = squares;
  const column = columnOf(squares, u);
  const row = rowOf(squares, v);
  const reach = period > 0 && columns < 3 ? 0 : 1;
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y++) {
    for (let x = column - reach; x <= column + reach; x++) {
      if (period === 0 && (x < 0 || x >= columns)) continue;
      const square = y * columns + ((x + columns) % columns);
      for (let i = last[square]; i >= 0; i = earlier[i]) {
        if (squaredLength(wrapped(squares, u - points[2 * i]), v - points[2 * i + 1]) < r * r)
          return false;
        if (i >= fixed || before[i] < 0 || after[i] < 0) continue;
        const nearest = Math.min(
          toSegment(squares, u, v, before[i], i),
          toSegment(squares, u, v, i, after[i]),
        );
        if (nearest < 0.49 * r * r) return false;
      }
    }
  }
  return true;
}

function addPoint(squares: Squares, u: number, v: number): void {
  if (2 * squares.count === squares.points.length) {
    squares.points = grown(squares.points);
    squares.earlier = grown(squares.earlier);
  }
  squares.points[2 * squares.count] = u;
  squares.points[2 * squares.count + 1] = v;
  putIntoSquare(squares, squares.count++);
}

/**
 * Up to `count` points inside, as far apart as darts get them; fewer where there is no room. Flat
 * uv.
 */
function throwDarts(region: Region, count: number, spacing: number, random: Random): number[] {
  const darts: number[] = [];
  let distance = DART.first * spacing;
  let misses = 0;
  while (darts.length < 2 * count && distance > DART.last * spacing) {
    const u = region.minU + (region.maxU - region.minU) * random();
    const v = region.minV + (region.maxV - region.minV) * random();
    if (!region.inside(u, v)) {
      // A slanted sliver fills little of its box; count these misses too, but lightly.
      misses += 0.1;
    } else if (region.clear(u, v, distance)) {
      darts.push(u, v);
      region.add(u, v);
      misses = 0;
    } else misses++;
    if (misses > 100) {
      distance *= 0.98;
      misses = 0;
    }
  }
  return darts;
}

/**
 * Sweeps until the smallest angle is good, moving every point after the first `fixed`. Returns the
 * last triangulation.
 */
function relax(uv: Float64Array, fixed: number, triangulation: () => FlatTriangles): FlatTriangles {
  for (let sweep = 0; ; sweep++) {
    const flat = triangulation();
    if (uv.length / 2 === fixed || sweep === SWEEPS.most) return flat;
    if (sweep >= SWEEPS.least && smallestAngle(flat, fixed) > GOOD_ANGLE) return flat;
    moveToCentroids(uv, fixed, flat);
  }
}

/** sin² of the smallest angle among triangles with a free point (the others cannot be mended). */
function smallestAngle({ triangles, corners: x }: FlatTriangles, fixed: number): number {
  let least = 1;
  for (let t = 0; t < triangles.length; t += 3) {
    if (triangles[t] < fixed && triangles[t + 1] < fixed && triangles[t + 2] < fixed) continue;
    const k = 2 * t;
    const au = x[k + 2] - x[k];
    const av = x[k + 3] - x[k + 1];
    const bu = x[k + 4] - x[k + 2];
    const bv = x[k + 5] - x[k + 3];
    const cu = x[k] - x[k + 4];
    const cv = x[k + 1] - x[k + 5];
    const a = au * au + av * av;
    const b = bu * bu + bv * bv;
    const c = cu * cu + cv * cv;
    const area = au * bv - av * bu; // sin of the angle between two sides is twice the area over their product
    least = Math.min(least, (area * area) / (a * b * c * (1 / Math.min(a, b, c))));
  }
  return least;
}

/**
 * One sweep: each free point moves to the centroid of the triangles around it, as long as none of
 * them turns over.
 */
function moveToCentroids(
  uv: Float64Array,
  fixed: number,
  { triangles, corners }: FlatTriangles,
): void {
  const n = uv.length / 2;
  const places = placesOf(n, triangles);
  for (let i = fixed; i < n; i++) moveToCentroid(uv, corners, places, i);
}

function moveToCentroid(uv: Float64Array, corners: Float64Array, places: Places, i: number): void {
  const { start, place } = places;
  let area = 0;
  let du = 0;
  let dv = 0;
  for (let e = start[i]; e < start[i + 1]; e++) {
    const a = place[e];
    const b = next(a);
    const c = next(b);
    const u = corners[2 * a];
    const v = corners[2 * a + 1];
    const bu = corners[2 * b] - u;
    const bv = corners[2 * b + 1] - v;
    const cu = corners[2 * c] - u;
    const cv = corners[2 * c + 1] - v;
    const doubled = bu * cv - bv * cu;
    area += doubled;
    du += (doubled * (bu + cu)) / 3;
    dv += (doubled * (bv + cv)) / 3;
  }
  let mu = du / area;
  let mv = dv / area;
  for (let tries = 0; tries < 5 && turnsOver(corners, places, i, mu, mv); tries++) {
    mu = tries < 4 ? mu / 2 : 0;
    mv = tries < 4 ? mv / 2 : 0;
  }
  uv[2 * i] += mu;
  uv[2 * i + 1] += mv;
  for (let e = start[i]; e < start[i + 1]; e++) {
    corners[2 * place[e]] += mu;
    corners[2 * place[e] + 1] += mv;
  }
}

/** Would a triangle around i turn over if i moved so? */
function turnsOver(
  corners: Float64Array,
  { start, place }: Places,
  i: number,
  mu: number,
  mv: number,
): boolean {
  for (let e = start[i]; e < start[i + 1]; e++) {
    const a = place[e];
    const b = next(a);
    const c = next(b);
    const u = corners[2 * a];
    const v = corners[2 * a + 1];
    const bu = corners[2 * b] - u - mu;
    const bv = corners[2 * b + 1] - v - mv;
    const cu = corners[2 * c] - u - mu;
    const cv = corners[2 * c + 1] - v - mv;
    if (bu * cv - bv * cu <= 0) return true;
  }
  return false;
}

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

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, k) => from + k);
