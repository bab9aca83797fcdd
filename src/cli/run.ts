/** `isoplate run`: one scene, from a name or a file to a folder with its recording, pictures and report. */
import * as path from "node:path";
import { InvalidArgumentError } from "commander";
import { recordedImageReader, recordedMeshReader } from "../node/kept-files.ts";
import { loadScene } from "../node/load-scene.ts";
import { resumeFolder, runToFolder } from "../node/run-folder.ts";
import { verifyFolder } from "../node/verify-folder.ts";
import { readScene } from "../recording/folder.ts";
import { Interrupted } from "../recording/run.ts";
import type { Summary } from "../recording/summary.ts";
import { SimulationError } from "../step/outcome.ts";
import { percent, progressDisplay } from "./progress.ts";
import { type AddCommand, Failed, isDiskFull, type Terminal, UsageError } from "./terminal.ts";
import { printProof } from "./verify.ts";

interface Options {
  out?: string;
  seconds?: number;
  set: string[];
  seed?: number;
  json?: boolean;
  quiet?: boolean;
  verify?: boolean;
  certify?: boolean;
  resume?: string;
  outside?: boolean;
  report: boolean;
  threads: number;
}

export const addRun: AddCommand = (program, terminal) => {
  program
    .command("run")
    .description("simulate a built-in scene or a .json or .yaml file")
    .argument("[scene]", "name of a built-in scene (see: isoplate scenes), or a file")
    .option("--out <dir>", "folder for the recording (default: out/<name of the scene>)")
    .option("--seconds <s>", "simulated time", number)
    .option("--set <path=value>", "change any field of the scene; repeatable", gather, [])
    .option("--seed <n>", "seed of everything random", number)
    .option("--json", "print the summary as one line of JSON, and nothing else, to standard output")
    .option(
      "--verify",
      "count triangles of every frame that intersect each other or a body by an exact check; any is a failure",
    )
    .option("--certify", "prove the recording at the end, without the engine: isoplate verify")
    .option("--quiet", "no progress")
    .option("--resume <dir>", "go on with the run in this folder from its last checkpoint")
    .option("--threads <n>", "threads of a step, 1 to 8 (the same bits)", threads, 1)
    .option("--outside", "let the scene read files outside its folder")
    .option("--no-report", "no pictures and no report.html")
    .addHelpText(
      "after",
      `
Examples:
  isoplate run pinned-cloth
  isoplate run flag.yaml --out out/flag --seconds 2
  isoplate run pinned-cloth --set sheet.material.D=1e-3 --set pins.1.release=2
  isoplate run --resume out/pinned-cloth

The folder holds scene.json, frames, metrics.csv, summary.json, checkpoint and report.html.
Exit codes: 0 done; 1 the run failed, was broken off, or ended stuck, frozen or strained beyond 2 %;
2 the scene or the options are wrong.`,
    )
    .action((scene: string | undefined, options: Options) => run(scene, options, terminal));
};

async function run(name: string | undefined, options: Options, terminal: Terminal): Promise<void> {
  const { folder, title, notes, start } = prepared(name, options);
  for (const note of notes) terminal.err(`note: ${note}`);
  const display = progressDisplay(title, terminal, options.quiet === true);
  const stop = new AbortController();
  const deaf = terminal.onInterrupt(() => stop.abort());
  let summary: Summary;
  try {
    summary = await start({
      onProgress: (p) =>
        display.update({
          share: p.totalSteps === 0 ? 1 : p.steps / p.totalSteps,
          details: [
            `${p.time.toFixed(2)} of ${p.seconds} s`,
            `stretched ${percent(p.stretchMax)} at most`,
          ],
          leftSeconds: p.leftSeconds,
        }),
      signal: stop.signal,
      verify: options.verify === true,
      threads:
        options.threads > 1
          ? (await import("./threads.ts")).nodeThreads(options.threads)
          : undefined,
    });
  } catch (error) {
    display.done();
    if (error instanceof Interrupted)
      throw new Failed(`${error.message}; go on with: isoplate run --resume ${quoted(folder)}`);
    if (isDiskFull(error))
      throw new Failed(
        `the disk is full; what was recorded stays. Make room and go on with: isoplate run --resume ${quoted(folder)}`,
      );
    if (error instanceof SimulationError)
      throw new Failed(`${title} ${error.message}; what came before is in ${folder}`);
    throw error;
  } finally {
    deaf();
  }
  display.done();
  const report = options.report ? await reported(folder, options.quiet === true, terminal) : null;
  for (const warning of summary.warnings) terminal.err(`warning: ${warning}`);

  if (options.json) terminal.out(JSON.stringify(summary));
  const verdict = options.certify ? verifyFolder(folder) : null;
  if (verdict !== null && verdict.faults.length > 0) {
    for (const fault of verdict.faults.slice(0, 20)) terminal.err(fault);
    throw new Failed(
      `${title}: ran to its end, but is not proven: ${verdict.faults.length} faults`,
    );
  }
  if (summary.intersections)
    throw new Failed(
      `${title}: ${summary.intersections} intersecting pairs of triangles over all frames`,
    );
  if (summary.bodyIntersections)
    throw new Failed(
      `${title}: ${summary.bodyIntersections} triangles cut into bodies over all frames`,
    );
  if (!options.json) printSummary(summary, terminal);
  if (summary.problems.length > 0)
    throw new Failed(
      `${title} ended at ${round(summary.seconds)} s, and not well: ${summary.problems.join("; ")}; what there is is in ${folder}`,
    );
  if (options.json) return;
  terminal.out("");
  if (verdict !== null) printProof(folder, verdict, terminal);
  terminal.out(`written to ${folder}${report === null ? "" : `; look at ${report}`}`);
  terminal.out("the studio shows it live in a browser: npx isoplate studio");
}

/** Makes pictures and report.html; a run is not lost because its report failed. */
async function reported(
  folder: string,
  quiet: boolean,
  terminal: Terminal,
): Promise<string | null> {
  try {
    if (!quiet && terminal.live !== null) terminal.err("drawing pictures and report …");
    const { writeReport } = await import("../picture/report.ts"); // plots are slow to load
    return await writeReport(folder, {
      readMesh: recordedMeshReader(folder),
      readImage: recordedImageReader(folder),
    });
  } catch (error) {
    terminal.err(`warning: no report: ${(error as Error).message}`);
    return null;
  }
}

type Start = (hooks: Parameters<typeof resumeFolder>[1] & object) => Promise<Summary>;

/** Everything that can be wrong with the scene and the options is found here, before anything is written. */
function prepared(
  name: string | undefined,
  options: Options,
): { folder: string; title: string; notes: readonly string[]; start: Start } {
  if (options.resume !== undefined) {
    if (name !== undefined || options.set.length > 0 || options.seed !== undefined || options.out)
      throw new UsageError(
        "--resume goes on with the scene in its folder; only --seconds may change",
      );
    const folder = options.resume;
    const scene = readScene(folder);
    const more = options.seconds === undefined ? {} : { seconds: options.seconds };
    return {
      folder,
      title: scene.name,
      notes: [],
      start: (hooks) => resumeFolder(folder, { ...hooks, ...more }),
    };
  }
  if (name === undefined)
    throw new UsageError("needs a scene: a built-in name or a file (see: isoplate scenes)");
  const set = [...options.set];
  if (options.seconds !== undefined) set.push(`seconds=${options.seconds}`);
  if (options.seed !== undefined) set.push(`seed=${options.seed}`);
  const outside = options.outside === true;
  const { scene, base, notes } = loadScene(name, { set, outside });
  const folder = options.out ?? path.join("out", fileName(scene.name));
  return {
    folder,
    title: scene.name,
    notes,
    start: (hooks) => runToFolder(scene, folder, { base, outside, ...hooks }),
  };
}

/** A name as a folder's: no separators, nothing hidden. */
export function fileName(name: string): string {
  const clean = name.replace(/[^\p{L}\p{N}._ -]+/gu, "-").replace(/^[.-]+/, "");
  return clean === "" ? "scene" : clean;
}

function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw new InvalidArgumentError("Not a number.");
  return value;
}

export function gather(value: string, earlier: string[]): string[] {
  if (!value.includes("=")) throw new InvalidArgumentError("Needs path=value.");
  return [...earlier, value];
}

function printSummary(s: Summary, terminal: Terminal): void {
  const { bold, green, red } = terminal.colors;
  const row = (name: string, text: string): void => terminal.out(`  ${name.padEnd(10)} ${text}`);
  const good = s.unconvergedSteps === 0;
  terminal.out(
    `${bold(s.scene)}  ${s.points} points, ${round(s.seconds)} s in ${s.steps} steps, ${round(s.wallSeconds)} s of work`,
  );
  row(
    "strain",
    `edges ${percent(s.strain.edgeMean)} on average; stretched ${percent(s.strain.stretchMax)} at most (${percent(s.strain.stretchMaxEver)} at any time), far pairs ${percent(s.strain.pairMax)}; arcs of the sharpest folds ${percent(s.strain.compressionMax)} shorter`,
  );
  // the paper's own measure says little of other constraints: folds shorten the averaged F
  if (s.constraint === "paper")
    row(
      "residual",
      `trace ${round(s.residual.trace)}, det ${round(s.residual.det)} (tolerance ${s.tolerance})`,
    );
  row(
    "rounds",
    `${round(s.projections.mean)} a step, ${s.projections.max} at most; ${s.fallbackSteps} steps by fallback, ${(good ? green : red)(`${s.unconvergedSteps} unconverged`)}`,
  );
  row(
    "energy",
    `bending ${round(s.energy.bending)} J, membrane ${round(s.energy.membrane)} J, smoothing ${round(s.energy.smoothing ?? 0)} J, kinetic ${round(s.energy.kinetic)} J`,
  );
  row(
    "shape",
    `sag ${round(s.sag)} m, roughness ${round((s.roughness * 180) / Math.PI)}°, fastest point ${round(1000 * s.speedMax)} mm/s`,
  );
  if (s.reactions !== undefined) row("forces", forces(s.reactions));
  row("hash", s.hash.slice(0, 16));
}

/** Pins that are printed; summary.json has all. */
const MOST_FORCES = 6;

/** Forces of the pins on the sheet: size and direction. */
function forces(reactions: NonNullable<Summary["reactions"]>): string {
  const shown = reactions.slice(0, MOST_FORCES).map(({ name, force }) => {
    const size = Math.hypot(...force);
    return `${name} ${round(size)} N (${force.map((x) => round(x)).join(", ")})`;
  });
  const more = reactions.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; ${more} more` : ""}`;
}

function round(x: number): string {
  return String(Number(x.toPrecision(3)));
}

function threads(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 8) return count;
  throw new InvalidArgumentError("Needs a whole number from 1 to 8.");
}
