/** The documents at the root say what is true: their code runs, their commands, files, tests and links are there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import * as core from "../src/index.ts";
import { readSceneText } from "../src/scene/text.ts";
import { libraryScene } from "../src/scenes.ts";
import { isoplate } from "./cli/terminal.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const documents = [
  "README.md",
  "PAPER.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  ...readdirSync(join(root, "docs/decisions"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/decisions/${name}`),
];

/** Fenced blocks of a language. */
function blocks(file: string, language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm");
  return [...read(file).matchAll(fence)].map(([, block]) => block);
}

describe("README", () => {
  test("its ten lines drape a cloth: they run as they stand, and the sheet lies on the ball unstrained", async () => {
    const [code] = blocks("README.md", "ts");
    expect(code.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(10);
    const body = code.replace(/^import (\{[^}]*\}) from "isoplate";/m, "const $1 = isoplate;");
    const said: unknown[] = [];
    const run = new Function("isoplate", "console", `${body}; return simulation;`);
    const simulation: core.Simulation = run(core, {
      log: (...values: unknown[]) => said.push(...values),
    });
    expect(said.join(" ")).toMatch(/\d/);
    expect(simulation.contact().contacts).toBeGreaterThan(0);
    expect(simulation.contact().penetration).toBeLessThan(1e-6);
    // arcs may be shorter in folds that are sharper than the mesh, never longer
    expect(core.edgeStrain(simulation.sheet, simulation.pose).stretchMax).toBeLessThan(0.01);
  });

  test("its scenes are scenes", () => {
    for (const block of blocks("README.md", "yaml"))
      expect(() => core.checkScene(readSceneText(block, "README.yaml").input)).not.toThrow();
  });

  test("its table lists the commands that there are, and no others", async () => {
    const { out } = await isoplate(["--help"]);
    const offered = [...out.matchAll(/^ {2}([a-z]+)(?: |\|)/gm)].map(([, name]) => name);
    const listed = [...read("README.md").matchAll(/^\| `isoplate ([a-z]+)/gm)].map(
      ([, name]) => name,
    );
    expect(listed.length).toBeGreaterThan(5);
    const commands = offered.filter((name) => name !== "help" && name !== "isoplate");
    expect(new Set(listed)).toEqual(new Set(commands));
  });

  test("the scenes and scripts that it names exist", () => {
    const scripts = JSON.parse(read("package.json")).scripts as Record<string, string>;
    for (const file of ["README.md", "CONTRIBUTING.md"]) {
      for (const [, name] of read(file).matchAll(/npm run ([a-z:]+)/g))
        expect(scripts).toHaveProperty(name);
      for (const [, name] of read(file).matchAll(/isoplate run ([a-z][a-z-]+)(?![a-z-]*\.)/g))
        expect(libraryScene(name)).toBeDefined();
    }
  });
});

test.each(["PAPER.md", "ARCHITECTURE.md"])(
  "%s: every file and folder that it names is there",
  (file) => {
    const named = [...read(file).matchAll(/`((?:src|tests|docs)\/[^`\s]*)`/g)].map(
      ([, path]) => path,
    );
    expect(named.length).toBeGreaterThan(30);
    for (const path of named) expect(existsSync(join(root, path)), path).toBe(true);
    // files named without their folder: some file of the repository ends like that
    const files = ["src", "studio/src", "scripts", "tests"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map(
        (path) => `/${path.replaceAll("\\", "/")}`,
      ),
    );
    const short = [...read(file).matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)].map(([, path]) => path);
    for (const path of short.filter((name) => !/^(src|tests|docs|scripts|studio)\//.test(name)))
      expect(
        files.some((name) => name.endsWith(`/${path}`)),
        path,
      ).toBe(true);
  },
);

describe("ARCHITECTURE.md", () => {
  test("has every folder of src", () => {
    const text = read("ARCHITECTURE.md");
    const folders = readdirSync(join(root, "src"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/${name}`);
    expect(folders.length).toBeGreaterThan(15);
    for (const folder of folders) expect(text).toContain(folder);
  });
});

describe("PAPER.md", () => {
  test("every departure names a test, in a file where it stands", () => {
    const departures = read("PAPER.md").split("## Departures")[1];
    const items = departures.split(/^\d+\. /m).slice(1);
    expect(items.length).toBeGreaterThan(8);
    for (const item of items) {
      const tests = [...item.matchAll(/`(tests\/[^`]+\.test\.ts)`(?:, "([^"]+)")?/g)];
      expect(tests.length, item.slice(0, 60)).toBeGreaterThan(0);
      for (const [, file, title] of tests) if (title) expect(read(file), file).toContain(title);
    }
  });
});

test.each(documents)("%s: links lead to files that are there", (file) => {
  for (const [, target] of read(file).matchAll(/\]\(([^)#:]+)\)/g))
    expect(existsSync(join(root, dirname(file), target)), target).toBe(true);
});

describe("decisions", () => {
  const pages = documents.filter((file) => /decisions\/\d{4}-/.test(file));
  test.each(pages)(
    "%s: the question, what was measured, the choice, what would reverse it",
    (file) => {
      const headings = [...read(file).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
      expect(headings).toEqual([
        "Question",
        "What was measured",
        "Choice",
        "What would reverse it",
      ]);
      expect(read("docs/decisions/README.md")).toContain(file.split("/").at(-1));
      // what a superseded page measured is gone
      const entry = read("docs/decisions/README.md").match(`.*${file.split("/").at(-1)}.*`)![0];
      if (entry.includes("superseded")) return;
      for (const [, script] of read(file).matchAll(/`(measure\/[a-z-]+\.mjs)`/g))
        expect(existsSync(join(root, "docs/decisions", script)), script).toBe(true);
    },
  );
});
