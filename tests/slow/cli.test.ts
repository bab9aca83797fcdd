/** The command line as people get it: built, run as a process of its own, killed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readCheckpoint, readScene } from "../../src/recording/folder.ts";
import { builtFolder } from "./built.ts";

const main = path.join(builtFolder(), "cli", "main.js");
const root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-"));
const at = (...names: string[]): string => path.join(root, ...names);
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function start(args: readonly string[]): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...args], { cwd: root });
  let out = "";
  let err = "";
  child.stdout?.on("data", (text) => {
    out += text;
  });
  child.stderr?.on("data", (text) => {
    err += text;
  });
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (code) => resolve({ code, out, err })),
  );
  return { child, ended };
}

/** Waits for a file; a program that ends without it is an error, however long it took. */
async function appears(file: string, { child }: { child: ChildProcess }): Promise<void> {
  while (!fs.existsSync(file)) {
    if (child.exitCode !== null) throw new Error(`ended without ${file}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

const scene = [
  "pinned-cloth",
  "--set",
  "sheet.sampling.points=150",
  "--set",
  "record.checkpoint=0.1",
  "--json",
  "--no-report",
];
const hash = ({ out }: Ended): string => (JSON.parse(out) as { hash: string }).hash;

describe("isoplate, built", () => {
  test("killed with SIGKILL and resumed, broken off with SIGINT and resumed, or never disturbed: one hash", async () => {
    // both would take hours: whenever the signal comes, it comes in the middle
    const endless = [...scene, "--seconds", "1e5"];
    const killed = start(["run", ...endless, "--out", at("killed")]);
    await appears(at("killed", "checkpoint"), killed);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(fs.existsSync(at("killed", "summary.json"))).toBe(false);

    const stopped = start(["run", ...endless, "--out", at("stopped")]);
    await appears(at("stopped", "checkpoint"), stopped);
    stopped.child.kill("SIGINT");
    const { code, err } = await stopped.ended;
    expect(code).toBe(1);
    expect(err).toContain("--resume");

    // on to a time that neither has reached
    const steps = ["killed", "stopped"].map(
      (name) =>
        (readCheckpoint(at(name))!.head as unknown as { tally: { steps: number } }).tally.steps,
    );
    const h = readScene(at("killed")).h;
    const end = ["--seconds", (h * (Math.max(...steps) + 100)).toFixed(6), "--json", "--no-report"];
    const whole = await start(["run", ...scene, ...end, "--out", at("whole")]).ended;
    expect(whole.code).toBe(0);
    const revived = await start(["run", "--resume", at("killed"), ...end]).ended;
    expect(revived.code).toBe(0);
    expect(hash(revived)).toBe(hash(whole));
    const resumed = await start(["run", "--resume", at("stopped"), ...end]).ended;
    expect(hash(resumed)).toBe(hash(whole));
    for (const file of ["frames", "metrics.csv"])
      for (const folder of ["killed", "stopped"])
        expect(fs.readFileSync(at(folder, file)).equals(fs.readFileSync(at("whole", file)))).toBe(
          true,
        );
  });

  test("a run ends with pictures and a report that needs nothing else", async () => {
    const small = ["--seconds", "0.1", "--set", "sheet.sampling.points=100"];
    const { code, out } = await start(["run", "pinned-cloth", ...small]).ended;
    expect(code).toBe(0);
    expect(out).toContain(path.join("out", "pinned-cloth", "report.html"));
    const report = fs.readFileSync(at("out", "pinned-cloth", "report.html"), "utf8");
    expect(report).not.toMatch(/(src|href)="https?:/);
    expect(fs.readdirSync(at("out", "pinned-cloth", "pictures")).length).toBeGreaterThan(0);
  });

  test("films are drawn by several threads, in order: frame by frame they are the stills", async () => {
    const run = start(["run", ...scene, "--seconds", "0.3", "--out", "filmed"]);
    expect((await run.ended).code).toBe(0);
    const small = ["--size", "160x90", "--quiet"];
    expect((await start(["render", "filmed", "--out", "frames", ...small]).ended).code).toBe(0);
    const frames = fs.readdirSync(at("frames")).sort();
    expect(frames.length).toBe(10);
    for (const k of [0, 3, 6, 9]) {
      const still = ["render", "filmed", "--frame", String(k), "--out", `still-${k}.png`, ...small];
      expect((await start(still).ended).code).toBe(0);
      const same = fs
        .readFileSync(at(`still-${k}.png`))
        .equals(fs.readFileSync(at("frames", frames[k])));
      expect(same, `frame ${k}`).toBe(true);
    }
    expect(frames.map((name) => fs.readFileSync(at("frames", name)).length)).not.toContain(0);
  });

  test("bad input is exit code 2 for the shell too, and leaves nothing behind", async () => {
    const { code, err } = await start([
      "run",
      "pinned-cloth",
      "--set",
      "sheet.material.D=-1",
      "--out",
      at("bad"),
    ]).ended;
    expect(code).toBe(2);
    expect(err).toContain("sheet.material.D: got -1");
    expect(fs.existsSync(at("bad"))).toBe(false);
  });

  test("a reader that has had enough, as head has, is no error", () => {
    const command = `"${process.execPath}" "${main}" scenes --json | head -c 1; exit "\${PIPESTATUS[0]}"`;
    expect(execFileSync("bash", ["-c", command], { encoding: "utf8" })).toBe("[");
  });

  test("works through a link, as npx calls it", () => {
    const link = at("isoplate");
    fs.symlinkSync(main, link);
    expect(execFileSync(process.execPath, [link, "scenes"], { encoding: "utf8" })).toContain(
      "pinned-cloth",
    );
  });
});
