/**
 * Point caches: positions of every frame and nothing else, for a mesh that the other program already
 * has (Blender's Mesh Cache, 3ds Max, LightWave). An OBJ of the first frame goes with them.
 *
 *   PC2  little endian: "POINTCACHE2\0", version 1, points, start frame, frames per sample, samples; then floats
 *   MDD  big endian: samples, points, the time of each sample in seconds; then floats
 */
import type { Animation, OutputFile } from "./animation.ts";
import { plainName, select } from "./animation.ts";
import { FileError } from "./file-error.ts";
import { objSequence } from "./obj.ts";

export interface PointCache {
  readonly n: number;
  readonly frames: number;
  /** [frames] seconds in MDD, frame numbers in PC2. */
  readonly times: Float64Array;
  /** [3n·frames] m */
  readonly positions: Float32Array;
}

const PC2_HEADER = 32;
const MAGIC = "POINTCACHE2\0";

/**
 * @example
 * const { frames, positions } = parsePc2(bytes);
 */
export function parsePc2(bytes: Uint8Array): PointCache {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < PC2_HEADER || String.fromCharCode(...bytes.subarray(0, 12)) !== MAGIC)
    throw new FileError(
      "PC2",
      "byte 0",
      "is not a point cache",
      `needs "POINTCACHE2" and 32 bytes`,
    );
  const version = view.getInt32(12, true);
  if (version !== 1) throw new FileError("PC2", "byte 12", `version ${version}`, "needs 1");
  const n = view.getInt32(16, true);
  const start = view.getFloat32(20, true);
  const step = view.getFloat32(24, true);
  const frames = view.getInt32(28, true);
  const positions = floats("PC2", view, PC2_HEADER, n, frames, true);
  if (!Number.isFinite(start) || !Number.isFinite(step))
    throw new FileError("PC2", "byte 20", `start ${start}, rate ${step}`, "needs finite numbers");
  return {
    n,
    frames,
    times: Float64Array.from({ length: frames }, (_, k) => start + k * step),
    positions,
  };
}

/**
 * @example
 * const { frames, positions } = parseMdd(bytes);
 */
export function parseMdd(bytes: Uint8Array): PointCache {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8)
    throw new FileError("MDD", "byte 0", `${bytes.length} bytes`, "needs 8 and more");
  const frames = view.getInt32(0);
  const n = view.getInt32(4);
  if (frames < 0 || 8 + 4 * frames > bytes.length)
    throw new FileError(
      "MDD",
      "byte 0",
      `promises ${frames} frames`,
      `the file has ${bytes.length} bytes`,
    );
  const positions = floats("MDD", view, 8 + 4 * frames, n, frames, false);
  const times = Float64Array.from({ length: frames }, (_, k) => view.getFloat32(8 + 4 * k));
  for (let k = 0; k < frames; k++)
    if (!Number.isFinite(times[k]))
      throw new FileError("MDD", `frame ${k}`, `its time is ${times[k]}`, "needs a finite number");
  return { n, frames, times, positions };
}

function floats(
  format: string,
  view: DataView,
  at: number,
  n: number,
  frames: number,
  little: boolean,
): Float32Array {
  // without points any number of frames would fit
  if (n < 1 || frames < 0 || at + 12 * n * frames > view.byteLength)
    throw new FileError(
      format,
      `byte ${at}`,
      `promises ${frames} frames of ${n} points`,
      `the ${view.byteLength - at} bytes that follow cannot hold them`,
    );
  const positions = new Float32Array(3 * n * frames);
  for (let k = 0; k < positions.length; k++) {
    positions[k] = view.getFloat32(at + 4 * k, little);
    if (!Number.isFinite(positions[k]))
      throw new FileError(format, `byte ${at + 4 * k}`, "a coordinate is not finite");
  }
  return positions;
}

export function* pc2Files(animation: Animation, startFrame: number): Generator<OutputFile> {
  const header = new DataView(new ArrayBuffer(PC2_HEADER));
  for (let k = 0; k < MAGIC.length; k++) header.setUint8(k, MAGIC.charCodeAt(k));
  header.setInt32(12, 1, true);
  header.setInt32(16, animation.n, true);
  header.setFloat32(20, startFrame, true);
  header.setFloat32(24, 1, true);
  header.setInt32(28, animation.frames, true);
  yield { name: `${plainName(animation.name)}.pc2`, chunks: cache(header, animation, true) };
  yield* firstFrame(animation);
}

export function* mddFiles(animation: Animation, startFrame: number): Generator<OutputFile> {
  const header = new DataView(new ArrayBuffer(8 + 4 * animation.frames));
  header.setInt32(0, animation.frames);
  header.setInt32(4, animation.n);
  for (let k = 0; k < animation.frames; k++)
    header.setFloat32(8 + 4 * k, (startFrame + k) / animation.rate);
  yield { name: `${plainName(animation.name)}.mdd`, chunks: cache(header, animation, false) };
  yield* firstFrame(animation);
}

function* cache(header: DataView, animation: Animation, little: boolean): Generator<Uint8Array> {
  yield new Uint8Array(header.buffer);
  const Y = new Float64Array(3 * animation.n);
  for (let frame = 0; frame < animation.frames; frame++) {
    animation.positions(frame, Y);
    const out = new DataView(new ArrayBuffer(4 * Y.length));
    for (let k = 0; k < Y.length; k++) out.setFloat32(4 * k, Y[k], little);
    yield new Uint8Array(out.buffer);
  }
}

/** The mesh that the cache moves. One object whatever the parts: a cache knows one list of points. */
function* firstFrame(animation: Animation): Generator<OutputFile> {
  const { parts: _, ...whole } = select(animation, { from: 0, to: 0 });
  // without normals: the cache moves points only, and those of the first frame would be kept for all
  for (const file of objSequence(whole, 0, false))
    yield { ...file, name: `${plainName(animation.name)}.obj` };
}
