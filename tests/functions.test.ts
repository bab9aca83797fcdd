/**
 * Functions fit on a screen: none has more than 100 lines, 80 in the step and in contact, whose files have at most 400.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const MOST_LINES = 100;
/** Folders with stricter limits: lines of a function, and of a file. */
const STRICT = ["src/step/", "src/system/contact/"];
const STRICT_LINES = 80;
const STRICT_FILE = 400;

function mostLines(file: string): number {
  return STRICT.some((folder) => file.startsWith(folder)) ? STRICT_LINES : MOST_LINES;
}

/** Every function of more lines than it may have under a folder; methods of object literals and classes count as well. */
function longFunctions(folder: string): Map<string, number> {
  const found = new Map<string, number>();
  const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => join(folder, file).split(sep).join("/"))
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".generated.ts"))
    .filter((file) => !file.includes("/dist/"));
  for (const file of files) {
    const source = ts.createSourceFile(
      file,
      readFileSync(join(root, file), "utf8"),
      ts.ScriptTarget.Latest,
      true,
    );
    const line = (at: number): number => source.getLineAndCharacterOfPosition(at).line;
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && "body" in node && node.body) {
        const lines = line(node.getEnd()) - line(node.getStart()) + 1;
        if (lines > mostLines(file)) found.set(`${file} ${nameOf(node)}`, lines);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function nameOf(node: ts.Node): string {
  const { name, parent } = node as ts.FunctionLikeDeclaration;
  if (name) return name.getText();
  if (parent && (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)))
    return parent.name.getText();
  return "(without a name)";
}

test("no function is longer than 100 lines, 80 in the step and in contact", () => {
  const long = new Map([...longFunctions("src"), ...longFunctions("studio/src")]);
  expect(Object.fromEntries(long)).toEqual({});
});

test("no file of the step and of contact is longer than 400 lines", () => {
  const long = STRICT.flatMap((folder) => readdirSync(join(root, folder)).map((f) => folder + f))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file, readFileSync(join(root, file), "utf8").split("\n").length - 1] as const)
    .filter(([_file, lines]) => lines > STRICT_FILE);
  expect(Object.fromEntries(long)).toEqual({});
});
