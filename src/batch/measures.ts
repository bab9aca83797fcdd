/** The numbers of a summary as columns: strain.edgeMax, sag, phases.solve, … */
import type { Summary } from "../recording/summary.ts";

/** Dotted names of all numbers in a Summary; a test holds this list against a real one. */
export const MEASURES: readonly string[] = [
  "points",
  "h",
  "tolerance",
  "seconds",
  "steps",
  "frames",
  "wallSeconds",
  "projections.mean",
  "projections.max",
  "fallbackSteps",
  "unconvergedSteps",
  "residual.trace",
  "residual.det",
  "strain.edgeMean",
  "strain.edgeMax",
  "strain.edgeMaxEver",
  "strain.stretchMaxEver",
  "strain.stretchMax",
  "strain.compressionMax",
  "strain.principalMax",
  "strain.pairMax",
  "energy.kinetic",
  "energy.gravity",
  "energy.bending",
  "energy.membrane",
  "energy.smoothing",
  "energy.foundation",
  "energy.pressure",
  "energy.substrate",
  "energy.total",
  "speedMax",
  "penetrationMax",
  "sag",
  "roughness",
  "phases.predict",
  "phases.evaluate",
  "phases.assemble",
  "phases.factor",
  "phases.solve",
  "phases.contact",
  "memoryBytes",
];

/** What a measure is in words, and its unit and factor for plots. */
export function measureLabel(name: string): { label: string; unit?: string; factor?: number } {
  const known: Record<string, { label: string; unit?: string; factor?: number }> = {
    "strain.edgeMean": { label: "mean edge strain", unit: "%", factor: 100 },
    "strain.edgeMax": { label: "largest edge strain", unit: "%", factor: 100 },
    "strain.edgeMaxEver": { label: "largest edge strain of all frames", unit: "%", factor: 100 },
    "strain.stretchMaxEver": { label: "largest stretch of all frames", unit: "%", factor: 100 },
    "strain.stretchMax": { label: "largest stretch of an edge", unit: "%", factor: 100 },
    "strain.compressionMax": { label: "largest compression of an edge", unit: "%", factor: 100 },
    "strain.principalMax": { label: "largest principal strain", unit: "%", factor: 100 },
    "strain.pairMax": { label: "largest growth of far pairs", unit: "%", factor: 100 },
    sag: { label: "sag", unit: "m" },
    wallSeconds: { label: "work", unit: "s" },
    speedMax: { label: "fastest point", unit: "mm/s", factor: 1000 },
    roughness: { label: "roughness", unit: "°", factor: 180 / Math.PI },
    memoryBytes: { label: "memory", unit: "MB", factor: 1e-6 },
    penetrationMax: { label: "deepest penetration", unit: "mm", factor: 1000 },
  };
  const own = known[name];
  if (own !== undefined) return own;
  const [group, part] = name.split(".");
  if (group === "energy") return { label: `${part} energy`, unit: "J" };
  if (group === "phases") return { label: part, unit: "s" };
  return { label: name };
}

/**
 * The number of that name; NaN if the summary has none.
 *
 * @example
 * const strain = measureOf(summary, "strain.edgeMax");
 */
export function measureOf(summary: Summary, name: string): number {
  let value: unknown = summary;
  for (const step of name.split("."))
    value = (value as Record<string, unknown> | undefined)?.[step];
  return typeof value === "number" ? value : Number.NaN;
}
