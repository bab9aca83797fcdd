/**
 * The sections of a DXF file: pairs (code, value) read into entities, blocks and the unit.
 */
import type { Vec2 } from "../scene/scene.ts";
import { FileError, quoted } from "./file-error.ts";

export interface Entity {
  type: string;
  layer: string;
  line: number;
  /** Every pair of the entity in order. */
  pairs: [code: number, value: string][];
  /** Vertices of an old POLYLINE. */
  vertices: Entity[];
}

export interface Block {
  name: string;
  entities: Entity[];
  /** The point of the block that an INSERT puts at its place. */
  base: Vec2;
}

export interface Drawing {
  entities: Entity[];
  blocks: Map<string, Block>;
  units: number | null;
}

export const DRAWN: ReadonlySet<string> = new Set([
  "LINE",
  "LWPOLYLINE",
  "POLYLINE",
  "ARC",
  "CIRCLE",
  "ELLIPSE",
  "SPLINE",
  "INSERT",
]);

/**
 * Entities and their pairs that are kept, some 100 bytes each. Outlines of 200 000 points in all (pattern.ts) have 600 000; 50 MB of lines would have
 * eight million.
 */
const MOST_KEPT = 1_500_000;

/** The sections of the file; what is neither entity nor block nor unit is passed over. */
export function read(text: string): Drawing {
  const drawing: Drawing = { entities: [], blocks: new Map(), units: null };
  let section = "";
  let block: Block | null = null;
  let polyline: Entity | null = null;
  let entity: Entity | null = null;
  let variable = "";
  let blockHeader = false;
  let kept = 0;
  for (const { code, value, line } of pairs(text)) {
    if ((section === "BLOCKS" || section === "ENTITIES") && ++kept > MOST_KEPT)
      throw new FileError(
        "DXF",
        `line ${line}`,
        `more than ${MOST_KEPT} pairs`,
        "too much is drawn",
      );
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
      // a base that is no number puts the block nowhere, and is reported where its points are read
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

export function string(entity: Entity, code: number): string {
  return entity.pairs.find(([c]) => c === code)?.[1] ?? "";
}

export function number(entity: Entity, code: number, usual?: number): number {
  const pair = entity.pairs.find(([c]) => c === code);
  if (pair !== undefined) return finite(pair[1], entity);
  if (usual !== undefined) return usual;
  throw new FileError("DXF", `line ${entity.line}`, `${quoted(entity.type)} lacks group ${code}`);
}

export function finite(value: string, entity: Entity): number {
  const x = Number(value);
  if (value !== "" && Number.isFinite(x)) return x;
  throw new FileError(
    "DXF",
    `line ${entity.line}`,
    `got ${quoted(value)}`,
    "needs a finite number",
  );
}
