import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MEASURES, measureOf } from "../../src/batch/measures.ts";
import { loadStudy, parseStudyText } from "../../src/batch/study.ts";
import { spread } from "../../src/batch/values.ts";
import { createMemoryRecording } from "../../src/recording/recording.ts";
import { runScene } from "../../src/recording/run.ts";
import type { SceneError } from "../../src/scene/faults.ts";

let root = "";
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-"));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const study = (text: string) => parseStudyText(text, path.join(root, "study.yaml"));
const parameters = (text: string) => study(text).runs.map((run) => run.parameters);

/** The faults of a study that has some. */
function faults(text: string): string[] {
  try {
    study(text);
  } catch (error) {
    return (error as SceneError).message
      .split("\n")
      .slice(1)
      .map((line) => line.trim());
  }
  throw new Error("no fault was found");
}

describe("the runs of a study", () => {
  test("a grid is every combination, the last field fastest", () => {
    const all = parameters("{ scene: pinned-cloth, grid: { seed: [1, 2], seconds: [1, 2, 3] } }");
    expect(all).toEqual([1, 2].flatMap((seed) => [1, 2, 3].map((seconds) => ({ seed, seconds }))));
  });

  test("grid, list and sample multiply, and every scene has its values", () => {
    const { runs } = study(`
scene: pinned-cloth
set: { seconds: 1 }
grid: { sheet.sampling.points: [50, 60] }
list: [{ air.drag: 1 }, { air.drag: 2 }]
sample: { count: 3, seed: 5, fields: { seed: { from: 1, to: 99, whole: true } } }`);
    expect(runs).toHaveLength(12);
    for (const { scene, parameters: p } of runs) {
      expect(scene.seconds).toBe(1);
      expect(scene.sheets[0].sampling).toMatchObject({ points: p["sheet.sampling.points"] });
      expect(scene.air.drag).toBe(p["air.drag"]);
      expect(scene.seed).toBe(p.seed);
    }
  });

  test("ranges hold both ends exactly, by equal steps or equal factors", () => {
    const linear = { from: 0, to: 0.9, log: false, whole: false };
    expect(spread(linear, 4)).toEqual([0, 0.3, 0.6, 0.9]);
    expect(spread({ from: 1e-5, to: 1e-2, log: true, whole: false }, 4)).toEqual([
      1e-5, 1e-4, 1e-3, 1e-2,
    ]);
    expect(spread({ from: 1, to: 3, log: false, whole: true }, 9)).toEqual([1, 2, 3]);
    expect(spread({ ...linear, from: 0.1234567890123 }, 1)).toEqual([0.1234567890123]);
  });

  test("a sample is the same every time, within its range, even on its own scale, and a field more changes no other", () => {
    const text = (fields: string): string =>
      `{ scene: pinned-cloth, sample: { count: 400, seed: 7, fields: { ${fields} } } }`;
    const D = "sheet.material.D: { from: 1e-6, to: 1e-2, scale: log }";
    const one = parameters(text(D)).map((p) => p["sheet.material.D"] as number);
    expect(parameters(text(`${D}, seconds: [1, 2]`)).map((p) => p["sheet.material.D"])).toEqual(
      one,
    );
    expect(Math.min(...one)).toBeGreaterThanOrEqual(1e-6);
    expect(Math.max(...one)).toBeLessThanOrEqual(1e-2);
    // a quarter of the draws in each decade: 100 ± 8.7, five deviations
    for (let k = 0; k < 4; k++) {
      const [low, high] = [10 ** (k - 6), 10 ** (k - 5)];
      const count = one.filter((d) => d >= low && d < high).length;
      expect(Math.abs(count - 100)).toBeLessThan(44);
    }
  }, 60_000);

  test("whole numbers come equally often, the ends too", () => {
    const all = parameters(
      "{ scene: pinned-cloth, sample: { count: 4, fields: { seed: { from: 1, to: 4, whole: true } } } }",
    );
    expect(all.map((p) => p.seed).sort()).toEqual([1, 2, 3, 4]);
  });

  test("names tell the parameters, fit every file system, and stay when the study grows", () => {
    const names = study(
      "{ scene: pinned-cloth, grid: { sheet.material.D: [1.0e-4], gravity: [[0, 0, -1], 9.81] } }",
    ).runs.map((run) => run.name);
    for (const name of names)
      expect(name).toMatch(/^D=0\.0001_gravity=[A-Za-z0-9._=+-]+_[0-9a-f]{8}$/);
    expect(new Set(names).size).toBe(2);
    const more = study(
      "{ scene: pinned-cloth, grid: { gravity: [2, 9.81, [0, 0, -1]], sheet.material.D: [0.0001, 1] } }",
    ).runs.map((run) => run.name.slice(-8));
    for (const name of names) expect(more).toContain(name.slice(-8));
  });

  test("fields with the same last word keep enough of their paths to differ", () => {
    const [run] = study(
      "{ scene: pinned-cloth, list: [{ 'pins.0.at.radius': 0.04, 'pins.1.at.radius': 0.05 }] }",
    ).runs;
    expect(run.name).toContain("pins-0-.at.radius=0.04");
    expect(run.name).toContain("pins-1-.at.radius=0.05");
  });
});

describe("what is wrong with a study", () => {
  test("everything about its form at once, each with its place", () => {
    const found = faults(`scene: 5
gird: { seed: [1] }
grid:
  sheet.material.D: { from: 2, to: 1, count: 0, scale: cubic }
  seconds: 3
sample: { seed: -1 }
measures: [sagg]
`);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^1:1 scene: got 5/),
        expect.stringMatching(/^2:1 gird: unknown field; did you mean "grid"\?/),
        expect.stringMatching(/^4:\d+ grid\.sheet\.material\.D\.to: got 1, needs at least from, 2/),
        expect.stringMatching(/^4:\d+ grid\.sheet\.material\.D\.count: got 0/),
        expect.stringMatching(/^4:\d+ grid\.sheet\.material\.D\.scale: got "cubic"/),
        expect.stringMatching(/^5:3 grid\.seconds: got 3, needs \[values\]/),
        expect.stringMatching(/^6:\d+ sample\.count: got nothing/),
        expect.stringMatching(/^6:\d+ sample\.seed: got -1/),
        expect.stringMatching(/^6:\d+ sample\.fields: missing/),
        expect.stringMatching(/^7:\d+ measures\[0\]: got "sagg".*did you mean "sag"\?/),
      ]),
    );
  });

  test("unknown fields and values out of range, with the first run that has them", () => {
    const found = faults(`
scene: pinned-cloth
grid:
  sheet.material.D: [1e-4, -1]
  sheet.smpling.points: [100, 200]`);
    expect(found).toHaveLength(2);
    expect(found[0]).toContain('sheet has no field "smpling"; did you mean "sampling"?');
    expect(found[1]).toMatch(
      /^sheet\.material\.D: got -1, .*\(run 3: D = -1, points = 100 and 1 more\)/,
    );
  });

  test("a field said twice, runs that are the same, nothing that varies, no scene", () => {
    const twice = faults("{ scene: pinned-cloth, set: { seed: 1 }, grid: { seed: [1, 2] } }");
    expect(twice).toEqual([expect.stringContaining("grid.seed: already in set")]);
    expect(faults("{ scene: pinned-cloth, list: [{ seed: 1 }, { seed: 1 }] }")).toEqual([
      expect.stringContaining("run 2 is the same as run 1: seed = 1"),
    ]);
    expect(faults("{ scene: pinned-cloth }")).toEqual([expect.stringContaining("nothing varies")]);
    expect(faults("{ grid: { seed: [1] } }")[0]).toContain("scene: missing");
    expect(faults("{ scene: pined-cloth, grid: { seed: [1] } }")[0]).toContain(
      'did you mean "pinned-cloth"?',
    );
    const choices = "{ scene: pinned-cloth, sample: { count: 9, fields: { seed: [1, 2] } } }";
    expect(faults(choices)[0]).toContain("only 2 different draws come");
  });

  test("too many runs are refused before they are made", () => {
    const grid = ["seed", "seconds", "h"].map((f) => `${f}: { from: 1, to: 2, count: 1000 }`);
    expect(faults(`{ scene: pinned-cloth, grid: { ${grid.join(", ")} } }`)[0]).toContain(
      "1000000000 runs, needs at most 100000",
    );
  });

  test("a scene is looked for beside the study, and only there", () => {
    fs.mkdirSync(path.join(root, "studies"));
    const scene = JSON.stringify({ sheet: { shape: { type: "disc", radius: 0.1 } } });
    fs.writeFileSync(path.join(root, "disc.json"), scene);
    fs.writeFileSync(path.join(root, "studies", "disc.json"), scene);
    const file = path.join(root, "studies", "s.yaml");
    fs.writeFileSync(file, "{ scene: disc.json, grid: { seed: [1] } }");
    expect(loadStudy(file).runs).toHaveLength(1);
    fs.writeFileSync(file, "{ scene: ../disc.json, grid: { seed: [1] } }");
    expect(() => loadStudy(file)).toThrow("--outside");
    expect(loadStudy(file, { outside: true }).runs).toHaveLength(1);
  });
});

test("measures are exactly the numbers of a summary", async () => {
  const { runs } = study(
    "{ scene: pinned-cloth, list: [{ seconds: 0.02, h: 0.01, sheet.sampling.points: 30 }] }",
  );
  const summary = await runScene(runs[0].scene, { recorder: createMemoryRecording() });
  const numbers = (value: object, above: string): string[] =>
    Object.entries(value).flatMap(([name, inner]): string[] => {
      if (typeof inner === "number") return [above + name];
      const isRecord = typeof inner === "object" && inner !== null && !Array.isArray(inner);
      return isRecord ? numbers(inner as object, `${above}${name}.`) : [];
    });
  expect([...MEASURES].sort()).toEqual(numbers(summary, "").sort());
  expect(measureOf(summary, "strain.edgeMax")).toBe(summary.strain.edgeMax);
  expect(measureOf(summary, "nothing.there")).toBeNaN();
});
