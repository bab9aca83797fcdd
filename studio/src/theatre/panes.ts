/** The lanes as the page draws them: the newest frame of each, and where each is on the canvas. */

import type { Vec3 } from "../../../src/index.ts";
import { type Camera, COLOR_MAPS, cameraAxes } from "../../../src/view/index.ts";
import { copySlot, HEAD, slotAt, slotBytes } from "../engine/frames.ts";
import type { Opened } from "../engine/protocol.ts";
import type { Lane } from "../lane.ts";
import { minus } from "./orbit.ts";
import { panePlace } from "./painting.ts";

/** One lane as the page knows it. */
export interface Pane {
  readonly lane: Lane;
  readonly id: number;
  opened: Opened | null;
  /** [9n] m, positions and then frames, if there are any. */
  pose: Float32Array;
  /** [3n] m, the beginning of `pose`. */
  positions: Float32Array;
  /** [12 per collider] */
  poses: Float64Array;
  /** s */
  time: number;
  high: number;
  clipped: boolean;
  /** A copy of the newest slot that the painter does not have yet. */
  fresh: ArrayBuffer | null;
}

export interface Size {
  width: number;
  height: number;
}

let ids = 0;

export function createPane(lane: Lane): Pane {
  return {
    lane,
    id: ++ids,
    opened: null,
    pose: new Float32Array(0),
    positions: new Float32Array(0),
    poses: new Float64Array(0),
    time: 0,
    high: 1,
    clipped: false,
    fresh: null,
  };
}

/** Shows what was opened; true if it is another scene than before. */
export function openPane(pane: Pane, opened: Opened): boolean {
  const other = pane.opened?.scene.name !== opened.scene.name;
  pane.opened = opened;
  if (opened.taken === "restart") {
    pane.pose = new Float32Array(3 * opened.start.length);
    pane.positions = pane.pose.subarray(0, opened.start.length);
    pane.positions.set(opened.start);
    pane.poses = Float64Array.from(opened.startPoses);
    pane.time = 0;
    pane.high = 0;
    pane.fresh = null;
  }
  return other;
}

/** Copies the newest frames of the lanes. `spare` holds buffers that came back from the painter. */
export function takeFrames(panes: readonly Pane[], spare: ArrayBuffer[]): void {
  for (const pane of panes) {
    const slot = pane.lane.next();
    const { opened } = pane;
    if (slot === null || opened === null || slot.positions.length !== 3 * opened.sheet.n) continue;
    pane.pose.set(slot.pose);
    pane.poses.set(slot.poses);
    pane.time = slot.head[HEAD.time];
    pane.high = slot.head[HEAD.high];
    pane.clipped = slot.head[HEAD.clipped] === 1;
    const layout = { n: opened.sheet.n, bodies: opened.scene.colliders.length };
    const bytes = slotBytes(layout);
    const at = spare.findIndex((buffer) => buffer.byteLength === bytes);
    const buffer = pane.fresh ?? (at >= 0 ? spare.splice(at, 1)[0] : new ArrayBuffer(bytes));
    copySlot(slotAt(buffer, 0, layout), slot);
    pane.fresh = buffer;
  }
}

/** The frames that the painter does not have yet; they are its own from here on. */
export function freshFrames(panes: readonly Pane[]): { lane: number; buffer: ArrayBuffer }[] {
  return panes.flatMap((pane) => {
    const buffer = pane.fresh;
    pane.fresh = null;
    return buffer === null ? [] : [{ lane: pane.id, buffer }];
  });
}

/** Ends of the colours; they mean the same in every pane. */
export function rangeOf(panes: readonly Pane[]): { low: number; high: number; clipped: boolean } {
  const high = Math.max(0, ...panes.map((pane) => pane.high)) || 1;
  const signed = COLOR_MAPS[panes[0]?.lane.legend.peek()?.map ?? ""]?.signed ?? false;
  return { low: signed ? -high : 0, high, clipped: panes.some(({ clipped }) => clipped) };
}

/** The pane under a place of the viewport, and where it is on the canvas. */
export function paneAt(
  surface: HTMLElement,
  count: number,
  { width, height }: Size,
  clientX: number,
  clientY: number,
): { k: number } & ReturnType<typeof panePlace> {
  const box = surface.getBoundingClientRect();
  for (let k = 0; k < count; k++) {
    const place = panePlace(k, count, width, height);
    const x = clientX - box.left - place.left;
    const y = clientY - box.top - place.top;
    if (x >= 0 && y >= 0 && x <= place.width && y <= place.height) return { k, ...place };
  }
  return { k: 0, ...panePlace(0, Math.max(1, count), width, height) };
}

/** Where a place in space is in a pane of that size, in px from its upper left corner. */
export function projected(
  camera: Camera,
  place: Vec3,
  { width, height }: Size,
): { x: number; y: number; depth: number } {
  const { f, r, u } = cameraAxes(camera);
  const d = minus(place, camera.eye);
  const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const depth = dot(f, d);
  const s = height / 2 / Math.tan(camera.fov / 2);
  return { x: width / 2 + (s * dot(r, d)) / depth, y: height / 2 - (s * dot(u, d)) / depth, depth };
}
