/**
 * The contact surface: all that may touch point by point, as one list of vertices, triangles and edges.
 *
 * Vertices 0 … n are the sheets'; behind them come those of mesh bodies and of the features of other bodies, which are not unknowns: the scene
 * moves them. `gather` is the one place where the positions of surface vertices come from the unknowns.
 */
import type { ReadonlyF64 } from "../../linalg/arena.ts";
import { colliderAt, createRigid, type Rigid } from "../../scene/motion.ts";
import type { Collider, Scene } from "../../scene/scene.ts";
import type { Sheet } from "../../sheet/kinematics.ts";
import type { BodyTimes } from "./body-contact.ts";
import { type BodyFeatures, bodyFeatures } from "./body-features.ts";
import type { FeatureGroup } from "./feature-pairs.ts";
import { type BendingMesh, bendMesh, placePoints } from "./mesh-body.ts";

/** A mesh collider: its collider and its surface in its own coordinates. */
export interface MeshCollider {
  readonly collider: Collider;
  /** Its number among the scene's colliders. */
  readonly number: number;
  readonly mesh: BendingMesh;
}

/** A body whose vertices are on the surface. */
interface SurfaceBody {
  readonly collider: Collider;
  readonly number: number;
  readonly first: number;
  /** [3·count] m, in its own coordinates. */
  readonly points: Float64Array;
  /** What writes those points, if they are the vertices of a mesh. */
  readonly mesh: BendingMesh | null;
  /** Where it is at the end of the step. */
  readonly pose: Rigid;
}

export interface ContactSurface {
  /** Vertices that are points of the sheets, and vertices in all. */
  readonly n: number;
  readonly total: number;
  /** Of sheets and meshes. */
  readonly triangles: Int32Array;
  /** Where the triangles of meshes begin. */
  readonly firstOfBodies: number;
  readonly edges: Int32Array;
  /** [total] 0: a sheet's, else one more than the number of the body in `bodies`. */
  readonly group: Int32Array;
  /** [groups²] which groups meet by the trees; features have lists of their own. */
  readonly wanted: Uint8Array;
  /** [total] vertices of one number are sewn together. */
  readonly sewn: Int32Array;
  readonly bodies: readonly SurfaceBody[];
  readonly features: readonly FeatureGroup[];
  /** [total] friction coefficient; of bodies as it is in this step. */
  readonly friction: Float64Array;
  /** [total] m, that a pair of sheet and body keeps besides half the sheet's thickness; 0 at sheets. */
  readonly offset: Float64Array;
  /** [total] m, of features within a round body; 0 elsewhere. */
  readonly radius: Float64Array;
  /** m, the most that a mesh body keeps so. */
  readonly meshOffset: number;
}

export function contactSurface(
  scene: Scene,
  sheet: Sheet,
  meshes: readonly MeshCollider[],
): ContactSurface {
  const { n } = sheet;
  const triangles = Array.from(sheet.triangles as Int32Array);
  const edges = Array.from(sheet.edges as Int32Array);
  const group = new Array<number>(n).fill(0);
  const offset = new Array<number>(n).fill(0);
  const radius = new Array<number>(n).fill(0);
  const bodies: SurfaceBody[] = [];
  const features: FeatureGroup[] = [];
  const add = (
    { collider, number, mesh }: Omit<SurfaceBody, "first" | "points" | "pose">,
    points: Float64Array,
    round: number,
  ): number => {
    const first = group.length;
    bodies.push({ collider, number, first, points, mesh, pose: createRigid() });
    for (let i = 0; 3 * i < points.length; i++) {
      group.push(bodies.length);
      offset.push(collider.offset + round);
      radius.push(round);
    }
    return first;
  };
  for (const one of meshes) {
    const { mesh } = one;
    const first = add(one, mesh.points, 0);
    for (const t of mesh.triangles) triangles.push(first + t);
    for (const e of mesh.edges) edges.push(first + e);
  }
  const thinnest = Math.min(...scene.sheets.map(({ material }) => material.thickness));
  scene.colliders.forEach((collider, number) => {
    const found = featuresOf(collider, sheet, thinnest);
    if (!found) return;
    const first = add({ collider, number, mesh: null }, found.points, found.radius);
    features.push({
      first,
      count: found.points.length / 3,
      edges: found.edges.map((e) => first + e),
      radius: collider.offset + found.radius,
    });
  });
  const total = group.length;
  const groups = bodies.length + 1;
  const wanted = new Uint8Array(groups * groups);
  for (let b = 1; b <= meshes.length; b++) {
    wanted[b] = 1;
    wanted[b * groups] = 1;
  }
  wanted[0] = scene.contact.self ? 1 : 0;
  return {
    n,
    total,
    triangles: Int32Array.from(triangles),
    firstOfBodies: sheet.triangles.length / 3,
    edges: Int32Array.from(edges),
    group: Int32Array.from(group),
    wanted,
    sewn: Int32Array.from({ length: total }, (_, i) => (i < n ? (sheet.sewn?.[i] ?? i) : i)),
    bodies,
    features,
    friction: Float64Array.from(group, (g) =>
      g === 0 ? scene.contact.friction : bodies[g - 1].collider.friction,
    ),
    offset: Float64Array.from(offset),
    radius: Float64Array.from(radius),
    meshOffset: meshes.reduce((most, { collider }) => Math.max(most, collider.offset), 0),
  };
}

/** Spacings from the sheet's centre at which an edge without end is cut off; a sheet that gets farther passes it there. */
const FAR = 1e3;

function featuresOf({ body }: Collider, sheet: Sheet, thickness: number): BodyFeatures | null {
  let spacing = 0;
  for (let i = 0; i < sheet.n; i++) spacing += sheet.spacing[i] / sheet.n;
  return bodyFeatures(body, spacing, thickness, FAR * spacing);
}

/** X of the sheets' vertices from the unknowns Y. */
export function gather(X: Float64Array, { n }: ContactSurface, Y: ReadonlyF64): void {
  for (let k = 0; k < 3 * n; k++) X[k] = Y[k];
}

const before = createRigid();

/** Places all bodies in X as they are at the start of the step; `sweep` is how far their vertices go in it. */
export function placeBodies(
  X: Float64Array,
  sweep: Float64Array,
  { n, total, bodies, friction }: ContactSurface,
  times: BodyTimes,
): void {
  for (let b = 0; b < bodies.length; b++) {
    const { collider, number, first, points, mesh, pose } = bodies[b];
    colliderAt(pose, collider, times.to[number]);
    if (mesh) bendMesh(mesh, times.to[number]);
    placePoints(sweep, first, points, pose);
    colliderAt(before, collider, times.from[number]);
    if (mesh) bendMesh(mesh, times.from[number]);
    placePoints(X, first, points, before);
    friction.fill(collider.friction, first, first + points.length / 3);
  }
  for (let k = 3 * n; k < 3 * total; k++) sweep[k] -= X[k];
}
