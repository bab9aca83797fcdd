/** The meaning of a pick: which sheet, which points; and what can be said against it before the sheet is built. */
import { type Faults, type Path, show, suggestion } from "./faults.ts";
import type { PickInput, SamplingInput, ShapeInput } from "./input.ts";
import { about } from "./meaning-sheet.ts";
import type { Pick, Vec2 } from "./scene.ts";
import { type Box, boxOf } from "./shapes.ts";

/** What of a sheet is known to be sound: enough to check picks against. */
export interface Outline {
  name: string;
  /** null if its form is faulty. */
  shape: ShapeInput | null;
  sampling: SamplingInput;
}

const CORNERS = ["top-left", "top-right", "bottom-left", "bottom-right"];
/** Edges that we know without building the sheet. */
const EDGES: Partial<Record<ShapeInput["type"], readonly string[]>> = {
  rectangle: ["left", "right", "top", "bottom", "boundary"],
  tube: ["top", "bottom", "boundary"],
};

export function pickOf(
  at: PickInput | PickInput[],
  path: Path,
  sheets: readonly Outline[],
  faults: Faults,
): Pick {
  const parts = Array.isArray(at) ? at : [at];
  const where = (k: number): Path => (Array.isArray(at) ? [...path, k] : path);
  const pick: Pick = {
    sheet: 0,
    corners: [],
    edges: [],
    regions: [],
    nearest: [],
    points: [],
    radius: 0,
  };
  parts.forEach((part, k) => {
    const sheet = sheetNumber(part.sheet, [...where(k), "sheet"], sheets, faults);
    const radius = part.radius ?? 0;
    if (k > 0 && sheet !== pick.sheet)
      faults.add([...where(k), "sheet"], "points of several sheets; make one entry for each sheet");
    if (k > 0 && radius !== pick.radius)
      faults.add(
        [...where(k), "radius"],
        `got ${radius}, needs the radius of the first, ${pick.radius}`,
      );
    pick.sheet = sheet;
    pick.radius = radius;
    const size = pickSize(pick);
    pick.corners.push(...some(part.corner), ...(part.corners ?? []));
    pick.edges.push(...some(part.edge), ...(part.edges ?? []));
    pick.regions.push(...some(part.region), ...(part.regions ?? []));
    pick.nearest.push(...pairs(part.nearest));
    pick.points.push(...(part.points ?? []));
    if (pickSize(pick) === size)
      faults.add(where(k), "picks no points", "give corner, edge, region, nearest or points");
    if (sheets[sheet] !== undefined) checkPick(part, sheets[sheet], where(k), faults);
  });
  return pick;
}

function some<T>(one: T | undefined): T[] {
  return one === undefined ? [] : [one];
}

function pairs(nearest: Vec2 | Vec2[] | undefined): Vec2[] {
  if (nearest === undefined) return [];
  return typeof nearest[0] === "number" ? [nearest as Vec2] : (nearest as Vec2[]);
}

function pickSize(pick: Pick): number {
  const { corners, edges, regions, nearest, points } = pick;
  return corners.length + edges.length + regions.length + nearest.length + points.length;
}

function sheetNumber(
  sheet: number | string | undefined,
  path: Path,
  sheets: readonly Outline[],
  faults: Faults,
): number {
  if (sheet === undefined) return 0;
  if (typeof sheet === "number") {
    if (sheet >= sheets.length && sheets.length > 0)
      faults.add(path, `got ${sheet}, needs 0 … ${sheets.length - 1}`);
    return sheet;
  }
  const names = sheets.map((s) => s.name);
  const k = names.indexOf(sheet);
  if (k < 0) faults.add(path, `no sheet is named ${show(sheet)}`, suggestion(sheet, names));
  return Math.max(0, k);
}

/** What can be said about a pick before the sheet is built: names, and what lies outside it. */
function checkPick(pick: PickInput, sheet: Outline, path: Path, faults: Faults): void {
  const { shape, sampling } = sheet;
  if (shape === null) return;
  const named = (kind: "corner" | "edge", known: readonly string[] | undefined): void => {
    const one: [Path, string][] = some(pick[kind]).map((name) => [[...path, kind], name]);
    const several = pick[`${kind}s`] ?? [];
    const more: [Path, string][] = several.map((name, k) => [[...path, `${kind}s`, k], name]);
    if (known === undefined) return;
    for (const [at, name] of [...one, ...more])
      if (!known.includes(name))
        faults.add(
          at,
          `got ${show(name)}, a ${shape.type} has no such ${kind}`,
          suggestion(name, known),
        );
  };
  named("corner", shape.type === "rectangle" ? CORNERS : undefined);
  named("edge", EDGES[shape.type]);

  const box = boxOf(shape);
  if (box !== null) checkInside(pick, box, path, faults);

  // a grid may round the number of points a little; the sheet checks it again
  const counted = sampling.spacing === undefined && shape.type !== "mesh";
  const most = counted ? 1.5 * about(shape, sampling) + 10 : Number.POSITIVE_INFINITY;
  for (const [k, i] of (pick.points ?? []).entries())
    if (i >= most)
      faults.add(
        [...path, "points", k],
        `got ${i}, the sheet has about ${about(shape, sampling)} points`,
      );
}

function checkInside(
  pick: PickInput,
  { min, max, width, height }: Box,
  path: Path,
  faults: Faults,
): void {
  const size = Math.max(width, height);
  const slack = 1e-6 * size + (pick.radius ?? 0);
  const beyond = (low: Vec2, high: Vec2): boolean =>
    [0, 1].some((c) => high[c] < min[c] - slack || low[c] > max[c] + slack);
  const span = `u ${min[0]} … ${max[0]}, v ${min[1]} … ${max[1]} m`;

  const single = typeof pick.nearest?.[0] === "number";
  for (const [k, p] of pairs(pick.nearest).entries())
    if (beyond(p, p))
      faults.add(
        single ? [...path, "nearest"] : [...path, "nearest", k],
        `got [${p.join(", ")}], outside the sheet; needs ${span}`,
        Math.max(Math.abs(p[0]), Math.abs(p[1])) > 10 * size ? "is it in millimetres?" : "",
      );

  const one: [Path, { min: Vec2; max: Vec2 }][] = some(pick.region).map((r) => [
    [...path, "region"],
    r,
  ]);
  const more: typeof one = (pick.regions ?? []).map((r, k) => [[...path, "regions", k], r]);
  for (const [at, r] of [...one, ...more]) {
    if (r.min[0] > r.max[0] || r.min[1] > r.max[1])
      faults.add(at, `got min [${r.min.join(", ")}] beyond max [${r.max.join(", ")}]`);
    else if (beyond(r.min, r.max))
      faults.add(at, `outside the sheet; needs a box that meets ${span}`);
  }
}
