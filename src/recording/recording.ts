/**
 * What happened: positions at equal intervals of simulated time, a line of metrics for each, and a summary at the end.
 *
 * A Recording is read; a Recorder is written by run.ts. Here both live in memory, for browsers and tests; folder.ts keeps
 * the same on disk.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { Scene } from "../scene/scene.ts";
import type { FrameMotion } from "./format.ts";
import type { MeasuredSheet } from "./measures.ts";
import type { Metrics, Summary } from "./summary.ts";

export interface Recording {
  readonly scene: Scene;
  readonly sheet: MeasuredSheet;
  /** Frames so far. */
  readonly frames: number;
  /** s, of a frame. */
  time(frame: number): number;
  /** Positions of a frame, [3n] m; into `Y` if given. */
  positions(frame: number, Y?: Float64Array): Float64Array;
  /** Positions and after them the frames of the samples, [9n] m, of which arcs and curved patches are made; positions alone where samples have none. */
  pose(frame: number, Y?: Float64Array): Float64Array;
  /** [colliders] s: the time on its path at which each body stands in a frame; earlier than the frame's where it was held back. */
  bodyTimes(frame: number): Float64Array;
  /** Velocities of a frame, m/s in single precision, and the smoothing of its sheets; null where these were not recorded. */
  motion(frame: number): FrameMotion | null;
  /** One per frame. */
  readonly metrics: readonly Metrics[];
  /** null while it is running, or if it was broken off. */
  readonly summary: Summary | null;
}

/** Where a run puts what it finds. All copy what they are given. */
export interface Recorder {
  /** Called once, before the first frame; not when a run is resumed. */
  begin(scene: Scene, sheet: MeasuredSheet): void;
  /**
   * @param Y the pose: [9n] where the sheet has tangents, else [3n]
   * @param bodyTimes [colliders] s; all at `time` if left out
   * @param motion what energies are proven from; not kept if left out
   */
  frame(
    time: number,
    Y: ReadonlyF64,
    metrics: Metrics,
    bodyTimes?: ReadonlyF64,
    motion?: FrameMotion,
  ): void;
  /** Enough to go on from here: `head` is run.ts's, `state` the simulation's. */
  checkpoint(head: object, state: Uint8Array): void;
  end(summary: Summary): void;
}

interface KeptFrame {
  readonly time: number;
  readonly Y: Float64Array;
  readonly bodyTimes: Float64Array;
  readonly motion: { V: Float32Array; smoothing: Float64Array } | null;
}

/** A recording in memory that is its own recorder. */
export interface MemoryRecording extends Recording, Recorder {
  /** The last checkpoint, if there is one. */
  readonly last: { head: object; state: Uint8Array } | null;
}

/**
 * @example
 * const recorder = createMemoryRecording();
 * await runScene(scene, { recorder });
 * const last = recorder.positions(recorder.frames - 1);
 */
export function createMemoryRecording(): MemoryRecording {
  const frames: KeptFrame[] = [];
  const metrics: Metrics[] = [];
  let begun: { scene: Scene; sheet: MeasuredSheet } | null = null;
  let summary: Summary | null = null;
  let last: { head: object; state: Uint8Array } | null = null;
  const started = (): { scene: Scene; sheet: MeasuredSheet } => {
    if (begun === null) throw new Error("nothing has been recorded yet");
    return begun;
  };
  return {
    get scene() {
      return started().scene;
    },
    get sheet() {
      return started().sheet;
    },
    get frames() {
      return frames.length;
    },
    time: (k) => at(frames, k).time,
    positions: (k, Y) => copied(at(frames, k).Y.subarray(0, 3 * started().sheet.n), Y),
    pose: (k, Y) => copied(at(frames, k).Y, Y),
    bodyTimes: (k) => at(frames, k).bodyTimes.slice(),
    motion(k) {
      const { motion } = at(frames, k);
      return motion && { V: Float64Array.from(motion.V), smoothing: motion.smoothing.slice() };
    },
    metrics,
    get summary() {
      return summary;
    },
    get last() {
      return last;
    },
    begin(scene, sheet) {
      begun = { scene, sheet };
    },
    frame(time, Y, row, times, moving) {
      const { colliders } = started().scene;
      const bodyTimes = Float64Array.from(colliders, (_, k) => times?.[k] ?? time);
      const motion = moving
        ? {
            V: Float32Array.from(moving.V as Float64Array),
            smoothing: Float64Array.from(moving.smoothing as Float64Array),
          }
        : null;
      frames.push({ time, Y: Float64Array.from(Y as Float64Array), bodyTimes, motion });
      metrics.push({ ...row });
    },
    checkpoint(head, state) {
      last = { head: structuredClone(head), state: state.slice() };
    },
    end(result) {
      summary = result;
    },
  };
}

function copied(from: Float64Array, to: Float64Array | undefined): Float64Array {
  if (to === undefined) return from.slice();
  to.set(from);
  return to;
}

function at<T>(list: readonly T[], k: number): T {
  if (!(Number.isInteger(k) && k >= 0 && k < list.length))
    throw new RangeError(`frame ${k}: there are ${list.length}`);
  return list[k];
}
