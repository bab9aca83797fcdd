/**
 * Sleep: a scene at rest costs next to nothing until something moves it.
 *
 * It is at rest when nothing has been accelerated for so long that the lowest mode has been looked at as often as it will be (buckling.ts), no coordinate is
 * faster than STILL, and nothing is due to move: no pin or body on its path, no pin that lets go, no seam that closes, no hand, no force of a program. A
 * step then passes time alone. Whatever a program changes wakes it (wake). All of that is read from the state, so that a restored run sleeps and wakes at
 * the same steps.
 */
import { colliderAt, createRigid } from "../scene/motion.ts";
import type { Collider } from "../scene/scene.ts";
import { hold } from "../system/attachments.ts";
import { CONTACTS, HELD_BEFORE, QUIET_STEPS } from "../system/system.ts";
import { LAST_SEARCH } from "./buckling.ts";
import { arrive, markMoving, setPaths } from "./drivers.ts";
import { clearReport, type StepReport } from "./outcome.ts";
import type { Stepper } from "./stepper.ts";

/** m/s: a sheet that loses its speed within a second or two moves less than 0.05 mm from here on. */
const STILL = 2e-5;

/** Whether the step from t0 to t1 would change nothing. */
export function isAsleep(system: Stepper, t0: number, t1: number): boolean {
  const { scene, state, seams } = system;
  if (!scene.sleep || !(state.numbers[QUIET_STEPS] > LAST_SEARCH)) return false;
  if (system.outside || system.attachments || system.substrate || system.grip.hands > 0)
    return false;
  if (seams && !(t0 > seams.until)) return false;
  for (let k = 0; k < state.V.length; k++) if (!(Math.abs(state.V[k]) < STILL)) return false;
  if (!isMoved(system, t0, t1)) return true;
  wake(system);
  return false;
}

/** The next steps are taken, until the scene has come to rest anew. */
export function wake({ state }: Stepper): void {
  state.numbers[QUIET_STEPS] = 0;
}

/** A step in which nothing moves. */
export function sleep(system: Stepper, report: StepReport): void {
  const { state, isometry } = system;
  clearReport(report);
  arrive(system);
  state.V.fill(0);
  state.Vold.fill(0);
  state.Yold.set(state.Y);
  state.steps += 1;
  isometry.evaluate(state.Y);
  report.residual = isometry.residual();
  report.contacts = state.numbers[CONTACTS];
}

const before = createRigid();
const after = createRigid();

/** Whether a pin or a body goes anywhere or lets go between t0 and t1, or is behind its path. */
function isMoved(system: Stepper, t0: number, t1: number): boolean {
  const { state, work, pins, scene, meshes } = system;
  const { drivers } = work;
  markMoving(system);
  drivers.blocked.fill(0);
  setPaths(system, t0, t1);
  for (let d = 0; d < drivers.count; d++)
    if (drivers.moves[d] && drivers.from[d] !== t0) return true;
  hold(pins, t1, drivers.to);
  let held = 0;
  for (let k = 0; k < pins.fixed.length; k++) {
    held += pins.fixed[k];
    if (pins.fixed[k] && pins.target[k] !== state.Y[k]) return true;
  }
  if (held !== state.numbers[HELD_BEFORE]) return true;
  for (let b = 0; b < meshes.length; b++) if (meshes[b].mesh.move !== null) return true;
  for (let k = 0; k < scene.colliders.length; k++)
    if (drivers.moves[drivers.pins + k] && isBodyMoved(scene.colliders[k], t0, t1)) return true;
  return false;
}

function isBodyMoved(body: Collider, t0: number, t1: number): boolean {
  colliderAt(before, body, t0);
  colliderAt(after, body, t1);
  for (let k = 0; k < before.length; k++) if (before[k] !== after[k]) return true;
  return false;
}
