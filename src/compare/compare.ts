/**
 * One scene by several methods, and two questions on top of it.
 *
 *   reference   ours on a mesh with half the spacing: what everything is held against
 *   methods     the scene by each method: who locks, who stretches, who sags
 *   meter       ours and shells as the stiffness in the plane rises: a method that locks bends less and less
 *   meshes      ours on a coarser, a jittered and a regular mesh: a shape that is the sheet's and not the mesh's
 *
 * All runs are known before the first begins, so that what cannot be run is reported at once and the time left can be estimated; a run
 * that two questions need is made once. What was asked for by name and cannot be run is an error; what we would have added
 * ourselves is left out, and the comparison says so.
 */
import "../methods.ts";
import { Interrupted } from "../recording/run.ts";
import { type Fault, SceneError } from "../scene/faults.ts";
import type { Scene } from "../scene/scene.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { createSimulation, type Simulation } from "../simulation.ts";
import { DEFAULT_METHODS, type Method, methodsOf, shells, withStiffness } from "./methods.ts";
import { type Outcome, outcomeOf, type Verdict, verdictOf } from "./outcome.ts";

export interface CompareOptions {
  /** Names, see methods.ts; the usual ones that can run this scene if not said. */
  methods?: readonly string[];
  /** The locking meter; on unless switched off. */
  meter?: boolean;
  /** The dependence on the mesh; on unless switched off. */
  meshes?: boolean;
  onProgress?: (progress: CompareProgress) => void;
  signal?: AbortSignal;
  readMesh?: ReadMesh;
}

export interface CompareProgress {
  /** What runs now. */
  what: string;
  run: number;
  runs: number;
  /** 0 … 1 of all the work. */
  share: number;
  /** s, an estimate; NaN at the start. */
  leftSeconds: number;
}

export interface Compared {
  readonly method: string;
  readonly title: string;
  readonly outcome: Outcome;
  readonly verdict: Verdict;
}

/** A run of the locking meter. */
export interface Reading {
  readonly family: "ours" | "shells";
  /** N/m in the plane. */
  readonly stiffness: number;
  readonly outcome: Outcome;
}

/** Our method on another mesh. */
export interface OnMesh {
  readonly mesh: string;
  readonly outcome: Outcome;
}

export interface Comparison {
  readonly scene: Scene;
  readonly reference: Outcome;
  readonly methods: readonly Compared[];
  readonly meter: readonly Reading[];
  readonly meshes: readonly OnMesh[];
  /** What was left out, and why. */
  readonly notes: readonly string[];
}

/** Moduli of the meter, MPa: from what stretches under its own weight to what locks. */
const METER = [1, 10, 100, 1e3, 1e4];
/** Points of the reference over those of the scene: half the spacing. */
const FINER = 4;
/** Points of a reference at most, where the scene has fewer: some minutes. */
const MOST_POINTS = 12_000;
const COARSER = 0.5;

/** Points up to which what was built to be checked is kept for its run: twenty such sheets take some hundred megabytes. */
const KEPT_POINTS = 3000;

/** A run that some questions need. */
interface Job {
  readonly what: string;
  readonly scene: Scene;
  readonly cost: number;
  /** Asked for by name: it must be possible. */
  readonly asked: boolean;
  /** Already built, where that is not too large to be kept. */
  built?: Simulation;
}

/**
 * Compares methods on a scene.
 *
 * @throws SceneError if a method is unknown or cannot run this scene; Interrupted by the signal
 *
 * @example
 * const { methods } = await compareScene(parseScene(pinnedCloth()), { methods: ["ours", "shells-1e4"] });
 * for (const { title, verdict } of methods) console.log(title, verdict.text);
 */
export async function compareScene(
  scene: Scene,
  options: CompareOptions = {},
): Promise<Comparison> {
  const { meter = true, meshes = true, readMesh } = options;
  const asked = options.methods !== undefined;
  const chosen = methodsOf(options.methods ?? DEFAULT_METHODS);
  const [ours] = methodsOf(["ours"]);
  const own = ours.apply(scene);
  const notes: string[] = [];

  // what is to be run
  const finer = resampled(own, { factor: finerBy(own) });
  const jobs = {
    reference: [job("the reference, finer", finer ?? own, ours, false)],
    methods: chosen.map((method) => job(method.title, method.apply(scene), method, asked)),
    meter: meter ? meterJobs(scene, own, ours, chosen) : [],
    meshes: meshes ? meshJobs(own, ours) : [],
  };
  if (!finer)
    notes.push("The sheet is a mesh that cannot be sampled anew: the reference is our own result.");
  const possible = checked([ours, ...chosen], own, jobs, notes, readMesh);

  // each once
  const run = runner(possible, options);
  const reference = await run(jobs.reference[0].scene);
  const methods: Compared[] = [];
  for (const [k, { title, name }] of chosen.entries()) {
    const { scene: by } = jobs.methods[k];
    if (!possible.has(keyOf(by))) continue;
    const outcome = await run(by);
    const verdict = verdictOf(outcome.measures, reference.measures);
    methods.push({ method: name, title, outcome, verdict });
  }
  const readings: Reading[] = [];
  for (const { scene: by, family, stiffness } of jobs.meter)
    if (possible.has(keyOf(by))) readings.push({ family, stiffness, outcome: await run(by) });
  const onMeshes: OnMesh[] = [];
  for (const { scene: by, mesh } of jobs.meshes)
    if (possible.has(keyOf(by))) onMeshes.push({ mesh, outcome: await run(by) });
  if (meshes && finer) onMeshes.push({ mesh: "fine", outcome: reference });
  return { scene, reference, methods, meter: readings, meshes: onMeshes, notes };
}

function job(what: string, scene: Scene, { cost }: Method, asked: boolean): Job {
  return { what, scene, cost, asked };
}

function meterJobs(
  scene: Scene,
  own: Scene,
  ours: Method,
  chosen: readonly Method[],
): (Job & { family: Reading["family"]; stiffness: number })[] {
  const families = new Set(chosen.map(({ name }) => name.split("-")[0]));
  return METER.flatMap((modulus) => {
    const shell = shells(modulus);
    const stiffness = shell.stiffness(scene)!;
    const what = `meter at ${stiffness.toExponential(0).replace("e+", "e")} N/m`;
    const made = [];
    if (families.has("frames"))
      made.push({
        ...job(`${what}, ours`, withStiffness(own, stiffness), ours, false),
        family: "ours" as const,
        stiffness,
      });
    if (families.has("shells"))
      made.push({
        ...job(`${what}, shells`, shell.apply(scene), shell, false),
        family: "shells" as const,
        stiffness,
      });
    return made;
  });
}

function meshJobs(own: Scene, ours: Method): (Job & { mesh: string })[] {
  const changes = [
    { mesh: "coarse", change: { factor: COARSER } },
    { mesh: "jittered", change: { type: "irregular" as const, seed: own.seed + 1 } },
    { mesh: "regular", change: { type: "grid" as const } },
  ];
  const given = { ...job("mesh: as given", own, ours, false), mesh: "as given" };
  const others = changes.flatMap(({ mesh, change }) => {
    const scene = resampled(own, change);
    return scene ? [{ ...job(`mesh: ${mesh}`, scene, ours, false), mesh }] : [];
  });
  return [given, ...others];
}

/** The scene on another mesh; null where a sheet brings its own. */
export function resampled(
  scene: Scene,
  {
    factor = 1,
    type,
    seed = scene.seed,
  }: { factor?: number; type?: "irregular" | "grid"; seed?: number },
): Scene | null {
  if (scene.sheets.some(({ sampling }) => sampling.type === "mesh")) return null;
  const sheets = scene.sheets.map((sheet) => {
    const { sampling } = sheet;
    const size =
      "points" in sampling
        ? { points: Math.max(4, Math.round(factor * sampling.points)) }
        : { spacing: sampling.spacing / Math.sqrt(factor) };
    return { ...sheet, sampling: { type: type ?? sampling.type, angle: sampling.angle, ...size } };
  });
  return { ...scene, seed, sheets };
}

/** 4, or less where that would be too many points. */
function finerBy(scene: Scene): number {
  let points = 0;
  for (const { sampling } of scene.sheets) points += "points" in sampling ? sampling.points : 0;
  return Math.min(FINER, Math.max(1, MOST_POINTS / Math.max(1, points)));
}

/** Builds everything once. Faults of what was asked for are thrown together; the rest is left out with a note. */
function checked(
  methods: readonly Method[],
  own: Scene,
  jobs: Readonly<Record<string, readonly Job[]>>,
  notes: string[],
  readMesh: ReadMesh | undefined,
): Map<string, Job> {
  const build = (scene: Scene): Simulation | undefined => {
    const simulation = createSimulation(scene, readMesh ? { readMesh } : {});
    return simulation.sheet.n <= KEPT_POINTS ? simulation : undefined;
  };
  const ours = build(own); // faults of the scene itself come first, as from `run`
  const possible = new Map<string, Job>();
  const faults: Fault[] = [];
  const all = Object.values(jobs).flat();
  for (const each of [...all.filter(({ asked }) => asked), ...all]) {
    const key = keyOf(each.scene);
    if (possible.has(key)) continue;
    if (!each.asked && faults.length > 0) break;
    try {
      const built = key === keyOf(own) ? ours : build(each.scene);
      possible.set(key, built ? { ...each, built } : each);
    } catch (error) {
      if (!(error instanceof SheetError)) throw error;
      const why = error.message.replace(/\s+/g, " ").trim();
      if (each.asked) {
        const name = methods.find(({ title }) => title === each.what)?.name ?? each.what;
        faults.push({ path: name, message: `cannot run this scene: ${why}` });
      } else notes.push(`Left out: ${each.what} (${why}).`);
    }
  }
  if (faults.length > 0) throw new SceneError("--methods", faults);
  return possible;
}

/** Runs scenes, each once, and tells how much of all work is done. */
function runner(
  jobs: ReadonlyMap<string, Job>,
  { onProgress, signal, readMesh }: CompareOptions,
): (scene: Scene) => Promise<Outcome> {
  const done = new Map<string, Outcome>();
  const weight = ({ scene, cost }: Job): number => {
    const steps = scene.static ? 500 : scene.seconds / scene.h;
    return steps * cost * pointsOf(scene) ** 1.5; // as measured from 662 to 2648 points
  };
  const whole = [...jobs.values()].reduce((sum, each) => sum + weight(each), 0);
  const started = performance.now();
  let before = 0;
  return async (scene) => {
    const key = keyOf(scene);
    const known = done.get(key);
    if (known) return known;
    const each = jobs.get(key)!;
    const tell = (share: number): void => {
      const all = (before + share * weight(each)) / whole;
      const elapsed = (performance.now() - started) / 1000;
      onProgress?.({
        what: each.what,
        run: done.size + 1,
        runs: jobs.size,
        share: all,
        leftSeconds: all > 0 ? (elapsed * (1 - all)) / all : Number.NaN,
      });
    };
    if (signal?.aborted) throw new Interrupted(0);
    const { built } = each;
    delete each.built; // its memory goes with its run
    const outcome = await outcomeOf(scene, {
      ...(built ? { simulation: built } : {}),
      onProgress: ({ steps, totalSteps }) => tell(totalSteps > 0 ? steps / totalSteps : 1),
      ...(signal ? { signal } : {}),
      ...(readMesh ? { readMesh } : {}),
    });
    done.set(key, outcome);
    before += weight(each);
    return outcome;
  };
}

/** About. */
function pointsOf(scene: Scene): number {
  let points = 0;
  for (const { sampling, shape } of scene.sheets) {
    if ("points" in sampling) points += sampling.points;
    else if (shape.type === "rectangle")
      points += (shape.width * shape.height) / sampling.spacing ** 2;
    else points += 600;
  }
  return points;
}

function keyOf(scene: Scene): string {
  return JSON.stringify(scene);
}
