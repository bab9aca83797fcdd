/** The package as npm would publish it: what is in it, who can use it, how large its core is. */
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { build as esbuild } from "esbuild";
import { build as vite } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Summary } from "../../src/index.ts";
import { walker } from "../files/walker.ts";
import { builtFolder, repo } from "./built.ts";

const own = JSON.parse(fs.readFileSync(path.join(repo, "package.json"), "utf8")) as {
  name: string;
  files: string[];
  exports: Record<string, unknown>;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
};
let root = "";
let tarball = "";
const at = (...names: string[]): string => path.join(root, ...names);
const bin = (...names: string[]): string => path.join(repo, "node_modules", ...names);
const node = (args: string[], cwd: string): string =>
  execFileSync(process.execPath, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-package-"));
  const folder = at("source");
  fs.mkdirSync(folder);
  for (const name of ["package.json", ...own.files])
    if (name !== "dist" && fs.existsSync(path.join(repo, name)))
      fs.cpSync(path.join(repo, name), path.join(folder, name), { recursive: true });
  const dist = path.join(folder, "dist");
  fs.cpSync(builtFolder(), dist, { recursive: true });
  const view = ["-p", "tsconfig.view.json", "--outDir", dist, "--noCheck"]; // types have a test of their own
  node([bin("typescript", "bin", "tsc"), ...view], repo);
  node([path.join(repo, "scripts", "vendor.mjs"), dist], repo);
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", root];
  const text = execFileSync("npm", args, { cwd: folder, encoding: "utf8" });
  const packed = JSON.parse(text) as { filename: string }[] | Record<string, { filename: string }>;
  tarball = at(Object.values(packed)[0].filename.replace("@", "").replace("/", "-"));
  // installed beside its dependencies, as a user would have it
  fs.mkdirSync(at("user", "node_modules", "@types"), { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", at("user", "node_modules")]);
  fs.renameSync(at("user", "node_modules", "package"), at("user", "node_modules", own.name));
  for (const name of [
    ...Object.keys(own.dependencies),
    ...Object.keys(own.peerDependencies),
    "@types/node",
    "@types/three",
  ]) {
    fs.mkdirSync(path.dirname(at("user", "node_modules", name)), { recursive: true });
    fs.symlinkSync(bin(name), at("user", "node_modules", name));
  }
  fs.writeFileSync(at("user", "package.json"), '{ "type": "module" }');
});
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const subpaths = Object.keys(own.exports)
  .filter((name) => !name.endsWith(".json"))
  .map((name) => name.replace(".", own.name));

test("publint finds nothing to complain about", () => {
  const said = node([bin("publint", "src", "cli.js"), "run", tarball, "--strict"], root);
  expect(said).toContain("All good!");
});

test("every subpath's types resolve for modules, in Node and with bundlers", () => {
  const cli = bin("@arethetypeswrong", "cli", "dist", "index.js");
  const said = node([cli, tarball, "--profile", "esm-only", "--no-color", "--no-emoji"], root);
  // it fails if there is a problem; what it says is one row per subpath
  for (const name of subpaths) expect(said).toMatch(new RegExp(`"${name}" +│ OK \\(ESM\\) +│ OK`));
});

test("every subpath can be imported, and compiles with all checks on", () => {
  const libraries = subpaths.filter((name) => !name.endsWith("/engine")); // which runs in workers only
  const names = libraries.map((name, k) => `import * as part${k} from "${name}";`);
  const used = libraries.map((_, k) => `part${k}`);
  const script = `${names.join("\n")}\nconsole.log([${used}].map((part) => Object.keys(part).length).join(" "));\n`;
  fs.writeFileSync(at("user", "all.ts"), script);
  fs.writeFileSync(at("user", "all.js"), script);
  const counts = node(["all.js"], at("user")).trim().split(" ").map(Number);
  expect(counts).toHaveLength(libraries.length);
  for (const count of counts) expect(count).toBeGreaterThan(0);

  const args = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023"];
  const lib = ["--lib", "es2024,dom,dom.iterable", "--types", "node", "--skipLibCheck"];
  node([bin("typescript", "bin", "tsc"), ...args, ...lib, "all.ts"], at("user"));
});

/** A fresh project with nothing but the package, as npm installs it. */
function freshProject(name: string): string {
  const folder = at(name);
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "module", "private": true }');
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  execFileSync("npm", [...args, tarball], { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  return folder;
}

const PROGRAM = `import { createSimulation, parseScene } from "isoplate";
const simulation = createSimulation(
  parseScene({ sheet: { shape: { type: "disc", radius: 0.5 }, sampling: { points: 50 } } }),
);
simulation.setLoads({ gravity: 2 });
simulation.step();
const out: number = simulation.time;
console.log(out > 0 ? "stepped" : "stuck");
// @ts-expect-error the system is not public
simulation.system;
// @ts-expect-error a slip in a scene is found when it is compiled
parseScene({ sheet: { shape: { type: "rectangel", width: 1, height: 1 } } });
`;

describe("who wants the core alone", () => {
  let light = "";
  beforeAll(() => {
    light = freshProject("light");
  });

  test("installs at most five packages and 10 MB", () => {
    const lock = path.join(light, "node_modules", ".package-lock.json");
    const { packages } = JSON.parse(fs.readFileSync(lock, "utf8")) as { packages: object };
    expect(Object.keys(packages).length).toBeLessThanOrEqual(5);
    let bytes = 0;
    const all = fs.readdirSync(path.join(light, "node_modules"), { recursive: true });
    for (const name of all as string[])
      bytes += fs.lstatSync(path.join(light, "node_modules", name)).size;
    expect(bytes).toBeLessThan(10e6);
  });

  test("compiles it strictly without the DOM's types or Node's, with bundlers and with Node's rules", () => {
    fs.writeFileSync(
      path.join(light, "program.ts"),
      `declare const console: { log(text: string): void };\n${PROGRAM}`,
    );
    const readme = fs.readFileSync(path.join(repo, "README.md"), "utf8");
    const [, lines] = /^```ts\n([\s\S]*?)^```/m.exec(readme)!;
    fs.writeFileSync(
      path.join(light, "readme.ts"),
      `declare const console: { log(...values: unknown[]): void };\n${lines}`,
    );
    // a CommonJS program has the types too, by the import that it may use
    fs.writeFileSync(
      path.join(light, "common.cts"),
      `import("isoplate").then(({ createSimulation, parseScene }) => {
  const scene = parseScene({ sheet: { shape: { type: "disc", radius: 0.5 } } });
  const time: number = createSimulation(scene).time;
  // @ts-expect-error a time is a number
  const text: string = time;
  return text;
});
`,
    );
    for (const module of ["nodenext", "node16", "preserve"]) {
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        noEmit: true,
        skipLibCheck: false,
        module,
        ...(module === "preserve" && { moduleResolution: "bundler" }),
        target: "es2023",
        lib: ["es2024"],
        types: [],
      };
      const config = path.join(light, "tsconfig.json");
      fs.writeFileSync(
        config,
        JSON.stringify({ compilerOptions, files: ["program.ts", "readme.ts", "common.cts"] }),
      );
      node([bin("typescript", "bin", "tsc"), "-p", config], light);
    }
  });

  test("runs it from modules and from CommonJS, bundled by Vite and by esbuild", async () => {
    const plain = PROGRAM.split("// @ts-expect-error")[0].replace(": number", "");
    fs.writeFileSync(path.join(light, "program.js"), plain);
    expect(node(["program.js"], light)).toBe("stepped\n");
    const common = plain.replace(/^import (.*) from "isoplate";/, "");
    fs.writeFileSync(
      path.join(light, "program.cjs"),
      `import("isoplate").then(({ createSimulation, parseScene }) => {${common}});`,
    );
    expect(node(["program.cjs"], light)).toBe("stepped\n");

    for (const bundled of await bundledBoth("program"))
      expect(node([bundled], light)).toBe("stepped\n");
  });

  /** Bundles a program of the project by Vite and by esbuild; gives the files. */
  async function bundledBoth(name: string): Promise<string[]> {
    await vite({
      configFile: false,
      root: light,
      logLevel: "error",
      build: {
        outDir: "vite",
        emptyOutDir: false,
        lib: { entry: `${name}.js`, formats: ["es"], fileName: name },
      },
    });
    await esbuild({
      absWorkingDir: light,
      entryPoints: [`${name}.js`],
      bundle: true,
      format: "esm",
      outfile: path.join(light, "esbuild", `${name}.js`),
    });
    return ["vite", "esbuild"].map((folder) => path.join(folder, `${name}.js`));
  }

  test("is told which line to add for what the core leaves out, and has it by that line", async () => {
    const program = `import { createSimulation, parseScene } from "isoplate";
const sheet = { shape: { type: "disc", radius: 0.5 }, sampling: { points: 50 } };
for (const more of [{ method: "discrete-shells" }, { solver: "paper" }, { constraint: "paper" }])
  try {
    createSimulation(parseScene({ ...more, sheet })).step();
    console.log("stepped");
  } catch (error) {
    console.log(error.message);
  }
`;
    fs.writeFileSync(path.join(light, "without.js"), program);
    const refused = node(["without.js"], light).trim().split("\n");
    expect(refused).toHaveLength(3);
    for (const line of refused)
      expect(line).toMatch(
        /^(method|solver|constraint): .*add the line {2}import "isoplate\/methods";/,
      );
    fs.writeFileSync(path.join(light, "with.js"), `import "isoplate/methods";\n${program}`);
    // bundlers must not drop an import that is there for its effect
    for (const file of ["with.js", ...(await bundledBoth("with"))])
      expect(node([file], light), file).toBe("stepped\nstepped\nstepped\n");
  });

  test("runs a body that bends, from a skinned glTF file, with no triangle through it", () => {
    fs.writeFileSync(path.join(light, "walker.gltf"), walker(1));
    const skirt = {
      h: 1 / 120,
      seconds: 1,
      sheet: {
        shape: { type: "tube", radius: 0.15, height: 0.4 },
        sampling: { type: "grid", points: 320 },
        pose: { type: "rest", position: [0, 0, -0.4] },
        material: { density: 0.15, D: 1e-4, membraneStiffness: 2e3, thickness: 1e-3 },
      },
      pins: [{ name: "waist", at: { edge: "top" } }],
      colliders: [
        { name: "legs", body: { type: "mesh", file: "walker.gltf", vertices: "walker.gltf" } },
      ],
      contact: { self: true },
    };
    fs.writeFileSync(path.join(light, "skirt.json"), JSON.stringify(skirt));
    const main = path.join(light, "node_modules", own.name, "dist", "cli", "main.js");
    const said = node(
      [main, "run", "skirt.json", "--verify", "--no-report", "--json", "--out", "skirt"],
      light,
    );
    expect(JSON.parse(said) as Summary).toMatchObject({ intersections: 0, bodyIntersections: 0 });
    // the same body, its points led by the program
    const program = `import { readFileSync } from "node:fs";
import { createSimulation, parseScene } from "isoplate";
import { parseMesh } from "isoplate/files";
const mesh = parseMesh(readFileSync("walker.gltf"), "walker.gltf");
const scene = JSON.parse(readFileSync("skirt.json", "utf8"));
delete scene.colliders[0].body.vertices;
const simulation = createSimulation(parseScene(scene), { readMesh: () => mesh });
const size = mesh.positions.length;
simulation.setCollider("legs", {
  vertices: (out, time) => {
    const frame = Math.min(60, Math.round(60 * time));
    out.set(mesh.frames.positions.subarray(frame * size, (frame + 1) * size));
  },
});
while (simulation.time < 0.3) simulation.step();
console.log(simulation.contact().penetration, simulation.Y.every(Number.isFinite));
`;
    fs.writeFileSync(path.join(light, "led.js"), program);
    expect(node(["led.js"], light)).toBe("0 true\n");
  });

  test("has the command, and is told what plots and queues need", () => {
    const main = path.join(light, "node_modules", own.name, "dist", "cli", "main.js");
    const args = ["--seconds", "0.02", "--set", "sheet.sampling.points=50", "--out", "run"];
    node([main, "run", "pinned-cloth", ...args], light);
    const report = fs.readFileSync(path.join(light, "run", "report.html"), "utf8");
    expect(report).toContain("a plot needs vega and vega-lite: npm install vega vega-lite");
    const worker = spawnSync(process.execPath, [main, "worker", "--redis", "redis://localhost:1"], {
      cwd: light,
      encoding: "utf8",
    });
    expect(worker.stderr).toContain(
      "a worker needs bullmq and ioredis: npm install bullmq ioredis",
    );
    expect(worker.status).toBe(2);
  });

  test("runs the example for Node", () => {
    fs.copyFileSync(
      path.join(repo, "examples", "node", "drape.mjs"),
      path.join(light, "drape.mjs"),
    );
    const [, stretch] =
      /^after 2\.0\d s: largest stretch ([\d.]+) %$/m.exec(node(["drape.mjs"], light)) ?? [];
    expect(Number(stretch)).toBeLessThan(1);
  });
});

test("the installed command runs a scene", () => {
  const main = at("user", "node_modules", own.name, "dist", "cli", "main.js");
  const args = ["--seconds", "0.02", "--set", "sheet.sampling.points=50", "--no-report", "--json"];
  const said = node([main, "run", "pinned-cloth", ...args], at("user"));
  expect(JSON.parse(said)).toMatchObject({ points: 50 });
});

test("two threads give the bits of one", () => {
  const main = at("user", "node_modules", own.name, "dist", "cli", "main.js");
  const args = ["--set", "solver=paper", "--set", "sheet.sampling.points=400", "--seconds", "0.1"];
  const hashes = ["1", "2"].map((threads) => {
    const rest = ["--threads", threads, "--out", `threads-${threads}`, "--no-report", "--json"];
    const said = node([main, "run", "pinned-cloth", ...args, ...rest], at("user"));
    return (JSON.parse(said) as { hash: string }).hash;
  });
  expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(hashes[1]).toBe(hashes[0]);
});

test.each(["files.md", "studies.md"])(
  "docs/guide/%s: its files, commands and programs run in order, in a user's project",
  (page) => {
    const text = fs.readFileSync(path.join(repo, "docs", "guide", page), "utf8");
    const folder = at("user", page.replace(".md", ""));
    fs.mkdirSync(folder, { recursive: true });
    const main = at("user", "node_modules", own.name, "dist", "cli", "main.js");
    const programs: string[] = [];
    let ran = 0;
    for (const [, language, block] of text.matchAll(/^```(\w+)\n([\s\S]*?)^```/gm)) {
      const [, name] = /^# (\S+\.yaml)$/m.exec(block) ?? [];
      if (language === "yaml" && name !== undefined)
        fs.writeFileSync(path.join(folder, name), block);
      if (language === "ts") {
        programs.push(`program-${programs.length}.ts`);
        fs.writeFileSync(path.join(folder, programs.at(-1)!), block);
        fs.writeFileSync(path.join(folder, "program.js"), block);
        node(["program.js"], folder);
        ran++;
      }
      if (language !== "console") continue;
      // what they print, and lines that need a shell or a queue, are the matter of guide-words.test.ts
      for (const line of block.split("\n").filter((words) => words.startsWith("$ isoplate "))) {
        if (/[&|]|--redis/.test(line)) continue;
        const [, , command, ...args] = line.split(" ");
        node([main, command, ...args], folder);
        ran++;
      }
    }
    expect(ran).toBeGreaterThan(5);
    const args = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2023"];
    const more = ["--lib", "es2024,dom", "--types", "node", "--skipLibCheck"];
    node([bin("typescript", "bin", "tsc"), ...args, ...more, ...programs], folder);
  },
);

test("nothing but what is meant is in it, and nothing that names a machine", () => {
  const files = fs
    .readdirSync(at("user", "node_modules", own.name), { recursive: true, encoding: "utf8" })
    .filter((name) => fs.statSync(at("user", "node_modules", own.name, name)).isFile());
  const tops = new Set(files.map((name) => name.split(path.sep)[0]));
  for (const top of tops)
    expect([
      "dist",
      "studio",
      "schema.json",
      "package.json",
      "README.md",
      "LICENSE",
      "CHANGELOG.md",
    ]).toContain(top);
  expect(files).toContain(path.join("dist", "batch", "thread.js"));
  for (const name of files.filter((file) => /\.(js|json|ts)$/.test(file))) {
    const text = fs.readFileSync(at("user", "node_modules", own.name, name), "utf8");
    expect(text.includes(repo), `${name} names ${repo}`).toBe(false);
  }
  // run-time dependencies are those that the built code imports
  const imported = new Set<string>();
  for (const name of files.filter((file) => /^dist.*\.js$/.test(file))) {
    const text = fs.readFileSync(at("user", "node_modules", own.name, name), "utf8");
    const statements = [
      /^(?:import|export)\b[^"'`;]*?\bfrom\s+["']([^"']+)["']/gm,
      /\bimport\(["']([^"']+)["']\)/g,
    ];
    for (const [, from] of statements.flatMap((form) => [...text.matchAll(form)]))
      if (!/^(\.|node:)/.test(from))
        imported.add(
          from
            .split("/")
            .slice(0, from.startsWith("@") ? 2 : 1)
            .join("/"),
        );
  }
  const declared = [...Object.keys(own.dependencies), ...Object.keys(own.peerDependencies)];
  expect([...imported].filter((name) => !declared.includes(name))).toEqual([]);
  expect(declared.filter((name) => !imported.has(name))).toEqual([]);
});

test("the lock file is whole, and names no host that packages come from", () => {
  node([path.join(repo, "scripts", "complete-lock.mjs"), "--check"], repo);
  const lock = JSON.parse(fs.readFileSync(path.join(repo, "package-lock.json"), "utf8")) as {
    packages: Record<string, { resolved?: string }>;
  };
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

test("the core with its wasm is at most 150 kB, compressed", () => {
  const said = node([path.join(repo, "scripts", "core-size.mjs"), "--most", "150"], repo);
  expect(said).toMatch(/core: .* kB gzip/);
});
