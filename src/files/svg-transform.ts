/**
 * From the units of an SVG file to metres: size, viewBox and `transform` attributes.
 */
import { cos, sin } from "../linalg/elementary.ts";
import { FileError, quoted } from "./file-error.ts";
import { type Affine, composed } from "./pattern.ts";

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

/** From the drawing's units to metres with v up. */
export function baseMatrix(
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
export function viewBoxOf(attributes: Map<string, string>): number[] | null {
  const text = (attributes.get("viewBox") ?? attributes.get("viewbox") ?? "").slice(0, 400);
  const box = text
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const isBox = box.length === 4 && box.every(Number.isFinite) && box[2] > 0 && box[3] > 0;
  return isBox ? box : null;
}

export function transformOf(text: string, place: string): Affine {
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
