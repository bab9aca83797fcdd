/** Measuring at points of the sheet: strain, curvature, place, and the distance of two points. */
import { type Signal, signal } from "@preact/signals";
import { first, lanes } from "./lanes.ts";

/** Up to two points of the sheet. */
export const probed: Signal<readonly number[]> = signal<readonly number[]>([]);

/** A first point, a second one for distances, then anew. */
export function probeAt(point: number): void {
  setProbe(probed.value.length === 1 ? [probed.value[0], point] : [point]);
}

export function setProbe(points: readonly number[]): void {
  probed.value = points;
  for (const lane of lanes.value) lane.send({ type: "probe", points: [...points] });
}

/** m between the probed points over the flat sheet; null if they are on different panels or not two. */
export function flatDistance(): number | null {
  const [a, b] = probed.value;
  const uv = first.value?.opened.value?.sheet.uv;
  if (b === undefined || uv === undefined) return null;
  return Math.hypot(uv[2 * a] - uv[2 * b], uv[2 * a + 1] - uv[2 * b + 1]);
}
