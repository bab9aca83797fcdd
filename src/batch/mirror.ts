/**
 * A run's folder in Redis, for workers that share no disk: what one has recorded, another goes on with.
 *
 *   <study>:<run>:owner        token of the attempt that may write
 *   <study>:<run>:parts        list; each part says which bytes go where in which file
 *   <study>:<run>:checkpoint   the state after the frames of all parts
 *   <study>:wanted             set: runs that a sweep still waits for
 *   <study>:done               hash: run → how it ended and where its recording is
 *   <study>:progress           hash: run → share of its steps
 *
 * A recording only grows, so a part is the frames and metrics since the last one, and goes in together with the
 * checkpoint that has seen them, in one script: what is there can always be resumed. A newer attempt takes the
 * token, and what the older one still sends is refused.
 *
 * Redis may restart and have lost its last second. The scripts know how many parts there should be; if there are
 * fewer, they answer with that number and the missing ones are sent again, if there are more, an answer got lost.
 *
 * A job can outlive its run: Redis went away between the run's end and the job's, or a sweep put it back just before it
 * learned of the end. So a run begins, sends and ends only while it is wanted; the sweep takes it off that list in the same
 * transaction in which it forgets it. Without the list such a job found neither an owner nor an end, and was run again.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { Redis } from "ioredis";
import { decodeCheckpoint } from "../recording/checkpoint-bytes.ts";
import { decodeFramesHeader, FRAMES_HEADER } from "../recording/format.ts";
import { isLockFile } from "../recording/lock.ts";
import { staysInside } from "./redis.ts";

const zipped = promisify(gzip);
const gunzipped = promisify(gunzip);
/** Bytes that a part may grow to: frames of PART, and the files of a scene. */
const MOST_UNPACKED = 2 ** 30;
const unzipped = (bytes: Buffer): Promise<Buffer> =>
  gunzipped(bytes, { maxOutputLength: MOST_UNPACKED });

/** s that anything of a study stays in Redis after its last sign of life: a week. */
const LIFE = 7 * 24 * 3600;
/** Bytes of frames in one part, before compression. */
const PART = 8 * 2 ** 20;

export interface Ended {
  status: "done" | "failed";
  message: string;
  /** In the folder that worker and sweep share, or here. */
  where: "folder" | "redis";
}

export interface StudyKeys {
  readonly wanted: string;
  readonly done: string;
  readonly progress: string;
  owner(run: string): string;
  parts(run: string): string;
  checkpoint(run: string): string;
  file(hash: string): string;
}

export function studyKeys(queue: string, study: string): StudyKeys {
  const of = (...names: string[]): string => ["isoplate", queue, study, ...names].join(":");
  return {
    wanted: of("wanted"),
    done: of("done"),
    progress: of("progress"),
    owner: (run) => of("run", run, "owner"),
    parts: (run) => of("run", run, "parts"),
    checkpoint: (run) => of("run", run, "checkpoint"),
    file: (hash) => of("file", hash),
  };
}

/** −1: the run belongs to another attempt, or is not wanted; n: so many parts are there. */
const PUSH = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return -1 end
if redis.call('SISMEMBER', KEYS[4], ARGV[6]) == 0 then return -1 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[5])
local n = redis.call('LLEN', KEYS[2])
if n == tonumber(ARGV[2]) then
  redis.call('RPUSH', KEYS[2], ARGV[3])
  if ARGV[4] ~= '' then redis.call('SET', KEYS[3], ARGV[4]) end
  n = n + 1
end
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('EXPIRE', KEYS[3], ARGV[5])
return n`;

/** The same; notes the end if all parts are there (or there are none to be: −1), and answers −2 if it is not yours. */
const FINISH = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return -2 end
if redis.call('SISMEMBER', KEYS[5], ARGV[3]) == 0 then return -2 end
local n = redis.call('LLEN', KEYS[2])
if tonumber(ARGV[2]) >= 0 and n ~= tonumber(ARGV[2]) then return n end
redis.call('HSET', KEYS[3], ARGV[3], ARGV[4])
redis.call('HDEL', KEYS[4], ARGV[3])
redis.call('EXPIRE', KEYS[3], ARGV[5])
return tonumber(ARGV[2])`;

/** Bytes of frames and metrics that are in Redis after a part. */
interface Reached {
  frames: number;
  metrics: number;
}

/** One attempt's hold on a run. */
export interface Hold {
  /** Sends what came since; false if the run belongs to another attempt now. */
  push(folder: string): Promise<boolean>;
  /** Notes the end, after all of `folder` is sent (null: it is in the shared folder). */
  finish(folder: string | null, ended: Ended): Promise<boolean>;
}

/**
 * Takes a run over, and writes what earlier attempts have sent into `folder` (null: the disk is shared).
 * The folder is not made if there is nothing to go on from.
 */
export async function takeRun(
  redis: Redis,
  keys: StudyKeys,
  run: string,
  token: string,
  folder: string | null,
): Promise<Hold> {
  const [owner, parts, state] = [keys.owner(run), keys.parts(run), keys.checkpoint(run)];
  await redis.set(owner, token, "EX", LIFE);
  let reached: Reached[] = [];
  if (folder !== null) {
    const checkpoint = await redis.getBuffer(state);
    if (checkpoint !== null) {
      reached = await fetchParts(redis, keys, run, folder);
      fs.writeFileSync(path.join(folder, "checkpoint"), await unzipped(checkpoint));
    } else await redis.del(parts);
  }

  const send = async (from: string, end: Contents): Promise<boolean> => {
    for (;;) {
      const sent = reached.at(-1) ?? { frames: 0, metrics: 0 };
      const first = reached.length === 0;
      const whole = end.frames <= sent.frames && end.metrics <= sent.metrics && !first;
      if (whole && !end.last) return true;
      const frames = Math.min(end.frames, sent.frames + PART);
      const complete = frames === end.frames;
      const metrics = complete ? end.metrics : sent.metrics;
      const pieces: Piece[] = first ? fixedFiles(from) : [];
      for (const [name, at, to] of [
        ["frames", sent.frames, frames],
        ["metrics.csv", sent.metrics, metrics],
      ] as const)
        if (to > at) pieces.push({ name, at, bytes: slice(from, name, at, to) });
      if (complete && end.last) pieces.push(...lastFiles(from));
      const packed = await pack(pieces);
      const checkpoint =
        complete && end.checkpoint ? await zipped(end.checkpoint, { level: 1 }) : "";
      const count = Number(
        await redis.eval(
          PUSH,
          4,
          owner,
          parts,
          state,
          keys.wanted,
          token,
          reached.length,
          packed,
          checkpoint,
          LIFE,
          run,
        ),
      );
      if (count < 0) return false;
      if (count > reached.length) reached.push({ frames, metrics });
      else {
        reached = reached.slice(0, count);
        continue;
      }
      if (complete) return true;
    }
  };

  return {
    async push(from) {
      const contents = contentsOf(from);
      return contents === null ? stillMine(redis, keys, run, token) : send(from, contents);
    },
    async finish(from, ended) {
      for (;;) {
        if (from !== null && !(await send(from, wholeOf(from)))) return false;
        const expected = from === null ? -1 : reached.length;
        const text = JSON.stringify(ended);
        const count = Number(
          await redis.eval(
            FINISH,
            5,
            owner,
            parts,
            keys.done,
            keys.progress,
            keys.wanted,
            token,
            expected,
            run,
            text,
            LIFE,
          ),
        );
        if (count === expected) return true;
        if (count < 0) return false;
        reached = reached.slice(0, count);
      }
    },
  };
}

async function stillMine(
  redis: Redis,
  keys: StudyKeys,
  run: string,
  token: string,
): Promise<boolean> {
  const now = await redis.get(keys.owner(run));
  return (now === null || now === token) && (await isWanted(redis, keys, run));
}

/** Whether a sweep waits for this run. */
export async function isWanted(redis: Redis, keys: StudyKeys, run: string): Promise<boolean> {
  return (await redis.sismember(keys.wanted, run)) === 1;
}

/** Notes that a sweep waits for these runs. */
export async function wantRuns(redis: Redis, keys: StudyKeys, runs: string[]): Promise<void> {
  if (runs.length === 0) return;
  await redis
    .multi()
    .sadd(keys.wanted, ...runs)
    .expire(keys.wanted, LIFE)
    .exec();
}

/** Writes all parts of a run into a folder. */
export async function fetchParts(
  redis: Redis,
  keys: StudyKeys,
  run: string,
  folder: string,
): Promise<Reached[]> {
  fs.mkdirSync(folder, { recursive: true });
  const reached: Reached[] = [];
  const size = { frames: 0, metrics: 0 };
  for (let k = 0; ; k++) {
    const part = await redis.lindexBuffer(keys.parts(run), k);
    if (part === null) return reached;
    for (const { name, at, bytes } of await unpack(part)) {
      const file = path.join(folder, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      const fd = fs.openSync(file, at === 0 ? "w" : "r+");
      try {
        fs.writeSync(fd, bytes, 0, bytes.length, at);
      } finally {
        fs.closeSync(fd);
      }
      if (name === "frames") size.frames = at + bytes.length;
      if (name === "metrics.csv") size.metrics = at + bytes.length;
    }
    reached.push({ ...size });
  }
}

/** Forgets everything about a run. */
export async function forgetRun(redis: Redis, keys: StudyKeys, run: string): Promise<void> {
  await redis
    .multi()
    .del(keys.owner(run), keys.parts(run), keys.checkpoint(run))
    .srem(keys.wanted, run)
    .hdel(keys.done, run)
    .hdel(keys.progress, run)
    .exec();
}

interface Contents extends Reached {
  checkpoint: Uint8Array | null;
  /** The run has ended. */
  last: boolean;
}

/** How much of a recording its checkpoint has seen; null if it has none. */
function contentsOf(folder: string): Contents | null {
  let checkpoint: Uint8Array;
  try {
    checkpoint = fs.readFileSync(path.join(folder, "checkpoint"));
  } catch {
    return null;
  }
  const { frames } = decodeCheckpoint(checkpoint).head as { frames: number };
  const layout = decodeFramesHeader(slice(folder, "frames", 0, FRAMES_HEADER));
  const lines = fs.readFileSync(path.join(folder, "metrics.csv"));
  let metrics = 0;
  for (let line = 0; line <= frames; line++) metrics = lines.indexOf(10, metrics) + 1;
  return { frames: FRAMES_HEADER + frames * layout.frameBytes, metrics, checkpoint, last: false };
}

/** All of it. */
function wholeOf(folder: string): Contents {
  const size = (name: string): number => {
    const file = path.join(folder, name);
    return fs.existsSync(file) ? fs.statSync(file).size : 0;
  };
  const file = path.join(folder, "checkpoint");
  const checkpoint = fs.existsSync(file) ? fs.readFileSync(file) : null;
  return { frames: size("frames"), metrics: size("metrics.csv"), checkpoint, last: true };
}

interface Piece {
  name: string;
  at: number;
  bytes: Uint8Array;
}

const GROWING = ["frames", "metrics.csv", "checkpoint"];
const LAST = ["summary.json", "failed.json", "certificate.json"];

/** What is written once, when a run begins: scene, sheet, meshes. */
function fixedFiles(folder: string): Piece[] {
  const names = fs.readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => !GROWING.includes(name) && !LAST.includes(name))
    .filter((name) => !isLockFile(name) && !name.endsWith(".tmp"))
    .filter((name) => fs.statSync(path.join(folder, name)).isFile())
    .map((name) => ({ name, at: 0, bytes: fs.readFileSync(path.join(folder, name)) }));
}

function lastFiles(folder: string): Piece[] {
  return [...LAST, "checkpoint"]
    .filter((name) => fs.existsSync(path.join(folder, name)))
    .map((name) => ({ name, at: 0, bytes: fs.readFileSync(path.join(folder, name)) }));
}

function slice(folder: string, name: string, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, to - from));
  if (bytes.length === 0) return bytes;
  const fd = fs.openSync(path.join(folder, name), "r");
  try {
    const read = fs.readSync(fd, bytes, 0, bytes.length, from);
    if (read < bytes.length)
      throw new Error(`${name} of ${folder} ends at ${from + read}, not ${to}`);
    return bytes;
  } finally {
    fs.closeSync(fd);
  }
}

/** A line of JSON, then the bytes one after another. */
async function pack(pieces: readonly Piece[]): Promise<Buffer> {
  const head = pieces.map(({ name, at, bytes }) => ({ name, at, length: bytes.length }));
  const line = Buffer.from(`${JSON.stringify(head)}\n`);
  return zipped(Buffer.concat([line, ...pieces.map(({ bytes }) => bytes)]), { level: 1 });
}

async function unpack(part: Buffer): Promise<Piece[]> {
  const all = await unzipped(part);
  const end = all.indexOf(10);
  const head = JSON.parse(all.subarray(0, end).toString()) as {
    name: string;
    at: number;
    length: number;
  }[];
  let at = end + 1;
  return head.map(({ name, at: place, length }) => {
    // names come over the network: they stay inside the folder
    if (!staysInside(name) || !Number.isSafeInteger(place) || place < 0)
      throw new Error(`a part names byte ${place} of the file ${JSON.stringify(name)}`);
    const bytes = all.subarray(at, at + length);
    at += length;
    return { name, at: place, bytes };
  });
}
