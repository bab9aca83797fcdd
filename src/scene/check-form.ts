/**
 * Checks a value against a form. Messages say what was got, what is needed, and what the likeliest slip was.
 */
import { nearest, type Path, show, suggestion } from "./faults.ts";
import {
  type ChoiceForm,
  type Field,
  type FieldsForm,
  type Form,
  NAME_FORM,
  type NumberForm,
  namesIn,
  type TextForm,
  typesOf,
} from "./form.ts";

export interface FormFault {
  readonly path: Path;
  readonly message: string;
  /**
   * kind: another kind of value altogether; value: none of those allowed; range: the right kind, out of range or too long; name: a field
   * that the object does not have.
   */
  readonly about: "kind" | "value" | "range" | "name";
}

/** Faults after which lists are not looked at any further: what follows repeats them. */
const ENOUGH = 2000;

/** Unknown fields that get advice: thousands of faults are usually one fault repeated. */
const MOST_ADVICE = 100;

const NAME: Field = { form: NAME_FORM };

/** Every fault of a value, in the order of the fields. */
export function formFaults(field: Field, value: unknown): FormFault[] {
  const faults: FormFault[] = [];
  check(field, value, [], faults);
  return faults;
}

/** Whether a value has this form. */
export function fits<T>(field: Field<T>, value: unknown): value is T {
  return formFaults(field, value).length === 0;
}

function check({ form, nullable }: Field, value: unknown, path: Path, faults: FormFault[]): void {
  if (value === null && nullable) return;
  const add = (about: FormFault["about"], message: string): void => {
    faults.push({ path, message, about });
  };
  switch (form.kind) {
    case "number":
      if (typeof value !== "number" || !Number.isFinite(value))
        add("kind", numberFault(value, form));
      else if (form.whole && !Number.isInteger(value))
        add("kind", `got ${show(value)}, needs a whole number, ${between(form)}`);
      else if (value < form.min || value > form.max) add("range", numberFault(value, form));
      return;
    case "text":
      if (typeof value !== "string") add("kind", textFault(value, form));
      else if (
        value.length < form.min ||
        value.length > form.max ||
        form.pattern?.test(value) === false
      )
        add("range", textFault(value, form));
      return;
    case "flag":
      if (typeof value !== "boolean") add("kind", `${got(value)}, needs true or false`);
      return;
    case "word":
      if (value !== form.word) add("kind", `${got(value)}, needs "${form.word}"`);
      return;
    case "choice":
      if (typeof value !== "string" || !form.options.includes(value))
        add("value", choiceFault(value, form));
      return;
    case "tuple":
      if (Array.isArray(value) && value.length === form.length)
        for (let k = 0; k < value.length; k++) check(form.item, value[k], [...path, k], faults);
      else add(Array.isArray(value) ? "value" : "kind", `${got(value)}, needs ${form.needs}`);
      return;
    case "list":
      if (!Array.isArray(value)) add("kind", `${got(value)}, needs a list`);
      else {
        for (let k = 0; k < value.length && faults.length < ENOUGH; k++)
          check(form.item, value[k], [...path, k], faults);
        if (value.length < form.min || value.length > form.max)
          add("range", `got ${value.length}, needs ${form.min} … ${form.max} of them`);
      }
      return;
    case "named":
      if (!isRecord(value)) add("kind", `${got(value)}, needs ${form.needs}`);
      else
        for (const [name, item] of Object.entries(value)) {
          if (faults.length >= ENOUGH) break;
          check(NAME, name, [...path, name], faults);
          check(form.item, item, [...path, name], faults);
        }
      return;
    case "fields":
      checkFields(form, value, path, faults);
      return;
    case "variant":
      checkVariant(form.options, value, path, faults);
      return;
    case "either":
      checkEither(form.options, form.needs, value, path, faults);
  }
}

function checkFields(
  { fields }: FieldsForm,
  value: unknown,
  path: Path,
  faults: FormFault[],
): void {
  const names = Object.keys(fields);
  if (!isRecord(value)) {
    const listed = names.length > 12 ? [...names.slice(0, 12), "…"] : names;
    faults.push({ path, message: `${got(value)}, needs { ${listed.join(", ")} }`, about: "kind" });
    return;
  }
  for (const name of names) {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    if (inner !== undefined || !fields[name].optional)
      check(fields[name], inner, [...path, name], faults);
  }
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(fields, name)) continue;
    if (faults.length >= ENOUGH) break;
    const advice = faults.length < MOST_ADVICE ? `; ${meant(name, fields)}` : "";
    faults.push({ path: [...path, name], message: `unknown field${advice}`, about: "name" });
  }
}

/** The object whose `type` it has. */
function checkVariant(
  options: readonly Field[],
  value: unknown,
  path: Path,
  faults: FormFault[],
): void {
  const types = options.flatMap(typesOf);
  if (!isRecord(value)) {
    const message = `${got(value)}, needs an object with type: ${types.join(" | ")}`;
    faults.push({ path, message, about: "kind" });
    return;
  }
  const { type } = value;
  const chosen = options.find((option) =>
    type === undefined ? isTypeOptional(option.form) : typesOf(option).includes(type as string),
  );
  if (chosen) check(chosen, value, path, faults);
  else {
    const message = choiceFault(type, { options: types, gone: {} });
    faults.push({ path: [...path, "type"], message, about: "value" });
  }
}

function isTypeOptional(form: Form): boolean {
  return form.kind === "fields" && form.fields.type.optional === true;
}

/** The first form that fits, or the faults of the one that was most likely meant. */
function checkEither(
  options: readonly Field[],
  needs: string,
  value: unknown,
  path: Path,
  faults: FormFault[],
): void {
  const tried: FormFault[][] = [];
  for (const option of options) {
    const found: FormFault[] = [];
    check(option, value, path, found);
    if (found.length === 0) return;
    tried.push(found);
  }
  const inRange = tried.filter((found) => found.every(({ about }) => about === "range"));
  // a fault of the value itself says that another kind was meant, unless it is only a field too many
  const isHere = (fault: FormFault): boolean =>
    fault.path.length === path.length && fault.about !== "name";
  const within = tried.filter((found) => !found.some(isHere)).sort((a, b) => weight(a) - weight(b));
  const likely = inRange.length === 1 ? inRange[0] : within[0];
  if (likely) {
    for (const fault of likely) faults.push(fault);
    return;
  }
  const told = tried.flat().find(({ about }) => about !== "kind");
  const message = told?.message ?? `${got(value)}, needs ${needs}`;
  faults.push({ path, message, about: told ? "value" : "kind" });
}

/** How many faults, all unknown fields of an object being one. */
function weight(faults: readonly FormFault[]): number {
  const named = faults.filter(({ about }) => about === "name").length;
  return faults.length - named + (named > 0 ? 1 : 0);
}

/** The field that `key` was meant to be: one of these, or one inside one of these (thickness is the material's). */
function meant(key: string, fields: Readonly<Record<string, Field>>): string {
  const names = Object.keys(fields);
  if (nearest(key, names) !== null) return suggestion(key, names);
  const inner = names.flatMap((name) => namesIn(fields[name]).map((leaf) => ({ name, leaf })));
  const leaf = nearest(
    key,
    inner.map((one) => one.leaf),
  );
  if (leaf === null) return suggestion(key, names);
  return `did you mean "${inner.find((one) => one.leaf === leaf)?.name}.${leaf}"?`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function got(value: unknown): string {
  return value === undefined ? "missing" : `got ${show(value)}`;
}

function textFault(value: unknown, { min, max, needs }: TextForm): string {
  return `${got(value)}, needs ${needs ?? `a text of ${min} … ${max} characters`}`;
}

function choiceFault(
  value: unknown,
  { options, gone }: Pick<ChoiceForm, "options" | "gone">,
): string {
  if (typeof value === "string" && Object.hasOwn(gone, value))
    return `got ${show(value)}: ${gone[value]}`;
  const near = typeof value === "string" ? suggestion(value, options) : "";
  return `${got(value)}, needs ${options.join(" | ")}${near.startsWith("did") ? `; ${near}` : ""}`;
}

function numberFault(value: unknown, range: NumberForm): string {
  const hint = slip(value, range);
  return `${got(value)}, needs ${between(range)}${hint === "" ? "" : `; ${hint}`}`;
}

/** "0 … 100 m" */
export function between({ min, max, unit }: Pick<NumberForm, "min" | "max" | "unit">): string {
  return `${spell(min)} … ${spell(max)}${unit === "" || unit === "1" ? "" : ` ${unit}`}`;
}

function spell(x: number): string {
  const size = Math.abs(x);
  return size !== 0 && (size >= 1e6 || size < 1e-3) ? x.toExponential().replace("e+", "e") : `${x}`;
}

/** The likeliest reason for a number out of its range. */
function slip(value: unknown, { min, max, unit }: NumberForm): string {
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
