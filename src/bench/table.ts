/** Tables of the benchmark: for people, and for bench/results/<machine>.csv. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { version } from "../version.ts";
import type { PairRow } from "./pairs.ts";
import { growth, PHASES, type StepRow } from "./steps.ts";

/** What was measured on: no names of hosts or people, only the kind of machine. */
export function machineName(): string {
  const model = os.cpus()[0]?.model ?? os.arch();
  const words = `${model} ${os.cpus().length} cores`.replace(
    /\((R|TM)\)|@.*?GHz|CPU|Processor/gi,
    " ",
  );
  return words
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

/** One line: the machine, its load, what runs on it. */
export function machineLine(): string {
  const load = os.loadavg()[0].toFixed(1);
  const cores = os.cpus().length;
  const busy = os.loadavg()[0] > 0.6 * cores ? " (busy: take no figures home)" : "";
  return `isoplate ${version}, Node ${process.versions.node}, ${machineName()}, load ${load} of ${cores}${busy}`;
}

/** ms as people read them. */
export function ms(t: number): string {
  return t === 0 ? "0" : t >= 100 ? t.toFixed(0) : t.toPrecision(3);
}

/** Rows of text in columns; the first column to the left, the others to the right. */
export function columns(rows: readonly (readonly string[])[]): string {
  const width = rows[0].map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  const cell = (text: string, c: number): string =>
    c === 0 ? text.padEnd(width[c]) : text.padStart(width[c]);
  return rows.map((row) => row.map(cell).join("  ").trimEnd()).join("\n");
}

/** Contact's loops, µs a point; n log n grows as the last column says. */
export function pairTable(rows: readonly PairRow[]): string {
  const head = [
    "points",
    "pairs a point",
    "search",
    "distances",
    "safe times",
    "TypeScript",
    "search / log₂ n",
  ];
  const lines = rows.map((row) => [
    String(row.points),
    row.pairsPerPoint.toFixed(1),
    ms(row.search),
    ms(row.distances),
    ms(row.times),
    `× ${row.twin.toFixed(2)}`,
    (row.search / Math.log2(row.points)).toFixed(2),
  ]);
  return columns([head, ...lines]);
}

/** Smallest times per step; the median of the whole step beside it. */
export function stepTable(rows: readonly StepRow[]): string {
  const head = [
    "points",
    ...PHASES,
    "step ms",
    "median",
    "rounds",
    "CG",
    "s per s",
    "start s",
    "MB",
  ];
  const lines = rows.map((row) => [
    String(row.points),
    ...PHASES.map((phase) => ms(row.phases[phase].min)),
    ms(row.total.min),
    ms(row.total.median),
    row.rounds.toFixed(1),
    row.cgIterations.toFixed(0),
    row.perSecond.toPrecision(3),
    row.startSeconds.toFixed(2),
    (row.bytes / 1e6).toFixed(1),
  ]);
  return columns([head, ...lines]);
}

/** "step n^1.2, solve n^1.3, …": how times grow with the points. */
export function growthLine(rows: readonly StepRow[]): string {
  const of = (pick: (row: StepRow) => number): string => {
    const p = growth(rows.map((row) => ({ n: row.points, t: pick(row) })));
    return Number.isFinite(p) ? `n^${p.toFixed(2)}` : "–";
  };
  const parts = [`step ${of((row) => row.total.min)}`];
  for (const phase of PHASES)
    if (rows.every((row) => row.phases[phase].min > 0))
      parts.push(`${phase} ${of((row) => row.phases[phase].min)}`);
  return parts.join(", ");
}

/** Appends rows to <folder>/<machine>.csv, with a head if it is new. */
export function saveRows(folder: string, rows: readonly StepRow[], date: string): string {
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${machineName()}.csv`);
  const head = [
    ...["date", "version", "node", "load", "solver", "h", "points", "runs"],
    ...["step_min_ms", "step_median_ms"],
    ...PHASES.flatMap((phase) => [`${phase}_min_ms`, `${phase}_median_ms`]),
    ...["rounds", "cg", "bytes", "start_s"],
  ];
  const lines = rows.map((row) =>
    [
      ...[date, version, process.versions.node, row.load.toFixed(2), row.solver, row.h],
      ...[row.points, row.runs, row.total.min.toFixed(4), row.total.median.toFixed(4)],
      ...PHASES.flatMap((phase) => [
        row.phases[phase].min.toFixed(4),
        row.phases[phase].median.toFixed(4),
      ]),
      ...[
        row.rounds.toFixed(3),
        row.cgIterations.toFixed(2),
        row.bytes,
        row.startSeconds.toFixed(3),
      ],
    ].join(","),
  );
  if (!fs.existsSync(file)) fs.writeFileSync(file, `${head.join(",")}\n`);
  fs.appendFileSync(file, `${lines.join("\n")}\n`);
  return file;
}
