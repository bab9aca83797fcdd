/**
 * Shortcuts. They work wherever nothing is being written: also after a click on a button, a radio or a slider, which
 * keep the keyboard's focus without showing it. Whoever came to a control with Tab uses it by keyboard.
 */

import type { Vec3 } from "../../../src/index.ts";
import { cameraAxes } from "../../../src/view/index.ts";
import { OVERLAYS } from "../engine/protocol.ts";
import * as studio from "../studio.ts";
import type { Theatre } from "../theatre/theatre.ts";

type TheatreRef = { current: Theatre | null };

/** Whether the focus came by Tab, and not by a click. (:focus-visible turns true on any key after a click.) */
let tabbed = false;

/** m that an arrow key leads a held point. */
const STEP = 0.02;

export function listenToKeys(theatre: TheatreRef): () => void {
  const press = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (event.key === "Tab") tabbed = true;
    if (studio.helpOpen.value || studio.newOpen.value || studio.question.value !== null) return;
    if (isText(target) && event.key !== "Escape") return;
    if (event.ctrlKey || event.metaKey) {
      if (historyKey(event)) event.preventDefault();
      return;
    }
    if (event.altKey || belongsTo(target, event.key)) return;
    if (gripKey(event.key, theatre) || shortcut(event.key, theatre)) {
      event.preventDefault();
      // Space would press the button again when it is let go
      if (event.key === " ") target.blur();
    }
  };
  const point = (): void => {
    tabbed = false;
  };
  addEventListener("keydown", press);
  addEventListener("pointerdown", point, true);
  return () => {
    removeEventListener("keydown", press);
    removeEventListener("pointerdown", point, true);
  };
}

function isText(target: HTMLElement): boolean {
  if (target.tagName === "TEXTAREA") return true;
  return (
    target.tagName === "INPUT" &&
    !/^(range|radio|checkbox|color)$/.test((target as HTMLInputElement).type)
  );
}

/** Whether a control that has the focus uses this key itself. */
function belongsTo(target: HTMLElement, key: string): boolean {
  const type = target.tagName === "INPUT" ? (target as HTMLInputElement).type : target.tagName;
  if (type === "range" && /^(Arrow|Home|End|Page)/.test(key)) return true;
  if (!tabbed) return false;
  if (type === "SELECT") return true;
  if (type === "radio" || type === "checkbox") return /^(Arrow| )/.test(key);
  return (
    (type === "BUTTON" || target.getAttribute("role") === "button") &&
    (key === " " || key === "Enter")
  );
}

function historyKey({ key, shiftKey }: KeyboardEvent): boolean {
  const letter = key.toLowerCase();
  if (letter === "z" && !shiftKey) studio.undo();
  else if (letter === "y" || (letter === "z" && shiftKey)) studio.redo();
  else return false;
  return true;
}

/** Keys that lead a held point along the picture's own directions. */
function gripKey(key: string, theatre: TheatreRef): boolean {
  const grip = studio.grip.value;
  const camera = theatre.current?.camera;
  if (grip === null || camera === undefined) return false;
  if (key === "Enter" || key === "Escape" || key === "h" || key === "H") {
    studio.letGo();
    return true;
  }
  const { r, u, f } = cameraAxes(camera);
  const ways: Record<string, Vec3> = {
    ArrowRight: r,
    ArrowLeft: r.map((x) => -x) as Vec3,
    ArrowUp: u,
    ArrowDown: u.map((x) => -x) as Vec3,
    PageUp: f,
    PageDown: f.map((x) => -x) as Vec3,
  };
  const way = ways[key];
  if (way === undefined) return false;
  studio.leadTo(grip.at.map((x, c) => x + STEP * way[c]) as Vec3);
  return true;
}

/** What each key does; letters in either case. */
const KEYS: Readonly<Record<string, (theatre: TheatreRef) => void>> = {
  " ": () => studio.setRunning(!studio.running.value),
  ".": studio.stepOnce,
  r: studio.reset,
  f: (theatre) => theatre.current?.frame(),
  w: () => {
    studio.wire.value = !studio.wire.value;
  },
  p: () => toggleTool("pin"),
  e: () => toggleTool("edge"),
  m: () => toggleTool("probe"),
  h: () => studio.holdPlace("middle"),
  n: () => {
    studio.newOpen.value = true;
  },
  s: () => {
    studio.galleryOpen.value = !studio.galleryOpen.value;
  },
  t: toggleTheme,
  c: () => document.querySelector<HTMLElement>("[data-action=compare]")?.click(),
  "?": () => {
    studio.helpOpen.value = true;
  },
  escape: () => {
    studio.tool.value = "hand";
    studio.select({});
  },
  arrowleft: () => frameBy(-1),
  arrowright: () => frameBy(1),
};

function shortcut(key: string, theatre: TheatreRef): boolean {
  const digit = Number(key);
  if (key !== " " && digit >= 1 && digit <= OVERLAYS.length) {
    studio.setOverlay(OVERLAYS[digit - 1]);
    return true;
  }
  const does = KEYS[key.toLowerCase()];
  does?.(theatre);
  return does !== undefined;
}

function toggleTool(tool: studio.Tool): void {
  studio.tool.value = studio.tool.value === tool ? "hand" : tool;
}

export function toggleTheme(): void {
  studio.theme.value = studio.theme.value === "dark" ? "light" : "dark";
}

function frameBy(step: number): void {
  const frames = studio.frames.value;
  const at = studio.first.value?.shown.value ?? frames - 1;
  const to = at + step;
  studio.scrub(to >= frames - 1 ? null : Math.max(0, to));
}
