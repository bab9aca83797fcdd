/** What the page tells the painter. A draw carries everything that one picture needs, so that no picture mixes two times. */
import type { Vec3 } from "../../../src/index.ts";
import type { Camera, Theme } from "../../../src/view/index.ts";
import type { Opened } from "../engine/protocol.ts";

export interface Picture {
  /** CSS pixels, and device pixels for each. */
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly camera: Camera;
  readonly theme: Theme;
  /** Name of the colour map and the end of its range; null for the colours of the material. */
  readonly colors: { readonly map: string; readonly high: number } | null;
  readonly wire: boolean;
  readonly pins: boolean;
  /** New frames of lanes, as slots (engine/frames.ts). */
  readonly frames: readonly { readonly lane: number; readonly buffer: ArrayBuffer }[];
  /** The hand that pulls a point. */
  readonly hand: { readonly lane: number; readonly point: number; readonly target: Vec3 } | null;
  /** The point whose neighbourhood is shown. */
  readonly spokes: { readonly lane: number; readonly point: number } | null;
  /** Points that are chosen, or that a click would hold; of the first lane. */
  readonly chosen: readonly number[];
  /** Points that the engine warned of. */
  readonly trouble: readonly { readonly lane: number; readonly points: readonly number[] }[];
}

export type ToPainter =
  | { readonly type: "canvas"; readonly canvas: OffscreenCanvas }
  /** The panes from left to right; others are let go. */
  | { readonly type: "lanes"; readonly lanes: readonly number[] }
  | { readonly type: "opened"; readonly lane: number; readonly opened: Opened }
  | { readonly type: "draw"; readonly picture: Picture }
  | {
      readonly type: "snapshot";
      readonly id: number;
      readonly as: "png" | "bitmap";
      readonly picture: Picture;
    };

export interface Counts {
  readonly geometries: number;
  readonly textures: number;
  readonly programs: number;
  readonly draws: number;
}

export type FromPainter =
  /** What it draws has changed by itself: an image was read. */
  | { readonly type: "changed" }
  | { readonly type: "drawn"; readonly counts: Counts; readonly buffers: ArrayBuffer[] }
  | { readonly type: "snapshot"; readonly id: number; readonly result: Blob | ImageBitmap }
  | { readonly type: "failed"; readonly message: string };

/** The place of pane k of n in a canvas: side by side, or one above the other if it is upright. From the upper left. */
export function panePlace(
  k: number,
  n: number,
  width: number,
  height: number,
): { left: number; top: number; width: number; height: number } {
  const upright = height > 1.2 * width;
  if (upright) {
    const top = Math.round((k * height) / n);
    return { left: 0, top, width, height: Math.round(((k + 1) * height) / n) - top };
  }
  const left = Math.round((k * width) / n);
  return { left, top: 0, width: Math.round(((k + 1) * width) / n) - left, height };
}
