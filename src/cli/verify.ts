/** `isoplate verify`: proves a recording anew, without the engine that made it. */
import { InvalidArgumentError } from "commander";
import { type FolderVerdict, verifyFolder } from "../node/verify-folder.ts";
import { RecordingError } from "../recording/container.ts";
import { percent, progressDisplay } from "./progress.ts";
import { type AddCommand, Failed, type Terminal } from "./terminal.ts";

interface Options {
  strain: number;
  curved?: boolean;
  certificate?: string;
  json?: boolean;
  quiet?: boolean;
}

/** Faults that are shown; the rest are counted. */
const MOST_SHOWN = 20;

export const addVerify: AddCommand = (program, terminal) => {
  program
    .command("verify")
    .description(
      "prove strain, non-intersection, energy and hash of every frame, without the engine",
    )
    .argument("<recording>", "folder of a run")
    .option("--strain <share>", "relative change of length that an edge may have", share, 0.02)
    .option("--curved", "look for crossings on the curved sheet (recordings with frames)")
    .option("--certificate <file>", "hold the recording against this certificate")
    .option("--json", "print faults and certificate as one line of JSON")
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      `
Examples:
  isoplate verify out/pinned-cloth
  isoplate verify out/pinned-cloth --certificate from-the-author.json

Without faults it writes certificate.json into the folder; if one is there, the recording is held against it.
Exit codes: 0 proven; 1 a fault was found; 2 there is no recording.`,
    )
    .action((folder: string, options: Options) => verify(folder, options, terminal));
};

function verify(folder: string, options: Options, terminal: Terminal): void {
  const progress = progressDisplay("verifying", terminal, options.quiet === true);
  let verdict: FolderVerdict;
  try {
    verdict = verifyFolder(folder, {
      strainLimit: options.strain,
      curved: options.curved === true,
      ...(options.certificate !== undefined && { certificate: options.certificate }),
      onFrame: (done, total) => progress.update({ share: done / total }),
    });
  } catch (error) {
    progress.done();
    // a folder without a recording is bad input; one whose files are damaged is a recording that cannot be proven
    if (error instanceof RecordingError && !/no recording here/.test(error.message))
      throw new Failed(`${folder} is not proven: ${error.message}`);
    throw error;
  }
  progress.done();
  const { faults, certificate } = verdict;
  if (options.json) terminal.out(JSON.stringify({ faults, certificate }));
  for (const note of certificate.notes) terminal.err(`note: ${note}`);
  for (const fault of faults.slice(0, MOST_SHOWN)) terminal.err(fault);
  if (faults.length > MOST_SHOWN) terminal.err(`… and ${faults.length - MOST_SHOWN} more`);
  if (faults.length > 0)
    throw new Failed(
      `${folder} is not proven: ${faults.length} fault${faults.length > 1 ? "s" : ""}`,
    );
  if (!options.json) printProof(folder, verdict, terminal);
}

/** What was proven, in four lines. */
export function printProof(
  folder: string,
  { certificate, file, isOld }: FolderVerdict,
  terminal: Terminal,
): void {
  const { frames, points } = certificate;
  const most = (of: (frame: (typeof frames)[number]) => number): number =>
    frames.reduce((value, frame) => Math.max(value, of(frame)), 0);
  terminal.out(
    `${terminal.colors.bold(folder)}  ${frames.length} frames of ${points} points proven`,
  );
  terminal.out(
    `  strain     stretched ${percent(most((f) => f.stretch))}, compressed ${percent(most((f) => f.compression))} at most`,
  );
  terminal.out(
    `  contact    ${most((f) => f.crossings)} crossings, ${(1000 * most((f) => f.depth)).toPrecision(2)} mm into bodies at most`,
  );
  terminal.out(`  energy     ${energyLine(frames)}`);
  terminal.out(`  digest     ${certificate.digest.slice(0, 16)}`);
  if (file !== null) terminal.out(isOld ? `it is as certified in ${file}` : `written to ${file}`);
}

/** What was worked out anew, and how it changed. */
function energyLine(frames: FolderVerdict["certificate"]["frames"]): string {
  const { energy: first } = frames[0];
  const last = frames[frames.length - 1].energy;
  const names = Object.keys(first) as (keyof typeof first)[];
  const known = names.filter((name) => first[name] !== null && last[name] !== null);
  const sum = (of: typeof first): number =>
    known.reduce((total, name) => total + (of[name] as number), 0);
  // what the scene does not have is 0 throughout
  const told = known.filter((name) => frames.some(({ energy }) => energy[name] !== 0));
  return `${told.join(", ")}: ${sum(first).toPrecision(4)} J at first, ${sum(last).toPrecision(4)} J at last`;
}

function share(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError("Needs more than 0, at most 1.");
  return value;
}
