/** figures.html: each figure of the paper with its claim, our picture and our numbers, and the table of all runs. */
import type { Block, Cell, Section } from "../picture/page.ts";
import { reportPage } from "../picture/page.ts";
import { version } from "../version.ts";
import type { Figure, FigureCheck, FigureResult, FigureRun } from "./figure.ts";

export interface MadeFigure {
  figure: Figure;
  result: FigureResult;
}

/** The page of what has been made so far. */
export function figuresPage(made: readonly MadeFigure[], { fast }: { fast: boolean }): string {
  const checks = made.flatMap(({ result }) => result.checks);
  const held = checks.filter(({ holds }) => holds).length;
  const sections: Section[] = made.map(({ figure, result }) => ({
    heading: figure.title,
    blocks: [
      { type: "text", text: `The paper: “${figure.claim}”` },
      ...result.blocks,
      checkTable(result.checks),
    ],
  }));
  const runs = made.flatMap(({ result }) => result.runs);
  if (runs.length > 0) sections.push({ heading: "All runs", blocks: [runTable(runs)] });
  const size = fast
    ? " Small versions, made with --fast: a coarse mesh misses what a fine one may hold, and is counted all the same."
    : "";
  return reportPage({
    title: "Figures",
    lead: `The experiments of “Locking-free Simulation of Isometric Thin Plates”, made again. ${held} of all ${checks.length} claims hold.${size}`,
    sections,
    footer: `isoplate ${version}`,
  });
}

function checkTable(checks: readonly FigureCheck[]): Block {
  const verdict = (holds: boolean): Cell =>
    holds ? { text: "holds", tone: "good" } : { text: "does not hold", tone: "bad" };
  return {
    type: "table",
    columns: ["what", "claim", "ours", ""],
    rows: checks.map(({ what, claim, ours, holds }) => [what, claim, ours, verdict(holds)]),
  };
}

/** The table of the paper (points, tolerance), with what it cost and how well it went. */
function runTable(runs: readonly FigureRun[]): Block {
  const percent = (share: number): string => `${Number((100 * share).toPrecision(2))} %`;
  return {
    type: "table",
    columns: [
      "run",
      "points",
      "tolerance",
      "step",
      "time per step",
      "memory",
      "edges, mean",
      "edges, largest",
      "unconverged",
    ],
    rows: runs.map(({ name, summary: s }) => [
      name,
      s.points,
      s.tolerance,
      `${Number((1000 * s.h).toPrecision(3))} ms`,
      `${Number(((1000 * s.wallSeconds) / Math.max(1, s.steps)).toPrecision(3))} ms`,
      `${Math.round(s.memoryBytes / 1e6)} MB`,
      percent(s.strain.edgeMean),
      percent(s.strain.edgeMax),
      s.unconvergedSteps === 0 ? 0 : { text: `${s.unconvergedSteps} of ${s.steps}`, tone: "bad" },
    ]),
  };
}
