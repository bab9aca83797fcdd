/** Pictures of recordings for figures: the same camera and light for what stands side by side. */
import { join } from "node:path";
import { type Camera, fitCamera, type Preset } from "../picture/camera.ts";
import { type Picture, row, type SheetStyle } from "../picture/canvas.ts";
import { pngBytes, savePng } from "../picture/film.ts";
import type { Block } from "../picture/page.ts";
import { dataUri } from "../picture/png.ts";
import { render } from "../picture/render.ts";
import { createStage, type StageOptions } from "../picture/stage.ts";
import type { Recording } from "../recording/recording.ts";
import type { Vec3 } from "../scene/scene.ts";

export interface ShotOptions extends StageOptions {
  width?: number;
  height?: number;
  from?: Preset | Vec3;
  /** Instead of one that holds the whole run. */
  camera?: Camera;
}

/** The recording at these times (nearest frames), all seen by one camera. */
export function shots(
  recording: Recording,
  times: readonly number[],
  options: ShotOptions = {},
): Picture[] {
  const { width = 480, height = 400, from = "auto", camera, ...stageOptions } = options;
  const stage = createStage(recording, stageOptions);
  const seen = camera ?? stage.camera(width / height, from);
  return times.map((time) => {
    const frame = frameAt(recording, time);
    const scene = stage.scene(recording.pose(frame), recording.time(frame), {
      bodyTimes: recording.bodyTimes(frame),
    });
    return render(scene, { width, height, camera: seen });
  });
}

/** A camera that holds all of these recordings' frames at a time, so that pictures of them can be compared. */
export function commonCamera(
  recordings: readonly Recording[],
  times: readonly number[],
  { width = 480, height = 400, from = "auto" }: Pick<ShotOptions, "width" | "height" | "from"> = {},
): Camera {
  const clouds = recordings.flatMap((recording) =>
    times.map((time) => recording.positions(frameAt(recording, time))),
  );
  const points = new Float64Array(clouds.reduce((sum, cloud) => sum + cloud.length, 0));
  let at = 0;
  for (const cloud of clouds) {
    points.set(cloud, at);
    at += cloud.length;
  }
  return fitCamera(points, { from, aspect: width / height, margin: 0.12 });
}

/** The frame nearest to a time. */
export function frameAt(recording: Recording, time: number): number {
  let [low, high] = [0, recording.frames - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (recording.time(middle) <= time) low = middle;
    else high = middle;
  }
  return Math.abs(recording.time(high) - time) < Math.abs(recording.time(low) - time) ? high : low;
}

export function endOf(recording: Recording): number {
  return recording.time(recording.frames - 1);
}

/** Pictures side by side as a block of the page; kept as a PNG too. */
export async function pictureBlock(
  pictures: readonly Picture[],
  labels: readonly string[],
  { out, name, caption, ...style }: { out: string; name: string; caption: string } & SheetStyle,
): Promise<Block> {
  const sheet = row(pictures, labels, style);
  await savePng(join(out, `${name}.png`), sheet);
  return { type: "picture", src: dataUri(await pngBytes(sheet)), alt: caption, caption };
}
