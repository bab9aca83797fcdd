#!/usr/bin/env node
/** The command line: names the commands, and turns how they end into exit codes 0, 1 and 2. */
import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { RedisError } from "../batch/redis-error.ts";
import { FileError } from "../files/file-error.ts";
import { MemoryError } from "../linalg/arena.ts";
import { MissingPackage } from "../optional.ts";
import { RecordingError } from "../recording/container.ts";
import { UnreadableFileError } from "../recording/regular-file.ts";
import { SceneError } from "../scene/faults.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { version } from "../version.ts";
import { addBench } from "./bench.ts";
import { addCompare } from "./compare.ts";
import { addExport } from "./export.ts";
import { addFigures } from "./figures.ts";
import { addRender } from "./render.ts";
import { addRun } from "./run.ts";
import { addScenes } from "./scenes.ts";
import { addSchema } from "./schema.ts";
import { addStudio } from "./studio.ts";
import { addSweep } from "./sweep.ts";
import {
  type AddCommand,
  isDiskFull,
  processTerminal,
  type Terminal,
  UsageError,
} from "./terminal.ts";
import { addValidate } from "./validate.ts";
import { addVerify } from "./verify.ts";
import { addWorker } from "./worker.ts";

const commands: readonly AddCommand[] = [
  addScenes,
  addRun,
  addCompare,
  addValidate,
  addFigures,
  addVerify,
  addRender,
  addExport,
  addSweep,
  addWorker,
  addBench,
  addStudio,
  addSchema,
];

/** Errors that say what is wrong with what was given. */
const BAD_INPUT = [
  SceneError,
  SheetError,
  FileError,
  RecordingError,
  UnreadableFileError,
  MemoryError,
  RedisError,
  MissingPackage,
  UsageError,
];
/** Errors of the file system that mean a wrong path. */
const BAD_PATH = new Set([
  "ENOENT",
  "ENOTDIR",
  "EISDIR",
  "EEXIST",
  "EACCES",
  "EPERM",
  "EROFS",
  "ENAMETOOLONG",
]);

/** Runs `isoplate` with these arguments (without node and the script) and gives the exit code. */
export async function main(
  args: readonly string[],
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const program = new Command("isoplate")
    .description("simulates sheets that bend but do not stretch: cloth, paper, leather, film, skin")
    .version(version)
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    })
    .showSuggestionAfterError(true)
    .exitOverride()
    .addHelpText(
      "after",
      `
Start with:
  isoplate scenes
  isoplate run pinned-cloth`,
    );
  for (const add of commands) add(program, terminal);
  for (const command of program.commands) command.copyInheritedSettings(program);
  try {
    await program.parseAsync([...args], { from: "user" });
    return 0;
  } catch (error) {
    return told(error, terminal);
  }
}

/** Says what went wrong and gives the exit code for it. */
function told(error: unknown, terminal: Terminal): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // already told
  if (!(error instanceof Error)) {
    terminal.err(`failed: ${String(error)}`);
    return 1;
  }
  if (BAD_INPUT.some((type) => error instanceof type)) {
    terminal.err(terminal.colors.red(error.message));
    return 2;
  }
  if (isDiskFull(error)) {
    terminal.err(
      terminal.colors.red("failed: the disk is full; make room and give the same command again"),
    );
    return 1;
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && BAD_PATH.has(code)) {
    terminal.err(terminal.colors.red(error.message));
    return 2;
  }
  terminal.err(terminal.colors.red(`failed: ${error.message}`));
  if (error instanceof TypeError || error instanceof ReferenceError)
    terminal.err(error.stack ?? ""); // ours
  return 1;
}

const script = process.argv[1];
if (
  script !== undefined &&
  fs.existsSync(script) &&
  fs.realpathSync(script) === fileURLToPath(import.meta.url)
)
  process.exitCode = await main(process.argv.slice(2));
