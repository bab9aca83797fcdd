/**
 * What all files of a recording begin with: a magic word and a version, and, but for frames, a JSON head that the data follow.
 */

/** Version of what has not changed since 0.1. */
export const VERSION = 1;

/** A recording that cannot be read, and why. */
export class RecordingError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RecordingError";
  }
}

/** Magic, version, length of the JSON head, the head, then `size` bytes from a multiple of 8 on. */
export function container(
  magic: string,
  head: object,
  size: number,
  version: number = VERSION,
): { bytes: Uint8Array; start: number } {
  const json = new TextEncoder().encode(JSON.stringify(head));
  const start = 8 * Math.ceil((16 + json.length) / 8);
  const bytes = new Uint8Array(start + size);
  putMagic(bytes, magic);
  const view = viewOf(bytes);
  view.setUint32(8, version, true);
  view.setUint32(12, json.length, true);
  bytes.set(json, 16);
  return { bytes, start };
}

export function opened(
  magic: string,
  bytes: Uint8Array,
  what: string,
  version: number = VERSION,
): { head: object; start: number } {
  checkMagic(bytes, magic, 16, what, version);
  const length = viewOf(bytes).getUint32(12, true);
  if (16 + length > bytes.length) throw new RecordingError(`${what}: cut short`);
  let head: unknown;
  try {
    head = JSON.parse(new TextDecoder().decode(bytes.subarray(16, 16 + length)));
  } catch {
    // reported below
  }
  if (!isRecord(head)) throw new RecordingError(`${what}: damaged`);
  return { head, start: 8 * Math.ceil((16 + length) / 8) };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function putMagic(bytes: Uint8Array, magic: string): void {
  for (let k = 0; k < 8; k++) bytes[k] = magic.charCodeAt(k);
}

export function checkMagic(
  bytes: Uint8Array,
  magic: string,
  least: number,
  what: string,
  oldest: number = VERSION,
  newest: number = oldest,
): void {
  const start = String.fromCharCode(...bytes.subarray(0, 8));
  if (bytes.length < least || start !== magic)
    throw new RecordingError(`${what}: not a file of a recording`);
  const version = viewOf(bytes).getUint32(8, true);
  if (!(version >= oldest && version <= newest)) {
    const known = oldest === newest ? `${oldest}` : `${oldest} to ${newest}`;
    throw new RecordingError(`${what}: version ${version}, this program reads ${known}`);
  }
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
