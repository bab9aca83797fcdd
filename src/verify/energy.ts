/**
 * Energies of a recording: the energies of every frame are computed again from masses, positions, frames and velocities, and their balance is checked. Where
 * nothing drives a scene, its total can only fall, or with contact, which stores and gives back, never exceed that of the start.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { FrameMotion } from "../recording/format.ts";
import type { MeasuredSheet } from "../recording/measures.ts";
import type { Metrics } from "../recording/summary.ts";
import type { Scene } from "../scene/scene.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import { pick } from "../sheet/picks.ts";
import { createFrameBending } from "./bending.ts";
import { type Areas, areasOf, createFrameEnergies, type KnownEnergy } from "./membrane.ts";
import { partsOf } from "./places.ts";

/** Relative difference of two sums in different orders. */
const ROUNDING = 1e-9;
/** Share of the energy that was set free by which a total may rise between two frames. */
const GIVEN_BACK = 0.01;
/**
 * By BDF2 energy rises and falls by what a step accelerates: a sheet may gain so much of what it has to fall (weight times size) and of its kinetic energy, over all
 * steps together (step/second-order.ts stays within that).
 */
const SECOND_ORDER = 1e-3;
/** Relative rounding of a number in single precision. */
const SINGLE = 2 ** -24;
/** N/kg: the smoothing of a sheet is at least 1.5 of its weight on earth over its size (system/limp-cloth.ts). */
const LEAST_SMOOTHING = 1.5 * 9.81;

/** What the total of a frame is made of. */
export const ENERGIES = [
  "kinetic",
  "gravity",
  "bending",
  "membrane",
  "smoothing",
  "foundation",
  "pressure",
  "substrate",
] as const;
export type EnergyName = (typeof ENERGIES)[number];

/** The energies of a frame; null where the recording does not hold what they follow from. */
export type FrameEnergy = Record<EnergyName, KnownEnergy | null>;

/** What energies of one recording need. */
export interface EnergyJudge {
  /** [n] kg, without what hangs on the sheets */
  readonly own: Float64Array;
  of(pose: ReadonlyF64, motion: FrameMotion | null): FrameEnergy;
  /** J: weight times size of all sheets. */
  readonly fall: number;
  /** N/m: K_r that the weight of each sheet asks for. */
  readonly leastSmoothing: Float64Array;
}

/** @param start the first frame, which foundations pull back to and whose curvature is natural to sheets that say so */
export function createEnergies(
  scene: Scene,
  sheet: MeasuredSheet,
  start: ReadonlyF64 | null,
): EnergyJudge {
  const areas = areasOf(sheet);
  const part = partsOf(sheet);
  const own = areas.samples.map((area, i) => area * scene.sheets[part[i]].material.density);
  const m = withHung(scene, sheet, own);
  const { n, spacing, tangent } = sheet;
  const bendingOf = tangent ? createFrameBending(scene, sheet, tangent, start) : null;
  const strainOf = tangent
    ? createFrameEnergies(scene, sheet, { n, spacing, tangent }, areas)
    : null;
  // the nodes of a solid that the sheet moves are not recorded
  const isWhole = scene.substrate === null || !scene.substrate.coupling.twoWay;
  return {
    own,
    fall: fallOf(scene, part, m, areas),
    leastSmoothing: leastSmoothing(sheet, own, areas),
    of(pose, motion) {
      const frames = strainOf?.(pose, motion?.smoothing ?? null) ?? null;
      return {
        kinetic: motion && isWhole ? kineticEnergy(m, motion.V) : null,
        gravity: isWhole ? exact(gravityEnergy(scene, m, pose)) : null,
        bending: bendingOf?.(pose) ?? null,
        membrane: frames?.membrane ?? null,
        smoothing: strainOf ? (frames?.smoothing ?? null) : exact(0),
        foundation: foundationEnergy(scene, areas, pose, start),
        pressure: exact(-scene.pressure * (scene.pressure === 0 ? 0 : volumeOf(sheet, pose))),
        substrate: scene.substrate === null ? exact(0) : null,
      };
    },
  };
}

function exact(energy: number): KnownEnergy {
  return { energy, rounding: 0 };
}

/** J: weight times size, sheet by sheet. */
function fallOf(
  { sheets, gravity: [x, y, z] }: Scene,
  part: ArrayLike<number>,
  m: ReadonlyF64,
  { samples }: Areas,
): number {
  const mass = new Float64Array(sheets.length);
  const area = new Float64Array(sheets.length);
  for (let i = 0; i < m.length; i++) {
    mass[part[i]] += m[i];
    area[part[i]] += samples[i];
  }
  let sum = 0;
  for (let s = 0; s < sheets.length; s++) sum += mass[s] * Math.hypot(x, y, z) * Math.sqrt(area[s]);
  return sum;
}

/** [n] kg, what hangs on the sheet shared among the points that it hangs on. */
function withHung({ masses }: Scene, sheet: MeasuredSheet, own: Float64Array): Float64Array {
  const m = own.slice();
  for (const { at, mass } of masses) {
    const points = pick(sheet as Sheet, at); // looks at parts, uv and triangles only, which recordings keep
    for (const i of points) m[i] += mass / points.length;
  }
  return m;
}

function leastSmoothing(
  { parts }: MeasuredSheet,
  own: Float64Array,
  { samples }: Areas,
): Float64Array {
  return Float64Array.from(parts, ({ firstPoint, points }) => {
    let [mass, area] = [0, 0];
    for (let i = firstPoint; i < firstPoint + points; i++) {
      mass += own[i];
      area += samples[i];
    }
    return (LEAST_SMOOTHING * mass) / Math.sqrt(area);
  });
}

/** Σ ½ m v²; velocities are recorded in single precision. */
function kineticEnergy(m: Float64Array, V: ReadonlyF64): KnownEnergy {
  let energy = 0;
  for (let k = 0; k < 3 * m.length; k++) energy += 0.5 * m[Math.floor(k / 3)] * V[k] * V[k];
  return { energy, rounding: 2.01 * SINGLE * energy };
}

/** −Σ m g·y */
function gravityEnergy({ gravity }: Scene, m: Float64Array, Y: ReadonlyF64): number {
  let sum = 0;
  for (let i = 0; i < m.length; i++)
    for (let c = 0; c < 3; c++) sum -= m[i] * gravity[c] * Y[3 * i + c];
  return sum;
}

/** Σ ½ k A (axis·(y − y₀))², y₀ where the points started. */
function foundationEnergy(
  { foundation }: Scene,
  { samples }: Areas,
  Y: ReadonlyF64,
  start: ReadonlyF64 | null,
): KnownEnergy | null {
  if (foundation === null) return exact(0);
  if (start === null) return null;
  const { axis, stiffness } = foundation;
  let energy = 0;
  for (let i = 0; i < samples.length; i++) {
    let along = 0;
    for (let c = 0; c < 3; c++) along += axis[c] * (Y[3 * i + c] - start[3 * i + c]);
    energy += 0.5 * stiffness * samples[i] * along * along;
  }
  return exact(energy);
}

/** m³ inside of the sheets without a boundary, by cones of their triangles over the first corner of each sheet. */
function volumeOf({ parts, triangles, boundary }: MeasuredSheet, Y: ReadonlyF64): number {
  let volume = 0;
  for (const { firstPoint, points, firstTriangle, triangles: count } of parts) {
    if (boundary.subarray(firstPoint, firstPoint + points).includes(1)) continue;
    for (let t = firstTriangle; t < firstTriangle + count; t++) {
      const [a, b, c] = [0, 1, 2].map((k) =>
        [0, 1, 2].map((d) => Y[3 * triangles[3 * t + k] + d] - Y[3 * firstPoint + d]),
      );
      volume +=
        (a[0] * (b[1] * c[2] - b[2] * c[1]) +
          a[1] * (b[2] * c[0] - b[0] * c[2]) +
          a[2] * (b[0] * c[1] - b[1] * c[0])) /
        6;
    }
  }
  return volume;
}

/** What is needed to compare energies with each other and with metrics.csv. */
export interface JudgedEnergy {
  readonly scene: Scene;
  readonly judge: EnergyJudge;
  readonly metrics: readonly Metrics[];
  readonly frame: number;
  readonly motion: FrameMotion | null;
}

/** What is wrong with the energies of a frame. */
export function energyFaults(
  found: FrameEnergy,
  { scene, judge, metrics: all, frame, motion }: JudgedEnergy,
): string[] {
  const faults = motion === null ? [] : motionFaults(scene, judge, motion, all[frame]);
  const metrics = all[frame];
  if (metrics === undefined) return faults;
  const told = (name: EnergyName): number => metrics[name] ?? 0;
  const size = ENERGIES.reduce((sum, name) => sum + Math.abs(told(name)), 0);
  for (const name of ENERGIES) {
    const known = found[name];
    // before there was a column for smoothing it was part of the membrane
    const isTold =
      metrics[name] !== undefined && (name !== "membrane" || metrics.smoothing !== undefined);
    if (known === null || !isTold) continue;
    const off = known.rounding + ROUNDING * (size + 1e-6);
    if (!(Math.abs(told(name) - known.energy) <= off))
      faults.push(`metrics.csv says ${name} ${told(name)} J, its frame says ${known.energy} J`);
  }
  for (const name of ["kinetic", "bending", "membrane", "smoothing", "foundation"] as const)
    if (!(told(name) >= -ROUNDING * (size + 1e-3)))
      faults.push(`${name} energy is ${told(name)} J`);
  const sum = ENERGIES.reduce((sum, name) => sum + told(name), 0);
  const isWhole = scene.substrate === null || metrics.substrate !== undefined;
  if (isWhole && !(Math.abs(sum - metrics.total) <= ROUNDING * (size + 1e-6)))
    faults.push(`its energies add up to ${sum} J, metrics.csv says ${metrics.total} J`);
  if (isPassive(scene) && frame > 0)
    faults.push(...growthFaults({ scene, judge, metrics: all, frame }, size));
  return faults;
}

/** The fastest point is as fast as metrics.csv says, and the smoothing of no sheet is less than its weight asks for. */
function motionFaults(
  { sheets }: Scene,
  { leastSmoothing }: EnergyJudge,
  { V, smoothing }: FrameMotion,
  metrics: Metrics | undefined,
): string[] {
  const faults: string[] = [];
  let squared = 0;
  for (let k = 0; k < V.length; k += 3)
    squared = Math.max(squared, V[k] * V[k] + V[k + 1] * V[k + 1] + V[k + 2] * V[k + 2]);
  const speed = Math.sqrt(squared);
  if (metrics && !(Math.abs(metrics.speedMax - speed) <= 2 * SINGLE * speed + ROUNDING * 1e-6))
    faults.push(
      `metrics.csv says speedMax ${metrics.speedMax} m/s, its velocities say ${speed} m/s`,
    );
  for (let p = 0; p < smoothing.length; p++)
    if (!(smoothing[p] >= (1 - ROUNDING) * leastSmoothing[p]))
      faults.push(
        `the smoothing of sheet "${sheets[p].name}" is ${smoothing[p]} N/m, its weight asks for ${leastSmoothing[p]} N/m`,
      );
  return faults;
}

/** Energy that comes from nowhere. */
function growthFaults(
  { scene, judge, metrics: all, frame }: Omit<JudgedEnergy, "motion">,
  size: number,
): string[] {
  const { total } = all[frame];
  let least = all[0].total;
  let kinetic = all[0].kinetic;
  // contact keeps energy that no line tells, and gives it back: only the start is a bound then
  const touches = scene.colliders.length > 0 || scene.contact.self;
  for (let k = 1; k <= frame; k++) {
    if (k < frame && !touches) least = Math.min(least, all[k].total);
    kinetic = Math.max(kinetic, all[k].kinetic);
  }
  const second = scene.integrator === "bdf2" ? SECOND_ORDER * (judge.fall + kinetic) : 0;
  const allowed = least + GIVEN_BACK * (all[0].total - least) + ROUNDING * (size + 1e-3) + second;
  return total <= allowed
    ? []
    : [`its energy is ${total} J, after ${least} J before it, and nothing drives the scene`];
}

/** Whether nothing adds energy: no motion, wind, pressure or sewing. */
export function isPassive(scene: Scene): boolean {
  const { pins, attachments, colliders, air, pressure, substrate, sheets } = scene;
  const isStill = [...pins, ...attachments, ...colliders].every(({ motion }) => motion === null);
  const isCalm = air.wind.every((x) => x === 0) && pressure === 0;
  const isSewn = sheets.some(({ shape }) => shape.type === "garment");
  return isStill && isCalm && substrate === null && !isSewn && scene.static === null;
}
