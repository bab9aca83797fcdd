/**
 * Hands and pins from outside, and states that a program sets.
 */
import type { Vec3 } from "../scene/scene.ts";
import { framesOf } from "../sheet/frames.ts";
import { restart } from "../step/second-order.ts";
import { wake } from "../step/sleep.ts";
import type { Stepper } from "../step/stepper.ts";
import { type Hand, MOST_FINGERS, MOST_HANDS } from "../system/grip.ts";
import { checkFinite, checkRange, checkVector, LiveError, named } from "./live-error.ts";
import { type Running, timeOf } from "./running.ts";

export function pinPoints({ scene, pins }: Stepper, name: string): Int32Array {
  const p = scene.pins.indexOf(named("pin", scene.pins, name));
  return Int32Array.from(pins.held[p].points);
}

export function grab(system: Stepper, points: readonly number[], target: Readonly<Vec3>): Hand {
  const { grip, sheet } = system;
  const wrong = points.find((i) => !Number.isInteger(i) || i < 0 || i >= sheet.n);
  if (wrong !== undefined)
    throw new LiveError("hand", `there is no point ${wrong}; points are 0 … ${sheet.n - 1}`);
  if (points.length === 0 || points.length > MOST_FINGERS)
    throw new LiveError("hand", `got ${points.length} points, needs 1 … ${MOST_FINGERS}`);
  if (grip.hands >= MOST_HANDS)
    throw new LiveError("hand", `${MOST_HANDS} hands hold something already; release one`);
  checkVector("hand", "target", target);
  const hand = grip.grab(points, target);
  wake(system);
  return {
    ...hand,
    moveTo(next) {
      checkVector("hand", "target", next);
      hand.moveTo(next);
    },
    release() {
      hand.release();
      wake(system);
    },
  };
}

/** Sets positions, velocities and time; the next step is one of implicit Euler, because the step before it is unknown. */
export function setState(
  { system, Y, V }: Running,
  given: { Y?: ArrayLike<number>; V?: ArrayLike<number>; time?: number },
): void {
  for (const [field, values] of [["Y", given.Y] as const, ["V", given.V] as const]) {
    if (!values) continue;
    if (values.length !== Y.length)
      throw new LiveError("state", `${field} has ${values.length} numbers, needs ${Y.length}`);
    checkFinite("state", field, values);
  }
  const { state, h } = system;
  if (given.time !== undefined) {
    checkRange("state", "time", given.time, { min: 0, max: 1e9, unit: "s" });
    state.steps = Math.round(given.time / h);
    state.clock.fill(timeOf(system));
  }
  if (given.Y) {
    Y.set(given.Y);
    if (system.framed > 0) state.Y.set(framesOf(system.sheet, system.rings, Y), Y.length);
  }
  if (given.V) V.set(given.V);
  state.Yold.set(state.Y);
  state.Vold.set(state.V);
  state.smoothSteps = 0;
  restart(state);
  wake(system);
}
