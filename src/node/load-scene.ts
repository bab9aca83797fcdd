/**
 * Scenes from files or by their library name, with the meshes, motions, patterns and images that they name.
 *
 * Files that a scene names are looked for beside it, and only there unless told otherwise: a scene may come from a stranger.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { withMotions } from "../files/body-motion.ts";
import { withPatterns } from "../files/garment-file.ts";
import { parseMesh } from "../files/read-mesh.ts";
import {
  MOST_BYTES,
  openRegularFile,
  readRegularFile,
  readRegularText,
  UnreadableFileError,
} from "../recording/regular-file.ts";
import { type Fault, pathText, SceneError } from "../scene/faults.ts";
import { filesOf, splitObject } from "../scene/files.ts";
import { libraryScene, nearestScene } from "../scene/library.ts";
import { checkScene, type Scene } from "../scene/scene.ts";
import { setPath } from "../scene/set.ts";
import { readSceneText, type SceneText } from "../scene/text.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { imageAt } from "./kept-files.ts";

export interface LoadOptions {
  /** Changes to fields, "path=value" each, in this order. */
  set?: readonly string[];
  /** Files may lie outside the scene's folder. */
  outside?: boolean;
}

export interface LoadedScene {
  scene: Scene;
  /** The folder that its files are relative to. */
  base: string;
  /** What drawings of patterns have that is no part of a panel. */
  notes: readonly string[];
}

/**
 * A built-in scene by name, or a .json or .yaml file.
 *
 * @throws SceneError with every fault, missing files among them
 *
 * @example
 * const { scene } = loadScene("flag.yaml", { set: ["seconds=2"] });
 */
export function loadScene(
  name: string,
  { set = [], outside = false }: LoadOptions = {},
): LoadedScene {
  const builtIn = libraryScene(name);
  const text: SceneText =
    builtIn === undefined ? readFile(name) : { input: builtIn.input(), locate: () => null };
  let { input } = text;
  const faults: Fault[] = [];
  for (const change of set) {
    const [, field = "", value = ""] = /^([^=]*)=(.*)$/s.exec(change) ?? [];
    try {
      input = setPath(input, field, value);
    } catch (error) {
      if (!(error instanceof SceneError)) throw error;
      faults.push(...error.faults);
    }
  }
  if (faults.length > 0) throw new SceneError("--set", faults);
  const base = builtIn === undefined ? path.dirname(name) : ".";
  const notes: string[] = [];
  input = withPatterns(
    input,
    (file) => readRegularText(inFolder(base, file, outside), MOST_BYTES.pattern),
    name,
    (note) => notes.push(note),
  );
  input = withMotions(
    input,
    (file) => readRegularFile(inFolder(base, file, outside), MOST_BYTES.mesh),
    name,
  );
  const scene = checkScene(input, name, set.length === 0 ? text.locate : undefined);
  checkFiles(scene, { name, base, outside });
  return { scene, base, notes };
}

function readFile(name: string): SceneText {
  const fail = (message: string): never => {
    throw new SceneError(name, [{ path: "", message }]);
  };
  const isFile = /\.(json|ya?ml)$/i.test(name);
  if (!isFile) {
    const near = nearestScene(name);
    fail(
      `no built-in scene of that name, and not a .json or .yaml file; ${near === null ? "`isoplate scenes` lists them" : `did you mean "${near}"?`}`,
    );
  }
  try {
    return readSceneText(readRegularText(name, MOST_BYTES.scene), name);
  } catch (error) {
    if (error instanceof SceneError || error instanceof UnreadableFileError) throw error;
    return fail(`cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`);
  }
}

/** Twice the finest scans of people; contact with ten times as many takes a minute to set up and a gigabyte. */
const MOST_BODY_TRIANGLES = 200_000;

/** Ten times the finest sheets that are simulated; a sheet of 800 000 takes 1.2 GB before it is refused for anything else. */
const MOST_SHEET_TRIANGLES = 400_000;

/** @throws SheetError for sheets and bodies that are too fine */
export function checkMeshes(scene: Scene, readMesh: ReadMesh): void {
  for (const { name, shape } of scene.sheets) {
    if (shape.type !== "mesh") continue;
    const count = readMesh(shape.file).triangles.length / 3;
    if (count > MOST_SHEET_TRIANGLES)
      throw new SheetError(name, [
        `${shape.file} has ${count} triangles, a sheet may have ${MOST_SHEET_TRIANGLES}; thin it out`,
      ]);
  }
  for (const { name, body } of scene.colliders) {
    if (body.type !== "mesh") continue;
    const count = readMesh(body.file).triangles.length / 3;
    if (count > MOST_BODY_TRIANGLES)
      throw new SheetError(name, [
        `${body.file} has ${count} triangles, a body may have ${MOST_BODY_TRIANGLES}; thin it out`,
      ]);
  }
}

function checkFiles(
  scene: Scene,
  { name, base, outside }: { name: string; base: string; outside: boolean },
): void {
  const faults: Fault[] = [];
  for (const entry of filesOf(scene)) {
    try {
      const file = inFolder(base, entry.file, outside);
      if (entry.kind === "image") imageAt(file);
      else fs.closeSync(openRegularFile(file).fd);
      if (outside && isOutside(base, file)) entry.rename(file);
    } catch (error) {
      faults.push({
        path: pathText(entry.path),
        message: `"${entry.file}": ${(error as NodeJS.ErrnoException).code === "ENOENT" ? "no such file" : (error as Error).message}`,
      });
    }
  }
  if (faults.length > 0) throw new SceneError(name, faults);
}

/**
 * Reads the meshes that a scene names, each file once.
 *
 * @example
 * const simulation = createSimulation(scene, { readMesh: meshReader("scenes") });
 */
export function meshReader(base: string, outside: boolean = false): ReadMesh {
  const read = new Map<string, ReturnType<ReadMesh>>();
  return (file) => {
    const known = read.get(file);
    if (known !== undefined) return known;
    const place = inFolder(base, splitObject(file).file, outside);
    const mesh = parseMesh(readRegularFile(place, MOST_BYTES.mesh), file);
    read.set(file, mesh);
    return mesh;
  };
}

export class OutsideError extends Error {
  constructor() {
    super("outside the scene's folder; allow it with --outside");
    this.name = "OutsideError";
  }
}

/** The true place of `file`, links followed. @throws if it is outside and may not be */
export function inFolder(base: string, file: string, outside: boolean): string {
  const place = path.resolve(base, file);
  const real = fs.realpathSync(place);
  if (!outside && (isOutside(base, place) || isOutside(fs.realpathSync(base), real)))
    throw new OutsideError();
  return real;
}

function isOutside(base: string, file: string): boolean {
  const steps = path.relative(path.resolve(base), file);
  return steps === ".." || steps.startsWith(`..${path.sep}`) || path.isAbsolute(steps);
}
