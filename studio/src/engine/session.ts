/** One opened scene as the engine keeps it: its simulation, its recording, and what is counted while it runs. */
import {
  buildSheet,
  countStep,
  createMemoryRecording,
  createTally,
  type Hand,
  hashNumbers,
  isFrameStep,
  type MemoryRecording,
  type Metrics,
  type ReadMesh,
  type SceneInput,
  type Simulation,
  SimulationError,
  type Tally,
  takeMetrics,
  totalSteps,
  type Vec3,
} from "../../../src/index.ts";
import { bodyTimes } from "./bodies.ts";
import type { FrameWriter } from "./frames.ts";
import type { createRange, Field } from "./overlays.ts";
import type { Files, FromEngine, Reaction } from "./protocol.ts";

export type Post = (message: FromEngine, transfer?: ArrayBuffer[]) => void;

/** s of simulated time between published frames. */
export const BEAT: number = 1 / 60;
/** Bytes of recorded positions: some ten minutes of 662 points. */
const MOST_RECORDED = 400e6;

export interface Session {
  readonly serial: number;
  input: SceneInput;
  readonly files: Files;
  readonly readMesh: ReadMesh | undefined;
  simulation: Simulation;
  recording: MemoryRecording;
  tally: Tally;
  readonly writer: FrameWriter & { giveBack?(buffer: ArrayBuffer): void };
  field: Field | null;
  range: ReturnType<typeof createRange> | null;
  /** Beats of 1/60 s that were simulated. */
  beat: number;
  published: number;
  /** What the pointer holds of the sheet. */
  hand: Hand | null;
  /** Set by hand: no longer what the scene alone gives. */
  touched: boolean;
  finished: boolean;
  /** Frame of the recording that is shown instead of the present. */
  shown: number | null;
  /** Warnings of the simulation that were sent. */
  warned: number;
  recordedBytes: number;
  /** [n] Pa of every recorded frame, in scenes where something can touch. */
  pressures: Float32Array[];
  /** Forces of the pins in every recorded frame. */
  reactions: Reaction[][];
  /** Points that are measured on every beat. */
  probed: readonly number[];
  recent: { steps: number; rounds: number; milliseconds: number; contacts: number };
  lastMetrics: Metrics | null;
}

export function createSession(
  opened: Pick<Session, "serial" | "input" | "files" | "readMesh" | "simulation" | "writer">,
): Session {
  const session: Session = {
    ...opened,
    recording: createMemoryRecording(),
    tally: createTally(),
    field: null,
    range: null,
    beat: 0,
    published: 0,
    hand: null,
    touched: false,
    finished: false,
    shown: null,
    warned: 0,
    recordedBytes: 0,
    pressures: [],
    reactions: [],
    probed: [],
    recent: { steps: 0, rounds: 0, milliseconds: 0, contacts: 0 },
    lastMetrics: null,
  };
  return session;
}

/** Starts the recording anew, with the state of the simulation as its first frame. */
export function beginRecording(s: Session, post: Post): void {
  s.recording = createMemoryRecording();
  s.recording.begin(s.simulation.scene, s.simulation.sheet);
  s.tally = createTally();
  s.beat = 0;
  s.touched = false;
  s.finished = false;
  s.shown = null;
  s.warned = 0;
  s.recordedBytes = 0;
  s.pressures = [];
  s.reactions = [];
  record(s, post);
}

/**
 * Keeps the present state as a frame of the recording.
 * @param reactions of the pins; those of the last step if not given
 */
export function record(s: Session, post: Post, reactions?: Reaction[]): void {
  const { simulation } = s;
  const metrics = takeMetrics(s.tally, simulation);
  s.lastMetrics = metrics;
  if (s.recordedBytes > MOST_RECORDED) return;
  const motion = { V: simulation.V, smoothing: simulation.smoothing() };
  s.recording.frame(simulation.time, simulation.pose, metrics, bodyTimes(simulation), motion);
  s.recordedBytes += frameBytes(simulation);
  // before the first step there is no balance of forces to read reactions from
  s.reactions.push(reactions ?? (simulation.steps === 0 ? [] : reactionsOf(s)));
  const pressure = new Float32Array(simulation.sheet.n);
  if (simulation.contactPressure(pressure)) s.pressures.push(pressure);
  if (s.recordedBytes > MOST_RECORDED)
    post({
      type: "warning",
      serial: s.serial,
      text: `the timeline is full (${Math.round(MOST_RECORDED / 1e6)} MB); the run goes on, but what follows is not kept. Reset starts a new one.`,
      points: [],
      time: simulation.time,
      fatal: false,
    });
}

/** Force of every pin, and how far it has led its points from where they were in the first frame; what holds a substrate leads none. */
export function reactionsOf({ simulation, recording }: Session): Reaction[] {
  const { Y } = simulation;
  const start = recording.positions(0);
  return simulation.reactions().map(({ name, force }) => {
    const isPin = simulation.scene.pins.some((pin) => pin.name === name);
    const points = isPin ? simulation.pinPoints(name) : [];
    const shift: Vec3 = [0, 0, 0];
    for (const i of points)
      for (let c = 0; c < 3; c++) shift[c] += (Y[3 * i + c] - start[3 * i + c]) / points.length;
    return { name, force, shift };
  });
}

/** Sends the warnings of the simulation that were not sent yet. */
export function tellWarnings(s: Session, post: Post): void {
  const { warnings } = s.simulation;
  for (; s.warned < warnings.length; s.warned++) {
    const { text, points, time, cause } = warnings[s.warned];
    const told = { text, points: [...points], time, cause, fatal: false };
    post({ type: "warning", serial: s.serial, ...told });
  }
}

/** What a step came to: it goes on, the scene has found its place (static mode), or it cannot go on. */
export type Advanced = "goes on" | "at rest" | "failed";

/** One step with everything that follows from it. */
export function advance(s: Session, post: Post): Advanced {
  const { simulation } = s;
  const before = performance.now();
  try {
    const report = simulation.step();
    countStep(s.tally, report);
    s.recent.rounds += report.rounds;
    s.recent.contacts = report.contacts;
  } catch (error) {
    post({
      type: "warning",
      serial: s.serial,
      text: (error as Error).message,
      points: error instanceof SimulationError ? error.points : [],
      time: simulation.time,
      fatal: true,
    });
    return "failed";
  }
  s.recent.steps += 1;
  s.recent.milliseconds += performance.now() - before;
  const { scene } = simulation;
  const last = totalSteps(scene);
  if (isFrameStep(scene, simulation.steps) || simulation.steps === last) record(s, post);
  tellWarnings(s, post);
  if (s.finished || simulation.steps < last) return "goes on";
  s.finished = true;
  post({
    type: "finished",
    serial: s.serial,
    hash: hashNumbers(simulation.Y),
    time: simulation.time,
    touched: s.touched,
  });
  return scene.static === null ? "goes on" : "at rest";
}

/** Frames after the shown one are dropped and the run goes on from there: what was simulated after it is dropped. */
export function cutBack(s: Session): void {
  const frame = s.shown;
  s.shown = null;
  if (frame === null || frame === s.recording.frames - 1) return;
  const { simulation } = s;
  const kept = createMemoryRecording();
  kept.begin(s.recording.scene, s.recording.sheet);
  for (let k = 0; k <= frame; k++)
    kept.frame(
      s.recording.time(k),
      s.recording.pose(k),
      s.recording.metrics[k],
      s.recording.bodyTimes(k),
      s.recording.motion(k) ?? undefined,
    );
  const { time } = s.recording.metrics[frame];
  if (frame > 0) {
    const V = s.recording.motion(frame)?.V;
    simulation.setState({ Y: s.recording.positions(frame), ...(V && { V }), time });
    s.touched = true;
  } else {
    const { Y, V } = buildSheet(simulation.scene, s.readMesh);
    simulation.setState({ Y, V, time: 0 });
    s.touched = false;
  }
  s.recording = kept;
  s.pressures.length = Math.min(s.pressures.length, frame + 1);
  s.reactions.length = Math.min(s.reactions.length, frame + 1);
  s.tally.steps = simulation.steps;
  s.finished = false;
  s.beat = Math.floor((simulation.time + 1e-9) / BEAT);
  s.recordedBytes = kept.frames * frameBytes(simulation);
}

/** Of a frame in memory: the pose, and velocities in single precision. */
function frameBytes({ pose, V }: Session["simulation"]): number {
  return pose.byteLength + 4 * V.length;
}
