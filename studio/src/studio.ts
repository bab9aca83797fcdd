/**
 * What the studio knows, as signals, and what can be done to it. Nothing here draws: the theatre and the panels read
 * these signals and call these functions.
 */
import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { PinInput, SceneInput, SheetInput } from "../../src/scene/input.ts";
import { library, libraryScene } from "../../src/scene/library.ts";
import type { Vec3 } from "../../src/scene/scene.ts";
import type { Theme } from "../../src/view/stage-view.ts";
import type { Files, Overlay } from "./engine/protocol.ts";
import { createLane, type Lane } from "./lane.ts";
import { fromLink, interactive, toLink } from "./link.ts";

export type Tab = "sheet" | "look" | "charts" | "keep";
export type Tool = "hand" | "pin";

export interface Note {
  readonly id: number;
  readonly text: string;
  readonly kind: "plain" | "good" | "bad";
  /** Lines below the text. */
  readonly details: readonly string[];
}

export const FIRST_SCENE = "pinned-cloth";

const media = (query: string): boolean => globalThis.matchMedia?.(query).matches ?? false;
const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(`isoplate.${name}`);
  } catch {
    return null; // storage may be forbidden; nothing depends on it
  }
};

/** The scene in its input form, as edited. */
export const input: Signal<SceneInput> = signal(interactive(library[0].input()));
export const files: Signal<Files> = signal({});
export const lanes: Signal<readonly Lane[]> = signal([]);
export const running: Signal<boolean> = signal(false);
export const speed: Signal<number> = signal(1);
export const overlay: Signal<Overlay> = signal<Overlay>("none");
export const wire: Signal<boolean> = signal(false);
export const showPins: Signal<boolean> = signal(true);
export const tool: Signal<Tool> = signal<Tool>("hand");
export const tab: Signal<Tab> = signal<Tab>("sheet");
export const galleryOpen: Signal<boolean> = signal(media("(min-width: 1180px)"));
export const panelOpen: Signal<boolean> = signal(media("(min-width: 820px)"));
export const helpOpen: Signal<boolean> = signal(false);
export const notes: Signal<readonly Note[]> = signal([]);
export const selectedBody: Signal<number | null> = signal<number | null>(null);
/** Raised whenever the camera or the canvas changes: for what is drawn over the picture. */
export const viewed: Signal<number> = signal(0);
export function lookAgain(): void {
  viewed.value = viewed.peek() + 1;
}
/** What the ends of the colours mean in the picture that was drawn last; null before there is one. */
export const colourRange: Signal<{ low: number; high: number; clipped: boolean } | null> =
  signal(null);
/** Why nothing can be drawn; empty if it can. */
export const drawingFailed: Signal<string> = signal("");
export const reducedMotion: boolean = media("(prefers-reduced-motion: reduce)");
/** Whether a hand has held the sheet yet: until then the page tells how. */
export const held: Signal<boolean> = signal(false);
export const theme: Signal<Theme> = signal<Theme>(
  (stored("theme") as Theme | null) ?? (media("(prefers-color-scheme: dark)") ? "dark" : "light"),
);

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

/** The first sheet, wherever the scene keeps it. */
export const sheetInput: ReadonlySignal<SheetInput | undefined> = computed(
  () => input.value.sheet ?? input.value.sheets?.[0],
);

/** Whether the scene is still the built-in one of its name. */
export const edited: ReadonlySignal<boolean> = computed(() => {
  const known = libraryScene(input.value.name ?? "");
  if (known === undefined) return true;
  const text = JSON.stringify(input.value);
  return (
    text !== JSON.stringify(known.input()) && text !== JSON.stringify(interactive(known.input()))
  );
});

let serial = 0;

/** Says something for a while. */
export function note(
  text: string,
  kind: Note["kind"] = "plain",
  details: readonly string[] = [],
): void {
  const id = ++serial;
  notes.value = [...notes.value.slice(-2), { id, text, kind, details }];
  setTimeout(() => dismiss(id), kind === "bad" ? 12_000 : 5_000);
}

export function dismiss(id: number): void {
  notes.value = notes.value.filter((n) => n.id !== id);
}

/* ─── lanes ─────────────────────────────────────────────────────────────── */

/** How one lane differs: a name and a change of the scene. */
export interface Variant {
  readonly label: string;
  readonly change: (input: SceneInput) => SceneInput;
}

const asItIs: Variant = { label: "", change: (scene) => scene };

function createStudioLane({ label, change }: Variant): Lane {
  const lane = createLane(label);
  lane.changes.value = change;
  lane.onBeat = (still) => {
    // an engine that stopped by itself (an error, an equilibrium) stops the others too
    if (!still && running.peek() && lane.warnings.peek().some(({ fatal }) => fatal))
      setRunning(false);
    conduct();
    for (const listener of beatListeners) listener();
  };
  lane.onRead = ({ name, input: read, files: own, notes: said }) => {
    open(read, own);
    note(`${name} opened`, "good", said);
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
    selectedBody.value = null;
    lanes.value = (variants.length === 0 ? [asItIs] : variants).map((variant, k) => {
      const lane = k === 0 && old[0] !== undefined ? old[0] : createStudioLane(variant);
      lane.label.value = variant.label;
      lane.changes.value = variant.change;
      return lane;
    });
  });
  for (const lane of old) if (!lanes.value.includes(lane)) lane.dispose();
  for (const lane of lanes.value) tell(lane);
  reopen(false);
}

/** What a lane must know before it opens a scene. */
function tell(lane: Lane): void {
  lane.send({ type: "overlay", overlay: overlay.value });
  lane.send({ type: "run", on: running.value, speed: speed.value });
  lane.send({ type: "allow", beat: comparing.value ? 0 : null });
}

function reopen(keep: boolean): void {
  placed.clear();
  if (!keep) {
    beat = 0;
    taken = 0;
    for (const lane of lanes.value) lane.send({ type: "allow", beat: comparing.value ? 0 : null });
  }
  for (const lane of lanes.value) lane.open(lane.changes.value(input.value), files.value, keep);
}

/* ─── side by side: everyone to the same beat, then all one further ─────── */

let beat = 0;
let taken = 0;
let lastAllowed = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** What the state needs of the theatre; set when there is one. */
export const theatre: { take(): void; poses(): Float64Array } = {
  take: () => {},
  poses: () => new Float64Array(0),
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

/* ─── scene ─────────────────────────────────────────────────────────────── */

/** Opens a scene from its start. */
export function open(scene: SceneInput, own: Files = {}): void {
  batch(() => {
    input.value = scene;
    files.value = own;
    selectedBody.value = null;
    tool.value = "hand";
  });
  reopen(false);
  keepAddress();
}

/** Opens a built-in scene, quick enough to be held. */
export function openLibrary(name: string): void {
  const known = libraryScene(name);
  if (known === undefined) return;
  open(interactive(known.input()));
  if (!reducedMotion) setRunning(true);
}

let changing: ReturnType<typeof setTimeout> | undefined;
let anew = false;

/** Changes the scene; takes effect as it runs if the sheet stays the same. */
export function change(edit: (scene: SceneInput) => SceneInput): void {
  const before = geometry(input.value);
  input.value = edit(input.value);
  anew ||= geometry(input.value) !== before;
  clearTimeout(changing);
  changing = setTimeout(() => {
    if (anew) note("Another sheet: started anew");
    reopen(!anew);
    anew = false;
    keepAddress();
  }, 40);
}

/** What makes a sheet another one: the engine cannot go on from its positions. */
function geometry({ seed, sheet, sheets }: SceneInput): string {
  const own = [sheet, ...(sheets ?? [])].map((s) => s && { ...s, material: null });
  return JSON.stringify([seed, own]);
}

/** Changes the first sheet. */
export function changeSheet(edit: (sheet: SheetInput) => SheetInput): void {
  change((scene) => {
    if (scene.sheet !== undefined) return { ...scene, sheet: edit(scene.sheet) };
    const [one, ...others] = scene.sheets ?? [];
    return one === undefined ? scene : { ...scene, sheets: [edit(one), ...others] };
  });
}

/** Changes the material of all sheets. */
export function changeMaterial(
  edit: (material: Exclude<SheetInput["material"], string | undefined>) => object,
): void {
  const one = (sheet: SheetInput): SheetInput => {
    const { material } = sheet;
    const old = typeof material === "string" ? { preset: material } : (material ?? {});
    return { ...sheet, material: edit(old) };
  };
  change((scene) => ({
    ...scene,
    ...(scene.sheet === undefined ? {} : { sheet: one(scene.sheet) }),
    ...(scene.sheets === undefined ? {} : { sheets: scene.sheets.map(one) }),
  }));
}

let addressing: ReturnType<typeof setTimeout> | undefined;

/** Keeps the address of the page that of the scene. */
function keepAddress(): void {
  clearTimeout(addressing);
  addressing = setTimeout(async () => {
    if (Object.keys(files.value).length > 0) {
      history.replaceState(null, "", location.pathname + location.search); // files are not in links
      return;
    }
    const link = await toLink(input.value);
    if (link.length < 30_000) history.replaceState(null, "", link);
  }, 300);
}

/** The address that gives this scene; null if it needs files. */
export async function link(): Promise<string | null> {
  if (Object.keys(files.value).length > 0) return null;
  return location.href.replace(/#.*$/, "") + (await toLink(input.value));
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

export function reset(): void {
  placed.clear();
  beat = 0;
  taken = 0;
  for (const lane of lanes.value) {
    lane.send({ type: "allow", beat: comparing.value ? 0 : null });
    lane.send({ type: "reset" });
    lane.finished.value = null;
    if (lane.state.value === "refused")
      lane.open(lane.changes.value(input.value), files.value, false);
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

/* ─── hands ─────────────────────────────────────────────────────────────── */

/** The same place of the material in every lane follows the hand. */
export function grab(lane: Lane, point: number, target: Vec3 | null): void {
  held.value = true;
  const uv = lane.opened.value?.sheet.uv;
  for (const other of lanes.value) {
    const i =
      other === lane || uv === undefined
        ? point
        : other.nearest([uv[2 * point], uv[2 * point + 1]]);
    other.send({ type: "grab", point: i, target });
  }
}

/** Puts a pin where there is none, and takes away what holds a point. */
export function togglePin(lane: Lane, point: number): void {
  const opened = lane.opened.value;
  if (opened === null) return;
  const holding = opened.pins.findIndex(({ points }) => points.includes(point));
  const pins = input.value.pins ?? [];
  if (holding >= 0) {
    change((scene) => ({ ...scene, pins: pins.filter((_, k) => k !== holding) }));
    note("Pin taken out");
    return;
  }
  const { uv, spacing } = opened.sheet;
  const name = freeName(
    "pin",
    pins.map((pin) => pin.name ?? ""),
  );
  const pin: PinInput = {
    name,
    at: {
      sheet: partOf(lane, point),
      nearest: [uv[2 * point], uv[2 * point + 1]],
      radius: round(0.6 * spacing[point]),
    },
  };
  change((scene) => ({ ...scene, pins: [...pins, pin] }));
  note("Pinned where it is");
}

function partOf(lane: Lane, point: number): number {
  const sheet = lane.opened.value!.sheet;
  for (let t = 0; t < sheet.triangles.length; t++)
    if (sheet.triangles[t] === point) {
      const triangle = Math.floor(t / 3);
      return sheet.parts.findIndex(
        (part) => triangle >= part.firstTriangle && triangle < part.firstTriangle + part.triangles,
      );
    }
  return 0;
}

function round(x: number): number {
  return Number(x.toPrecision(3));
}

function freeName(word: string, taken: readonly string[]): string {
  for (let k = 1; ; k++) if (!taken.includes(`${word}-${k}`)) return `${word}-${k}`;
}

/** Where the hand has put bodies of the scene that is open. */
const placed = new Map<number, { position: Vec3; turn: number; spin: number }>();

function placeNow(body: number): { position: Vec3; turn: number; spin: number } {
  const known = placed.get(body);
  if (known !== undefined) return known;
  const pose = theatre.poses().subarray(12 * body, 12 * body + 12);
  return { position: [pose[9], pose[10], pose[11]], turn: 0, spin: 0 };
}

export const placeOf = (body: number): Vec3 => placeNow(body).position;
export const turnOf = (body: number): number => placeNow(body).turn;
export const spinOf = (body: number): number => placeNow(body).spin;

/** Puts a body elsewhere (m, rad about z from where it was taken), or lets it spin (rad/s). */
export function placeBody(
  body: number,
  position: Vec3,
  turn: number,
  spin: number = spinOf(body),
): void {
  placed.set(body, { position, turn, spin });
  lookAgain();
  for (const lane of lanes.value) lane.send({ type: "body", body, position, turn, spin });
}

/** The scene's next start, its link and its file have the body where it was put. */
export function keepBody(body: number): void {
  const now = placed.get(body);
  const scene = first.value?.opened.value?.scene;
  if (now === undefined || scene === undefined) return;
  const round = (x: number): number => Math.round(x * 1e4) / 1e4;
  const position = now.position.map(round) as Vec3;
  const radians = turnedBy(scene.colliders[body].rotation, now.turn).map(round) as Vec3;
  input.value = {
    ...input.value,
    colliders: (input.value.colliders ?? []).map((collider, k) => {
      if (k !== body) return collider;
      const { motion: _, ...rest } = collider;
      const spin = { axis: [0, 0, 1] as Vec3, rate: { radians: round(now.spin) } };
      return {
        ...rest,
        position,
        rotation: { radians },
        ...(now.spin === 0 ? {} : { motion: { pivot: position, spin } }),
      };
    }),
  };
  keepAddress();
}

/** A rotation vector followed by a turn about z, as unit quaternions. */
function turnedBy([x, y, z]: Vec3, turn: number): Vec3 {
  const angle = Math.hypot(x, y, z);
  const s = angle > 0 ? Math.sin(angle / 2) / angle : 0.5;
  const [a, b, c, w] = [x * s, y * s, z * s, Math.cos(angle / 2)];
  const [tc, tw] = [Math.sin(turn / 2), Math.cos(turn / 2)];
  let q = [tw * a - tc * b, tw * b + tc * a, tw * c + tc * w, tw * w - tc * c];
  if (q[3] < 0) q = q.map((v) => -v);
  const half = Math.hypot(q[0], q[1], q[2]);
  const f = half > 1e-12 ? (2 * Math.atan2(half, q[3])) / half : 2;
  return [q[0] * f, q[1] * f, q[2] * f];
}

/* ─── files ─────────────────────────────────────────────────────────────── */

/** Opens a scene file or a mesh, or a scene together with the files that it names. */
export async function openFiles(list: Iterable<File>): Promise<void> {
  const all = [...list];
  const scene = all.find(({ name }) => /\.(json|ya?ml)$/i.test(name));
  const others: Record<string, Uint8Array> = {};
  for (const file of all)
    if (file !== scene) others[file.name] = new Uint8Array(await file.arrayBuffer());
  const lane = first.value;
  if (lane === null || all.length === 0) return;
  if (scene === undefined) {
    const name = all[0].name;
    lane.send({ type: "read", name, bytes: others[name], files: {} });
    return;
  }
  const bytes = new Uint8Array(await scene.arrayBuffer());
  lane.send({ type: "read", name: scene.name, bytes, files: others });
}

let begun = false;

/** Lets the first scene run: not before it is seen, since two cores cannot build, draw and step at once. */
export function firstPicture(): void {
  if (begun) return;
  begun = true;
  if (!reducedMotion) setRunning(true);
}

/* ─── beginning ─────────────────────────────────────────────────────────── */

export async function start(): Promise<void> {
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
    try {
      localStorage.setItem("isoplate.theme", theme.value);
    } catch {
      // storage may be forbidden; the choice then lasts as long as the page
    }
  });
  try {
    input.value = (await fromLink(location.hash)) ?? input.value;
  } catch (error) {
    note((error as Error).message, "bad");
  }
  setVariants([asItIs]);
  addEventListener("hashchange", async () => {
    try {
      const scene = await fromLink(location.hash);
      if (scene !== null && JSON.stringify(scene) !== JSON.stringify(input.value)) open(scene);
    } catch (error) {
      note((error as Error).message, "bad");
    }
  });
}
