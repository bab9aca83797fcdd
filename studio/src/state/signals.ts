/** What the page knows of itself: tools, panels, notes, theme. The scene and its engines are in the files beside. */
import { type Signal, signal } from "@preact/signals";
import type { Theme } from "../../../src/view/index.ts";
import type { Overlay } from "../engine/protocol.ts";

export const TABS = ["make", "pattern", "sheet", "look", "charts", "text", "keep"] as const;
export type Tab = (typeof TABS)[number];
/** What a click on the sheet does: hold it, pin a point, pin an edge, measure. */
export type Tool = "hand" | "pin" | "edge" | "probe";

export interface Note {
  readonly id: number;
  readonly text: string;
  readonly kind: "plain" | "good" | "bad";
  /** Lines below the text. */
  readonly details: readonly string[];
}

const media = (query: string): boolean => globalThis.matchMedia?.(query).matches ?? false;
const stored = (name: string): string | null => {
  try {
    return localStorage.getItem(`isoplate.${name}`);
  } catch {
    return null; // storage may be forbidden; nothing depends on it
  }
};

export const overlay: Signal<Overlay> = signal<Overlay>("none");
export const wire: Signal<boolean> = signal(false);
export const showPins: Signal<boolean> = signal(true);
export const tool: Signal<Tool> = signal<Tool>("hand");
export const pinKind: Signal<"pin" | "hinge" | "clamp"> = signal<"pin" | "hinge" | "clamp">("pin");
export const tab: Signal<Tab> = signal<Tab>("make");
export const galleryOpen: Signal<boolean> = signal(media("(min-width: 1180px)"));
export const panelOpen: Signal<boolean> = signal(media("(min-width: 820px)"));
export const helpOpen: Signal<boolean> = signal(false);
export const newOpen: Signal<boolean> = signal(false);
export const notes: Signal<readonly Note[]> = signal([]);
export const selectedBody: Signal<number | null> = signal<number | null>(null);
export const selectedPin: Signal<number | null> = signal<number | null>(null);
/** Points that the pointer is about to pin. */
export const aimed: Signal<readonly number[]> = signal<readonly number[]>([]);
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
/** Name of the scene that the newest picture shows; null before the first. */
export const pictured: Signal<string | null> = signal(null);
export const reducedMotion: boolean = media("(prefers-reduced-motion: reduce)");
/** Whether a hand has held the sheet yet: until then the page tells how. */
export const held: Signal<boolean> = signal(false);
export const theme: Signal<Theme> = signal<Theme>(
  (stored("theme") as Theme | null) ?? (media("(prefers-color-scheme: dark)") ? "dark" : "light"),
);

/** Chooses a body or a pin, or nothing. */
export function select(what: { body?: number | null; pin?: number | null }): void {
  selectedBody.value = what.body ?? null;
  selectedPin.value = what.pin ?? null;
}

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

/** Applies the theme to the page, and remembers it. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.value;
  try {
    localStorage.setItem("isoplate.theme", theme.value);
  } catch {
    // storage may be forbidden; the choice then lasts as long as the page
  }
}
