/**
 * Relaxation of irregular samples: a few sweeps move each inner point to the centroid of the triangles around it, on the Delaunay
 * triangulation of each sweep, until the angles are good. Few sweeps, because many would order the sheet into a hexagonal grid, and a sheet
 * with preferred directions hides what irregular sampling is there to show.
 */
import { next, type Places, placesOf } from "./plane.ts";
import type { FlatTriangles } from "./triangulation.ts";

/** Sweeps of smoothing: at least, and at most while some angle is too small. */
const SWEEPS = { least: 6, most: 30 };
/** The smallest angle that smoothing tries for, as sin²: 25°. */
const GOOD_ANGLE = 0.179;

/**
 * Sweeps until the smallest angle is good, moving every point after the first `fixed`. Returns the
 * last triangulation.
 */
export function relax(
  uv: Float64Array,
  fixed: number,
  triangulation: () => FlatTriangles,
): FlatTriangles {
  for (let sweep = 0; ; sweep++) {
    const flat = triangulation();
    if (uv.length / 2 === fixed || sweep === SWEEPS.most) return flat;
    if (sweep >= SWEEPS.least && smallestAngle(flat, fixed) > GOOD_ANGLE) return flat;
    moveToCentroids(uv, fixed, flat);
  }
}

/** sin² of the smallest angle among triangles with a free point (the others cannot be mended). */
function smallestAngle({ triangles, corners: x }: FlatTriangles, fixed: number): number {
  let least = 1;
  for (let t = 0; t < triangles.length; t += 3) {
    if (triangles[t] < fixed && triangles[t + 1] < fixed && triangles[t + 2] < fixed) continue;
    const k = 2 * t;
    const au = x[k + 2] - x[k];
    const av = x[k + 3] - x[k + 1];
    const bu = x[k + 4] - x[k + 2];
    const bv = x[k + 5] - x[k + 3];
    const cu = x[k] - x[k + 4];
    const cv = x[k + 1] - x[k + 5];
    const a = au * au + av * av;
    const b = bu * bu + bv * bv;
    const c = cu * cu + cv * cv;
    const area = au * bv - av * bu; // sin of the angle between two sides is twice the area over their product
    least = Math.min(least, (area * area) / (a * b * c * (1 / Math.min(a, b, c))));
  }
  return least;
}

/**
 * One sweep: each free point moves to the centroid of the triangles around it, as long as none of
 * them turns over.
 */
function moveToCentroids(
  uv: Float64Array,
  fixed: number,
  { triangles, corners }: FlatTriangles,
): void {
  const n = uv.length / 2;
  const places = placesOf(n, triangles);
  for (let i = fixed; i < n; i++) moveToCentroid(uv, corners, places, i);
}

function moveToCentroid(uv: Float64Array, corners: Float64Array, places: Places, i: number): void {
  const { start, place } = places;
  let area = 0;
  let du = 0;
  let dv = 0;
  for (let e = start[i]; e < start[i + 1]; e++) {
    const a = place[e];
    const b = next(a);
    const c = next(b);
    const u = corners[2 * a];
    const v = corners[2 * a + 1];
    const bu = corners[2 * b] - u;
    const bv = corners[2 * b + 1] - v;
    const cu = corners[2 * c] - u;
    const cv = corners[2 * c + 1] - v;
    const doubled = bu * cv - bv * cu;
    area += doubled;
    du += (doubled * (bu + cu)) / 3;
    dv += (doubled * (bv + cv)) / 3;
  }
  let mu = du / area;
  let mv = dv / area;
  for (let tries = 0; tries < 5 && turnsOver(corners, places, i, mu, mv); tries++) {
    mu = tries < 4 ? mu / 2 : 0;
    mv = tries < 4 ? mv / 2 : 0;
  }
  uv[2 * i] += mu;
  uv[2 * i + 1] += mv;
  for (let e = start[i]; e < start[i + 1]; e++) {
    corners[2 * place[e]] += mu;
    corners[2 * place[e] + 1] += mv;
  }
}

/** Would a triangle around i turn over if i moved so? */
function turnsOver(
  corners: Float64Array,
  { start, place }: Places,
  i: number,
  mu: number,
  mv: number,
): boolean {
  for (let e = start[i]; e < start[i + 1]; e++) {
    const a = place[e];
    const b = next(a);
    const c = next(b);
    const u = corners[2 * a];
    const v = corners[2 * a + 1];
    const bu = corners[2 * b] - u - mu;
    const bv = corners[2 * b + 1] - v - mv;
    const cu = corners[2 * c] - u - mu;
    const cv = corners[2 * c + 1] - v - mv;
    if (bu * cv - bv * cu <= 0) return true;
  }
  return false;
}
