/** Schema of a sheet: its outline, its points, its start, its material. */
import { z } from "zod";
import { DEFAULTS, FEWEST_POINTS, MOST_POINTS } from "./defaults.ts";
import {
  angle,
  choice,
  count,
  fields,
  file,
  flag,
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
  variant,
  vec3,
} from "./fields.ts";
import type { MaterialInput, PlaceInput, PoseInput, ShapeInput, SheetInput } from "./input.ts";
import { DEFAULT_MATERIAL, presets } from "./materials.ts";

const polygon = list(point2, { what: "Outline, counter-clockwise (m).", min: 3, max: 100000 });
const holes = list(polygon, { what: "Outlines of holes (m)." }).exactOptional();
const shape: z.ZodType<ShapeInput> = variant(
  [
    fields({ type: z.literal("rectangle"), width: size("Along u."), height: size("Along v.") }),
    fields({ type: z.literal("disc"), radius: size("Radius.") }),
    fields({
      type: z.literal("annulus"),
      inner: size("Inner radius."),
      outer: size("Outer radius."),
    }),
    fields({ type: z.literal("polygon"), points: polygon, holes }),
    fields({ type: z.literal("tube"), radius: size("Radius."), height: size("Height.") }),
    fields({
      type: z.literal("mesh"),
      file: file("OBJ, PLY or GLB file, relative to the scene."),
      scale: scale(),
      uv: flag("Take the rest shape from the texture coordinates.", false).exactOptional(),
    }),
    fields({
      type: z.literal("garment"),
      panels: list(
        fields({
          name: text("Name of the panel."),
          points: polygon,
          edges: z
            .record(
              text(""),
              z.tuple([vertex(), vertex()]),
              needs("{ name: [first vertex, last vertex] }"),
            )
            .meta({
              description: "Names of stretches of the outline: [first vertex, last vertex].",
            })
            .exactOptional(),
          holes,
          place: panelPlace().exactOptional(),
        }),
        { what: "Panels.", min: 1, max: 1000 },
      ).exactOptional(),
      seams: list(
        fields({
          from: text("panel:edge"),
          to: text("panel:edge"),
          reversed: flag("Run along the second edge backwards.", false).exactOptional(),
        }),
        { what: "Seams." },
      ).exactOptional(),
      file: file("Pattern in SVG, DXF or GarmentCode, instead of panels.").exactOptional(),
      place: z
        .record(text(""), panelPlace(), needs("{ panel: { position, rotation, wrap } }"))
        .meta({ description: "Where panels of the file start, by name; else as drawn." })
        .exactOptional(),
    }),
  ],
  "Outline of the sheet. A rectangle spans [0, width] × [0, height]; discs are centred on the origin.",
);

const pose: z.ZodType<PoseInput> = variant(
  [
    fields({ type: z.literal("flat").exactOptional(), ...placed() }),
    fields({ type: z.literal("rest"), ...placed() }),
    fields({
      type: z.literal("cylinder"),
      radius: quantity({ min: -100, max: 100, unit: "m", what: "Radius; negative rolls down." }),
      angle: angle("Of the axis against the v direction.").exactOptional(),
      ...placed(),
    }),
    fields({
      type: z.literal("cone"),
      halfAngle: angle("Half apex angle."),
      apex: point2.meta({ description: "Material point of the apex (m)." }),
      ...placed(),
    }),
    fields({ type: z.literal("arc"), span: size("Distance of the ends."), ...placed() }),
    fields({
      type: z.literal("file"),
      file: file("OBJ or PLY file with as many points."),
      ...placed(),
    }),
  ] as never,
  "Start pose: flat or rolled, then rotated about the origin and moved. Default: flat, and rest for tubes, meshes and garments.",
);

const materialFields = fields({
  preset: maybe(
    choice(
      "A named material.",
      presets.map((p) => p.name),
    ),
  ),
  density: quantity({
    min: 1e-4,
    max: 100,
    unit: "kg/m²",
    what: "Areal density.",
    default: DEFAULT_MATERIAL.density,
  }).exactOptional(),
  volumetricDensity: quantity({
    min: 1,
    max: 3e4,
    unit: "kg/m³",
    what: "Density per volume, instead of density; needs thickness.",
  }).exactOptional(),
  D: quantity({
    min: 1e-12,
    max: 1e4,
    unit: "N·m",
    what: "Flexural rigidity.",
    default: DEFAULT_MATERIAL.D,
  }).exactOptional(),
  young: quantity({
    min: 100,
    max: 1e13,
    unit: "Pa",
    what: "Young's modulus, instead of D; needs thickness.",
  }).exactOptional(),
  poisson: quantity({
    min: 0,
    max: 0.5,
    unit: "",
    what: "Poisson's ratio.",
    default: DEFAULT_MATERIAL.poisson,
  }).exactOptional(),
  membraneStiffness: quantity({
    min: 1e-3,
    max: 1e12,
    unit: "N/m",
    what: "Membrane stiffness, Young's modulus times thickness; by default large enough not to matter.",
  }).exactOptional(),
  thickness: quantity({
    min: 1e-6,
    max: 0.05,
    unit: "m",
    what: "Thickness.",
    default: DEFAULT_MATERIAL.thickness,
  }).exactOptional(),
  damping: quantity({
    min: 0,
    max: 100,
    unit: "s",
    what: "Damping time of bending.",
    default: DEFAULT_MATERIAL.damping,
  }).exactOptional(),
});
const material: z.ZodType<string | MaterialInput> = z
  .union(
    [
      choice(
        "A named material.",
        presets.map((p) => p.name),
      ),
      materialFields,
    ],
    needs("the name of a material or { density, D, … }"),
  )
  .meta({ description: "A preset, and what differs from it." });

export const sheet: z.ZodType<SheetInput> = fields({
  name: text("Name of the sheet.").exactOptional(),
  shape,
  sampling: fields(
    {
      type: choice(
        "irregular: blue noise by the seed; mesh: the file's own points.",
        ["irregular", "grid", "rotated", "mesh"],
        "irregular",
      ).exactOptional(),
      points: count({
        min: FEWEST_POINTS,
        max: MOST_POINTS,
        what: "Number of points.",
        default: DEFAULTS.points,
      }).exactOptional(),
      spacing: quantity({
        min: 1e-4,
        max: 1,
        unit: "m",
        what: "Distance of points, instead.",
      }).exactOptional(),
      angle: angle("Of a rotated grid.").exactOptional(),
    },
    "Where the points are: `points` or `spacing`.",
  ).exactOptional(),
  neighbourhood: fields(
    {
      rings: count({
        min: 1,
        max: 4,
        what: "Rings of triangles.",
        default: DEFAULTS.rings,
      }).exactOptional(),
      radius: quantity({
        min: 1e-4,
        max: 10,
        unit: "m",
        what: "Or all points this near.",
      }).exactOptional(),
    },
    "Which points a constraint averages over: `rings` or `radius`.",
  ).exactOptional(),
  pose: pose.exactOptional(),
  velocity: vec3({
    min: -1000,
    max: 1000,
    unit: "m/s",
    what: "Of every point at the start.",
  }).exactOptional(),
  spin: rotation("Rotation at the start, per second, about the centroid.", "°/s").exactOptional(),
  material: material.exactOptional(),
  noise: quantity({
    min: 0,
    max: 1,
    unit: "m",
    what: "Amplitude of random displacement along z at the start.",
    default: 0,
  }).exactOptional(),
});

function placed(): {
  position: z.ZodExactOptional<typeof place>;
  rotation: z.ZodExactOptional<ReturnType<typeof rotation>>;
} {
  return {
    position: place.exactOptional(),
    rotation: rotation("Rotation about the origin, before it is moved.").exactOptional(),
  };
}

function panelPlace(): z.ZodType<PlaceInput> {
  return fields(
    {
      position: place.exactOptional(),
      rotation: rotation("Rotation.").exactOptional(),
      wrap: maybe(size("Radius of the vertical cylinder that it is rolled around.")),
    },
    "Where it starts in space.",
  );
}

function vertex(): z.ZodNumber {
  return count({ min: 0, max: 99999, what: "Number of a vertex of the outline." });
}
