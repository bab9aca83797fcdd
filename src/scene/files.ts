/** Which files a scene names, and where. */
import type { Path } from "./faults.ts";
import type { Scene } from "./scene.ts";

export interface NamedFile {
  path: Path;
  kind: "mesh" | "image";
  /** Without the object that it may name. */
  file: string;
  /** Names another file instead. */
  rename(file: string): void;
}

/**
 * @example
 * const names = filesOf(scene).map(({ file }) => file);
 */
export function filesOf(scene: Scene): NamedFile[] {
  const found: NamedFile[] = [];
  const note = (path: Path, holder: { file: string }): void => {
    const { file, object } = splitObject(holder.file);
    found.push({
      path: [...path, "file"],
      kind: "mesh",
      file,
      rename: (other) => {
        holder.file = object === null ? other : `${other}#${object}`;
      },
    });
  };
  scene.sheets.forEach(({ shape, pose, look }, k) => {
    const at = scene.sheets.length === 1 ? ["sheet"] : ["sheets", k];
    if (shape.type === "mesh") note([...at, "shape"], shape);
    if (pose.type === "file") note([...at, "pose"], pose);
    if (look?.image !== undefined)
      found.push({
        path: [...at, "look", "image"],
        kind: "image",
        file: look.image,
        rename: (other) => {
          look.image = other;
        },
      });
  });
  scene.colliders.forEach(({ body }, k) => {
    if (body.type !== "mesh") return;
    note(["colliders", k, "body"], body);
    if (body.vertices) note(["colliders", k, "body", "vertices"], body.vertices);
  });
  if (scene.substrate?.shape.type === "file") note(["substrate", "shape"], scene.substrate.shape);
  return found;
}

/**
 * `set.glb#chair` is the object "chair" of set.glb; other names are whole files.
 *
 * @example
 * splitObject("set.glb#chair"); // { file: "set.glb", object: "chair" }
 */
export function splitObject(name: string): { file: string; object: string | null } {
  const [, file, object] = /^([^#]*\.(?:glb|gltf))#(.+)$/is.exec(name) ?? [];
  return file === undefined ? { file: name, object: null } : { file, object };
}
