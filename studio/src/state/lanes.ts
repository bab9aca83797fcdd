/** The engines that run the scene, and what all of them do together: run, step, show the past, compare. */
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { SceneInput } from "../../../src/index.ts";
import type { Files, FromEngine, Overlay } from "../engine/protocol.ts";
import { createLane, type Lane } from "../lane.ts";
import { note, overlay, reducedMotion, select } from "./signals.ts";

export const lanes: Signal<readonly Lane[]> = signal([]);
export const running: Signal<boolean> = signal(false);
export const speed: Signal<number> = signal(1);
/** Whether the static solver is at work. */
export const settling: Signal<boolean> = signal(false);

/** The lane that panels and charts speak of. */
export const first: ReadonlySignal<Lane | null> = computed(() => lanes.value[0] ?? null);
export const comparing: ReadonlySignal<boolean> = computed(() => lanes.value.length > 1);
export const scrubbing: ReadonlySignal<boolean> = computed(() =>
  lanes.value.some((lane) => lane.shown.value !== null),
);
/** Frames that every lane has. */
export const frames: ReadonlySignal<number> = computed(() =>
  lanes.value.length === 0 ? 0 : Math.min(...lanes.value.map((lane) => lane.frames.value)),
);

/** How one lane differs: a name and a change of the scene. */
export interface Variant {
  readonly label: string;
  /** The others are measured against this one. */
  readonly reference?: boolean;
  readonly change: (input: SceneInput) => SceneInput;
}

/** Whether there is a first picture, or it is known that there will be none. */
let begun = false;

const asItIs: Variant = { label: "", change: (scene) => scene };

/** What is to be simulated, and what becomes of a file that was read; set by those who know. */
export const connections: {
  scene: () => { input: SceneInput; files: Files };
  read: (message: FromEngine & { type: "read" }) => void;
  /** Forgets where a hand has put bodies. */
  forget: () => void;
} = {
  scene: () => ({ input: {}, files: {} }),
  read: () => {},
  forget: () => {},
};

function createStudioLane({ label, change }: Variant): Lane {
  const lane = createLane(label, begun);
  lane.changes.value = change;
  lane.onBeat = (still) => {
    // an engine that stopped by itself (an error, an equilibrium) stops the others too
    if (!still && running.peek() && lane.warnings.peek().some(({ fatal }) => fatal))
      setRunning(false);
    conduct();
    for (const listener of beatListeners) listener();
  };
  lane.onRead = (message) => connections.read(message);
  lane.onSettled = ({ converged, notes, milliseconds }) => {
    settling.value = false;
    const took = `${(milliseconds / 1000).toFixed(1)} s`;
    const who = comparing.value ? `${lane.label.value}: ` : "";
    if (converged) note(`${who}${who === "" ? "At" : "at"} rest, found in ${took}`, "good");
    else note(`${who}${who === "" ? "Not" : "not"} at rest after ${took}`, "bad", notes);
  };
  return lane;
}

const beatListeners = new Set<() => void>();
/** Calls back on every frame that any lane published. */
export function onBeat(listener: () => void): () => void {
  beatListeners.add(listener);
  return () => beatListeners.delete(listener);
}

/** Runs the scene in as many lanes as there are variants. */
export function setVariants(variants: readonly Variant[]): void {
  const old = lanes.value;
  batch(() => {
    select({});
    lanes.value = (variants.length === 0 ? [asItIs] : variants).map((variant, k) => {
      const lane = k === 0 && old[0] !== undefined ? old[0] : createStudioLane(variant);
      lane.label.value = variant.label;
      lane.reference.value = variant.reference === true;
      lane.changes.value = variant.change;
      return lane;
    });
  });
  for (const lane of old) if (!lanes.value.includes(lane)) lane.dispose();
  for (const lane of lanes.value) tell(lane);
  reopen(false);
}

/** Whether every pane has a choice of methods. */
export const choosable: Signal<boolean> = signal(false);

/** Gives one of the lanes another method; all start again together. */
export function setLaneMethod(k: number, method: NonNullable<SceneInput["method"]>): void {
  const lane = lanes.value[k];
  if (lane === undefined) return;
  const before = lane.changes.value;
  lane.changes.value = (input) => ({ ...before(input), method });
  reopen(false);
}

/** What a lane must know before it opens a scene. */
function tell(lane: Lane): void {
  lane.send({ type: "overlay", overlay: overlay.value });
  lane.send({ type: "run", on: running.value, speed: speed.value });
  lane.send({ type: "allow", beat: comparing.value ? 0 : null });
}

/** Opens the scene in every lane; `keep` goes on from where it is, if the sheet is the same. */
export function reopen(keep: boolean): void {
  connections.forget();
  settling.value = false;
  if (!keep) {
    beat = 0;
    taken = 0;
    for (const lane of lanes.value) lane.send({ type: "allow", beat: comparing.value ? 0 : null });
  }
  const { input, files } = connections.scene();
  for (const lane of lanes.value) lane.open(lane.changes.value(input), files, keep);
}

/* ─── side by side: everyone to the same beat, then all one further ─────── */

let beat = 0;
let taken = 0;
let lastAllowed = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** What the state needs of the theatre; set when there is one. */
export const theatre: { take(): void; poses(): Float64Array; positions(): Float32Array } = {
  take: () => {},
  poses: () => new Float64Array(0),
  positions: () => new Float32Array(0),
};

function conduct(): void {
  const all = lanes.value;
  if (all.length < 2 || !running.value) return;
  if (all.some((lane) => lane.state.value !== "ready" && lane.state.value !== "refused")) return;
  const live = all.filter((lane) => lane.state.value === "ready");
  if (live.length === 0 || live.some((lane) => lane.beat < beat)) return;
  if (taken <= beat) {
    theatre.take();
    taken = beat + 1;
  }
  // not faster than the clock
  const wait = lastAllowed + 1000 / 60 / speed.value - performance.now();
  clearTimeout(timer);
  if (wait > 2) {
    timer = setTimeout(conduct, wait);
    return;
  }
  lastAllowed = performance.now();
  beat = Math.min(...live.map((lane) => lane.beat)) + 1;
  for (const lane of live) lane.send({ type: "allow", beat });
}

/** Whether the lanes stand at the same time, so that their frames may be shown together. */
export function together(): boolean {
  const all = lanes.value.filter((lane) => lane.state.value === "ready");
  return all.length < 2 || !running.value || all.every((lane) => lane.beat === all[0].beat);
}

/* ─── running ───────────────────────────────────────────────────────────── */

export function setRunning(on: boolean): void {
  running.value = on;
  for (const lane of lanes.value) lane.send({ type: "run", on, speed: speed.value });
  if (on && comparing.value) {
    beat = Math.min(...lanes.value.map((lane) => lane.beat));
    conduct();
  }
}

export function setSpeed(value: number): void {
  speed.value = value;
  for (const lane of lanes.value) lane.send({ type: "run", on: running.value, speed: value });
}

export function stepOnce(): void {
  running.value = false;
  for (const lane of lanes.value) lane.send({ type: "step" });
}

/** Looks for the shape at rest, with pins and bodies as they are now. */
export function settle(): void {
  if (settling.value) return;
  running.value = false;
  settling.value = true;
  for (const lane of lanes.value) lane.send({ type: "settle" });
}

/** Back to the start of the scene as it is written now. */
export function reset(): void {
  connections.forget();
  beat = 0;
  taken = 0;
  const { input, files } = connections.scene();
  for (const lane of lanes.value) {
    lane.send({ type: "allow", beat: comparing.value ? 0 : null });
    lane.finished.value = null;
    const scene = lane.changes.value(input);
    if (lane.state.value === "refused" || lane.state.value === "opening")
      lane.open(scene, files, false);
    else lane.send({ type: "reset", input: scene });
  }
}

/** Shows a frame of the recording, or the present. */
export function scrub(frame: number | null): void {
  if (frame !== null) running.value = false;
  for (const lane of lanes.value) lane.send({ type: "show", frame });
}

export function setOverlay(value: Overlay): void {
  overlay.value = value;
  for (const lane of lanes.value) lane.send({ type: "overlay", overlay: value });
}

/** Lets the first scene run: not before it is seen, since two cores cannot build, draw and step at once. */
export function firstPicture(): void {
  if (begun) return;
  begun = true;
  for (const lane of lanes.value) lane.send({ type: "pictured" });
  if (!reducedMotion) setRunning(true);
}
