/** Opening a scene in the engine: what is sent to the page, and the files that it names. */
import {
  pick,
  type ReadMesh,
  type Scene,
  SceneError,
  type Sheet,
  type Simulation,
} from "../../../src/index.ts";
import { posesAt } from "./bodies.ts";
import type { Files, FromEngine, Opened } from "./protocol.ts";

/** Reads the meshes that a scene names out of the files that came with it; undefined if it names none. */
export async function meshReader(scene: Scene, files: Files): Promise<ReadMesh | undefined> {
  const wanted =
    scene.sheets.some(({ shape, pose }) => shape.type === "mesh" || pose.type === "file") ||
    scene.colliders.some(({ body }) => body.type === "mesh");
  if (!wanted) return undefined;
  // loaded only for scenes that name files: 16 kB
  const { parseMesh, splitObject } = await import("../../../src/files/index.ts");
  return (path) => {
    const { file } = splitObject(path);
    const bytes = files[file];
    if (bytes === undefined)
      throw new SceneError("scene", [
        { path: "", message: `it names the file "${file}"; drop the scene and that file together` },
      ]);
    return parseMesh(bytes, path);
  };
}

/** What the page needs to draw and to edit a scene. */
export function openedMessage(
  serial: number,
  { scene, sheet }: Pick<Simulation, "scene" | "sheet">,
  start: Float64Array,
  frames: SharedArrayBuffer | null,
  readMesh: ReadMesh | undefined,
  files: Files,
): Opened {
  return {
    type: "opened",
    serial,
    taken: "restart",
    scene,
    sheet: {
      n: sheet.n,
      triangles: Int32Array.from(sheet.triangles as Int32Array),
      edges: Int32Array.from(sheet.edges as Int32Array),
      parts: sheet.parts.map(({ name, firstPoint, points, firstTriangle, triangles, panels }) => ({
        ...{ name, firstPoint, points, firstTriangle, triangles },
        ...(panels === undefined ? {} : { panels }),
      })),
      corners: Float64Array.from(sheet.corners as Float64Array),
      uv: Float64Array.from(sheet.uv as Float64Array),
      spacing: Float64Array.from(sheet.spacing as Float64Array),
      edgeLength: Float64Array.from(sheet.edgeLength as Float64Array),
      ...(sheet.tangent ? { tangent: Float64Array.from(sheet.tangent as Float64Array) } : {}),
      ...(sheet.sewn ? { sewn: Int32Array.from(sheet.sewn as Int32Array) } : {}),
    },
    named: namedPlaces(sheet),
    near: {
      start: Int32Array.from(sheet.near.start as Int32Array),
      index: Int32Array.from(sheet.near.index as Int32Array),
    },
    pins: scene.pins.map(({ name, at, release }) => ({ name, points: pick(sheet, at), release })),
    bodyShapes: scene.colliders.map(({ body }) => {
      if (body.type !== "mesh" || readMesh === undefined) return null;
      const { positions, triangles } = readMesh(body.file);
      return { positions: positions.map((x) => x * body.scale), triangles };
    }),
    images: scene.sheets.map(({ look }) => files[look?.image ?? ""] ?? null),
    start: Float64Array.from(start),
    startPoses: posesAt(scene, new Float64Array(scene.colliders.length)),
    frames,
  };
}

/** Edges and corners that a pick can name; the whole boundary only where no piece of it has a name. */
function namedPlaces(sheet: Sheet): Opened["named"] {
  return sheet.parts.flatMap((part, k) => {
    const edges = Object.entries(part.edges).map(([name, points]) => ({
      sheet: k,
      kind: "edge" as const,
      name,
      points: Int32Array.from(points as Int32Array),
    }));
    const pieces = edges.filter(({ name }) => name !== "boundary");
    const corners = Object.entries(part.corners).map(([name, point]) => ({
      sheet: k,
      kind: "corner" as const,
      name,
      points: Int32Array.of(point),
    }));
    return [...(pieces.length > 0 ? pieces : edges), ...corners];
  });
}

/** The answer to a scene or file that cannot be used. */
export function refusal(error: unknown, source: string, serial: number): FromEngine {
  const message = error instanceof Error ? error.message : String(error);
  const faults = error instanceof SceneError ? error.faults : [];
  return { type: "refused", source, message, faults, serial };
}
