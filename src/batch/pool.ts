/**
 * Threads that run simulations, one each: this machine's cores.
 *
 * Threads rather than processes: they start ten times as fast and end with their parent, however it ends. They
 * rather than the parent itself: whoever waits for them keeps answering signals, progress bars and the queue.
 * A thread that dies (no memory left) takes its task with it and nothing else; the next task gets a fresh one.
 */
import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { Interrupted } from "../recording/run.ts";
import { attempt, type Outcome, type Task } from "./attempt.ts";
import { drawRun, type PictureTask } from "./picture.ts";

export type ToThread =
  | { type: "run"; task: Task }
  | { type: "draw"; task: PictureTask }
  | { type: "stop" };
export type FromThread =
  | { type: "progress"; share: number }
  | { type: "ended"; outcome: Outcome }
  | { type: "drawn" }
  | { type: "interrupted"; time: number }
  | { type: "error"; message: string };

export interface PoolHooks {
  /** 0 … 1 of the steps. */
  onProgress?: (share: number) => void;
  /** The task has left the queue. */
  onStart?: () => void;
  signal?: AbortSignal;
}

export interface Pool {
  /** Tasks at a time. */
  readonly size: number;
  /** Waits for a free place and runs. @throws Interrupted by the signal; Error if the machine fails */
  run(task: Task, hooks?: PoolHooks): Promise<Outcome>;
  draw(task: PictureTask): Promise<void>;
  close(): Promise<void>;
}

/**
 * One thread per core, or as many as said.
 *
 * @example
 * const pool = threadPool(4);
 * await pool.close();
 */
export function threadPool(size: number = availableParallelism()): Pool {
  // beside this file, whether it is the source or the build
  const file = new URL(`./thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  const gate = turnstile(size);

  const work = async (message: ToThread, hooks: PoolHooks): Promise<FromThread> => {
    if (hooks.signal?.aborted) throw new Interrupted(0);
    hooks.onStart?.();
    const thread = idle.pop() ?? new Worker(file);
    all.add(thread);
    thread.ref();
    const stop = (): void => thread.postMessage({ type: "stop" } satisfies ToThread);
    hooks.signal?.addEventListener("abort", stop);
    try {
      const answer = await new Promise<FromThread>((resolve, reject) => {
        thread.removeAllListeners();
        thread.on("message", (said: FromThread) => {
          if (said.type === "progress") hooks.onProgress?.(said.share);
          else resolve(said);
        });
        thread.on("error", reject);
        thread.on("exit", (code) => reject(new Error(`its thread ended with code ${code}`)));
        thread.postMessage(message);
      });
      thread.removeAllListeners();
      thread.unref();
      idle.push(thread);
      return answer;
    } catch (error) {
      all.delete(thread);
      await thread.terminate();
      throw error;
    } finally {
      hooks.signal?.removeEventListener("abort", stop);
    }
  };

  return {
    size,
    run: (task, hooks = {}) =>
      gate(async () => {
        const answer = await work({ type: "run", task }, hooks);
        if (answer.type === "ended") return answer.outcome;
        if (answer.type === "interrupted") throw new Interrupted(answer.time);
        throw new Error(answer.type === "error" ? answer.message : `unexpected: ${answer.type}`);
      }),
    draw: (task) =>
      gate(async () => {
        const answer = await work({ type: "draw", task }, {});
        if (answer.type === "error") throw new Error(answer.message);
      }),
    async close() {
      await Promise.all([...all].map((thread) => thread.terminate()));
    },
  };
}

/**
 * The same in this thread, one task at a time: for programs that cannot have threads, and for tests.
 *
 * @example
 * const pool = ownPool(); // this thread, one run after the other
 */
export function ownPool(): Pool {
  const gate = turnstile(1);
  return {
    size: 1,
    run: (task, { onProgress, onStart, signal } = {}) =>
      gate(() => {
        if (signal?.aborted) throw new Interrupted(0);
        onStart?.();
        return attempt(task, {
          ...(signal && { signal }),
          onProgress: ({ steps, totalSteps }) => onProgress?.(steps / Math.max(1, totalSteps)),
        });
      }),
    draw: (task) => gate(() => drawRun(task)),
    close: async () => undefined,
  };
}

/** Lets so many in at a time, in the order in which they come. */
function turnstile(places: number): <T>(work: () => T | Promise<T>) => Promise<T> {
  let free = places;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((enter) => waiting.push(enter));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
