/**
 * The engine's side of the studio: one scene that runs, its recording, and frames for whoever draws. No page in here;
 * worker.ts connects it to one.
 *
 * Time. A beat is 1/60 s of simulated time; frames are published on beats (and after every step, if steps take longer
 * than a beat of wall time). Alone, a scene keeps pace with the clock times `speed` and, where it cannot, runs as fast as
 * it can without trying to catch up. Side by side, an engine runs to the beat it is allowed and waits there.
 *
 * Changes. A change that leaves the sheet as it is takes effect as it runs: gravity, air and pressure are read anew every
 * step, rigidity gives a new bending matrix, anything else a new system that goes on from the same positions and
 * velocities. Only another sheet (shape, sampling, neighbourhood, pose) starts anew.
 */

import { hashNumbers } from "../../../src/recording/hash.ts";
import { edgeStrain } from "../../../src/recording/measures.ts";
import { createMemoryRecording, type MemoryRecording } from "../../../src/recording/recording.ts";
import { isFrameStep, totalSteps } from "../../../src/recording/run.ts";
import {
  countStep,
  createTally,
  type Metrics,
  summarise,
  type Tally,
  takeMetrics,
} from "../../../src/recording/summary.ts";
import { SceneError } from "../../../src/scene/faults.ts";
import { splitObject } from "../../../src/scene/files.ts";
import type { SceneInput } from "../../../src/scene/input.ts";
import { colliderAt, createRigid, motionAt } from "../../../src/scene/motion.ts";
import { parseScene, type Scene, type Vec3 } from "../../../src/scene/scene.ts";
import { createSheet, type ReadMesh } from "../../../src/sheet/kinematics.ts";
import { pick } from "../../../src/sheet/picks.ts";
import { startPose } from "../../../src/sheet/pose.ts";
import { createSimulation, type Simulation } from "../../../src/simulation.ts";
import { SimulationError } from "../../../src/step/step.ts";
import { bending } from "../../../src/system/bending.ts";
import { setFrame } from "../../../src/view/frame.ts";
import {
  createSharedFrames,
  type FrameWriter,
  HEAD,
  sharedWriter,
  transferWriter,
} from "./frames.ts";
import { contactPressure, createField, createRange, type Field } from "./overlays.ts";
import type { Beat, Files, FromEngine, Overlay, ToEngine } from "./protocol.ts";

export type Post = (message: FromEngine, transfer?: ArrayBuffer[]) => void;

/** s of simulated time between published frames. */
const BEAT = 1 / 60;
/** ms after which the engine looks for messages. */
const BREATH = 12;
/** Bytes of recorded positions: some ten minutes of 662 points. */
const MOST_RECORDED = 400e6;

/** What belongs to one opened scene. */
interface Session {
  readonly serial: number;
  readonly input: SceneInput;
  readonly files: Files;
  readonly readMesh: ReadMesh | undefined;
  simulation: Simulation;
  recording: MemoryRecording;
  tally: Tally;
  readonly writer: FrameWriter & { giveBack?(buffer: ArrayBuffer): void };
  field: Field | null;
  range: ReturnType<typeof createRange> | null;
  beat: number;
  published: number;
  touched: boolean;
  /** What the pointer holds of the sheet. */
  hand: ReturnType<Simulation["grab"]> | null;
  finished: boolean;
  /** Frame of the recording that is shown instead of the present. */
  shown: number | null;
  warned: number;
  recordedBytes: number;
  /** [n] Pa of every recorded frame, in scenes where something can touch. */
  pressures: Float32Array[];
  recent: { steps: number; rounds: number; milliseconds: number; contacts: number };
  lastMetrics: Metrics | null;
}

export interface Engine {
  handle(message: ToEngine): Promise<void>;
  /** Runs for a while if there is something to do; gives ms until it should be called again, null if nothing is due. */
  tick(): number | null;
}

export function createEngine(post: Post): Engine {
  let session: Session | null = null;
  let running = false;
  let speed = 1;
  let allowed: number | null = null;
  let overlay: Overlay = "none";
  /** Where simulated and wall time last met. */
  let pace = { time: 0, wall: 0 };
  let lastPublish = 0;
  const Yshown: { Y: Float64Array } = { Y: new Float64Array(0) };

  const rebase = (): void => {
    pace = { time: session?.simulation.time ?? 0, wall: performance.now() };
  };

  /** Writes what is to be seen now into a slot and hands it over. */
  const publish = (s: Session): void => {
    const { simulation, writer } = s;
    const { sheet, scene } = simulation;
    const slot = writer.slot();
    const time = s.shown === null ? simulation.time : s.recording.time(s.shown);
    let Y = simulation.pose;
    if (s.shown !== null) {
      if (Yshown.Y.length !== Y.length) Yshown.Y = new Float64Array(Y.length);
      Y = s.recording.pose(s.shown, Yshown.Y);
    }
    const strain = edgeStrain(sheet, Y);
    setFrame(slot, Y, sheet.triangles);
    if (s.field !== null && s.range !== null) {
      const values = s.field.values(Y, s.shown);
      slot.values.set(values);
      const { low, high, clipped } = s.range(values);
      slot.head[HEAD.low] = low;
      slot.head[HEAD.high] = high;
      slot.head[HEAD.clipped] = clipped ? 1 : 0;
    } else {
      slot.values.fill(0);
      slot.head[HEAD.low] = 0;
      slot.head[HEAD.high] = 1;
      slot.head[HEAD.clipped] = 0;
    }
    slot.poses.set(posesAt(scene, time));
    s.published += 1;
    slot.head[HEAD.serial] = s.published;
    slot.head[HEAD.time] = time;
    slot.head[HEAD.steps] = simulation.steps;
    slot.head[HEAD.edgeMax] = strain.max;
    slot.head[HEAD.edgeMean] = strain.mean;
    slot.head[HEAD.shown] = s.shown ?? -1;
    slot.head[HEAD.beat] = s.beat;
    writer.publish();

    const now = performance.now();
    const { recent } = s;
    const metrics = s.lastMetrics;
    const line: Beat = {
      time,
      steps: simulation.steps,
      edgeMax: strain.max,
      edgeMean: strain.mean,
      rounds: recent.steps === 0 ? 0 : recent.rounds / recent.steps,
      stepMs: recent.steps === 0 ? 0 : recent.milliseconds / recent.steps,
      pace: now > lastPublish ? (recent.steps * scene.h * 1000) / (now - lastPublish) : 0,
      contacts: recent.contacts,
      energy:
        metrics === null
          ? null
          : {
              kinetic: metrics.kinetic,
              gravity: metrics.gravity,
              bending: metrics.bending,
              membrane: metrics.membrane,
              total: metrics.total,
            },
    };
    s.lastMetrics = null;
    s.recent = { steps: 0, rounds: 0, milliseconds: 0, contacts: 0 };
    lastPublish = now;
    const { frames } = s.recording;
    post({
      type: "beat",
      serial: s.serial,
      beat: s.beat,
      line,
      frames,
      end: frames > 0 ? s.recording.time(frames - 1) : 0,
      running,
      touched: s.touched,
      shown: s.shown,
    });
  };

  const warnings = (s: Session): void => {
    const { warnings: list } = s.simulation;
    for (; s.warned < list.length; s.warned++) {
      const { text, points, time } = list[s.warned];
      post({ type: "warning", serial: s.serial, text, points: [...points], time, fatal: false });
    }
  };

  const record = (s: Session): void => {
    const metrics = takeMetrics(s.tally, s.simulation);
    s.lastMetrics = metrics;
    if (s.recordedBytes > MOST_RECORDED) return;
    s.recording.frame(s.simulation.time, s.simulation.pose, metrics);
    s.recordedBytes += s.simulation.pose.byteLength;
    const { system } = s.simulation;
    if (system.bodies || system.layers) {
      const pressure = new Float32Array(system.n);
      contactPressure(pressure, system);
      s.pressures.push(pressure);
    }
    if (s.recordedBytes > MOST_RECORDED)
      post({
        type: "warning",
        serial: s.serial,
        text: `the timeline is full (${Math.round(MOST_RECORDED / 1e6)} MB); the run goes on, but what follows is not kept. Reset starts a new one.`,
        points: [],
        time: s.simulation.time,
        fatal: false,
      });
  };

  /** One step with everything that hangs on it. False: it cannot go on. */
  const advance = (s: Session): boolean => {
    const { simulation } = s;
    const before = performance.now();
    try {
      const report = simulation.step();
      countStep(s.tally, report);
      s.recent.rounds += report.rounds;
      s.recent.contacts = report.contacts;
    } catch (error) {
      running = false;
      post({
        type: "warning",
        serial: s.serial,
        text: (error as Error).message,
        points: error instanceof SimulationError ? error.points : [],
        time: simulation.time,
        fatal: true,
      });
      return false;
    }
    s.recent.steps += 1;
    s.recent.milliseconds += performance.now() - before;
    const { scene } = simulation;
    const last = totalSteps(scene);
    if (isFrameStep(scene, simulation.steps) || simulation.steps === last) record(s);
    if (!s.finished && simulation.steps >= last) {
      s.finished = true;
      if (scene.static !== null) running = false; // it has found its place
      post({
        type: "finished",
        serial: s.serial,
        hash: hashNumbers(simulation.Y),
        time: simulation.time,
        touched: s.touched,
      });
    }
    warnings(s);
    return true;
  };

  /** Steps to the next beat, or until it is time to look for messages. True: a beat was reached. */
  const toBeat = (s: Session): boolean => {
    const goal = (s.beat + 1) * BEAT - 1e-9;
    const started = performance.now();
    while (s.simulation.time < goal) {
      if (!advance(s)) return true;
      if (performance.now() - started > BREATH && s.simulation.time < goal) return false;
    }
    s.beat = Math.floor((s.simulation.time + 1e-9) / BEAT);
    return true;
  };

  const setOverlay = (s: Session): void => {
    s.field = createField(overlay, s.simulation, s.pressures);
    s.range = s.field === null ? null : createRange(s.field);
    post({
      type: "legend",
      serial: s.serial,
      overlay,
      label: s.field?.label ?? "",
      unit: s.field?.unit ?? "",
      factor: s.field?.factor ?? 1,
      map: s.field?.map.name ?? "",
    });
  };

  const begin = (s: Session): void => {
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
    record(s);
  };

  const open = async (message: ToEngine & { type: "open" }): Promise<void> => {
    const { input, files, keep, serial, shared } = message;
    const started = performance.now();
    try {
      const scene = parseScene(input, "scene");
      const readMesh = await meshReader(scene, files);
      const old = session;
      if (keep && old !== null && sameSheet(old.simulation.scene, scene)) {
        if (old.shown !== null) cutBack(old);
        changeLive(old, scene, readMesh);
        session = { ...old, serial, input, files, readMesh, touched: true };
        setOverlay(session);
        post(openedMessage(session, "live", null));
        post({ type: "built", serial, milliseconds: performance.now() - started });
        warnings(session);
        publish(session);
        return;
      }

      // the sheet alone is quick: show it while the system is being built
      const sheet = createSheet(scene.sheets, scene.seed, readMesh);
      const start = startPose(sheet, scene.sheets, scene.seed, readMesh);
      const layout = { n: sheet.n, bodies: scene.colliders.length };
      const buffer = shared ? createSharedFrames(layout) : null;
      post(opened(serial, scene, sheet, start.Y as Float64Array, buffer, readMesh));
      session = null;

      const simulation = createSimulation(scene, readMesh ? { readMesh } : {});
      const writer =
        buffer === null
          ? transferWriter(layout, (b) => post({ type: "frame", serial, buffer: b }, [b]))
          : sharedWriter(buffer, layout);
      const next: Session = {
        serial,
        input,
        files,
        readMesh,
        simulation,
        writer,
        recording: createMemoryRecording(),
        tally: createTally(),
        field: null,
        range: null,
        beat: 0,
        published: 0,
        touched: false,
        hand: null,
        finished: false,
        shown: null,
        warned: 0,
        recordedBytes: 0,
        pressures: [],
        recent: { steps: 0, rounds: 0, milliseconds: 0, contacts: 0 },
        lastMetrics: null,
      };
      session = next;
      begin(next);
      setOverlay(next);
      post({ type: "built", serial, milliseconds: performance.now() - started });
      warnings(next);
      rebase();
      publish(next);
    } catch (error) {
      post(refusal(error, "scene", serial));
    }
  };

  const openedMessage = (
    s: Session,
    taken: "live" | "restart",
    buffer: SharedArrayBuffer | null,
  ): FromEngine => {
    const { scene, sheet, system } = s.simulation;
    return {
      ...opened(s.serial, scene, sheet, Float64Array.from(system.state.Y), buffer, s.readMesh),
      taken,
    };
  };

  return {
    async handle(message) {
      switch (message.type) {
        case "open":
          await open(message);
          return;
        case "read": {
          try {
            const { readFile } = await import("./read-file.ts");
            post({
              type: "read",
              name: message.name,
              ...(await readFile(message.name, message.bytes, message.files)),
            });
          } catch (error) {
            post(refusal(error, message.name, -1));
          }
          return;
        }
        case "export": {
          try {
            if (session === null) throw new Error("nothing has been simulated yet");
            const s = session;
            const { makeFiles } = await import("../keep/make-files.ts");
            const files = await makeFiles(message.request, {
              recording: s.recording,
              simulation: s.simulation,
              readMesh: s.readMesh,
              files: s.files,
              input: s.input,
              frame: s.shown,
              summary: () => summarise(s.simulation, s.tally),
              tally: s.tally,
            });
            post(
              { type: "made", id: message.id, files },
              files.map(({ bytes }) => bytes.buffer as ArrayBuffer),
            );
          } catch (error) {
            post({ type: "not-made", id: message.id, message: (error as Error).message });
          }
          return;
        }
        case "overlay":
          overlay = message.overlay;
          break;
        case "run":
          running = message.on;
          speed = message.speed;
          break;
        case "allow":
          allowed = message.beat;
          break;
      }
      if (session === null) return;
      const s = session;
      switch (message.type) {
        case "overlay":
          setOverlay(s);
          publish(s);
          break;
        case "run":
          if (running && s.shown !== null) cutBack(s);
          rebase();
          publish(s);
          break;
        case "step": {
          running = false;
          if (s.shown !== null) cutBack(s);
          if (advance(s)) s.beat = Math.floor((s.simulation.time + 1e-9) / BEAT);
          publish(s);
          break;
        }
        case "reset": {
          const scene = parseScene(s.input, "scene");
          s.simulation = createSimulation(scene, s.readMesh ? { readMesh: s.readMesh } : {});
          s.hand = null;
          begin(s);
          setOverlay(s);
          rebase();
          post(openedMessage(s, "restart", null));
          publish(s);
          break;
        }
        case "show": {
          const { frames } = s.recording;
          s.shown =
            message.frame === null || frames === 0
              ? null
              : Math.max(0, Math.min(frames - 1, Math.round(message.frame)));
          if (message.frame !== null) running = false;
          publish(s);
          break;
        }
        case "grab": {
          s.touched = true;
          if (message.target === null || s.hand?.points[0] !== message.point) {
            s.hand?.release();
            s.hand = null;
          }
          if (message.target === null) break;
          if (s.hand) s.hand.moveTo(message.target);
          else s.hand = s.simulation.grab([message.point], message.target);
          break;
        }
        case "body": {
          moveBody(s, message.body, message.position, message.turn, message.spin);
          if (!running) publish(s);
          break;
        }
        case "give-back":
          s.writer.giveBack?.(message.buffer);
          break;
      }
    },

    tick() {
      const s = session;
      if (s === null || !running || s.shown !== null) return null;
      if (allowed !== null && s.beat >= allowed) return null;
      const now = performance.now();
      if (allowed === null) {
        // ahead of the clock: wait; far behind: this machine is slower than the scene, so do not try to catch up
        const due = pace.time + ((now - pace.wall) / 1000) * speed;
        const ahead = (s.beat + 1) * BEAT - due;
        if (ahead > 1e-3) return Math.max(1, (1000 * ahead) / speed);
        if (ahead < -0.1) rebase();
      }
      const reached = toBeat(s);
      if (reached || (allowed === null && performance.now() - lastPublish > 1000 / 60)) publish(s);
      return 0;
    },
  };
}

const rigid = createRigid();

/** Frames after the shown one are dropped and the run goes on from there: the past that was left is gone. */
function cutBack(s: Session): void {
  const frame = s.shown;
  s.shown = null;
  if (frame === null || frame === s.recording.frames - 1) return;
  const { simulation } = s;
  const { state } = simulation.system;
  const kept = createMemoryRecording();
  kept.begin(s.recording.scene, s.recording.sheet);
  for (let k = 0; k <= frame; k++)
    kept.frame(s.recording.time(k), s.recording.pose(k), s.recording.metrics[k]);
  const { time } = s.recording.metrics[frame];
  const { h } = simulation.scene;

  // velocities were not recorded: the difference of two frames is their mean in between
  if (frame > 0) {
    const span = time - s.recording.time(frame - 1);
    const before = s.recording.positions(frame - 1);
    s.recording.pose(frame, simulation.pose);
    for (let k = 0; k < before.length; k++) simulation.V[k] = (simulation.Y[k] - before[k]) / span;
    s.touched = true;
  } else {
    const fresh = createSimulation(simulation.scene, s.readMesh ? { readMesh: s.readMesh } : {});
    simulation.pose.set(fresh.pose);
    simulation.V.set(fresh.V);
    s.touched = false;
  }
  state.Yold.set(simulation.pose);
  state.Vold.set(simulation.V);
  state.steps = Math.round(time / h);
  state.smoothSteps = 0;
  s.recording = kept;
  s.pressures.length = Math.min(s.pressures.length, frame + 1);
  s.tally.steps = state.steps;
  s.finished = false;
  s.beat = Math.floor((simulation.time + 1e-9) / BEAT);
  s.recordedBytes = kept.frames * simulation.pose.byteLength;
}

/** Whether two scenes have the same points and bodies, so that one can go on from the other. */
function sameSheet(a: Scene, b: Scene): boolean {
  const geometry = ({ seed, sheets, substrate, colliders, static: equilibrium }: Scene): string =>
    JSON.stringify([
      seed,
      substrate,
      equilibrium,
      colliders.map(({ body }) => body),
      sheets.map(({ shape, sampling, neighbourhood, pose, noise, velocity, spin }) => [
        shape,
        sampling,
        neighbourhood,
        pose,
        noise,
        velocity,
        spin,
      ]),
    ]);
  return geometry(a) === geometry(b);
}

/** Fields of a scene that every step reads anew. */
const READ_EVERY_STEP = ["gravity", "pressure"] as const;

/** Puts the session onto another scene with the same sheet, at the same positions and velocities. */
function changeLive(s: Session, scene: Scene, readMesh: ReadMesh | undefined): void {
  const old = s.simulation;
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const cleared = (x: Scene): Scene => {
    const copy = structuredClone(x);
    for (const name of READ_EVERY_STEP) delete (copy as Partial<Scene>)[name];
    copy.air = { ...copy.air, drag: 0, wind: [0, 0, 0] };
    copy.sheets = copy.sheets.map((sheet) => ({
      ...sheet,
      material: { ...sheet.material, D: 0, preset: null },
    }));
    copy.name = "";
    copy.description = "";
    copy.seconds = 0;
    copy.view = { camera: "auto", ground: true };
    return copy;
  };
  if (scene.method === "isometry" && same(cleared(old.scene), cleared(scene))) {
    const rigidity = same(
      old.scene.sheets.map(({ material }) => material.D),
      scene.sheets.map(({ material }) => material.D),
    );
    Object.assign(old.scene, structuredClone(scene));
    if (!rigidity) setRigidity(old);
    return;
  }
  const next = createSimulation(scene, readMesh ? { readMesh } : {});
  carry(next, old);
  s.simulation = next;
  s.hand = null;
}

/** New D: new bending stiffness on the same pattern. */
function setRigidity({ system, scene, time }: Simulation): void {
  const { sheet, material, pattern, pins } = system;
  sheet.parts.forEach((part, p) => {
    material.D.fill(scene.sheets[p].material.D, part.firstPoint, part.firstPoint + part.points);
  });
  system.bending = bending(
    sheet,
    material.D,
    material.poisson,
    pins.clampsAt(time),
    system.bending.near,
    pattern,
  );
  system.K.set(system.bending.K);
}

/** `to` goes on where `from` is. Pins that both have stay where they hold; new ones hold their points where they are. */
function carry(to: Simulation, from: Simulation): void {
  const a = to.system.state;
  const b = from.system.state;
  a.Y.set(b.Y);
  a.V.set(b.V);
  a.Yold.set(b.Yold);
  a.Vold.set(b.Vold);
  a.steps = Math.round(from.time / to.scene.h);
  a.smoothSteps = 0;
  const held = new Map(from.system.pins.held.map((h) => [h.pin.name, h]));
  for (const { pin, points, origin } of to.system.pins.held) {
    const before = held.get(pin.name);
    if (before !== undefined && before.points.length === points.length) {
      origin.set(before.origin);
      continue;
    }
    points.forEach((i, k) => {
      for (let c = 0; c < 3; c++) origin[3 * k + c] = b.Y[3 * i + c];
    });
  }
}

/** Bodies that a hand has taken over from the motion of their scene. */
const taken = new WeakSet<Scene["colliders"][number]>();

/** m/s and rad/s: a body that is put elsewhere goes there no faster, so that the sheet on it can follow. */
const CARRY = { speed: 0.25, turn: 1.5, least: 0.05 };
/** s to come up to a new spin. */
const SPIN_UP = 0.3;

function moveBody(s: Session, body: number, position: Vec3, turn: number, spin: number): void {
  const { scene, time } = s.simulation;
  const collider = scene.colliders[body];
  if (collider === undefined) return;
  s.touched = true;
  if (!taken.has(collider)) {
    // from here on it is where it is now, and moves as the hand says
    colliderAt(rigid, collider, time);
    collider.position = [rigid[9], rigid[10], rigid[11]];
    collider.rotation = rotationOf(rigid);
    collider.motion = null;
    taken.add(collider);
  }
  const { position: base, motion } = collider;
  motionAt(rigid, motion, time);
  const angle = Math.atan2(rigid[3], rigid[0]);
  const rates = motion?.spin?.rates ?? [];
  const rate = rates.length > 0 ? rates[rates.length - 1].rate : 0;
  const steady = rate === 0 && spin === 0;
  const here: Vec3 = [0, 1, 2].map(
    (r) =>
      rigid[3 * r] * base[0] +
      rigid[3 * r + 1] * base[1] +
      rigid[3 * r + 2] * base[2] +
      rigid[9 + r] -
      base[r],
  ) as Vec3;
  const there: Vec3 = [position[0] - base[0], position[1] - base[1], position[2] - base[2]];
  const goal = steady ? nearestTurn(turn, angle) : angle;
  const way = Math.hypot(there[0] - here[0], there[1] - here[1], there[2] - here[2]);
  const needed = Math.max(CARRY.least, way / CARRY.speed, Math.abs(goal - angle) / CARRY.turn);
  collider.motion = {
    keys: [
      { time, translate: here, rotate: [0, 0, angle] },
      { time: time + needed, translate: there, rotate: [0, 0, goal] },
    ],
    smooth: false,
    pivot: base,
    spin: steady
      ? null
      : {
          axis: [0, 0, 1],
          rates: [
            { time: time - 1e-6, rate: 0 },
            { time, rate },
            { time: time + SPIN_UP, rate: spin },
          ],
        },
  };
}

/** The angle equal to `turn` that is nearest to `from`: a body takes the short way round. */
function nearestTurn(turn: number, from: number): number {
  return turn - 2 * Math.PI * Math.round((turn - from) / (2 * Math.PI));
}

/** The rotation vector (rad) of a rigid map, from the antisymmetric part of R; half turns from its diagonal. */
function rotationOf(R: Float64Array): Vec3 {
  const axis: Vec3 = [R[7] - R[5], R[2] - R[6], R[3] - R[1]];
  const s = Math.hypot(...axis) / 2;
  const c = (R[0] + R[4] + R[8] - 1) / 2;
  const angle = Math.atan2(s, c);
  if (s > 1e-9) return axis.map((x) => (x / (2 * s)) * angle) as Vec3;
  if (c > 0) return [0, 0, 0];
  const half: Vec3 = [R[0], R[4], R[8]].map(
    (d) => Math.PI * Math.sqrt(Math.max(0, (d + 1) / 2)),
  ) as Vec3;
  return half;
}

async function meshReader(scene: Scene, files: Files): Promise<ReadMesh | undefined> {
  const wanted =
    scene.sheets.some(({ shape, pose }) => shape.type === "mesh" || pose.type === "file") ||
    scene.colliders.some(({ body }) => body.type === "mesh");
  if (!wanted) return undefined;
  const { parseMesh } = await import("../../../src/files/read-mesh.ts");
  return (path) => {
    const { file } = splitObject(path);
    const bytes = files[file];
    if (bytes === undefined)
      throw new SceneError("scene", [
        { path: "", message: `it names the file "${file}"; drop the scene and that file together` },
      ]);
    return parseMesh(bytes, path);
  };
}

function opened(
  serial: number,
  scene: Scene,
  sheet: Simulation["sheet"],
  start: Float64Array,
  frames: SharedArrayBuffer | null,
  readMesh: ReadMesh | undefined,
): FromEngine & { type: "opened" } {
  return {
    type: "opened",
    serial,
    taken: "restart",
    scene,
    sheet: {
      n: sheet.n,
      triangles: Int32Array.from(sheet.triangles as Int32Array),
      edges: Int32Array.from(sheet.edges as Int32Array),
      parts: sheet.parts.map(({ name, firstTriangle, triangles }) => ({
        name,
        firstTriangle,
        triangles,
      })),
      uv: Float64Array.from(sheet.uv as Float64Array),
      spacing: Float64Array.from(sheet.spacing as Float64Array),
    },
    near: {
      start: Int32Array.from(sheet.near.start as Int32Array),
      index: Int32Array.from(sheet.near.index as Int32Array),
    },
    pins: scene.pins.map(({ name, at, release }) => ({ name, points: pick(sheet, at), release })),
    bodyShapes: scene.colliders.map(({ body }) => {
      if (body.type !== "mesh" || readMesh === undefined) return null;
      const { positions, triangles } = readMesh(body.file);
      return { positions: positions.map((x) => x * body.scale), triangles };
    }),
    start: Float64Array.from(start),
    startPoses: posesAt(scene, 0),
    frames,
  };
}

/** [12 per collider] where the bodies are at a time. */
function posesAt(scene: Scene, time: number): Float64Array {
  const poses = new Float64Array(12 * scene.colliders.length);
  scene.colliders.forEach((collider, b) => {
    colliderAt(rigid, collider, time);
    poses.set(rigid, 12 * b);
  });
  return poses;
}

function refusal(error: unknown, source: string, serial: number): FromEngine {
  const message = error instanceof Error ? error.message : String(error);
  const faults = error instanceof SceneError ? error.faults : [];
  return { type: "refused", source, message, faults, serial };
}
