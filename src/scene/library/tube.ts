/**
 * Crushed cylinder (§6): a tube whose upper ring is lowered towards its lower one, between two plates.
 *
 * How many diamonds it buckles into is set by D/K, that is by thickness over radius. A perfect tube of membrane stiffness K and
 * rigidity D holds until the axial strain 2√(D/K)/R and then has some n = ½ √(R √(K/D)) lobes around: 7 here (K = 5·10³ N/m,
 * D = 10⁻³ N·m, R = 0.1 m, a soft film). A lobe is then 84 mm wide, 26 spacings of the fine mesh and 7 of the coarse one; the
 * ridges between lobes are several times narrower, down to a spacing of the coarse mesh.
 *
 * The film is lossy (damping): its folds form within hundredths of a second, as those of real films do, and not within
 * one step.
 *
 * The rings hold z only: a tube whose rim is kept a rigid circle cannot fold isometrically.
 */
import type { MotionInput, SceneInput } from "../input.ts";

/** m: between the rings and the plates, and of the plates. */
const AIR = 2e-3;
const THICK = 0.016;

/** m */
export const CYLINDER = { radius: 0.1, height: 0.25 } as const;

export interface Cylinder {
  points?: number;
  /** Share of the height that is left in the end. */
  left?: number;
  /** Time of the descent, s. */
  seconds?: number;
}

export function cylinder({ points = 979, left = 0.4, seconds = 1.6 }: Cylinder = {}): SceneInput {
  const { radius, height } = CYLINDER;
  const down = height * (1 - left);
  const descent: MotionInput = { keys: [{ time: seconds, translate: [0, 0, -down] }] };
  const plate = {
    body: { type: "cylinder", radius: 1.45 * radius, length: THICK, rounding: THICK / 4 },
    friction: 0.3,
  } as const;
  return {
    seconds: seconds + 0.8,
    tolerance: 1e-3,
    sheet: {
      shape: { type: "tube", radius, height },
      sampling: { points },
      material: { density: 0.3, D: 1e-3, damping: 0.02, thickness: 1e-3 },
      noise: 1e-5, // of the irregular mesh's own asymmetry there is enough; this names it
    },
    air: { drag: 5 },
    contact: { self: true, friction: 0.2 },
    colliders: [
      { ...plate, name: "lower plate", position: [0, 0, -AIR - THICK / 2] },
      {
        ...plate,
        name: "upper plate",
        position: [0, 0, height + AIR + THICK / 2],
        motion: descent,
      },
    ],
    pins: [
      { name: "lower ring", at: { edge: "bottom" }, axes: "z" },
      {
        name: "upper ring",
        at: { edge: "top" },
        axes: "z",
        motion: descent,
      },
    ],
  };
}
