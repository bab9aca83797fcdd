/**
 * A study on a queue: puts its runs on BullMQ and gathers what workers anywhere make of them.
 *
 * Whether a run has ended is not decided by the queue but by an entry of ours: the entry in <study>:done (mirror.ts), written together
 * with the last byte of the result. The queue only hands out work, so that anything may happen to it: a job that
 * got lost is put there again (its name keeps it from being there twice), a job whose run has ended ends at once.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { sha256 } from "../recording/hash.ts";
import { MOST_BYTES, readRegularFile } from "../recording/regular-file.ts";
import { pathText, SceneError } from "../scene/faults.ts";
import { filesOf } from "../scene/files.ts";
import { sceneInput } from "../scene/write.ts";
import { attemptFolder, ended, type Outcome, publish } from "./attempt.ts";
import {
  type Ended,
  fetchParts,
  forgetRun,
  type StudyKeys,
  studyKeys,
  wantRuns,
} from "./mirror.ts";
import { connect, jobId, queueName, type RunJob, studyId } from "./redis.ts";
import type { Study, StudyRun } from "./study.ts";
import type { Executor } from "./sweep.ts";

export interface QueueOptions {
  /** redis://… */
  url: string;
  /** Tells queues on one Redis apart. */
  queue?: string;
  /** Called once when runs wait and no worker listens. */
  onAlone?: () => void;
}

/** ms between looks. */
const LOOK = 500;
/** ms between putting back what is missing. */
const REFILL = 15_000;
/** ms that a worker may take to come before its absence is reported. */
const ALONE = 5000;
/** ms until a result in the shared folder must be seen: network disks are slow. */
const VISIBLE = 60_000;
/** s that files of scenes stay in Redis. */
const LIFE = 7 * 24 * 3600;
const BULK = 500;

/** Runs on workers (`isoplate worker`) that listen to the same Redis. */
export function queueExecutor(study: Study, out: string, options: QueueOptions): Executor {
  return async (runs, { onProgress, onEnd, signal }) => {
    if (runs.length === 0) return;
    refuseOutside(study);
    const redis = await connect(options.url);
    const place = opened(study, redis, options.queue);
    const { queue, keys } = place;
    try {
      const files = await sendFiles(study, redis, keys);
      const left = new Map(runs.map((run) => [run.name, run]));
      await dropStale(redis, keys, out, left);
      const told = new Map<string, number>();
      let filled = Number.NEGATIVE_INFINITY;
      const [begun, alone] = [performance.now(), { told: false }];
      redis.on("ready", () => {
        filled = Number.NEGATIVE_INFINITY; // it was away, and may have forgotten something
      });
      while (left.size > 0 && !signal.aborted) {
        for (const [name, outcome] of await arrivals(redis, keys, study, out, left, told)) {
          const run = left.get(name);
          if (run === undefined) continue;
          left.delete(name);
          onEnd(run, outcome);
          await queue.remove(jobId(place.id, name)).catch(() => undefined); // put back too early
        }
        for (const [name, message] of await givenUp(queue, place.id)) {
          const run = left.get(name);
          if (run === undefined) continue;
          left.delete(name);
          await forgetRun(redis, keys, name);
          onEnd(run, { status: "failed", message, lasting: false });
        }
        for (const [name, share] of Object.entries(await redis.hgetall(keys.progress))) {
          const run = left.get(name);
          if (run !== undefined) onProgress(run, Number(share));
        }
        if (performance.now() - filled > REFILL) {
          filled = performance.now();
          await wantRuns(redis, keys, [...left.keys()]);
          await fill(queue, place.id, path.basename(path.resolve(out)), left, files);
        }
        if (performance.now() - begun > ALONE) await tellIfAlone(queue, alone, options.onAlone);
        if (left.size > 0) await pause(LOOK, signal);
      }
    } finally {
      await queue.close();
      redis.disconnect();
    }
  };
}

/** Says once that nobody works. Where Redis keeps the list of its clients to itself, that is not known. */
async function tellIfAlone(
  queue: Queue<RunJob>,
  alone: { told: boolean },
  onAlone: QueueOptions["onAlone"],
): Promise<void> {
  if (alone.told || onAlone === undefined) return;
  alone.told = true;
  const workers = await queue.getWorkersCount().catch(() => 1);
  if (workers === 0) onAlone();
}

/** Takes everything of a study off the queue; workers drop what they are at. */
export async function cancelStudy(study: Study, options: QueueOptions): Promise<number> {
  const redis = await connect(options.url);
  const { queue, keys, id } = opened(study, redis, options.queue);
  let removed = 0;
  try {
    for (const { name } of study.runs) {
      removed += await queue.remove(jobId(id, name)).catch(() => 0);
      await forgetRun(redis, keys, name);
    }
    return removed;
  } finally {
    await queue.close();
    redis.disconnect();
  }
}

function opened(
  study: Study,
  redis: Redis,
  name = "runs",
): { id: string; queue: Queue<RunJob>; keys: StudyKeys } {
  const id = studyId(
    study.name,
    study.runs.map(({ scene }) => sceneInput(scene)),
  );
  const queue = new Queue<RunJob>(queueName(name), { connection: redis });
  queue.on("error", () => undefined); // it reconnects by itself
  return { id, queue, keys: studyKeys(queueName(name), id) };
}

/** Files beside the scene travel with it; others would be looked for on the worker's own disk. */
function refuseOutside({ runs, scene }: Study): void {
  const faults = runs
    .flatMap((run) => filesOf(run.scene))
    .filter(({ file }) => path.isAbsolute(file))
    .map((entry) => ({
      path: pathText(entry.path),
      message: `"${entry.file}": a queue needs the file in the scene's folder`,
    }));
  if (faults.length > 0) throw new SceneError(scene, faults.slice(0, 1));
}

/** Puts the files that scenes name into Redis, once each; gives their hashes by name. */
async function sendFiles(
  { runs, base }: Study,
  redis: Redis,
  keys: StudyKeys,
): Promise<(run: StudyRun) => Record<string, string>> {
  const hashes = new Map<string, string>();
  const names = (run: StudyRun): string[] =>
    filesOf(run.scene)
      .map(({ file }) => file)
      .filter((file) => !path.isAbsolute(file));
  for (const file of new Set(runs.flatMap(names))) {
    const bytes = Buffer.from(readRegularFile(path.join(base, file), MOST_BYTES.mesh).buffer);
    hashes.set(file, sha256(bytes));
    await redis.set(keys.file(sha256(bytes)), bytes, "EX", LIFE);
  }
  return (run) => Object.fromEntries(names(run).map((file) => [file, hashes.get(file)!]));
}

/** Ends that Redis remembers but whose results are gone: somebody has emptied the folder. */
async function dropStale(
  redis: Redis,
  keys: StudyKeys,
  out: string,
  left: ReadonlyMap<string, StudyRun>,
): Promise<void> {
  for (const [name, text] of Object.entries(await redis.hgetall(keys.done))) {
    const { where } = JSON.parse(text) as Ended;
    const run = left.get(name);
    if (run === undefined) continue;
    const gone =
      where === "folder"
        ? !fs.existsSync(path.join(out, "runs", name))
        : (await redis.llen(keys.parts(name))) === 0;
    if (gone) await redis.hdel(keys.done, name);
  }
}

/**
 * Runs that have ended since the last look, with their recordings in place.
 *
 * @param told  when each of them was first reported: a shared folder may show it later
 */
async function arrivals(
  redis: Redis,
  keys: StudyKeys,
  study: Study,
  out: string,
  left: ReadonlyMap<string, StudyRun>,
  told: Map<string, number>,
): Promise<[string, Outcome][]> {
  const found: [string, Outcome][] = [];
  for (const [name, text] of Object.entries(await redis.hgetall(keys.done))) {
    const run = left.get(name);
    const { status, message, where } = JSON.parse(text) as Ended;
    if (run !== undefined && where === "redis") {
      const token = crypto.randomUUID();
      const folder = attemptFolder(out, name, token);
      await fetchParts(redis, keys, name, folder);
      publish({ out, name, token, base: study.base }, run.scene, folder);
    }
    if (run !== undefined) {
      const outcome = ended(out, name, run.scene, study.base);
      if (outcome === null) {
        const since = told.get(name) ?? performance.now();
        told.set(name, since);
        if (performance.now() - since < VISIBLE) continue;
        const advice = `it should be in ${path.join(out, "runs", name)}; start workers with --folder naming the parent of this sweep's --out`;
        found.push([
          name,
          {
            status: "failed",
            lasting: false,
            message: `${status}${message === "" ? "" : ` (${message})`}, but its result is not here: ${advice}`,
          },
        ]);
      } else found.push([name, outcome]);
    }
    await forgetRun(redis, keys, name);
  }
  return found;
}

/** Jobs that workers have tried too often: their processes died over them, or disks were full. */
async function givenUp(queue: Queue<RunJob>, id: string): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const job of await queue.getFailed(0, BULK)) {
    if (job?.data?.study !== id) continue;
    found.push([job.data.run, job.failedReason || "its workers died"]);
    await job.remove().catch(() => undefined);
  }
  return found;
}

async function fill(
  queue: Queue<RunJob>,
  study: string,
  folder: string,
  left: ReadonlyMap<string, StudyRun>,
  files: (run: StudyRun) => Record<string, string>,
): Promise<void> {
  const all = [...left.values()];
  for (let k = 0; k < all.length; k += BULK)
    await queue.addBulk(
      all.slice(k, k + BULK).map((run) => ({
        name: run.name,
        data: { study, folder, run: run.name, scene: sceneInput(run.scene), files: files(run) },
        opts: {
          jobId: jobId(study, run.name),
          attempts: 3,
          backoff: { type: "exponential", delay: 1000 },
          removeOnComplete: true,
        },
      })),
    );
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resume) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resume();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
