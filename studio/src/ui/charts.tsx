/** Live charts; uPlot is only loaded when they are looked at. */
import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import type { Beat } from "../engine/protocol.ts";
import type { Lane } from "../lane.ts";
import * as studio from "../studio.ts";
import { Section } from "./controls.tsx";
import { Probes } from "./probe.tsx";
import { REDRAW, useSlowly } from "./slowly.ts";
import { SweepSection } from "./sweep.tsx";
import { AnyPlot } from "./xy-plot.tsx";

interface Curve {
  readonly label: string;
  /** One of the page's colours. */
  readonly color: string;
  value(line: Beat): number | null;
}

interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly curves: readonly Curve[];
}

const CHARTS: readonly Chart[] = [
  {
    title: "Stretch",
    unit: "%",
    curves: [
      { label: "largest", color: "--chart-a", value: (l) => 100 * l.strain },
      { label: "mean", color: "--chart-b", value: (l) => 100 * l.edgeMean },
    ],
  },
  {
    title: "Energy",
    unit: "J",
    curves: [
      { label: "total", color: "--chart-a", value: (l) => l.energy?.total ?? null },
      { label: "gravity", color: "--chart-b", value: (l) => l.energy?.gravity ?? null },
      { label: "kinetic", color: "--chart-c", value: (l) => l.energy?.kinetic ?? null },
      { label: "bending", color: "--chart-d", value: (l) => l.energy?.bending ?? null },
    ],
  },
  {
    title: "Rounds a step",
    unit: "",
    curves: [
      { label: "rounds", color: "--chart-a", value: (l) => (l.rounds > 0 ? l.rounds : null) },
    ],
  },
  {
    title: "Time a step",
    unit: "ms",
    curves: [
      { label: "wall time", color: "--chart-a", value: (l) => (l.stepMs > 0 ? l.stepMs : null) },
    ],
  },
];

export function Charts(): JSX.Element {
  const lane = studio.first.value;
  useSlowly(lane === null ? [] : [lane.line]);
  const line = lane?.line.peek() ?? null;
  return (
    <>
      <Probes />
      {lane !== null && <AnyPlot lane={lane} />}
      {lane !== null && <SweepSection lane={lane} />}
      {lane !== null &&
        CHARTS.map((chart) => (
          <Section key={chart.title} title={chart.title} note={last(chart, line)}>
            <Plot lane={lane} chart={chart} />
          </Section>
        ))}
    </>
  );
}

function last({ curves, unit }: Chart, line: Beat | null): string {
  const value = line === null ? null : curves[0].value(line);
  return value === null ? "" : `${value.toPrecision(3)} ${unit}`;
}

function Plot({ lane, chart }: { lane: Lane; chart: Chart }): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    let plot: uPlot | null = null;
    let gone = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let drawn = -1;
    const draw = (): void => {
      timer = undefined;
      const version = lane.series.version.peek();
      if (plot === null || version === drawn) return;
      drawn = version;
      plot.setData(dataOf(lane, chart));
    };
    const stops: (() => void)[] = [];
    void (async () => {
      const { default: UPlot } = await import("./uplot.ts");
      if (gone) return;
      const make = (): void => {
        plot?.destroy();
        plot = new UPlot(optionsOf(element, chart), dataOf(lane, chart), element);
      };
      stops.push(
        effect(() => {
          studio.theme.value;
          queueMicrotask(() => {
            if (!gone) make(); // colours are the page's
          });
        }),
        effect(() => {
          lane.series.version.value;
          timer ??= setTimeout(draw, REDRAW);
        }),
      );
      const observer = new ResizeObserver(() => {
        plot?.setSize({ width: element.clientWidth, height: HEIGHT });
      });
      observer.observe(element);
      stops.push(() => observer.disconnect());
    })();
    return () => {
      gone = true;
      clearTimeout(timer);
      for (const stop of stops) stop();
      plot?.destroy();
    };
  }, [lane, chart]);
  return (
    <>
      <div class="plot" ref={holder} data-chart={chart.title} />
      {chart.curves.length > 1 && (
        <ul class="keys">
          {chart.curves.map(({ label, color }) => (
            <li key={label}>
              <span class="key" style={{ background: `var(${color})` }} />
              {label}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const HEIGHT = 118;
/** s, how long the time axis is before there are two lines to fit it to. */
const SHORTEST = 0.1;

function dataOf({ series }: Lane, { curves }: Chart): uPlot.AlignedData {
  const { lines } = series;
  const end = lines.length < 2 ? [(lines[0]?.time ?? 0) + SHORTEST] : [];
  const nothing = end.map(() => null);
  return [
    [...lines.map(({ time }) => time), ...end],
    ...curves.map(({ value }) => [...lines.map((line) => value(line)), ...nothing]),
  ] as uPlot.AlignedData;
}

function optionsOf(element: HTMLElement, { curves }: Chart): uPlot.Options {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: color("--ink-soft"),
    font: `11px ${color("--font") || "sans-serif"}`,
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false } },
    padding: [6, 6, 0, 0],
    axes: [
      { ...axis, size: 20, gap: 3, values: (_, ticks) => ticks.map((t) => `${t} s`) },
      {
        ...axis,
        size: 44,
        gap: 4,
        values: (_, ticks) => ticks.map((t) => String(Number(t.toPrecision(3)))),
      },
    ],
    series: [
      {},
      ...curves.map(({ color: name }) => ({
        stroke: color(name),
        width: 1.5,
        spanGaps: true,
        points: { show: false },
      })),
    ],
  };
}
