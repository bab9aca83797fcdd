/**
 * Frames that are transferred: one buffer holds the time and number of steps, twelve numbers per collider (its pose), and then
 * positions and normals of the points as float32, as isoplate/view draws them.
 */

/** One moment of a simulation, for drawing. Valid until the next frame arrives: its buffer then goes back to the worker. */
export interface WorkerFrame {
  /** s */
  readonly time: number;
  readonly steps: number;
  /** [3n] m */
  readonly positions: Float32Array;
  /** [3n] unit vectors */
  readonly normals: Float32Array;
  /** [12 per collider] rotation by rows, then translation in m: what setPoses of isoplate/view takes. */
  readonly poses: Float64Array;
}

const HEAD = 2; // time, steps

export function frameBytes(n: number, colliders: number): number {
  return 8 * (HEAD + 12 * colliders) + 4 * 6 * n;
}

/** The frame that lies in a buffer. */
export function frameIn(
  buffer: ArrayBuffer,
  n: number,
  colliders: number,
): WorkerFrame & { head: Float64Array } {
  const head = new Float64Array(buffer, 0, HEAD);
  const floats = 8 * (HEAD + 12 * colliders);
  return {
    head,
    get time() {
      return head[0];
    },
    get steps() {
      return head[1];
    },
    poses: new Float64Array(buffer, 8 * HEAD, 12 * colliders),
    positions: new Float32Array(buffer, floats, 3 * n),
    normals: new Float32Array(buffer, floats + 12 * n, 3 * n),
  };
}
