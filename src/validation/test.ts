/**
 * A validation test: our numbers beside references that owe nothing to this program.
 *
 * References are data files (validation/reference, with the scripts that made them), read by whoever runs the tests. A row
 * is one quantity on one mesh; its error is relative unless it says what it is relative to. Verdicts are by the bands of
 * the row; a row without a band is there to be looked at.
 */
import "../methods.ts";
import type { SimulationOptions } from "../live/running.ts";
import type { LinePlot } from "../picture/plots.ts";
import type { SamplingInput, SceneInput } from "../scene/input.ts";
import { parseScene } from "../scene/scene.ts";
import { createSimulation, type Simulation } from "../simulation.ts";
import type { Shot } from "./shot.ts";

export interface Row {
  /** What is compared, e.g. "Γ = 20, tip". */
  what: string;
  mesh: string;
  /** Points along the length. */
  resolution: number;
  reference: number;
  ours: number;
  unit: string;
  /** |ours − reference| over `scale`, or how far a bound is passed. */
  error: number;
  /** Largest error that passes; null: none is asked. */
  limit: number | null;
}

/** A statement about several rows: spread over meshes, order of convergence, an inequality. */
export interface Claim {
  what: string;
  ours: string;
  asked: string;
  holds: boolean;
}

export interface TestResult {
  rows: Row[];
  claims: Claim[];
  plots: LinePlot[];
  /** Pictures of some cases. */
  shots: Shot[];
  /** What a reader must know: choices made. */
  notes: string[];
  /** Where we fall short of what the reference asks, or of what one would like, though the bands hold. */
  short?: string[];
}

export interface TestOptions {
  /** A subset that takes seconds. */
  fast: boolean;
  /** The text of a reference file. */
  read: (file: string) => string;
  say: (what: string) => void;
}

export interface ValidationTest {
  name: string;
  title: string;
  /** What it would expose. */
  exposes: string;
  run(options: TestOptions): TestResult;
}

/** Meshes of the same spacing: a grid, blue noise, a grid turned by 30°. */
export const MESHES: readonly { name: string; sampling: SamplingInput }[] = [
  { name: "structured", sampling: { type: "grid" } },
  { name: "jittered", sampling: { type: "irregular" } },
  { name: "rotated", sampling: { type: "rotated", angle: 30 } },
];

/** Points along the length: coarse, medium, fine. */
const RESOLUTIONS: readonly number[] = [15, 30, 60];

/** Coarse, medium and fine for a full run, coarse and medium for a fast one. */
export function resolutions({ fast }: TestOptions): readonly number[] {
  return fast ? RESOLUTIONS.slice(0, 2) : RESOLUTIONS;
}

/** A scene that runs. */
export function simulate(input: SceneInput, options: SimulationOptions = {}): Simulation {
  return createSimulation(parseScene(input), options);
}

/** Of a point's weight. A tenth of it is beyond rounding where the membrane is 5·10⁵ σgL stiff. */
const FORCE_LEFT = 1e-5;

/** The scene's equilibrium. Says so if it was not reached: a test must not pass on a state that is none. */
export function settled(input: SceneInput, options: SimulationOptions = {}): Simulation {
  const simulation = simulate({ ...input, static: { forceTolerance: FORCE_LEFT } }, options);
  const report = simulation.step();
  if (!report.converged) throw new Error(simulation.warnings.map(({ text }) => text).join("; "));
  return simulation;
}

/** Mean position of the points of a named edge. */
export function edgeMean({ sheet, Y }: Simulation, edge: string): [number, number, number] {
  const points = sheet.parts[0].edges[edge];
  const out: [number, number, number] = [0, 0, 0];
  for (let k = 0; k < points.length; k++)
    for (let c = 0; c < 3; c++) out[c] += Y[3 * points[k] + c] / points.length;
  return out;
}

/** A table of numbers with a header; words become NaN, "inf" Infinity. */
export function readCsv(text: string): { columns: string[]; rows: Record<string, number>[] } {
  const [head, ...lines] = text.trim().split(/\r?\n/);
  const columns = head.split(",");
  const number = (word: string): number => (word === "inf" ? Infinity : Number(word));
  return {
    columns,
    rows: lines.map((line) => {
      const words = line.split(",");
      return Object.fromEntries(columns.map((name, k) => [name, number(words[k])]));
    }),
  };
}

/** The row of a table whose columns have these values (to rounding of the text). */
export function find(
  rows: readonly Record<string, number>[],
  wanted: Record<string, number>,
): Record<string, number> {
  const found = rows.find((row) =>
    Object.entries(wanted).every(([name, value]) =>
      value === Infinity
        ? row[name] === value
        : Math.abs(row[name] - value) <= 1e-9 * Math.abs(value),
    ),
  );
  if (!found) throw new Error(`the reference has no row ${JSON.stringify(wanted)}`);
  return found;
}

/** Relative error as a row. */
export function compared(
  row: Omit<Row, "error" | "limit" | "unit"> & {
    unit?: string;
    limit?: number | null;
    scale?: number;
  },
): Row {
  const { unit = "1", limit = null, scale, ...rest } = row;
  const error = Math.abs(rest.ours - rest.reference) / (scale ?? Math.abs(rest.reference));
  return { ...rest, unit, limit, error };
}

/** log₂ of the ratio of errors where the spacing halves. */
export function order(coarse: number, fine: number): number {
  return Math.log2(coarse / fine);
}

export function percent(value: number, digits = 2): string {
  return `${(100 * value).toFixed(digits)} %`;
}

/** Largest spread of ours over the meshes at one resolution, over the scale. */
export function spread(values: readonly number[], scale: number): number {
  return (Math.max(...values) - Math.min(...values)) / Math.abs(scale);
}

export function passes(result: TestResult): boolean {
  return (
    result.rows.every(({ error, limit }) => limit === null || error <= limit) &&
    result.claims.every(({ holds }) => holds)
  );
}
