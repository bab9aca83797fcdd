/**
 * Faults in what people wrote: every one at once, each with where, what it got, what it needs, and the likeliest slip.
 */

export interface Fault {
  /** Where in the scene: "pins[1].at.corner"; empty for the whole. */
  readonly path: string;
  /** What is wrong, what is allowed, and a hint. */
  readonly message: string;
  /** Where in the text, if the scene came from one; both from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** More faults than this usually repeat the first ones. */
const MOST_LISTED = 50;

/** A scene that cannot be run, with all that is wrong with it. */
export class SceneError extends Error {
  readonly source: string;
  readonly faults: readonly Fault[];

  constructor(source: string, faults: readonly Fault[]) {
    const listed = faults.slice(0, MOST_LISTED).map((f) => `  ${line(f)}`);
    if (faults.length > MOST_LISTED) listed.push(`  … and ${faults.length - MOST_LISTED} more`);
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    super(`${source}: ${count}\n${listed.join("\n")}`);
    this.name = "SceneError";
    this.source = source;
    this.faults = faults;
  }
}

function line(fault: Fault): string {
  const place = fault.line === undefined ? "" : `${fault.line}:${fault.column} `;
  return `${place}${fault.path === "" ? "scene" : fault.path}: ${fault.message}`;
}

/** Notes faults rather than stopping at the first. */
export class Faults {
  readonly list: Fault[] = [];

  add(path: Path, what: string, hint = ""): void {
    this.list.push({ path: pathText(path), message: hint === "" ? what : `${what}; ${hint}` });
  }
}

export type Path = readonly (string | number)[];

/** ["pins", 1, "at"] → "pins[1].at" */
export function pathText(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? short(step) : `.${short(step)}`;
  }
  return text;
}

function short(name: string): string {
  const clean = printable(name);
  return clean.length > 60 ? `${clean.slice(0, 57)}…` : clean;
}

/** A value as a message shows it: short, on one line. */
export function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") {
    const clean = printable(value);
    return clean.length > 40
      ? `"${clean.slice(0, 37)}…" (${value.length} characters)`
      : `"${clean}"`;
  }
  if (Array.isArray(value)) {
    const numbers = value.length <= 4 && value.every((x) => typeof x === "number");
    return numbers ? `[${value.join(", ")}]` : `a list of ${value.length}`;
  }
  if (typeof value === "object") return "an object";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return `a ${typeof value}`;
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal
  return text.slice(0, 200).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "�");
}

/** `did you mean "density"?`, or the names there are if none is near. */
export function suggestion(name: string, names: readonly string[]): string {
  const best = nearest(name, names);
  if (best !== null) return `did you mean "${best}"?`;
  return names.length === 0 ? "" : `known: ${names.join(", ")}`;
}

/** The name most like the given one, if it is like it at all. */
export function nearest(name: string, names: readonly string[]): string | null {
  if (name.length > 60) return null;
  const key = name.toLowerCase();
  let best: string | null = null;
  let least = Math.max(2, Math.floor(name.length / 3)) + 0.5; // about one slip in three letters
  for (const candidate of names) {
    const other = candidate.toLowerCase();
    const prefix = key.length >= 3 && (other.startsWith(key) || key.startsWith(other));
    const slips = Math.min(distance(key, other), prefix ? 1.5 : Number.POSITIVE_INFINITY);
    if (slips < least && slips < Math.max(key.length, other.length)) {
      least = slips;
      best = candidate;
    }
  }
  return best;
}

/** Slips between two words: letters added, left out, changed, or two neighbours swapped. */
function distance(a: string, b: string): number {
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(old[j] + 1, row[j - 1] + 1, old[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], older[j - 2] + 1);
    }
    older = old;
    old = row;
  }
  return old[b.length];
}
