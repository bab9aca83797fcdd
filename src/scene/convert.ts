/** Conversions between what people write and SI: degrees to radians, axes to unit vectors, motions. */
import { PI } from "../linalg/elementary.ts";
import type { Faults, Path } from "./faults.ts";
import type { AngleInput, KeyInput, MotionInput, RotationInput } from "./input.ts";
import { rotationVector } from "./motion.ts";
import type { Motion, Vec3 } from "./scene.ts";

/** rad; never −0, which JSON would lose. */
export function radians(angle: AngleInput): number {
  return typeof angle === "number" ? angle * (PI / 180) + 0 : angle.radians;
}

export function rotationOf(rotation: RotationInput | undefined): Vec3 {
  if (rotation === undefined) return [0, 0, 0];
  if (Array.isArray(rotation))
    return [radians(rotation[0]), radians(rotation[1]), radians(rotation[2])];
  if ("radians" in rotation) return [...rotation.radians];
  return rotationVector(rotation.axis, radians(rotation.angle));
}

/** The unit vector along `v`; a vector that is one already keeps its bits. */
export function unit(v: Vec3, path: Path, faults: Faults): Vec3 {
  const most = Math.max(Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2]));
  // squares of very small numbers are 0
  if (most > 0 && most < 1e-100) v = [v[0] / most, v[1] / most, v[2] / most];
  const squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
  if (!(squared > 0)) {
    faults.add(path, "got [0, 0, 0], needs a direction");
    return [0, 0, 1];
  }
  if (Math.abs(squared - 1) < 1e-15) return [...v];
  const length = Math.sqrt(squared);
  return [v[0] / length + 0, v[1] / length + 0, v[2] / length + 0];
}

export function motionOf(
  given: MotionInput | KeyInput[] | null | undefined,
  pivot: Vec3,
  path: Path,
  faults: Faults,
): Motion | null {
  if (given === null || given === undefined) return null;
  const motion: MotionInput = Array.isArray(given) ? { keys: given } : given;
  const at = Array.isArray(given) ? path : [...path, "keys"];
  const keys = (motion.keys ?? []).map((key) => ({
    time: key.time,
    translate: key.translate ?? ([0, 0, 0] as Vec3),
    rotate: rotationOf(key.rotate),
  }));
  checkTimes(keys, at, faults);
  if (keys.length > 0 && keys[0].time > 0)
    keys.unshift({ time: 0, translate: [0, 0, 0], rotate: [0, 0, 0] });
  return {
    keys,
    smooth: motion.smooth ?? false,
    pivot: motion.pivot ?? [...pivot],
    spin: motion.spin ? spinOf(motion.spin, [...path, "spin"], faults) : null,
  };
}

function spinOf(
  spin: NonNullable<MotionInput["spin"]>,
  path: Path,
  faults: Faults,
): Motion["spin"] {
  if ((spin.rate === undefined) === (spin.rates === undefined))
    faults.add(path, "needs rate or rates, one of them");
  const rates = (spin.rates ?? [{ time: 0, rate: spin.rate ?? 0 }]).map((r) => ({
    time: r.time,
    rate: radians(r.rate),
  }));
  checkTimes(rates, [...path, "rates"], faults);
  return { axis: unit(spin.axis ?? [0, 0, 1], [...path, "axis"], faults), rates };
}

function checkTimes(keys: readonly { time: number }[], path: Path, faults: Faults): void {
  for (let k = 1; k < keys.length; k++)
    if (!(keys[k].time > keys[k - 1].time))
      faults.add(
        [...path, k, "time"],
        `got ${keys[k].time}, needs more than the one before, ${keys[k - 1].time} s`,
      );
}
