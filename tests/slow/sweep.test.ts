/** Studies as people run them: the built program, real processes that are killed, a real Redis that is restarted. */
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { loadStudy, type Study } from "../../src/batch/study.ts";
import { runScene } from "../../src/recording/run.ts";
import { BUSY } from "./needs.ts";
import { builtProgram, freePort, type Running, redisServer, smallScene, until } from "./program.ts";

const program = builtProgram();
const { at, isoplate } = program;

/** Of the attempts in that folder one that has a checkpoint, of the run named. */
function checkpointed(running: string, run = ""): string | undefined {
  const attempts = fs.existsSync(running) ? fs.readdirSync(running) : [];
  return attempts.find(
    (name) => name.startsWith(run) && fs.existsSync(path.join(running, name, "checkpoint")),
  );
}

/** Simulated time, s, of a run that is broken off soon after its first checkpoint at 0.5 s. */
const LONG = 100;

/** Small sheets; number `long` takes so long that there is time to kill whoever is at it. */
function writeStudy(name: string, runs: number, long: number, seconds = LONG): Study {
  const list = Array.from({ length: runs }, (_, k) => ({
    seed: k,
    seconds: k === long ? seconds : 0.2,
  }));
  fs.writeFileSync(at("small.json"), JSON.stringify(smallScene(seconds, 0.5)));
  fs.writeFileSync(at(`${name}.json`), JSON.stringify({ name, scene: "small.json", list }));
  return loadStudy(at(`${name}.json`));
}

/** The rows of results.csv by run. */
function resultsOf(name: string): Map<string, Record<string, string>> {
  const [head, ...rows] = fs
    .readFileSync(at("out", name, "results.csv"), "utf8")
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
  const table = rows.map((row) => Object.fromEntries(row.map((cell, k) => [head[k], cell])));
  const byRun = new Map(table.map((row) => [row.run, row]));
  expect(byRun.size, "a run has two rows").toBe(rows.length);
  return byRun;
}

async function expectHashesOfRunsAlone(study: Study): Promise<void> {
  const results = resultsOf(study.name);
  expect([...results.keys()].sort()).toEqual(study.runs.map((run) => run.name).sort());
  for (const run of study.runs) {
    const row = results.get(run.name);
    expect(row?.status).toBe("done");
    expect(row?.hash, run.name).toBe((await runScene(run.scene)).hash);
  }
  expect(fs.readdirSync(at("out", study.name, "runs")).sort()).toEqual([...results.keys()].sort());
}

/** Lines that workers have said of a kind: run → how many. */
function said(kind: string, ...workers: Running[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const worker of workers)
    for (const [, run] of worker.said().matchAll(new RegExp(`^${kind} +([^\\s,:]+)`, "gm")))
      counts.set(run, (counts.get(run) ?? 0) + 1);
  return counts;
}

describe("sweep on a queue", BUSY, () => {
  test("50 runs, one of two workers killed, Redis restarted: 50 results, none twice, each with the hash of a run done alone", async () => {
    const server = await redisServer(program);
    // workers send what they have once a second, and the long run must still be on then
    const study = writeStudy("many", 50, 3, 100);
    const long = study.runs[3].name;
    const work = (): Running =>
      isoplate("worker", "--redis", server.url, "--jobs", "1", "--lock", "4");
    const workers = [work(), work()];
    const sweep = isoplate("sweep", "many.json", "--redis", server.url, "--out", at("out", "many"));

    // whoever is at the long run is killed, once its first checkpoint is with Redis
    await until(
      "a checkpoint",
      async () => (await server.client.keys(`isoplate:*:${long}:checkpoint`)).length > 0,
    );
    const begun = (worker: Running): boolean => worker.said().includes(`begun  ${long}`);
    await until("who is at it", () => workers.some(begun));
    const victim = workers.find(begun);
    expect(said("done", victim!).has(long)).toBe(false);
    victim!.child.kill("SIGKILL");
    const other = workers.find((worker) => worker !== victim)!;
    const fresh = work();

    await until("half of the results", () => said("done", ...workers, fresh).size >= 25);
    await server.restart();

    expect(await sweep.ended, sweep.said()).toBe(0);
    await expectHashesOfRunsAlone(study);
    const done = said("done", ...workers, fresh);
    expect([...done.values()].every((times) => times === 1)).toBe(true);
    // the long run was not begun anew
    expect(other.said() + fresh.said()).toMatch(new RegExp(`begun {2}${long}, from \\d+ %`));
    // and nothing is left in Redis
    expect(await server.client.keys("isoplate:*")).toEqual([]);

    other.child.kill("SIGTERM");
    fresh.child.kill("SIGTERM");
    expect(await other.ended).toBe(0);
    expect(await fresh.ended).toBe(0);
    await server.stop();
  });

  test("with a shared folder nothing but words goes through Redis, and a stopped worker puts its run back", async () => {
    const server = await redisServer(program);
    const study = writeStudy("shared", 6, 0);
    const long = study.runs[0].name;
    fs.mkdirSync(at("out"), { recursive: true });
    const args = ["--redis", server.url, "--folder", at("out"), "--jobs", "1", "--lock", "4"];
    const first = isoplate("worker", ...args);
    const sweep = isoplate("sweep", "shared.json", "--redis", server.url, "--no-page");
    const running = at("out", "shared", "running");
    await until("a checkpoint", () => checkpointed(running) !== undefined);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    expect(first.said()).toContain(`left   ${long}: put back`);
    expect(await server.client.keys("isoplate:*:parts")).toEqual([]);

    const second = isoplate("worker", ...args, "--idle", "3");
    expect(await sweep.ended, sweep.said()).toBe(0);
    expect(await second.ended).toBe(0);
    expect(second.said()).toMatch(new RegExp(`begun {2}${long}, from \\d+ %`));
    await expectHashesOfRunsAlone(study);
    await server.stop();
  });

  test("runs that wait for a worker say so once, and go on when one comes", async () => {
    const server = await redisServer(program);
    writeStudy("alone", 1, 0, 0.1);
    const sweep = isoplate("sweep", "alone.json", "--redis", server.url, "--no-page");
    await until("a word", () => sweep.said().includes("no worker listens yet"));
    const worker = isoplate("worker", "--redis", server.url, "--idle", "1");
    expect(await sweep.ended, sweep.said()).toBe(0);
    expect(sweep.said().match(/no worker listens/g)).toHaveLength(1);
    expect(await worker.ended).toBe(0);
    await server.stop();
  });

  test("no Redis there is bad input, told without the password", async () => {
    writeStudy("none", 1, 0, 0.1);
    const port = await freePort();
    const sweep = isoplate("sweep", "none.json", "--redis", `redis://me:secret@127.0.0.1:${port}`);
    expect(await sweep.ended).toBe(2);
    expect(sweep.said()).toContain(`127.0.0.1:${port}`);
    expect(sweep.said()).not.toContain("secret");
  });
});

describe("sweep on this machine", () => {
  test("killed with SIGKILL and started again, it keeps what is done and goes on from the checkpoint", async () => {
    const study = writeStudy("local", 5, 1);
    const long = study.runs[1].name;
    const args = ["sweep", "local.json", "--jobs", "2"];
    const killed = isoplate(...args);
    const runs = at("out", "local", "runs");
    const running = at("out", "local", "running");
    const attempt = (): string | undefined => checkpointed(running, long);
    await until(
      "a checkpoint and a result",
      () => attempt() !== undefined && fs.existsSync(runs) && fs.readdirSync(runs).length > 0,
    );
    killed.child.kill("SIGKILL");
    await killed.ended;
    const kept = fs.readdirSync(runs);
    const times = kept.map((name) => fs.statSync(path.join(runs, name, "summary.json")).mtimeMs);
    const seen = fs.statSync(path.join(running, attempt()!, "checkpoint")).mtimeMs;

    const again = isoplate(...args);
    await until("a fresh attempt", () => {
      const names = fs.existsSync(running) ? fs.readdirSync(running) : [];
      return names.length === 0 || names.filter((name) => name.startsWith(long)).length > 1;
    });
    expect(await again.ended, again.said()).toBe(0);
    await expectHashesOfRunsAlone(study);
    expect(kept.map((name) => fs.statSync(path.join(runs, name, "summary.json")).mtimeMs)).toEqual(
      times,
    );
    expect(fs.statSync(path.join(runs, long, "checkpoint")).mtimeMs).toBeGreaterThan(seen);
    // frames are not those of one run twice over, but those of a run done alone
    const rows = fs
      .readFileSync(path.join(runs, long, "metrics.csv"), "utf8")
      .trim()
      .split("\n");
    expect(rows).toHaveLength(1 + LONG * 20 + 1);
    expect(fs.existsSync(running)).toBe(false);
    expect(fs.readFileSync(at("out", "local", "study.html"), "utf8")).toContain("5 of 5 runs done");
  });

  test("broken off with SIGINT it says so and goes on; --part and --collect make the same table", async () => {
    const study = writeStudy("parts", 4, 0);
    const stopped = isoplate("sweep", "parts.json", "--jobs", "1", "--part", "1/2");
    const running = at("out", "parts", "running");
    await until("a checkpoint", () => checkpointed(running) !== undefined);
    stopped.child.kill("SIGINT");
    expect(await stopped.ended).toBe(1);
    expect(stopped.said()).toContain("go on with the same command");
    for (const part of ["1/2", "2/2"])
      expect(await isoplate("sweep", "parts.json", "--part", part).ended).toBe(0);
    const collect = isoplate("sweep", "parts.json", "--collect");
    expect(await collect.ended).toBe(0);
    await expectHashesOfRunsAlone(study);
  });
});
