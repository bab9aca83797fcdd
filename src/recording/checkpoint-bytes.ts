/**
 * The bytes of a checkpoint: a JSON head, then those of the simulation, then the SHA-256 of all before it in 64 letters, so that a torn
 * checkpoint is detected.
 */
import { container, opened, RecordingError } from "./container.ts";
import { sha256 } from "./hash.ts";

const CHECKPOINT_MAGIC = "ISOCHECK";
/** Since 2 the hash covers the head too. */
const CHECKPOINT_VERSION = 3; // 2: 0.1, with multipliers of isometry
/** Letters of a SHA-256. */
const HASH_LENGTH = 64;

/**
 * @example
 * const bytes = encodeCheckpoint({ tally, frames, version }, simulation.save());
 */
export function encodeCheckpoint(head: object, state: Uint8Array): Uint8Array {
  const size = state.length + HASH_LENGTH;
  const { bytes, start } = container(CHECKPOINT_MAGIC, head, size, CHECKPOINT_VERSION);
  bytes.set(state, start);
  const end = bytes.length - HASH_LENGTH;
  bytes.set(new TextEncoder().encode(sha256(bytes.subarray(0, end))), end);
  return bytes;
}

export function decodeCheckpoint(bytes: Uint8Array): { head: object; state: Uint8Array } {
  const { head, start } = opened(CHECKPOINT_MAGIC, bytes, "checkpoint", CHECKPOINT_VERSION);
  const end = bytes.length - HASH_LENGTH;
  const hash = new TextDecoder().decode(bytes.subarray(Math.max(0, end)));
  if (end < start || hash !== sha256(bytes.subarray(0, end)))
    throw new RecordingError("checkpoint: damaged, its hash does not match");
  return { head, state: bytes.slice(start, end) };
}
