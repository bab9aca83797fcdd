/**
 * The Scene: WHAT to simulate, as plain data in SI units, with every default filled in.
 *
 * These types are what the rest of the program reads. What a person writes is looser (degrees, presets,
 * one `sheet` instead of a list); parseScene checks it, converts it, and lists every fault at once.
 */
import type { SheetLook } from "./looks.ts";

export { checkScene, parseScene } from "./parse.ts";
export { isProjected } from "./projected.ts";

export type Vec2 = [number, number];
export type Vec3 = [number, number, number];

export interface Scene {
  name: string;
  description: string;
  /** Seed of everything random: sampling, noise. */
  seed: number;
  /** Simulated time, s. */
  seconds: number;
  /** Time step, s. */
  h: number;
  solver: "accurate" | "interactive" | "paper";
  integrator: "euler" | "bdf2";
  /** What becomes of a pin or body that cannot go on: it is held back with a warning, or the run stops with an error. */
  stuck: "hold" | "stop";
  /** Whether a scene at rest is left as it is until something moves. */
  sleep: boolean;
  constraint: "frames" | "paper";
  /** isometry is ours; the others are the methods the paper compares with. */
  method: "isometry" | "discrete-shells" | "quad-edges" | "triangle-edges";
  /** Largest residual that a projection may leave, 1. */
  tolerance: number;
  /** Settings of `method` other than isometry. */
  baseline: {
    /** discrete-shells: Young's modulus, Pa (the bending stiffness is the sheet's D all the same). */
    young: number;
    /** discrete-shells: thickness, m, that turns Young's modulus into membrane stiffness. */
    thickness: number;
    /** quad-edges: stiffness of the diagonal springs, N/m. */
    diagonalStiffness: number;
  };
  /** Settings of solver: paper. */
  projection: {
    geometricStiffness: boolean;
    shift: number;
    maxRounds: number;
    slack: boolean;
    everyStep: boolean;
    bending: "edges" | "points";
  };
  /** Static mode: look for equilibrium instead of stepping through time. */
  static: { forceTolerance: number; maxIterations: number } | null;
  /** m/s² */
  gravity: Vec3;
  air: {
    /** Linear drag per area, N·s/m³: force −drag·A·(v − wind). */
    drag: number;
    /** m/s */
    wind: Vec3;
    /** kg/m³; pressure ½·density·|vₙ|·vₙ on the normal component of v − wind. 0 turns it off. */
    density: number;
  };
  /** Elastic foundation: force −stiffness·A·(x − x₀)·axis along axis. */
  foundation: { stiffness: number; axis: Vec3 } | null;
  /** Pa, along the normals of the triangles. */
  pressure: number;
  sheets: SheetScene[];
  pins: Pin[];
  masses: HungMass[];
  attachments: Attachment[];
  colliders: Collider[];
  contact: {
    /** Sheet against itself and other sheets. */
    self: boolean;
    /** Coulomb friction between layers, 1. */
    friction: number;
    /** Layers that stick give way by as much as this speed makes in a step, m/s. */
    slipSpeed: number;
  };
  substrate: Substrate | null;
  record: {
    /** Frames per second of simulated time. */
    rate: number;
    /** Seconds of simulated time between checkpoints. */
    checkpoint: number;
  };
  view: { camera: "auto" | { eye: Vec3; target: Vec3; fov: number }; ground: boolean };
}

export interface SheetScene {
  name: string;
  shape: Shape;
  sampling: Sampling;
  neighbourhood: { rings: number } | { radius: number };
  pose: Pose;
  /** m/s, of every point. */
  velocity: Vec3;
  /** rad/s, rotation vector about the centroid. */
  spin: Vec3;
  material: Material;
  /** Natural curvature: that of the start pose, or one of 1/m that curves in a direction of the material, rad; null: flat. */
  curvature: "pose" | { value: number; angle: number } | null;
  /** Amplitude of random displacement of the start pose along z, m. */
  noise: number;
  /** Colours and print in pictures; left out: by the material. */
  look?: SheetLook;
}

export type Shape =
  | { type: "rectangle"; width: number; height: number }
  | { type: "disc"; radius: number }
  | { type: "annulus"; inner: number; outer: number }
  | { type: "polygon"; points: Vec2[]; holes: Vec2[][] }
  | { type: "tube"; radius: number; height: number }
  | { type: "mesh"; file: string; scale: number; uv: boolean }
  | {
      type: "garment";
      panels: Panel[];
      seams: Seam[];
      /**
       * The seams are pulled together in this time, s; 0 welds them at the start. Null welds edges that meet at the start and pulls
       * together those that do not.
       */
      sewing: { seconds: number } | null;
    };

export interface Panel {
  name: string;
  /** Outline, counter-clockwise; edges are named e0, e1, … or by `edges`. Curves are polylines here. */
  points: Vec2[];
  /** Edge name → [first vertex, last vertex] along the outline. */
  edges: Record<string, [number, number]>;
  holes: Vec2[][];
  /** Where the panel starts in space; `wrap` rolls it around a vertical axis of this radius. */
  place: { position: Vec3; rotation: Vec3; wrap: number | null };
  /** rad, direction of the grain (the warp) from v, counter-clockwise; along v if left out. Pictures and exports read it. */
  grain?: number;
}
export interface Seam {
  /** "panel:edge" */
  from: string;
  to: string;
  reversed: boolean;
}

export type Sampling = { type: "irregular" | "grid" | "rotated" | "mesh"; angle: number } & (
  | { points: number }
  | { spacing: number }
);

/** The start pose. Flat sheets lie in the material plane; position and rotation (vector, rad) come last. */
export type Pose = { position: Vec3; rotation: Vec3 } & (
  | { type: "flat" }
  /** Rolled onto a cylinder of that radius whose axis makes `angle` (rad) with the v direction. */
  | { type: "cylinder"; radius: number; angle: number }
  /** Rolled onto a cone of half apex angle (rad), apex at the material point `apex`. */
  | { type: "cone"; halfAngle: number; apex: Vec2 }
  /** Circular arc along u whose ends are `span` apart. */
  | { type: "arc"; span: number }
  /** Positions from an OBJ or PLY file with as many points. */
  | { type: "file"; file: string }
  /** The rest shape in space (tubes, meshes, garments). */
  | { type: "rest" }
);

export interface Material {
  preset: string | null;
  /** Areal density σ, kg/m². */
  density: number;
  /** Flexural rigidity D, N·m. */
  D: number;
  /** Poisson's ratio ν of bending. */
  poisson: number;
  /** Membrane stiffness K_m, N/m. */
  membraneStiffness: number;
  /** Contact thickness, m. */
  thickness: number;
  /** Bending damping time, s: stress gains damping × rate of curvature. */
  damping: number;
}

/** Which points of a sheet. Unions of everything given. */
export interface Pick {
  /** Name or index of the sheet. */
  sheet: number;
  corners: string[];
  edges: string[];
  /** Boxes in uv. */
  regions: { min: Vec2; max: Vec2 }[];
  /** The points nearest to these uv. */
  nearest: Vec2[];
  points: number[];
  /** All points within this distance (m, in uv) of those above count as well. */
  radius: number;
}

export interface Pin {
  name: string;
  at: Pick;
  /** pin and hinge hold positions; clamp holds the tangent plane too. */
  kind: "pin" | "hinge" | "clamp";
  /** Held directions. */
  axes: { x: boolean; y: boolean; z: boolean };
  motion: Motion | null;
  /** s; null: never. */
  release: number | null;
}

/** Prescribed rigid motion: keyframes, and a steady spin on top. */
export interface Motion {
  /** Times rise; between keys linear (or smooth). Rotation vector in rad about `pivot`. */
  keys: { time: number; translate: Vec3; rotate: Vec3 }[];
  smooth: boolean;
  pivot: Vec3;
  /** Keyframed angular speed about `axis` through pivot: rate in rad/s at times; linear between. */
  spin: { axis: Vec3; rates: { time: number; rate: number }[] } | null;
}

export interface HungMass {
  at: Pick;
  /** kg, shared by the picked points. */
  mass: number;
}

/** The mean position of a patch of points follows a target (§6 Skin). */
export interface Attachment {
  at: Pick;
  /** null: where the patch starts. */
  target: Vec3 | null;
  motion: Motion | null;
  release: number | null;
}

export type Body =
  | { type: "plane"; normal: Vec3 }
  | { type: "sphere"; radius: number }
  | { type: "box"; size: Vec3; rounding: number }
  | { type: "capsule"; radius: number; length: number }
  | { type: "cylinder"; radius: number; length: number; rounding: number }
  | { type: "cone"; radius: number; length: number; rounding: number }
  | { type: "torus"; major: number; minor: number }
  /** Quarter-round edge of a table: half space x ≤ 0, z ≤ 0 with its edge rounded, along y. */
  | { type: "edge"; radius: number }
  | {
      type: "mesh";
      file: string;
      scale: number;
      closed: boolean;
      /** The vertices move as the frames of this file: PC2, MDD, or GLB with skin, morph targets or moving nodes. */
      vertices: {
        file: string /** Frames per second of PC2 files. */;
        rate: number /** s, time of the first frame. */;
        start: number;
      } | null;
    };

export interface Collider {
  name: string;
  body: Body;
  position: Vec3;
  /** Rotation vector, rad. */
  rotation: Vec3;
  friction: number;
  /** Extra distance kept from the body, m. */
  offset: number;
  motion: Motion | null;
}

export interface Substrate {
  shape: /** `grading`: how many times thicker the lowest layer of cells is than the uppermost. */
    | { type: "block"; size: Vec3; cells: Vec3; grading: number }
    | { type: "cylinder"; radius: number; height: number; cells: number }
    | { type: "file"; file: string };
  young: number;
  poisson: number;
  density: number;
  position: Vec3;
  /** Faces or patches moved by prescribed motion. */
  held: {
    face: string;
    min: Vec3 | null;
    max: Vec3 | null;
    axes: { x: boolean; y: boolean; z: boolean };
    motion: Motion | null;
  }[];
  coupling: { spacing: number | null; twoWay: boolean };
}
