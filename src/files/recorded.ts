/**
 * A recording as an animation: its sheets as parts, its bodies where they were, and what was measured as
 * fields.
 *
 *   strain     per point      worst |length/rest − 1| of the edges at it
 *   principal  per triangle   the larger of its |principal strains|
 *   curvature  per point      1/m, mean curvature
 *   gap        per point      m, signed distance to the nearest body, its offset taken off; contact is near 0
 *
 * Fields are computed when an exporter asks for them, from the frame it has just read.
 */
import { HEAP, type ReadonlyF64 } from "../linalg/arena.ts";
import { bodyMesh } from "../picture/bodies.ts";
import { BODY, type Color, toLinear } from "../picture/color.ts";
import { looksOf } from "../picture/looks.ts";
import { createCurvature, edgeStrains, principalStrains } from "../recording/measures.ts";
import type { Recording } from "../recording/recording.ts";
import { colliderAt, createRigid, type Rigid } from "../scene/motion.ts";
import type { Collider } from "../scene/scene.ts";
import { alongGrain } from "../sheet/grain.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { createPatches, evaluatePatches, type Patches, spread } from "../sheet/patches.ts";
import { type VerticesAt, verticesOf } from "../sheet/vertices.ts";
import { prepareBodies, worldDistance } from "../system/contact/colliders.ts";
import { bendMesh, cleanMesh, meshDistance, prepareMeshBody } from "../system/contact/mesh-body.ts";
import {
  type Animation,
  type DisplayColor,
  type Field,
  type RigidBody,
  withBodies,
} from "./animation.ts";

export interface RecordedOptions {
  /** For bodies of type mesh; without it they are left out. */
  readonly readMesh?: ReadMesh;
  /** Halvings of every edge, 0 … 6: the curved sheet in 4ᵏ triangles for each. Needs a recording whose samples have frames. */
  readonly subdivide?: number;
}

/**
 * @example exportAnimation(recordedAnimation(recording), "abc")
 * @throws RangeError if it cannot be subdivided so
 */
export function recordedAnimation(
  recording: Pick<Recording, "scene" | "sheet" | "frames" | "bodyTimes" | "pose">,
  { readMesh, subdivide = 0 }: RecordedOptions = {},
): Animation {
  const { scene, sheet } = recording;
  const shown = scene.colliders.filter(({ body }) => body.type !== "mesh" || readMesh);
  if (subdivide !== 0 && sheet.tangent === undefined)
    throw new RangeError(
      `subdivide ${subdivide}: its samples have no frames, so its triangles are flat; run it with constraint: frames`,
    );
  const laid = alongGrain(sheet, scene.sheets);
  const surface = sheet.tangent ? createSurface(laid, subdivide) : null;

  // points, normals and fields of one frame follow each other: keep its pose
  const Y = new Float64Array((surface ? 9 : 3) * sheet.n);
  let kept = -1;
  const read = (frame: number): Float64Array => {
    if (frame === kept) return Y;
    recording.pose(frame, Y);
    surface?.evaluate(Y);
    kept = frame;
    return Y;
  };
  const points = (frame: number): Float64Array => {
    read(frame);
    return surface?.positions ?? Y;
  };
  const { n, triangles, uv, parts } = surface?.patches ?? laid;
  const fields = strainFields(recording, read);
  const looks = looksOf(scene);
  const animation: Animation = {
    name: scene.name,
    n,
    triangles,
    uv,
    rate: scene.record.rate,
    frames: recording.frames,
    positions: (frame, out) => out.set(points(frame)),
    ...(surface && {
      normals: (frame: number, out: Float64Array) => {
        read(frame);
        out.set(surface.normals);
      },
    }),
    parts: parts.map(({ name, firstPoint, points, firstTriangle, triangles }, k) => ({
      name,
      color: linear(looks[k].front),
      firstPoint,
      points,
      firstTriangle,
      triangles,
    })),
    fields: [
      ...(surface ? fields.map((field) => spreadField(field, surface.patches)) : fields),
      ...(shown.length > 0 ? [gapField(recording, n, shown, points, readMesh)] : []),
    ],
    bodies: shown.map((collider) =>
      rigidBody(collider, scene.colliders.indexOf(collider), recording, readMesh),
    ),
  };
  return withBodies(animation, (body) => body.vertices !== undefined);
}

/** The curved sheet of the frame that was read last. */
interface Surface {
  readonly patches: Patches;
  readonly positions: Float64Array;
  readonly normals: Float64Array;
  evaluate(pose: Float64Array): void;
}

function createSurface(sheet: Recording["sheet"], subdivide: number): Surface {
  const patches = createPatches(sheet, subdivide);
  const positions = new Float64Array(3 * patches.n);
  const normals = new Float64Array(3 * patches.n);
  return {
    patches,
    positions,
    normals,
    evaluate: (pose) => evaluatePatches(positions, normals, patches, pose),
  };
}

/** A field of samples or triangles of the sheet on its patches: linear between samples, the same on all pieces of a triangle. */
function spreadField(field: Field, patches: Patches): Field {
  const { sheet, pieces } = patches;
  const own = new Float64Array(field.per === "point" ? sheet.n : sheet.triangles.length / 3);
  return {
    ...field,
    values: (frame, out) => {
      field.values(frame, own);
      if (field.per === "point") spread(out, patches, own);
      else for (let t = 0; t < out.length; t++) out[t] = own[Math.floor(t / pieces ** 2)];
    },
  };
}

type Source = Pick<Recording, "scene" | "sheet" | "bodyTimes">;
type Read = (frame: number) => Float64Array;

function strainFields({ sheet }: Source, read: Read): Field[] {
  const edges = new Float64Array(sheet.edgeLength.length);
  const principal = new Float64Array((2 * sheet.triangles.length) / 3);
  let curvature: ((Y: ReadonlyF64) => Float64Array) | null = null;
  return [
    {
      name: "strain",
      per: "point",
      values: (frame, out) => {
        edgeStrains(edges, sheet, read(frame));
        out.fill(0);
        for (let k = 0; k < 2 * edges.length; k++) {
          const i = sheet.edges[k];
          out[i] = Math.max(out[i], Math.abs(edges[k >> 1]));
        }
      },
    },
    {
      name: "principal",
      per: "triangle",
      values: (frame, out) => {
        principalStrains(principal, sheet, read(frame));
        for (let t = 0; t < out.length; t++)
          out[t] = Math.max(Math.abs(principal[2 * t]), Math.abs(principal[2 * t + 1]));
      },
    },
    {
      name: "curvature",
      per: "point",
      values: (frame, out) => {
        curvature ??= createCurvature(sheet); // costs a second for large sheets: only if asked
        out.set(curvature(read(frame)));
      },
    },
  ];
}

/** Signed distance of every point to the nearest body. */
function gapField(
  source: Source,
  n: number,
  colliders: readonly Collider[],
  read: Read,
  readMesh: ReadMesh | undefined,
): Field {
  const answer = new Float64Array(16);
  const pose = createRigid();
  const distances = colliders.map(
    (collider): ((Y: Float64Array, i: number, time: number) => number) => {
      const { body } = collider;
      if (body.type !== "mesh") {
        const table = prepareBodies(HEAP, [body]);
        return (Y, i) => {
          worldDistance(answer, 0, table, 0, pose, Y, i);
          return answer[0];
        };
      }
      const read = readMesh!(body.file);
      const move = verticesOf(collider.name, body, read, readMesh!);
      const clean = cleanMesh(read.positions, read.triangles, body);
      let mesh = prepareMeshBody(HEAP, clean);
      const bent = {
        ...clean,
        move,
        sceneMove: move,
        led: null,
        filePoints: read.positions.slice(),
      };
      let shown = Number.NaN; // s, the time that `mesh` is of
      const own = new Float64Array(3);
      return (Y, i, time) => {
        if (move && time !== shown) {
          bendMesh(bent, time);
          mesh = prepareMeshBody(HEAP, bent);
          shown = time;
        }
        toBody(own, pose, Y, i);
        meshDistance(answer, 0, mesh, own, 0);
        return answer[0];
      };
    },
  );
  return {
    name: "gap",
    per: "point",
    values: (frame, out) => {
      const Y = read(frame);
      out.fill(Infinity);
      const times = source.bodyTimes(frame);
      for (const [k, collider] of colliders.entries()) {
        const time = times[source.scene.colliders.indexOf(collider)];
        colliderAt(pose, collider, time);
        for (let i = 0; i < n; i++) {
          const gap = distances[k](Y, i, time) - collider.offset;
          if (gap < out[i]) out[i] = gap;
        }
      }
    },
  };
}

/** Rᵀ(x − c) */
function toBody(out: Float64Array, m: Rigid, Y: Float64Array, i: number): void {
  const [x, y, z] = [Y[3 * i] - m[9], Y[3 * i + 1] - m[10], Y[3 * i + 2] - m[11]];
  for (let c = 0; c < 3; c++) out[c] = m[c] * x + m[3 + c] * y + m[6 + c] * z;
}

/** @param number of the collider in the scene */
function rigidBody(
  collider: Collider,
  number: number,
  source: Source,
  readMesh: ReadMesh | undefined,
): RigidBody {
  const { body, name } = collider;
  let shape: { positions: Float64Array; triangles: Int32Array };
  let move: VerticesAt | null = null;
  if (body.type === "mesh") {
    const mesh = readMesh!(body.file);
    const { positions, triangles } = mesh;
    shape = { positions: positions.map((x) => x * body.scale), triangles };
    move = verticesOf(name, body, mesh, readMesh!);
  } else shape = bodyMesh(body, { extent: 2 * sizeOf(source.sheet.rest) });
  const rigid = createRigid();
  const bent = new Float64Array(move ? shape.positions.length : 0);
  return {
    name,
    color: linear(BODY),
    positions: shape.positions,
    triangles: shape.triangles,
    ...(move && {
      vertices: (frame: number) => {
        move(bent, source.bodyTimes(frame)[number]);
        return bent;
      },
    }),
    pose: (frame, out) => {
      colliderAt(rigid, collider, source.bodyTimes(frame)[number]);
      out.set(rigid.subarray(9, 12));
      setQuaternion(out, rigid);
    },
  };
}

function linear([r, g, b]: Color): DisplayColor {
  return [toLinear(r), toLinear(g), toLinear(b)];
}

/** out[3 … 7] = the unit quaternion x y z w of the rotation (by rows) of a map, by Shepperd's method. */
function setQuaternion(out: Float64Array, m: Readonly<Rigid>): void {
  const trace = m[0] + m[4] + m[8];
  const squares = [1 + 2 * m[0] - trace, 1 + 2 * m[4] - trace, 1 + 2 * m[8] - trace, 1 + trace]; // 4·(x² y² z² w²)
  const largest = squares.indexOf(Math.max(...squares));
  const s = Math.sqrt(squares[largest]);
  const [yz, zx, xy] = [m[5] + m[7], m[6] + m[2], m[1] + m[3]]; // 4·products
  const [wx, wy, wz] = [m[7] - m[5], m[2] - m[6], m[3] - m[1]];
  const rows = [
    [squares[0], xy, zx, wx],
    [xy, squares[1], yz, wy],
    [zx, yz, squares[2], wz],
    [wx, wy, wz, squares[3]],
  ];
  for (let c = 0; c < 4; c++) out[3 + c] = rows[largest][c] / (2 * s);
}

function sizeOf(rest: ReadonlyF64): number {
  const [min, max] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  for (let k = 0; k < rest.length; k++) {
    min[k % 3] = Math.min(min[k % 3], rest[k]);
    max[k % 3] = Math.max(max[k % 3], rest[k]);
  }
  return Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) || 1;
}
