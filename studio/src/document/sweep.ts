/** Parameters of a scene that can be swept, and the values of a sweep. */
import type { Scene, SceneInput } from "../../../src/index.ts";
import { withMaterial } from "./edits.ts";

/** A number of a scene that can be swept. */
export interface Swept {
  readonly name: string;
  readonly unit: string;
  /** Whether equal steps are equal factors. */
  readonly log: boolean;
  read(scene: Scene): number;
  write(input: SceneInput, value: number): SceneInput;
}

export const SWEPT: readonly Swept[] = [
  {
    name: "flexural rigidity D",
    unit: "N·m",
    log: true,
    read: ({ sheets }) => sheets[0].material.D,
    write: (input, D) => withMaterial(input, { D }),
  },
  {
    name: "density",
    unit: "kg/m²",
    log: true,
    read: ({ sheets }) => sheets[0].material.density,
    write: (input, density) => withMaterial(input, { density }),
  },
  {
    name: "gravity",
    unit: "m/s²",
    log: false,
    read: ({ gravity }) => Math.hypot(...gravity),
    write: (input, gravity) => ({ ...input, gravity }),
  },
  {
    name: "pressure",
    unit: "Pa",
    log: false,
    read: ({ pressure }) => pressure,
    write: (input, pressure) => ({ ...input, pressure }),
  },
];

/** `steps` values from one to the other, equally far apart or by equal factors. */
export function sweptValues(from: number, to: number, steps: number, log: boolean): number[] {
  const count = Math.max(2, Math.round(steps));
  const values = Array.from({ length: count }, (_, k) => {
    const t = k / (count - 1);
    return log ? from * (to / from) ** t : from + t * (to - from);
  });
  return values.map((value) => Number(value.toPrecision(6)));
}
