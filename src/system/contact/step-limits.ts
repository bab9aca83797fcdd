/** Planes that contacts give to the points of a step that would pass them (see step/step-limit.ts). */
import type { ReadonlyF64 } from "../../linalg/arena.ts";
import type { StepLimits } from "../system.ts";

/** Largest added stiffness, in units of the point's own block: with a million times that a point is as good as held; with more, rounding would show. */
const MOST = 1e6;

/**
 * Notes that point i may go along −n by `slack` (m) at most, if that is the tightest so far.
 *
 * @param share  of the whole motion that the contact allows: no point of it need be held to less. An edge that rolls on a ball has both ends in the tangent
 *               plane, with no more slack than the gap, and goes a hundred gaps before it touches
 */
export function limitPoint(
  { ratio, normal }: StepLimits,
  i: number,
  nx: number,
  ny: number,
  nz: number,
  slack: number,
  share: number,
  p: ReadonlyF64,
): void {
  const ahead = -(nx * p[3 * i] + ny * p[3 * i + 1] + nz * p[3 * i + 2]);
  if (!(ahead > slack)) return;
  const most = share > 0 ? 1 / share : MOST;
  const times = slack > 0 ? Math.min(ahead / slack, most) : most;
  if (!(times > ratio[i])) return;
  ratio[i] = Math.min(times, MOST);
  normal[3 * i] = nx;
  normal[3 * i + 1] = ny;
  normal[3 * i + 2] = nz;
}
