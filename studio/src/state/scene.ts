/**
 * The scene document: plain data with its history, from which the engines, the panels, the text and the link follow.
 * Everything that changes the scene goes through `change` or `open`, so that all of it can be taken back.
 */
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { SceneInput, SheetInput } from "../../../src/index.ts";
import { libraryScene } from "../../../src/scenes.ts";
import { editSheet, editSheets, sheetsOf, withoutGrain } from "../document/edits.ts";
import {
  committed,
  createHistory,
  type History,
  redone,
  sealed,
  undone,
} from "../document/history.ts";
import { type Lesson, lessonOf } from "../document/lessons.ts";
import type { Files } from "../engine/protocol.ts";
import { fromLink, interactive, toLink } from "../link.ts";
import { first, reopen, setRunning } from "./lanes.ts";
import { note, reducedMotion, select, tool } from "./signals.ts";

/** A scene and the files that it names. */
export interface SceneDocument {
  readonly input: SceneInput;
  readonly files: Files;
}

/** The scene that a visit begins with, unless its address names another. */
const FIRST = "tablecloth";

export const history: Signal<History<SceneDocument>> = signal(
  createHistory<SceneDocument>({ input: interactive(libraryScene(FIRST)!.input()), files: {} }),
);
/** The scene in its input form, as edited. */
export const input: ReadonlySignal<SceneInput> = computed(() => history.value.present.input);
export const files: ReadonlySignal<Files> = computed(() => history.value.present.files);
export const canUndo: ReadonlySignal<boolean> = computed(() => history.value.past.length > 0);
export const canRedo: ReadonlySignal<boolean> = computed(() => history.value.future.length > 0);

/** The first sheet, wherever the scene keeps it. */
export const sheetInput: ReadonlySignal<SheetInput | undefined> = computed(
  () => sheetsOf(input.value)[0],
);

/** Whether the scene is still the built-in one of its name. */
export const edited: ReadonlySignal<boolean> = computed(() => {
  const { name = "" } = input.value;
  const known = libraryScene(name) ?? lessonOf(name);
  if (known === undefined) return true;
  const text = JSON.stringify(input.value);
  return (
    text !== JSON.stringify(known.input()) && text !== JSON.stringify(interactive(known.input()))
  );
});

/** Opens a scene from its start; the one before can be had back. */
export function open(scene: SceneInput, own: Files = {}): void {
  batch(() => {
    history.value = committed(sealed(history.value), { input: scene, files: own });
    select({});
    tool.value = "hand";
  });
  clearTimeout(changing);
  reopen(false);
  keepAddress();
}

/** Opens a scene at the beginning of the visit: there is nothing before it. */
export function begin(scene: SceneInput): void {
  history.value = createHistory<SceneDocument>({ input: scene, files: {} });
}

/** Opens a built-in scene, quick enough to be held. */
export function openLibrary(name: string): void {
  const known = libraryScene(name);
  if (known === undefined) return;
  open(interactive(known.input()));
  if (!reducedMotion) setRunning(true);
}

/** Opens a lesson, and lets it run. */
export function openLesson(lesson: Lesson): void {
  open(lesson.input());
  if (!reducedMotion) setRunning(true);
}

let changing: ReturnType<typeof setTimeout> | undefined;
/** ms of rest before a change reaches the engine: the last of many quick ones is what counts. */
const QUIET = 40;
/** What the engine was last given, to tell whether it can go on. */
let given: SceneDocument | null = null;

/**
 * Changes the scene; takes effect as it runs if the sheet stays the same.
 * @param merge a word for what is being changed, so that a slider that is dragged is one step back
 */
export function change(
  edit: (scene: SceneInput) => SceneInput,
  merge: string | null = null,
  more: Files | null = null,
): void {
  const { input: scene, files: own } = history.value.present;
  const next = edit(scene);
  if (next === scene) return;
  given ??= history.value.present;
  const kept = more === null ? own : { ...own, ...more };
  history.value = committed(history.value, { input: next, files: kept }, merge);
  applySoon();
}

/** Changes the scene without telling the engine, which has done it already. */
export function keepChange(edit: (scene: SceneInput) => SceneInput, merge: string | null): void {
  const { input: scene, files: own } = history.value.present;
  history.value = committed(history.value, { input: edit(scene), files: own }, merge);
  keepAddress();
}

/** The next change is a step of its own. */
export function seal(): void {
  history.value = sealed(history.value);
}

export function undo(): void {
  travel(undone);
}

export function redo(): void {
  travel(redone);
}

function travel(step: (history: History<SceneDocument>) => History<SceneDocument>): void {
  const before = history.value.present;
  const next = step(history.value);
  if (next.present === before) return;
  given ??= before;
  batch(() => {
    history.value = next;
    select({});
  });
  applySoon();
}

function applySoon(): void {
  clearTimeout(changing);
  changing = setTimeout(() => {
    const now = history.value.present;
    const anew = given === null || geometry(given) !== geometry(now);
    given = null;
    if (anew && (first.value?.line.value?.steps ?? 0) > 0) note("Another sheet: started anew");
    reopen(!anew);
    keepAddress();
  }, QUIET);
}

/** What makes a sheet another one: the engine cannot go on from its positions. Images on it and its grain do not. */
function geometry({ input: { name, seed, sheet, sheets }, files: own }: SceneDocument): string {
  const parts = [sheet, ...(sheets ?? [])].map(
    (s) => s && { ...s, shape: withoutGrain(s.shape), material: null, look: null },
  );
  const meshes = Object.keys(own).filter((file) => !file.endsWith(".png"));
  return JSON.stringify([name, seed, parts, meshes]);
}

/** Changes the first sheet. */
export function changeSheet(
  edit: (sheet: SheetInput) => SheetInput,
  merge: string | null = null,
): void {
  change((scene) => editSheet(scene, 0, edit), merge);
}

/** Changes the material of all sheets. */
export function changeMaterial(
  edit: (material: Exclude<SheetInput["material"], string | undefined>) => object,
  merge: string | null = null,
): void {
  change(
    (scene) =>
      editSheets(scene, (sheet) => {
        const { material } = sheet;
        const old = typeof material === "string" ? { preset: material } : (material ?? {});
        return { ...sheet, material: edit(old) };
      }),
    merge,
  );
}

/* ─── the address of the page is that of the scene ──────────────────────── */

let addressing: ReturnType<typeof setTimeout> | undefined;
/** Characters of an address that browsers and messengers keep. */
const LONGEST_LINK = 30_000;

function keepAddress(): void {
  clearTimeout(addressing);
  addressing = setTimeout(async () => {
    if (Object.keys(files.value).length > 0) {
      setAddress(location.pathname + location.search); // files are not in links
      return;
    }
    const link = await toLink(input.value);
    if (link.length < LONGEST_LINK) setAddress(link);
  }, 300);
}

function setAddress(address: string): void {
  globalThis.history.replaceState(null, "", address);
}

/** The address that gives this scene; null if it needs files. */
export async function link(): Promise<string | null> {
  if (Object.keys(files.value).length > 0) return null;
  return location.href.replace(/#.*$/, "") + (await toLink(input.value));
}

/** The scene of the page's address, if it names one; says so if it cannot be read. */
export async function sceneOfAddress(): Promise<SceneInput | null> {
  try {
    return await fromLink(location.hash);
  } catch (error) {
    note((error as Error).message, "bad");
    return null;
  }
}
