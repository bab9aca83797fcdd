/**
 * isoplate/node: scenes from files and recordings in folders.
 *
 * Files that a scene names are looked for beside it, and only there unless told otherwise: a scene may come from a
 * stranger. Those it uses are copied into the recording, which can then be moved, resumed and run again by itself.
 */

export {
  type ExportedFiles,
  type ExportFolderOptions,
  ExportStopped,
  exportFolder,
} from "./node/export-folder.ts";
export { keptName, keptScene, recordedImageReader, recordedMeshReader } from "./node/kept-files.ts";
export { type LoadedScene, type LoadOptions, loadScene, meshReader } from "./node/load-scene.ts";
export { type FolderRunOptions, resumeFolder, runToFolder } from "./node/run-folder.ts";
export {
  type FolderVerdict,
  type VerifyFolderOptions,
  verifyFolder,
} from "./node/verify-folder.ts";
export {
  type FolderRecording,
  openRecording,
  readCheckpoint,
  readScene,
  type StoredCheckpoint,
} from "./recording/folder.ts";

export type { Certificate } from "./verify/certificate.ts";
export type { Verdict, VerifyOptions } from "./verify/verify.ts";
