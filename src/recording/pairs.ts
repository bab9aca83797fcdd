/**
 * Growth of distances: the strictest test that a sheet has not stretched.
 *
 * No isometry takes two points farther apart than the straight line between them on the material. So over all pairs more
 * than five spacings apart, max |y_i − y_j| / d_ij − 1 is the stretch that no averaging can hide, and in a flat convex
 * sheet d_ij is simply the distance in uv.
 *
 * Elsewhere (holes, notches, tubes, seams) the distance in uv is not that of the material. There we draw straight lines
 * on the material instead: from a point through the triangles around it, unfolding each next triangle into the plane of
 * the last, until the rim. A point on the line at length s has been carried no farther than s by any isometry.
 *
 * Cost: pairs O(n²), so above 3000 points every k-th point is taken, which is the same choice every time; lines from at
 * most 400 points, three through every triangle around each.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { Part } from "../sheet/kinematics.ts";
import { twins } from "../sheet/plane.ts";
import { distance, type MeasuredSheet } from "./measures.ts";

/** 4.5 million pairs, some 30 ms. */
const MOST_POINTS = 3000;
const MOST_SOURCES = 400;
const LINES_PER_TRIANGLE = 3;
/** Nearer pairs measure the mesh, not the sheet. */
const SPACINGS = 5;

/**
 * The largest growth of a straight distance over its rest distance, or 0 if none grew.
 *
 * @example
 * const growth = pairMax(simulation.sheet, simulation.Y);
 */
export function pairMax(sheet: MeasuredSheet, Y: ReadonlyF64): number {
  let max = 0;
  let twin: Int32Array | null = null;
  for (const part of sheet.parts) {
    const reach = SPACINGS * meanSpacing(sheet, part);
    if (isFlat(sheet, part) && isConvex(sheet, part)) {
      max = Math.max(max, overPairs(sheet, part, Y, reach));
    } else {
      twin ??= twins(sheet);
      max = Math.max(max, alongLines(sheet, part, Y, reach, twin));
    }
  }
  return max;
}

function meanSpacing(sheet: MeasuredSheet, { firstPoint, points }: Part): number {
  let sum = 0;
  for (let i = firstPoint; i < firstPoint + points; i++) sum += sheet.spacing[i];
  return points > 0 ? sum / points : 0;
}

/** Every triangle lies in uv as it lies in its own chart: no seam, no tube, no curved mesh. */
function isFlat(sheet: MeasuredSheet, { firstTriangle, triangles: count }: Part): boolean {
  const { triangles, corners, uv, triangleArea } = sheet;
  for (let t = firstTriangle; t < firstTriangle + count; t++) {
    const near = 1e-6 * Math.sqrt(triangleArea[t]);
    for (let c = 0; c < 3; c++) {
      const i = triangles[3 * t + c];
      // one chart per part may be shifted, so compare sides
      const j = triangles[3 * t + ((c + 1) % 3)];
      const d = (c + 1) % 3;
      for (let a = 0; a < 2; a++) {
        const side = corners[6 * t + 2 * d + a] - corners[6 * t + 2 * c + a];
        if (Math.abs(uv[2 * j + a] - uv[2 * i + a] - side) > near) return false;
      }
    }
  }
  return true;
}

/** The triangles fill the convex hull of the points. */
function isConvex(sheet: MeasuredSheet, part: Part): boolean {
  let area = 0;
  for (let t = part.firstTriangle; t < part.firstTriangle + part.triangles; t++)
    area += sheet.triangleArea[t];
  return Math.abs(hullArea(sheet.uv, part) - area) <= 1e-6 * area;
}

/** Area of the convex hull (Andrew's chains). */
function hullArea(uv: ReadonlyF64, { firstPoint, points }: Part): number {
  const order = Array.from({ length: points }, (_, k) => firstPoint + k);
  order.sort((i, j) => uv[2 * i] - uv[2 * j] || uv[2 * i + 1] - uv[2 * j + 1]);
  const turn = (i: number, j: number, k: number): number =>
    (uv[2 * j] - uv[2 * i]) * (uv[2 * k + 1] - uv[2 * i + 1]) -
    (uv[2 * j + 1] - uv[2 * i + 1]) * (uv[2 * k] - uv[2 * i]);
  let twice = 0;
  for (const chain of [order, order.slice().reverse()]) {
    const hull: number[] = [];
    for (const i of chain) {
      while (hull.length > 1 && turn(hull[hull.length - 2], hull[hull.length - 1], i) <= 0)
        hull.pop();
      hull.push(i);
    }
    for (let k = 0; k + 1 < hull.length; k++) {
      const [i, j] = [hull[k], hull[k + 1]];
      twice += uv[2 * i] * uv[2 * j + 1] - uv[2 * i + 1] * uv[2 * j];
    }
  }
  return 0.5 * twice;
}

function overPairs(sheet: MeasuredSheet, part: Part, Y: ReadonlyF64, reach: number): number {
  const { uv } = sheet;
  const chosen = everyKth(part, MOST_POINTS);
  let max = 0; // of |y|²/d², the root only at the end
  for (let a = 0; a < chosen.length; a++) {
    const i = chosen[a];
    for (let b = a + 1; b < chosen.length; b++) {
      const j = chosen[b];
      const u = uv[2 * i] - uv[2 * j];
      const v = uv[2 * i + 1] - uv[2 * j + 1];
      const rest = u * u + v * v;
      if (rest <= reach * reach) continue;
      const x = Y[3 * i] - Y[3 * j];
      const y = Y[3 * i + 1] - Y[3 * j + 1];
      const z = Y[3 * i + 2] - Y[3 * j + 2];
      const ratio = (x * x + y * y + z * z) / rest;
      max = Math.max(max, ratio);
    }
  }
  return growth(Math.sqrt(max));
}

function growth(ratio: number): number {
  return ratio <= 1 ? 0 : ratio - 1; // NaN stays
}

/** At most `most` points of the part, evenly through their order. */
function everyKth({ firstPoint, points }: Part, most: number): number[] {
  const k = Math.max(1, Math.ceil(points / most));
  const chosen: number[] = [];
  for (let i = firstPoint; i < firstPoint + points; i += k) chosen.push(i);
  return chosen;
}

function alongLines(
  sheet: MeasuredSheet,
  part: Part,
  Y: ReadonlyF64,
  reach: number,
  twin: Int32Array,
): number {
  const { triangles } = sheet;
  const chosen = new Set(everyKth(part, MOST_SOURCES));
  let max = 0;
  const first = 3 * part.firstTriangle;
  for (let k = first; k < first + 3 * part.triangles; k++) {
    if (!chosen.has(triangles[k])) continue;
    for (let line = 0; line < LINES_PER_TRIANGLE; line++) {
      const ratio = straightLine(sheet, Y, k, (line + 0.5) / LINES_PER_TRIANGLE, reach, twin);
      max = Math.max(max, ratio);
    }
  }
  return growth(max);
}

/**
 * Follows the straight line from corner `k` of a triangle through the point at `share` of the opposite side.
 * Gives the largest ratio of the distance in space to the length s on the material, at sides crossed with s > reach.
 */
function straightLine(
  { triangles, corners }: MeasuredSheet,
  Y: ReadonlyF64,
  k: number,
  share: number,
  reach: number,
  twin: Int32Array,
): number {
  const source = triangles[k];
  const at = (place: number, c: number): number => corners[2 * place + c];
  let side = next(k); // the side from corner `side` to corner next(side)
  let tau = share;
  let s = 0;
  let u = at(side, 0) + tau * (at(next(side), 0) - at(side, 0));
  let v = at(side, 1) + tau * (at(next(side), 1) - at(side, 1));
  let du = u - at(k, 0);
  let dv = v - at(k, 1);
  s = Math.sqrt(du * du + dv * dv);
  du /= s;
  dv /= s;

  let max = 0;
  for (let steps = 0; steps < triangles.length; steps++) {
    if (s > reach) {
      const i = triangles[side];
      const j = triangles[next(side)];
      let squared = 0;
      for (let c = 0; c < 3; c++) {
        const x = Y[3 * i + c] + tau * (Y[3 * j + c] - Y[3 * i + c]) - Y[3 * source + c];
        squared += x * x;
      }
      const ratio = Math.sqrt(squared) / s;
      max = Math.max(max, ratio);
    }
    const across = twin[side];
    if (across < 0) break;

    // the same side in the next triangle runs the other way: turn the direction by the angle between the two
    const au = at(next(side), 0) - at(side, 0);
    const av = at(next(side), 1) - at(side, 1);
    const bu = at(across, 0) - at(next(across), 0);
    const bv = at(across, 1) - at(next(across), 1);
    const scale = 1 / Math.sqrt((au * au + av * av) * (bu * bu + bv * bv));
    const cosine = (au * bu + av * bv) * scale;
    const sine = (au * bv - av * bu) * scale;
    const turned = du * cosine - dv * sine;
    dv = du * sine + dv * cosine;
    du = turned;
    u = at(next(across), 0) + tau * bu;
    v = at(next(across), 1) + tau * bv;

    // it leaves by one of the two other sides: the first that lies ahead
    let best = Number.POSITIVE_INFINITY;
    for (const exit of [next(across), next(next(across))]) {
      const eu = at(next(exit), 0) - at(exit, 0);
      const ev = at(next(exit), 1) - at(exit, 1);
      const cross = du * ev - dv * eu;
      if (!(cross > 0)) continue; // sides run counter-clockwise, so leaving ones turn left of the line
      const wu = at(exit, 0) - u;
      const wv = at(exit, 1) - v;
      const length = (wu * ev - wv * eu) / cross;
      if (length < best && length >= 0) {
        best = length;
        side = exit;
        tau = Math.min(1, Math.max(0, (wu * dv - wv * du) / cross));
      }
    }
    if (best === Number.POSITIVE_INFINITY) break;
    s += best;
  }
  return max;
}

/** The next corner of the same triangle. */
function next(place: number): number {
  return place % 3 === 2 ? place - 2 : place + 1;
}

/**
 * Growth of the straight distance from one point to every other over their distance in uv, signed; for flat sheets.
 *
 * @example
 * const growth = growthFrom(simulation.sheet, simulation.Y, 0); // of every point's distance from point 0
 */
export function growthFrom(sheet: MeasuredSheet, Y: ReadonlyF64, source: number): Float64Array {
  const out = new Float64Array(sheet.n);
  for (let i = 0; i < sheet.n; i++) {
    const u = sheet.uv[2 * i] - sheet.uv[2 * source];
    const v = sheet.uv[2 * i + 1] - sheet.uv[2 * source + 1];
    const rest = Math.sqrt(u * u + v * v);
    out[i] = rest > 0 ? distance(Y, i, source) / rest - 1 : 0;
  }
  return out;
}
