/**
 * The engine's side of the studio: one scene that runs, its recording, and frames for whoever draws. No page in here;
 * worker.ts connects it to one.
 *
 * Time. A beat is 1/60 s of simulated time; frames are published on beats (and after every step, if steps take longer
 * than a beat of wall time). Alone, a scene keeps pace with the clock times `speed` and, where it cannot, runs as fast as
 * it can without trying to catch up. Side by side, an engine runs to the beat it is allowed and waits there.
 */
import "../../../src/methods.ts";
import {
  buildSheet,
  createSimulation,
  parseScene,
  summarise,
  type Vec3,
} from "../../../src/index.ts";
import { moveBody } from "./bodies.ts";
import { createSharedFrames, sharedWriter, transferWriter } from "./frames.ts";
import { changeLive, sameSheet, settle } from "./live.ts";
import { meshReader, openedMessage, refusal } from "./opening.ts";
import type { Overlay, ToEngine } from "./protocol.ts";
import { publish, setField } from "./publishing.ts";
import {
  advance,
  BEAT,
  beginRecording,
  createSession,
  cutBack,
  type Post,
  reactionsOf,
  record,
  type Session,
  tellWarnings,
} from "./session.ts";

/** ms after which the engine looks for messages. */
const BREATH = 12;
/** s behind the clock from which on the engine does not try to catch up. */
const TOO_LATE = 0.1;

export interface Engine {
  readonly post: Post;
  session: Session | null;
  running: boolean;
  /** Simulated seconds per second, at most. */
  speed: number;
  /** Runs no further than this beat; null: free. */
  allowed: number | null;
  overlay: Overlay;
  /** Where simulated and wall time last met: s, ms. */
  met: { time: number; wall: number };
  /** ms */
  lastPublish: number;
  /** Exports that are no longer wanted. */
  readonly cancelled: Set<number>;
  /** Called when the page has its first picture; null if nothing waits for it. */
  pictured: (() => void) | null;
}

export function createEngine(post: Post): Engine {
  return {
    post,
    session: null,
    running: false,
    speed: 1,
    allowed: null,
    overlay: "none",
    met: { time: 0, wall: 0 },
    lastPublish: 0,
    cancelled: new Set(),
    pictured: null,
  };
}

/** Does what a message asks. */
export async function handle(engine: Engine, message: ToEngine): Promise<void> {
  switch (message.type) {
    case "open":
      return open(engine, message);
    case "read":
      return read(engine, message);
    case "export":
      return makeExport(engine, message);
    case "overlay":
      engine.overlay = message.overlay;
      break;
    case "run":
      engine.running = message.on;
      engine.speed = message.speed;
      break;
    case "allow":
      engine.allowed = message.beat;
      break;
  }
  if (engine.session !== null) actOn(engine, engine.session, message);
}

/** Something that was asked for could not be done: the run stops there, and the page says why. */
export function failed(engine: Engine, text: string): void {
  const { session, post } = engine;
  engine.running = false;
  const time = session?.simulation.time ?? 0;
  post({ type: "warning", serial: session?.serial ?? 0, text, points: [], time, fatal: true });
}

/** Runs for a while if there is something to do; gives ms until it should be called again, null if nothing is due. */
export function tick(engine: Engine): number | null {
  const { session: s, running, allowed, speed, met } = engine;
  if (s === null || !running || s.shown !== null) return null;
  if (allowed !== null && s.beat >= allowed) return null;
  if (allowed === null) {
    const due = met.time + ((performance.now() - met.wall) / 1000) * speed;
    const ahead = (s.beat + 1) * BEAT - due;
    if (ahead > 1e-3) return Math.max(1, (1000 * ahead) / speed);
    if (ahead < -TOO_LATE) meetClock(engine);
  }
  const reached = toBeat(engine, s);
  const late = performance.now() - engine.lastPublish > 1000 * BEAT;
  if (reached || (allowed === null && late)) publish(s, engine, engine.post);
  return 0;
}

/** Steps to the next beat, or until it is time to look for messages. True: a beat was reached, or there is none. */
function toBeat(engine: Engine, s: Session): boolean {
  const goal = (s.beat + 1) * BEAT - 1e-9;
  const started = performance.now();
  while (s.simulation.time < goal) {
    if (advance(s, engine.post) !== "goes on") {
      engine.running = false;
      return true;
    }
    if (performance.now() - started > BREATH && s.simulation.time < goal) return false;
  }
  s.beat = Math.floor((s.simulation.time + 1e-9) / BEAT);
  return true;
}

function meetClock(engine: Engine): void {
  engine.met = { time: engine.session?.simulation.time ?? 0, wall: performance.now() };
}

/* ─── messages ─── */

async function open(engine: Engine, message: ToEngine & { type: "open" }): Promise<void> {
  const { input, files, keep, serial, shared, unseen = false } = message;
  const { post } = engine;
  const started = performance.now();
  try {
    const scene = parseScene(input, "scene");
    const readMesh = await meshReader(scene, files);
    const old = engine.session;
    if (keep && old !== null && sameSheet(old.simulation.scene, scene)) {
      if (old.shown !== null) cutBack(old);
      changeLive(old, scene);
      old.hand = null;
      // before its first step a changed scene is still what the scene alone gives
      const touched = old.touched || old.simulation.steps > 0;
      engine.session = { ...old, serial, input, files, readMesh, touched };
      show(engine, engine.session, "live", started);
      return;
    }

    // the sheet alone is quick: show it while the system is being built
    const { sheet, Y } = buildSheet(scene, readMesh);
    const layout = { n: sheet.n, bodies: scene.colliders.length };
    const buffer = shared ? createSharedFrames(layout) : null;
    post(openedMessage(serial, { scene, sheet }, Y, buffer, readMesh, files));
    engine.session?.simulation.dispose();
    engine.session = null;

    if (unseen) await firstPicture(engine);
    const simulation = createSimulation(scene, { readMesh });
    const writer =
      buffer === null
        ? transferWriter(layout, (b) => post({ type: "frame", serial, buffer: b }, [b]))
        : sharedWriter(buffer, layout);
    engine.session = createSession({ serial, input, files, readMesh, simulation, writer });
    beginRecording(engine.session, post);
    show(engine, engine.session, null, started);
  } catch (error) {
    post(refusal(error, "scene", serial));
  }
}

/** ms after which the engine no longer waits for a picture. */
const LONGEST_WAIT = 2000;

/**
 * Building the system takes as much work as setting up the painter; on two cores, without a graphics card, the first picture
 * would wait for both.
 */
function firstPicture(engine: Engine): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, LONGEST_WAIT);
    engine.pictured = () => {
      clearTimeout(timer);
      engine.pictured = null;
      resolve();
    };
  });
}

/** Sends the page a scene that can be stepped; `taken` null: it was sent before the system was built. */
function show(
  engine: Engine,
  s: Session,
  taken: "live" | "restart" | null,
  started: number | null,
): void {
  const { post } = engine;
  setField(s, engine.overlay, post);
  if (taken !== null) {
    const Y = Float64Array.from(s.simulation.Y);
    post({ ...openedMessage(s.serial, s.simulation, Y, null, s.readMesh, s.files), taken });
  }
  if (started !== null)
    post({ type: "built", serial: s.serial, milliseconds: performance.now() - started });
  tellWarnings(s, post);
  if (taken !== "live") meetClock(engine);
  publish(s, engine, post);
}

async function read(engine: Engine, message: ToEngine & { type: "read" }): Promise<void> {
  const { name, bytes, files, as } = message;
  try {
    const { readFile } = await import("./read-file.ts");
    engine.post({ type: "read", name, as, ...(await readFile(name, bytes, files, as)) });
  } catch (error) {
    engine.post(refusal(error, name, -1));
  }
}

async function makeExport(engine: Engine, message: ToEngine & { type: "export" }): Promise<void> {
  const { post, session: s } = engine;
  // the run waits meanwhile: the file is of what there is now
  try {
    if (s === null) throw new Error("nothing has been simulated yet");
    const { makeFiles } = await import("../keep/make-files.ts");
    const files = await makeFiles(message.request, {
      recording: s.recording,
      simulation: s.simulation,
      readMesh: s.readMesh,
      files: s.files,
      input: s.input,
      frame: s.shown,
      summary: () => ({
        ...summarise(s.simulation, s.tally),
        reactions: s.simulation.steps === 0 ? [] : reactionsOf(s),
      }),
      tally: s.tally,
      onProgress(share) {
        if (engine.cancelled.has(message.id)) throw new Error("cancelled");
        post({ type: "progress", id: message.id, share });
      },
    });
    post(
      { type: "made", id: message.id, files },
      files.map(({ bytes }) => bytes.buffer as ArrayBuffer),
    );
  } catch (error) {
    post({ type: "not-made", id: message.id, message: (error as Error).message });
  }
}

/** Messages that act on the scene that is open. */
function actOn(engine: Engine, s: Session, message: ToEngine): void {
  const { post } = engine;
  switch (message.type) {
    case "overlay":
      setField(s, engine.overlay, post);
      publish(s, engine, post);
      break;
    case "run":
      if (engine.running && s.shown !== null) cutBack(s);
      meetClock(engine);
      publish(s, engine, post);
      break;
    case "step":
      engine.running = false;
      if (s.shown !== null) cutBack(s);
      if (advance(s, post) !== "failed") s.beat = Math.floor((s.simulation.time + 1e-9) / BEAT);
      publish(s, engine, post);
      break;
    case "settle":
      settleNow(engine, s);
      break;
    case "reset":
      s.input = message.input;
      reset(engine, s);
      break;
    case "show": {
      const { frames } = s.recording;
      const { frame } = message;
      s.shown =
        frame === null || frames === 0
          ? null
          : Math.max(0, Math.min(frames - 1, Math.round(frame)));
      if (frame !== null) engine.running = false;
      publish(s, engine, post);
      break;
    }
    case "grab":
      s.touched = true;
      grab(s, message.point, message.target);
      break;
    case "body":
      s.touched ||= moveBody(s.simulation, message);
      if (!engine.running) publish(s, engine, post);
      break;
    case "probe":
      s.probed = message.points.filter((i) => i < s.simulation.sheet.n);
      publish(s, engine, post);
      break;
    case "give-back":
      s.writer.giveBack?.(message.buffer);
      break;
  }
}

/** The pointer has one hand: it takes a point, leads it, lets go. */
function grab(s: Session, point: number, target: Vec3 | null): void {
  if (target === null || s.hand?.points[0] !== point) {
    s.hand?.release();
    s.hand = null;
  }
  if (target === null) return;
  if (s.hand === null) s.hand = s.simulation.grab([point], target);
  else s.hand.moveTo(target);
}

function reset(engine: Engine, s: Session): void {
  const scene = parseScene(s.input, "scene");
  s.simulation.dispose();
  s.simulation = createSimulation(scene, { readMesh: s.readMesh });
  s.hand = null;
  beginRecording(s, engine.post);
  show(engine, s, "restart", null);
}

/** Finds the shape at rest in one go; sends what it took and whether it was found. */
function settleNow(engine: Engine, s: Session): void {
  const { post } = engine;
  const started = performance.now();
  engine.running = false;
  if (s.shown !== null) cutBack(s);
  try {
    const { notes, reactions } = settle(s);
    record(s, post, reactions);
    post({
      type: "settled",
      serial: s.serial,
      converged: notes.length === 0,
      notes,
      milliseconds: performance.now() - started,
    });
  } catch (error) {
    post({
      type: "settled",
      serial: s.serial,
      converged: false,
      notes: [(error as Error).message],
      milliseconds: performance.now() - started,
    });
  }
  publish(s, engine, post);
}
