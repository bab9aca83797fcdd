/**
 * A second thread that factors one half of a tree while the caller factors the other: the same operations in the same order,
 * hence the same bits.
 *
 * Both work on one shared memory. The caller writes what is to be done into a few shared integers and wakes the thread; the thread writes
 * what came of it. The caller starts the thread, since a web page has other threads than Node (see cli/threads.ts); the thread calls `serve` with
 * what it is sent.
 *
 * Worth it from some 2000 points on (`isoplate bench --native`); below that waking takes as long as is saved.
 */
import type { Arena, ArenaMemory } from "../linalg/arena.ts";
import { instantiate } from "./kernels.ts";
import { shared } from "./wasm-shared.generated.ts";

export interface Partner {
  /** Whether the thread has come up. */
  isUp(): boolean;
  /** Begins with supernodes first … last − 1 of the factorisation at these addresses; false if the thread is not up yet. */
  begin(table: number, values: number, first: number, last: number): boolean;
  /** Waits until it is done: 0, or 1 + the point whose pivot was not positive. */
  end(): number;
  /** Ends the thread. */
  close(): void;
}

/** What the thread must be sent, by message or as its first data. */
export interface PartnerData {
  readonly memory: ArenaMemory;
  readonly control: Int32Array;
}

/** Places in the control: task number asked for and done, whether the thread is up, the task, its result. */
const [ASKED, DONE, UP, TABLE, VALUES, FIRST, LAST, RESULT] = [0, 1, 2, 3, 4, 5, 6, 7];
const CLOSE = -1;

export function createPartner(arena: Arena): { partner: Partner; data: PartnerData } {
  const control = new Int32Array(new SharedArrayBuffer(32));
  let task = 0;
  const isUp = (): boolean => Atomics.load(control, UP) !== 0;
  const partner: Partner = {
    isUp,
    begin(table, values, first, last) {
      if (!isUp()) return false;
      control[TABLE] = table;
      control[VALUES] = values;
      control[FIRST] = first;
      control[LAST] = last;
      task = (task % 1_000_000_000) + 1;
      Atomics.store(control, ASKED, task);
      Atomics.notify(control, ASKED);
      return true;
    },
    end() {
      for (;;) {
        const done = Atomics.load(control, DONE);
        if (done === task) return control[RESULT];
        rest(control, DONE, done);
      }
    },
    close() {
      Atomics.store(control, ASKED, CLOSE);
      Atomics.notify(control, ASKED);
    },
  };
  return { partner, data: { memory: arena.memory, control } };
}

/** Sleeps until an integer is no longer what it was; a page's main thread may not sleep, and looks again at once. */
function rest(control: Int32Array, at: number, value: number): void {
  try {
    Atomics.wait(control, at, value);
  } catch {
    // looks again
  }
}

/** The thread: does what it is asked until it is closed. */
export function serve({ memory, control }: PartnerData): void {
  const kernels = instantiate({ memory, bytes: memory.buffer.byteLength }, { shared });
  Atomics.store(control, UP, 1);
  Atomics.notify(control, UP);
  for (let done = 0; ; ) {
    Atomics.wait(control, ASKED, done);
    done = Atomics.load(control, ASKED);
    if (done === CLOSE) return;
    control[RESULT] = kernels.factorSome(
      control[TABLE],
      control[VALUES],
      control[FIRST],
      control[LAST],
    );
    Atomics.store(control, DONE, done);
    Atomics.notify(control, DONE);
  }
}
