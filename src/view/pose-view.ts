/**
 * A sheet drawn from its poses: as curved patches (sheet/patches.ts) where samples have frames, so that few samples look
 * smooth, and as flat triangles with smooth normals where they have none.
 *
 * Everything is allocated once; a pose is evaluated into the buffers that the graphics card reads.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { keepOutside, type Outside } from "../picture/outside.ts";
import { hasFrames } from "../sheet/frames.ts";
import {
  createPatches,
  evaluatePatches,
  type PatchedSheet,
  type Patches,
  patchCorners,
  smoothHalvings,
  spread,
} from "../sheet/patches.ts";
import { createFrame, type DrawnSheet, type Frame, setFrame, setPatchFrame } from "./frame.ts";
import { createSheetView, type SheetView } from "./sheet-view.ts";

export interface PoseView extends SheetView {
  /**
   * Shows a pose.
   * @param pose   [9n] m, positions and frames, or [3n], positions alone
   * @param values [n] what colours show; left as they are if not given
   * @param bodies [12·colliders] where bodies are, if the sheet is to be drawn outside of them
   */
  setPose(pose: ReadonlyF64, values?: ArrayLike<number>, bodies?: Float64Array): void;
}

/**
 * @example
 * const view = createPoseView(simulation.sheet);
 * stage.scene.add(view.object);
 * view.setPose(simulation.pose);
 */
export function createPoseView(
  sheet: PatchedSheet & DrawnSheet,
  {
    halvings = smoothHalvings(sheet.n),
    outside = null,
  }: {
    /** Of every edge, 0 … 6; as many as look smooth if left out. */
    halvings?: number;
    /** Bodies that patches are kept out of (picture/outside.ts), wherever `setPose` says that they are. */
    outside?: Outside | null;
  } = {},
): PoseView {
  if (sheet.tangent === undefined) {
    const view = createSheetView(sheet);
    const setPose: PoseView["setPose"] = (pose, values) => {
      setFrame(view.frame, pose, sheet.triangles);
      if (values) view.frame.values.set(values);
      view.changed();
    };
    return { ...view, setPose };
  }
  const patches = createPatches(sheet, halvings);
  const corners = sheet.corners && { corners: patchCorners(patches, sheet.corners) };
  const view = createSheetView({ ...patches, ...corners });
  const coarse = createFrame(sheet.n);
  const setPose: PoseView["setPose"] = (pose, values, bodies) => {
    if (hasFrames(sheet, pose)) setPatchFrame(view.frame, patches, pose, values);
    else {
      setFlatPatches(view.frame, patches, pose, coarse);
      if (values) spread(view.frame.values, patches, values);
    }
    if (outside !== null && bodies) keepOutside(view.frame.positions, outside, bodies);
    view.changed();
  };
  return { ...view, setPose };
}

/** Positions alone: patches are flat triangles, their normals those of the samples, linear in between. */
function setFlatPatches(frame: Frame, patches: Patches, Y: ReadonlyF64, coarse: Frame): void {
  evaluatePatches(frame.positions, null, patches, Y);
  setFrame(coarse, Y, patches.sheet.triangles);
  const own = new Float32Array(patches.sheet.n);
  const fine = new Float32Array(patches.n);
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < own.length; i++) own[i] = coarse.normals[3 * i + c];
    spread(fine, patches, own);
    for (let i = 0; i < fine.length; i++) frame.normals[3 * i + c] = fine[i];
  }
}
