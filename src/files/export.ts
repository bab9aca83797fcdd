/** All formats that a recording can be exported to, by name, and one function that does it. */
import { alembicFiles } from "./alembic.ts";
import {
  type Animation,
  bodyAnimation,
  type OutputFile,
  partsOf,
  type Selection,
  select,
  turned,
  type Up,
  withBodies,
} from "./animation.ts";
import { csvFiles } from "./csv.ts";
import { glbFiles, glbPlan, gltfFiles } from "./gltf-write.ts";
import { objSequence } from "./obj.ts";
import { plySequence } from "./ply.ts";
import { mddFiles, pc2Files } from "./point-cache.ts";
import { stlSequence } from "./stl.ts";
import { usdaFiles } from "./usda.ts";
import { vtuFiles } from "./vtu.ts";

export interface ExportFormat {
  /** What it is, and which programs read it, in one line. */
  readonly title: string;
  /** The axis that programs take as up. */
  readonly up: Up;
  /** false: the format itself says what is up. */
  readonly upChoice: boolean;
  /** How often each frame is read, for progress. */
  readonly passes: number;
  /** Reads that often for each sheet. */
  readonly bySheet?: boolean;
  /** Whether bodies are exported unless said otherwise. */
  readonly bodies: boolean;
  /** How they are: as rigid objects, in files of their own, or as moving points beside the sheet's. */
  readonly bodiesAs: "objects" | "files" | "points";
  readonly files: (animation: Animation, startFrame: number, up: Up) => Iterable<OutputFile>;
}

export type FormatName =
  | "glb"
  | "gltf"
  | "obj"
  | "ply"
  | "stl"
  | "pc2"
  | "mdd"
  | "usda"
  | "abc"
  | "vtu"
  | "csv";

export const EXPORT_FORMATS: Readonly<Record<FormatName, ExportFormat>> = {
  glb: {
    title: "glTF with morph targets: three.js, Blender, web viewers",
    up: "y",
    upChoice: false,
    passes: 2,
    bodies: true,
    bodiesAs: "objects",
    files: (a) => glbFiles(a),
  },
  gltf: {
    title: "the same as text with its data beside it (.gltf, .bin)",
    up: "y",
    upChoice: false,
    passes: 2,
    bodies: true,
    bodiesAs: "objects",
    files: (a) => gltfFiles(a),
  },
  abc: {
    title: "Alembic: Maya, Houdini, Cinema 4D, Blender",
    up: "y",
    upChoice: true,
    passes: 3,
    bySheet: true,
    bodies: true,
    bodiesAs: "objects",
    files: alembicFiles,
  },
  usda: {
    title: "USD as text: Houdini, Omniverse, Maya, Blender",
    up: "z",
    upChoice: true,
    passes: 3,
    bySheet: true,
    bodies: true,
    bodiesAs: "objects",
    files: usdaFiles,
  },
  pc2: {
    title: "point cache and OBJ: Blender's Mesh Cache, 3ds Max",
    up: "y",
    upChoice: true,
    passes: 1,
    bodies: false,
    bodiesAs: "files",
    files: pc2Files,
  },
  mdd: {
    title: "point cache and OBJ: Blender's Mesh Cache, LightWave",
    up: "y",
    upChoice: true,
    passes: 1,
    bodies: false,
    bodiesAs: "files",
    files: mddFiles,
  },
  obj: {
    title: "one OBJ a frame",
    up: "y",
    upChoice: true,
    passes: 1,
    bodies: true,
    bodiesAs: "files",
    files: (a, startFrame) => objSequence(a, startFrame),
  },
  ply: {
    title: "one binary PLY a frame, with fields",
    up: "z",
    upChoice: true,
    passes: 1,
    bodies: false,
    bodiesAs: "files",
    files: plySequence,
  },
  stl: {
    title: "one binary STL a frame",
    up: "z",
    upChoice: true,
    passes: 1,
    bodies: true,
    bodiesAs: "files",
    files: stlSequence,
  },
  vtu: {
    title: "VTK and PVD with fields: ParaView",
    up: "z",
    upChoice: true,
    passes: 1,
    bodies: true,
    bodiesAs: "points",
    files: vtuFiles,
  },
  csv: {
    title: "a table, one line per frame and point",
    up: "z",
    upChoice: true,
    passes: 1,
    bodies: false,
    bodiesAs: "files",
    files: csvFiles,
  },
};

export interface ExportOptions extends Selection {
  /** Number of the first frame in the other program. */
  readonly startFrame?: number;
  readonly up?: Up;
  /** Whether bodies are exported too; if left out, as is usual for the format. */
  readonly bodies?: boolean;
  /** Called after each frame that was read; frames are read `total` times in all. */
  readonly onFrame?: (done: number, total: number) => void;
}

export interface ExportResult {
  readonly files: Iterable<OutputFile>;
  /** What the format could not hold; tell the user. */
  readonly notes: readonly string[];
}

/**
 * Files of an animation in a format. They are made as they are read: take each file's chunks before
 * asking for the next file. Memory stays at a few frames (the JSON of a GLB grows with its frames).
 *
 * @example
 * for (const { name, chunks } of exportAnimation(animation, "abc", { startFrame: 1 }).files)
 *   for (const chunk of chunks) await write(name, chunk);
 */
export function exportAnimation(
  animation: Animation,
  format: FormatName,
  options: ExportOptions = {},
): ExportResult {
  const { up: usual, upChoice, passes, bySheet, bodiesAs, files } = EXPORT_FORMATS[format];
  const { startFrame = 1, up = usual, bodies = EXPORT_FORMATS[format].bodies, onFrame } = options;
  if (!Number.isInteger(startFrame))
    throw new RangeError(`start frame ${startFrame}: needs a whole number`);
  const notes: string[] = [];
  if (!upChoice && up !== usual)
    notes.push(`${format} always has ${usual} up; the other axis was not used.`);

  let chosen = select(animation, options);
  const found = bodies ? (chosen.bodies ?? []) : [];
  if (options.bodies === undefined && !bodies && (chosen.bodies ?? []).length > 0)
    notes.push(`bodies were left out, as is usual for ${format}; --bodies writes them too.`);
  if (found.length === 0) chosen = withoutBodies(chosen);
  else if (bodiesAs === "points") chosen = withBodies(chosen);
  if (upChoice) chosen = turned(chosen, up);
  const apart = bodiesAs === "files" ? (chosen.bodies ?? []) : [];
  const alone = apart.map((body) => bodyAnimation(chosen, body));
  if (bodiesAs === "files") chosen = withoutBodies(chosen);
  if (format === "glb" || format === "gltf") notes.push(...glbPlan(chosen).notes);
  if (onFrame) {
    const sheets = bySheet ? partsOf(chosen).length : 1;
    chosen = watched(chosen, passes * sheets, onFrame);
  }
  const made = function* (): Generator<OutputFile> {
    yield* files(chosen, startFrame, up);
    for (const body of alone) yield* files(body, startFrame, up);
  };
  return { files: made(), notes };
}

function withoutBodies({ bodies: _, ...rest }: Animation): Animation {
  return rest;
}

/** Calls back as frames are read; formats that read more often than they said stop at the end. */
function watched(
  animation: Animation,
  passes: number,
  onFrame: (done: number, total: number) => void,
): Animation {
  const total = passes * animation.frames;
  let done = 0;
  return {
    ...animation,
    positions: (frame, out) => {
      animation.positions(frame, out);
      done = Math.min(done + 1, total);
      onFrame(done, total);
    },
  };
}
