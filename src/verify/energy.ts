/**
 * Energy of a recording: those of gravity and bending worked out anew from masses, positions and frames, and the balance of what the engine tells. Where
 * nothing drives a scene, its total can only fall, or with contact, which stores and gives back, never exceed that of the start.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { MeasuredSheet } from "../recording/measures.ts";
import type { Metrics } from "../recording/summary.ts";
import type { Scene } from "../scene/scene.ts";
import type { BendingEnergy } from "./bending.ts";

/** Relative difference of two sums in different orders. */
const ROUNDING = 1e-9;
/** Share of the energy that was set free by which a total may rise between two frames. */
const GIVEN_BACK = 0.01;

/** J, −Σ m g·y; NaN where hung masses are shared in a way that the recording does not keep. */
export function gravityEnergy(
  { gravity, masses }: Scene,
  { m, n }: MeasuredSheet,
  Y: ReadonlyF64,
): number {
  if (masses.length > 0) return Number.NaN;
  let sum = 0;
  for (let i = 0; i < n; i++) for (let c = 0; c < 3; c++) sum -= m[i] * gravity[c] * Y[3 * i + c];
  return sum;
}

/**
 * What is wrong with the energies of a frame.
 *
 * @param bend its bending energy, worked out anew; null where that is not known
 */
export function energyFaults(
  scene: Scene,
  metrics: Metrics | undefined,
  gravity: number,
  bend: BendingEnergy | null,
  all: readonly Metrics[],
  frame: number,
): string[] {
  if (metrics === undefined) return [];
  const faults: string[] = [];
  const { kinetic, bending, membrane, total } = metrics;
  const size =
    Math.abs(metrics.gravity) + Math.abs(kinetic) + Math.abs(bending) + Math.abs(membrane);
  if (!Number.isNaN(gravity) && !(Math.abs(metrics.gravity - gravity) <= ROUNDING * (size + 1e-6)))
    faults.push(`metrics.csv says gravity ${metrics.gravity} J, its positions say ${gravity} J`);
  if (bend && !(Math.abs(bending - bend.energy) <= bend.rounding + ROUNDING * (size + 1e-6)))
    faults.push(`metrics.csv says bending ${bending} J, its frames say ${bend.energy} J`);
  for (const name of ["kinetic", "bending", "membrane"] as const)
    if (!(metrics[name] >= -ROUNDING * (size + 1e-3)))
      faults.push(`${name} energy is ${metrics[name]} J`);
  const sum = kinetic + metrics.gravity + bending + membrane;
  if (scene.substrate === null && !(Math.abs(sum - total) <= ROUNDING * (size + 1e-6)))
    faults.push(`its energies add up to ${sum} J, metrics.csv says ${total} J`);
  if (isPassive(scene) && frame > 0) {
    let least = all[0].total;
    // contact keeps energy that no line tells, and gives it back: only the start is a bound then
    const touches = scene.colliders.length > 0 || scene.contact.self;
    for (let k = 1; k < frame && !touches; k++) least = Math.min(least, all[k].total);
    const allowed = least + GIVEN_BACK * (all[0].total - least) + ROUNDING * (size + 1e-3);
    if (!(total <= allowed))
      faults.push(
        `its energy is ${total} J, after ${least} J before it, and nothing drives the scene`,
      );
  }
  return faults;
}

/** Whether nothing adds energy: no motion, wind, pressure, foundation or sewing. */
export function isPassive(scene: Scene): boolean {
  const { pins, attachments, colliders, air, pressure, foundation, substrate, sheets } = scene;
  const isStill = [...pins, ...attachments, ...colliders].every(({ motion }) => motion === null);
  const isCalm = air.wind.every((x) => x === 0) && pressure === 0 && foundation === null;
  const isSewn = sheets.some(({ shape }) => shape.type === "garment");
  return isStill && isCalm && substrate === null && !isSewn && scene.static === null;
}
