/**
 * Strokes whose ends meet, joined into closed rings.
 */
import type { Vec2 } from "../scene/scene.ts";
import type { Budget } from "./dxf-strokes.ts";
import { JOIN, near, type Ring, ringOrReason, type Stroke } from "./pattern.ts";

/** Joins strokes end to end into rings; what does not close is left out and reported. */
export function ringsOf(strokes: readonly Stroke[], name: string, budget: Budget): Ring[] {
  const rings: Ring[] = [];
  const close = (chain: readonly Stroke[]): void => {
    const made = ringOrReason("DXF", name, chain);
    if (typeof made === "string") budget.leftOut.push(`${name}: an outline ${made}: left out`);
    else rings.push(made);
  };
  const open: Stroke[] = [];
  for (const stroke of strokes)
    if (stroke.length > 2 && near(stroke[0], stroke[stroke.length - 1])) close([stroke]);
    else if (stroke.length > 1 && !near(stroke[0], stroke[stroke.length - 1])) open.push(stroke);

  // ends by cells of a grid a little wider than what counts as the same
  const cell = 4 * JOIN;
  const ends = new Map<string, { stroke: number; last: boolean }[]>();
  const key = (i: number, j: number) => `${i} ${j}`;
  const endPoint = (stroke: number, last: boolean) =>
    last ? open[stroke][open[stroke].length - 1] : open[stroke][0];
  open.forEach((_, stroke) => {
    for (const last of [false, true]) {
      const [x, y] = endPoint(stroke, last);
      const k = key(Math.round(x / cell), Math.round(y / cell));
      const list = ends.get(k) ?? [];
      list.push({ stroke, last });
      ends.set(k, list);
    }
  });
  const taken = new Uint8Array(open.length);
  const nextAt = (point: Vec2): { stroke: number; last: boolean } | null => {
    const [i, j] = [Math.round(point[0] / cell), Math.round(point[1] / cell)];
    for (let di = -1; di <= 1; di++)
      for (let dj = -1; dj <= 1; dj++) {
        const list = ends.get(key(i + di, j + dj));
        if (list === undefined) continue;
        while (list.length > 0 && taken[list[list.length - 1].stroke]) list.pop();
        for (const end of list)
          if (!taken[end.stroke] && near(endPoint(end.stroke, end.last), point)) return end;
      }
    return null;
  };
  for (let first = 0; first < open.length; first++) {
    if (taken[first]) continue;
    taken[first] = 1;
    const chain: Stroke[] = [open[first]];
    const start = open[first][0];
    let at = open[first][open[first].length - 1];
    while (!near(at, start)) {
      const next = nextAt(at);
      if (next === null) break;
      taken[next.stroke] = 1;
      const stroke = next.last ? [...open[next.stroke]].reverse() : open[next.stroke];
      chain.push(stroke);
      at = stroke[stroke.length - 1];
    }
    close(chain);
  }
  return rings;
}
