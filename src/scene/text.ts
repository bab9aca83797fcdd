/**
 * Scenes as text: JSON or YAML in, with line and column in every message.
 *
 * JSON is read by JSON.parse, which is fast on large outlines; only when something is wrong is the text read again by
 * the YAML parser, which knows where everything stands (every JSON file is YAML too). Aliases are limited, so that a
 * small file cannot grow into a memory full.
 */
import { isMap, isSeq, LineCounter, parseDocument } from "yaml";
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

/** Brackets, or blanks before a line: ten times what scenes need. */
const DEEPEST = 200;

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
  const start = text.trimStart();
  if (start.startsWith("{")) {
    try {
      const input: unknown = JSON.parse(text);
      let places: Locate | null = null;
      const locate: Locate = (path) => {
        places ??= isDeep(text) ? () => null : yamlText(text, source).locate;
        return places(path);
      };
      return { input, locate };
    } catch {
      // told by the YAML parser, with its place
    }
  }
  if (isDeep(text)) throw new SceneError(source, [{ path: "", message: "nested too deep" }]);
  return yamlText(text, source);
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
  });
  if (document.errors.length > 0)
    throw new SceneError(
      source,
      document.errors.map((error): Fault => {
        const { line, col } = lines.linePos(error.pos[0]);
        return { path: "", message: error.message, line, column: col };
      }),
    );
  let input: unknown;
  try {
    input = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new SceneError(source, [{ path: "", message: (error as Error).message }]);
  }
  const locate: Locate = (path) => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const step of path) {
      if (isMap(node)) {
        const pair = node.items.find(
          ({ key }) => String((key as { value?: unknown })?.value) === String(step),
        );
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
  return { input, locate };
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
