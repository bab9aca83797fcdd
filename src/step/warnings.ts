/** Warnings about the steps of a run: once per cause, with the time, the place and what was in the way. */

import type { Warning } from "../system/warning.ts";
import { driverName, sceneName } from "./drivers.ts";
import type { StepReport } from "./outcome.ts";
import type { Ending } from "./potential.ts";
import type { Stepper } from "./stepper.ts";

/** Adds what went wrong in this step to the warnings, each cause once; `known`: the causes that were reported before. */
export function addWarnings(
  system: Stepper,
  report: Readonly<StepReport>,
  known: Set<string>,
  warnings: Warning[],
): void {
  if (report.outcome === "solved" || report.outcome === "substeps") return;
  const time = system.state.steps * system.h;
  const when = `t = ${time.toFixed(4)} s`;
  const { held, count, obstacle, pins } = system.work.drivers;
  for (let d = 0; d < count; d++)
    if (held[d] && isNew(known, `held ${d}`))
      warnings.push({
        text: `${driverName(system, d)} cannot go on at ${when}: ${obstacle[d]}; it is held back and catches up when there is room (stuck: hold)`,
        points: d < pins ? [...system.pins.held[d].points] : [],
        time,
        cause: "stuck",
      });
  if (report.converged) return;
  if (report.worst < 0) {
    if (system.scene.solver === "interactive" && isNew(known, "behind"))
      warnings.push({
        text: `the interactive solver is behind from ${when} on: steps end before they are solved, which damps the motion and may leave strain; use solver: accurate, a smaller step or fewer points`,
        points: [],
        time,
        cause: "behind",
      });
    return;
  }
  const where = placeOf(system, report.worst);
  const touched = touchedBy(system, report.worst);
  if (isNew(known, `${where.part} ${touched} ${report.ending}`))
    warnings.push({
      text: `the step to ${when} is not solved: ${where.text} is out of balance by ${report.force.toPrecision(2)} times its weight${touched ? `, touching ${touched}` : ""}; ${WHY[report.ending]}`,
      points: [report.worst],
      time,
      cause: "unsolved",
    });
}

const WHY: Record<Ending, string> = {
  solved: "nothing was left to do",
  iterations: "its iterations were used up",
  "no-descent": "no step from there lowers the energy",
  budget: "the work that a step may cost was used up",
  "not-finite": "numbers were no longer finite",
};

function isNew(known: Set<string>, cause: string): boolean {
  if (known.has(cause)) return false;
  known.add(cause);
  return true;
}

/** Point i as its sheet's, and where it is. */
function placeOf({ sheet, state }: Stepper, i: number): { part: string; text: string } {
  const part = sheet.parts.find((p) => i >= p.firstPoint && i < p.firstPoint + p.points);
  const at = [0, 1, 2].map((c) => state.Y[3 * i + c].toFixed(3)).join(", ");
  const name = part?.name ?? "the sheet";
  return { part: name, text: `point ${i} of ${name} at (${at})` };
}

/** Names of what point i touches. */
function touchedBy({ bodies, layers }: Stepper, i: number): string {
  const names = new Set([...(bodies?.touchedBy(i) ?? []), ...(layers?.touchedBy(i) ?? [])]);
  return [...names].join(" and ");
}

/** Names of the pins and bodies that are not where they should be at the end of a run. */
export function lateDrivers(system: Stepper): string[] {
  const { state, work, h } = system;
  const time = state.steps * h;
  const out: string[] = [];
  for (let d = 0; d < work.drivers.count; d++)
    if (state.clock[d] < time - 0.5 * h && state.steps > 0) out.push(sceneName(system, d));
  return out;
}
