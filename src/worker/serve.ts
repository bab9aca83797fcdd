/**
 * The worker's side: a simulation that is driven by messages and sends frames.
 *
 * It runs in slices of some milliseconds, so that messages are heard between them, and publishes a frame for every 1/60 s of
 * simulated time. Ahead of the clock it waits; behind, it goes on from now without catching up.
 */

import type { SceneInput } from "../scene/input.ts";
import { colliderAt, createRigid } from "../scene/motion.ts";
import { checkScene, parseScene, type Scene } from "../scene/scene.ts";
import type { ReadMesh } from "../sheet/kinematics.ts";
import { createSimulation, type Simulation } from "../simulation.ts";
import type { Hand } from "../system/grip.ts";
import { setFrame } from "../view/frame.ts";
import { frameBytes, frameIn } from "./frames.ts";
import {
  type FromWorker,
  type Pace,
  type Port,
  plainError,
  REMOTE,
  type RemoteSheet,
  type ToWorker,
} from "./protocol.ts";

/** s of simulated time between frames. */
const FRAME = 1 / 60;
/** ms after which messages are looked for. */
const SLICE = 12;
/** s: further behind the clock than this, it does not try to catch up. */
const LATE = 0.1;
/** Buffers that are kept to be filled again. */
const MOST_FREE = 3;

interface Session {
  readonly port: Port;
  simulation: Simulation | null;
  pace: Pace;
  /** Where simulated time (s) and wall time (ms) last agreed. */
  base: { time: number; wall: number };
  readonly hands: Map<number, Hand>;
  readonly free: ArrayBuffer[];
  /** Warnings sent so far. */
  warned: number;
  timer: ReturnType<typeof setTimeout> | null;
}

/**
 * Serves one simulation through a port.
 *
 * @example
 * const { port1, port2 } = new MessageChannel();
 * serveSimulation(port2);
 * const simulation = await createWorkerSimulation(scene, { worker: port1 });
 */
export function serveSimulation(port: Port): void {
  const session: Session = {
    port,
    simulation: null,
    pace: { running: false, speed: 1 },
    base: { time: 0, wall: 0 },
    hands: new Map(),
    free: [],
    warned: 0,
    timer: null,
  };
  // one after the other, also those that wait for a module to load
  let queue: Promise<void> = Promise.resolve();
  port.onmessage = ({ data }: { data: ToWorker }) => {
    queue = queue.then(() => answer(session, data)).then(() => wake(session));
  };
  tell(session, { tell: "ready" });
}

function tell({ port }: Session, message: FromWorker, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

async function answer(session: Session, message: ToWorker): Promise<void> {
  const { id } = message;
  try {
    tell(session, { tell: "answer", id, value: await handle(session, message) });
  } catch (error) {
    tell(session, { tell: "refusal", id, error: plainError(error) });
  }
}

async function handle(session: Session, message: ToWorker): Promise<unknown> {
  switch (message.ask) {
    case "create": {
      const scene = await readScene(message.input, message.files);
      const readMesh = await meshReader(scene, message.files);
      session.simulation?.dispose();
      session.simulation = createSimulation(scene, { readMesh });
      session.warned = 0;
      built(session);
      return null;
    }
    case "give-back":
      if (session.free.length < MOST_FREE) session.free.push(message.buffer);
      return null;
    case "pace":
      session.pace = message.pace;
      rebase(session);
      return null;
    case "step": {
      const simulation = running(session);
      for (let k = 0; k < message.count; k++) simulation.step();
      publish(session);
      return null;
    }
    case "grab":
      session.hands.set(message.hand, running(session).grab(message.points, message.target));
      return null;
    case "move-hand":
      session.hands.get(message.hand)?.moveTo(message.target);
      return null;
    case "release-hand":
      session.hands.get(message.hand)?.release();
      session.hands.delete(message.hand);
      return null;
    case "call":
      return call(session, message);
  }
}

function call(session: Session, { name, args }: ToWorker & { ask: "call" }): unknown {
  const simulation = running(session);
  if (!REMOTE.includes(name)) throw new Error(`a simulation has no remote method "${name}"`);
  const { sheet } = simulation;
  const value = (simulation[name] as (...args: unknown[]) => unknown)(...args);
  if (simulation.sheet !== sheet) {
    session.hands.clear();
    built(session);
  } else if (name === "restore" || name === "setState") publish(session);
  return value ?? null;
}

function running({ simulation }: Session): Simulation {
  if (!simulation) throw new Error("there is no simulation yet");
  return simulation;
}

/** Tells what there is to draw, and how it looks. */
function built(session: Session): void {
  const { scene, sheet } = running(session);
  const drawn: RemoteSheet = {
    n: sheet.n,
    triangles: Int32Array.from(sheet.triangles),
    edges: Int32Array.from(sheet.edges),
    uv: Float64Array.from(sheet.uv),
    parts: sheet.parts.map(({ name, firstPoint, points, firstTriangle, triangles }) => ({
      name,
      firstPoint,
      points,
      firstTriangle,
      triangles,
    })),
  };
  session.free.length = 0;
  tell(session, { tell: "built", scene, sheet: drawn });
  publish(session);
  rebase(session);
}

function rebase(session: Session): void {
  session.base = { time: session.simulation?.time ?? 0, wall: performance.now() };
}

const rigid = createRigid();

/** Sends the present, and what has been warned of. */
function publish(session: Session): void {
  const { scene, sheet, Y, time, steps, warnings } = running(session);
  const colliders = scene.colliders.length;
  const bytes = frameBytes(sheet.n, colliders);
  const kept = session.free.pop();
  const buffer = kept?.byteLength === bytes ? kept : new ArrayBuffer(bytes);
  const frame = frameIn(buffer, sheet.n, colliders);
  frame.head[0] = time;
  frame.head[1] = steps;
  setFrame({ ...frame, values: NO_VALUES }, Y, sheet.triangles);
  scene.colliders.forEach((collider, k) => {
    colliderAt(rigid, collider, time);
    frame.poses.set(rigid, 12 * k);
  });
  tell(session, { tell: "frame", buffer, n: sheet.n, colliders }, [buffer]);
  for (; session.warned < warnings.length; session.warned++)
    tell(session, { tell: "warning", warning: warnings[session.warned] });
}
const NO_VALUES = new Float32Array(0);

/** Runs to the next frame if it is due, and says when to look again. */
function wake(session: Session): void {
  const { simulation, pace, base } = session;
  if (session.timer !== null || !simulation || !pace.running) return;
  const due = base.time + ((performance.now() - base.wall) / 1000) * pace.speed;
  const next = (Math.floor(simulation.time / FRAME + 1e-6) + 1) * FRAME;
  let wait = 0;
  if (next - due > 1e-3) wait = (1000 * (next - due)) / pace.speed;
  else {
    if (next - due < -LATE) rebase(session);
    advance(session, simulation, next);
  }
  session.timer = setTimeout(() => {
    session.timer = null;
    wake(session);
  }, wait);
}

function advance(session: Session, simulation: Simulation, goal: number): void {
  const started = performance.now();
  try {
    while (simulation.time < goal - 1e-9) {
      simulation.step();
      if (performance.now() - started > SLICE && simulation.time < goal - 1e-9) return;
    }
    publish(session);
  } catch (error) {
    session.pace = { ...session.pace, running: false };
    tell(session, { tell: "stopped", error: plainError(error) });
  }
}

/** The scene, with patterns and motions out of the files that came with it. */
async function readScene(input: SceneInput, files: Record<string, Uint8Array>): Promise<Scene> {
  if (Object.keys(files).length === 0) return parseScene(input);
  const { withPatterns } = await import("../files/garment-file.ts");
  const { withMotions } = await import("../files/body-motion.ts");
  const drawn = withPatterns(input, (file) => new TextDecoder().decode(fileOf(files, file)));
  return checkScene(withMotions(drawn, (file) => fileOf(files, file)));
}

function fileOf(files: Record<string, Uint8Array>, file: string): Uint8Array {
  if (!Object.hasOwn(files, file))
    throw new Error(`the scene names the file "${file}"; give its bytes in \`files\``);
  return files[file];
}

/** Reads the meshes that a scene names out of the files that came with it. */
async function meshReader(
  scene: Scene,
  files: Record<string, Uint8Array>,
): Promise<ReadMesh | undefined> {
  const { filesOf, splitObject } = await import("../scene/files.ts");
  if (filesOf(scene).length === 0) return undefined;
  const { parseMesh } = await import("../files/read-mesh.ts");
  return (path) => {
    const { file } = splitObject(path);
    return parseMesh(fileOf(files, file), path);
  };
}
