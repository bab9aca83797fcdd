/**
 * A scene that runs: scene → sheet → system → step → state. Programs drive it through this interface; what a change does
 * to the running system is in live/.
 */
import { advance, advancing } from "./live/advance.ts";
import { grab, pinPoints, setState } from "./live/hold.ts";
import { LiveError } from "./live/live-error.ts";
import {
  type ColliderChange,
  releasePin,
  setCollider,
  setPin,
  type Timing,
  type Transform,
} from "./live/motions.ts";
import {
  contactNow,
  contactPressure,
  type Energy,
  energy,
  reactions,
  smoothingStiffness,
} from "./live/readings.ts";
import { carryState, type Rebuilt, without } from "./live/rebuild.ts";
import {
  averagedF,
  build,
  buildWarnings,
  close,
  type Running,
  type SimulationOptions,
  timeOf,
} from "./live/running.ts";
import { liveFields, restoreState, saveState } from "./live/saved.ts";
import {
  type DetailChange,
  type ForceCallback,
  type LoadChange,
  setDetails,
  setForce,
  setLoads,
  setMaterial,
} from "./live/settings.ts";
import type { ColliderInput, MaterialInput, PinInput, SheetInput } from "./scene/input.ts";
import { colliderAt, createRigid } from "./scene/motion.ts";
import { parseScene, type Scene, type Vec3 } from "./scene/scene.ts";
import { sceneInput } from "./scene/write.ts";
import type { Sheet } from "./sheet/kinematics.ts";
import { createStepReport, type StepReport } from "./step/outcome.ts";
import { wake } from "./step/sleep.ts";
import type { Stepper } from "./step/stepper.ts";
import { lateDrivers } from "./step/warnings.ts";
import { hold } from "./system/attachments.ts";
import type { Hand } from "./system/grip.ts";
import { paperResidual } from "./system/isometry.ts";
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
  /**
   * Advances by h. The report is the same object every time.
   *
   * @example
   * const { converged } = simulation.step();
   */
  step(): StepReport;
  /**
   * The same in slices of some 40 ms, so that a program can do other work between them. A generator that is ended early (by return or throw) restores the
   * state before the step. Between slices nothing can be changed, saved or stepped.
   *
   * @example
   * for (const _ of simulation.stepping()) await new Promise((resolve) => setTimeout(resolve));
   */
  stepping(): Generator<void, StepReport>;
  /**
   * Names of pins and bodies that could not go on and are behind their paths.
   *
   * @example
   * if (simulation.heldBack().includes("left")) console.log("the left pin waits");
   */
  heldBack(): string[];
  /**
   * s: the time on its path at which body k is; that of the simulation unless it was held back.
   *
   * @example
   * const late = simulation.time - simulation.bodyTime(0); // s
   */
  bodyTime(k: number): number;

  /**
   * Moves a pin: to a transform of where its points started; to the place where the mean of its points is to be (3 numbers);
   * or to places of its own for every point (xyz of each, in the order of `pinPoints`). A pin that has let go takes hold again.
   *
   * @example
   * simulation.setPin("left", { translate: [0, 0, 0.1] }); // is there 1/60 s later
   */
  setPin(name: string, to: Transform | ArrayLike<number>, timing?: Timing): void;
  /**
   * Lets go of a pin now.
   *
   * @example
   * simulation.releasePin("left");
   */
  releasePin(name: string): void;
  /**
   * The points that a pin holds.
   *
   * @example
   * const [first] = simulation.pinPoints("left");
   */
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
  /**
   * Moves a body, or changes its friction.
   *
   * @example
   * simulation.setCollider("ball", { position: [0, 0, 0.2], friction: 0.6 }, { seconds: 0.5 }); // is there half a second later
   */
  setCollider(name: string, change: ColliderChange, timing?: Timing): void;
  /**
   * Changes D, Young's modulus, Poisson's ratio or damping of a sheet; other fields need `rebuild`, and the error says so.
   *
   * @example
   * simulation.setMaterial("cloth", { D: 1e-4 }); // N·m
   */
  setMaterial(sheet: string, change: string | MaterialInput): void;
  /**
   * Changes gravity, air and pressure; air gets a density only where the scene has given it one.
   *
   * @example
   * simulation.setLoads({ gravity: 1.62, air: { wind: [2, 0, 0] } }); // m/s², m/s
   */
  setLoads(change: LoadChange): void;
  /**
   * Calls a function at the start of every step (and sub-step) that adds forces to the points; null ends it.
   *
   * @example
   * simulation.setForce((f, { time }) => {
   *   f[2] += 0.01 * Math.sin(time); // N, along z on point 0
   * });
   */
  setForce(callback: ForceCallback | null): void;
  /**
   * Changes what pictures and recordings read of the scene and the simulation does not: names, its end, the camera, looks of sheets.
   *
   * @example
   * simulation.setDetails({ name: "blue", looks: { cloth: { front: "#2244aa" } } });
   */
  setDetails(details: DetailChange): void;
  /**
   * Sets positions, velocities or the time; what is left out stays as it is.
   *
   * @example
   * simulation.setState({ V: new Float64Array(simulation.V.length) }); // stops every point
   */
  setState(state: { Y?: ArrayLike<number>; V?: ArrayLike<number>; time?: number }): void;

  /**
   * Goes on with another scene from the present positions and velocities, in new arrays. Hands are released and the force callback ends.
   *
   * @example
   * const next = structuredClone(simulation.scene);
   * next.contact.self = true;
   * const { kept, started } = simulation.rebuild(next);
   */
  rebuild(scene: Scene): Rebuilt;
  /**
   * Adds a sheet, at its start pose. Rebuilds.
   *
   * @example
   * simulation.addSheet({ name: "patch", shape: { type: "disc", radius: 0.1 }, sampling: { points: 40 } });
   */
  addSheet(sheet: SheetInput): Rebuilt;
  /**
   * Adds a pin that holds its points where they are. Rebuilds.
   *
   * @example
   * simulation.addPin({ name: "third", at: { corner: "bottom-left" } });
   */
  addPin(pin: PinInput): Rebuilt;
  /**
   * Adds a body. Rebuilds.
   *
   * @example
   * simulation.addCollider({ name: "floor", body: { type: "plane" }, position: [0, 0, -1] });
   */
  addCollider(collider: ColliderInput): Rebuilt;
  /**
   * Removes a sheet (with the pins and masses on it), a pin or a body. Rebuilds.
   *
   * @example
   * simulation.remove("collider", "ball");
   */
  remove(kind: "sheet" | "pin" | "collider", name: string): Rebuilt;

  /**
   * State and live changes as bytes: `restore` brings them back bit for bit, here or in another simulation of the same scene. Hands and the force
   * callback are not part of it.
   *
   * @example
   * const bytes = simulation.save();
   * simulation.step();
   * simulation.restore(bytes); // as if that step had not been
   */
  save(): Uint8Array;
  /**
   * Sets the state that `save` gave.
   *
   * @example
   * simulation.restore(simulation.save());
   */
  restore(bytes: Uint8Array): void;
  /**
   * Ends its threads and frees its memory. Nothing but another dispose may be called afterwards.
   *
   * @example
   * simulation.dispose();
   */
  dispose(): void;

  /**
   * Energies, J.
   *
   * @example
   * const { kinetic, bending } = simulation.energy();
   */
  energy(): Energy;
  /**
   * Stiffness K_r of what keeps the edges of limp cloth from turning into an S, N/m for each sheet; empty where samples have no frames.
   *
   * @example
   * const [stiffness] = simulation.smoothing();
   */
  smoothing(): Float64Array;
  /**
   * The paper's own residuals g^tr and g^det, largest over the points, 1.
   *
   * @example
   * const { trace, det } = simulation.residual();
   */
  residual(): { trace: number; det: number };
  /**
   * Deepest penetration (m, thickness included), number of active contacts, and the point where it is deepest (−1: none).
   *
   * @example
   * const { penetration } = simulation.contact();
   */
  contact(): { penetration: number; contacts: number; point: number };
  /**
   * Pa per point into out [n], as the last step found it; false if the scene has no contact.
   *
   * @example
   * const pressure = new Float64Array(simulation.sheet.n);
   * simulation.contactPressure(pressure);
   */
  contactPressure(out: Float32Array | Float64Array): boolean;
  /**
   * Force of every pin on the sheet at the end of the last step, N (solvers accurate and interactive, and static mode; none by projections).
   *
   * @example
   * const [{ name, force }] = simulation.reactions();
   */
  reactions(): { name: string; force: Vec3 }[];
  /**
   * Where collider k is at a time: position and rotation matrix by rows.
   *
   * @example
   * const { position } = simulation.colliderPose(0, simulation.time);
   */
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
  /** The same for changes and saves, which are refused while a step is under way. */
  const still = (): Running => {
    const now = running();
    if (now.isStepping)
      throw new LiveError("simulation", "a step in slices is under way; finish or leave it first");
    return now;
  };
  const change = (apply: (system: Stepper) => void): void => {
    apply(still().system);
    wake(system());
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
  | "setDetails"
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
    setForce(callback) {
      setForce(still().system, callback);
      wake(system());
    },
    setDetails: (details) => setDetails(still().system, details),
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
  | "smoothing"
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
    smoothing: () => smoothingStiffness(system()),
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

function sheetNames({ sheets }: Scene): string[] {
  return sheets.map(({ name }) => name);
}
