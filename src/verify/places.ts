/** Where things are in the arrays of a recorded sheet. */
import type { ReadonlyI32 } from "../linalg/arena.ts";
import type { MeasuredSheet } from "../recording/measures.ts";

/** [n] which sheet a sample belongs to. */
export function partsOf({ n, parts }: MeasuredSheet): Int32Array {
  const out = new Int32Array(n);
  for (const [p, { firstPoint, points }] of parts.entries())
    out.fill(p, firstPoint, firstPoint + points);
  return out;
}

/** Where in `edges` the end of an edge is: from a sample, i·n, to another, j. */
export function placesOf(edges: ReadonlyI32, n: number): Map<number, number> {
  const place = new Map<number, number>();
  for (let k = 0; k < edges.length; k++) place.set(edges[k] * n + edges[k ^ 1], k);
  return place;
}
