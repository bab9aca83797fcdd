/**
 * Cloth on bodies (§6, Draping): a sphere, a box, the edge of a table, two layers.
 *
 * All use one cloth, 200 g/m² with D = 10⁻⁴ N·m, whose folds are some (D/σg)^⅓ = 37 mm times 2π wide: a mesh of 845 points
 * resolves them, which is what makes coarse and fine comparable.
 */
import type { ColliderInput, SceneInput, SheetInput } from "../input.ts";

export interface Drape {
  points?: number;
  /** Flexural rigidity, N·m. */
  D?: number;
  /** Of the cloth on the body, 1. */
  friction?: number;
  /** Simulated time, s. */
  seconds?: number;
}

/**
 * Side (m), density (kg/m²), contact thickness (m) of the cloth; the drag (N·s/m³) in which it comes to rest in 3 s.
 */
const CLOTH = { side: 1, density: 0.2, D: 1e-4, thickness: 2e-3, drag: 2 } as const;
/** m, that a cloth starts above what it falls on. */
const AIR = 5e-3;

/** s, for which a cloth is held by the middles of its sides: its corners hang down by then. */
const HELD = 1;

/**
 * A square cloth laid on a sphere that hangs in the air: held level by the middles of its sides until its corners hang, then let go.
 *
 * A sheet that bends only has many ways to fold on a sphere. Dropped as it is, it buckles everywhere at once, the mesh chooses the folds, and a coarse mesh
 * is left in those it cannot resolve: its outline was 3.4 to 4 % of the side away from that of 2716 points. Holding the middles of its sides chooses
 * four folds.
 */
export function drape({
  points = 845,
  D = CLOTH.D,
  friction = 0.3,
  seconds = 5,
}: Drape = {}): SceneInput {
  const radius = 0.25;
  const { side } = CLOTH;
  const half = side / 2;
  return {
    seconds,
    sheet: cloth({ points, D, height: radius + AIR }),
    pins: [
      {
        name: "hands",
        at: {
          nearest: [
            [half, 0],
            [side, half],
            [half, side],
            [0, half],
          ],
        },
        release: HELD,
      },
    ],
    air: { drag: CLOTH.drag },
    contact: { self: true },
    colliders: [{ name: "sphere", body: { type: "sphere", radius }, friction }],
  };
}

/** The same cloth dropped level, without hands: in which of many folds it comes to rest depends on the mesh too. */
export function drapeDropped(options: Drape = {}): SceneInput {
  const { pins: _hands, ...scene } = drape(options);
  return scene;
}

/** A larger cloth over a ball that lies on the floor, where its rim comes to lie in folds. */
export function drapeSphere({
  points = 845,
  D = CLOTH.D,
  friction = 0.3,
  seconds = 4,
}: Drape = {}): SceneInput {
  const radius = 0.2;
  return {
    seconds,
    sheet: cloth({ points, D, height: 2 * radius + AIR }),
    air: { drag: CLOTH.drag },
    contact: { self: true },
    colliders: [
      { name: "ball", body: { type: "sphere", radius }, position: [0, 0, radius], friction },
      floor(0.5),
    ],
  };
}

/** A tablecloth: a square on a square table with rounded edges, corners folding down. */
export function drapeBox({
  points = 845,
  D = CLOTH.D,
  friction = 0.3,
  seconds = 3,
}: Drape = {}): SceneInput {
  const size = 0.5;
  return {
    seconds,
    sheet: cloth({ points, D, height: size / 2 + AIR }),
    air: { drag: CLOTH.drag },
    contact: { self: true },
    colliders: [
      {
        name: "table",
        body: { type: "box", size: [size, size, size], rounding: 0.02 },
        friction,
      },
    ],
  };
}

/** A gingham cloth that falls on a round table and hangs in folds: its checks show that it neither shears nor stretches. */
export function tablecloth({
  points = 700,
  D = 2e-4,
  friction = 0.4,
  seconds = 2.5,
}: Drape = {}): SceneInput {
  const side = 1.2;
  const top = { height: 0.74, thick: 0.04, radius: 0.4 };
  return {
    seconds,
    sheet: {
      shape: { type: "rectangle", width: side, height: side },
      sampling: { points },
      pose: { position: [-side / 2, -side / 2, 0.78] },
      material: { density: CLOTH.density, D, thickness: CLOTH.thickness },
      look: { front: "#f4efe6", back: "#f4efe6", ink: "#b8402a", print: "gingham", size: 0.1 },
    },
    air: { drag: 1 },
    contact: { self: true },
    colliders: [
      {
        name: "table",
        body: { type: "cylinder", radius: top.radius, length: top.thick, rounding: 0.012 },
        position: [0, 0, top.height - top.thick / 2],
        friction,
      },
      {
        name: "leg",
        body: { type: "cylinder", radius: 0.04, length: top.height - top.thick },
        position: [0, 0, (top.height - top.thick) / 2],
      },
      floor(0.5),
    ],
  };
}

/** A runner that lies on a table and hangs over its rounded edge; friction alone holds it. */
export function drapeTableEdge({
  points = 845,
  D = CLOTH.D,
  friction = 0.5,
  seconds = 3,
}: Drape = {}): SceneInput {
  const [width, height, over] = [0.8, 0.4, 0.3];
  return {
    seconds,
    sheet: {
      shape: { type: "rectangle", width, height },
      sampling: { points },
      pose: { position: [over - width, -height / 2, AIR] },
      material: material(D),
    },
    air: { drag: CLOTH.drag },
    colliders: [{ name: "table", body: { type: "edge", radius: 0.02 }, friction }],
  };
}

/** Two cloths on one sphere, the upper turned by 45°: layers rest on each other without mixing. */
export function twoLayers({
  points = 845,
  D = CLOTH.D,
  friction = 0.4,
  seconds = 4,
}: Drape = {}): SceneInput {
  const radius = 0.25;
  const layer = (name: string, angle: number, height: number): SheetInput => ({
    ...cloth({ points, D, height, side: 0.8, angle }),
    name,
  });
  return {
    seconds,
    sheets: [layer("lower", 0, radius + AIR), layer("upper", 45, radius + AIR + 0.03)],
    air: { drag: CLOTH.drag },
    contact: { self: true, friction: 0.4 },
    colliders: [{ name: "sphere", body: { type: "sphere", radius }, friction }],
  };
}

function material(D: number): NonNullable<SheetInput["material"]> {
  const { density, thickness } = CLOTH;
  return { density, D, thickness };
}

/** A level square cloth whose middle is above the origin. */
function cloth({
  points,
  D,
  height,
  side = CLOTH.side,
  angle = 0,
}: {
  points: number;
  D: number;
  height: number;
  side?: number;
  angle?: number;
}): SheetInput {
  const half = side / 2;
  // the corner (0, 0) turned about the middle: exact for the quarter and eighth turns used here
  const [c, s] = angle === 0 ? [1, 0] : [Math.SQRT1_2, Math.SQRT1_2];
  return {
    shape: { type: "rectangle", width: side, height: side },
    sampling: { points },
    pose: {
      position: [half * (s - c), -half * (s + c), height],
      ...(angle === 0 ? {} : { rotation: [0, 0, angle] }),
    },
    material: material(D),
  };
}

export function floor(friction: number): ColliderInput {
  return { name: "floor", body: { type: "plane" }, friction };
}
