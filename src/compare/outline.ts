/**
 * Outlines of sheets seen from the side, as closed curves that a plot can lay over each other.
 *
 * In each of many columns of the view the lowest and the highest point of all triangles are found exactly, from where the column cuts
 * their sides. Holes and overhangs between the two are not drawn: what is asked is how far shapes on different meshes agree.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";

export interface Outline {
  /** m, along the view's horizontal and up; once along the lower side and back along the upper. */
  readonly x: Float64Array;
  readonly z: Float64Array;
}

export interface Direction {
  /** Unit, horizontal. */
  readonly x: number;
  readonly y: number;
}

/** The horizontal direction in which points spread most, the one across, and how much more the first. */
export function spreadOf(Y: ReadonlyF64): {
  along: Direction;
  across: Direction;
  ratio: number;
} {
  const n = Y.length / 3;
  let [mx, my] = [0, 0];
  for (let i = 0; i < n; i++) {
    mx += Y[3 * i] / n;
    my += Y[3 * i + 1] / n;
  }
  let [xx, xy, yy] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [dx, dy] = [Y[3 * i] - mx, Y[3 * i + 1] - my];
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy);
  const along = { x: Math.cos(angle), y: Math.sin(angle) };
  const mid = 0.5 * (xx + yy);
  const half = Math.sqrt(0.25 * (xx - yy) * (xx - yy) + xy * xy);
  const ratio = Math.sqrt((mid + half) / Math.max(mid - half, 1e-12 * mid));
  return { along, across: { x: -along.y, y: along.x }, ratio };
}

/** The outline of a sheet with `direction` to the right and z up. */
export function outline(
  { Y, triangles }: { readonly Y: ReadonlyF64; readonly triangles: ReadonlyI32 },
  direction: Direction,
  columns = 160,
): Outline {
  const at = (i: number): number => direction.x * Y[3 * i] + direction.y * Y[3 * i + 1];
  let [left, right] = [Infinity, -Infinity];
  for (let k = 0; k < triangles.length; k++) {
    left = Math.min(left, at(triangles[k]));
    right = Math.max(right, at(triangles[k]));
  }
  const low = new Float64Array(columns + 1).fill(Infinity);
  const high = new Float64Array(columns + 1).fill(-Infinity);
  const step = (right - left) / columns;
  const place = (c: number): number => (c === columns ? right : left + c * step);
  for (let k = 0; k < triangles.length; k++) {
    const i = triangles[k];
    const j = triangles[k % 3 === 2 ? k - 2 : k + 1];
    const [a, b] = at(i) <= at(j) ? [i, j] : [j, i];
    const [xa, xb] = [at(a), at(b)];
    const [za, zb] = [Y[3 * a + 2], Y[3 * b + 2]];
    const first = step > 0 ? Math.max(0, Math.floor((xa - left) / step)) : 0;
    const last = step > 0 ? Math.min(columns, Math.ceil((xb - left) / step)) : columns;
    for (let c = first; c <= last; c++) {
      const x = place(c);
      if (x < xa || x > xb) continue;
      const ends = xb > xa ? [za + ((x - xa) / (xb - xa)) * (zb - za)] : [za, zb];
      for (const z of ends) {
        low[c] = Math.min(low[c], z);
        high[c] = Math.max(high[c], z);
      }
    }
  }
  const x: number[] = [];
  const z: number[] = [];
  for (let c = 0; c <= columns; c++)
    if (low[c] <= high[c]) {
      x.push(place(c));
      z.push(low[c]);
    }
  for (let c = columns; c >= 0; c--)
    if (low[c] <= high[c]) {
      x.push(place(c));
      z.push(high[c]);
    }
  if (x.length > 0) {
    x.push(x[0]);
    z.push(z[0]);
  }
  return { x: Float64Array.from(x), z: Float64Array.from(z) };
}
