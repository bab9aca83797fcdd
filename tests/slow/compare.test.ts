import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type CompareProgress, compareScene, resampled } from "../../src/compare/compare.ts";
import { DEFAULT_METHODS, methodsOf } from "../../src/compare/methods.ts";
import { bendingEnergy, type Measures, verdictOf } from "../../src/compare/outcome.ts";
import { outline, spreadOf } from "../../src/compare/outline.ts";
import { signed, tableOf } from "../../src/compare/report.ts";
import { pinnedCloth } from "../../src/scene/library.ts";
import { parseScene, type Scene } from "../../src/scene/scene.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { createSimulation } from "../../src/simulation.ts";
import { isoplate } from "../cli/terminal.ts";
import { pose, sheetOf } from "../support.ts";

const out = mkdtempSync(join(tmpdir(), "isoplate-compare-"));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** Stiff enough for the fold to be wider than the spacing of so few points. */
const small: Scene = parseScene({
  ...pinnedCloth({ sampling: { points: 60 }, D: 1e-2, seconds: 0.4 }),
  name: "small",
});

describe("methods", () => {
  test("each changes how the sheet is held together, never its shape, rigidity, mass or load", () => {
    for (const method of methodsOf(["all", "quads"])) {
      const changed = method.apply(small);
      expect(changed.sheets.map(({ sampling: _, ...rest }) => rest)).toEqual(
        small.sheets.map(({ sampling: _, ...rest }) => rest),
      );
      expect(changed.gravity).toEqual(small.gravity);
      expect(changed.pins).toEqual(small.pins);
      expect(changed.seconds).toBe(small.seconds);
    }
  });

  test("names may carry a number, stand for several, and count once", () => {
    const names = methodsOf(["ours", "shells", "frames", "shells-10000", "quads-2.5"]).map(
      ({ name }) => name,
    );
    expect(names).toEqual(["frames", "shells-1e4", "shells-100", "shells-1", "quads-2.5"]);
    const [shell, quad] = methodsOf(["shells-7", "quads-2.5"]).map((m) => m.apply(small));
    expect(shell.baseline.young).toBe(7e6);
    expect(quad.baseline.diagonalStiffness).toBe(2.5);
  });

  test("all names that mean nothing are told at once, with the nearest that do", () => {
    expect(() => methodsOf(["our", "shells-soft", "quads-0"])).toThrow(
      /3 faults[\s\S]*did you mean "ours"[\s\S]*MPa[\s\S]*N\/m/,
    );
  });
});

describe("the ruler", () => {
  test("a shape has one bending energy, whatever method led there: that of a cylinder is ½ D A/R²", () => {
    const [coarse] = small.sheets;
    const sheets = [{ ...coarse, sampling: { ...coarse.sampling, points: 400 } }];
    const fine = { ...small, sheets };
    const sheet = createSheet(sheets, small.seed);
    const R = 0.6;
    const Y = pose(sheet, (u, v) => [R * Math.sin(u / R), v, R * Math.cos(u / R)]);
    const [{ material }] = small.sheets;
    const energies = methodsOf(["ours", "paper", "shells-100", "triangles"]).map((method) =>
      bendingEnergy(method.apply(fine), Y, 0),
    );
    for (const energy of energies) expect(energy).toBe(energies[0]);
    expect(energies[0] / ((0.5 * material.D) / R ** 2)).toBeCloseTo(1, 1); // frames at the free ends straighten, over a spacing or so
  });

  test("what has been sewn is measured with its seams closed", () => {
    const halves = [-0.1, 0].map((left, k) => ({
      name: "ab"[k],
      points: [
        [left, 0],
        [left + 0.1, 0],
        [left + 0.1, 0.05],
        [left, 0.05],
      ] as [number, number][],
      edges: { right: [1, 2] as [number, number], left: [3, 0] as [number, number] },
    }));
    const seams = [{ from: "a:right", to: "b:left", reversed: true }];
    const scene = parseScene({
      gravity: [0, 0, -9.81],
      sheet: {
        shape: { type: "garment", panels: halves, seams, sewing: { seconds: 0.02 } },
        sampling: { points: 120 },
      },
      pins: [{ kind: "clamp", at: { edge: "a:left" } }],
    });
    const simulation = createSimulation(scene);
    for (let k = 0; k < 24; k++) simulation.step();
    expect(simulation.system.seams!.closed).toBe(true);
    const { bending } = simulation.energy();
    // the ruler knows positions alone, and takes the frames that bend least
    const measured = bendingEnergy(scene, simulation.Y, simulation.steps);
    expect(Math.abs(measured / bending - 1)).toBeLessThan(0.05);
    const [shells] = methodsOf(["shells-100"]);
    expect(
      bendingEnergy(shells.apply(scene), simulation.Y, simulation.steps) / measured,
    ).toBeCloseTo(1, 9);
  });

  test("what falls short locks, what falls too far sags, what grows stretches", () => {
    const fine: Measures = {
      points: 1000,
      edgeMean: 0,
      edgeMax: 0,
      pair: 0.001,
      bending: 1,
      deflection: 0.2,
      sag: 0.6,
      roughness: 0,
      speed: 0,
      seconds: 1,
      unconverged: 0,
    };
    const said = (change: Partial<Measures>): string =>
      verdictOf({ ...fine, ...change }, fine).text;
    expect(said({})).toBe("as the finest");
    expect(said({ deflection: 0.1, bending: 0.1 })).toBe("locks");
    expect(said({ deflection: 0.3, pair: 0.2 })).toBe("sags too far, stretches");
    expect(said({ bending: 0.5 })).toBe("folds too bluntly");
    expect(said({ unconverged: 0.5 })).toBe("does not converge");
    expect(said({ speed: 1 })).toBe("still moves");
  });
});

test("shares are written with their sign and two digits, large ones in whole percent", () => {
  const blank = "\u00a0";
  expect(signed(-0.9999)).toBe(`−100${blank}%`);
  expect(signed(0.0521)).toBe(`+5.2${blank}%`);
  expect(signed(1.344)).toBe(`+134${blank}%`);
  expect(signed(Number.NaN)).toBe("–");
});

describe("outlines", () => {
  const sheet = sheetOf({ sampling: { points: 40 } });

  test("a tilted square is seen as a rectangle of its side and its height", () => {
    // turned by 30° about x: y spans cos 30°, z spans sin 30°
    const [c, s] = [Math.sqrt(0.75), 0.5];
    const Y = pose(sheet, (u, v) => [u, c * v, s * v]);
    const front = outline({ Y, triangles: sheet.triangles }, { x: 1, y: 0 });
    expect(Math.min(...front.z)).toBeCloseTo(0, 12);
    expect(Math.max(...front.z)).toBeCloseTo(s, 12);
    expect(Math.max(...front.x) - Math.min(...front.x)).toBeCloseTo(1, 12);
    // from the side it is a line: its lower and its upper rim are one
    const side = outline({ Y, triangles: sheet.triangles }, { x: 0, y: 1 });
    side.z.forEach((z, k) => {
      expect(z).toBeCloseTo((s / c) * side.x[k], 12);
    });
  });

  test("the outline is closed and the same whatever triangles fill it", () => {
    const fine = sheetOf({ sampling: { points: 200 } });
    const [a, b] = [sheet, fine].map(({ rest, triangles }) =>
      outline({ Y: rest, triangles }, { x: 0.6, y: 0.8 }, 20),
    );
    expect([a.x.at(-1), a.z.at(-1)]).toEqual([a.x[0], a.z[0]]);
    expect(a.x.length).toBe(b.x.length);
    a.x.forEach((x, k) => {
      expect(x).toBeCloseTo(b.x[k], 12);
    });
  });

  test("the spread of a rectangle is along its long side, wherever that points", () => {
    const strip = sheetOf({
      shape: { type: "rectangle", width: 3, height: 1 },
      sampling: { points: 200 },
    });
    const Y = pose(strip, (u, v) => [0.6 * u - 0.8 * v, 0.8 * u + 0.6 * v, 0]);
    const { along, ratio } = spreadOf(Y);
    expect(Math.abs(along.x * 0.6 + along.y * 0.8)).toBeCloseTo(1, 3);
    expect(ratio).toBeGreaterThan(2.5);
  });
});

describe("a comparison", () => {
  test("has every method against a mesh of half the spacing, each run once, and says how far it is", async () => {
    const seen: CompareProgress[] = [];
    const comparison = await compareScene(small, {
      methods: ["ours", "triangles", "shells-1e4"],
      meter: false,
      onProgress: (p) => seen.push({ ...p }),
    });
    const rows = tableOf(comparison);
    expect(rows.map(({ method }) => method)).toEqual([
      "frames",
      "triangles",
      "shells-1e4",
      "reference",
    ]);
    const by = Object.fromEntries(rows.map((row) => [row.method, row]));
    expect(by.reference.points).toBeGreaterThan(3.5 * by.frames.points);
    expect(by.reference.bendingOff).toBe(0);

    // what locks falls and bends less than half as far, what is ours does not
    expect(by.triangles.deflectionOff).toBeLessThan(-0.5);
    expect(by["shells-1e4"].deflectionOff).toBeLessThan(-0.5);
    expect(by.triangles.verdict).toContain("locks");
    expect(by["shells-1e4"].bendingOff).toBeLessThan(-0.5);
    expect(Math.abs(by.frames.deflectionOff)).toBeLessThan(0.2);
    expect(by.frames.pair).toBeLessThan(0.01);

    // meshes: given, coarse, jittered, regular, fine; ours and the finest are not run twice
    expect(comparison.meshes.map(({ mesh }) => mesh)).toEqual([
      "as given",
      "coarse",
      "jittered",
      "regular",
      "fine",
    ]);
    expect(comparison.meshes[0].outcome).toBe(comparison.methods[0].outcome);
    expect(seen.at(-1)!.runs).toBe(7);
    expect(seen.at(-1)!.run).toBe(7);
    expect(seen.at(-1)!.share).toBeCloseTo(1, 10);
    for (let k = 1; k < seen.length; k++)
      expect(seen[k].share).toBeGreaterThanOrEqual(seen[k - 1].share);
  });

  test("the meter turns the stiffness of both families over the same values", async () => {
    const brief = { ...small, seconds: 0.02 };
    const { meter } = await compareScene(brief, {
      methods: ["ours", "shells-100"],
      meshes: false,
    });
    const of = (family: string): number[] =>
      meter.filter((r) => r.family === family).map(({ stiffness }) => stiffness);
    expect(of("ours")).toEqual([1e3, 1e4, 1e5, 1e6, 1e7]);
    expect(of("shells")).toEqual(of("ours"));
    for (const { family, stiffness, outcome } of meter) {
      const { scene } = outcome;
      if (family === "ours") expect(scene.sheets[0].material.membraneStiffness).toBe(stiffness);
      else expect(scene.baseline.young * scene.baseline.thickness).toBe(stiffness);
    }
  });

  test("half the spacing is four times the points; a sheet that is a mesh stays as it is", () => {
    const finer = resampled(small, { factor: 4 })!;
    expect(finer.sheets[0].sampling).toMatchObject({ points: 240 });
    const [sheet] = small.sheets;
    const spaced = { ...sheet, sampling: { type: "grid" as const, angle: 0, spacing: 0.1 } };
    expect(
      resampled({ ...small, sheets: [spaced] }, { factor: 4 })!.sheets[0].sampling,
    ).toMatchObject({ type: "grid", spacing: 0.05 });
    const mesh = { ...sheet, sampling: { type: "mesh" as const, angle: 0, points: 60 } };
    expect(resampled({ ...small, sheets: [mesh] }, { factor: 4 })).toBeNull();
  });

  test("with contact the projected methods are left out with a note, or refused where they were asked for", async () => {
    const ball = parseScene({
      name: "ball",
      seconds: 0.01,
      sheet: { shape: { type: "rectangle", width: 1, height: 1 }, sampling: { points: 60 } },
      colliders: [{ body: { type: "sphere", radius: 0.3 }, position: [0.5, 0.5, -0.32] }],
    });
    const { methods, notes } = await compareScene(ball, { meter: false, meshes: false });
    expect(methods.length).toBe(DEFAULT_METHODS.length - 2); // triangles, quads
    expect(notes.join(" ")).toMatch(/triangle edges .*no contact[\s\S]*quads.*no contact/);
    await expect(compareScene(ball, { methods: ["ours", "triangles", "quads-1"] })).rejects.toThrow(
      /2 faults[\s\S]*triangles: cannot run this scene[\s\S]*quads-1: cannot run this scene/,
    );
  });
});

describe("isoplate compare", () => {
  const quick = ["--set", "sheet.sampling.points=60", "--seconds", "0.02", "--quiet"];

  test("writes one page, one picture and one table, and says the table as JSON", async () => {
    const folder = join(out, "whole");
    const {
      code,
      out: said,
      err,
    } = await isoplate([
      "compare",
      "pinned-cloth",
      "--methods",
      "ours,shells-1e4,quads-10",
      ...quick,
      "--json",
      "--out",
      folder,
    ]);
    expect(code, err).toBe(0);
    expect(readdirSync(folder).sort()).toEqual([
      "comparison.json",
      "methods.png",
      "report.html",
      "table.csv",
    ]);
    const result = JSON.parse(said);
    expect(result).toEqual(JSON.parse(readFileSync(join(folder, "comparison.json"), "utf8")));
    expect(result.methods.map((row: { method: string }) => row.method)).toEqual([
      "frames",
      "shells-1e4",
      "quads-10",
      "reference",
    ]);
    expect(result.meter.length).toBe(10);
    expect(result.meshes.length).toBe(5);
    const page = readFileSync(join(folder, "report.html"), "utf8");
    for (const heading of ["Side by side", "Locking meter", "Dependence on the mesh"])
      expect(page).toContain(heading);
    const words = page.replace(/data:image[^"]*/g, "");
    expect(words).not.toMatch(/NaN|not a number|undefined|(src|href)="http/);
    expect(page.match(/<svg/g)!.length).toBe(5);
    expect(readFileSync(join(folder, "table.csv"), "utf8").trim().split("\n").length).toBe(5);
  });

  test("prints the table, and leaves out what it is told to", async () => {
    const folder = join(out, "short");
    const args = ["--methods", "ours", "--no-meter", "--no-meshes", "--out", folder];
    const { code, out: said } = await isoplate(["compare", "pinned-cloth", ...args, ...quick]);
    expect(code).toBe(0);
    expect(said).toMatch(/frames +6\d .*\nreference +2\d\d .*the reference/);
    expect(readFileSync(join(folder, "report.html"), "utf8")).not.toContain("Locking meter");
  });

  test.each([
    ["an unknown method", ["pinned-cloth", "--methods", "ours,glue"], "glue: no such method"],
    ["no method", ["pinned-cloth", "--methods", ","], "needs at least one method"],
    ["an unknown scene", ["pined-cloth"], "pinned-cloth"],
    ["a wrong field", ["pinned-cloth", "--set", "sheet.material.D=-1"], "material.D"],
    [
      "a method that cannot",
      ["drape-coarse", "--set", "sheet.sampling.points=60", "--methods", "triangles"],
      "no contact",
    ],
    ["a word for a number", ["pinned-cloth", "--seconds", "long"], "Not a number"],
  ])("%s is one clear error, exit 2, and nothing is written", async (_, args, message) => {
    const folder = join(out, "never");
    const {
      code,
      err,
      out: said,
    } = await isoplate(["compare", ...args, "--out", folder, "--quiet"]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(said).toBe("");
    expect(existsSync(folder)).toBe(false);
  });

  test("broken off, it says so, ends with 1 and leaves nothing behind", async () => {
    const folder = join(out, "broken");
    const { code, err } = await isoplate(
      ["compare", "pinned-cloth", "--set", "sheet.sampling.points=60", "--out", folder],
      (press) => setTimeout(press, 50),
    );
    expect(code).toBe(1);
    expect(err).toContain("broken off; nothing was written");
    expect(existsSync(folder)).toBe(false);
  });
});
