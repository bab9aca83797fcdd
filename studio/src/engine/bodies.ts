/** Bodies in the engine: where they are, and how a hand moves them. */
import {
  colliderAt,
  createRigid,
  rotationVectorOf,
  type Scene,
  type Simulation,
  type Vec3,
} from "../../../src/index.ts";

const rigid = createRigid();

/** [colliders] s: the time on its path at which each body stands; one that is held back is late. */
export function bodyTimes({ scene, bodyTime }: Simulation): Float64Array {
  return Float64Array.from(scene.colliders, (_, b) => bodyTime(b));
}

/** [12 per collider] where the bodies are at these times on their paths. */
export function posesAt(scene: Scene, times: Float64Array): Float64Array {
  const poses = new Float64Array(12 * scene.colliders.length);
  scene.colliders.forEach((collider, b) => {
    colliderAt(rigid, collider, times[b]);
    poses.set(rigid, 12 * b);
  });
  return poses;
}

/** m/s and rad/s: a body that is put elsewhere goes there no faster, so that the sheet on it can follow. */
const CARRY = { speed: 0.25, turn: 1.5, least: 0.05 };
/** s to come up to a new spin. */
const SPIN_UP = 0.3;

export interface Placing {
  readonly body: number;
  readonly position: Vec3;
  /** rad, rotation vector */
  readonly rotation: Vec3;
  /** rad/s about z */
  readonly spin: number;
}

/** Leads a body to a place at a speed that the sheet on it can follow, or lets it spin. False if there is no such body. */
export function moveBody(simulation: Simulation, placing: Placing): boolean {
  const { scene, time } = simulation;
  const { body, position, rotation, spin } = placing;
  const collider = scene.colliders[body];
  if (collider === undefined) return false;
  colliderAt(rigid, collider, time);
  const here: Vec3 = [rigid[9], rigid[10], rigid[11]];
  const turned = rotationVectorOf(rigid);
  const rates = collider.motion?.spin?.rates ?? [];
  const rate = rates.length > 0 ? rates[rates.length - 1].rate : 0;
  if (rate !== 0 || spin !== 0) {
    // from where it is now, at the rate that it has
    const motion = {
      pivot: here,
      spin: {
        axis: [0, 0, 1] as Vec3,
        rates: [
          { time, rate: { radians: rate } },
          { time: time + SPIN_UP, rate: { radians: spin } },
        ],
      },
    };
    simulation.setCollider(collider.name, { position: here, rotation: turned, motion });
    return true;
  }
  const way = Math.hypot(position[0] - here[0], position[1] - here[1], position[2] - here[2]);
  const turn = Math.hypot(
    rotation[0] - turned[0],
    rotation[1] - turned[1],
    rotation[2] - turned[2],
  );
  const seconds = Math.max(CARRY.least, way / CARRY.speed, turn / CARRY.turn);
  simulation.setCollider(collider.name, { position, rotation }, { seconds });
  return true;
}
