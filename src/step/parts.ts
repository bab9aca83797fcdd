/** Parts of a step: the whole of it, or the halves that are still to be done when it was too hard in one. */

/** Halvings of a step: 32 parts. */
export const MAX_DEPTH = 5;

/** What one step or part of it is about. */
export interface Part {
  t0: number; // s
  t1: number; // s
  h: number; // s
  smooth: boolean; // BDF2
  depth: number; // halvings
  isHeld: boolean; // its drivers that are blocked are known already
}

/** Parts of a step that are still to be done, the next one last. */
export interface Parts {
  readonly list: readonly Part[];
  count: number;
}

export function createParts(): Parts {
  const list = Array.from({ length: MAX_DEPTH + 2 }, () => ({
    t0: 0.5,
    t1: 0.5,
    h: 0.5,
    smooth: false,
    depth: 0,
    isHeld: false,
  }));
  return { list, count: 0 };
}

/** One more part, to be done next. */
export function push(
  parts: Parts,
  t0: number,
  t1: number,
  h: number,
  smooth: boolean,
  depth: number,
): void {
  const part = parts.list[parts.count++];
  part.t0 = t0;
  part.t1 = t1;
  part.h = h;
  part.smooth = smooth;
  part.depth = depth;
  part.isHeld = false;
}
