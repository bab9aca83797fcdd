/**
 * What of the sheet keeps its distance from bodies: its points, and where a body is round its edges and triangles.
 *
 * Points keep half the thickness h/2. An edge between them reaches up to ℓ²/8R into a body of radius R, a triangle up to ℓ²/6R; they keep off by their point
 * that is nearest to the body (triangle-body.ts), with barriers one below the other:
 *
 *   points h/2 … h,   edges h/4 … h/2,   triangles 0 … h/4
 *
 * So an edge whose nearest point is an end, or that lies along a straight side of a body, has no row, nor has a triangle whose nearest point is on an edge:
 * no two rows for one contact, and none whose nearest point can jump.
 *
 * Edges and triangles look at a body without sharp edges: those of cylinders and cones are rounded for them. Edges and corners of bodies are
 * features (body-features.ts), and so are balls, capsules and rings thinner than a triangle. Thin cylinders and cones have both: the lines along their side keep
 * triangles from passing through, but lie up to a twelfth of the radius below the surface between them.
 */
import type { Allocator, ReadonlyF64 } from "../../linalg/arena.ts";
import type { Body } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import { ROUND, THICK } from "./body-features.ts";

export interface BodySamples {
  /** Points; and points, edges and triangles. */
  readonly n: number;
  readonly count: number;
  /** [3·count] corners of each; those of a point are itself, the last of an edge twice. */
  readonly points: Int32Array;
  /** [count] m², the area that each stands for. */
  readonly share: Float64Array;
  /** [count] m, what each keeps, and the reach of its barrier beyond that. */
  readonly keep: Float64Array;
  readonly reach: Float64Array;
}

/** @param isRound  whether any body is */
export function createSamples(
  memory: Allocator,
  sheet: Sheet,
  thickness: ReadonlyF64,
  isRound: boolean,
): BodySamples {
  const { n, edges, triangles, triangleArea, area } = sheet;
  const E = isRound ? edges.length / 2 : 0;
  const T = isRound ? triangles.length / 3 : 0;
  const count = n + E + T;
  const points = new Int32Array(3 * count);
  for (let i = 0; i < n; i++) points.fill(i, 3 * i, 3 * i + 3);
  for (let e = 0; e < E; e++)
    points.set([edges[2 * e], edges[2 * e + 1], edges[2 * e + 1]], 3 * (n + e));
  points.set((triangles as Int32Array).subarray(0, 3 * T), 3 * (n + E));
  const edgeArea = edgeAreas(sheet);
  let widest = 0;
  for (let i = 0; i < n; i++) widest = Math.max(widest, 0.5 * thickness[i]);
  const each = (of: (s: number) => number): Float64Array =>
    Float64Array.from({ length: count }, (_, s) => of(s));
  const half = (s: number): number => 0.5 * thickness[points[3 * s]];
  return {
    n,
    count,
    points: memory.copyI32(points),
    share: each(
      (s) => (s < n ? area[s] : s < n + E ? edgeArea[s - n] : triangleArea[s - n - E]) / 3,
    ),
    keep: each((s) => (s < n ? half(s) : s < n + E ? 0.5 * half(s) : 0)),
    reach: each((s) => (s < n ? widest : 0.5 * half(s))),
  };
}

/** [edges] m², a third of the triangles on both sides of each edge. */
function edgeAreas({ n, edges, triangles, triangleArea }: Sheet): Float64Array {
  const key = new Map<number, number>();
  for (let e = 0; 2 * e < edges.length; e++) key.set(edges[2 * e] * n + edges[2 * e + 1], e);
  const out = new Float64Array(edges.length / 2);
  for (let t = 0; 3 * t < triangles.length; t++)
    for (let k = 0; k < 3; k++) {
      const a = triangles[3 * t + k];
      const b = triangles[3 * t + ((k + 1) % 3)];
      out[key.get(Math.min(a, b) * n + Math.max(a, b))!] += triangleArea[t] / 3;
    }
  return out;
}

/** Spacings: a thinner ring is held by its polygon alone. */
const RING = 0.5;
/** Thicknesses: the rounding of the rims of cylinders and cones that edges and triangles look at. */
const RIM = 1;

/**
 * The body as edges and triangles see it; null if it is flat, or has features for what could come between the points.
 *
 * @param spacing    m, of the sheet's points
 * @param thickness  m
 */
export function roundBody(
  body: Exclude<Body, { type: "mesh" }>,
  spacing: number,
  thickness: number,
): Exclude<Body, { type: "mesh" }> | null {
  switch (body.type) {
    case "sphere":
    case "capsule":
    case "cylinder":
    case "cone": {
      if (body.type === "sphere" || body.type === "capsule")
        return body.radius < THICK * spacing ? null : body;
      return { ...body, rounding: Math.max(body.rounding, RIM * thickness) };
    }
    case "torus":
      return body.minor < RING * spacing ? null : body; // its polygon is inscribed and leaves out part of the ring
    case "box":
      return body.rounding < ROUND * spacing ? null : body;
    case "edge":
      return body.radius < ROUND * spacing ? null : body;
    case "plane":
      return null;
  }
}
