/** The constant stiffness of bending: of samples with frames and of those without, when the system is built and when it changes. */
import { frameCharts } from "../sheet/frames.ts";
import type { Neighbourhoods } from "../sheet/kinematics.ts";
import { frameBending } from "./frame-bending.ts";
import { setMoments } from "./rest-curvature.ts";
import type { System } from "./system.ts";

/** [entries of the pattern] N/m. @param near second rings, across closed seams too */
export function bendingOf(
  {
    scene,
    sheet,
    material,
    pattern,
    framed,
    positionMethods,
  }: Pick<System, "scene" | "sheet" | "material" | "pattern" | "framed" | "positionMethods">,
  near: Neighbourhoods,
): Float64Array {
  const { D, poisson } = material;
  if (framed > 0) return frameBending(sheet, frameCharts(sheet), D, poisson, pattern);
  return positionMethods!.bending(sheet, D, near, pattern, scene.projection.bending);
}

/** New stiffness on the same pattern, from the material as it is now. */
export function renewBending(system: System): void {
  const K = bendingOf(system, system.rings);
  system.K.set(K);
  system.limp?.setBending(K);
  const { natural, sheet, material } = system;
  if (natural) setMoments(natural, sheet, material.D, material.poisson);
}

/** Bending over the second rings of open or closed seams, whichever they are. */
export function bendAcross(system: System): void {
  const { seams } = system;
  const rings = seams!.closed ? seams!.rings : seams!.open;
  if (system.rings === rings) return;
  system.rings = rings;
  renewBending(system);
}
