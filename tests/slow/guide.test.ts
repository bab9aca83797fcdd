/** The guide runs: its commands, its scenes, and its table of materials. Commands are cut to a few steps of a few points. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { withPatterns } from "../../src/files/garment-file.ts";
import { library, libraryScene } from "../../src/scene/library.ts";
import { materialSources } from "../../src/scene/material-sources.ts";
import { bendingLength, presets } from "../../src/scene/materials.ts";
import { checkScene, type Scene } from "../../src/scene/scene.ts";
import { readSceneText } from "../../src/scene/text.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { createSimulation } from "../../src/simulation.ts";
import { isoplate } from "../cli/terminal.ts";

const guide = fileURLToPath(new URL("../../docs/guide/", import.meta.url));
const text = (page: string): string => readFileSync(join(guide, page), "utf8");
/** The pages of the experiments: what the index lists. */
const pages = [...text("README.md").matchAll(/^\| \[[^\]]*\]\(([^)]+)\)/gm)].map(
  ([, page]) => page,
);
const blocks = (page: string, language: string): string[] =>
  [...text(page).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(
    ([, block]) => block,
  );
const out = mkdtempSync(join(tmpdir(), "isoplate-guide-"));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Few points, but enough for the outlines of the garments. */
const fewer = (scene: Scene): Scene => ({
  ...scene,
  sheets: scene.sheets.map((sheet) => ({
    ...sheet,
    sampling: { type: "irregular", angle: 0, points: sheet.shape.type === "garment" ? 240 : 60 },
  })),
});

describe.each(pages)("%s", (page) => {
  test("links lead to pages and files that are there", () => {
    for (const [, target] of text(page).matchAll(/\]\(([^)#]+)\)/g))
      expect(existsSync(join(guide, target)), target).toBe(true);
  });

  const commands = blocks(page, "sh").flatMap((block) =>
    block.split("\n").filter((line) => line.startsWith("isoplate ")),
  );
  test.each(commands)("%s", async (line) => {
    const [, command, ...rest] = line.split(" ");
    if (command === "figures") {
      const { out: list } = await isoplate(["figures", "--list"]);
      for (const name of rest.filter((word) => !word.startsWith("-"))) expect(list).toContain(name);
      return;
    }
    expect(["run", "compare"]).toContain(command);
    const points = pointsOf(rest[0]);
    const small = points.flatMap((path) => ["--set", path]);
    const quick = ["--seconds", "0.01", "--quiet", "--out", join(out, command)];
    if (command === "run") quick.push("--no-report");
    const { code, err } = await isoplate([command, ...rest, ...small, ...quick]);
    expect(code, err).toBe(0);
  });

  test.each(blocks(page, "yaml"))("scene %#", (block) => {
    const { input } = readSceneText(block, "scene.yaml");
    const scene = checkScene(
      withPatterns(input, (file) => readFileSync(join(guide, file), "utf8")),
    );
    expect(createSheet(fewer(scene).sheets, scene.seed).n).toBeGreaterThan(50);
    const simulation = createSimulation(fewer(scene));
    simulation.step();
    expect(simulation.Y.every(Number.isFinite)).toBe(true);
    expect(simulation.warnings).toEqual([]);
  });
});

describe("the guide as a whole", () => {
  test("every built-in scene has its page", () => {
    const all = ["README.md", ...pages].map(text).join("\n");
    const missing = library.filter(({ name }) => !all.includes(`\`${name}`) && !all.includes(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test("the table of materials has the numbers of the presets", () => {
    const page = text("materials.md");
    for (const preset of presets) {
      const { name, density, D, poisson, membraneStiffness, thickness } = preset;
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\``));
      const cells = (row ?? "").split("|").map((cell) => cell.trim());
      const numbers = cells.slice(3, 9).map((cell) => (cell === "default" ? 0 : Number(cell)));
      const length = 1000 * bendingLength(preset);
      const wanted = [density, D, length, poisson, membraneStiffness ?? 0, 1000 * thickness];
      expect(numbers).toHaveLength(wanted.length);
      numbers.forEach((x, k) => {
        const off = wanted[k] === 0 ? x : x / wanted[k] - 1;
        expect(Math.abs(off), `${name}, column ${k}`).toBeLessThan(5e-3); // three digits
      });
      expect(page).toContain(materialSources[name]);
    }
  });
});

/** Settings that make a built-in scene small. */
function pointsOf(name: string): string[] {
  const input = libraryScene(name)?.input();
  if (input?.sheets) return input.sheets.map((_, k) => `sheets.${k}.sampling.points=60`);
  const garment = input?.sheet?.shape.type === "garment";
  return [`sheet.sampling.points=${garment ? (name === "tank-top" ? 700 : 240) : 60}`];
}
