/**
 * One engine as the page sees it: its worker, the newest frame, and its last messages, as signals.
 *
 * An engine that is still building a scene reads no messages. If another scene is wanted meanwhile its worker is ended and
 * a new one begun, so that choosing a scene never waits for the one before.
 */

import { batch, type Signal, signal } from "@preact/signals";
import type { Fault, SceneInput } from "../../src/index.ts";
import { replay, startEngine, takeEarly } from "./early.ts";
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
  readonly cause?: string;
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

/** Something that takes a while: how far it is, and how to end it. */
export interface Job {
  onProgress?(share: number): void;
  signal?: AbortSignal;
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
  make(request: ExportRequest, job?: Job): Promise<MadeFile[]>;
  /** The point whose material coordinates are nearest. */
  nearest(uv: readonly [number, number]): number;
  dispose(): void;
}

/** Lines kept for the charts; beyond, every other one is dropped. */
const MOST_LINES = 3600;

const shared = (): boolean => globalThis.crossOriginIsolated === true;

/** The worker of a lane, and what it is waiting for. */
interface Port {
  worker: Worker;
  reader: (FrameReader & { take?(buffer: ArrayBuffer): void }) | null;
  /** Counts openings. */
  serial: number;
  /** Whether the worker is building a scene and reads no messages. */
  busy: boolean;
  /** What is to be opened when it reads messages again. */
  wanted: { input: SceneInput; files: Files } | null;
  /** What a new worker must be sent. */
  running: { on: boolean; speed: number };
  overlay: Overlay;
  allowed: number | null;
  /** Whether the page has a picture, of whatever scene. */
  pictured: boolean;
  /** Counts exports. */
  exports: number;
  readonly waiting: Map<number, Waiting>;
}

interface Waiting {
  resolve(files: MadeFile[]): void;
  reject(error: Error): void;
  onProgress(share: number): void;
}

/** @param pictured whether the page has a picture already */
export function createLane(label: string, pictured: boolean): Lane {
  const port: Omit<Port, "worker"> & { worker?: Worker } = {
    reader: null,
    serial: 0,
    busy: false,
    wanted: null,
    running: { on: false, speed: 1 },
    overlay: "none",
    allowed: null,
    pictured,
    exports: 0,
    waiting: new Map(),
  };
  const own = port as Port;
  const lane: Lane = {
    ...laneSignals(label),
    beat: 0,
    onBeat: () => {},
    onRead: () => {},
    onSettled: () => {},
    open: (input, files, keep) => openScene(lane, own, input, files, keep),
    send(message) {
      if (message.type === "run") own.running = { on: message.on, speed: message.speed };
      if (message.type === "overlay") own.overlay = message.overlay;
      if (message.type === "allow") own.allowed = message.beat;
      if (message.type === "pictured") own.pictured = true;
      own.worker.postMessage(message);
    },
    next: () => own.reader?.next() ?? null,
    make: (request, job) => makeFiles(own, request, job),
    nearest: (uv) => nearestPoint(lane.opened.value?.sheet.uv, uv),
    dispose() {
      own.worker.terminate();
      for (const { reject } of own.waiting.values()) reject(new Error("the view was closed"));
      own.waiting.clear();
      own.reader = null;
    },
  };
  begin(lane, own);
  return lane;
}

function laneSignals(label: string) {
  return {
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
    series: { lines: [] as Beat[], version: signal(0) },
  };
}

/** Starts a worker and tells it what the one before knew. */
function begin(lane: Lane, port: Port): void {
  const early = takeEarly("engine");
  const worker = early?.worker ?? startEngine();
  port.worker = worker;
  worker.onmessage = ({ data }: MessageEvent<FromEngine>) => batch(() => hear(lane, port, data));
  worker.onerror = (event) => {
    event.preventDefault();
    port.busy = false;
    lane.refusal.value = {
      source: "engine",
      message: event.message || "the engine stopped",
      faults: [],
    };
    lane.state.value = "refused";
  };
  if (early !== null) replay(early);
  worker.postMessage({ type: "overlay", overlay: port.overlay } satisfies ToEngine);
  worker.postMessage({ type: "run", ...port.running } satisfies ToEngine);
  worker.postMessage({ type: "allow", beat: port.allowed } satisfies ToEngine);
}

function openScene(lane: Lane, port: Port, input: SceneInput, files: Files, keep: boolean): void {
  if (keep) {
    // the last of many quick changes is what counts
    if (port.busy) port.wanted = { input, files };
    else sendOpen(port, input, files, true);
    return;
  }
  port.wanted = null;
  if (port.busy) {
    port.worker.terminate();
    begin(lane, port);
  }
  port.reader = null;
  lane.state.value = "opening";
  sendOpen(port, input, files, false);
}

function sendOpen(port: Port, input: SceneInput, files: Files, keep: boolean): void {
  port.busy = true;
  port.serial += 1;
  const { serial } = port;
  port.worker.postMessage({
    type: "open",
    ...{ input, files, keep, serial },
    shared: shared(),
    unseen: !port.pictured,
  } satisfies ToEngine);
}

/** An opening is over: the next one, if one is wanted. */
function openNext(port: Port): void {
  port.busy = false;
  if (port.wanted === null) return;
  const { input, files } = port.wanted;
  port.wanted = null;
  sendOpen(port, input, files, true);
}

function makeFiles(port: Port, request: ExportRequest, job: Job = {}): Promise<MadeFile[]> {
  const id = ++port.exports;
  return new Promise((resolve, reject) => {
    port.waiting.set(id, { resolve, reject, onProgress: job.onProgress ?? (() => {}) });
    job.signal?.addEventListener("abort", () => {
      port.worker.postMessage({ type: "cancel", id } satisfies ToEngine);
    });
    port.worker.postMessage({ type: "export", id, request } satisfies ToEngine);
  });
}

function nearestPoint(
  uv: ArrayLike<number> | undefined,
  [u, v]: readonly [number, number],
): number {
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
}

/* ─── messages of the engine ─── */

function hear(lane: Lane, port: Port, message: FromEngine): void {
  switch (message.type) {
    case "legend":
      lane.legend.value = message;
      return;
    case "read":
      lane.onRead(message);
      return;
    case "refused":
      hearRefusal(lane, port, message);
      return;
    case "progress":
      port.waiting.get(message.id)?.onProgress(message.share);
      return;
    case "made":
      port.waiting.get(message.id)?.resolve(message.files);
      port.waiting.delete(message.id);
      return;
    case "not-made":
      port.waiting.get(message.id)?.reject(new Error(message.message));
      port.waiting.delete(message.id);
      return;
    case "ready":
      return;
  }
  // the rest is about a scene, and only the newest counts
  if (message.serial === port.serial) hearOfScene(lane, port, message);
}

function hearRefusal(lane: Lane, port: Port, message: FromEngine & { type: "refused" }): void {
  if (message.serial !== port.serial && message.serial !== -1) return;
  lane.refusal.value = message;
  if (message.serial !== port.serial) return;
  if (lane.opened.value === null || lane.state.value === "building") lane.state.value = "refused";
  // nothing was opened: what is still shown is the scene before
  if (lane.state.value === "opening") lane.state.value = "refused";
  openNext(port);
}

function hearOfScene(
  lane: Lane,
  port: Port,
  message: Exclude<
    FromEngine,
    { type: "legend" | "read" | "refused" | "progress" | "made" | "not-made" | "ready" }
  >,
): void {
  switch (message.type) {
    case "opened":
      showOpened(lane, port, message);
      break;
    case "built":
      lane.buildMs.value = message.milliseconds;
      lane.state.value = "ready";
      openNext(port);
      break;
    case "beat":
      lane.line.value = message.line;
      lane.frames.value = message.frames;
      lane.end.value = message.end;
      lane.shown.value = message.shown;
      lane.touched.value = message.touched;
      lane.beat = message.beat;
      if (message.shown === null) keepLine(lane.series, message.line);
      lane.onBeat(message.running);
      break;
    case "frame":
      port.reader?.take?.(message.buffer);
      break;
    case "warning":
      lane.warnings.value = [...lane.warnings.value, message].slice(-50);
      if (message.fatal) lane.onBeat(false);
      break;
    case "finished":
      if (!message.touched) lane.finished.value = message;
      break;
    case "settled":
      lane.onSettled(message);
      break;
  }
}

function showOpened(lane: Lane, port: Port, message: Opened): void {
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
  if (message.frames !== null) port.reader = sharedReader(message.frames, layout);
  else if (!shared() && message.taken === "restart" && port.reader === null)
    port.reader = transferReader(layout, (buffer) =>
      port.worker.postMessage({ type: "give-back", buffer } satisfies ToEngine, [buffer]),
    );
  lane.opened.value = message;
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
