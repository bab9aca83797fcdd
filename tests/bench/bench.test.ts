import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { benchPairs } from "../../src/bench/pairs.ts";
import { benchSteps, growth, PHASES } from "../../src/bench/steps.ts";
import { growthLine, machineName, saveRows, stepTable } from "../../src/bench/table.ts";
import { isoplate } from "../cli/terminal.ts";

let root = "";
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-"));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const quick = { seconds: 0, repetitions: 3, h: 0.02 };

describe("the benchmark", () => {
  test("phases add up to the step but for what is between them, and no median is below its minimum", () => {
    const row = benchSteps(40, quick);
    expect(row.points).toBe(40);
    expect(row.runs).toBe(9);
    const sum = PHASES.reduce((all, phase) => all + row.phases[phase].min, 0);
    expect(sum).toBeGreaterThan(0); // how much is between them depends on what else the machine does
    expect(sum).toBeLessThanOrEqual(row.total.min);
    for (const time of [row.total, ...Object.values(row.phases)])
      expect(time.median).toBeGreaterThanOrEqual(time.min);
    expect(row.rounds).toBeGreaterThanOrEqual(1);
    expect(row.perSecond).toBeCloseTo(row.total.min / 1000 / 0.02, 12);
  });

  test("contact's loops are timed on what touches", () => {
    const row = benchPairs(100);
    expect(row.points).toBe(100);
    expect(row.pairsPerPoint).toBeGreaterThan(10);
    for (const time of [row.search, row.distances, row.times, row.twin])
      expect(time).toBeGreaterThan(0);
  });

  test("the growth of a power law is its exponent", () => {
    const rows = [10, 100, 5000].map((n) => ({ n, t: 3 * n ** 1.37 }));
    expect(growth(rows)).toBeCloseTo(1.37, 12);
    expect(growth(rows.slice(0, 1))).toBeNaN();
  });

  test("rows are appended below one head, and name no host", () => {
    const row = benchSteps(40, quick);
    const file = saveRows(root, [row], "2026-01-01");
    saveRows(root, [row, row], "2026-01-02");
    const lines = fs.readFileSync(file, "utf8").trim().split("\n");
    expect(lines).toHaveLength(4);
    expect(new Set(lines.map((line) => line.split(",").length)).size).toBe(1);
    expect(path.basename(file, ".csv")).toBe(machineName());
    expect(machineName()).not.toContain(os.hostname().toLowerCase());
    expect(stepTable([row, row]).split("\n")).toHaveLength(3);
    expect(growthLine([row, { ...row, points: 80 }])).toContain("step n^0.00");
  });

  test("isoplate bench prints a table, or a line of JSON per size", async () => {
    const args = ["bench", "--sizes", "30", "--step", "0.02", "--seconds", "0.01"];
    const table = await isoplate([...args, "--solver", "interactive"]);
    expect(table.code).toBe(0);
    expect(table.out).toMatch(/load [\d.]+ of \d+/);
    expect(table.out).toMatch(/^30 /m);
    expect(table.out).toMatch(/^contact: µs a point/m);
    const json = await isoplate([...args, "--solver", "accurate,interactive", "--json"]);
    const rows = json.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { solver: string });
    expect(rows.map((row) => row.solver)).toEqual(["accurate", "interactive"]);
    expect((await isoplate(["bench", "--sizes", "x"])).code).toBe(2);
    expect((await isoplate(["bench", "--against", root])).code).toBe(2);
  });
});
