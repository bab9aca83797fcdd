/**
 * Scenes as text: JSON or YAML in, with line and column in every message.
 *
 * JSON is read by JSON.parse, which is fast on large outlines; only when something is wrong is the text read again by
 * the YAML parser, which knows where everything stands (every JSON file is YAML too).
 *
 * A text is measured before either parser sees it: the YAML parser takes about 1.3 kB and 7 µs for each value, and time that
 * grows with the square of the number of aliases, and of keys of one map unless it is told not to compare them.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import { type Fault, SceneError } from "./faults.ts";
import { checkScene, type Locate } from "./parse.ts";
import type { Scene } from "./scene.ts";

/** A scene file that can be read, not yet checked. */
export interface SceneText {
  /** The input form, as plain data. */
  readonly input: unknown;
  readonly locate: Locate;
}

/** Scene files are some kilobytes; outlines of 10⁵ points some megabytes. */
const LONGEST = 64 * 2 ** 20;
/** What the YAML parser is given: a text in quotes takes it some 35 bytes a letter. 10⁵ points with all their digits are 5 MB. */
const LONGEST_YAML = 8 * 2 ** 20;

/** Brackets, or blanks before a line: ten times what scenes need. */
const DEEPEST = 200;

/** Values in a JSON text (as parse.ts takes them), and in a YAML text: an outline of 10⁵ points has 4·10⁵. */
const MOST_JSON_VALUES = 2_000_000;
const MOST_YAML_VALUES = 500_000;
/** Characters of a parser's message. */
const MOST_SHOWN = 200;
/** Anchors (&name) and aliases (*name) in a YAML text; scenes use a few. */
const MOST_ANCHORS = 1000;

/**
 * Reads JSON or YAML. @throws SceneError with line and column if it is neither.
 *
 * @example
 * const { input, locate } = readSceneText(text, "flag.yaml");
 * const scene = checkScene(input, "flag.yaml", locate);
 */
export function readSceneText(text: string, source: string): SceneText {
  if (text.length > LONGEST)
    throw new SceneError(source, [
      { path: "", message: `${text.length} characters, needs at most ${LONGEST}` },
    ]);
  const tooMany = (most: number): SceneError =>
    new SceneError(source, [{ path: "", message: `has more than ${most} values` }]);
  const values = valueCount(text);
  const isTooMuch = values > MOST_YAML_VALUES || text.length > LONGEST_YAML;
  const isLarge = isTooMuch || isDeep(text);
  if (text.trimStart().startsWith("{")) {
    if (values > MOST_JSON_VALUES) throw tooMany(MOST_JSON_VALUES);
    try {
      const input: unknown = JSON.parse(text);
      let places: Locate | null = null;
      const locate: Locate = (path) => {
        places ??= isLarge ? () => null : yamlText(text, source).locate;
        return places(path);
      };
      return { input, locate };
    } catch (error) {
      // told by the YAML parser, with its place, unless that would take too long
      if (isTooMuch)
        throw new SceneError(source, [
          { path: "", message: (error as Error).message.slice(0, MOST_SHOWN) },
        ]);
    }
  }
  if (isDeep(text)) throw new SceneError(source, [{ path: "", message: "nested too deep" }]);
  if (values > MOST_YAML_VALUES) throw tooMany(MOST_YAML_VALUES);
  if (isTooMuch)
    throw new SceneError(source, [
      {
        path: "",
        message: `${text.length} characters, YAML may have ${LONGEST_YAML}; write it as JSON`,
      },
    ]);
  return yamlText(text, source);
}

/** At least as many as a text has keys and values: each but the first follows a comma, a bracket, a colon or a new line. */
function valueCount(text: string): number {
  let count = 1;
  for (let k = 0; k < text.length; k++) {
    const code = text.charCodeAt(k);
    // , : \n [ { and, in YAML, "- - - x" and "? x"
    const isMark = code === 44 || code === 58 || code === 10 || code === 91 || code === 123;
    if (isMark || code === 13) count++;
    else if ((code === 45 || code === 63) && text.charCodeAt(k + 1) === 32) count++;
  }
  return count;
}

/** One YAML value, as `--set` takes it. @throws Error that says what is wrong with it */
export function readValue(text: string): unknown {
  if (isDeep(text)) throw new Error("nested too deep");
  const document = parseDocument(text, { prettyErrors: false, logLevel: "silent" });
  if (document.errors.length > 0) throw new Error(document.errors[0].message);
  return document.toJS({ maxAliasCount: 0 });
}

/**
 * Reads and checks a scene file.
 *
 * @example
 * const scene = parseSceneText(await file.text(), "flag.yaml");
 */
export function parseSceneText(text: string, source: string): Scene {
  const { input, locate } = readSceneText(text, source);
  return checkScene(input, source, locate);
}

function yamlText(text: string, source: string): SceneText {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "silent",
    uniqueKeys: false, // compared below, in linear time
  });
  const placed = (message: string, offset: number): Fault => {
    const { line, col } = lines.linePos(offset);
    return { path: "", message, line, column: col };
  };
  const faults = document.errors.map(({ message, pos }) => placed(message, pos[0]));
  if (faults.length === 0) faults.push(...repeatedKeys(document.contents, placed));
  if (faults.length === 0 && anchorCount(document) > MOST_ANCHORS)
    faults.push({ path: "", message: `has more than ${MOST_ANCHORS} anchors (&) and aliases (*)` });
  if (faults.length > 0) throw new SceneError(source, faults);
  let input: unknown;
  try {
    input = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new SceneError(source, [{ path: "", message: (error as Error).message }]);
  }
  return { input, locate: locator(document.contents, lines) };
}

type Document = ReturnType<typeof parseDocument>;

function anchorCount(document: Document): number {
  let count = 0;
  visit(document, {
    Node(_, node) {
      if (isAlias(node) || node.anchor !== undefined) count++;
    },
  });
  return count;
}

/** Keys that come twice in one map. */
function repeatedKeys(contents: unknown, placed: (text: string, at: number) => Fault): Fault[] {
  const faults: Fault[] = [];
  const open: unknown[] = [contents];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isSeq(node)) for (const item of node.items) if (item !== undefined) open.push(item); // never spread: there may be half a million
    if (!isMap(node)) continue;
    const seen = new Set<unknown>();
    for (const { key, value } of node.items) {
      const name = isScalar(key) ? key.value : null;
      if (isScalar(key) && seen.has(name) && name !== "<<")
        faults.push(
          placed(`the field "${String(name).slice(0, 60)}" comes twice`, rangeOf(key) ?? 0),
        );
      seen.add(name);
      if (value !== null && value !== undefined) open.push(value);
    }
  }
  return faults;
}

/** Finds where a path stands; maps are turned into tables the first time that they are asked. */
function locator(contents: unknown, lines: LineCounter): Locate {
  const tables = new Map<unknown, Map<string, { key: unknown; value: unknown }>>();
  const tableOf = (node: { items: { key: unknown; value: unknown }[] }) => {
    const known = tables.get(node);
    if (known !== undefined) return known;
    const table = new Map<string, { key: unknown; value: unknown }>();
    for (const pair of node.items)
      table.set(String((pair.key as { value?: unknown } | null)?.value), pair);
    tables.set(node, table);
    return table;
  };
  return (path) => {
    let node = contents;
    let offset = 0;
    for (const step of path) {
      if (isMap(node)) {
        const pair = tableOf(node).get(String(step));
        if (pair === undefined) break;
        offset = rangeOf(pair.key) ?? offset;
        node = pair.value;
      } else if (isSeq(node)) {
        node = node.items[Number(step)];
        offset = rangeOf(node) ?? offset;
      } else break;
    }
    const { line, col } = lines.linePos(offset);
    return line === 0 ? null : { line, column: col };
  };
}

/**
 * Whether a text may nest deeper than the YAML parser should go: it recurses, and an engine whose stack is all but used up
 * can end the whole process. Counts brackets, and dashes and blanks at the beginning of lines, wherever they stand, so it
 * may be wrong about a text that is full of brackets; no scene is.
 */
function isDeep(text: string): boolean {
  let open = 0;
  let indent = 0;
  let atStart = true;
  for (let k = 0; k < text.length; k++) {
    const c = text[k];
    if (c === "[" || c === "{") open++;
    else if (c === "]" || c === "}") open = Math.max(0, open - 1);
    if (c === "\n") {
      atStart = true;
      indent = 0;
    } else if (atStart && (c === " " || c === "\t" || c === "-" || c === "?" || c === ":"))
      indent++;
    else atStart = false;
    if (open > DEEPEST || indent > DEEPEST) return true;
  }
  return false;
}

function rangeOf(node: unknown): number | null {
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
  return range?.[0] ?? null;
}
