/**
 * What a person writes: the Scene in its looser form. parseScene turns it into the Scene that the program reads.
 *
 * Conventions of scene files, everywhere:
 * - SI units; z is up.
 * - Angles are in degrees; for radians write { radians: x } instead of the number.
 * - A rotation is a rotation vector in degrees (its direction is the axis, its length the angle), or
 *   { axis, angle }, or { radians: [x, y, z] }.
 * - One thing stands for a list of one: `sheet` for `sheets`, `corner: top-left` for `corners: [top-left]`.
 * - null and leaving a field out mean the same.
 */
import type { SheetLook } from "./looks.ts";
import type { Vec2, Vec3 } from "./scene.ts";

/** Degrees, or { radians }. For speeds: degrees per second, or { radians } per second. */
export type AngleInput =
  | number
  | {
      /** The same in radians. (rad) -630 … 630. */
      radians: number;
    };
/** Rotation vector in degrees, axis and angle, or rotation vector in radians. */
export type RotationInput =
  | Vec3
  | {
      /** Axis of rotation, of any length. */
      axis: Vec3;

      /** Angle about the axis. Degrees. -36000 … 36000. */
      angle: AngleInput;
    }
  | { radians: Vec3 };

export interface SceneInput {
  /** Address of this schema, for editors. */
  $schema?: string;

  /** Name of the scene. */
  name?: string;

  /** What it shows. */
  description?: string;

  /** Seed of everything random. 0 … 4294967295. Default: 1. */
  seed?: number;

  /** Simulated time. (s) 0 … 100000. Default: 4. */
  seconds?: number;

  /** Time step; 1/240 if accurate, 1/60 if interactive, 0.001 if paper. (s) 0.000001 … 0.1. */
  h?: number;

  /** How to step. Default: accurate. */
  solver?: "accurate" | "interactive" | "paper";

  /** Time integration: implicit Euler, or the second order of BDF2, which loses a tenth of the energy; a sheet goes by Euler while something touches or leads it, near rest, in steps taken in halves, where it would gain energy, and with attachments or a substrate. bdf2 if accurate and not projected, else euler. */
  integrator?: "euler" | "bdf2";

  /** A pin or body that cannot go on is held back with a warning, or stops the run with an error. Default: hold. */
  stuck?: "hold" | "stop";

  /** A scene at rest is left as it is until something moves, at no cost. Default: true. */
  sleep?: boolean;

  /** What is kept: the arcs of samples with frames, or the paper's trace and determinant of the averaged F. Default: frames. */
  constraint?: "frames" | "paper";

  /** Ours, or one to compare with. Default: isometry. */
  method?: "isometry" | "discrete-shells" | "quad-edges" | "triangle-edges";

  /** Largest residual that a projection may leave (solver: paper, quad-edges, triangle-edges). 1e-8 … 1. Default: 0.01. */
  tolerance?: number;

  /** Settings of the methods to compare with. */
  baseline?: {
    /** discrete-shells: Young's modulus. (Pa) 100 … 10000000000000. Default: 1000000. */
    young?: number;

    /** discrete-shells: thickness. (m) 0.000001 … 0.05. Default: 0.001. */
    thickness?: number;

    /** quad-edges: stiffness of the diagonals. (N/m) 0 … 1000000000. Default: 1. */
    diagonalStiffness?: number;
  };

  /** Settings of solver: paper. */
  projection?: {
    /** Regularise with geometric stiffness. Default: true. */
    geometricStiffness?: boolean;

    /** Relative shift of the diagonal. 0 … 1. Default: 1e-8. */
    shift?: number;

    /** Most rounds a step. 1 … 10000. Default: 50. */
    maxRounds?: number;

    /** Rows give way in proportion to the tolerance; the paper's do not. Default: true. */
    slack?: boolean;

    /** Project also where the prediction is within the tolerance; the paper does not. Default: true. */
    everyStep?: boolean;

    /** Rows of L in the bending energy ½k‖LY‖²: one per interior edge, at the exact energy of cylinders; or one per point, cotangents as the paper writes it. Default: edges. */
    bending?: "edges" | "points";
  };

  /** Look for equilibrium instead of stepping through time. */
  static?:
    | boolean
    | {
        /** Largest force left, relative to the load. 1e-15 … 1. Default: 0.000001. */
        forceTolerance?: number;

        /** Most Newton iterations. 1 … 1000000. Default: 1000. */
        maxIterations?: number;
      }
    | null;

  /** Gravity (m/s²): downwards, or a vector. -1000 … 1000. Default: 9.81. */
  gravity?: number | Vec3;

  /** Air. */
  air?: {
    /** Linear drag per area. (N·s/m³) 0 … 1000000. Default: 0. */
    drag?: number;

    /** Wind. (m/s) */
    wind?: Vec3;

    /** Of the air, for pressure on the normal; 0 turns it off, 1.2 is air. (kg/m³) 0 … 10000. Default: 0. */
    density?: number;
  };

  /** Springs per area to the start pose. */
  foundation?: {
    /** Spring stiffness per area. (N/m³) 0 … 1000000000000. */
    stiffness: number;

    /** Direction; z by default. */
    axis?: Vec3;
  } | null;

  /** Pressure along the normals. (Pa) -10000000 … 10000000. Default: 0. */
  pressure?: number;

  /** The sheet, if there is one only. */
  sheet?: SheetInput;

  /** The sheets. */
  sheets?: SheetInput[];

  /** Pins, hinges and clamps. */
  pins?: PinInput[];

  /** Hung masses. */
  masses?: MassInput[];

  /** Mean positions of patches that follow a target. */
  attachments?: AttachmentInput[];

  /** Bodies. */
  colliders?: ColliderInput[];

  /** Contact between layers. */
  contact?: {
    /** Sheets against themselves and each other. Default: false. */
    self?: boolean;

    /** Coulomb friction. 0 … 10. Default: 0.3. */
    friction?: number;

    /** Layers that stick give way by as much as this speed makes in a step. (m/s) 0.000001 … 10. Default: 0.005. */
    slipSpeed?: number;
  };

  /** An elastic solid under the sheet. */
  substrate?: SubstrateInput | null;

  /** What to record. */
  record?: {
    /** Frames per second of simulated time. (1/s) 0.001 … 1000000. Default: 30. */
    rate?: number;

    /** Simulated time between checkpoints; frames that took long are followed by one in any case. (s) 0.001 … 100000. Default: 1. */
    checkpoint?: number;
  };

  /** How pictures show it. */
  view?: {
    /** Camera. Default: auto. */
    camera?:
      | "auto"
      | {
          /** Where the camera is. (m) */
          eye: Vec3;

          /** What it looks at. (m) */
          target: Vec3;

          /** Vertical field of view. Degrees. -36000 … 36000. */
          fov?: AngleInput;
        };

    /** Draw a ground. Default: true. */
    ground?: boolean;
  };
}

export interface CurvatureInput {
  /** Curvature, towards the front if positive. (1/m) -1000 … 1000. */
  value: number;

  /** Direction in the material that is curved, from u. Degrees. -36000 … 36000. */
  angle?: AngleInput;
}

export interface SheetInput {
  /** Name of the sheet. */
  name?: string;

  /** Outline of the sheet. A rectangle spans [0, width] × [0, height]; discs are centred on the origin. */
  shape: ShapeInput;

  /** Where the points are: `points` or `spacing`. */
  sampling?: SamplingInput;

  /** Which points a constraint averages over: `rings` or `radius`. */
  neighbourhood?: {
    /** Rings of triangles. 1 … 4. Default: 1. */
    rings?: number;

    /** Or all points this near. (m) 0.0001 … 10. */
    radius?: number;
  };

  /** Start pose: flat or rolled, then rotated about the origin and moved. Default: flat, and rest for tubes, meshes and garments. */
  pose?: PoseInput;

  /** Of every point at the start. (m/s) */
  velocity?: Vec3;

  /** Rotation at the start, per second, about the centroid. A rotation vector in °/s, { axis, angle } or { radians: [x, y, z] }. */
  spin?: RotationInput;

  /** A preset, and what differs from it. */
  material?: string | MaterialInput;

  /** Natural curvature, which the sheet has where nothing loads it: that of its start pose, or a given one. Flat if left out. */
  curvature?: "pose" | CurvatureInput | null;

  /** Amplitude of random displacement along z at the start. (m) 0 … 1. Default: 0. */
  noise?: number;

  /** Colours and print in pictures; by the material if left out. */
  look?: SheetLook;
}

export type ShapeInput =
  | {
      type: "rectangle";

      /** Along u. (m) 0.001 … 100. */
      width: number;

      /** Along v. (m) 0.001 … 100. */
      height: number;
    }
  | {
      type: "disc";

      /** Radius. (m) 0.001 … 100. */
      radius: number;
    }
  | {
      type: "annulus";

      /** Inner radius. (m) 0.001 … 100. */
      inner: number;

      /** Outer radius. (m) 0.001 … 100. */
      outer: number;
    }
  | {
      type: "polygon";

      /** Outline, counter-clockwise (m). */
      points: Vec2[];

      /** Outlines of holes (m). */
      holes?: Vec2[][];
    }
  | {
      type: "tube";

      /** Radius. (m) 0.001 … 100. */
      radius: number;

      /** Height. (m) 0.001 … 100. */
      height: number;
    }
  | {
      type: "mesh";

      /** OBJ, PLY or GLB file, relative to the scene. */
      file: string;

      /** Metres per unit of the file. 0.000001 … 1000000. Default: 1. */
      scale?: number;

      /** Take the rest shape from the texture coordinates. Default: false. */
      uv?: boolean;
    }
  | GarmentInput;

/** Panels as written here, or those of a pattern file with `place` for where they start. */
export interface GarmentInput {
  type: "garment";

  /** Panels. */
  panels?: PanelInput[];

  /** Seams. */
  seams?: SeamInput[];

  /** Pattern in SVG, DXF or GarmentCode, instead of panels. */
  file?: string;

  /** Where panels of the file start, by name; else as drawn. */
  place?: Record<string, PlaceInput>;

  /** Pulls the seams together over time. Default: welded at the start where sewn edges meet; where they start apart, pulled together in 0.5 s. */
  sewing?: {
    /** Until the edges meet; 0 welds them at the start, wherever they are. (s) 0 … 60. */
    seconds: number;
  } | null;
}

export interface PanelInput {
  /** Name of the panel. */
  name: string;

  /** Outline, counter-clockwise (m). */
  points: Vec2[];

  /** Names of stretches of the outline: [first vertex, last vertex]. */
  edges?: Record<string, Vec2>;

  /** Outlines of holes (m). */
  holes?: Vec2[][];

  /** Where it starts in space. */
  place?: PlaceInput;

  /** Direction of the grain (the warp) from v, counter-clockwise. Turns prints, images and exported UV; the simulation does not read it. Degrees. -36000 … 36000. */
  grain?: AngleInput;
}
export interface PlaceInput {
  /** Position. (m) */
  position?: Vec3;

  /** Rotation. A rotation vector in °, { axis, angle } or { radians: [x, y, z] }. */
  rotation?: RotationInput;

  /** Radius of the vertical cylinder that it is rolled around. (m) 0.001 … 100. */
  wrap?: number | null;
}
export interface SeamInput {
  /** panel:edge */
  from: string;

  /** panel:edge */
  to: string;

  /** Run along the second edge backwards. Default: false. */
  reversed?: boolean;
}

/** Either `points` or `spacing`; neither for the points of a mesh. */
export interface SamplingInput {
  /** irregular: blue noise by the seed; mesh: the file's own points. Default: irregular. */
  type?: "irregular" | "grid" | "rotated" | "mesh";

  /** Number of points. 4 … 1000000. Default: 662. */
  points?: number;

  /** Distance of points, instead. (m) 0.0001 … 1. */
  spacing?: number;

  /** Of a rotated grid. Degrees. -36000 … 36000. */
  angle?: AngleInput;
}

export type PoseInput = {
  /** Position. (m) */
  position?: Vec3;

  /** Rotation about the origin, before it is moved. A rotation vector in °, { axis, angle } or { radians: [x, y, z] }. */
  rotation?: RotationInput;
} & (
  | { type?: "flat" }
  | {
      type: "cylinder";

      /** Radius; negative rolls down. (m) -100 … 100. */
      radius: number;

      /** Of the axis against the v direction. Degrees. -36000 … 36000. */
      angle?: AngleInput;
    }
  | {
      type: "cone";

      /** Half apex angle. Degrees. -36000 … 36000. */
      halfAngle: AngleInput;

      /** Material point of the apex. (m) */
      apex: Vec2;
    }
  | {
      type: "arc";

      /** Distance of the ends. (m) 0.001 … 100. */
      span: number;
    }
  | {
      type: "file";

      /** OBJ or PLY file with as many points. */
      file: string;
    }
  | { type: "rest" }
);

/**
 * A preset, a flexural rigidity, or Young's modulus with thickness; then whatever differs from it.
 * Density is per area (kg/m²), or per volume (kg/m³) with a thickness.
 */
export interface MaterialInput {
  /** A named material. */
  preset?: string | null;

  /** Areal density. (kg/m²) 0.0001 … 100. Default: 0.2. */
  density?: number;

  /** Density per volume, instead of density; needs thickness. (kg/m³) 1 … 30000. */
  volumetricDensity?: number;

  /** Flexural rigidity. (N·m) 1e-12 … 10000. Default: 0.0001. */
  D?: number;

  /** Young's modulus, instead of D; needs thickness. (Pa) 100 … 10000000000000. */
  young?: number;

  /** Poisson's ratio. 0 … 0.5. Default: 0.3. */
  poisson?: number;

  /** Membrane stiffness, Young's modulus times thickness; by default so large that its stretch is not seen. (N/m) 0.001 … 1000000000000. */
  membraneStiffness?: number;

  /** Thickness. (m) 0.000001 … 0.05. Default: 0.001. */
  thickness?: number;

  /** Damping time of bending. (s) 0 … 100. Default: 0. */
  damping?: number;
}

/** Everything named here, together. */
export interface PickInput {
  /** Name or number of the sheet. 0 … 99. Default: 0. */
  sheet?: number | string;

  /** Name of a corner: top-left, top-right, bottom-left, bottom-right. */
  corner?: string;

  /** Corners. */
  corners?: string[];

  /** Name of an edge: left, right, top, bottom, inner, outer, panel:edge … */
  edge?: string;

  /** Edges. */
  edges?: string[];

  /** A box in material coordinates. */
  region?: {
    /** Material coordinates [u, v]. (m) */
    min: Vec2;

    /** Material coordinates [u, v]. (m) */
    max: Vec2;
  };

  /** Boxes in material coordinates. */
  regions?: {
    /** Material coordinates [u, v]. (m) */
    min: Vec2;

    /** Material coordinates [u, v]. (m) */
    max: Vec2;
  }[];

  /** The points nearest to these material coordinates. */
  nearest?: Vec2 | Vec2[];

  /** Points by number. */
  points?: number[];

  /** All points this near to the others count as well. A pin with a radius holds its patch of the sheet whole, direction and all, however few points lie in it. (m) 0 … 10. Default: 0. */
  radius?: number;
}

export interface PinInput {
  /** Its name in messages and for programs. */
  name?: string;

  /** Which points of a sheet. */
  at: PickInput | PickInput[];

  /** clamp holds the tangent plane too. Default: pin. */
  kind?: "pin" | "hinge" | "clamp";

  /** Held directions. Default: xyz. */
  axes?:
    | string
    | {
        /** x is held. */
        x: boolean;

        /** y is held. */
        y: boolean;

        /** z is held. */
        z: boolean;
      };

  /** Prescribed rigid motion. */
  motion?: MotionInput | KeyInput[] | null;

  /** When it lets go; never by default. (s) 0 … 100000. */
  release?: number | null;
}

export interface KeyInput {
  /** When. (s) 0 … 100000. */
  time: number;

  /** Translation since the start. (m) */
  translate?: Vec3;

  /** Rotation since the start, about the pivot. A rotation vector in °, { axis, angle } or { radians: [x, y, z] }. */
  rotate?: RotationInput;
}

export interface MotionInput {
  /** Keyframes; times rise. Before the first one nothing moves. */
  keys?: KeyInput[];

  /** Ease in and out between keys. Default: false. */
  smooth?: boolean;

  /** Centre of rotation: of bodies their position, else the origin. (m) */
  pivot?: Vec3;

  /** Spin about an axis through the pivot, on top of the keys. */
  spin?: {
    /** Axis; z by default. */
    axis?: Vec3;

    /** Angular speed. Degrees per second. -36000 … 36000. */
    rate?: AngleInput;

    /** Angular speed at times; linear between. */
    rates?: {
      /** When. (s) 0 … 100000. */
      time: number;

      /** Angular speed. Degrees per second. -36000 … 36000. */
      rate: AngleInput;
    }[];
  } | null;
}

export interface MassInput {
  /** Which points of a sheet. */
  at: PickInput | PickInput[];

  /** Shared by the points. (kg) 0 … 10000. */
  mass: number;
}

export interface AttachmentInput {
  /** Which points of a sheet. */
  at: PickInput | PickInput[];

  /** Where their mean position goes; where it starts by default. (m) */
  target?: Vec3 | null;

  /** Prescribed rigid motion. */
  motion?: MotionInput | KeyInput[] | null;

  /** When it lets go; never by default. (s) 0 … 100000. */
  release?: number | null;
}

export type BodyInput =
  | {
      type: "plane";

      /** Points out; z by default. */
      normal?: Vec3;
    }
  | {
      type: "sphere";

      /** Radius. (m) 0.001 … 100. */
      radius: number;
    }
  | {
      type: "box";

      /** Full lengths. (m) */
      size: Vec3;

      /** Radius of its edges. (m) 0 … 10. Default: 0. */
      rounding?: number;
    }
  | {
      type: "capsule";

      /** Radius. (m) 0.001 … 100. */
      radius: number;

      /** Of the axis, along z. (m) 0.001 … 100. */
      length: number;
    }
  | {
      type: "cylinder";

      /** Radius. (m) 0.001 … 100. */
      radius: number;

      /** Along z. (m) 0.001 … 100. */
      length: number;

      /** Radius of its edges. (m) 0 … 10. Default: 0. */
      rounding?: number;
    }
  | {
      type: "cone";

      /** Radius of the base. (m) 0.001 … 100. */
      radius: number;

      /** Along z, to the apex. (m) 0.001 … 100. */
      length: number;

      /** Radius of its edges. (m) 0 … 10. Default: 0. */
      rounding?: number;
    }
  | {
      type: "torus";

      /** Radius of the ring, in the xy plane. (m) 0.001 … 100. */
      major: number;

      /** Radius of its tube. (m) 0.001 … 100. */
      minor: number;
    }
  | {
      type: "edge";

      /** Radius of the rounded edge of a table. (m) 0.001 … 100. */
      radius: number;
    }
  | {
      type: "mesh";

      /** OBJ, PLY, STL or GLB file, relative to the scene; set.glb#chair is one object of it. */
      file: string;

      /** Metres per unit of the file. 0.000001 … 1000000. Default: 1. */
      scale?: number;

      /** Has an inside. Default: true. */
      closed?: boolean;

      /** The vertices move as the frames of this file: PC2, MDD, or GLB with a skin, morph targets or moving nodes. */
      vertices?:
        | string
        | {
            /** PC2, MDD or GLB file, relative to the scene. */
            file: string;

            /** Frames per second of a PC2 file, which has no times. (1/s) 0.01 … 10000. Default: 24. */
            rate?: number;

            /** Time of the first frame. (s) -100000 … 100000. Default: 0. */
            start?: number;
          }
        | null;
    };

export interface ColliderInput {
  /** Its name in messages and for programs. */
  name?: string;

  /** Shape, in its own coordinates. */
  body: BodyInput;

  /** Position. (m) */
  position?: Vec3;

  /** Rotation. A rotation vector in °, { axis, angle } or { radians: [x, y, z] }. */
  rotation?: RotationInput;

  /** Coulomb friction. 0 … 10. Default: 0.3. */
  friction?: number;

  /** Extra distance kept from the body. (m) 0 … 1. Default: 0. */
  offset?: number;

  /** Prescribed rigid motion; "file": as the body's GLB file is animated. */
  motion?: MotionInput | KeyInput[] | "file" | null;
}

export interface SubstrateInput {
  /** The solid under the sheet. */
  shape:
    | {
        type: "block";

        /** Full lengths. (m) */
        size: Vec3;

        /** Cells along x, y and z. */
        cells: Vec3;

        /** How many times thicker the lowest layer of cells is than the uppermost. 0.01 … 100. Default: 1. */
        grading?: number;
      }
    | {
        type: "cylinder";

        /** Radius. (m) 0.001 … 100. */
        radius: number;

        /** Height. (m) 0.001 … 100. */
        height: number;

        /** Cells along a direction. 1 … 1000. */
        cells: number;
      }
    | {
        type: "file";

        /** Tetrahedral mesh. */
        file: string;
      };

  /** Young's modulus. (Pa) 1 … 1000000000000. */
  young: number;

  /** Poisson's ratio. 0 … 0.499. Default: 0.45. */
  poisson?: number;

  /** Density. (kg/m³) 1 … 30000. Default: 1000. */
  density?: number;

  /** Position. (m) */
  position?: Vec3;

  /** Faces or boxes of points that are held or moved. */
  held?: {
    /** Name of a face, or any name for a box given by min and max. */
    face: string;

    /** Position. (m) */
    min?: Vec3 | null;

    /** Position. (m) */
    max?: Vec3 | null;

    /** Held directions. Default: xyz. */
    axes?:
      | string
      | {
          /** x is held. */
          x: boolean;

          /** y is held. */
          y: boolean;

          /** z is held. */
          z: boolean;
        };

    /** Prescribed rigid motion. */
    motion?: MotionInput | KeyInput[] | null;
  }[];

  /** How the sheet is attached to the solid. */
  coupling?: {
    /** Distance of the attachments. (m) 0.0001 … 10. */
    spacing?: number | null;

    /** The sheet pulls the solid too. Default: false. */
    twoWay?: boolean;
  };
}
