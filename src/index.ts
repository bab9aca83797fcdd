/**
 * isoplate: sheets that bend but do not stretch. The public names of the core, for Node and browsers.
 *
 * @example
 * import { createSimulation, parseScene } from "isoplate";
 *
 * const scene = parseScene({
 *   sheet: { shape: { type: "rectangle", width: 1, height: 1 }, material: "cotton" },
 *   pins: [{ at: { corner: "top-left", radius: 0.03 } }, { at: { corner: "top-right", radius: 0.03 } }],
 * });
 * const simulation = createSimulation(scene);
 * while (simulation.time < 1) simulation.step();
 * console.log(simulation.Y); // xyz of every point, m
 */

export type { ReadonlyF64 } from "./linalg/arena.ts";
export { LiveError } from "./live/live-error.ts";
export type { ColliderChange, Timing, Transform } from "./live/motions.ts";
export type { Energy } from "./live/readings.ts";
export type { Rebuilt } from "./live/rebuild.ts";
export { buildSheet, type SimulationOptions } from "./live/running.ts";
export type { DetailChange, ForceCallback, LoadChange } from "./live/settings.ts";
export { hashNumbers, sha256 } from "./recording/hash.ts";
export {
  createCurvature,
  createResiduals,
  type EdgeStrain,
  edgeStrain,
  edgeStrains,
  frameStrains,
  kineticEnergy,
  type MeasuredSheet,
  meanCurvature,
  momenta,
  pointNormals,
  principalMax,
  principalStrains,
  roughness,
  sag,
  speedMax,
  triangleNormals,
} from "./recording/measures.ts";
export { growthFrom, pairMax } from "./recording/pairs.ts";
export {
  createMemoryRecording,
  type MemoryRecording,
  type Recorder,
  type Recording,
} from "./recording/recording.ts";
export {
  Interrupted,
  isFrameStep,
  type Progress,
  type RunOptions,
  runScene,
  totalSteps,
} from "./recording/run.ts";
export {
  countStep,
  createTally,
  METRICS,
  type Metrics,
  type Summary,
  summarise,
  type Tally,
  takeMetrics,
} from "./recording/summary.ts";
export { type Fault, SceneError } from "./scene/faults.ts";
export type {
  AngleInput,
  AttachmentInput,
  BodyInput,
  ColliderInput,
  KeyInput,
  MassInput,
  MaterialInput,
  MotionInput,
  PanelInput,
  PickInput,
  PinInput,
  PoseInput,
  RotationInput,
  SamplingInput,
  SceneInput,
  SeamInput,
  ShapeInput,
  SheetInput,
  SubstrateInput,
} from "./scene/input.ts";
export { PRINTS, type Print, type SheetLook } from "./scene/looks.ts";
export { bendingLength, type MaterialPreset, presets } from "./scene/materials.ts";
export {
  colliderAt,
  createRigid,
  motionAt,
  nearestTurn,
  type Quaternion,
  type Rigid,
  rotationVectorOf,
} from "./scene/motion.ts";
export {
  type Collider,
  checkScene,
  isProjected,
  type Motion,
  type Pin,
  parseScene,
  type Scene,
  type Vec2,
  type Vec3,
} from "./scene/scene.ts";
export { sceneInput } from "./scene/write.ts";
export type { Part, ReadMesh, Sheet, TriangleMesh } from "./sheet/kinematics.ts";
export { pick } from "./sheet/picks.ts";
export { SheetError } from "./sheet/sheet-error.ts";
export { createSimulation, type Simulation } from "./simulation.ts";
export { type Outcome, SimulationError, type StepReport } from "./step/outcome.ts";
export type { Hand } from "./system/grip.ts";
export type { Warning, WarningCause } from "./system/warning.ts";
export { version } from "./version.ts";
