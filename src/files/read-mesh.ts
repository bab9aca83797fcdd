/** One mesh out of any file we can read, by the ending of its name. */
import { FileError, quoted } from "./file-error.ts";
import { parseGltfMesh } from "./gltf-read.ts";
import type { TriangleMesh } from "./mesh.ts";
import { parseMsh } from "./msh.ts";
import { parseObj } from "./obj.ts";
import { parsePly } from "./ply.ts";
import { parseStl } from "./stl.ts";

/** @param name only its ending counts: .obj .ply .stl .glb .gltf, .msh of tetrahedra */
export function parseMesh(bytes: Uint8Array, name: string): TriangleMesh {
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
    default:
      throw new FileError(
        "mesh",
        name,
        `ends in ${quoted(ending)}`,
        "needs .obj .ply .stl .glb .gltf .msh",
      );
  }
}
