/**
 * What the camera has to show: points seen over the whole run, the floor, marks of pins.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { MeasuredSheet } from "../recording/measures.ts";
import type { Scene, Vec3 } from "../scene/scene.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import { pick } from "../sheet/picks.ts";
import { boxOf, type Prop, sizeOf } from "./stage-bodies.ts";

/** What the camera has to hold. */
interface Seen {
  /** [3·…] m */
  points: Float64Array;
  /** m */
  lowest: number;
  size: number;
  level: number | null;
  /** A good direction: flat things are looked at from higher up. */
  from: Vec3;
}

export function visible(
  looks: readonly { Y: Float64Array; time: number }[],
  n: number,
  props: readonly Prop[],
  others: ArrayLike<number>,
): Seen {
  const clouds: Float64Array[] = looks.map(({ Y }) => Y.subarray(0, 3 * n));
  const sheets = new Float64Array(clouds.reduce((sum, c) => sum + c.length, 0));
  let at = 0;
  for (const cloud of clouds) {
    sheets.set(cloud, at);
    at += cloud.length;
  }
  const { min, max } = boxOf(sheets);
  const wide = Math.hypot(max[0] - min[0], max[1] - min[1]);
  const flat = max[2] - min[2] < 0.3 * wide;
  let level: number | null = null;
  const bodies: number[] = Array.from(others);
  for (const prop of props) {
    if (prop.level !== null) level = Math.max(level ?? -Infinity, prop.level);
    if (!prop.finite) continue;
    for (const { time } of looks.length > 0 ? [looks[0], looks[looks.length - 1]] : []) {
      const { positions } = prop.at(time);
      for (let k = 0; k < positions.length; k++) bodies.push(positions[k]);
    }
  }
  const points = new Float64Array(sheets.length + bodies.length);
  points.set(sheets);
  points.set(bodies, sheets.length);
  const box = boxOf(points);
  return {
    points,
    lowest: box.min[2],
    size: sizeOf(points),
    level,
    from: flat ? [0.45, -0.75, 0.62] : [0.5, -0.8, 0.34],
  };
}

/** Circles that hold what points sweep when they turn about the vertical through the middle of their box. */
export function aroundAxis(points: Float64Array): Float64Array {
  const { min, max } = boxOf(points);
  const [x, y] = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2];
  const layers = 48;
  const sides = 32;
  const radius = new Float64Array(layers + 1).fill(-1);
  for (let k = 0; k < points.length; k += 3) {
    const r = Math.hypot(points[k] - x, points[k + 1] - y);
    const layer = Math.round(((points[k + 2] - min[2]) / (max[2] - min[2] || 1)) * layers);
    if (r > radius[layer]) radius[layer] = r;
  }
  const swept: number[] = [];
  radius.forEach((r, layer) => {
    if (r < 0) return;
    const z = min[2] + ((max[2] - min[2]) * layer) / layers;
    for (let s = 0; s < sides; s++) {
      const a = (2 * Math.PI * s) / sides;
      swept.push(x + r * Math.cos(a), y + r * Math.sin(a), z);
    }
  });
  return Float64Array.from(swept);
}

/** Under everything, with a little air, unless the scene has a level plane of its own. */
export function floorOf(scene: Scene, seen: Seen): number | null {
  if (seen.level !== null) return seen.level;
  if (!scene.view.ground || !Number.isFinite(seen.lowest)) return null;
  return seen.lowest - 0.06 * seen.size;
}

/** The places that pins hold, without the patches around them. */
export function pinMarks(scene: Scene, sheet: MeasuredSheet, Y: ReadonlyF64, time: number): Vec3[] {
  const marks = new Map<number, Vec3>();
  for (const pin of scene.pins) {
    if (pin.release !== null && pin.release <= time) continue;
    // `pick` looks at parts, uv and triangles only, which recordings keep
    for (const i of pick(sheet as Sheet, { ...pin.at, radius: 0 }))
      marks.set(i, [Y[3 * i], Y[3 * i + 1], Y[3 * i + 2]]);
  }
  return [...marks.values()];
}
