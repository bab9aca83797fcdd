/**
 * The rigid motion of a glTF node. A node moves rigidly if M(t) M(0)⁻¹ is a rotation and a translation, M(t) being its matrix in the
 * world, parents included. Keys are taken wherever the node or a parent has one, and between them so densely that a turn is at most
 * 5°: our keyframes go straight in position and rotation vector, glTF's along the sphere.
 */
import { acos, atan2 } from "../linalg/elementary.ts";
import type { Motion, Vec3 } from "../scene/scene.ts";
import { FileError } from "./file-error.ts";
import { inverted, MOST_KEYS, norm, product, type Tracks } from "./gltf-nodes.ts";

/** rad */
const STEP = (5 * Math.PI) / 180;
/** s; far below any time step, far above the rounding of 32-bit times. */
const STEP_TIME = 1e-5;
const SPLINE_PIECES = 16;

/** Keys of M(t) M(0)⁻¹ about where the node starts, z up; null if nothing on the path is animated. */
export function rigidMotion(
  path: readonly number[],
  tracks: Map<number, Tracks>,
  matrix: (time: number) => Float64Array,
  place: string,
): Motion | null {
  const keyTimes = new Set<number>([0]);
  for (const k of path)
    for (const { times, mode } of Object.values(tracks.get(k) ?? {}))
      for (let i = 0; i < times.length; i++) {
        if (times[i] <= 0) continue;
        keyTimes.add(times[i]);
        const before = i > 0 ? Math.max(0, times[i - 1]) : 0;
        // a step holds until just before it; a spline is followed by short straight pieces
        if (mode === "STEP" && times[i] - STEP_TIME > before) keyTimes.add(times[i] - STEP_TIME);
        for (let part = 1; part < SPLINE_PIECES && mode === "CUBICSPLINE" && i > 0; part++)
          keyTimes.add(before + ((times[i] - before) * part) / SPLINE_PIECES);
      }
  if (keyTimes.size === 1 || keyTimes.size > MOST_KEYS) return null;
  const times = [...keyTimes].sort((a, b) => a - b);
  const start = matrix(0);
  const inverse = inverted(start);
  if (inverse === null) throw new FileError("glTF", place, "is flattened to nothing by its scale");
  const pivot: Vec3 = [start[12], start[13], start[14]];
  const rigidAt = (time: number): { rotation: number[]; translate: Vec3 } => {
    const now = matrix(time);
    const D = product(now, inverse);
    for (let a = 0; a < 3; a++)
      for (let b = 0; b <= a; b++) {
        let dot = 0;
        for (let c = 0; c < 3; c++) dot += D[4 * a + c] * D[4 * b + c];
        if (!(Math.abs(dot - (a === b ? 1 : 0)) < 1e-3))
          throw new FileError(
            "glTF",
            place,
            `changes its size or shape at ${time} s`,
            "bodies move rigidly",
          );
      }
    return {
      rotation: quaternionOf(D),
      translate: [now[12] - pivot[0], now[13] - pivot[1], now[14] - pivot[2]],
    };
  };

  const keys: Motion["keys"] = [];
  let last: number[] = [0, 0, 0, 1];
  let lastVector: Vec3 = [0, 0, 0];
  const add = (time: number) => {
    const { rotation, translate } = rigidAt(time);
    lastVector = nearestVector(rotation, lastVector);
    last = rotation;
    keys.push({ time, translate: zUp(translate), rotate: zUp(lastVector) });
  };
  add(0);
  for (let k = 1; k < times.length; k++) {
    // a quarter of the way tells the turn even where the whole is a full circle
    const quarter = rigidAt(times[k - 1] + (times[k] - times[k - 1]) / 4).rotation;
    const pieces = Math.max(1, Math.ceil((4 * angleBetween(last, quarter)) / STEP));
    if (keys.length + pieces > MOST_KEYS)
      throw new FileError("glTF", place, `more than ${MOST_KEYS} keyframes`);
    for (let p = 1; p <= pieces; p++) add(times[k - 1] + ((times[k] - times[k - 1]) * p) / pieces);
  }
  const still = keys.every(
    ({ translate, rotate }) => norm(translate) < 1e-9 && norm(rotate) < 1e-9,
  );
  return still ? null : { keys, smooth: false, pivot: zUp(pivot), spin: null };
}

function zUp([x, y, z]: Vec3): Vec3 {
  return [x, 0 - z, y];
}

function angleBetween(a: readonly number[], b: readonly number[]): number {
  const dot = Math.abs(a.reduce((sum, x, c) => sum + x * b[c], 0));
  return 2 * acos(Math.min(1, dot));
}

/** The rotation vector of a quaternion that lies nearest to another: the angle may exceed a turn. */
function nearestVector([x, y, z, w]: readonly number[], to: Vec3): Vec3 {
  const sine = norm([x, y, z]);
  const angle = 2 * atan2(sine, w);
  const axis: Vec3 =
    sine > 1e-9 ? [x / sine, y / sine, z / sine] : norm(to) > 1e-9 ? unit(to) : [0, 0, 1];
  const along = axis[0] * to[0] + axis[1] * to[1] + axis[2] * to[2];
  const turns = Math.round((along - angle) / (2 * Math.PI));
  const full = angle + 2 * Math.PI * turns;
  return [axis[0] * full, axis[1] * full, axis[2] * full];
}

function unit(v: Vec3): Vec3 {
  const length = norm(v);
  return [v[0] / length, v[1] / length, v[2] / length];
}

/** Shepperd's method; the matrix is column-major and a rotation but for rounding. */
function quaternionOf(D: Float64Array): number[] {
  const [xx, xy, xz, , yx, yy, yz, , zx, zy, zz] = D;
  const q =
    xx + yy + zz > 0
      ? [yz - zy, zx - xz, xy - yx, 1 + xx + yy + zz]
      : xx > yy && xx > zz
        ? [1 + xx - yy - zz, yx + xy, zx + xz, yz - zy]
        : yy > zz
          ? [yx + xy, 1 + yy - xx - zz, zy + yz, zx - xz]
          : [zx + xz, zy + yz, 1 + zz - xx - yy, xy - yx];
  const length = norm(q);
  return q.map((x) => x / length);
}
