/** The bytes of a recorded sheet: arrays by name, after a JSON table of their places. Little-endian. */
import type { Part } from "../sheet/kinematics.ts";
import { container, isRecord, opened, RecordingError, viewOf } from "./container.ts";
import type { MeasuredSheet } from "./measures.ts";

const SHEET_MAGIC = "ISOSHEET";
const ARRAYS = {
  rest: "f64",
  uv: "f64",
  triangles: "i32",
  corners: "f64",
  edges: "i32",
  edgeLength: "f64",
  triangleArea: "f64",
  area: "f64",
  m: "f64",
  boundary: "u8",
  spacing: "f64",
  sewn: "i32",
  seamPairs: "i32",
  tangent: "f64",
} as const;
/** Only of sheets with seams that are pulled together, and of those whose samples have frames. */
const OPTIONAL: ReadonlySet<string> = new Set(["sewn", "seamPairs", "tangent"]);
type ArrayName = keyof typeof ARRAYS;
const TYPES = { f64: Float64Array, i32: Int32Array, u8: Uint8Array } as const;

/**
 * The sheet but for its neighbourhoods, which follow from the rest.
 *
 * @example
 * const bytes = encodeSheet(simulation.sheet);
 */
export function encodeSheet(sheet: MeasuredSheet): Uint8Array {
  const names = (Object.keys(ARRAYS) as ArrayName[]).filter((name) => sheet[name] !== undefined);
  const array = (name: ArrayName): ArrayLike<number> => sheet[name] as ArrayLike<number>;
  const table: Record<string, { at: number; length: number }> = {};
  let at = 0;
  for (const name of names) {
    const { length } = array(name);
    table[name] = { at, length };
    at += 8 * Math.ceil((length * TYPES[ARRAYS[name]].BYTES_PER_ELEMENT) / 8);
  }
  const parts = sheet.parts.map((part) => ({
    ...part,
    edges: Object.fromEntries(
      Object.entries(part.edges).map(([name, points]) => [name, Array.from(points as Int32Array)]),
    ),
  }));
  const { bytes, start } = container(SHEET_MAGIC, { n: sheet.n, parts, arrays: table }, at);
  const view = viewOf(bytes);
  for (const name of names) {
    const from = array(name);
    const to = start + table[name].at;
    for (let k = 0; k < from.length; k++)
      if (ARRAYS[name] === "f64") view.setFloat64(to + 8 * k, from[k], true);
      else if (ARRAYS[name] === "i32") view.setInt32(to + 4 * k, from[k], true);
      else view.setUint8(to + k, from[k]);
  }
  return bytes;
}

/** @throws RecordingError if anything in it is missing, out of range or contradicts the rest */
export function decodeSheet(bytes: Uint8Array): MeasuredSheet {
  const { head, start } = opened(SHEET_MAGIC, bytes, "sheet");
  const { n, parts, arrays } = head as Record<string, unknown>;
  if (!isCount(n) || !isRecord(arrays) || !Array.isArray(parts)) throw damagedSheet("its head");
  const loaded: Partial<Record<ArrayName, Float64Array | Int32Array | Uint8Array>> = {};
  for (const name of Object.keys(ARRAYS) as ArrayName[]) {
    const place = arrays[name];
    if (place === undefined && OPTIONAL.has(name)) continue;
    if (!isRecord(place) || !isCount(place.at) || !isCount(place.length)) throw damagedSheet(name);
    loaded[name] = decodeArray(bytes, start + place.at, place.length, ARRAYS[name]);
  }
  const sheet = { n, ...loaded, parts: parts.map(decodePart) } as unknown as MeasuredSheet;
  checkSheet(sheet);
  return sheet;
}

function decodeArray(
  bytes: Uint8Array,
  at: number,
  length: number,
  type: keyof typeof TYPES,
): Float64Array | Int32Array | Uint8Array {
  const size = TYPES[type].BYTES_PER_ELEMENT;
  if (!(at + size * length <= bytes.length)) throw new RecordingError("sheet: cut short");
  const view = viewOf(bytes);
  const out = new TYPES[type](length);
  for (let k = 0; k < length; k++) {
    const place = at + size * k;
    if (type === "f64") out[k] = view.getFloat64(place, true);
    else out[k] = type === "i32" ? view.getInt32(place, true) : view.getUint8(place);
  }
  return out;
}

function decodePart(stored: unknown): Part {
  if (!isRecord(stored) || !isRecord(stored.edges)) throw damagedSheet("parts");
  const edges = Object.entries(stored.edges).map(([name, points]) => {
    if (!Array.isArray(points)) throw damagedSheet("parts");
    return [name, Int32Array.from(points as number[])];
  });
  if (stored.panels !== undefined && !arePanels(stored.panels, stored.triangles))
    throw damagedSheet("panels");
  return { ...stored, edges: Object.fromEntries(edges) } as unknown as Part;
}

/** Whether the panels of a part have its triangles between them. */
function arePanels(panels: unknown, triangles: unknown): boolean {
  if (!Array.isArray(panels)) return false;
  const counts = panels.map((panel) => (isRecord(panel) ? panel.triangles : undefined));
  return counts.every(isCount) && counts.reduce<number>((sum, own) => sum + own, 0) === triangles;
}

/** Lengths that fit each other, points that exist, numbers that are finite. */
function checkSheet(sheet: MeasuredSheet): void {
  const { n, triangles, edges, parts, sewn, seamPairs } = sheet;
  const [t, e] = [triangles.length / 3, edges.length / 2];
  const lengths: [ArrayName, number][] = [
    ["rest", 3 * n],
    ["uv", 2 * n],
    ["triangles", 3 * Math.floor(t)],
    ["corners", 6 * t],
    ["edges", 2 * Math.floor(e)],
    ["edgeLength", e],
    ["triangleArea", t],
    ["area", n],
    ["m", n],
    ["boundary", n],
    ["spacing", n],
  ];
  if (sheet.tangent) lengths.push(["tangent", 4 * e]);
  for (const [name, length] of lengths) {
    const array = sheet[name] as Float64Array;
    if (array.length !== length) throw damagedSheet(name);
    if (!array.every(Number.isFinite)) throw damagedSheet(name);
  }
  const isPoint = (i: number): boolean => Number.isInteger(i) && i >= 0 && i < n;
  const named = parts.flatMap((part) => [
    ...Object.values(part.corners ?? {}),
    ...Object.values(part.edges).flatMap((points) => Array.from(points as Int32Array)),
  ]);
  for (const [name, list] of Object.entries({ triangles, edges, sewn, seamPairs, parts: named }))
    if (list !== undefined && !Array.from(list as Int32Array).every(isPoint))
      throw damagedSheet(name);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function damagedSheet(what: string): RecordingError {
  return new RecordingError(`sheet: damaged (${what})`);
}
