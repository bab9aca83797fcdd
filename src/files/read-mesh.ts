/** One mesh out of any file we can read, by the ending of its name. */
import { splitObject } from "../scene/files.ts";
import { FileError, quoted } from "./file-error.ts";
import { type GltfObject, parseGltf, parseGltfMesh } from "./gltf-read.ts";
import type { TriangleMesh } from "./mesh.ts";
import { parseMsh } from "./msh.ts";
import { parseObj } from "./obj.ts";
import { parsePly } from "./ply.ts";
import { type PointCache, parseMdd, parsePc2 } from "./point-cache.ts";
import { parseStl } from "./stl.ts";

/**
 * @param name only its ending counts: .obj .ply .stl .glb .gltf, .msh of tetrahedra; `set.glb#chair` is one object of the
 *   file, by its name or its number
 *
 * @example
 * const mesh = parseMesh(bytes, "body.obj");
 */
export function parseMesh(bytes: Uint8Array, name: string): TriangleMesh {
  const { file, object } = splitObject(name);
  if (object !== null) return objectOf(parseGltf(bytes), object).mesh;
  return parseWhole(bytes, file);
}

/** The object of that name or, if none has it, of that number. */
export function objectOf(objects: readonly GltfObject[], wanted: string): GltfObject {
  const found =
    objects.find(({ name }) => name === wanted) ??
    (/^\d{1,9}$/.test(wanted) ? objects[Number(wanted)] : undefined);
  if (found !== undefined) return found;
  const names = objects.slice(0, 20).map(({ name }) => quoted(name));
  throw new FileError(
    "glTF",
    "scene",
    `has no object ${quoted(wanted)}`,
    `it has ${names.join(", ")}`,
  );
}

/** A point cache: points without triangles, and where they are in every frame. */
function cachedMesh({ times, positions, n }: PointCache, inFrames: boolean): TriangleMesh {
  return {
    positions: Float64Array.from(positions.subarray(0, 3 * n)),
    triangles: new Int32Array(0),
    uv: null,
    frames: { times, positions, inFrames },
  };
}

function parseWhole(bytes: Uint8Array, name: string): TriangleMesh {
  const ending = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  switch (ending) {
    case "obj":
      return parseObj(new TextDecoder().decode(bytes));
    case "ply":
      return parsePly(bytes);
    case "stl":
      return parseStl(bytes);
    case "msh":
      return parseMsh(bytes);
    case "glb":
    case "gltf":
      return parseGltfMesh(bytes);
    case "pc2":
      return cachedMesh(parsePc2(bytes), true);
    case "mdd":
      return cachedMesh(parseMdd(bytes), false);
    default:
      throw new FileError(
        "mesh",
        name,
        `ends in ${quoted(ending)}`,
        "needs .obj .ply .stl .glb .gltf .msh, or .pc2 .mdd for vertices that move",
      );
  }
}
