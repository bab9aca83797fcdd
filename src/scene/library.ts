/**
 * The built-in scenes (§6), as functions of their parameters.
 *
 * Each is at once an example, a menu entry, a test fixture, a validation case and a benchmark, so their numbers live
 * here and nowhere else. They are in the input form: what `isoplate run` would read from a file.
 *
 * Sheets have a material and no membrane stiffness: that is the default of all (materials.ts).
 *
 * The cloths of the locking test are held by their corner points, as in the paper: a pin with a radius is a small clamp, which
 * moves the deflection by 3 to 8 %.
 */
import { nearest } from "./faults.ts";
import type { SamplingInput, SceneInput } from "./input.ts";
import { crumple, fold, impact, incline } from "./library/contact.ts";
import {
  drape,
  drapeBox,
  drapeSphere,
  drapeTableEdge,
  tablecloth,
  twoLayers,
} from "./library/draping.ts";
import { skirt, tankTop, tunic } from "./library/garments.ts";
import { foundationWrinkles, skinBiaxial, skinPinch, skinUniaxial } from "./library/skin.ts";
import { cylinder } from "./library/tube.ts";

export interface LibraryScene {
  readonly name: string;
  readonly points: number;
  /** What it shows, in one line. */
  readonly shows: string;
  /** Its input form, a fresh copy. */
  input(): SceneInput;
}

export interface PinnedCloth {
  sampling?: SamplingInput;
  rings?: number;
  /** Flexural rigidity, N·m. */
  D?: number;
  /** Simulated time, s. */
  seconds?: number;
}

/** Density (kg/m²) of the cloth, and the drag (N·s/m³) in which it comes to rest in 4 s. */
const CLOTH = { side: 1, density: 0.2, D: 1e-4, drag: 1.5 } as const;
const G = 9.81;

/** A square metre that starts level and hangs by two opposite corners, held at their rest distance. */
export function pinnedCloth({
  sampling = { type: "irregular", points: 662 },
  rings = 1,
  D = CLOTH.D,
  seconds = 4,
}: PinnedCloth = {}): SceneInput {
  return {
    seconds,
    sheet: {
      shape: { type: "rectangle", width: CLOTH.side, height: CLOTH.side },
      sampling,
      neighbourhood: { rings },
      material: { density: CLOTH.density, D },
    },
    air: { drag: CLOTH.drag },
    contact: { self: true }, // its halves hang plumb and would pass through each other
    pins: [
      { name: "bottom-left", at: { corner: "bottom-left" } },
      { name: "top-right", at: { corner: "top-right" } },
    ],
  };
}

/** The same square hung by two neighbouring corners, which are then brought to `distance` (m). */
function pinchedCloth({
  points = 662,
  D = CLOTH.D,
  distance = 0.6,
}: {
  points?: number;
  D?: number;
  distance?: number;
} = {}): SceneInput {
  const move = (CLOTH.side - distance) / 2;
  return {
    seconds: 4,
    constraint: "frames",
    sheet: {
      shape: { type: "rectangle", width: CLOTH.side, height: CLOTH.side },
      sampling: { points },
      pose: { rotation: [90, 0, 0] },
      material: { density: CLOTH.density, D },
      noise: 1e-4, // a flat sheet that is pressed in its own plane has no side to buckle to
    },
    air: { drag: CLOTH.drag },
    pins: [
      {
        name: "top-left",
        at: { corner: "top-left" },
        motion: { keys: [{ time: 1, translate: [move, 0, 0] }], smooth: true },
      },
      {
        name: "top-right",
        at: { corner: "top-right" },
        motion: { keys: [{ time: 1, translate: [-move, 0, 0] }], smooth: true },
      },
    ],
  };
}

/** A flag with one side pinned and a heavy mass on the lower corner of the other: no shear, no sag. */
export function shearFlag({
  points = 662,
  mass = 1,
}: {
  points?: number;
  mass?: number;
} = {}): SceneInput {
  return {
    seconds: 3,
    sheet: {
      shape: { type: "rectangle", width: 0.4, height: 0.4 },
      sampling: { points },
      pose: { rotation: [90, 0, 0] },
      material: { density: 0.15, D: 1e-4 },
      noise: 1e-5,
    },
    air: { drag: 2 },
    contact: { self: true }, // the pull of the corner rolls the free edges up
    pins: [{ name: "pole", at: { edge: "left" } }],
    masses: [{ at: { corner: "bottom-right", radius: 0.02 }, mass }],
  };
}

export interface Cantilever {
  /** σ g L³ / D, 1. */
  gamma?: number;
  /** m */
  length?: number;
  width?: number;
  /** Points along the length are length/spacing. */
  sampling?: SamplingInput;
  /** Look for equilibrium directly. */
  equilibrium?: boolean;
}

/** A strip clamped level at its left edge, bending under its own weight. */
function cantilever({
  gamma = 20,
  length = 0.3,
  width = 0.1,
  sampling = { type: "irregular", spacing: length / 24 },
  equilibrium = false,
}: Cantilever = {}): SceneInput {
  const density = 0.15;
  return {
    constraint: "frames",
    seconds: 3,
    ...(equilibrium ? { static: true } : {}),
    sheet: {
      shape: { type: "rectangle", width: length, height: width },
      sampling,
      material: { density, D: (density * G * length ** 3) / gamma, poisson: 0 },
    },
    gravity: G,
    air: { drag: 1.5 },
    pins: [{ name: "clamp", at: { edge: "left" }, kind: "clamp" }],
  };
}

/** A strip that hangs from its hinged upper edge and swings from 30° out. */
function hangingStrip({
  points = 400,
  angle = 30,
}: {
  points?: number;
  angle?: number;
} = {}): SceneInput {
  return {
    seconds: 4,
    sheet: {
      shape: { type: "rectangle", width: 0.1, height: 0.5 },
      sampling: { points },
      pose: { rotation: [90 - angle, 0, 0] },
      material: { density: 0.15, D: 1.8e-4 },
    },
    pins: [{ name: "rail", at: { edge: "top" }, kind: "hinge" }],
  };
}

export const library: readonly LibraryScene[] = [
  entry("pinned-cloth", 662, "a cloth hung by two opposite corners: the locking test", pinnedCloth),
  entry("pinned-cloth-regular", 625, "the same on a regular grid", () =>
    pinnedCloth({ sampling: { type: "grid", points: 625 } }),
  ),
  entry("pinned-cloth-fine", 1656, "the same, finer: the shape does not depend on the mesh", () =>
    pinnedCloth({ sampling: { type: "irregular", points: 1656 } }),
  ),
  entry("pinned-cloth-wide", 662, "the same with neighbourhoods twice as wide", () =>
    pinnedCloth({ rings: 2 }),
  ),
  entry("pinched-cloth", 662, "two upper corners brought together: folds", pinchedCloth),
  entry("shear-flag", 662, "1 kg on the corner of a 24 g flag: no shear, no sag", shearFlag),
  entry("drape-coarse", 845, "a cloth over a sphere, coarse", drape),
  entry("drape-fine", 2716, "the same, fine: the same folds", () => drape({ points: 2716 })),
  entry("drape-sphere", 845, "a cloth over a ball on the floor", drapeSphere),
  entry("tablecloth", 700, "a gingham cloth that falls on a round table", tablecloth),
  entry("drape-box", 845, "a tablecloth on a square table", drapeBox),
  entry(
    "drape-table-edge",
    845,
    "a runner over the edge of a table, held by friction",
    drapeTableEdge,
  ),
  entry("two-layers", 1690, "two cloths on one sphere: layers never mix", twoLayers),
  entry("fold", 800, "a strip folded over onto itself", fold),
  entry("crumple", 1000, "a sheet pressed into a ball and let go", crumple),
  entry("incline", 200, "a sheet that slides down a slope as the closed form says", incline),
  entry("impact", 845, "a sheet hit by a ball at 20 m/s", impact),
  entry("cylinder-coarse", 979, "a tube crushed between its rings, coarse", cylinder),
  entry("cylinder-fine", 15039, "the same, fine: a cascade of diamonds", () =>
    cylinder({ points: 15039 }),
  ),
  entry("tank-top", 3450, "a tank top on a hanger that spins up, stops, reverses", tankTop),
  entry("tunic", 1200, "a front and a back, pulled together around a body and worn", tunic),
  entry("skirt-limp", 4500, "a circle skirt on a moving waist, D = 3·10⁻⁵ N·m", () =>
    skirt({ D: 3e-5 }),
  ),
  entry("skirt", 4500, "the same ten times as stiff, D = 3·10⁻⁴ N·m", skirt),
  entry("skirt-firm", 4500, "a hundred times, D = 3·10⁻³ N·m", () => skirt({ D: 3e-3 })),
  entry("skirt-stiff", 4500, "a thousand times, D = 3·10⁻² N·m", () => skirt({ D: 3e-2 })),
  entry(
    "skin-uniaxial",
    1461,
    "skin on flesh that is compressed one way: parallel wrinkles",
    skinUniaxial,
  ),
  entry("skin-uniaxial-fine", 3232, "the same, fine: the same wavelength", () =>
    skinUniaxial({ fine: true }),
  ),
  entry(
    "skin-biaxial",
    2009,
    "skin on flesh that is compressed both ways: a labyrinth",
    skinBiaxial,
  ),
  entry("skin-biaxial-fine", 4458, "the same, fine", () => skinBiaxial({ fine: true })),
  entry("skin-pinch", 1932, "skin pinched between two fingertips", skinPinch),
  entry("skin-pinch-fine", 4285, "the same, fine", () => skinPinch({ fine: true })),
  entry("foundation-wrinkles", 726, "a film on springs: ten half waves", foundationWrinkles),
  entry("cantilever", 264, "a strip clamped at one end, bending under its weight", cantilever),
  entry("hanging-strip", 400, "a strip that swings from a rail", hangingStrip),
];

/**
 * The built-in scene of that name; undefined if there is none.
 *
 * @example
 * const scene = parseScene(libraryScene("pinned-cloth")!.input());
 */
export function libraryScene(name: string): LibraryScene | undefined {
  return library.find((scene) => scene.name === name);
}

/**
 * The built-in name most like the given one, for messages.
 *
 * @example
 * nearestScene("pinned-clot"); // "pinned-cloth"
 */
export function nearestScene(name: string): string | null {
  return nearest(
    name,
    library.map((scene) => scene.name),
  );
}

function entry(name: string, points: number, shows: string, make: () => SceneInput): LibraryScene {
  return { name, points, shows, input: () => ({ name, description: shows, ...make() }) };
}
