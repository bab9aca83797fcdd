/**
 * Changes while a scene runs: gravity, air and pressure are read anew every step, rigidity gives a new bending matrix,
 * anything else a new system that goes on from the same positions and velocities. Only another sheet or other bodies
 * start anew.
 */
import {
  createSimulation,
  type ReadMesh,
  type Scene,
  type Simulation,
} from "../../../src/index.ts";
import { bending } from "./core.ts";
import type { Session } from "./session.ts";

/** Whether two scenes have the same points and bodies, so that one can go on from the other. */
export function sameSheet(a: Scene, b: Scene): boolean {
  const geometry = ({ seed, sheets, substrate, colliders, static: equilibrium }: Scene): string =>
    JSON.stringify([
      seed,
      substrate,
      equilibrium,
      colliders.map(({ body }) => body),
      sheets.map(({ shape, sampling, neighbourhood, pose, noise, velocity, spin }) => [
        shape,
        sampling,
        neighbourhood,
        pose,
        noise,
        velocity,
        spin,
      ]),
    ]);
  return geometry(a) === geometry(b);
}

/** Fields of a scene that every step reads anew. */
const READ_EVERY_STEP = ["gravity", "pressure"] as const;

/** The scene without what can change without a new system. */
function withoutLive(scene: Scene): Scene {
  const copy = structuredClone(scene);
  for (const name of READ_EVERY_STEP) delete (copy as Partial<Scene>)[name];
  copy.air = { ...copy.air, drag: 0, wind: [0, 0, 0] };
  copy.sheets = copy.sheets.map((sheet) => ({
    ...sheet,
    material: { ...sheet.material, D: 0, preset: null },
  }));
  copy.name = "";
  copy.description = "";
  copy.seconds = 0;
  copy.view = { camera: "auto", ground: true };
  return copy;
}

/** Puts the session onto another scene with the same sheet, at the same positions and velocities. */
export function changeLive(s: Session, scene: Scene, readMesh: ReadMesh | undefined): void {
  const old = s.simulation;
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (scene.method === "isometry" && same(withoutLive(old.scene), withoutLive(scene))) {
    const rigidity = same(
      old.scene.sheets.map(({ material }) => material.D),
      scene.sheets.map(({ material }) => material.D),
    );
    Object.assign(old.scene, structuredClone(scene));
    if (!rigidity) setRigidity(old);
    return;
  }
  const next = createSimulation(scene, readMesh ? { readMesh } : {});
  carry(next, old);
  s.simulation = next;
}

/** New D: new bending stiffness on the same pattern. */
function setRigidity({ system, scene, time }: Simulation): void {
  const { sheet, material, pattern, pins } = system;
  sheet.parts.forEach((part, p) => {
    material.D.fill(scene.sheets[p].material.D, part.firstPoint, part.firstPoint + part.points);
  });
  system.bending = bending(
    sheet,
    material.D,
    material.poisson,
    pins.clampsAt(time),
    system.bending.near,
    pattern,
  );
  system.K.set(system.bending.K);
}

/** `to` goes on where `from` is. Pins that both have stay where they hold; new ones hold their points where they are. */
export function carry(to: Simulation, from: Simulation): void {
  const a = to.system.state;
  const b = from.system.state;
  a.Y.set(b.Y);
  a.V.set(b.V);
  a.Yold.set(b.Yold);
  a.Vold.set(b.Vold);
  a.steps = Math.round(from.time / to.scene.h);
  a.smoothSteps = 0;
  const held = new Map(from.system.pins.held.map((h) => [h.pin.name, h]));
  for (const { pin, points, origin } of to.system.pins.held) {
    const before = held.get(pin.name);
    if (before !== undefined && before.points.length === points.length) {
      origin.set(before.origin);
      continue;
    }
    points.forEach((i, k) => {
      for (let c = 0; c < 3; c++) origin[3 * k + c] = b.Y[3 * i + c];
    });
  }
}

/** Static mode with its default stop, on the scene as it stands. */
const AT_REST = { forceTolerance: 1e-4, maxIterations: 60 };

/**
 * Puts the sheet where it would come to rest with pins and bodies as they are now: the static solver from the present
 * positions. Gives the warnings of the search.
 */
export function settle(s: Session): string[] {
  const from = s.simulation;
  const still = createSimulation(
    { ...structuredClone(from.scene), static: AT_REST },
    s.readMesh ? { readMesh: s.readMesh } : {},
  );
  carry(still, from);
  const told = still.warnings.length;
  still.step();
  from.Y.set(still.Y);
  from.V.fill(0);
  const { state } = from.system;
  state.Yold.set(state.Y);
  state.Vold.fill(0);
  state.smoothSteps = 0;
  s.touched = true;
  return still.warnings.slice(told);
}
