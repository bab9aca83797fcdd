/** The API pages: every public function has an example, and the examples compile. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const { entryPoints } = JSON.parse(readFileSync(join(root, "typedoc.json"), "utf8")) as {
  entryPoints: string[];
};

/** What examples take for given. */
const GIVEN = `
declare const simulation: import("./src/index.ts").Simulation;
declare const scene: import("./src/index.ts").Scene;
declare const sheet: import("./src/index.ts").Sheet;
declare const tally: import("./src/index.ts").Tally;
declare const summary: import("./src/index.ts").Summary;
declare const input: import("./src/index.ts").SceneInput;
declare const recording: import("./src/index.ts").Recording;
declare const animation: import("./src/files/index.ts").Animation;
declare const mesh: import("./src/files/index.ts").TriangleMesh;
declare const picture: import("./src/picture/index.ts").Picture;
declare const COLOR_MAPS: typeof import("./src/view/index.ts").COLOR_MAPS;
declare const study: import("./src/batch/index.ts").Study;
declare const results: import("./src/batch/index.ts").RunResult[];
declare const camera: any, renderer: any, view: any, frame: any, pose: any, origin: any, direction: any;
declare const stage: any, version: string, positions: Float64Array, triangles: Int32Array, Y: Float64Array;
declare function write(name: string, chunk: Uint8Array): Promise<void>;
declare const bytes: any, text: string, file: File, out: string, frames: number, n: number, stop: AbortController;
declare function record(Y: Float64Array): void;
declare function draw(positions: Float32Array): void;
declare function readFileSync(file: string): Uint8Array;
declare function readFileSync(file: string, encoding: string): string;
`;

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  types: ["node"],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  paths: {
    isoplate: ["./src/index.ts"],
    "isoplate/scenes": ["./src/scenes.ts"],
    "isoplate/*": ["./src/*/index.ts", "./src/*.ts"],
  },
};

/** Functions of the entry points, with the entry and the examples of each. */
function publicFunctions(): { entry: string; name: string; examples: string[] }[] {
  const program = ts.createProgram(
    entryPoints.map((entry) => join(root, entry)),
    OPTIONS,
  );
  const checker = program.getTypeChecker();
  return entryPoints.flatMap((entry) => {
    const source = program.getSourceFile(join(root, entry))!;
    return checker.getExportsOfModule(checker.getSymbolAtLocation(source)!).flatMap((symbol) => {
      const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const [declaration] = own.declarations ?? [];
      if (!declaration || !ts.isFunctionDeclaration(declaration)) return [];
      const examples = ts
        .getJSDocTags(declaration)
        .filter(({ tagName }) => tagName.text === "example")
        .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? "");
      return [{ entry, name: symbol.name, examples }];
    });
  });
}

/** One block for every example, with the functions that it calls. */
function program(functions: ReturnType<typeof publicFunctions>): string {
  const parts = functions.flatMap(({ entry, name, examples }) =>
    examples.map((example) => {
      const lines = example.replace(/^import .*$/gm, "");
      const others = ["src/index.ts", entry].filter((from, k, all) => all.indexOf(from) === k);
      const spread = others.map((from) => `typeof import("./${from}")`).join(" & ");
      const used = new Set(lines.match(/\b[a-zA-Z]+(?=\()/g) ?? []);
      const known = functions
        .filter(
          (f) => used.has(f.name) && [...others, "src/node.ts", "src/scenes.ts"].includes(f.entry),
        )
        .map((f) => f.name);
      const names = [...new Set([name, ...known])].filter((n) => !/^(parseInt|Number)$/.test(n));
      return `{ // ${entry} ${name}\n  const { ${names.join(", ")} } = null as unknown as ${spread} & typeof import("./src/node.ts") & typeof import("./src/scenes.ts");\n  void (async () => {\n${lines}\n  });\n}`;
    }),
  );
  return `${GIVEN}\n${parts.join("\n")}\nexport {};\n`;
}

test("every public function has an example, and the examples compile", () => {
  const functions = publicFunctions();
  expect(functions.length).toBeGreaterThan(100);
  const without = functions.filter(({ examples }) => examples.length === 0);
  expect(without.map(({ entry, name }) => `${entry} ${name}`)).toEqual([]);
  const file = join(root, "examples-of-the-api.ts");
  const text = program(functions);
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2023)
      : getSourceFile(name, ...rest);
  const found = ts.getPreEmitDiagnostics(ts.createProgram([file], OPTIONS, host));
  const lines = text.split("\n");
  const said = found
    .filter((diagnostic) => diagnostic.file?.fileName === file)
    .map(({ messageText, start, file: source }) => {
      const { line } = source!.getLineAndCharacterOfPosition(start!);
      return `${lines[line].trim()}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
  expect(said).toEqual([]);
});
