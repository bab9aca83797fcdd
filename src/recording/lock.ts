/**
 * One writer per recording: a file `lock` in its folder that names the process which records there.
 *
 * The file appears by linking a finished one into place, so nobody sees half a lock and only one of two can make it. A lock
 * whose process is gone is taken over: the new one is renamed over it, so that the folder is never seen without a lock between
 * two owners. Only one may do that at a time, the one that holds `lock-taken`, a lock by the same rules. Whether a process is
 * gone can be asked where both see the same processes (same machine, same process namespace); its start time tells it from a
 * later process of the same number. Of processes elsewhere (another machine, a container) only the file's age is known: the
 * owner renews it, and after SILENCE without a sign it counts as dead.
 * Ages are differences of two times that the file system itself gave, so clocks of two machines need not agree.
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { RecordingError } from "./container.ts";
import { openOwnFile, readRegularText } from "./regular-file.ts";

/** ms between signs of life. */
const RENEWAL = 20_000;
/** ms without one after which an owner elsewhere counts as dead: six signs missed. */
const SILENCE = 120_000;
/** ms that a copy of some hundred bytes may take. */
const COPYING = 2000;

/** Who records, as the lock names it. */
interface Owner {
  pid: number;
  host: string;
  /** The set of processes in which `pid` means something: the running kernel and its process namespace. */
  space: string;
  /** When the process started, in the kernel's ticks; empty where the system does not tell. */
  started: string;
  /** Tells two recorders of one process apart. */
  token: string;
}

export interface FolderLock {
  /** @throws RecordingError if somebody else has taken the lock meanwhile */
  check(): void;
  release(): void;
}

/** Name of the file in a recording's folder. */
const LOCK_NAME = "lock";

/** Whether a file of a recording's folder is its lock or a temporary file of it, which is not copied. */
export function isLockFile(name: string): boolean {
  return /^lock(-taken)*(\.[0-9a-f-]{36})?$/.test(name);
}

/** Locks a folder for one recorder. @throws RecordingError that names the process which has it */
export function lockFolder(folder: string): FolderLock {
  const file = path.join(folder, LOCK_NAME);
  const owner = ownOwner();
  const text = `${JSON.stringify(owner)}\n`;
  takeLock(file, text, owner.token, folder);
  const renewal = setInterval(() => renew(file, text), RENEWAL);
  renewal.unref();
  const isOurs = (): boolean => readLock(file) === text;
  return {
    check() {
      if (!isOurs()) throw new RecordingError(`${folder}: its lock was taken; ${advice(file)}`);
    },
    release() {
      clearInterval(renewal);
      if (isOurs()) fs.rmSync(file, { force: true });
    },
  };
}

/** Makes `file` with this text. @throws RecordingError if a living process has it */
function takeLock(file: string, text: string, token: string, folder: string): void {
  const own = `${file}.${token}`;
  try {
    fs.writeFileSync(own, text, { flag: "wx" });
    for (let tries = 0; tries < 10; tries++) {
      if (linked(own, file)) return;
      const seen = readLock(file);
      if (seen === null) continue; // just released
      const owner = parsed(seen);
      if (owner === null ? isYoung(file, own) : isAlive(owner, file, own))
        throw new RecordingError(`${folder}: ${named(owner)} is recording here; ${advice(file)}`);
      const guard = `${file}-taken`;
      takeLock(guard, text, token, folder);
      try {
        // two may have found the same dead lock; the later must not replace the earlier one's
        if (readLock(file) === seen) {
          fs.renameSync(own, file);
          return;
        }
      } finally {
        if (readLock(guard) === text) fs.rmSync(guard, { force: true });
      }
    }
  } finally {
    fs.rmSync(own, { force: true });
  }
  throw new RecordingError(`${folder}: its lock changes hands all the time; ${advice(file)}`);
}

/** Gives a file a second name unless that is taken; where a disk knows no links, by a copy. */
function linked(from: string, to: string): boolean {
  const refused = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "";
  try {
    try {
      fs.linkSync(from, to);
    } catch (error) {
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(refused(error))) throw error;
      fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL);
    }
    return true;
  } catch (error) {
    if (refused(error) === "EEXIST") return false;
    throw error;
  }
}

function isAlive(owner: Owner, file: string, fresh: string): boolean {
  const here = ownOwner();
  if (owner.host !== here.host || owner.space !== here.space) {
    return ageOf(file, fresh) < SILENCE;
  }
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return owner.started === startOf(owner.pid);
}

/** Whether a lock that names no process may still be being written: a disk without links copies it, which others can see half done. */
function isYoung(file: string, fresh: string): boolean {
  return ageOf(file, fresh) < COPYING;
}

/** ms since a file was written, by the clock that dated `fresh` just now. */
function ageOf(file: string, fresh: string): number {
  return fs.statSync(fresh).mtimeMs - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
}

function renew(file: string, text: string): void {
  try {
    if (readLock(file) !== text) return;
    // the same bytes again: the time of the change is then by the disk's clock, not by ours
    const fd = openOwnFile(file);
    fs.writeSync(fd, text);
    fs.closeSync(fd);
  } catch {
    // the folder is gone or the disk is away: the next write of the recording will tell
  }
}

function ownOwner(): Owner {
  const { pid } = process;
  const boot = readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  let space = "";
  try {
    space = fs.readlinkSync("/proc/self/ns/pid");
  } catch {
    // a system without namespaces has one
  }
  const token = crypto.randomUUID();
  return { pid, host: os.hostname(), space: `${boot} ${space}`, started: startOf(pid), token };
}

/**
 * Field 22 of /proc/<pid>/stat; the name before it may hold blanks and brackets. A process that has ended but that nobody has
 * asked about (Z: in containers whose process 1 asks about none) has no start any more.
 */
function startOf(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  return fields[0] === "Z" || fields[0] === "X" ? "ended" : (fields[19] ?? "");
}

function parsed(text: string): Owner | null {
  try {
    const { pid, host, space, started, token } = JSON.parse(text) as Record<string, unknown>;
    const words = [host, space, started, token];
    if (!Number.isInteger(pid) || words.some((word) => typeof word !== "string")) return null;
    return { pid, host, space, started, token } as Owner;
  } catch {
    return null;
  }
}

function named(owner: Owner | null): string {
  if (owner === null) return "somebody";
  const { pid, host } = owner;
  return host === os.hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
}

function advice(file: string): string {
  return `wait for it, stop it, or record into another folder (it holds ${file})`;
}

/** What a lock says, null if there is none. @throws UnreadableFileError where a pipe or a folder has its name */
function readLock(file: string): string | null {
  try {
    return readRegularText(file, 2 ** 16);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** A file of the system, which has no size beforehand. */
function readText(file: string): string | null {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
