/**
 * Local isometric coordinates Xᵢⱼ of neighbourhoods (§3), by unrolling triangles from a point
 * outwards.
 *
 * Every triangle knows its own flat shape (`corners`). Starting with the fan around i, each
 * triangle is laid beside the one it was reached from, along their shared side; j gets its place
 * from the shortest unrolling that reaches it. Within one flat panel the next triangle has the same
 * coordinates already, nothing is turned, and X is the exact difference of uv. On a tube the next
 * triangle may be one circumference away; across a seam it is turned as well.
 *
 * Where no flat chart exists (the tip of a dart, a mesh that is curved at rest) the angles around i
 * add up to θ ≠ 2π. The fan is then spread evenly by the factor 2π/θ: distances from i stay exact
 * and no direction is preferred.
 *
 * Neighbourhoods whose points have one place each in the plane (all of a flat panel but its seams, all of a tube but its cut) are
 * read off their coordinates: the same bits at a fraction of the cost.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { type List, listF64, listI32 } from "../linalg/lists.ts";
import type { Mesh, Neighbourhoods } from "./kinematics.ts";
import { squaredLength } from "./plane.ts";
import { SheetError } from "./sheet-error.ts";
import { createUnroller, flatRings, pointsWithin, ringsAround, SAME_RADIUS } from "./unroll.ts";

/**
 * 𝒩ᵢ and Xᵢⱼ for every point: the points at most so many edges away, or within a distance (m)
 * measured over the unrolled sheet. Neighbours rise by index; i itself is last, with X = 0.
 * @throws SheetError that lists points with fewer than two neighbours, or with collinear or
 *   coinciding ones
 */
export function neighbourhoods(
  mesh: Mesh,
  size: { rings: number } | { radius: number },
): Neighbourhoods {
  const unroller = createUnroller(mesh);
  const start = new Int32Array(mesh.n + 1);
  const index = listI32();
  const X = listF64();
  const faults: string[] = [];
  for (let i = 0; i < mesh.n; i++) {
    const begin = index.length;
    if (!("rings" in size && flatRings(unroller, i, size.rings, index, X))) {
      const placed =
        "rings" in size
          ? ringsAround(unroller, i, size.rings)
          : pointsWithin(unroller, i, size.radius);
      for (const j of [...placed.keys()].sort((a, b) => a - b)) {
        const [u, v] = placed.get(j)!;
        index.push(j);
        X.push(u);
        X.push(v);
      }
    }
    const fault = degeneracy(index, X, begin);
    if (fault !== null && faults.length < 10) {
      const [x, y, z] = [mesh.rest[3 * i], mesh.rest[3 * i + 1], mesh.rest[3 * i + 2]];
      faults.push(`point ${i} at (${x}, ${y}, ${z}) ${fault}`);
    }
    index.push(i);
    X.push(0);
    X.push(0);
    start[i + 1] = index.length;
  }
  if (faults.length > 0) throw new SheetError("neighbourhoods", faults);
  return { start, index: index.done(), X: X.done() };
}

/**
 * B: the weights bⱼ of the moving-least-squares F = Σⱼ Yⱼ bⱼᵀ (§4), [2·entries] 1/m.
 *
 *   bⱼ = (Σ w X Xᵀ)⁻¹ wⱼ Xⱼ,   wⱼ = rest area of j,   bᵢ = −Σⱼ bⱼ
 *
 * Weighted by rest area and never by simulated mass: a point of huge mass would decide every F
 * around it.
 */
export function averagingWeights(near: Neighbourhoods, area: ReadonlyF64): Float64Array {
  const { start, index, X } = near;
  const B = new Float64Array(2 * index.length);
  for (let i = 0; i + 1 < start.length; i++) {
    const self = start[i + 1] - 1;
    let a = 0; // Σ w X Xᵀ = [a b; b d]
    let b = 0;
    let d = 0;
    for (let e = start[i]; e < self; e++) {
      const w = area[index[e]];
      const u = X[2 * e];
      const v = X[2 * e + 1];
      a += w * u * u;
      b += w * u * v;
      d += w * v * v;
    }
    const det = a * d - b * b;
    for (let e = start[i]; e < self; e++) {
      const w = area[index[e]];
      const u = X[2 * e];
      const v = X[2 * e + 1];
      B[2 * e] = (w * (d * u - b * v)) / det;
      B[2 * e + 1] = (w * (a * v - b * u)) / det;
      B[2 * self] -= B[2 * e];
      B[2 * self + 1] -= B[2 * e + 1];
    }
  }
  return B;
}

/**
 * Gives the points within a distance (m, over the unrolled sheet) of the place (u, v) in the chart
 * of i.
 */
export type Reach = (i: number, u: number, v: number, distance: number) => number[];

export function createReach(mesh: Mesh): Reach {
  const unroller = createUnroller(mesh);
  return (i, u, v, distance) => {
    const placed = pointsWithin(unroller, i, distance + Math.sqrt(u * u + v * v));
    const limit = distance * distance * SAME_RADIUS;
    const points = u * u + v * v <= limit ? [i] : [];
    for (const [j, [x, y]] of placed) if (squaredLength(x - u, y - v) <= limit) points.push(j);
    return points;
  };
}

/** Squared distance over the squared size of a neighbourhood under which two points coincide. */
const SAME_PLACE = 1e-18;
/** det/tr² of the moments: a quarter of the ratio of both spreads, 1e-5, at which all neighbours are within a third of a percent of one line. */
const ONE_LINE = 2.5e-6;

/** Why a neighbourhood (entries from `begin`) cannot carry a plane, or null. */
function degeneracy(index: List, X: List, begin: number): string | null {
  const count = index.length - begin;
  if (count < 2) return `has ${count === 1 ? "one neighbour" : "no neighbour"}, needs two or more`;
  const at = X.items;
  const end = index.length;
  let a = 0;
  let b = 0;
  let d = 0;
  for (let e = begin; e < end; e++) {
    const u = at[2 * e];
    const v = at[2 * e + 1];
    a += u * u;
    b += u * v;
    d += v * v;
  }
  for (let e = begin; e < end; e++) {
    if (squaredLength(at[2 * e], at[2 * e + 1]) < SAME_PLACE * (a + d))
      return `coincides with its neighbour ${index.items[e]}`;
  }
  if (!(a * d - b * b > ONE_LINE * (a + d) * (a + d))) return "has all its neighbours on one line";
  return null;
}
