/**
 * Curves, points and bars as SVG, all in one house style, by vega-lite, which needs no browser.
 *
 * Ink is `currentColor`: a plot set into a page takes the page's text colour, light or dark; opened alone
 * it is black. Series colours are mid-tones that read on both. Long series are thinned to what a plot of
 * that width can show, keeping the smallest and largest value of every column, so that peaks stay.
 *
 * vega is loaded when the first plot is made: it takes a quarter of a second that other commands
 * should not pay.
 */
import type { TopLevelSpec } from "vega-lite";
import { MissingPackage, optional } from "../optional.ts";

export interface Axis {
  label: string;
  /** Shown behind the label in brackets. */
  unit?: string;
  log?: boolean;
  min?: number;
  max?: number;
  /** Values are multiplied by this to be shown: 100 for percent, 1000 for mm. */
  factor?: number;
}

export interface Series {
  name: string;
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  /** `reference` is a wide grey line under everything else: what ours is held against. */
  style?: "line" | "dashed" | "points" | "line+points" | "reference";
  /** "#rrggbb"; the next of the house palette if not said. */
  color?: string;
}

export interface LinePlot {
  title?: string;
  x: Axis;
  y: Axis;
  series: readonly Series[];
  /** Size of the axes, px. */
  width?: number;
  height?: number;
  /** Marked values: a thin line across, with its words. */
  lines?: readonly { x?: number; y?: number; label: string }[];
  /** In log–log plots: dashed lines of that slope through a point, to read orders of convergence. */
  slopes?: readonly { order: number; through: readonly [number, number]; label?: string }[];
}

const SERIES_COLORS: readonly string[] = [
  "#c8553d",
  "#3b7ab8",
  "#5b9a68",
  "#cf9a3c",
  "#9a66a0",
  "#3f9aa3",
  "#8a7f72",
];

/** Stands for the page's own text colour until the SVG is written. */
const INK = "#010203";
const GREY = "#9b948a";

/**
 * @returns an SVG document
 * @example await linePlot({ x: { label: "time", unit: "s" }, y: { label: "sag", unit: "m" }, series: [{ name: "ours", x, y }] })
 */
export async function linePlot(plot: LinePlot): Promise<string> {
  const { width = 520, height = 260 } = plot;
  const { x: X, y: Y } = plot;
  const layers: object[] = [];
  const rows: object[] = [];
  const marks: object[] = [];
  const colors: { name: string; color: string; dash: number[] }[] = [];
  let next = 0;
  for (const series of plot.series) {
    const style = series.style ?? "line";
    const fresh = SERIES_COLORS[next % SERIES_COLORS.length];
    const color = series.color ?? (style === "reference" ? GREY : fresh);
    if (!series.color && style !== "reference") next++;
    colors.push({ name: series.name, color, dash: style === "dashed" ? [5, 4] : [1, 0] });
    const points = thinned(series, X, Y, width);
    for (const [x, y] of points)
      (style === "points" ? marks : rows).push({ x, y, series: series.name });
    if (style === "line+points")
      for (const [x, y] of points) marks.push({ x, y, series: series.name });
  }
  const names = colors.map((c) => c.name);
  const color = {
    field: "series",
    type: "nominal",
    scale: { domain: names, range: colors.map((c) => c.color) },
    legend: names.length > 1 ? { title: null, orient: "top", columns: 3 } : null,
  };
  const dash = {
    field: "series",
    type: "nominal",
    scale: { domain: names, range: colors.map((c) => c.dash) },
    legend: null,
  };
  const position = { x: encoding("x", X), y: encoding("y", Y) };

  // what ours is held against lies below
  const references = plot.series.filter((s) => s.style === "reference").map((s) => s.name);
  const isReference = { field: "series", oneOf: references };
  if (references.length > 0)
    layers.push({
      data: { values: rows },
      transform: [{ filter: isReference }],
      mark: { type: "line", strokeWidth: 5, opacity: 0.55, strokeCap: "round", clip: true },
      encoding: { ...position, color, order: { field: "x", type: "quantitative" } },
    });
  for (const [i, { order, through, label }] of (plot.slopes ?? []).entries())
    layers.push(...slopeLayers(order, through, label ?? `slope ${order}`, plot, position, i));
  if (rows.length > 0)
    layers.push({
      data: { values: rows.map((row, order) => ({ ...row, order })) },
      ...(references.length > 0 ? { transform: [{ filter: { not: isReference } }] } : {}),
      mark: { type: "line", strokeWidth: 1.8, strokeJoin: "round", clip: true },
      encoding: {
        ...position,
        color,
        strokeDash: dash,
        order: { field: "order", type: "quantitative" },
      },
    });
  // Points on the rim are shown whole, unless the axes leave some out.
  const cut = [X.min, X.max, Y.min, Y.max].some((end) => end !== undefined);
  if (marks.length > 0)
    layers.push({
      data: { values: marks },
      mark: { type: "point", filled: true, size: 34, opacity: 0.9, clip: cut },
      encoding: { ...position, color },
    });
  for (const { x, y, label } of plot.lines ?? []) layers.push(...ruleLayers(x, y, label, X, Y));

  return svgOf({ width, height, ...(plot.title ? { title: plot.title } : {}), layer: layers });
}

/** Bars beside names, one after another: shares of time, counts. */
export async function barPlot(plot: {
  title?: string;
  value: Axis;
  bars: readonly { name: string; value: number }[];
  width?: number;
}): Promise<string> {
  const { width = 520, value, bars } = plot;
  const factor = value.factor ?? 1;
  return svgOf({
    width,
    height: { step: 24 },
    ...(plot.title ? { title: plot.title } : {}),
    layer: [
      {
        data: { values: bars.map((bar) => ({ name: bar.name, value: bar.value * factor })) },
        mark: { type: "bar", color: SERIES_COLORS[1], cornerRadiusEnd: 2 },
        encoding: {
          y: { field: "name", type: "nominal", sort: null, axis: { title: null, grid: false } },
          x: encoding("value", value),
        },
      },
    ],
  });
}

function encoding(field: string, axis: Axis): object {
  const factor = axis.factor ?? 1;
  const domain: Record<string, number> = {};
  if (axis.min !== undefined) domain.domainMin = axis.min * factor;
  if (axis.max !== undefined) domain.domainMax = axis.max * factor;
  return {
    field,
    type: "quantitative",
    scale: { type: axis.log ? "log" : "linear", zero: false, nice: true, ...domain },
    axis: {
      title: axis.unit ? `${axis.label} (${axis.unit})` : axis.label,
      tickCount: 6,
      ...(axis.log ? { format: "~g" } : {}),
    },
  };
}

/** Pairs that can be drawn, at most two per column and row of pixels. */
function thinned(series: Series, X: Axis, Y: Axis, width: number): [number, number][] {
  const fx = X.factor ?? 1;
  const fy = Y.factor ?? 1;
  const all: [number, number][] = [];
  for (let i = 0; i < Math.min(series.x.length, series.y.length); i++) {
    const x = series.x[i] * fx;
    const y = series.y[i] * fy;
    const drawable =
      Number.isFinite(x) && Number.isFinite(y) && !(X.log && x <= 0) && !(Y.log && y <= 0);
    if (drawable) all.push([x, y]);
  }
  const most = 2 * width;
  if (all.length <= 2 * most) return all;
  const kept: [number, number][] = [];
  for (let b = 0; b < most / 2; b++) {
    const part = all.slice(
      Math.floor((b * all.length) / (most / 2)),
      Math.floor(((b + 1) * all.length) / (most / 2)),
    );
    let low = 0;
    let high = 0;
    part.forEach(([, y], i) => {
      if (y < part[low][1]) low = i;
      if (y > part[high][1]) high = i;
    });
    kept.push(part[Math.min(low, high)]);
    if (low !== high) kept.push(part[Math.max(low, high)]);
  }
  if (kept.at(-1) !== all.at(-1)) kept.push(all[all.length - 1]);
  return kept;
}

function slopeLayers(
  order: number,
  [x0, y0]: readonly [number, number],
  label: string,
  plot: LinePlot,
  position: object,
  which: number,
): object[] {
  const fx = plot.x.factor ?? 1;
  const fy = plot.y.factor ?? 1;
  const xs = plot.series.flatMap((s) => Array.from(s.x)).filter((x) => x > 0 && Number.isFinite(x));
  const ends = [Math.min(...xs, x0), Math.max(...xs, x0)];
  const values = ends.map((x) => ({ x: x * fx, y: y0 * (x / x0) ** order * fy }));
  const mark = { type: "line", strokeDash: [4, 3], strokeWidth: 1.2, color: GREY, clip: true };
  const text = { type: "text", align: "right", dx: -4, dy: -6 - 12 * (which % 2), color: INK };
  return [
    { data: { values }, mark, encoding: position },
    {
      data: { values: [{ ...values[1], label }] },
      mark: { ...text, fontSize: 11 },
      encoding: { ...position, text: { field: "label", type: "nominal" } },
    },
  ];
}

function ruleLayers(
  x: number | undefined,
  y: number | undefined,
  label: string,
  X: Axis,
  Y: Axis,
): object[] {
  const value = { x: (x ?? 0) * (X.factor ?? 1), y: (y ?? 0) * (Y.factor ?? 1), label };
  const place =
    x === undefined ? { y: encoding("y", Y) } : { x: encoding("x", X), y: { value: 0 } };
  const rule = x === undefined ? { y: encoding("y", Y) } : { x: encoding("x", X) };
  const text =
    x === undefined
      ? { align: "right", dy: -5, x: "width", dx: -2 }
      : { align: "left", dx: 4, dy: 8 };
  return [
    {
      data: { values: [value] },
      mark: { type: "rule", strokeDash: [2, 3], color: INK, opacity: 0.6 },
      encoding: rule,
    },
    {
      data: { values: [value] },
      mark: { type: "text", fontSize: 11, color: INK, ...text },
      encoding: { ...place, text: { field: "label", type: "nominal" } },
    },
  ];
}

const HOUSE = {
  background: null,
  aria: false,
  font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif",
  view: { stroke: null },
  title: { color: INK, fontSize: 14, fontWeight: 600, anchor: "start", offset: 10 },
  axis: {
    labelColor: INK,
    titleColor: INK,
    labelFontSize: 11,
    titleFontSize: 12,
    titleFontWeight: 400,
    titlePadding: 8,
    gridColor: INK,
    gridOpacity: 0.12,
    domainColor: INK,
    domainOpacity: 0.5,
    tickColor: INK,
    tickOpacity: 0.5,
    labelFlush: false,
  },
  legend: {
    labelColor: INK,
    labelFontSize: 12,
    symbolType: "stroke",
    symbolStrokeWidth: 3,
    symbolSize: 160,
    symbolOpacity: 1,
    labelLimit: 260,
    padding: 0,
    offset: 8,
  },
};

const PACKAGES = ["vega", "vega-lite"];

/** The plot, or in its place what to install: a report is worth having without plots. */
async function svgOf(spec: object): Promise<string> {
  try {
    return await drawn(spec);
  } catch (error) {
    if (!(error instanceof MissingPackage)) throw error;
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 40" width="480" height="40"><text x="6" y="24" font-size="13" fill="currentColor">${error.message}</text></svg>`;
  }
}

async function drawn(spec: object): Promise<string> {
  const [vega, lite] = await optional("a plot", PACKAGES, () =>
    Promise.all([import("vega"), import("vega-lite")]),
  );
  const whole = {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    padding: 6,
    config: HOUSE,
  };
  const quiet = vega.logger(vega.Error);
  const { spec: compiled } = lite.compile({ ...whole, ...spec } as unknown as TopLevelSpec, {
    logger: quiet as unknown as NonNullable<Parameters<typeof lite.compile>[1]>["logger"] & object,
  });
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logger: quiet });
  try {
    return tidied(await view.toSVG());
  } finally {
    view.finalize();
  }
}

/**
 * vega's SVG without what is invisible, half the size: marks of hidden groups, roles, the font at every word. Its clip
 * paths are numbered through all plots of the process; here from 0, so that a plot is the same bytes every time.
 */
function tidied(svg: string): string {
  const clips = new Map<string, string>();
  const name = (id: string): string => {
    if (!clips.has(id)) clips.set(id, `clip${clips.size}`);
    return clips.get(id)!;
  };
  return svg
    .replace(/<path class="(foreground|background)"[^>]*d=""[^>]*\/>/g, "")
    .replace(/<path class="background"[^>]*d="M0,0h0v0h0Z"[^>]*\/>/g, "")
    .replace(/ (role|aria-[a-z]+|pointer-events)="[^"]*"/g, "")
    .replace(/ font-family="[^"]*"/g, "")
    .replace(/ opacity="1"/g, "")
    .replace("<svg ", `<svg font-family="${HOUSE.font}" `)
    .replace(/\bid="(clip\d+)"/g, (_, id: string) => `id="${name(id)}"`)
    .replace(/url\(#(clip\d+)\)/g, (_, id: string) => `url(#${name(id)})`)
    .replaceAll(INK, "currentColor");
}
