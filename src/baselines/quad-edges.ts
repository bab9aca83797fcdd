/**
 * Inextensible quads (Goldenthal et al. 2007; §6): warp and weft edges of a grid keep their length, diagonals are springs.
 *
 * A grid of the sheet is cut into triangles along one diagonal per cell. The edges along u and v are warp and weft; each edge
 * along neither is a diagonal, and the corners opposite it are the ends of the other one. Without stiff diagonals cells shear
 * freely, and the cloth sags along them.
 *
 * The trap: springs act in the prediction and yarns in the projection that follows, which knows nothing of springs. They come to
 * rest in balance only if kh²/m is small. Pinned cloth of 625 points with diagonals of 100 N/m ends with 17 % strain at 1/240 s
 * (kh²/m = 5), with 6.5 % at 1 ms (0.3); isoplate compare therefore steps quads by at most 1 ms.
 */
import type { Sheet } from "../sheet/kinematics.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import type { Edges } from "./edges.ts";

/** A direction is along an axis if the other component is below this share of the length. */
const ALIGNED = 1e-6;

export function quadEdges(sheet: Sheet): { yarns: Edges; diagonals: Edges } {
  const { n, triangles, corners } = sheet;
  const yarn = { points: [] as number[], length: [] as number[] };
  const diagonal = { points: [] as number[], length: [] as number[] };
  const seen = new Map<number, { apex: number; u: number; v: number } | null>();
  for (let t = 0; 3 * t < triangles.length; t++)
    for (let k = 0; k < 3; k++) {
      const [p, q] = [(k + 1) % 3, (k + 2) % 3];
      const a = triangles[3 * t + p];
      const b = triangles[3 * t + q];
      const at = (c: number) => [corners[6 * t + 2 * c], corners[6 * t + 2 * c + 1]];
      const [ua, va] = at(p);
      const [ub, vb] = at(q);
      const [du, dv] = [ub - ua, vb - va];
      const l = Math.sqrt(du * du + dv * dv);
      const key = Math.min(a, b) * n + Math.max(a, b);
      const known = seen.get(key);
      const aligned = Math.abs(du) < ALIGNED * l || Math.abs(dv) < ALIGNED * l;
      if (aligned) {
        if (known === undefined) {
          yarn.points.push(a, b);
          yarn.length.push(l);
          seen.set(key, null);
        }
        continue;
      }
      const apex = triangles[3 * t + k];
      const [u, v] = at(k);
      if (known === undefined) {
        diagonal.points.push(a, b);
        diagonal.length.push(l);
        // the apex from the middle of the diagonal
        seen.set(key, { apex, u: u - 0.5 * (ua + ub), v: v - 0.5 * (va + vb) });
      } else if (known) {
        const [eu, ev] = [u - 0.5 * (ua + ub) - known.u, v - 0.5 * (va + vb) - known.v];
        diagonal.points.push(known.apex, apex);
        diagonal.length.push(Math.sqrt(eu * eu + ev * ev));
      }
    }
  // a grid has about two yarn edges a point and two diagonals a cell; other meshes have hardly any edge along an axis
  if (yarn.length.length < 1.5 * diagonal.length.length * 0.5 || yarn.length.length < n)
    throw new SheetError("method quad-edges", [
      "the sheet has no warp and weft; it needs sampling: { type: grid }",
    ]);
  return { yarns: yarn, diagonals: diagonal };
}
