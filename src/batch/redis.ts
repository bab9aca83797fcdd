/** The connection to Redis, and the names under which sweep and workers find each other. */
import { Redis } from "ioredis";
import { sha256 } from "../recording/hash.ts";
import type { SceneInput } from "../scene/input.ts";
import { version } from "../version.ts";
import { RedisError } from "./redis-error.ts";

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
 * Connects, and makes sure that somebody answers. From then on commands wait for as long as Redis is away.
 *
 * @throws RedisError
 */
export async function connect(url: string): Promise<Redis> {
  if (!/^rediss?:\/\/./.test(url))
    throw new RedisError(url, "needs an address such as redis://localhost:6379");
  let last = "no answer";
  const redis = new Redis(url, {
    maxRetriesPerRequest: null, // BullMQ wants it so, and so do we: a restart is no reason to give up
    retryStrategy: (times) => Math.min(100 * times, 2000),
    lazyConnect: true,
  });
  redis.on("error", (error: Error) => {
    last = error.message;
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
    throw new RedisError(url, (error as Error).message || last);
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
