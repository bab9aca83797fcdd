/** Text of numbers, gathered into chunks of some 64 kB so that long files are never held whole. */

/**
 * At least nine significant digits, which give back a 32-bit float exactly (24 bits of mantissa).
 * Rounding to a power of ten and printing the shortest is three times as fast as toPrecision.
 */
export function shortNumber(x: number): string {
  const size = Math.abs(x);
  if (size >= 1e-3 && size < 1e3) {
    const scale = size < 0.1 ? 1e11 : size < 10 ? 1e9 : 1e7;
    return String(Math.round(x * scale) / scale);
  }
  return size === 0 ? "0" : String(Number(x.toPrecision(9)));
}

class TextChunks {
  private readonly encoder = new TextEncoder();
  private parts: string[] = [];
  private length = 0;

  /** Adds text; returns a chunk when enough has gathered, else null. */
  add(text: string): Uint8Array | null {
    this.parts.push(text);
    this.length += text.length;
    return this.length < 65536 ? null : this.rest();
  }

  /** Everything not yet returned. */
  rest(): Uint8Array {
    const bytes = this.encoder.encode(this.parts.join(""));
    this.parts = [];
    this.length = 0;
    return bytes;
  }
}

/** Chunks of an iterable of texts. */
export function* textChunks(texts: Iterable<string>): Generator<Uint8Array> {
  const chunks = new TextChunks();
  for (const text of texts) {
    const chunk = chunks.add(text);
    if (chunk !== null) yield chunk;
  }
  const rest = chunks.rest();
  if (rest.length > 0) yield rest;
}
