/**
 * `isoplate/batch`: studies of many runs, on this machine's cores or on a queue (Node).
 *
 * @example
 * import { loadStudy, runStudy } from "isoplate/batch";
 *
 * const study = loadStudy("stiffness.yaml");
 * const { results } = await runStudy(study, { out: "out/stiffness" });
 */
export type { Outcome } from "./attempt.ts";
export { MEASURES, measureOf } from "./measures.ts";
export { cancelStudy, queueExecutor, runWorker } from "./on-queue.ts";
export { ownPool, type Pool, threadPool } from "./pool.ts";
export { type KubernetesOptions, kubernetesJob, type PrintOptions, slurmScript } from "./print.ts";
export type { QueueOptions } from "./queue.ts";
export { RedisError } from "./redis-error.ts";
export { type RunResult, resultsCsv } from "./results.ts";
export { loadStudy, type Parameters, parseStudyText, type Study, type StudyRun } from "./study.ts";
export {
  type Executor,
  localExecutor,
  runStudy,
  type SweepOptions,
  type SweepProgress,
  type SweepResult,
} from "./sweep.ts";
export type { WorkerEvent, WorkerOptions } from "./worker.ts";
