/**
 * One writer per recording: a file `lock` in its folder that names the process which records there.
 *
 * The file appears by linking a finished one into place, so nobody sees half a lock and only one of two can make it. A lock
 * whose process is gone is taken over. Whether it is gone can be asked where both see the same processes (same machine, same
 * process namespace); its start time tells it from a later process of the same number. Of processes elsewhere (another
 * machine, a container) only the file's age is known: the owner renews it, and after SILENCE without a sign it counts as dead.
 * Ages are differences of two times that the file system itself gave, so clocks of two machines need not agree.
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { RecordingError } from "./format.ts";

/** ms between signs of life. */
const RENEWAL = 20_000;
/** ms without one after which an owner elsewhere counts as dead: six signs missed. */
const SILENCE = 120_000;

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

/** Whether a file of a recording's folder is its lock, or one on its way to be: nothing to copy. */
export function isLockFile(name: string): boolean {
  return name === LOCK_NAME || /^lock\.[0-9a-f-]{36}(-old)?$/.test(name);
}

/** Locks a folder for one recorder. @throws RecordingError that names the process which has it */
export function lockFolder(folder: string): FolderLock {
  const file = path.join(folder, LOCK_NAME);
  const owner = ownOwner();
  const text = `${JSON.stringify(owner)}\n`;
  const own = `${file}.${owner.token}`;
  fs.writeFileSync(own, text, { flag: "wx" });
  try {
    takeLock(file, own, folder);
  } finally {
    fs.rmSync(own, { force: true });
  }
  const renewal = setInterval(() => renew(file, text), RENEWAL);
  renewal.unref();
  const isOurs = (): boolean => readText(file) === text;
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

/** Links `own` to `file`; a dead owner's lock is moved away first. */
function takeLock(file: string, own: string, folder: string): void {
  for (let tries = 0; tries < 10; tries++) {
    if (linked(own, file)) return;
    const seen = readText(file);
    if (seen === null) continue; // just released
    const owner = parsed(seen);
    if (owner !== null && isAlive(owner, file, own))
      throw new RecordingError(`${folder}: ${named(owner)} is recording here; ${advice(file)}`);
    // moved, not deleted: two may find the same dead lock, and the later must not delete the earlier one's new lock
    const old = `${own}-old`;
    try {
      fs.renameSync(file, old);
    } catch {
      continue; // another was faster
    }
    if (readText(old) !== seen) linked(old, file);
    fs.rmSync(old, { force: true });
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
    const age =
      fs.statSync(fresh).mtimeMs - (fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return age < SILENCE;
  }
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return owner.started === startOf(owner.pid);
}

function renew(file: string, text: string): void {
  if (readText(file) !== text) return;
  try {
    // the same bytes again: the time of the change is then by the disk's clock, not by ours
    const fd = fs.openSync(file, "r+");
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

/** Field 22 of /proc/<pid>/stat; the name before it may hold blanks and brackets. */
function startOf(pid: number): string {
  const stat = readText(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
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

function named({ pid, host }: Owner): string {
  return host === os.hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
}

function advice(file: string): string {
  return `wait for it, stop it, or record into another folder (it holds ${file})`;
}

function readText(file: string): string | null {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
