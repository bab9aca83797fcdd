/**
 * Recordings on disk, for Node: one folder that can be read while it is written and survives a crash at any moment.
 *
 *   scene.json    the scene as run, complete, in the form that `isoplate run` reads
 *   sheet         points, triangles, rest lengths (sheet-bytes.ts)
 *   frames        positions; appended, whole frames only count
 *   metrics.csv   a line a frame
 *   checkpoint    the last state to go on from; replaced by renaming, so it is always whole
 *   summary.json  written last: a folder without one is of a run that has not ended
 *   lock          only while somebody records: which process (lock.ts)
 *
 * A checkpoint names how many frames it has seen, and is renamed into place only after those are on disk. To resume is to
 * cut frames and metrics back to it and go on: whatever came after the checkpoint is computed again, to the same bits.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { checkScene, type Scene } from "../scene/scene.ts";
import { sceneInput } from "../scene/write.ts";
import { version } from "../version.ts";
import { decodeCheckpoint, encodeCheckpoint } from "./checkpoint-bytes.ts";
import { isRecord, RecordingError } from "./container.ts";
import {
  decodeBodyTimes,
  decodeFrame,
  decodeFramesHeader,
  decodeMotion,
  encodeFrame,
  encodeFramesHeader,
  FRAMES_HEADER,
  type FramesContent,
  type FramesLayout,
  framesContent,
  framesLayout,
  poseLength,
  readSeal,
  sealFrame,
  wholeFrames,
} from "./format.ts";
import { sha256 } from "./hash.ts";
import { type FolderLock, lockFolder } from "./lock.ts";
import type { MeasuredSheet } from "./measures.ts";
import type { Recorder, Recording } from "./recording.ts";
import {
  MOST_BYTES,
  openOwnFile,
  openRegularFile,
  readRegularFile,
  readRegularText,
  UnreadableFileError,
} from "./regular-file.ts";
import { decodeSheet, encodeSheet } from "./sheet-bytes.ts";
import { METRICS, type Metrics, type Summary } from "./summary.ts";

export interface FolderRecording extends Recording {
  readonly folder: string;
  readonly layout: FramesLayout;
  /** The bytes of a frame as they are on disk. */
  frameBytes(frame: number): Uint8Array;
  /** Of the file of frames: its header, and its length, which may end with a torn frame. */
  readonly header: Uint8Array;
  readonly bytes: number;
  /** Looks for frames, metrics and a summary that came since. */
  refresh(): void;
  close(): void;
}

export interface FolderRecorder extends Recorder {
  readonly folder: string;
  close(): void;
}

export interface StoredCheckpoint {
  head: { frames: number; version: string } & Record<string, unknown>;
  state: Uint8Array;
}

/**
 * Opens the recording in a folder, running or ended. @throws RecordingError
 *
 * @example
 * const recording = openRecording("out/pinned-cloth");
 * const Y = recording.positions(recording.frames - 1);
 */
export function openRecording(folder: string): FolderRecording {
  const file = (name: string): string => path.join(folder, name);
  if (!fs.existsSync(file("frames")))
    throw new RecordingError(`${folder}: no recording here (it has no "frames")`);
  const scene = readScene(folder);
  const { fd } = openRegularFile(file("frames"));
  let layout: FramesLayout;
  let sheet: MeasuredSheet;
  let header: Uint8Array;
  try {
    header = readAt(fd, 0, FRAMES_HEADER);
    layout = decodeFramesHeader(header);
    sheet = decodeSheet(readOr(file("sheet"), folder));
    if (sheet.n !== layout.n)
      throw new RecordingError(`${folder}: frames of ${layout.n} points, a sheet of ${sheet.n}`);
    if (layout.framed !== (sheet.tangent !== undefined))
      throw new RecordingError(
        `${folder}: ${layout.framed ? "the sheet lacks the tangents" : "the frames lack the vectors"} that samples with frames need`,
      );
    if (layout.bodies > 0 && layout.bodies !== scene.colliders.length)
      throw new RecordingError(
        `${folder}: frames of ${layout.bodies} bodies, a scene of ${scene.colliders.length}`,
      );
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  let frames = 0;
  let metrics: Metrics[] = [];
  let summary: Summary | null = null;
  const refresh = (): void => {
    frames = wholeFrames(fs.fstatSync(fd).size, layout);
    metrics = parseMetrics(readText(file("metrics.csv")));
    summary = readSummary(folder);
  };
  refresh();
  const check = (frame: number): void => {
    if (!(Number.isInteger(frame) && frame >= 0 && frame < frames))
      throw new RangeError(`${folder}: frame ${frame}: there are ${frames}`);
  };
  const place = (frame: number): number => FRAMES_HEADER + frame * layout.frameBytes;
  const read = (frame: number, Y: Float64Array): Float64Array => {
    check(frame);
    decodeFrame(Y, readAt(fd, place(frame), layout.frameBytes), layout);
    return Y;
  };
  return {
    folder,
    scene,
    sheet,
    layout,
    header,
    get bytes() {
      return fs.fstatSync(fd).size;
    },
    frameBytes(frame) {
      check(frame);
      return readAt(fd, place(frame), layout.frameBytes);
    },
    get frames() {
      return frames;
    },
    get metrics() {
      return metrics;
    },
    get summary() {
      return summary;
    },
    time(frame) {
      check(frame);
      const bytes = readAt(fd, place(frame), 8);
      return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
    },
    positions: (frame, Y = new Float64Array(3 * layout.n)) => read(frame, Y),
    pose: (frame, Y = new Float64Array(poseLength(layout))) => read(frame, Y),
    bodyTimes(frame) {
      check(frame);
      const bytes = readAt(fd, place(frame), layout.frameBytes);
      if (layout.bodies > 0) return decodeBodyTimes(bytes, layout);
      const time = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
      return new Float64Array(scene.colliders.length).fill(time);
    },
    motion(frame) {
      check(frame);
      return decodeMotion(readAt(fd, place(frame), layout.frameBytes), layout);
    },
    refresh,
    close: () => fs.closeSync(fd),
  };
}

/** Starts a recording in a folder; what was recorded there before is replaced. The folder is made by begin(). */
export function createFolderRecorder(
  folder: string,
  { precision = 8 }: { precision?: 4 | 8 } = {},
): FolderRecorder {
  return recorder(folder, framesLayout(0, { precision, sealed: true }), 0);
}

/** Goes on with a recording: cuts it back to its last checkpoint. @throws RecordingError if there is none */
export function resumeFolderRecorder(folder: string): {
  scene: Scene;
  checkpoint: StoredCheckpoint;
  recorder: FolderRecorder;
} {
  const input = readSceneInput(folder);
  if (isRecord(input) && GONE.includes(input.constraint))
    throw new RecordingError(
      `${folder}: begun by 0.1 with constraint: ${input.constraint}, which is gone; run the scene anew with constraint: frames. What was recorded can be exported and drawn`,
    );
  const scene = readScene(folder);
  const lock = lockFolder(folder);
  try {
    const checkpoint = readCheckpoint(folder);
    if (checkpoint === null)
      throw new RecordingError(`${folder}: no checkpoint to resume from; run the scene anew`);
    if (checkpoint.head.version !== version)
      throw new RecordingError(
        `${folder}: begun by version ${checkpoint.head.version}, this is ${version}, which may step differently; run the scene anew`,
      );
    const layout = cutBack(folder, checkpoint.head.frames);
    return {
      scene,
      checkpoint,
      recorder: recorder(folder, layout, checkpoint.head.frames, lock),
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Cuts a recording back to its first frames. */
function cutBack(folder: string, frames: number): FramesLayout {
  const file = (name: string): string => path.join(folder, name);
  const fd = openOwnFile(file("frames"));
  let layout: FramesLayout;
  try {
    layout = decodeFramesHeader(readAt(fd, 0, FRAMES_HEADER));
    if (wholeFrames(fs.fstatSync(fd).size, layout) < frames)
      throw new RecordingError(
        `${folder}: the checkpoint has seen ${frames} frames, some are lost`,
      );
    fs.ftruncateSync(fd, FRAMES_HEADER + frames * layout.frameBytes);
  } finally {
    fs.closeSync(fd);
  }
  const lines = readText(file("metrics.csv"))
    .split("\n")
    .slice(0, frames + 1);
  if (lines.length < frames + 1)
    throw new RecordingError(
      `${folder}: the checkpoint has seen ${frames} lines of metrics, some are lost`,
    );
  replaceFile(file("metrics.csv"), `${lines.join("\n")}\n`);
  for (const old of LAST_FILES) fs.rmSync(file(old), { force: true });
  return layout;
}

/**
 * The last checkpoint in a folder, or null.
 *
 * @example
 * const checkpoint = readCheckpoint("out/pinned-cloth");
 */
export function readCheckpoint(folder: string): StoredCheckpoint | null {
  const name = path.join(folder, "checkpoint");
  if (!fs.existsSync(name)) return null;
  const { head, state } = decodeCheckpoint(readRegularFile(name, MOST_BYTES.recording));
  const { frames } = head as { frames?: unknown };
  if (!(Number.isInteger(frames) && (frames as number) >= 0))
    throw new RecordingError(`${folder}: the checkpoint does not say how many frames it has seen`);
  return { head: head as StoredCheckpoint["head"], state };
}

/** @param held the lock of a folder that is gone on with; a new recording takes its own */
function recorder(
  folder: string,
  before: FramesLayout,
  firstFrame: number,
  held: FolderLock | null = null,
): FolderRecorder {
  const { precision, sealed } = before;
  let lock = held;
  const file = (name: string): string => path.join(folder, name);
  let frames = firstFrame;
  let layout: FramesLayout | null = null;
  let buffer = new Uint8Array(0);
  let fd = -1;
  let metricsFd = -1;
  let seal = "";
  const open = (n: number, content: FramesContent): void => {
    layout = framesLayout(n, { ...content, precision, sealed });
    buffer = new Uint8Array(layout.frameBytes);
    if (sealed) seal = lastSeal(folder, layout, frames);
    fd = openOwnFile(file("frames"), true);
    metricsFd = openOwnFile(file("metrics.csv"), true);
  };
  return {
    folder,
    begin(scene, sheet) {
      fs.mkdirSync(folder, { recursive: true });
      lock ??= lockFolder(folder);
      // deleted rather than overwritten: a name may be a link to a file elsewhere
      for (const old of [...LAST_FILES, "checkpoint", "frames", "sheet", "metrics.csv"])
        fs.rmSync(file(old), { force: true });
      writeScene(folder, scene);
      fs.writeFileSync(file("sheet"), encodeSheet(sheet));
      const content = framesContent(scene, sheet);
      const header = framesLayout(sheet.n, { ...content, precision, sealed });
      fs.writeFileSync(file("frames"), encodeFramesHeader(header, fileHash(file("scene.json"))));
      fs.writeFileSync(file("metrics.csv"), `${METRICS.join(",")}\n`);
      open(sheet.n, content);
    },
    frame(time, Y, metrics, bodyTimes, motion) {
      if (layout === null) open(before.n, before);
      encodeFrame(buffer, layout as unknown as FramesLayout, time, Y, bodyTimes, motion);
      if (sealed) seal = sealFrame(buffer, seal);
      writeAll(fd, buffer);
      writeAll(metricsFd, new TextEncoder().encode(`${metricsLine(metrics)}\n`));
      frames += 1;
    },
    checkpoint(head, state) {
      lock?.check();
      // first the frames that it counts, then the checkpoint itself
      if (fd >= 0) fs.fsyncSync(fd);
      if (metricsFd >= 0) fs.fsyncSync(metricsFd);
      replaceFile(file("checkpoint"), encodeCheckpoint({ ...head, frames, version }, state));
    },
    end(summary) {
      replaceFile(file("summary.json"), `${JSON.stringify(summary, null, 2)}\n`);
    },
    close() {
      if (fd >= 0) fs.closeSync(fd);
      if (metricsFd >= 0) fs.closeSync(metricsFd);
      fd = -1;
      metricsFd = -1;
      layout = null;
      lock?.release();
      lock = null;
    },
  };
}

/**
 * The scene of a recording.
 *
 * @example
 * const scene = readScene("out/pinned-cloth");
 */
export function readScene(folder: string): Scene {
  return checkScene(asPaper(readSceneInput(folder)), path.join(folder, "scene.json"));
}

/** Constraints of 0.1 that are gone. */
const GONE: readonly unknown[] = ["metric", "strain"];

/** Recordings of 0.1 hold positions alone, as those of `paper` do: they can be exported and drawn, not resumed. */
function asPaper(input: unknown): unknown {
  return isRecord(input) && GONE.includes(input.constraint)
    ? { ...input, constraint: "paper" }
    : input;
}

function readSceneInput(folder: string): unknown {
  const name = path.join(folder, "scene.json");
  try {
    return JSON.parse(readRegularText(name, MOST_BYTES.scene));
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error;
    throw new RecordingError(`${folder}: no recording here (it has no readable scene.json)`);
  }
}

/** Writes the scene of a recording, complete and exact; frames that are there already are bound to it. */
export function writeScene(folder: string, scene: Scene): void {
  const file = path.join(folder, "scene.json");
  replaceFile(file, `${JSON.stringify(sceneInput(scene), null, 2)}\n`);
  const frames = path.join(folder, "frames");
  if (!fs.existsSync(frames)) return;
  const fd = openOwnFile(frames);
  try {
    const layout = decodeFramesHeader(readAt(fd, 0, FRAMES_HEADER));
    if (layout.sealed)
      fs.writeSync(fd, encodeFramesHeader(layout, fileHash(file)), 0, FRAMES_HEADER, 0);
  } finally {
    fs.closeSync(fd);
  }
}

/** Files that are written when a run has ended, and deleted when it goes on. */
const LAST_FILES = ["summary.json", "certificate.json"];

function fileHash(file: string): string {
  return sha256(readRegularFile(file, MOST_BYTES.recording));
}

/** The seal of the last of so many frames; of the sheet if there is none. */
function lastSeal(folder: string, layout: FramesLayout, frames: number): string {
  if (frames === 0) return fileHash(path.join(folder, "sheet"));
  const { fd } = openRegularFile(path.join(folder, "frames"));
  try {
    const { frameBytes } = layout;
    return readSeal(readAt(fd, FRAMES_HEADER + (frames - 1) * frameBytes, frameBytes));
  } finally {
    fs.closeSync(fd);
  }
}

/** How a run ended; null if it has not. @throws RecordingError if the file is damaged */
function readSummary(folder: string): Summary | null {
  const text = readText(path.join(folder, "summary.json"));
  if (text === "") return null;
  let summary: unknown;
  try {
    summary = JSON.parse(text);
  } catch {
    // reported below
  }
  const numbers = ["points", "h", "seconds", "steps", "frames", "wallSeconds", "speedMax", "sag"];
  const isSound =
    isRecord(summary) &&
    numbers.every((name) => typeof (summary as Record<string, unknown>)[name] === "number") &&
    ["scene", "version", "hash"].every(
      (name) => typeof (summary as Record<string, unknown>)[name] === "string",
    ) &&
    ["strain", "energy", "projections", "residual", "phases"].every((name) =>
      isRecord((summary as Record<string, unknown>)[name]),
    ) &&
    Array.isArray((summary as Record<string, unknown>).warnings);
  if (!isSound)
    throw new RecordingError(
      `${folder}: summary.json is damaged; delete it and go on with: isoplate run --resume`,
    );
  return summary as Summary;
}

function metricsLine(metrics: Metrics): string {
  return METRICS.map((name) => String(metrics[name])).join(",");
}

/** Whole lines only: the last one may still be being written. */
function parseMetrics(text: string): Metrics[] {
  const lines = text.split("\n");
  const names = lines[0].split(",") as (keyof Metrics)[];
  return lines.slice(1, -1).map((line) => {
    const values = line.split(",").map(Number);
    return Object.fromEntries(names.map((name, k) => [name, values[k]])) as unknown as Metrics;
  });
}

/** Other processes see the old file or the new one, never half of it, even after a power cut. */
function replaceFile(name: string, content: string | Uint8Array): void {
  fs.rmSync(`${name}.tmp`, { force: true }); // left by a run that was killed, or a link to elsewhere
  const fd = fs.openSync(`${name}.tmp`, "wx");
  try {
    writeAll(fd, typeof content === "string" ? new TextEncoder().encode(content) : content);
    fs.fsyncSync(fd);
  } catch (error) {
    fs.rmSync(`${name}.tmp`, { force: true }); // on a full disk it would take space that others need
    throw error;
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(`${name}.tmp`, name);
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += fs.writeSync(fd, bytes, at, bytes.length - at);
}

function readAt(fd: number, at: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let got = 0; got < length; ) {
    const more = fs.readSync(fd, bytes, got, length - got, at + got);
    if (more === 0) throw new RecordingError("frames: cut short");
    got += more;
  }
  return bytes;
}

function readText(name: string): string {
  return fs.existsSync(name) ? readRegularText(name, MOST_BYTES.recording) : "";
}

function readOr(name: string, folder: string): Uint8Array {
  try {
    return readRegularFile(name, MOST_BYTES.recording);
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error;
    throw new RecordingError(`${folder}: no recording here (it has no "${path.basename(name)}")`);
  }
}
