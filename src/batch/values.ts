/**
 * The values that a field takes in a study: listed, spread evenly, or drawn at random.
 *
 *   [1e-5, 1e-4, silk]                                    these
 *   { from: 1e-5, to: 1e-3, count: 5, scale: log }        evenly spread, both ends included (grid)
 *   { from: 1, to: 100, whole: true }                     drawn (sample)
 *
 * What is between the ends is rounded, to twelve digits or (powers and draws) six: 0.3 stays 0.3, and powers,
 * whose last bits differ from engine to engine, give the same scene everywhere. Every field has its own stream of random numbers, so that adding
 * one leaves the others as they were.
 */
import type { Faults, Path } from "../scene/faults.ts";
import { show, suggestion } from "../scene/faults.ts";
import { createRandom } from "../sheet/random.ts";

export type Value = unknown;

export interface Range {
  from: number;
  to: number;
  log: boolean;
  whole: boolean;
}

/** More values of one field, or runs of one study, are a slip. */
export const MOST_RUNS = 100_000;

/** Value at share u ∈ [0, 1] of the range. */
function at({ from, to, log }: Range, u: number, digits: number): number {
  if (u === 0) return from;
  if (u === 1) return to;
  const x = log ? from * (to / from) ** u : from + u * (to - from);
  return Number(x.toPrecision(digits));
}

/** `count` values, both ends included; fewer if they are whole numbers that coincide. */
export function spread(range: Range, count: number): number[] {
  const values = Array.from({ length: count }, (_, k) => {
    const x = count === 1 ? range.from : at(range, k / (count - 1), range.log ? 6 : 12);
    return range.whole ? Math.round(x) : x;
  });
  return [...new Set(values)];
}

/** An endless stream of draws from a range or from choices. */
export function draws(of: Range | readonly Value[], seed: number, stream: number): () => Value {
  const random = createRandom(seed, stream);
  if (Array.isArray(of)) return () => of[Math.floor(random() * of.length)];
  const range = of as Range;
  if (!range.whole) return () => at(range, random(), 6);
  // each whole number as often as its share of the scale says
  const wide = { ...range, from: range.from - (range.log ? 0 : 0.5), to: range.to + 0.5 };
  return () => Math.min(range.to, Math.max(range.from, Math.round(at(wide, random(), 12))));
}

/** Reads { from, to, scale, whole } and, for grids, count; notes every fault. */
export function readRange(
  value: Record<string, unknown>,
  path: Path,
  counted: boolean,
  faults: Faults,
): { range: Range; count: number } | null {
  const before = faults.list.length;
  const known = counted
    ? ["from", "to", "count", "scale", "whole"]
    : ["from", "to", "scale", "whole"];
  for (const key of Object.keys(value))
    if (!known.includes(key)) faults.add([...path, key], "unknown field", suggestion(key, known));
  const number = (key: string): number => {
    const x = value[key];
    if (typeof x === "number" && Number.isFinite(x)) return x;
    faults.add([...path, key], `got ${show(x)}, needs a number`);
    return Number.NaN;
  };
  const from = number("from");
  const to = number("to");
  const { scale = "linear", whole = false, count = 0 } = value;
  if (scale !== "linear" && scale !== "log")
    faults.add([...path, "scale"], `got ${show(scale)}, needs linear or log`);
  if (typeof whole !== "boolean")
    faults.add([...path, "whole"], `got ${show(whole)}, needs true or false`);
  if (to < from) faults.add([...path, "to"], `got ${to}, needs at least from, ${from}`);
  if (scale === "log" && from <= 0)
    faults.add([...path, "from"], `got ${from}, needs more than 0 on a log scale`);
  if (whole === true && !(Number.isInteger(from) && Number.isInteger(to)))
    faults.add(path, `got ${from} … ${to}, needs whole numbers`);
  if (counted && !(Number.isInteger(count) && Number(count) >= 1 && Number(count) <= MOST_RUNS))
    faults.add([...path, "count"], `got ${show(value.count)}, needs 1 … ${MOST_RUNS}`);
  if (faults.list.length > before) return null;
  return { range: { from, to, log: scale === "log", whole: whole === true }, count: Number(count) };
}
