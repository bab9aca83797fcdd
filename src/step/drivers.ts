/**
 * Drivers: the pins and bodies that a scene moves, each with a clock of its own.
 *
 * A driver's clock is the time on its own path at which it stands. As a rule that is the time of the step. One that cannot go on (a pin pulled
 * into a held sheet, a body that leaves the sheet no way out) keeps its clock while all else goes on, is told about, tried again every RETRY steps, and
 * catches up at CATCH_UP times its own speed as soon as there is room. The clocks are part of the state.
 */
import type { Stepper } from "./stepper.ts";

export interface Drivers {
  /** Pins come first, then the scene's colliders. */
  readonly pins: number;
  readonly count: number;
  /** [count] s on their paths, at the start and at the end of the (sub-)step that is open. */
  readonly from: Float64Array;
  readonly to: Float64Array;
  /** The same of the colliders alone. */
  readonly bodies: { readonly from: Float64Array; readonly to: Float64Array };
  /** [count] 1: has a motion. A program may give it one at any time, so that every step looks. */
  readonly moves: Uint8Array;
  /** [count] 1: found in the way by the last feasible start. */
  readonly blocked: Uint8Array;
  /** [count] 1: pushed something aside in the last feasible start. */
  readonly pushing: Uint8Array;
  /** [count] 1: held back in this step. */
  readonly held: Uint8Array;
  /** What was in the way of each when it was first held back. */
  readonly obstacle: (string | undefined)[];
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
    moves: new Uint8Array(count),
    blocked: new Uint8Array(count),
    pushing: new Uint8Array(count),
    held: new Uint8Array(count),
    obstacle: [],
  };
}

/** Steps from one try of a driver that is held back to the next: each costs as much as the step itself. */
const RETRY = 4;

/** Which drivers have a motion now. */
export function markMoving({ work, pins, scene, meshes }: Stepper): void {
  const { moves } = work.drivers;
  for (let p = 0; p < work.drivers.pins; p++)
    moves[p] = pins.held[p].pin.motion !== null || pins.held[p].led ? 1 : 0;
  for (let k = 0; k < scene.colliders.length; k++)
    moves[work.drivers.pins + k] = scene.colliders[k].motion !== null ? 1 : 0;
  for (let b = 0; b < meshes.length; b++)
    if (meshes[b].mesh.move !== null) moves[work.drivers.pins + meshes[b].number] = 1;
}

/** Where each driver goes in the time from t0 to t1; those that are blocked stay. */
export function setPaths({ state, work }: Stepper, t0: number, t1: number): void {
  const { from, to, blocked, moves, count } = work.drivers;
  for (let d = 0; d < count; d++) {
    from[d] = state.clock[d];
    if (from[d] === t0 || !moves[d]) to[d] = blocked[d] ? from[d] : t1;
    else if (blocked[d] || state.wait[d] > 0) to[d] = from[d];
    else to[d] = Math.min(t1, from[d] + CATCH_UP * (t1 - t0));
  }
}

/** Sets the clocks of the drivers to the end of the part. */
export function arrive({ state, work }: Stepper): void {
  const { to, count } = work.drivers;
  for (let d = 0; d < count; d++) state.clock[d] = to[d];
}

/** At the end of a step: who was held back in it waits before it is tried again. */
export function updateWaits({ state: { wait }, work }: Stepper): void {
  const { held, count } = work.drivers;
  for (let d = 0; d < count; d++) wait[d] = held[d] ? RETRY - 1 : Math.max(0, wait[d] - 1);
}

/** Whether any driver that was found in the way, or pushes, has been late already: it will not be helped by shorter steps. */
export function isLate({ state, work }: Stepper, t0: number): boolean {
  const { blocked, pushing, count } = work.drivers;
  for (let d = 0; d < count; d++)
    if ((blocked[d] || pushing[d]) && state.clock[d] < t0) return true;
  return false;
}

/** The name of driver d in the scene. */
export function sceneName({ scene, work: { drivers }, pins }: Stepper, d: number): string {
  return d < drivers.pins ? pins.held[d].pin.name : scene.colliders[d - drivers.pins].name;
}

/** Driver d in a sentence: "pin left", "ball". */
export function driverName(system: Stepper, d: number): string {
  const name = sceneName(system, d);
  return d >= system.work.drivers.pins || name.startsWith("pin") ? name : `pin ${name}`;
}

const NO_ROOM = "there is no room";

/** Why driver d, which strained the sheet, is held back: what is in its way or, if nothing is, the sheet itself. */
export function strainingObstacle(system: Stepper, d: number): string {
  const found = obstacleOf(system, d);
  return found === NO_ROOM ? "it would strain the sheet by more than 2 %" : found;
}

/** What is in the way of driver d: what its points touch, or which sheets touch it. */
export function obstacleOf(system: Stepper, d: number): string {
  const { pins, layers, sheet, work } = system;
  const body = bodyInWay(system, d);
  if (body) return `${body} is in the way`;
  const stopped = layers?.isStopped;
  const parts = new Set<string>();
  if (stopped)
    for (const part of sheet.parts)
      for (let i = part.firstPoint; i < part.firstPoint + part.points; i++)
        if (stopped[i]) parts.add(part.name);
  // a pin does not stand in its own way
  if (d < work.drivers.pins && parts.size > 1) {
    const own = pins.held[d].points[0];
    for (const part of sheet.parts)
      if (own >= part.firstPoint && own < part.firstPoint + part.points) parts.delete(part.name);
  }
  return parts.size > 0 ? `${[...parts].join(" and ")} is in the way` : NO_ROOM;
}

/** The body that the points of pin d would come into, or the pin that holds points in the way of body d. */
function bodyInWay(system: Stepper, d: number): string | undefined {
  const { bodies, layers, pins, scene, work } = system;
  const isHeld = (p: number): boolean =>
    pins.held[p].points.some((i) => bodies?.isStopped[i] === 1 || layers?.isStopped[i] === 1);
  const isInWay = (k: number): boolean => bodies?.inWay[k] === 1 || layers?.inWay[k] === 1;
  if (d < work.drivers.pins)
    return isHeld(d) ? scene.colliders.find((_, k) => isInWay(k))?.name : undefined;
  for (let p = 0; p < work.drivers.pins; p++) if (isHeld(p)) return driverName(system, p);
  return undefined;
}
