/** Schema of what holds, moves, hits and carries the sheets: motions, picks, pins, masses, bodies, the substrate. */
import * as z from "zod/mini";
import { DEFAULTS, MOST_POINTS } from "./defaults.ts";
import {
  angle,
  choice,
  count,
  direction,
  fields,
  file,
  flag,
  friction,
  list,
  maybe,
  needs,
  optional,
  place,
  point2,
  quantity,
  rotation,
  scale,
  size,
  text,
  time,
  told,
  variant,
  vec3,
} from "./fields.ts";
import type {
  AttachmentInput,
  ColliderInput,
  MassInput,
  MotionInput,
  PickInput,
  PinInput,
  SubstrateInput,
} from "./input.ts";

const key = fields({
  time: time("When."),
  translate: optional(told(place, { description: "Translation since the start (m)." })),
  rotate: optional(rotation("Rotation since the start, about the pivot.")),
});
const keys = list(key, {
  what: "Keyframes; times rise. Before the first one nothing moves.",
  min: 1,
});
const spinRate = angle("Angular speed.", "°/s");
const motion: z.ZodMiniType<MotionInput | z.infer<typeof keys>> = told(
  z.union(
    [
      keys,
      fields({
        keys: optional(keys),
        smooth: optional(flag("Ease in and out between keys.", false)),
        pivot: optional(
          told(place, {
            description: "Centre of rotation (m): of bodies their position, else the origin.",
          }),
        ),
        spin: maybe(
          fields(
            {
              axis: optional(direction("Axis; z by default.")),
              rate: optional(spinRate),
              rates: optional(
                list(fields({ time: time("When."), rate: spinRate }), {
                  what: "Angular speed at times; linear between.",
                  min: 1,
                }),
              ),
            },
            "Spin about an axis through the pivot, on top of the keys.",
          ),
        ),
      }),
    ],
    needs("a list of keys or { keys, smooth, pivot, spin }"),
  ),
  { id: "Motion", description: "Prescribed rigid motion." },
);

const box = fields({ min: point2, max: point2 }, "A box in material coordinates.");
const pick: z.ZodMiniType<PickInput> = fields({
  sheet: optional(
    told(
      z.union(
        [count({ min: 0, max: 99, what: "" }), text("")],
        needs("the name or the number of a sheet"),
      ),
      { description: "Name or number of the sheet.", default: 0 },
    ),
  ),
  corner: optional(text("Name of a corner: top-left, top-right, bottom-left, bottom-right.")),
  corners: optional(list(text("Name of a corner."), { what: "Corners." })),
  edge: optional(text("Name of an edge: left, right, top, bottom, inner, outer, panel:edge …")),
  edges: optional(list(text("Name of an edge."), { what: "Edges." })),
  region: optional(box),
  regions: optional(list(box, { what: "Boxes in material coordinates." })),
  nearest: optional(
    told(z.union([point2, list(point2, { what: "" })], needs("[u, v] or a list of them")), {
      description: "The points nearest to these material coordinates.",
    }),
  ),
  points: optional(
    list(count({ min: 0, max: MOST_POINTS - 1, what: "Number of a point." }), {
      what: "Points by number.",
      max: MOST_POINTS,
    }),
  ),
  radius: optional(
    quantity({
      min: 0,
      max: 10,
      unit: "m",
      what: "All points this near to the others count as well. A pin with a radius holds its patch of the sheet whole, direction and all, however few points lie in it.",
      default: 0,
    }),
  ),
});
const at: z.ZodMiniType<PickInput | PickInput[]> = told(
  z.union(
    [pick, list(pick, { what: "Several of them, together.", min: 1 })],
    needs("{ corner | edge | region | nearest | points } or a list of them"),
  ),
  { id: "Pick", description: "Which points of a sheet." },
);

const release = maybe(time("When it lets go; never by default."));

const axes = told(
  z.union(
    [
      z.string().check(z.regex(/^(?=.)x?y?z?$/, needs("letters out of xyz, in this order"))),
      fields({ x: flag("x is held."), y: flag("y is held."), z: flag("z is held.") }),
    ],
    needs('letters such as "xz", or { x, y, z }'),
  ),
  { description: "Held directions.", default: "xyz" },
);

export const pin: z.ZodMiniType<PinInput> = fields({
  name: optional(text("Its name in messages and for programs.")),
  at,
  kind: optional(choice("clamp holds the tangent plane too.", ["pin", "hinge", "clamp"], "pin")),
  axes: optional(axes),
  motion: maybe(motion),
  release,
});

export const mass: z.ZodMiniType<MassInput> = fields({
  at,
  mass: quantity({ min: 0, max: 1e4, unit: "kg", what: "Shared by the points." }),
});

export const attachment: z.ZodMiniType<AttachmentInput> = fields({
  at,
  target: maybe(
    told(place, { description: "Where their mean position goes (m); where it starts by default." }),
  ),
  motion: maybe(motion),
  release,
});

const rounding = optional(
  quantity({
    min: 0,
    max: 10,
    unit: "m",
    what: "Radius of its edges.",
    default: 0,
  }),
);
export const collider: z.ZodMiniType<ColliderInput> = fields({
  name: optional(text("Its name in messages and for programs.")),
  body: variant(
    [
      fields({
        type: z.literal("plane"),
        normal: optional(direction("Points out; z by default.")),
      }),
      fields({ type: z.literal("sphere"), radius: size("Radius.") }),
      fields({
        type: z.literal("box"),
        size: vec3({ min: 1e-4, max: 1000, unit: "m", what: "Full lengths." }),
        rounding,
      }),
      fields({
        type: z.literal("capsule"),
        radius: size("Radius."),
        length: size("Of the axis, along z."),
      }),
      fields({
        type: z.literal("cylinder"),
        radius: size("Radius."),
        length: size("Along z."),
        rounding,
      }),
      fields({
        type: z.literal("cone"),
        radius: size("Radius of the base."),
        length: size("Along z, to the apex."),
        rounding,
      }),
      fields({
        type: z.literal("torus"),
        major: size("Radius of the ring, in the xy plane."),
        minor: size("Radius of its tube."),
      }),
      fields({ type: z.literal("edge"), radius: size("Radius of the rounded edge of a table.") }),
      fields({
        type: z.literal("mesh"),
        file: file(
          "OBJ, PLY, STL or GLB file, relative to the scene; set.glb#chair is one object of it.",
        ),
        scale: scale(),
        closed: optional(flag("Has an inside.", true)),
        vertices: maybe(
          told(
            z.union(
              [
                file("PC2, MDD or GLB file, relative to the scene."),
                fields({
                  file: file("PC2, MDD or GLB file, relative to the scene."),
                  rate: optional(
                    quantity({
                      min: 0.01,
                      max: 1e4,
                      unit: "1/s",
                      what: "Frames per second of a PC2 file, which has no times.",
                      default: DEFAULTS.vertexRate,
                    }),
                  ),
                  start: optional(
                    quantity({
                      min: -1e5,
                      max: 1e5,
                      unit: "s",
                      what: "Time of the first frame.",
                      default: 0,
                    }),
                  ),
                }),
              ],
              needs("a file, or { file, rate, start }"),
            ),
            {
              description:
                "The vertices move as the frames of this file: PC2, MDD, or GLB with a skin, morph targets or moving nodes.",
            },
          ),
        ),
      }),
    ],
    "Shape, in its own coordinates.",
  ),
  position: optional(place),
  rotation: optional(rotation("Rotation.")),
  friction: friction(),
  offset: optional(
    quantity({
      min: 0,
      max: 1,
      unit: "m",
      what: "Extra distance kept from the body.",
      default: 0,
    }),
  ),
  motion: maybe(
    told(
      z.union(
        [motion, z.literal("file")],
        needs('a list of keys, { keys, smooth, pivot, spin }, or "file"'),
      ),
      { description: 'Prescribed rigid motion; "file": as the body\'s GLB file is animated.' },
    ),
  ),
});

export const substrate: z.ZodMiniType<SubstrateInput> = fields({
  shape: variant(
    [
      fields({
        type: z.literal("block"),
        size: vec3({ min: 1e-4, max: 100, unit: "m", what: "Full lengths." }),
        cells: told(z.tuple([cells(), cells(), cells()]), {
          description: "Cells along x, y and z.",
        }),
        grading: optional(
          quantity({
            min: 0.01,
            max: 100,
            unit: "",
            what: "How many times thicker the lowest layer of cells is than the uppermost.",
            default: 1,
          }),
        ),
      }),
      fields({
        type: z.literal("cylinder"),
        radius: size("Radius."),
        height: size("Height."),
        cells: cells(),
      }),
      fields({ type: z.literal("file"), file: file("Tetrahedral mesh.") }),
    ],
    "The solid under the sheet.",
  ),
  young: quantity({ min: 1, max: 1e12, unit: "Pa", what: "Young's modulus." }),
  poisson: optional(
    quantity({
      min: 0,
      max: 0.499,
      unit: "",
      what: "Poisson's ratio.",
      default: DEFAULTS.substratePoisson,
    }),
  ),
  density: optional(
    quantity({
      min: 1,
      max: 3e4,
      unit: "kg/m³",
      what: "Density.",
      default: DEFAULTS.substrateDensity,
    }),
  ),
  position: optional(place),
  held: optional(
    list(
      fields({
        face: text("Name of a face, or any name for a box given by min and max."),
        min: maybe(place),
        max: maybe(place),
        axes: optional(axes),
        motion: maybe(motion),
      }),
      { what: "Faces or boxes of points that are held or moved." },
    ),
  ),
  coupling: optional(
    told(
      fields({
        spacing: maybe(
          quantity({ min: 1e-4, max: 10, unit: "m", what: "Distance of the attachments." }),
        ),
        twoWay: optional(flag("The sheet pulls the solid too.", false)),
      }),
      { description: "How the sheet is attached to the solid." },
    ),
  ),
});

function cells(): z.ZodMiniNumber<number> {
  return count({ min: 1, max: 1000, what: "Cells along a direction." });
}
