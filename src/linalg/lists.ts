/** Typed arrays that grow: a list of numbers costs eight times the memory and the time. */

export interface List<A extends Int32Array | Float64Array = Int32Array | Float64Array> {
  readonly length: number;
  /** What is stored so far, and room behind it; another array after each push that grows. */
  readonly items: A;
  push(value: number): void;
  /** The numbers, without the room behind them. */
  done(): A;
}

export function listI32(): List<Int32Array> {
  return list(new Int32Array(256));
}

export function listF64(): List<Float64Array> {
  return list(new Float64Array(256));
}

/** The same numbers and as much room again. */
export function grown<A extends Int32Array | Float64Array>(from: A): A {
  const to = new (from.constructor as new (length: number) => A)(2 * from.length);
  to.set(from);
  return to;
}

function list<A extends Int32Array | Float64Array>(items: A): List<A> {
  return new GrowingList(items);
}

/** Fields, not getters: to read one is no call, which counts while a program starts and little is compiled yet. */
class GrowingList<A extends Int32Array | Float64Array> implements List<A> {
  length = 0;
  items: A;

  constructor(items: A) {
    this.items = items;
  }

  push(value: number): void {
    if (this.length === this.items.length) this.items = grown(this.items);
    this.items[this.length++] = value;
  }

  done(): A {
    return this.items.slice(0, this.length) as A;
  }
}
