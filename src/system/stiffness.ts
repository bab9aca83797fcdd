/** The constant stiffness of bending: of samples with frames and of those without, when the system is built and when it changes. */
import { frameCharts } from "../sheet/frames.ts";
import type { Neighbourhoods } from "../sheet/kinematics.ts";
import { type Bending, bending } from "./bending.ts";
import { frameBending } from "./frame-bending.ts";
import type { System } from "./system.ts";

/** @param clamps points whose tangents are held; frames need no more than to be held themselves */
export function bendingOf(
  system: Pick<System, "scene" | "sheet" | "material" | "pattern" | "baseline" | "framed">,
  near: Neighbourhoods,
  clamps: Int32Array,
): Bending {
  const { sheet, material, pattern, baseline } = system;
  const { D, poisson } = material;
  if (system.framed > 0) return framedBending(system, near);
  return bending(sheet, D, poisson, clamps, near, pattern, baseline?.bending ?? "fit");
}

function framedBending(
  { sheet, material, pattern }: Parameters<typeof bendingOf>[0],
  near: Neighbourhoods,
): Bending {
  const charts = frameCharts(sheet);
  const K = frameBending(sheet, charts, material.D, material.poisson, pattern);
  return {
    K,
    coupling: [],
    tangent: new Float64Array(0),
    clamps: new Int32Array(0),
    near,
    fits: [],
  };
}

/** New stiffness on the same pattern, from the material, the loads and the clamps as they are at that time. */
export function renewBending(
  system: System,
  time: number,
  near: Neighbourhoods = system.bending.near,
): void {
  system.bending = bendingOf(system, near, system.pins.clampsAt(time));
  system.K.set(system.bending.K);
  system.limp?.setBending(system.bending.K);
}

/** Bending over the second rings of open or closed seams, whichever they are. */
export function bendAcross(system: System, time: number): void {
  const { seams } = system;
  const near = seams!.closed ? seams!.rings : seams!.open;
  if (system.bending.near !== near) renewBending(system, time, near);
}
