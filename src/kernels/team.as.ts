/**
 * Threads that work on one memory: jobs that all of them do together, each its share (team.ts).
 *
 * A thread that waits looks again and again, since the next phase is some microseconds away; one that has waited for long sleeps until it is notified. In
 * the build for one thread all of this is nothing.
 */
import { innerPrecondition, innerProduct } from "./inner.as";

/** Bytes in the control: the job, and on a cache line of its own how many threads sleep. */
const EPOCH: usize = 0, JOB: usize = 4, TABLE: usize = 8, FLAG: usize = 12, VALUE: usize = 16, SLEEPERS: usize = 64;
/** Jobs. */
const CLOSE = 0, PRODUCT = 1, PRECONDITION = 2;
/** Looks, some 100 µs of them, before a thread without a job sleeps. */
const LOOKS = 40000;

function perform(job: i32, T: usize, thread: i32, threads: i32, value: f64, flag: i32): void {
  if (job == PRODUCT) innerProduct(T, thread, threads, value, flag);
  else innerPrecondition(T, thread, threads, value);
}

/** Has a job done by all threads and does its own share. */
export function runJob(control: usize, threads: i32, job: i32, T: usize, value: f64, flag: i32): void {
  if (ASC_FEATURE_THREADS) if (threads > 1) {
    store<i32>(control, job, JOB);
    store<i32>(control, <i32>T, TABLE);
    store<i32>(control, flag, FLAG);
    store<f64>(control, value, VALUE);
    atomic.add<i32>(control, 1, EPOCH);
    if (atomic.load<i32>(control, SLEEPERS) > 0) atomic.notify(control + EPOCH, -1);
  }
  if (job != CLOSE) perform(job, T, 0, threads, value, flag);
}

/** What the other threads do, until they are told to close. */
export function serveJobs(control: usize, thread: i32, threads: i32): void {
  if (ASC_FEATURE_THREADS) {
    for (let done = 0; ; ) {
      let epoch = atomic.load<i32>(control, EPOCH);
      for (let look = 0; epoch == done && look < LOOKS; look++) epoch = atomic.load<i32>(control, EPOCH);
      if (epoch == done) {
        atomic.add<i32>(control, 1, SLEEPERS);
        atomic.wait<i32>(control + EPOCH, done, -1);
        atomic.sub<i32>(control, 1, SLEEPERS);
        continue;
      }
      done = epoch;
      const job = load<i32>(control, JOB);
      if (job == CLOSE) return;
      perform(job, <usize>load<i32>(control, TABLE), thread, threads, load<f64>(control, VALUE), load<i32>(control, FLAG));
    }
  }
}
