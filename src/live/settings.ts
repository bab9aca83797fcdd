/**
 * Material, loads and forces that a program changes while the simulation runs.
 *
 * New values are checked by parseScene, in a scene of one small sheet: the same ranges, presets and messages as in scene files.
 */
import type { MaterialInput, SceneInput } from "../scene/input.ts";
import type { SheetLook } from "../scene/looks.ts";
import { type Panel, parseScene, type Scene } from "../scene/scene.ts";
import { SimulationError } from "../step/outcome.ts";
import type { Stepper } from "../step/stepper.ts";
import { renewBending } from "../system/stiffness.ts";
import { checkRange, LiveError, named, REBUILD, SMALL_SHEET } from "./live-error.ts";

/** What acts on all sheets; fields that are left out stay as they are. */
export interface LoadChange {
  /** m/s²; a number g means [0, 0, −g]. */
  gravity?: SceneInput["gravity"];
  /** Linear drag per area (N·s/m³), wind (m/s), density (kg/m³). */
  air?: SceneInput["air"];
  /** Pa, along the normals. */
  pressure?: number;
}

/**
 * Adds forces to points.
 *
 * @param f out [3n] N, 0 at first
 * @param now [3n] m and m/s at the start of the step; s at its end
 */
export type ForceCallback = (
  f: Float64Array,
  now: { readonly time: number; readonly Y: Float64Array; readonly V: Float64Array },
) => void;

/** Fields of a material that every step reads, or that only bending depends on. */
const LIVE_MATERIAL: readonly string[] = ["preset", "D", "poisson", "damping"];

/** See Simulation.setMaterial. */
export function setMaterial(system: Stepper, name: string, change: string | MaterialInput): void {
  const { scene, sheet, material } = system;
  const part = named("sheet", scene.sheets, name);
  const subject = `material of sheet "${name}"`;
  const input = typeof change === "string" ? change : merged(part.material, change);
  const next = parseScene({ sheet: { ...SMALL_SHEET, material: input } }, subject).sheets[0]
    .material;
  const differs = (Object.keys(next) as (keyof typeof next)[]).filter(
    (field) => next[field] !== part.material[field],
  );
  const fixed = differs.filter((field) => !LIVE_MATERIAL.includes(field));
  if (fixed.length > 0)
    throw new LiveError(
      subject,
      `${fixed.join(", ")} cannot change while the simulation runs (only ${LIVE_MATERIAL.slice(1).join(", ")} can); ${REBUILD}`,
    );
  part.material = next;
  const { firstPoint, points } = sheet.parts[scene.sheets.indexOf(part)];
  const [from, to] = [firstPoint, firstPoint + points];
  material.damping.fill(next.damping, from, to);
  if (!differs.includes("D") && !differs.includes("poisson")) return;
  material.D.fill(next.D, from, to);
  material.poisson.fill(next.poisson, from, to);
  renewBending(system);
}

/** Given fields replace the present ones; Young's modulus replaces D. The name of the material stays. */
function merged(
  material: Scene["sheets"][number]["material"],
  change: MaterialInput,
): MaterialInput {
  if (change.preset) return change;
  const old: MaterialInput = { ...material };
  if (change.young !== undefined) delete old.D;
  if (change.volumetricDensity !== undefined) delete old.density;
  return { ...old, ...change };
}

/** See Simulation.setLoads. */
export function setLoads(system: Stepper, change: LoadChange): void {
  const { scene } = system;
  const { gravity, air, pressure, ...rest } = change;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new LiveError(
      "loads",
      `${unknown} cannot change while the simulation runs (only gravity, air and pressure can); ${REBUILD}`,
    );
  const next = parseScene(
    {
      sheet: SMALL_SHEET,
      gravity: gravity ?? scene.gravity,
      air: { ...scene.air, ...air },
      pressure: pressure ?? scene.pressure,
    },
    "loads",
  );
  if (next.air.density > 0 && !system.wind)
    throw new LiveError(
      "loads",
      `air.density cannot change from 0 while the simulation runs, since rows for wind on the normal are built with the scene; ${REBUILD}`,
    );
  scene.gravity = next.gravity;
  scene.air = next.air;
  scene.pressure = next.pressure;
}

/** What pictures and recordings read of a scene, and the simulation does not. */
export interface DetailChange {
  name?: string;
  description?: string;
  /** s, the end of the scene. */
  seconds?: number;
  view?: Scene["view"];
  /** Colours and prints of sheets, by their names; null: by the material. */
  looks?: Readonly<Record<string, SheetLook | null>>;
  /** rad, grain of panels by the names of sheet and panel; null: along v. */
  grain?: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
}

/** See Simulation.setDetails. */
export function setDetails(
  { scene }: Stepper,
  { looks = {}, grain = {}, ...details }: DetailChange,
): void {
  const parts = Object.keys(looks).map((name) => named("sheet", scene.sheets, name));
  const turned = Object.keys(grain).flatMap((name) => panelsOf(scene, name, grain[name]));
  if (details.seconds !== undefined)
    checkRange("details", "seconds", details.seconds, { min: 0, max: LONGEST, unit: "s" });
  for (const part of parts) {
    const look = looks[part.name];
    if (look === null) delete part.look;
    else part.look = look;
  }
  for (const { panel, angle } of turned) {
    if (angle === null) delete panel.grain;
    else panel.grain = angle;
  }
  Object.assign(scene, details);
}

/** The panels of a garment that angles are given for. */
function panelsOf(
  scene: Scene,
  sheet: string,
  angles: Readonly<Record<string, number | null>>,
): { panel: Panel; angle: number | null }[] {
  const { shape } = named("sheet", scene.sheets, sheet);
  const panels = shape.type === "garment" ? shape.panels : [];
  return Object.entries(angles).map(([name, angle]) => ({
    panel: named("panel", panels, name),
    angle,
  }));
}

/** s: what scenes may last. */
const LONGEST = 1e5;

/** See Simulation.setForce. */
export function setForce(system: Stepper, callback: ForceCallback | null): void {
  if (callback === null) {
    system.outside = null;
    return;
  }
  if (typeof callback !== "function")
    throw new LiveError("force", `got ${typeof callback}, needs a function, or null to end it`);
  const { state, sheet } = system;
  const f = new Float64Array(3 * sheet.n);
  const now = {
    time: 0,
    Y: state.Y.subarray(0, 3 * sheet.n),
    V: state.V.subarray(0, 3 * sheet.n),
  };
  system.outside = (force, time) => {
    f.fill(0);
    now.time = time;
    callback(f, now);
    for (let k = 0; k < f.length; k++) {
      if (!Number.isFinite(f[k]))
        throw new SimulationError(`the force callback gave ${f[k]} N`, time, [Math.floor(k / 3)]);
      force[k] += f[k];
    }
  };
}
