/**
 * `isoplate/methods`: adds to the core what only comparisons and skin need. Importing it is all there is to do; scenes with
 * `solver: paper`, `constraint: paper`, a `method` of their own or a `substrate` run after that, and simulations with `kernels: false`. The command, `isoplate/node`,
 * `isoplate/batch` and the engine of `isoplate/worker` have it built in.
 *
 * @example
 * import "isoplate/methods";
 * import { createSimulation, parseScene } from "isoplate";
 *
 * const simulation = createSimulation(
 *   parseScene({ method: "discrete-shells", sheet: { shape: { type: "disc", radius: 0.5 } } }),
 * );
 */
import { baselineOf } from "./baselines/baseline.ts";
import { directPreconditioner } from "./step/direct.ts";
import { registerMethods } from "./step/methods.ts";
import { singleLoops } from "./step/single-loops.ts";
import { projectionsOf } from "./step/step-paper.ts";
import { solidOf } from "./substrate/substrate.ts";
import { hingeBending, pointBending } from "./system/bending.ts";
import { paperMembrane } from "./system/isometry.ts";

registerMethods({
  baselineOf,
  membrane: paperMembrane,
  bending: (sheet, D, near, pattern, rows) =>
    rows === "points" ? pointBending(sheet, D, pattern) : hingeBending(sheet, D, near, pattern),
  solidOf,
  projectionsOf,
  directPreconditioner,
  singleLoops,
});

export { halfSpaceWavelength } from "./substrate/coupling.ts";
