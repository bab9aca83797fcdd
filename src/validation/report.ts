/** The results of the tests as one page: what failed first, then every test with its pictures, plots and numbers. */
import { pngBytes } from "../picture/film.ts";
import { type Block, type Cell, reportPage, type Section, shown } from "../picture/page.ts";
import { linePlot } from "../picture/plots.ts";
import { dataUri } from "../picture/png.ts";
import { version } from "../version.ts";
import { passes, percent, type Row, type TestResult, type ValidationTest } from "./test.ts";

export interface Ran {
  test: ValidationTest;
  result: TestResult;
  seconds: number;
}

export async function validationPage(
  ran: readonly Ran[],
  { fast }: { fast: boolean },
): Promise<string> {
  const failed = ran.filter(({ result }) => !passes(result));
  const sections: Section[] = [{ heading: "Summary", blocks: summary(ran) }];
  for (const { test, result } of ran) {
    const plots: Block[] = [];
    for (const plot of result.plots) plots.push({ type: "plot", svg: await linePlot(plot) });
    const pictures: Block[] = [];
    for (const { caption, draw } of result.shots) {
      const src = dataUri(await pngBytes(draw()));
      pictures.push({ type: "picture", src, alt: caption, caption });
    }
    sections.push({
      heading: `${test.name} ${test.title}`,
      blocks: [
        { type: "text", text: `Exposes: ${test.exposes}.` },
        ...result.notes.map((text): Block => ({ type: "text", text })),
        ...pictures,
        ...(plots.length > 0 ? [{ type: "row" as const, blocks: plots }] : []),
        ...(result.claims.length > 0 ? [claimTable(result)] : []),
        { type: "more", summary: `${result.rows.length} numbers`, blocks: [rowTable(result.rows)] },
      ],
    });
  }
  return reportPage({
    title: "Validation",
    lead:
      failed.length === 0
        ? `${ran.length === 1 ? `${ran[0].test.name} passes` : `All ${ran.length} tests pass`}${fast ? " (fast subset)" : ""}.`
        : `${failed.length} of ${ran.length} tests fall short${fast ? " (fast subset)" : ""}: ${failed.map(({ test }) => test.name).join(", ")}. What falls short is listed first.`,
    sections,
    footer: `isoplate ${version}. References and the scripts that made them: validation/reference.`,
  });
}

function summary(ran: readonly Ran[]): Block[] {
  const short = ran.flatMap(({ test, result }) => [
    ...result.rows
      .filter(({ error, limit }) => limit !== null && !(error <= limit))
      .map((row): Cell[] => [
        test.name,
        `${row.what}, ${row.mesh}, 1/${row.resolution}`,
        `error ${percent(row.error)}`,
        `≤ ${percent(row.limit!)}`,
      ]),
    ...result.claims
      .filter(({ holds }) => !holds)
      .map(({ what, ours, asked }): Cell[] => [test.name, what, ours, asked]),
  ]);
  return [
    ...(short.length > 0
      ? [
          {
            type: "table" as const,
            columns: ["test", "what", "ours", "asked"],
            rows: short,
            caption: "Where we fall short.",
          },
        ]
      : []),
    ...ran.flatMap(({ test, result }) =>
      (result.short ?? []).map((text): Block => {
        return { type: "note", tone: "warn", text: `${test.name}, where we fall short: ${text}` };
      }),
    ),
    {
      type: "table",
      columns: ["test", "", "largest error within a band", "verdict", "time"],
      rows: ran.map(({ test, result, seconds }): Cell[] => {
        const banded = result.rows.filter(({ limit }) => limit !== null);
        const worst = banded.reduce((most, { error }) => Math.max(most, error), 0);
        const good = passes(result);
        return [
          test.name,
          test.title,
          banded.length > 0 ? percent(worst) : "",
          { text: good ? "passes" : "falls short", tone: good ? "good" : "bad" },
          `${seconds.toFixed(0)} s`,
        ];
      }),
    },
  ];
}

function claimTable({ claims }: TestResult): Block {
  return {
    type: "table",
    columns: ["claim", "ours", "asked", "holds"],
    rows: claims.map(({ what, ours, asked, holds }): Cell[] => [
      what,
      ours,
      asked,
      { text: holds ? "yes" : "no", tone: holds ? "good" : "bad" },
    ]),
  };
}

function rowTable(rows: readonly Row[]): Block {
  return {
    type: "table",
    columns: ["what", "mesh", "spacing", "reference", "ours", "error", "asked"],
    rows: rows.map(({ what, mesh, resolution, reference, ours, unit, error, limit }): Cell[] => [
      what,
      mesh,
      `1/${resolution}`,
      `${shown(reference, 5)}${unit === "1" ? "" : ` ${unit}`}`,
      shown(ours, 5),
      limit === null
        ? percent(error, 3)
        : { text: percent(error, 3), tone: error <= limit ? "good" : "bad" },
      limit === null ? "" : `≤ ${percent(limit, 1)}`,
    ]),
  };
}
