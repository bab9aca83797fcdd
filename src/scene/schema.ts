/**
 * The published form of scenes: which fields there are, their types, ranges, units and defaults.
 *
 * One source for the checks (check-form.ts), the JSON Schema (json-schema.ts) and the comments of the types (input.ts). Conversion,
 * defaults and what depends on several fields at once are parse.ts's. Ranges are generous; they exist to catch wrong units and typing
 * errors, not to forbid physics.
 */
import { DEFAULTS } from "./defaults.ts";
import {
  angle,
  choice,
  count,
  direction,
  either,
  fields,
  flag,
  friction,
  list,
  maybe,
  optional,
  place,
  quantity,
  text,
  vec3,
  withDefault,
  word,
} from "./fields.ts";
import type { Field } from "./form.ts";
import type { SceneInput } from "./input.ts";
import { sheet } from "./schema-sheet.ts";
import { attachment, collider, mass, pin, substrate } from "./schema-world.ts";

/** Constraints of 0.1, and what to write instead. */
const GONE = {
  metric: "the averaged metric went with 0.1; leave it out, or write frames, which does not lock",
  strain: "the averaged strain went with 0.1; write frames, or paper for the averaged F",
};

export const scene: Field<SceneInput> = fields({
  $schema: optional(text({ max: 2000 })),
  name: optional(text()),
  description: optional(text({ max: 10000, min: 0 })),
  seed: optional(
    count({
      min: 0,
      max: 2 ** 32 - 1,
      default: DEFAULTS.seed,
    }),
  ),
  seconds: optional(
    quantity({
      min: 0,
      max: 1e5,
      unit: "s",
      default: DEFAULTS.seconds,
    }),
  ),
  h: optional(
    quantity({
      min: 1e-6,
      max: 0.1,
      unit: "s",
    }),
  ),
  solver: optional(choice(["accurate", "interactive", "paper"], DEFAULTS.solver)),
  integrator: optional(choice(["euler", "bdf2"])),
  stuck: optional(choice(["hold", "stop"], DEFAULTS.stuck)),
  sleep: optional(flag(DEFAULTS.sleep)),
  constraint: optional(choice(["frames", "paper"], DEFAULTS.constraint, GONE)),
  method: optional(
    choice(["isometry", "discrete-shells", "quad-edges", "triangle-edges"], DEFAULTS.method),
  ),
  tolerance: optional(
    quantity({
      min: 1e-8,
      max: 1,
      unit: "1",
      default: DEFAULTS.tolerance,
    }),
  ),
  baseline: optional(
    fields({
      young: optional(
        quantity({
          min: 100,
          max: 1e13,
          unit: "Pa",
          default: DEFAULTS.young,
        }),
      ),
      thickness: optional(
        quantity({
          min: 1e-6,
          max: 0.05,
          unit: "m",
          default: DEFAULTS.thickness,
        }),
      ),
      diagonalStiffness: optional(
        quantity({
          min: 0,
          max: 1e9,
          unit: "N/m",
          default: DEFAULTS.diagonalStiffness,
        }),
      ),
    }),
  ),
  projection: optional(
    fields({
      geometricStiffness: optional(flag(true)),
      shift: optional(
        quantity({
          min: 0,
          max: 1,
          unit: "",
          default: DEFAULTS.shift,
        }),
      ),
      maxRounds: optional(
        count({
          min: 1,
          max: 10000,
          default: DEFAULTS.maxRounds,
        }),
      ),
      slack: optional(flag(DEFAULTS.slack)),
      everyStep: optional(flag(DEFAULTS.everyStep)),
      bending: optional(choice(["edges", "points"], DEFAULTS.projectedBending)),
    }),
  ),
  static: maybe(
    either(
      [
        flag(),
        fields({
          forceTolerance: optional(
            quantity({
              min: 1e-15,
              max: 1,
              unit: "",
              default: DEFAULTS.forceTolerance,
            }),
          ),
          maxIterations: optional(
            count({
              min: 1,
              max: 1e6,
              default: DEFAULTS.maxIterations,
            }),
          ),
        }),
      ],
      "true, false or { forceTolerance, maxIterations }",
    ),
  ),
  gravity: optional(
    withDefault(
      either(
        [
          quantity({ min: -1000, max: 1000, unit: "m/s²" }),
          vec3({ min: -1000, max: 1000, unit: "m/s²" }),
        ],
        "a number, downwards, or [x, y, z] in m/s²",
      ),
      DEFAULTS.gravity,
    ),
  ),
  air: optional(
    fields({
      drag: optional(
        quantity({
          min: 0,
          max: 1e6,
          unit: "N·s/m³",
          default: 0,
        }),
      ),
      wind: optional(vec3({ min: -200, max: 200, unit: "m/s" })),
      density: optional(
        quantity({
          min: 0,
          max: 1e4,
          unit: "kg/m³",
          default: 0,
        }),
      ),
    }),
  ),
  foundation: maybe(
    fields({
      stiffness: quantity({
        min: 0,
        max: 1e12,
        unit: "N/m³",
      }),
      axis: optional(direction()),
    }),
  ),
  pressure: optional(
    quantity({
      min: -1e7,
      max: 1e7,
      unit: "Pa",
      default: 0,
    }),
  ),
  sheet: optional(sheet),
  sheets: optional(list(sheet, { min: 1, max: 100 })),
  pins: optional(list(pin)),
  masses: optional(list(mass)),
  attachments: optional(list(attachment)),
  colliders: optional(list(collider, { max: 1000 })),
  contact: optional(
    fields({
      self: optional(flag(false)),
      friction: friction(),
      slipSpeed: optional(
        quantity({
          min: 1e-6,
          max: 10,
          unit: "m/s",
          default: DEFAULTS.slipSpeed,
        }),
      ),
    }),
  ),
  substrate: maybe(substrate),
  record: optional(
    fields({
      rate: optional(
        quantity({
          min: 1e-3,
          max: 1e6,
          unit: "1/s",
          default: DEFAULTS.rate,
        }),
      ),
      checkpoint: optional(
        quantity({
          min: 1e-3,
          max: 1e5,
          unit: "s",
          default: DEFAULTS.checkpoint,
        }),
      ),
    }),
  ),
  view: optional(
    fields({
      camera: optional(
        withDefault(
          either(
            [
              word("auto"),
              fields({
                eye: place,
                target: place,
                fov: optional(angle()),
              }),
            ],
            '"auto" or { eye, target, fov }',
          ),
          "auto",
        ),
      ),
      ground: optional(flag(true)),
    }),
  ),
});
