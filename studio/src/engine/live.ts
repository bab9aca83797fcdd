/**
 * Changes while a scene runs: loads and rigidity take effect in the next step, anything else in a new system that goes on
 * from the same positions and velocities. Only another sheet or other bodies start anew.
 */
import type { Scene } from "../../../src/index.ts";
import { withoutGrain } from "../document/edits.ts";
import type { Reaction } from "./protocol.ts";
import { reactionsOf, type Session } from "./session.ts";

/** Whether two scenes have the same points and bodies, so that one can go on from the other. */
export function sameSheet(a: Scene, b: Scene): boolean {
  const geometry = ({ seed, sheets, substrate, colliders, static: equilibrium }: Scene): string =>
    JSON.stringify([
      seed,
      substrate,
      equilibrium,
      colliders.map(({ name, body }) => [name, body]),
      sheets.map(({ name, shape, sampling, neighbourhood, pose, noise, velocity, spin }) => [
        name,
        withoutGrain(shape),
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

/** The scene without what can change without a new system. */
function withoutLive(scene: Scene): unknown {
  return {
    ...scene,
    name: "",
    description: "",
    seconds: 0,
    gravity: null,
    pressure: null,
    view: null,
    air: scene.air.density,
    sheets: scene.sheets.map(({ material, ...sheet }) => {
      const { D: _, preset: __, ...rest } = material;
      return { ...sheet, shape: withoutGrain(sheet.shape), look: null, material: rest };
    }),
  };
}

/** Puts the session onto another scene with the same sheet, at the same positions and velocities. */
export function changeLive({ simulation }: Session, scene: Scene): void {
  const old = simulation.scene;
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  if (scene.method !== "isometry" || !same(withoutLive(old), withoutLive(scene))) {
    simulation.rebuild(scene);
    return;
  }
  simulation.setLoads({ gravity: scene.gravity, air: scene.air, pressure: scene.pressure });
  // the name of the material is part of what it looks like
  scene.sheets.forEach(({ name, material }, k) => {
    if (!same(material, old.sheets[k].material)) simulation.setMaterial(name, material);
  });
  const { name, description, seconds, view } = scene;
  const looks = Object.fromEntries(scene.sheets.map((sheet) => [sheet.name, sheet.look ?? null]));
  simulation.setDetails({ name, description, seconds, view, looks, grain: grainOf(scene) });
}

/** rad, the grain of every panel. */
function grainOf({ sheets }: Scene): Record<string, Record<string, number | null>> {
  const garments = sheets.flatMap(({ name, shape }) =>
    shape.type === "garment" ? [{ name, panels: shape.panels }] : [],
  );
  return Object.fromEntries(
    garments.map(({ name, panels }) => [
      name,
      Object.fromEntries(panels.map((panel) => [panel.name, panel.grain ?? null])),
    ]),
  );
}

/** Stop of the search for rest: the largest force left over the weight of a point, and how long it may take. */
const AT_REST = { forceTolerance: 1e-4, maxIterations: 60 };

/**
 * Puts the sheet where it would come to rest with pins and bodies as they are now: the static solver from the present
 * positions. Gives what it warned of, and the forces of the pins: the system that steps has no balance of forces to read
 * them from until it has stepped.
 */
export function settle(s: Session): { notes: string[]; reactions: Reaction[] } {
  const { simulation } = s;
  const { scene, time, warnings } = simulation;
  const told = warnings.length;
  simulation.rebuild({ ...scene, static: AT_REST });
  let reactions: Reaction[] = [];
  try {
    simulation.step();
    reactions = reactionsOf(s);
  } finally {
    simulation.rebuild(scene);
    simulation.setState({ V: new Float64Array(simulation.V.length), time });
  }
  s.touched = true;
  s.hand = null;
  s.warned = warnings.length;
  const notes = warnings
    .slice(told)
    .filter(({ cause }) => cause === "equilibrium")
    .map(({ text }) => text);
  return { notes, reactions };
}
