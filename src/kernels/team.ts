/**
 * Threads that share the jobs of the inner solve, on one shared memory (team.as.ts): the same operations on every number, hence the same bits.
 *
 * The caller starts the threads, since a web page has other threads than Node; each calls `serveTeam` with what it is sent. Until all of them are up
 * the caller works alone.
 */
import type { Arena, ArenaMemory } from "../linalg/arena.ts";
import { instantiate, type KernelOptions } from "./kernels.ts";
import { shared } from "./wasm-shared.generated.ts";

export interface Team {
  /** Has a job done, by as many threads as are quickest at it; a busy machine has no core for more than one. */
  run(job: (threads: number) => void): void;
  /** Whether all threads have come up. */
  isUp(): boolean;
  /** Ends the other threads. */
  close(): void;
}

/** Who starts threads, and the kernels that they need. */
export interface Threads {
  readonly count: number;
  /** The kernels for a memory that threads share (wasm-shared.generated.ts). */
  readonly shared: string;
  /** A second thread for factorisations (partner.ts). */
  startPartner(arena: Arena): KernelOptions;
  /** @param control its address */
  startTeam(arena: Arena, control: number): Team;
}

/** What a thread must be sent. */
export interface TeamData {
  readonly memory: ArenaMemory;
  /** [2] how many have come up; whether they should end. */
  readonly state: Int32Array;
  readonly control: number;
  readonly thread: number;
  readonly threads: number;
}

/** Integers of the control (team.as.ts): the number of the job since the start, and its kind. */
const EPOCH = 0;
const KIND = 1;
/** Integers of TeamData.state. */
const UP = 0;
const CLOSED = 1;

export function createTeam(
  { memory }: Arena,
  control: number,
  threads: number,
): { team: Team; data: TeamData[] } {
  const state = new Int32Array(new SharedArrayBuffer(8));
  const job = new Int32Array(memory.buffer, control, 2);
  const timing: Timing = { jobs: 0, together: 0, alone: 0, isTogether: true };
  const isUp = (): boolean => Atomics.load(state, UP) === threads - 1;
  return {
    team: {
      isUp,
      run(job) {
        if (threads === 1 || !isUp()) job(1);
        else pace(timing, job, threads);
      },
      close() {
        Atomics.store(state, CLOSED, 1);
        Atomics.store(job, KIND, 0); // the kind that ends serveJobs
        Atomics.add(job, EPOCH, 1);
        Atomics.notify(job, EPOCH);
      },
    },
    data: Array.from({ length: threads - 1 }, (_, k) => ({
      memory,
      state,
      control,
      thread: k + 1,
      threads,
    })),
  };
}

/** ms that jobs took in the last trial, by all threads and by one. */
interface Timing {
  jobs: number;
  together: number;
  alone: number;
  isTogether: boolean;
}

/** Jobs of a trial: so many by all threads, then so many by one; and jobs from one trial to the next. */
const TRIAL = 64;
const PERIOD = 4096;

/** Does the job by all threads or by one, whichever took less time when last tried. Bits do not depend on it. */
function pace(timing: Timing, job: (threads: number) => void, threads: number): void {
  const k = timing.jobs;
  timing.jobs = (k + 1) % PERIOD;
  if (k >= 2 * TRIAL) {
    job(timing.isTogether ? threads : 1);
    return;
  }
  if (k === 0) {
    timing.together = 0;
    timing.alone = 0;
  }
  const began = performance.now();
  job(k < TRIAL ? threads : 1);
  const took = performance.now() - began;
  if (k < TRIAL) timing.together += took;
  else timing.alone += took;
  if (k === 2 * TRIAL - 1) timing.isTogether = timing.together < timing.alone;
}

/** A thread: does its share of every job until it is closed. */
export function serveTeam({ memory, state, control, thread, threads }: TeamData): void {
  const kernels = instantiate({ memory, bytes: memory.buffer.byteLength }, { shared });
  if (Atomics.load(state, CLOSED)) return;
  Atomics.add(state, UP, 1);
  kernels.serveJobs(control, thread, threads);
}
