/**
 * GarmentCode's pattern JSON (also that of the Garment Pattern Generator): panels with vertices, edges
 * that may be curved, a place in space, and stitches between edges.
 *
 * Its units are centimetres (`units_in_meter` says), y is up and z towards the viewer; Euler angles are
 * in degrees about the panel's own x, then y, then z. Curve controls are relative to their edge: (1, 0) is its end,
 * (0, 1) as far to its left. An arc is [radius, large, right].
 *
 * Edge k of the file is our edge e{k}. Outlines keep their sense, because that is what says which side
 * is outside; a stitch joins edges that run against each other, unless it says right_wrong.
 */
import { atan2, cos, sin } from "../linalg/elementary.ts";
import type { Panel, Seam, Vec2, Vec3 } from "../scene/scene.ts";
import { FileError, parseJsonText, quoted } from "./file-error.ts";
import {
  circularArc,
  cubic,
  MOST_OUTLINE_POINTS,
  norm,
  type Pattern,
  panelName,
  quadratic,
  type Stroke,
} from "./pattern.ts";

const FORMAT = "GarmentCode";

/** @example const { panels, seams } = parseGarmentCode(await file.text()); */
export function parseGarmentCode(text: string): Pattern {
  const root = record(parseJsonText(text, FORMAT), "file");
  const pattern = record(root.pattern ?? root, "pattern");
  const properties = record(root.properties ?? {}, "properties");
  const perMetre = properties.units_in_meter ?? 100;
  if (typeof perMetre !== "number" || !(perMetre > 0 && perMetre < 1e9))
    throw new FileError(
      FORMAT,
      "properties.units_in_meter",
      `got ${show(perMetre)}`,
      "needs a number above 0",
    );
  const relative = (properties.curvature_coords ?? "relative") !== "absolute";

  const used = new Set<string>();
  const names = new Map<string, string>();
  const panels: Panel[] = [];
  let points = 0;
  for (const [name, value] of Object.entries(record(pattern.panels, "panels"))) {
    const plain = panelName(name, used);
    names.set(name, plain);
    const panel = panelFrom(plain, value, 1 / perMetre, relative);
    panels.push(panel);
    points += panel.points.length;
    if (points > MOST_OUTLINE_POINTS)
      throw new FileError(
        FORMAT,
        `panel ${quoted(name)}`,
        `${points} points so far`,
        `a pattern may have ${MOST_OUTLINE_POINTS}`,
      );
  }
  if (panels.length === 0) throw new FileError(FORMAT, "panels", "are none");

  const byName = new Map(panels.map((panel) => [panel.name, panel]));
  const seams = list(pattern.stitches ?? [], "stitches").map((value, k): Seam => {
    const place = `stitch ${k}`;
    const stitch = list(value, place);
    const [from, to] = [0, 1].map((side) => {
      const { panel, edge } = record(stitch[side], place);
      const name = names.get(String(panel));
      if (name === undefined)
        throw new FileError(
          FORMAT,
          place,
          `names panel ${quoted(String(panel))}`,
          `there are ${[...names.keys()].slice(0, 20).join(", ")}`,
        );
      if (byName.get(name)!.edges[`e${edge}`] === undefined)
        throw new FileError(
          FORMAT,
          place,
          `names edge ${show(edge)} of panel ${quoted(name)}`,
          `it has ${Object.keys(byName.get(name)!.edges).length}, from 0`,
        );
      return `${name}:e${edge}`;
    });
    return { from, to, reversed: stitch[2] !== "right_wrong" };
  });
  return { panels, seams };
}

function panelFrom(name: string, value: unknown, scale: number, relative: boolean): Panel {
  const place = `panel ${quoted(name)}`;
  const panel = record(value, place);
  const vertices = list(panel.vertices, place).map(
    (vertex) => vector(vertex, 2, place).map((x) => x * scale) as Vec2,
  );
  const edges = list(panel.edges, place);
  const points: Vec2[] = [];
  const named: Panel["edges"] = {};
  const firsts: number[] = [];
  let expected = -1;
  let firstVertex = -1;
  edges.forEach((entry, k) => {
    const where = `${place}, edge ${k}`;
    const edge = record(entry, where);
    const [a, b] = vector(edge.endpoints, 2, where).map((i) => index(i, vertices.length, where));
    if (k === 0) firstVertex = a;
    else if (a !== expected)
      throw new FileError(
        FORMAT,
        where,
        `starts at vertex ${a}, the edge before ends at ${expected}`,
        "edges must follow each other around the panel",
      );
    expected = b;
    const stroke = edgeStroke(vertices[a], vertices[b], edge.curvature, scale, relative, where);
    firsts.push(points.length);
    for (let i = 0; i + 1 < stroke.length; i++) points.push(stroke[i]);
  });
  if (edges.length < 2 || expected !== firstVertex)
    throw new FileError(
      FORMAT,
      place,
      "its outline is open",
      "the last edge must end where the first begins",
    );
  firsts.forEach((first, k) => {
    named[`e${k}`] = [first, firsts[(k + 1) % firsts.length]];
  });
  const [x, y, z] = vector(panel.translation ?? [0, 0, 0], 3, place).map((t) => t * scale);
  const [rx, ry, rz] = rotationVector(vector(panel.rotation ?? [0, 0, 0], 3, place));
  return {
    name,
    points,
    edges: named,
    holes: [],
    place: { position: [x, 0 - z, y], rotation: [rx, 0 - rz, ry], wrap: null },
  };
}

function edgeStroke(
  a: Vec2,
  b: Vec2,
  curvature: unknown,
  scale: number,
  relative: boolean,
  place: string,
): Stroke {
  if (curvature === undefined || curvature === null) return [a, b];
  const control = (value: unknown): Vec2 => {
    const [x, y] = vector(value, 2, place);
    if (!relative) return [x * scale, y * scale];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    return [a[0] + x * dx - y * dy, a[1] + x * dy + y * dx];
  };
  if (Array.isArray(curvature)) return quadratic(a, control(curvature), b); // the older files
  const { type, params } = record(curvature, place);
  const values = list(params, place);
  if (type === "quadratic") return quadratic(a, control(values[0]), b);
  if (type === "cubic") return cubic(a, control(values[0]), control(values[1]), b);
  if (type === "circle") {
    const [radius, large, right] = values;
    if (typeof radius !== "number" || !(radius > 0 && radius * scale < 1e6))
      throw new FileError(
        FORMAT,
        place,
        `an arc of radius ${show(radius)}`,
        "needs a number above 0",
      );
    return circularArc(a, b, radius * scale, Boolean(large), Boolean(right));
  }
  throw new FileError(FORMAT, place, `curvature ${show(type)}`, "needs quadratic, cubic or circle");
}

/** Rotation vector, rad, of Rx·Ry·Rz in degrees. */
function rotationVector(degrees: number[]): Vec3 {
  const half = degrees.map((angle) => (angle * Math.PI) / 360);
  const [[sx, cx], [sy, cy], [sz, cz]] = half.map((h) => [sin(h), cos(h)]);
  // the product of the three quaternions
  const q = [
    sx * cy * cz + cx * sy * sz,
    cx * sy * cz - sx * cy * sz,
    cx * cy * sz + sx * sy * cz,
    cx * cy * cz - sx * sy * sz,
  ];
  const sign = q[3] < 0 ? -1 : 1;
  const sine = norm([q[0], q[1], q[2]]);
  if (sine < 1e-15) return [0, 0, 0];
  const angle = (2 * atan2(sine, sign * q[3]) * sign) / sine;
  return [angle * q[0], angle * q[1], angle * q[2]];
}

function record(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new FileError(FORMAT, place, `got ${show(value)}`, "needs an object");
}

function list(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new FileError(FORMAT, place, `got ${show(value)}`, "needs a list");
}

function vector(value: unknown, count: number, place: string): number[] {
  const values = list(value, place);
  if (
    values.length >= count &&
    values.slice(0, count).every((x) => typeof x === "number" && Math.abs(x) < 1e9)
  )
    return values.slice(0, count) as number[];
  throw new FileError(FORMAT, place, `got ${show(value)}`, `needs ${count} numbers`);
}

function index(value: number, count: number, place: string): number {
  if (Number.isInteger(value) && value >= 0 && value < count) return value;
  throw new FileError(FORMAT, place, `names vertex ${value}`, `there are ${count}, from 0`);
}

function show(value: unknown): string {
  return quoted((JSON.stringify(value) ?? "nothing").slice(0, 60));
}
