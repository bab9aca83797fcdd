/**
 * The form of scenes and the texts of its fields as a JSON Schema, for editors and other programs. Apart from the checks: pages that run
 * scenes do without it.
 */
import { DEFINITIONS, DESCRIPTIONS, type Texts } from "./descriptions.ts";
import { type Field, type Form, NAME_FORM, typesOf } from "./form.ts";
import { scene } from "./schema.ts";

type Json = Record<string, unknown>;
type Definitions = Map<string, Json>;

/**
 * JSON Schema (draft 2020-12) of the input form.
 *
 * @example
 * const text = JSON.stringify(sceneJsonSchema());
 */
export function sceneJsonSchema(): Json {
  const definitions: Definitions = new Map();
  const root = formSchema(scene.form, DESCRIPTIONS, definitions);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "isoplate scene",
    description:
      "SI units, z up. Angles are in degrees, or { radians }. Rotations are rotation vectors in degrees, { axis, angle } or { radians }.",
    ...root,
    $defs: Object.fromEntries(definitions),
  };
}

/** @param text of the field itself, or with those of the fields inside it */
function schemaOf(field: Field, text: Texts[string] | undefined, definitions: Definitions): Json {
  const { form, id, nullable } = field;
  const [own, inside] = id === undefined ? textsOf(text) : DEFINITIONS[id];
  const described: Json = {
    ...formSchema(form, inside, definitions),
    ...(own !== "" && { description: `${own}${unitOf(form)}` }),
    ...(field.default !== undefined && { default: field.default }),
  };
  if (id !== undefined) definitions.set(id, described);
  const schema = id === undefined ? described : { $ref: `#/$defs/${id}` };
  return nullable ? { anyOf: [schema, { type: "null" }] } : schema;
}

/** The text of a field, and of those inside it. */
function textsOf(text: Texts[string] | undefined): readonly [string, Texts] {
  if (text === undefined) return ["", {}];
  if (typeof text === "string") return [text, {}];
  return isPair(text) ? text : ["", text];
}

function isPair(text: readonly [string, Texts] | Texts): text is readonly [string, Texts] {
  return Array.isArray(text);
}

/** " (m)" */
function unitOf(form: Form): string {
  if (form.kind === "tuple") return unitOf(form.item.form);
  return form.kind === "number" && form.unit !== "" && form.unit !== "1" ? ` (${form.unit})` : "";
}

/** @param texts of the fields inside it, through lists and alternatives */
function formSchema(form: Form, texts: Texts, definitions: Definitions): Json {
  const of = (field: Field, inside: Texts = texts): Json => schemaOf(field, inside, definitions);
  switch (form.kind) {
    case "number":
      return { type: form.whole ? "integer" : "number", minimum: form.min, maximum: form.max };
    case "text":
      return form.pattern
        ? { type: "string", pattern: form.pattern.source }
        : { type: "string", minLength: form.min, maxLength: form.max };
    case "flag":
      return { type: "boolean" };
    case "word":
      return { type: "string", const: form.word };
    case "choice":
      return { type: "string", enum: [...form.options] };
    case "list":
      return { type: "array", items: of(form.item), minItems: form.min, maxItems: form.max };
    case "tuple":
      return { type: "array", items: of(form.item), minItems: form.length, maxItems: form.length };
    case "named": {
      const propertyNames = formSchema(NAME_FORM, {}, definitions);
      return { type: "object", propertyNames, additionalProperties: of(form.item) };
    }
    case "fields": {
      const entries = Object.entries(form.fields);
      const required = entries.flatMap(([name, { optional }]) => (optional ? [] : [name]));
      return {
        type: "object",
        properties: Object.fromEntries(
          entries.map(([name, field]) => [name, schemaOf(field, texts[name], definitions)]),
        ),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      };
    }
    case "either":
      return { anyOf: form.options.map((option) => of(option)) };
    case "variant":
      return {
        oneOf: form.options.map((option) =>
          schemaOf(option, texts[typesOf(option)[0]], definitions),
        ),
      };
  }
}
