/** `isoplate worker`: takes runs that `isoplate sweep --redis` has put on a queue. */
import * as fs from "node:fs";
import { InvalidArgumentError } from "commander";
import type { WorkerEvent } from "../batch/worker.ts";
import { type AddCommand, type Terminal, UsageError } from "./terminal.ts";

interface Options {
  redis: string;
  queue?: string;
  folder?: string;
  jobs?: number;
  lock: number;
  idle?: number;
  quiet?: boolean;
}

export const addWorker: AddCommand = (program, terminal) => {
  program
    .command("worker")
    .description("take runs of studies from a Redis queue")
    .requiredOption("--redis <url>", "as given to `isoplate sweep`")
    .option("--queue <name>", "as given to `isoplate sweep`")
    .option(
      "--folder <dir>",
      "the parent of the sweep's --out, as this machine sees it (without: results go through Redis)",
    )
    .option("--jobs <n>", "runs at a time (default: one per core)", whole)
    .option(
      "--lock <s>",
      "seconds after which the runs of a dead worker go to others",
      positive,
      30,
    )
    .option(
      "--idle <s>",
      "end when there has been nothing to do for so long (default: wait)",
      positive,
    )
    .option("--quiet", "say nothing but trouble")
    .addHelpText(
      "after",
      `
Examples:
  isoplate worker --redis redis://queue.example:6379
  isoplate worker --redis redis://queue.example:6379 --folder /mnt/shared --jobs 8

Start any number on any machines; all must be of the sweep's version. Ctrl-C puts running simulations back with
their checkpoints; after a kill others go on from the last ones.`,
    )
    .action((options: Options) => work(options, terminal));
};

async function work(options: Options, terminal: Terminal): Promise<void> {
  const { folder, jobs, queue, idle, lock } = options;
  if (folder !== undefined && !(fs.existsSync(folder) && fs.statSync(folder).isDirectory()))
    throw new UsageError(`--folder ${folder}: no such folder`);
  const { runWorker } = await import("../batch/on-queue.ts");
  const stop = new AbortController();
  const deaf = terminal.onInterrupt(() => stop.abort());
  if (!options.quiet) terminal.err("waiting for runs; stop with Ctrl-C");
  let ended = 0;
  try {
    await runWorker({
      url: options.redis,
      lockSeconds: lock,
      signal: stop.signal,
      ...(queue !== undefined && { queue }),
      ...(folder !== undefined && { folder }),
      ...(jobs !== undefined && { jobs }),
      ...(idle !== undefined && { idleSeconds: idle }),
      onEvent(event) {
        if (event.type === "ended") ended += 1;
        if (event.type === "trouble" || !options.quiet) terminal.err(line(event));
      },
    });
  } finally {
    deaf();
  }
  terminal.out(`${ended} runs ended here`);
}

function line(event: WorkerEvent): string {
  if (event.type === "trouble") return `trouble: ${event.message}`;
  if (event.type === "begun") {
    const from = event.share > 0 ? `, from ${Math.floor(100 * event.share)} %` : "";
    return `begun  ${event.run}${from}`;
  }
  if (event.type === "left") return `left   ${event.run}: ${event.why}`;
  const { outcome } = event;
  return outcome.status === "done"
    ? `done   ${event.run}`
    : `failed ${event.run}: ${outcome.message}`;
}

function whole(text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value >= 1))
    throw new InvalidArgumentError("Needs a whole number from 1.");
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError("Needs more than 0.");
  return value;
}
