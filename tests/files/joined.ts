/** All chunks in one array, for small files. */
export function joined(chunks: Iterable<Uint8Array>): Uint8Array {
  return Uint8Array.from(Buffer.concat([...chunks]));
}
