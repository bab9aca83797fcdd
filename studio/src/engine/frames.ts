/**
 * Frames from the worker to the page, without waiting and without tearing.
 *
 * Shared memory: three slots. The writer owns one, the reader owns one, the third is exchanged through one atomic word
 * that names it and says whether it is newer than what the reader has. Both sides swap in a single atomic operation, so
 * neither ever waits, and a slot is never written while it can be read: a half-written frame cannot be drawn.
 *
 * Without shared memory (static hosting without the two headers) a slot is a buffer of its own that is transferred to
 * the page, which sends the one before back.
 *
 * A slot holds HEAD numbers, twelve per body (its pose), then the pose of the sheet and its values as float32. Who draws
 * makes curved patches and normals of them, so that little is copied.
 */

/** Places in the head of a slot. */
export const HEAD = {
  /** Counts published frames from 1. */
  serial: 0,
  /** s */
  time: 1,
  steps: 2,
  edgeMax: 3,
  edgeMean: 4,
  /** Range of the colours. */
  low: 5,
  high: 6,
  /** 1: some values lie beyond the range. */
  clipped: 7,
  /** Frame of the recording that is shown; −1: the present. */
  shown: 8,
  /** 1/60 s of simulated time, for running side by side. */
  beat: 9,
  /** 1: the pose holds frames; 0: positions alone. */
  framed: 10,
} as const;
const HEAD_LENGTH = 11;

export interface Slot {
  readonly head: Float64Array;
  /** [9n] m, positions and then frames, if it holds them. */
  readonly pose: Float32Array;
  /** [3n] m, the beginning of `pose`. */
  readonly positions: Float32Array;
  /** [n] what colours show. */
  readonly values: Float32Array;
  /** [12·bodies] */
  readonly poses: Float64Array;
}

export interface FramesLayout {
  readonly n: number;
  readonly bodies: number;
}

export const slotBytes = ({ n, bodies }: FramesLayout): number =>
  8 * (HEAD_LENGTH + 12 * bodies) + 8 * Math.ceil((4 * 10 * n) / 8);

/** The slot that lies at a place of a buffer. */
export function slotAt(buffer: ArrayBufferLike, at: number, { n, bodies }: FramesLayout): Slot {
  const poses = at + 8 * HEAD_LENGTH;
  const floats = poses + 8 * 12 * bodies;
  return {
    head: new Float64Array(buffer, at, HEAD_LENGTH),
    poses: new Float64Array(buffer, poses, 12 * bodies),
    pose: new Float32Array(buffer, floats, 9 * n),
    positions: new Float32Array(buffer, floats, 3 * n),
    values: new Float32Array(buffer, floats + 36 * n, n),
  };
}

/** to = from; both of one layout. */
export function copySlot(to: Slot, from: Slot): void {
  to.head.set(from.head);
  to.poses.set(from.poses);
  to.pose.set(from.pose);
  to.values.set(from.values);
}

/** Bytes before the first slot: the word that is exchanged. */
const CONTROL = 8;
/** In that word: the slot is newer than what the reader has. */
const FRESH = 4;

export interface FrameWriter {
  /** The slot to fill next; valid until publish. */
  slot(): Slot;
  publish(): void;
}

export interface FrameReader {
  /** The newest frame, if there is one that has not been given yet; valid until the next one is given. */
  next(): Slot | null;
}

export function createSharedFrames(layout: FramesLayout): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(CONTROL + 3 * slotBytes(layout));
  new Int32Array(buffer, 0, 1)[0] = 1; // the writer starts with slot 0, the reader with 2
  return buffer;
}

export function sharedWriter(buffer: SharedArrayBuffer, layout: FramesLayout): FrameWriter {
  const control = new Int32Array(buffer, 0, 1);
  const slots = slotsOf(buffer, layout);
  let own = 0;
  return {
    slot: () => slots[own],
    publish() {
      own = Atomics.exchange(control, 0, own | FRESH) & 3;
    },
  };
}

export function sharedReader(buffer: SharedArrayBuffer, layout: FramesLayout): FrameReader {
  const control = new Int32Array(buffer, 0, 1);
  const slots = slotsOf(buffer, layout);
  let own = 2;
  return {
    next() {
      if ((Atomics.load(control, 0) & FRESH) === 0) return null;
      own = Atomics.exchange(control, 0, own) & 3;
      return slots[own];
    },
  };
}

function slotsOf(buffer: SharedArrayBuffer, layout: FramesLayout): Slot[] {
  const bytes = slotBytes(layout);
  return [0, 1, 2].map((k) => slotAt(buffer, CONTROL + k * bytes, layout));
}

/** Buffers that go to the page and come back. `send` transfers. */
export function transferWriter(
  layout: FramesLayout,
  send: (buffer: ArrayBuffer) => void,
): FrameWriter & { giveBack(buffer: ArrayBuffer): void } {
  const free: ArrayBuffer[] = [];
  const bytes = slotBytes(layout);
  let buffer = new ArrayBuffer(bytes);
  let slot = slotAt(buffer, 0, layout);
  return {
    slot: () => slot,
    publish() {
      send(buffer);
      buffer = free.pop() ?? new ArrayBuffer(bytes);
      slot = slotAt(buffer, 0, layout);
    },
    giveBack(returned) {
      if (returned.byteLength === bytes && free.length < 3) free.push(returned);
    },
  };
}

/** The page's side: takes what was sent, gives back what is no longer shown. */
export function transferReader(
  layout: FramesLayout,
  giveBack: (buffer: ArrayBuffer) => void,
): FrameReader & { take(buffer: ArrayBuffer): void } {
  let waiting: ArrayBuffer | null = null;
  let shown: ArrayBuffer | null = null;
  return {
    take(buffer) {
      if (waiting !== null) giveBack(waiting);
      waiting = buffer;
    },
    next() {
      if (waiting === null) return null;
      if (shown !== null) giveBack(shown);
      shown = waiting;
      waiting = null;
      return slotAt(shown, 0, layout);
    },
  };
}
