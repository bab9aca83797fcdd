/**
 * The bytes of recordings: frames, the sheet, checkpoints. Little-endian everywhere; no files here, so that a browser
 * can write and read the same bytes.
 *
 * `frames`: a header of 64 bytes, then frames of equal length, so that frame k is found by multiplication, more can be
 * appended while others read, and a frame that was cut short by a crash shows by the length of the file:
 *
 *   0  "ISOFRAME"   8 u32 version   12 u32 n   16 u32 bytes per number (8 or 4)   24 f64 bytes per frame   32 … 0
 *   frame: f64 time (s), then 3n numbers (xyz per point, m), then zeros up to a multiple of 8
 *
 * `sheet`: arrays by name, after a JSON table of their places. `checkpoint`: a JSON head, then the bytes of the
 * simulation, with a hash over both: half a checkpoint is no checkpoint.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { Part } from "../sheet/kinematics.ts";
import { sha256 } from "./hash.ts";
import type { MeasuredSheet } from "./measures.ts";

export const FRAMES_HEADER = 64;
const FRAMES_MAGIC = "ISOFRAME";
const SHEET_MAGIC = "ISOSHEET";
const CHECKPOINT_MAGIC = "ISOCHECK";
const VERSION = 1;

/** A recording that cannot be read, and why. */
export class RecordingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RecordingError";
  }
}

export interface FramesLayout {
  readonly n: number;
  /** Bytes per number: 8 keeps every bit, 4 half the size. */
  readonly precision: 4 | 8;
  readonly frameBytes: number;
}

/**
 * @example
 * const { frameBytes } = framesLayout(sheet.n);
 */
export function framesLayout(n: number, precision: 4 | 8 = 8): FramesLayout {
  return { n, precision, frameBytes: 8 + 8 * Math.ceil((3 * n * precision) / 8) };
}

/**
 * @example
 * const header = encodeFramesHeader(framesLayout(sheet.n));
 */
export function encodeFramesHeader({ n, precision, frameBytes }: FramesLayout): Uint8Array {
  const bytes = new Uint8Array(FRAMES_HEADER);
  putMagic(bytes, FRAMES_MAGIC);
  const view = new DataView(bytes.buffer);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, n, true);
  view.setUint32(16, precision, true);
  view.setFloat64(24, frameBytes, true);
  return bytes;
}

export function decodeFramesHeader(bytes: Uint8Array): FramesLayout {
  checkMagic(bytes, FRAMES_MAGIC, FRAMES_HEADER, "frames");
  const view = viewOf(bytes);
  const n = view.getUint32(12, true);
  const precision = view.getUint32(16, true);
  if (precision !== 4 && precision !== 8)
    throw new RecordingError(`frames: ${precision} bytes per number, needs 4 or 8`);
  const layout = framesLayout(n, precision);
  if (view.getFloat64(24, true) !== layout.frameBytes)
    throw new RecordingError("frames: the header contradicts itself");
  return layout;
}

/**
 * Writes one frame into `bytes` [frameBytes].
 *
 * @example
 * encodeFrame(bytes, framesLayout(n), simulation.time, simulation.Y);
 */
export function encodeFrame(
  bytes: Uint8Array,
  { n, precision }: FramesLayout,
  time: number,
  Y: ReadonlyF64,
): void {
  const view = viewOf(bytes);
  view.setFloat64(0, time, true);
  if (precision === 8) for (let k = 0; k < 3 * n; k++) view.setFloat64(8 + 8 * k, Y[k], true);
  else for (let k = 0; k < 3 * n; k++) view.setFloat32(8 + 4 * k, Y[k], true);
}

/** Reads the positions of one frame into Y [3n]; gives its time. */
export function decodeFrame(
  Y: Float64Array,
  bytes: Uint8Array,
  { n, precision }: FramesLayout,
): number {
  const view = viewOf(bytes);
  if (precision === 8) for (let k = 0; k < 3 * n; k++) Y[k] = view.getFloat64(8 + 8 * k, true);
  else for (let k = 0; k < 3 * n; k++) Y[k] = view.getFloat32(8 + 4 * k, true);
  return view.getFloat64(0, true);
}

/** How many whole frames a file of `bytes` holds: a torn last one does not count. */
export function wholeFrames(bytes: number, { frameBytes }: FramesLayout): number {
  return Math.max(0, Math.floor((bytes - FRAMES_HEADER) / frameBytes));
}

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
} as const;
type ArrayName = keyof typeof ARRAYS;
const TYPES = { f64: Float64Array, i32: Int32Array, u8: Uint8Array } as const;

/**
 * The sheet but for its neighbourhoods, which follow from the rest.
 *
 * @example
 * const bytes = encodeSheet(simulation.sheet);
 */
export function encodeSheet(sheet: MeasuredSheet): Uint8Array {
  const names = Object.keys(ARRAYS) as ArrayName[];
  const table: Record<string, { at: number; length: number }> = {};
  let at = 0;
  for (const name of names) {
    const { length } = sheet[name];
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
    const from = sheet[name];
    const to = start + table[name].at;
    for (let k = 0; k < from.length; k++)
      if (ARRAYS[name] === "f64") view.setFloat64(to + 8 * k, from[k], true);
      else if (ARRAYS[name] === "i32") view.setInt32(to + 4 * k, from[k], true);
      else view.setUint8(to + k, from[k]);
  }
  return bytes;
}

interface StoredPart extends Omit<Part, "edges"> {
  edges: Record<string, number[]>;
}

export function decodeSheet(bytes: Uint8Array): MeasuredSheet {
  const { head, start } = opened(SHEET_MAGIC, bytes, "sheet");
  const { n, parts, arrays } = head as {
    n: number;
    parts: StoredPart[];
    arrays: Record<ArrayName, { at: number; length: number }>;
  };
  const view = viewOf(bytes);
  const get = (name: ArrayName): Float64Array | Int32Array | Uint8Array => {
    const { at, length } = arrays[name];
    const type = ARRAYS[name];
    const size = TYPES[type].BYTES_PER_ELEMENT;
    if (!(start + at + size * length <= bytes.length)) throw new RecordingError("sheet: cut short");
    const out = new TYPES[type](length);
    for (let k = 0; k < length; k++) {
      const place = start + at + size * k;
      out[k] =
        type === "f64"
          ? view.getFloat64(place, true)
          : type === "i32"
            ? view.getInt32(place, true)
            : view.getUint8(place);
    }
    return out;
  };
  const loaded = Object.fromEntries(
    (Object.keys(ARRAYS) as ArrayName[]).map((name) => [name, get(name)]),
  ) as unknown as Pick<MeasuredSheet, ArrayName>;
  return {
    n,
    ...loaded,
    parts: parts.map((part) => ({
      ...part,
      edges: Object.fromEntries(
        Object.entries(part.edges).map(([name, points]) => [name, Int32Array.from(points)]),
      ),
    })),
  };
}

/**
 * @example
 * const bytes = encodeCheckpoint({ tally, frames, version }, simulation.save());
 */
export function encodeCheckpoint(head: object, state: Uint8Array): Uint8Array {
  const { bytes, start } = container(
    CHECKPOINT_MAGIC,
    { ...head, hash: sha256(state) },
    state.length,
  );
  bytes.set(state, start);
  return bytes;
}

export function decodeCheckpoint(bytes: Uint8Array): { head: unknown; state: Uint8Array } {
  const { head, start } = opened(CHECKPOINT_MAGIC, bytes, "checkpoint");
  const state = bytes.slice(start);
  if ((head as { hash?: unknown }).hash !== sha256(state))
    throw new RecordingError("checkpoint: damaged, its hash does not match");
  return { head, state };
}

/** Magic, version, length of the JSON head, the head, then `size` bytes from a multiple of 8 on. */
function container(
  magic: string,
  head: object,
  size: number,
): { bytes: Uint8Array; start: number } {
  const json = new TextEncoder().encode(JSON.stringify(head));
  const start = 8 * Math.ceil((16 + json.length) / 8);
  const bytes = new Uint8Array(start + size);
  putMagic(bytes, magic);
  const view = viewOf(bytes);
  view.setUint32(8, VERSION, true);
  view.setUint32(12, json.length, true);
  bytes.set(json, 16);
  return { bytes, start };
}

function opened(magic: string, bytes: Uint8Array, what: string): { head: unknown; start: number } {
  checkMagic(bytes, magic, 16, what);
  const length = viewOf(bytes).getUint32(12, true);
  if (16 + length > bytes.length) throw new RecordingError(`${what}: cut short`);
  try {
    const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length)));
    return { head, start: 8 * Math.ceil((16 + length) / 8) };
  } catch {
    throw new RecordingError(`${what}: damaged`);
  }
}

function putMagic(bytes: Uint8Array, magic: string): void {
  for (let k = 0; k < 8; k++) bytes[k] = magic.charCodeAt(k);
}

function checkMagic(bytes: Uint8Array, magic: string, least: number, what: string): void {
  const start = String.fromCharCode(...bytes.subarray(0, 8));
  if (bytes.length < least || start !== magic)
    throw new RecordingError(`${what}: not a file of a recording`);
  const version = viewOf(bytes).getUint32(8, true);
  if (version !== VERSION)
    throw new RecordingError(`${what}: version ${version}, this program reads ${VERSION}`);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
