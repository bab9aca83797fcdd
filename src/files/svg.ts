/**
 * Patterns drawn as SVG (Inkscape, Illustrator, Seamly, Valentina): every closed outline is a panel, named by its
 * inkscape:label, else by its id. The pieces of a path, lines and curves, are its edges e0, e1, … in the order drawn.
 * An outline within another is a hole of it, whether it is part of the same path or a shape of its own; one within a hole
 * is a panel again. `use` draws what it names, where it says.
 *
 * Size. `width="210mm"` with a viewBox says what a unit is; a width without a unit is in pixels of 1/96
 * inch, as the standard has it; without a width a unit is a millimetre. y is down in SVG and turned up.
 *
 * A line or open path named "grain" (its own name, or its group's) is the grain line of the panel that it lies in.
 *
 * Left out, and reported: other open paths and lines (notches), text, pictures, what is hidden, and every shape or group
 * whose name begins with "_".
 *
 * The XML is read by our own scanner: no entities, no DTD, nothing is fetched. It goes through the text once; what a
 * drawing may have of elements, drawn shapes and points is bounded, because `use` can multiply.
 */
import type { Panel } from "../scene/scene.ts";
import { FileError, quoted } from "./file-error.ts";
import {
  type Affine,
  composed,
  GRAIN,
  type GrainLine,
  grainLine,
  MOST_OUTLINE_POINTS,
  moved,
  type NamedRing,
  panelsOf,
  ringOrReason,
  type Stroke,
  shortList,
  withGrain,
} from "./pattern.ts";
import { numberOf, strokesOf } from "./svg-strokes.ts";
import { baseMatrix, transformOf, viewBoxOf } from "./svg-transform.ts";
import { DEEPEST, type Element, elementTree } from "./svg-xml.ts";

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
const MOST_SHAPES = 10_000;

export interface SvgOptions {
  /** m; overrides what the file says about its size. */
  readonly metresPerUnit?: number;
  /** Called with a sentence about everything that is left out. */
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
  const drawing: Drawing = {
    ...{ byId: idsOf(root), outlines: [], grains: [], leftOut: [] },
    ...{ shapes: 0, points: 0 },
  };
  draw(root, base, drawing, { name: "", isGrain: false }, 0);
  for (const note of shortList(drawing.leftOut)) onNote(note);
  const panels = panelsOf("SVG", drawing.outlines, onNote);
  if (panels.length === 0)
    throw new FileError(
      "SVG",
      "drawing",
      `has no closed shape${drawing.leftOut.length > 0 ? ` (${drawing.leftOut[0]})` : ""}`,
      "needs a path, polygon, rect, circle or ellipse",
    );
  return withGrain(panels, drawing.grains, onNote);
}

/** What an element has from those around it. */
interface Inherited {
  /** That a `use` gives to what it draws. */
  readonly name: string;
  /** Whether a group around it is named for grain lines. */
  readonly isGrain: boolean;
}

interface Drawing {
  readonly byId: Map<string, Element>;
  readonly outlines: NamedRing[];
  readonly grains: GrainLine[];
  /** A line each. */
  readonly leftOut: string[];
  shapes: number;
  points: number;
}

/** Draws an element and what is in it. */
function draw(
  element: Element,
  above: Affine,
  drawing: Drawing,
  inherited: Inherited,
  depth: number,
): void {
  const { name: kind, attributes, place } = element;
  if (NOT_DRAWN.has(kind)) return;
  if (depth > DEEPEST) throw new FileError("SVG", place, `nested more than ${DEEPEST} deep`);
  const name = inherited.name || attributes.get("inkscape:label") || attributes.get("id") || "";
  const shown = name === "" ? `<${kind}> in ${place}` : `"${name.slice(0, 60)}"`;
  if (name.startsWith("_") || isHidden(attributes)) {
    if (isDrawn(element))
      drawing.leftOut.push(`${shown} is hidden, or its name begins with _: left out`);
    return;
  }
  const matrix = composed(above, transformOf(attributes.get("transform") ?? "", place));
  if (kind === "use") {
    drawUse(element, matrix, drawing, { ...inherited, name }, depth);
    return;
  }
  const isGrain = inherited.isGrain || GRAIN.test(name);
  if (isGrain && kind === "line") {
    const end = (n: 1 | 2): [number, number] => [
      numberOf(attributes, `x${n}`, place),
      numberOf(attributes, `y${n}`, place),
    ];
    addGrain(drawing, shown, [[moved(matrix, end(1)), moved(matrix, end(2))]]);
    return;
  }
  if (NO_OUTLINE.has(kind)) {
    drawing.leftOut.push(`${shown} (${kind}) has no outline: left out`);
    return;
  }
  const strokes = strokesOf(kind, attributes, matrix, place);
  if (strokes === null) {
    // a group, or something that we do not know: what is in it may be known
    const inner = { ...inherited, isGrain };
    for (const child of element.children) draw(child, matrix, drawing, inner, depth + 1);
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
    if (typeof closed === "string" && isGrain) addGrain(drawing, shown, part);
    else if (typeof closed === "string") drawing.leftOut.push(`${shown} ${closed}: left out`);
    else drawing.outlines.push({ name, shape: drawing.shapes, ring: closed });
  }
}

function addGrain(drawing: Drawing, shown: string, strokes: readonly Stroke[]): void {
  const line = grainLine(shown, strokes);
  if (line === null) drawing.leftOut.push(`${shown} has no length: left out`);
  else drawing.grains.push(line);
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
  inherited: Inherited,
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
    draw(target, inner, drawing, inherited, depth + 1);
    return;
  }
  // a symbol is a drawing of its own, fitted into the width and height of the use
  const box = viewBoxOf(target.attributes);
  if (box !== null) {
    const [w, h] = [numberOf(attributes, "width", place), numberOf(attributes, "height", place)];
    const scale = w > 0 && h > 0 ? Math.min(w / box[2], h / box[3]) : 1;
    inner = composed(inner, [scale, 0, 0, scale, -scale * box[0], -scale * box[1]]);
  }
  for (const child of target.children) draw(child, inner, drawing, inherited, depth + 1);
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

function isHidden(attributes: Map<string, string>): boolean {
  const style = attributes.get("style") ?? "";
  return (
    attributes.get("display") === "none" ||
    attributes.get("visibility") === "hidden" ||
    /display\s*:\s*none/.test(style)
  );
}
