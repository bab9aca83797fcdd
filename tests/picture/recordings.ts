/** Recordings without a simulation: a sheet that is bent onto ever smaller cylinders, with metrics to match. */
import { edgeStrain } from "../../src/recording/measures.ts";
import { createMemoryRecording, type Recorder } from "../../src/recording/recording.ts";
import type { Metrics, Summary } from "../../src/recording/summary.ts";
import { parseScene } from "../../src/scene/parse.ts";
import type { Scene } from "../../src/scene/scene.ts";
import { createSheet, type Sheet } from "../../src/sheet/kinematics.ts";

export const FRAMES = 5;

export function bentScene(more: object = {}): Scene {
  return parseScene({
    name: "bent <sheet>",
    seconds: 1,
    sheet: {
      shape: { type: "rectangle", width: 1, height: 0.6 },
      sampling: { type: "grid", spacing: 0.1 },
    },
    pins: [{ name: "left", at: { edge: "left" } }],
    ...more,
  });
}

/** A cylinder about the y axis direction, curvature c (1/m): isometric, so the arcs keep their length. */
export function bent(sheet: Sheet, c: number): Float64Array {
  const Y = new Float64Array(3 * sheet.n);
  for (let i = 0; i < sheet.n; i++) {
    const [u, v] = [sheet.uv[2 * i], sheet.uv[2 * i + 1]];
    const x = c === 0 ? u : Math.sin(c * u) / c;
    const z = c === 0 ? 0 : (1 - Math.cos(c * u)) / c;
    Y.set([x, v, z], 3 * i);
  }
  return Y;
}

/** Fills a recorder; gives the summary that it ended with, or null if it was left open. */
export function record(
  recorder: Recorder,
  scene: Scene,
  { end = true }: { end?: boolean } = {},
): Summary | null {
  const sheet = createSheet(scene.sheets, scene.seed);
  recorder.begin(scene, sheet);
  let worst = 0;
  for (let k = 0; k < FRAMES; k++) {
    const time = k / (FRAMES - 1);
    const Y = bent(sheet, 2 * time);
    const { mean, max } = edgeStrain(sheet, Y);
    worst = Math.max(worst, max);
    recorder.frame(time, Y, metricsAt(time, mean, max));
  }
  if (!end) return null;
  const summary = summaryOf(scene, sheet.n, worst);
  recorder.end(summary);
  return summary;
}

export function memory(scene: Scene = bentScene()): ReturnType<typeof createMemoryRecording> {
  const recording = createMemoryRecording();
  record(recording, scene);
  return recording;
}

function metricsAt(time: number, edgeMean: number, edgeMax: number): Metrics {
  return {
    time,
    steps: Math.round(1000 * time),
    rounds: 1.5,
    roundsMax: 3,
    residual: 1e-3,
    trace: 1e-3,
    det: 2e-3,
    edgeMean,
    edgeMax,
    stretchMax: edgeMax,
    compressionMax: edgeMax / 2,
    principalMax: edgeMax,
    kinetic: 1e-3 * Math.sin(Math.PI * time) ** 2,
    gravity: -0.1 * time,
    bending: 2e-4 * time ** 2,
    membrane: 1e-6,
    smoothing: 0,
    foundation: 0,
    pressure: 0,
    substrate: 0,
    total: -0.09 * time,
    speedMax: 0.5 * (1 - time),
    contacts: 0,
  };
}

function summaryOf(scene: Scene, points: number, edgeMax: number): Summary {
  return {
    scene: scene.name,
    version: "0.0.0-test",
    points,
    method: scene.method,
    constraint: scene.constraint,
    solver: scene.solver,
    h: scene.h,
    tolerance: scene.tolerance,
    seconds: 1,
    steps: 1000,
    frames: FRAMES,
    wallSeconds: 2.5,
    projections: { mean: 1.5, max: 3 },
    fallbackSteps: 0,
    unconvergedSteps: 2,
    residual: { trace: 1e-3, det: 2e-3 },
    strain: {
      edgeMean: edgeMax / 2,
      edgeMax,
      edgeMaxEver: edgeMax,
      stretchMaxEver: edgeMax,
      stretchMax: edgeMax,
      compressionMax: edgeMax / 2,
      principalMax: edgeMax,
      pairMax: 0.001,
    },
    energy: {
      kinetic: 1e-9,
      gravity: -0.1,
      bending: 2e-4,
      membrane: 1e-6,
      smoothing: 0,
      foundation: 0,
      pressure: 0,
      substrate: 0,
      total: -0.09,
    },
    speedMax: 0.001,
    penetrationMax: 0,
    sag: 0.2,
    roughness: 0.01,
    phases: { predict: 0.1, evaluate: 0.3, assemble: 0.4, factor: 1, solve: 0.5, contact: 0 },
    memoryBytes: 4e6,
    problems: [],
    warnings: ["the pin “left” starts inside <nothing>"],
    hash: "0123456789abcdef",
  };
}
