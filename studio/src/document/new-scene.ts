/** New scenes: a sheet of some shape and size, ready for bodies and pins. */
import type {
  PanelInput,
  PoseInput,
  SceneInput,
  ShapeInput,
  SheetInput,
  Vec2,
  Vec3,
} from "../../../src/index.ts";
import { rounded } from "./edits.ts";

export const NEW_KINDS = [
  { kind: "rectangle", name: "Rectangle", says: "a cloth, a flag, a sheet of paper" },
  { kind: "disc", name: "Disc", says: "a round tablecloth, a membrane" },
  { kind: "strip", name: "Strip", says: "a scarf, a ribbon, a beam" },
  { kind: "garment", name: "Skirt", says: "two panels, to be sewn" },
] as const;
export type NewKind = (typeof NEW_KINDS)[number]["kind"];

export interface NewScene {
  readonly kind: NewKind;
  readonly name: string;
  /** m: width; the diameter of a disc; the length of a strip; the hem of a skirt, all around. */
  readonly width: number;
  /** m: height; the width of a strip; the length of a skirt. */
  readonly height: number;
  /** m: the waist of a skirt, all around. */
  readonly waist: number;
  /** Name of a preset; empty for cloth of 200 g/m² that folds softly (the default of scenes). */
  readonly material: string;
  readonly points: number;
  /** m, of the lowest edge above the floor. */
  readonly above: number;
  readonly upright: boolean;
  readonly floor: boolean;
}

/** What a new scene of a kind is if nothing is changed. */
export function defaultsOf(kind: NewKind): NewScene {
  const common = { kind, waist: 0.7, above: 0.75, upright: false, floor: true } as const;
  switch (kind) {
    case "rectangle":
      return { ...common, name: "cloth", width: 1, height: 1, material: "", points: 900 };
    case "disc":
      return {
        ...common,
        name: "round cloth",
        width: 1.2,
        height: 1.2,
        material: "",
        points: 900,
      };
    case "strip":
      return { ...common, name: "strip", width: 1.2, height: 0.25, material: "silk", points: 600 };
    case "garment":
      return {
        ...common,
        name: "skirt",
        width: 1.8,
        height: 0.5,
        material: "",
        points: 900,
        above: 0.55,
        floor: true,
      };
  }
}

export function newScene(options: NewScene): SceneInput {
  const { kind, name, material, points, floor } = options;
  const made = material === "" ? {} : { material };
  const sheet: SheetInput =
    kind === "garment"
      ? { shape: skirt(options), sampling: { points }, ...made }
      : {
          shape: flatShape(options),
          sampling: { points },
          pose: startPose(options),
          ...made,
          // a flat sheet that is loaded in its own plane has no side to buckle to
          ...(options.upright ? { noise: 1e-4 } : {}),
        };
  return {
    name,
    description: `${material || "cloth"}, made in the studio`,
    solver: "interactive",
    seconds: 4,
    sheet,
    air: { drag: 1.5 },
    // a garment is pulled together from panels that may start through each other
    contact: { self: kind !== "garment" },
    ...(floor ? { colliders: [{ name: "floor", body: { type: "plane" }, friction: 0.5 }] } : {}),
  };
}

function flatShape({ kind, width, height }: NewScene): ShapeInput {
  return kind === "disc"
    ? { type: "disc", radius: width / 2 }
    : { type: "rectangle", width, height };
}

/** The middle of the sheet is above the origin. */
function startPose({ kind, width, height, above, upright }: NewScene): PoseInput {
  const rotation: { rotation?: Vec3 } = upright ? { rotation: [90, 0, 0] } : {};
  if (kind === "disc")
    return { position: [0, 0, rounded(above + (upright ? width / 2 : 0))], ...rotation };
  const position: Vec3 = upright ? [-width / 2, 0, above] : [-width / 2, -height / 2, above];
  return { position: position.map(rounded) as Vec3, ...rotation };
}

/** Sides of the polygon that stands for the arc of a hem or a waist. */
const ARC = 10;

/**
 * The outline of half a skirt that is sewn to a cone: a piece of a ring, so that hem and waist hang level. From the left end of
 * the hem around; the lowest point is at v = 0.
 */
function halfSkirt({ width, height, waist }: NewScene): Vec2[] {
  const [hem, top] = [width / 2, waist / 2];
  // rad, the opening of the ring; a tube has none
  const opening = (hem - top) / height;
  if (Math.abs(opening) < 1e-3)
    return [
      [-hem / 2, 0],
      [hem / 2, 0],
      [hem / 2, height],
      [-hem / 2, height],
    ];
  const [outer, inner] = [hem / opening, top / opening];
  const arc = (radius: number, way: number): Vec2[] =>
    Array.from({ length: ARC + 1 }, (_, k): Vec2 => {
      const angle = way * opening * (k / ARC - 0.5);
      return [radius * Math.sin(angle), outer - radius * Math.cos(angle)];
    });
  const outline = [...arc(outer, 1), ...arc(inner, -1)];
  const lowest = Math.min(...outline.map(([, v]) => v));
  return outline.map(([u, v]) => [rounded(u), rounded(v - lowest)]);
}

/** Front and back of a skirt, bowed to half circles that meet at the hem; not sewn yet. */
function skirt(options: NewScene): ShapeInput {
  const { width, above } = options;
  const wrap = rounded(width / (2 * Math.PI));
  const points = halfSkirt(options);
  const [hem, last] = [points.length / 2 - 1, points.length - 1];
  const panel = (name: string, turn: number): PanelInput => ({
    name,
    points,
    edges: { hem: [0, hem], right: [hem, hem + 1], waist: [hem + 1, last], left: [last, 0] },
    place: { position: [0, 0, above], rotation: [0, 0, turn], wrap },
  });
  return {
    type: "garment",
    panels: [panel("front", 0), panel("back", 180)],
    seams: [],
    sewing: { seconds: 0.2 },
  };
}
