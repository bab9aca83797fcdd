/**
 * What every file of this folder needs of the plane and of triangles as lists.
 *
 * Squares are products here, never x ** 2: ECMAScript leaves the last bit of powers to the engine,
 * and samples, lengths and poses must have the same bits everywhere.
 */
import type { ReadonlyI32 } from "../linalg/arena.ts";

/** u² + v² */
export function squaredLength(u: number, v: number): number {
  return u * u + v * v;
}

/** √(u² + v²), without the care for overflow that makes Math.hypot differ between engines. */
export function lengthOf(u: number, v: number): number {
  return Math.sqrt(u * u + v * v);
}

/**
 * Triangles are three places in a list: the place after k, counter-clockwise in the same triangle.
 */
export function next(k: number): number {
  return k % 3 === 2 ? k - 2 : k + 1;
}

/** Where each point stands in a list of triangles: place[start[i]] … place[start[i+1] − 1], rising. */
export interface Places {
  start: Int32Array; // [n+1]
  place: Int32Array;
}

export function placesOf(n: number, triangles: ReadonlyI32): Places {
  const start = new Int32Array(n + 1);
  for (let k = 0; k < triangles.length; k++) start[triangles[k] + 1]++;
  for (let i = 0; i < n; i++) start[i + 1] += start[i];
  const place = new Int32Array(triangles.length);
  const filled = start.slice(0, n);
  for (let k = 0; k < triangles.length; k++) place[filled[triangles[k]]++] = k;
  return { start, place };
}

/** For each place in `triangles` the place of the same side in the neighbouring triangle, or −1. */
export function twins({ n, triangles }: { n: number; triangles: ReadonlyI32 }): Int32Array {
  return twinsOf(triangles, placesOf(n, triangles));
}

export function twinsOf(triangles: ReadonlyI32, { start, place }: Places): Int32Array {
  const twin = new Int32Array(triangles.length).fill(-1);
  for (let k = 0; k < triangles.length; k++) {
    const a = triangles[k];
    const b = triangles[next(k)];
    // the last of them, where more than two triangles share a side
    let e = start[b + 1] - 1;
    while (e >= start[b] && triangles[next(place[e])] !== a) e--;
    if (e >= start[b]) twin[k] = place[e];
  }
  return twin;
}
