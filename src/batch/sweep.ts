/**
 * A whole study: what has ended is kept, the rest is run, and at the end there are results.csv and study.html.
 *
 * Where runs happen is the executor's: this machine's cores (localExecutor) or a queue (queue.ts).
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { Interrupted } from "../recording/run.ts";
import { sceneInput } from "../scene/write.ts";
import { version } from "../version.ts";
import { ended, type Outcome, runFolder } from "./attempt.ts";
import { writePage } from "./page.ts";
import { type Pool, threadPool } from "./pool.ts";
import { type RunResult, writeResults } from "./results.ts";
import type { Study, StudyRun } from "./study.ts";

export interface SweepProgress {
  total: number;
  done: number;
  failed: number;
  /** Were done before this sweep began. */
  before: number;
  running: number;
  /** 0 … 1 of all work. */
  share: number;
  /** s, an estimate. */
  leftSeconds: number;
}

/** Brings runs to their end, somewhere. */
export type Executor = (
  runs: readonly StudyRun[],
  hooks: {
    onProgress(run: StudyRun, share: number): void;
    /** Once per run. */
    onEnd(run: StudyRun, outcome: Outcome): void;
    signal: AbortSignal;
  },
) => Promise<void>;

export interface SweepOptions {
  /** Folder for everything. */
  out: string;
  /** Where to run; this machine's cores if left out. */
  executor?: Executor;
  /** Draws the pictures, and runs if there is no executor. */
  pool?: Pool;
  /** Only every n-th run, beginning with the k-th: { k: 1, n: 10 } is the first tenth. */
  part?: { k: number; n: number };
  /** Run again what failed before. */
  retry?: boolean;
  /** No study.html. */
  page?: boolean;
  onProgress?: (progress: SweepProgress) => void;
  signal?: AbortSignal;
}

export interface SweepResult {
  results: RunResult[];
  csv: string;
  page: string | null;
}

/** ms between tables while runs come in. */
const TABLE_INTERVAL = 5000;

/**
 * Runs a study, or what is left of it.
 *
 * @throws Interrupted by the signal, after everything that ran has a checkpoint
 *
 * @example
 * const study = loadStudy("stiffness.yaml");
 * const { csv, page } = await runStudy(study, { out: "out/stiffness" });
 */
export async function runStudy(study: Study, options: SweepOptions): Promise<SweepResult> {
  const { out, part, retry = false, signal = new AbortController().signal } = options;
  const pool = options.pool ?? threadPool();
  try {
    const results = new Map<StudyRun, Outcome | null>();
    for (const run of study.runs) results.set(run, ended(out, run.name, run.scene, study.base));
    const mine = part ? study.runs.filter((_, k) => k % part.n === part.k - 1) : study.runs;
    const left = mine.filter((run) => {
      const outcome = results.get(run);
      if (outcome?.status === "failed" && retry) {
        fs.rmSync(runFolder(out, run.name), { recursive: true, force: true });
        results.set(run, null);
        return true;
      }
      return !outcome;
    });

    const list = (): RunResult[] =>
      study.runs.map((run) => ({ run, outcome: results.get(run) ?? null }));
    fs.mkdirSync(out, { recursive: true });
    writeStudy(out, study);
    const progress = tracker(mine.length, left, options.onProgress);
    let told = performance.now();
    await (options.executor ?? localExecutor(study, out, pool))(left, {
      signal,
      onProgress: (run, share) => progress.update(run, share),
      onEnd(run, outcome) {
        results.set(run, outcome);
        progress.end(run, outcome);
        // one writer: parts of a study on several machines leave the table to whoever collects
        if (part !== undefined || performance.now() - told < TABLE_INTERVAL) return;
        told = performance.now();
        writeResults(out, study, list());
      },
    });
    dropEmpty(path.join(out, "running"));
    const csv = part === undefined ? writeResults(out, study, list()) : "";
    if (signal.aborted) throw new Interrupted(0);
    if (part !== undefined) return { results: list(), csv, page: null };
    const page = options.page === false ? null : await writePage(out, study, list(), pool);
    return { results: list(), csv, page };
  } finally {
    if (options.pool === undefined) await pool.close();
  }
}

/**
 * Runs on the threads of a pool.
 *
 * @example
 * const executor = localExecutor(study, out, threadPool());
 */
export function localExecutor(study: Study, out: string, pool: Pool): Executor {
  return async (runs, { onProgress, onEnd, signal }) => {
    const { base, outside } = study;
    const next = runs.values();
    const lane = async (): Promise<void> => {
      for (const run of next) {
        if (signal.aborted) return;
        const token = crypto.randomUUID();
        const task = { out, name: run.name, token, scene: sceneInput(run.scene), base, outside };
        try {
          const outcome = await pool.run(task, {
            signal,
            onStart: () => onProgress(run, 0),
            onProgress: (share) => onProgress(run, share),
          });
          onEnd(run, outcome);
        } catch (error) {
          if (error instanceof Interrupted) return; // ended by the signal
          onEnd(run, { status: "failed", message: (error as Error).message, lasting: false });
        }
      }
    };
    await Promise.all(Array.from({ length: pool.size }, lane));
  };
}

/** Nothing runs any more: the folder of attempts is deleted if it is empty. */
function dropEmpty(folder: string): void {
  try {
    fs.rmdirSync(folder);
  } catch {
    // not empty, or never there
  }
}

/** study.json: which study the folder belongs to. */
function writeStudy(out: string, study: Study): void {
  const { name, description, scene, fields, measures } = study;
  const runs = study.runs.map((run) => ({ name: run.name, parameters: run.parameters }));
  const text = JSON.stringify(
    { name, description, scene, version, fields, measures, runs },
    null,
    2,
  );
  const file = path.join(out, "study.json");
  const part = `${file}.${process.pid}.part`;
  fs.writeFileSync(part, `${text}\n`);
  fs.renameSync(part, file);
}

function tracker(
  total: number,
  left: readonly StudyRun[],
  onProgress: ((progress: SweepProgress) => void) | undefined,
): { update(run: StudyRun, share: number): void; end(run: StudyRun, outcome: Outcome): void } {
  const started = performance.now();
  const before = total - left.length;
  const active = new Map<StudyRun, number>();
  let [done, failed] = [before, 0];
  const tell = (): void => {
    const partly = [...active.values()].reduce((sum, share) => sum + share, 0);
    const worked = done - before + failed + partly;
    const seconds = (performance.now() - started) / 1000;
    onProgress?.({
      total,
      done,
      failed,
      before,
      running: active.size,
      share: total === 0 ? 1 : (before + worked) / total,
      leftSeconds: worked === 0 ? Number.NaN : (seconds / worked) * (left.length - worked),
    });
  };
  tell();
  return {
    update(run, share) {
      active.set(run, share);
      tell();
    },
    end(run, outcome) {
      active.delete(run);
      if (outcome.status === "done") done += 1;
      else failed += 1;
      tell();
    },
  };
}
