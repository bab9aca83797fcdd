/**
 * Patterns as DXF: drawings from CAD programs, and the AAMA/ASTM files of the garment industry.
 *
 * A drawing is lines, arcs, splines and polylines; those whose ends meet make closed outlines, an
 * outline within another is a hole. What does not close is left out and reported.
 *
 * In an AAMA/ASTM file every piece is a block, its name in a text. Cloth is joined at the sew line (layer 14), so that is
 * taken as the outline where there is one, else the cut line (layer 1), with the cut-outs (layer 11) and the grain line (layer 7).
 * Other layers (notches, grading) are left out and reported. In other drawings a layer named "grain" has the grain lines. A piece lies where its
 * INSERT puts it, once for each. Curves there are many short lines, so edges are the stretches between corners of more than 25°, named e0, e1, …
 * along the outline.
 *
 * Units come from $INSUNITS, or from AAMA's own text; without either a unit is a millimetre.
 *
 * The reader is our own: the file is a list of pairs (code, value), a page of code, and the package
 * that parses DXF logs to the console and is packed for Node and bundlers in ways that do not agree.
 */
import type { Panel } from "../scene/scene.ts";
import { type Block, DRAWN, type Drawing, type Entity, read, string } from "./dxf-read.ts";
import { ringsOf } from "./dxf-rings.ts";
import { type Budget, placeOf, strokesOf } from "./dxf-strokes.ts";
import { FileError, quoted } from "./file-error.ts";
import {
  type Affine,
  GRAIN,
  type GrainLine,
  grainLine,
  nested,
  panelName,
  panelOf,
  type Ring,
  ringByAngle,
  type Stroke,
  shortList,
  withGrain,
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
const GRAIN_LINE = "7";
/** What others carry, for the notes. */
const LAYERS: ReadonlyMap<string, string> = new Map([
  ["2", "turn points"],
  ["3", "curve points"],
  ["4", "notches"],
  ["5", "grade reference"],
  ["6", "mirror line"],
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
  const grains: GrainLine[] = [];
  for (const [layer, entities] of layers) {
    const strokes = strokesOf(entities, drawing, M, budget);
    if (GRAIN.test(layer)) {
      grains.push(...grainLines(`layer ${quoted(layer)}`, strokes));
      continue;
    }
    const rings = ringsOf(strokes, `layer ${quoted(layer)}`, budget);
    const groups = nested("DXF", rings);
    for (const { outline, holes } of groups) {
      const wanted = groups.length === 1 && layer !== "0" ? layer : `panel-${panels.length + 1}`;
      panels.push(panelOf(panelName(wanted, used), ringByAngle(outline), holes));
      for (const _ of holes) onNote(`layer ${quoted(layer)}: an outline within another is a hole`);
    }
  }
  return withGrain(panels, grains, onNote);
}

/** Each stroke on its own: arrow heads are shorter than the line, and the longest counts. */
function grainLines(name: string, strokes: readonly Stroke[]): GrainLine[] {
  return strokes.flatMap((stroke) => grainLine(name, [stroke]) ?? []);
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
    for (const place of places.length === 0 ? [M] : places) {
      const rings = nested("DXF", pieceRings(block, title, drawing, place, budget));
      const own = rings.map(({ outline, holes }) =>
        panelOf(panelName(title, used), ringByAngle(outline), holes),
      );
      const entities = block.entities.filter(({ layer }) => layer === GRAIN_LINE);
      const strokes = strokesOf(entities, drawing, place, budget);
      const lines = grainLines(`piece ${quoted(title)}, layer ${GRAIN_LINE}`, strokes);
      panels.push(...withGrain(own, lines, onNote));
    }
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
    .filter(([layer]) => ![CUT_LINE, SEW_LINE, CUT_OUT, GRAIN_LINE].includes(layer))
    .map(([layer, count]) => `${count} on layer ${layer} (${LAYERS.get(layer) ?? "other"})`);
  if (others.length > 0) onNote(`piece ${quoted(title)}: left out ${others.join(", ")}`);
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
