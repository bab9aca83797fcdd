/** Progress of a run: a bar with the time left on a terminal, a plain line now and then elsewhere. */
import cliProgress from "cli-progress";
import type { Progress } from "../recording/run.ts";
import type { Terminal } from "./terminal.ts";

export interface ProgressDisplay {
  update(progress: Progress): void;
  done(): void;
}

/** ms between plain lines. */
const PLAIN_INTERVAL = 5000;

export function progressDisplay(name: string, terminal: Terminal, quiet: boolean): ProgressDisplay {
  if (quiet) return { update() {}, done() {} };
  return terminal.live === null ? plainLines(name, terminal) : bar(name, terminal.live);
}

function bar(name: string, stream: NodeJS.WriteStream): ProgressDisplay {
  const single = new cliProgress.SingleBar({
    stream,
    format: `${name} [{bar}] {percentage} %  {time} of {seconds}  {left} left  strain {strain}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 28,
    hideCursor: true,
    clearOnComplete: true,
  });
  let begun = false;
  return {
    update(p) {
      const shown = {
        time: `${p.time.toFixed(2)} s`,
        seconds: `${p.seconds} s`,
        left: duration(p.leftSeconds),
        strain: percent(p.edgeMax),
      };
      if (!begun) single.start(Math.max(1, p.totalSteps), p.steps, shown);
      else single.update(p.steps, shown);
      begun = true;
    },
    done: () => single.stop(),
  };
}

function plainLines(name: string, terminal: Terminal): ProgressDisplay {
  let told = Number.NEGATIVE_INFINITY;
  return {
    update(p) {
      const now = performance.now();
      if (now - told < PLAIN_INTERVAL && told > 0) return;
      told = now;
      const share = p.totalSteps === 0 ? 100 : Math.floor((100 * p.steps) / p.totalSteps);
      terminal.err(
        `${name}: ${share} %, ${p.time.toFixed(2)} of ${p.seconds} s, ${duration(p.leftSeconds)} left, strain at most ${percent(p.edgeMax)}`,
      );
    },
    done() {},
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
