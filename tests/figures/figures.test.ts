import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Figure, FigureResult } from "../../src/figures/figure.ts";
import { figures } from "../../src/figures/index.ts";
import { figuresPage } from "../../src/figures/page.ts";
import { recorded } from "../../src/figures/runs.ts";
import { frameAt } from "../../src/figures/shots.ts";
import { Interrupted } from "../../src/recording/run.ts";
import { pinnedCloth } from "../../src/scene/library.ts";
import { isoplate } from "../cli/terminal.ts";

const out = mkdtempSync(join(tmpdir(), "isoplate-figures-"));
afterAll(() => rmSync(out, { recursive: true, force: true }));
const quiet = { out, onProgress: () => undefined };
const small = {
  ...pinnedCloth({ sampling: { points: 40 }, seconds: 0.1 }),
  name: "small",
  record: { checkpoint: 0.02 },
};

describe("runs of figures", () => {
  test("a complete recording of the same scene is used again, to the byte", async () => {
    const first = await recorded(small, quiet);
    first.recording.close();
    const frames = join(out, "small", "frames");
    const before = statSync(frames).mtimeMs;
    const again = await recorded(small, quiet);
    again.recording.close();
    expect(statSync(frames).mtimeMs).toBe(before);
    expect(again.summary.hash).toBe(first.summary.hash);
  });

  test("another scene of that name is run anew", async () => {
    const other = await recorded({ ...small, gravity: 5 }, quiet);
    other.recording.close();
    const back = await recorded(small, quiet);
    back.recording.close();
    expect(back.summary.hash).not.toBe(other.summary.hash);
  });

  test("a run that was broken off goes on, and ends like one that was not", async () => {
    const stop = new AbortController();
    const scene = { ...small, name: "broken" };
    const breaking = recorded(scene, {
      out,
      onProgress: () => stop.abort(), // at the first word of it
      signal: stop.signal,
    });
    await expect(breaking).rejects.toBeInstanceOf(Interrupted);
    expect(existsSync(join(out, "broken", "summary.json"))).toBe(false);
    const whole = await recorded({ ...small, name: "whole" }, quiet);
    const resumed = await recorded(scene, quiet);
    expect(resumed.summary.hash).toBe(whole.summary.hash);
    expect(frameAt(whole.recording, 0.05)).toBe(Math.round(0.05 * 30));
    whole.recording.close();
    resumed.recording.close();
  });
});

describe("the page of figures", () => {
  const figure: Figure = {
    name: "cloth",
    title: "A cloth",
    claim: "It does not lock <at all>.",
    minutes: { fast: 1, full: 2 },
    make: () => Promise.reject(new Error("not made here")),
  };
  const check = { what: "strain", claim: "under 1 %", ours: "0.2 %" };

  test("puts the claim beside our number, and says how many of all hold, also of small versions", () => {
    const result: FigureResult = {
      blocks: [],
      checks: [
        { ...check, holds: true },
        { ...check, holds: false },
        { ...check, holds: false },
      ],
      runs: [],
    };
    const page = figuresPage([{ figure, result }], { fast: true });
    expect(page).toContain("It does not lock &lt;at all&gt;.");
    expect(page).toContain("1 of all 3 claims hold");
    for (const word of ["holds", "does not hold"]) expect(page).toContain(word);
  });

  test("has the paper's table with what each run cost", async () => {
    const run = await recorded(small, quiet);
    run.recording.close();
    const result: FigureResult = { blocks: [], checks: [], runs: [run] };
    const page = figuresPage([{ figure, result }], { fast: false });
    expect(page).toContain("All runs");
    expect(page).toContain("time per step");
  });
});

describe("isoplate figures", () => {
  test("lists every figure with the time that it takes", async () => {
    const { code, out: list } = await isoplate(["figures", "--list"]);
    expect(code).toBe(0);
    for (const { name } of figures) expect(list).toContain(name);
  });

  test("small versions of all take at most ten minutes together", () => {
    expect(figures.reduce((sum, { minutes }) => sum + minutes.fast, 0)).toBeLessThanOrEqual(10);
  });

  test("names of figures are checked before anything runs", async () => {
    const { code, err } = await isoplate(["figures", "teapot"]);
    expect(code).toBe(2);
    expect(err).toContain('no figure "teapot"; there are locking, draping');
  });
});

test("the fast figures draw on scenes of the library", () => {
  const source = ["draping", "shear", "cylinder", "tank-top", "skirts"]
    .map((name) => readFileSync(new URL(`../../src/figures/${name}.ts`, import.meta.url), "utf8"))
    .join("\n");
  expect(source).not.toMatch(/membraneStiffness|density:/); // numbers live in the library and nowhere else
});
