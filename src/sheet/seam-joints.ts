/**
 * Seams resolved: which stretch of which panel is sewn to which, in which sense, and which panels show their back for it.
 */
import type { Seam } from "../scene/scene.ts";
import { type Cut, edgeNames, overlap, type Stretch } from "./panels.ts";
import { SheetError } from "./sheet-error.ts";

/** Ruffles gather up to about 3 to 1; what is beyond this was meant for another edge. */
const MOST_EASE = 4;

/** One seam, resolved: two stretches and how far along each the matched breaks are. */
export interface Joint {
  name: string;
  a: { cut: number; stretch: Stretch };
  b: { cut: number; stretch: Stretch };
  /** Do both run in the same sense, counter-clockwise with counter-clockwise? */
  same: boolean;
}

export function seamJoints(cuts: readonly Cut[], seams: readonly Seam[]): Joint[] {
  const faults: string[] = [];
  const joints: Joint[] = [];
  const sewn: { cut: number; stretch: Stretch; edge: string; seam: number }[] = [];
  seams.forEach((seam, s) => {
    const name = `seam ${s} (${seam.from} to ${seam.to})`;
    const ends = [seam.from, seam.to].map((edge) => {
      const colon = edge.indexOf(":");
      const panelName = edge.slice(0, Math.max(0, colon));
      const cut = cuts.findIndex(({ panel }) => panel.name === panelName);
      if (cut < 0) {
        const known = cuts.map(({ panel }) => `"${panel.name}"`).join(", ");
        faults.push(
          `${name}: "${edge}" names no panel; there are ${known}, and an edge is "panel:edge"`,
        );
        return null;
      }
      const stretch = cuts[cut].edges.get(edge.slice(colon + 1));
      if (stretch === undefined) {
        const which = `panel "${panelName}" has no edge "${edge.slice(colon + 1)}"`;
        faults.push(`${name}: ${which}; it has ${edgeNames(cuts[cut])}`);
        return null;
      }
      return { cut, stretch, edge, seam: s };
    });
    const [a, b] = ends;
    if (!a || !b) return;
    if (a.cut === b.cut && overlap(cuts[a.cut], a.stretch, b.stretch)) {
      faults.push(`${name}: sews panel "${cuts[a.cut].panel.name}" onto the same edge of itself`);
      return;
    }
    const [long, short] = a.stretch.length > b.stretch.length ? [a, b] : [b, a];
    if (long.stretch.length > MOST_EASE * short.stretch.length) {
      const lengths = [long, short].map(
        ({ edge, stretch }) => `${edge} is ${stretch.length.toPrecision(3)} m long`,
      );
      faults.push(`${name}: ${lengths.join(", ")}; more than ${MOST_EASE} to 1 is no seam`);
    }
    for (const end of [a, b]) {
      const twice = sewn.find(
        (other) => other.cut === end.cut && overlap(cuts[end.cut], other.stretch, end.stretch),
      );
      if (twice) {
        const both = twice.edge === end.edge ? "" : ` (as ${twice.edge})`;
        faults.push(`${name}: ${end.edge} is sewn already${both} by seam ${twice.seam}`);
      }
      sewn.push(end);
    }
    const same = (a.stretch.backwards === b.stretch.backwards) !== seam.reversed;
    joints.push({ name, a, b, same });
  });
  if (faults.length > 0) throw new SheetError("garment", faults);
  return joints;
}

/** Which panels show their back: neighbours differ where a seam joins in the same sense. */
export function sides(cuts: readonly Cut[], joints: readonly Joint[]): boolean[] {
  const flipped: (boolean | undefined)[] = cuts.map(() => undefined);
  const faults: string[] = [];
  for (let first = 0; first < cuts.length; first++) {
    if (flipped[first] !== undefined) continue;
    flipped[first] = false;
    for (const queue = [first]; queue.length > 0; ) {
      const at = queue.pop()!;
      for (const { a, b, same } of joints) {
        for (const [from, to] of [
          [a.cut, b.cut],
          [b.cut, a.cut],
        ]) {
          if (from !== at || flipped[to] !== undefined) continue;
          flipped[to] = flipped[at] !== same;
          queue.push(to);
        }
      }
    }
  }
  for (const { name, a, b, same } of joints) {
    if ((flipped[a.cut] !== flipped[b.cut]) === same) continue;
    const what = a.cut === b.cut ? "twists the panel" : "makes the garment one-sided";
    faults.push(`${name}: ${what}; turn its "reversed" around`);
  }
  if (faults.length > 0) throw new SheetError("garment", faults);
  return flipped as boolean[];
}
