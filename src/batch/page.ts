/**
 * The page of a study: a plot of every measure over every field that varies, one small picture per run, the table.
 *
 * Pictures share one camera, so that what looks different is different. Plots put one numeric field on the axis
 * and, while they are few, every combination of the other fields into a series of its own.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { type Block, type Cell, reportPage, type Section, shown } from "../picture/page.ts";
import { barPlot, linePlot, type Series } from "../picture/plots.ts";
import { dataUri } from "../picture/png.ts";
import { openRecording } from "../recording/folder.ts";
import type { Summary } from "../recording/summary.ts";
import { version } from "../version.ts";
import { runFolder } from "./attempt.ts";
import { measureLabel, measureOf } from "./measures.ts";
import { commonCamera } from "./picture.ts";
import type { Pool } from "./pool.ts";
import type { RunResult } from "./results.ts";
import { parametersText, type Study, shortNames } from "./study.ts";

/** A page of more pictures than this loads slowly and is not looked at. */
const MOST_PICTURES = 120;
const MOST_ROWS = 500;
/** More lines in one plot cannot be told apart. */
const MOST_SERIES = 7;
const MOST_BARS = 40;

interface Done {
  run: RunResult["run"];
  summary: Summary;
}

/** Draws the pictures and writes study.html; gives its path. */
export async function writePage(
  out: string,
  study: Study,
  results: readonly RunResult[],
  pool: Pool,
): Promise<string> {
  const done = results.flatMap(({ run, outcome }): Done[] =>
    outcome?.status === "done" ? [{ run, summary: outcome.summary }] : [],
  );
  const sections: Section[] = [
    { heading: "Results", blocks: [...notes(results), ...(await plots(study, done))] },
  ];
  const pictures = await picturesOf(out, done, pool);
  if (pictures.length > 0) sections.push({ heading: "Runs", blocks: pictures });
  sections.push({ heading: "Table", blocks: table(study, results) });
  const page = reportPage({
    title: study.name,
    lead: lead(study, results),
    sections,
    footer: `isoplate ${version}`,
  });
  const file = path.join(out, "study.html");
  fs.writeFileSync(file, page);
  return file;
}

function lead({ scene, fields, description }: Study, results: readonly RunResult[]): string {
  const done = results.filter(({ outcome }) => outcome?.status === "done").length;
  const what = `${scene}, ${fields.join(", ")} varied: ${done} of ${results.length} runs done.`;
  return description === "" ? what : `${description} ${what}`;
}

function notes(results: readonly RunResult[]): Block[] {
  const blocks: Block[] = [];
  const failed = results.filter(({ outcome }) => outcome?.status === "failed");
  if (failed.length > 0) {
    const rows = failed
      .slice(0, MOST_ROWS)
      .map(({ run, outcome }): Cell[] => [
        parametersText(run.parameters),
        outcome?.status === "failed" ? outcome.message : "",
      ]);
    blocks.push(
      { type: "note", tone: "bad", text: `${failed.length} of ${results.length} runs failed.` },
      {
        type: "more",
        summary: "which, and why",
        blocks: [{ type: "table", columns: ["run", "message"], rows }],
      },
    );
  }
  const waiting = results.filter(({ outcome }) => outcome === null).length;
  if (waiting > 0)
    blocks.push({
      type: "note",
      tone: "warn",
      text: `${waiting} runs have not come to their end.`,
    });
  const stuck = results.filter(
    ({ outcome }) => outcome?.status === "done" && outcome.summary.unconvergedSteps > 0,
  ).length;
  if (stuck > 0)
    blocks.push({
      type: "note",
      tone: "warn",
      text: `${stuck} runs have steps that did not converge.`,
    });
  return blocks;
}

async function plots(study: Study, done: readonly Done[]): Promise<Block[]> {
  if (done.length === 0) return [];
  const names = shortNames(study.fields);
  const axes = study.fields.filter(
    (field) =>
      done.every(({ run }) => typeof run.parameters[field] === "number") &&
      distinct(done, field) > 1,
  );
  const blocks: Block[] = [];
  for (const measure of study.measures) {
    const { label, ...rest } = measureLabel(measure);
    const row: Block[] = [];
    for (const field of axes) {
      const x = done.map(({ run }) => run.parameters[field] as number);
      const y = done.map(({ summary }) => measureOf(summary, measure));
      const svg = await linePlot({
        x: { label: names.get(field) ?? field, log: isWide(x) },
        y: { label, ...rest, log: isWide(y) },
        series: seriesOf(done, field, measure, study.fields),
      });
      row.push({ type: "plot", svg, caption: `${label} over ${field}` });
    }
    if (axes.length === 0 && done.length <= MOST_BARS)
      row.push({
        type: "plot",
        svg: await barPlot({
          value: { label, ...rest },
          bars: done.map(({ run, summary }) => ({
            name: parametersText(run.parameters),
            value: measureOf(summary, measure),
          })),
        }),
        caption: label,
      });
    if (row.length === 1) blocks.push(row[0]);
    else if (row.length > 1) blocks.push({ type: "row", blocks: row });
  }
  return blocks;
}

function distinct(done: readonly Done[], field: string): number {
  return new Set(done.map(({ run }) => JSON.stringify(run.parameters[field]))).size;
}

/** Spans so much that a logarithm shows it better. */
function isWide(values: readonly number[]): boolean {
  const real = values.filter(Number.isFinite);
  const least = Math.min(...real);
  return real.length > 2 && least > 0 && Math.max(...real) / least >= 50;
}

/** Lines where the other fields leave few combinations with several runs each, dots otherwise. */
function seriesOf(
  done: readonly Done[],
  field: string,
  measure: string,
  fields: readonly string[],
): Series[] {
  const others = fields.filter((other) => other !== field);
  const groups = new Map<string, Done[]>();
  for (const one of done) {
    const rest = Object.fromEntries(
      others.filter((f) => f in one.run.parameters).map((f) => [f, one.run.parameters[f]]),
    );
    const name = others.length === 0 ? "runs" : parametersText(rest);
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  const points = (name: string, list: readonly Done[], style: Series["style"] & string): Series => {
    const sorted = [...list].sort(
      (a, b) => Number(a.run.parameters[field]) - Number(b.run.parameters[field]),
    );
    return {
      name,
      style,
      x: sorted.map(({ run }) => run.parameters[field] as number),
      y: sorted.map(({ summary }) => measureOf(summary, measure)),
    };
  };
  const lines = groups.size <= MOST_SERIES && [...groups.values()].every((g) => g.length > 1);
  if (!lines) return [points("runs", done, "points")];
  return [...groups].map(([name, list]) => points(name, list, "line+points"));
}

async function picturesOf(out: string, done: readonly Done[], pool: Pool): Promise<Block[]> {
  const seen = done
    .slice(0, MOST_PICTURES)
    .filter(({ run }) => hasFrames(runFolder(out, run.name)));
  if (seen.length === 0) return [];
  const camera = commonCamera(seen.map(({ run }) => runFolder(out, run.name)));
  const file = (name: string): string => path.join(out, "pictures", `${name}.png`);
  await Promise.all(
    seen.map(({ run }) =>
      pool.draw({ folder: runFolder(out, run.name), file: file(run.name), camera }),
    ),
  );
  const blocks: Block[] = seen.map(({ run, summary }) => {
    const words = parametersText(run.parameters);
    const strain = `${shown(100 * summary.strain.edgeMax)} %`;
    return {
      type: "picture",
      src: dataUri(new Uint8Array(fs.readFileSync(file(run.name)))),
      alt: words,
      caption: `${words} · strain ${strain}`,
    };
  });
  const more = done.length - seen.length;
  return [
    {
      type: "text",
      text: `The end of every run${camera === null ? ", each in its own size" : ", all by the same camera"}${more > 0 ? `; ${more} more are in their folders` : ""}.`,
    },
    { type: "tiles", blocks },
  ];
}

function hasFrames(folder: string): boolean {
  try {
    const recording = openRecording(folder);
    recording.close();
    return recording.frames > 0;
  } catch {
    return false;
  }
}

function table(study: Study, results: readonly RunResult[]): Block[] {
  const names = shortNames(study.fields);
  const columns = [
    ...study.fields.map((field) => names.get(field) ?? field),
    "status",
    ...study.measures,
    "hash",
  ];
  const rows = results.slice(0, MOST_ROWS).map(({ run, outcome }): Cell[] => {
    const summary = outcome?.status === "done" ? outcome.summary : null;
    return [
      ...study.fields.map((field) => value(run.parameters[field])),
      outcome?.status === "done"
        ? "done"
        : { text: outcome?.status ?? "waiting", tone: outcome === null ? "quiet" : "bad" },
      ...study.measures.map((name) => (summary === null ? "" : measureOf(summary, name))),
      summary === null ? "" : summary.hash.slice(0, 12),
    ];
  });
  const left = results.length - rows.length;
  return [
    { type: "table", columns, rows },
    {
      type: "text",
      text: `${left > 0 ? `${left} more rows, and all` : "All"} columns are in results.csv.`,
    },
  ];
}

function value(parameter: unknown): Cell {
  if (typeof parameter === "number" || typeof parameter === "string") return parameter;
  return parameter === undefined ? "" : JSON.stringify(parameter);
}
