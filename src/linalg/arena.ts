/**
 * One fixed memory for everything that a step touches.
 *
 * All arrays of a system are views on one WebAssembly.Memory, so that the kernels and the TypeScript
 * read the same bytes and nothing is copied. The memory is sized once and never grown: growing it
 * would detach every view. To know the size, the layout is run twice, first on a counter that hands
 * out empty arrays, then on the memory itself.
 */

/** Typed arrays that are only read. A Float64Array fits; a plain array does not. */
export type ReadonlyF64 = Readonly<Pick<Float64Array, "length" | "byteOffset" | "buffer">> & {
  readonly [index: number]: number;
  readonly BYTES_PER_ELEMENT: number;
};
export type ReadonlyI32 = Readonly<Pick<Int32Array, "length" | "byteOffset" | "buffer">> & {
  readonly [index: number]: number;
  readonly BYTES_PER_ELEMENT: number;
};

/** Hands out zeroed arrays; every one starts at a multiple of 64 bytes (a cache line). */
export interface Allocator {
  f64(length: number): Float64Array;
  f32(length: number): Float32Array;
  i32(length: number): Int32Array;
  u8(length: number): Uint8Array;
  /** A copy of the given array in this memory. */
  copyF64(from: ReadonlyF64): Float64Array;
  copyI32(from: ReadonlyI32): Int32Array;
}

/** Plain arrays, for what does not need the one memory of a running system. */
export const HEAP: Allocator = {
  f64: (length) => new Float64Array(length),
  f32: (length) => new Float32Array(length),
  i32: (length) => new Int32Array(length),
  u8: (length) => new Uint8Array(length),
  copyF64: (from) => Float64Array.from(from as Float64Array),
  copyI32: (from) => Int32Array.from(from as Int32Array),
};

/** A WebAssembly.Memory, by the part of it that is used: its own type is not known where neither Node's nor the DOM's types are. */
export interface ArenaMemory {
  readonly buffer: ArrayBuffer;
}

export interface Arena {
  readonly memory: ArenaMemory;
  /** Bytes in use, the size of `memory.buffer` but for the last page. */
  readonly bytes: number;
}

const PAGE = 65536;
/** Below this the kernels keep their own stack and constants (AssemblyScript's static data). */
const FIRST_FREE_BYTE = 65536;
/** A WebAssembly memory with 32-bit addresses holds 4 GiB at most. */
const MOST_PAGES = 65536;

/** Thrown when a system does not fit into one memory; says how large it would be. */
export class MemoryError extends Error {
  readonly bytes: number;
  constructor(bytes: number) {
    const gib = (bytes / 2 ** 30).toFixed(2);
    super(
      `the system needs ${bytes} bytes (${gib} GiB); one memory holds 4 GiB at most. Use fewer points.`,
    );
    this.name = "MemoryError";
    this.bytes = bytes;
  }
}

/**
 * Runs `layout` on a counter, makes a memory of that size, and runs it again on the memory.
 * The layout must ask for the same arrays both times and must not read what the counter returns.
 */
export function inOneMemory<T>(
  layout: (memory: Allocator) => T,
  { shared = false }: { shared?: boolean } = {},
): { arena: Arena; value: T } {
  let bytes = FIRST_FREE_BYTE;
  const claim = (size: number): number => {
    const at = bytes;
    bytes += Math.ceil(size / 64) * 64;
    return at;
  };
  layout({
    f64: (length) => (claim(8 * length), new Float64Array(0)),
    f32: (length) => (claim(4 * length), new Float32Array(0)),
    i32: (length) => (claim(4 * length), new Int32Array(0)),
    u8: (length) => (claim(length), new Uint8Array(0)),
    copyF64: (from) => (claim(8 * from.length), new Float64Array(0)),
    copyI32: (from) => (claim(4 * from.length), new Int32Array(0)),
  });

  const pages = Math.ceil(bytes / PAGE);
  if (pages > MOST_PAGES) throw new MemoryError(bytes);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
  const { buffer } = memory;
  bytes = FIRST_FREE_BYTE;
  const f64 = (length: number) => new Float64Array(buffer, claim(8 * length), length);
  const i32 = (length: number) => new Int32Array(buffer, claim(4 * length), length);
  const value = layout({
    f64,
    f32: (length) => new Float32Array(buffer, claim(4 * length), length),
    i32,
    u8: (length) => new Uint8Array(buffer, claim(length), length),
    copyF64: (from) => {
      const to = f64(from.length);
      to.set(from as Float64Array);
      return to;
    },
    copyI32: (from) => {
      const to = i32(from.length);
      to.set(from as Int32Array);
      return to;
    },
  });
  return { arena: { memory, bytes }, value };
}
