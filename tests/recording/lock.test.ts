import { spawn, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { RecordingError } from "../../src/recording/container.ts";
import { isLockFile, lockFolder } from "../../src/recording/lock.ts";

let root = "";
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-lock-"));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));
const file = (): string => path.join(root, "lock");
const owner = (): Record<string, unknown> => JSON.parse(fs.readFileSync(file(), "utf8"));

/** The lock of somebody else, as this process would have written it but for the change. */
function leave(change: Record<string, unknown>, ageSeconds = 0): void {
  fs.rmSync(file(), { force: true });
  const lock = lockFolder(root);
  const text = JSON.stringify({ ...owner(), token: "other", ...change });
  lock.release();
  fs.writeFileSync(file(), text);
  const then = new Date(Date.now() - 1000 * ageSeconds);
  fs.utimesSync(file(), then, then);
}

describe("the lock of a recording", () => {
  test("keeps a second recorder out, in this process too, and is gone when released", () => {
    const lock = lockFolder(root);
    expect(owner().pid).toBe(process.pid);
    expect(() => lockFolder(root)).toThrow(RecordingError);
    expect(() => lockFolder(root)).toThrow(`process ${process.pid} is recording here`);
    lock.check();
    lock.release();
    expect(fs.readdirSync(root)).toEqual([]);
  });

  test("of a process that has ended, or of an earlier one of the same number, is taken over", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    leave({ pid });
    lockFolder(root).release();
    leave({ started: "1" });
    const lock = lockFolder(root);
    expect(owner().token).not.toBe("other");
    lock.release();
  });

  test("of a process that was killed but never asked about (a zombie) is taken over", async () => {
    // a shell that starts a child and becomes a program that never waits for it, as process 1 of a careless container
    const shell = spawn("bash", ["-c", "sleep 60 & echo $!; exec sleep 60"]);
    const pid = Number(await new Promise((resolve) => shell.stdout.once("data", resolve)));
    const pause = (): Promise<void> => new Promise((resume) => setTimeout(resume, 10));
    while (!fs.readFileSync(`/proc/${shell.pid}/comm`, "utf8").startsWith("sleep")) await pause();
    process.kill(pid, "SIGKILL");
    const stat = (): string => fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    while (!/\) Z /.test(stat())) await pause();
    const started = stat()
      .slice(stat().lastIndexOf(")") + 2)
      .split(" ")[19];
    leave({ pid, started });
    lockFolder(root).release();
    shell.kill("SIGKILL");
  });

  test("of another machine or container counts as long as it gives signs of life", () => {
    for (const change of [{ host: "elsewhere" }, { space: "another container" }]) {
      leave(change, 100);
      expect(() => lockFolder(root)).toThrow(/is recording here/);
      leave(change, 130);
      lockFolder(root).release();
    }
  });

  test("that is damaged is nobody's, unless it is so new that it may be half written", () => {
    for (const text of ["", "{", "null", '{"pid":"1"}']) {
      fs.writeFileSync(file(), text);
      expect(() => lockFolder(root)).toThrow(/somebody is recording here/);
      fs.utimesSync(file(), new Date(0), new Date(0));
      lockFolder(root).release();
    }
    expect(fs.readdirSync(root)).toEqual([]);
  });

  test("is taken over also where one died while it took it over", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    leave({ pid });
    fs.copyFileSync(file(), `${file()}-taken`);
    const lock = lockFolder(root);
    expect(owner().pid).toBe(process.pid);
    lock.release();
    expect(fs.readdirSync(root)).toEqual([]);
  });

  test("once taken by another is noticed before the next checkpoint, and not released by us", () => {
    const lock = lockFolder(root);
    fs.writeFileSync(file(), "theirs");
    expect(() => lock.check()).toThrow(/its lock was taken/);
    lock.release();
    expect(fs.readFileSync(file(), "utf8")).toBe("theirs");
  });

  test("is told from files that are named like it", () => {
    const token = crypto.randomUUID();
    const names = ["lock", "lock-taken", `lock.${token}`, `lock-taken.${token}`];
    expect(names.every(isLockFile)).toBe(true);
    expect(["locket.obj", "lock.obj", "padlock", "lock-taken.obj"].some(isLockFile)).toBe(false);
  });
});

test("a pipe or a folder in the place of the lock is told, not waited for", () => {
  spawnSync("mkfifo", [file()]);
  expect(() => lockFolder(root)).toThrow(/lock: is a pipe, needs a file/);
  fs.rmSync(file());
  fs.mkdirSync(file());
  expect(() => lockFolder(root)).toThrow(/lock: is a folder, needs a file/);
});
