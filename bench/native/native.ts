/**
 * CHOLMOD as a child process: bench/native/cholmod.cpp, built on first use.
 *
 * The program answers one line per command, so that a benchmark can let it run, run ours, and so on:
 * on a machine that others use, only runs that alternate can be compared.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BlockSymmetric } from "../../src/linalg/sparse.ts";

export interface NativeFactor {
  /** The kernels that OpenBLAS runs, such as SkylakeX (AVX-512) or Haswell (AVX2). */
  readonly core: string;
  readonly ordering: string;
  readonly analyseMs: number;
  readonly nonzeros: number;
  readonly flops: number;
}

export interface Native {
  load(A: BlockSymmetric): Promise<NativeFactor>;
  /** Milliseconds of the fastest of so many runs. */
  factor(runs: number): Promise<number>;
  solve(runs: number, rhsCount: number): Promise<number>;
  close(): void;
}

/** What is missing to build the native program, as one sentence for a person; null if nothing is. */
export function missingForNative(): string | null {
  if (!runs("g++", ["--version"])) {
    return "the native benchmark needs a C++ compiler: apt-get install g++";
  }
  const headers = [
    "/usr/include/suitesparse/cholmod.h",
    "/usr/local/include/suitesparse/cholmod.h",
  ];
  const include = headers.find((header) => existsSync(header));
  if (include === undefined) {
    return "the native benchmark needs CHOLMOD and OpenBLAS: apt-get install libsuitesparse-dev libopenblas-dev";
  }
  return null;
}

function runs(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A program of this folder that answers one line per command. */
export interface Program {
  ask(command: string): Promise<string>;
  close(): void;
}

/**
 * Builds <name>.cpp if the program is older than its source, and starts it.
 *
 * @param source  the folder of <name>.cpp
 * @param cache   a folder for the program and what is handed to it
 */
function startProgram(name: string, source: string, cache: string): Program {
  const missing = missingForNative();
  if (missing !== null) throw new Error(missing);
  mkdirSync(cache, { recursive: true });
  const program = join(cache, name);
  const text = join(source, `${name}.cpp`);
  if (!existsSync(program) || statSync(program).mtimeMs < statSync(text).mtimeMs) {
    const options = ["-O3", "-march=native", "-std=c++17", "-I/usr/include/suitesparse"];
    const libraries = ["-lcholmod", "-lopenblas"];
    execFileSync("g++", [...options, text, "-o", program, ...libraries], { stdio: "inherit" });
  }

  const child: ChildProcess = spawn(program, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...openblasCore() },
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    ask: async (command) => {
      child.stdin!.write(`${command}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error(`the native program ended on: ${command}`);
      return value;
    },
    close: () => {
      child.stdin!.end("quit\n");
    },
  };
}

/** CHOLMOD: cholmod.cpp. */
export function startNative(source: string, cache: string): Native {
  const { ask, close } = startProgram("cholmod", source, cache);
  return {
    load: async (A) => {
      const file = join(cache, "matrix.bin");
      writeMatrix(file, A);
      const [core, ordering, analyseMs, nonzeros, flops] = (await ask(`load ${file}`)).split(" ");
      return {
        core,
        ordering,
        analyseMs: Number(analyseMs),
        nonzeros: Number(nonzeros),
        flops: Number(flops),
      };
    },
    factor: async (count) => Number(await ask(`factor ${count}`)),
    solve: async (count, rhsCount) => Number(await ask(`solve ${count} ${rhsCount}`)),
    close,
  };
}

/**
 * Debian's OpenBLAS may take a processor newer than itself for the oldest it knows: one with AVX-512 ran as
 * "Prescott", 16 GF/s instead of 71. A benchmark must not win by that: say what the processor can do.
 */
function openblasCore(): { OPENBLAS_CORETYPE?: string } {
  if (process.env.OPENBLAS_CORETYPE !== undefined || process.arch !== "x64") return {};
  let flags = "";
  try {
    flags = readFileSync("/proc/cpuinfo", "utf8");
  } catch {
    return {};
  }
  if (/\bavx512vl\b/.test(flags)) return { OPENBLAS_CORETYPE: "SkylakeX" };
  if (/\bavx2\b/.test(flags)) return { OPENBLAS_CORETYPE: "Haswell" };
  return {};
}

/** The scalar lower triangle by columns: n, entries, start, row, value. */
function writeMatrix(file: string, A: BlockSymmetric): void {
  const { n, block, start, index, values } = A;
  const size = block * n;
  const columnStart = new Int32Array(size + 1);
  const row: number[] = [];
  const value: number[] = [];
  for (let j = 0; j < n; j++) {
    for (let c = 0; c < block; c++) {
      for (let p = start[j]; p < start[j + 1]; p++) {
        for (let a = index[p] === j ? c : 0; a < block; a++) {
          row.push(block * index[p] + a);
          value.push(values[block * block * p + block * a + c]);
        }
      }
      columnStart[block * j + c + 1] = row.length;
    }
  }
  const head = Int32Array.of(size, row.length);
  const parts = [head, columnStart, Int32Array.from(row), Float64Array.from(value)];
  writeFileSync(
    file,
    Buffer.concat(parts.map((part) => Buffer.from(part.buffer, part.byteOffset, part.byteLength))),
  );
}
