/**
 * Blue noise: darts that keep a distance r from all before them; r shrinks when they find no room.
 *
 * Darts near the boundary must keep away from its segments, not only from its points, or the triangles there are slivers that no amount of
 * smoothing repairs.
 */
import type { SampledBoundary } from "./boundary.ts";
import type { Random } from "./random.ts";
import { addPoint, createRegion, isClear, isInside, type Region } from "./region.ts";

/**
 * Darts start this far apart, in spacings, and give up at the second number: what is closer makes
 * slivers.
 */
const DART = { first: 0.85, last: 0.5 };
/** After so many misses in a row the distance shrinks by this factor. */
const MISSES = 100;
const SHRINK = 0.98;
/** What a dart outside the outline counts as a miss: a slanted sliver fills little of its box. */
const OUTSIDE = 0.1;

/** Up to `count` blue-noise points inside a boundary; fewer where there is no room. Flat uv. */
export function dartsInside(
  boundary: SampledBoundary,
  count: number,
  spacing: number,
  random: Random,
): number[] {
  return throwDarts(createRegion(boundary, spacing), count, spacing, random);
}

/**
 * Up to `count` points inside, as far apart as darts get them; fewer where there is no room. Flat
 * uv.
 */
export function throwDarts(
  region: Region,
  count: number,
  spacing: number,
  random: Random,
): number[] {
  const darts: number[] = [];
  let distance = DART.first * spacing;
  let misses = 0;
  while (darts.length < 2 * count && distance > DART.last * spacing) {
    const u = region.minU + (region.maxU - region.minU) * random();
    const v = region.minV + (region.maxV - region.minV) * random();
    if (!isInside(region, u, v)) {
      misses += OUTSIDE;
    } else if (isClear(region, u, v, distance)) {
      darts.push(u, v);
      addPoint(region, u, v);
      misses = 0;
    } else misses++;
    if (misses > MISSES) {
      distance *= SHRINK;
      misses = 0;
    }
  }
  return darts;
}
