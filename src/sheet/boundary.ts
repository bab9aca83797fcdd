/**
 * Outlines, and their division into steps: the boundary points of a sheet.
 *
 * How many points at which spacing? With B of N points on the boundary and Euler number χ (1 less the holes), a triangulation has
 * F = 2N − B − 2χ triangles, and even ones have area κ s². From the area A and the perimeter P,
 *
 *   A = κ s² (2N − P/s − 2χ)
 *
 * gives s for a wanted N or N for a wanted s, such that boundary and inside are equally dense.
 */
import type { Sampling, Vec2 } from "../scene/scene.ts";
import { SheetError } from "./sheet-error.ts";
import type { FlatTriangles } from "./triangulation.ts";

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

/** The spacing at which `count` points fill an outline (see the head of this file). */
export function spacingFor(
  count: number,
  shape: { area: number; perimeter: number; euler: number; kappa: number },
): number {
  const a = shape.kappa * Math.max(1, 2 * count - 2 * shape.euler);
  const b = shape.kappa * shape.perimeter;
  return (b + Math.sqrt(b * b + 4 * a * shape.area)) / (2 * a);
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

/** Where the boundary alone takes too many points the spacing grows by this factor, until it does not. */
const WIDER = 1.02;
/** Of places in steps: 10⁻¹⁶ times the number of steps is less. */
const ROUNDING = 1e-9;

export function planOutline(outline: Outline, sampling: Sampling, kappa: number): Plan {
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
    spacing *= WIDER;
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
export function addStep(outline: Outline, steps: number[][]): void {
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
    let first = Math.ceil(from / step - ROUNDING); // the ends of an edge are points but for rounding
    let last = Math.floor(to / step + ROUNDING);
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

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, k) => from + k);
