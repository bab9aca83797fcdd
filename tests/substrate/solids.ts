/** Small solids and how they are held, for the tests of the substrate. */
import type { Motion, Substrate, Vec3 } from "../../src/scene/scene.ts";

export type Held = Substrate["held"][number];

/** A face held along the letters of `axes`, moved by `translate` from the start on. */
export function held(face: string, axes: string, translate: Vec3 = [0, 0, 0]): Held {
  return {
    face,
    min: null,
    max: null,
    axes: { x: axes.includes("x"), y: axes.includes("y"), z: axes.includes("z") },
    motion: moved(translate),
  };
}

export function moved(translate: Vec3): Motion {
  return {
    keys: [{ time: 0, translate, rotate: [0, 0, 0] }],
    smooth: false,
    pivot: [0, 0, 0],
    spin: null,
  };
}

/** μ and λ of solid.ts: Ψ = μ/2(|F|²−3) − μ(J−1) + λ/2(J−1)². */
export function constants(young: number, poisson: number): { mu: number; lambda: number } {
  const mu = young / (2 * (1 + poisson));
  return { mu, lambda: (young * poisson) / ((1 + poisson) * (1 - 2 * poisson)) + mu };
}
