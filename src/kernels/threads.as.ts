/** Barriers and shares of a job that several threads do together. The build for one thread leaves them out. */

/** Bytes in the control, each on a cache line of its own: threads that have arrived, barriers that were passed, threads that sleep; shares that were taken. */
const ARRIVED: usize = 128, PHASE: usize = 132, WAITING: usize = 136, SHARES: usize = 192;
/** Polls, some 20 µs of them, before a thread at a barrier sleeps: on a busy machine it waits for one that has no core. */
const LOOKS = 8000;

/** The first of `count` things that are the share of this thread. */
// @ts-ignore: decorator
@inline export function share(count: i32, thread: i32, threads: i32): i32 {
  if (!ASC_FEATURE_THREADS) return thread == 0 ? 0 : count;
  return <i32>((<i64>count * thread) / threads);
}

/** Waits until all threads are here. */
// @ts-ignore: decorator
@inline export function barrier(control: usize, threads: i32): void { if (threads > 1) meet(control, threads); }

function meet(control: usize, threads: i32): void {
  if (ASC_FEATURE_THREADS) {
    const phase = atomic.load<i32>(control, PHASE);
    if (atomic.add<i32>(control, 1, ARRIVED) == threads - 1) {
      atomic.store<i32>(control, 0, ARRIVED);
      atomic.add<i32>(control, 1, PHASE);
      if (atomic.load<i32>(control, WAITING) > 0) atomic.notify(control + PHASE, -1);
      return;
    }
    for (let look = 0; look < LOOKS; look++) if (atomic.load<i32>(control, PHASE) != phase) return;
    atomic.add<i32>(control, 1, WAITING);
    while (atomic.load<i32>(control, PHASE) == phase) atomic.wait<i32>(control + PHASE, phase, -1);
    atomic.sub<i32>(control, 1, WAITING);
  }
}

/** Shares that are taken one by one; call before a barrier. */
export function startShares(control: usize): void { store<i32>(control, 0, SHARES); }

export function nextShare(control: usize, threads: i32): i32 {
  if (ASC_FEATURE_THREADS) if (threads > 1) return atomic.add<i32>(control, 1, SHARES);
  const k = load<i32>(control, SHARES);
  store<i32>(control, k + 1, SHARES);
  return k;
}
