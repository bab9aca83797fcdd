/**
 * Runs a scene into a folder, and goes on with one that was interrupted.
 */
import "../methods.ts";
import { RecordingError } from "../recording/container.ts";
import {
  createFolderRecorder,
  openRecording,
  resumeFolderRecorder,
  writeScene,
} from "../recording/folder.ts";
import { intersectionsOf, type RunOptions, runScene, totalSteps } from "../recording/run.ts";
import type { Summary } from "../recording/summary.ts";
import type { Scene } from "../scene/scene.ts";
import { keepFiles, keptScene, recordedMeshReader } from "./kept-files.ts";
import { checkMeshes, meshReader } from "./load-scene.ts";

export type FolderRunOptions = Pick<RunOptions, "onProgress" | "signal" | "verify" | "threads"> & {
  /** The folder that the scene's files are relative to. */
  base?: string;
  outside?: boolean;
};

/**
 * Runs a scene into a folder, which is made only once the whole scene has been checked.
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
  checkMeshes(scene, readMesh);
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
  }: Pick<RunOptions, "onProgress" | "signal" | "verify" | "threads"> & {
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
