/**
 * Speed of the sparse Cholesky on the model matrices of cases.ts, alone or beside CHOLMOD.
 *
 * Runs alternate between the contestants and the fastest of each counts: the machine is shared, and a
 * minimum over interleaved runs is the one figure that other people's work does not change. A run's time
 * is the smaller of wall and processor time.
 */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { instantiate } from "../src/kernels/kernels.ts";
import { createPartner } from "../src/kernels/partner.ts";
import { shared } from "../src/kernels/wasm-shared.generated.ts";
import { inOneMemory } from "../src/linalg/arena.ts";
import {
  type Analysis,
  attachKernels,
  type Cholesky,
  prepareCholesky,
} from "../src/linalg/cholesky.ts";
import { factor } from "../src/linalg/cholesky-factor.ts";
import { solve } from "../src/linalg/cholesky-solve.ts";
import { analyseInSpace } from "../src/linalg/dissection.ts";
import { lowerBlocks } from "../src/linalg/sparse.ts";
import { BLOCK_OF, type Kind, modelMatrix, modelSheet, SIZES } from "./cases.ts";
import { type Native, startNative } from "./native/native.ts";

export interface LinalgBenchOptions {
  /** Also run CHOLMOD (needs a C++ compiler and Debian's libsuitesparse-dev). */
  readonly native?: boolean;
  readonly sizes?: readonly number[];
  readonly kinds?: readonly Kind[];
  /** Also time the TypeScript twin. */
  readonly twin?: boolean;
  /** 2: also factor in two threads. */
  readonly threads?: 1 | 2;
  /** Seconds to spend on each matrix. */
  readonly seconds?: number;
  /** The folder of bench/, and one for built programs. */
  readonly folder?: string;
  readonly cache?: string;
  readonly onRow?: (row: LinalgRow) => void;
}

/** One matrix: times in ms, the fastest of `runs`. */
export interface LinalgRow {
  readonly kind: Kind;
  readonly points: number;
  readonly analyseMs: number;
  readonly nonzeros: number;
  readonly storedNonzeros: number;
  readonly flops: number;
  readonly bytes: number;
  readonly runs: number;
  readonly factorMs: number;
  /** 10⁹ floating-point operations a second while factoring. */
  readonly gigaflops: number;
  readonly solveMs: number;
  /** Three right-hand sides, one after the other. */
  readonly solve3Ms: number;
  /** Factoring in two threads; null where the tree has no two halves. */
  readonly twoMs: number | null;
  readonly twinMs: number | null;
  readonly native: NativeRow | null;
}

export interface NativeRow {
  readonly core: string;
  readonly ordering: string;
  readonly analyseMs: number;
  readonly nonzeros: number;
  readonly flops: number;
  readonly factorMs: number;
  readonly solveMs: number;
  readonly solve3Ms: number;
}

export async function benchLinalg(options: LinalgBenchOptions = {}): Promise<LinalgRow[]> {
  const {
    sizes = SIZES,
    kinds = ["S", "B", "A"],
    folder = "bench",
    cache = ".cache/bench",
  } = options;
  const native = options.native ? startNative(join(folder, "native"), cache) : null;
  const rows: LinalgRow[] = [];
  try {
    for (const points of sizes) {
      const sheet = modelSheet(points);
      for (const kind of kinds) {
        const row = await benchMatrix(sheet, kind, native, options);
        rows.push(row);
        options.onRow?.(row);
      }
    }
  } finally {
    native?.close();
  }
  return rows;
}

/** Solves in a row: a factor is used several times, and the caches know it by then. */
const SOLVES = 3;

async function benchMatrix(
  sheet: ReturnType<typeof modelSheet>,
  kind: Kind,
  native: Native | null,
  { twin = false, threads = 1, seconds = 4 }: LinalgBenchOptions,
): Promise<LinalgRow> {
  const block = BLOCK_OF[kind];
  const pattern = lowerBlocks(sheet.twoRing);
  let analysis!: Analysis;
  const analyseMs = elapsed(() => {
    analysis = analyseInSpace(pattern, block, sheet.coordinates);
  });
  const { arena, value } = inOneMemory((memory) => ({
    A: modelMatrix(memory, sheet, kind),
    cholesky: prepareCholesky(memory, analysis),
    x: memory.f64(block * sheet.n).fill(1),
  }));
  const { A, cholesky, x } = value;
  const plain = instantiate(arena);
  const two = threads === 2 ? await inTwoThreads(sheet, kind) : null;
  attachKernels(cholesky, plain);

  const ourFactor = (): void => {
    const failed = factor(cholesky, A.values);
    if (failed !== 0) throw new Error(`${kind} ${sheet.n}: not positive definite at ${failed - 1}`);
  };
  const three = (): void => {
    for (let c = 0; c < 3; c++) solve(cholesky, x);
  };

  const nativeFactor = native === null ? null : await native.load(A);
  let runs = 0;
  let factorMs = Number.POSITIVE_INFINITY;
  let solveMs = factorMs;
  let solve3Ms = factorMs;
  let twinMs = factorMs;
  let twoMs = factorMs;
  const theirs = { factorMs, solveMs, solve3Ms };
  warmUp(ourFactor);
  const began = performance.now();
  while (runs < 3 || (performance.now() - began < 1e3 * seconds && runs < 200)) {
    factorMs = Math.min(factorMs, elapsed(ourFactor));
    for (let again = 0; again < SOLVES; again++) {
      x.fill(1);
      const took = elapsed(() => solve(cholesky, x));
      solveMs = Math.min(solveMs, took);
    }
    for (let again = 0; again < SOLVES; again++) {
      x.fill(1);
      solve3Ms = Math.min(solve3Ms, elapsed(three));
    }
    if (native !== null) {
      theirs.factorMs = Math.min(theirs.factorMs, await native.factor(1));
      theirs.solveMs = Math.min(theirs.solveMs, await native.solve(SOLVES, 1));
      theirs.solve3Ms = Math.min(theirs.solve3Ms, await native.solve(SOLVES, 3));
    }
    if (two !== null) twoMs = Math.min(twoMs, two.factor());
    if (twin)
      twinMs = Math.min(
        twinMs,
        withKernels(cholesky, null, () => elapsed(ourFactor)),
      );
    runs++;
  }
  await two?.close();
  return {
    kind,
    points: sheet.n,
    analyseMs,
    nonzeros: analysis.nonzeros,
    storedNonzeros: analysis.storedNonzeros,
    flops: analysis.flops,
    bytes: arena.bytes,
    runs,
    factorMs,
    gigaflops: analysis.flops / factorMs / 1e6,
    solveMs,
    solve3Ms,
    twoMs: Number.isFinite(twoMs) ? twoMs : null,
    twinMs: twin ? twinMs : null,
    native: nativeFactor === null ? null : { ...nativeFactor, ...theirs },
  };
}

/** The same matrix in a memory that two threads share. */
async function inTwoThreads(
  sheet: ReturnType<typeof modelSheet>,
  kind: Kind,
): Promise<{ factor(): number; close(): Promise<unknown> } | null> {
  const { coordinates, twoRing } = sheet;
  const analysis = analyseInSpace(lowerBlocks(twoRing), BLOCK_OF[kind], coordinates, 2);
  if (analysis.halves === null) return null;
  const { arena, value } = inOneMemory(
    (memory) => ({
      A: modelMatrix(memory, sheet, kind),
      cholesky: prepareCholesky(memory, analysis),
    }),
    { shared: true },
  );
  const { partner, data } = createPartner(arena);
  // beside the built command; the bundle of this file is elsewhere
  const thread = new Worker(pathToFileURL(resolve("dist/cli/partner-thread.js")), {
    workerData: data,
  });
  const { A, cholesky } = value;
  attachKernels(cholesky, instantiate(arena, { shared, partner }));
  while (!partner.isUp()) await new Promise((done) => setTimeout(done, 10));
  return {
    factor() {
      const began = performance.now();
      if (factor(cholesky, A.values) !== 0) throw new Error(`${kind}: not positive definite`);
      return performance.now() - began; // wall time: processor time would count both threads
    },
    close: () => {
      partner.close();
      return thread.terminate();
    },
  };
}

/** Engines compile again what runs often: until then times mean nothing. */
function warmUp(work: () => void): void {
  const began = performance.now();
  for (let run = 0; run < 3 || (run < 50 && performance.now() - began < 500); run++) work();
}

function withKernels<T>(cholesky: Cholesky, kernels: Cholesky["kernels"], work: () => T): T {
  const before = cholesky.kernels;
  cholesky.kernels = kernels;
  const result = work();
  cholesky.kernels = before;
  return result;
}

/** Milliseconds: the smaller of wall and processor time. */
function elapsed(work: () => void): number {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(cpu);
  return Math.min(performance.now() - wall, Math.max((user + system) / 1e3, 1e-3));
}

/** The rows as a table for a terminal, with ratios to CHOLMOD where it ran (below 1 is faster). */
export function linalgTable(rows: readonly LinalgRow[]): string {
  const ms = (t: number | null | undefined): string =>
    t === null || t === undefined ? "" : t.toPrecision(3);
  const ratio = (a: number, b: number | undefined): string => (b ? (a / b).toFixed(2) : "");
  const head = [
    ["matrix", "points", "analyse", "Mnnz", "Mflop", "factor", "GF/s", "solve", "solve×3"],
    ["2 threads", "twin", "│ CHOLMOD", "Mflop", "factor", "ratio", "solve", "ratio", "×3", "ratio"],
  ].flat();
  const lines = rows.map((r) => {
    const n = r.native;
    return [
      r.kind,
      String(r.points),
      ms(r.analyseMs),
      (r.storedNonzeros / 1e6).toFixed(2),
      (r.flops / 1e6).toFixed(1),
      ms(r.factorMs),
      r.gigaflops.toFixed(1),
      ms(r.solveMs),
      ms(r.solve3Ms),
      ms(r.twoMs),
      ms(r.twinMs),
      n === null ? "│" : `│ ${n.core} ${n.ordering}`,
      n === null ? "" : (n.flops / 1e6).toFixed(1),
      ms(n?.factorMs),
      ratio(r.factorMs, n?.factorMs),
      ms(n?.solveMs),
      ratio(r.solveMs, n?.solveMs),
      ms(n?.solve3Ms),
      ratio(r.solve3Ms, n?.solve3Ms),
    ];
  });
  const table = [head, ...lines];
  const width = head.map((_, c) => Math.max(...table.map((line) => line[c].length)));
  return table.map((line) => line.map((cell, c) => cell.padStart(width[c])).join("  ")).join("\n");
}
