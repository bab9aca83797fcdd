/**
 * Boundaries of panels, sampled so that both edges of a seam get equally many points, matched by their fraction of arc length.
 */
import { type SampledBoundary, sampleBoundary, stepsAt } from "./boundary.ts";
import { polygonOutline } from "./outline.ts";
import { type Cut, fixedArcs, SAME_ARC, type Stretch } from "./panels.ts";
import type { Joint } from "./seam-joints.ts";

type Pair = [[number, number], [number, number]];

/**
 * Samples all outlines so that seams match point by point. Pairs are of [panel, boundary point].
 */
export function sampledBoundaries(
  cuts: readonly Cut[],
  joints: readonly Joint[],
  spacing: number,
): { boundaries: SampledBoundary[]; pairs: Pair[] } {
  const arcs: number[][] = cuts.map(() => []);
  const matched: { a: [number, number]; b: [number, number] }[] = []; // [panel, arc length]
  for (const { a, b, same } of joints) {
    for (const [fa, fb] of matchedFractions(cuts, a, b, same, spacing)) {
      const at = ({ cut, stretch }: Joint["a"], f: number): [number, number] => {
        const whole = cuts[cut].arc[cuts[cut].arc.length - 1];
        return [cut, (stretch.from + f * stretch.length) % whole];
      };
      const match = { a: at(a, fa), b: at(b, fb) };
      matched.push(match);
      arcs[a.cut].push(match.a[1]);
      arcs[b.cut].push(match.b[1]);
    }
  }
  cuts.forEach((cut, k) => {
    const sewn = joints.flatMap(({ a, b }) => [a, b]).filter((end) => end.cut === k);
    arcs[k].push(
      ...freeArcs(
        cut,
        sewn.map(({ stretch }) => stretch),
        spacing,
      ),
    );
  });
  const rims = cuts.map((cut, k) => distinct(arcs[k], cut.arc[cut.arc.length - 1]));
  const boundaries = cuts.map((cut, k) => panelBoundary(cut, rims[k], spacing));
  const pairs = matched.map(
    ({ a, b }): Pair => [
      [a[0], nearestArc(rims[a[0]], a[1], cuts[a[0]])],
      [b[0], nearestArc(rims[b[0]], b[1], cuts[b[0]])],
    ],
  );
  return { boundaries, pairs };
}

/** Spacings between corners on both sides of a seam under which they are matched. */
const OPPOSITE = 0.4;

/**
 * Fractions along two sewn stretches (each counter-clockwise on its own panel) of matched points.
 * Corners of either side are matched with the other's when they are about opposite, else with the
 * same fraction of it.
 */
function matchedFractions(
  cuts: readonly Cut[],
  a: Joint["a"],
  b: Joint["b"],
  same: boolean,
  spacing: number,
): [number, number][] {
  const onA = breaksWithin(cuts[a.cut], a.stretch);
  const onB = breaksWithin(cuts[b.cut], b.stretch)
    .map((f) => (same ? f : 1 - f))
    .sort((f, g) => f - g);
  const length = (a.stretch.length + b.stretch.length) / 2;
  const near = (OPPOSITE * spacing) / length;
  const breaks: [number, number][] = [[0, 0]];
  const all = [...onA.map((f) => ({ f, a: true })), ...onB.map((f) => ({ f, a: false }))];
  all.sort((p, q) => p.f - q.f);
  for (let k = 0; k < all.length; k++) {
    const [p, q] = [all[k], all[k + 1]];
    const opposite = q !== undefined && p.a !== q.a && q.f - p.f < near;
    const [fa, fb] = opposite ? (p.a ? [p.f, q.f] : [q.f, p.f]) : [p.f, p.f];
    if (opposite) k++;
    breaks.push([fa, fb]);
  }
  breaks.push([1, 1]);
  const fractions: [number, number][] = [];
  for (let k = 0; k + 1 < breaks.length; k++) {
    const [[fa, fb], [ga, gb]] = [breaks[k], breaks[k + 1]];
    const piece = ((ga - fa) * a.stretch.length + (gb - fb) * b.stretch.length) / 2;
    const steps = Math.max(1, Math.round(piece / spacing));
    for (let j = k === 0 ? 0 : 1; j <= steps; j++) {
      fractions.push([fa + ((ga - fa) * j) / steps, fb + ((gb - fb) * j) / steps]);
    }
  }
  return fractions.map(([fa, fb]) => [fa, same ? fb : 1 - fb]);
}

/** Fractions, within a stretch, of vertices that must be sampled. */
function breaksWithin(cut: Cut, { from, length }: Stretch): number[] {
  const whole = cut.arc[cut.arc.length - 1];
  return fixedArcs(cut)
    .map((arc) => ((arc - from + whole) % whole) / length)
    .filter((f) => f > SAME_ARC && f < 1 - SAME_ARC)
    .sort((f, g) => f - g);
}

/** Samples of the stretches that no seam holds, corner to corner in equal steps. */
function freeArcs(cut: Cut, sewn: readonly Stretch[], spacing: number): number[] {
  const whole = cut.arc[cut.arc.length - 1];
  const ends = sewn.flatMap(({ from, length }) => [from, (from + length) % whole]);
  const breaks = distinct([...fixedArcs(cut), ...ends], whole);
  const arcs: number[] = [];
  breaks.forEach((from, k) => {
    const length =
      breaks.length === 1 ? whole : (breaks[(k + 1) % breaks.length] - from + whole) % whole;
    const middle = (from + length / 2) % whole;
    if (sewn.some((stretch) => (middle - stretch.from + whole) % whole < stretch.length)) return;
    const steps = Math.max(breaks.length < 3 ? 3 : 1, Math.round(length / spacing));
    for (let j = 0; j <= steps; j++) arcs.push((from + (length * j) / steps) % whole);
  });
  return arcs;
}

/** Rising arc lengths without repeats: two that differ by rounding are one. */
function distinct(arcs: readonly number[], whole: number): number[] {
  const slack = SAME_ARC * whole;
  const rising = [...arcs].sort((a, b) => a - b);
  const kept: number[] = [];
  for (const arc of rising) {
    if (kept.length > 0 && arc - kept[kept.length - 1] < slack) continue;
    if (kept.length > 0 && kept[0] + whole - arc < slack) continue;
    kept.push(arc);
  }
  return kept;
}

function nearestArc(rim: readonly number[], arc: number, cut: Cut): number {
  const whole = cut.arc[cut.arc.length - 1];
  let [best, least] = [0, Infinity];
  rim.forEach((other, k) => {
    const gap = Math.abs(other - arc);
    const apart = Math.min(gap, whole - gap);
    if (apart < least) [best, least] = [k, apart];
  });
  return best;
}

/** The outer rim at the given arc lengths, then the holes; named as in the panel. */
function panelBoundary(cut: Cut, rim: readonly number[], spacing: number): SampledBoundary {
  const { panel, vertices, arc } = cut;
  const whole = arc[vertices.length];
  const outline = polygonOutline(panel.points, panel.holes);
  const holes = { loops: outline.loops.slice(1), area: 0 };
  const inner = sampleBoundary(holes, stepsAt(holes, spacing));
  const points: number[] = [];
  let k = 0;
  for (const s of rim) {
    while (k < vertices.length - 1 && arc[k + 1] <= s) k++;
    const [a, b] = [vertices[k], vertices[(k + 1) % vertices.length]];
    const f = (s - arc[k]) / (arc[k + 1] - arc[k]);
    points.push(a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]));
  }
  const outer = rim.map((_, i) => i);
  const later = (i: number): number => i + rim.length;
  const named: SampledBoundary["named"] = { edges: {}, corners: {} };
  for (const [name, { from, length, backwards }] of cut.edges) {
    const slack = SAME_ARC * whole;
    const on = outer
      .map((i) => ({ i, along: (rim[i] - from + slack + whole) % whole }))
      .filter(({ along }) => along <= length + 2 * slack)
      .sort((a, b) => a.along - b.along)
      .map(({ i }) => i);
    if (on.length === 0) on.push(nearestArc(rim, (from + length / 2) % whole, cut));
    named.edges[name] = backwards ? on.reverse() : on;
  }
  for (const [name, at] of cut.corners) named.corners[name] = nearestArc(rim, at, cut);
  for (const [name, list] of Object.entries(inner.named.edges)) named.edges[name] = list.map(later);
  for (const [name, i] of Object.entries(inner.named.corners)) named.corners[name] = later(i);
  const loops = [outer, ...inner.loops.map((loop) => loop.map(later))];
  named.edges.boundary = loops.flat();
  return { points: [...points, ...inner.points], loops, named };
}

/** All boundary points in groups of matched ones, in order of their first. */
export function grouped(
  boundaries: readonly SampledBoundary[],
  pairs: readonly Pair[],
): [number, number][][] {
  const first: number[] = [];
  let count = 0;
  for (const { points } of boundaries) {
    first.push(count);
    count += points.length / 2;
  }
  const parent = Array.from({ length: count }, (_, k) => k);
  const root = (k: number): number => {
    let r = k;
    while (parent[r] !== r) r = parent[r] = parent[parent[r]];
    return r;
  };
  for (const [[p, i], [q, j]] of pairs) {
    const [a, b] = [root(first[p] + i), root(first[q] + j)];
    parent[Math.max(a, b)] = Math.min(a, b);
  }
  const groups = new Map<number, [number, number][]>();
  boundaries.forEach(({ points }, p) => {
    for (let i = 0; i < points.length / 2; i++) {
      const r = root(first[p] + i);
      groups.set(r, [...(groups.get(r) ?? []), [p, i]]);
    }
  });
  return [...groups.values()];
}
