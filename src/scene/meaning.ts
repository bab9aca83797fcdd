/**
 * The meaning of a scene: defaults filled in, degrees turned into radians, names into numbers, and the checks that need
 * more than one field. Parts whose form is faulty are skipped, so that the faults of the others are still found.
 */
import { motionOf, radians, rotationOf, unit } from "./convert.ts";
import { DEFAULTS, MOST_POINTS } from "./defaults.ts";
import { type Faults, type Path, show } from "./faults.ts";
import type { ColliderInput, PinInput, SceneInput, SheetInput, SubstrateInput } from "./input.ts";
import { type Outline, pickOf } from "./meaning-pick.ts";
import { about, checkFile, sheetOf } from "./meaning-sheet.ts";
import { isProjected } from "./projected.ts";
import type { Body, Collider, Pin, Scene, Substrate, Vec3 } from "./scene.ts";

export interface Context {
  source: string;
  /** Nothing at or under this path is faulty in form. */
  sound: (path: Path) => boolean;
  faults: Faults;
}

/** The scene that `input` means; faults go into the context, and then the scene must not be used. */
export function meaningOf(input: SceneInput, context: Context): Scene {
  const { sound, faults } = context;
  const get = <K extends keyof SceneInput>(key: K): SceneInput[K] | undefined =>
    sound([key]) ? input[key] : undefined;
  const each = <T, R>(
    key: string,
    list: readonly T[] | undefined,
    make: (item: T, path: Path) => R,
  ): R[] =>
    (Array.isArray(list) ? list : []).flatMap((item, k) =>
      sound([key, k]) ? [make(item, [key, k])] : [],
    );

  const solver = get("solver") ?? DEFAULTS.solver;
  const h = get("h") ?? DEFAULTS.h[solver];
  const seconds = get("seconds") ?? DEFAULTS.seconds;
  if (sound(["h"]) && sound(["seconds"]) && seconds / h > 1e9)
    faults.add(["h"], `${seconds} s in steps of ${h} s are more than 1e9 steps`);

  const gravity = gravityOf(get("gravity"));
  const air = get("air") ?? {};
  const record = get("record") ?? {};
  const contact = get("contact") ?? {};
  const foundation = get("foundation") ?? null;
  const method = get("method") ?? DEFAULTS.method;
  const substrate = get("substrate") ?? null;

  const sheets = sheetList(input, context);
  const outlines = outlinesOf(sheets, context);
  const pinNames = namesOf("pins", input.pins, () => "pin", faults);
  const colliderNames = namesOf("colliders", input.colliders, ({ body }) => body?.type, faults);
  const masses = each("masses", input.masses, (m, path) => ({
    at: pickOf(m.at, [...path, "at"], outlines, faults),
    mass: m.mass,
  }));
  checkTogether(outlines, faults);

  return {
    name: get("name") ?? stem(context.source),
    description: get("description") ?? "",
    seed: get("seed") ?? DEFAULTS.seed,
    seconds,
    h,
    solver,
    integrator:
      get("integrator") ?? DEFAULTS.integrator[isProjected({ solver, method }) ? "paper" : solver],
    stuck: get("stuck") ?? DEFAULTS.stuck,
    sleep: get("sleep") ?? DEFAULTS.sleep,
    constraint: constraintOf(get("constraint"), solver, faults),
    method,
    tolerance: get("tolerance") ?? DEFAULTS.tolerance,
    ...methodOf(get("baseline") ?? {}, get("projection") ?? {}),
    static: staticOf(get("static")),
    gravity,
    air: { drag: air.drag ?? 0, wind: air.wind ?? [0, 0, 0], density: air.density ?? 0 },
    foundation: foundation && {
      stiffness: foundation.stiffness,
      axis: unit(foundation.axis ?? [0, 0, 1], ["foundation", "axis"], faults),
    },
    pressure: get("pressure") ?? 0,
    sheets: sheets.flatMap(({ value, path }, k) => {
      if (!sound(path)) return [];
      const hung = masses.reduce((sum, m) => (m.at.sheet === k ? sum + m.mass : sum), 0);
      return [sheetOf(value, path, { name: outlines[k].name, hung, gravity, faults })];
    }),
    pins: each("pins", input.pins, (pin, path) =>
      pinOf(pin, pinNames[path[1] as number], path, outlines, faults),
    ),
    masses,
    attachments: each("attachments", input.attachments, (a, path) => ({
      at: pickOf(a.at, [...path, "at"], outlines, faults),
      target: a.target ?? null,
      motion: motionOf(a.motion, a.target ?? [0, 0, 0], [...path, "motion"], faults),
      release: a.release ?? null,
    })),
    colliders: each("colliders", input.colliders, (c, path) =>
      colliderOf(c, colliderNames[path[1] as number], path, faults),
    ),
    contact: {
      self: contact.self ?? false,
      friction: contact.friction ?? DEFAULTS.friction,
      slipSpeed: contact.slipSpeed ?? DEFAULTS.slipSpeed,
    },
    substrate: substrate && substrateOf(substrate, faults),
    record: {
      rate: record.rate ?? DEFAULTS.rate,
      checkpoint: record.checkpoint ?? DEFAULTS.checkpoint,
    },
    view: viewOf(get("view")),
  };
}

/** The paper projects its own constraints: it knows no frames. */
function constraintOf(
  given: SceneInput["constraint"],
  solver: Scene["solver"],
  faults: Faults,
): Scene["constraint"] {
  if (given === "frames" && solver === "paper")
    faults.add(
      ["constraint"],
      "got frames with solver: paper, which projects positions alone; leave it out, or take solver: accurate",
    );
  return given ?? (solver === "paper" ? "paper" : DEFAULTS.constraint);
}

/** What picks need to know of each sheet. */
function outlinesOf(sheets: ReturnType<typeof sheetList>, { sound }: Context): Outline[] {
  const taken = new Set(sheets.map(({ value }) => (value as Partial<SheetInput>)?.name));
  return sheets.map(({ value, path }, k) => {
    const part = <K extends keyof SheetInput>(key: K): SheetInput[K] | undefined =>
      sound([...path, key]) ? (value as Partial<SheetInput> | undefined)?.[key] : undefined;
    return {
      name: part("name") ?? (k === 0 ? "sheet" : freeName("sheet", k + 1, taken)),
      shape: part("shape") ?? null,
      sampling: part("sampling") ?? {},
    };
  });
}

/** The names of a list, such that programs can tell its members apart: what has none is numbered, two of one name are a fault. */
function namesOf<T extends { name?: string | undefined }>(
  key: "pins" | "colliders",
  list: readonly T[] | undefined,
  kind: (one: T) => string | undefined,
  faults: Faults,
): string[] {
  if (!Array.isArray(list)) return [];
  const given = list.map((one: T | null) => one?.name);
  const taken = new Set(given);
  return list.map((one: T | null, k) => {
    const name = given[k];
    if (name === undefined) return freeName((one && kind(one)) ?? key, k + 1, taken);
    if (typeof name === "string" && given.indexOf(name) < k)
      faults.add([key, k, "name"], `${show(name)} is the name of another ${key.slice(0, -1)} too`);
    return name;
  });
}

/** `kind` with the first number, from `number` on, that makes a name that is not taken; takes it. */
function freeName(kind: string, number: number, taken: Set<string | undefined>): string {
  for (let k = number; ; k++) {
    const name = `${kind}-${k}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

/** Settings of the methods that the paper compares with, and of its own projection. */
function methodOf(
  baseline: NonNullable<SceneInput["baseline"]>,
  projection: NonNullable<SceneInput["projection"]>,
): Pick<Scene, "baseline" | "projection"> {
  return {
    baseline: {
      young: baseline.young ?? DEFAULTS.young,
      thickness: baseline.thickness ?? DEFAULTS.thickness,
      diagonalStiffness: baseline.diagonalStiffness ?? DEFAULTS.diagonalStiffness,
    },
    projection: {
      geometricStiffness: projection.geometricStiffness ?? DEFAULTS.geometricStiffness,
      shift: projection.shift ?? DEFAULTS.shift,
      maxRounds: projection.maxRounds ?? DEFAULTS.maxRounds,
      slack: projection.slack ?? DEFAULTS.slack,
      everyStep: projection.everyStep ?? DEFAULTS.everyStep,
      bending: projection.bending ?? DEFAULTS.projectedBending,
    },
  };
}

function pinOf(
  pin: PinInput,
  name: string,
  path: Path,
  outlines: readonly Outline[],
  faults: Faults,
): Pin {
  return {
    name,
    at: pickOf(pin.at, [...path, "at"], outlines, faults),
    kind: pin.kind ?? "pin",
    axes: axesOf(pin.axes),
    motion: motionOf(pin.motion, [0, 0, 0], [...path, "motion"], faults),
    release: pin.release ?? null,
  };
}

/** "scenes/flag.yaml" → "flag" */
function stem(source: string): string {
  const name = source.replace(/^.*[/\\]/, "").replace(/\.(json|ya?ml)$/i, "");
  return name === "" ? "scene" : name.slice(0, 200);
}

function gravityOf(gravity: SceneInput["gravity"]): Vec3 {
  if (Array.isArray(gravity)) return [...gravity];
  return [0, 0, 0 - (gravity ?? DEFAULTS.gravity)]; // not −0
}

function staticOf(value: SceneInput["static"]): Scene["static"] {
  if (value === undefined || value === null || value === false) return null;
  const given = value === true ? {} : value;
  return {
    forceTolerance: given.forceTolerance ?? DEFAULTS.forceTolerance,
    maxIterations: given.maxIterations ?? DEFAULTS.maxIterations,
  };
}

function viewOf(view: SceneInput["view"]): Scene["view"] {
  const camera = view?.camera ?? "auto";
  return {
    camera:
      camera === "auto"
        ? "auto"
        : {
            eye: [...camera.eye],
            target: [...camera.target],
            fov: radians(camera.fov ?? DEFAULTS.fov),
          },
    ground: view?.ground ?? true,
  };
}

/** The sheets, from `sheet` or `sheets`, and where they stand; their form may be faulty. */
function sheetList(input: SceneInput, { faults }: Context): { value: SheetInput; path: Path }[] {
  const one = input.sheet !== undefined;
  const several = input.sheets !== undefined;
  if (one && several) faults.add(["sheets"], "got both sheet and sheets, needs one of them");
  if (!one && !several) faults.add(["sheet"], "missing, needs { shape, sampling, material, … }");
  if (input.sheet !== undefined) return [{ value: input.sheet, path: ["sheet"] }];
  const list = Array.isArray(input.sheets) ? input.sheets : [];
  return list.map((value, k) => ({ value, path: ["sheets", k] }));
}

/** Names differ, and all points fit into one memory. */
function checkTogether(sheets: readonly Outline[], faults: Faults): void {
  sheets.forEach(({ name }, k) => {
    if (sheets.findIndex((other) => other.name === name) < k)
      faults.add(["sheets", k, "name"], `${show(name)} is the name of another sheet too`);
  });
  let total = 0;
  for (const { shape, sampling } of sheets)
    if (shape !== null) total += Math.min(about(shape, sampling), MOST_POINTS);
  if (total > MOST_POINTS && sheets.length > 1)
    faults.add(["sheets"], `about ${total} points together, needs at most ${MOST_POINTS}`);
}

function colliderOf(collider: ColliderInput, name: string, path: Path, faults: Faults): Collider {
  const position: Vec3 = collider.position ?? [0, 0, 0];
  return {
    name,
    body: bodyOf(collider.body, [...path, "body"], faults),
    position,
    rotation: rotationOf(collider.rotation),
    friction: collider.friction ?? DEFAULTS.friction,
    offset: collider.offset ?? 0,
    motion: motionOf(fileless(collider, path, faults), position, [...path, "motion"], faults),
  };
}

/** The motion of a collider; one that is still in a file has not been read. */
function fileless(
  { motion, body }: ColliderInput,
  path: Path,
  faults: Faults,
): Exclude<ColliderInput["motion"], "file"> {
  if (motion !== "file") return motion;
  faults.add(
    [...path, "motion"],
    body.type === "mesh"
      ? `"file": no way to read files was given`
      : `got "file", needs a body of type mesh, not ${body.type}`,
  );
  return null;
}

function bodyOf(body: ColliderInput["body"], path: Path, faults: Faults): Body {
  const rounded = (rounding: number | undefined, most: number): number => {
    if ((rounding ?? 0) > most)
      faults.add(
        [...path, "rounding"],
        `got ${rounding}, needs at most half the smallest length, ${most} m`,
      );
    return rounding ?? 0;
  };
  switch (body.type) {
    case "plane":
      return { type: "plane", normal: unit(body.normal ?? [0, 0, 1], [...path, "normal"], faults) };
    case "box":
      return { ...body, rounding: rounded(body.rounding, Math.min(...body.size) / 2) };
    case "cylinder":
    case "cone":
      return { ...body, rounding: rounded(body.rounding, Math.min(body.radius, body.length / 2)) };
    case "torus":
      if (body.minor >= body.major)
        faults.add(
          [...path, "minor"],
          `got ${body.minor}, needs less than major (${body.major} m)`,
        );
      return { ...body };
    case "mesh":
      checkFile(body.file, [...path, "file"], faults);
      return {
        ...body,
        scale: body.scale ?? 1,
        closed: body.closed ?? true,
        vertices: verticesInput(body.vertices, [...path, "vertices"], faults),
      };
    default:
      return { ...body };
  }
}

/** Where the vertices of a mesh body are read from. */
function verticesInput(
  given: Extract<ColliderInput["body"], { type: "mesh" }>["vertices"],
  path: Path,
  faults: Faults,
): Extract<Body, { type: "mesh" }>["vertices"] {
  if (given === null || given === undefined) return null;
  const { file, rate, start } = typeof given === "string" ? { file: given } : { ...given };
  checkFile(file, typeof given === "string" ? path : [...path, "file"], faults);
  return { file, rate: rate ?? DEFAULTS.vertexRate, start: start ?? 0 };
}

function axesOf(axes: PinInput["axes"] = "xyz"): Pin["axes"] {
  return typeof axes === "string"
    ? { x: axes.includes("x"), y: axes.includes("y"), z: axes.includes("z") }
    : { ...axes };
}

function substrateOf(substrate: SubstrateInput, faults: Faults): Substrate {
  return {
    shape:
      substrate.shape.type === "block"
        ? { ...substrate.shape, grading: substrate.shape.grading ?? 1 }
        : substrate.shape,
    young: substrate.young,
    poisson: substrate.poisson ?? DEFAULTS.substratePoisson,
    density: substrate.density ?? DEFAULTS.substrateDensity,
    position: substrate.position ?? [0, 0, 0],
    held: (substrate.held ?? []).map((held, k) => ({
      face: held.face,
      min: held.min ?? null,
      max: held.max ?? null,
      axes: axesOf(held.axes),
      motion: motionOf(held.motion, [0, 0, 0], ["substrate", "held", k, "motion"], faults),
    })),
    coupling: {
      spacing: substrate.coupling?.spacing ?? null,
      twoWay: substrate.coupling?.twoWay ?? false,
    },
  };
}
