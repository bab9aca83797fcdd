/**
 * Bodies that move as a file says: where a scene has
 *
 *   colliders: [{ body: { type: mesh, file: mixer.glb }, motion: file }]
 *
 * the animation of the glTF file becomes keyframes of the collider, so that the scene carries all it needs from there on.
 * A file of several objects becomes as many colliders, each with a motion of its own, whose files are `mixer.glb#object`.
 *
 * The file moves in its own coordinates. With the collider placed by x ↦ R s x + p, a motion of the file with pivot c,
 * translation t and rotation vector r is one of the scene with pivot R s c + p, translation R s t and rotation vector R r.
 */

import { fits } from "../scene/check-form.ts";
import { rotationOf } from "../scene/convert.ts";
import { Faults, type Path, SceneError } from "../scene/faults.ts";
import { splitObject } from "../scene/files.ts";
import type { ColliderInput, MotionInput } from "../scene/input.ts";
import { createRigid, moveInPlace, setRotation } from "../scene/motion.ts";
import type { Motion, Vec3 } from "../scene/scene.ts";
import { collider as colliderSchema } from "../scene/schema-world.ts";
import { type GltfObject, parseGltf } from "./gltf-read.ts";
import { objectOf } from "./read-mesh.ts";

/** More colliders than this from one file are a whole set, not a body. */
const MOST_OBJECTS = 200;

/**
 * The scene in its input form with the motions of the files that it names. What asks for none is left as it is.
 *
 * @param readBytes gives the content of a file; what it throws is reported at the path of the file
 * @throws SceneError with every fault
 *
 * @example
 * const input = withMotions(JSON.parse(text), (file) => readFileSync(file));
 */
export function withMotions(
  input: unknown,
  readBytes: (file: string) => Uint8Array,
  source: string = "scene",
): unknown {
  if (!isRecord(input) || !Array.isArray(input.colliders)) return input;
  const faults = new Faults();
  const taken = new Set<unknown>(input.colliders.map((given) => isRecord(given) && given.name));
  const colliders = input.colliders.flatMap((given, k) => {
    if (!isRecord(given) || given.motion !== "file") return [given];
    // other faults of a collider are reported by parseScene
    const { motion: _, ...rest } = given;
    if (!fits(colliderSchema, rest) || rest.body.type !== "mesh") return [given];
    return moving(rest, rest.body, ["colliders", k], readBytes, taken, faults);
  });
  if (faults.list.length > 0) throw new SceneError(source, faults.list);
  return { ...input, colliders };
}

type MeshInput = Extract<ColliderInput["body"], { type: "mesh" }>;

function moving(
  collider: ColliderInput,
  body: MeshInput,
  path: Path,
  readBytes: (file: string) => Uint8Array,
  taken: Set<unknown>,
  faults: Faults,
): ColliderInput[] {
  const at = [...path, "body", "file"];
  const { file, object } = splitObject(body.file);
  if (!/\.(glb|gltf)$/i.test(file)) {
    faults.add([...path, "motion"], `"${file}" holds no motion`, "only .glb and .gltf do");
    return [];
  }
  let objects: readonly GltfObject[];
  try {
    const all = parseGltf(readBytes(file));
    objects = object === null ? all : [objectOf(all, object)];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const { code } = error as { code?: string };
    faults.add(at, `"${file}": ${code === "ENOENT" ? "no such file" : error.message}`);
    return [];
  }
  if (objects.length > MOST_OBJECTS)
    faults.add(at, `"${file}" has ${objects.length} objects, needs at most ${MOST_OBJECTS}`);
  else if (objects.every(({ motion }) => motion === null))
    faults.add([...path, "motion"], `nothing moves in "${body.file}"`);
  else if (objects.length === 1)
    return [{ ...collider, motion: placed(objects[0].motion, collider, body.scale ?? 1) }];
  else
    return objects.map(({ name, motion }, k) => ({
      ...collider,
      name: unused(`${collider.name ?? "mesh"}-${name}`, taken),
      body: { ...body, file: `${file}#${k}` },
      motion: placed(motion, collider, body.scale ?? 1),
    }));
  return [];
}

/** The name, or with the first number that makes it another than those taken; takes it. */
function unused(name: string, taken: Set<unknown>): string {
  let free = name;
  for (let k = 2; taken.has(free); k++) free = `${name}-${k}`;
  taken.add(free);
  return free;
}

/** A motion in the file's coordinates as one in the scene's. */
function placed(
  motion: Motion | null,
  { position = [0, 0, 0], rotation }: ColliderInput,
  scale: number,
): MotionInput | null {
  if (motion === null) return null;
  const turn = createRigid();
  setRotation(turn, ...rotationOf(rotation));
  const turned = ([x, y, z]: Vec3, s: number): Vec3 => {
    const v = Float64Array.of(s * x, s * y, s * z);
    moveInPlace(v, 0, turn);
    return [v[0], v[1], v[2]];
  };
  const pivot = turned(motion.pivot, scale);
  return {
    keys: motion.keys.map(({ time, translate, rotate }) => ({
      time,
      translate: turned(translate, scale),
      rotate: { radians: turned(rotate, 1) },
    })),
    pivot: [pivot[0] + position[0], pivot[1] + position[1], pivot[2] + position[2]],
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
