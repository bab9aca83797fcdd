/**
 * Patterns as DXF: drawings from CAD programs, and the AAMA/ASTM files of the garment industry.
 *
 * A drawing is lines, arcs, splines and polylines; those whose ends meet make closed outlines, an
 * outline within another is a hole. What does not close is left out and told.
 *
 * In an AAMA/ASTM file every piece is a block, its name in a text. Cloth is joined at the sew line (layer 14), so that is
 * taken as the outline where there is one, else the cut line (layer 1), with the cut-outs (layer 11). Other layers (notches, grain
 * lines, grading) are left out and told. A piece lies where its INSERT puts it, once for each. Curves there are
 * many short lines, so edges are the stretches between corners of more than 25°, named e0, e1, … along the outline.
 *
 * Units come from $INSUNITS, or from AAMA's own text; without either a unit is a millimetre.
 *
 * The reader is our own: the file is a list of pairs (code, value), a page of code, and the package
 * that parses DXF logs to the console and is packed for Node and bundlers in ways that do not agree.
 */
import { atan2, cos, sin } from "../linalg/elementary.ts";
import type { Panel, Vec2 } from "../scene/scene.ts";
import { FileError, quoted } from "./file-error.ts";
import {
  type Affine,
  composed,
  JOIN,
  MOST_OUTLINE_POINTS,
  moved,
  movedArc,
  near,
  nested,
  norm,
  panelName,
  panelOf,
  type Ring,
  ringByAngle,
  ringOrReason,
  type Stroke,
  shortList,
} from "./pattern.ts";

/** Metres in $INSUNITS' unit. */
const UNITS: ReadonlyMap<number, number> = new Map([
  [1, 0.0254],
  [2, 0.3048],
  [4, 1e-3],
  [5, 1e-2],
  [6, 1],
  [10, 0.9144],
  [14, 0.1],
]);
/** Places from blocks in blocks could multiply without end. */
const MOST_STROKES = 50_000;

export interface DxfOptions {
  /** m; overrides what the file says. */
  readonly metresPerUnit?: number;
  /** Told of everything that is left out. */
  readonly onNote?: (note: string) => void;
}

/** Layers of AAMA/ASTM D6673 that carry outlines. */
const CUT_LINE = "1";
const SEW_LINE = "14";
const CUT_OUT = "11";
/** What others carry, for the notes. */
const LAYERS: ReadonlyMap<string, string> = new Map([
  ["2", "turn points"],
  ["3", "curve points"],
  ["4", "notches"],
  ["5", "grade reference"],
  ["6", "mirror line"],
  ["7", "grain line"],
  ["8", "internal lines"],
  ["9", "stripe reference"],
  ["10", "plaid reference"],
  ["13", "drill holes"],
  ["15", "annotation"],
]);

/** @example const panels = parseDxf(await file.text()); */
export function parseDxf(
  text: string,
  { metresPerUnit, onNote = () => undefined }: DxfOptions = {},
): Panel[] {
  const drawing = read(text);
  const scale = metresPerUnit ?? unitOf(drawing);
  const M: Affine = [scale, 0, 0, scale, 0, 0];
  const budget: Budget = { strokes: 0, points: 0, leftOut: [] };
  const isPiece = (block: Block): boolean =>
    block.entities.some(
      ({ layer, type }) => (layer === CUT_LINE || layer === SEW_LINE) && DRAWN.has(type),
    );
  const pieces = [...drawing.blocks.values()].filter(isPiece);
  const panels =
    pieces.length > 0
      ? industryPanels(pieces, drawing, M, budget, onNote)
      : drawnPanels(drawing, M, budget, onNote);
  for (const note of shortList(budget.leftOut)) onNote(note);
  if (panels.length === 0)
    throw new FileError(
      "DXF",
      "drawing",
      `has no closed outline${budget.leftOut.length > 0 ? ` (${budget.leftOut[0]})` : ""}`,
      "needs lines, arcs, splines or polylines whose ends meet",
    );
  return panels;
}

/** Layers are kept apart: what is drawn on one may lie on top of another. */
function drawnPanels(
  drawing: Drawing,
  M: Affine,
  budget: Budget,
  onNote: (note: string) => void,
): Panel[] {
  const layers = new Map<string, Entity[]>();
  for (const entity of drawing.entities) {
    const list = layers.get(entity.layer) ?? [];
    list.push(entity);
    layers.set(entity.layer, list);
  }
  const used = new Set<string>();
  const panels: Panel[] = [];
  for (const [layer, entities] of layers) {
    const rings = ringsOf(
      strokesOf(entities, drawing, M, budget),
      `layer ${quoted(layer)}`,
      budget,
    );
    const groups = nested("DXF", rings);
    for (const { outline, holes } of groups) {
      const wanted = groups.length === 1 && layer !== "0" ? layer : `panel-${panels.length + 1}`;
      panels.push(panelOf(panelName(wanted, used), ringByAngle(outline), holes));
      for (const _ of holes) onNote(`layer ${quoted(layer)}: an outline within another is a hole`);
    }
  }
  return panels;
}

/** One panel for each place where a piece is inserted. */
function industryPanels(
  pieces: readonly Block[],
  drawing: Drawing,
  M: Affine,
  budget: Budget,
  onNote: (note: string) => void,
): Panel[] {
  const used = new Set<string>();
  const panels: Panel[] = [];
  const inserts = new Map<string, Entity[]>();
  for (const entity of drawing.entities)
    if (entity.type === "INSERT") {
      const name = string(entity, 2);
      inserts.set(name, [...(inserts.get(name) ?? []), entity]);
    }
  for (const block of pieces) {
    const title = pieceName(block.entities) ?? block.name;
    const places = (inserts.get(block.name) ?? []).map((entity) => placeOf(entity, block, M));
    if (places.length === 0) onNote(`piece ${quoted(title)} is inserted nowhere: taken as drawn`);
    noteLayers(block, title, onNote);
    for (const place of places.length === 0 ? [M] : places)
      for (const { outline, holes } of nested(
        "DXF",
        pieceRings(block, title, drawing, place, budget),
      ))
        panels.push(panelOf(panelName(title, used), ringByAngle(outline), holes));
  }
  return panels;
}

/** The sew line if it closes, else the cut line, and the cut-outs. */
function pieceRings(
  block: Block,
  title: string,
  drawing: Drawing,
  M: Affine,
  budget: Budget,
): Ring[] {
  const on = (layer: string): Ring[] => {
    const entities = block.entities.filter((entity) => entity.layer === layer);
    const what = `piece ${quoted(title)}, layer ${layer}`;
    return ringsOf(strokesOf(entities, drawing, M, budget), what, budget);
  };
  const sewn = on(SEW_LINE);
  return [...(sewn.length > 0 ? sewn : on(CUT_LINE)), ...on(CUT_OUT)];
}

/** Says which layers of a piece are left out. */
function noteLayers(block: Block, title: string, onNote: (note: string) => void): void {
  const counts = new Map<string, number>();
  for (const { layer, type } of block.entities)
    if (type !== "TEXT" && type !== "MTEXT") counts.set(layer, (counts.get(layer) ?? 0) + 1);
  if (counts.has(SEW_LINE) && counts.has(CUT_LINE))
    onNote(
      `piece ${quoted(title)}: outline is the sew line (layer 14), not the cut line (layer 1)`,
    );
  const others = [...counts]
    .filter(([layer]) => ![CUT_LINE, SEW_LINE, CUT_OUT].includes(layer))
    .map(([layer, count]) => `${count} on layer ${layer} (${LAYERS.get(layer) ?? "other"})`);
  if (others.length > 0) onNote(`piece ${quoted(title)}: left out ${others.join(", ")}`);
}

interface Budget {
  strokes: number;
  points: number;
  /** A line each. */
  leftOut: string[];
}

interface Entity {
  type: string;
  layer: string;
  line: number;
  /** Every pair of the entity in order. */
  pairs: [code: number, value: string][];
  /** Vertices of an old POLYLINE. */
  vertices: Entity[];
}

interface Block {
  name: string;
  entities: Entity[];
  /** The point of the block that an INSERT puts at its place. */
  base: Vec2;
}

interface Drawing {
  entities: Entity[];
  blocks: Map<string, Block>;
  units: number | null;
}

const DRAWN = new Set([
  "LINE",
  "LWPOLYLINE",
  "POLYLINE",
  "ARC",
  "CIRCLE",
  "ELLIPSE",
  "SPLINE",
  "INSERT",
]);

/** The sections of the file; what is neither entity nor block nor unit is passed over. */
function read(text: string): Drawing {
  const drawing: Drawing = { entities: [], blocks: new Map(), units: null };
  let section = "";
  let block: Block | null = null;
  let polyline: Entity | null = null;
  let entity: Entity | null = null;
  let variable = "";
  let blockHeader = false;
  for (const { code, value, line } of pairs(text)) {
    if (code === 0) {
      entity = null;
      blockHeader = false;
      if (value === "SECTION" || value === "ENDSEC") {
        section = value === "ENDSEC" ? "" : "?";
        block = null;
        polyline = null;
      } else if (value === "EOF") break;
      else if (section === "BLOCKS" && value === "BLOCK") {
        block = { name: "", entities: [], base: [0, 0] };
        blockHeader = true;
      } else if (section === "BLOCKS" && value === "ENDBLK") block = null;
      else if (section === "ENTITIES" || (section === "BLOCKS" && block !== null)) {
        entity = { type: value, layer: "0", line, pairs: [], vertices: [] };
        if (value === "VERTEX" && polyline !== null) polyline.vertices.push(entity);
        else if (value === "SEQEND") polyline = null;
        else {
          polyline = value === "POLYLINE" ? entity : null;
          (section === "ENTITIES" ? drawing.entities : block!.entities).push(entity);
        }
      }
      continue;
    }
    if (section === "?" && code === 2) section = value;
    else if (section === "HEADER") {
      if (code === 9) variable = value;
      else if (variable === "$INSUNITS" && code === 70) drawing.units = Number(value);
    } else if (blockHeader && block !== null) {
      if (code === 2) {
        block.name = value;
        drawing.blocks.set(value, block);
      }
      // a base that is no number puts the block nowhere, and is told where its points are
      if (code === 10) block.base[0] = Number(value);
      if (code === 20) block.base[1] = Number(value);
    } else if (entity !== null) {
      if (code === 8) entity.layer = value;
      entity.pairs.push([code, value]);
    }
  }
  return drawing;
}

function* pairs(text: string): Generator<{ code: number; value: string; line: number }> {
  if (text.startsWith("AutoCAD Binary DXF"))
    throw new FileError("DXF", "line 1", "is a binary DXF", "save it as ASCII");
  let at = 0;
  let line = 0;
  const next = (): string | null => {
    if (at >= text.length) return null;
    const end = text.indexOf("\n", at);
    const stop = end < 0 ? text.length : end;
    const value = text.slice(at, stop).trim();
    at = stop + 1;
    line++;
    return value;
  };
  for (let first = next(); first !== null; first = next()) {
    if (first === "" && at >= text.length) return;
    const code = Number(first);
    if (first === "" || !Number.isInteger(code))
      throw new FileError(
        "DXF",
        `line ${line}`,
        `got ${quoted(first)}`,
        "needs a group code, a whole number",
      );
    const value = next();
    if (value === null) throw new FileError("DXF", `line ${line}`, "the file ends within a pair");
    yield { code, value, line };
  }
}

function unitOf(drawing: Drawing): number {
  const blocks = [...drawing.blocks.values()].map(({ entities }) => entities);
  for (const list of [drawing.entities, ...blocks])
    for (const entity of list) {
      const text = textOf(entity)?.toUpperCase() ?? "";
      if (/UNITS ?: ?ENGLISH/.test(text)) return 0.0254;
      if (/UNITS ?: ?METRIC/.test(text)) return 1e-3;
    }
  return UNITS.get(drawing.units ?? 0) ?? 1e-3;
}

/** "Piece Name: FRONT", as AAMA writes it; some programs write "Name:" or "Piece:". */
function pieceName(block: readonly Entity[]): string | null {
  for (const label of ["piece name", "piece", "name"])
    for (const entity of block) {
      const [key, ...rest] = (textOf(entity) ?? "").split(":");
      const name = rest.join(":").trim();
      if (key.trim().toLowerCase() === label && name !== "") return name;
    }
  return null;
}

/** What a TEXT or MTEXT says on one line, without the formatting of MTEXT; null for others. */
function textOf(entity: Entity): string | null {
  if (entity.type !== "TEXT" && entity.type !== "MTEXT") return null;
  const text = string(entity, 1).slice(0, 400);
  return text
    .replace(/\\[A-Za-z][^;\\]{0,40};|[{}]/g, "")
    .replace(/\\P|\s+/g, " ")
    .trim();
}

/** Where an INSERT puts a block, from the block's coordinates to metres. */
function placeOf(entity: Entity, { base }: Block, M: Affine): Affine {
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
function strokesOf(
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

/** A B-spline by de Boor's algorithm, 8 steps a knot span; a smooth curve through its fit points if it has nothing else. */
function splineStroke(entity: Entity): Stroke | null {
  const degree = number(entity, 71, 3);
  const knots: number[] = [];
  const weights: number[] = [];
  const control: Vec2[] = [];
  const fit: Vec2[] = [];
  for (const [code, value] of entity.pairs) {
    if (code === 40) knots.push(finite(value, entity));
    else if (code === 41) weights.push(finite(value, entity));
    else if (code === 10) control.push([finite(value, entity), 0]);
    else if (code === 20 && control.length > 0)
      control[control.length - 1][1] = finite(value, entity);
    else if (code === 11) fit.push([finite(value, entity), 0]);
    else if (code === 21 && fit.length > 0) fit[fit.length - 1][1] = finite(value, entity);
  }
  if (control.length === 0) return fitCurve(entity, fit);
  const n = control.length;
  if (
    !(
      Number.isInteger(degree) &&
      degree >= 1 &&
      degree <= 15 &&
      n > degree &&
      knots.length === n + degree + 1
    )
  )
    throw new FileError(
      "DXF",
      `line ${entity.line}`,
      `a spline of degree ${degree} with ${n} points and ${knots.length} knots`,
      "needs points + degree + 1 knots",
    );
  for (let k = 1; k < knots.length; k++)
    if (!(knots[k] >= knots[k - 1]))
      throw new FileError("DXF", `line ${entity.line}`, "the knots of a spline do not rise");
  if (weights.length > 0 && (weights.length !== n || weights.some((w) => !(w > 0))))
    throw new FileError(
      "DXF",
      `line ${entity.line}`,
      "the weights of a spline",
      "needs one above 0 for each point",
    );
  const points: Stroke = [];
  for (let span = degree; span < n; span++) {
    if (knots[span + 1] === knots[span]) continue;
    const steps = 8;
    for (let k = points.length === 0 ? 0 : 1; k <= steps; k++)
      points.push(
        deBoor(
          knots[span] + ((knots[span + 1] - knots[span]) * k) / steps,
          span,
          degree,
          knots,
          control,
          weights,
        ),
      );
  }
  return points.length > 1 ? points : null;
}

/**
 * The cubic spline through fit points, as CAD programs draw it: parameters by chord length, second derivatives continuous. The
 * ends have the tangents of the file (codes 12, 22 and 13, 23), else no curvature; a closed one (flag 1) goes on smoothly.
 */
function fitCurve(entity: Entity, given: readonly Vec2[]): Stroke | null {
  const isClosed = (number(entity, 70, 0) & 1) === 1;
  const fit = given.filter(
    (p, k) => k === 0 || p[0] !== given[k - 1][0] || p[1] !== given[k - 1][1],
  );
  if (isClosed && fit.length > 2 && (fit[0][0] !== fit.at(-1)![0] || fit[0][1] !== fit.at(-1)![1]))
    fit.push(fit[0]);
  if (fit.length < 2) return null;
  const n = fit.length;
  const h = fit.slice(1).map((p, k) => norm([p[0] - fit[k][0], p[1] - fit[k][1]]));
  const tangents = ([x, y]: readonly [number, number]): Vec2 | null => {
    const v: Vec2 = [number(entity, x, 0), number(entity, y, 0)];
    const length = norm(v);
    return length > 0 ? [v[0] / length, v[1] / length] : null;
  };
  const [start, end] = [tangents([12, 22]), tangents([13, 23])];
  const slopes = [0, 1].map((c) =>
    fitSlopes(
      fit.map((p) => p[c]),
      h,
      isClosed,
      start?.[c] ?? null,
      end?.[c] ?? null,
    ),
  );
  const points: Stroke = [fit[0]];
  const steps = 16;
  for (let k = 0; k + 1 < n; k++) {
    for (let s = 1; s < steps; s++) {
      const t = s / steps;
      const at = (c: number): number =>
        hermite(t, fit[k][c], fit[k + 1][c], h[k] * slopes[c][k], h[k] * slopes[c][k + 1]);
      points.push([at(0), at(1)]);
    }
    points.push(fit[k + 1]);
  }
  return points;
}

function hermite(t: number, a: number, b: number, da: number, db: number): number {
  const s = 1 - t;
  return s * s * (1 + 2 * t) * a + t * t * (1 + 2 * s) * b + s * s * t * da - t * t * s * db;
}

/**
 * Slopes dₖ at the points so that second derivatives agree where two pieces meet:
 *   dₖ₋₁/hₖ₋₁ + 2 (1/hₖ₋₁ + 1/hₖ) dₖ + dₖ₊₁/hₖ = 3 ((xₖ − xₖ₋₁)/hₖ₋₁² + (xₖ₊₁ − xₖ)/hₖ²)
 * solved by sweeps of Gauss–Seidel: rows are dominant by two to one, so 60 sweeps leave 10⁻¹⁸ of the error.
 */
function fitSlopes(
  x: readonly number[],
  h: readonly number[],
  isClosed: boolean,
  start: number | null,
  end: number | null,
): number[] {
  const n = x.length;
  const d = x.map(() => 0);
  if (n === 2 && start === null && end === null) return d.fill((x[1] - x[0]) / h[0]);
  const inner = (k: number, a: number, b: number, ha: number, hb: number): number =>
    (3 * ((x[k] - x[a]) / (ha * ha) + (x[b] - x[k]) / (hb * hb)) - d[a] / ha - d[b] / hb) /
    (2 * (1 / ha + 1 / hb));
  for (let sweep = 0; sweep < 60; sweep++) {
    if (isClosed) d[0] = inner(0, n - 2, 1, h[n - 2], h[0]);
    else d[0] = start ?? (3 * (x[1] - x[0])) / (2 * h[0]) - d[1] / 2;
    for (let k = 1; k + 1 < n; k++) d[k] = inner(k, k - 1, k + 1, h[k - 1], h[k]);
    if (isClosed) d[n - 1] = d[0];
    else d[n - 1] = end ?? (3 * (x[n - 1] - x[n - 2])) / (2 * h[n - 2]) - d[n - 2] / 2;
  }
  return d;
}

function deBoor(
  t: number,
  span: number,
  degree: number,
  knots: number[],
  control: Vec2[],
  weights: number[],
): Vec2 {
  const d: [number, number, number][] = [];
  for (let j = 0; j <= degree; j++) {
    const i = span - degree + j;
    const w = weights[i] ?? 1;
    d.push([control[i][0] * w, control[i][1] * w, w]);
  }
  for (let r = 1; r <= degree; r++)
    for (let j = degree; j >= r; j--) {
      const i = span - degree + j;
      const width = knots[i + degree - r + 1] - knots[i];
      const a = width === 0 ? 0 : (t - knots[i]) / width;
      for (let c = 0; c < 3; c++) d[j][c] = (1 - a) * d[j - 1][c] + a * d[j][c];
    }
  const [x, y, w] = d[degree];
  return [x / w, y / w];
}

/** Joins strokes end to end into rings; what does not close is left out and told. */
function ringsOf(strokes: readonly Stroke[], name: string, budget: Budget): Ring[] {
  const rings: Ring[] = [];
  const close = (chain: readonly Stroke[]): void => {
    const made = ringOrReason("DXF", name, chain);
    if (typeof made === "string") budget.leftOut.push(`${name}: an outline ${made}: left out`);
    else rings.push(made);
  };
  const open: Stroke[] = [];
  for (const stroke of strokes)
    if (stroke.length > 2 && near(stroke[0], stroke[stroke.length - 1])) close([stroke]);
    else if (stroke.length > 1 && !near(stroke[0], stroke[stroke.length - 1])) open.push(stroke);

  // ends by cells of a grid a little wider than what counts as the same
  const cell = 4 * JOIN;
  const ends = new Map<string, { stroke: number; last: boolean }[]>();
  const key = (i: number, j: number) => `${i} ${j}`;
  const endPoint = (stroke: number, last: boolean) =>
    last ? open[stroke][open[stroke].length - 1] : open[stroke][0];
  open.forEach((_, stroke) => {
    for (const last of [false, true]) {
      const [x, y] = endPoint(stroke, last);
      const k = key(Math.round(x / cell), Math.round(y / cell));
      const list = ends.get(k) ?? [];
      list.push({ stroke, last });
      ends.set(k, list);
    }
  });
  const taken = new Uint8Array(open.length);
  const nextAt = (point: Vec2): { stroke: number; last: boolean } | null => {
    const [i, j] = [Math.round(point[0] / cell), Math.round(point[1] / cell)];
    for (let di = -1; di <= 1; di++)
      for (let dj = -1; dj <= 1; dj++) {
        const list = ends.get(key(i + di, j + dj));
        if (list === undefined) continue;
        while (list.length > 0 && taken[list[list.length - 1].stroke]) list.pop();
        for (const end of list)
          if (!taken[end.stroke] && near(endPoint(end.stroke, end.last), point)) return end;
      }
    return null;
  };
  for (let first = 0; first < open.length; first++) {
    if (taken[first]) continue;
    taken[first] = 1;
    const chain: Stroke[] = [open[first]];
    const start = open[first][0];
    let at = open[first][open[first].length - 1];
    while (!near(at, start)) {
      const next = nextAt(at);
      if (next === null) break;
      taken[next.stroke] = 1;
      const stroke = next.last ? [...open[next.stroke]].reverse() : open[next.stroke];
      chain.push(stroke);
      at = stroke[stroke.length - 1];
    }
    close(chain);
  }
  return rings;
}

function string(entity: Entity, code: number): string {
  return entity.pairs.find(([c]) => c === code)?.[1] ?? "";
}

function number(entity: Entity, code: number, usual?: number): number {
  const pair = entity.pairs.find(([c]) => c === code);
  if (pair !== undefined) return finite(pair[1], entity);
  if (usual !== undefined) return usual;
  throw new FileError("DXF", `line ${entity.line}`, `${quoted(entity.type)} lacks group ${code}`);
}

function finite(value: string, entity: Entity): number {
  const x = Number(value);
  if (value !== "" && Number.isFinite(x)) return x;
  throw new FileError(
    "DXF",
    `line ${entity.line}`,
    `got ${quoted(value)}`,
    "needs a finite number",
  );
}
