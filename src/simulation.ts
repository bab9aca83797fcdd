/**
 * A scene that runs: scene → sheet → system → step → state. Programs drive it through this interface; what a change does
 * to the running system is in live/.
 */
import { assemble } from "./assembly.ts";
import { instantiate, type StartPartner } from "./kernels/kernels.ts";
import type { Partner } from "./kernels/partner.ts";
import { checkFinite, checkRange, checkVector, LiveError, named } from "./live/live-error.ts";
import {
  type ColliderChange,
  releasePin,
  setCollider,
  setPin,
  type Timing,
  type Transform,
} from "./live/motions.ts";
import { contactNow, contactPressure, type Energy, energy, reactions } from "./live/readings.ts";
import { carryState, type Rebuilt, without } from "./live/rebuild.ts";
import {
  copyState,
  type LiveFields,
  liveFields,
  restoreState,
  saveState,
  setNumbers,
  stateLength,
} from "./live/saved.ts";
import {
  type ForceCallback,
  type LoadChange,
  setForce,
  setLoads,
  setMaterial,
} from "./live/settings.ts";
import { startWarnings } from "./live/warnings.ts";
import type { ColliderInput, MaterialInput, PinInput, SheetInput } from "./scene/input.ts";
import { colliderAt, createRigid } from "./scene/motion.ts";
import { parseScene, type Scene, type Vec3 } from "./scene/scene.ts";
import { sceneInput } from "./scene/write.ts";
import { averagingWeights } from "./sheet/charts.ts";
import { framesOf, withTangents } from "./sheet/frames.ts";
import { createSheet, type ReadMesh, type Sheet } from "./sheet/kinematics.ts";
import { startPose } from "./sheet/pose.ts";
import { equilibrium } from "./step/equilibrium.ts";
import { createStepReport, type StepReport, worsen } from "./step/outcome.ts";
import { accurateSolver, interactiveSolver, type Solver } from "./step/solvers.ts";
import { step, stepping } from "./step/step.ts";
import { DECLINED, type PaperWork, paperOf, stepPaper } from "./step/step-paper.ts";
import type { Stepper } from "./step/stepper.ts";
import { lateDrivers, tellTroubles } from "./step/troubles.ts";
import { hold } from "./system/attachments.ts";
import { isFramed } from "./system/build.ts";
import { type MovedSheet, separateStart } from "./system/contact/separate-start.ts";
import { type Hand, MOST_FINGERS, MOST_HANDS } from "./system/grip.ts";
import { type AveragedF, paperResidual } from "./system/isometry.ts";
import { seamName } from "./system/seams.ts";
import { bendAcross } from "./system/stiffness.ts";
import type { Warning } from "./system/warning.ts";

/** A scene that runs. Times are simulated time; lengths are in m, z is up. */
export interface Simulation {
  /** The scene as it is now, live changes included. A copy of what was given: change it by the methods below, not by hand. */
  readonly scene: Scene;
  readonly sheet: Sheet;
  /**
   * Everything below it, for the other folders of this package; not in the published types.
   *
   * @internal
   */
  readonly system: Stepper;
  /** [3n] m, positions of the points. Another array after rebuild, addSheet, addPin, addCollider and remove. */
  readonly Y: Float64Array;
  /** [3n] m/s, velocities of the points. */
  readonly V: Float64Array;
  /** [9n] m: positions, and after them the frames of the samples (sheet/frames.ts); Y itself where samples have none. */
  readonly pose: Float64Array;
  /** [n] kg, masses of the points, hung masses included. */
  readonly masses: Float64Array;
  readonly steps: number;
  /** s */
  readonly time: number;
  /** Advances by h. The report is the same object every time. */
  step(): StepReport;
  /**
   * The same in slices of some 40 ms: yields when others should be let in. Left before its end (by return or throw of the generator) it goes back to the
   * state before the step. Between its slices nothing can be changed, saved or stepped.
   */
  stepping(): Generator<void, StepReport>;
  /** Pins and bodies that could not go on and are behind their paths. */
  heldBack(): string[];
  /** s: where body k is on its path; the time unless it was held back. */
  bodyTime(k: number): number;

  /**
   * Moves a pin: to a transform of where its points started; to the place where the mean of its points is to be (3 numbers);
   * or to places of its own for every point (xyz of each, in the order of `pinPoints`). A pin that has let go takes hold again.
   *
   * @example
   * simulation.setPin("left", { translate: [0, 0, 0.1] }); // is there 1/60 s later
   */
  setPin(name: string, to: Transform | ArrayLike<number>, timing?: Timing): void;
  /** Lets go of a pin now. */
  releasePin(name: string): void;
  /** The points that a pin holds. */
  pinPoints(name: string): Int32Array;
  /**
   * Takes hold of at most 8 points and leads their mean to the target with a spring, as a hand would; at most 32 hands at once.
   *
   * @example
   * const hand = simulation.grab([point], [0, 0, 1]);
   * hand.moveTo([0.1, 0, 1]);
   * hand.release();
   */
  grab(points: readonly number[], target: Readonly<Vec3>): Hand;
  /** Moves a body, or changes its friction. */
  setCollider(name: string, change: ColliderChange, timing?: Timing): void;
  /** Changes D, Young's modulus, Poisson's ratio or damping of a sheet; other fields need `rebuild`, and the error says so. */
  setMaterial(sheet: string, change: string | MaterialInput): void;
  /** Changes gravity, air and pressure. */
  setLoads(change: LoadChange): void;
  /** Calls a function at the start of every step (and sub-step) that adds forces to the points; null ends it. */
  setForce(callback: ForceCallback | null): void;
  /** Puts the points elsewhere or gives them other velocities; what is left out stays as it is. */
  setState(state: { Y?: ArrayLike<number>; V?: ArrayLike<number>; time?: number }): void;

  /** Goes on with another scene from the present positions and velocities, in new arrays. Hands and the force callback are let go. */
  rebuild(scene: Scene): Rebuilt;
  /** Adds a sheet, at its start pose. Rebuilds. */
  addSheet(sheet: SheetInput): Rebuilt;
  /** Adds a pin that holds its points where they are. Rebuilds. */
  addPin(pin: PinInput): Rebuilt;
  /** Adds a body. Rebuilds. */
  addCollider(collider: ColliderInput): Rebuilt;
  /** Takes something out; what is attached to a sheet goes with it. Rebuilds. */
  remove(kind: "sheet" | "pin" | "collider", name: string): Rebuilt;

  /** State and live changes as bytes: `restore` brings them back bit for bit, here or in another simulation of the same scene. Hands and the force callback are the caller's. */
  save(): Uint8Array;
  restore(bytes: Uint8Array): void;
  /** Ends its threads and lets go of its memory. Nothing but another dispose may be called afterwards. */
  dispose(): void;

  energy(): Energy;
  residual(): { trace: number; det: number };
  /** Deepest penetration (m, thickness included), pairs in touch, and the point where it is deepest (−1: none). */
  contact(): { penetration: number; contacts: number; point: number };
  /** Pa per point into out [n], as the last step found it; false if the scene has no contact. */
  contactPressure(out: Float32Array | Float64Array): boolean;
  /** Force of every pin on the sheet at the end of the last step, N (solvers accurate and interactive, and static mode). */
  reactions(): { name: string; force: Vec3 }[];
  /** Where collider k is at a time: position and rotation matrix by rows. */
  colliderPose(k: number, time: number): { position: Vec3; rotation: number[] };
  /** ms spent so far. */
  readonly phases: Record<
    "predict" | "evaluate" | "assemble" | "factor" | "solve" | "contact",
    number
  >;
  readonly memoryBytes: number;
  /** What has been warned of so far, oldest first. */
  readonly warnings: readonly Warning[];
}

export interface SimulationOptions {
  /** Reads the meshes that the scene names. */
  readMesh?: ReadMesh | undefined;
  /** false: the TypeScript twins instead of WebAssembly; the same bits. */
  kernels?: boolean;
  /** Two threads for the factorisations of `solver: paper`; the same bits (see kernels/partner.ts). */
  startPartner?: StartPartner | undefined;
}

/** What belongs to one build of the system; a rebuild replaces all of it. */
interface Running {
  readonly system: Stepper;
  readonly paper: PaperWork | null;
  readonly solver: Solver;
  /** [3n] of the sheets: without the nodes of a solid. */
  readonly Y: Float64Array;
  readonly V: Float64Array;
  /** The same with the frames of the samples, [9n]; Y where they have none. */
  readonly pose: Float64Array;
  readonly masses: Float64Array;
  /** Streams of random numbers that the sheets were sampled with: a sheet keeps its own when others come and go. */
  readonly streams: Map<string, number>;
  readonly partners: readonly Partner[];
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
  /** Causes of trouble that were told. */
  readonly told: Set<string>;
}

/**
 * Builds everything that a scene needs; then `step` advances it.
 *
 * @example
 * const simulation = createSimulation(parseScene(libraryScene("pinned-cloth")!.input()));
 * while (simulation.time < 1) simulation.step();
 */
export function createSimulation(scene: Scene, options: SimulationOptions = {}): Simulation {
  const warnings: Warning[] = [];
  let current: Running | null = build(structuredClone(scene), options, new Map(), 0);
  /** Whether a program has changed live fields since the system was built. */
  let changed = false;
  const running = (): Running => {
    if (!current) throw new LiveError("simulation", "it has been disposed of; create another one");
    return current;
  };
  const system = (): Stepper => running().system;
  /** The same for whoever changes or saves it: a step that is under way has no state that could be. */
  const still = (): Running => {
    const now = running();
    if (now.isStepping)
      throw new LiveError("simulation", "a step in slices is under way; finish or leave it first");
    return now;
  };
  const change = (apply: (system: Stepper) => void): void => {
    apply(still().system);
    changed = true;
  };
  const report = createStepReport();
  const rebuild = (next: Scene): Rebuilt => {
    const old = still();
    const fresh = build(structuredClone(next), options, old.streams, timeOf(old.system));
    const rebuilt = carryState(fresh.system, old.system);
    if (fresh.system.seams) bendAcross(fresh.system);
    hold(fresh.system.pins, timeOf(fresh.system), fresh.system.state.clock);
    close(old);
    current = fresh;
    changed = false;
    warnings.push(...buildWarnings(fresh, rebuilt.started));
    return rebuilt;
  };
  const rebuildWith = (list: SceneList, one: unknown): Rebuilt =>
    rebuild(withOne(system().scene, list, one));
  const simulation: Simulation = {
    get scene() {
      return system().scene;
    },
    get sheet() {
      return system().sheet;
    },
    get system() {
      return system();
    },
    get Y() {
      return running().Y;
    },
    get V() {
      return running().V;
    },
    get pose() {
      return running().pose;
    },
    get masses() {
      return running().masses;
    },
    get steps() {
      return system().state.steps;
    },
    get time() {
      return timeOf(system());
    },
    step() {
      advance(still(), report, warnings);
      return report;
    },
    *stepping() {
      yield* advancing(still(), report, warnings);
      return report;
    },
    ...changes(change, still, system),
    rebuild,
    addSheet: (sheet) => rebuildWith("sheets", sheet),
    addPin: (pin) => rebuildWith("pins", pin),
    addCollider: (collider) => rebuildWith("colliders", collider),
    remove: (kind, name) => rebuild(without(system().scene, kind, name)),
    save: () => saveState(still().system, changed ? liveFields(system()) : null),
    restore(bytes) {
      const { system: s, original } = still();
      changed = restoreState(s, bytes, original) !== null;
    },
    dispose() {
      if (current) close(current);
      current = null;
    },
    ...readings(running),
    get phases() {
      return phasesOf(system());
    },
    get memoryBytes() {
      return system().arena.memory.buffer.byteLength;
    },
    warnings,
  };
  warnings.push(...buildWarnings(running(), sheetNames(scene)));
  return simulation;
}

type Changes = Pick<
  Simulation,
  | "setPin"
  | "releasePin"
  | "pinPoints"
  | "grab"
  | "setCollider"
  | "setMaterial"
  | "setLoads"
  | "setForce"
  | "setState"
>;

/** What changes a simulation as it runs. */
function changes(
  change: (apply: (system: Stepper) => void) => void,
  still: () => Running,
  system: () => Stepper,
): Changes {
  return {
    setPin: (name, to, timing = {}) => change((s) => setPin(s, name, to, timing)),
    releasePin: (name) => change((s) => releasePin(s, name)),
    pinPoints: (name) => pinPoints(system(), name),
    grab: (points, target) => grab(still().system, points, target),
    setCollider: (name, what, timing = {}) => change((s) => setCollider(s, name, what, timing)),
    setMaterial: (sheet, what) => change((s) => setMaterial(s, sheet, what)),
    setLoads: (what) => change((s) => setLoads(s, what)),
    setForce: (callback) => setForce(still().system, callback),
    setState: (state) => setState(still(), state),
  };
}

type SceneList = "sheets" | "pins" | "colliders";

/** The scene with one more of something, checked. */
function withOne(scene: Scene, list: SceneList, one: unknown): Scene {
  const input = sceneInput(scene);
  return parseScene({ ...input, [list]: [...(input[list] ?? []), one] }, `new ${list}`);
}

type Readings = Pick<
  Simulation,
  | "heldBack"
  | "bodyTime"
  | "energy"
  | "residual"
  | "contact"
  | "contactPressure"
  | "reactions"
  | "colliderPose"
>;

/** What a simulation tells and does not change. */
function readings(running: () => Running): Readings {
  const rigid = createRigid();
  const system = (): Stepper => running().system;
  return {
    heldBack: () => lateDrivers(system()),
    bodyTime: (k) => system().state.clock[system().work.drivers.pins + k],
    energy: () => energy(system()),
    residual() {
      const now = running();
      now.averaged ??= averagedF(now.system.sheet);
      return paperResidual(now.system.state.Y, now.averaged);
    },
    contact: () => contactNow(system()),
    contactPressure(out) {
      const { bodies, layers } = system();
      if (!bodies && !layers) return false;
      contactPressure(out, system());
      return true;
    },
    reactions: () => reactions(system()),
    colliderPose(k, time) {
      colliderAt(rigid, system().scene.colliders[k], time);
      return { position: [rigid[9], rigid[10], rigid[11]], rotation: [...rigid.subarray(0, 9)] };
    },
  };
}

function phasesOf({ work }: Stepper): Simulation["phases"] {
  const { evaluate, assemble, factor, solve } = work.minimise.clock;
  const { predict, contact } = work.clock;
  return { predict, evaluate, assemble, factor, solve, contact };
}

/**
 * The sheet of a scene and where its points start: quick, for whoever wants to show it before the system is built.
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
function build(
  scene: Scene,
  { readMesh, kernels = true, startPartner }: SimulationOptions,
  before: ReadonlyMap<string, number>,
  time: number,
): Running {
  const streams = streamsOf(scene, before);
  const order = scene.sheets.map(({ name }) => streams.get(name)!);
  const sheet = sheetOf(scene, readMesh, order);
  const start = startPose(sheet, scene.sheets, scene.seed, readMesh);
  const moved = separateStart(scene, sheet, start.Y, time);
  const system = assemble(scene, sheet, start, { kernels, readMesh });
  const partners: Partner[] = [];
  const paper = isSewn(system)
    ? null
    : paperOf(
        system,
        startPartner &&
          ((arena) => {
            const started = startPartner(arena);
            if (started.partner) partners.push(started.partner);
            return instantiate(arena, started);
          }),
      );
  hold(system.pins, 0);
  const Y = system.state.Y.subarray(0, 3 * sheet.n);
  return {
    system,
    paper,
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
    told: new Set(),
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

function close({ partners, system }: Running): void {
  for (const partner of partners) partner.close();
  system.grip.releaseAll();
  system.outside = null;
}

function timeOf({ state, h }: Stepper): number {
  return state.steps * h;
}

const SEWN_OTHERWISE =
  "solver: paper projects without seams that are pulled together; the accurate solver steps this scene, with the same constraints";

/** Whether the scene asks for projections, which seams do not have. */
function isSewn({ seams, scene }: Stepper): boolean {
  return seams !== null && scene.solver === "paper";
}

function sheetNames({ sheets }: Scene): string[] {
  return sheets.map(({ name }) => name);
}

/** @param started names of the sheets that start as the scene says */
function buildWarnings({ system, paper, moved }: Running, started: readonly string[]): Warning[] {
  const { scene, substrate } = system;
  const time = timeOf(system);
  const out = moved.filter(({ sheet }) => started.includes(sheet)).map(({ warning }) => warning);
  out.push(...startWarnings(system));
  for (const text of substrate?.warnings ?? [])
    out.push({ text, points: [], time, cause: "substrate" });
  if (isSewn(system)) out.push({ text: SEWN_OTHERWISE, points: [], time, cause: "solver" });
  else if (scene.solver === "paper" && !paper && !scene.static)
    out.push({ text: DECLINED, points: [], time, cause: "solver" });
  return out;
}

/** One step by the solver of the scene; static mode finds its equilibrium in one. */
function advance(
  { system, paper, solver, told }: Running,
  report: StepReport,
  warnings: Warning[],
): void {
  sew(system, warnings);
  if (system.scene.static) settle(system, system.scene.static, report, warnings);
  else if (paper) stepPaper(system, paper, report);
  else step(system, solver, report);
  tellTroubles(system, report, told, warnings);
}

/** The same in slices; left before its end it goes back to where it began. */
function* advancing(
  running: Running,
  report: StepReport,
  warnings: Warning[],
): Generator<void, void> {
  const { system, paper, solver, told } = running;
  if (system.scene.static || paper) {
    advance(running, report, warnings);
    return;
  }
  running.backup ??= new Float64Array(stateLength(system));
  copyState(running.backup, system);
  running.isStepping = true;
  let isDone = false;
  try {
    sew(system, warnings);
    yield* stepping(system, solver, report);
    isDone = true;
  } finally {
    running.isStepping = false;
    if (!isDone) setNumbers(system, running.backup);
  }
  tellTroubles(system, report, told, warnings);
}

/** What the paper's own residual needs. */
function averagedF({ n, near, area }: Sheet): AveragedF {
  return {
    n,
    start: near.start as Int32Array,
    index: near.index as Int32Array,
    B: averagingWeights(near, area),
  };
}

/** Shortens the ropes of open seams for the coming step; once closed, the sheet bends across them. Warns if that takes too long. */
function sew(system: Stepper, warnings: Warning[]): void {
  const { seams, state, h, sheet } = system;
  if (!seams) return;
  const time = (state.steps + 1) * h;
  if (seams.beginStep(state.Y, time)) bendAcross(system);
  system.seamFrames?.beginStep(state.Y, seams.closed);
  const late = 2 * seams.until;
  if (seams.closed || time < late || time - h >= late) return;
  const { gap, points } = seams.widest(state.Y);
  warnings.push({
    text: `seam ${seamName(sheet, ...points)} is still ${(1000 * gap).toFixed(1)} mm open at ${time.toFixed(2)} s, twice the time for sewing: something is in the way, or the garment is too small; it goes on pulling`,
    points,
    time,
    cause: "seam-open",
  });
}

/** Static mode: one step is all of it. */
function settle(
  system: Stepper,
  options: NonNullable<Scene["static"]>,
  report: StepReport,
  warnings: Warning[],
): void {
  const result = equilibrium(system, options);
  report.rounds = result.iterations;
  report.cgIterations = result.cgIterations;
  report.converged = result.converged;
  worsen(report, result.converged ? "solved" : "unsolved");
  report.residual = system.isometry.residual();
  system.state.steps += 1;
  system.state.clock.fill(timeOf(system));
  if (!result.converged)
    warnings.push({
      text: `equilibrium not reached: the largest force left is ${result.force.toExponential(1)} of a point's weight (asked: ${options.forceTolerance}); raise static.maxIterations`,
      points: [],
      time: timeOf(system),
      cause: "equilibrium",
    });
}

function pinPoints({ scene, pins }: Stepper, name: string): Int32Array {
  const p = scene.pins.indexOf(named("pin", scene.pins, name));
  return Int32Array.from(pins.held[p].points);
}

function grab({ grip, sheet }: Stepper, points: readonly number[], target: Readonly<Vec3>): Hand {
  const wrong = points.find((i) => !Number.isInteger(i) || i < 0 || i >= sheet.n);
  if (wrong !== undefined)
    throw new LiveError("hand", `there is no point ${wrong}; points are 0 … ${sheet.n - 1}`);
  if (points.length === 0 || points.length > MOST_FINGERS)
    throw new LiveError("hand", `got ${points.length} points, needs 1 … ${MOST_FINGERS}`);
  if (grip.hands >= MOST_HANDS)
    throw new LiveError("hand", `${MOST_HANDS} hands hold something already; release one`);
  checkVector("hand", "target", target);
  const hand = grip.grab(points, target);
  return {
    ...hand,
    moveTo(next) {
      checkVector("hand", "target", next);
      hand.moveTo(next);
    },
  };
}

/** Positions, velocities and time from outside; the next step is one of Euler's, since the one before it is not known. */
function setState(
  { system, Y, V }: Running,
  given: { Y?: ArrayLike<number>; V?: ArrayLike<number>; time?: number },
): void {
  for (const [field, values] of [["Y", given.Y] as const, ["V", given.V] as const]) {
    if (!values) continue;
    if (values.length !== Y.length)
      throw new LiveError("state", `${field} has ${values.length} numbers, needs ${Y.length}`);
    checkFinite("state", field, values);
  }
  const { state, h } = system;
  if (given.time !== undefined) {
    checkRange("state", "time", given.time, { min: 0, max: 1e9, unit: "s" });
    state.steps = Math.round(given.time / h);
    state.clock.fill(timeOf(system));
  }
  if (given.Y) {
    Y.set(given.Y);
    if (system.framed > 0) state.Y.set(framesOf(system.sheet, system.rings, Y), Y.length);
  }
  if (given.V) V.set(given.V);
  state.Yold.set(state.Y);
  state.Vold.set(state.V);
  state.smoothSteps = 0;
}
