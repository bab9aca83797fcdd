/**
 * Which points of a sheet a scene means: by corner, edge, box, nearest place, number, and a radius
 * around those.
 *
 * The radius is measured over the unrolled sheet, from the place that was asked for and not from
 * the sample nearest to it, so that the picked patch stays where it is when the sampling changes. A
 * pick that misses the sheet is an error: a pin that silently moved to the nearest point would be a
 * wrong experiment.
 */
import type { Pick } from "../scene/scene.ts";
import { createReach } from "./charts.ts";
import type { Part, Sheet } from "./kinematics.ts";
import { squaredLength } from "./plane.ts";
import { SheetError } from "./sheet-error.ts";

/**
 * Boxes and the sheet's rim are met to this fraction of a spacing: rounding, and decimal places in
 * scenes.
 */
const SLACK = 1e-6;

/**
 * The points meant, rising.
 * @throws SheetError that lists everything unknown, outside or empty
 *
 * @example
 * const points = pick(simulation.sheet, simulation.scene.pins[0].at);
 */
export function pick(sheet: Sheet, at: Pick): Int32Array {
  const part = sheet.parts[at.sheet];
  if (part === undefined) {
    const known = sheet.parts.map(({ name }) => `"${name}"`).join(", ");
    throw new SheetError("pick", [`sheet ${at.sheet}: there are ${sheet.parts.length} (${known})`]);
  }
  const faults: string[] = [];
  /** Point → where in the chart of that point the pick was meant. */
  const picked = new Map<number, [number, number][]>();
  const add = (i: number, offset: [number, number] = [0, 0]): void => {
    picked.set(i, [...(picked.get(i) ?? []), offset]);
  };

  for (const name of at.corners) {
    if (Object.hasOwn(part.corners, name)) add(part.corners[name]);
    else faults.push(unknown("corner", name, part, Object.keys(part.corners)));
  }
  for (const name of at.edges) {
    const edge = Object.hasOwn(part.edges, name) ? part.edges[name] : null;
    if (edge === null) faults.push(unknown("edge", name, part, Object.keys(part.edges)));
    else for (let k = 0; k < edge.length; k++) add(edge[k]);
  }
  for (const { min, max } of at.regions) {
    const found = inBox(sheet, part, min, max);
    for (const i of found) add(i);
    if (found.length === 0) {
      faults.push(
        `region [${min}] … [${max}] holds no point of "${part.name}", ${reaches(sheet, part)}`,
      );
    }
  }
  for (const [u, v] of at.nearest) {
    const { point, outside } = nearest(sheet, part, u, v);
    if (outside > sheet.spacing[point] / 2) {
      const by = `${outside.toPrecision(3)} m`;
      faults.push(`nearest (${u}, ${v}) is ${by} outside "${part.name}", ${reaches(sheet, part)}`);
    } else add(point, [u - sheet.uv[2 * point], v - sheet.uv[2 * point + 1]]);
  }
  for (const i of at.points) {
    if (Number.isInteger(i) && i >= 0 && i < part.points) add(part.firstPoint + i);
    else faults.push(`point ${i}: "${part.name}" has points 0 … ${part.points - 1}`);
  }
  if (faults.length === 0 && picked.size === 0) faults.push("names no points");
  if (faults.length > 0) throw new SheetError("pick", faults);

  const points = new Set(picked.keys());
  if (at.radius > 0) {
    const reach = createReach(sheet);
    for (const [i, offsets] of picked) {
      for (const [u, v] of offsets) for (const j of reach(i, u, v, at.radius)) points.add(j);
    }
  }
  return Int32Array.from(points).sort();
}

function unknown(what: string, name: string, part: Part, known: readonly string[]): string {
  if (known.length === 0) return `${what} "${name}": "${part.name}" has no named ${what}s`;
  const shown = known
    .slice(0, 24)
    .map((k) => `"${k}"`)
    .join(", ");
  const more = known.length > 24 ? `, and ${known.length - 24} more` : "";
  return `${what} "${name}": "${part.name}" has ${shown}${more}`;
}

function inBox(
  { uv, spacing }: Sheet,
  part: Part,
  min: readonly number[],
  max: readonly number[],
): number[] {
  const found: number[] = [];
  for (let i = part.firstPoint; i < part.firstPoint + part.points; i++) {
    const slack = SLACK * spacing[i];
    const inside = [0, 1].every(
      (c) => uv[2 * i + c] >= min[c] - slack && uv[2 * i + c] <= max[c] + slack,
    );
    if (inside) found.push(i);
  }
  return found;
}

/** The sample nearest to a place in uv, and how far outside all triangles the place is, m. */
function nearest(
  { uv, triangles, corners: x }: Sheet,
  part: Part,
  u: number,
  v: number,
): { point: number; outside: number } {
  let [point, least] = [part.firstPoint, Infinity];
  for (let i = part.firstPoint; i < part.firstPoint + part.points; i++) {
    const distance = squaredLength(uv[2 * i] - u, uv[2 * i + 1] - v);
    if (distance < least) [point, least] = [i, distance];
  }
  // Corners have the coordinates of their triangle, also beyond the cut of a tube.
  let outside = Infinity;
  const from = 3 * part.firstTriangle;
  for (let k = from; k < from + 3 * part.triangles; k++) {
    const distance = squaredLength(x[2 * k] - u, x[2 * k + 1] - v);
    if (distance < least) [point, least] = [triangles[k], distance];
  }
  for (let t = part.firstTriangle; t < part.firstTriangle + part.triangles && outside > 0; t++) {
    outside = Math.min(outside, toTriangle(x as Float64Array, 6 * t, u, v));
  }
  return { point, outside: Math.sqrt(outside) };
}

/** Squared distance from a place to a triangle; 0 inside. */
function toTriangle(x: Float64Array, at: number, u: number, v: number): number {
  let inside = true;
  let least = Infinity;
  for (let k = 0; k < 3; k++) {
    const [a, b] = [at + 2 * k, at + 2 * ((k + 1) % 3)];
    const [du, dv] = [x[b] - x[a], x[b + 1] - x[a + 1]];
    const [pu, pv] = [u - x[a], v - x[a + 1]];
    if (du * pv - dv * pu < 0) inside = false;
    const s = Math.max(0, Math.min(1, (pu * du + pv * dv) / (du * du + dv * dv)));
    least = Math.min(least, squaredLength(pu - s * du, pv - s * dv));
  }
  return inside ? 0 : least;
}

function reaches({ uv }: Sheet, part: Part): string {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = part.firstPoint; i < part.firstPoint + part.points; i++) {
    for (const c of [0, 1]) {
      box[c] = Math.min(box[c], uv[2 * i + c]);
      box[2 + c] = Math.max(box[2 + c], uv[2 * i + c]);
    }
  }
  const [a, b, c, d] = box.map((value) => Number(value.toPrecision(6)));
  return `which reaches from (${a}, ${b}) to (${c}, ${d})`;
}
