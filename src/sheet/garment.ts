/**
 * Garments: flat panels and seams become one sheet.
 *
 * The two edges of a seam get equally many points, matched by their fraction of arc length (so
 * edges of unequal length are eased), and corners on either side are matched by points on the
 * other. Matched points are then welded into one, which keeps its own coordinates in every triangle
 * (`corners`): charts unfold across the seam, around the end of a dart, and where several seams
 * meet. A dart is a seam between two edges of one panel.
 *
 * Panels are drawn flat with v up and stand upright in space: (u, v) is at (u, 0, v), facing −y,
 * before their placement; `wrap` bends them around the z axis, their middle towards −y.
 *
 * A seam that joins two edges in the same sense (both counter-clockwise) turns one panel's back
 * outwards. Such a panel is mirrored in the material, while its uv stay as drawn. Seams that would
 * make the garment one-sided are refused.
 *
 * The trap: at a corner that is sewn on both sides, the triangles of both panels cut it off between
 * the same two points, and that edge would have four triangles. Those edges are flipped before
 * welding.
 */
import type { Panel, Sampling, Seam, Vec3 } from "../scene/scene.ts";
import type { PartMesh } from "./kinematics.ts";
import { type SampledPanels, sampledPanels } from "./panel-sampling.ts";
import { type Cut, panelCuts } from "./panels.ts";
import type { Random } from "./random.ts";
import { seamJoints, sides } from "./seam-joints.ts";
import { apart, placement, welded } from "./weld.ts";

/**
 * Sews panels into one part: welds them, or leaves them apart with the matched points in `seamPairs`, to be
 * pulled together over time.
 * @param sewing how long that takes, s; 0 welds; null welds edges that meet and pulls the others together
 */
export function garmentPart(
  {
    panels,
    seams,
    sewing = null,
  }: {
    panels: readonly Panel[];
    seams: readonly Seam[];
    sewing?: { seconds: number } | null;
  },
  sampling: Sampling,
  random: Random,
): PartMesh {
  const cuts = panelCuts(panels);
  const joints = seamJoints(cuts, seams);
  const flipped = sides(cuts, joints);
  const seconds = joints.length === 0 ? 0 : (sewing?.seconds ?? 0);
  const sampled = sampledPanels(cuts, joints, sampling, random, seconds === 0);
  if (seconds === 0 && (sewing !== null || edgesMeet(cuts, sampled)))
    return welded(cuts, sampled, flipped);
  const parted = seconds > 0 ? sampled : sampledPanels(cuts, joints, sampling, random, false);
  const part = apart(cuts, parted, flipped);
  part.sewing = seconds > 0 ? seconds : SEWING;
  part.seams = seams.map(({ from, to }) => [from, to]);
  return part;
}

/** s: what panels that start apart take to come together when the scene does not say. */
const SEWING = 0.5;
/** Edges meet that start no farther apart than this share of the spacing; a weld moves each side by half of it. */
const MEET = 0.5;

/** Are all sewn points near their partners as the panels are placed? */
function edgesMeet(cuts: readonly Cut[], { sheets, groups }: SampledPanels): boolean {
  const area = cuts.reduce((sum, cut) => sum + cut.area, 0);
  const count = sheets.reduce((sum, { uv }) => sum + uv.length / 2, 0);
  const near = MEET * Math.sqrt(area / count);
  const inSpace = sheets.map(({ uv }, k) => placement(cuts[k].panel, uv));
  return groups.every((members) => {
    const [first, ...others] = members.map(([p, k]) => {
      const i = sheets[p].named.edges.boundary[k];
      return inSpace[p](sheets[p].uv[2 * i], sheets[p].uv[2 * i + 1]);
    });
    return others.every((other) => lengthOf3(first, other) <= near);
  });
}

function lengthOf3(a: Vec3, b: Vec3): number {
  return Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);
}
