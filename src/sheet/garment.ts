/**
 * Garments: flat panels and seams become one sheet.
 *
 * The two edges of a seam get equally many points, matched by their fraction of arc length (so
 * edges of unequal length are eased), and corners on either side are matched by points on the
 * other. Matched points are then welded into one, which keeps its own coordinates in every triangle
 * (`corners`): charts unfold across the seam, around the end of a dart, and where several seams
 * meet. A dart is a seam between two edges of one panel.
 *
 * Panels are drawn flat with v up and stand upright in space: (u, v) is at (u, 0, v), facing −y,
 * before their placement; `wrap` bends them around the z axis, their middle towards −y.
 *
 * A seam that joins two edges in the same sense (both counter-clockwise) turns one panel's back
 * outwards. Such a panel is mirrored in the material, while its uv stay as drawn. Seams that would
 * make the garment one-sided are refused.
 *
 * The trap: at a corner that is sewn on both sides, the triangles of both panels cut it off between
 * the same two points, and that edge would have four triangles. Those edges are flipped before
 * welding.
 */
import { cos, sin } from "../linalg/elementary.ts";
import type { Panel, Sampling, Seam, Vec2, Vec3 } from "../scene/scene.ts";
import type { PartMesh } from "./kinematics.ts";
import { boundaryLoops, Faults, noSurface } from "./mesh-shape.ts";
import { distance, isCorner, polygonOutline, signedArea } from "./outline.ts";
import { next, squaredLength, twins } from "./plane.ts";
import { rotationMatrix } from "./pose.ts";
import type { Random } from "./random.ts";
import {
  dartsInside,
  type FlatSheet,
  fill,
  gridInside,
  KAPPA,
  type Lattice,
  type SampledBoundary,
  sampleBoundary,
  spacingFor,
  stepsAt,
} from "./sampling.ts";
import { SheetError } from "./sheet-error.ts";

/**
 * Sews panels into one part: welds them, or leaves them apart with the matched points in `seamPairs`, to be
 * pulled together over time.
 * @param sewing how long that takes, s; 0 welds; null welds edges that meet and pulls the others together
 */
export function garmentPart(
  {
    panels,
    seams,
    sewing = null,
  }: {
    panels: readonly Panel[];
    seams: readonly Seam[];
    sewing?: { seconds: number } | null;
  },
  sampling: Sampling,
  random: Random,
): PartMesh {
  const cuts = panelCuts(panels);
  const joints = seamJoints(cuts, seams);
  const flipped = sides(cuts, joints);
  const seconds = joints.length === 0 ? 0 : (sewing?.seconds ?? 0);
  const sampled = sampledPanels(cuts, joints, sampling, random, seconds === 0);
  if (seconds === 0 && (sewing !== null || edgesMeet(cuts, sampled)))
    return welded(cuts, sampled, flipped);
  const parted = seconds > 0 ? sampled : sampledPanels(cuts, joints, sampling, random, false);
  const part = apart(cuts, parted, flipped);
  part.sewing = seconds > 0 ? seconds : SEWING;
  part.seams = seams.map(({ from, to }) => [from, to]);
  return part;
}

/** s: what panels that start apart take to come together when the scene does not say. */
const SEWING = 0.5;
/** Edges meet that start no farther apart than this share of the spacing; a weld moves each side by half of it. */
const MEET = 0.5;

/** Are all sewn points near their partners as the panels are placed? */
function edgesMeet(cuts: readonly Cut[], { sheets, groups }: SampledPanels): boolean {
  const area = cuts.reduce((sum, cut) => sum + cut.area, 0);
  const count = sheets.reduce((sum, { uv }) => sum + uv.length / 2, 0);
  const near = MEET * Math.sqrt(area / count);
  const inSpace = sheets.map(({ uv }, k) => placement(cuts[k].panel, uv));
  return groups.every((members) => {
    const [first, ...others] = members.map(([p, k]) => {
      const i = sheets[p].named.edges.boundary[k];
      return inSpace[p](sheets[p].uv[2 * i], sheets[p].uv[2 * i + 1]);
    });
    return others.every((other) => lengthOf3(first, other) <= near);
  });
}

function lengthOf3(a: Vec3, b: Vec3): number {
  return Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);
}

/** Ruffles gather up to about 3 to 1; what is beyond this was meant for another edge. */
const MOST_EASE = 4;

/** A panel's outline with arc lengths, counter-clockwise. */
interface Cut {
  panel: Panel;
  vertices: Vec2[];
  /** [vertices + 1] m, arc length at each vertex; the last is the whole length. */
  arc: number[];
  holes: Vec2[][];
  area: number;
  /** Edge name → stretch of the outline. */
  edges: Map<string, Stretch>;
  corners: Map<string, number>;
}

/**
 * From arc length `from` on for `length`, m, counter-clockwise; `backwards` if it was named the
 * other way.
 */
interface Stretch {
  from: number;
  length: number;
  backwards: boolean;
}

/** One seam, resolved: two stretches and how far along each the matched breaks are. */
interface Joint {
  name: string;
  a: { cut: number; stretch: Stretch };
  b: { cut: number; stretch: Stretch };
  /** Do both run in the same sense, counter-clockwise with counter-clockwise? */
  same: boolean;
}

function panelCuts(panels: readonly Panel[]): Cut[] {
  const faults: string[] = [];
  const cuts = panels.map((panel, k): Cut | null => {
    if (panels.findIndex(({ name }) => name === panel.name) < k) {
      faults.push(`panel "${panel.name}": there are two of that name`);
    }
    try {
      polygonOutline(panel.points, panel.holes);
    } catch (error) {
      if (!(error instanceof SheetError)) throw error;
      for (const fault of error.faults) faults.push(`panel "${panel.name}", ${fault}`);
      return null;
    }
    return panelCut(panel, faults);
  });
  if (panels.length === 0) faults.push("a garment needs at least one panel");
  if (faults.length > 0) throw new SheetError("garment", faults);
  return cuts as Cut[];
}

function panelCut(panel: Panel, faults: string[]): Cut {
  const count = panel.points.length;
  const turned = signedArea(panel.points) < 0;
  const vertices = turned ? [...panel.points].reverse() : [...panel.points];
  const arc = [0];
  for (let k = 0; k < count; k++)
    arc.push(arc[k] + distance(vertices[k], vertices[(k + 1) % count]));
  const whole = arc[count];
  const at = (vertex: number): number => arc[turned ? count - 1 - vertex : vertex];
  const stretch = (first: number, last: number): Stretch => {
    const [from, to] = turned ? [at(last), at(first)] : [at(first), at(last)];
    return { from, length: to > from ? to - from : to - from + whole, backwards: turned };
  };
  const edges = new Map<string, Stretch>();
  const corners = new Map<string, number>();
  for (const [name, [first, last]] of Object.entries(panel.edges)) {
    const known = [first, last].every((k) => Number.isInteger(k) && k >= 0 && k < count);
    if (!known || first === last) {
      const needs = known ? "two different vertices" : `vertices 0 … ${count - 1}`;
      faults.push(`panel "${panel.name}", edge "${name}": got [${first}, ${last}], needs ${needs}`);
    } else edges.set(name, stretch(first, last));
  }
  for (let k = 0; k < count; k++) {
    if (!numbersItsEdges(panel)) edges.set(`e${k}`, stretch(k, (k + 1) % count));
    corners.set(`c${k}`, at(k));
  }
  const holes = panel.holes.map((hole) => [...hole]);
  const area = holes.reduce((sum, hole) => sum - Math.abs(signedArea(hole)), signedArea(vertices));
  return { panel, vertices, arc, holes, area, edges, corners };
}

function seamJoints(cuts: readonly Cut[], seams: readonly Seam[]): Joint[] {
  const faults: string[] = [];
  const joints: Joint[] = [];
  const sewn: { cut: number; stretch: Stretch; edge: string; seam: number }[] = [];
  seams.forEach((seam, s) => {
    const name = `seam ${s} (${seam.from} to ${seam.to})`;
    const ends = [seam.from, seam.to].map((edge) => {
      const colon = edge.indexOf(":");
      const panelName = edge.slice(0, Math.max(0, colon));
      const cut = cuts.findIndex(({ panel }) => panel.name === panelName);
      if (cut < 0) {
        const known = cuts.map(({ panel }) => `"${panel.name}"`).join(", ");
        faults.push(
          `${name}: "${edge}" names no panel; there are ${known}, and an edge is "panel:edge"`,
        );
        return null;
      }
      const stretch = cuts[cut].edges.get(edge.slice(colon + 1));
      if (stretch === undefined) {
        const which = `panel "${panelName}" has no edge "${edge.slice(colon + 1)}"`;
        faults.push(`${name}: ${which}; it has ${edgeNames(cuts[cut])}`);
        return null;
      }
      return { cut, stretch, edge, seam: s };
    });
    const [a, b] = ends;
    if (!a || !b) return;
    if (a.cut === b.cut && overlap(cuts[a.cut], a.stretch, b.stretch)) {
      faults.push(`${name}: sews panel "${cuts[a.cut].panel.name}" onto the same edge of itself`);
      return;
    }
    const [long, short] = a.stretch.length > b.stretch.length ? [a, b] : [b, a];
    if (long.stretch.length > MOST_EASE * short.stretch.length) {
      const lengths = [long, short].map(
        ({ edge, stretch }) => `${edge} is ${stretch.length.toPrecision(3)} m long`,
      );
      faults.push(`${name}: ${lengths.join(", ")}; more than ${MOST_EASE} to 1 is no seam`);
    }
    for (const end of [a, b]) {
      const twice = sewn.find(
        (other) => other.cut === end.cut && overlap(cuts[end.cut], other.stretch, end.stretch),
      );
      if (twice) {
        const both = twice.edge === end.edge ? "" : ` (as ${twice.edge})`;
        faults.push(`${name}: ${end.edge} is sewn already${both} by seam ${twice.seam}`);
      }
      sewn.push(end);
    }
    const same = (a.stretch.backwards === b.stretch.backwards) !== seam.reversed;
    joints.push({ name, a, b, same });
  });
  if (faults.length > 0) throw new SheetError("garment", faults);
  return joints;
}

/**
 * A panel may number its edges itself, as those of files do: there e3 is the fourth piece of the drawing, and counting the
 * vertices of its polyline from where those end would give a seam to a splinter of a curve.
 */
function numbersItsEdges({ edges }: Panel): boolean {
  return Object.keys(edges).some((name) => /^e\d+$/.test(name));
}

/** The named edges of a panel, and that its sides are numbered. */
function edgeNames({ panel, vertices }: Cut): string {
  const named = Object.keys(panel.edges).map((edge) => `"${edge}"`);
  if (!numbersItsEdges(panel)) named.push(`"e0" … "e${vertices.length - 1}"`);
  return named.join(", ");
}

/** Do two stretches of one outline share more than their ends? */
function overlap(cut: Cut, a: Stretch, b: Stretch): boolean {
  const whole = cut.arc[cut.arc.length - 1];
  const slack = 1e-9 * whole;
  const ahead = (from: number, to: number): number => (to - from + whole) % whole;
  const [ab, ba] = [ahead(a.from, b.from), ahead(b.from, a.from)];
  return ab < a.length - slack || ba < b.length - slack;
}

/** Which panels show their back: neighbours differ where a seam joins in the same sense. */
function sides(cuts: readonly Cut[], joints: readonly Joint[]): boolean[] {
  const flipped: (boolean | undefined)[] = cuts.map(() => undefined);
  const faults: string[] = [];
  for (let first = 0; first < cuts.length; first++) {
    if (flipped[first] !== undefined) continue;
    flipped[first] = false;
    for (const queue = [first]; queue.length > 0; ) {
      const at = queue.pop()!;
      for (const { a, b, same } of joints) {
        for (const [from, to] of [
          [a.cut, b.cut],
          [b.cut, a.cut],
        ]) {
          if (from !== at || flipped[to] !== undefined) continue;
          flipped[to] = flipped[at] !== same;
          queue.push(to);
        }
      }
    }
  }
  for (const { name, a, b, same } of joints) {
    if ((flipped[a.cut] !== flipped[b.cut]) === same) continue;
    const what = a.cut === b.cut ? "twists the panel" : "makes the garment one-sided";
    faults.push(`${name}: ${what}; turn its "reversed" around`);
  }
  if (faults.length > 0) throw new SheetError("garment", faults);
  return flipped as boolean[];
}

/**
 * The outline of a panel, sampled, and which of its points are matched with which of other panels.
 */
interface SampledPanels {
  sheets: FlatSheet[];
  /** Groups of [panel, point] that are one point of the garment. */
  groups: [number, number][][];
}

function sampledPanels(
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

  for (let attempt = 0; attempt < 40; attempt++) {
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
      spacing *= 1.03;
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
      spacing *= 0.98;
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

type Pair = [[number, number], [number, number]];

/**
 * Samples all outlines so that seams match point by point. Pairs are of [panel, boundary point].
 */
function sampledBoundaries(
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
  const near = (0.4 * spacing) / length;
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
    .filter((f) => f > 1e-9 && f < 1 - 1e-9)
    .sort((f, g) => f - g);
}

/** Arc lengths of corners and of the ends of named edges. */
function fixedArcs({ vertices, arc, panel, edges }: Cut): number[] {
  const count = vertices.length;
  const whole = arc[count];
  const fixed = new Set<number>();
  for (let k = 0; k < count; k++) {
    if (isCorner(vertices[(k + count - 1) % count], vertices[k], vertices[(k + 1) % count]))
      fixed.add(arc[k]);
  }
  for (const name of Object.keys(panel.edges)) {
    const { from, length } = edges.get(name)!;
    fixed.add(from);
    fixed.add((from + length) % whole);
  }
  if (fixed.size === 0) fixed.add(0);
  return [...fixed].sort((a, b) => a - b);
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
  const slack = 1e-9 * whole;
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
    const slack = 1e-9 * whole;
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
function grouped(
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

/** Puts the panels together; matched points become one, at the mean of their places. */
function welded(
  cuts: readonly Cut[],
  { sheets, groups }: SampledPanels,
  flipped: readonly boolean[],
): PartMesh {
  const place = numbered(sheets, groups, true);
  const part = together(cuts, sheets, place, flipped);
  const faults = new Faults();
  const names = new Map<number, string>();
  sheets.forEach((sheet, k) => {
    for (let i = 0; i < sheet.uv.length / 2; i++) {
      const at = `(${sheet.uv[2 * i].toPrecision(4)}, ${sheet.uv[2 * i + 1].toPrecision(4)})`;
      if (!names.has(place[k][i])) names.set(place[k][i], `panel "${cuts[k].panel.name}" ${at}`);
    }
  });
  const { triangles } = part;
  for (let k = 0; k < triangles.length; k++) {
    if (triangles[k] === triangles[next(k)]) {
      faults.add(
        "narrow",
        `${names.get(triangles[k])}: both sides of a triangle are sewn together`,
      );
    }
  }
  noSurface(part.rest.length / 3, triangles, faults, (i) => names.get(i)!);
  try {
    faults.refuse("garment");
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    throw new SheetError("garment", [
      "the seams do not close into a surface: sample more finely, or look at the seams here",
      ...error.faults,
    ]);
  }
  part.named.edges.boundary = boundaryLoops({ n: part.rest.length / 3, triangles }).flat();
  return part;
}

/** Leaves the panels apart and lists the matched points. What could not be welded is refused here too. */
function apart(
  cuts: readonly Cut[],
  sampled: SampledPanels,
  flipped: readonly boolean[],
): PartMesh {
  welded(cuts, sampled, flipped);
  const { sheets, groups } = sampled;
  const place = numbered(sheets, groups, false);
  const part = together(cuts, sheets, place, flipped);
  const pairs: number[] = [];
  for (const [first, ...others] of groups) {
    const own = ([panel, k]: [number, number]): number =>
      place[panel][sheets[panel].named.edges.boundary[k]];
    for (const other of others) pairs.push(own(first), own(other));
  }
  part.seamPairs = Int32Array.from(pairs);
  part.named.edges.boundary = sheets.flatMap((sheet, k) =>
    sheet.named.edges.boundary.map((i) => place[k][i]),
  );
  return part;
}

/**
 * Number in the garment of each point of each panel: panel by panel, matched points where they come
 * first.
 */
function numbered(
  sheets: readonly FlatSheet[],
  groups: readonly [number, number][][],
  weld: boolean,
): Int32Array[] {
  const place = sheets.map((sheet) => new Int32Array(sheet.uv.length / 2).fill(-1));
  const group = new Map<string, readonly [number, number][]>();
  for (const members of groups) {
    for (const [panel, k] of members) {
      group.set(`${panel} ${sheets[panel].named.edges.boundary[k]}`, members);
    }
  }
  let count = 0;
  place.forEach((own, panel) => {
    for (let i = 0; i < own.length; i++) {
      if (own[i] >= 0) continue;
      own[i] = count;
      if (weld) {
        for (const [other, k] of group.get(`${panel} ${i}`) ?? []) {
          place[other][sheets[other].named.edges.boundary[k]] = count;
        }
      }
      count++;
    }
  });
  return place;
}

function together(
  cuts: readonly Cut[],
  sheets: readonly FlatSheet[],
  place: readonly Int32Array[],
  flipped: readonly boolean[],
): PartMesh {
  const n = place.reduce((most, own) => own.reduce((a, b) => Math.max(a, b + 1), most), 0);
  const rest = new Float64Array(3 * n);
  const uv = new Float64Array(2 * n);
  const copies = new Int32Array(n);
  const triangles: number[] = [];
  const corners: number[] = [];
  const named: PartMesh["named"] = { edges: {}, corners: {} };
  sheets.forEach((sheet, p) => {
    const { panel } = cuts[p];
    const inSpace = placement(panel, sheet.uv);
    for (let i = 0; i < sheet.uv.length / 2; i++) {
      const to = place[p][i];
      const [u, v] = [sheet.uv[2 * i], sheet.uv[2 * i + 1]];
      inSpace(u, v).forEach((x, c) => {
        rest[3 * to + c] += x;
      });
      if (copies[to]++ === 0) uv.set([u, v], 2 * to);
    }
    for (let t = 0; t < sheet.triangles.length / 3; t++) {
      // A panel with its back outwards is mirrored: −u, and around each triangle the other way.
      for (const k of flipped[p] ? [3 * t, 3 * t + 2, 3 * t + 1] : [3 * t, 3 * t + 1, 3 * t + 2]) {
        triangles.push(place[p][sheet.triangles[k]]);
        corners.push(
          flipped[p] ? -sheet.corners[2 * k] : sheet.corners[2 * k],
          sheet.corners[2 * k + 1],
        );
      }
    }
    for (const [name, points] of Object.entries(sheet.named.edges)) {
      named.edges[`${panel.name}:${name}`] = points.map((i) => place[p][i]);
    }
    for (const [name, i] of Object.entries(sheet.named.corners)) {
      named.corners[`${panel.name}:${name}`] = place[p][i];
    }
  });
  for (let i = 0; i < n; i++) for (let c = 0; c < 3; c++) rest[3 * i + c] /= copies[i];
  return {
    rest,
    uv,
    triangles: Int32Array.from(triangles),
    corners: Float64Array.from(corners),
    named,
  };
}

/**
 * From a panel's plane to space: upright, wrapped around the z axis if asked, then rotated and
 * moved.
 */
function placement({ place }: Panel, uv: Float64Array): (u: number, v: number) => Vec3 {
  const R = rotationMatrix(place.rotation);
  const [px, py, pz] = place.position;
  let [minU, maxU] = [Infinity, -Infinity];
  for (let i = 0; i < uv.length; i += 2)
    [minU, maxU] = [Math.min(minU, uv[i]), Math.max(maxU, uv[i])];
  const middle = (minU + maxU) / 2;
  const { wrap } = place;
  return (u, v) => {
    const [x, y, z] =
      wrap === null
        ? [u, 0, v]
        : [wrap * sin((u - middle) / wrap), -wrap * cos((u - middle) / wrap), v];
    return [
      R[0] * x + R[1] * y + R[2] * z + px,
      R[3] * x + R[4] * y + R[5] * z + py,
      R[6] * x + R[7] * y + R[8] * z + pz,
    ];
  };
}
