/**
 * SHA-256 (FIPS 180-4) in plain TypeScript, so that the hash of a result is the same call in Node and in a browser, and
 * needs no waiting. A fingerprint, not a secret. Some 100 MB/s.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K: Uint32Array = roots(64, (p) => Math.cbrt(p));
/** The same of the square roots of the first 8 primes. */
const H0: Uint32Array = roots(8, (p) => Math.sqrt(p));

/**
 * Hexadecimal SHA-256 of the little-endian bytes of the numbers.
 *
 * @example
 * const hash = hashNumbers(simulation.Y); // the same on Node and in Chromium
 */
export function hashNumbers(numbers: ReadonlyF64): string {
  const bytes = new Uint8Array(8 * numbers.length);
  const view = new DataView(bytes.buffer);
  for (let k = 0; k < numbers.length; k++) view.setFloat64(8 * k, numbers[k], true);
  return sha256(bytes);
}

/**
 * Hexadecimal SHA-256 of the bytes.
 *
 * @example
 * const hash = sha256(new TextEncoder().encode("text"));
 */
export function sha256(bytes: Uint8Array): string {
  const h = Uint32Array.from(H0);
  const W = new Uint32Array(64);

  // whole blocks from the message, then the padding: 1 bit, zeros, the length in bits
  const whole = bytes.length - (bytes.length % 64);
  for (let at = 0; at < whole; at += 64) block(h, W, bytes, at);
  const rest = bytes.length - whole;
  const tail = new Uint8Array(rest < 56 ? 64 : 128);
  tail.set(bytes.subarray(whole));
  tail[rest] = 0x80;
  const end = new DataView(tail.buffer, tail.length - 8);
  end.setUint32(0, Math.floor(bytes.length / 2 ** 29));
  end.setUint32(4, (bytes.length * 8) >>> 0);
  for (let at = 0; at < tail.length; at += 64) block(h, W, tail, at);
  return Array.from(h, (word) => word.toString(16).padStart(8, "0")).join("");
}

function block(h: Uint32Array, W: Uint32Array, bytes: Uint8Array, at: number): void {
  for (let t = 0; t < 16; t++) {
    const b = at + 4 * t;
    W[t] = (bytes[b] << 24) | (bytes[b + 1] << 16) | (bytes[b + 2] << 8) | bytes[b + 3];
  }
  for (let t = 16; t < 64; t++) {
    const x = W[t - 15];
    const y = W[t - 2];
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    W[t] = W[t - 16] + s0 + W[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, k] = h;
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const one = (k + s1 + ((e & f) ^ (~e & g)) + K[t] + W[t]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    k = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  h[0] += a;
  h[1] += b;
  h[2] += c;
  h[3] += d;
  h[4] += e;
  h[5] += f;
  h[6] += g;
  h[7] += k;
}

function rotate(x: number, by: number): number {
  return (x >>> by) | (x << (32 - by));
}

/** 32 bits are far inside the precision of either root, whatever its last bit. */
function roots(count: number, root: (p: number) => number): Uint32Array {
  const out = new Uint32Array(count);
  for (let p = 2, k = 0; k < count; p++) {
    let prime = true;
    for (let q = 2; q * q <= p && prime; q++) prime = p % q !== 0;
    if (prime) out[k++] = (root(p) % 1) * 2 ** 32;
  }
  return out;
}
