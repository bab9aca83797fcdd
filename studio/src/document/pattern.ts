/** Sewing patterns as the flat view shows them: panels side by side, their edges with lengths, and what is said of seams. */
import type { AngleInput, PanelInput, SeamInput, Vec2, Vec3 } from "../../../src/index.ts";
import { type GarmentInput, rounded } from "./edits.ts";

export interface FlatEdge {
  /** "panel:edge", as seams say it. */
  readonly id: string;
  readonly name: string;
  /** In the coordinates of the drawing, v down. */
  readonly points: readonly Vec2[];
  /** m */
  readonly length: number;
}

export interface FlatPanel {
  readonly name: string;
  readonly outline: readonly Vec2[];
  readonly holes: readonly (readonly Vec2[])[];
  readonly edges: readonly FlatEdge[];
  readonly middle: Vec2;
  /** m, half the length of the arrow that shows its grain. */
  readonly reach: number;
  /** Degrees from upright, counter-clockwise, −90 … 90. */
  readonly grain: number;
}

export interface FlatPattern {
  readonly panels: readonly FlatPanel[];
  readonly width: number;
  readonly height: number;
}

/** Share of the widest panel that is left free between panels. */
const GAP = 0.12;

/** All panels of a garment in a row, from the upper left. */
export function flatPattern({ panels = [] }: GarmentInput): FlatPattern {
  const boxes = panels.map(({ points }) => box(points));
  const widest = Math.max(0.01, ...boxes.map(({ min, max }) => max[0] - min[0]));
  const height = Math.max(0.01, ...boxes.map(({ min, max }) => max[1] - min[1]));
  let left = 0;
  const flat = panels.map((panel, k) => {
    const { min, max } = boxes[k];
    const at = left;
    left += max[0] - min[0] + GAP * widest;
    return flatPanel(panel, ([u, v]) => [u - min[0] + at, max[1] - v]);
  });
  return { panels: flat, width: Math.max(0.01, left - GAP * widest), height };
}

/**
 * The pattern drawn with its longer side that many units long; lengths of edges stay in m. Browsers cannot letter drawings
 * whose units are metres: a font of 0.03 units may come out as large as the drawing.
 */
export function drawnPattern({ panels, width, height }: FlatPattern, size: number): FlatPattern {
  const scale = size / Math.max(width, height);
  const scaled = ([x, y]: Vec2): Vec2 => [scale * x, scale * y];
  return {
    panels: panels.map((panel) => ({
      ...panel,
      outline: panel.outline.map(scaled),
      holes: panel.holes.map((hole) => hole.map(scaled)),
      edges: panel.edges.map((edge) => ({ ...edge, points: edge.points.map(scaled) })),
      middle: scaled(panel.middle),
      reach: scale * panel.reach,
    })),
    width: scale * width,
    height: scale * height,
  };
}

function flatPanel(panel: PanelInput, draw: (place: Vec2) => Vec2): FlatPanel {
  const { name, points, holes = [] } = panel;
  const outline = points.map(draw);
  const edges = Object.entries(edgesOf(panel)).map(([edge, [first, last]]): FlatEdge => {
    const stretch: Vec2[] = [outline[first]];
    for (let k = first; k !== last; ) {
      k = (k + 1) % points.length;
      stretch.push(outline[k]);
    }
    return { id: `${name}:${edge}`, name: edge, points: stretch, length: lengthOf(stretch) };
  });
  const { min, max } = box(outline);
  return {
    name,
    outline,
    holes: holes.map((hole) => hole.map(draw)),
    edges,
    middle: [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2],
    reach: 0.26 * Math.min(max[0] - min[0], max[1] - min[1]),
    grain: grainOf(panel),
  };
}

/** The named edges of a panel; without names, one from each point to the next. */
function edgesOf({ points, edges }: PanelInput): Record<string, Vec2> {
  if (edges !== undefined && Object.keys(edges).length > 0) return edges;
  return Object.fromEntries(
    points.map((_, k): [string, Vec2] => [`e${k}`, [k, (k + 1) % points.length]]),
  );
}

/** A line has two ends and no head: between −90°, which is not in it, and 90°, to a hundredth. */
function halfTurn(degrees: number): number {
  const turned = degrees - 180 * Math.ceil((degrees - 90) / 180);
  return Math.round(100 * turned) / 100 + 0;
}

/** Degrees from upright of a panel's grain, counter-clockwise. */
export function grainOf({ grain = 0 }: { grain?: AngleInput | null }): number {
  return halfTurn(typeof grain === "object" ? ((grain?.radians ?? 0) * 180) / Math.PI : grain);
}

/** Degrees of the grain from a place of the drawing, v down, to another; whole steps. */
export function grainAt([x0, y0]: Vec2, [x1, y1]: Vec2, step: number): number {
  const degrees = (Math.atan2(x0 - x1, y0 - y1) * 180) / Math.PI;
  return halfTurn(step * Math.round(degrees / step));
}

/** The panel with its grain so; along the drawing's upright if it is 0. */
export function withGrain(panel: PanelInput, degrees: number): PanelInput {
  const { grain: _, ...straight } = panel;
  const grain = halfTurn(degrees);
  return grain === 0 ? straight : { ...straight, grain };
}

/** What is said of a seam: the lengths that it joins, and whether its ends cross. */
export interface SeamCheck {
  readonly from: FlatEdge | null;
  readonly to: FlatEdge | null;
  /** Difference of the lengths over the longer one, 1. */
  readonly ease: number;
  /** Joined start to start: one panel is turned inside out. */
  readonly crossed: boolean;
}

export function checkSeam(pattern: FlatPattern, seam: SeamInput): SeamCheck {
  const all = pattern.panels.flatMap(({ edges }) => edges);
  const from = all.find(({ id }) => id === seam.from) ?? null;
  const to = all.find(({ id }) => id === seam.to) ?? null;
  const lengths = [from?.length ?? 0, to?.length ?? 0];
  const longer = Math.max(...lengths);
  return {
    from,
    to,
    ease: longer > 0 ? Math.abs(lengths[0] - lengths[1]) / longer : 0,
    // outlines run counter-clockwise: two edges that face each other run against each other
    crossed: seam.reversed !== true,
  };
}

/** Where panels are put around a body: turn about z in degrees. */
export const ARRANGEMENT = [
  { name: "front", turn: 0 },
  { name: "right", turn: 90 },
  { name: "back", turn: 180 },
  { name: "left", turn: -90 },
] as const;
export type Side = (typeof ARRANGEMENT)[number]["name"];

/**
 * Puts a panel at a side of an upright axis through (x, y), bowed around it if it is wider than a quarter of the way
 * around, flat otherwise.
 * @param radius m, from the axis
 */
export function arranged(panel: PanelInput, side: Side, axis: Vec2, radius: number): PanelInput {
  const turn = ARRANGEMENT.find(({ name }) => name === side)?.turn ?? 0;
  const { min, max } = box(panel.points);
  const wide = max[0] - min[0] > (Math.PI / 2) * radius;
  const height = panel.place?.position?.[2] ?? 0;
  const a = (turn * Math.PI) / 180;
  // a flat panel faces −y in front of the axis; a bowed one is bent around the axis itself
  const middle = (min[0] + max[0]) / 2;
  const place: Vec3 = wide
    ? [axis[0], axis[1], height]
    : [
        axis[0] + radius * Math.sin(a) - middle * Math.cos(a),
        axis[1] - radius * Math.cos(a) - middle * Math.sin(a),
        height,
      ];
  const position = place.map(rounded) as Vec3;
  return {
    ...panel,
    place: { position, rotation: [0, 0, turn], wrap: wide ? rounded(radius) : null },
  };
}

/** A first guess of where the panels of a file belong: those named back or behind, or every second one, behind. */
export function guessedPlaces(panels: readonly PanelInput[]): PanelInput[] {
  const widest = Math.max(...panels.map(({ points }) => width(points)));
  const radius = rounded(widest / Math.PI);
  const side = ({ name }: PanelInput, k: number): Side => {
    if (/back|rear|behind|dos|rück/i.test(name)) return "back";
    if (/front|fore|devant|vorder/i.test(name)) return "front";
    if (/right|rechts|droit/i.test(name)) return "right";
    if (/left|links|gauche/i.test(name)) return "left";
    return k % 2 === 0 ? "front" : "back";
  };
  const count: Partial<Record<Side, number>> = {};
  return panels.map((panel, k) => {
    const at = side(panel, k);
    const before = count[at] ?? 0;
    count[at] = before + 1;
    // several panels on one side start one behind the other, so that none starts inside another
    return arranged(panel, at, [0, 0], radius * (1 + 0.25 * before));
  });
}

function width(points: readonly Vec2[]): number {
  const { min, max } = box(points);
  return max[0] - min[0];
}

function box(points: readonly Vec2[]): { min: Vec2; max: Vec2 } {
  const min: Vec2 = [Infinity, Infinity];
  const max: Vec2 = [-Infinity, -Infinity];
  for (const p of points)
    for (const c of [0, 1]) {
      min[c] = Math.min(min[c], p[c]);
      max[c] = Math.max(max[c], p[c]);
    }
  return { min, max };
}

function lengthOf(points: readonly Vec2[]): number {
  let length = 0;
  for (let k = 1; k < points.length; k++)
    length += Math.hypot(points[k][0] - points[k - 1][0], points[k][1] - points[k - 1][1]);
  return length;
}
