/**
 * One engine as the page sees it: its worker, the newest frame, and what it last said, as signals.
 *
 * An engine that is still building a scene cannot listen. If another scene is wanted meanwhile its worker is ended and
 * a new one begun, so that choosing a scene never waits for the one before.
 */

import { batch, type Signal, signal } from "@preact/signals";
import type { Fault, SceneInput } from "../../src/index.ts";
import { type FrameReader, type Slot, sharedReader, transferReader } from "./engine/frames.ts";
import type {
  Beat,
  ExportRequest,
  Files,
  FromEngine,
  MadeFile,
  Opened,
  Overlay,
  ToEngine,
} from "./engine/protocol.ts";

export interface Warning {
  readonly text: string;
  readonly points: number[];
  /** s */
  readonly time: number;
  readonly fatal: boolean;
}

export interface Refusal {
  readonly source: string;
  readonly message: string;
  readonly faults: readonly Fault[];
}

export interface Legend {
  readonly overlay: Overlay;
  readonly label: string;
  readonly unit: string;
  readonly factor: number;
  readonly map: string;
}

/** What charts show: a line a beat, thinned when it grows long. */
export interface Series {
  lines: Beat[];
  /** Raised whenever lines change. */
  version: Signal<number>;
}

export interface Lane {
  readonly label: Signal<string>;
  /** Whether the others are measured against this lane. */
  readonly reference: Signal<boolean>;
  /** Fields in which this lane differs from the scene. */
  readonly changes: Signal<(input: SceneInput) => SceneInput>;
  readonly state: Signal<"opening" | "building" | "ready" | "refused">;
  readonly opened: Signal<Opened | null>;
  readonly line: Signal<Beat | null>;
  readonly legend: Signal<Legend | null>;
  readonly warnings: Signal<readonly Warning[]>;
  readonly refusal: Signal<Refusal | null>;
  /** Frames in the recording, time of the last, and the one that is shown (null: the present). */
  readonly frames: Signal<number>;
  readonly end: Signal<number>;
  readonly shown: Signal<number | null>;
  readonly touched: Signal<boolean>;
  readonly finished: Signal<{ hash: string; time: number } | null>;
  readonly buildMs: Signal<number>;
  readonly series: Series;
  /** Beats of 1/60 s that were simulated and published. */
  beat: number;
  /** Called on every published frame. */
  onBeat: (running: boolean) => void;
  onRead: (message: FromEngine & { type: "read" }) => void;
  onSettled: (message: FromEngine & { type: "settled" }) => void;
  open(input: SceneInput, files: Files, keep: boolean): void;
  send(message: ToEngine): void;
  /** The newest frame, if there is one that has not been given yet. */
  next(): Slot | null;
  make(request: ExportRequest): Promise<MadeFile[]>;
  /** The point whose material coordinates are nearest. */
  nearest(uv: readonly [number, number]): number;
  dispose(): void;
}

/** Lines kept for the charts; beyond, every other one is dropped. */
const MOST_LINES = 3600;

const shared = (): boolean => globalThis.crossOriginIsolated === true;

export function createLane(label: string): Lane {
  let worker: Worker;
  let reader: (FrameReader & { take?(buffer: ArrayBuffer): void }) | null = null;
  let serial = 0;
  /** Whether the worker is inside an opening and deaf. */
  let busy = false;
  let wanted: { input: SceneInput; files: Files } | null = null;
  /** What a new worker must be told. */
  let running = { on: false, speed: 1 };
  let overlay: Overlay = "none";
  let allowed: number | null = null;
  let exports = 0;
  const waiting = new Map<
    number,
    { resolve: (files: MadeFile[]) => void; reject: (error: Error) => void }
  >();

  const begin = (): void => {
    worker = new Worker(new URL("./engine/worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromEngine>) => batch(() => hear(data));
    worker.onerror = (event) => {
      event.preventDefault();
      busy = false;
      lane.refusal.value = {
        source: "engine",
        message: event.message || "the engine stopped",
        faults: [],
      };
      lane.state.value = "refused";
    };
    worker.postMessage({ type: "overlay", overlay } satisfies ToEngine);
    worker.postMessage({ type: "run", ...running } satisfies ToEngine);
    worker.postMessage({ type: "allow", beat: allowed } satisfies ToEngine);
  };

  const open = (input: SceneInput, files: Files, keep: boolean): void => {
    busy = true;
    serial += 1;
    worker.postMessage({
      type: "open",
      input,
      files,
      keep,
      serial,
      shared: shared(),
    } satisfies ToEngine);
  };

  const settled = (): void => {
    busy = false;
    if (wanted === null) return;
    const { input, files } = wanted;
    wanted = null;
    open(input, files, true);
  };

  const hear = (message: FromEngine): void => {
    switch (message.type) {
      case "opened": {
        if (message.serial !== serial) return;
        lane.refusal.value = null;
        const layout = { n: message.sheet.n, bodies: message.scene.colliders.length };
        if (message.taken === "restart") {
          lane.warnings.value = [];
          lane.finished.value = null;
          lane.series.lines = [];
          lane.series.version.value++;
          lane.beat = 0;
          lane.state.value = "building";
        }
        if (message.frames !== null) reader = sharedReader(message.frames, layout);
        else if (!shared() && message.taken === "restart" && reader === null)
          reader = transferReader(layout, (buffer) =>
            worker.postMessage({ type: "give-back", buffer } satisfies ToEngine, [buffer]),
          );
        lane.opened.value = message;
        break;
      }
      case "built":
        if (message.serial !== serial) return;
        lane.buildMs.value = message.milliseconds;
        lane.state.value = "ready";
        settled();
        break;
      case "refused":
        if (message.serial !== serial && message.serial !== -1) return;
        lane.refusal.value = message;
        if (message.serial === serial) {
          if (lane.opened.value === null || lane.state.value === "building")
            lane.state.value = "refused";
          settled();
        }
        break;
      case "beat": {
        if (message.serial !== serial) return;
        lane.line.value = message.line;
        lane.frames.value = message.frames;
        lane.end.value = message.end;
        lane.shown.value = message.shown;
        lane.touched.value = message.touched;
        lane.beat = message.beat;
        if (message.shown === null) keepLine(lane.series, message.line);
        lane.onBeat(message.running);
        break;
      }
      case "frame":
        if (message.serial === serial) reader?.take?.(message.buffer);
        break;
      case "legend":
        lane.legend.value = message;
        break;
      case "warning":
        if (message.serial !== serial) return;
        lane.warnings.value = [...lane.warnings.value, message].slice(-50);
        if (message.fatal) lane.onBeat(false);
        break;
      case "finished":
        if (message.serial === serial && !message.touched) lane.finished.value = message;
        break;
      case "read":
        lane.onRead(message);
        break;
      case "settled":
        if (message.serial === serial) lane.onSettled(message);
        break;
      case "made":
        waiting.get(message.id)?.resolve(message.files);
        waiting.delete(message.id);
        break;
      case "not-made":
        waiting.get(message.id)?.reject(new Error(message.message));
        waiting.delete(message.id);
        break;
    }
  };

  const lane: Lane = {
    label: signal(label),
    reference: signal(false),
    changes: signal((input: SceneInput) => input),
    state: signal<"opening" | "building" | "ready" | "refused">("opening"),
    opened: signal<Opened | null>(null),
    line: signal<Beat | null>(null),
    legend: signal<Legend | null>(null),
    warnings: signal<readonly Warning[]>([]),
    refusal: signal<Refusal | null>(null),
    frames: signal(0),
    end: signal(0),
    shown: signal<number | null>(null),
    touched: signal(false),
    finished: signal<{ hash: string; time: number } | null>(null),
    buildMs: signal(0),
    series: { lines: [], version: signal(0) },
    beat: 0,
    onBeat: () => {},
    onRead: () => {},
    onSettled: () => {},
    open(input, files, keep) {
      if (keep) {
        // the last of many quick changes is what counts
        if (busy) wanted = { input, files };
        else open(input, files, true);
        return;
      }
      wanted = null;
      if (busy) {
        worker.terminate();
        begin();
      }
      reader = null;
      lane.state.value = "opening";
      open(input, files, false);
    },
    send(message) {
      if (message.type === "run") running = { on: message.on, speed: message.speed };
      if (message.type === "overlay") overlay = message.overlay;
      if (message.type === "allow") allowed = message.beat;
      worker.postMessage(message);
    },
    next: () => reader?.next() ?? null,
    make(request) {
      const id = ++exports;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        worker.postMessage({ type: "export", id, request } satisfies ToEngine);
      });
    },
    nearest([u, v]) {
      const uv = lane.opened.value?.sheet.uv;
      if (uv === undefined) return -1;
      let best = -1;
      let least = Number.POSITIVE_INFINITY;
      for (let i = 0; 2 * i < uv.length; i++) {
        const d = (uv[2 * i] - u) ** 2 + (uv[2 * i + 1] - v) ** 2;
        if (d < least) {
          least = d;
          best = i;
        }
      }
      return best;
    },
    dispose() {
      worker.terminate();
      for (const { reject } of waiting.values()) reject(new Error("the view was closed"));
      waiting.clear();
      reader = null;
    },
  };
  begin();
  return lane;
}

function keepLine(series: Series, line: Beat): void {
  const { lines } = series;
  const last = lines[lines.length - 1];
  if (last !== undefined && line.time <= last.time) {
    if (line.time === last.time) return;
    series.lines = lines.filter(({ time }) => time < line.time); // went on from an earlier time
  }
  series.lines.push(line);
  if (series.lines.length > MOST_LINES) series.lines = series.lines.filter((_, k) => k % 2 === 0);
  series.version.value++;
}
