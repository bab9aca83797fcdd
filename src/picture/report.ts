/**
 * The report of one run (Node only): a folder's recording → pictures beside it and one `report.html`.
 *
 *   pictures/end.png, strain.png   the last frame, in its colours and by its strain
 *   pictures/strip.png             a film strip from start to end
 *   report.html                    these, the plots, the numbers in plain words, parameters, warnings
 *
 * The page holds its pictures itself, so it can be mailed. A run that was broken off gets a report too, of
 * what there is, and says so.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openRecording } from "../recording/folder.ts";
import type { Recording } from "../recording/recording.ts";
import type { Metrics, Summary } from "../recording/summary.ts";
import { bendingLength } from "../scene/materials.ts";
import { isProjected, type Scene } from "../scene/scene.ts";
import { sceneInput } from "../scene/write.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { type Picture, row } from "./canvas.ts";
import { pngBytes, savePng } from "./film.ts";
import { type Block, reportPage, type Section, shown } from "./page.ts";
import { barPlot, linePlot } from "./plots.ts";
import { dataUri } from "./png.ts";
import { render } from "./render.ts";
import { createStage } from "./stage.ts";

export interface ReportOptions {
  /** Reads the meshes that the scene's bodies name. */
  readMesh?: ReadMesh;
  /** Reads the images that the looks of its sheets name. */
  readImage?: (file: string) => Picture;
  /** Of the large pictures, px; the others follow. */
  width?: number;
  /** Called before each piece of work: "picture", "strip", "plots", "page". */
  onProgress?: (what: string) => void;
}

/** Frames on the film strip. */
const STRIP = 6;

/**
 * Writes the report of the recording in `folder` beside it.
 * @returns the path of report.html
 *
 * @example
 * await writeReport("out/pinned-cloth");
 */
export async function writeReport(folder: string, options: ReportOptions = {}): Promise<string> {
  const recording = openRecording(folder);
  try {
    if (recording.frames === 0)
      throw new Error(`${folder}: has no frame yet, so there is nothing to report`);
    const pictures = runPictures(recording, options);
    const path = (name: string): string => join(folder, "pictures", `${name}.png`);
    for (const [name, picture] of Object.entries(pictures)) await savePng(path(name), picture);
    options.onProgress?.("plots");
    const sections = await runSections(recording, pictures);
    options.onProgress?.("page");
    const page = reportPage({
      title: recording.scene.name,
      lead: leadOf(recording),
      sections,
      footer: footerOf(recording.summary),
    });
    const report = join(folder, "report.html");
    await writeFile(report, page);
    return report;
  } finally {
    recording.close();
  }
}

/** The pictures of a run: its last frame plain and by strain, and a strip. */
function runPictures(
  recording: Recording,
  { readMesh, readImage, onProgress, width = 1280 }: ReportOptions = {},
): { end: Picture; strain: Picture; strip: Picture } {
  const own = { ...(readMesh ? { readMesh } : {}), ...(readImage ? { readImage } : {}) };
  const last = recording.frames - 1;
  const Y = recording.pose(last);
  const time = recording.time(last);
  const moment = { bodyTimes: recording.bodyTimes(last) };
  const large = { width, height: Math.round((width * 9) / 16) };
  const aspect = large.width / large.height;

  onProgress?.("picture");
  const plain = createStage(recording, own);
  const camera = plain.camera(aspect);
  const end = render(plain.scene(Y, time, moment), { ...large, camera });
  const coloured = createStage(recording, { ...own, color: "stretch" });
  const strain = render(coloured.scene(Y, time, moment), { ...large, camera });

  onProgress?.("strip");
  const count = Math.min(STRIP, recording.frames);
  const frames = Array.from({ length: count }, (_, k) =>
    count === 1 ? last : Math.round((k * last) / (count - 1)),
  );
  const size = { width: Math.round(width / 3), height: Math.round(width / 3.75) };
  const shot = plain.camera(size.width / size.height);
  const strip = row(
    frames.map((frame) =>
      render(
        plain.scene(recording.pose(frame), recording.time(frame), {
          bodyTimes: recording.bodyTimes(frame),
        }),
        {
          ...size,
          camera: shot,
        },
      ),
    ),
    frames.map((frame) => `${recording.time(frame).toFixed(2)} s`),
    { columns: Math.min(3, count) },
  );
  return { end, strain, strip };
}

async function runSections(
  recording: Recording,
  pictures: { end: Picture; strain: Picture; strip: Picture },
): Promise<Section[]> {
  const { scene, summary, metrics } = recording;
  const image = async (picture: Picture, alt: string, caption: string): Promise<Block> => ({
    type: "picture",
    src: dataUri(await pngBytes(picture)),
    alt,
    caption,
  });
  const time = recording.time(recording.frames - 1).toFixed(2);
  return [
    {
      heading: "Result",
      blocks: [
        ...verdicts(recording),
        await image(pictures.end, `${scene.name} at ${time} s`, `After ${time} s.`),
        await image(
          pictures.strain,
          `${scene.name} at ${time} s, coloured by strain`,
          "The same, coloured by the largest relative change of length of the edges at each point.",
        ),
      ],
    },
    {
      heading: "Over time",
      blocks: [
        await image(pictures.strip, "frames from start to end", "From start to end."),
        { type: "row", blocks: await timePlots(metrics) },
      ],
    },
    ...(summary ? [{ heading: "Numbers", blocks: await numbers(summary) }] : []),
    { heading: "Scene", blocks: sceneBlocks(scene, recording.sheet.n) },
  ];
}

/** What a reader should know first. */
function verdicts({ summary, scene, metrics }: Recording): Block[] {
  if (!summary) {
    const until = metrics.at(-1)?.time ?? 0;
    return [
      {
        type: "note",
        tone: "warn",
        text: `This run has not ended: it reached ${shown(until)} s of ${shown(scene.seconds)} s. Go on with it by “isoplate run --resume”.`,
      },
    ];
  }
  const notes: Block[] = [];
  const { strain, unconvergedSteps, steps } = summary;
  const stretch = strain.stretchMaxEver ?? strain.edgeMaxEver; // recordings of 0.1 do not have it
  const tone = stretch <= 0.01 ? "good" : stretch <= 0.05 ? "warn" : "bad";
  notes.push({
    type: "note",
    tone,
    text: `Edges changed their length by ${percent(strain.edgeMean)} on average; none was ever stretched by more than ${percent(stretch)}, and no two far points came apart by more than ${percent(strain.pairMax)} of their distance.`,
  });
  if (unconvergedSteps > 0)
    notes.push({
      type: "note",
      tone: "bad",
      text: isProjected(summary)
        ? `${unconvergedSteps} of ${steps} steps did not reach the tolerance of ${shown(summary.tolerance)}.`
        : `${unconvergedSteps} of ${steps} steps were not solved.`,
    });
  for (const warning of summary.warnings) notes.push({ type: "note", tone: "warn", text: warning });
  return notes;
}

async function timePlots(metrics: readonly Metrics[]): Promise<Block[]> {
  const x = metrics.map((m) => m.time);
  const of = (name: keyof Metrics): number[] => metrics.map((m) => m[name]);
  const time = { label: "time", unit: "s" };
  const size = { width: 420, height: 220 };
  const energies = (["kinetic", "bending", "membrane"] as const).map((name) => ({
    name,
    x,
    y: of(name),
  }));
  const total = of("total").map((e) => e - metrics[0].total);
  const fall = of("gravity").map((e) => e - metrics[0].gravity);
  const plots = [
    await linePlot({
      title: "Strain",
      x: time,
      y: { label: "relative change of length", unit: "%", factor: 100, min: 0 },
      series: [
        { name: "largest edge", x, y: of("edgeMax") },
        { name: "mean edge", x, y: of("edgeMean") },
      ],
      ...size,
    }),
    await linePlot({
      title: "Energy in the sheet",
      x: time,
      y: { label: "energy", unit: "mJ", factor: 1000 },
      series: energies,
      ...size,
    }),
    await linePlot({
      title: "Energy since the start",
      x: time,
      y: { label: "change of energy", unit: "J" },
      series: [
        { name: "total", x, y: total },
        { name: "gravity", x, y: fall, style: "dashed" },
      ],
      ...size,
    }),
    await linePlot({
      title: "Rounds per step",
      x: time,
      y: { label: "rounds", min: 0 },
      series: [
        { name: "most", x, y: of("roundsMax") },
        { name: "mean", x, y: of("rounds") },
      ],
      ...size,
    }),
    await linePlot({
      title: "Fastest point",
      x: time,
      y: { label: "speed", unit: "m/s", log: true },
      series: [{ name: "speed", x, y: of("speedMax") }],
      ...size,
    }),
  ];
  if (metrics.some((m) => m.contacts > 0))
    plots.push(
      await linePlot({
        title: "Contacts",
        x: time,
        y: { label: "pairs", min: 0 },
        series: [{ name: "pairs", x, y: of("contacts") }],
        ...size,
      }),
    );
  return plots.map((svg) => ({ type: "plot", svg }));
}

async function numbers(summary: Summary): Promise<Block[]> {
  const { strain, energy, projections, phases } = summary;
  const perStep = (1000 * summary.wallSeconds) / Math.max(1, summary.steps);
  const facts: [string, string][] = [
    ["largest stretch of an edge, at the end", percent(strain.stretchMax)],
    ["the same, worst of all frames", percent(strain.stretchMaxEver ?? Number.NaN)],
    [
      "largest shortening of an edge, in folds sharper than the mesh",
      percent(strain.compressionMax),
    ],
    ["mean change of an edge’s length", percent(strain.edgeMean)],
    ["largest principal strain of a triangle", percent(strain.principalMax)],
    ["largest growth of distance between far points", percent(strain.pairMax)],
    [
      "residual of trace and determinant",
      `${shown(summary.residual.trace)}, ${shown(summary.residual.det)}`,
    ],
    ["lowest point below the pins", `${shown(summary.sag)} m`],
    ...(summary.reactions ?? []).map(({ name, force }): [string, string] => [
      `force of ${name} on the sheet`,
      `${shown(Math.hypot(...force))} N (${force.map((x) => shown(x)).join(", ")})`,
    ]),
    ["roughness", `${shown((summary.roughness * 180) / Math.PI)}°`],
    ["speed of the fastest point, at the end", `${shown(1000 * summary.speedMax)} mm/s`],
    ["deepest penetration", `${shown(1000 * summary.penetrationMax)} mm`],
    ["bending energy", `${shown(1000 * energy.bending)} mJ`],
    ["kinetic energy", `${shown(1000 * energy.kinetic)} mJ`],
    ["steps", `${summary.steps} of ${shown(1000 * summary.h)} ms`],
    ["rounds per step", `${shown(projections.mean)} on average, ${projections.max} at most`],
    ["steps that needed a fallback", String(summary.fallbackSteps)],
    ["steps that did not converge", String(summary.unconvergedSteps)],
    ["time taken", `${shown(summary.wallSeconds)} s, ${shown(perStep)} ms a step`],
    ["memory", `${shown(summary.memoryBytes / 1e6)} MB`],
    ["hash of the final positions", summary.hash.slice(0, 16)],
  ];
  const bars = Object.entries(phases)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => ({ name, value: value as number }));
  // numbers stay with their units
  const tied = facts.map(
    ([name, value]) => [name, value.replaceAll(/(\d) /g, "$1\u00a0")] as const,
  );
  const blocks: Block[] = [{ type: "facts", facts: tied }];
  if (bars.length > 0) {
    const svg = await barPlot({
      title: "Where the time went",
      value: { label: "time", unit: "s" },
      bars,
    });
    blocks.push({ type: "plot", svg });
  }
  return blocks;
}

function sceneBlocks(scene: Scene, points: number): Block[] {
  const facts: [string, string][] = [
    ["method", scene.method],
    ["constraint", scene.constraint],
    ["solver", `${scene.solver}, ${scene.integrator}`],
    ["points", String(points)],
    ["step", `${shown(1000 * scene.h)} ms`],
    ["seed", String(scene.seed)],
  ];
  if (isProjected(scene)) facts.push(["tolerance", shown(scene.tolerance)]);
  for (const { name, shape, material } of scene.sheets) {
    const of = scene.sheets.length > 1 ? `${name}: ` : "";
    facts.push(
      [`${of}shape`, shape.type],
      [`${of}areal density`, `${shown(material.density)} kg/m²`],
      [`${of}flexural rigidity D`, `${shown(material.D)} N·m`],
      [`${of}bending length (D/σg)^⅓`, `${shown(1000 * bendingLength(material))} mm`],
      [`${of}Poisson’s ratio`, shown(material.poisson)],
      [`${of}membrane stiffness`, `${shown(material.membraneStiffness)} N/m`],
    );
  }
  return [
    ...(scene.description ? [{ type: "text", text: scene.description } as const] : []),
    { type: "facts", facts },
    {
      type: "more",
      summary: "The scene as it was run",
      blocks: [{ type: "code", text: JSON.stringify(sceneInput(scene), null, 2) }],
    },
  ];
}

function leadOf({ scene, summary, sheet }: Recording): string {
  const what = sentence(scene.description);
  if (!summary) return what;
  const how = `${sheet.n} points, ${shown(summary.seconds)} s simulated in ${shown(summary.wallSeconds)} s.`;
  return what ? `${what} ${how}` : how;
}

/** With a capital and a full stop. */
function sentence(text: string): string {
  const words = text.trim();
  if (words === "") return "";
  return words[0].toUpperCase() + words.slice(1) + (/[.!?…]$/.test(words) ? "" : ".");
}

function footerOf(summary: Summary | null): string {
  return summary ? `isoplate ${summary.version} · ${summary.hash}` : "isoplate";
}

function percent(share: number): string {
  return `${shown(100 * share)}\u00a0%`;
}
