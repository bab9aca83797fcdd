/**
 * Shapes of SVG as strokes: rectangles, circles, polygons and paths.
 */

import SvgPath from "svg-path-commander";
import { atan2, cos, sin } from "../linalg/elementary.ts";
import type { Vec2 } from "../scene/scene.ts";
import { FileError, quoted } from "./file-error.ts";
import { type Affine, cubic, moved, movedArc, quadratic, type Stroke } from "./pattern.ts";

/** Letters of an attribute that lists points. */
const LONGEST_LIST = 4_000_000;

/** Rings of strokes of a shape, moved by M; null for elements that are no shapes. */
export function strokesOf(
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

export function numberOf(
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
