/**
 * The kinds of fields that scenes are made of. schema.ts, schema-sheet.ts and schema-world.ts put them together.
 */
import { between } from "./check-form.ts";
import { DEFAULTS } from "./defaults.ts";
import {
  type AnyOf,
  type Field,
  type FieldsForm,
  NAME_FORM,
  type ObjectOf,
  type OptionalField,
} from "./form.ts";
import type { AngleInput, RotationInput } from "./input.ts";
import type { Vec2, Vec3 } from "./scene.ts";

/** What a number may be. */
export interface Range {
  min: number;
  max: number;
  unit: string;
  /** Used if the field is left out; only documented here, filled in by parse.ts. */
  default?: number | undefined;
}

/** A field that may be left out. */
export function optional<T>(field: Field<T>): OptionalField<T> {
  return { ...field, optional: true };
}

/** A field that may be left out, or null. */
export function maybe<T>(field: Field<T>): OptionalField<T | null> {
  return { ...field, optional: true, nullable: true };
}

/** The same field with its default; only documented here, filled in by parse.ts. */
export function withDefault<T>(field: Field<T>, value: unknown): Field<T> {
  return { ...field, default: value };
}

/** The same field as a definition of the JSON Schema, for forms that many fields have. */
export function define<T>(id: string, field: Field<T>): Field<T> {
  return { ...field, id };
}

/** A finite number within [min, max], in the unit named. */
export function quantity(range: Range): Field<number> {
  return number(range, false);
}

/** The same, whole. */
export function count(range: Omit<Range, "unit">): Field<number> {
  return number({ ...range, unit: "" }, true);
}

function number({ min, max, unit, default: value }: Range, whole: boolean): Field<number> {
  const field: Field<number> = { form: { kind: "number", min, max, unit, whole } };
  return value === undefined ? field : withDefault(field, value);
}

export function vec3(range: Range): Field<Vec3> {
  return tuple<Vec3>(quantity(range), 3, `three numbers [x, y, z] in ${between(range)}`);
}

function vec2(range: Range): Field<Vec2> {
  return tuple<Vec2>(quantity(range), 2, `two numbers [u, v] in ${between(range)}`);
}

/** A fixed number of equal entries. */
export function tuple<T extends readonly unknown[]>(
  item: Field<T[number]>,
  length: T["length"],
  needs: string,
): Field<T> {
  return { form: { kind: "tuple", item, length, needs } };
}

const degrees = { min: -36000, max: 36000 };
const radians = { min: -630, max: 630, unit: "rad" };

/** Degrees, or { radians }. */
export function angle(unit: string = "°"): Field<AngleInput> {
  return either(
    [quantity({ ...degrees, unit }), fields({ radians: quantity(radians) })],
    `a number in ${unit} or { radians }`,
  );
}

/** Rotation vector in degrees, { axis, angle }, or { radians: rotation vector }. */
export function rotation(unit: string = "°"): Field<RotationInput> {
  return either(
    [
      vec3({ ...degrees, unit }),
      fields({ axis: direction(), angle: angle(unit) }),
      fields({ radians: vec3(radians) }),
    ],
    `a rotation vector in ${unit}, { axis, angle } or { radians: [x, y, z] }`,
  );
}

export function flag(ifMissing?: boolean): Field<boolean> {
  const field: Field<boolean> = { form: { kind: "flag" } };
  return ifMissing === undefined ? field : withDefault(field, ifMissing);
}

/** This word and no other. */
export function word<const T extends string>(text: T): Field<T> {
  return { form: { kind: "word", word: text } };
}

export function choice<const T extends string>(
  options: readonly T[],
  ifMissing?: T,
  gone: Readonly<Record<string, string>> = {},
): Field<T> {
  const field: Field<T> = { form: { kind: "choice", options, gone } };
  return ifMissing === undefined ? field : withDefault(field, ifMissing);
}

/** Names, file names, descriptions. */
export function text({
  max = NAME_FORM.max,
  min = NAME_FORM.min,
}: {
  max?: number;
  min?: number;
} = {}): Field<string> {
  return { form: { kind: "text", min, max } };
}

/** A text of this form. */
export function pattern(form: RegExp, needs: string): Field<string> {
  return { form: { kind: "text", min: 0, max: 100, pattern: form, needs } };
}

export function list<T>(
  item: Field<T>,
  { min = 0, max = 10000 }: { min?: number; max?: number } = {},
): Field<T[]> {
  return { form: { kind: "list", item, min, max } };
}

/** An object with just these fields. */
export function fields<const S extends FieldsForm["fields"]>(shape: S): Field<ObjectOf<S>> {
  return { form: { kind: "fields", fields: shape } };
}

/** An object whose fields have any names. */
export function named<T>(item: Field<T>, needs: string): Field<Record<string, T>> {
  return { form: { kind: "named", item, needs } };
}

/** One of several forms. */
export function either<const F extends readonly Field[]>(
  options: F,
  needs: string,
): Field<AnyOf<F>> {
  return { form: { kind: "either", options, needs } };
}

/** One of several objects, told apart by `type`. */
export function variant<const F extends readonly Field[]>(options: F): Field<AnyOf<F>> {
  return { form: { kind: "variant", options } };
}

/** A position in space. */
export const place: Field<Vec3> = vec3({ min: -1000, max: 1000, unit: "m" });

/** A point of the material. */
export const point2: Field<Vec2> = vec2({
  min: -1000,
  max: 1000,
  unit: "m",
});

/** A direction; parse.ts makes it a unit vector. */
export function direction(): Field<Vec3> {
  return vec3({ min: -1e6, max: 1e6, unit: "" });
}

/** A length that something visible may have. */
export function size(): Field<number> {
  return quantity({ min: 1e-3, max: 100, unit: "m" });
}

export function time(): Field<number> {
  return quantity({ min: 0, max: 1e5, unit: "s" });
}

export function file(): Field<string> {
  return text({ max: 1000 });
}

export function scale(): OptionalField<number> {
  return optional(quantity({ min: 1e-6, max: 1e6, unit: "", default: 1 }));
}

export function friction(): OptionalField<number> {
  return optional(quantity({ min: 0, max: 10, unit: "", default: DEFAULTS.friction }));
}
