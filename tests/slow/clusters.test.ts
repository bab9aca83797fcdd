/** Clusters: real signals to a shell that is process 1 of its own namespace, and disks that are really full. */
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { verifyFolder } from "../../src/node/verify-folder.ts";
import { openRecording } from "../../src/recording/folder.ts";
import { needs } from "./needs.ts";
import { builtProgram, type Running, smallScene, until } from "./program.ts";

const program = builtProgram();
const { at, isoplate } = program;

/** Runs a command as process 1 of a namespace of its own, as containers do; gives its process number out here. */
async function asFirst(command: readonly string[]): Promise<{ run: Running; pid: number }> {
  const unshare = needs("unshare", "util-linux");
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const run = program.start(unshare, [...user, "--pid", "--fork", "--mount-proc", ...command]);
  const children = (): string => {
    const task = `/proc/${run.child.pid}/task/${run.child.pid}/children`;
    return fs.existsSync(task) ? fs.readFileSync(task, "utf8").trim() : "";
  };
  await until("process 1", () => children() !== "");
  return { run, pid: Number(children().split(" ")[0]) };
}

function writeStudy(seconds: number): void {
  fs.writeFileSync(at("small.json"), JSON.stringify(smallScene(seconds)));
  const study = { name: "parts", scene: "small.json", list: [{ seed: 1 }] };
  fs.writeFileSync(at("parts.json"), JSON.stringify(study));
}

const checkpointIn = (out: string): boolean => {
  const running = path.join(out, "running");
  const attempts = fs.existsSync(running) ? fs.readdirSync(running) : [];
  return attempts.some((name) => fs.existsSync(path.join(running, name, "checkpoint")));
};

describe("SIGTERM, as schedulers send it", () => {
  test("Slurm's script hands it on, waits for the checkpoint and queues the part again", async () => {
    writeStudy(1e5);
    const printed = isoplate("sweep", "parts.json", "--out", at("out"), "--print", "slurm");
    expect(await printed.ended).toBe(0);
    fs.writeFileSync(at("parts.sbatch"), printed.said());
    fs.mkdirSync(at("bin"));
    fs.writeFileSync(at("bin", "scontrol"), `#!/bin/sh\necho "$@" >> ${at("requeued")}\n`, {
      mode: 0o755,
    });
    const environment = [
      `PATH=${at("bin")}:${path.dirname(process.execPath)}:${process.env.PATH}`,
      "SLURM_ARRAY_TASK_ID=1",
      "SLURM_JOB_ID=4711",
      `SLURM_SUBMIT_DIR=${at()}`,
    ];
    const { run, pid } = await asFirst(["env", ...environment, "bash", at("parts.sbatch")]);
    await until("a checkpoint", () => checkpointIn(at("out")));
    process.kill(pid, "SIGTERM");
    expect(await run.ended, run.said()).toBe(1);
    expect(run.said()).toContain("go on with the same command");
    expect(fs.readFileSync(at("requeued"), "utf8")).toBe("requeue 4711\n");
    expect(checkpointIn(at("out"))).toBe(true);
  });

  test("Kubernetes' command: the program takes the shell's place as process 1 and stops in order", async () => {
    writeStudy(1e5);
    const printed = isoplate("sweep", "parts.json", "--print", "kubernetes");
    expect(await printed.ended).toBe(0);
    const [, job] = parseAllDocuments(printed.said()).map((document) => document.toJS());
    const { command, args } = job.spec.template.spec.containers[0];
    // installed as the Containerfile does: a link on the path to a script that names its interpreter
    fs.mkdirSync(at("bin"));
    fs.symlinkSync(program.main, at("bin", "isoplate"));
    fs.chmodSync(program.main, 0o755);
    const line = String(args[0])
      .replaceAll("/study/", `${at()}/`)
      .replaceAll("/results/", `${at("results")}/`);
    expect(line).toMatch(/^exec isoplate /);
    const { run, pid } = await asFirst([
      "env",
      `PATH=${at("bin")}:${path.dirname(process.execPath)}:${process.env.PATH}`,
      "JOB_COMPLETION_INDEX=0",
      ...command,
      line,
    ]);
    await until("a checkpoint", () => checkpointIn(at("results", "parts")));
    expect(fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")).toMatch(/^node\0.*isoplate\0sweep/);
    process.kill(pid, "SIGTERM");
    expect(await run.ended, run.said()).toBe(1);
    expect(run.said()).toContain("go on with the same command");
    expect(checkpointIn(at("results", "parts"))).toBe(true);
  });
});

/** A disk of so many kB, for the time of a test. */
async function onDisk<T>(
  kilobytes: number,
  work: (disk: string, grow: () => void) => Promise<T>,
): Promise<T> {
  const disk = at("disk");
  fs.mkdirSync(disk);
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  const call = (...words: string[]): void => {
    const [first, ...rest] = [...sudo, ...words];
    execFileSync(first, rest);
  };
  call("mount", "-t", "tmpfs", "-o", `size=${kilobytes}k,mode=777`, "tmpfs", disk);
  try {
    return await work(disk, () => call("mount", "-o", "remount,size=64m", disk));
  } finally {
    call("umount", "-l", disk);
  }
}

describe("a full disk", () => {
  const quiet = ["--quiet", "--no-report"];

  test("in the middle of a run: a clear error, what was recorded stays readable, and --resume goes on when there is room", async () => {
    fs.writeFileSync(at("small.json"), JSON.stringify(smallScene(10)));
    await onDisk(160, async (disk, grow) => {
      const out = path.join(disk, "rec");
      const run = isoplate("run", "small.json", "--out", out, ...quiet);
      expect(await run.ended, run.said()).toBe(1);
      expect(run.said()).toContain("the disk is full; what was recorded stays");
      expect(run.said()).toContain(`isoplate run --resume ${out}`);
      const half = openRecording(out);
      expect(half.frames).toBeGreaterThan(10);
      expect(half.summary).toBeNull();
      for (let k = 0; k < half.frames; k++)
        expect(half.positions(k).every(Number.isFinite)).toBe(true);
      half.close();
      expect(fs.readdirSync(out).filter((name) => /tmp|lock/.test(name))).toEqual([]);
      grow();
      const resumed = isoplate("run", "--resume", out, ...quiet);
      expect(await resumed.ended, resumed.said()).toBe(0);
      expect(verifyFolder(out).faults).toEqual([]);
      const whole = isoplate("run", "small.json", "--out", at("whole"), ...quiet);
      expect(await whole.ended).toBe(0);
      for (const name of ["frames", "metrics.csv"])
        expect(
          fs.readFileSync(path.join(out, name)).equals(fs.readFileSync(at("whole", name))),
        ).toBe(true);
    });
  });

  test("in the middle of an export: a clear error, no half file, and the recording is as it was", async () => {
    fs.writeFileSync(at("small.json"), JSON.stringify(smallScene(3)));
    expect(await isoplate("run", "small.json", "--out", "rec", ...quiet).ended).toBe(0);
    await onDisk(20, async (disk, grow) => {
      const args = ["export", "rec", "--format", "obj", "--out", disk, "--quiet"];
      const failed = isoplate(...args);
      expect(await failed.ended).toBe(1);
      expect(failed.said()).toContain("the disk is full");
      const files = fs.readdirSync(disk);
      expect(files.filter((name) => !name.endsWith(".obj"))).toEqual([]);
      expect(files.length).toBeGreaterThan(0);
      for (const name of files)
        expect(fs.readFileSync(path.join(disk, name), "utf8").trimEnd()).toMatch(/f \S+ \S+ \S+$/);
      grow();
      expect(await isoplate(...args).ended).toBe(0);
      expect(fs.readdirSync(disk)).toHaveLength(61);
    });
  });

  test("in the middle of a sweep: the runs that failed are told, and the same command goes on when there is room", async () => {
    fs.writeFileSync(at("small.json"), JSON.stringify(smallScene(4)));
    const list = [1, 2, 3, 4].map((seed) => ({ seed }));
    fs.writeFileSync(at("s.json"), JSON.stringify({ name: "s", scene: "small.json", list }));
    await onDisk(280, async (disk, grow) => {
      const args = [
        "sweep",
        "s.json",
        "--out",
        path.join(disk, "s"),
        "--jobs",
        "1",
        "--no-page",
        "--quiet",
      ];
      const failed = isoplate(...args);
      expect(await failed.ended, failed.said()).toBe(1);
      expect(failed.said()).toMatch(/disk is full|ENOSPC/);
      grow();
      const again = isoplate(...args);
      expect(await again.ended, again.said()).toBe(0);
      const runs = fs.readdirSync(path.join(disk, "s", "runs"));
      expect(runs).toHaveLength(4);
      for (const run of runs)
        expect(verifyFolder(path.join(disk, "s", "runs", run)).faults, run).toEqual([]);
    });
  });
});

describe("readers beside a writer that is killed", () => {
  test("20 kills while two readers export the same recording: every frame that was there stays, to the bit", async () => {
    fs.writeFileSync(at("small.json"), JSON.stringify(smallScene(1e5)));
    const seen: Buffer[] = [];
    let stop = false;
    const read = async (format: string): Promise<number> => {
      let exports = 0;
      while (!stop) {
        const out = ["--out", at(format), "--to", "5", "--quiet"];
        const code = fs.existsSync(at("rec", "checkpoint"))
          ? await isoplate("export", "rec", "--format", format, ...out).ended
          : 2;
        if (code === 0) exports++;
        else await new Promise((resume) => setTimeout(resume, 20));
      }
      return exports;
    };
    const readers = [read("pc2"), read("csv")];
    for (let kill = 0; kill < 20; kill++) {
      const args = kill === 0 ? ["small.json", "--out", "rec"] : ["--resume", "rec"];
      const run = isoplate("run", ...args, ...["--quiet", "--no-report"]);
      const before = kill === 0 ? 0 : fs.statSync(at("rec", "frames")).mtimeMs;
      const size = seen.at(-1)?.length ?? 0;
      await until("new frames and a checkpoint", () => {
        const frames = at("rec", "frames");
        if (!fs.existsSync(at("rec", "checkpoint"))) return false;
        return fs.statSync(frames).mtimeMs > before && fs.statSync(frames).size > size;
      });
      run.child.kill("SIGKILL");
      await run.ended;
      seen.push(fs.readFileSync(at("rec", "frames")));
    }
    stop = true;
    const exported = await Promise.all(readers);
    expect(Math.min(...exported)).toBeGreaterThan(0);
    const last = seen.at(-1)!;
    const { layout } = openRecording(at("rec"));
    for (const frames of seen) {
      const whole = 64 + layout.frameBytes * Math.floor((frames.length - 64) / layout.frameBytes);
      const common = Math.min(whole, last.length);
      expect(frames.subarray(0, common).equals(last.subarray(0, common))).toBe(true);
    }
    const { faults } = verifyFolder(at("rec"));
    // the last kill may have torn a frame, or parted it from its line
    expect(faults.filter((fault) => !/cut short|lines in metrics/.test(fault))).toEqual([]);
  });
});
