/**
 * Garments (§6): a tank top on a spinning hanger, and a circle skirt on a moving waist, cut and sewn by our own code; and a tunic
 * whose front and back are pulled together around a body.
 *
 * Panels are drawn flat with v up; where they start is chosen so that sewn edges meet without stretch: the halves of the
 * tank top bow apart like a lens, wide enough for the hanger between them, and little bridges over its arms join the straps;
 * the halves of the skirt lie flat around the waist.
 */
import { atan2, cos, PI, sin } from "../../linalg/elementary.ts";
import type {
  ColliderInput,
  MotionInput,
  PanelInput,
  RotationInput,
  SceneInput,
} from "../input.ts";
import type { Vec2, Vec3 } from "../scene.ts";

export interface Garment {
  points?: number;
  /** Flexural rigidity, N·m. */
  D?: number;
  /** Simulated time, s. */
  seconds?: number;
}

/** m: radius of the waist, length from there to the hem, height of the waist above the floor. */
const SKIRT = { waist: 0.11, length: 0.42, height: 0.8 } as const;

/**
 * A full circle skirt on a body. It falls from level, the waist sways and turns, and the folds come to rest.
 *
 * Folds are resolved where the length on which the sheet bends under its own weight, (D/σg)^⅓, is two spacings or more: 27 mm at 3·10⁻⁵ N·m,
 * which takes 4500 points; 900 do for ten times as stiff. Softer or coarser skirts crumple instead of folding.
 */
export function skirt({ points = 4500, D = 3e-4, seconds = 5 }: Garment = {}): SceneInput {
  const { waist, length, height } = SKIRT;
  const motion: MotionInput = {
    smooth: true,
    pivot: [0, 0, height],
    keys: [
      { time: 1 },
      { time: 1.5, translate: [0.08, 0, 0], rotate: [0, 0, 40] },
      { time: 2.2, translate: [-0.08, 0, 0], rotate: [0, 0, -40] },
      { time: 2.8 },
    ],
  };
  const limb = (name: string, body: ColliderInput["body"], position: Vec3): ColliderInput => ({
    name,
    body,
    position,
    friction: 0.2,
    motion,
  });
  const leg = { type: "capsule", radius: 0.065, length: 0.6 } as const;
  return {
    seconds,
    sheet: {
      shape: {
        type: "garment",
        panels: [
          halfRing("front", waist, waist + length, PI, height),
          halfRing("back", waist, waist + length, 0, height),
        ],
        seams: [
          { from: "front:end", to: "back:start", reversed: true },
          { from: "back:end", to: "front:start", reversed: true },
        ],
      },
      sampling: { points },
      material: { density: 0.15, D, thickness: 1e-3 },
      noise: 1e-4,
    },
    air: { drag: 1 },
    contact: { self: true },
    pins: [{ name: "waist", at: { edges: ["front:waist", "back:waist"] }, motion }],
    colliders: [
      limb("trunk", { type: "capsule", radius: 0.1, length: 0.3 }, [0, 0, height]),
      limb("hips", { type: "sphere", radius: 0.145 }, [0, 0, height - 0.17]),
      limb("left leg", leg, [-0.075, 0, height - 0.48]),
      limb("right leg", leg, [0.075, 0, height - 0.48]),
    ],
  };
}

/** Half of a level ring, counter-clockwise from the angle `from` on. */
function halfRing(
  name: string,
  inner: number,
  outer: number,
  from: number,
  height: number,
): PanelInput {
  const steps = 60;
  const at = (radius: number, k: number): Vec2 => {
    const angle = from + (PI * k) / steps;
    return [radius * cos(angle), radius * sin(angle)];
  };
  const hem = Array.from({ length: steps + 1 }, (_, k) => at(outer, k));
  const waist = Array.from({ length: steps + 1 }, (_, k) => at(inner, steps - k));
  const last = 2 * steps + 1;
  return {
    name,
    points: [...hem, ...waist],
    edges: {
      hem: [0, steps],
      end: [steps, steps + 1],
      waist: [steps + 1, last],
      start: [last, 0],
    },
    place: { position: [0, 0, height], rotation: [-90, 0, 0] },
  };
}

/** m: the arms of the hanger, their fall from the middle to the ends, and its height above the floor. */
const HANGER = { radius: 0.016, span: 0.2, drop: 0.055, height: 1 } as const;
/** m, from the middle of the hem: half the width, the underarm, the straps (inner, outer) and the necks. */
const TOP = {
  half: 0.23,
  underarm: 0.36,
  strap: [0.085, 0.135],
  shoulder: 0.58,
  frontNeck: 0.4,
  backNeck: 0.5,
} as const;
/** m: half the distance of front and back at the straps; the hanger's arms and some air fit between them. */
const BOW = 0.022;

/** A tank top on a hanger that spins up, stops, and spins the other way. */
export function tankTop({ points = 3450, D = 1e-5, seconds = 4.2 }: Garment = {}): SceneInput {
  const { radius, span, drop, height } = HANGER;
  const slope = atan2(drop, span);
  const motion: MotionInput = {
    pivot: [0, 0, height],
    spin: {
      rates: [
        { time: 0.3, rate: 0 },
        { time: 1.2, rate: 540 },
        { time: 2, rate: 540 },
        { time: 2.4, rate: 0 },
        { time: 2.6, rate: 0 },
        { time: 3.3, rate: -540 },
      ],
    },
  };
  const arm = (name: string, side: number): ColliderInput => ({
    name,
    body: { type: "capsule", radius, length: Math.sqrt(span * span + drop * drop) },
    position: [(side * span) / 2, 0, height - drop / 2],
    rotation: { axis: [0, 1, 0], angle: { radians: side * (PI / 2 + slope) } },
    friction: 0.6,
    motion,
  });
  // straps over the arms: their middle is where the axis of the arm is
  const middle = (TOP.strap[0] + TOP.strap[1]) / 2;
  const at = height - (middle * drop) / span - TOP.shoulder;
  return {
    seconds,
    sheet: {
      shape: {
        type: "garment",
        panels: [
          body("front", TOP.frontNeck, 0, at),
          body("back", TOP.backNeck, 180, at),
          bridge("right shoulder", 1, slope, at),
          bridge("left shoulder", -1, slope, at),
        ],
        sewing: { seconds: 0 },
        seams: [
          { from: "front:right side", to: "back:left side", reversed: true },
          { from: "front:left side", to: "back:right side", reversed: true },
          { from: "front:right strap", to: "right shoulder:front", reversed: true },
          { from: "back:left strap", to: "right shoulder:back", reversed: true },
          { from: "front:left strap", to: "left shoulder:front", reversed: true },
          { from: "back:right strap", to: "left shoulder:back", reversed: true },
        ],
      },
      sampling: { points },
      material: { density: 0.15, D, thickness: 1e-3 },
    },
    air: { drag: 0.3 },
    contact: { self: true },
    colliders: [
      arm("right arm", 1),
      arm("left arm", -1),
      {
        name: "hook",
        body: { type: "capsule", radius: 0.004, length: 0.12 },
        position: [0, 0, height + 0.06],
        motion,
      },
    ],
  };
}

/** Front or back: hem, sides, armholes, sloping straps, neck. Bowed so that the sides of both meet in y = 0. */
function body(name: string, neck: number, turn: number, at: number): PanelInput {
  const { half, underarm, strap, shoulder } = TOP;
  const [inner, outer] = strap;
  const middle = (inner + outer) / 2;
  const fall = HANGER.drop / HANGER.span;
  const top = (u: number): number => shoulder - fall * (u - middle);
  // armhole: out of the strap downwards, into the side sideways; neck: level in the middle, steep at the strap
  const armhole = cubic(
    [half, underarm],
    [outer + 0.02, underarm + 0.01],
    [outer + 0.005, underarm + 0.1],
    [outer, top(outer)],
  );
  const neckline = cubic(
    [inner, top(inner)],
    [inner - 0.005, neck + 0.05],
    [0.06, neck],
    [0, neck],
  );
  // radius of the bow: at the middle of the strap the panel is BOW from the plane of the side seams
  const wrap = (half * half - middle * middle) / (2 * BOW);
  const back = turn === 0 ? 1 : -1;
  return {
    name,
    ...torso(half, armhole, neckline, "strap"),
    place: {
      position: [0, back * wrap * cos(half / wrap), at],
      rotation: [0, 0, turn],
      wrap,
    },
  };
}

/** A half cylinder over an arm of the hanger that joins a front strap to its back strap. */
function bridge(name: string, side: number, slope: number, at: number): PanelInput {
  const [inner, outer] = TOP.strap;
  const width = (outer - inner) / cos(slope);
  const length = PI * BOW;
  const middle = (inner + outer) / 2;
  const [c, s] = [cos(slope), sin(slope)];
  // outwards along the arm, and up from it
  const along: Vec3 = [side * c, 0, -s];
  const up: Vec3 = [side * s, 0, c];
  const over: Vec3 = [0, side, 0];
  return {
    name,
    points: [
      [0, 0],
      [length, 0],
      [length, width],
      [0, width],
    ],
    edges: side > 0 ? { front: [3, 0], back: [1, 2] } : { back: [3, 0], front: [1, 2] },
    place: {
      position: [
        side * middle + along[0] * (width / 2),
        0,
        at + TOP.shoulder + along[2] * (width / 2),
      ],
      // the panel's u goes over the arm, what faces −y faces up, and its v inwards
      rotation: rotation(over, opposite(up), opposite(along)),
      wrap: BOW,
    },
  };
}

/** m, of the tunic from the middle of its hem: half the width, underarm, shoulder (inner and outer end: u, v), necks. */
const TUNIC = {
  half: 0.22,
  underarm: 0.33,
  shoulder: [
    [0.07, 0.54],
    [0.15, 0.52],
  ],
  frontNeck: 0.48,
  backNeck: 0.515,
} as const;

/**
 * A front and a back start apart, before and behind a body; they are sewn at sides and shoulders around it, and worn. What is to meet
 * starts with nothing in between: the ends of the shoulders are above those of the body.
 */
export function tunic({ points = 1200, D = 1e-5, seconds = 2.5 }: Garment = {}): SceneInput {
  const limb = (
    name: string,
    [radius, length]: Vec2,
    z: number,
    rotation: RotationInput = [0, 0, 0],
  ): ColliderInput => ({
    name,
    body: { type: "capsule", radius, length },
    position: [0, 0, z],
    rotation,
    friction: 0.3,
  });
  return {
    seconds,
    sheet: {
      shape: {
        type: "garment",
        panels: [tunicPanel("front", TUNIC.frontNeck, 0), tunicPanel("back", TUNIC.backNeck, 180)],
        sewing: { seconds: 0.6 },
        seams: [
          { from: "front:right side", to: "back:left side", reversed: true },
          { from: "front:left side", to: "back:right side", reversed: true },
          { from: "front:right shoulder", to: "back:left shoulder", reversed: true },
          { from: "front:left shoulder", to: "back:right shoulder", reversed: true },
        ],
      },
      sampling: { points },
      material: { density: 0.15, D, thickness: 1e-3 },
    },
    air: { drag: 0.3 },
    contact: { self: true },
    colliders: [
      limb("trunk", [0.1, 0.36], 0.6),
      limb("shoulders", [0.045, 0.26], 0.85, [0, 90, 0]),
      limb("neck", [0.045, 0.2], 0.95),
    ],
  };
}

/** Front (turn 0) or back (180) of the tunic, 14 cm from the middle of the body. */
function tunicPanel(name: string, neck: number, turn: number): PanelInput {
  const { half, underarm, shoulder } = TUNIC;
  const [inner, outer] = shoulder;
  const armhole = cubic(
    [half, underarm],
    [outer[0] + 0.01, underarm + 0.02],
    [outer[0] - 0.005, underarm + 0.1],
    [outer[0], outer[1]],
  );
  const neckline = cubic(
    [inner[0], inner[1]],
    [inner[0] - 0.015, neck + 0.01],
    [0.04, neck],
    [0, neck],
  );
  return {
    name,
    ...torso(half, armhole, neckline, "shoulder"),
    place: { position: [0, turn === 0 ? -0.14 : 0.14, 0.46], rotation: [0, 0, turn] },
  };
}

/** Outline of a front or back from its right half: level hem, sides, armholes, what joins it to the other at the top, neck. */
function torso(
  half: number,
  armhole: readonly Vec2[],
  neckline: readonly Vec2[],
  top: "strap" | "shoulder",
): Pick<PanelInput, "points" | "edges"> {
  const right = [...armhole, ...neckline];
  const left = right
    .slice(0, -1)
    .reverse()
    .map(([u, v]): Vec2 => [-u, v]);
  const a = armhole.length;
  const count = 2 + right.length + left.length;
  return {
    points: [[-half, 0], [half, 0], ...right, ...left],
    edges: {
      hem: [0, 1],
      "right side": [1, 2],
      "right armhole": [2, 1 + a],
      [`right ${top}`]: [1 + a, 2 + a],
      neck: [2 + a, count - a - 1],
      [`left ${top}`]: [count - a - 1, count - a],
      "left armhole": [count - a, count - 1],
      "left side": [count - 1, 0],
    },
  };
}

function opposite([x, y, z]: Vec3): Vec3 {
  return [-x, -y, -z];
}

/** The rotation that takes the axes x, y, z to these. */
function rotation(x: Vec3, y: Vec3, z: Vec3): RotationInput {
  // unit quaternion from the largest of its four squares, which is never near 0
  const squares = [
    1 + x[0] + y[1] + z[2],
    1 + x[0] - y[1] - z[2],
    1 - x[0] + y[1] - z[2],
    1 - x[0] - y[1] + z[2],
  ];
  const largest = squares.indexOf(Math.max(...squares));
  const [a, b, c] = [y[2] - z[1], z[0] - x[2], x[1] - y[0]];
  const [d, e, f] = [y[0] + x[1], x[2] + z[0], z[1] + y[2]];
  const rows = [
    [squares[0], a, b, c],
    [a, squares[1], d, e],
    [b, d, squares[2], f],
    [c, e, f, squares[3]],
  ];
  const q = rows[largest];
  const vector = Math.sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const angle = 2 * atan2(vector, q[0]);
  const scale = vector > 0 ? angle / vector : 0;
  return { radians: [scale * q[1], scale * q[2], scale * q[3]] };
}

/** A cubic Bézier as twelve pieces. */
function cubic(a: Vec2, b: Vec2, c: Vec2, d: Vec2): Vec2[] {
  return Array.from({ length: 13 }, (_, k): Vec2 => {
    const t = k / 12;
    const r = 1 - t;
    const at = (i: 0 | 1): number =>
      r * r * r * a[i] + 3 * r * r * t * b[i] + 3 * r * t * t * c[i] + t * t * t * d[i];
    return [at(0), at(1)];
  });
}
