/** A small picture of the last frame of a run, for the page of a study. */

import { recordedImageReader } from "../node/kept-files.ts";
import { meshReader } from "../node/load-scene.ts";
import { type Camera, fitCamera } from "../picture/camera.ts";
import { savePng } from "../picture/film.ts";
import { render } from "../picture/render.ts";
import { createStage } from "../picture/stage.ts";
import { openRecording } from "../recording/folder.ts";
import type { Vec3 } from "../scene/scene.ts";

export interface PictureTask {
  /** Of the recording. */
  folder: string;
  /** The PNG to write. */
  file: string;
  /** null: one that fits this run alone. */
  camera: Camera | null;
}

const SIZE = { width: 400, height: 300 };
/** Runs of more different sizes than this are each shown in their own. */
const LIKE_SIZE = 3;

export async function drawRun({ folder, file, camera }: PictureTask): Promise<void> {
  const recording = openRecording(folder);
  try {
    const stage = createStage(recording, {
      readMesh: meshReader(folder, true),
      readImage: recordedImageReader(folder),
    });
    const last = recording.frames - 1;
    const shot = camera ?? stage.camera(SIZE.width / SIZE.height);
    const scene = stage.scene(recording.pose(last), recording.time(last), {
      bodyTimes: recording.bodyTimes(last),
    });
    await savePng(file, render(scene, { ...SIZE, camera: shot }));
  } finally {
    recording.close();
  }
}

/** One camera that holds the ends of all runs, so that they can be compared; null if they are too different in size. */
export function commonCamera(folders: readonly string[]): Camera | null {
  const points: number[] = [];
  const sizes: number[] = [];
  let first: Camera | null = null;
  for (const folder of folders) {
    const recording = openRecording(folder);
    try {
      if (recording.scene.view.camera !== "auto") return null;
      const readMesh = meshReader(folder, true);
      const stage = createStage(recording, { readMesh });
      first ??= stage.camera(SIZE.width / SIZE.height);
      const from = points.length;
      const last = recording.frames - 1;
      const { meshes } = stage.scene(recording.pose(last), recording.time(last), {
        bodyTimes: recording.bodyTimes(last),
      });
      const parts = recording.sheet.parts.length;
      meshes.forEach(({ positions, solid }, k) => {
        if (k < parts || solid)
          for (let i = 0; i < positions.length; i++) points.push(positions[i]);
      });
      sizes.push(diagonal(points, from));
    } finally {
      recording.close();
    }
  }
  if (first === null || Math.max(...sizes) > LIKE_SIZE * Math.min(...sizes)) return null;
  const { eye, target } = first;
  const from: Vec3 = [eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]];
  return fitCamera(points, { from, aspect: SIZE.width / SIZE.height, margin: 0.1 });
}

/** m, of the box around the points from a place on. */
function diagonal(points: readonly number[], from: number): number {
  let sum = 0;
  for (let c = 0; c < 3; c++) {
    let [least, most] = [Infinity, -Infinity];
    for (let i = from + c; i < points.length; i += 3) {
      least = Math.min(least, points[i]);
      most = Math.max(most, points[i]);
    }
    sum += (most - least) ** 2;
  }
  return Math.sqrt(sum);
}
