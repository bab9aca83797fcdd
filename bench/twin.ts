/**
 * The minimisation of one step, ours (WebAssembly) beside the same algorithm in C++ (native/step.cpp).
 *
 * The problem of a step in the middle of a fall is written to a file: matrices, neighbourhoods, interpolation, the start.
 * Both minimise it from there, alternating; the fastest of each counts. The C++ must end where ours does, within what
 * the stop criterion leaves open, or the comparison is refused.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { benchScene, SIZES } from "../src/bench/steps.ts";
import { columns, ms } from "../src/bench/table.ts";
import type { Allocator } from "../src/linalg/arena.ts";
import { findEntry } from "../src/linalg/sparse.ts";
import { createSimulation, type Simulation } from "../src/simulation.ts";
import { prepare } from "../src/step/incremental-potential.ts";
import { blockJacobi, minimise } from "../src/step/minimise.ts";
import { accurateSolver } from "../src/step/solvers.ts";
import { interpolation } from "../src/step/two-level.ts";
import { hold } from "../src/system/attachments.ts";
import { TRIANGLE_SHARE } from "../src/system/build.ts";
import { LIMIT, metricGroups, triangleStress } from "../src/system/isometry.ts";
import { startProgram } from "./native/native.ts";

export interface TwinOptions {
  sizes?: readonly number[];
  /** s to spend on each size. */
  seconds?: number;
  /** The folder of bench/, and one for built programs. */
  folder?: string;
  cache?: string;
}

export interface TwinRow {
  points: number;
  coarse: number;
  /** Newton and CG iterations: ours, theirs. */
  iterations: [number, number];
  cgIterations: [number, number];
  /** m: how far the two ends are apart, and what the stop criterion leaves open. */
  apart: number;
  tolerance: number;
  ms: [number, number];
  runs: number;
}

/** s into the fall. */
const MOMENT = 0.15;

export async function benchTwin(options: TwinOptions = {}): Promise<TwinRow[]> {
  const { sizes = SIZES, seconds = 6, folder = "bench", cache = ".cache/bench" } = options;
  const native = startProgram("step", join(folder, "native"), cache);
  const rows: TwinRow[] = [];
  try {
    for (const points of sizes) {
      const simulation = createSimulation(benchScene(points, "accurate"));
      while (simulation.time < MOMENT) simulation.step();
      const { start, run, moveTolerance } = problem(simulation, join(cache, "step.bin"));
      const [, coarse] = (await native.ask(`load ${join(cache, "step.bin")}`))
        .split(" ")
        .map(Number);

      const { Y } = simulation;
      let ours = { ms: Number.POSITIVE_INFINITY, iterations: 0, cgIterations: 0 };
      let theirs = [Number.POSITIVE_INFINITY, 0, 0];
      for (let warm = 0; warm < 3; warm++) run();
      const began = performance.now();
      let runs = 0;
      while (runs < 5 || (performance.now() - began < 1000 * seconds && runs < 200)) {
        const once = elapsed(run);
        if (once.ms < ours.ms) ours = { ms: once.ms, ...once.result };
        const answer = (await native.ask("step 1")).split(" ").map(Number);
        if (answer[0] < theirs[0]) theirs = answer;
        runs += 1;
      }
      run();
      const end = join(cache, "step.end");
      await native.ask(`write ${end}`);
      const bytes = readFileSync(end);
      const other = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
      let apart = 0;
      for (let k = 0; k < Y.length; k++) apart = Math.max(apart, Math.abs(Y[k] - other[k]));
      if (!(apart <= 10 * moveTolerance))
        throw new Error(
          `${points} points: C++ ends ${apart} m from ours, which makes no comparison`,
        );
      Y.set(start);
      rows.push({
        points: simulation.sheet.n,
        coarse,
        iterations: [ours.iterations, theirs[1]],
        cgIterations: [ours.cgIterations, theirs[2]],
        apart,
        tolerance: moveTolerance,
        ms: [ours.ms, theirs[0]],
        runs,
      });
    }
  } finally {
    native.close();
  }
  return rows;
}

/** Prepares the next step, writes it to a file, and gives a function that minimises it from the start. */
function problem(
  simulation: Simulation,
  file: string,
): {
  start: Float64Array;
  run: () => { iterations: number; cgIterations: number };
  moveTolerance: number;
} {
  const { system, sheet, scene } = simulation;
  const { pattern, work, pins, state, isometry, diagonal, material } = system;
  const time = (state.steps + 1) * scene.h;
  hold(pins, time);
  const potential = prepare(system, scene.h, false, time);
  const start = work.predicted.slice();
  for (let k = 0; k < start.length; k++) if (pins.fixed[k]) start[k] = pins.target[k];
  const solver = accurateSolver(system);
  const moveTolerance = solver.speedTolerance * scene.h;
  // the C++ believes its inner solves; so does this, here
  const options = { ...solver.options, moveTolerance, energyTolerance: Number.POSITIVE_INFINITY };

  const groups = metricGroups(sheet, material.membrane, TRIANGLE_SHARE);
  const stress = triangleStress(heap, sheet, pattern);
  const Z = interpolation(sheet);
  const edgeAt = new Int32Array(sheet.edges.length / 2);
  for (let e = 0; e < edgeAt.length; e++)
    edgeAt[e] = findEntry(pattern, sheet.edges[2 * e], sheet.edges[2 * e + 1]);
  const twoLevel = solver.preconditioner === blockJacobi ? 0 : 1;
  const numbers = [
    ...[scene.tolerance, LIMIT, moveTolerance, options.cgTolerance, options.maxIterations],
    ...[options.cgMax, twoLevel, 1 - TRIANGLE_SHARE, Z.coarse],
  ];
  writeArrays(file, {
    start: Int32Array.from(pattern.start as Int32Array),
    index: Int32Array.from(pattern.index as Int32Array),
    diagonal,
    base: potential.base.values,
    fixed: pins.fixed,
    b: potential.b,
    Y: start,
    "groups.start": groups.start,
    "groups.index": groups.index,
    "groups.triStart": groups.triStart,
    "groups.tri": groups.tri,
    "groups.local": groups.local,
    "groups.q": groups.q,
    "groups.stiffness": groups.stiffness,
    lambda: isometry.lambda,
    ee: stress.ee,
    dual: stress.dual,
    at: stress.at,
    "z.start": Z.start,
    "z.index": Z.index,
    "z.weight": Z.weight,
    edges: Int32Array.from(sheet.edges as Int32Array),
    edgeAt,
    numbers: Float64Array.from(numbers),
  });
  const run = (): { iterations: number; cgIterations: number } => {
    state.Y.set(start);
    work.twoLevel.startStep();
    const { iterations, cgIterations } = minimise(
      state.Y,
      potential,
      work.minimise,
      solver.preconditioner,
      options,
    );
    return { iterations, cgIterations };
  };
  return { start, run, moveTolerance };
}

/** Arrays on ordinary memory. */
const heap: Allocator = {
  f64: (length) => new Float64Array(length),
  f32: (length) => new Float32Array(length),
  i32: (length) => new Int32Array(length),
  u8: (length) => new Uint8Array(length),
  copyF64: (from) => Float64Array.from(from as Float64Array),
  copyI32: (from) => Int32Array.from(from as Int32Array),
};

type Stored = Float64Array | Int32Array | Uint8Array;

/** "name type count\n" and the bytes of each; "end". */
function writeArrays(file: string, arrays: Record<string, Stored>): void {
  const parts: Uint8Array[] = [];
  for (const [name, array] of Object.entries(arrays)) {
    const type = array instanceof Float64Array ? "f64" : array instanceof Int32Array ? "i32" : "u8";
    parts.push(Buffer.from(`${name} ${type} ${array.length}\n`));
    parts.push(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  parts.push(Buffer.from("end\n"));
  writeFileSync(file, Buffer.concat(parts));
}

/** Milliseconds: the smaller of wall and processor time. */
function elapsed<T>(work: () => T): { ms: number; result: T } {
  const wall = performance.now();
  const cpu = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(cpu);
  const took = performance.now() - wall;
  return { ms: Math.min(took, Math.max((user + system) / 1e3, 1e-3)), result };
}

export function twinTable(rows: readonly TwinRow[]): string {
  const head = ["points", "coarse", "Newton", "CG", "ours ms", "C++ ms", "ratio", "apart m"];
  const pair = ([a, b]: [number, number]): string => (a === b ? String(a) : `${a}/${b}`);
  return columns([
    head,
    ...rows.map((row) => [
      String(row.points),
      String(row.coarse),
      pair(row.iterations),
      pair(row.cgIterations),
      ms(row.ms[0]),
      ms(row.ms[1]),
      (row.ms[0] / row.ms[1]).toFixed(2),
      row.apart.toExponential(0),
    ]),
  ]);
}
