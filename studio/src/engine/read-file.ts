/**
 * What a dropped file becomes: a scene file becomes its scene, with what it names of the files dropped with it; a mesh
 * becomes a sheet that hangs by its highest points, or a body; a pattern becomes a garment.
 */
import {
  parseMesh,
  parsePattern,
  readSceneText,
  withMotions,
  withPatterns,
} from "../../../src/files/index.ts";
import { checkScene, type SceneInput } from "../../../src/index.ts";
import { grainOf, guessedPlaces } from "../document/pattern.ts";
import type { Files, ReadAs } from "./protocol.ts";

interface ReadFile {
  input: SceneInput;
  files: Files;
  notes: string[];
}

/** A sheet larger than this (m) was surely not drawn in metres. */
const LARGEST = 20;
/** More points than this run too slowly to be interactive. */
const MOST = 20_000;

export async function readFile(
  name: string,
  bytes: Uint8Array,
  files: Files,
  as: ReadAs,
): Promise<ReadFile> {
  if (/\.(obj|ply|stl|glb|gltf)$/i.test(name)) return meshScene(name, bytes, as);
  const text = new TextDecoder("utf-8", { fatal: false });
  if (/\.(svg|dxf)$/i.test(name)) return patternScene(name, text.decode(bytes));
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

/** Panels where a first guess puts them, around an upright axis; what is to be sewn is for the user to say. */
function patternScene(name: string, text: string): ReadFile {
  const told: string[] = [];
  const { panels, seams } = parsePattern(text, name, (note) => told.push(note));
  if (panels.length === 0) throw new Error(`${name}: no closed outline that could be a panel`);
  const drawn = panels.map((panel) => ({
    name: panel.name,
    points: panel.points,
    edges: panel.edges,
    holes: panel.holes,
    place: { position: [0, 0, panel.place.position[2]] as [number, number, number] },
    ...(panel.grain === undefined ? {} : { grain: grainOf({ grain: { radians: panel.grain } }) }),
  }));
  const count = `${panels.length} panel${panels.length === 1 ? "" : "s"}`;
  const title = name.replace(/\.[^.]*$/, "");
  return {
    input: {
      name: title,
      description: `${count} from ${name}`,
      seconds: 4,
      sheet: {
        shape: {
          type: "garment",
          panels: guessedPlaces(drawn),
          seams: [...seams],
          sewing: { seconds: 0.6 },
        },
        sampling: { points: 900 },
        material: "cotton",
      },
      air: { drag: 1.5 },
    },
    files: {},
    notes: [`${count}, placed around an upright axis; sew them in the flat view`, ...told],
  };
}

function meshScene(name: string, bytes: Uint8Array, as: ReadAs): ReadFile {
  const notes: string[] = [];
  const { positions, triangles, uv } = parseMesh(bytes, name);
  const n = positions.length / 3;
  if (triangles.length === 0) throw new Error(`${name}: no triangles in it`);
  if (n > MOST)
    throw new Error(`${name}: ${n} points; the studio takes up to ${MOST}, the command line more`);
  const { min, max } = box(positions);
  const size = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  let scale = 1;
  while (size * scale > LARGEST) scale /= 10;
  if (scale !== 1)
    notes.push(
      `${name} is ${size.toPrecision(3)} across: taken as ${(size * scale).toPrecision(3)} m`,
    );
  const title = name.replace(/\.[^.]*$/, "");
  const files = { [name]: bytes };
  if (as === "body") {
    const body = { type: "mesh", file: name, scale } as const;
    return { input: { name: title, colliders: [{ name: title, body }] }, files, notes };
  }
  const hung = highest(positions, min, max, size);
  notes.push(hung.flat ? "hung by two opposite corners" : "hung by its highest points");
  const input: SceneInput = {
    name: title,
    description: `a mesh from ${name}`,
    seconds: 4,
    sheet: {
      shape: { type: "mesh", file: name, scale, uv: uv !== null },
      sampling: { type: "mesh" },
      pose: { type: "rest" },
    },
    air: { drag: 1 },
    pins: [{ name: "top", at: { points: hung.points } }],
  };
  return { input, files, notes };
}

function box(positions: ArrayLike<number>): { min: number[]; max: number[] } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < positions.length; k++) {
    const c = k % 3;
    min[c] = Math.min(min[c], positions[k]);
    max[c] = Math.max(max[c], positions[k]);
  }
  return { min, max };
}

/** What a mesh is hung by: all points within two hundredths of its size of the top; two opposite corners if it is level. */
function highest(
  positions: ArrayLike<number>,
  min: number[],
  max: number[],
  size: number,
): { points: number[]; flat: boolean } {
  const n = positions.length / 3;
  if (max[2] - min[2] < 0.02 * size) {
    let [a, b] = [0, 0];
    for (let i = 1; i < n; i++) {
      const at = positions[3 * i] + positions[3 * i + 1];
      if (at < positions[3 * a] + positions[3 * a + 1]) a = i;
      if (at > positions[3 * b] + positions[3 * b + 1]) b = i;
    }
    return { points: [a, b], flat: true };
  }
  const top = max[2] - 0.02 * size;
  const points: number[] = [];
  for (let i = 0; i < n; i++) if (positions[3 * i + 2] >= top) points.push(i);
  return { points, flat: false };
}
