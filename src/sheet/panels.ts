/**
 * Panels of a garment and the edges that seams name: outlines with arc lengths, counter-clockwise.
 */
import type { Panel, Vec2 } from "../scene/scene.ts";
import { distance, isCorner, polygonOutline, signedArea } from "./outline.ts";
import { SheetError } from "./sheet-error.ts";

/** A panel's outline with arc lengths, counter-clockwise. */
export interface Cut {
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
export interface Stretch {
  from: number;
  length: number;
  backwards: boolean;
}

export function panelCuts(panels: readonly Panel[]): Cut[] {
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

/**
 * A panel may number its edges itself, as those of files do: there e3 is the fourth piece of the drawing, and counting the
 * vertices of its polyline from where those end would sew a short segment of a curve instead of the edge.
 */
function numbersItsEdges({ edges }: Panel): boolean {
  return Object.keys(edges).some((name) => /^e\d+$/.test(name));
}

/** The named edges of a panel, and that its sides are numbered. */
export function edgeNames({ panel, vertices }: Cut): string {
  const named = Object.keys(panel.edges).map((edge) => `"${edge}"`);
  if (!numbersItsEdges(panel)) named.push(`"e0" … "e${vertices.length - 1}"`);
  return named.join(", ");
}

/** Share of an outline's length by which equal arc lengths may differ, from rounding. */
export const SAME_ARC = 1e-9;

/** Do two stretches of one outline share more than their ends? */
export function overlap(cut: Cut, a: Stretch, b: Stretch): boolean {
  const whole = cut.arc[cut.arc.length - 1];
  const slack = SAME_ARC * whole;
  const ahead = (from: number, to: number): number => (to - from + whole) % whole;
  const [ab, ba] = [ahead(a.from, b.from), ahead(b.from, a.from)];
  return ab < a.length - slack || ba < b.length - slack;
}

/** Arc lengths of corners and of the ends of named edges. */
export function fixedArcs({ vertices, arc, panel, edges }: Cut): number[] {
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
