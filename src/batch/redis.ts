/** The connection to Redis, and the names under which sweep and workers find each other. */
import { Redis } from "ioredis";
import { sha256 } from "../recording/hash.ts";
import { show } from "../scene/faults.ts";
import type { SceneInput } from "../scene/input.ts";
import { version } from "../version.ts";
import { connectionReason, RedisError } from "./redis-error.ts";

/** ms to wait for a first answer. */
const PATIENCE = 5000;

/** What a worker needs to know of a run. */
export interface RunJob {
  study: string;
  /** Name of the sweep's folder, under the folder that both see. */
  folder: string;
  run: string;
  scene: SceneInput;
  /** Files that the scene names → hash of their content, which is in Redis. */
  files: Record<string, string>;
}

/**
 * A job as it comes from Redis, where anybody on the network may have put it: names that are single folder names, so that
 * nothing is written outside the worker's folder. What its scene says is checked where scenes are.
 *
 * @throws Error that names the field
 */
export function checkedJob(data: unknown): RunJob {
  const job = (typeof data === "object" && data !== null ? data : {}) as Partial<RunJob>;
  for (const field of ["study", "folder", "run"] as const)
    if (!isPlainName(job[field]))
      throw new Error(`the job's ${field} is ${show(job[field])}, needs the name of a folder`);
  const { files } = job;
  if (typeof files !== "object" || files === null || Array.isArray(files))
    throw new Error(`the job's files are ${show(files)}, needs names with hashes`);
  for (const [name, hash] of Object.entries(files))
    if (!staysInside(name) || typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash))
      throw new Error(`the job names the file ${show(name)}, needs one in its own folder`);
  return job as RunJob;
}

/** One step down from a folder: no separators, no "..", no characters that terminals or disks treat as something else. */
function isPlainName(name: unknown): name is string {
  if (typeof name !== "string" || name.length > 200 || /^\.*$/.test(name)) return false;
  return !/[/\\:\p{Cc}]/u.test(name);
}

/** Whether a relative path never leads out of the folder that it starts from. */
export function staysInside(name: string): boolean {
  if (name === "" || name.includes("\0") || /^([\\/]|[A-Za-z]:)/.test(name)) return false;
  return !name.split(/[\\/]/).includes("..");
}

/**
 * Connects, and waits for a first answer. From then on commands wait for as long as Redis is away.
 *
 * @throws RedisError
 */
export async function connect(url: string): Promise<Redis> {
  if (!/^rediss?:\/\/./.test(url))
    throw new RedisError(url, "needs an address such as redis://localhost:6379");
  let last = "no answer";
  const redis = new Redis(url, {
    maxRetriesPerRequest: null, // BullMQ requires it, and commands must survive a restart of Redis
    retryStrategy: (times) => Math.min(100 * times, 2000),
    lazyConnect: true,
  });
  redis.on("error", (error: Error) => {
    last = connectionReason(error) || last;
  });
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(last)), PATIENCE);
    });
    await Promise.race([redis.connect().then(() => redis.ping()), late]);
    return redis;
  } catch (error) {
    redis.disconnect();
    // a closed connection says less than what closed it
    const reason = connectionReason(error);
    throw new RedisError(url, reason === "" || /closed/i.test(reason) ? last : reason);
  } finally {
    clearTimeout(timer);
  }
}

/** Workers of another version would compute other bits: they listen elsewhere. */
export function queueName(name: string): string {
  return `isoplate-${name}-${version}`.replaceAll(":", "-");
}

/** The same for the same runs: a sweep that is started again finds its own. */
export function studyId(name: string, scenes: readonly SceneInput[]): string {
  const hash = sha256(new TextEncoder().encode(JSON.stringify(scenes))).slice(0, 16);
  return `${name.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 40)}-${hash}`;
}

export function jobId(study: string, run: string): string {
  return `${study}/${run}`.replaceAll(":", "-");
}
