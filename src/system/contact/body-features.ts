/**
 * The edges and corners of bodies with a formula, as points and segments with a radius.
 *
 * Points of the sheet keep their distance from a body by its signed distance (body-contact.ts). Between the points that is not enough: the rim of a
 * table, the corner of a box or a thin rod would come through a triangle. So the sharp and thin parts of bodies are features, which contact keeps off
 * the triangles and edges of the sheet like another layer (layers: point–triangle and edge–edge distances, no closest point
 * that jumps):
 *
 *   sphere     its centre, with its radius                     capsule    its axis, with its radius
 *   box        8 corners and 12 edges, with its rounding        edge       the line of its edge, with its rounding
 *   cylinder   both rims as polygons, with its rounding; rods lines along their side as well
 *   cone       its rim and its apex, and lines along its side     torus      its ring as a polygon, with the minor radius
 *
 * Polygons are inscribed, so a feature never sticks out of its body. What is rounder than THICK spacings has no feature there: triangles keep their
 * distance from it by their nearest point (body-samples.ts), and rows for both would cost half as many iterations again (a ball at 20 m/s: 63 against 41).
 */
import { cos, sin } from "../../linalg/elementary.ts";
import type { Body } from "../../scene/scene.ts";

export interface BodyFeatures {
  /** [3·points] m, in the body's own coordinates. */
  readonly points: Float64Array;
  /** [2·edges] points */
  readonly edges: Int32Array;
  /** m, kept around points and edges besides the thickness. */
  readonly radius: number;
}

/** Spacings: bodies with a smaller radius can come through a triangle between its points. */
export const THICK = 1;
/**
 * Spacings: a rounding of edges beyond this is held by points and triangles alone. On one rounded edge the friction of samples and that of features
 * would disagree: a sheet over a table edge crept by 11 mm/s with both, and rests with either alone.
 */
export const ROUND = 0.3;

/** Lines along the side of a rod or a cone. */
const LINES = 8;
/** Segments of a circle: at least and at most so many; between, as many as keep the polygon within `lacking` of the circle. */
const LEAST_SEGMENTS = 16;
const MOST_SEGMENTS = 240;
/**
 * How far a polygon may lie within its circle, in spacings and in thicknesses: triangles keep half a thickness from the polygon, so that half of that
 * is left to the body. With the spacing alone a sheet of 30 points entered a thin torus by 0.05 mm.
 */
const LACKING = 0.004;
const LACKING_THICKNESS = 0.25;

/**
 * @param spacing    m, of the sheet's points
 * @param thickness  m, of the thinnest sheet
 * @param extent     m, from the body's centre to the farthest that the sheet may be, for edges without end
 */
export function bodyFeatures(
  body: Body,
  spacing: number,
  thickness: number,
  extent: number,
): BodyFeatures | null {
  const lacking = Math.min(LACKING * spacing, LACKING_THICKNESS * thickness);
  const found = sharpFeatures(body, spacing, lacking, extent);
  const isWhole = body.type === "sphere" || body.type === "capsule" || body.type === "torus";
  return found && found.radius < (isWhole ? THICK : ROUND) * spacing ? found : null;
}

function sharpFeatures(
  body: Body,
  spacing: number,
  lacking: number,
  extent: number,
): BodyFeatures | null {
  switch (body.type) {
    case "sphere":
      return features([[0, 0, 0]], [], body.radius);
    case "capsule": {
      const z = body.length / 2;
      return features(
        [
          [0, 0, -z],
          [0, 0, z],
        ],
        [[0, 1]],
        body.radius,
      );
    }
    case "box":
      return boxFeatures(body.size, body.rounding);
    case "edge":
      return features(
        [
          [-body.radius, -extent, -body.radius],
          [-body.radius, extent, -body.radius],
        ],
        [[0, 1]],
        body.radius,
      );
    case "cylinder": {
      const r = Math.min(body.rounding, body.radius, body.length / 2);
      const z = body.length / 2 - r;
      return revolved(
        [body.radius - r, -z],
        [body.radius - r, z],
        r,
        lacking,
        body.radius < THICK * spacing,
      );
    }
    case "cone": {
      const { radius: R, length: L } = body;
      const S = Math.sqrt(R * R + L * L);
      const r = Math.min(body.rounding, (R * L) / (S + R));
      const base = -L / 2 + r;
      const apex = Math.max(base, L / 2 - (r * S) / R);
      const rim = Math.max(0, R - (r * (S + R)) / L);
      return revolved([rim, base], [0, apex], r, lacking, true);
    }
    case "torus": {
      const list: number[][] = [];
      const edges: [number, number][] = [];
      circle(list, edges, body.major, 0, segments(body.major, lacking));
      return features(list, edges, body.minor);
    }
    default:
      return null;
  }
}

function features(points: number[][], edges: [number, number][], radius: number): BodyFeatures {
  return {
    points: Float64Array.from(points.flat()),
    edges: Int32Array.from(edges.flat()),
    radius,
  };
}

/** Corners are numbered by the bits x, y, z; an edge joins two that differ in one. */
function boxFeatures(size: readonly number[], rounding: number): BodyFeatures {
  const r = Math.min(rounding, size[0] / 2, size[1] / 2, size[2] / 2);
  const points: number[][] = [];
  const edges: [number, number][] = [];
  for (let q = 0; q < 8; q++) {
    points.push([0, 1, 2].map((c) => (q & (1 << c) ? 1 : -1) * (size[c] / 2 - r)));
    for (let c = 0; c < 3; c++) if (!(q & (1 << c))) edges.push([q, q | (1 << c)]);
  }
  return features(points, edges, r);
}

/** Two circles (radius, height) about z; a circle of no radius is a point. Lines along the side join them on request. */
function revolved(
  [lowRadius, low]: [number, number],
  [highRadius, high]: [number, number],
  r: number,
  lacking: number,
  isJoined: boolean,
): BodyFeatures {
  const points: number[][] = [];
  const edges: [number, number][] = [];
  const count = segments(Math.max(lowRadius, highRadius), lacking);
  const first = circle(points, edges, lowRadius, low, lowRadius > 0 ? count : 1);
  const second = circle(points, edges, highRadius, high, highRadius > 0 ? count : 1);
  if (isJoined)
    for (let k = 0; k < LINES; k++) {
      const on = (from: number, radius: number) =>
        from + (radius > 0 ? Math.floor((k * count) / LINES) : 0);
      edges.push([on(first, lowRadius), on(second, highRadius)]);
    }
  return features(points, edges, r);
}

/** Segments of a circle, a multiple of the lines along a side. */
function segments(radius: number, lacking: number): number {
  // 1 − cos(π/N) ≈ π²/2N²
  const wanted = Math.ceil(Math.PI * Math.sqrt(radius / (2 * lacking)));
  const count = Math.max(LEAST_SEGMENTS, Math.min(MOST_SEGMENTS, wanted));
  return LINES * Math.ceil(count / LINES);
}

/** Appends a closed polygon, or a point if it has one corner; returns its first point. */
function circle(
  points: number[][],
  edges: [number, number][],
  radius: number,
  z: number,
  count: number,
): number {
  const first = points.length;
  for (let k = 0; k < count; k++) {
    const angle = (2 * Math.PI * k) / count;
    points.push([radius * cos(angle), radius * sin(angle), z]);
    if (count > 1) edges.push([first + k, first + ((k + 1) % count)]);
  }
  return first;
}
