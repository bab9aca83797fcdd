/**
 * Pins and bodies that a program moves while the simulation runs.
 *
 * A live motion is a Motion with two keys: where the thing is now, and where it is to be after `seconds`. So the step, the
 * contact and the recording read it like any other motion. Points of a pin that are led one by one move straight to their places.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { KeyInput, MotionInput } from "../scene/input.ts";
import {
  colliderAt,
  createRigid,
  motionAt,
  moveInPlace,
  nearestTurn,
  type Quaternion,
  quaternionVector,
  rotationVectorOf,
} from "../scene/motion.ts";
import { type Collider, checkScene, type Motion, type Vec3 } from "../scene/scene.ts";
import type { VerticesAt } from "../sheet/vertices.ts";
import type { Stepper } from "../step/stepper.ts";
import { type HeldPoints, isReleased, type LedPoints } from "../system/attachments.ts";
import type { BendingMesh } from "../system/contact/mesh-body.ts";
import {
  checkFinite,
  checkRange,
  checkVector,
  LiveError,
  named,
  REBUILD,
  SMALL_SHEET,
} from "./live-error.ts";

/** Where a pin is to be, relative to where its points started. */
export interface Transform {
  /** m */
  translate?: Readonly<Vec3>;
  /** Rotation vector in rad, or a quaternion x, y, z, w. */
  rotate?: Readonly<Vec3> | Readonly<Quaternion>;
  /** m, what it turns about. Default: the mean of the pin's points at the start. */
  pivot?: Readonly<Vec3>;
}

/** What of a body can change while the simulation runs. */
export interface ColliderChange {
  /** m, of the body's origin in the world. */
  position?: Readonly<Vec3>;
  /** Rotation vector in rad, or a quaternion x, y, z, w. */
  rotation?: Readonly<Vec3> | Readonly<Quaternion>;
  /** 1, Coulomb. */
  friction?: number;
  /** A motion of its own, as in a scene, at times of the simulation; position and rotation are then where it starts. null: none. */
  motion?: MotionInput | KeyInput[] | null;
  /**
   * Of a mesh: where its vertices are to be, xyz of every point of its file in the file's units (they go there in a straight line), or a
   * function that writes them at any time (s) of the simulation. null: as the scene says.
   */
  vertices?: ArrayLike<number> | ((out: Float64Array, time: number) => void) | null;
}

/** How a change takes place. */
export interface Timing {
  /** s of simulated time until it is there, in a straight line. Default: 1/60, but no less than a step. */
  seconds?: number;
}

/** s: programs that draw send positions sixty times a second. */
const FRAME = 1 / 60;
/** s: the longest time that a change may take. */
const LONGEST = 3600;

const map = createRigid();

/** See Simulation.setPin. */
export function setPin(
  system: Stepper,
  name: string,
  to: Transform | ArrayLike<number>,
  timing: Timing,
): void {
  const held = heldBy(system, name);
  const { pin, points, origin } = held;
  const { clock } = system.state;
  const subject = `pin "${name}"`;
  const { now: start, end } = span(system, subject, timing);
  const transform = asTransform(subject, to, origin);
  const free = isReleased(pin, start + system.h);
  if (pin.kind === "clamp" && (free || transform === null))
    throw new LiveError(
      subject,
      free
        ? `a clamp that has let go does not take hold again; ${REBUILD}`
        : "a clamp is moved by a transform, since positions do not say how its tangents turn",
    );
  if (transform) {
    const motion = liveMotion(pin.motion, transform, clock[held.driver], start, end);
    if (!free && (!held.led || (held.led.rigid && held.led.end <= clock[held.driver]))) {
      held.led = null;
      pin.motion = motion;
      clock[held.driver] = start;
      return;
    }
    const goal = Float64Array.from(origin);
    motionAt(map, motion, end);
    for (let k = 0; k < points.length; k++) moveInPlace(goal, 3 * k, map);
    held.led = { from: present(system, held, free), to: goal, start, end, rigid: true };
    pin.motion = motion;
  } else {
    const goal = Float64Array.from(to as ArrayLike<number>);
    held.led = { from: present(system, held, free), to: goal, start, end, rigid: false };
  }
  pin.release = null;
  clock[held.driver] = start; // the new path starts where the pin is, however late it was on the old one
}

/** See Simulation.releasePin. */
export function releasePin(system: Stepper, name: string): void {
  const { pin } = heldBy(system, name);
  const now = system.state.steps * system.h;
  if (!isReleased(pin, now)) pin.release = now;
}

/** See Simulation.setCollider. */
export function setCollider(
  system: Stepper,
  name: string,
  { position, rotation, friction, motion, vertices, ...rest }: ColliderChange,
  timing: Timing,
): void {
  const subject = `collider "${name}"`;
  const collider = named("collider", system.scene.colliders, name);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new LiveError(subject, `${unknown} cannot change while the simulation runs; ${REBUILD}`);
  const { now, end } = span(system, subject, timing);
  if (friction !== undefined)
    checkRange(subject, "friction", friction, { min: 0, max: 10, unit: "(Coulomb)" });
  if (position) checkVector(subject, "position", position);
  const turn = rotation && turned(subject, "rotation", rotation);
  if (motion !== undefined) {
    const { position: at, rotation: r } = collider;
    Object.assign(collider, checkedMotion(subject, position ?? at, turn ?? r, motion));
  } else if (position || turn) moveCollider(system, collider, position, turn, { now, end });
  if (vertices !== undefined) setVertices(system, collider, subject, vertices, end);
  if (friction !== undefined) collider.friction = friction;
}

function setVertices(
  { meshes, state, work }: Stepper,
  collider: Collider,
  subject: string,
  vertices: NonNullable<ColliderChange["vertices"]> | null,
  end: number,
): void {
  const found = meshes.find((one) => one.collider === collider);
  const { body } = collider;
  if (!found || body.type !== "mesh")
    throw new LiveError(subject, `it is a ${body.type}, and only a mesh has vertices`);
  const { mesh } = found;
  const { scale } = body;
  if (vertices === null || typeof vertices === "function") {
    mesh.led = null;
    mesh.move = vertices ? checkedVertices(subject, vertices, scale) : mesh.sceneMove;
    return;
  }
  const { length } = mesh.filePoints;
  if (vertices.length !== length)
    throw new LiveError(
      subject,
      `vertices has ${vertices.length} numbers, needs ${length}: xyz of the ${length / 3} points of ${body.file}`,
    );
  checkFinite(subject, "vertices", vertices);
  const start = state.clock[work.drivers.pins + found.number];
  mesh.move?.(mesh.filePoints, start);
  const from = mesh.filePoints.slice();
  const to = Float64Array.from(vertices, (x) => scale * x);
  leadVertices(mesh, { from, to, start, end, rigid: false });
}

/** The vertices go straight from one place to another. */
export function leadVertices(mesh: BendingMesh, led: LedPoints): void {
  const { from, to, start, end } = led;
  mesh.led = led;
  mesh.move = (out, time) => {
    const s = time >= end ? 1 : Math.max(0, (time - start) / (end - start));
    for (let k = 0; k < out.length; k++) out[k] = from[k] + s * (to[k] - from[k]);
  };
}

/** A function of the caller's, whose numbers are looked at before contact sees them. */
function checkedVertices(
  subject: string,
  write: (out: Float64Array, time: number) => void,
  scale: number,
): VerticesAt {
  return (out, time) => {
    write(out, time);
    for (let k = 0; k < out.length; k++) out[k] *= scale;
    checkFinite(`${subject} at t = ${time.toFixed(6)} s`, "vertices", out);
  };
}

/** Checked by checkScene, in a scene of one body. */
function checkedMotion(
  subject: string,
  position: Readonly<Vec3>,
  rotation: Vec3,
  motion: ColliderChange["motion"],
): Pick<Collider, "position" | "rotation" | "motion"> {
  const body = { type: "sphere", radius: 1 };
  const colliders = [{ body, position, rotation: { radians: rotation }, motion }];
  const [collider] = checkScene({ sheet: SMALL_SHEET, colliders }, subject).colliders;
  return { position: collider.position, rotation: collider.rotation, motion: collider.motion };
}

/** The body's own place becomes the origin, so that the keys are its place and rotation in the world. */
function moveCollider(
  { state, work, scene, meshes }: Stepper,
  collider: Collider,
  position: Readonly<Vec3> | undefined,
  rotation: Vec3 | undefined,
  { now, end }: { now: number; end: number },
): void {
  const d = work.drivers.pins + scene.colliders.indexOf(collider);
  colliderAt(map, collider, state.clock[d]);
  // the new path starts where the body is, however late it was on the old one; vertices that move have no other path
  const bends = meshes.some((one) => one.collider === collider && one.mesh.move !== null);
  if (!bends) state.clock[d] = now;
  const start = state.clock[d];
  const here: Vec3 = [map[9], map[10], map[11]];
  const turned = rotationVectorOf(map);
  collider.position = [0, 0, 0];
  collider.rotation = [0, 0, 0];
  collider.motion = {
    keys: [
      { time: start, translate: here, rotate: turned },
      {
        time: end,
        translate: position ? [...position] : here,
        rotate: rotation ? nearestTurn(rotation, turned) : turned,
      },
    ],
    smooth: false,
    pivot: [0, 0, 0],
    spin: null,
  };
}

/** From where `motion` is at `clock` to the transform at `end`, from `start` on. */
function liveMotion(
  motion: Motion | null,
  { translate = [0, 0, 0], rotate, pivot }: PinTransform,
  clock: number,
  start: number,
  end: number,
): Motion {
  motionAt(map, motion, clock);
  const here = rotationVectorOf(map);
  const moved = Float64Array.from(pivot);
  moveInPlace(moved, 0, map);
  const at: Vec3 = [moved[0] - pivot[0], moved[1] - pivot[1], moved[2] - pivot[2]];
  return {
    keys: [
      { time: start, translate: at, rotate: here },
      { time: end, translate: [...translate], rotate: nearestTurn(rotate, here) },
    ],
    smooth: false,
    pivot: [...pivot],
    spin: null,
  };
}

interface PinTransform {
  translate?: Readonly<Vec3>;
  rotate: Vec3;
  pivot: Readonly<Vec3>;
}

/** The transform that is meant; null for a place of its own for every point. */
function asTransform(
  subject: string,
  to: Transform | ArrayLike<number>,
  origin: ReadonlyF64,
): PinTransform | null {
  const middle = mean(origin);
  if (!("length" in to)) {
    const { translate, rotate, pivot = middle } = to;
    if (translate) checkVector(subject, "translate", translate);
    checkVector(subject, "pivot", pivot);
    const turn: Vec3 = rotate ? turned(subject, "rotate", rotate) : [0, 0, 0];
    return translate ? { translate, rotate: turn, pivot } : { rotate: turn, pivot };
  }
  checkFinite(subject, "positions", to);
  if (to.length === 3) {
    const translate: Vec3 = [to[0] - middle[0], to[1] - middle[1], to[2] - middle[2]];
    return { translate, rotate: [0, 0, 0], pivot: middle };
  }
  if (to.length !== origin.length)
    throw new LiveError(
      subject,
      `got ${to.length} numbers, needs ${origin.length} (xyz of its ${origin.length / 3} points) or 3 (where their mean goes)`,
    );
  return null;
}

/** [3·points] m: where the points are held now, or where they are if they are free. */
function present({ state }: Stepper, held: HeldPoints, free: boolean): Float64Array {
  const { pin, points, origin, led, driver } = held;
  const now = state.clock[driver];
  const out = new Float64Array(origin.length);
  motionAt(map, pin.motion, now);
  const s = led ? Math.min(1, Math.max(0, (now - led.start) / (led.end - led.start))) : 0;
  for (let k = 0; k < points.length; k++) {
    for (let c = 0; c < 3; c++) {
      const q = 3 * k + c;
      out[q] = free
        ? state.Y[3 * points[k] + c]
        : led
          ? led.from[q] + s * (led.to[q] - led.from[q])
          : origin[q];
    }
    if (!free && !led) moveInPlace(out, 3 * k, map);
  }
  return out;
}

function heldBy(system: Stepper, name: string): HeldPoints {
  const { pins } = system.scene;
  return system.pins.held[pins.indexOf(named("pin", pins, name))];
}

/** s: now, and when the change is to be complete. */
function span(
  { state, h }: Stepper,
  subject: string,
  { seconds = FRAME }: Timing,
): { now: number; end: number } {
  checkRange(subject, "seconds", seconds, { min: 0, max: LONGEST, unit: "s" });
  const now = state.steps * h;
  return { now, end: now + Math.max(seconds, h) };
}

function turned(
  subject: string,
  field: string,
  value: Readonly<Vec3> | Readonly<Quaternion>,
): Vec3 {
  checkFinite(subject, field, value);
  if (value.length === 3) return [...value];
  if (value.length === 4 && value.some((x) => x !== 0)) return quaternionVector(value);
  throw new LiveError(
    subject,
    `${field} needs a rotation vector (3 numbers, rad) or a quaternion (4 numbers, not all 0)`,
  );
}

function mean(positions: ReadonlyF64): Vec3 {
  const out: Vec3 = [0, 0, 0];
  const count = positions.length / 3;
  for (let k = 0; k < positions.length; k++) out[k % 3] += positions[k] / count;
  return out;
}
