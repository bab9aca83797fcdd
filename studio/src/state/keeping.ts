/** The file or film that is being made: what it is, how far it is, and how to end it. One at a time. */
import { type Signal, signal } from "@preact/signals";
import { note } from "./signals.ts";

export interface Keeping {
  readonly what: string;
  /** 0 … 1 */
  readonly progress: number;
  cancel(): void;
}

export const keeping: Signal<Keeping | null> = signal(null);

export interface KeepOptions {
  onProgress(share: number): void;
  readonly signal: AbortSignal;
}

/** Makes something; what goes wrong is shown. */
export async function keep(
  what: string,
  job: (options: KeepOptions) => Promise<void>,
): Promise<void> {
  if (keeping.value !== null) return;
  const abort = new AbortController();
  const cancel = (): void => abort.abort();
  const onProgress = (progress: number): void => {
    keeping.value = { what, progress, cancel };
  };
  onProgress(0);
  try {
    await job({ onProgress, signal: abort.signal });
  } catch (error) {
    if (abort.signal.aborted) note("Cancelled: nothing was saved");
    else note(`Could not make it: ${(error as Error).message}`, "bad");
  } finally {
    keeping.value = null;
  }
}
