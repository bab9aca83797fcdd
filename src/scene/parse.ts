/**
 * From what a person wrote to a Scene, or to one error that lists everything wrong with it.
 *
 * Three passes, none of which stops at the first fault: a plain copy (nothing but lists, records, texts, numbers and
 * flags, not too deep, no key that could reach a prototype), the form (schema.ts), and the meaning (meaning.ts), which
 * looks at every part whose form is sound even if another part's is not.
 */
import { formFaults } from "./check-form.ts";
import { type Fault, Faults, type Path, pathText, SceneError, show } from "./faults.ts";
import type { SceneInput } from "./input.ts";
import { meaningOf } from "./meaning.ts";
import type { Scene } from "./scene.ts";
import { scene as form } from "./schema.ts";

/** Where a path of the scene stands in the text that it came from. */
export type Locate = (path: Path) => { line: number; column: number } | null;

/** Scenes nest some ten deep; more is a mistake or an attack. */
const DEEPEST = 40;
/** Values in one scene: room for outlines of 10⁵ points, not for a memory full. */
const MOST_VALUES = 2_000_000;
/** More faults than this are usually one fault repeated. */
const MOST_FAULTS = 1000;
/** Longest text; the schema is stricter where it matters. */
const LONGEST_TEXT = 100_000;

/**
 * Checks a scene in its input form (see input.ts), fills in the defaults and converts it. What its type does not know is found when
 * it is compiled; for data from elsewhere there is checkScene.
 *
 * @param source named in the error, and names the scene if it has no name
 * @throws SceneError with every fault
 *
 * @example
 * const scene = parseScene({
 *   sheet: { shape: { type: "rectangle", width: 1, height: 1 }, material: "silk" },
 *   pins: [{ at: { corner: "top-left", radius: 0.03 } }],
 * });
 */
export function parseScene(input: SceneInput, source: string = "scene"): Scene {
  return checkScene(input, source);
}

/**
 * As parseScene, for data of which nothing is known yet: read from a file, sent by somebody.
 *
 * @param locate where a path of the scene stands in the text that it came from
 * @throws SceneError with every fault
 *
 * @example
 * const scene = checkScene(JSON.parse(text), "cloth.json");
 */
export function checkScene(input: unknown, source: string = "scene", locate?: Locate): Scene {
  const faults = new Faults();
  const unsound: Path[] = [];
  const note = (path: Path, what: string): void => {
    unsound.push(path);
    faults.add(path, what);
  };

  const value = plainCopy(input, note);
  const found = formFaults(form, value);
  const notPlain = [...unsound];
  for (const fault of found.slice(0, MOST_FAULTS))
    if (!notPlain.some((path) => within(fault.path, path))) note(fault.path, fault.message);
  const left = found.length - MOST_FAULTS;
  if (left > 0) faults.add([], "there are more faults of this kind");

  const sound = (path: Path): boolean =>
    !unsound.some((bad) => within(bad, path) || within(path, bad));
  let scene: Scene | null = null;
  if (isRecord(value) && left <= 0 && !unsound.some((path) => path.length === 0))
    scene = meaningOf(value as SceneInput, { source, sound, faults });

  if (faults.list.length > 0 || scene === null)
    throw new SceneError(source, placed(faults.list, locate, [...unsound]));
  return scene;
}

/** `a` is at or under `b`. */
function within(a: Path, b: Path): boolean {
  return b.length <= a.length && b.every((step, k) => step === a[k]);
}

function placed(list: readonly Fault[], locate: Locate | undefined, paths: Path[]): Fault[] {
  if (locate === undefined) return [...list];
  const known = new Map(paths.map((path) => [pathText(path), path]));
  return list.map((fault) => {
    const place = locate(known.get(fault.path) ?? pathSteps(fault.path));
    return place === null ? fault : { ...fault, ...place };
  });
}

/** "pins[1].at" → ["pins", 1, "at"] */
export function pathSteps(text: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const word of text.split(/[.[\]]/))
    if (word !== "") steps.push(/^\d+$/.test(word) ? Number(word) : word);
  return steps;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The plain data in `input`; what is not plain is noted and left out, as are undefined and null. */
function plainCopy(input: unknown, note: (path: Path, what: string) => void): unknown {
  let values = 0;
  const copy = (value: unknown, path: Path): unknown => {
    if (++values > MOST_VALUES) {
      if (values === MOST_VALUES + 1) note([], `needs at most ${MOST_VALUES} values in one scene`);
      return undefined;
    }
    switch (typeof value) {
      case "boolean":
        return value;
      case "number": // the schema refuses NaN and infinities, with the range it wants
        return value + 0; // not −0, which JSON would lose
      case "string":
        if (value.length <= LONGEST_TEXT) return value;
        note(path, `got ${show(value)}, needs at most ${LONGEST_TEXT} characters`);
        return undefined;
      case "object":
        break;
      case "undefined":
        return undefined;
      default:
        note(path, `got ${show(value)}, needs plain data`);
        return undefined;
    }
    if (value === null) return undefined;
    if (path.length >= DEEPEST) {
      note(path, `nested deeper than ${DEEPEST} levels`);
      return undefined;
    }
    if (Array.isArray(value))
      return Array.from(value, (item, k) => copy(item, [...path, k]) ?? null);
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype !== null && prototype !== Object.prototype && !isForeignRecord(prototype)) {
      note(path, "needs plain data, not an instance of a class");
      return undefined;
    }
    const record: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      if (key === "__proto__" || key === "constructor" || key === "prototype") {
        note([...path, key], "unknown field");
        continue;
      }
      const item = copy((value as Record<string, unknown>)[key], [...path, key]);
      if (item !== undefined) record[key] = item;
    }
    return record;
  };
  try {
    return copy(input, []);
  } catch {
    note([], "needs plain data"); // a getter or a proxy that throws
    return undefined;
  }
}

/** Object.prototype of another realm (a frame, a worker, a test's sandbox). */
function isForeignRecord(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, "hasOwnProperty");
}
