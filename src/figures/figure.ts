/**
 * A figure of the paper: what it claims, and how we make it again.
 *
 * Making one runs scenes into folders below `out` (runs.ts), which are used again while the scene is the same, so that a
 * broken-off `isoplate figures` goes on where it was. `fast` makes smaller and shorter versions of everything; those show
 * that it works; their numbers are held to the same claims, and misses are counted as misses.
 */

import type { Block } from "../picture/page.ts";
import type { Summary } from "../recording/summary.ts";

export interface FigureOptions {
  /** Small versions. */
  fast: boolean;
  /** Folder of this figure's recordings. */
  out: string;
  /** What is being done, and how much of it (0 … 1) if that is known. */
  onProgress: (what: string, share?: number) => void;
  signal?: AbortSignal;
}

/** One claim beside one number of ours. */
export interface FigureCheck {
  /** What is compared. */
  what: string;
  /** The paper's statement, or the band that we hold it to. */
  claim: string;
  ours: string;
  /** Of the runs as they were made: a small version that misses its claim does not hold it. */
  holds: boolean;
}

/** A run of the figure, for the table of all runs. */
export interface FigureRun {
  name: string;
  summary: Summary;
}

export interface FigureResult {
  blocks: Block[];
  checks: FigureCheck[];
  runs: FigureRun[];
}

export interface Figure {
  /** As on the command line. */
  name: string;
  title: string;
  /** What the paper says, in its own words or nearly. */
  claim: string;
  /** Minutes of work on a desktop machine: what `isoplate figures` says before it starts. */
  minutes: { fast: number; full: number };
  make(options: FigureOptions): Promise<FigureResult>;
}
