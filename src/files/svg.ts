/**
 * Patterns drawn as SVG (Inkscape, Illustrator, Seamly, Valentina): every closed shape is a panel,
 * named by its id. The pieces of a path, lines and curves, are its edges e0, e1, … in the order drawn.
 * Further closed parts of the same path are holes.
 *
 * Size. `width="210mm"` with a viewBox says what a unit is; a width without a unit is in pixels of 1/96
 * inch, as the standard has it; without a width a unit is a millimetre. y is down in SVG and turned up.
 *
 * Left out: lines, text, pictures, `use`, what is hidden, what is in defs, and every shape or group
 * whose id begins with "_" (grain lines, notes). An open path that is none of these is an error.
 *
 * The XML is read by our own scanner: no entities, no DTD, nothing is fetched.
 */
import SvgPath from "svg-path-commander";
import { atan2, cos, sin } from "../linalg/elementary.ts";
import type { Panel, Vec2 } from "../scene/scene.ts";
import { FileError, quoted } from "./file-error.ts";
import {
  type Affine,
  composed,
  cubic,
  MOST_OUTLINE_POINTS,
  moved,
  movedArc,
  nested,
  panelName,
  panelOf,
  quadratic,
  ring,
  type Stroke,
} from "./pattern.ts";

const HIDDEN = new Set([
  "defs",
  "symbol",
  "clippath",
  "mask",
  "pattern",
  "marker",
  "metadata",
  "style",
  "script",
  "text",
  "title",
  "desc",
]);
/** Metres in a unit. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["mm", 1e-3],
  ["cm", 1e-2],
  ["m", 1],
  ["in", 0.0254],
  ["pt", 0.0254 / 72],
  ["pc", 0.0254 / 6],
  ["px", 0.0254 / 96],
  ["", 0.0254 / 96],
]);

export interface SvgOptions {
  /** m; overrides what the file says about its size. */
  readonly metresPerUnit?: number;
}

/**
 * @example
 * const [square] = parseSvg(`<svg viewBox="0 0 100 100"><path id="front" d="M0 0h100v100h-100z"/></svg>`);
 * // square.name is "front", 0.1 m wide, with edges e0 … e3
 */
export function parseSvg(text: string, { metresPerUnit }: SvgOptions = {}): Panel[] {
  const panels: Panel[] = [];
  const used = new Set<string>();
  const stack: { name: string; matrix: Affine; hidden: boolean }[] = [];
  let base: Affine | null = null;
  let points = 0;
  for (const tag of tags(text)) {
    if (tag.kind === "close") {
      // unmatched ends are forgiven, as browsers do
      const at = stack.findLastIndex((open) => open.name === tag.name);
      if (at >= 0) stack.length = at;
      continue;
    }
    const { attributes } = tag;
    const parent = stack.at(-1);
    if (base === null) {
      if (tag.name !== "svg")
        throw new FileError(
          "SVG",
          tag.place,
          `starts with <${tag.name.slice(0, 20)}>`,
          "needs <svg>",
        );
      base = baseMatrix(attributes, metresPerUnit, tag.place);
    }
    const own = transformOf(attributes.get("transform") ?? "", tag.place);
    const matrix = composed(parent?.matrix ?? base, own);
    const id = attributes.get("id") ?? "";
    const hidden =
      (parent?.hidden ?? false) ||
      HIDDEN.has(tag.name) ||
      id.startsWith("_") ||
      isHidden(attributes);
    if (!tag.empty) {
      stack.push({ name: tag.name, matrix, hidden });
      if (stack.length > 1000) throw new FileError("SVG", tag.place, "nested more than 1000 deep");
    }
    if (hidden) continue;

    const shape = strokesOf(tag.name, attributes, matrix, tag.place);
    if (shape === null || shape.length === 0) continue;
    const name = panelName(
      id || attributes.get("inkscape:label") || `panel-${panels.length + 1}`,
      used,
    );
    const rings = shape.map((strokes) => {
      for (const stroke of strokes) points += stroke.length;
      return ring("SVG", name, strokes);
    });
    if (points > MOST_OUTLINE_POINTS)
      throw new FileError(
        "SVG",
        tag.place,
        `${points} points so far`,
        `a pattern may have ${MOST_OUTLINE_POINTS}`,
      );
    const groups = nested("SVG", rings);
    groups.forEach(({ outline, holes }, k) => {
      panels.push(panelOf(k === 0 ? name : panelName(name, used), outline, holes));
    });
  }
  if (base === null) throw new FileError("SVG", "line 1", "has no <svg>");
  if (panels.length === 0)
    throw new FileError(
      "SVG",
      "drawing",
      "has no closed shape",
      "needs a path, polygon, rect, circle or ellipse",
    );
  return panels;
}

/** Rings of strokes of a shape, moved by M; null for elements that are no shapes. */
function strokesOf(
  name: string,
  attributes: Map<string, string>,
  M: Affine,
  place: string,
): Stroke[][] | null {
  const line = (a: Vec2, b: Vec2): Stroke => [moved(M, a), moved(M, b)];
  const number = (key: string, usual: number = 0): number => {
    const given = attributes.get(key);
    if (given === undefined || given.trim() === "") return usual;
    const match = /^\s*([-+]?[\d.]+(?:e[-+]?\d+)?)\s*(px)?\s*$/i.exec(given);
    if (match === null || !Number.isFinite(Number(match[1])))
      throw new FileError(
        "SVG",
        place,
        `${key}=${quoted(given)}`,
        "needs a number in the drawing's units",
      );
    return Number(match[1]);
  };
  switch (name) {
    case "path":
      return pathStrokes(attributes.get("d") ?? "", M, place);
    case "polygon":
    case "polyline": {
      const values = (attributes.get("points") ?? "")
        .trim()
        .split(/[\s,]+/)
        .map(Number);
      if (values.length % 2 === 1 || values.some((x) => !Number.isFinite(x)))
        throw new FileError(
          "SVG",
          place,
          `points=${quoted(attributes.get("points") ?? "")}`,
          "needs pairs of numbers",
        );
      const corners: Vec2[] = [];
      for (let k = 0; k < values.length; k += 2) corners.push([values[k], values[k + 1]]);
      if (name === "polygon") corners.push(corners[0]);
      return [corners.slice(1).map((point, k) => line(corners[k], point))];
    }
    case "rect": {
      const [x, y, w, h] = [number("x"), number("y"), number("width"), number("height")];
      const rx = Math.min(number("rx", number("ry")), w / 2);
      const ry = Math.min(number("ry", number("rx")), h / 2);
      const quarter = (cx: number, cy: number, from: number): Stroke =>
        movedArc(M, [cx, cy], [rx, 0], [0, ry], from, from + Math.PI / 2);
      // a quarter of no size vanishes
      return [
        [
          line([x + rx, y], [x + w - rx, y]),
          quarter(x + w - rx, y + ry, -Math.PI / 2),
          line([x + w, y + ry], [x + w, y + h - ry]),
          quarter(x + w - rx, y + h - ry, 0),
          line([x + w - rx, y + h], [x + rx, y + h]),
          quarter(x + rx, y + h - ry, Math.PI / 2),
          line([x, y + h - ry], [x, y + ry]),
          quarter(x + rx, y + ry, Math.PI),
        ],
      ];
    }
    case "circle":
    case "ellipse": {
      const rx = name === "circle" ? number("r") : number("rx");
      const ry = name === "circle" ? rx : number("ry");
      const centre: Vec2 = [number("cx"), number("cy")];
      return [
        [0, 1, 2, 3].map((k) =>
          movedArc(M, centre, [rx, 0], [0, ry], (k * Math.PI) / 2, ((k + 1) * Math.PI) / 2),
        ),
      ];
    }
    default:
      return null;
  }
}

/** Each part of a path as strokes, moved by M. */
function pathStrokes(d: string, M: Affine, place: string): Stroke[][] {
  if (d.length > 3e5)
    throw new FileError("SVG", place, `a path of ${d.length} letters`, "may have 300000");
  let segments: readonly (readonly (string | number)[])[];
  try {
    segments = SvgPath.normalizePath(d);
  } catch (error) {
    throw new FileError(
      "SVG",
      place,
      `d=${quoted(d)}`,
      String((error as Error).message).slice(0, 100),
    );
  }
  const parts: Stroke[][] = [];
  let at: Vec2 = [0, 0];
  let start: Vec2 = [0, 0];
  let strokes: Stroke[] = [];
  const finish = () => {
    if (strokes.length > 0) parts.push(strokes);
    strokes = [];
  };
  for (const [command, ...values] of segments) {
    const x = values as number[];
    const to = (k: number): Vec2 => [x[k], x[k + 1]];
    switch (command) {
      case "M":
        finish();
        start = to(0);
        at = start;
        continue;
      case "L":
        strokes.push([moved(M, at), moved(M, to(0))]);
        break;
      case "C":
        strokes.push(cubic(moved(M, at), moved(M, to(0)), moved(M, to(2)), moved(M, to(4))));
        break;
      case "Q":
        strokes.push(quadratic(moved(M, at), moved(M, to(0)), moved(M, to(2))));
        break;
      case "A":
        strokes.push(arcStroke(M, at, x));
        break;
      case "Z":
        strokes.push([moved(M, at), moved(M, start)]);
        at = start;
        continue;
      default:
        throw new FileError("SVG", place, `path command ${quoted(String(command))}`);
    }
    at = to(x.length - 2);
  }
  finish();
  return parts;
}

/** SVG's arc: half axes, their turn in degrees, large, sweep, end (its implementation note B.2.4). */
function arcStroke(M: Affine, a: Vec2, [rx0, ry0, degrees, large, sweep, x, y]: number[]): Stroke {
  const b: Vec2 = [x, y];
  const straight = [moved(M, a), moved(M, b)];
  const phi = (degrees * Math.PI) / 180;
  const [c, s] = [cos(phi), sin(phi)];
  const [hx, hy] = [(a[0] - b[0]) / 2, (a[1] - b[1]) / 2];
  const [px, py] = [c * hx + s * hy, c * hy - s * hx];
  let [rx, ry] = [Math.abs(rx0), Math.abs(ry0)];
  const stretch = (px * px) / (rx * rx) + (py * py) / (ry * ry);
  if (!(stretch > 0 && stretch < Infinity)) return straight; // no radius, or no way to go
  if (stretch > 1) [rx, ry] = [rx * Math.sqrt(stretch), ry * Math.sqrt(stretch)]; // it must reach
  const f = (large === sweep ? -1 : 1) * Math.sqrt(Math.max(0, 1 / stretch - 1));
  const [qx, qy] = [(f * rx * py) / ry, (-f * ry * px) / rx];
  const centre: Vec2 = [c * qx - s * qy + (a[0] + b[0]) / 2, s * qx + c * qy + (a[1] + b[1]) / 2];
  const t0 = atan2((py - qy) / ry, (px - qx) / rx);
  let t1 = atan2((-py - qy) / ry, (-px - qx) / rx);
  if (sweep && t1 <= t0) t1 += 2 * Math.PI;
  if (!sweep && t1 >= t0) t1 -= 2 * Math.PI;
  const stroke = movedArc(M, centre, [rx * c, rx * s], [-ry * s, ry * c], t0, t1);
  stroke[0] = straight[0];
  stroke[stroke.length - 1] = straight[1];
  return stroke;
}

/** From the drawing's units to metres with v up. */
function baseMatrix(
  attributes: Map<string, string>,
  metresPerUnit: number | undefined,
  place: string,
): Affine {
  const box = (attributes.get("viewBox") ?? attributes.get("viewbox") ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const hasBox = box.length === 4 && box.every(Number.isFinite) && box[2] > 0 && box[3] > 0;
  let scale = metresPerUnit ?? 1e-3;
  if (metresPerUnit === undefined) {
    const scales: number[] = [];
    for (const [key, k] of [
      ["width", 2],
      ["height", 3],
    ] as const) {
      const match = /^\s*([\d.]+(?:e[-+]?\d+)?)\s*([a-z]*)\s*$/i.exec(attributes.get(key) ?? "");
      const unit = match && UNITS.get(match[2].toLowerCase());
      if (!match || unit === undefined || unit === null || !(Number(match[1]) > 0)) continue;
      scales.push(hasBox ? (Number(match[1]) * unit) / box[k] : unit);
    }
    // a picture that does not fit its box keeps its shape
    if (scales.length > 0) scale = Math.min(...scales);
  }
  if (!(scale > 0 && scale < 1e3))
    throw new FileError("SVG", place, `a unit of ${scale} m`, "needs a size above 0");
  const [x, y] = hasBox ? [box[0], box[1]] : [0, 0];
  return [scale, 0, 0, -scale, -x * scale, y * scale];
}

function transformOf(text: string, place: string): Affine {
  let matrix: Affine = [1, 0, 0, 1, 0, 0];
  if (text === "") return matrix;
  if (text.length > 10_000)
    throw new FileError("SVG", place, "a transform of more than 10000 letters");
  for (const [, name, list] of text.matchAll(/([a-zA-Z]+)\s*\(([^()]*)\)/g)) {
    const v = list
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    if (v.some((x) => !Number.isFinite(x)))
      throw new FileError("SVG", place, `transform=${quoted(text)}`, "needs numbers");
    matrix = composed(matrix, simpleTransform(name.toLowerCase(), v, place));
  }
  return matrix;
}

function simpleTransform(name: string, v: number[], place: string): Affine {
  const radians = (v[0] * Math.PI) / 180;
  switch (`${name} ${v.length}`) {
    case "matrix 6":
      return [v[0], v[1], v[2], v[3], v[4], v[5]];
    case "translate 1":
    case "translate 2":
      return [1, 0, 0, 1, v[0], v[1] ?? 0];
    case "scale 1":
    case "scale 2":
      return [v[0], 0, 0, v[1] ?? v[0], 0, 0];
    case "rotate 1":
      return [cos(radians), sin(radians), -sin(radians), cos(radians), 0, 0];
    case "rotate 3":
      return composed(
        [1, 0, 0, 1, v[1], v[2]],
        composed(simpleTransform("rotate", [v[0]], place), [1, 0, 0, 1, -v[1], -v[2]]),
      );
    case "skewx 1":
      return [1, 0, sin(radians) / cos(radians), 1, 0, 0];
    case "skewy 1":
      return [1, sin(radians) / cos(radians), 0, 1, 0, 0];
    default:
      throw new FileError("SVG", place, `transform ${quoted(name)} of ${v.length} numbers`);
  }
}

function isHidden(attributes: Map<string, string>): boolean {
  const style = attributes.get("style") ?? "";
  return (
    attributes.get("display") === "none" ||
    attributes.get("visibility") === "hidden" ||
    /display\s*:\s*none/.test(style)
  );
}

interface Tag {
  kind: "open" | "close";
  /** Lower case, without a namespace. */
  name: string;
  attributes: Map<string, string>;
  /** <…/> */
  empty: boolean;
  place: string;
}

/** The tags of an XML text in order; comments, CDATA, declarations and text between them are passed over. */
function* tags(text: string): Generator<Tag> {
  let line = 1;
  let counted = 0;
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    for (let k = text.indexOf("\n", counted); k >= 0 && k < at; k = text.indexOf("\n", k + 1)) {
      line++;
      counted = k + 1;
    }
    const place = `line ${line}`;
    const past = (end: string): number => {
      const found = text.indexOf(end, at + 2);
      if (found < 0)
        throw new FileError(
          "SVG",
          place,
          `${quoted(text.slice(at, at + 20))} does not end`,
          `needs ${end}`,
        );
      return found + end.length;
    };
    if (text.startsWith("<!--", at)) at = past("-->");
    else if (text.startsWith("<![CDATA[", at)) at = past("]]>");
    else if (text.startsWith("<?", at)) at = past("?>");
    else if (text.startsWith("<!", at)) at = past(">");
    else {
      const end = tagEnd(text, at);
      if (end < 0)
        throw new FileError(
          "SVG",
          place,
          `${quoted(text.slice(at, at + 20))} does not end`,
          "needs >",
        );
      const inner = text.slice(at + 1, end);
      at = end + 1;
      const close = inner.startsWith("/");
      const empty = !close && inner.endsWith("/");
      const body = inner.slice(close ? 1 : 0, empty ? -1 : undefined);
      const full = /^[^\s/>]+/.exec(body)?.[0] ?? "";
      yield {
        kind: close ? "close" : "open",
        name: full.slice(full.indexOf(":") + 1).toLowerCase(),
        attributes: close ? new Map() : attributesOf(body.slice(full.length)),
        empty,
        place,
      };
    }
  }
}

/** The > that ends a tag, not one within quotes. */
function tagEnd(text: string, at: number): number {
  let quote = "";
  for (let k = at + 1; k < text.length; k++) {
    const c = text[k];
    if (quote !== "") {
      if (c === quote) quote = "";
    } else if (c === '"' || c === "'") quote = c;
    else if (c === ">") return k;
  }
  return -1;
}

function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, key, , double, single] of text.matchAll(
    /([^\s=/"']+)\s*=\s*("([^"]*)"|'([^']*)')/g,
  ))
    if (!attributes.has(key)) attributes.set(key, unescaped(double ?? single ?? ""));
  return attributes;
}

function unescaped(text: string): string {
  const names: ReadonlyMap<string, string> = new Map([
    ["lt", "<"],
    ["gt", ">"],
    ["amp", "&"],
    ["quot", '"'],
    ["apos", "'"],
  ]);
  return text.replace(/&(lt|gt|amp|quot|apos);/g, (_, name: string) => names.get(name)!);
}
