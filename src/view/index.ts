/** `isoplate/view`: sheets and bodies as three.js objects. Needs three beside isoplate. */

export { type BodyMesh, bodyMesh } from "../picture/bodies.ts";
export { axes as cameraAxes, type Camera, fitCamera } from "../picture/camera.ts";
export { COLOR_MAPS, type Color, type ColorMap, colorAt, toHex } from "../picture/color.ts";
export { type Coloring, type Measure, measureOf, roundUp } from "../picture/coloring.ts";
export { type Look, lookOf, looksOf } from "../picture/looks.ts";
export { createOutside, keepOutside, type Outside } from "../picture/outside.ts";
export { alongGrain, type GrainedSheet } from "../sheet/grain.ts";
export {
  createPatches,
  type PatchedSheet,
  type Patches,
  smoothHalvings,
} from "../sheet/patches.ts";
export { type BodiesView, type BodyShape, createBodiesView } from "./bodies-view.ts";
export { createFleshView, type FleshView } from "./flesh-view.ts";
export { isFloor } from "./floor.ts";
export { createFrame, type DrawnSheet, type Frame, setFrame, setPatchFrame } from "./frame.ts";
export { createMarks, createThreads, type Marks, type Threads } from "./marks.ts";
export { createPoseView, type PoseView } from "./pose-view.ts";
export { type Hit, raySheet } from "./ray.ts";
export { type Colors, createSheetView, type SheetView } from "./sheet-view.ts";
export { createStageView, type StageView, type Theme } from "./stage-view.ts";
