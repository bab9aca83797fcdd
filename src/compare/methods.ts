/**
 * The methods that `isoplate compare` sets side by side, each as a change of the scene: same shape, load and rigidity D.
 *
 *   frames        ours: samples with frames
 *   paper         trace and determinant of the averaged deformation gradient, by Fast Projections, as in the paper
 *   shells-E      discrete shells with a Young's modulus of E MPa
 *   quads-k       inextensible warp and weft with diagonal springs of k N/m, on a grid
 *   triangles     every edge of the triangulation kept
 *
 * What is projected (paper, quads, triangles) steps by at most the paper's 1 ms: forces and projection take turns in a step, so
 * stiff diagonals are undone by the projection that follows them. At 1/240 s diagonals of 100 N/m end up with three times the
 * stretch that they have at 1 ms. Quads and triangles have no contact: by them a sheet passes through itself. Triangle edges are kept to 10⁻⁴, since
 * the 10⁻² of a cloth that may give is slack enough to bend by.
 */
import { type Fault, nearest, SceneError } from "../scene/faults.ts";
import type { Scene } from "../scene/scene.ts";

export interface Method {
  /** As on the command line. */
  readonly name: string;
  /** As below a picture. */
  readonly title: string;
  /** The scene by this method. */
  apply(scene: Scene): Scene;
  /** N/m in the plane of the sheet, where the method has a stiffness. */
  stiffness(scene: Scene): number | null;
  /** Work of a step and a point over that of `paper`, for the time left. */
  readonly cost: number;
}

/** Shown unless others are asked for. */
export const DEFAULT_METHODS: readonly string[] = [
  "frames",
  "paper",
  "triangles",
  "shells-1e4",
  "shells-100",
  "shells-1",
  "quads-10",
];

/** Names that stand for several, or for another. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ours: ["frames"],
  shells: ["shells-1e4", "shells-100", "shells-1"],
  quads: ["quads-100", "quads-10", "quads-1"],
  all: [...DEFAULT_METHODS],
};

/** s: the paper's step, and the most that a projection takes. */
const PAPER_STEP = 1e-3;
/** Relative, of squared lengths. */
const HARD_EDGES = 1e-4;
const PASCAL_PER_MPA = 1e6;

/** The scene by our method with this membrane stiffness (N/m) everywhere. */
export function withStiffness(scene: Scene, membraneStiffness: number): Scene {
  const sheets = scene.sheets.map((sheet) => ({
    ...sheet,
    material: { ...sheet.material, membraneStiffness },
  }));
  return { ...scene, sheets };
}

const frames: Method = {
  name: "frames",
  title: "ours",
  cost: 3,
  apply: (scene) => ({
    ...scene,
    method: "isometry",
    constraint: "frames",
    solver: scene.solver === "paper" ? "accurate" : scene.solver,
  }),
  stiffness: (scene) => scene.sheets[0].material.membraneStiffness,
};

const paper: Method = {
  name: "paper",
  title: "trace and det, projected",
  cost: 1,
  apply: (scene) => ({
    ...scene,
    method: "isometry",
    constraint: "paper",
    solver: "paper",
    h: Math.min(scene.h, PAPER_STEP),
  }),
  stiffness: () => null,
};

const triangles: Method = {
  name: "triangles",
  title: "triangle edges",
  cost: 2,
  apply: (scene) => ({
    ...scene,
    method: "triangle-edges",
    contact: { ...scene.contact, self: false },
    solver: "accurate",
    h: Math.min(scene.h, PAPER_STEP),
    tolerance: Math.min(scene.tolerance, HARD_EDGES),
  }),
  stiffness: () => null,
};

/** Discrete shells of that modulus. */
export function shells(megapascal: number): Method {
  const young = megapascal * PASCAL_PER_MPA;
  return {
    name: `shells-${short(megapascal)}`,
    title: `shells, ${powered(megapascal)} MPa`,
    cost: 6,
    apply: (scene) => ({
      ...scene,
      method: "discrete-shells",
      solver: "accurate",
      baseline: { ...scene.baseline, young },
    }),
    stiffness: (scene) => young * scene.baseline.thickness,
  };
}

/** Inextensible quads with diagonals of that stiffness. */
export function quads(diagonalStiffness: number): Method {
  return {
    name: `quads-${short(diagonalStiffness)}`,
    title: `quads, diagonals ${powered(diagonalStiffness)} N/m`,
    cost: 2,
    apply: (scene) => ({
      ...scene,
      method: "quad-edges",
      contact: { ...scene.contact, self: false },
      solver: "accurate",
      h: Math.min(scene.h, PAPER_STEP),
      baseline: { ...scene.baseline, diagonalStiffness },
      sheets: scene.sheets.map((sheet) => ({
        ...sheet,
        sampling: { ...sheet.sampling, type: "grid", angle: 0 },
      })),
    }),
    stiffness: () => null,
  };
}

const FIXED: readonly Method[] = [frames, paper, triangles];

/** What a number in a name may be: shells from rubber to diamond, springs as weak or stiff as anyone has tried. */
const RANGE = { min: 1e-6, max: 1e7 };

/**
 * The methods of these names, each once, in their order.
 *
 * @throws SceneError with every name that means nothing
 * @example methodsOf(["ours", "shells", "quads-50"])
 */
export function methodsOf(names: readonly string[]): Method[] {
  const faults: Fault[] = [];
  const methods = new Map<string, Method>();
  for (const name of names.flatMap((given) => GROUPS[given] ?? [given])) {
    const method = FIXED.find((fixed) => fixed.name === name) ?? numbered(name);
    if (method) methods.set(method.name, method);
    else faults.push({ path: name, message: fault(name) });
  }
  if (names.length === 0) faults.push({ path: "(none)", message: "needs at least one method" });
  if (faults.length > 0) throw new SceneError("--methods", faults);
  return [...methods.values()];
}

function numbered(name: string): Method | null {
  const [, family, digits] = /^(shells|quads)-(.+)$/.exec(name) ?? [];
  const value = Number(digits);
  if (!family || !(value >= RANGE.min && value <= RANGE.max)) return null;
  return family === "shells" ? shells(value) : quads(value);
}

function fault(name: string): string {
  if (/^(shells|quads)-/.test(name)) {
    const unit = name.startsWith("shells") ? "MPa" : "N/m";
    return `needs a number of ${unit} from ${RANGE.min} to ${RANGE.max} behind it, as in ${name.startsWith("shells") ? "shells-100" : "quads-10"}`;
  }
  const known = [...FIXED.map((fixed) => fixed.name), ...Object.keys(GROUPS)];
  const near = nearest(name, known);
  const hint = near === null ? "" : `; did you mean "${near}"?`;
  return `no such method; there are ${known.join(", ")}, shells-MPa and quads-N/m${hint}`;
}

/** 10000 as 1e4, 50 as 50. */
function short(value: number): string {
  return value >= 1000 ? value.toExponential().replace("e+", "e") : String(value);
}

/** 10000 as 10⁴, 50 as 50. */
function powered(value: number): string {
  const power = Math.round(Math.log10(value));
  if (power < 4 || Math.abs(value / 10 ** power - 1) > 1e-9) return String(value);
  return `10${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;
}
