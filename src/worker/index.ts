/**
 * `isoplate/worker`: a simulation that runs in a worker, so that the page stays smooth. Frames arrive as transferred buffers.
 *
 * @example
 * import { createWorkerSimulation } from "isoplate/worker";
 *
 * const simulation = await createWorkerSimulation({ sheet: { shape: { type: "disc", radius: 0.5 } } });
 * simulation.onFrame = (frame) => draw(frame.positions);
 * simulation.run();
 */

import type { SceneInput } from "../scene/input.ts";
import type { Scene, Vec3 } from "../scene/scene.ts";
import type { Simulation } from "../simulation.ts";
import type { Warning } from "../system/warning.ts";
import { frameIn, type WorkerFrame } from "./frames.ts";
import {
  errorOf,
  type FromWorker,
  type Port,
  REMOTE,
  type RemoteName,
  type RemoteSheet,
  type Request,
} from "./protocol.ts";

export type { WorkerFrame } from "./frames.ts";
export type { Port, RemoteSheet } from "./protocol.ts";
export { serveSimulation } from "./serve.ts";

/** The methods of a Simulation that can be called from the page: they answer when the worker has done it. */
export type RemoteMethods = {
  [name in RemoteName]: (
    ...args: Parameters<Simulation[name]>
  ) => Promise<ReturnType<Simulation[name]>>;
};

/** A hand on the sheet, from the page. */
export interface RemoteHand {
  moveTo(target: Readonly<Vec3>): void;
  release(): void;
}

/** A simulation in a worker. */
export interface WorkerSimulation extends RemoteMethods {
  /** The scene as it was when the system was last built. */
  readonly scene: Scene;
  readonly sheet: RemoteSheet;
  /** The newest frame; valid until the next one arrives. */
  readonly frame: WorkerFrame;
  /** Called with every frame. */
  onFrame: ((frame: WorkerFrame) => void) | null;
  /** Called when the points have changed: after rebuild, addSheet, addPin, addCollider and remove. */
  onRebuilt: ((sheet: RemoteSheet, scene: Scene) => void) | null;
  onWarning: ((warning: Warning) => void) | null;
  /** Called when a step has failed and the simulation has stopped. */
  onStopped: ((error: Error) => void) | null;
  /** Runs at `speed` times real time, or as fast as it can if that is slower. */
  run(options?: { speed?: number }): void;
  pause(): void;
  /** Takes some steps and shows where they lead. */
  step(count?: number): Promise<void>;
  /** Takes hold of points, as Simulation.grab does. */
  grab(points: readonly number[], target: Readonly<Vec3>): RemoteHand;
  /** Ends the worker. Whatever is still asked fails. */
  dispose(): void;
}

export interface WorkerOptions {
  /** Files that the scene names, by name. */
  files?: Record<string, Uint8Array>;
  /** A worker that imports isoplate/worker/engine. Default: one is made, for bundlers that understand `new URL(…, import.meta.url)`. */
  worker?: Port & { terminate?(): unknown };
}

/**
 * Starts a worker and builds the scene in it. Rejects with every fault of the scene.
 *
 * @example
 * const worker = new Worker(new URL("./engine.js", import.meta.url), { type: "module" });
 * const simulation = await createWorkerSimulation(scene, { worker });
 * simulation.onFrame = ({ positions }) => draw(positions);
 * simulation.run();
 */
export async function createWorkerSimulation(
  scene: SceneInput,
  { files = {}, worker = startWorker() }: WorkerOptions = {},
): Promise<WorkerSimulation> {
  const link = connect(worker);
  await link.ready;
  try {
    await link.ask({ ask: "create", input: scene, files });
  } catch (error) {
    link.close(new Error("the scene was refused"));
    throw error;
  }
  return link.simulation;
}

function startWorker(): Port & { terminate(): void } {
  return new Worker(new URL("./engine.js", import.meta.url), {
    type: "module",
  }) as unknown as Port & {
    terminate(): void;
  };
}

/** The page's end of a channel. */
interface Link {
  readonly ready: Promise<void>;
  readonly simulation: WorkerSimulation;
  ask(request: Request, transfer?: ArrayBuffer[]): Promise<unknown>;
  close(reason: Error): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

function connect(worker: Port & { terminate?(): unknown }): Link {
  const waiting = new Map<number, Waiting>();
  let nextId = 1;
  let closed: Error | null = null;
  let isReady = (): void => {};
  let fails = (_: Error): void => {};
  const ready = new Promise<void>((resolve, reject) => {
    isReady = resolve;
    fails = reject;
  });
  const ask = (request: Request, transfer: ArrayBuffer[] = []): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (closed) {
        reject(closed);
        return;
      }
      const id = nextId++;
      waiting.set(id, { resolve, reject });
      try {
        worker.postMessage({ ...request, id }, transfer);
      } catch (error) {
        waiting.delete(id);
        reject(new Error(`a worker cannot be sent functions: ${(error as Error).message}`));
      }
    });
  const close = (reason: Error): void => {
    closed = reason;
    worker.onmessage = null;
    worker.onerror = null;
    worker.terminate?.();
    for (const { reject } of waiting.values()) reject(reason);
    waiting.clear();
  };
  const simulation = remoteSimulation(ask, close);
  worker.onmessage = ({ data: message }: { data: FromWorker }) => {
    if (message.tell === "ready") {
      isReady();
      fails = (error) => simulation.onStopped?.(error);
    } else if (message.tell === "answer" || message.tell === "refusal") {
      const { id } = message;
      const asked = waiting.get(id);
      waiting.delete(id);
      if (message.tell === "answer") asked?.resolve(message.value);
      else asked?.reject(errorOf(message.error));
    } else hear(simulation, ask, message);
  };
  worker.onerror = ({ message }: { message?: string }) =>
    fails(new Error(message ? `the worker failed: ${message}` : NOT_STARTED));
  return { ready, simulation, ask, close };
}

const NOT_STARTED =
  'the worker did not start: its file was not found, as with bundlers that do not build `new URL("./engine.js", import.meta.url)`. Make a file that imports "isoplate/worker/engine", and give a Worker of it as `worker`';

/** What changes from message to message. */
interface Remote extends WorkerSimulation {
  scene: Scene;
  sheet: RemoteSheet;
  frame: WorkerFrame;
  buffer: ArrayBuffer | null;
}

/** Takes what the worker tells without being asked. */
function hear(
  simulation: Remote,
  ask: Link["ask"],
  message: Exclude<FromWorker, { tell: "ready" | "answer" | "refusal" }>,
): void {
  switch (message.tell) {
    case "built": {
      const first = simulation.sheet === undefined;
      simulation.scene = message.scene;
      simulation.sheet = message.sheet;
      if (!first) simulation.onRebuilt?.(message.sheet, message.scene);
      return;
    }
    case "frame": {
      const { buffer: shown } = simulation;
      simulation.buffer = message.buffer;
      simulation.frame = frameIn(message.buffer, message.n, message.colliders);
      simulation.onFrame?.(simulation.frame);
      if (shown !== null) ask({ ask: "give-back", buffer: shown }, [shown]).catch(() => {});
      return;
    }
    case "warning":
      simulation.onWarning?.(message.warning);
      return;
    case "stopped":
      simulation.onStopped?.(errorOf(message.error));
  }
}

function remoteSimulation(ask: Link["ask"], close: Link["close"]): Remote {
  let nextHand = 1;
  const methods = Object.fromEntries(
    REMOTE.map((name) => [name, (...args: unknown[]) => ask({ ask: "call", name, args })]),
  ) as unknown as RemoteMethods;
  /** For requests without an answer: a failure goes to onStopped. */
  const send = (request: Request): void => {
    ask(request).catch((error: Error) => simulation.onStopped?.(error));
  };
  const simulation: Remote = {
    ...methods,
    // set by the first messages, before createWorkerSimulation resolves
    scene: undefined as unknown as Scene,
    sheet: undefined as unknown as RemoteSheet,
    frame: undefined as unknown as WorkerFrame,
    buffer: null,
    onFrame: null,
    onRebuilt: null,
    onWarning: null,
    onStopped: null,
    run: ({ speed = 1 } = {}) => send({ ask: "pace", pace: { running: true, speed } }),
    pause: () => send({ ask: "pace", pace: { running: false, speed: 1 } }),
    async step(count = 1) {
      await ask({ ask: "step", count });
    },
    grab(points, target) {
      const hand = nextHand++;
      send({ ask: "grab", hand, points: [...points], target: [...target] });
      return {
        moveTo: (to) => send({ ask: "move-hand", hand, target: [...to] }),
        release: () => send({ ask: "release-hand", hand }),
      };
    },
    dispose: () => close(new Error("the simulation has been disposed of")),
  };
  return simulation;
}
