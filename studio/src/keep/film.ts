/**
 * A film of the recording, in the page: every recorded frame is shown, drawn at the film's size and encoded by the
 * browser. MP4 (H.264) where the browser can encode it, WebM (VP9 or VP8) elsewhere.
 */
import {
  BufferTarget,
  CanvasSource,
  canEncodeVideo,
  Mp4OutputFormat,
  Output,
  type VideoCodec,
  WebMOutputFormat,
} from "mediabunny";
import * as studio from "../studio.ts";
import type { Theatre } from "../theatre/theatre.ts";

export interface Film {
  bytes: Uint8Array;
  ending: "mp4" | "webm";
  codec: string;
  frames: number;
}

/** Bits per pixel and frame: folds stay clean, a minute of 720p stays under 30 MB. */
const BITS = 0.14;

export async function makeFilm(
  theatre: Theatre,
  {
    width,
    height,
    onProgress,
    signal,
  }: {
    width: number;
    height: number;
    onProgress: (share: number) => void;
    signal: AbortSignal;
  },
): Promise<Film> {
  const lane = studio.first.value;
  const total = studio.frames.value;
  if (lane === null || total === 0) throw new Error("nothing has been recorded yet");
  const rate = lane.opened.value?.scene.record.rate ?? 30;
  const bitrate = Math.round(BITS * width * height * rate);
  const codec = await firstCodec(width, height, bitrate);

  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser gave no canvas");
  const target = new BufferTarget();
  const mp4 = codec === "avc";
  const output = new Output({
    format: mp4 ? new Mp4OutputFormat() : new WebMOutputFormat(),
    target,
  });
  const source = new CanvasSource(canvas, { codec, bitrate, keyFrameInterval: 2 });
  output.addVideoTrack(source, { frameRate: rate });
  await output.start();
  const before = lane.shown.value;
  const wasRunning = studio.running.value;
  try {
    for (let frame = 0; frame < total; frame++) {
      if (signal.aborted) throw new Error("cancelled");
      await shown(frame);
      const bitmap = await theatre.snapshot(width, height, "bitmap");
      context.drawImage(bitmap, 0, 0);
      bitmap.close();
      await source.add(frame / rate, 1 / rate);
      onProgress((frame + 1) / total);
    }
    await output.finalize();
  } catch (error) {
    await output.cancel();
    throw error;
  } finally {
    studio.scrub(before);
    if (wasRunning) studio.setRunning(true);
  }
  return {
    bytes: new Uint8Array(target.buffer as ArrayBuffer),
    ending: mp4 ? "mp4" : "webm",
    codec: mp4 ? "H.264" : codec.toUpperCase(),
    frames: total,
  };
}

async function firstCodec(width: number, height: number, bitrate: number): Promise<VideoCodec> {
  for (const codec of ["avc", "vp9", "vp8"] as const)
    if (await canEncodeVideo(codec, { width, height, bitrate })) return codec;
  throw new Error("this browser cannot encode video; take the recording and use `isoplate render`");
}

/** Asks every engine for a frame and waits until all have published it. */
function shown(frame: number): Promise<void> {
  return new Promise((resolve) => {
    const ready = (): boolean => studio.lanes.value.every((lane) => lane.shown.value === frame);
    const stop = studio.onBeat(() => {
      if (!ready()) return;
      stop();
      resolve();
    });
    studio.scrub(frame);
  });
}
