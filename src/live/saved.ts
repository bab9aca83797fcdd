/**
 * The state of a simulation as bytes: float64 numbers in a fixed order, and after them, if a program has changed anything
 * while it ran, those changes as JSON.
 */
import type { Scene } from "../scene/scene.ts";
import type { Stepper } from "../step/stepper.ts";
import type { LedPoints } from "../system/attachments.ts";
import { bendAcross, renewBending } from "../system/stiffness.ts";
import { LiveError } from "./live-error.ts";
import { leadVertices } from "./motions.ts";

/** Everything that a program can change while a simulation runs. */
export interface LiveFields {
  gravity: Scene["gravity"];
  air: Scene["air"];
  pressure: Scene["pressure"];
  materials: Scene["sheets"][number]["material"][];
  pins: { motion: Scene["pins"][number]["motion"]; release: number | null; led: SavedLed | null }[];
  colliders: Pick<Scene["colliders"][number], "position" | "rotation" | "motion" | "friction">[];
  /** Of mesh bodies whose vertices a program leads. */
  vertices: (SavedLed | null)[];
}

interface SavedLed extends Pick<LedPoints, "start" | "end" | "rigid"> {
  from: number[];
  to: number[];
}

/** A copy of what the live fields are now. */
export function liveFields({ scene, pins, meshes }: Stepper): LiveFields {
  const { gravity, air, pressure } = scene;
  return structuredClone({
    gravity,
    air,
    pressure,
    materials: scene.sheets.map(({ material }) => material),
    pins: scene.pins.map(({ motion, release }, p) => {
      return { motion, release, led: savedLed(pins.held[p].led) };
    }),
    vertices: meshes.map(({ mesh }) => savedLed(mesh.led)),
    colliders: scene.colliders.map(({ position, rotation, motion, friction }) => ({
      position,
      rotation,
      motion,
      friction,
    })),
  });
}

function savedLed(led: LedPoints | null | undefined): SavedLed | null {
  return led ? { ...led, from: [...led.from], to: [...led.to] } : null;
}

function ledPoints(saved: SavedLed | null): LedPoints | null {
  return (
    saved && { ...saved, from: Float64Array.from(saved.from), to: Float64Array.from(saved.to) }
  );
}

/** Puts them back. */
function setLiveFields(system: Stepper, fields: LiveFields): void {
  const { scene, pins, material, sheet } = system;
  const { gravity, air, pressure, materials, ...rest } = structuredClone(fields);
  Object.assign(scene, { gravity, air, pressure });
  rest.pins.forEach(({ motion, release, led }, p) => {
    Object.assign(scene.pins[p], { motion, release });
    pins.held[p].led = ledPoints(led);
  });
  rest.vertices.forEach((saved, b) => {
    const { mesh } = system.meshes[b];
    const led = ledPoints(saved);
    if (led) leadVertices(mesh, led);
    else if (mesh.led) {
      mesh.led = null;
      mesh.move = mesh.sceneMove;
    }
  });
  rest.colliders.forEach((collider, c) => {
    Object.assign(scene.colliders[c], collider);
  });
  let bends = false;
  sheet.parts.forEach(({ firstPoint, points }, s) => {
    const old = scene.sheets[s].material;
    const next = materials[s];
    bends ||= old.D !== next.D || old.poisson !== next.poisson;
    scene.sheets[s].material = next;
    material.D.fill(next.D, firstPoint, firstPoint + points);
    material.poisson.fill(next.poisson, firstPoint, firstPoint + points);
    material.damping.fill(next.damping, firstPoint, firstPoint + points);
  });
  if (bends) renewBending(system);
}

/** @param changes null: nothing has been changed since the simulation was made */
export function saveState(system: Stepper, changes: LiveFields | null): Uint8Array {
  const all = new Float64Array(stateLength(system));
  copyState(all, system);
  const numbers = new Uint8Array(all.buffer);
  if (changes === null) return numbers;
  const text = new TextEncoder().encode(JSON.stringify(changes));
  const out = new Uint8Array(numbers.length + text.length);
  out.set(numbers);
  out.set(text, numbers.length);
  return out;
}

/**
 * Sets the state; the live fields are those of the bytes, or `original` if they have none.
 *
 * @returns the changes that the bytes hold, if any
 */
export function restoreState(
  system: Stepper,
  bytes: Uint8Array,
  original: LiveFields,
): LiveFields | null {
  const length = stateLength(system);
  if (bytes.length < 8 * length)
    throw new LiveError(
      "saved state",
      `it holds ${Math.floor(bytes.length / 8)} numbers, this scene needs ${length}: it is another scene's`,
    );
  const changes = savedChanges(bytes.subarray(8 * length), length);
  setLiveFields(system, changes ?? original);
  setNumbers(system, new Float64Array(bytes.slice(0, 8 * length).buffer));
  return changes;
}

function savedChanges(bytes: Uint8Array, length: number): LiveFields | null {
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as LiveFields;
  } catch {
    throw new LiveError(
      "saved state",
      `after the ${length} numbers of this scene it has ${bytes.length} bytes that are not changes: it is another scene's`,
    );
  }
}

/** How many numbers a state has. */
export function stateLength(system: Stepper): number {
  return stateArrays(system).reduce((sum, a) => sum + a.length, 2);
}

/** Writes the numbers of the state into `all`. */
export function copyState(all: Float64Array, system: Stepper): void {
  all[0] = system.state.steps;
  all[1] = system.state.smoothSteps;
  let at = 2;
  for (const a of stateArrays(system)) {
    all.set(a, at);
    at += a.length;
  }
}

/** Sets the state from such numbers; what follows from them is renewed. */
export function setNumbers(system: Stepper, all: Float64Array): void {
  system.state.steps = all[0];
  system.state.smoothSteps = all[1];
  let at = 2;
  for (const a of stateArrays(system)) {
    a.set(all.subarray(at, at + a.length));
    at += a.length;
  }
  if (system.seams) bendAcross(system);
}

function stateArrays(system: Stepper): Float64Array[] {
  const { state, attachments, seams, seamFrames, bodies, layers, substrate } = system;
  const { Y, V, Yold, Vold, clock, wait, tension, smoothing, numbers, calm, gained } = state;
  const arrays = [Y, V, Yold, Vold, clock, wait, tension, smoothing, numbers, calm, gained];
  arrays.push(...(system.work.projections?.memory ?? []));
  if (attachments) arrays.push(attachments.lambda);
  if (seams) arrays.push(seams.memory);
  if (seamFrames) arrays.push(seamFrames.memory);
  if (bodies)
    arrays.push(bodies.normalForce, bodies.anchor, bodies.stuck, bodies.xi, bodies.pressure);
  if (layers) arrays.push(...layers.memory);
  if (substrate) arrays.push(...substrate.memory);
  return arrays;
}
