/**
 * Writes a recording as files of other programs.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { type ExportOptions, exportAnimation, type FormatName } from "../files/export.ts";
import { recordedAnimation } from "../files/recorded.ts";
import { RecordingError } from "../recording/container.ts";
import { openRecording } from "../recording/folder.ts";
import { recordedMeshReader } from "./kept-files.ts";

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
