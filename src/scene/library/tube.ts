/**
 * Crushed cylinder (§6): a tube whose upper ring is lowered towards its lower one, between two plates.
 *
 * How many diamonds it buckles into is set by D/K, that is by thickness over radius. A perfect tube of membrane stiffness K and
 * rigidity D holds until the axial strain 2√(D/K)/R and then has at most n = ½ √(R √(K/D)) lobes around: 9 here (K = 10⁴ N/m,
 * D = 10⁻³ N·m, R = 0.1 m, a soft film); modes of fewer lobes and longer waves along the height have the same load (bucklingLoad, patterns.ts).
 * Five lobes are 126 mm wide each, 40 spacings of the fine mesh and 10 of the coarse one; the ridges between them are several times narrower,
 * down to a spacing of the coarse mesh.
 *
 * The film is lossy (damping): its folds form within hundredths of a second, as those of real films do, and not within
 * one step.
 *
 * The rims stay round, as those of a can do: the diamonds in between are isometric, the ends next to the rims nearly so. Rims that slide on their plates let the
 * tube fold flat instead: 979 points became a tetrahedron, and stretched by 1.7 %.
 */
import type { MotionInput, SceneInput } from "../input.ts";
import type { Material } from "../scene.ts";

/** m: between the rings and the plates, and of the plates. */
const AIR = 2e-3;
const THICK = 0.016;

/** m */
export const CYLINDER = { radius: 0.1, height: 0.25 } as const;

/** What its buckling depends on: m, N/m and N·m. */
export function tubeOf({
  D,
  membraneStiffness: K,
}: Pick<Material, "D" | "membraneStiffness">): typeof CYLINDER & { K: number; D: number } {
  return { ...CYLINDER, K, D };
}

export interface Cylinder {
  points?: number;
  /** Share of the height that is left in the end. */
  left?: number;
  /** Time of the descent, s. */
  seconds?: number;
  /** Whether the rims stay circles or slide on their plates. */
  rims?: "round" | "sliding";
}

export function cylinder({
  points = 979,
  left = 0.4,
  seconds = 1.6,
  rims = "round",
}: Cylinder = {}): SceneInput {
  const { radius, height } = CYLINDER;
  const down = height * (1 - left);
  const axes = rims === "round" ? "xyz" : "z";
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
      noise: 1e-5, // the irregular mesh is asymmetric enough to buckle; noise makes the imperfection explicit
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
      { name: "lower ring", at: { edge: "bottom" }, axes },
      {
        name: "upper ring",
        at: { edge: "top" },
        axes,
        motion: descent,
      },
    ],
  };
}
