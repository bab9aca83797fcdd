/** What the page and an engine's worker say to each other. Everything here can be cloned. */
import type { Fault, Scene, SceneInput, Vec3 } from "../../../src/index.ts";
import type { BodyShape, DrawnSheet, GrainedSheet, PatchedSheet } from "../../../src/view/index.ts";
export const OVERLAYS = [
  "none",
  "edge-strain",
  "principal-strain",
  "curvature",
  "neighbourhood",
  "contact",
  "residual",
] as const;
export type Overlay = (typeof OVERLAYS)[number];

/** How a change is taken: as it runs, or from the start. */
export type Taken = "live" | "restart";

/** Files that a scene names, by name. */
export type Files = Readonly<Record<string, Uint8Array>>;

/** What a mesh is read as. */
export type ReadAs = "cloth" | "body";

/** What is measured at a point of the sheet. */
export interface Probe {
  point: number;
  /** m */
  position: Vec3;
  /** Worst change of length of its edges, and largest principal strain, 1. */
  edgeStrain: number;
  principalStrain: number;
  /** Mean curvature, 1/m. */
  curvature: number;
}

/** A pin: its force on the sheet (N), and how far it has led its points from their start (m). */
export interface Reaction {
  name: string;
  force: Vec3;
  shift: Vec3;
}

export type ToEngine =
  | {
      type: "open";
      input: SceneInput;
      files: Files;
      /** Keep the state if the sheet stays the same; else start anew. */
      keep: boolean;
      /** Counts openings, so that answers to older ones are known. */
      serial: number;
      shared: boolean;
      /** The page has drawn nothing yet: the system is built once `pictured` comes. */
      unseen?: boolean;
    }
  /** The page has its first picture, or will have none; heard while a scene is being opened. */
  | { type: "pictured" }
  /** A scene file as text (JSON or YAML) with the files it names, or a mesh: answered by `read` or `refused`. */
  | { type: "read"; name: string; bytes: Uint8Array; files: Files; as: ReadAs }
  | { type: "run"; on: boolean; speed: number }
  | { type: "step" }
  /** Puts the sheet where it would come to rest, by the static solver. */
  | { type: "settle" }
  /** Back to the start, of this scene. */
  | { type: "reset"; input: SceneInput }
  /** Runs no further than this beat (1/60 s); null: free. */
  | { type: "allow"; beat: number | null }
  | { type: "overlay"; overlay: Overlay }
  /** A frame of the recording, or null for the present. */
  | { type: "show"; frame: number | null }
  /** A point of the sheet follows the hand; null lets go. */
  | { type: "grab"; point: number; target: Vec3 | null }
  /** A body goes to a place (m), turns to a rotation vector (rad), and spins about z (rad/s). */
  | { type: "body"; body: number; position: Vec3; rotation: Vec3; spin: number }
  /** Points at which every beat tells what is measured. */
  | { type: "probe"; points: number[] }
  | { type: "give-back"; buffer: ArrayBuffer }
  | { type: "export"; id: number; request: ExportRequest }
  /** Ends an export; heard while it is under way. */
  | { type: "cancel"; id: number };

export interface ExportRequest {
  what: "frame" | "recording" | "summary" | "scene";
  format: "glb" | "obj" | "ply" | "pc2" | "abc" | "usda" | "isoplate" | "json";
}

/** A file to be saved. */
export interface MadeFile {
  name: string;
  bytes: Uint8Array;
  notes: string[];
}

export interface Opened {
  type: "opened";
  serial: number;
  taken: Taken;
  scene: Scene;
  /** The complete input form: what JSON export writes. */
  sheet: DrawnSheet & PatchedSheet & GrainedSheet & { uv: Float64Array; spacing: Float64Array };
  /** Edges and corners that have names. */
  named: { sheet: number; kind: "edge" | "corner"; name: string; points: Int32Array }[];
  /** Neighbourhoods as lists: start [n+1], index. */
  near: { start: Int32Array; index: Int32Array };
  pins: { name: string; points: Int32Array; release: number | null }[];
  bodyShapes: (BodyShape | null)[];
  /** PNG files on the sheets; null: none. */
  images: (Uint8Array | null)[];
  /** [3n] m: the start pose, for a first picture before the first frame. */
  start: Float64Array;
  /** [12 per collider] where the bodies start. */
  startPoses: Float64Array;
  /** Shared memory of the frames; null: they are transferred. */
  frames: SharedArrayBuffer | null;
}

/** A line of the charts, once a published frame. */
export interface Beat {
  time: number;
  steps: number;
  /**
   * What the frame is judged by, as `isoplate run` does, 1: the largest stretch where samples have frames (arcs that turn by
   * more than a right angle come out shorter than they are), else the largest change of length.
   */
  strain: number;
  edgeMean: number;
  /** Largest stretch and compression of an edge, 1. */
  stretchMax: number;
  compressionMax: number;
  /** m, how far the lowest point hangs below the pins, or below the highest point. */
  sag: number;
  /** J, in the newest recorded frame; null before there is one. */
  bending: number | null;
  /** Mean rounds a step since the last beat. */
  rounds: number;
  /** ms of wall time a step. */
  stepMs: number;
  /** Simulated seconds per second. */
  pace: number;
  /** Steps take longer than the time that they simulate, at the speed that was asked for. */
  behind: boolean;
  contacts: number;
  /** Forces of the pins in the newest recorded frame; none before the first step. */
  reactions: readonly Reaction[];
  /** At the points that were asked for. */
  probes: readonly Probe[];
  /** J; null where it was not measured. */
  energy: {
    kinetic: number;
    gravity: number;
    bending: number;
    membrane: number;
    total: number;
  } | null;
}

export type FromEngine =
  | { type: "ready" }
  | Opened
  /** The system is built; steps can be taken. */
  | { type: "built"; serial: number; milliseconds: number }
  | { type: "refused"; source: string; message: string; faults: readonly Fault[]; serial: number }
  | { type: "read"; name: string; as: ReadAs; input: SceneInput; files: Files; notes: string[] }
  /** The answer to `settle`. */
  | { type: "settled"; serial: number; converged: boolean; notes: string[]; milliseconds: number }
  | {
      type: "beat";
      serial: number;
      beat: number;
      line: Beat;
      /** Frames recorded so far and the time of the last. */
      frames: number;
      end: number;
      running: boolean;
      /** Set by hand: no longer what the scene alone gives. */
      touched: boolean;
      shown: number | null;
    }
  | { type: "frame"; serial: number; buffer: ArrayBuffer }
  | {
      type: "legend";
      serial: number;
      overlay: Overlay;
      label: string;
      unit: string;
      factor: number;
      map: string;
    }
  | {
      type: "warning";
      serial: number;
      text: string;
      points: number[];
      time: number;
      /** What the simulation calls it, if it has a name. */
      cause?: string;
      fatal: boolean;
    }
  /** The scene's own end was reached: hash of the positions, if nothing was touched. */
  | { type: "finished"; serial: number; hash: string; time: number; touched: boolean }
  | { type: "progress"; id: number; share: number }
  | { type: "made"; id: number; files: MadeFile[] }
  | { type: "not-made"; id: number; message: string };
