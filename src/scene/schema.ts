/**
 * The published form of scenes: which fields there are, their types, ranges, units and defaults.
 *
 * One zod schema of the input form gives both the checks and the JSON Schema (`isoplate schema`). It only checks:
 * conversion, defaults and what depends on several fields at once are parse.ts's. Ranges are generous; they exist to
 * catch wrong units and typing errors, not to forbid physics.
 */
import * as z from "zod/mini";
import { DEFAULTS } from "./defaults.ts";
import type { Path } from "./faults.ts";
import {
  angle,
  choice,
  count,
  direction,
  fields,
  flag,
  friction,
  list,
  maybe,
  needs,
  optional,
  place,
  quantity,
  text,
  told,
  vec3,
} from "./fields.ts";
import type { SceneInput } from "./input.ts";
import { sheet } from "./schema-sheet.ts";
import { attachment, collider, mass, pin, substrate } from "./schema-world.ts";

/** Constraints of 0.1, and what to write instead. */
const GONE = {
  metric: "the averaged metric went with 0.1; leave it out, or write frames, which does not lock",
  strain: "the averaged strain went with 0.1; write frames, or paper for the averaged F",
};

const scene: z.ZodMiniType<SceneInput> = fields({
  $schema: optional(text("Address of this schema, for editors.", { max: 2000 })),
  name: optional(text("Name of the scene.")),
  description: optional(text("What it shows.", { max: 10000, min: 0 })),
  seed: optional(
    count({
      min: 0,
      max: 2 ** 32 - 1,
      what: "Seed of everything random.",
      default: DEFAULTS.seed,
    }),
  ),
  seconds: optional(
    quantity({
      min: 0,
      max: 1e5,
      unit: "s",
      what: "Simulated time.",
      default: DEFAULTS.seconds,
    }),
  ),
  h: optional(
    quantity({
      min: 1e-6,
      max: 0.1,
      unit: "s",
      what: "Time step; 1/240 if accurate, 1/60 if interactive, 0.001 if paper.",
    }),
  ),
  solver: optional(choice("How to step.", ["accurate", "interactive", "paper"], DEFAULTS.solver)),
  integrator: optional(
    choice(
      "Time integration: implicit Euler, or the second order of BDF2, which loses a tenth of the energy, and goes back to Euler in steps that touch something, are taken in halves or would gain energy.",
      ["euler", "bdf2"],
      DEFAULTS.integrator,
    ),
  ),
  stuck: optional(
    choice(
      "A pin or body that cannot go on is held back with a warning, or stops the run with an error.",
      ["hold", "stop"],
      DEFAULTS.stuck,
    ),
  ),
  sleep: optional(
    flag("A scene at rest is left as it is until something moves, at no cost.", DEFAULTS.sleep),
  ),
  constraint: optional(
    choice(
      "What is kept: the arcs of samples with frames, or the paper's trace and determinant of the averaged F.",
      ["frames", "paper"],
      DEFAULTS.constraint,
      GONE,
    ),
  ),
  method: optional(
    choice(
      "Ours, or one to compare with.",
      ["isometry", "discrete-shells", "quad-edges", "triangle-edges"],
      DEFAULTS.method,
    ),
  ),
  tolerance: optional(
    quantity({
      min: 1e-8,
      max: 1,
      unit: "1",
      what: "Largest residual that a projection may leave (solver: paper, quad-edges, triangle-edges).",
      default: DEFAULTS.tolerance,
    }),
  ),
  baseline: optional(
    fields(
      {
        young: optional(
          quantity({
            min: 100,
            max: 1e13,
            unit: "Pa",
            what: "discrete-shells: Young's modulus.",
            default: DEFAULTS.young,
          }),
        ),
        thickness: optional(
          quantity({
            min: 1e-6,
            max: 0.05,
            unit: "m",
            what: "discrete-shells: thickness.",
            default: DEFAULTS.thickness,
          }),
        ),
        diagonalStiffness: optional(
          quantity({
            min: 0,
            max: 1e9,
            unit: "N/m",
            what: "quad-edges: stiffness of the diagonals.",
            default: DEFAULTS.diagonalStiffness,
          }),
        ),
      },
      "Settings of the methods to compare with.",
    ),
  ),
  projection: optional(
    fields(
      {
        geometricStiffness: optional(flag("Regularise with geometric stiffness.", true)),
        shift: optional(
          quantity({
            min: 0,
            max: 1,
            unit: "",
            what: "Relative shift of the diagonal.",
            default: DEFAULTS.shift,
          }),
        ),
        maxRounds: optional(
          count({
            min: 1,
            max: 10000,
            what: "Most rounds a step.",
            default: DEFAULTS.maxRounds,
          }),
        ),
      },
      "Settings of solver: paper.",
    ),
  ),
  static: maybe(
    told(
      z.union(
        [
          flag("Static mode with its default stop."),
          fields({
            forceTolerance: optional(
              quantity({
                min: 1e-15,
                max: 1,
                unit: "",
                what: "Largest force left, relative to the load.",
                default: DEFAULTS.forceTolerance,
              }),
            ),
            maxIterations: optional(
              count({
                min: 1,
                max: 1e6,
                what: "Most Newton iterations.",
                default: DEFAULTS.maxIterations,
              }),
            ),
          }),
        ],
        needs("true, false or { forceTolerance, maxIterations }"),
      ),
      { description: "Look for equilibrium instead of stepping through time." },
    ),
  ),
  gravity: optional(
    told(
      z.union(
        [
          quantity({ min: -1000, max: 1000, unit: "m/s²", what: "Downwards." }),
          vec3({ min: -1000, max: 1000, unit: "m/s²", what: "" }),
        ],
        needs("a number, downwards, or [x, y, z] in m/s²"),
      ),
      { description: "Gravity (m/s²): downwards, or a vector.", default: DEFAULTS.gravity },
    ),
  ),
  air: optional(
    fields(
      {
        drag: optional(
          quantity({
            min: 0,
            max: 1e6,
            unit: "N·s/m³",
            what: "Linear drag per area.",
            default: 0,
          }),
        ),
        wind: optional(vec3({ min: -200, max: 200, unit: "m/s", what: "Wind." })),
        density: optional(
          quantity({
            min: 0,
            max: 1e4,
            unit: "kg/m³",
            what: "Of the air, for pressure on the normal; 0 turns it off, 1.2 is air.",
            default: 0,
          }),
        ),
      },
      "Air.",
    ),
  ),
  foundation: maybe(
    fields(
      {
        stiffness: quantity({
          min: 0,
          max: 1e12,
          unit: "N/m³",
          what: "Spring stiffness per area.",
        }),
        axis: optional(direction("Direction; z by default.")),
      },
      "Springs per area to the start pose.",
    ),
  ),
  pressure: optional(
    quantity({
      min: -1e7,
      max: 1e7,
      unit: "Pa",
      what: "Pressure along the normals.",
      default: 0,
    }),
  ),
  sheet: optional(told(sheet, { description: "The sheet, if there is one only." })),
  sheets: optional(list(sheet, { what: "The sheets.", min: 1, max: 100 })),
  pins: optional(list(pin, { what: "Pins, hinges and clamps." })),
  masses: optional(list(mass, { what: "Hung masses." })),
  attachments: optional(
    list(attachment, {
      what: "Mean positions of patches that follow a target.",
    }),
  ),
  colliders: optional(list(collider, { what: "Bodies.", max: 1000 })),
  contact: optional(
    fields(
      {
        self: optional(flag("Sheets against themselves and each other.", false)),
        friction: friction(),
        slipSpeed: optional(
          quantity({
            min: 1e-6,
            max: 10,
            unit: "m/s",
            what: "Layers that stick give way by as much as this speed makes in a step.",
            default: DEFAULTS.slipSpeed,
          }),
        ),
      },
      "Contact between layers.",
    ),
  ),
  substrate: maybe(told(substrate, { description: "An elastic solid under the sheet." })),
  record: optional(
    fields(
      {
        rate: optional(
          quantity({
            min: 1e-3,
            max: 1e6,
            unit: "1/s",
            what: "Frames per second of simulated time.",
            default: DEFAULTS.rate,
          }),
        ),
        checkpoint: optional(
          quantity({
            min: 1e-3,
            max: 1e5,
            unit: "s",
            what: "Simulated time between checkpoints; frames that took long are followed by one in any case.",
            default: DEFAULTS.checkpoint,
          }),
        ),
      },
      "What to record.",
    ),
  ),
  view: optional(
    fields(
      {
        camera: optional(
          told(
            z.union(
              [
                z.literal("auto"),
                fields({
                  eye: told(place, { description: "Where the camera is (m)." }),
                  target: told(place, { description: "What it looks at (m)." }),
                  fov: optional(angle("Vertical field of view.")),
                }),
              ],
              needs('"auto" or { eye, target, fov }'),
            ),
            { description: "Camera.", default: "auto" },
          ),
        ),
        ground: optional(flag("Draw a ground.", true)),
      },
      "How pictures show it.",
    ),
  ),
});

/** What is wrong with the form of `value`, and the value itself typed if nothing is. */
export function checkForm(
  value: unknown,
): { input: SceneInput } | { faults: { path: Path; message: string }[] } {
  let result: ReturnType<typeof scene.safeParse>;
  let more: { path: Path; message: string }[] = [];
  try {
    result = scene.safeParse(value);
  } catch (error) {
    // zod hands all faults of a list to one call, and engines take some 10⁵ arguments
    if (!(error instanceof RangeError)) throw error;
    result = scene.safeParse(shortened(value));
    more = [{ path: [], message: "countless faults in long lists; these are the first" }];
  }
  if (result.success) return more.length === 0 ? { input: value as SceneInput } : { faults: more };
  return { faults: [...result.error.issues.flatMap((issue) => flatten(issue, [])), ...more] };
}

/** A copy with the first thousand entries of every list. */
function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1000).map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
}

/**
 * JSON Schema (draft 2020-12) of the input form.
 *
 * @example
 * const text = JSON.stringify(sceneJsonSchema());
 */
export function sceneJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(scene, {
    io: "input",
    override: ({ jsonSchema }) => {
      // [x, y, z] with equal ranges: say the range once
      const { prefixItems } = jsonSchema;
      if (!Array.isArray(prefixItems)) return;
      const texts = new Set(prefixItems.map((item) => JSON.stringify(item)));
      if (texts.size !== 1) return;
      delete jsonSchema.prefixItems;
      jsonSchema.items = prefixItems[0] as z.core.JSONSchema.JSONSchema;
    },
  });
  return {
    $schema,
    title: "isoplate scene",
    description:
      "SI units, z up. Angles are in degrees, or { radians }. Rotations are rotation vectors in degrees, { axis, angle } or { radians }.",
    ...rest,
  };
}

type ZodIssue = z.core.$ZodIssue;

/** One fault per unknown key; of a union, the faults of the branch that was most likely meant. */
function flatten(issue: ZodIssue, above: Path): { path: Path; message: string }[] {
  const path = [...above, ...(issue.path as (string | number)[])];
  if (issue.code === "unrecognized_keys") {
    const lines = issue.message.split("\n");
    return issue.keys.map((name, k) => ({
      path: [...path, name],
      message: lines[k] ?? "unknown field",
    }));
  }
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const likely = issue.errors
      .filter((branch) => !branch.some(atRoot))
      .sort((a, b) => a.length - b.length)[0];
    if (likely !== undefined) return likely.flatMap((inner) => flatten(inner, path));
    const told = issue.errors.flat().find((inner) => inner.code !== "invalid_type");
    return [{ path, message: told?.message ?? issue.message }];
  }
  return [{ path, message: issue.message }];
}

/** The branch is of another kind altogether, so it was not meant. */
function atRoot(issue: ZodIssue): boolean {
  return issue.path.length === 0 && issue.code !== "unrecognized_keys";
}
