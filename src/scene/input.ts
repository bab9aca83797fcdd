/**
 * What a person writes: the Scene in its looser form. parseScene turns it into the Scene that the program reads.
 *
 * Conventions of scene files, everywhere:
 * - SI units; z is up.
 * - Angles are in degrees. Whoever has radians writes { radians: x } instead of the number.
 * - A rotation is a rotation vector in degrees (its direction is the axis, its length the angle), or
 *   { axis, angle }, or { radians: [x, y, z] }.
 * - One thing stands for a list of one: `sheet` for `sheets`, `corner: top-left` for `corners: [top-left]`.
 * - null and leaving a field out mean the same.
 */
import type { SheetLook } from "./looks.ts";
import type { Vec2, Vec3 } from "./scene.ts";

/** Degrees, or { radians }. For speeds: degrees per second, or { radians } per second. */
export type AngleInput = number | { radians: number };
/** Rotation vector in degrees, axis and angle, or rotation vector in radians. */
export type RotationInput = Vec3 | { axis: Vec3; angle: AngleInput } | { radians: Vec3 };

export interface SceneInput {
  $schema?: string;
  name?: string;
  description?: string;
  seed?: number;
  seconds?: number;
  h?: number;
  solver?: "accurate" | "interactive" | "paper";
  integrator?: "euler" | "bdf2";
  constraint?: "metric" | "strain" | "paper";
  method?: "isometry" | "discrete-shells" | "quad-edges" | "triangle-edges";
  tolerance?: number;
  baseline?: { young?: number; thickness?: number; diagonalStiffness?: number };
  projection?: { geometricStiffness?: boolean; shift?: number; maxRounds?: number };
  /** true: static mode with its default stop. */
  static?: boolean | { forceTolerance?: number; maxIterations?: number } | null;
  /** A number g means [0, 0, −g]. */
  gravity?: number | Vec3;
  air?: { drag?: number; wind?: Vec3; density?: number };
  foundation?: { stiffness: number; axis?: Vec3 } | null;
  pressure?: number;
  sheet?: SheetInput;
  sheets?: SheetInput[];
  pins?: PinInput[];
  masses?: MassInput[];
  attachments?: AttachmentInput[];
  colliders?: ColliderInput[];
  contact?: { self?: boolean; friction?: number; slipSpeed?: number };
  substrate?: SubstrateInput | null;
  record?: { rate?: number; checkpoint?: number };
  view?: { camera?: "auto" | { eye: Vec3; target: Vec3; fov?: AngleInput }; ground?: boolean };
}

export interface SheetInput {
  name?: string;
  shape: ShapeInput;
  sampling?: SamplingInput;
  neighbourhood?: { rings?: number; radius?: number };
  pose?: PoseInput;
  velocity?: Vec3;
  /** Rotation vector in degrees per second, about the centroid. */
  spin?: RotationInput;
  material?: string | MaterialInput;
  noise?: number;
  look?: SheetLook;
}

export type ShapeInput =
  | { type: "rectangle"; width: number; height: number }
  | { type: "disc"; radius: number }
  | { type: "annulus"; inner: number; outer: number }
  | { type: "polygon"; points: Vec2[]; holes?: Vec2[][] }
  | { type: "tube"; radius: number; height: number }
  | { type: "mesh"; file: string; scale?: number; uv?: boolean }
  | GarmentInput;

/** Panels as written here, or those of a pattern file with `place` for where they start. */
export interface GarmentInput {
  type: "garment";
  panels?: PanelInput[];
  seams?: SeamInput[];
  /** SVG, DXF or GarmentCode file, relative to the scene. */
  file?: string;
  /** By the names of the file's panels. */
  place?: Record<string, PlaceInput>;
  /** Time in which the seams are pulled together, s; 0 welds them at the start. */
  sewing?: { seconds: number } | null;
}

export interface PanelInput {
  name: string;
  points: Vec2[];
  edges?: Record<string, Vec2>;
  holes?: Vec2[][];
  place?: PlaceInput;
}
export interface PlaceInput {
  position?: Vec3;
  rotation?: RotationInput;
  wrap?: number | null;
}
export interface SeamInput {
  from: string;
  to: string;
  reversed?: boolean;
}

/** Either `points` or `spacing`; neither for the points of a mesh. */
export interface SamplingInput {
  type?: "irregular" | "grid" | "rotated" | "mesh";
  points?: number;
  spacing?: number;
  angle?: AngleInput;
}

export type PoseInput = { position?: Vec3; rotation?: RotationInput } & (
  | { type?: "flat" }
  | { type: "cylinder"; radius: number; angle?: AngleInput }
  | { type: "cone"; halfAngle: AngleInput; apex: Vec2 }
  | { type: "arc"; span: number }
  | { type: "file"; file: string }
  | { type: "rest" }
);

/**
 * A preset, a flexural rigidity, or Young's modulus with thickness; then whatever differs from it.
 * Density is per area (kg/m²), or per volume (kg/m³) with a thickness.
 */
export interface MaterialInput {
  preset?: string | null;
  density?: number;
  volumetricDensity?: number;
  D?: number;
  young?: number;
  poisson?: number;
  membraneStiffness?: number;
  thickness?: number;
  damping?: number;
}

/** Everything named here, together. */
export interface PickInput {
  sheet?: number | string;
  corner?: string;
  corners?: string[];
  edge?: string;
  edges?: string[];
  region?: { min: Vec2; max: Vec2 };
  regions?: { min: Vec2; max: Vec2 }[];
  nearest?: Vec2 | Vec2[];
  points?: number[];
  radius?: number;
}

export interface PinInput {
  name?: string;
  at: PickInput | PickInput[];
  kind?: "pin" | "hinge" | "clamp";
  /** Letters of the held directions, such as "xz", or all three said. */
  axes?: string | { x: boolean; y: boolean; z: boolean };
  motion?: MotionInput | KeyInput[] | null;
  release?: number | null;
}

export interface KeyInput {
  time: number;
  translate?: Vec3;
  rotate?: RotationInput;
}

export interface MotionInput {
  keys?: KeyInput[];
  smooth?: boolean;
  pivot?: Vec3;
  /** Degrees per second: one `rate`, or `rates` at times. */
  spin?: { axis?: Vec3; rate?: AngleInput; rates?: { time: number; rate: AngleInput }[] } | null;
}

export interface MassInput {
  at: PickInput | PickInput[];
  mass: number;
}

export interface AttachmentInput {
  at: PickInput | PickInput[];
  target?: Vec3 | null;
  motion?: MotionInput | KeyInput[] | null;
  release?: number | null;
}

export type BodyInput =
  | { type: "plane"; normal?: Vec3 }
  | { type: "sphere"; radius: number }
  | { type: "box"; size: Vec3; rounding?: number }
  | { type: "capsule"; radius: number; length: number }
  | { type: "cylinder"; radius: number; length: number; rounding?: number }
  | { type: "cone"; radius: number; length: number; rounding?: number }
  | { type: "torus"; major: number; minor: number }
  | { type: "edge"; radius: number }
  | {
      type: "mesh";
      file: string;
      scale?: number;
      closed?: boolean;
      vertices?: string | { file: string; rate?: number; start?: number } | null;
    };

export interface ColliderInput {
  name?: string;
  body: BodyInput;
  position?: Vec3;
  rotation?: RotationInput;
  friction?: number;
  offset?: number;
  /** "file": the animation of the body's GLB file. */
  motion?: MotionInput | KeyInput[] | "file" | null;
}

export interface SubstrateInput {
  shape:
    | { type: "block"; size: Vec3; cells: Vec3; grading?: number }
    | { type: "cylinder"; radius: number; height: number; cells: number }
    | { type: "file"; file: string };
  young: number;
  poisson?: number;
  density?: number;
  position?: Vec3;
  held?: {
    face: string;
    min?: Vec3 | null;
    max?: Vec3 | null;
    axes?: string | { x: boolean; y: boolean; z: boolean };
    motion?: MotionInput | KeyInput[] | null;
  }[];
  coupling?: { spacing?: number | null; twoWay?: boolean };
}
