/**
 * A sheet that cannot be built from what the scene says. Lists every fault, each with its place.
 */
export class SheetError extends Error {
  readonly faults: readonly string[];
  constructor(sheet: string, faults: readonly string[]) {
    const one = faults.length === 1;
    super(
      one
        ? `${sheet}: ${faults[0]}`
        : `${sheet}: ${faults.length} faults\n  ${faults.join("\n  ")}`,
    );
    this.name = "SheetError";
    this.faults = faults;
  }
}
