/** What a page and the worker of a simulation say to each other. Everything here can be cloned. */

import type { SceneInput } from "../scene/input.ts";
import type { Scene, Vec3 } from "../scene/scene.ts";
import type { Simulation } from "../simulation.ts";
import type { Warning } from "../system/warning.ts";

/** The side of a channel: a Worker, a worker's global scope, or a MessagePort. */
export interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  /** `never`: every function that takes an event fits, whatever type the host gives its events. */
  onmessage: ((event: never) => void) | null;
  /** Of a worker: its file was not found, or it threw. */
  onerror?: ((event: never) => void) | null;
}

/** Methods of a Simulation that are called by message, with the same arguments. */
export type RemoteName = Extract<
  keyof Simulation,
  | "setPin"
  | "releasePin"
  | "pinPoints"
  | "setCollider"
  | "setMaterial"
  | "setLoads"
  | "setDetails"
  | "setState"
  | "rebuild"
  | "addSheet"
  | "addPin"
  | "addCollider"
  | "remove"
  | "save"
  | "restore"
  | "energy"
  | "residual"
  | "contact"
  | "reactions"
>;
export const REMOTE: readonly RemoteName[] = [
  "setPin",
  "releasePin",
  "pinPoints",
  "setCollider",
  "setMaterial",
  "setLoads",
  "setDetails",
  "setState",
  "rebuild",
  "addSheet",
  "addPin",
  "addCollider",
  "remove",
  "save",
  "restore",
  "energy",
  "residual",
  "contact",
  "reactions",
];

/** How fast it runs, as a multiple of real time; a scene that is slower runs as fast as it can. */
export interface Pace {
  running: boolean;
  speed: number;
}

export type Request =
  | { ask: "create"; input: SceneInput; files: Record<string, Uint8Array> }
  | { ask: "call"; name: RemoteName; args: unknown[] }
  | { ask: "pace"; pace: Pace }
  | { ask: "step"; count: number }
  | { ask: "grab"; hand: number; points: number[]; target: Vec3 }
  | { ask: "move-hand"; hand: number; target: Vec3 }
  | { ask: "release-hand"; hand: number }
  /** A buffer that has been shown, to be filled again. */
  | { ask: "give-back"; buffer: ArrayBuffer };

export type ToWorker = Request & { id: number };

/** The sheet as far as it is drawn and picked. */
export interface RemoteSheet {
  readonly n: number;
  readonly triangles: Int32Array;
  readonly edges: Int32Array;
  readonly uv: Float64Array;
  readonly parts: {
    readonly name: string;
    readonly firstPoint: number;
    readonly points: number;
    readonly firstTriangle: number;
    readonly triangles: number;
  }[];
}

export type FromWorker =
  | { tell: "ready" }
  /** Built, or built anew. */
  | { tell: "built"; scene: Scene; sheet: RemoteSheet }
  | { tell: "frame"; buffer: ArrayBuffer; n: number; colliders: number }
  | { tell: "warning"; warning: Warning }
  /** It cannot go on. */
  | { tell: "stopped"; error: PlainError }
  | { tell: "answer"; id: number; value: unknown }
  | { tell: "refusal"; id: number; error: PlainError };

/** An error as data: what its class adds is kept in `more`. */
export interface PlainError {
  name: string;
  message: string;
  more: Record<string, unknown>;
}

export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), more: {} };
  const { name, message } = error;
  const more: Record<string, unknown> = {};
  for (const key of ["faults", "points", "time", "subject", "source"])
    if (key in error) more[key] = (error as unknown as Record<string, unknown>)[key];
  return { name, message, more };
}

export function errorOf({ name, message, more }: PlainError): Error {
  return Object.assign(new Error(message), more, { name });
}
