/**
 * What a dropped file becomes: a scene file becomes its scene, with what it names of the files dropped with it; a mesh
 * becomes a sheet that hangs by its highest points.
 */
import { withMotions } from "../../../src/files/body-motion.ts";
import { withPatterns } from "../../../src/files/garment-file.ts";
import { parseMesh } from "../../../src/files/read-mesh.ts";
import type { SceneInput } from "../../../src/scene/input.ts";
import { checkScene } from "../../../src/scene/scene.ts";
import { readSceneText } from "../../../src/scene/text.ts";
import type { Files } from "./protocol.ts";

/** A sheet larger than this (m) was surely not drawn in metres. */
const LARGEST = 20;
/** More points than this do not run at a speed that is fun. */
const MOST = 20_000;

export async function readFile(
  name: string,
  bytes: Uint8Array,
  files: Files,
): Promise<{ input: SceneInput; files: Files; notes: string[] }> {
  if (/\.(obj|ply|stl|glb|gltf)$/i.test(name)) return meshScene(name, bytes);
  const text = new TextDecoder("utf-8", { fatal: false });
  const { input, locate } = readSceneText(text.decode(bytes), name);
  const read = (file: string): Uint8Array => {
    if (files[file] === undefined) throw new Error("drop it together with the scene");
    return files[file];
  };
  const whole = withMotions(
    withPatterns(input, (file) => text.decode(read(file)), name),
    read,
    name,
  );
  checkScene(whole, name, locate); // every fault with its line
  return { input: whole as SceneInput, files, notes: [] };
}

function meshScene(
  name: string,
  bytes: Uint8Array,
): { input: SceneInput; files: Files; notes: string[] } {
  const notes: string[] = [];
  const { positions, triangles, uv } = parseMesh(bytes, name);
  const n = positions.length / 3;
  if (triangles.length === 0) throw new Error(`${name}: no triangles in it`);
  if (n > MOST)
    throw new Error(`${name}: ${n} points; the studio takes up to ${MOST}, the command line more`);
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    const c = k % 3;
    min[c] = Math.min(min[c], positions[k]);
    max[c] = Math.max(max[c], positions[k]);
  }
  const size = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  let scale = 1;
  while (size * scale > LARGEST) scale /= 10;
  if (scale !== 1)
    notes.push(
      `${name} is ${size.toPrecision(3)} across: taken as ${(size * scale).toPrecision(3)} m`,
    );

  // hang it by the highest points: all within two hundredths of its size of the top
  const top = max[2] - 0.02 * size;
  const points: number[] = [];
  for (let i = 0; i < n; i++) if (positions[3 * i + 2] >= top) points.push(i);
  const flat = max[2] - min[2] < 0.02 * size;
  if (flat) {
    // level: hang it by its corners farthest along ±(x + y)
    let [a, b] = [0, 0];
    for (let i = 1; i < n; i++) {
      const at = positions[3 * i] + positions[3 * i + 1];
      if (at < positions[3 * a] + positions[3 * a + 1]) a = i;
      if (at > positions[3 * b] + positions[3 * b + 1]) b = i;
    }
    points.splice(0, points.length, a, b);
  }
  notes.push(flat ? "hung by two opposite corners" : "hung by its highest points");
  return {
    input: {
      name: name.replace(/\.[^.]*$/, ""),
      description: `a mesh from ${name}`,
      seconds: 4,
      sheet: {
        shape: { type: "mesh", file: name, scale, uv: uv !== null },
        sampling: { type: "mesh" },
        pose: { type: "rest" },
      },
      air: { drag: 1 },
      pins: [{ name: "top", at: { points } }],
    },
    files: { [name]: bytes },
    notes,
  };
}
