/** `isoplate compare`: the same scene by several methods, side by side. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { TableRow } from "../compare/report.ts";
import { loadScene, meshReader } from "../node/load-scene.ts";
import { Interrupted } from "../recording/run.ts";
import { SimulationError } from "../step/outcome.ts";
import { duration, progressDisplay } from "./progress.ts";
import { fileName, gather, number } from "./run.ts";
import { type AddCommand, Failed, type Terminal } from "./terminal.ts";

interface Options {
  methods?: string[];
  out?: string;
  seconds?: number;
  set: string[];
  seed?: number;
  json?: boolean;
  quiet?: boolean;
  outside?: boolean;
  meter: boolean;
  meshes: boolean;
}

export const addCompare: AddCommand = (program, terminal) => {
  program
    .command("compare")
    .description(
      "the same scene by several methods: one picture, one table, who locks and who stretches",
    )
    .argument("<scene>", "name of a built-in scene (see: isoplate scenes), or a file")
    .option(
      "--methods <names>",
      "by commas: ours, strain, paper, triangles, shells[-MPa], quads[-N/m], all",
      names,
    )
    .option("--out <dir>", "folder for the report (default: out/compare-<name of the scene>)")
    .option("--seconds <s>", "simulated time", number)
    .option("--set <path=value>", "change any field of the scene; repeatable", gather, [])
    .option("--seed <n>", "seed of everything random", number)
    .option("--no-meter", "without the locking meter")
    .option("--no-meshes", "without the dependence on the mesh")
    .option("--json", "print the table as one line of JSON, and nothing else, to standard output")
    .option("--quiet", "no progress")
    .option("--outside", "let the scene read files outside its folder")
    .addHelpText(
      "after",
      `
Examples:
  isoplate compare pinned-cloth
  isoplate compare pinned-cloth --methods ours,shells-1e4,triangles --no-meter --no-meshes
  isoplate compare flag.yaml --methods ours,quads --set sheet.sampling.points=300

The folder holds report.html, methods.png, table.csv and comparison.json. Nothing is written before all has run.
Exit codes: 0 done; 1 a run failed or was broken off; 2 the scene or the options are wrong.`,
    )
    .action((scene: string, options: Options) => compare(scene, options, terminal));
};

async function compare(name: string, options: Options, terminal: Terminal): Promise<void> {
  const set = [...options.set];
  if (options.seconds !== undefined) set.push(`seconds=${options.seconds}`);
  if (options.seed !== undefined) set.push(`seed=${options.seed}`);
  const outside = options.outside === true;
  const { scene, base } = loadScene(name, { set, outside });
  const folder = options.out ?? path.join("out", `compare-${fileName(scene.name)}`);
  if (fs.existsSync(folder) && !fs.statSync(folder).isDirectory())
    throw Object.assign(new Error(`${folder}: is a file, not a folder`), { code: "ENOTDIR" });
  const readMesh = meshReader(base, outside);

  const { compareScene } = await import("../compare/compare.ts");
  const display = progressDisplay("comparing", terminal, options.quiet === true);
  const stop = new AbortController();
  const deaf = terminal.onInterrupt(() => stop.abort());
  let comparison: Awaited<ReturnType<typeof compareScene>>;
  try {
    comparison = await compareScene(scene, {
      ...(options.methods ? { methods: options.methods } : {}),
      meter: options.meter,
      meshes: options.meshes,
      onProgress: ({ share, leftSeconds, run, runs, what }) =>
        display.update({ share, leftSeconds, what: `run ${run} of ${runs}: ${what}` }),
      signal: stop.signal,
      readMesh,
    });
  } catch (error) {
    if (error instanceof Interrupted) throw new Failed("broken off; nothing was written");
    if (error instanceof SimulationError) throw new Failed(`${scene.name} ${error.message}`);
    throw error;
  } finally {
    display.done();
    deaf();
  }

  const report = await import("../compare/report.ts"); // plots are slow to load
  const { pngBytes } = await import("../picture/film.ts");
  const rows = report.tableOf(comparison);
  const picture = report.comparisonPicture(comparison, readMesh);
  const png = await pngBytes(picture);
  const page = await report.comparisonPage(comparison, png);
  const result = {
    scene: scene.name,
    methods: rows,
    meter: comparison.meter.map(({ family, stiffness, outcome }) => ({
      family,
      stiffness,
      ...outcome.measures,
    })),
    meshes: comparison.meshes.map(({ mesh, outcome }) => ({ mesh, ...outcome.measures })),
    notes: comparison.notes,
  };
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, "report.html"), page);
  fs.writeFileSync(path.join(folder, "methods.png"), png);
  fs.writeFileSync(path.join(folder, "table.csv"), report.tableCsv(rows));
  fs.writeFileSync(path.join(folder, "comparison.json"), `${JSON.stringify(result, null, 2)}\n`);

  for (const note of comparison.notes) terminal.err(note);
  if (options.json) return terminal.out(JSON.stringify(result));
  printTable(rows, report.signed, terminal);
  terminal.out(`\nwritten to ${folder}; look at ${path.join(folder, "report.html")}`);
}

function printTable(
  rows: readonly TableRow[],
  signed: (share: number) => string,
  terminal: Terminal,
): void {
  const { bold, dim } = terminal.colors;
  const head = [
    "method",
    "points",
    "edge mean",
    "edge max",
    "pairs",
    "bending",
    "off",
    "deflection",
    "off",
    "sag",
    "rough",
    "time",
    "",
  ];
  const percent = (x: number): string => `${Number((100 * x).toPrecision(2))} %`;
  const round = (x: number): string => String(Number(x.toPrecision(3)));
  const cells = rows.map((r) => [
    r.method,
    String(r.points),
    percent(r.edgeMean),
    percent(r.edgeMax),
    percent(r.pair),
    `${round(1000 * r.bending)} mJ`,
    signed(r.bendingOff),
    `${round(100 * r.deflection)} cm`,
    signed(r.deflectionOff),
    `${round(100 * r.sag)} cm`,
    `${round((180 / Math.PI) * r.roughness)}°`,
    duration(r.seconds),
    r.verdict,
  ]);
  const wide = head.map((name, c) => Math.max(name.length, ...cells.map((row) => row[c].length)));
  const line = (row: readonly string[]): string =>
    row
      .map((text, c) => (c === 0 || c === 12 ? text.padEnd(wide[c]) : text.padStart(wide[c])))
      .join("  ");
  terminal.out(dim(line(head)));
  for (const row of cells) terminal.out(row[0] === "frames" ? bold(line(row)) : line(row));
}

function names(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
