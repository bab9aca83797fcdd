import { suggestion } from "../scene/faults.ts";

/** A change that a running simulation cannot take: says what, why, and what to do instead. */
export class LiveError extends Error {
  /** What was to be changed, such as `pin "left"`. */
  readonly subject: string;
  constructor(subject: string, message: string) {
    super(`${subject}: ${message}`);
    this.name = "LiveError";
    this.subject = subject;
  }
}

/** How to get what a running simulation cannot change in place. */
export const REBUILD =
  "rebuild with it: simulation.rebuild(scene) takes a changed copy of simulation.scene and goes on from the present positions and velocities";

/** For scenes in which parseScene checks a single field. */
export const SMALL_SHEET = { shape: { type: "rectangle", width: 1, height: 1 } } as const;

/** The one of that name, or an error that lists the names there are. */
export function named<T extends { name: string }>(
  kind: string,
  list: readonly T[],
  name: string,
): T {
  const found = list.find((one) => one.name === name);
  if (found) return found;
  const names = list.map((one) => one.name);
  const hint = names.length === 0 ? `the scene has no ${kind}s` : suggestion(name, names);
  throw new LiveError(`${kind} "${name}"`, `there is none; ${hint}`);
}

/** All finite, or an error with the first that is not. */
export function checkFinite(subject: string, field: string, values: ArrayLike<number>): void {
  for (let k = 0; k < values.length; k++)
    if (!Number.isFinite(values[k]))
      throw new LiveError(subject, `${field}[${k}] is ${values[k]}, needs a finite number`);
}

/** A number within [min, max], or an error with its unit. */
export function checkRange(
  subject: string,
  field: string,
  value: number,
  { min, max, unit }: { min: number; max: number; unit: string },
): void {
  if (!(value >= min && value <= max))
    throw new LiveError(subject, `${field} is ${value}, needs ${min} … ${max} ${unit}`);
}

/** Three finite numbers, or an error. */
export function checkVector(subject: string, field: string, value: ArrayLike<number>): void {
  if (value.length !== 3)
    throw new LiveError(subject, `${field} has ${value.length} numbers, needs 3`);
  checkFinite(subject, field, value);
}
