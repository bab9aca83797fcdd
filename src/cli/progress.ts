/** Progress: a bar with the time left on a terminal, a plain line now and then elsewhere. */
import cliProgress from "cli-progress";
import type { Terminal } from "./terminal.ts";

/** How far something is. */
export interface Progress {
  /** 0 … 1 */
  share: number;
  /** What is under way; when it changes a plain line tells so at once. */
  what?: string;
  /** Numbers worth a look. */
  details?: readonly string[];
  /** s; from the time taken so far if not said. */
  leftSeconds?: number;
}

export interface ProgressDisplay {
  update(progress: Progress): void;
  done(): void;
}

/** ms between plain lines. */
const PLAIN_INTERVAL = 5000;
/** Steps of a bar: finer than any terminal is wide. */
const STEPS = 1000;

export function progressDisplay(name: string, terminal: Terminal, quiet: boolean): ProgressDisplay {
  if (quiet) return { update() {}, done() {} };
  const display = terminal.live === null ? plainLines(name, terminal) : bar(name, terminal.live);
  const began = performance.now();
  return {
    update(progress) {
      const { share } = progress;
      const taken = (performance.now() - began) / 1000;
      // the first second says more about loading than about what comes
      const left = progress.leftSeconds ?? (taken > 1 ? (taken * (1 - share)) / share : Number.NaN);
      const words = [...(progress.details ?? [])];
      if (progress.what !== undefined) words.unshift(progress.what);
      if (Number.isFinite(left)) words.unshift(`${duration(left)} left`);
      display.show(progress, words);
    },
    done: () => display.stop(),
  };
}

interface Display {
  show(progress: Progress, words: readonly string[]): void;
  stop(): void;
}

function bar(name: string, stream: NodeJS.WriteStream): Display {
  const single = new cliProgress.SingleBar({
    stream,
    format: `${name} [{bar}] {percentage} %  {words}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 28,
    hideCursor: true,
    clearOnComplete: true,
  });
  let begun = false;
  return {
    show({ share }, words) {
      const shown = { words: words.join("  ") };
      if (!begun) single.start(STEPS, Math.floor(STEPS * share), shown);
      else single.update(Math.floor(STEPS * share), shown);
      begun = true;
    },
    stop: () => single.stop(),
  };
}

function plainLines(name: string, terminal: Terminal): Display {
  let told = Number.NEGATIVE_INFINITY;
  let before: string | undefined;
  return {
    show({ share, what }, words) {
      const now = performance.now();
      if (what === before && now - told < PLAIN_INTERVAL) return;
      told = now;
      before = what;
      terminal.err(`${name}: ${[`${Math.floor(100 * share)} %`, ...words].join(", ")}`);
    },
    stop() {},
  };
}

/** "1 h 04 min", "3 min 20 s", "12 s" */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "?";
  const s = Math.ceil(seconds);
  const two = (x: number): string => String(x).padStart(2, "0");
  if (s >= 3600) return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
  if (s >= 60) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${s} s`;
}

export function percent(x: number): string {
  return `${(100 * x).toPrecision(2)} %`;
}
