/**
 * Sewing patterns: what SVG, DXF and GarmentCode files have in common once their curves are polylines.
 *
 * An outline is a ring of strokes, each a line or a curve; the ends of strokes are corners, and the
 * edges between them are named e0, e1, … in the order drawn, so that seams can say "front:e2" and mean the
 * whole curve. Panels are in metres, v up, counter-clockwise, about the middle of their box, and
 * placed where they were drawn.
 */
import { atan2, cos, sin } from "../linalg/elementary.ts";
import type { Panel, Seam, Vec2 } from "../scene/scene.ts";
import { FileError, quoted } from "./file-error.ts";

export interface Pattern {
  readonly panels: Panel[];
  readonly seams: Seam[];
}

/** Points from start to end, both included, m. */
export type Stroke = Vec2[];

/** Ends nearer than this are one point, m: a tenth of a line's width on paper. */
export const JOIN = 5e-5;
/** Polylines stay this near to their curve, m. */
const CHORD = 1e-4;
/** … and turn by no more than this at a point, so that a corner is told from a curve. */
const BEND = Math.PI / 18;
const MOST_STEPS = 256;
/** More points than a garment could use: an outline of a million would take an hour. */
export const MOST_OUTLINE_POINTS = 200_000;

/** [a b c d e f]: x ↦ a x + c y + e, y ↦ b x + d y + f, from a drawing's units to metres. Curves are moved, then flattened. */
export type Affine = readonly [number, number, number, number, number, number];

export function moved(M: Affine, [x, y]: Vec2): Vec2 {
  return [M[0] * x + M[2] * y + M[4], M[1] * x + M[3] * y + M[5]];
}

/** First B, then A. */
export function composed(A: Affine, B: Affine): Affine {
  return [
    A[0] * B[0] + A[2] * B[1],
    A[1] * B[0] + A[3] * B[1],
    A[0] * B[2] + A[2] * B[3],
    A[1] * B[2] + A[3] * B[3],
    A[0] * B[4] + A[2] * B[5] + A[4],
    A[1] * B[4] + A[3] * B[5] + A[5],
  ];
}

/** An arc of an ellipse with half axes p and q, moved by M. */
export function movedArc(
  M: Affine,
  centre: Vec2,
  p: Vec2,
  q: Vec2,
  t0: number,
  t1: number,
): Stroke {
  const turned = ([x, y]: Vec2): Vec2 => [M[0] * x + M[2] * y, M[1] * x + M[3] * y];
  return ellipticArc(moved(M, centre), turned(p), turned(q), t0, t1);
}

/** A cubic Bézier as points; b and c are the controls. */
export function cubic(a: Vec2, b: Vec2, c: Vec2, d: Vec2): Stroke {
  // the second difference bounds the distance from the chord, the turn of the controls the bend
  const dx = Math.max(Math.abs(a[0] - 2 * b[0] + c[0]), Math.abs(b[0] - 2 * c[0] + d[0]));
  const dy = Math.max(Math.abs(a[1] - 2 * b[1] + c[1]), Math.abs(b[1] - 2 * c[1] + d[1]));
  const turn = angle(a, b, b, c) + angle(b, c, c, d) + angle(a, b, c, d);
  const steps = stepCount(Math.sqrt((0.75 * norm([dx, dy])) / CHORD), turn);
  const points: Stroke = [];
  for (let k = 0; k <= steps; k++) {
    const t = k / steps;
    const s = 1 - t;
    const [wa, wb, wc, wd] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    points.push([
      wa * a[0] + wb * b[0] + wc * c[0] + wd * d[0],
      wa * a[1] + wb * b[1] + wc * c[1] + wd * d[1],
    ]);
  }
  points[0] = a;
  points[steps] = d;
  return points;
}

/** A quadratic Bézier, as the cubic that it is. */
export function quadratic(a: Vec2, b: Vec2, c: Vec2): Stroke {
  const to = (p: Vec2, q: Vec2): Vec2 => [
    p[0] + (2 / 3) * (q[0] - p[0]),
    p[1] + (2 / 3) * (q[1] - p[1]),
  ];
  return cubic(a, to(a, b), to(c, b), c);
}

/** An arc of an ellipse with half axes p and q (vectors) from parameter t0 to t1, rad. */
function ellipticArc(centre: Vec2, p: Vec2, q: Vec2, t0: number, t1: number): Stroke {
  const radius = Math.max(norm(p), norm(q));
  const sweep = Math.abs(t1 - t0);
  const steps = stepCount(sweep / (2 * Math.sqrt((2 * CHORD) / Math.max(radius, CHORD))), sweep);
  return Array.from({ length: steps + 1 }, (_, k): Vec2 => {
    const t = t0 + ((t1 - t0) * k) / steps;
    return [centre[0] + p[0] * cos(t) + q[0] * sin(t), centre[1] + p[1] * cos(t) + q[1] * sin(t)];
  });
}

/** A circular arc from a to b to one side, as SVG names arcs; `sweep` is counter-clockwise with v up. */
export function circularArc(
  a: Vec2,
  b: Vec2,
  radius: number,
  large: boolean,
  sweep: boolean,
): Stroke {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const chord = norm([dx, dy]);
  if (!(chord > 0)) return [a, b];
  const r = Math.max(radius, chord / 2); // too small a radius grows until it reaches, as in SVG
  const height = Math.sqrt(Math.max(0, r * r - (chord * chord) / 4));
  const side = large === sweep ? -1 : 1;
  const centre: Vec2 = [
    (a[0] + b[0]) / 2 - (side * height * dy) / chord,
    (a[1] + b[1]) / 2 + (side * height * dx) / chord,
  ];
  const t0 = atan2(a[1] - centre[1], a[0] - centre[0]);
  let t1 = atan2(b[1] - centre[1], b[0] - centre[0]);
  if (sweep && t1 <= t0) t1 += 2 * Math.PI;
  if (!sweep && t1 >= t0) t1 -= 2 * Math.PI;
  const points = ellipticArc(centre, [r, 0], [0, r], t0, t1);
  points[0] = a;
  points[points.length - 1] = b;
  return points;
}

function stepCount(byChord: number, turn: number): number {
  const steps = Math.ceil(Math.max(1, byChord, turn / BEND));
  return Math.min(steps, MOST_STEPS);
}

/** The angle between b − a and d − c, rad; 0 if one has no length. */
function angle(a: Vec2, b: Vec2, c: Vec2, d: Vec2): number {
  const [ux, uy, vx, vy] = [b[0] - a[0], b[1] - a[1], d[0] - c[0], d[1] - c[1]];
  if (norm([ux, uy]) === 0 || norm([vx, vy]) === 0) return 0;
  return Math.abs(atan2(ux * vy - uy * vx, ux * vx + uy * vy));
}

/** A closed ring of strokes. */
export interface Ring {
  readonly points: Vec2[];
  /** Where in `points` each stroke starts. */
  readonly corners: number[];
  /** m², positive counter-clockwise. */
  readonly area: number;
}

/**
 * Strokes that follow each other, as a ring; strokes without length vanish.
 * @param name of the panel, for the message when the ring is open
 */
function ring(format: string, name: string, strokes: readonly Stroke[]): Ring {
  const points: Vec2[] = [];
  const corners: number[] = [];
  for (const stroke of strokes) {
    const before = points.length;
    for (const [x, y] of stroke) {
      if (!(Math.abs(x) < 1e4 && Math.abs(y) < 1e4))
        throw new FileError(
          format,
          `panel ${quoted(name)}`,
          `a point at ${x}, ${y} m`,
          "needs less than 10 km; is the unit right?",
        );
      const last = points.at(-1);
      if (last === undefined || !near(last, [x, y])) points.push([x, y]);
    }
    // it starts where the stroke before it ended; the first brings its own start
    const start = Math.max(0, before - 1);
    if (points.length > start + 1) corners.push(start);
  }
  if (points.length > MOST_OUTLINE_POINTS)
    throw new FileError(
      format,
      `panel ${quoted(name)}`,
      `${points.length} points`,
      `an outline may have ${MOST_OUTLINE_POINTS}`,
    );
  if (points.length > 1 && near(points[0], points[points.length - 1])) points.pop();
  else if (points.length > 1) {
    const [a, b] = [points[0], points[points.length - 1]];
    throw new FileError(
      format,
      `panel ${quoted(name)}`,
      `its outline is open: it starts at ${millimetres(a)} and ends at ${millimetres(b)}, ${(1000 * norm([b[0] - a[0], b[1] - a[1]])).toFixed(2)} mm away`,
      "close it",
    );
  }
  const area = signedArea(points);
  if (points.length < 3 || !(Math.abs(area) > 1e-8))
    throw new FileError(
      format,
      `panel ${quoted(name)}`,
      `its outline encloses ${Math.abs(1e6 * area).toFixed(2)} mm²`,
      "needs an area",
    );
  return { points, corners: corners.length > 0 ? corners : [0], area };
}

/** The ring of strokes that close, or why they make none: "is open: …", "encloses nothing". */
export function ringOrReason(
  format: string,
  name: string,
  strokes: readonly Stroke[],
): Ring | string {
  const [first, last] = [strokes[0]?.[0], strokes.at(-1)?.at(-1)];
  if (first === undefined || last === undefined) return "is empty";
  if (!near(first, last)) {
    const gap = norm([last[0] - first[0], last[1] - first[1]]);
    return `is open: it starts at ${millimetres(first)} and ends at ${millimetres(last)}, ${(1000 * gap).toFixed(2)} mm away`;
  }
  const area = signedArea(strokes.flat());
  if (!(Math.abs(area) > 1e-8) && Number.isFinite(area)) return "encloses nothing";
  return ring(format, name, strokes);
}

/** Lines for people: the first twenty, and how many more. */
export function shortList(lines: readonly string[]): string[] {
  const most = 20;
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `… and ${lines.length - most} more were left out`];
}

export interface NamedRing {
  /** As drawn; "" if it has none. */
  readonly name: string;
  /** Number of the shape that it is part of. */
  readonly shape: number;
  readonly ring: Ring;
}

/** Panels of all outlines of a drawing: those inside others are their holes, which is reported if they are shapes of their own. */
export function panelsOf(
  format: string,
  outlines: readonly NamedRing[],
  onNote: (note: string) => void,
  cornersOf: (ring: Ring) => Ring = (ring) => ring,
): Panel[] {
  const drawn = new Map(outlines.map((one) => [one.ring, one]));
  const used = new Set<string>();
  return nested(
    format,
    outlines.map(({ ring }) => ring),
  ).map(({ outline, holes }, k) => {
    const { shape, name: wanted } = drawn.get(outline)!;
    const name = panelName(wanted || `panel-${k + 1}`, used);
    for (const hole of holes) {
      const own = drawn.get(hole)!;
      if (own.shape === shape) continue;
      const what = own.name === "" ? "an outline" : `"${own.name.slice(0, 60)}"`;
      onNote(`${what} lies within "${name}": taken as a hole of it`);
    }
    return panelOf(name, cornersOf(outline), holes);
  });
}

/** Corners found by angle instead, for drawings whose curves are many short lines. */
export function ringByAngle(given: Ring, least: number = Math.PI / 7.2): Ring {
  const { points } = given;
  const n = points.length;
  const corners: number[] = [];
  for (let k = 0; k < n; k++)
    if (angle(points[(k + n - 1) % n], points[k], points[k], points[(k + 1) % n]) > least)
      corners.push(k);
  return { ...given, corners: corners.length > 0 ? corners : [0] };
}

/** A panel of an outline and its holes. Rings with fewer than two corners are cut into quarters or halves. */
export function panelOf(name: string, outline: Ring, holes: readonly Ring[] = []): Panel {
  const turned = outline.area < 0;
  const n = outline.points.length;
  const points = turned ? [...outline.points].reverse() : [...outline.points];
  let corners = outline.corners;
  if (corners.length === 1) {
    const parts = n >= 4 ? 4 : 2;
    corners = Array.from(
      { length: parts },
      (_, k) => (corners[0] + Math.floor((k * n) / parts)) % n,
    );
  }
  const edges: Panel["edges"] = {};
  for (let k = 0; k < corners.length; k++) {
    const [first, last] = [corners[k], corners[(k + 1) % corners.length]];
    edges[`e${k}`] = turned ? [n - 1 - last, n - 1 - first] : [first, last];
  }
  const [u0, v0] = middle(points);
  const centred = ([u, v]: Vec2): Vec2 => [u - u0, v - v0];
  return {
    name,
    points: points.map(centred),
    edges,
    holes: holes.map((hole) =>
      (hole.area > 0 ? hole.points : [...hole.points].reverse()).map(centred),
    ),
    // panels stand upright: v is z (sheet/garment.ts)
    place: { position: [u0, 0, v0], rotation: [0, 0, 0], wrap: null },
  };
}

/** A grain line as drawn: its ends, m. */
export interface GrainLine {
  readonly name: string;
  readonly ends: readonly [Vec2, Vec2];
}

/** What drawings call grain lines. */
export const GRAIN: RegExp = /grain|fadenlauf|droit.?fil/i;

/** The straight line along strokes, arrow heads or not: from the point farthest from the first to the one farthest from it. */
export function grainLine(name: string, strokes: readonly Stroke[]): GrainLine | null {
  const points = strokes.flat();
  if (points.length < 2) return null;
  const far = ([x, y]: Vec2): Vec2 =>
    points.reduce((best, p) =>
      norm([p[0] - x, p[1] - y]) > norm([best[0] - x, best[1] - y]) ? p : best,
    );
  const end = far(points[0]);
  const start = far(end);
  return near(start, end) ? null : { name, ends: [start, end] };
}

/**
 * Panels with the grain of the lines whose middles lie within them; the longest counts. A line has no arrow for us: its
 * angle is −90° … 90° from v.
 * @param onNote called with a sentence about each, taken or not
 */
export function withGrain(
  panels: readonly Panel[],
  lines: readonly GrainLine[],
  onNote: (note: string) => void,
): Panel[] {
  const longest = new Map<Panel, number>();
  const grain = new Map<Panel, number>();
  for (const { name, ends } of lines) {
    const [[ax, ay], [bx, by]] = ends;
    const panel = panels.find(({ points, place: { position } }) =>
      inside([(ax + bx) / 2 - position[0], (ay + by) / 2 - position[2]], points),
    );
    if (panel === undefined) {
      onNote(`${name}: a grain line that lies in no panel: left out`);
      continue;
    }
    const length = norm([bx - ax, by - ay]);
    if (length <= (longest.get(panel) ?? 0)) continue;
    longest.set(panel, length);
    const up = by > ay || (by === ay && bx < ax) ? 1 : -1;
    grain.set(panel, atan2(up * (ax - bx), up * (by - ay)));
  }
  return panels.map((panel) => {
    const angle = grain.get(panel);
    if (angle === undefined) return panel;
    onNote(
      `panel ${quoted(panel.name)}: grain ${((angle * 180) / Math.PI).toFixed(1)}° from upright`,
    );
    return { ...panel, grain: angle };
  });
}

/** Rings inside an odd number of others are holes of the smallest around them. */
export function nested(format: string, rings: readonly Ring[]): { outline: Ring; holes: Ring[] }[] {
  if (rings.length > 1000)
    throw new FileError(format, "drawing", `${rings.length} outlines`, "a pattern may have 1000");
  const sorted = [...rings].sort((a, b) => Math.abs(b.area) - Math.abs(a.area));
  const depth: number[] = [];
  const groups: ({ outline: Ring; holes: Ring[] } | null)[] = [];
  sorted.forEach((own, k) => {
    let parent = -1;
    for (let j = k - 1; j >= 0 && parent < 0; j--)
      if (liesWithin(own.points, sorted[j].points)) parent = j;
    depth[k] = parent < 0 ? 0 : depth[parent] + 1;
    groups[k] = depth[k] % 2 === 0 ? { outline: own, holes: [] } : null;
    if (depth[k] % 2 === 1) groups[parent]!.holes.push(own);
  });
  const order = new Map(rings.map((one, k) => [one, k]));
  return groups
    .filter((group) => group !== null)
    .sort((a, b) => order.get(a.outline)! - order.get(b.outline)!);
}

/** Distinct names: a second "front" becomes "front-2". Colons separate panel and edge, so they are removed. */
export function panelName(wanted: string, used: Set<string>): string {
  const plain =
    wanted
      .trim()
      .replace(/[:\s]+/g, "-")
      .slice(0, 80) || "panel";
  let name = plain;
  for (let k = 2; used.has(name); k++) name = `${plain}-${k}`;
  used.add(name);
  return name;
}

/** Not Math.hypot, whose last bits are the engine's. */
export function norm(v: readonly number[]): number {
  let sum = 0;
  for (const x of v) sum += x * x;
  return Math.sqrt(sum);
}

export function near(a: Vec2, b: Vec2): boolean {
  return Math.abs(a[0] - b[0]) <= JOIN && Math.abs(a[1] - b[1]) <= JOIN;
}

function millimetres([x, y]: Vec2): string {
  return `(${(1000 * x).toFixed(1)}, ${(1000 * y).toFixed(1)}) mm`;
}

function signedArea(points: readonly Vec2[]): number {
  let twice = 0;
  for (let k = 0; k < points.length; k++) {
    const [a, b] = [points[k], points[(k + 1) % points.length]];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return twice / 2;
}

function middle(points: readonly Vec2[]): Vec2 {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    x0 = Math.min(x0, x);
    x1 = Math.max(x1, x);
    y0 = Math.min(y0, y);
    y1 = Math.max(y1, y);
  }
  return [(x0 + x1) / 2, (y0 + y1) / 2];
}

/** Whether a ring lies within another, judged by up to 16 of its points: one that laps over the edge is no hole. */
function liesWithin(points: readonly Vec2[], outer: readonly Vec2[]): boolean {
  const step = Math.max(1, Math.floor(points.length / 16));
  for (let k = 0; k < points.length; k += step) if (!inside(points[k], outer)) return false;
  return true;
}

function inside([x, y]: Vec2, points: readonly Vec2[]): boolean {
  let odd = false;
  for (let k = 0; k < points.length; k++) {
    const [a, b] = [points[k], points[(k + 1) % points.length]];
    if (a[1] > y !== b[1] > y && x < a[0] + ((y - a[1]) / (b[1] - a[1])) * (b[0] - a[0]))
      odd = !odd;
  }
  return odd;
}
