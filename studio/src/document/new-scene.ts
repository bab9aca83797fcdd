/** New scenes: a sheet of some shape and size, ready for bodies and pins. */
import type {
  PanelInput,
  PoseInput,
  SceneInput,
  ShapeInput,
  SheetInput,
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
        width: 1.1,
        height: 0.5,
        material: "",
        points: 700,
        above: 0.8,
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
    ...(kind === "garment" ? { contact: { self: false } } : {}),
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

/** Front and back of a skirt, bowed to half circles that meet at the hem; not sewn yet. */
function skirt({ width, height, waist, above }: NewScene): ShapeInput {
  const [hem, top] = [width / 4, waist / 4];
  const wrap = rounded(width / (2 * Math.PI));
  const panel = (name: string, turn: number): PanelInput => ({
    name,
    points: [
      [-hem, 0],
      [hem, 0],
      [top, height],
      [-top, height],
    ],
    edges: { hem: [0, 1], right: [1, 2], waist: [2, 3], left: [3, 0] },
    place: { position: [0, 0, above], rotation: [0, 0, turn], wrap },
  });
  return {
    type: "garment",
    panels: [panel("front", 0), panel("back", 180)],
    seams: [],
    sewing: { seconds: 0.3 },
  };
}
