/**
 * Patterns drawn as SVG (Inkscape, Illustrator, Seamly, Valentina): every closed outline is a panel, named by its
 * inkscape:label, else by its id. The pieces of a path, lines and curves, are its edges e0, e1, … in the order drawn.
 * An outline within another is a hole of it, whether it is part of the same path or a shape of its own; one within a hole
 * is a panel again. `use` draws what it names, where it says.
 *
 * Size. `width="210mm"` with a viewBox says what a unit is; a width without a unit is in pixels of 1/96
 * inch, as the standard has it; without a width a unit is a millimetre. y is down in SVG and turned up.
 *
 * Left out, and told: open paths and lines (grain lines, notches), text, pictures, what is hidden, and every shape or group
 * whose name begins with "_".
 *
 * The XML is read by our own scanner: no entities, no DTD, nothing is fetched. It goes through the text once; what a
 * drawing may have of elements, drawn shapes and points is bounded, because `use` can multiply.
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
  type NamedRing,
  panelsOf,
  quadratic,
  ringOrReason,
  type Stroke,
  shortList,
} from "./pattern.ts";

/** What is inside these is not drawn where it stands. */
const NOT_DRAWN = new Set([
  "defs",
  "symbol",
  "clippath",
  "mask",
  "pattern",
  "marker",
  "metadata",
  "style",
  "script",
  "title",
  "desc",
  "namedview",
]);
/** What could have been meant as part of a piece, but has no outline. */
const NO_OUTLINE = new Set(["line", "text", "image", "foreignobject"]);
const MOST_ELEMENTS = 100_000;
const MOST_SHAPES = 10_000;
const DEEPEST = 200;
/** Letters of an attribute that lists points. */
const LONGEST_LIST = 4_000_000;
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
  /** Told of everything that is left out. */
  readonly onNote?: (note: string) => void;
}

/**
 * @example
 * const [square] = parseSvg(`<svg viewBox="0 0 100 100"><path id="front" d="M0 0h100v100h-100z"/></svg>`);
 * // square.name is "front", 0.1 m wide, with edges e0 … e3
 */
export function parseSvg(
  text: string,
  { metresPerUnit, onNote = () => undefined }: SvgOptions = {},
): Panel[] {
  const root = elementTree(text);
  const base = baseMatrix(root.attributes, metresPerUnit, root.place);
  const drawing: Drawing = { byId: idsOf(root), outlines: [], leftOut: [], shapes: 0, points: 0 };
  draw(root, base, drawing, "", 0);
  for (const note of shortList(drawing.leftOut)) onNote(note);
  const panels = panelsOf("SVG", drawing.outlines, onNote);
  if (panels.length === 0)
    throw new FileError(
      "SVG",
      "drawing",
      `has no closed shape${drawing.leftOut.length > 0 ? ` (${drawing.leftOut[0]})` : ""}`,
      "needs a path, polygon, rect, circle or ellipse",
    );
  return panels;
}

interface Element {
  /** Lower case, without a namespace. */
  name: string;
  attributes: Map<string, string>;
  place: string;
  children: Element[];
}

interface Drawing {
  readonly byId: Map<string, Element>;
  readonly outlines: NamedRing[];
  /** A line each. */
  readonly leftOut: string[];
  shapes: number;
  points: number;
}

/** Draws an element and what is in it. @param inherited name that a `use` gives to what it draws */
function draw(
  element: Element,
  above: Affine,
  drawing: Drawing,
  inherited: string,
  depth: number,
): void {
  const { name: kind, attributes, place } = element;
  if (NOT_DRAWN.has(kind)) return;
  if (depth > DEEPEST) throw new FileError("SVG", place, `nested more than ${DEEPEST} deep`);
  const name = inherited || attributes.get("inkscape:label") || attributes.get("id") || "";
  const shown = name === "" ? `<${kind}> in ${place}` : `"${name.slice(0, 60)}"`;
  if (name.startsWith("_") || isHidden(attributes)) {
    if (isDrawn(element))
      drawing.leftOut.push(`${shown} is hidden, or its name begins with _: left out`);
    return;
  }
  const matrix = composed(above, transformOf(attributes.get("transform") ?? "", place));
  if (kind === "use") {
    drawUse(element, matrix, drawing, name, depth);
    return;
  }
  if (NO_OUTLINE.has(kind)) {
    drawing.leftOut.push(`${shown} (${kind}) has no outline: left out`);
    return;
  }
  const strokes = strokesOf(kind, attributes, matrix, place);
  if (strokes === null) {
    // a group, or something that we do not know: what is in it may be known
    for (const child of element.children) draw(child, matrix, drawing, inherited, depth + 1);
    return;
  }
  if (++drawing.shapes > MOST_SHAPES)
    throw new FileError("SVG", place, "too many shapes", `a pattern may have ${MOST_SHAPES}`);
  for (const part of strokes) {
    for (const stroke of part) drawing.points += stroke.length;
    if (drawing.points > MOST_OUTLINE_POINTS)
      throw new FileError(
        "SVG",
        place,
        `${drawing.points} points so far`,
        `a pattern may have ${MOST_OUTLINE_POINTS}`,
      );
    const closed = ringOrReason("SVG", name || `panel-${drawing.outlines.length + 1}`, part);
    if (typeof closed === "string") drawing.leftOut.push(`${shown} ${closed}: left out`);
    else drawing.outlines.push({ name, shape: drawing.shapes, ring: closed });
  }
}

/** Whether something in an element would be drawn if it were not hidden. */
function isDrawn({ name, children }: Element): boolean {
  const shapes = ["path", "polygon", "polyline", "rect", "circle", "ellipse", "use"];
  return shapes.includes(name) || children.some(isDrawn);
}

function drawUse(
  { attributes, place }: Element,
  matrix: Affine,
  drawing: Drawing,
  name: string,
  depth: number,
): void {
  const reference = attributes.get("href") ?? attributes.get("xlink:href") ?? "";
  const target = reference.startsWith("#") ? drawing.byId.get(reference.slice(1)) : undefined;
  if (target === undefined) {
    drawing.leftOut.push(
      `<use> in ${place} names ${quoted(reference)}, which is not here: left out`,
    );
    return;
  }
  const [x, y] = [numberOf(attributes, "x", place), numberOf(attributes, "y", place)];
  let inner = composed(matrix, [1, 0, 0, 1, x, y]);
  if (target.name !== "symbol") {
    draw(target, inner, drawing, name, depth + 1);
    return;
  }
  // a symbol is a drawing of its own, fitted into the width and height of the use
  const box = viewBoxOf(target.attributes);
  if (box !== null) {
    const [w, h] = [numberOf(attributes, "width", place), numberOf(attributes, "height", place)];
    const scale = w > 0 && h > 0 ? Math.min(w / box[2], h / box[3]) : 1;
    inner = composed(inner, [scale, 0, 0, scale, -scale * box[0], -scale * box[1]]);
  }
  for (const child of target.children) draw(child, inner, drawing, name, depth + 1);
}

function idsOf(root: Element): Map<string, Element> {
  const found = new Map<string, Element>();
  const open = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    const id = element.attributes.get("id");
    if (id !== undefined && !found.has(id)) found.set(id, element);
    for (const child of element.children) open.push(child);
  }
  return found;
}

/** The elements of a text. Unmatched ends are forgiven, as browsers do. */
function elementTree(text: string): Element {
  let root: Element | null = null;
  const open: Element[] = [];
  const openByName = new Map<string, number>();
  let count = 0;
  const close = (): void => {
    const { name } = open.pop()!;
    openByName.set(name, openByName.get(name)! - 1);
  };
  for (const tag of tags(text)) {
    if (tag.kind === "close") {
      if ((openByName.get(tag.name) ?? 0) === 0) continue;
      while (open.at(-1)!.name !== tag.name) close();
      close();
      continue;
    }
    if (++count > MOST_ELEMENTS)
      throw new FileError(
        "SVG",
        tag.place,
        "too many elements",
        `a drawing may have ${MOST_ELEMENTS}`,
      );
    const { name, attributes, place } = tag;
    const element: Element = { name, attributes, place, children: [] };
    if (root === null) {
      if (name !== "svg")
        throw new FileError("SVG", place, `starts with <${name.slice(0, 20)}>`, "needs <svg>");
      root = element;
    }
    open.at(-1)?.children.push(element);
    if (tag.empty) continue;
    open.push(element);
    openByName.set(name, (openByName.get(name) ?? 0) + 1);
    if (open.length > 1000) throw new FileError("SVG", place, "nested more than 1000 deep");
  }
  if (root === null) throw new FileError("SVG", "line 1", "has no <svg>");
  return root;
}

/** Rings of strokes of a shape, moved by M; null for elements that are no shapes. */
function strokesOf(
  name: string,
  attributes: Map<string, string>,
  M: Affine,
  place: string,
): Stroke[][] | null {
  const line = (a: Vec2, b: Vec2): Stroke => [moved(M, a), moved(M, b)];
  const number = (key: string, usual: number = 0): number =>
    numberOf(attributes, key, place, usual);
  switch (name) {
    case "path":
      return pathStrokes(attributes.get("d") ?? "", M, place);
    case "polygon":
    case "polyline": {
      const list = attributes.get("points") ?? "";
      if (list.length > LONGEST_LIST)
        throw new FileError(
          "SVG",
          place,
          `${list.length} letters of points`,
          `may be ${LONGEST_LIST}`,
        );
      const values = list
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

function numberOf(
  attributes: Map<string, string>,
  key: string,
  place: string,
  usual: number = 0,
): number {
  const given = (attributes.get(key) ?? "").trim();
  if (given === "") return usual;
  const match = given.length < 100 && /^([-+]?[\d.]+(?:e[-+]?\d+)?)(?:px)?$/i.exec(given);
  if (!match || !Number.isFinite(Number(match[1])))
    throw new FileError(
      "SVG",
      place,
      `${key}=${quoted(given)}`,
      "needs a number in the drawing's units",
    );
  return Number(match[1]);
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
  const box = viewBoxOf(attributes);
  let scale = metresPerUnit ?? 1e-3;
  if (metresPerUnit === undefined) {
    const scales: number[] = [];
    for (const [key, k] of [
      ["width", 2],
      ["height", 3],
    ] as const) {
      const given = (attributes.get(key) ?? "").trim().slice(0, 100);
      const match = /^([\d.]+(?:e[-+]?\d+)?) ?([a-z]*)$/i.exec(given);
      const unit = match && UNITS.get(match[2].toLowerCase());
      if (!match || unit === undefined || unit === null || !(Number(match[1]) > 0)) continue;
      scales.push(box !== null ? (Number(match[1]) * unit) / box[k] : unit);
    }
    // a picture that does not fit its box keeps its shape
    if (scales.length > 0) scale = Math.min(...scales);
  }
  if (!(scale > 0 && scale < 1e3))
    throw new FileError("SVG", place, `a unit of ${scale} m`, "needs a size above 0");
  const [x, y] = box ?? [0, 0];
  return [scale, 0, 0, -scale, -x * scale, y * scale];
}

/** x, y, width and height; null if there is none. */
function viewBoxOf(attributes: Map<string, string>): number[] | null {
  const text = (attributes.get("viewBox") ?? attributes.get("viewbox") ?? "").slice(0, 400);
  const box = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const isBox = box.length === 4 && box.every(Number.isFinite) && box[2] > 0 && box[3] > 0;
  return isBox ? box : null;
}

function transformOf(text: string, place: string): Affine {
  let matrix: Affine = [1, 0, 0, 1, 0, 0];
  if (text === "") return matrix;
  if (text.length > 10_000)
    throw new FileError("SVG", place, "a transform of more than 10000 letters");
  // one after another from the start, so that nothing is looked at twice
  const one = /[\s,]*([a-zA-Z]{1,20})\s{0,20}\(([^()]*)\)/y;
  for (let match = one.exec(text); match !== null; match = one.exec(text)) {
    const [, name, list] = match;
    const v = list
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    if (v.some((x) => !Number.isFinite(x)))
      throw new FileError("SVG", place, `transform=${quoted(text)}`, "needs numbers");
    matrix = composed(matrix, simpleTransform(name.toLowerCase(), v, place));
    if (one.lastIndex >= text.length) return matrix;
    if (text.slice(one.lastIndex).trim() === "") return matrix;
  }
  throw new FileError("SVG", place, `transform=${quoted(text)}`, "needs name(numbers) …");
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
  let newline = text.indexOf("\n"); // the next one that is not counted yet, −1 after the last
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at)) {
    for (; newline >= 0 && newline < at; newline = text.indexOf("\n", newline + 1)) line++;
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

/** key="value" or key='value', any number of them; what is neither is passed over. */
function attributesOf(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const equals = text.indexOf("=", at);
    if (equals < 0) break;
    const key = /[^\s/"'=]{1,100}\s{0,100}$/.exec(text.slice(Math.max(at, equals - 200), equals));
    let quote = equals + 1;
    while (quote < text.length && text.charCodeAt(quote) <= 32) quote++;
    const mark = text[quote];
    const end = mark === '"' || mark === "'" ? text.indexOf(mark, quote + 1) : -1;
    if (end < 0) {
      at = equals + 1;
      if (mark === '"' || mark === "'") break; // does not end
      continue;
    }
    const name = key?.[0].trim();
    if (name !== undefined && !attributes.has(name))
      attributes.set(name, unescaped(text.slice(quote + 1, end)));
    at = end + 1;
  }
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
