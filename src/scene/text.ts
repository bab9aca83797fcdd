/**
 * Scenes as text: JSON or YAML in, with line and column in every message.
 *
 * JSON is read by JSON.parse, which is fast on large outlines; only when something is wrong is the text read again by
 * the YAML parser, which knows where everything stands (every JSON file is YAML too). Aliases are limited, so that a
 * small file cannot grow into a memory full.
 */
import { type Document, isMap, isSeq, LineCounter, parseDocument } from "yaml";
import { type Fault, SceneError } from "./faults.ts";
import { type Locate, parseScene } from "./parse.ts";
import type { Scene } from "./scene.ts";

/** A scene file that can be read, not yet checked. */
export interface SceneText {
  /** The input form, as plain data. */
  readonly input: unknown;
  readonly locate: Locate;
}

/** Scene files are some kilobytes; outlines of 10⁵ points some megabytes. */
const LONGEST = 64 * 2 ** 20;

/** Reads JSON or YAML. @throws SceneError with line and column if it is neither. */
export function readSceneText(text: string, source: string): SceneText {
  if (text.length > LONGEST)
    throw new SceneError(source, [
      { path: "", message: `${text.length} characters, needs at most ${LONGEST}` },
    ]);
  const start = text.trimStart();
  if (start.startsWith("{")) {
    try {
      const input: unknown = JSON.parse(text);
      return { input, locate: (path) => locator(text, source).locate(path) };
    } catch {
      // told by the YAML parser, with its place
    }
  }
  return locator(text, source);
}

/** Reads and checks a scene file. */
export function parseSceneText(text: string, source: string): Scene {
  const { input, locate } = readSceneText(text, source);
  return parseScene(input, source, locate);
}

function locator(text: string, source: string): SceneText {
  const lines = new LineCounter();
  let document: Document.Parsed;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" });
  } catch (error) {
    // a text so deep that the parser runs out of stack
    throw new SceneError(source, [
      { path: "", message: `cannot be read: ${(error as Error).message}` },
    ]);
  }
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

function rangeOf(node: unknown): number | null {
  const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
  return range?.[0] ?? null;
}
