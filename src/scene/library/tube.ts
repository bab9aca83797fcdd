/**
 * Crushed cylinder (§6): a tube whose upper ring is lowered onto its lower one.
 *
 * How many diamonds it buckles into is set by thickness over radius. A perfect tube of membrane stiffness K and rigidity D
 * holds until the axial strain 2√(D/K)/R and then has some n = ½ √(R √(K/D)) lobes around: 14 here (K = 2·10⁵ N/m, D = 10⁻³ N·m,
 * R = 0.1 m, a plastic 0.25 mm thick). A lobe is 45 mm wide, 12 spacings of the fine mesh and 3 of the coarse one, which
 * therefore shows the folds that are left in the end but not the pattern they come from.
 */
import type { SceneInput } from "../input.ts";

/** m */
export const CYLINDER = { radius: 0.1, height: 0.25 } as const;

export interface Cylinder {
  points?: number;
  /** Share of the height that is left in the end. */
  left?: number;
  /** Time of the descent, s. */
  seconds?: number;
}

export function cylinder({ points = 979, left = 0.35, seconds = 2 }: Cylinder = {}): SceneInput {
  const { radius, height } = CYLINDER;
  const down = height * (1 - left);
  return {
    seconds: seconds + 1,
    tolerance: 1e-3,
    sheet: {
      shape: { type: "tube", radius, height },
      sampling: { points },
      material: { density: 0.3, D: 1e-3, membraneStiffness: 2e5, thickness: 1e-3 },
      noise: 1e-5, // of the irregular mesh's own asymmetry there is enough; this names it
    },
    air: { drag: 5 },
    contact: { self: true, friction: 0.2 },
    pins: [
      { name: "lower ring", at: { edge: "bottom" } },
      {
        name: "upper ring",
        at: { edge: "top" },
        motion: { keys: [{ time: seconds, translate: [0, 0, -down] }] },
      },
    ],
  };
}
