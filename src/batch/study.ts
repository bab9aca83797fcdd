/**
 * Studies: one scene and what varies in it → a list of runs, each a complete scene with a stable name.
 *
 *   name: stiffness                 # of the folder; the file's if left out
 *   scene: pinned-cloth             # built in, or a file beside the study
 *   set: { seconds: 2 }             # the same in every run
 *   grid:                           # every combination
 *     sheet.material.D: { from: 1e-5, to: 1e-3, count: 5, scale: log }
 *     sheet.sampling.points: [300, 662]
 *   list:                           # these
 *     - { air.drag: 1, seed: 1 }
 *   sample:                         # drawn at random, the same ones every time
 *     count: 20
 *     seed: 1
 *     fields: { sheet.material.density: { from: 0.1, to: 0.3 } }
 *   measures: [strain.edgeMax, sag] # plotted at the end; fields of the summary
 *
 * Fields are those of `--set`. A study has at least one of grid, list and sample; where it has several, every
 * combination of theirs is run. All faults are reported at once: those of the form with their place in the text,
 * those of the scenes with the first run that has them. Nothing runs before all scenes are sound.
 *
 * A run is named after its parameters (and a short hash of them, since names are cut and cleaned), never
 * after its place in the list, so that a study can grow without losing what it has.
 */
import * as path from "node:path";
import { loadScene } from "../node/load-scene.ts";
import { sha256 } from "../recording/hash.ts";
import { MOST_BYTES, readRegularText, UnreadableFileError } from "../recording/regular-file.ts";
import {
  type Fault,
  Faults,
  type Path,
  pathText,
  SceneError,
  show,
  suggestion,
} from "../scene/faults.ts";
import { libraryScene } from "../scene/library.ts";
import { type Locate, pathSteps } from "../scene/parse.ts";
import type { Scene } from "../scene/scene.ts";
import { readSceneText } from "../scene/text.ts";
import { MEASURES } from "./measures.ts";
import { draws, MOST_RUNS, type Range, readRange, spread } from "./values.ts";

export interface Study {
  name: string;
  description: string;
  /** As the study names it. */
  scene: string;
  /** The folder that the files of the scenes are relative to. */
  base: string;
  outside: boolean;
  /** Paths of the fields that vary. */
  fields: string[];
  /** Dotted names of summary fields. */
  measures: string[];
  runs: StudyRun[];
}

export interface StudyRun {
  /** Also of its folder. */
  name: string;
  /** What varies, by path. */
  parameters: Parameters;
  scene: Scene;
}

export type Parameters = Record<string, unknown>;

const KNOWN = ["name", "description", "scene", "set", "grid", "list", "sample", "measures"];
const DEFAULT_MEASURES = ["strain.edgeMax", "sag", "wallSeconds"];
/** Runs whose faults are looked at one by one: if thirty fail, the rest fail alike. */
const MOST_FAULTY = 30;

/**
 * Reads a study from a .yaml or .json file.
 *
 * @throws SceneError with every fault
 *
 * @example
 * const study = loadStudy("stiffness.yaml");
 * console.log(study.runs.map((run) => run.name));
 */
export function loadStudy(file: string, { outside = false }: { outside?: boolean } = {}): Study {
  let text: string;
  try {
    text = readRegularText(file, MOST_BYTES.scene);
  } catch (error) {
    if (error instanceof UnreadableFileError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new SceneError(file, [
      { path: "study", message: `cannot be read (${code ?? "unknown"})` },
    ]);
  }
  return parseStudyText(text, file, { outside });
}

/**
 * The same from text; `file` says where scenes and their files are looked for.
 *
 * @example
 * const study = parseStudyText(text, "study.yaml");
 */
export function parseStudyText(
  text: string,
  file: string,
  { outside = false }: { outside?: boolean } = {},
): Study {
  const { input, locate } = readSceneText(text, file);
  const faults = new PlacedFaults();
  const form = readForm(input, file, faults);
  if (form === null || faults.list.length > 0) throw new SceneError(file, faults.placed(locate));

  const named = form.scene;
  const sceneFile = besideStudy(named, file);
  const steps = path.relative(path.dirname(file), sceneFile);
  if (!outside && isSceneFile(named) && /^\.\.([\\/]|$)/.test(steps))
    throw new SceneError(file, [
      { path: "scene", message: `"${named}": outside the study's folder; allow it with --outside` },
    ]);
  const fields = [...new Set(form.sets.flatMap((parameters) => Object.keys(parameters)))];
  const names = shortNames(fields);
  const seen = new Map<string, number>();
  const runs: StudyRun[] = [];
  const found: FoundFaults = new Map();
  let base = ".";
  let faulty = 0;
  form.sets.forEach((parameters, k) => {
    if (faulty >= MOST_FAULTY) return;
    const key = canonical(parameters);
    const twin = seen.get(key);
    if (twin !== undefined) {
      faults.add([], `run ${k + 1} is the same as run ${twin + 1}: ${parametersText(parameters)}`);
      return;
    }
    seen.set(key, k);
    const set = Object.entries({ ...form.set, ...parameters });
    for (;;)
      try {
        const changes = set.map(([field, value]) => `${field}=${JSON.stringify(value)}`);
        const loaded = loadScene(sceneFile, { set: changes, outside });
        base = loaded.base;
        runs.push({ name: runName(parameters, names), parameters, scene: loaded.scene });
        return;
      } catch (error) {
        if (!(error instanceof SceneError)) throw error;
        note(found, error, k, parameters);
        faulty += 1;
        // fields that do not exist hide what is wrong with the others
        const bad = new Set(error.source === "--set" ? error.faults.map((f) => f.path) : []);
        const good = set.filter(([field]) => !bad.has(field));
        if (good.length === set.length) return;
        set.splice(0, set.length, ...good);
      }
  });
  for (const { fault, runs: count, first } of found.values())
    faults.list.push({
      path: fault.path === "" ? `scene ${named}` : fault.path,
      message:
        count === form.sets.length
          ? fault.message
          : `${fault.message} (${first}${count > 1 ? ` and ${count - 1} more` : ""})`,
      ...(fault.line !== undefined && { line: fault.line }),
      ...(fault.column !== undefined && { column: fault.column }),
    });
  if (faults.list.length > 0) throw new SceneError(file, faults.list);
  const { name, description, measures } = form;
  return { name, description, scene: named, base, outside, fields, measures, runs };
}

/** Where a scene is that a study names; built-in names stay names. */
function besideStudy(scene: string, file: string): string {
  const relative = isSceneFile(scene) && !path.isAbsolute(scene);
  return relative ? path.join(path.dirname(file), scene) : scene;
}

function isSceneFile(name: string): boolean {
  return libraryScene(name) === undefined && /\.(json|ya?ml)$/i.test(name);
}

/** One line: "D = 0.0001, points = 662". */
export function parametersText(parameters: Parameters): string {
  const names = shortNames(Object.keys(parameters));
  const text = Object.entries(parameters).map(
    ([field, value]) => `${names.get(field)} = ${plain(value)}`,
  );
  return text.length === 0 ? "as it is" : text.join(", ");
}

type FoundFaults = Map<string, { fault: Fault; runs: number; first: string }>;

function note(found: FoundFaults, error: SceneError, k: number, parameters: Parameters): void {
  for (const fault of error.faults) {
    const key = `${fault.path}: ${fault.message}`;
    const known = found.get(key);
    if (known !== undefined) known.runs += 1;
    else found.set(key, { fault, runs: 1, first: `run ${k + 1}: ${parametersText(parameters)}` });
  }
}

interface Form {
  name: string;
  description: string;
  scene: string;
  set: Parameters;
  measures: string[];
  /** The parameters of every run. */
  sets: Parameters[];
}

function readForm(input: unknown, file: string, faults: Faults): Form | null {
  if (!isRecord(input)) {
    faults.add([], `got ${show(input)}, needs a study: scene, and grid, list or sample`);
    return null;
  }
  for (const key of Object.keys(input))
    if (!KNOWN.includes(key)) faults.add([key], "unknown field", suggestion(key, KNOWN));
  const text = (key: string, otherwise: string): string => {
    const value = input[key] ?? otherwise;
    if (typeof value === "string" && value !== "" && value.length <= 2000) return value;
    faults.add([key], `got ${show(value)}, needs a text`);
    return otherwise;
  };
  if (input.scene === undefined)
    faults.add(["scene"], "missing", "name a built-in scene (see: isoplate scenes) or a file");
  const name = text("name", path.basename(file).replace(/\.(json|ya?ml)$/i, ""));
  const scene = text("scene", "pinned-cloth");
  const description = input.description === undefined ? "" : text("description", "-");
  const set = readRecord(input.set, ["set"], faults);
  const measures = readMeasures(input.measures, faults);
  if (input.grid === undefined && input.list === undefined && input.sample === undefined)
    faults.add([], "nothing varies", "say grid, list or sample");
  const grid = readGrid(input.grid, faults);
  const list = readList(input.list, faults);
  const sample = readSample(input.sample, faults);
  checkFields({ set: [set], grid: [grid], list, sample: [sample.fields] }, faults);
  if (faults.list.length > 0) return null;

  const count = [...Object.values(grid), list, { length: sample.count }].reduce(
    (product, { length }) => product * length,
    1,
  );
  if (count > MOST_RUNS) {
    faults.add([], `${count} runs, needs at most ${MOST_RUNS}`);
    return null;
  }
  const drawn = drawSample(sample, faults);
  const sets: Parameters[] = [];
  for (const listed of list)
    for (const gridded of product(grid))
      for (const sampled of drawn) sets.push({ ...listed, ...gridded, ...sampled });
  return { name, description, scene, set, measures, sets };
}

function readRecord(value: unknown, path: Path, faults: Faults): Parameters {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  faults.add(path, `got ${show(value)}, needs fields and their values`);
  return {};
}

function readMeasures(value: unknown, faults: Faults): string[] {
  if (value === undefined || value === null) return DEFAULT_MEASURES;
  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  list.forEach((name, k) => {
    if (typeof name !== "string" || !MEASURES.includes(name))
      faults.add(
        Array.isArray(value) ? ["measures", k] : ["measures"],
        `got ${show(name)}, needs a number of the summary`,
        suggestion(String(name), MEASURES),
      );
  });
  return list.map(String);
}

/** Field → its values. */
function readGrid(value: unknown, faults: Faults): Record<string, unknown[]> {
  const grid: Record<string, unknown[]> = {};
  for (const [field, values] of Object.entries(readRecord(value, ["grid"], faults))) {
    const place = ["grid", field];
    if (Array.isArray(values)) {
      if (values.length === 0) faults.add(place, "the list is empty");
      grid[field] = values as unknown[];
    } else if (isRecord(values)) {
      const range = readRange(values, place, true, faults);
      grid[field] = range === null ? [] : spread(range.range, range.count);
    } else faults.add(place, `got ${show(values)}, needs [values] or { from, to, count }`);
  }
  return grid;
}

function readList(value: unknown, faults: Faults): Parameters[] {
  if (value === undefined || value === null) return [{}];
  if (!Array.isArray(value) || value.length === 0) {
    faults.add(["list"], `got ${show(value)}, needs a list of runs, each fields and their values`);
    return [{}];
  }
  return value.map((entry: unknown, k) => readRecord(entry, ["list", k], faults));
}

interface Sample {
  count: number;
  seed: number;
  fields: Record<string, Range | unknown[]>;
}

function readSample(value: unknown, faults: Faults): Sample {
  const none: Sample = { count: 1, seed: 0, fields: {} };
  if (value === undefined || value === null) return none;
  const record = readRecord(value, ["sample"], faults);
  const known = ["count", "seed", "fields"];
  for (const key of Object.keys(record))
    if (!known.includes(key)) faults.add(["sample", key], "unknown field", suggestion(key, known));
  const { count, seed = 1 } = record;
  if (!(Number.isInteger(count) && Number(count) >= 1 && Number(count) <= MOST_RUNS))
    faults.add(["sample", "count"], `got ${show(count)}, needs 1 … ${MOST_RUNS}`);
  if (!(Number.isSafeInteger(seed) && Number(seed) >= 0))
    faults.add(["sample", "seed"], `got ${show(seed)}, needs a whole number from 0`);
  const fields: Sample["fields"] = {};
  const given = Object.entries(readRecord(record.fields, ["sample", "fields"], faults));
  if (given.length === 0)
    faults.add(["sample", "fields"], "missing", "say which fields are drawn, and from where");
  for (const [field, of] of given) {
    const place = ["sample", "fields", field];
    if (Array.isArray(of)) {
      if (of.length === 0) faults.add(place, "the list is empty");
      fields[field] = of as unknown[];
    } else if (isRecord(of)) {
      const range = readRange(of, place, false, faults);
      if (range !== null) fields[field] = range.range;
    } else faults.add(place, `got ${show(of)}, needs [choices] or { from, to }`);
  }
  return { count: Number(count), seed: Number(seed), fields };
}

/** Distinct draws: with choices or whole numbers the same one may come again, and is then drawn anew. */
function drawSample({ count, seed, fields }: Sample, faults: Faults): Parameters[] {
  const next = Object.entries(fields).map(([field, of], k) => ({
    field,
    draw: draws(of, seed, k),
  }));
  if (next.length === 0) return [{}];
  const drawn = new Map<string, Parameters>();
  for (let tries = 0; drawn.size < count && tries < 100 * count; tries++) {
    const parameters = Object.fromEntries(next.map(({ field, draw }) => [field, draw()]));
    drawn.set(canonical(parameters), parameters);
  }
  if (drawn.size < count)
    faults.add(["sample", "count"], `got ${count}, but only ${drawn.size} different draws come`);
  return [...drawn.values()];
}

/** No field is said twice, since which one counts would be a guess. */
function checkFields(parts: Record<string, readonly object[]>, faults: Faults): void {
  const owner = new Map<string, string>();
  for (const [part, records] of Object.entries(parts))
    for (const field of new Set(records.flatMap((record) => Object.keys(record)))) {
      const name = pathText(pathSteps(field));
      const other = owner.get(name);
      if (other === undefined) owner.set(name, part);
      else faults.add([part, field], `already in ${other}`);
    }
}

function* product(grid: Record<string, unknown[]>): Generator<Parameters> {
  const fields = Object.entries(grid);
  const count = fields.reduce((all, [, values]) => all * values.length, 1);
  for (let k = 0; k < count; k++) {
    const parameters: Parameters = {};
    let rest = k;
    // the last field varies fastest
    for (let f = fields.length - 1; f >= 0; f--) {
      const [field, values] = fields[f];
      parameters[field] = values[rest % values.length];
      rest = Math.floor(rest / values.length);
    }
    yield Object.fromEntries(fields.map(([field]) => [field, parameters[field]]));
  }
}

/** The shortest ends of paths that tell them apart: sheet.material.D → D. */
export function shortNames(fields: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const field of fields) {
    const steps = pathSteps(field);
    for (let k = steps.length - 1; k >= 0; k--) {
      const end = pathText(steps.slice(k));
      names.set(field, end);
      const same = (other: string): boolean =>
        other !== field && pathText(pathSteps(other).slice(-(steps.length - k))) === end;
      // a number alone names nothing
      if (typeof steps[k] !== "number" && !fields.some(same)) break;
    }
  }
  return names;
}

/** Letters that every file system and shell takes. */
function runName(parameters: Parameters, names: ReadonlyMap<string, string>): string {
  const words = Object.entries(parameters).map(
    ([field, value]) => `${names.get(field)}=${plain(value)}`,
  );
  const clean = words
    .join("_")
    .replace(/[^A-Za-z0-9._=+-]+/g, "-")
    .replace(/^[-.]+/, "")
    .slice(0, 80);
  const hash = sha256(new TextEncoder().encode(canonical(parameters))).slice(0, 8);
  return clean === "" ? hash : `${clean}_${hash}`;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The same text for the same parameters, whatever their order. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${JSON.stringify(field)}:${canonical(value[field])}`).join(",")}}`;
}

/** Faults that remember their path as steps, since keys of a study have dots in them. */
class PlacedFaults extends Faults {
  private readonly paths: Path[] = [];

  override add(path: Path, what: string, hint = ""): void {
    super.add(path, what, hint);
    this.paths.push(path);
  }

  placed(locate: Locate): Fault[] {
    return this.list.map((fault, k) => {
      const place = fault.path === "" ? null : locate(this.paths[k]);
      return { ...fault, path: fault.path === "" ? "study" : fault.path, ...place };
    });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
