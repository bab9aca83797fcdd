/**
 * One build of a scene: its system with solvers and memory, from the scene or from the state of the build before it.
 */
import { assemble } from "../assembly.ts";
import { instantiate } from "../kernels/kernels.ts";
import type { Partner } from "../kernels/partner.ts";
import type { Team, Threads } from "../kernels/team.ts";
import type { Arena } from "../linalg/arena.ts";
import type { Scene } from "../scene/scene.ts";
import { averagingWeights } from "../sheet/charts.ts";
import { withTangents } from "../sheet/frames.ts";
import { createSheet, type ReadMesh, type Sheet } from "../sheet/kinematics.ts";
import { startPose } from "../sheet/pose.ts";
import { methodsOf, type Projections } from "../step/methods.ts";
import { accurateSolver, interactiveSolver, type Solver } from "../step/solvers.ts";
import type { Stepper } from "../step/stepper.ts";
import { hold } from "../system/attachments.ts";
import { isFramed } from "../system/build.ts";
import { type MovedSheet, separateStart } from "../system/contact/separate-start.ts";
import type { AveragedF } from "../system/isometry.ts";
import type { Warning } from "../system/warning.ts";
import { type LiveFields, liveFields } from "./saved.ts";
import { startWarnings } from "./warnings.ts";

export interface SimulationOptions {
  /** Reads the meshes that the scene names. */
  readMesh?: ReadMesh | undefined;
  /** false: the TypeScript twins instead of WebAssembly; the same bits. Needs `import "isoplate/methods"`. */
  kernels?: boolean;
  /** Several threads for the inner solves, or two for the factorisations of `solver: paper`; the same bits (see kernels/team.ts). */
  threads?: Threads | undefined;
}

/** What belongs to one build of the system; a rebuild replaces all of it. */
export interface Running {
  readonly system: Stepper;
  /** What steps the scene in the place of step.ts; null in most. */
  readonly projections: Projections | null;
  readonly solver: Solver;
  /** [3n] of the sheets: without the nodes of a solid. */
  readonly Y: Float64Array;
  readonly V: Float64Array;
  /** The same with the frames of the samples, [9n]; Y where they have none. */
  readonly pose: Float64Array;
  readonly masses: Float64Array;
  /** Streams of random numbers that the sheets were sampled with: a sheet keeps its own when others come and go. */
  readonly streams: Map<string, number>;
  readonly partners: readonly Pick<Partner | Team, "close">[];
  /** Sheets that were moved out of bodies at the start. */
  readonly moved: readonly MovedSheet[];
  /** The live fields as the scene gave them. */
  readonly original: LiveFields;
  /** What the paper's own residual needs; made when first asked for. */
  averaged: AveragedF | null;
  /** The state before a step in slices; made with the first of them. */
  backup: Float64Array | null;
  /** Whether such a step has begun and is not done. */
  isStepping: boolean;
  /** Causes of problems that have been reported. */
  readonly known: Set<string>;
}

/**
 * The sheet of a scene and where its points start; fast, to show them before the system is built.
 *
 * @example
 * const { sheet, Y } = buildSheet(scene);
 */
export function buildSheet(
  scene: Scene,
  readMesh?: ReadMesh,
): { sheet: Sheet; Y: Float64Array; V: Float64Array } {
  const sheet = sheetOf(scene, readMesh);
  const { Y, V } = startPose(sheet, scene.sheets, scene.seed, readMesh);
  separateStart(scene, sheet, Y, 0);
  return { sheet, Y: Float64Array.from(Y), V: Float64Array.from(V) };
}

/** With the tangents of its edges where samples have frames, as all that draws or measures arcs needs it. */
function sheetOf(scene: Scene, readMesh?: ReadMesh, streams?: readonly number[]): Sheet {
  const sheet = createSheet(scene.sheets, scene.seed, readMesh, streams);
  return isFramed(scene) ? withTangents(sheet) : sheet;
}

/**
 * @param before streams of the sheets of the simulation that this one goes on from
 * @param time   s, at which it does
 */
export function build(
  scene: Scene,
  { readMesh, kernels = true, threads }: SimulationOptions,
  before: ReadonlyMap<string, number>,
  time: number,
): Running {
  const streams = streamsOf(scene, before);
  const order = scene.sheets.map(({ name }) => streams.get(name)!);
  const sheet = sheetOf(scene, readMesh, order);
  const start = startPose(sheet, scene.sheets, scene.seed, readMesh);
  const moved = separateStart(scene, sheet, start.Y, time);
  const partners: Pick<Partner | Team, "close">[] = [];
  const system = assemble(scene, sheet, start, {
    kernels,
    readMesh,
    threads,
    onTeam: (team) => partners.push(team),
  });
  const compilePartnered =
    threads &&
    ((arena: Arena) => {
      const started = threads.startPartner(arena);
      if (started.partner) partners.push(started.partner);
      return instantiate(arena, started);
    });
  const projections = isSewn(system)
    ? null
    : (methodsOf(scene)?.projectionsOf(system, compilePartnered) ?? null);
  system.work.projections = projections;
  hold(system.pins, 0);
  const Y = system.state.Y.subarray(0, 3 * sheet.n);
  return {
    system,
    projections,
    solver: scene.solver === "interactive" ? interactiveSolver(system) : accurateSolver(system),
    Y,
    V: system.state.V.subarray(0, 3 * sheet.n),
    pose: system.framed > 0 ? system.state.Y.subarray(0, 9 * sheet.n) : Y,
    masses: system.m.subarray(0, sheet.n),
    streams,
    partners,
    moved,
    original: liveFields(system),
    averaged: null,
    backup: null,
    isStepping: false,
    known: new Set(),
  };
}

/** A sheet that was there keeps its stream; a new one takes the first that is free. In a new simulation sheet k has stream k. */
function streamsOf({ sheets }: Scene, before: ReadonlyMap<string, number>): Map<string, number> {
  const streams = new Map<string, number>();
  for (const { name } of sheets) if (before.has(name)) streams.set(name, before.get(name)!);
  const taken = new Set(streams.values());
  let free = 0;
  for (const { name } of sheets) {
    if (streams.has(name)) continue;
    while (taken.has(free)) free++;
    streams.set(name, free);
    taken.add(free);
  }
  return streams;
}

export function close({ partners, system }: Running): void {
  for (const partner of partners) partner.close();
  system.grip.releaseAll();
  system.outside = null;
}

export function timeOf({ state, h }: Stepper): number {
  return state.steps * h;
}

const SEWN_OTHERWISE =
  "solver: paper projects without seams that are pulled together; the accurate solver steps this scene, with the same constraints";

const NOT_PROJECTED =
  "solver: paper projects without contact and substrate; the accurate solver steps this scene, with the same constraints";

/** Whether the scene asks for projections, which seams do not have. */
function isSewn({ seams, scene }: Stepper): boolean {
  return seams !== null && scene.solver === "paper";
}

/** @param started names of the sheets that start as the scene says */
export function buildWarnings(
  { system, projections, moved }: Running,
  started: readonly string[],
): Warning[] {
  const { scene, substrate } = system;
  const time = timeOf(system);
  const out = moved.filter(({ sheet }) => started.includes(sheet)).map(({ warning }) => warning);
  out.push(...startWarnings(system));
  for (const text of substrate?.warnings ?? [])
    out.push({ text, points: [], time, cause: "substrate" });
  if (isSewn(system)) out.push({ text: SEWN_OTHERWISE, points: [], time, cause: "solver" });
  else if (scene.solver === "paper" && !projections && !scene.static)
    out.push({ text: NOT_PROJECTED, points: [], time, cause: "solver" });
  return out;
}

/** What the paper's own residual needs. */
export function averagedF({ n, near, area }: Sheet): AveragedF {
  return {
    n,
    start: near.start as Int32Array,
    index: near.index as Int32Array,
    B: averagingWeights(near, area),
  };
}
