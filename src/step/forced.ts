/**
 * Whether drivers strain a sheet further than it gives way. Each sheet is judged by itself: what another one, far away, does (falls, is bent) says
 * nothing about this one.
 */
import { arcEnergyOf, isArcs, stretchOf } from "../system/frame-membrane.ts";
import type { Part } from "./parts.ts";
import type { Stepper } from "./stepper.ts";

/** |m|² − 1 of an arc that nothing may push a sheet beyond: 2 % of length. */
const FORCED = 0.04;

/** Whether drivers have strained a sheet further than it gives way: those that push layers aside or, if none does, all that move. */
export function isForced(system: Stepper, part: Part): boolean {
  if (part.isHeld || !isOverstretched(system)) return false;
  const { pushing, moves, from, to, count } = system.work.drivers;
  let any = false;
  for (let d = 0; d < count; d++) if (pushing[d]) any = true;
  for (let d = 0; d < count && !any; d++) pushing[d] = moves[d] && from[d] !== to[d] ? 1 : 0;
  for (let d = 0; d < count; d++) if (pushing[d]) any = true;
  if (!any) return false;
  for (let s = 0; s < system.sheet.parts.length; s++)
    if (isSheetForced(system, s, part.h)) return true;
  return false;
}

/** Whether any sheet is stretched by more than 2 % at the last evaluation. */
export function isOverstretched({ isometry, sheet }: Stepper): boolean {
  return isArcs(isometry) && stretchOf(isometry.arcs, 0, sheet.triangles.length / 3) > FORCED;
}

/**
 * A sheet that was strained as much before is not helped by staying, what inertia strains (a blow) is not held by anything, and the ridges of a sheet that is
 * crushed stretch while it bends: a tube would never buckle.
 */
function isSheetForced(system: Stepper, s: number, h: number): boolean {
  const { isometry, sheet, state, work } = system;
  if (!isArcs(isometry)) return false;
  const { arcs } = isometry;
  const { firstTriangle, triangles } = sheet.parts[s];
  if (!(stretchOf(arcs, firstTriangle, triangles) > FORCED)) return false;
  const now = arcEnergyOf(arcs, state.Y, firstTriangle, triangles);
  if (!(arcEnergyOf(arcs, work.start, firstTriangle, triangles) < now)) return false;
  return now > kinetic(system, s, h) + bending(system, s);
}

/** J: ½ YᵀKY over the samples of sheet s and their frames, of bending alone. */
function bending({ state: { Y }, pattern, K, limp, sheet, framed }: Stepper, s: number): number {
  const { start, index } = pattern;
  const { firstPoint, points } = sheet.parts[s];
  const values = limp?.bending ?? K;
  let sum = 0;
  for (let k = 0; k < (framed > 0 ? 3 : 1) * points; k++) {
    const i = k < points ? firstPoint + k : framed + 2 * firstPoint + (k - points);
    for (let p = start[i]; p < start[i + 1]; p++)
      for (let c = 0; c < 3; c++) sum += values[p] * Y[3 * i + c] * Y[3 * index[p] + c];
  }
  return 0.5 * sum;
}

/** J: of the motion of sheet s from the start of the part. */
function kinetic(
  { state: { Y }, work: { start }, m, sheet }: Stepper,
  s: number,
  h: number,
): number {
  const { firstPoint, points } = sheet.parts[s];
  let sum = 0;
  for (let i = firstPoint; i < firstPoint + points; i++)
    for (let k = 3 * i; k < 3 * i + 3; k++) sum += m[i] * (Y[k] - start[k]) ** 2;
  return (0.5 * sum) / (h * h);
}
