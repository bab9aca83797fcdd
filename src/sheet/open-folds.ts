/**
 * Panels that are sewn together and start flat on each other, like the two discs of a balloon, start a little apart instead.
 *
 * Layers in one plane have no sides: nothing could say which of them is the upper one, and pressure may push them through each other. So every point of such
 * a panel goes along the panel's normal, by SLOPE times its distance from the seam where the sheet turns back, and by its thickness at most.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { Part, Sheet } from "./kinematics.ts";

/** Height over distance from the seam: strains by SLOPE²/2, an eighth of a percent. */
const SLOPE = 0.05;
/** 1 − |cos| of the angle between planes that are parallel. */
const FLAT = 1e-9;
/** Share of the thickness that two sides of a seam which is closed may be apart. */
const APART = 1e-3;

/** A panel that lies in a plane. */
interface FlatPanel {
  readonly normal: Float64Array;
  /** Whether its points go along its normal. */
  opens: boolean;
}

/** Moves the points of panels of one part that lie on each other; the others stay as they are. */
export function openFolds(Y: Float64Array, sheet: Sheet, part: Part, thickness: number): void {
  const seam = closedSeams(Y, sheet, part, APART * thickness);
  const panelsAt = panelsOfPoints(Y, sheet, part, seam);
  const folds = foldPoints(panelsAt);
  if (folds.length === 0) return;
  openNeighbours(panelsAt);
  const places = Y.slice();
  for (let i = part.firstPoint; i < part.firstPoint + part.points; i++) {
    const panel = panelsAt.get(seam(i))?.find(({ opens }) => opens);
    if (!panel) continue;
    const height = Math.min(thickness, SLOPE * distance(places, i, folds));
    for (let c = 0; c < 3; c++) Y[3 * i + c] += height * panel.normal[c];
  }
}

/** One number for all points that are sewn together and are in one place. */
function closedSeams(
  Y: ReadonlyF64,
  { sewn }: Sheet,
  { firstPoint, points }: Part,
  apart: number,
): (i: number) => number {
  const number = Array.from({ length: points }, (_, k) => {
    const other = sewn?.[firstPoint + k] ?? firstPoint + k;
    return distance(Y, firstPoint + k, [other]) <= apart ? other : firstPoint + k;
  });
  return (i) => number[i - firstPoint];
}

/** The flat panels at every point; a point that is sewn has several. */
function panelsOfPoints(
  Y: ReadonlyF64,
  { triangles }: Sheet,
  part: Part,
  seam: (i: number) => number,
): Map<number, FlatPanel[]> {
  const out = new Map<number, FlatPanel[]>();
  let t = part.firstTriangle;
  for (const panel of part.panels ?? []) {
    const end = t + panel.triangles;
    const normal = planeOf(Y, triangles, t, end);
    const flat = normal && { normal, opens: false };
    for (let k = 3 * t; k < 3 * end && flat; k++) {
      const i = seam(triangles[k]);
      const list = out.get(i) ?? [];
      if (!list.includes(flat)) list.push(flat);
      out.set(i, list);
    }
    t = end;
  }
  return out;
}

/** The unit normal that triangles t … end have in common, or null. */
function planeOf(
  Y: ReadonlyF64,
  triangles: Sheet["triangles"],
  t: number,
  end: number,
): Float64Array | null {
  const first = new Float64Array(3);
  const n = new Float64Array(3);
  for (let k = t; k < end; k++) {
    const [a, b, c] = [3 * triangles[3 * k], 3 * triangles[3 * k + 1], 3 * triangles[3 * k + 2]];
    for (let x = 0; x < 3; x++) {
      const [y, z] = [(x + 1) % 3, (x + 2) % 3];
      n[x] = (Y[b + y] - Y[a + y]) * (Y[c + z] - Y[a + z]);
      n[x] -= (Y[b + z] - Y[a + z]) * (Y[c + y] - Y[a + y]);
    }
    const length = Math.sqrt(dot(n, n));
    for (let x = 0; x < 3; x++) n[x] /= length;
    if (k === t) first.set(n);
    if (!(dot(n, first) > 1 - FLAT)) return null;
  }
  return first;
}

/** Points of seams where a panel lies back on another one; both panels open. */
function foldPoints(panelsAt: ReadonlyMap<number, readonly FlatPanel[]>): number[] {
  const out: number[] = [];
  for (const [i, [first, ...others]] of panelsAt) {
    const back = others.filter(({ normal }) => dot(normal, first.normal) < FLAT - 1);
    if (back.length === 0) continue;
    for (const panel of [first, ...back]) panel.opens = true;
    out.push(i);
  }
  return out;
}

/** A panel that continues one that opens, in the same plane, opens with it. */
function openNeighbours(panelsAt: ReadonlyMap<number, readonly FlatPanel[]>): void {
  for (let isDone = false; !isDone; ) {
    isDone = true;
    for (const panels of panelsAt.values())
      for (const { normal } of panels.filter(({ opens }) => opens))
        for (const panel of panels) {
          if (panel.opens || !(dot(panel.normal, normal) > 1 - FLAT)) continue;
          panel.opens = true;
          isDone = false;
        }
  }
}

/** m: from point i to the nearest of others; 0 if it is one of them, or sewn to it. */
function distance(Y: ReadonlyF64, i: number, others: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY;
  for (const j of others) {
    let sum = 0;
    for (let c = 0; c < 3; c++) sum += (Y[3 * i + c] - Y[3 * j + c]) ** 2;
    least = Math.min(least, sum);
  }
  return Math.sqrt(least);
}

function dot(a: ReadonlyF64, b: ReadonlyF64): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
