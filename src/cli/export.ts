/** `isoplate export`: a recording in the files of other programs. */
import { join } from "node:path";
import { InvalidArgumentError } from "commander";
import type { Up } from "../files/animation.ts";
import { EXPORT_FORMATS, type FormatName } from "../files/export.ts";
import { ExportStopped, exportFolder } from "../node/export-folder.ts";
import { progressDisplay } from "./progress.ts";
import { type AddCommand, Failed, type Terminal, UsageError } from "./terminal.ts";

interface Options {
  format: FormatName;
  out?: string;
  from?: number;
  to?: number;
  rate?: number;
  startFrame: number;
  up?: Up;
  bodies?: boolean;
  subdivide: number;
  quiet?: boolean;
}

const NAMES = Object.keys(EXPORT_FORMATS) as FormatName[];

export const addExport: AddCommand = (program, terminal) => {
  program
    .command("export")
    .description("write a recording for other programs: GLB, Alembic, USD, OBJ, VTK, …")
    .argument("<recording>", "folder of a run")
    .requiredOption("--format <name>", NAMES.join(", "), formatName)
    .option("--out <dir>", "where to (default: <recording>/export/<format>)")
    .option("--from <n>", "first frame, counted from 0", whole)
    .option("--to <n>", "last frame", whole)
    .option(
      "--rate <n>",
      "frames per second (default: as recorded); between frames points move straight",
      positive,
    )
    .option("--start-frame <n>", "number of the first frame in the other program", integer, 1)
    .option("--up <axis>", "y or z (default: what programs expect of the format)", axis)
    .option("--bodies", "the bodies too (usual but for csv, ply, pc2 and mdd)")
    .option(
      "--subdivide <k>",
      "halve every edge k times: the curved sheet in 4^k triangles for each (recordings with frames)",
      whole,
      0,
    )
    .option("--no-bodies", "leave out the bodies")
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      `
Formats:
${NAMES.map((name) => `  ${name.padEnd(5)} ${EXPORT_FORMATS[name].title}`).join("\n")}

Examples:
  isoplate export out/pinned-cloth --format glb
  isoplate export out/pinned-cloth --format abc --rate 24 --start-frame 1001
  isoplate export out/pinned-cloth --format vtu --from 100 --to 200
  isoplate export out/flag --format obj --subdivide 2`,
    )
    .action((folder: string, options: Options) => write(folder, options, terminal));
};

async function write(folder: string, options: Options, terminal: Terminal): Promise<void> {
  const { format, startFrame, subdivide } = options;
  const progress = progressDisplay("exporting", terminal, options.quiet === true);
  const stop = new AbortController();
  const deaf = terminal.onInterrupt(() => stop.abort());
  const out = options.out ?? join(folder, "export", format);
  try {
    const { files, bytes, notes } = await exportFolder(folder, format, {
      startFrame,
      subdivide,
      ...(options.bodies !== undefined && { bodies: options.bodies }),
      ...(options.from !== undefined && { from: options.from }),
      ...(options.to !== undefined && { to: options.to }),
      ...(options.rate !== undefined && { rate: options.rate }),
      ...(options.up !== undefined && { up: options.up }),
      out,
      onFrame: (done, total) => progress.update({ share: done / total }),
      signal: stop.signal,
    });
    progress.done();
    for (const note of notes) terminal.err(note);
    const what = files.length === 1 ? files[0] : `${files.length} files in ${out}`;
    terminal.out(`written: ${what} (${(bytes / 1e6).toFixed(1)} MB)`);
  } catch (error) {
    progress.done();
    if (error instanceof ExportStopped) throw new Failed(error.message);
    // frames that are not there are the user's slip, not ours
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  } finally {
    deaf();
  }
}

function formatName(text: string): FormatName {
  const name = NAMES.find((format) => format === text.toLowerCase().replace(/^\./, ""));
  if (name === undefined) throw new InvalidArgumentError(`Needs one of: ${NAMES.join(", ")}.`);
  return name;
}

function integer(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isInteger(value))
    throw new InvalidArgumentError("Needs a whole number.");
  return value;
}

function whole(text: string): number {
  const value = integer(text);
  if (value < 0) throw new InvalidArgumentError("Needs 0 or more.");
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1e6)) throw new InvalidArgumentError("Needs more than 0.");
  return value;
}

function axis(text: string): Up {
  if (text !== "y" && text !== "z") throw new InvalidArgumentError("Needs y or z.");
  return text;
}
