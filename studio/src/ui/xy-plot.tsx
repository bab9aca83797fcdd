/** Any measure against time or against any other: a force over a displacement, an energy over a strain. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Beat } from "../engine/protocol.ts";
import { save } from "../keep/save.ts";
import type { Lane } from "../lane.ts";
import { Choice, exact, Section } from "./controls.tsx";
import { Icon } from "./icons.tsx";
import { useSlowly } from "./slowly.ts";

export interface Measure {
  readonly name: string;
  readonly unit: string;
  /** What values are multiplied by to be shown in `unit`. */
  readonly factor: number;
  /** Whether its axis is logarithmic. */
  readonly log?: boolean;
  /** In SI units; null where it was not measured. */
  value(line: Beat): number | null;
}

const FIXED: readonly Measure[] = [
  { name: "time", unit: "s", factor: 1, value: (l) => l.time },
  { name: "largest stretch", unit: "%", factor: 100, value: (l) => l.stretchMax },
  { name: "largest compression", unit: "%", factor: 100, value: (l) => l.compressionMax },
  { name: "mean stretch", unit: "%", factor: 100, value: (l) => l.edgeMean },
  { name: "how far it hangs", unit: "mm", factor: 1000, value: (l) => l.sag },
  { name: "bending energy", unit: "mJ", factor: 1000, value: (l) => l.energy?.bending ?? null },
  { name: "gravity energy", unit: "mJ", factor: 1000, value: (l) => l.energy?.gravity ?? null },
  { name: "kinetic energy", unit: "mJ", factor: 1000, value: (l) => l.energy?.kinetic ?? null },
  { name: "total energy", unit: "mJ", factor: 1000, value: (l) => l.energy?.total ?? null },
  { name: "contacts", unit: "1", factor: 1, value: (l) => l.contacts },
];

/** What can be plotted: what every run has, the forces and shifts of its pins, what is probed. */
export function measuresOf(lane: Lane): Measure[] {
  const pins = lane.opened.value?.pins ?? [];
  const probes = lane.line.peek()?.probes ?? [];
  const of = (line: Beat, name: string, what: "force" | "shift"): number | null => {
    const found = line.reactions.find((r) => r.name === name);
    return found === undefined ? null : Math.hypot(...found[what]);
  };
  return [
    ...FIXED,
    ...pins.flatMap(({ name }): Measure[] => [
      { name: `force of ${name}`, unit: "mN", factor: 1000, value: (l) => of(l, name, "force") },
      { name: `shift of ${name}`, unit: "mm", factor: 1000, value: (l) => of(l, name, "shift") },
    ]),
    ...probes.flatMap(({ point }, k): Measure[] => [
      {
        name: `curvature at probe ${k + 1}`,
        unit: "1/m",
        factor: 1,
        value: (l) => l.probes.find((p) => p.point === point)?.curvature ?? null,
      },
      {
        name: `height of probe ${k + 1}`,
        unit: "mm",
        factor: 1000,
        value: (l) => l.probes.find((p) => p.point === point)?.position[2] ?? null,
      },
    ]),
  ];
}

export function AnyPlot({ lane }: { lane: Lane }): JSX.Element {
  const [up, setUp] = useState("bending energy");
  const [across, setAcross] = useState("time");
  useSlowly([lane.series.version, lane.line]);
  const measures = measuresOf(lane);
  // a pin or a probe that was chosen may be gone
  const find = (name: string, usual: string): Measure =>
    measures.find((m) => m.name === name) ?? measures.find((m) => m.name === usual) ?? FIXED[0];
  const [x, y] = [find(across, "time"), find(up, "bending energy")];
  const points: [number, number][] = [];
  for (const line of lane.series.lines) {
    const [a, b] = [x.value(line), y.value(line)];
    if (a !== null && b !== null) points.push([a, b]);
  }
  const options = measures.map(({ name }) => ({ value: name, label: name }));
  return (
    <Section title="Plot">
      <Choice label="Up" value={y.name} options={options} onChange={setUp} />
      <Choice label="Across" value={x.name} options={options} onChange={setAcross} />
      <XyPlot x={x} y={y} points={points} />
      <button
        type="button"
        class="wide"
        disabled={points.length === 0}
        onClick={() => saveCsv(x, y, points)}
      >
        <Icon name="file" /> CSV
      </button>
    </Section>
  );
}

type Points = readonly (readonly [number, number])[];

export function saveCsv(x: Measure, y: Measure, points: Points): void {
  const head = `${x.name} (${x.unit}),${y.name} (${y.unit})`;
  const rows = points.map(([a, b]) => `${a * x.factor},${b * y.factor}`);
  save(`${y.name} over ${x.name}.csv`, new TextEncoder().encode([head, ...rows, ""].join("\n")));
}

const SIZE = { width: 300, height: 178, left: 46, bottom: 30, top: 16, right: 8 };

/** Up to so many points are marked: more would hide the line. */
const MARKED = 40;

export function XyPlot({ x, y, points }: { x: Measure; y: Measure; points: Points }): JSX.Element {
  const { width, height, left, bottom, top, right } = SIZE;
  const place = (a: number): number => (x.log ? Math.log10(a * x.factor) : a * x.factor);
  const across = scaleOf(
    points.map(([a]) => place(a)),
    left,
    width - right,
  );
  const values = points.map(([, b]) => b * y.factor);
  const usual = withoutSpikes(values);
  const up = scaleOf(usual, height - bottom, top);
  const within = (value: number): number => Math.max(up.low, Math.min(up.high, value));
  const drawn = points.map(
    ([a, b]) => [at(across, place(a)), at(up, within(b * y.factor))] as const,
  );
  const label = ({ name, unit }: Measure): string => (unit === "1" ? name : `${name}, ${unit}`);
  return (
    <svg
      class="xy"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`${label(y)} over ${label(x)}`}
      data-points={JSON.stringify(points)}
    >
      {across.ticks.map((tick) => (
        <g key={tick}>
          <line x1={at(across, tick)} x2={at(across, tick)} y1={top} y2={height - bottom} />
          <text x={at(across, tick)} y={height - bottom + 12} text-anchor="middle">
            {exact(x.log ? Number((10 ** tick).toPrecision(2)) : tick)}
          </text>
        </g>
      ))}
      {up.ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={width - right} y1={at(up, tick)} y2={at(up, tick)} />
          <text x={left - 5} y={at(up, tick) + 3} text-anchor="end">
            {exact(tick)}
          </text>
        </g>
      ))}
      <text class="axis" x={(left + width - right) / 2} y={height - 4} text-anchor="middle">
        {label(x)}
      </text>
      {usual.length < values.length && (
        <text class="axis" x={width - right} y={top - 6} text-anchor="end">
          a spike reaches {exact(Number(furthest(values).toPrecision(3)))}
        </text>
      )}
      {drawn.length > 1 && <path d={`M${drawn.map((p) => p.join(" ")).join("L")}`} />}
      {drawn.length <= MARKED &&
        drawn.map(([cx, cy]) => <circle key={cx} cx={cx} cy={cy} r={2.5} />)}
    </svg>
  );
}

/** Of so many values and more, a twelfth at either end may be a spike. */
const MANY = 50;

/**
 * The values that the axis must hold. A blow lasts a few frames and may be ten times what follows: where it would leave less
 * than two fifths of the axis to all others it is cut off, and the plot says so.
 */
function withoutSpikes(values: readonly number[]): readonly number[] {
  if (values.length < MANY) return values;
  const sorted = [...values].sort((a, b) => a - b);
  const cut = Math.floor(sorted.length / 12);
  const usual = sorted.slice(cut, sorted.length - cut);
  const span = usual[usual.length - 1] - usual[0];
  const isSpiked = sorted[sorted.length - 1] - sorted[0] > 2.5 * span && span > 0;
  if (!isSpiked) return values;
  return [usual[0] - 0.3 * span, ...usual, usual[usual.length - 1] + 0.3 * span];
}

function furthest(values: readonly number[]): number {
  return values.reduce((far, x) => (Math.abs(x) > Math.abs(far) ? x : far), 0);
}

interface Scale {
  readonly low: number;
  readonly high: number;
  /** Places of the ends. */
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

function at({ low, high, from, to }: Scale, value: number): number {
  return Number((from + ((value - low) / (high - low)) * (to - from)).toFixed(2));
}

/** An axis that holds the values, with some four ticks at round numbers. */
function scaleOf(values: readonly number[], from: number, to: number): Scale {
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (!(high > low)) [low, high] = Number.isFinite(low) ? [low - 0.5, low + 0.5] : [0, 1];
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) ?? 10 * power;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++)
    ticks.push(Number((k * step).toPrecision(6)));
  return { low, high, from, to, ticks };
}
