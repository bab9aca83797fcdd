/**
 * The kinds of fields that scenes are made of, as zod schemas whose messages say what was got, what is needed, and what
 * the likeliest slip was. A message is complete when it leaves here; schema.ts only puts fields together.
 */
import * as z from "zod/mini";
import { DEFAULTS } from "./defaults.ts";
import { nearest, show, suggestion } from "./faults.ts";
import type { AngleInput, RotationInput } from "./input.ts";
import type { Vec2, Vec3 } from "./scene.ts";

/** What a number may be. */
export interface Range {
  min: number;
  max: number;
  unit: string;
  /** Description for the JSON Schema. */
  what: string;
  /** Used if the field is left out; only told here, filled in by parse.ts. */
  default?: number | undefined;
}

interface Issue {
  readonly code?: string;
  readonly input?: unknown;
  readonly keys?: readonly string[];
}

/** A field that may be left out. */
export function optional<T extends z.ZodMiniType>(field: T): z.ZodMiniExactOptional<T> {
  return z.exactOptional(field);
}

/** The same field with what the JSON Schema tells of it. */
export function told<T extends z.ZodMiniType>(field: T, meta: Record<string, unknown>): T {
  const copy = field.clone();
  z.globalRegistry.add(copy, meta);
  return copy;
}

/** Options of a schema whose message says what was got and what is needed. */
export function needs(what: string): { error: (issue: Issue) => string } {
  return {
    error: ({ input }) =>
      input === undefined ? `missing, needs ${what}` : `got ${show(input)}, needs ${what}`,
  };
}

/** A finite number within [min, max], in the unit named. */
export function quantity(range: Range): z.ZodMiniNumber<number> {
  const error = (issue: Issue): string => numberFault(issue.input, range);
  return told(
    z.number({ error }).check(z.minimum(range.min, { error }), z.maximum(range.max, { error })),
    described(range),
  );
}

/** The same, whole. */
export function count(range: Omit<Range, "unit">): z.ZodMiniNumber<number> {
  const whole = { ...range, unit: "" };
  const error = (issue: Issue): string =>
    typeof issue.input === "number" && !Number.isInteger(issue.input)
      ? `got ${show(issue.input)}, needs a whole number, ${between(whole)}`
      : numberFault(issue.input, whole);
  return told(
    z.int({ error }).check(z.minimum(range.min, { error }), z.maximum(range.max, { error })),
    described(whole),
  );
}

export function vec3(range: Range): z.ZodMiniType<Vec3, Vec3> {
  const x = quantity(part(range));
  return told(z.tuple([x, x, x], { error: listFault(3, range) }), described(range));
}

function vec2(range: Range): z.ZodMiniType<Vec2, Vec2> {
  const x = quantity(part(range));
  return told(z.tuple([x, x], { error: listFault(2, range) }), described(range));
}

const angleRange: Range = { min: -36000, max: 36000, unit: "°", what: "" };
const radians = quantity({ min: -630, max: 630, unit: "rad", what: "The same in radians." });

/** Degrees, or { radians }. */
export function angle(what: string, unit = "°"): z.ZodMiniType<AngleInput, AngleInput> {
  const degrees = quantity({ ...angleRange, unit, what: "" });
  return told(
    z.union([degrees, fields({ radians })], needs(`a number in ${unit} or { radians }`)),
    { description: `${what} Degrees${unit === "°" ? "" : " per second"}.` },
  );
}

/** Rotation vector in degrees, { axis, angle }, or { radians: rotation vector }. */
export function rotation(what: string, unit = "°"): z.ZodMiniType<RotationInput, RotationInput> {
  const form = `a rotation vector in ${unit}, { axis, angle } or { radians: [x, y, z] }`;
  return told(
    z.union(
      [
        vec3({ ...angleRange, unit, what: "" }),
        fields({
          axis: direction("Axis of rotation, of any length."),
          angle: angle("Angle about the axis.", unit),
        }),
        fields({ radians: vec3({ min: -630, max: 630, unit: "rad", what: "" }) }),
      ],
      needs(form),
    ),
    { description: `${what} ${form.charAt(0).toUpperCase()}${form.slice(1)}.` },
  );
}

export function flag(what: string, ifMissing?: boolean): z.ZodMiniBoolean<boolean> {
  return told(
    z.boolean({
      error: (issue: Issue) =>
        issue.input === undefined
          ? "missing, needs true or false"
          : `got ${show(issue.input)}, needs true or false`,
    }),
    meta(what, ifMissing),
  );
}

export function choice<const T extends string>(
  what: string,
  options: readonly T[],
  ifMissing?: T,
  gone: Readonly<Record<string, string>> = {},
): z.ZodMiniType<T, T> {
  const error = ({ input }: Issue): string =>
    typeof input === "string" && Object.hasOwn(gone, input)
      ? `got ${show(input)}: ${gone[input]}`
      : choiceFault(input, options);
  return told(
    z.enum(options as readonly [T, ...T[]], { error }),
    meta(what, ifMissing),
  ) as z.ZodMiniType<T, T>;
}

function choiceFault(value: unknown, options: readonly string[]): string {
  const needs = `needs ${options.join(" | ")}`;
  if (value === undefined) return `missing, ${needs}`;
  const near = typeof value === "string" ? suggestion(value, options) : "";
  return `got ${show(value)}, ${needs}${near.startsWith("did") ? `; ${near}` : ""}`;
}

/** Names, file names, descriptions. */
export function text(
  what: string,
  { max = 200, min = 1 }: { max?: number; min?: number } = {},
): z.ZodMiniString<string> {
  const error = (issue: Issue): string =>
    `${issue.input === undefined ? "missing" : `got ${show(issue.input)}`}, needs a text of ${min} … ${max} characters`;
  return told(z.string({ error }).check(z.minLength(min, { error }), z.maxLength(max, { error })), {
    description: what,
  });
}

export function list<T extends z.ZodMiniType>(
  item: T,
  { what, min = 0, max = 10000 }: { what: string; min?: number; max?: number },
): z.ZodMiniArray<T> {
  const error = (issue: Issue): string =>
    Array.isArray(issue.input)
      ? `got ${issue.input.length}, needs ${min} … ${max} of them`
      : `${issue.input === undefined ? "missing" : `got ${show(issue.input)}`}, needs a list`;
  return told(
    z.array(item, { error }).check(z.minLength(min, { error }), z.maxLength(max, { error })),
    {
      description: what,
    },
  );
}

/** An object with just these fields. Unknown ones make one line of the message each, in the order of `keys`. */
export function fields<S extends z.core.$ZodLooseShape>(
  shape: S,
  what = "",
): z.ZodMiniObject<S, z.core.$strict> {
  const names = Object.keys(shape);
  const error = ({ input, keys }: Issue): string => {
    if (keys !== undefined)
      // advice for the first of them: thousands of faults are usually one fault repeated
      return keys
        .slice(0, 100)
        .map((key) => `unknown field; ${meant(key, shape)}`)
        .join("\n");
    const got = input === undefined ? "missing" : `got ${show(input)}`;
    const listed = names.length > 12 ? [...names.slice(0, 12), "…"] : names;
    return `${got}, needs { ${listed.join(", ")} }`;
  };
  const object = z.strictObject(shape, { error });
  return what === "" ? object : told(object, { description: what });
}

/** The field that `key` was meant to be: one of these, or one inside one of these (thickness is the material's). */
function meant(key: string, shape: z.core.$ZodLooseShape): string {
  const names = Object.keys(shape);
  if (nearest(key, names) !== null) return suggestion(key, names);
  const inner = names.flatMap((name) => innerNames(shape[name]).map((leaf) => ({ name, leaf })));
  const leaf = nearest(
    key,
    inner.map((one) => one.leaf),
  );
  if (leaf === null) return suggestion(key, names);
  return `did you mean "${inner.find((one) => one.leaf === leaf)?.name}.${leaf}"?`;
}

/** Names of the fields of an object schema, through optional, null and unions. */
function innerNames(schema: unknown): string[] {
  const def = (schema as { def?: { shape?: object; innerType?: unknown; options?: unknown[] } })
    .def;
  if (def?.shape !== undefined) return Object.keys(def.shape);
  if (def?.innerType !== undefined) return innerNames(def.innerType);
  return (def?.options ?? []).flatMap(innerNames);
}

/** One of several objects, told apart by `type`. */
export function variant<T extends readonly [z.ZodMiniObject, ...z.ZodMiniObject[]]>(
  options: T,
  what: string,
): z.ZodMiniDiscriminatedUnion<T, "type"> {
  const types: string[] = options.flatMap((option) => typesOf(option));
  return told(
    z.discriminatedUnion("type", options as never, {
      error: (issue: Issue) => {
        const { input } = issue;
        if (typeof input !== "object" || input === null || Array.isArray(input))
          return `${input === undefined ? "missing" : `got ${show(input)}`}, needs an object with type: ${types.join(" | ")}`;
        return choiceFault((input as { type?: unknown }).type, types);
      },
    }),
    { description: what },
  ) as never;
}

/** The values that the `type` of a variant may have; one variant may leave it out. */
function typesOf(option: z.ZodMiniObject): string[] {
  const { type } = option.shape as {
    type: z.ZodMiniLiteral<string> | z.ZodMiniExactOptional<z.ZodMiniLiteral<string>>;
  };
  const { def } = type;
  return [...(def.type === "literal" ? def : def.innerType.def).values];
}

/** A field that may be left out, or null. */
export function maybe<T extends z.ZodMiniType>(
  field: T,
): z.ZodMiniExactOptional<z.ZodMiniNullable<T>> {
  return optional(z.nullable(field));
}

/** A position in space. */
export const place: z.ZodMiniType<Vec3, Vec3> = vec3({
  min: -1000,
  max: 1000,
  unit: "m",
  what: "Position.",
});

/** A point of the material. */
export const point2: z.ZodMiniType<Vec2, Vec2> = vec2({
  min: -1000,
  max: 1000,
  unit: "m",
  what: "Material coordinates [u, v].",
});

/** A direction; parse.ts makes it a unit vector. */
export function direction(what: string): z.ZodMiniType<Vec3, Vec3> {
  return vec3({ min: -1e6, max: 1e6, unit: "", what });
}

/** A length that something visible may have. */
export function size(what: string): z.ZodMiniNumber<number> {
  return quantity({ min: 1e-3, max: 100, unit: "m", what });
}

export function time(what: string): z.ZodMiniNumber<number> {
  return quantity({ min: 0, max: 1e5, unit: "s", what });
}

export function file(what: string): z.ZodMiniString<string> {
  return text(what, { max: 1000 });
}

export function scale(): z.ZodMiniExactOptional<z.ZodMiniNumber<number>> {
  return optional(
    quantity({
      min: 1e-6,
      max: 1e6,
      unit: "",
      what: "Metres per unit of the file.",
      default: 1,
    }),
  );
}

export function friction(): z.ZodMiniExactOptional<z.ZodMiniNumber<number>> {
  return optional(
    quantity({
      min: 0,
      max: 10,
      unit: "",
      what: "Coulomb friction.",
      default: DEFAULTS.friction,
    }),
  );
}

function numberFault(value: unknown, range: Range): string {
  if (value === undefined) return `missing, needs ${between(range)}`;
  const hint = slip(value, range);
  return `got ${show(value)}, needs ${between(range)}${hint === "" ? "" : `; ${hint}`}`;
}

function between({ min, max, unit }: Range): string {
  return `${spell(min)} … ${spell(max)}${unit === "" || unit === "1" ? "" : ` ${unit}`}`;
}

function spell(x: number): string {
  const size = Math.abs(x);
  return size !== 0 && (size >= 1e6 || size < 1e-3) ? x.toExponential().replace("e+", "e") : `${x}`;
}

/** The likeliest reason for a number out of its range. */
function slip(value: unknown, { min, max, unit }: Range): string {
  if (typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)))
    return "is it in quotes?";
  if (typeof value !== "number" || !Number.isFinite(value)) return "";
  const fits = (x: number): boolean => x >= min && x <= max && x !== 0;
  if (unit === "m" && fits(value / 1000)) return "is it in millimetres?";
  if (unit === "m" && fits(value / 100)) return "is it in centimetres?";
  if (unit === "kg/m²" && fits(value / 1000)) return "is it in g/m²?";
  if (unit === "kg" && fits(value / 1000)) return "is it in grams?";
  if (unit === "kg/m³" && fits(value * 1000)) return "is it in g/cm³?";
  if (unit === "s" && fits(1 / value)) return "is it a rate? this is a time";
  if (unit === "s" && fits(value / 1000)) return "is it in milliseconds?";
  if (unit === "Pa" && fits(value * 1e6)) return "is it in MPa or GPa?";
  if (unit === "1" && fits(value / 100)) return "is it in percent?";
  return min >= 0 && value < 0 && fits(-value) ? "is the sign right?" : "";
}

function part(range: Range): Range {
  return { ...range, what: "", default: undefined };
}

function listFault(length: number, range: Range): (issue: Issue) => string {
  const words = length === 3 ? "three numbers [x, y, z]" : "two numbers [u, v]";
  const needs = `needs ${words} in ${between(range)}`;
  return ({ input }) =>
    input === undefined ? `missing, ${needs}` : `got ${show(input)}, ${needs}`;
}

function described(range: Range): Record<string, unknown> {
  const unit = range.unit === "" || range.unit === "1" ? "" : ` (${range.unit})`;
  return range.what === "" ? {} : meta(`${range.what}${unit}`, range.default);
}

function meta(what: string, ifMissing: unknown): Record<string, unknown> {
  return ifMissing === undefined
    ? { description: what }
    : { description: what, default: ifMissing };
}
