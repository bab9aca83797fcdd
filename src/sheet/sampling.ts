/**
 * Sample points of a flat outline or a tube (§3): the boundary exactly, the inside by blue noise or by a grid that is clipped to the outline.
 *
 * The boundary is divided into whole numbers of steps (boundary.ts) and the inside gets the remaining points, so that a wanted number is met
 * exactly. Irregular samples are darts (darts.ts), relaxed on their Delaunay triangulation (relax.ts); grids are in grid.ts.
 */
import type { Sampling } from "../scene/scene.ts";
import {
  addStep,
  type FlatSheet,
  KAPPA,
  type Outline,
  planOutline,
  range,
  type SampledBoundary,
  sampleBoundary,
  spacingFor,
  stepsAt,
} from "./boundary.ts";
import { dartsInside, throwDarts } from "./darts.ts";
import { alternateDiagonals, gridInside, gridTube, type Lattice, LEAST_AROUND } from "./grid.ts";
import type { Random } from "./random.ts";
import { createRegion } from "./region.ts";
import { relax } from "./relax.ts";
import { renumbered } from "./renumber.ts";
import { SheetError } from "./sheet-error.ts";
import { createTriangulation, triangulateTube } from "./triangulation.ts";

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

/** Spacings that are tried around the estimate, this share of it apart (a hundredth more points), and places of the grid. */
const SPACINGS = 40;
const FINER = 0.005;
const SHIFTS = 3;

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
  for (let k = 0; k < SPACINGS * SHIFTS && bestMiss > 0; k++) {
    // 1, 1.005, 0.995, 1.01, … times the estimate, then again with the grid shifted
    const turn = k % SPACINGS;
    const spacing = plan.spacing * (1 + FINER * Math.ceil(turn / 2) * (turn % 2 === 0 ? 1 : -1));
    const phase = Math.floor(k / SPACINGS) / SHIFTS;
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
