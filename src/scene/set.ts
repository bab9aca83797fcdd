/**
 * `--set path=value`: any field of a scene, in its input form.
 *
 * A path is dotted, with numbers for places in lists: `sheet.material.D`, `pins.1.release`, `pins[1].release`. `sheet`
 * stands for the first of `sheets` and the other way round. The path is looked up in the schema, so that a slip is answered with the nearest names,
 * before the value is checked like everything else.
 */
import { nearest, pathText, SceneError } from "./faults.ts";
import { sceneJsonSchema } from "./json-schema.ts";
import { pathSteps } from "./parse.ts";
import { readValue } from "./text.ts";

type Json = Record<string, unknown>;

/** Writing the schema takes tens of milliseconds, and sweeps set thousands of fields. */
let schemaOnce: Json | null = null;

/**
 * A copy of `input` with one field changed; `value` is YAML (a number, a word, [1, 2, 3], { … }, null).
 *
 * @example
 * const stiffer = setPath(input, "sheet.material.D", "1e-3");
 */
export function setPath(input: unknown, path: string, value: string): unknown {
  const steps = pathSteps(path);
  const root: Json = isRecord(input) ? structuredClone(input) : {};
  const fault = (message: string): never => {
    throw new SceneError("--set", [{ path: path.slice(0, 200), message }]);
  };
  if (steps.length === 0) fault("needs path=value, such as sheet.material.D=1e-3");

  // sheet and sheets[0] are the same thing
  if (steps[0] === "sheet" && root.sheet === undefined && Array.isArray(root.sheets))
    steps.splice(0, 1, "sheets", 0);
  else if (
    steps[0] === "sheets" &&
    steps[1] === 0 &&
    root.sheets === undefined &&
    root.sheet !== undefined
  )
    steps.splice(0, 2, "sheet");

  schemaOnce ??= sceneJsonSchema();
  const schema = schemaOnce;
  let allowed = [schema];
  for (let k = 0; k < steps.length; k++) {
    const next = allowed.flatMap((s) => below(s, steps[k], schema));
    if (next.length === 0) {
      const names = [...new Set(allowed.flatMap((s) => namesIn(s, schema)))];
      const near = nearest(String(steps[k]), names);
      const where = k === 0 ? "a scene" : pathText(steps.slice(0, k));
      const known = names.length === 0 ? "it has no fields" : `known: ${names.join(", ")}`;
      const hint = near === null ? known : `did you mean "${near}"?`;
      fault(`${where} has no field "${String(steps[k]).slice(0, 60)}"; ${hint}`);
    }
    allowed = next;
  }

  let parsed: unknown;
  try {
    parsed = readValue(value);
  } catch (error) {
    fault(`cannot read the value: ${(error as Error).message}`);
  }
  let at: unknown = root;
  for (let k = 0; k + 1 < steps.length; k++)
    at = descend(at, steps[k], typeof steps[k + 1] === "number", fault);
  const last = steps[steps.length - 1];
  if (Array.isArray(at)) {
    if (typeof last !== "number" || last > at.length)
      fault(`the list has ${at.length} entries, needs 0 … ${at.length}`);
    at[last as number] = parsed;
  } else (at as Json)[String(last)] = parsed;
  return root;
}

/** The value at `step`, made if it is missing or a short form. */
function descend(
  at: unknown,
  step: string | number,
  list: boolean,
  fault: (m: string) => never,
): unknown {
  const holder = at as Record<string | number, unknown>;
  if (Array.isArray(at) && (typeof step !== "number" || step > at.length))
    fault(`the list has ${at.length} entries, needs 0 … ${at.length}`);
  let value = holder[step];
  // material: silk means material: { preset: silk }
  if (step === "material" && typeof value === "string") value = { preset: value };
  if (typeof value !== "object" || value === null) value = list ? [] : {};
  holder[step] = value;
  return value;
}

/** Schemas of the field or entry `step` of what `schema` allows. */
function below(schema: Json, step: string | number, root: Json): Json[] {
  return branches(schema, root).flatMap((s): Json[] => {
    if (typeof step === "number") {
      if (Array.isArray(s.prefixItems)) {
        const item = s.prefixItems[step] as Json | undefined;
        return item === undefined ? [] : [item];
      }
      return isRecord(s.items) ? [s.items] : [];
    }
    const properties = s.properties as Json | undefined;
    if (properties !== undefined && Object.hasOwn(properties, step))
      return [properties[step] as Json];
    return isRecord(s.additionalProperties) ? [s.additionalProperties] : [];
  });
}

function namesIn(schema: Json, root: Json): string[] {
  return branches(schema, root).flatMap((s) =>
    Object.keys((s.properties as Json | undefined) ?? {}),
  );
}

/** The schema itself, with references followed and unions opened. */
function branches(schema: Json, root: Json): Json[] {
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.replace("#/$defs/", "");
    const target = (root.$defs as Json | undefined)?.[name];
    return isRecord(target) ? branches(target, root) : [];
  }
  const union = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  return union === undefined ? [schema] : union.flatMap((s) => branches(s, root));
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
