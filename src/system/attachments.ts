/**
 * Attachments: pins, clamps and hinges, and patches whose mean position is held (§6 Skin).
 *
 * A pinned coordinate is not an unknown: `hold` writes where it must be at a time, and the solvers leave it out.
 * A clamp also holds the frames of its points; without frames it holds their neighbours, which fix the tangents instead.
 * An average-position attachment is three rows
 *
 *   g = Σₖ aₖ Yₖ − target,      aₖ = area share of point k in the patch
 *
 * with multipliers, so that it is exact however soft the penalty behind it is.
 */
import type { Allocator, ReadonlyF64 } from "../linalg/arena.ts";
import { createRigid, motionAt, moveInPlace } from "../scene/motion.ts";
import type { Attachment, Pin, Scene, Vec3 } from "../scene/scene.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import { pick } from "../sheet/picks.ts";
import type { RowSet } from "./system.ts";

export interface Pins {
  /** [3n] 1 where the coordinate is held now. */
  readonly fixed: Uint8Array;
  /** [3n] where held coordinates must be; others are left as they are. */
  readonly target: Float64Array;
  readonly held: readonly HeldPoints[];
  /** How many of them, the first ones, have a driver of their own. */
  readonly drivers: number;
}

export interface HeldPoints {
  readonly pin: Pin;
  readonly points: Int32Array;
  /** [3·points] m, where they start. */
  readonly origin: Float64Array;
  /** They are vectors of frames, which turn with a clamp and are not carried along. */
  readonly turns?: boolean;
  /** Which driver moves them (step/drivers.ts): frames go with the points of their clamp. */
  readonly driver: number;
  /** Where a program leads each of the points, instead of the pin's motion. */
  led?: LedPoints | null;
}

/** Points that move straight from `from` to `to` between two times, and stay there. */
export interface LedPoints {
  readonly from: Float64Array; // [3·points] m
  readonly to: Float64Array; // [3·points] m
  readonly start: number; // s
  readonly end: number; // s
  /** Whether `to` is where the pin's motion takes them too. */
  readonly rigid: boolean;
}

const map = createRigid();
/** A clamp holds frames whole, on whichever axes it holds positions. */
const ALL_AXES = { x: true, y: true, z: true };

/**
 * Writes `fixed` and `target` for the given time.
 *
 * @param clock  [drivers] s, where each pin is on its path, if not all of them are where they should be
 */
export function hold(pins: Pins, time: number, clock?: ReadonlyF64): void {
  const { fixed, target } = pins;
  fixed.fill(0);
  for (let p = 0; p < pins.held.length; p++) {
    const { pin, points, origin, led, turns, driver } = pins.held[p];
    if (isReleased(pin, time)) continue;
    const axes = turns ? ALL_AXES : pin.axes;
    const now = clock ? clock[driver] : time;
    if (led) {
      lead(pins, points, axes, led, now);
      continue;
    }
    motionAt(map, pin.motion, now);
    if (turns) map.fill(0, 9);
    for (let k = 0; k < points.length; k++) {
      const at = 3 * points[k];
      const x = origin[3 * k];
      const y = origin[3 * k + 1];
      const z = origin[3 * k + 2];
      if (axes.x) {
        target[at] = map[0] * x + map[1] * y + map[2] * z + map[9];
        fixed[at] = 1;
      }
      if (axes.y) {
        target[at + 1] = map[3] * x + map[4] * y + map[5] * z + map[10];
        fixed[at + 1] = 1;
      }
      if (axes.z) {
        target[at + 2] = map[6] * x + map[7] * y + map[8] * z + map[11];
        fixed[at + 2] = 1;
      }
    }
  }
}

function lead(
  { fixed, target }: Pins,
  points: Int32Array,
  axes: Pin["axes"],
  { from, to, start, end }: LedPoints,
  time: number,
): void {
  const s = time >= end ? 1 : Math.max(0, (time - start) / (end - start));
  for (let k = 0; k < points.length; k++)
    for (let c = 0; c < 3; c++) {
      if (!(c === 0 ? axes.x : c === 1 ? axes.y : axes.z)) continue;
      const q = 3 * k + c;
      target[3 * points[k] + c] = s === 1 ? to[q] : from[q] + s * (to[q] - from[q]);
      fixed[3 * points[k] + c] = 1;
    }
}

/**
 * Whether the pin holds the tangents of its points: a clamp does, and a pin with a radius, because a patch of the sheet whose positions are held
 * is held in direction too. On a mesh that has three points in the patch the positions alone would do that; on one with a single point
 * they would not, and the same scene would hang differently. A hinge holds positions only.
 */
function holdsFrames({ kind, at, axes }: Pin): boolean {
  return kind === "clamp" || (kind === "pin" && at.radius > 0 && axes.x && axes.y && axes.z);
}

/** Whether the pin has let go by `time`. */
export function isReleased({ release }: Pin, time: number): boolean {
  return release !== null && time > release + RELEASE_SLACK;
}

/** s: steps are counted, not summed, so a release time that is a multiple of h is reached up to rounding. */
const RELEASE_SLACK = 1e-9;

/**
 * @param framed whether samples have frames, which clamps hold as well
 * @param more  further held points, of the solid under a skin, which come after the sheet's in Y
 */
export function createPins(
  memory: Allocator,
  scene: Scene,
  sheet: Sheet,
  Y: ReadonlyF64,
  framed: boolean,
  more: readonly Omit<HeldPoints, "driver">[] = [],
): Pins {
  const heldAt = (pin: Pin, points: Int32Array, turns: boolean, driver: number): HeldPoints => {
    const origin = new Float64Array(3 * points.length);
    for (let k = 0; k < points.length; k++)
      for (let c = 0; c < 3; c++) origin[3 * k + c] = Y[3 * points[k] + c];
    return { pin, points, origin, turns, driver };
  };
  const own = scene.pins.map((pin, p) => {
    const points = pick(sheet, pin.at);
    const isWide = pin.kind === "clamp" && !framed;
    return heldAt(pin, isWide ? withNeighbours(sheet, points) : points, false, p);
  });
  const clamped = own.filter(({ pin }) => framed && holdsFrames(pin));
  const frames = clamped.map(({ pin, points, driver }) =>
    heldAt(
      pin,
      Int32Array.from(
        { length: 2 * points.length },
        (_, k) => sheet.n + 2 * points[k >> 1] + (k & 1),
      ),
      true,
      driver,
    ),
  );
  const solid = more.map((held, k) => ({ ...held, driver: own.length + k }));
  // one driver each for those of the scene and of the solid, which therefore come first
  const held: readonly HeldPoints[] = [...own, ...solid, ...frames];
  return {
    fixed: memory.u8(Y.length),
    target: memory.f64(Y.length),
    held,
    drivers: own.length + solid.length,
  };
}

/** The points and all that an edge joins them to, in rising order. */
function withNeighbours({ edges }: Sheet, points: Int32Array): Int32Array {
  const inside = new Set(points);
  const all = new Set(points);
  for (let e = 0; e < edges.length; e++) if (inside.has(edges[e])) all.add(edges[e ^ 1]); // ^ 1: the other end
  return Int32Array.from([...all].sort((a, b) => a - b));
}

/** Patches whose mean position follows a target: a penalty, and multipliers that make it exact. */
export interface AveragePositions extends RowSet {
  /** [rows] N, multipliers of the augmented Lagrangian. */
  readonly lambda: Float64Array;
  /** [rows] N/m */
  readonly stiffness: Float64Array;
  readonly target: Float64Array; // [rows] m
  /** One augmented-Lagrangian update from the last evaluate. */
  updateMultipliers(): void;
  setTime(time: number): void;
}

/** Mean-position attachments as one set; `stiffness` N/m is the penalty behind the multipliers. */
export function averagePositions(
  memory: Allocator,
  attachments: readonly Attachment[],
  sheet: Sheet,
  Y: ReadonlyF64,
  stiffness: number,
): AveragePositions {
  const patches = attachments.map((a) => pick(sheet, a.at));
  const entries = patches.reduce((sum, p) => sum + p.length, 0);
  const blocks = patches.length;
  const start = new Int32Array(blocks + 1);
  const index = new Int32Array(entries);
  const share = new Float64Array(entries);
  const origin = new Float64Array(3 * blocks);
  for (let b = 0, e = 0; b < blocks; b++) {
    let whole = 0;
    for (const i of patches[b]) whole += sheet.area[i];
    for (const i of patches[b]) {
      index[e] = i;
      share[e] = sheet.area[i] / whole;
      for (let c = 0; c < 3; c++) origin[3 * b + c] += share[e] * Y[3 * i + c];
      e++;
    }
    start[b + 1] = e;
    const { target } = attachments[b];
    if (target) origin.set(target as Vec3, 3 * b);
  }
  const rows = 3 * blocks;
  const J = new Float64Array(9 * entries);
  for (let e = 0; e < entries; e++) for (let c = 0; c < 3; c++) J[9 * e + 4 * c] = share[e];
  const target = memory.f64(rows);
  const weight = new Float64Array(rows).fill(stiffness);
  const active = new Uint8Array(blocks).fill(1);
  const set = {
    rowsPer: 3,
    blocks,
    start: memory.copyI32(start),
    index: memory.copyI32(index),
    g: memory.f64(rows),
    J: memory.copyF64(J),
    sigma: memory.f64(rows),
    lambda: memory.f64(rows),
    stiffness: memory.copyF64(weight),
    weight: memory.copyF64(weight),
    target,
    residualAt(b: number, c: number, Y: ReadonlyF64): number {
      let sum = -target[3 * b + c];
      for (let e = start[b]; e < start[b + 1]; e++) sum += share[e] * Y[3 * index[e] + c];
      return sum;
    },
    evaluate(Y: ReadonlyF64): void {
      for (let b = 0; b < blocks; b++)
        for (let c = 0; c < 3; c++) {
          const r = 3 * b + c;
          set.weight[r] = active[b] ? set.stiffness[r] : 0;
          set.g[r] = active[b] ? set.residualAt(b, c, Y) : 0;
          set.sigma[r] = active[b] ? set.lambda[r] + set.stiffness[r] * set.g[r] : 0;
        }
    },
    energy(Y: ReadonlyF64): number {
      let E = 0;
      for (let b = 0; b < blocks; b++)
        for (let c = 0; c < 3 && active[b]; c++) {
          const v = set.residualAt(b, c, Y);
          E += v * (0.5 * set.stiffness[3 * b + c] * v + set.lambda[3 * b + c]);
        }
      return E;
    },
    updateMultipliers(): void {
      for (let r = 0; r < rows; r++) set.lambda[r] += set.weight[r] * set.g[r];
    },
    setTime(time: number): void {
      for (let b = 0; b < blocks; b++) {
        const { motion, release } = attachments[b];
        active[b] = release !== null && time > release + RELEASE_SLACK ? 0 : 1;
        motionAt(map, motion, time);
        for (let c = 0; c < 3; c++) target[3 * b + c] = origin[3 * b + c];
        moveInPlace(target, 3 * b, map);
      }
    },
  };
  return set;
}
