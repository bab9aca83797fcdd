/** From a comparison to one page, one table of numbers and one picture. */

import type { Picture } from "../picture/canvas.ts";
import { type Block, type Cell, reportPage, type Section, shown } from "../picture/page.ts";
import { type LinePlot, linePlot, type Series } from "../picture/plots.ts";
import { dataUri } from "../picture/png.ts";
import { silhouetteDistance } from "../recording/silhouette.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { version } from "../version.ts";
import type { Compared, Comparison, Reading } from "./compare.ts";
import { FAR, type Measures, type Outcome, STRETCHED } from "./outcome.ts";
import { outline, spreadOf } from "./outline.ts";
import { endPictures } from "./picture.ts";

/** One row of the table: what `--json` and table.csv say too. */
export interface TableRow extends Measures {
  method: string;
  /** Shares of the reference: 0 is equal. */
  bendingOff: number;
  deflectionOff: number;
  verdict: string;
}

/** The table, the reference last. */
export function tableOf({ methods, reference }: Comparison): TableRow[] {
  const row = (method: string, measures: Measures, verdict: string): TableRow => ({
    method,
    ...measures,
    ...offFrom(measures, reference.measures),
    verdict,
  });
  return [
    ...methods.map(({ method, outcome, verdict }) => row(method, outcome.measures, verdict.text)),
    row("reference", reference.measures, "the reference"),
  ];
}

export function offFrom(
  measures: Measures,
  reference: Measures,
): { bendingOff: number; deflectionOff: number } {
  return {
    bendingOff: measures.bending / reference.bending - 1,
    deflectionOff: measures.deflection / reference.deflection - 1,
  };
}

/** All methods side by side, coloured by strain. */
export function comparisonPicture({ methods }: Comparison, readMesh?: ReadMesh): Picture {
  return endPictures(
    methods.map(({ title, outcome, verdict }) => ({
      recording: outcome.recording,
      label: `${title}\n${verdict.text}`,
    })),
    readMesh ? { readMesh } : {},
  );
}

/** The page; it holds the picture, given as a PNG. */
export async function comparisonPage(comparison: Comparison, png: Uint8Array): Promise<string> {
  const { scene, methods } = comparison;
  const sections: Section[] = [
    {
      heading: "Side by side",
      blocks: [
        {
          type: "picture",
          src: dataUri(png),
          alt: `${scene.name} by ${methods.length} methods`,
          caption:
            "How each ends, seen by one camera. Colour: the largest relative change of length of the edges at a point.",
        },
        methodTable(comparison),
        ...ownFaults(comparison),
      ],
    },
  ];
  if (comparison.meter.length > 0)
    sections.push({ heading: "Locking meter", blocks: await meterBlocks(comparison) });
  if (comparison.meshes.length > 0)
    sections.push({ heading: "Dependence on the mesh", blocks: await meshBlocks(comparison) });
  sections.push({ heading: "What is compared", blocks: explained(comparison) });
  return reportPage({
    title: `${scene.name}, ${methods.length === 1 ? "by one method" : `by ${methods.length} methods`}`,
    lead: leadOf(methods),
    sections,
    footer: `isoplate ${version}`,
  });
}

function leadOf(methods: readonly Compared[]): string {
  const of = (word: string): string[] =>
    methods.filter(({ verdict }) => verdict.faults.includes(word)).map(({ title }) => title);
  const said: string[] = [];
  const say = (titles: string[], words: string): void => {
    if (titles.length > 0) said.push(`${words}: ${titles.join("; ")}.`);
  };
  say(
    methods.filter(({ verdict }) => verdict.faults.length === 0).map(({ title }) => title),
    "As the finest solution",
  );
  say(of("locks"), "Locked");
  say(of("stretches"), "Stretched");
  say(of("sags too far"), "Sagging too far");
  return said.join(" ");
}

function methodTable(comparison: Comparison): Block {
  const { methods, reference } = comparison;
  const row = (title: string, m: Measures, verdict: Cell): Cell[] => {
    const off = offFrom(m, reference.measures);
    const beside = (text: string, share: number, far: number): Cell => ({
      text: `${text} (${signed(share)})`,
      tone: Math.abs(share) > far ? "bad" : "quiet",
    });
    const cells: Cell[] = [
      title,
      verdict,
      m.points,
      percent(m.edgeMean),
      percent(m.edgeMax),
      { text: percent(m.pair), tone: m.pair > STRETCHED ? "bad" : "quiet" },
      beside(`${shown(1000 * m.bending)} mJ`, off.bendingOff, FAR.bending),
      beside(`${shown(100 * m.deflection)} cm`, off.deflectionOff, FAR.deflection),
      `${shown(100 * m.sag)} cm`,
      `${shown((180 / Math.PI) * m.roughness)}°`,
      `${shown(m.seconds)} s`,
    ];
    return cells.map(tied);
  };
  return {
    type: "table",
    columns: [
      "method",
      "",
      "points",
      "edges, mean",
      "largest",
      "far pairs",
      "bending energy",
      "deflection",
      "sag",
      "roughness",
      "time",
    ],
    rows: [
      ...methods.map(({ title, outcome, verdict }) =>
        row(title, outcome.measures, {
          text: verdict.text,
          tone: verdict.faults.length === 0 ? "good" : "bad",
        }),
      ),
      row("finest (ours)", reference.measures, { text: "the reference", tone: "quiet" }),
    ],
  };
}

/** Numbers stay with their units. */
function tied(cell: Cell): Cell {
  const tie = (text: string): string => text.replaceAll(/(\d) (?=[a-z%])/g, "$1\u00a0");
  if (typeof cell === "number") return cell;
  return typeof cell === "string" ? tie(cell) : { ...cell, text: tie(cell.text) };
}

/** Where our own result is not that of the finer mesh, the report says so. */
function ownFaults({ methods, reference }: Comparison): Block[] {
  const ours = methods.find(({ method }) => method === "frames");
  if (!ours) return [];
  const { bendingOff, deflectionOff } = offFrom(ours.outcome.measures, reference.measures);
  const numbers = `our deflection is ${signed(deflectionOff)} and our bending energy ${signed(bendingOff)} off the finer mesh`;
  if (ours.verdict.faults.length === 0)
    return [{ type: "note", tone: "good", text: `On this mesh ${numbers}.` }];
  const why =
    Math.abs(bendingOff) > FAR.bending
      ? " Folds narrower than the spacing cannot be resolved; more points or a larger rigidity D can."
      : "";
  return [{ type: "note", tone: "warn", text: `Where we fall short: ${numbers}.${why}` }];
}

async function meterBlocks({ meter, reference, scene }: Comparison): Promise<Block[]> {
  const names = { ours: "ours", shells: "discrete shells" } as const;
  const series = (of: (m: Measures) => number, by: (r: Reading) => number): Series[] =>
    (["ours", "shells"] as const).flatMap((family) => {
      const own = meter.filter((reading) => reading.family === family);
      if (own.length === 0) return [];
      const y = own.map(({ outcome }) => of(outcome.measures));
      return [{ name: names[family], x: own.map(by), y, style: "line+points" as const }];
    });
  const stiffness = { label: "stiffness in the plane", unit: "N/m", log: true };
  const size = { width: 430, height: 240 };
  const bending: LinePlot = {
    title: "Bending energy",
    x: stiffness,
    y: { label: "bending energy", unit: "mJ", factor: 1000, min: 0 },
    series: series(
      (m) => m.bending,
      (r) => r.stiffness,
    ),
    lines: [{ y: reference.measures.bending, label: "finest" }],
    ...size,
  };
  const deflection: LinePlot = {
    title: "Deflection",
    x: stiffness,
    y: { label: "deflection", unit: "cm", factor: 100, min: 0 },
    series: series(
      (m) => m.deflection,
      (r) => r.stiffness,
    ),
    lines: [{ y: reference.measures.deflection, label: "finest" }],
    ...size,
  };
  const lunch: LinePlot = {
    title: "No free lunch: stretch against locking",
    x: { label: "largest growth of a distance", unit: "%", factor: 100, log: true },
    y: { label: "deflection", unit: "cm", factor: 100, min: 0 },
    series: series(
      (m) => m.deflection,
      ({ outcome }) => outcome.measures.pair,
    ),
    lines: [{ y: reference.measures.deflection, label: "finest" }],
    ...size,
  };
  const plots = await Promise.all([bending, deflection, lunch].map(linePlot));
  const { membraneStiffness } = scene.sheets[0].material;
  return [
    {
      type: "text",
      text: `The same mesh, bent by the same load, while the stiffness in its plane rises. A sheet that cannot bend without stretching bends less and less. The scene itself has ${shown(membraneStiffness)} N/m.`,
    },
    { type: "row", blocks: plots.map((svg) => ({ type: "plot", svg })) },
    {
      type: "table",
      columns: [
        "method",
        "stiffness",
        "edges, mean",
        "far pairs",
        "bending energy",
        "off",
        "deflection",
        "off",
      ],
      rows: meter.map(({ family, stiffness: K, outcome: { measures } }) => {
        const off = offFrom(measures, reference.measures);
        return [
          names[family],
          `${shown(K)} N/m`,
          percent(measures.edgeMean),
          percent(measures.pair),
          `${shown(1000 * measures.bending)} mJ`,
          offCell(off.bendingOff, FAR.bending),
          `${shown(100 * measures.deflection)} cm`,
          offCell(off.deflectionOff, FAR.deflection),
        ];
      }),
    },
  ];
}

/** Grey that reads on light and dark. */
const FINE = "#8f887e";

async function meshBlocks({ meshes, reference }: Comparison): Promise<Block[]> {
  const { along, across } = spreadOf(reference.Y);
  const shape = ({ Y, recording }: Outcome) => ({ Y, triangles: recording.sheet.triangles });
  const plot = (title: string, direction: typeof along): Promise<string> =>
    linePlot({
      title,
      x: { label: "sideways", unit: "m" },
      y: { label: "height", unit: "m" },
      series: meshes.map(({ mesh, outcome }) => {
        const { x, z } = outline(shape(outcome), direction);
        const name = `${mesh}, ${outcome.measures.points}`;
        // closed curves: the plot's own references are drawn from left to right
        return mesh === "fine"
          ? { name, x, y: z, style: "dashed", color: FINE }
          : { name, x, y: z, style: "line" };
      }),
      width: 430,
      height: 300,
    });
  const size = sizeOf(reference.Y);
  return [
    {
      type: "text",
      text: "Our method on coarser, jittered and regular meshes: their outlines, laid over that of the finest.",
    },
    {
      type: "row",
      blocks: [
        { type: "plot", svg: await plot("Outline from the broad side", along) },
        { type: "plot", svg: await plot("Outline from the narrow side", across) },
      ],
    },
    {
      type: "table",
      columns: ["mesh", "points", "bending energy", "off", "deflection", "off", "outline off by"],
      rows: meshes.map(({ mesh, outcome }) => {
        const { measures } = outcome;
        const off = offFrom(measures, reference.measures);
        const apart = silhouetteDistance(shape(outcome), shape(reference)).mean / size;
        return [
          mesh,
          measures.points,
          `${shown(1000 * measures.bending)} mJ`,
          offCell(off.bendingOff, FAR.bending),
          `${shown(100 * measures.deflection)} cm`,
          offCell(off.deflectionOff, FAR.deflection),
          `${percent(apart)} of the size`,
        ];
      }),
    },
  ];
}

function explained({ scene, reference, notes }: Comparison): Block[] {
  const [{ material }] = scene.sheets;
  return [
    {
      type: "facts",
      facts: [
        ["flexural rigidity D, the same for all", `${shown(material.D)} N·m`],
        ["areal density, the same for all", `${shown(material.density)} kg/m²`],
        ["simulated time", `${shown(scene.seconds)} s`],
        [
          "thickness that turns a modulus into stiffness",
          `${shown(1000 * scene.baseline.thickness)} mm`,
        ],
        ["points of the finest solution", String(reference.measures.points)],
      ],
    },
    {
      type: "text",
      text: "Bending energy is measured by one functional on all end shapes, whatever energy a method bends by itself. Deflection is how far the mass has fallen on average (without gravity, how far the points have moved); sag that of the lowest point below the pins. Far pairs is the largest growth of a distance between points more than five spacings apart, which no isometry allows.",
    },
    {
      type: "text",
      text: `Locks: falls ${percent(FAR.deflection)} short of the finest. Sags too far: falls as much farther. Stretches: a distance grew by more than ${percent(STRETCHED)}. Folds too bluntly or sharply: its bending energy is more than ${percent(FAR.bending)} off though it falls as far.`,
    },
    ...notes.map((text): Block => ({ type: "note", tone: "quiet", text })),
  ];
}

function offCell(off: number, far: number): Cell {
  return { text: signed(off), tone: Math.abs(off) > far ? "bad" : "quiet" };
}

/** "−12 %" */
export function signed(share: number): string {
  if (!Number.isFinite(share)) return "–";
  const size = Math.abs(100 * share);
  const text = size < 9.95 ? shown(size, 2) : String(Math.round(size));
  return `${share < 0 ? "−" : "+"}${text}\u00a0%`;
}

function percent(share: number): string {
  return `${shown(100 * share, 2)}\u00a0%`;
}

/** m, diagonal of the box around points. */
function sizeOf(Y: ArrayLike<number>): number {
  let squared = 0;
  for (let c = 0; c < 3; c++) {
    let [min, max] = [Infinity, -Infinity];
    for (let k = c; k < Y.length; k += 3) {
      min = Math.min(min, Y[k]);
      max = Math.max(max, Y[k]);
    }
    squared += (max - min) ** 2;
  }
  return Math.sqrt(squared);
}

/** The table as comma-separated values, SI, with a head. */
export function tableCsv(rows: readonly TableRow[]): string {
  const names = Object.keys(rows[0]) as (keyof TableRow)[];
  const quoted = (value: string | number): string =>
    typeof value === "number" ? String(value) : `"${value.replaceAll('"', '""')}"`;
  return `${[names.join(","), ...rows.map((row) => names.map((name) => quoted(row[name])).join(","))].join("\n")}\n`;
}
