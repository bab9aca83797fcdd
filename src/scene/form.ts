/**
 * The form of scenes as data: what a field may be. check-form.ts checks values against it, json-schema.ts writes it for editors.
 *
 * A field carries the type of its values, so that the compiler holds schema.ts against the types of input.ts.
 */

/** A number within [min, max], in the unit named. */
export interface NumberForm {
  readonly kind: "number";
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  readonly whole: boolean;
}

/** A text of min … max characters, or one that a pattern describes. */
export interface TextForm {
  readonly kind: "text";
  readonly min: number;
  readonly max: number;
  readonly pattern?: RegExp;
  /** What the pattern asks for, in words. */
  readonly needs?: string;
}

/** Names that a scene gives itself. */
export const NAME_FORM: TextForm = { kind: "text", min: 1, max: 200 };

/** One of some words. */
export interface ChoiceForm {
  readonly kind: "choice";
  readonly options: readonly string[];
  /** Words of earlier releases, and what to write instead. */
  readonly gone: Readonly<Record<string, string>>;
}

/** An object with just these fields. */
export interface FieldsForm {
  readonly kind: "fields";
  readonly fields: Readonly<Record<string, Field>>;
}

export type Form =
  | NumberForm
  | TextForm
  | ChoiceForm
  | FieldsForm
  | { readonly kind: "flag" }
  | { readonly kind: "word"; readonly word: string }
  /** min … max entries. */
  | { readonly kind: "list"; readonly item: Field; readonly min: number; readonly max: number }
  /** A fixed number of entries. */
  | {
      readonly kind: "tuple";
      readonly item: Field;
      readonly length: number;
      readonly needs: string;
    }
  /** An object whose fields have any names. */
  | { readonly kind: "named"; readonly item: Field; readonly needs: string }
  /** One of several forms. */
  | { readonly kind: "either"; readonly options: readonly Field[]; readonly needs: string }
  /** One of several objects, told apart by `type`. */
  | { readonly kind: "variant"; readonly options: readonly Field[] };

export interface Field<T = unknown> {
  readonly form: Form;
  /** Its default: written into the JSON Schema, filled in by parse.ts. */
  readonly default?: unknown;
  /** Name of its definition in the JSON Schema, for forms that many fields have. */
  readonly id?: string;
  readonly optional?: boolean;
  /** May be null, which means the same as left out. */
  readonly nullable?: boolean;
  /** Never set: carries the type of the values. */
  readonly type?: T;
}

/** A field that may be left out. */
export interface OptionalField<T> extends Field<T> {
  readonly optional: true;
}

type TypeOf<F> = F extends Field<infer T> ? T : never;
type OptionalNames<S> = {
  [K in keyof S]: S[K] extends { readonly optional: true } ? K : never;
}[keyof S];

/** The values of an object with such fields. */
export type ObjectOf<S> = { [K in Exclude<keyof S, OptionalNames<S>>]: TypeOf<S[K]> } & {
  [K in OptionalNames<S>]?: TypeOf<S[K]>;
};
/** The values of any of these fields. */
export type AnyOf<F extends readonly Field[]> = TypeOf<F[number]>;

/** Names of the fields of an object, also of the objects that a field may be. */
export function namesIn({ form }: Field): string[] {
  if (form.kind === "fields") return Object.keys(form.fields);
  return form.kind === "either" || form.kind === "variant" ? form.options.flatMap(namesIn) : [];
}

/** The words that the `type` of a variant may have. */
export function typesOf({ form }: Field): string[] {
  const type = form.kind === "fields" ? form.fields.type.form : form;
  return type.kind === "word" ? [type.word] : [];
}
