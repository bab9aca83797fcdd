/**
 * isoplate/node: scenes from files and recordings in folders.
 *
 * Files that a scene names are looked for beside it, and only there unless told otherwise: a scene may come from a
 * stranger. Those it uses are copied into the recording, which can then be moved, resumed and run again by itself.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { inflateSync } from "node:zlib";
import { withMotions } from "./files/body-motion.ts";
import { type ExportOptions, exportAnimation, type FormatName } from "./files/export.ts";
import { withPatterns } from "./files/garment-file.ts";
import { parseMesh } from "./files/read-mesh.ts";
import { recordedAnimation } from "./files/recorded.ts";
import type { Picture } from "./picture/canvas.ts";
import { decodePng } from "./picture/read-png.ts";
import {
  createFolderRecorder,
  openRecording,
  resumeFolderRecorder,
  writeScene,
} from "./recording/folder.ts";
import { RecordingError } from "./recording/format.ts";
import { sha256 } from "./recording/hash.ts";
import {
  MOST_BYTES,
  openRegularFile,
  readRegularFile,
  readRegularText,
  UnreadableFileError,
} from "./recording/regular-file.ts";
import { intersectionsOf, type RunOptions, runScene, totalSteps } from "./recording/run.ts";
import type { Summary } from "./recording/summary.ts";
import { type Fault, pathText, SceneError } from "./scene/faults.ts";
import { filesOf, splitObject } from "./scene/files.ts";
import { libraryScene, nearestScene } from "./scene/library.ts";
import { checkScene, type Scene } from "./scene/scene.ts";
import { setPath } from "./scene/set.ts";
import { readSceneText, type SceneText } from "./scene/text.ts";
import type { ReadMesh } from "./sheet/kinematics.ts";
import { SheetError } from "./sheet/sheet-error.ts";
import {
  type Certificate,
  certificateFaults,
  type Verdict,
  type VerifyOptions,
  verifyRecording,
} from "./verify/verify.ts";

export {
  type FolderRecording,
  openRecording,
  readCheckpoint,
  readScene,
  type StoredCheckpoint,
} from "./recording/folder.ts";

export interface LoadOptions {
  /** Changes to fields, "path=value" each, in this order. */
  set?: readonly string[];
  /** Files may lie outside the scene's folder. */
  outside?: boolean;
}

export interface LoadedScene {
  scene: Scene;
  /** The folder that its files are relative to. */
  base: string;
  /** What drawings of patterns have that is no part of a panel. */
  notes: readonly string[];
}

/**
 * A built-in scene by name, or a .json or .yaml file.
 *
 * @throws SceneError with every fault, missing files among them
 *
 * @example
 * const { scene } = loadScene("flag.yaml", { set: ["seconds=2"] });
 */
export function loadScene(
  name: string,
  { set = [], outside = false }: LoadOptions = {},
): LoadedScene {
  const builtIn = libraryScene(name);
  const text: SceneText =
    builtIn === undefined ? readFile(name) : { input: builtIn.input(), locate: () => null };
  let { input } = text;
  const faults: Fault[] = [];
  for (const change of set) {
    const [, field = "", value = ""] = /^([^=]*)=(.*)$/s.exec(change) ?? [];
    try {
      input = setPath(input, field, value);
    } catch (error) {
      if (!(error instanceof SceneError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new SceneError("--set", faults);
  const base = builtIn === undefined ? path.dirname(name) : ".";
  const notes: string[] = [];
  input = withPatterns(
    input,
    (file) => readRegularText(inFolder(base, file, outside), MOST_BYTES.pattern),
    name,
    (note) => notes.push(note),
  );
  input = withMotions(
    input,
    (file) => readRegularFile(inFolder(base, file, outside), MOST_BYTES.mesh),
    name,
  );
  const scene = checkScene(input, name, set.length === 0 ? text.locate : undefined);
  checkFiles(scene, { name, base, outside });
  return { scene, base, notes };
}

function readFile(name: string): SceneText {
  const fail = (message: string): never => {
    throw new SceneError(name, [{ path: "", message }]);
  };
  const isFile = /\.(json|ya?ml)$/i.test(name);
  if (!isFile) {
    const near = nearestScene(name);
    fail(
      `no built-in scene of that name, and not a .json or .yaml file; ${near === null ? "`isoplate scenes` lists them" : `did you mean "${near}"?`}`,
    );
  }
  try {
    return readSceneText(readRegularText(name, MOST_BYTES.scene), name);
  } catch (error) {
    if (error instanceof SceneError || error instanceof UnreadableFileError) throw error;
    return fail(`cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}

/** Twice the finest scans of people; contact with ten times as many takes a minute to set up and a gigabyte. */
const MOST_BODY_TRIANGLES = 200_000;

/** @throws SheetError for bodies that are too fine */
function checkBodies(scene: Scene, readMesh: ReadMesh): void {
  for (const { name, body } of scene.colliders) {
    if (body.type !== "mesh") continue;
    const count = readMesh(body.file).triangles.length / 3;
    if (count > MOST_BODY_TRIANGLES)
      throw new SheetError(name, [
        `${body.file} has ${count} triangles, a body may have ${MOST_BODY_TRIANGLES}; thin it out`,
      ]);
  }
}

function checkFiles(
  scene: Scene,
  { name, base, outside }: { name: string; base: string; outside: boolean },
): void {
  const faults: Fault[] = [];
  for (const entry of filesOf(scene)) {
    try {
      const file = inFolder(base, entry.file, outside);
      if (entry.kind === "image") imageAt(file);
      else fs.closeSync(openRegularFile(file).fd);
      if (outside && isOutside(base, file)) entry.rename(file);
    } catch (error) {
      faults.push({
        path: pathText(entry.path),
        message: `"${entry.file}": ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "no such file" : (error as Error).message}`,
      });
    }
  }
  if (faults.length > 0) throw new SceneError(name, faults);
}

/**
 * Reads the meshes that a scene names, each file once.
 *
 * @example
 * const simulation = createSimulation(scene, { readMesh: meshReader("scenes") });
 */
export function meshReader(base: string, outside: boolean = false): ReadMesh {
  const read = new Map<string, ReturnType<ReadMesh>>();
  return (file) => {
    const known = read.get(file);
    if (known !== undefined) return known;
    const place = inFolder(base, splitObject(file).file, outside);
    const mesh = parseMesh(readRegularFile(place, MOST_BYTES.mesh), file);
    read.set(file, mesh);
    return mesh;
  };
}

/**
 * Reads the images on the sheets of a recording, from its own folder; for pictures of it.
 *
 * @example
 * const readImage = recordedImageReader("out/pinned-cloth"); // for createStage of isoplate/picture
 */
export function recordedImageReader(folder: string): (file: string) => Picture {
  return (file) => {
    try {
      return imageAt(inFolder(folder, file, false));
    } catch (error) {
      throw new RecordingError(`${path.join(folder, file)}: ${(error as Error).message}`);
    }
  };
}

/** @throws Error that says what is wrong with the file */
function imageAt(place: string): Picture {
  return decodePng(readRegularFile(place, MOST_BYTES.mesh), (bytes, most) =>
    inflateSync(bytes, { maxOutputLength: most }),
  );
}

/**
 * Reads the meshes of a recording: from its own folder, whatever its scene says.
 *
 * @example
 * const readMesh = recordedMeshReader("out/pinned-cloth"); // for recordedAnimation of isoplate/files
 */
export function recordedMeshReader(folder: string): ReadMesh {
  const read = meshReader(folder);
  return (file) => {
    try {
      return read(file);
    } catch (error) {
      if (!(error instanceof OutsideError)) throw error;
      throw new RecordingError(
        `${folder}: its scene names "${file}"; a recording reads files from its own folder only`,
      );
    }
  };
}

class OutsideError extends Error {
  constructor() {
    super("outside the scene's folder; allow it with --outside");
    this.name = "OutsideError";
  }
}

/** The true place of `file`, links followed. @throws if it is outside and may not be */
function inFolder(base: string, file: string, outside: boolean): string {
  const place = path.resolve(base, file);
  const real = fs.realpathSync(place);
  if (!outside && (isOutside(base, place) || isOutside(fs.realpathSync(base), real)))
    throw new OutsideError();
  return real;
}

function isOutside(base: string, file: string): boolean {
  const steps = path.relative(path.resolve(base), file);
  return steps === ".." || steps.startsWith(`..${path.sep}`) || path.isAbsolute(steps);
}

export type FolderRunOptions = Pick<
  RunOptions,
  "onProgress" | "signal" | "verify" | "startPartner"
> & {
  /** The folder that the scene's files are relative to. */
  base?: string;
  outside?: boolean;
};

/**
 * Runs a scene into a folder, which is made only once everything in the scene has proved sound.
 *
 * @example
 * const { scene, base } = loadScene("flag.yaml");
 * const summary = await runToFolder(scene, "out/flag", { base });
 */
export async function runToFolder(
  scene: Scene,
  out: string,
  { base = ".", outside = false, ...options }: FolderRunOptions = {},
): Promise<Summary> {
  const readMesh = meshReader(base, outside);
  checkBodies(scene, readMesh);
  const recorder = createFolderRecorder(out);
  try {
    return await runScene(scene, {
      ...options,
      readMesh,
      recorder: {
        ...recorder,
        begin(begun, sheet) {
          recorder.begin(keptScene(begun), sheet);
          keepFiles(scene, base, out, outside);
        },
      },
    });
  } finally {
    recorder.close();
  }
}

/**
 * The scene as its recording holds it: with the names of the copies that are kept there.
 *
 * @example
 * const kept = keptScene(scene); // names the copies in the recording's folder
 */
export function keptScene(scene: Scene): Scene {
  const kept = structuredClone(scene);
  for (const entry of filesOf(kept)) entry.rename(keptName(entry.file));
  return kept;
}

/**
 * Where a recording keeps a file: at the same place beside its scene, or, if it came from outside, under `outside`.
 *
 * @example
 * keptName("/models/body.obj"); // "outside/…-body.obj"
 */
export function keptName(file: string): string {
  if (!path.isAbsolute(file)) return file;
  const hash = sha256(new TextEncoder().encode(file)).slice(0, 8);
  return `outside/${hash}-${path.basename(file)}`;
}

/** Copies the files that the scene names into the recording. */
function keepFiles(scene: Scene, base: string, out: string, outside: boolean): void {
  for (const { file } of filesOf(scene)) {
    const to = path.join(out, keptName(file));
    if (path.resolve(to) === path.resolve(base, file)) continue;
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.copyFileSync(inFolder(base, file, outside), to);
  }
}

/**
 * Goes on with a run that was broken off, from its last checkpoint; the result is that of a run never broken off.
 *
 * @param seconds a new end, if later
 *
 * @example
 * const summary = await resumeFolder("out/pinned-cloth");
 */
export async function resumeFolder(
  folder: string,
  {
    seconds,
    ...options
  }: Pick<RunOptions, "onProgress" | "signal" | "verify" | "startPartner"> & {
    seconds?: number;
  } = {},
): Promise<Summary> {
  const { scene, checkpoint, recorder } = resumeFolderRecorder(folder);
  if (seconds !== undefined) scene.seconds = seconds;
  const done = (checkpoint.head as { tally?: { steps?: number } }).tally?.steps ?? 0;
  if (totalSteps(scene) < done) {
    recorder.close();
    throw new RecordingError(
      `${folder}: already at ${done * scene.h} s, beyond ${scene.seconds} s`,
    );
  }
  if (seconds !== undefined) writeScene(folder, scene);
  try {
    return await runScene(scene, {
      ...options,
      checkpoint,
      intersectionsBefore: () => recordedIntersections(folder),
      recorder,
      readMesh: recordedMeshReader(folder),
    });
  } finally {
    recorder.close();
  }
}

function recordedIntersections(folder: string): number {
  const recording = openRecording(folder);
  let sum = 0;
  for (let frame = 0; frame < recording.frames; frame++)
    sum += intersectionsOf(recording.sheet, recording.positions(frame));
  return sum;
}

export interface ExportFolderOptions extends ExportOptions {
  /** Where to; <recording>/export/<format> if left out. */
  out?: string;
  /** Breaks off between chunks; whole files stay. */
  signal?: AbortSignal;
  /** Halvings of every edge, 0 … 6: 4ᵏ triangles of the curved sheet for each. */
  subdivide?: number;
}

export interface ExportedFiles {
  /** Paths, in the order in which they were written. */
  files: string[];
  bytes: number;
  /** What the format could not hold. */
  notes: readonly string[];
}

/** The export was broken off by its signal. */
export class ExportStopped extends Error {
  constructor(whole: number) {
    super(`broken off; ${whole} files are whole`);
    this.name = "ExportStopped";
  }
}

/**
 * Writes a recording in another program's format, in the memory of a few frames. A file has its name once it is whole.
 *
 * @throws RecordingError if there is nothing to export, RangeError for frames that are not there, ExportStopped
 *
 * @example
 * const { files } = await exportFolder("out/flag", "abc", { rate: 24, startFrame: 1001 });
 */
export async function exportFolder(
  folder: string,
  format: FormatName,
  {
    out = path.join(folder, "export", format),
    signal,
    subdivide = 0,
    ...options
  }: ExportFolderOptions = {},
): Promise<ExportedFiles> {
  const recording = openRecording(folder);
  try {
    if (recording.frames === 0) throw new RecordingError(`${folder}: has no frame yet`);
    const readMesh = recordedMeshReader(folder);
    const animation = recordedAnimation(recording, { readMesh, subdivide });
    const made = exportAnimation(animation, format, options);
    await fs.promises.mkdir(out, { recursive: true });
    const written: string[] = [];
    let bytes = 0;
    for (const { name, chunks } of made.files) {
      const file = path.join(out, name);
      // under another name until whole: a broken export never looks like a good one
      const part = `${file}.part`;
      const handle = await fs.promises.open(part, "w");
      try {
        for (const chunk of gathered(chunks)) {
          if (signal?.aborted) throw new ExportStopped(written.length);
          await handle.writeFile(chunk); // goes on where the last one ended
          bytes += chunk.length;
        }
      } catch (error) {
        await handle.close();
        await fs.promises.rm(part, { force: true });
        throw error;
      }
      await handle.close();
      await fs.promises.rename(part, file);
      written.push(file);
    }
    return { files: written, bytes, notes: made.notes };
  } finally {
    recording.close();
  }
}

/** Small chunks joined to some 1 MB: a call to the system for each 8 bytes would take most of the time. */
function* gathered(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  let list: Uint8Array[] = [];
  let length = 0;
  for (const chunk of chunks) {
    list.push(chunk);
    length += chunk.length;
    if (length < 1 << 20) continue;
    yield Buffer.concat(list, length);
    list = [];
    length = 0;
  }
  yield Buffer.concat(list, length);
}

export type { Certificate, Verdict, VerifyOptions } from "./verify/verify.ts";

export interface VerifyFolderOptions extends VerifyOptions {
  /** A certificate to hold the recording against; that of the folder if left out and there is one. */
  certificate?: string;
}

export interface FolderVerdict extends Verdict {
  /** The certificate that was read or written; null if there were faults and none was written. */
  file: string | null;
  /** It was there before, and holds or does not. */
  isOld: boolean;
}

/**
 * Proves strain, non-intersection, energy and hash of every frame of a recording anew, without the engine. Without faults a
 * certificate is written beside it; if there is one already, the recording is held against that.
 *
 * @throws RecordingError if there is no recording, or parts of it cannot be read
 *
 * @example
 * const { faults } = verifyFolder("out/flag");
 * if (faults.length > 0) console.error(faults.join("\n"));
 */
export function verifyFolder(
  folder: string,
  { certificate, ...options }: VerifyFolderOptions = {},
): FolderVerdict {
  const recording = openRecording(folder);
  try {
    if (recording.frames === 0) throw new RecordingError(`${folder}: has no frame yet`);
    const names = new Set(["scene.json", "sheet", ...filesOf(recording.scene).map((f) => f.file)]);
    const hash = (name: string): string =>
      sha256(readRegularFile(inFolder(folder, name, false), MOST_BYTES.recording));
    const files = Object.fromEntries([...names].map((name) => [name, hash(name)]));
    const evidence = Object.assign(Object.create(recording) as typeof recording, {
      files,
      readMesh: recordedMeshReader(folder),
    });
    const verdict = verifyRecording(evidence, options);
    const file = certificate ?? path.join(folder, "certificate.json");
    if (certificate !== undefined || fs.existsSync(file)) {
      const given = readCertificate(file);
      const faults = [...verdict.faults, ...certificateFaults(given, verdict.certificate)];
      return { ...verdict, faults, file, isOld: true };
    }
    if (verdict.faults.length > 0) return { ...verdict, file: null, isOld: false };
    const text = `${JSON.stringify(verdict.certificate, null, 1)}\n`;
    fs.writeFileSync(`${file}.tmp`, text);
    fs.renameSync(`${file}.tmp`, file);
    return { ...verdict, file, isOld: false };
  } finally {
    recording.close();
  }
}

function readCertificate(file: string): Certificate {
  try {
    return JSON.parse(readRegularText(file, MOST_BYTES.mesh)) as Certificate;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
    throw new RecordingError(`${file}: is no certificate (${(error as Error).message})`);
  }
}
