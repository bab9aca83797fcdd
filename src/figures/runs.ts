/**
 * Runs for figures, each a recording folder that is kept: a complete one of the same scene and version is opened, a
 * broken-off one goes on from its checkpoint, anything else is run anew.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { resumeFolder, runToFolder } from "../node/run-folder.ts";
import { RecordingError } from "../recording/container.ts";
import { type FolderRecording, openRecording, readCheckpoint } from "../recording/folder.ts";
import type { Progress } from "../recording/run.ts";
import type { Summary } from "../recording/summary.ts";
import type { SceneInput } from "../scene/input.ts";
import { parseScene, type Scene } from "../scene/scene.ts";
import { sceneInput } from "../scene/write.ts";
import { version } from "../version.ts";
import type { FigureOptions, FigureRun } from "./figure.ts";

export interface FigureRecording extends FigureRun {
  recording: FolderRecording;
}

/** Runs one scene of a figure, or takes the recording that is there. The caller closes it. */
export async function recorded(
  input: SceneInput,
  { out, onProgress, signal }: Pick<FigureOptions, "out" | "onProgress" | "signal">,
): Promise<FigureRecording> {
  const scene = parseScene(input);
  const folder = path.join(out, scene.name);
  const hooks = {
    verify: true,
    onProgress: ({ steps, totalSteps }: Progress) =>
      onProgress(scene.name, totalSteps > 0 ? steps / totalSteps : 1),
    ...(signal ? { signal } : {}),
  };
  const state = stateOf(folder, scene);
  if (state === "other") await runToFolder(scene, folder, hooks);
  else if (state === "broken off") await resumeFolder(folder, hooks);
  const recording = openRecording(folder);
  return { name: scene.name, recording, summary: recording.summary as Summary };
}

/** Runs several, gives them to `use`, and closes them. */
export async function withRecordings<T>(
  inputs: readonly SceneInput[],
  options: Pick<FigureOptions, "out" | "onProgress" | "signal">,
  use: (recordings: FigureRecording[]) => Promise<T>,
): Promise<T> {
  const recordings: FigureRecording[] = [];
  try {
    for (const input of inputs) recordings.push(await recorded(input, options));
    return await use(recordings);
  } finally {
    for (const { recording } of recordings) recording.close();
  }
}

function stateOf(folder: string, scene: Scene): "complete" | "broken off" | "other" {
  if (!fs.existsSync(path.join(folder, "frames"))) return "other";
  try {
    const recording = openRecording(folder);
    recording.close();
    if (!sameScene(recording.scene, scene)) return "other";
    const { summary } = recording;
    if (summary)
      return summary.version === version && summary.intersections !== undefined
        ? "complete"
        : "other";
    const checkpoint = readCheckpoint(folder);
    return checkpoint?.head.version === version ? "broken off" : "other";
  } catch (error) {
    if (error instanceof RecordingError) return "other"; // torn: run it anew
    throw error;
  }
}

/** The same physics, whatever they say about themselves. */
function sameScene(a: Scene, b: Scene): boolean {
  const text = (scene: Scene): string => JSON.stringify({ ...sceneInput(scene), description: "" });
  return text(a) === text(b);
}
