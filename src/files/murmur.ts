/**
 * MurmurHash3 (x64, 128 bits, seed 0), by which Alembic names array samples: programs that read the
 * file cache and share samples by this digest, so two samples with one digest would look the same.
 *
 * 64-bit words are pairs of 32-bit halves, because BigInt is thirty times slower here.
 */

/** The digest of bytes, 16 bytes. */
export function murmur128(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const a = new Word(0, 0); // h1
  const b = new Word(0, 0); // h2
  const k = new Word(0, 0);
  const blocks = bytes.length >>> 4;
  for (let i = 0; i < blocks; i++) {
    k.set(view.getUint32(16 * i + 4, true), view.getUint32(16 * i, true));
    mixFirst(k);
    a.xor(k).rotate(27).add(b).timesFivePlus(0x52dce729);
    k.set(view.getUint32(16 * i + 12, true), view.getUint32(16 * i + 8, true));
    mixSecond(k);
    b.xor(k).rotate(31).add(a).timesFivePlus(0x38495ab5);
  }

  const tail = new DataView(new ArrayBuffer(16));
  for (let i = 16 * blocks; i < bytes.length; i++) tail.setUint8(i & 15, bytes[i]);
  const left = bytes.length & 15;
  if (left > 8) {
    k.set(tail.getUint32(12, true), tail.getUint32(8, true));
    mixSecond(k);
    b.xor(k);
  }
  if (left > 0) {
    k.set(tail.getUint32(4, true), tail.getUint32(0, true));
    mixFirst(k);
    a.xor(k);
  }

  const length = new Word(Math.floor(bytes.length / 2 ** 32), bytes.length >>> 0);
  a.xor(length);
  b.xor(length);
  a.add(b);
  b.add(a);
  finish(a);
  finish(b);
  a.add(b);
  b.add(a);
  const digest = new DataView(new ArrayBuffer(16));
  digest.setUint32(0, a.low, true);
  digest.setUint32(4, a.high, true);
  digest.setUint32(8, b.low, true);
  digest.setUint32(12, b.high, true);
  return new Uint8Array(digest.buffer);
}

function mixFirst(k: Word): void {
  k.times(0x87c37b91, 0x114253d5).rotate(31).times(0x4cf5ad43, 0x2745937f);
}

function mixSecond(k: Word): void {
  k.times(0x4cf5ad43, 0x2745937f).rotate(33).times(0x87c37b91, 0x114253d5);
}

function finish(h: Word): void {
  h.xorShifted33().times(0xff51afd7, 0xed558ccd);
  h.xorShifted33().times(0xc4ceb9fe, 0x1a85ec53);
  h.xorShifted33();
}

/** A 64-bit word; every method changes it and returns it. */
class Word {
  high: number;
  low: number;

  constructor(high: number, low: number) {
    this.high = high;
    this.low = low;
  }

  set(high: number, low: number): this {
    this.high = high;
    this.low = low;
    return this;
  }

  xor(other: Word): this {
    return this.set((this.high ^ other.high) >>> 0, (this.low ^ other.low) >>> 0);
  }

  add(other: Word): this {
    const low = this.low + other.low;
    return this.set((this.high + other.high + (low > 0xffffffff ? 1 : 0)) >>> 0, low >>> 0);
  }

  rotate(bits: number): this {
    const { high, low } = bits < 32 ? this : { high: this.low, low: this.high };
    const b = bits & 31;
    if (b === 0) return this.set(high, low);
    return this.set(
      ((high << b) | (low >>> (32 - b))) >>> 0,
      ((low << b) | (high >>> (32 - b))) >>> 0,
    );
  }

  times(high: number, low: number): this {
    const a0 = this.low & 0xffff;
    const a1 = this.low >>> 16;
    const b0 = low & 0xffff;
    const b1 = low >>> 16;
    const middle = a1 * b0 + Math.floor((a0 * b0) / 65536);
    const other = a0 * b1 + (middle % 65536);
    const carry = a1 * b1 + Math.floor(middle / 65536) + Math.floor(other / 65536);
    return this.set(
      (carry + Math.imul(this.low, high) + Math.imul(this.high, low)) >>> 0,
      Math.imul(this.low, low) >>> 0,
    );
  }

  timesFivePlus(constant: number): this {
    const low = this.low * 5 + constant;
    return this.set((this.high * 5 + Math.floor(low / 2 ** 32)) >>> 0, low >>> 0);
  }

  /** h ^= h >> 33 */
  xorShifted33(): this {
    return this.set(this.high, (this.low ^ (this.high >>> 1)) >>> 0);
  }
}
