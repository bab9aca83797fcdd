/** Schema of a sheet: its outline, its points, its start, its material. */
import { DEFAULTS, FEWEST_POINTS, MOST_POINTS } from "./defaults.ts";
import {
  angle,
  choice,
  count,
  either,
  fields,
  file,
  flag,
  list,
  maybe,
  named,
  optional,
  pattern,
  place,
  point2,
  quantity,
  rotation,
  scale,
  size,
  text,
  tuple,
  variant,
  vec3,
  word,
} from "./fields.ts";
import type { Field, OptionalField } from "./form.ts";
import type {
  MaterialInput,
  PlaceInput,
  PoseInput,
  RotationInput,
  ShapeInput,
  SheetInput,
} from "./input.ts";
import { PRINTS } from "./looks.ts";
import { DEFAULT_MATERIAL, presets } from "./materials.ts";
import type { Vec3 } from "./scene.ts";

const polygon = list(point2, { min: 3, max: 100000 });
const holes = optional(list(polygon));
const shape: Field<ShapeInput> = variant([
  fields({ type: word("rectangle"), width: size(), height: size() }),
  fields({ type: word("disc"), radius: size() }),
  fields({
    type: word("annulus"),
    inner: size(),
    outer: size(),
  }),
  fields({ type: word("polygon"), points: polygon, holes }),
  fields({ type: word("tube"), radius: size(), height: size() }),
  fields({
    type: word("mesh"),
    file: file(),
    scale: scale(),
    uv: optional(flag(false)),
  }),
  fields({
    type: word("garment"),
    panels: optional(
      list(
        fields({
          name: text(),
          points: polygon,
          edges: optional(
            named(
              tuple<[number, number]>(vertex(), 2, "two vertices [first, last]"),
              "{ name: [first vertex, last vertex] }",
            ),
          ),
          holes,
          place: optional(panelPlace()),
          grain: optional(angle()),
        }),
        { min: 1, max: 1000 },
      ),
    ),
    seams: optional(
      list(
        fields({
          from: text(),
          to: text(),
          reversed: optional(flag(false)),
        }),
        {},
      ),
    ),
    sewing: maybe(
      fields({
        seconds: quantity({
          min: 0,
          max: 60,
          unit: "s",
        }),
      }),
    ),
    file: optional(file()),
    place: optional(named(panelPlace(), "{ panel: { position, rotation, wrap } }")),
  }),
]);

const pose: Field<PoseInput> = variant([
  fields({ type: optional(word("flat")), ...placed() }),
  fields({ type: word("rest"), ...placed() }),
  fields({
    type: word("cylinder"),
    radius: quantity({ min: -100, max: 100, unit: "m" }),
    angle: optional(angle()),
    ...placed(),
  }),
  fields({
    type: word("cone"),
    halfAngle: angle(),
    apex: point2,
    ...placed(),
  }),
  fields({ type: word("arc"), span: size(), ...placed() }),
  fields({
    type: word("file"),
    file: file(),
    ...placed(),
  }),
] as never);

const materialFields = fields({
  preset: maybe(choice(presets.map((p) => p.name))),
  density: optional(
    quantity({
      min: 1e-4,
      max: 100,
      unit: "kg/m²",
      default: DEFAULT_MATERIAL.density,
    }),
  ),
  volumetricDensity: optional(
    quantity({
      min: 1,
      max: 3e4,
      unit: "kg/m³",
    }),
  ),
  D: optional(
    quantity({
      min: 1e-12,
      max: 1e4,
      unit: "N·m",
      default: DEFAULT_MATERIAL.D,
    }),
  ),
  young: optional(
    quantity({
      min: 100,
      max: 1e13,
      unit: "Pa",
    }),
  ),
  poisson: optional(
    quantity({
      min: 0,
      max: 0.5,
      unit: "",
      default: DEFAULT_MATERIAL.poisson,
    }),
  ),
  membraneStiffness: optional(
    quantity({
      min: 1e-3,
      max: 1e12,
      unit: "N/m",
    }),
  ),
  thickness: optional(
    quantity({
      min: 1e-6,
      max: 0.05,
      unit: "m",
      default: DEFAULT_MATERIAL.thickness,
    }),
  ),
  damping: optional(
    quantity({
      min: 0,
      max: 100,
      unit: "s",
      default: DEFAULT_MATERIAL.damping,
    }),
  ),
});
const material: Field<string | MaterialInput> = either(
  [choice(presets.map((p) => p.name)), materialFields],
  "the name of a material or { density, D, … }",
);

export const sheet: Field<SheetInput> = fields({
  name: optional(text()),
  shape,
  sampling: optional(
    fields({
      type: optional(choice(["irregular", "grid", "rotated", "mesh"], "irregular")),
      points: optional(
        count({
          min: FEWEST_POINTS,
          max: MOST_POINTS,
          default: DEFAULTS.points,
        }),
      ),
      spacing: optional(
        quantity({
          min: 1e-4,
          max: 1,
          unit: "m",
        }),
      ),
      angle: optional(angle()),
    }),
  ),
  neighbourhood: optional(
    fields({
      rings: optional(
        count({
          min: 1,
          max: 4,
          default: DEFAULTS.rings,
        }),
      ),
      radius: optional(
        quantity({
          min: 1e-4,
          max: 10,
          unit: "m",
        }),
      ),
    }),
  ),
  pose: optional(pose),
  velocity: optional(
    vec3({
      min: -1000,
      max: 1000,
      unit: "m/s",
    }),
  ),
  spin: optional(rotation("°/s")),
  material: optional(material),
  curvature: maybe(
    either(
      [
        word("pose"),
        fields({
          value: quantity({
            min: -1000,
            max: 1000,
            unit: "1/m",
          }),
          angle: optional(angle()),
        }),
      ],
      '"pose" or { value, angle }',
    ),
  ),
  noise: optional(
    quantity({
      min: 0,
      max: 1,
      unit: "m",
      default: 0,
    }),
  ),
  look: optional(
    fields({
      front: optional(colour()),
      back: optional(colour()),
      ink: optional(colour()),
      print: optional(choice(PRINTS)),
      size: optional(size()),
      image: optional(file()),
    }),
  ),
});

function colour(): Field<string> {
  return pattern(/^#[0-9a-fA-F]{6}$/, "a colour as #rrggbb");
}

function placed(): {
  position: OptionalField<Vec3>;
  rotation: OptionalField<RotationInput>;
} {
  return {
    position: optional(place),
    rotation: optional(rotation()),
  };
}

function panelPlace(): Field<PlaceInput> {
  return fields({
    position: optional(place),
    rotation: optional(rotation()),
    wrap: maybe(size()),
  });
}

function vertex(): Field<number> {
  return count({ min: 0, max: 99999 });
}
