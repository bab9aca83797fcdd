/**
 * Grids: of a rectangle, around a tube, and a turned square lattice inside any outline.
 */
import { cos, sin } from "../linalg/elementary.ts";
import type { Sampling } from "../scene/scene.ts";
import { type FlatSheet, range, type SampledBoundary } from "./boundary.ts";
import { next, twins } from "./plane.ts";
import { createRegion, isClear, isInside } from "./region.ts";
import type { FlatTriangles } from "./triangulation.ts";

/** Fewer points around a tube than this and a triangle could meet itself. */
export const LEAST_AROUND = 6;
/** What the longer side of a cell over its shorter costs, in points too many or too few: it decides among equals. */
const ASPECT_COST = 0.1;
/** Spacings between the points of a lattice and those of the boundary: nearer ones would make slivers. */
const CLEARANCE = 0.6;

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

export function gridTube(circumference: number, height: number, sampling: Sampling): FlatSheet {
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
    const cost = Math.abs(points - sampling.points) + ASPECT_COST * Math.max(aspect, 1 / aspect);
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
export function alternateDiagonals(
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
      if (isInside(region, u, v) && isClear(region, u, v, CLEARANCE * spacing)) inside.push(u, v);
    }
  }
  return inside;
}
