/** Bodies in the engine: where they are, and how a hand moves them. */
import {
  colliderAt,
  createRigid,
  motionAt,
  type Scene,
  type Simulation,
  type Vec3,
} from "../../../src/index.ts";

type Collider = Scene["colliders"][number];

const rigid = createRigid();

/** [12 per collider] where the bodies are at a time. */
export function posesAt(scene: Scene, time: number): Float64Array {
  const poses = new Float64Array(12 * scene.colliders.length);
  scene.colliders.forEach((collider, b) => {
    colliderAt(rigid, collider, time);
    poses.set(rigid, 12 * b);
  });
  return poses;
}

/** Bodies that a hand has taken over from the motion of their scene. */
const taken = new WeakSet<Collider>();

/** m/s and rad/s: a body that is put elsewhere goes there no faster, so that the sheet on it can follow. */
const CARRY = { speed: 0.25, turn: 1.5, least: 0.05 };
/** s to come up to a new spin. */
const SPIN_UP = 0.3;

export interface Placing {
  readonly body: number;
  readonly position: Vec3;
  /** rad about z from where the hand took it. */
  readonly turn: number;
  /** rad/s about z */
  readonly spin: number;
}

/** Leads a body to a place at a speed that the sheet on it can follow. False if there is no such body. */
export function moveBody({ scene, time }: Simulation, placing: Placing): boolean {
  const { body, position, turn, spin } = placing;
  const collider = scene.colliders[body];
  if (collider === undefined) return false;
  if (!taken.has(collider)) {
    // from here on it is where it is now, and moves as the hand says
    colliderAt(rigid, collider, time);
    collider.position = [rigid[9], rigid[10], rigid[11]];
    collider.rotation = rotationOf(rigid);
    collider.motion = null;
    taken.add(collider);
  }
  const { position: base, motion } = collider;
  motionAt(rigid, motion, time);
  const angle = Math.atan2(rigid[3], rigid[0]);
  const rates = motion?.spin?.rates ?? [];
  const rate = rates.length > 0 ? rates[rates.length - 1].rate : 0;
  const steady = rate === 0 && spin === 0;
  const here: Vec3 = [0, 1, 2].map(
    (r) =>
      rigid[3 * r] * base[0] +
      rigid[3 * r + 1] * base[1] +
      rigid[3 * r + 2] * base[2] +
      rigid[9 + r] -
      base[r],
  ) as Vec3;
  const there: Vec3 = [position[0] - base[0], position[1] - base[1], position[2] - base[2]];
  const goal = steady ? nearestTurn(turn, angle) : angle;
  const way = Math.hypot(there[0] - here[0], there[1] - here[1], there[2] - here[2]);
  const needed = Math.max(CARRY.least, way / CARRY.speed, Math.abs(goal - angle) / CARRY.turn);
  collider.motion = {
    keys: [
      { time, translate: here, rotate: [0, 0, angle] },
      { time: time + needed, translate: there, rotate: [0, 0, goal] },
    ],
    smooth: false,
    pivot: base,
    spin: steady
      ? null
      : {
          axis: [0, 0, 1],
          rates: [
            { time: time - 1e-6, rate: 0 },
            { time, rate },
            { time: time + SPIN_UP, rate: spin },
          ],
        },
  };
  return true;
}

/** The angle equal to `turn` that is nearest to `from`: a body takes the short way round. */
function nearestTurn(turn: number, from: number): number {
  return turn - 2 * Math.PI * Math.round((turn - from) / (2 * Math.PI));
}

/** The rotation vector (rad) of a rigid map, from the antisymmetric part of R; half turns from its diagonal. */
function rotationOf(R: Float64Array): Vec3 {
  const axis: Vec3 = [R[7] - R[5], R[2] - R[6], R[3] - R[1]];
  const s = Math.hypot(...axis) / 2;
  const c = (R[0] + R[4] + R[8] - 1) / 2;
  const angle = Math.atan2(s, c);
  if (s > 1e-9) return axis.map((x) => (x / (2 * s)) * angle) as Vec3;
  if (c > 0) return [0, 0, 0];
  return [R[0], R[4], R[8]].map((d) => Math.PI * Math.sqrt(Math.max(0, (d + 1) / 2))) as Vec3;
}
