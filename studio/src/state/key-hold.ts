/** Holding a point without a pointer: by the name of its place, moved by steps or to typed coordinates. */
import { type Signal, signal } from "@preact/signals";
import type { Vec3 } from "../../../src/index.ts";
import { grab } from "./holding.ts";
import { first, setRunning, theatre } from "./lanes.ts";

export interface Grip {
  readonly place: string;
  readonly point: number;
  readonly at: Vec3;
}

export const grip: Signal<Grip | null> = signal<Grip | null>(null);

/** Places that can be held, by what a person would call them. */
export function gripPlaces(): readonly string[] {
  const named = first.value?.opened.value?.named ?? [];
  return [
    "middle",
    "lowest point",
    ...named.filter(({ kind }) => kind === "corner").map(({ name }) => name),
  ];
}

function pointAt(place: string): number {
  const opened = first.value?.opened.value;
  if (opened === null || opened === undefined) return -1;
  const { uv, n } = opened.sheet;
  if (place === "lowest point") {
    const P = theatre.positions();
    let lowest = 0;
    for (let i = 1; i < P.length / 3; i++) if (P[3 * i + 2] < P[3 * lowest + 2]) lowest = i;
    return lowest;
  }
  const corner = opened.named.find(({ kind, name }) => kind === "corner" && name === place);
  if (corner !== undefined) return corner.points[0];
  let [u, v] = [0, 0];
  for (let i = 0; i < n; i++) {
    u += uv[2 * i] / n;
    v += uv[2 * i + 1] / n;
  }
  return first.value?.nearest([u, v]) ?? -1;
}

/** Takes hold of a place where it is now, and lets the scene run. */
export function holdPlace(place: string): void {
  const lane = first.value;
  const point = pointAt(place);
  if (lane === null || point < 0) return;
  const P = theatre.positions();
  const at: Vec3 = [P[3 * point], P[3 * point + 1], P[3 * point + 2]];
  grip.value = { place, point, at };
  setRunning(true);
  grab(lane, point, at);
}

/** Leads the held point to a place, m. */
export function leadTo(at: Vec3): void {
  const lane = first.value;
  if (grip.value === null || lane === null) return;
  grip.value = { ...grip.value, at };
  grab(lane, grip.value.point, at);
}

export function letGo(): void {
  const held = grip.value;
  grip.value = null;
  if (held !== null && first.value !== null) grab(first.value, held.point, null);
}
