import * as fs from "node:fs";
import { describe, expect, test } from "vitest";
import { duration } from "../../src/cli/progress.ts";
import { sceneJsonSchema } from "../../src/scene/json-schema.ts";
import { library } from "../../src/scene/library.ts";
import { version } from "../../src/version.ts";
import { temporaryFolder } from "../temporary.ts";
import { isoplate } from "./terminal.ts";

const at = temporaryFolder();

const small = {
  name: "small",
  seconds: 0.1,
  h: 0.01,
  record: { rate: 20, checkpoint: 0.05 },
  sheet: {
    shape: { type: "rectangle", width: 0.2, height: 0.2 },
    sampling: { type: "grid", points: 36 },
  },
  pins: [{ at: { corner: "top-left", radius: 0.05 } }],
};

function write(scene: unknown, name = "small.json"): string {
  fs.writeFileSync(at(name), typeof scene === "string" ? scene : JSON.stringify(scene));
  return at(name);
}

describe("scenes and schema", () => {
  test("scenes lists every built-in scene with its points and what it shows", async () => {
    const { code, out } = await isoplate(["scenes"]);
    expect(code).toBe(0);
    for (const { name, points, shows } of library)
      expect(out).toMatch(new RegExp(`^${name} +${points} points {2}${shows}$`, "m"));
    expect(JSON.parse((await isoplate(["scenes", "--json"])).out)).toHaveLength(library.length);
  });

  test("scenes --show prints a scene that run takes", async () => {
    const { out } = await isoplate(["scenes", "--show", "pinned-cloth"]);
    expect(JSON.parse(out)).toEqual(library[0].input());
    expect((await isoplate(["scenes", "--show", "nothing"])).code).toBe(2);
  });

  test("schema prints the JSON Schema", async () => {
    const { code, out } = await isoplate(["schema"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(sceneJsonSchema())));
  });

  test("the version is the package's", async () => {
    const stored = JSON.parse(
      fs.readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
    ) as { version: string };
    expect(version).toBe(stored.version);
    expect((await isoplate(["--version"])).out.trim()).toBe(version);
  });

  test("help tells of every command, with examples, and is no error", async () => {
    const { code, out } = await isoplate(["--help"]);
    expect(code).toBe(0);
    for (const name of ["scenes", "run", "schema"]) expect(out).toContain(name);
    const run = await isoplate(["run", "--help"]);
    expect(run.code).toBe(0);
    for (const option of [
      "--out",
      "--seconds",
      "--set",
      "--seed",
      "--json",
      "--quiet",
      "--resume",
      "Examples:",
      "Exit codes:",
    ])
      expect(run.out).toContain(option);
  });
});

describe("run", () => {
  test("--json prints the summary as the last line of standard output, and nothing else there", async () => {
    const { code, out } = await isoplate([
      "run",
      write(small),
      "--out",
      at("out"),
      "--json",
      "--no-report",
    ]);
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toHaveLength(1);
    const summary = JSON.parse(out) as Record<string, unknown>;
    expect(summary).toEqual(JSON.parse(fs.readFileSync(at("out", "summary.json"), "utf8")));
    // every field that scripts rely on
    for (const field of [
      "scene",
      "version",
      "points",
      "method",
      "constraint",
      "solver",
      "h",
      "tolerance",
      "seconds",
      "steps",
      "wallSeconds",
      "projections",
      "fallbackSteps",
      "unconvergedSteps",
      "residual",
      "strain",
      "energy",
      "speedMax",
      "penetrationMax",
      "sag",
      "phases",
      "memoryBytes",
      "hash",
    ])
      expect(summary).toHaveProperty(field);
    expect(Object.keys(summary.strain as object)).toEqual(
      expect.arrayContaining([
        "edgeMean",
        "edgeMax",
        "edgeMaxEver",
        "stretchMaxEver",
        "stretchMax",
        "compressionMax",
        "principalMax",
        "pairMax",
      ]),
    );
    expect(Object.keys(summary.phases as object)).toEqual([
      "predict",
      "evaluate",
      "assemble",
      "factor",
      "solve",
      "contact",
    ]);
  });

  test("without --json a person reads strain, energy and where it is; progress goes to standard error", async () => {
    const { code, out, err } = await isoplate([
      "run",
      write(small),
      "--out",
      at("out"),
      "--no-report",
    ]);
    expect(code).toBe(0);
    expect(out).toMatch(/^small {2}36 points, 0.1 s in 10 steps/);
    for (const word of ["strain", "rounds", "energy", "sag", `written to ${at("out")}`])
      expect(out).toContain(word);
    expect(out).not.toContain("residual"); // of the averaged F, which is not what was constrained
    expect(err).toMatch(/^small: 0 %/);
    const paper = await isoplate(
      ["run", write(small), "--out", at("paper"), "--no-report", "--quiet"].concat([
        "--set",
        "constraint=paper",
      ]),
    );
    expect(paper.out).toContain("residual");
    expect(
      (await isoplate(["run", write(small), "--out", at("out"), "--no-report", "--quiet"])).err,
    ).toBe("");
  });

  test("--seconds, --seed and --set change the scene as run", async () => {
    const { code } = await isoplate([
      "run",
      write(small),
      "--out",
      at("out"),
      "--quiet",
      "--no-report",
      "--seconds",
      "0.03",
      "--seed",
      "7",
      "--set",
      "sheet.material.D=2e-4",
      "--set",
      "gravity=0",
    ]);
    expect(code).toBe(0);
    const scene = JSON.parse(fs.readFileSync(at("out", "scene.json"), "utf8")) as never;
    expect(scene).toMatchObject({
      seconds: 0.03,
      seed: 7,
      gravity: [0, 0, 0],
      sheets: [{ material: { D: 2e-4 } }],
    });
  });

  test("the same scene twice has the same hash; Ctrl-C leaves a checkpoint, and resumed it has that hash too", async () => {
    // a run that would take hours is broken off once it has left a checkpoint, so that it is always in the middle
    const file = write({ ...small, seconds: 1e5 });
    const quiet = ["--json", "--quiet", "--no-report"];
    const hash = ({ out }: { out: string }): string => (JSON.parse(out) as { hash: string }).hash;
    const broken = await isoplate(["run", file, "--out", at("broken"), ...quiet], (press) => {
      const watch = setInterval(() => {
        if (!fs.existsSync(at("broken", "checkpoint"))) return;
        clearInterval(watch);
        press();
      });
    });
    expect(broken.code).toBe(1);
    expect(broken.out).toBe("");
    expect(broken.err).toContain(`isoplate run --resume ${at("broken")}`);
    expect(fs.existsSync(at("broken", "summary.json"))).toBe(false);

    // to a fifth of a second later, in one go, again, and from the checkpoint
    const time = Number(/broken off at (\S+) s/.exec(broken.err)?.[1]);
    expect(time).toBeGreaterThan(0);
    const end = ["--seconds", (time + 0.2).toFixed(2), ...quiet];
    const whole = await isoplate(["run", file, "--out", at("whole"), ...end]);
    const again = await isoplate(["run", file, "--out", at("again"), ...end]);
    const resumed = await isoplate(["run", "--resume", at("broken"), ...end]);
    expect(resumed.code).toBe(0);
    expect(hash(again)).toBe(hash(whole));
    expect(hash(resumed)).toBe(hash(whole));
  });

  test("--verify of a resumed run counts the frames before it as well", async () => {
    // two sheets through each other, which stay so
    const shape = { type: "rectangle", width: 0.2, height: 0.2 };
    const sampling = { points: 30 };
    const upright = { position: [0, 0.1, -0.1], rotation: [90, 0, 0] };
    const sheets = [
      { shape, sampling },
      { shape, sampling, pose: upright },
    ];
    const file = write({ seconds: 0.2, gravity: 0, sheets });
    const quiet = ["--json", "--quiet", "--no-report"];
    const count = ({ out }: { out: string }) =>
      (JSON.parse(out) as { intersections?: number }).intersections;
    const whole = await isoplate(["run", file, "--out", at("whole"), "--verify", ...quiet]);
    expect(whole.code).toBe(1);
    expect(count(whole)).toBeGreaterThan(10);
    const half = ["run", file, "--out", at("half"), "--seconds", "0.1", ...quiet];
    expect(count(await isoplate(half))).toBeUndefined();
    const rest = ["run", "--resume", at("half"), "--seconds", "0.2", "--verify", ...quiet];
    expect(count(await isoplate(rest))).toBe(count(whole));
  });
});

describe("what is wrong ends with code 2, every fault at once, and no output folder", () => {
  const rectangle = { type: "rectangle", width: 1, height: 1 };
  test.each<[string, unknown, RegExp]>([
    [
      "a wrong type",
      { sheet: { shape: { ...rectangle, width: "1" } } },
      /sheet.shape.width: got "1"/,
    ],
    [
      "an unknown key",
      { ...small, sheets_: [] },
      /sheets_: unknown field; did you mean "sheets"\?/,
    ],
    [
      "millimetres for metres",
      { sheet: { shape: { ...rectangle, width: 1000 } } },
      /is it in millimetres\?/,
    ],
    [
      "a negative mass",
      { ...small, masses: [{ at: { corner: "top-left" }, mass: -1 }] },
      /masses\[0\].mass: got -1/,
    ],
    [
      "a pin outside the sheet",
      { ...small, pins: [{ at: { nearest: [3, 3] } }] },
      /pins\[0\].at.nearest: got \[3, 3\], outside the sheet/,
    ],
    ["0 points", { sheet: { shape: rectangle, sampling: { points: 0 } } }, /got 0, needs 4 … 1e6/],
    [
      "10⁷ points",
      { sheet: { shape: rectangle, sampling: { points: 1e7 } } },
      /got 10000000, needs 4 … 1e6/,
    ],
    [
      "a missing mesh",
      { sheet: { shape: { type: "mesh", file: "none.obj" } } },
      /"none.obj": no such file/,
    ],
    ["an empty mesh", { sheet: { shape: { type: "mesh", file: "empty.obj" } } }, /./],
    ["a mesh that is not manifold", { sheet: { shape: { type: "mesh", file: "fan.obj" } } }, /./],
    ["a mesh that is no mesh", { sheet: { shape: { type: "mesh", file: "text.obj" } } }, /./],
    ["not JSON", "{ sheet: [", /small.json: \d faults?\n {2}1:\d+ scene: /],
    [
      "several faults",
      { sheet: { shape: { ...rectangle, width: 1000 }, nois: 1 }, h: 9 },
      /3 faults/,
    ],
  ])("%s", async (_, scene, message) => {
    fs.writeFileSync(at("empty.obj"), "# nothing\n");
    fs.writeFileSync(
      at("fan.obj"),
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\nf 1 2 3\nf 1 2 4\nf 1 2 5\n",
    );
    fs.writeFileSync(at("text.obj"), "v 0 0\nf 1 2 3\n");
    const { code, out, err } = await isoplate(["run", write(scene), "--out", at("out")]);
    expect(err).toMatch(message);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(fs.existsSync(at("out"))).toBe(false);
  });

  /** A skin on two tetrahedra of flesh, 0.1 m wide, whose upper face is z = 0. */
  const skin = {
    seconds: 0.01,
    sheet: {
      shape: { type: "rectangle", width: 0.1, height: 0.1 },
      sampling: { points: 60 },
      pose: { position: [-0.05, -0.05, 0] },
    },
    substrate: { shape: { type: "file", file: "flesh.msh" }, young: 1e4 },
  };
  const flesh = ["1 2 3 4", "1 2 5 3"];
  test.each<[string, unknown, string[], RegExp]>([
    [
      "an inverted tetrahedron",
      skin,
      ["1 2 3 4", "1 5 2 3"],
      /^substrate "flesh.msh": 1 inverted tetrahedron: 1 \(the first at -0.05, -0.05, -0.05 m\)$/m,
    ],
    [
      "a flat tetrahedron",
      skin,
      [...flesh, "2 3 4 5"],
      /^substrate "flesh.msh": 1 flat tetrahedron: 2 \(the first at 0.05, -0.05, 0 m\)$/m,
    ],
    [
      "a solid without tetrahedra",
      skin,
      [],
      /^MSH, line 15: no tetrahedra; needs a mesh of a volume$/m,
    ],
    [
      "a skin far from its solid",
      { ...skin, sheet: { ...skin.sheet, pose: { position: [-0.05, -0.05, 0.3] } } },
      flesh,
      /^substrate: the skin is not on the solid: 60 of 60 patches .* by 0.300 m; move the sheet's pose/m,
    ],
    ...[0.5, 0.7].map((poisson): [string, unknown, string[], RegExp] => [
      `a solid with a Poisson's ratio of ${poisson}`,
      { ...skin, substrate: { ...skin.substrate, poisson } },
      flesh,
      new RegExp(`substrate.poisson: got ${poisson}, needs 0 … 0.499`),
    ]),
  ])("%s", async (_, scene, cells, message) => {
    fs.writeFileSync(
      at("flesh.msh"),
      `$MeshFormat\n2.2 0 8\n$EndMeshFormat
$Nodes\n5\n1 -0.05 -0.05 -0.05\n2 0.05 -0.05 0\n3 -0.05 0.05 0\n4 -0.05 -0.05 0\n5 0.05 0.05 0\n$EndNodes
$Elements\n${cells.length}\n${cells.map((nodes, k) => `${k + 1} 4 2 1 1 ${nodes}\n`).join("")}$EndElements\n`,
    );
    const { code, out, err } = await isoplate(["run", write(scene), "--out", at("out")]);
    expect(err).toMatch(message);
    expect(err.trim().split("\n").length).toBeLessThanOrEqual(2); // one fault, at most under its file's name
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(fs.existsSync(at("out"))).toBe(false);
  });

  test.each<[string, string[], RegExp]>([
    ["no scene", ["run"], /needs a scene/],
    ["an unknown scene", ["run", "pined-cloth"], /did you mean "pinned-cloth"\?/],
    ["a file that is not there", ["run", "nowhere/flag.yaml"], /cannot be read \(ENOENT\)/],
    ["an unknown command", ["rum"], /unknown command 'rum'/],
    ["an unknown option", ["run", "pinned-cloth", "--secnds", "1"], /unknown option '--secnds'/],
    ["seconds that are no number", ["run", "pinned-cloth", "--seconds", "four"], /Not a number/],
    [
      "seconds out of range",
      ["run", "pinned-cloth", "--seconds", "-1"],
      /seconds: got -1, needs 0 … 100000 s/,
    ],
    ["a set without a value", ["run", "pinned-cloth", "--set", "h"], /Needs path=value/],
    [
      "two bad sets",
      ["run", "pinned-cloth", "--set", "hh=1", "--set", "sheet.materail=silk"],
      /2 faults(.|\n)*"h"(.|\n)*"material"/,
    ],
    [
      "a set that breaks the scene",
      ["run", "pinned-cloth", "--set", "sheet.material.D=-1"],
      /sheet.material.D: got -1/,
    ],
    ["resume of nothing", ["run", "--resume", "nowhere"], /nowhere: no recording here/],
    ["resume with a scene", ["run", "pinned-cloth", "--resume", "x"], /only --seconds may change/],
  ])("%s", async (_, args, message) => {
    const more = args[0] === "run" && !args.includes("--resume") ? ["--out", at("out")] : [];
    const { code, out, err } = await isoplate([...args, ...more]);
    expect(err).toMatch(message);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(fs.existsSync(at("out"))).toBe(false);
  });

  test("an output folder that cannot be made", async () => {
    fs.writeFileSync(at("file"), "");
    const { code, err } = await isoplate(["run", write(small), "--out", at("file", "out")]);
    expect(code).toBe(2);
    expect(err).toMatch(/ENOTDIR/);
  });
});

test("durations read as people say them", () => {
  expect([0.2, 12, 80, 3661, Number.NaN].map(duration)).toEqual([
    "1 s",
    "12 s",
    "1 min 20 s",
    "1 h 01 min",
    "?",
  ]);
});
