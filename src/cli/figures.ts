/** `isoplate figures`: every experiment of the paper, as pictures, numbers and one page. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Figure } from "../figures/figure.ts";
import { Interrupted } from "../recording/run.ts";
import { duration } from "./progress.ts";
import { type AddCommand, Failed, type Terminal, UsageError } from "./terminal.ts";

interface Options {
  fast?: boolean;
  out?: string;
  list?: boolean;
  quiet?: boolean;
}

export const addFigures: AddCommand = (program, terminal) => {
  program
    .command("figures")
    .description("make the figures of the paper again: pictures, numbers, one figures.html")
    .argument("[name...]", "some of them only (see --list)")
    .option("--fast", "small versions of all, in some ten minutes")
    .option("--out <dir>", "folder (default: out/figures, out/figures-fast)")
    .option("--list", "say what there is and how long it takes")
    .option("--quiet", "no progress")
    .addHelpText(
      "after",
      `
Examples:
  isoplate figures --fast
  isoplate figures cylinder skirts

Runs are kept: a command that was broken off goes on where it was, and what is complete is not run again.`,
    )
    .action((names: string[], options: Options) => make(names, options, terminal));
};

async function make(names: readonly string[], options: Options, terminal: Terminal): Promise<void> {
  const { figures } = await import("../figures/index.ts"); // plots are slow to load
  const fast = options.fast === true;
  const unknown = names.filter((name) => !figures.some((figure) => figure.name === name));
  if (unknown.length > 0)
    throw new UsageError(
      `no figure "${unknown.join('", "')}"; there are ${figures.map(({ name }) => name).join(", ")}`,
    );
  const chosen = names.length === 0 ? figures : figures.filter(({ name }) => names.includes(name));
  const { bold, green, red, dim } = terminal.colors;
  if (options.list) {
    for (const { name, title, minutes } of figures)
      terminal.out(
        `${bold(name.padEnd(12))} ${title} ${dim(`(${time(minutes.full)}, fast ${time(minutes.fast)})`)}`,
      );
    return;
  }
  const say = options.quiet ? (): void => {} : (text: string): void => terminal.err(text);
  const whole = chosen.reduce((sum, { minutes }) => sum + minutes[fast ? "fast" : "full"], 0);
  say(`${chosen.length} figures, some ${time(whole)} on a desktop machine; it can be broken off`);

  const { figuresPage } = await import("../figures/page.ts");
  const out = options.out ?? path.join("out", fast ? "figures-fast" : "figures");
  const page = path.join(out, "figures.html");
  const stop = new AbortController();
  const deaf = terminal.onInterrupt(() => stop.abort());
  const made: Parameters<typeof figuresPage>[0][number][] = [];
  try {
    for (const figure of chosen) {
      const folder = path.join(out, figure.name);
      const started = performance.now();
      const result = await figure.make({
        fast,
        out: folder,
        signal: stop.signal,
        onProgress: teller(figure, say),
      });
      made.push({ figure, result });
      fs.mkdirSync(out, { recursive: true });
      fs.writeFileSync(page, figuresPage(made, { fast }));
      terminal.out(`${bold(figure.name)} ${dim(duration((performance.now() - started) / 1000))}`);
      for (const { what, ours, holds } of result.checks) {
        const verdict = holds ? green("✓") : red("✗");
        terminal.out(`  ${verdict} ${what}: ${ours}`);
      }
    }
  } catch (error) {
    if (error instanceof Interrupted)
      throw new Failed(`${error.message}; the same command goes on from there`);
    throw error;
  } finally {
    deaf();
  }
  const checks = made.flatMap(({ result }) => result.checks);
  const held = checks.filter(({ holds }) => holds).length;
  terminal.out(`\n${held} of all ${checks.length} claims hold; written to ${page}`);
}

/** A line now and then: what runs, and how far it is. */
function teller(
  figure: Figure,
  say: (text: string) => void,
): (what: string, share?: number) => void {
  let told = Number.NEGATIVE_INFINITY;
  let before = "";
  return (what, share) => {
    const now = performance.now();
    if (what === before && now - told < 10_000) return;
    told = now;
    before = what;
    say(`${figure.name}: ${what}${share === undefined ? "" : `, ${Math.floor(100 * share)} %`}`);
  };
}

function time(minutes: number): string {
  return duration(60 * minutes);
}
