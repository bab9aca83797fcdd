/**
 * MurmurHash3 (x64, 128 bits, seed 0), by which Alembic names array samples: programs that read the
 * file cache and share samples by this digest, so two samples with one digest would look the same.
 *
 * 64-bit words are pairs of 32-bit halves in plain variables: BigInt is thirty times slower here, and
 * small objects ten times. A product's upper half is left in `upper`.
 */

/** C₁ and C₂ of the hash, halves. */
const C1_HIGH = 0x87c37b91;
const C1_LOW = 0x114253d5;
const C2_HIGH = 0x4cf5ad43;
const C2_LOW = 0x2745937f;

/** The digest of bytes, 16 bytes. */
export function murmur128(bytes: Uint8Array): Uint8Array {
  const blocks = bytes.length >>> 4;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let aHigh = 0; // h1
  let aLow = 0;
  let bHigh = 0; // h2
  let bLow = 0;
  for (let at = 0; at < 16 * blocks; at += 16) {
    // h1 = (rotl(h1 ^ mix1(k1), 27) + h2)·5 + 0x52dce729
    let low = mixFirst(view.getUint32(at + 4, true), view.getUint32(at, true));
    let high = upper ^ aHigh;
    low ^= aLow;
    aHigh = (high << 27) | (low >>> 5);
    aLow = (low << 27) | (high >>> 5);
    aLow = sum(aHigh, aLow, bHigh, bLow);
    aLow = fiveTimes(upper, aLow, 0x52dce729);
    aHigh = upper;
    // h2 = (rotl(h2 ^ mix2(k2), 31) + h1)·5 + 0x38495ab5
    low = mixSecond(view.getUint32(at + 12, true), view.getUint32(at + 8, true));
    high = upper ^ bHigh;
    low ^= bLow;
    bHigh = (high << 31) | (low >>> 1);
    bLow = (low << 31) | (high >>> 1);
    bLow = sum(bHigh, bLow, aHigh, aLow);
    bLow = fiveTimes(upper, bLow, 0x38495ab5);
    bHigh = upper;
  }

  const tail = new DataView(new ArrayBuffer(16));
  for (let i = 16 * blocks; i < bytes.length; i++) tail.setUint8(i & 15, bytes[i]);
  // a word of zeros mixes to zero, so short tails need no cases
  bLow ^= mixSecond(tail.getUint32(12, true), tail.getUint32(8, true));
  bHigh ^= upper;
  aLow ^= mixFirst(tail.getUint32(4, true), tail.getUint32(0, true));
  aHigh ^= upper;

  const lengthHigh = Math.floor(bytes.length / 2 ** 32);
  aLow = sum(aHigh ^ lengthHigh, aLow ^ bytes.length, bHigh ^ lengthHigh, bLow ^ bytes.length);
  aHigh = upper;
  bLow = sum(bHigh ^ lengthHigh, bLow ^ bytes.length, aHigh, aLow);
  bHigh = upper;
  aLow = finish(aHigh, aLow);
  aHigh = upper;
  bLow = finish(bHigh, bLow);
  bHigh = upper;
  aLow = sum(aHigh, aLow, bHigh, bLow);
  aHigh = upper;
  bLow = sum(bHigh, bLow, aHigh, aLow);
  bHigh = upper;

  const digest = new DataView(new ArrayBuffer(16));
  digest.setInt32(0, aLow, true);
  digest.setInt32(4, aHigh, true);
  digest.setInt32(8, bLow, true);
  digest.setInt32(12, bHigh, true);
  return new Uint8Array(digest.buffer);
}

/** Upper half of the last result. */
let upper = 0;

/** rotl(k·C₁, 31)·C₂ */
function mixFirst(high: number, low: number): number {
  const l = product(high, low, C1_HIGH, C1_LOW);
  const h = upper;
  return product((h << 31) | (l >>> 1), (l << 31) | (h >>> 1), C2_HIGH, C2_LOW);
}

/** rotl(k·C₂, 33)·C₁ */
function mixSecond(high: number, low: number): number {
  const l = product(high, low, C2_HIGH, C2_LOW);
  const h = upper;
  return product((l << 1) | (h >>> 31), (h << 1) | (l >>> 31), C1_HIGH, C1_LOW);
}

function finish(high: number, low: number): number {
  let l = product(high, low ^ (high >>> 1), 0xff51afd7, 0xed558ccd);
  l = product(upper, l ^ (upper >>> 1), 0xc4ceb9fe, 0x1a85ec53);
  return l ^ (upper >>> 1);
}

/** The lower 64 bits of a product. */
function product(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  const a0 = aLow & 0xffff;
  const a1 = aLow >>> 16;
  const b0 = bLow & 0xffff;
  const b1 = bLow >>> 16;
  // (2¹⁶ − 1)² + 2¹⁶ − 1 is below 2³²: no sum overflows, and all of it stays integers
  const middle = (Math.imul(a1, b0) + (Math.imul(a0, b0) >>> 16)) >>> 0;
  const other = (Math.imul(a0, b1) + (middle & 0xffff)) >>> 0;
  const carry = (Math.imul(a1, b1) + (middle >>> 16) + (other >>> 16)) | 0;
  upper = (carry + Math.imul(aLow, bHigh) + Math.imul(aHigh, bLow)) | 0;
  return Math.imul(aLow, bLow);
}

function sum(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  const low = (aLow + bLow) | 0;
  upper = (aHigh + bHigh + (low >>> 0 < aLow >>> 0 ? 1 : 0)) | 0;
  return low;
}

/** x·5 + constant */
function fiveTimes(high: number, low: number, constant: number): number {
  const l = (low >>> 0) * 5 + constant;
  upper = (Math.imul(high, 5) + Math.floor(l / 2 ** 32)) | 0;
  return l | 0;
}
