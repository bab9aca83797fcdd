/**
 * Points that the scene puts where they are: those of pins that hold every direction. Bodies do not push them, so that a scene can hang a
 * garment on points inside of a body. What is held inside of one is noted, not judged, and neither are the triangles that hang on it.
 */
import type { MeasuredSheet } from "../recording/measures.ts";
import type { Scene } from "../scene/scene.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import { pick } from "../sheet/picks.ts";

/** s: a release time that is a multiple of the step is met but for rounding. */
const SLACK = 1e-9;

/** Says which points are held at a time, [n] 1: held. */
export function createHeld({ pins }: Scene, sheet: MeasuredSheet): (time: number) => Uint8Array {
  const lists = pins
    .filter(({ axes }) => axes.x && axes.y && axes.z)
    // `pick` looks at parts, uv and triangles only, which recordings keep
    .map(({ at, release }) => ({ points: pick(sheet as Sheet, at), release }));
  const held = new Uint8Array(sheet.n);
  return (time) => {
    held.fill(0);
    for (const { points, release } of lists)
      if (release === null || time <= release + SLACK) for (const i of points) held[i] = 1;
    return held;
  };
}
