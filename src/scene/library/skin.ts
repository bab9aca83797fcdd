/**
 * Skin on flesh (§6, Skin Wrinkling), and a film on springs (G7 of the validation).
 *
 * Wrinkles 10 mm long on flesh of 10 kPa: D follows from λ = 2π(4D/Ē)^⅓. The skin hardly shortens: its membrane is
 * a thousand times stiffer than the 3Dk² ≈ 15 N/m at which it wrinkles. Two-way, because the flesh that gives way under the
 * wrinkles is what makes them as long as they are. Cells and points are counted in waves: five and eight to a wave are
 * coarse, seven and twelve fine.
 */
import type { MotionInput, PinInput, SceneInput, SubstrateInput } from "../input.ts";
import type { Vec3 } from "../scene.ts";

/** m, Pa: what everything here is made of. */
const WAVE = 0.01;
const FLESH = { young: 1e4, poisson: 0.45, density: 1000 } as const;

export interface Skin {
  fine?: boolean;
  /** N·m; that of 10 mm by default. */
  D?: number;
  /** 1: how much shorter the flesh gets, in each direction that is compressed. */
  compression?: number;
  twoWay?: boolean;
}

/** Compressed along x between walls: parallel wrinkles. */
export function skinUniaxial({ compression = 0.1, ...skin }: Skin = {}): SceneInput {
  const size: Vec3 = [6 * WAVE, 3 * WAVE, 1.5 * WAVE];
  const close = 0.5 * compression * size[0];
  return {
    ...bonded(size, skin, [
      ...pressed("left", "right", "x", close),
      { face: "front", axes: "y" },
      { face: "back", axes: "y" },
      { face: "bottom", axes: "z" },
    ]),
    pins: pulled("left", "right", "x", close),
  };
}

/** Compressed along x and y alike: wrinkles that turn and branch. */
export function skinBiaxial({ compression = 0.07, ...skin }: Skin = {}): SceneInput {
  const size: Vec3 = [5 * WAVE, 5 * WAVE, 1.5 * WAVE];
  const close = 0.5 * compression * size[0];
  return {
    ...bonded(size, skin, [
      ...pressed("left", "right", "x", close),
      ...pressed("front", "back", "y", close),
      { face: "bottom", axes: "z" },
    ]),
    pins: [...pulled("left", "right", "x", close), ...pulled("bottom", "top", "y", close)],
  };
}

/** Two fingertips, 14 mm wide, take the flesh 24 mm apart and come closer by a quarter. */
export function skinPinch({ compression = 0.25, ...skin }: Skin = {}): SceneInput {
  const size: Vec3 = [6 * WAVE, 4 * WAVE, 2 * WAVE];
  const [near, far, half, deep] = [0.012, 0.018, 0.007, 0.004];
  const close = compression * near;
  return bonded(size, skin, [
    { face: "bottom", axes: "xyz" },
    {
      face: "thumb",
      min: [-far, -half, -deep],
      max: [-near, half, 0],
      motion: ramp([close, 0, 0]),
    },
    {
      face: "finger",
      min: [near, -half, -deep],
      max: [far, half, 0],
      motion: ramp([-close, 0, 0]),
    },
  ]);
}

/** A skin on a block whose upper face is z = 0, centred at the origin. */
function bonded(
  size: Vec3,
  { fine = false, D = rigidity(WAVE), twoWay = true }: Skin,
  held: NonNullable<SubstrateInput["held"]>,
): SceneInput {
  const [width, height, depth] = size;
  const cell = WAVE / (fine ? 7 : 5);
  return {
    seconds: 1.2,
    h: 0.01,
    gravity: 0,
    air: { drag: 5 }, // N·s/m³: wrinkles stop swaying within a tenth of a second
    sheet: {
      name: "skin",
      shape: { type: "rectangle", width, height },
      sampling: { type: "irregular", spacing: WAVE / (fine ? 12 : 8) },
      pose: { position: [-width / 2, -height / 2, 0] },
      material: { density: 0.5, D, poisson: 0.3 },
      noise: 5e-6, // m: which of the equal wrinkles grow first
    },
    substrate: {
      shape: {
        type: "block",
        size,
        cells: [
          Math.round(width / cell),
          Math.round(height / cell),
          Math.round(depth / (1.6 * cell)),
        ],
        grading: 2.5,
      },
      ...FLESH,
      position: [0, 0, -depth / 2],
      held,
      coupling: { twoWay },
    },
  };
}

/** N·m: D of wrinkles that long. */
function rigidity(wave: number): number {
  const k = (2 * Math.PI) / wave;
  return FLESH.young / (1 - FLESH.poisson ** 2) / (4 * k ** 3);
}

/** Over the first second, gently. */
function ramp(translate: Vec3): MotionInput {
  return { keys: [{ time: 0 }, { time: 1, translate }], smooth: true };
}

/** Two opposite faces of the solid, each moved inwards by `close` and free along the wall. */
function pressed(
  low: string,
  high: string,
  axis: "x" | "y",
  close: number,
): NonNullable<SubstrateInput["held"]> {
  return [
    { face: low, axes: axis, motion: ramp(along(axis, close)) },
    { face: high, axes: axis, motion: ramp(along(axis, -close)) },
  ];
}

/**
 * The same of two edges of the skin. They stay level, as at a plane of symmetry: a free edge wrinkles at half the load of the rest,
 * long before it, and curls up.
 */
function pulled(low: string, high: string, axis: "x" | "y", close: number): PinInput[] {
  const wall = (edge: string, distance: number): PinInput => ({
    name: edge,
    at: { edge },
    kind: "clamp",
    axes: axis,
    motion: ramp(along(axis, distance)),
  });
  return [wall(low, close), wall(high, -close)];
}

function along(axis: "x" | "y", distance: number): Vec3 {
  return axis === "x" ? [distance, 0, 0] : [0, distance, 0];
}

export interface FoundationWrinkles {
  /** N·m */
  D?: number;
  /** N/m³ */
  stiffness?: number;
  /** In waves 2π(D/K)^¼, or in metres if `length` is given. */
  waves?: number;
  length?: number;
  /** 1 */
  shortening?: number;
  /** Points per wave. */
  perWave?: number;
  /** m; five spacings if not said. */
  width?: number;
}

/**
 * A strip on vertical springs, its ends pushed together (G7): ten half waves in five waves' length.
 *
 * Held along y everywhere, as a strip cut out of a wide sheet is: a narrow one that is free to turn on its edge does so,
 * since nothing but vertical springs holds it, and is no longer a plane curve.
 */
export function foundationWrinkles({
  D = 1e-4,
  stiffness = 1e4,
  waves = 5,
  length,
  shortening = 0.05,
  perWave = 24,
  width: wide,
}: FoundationWrinkles = {}): SceneInput {
  const wave = 2 * Math.PI * (D / stiffness) ** 0.25;
  const L = length ?? waves * wave;
  const width = wide ?? (5 * wave) / perWave;
  const close = 0.5 * shortening * L;
  return {
    seconds: 1,
    h: 0.01,
    gravity: 0,
    air: { drag: 20 },
    sheet: {
      shape: { type: "rectangle", width: L, height: width },
      sampling: { type: "grid", spacing: wave / perWave },
      material: { density: 0.1, D, poisson: 0 },
      noise: 1e-5,
    },
    foundation: { stiffness, axis: [0, 0, 1] },
    pins: [
      { name: "plane", at: { region: { min: [0, 0], max: [L, width] } }, axes: "y" },
      { name: "left", at: { edge: "left" }, motion: ramp([close, 0, 0]) },
      { name: "right", at: { edge: "right" }, motion: ramp([-close, 0, 0]) },
    ],
  };
}
