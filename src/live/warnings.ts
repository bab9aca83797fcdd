/** What a simulation warns of when it is built: bad starts. */
import type { Scene } from "../scene/scene.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { Stepper } from "../step/stepper.ts";
import type { Warning } from "../system/warning.ts";

/** What is wrong with the start: sheets inside bodies, layers that cross or that nothing keeps apart. */
export function startWarnings(system: Stepper): Warning[] {
  const { bodies, layers, state, pins, sheet, h, work, scene } = system;
  const { n } = sheet;
  const out: Warning[] = [];
  const time = state.steps * h;
  work.drivers.from.set(state.clock);
  work.drivers.to.set(state.clock);
  bodies?.beginStep(state.Y, work.drivers.bodies, 0, pins.fixed);
  const inside = bodies?.measureDeep(state.Y) ?? [];
  for (const { name, points, depth, held } of inside)
    out.push({
      text: `${points.length} points start inside ${name}, the deepest (point ${points[0]}) ${(1000 * depth).toFixed(1)} mm; ${held ? "held ones stay there, the others are" : "they are"} pushed out`,
      points: [...points],
      time,
      cause: "inside-body",
    });
  layers?.beginStep(state.Y, state.V, 0, work.drivers.bodies);
  const crossings = layers?.crossings.filter((i) => i < n) ?? [];
  if (crossings.length > 0) {
    const [i] = crossings;
    const at = [0, 1, 2].map((c) => state.Y[3 * i + c].toFixed(3)).join(", ");
    out.push({
      text: `layers intersect at the start: ${crossings.length} points, the first of them point ${i} of ${partName(sheet, i)} at (${at}); they may pass each other until they are apart`,
      points: [...crossings],
      time,
      cause: "layers-cross",
    });
  }
  if (mayTurnInsideOut(scene))
    out.push({
      text: "layers of a sewn sheet under pressure may pass each other, and it may end inside out: nothing keeps them apart; set contact.self: true",
      points: [],
      time,
      cause: "layers-cross",
    });
  return out;
}

/**
 * Panels that are sewn together lie on each other when pressure first acts, and what has turned inside out then is stable: a balloon of two discs, 120 points
 * each, stayed at 0.80 of its volume for one of five seeds.
 */
function mayTurnInsideOut({ pressure, contact, sheets }: Scene): boolean {
  return pressure !== 0 && !contact.self && sheets.some(({ shape }) => shape.type === "garment");
}

function partName({ parts }: Sheet, i: number): string {
  const part = parts.find((p) => i >= p.firstPoint && i < p.firstPoint + p.points);
  return part?.name ?? "the sheet";
}
