/** Sweeps and workers on a queue. bullmq and ioredis are loaded when they are called, and asked for by name if they are not there. */
import { optional } from "../optional.ts";
import type { QueueOptions } from "./queue.ts";
import type { Study } from "./study.ts";
import type { Executor } from "./sweep.ts";
import type { WorkerOptions } from "./worker.ts";

const PACKAGES = ["bullmq", "ioredis"];

const loadQueue = (): Promise<typeof import("./queue.ts")> =>
  optional("a queue", PACKAGES, () => import("./queue.ts"));

/**
 * Runs a study on the workers of a queue.
 *
 * @example
 * const executor = queueExecutor(study, out, { url: "redis://localhost:6379" });
 * await runStudy(study, { out, executor });
 */
export function queueExecutor(study: Study, out: string, options: QueueOptions): Executor {
  return async (runs, hooks) => (await loadQueue()).queueExecutor(study, out, options)(runs, hooks);
}

/**
 * Takes everything of a study off the queue; workers drop what they are at.
 *
 * @example
 * const removed = await cancelStudy(study, { url: "redis://localhost:6379" });
 */
export async function cancelStudy(study: Study, options: QueueOptions): Promise<number> {
  return (await loadQueue()).cancelStudy(study, options);
}

/**
 * Works until the signal, or until there is nothing to do. @throws RedisError if Redis cannot be reached at first
 *
 * @example
 * await runWorker({ url: "redis://localhost:6379", signal: stop.signal });
 */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { runWorker: run } = await optional("a worker", PACKAGES, () => import("./worker.ts"));
  return run(options);
}
