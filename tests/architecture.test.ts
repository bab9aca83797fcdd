/**
 * Data flows one way: scene → sheet → system → step → state → recording → export, view → cli, studio.
 * What each folder may import, and nothing else; a failure names the file and the import.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

interface Import {
  /** src/… of the file that imports. */
  from: string;
  /** src/… of what it imports, or the name of a package. */
  to: string;
  typeOnly: boolean;
}

/** Every `import … from`, `export … from` and `import(…)` under a folder, AssemblyScript left out. */
function imports(under: string): Import[] {
  const out: Import[] = [];
  const files = readdirSync(join(root, under), { recursive: true, encoding: "utf8" })
    .map((file) => join(under, file).split(sep).join("/"))
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".as.ts"));
  for (const from of files) {
    const text = readFileSync(join(root, from), "utf8").replace(/\/\*[\s\S]*?\*\//g, "");
    const statement =
      /^\s*(?:import|export)\s+(type\s+)?([^"';]*?)\s*from\s+"([^"]+)"|^\s*import\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)/gm;
    for (const [, type, names, a, b, c] of text.matchAll(statement)) {
      const target = a ?? b ?? c;
      const to = target.startsWith(".")
        ? posix.normalize(posix.join(posix.dirname(from), target))
        : target;
      const named = names?.match(/^\{([\s\S]*)\}$/)?.[1].split(",") ?? [];
      const onlyTypes =
        type !== undefined ||
        (named.length > 0 && named.every((name) => /^\s*(type\s|$)/.test(name)));
      out.push({ from, to, typeOnly: onlyTypes });
    }
  }
  return out;
}

const all = imports("src");
const folder = (path: string): string =>
  path.startsWith("src/") ? (path.split("/").length > 2 ? path.split("/")[1] : path) : path;

/** The flow, from what knows least to what knows most. Who stands in one line does not know each other. */
const flow: readonly (readonly string[])[] = [
  ["src/version.ts", "src/optional.ts"],
  ["linalg"],
  ["scene"],
  ["sheet"],
  ["system"],
  ["baselines", "step"],
  ["substrate"],
  ["src/methods.ts"],
  ["kernels"],
  ["src/assembly.ts"],
  ["live"],
  ["src/simulation.ts"],
  ["recording"],
  ["picture"],
  ["files"],
  ["verify", "view"],
  ["worker"],
  ["node"],
  ["src/index.ts", "src/node.ts", "src/scenes.ts"],
  ["batch", "bench", "compare", "validation"],
  ["figures"],
  ["cli"],
];
const rank = (path: string): number => flow.findIndex((line) => line.includes(folder(path)));

const show = ({ from, to }: Import): string => `${from} imports ${to}`;

describe("imports", () => {
  test("there are some: the reader of imports works", () => {
    expect(all.length).toBeGreaterThan(200);
    expect(all.some((i) => i.from === "src/step/step.ts" && i.to === "src/step/minimise.ts")).toBe(
      true,
    );
  });

  test("every folder has its place in the flow", () => {
    const strangers = all.filter(({ from }) => rank(from) < 0).map(({ from }) => folder(from));
    expect([...new Set(strangers)]).toEqual([]);
  });

  test("imports follow the flow, types included: a file uses its own folder and the folders before it", () => {
    const offenders = all.filter(
      ({ from, to }) =>
        to.startsWith("src/") && folder(from) !== folder(to) && rank(to) >= rank(from),
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test("createSystem does not know the solvers, nor what builds on it", () => {
    const later = ["step", "baselines", "substrate", "kernels"];
    const offenders = all.filter(
      ({ from, to }) => folder(from) === "system" && later.includes(folder(to)),
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test("linalg does not import anything about cloth, not even types", () => {
    const offenders = all.filter(
      ({ from, to }) => folder(from) === "linalg" && folder(to) !== "linalg",
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test("sheet does not know system, not even its types", () => {
    const offenders = all.filter(
      ({ from, to }) =>
        folder(from) === "sheet" && ["system", "step", "kernels"].includes(folder(to)),
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test("kernels.ts takes only types from the code that it repeats", () => {
    const offenders = all.filter(
      ({ from, to, typeOnly }) =>
        from === "src/kernels/kernels.ts" && !typeOnly && to !== "src/kernels/wasm.generated.ts",
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test("only view imports three", () => {
    const offenders = all.filter(
      ({ from, to }) => /^three(\/|$|-)/.test(to) && folder(from) !== "view",
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test("the core runs in browsers: node: only where files, processes and queues are", () => {
    const forNode = (file: string): boolean =>
      /^src\/(cli|batch|bench|figures|node)\//.test(file) ||
      /^src\/(recording\/(folder|lock|regular-file)|picture\/film|picture\/report)\.ts$/.test(file);
    const offenders = all.filter(({ from, to }) => to.startsWith("node:") && !forNode(from));
    expect(offenders.map(show)).toEqual([]);
  });

  test("what may use node: is not reached from the core", () => {
    const next = new Map<string, string[]>();
    for (const { from, to, typeOnly } of all)
      if (!typeOnly) next.set(from, [...(next.get(from) ?? []), to]);
    for (const entry of [
      "src/index.ts",
      "src/files/index.ts",
      "src/view/index.ts",
      "src/worker/index.ts",
    ]) {
      const seen = new Set([entry]);
      for (const file of seen) for (const to of next.get(file) ?? []) seen.add(to);
      expect([...seen].filter((to) => to.startsWith("node:"))).toEqual([]);
    }
  });

  test("the core does not load what isoplate/methods brings", () => {
    const next = new Map<string, string[]>();
    for (const { from, to, typeOnly } of all)
      if (!typeOnly) next.set(from, [...(next.get(from) ?? []), to]);
    const seen = new Set(["src/index.ts"]);
    for (const file of seen) for (const to of next.get(file) ?? []) seen.add(to);
    expect(seen.has("src/step/step.ts")).toBe(true);
    const others =
      /^src\/(methods|substrate\/|baselines\/|step\/(step-paper|fast-projection|direct))/;
    expect([...seen].filter((file) => others.test(file))).toEqual([]);
  });

  test("verify proves recordings without the engine: it reaches none of it, through whatever file", () => {
    const engine = ["system", "step", "kernels", "substrate", "baselines", "src/simulation.ts"];
    const next = new Map<string, string[]>();
    for (const { from, to, typeOnly } of all)
      if (!typeOnly) next.set(from, [...(next.get(from) ?? []), to]);
    const seen = new Set(all.map(({ from }) => from).filter((from) => folder(from) === "verify"));
    expect(seen.size).toBeGreaterThan(3);
    for (const file of seen) for (const to of next.get(file) ?? []) seen.add(to);
    expect([...seen].filter((file) => engine.includes(folder(file)))).toEqual([]);
  });

  test("the numeric core has no dependencies but those of meshing", () => {
    const meshing = ["delaunator", "@kninnug/constrainautor", "robust-predicates"];
    const offenders = all.filter(
      ({ from, to }) =>
        ["linalg", "sheet", "system", "step", "kernels"].includes(folder(from)) &&
        !to.startsWith("src/") &&
        !meshing.includes(to),
    );
    expect(offenders.map(show)).toEqual([]);
  });

  test("studio and examples import public names only: nothing they do is impossible for a user of the package", () => {
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const entries = Object.values(exports as Record<string, string | { default: string }>)
      .flatMap((entry) => (typeof entry === "string" ? [] : [entry.default]))
      .map((file) => file.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
    expect(entries).toContain("src/index.ts");
    const used = imports("studio/src").filter(({ to }) => to.startsWith("src/"));
    expect(used.length).toBeGreaterThan(30);
    expect(used.filter(({ to }) => !entries.includes(to)).map(show)).toEqual([]);
    const example = imports("examples").filter(({ to }) => /^src\/|^\.\.\/(src|dist)/.test(to));
    expect(example.map(show)).toEqual([]);
  });

  test("nothing but the commands imports the commands, and nothing in src imports the studio", () => {
    const offenders = all.filter(
      ({ from, to }) =>
        (folder(to) === "cli" && folder(from) !== "cli") ||
        relative("src", to).startsWith("../studio"),
    );
    expect(offenders.map(show)).toEqual([]);
  });
});
