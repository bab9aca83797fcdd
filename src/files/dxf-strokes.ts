/**
 * Entities of a DXF drawing as strokes: lines, arcs, ellipses, polylines with bulges, and what INSERT places.
 */
import { atan2, cos, sin } from "../linalg/elementary.ts";
import type { Vec2 } from "../scene/scene.ts";
import { type Block, type Drawing, type Entity, finite, number, string } from "./dxf-read.ts";
import { splineStroke } from "./dxf-spline.ts";
import { FileError } from "./file-error.ts";
import {
  type Affine,
  composed,
  MOST_OUTLINE_POINTS,
  moved,
  movedArc,
  type Stroke,
} from "./pattern.ts";

/** Places from blocks in blocks could multiply without end. */
const MOST_STROKES = 50_000;

export interface Budget {
  strokes: number;
  points: number;
  /** A line each. */
  leftOut: string[];
}

/** Where an INSERT puts a block, from the block's coordinates to metres. */
export function placeOf(entity: Entity, { base }: Block, M: Affine): Affine {
  const [sx, sy] = [number(entity, 41, 1), number(entity, 42, 1)];
  const angle = (number(entity, 50, 0) * Math.PI) / 180;
  const [c, s] = [cos(angle), sin(angle)];
  const [x, y] = [number(entity, 10, 0), number(entity, 20, 0)];
  const placed = composed(mirroredBelow(entity, M), [c * sx, s * sx, -s * sy, c * sy, x, y]);
  return composed(placed, [1, 0, 0, 1, -base[0], -base[1]]);
}

/** What is drawn from below has its x turned around. */
function mirroredBelow(entity: Entity, M: Affine): Affine {
  const isBelow = number(entity, 230, 1) < 0 && entity.type !== "LINE";
  return isBelow ? composed(M, [-1, 0, 0, 1, 0, 0]) : M;
}

/** Everything drawn, as strokes in metres; inserted blocks are unfolded. */
export function strokesOf(
  entities: readonly Entity[],
  drawing: Drawing,
  M: Affine,
  budget: Budget,
  depth: number = 0,
): Stroke[] {
  const strokes: Stroke[] = [];
  for (const entity of entities) {
    // every entity counts, drawn or not: empty blocks within blocks could multiply as well
    if (++budget.strokes > MOST_STROKES || budget.points > MOST_OUTLINE_POINTS)
      throw new FileError(
        "DXF",
        `line ${entity.line}`,
        "too much is drawn",
        `may have ${MOST_STROKES} entities and ${MOST_OUTLINE_POINTS} points`,
      );
    if (entity.type === "INSERT") {
      if (depth > 8)
        throw new FileError("DXF", `line ${entity.line}`, "blocks within blocks, 8 deep");
      const block = drawing.blocks.get(string(entity, 2));
      if (block === undefined) {
        budget.leftOut.push(
          `line ${entity.line}: inserts a block that is not in the file: left out`,
        );
        continue;
      }
      const inner = placeOf(entity, block, M);
      for (const stroke of strokesOf(block.entities, drawing, inner, budget, depth + 1))
        strokes.push(stroke);
      continue;
    }
    const drawn = drawnStroke(entity, mirroredBelow(entity, M));
    if (drawn === null) continue;
    budget.points += drawn.length;
    strokes.push(drawn);
  }
  return strokes;
}

/** One entity as points in metres, or null. */
function drawnStroke(entity: Entity, M: Affine): Stroke | null {
  switch (entity.type) {
    case "LINE":
      return [
        moved(M, [number(entity, 10), number(entity, 20)]),
        moved(M, [number(entity, 11), number(entity, 21)]),
      ];
    case "LWPOLYLINE":
      return bulged(pointsWithBulge(entity), (number(entity, 70, 0) & 1) === 1, M);
    case "POLYLINE": {
      const flags = number(entity, 70, 0);
      if (flags & (16 | 64)) return null; // a mesh
      const vertices = entity.vertices
        .filter((vertex) => (number(vertex, 70, 0) & 16) === 0) // not the frame of a spline
        .map((vertex): Vertex => {
          const point: Vec2 = [number(vertex, 10), number(vertex, 20)];
          return { point, bulge: number(vertex, 42, 0) };
        });
      return bulged(vertices, (flags & 1) === 1, M);
    }
    case "CIRCLE":
      return arc(entity, M, [number(entity, 40), 0], 1, 0, 2 * Math.PI);
    case "ARC": {
      const radians = (code: number) => (number(entity, code) * Math.PI) / 180;
      return arc(entity, M, [number(entity, 40), 0], 1, radians(50), radians(51));
    }
    case "ELLIPSE": {
      const axis: Vec2 = [number(entity, 11), number(entity, 21)];
      const [from, to] = [number(entity, 41, 0), number(entity, 42, 2 * Math.PI)];
      return arc(entity, M, axis, number(entity, 40), from, to);
    }
    case "SPLINE":
      return splineStroke(entity)?.map((point) => moved(M, point)) ?? null;
    default:
      return null;
  }
}

/** Counter-clockwise from one parameter to the next; half axes p and `ratio` of it to its left. */
function arc(entity: Entity, M: Affine, p: Vec2, ratio: number, from: number, to: number): Stroke {
  const end = to > from ? to : to + 2 * Math.PI;
  if (!(end - from > 0 && end - from < 7))
    throw new FileError("DXF", `line ${entity.line}`, `an arc from ${from} to ${to} rad`);
  const centre: Vec2 = [number(entity, 10), number(entity, 20)];
  const stroke = movedArc(M, centre, p, [-ratio * p[1], ratio * p[0]], from, end);
  if (end - from > 2 * Math.PI - 1e-6) stroke[stroke.length - 1] = stroke[0];
  return stroke;
}

interface Vertex {
  point: Vec2;
  /** Tangent of a quarter of the angle of the arc to the next vertex; 0 is straight. */
  bulge: number;
}

function pointsWithBulge(entity: Entity): Vertex[] {
  const vertices: Vertex[] = [];
  for (const [code, value] of entity.pairs) {
    if (code === 10) vertices.push({ point: [finite(value, entity), 0], bulge: 0 });
    const last = vertices.at(-1);
    if (last === undefined) continue;
    if (code === 20) last.point[1] = finite(value, entity);
    if (code === 42) last.bulge = finite(value, entity);
  }
  return vertices;
}

/** A polyline whose sides may be arcs: the arc meets the chord's middle line at bulge·chord/2. */
function bulged(vertices: readonly Vertex[], closed: boolean, M: Affine): Stroke | null {
  if (vertices.length < 2) return null;
  const points: Stroke = [moved(M, vertices[0].point)];
  const sides = closed ? vertices.length : vertices.length - 1;
  for (let k = 0; k < sides; k++) {
    const { point: a, bulge } = vertices[k];
    const b = vertices[(k + 1) % vertices.length].point;
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    if (bulge !== 0 && (dx !== 0 || dy !== 0)) {
      // centre on the middle line, at (1 − bulge²)/(4·bulge) chords to the left
      const h = (1 - bulge * bulge) / (4 * bulge);
      const centre: Vec2 = [(a[0] + b[0]) / 2 - h * dy, (a[1] + b[1]) / 2 + h * dx];
      const p: Vec2 = [a[0] - centre[0], a[1] - centre[1]];
      points.push(...movedArc(M, centre, p, [-p[1], p[0]], 0, 4 * atan2(bulge, 1)).slice(1, -1));
    }
    points.push(moved(M, b));
  }
  return points;
}
