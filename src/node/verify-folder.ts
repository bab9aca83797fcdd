/**
 * Proves a recording anew and writes or checks its certificate.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { RecordingError } from "../recording/container.ts";
import { openRecording } from "../recording/folder.ts";
import { sha256 } from "../recording/hash.ts";
import { MOST_BYTES, readRegularFile, readRegularText } from "../recording/regular-file.ts";
import { filesOf } from "../scene/files.ts";
import { type Certificate, certificateFaults } from "../verify/certificate.ts";
import { type Verdict, type VerifyOptions, verifyRecording } from "../verify/verify.ts";
import { recordedMeshReader } from "./kept-files.ts";
import { inFolder } from "./load-scene.ts";

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
    fs.rmSync(`${file}.tmp`, { force: true }); // it may be a link to elsewhere
    fs.writeFileSync(`${file}.tmp`, text, { flag: "wx" });
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
