/**
 * The bytes of a recording's frames. Little-endian everywhere; no files here, so that a browser can write and read the same bytes. Those of the sheet and
 * of checkpoints: sheet-bytes.ts, checkpoint-bytes.ts.
 *
 * `frames`: a header of 64 bytes, then frames of equal length, so that frame k is found by multiplication, more can be
 * appended while others read, and a frame that was cut short by a crash shows by the length of the file:
 *
 *   0  "ISOFRAME"   8 u32 version   12 u32 n   16 u32 bytes per number (8 or 4)   24 f64 bytes per frame
 *   32 SHA-256 of scene.json (version 2)
 *   frame: f64 time (s), then 3n numbers (xyz per point, m), then zeros up to a multiple of 8, then (version 2) its seal: SHA-256
 *   of the seal before it and all of the frame. Before the first is that of `sheet`. So no frame can be changed, lost or
 *   moved to another place without being noticed. Version 1 has no seals; a browser writes it.
 *
 *   Version 3 is of runs whose samples have frames: after the 3n positions come the 6n numbers of the samples' frames in single
 *   precision (sheet/frames.ts; 1e-7 of a strain is lost), then as before. At 20 it says whether it is sealed (1) or not (0).
 *
 *   Version 4 is of scenes with bodies that move: before the seal there is, for each body, the time on its path at which it stands
 *   (f64, s). That is the time of the frame unless the body was held back. At 20: 1 if sealed, + 2 if samples have frames, + 256 × bodies.
 *
 *   Version 5 holds what energies are proven from: after the pose come 3n velocities in single precision (m/s), then zeros up to a multiple of 8, then for
 *   each sheet the stiffness K_r of its smoothing (f64, N/m, system/limp-cloth.ts) where samples have frames, then the times of bodies. The number at 16
 *   is u16 then, and at 18 is the number of sheets (u16). At 20 as in version 4, with 0 bodies where none moves.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { Scene } from "../scene/scene.ts";
import { checkMagic, putMagic, RecordingError, VERSION, viewOf } from "./container.ts";
import { sha256 } from "./hash.ts";
import type { MeasuredSheet } from "./measures.ts";

export const FRAMES_HEADER = 64;
const FRAMES_MAGIC = "ISOFRAME";
/** Bytes of a SHA-256. */
const SEAL_LENGTH = 32;
/** Of frames with seals. */
const SEALED_VERSION = 2;
/** Of frames that hold the frames of samples. */
const FRAMED_VERSION = 3;
/** Of frames that say where bodies are. */
const BODIES_VERSION = 4;
/** Of frames that hold velocities. */
const MOVING_VERSION = 5;
/** What the number at 20 says of versions 4 and 5. */
const FLAGS = { sealed: 1, framed: 2, bodies: 256 } as const;
/** Bodies that fit into the number at 20. */
const MOST_BODIES = 2 ** 24 - 1;
/** Sheets that fit into the number at 18. */
const MOST_PARTS = 2 ** 16 - 1;

export interface FramesLayout {
  readonly n: number;
  /** Bytes per number: 8 keeps every bit, 4 half the size. */
  readonly precision: 4 | 8;
  /** Frames end with a seal. */
  readonly sealed: boolean;
  /** Samples have frames: a pose is 9n numbers, else 3n. */
  readonly framed: boolean;
  /** Bodies whose times are recorded; 0 where none moves. */
  readonly bodies: number;
  /** Velocities are there. */
  readonly moving: boolean;
  /** Sheets whose smoothing is recorded; 0 where samples have no frames. */
  readonly parts: number;
  readonly frameBytes: number;
}

/** What the frames of a recording hold beside positions; nothing if left out. */
export type FramesContent = Partial<Omit<FramesLayout, "n" | "frameBytes">>;

/** What energies need beside the pose. */
export interface FrameMotion {
  /** [3n] m/s */
  readonly V: ReadonlyF64;
  /** [parts] N/m, K_r of each sheet; empty where samples have no frames. */
  readonly smoothing: ReadonlyF64;
}

/**
 * @example
 * const { frameBytes } = framesLayout(sheet.n);
 */
export function framesLayout(
  n: number,
  {
    precision = 8,
    sealed = false,
    framed = false,
    bodies = 0,
    moving = false,
    parts = 0,
  }: FramesContent = {},
): FramesLayout {
  const numbers = 3 * n * precision + (framed ? 6 * n * 4 : 0) + (moving ? 3 * n * 4 : 0);
  const frameBytes =
    8 + 8 * Math.ceil(numbers / 8) + 8 * (parts + bodies) + (sealed ? SEAL_LENGTH : 0);
  return { n, precision, sealed, framed, bodies, moving, parts, frameBytes };
}

/** The part of a frame with the times of bodies, at the end but for the seal. */
function bodiesAt({ bodies, sealed, frameBytes }: FramesLayout): number {
  return frameBytes - (sealed ? SEAL_LENGTH : 0) - 8 * bodies;
}

/** The part of a frame with its velocities, after the pose. */
function velocitiesAt({ n, precision, framed }: FramesLayout): number {
  return 8 + 3 * n * precision + (framed ? 6 * n * 4 : 0);
}

/** Numbers of a pose: positions, and the frames of samples where they have them. */
export function poseLength({ n, framed }: FramesLayout): number {
  return framed ? 9 * n : 3 * n;
}

/**
 * @param scene SHA-256 of scene.json, where frames are sealed
 *
 * @example
 * const header = encodeFramesHeader(framesLayout(sheet.n));
 */
export function encodeFramesHeader(
  { n, precision, sealed, framed, bodies, moving, parts, frameBytes }: FramesLayout,
  scene: string = "",
): Uint8Array {
  const bytes = new Uint8Array(FRAMES_HEADER);
  putMagic(bytes, FRAMES_MAGIC);
  const view = new DataView(bytes.buffer);
  const plain = framed ? FRAMED_VERSION : sealed ? SEALED_VERSION : VERSION;
  const version = moving ? MOVING_VERSION : bodies > 0 ? BODIES_VERSION : plain;
  view.setUint32(8, version, true);
  view.setUint32(12, n, true);
  view.setUint16(16, precision, true);
  view.setUint16(18, parts, true);
  const seals = sealed ? FLAGS.sealed : 0;
  if (version === FRAMED_VERSION) view.setUint32(20, seals, true);
  if (version >= BODIES_VERSION)
    view.setUint32(20, seals + (framed ? FLAGS.framed : 0) + FLAGS.bodies * bodies, true);
  view.setFloat64(24, frameBytes, true);
  if (sealed) bytes.set(sealBytes(scene), SEAL_LENGTH);
  return bytes;
}

/** SHA-256 of scene.json as the header of sealed frames has it. */
export function sceneSeal(header: Uint8Array): string {
  return sealText(header.subarray(SEAL_LENGTH, 2 * SEAL_LENGTH));
}

/** Writes the seal of a frame that follows one with the seal `before`; gives it. */
export function sealFrame(bytes: Uint8Array, before: string): string {
  const seal = sealOf(bytes, before);
  bytes.set(sealBytes(seal), bytes.length - SEAL_LENGTH);
  return seal;
}

/** What the seal of a frame should be. */
export function sealOf(bytes: Uint8Array, before: string): string {
  const joined = new Uint8Array(bytes.length);
  joined.set(sealBytes(before));
  joined.set(bytes.subarray(0, bytes.length - SEAL_LENGTH), SEAL_LENGTH);
  return sha256(joined);
}

/** The seal that a frame has. */
export function readSeal(bytes: Uint8Array): string {
  return sealText(bytes.subarray(bytes.length - SEAL_LENGTH));
}

function sealText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function sealBytes(text: string): Uint8Array {
  return Uint8Array.from({ length: SEAL_LENGTH }, (_, k) =>
    Number.parseInt(text.slice(2 * k, 2 * k + 2) || "0", 16),
  );
}

export function decodeFramesHeader(bytes: Uint8Array): FramesLayout {
  checkMagic(bytes, FRAMES_MAGIC, FRAMES_HEADER, "frames", VERSION, MOVING_VERSION);
  const view = viewOf(bytes);
  const content = headerContent(view);
  const n = view.getUint32(12, true);
  const precision = content.moving ? view.getUint16(16, true) : view.getUint32(16, true);
  if (precision !== 4 && precision !== 8)
    throw new RecordingError(`frames: ${precision} bytes per number, needs 4 or 8`);
  const layout = framesLayout(n, { precision, ...content });
  if (view.getFloat64(24, true) !== layout.frameBytes)
    throw new RecordingError("frames: the header contradicts itself");
  return layout;
}

/** What a header says by its version and by the numbers at 18 and 20. */
function headerContent(view: DataView): FramesContent {
  const version = view.getUint32(8, true);
  if (version < FRAMED_VERSION) return { sealed: version === SEALED_VERSION };
  const flags = view.getUint32(20, true);
  if (version === FRAMED_VERSION) {
    if (flags > 1) throw new RecordingError(`frames: seals of kind ${flags}, needs 0 or 1`);
    return { sealed: flags === 1, framed: true };
  }
  const moving = version === MOVING_VERSION;
  const bodies = Math.floor(flags / FLAGS.bodies);
  const kind = flags % FLAGS.bodies;
  if (kind > 3 || (bodies === 0 && !moving))
    throw new RecordingError(`frames: of kind ${flags}, this program does not know it`);
  const parts = moving ? view.getUint16(18, true) : 0;
  return {
    sealed: (kind & FLAGS.sealed) !== 0,
    framed: (kind & FLAGS.framed) !== 0,
    bodies,
    moving,
    parts,
  };
}

/**
 * Writes one frame into `bytes` [frameBytes].
 *
 * @param Y [9n] pose where samples have frames, else [3n]
 * @param bodyTimes [bodies] s, where the layout has them
 * @param motion velocities and smoothing, where the layout has them; not known (NaN) if left out
 *
 * @example
 * encodeFrame(bytes, framesLayout(n), simulation.time, simulation.pose);
 */
export function encodeFrame(
  bytes: Uint8Array,
  layout: FramesLayout,
  time: number,
  Y: ReadonlyF64,
  bodyTimes: ReadonlyF64 = new Float64Array(layout.bodies).fill(time),
  motion?: FrameMotion,
): void {
  const { n, precision, framed, bodies, moving, parts } = layout;
  const view = viewOf(bytes);
  const after = bodiesAt(layout) - 8 * parts;
  for (let k = 0; k < parts; k++)
    view.setFloat64(after + 8 * k, motion?.smoothing[k] ?? Number.NaN, true);
  for (let k = 0; moving && k < 3 * n; k++)
    view.setFloat32(velocitiesAt(layout) + 4 * k, motion?.V[k] ?? Number.NaN, true);
  for (let k = 0; k < bodies; k++) view.setFloat64(bodiesAt(layout) + 8 * k, bodyTimes[k], true);
  view.setFloat64(0, time, true);
  if (precision === 8) for (let k = 0; k < 3 * n; k++) view.setFloat64(8 + 8 * k, Y[k], true);
  else for (let k = 0; k < 3 * n; k++) view.setFloat32(8 + 4 * k, Y[k], true);
  if (!framed) return;
  const at = 8 + 3 * n * precision;
  for (let k = 0; k < 6 * n; k++) view.setFloat32(at + 4 * k, Y[3 * n + k], true);
}

/** Reads one frame into Y: positions if that is [3n], the pose if it is longer and samples have frames. Gives its time. */
export function decodeFrame(
  Y: Float64Array,
  bytes: Uint8Array,
  { n, precision, framed }: FramesLayout,
): number {
  const view = viewOf(bytes);
  if (precision === 8) for (let k = 0; k < 3 * n; k++) Y[k] = view.getFloat64(8 + 8 * k, true);
  else for (let k = 0; k < 3 * n; k++) Y[k] = view.getFloat32(8 + 4 * k, true);
  if (framed && Y.length > 3 * n) {
    const at = 8 + 3 * n * precision;
    for (let k = 0; k < 6 * n; k++) Y[3 * n + k] = view.getFloat32(at + 4 * k, true);
  }
  return view.getFloat64(0, true);
}

/** The times on their paths at which bodies stand in a frame, [bodies] s. */
export function decodeBodyTimes(bytes: Uint8Array, layout: FramesLayout): Float64Array {
  const view = viewOf(bytes);
  const at = bodiesAt(layout);
  return Float64Array.from({ length: layout.bodies }, (_, k) => view.getFloat64(at + 8 * k, true));
}

/** The velocities and the smoothing of a frame; null where they are not known. */
export function decodeMotion(
  bytes: Uint8Array,
  layout: FramesLayout,
): { V: Float64Array; smoothing: Float64Array } | null {
  const view = viewOf(bytes);
  if (!layout.moving || Number.isNaN(view.getFloat32(velocitiesAt(layout), true))) return null;
  const [at, after] = [velocitiesAt(layout), bodiesAt(layout) - 8 * layout.parts];
  const V = new Float64Array(3 * layout.n);
  const smoothing = new Float64Array(layout.parts);
  for (let k = 0; k < V.length; k++) V[k] = view.getFloat32(at + 4 * k, true);
  for (let k = 0; k < smoothing.length; k++) smoothing[k] = view.getFloat64(after + 8 * k, true);
  return { V, smoothing };
}

/** Number of bodies whose times a recording of a scene holds: all if one of them moves, else 0. */
function timedBodies({ colliders }: Pick<Scene, "colliders">): number {
  const moves = colliders.some(
    ({ body, motion }) => motion !== null || (body.type === "mesh" && body.vertices !== null),
  );
  return moves ? Math.min(colliders.length, MOST_BODIES) : 0;
}

/**
 * What a recording of a scene holds when all of it is kept.
 *
 * @example
 * const layout = framesLayout(sheet.n, { ...framesContent(scene, sheet), sealed: true });
 */
export function framesContent(
  scene: Pick<Scene, "colliders">,
  { tangent, parts }: Pick<MeasuredSheet, "tangent" | "parts">,
): FramesContent {
  const framed = tangent !== undefined;
  return {
    framed,
    bodies: timedBodies(scene),
    moving: true,
    parts: framed ? Math.min(parts.length, MOST_PARTS) : 0,
  };
}

/** How many whole frames a file of `bytes` holds: a torn last one does not count. */
export function wholeFrames(bytes: number, { frameBytes }: FramesLayout): number {
  return Math.max(0, Math.floor((bytes - FRAMES_HEADER) / frameBytes));
}
