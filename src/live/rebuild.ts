/**
 * From one system to another that goes on from its positions: for changes that need other arrays.
 *
 * Sheets are told apart by name. A sheet of the same name and geometry keeps its points, velocities and the pose that it
 * started from; any other starts as its scene says. A pin of the same name on as many points holds them where it held
 * them; a new one holds its points where they are. Friction starts anew: what has stuck may slip by less than a millimetre.
 */
import type { Pick, Scene, SheetScene } from "../scene/scene.ts";
import { framesOf } from "../sheet/frames.ts";
import type { Part, Sheet } from "../sheet/kinematics.ts";
import type { Stepper } from "../step/stepper.ts";
import type { HeldPoints } from "../system/attachments.ts";
import { LiveError, named } from "./live-error.ts";

/** Which sheets go on and which start anew. */
export interface Rebuilt {
  /** Names of the sheets that go on as they were. */
  readonly kept: readonly string[];
  /** Names of the sheets that start as the scene says: new ones, and those with another geometry. */
  readonly started: readonly string[];
}

/** Gives `to` the positions, velocities and time of `from`. */
export function carryState(to: Stepper, from: Stepper): Rebuilt {
  const kept: Part[] = [];
  const started: string[] = [];
  const old = new Map(from.scene.sheets.map((sheet, s) => [sheet.name, { sheet, s }]));
  to.scene.sheets.forEach((sheet, s) => {
    const before = old.get(sheet.name);
    const same =
      before !== undefined &&
      geometry(from.scene, before.sheet) === geometry(to.scene, sheet) &&
      sameSamples(to.sheet, to.sheet.parts[s], from.sheet, from.sheet.parts[before.s]);
    if (!same) {
      started.push(sheet.name);
      return;
    }
    kept.push(to.sheet.parts[s]);
    const { firstPoint } = to.sheet.parts[s];
    const part = from.sheet.parts[before.s];
    copyPoints(to, firstPoint, from, part);
    copyFrames(to, firstPoint, from, part);
  });
  const firstNode = from.framed > 0 ? 3 * from.sheet.n : from.sheet.n;
  const solid = { firstPoint: firstNode, points: from.n - firstNode };
  if (solid.points > 0 && sameJson(from.scene.substrate, to.scene.substrate))
    copyPoints(to, to.framed > 0 ? 3 * to.sheet.n : to.sheet.n, from, solid);
  to.state.steps = Math.round((from.state.steps * from.h) / to.h);
  to.state.smoothSteps = 0;
  carryClocks(to, from);
  copyIfSame(to.seams?.memory, from.seams?.memory);
  copyIfSame(to.attachments?.lambda, from.attachments?.lambda);
  carryPins(to, from);
  return { kept: kept.map(({ name }) => name), started };
}

function geometry({ seed }: Scene, sheet: SheetScene): string {
  const { shape, sampling, neighbourhood, pose, noise } = sheet;
  return JSON.stringify([seed, shape, sampling, neighbourhood, pose, noise]);
}

/** Whether two parts have the same points in the material. */
function sameSamples(to: Sheet, a: Part, from: Sheet, b: Part): boolean {
  if (a.points !== b.points) return false;
  for (let k = 0; k < 2 * a.points; k++)
    if (to.uv[2 * a.firstPoint + k] !== from.uv[2 * b.firstPoint + k]) return false;
  return true;
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function copyPoints(
  to: Stepper,
  first: number,
  from: Stepper,
  { firstPoint, points }: { firstPoint: number; points: number },
): void {
  const [begin, end] = [3 * firstPoint, 3 * (firstPoint + points)];
  for (const name of ["Y", "V", "Yold", "Vold"] as const)
    to.state[name].set(from.state[name].subarray(begin, end), 3 * first);
}

/** Frames go with their samples; those of a simulation that had none follow from the positions. */
function copyFrames(
  to: Stepper,
  first: number,
  from: Stepper,
  { firstPoint, points }: { firstPoint: number; points: number },
): void {
  if (to.framed === 0) return;
  if (from.framed > 0) {
    const frames = { firstPoint: from.sheet.n + 2 * firstPoint, points: 2 * points };
    copyPoints(to, to.sheet.n + 2 * first, from, frames);
    return;
  }
  const [begin, end] = [6 * first, 6 * (first + points)];
  for (const name of ["Y", "Yold"] as const) {
    const frames = framesOf(to.sheet, to.rings, to.state[name]);
    to.state[name].set(frames.subarray(begin, end), 3 * to.sheet.n + begin);
  }
}

/** Pins and bodies that were held back stay so; all others are on time. */
function carryClocks(to: Stepper, from: Stepper): void {
  const clocks = new Map(driverKeys(from).map((key, d) => [key, from.state.clock[d]]));
  const before = from.state.steps * from.h;
  driverKeys(to).forEach((key, d) => {
    const clock = clocks.get(key) ?? before;
    to.state.clock[d] = clock < before ? clock : to.state.steps * to.h;
  });
}

/** Names of the drivers in their order. */
function driverKeys({ pins, scene }: Stepper): string[] {
  return [
    ...pins.held.slice(0, pins.drivers).map(({ pin }) => `pin ${pin.name}`),
    ...scene.colliders.map(({ name }) => `collider ${name}`),
  ];
}

function copyIfSame(to: Float64Array | undefined, from: Float64Array | undefined): void {
  if (to && from && to.length === from.length) to.set(from);
}

function carryPins(to: Stepper, from: Stepper): void {
  const key = ({ pin, turns }: HeldPoints) => `${turns ? "frames" : "points"} ${pin.name}`;
  const before = new Map(from.pins.held.map((held) => [key(held), held]));
  const { Y } = to.state;
  for (const held of to.pins.held) {
    const { points, origin } = held;
    const old = before.get(key(held));
    if (old && old.points.length === points.length) {
      origin.set(old.origin);
      held.led = old.led ?? null;
      continue;
    }
    for (let k = 0; k < points.length; k++)
      for (let c = 0; c < 3; c++) origin[3 * k + c] = Y[3 * points[k] + c];
  }
}

/** The scene without a sheet, a pin or a body; what was attached to the sheet goes with it. */
export function without(scene: Scene, kind: "sheet" | "pin" | "collider", name: string): Scene {
  const next = structuredClone(scene);
  if (kind === "pin") next.pins.splice(next.pins.indexOf(named(kind, next.pins, name)), 1);
  else if (kind === "collider")
    next.colliders.splice(next.colliders.indexOf(named(kind, next.colliders, name)), 1);
  else {
    const s = next.sheets.indexOf(named(kind, next.sheets, name));
    if (next.sheets.length === 1)
      throw new LiveError(`sheet "${name}"`, "it is the only one, and a simulation needs a sheet");
    next.sheets.splice(s, 1);
    next.pins = onOthers(next.pins, s);
    next.masses = onOthers(next.masses, s);
    next.attachments = onOthers(next.attachments, s);
  }
  return next;
}

/** Those that are not on sheet s, with the sheets after it counted anew. */
function onOthers<T extends { at: Pick }>(list: readonly T[], s: number): T[] {
  return list
    .filter(({ at }) => at.sheet !== s)
    .map((one) => ({
      ...one,
      at: { ...one.at, sheet: one.at.sheet > s ? one.at.sheet - 1 : one.at.sheet },
    }));
}
