/** Redrawing at the pace of eyes: series grow sixty times a second, and drawing a long one takes milliseconds each time. */
import { effect, type ReadonlySignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

/** ms between redraws: smooth to look at, and the page stays responsive. */
export const REDRAW = 200;

/** Draws the component again when one of the signals has changed, but not more often than every REDRAW ms. */
export function useSlowly(signals: readonly ReadonlySignal<unknown>[]): void {
  const [, draw] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = (): void => {
      timer = undefined;
      draw((count) => count + 1);
    };
    const stop = effect(() => {
      for (const signal of signals) signal.value;
      timer ??= setTimeout(again, REDRAW);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, signals);
}
