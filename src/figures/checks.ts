/** What every run of a figure is held to: its lengths, its steps and its layers. */
import { edgeStrain } from "../recording/measures.ts";
import type { FigureCheck } from "./figure.ts";
import type { FigureRecording } from "./runs.ts";

export function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))} %`;
}

/** No edge longer or shorter by more than 1 %, 0.1 % on average. */
export function strainCheck({ name, recording }: FigureRecording): FigureCheck {
  const { mean, max } = edgeStrain(recording.sheet, recording.pose(recording.frames - 1));
  return {
    what: `${name}: change of length of edges`,
    claim: "isometric: at most 0.1 % on average and 1 % anywhere",
    ours: `${percent(mean)} on average, ${percent(max)} at most`,
    holds: mean <= 1e-3 && max <= 1e-2,
  };
}

/** The same in every frame: nothing is ever stretched beyond 1 %. Arcs of folds sharper than the mesh are shorter, which is reported. */
export function stretchCheck({ name, summary }: FigureRecording): FigureCheck {
  const { stretchMaxEver, edgeMaxEver } = summary.strain;
  return {
    what: `${name}: largest stretch of all frames`,
    claim: "isometric while it moves: at most 1 %",
    ours: `${percent(stretchMaxEver)} (largest change of an arc's length either way ${percent(edgeMaxEver)})`,
    holds: stretchMaxEver <= 1e-2,
  };
}

/** No triangles through each other or into bodies in any frame, and no step that is left unsolved. */
export function soundCheck({ name, summary }: FigureRecording): FigureCheck {
  const { intersections = Number.NaN, bodyIntersections = Number.NaN } = summary;
  const { unconvergedSteps, steps } = summary;
  return {
    what: `${name}: intersections over all frames, steps left unsolved`,
    claim: "none",
    ours: `${intersections} with itself, ${bodyIntersections} with bodies; ${unconvergedSteps} of ${steps} steps`,
    holds: intersections === 0 && bodyIntersections === 0 && unconvergedSteps === 0,
  };
}
