/**
 * What commands use of their process: where they print, and how they end. Tests give another one.
 *
 * Results go to standard output, everything else (progress, faults, advice) to standard error, so that output can be
 * piped while a person still sees what happens.
 */
import type { Command } from "commander";
import pc from "picocolors";

export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Standard error is a terminal that a progress bar can live in. */
  readonly live: NodeJS.WriteStream | null;
  readonly colors: ReturnType<typeof pc.createColors>;
  /** Runs `stop` at the first Ctrl-C or kill; gives a function that stops listening. */
  onInterrupt(stop: () => void): () => void;
}

/** Adds one command to the program. Its action gives the exit code, or nothing for 0. */
export type AddCommand = (program: Command, terminal: Terminal) => void;

/** Wrong use of a command: exit code 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

/** A run or check that did not succeed, already reported: exit code 1. */
export class Failed extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Failed";
  }
}

/** Whether an error means that there is no room left: the disk is full, or the quota is used up. */
export function isDiskFull(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT" || /\b(ENOSPC|EDQUOT)\b/.test(message ?? "");
}

export function processTerminal(): Terminal {
  // the reader of a pipe may close it: `isoplate run cloth.yaml | head`
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    live: process.stderr.isTTY ? process.stderr : null,
    colors: pc.createColors(pc.isColorSupported && process.stdout.isTTY === true),
    onInterrupt(stop) {
      const listener = (): void => {
        quiet();
        stop();
      };
      // a second signal ends the process at once, as it would have without us
      const quiet = (): void => {
        process.off("SIGINT", listener);
        process.off("SIGTERM", listener);
      };
      process.on("SIGINT", listener);
      process.on("SIGTERM", listener);
      return quiet;
    },
  };
}
