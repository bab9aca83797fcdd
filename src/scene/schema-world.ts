/** Schema of what holds, moves, hits and carries the sheets: motions, picks, pins, masses, bodies, the substrate. */
import { z } from "zod";
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
  place,
  point2,
  quantity,
  rotation,
  scale,
  size,
  text,
  time,
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
  translate: place.meta({ description: "Translation since the start (m)." }).exactOptional(),
  rotate: rotation("Rotation since the start, about the pivot.").exactOptional(),
});
const keys = list(key, {
  what: "Keyframes; times rise. Before the first one nothing moves.",
  min: 1,
});
const spinRate = angle("Angular speed.", "°/s");
const motion: z.ZodType<MotionInput | z.infer<typeof keys>> = z
  .union(
    [
      keys,
      fields({
        keys: keys.exactOptional(),
        smooth: flag("Ease in and out between keys.", false).exactOptional(),
        pivot: place
          .meta({
            description: "Centre of rotation (m): of bodies their position, else the origin.",
          })
          .exactOptional(),
        spin: maybe(
          fields(
            {
              axis: direction("Axis; z by default.").exactOptional(),
              rate: spinRate.exactOptional(),
              rates: list(fields({ time: time("When."), rate: spinRate }), {
                what: "Angular speed at times; linear between.",
                min: 1,
              }).exactOptional(),
            },
            "Spin about an axis through the pivot, on top of the keys.",
          ),
        ),
      }),
    ],
    needs("a list of keys or { keys, smooth, pivot, spin }"),
  )
  .meta({ id: "Motion", description: "Prescribed rigid motion." });

const box = fields({ min: point2, max: point2 }, "A box in material coordinates.");
const pick: z.ZodType<PickInput> = fields({
  sheet: z
    .union(
      [count({ min: 0, max: 99, what: "" }), text("")],
      needs("the name or the number of a sheet"),
    )
    .meta({ description: "Name or number of the sheet.", default: 0 })
    .exactOptional(),
  corner: text("Name of a corner: top-left, top-right, bottom-left, bottom-right.").exactOptional(),
  corners: list(text("Name of a corner."), { what: "Corners." }).exactOptional(),
  edge: text(
    "Name of an edge: left, right, top, bottom, inner, outer, panel:edge …",
  ).exactOptional(),
  edges: list(text("Name of an edge."), { what: "Edges." }).exactOptional(),
  region: box.exactOptional(),
  regions: list(box, { what: "Boxes in material coordinates." }).exactOptional(),
  nearest: z
    .union([point2, list(point2, { what: "" })], needs("[u, v] or a list of them"))
    .meta({ description: "The points nearest to these material coordinates." })
    .exactOptional(),
  points: list(count({ min: 0, max: MOST_POINTS - 1, what: "Number of a point." }), {
    what: "Points by number.",
    max: MOST_POINTS,
  }).exactOptional(),
  radius: quantity({
    min: 0,
    max: 10,
    unit: "m",
    what: "All points this near to the others count as well.",
    default: 0,
  }).exactOptional(),
});
const at: z.ZodType<PickInput | PickInput[]> = z
  .union(
    [pick, list(pick, { what: "Several of them, together.", min: 1 })],
    needs("{ corner | edge | region | nearest | points } or a list of them"),
  )
  .meta({ id: "Pick", description: "Which points of a sheet." });

const release = maybe(time("When it lets go; never by default."));

const axes = z
  .union(
    [
      z.string().regex(/^(?=.)x?y?z?$/, needs("letters out of xyz, in this order")),
      fields({ x: flag("x is held."), y: flag("y is held."), z: flag("z is held.") }),
    ],
    needs('letters such as "xz", or { x, y, z }'),
  )
  .meta({ description: "Held directions.", default: "xyz" });

export const pin: z.ZodType<PinInput> = fields({
  name: text("Name in messages.").exactOptional(),
  at,
  kind: choice(
    "clamp holds the tangent plane too.",
    ["pin", "hinge", "clamp"],
    "pin",
  ).exactOptional(),
  axes: axes.exactOptional(),
  motion: maybe(motion),
  release,
});

export const mass: z.ZodType<MassInput> = fields({
  at,
  mass: quantity({ min: 0, max: 1e4, unit: "kg", what: "Shared by the points." }),
});

export const attachment: z.ZodType<AttachmentInput> = fields({
  at,
  target: maybe(
    place.meta({ description: "Where their mean position goes (m); where it starts by default." }),
  ),
  motion: maybe(motion),
  release,
});

const rounding = quantity({
  min: 0,
  max: 10,
  unit: "m",
  what: "Radius of its edges.",
  default: 0,
}).exactOptional();
export const collider: z.ZodType<ColliderInput> = fields({
  name: text("Name in messages.").exactOptional(),
  body: variant(
    [
      fields({
        type: z.literal("plane"),
        normal: direction("Points out; z by default.").exactOptional(),
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
        file: file("OBJ, PLY or GLB file, relative to the scene."),
        scale: scale(),
        closed: flag("Has an inside.", true).exactOptional(),
      }),
    ],
    "Shape, in its own coordinates.",
  ),
  position: place.exactOptional(),
  rotation: rotation("Rotation.").exactOptional(),
  friction: friction(),
  offset: quantity({
    min: 0,
    max: 1,
    unit: "m",
    what: "Extra distance kept from the body.",
    default: 0,
  }).exactOptional(),
  motion: maybe(motion),
});

export const substrate: z.ZodType<SubstrateInput> = fields({
  shape: variant(
    [
      fields({
        type: z.literal("block"),
        size: vec3({ min: 1e-4, max: 100, unit: "m", what: "Full lengths." }),
        cells: z.tuple([cells(), cells(), cells()]),
        grading: quantity({
          min: 0.01,
          max: 100,
          unit: "",
          what: "How many times thicker the lowest layer of cells is than the uppermost.",
          default: 1,
        }).exactOptional(),
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
  poisson: quantity({
    min: 0,
    max: 0.499,
    unit: "",
    what: "Poisson's ratio.",
    default: DEFAULTS.substratePoisson,
  }).exactOptional(),
  density: quantity({
    min: 1,
    max: 3e4,
    unit: "kg/m³",
    what: "Density.",
    default: DEFAULTS.substrateDensity,
  }).exactOptional(),
  position: place.exactOptional(),
  held: list(
    fields({
      face: text("Name of a face, or any name for a box given by min and max."),
      min: maybe(place),
      max: maybe(place),
      axes: axes.exactOptional(),
      motion: maybe(motion),
    }),
    { what: "Faces or boxes of points that are held or moved." },
  ).exactOptional(),
  coupling: fields({
    spacing: maybe(
      quantity({ min: 1e-4, max: 10, unit: "m", what: "Distance of the attachments." }),
    ),
    twoWay: flag("The sheet pulls the solid too.", false).exactOptional(),
  }).exactOptional(),
});

function cells(): z.ZodNumber {
  return count({ min: 1, max: 1000, what: "Cells along a direction." });
}
