/** Others on the machine: a second process in the same folder, hostile jobs on the queue, a Redis that is not there. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { Queue } from "bullmq";
import { describe, expect, test } from "vitest";
import { studyKeys } from "../../src/batch/mirror.ts";
import { jobId, queueName, studyId } from "../../src/batch/redis.ts";
import { loadStudy } from "../../src/batch/study.ts";
import { sceneInput } from "../../src/scene/write.ts";
import { BUSY } from "./needs.ts";
import { builtProgram, freePort, redisServer, smallScene, until } from "./program.ts";

const program = builtProgram();
const { at, isoplate } = program;

describe("two processes and one folder", () => {
  test("the second gets exit 2 and a sentence, the first is not disturbed; a killed one's lock is taken over", async () => {
    fs.writeFileSync(at("small.json"), JSON.stringify(smallScene(1e5)));
    const run = ["run", "small.json", "--out", "rec", "--quiet", "--no-report"];
    const first = isoplate(...run);
    await until("a checkpoint", () => fs.existsSync(at("rec", "checkpoint")));
    const size = (): number => fs.statSync(at("rec", "frames")).size;
    for (const args of [run, ["run", "--resume", "rec"]]) {
      const second = isoplate(...args);
      expect(await second.ended).toBe(2);
      expect(second.said()).toContain(`rec: process ${first.child.pid} is recording here`);
    }
    const before = size();
    await until("more frames", () => size() > before);
    first.child.kill("SIGKILL");
    await first.ended;

    expect(fs.existsSync(at("rec", "lock"))).toBe(true);
    const third = isoplate("run", "--resume", "rec", "--quiet", "--no-report");
    await until("frames of the third", () => {
      const lock = fs.readFileSync(at("rec", "lock"), "utf8");
      return lock.includes(`"pid":${third.child.pid}`);
    });
    third.child.kill("SIGINT");
    expect(await third.ended).toBe(1);
    expect(fs.readdirSync(at("rec")).filter((name) => name.startsWith("lock"))).toEqual([]);
  });
});

test("of six that find a dead one's lock one gets it, and at no moment is there none", async () => {
  const module = pathToFileURL(path.join(path.dirname(program.main), "../recording/lock.js")).href;
  const script = `
    import { lockFolder } from ${JSON.stringify(module)};
    while (Date.now() < Number(process.argv[2])) ; // all at once
    try { lockFolder(process.argv[1]); console.log("mine"); setTimeout(() => undefined, 60_000); }
    catch (error) { console.log(error.message); }`;
  const start = (folder: string, time: number): ReturnType<typeof program.start> => {
    const args = ["--input-type=module", "-e", script, folder, String(time)];
    return program.start(process.execPath, args);
  };
  for (let round = 0; round < 3; round++) {
    const folder = at(`raced-${round}`);
    fs.mkdirSync(folder);
    const dead = start(folder, 0);
    await until("the lock", () => dead.said().includes("mine"));
    dead.child.kill("SIGKILL");
    await dead.ended;
    const time = Date.now() + 1500;
    const six = Array.from({ length: 6 }, () => start(folder, time));
    let looked = 0;
    await until("all have answered", () => {
      for (let k = 0; k < 500; k++, looked++)
        if (!fs.existsSync(path.join(folder, "lock"))) throw new Error("no lock");
      return six.every(({ said }) => said() !== "");
    });
    expect(looked).toBeGreaterThan(500);
    expect(six.filter(({ said }) => said() === "mine\n")).toHaveLength(1);
    expect(six.filter(({ said }) => said().includes("is recording here"))).toHaveLength(5);
    expect(fs.readdirSync(folder)).toEqual(["lock"]);
    for (const { child } of six) child.kill("SIGKILL");
  }
});

describe("a queue that anybody can write to", BUSY, () => {
  test("a job whose names lead out of the worker's folder fails, and a stranger's folder stays as it is", async () => {
    const { url, client } = await redisServer(program);
    fs.mkdirSync(at("shared"));
    fs.mkdirSync(at("stranger", "runs", "r"), { recursive: true });
    fs.writeFileSync(at("stranger", "runs", "r", "diary"), "mine");
    const worker = isoplate("worker", "--redis", url, "--folder", at("shared"), "--jobs", "1");
    const queue = new Queue(queueName("runs"), { connection: client });
    queue.on("error", () => undefined); // its Redis ends with the test
    const scene = smallScene(0.02);
    const good = { study: "s", folder: "f", run: "r", scene, files: {} };
    const bad = [
      { ...good, run: "../../../stranger" },
      { ...good, run: "../../../stranger/runs/r" },
      { ...good, folder: "../stranger" },
      { ...good, folder: at("stranger") },
      { ...good, study: "a/../../b" },
      { ...good, files: { "../../stranger/runs/r/diary": "0".repeat(64) } },
      { ...good, run: 7 },
      null,
    ];
    // a sweep seems to wait for each of them, so that nothing but their names is in the way
    for (const job of bad)
      if (job !== null)
        await client.sadd(studyKeys(queueName("runs"), String(job.study)).wanted, String(job.run));
    for (const job of bad) await queue.add("bad", job as object);
    await until("all refused", async () => (await queue.getFailedCount()) === bad.length);
    expect(worker.said().match(/trouble: .*the job/g)).toHaveLength(bad.length);
    expect(fs.readdirSync(at("stranger"))).toEqual(["runs"]);
    expect(fs.readdirSync(at("stranger", "runs", "r"))).toEqual(["diary"]);
    expect(fs.readdirSync(at("shared"))).toEqual([]);
    worker.child.kill("SIGTERM");
    expect(await worker.ended).toBe(0);
    await queue.close();
    client.disconnect();
  });

  test("a pipe that a scene names is refused by the sweep that would send it", async () => {
    const { url, client } = await redisServer(program);
    const scene = { ...smallScene(0.02), colliders: [{ body: { type: "mesh", file: "a.obj" } }] };
    fs.writeFileSync(at("small.json"), JSON.stringify(scene));
    fs.writeFileSync(at("s.json"), JSON.stringify({ scene: "small.json", list: [{ seed: 1 }] }));
    execFileSync("mkfifo", [at("a.obj")]);
    const sweep = isoplate("sweep", "s.json", "--redis", url, "--quiet");
    expect(await sweep.ended, sweep.said()).toBe(2);
    expect(sweep.said()).toContain("a.obj: is a pipe, needs a file");
    client.disconnect();
  });

  test("a job that outlives its run is not run again: its sweep has the result", async () => {
    // What happened when Redis restarted: the run had ended and the sweep had taken its result, but the job was still on
    // the queue (its end had not reached Redis, or the sweep had put it back a moment before).
    const { url, client } = await redisServer(program);
    fs.writeFileSync(at("small.json"), JSON.stringify(smallScene(1)));
    const list = [{ seconds: 0.1 }, { seconds: 1e4 }];
    fs.writeFileSync(at("two.json"), JSON.stringify({ scene: "small.json", list }));
    const study = loadStudy(at("two.json"));
    const [short] = study.runs;
    const shared = ["--folder", at("out")];
    fs.mkdirSync(at("out"));
    const worker = isoplate("worker", "--redis", url, "--jobs", "2", ...shared);
    const sweep = isoplate("sweep", "two.json", "--redis", url, "--out", at("out", "two"));
    const id = studyId(
      study.name,
      study.runs.map(({ scene }) => sceneInput(scene)),
    );
    const keys = studyKeys(queueName("runs"), id);
    await until("the short run is done", () => worker.said().includes(`done   ${short.name}`));
    await until(
      "and collected",
      async () => (await client.sismember(keys.wanted, short.name)) === 0,
    );
    const queue = new Queue(queueName("runs"), { connection: client });
    queue.on("error", () => undefined); // its Redis ends with the test
    const data = {
      study: id,
      folder: "two",
      run: short.name,
      scene: sceneInput(short.scene),
      files: {},
    };
    await queue.add(short.name, data, { jobId: jobId(id, short.name), removeOnComplete: true });
    await until("it is dropped", () => worker.said().includes(`left   ${short.name}`));
    expect(worker.said().split(`done   ${short.name}`)).toHaveLength(2);
    expect(worker.said().split(`begun  ${short.name}`)).toHaveLength(2);
    sweep.child.kill("SIGINT");
    await sweep.ended;
    await queue.close();
    client.disconnect();
  });

  test("a Redis that is not there is told by name and address, whichever way it is named", async () => {
    const port = await freePort();
    for (const [url, words] of [
      [`redis://localhost:${port}`, [`localhost:${port}`, "nobody listens", "127.0.0.1"]],
      [`redis://127.0.0.1:${port}`, [`127.0.0.1:${port}`, "nobody listens"]],
      ["redis://no-such-machine.invalid:6379", ["no-such-machine.invalid", "no machine"]],
    ] as const) {
      const worker = isoplate("worker", "--redis", url);
      expect(await worker.ended).toBe(2);
      for (const word of words) expect(worker.said()).toContain(word);
    }
  });
});
