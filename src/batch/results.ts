/** results.csv: one row per run, its parameters and the fields of its summary. */
import * as fs from "node:fs";
import * as path from "node:path";
import type { Outcome } from "./attempt.ts";
import { MEASURES, measureOf } from "./measures.ts";
import type { Study, StudyRun } from "./study.ts";

export interface RunResult {
  run: StudyRun;
  /** null: has not come to its end. */
  outcome: Outcome | null;
}

const WORDS = ["method", "constraint", "solver", "version", "hash"] as const;

/**
 * The table as text; runs in the order of the study.
 *
 * @example
 * const csv = resultsCsv(study, results);
 */
export function resultsCsv(study: Study, results: readonly RunResult[]): string {
  // a field that varies and stands in the summary too (h, seconds) has one column
  const measures = MEASURES.filter((name) => !study.fields.includes(name));
  const words = WORDS.filter((name) => !study.fields.includes(name));
  const head = ["run", "status", ...study.fields, ...measures, ...words, "message"];
  const rows = results.map(({ run, outcome }) => {
    const summary = outcome?.status === "done" ? outcome.summary : null;
    const message = outcome?.status === "failed" ? outcome.message : summary?.warnings.join("; ");
    return [
      run.name,
      outcome?.status ?? "waiting",
      ...study.fields.map((field) => run.parameters[field]),
      ...measures.map((name) => (summary === null ? undefined : measureOf(summary, name))),
      ...words.map((name) => summary?.[name]),
      message,
    ];
  });
  return [head, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

/** RFC 4180: quoted where needed. Numbers keep all their digits. */
function cell(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes it beside the runs; readers see the old table or the new one, never half of it. */
export function writeResults(out: string, study: Study, results: readonly RunResult[]): string {
  const file = path.join(out, "results.csv");
  fs.mkdirSync(out, { recursive: true });
  const part = `${file}.${process.pid}.part`;
  fs.writeFileSync(part, resultsCsv(study, results));
  fs.renameSync(part, file);
  return file;
}
