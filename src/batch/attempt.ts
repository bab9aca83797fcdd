/**
 * One run of a study, in a folder that several processes or machines may share.
 *
 *   <out>/running/<run>.<token>/    an attempt: a recording that only its own process writes
 *   <out>/runs/<run>/               the result: an attempt that came to its end, moved here in one rename
 *
 * The trap: a process that seems dead may only be slow, and two of them writing the same files would spoil
 * both. So nobody continues in another's folder. A new attempt copies the furthest checkpoint that it finds,
 * with the frames that the checkpoint has seen, goes on from there in a folder of its own, and the first
 * attempt that ends is moved to the place of the result; later ones find that place taken and are deleted. Runs
 * are the same to the last bit, so that any of them will do.
 *
 * A run that cannot be simulated (it throws, and would again) ends too: `failed.json` instead of a summary.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { MemoryError } from "../linalg/arena.ts";
import { keptName, keptScene } from "../node/kept-files.ts";
import { resumeFolder, runToFolder } from "../node/run-folder.ts";
import { RecordingError } from "../recording/container.ts";
import { readCheckpoint } from "../recording/folder.ts";
import { isLockFile } from "../recording/lock.ts";
import { MOST_BYTES, readRegularFile, readRegularText } from "../recording/regular-file.ts";
import { Interrupted, type RunOptions } from "../recording/run.ts";
import type { Summary } from "../recording/summary.ts";
import { filesOf } from "../scene/files.ts";
import type { SceneInput } from "../scene/input.ts";
import { parseScene, type Scene } from "../scene/scene.ts";
import { sceneInput } from "../scene/write.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { SimulationError } from "../step/outcome.ts";
import { version } from "../version.ts";

export interface Task {
  out: string;
  /** Of the run and its folder. */
  name: string;
  /** Tells this attempt from others of the same run; no dots. */
  token: string;
  /** Complete, as sceneInput gives it. */
  scene: SceneInput;
  /** The folder that the scene's files are relative to. */
  base: string;
  outside: boolean;
}

export type Outcome =
  | { status: "done"; summary: Summary }
  /** Cannot be simulated, or (lasting: false) something else went wrong. */
  | { status: "failed"; message: string; lasting: boolean };

/** How a run ends that its own scene makes impossible: the same every time. */
const LASTING = [SimulationError, SheetError, MemoryError];

export const runFolder = (out: string, name: string): string => path.join(out, "runs", name);
export const attemptFolder = (out: string, name: string, token: string): string =>
  path.join(out, "running", `${name}.${token}`);

/** How this run of this scene ended before, by this version of the program; null if it has not. */
export function ended(out: string, name: string, scene: Scene, base: string): Outcome | null {
  const folder = runFolder(out, name);
  if (!isOf(scene, base, folder)) return null;
  const summary = readJson(path.join(folder, "summary.json")) as Summary | null;
  if (summary !== null && summary.version === version) return { status: "done", summary };
  const failed = readJson(path.join(folder, "failed.json")) as {
    message: string;
    version: string;
  } | null;
  if (failed === null || failed.version !== version) return null;
  return { status: "failed", message: failed.message, lasting: true };
}

/**
 * Runs to the end, from the furthest checkpoint of earlier attempts if there is one.
 *
 * @throws Interrupted by the signal, with a checkpoint to go on from; errors of the file system
 */
export async function attempt(
  task: Task,
  hooks: Pick<RunOptions, "onProgress" | "signal"> = {},
): Promise<Outcome> {
  const scene = parseScene(task.scene, task.name);
  const folder = attemptFolder(task.out, task.name, task.token);
  const earlier = earlierAttempts(task, scene);
  const clear = (): void => {
    for (const other of earlier) remove(other.folder);
  };
  let outcome: Outcome;
  try {
    const begun = earlier.length > 0 && copyAttempt(earlier[0].folder, folder);
    const summary =
      (begun ? await resumed(folder, hooks) : null) ??
      (await runToFolder(scene, folder, { base: task.base, outside: task.outside, ...hooks }));
    outcome = { status: "done", summary };
  } catch (error) {
    if (error instanceof Interrupted && stepsOf(folder) >= 0) clear(); // ours is the furthest
    if (!LASTING.some((type) => error instanceof type)) {
      // another attempt may have come to the end and cleared ours away
      const other = fs.existsSync(folder) ? null : ended(task.out, task.name, scene, task.base);
      if (other === null) throw error;
      return other;
    }
    const { message } = error as Error;
    fs.mkdirSync(folder, { recursive: true });
    const text = JSON.stringify(sceneInput(keptScene(scene)), null, 2);
    fs.writeFileSync(path.join(folder, "scene.json"), `${text}\n`);
    fs.writeFileSync(path.join(folder, "failed.json"), `${JSON.stringify({ message, version })}\n`);
    outcome = { status: "failed", message, lasting: true };
  }
  publish(task, scene, folder);
  clear();
  return outcome;
}

/** Another process that still writes there must not stop this one. */
function remove(folder: string): void {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // it stays but is not used: the result is in its place
  }
}

/** Null if the recording cannot be gone on with after all. */
async function resumed(
  folder: string,
  hooks: Pick<RunOptions, "onProgress" | "signal">,
): Promise<Summary | null> {
  try {
    return await resumeFolder(folder, hooks);
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
    fs.rmSync(folder, { recursive: true, force: true });
    return null;
  }
}

/** Moves a finished attempt to its place, unless another was first. */
export function publish(
  { out, name, token, base }: Pick<Task, "out" | "name" | "token" | "base">,
  scene: Scene,
  folder: string,
): void {
  const place = runFolder(out, name);
  fs.mkdirSync(path.dirname(place), { recursive: true });
  for (let tries = 0; ; tries++)
    try {
      fs.renameSync(folder, place);
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== "ENOTEMPTY" && code !== "EEXIST" && code !== "EPERM") || tries > 2) throw error;
      if (ended(out, name, scene, base) !== null) {
        fs.rmSync(folder, { recursive: true, force: true });
        return;
      }
      // what is there is of another scene or version
      const old = attemptFolder(out, name, `${token}-old`);
      fs.renameSync(place, old);
      fs.rmSync(old, { recursive: true, force: true });
    }
}

/** Attempts of this run by others, the furthest first. */
function earlierAttempts(
  { out, name, token, base }: Task,
  scene: Scene,
): { folder: string; steps: number }[] {
  const running = path.join(out, "running");
  const found: { folder: string; steps: number }[] = [];
  for (const entry of fs.existsSync(running) ? fs.readdirSync(running) : []) {
    const dot = entry.lastIndexOf(".");
    if (entry.slice(0, dot) !== name || entry.slice(dot + 1) === token) continue;
    const folder = path.join(running, entry);
    found.push({ folder, steps: isOf(scene, base, folder) ? stepsOf(folder) : -1 });
  }
  return found.sort((a, b) => b.steps - a.steps);
}

/** Steps that its checkpoint has done; −1 if there is none to go on from. */
function stepsOf(folder: string): number {
  try {
    const head = readCheckpoint(folder)?.head as
      | { version: string; tally?: { steps?: number } }
      | undefined;
    return head?.version === version ? (head.tally?.steps ?? -1) : -1;
  } catch {
    return -1;
  }
}

/** Copies what is needed to resume; false if there is nothing. The other may be writing, or be gone. */
function copyAttempt(from: string, to: string): boolean {
  if (stepsOf(from) < 0) return false;
  try {
    fs.mkdirSync(to, { recursive: true });
    // the checkpoint first: what it speaks of is there already, and only grows
    fs.copyFileSync(path.join(from, "checkpoint"), path.join(to, "checkpoint"));
    for (const name of fs.readdirSync(from))
      if (name !== "checkpoint" && !isLockFile(name) && !name.endsWith(".tmp"))
        fs.cpSync(path.join(from, name), path.join(to, name), { recursive: true });
    return stepsOf(to) >= 0;
  } catch {
    fs.rmSync(to, { recursive: true, force: true });
    return false;
  }
}

/** Whether the recording in a folder is of this scene, with the same files. */
function isOf(scene: Scene, base: string, folder: string): boolean {
  const stored = readJson(path.join(folder, "scene.json"));
  const expected = JSON.stringify(sceneInput(keptScene(scene)));
  if (stored === null || JSON.stringify(stored) !== expected) return false;
  return filesOf(scene).every(({ file }) => {
    try {
      const given = readRegularFile(path.resolve(base, file), MOST_BYTES.mesh);
      const kept = readRegularFile(path.join(folder, keptName(file)), MOST_BYTES.mesh);
      return Buffer.from(given.buffer).equals(kept);
    } catch {
      return false;
    }
  });
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readRegularText(file, MOST_BYTES.scene));
  } catch {
    return null;
  }
}
