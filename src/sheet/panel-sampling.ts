/**
 * Panels sampled and triangulated, each on its own, with matched points along their seams.
 */
import type { Sampling, Vec2 } from "../scene/scene.ts";
import { type FlatSheet, KAPPA, type SampledBoundary, spacingFor } from "./boundary.ts";
import { dartsInside } from "./darts.ts";
import { gridInside, type Lattice } from "./grid.ts";
import { grouped, sampledBoundaries } from "./panel-boundary.ts";
import type { Cut } from "./panels.ts";
import { next, squaredLength, twins } from "./plane.ts";
import type { Random } from "./random.ts";
import { fill } from "./sampling.ts";
import type { Joint } from "./seam-joints.ts";
import { SheetError } from "./sheet-error.ts";

/**
 * The outline of a panel, sampled, and which of its points are matched with which of other panels.
 */
export interface SampledPanels {
  sheets: FlatSheet[];
  /** Groups of [panel, point] that are one point of the garment. */
  groups: [number, number][][];
}

/** Tries of a spacing; the next is wider where edges alone take too many points, narrower where the inside has no room for the rest. */
const ATTEMPTS = 40;
const WIDER = 1.03;
const NARROWER = 0.98;

export function sampledPanels(
  cuts: readonly Cut[],
  joints: readonly Joint[],
  sampling: Sampling,
  random: Random,
  weld: boolean,
): SampledPanels {
  if (sampling.type === "mesh") throw new SheetError("sampling", ['"mesh" needs a mesh shape']);
  const kappa = sampling.type === "irregular" ? KAPPA.irregular : KAPPA.grid;
  const area = cuts.reduce((sum, cut) => sum + cut.area, 0);
  const outlines = cuts.reduce((sum, cut) => sum + cut.arc[cut.arc.length - 1], 0);
  const sewn = joints.reduce((sum, { a, b }) => sum + a.stretch.length + b.stretch.length, 0);
  const wanted = "points" in sampling ? sampling.points : null;
  let spacing =
    "spacing" in sampling
      ? sampling.spacing
      : spacingFor(sampling.points, {
          area,
          perimeter: weld ? outlines - sewn : outlines,
          euler: 1,
          kappa,
        });

  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { boundaries, pairs } = sampledBoundaries(cuts, joints, spacing);
    const groups = grouped(boundaries, pairs);
    const sampled = boundaries.reduce((sum, { points }) => sum + points.length / 2, 0);
    const onEdges = weld ? groups.length : sampled;
    const ideal = boundaries.map(({ points, loops }, k) => {
      const inner =
        cuts[k].area / (kappa * spacing * spacing) - points.length / 2 + 4 - 2 * loops.length;
      return Math.max(0, inner / 2);
    });
    if (wanted !== null && wanted < onEdges) {
      spacing *= WIDER;
      continue;
    }
    if (sampling.type !== "irregular") {
      const angle = sampling.type === "rotated" ? sampling.angle : 0;
      const inside = boundaries.map((boundary) => gridInside(boundary, spacing, angle));
      return { sheets: filled(boundaries, inside, { spacing, angle, phase: 0 }), groups };
    }
    const counts = wanted === null ? ideal.map(Math.round) : shares(ideal, cuts, wanted - onEdges);
    const inside: number[][] = [];
    let left = 0; // points that found no room in the panels before
    boundaries.forEach((boundary, k) => {
      const darts = dartsInside(boundary, counts[k] + left, spacing, random);
      left = wanted === null ? 0 : counts[k] + left - darts.length / 2;
      inside.push(darts);
    });
    if (left > 0) {
      spacing *= NARROWER;
      continue;
    }
    return { sheets: filled(boundaries, inside, null), groups };
  }
  throw new SheetError("garment", [
    `points: got ${wanted}, which these panels cannot be sampled with; their outlines alone need more, or the inside has no room`,
  ]);
}

/** Triangulates every panel, and frees the corners. */
function filled(
  boundaries: readonly SampledBoundary[],
  inside: readonly number[][],
  lattice: Lattice | null,
): FlatSheet[] {
  return boundaries.map((boundary, k) => withoutChords(fill(boundary, inside[k], lattice)));
}

/**
 * Whole numbers in proportion to `ideal` (or the areas, if nothing is) that add up to the total.
 */
function shares(ideal: readonly number[], cuts: readonly Cut[], total: number): number[] {
  const sum = ideal.reduce((a, b) => a + b, 0);
  const weights = sum > 0 ? ideal : cuts.map(({ area }) => area);
  const whole = weights.reduce((a, b) => a + b, 0);
  const exact = weights.map((weight) => (weight / whole) * total);
  const counts = exact.map(Math.floor);
  const order = exact
    .map((_, k) => k)
    .sort((a, b) => exact[b] - counts[b] - (exact[a] - counts[a]) || a - b);
  const left = total - counts.reduce((a, b) => a + b, 0);
  for (let k = 0; k < left; k++) counts[order[k % order.length]]++;
  return counts;
}

/**
 * Flips edges that cut off a corner between two boundary points, where the new edge reaches inside.
 */
function withoutChords(sheet: FlatSheet): FlatSheet {
  const { triangles, corners } = sheet;
  const n = sheet.uv.length / 2;
  const rim = new Uint8Array(n);
  for (const i of sheet.named.edges.boundary) rim[i] = 1;
  for (let pass = 0, flips = 1; flips > 0 && pass < 10; pass++) {
    flips = 0;
    const twin = twins({ n, triangles });
    const stale = new Set<number>();
    for (let a = 0; a < triangles.length; a++) {
      const b = twin[a];
      if (b < a) continue;
      const [ta, tb] = [Math.floor(a / 3), Math.floor(b / 3)];
      if (stale.has(ta) || stale.has(tb)) continue;
      const [p, q] = [triangles[a], triangles[b]];
      const [r, s] = [triangles[next(next(a))], triangles[next(next(b))]];
      if (rim[p] === 0 || rim[q] === 0 || (rim[r] === 1 && rim[s] === 1)) continue;
      const xy = (k: number): Vec2 => [corners[2 * k], corners[2 * k + 1]];
      const [P, Q, R, S] = [xy(a), xy(b), xy(next(next(a))), xy(next(next(b)))];
      // (p q r) and (q p s) become (p s r) and (s q r), unless one of these would be a sliver
      if (Math.min(quality(P, S, R), quality(S, Q, R)) < 0.25) continue;
      triangles.set([p, s, r], 3 * ta);
      triangles.set([s, q, r], 3 * tb);
      corners.set([...P, ...S, ...R], 6 * ta);
      corners.set([...S, ...Q, ...R], 6 * tb);
      stale.add(ta).add(tb);
      flips++;
    }
  }
  return sheet;
}

/** 1 for an equilateral triangle, 0 for one without area, negative when clockwise. */
function quality(a: Vec2, b: Vec2, c: Vec2): number {
  const doubled = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const squared = (p: Vec2, q: Vec2): number => squaredLength(q[0] - p[0], q[1] - p[1]);
  const sum = squared(a, b) + squared(b, c) + squared(c, a);
  return (2 * Math.sqrt(3) * doubled) / sum;
}
