/** The built program as a process of its own, for tests that kill it, fill its disk or run two of it. */
import { type ChildProcess, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { Redis } from "ioredis";
import { afterEach, beforeEach } from "vitest";
import { builtFolder } from "./built.ts";
import { needs } from "./needs.ts";

export interface Running {
  child: ChildProcess;
  /** Both of its outputs so far. */
  said(): string;
  ended: Promise<number | null>;
}

export interface Program {
  /** The script of the command line. */
  readonly main: string;
  /** A path in a folder of the test's own. */
  at(...names: string[]): string;
  start(program: string, args: readonly string[], options?: { cwd?: string }): Running;
  isoplate(...args: string[]): Running;
}

/** The program for the tests of a file; each test gets an empty folder, and leaves no process behind. */
export function builtProgram(): Program {
  const main = path.join(builtFolder(), "cli", "main.js");
  const alive = new Set<Running>();
  let root = "";
  beforeEach(() => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-test-"));
  });
  afterEach(async () => {
    for (const { child, ended } of alive) {
      child.kill("SIGKILL");
      await ended;
    }
    fs.rmSync(root, { recursive: true, force: true });
  });

  const start: Program["start"] = (program, args, { cwd = root } = {}) => {
    const child = spawn(program, args, { cwd });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => {
        said += text;
      });
    const ended = new Promise<number | null>((resolve) =>
      child.on("close", (code) => {
        alive.delete(running);
        resolve(code);
      }),
    );
    const running: Running = { child, said: () => said, ended };
    alive.add(running);
    return running;
  };
  return {
    main,
    at: (...names) => path.join(root, ...names),
    start,
    isoplate: (...args) => start(process.execPath, [main, ...args]),
  };
}

/** Waits until it is so; says what it waited for if it never is. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 240_000; Date.now() < end; ) {
    if (await holds()) return;
    await new Promise((resume) => setTimeout(resume, 20));
  }
  throw new Error(`waited in vain: ${what}`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

export interface Server {
  url: string;
  port: number;
  client: Redis;
  /** Ends it and starts it again with what it had written down. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A Redis of the test's own. */
export async function redisServer(program: Program): Promise<Server> {
  const port = await freePort();
  const folder = program.at("redis");
  fs.mkdirSync(folder, { recursive: true });
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
  const begin = (): Running =>
    program.start(needs("redis-server", "redis-server"), [...args, "--appendonly", "yes"]);
  let server = begin();
  const client = new Redis(port, "127.0.0.1", { maxRetriesPerRequest: null });
  client.on("error", () => undefined);
  await client.ping();
  const halt = async (): Promise<void> => {
    server.child.kill("SIGTERM");
    await server.ended;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    async restart() {
      await halt();
      server = begin();
      await client.ping();
    },
    async stop() {
      client.disconnect();
      await halt();
    },
  };
}

/** A scene of 40 points that lasts so many seconds; frames at 20/s, a checkpoint every so many seconds. */
export function smallScene(seconds: number, checkpoint = 0.1): object {
  return {
    name: "small",
    seconds,
    h: 0.01,
    record: { rate: 20, checkpoint },
    sheet: {
      shape: { type: "rectangle", width: 0.2, height: 0.2 },
      sampling: { type: "irregular", points: 40 },
    },
    pins: [{ at: { corner: "top-left", radius: 0.05 } }],
  };
}
