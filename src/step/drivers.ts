/**
 * Drivers: the pins and bodies that a scene moves, each with a clock of its own.
 *
 * A driver's clock is the time on its own path at which it stands. As a rule that is the time of the step. One that cannot go on (a pin pulled
 * into a held sheet, a body that leaves the sheet no way out) keeps its clock while all else goes on, is told about, and catches up at
 * CATCH_UP times its own speed as soon as there is room. The clocks are part of the state.
 */
import type { System } from "../system/build.ts";

export interface Drivers {
  /** Pins come first, then the scene's colliders. */
  readonly pins: number;
  readonly count: number;
  /** [count] s on their paths, at the start and at the end of the (sub-)step that is open. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** The same of the colliders alone. */
  readonly bodies: { readonly from: Float64Array; readonly to: Float64Array };
  /** [count] 1: found in the way by the last feasible start. */
  readonly blocked: Uint8Array;
  /** [count] 1: held back in this step. */
  readonly held: Uint8Array;
}

/** How much faster than on its path a driver that is late may move. */
const CATCH_UP = 2;

export function createDrivers(pins: number, colliders: number): Drivers {
  const count = pins + colliders;
  const from = new Float64Array(count);
  const to = new Float64Array(count);
  return {
    pins,
    count,
    from,
    to,
    bodies: { from: from.subarray(pins), to: to.subarray(pins) },
    blocked: new Uint8Array(count),
    held: new Uint8Array(count),
  };
}

/** Where each driver goes in the time from t0 to t1; those that are blocked stay. */
export function setPaths({ state, work }: System, t0: number, t1: number): void {
  const { from, to, blocked, count } = work.drivers;
  for (let d = 0; d < count; d++) {
    from[d] = state.clock[d];
    if (blocked[d]) to[d] = from[d];
    else to[d] = from[d] === t0 ? t1 : Math.min(t1, from[d] + CATCH_UP * (t1 - t0));
  }
}

/** The drivers stand where they went. */
export function arrive({ state, work }: System): void {
  const { to, count } = work.drivers;
  for (let d = 0; d < count; d++) state.clock[d] = to[d];
}

/** Whether any driver that was found in the way has been late already: it will not be helped by shorter steps. */
export function isLate({ state, work }: System, t0: number): boolean {
  const { blocked, count } = work.drivers;
  for (let d = 0; d < count; d++) if (blocked[d] && state.clock[d] < t0) return true;
  return false;
}

/** What the scene calls driver d. */
export function driverName({ scene, work, pins }: System, d: number): string {
  const { drivers } = work;
  if (d >= drivers.pins) return scene.colliders[d - drivers.pins].name;
  const { name } = pins.held[d].pin;
  return name.startsWith("pin") ? name : `pin ${name}`;
}
