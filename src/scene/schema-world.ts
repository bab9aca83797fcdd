/** Schema of what holds, moves, hits and carries the sheets: motions, picks, pins, masses, bodies, the substrate. */
import { DEFAULTS, MOST_POINTS } from "./defaults.ts";
import {
  angle,
  choice,
  count,
  define,
  direction,
  either,
  fields,
  file,
  flag,
  friction,
  list,
  maybe,
  optional,
  pattern,
  place,
  point2,
  quantity,
  rotation,
  scale,
  size,
  text,
  time,
  tuple,
  variant,
  vec3,
  withDefault,
  word,
} from "./fields.ts";
import type { Field } from "./form.ts";
import type {
  AttachmentInput,
  ColliderInput,
  KeyInput,
  MassInput,
  MotionInput,
  PickInput,
  PinInput,
  SubstrateInput,
} from "./input.ts";
import type { Vec3 } from "./scene.ts";

const key = fields({
  time: time(),
  translate: optional(place),
  rotate: optional(rotation()),
});
const keys = list(key, {
  min: 1,
});
const spinRate = angle("°/s");
const motion: Field<MotionInput | KeyInput[]> = define(
  "Motion",
  either(
    [
      keys,
      fields({
        keys: optional(keys),
        smooth: optional(flag(false)),
        pivot: optional(place),
        spin: maybe(
          fields({
            axis: optional(direction()),
            rate: optional(spinRate),
            rates: optional(
              list(fields({ time: time(), rate: spinRate }), {
                min: 1,
              }),
            ),
          }),
        ),
      }),
    ],
    "a list of keys or { keys, smooth, pivot, spin }",
  ),
);

const box = fields({ min: point2, max: point2 });
const pick: Field<PickInput> = fields({
  sheet: optional(
    withDefault(
      either([count({ min: 0, max: 99 }), text()], "the name or the number of a sheet"),
      0,
    ),
  ),
  corner: optional(text()),
  corners: optional(list(text())),
  edge: optional(text()),
  edges: optional(list(text())),
  region: optional(box),
  regions: optional(list(box)),
  nearest: optional(either([point2, list(point2)], "[u, v] or a list of them")),
  points: optional(
    list(count({ min: 0, max: MOST_POINTS - 1 }), {
      max: MOST_POINTS,
    }),
  ),
  radius: optional(
    quantity({
      min: 0,
      max: 10,
      unit: "m",
      default: 0,
    }),
  ),
});
const at: Field<PickInput | PickInput[]> = define(
  "Pick",
  either(
    [pick, list(pick, { min: 1 })],
    "{ corner | edge | region | nearest | points } or a list of them",
  ),
);

const release = maybe(time());

const axes = withDefault(
  either(
    [
      pattern(/^(?=.)x?y?z?$/, "letters out of xyz, in this order"),
      fields({ x: flag(), y: flag(), z: flag() }),
    ],
    'letters such as "xz", or { x, y, z }',
  ),
  "xyz",
);

export const pin: Field<PinInput> = fields({
  name: optional(text()),
  at,
  kind: optional(choice(["pin", "hinge", "clamp"], "pin")),
  axes: optional(axes),
  motion: maybe(motion),
  release,
});

export const mass: Field<MassInput> = fields({
  at,
  mass: quantity({ min: 0, max: 1e4, unit: "kg" }),
});

export const attachment: Field<AttachmentInput> = fields({
  at,
  target: maybe(place),
  motion: maybe(motion),
  release,
});

const rounding = optional(
  quantity({
    min: 0,
    max: 10,
    unit: "m",
    default: 0,
  }),
);
export const collider: Field<ColliderInput> = fields({
  name: optional(text()),
  body: variant([
    fields({
      type: word("plane"),
      normal: optional(direction()),
    }),
    fields({ type: word("sphere"), radius: size() }),
    fields({
      type: word("box"),
      size: vec3({ min: 1e-4, max: 1000, unit: "m" }),
      rounding,
    }),
    fields({
      type: word("capsule"),
      radius: size(),
      length: size(),
    }),
    fields({
      type: word("cylinder"),
      radius: size(),
      length: size(),
      rounding,
    }),
    fields({
      type: word("cone"),
      radius: size(),
      length: size(),
      rounding,
    }),
    fields({
      type: word("torus"),
      major: size(),
      minor: size(),
    }),
    fields({ type: word("edge"), radius: size() }),
    fields({
      type: word("mesh"),
      file: file(),
      scale: scale(),
      closed: optional(flag(true)),
      vertices: maybe(
        either(
          [
            file(),
            fields({
              file: file(),
              rate: optional(
                quantity({
                  min: 0.01,
                  max: 1e4,
                  unit: "1/s",
                  default: DEFAULTS.vertexRate,
                }),
              ),
              start: optional(
                quantity({
                  min: -1e5,
                  max: 1e5,
                  unit: "s",
                  default: 0,
                }),
              ),
            }),
          ],
          "a file, or { file, rate, start }",
        ),
      ),
    }),
  ]),
  position: optional(place),
  rotation: optional(rotation()),
  friction: friction(),
  offset: optional(
    quantity({
      min: 0,
      max: 1,
      unit: "m",
      default: 0,
    }),
  ),
  motion: maybe(
    either([motion, word("file")], 'a list of keys, { keys, smooth, pivot, spin }, or "file"'),
  ),
});

export const substrate: Field<SubstrateInput> = fields({
  shape: variant([
    fields({
      type: word("block"),
      size: vec3({ min: 1e-4, max: 100, unit: "m" }),
      cells: tuple<Vec3>(cells(), 3, "three whole numbers"),
      grading: optional(
        quantity({
          min: 0.01,
          max: 100,
          unit: "",
          default: 1,
        }),
      ),
    }),
    fields({
      type: word("cylinder"),
      radius: size(),
      height: size(),
      cells: cells(),
    }),
    fields({ type: word("file"), file: file() }),
  ]),
  young: quantity({ min: 1, max: 1e12, unit: "Pa" }),
  poisson: optional(
    quantity({
      min: 0,
      max: 0.499,
      unit: "",
      default: DEFAULTS.substratePoisson,
    }),
  ),
  density: optional(
    quantity({
      min: 1,
      max: 3e4,
      unit: "kg/m³",
      default: DEFAULTS.substrateDensity,
    }),
  ),
  position: optional(place),
  held: optional(
    list(
      fields({
        face: text(),
        min: maybe(place),
        max: maybe(place),
        axes: optional(axes),
        motion: maybe(motion),
      }),
      {},
    ),
  ),
  coupling: optional(
    fields({
      spacing: maybe(quantity({ min: 1e-4, max: 10, unit: "m" })),
      twoWay: optional(flag(false)),
    }),
  ),
});

function cells(): Field<number> {
  return count({ min: 1, max: 1000 });
}
