/** `isoplate bench`: speed per phase at the paper's sizes; in a checkout also beside CHOLMOD and other engines. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { InvalidArgumentError } from "commander";
import { benchPairs } from "../bench/pairs.ts";
import { benchSteps, LARGE, SIZES, type StepRow } from "../bench/steps.ts";
import {
  columns,
  growthLine,
  machineLine,
  ms,
  pairTable,
  saveRows,
  stepTable,
} from "../bench/table.ts";
import { type AddCommand, type Terminal, UsageError } from "./terminal.ts";

interface Options {
  sizes?: number[];
  solver: StepRow["solver"][];
  h?: number;
  large?: boolean;
  seconds: number;
  native?: boolean;
  peers?: boolean;
  save?: boolean;
  against?: string;
  json?: boolean;
}

/** bench/linalg.ts and bench/peers.ts, built on first use. */
interface Workshop {
  linalg(options: object): Promise<string>;
  peers(options: object): Promise<string>;
}

export const addBench: AddCommand = (program, terminal) => {
  program
    .command("bench")
    .description("measure the speed of steps, phase by phase")
    .option("--sizes <n,…>", `points (default: ${SIZES.join(",")})`, sizes)
    .option("--large", `${LARGE} points too`)
    .option("--solver <names>", "accurate, interactive, paper", solvers, [
      "accurate",
      "interactive",
    ])
    .option("--step <s>", "time step (default: the solver's own)", positive)
    .option("--seconds <s>", "time for the repetitions of one size", positive, 6)
    .option("--native", "in a checkout: beside CHOLMOD on the same matrices")
    .option("--peers", "in a checkout: beside other engines from npm, by true strain")
    .option("--save", "append the rows to bench/results/<machine>.csv")
    .option("--against <dir>", "another built checkout: the same there, alternating, and ratios")
    .option("--json", "one line of JSON per size and solver")
    .addHelpText(
      "after",
      `
Examples:
  isoplate bench
  isoplate bench --sizes 662,2716 --solver interactive
  isoplate bench --native
  isoplate bench --against ../isoplate-main

Times are ms per step, the smallest of repetitions of the same step; a busy machine shows in the median.`,
    )
    .action((options: Options & { step?: number }) =>
      bench({ ...options, ...(options.step !== undefined && { h: options.step }) }, terminal),
    );
};

async function bench(options: Options, terminal: Terminal): Promise<void> {
  const all = [...(options.sizes ?? SIZES), ...(options.large ? [LARGE] : [])];
  const other = options.against === undefined ? null : otherTree(options.against);
  const workshop = options.native || options.peers ? await checkout() : null;
  const print = options.json ? () => undefined : terminal.out;
  print(machineLine());

  const rows: StepRow[] = [];
  for (const solver of options.solver) {
    const own: StepRow[] = [];
    const theirs: StepRow[] = [];
    for (const points of all) {
      const settings = {
        solver,
        seconds: options.seconds,
        ...(options.h !== undefined && { h: options.h }),
      };
      own.push(benchSteps(points, settings));
      if (other !== null) theirs.push(other(points, settings));
      if (options.json) terminal.out(JSON.stringify(own.at(-1)));
      else terminal.err(`${solver} ${points}: ${ms(own.at(-1)!.total.min)} ms`);
    }
    rows.push(...own);
    print("");
    print(`${solver}, h = ${own[0].h.toPrecision(3)} s`);
    print(stepTable(own));
    if (own.length > 1) print(`growth: ${growthLine(own)}`);
    if (theirs.length > 0) {
      print("");
      print(ratioTable(own, theirs));
    }
  }
  if (!options.json) {
    print("\ncontact: µs a point in four layers that lie on each other");
    print(pairTable(all.map(benchPairs)));
  }
  if (options.save) {
    const folder = path.join(root() ?? ".", "bench", "results");
    print(`\nsaved to ${saveRows(folder, rows, new Date().toISOString().slice(0, 10))}`);
  }
  if (workshop === null) return;
  if (options.native) {
    const shared = { sizes: all, seconds: options.seconds };
    print(`\nSparse Cholesky beside CHOLMOD (ms; ratios are ours over theirs)`);
    print(await workshop.linalg({ ...shared, native: true, threads: 2 }));
  }
  if (options.peers) {
    print(`\nOther engines on the pinned sheet`);
    print(await workshop.peers({ seconds: options.seconds }));
  }
}

function ratioTable(own: readonly StepRow[], theirs: readonly StepRow[]): string {
  const lines = own.map((row, k) => [
    String(row.points),
    ms(row.total.min),
    ms(theirs[k].total.min),
    (row.total.min / theirs[k].total.min).toFixed(2),
    (row.perSecond / theirs[k].perSecond).toFixed(2),
  ]);
  return columns([["points", "here", "there", "ratio", "per second"], ...lines]);
}

/** Runs the same in another checkout, one size at a time, so that both see the same noise. */
function otherTree(folder: string): (points: number, options: object) => StepRow {
  const main = path.join(folder, "dist", "cli", "main.js");
  if (!fs.existsSync(main)) throw new UsageError(`--against ${folder}: no dist/cli/main.js there`);
  return (points, options) => {
    const { solver, seconds, h } = options as { solver: string; seconds: number; h?: number };
    const args = [
      ...["bench", "--json", "--sizes", String(points), "--solver", solver],
      ...["--seconds", String(seconds), ...(h === undefined ? [] : ["--step", String(h)])],
    ];
    const text = execFileSync(process.execPath, [main, ...args], { encoding: "utf8" });
    return JSON.parse(text.trim().split("\n")[0]) as StepRow;
  };
}

/** The checkout that this program was built from, if it is one. */
function root(): string | null {
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  return fs.existsSync(path.join(folder, "bench", "workshop.mjs")) ? folder : null;
}

async function checkout(): Promise<Workshop> {
  const folder = root();
  if (folder === null)
    throw new UsageError("--native and --peers need a checkout of isoplate's sources, built");
  const file = pathToFileURL(path.join(folder, "bench", "workshop.mjs")).href;
  return (await import(file)) as Workshop;
}

function sizes(text: string): number[] {
  const list = text.split(",").map(Number);
  if (!list.every((n) => Number.isInteger(n) && n >= 4 && n <= 1e6))
    throw new InvalidArgumentError("Needs numbers of points, such as 662,2716.");
  return list;
}

function solvers(text: string): StepRow["solver"][] {
  const known = ["accurate", "interactive", "paper"] as const;
  return text.split(",").map((name) => {
    const found = known.find((solver) => solver === name);
    if (found === undefined) throw new InvalidArgumentError(`Needs some of ${known.join(", ")}.`);
    return found;
  });
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError("Needs more than 0.");
  return value;
}
