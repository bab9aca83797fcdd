/**
 * Whether a sheet reaches into a body: distances to bodies written anew, and a search of every triangle.
 *
 * The signed distance φ of every body here changes by no more than the way one goes (|∇φ| ≤ 1), and all but the torus are convex, so
 * that outside they lie behind their tangent plane: φ(y) ≥ φ(m) + n·(y − m). Both bound how deep a triangle around m can be;
 * where that is more than was found, it is cut into four and each is looked at again, down to RESOLUTION.
 *
 * A flat triangle whose corners touch a round body of radius R reaches up to ℓ²/6R into it (its middle, ℓ its longest
 * edge). That is how finely the sheet is drawn, not a penetration, and is allowed (and 5 % for the next term) for bodies
 * that are rounder than two edges; points of the sheet, and thin or sharp bodies, have no such allowance.
 */
import type { ReadonlyF64, ReadonlyI32 } from "../linalg/arena.ts";
import { colliderAt, createRigid } from "../scene/motion.ts";
import type { Body, Collider } from "../scene/scene.ts";
import type { Triangles } from "./exact.ts";

/** m: a depth below this is rounding of a simulation in metres. */
const RESOLUTION = 1e-7;
/** Pieces of a triangle that are looked at before the depth found so far is taken. */
const MOST_PIECES = 20_000;
/** m, of the differences that gradients are taken from; 1e-9 of the gradient is lost to rounding. */
const STEP = 1e-6;

type Formula = Exclude<Body, { type: "mesh" }>;

export interface Depth {
  /** m, largest depth of a point of the sheet; 0 if none is inside. */
  points: number;
  point: number;
  /** m, largest depth of a triangle beyond what its flatness explains. */
  triangles: number;
  triangle: number;
  /** Points that are held inside. */
  held: number;
}

/**
 * How deep the sheet is in a body with a formula, at a time.
 *
 * @param held 1 of points that the scene holds where they are (held.ts)
 */
export function depthIn(
  collider: Collider,
  body: Formula,
  time: number,
  positions: ReadonlyF64,
  triangles: ReadonlyI32,
  held: Uint8Array = new Uint8Array(positions.length / 3),
): Depth {
  const depth: Depth = { points: 0, point: -1, triangles: 0, triangle: -1, held: 0 };
  const Y = inBody(positions, collider, time);
  const distance = signedDistance(body);
  const at = new Float64Array(Y.length / 3);
  for (let i = 0; i < at.length; i++) {
    at[i] = distance(Y[3 * i], Y[3 * i + 1], Y[3 * i + 2]);
    if (held[i]) depth.held += at[i] < 0 ? 1 : 0;
    else if (-at[i] > Math.max(RESOLUTION, depth.points)) {
      depth.points = -at[i];
      depth.point = i;
    }
  }
  const isHeldInside = (i: number): boolean => held[i] === 1 && at[i] < 0;
  const radius = roundness(body);
  for (let t = 0; 3 * t < triangles.length; t++) {
    const [i, j, k] = [triangles[3 * t], triangles[3 * t + 1], triangles[3 * t + 2]];
    if (isHeldInside(i) || isHeldInside(j) || isHeldInside(k)) continue;
    const corners = Float64Array.of(
      ...Y.subarray(3 * i, 3 * i + 3),
      ...Y.subarray(3 * j, 3 * j + 3),
      ...Y.subarray(3 * k, 3 * k + 3),
    );
    const longest = Math.sqrt(Math.max(...[0, 1, 2].map((m) => squaredEdge(corners, m))));
    const allowed = radius >= 2 * longest ? (1.05 * longest * longest) / (6 * radius) : 0;
    const limit = Math.max(allowed + RESOLUTION, depth.triangles + allowed);
    if (Math.min(at[i], at[j], at[k]) > longest) continue; // no point is farther from all corners
    const found = deepest(corners, distance, body.type !== "torus", limit);
    if (found > limit) {
      depth.triangles = found - allowed;
      depth.triangle = t;
    }
  }
  return depth;
}

type Distance = (x: number, y: number, z: number) => number;

/** Largest depth of a triangle that is more than `limit`, to a tenth; `limit` itself if there is none. */
function deepest(
  corners: Float64Array,
  distance: Distance,
  isConvex: boolean,
  limit: number,
): number {
  let most = limit;
  const open: Float64Array[] = [corners];
  for (let pieces = 0; open.length > 0 && pieces < MOST_PIECES; pieces++) {
    const c = open.pop()!;
    const middle = [0, 1, 2].map((k) => (c[k] + c[3 + k] + c[6 + k]) / 3);
    const inside = -distance(middle[0], middle[1], middle[2]);
    most = Math.max(most, inside);
    if (depthBound(c, middle, inside, distance, isConvex) <= 1.1 * most) continue;
    for (const piece of quarters(c)) open.push(piece);
  }
  return most;
}

/** How deep a triangle around `middle` can be at most, given how deep its middle is. */
function depthBound(
  c: Float64Array,
  middle: readonly number[],
  inside: number,
  distance: Distance,
  isConvex: boolean,
): number {
  const away = (k: number): number[] => [0, 1, 2].map((d) => c[3 * k + d] - middle[d]);
  const reach = Math.max(...[0, 1, 2].map((k) => norm(...away(k))));
  if (!isConvex || inside >= -STEP) return inside + reach;
  const [x, y, z] = middle;
  const n = [
    (distance(x + STEP, y, z) - distance(x - STEP, y, z)) / (2 * STEP),
    (distance(x, y + STEP, z) - distance(x, y - STEP, z)) / (2 * STEP),
    (distance(x, y, z + STEP) - distance(x, y, z - STEP)) / (2 * STEP),
  ];
  const slope = Math.max(...[0, 1, 2].map((k) => -dot(n, away(k))));
  return inside + Math.min(reach, slope + 1e-6 * reach);
}

function quarters(c: Float64Array): Float64Array[] {
  const corner = (k: number): number[] => [c[3 * k], c[3 * k + 1], c[3 * k + 2]];
  const half = (a: number, b: number): number[] =>
    [0, 1, 2].map((k) => (c[3 * a + k] + c[3 * b + k]) / 2);
  const [p, q, r] = [half(0, 1), half(1, 2), half(2, 0)];
  return [
    [...corner(0), ...p, ...r],
    [...p, ...corner(1), ...q],
    [...r, ...q, ...corner(2)],
    [...p, ...q, ...r],
  ].map((list) => Float64Array.from(list));
}

function squaredEdge(c: Float64Array, k: number): number {
  const [a, b] = [3 * k, 3 * ((k + 1) % 3)];
  return (c[a] - c[b]) ** 2 + (c[a + 1] - c[b + 1]) ** 2 + (c[a + 2] - c[b + 2]) ** 2;
}

/** Positions in the body's own coordinates. */
function inBody(positions: ReadonlyF64, collider: Collider, time: number): Float64Array {
  const R = createRigid();
  colliderAt(R, collider, time);
  const out = new Float64Array(positions.length);
  for (let i = 0; i < out.length; i += 3) {
    const [x, y, z] = [positions[i] - R[9], positions[i + 1] - R[10], positions[i + 2] - R[11]];
    out[i] = R[0] * x + R[3] * y + R[6] * z;
    out[i + 1] = R[1] * x + R[4] * y + R[7] * z;
    out[i + 2] = R[2] * x + R[5] * y + R[8] * z;
  }
  return out;
}

/** The triangles of a mesh body in the world at a time. */
export function placedMesh(collider: Collider, mesh: Triangles, time: number): Triangles {
  const R = createRigid();
  colliderAt(R, collider, time);
  const positions = new Float64Array(mesh.positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    const [x, y, z] = [0, 1, 2].map((c) => mesh.positions[i + c]);
    for (let c = 0; c < 3; c++)
      positions[i + c] = R[3 * c] * x + R[3 * c + 1] * y + R[3 * c + 2] * z + R[9 + c];
  }
  return { positions, triangles: mesh.triangles };
}

/** Whether a point lies inside a closed mesh: the solid angles of its triangles make a whole turn. */
export function isInside(
  { positions: P, triangles }: Triangles,
  x: ReadonlyF64,
  i: number,
): boolean {
  let turns = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) =>
      [0, 1, 2].map((d) => P[3 * triangles[t + k] + d] - x[3 * i + d]),
    );
    const [la, lb, lc] = [a, b, c].map((v) => Math.sqrt(dot(v, v)));
    const cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    const below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    turns += Math.atan2(dot(a, cross), below) / (2 * Math.PI);
  }
  return Math.abs(turns) > 0.5;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** m, the radius of a body's round sides; Infinity of a plane, 0 of what has none. */
function roundness(body: Formula): number {
  switch (body.type) {
    case "plane":
      return Number.POSITIVE_INFINITY;
    case "torus":
      return body.minor;
    case "box":
      return body.rounding;
    default:
      return body.radius;
  }
}

/** Length of a vector. */
function norm(...v: number[]): number {
  return Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
}

/** Signed distance to a body at a place in its own coordinates, m; negative inside. */
export function signedDistance(body: Formula): (x: number, y: number, z: number) => number {
  switch (body.type) {
    case "plane": {
      const length = norm(...body.normal);
      const [a, b, c] = length > 0 ? body.normal.map((v) => v / length) : [0, 0, 1];
      return (x, y, z) => a * x + b * y + c * z;
    }
    case "sphere":
      return (x, y, z) => norm(x, y, z) - body.radius;
    case "box": {
      const r = Math.min(body.rounding, ...body.size.map((side) => side / 2));
      const [a, b, c] = body.size.map((side) => side / 2 - r);
      return (x, y, z) => ofCorner(Math.abs(x) - a, Math.abs(y) - b, Math.abs(z) - c) - r;
    }
    case "edge":
      return (x, _, z) => ofCorner(x + body.radius, z + body.radius) - body.radius;
    case "capsule": {
      const half = body.length / 2;
      return (x, y, z) => norm(x, y, z - Math.min(half, Math.max(-half, z))) - body.radius;
    }
    case "cylinder": {
      const r = Math.min(body.rounding, body.radius, body.length / 2);
      return (x, y, z) =>
        ofCorner(norm(x, y) - (body.radius - r), Math.abs(z) - (body.length / 2 - r)) - r;
    }
    case "torus":
      return (x, y, z) => norm(norm(x, y) - body.major, z) - body.minor;
    case "cone":
      return coneDistance(body);
  }
}

/** Distance to the corner region where all coordinates are negative. */
function ofCorner(...q: number[]): number {
  return norm(...q.map((x) => Math.max(x, 0))) + Math.min(Math.max(...q), 0);
}

/** The profile is a triangle (axis, base rim, apex), moved inwards by the rounding and grown by it again. */
function coneDistance({
  radius,
  length,
  rounding,
}: Extract<Body, { type: "cone" }>): (x: number, y: number, z: number) => number {
  const slant = norm(radius, length);
  const r = Math.min(rounding, (radius * length) / (slant + radius));
  const base = -length / 2 + r;
  const apex = Math.max(base, length / 2 - (r * slant) / radius);
  const rim = Math.max(0, radius - (r * (slant + radius)) / length);
  const [nr, nz] = [length / slant, radius / slant]; // outward normal of the side
  return (x, y, z) => {
    const ρ = norm(x, y);
    const below = base - z;
    const beside = nr * ρ + nz * (z - apex);
    if (below <= 0 && beside <= 0) return Math.max(below, beside) - r; // within the core
    const onBase = norm(ρ - Math.min(ρ, rim), z - base);
    const s = Math.min(
      1,
      Math.max(
        0,
        (rim * (rim - ρ) + (apex - base) * (z - base)) / (rim * rim + (apex - base) ** 2 || 1),
      ),
    );
    const onSide = norm(ρ - rim * (1 - s), z - base - s * (apex - base));
    return Math.min(onBase, onSide) - r;
  };
}
