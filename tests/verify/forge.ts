/** Plants faults in recordings, for tests of verify. */
import * as fs from "node:fs";
import * as path from "node:path";
import { openRecording } from "../../src/recording/folder.ts";
import {
  decodeBodyTimes,
  decodeFrame,
  decodeMotion,
  encodeFrame,
  FRAMES_HEADER,
  type FramesLayout,
  poseLength,
  sealFrame,
} from "../../src/recording/format.ts";
import { sha256 } from "../../src/recording/hash.ts";

type Motion = NonNullable<ReturnType<typeof decodeMotion>>;

/** The file of frames of a recording, to be changed. */
export interface Forgery {
  readonly layout: FramesLayout;
  readonly frames: number;
  /** The bytes of a frame. */
  of(frame: number): Uint8Array;
  /** Seals all frames anew, as a clever forger does. */
  seal(): void;
  write(): void;
}

export function openForgery(folder: string): Forgery {
  const recording = openRecording(folder);
  const { layout, frames } = recording;
  recording.close();
  const file = path.join(folder, "frames");
  const bytes = fs.readFileSync(file);
  const at = (k: number): number => FRAMES_HEADER + k * layout.frameBytes;
  const of = (k: number): Uint8Array => bytes.subarray(at(k), at(k + 1));
  return {
    layout,
    frames,
    of,
    seal() {
      if (!layout.sealed) throw new Error("these frames have no seals");
      let seal = sha256(fs.readFileSync(path.join(folder, "sheet")));
      for (let k = 0; k < frames; k++) seal = sealFrame(of(k), seal);
    },
    write: () => fs.writeFileSync(file, bytes),
  };
}

/** Changes one frame: its pose, the times of its bodies, and its velocities. */
export function forge(
  folder: string,
  frame: number,
  change: (pose: Float64Array, n: number, bodyTimes: Float64Array, motion: Motion) => void,
  { seals = true }: { seals?: boolean } = {},
): void {
  const { layout, of, seal, write } = openForgery(folder);
  const pose = new Float64Array(poseLength(layout));
  const time = decodeFrame(pose, of(frame), layout);
  const bodyTimes = decodeBodyTimes(of(frame), layout);
  const motion = decodeMotion(of(frame), layout)!;
  change(pose, layout.n, bodyTimes, motion);
  encodeFrame(of(frame), layout, time, pose, bodyTimes, motion);
  if (seals) seal();
  write();
}

/** Puts two frames in each other's place. */
export function swapFrames(folder: string, a: number, b: number): void {
  const { of, write } = openForgery(folder);
  const kept = Uint8Array.from(of(a));
  of(a).set(of(b));
  of(b).set(kept);
  write();
}

/** Changes a number in a line of metrics.csv. */
export function forgeMetrics(
  folder: string,
  frame: number,
  name: string,
  change: (value: number) => number,
): void {
  const file = path.join(folder, "metrics.csv");
  const lines = fs.readFileSync(file, "utf8").split("\n");
  const column = lines[0].split(",").indexOf(name);
  const values = lines[frame + 1].split(",");
  values[column] = String(change(Number(values[column])));
  lines[frame + 1] = values.join(",");
  fs.writeFileSync(file, lines.join("\n"));
}
