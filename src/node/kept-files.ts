/**
 * Files that a scene uses, copied into its recording, which can then be moved, resumed and run again by itself.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { inflateSync } from "node:zlib";
import type { Picture } from "../picture/canvas.ts";
import { decodePng } from "../picture/read-png.ts";
import { RecordingError } from "../recording/container.ts";
import { sha256 } from "../recording/hash.ts";
import { MOST_BYTES, readRegularFile } from "../recording/regular-file.ts";
import { filesOf } from "../scene/files.ts";
import type { Scene } from "../scene/scene.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { inFolder, meshReader, OutsideError } from "./load-scene.ts";

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
export function imageAt(place: string): Picture {
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
export function keepFiles(scene: Scene, base: string, out: string, outside: boolean): void {
  for (const { file } of filesOf(scene)) {
    const to = path.join(out, keptName(file));
    if (path.resolve(to) === path.resolve(base, file)) continue;
    fs.mkdirSync(path.dirname(to), { recursive: true });
    fs.copyFileSync(inFolder(base, file, outside), to);
  }
}
