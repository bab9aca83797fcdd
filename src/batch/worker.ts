/**
 * A worker: takes runs from the queue and brings them to their end, as many at a time as it has threads.
 *
 * The simulation is in threads, so that this one can renew the locks of its jobs. A worker that is killed renews
 * nothing; after `lockSeconds` its jobs go to others, which go on from the checkpoints: in the shared folder, or in
 * Redis, where they are sent as they come. A worker that is told to stop writes a checkpoint and puts its jobs back.
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { type Job, UnrecoverableError, WaitingError, Worker } from "bullmq";
import { Interrupted } from "../recording/run.ts";
import { show } from "../scene/faults.ts";
import { attemptFolder, type Outcome, runFolder, type Task } from "./attempt.ts";
import { type Hold, isWanted, type StudyKeys, studyKeys, takeRun } from "./mirror.ts";
import { type Pool, threadPool } from "./pool.ts";
import { checkedJob, connect, queueName, type RunJob } from "./redis.ts";

export interface WorkerOptions {
  /** redis://… */
  url: string;
  queue?: string;
  /** Parent of the sweeps' folders, as this machine sees it; results go through Redis if left out. */
  folder?: string;
  /** Runs at a time; one per core if left out. */
  jobs?: number;
  /** s after which the runs of a dead worker go to others. */
  lockSeconds?: number;
  /** Ends when the queue has been empty for so many s; Infinity: waits for more. */
  idleSeconds?: number;
  onEvent?: (event: WorkerEvent) => void;
  signal: AbortSignal;
}

export type WorkerEvent =
  /** share: what earlier attempts have done of it, 0 … 1. */
  | { type: "begun"; run: string; share: number }
  | { type: "ended"; run: string; outcome: Outcome }
  /** Another worker has it now, or this one stops. */
  | { type: "left"; run: string; why: string }
  | { type: "trouble"; message: string };

/** ms between looks at the recordings of running simulations. */
const LOOK = 1000;
/** A run that kills its worker must not kill all of them. */
const MOST_DEATHS = 5;

/** Works until the signal, or until there is nothing to do. @throws RedisError if Redis cannot be reached at first */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { lockSeconds = 30, idleSeconds = Number.POSITIVE_INFINITY, signal } = options;
  const event = options.onEvent ?? (() => undefined);
  const redis = await connect(options.url);
  const pool = threadPool(options.jobs);
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-worker-"));
  const name = queueName(options.queue ?? "runs");
  let busy = 0;
  let idleSince = performance.now();

  const process = async (job: Job<RunJob>, lock?: string): Promise<void> => {
    // told to stop, it would else take up again what it has just put back, and bring it to its end
    if (signal.aborted) {
      await job.moveToWait(lock);
      throw new WaitingError();
    }
    busy += 1;
    try {
      const data = trusted(job.data);
      const keys = studyKeys(name, data.study);
      const outcome = await oneRun(data, { redis, keys, pool, scratch, options });
      if (outcome === null)
        event({ type: "left", run: job.data.run, why: "another worker has it, or nobody waits" });
      else event({ type: "ended", run: job.data.run, outcome });
    } catch (error) {
      if (!(error instanceof Interrupted) || !signal.aborted) throw error;
      event({ type: "left", run: job.data.run, why: "put back with its checkpoint" });
      await job.moveToWait(lock);
      throw new WaitingError();
    } finally {
      busy -= 1;
      idleSince = performance.now();
    }
  };
  const worker = new Worker<RunJob>(name, process, {
    connection: redis,
    concurrency: pool.size,
    lockDuration: 1000 * lockSeconds,
    stalledInterval: 1000 * lockSeconds,
    maxStalledCount: MOST_DEATHS,
    drainDelay: 2,
  });
  worker.on("error", ({ message }) => event({ type: "trouble", message }));
  worker.on("failed", (job, { message }) =>
    event({ type: "trouble", message: `${show(job?.data?.run)}: ${message}` }),
  );
  try {
    while (!signal.aborted) {
      if (busy === 0 && performance.now() - idleSince > 1000 * idleSeconds) break;
      await new Promise((resume) => setTimeout(resume, 20));
    }
    await worker.close(); // waits for what is running, which the signal has told to stop
  } finally {
    await pool.close();
    redis.disconnect();
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

/** A job that tries to leave the worker's folder fails for good: another try would be no better. */
function trusted(data: unknown): RunJob {
  try {
    return checkedJob(data);
  } catch (error) {
    throw new UnrecoverableError((error as Error).message);
  }
}

interface Place {
  redis: Awaited<ReturnType<typeof connect>>;
  keys: StudyKeys;
  pool: Pool;
  scratch: string;
  options: WorkerOptions;
}

/** Null if the run has ended already, or another attempt has taken it over. */
async function oneRun(job: RunJob, place: Place): Promise<Outcome | null> {
  const { redis, keys, pool, scratch, options } = place;
  const { folder, signal } = options;
  const { run } = job;
  if (!(await isWanted(redis, keys, run))) return null;
  if ((await redis.hexists(keys.done, run)) === 1) return null;
  const token = crypto.randomUUID();
  const shared = folder !== undefined;
  const out = shared ? path.join(folder, job.folder) : path.join(scratch, token);
  const base = path.join(scratch, `${token}-files`);
  // what another worker has sent is an earlier attempt here
  const earlier = shared ? null : attemptFolder(out, run, "earlier");
  const stop = new AbortController();
  const forward = (): void => stop.abort();
  signal.addEventListener("abort", forward);
  if (signal.aborted) forward();
  try {
    const hold = await takeRun(redis, keys, run, token, earlier);
    await fetchFiles(job, place, base);
    const task: Task = { out, name: run, token, scene: job.scene, base, outside: false };
    const watching = watch(hold, place, task, shared, stop);
    try {
      const outcome = await pool.run(task, { signal: stop.signal, onProgress: watching.progress });
      await watching.end();
      const message = outcome.status === "failed" ? outcome.message : "";
      const ended = {
        status: outcome.status,
        message,
        where: shared ? "folder" : "redis",
      } as const;
      const mine = await hold.finish(shared ? null : runFolder(out, run), ended);
      return mine ? outcome : null;
    } catch (error) {
      await watching.end();
      if (!(error instanceof Interrupted)) throw error;
      if (!signal.aborted) return null; // not ours any more
      if (!shared) await hold.push(attemptFolder(out, run, token));
      throw error;
    }
  } finally {
    signal.removeEventListener("abort", forward);
    if (!shared) fs.rmSync(out, { recursive: true, force: true });
    fs.rmSync(base, { recursive: true, force: true });
  }
}

/** While a run goes on: tells its progress, sends its checkpoints, and stops it if another attempt has taken over. */
function watch(
  hold: Hold,
  { redis, keys, options }: Place,
  task: Task,
  shared: boolean,
  stop: AbortController,
): { progress(share: number): void; end(): Promise<void> } {
  const folder = attemptFolder(task.out, task.name, task.token);
  // nothing of a shared folder is sent, but who owns the run is asked all the same
  const watched = shared ? path.join(folder, "nothing to send") : folder;
  let share = -1;
  let running = true;
  let wake = (): void => undefined;
  const loop = async (): Promise<void> => {
    while (running) {
      await new Promise<void>((resume) => {
        wake = resume;
        setTimeout(resume, LOOK);
      });
      if (!running) return;
      try {
        if (share >= 0) await redis.hset(keys.progress, task.name, share.toFixed(4));
        if (!(await hold.push(watched))) stop.abort();
      } catch {
        // moved to its place just now, or Redis is away: the end will tell
      }
    }
  };
  const looped = loop();
  return {
    progress: (now) => {
      if (share < 0) options.onEvent?.({ type: "begun", run: task.name, share: now });
      share = now;
    },
    async end() {
      running = false;
      wake();
      await looped;
    },
  };
}

/** Writes the files that the scene names where the simulation looks for them. */
async function fetchFiles(job: RunJob, { redis, keys }: Place, base: string): Promise<void> {
  fs.mkdirSync(base, { recursive: true });
  for (const [name, hash] of Object.entries(job.files)) {
    const bytes = await redis.getBuffer(keys.file(hash));
    if (bytes === null) throw new Error(`${name}: its content is not in Redis any more`);
    const file = path.join(base, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, bytes);
  }
}
