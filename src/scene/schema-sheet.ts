/** Schema of a sheet: its outline, its points, its start, its material. */
import * as z from "zod/mini";
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
  optional,
  place,
  point2,
  quantity,
  rotation,
  scale,
  size,
  text,
  told,
  variant,
  vec3,
} from "./fields.ts";
import type { MaterialInput, PlaceInput, PoseInput, ShapeInput, SheetInput } from "./input.ts";
import { PRINTS } from "./looks.ts";
import { DEFAULT_MATERIAL, presets } from "./materials.ts";

const polygon = list(point2, { what: "Outline, counter-clockwise (m).", min: 3, max: 100000 });
const holes = optional(list(polygon, { what: "Outlines of holes (m)." }));
const shape: z.ZodMiniType<ShapeInput> = variant(
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
      uv: optional(flag("Take the rest shape from the texture coordinates.", false)),
    }),
    fields({
      type: z.literal("garment"),
      panels: optional(
        list(
          fields({
            name: text("Name of the panel."),
            points: polygon,
            edges: optional(
              told(
                z.record(
                  text(""),
                  z.tuple([vertex(), vertex()]),
                  needs("{ name: [first vertex, last vertex] }"),
                ),
                {
                  description: "Names of stretches of the outline: [first vertex, last vertex].",
                },
              ),
            ),
            holes,
            place: optional(panelPlace()),
          }),
          { what: "Panels.", min: 1, max: 1000 },
        ),
      ),
      seams: optional(
        list(
          fields({
            from: text("panel:edge"),
            to: text("panel:edge"),
            reversed: optional(flag("Run along the second edge backwards.", false)),
          }),
          { what: "Seams." },
        ),
      ),
      sewing: maybe(
        told(
          fields({
            seconds: quantity({
              min: 0,
              max: 60,
              unit: "s",
              what: "Until the edges meet; 0 welds them at the start, wherever they are.",
            }),
          }),
          {
            description:
              "Pulls the seams together over time. Default: welded at the start where sewn edges meet; where they start apart, pulled together in 0.5 s.",
          },
        ),
      ),
      file: optional(file("Pattern in SVG, DXF or GarmentCode, instead of panels.")),
      place: optional(
        told(z.record(text(""), panelPlace(), needs("{ panel: { position, rotation, wrap } }")), {
          description: "Where panels of the file start, by name; else as drawn.",
        }),
      ),
    }),
  ],
  "Outline of the sheet. A rectangle spans [0, width] × [0, height]; discs are centred on the origin.",
);

const pose: z.ZodMiniType<PoseInput> = variant(
  [
    fields({ type: optional(z.literal("flat")), ...placed() }),
    fields({ type: z.literal("rest"), ...placed() }),
    fields({
      type: z.literal("cylinder"),
      radius: quantity({ min: -100, max: 100, unit: "m", what: "Radius; negative rolls down." }),
      angle: optional(angle("Of the axis against the v direction.")),
      ...placed(),
    }),
    fields({
      type: z.literal("cone"),
      halfAngle: angle("Half apex angle."),
      apex: told(point2, { description: "Material point of the apex (m)." }),
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
  density: optional(
    quantity({
      min: 1e-4,
      max: 100,
      unit: "kg/m²",
      what: "Areal density.",
      default: DEFAULT_MATERIAL.density,
    }),
  ),
  volumetricDensity: optional(
    quantity({
      min: 1,
      max: 3e4,
      unit: "kg/m³",
      what: "Density per volume, instead of density; needs thickness.",
    }),
  ),
  D: optional(
    quantity({
      min: 1e-12,
      max: 1e4,
      unit: "N·m",
      what: "Flexural rigidity.",
      default: DEFAULT_MATERIAL.D,
    }),
  ),
  young: optional(
    quantity({
      min: 100,
      max: 1e13,
      unit: "Pa",
      what: "Young's modulus, instead of D; needs thickness.",
    }),
  ),
  poisson: optional(
    quantity({
      min: 0,
      max: 0.5,
      unit: "",
      what: "Poisson's ratio.",
      default: DEFAULT_MATERIAL.poisson,
    }),
  ),
  membraneStiffness: optional(
    quantity({
      min: 1e-3,
      max: 1e12,
      unit: "N/m",
      what: "Membrane stiffness, Young's modulus times thickness; by default so large that its stretch is not seen.",
    }),
  ),
  thickness: optional(
    quantity({
      min: 1e-6,
      max: 0.05,
      unit: "m",
      what: "Thickness.",
      default: DEFAULT_MATERIAL.thickness,
    }),
  ),
  damping: optional(
    quantity({
      min: 0,
      max: 100,
      unit: "s",
      what: "Damping time of bending.",
      default: DEFAULT_MATERIAL.damping,
    }),
  ),
});
const material: z.ZodMiniType<string | MaterialInput> = told(
  z.union(
    [
      choice(
        "A named material.",
        presets.map((p) => p.name),
      ),
      materialFields,
    ],
    needs("the name of a material or { density, D, … }"),
  ),
  { description: "A preset, and what differs from it." },
);

export const sheet: z.ZodMiniType<SheetInput> = fields({
  name: optional(text("Name of the sheet.")),
  shape,
  sampling: optional(
    fields(
      {
        type: optional(
          choice(
            "irregular: blue noise by the seed; mesh: the file's own points.",
            ["irregular", "grid", "rotated", "mesh"],
            "irregular",
          ),
        ),
        points: optional(
          count({
            min: FEWEST_POINTS,
            max: MOST_POINTS,
            what: "Number of points.",
            default: DEFAULTS.points,
          }),
        ),
        spacing: optional(
          quantity({
            min: 1e-4,
            max: 1,
            unit: "m",
            what: "Distance of points, instead.",
          }),
        ),
        angle: optional(angle("Of a rotated grid.")),
      },
      "Where the points are: `points` or `spacing`.",
    ),
  ),
  neighbourhood: optional(
    fields(
      {
        rings: optional(
          count({
            min: 1,
            max: 4,
            what: "Rings of triangles.",
            default: DEFAULTS.rings,
          }),
        ),
        radius: optional(
          quantity({
            min: 1e-4,
            max: 10,
            unit: "m",
            what: "Or all points this near.",
          }),
        ),
      },
      "Which points a constraint averages over: `rings` or `radius`.",
    ),
  ),
  pose: optional(pose),
  velocity: optional(
    vec3({
      min: -1000,
      max: 1000,
      unit: "m/s",
      what: "Of every point at the start.",
    }),
  ),
  spin: optional(rotation("Rotation at the start, per second, about the centroid.", "°/s")),
  material: optional(material),
  curvature: maybe(
    told(
      z.union(
        [
          z.literal("pose", needs('"pose" or { value, angle }')),
          fields({
            value: quantity({
              min: -1000,
              max: 1000,
              unit: "1/m",
              what: "Curvature, towards the front if positive.",
            }),
            angle: optional(angle("Direction in the material that is curved, from u.")),
          }),
        ],
        needs('"pose" or { value, angle }'),
      ),
      {
        description:
          "Natural curvature, which the sheet has where nothing loads it: that of its start pose, or a given one. Flat if left out.",
      },
    ),
  ),
  noise: optional(
    quantity({
      min: 0,
      max: 1,
      unit: "m",
      what: "Amplitude of random displacement along z at the start.",
      default: 0,
    }),
  ),
  look: optional(
    fields(
      {
        front: optional(colour("Colour of the front, #rrggbb.")),
        back: optional(colour("Colour of the back, #rrggbb.")),
        ink: optional(colour("Colour of the print, #rrggbb.")),
        print: optional(choice("Print that follows the material.", PRINTS)),
        size: optional(size("Length after which the print repeats; width of the image.")),
        image: optional(file("PNG file, relative to the scene, laid on the sheet.")),
      },
      "Colours and print in pictures; by the material if left out.",
    ),
  ),
});

function colour(what: string): z.ZodMiniString<string> {
  const error = (issue: { input?: unknown }): string =>
    `got ${JSON.stringify(issue.input)}, needs a colour as #rrggbb`;
  return told(z.string({ error }).check(z.regex(/^#[0-9a-f]{6}$/i, { error })), {
    description: what,
  });
}

function placed(): {
  position: z.ZodMiniExactOptional<typeof place>;
  rotation: z.ZodMiniExactOptional<ReturnType<typeof rotation>>;
} {
  return {
    position: optional(place),
    rotation: optional(rotation("Rotation about the origin, before it is moved.")),
  };
}

function panelPlace(): z.ZodMiniType<PlaceInput> {
  return fields(
    {
      position: optional(place),
      rotation: optional(rotation("Rotation.")),
      wrap: maybe(size("Radius of the vertical cylinder that it is rolled around.")),
    },
    "Where it starts in space.",
  );
}

function vertex(): z.ZodMiniNumber<number> {
  return count({ min: 0, max: 99999, what: "Number of a vertex of the outline." });
}
