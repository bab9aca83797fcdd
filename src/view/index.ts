/** `isoplate/view`: sheets and bodies as three.js objects. Needs three beside isoplate. */

export { type Look, lookOf } from "../picture/looks.ts";
export { createPatches, type Patches, smoothHalvings } from "../sheet/patches.ts";
export { type BodiesView, type BodyShape, createBodiesView } from "./bodies-view.ts";
export { isFloor } from "./floor.ts";
export { createFrame, type DrawnSheet, type Frame, setFrame, setPatchFrame } from "./frame.ts";
export { createMarks, createThreads, type Marks, type Threads } from "./marks.ts";
export { type Hit, raySheet } from "./ray.ts";
export { type Colors, createSheetView, type SheetView } from "./sheet-view.ts";
export { createStageView, type StageView, type Theme } from "./stage-view.ts";
