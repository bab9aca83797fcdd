/** Undo and redo of plain data: every step keeps the whole of it, which shares with the one before all that did not change. */
export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** Steps in a row with the same word are one step: a slider that is dragged. */
  readonly merge: string | null;
}

/** Steps that can be taken back. */
const MOST = 500;

export function createHistory<T>(present: T): History<T> {
  return { past: [], present, future: [], merge: null };
}

/** @param merge a word for what is being changed; null: a step of its own */
export function committed<T>(
  history: History<T>,
  next: T,
  merge: string | null = null,
): History<T> {
  if (merge !== null && merge === history.merge && history.past.length > 0)
    return { ...history, present: next, future: [] };
  return {
    past: [...history.past.slice(-MOST + 1), history.present],
    present: next,
    future: [],
    merge,
  };
}

/** The next change is a step of its own, whatever its word. */
export function sealed<T>(history: History<T>): History<T> {
  return history.merge === null ? history : { ...history, merge: null };
}

export function undone<T>({ past, present, future }: History<T>): History<T> {
  if (past.length === 0) return { past, present, future, merge: null };
  return {
    past: past.slice(0, -1),
    present: past[past.length - 1],
    future: [present, ...future],
    merge: null,
  };
}

export function redone<T>({ past, present, future }: History<T>): History<T> {
  if (future.length === 0) return { past, present, future, merge: null };
  return { past: [...past, present], present: future[0], future: future.slice(1), merge: null };
}
