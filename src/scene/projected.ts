/** Which scenes are stepped by projections instead of one minimisation. */
import type { Scene } from "./scene.ts";

/**
 * Whether constraints are projected to the scene's `tolerance`; in other scenes it means nothing.
 *
 * @example
 * if (isProjected(scene)) console.log(scene.tolerance);
 */
export function isProjected({
  solver,
  method,
}: {
  solver: Scene["solver"];
  method: Scene["method"];
}): boolean {
  return solver === "paper" || method === "quad-edges" || method === "triangle-edges";
}
