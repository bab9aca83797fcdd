/** `isoplate sweep`: a study of many runs, on this machine's cores or on a Redis queue. */
import * as os from "node:os";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { InvalidArgumentError } from "commander";
import { threadPool } from "../batch/pool.ts";
import { kubernetesJob, quoted, slurmScript } from "../batch/print.ts";
import { loadStudy, parametersText, type Study } from "../batch/study.ts";
import {
  runStudy,
  type SweepOptions,
  type SweepProgress,
  type SweepResult,
} from "../batch/sweep.ts";
import { Interrupted } from "../recording/run.ts";
import { progressDisplay } from "./progress.ts";
import { type AddCommand, Failed, type Terminal, UsageError } from "./terminal.ts";

interface Options {
  out?: string;
  jobs?: number;
  part?: { k: number; n: number };
  collect?: boolean;
  retry?: boolean;
  redis?: string;
  queue?: string;
  cancel?: boolean;
  print?: "slurm" | "kubernetes";
  parts?: number;
  image?: string;
  claim?: string;
  dryRun?: boolean;
  page: boolean;
  outside?: boolean;
  json?: boolean;
  quiet?: boolean;
}

export const addSweep: AddCommand = (program, terminal) => {
  program
    .command("sweep")
    .description("many runs of a scene: a grid, a list or a random sample of any of its fields")
    .argument("<study>", "a .yaml or .json file")
    .option("--out <dir>", "folder for everything (default: out/<name of the study>)")
    .option("--jobs <n>", "runs at a time (default: one per core)", count)
    .option("--dry-run", "list the runs and stop")
    .option("--part <k/n>", "only the k-th of n parts, without table and page", part)
    .option("--collect", "run nothing: write table and page of what there is")
    .option("--retry", "run again what failed")
    .option("--redis <url>", "put the runs on a queue that `isoplate worker` takes from")
    .option("--queue <name>", "tells queues on one Redis apart")
    .option("--cancel", "with --redis: take the study off the queue")
    .option("--print <scheduler>", "print a script instead: slurm, kubernetes", scheduler)
    .option("--parts <n>", "with --print: in so many parts (default: one per run)", count)
    .option(
      "--image <name>",
      "with --print kubernetes: a container image that has isoplate (see Containerfile)",
    )
    .option("--claim <name>", "with --print kubernetes: the volume claim for the results")
    .option("--no-page", "no pictures and no study.html")
    .option("--outside", "let study and scene read files outside their folders")
    .option("--json", "print the summaries, a line of JSON per run")
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      `
A study:
  scene: pinned-cloth            # a built-in name, or a file beside the study
  set: { seconds: 2 }            # the same in every run
  grid:                          # every combination of these
    sheet.material.D: { from: 1e-5, to: 1e-3, count: 5, scale: log }
    sheet.sampling.points: [300, 662]
  measures: [strain.edgeMax, sag]
Instead of grid, or with it: a list of runs
  list: [{ air.drag: 1 }, { air.drag: 2, seed: 3 }]
or a random sample
  sample: { count: 20, seed: 1, fields: { sheet.material.density: { from: 0.1, to: 0.3 } } }

Examples:
  isoplate sweep stiffness.yaml
  isoplate sweep stiffness.yaml --redis redis://queue.example:6379 --out /mnt/shared/stiffness
  isoplate sweep stiffness.yaml --print slurm > stiffness.sbatch

The folder holds runs/<name>/ (a recording each), results.csv and study.html. The same command goes on where it
stopped: what is done is kept, what was broken off goes on from its checkpoint.
Exit codes: 0 all done; 1 a run failed, or the sweep was broken off; 2 the study or the options are wrong.`,
    )
    .action((file: string, options: Options) => sweep(file, options, terminal));
};

async function sweep(file: string, options: Options, terminal: Terminal): Promise<void> {
  checkTogether(options);
  const study = loadStudy(file, { outside: options.outside === true });
  const out = options.out ?? path.join("out", study.name.replace(/[^\p{L}\p{N}._ -]+/gu, "-"));
  if (options.dryRun) {
    for (const { name, parameters } of study.runs)
      terminal.out(`${name}  ${parametersText(parameters)}`);
    return;
  }
  if (options.print !== undefined) {
    terminal.out(printed(study, file, out, options).trimEnd());
    return;
  }
  if (options.cancel) {
    const { cancelStudy } = await import("../batch/on-queue.ts");
    const removed = await cancelStudy(study, queueOptions(options));
    terminal.out(`${removed} runs taken off the queue`);
    return;
  }

  const display = progressDisplay(study.name, terminal, options.quiet === true);
  const stop = new AbortController();
  const deaf = terminal.onInterrupt(() => stop.abort());
  const pool = threadPool(options.jobs ?? os.availableParallelism());
  let result: SweepResult;
  try {
    result = await runStudy(study, {
      out,
      pool,
      page: options.page,
      retry: options.retry === true,
      ...(options.part && { part: options.part }),
      ...(await executor(study, out, options, terminal)),
      onProgress: (p) =>
        display.update({ share: p.share, leftSeconds: p.leftSeconds, details: words(p) }),
      signal: stop.signal,
    });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    display.done();
    const where = options.redis === undefined ? "" : " (its runs stay on the queue)";
    throw new Failed(`broken off${where}; go on with the same command`);
  } finally {
    display.done();
    deaf();
    await pool.close();
  }
  told(study, result, out, options, terminal);
}

/** Says how it went; throws if a run failed. */
function told(
  study: Study,
  { results, csv, page }: SweepResult,
  out: string,
  options: Options,
  terminal: Terminal,
): void {
  const { part } = options;
  const mine = part ? results.filter((_, k) => k % part.n === part.k - 1) : results;
  const failed = mine.filter(({ outcome }) => outcome?.status === "failed");
  const done = mine.filter(({ outcome }) => outcome?.status === "done").length;
  if (options.json)
    for (const { run, outcome } of mine) {
      const { name, parameters } = run;
      terminal.out(
        JSON.stringify({ run: name, parameters, ...(outcome ?? { status: "waiting" }) }),
      );
    }
  else {
    terminal.out(`${terminal.colors.bold(study.name)}  ${done} of ${mine.length} runs done`);
    if (csv !== "") terminal.out(`written to ${csv}${page === null ? "" : `; look at ${page}`}`);
  }
  for (const { run, outcome } of failed.slice(0, 20))
    terminal.err(`${run.name}: ${outcome?.status === "failed" ? outcome.message : ""}`);
  if (failed.length > 20) terminal.err(`… and ${failed.length - 20} more`);
  if (failed.length > 0)
    throw new Failed(
      `${failed.length} of ${mine.length} runs failed; with --retry they are run again`,
    );
  if (!options.collect && done < mine.length)
    throw new Failed(`${mine.length - done} runs have not come to their end in ${quoted(out)}`);
}

async function executor(
  study: Study,
  out: string,
  options: Options,
  terminal: Terminal,
): Promise<Pick<SweepOptions, "executor">> {
  if (options.collect) return { executor: async () => undefined };
  if (options.redis === undefined) return {};
  const { queueExecutor } = await import("../batch/on-queue.ts");
  const onAlone = (): void =>
    terminal.err(
      "no worker listens yet; the runs wait for one: isoplate worker --redis and the same address",
    );
  return { executor: queueExecutor(study, out, { ...queueOptions(options), onAlone }) };
}

function queueOptions({ redis, queue }: Options): { url: string; queue?: string } {
  if (redis === undefined) throw new UsageError("--cancel needs --redis");
  return { url: redis, ...(queue !== undefined && { queue }) };
}

function printed(study: Study, file: string, out: string, options: Options): string {
  const shared = { file, out, ...(options.parts !== undefined && { parts: options.parts }) };
  // the program that prints is the one that shall run
  const program = path.join(path.dirname(fileURLToPath(import.meta.url)), "main.js");
  if (options.print === "slurm") return slurmScript(study, { ...shared, program });
  return kubernetesJob(study, {
    ...shared,
    ...(options.image !== undefined && { image: options.image }),
    ...(options.claim !== undefined && { claim: options.claim }),
    ...(options.jobs !== undefined && { parallel: options.jobs }),
  });
}

/** Options that mean nothing together, all at once. */
function checkTogether(options: Options): void {
  const faults: string[] = [];
  const given = (name: keyof Options): boolean => options[name] !== undefined;
  if (given("part") && (given("redis") || given("collect") || given("print")))
    faults.push("--part is for a run without --redis, --collect and --print");
  if (given("collect") && given("redis"))
    faults.push("--collect runs nothing, so it has no use for --redis");
  if ((given("queue") || given("cancel")) && !given("redis"))
    faults.push("--queue and --cancel need --redis");
  if (given("parts") && !given("print")) faults.push("--parts is for --print");
  if ((given("image") || given("claim")) && options.print !== "kubernetes")
    faults.push("--image and --claim are for --print kubernetes");
  if (faults.length > 0) throw new UsageError(faults.join("\n"));
}

function words({ done, total, running, failed, before }: SweepProgress): string[] {
  const parts = [`${done} of ${total} runs`];
  if (before > 0) parts.push(`${before} from before`);
  if (running > 0) parts.push(`${running} running`);
  if (failed > 0) parts.push(`${failed} failed`);
  return parts;
}

function count(text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value >= 1 && value <= 100_000))
    throw new InvalidArgumentError("Needs a whole number from 1.");
  return value;
}

function part(text: string): { k: number; n: number } {
  const [, k, n] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (!(k >= 1 && n >= k)) throw new InvalidArgumentError("Needs k/n with 1 ≤ k ≤ n.");
  return { k, n };
}

function scheduler(text: string): "slurm" | "kubernetes" {
  if (text !== "slurm" && text !== "kubernetes")
    throw new InvalidArgumentError("Needs slurm or kubernetes.");
  return text;
}
