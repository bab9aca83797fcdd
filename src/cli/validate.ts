/** `isoplate validate`: our numbers beside closed forms and independent solutions. */
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";
import { type AddCommand, Failed, type Terminal, UsageError } from "./terminal.ts";

interface Options {
  fast?: boolean;
  out?: string;
  quiet?: boolean;
  rows?: boolean;
}

/** Beside the package's own files. */
const REFERENCES = fileURLToPath(new URL("../../validation/reference/", import.meta.url));

export const addValidate: AddCommand = (program, terminal) => {
  program
    .command("validate")
    .description("hold our numbers against references: statics, frequencies, falling, wrinkles")
    .argument("[test...]", "some of them only: G1, G2, …")
    .option("--fast", "a subset that takes a minute")
    .option("--out <file>", "the page to write", path.join("validation", "report.html"))
    .option("--rows", "print every number, not only claims and failures")
    .option("--quiet", "no progress")
    .addHelpText("after", "\nEnds with exit code 1 if a number is out of its band.")
    .action((names: string[], options: Options) => validate(names, options, terminal));
};

async function validate(
  names: readonly string[],
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { tests } = await import("../validation/index.ts");
  const { passes, percent } = await import("../validation/test.ts");
  const wanted = names.map((name) => name.toUpperCase());
  const unknown = wanted.filter((name) => !tests.some((test) => test.name === name));
  if (unknown.length > 0)
    throw new UsageError(
      `no test "${unknown.join('", "')}"; there are ${tests.map(({ name }) => name).join(", ")}`,
    );
  const chosen = wanted.length === 0 ? tests : tests.filter(({ name }) => wanted.includes(name));
  const { bold, dim, green, red } = terminal.colors;
  const fast = options.fast === true;
  const say = options.quiet
    ? (): void => {}
    : (what: string): void => terminal.err(dim(`  ${what}`));
  const read = (file: string): string => fs.readFileSync(path.join(REFERENCES, file), "utf8");
  const ran = [];
  for (const test of chosen) {
    terminal.out(`${bold(test.name)} ${test.title}`);
    const started = performance.now();
    const result = test.run({ fast, read, say });
    const seconds = (performance.now() - started) / 1000;
    ran.push({ test, result, seconds });
    for (const row of result.rows) {
      const good = row.limit === null || row.error <= row.limit;
      if (!options.rows && good) continue;
      const asked = row.limit === null ? dim("·") : good ? green("✓") : red("✗");
      const band = row.limit === null ? "" : ` (≤ ${percent(row.limit, 1)})`;
      terminal.out(
        `  ${asked} ${row.what}, ${row.mesh}, 1/${row.resolution}: ${number(row.ours)} against ${number(row.reference)} ${row.unit}, error ${percent(row.error, 3)}${band}`,
      );
    }
    for (const { what, ours, asked, holds } of result.claims)
      terminal.out(`  ${holds ? green("✓") : red("✗")} ${what}: ${ours} (${asked})`);
    for (const text of result.short ?? []) terminal.out(`  ${dim("falls short:")} ${text}`);
    const banded = result.rows.filter(({ limit }) => limit !== null);
    const inside = banded.filter(({ error, limit }) => error <= limit!).length;
    terminal.out(
      dim(`  ${inside} of ${banded.length} numbers within their bands, ${seconds.toFixed(1)} s`),
    );
  }
  const { validationPage } = await import("../validation/report.ts"); // plots are slow to load
  const page = options.out ?? path.join("validation", "report.html");
  fs.mkdirSync(path.dirname(page), { recursive: true });
  fs.writeFileSync(page, await validationPage(ran, { fast }));
  terminal.out(`\nwritten to ${page}`);
  const failed = ran.filter(({ result }) => !passes(result)).map(({ test }) => test.name);
  if (failed.length > 0) throw new Failed(`out of their bands: ${failed.join(", ")}`);
}

function number(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(5))) : String(value);
}
