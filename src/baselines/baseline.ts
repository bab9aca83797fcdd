/**
 * The methods the paper compares with, as what they replace in the system of a scene (`method`).
 *
 *   discrete-shells  the membrane is elastic per triangle; minimised like ours
 *   quad-edges       warp and weft are projected, diagonals are springs
 *   triangle-edges   all edges are projected
 *
 * All of them bend as `constraint: paper` does (system/bending.ts).
 */
import type { Allocator } from "../linalg/arena.ts";
import type { SparsePattern } from "../linalg/sparse.ts";
import type { Scene } from "../scene/scene.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { Baseline } from "../system/system.ts";
import { shellMembrane } from "./discrete-shells.ts";
import { type Edges, hardEdges, springs } from "./edges.ts";
import { quadEdges } from "./quad-edges.ts";
import { triangleEdges } from "./triangle-edges.ts";

/** Null for `isometry`, ours. */
export function baselineOf(
  { method, baseline }: Pick<Scene, "method" | "baseline">,
  sheet: Sheet,
  poisson: Float64Array,
  pattern: SparsePattern,
): Baseline | null {
  const project = (edges: Edges) => (memory: Allocator) => hardEdges(memory, edges, pattern);
  switch (method) {
    case "isometry":
      return null;
    case "discrete-shells": {
      const { young, thickness } = baseline;
      const membrane = shellMembrane(sheet, { young, thickness, poisson }, pattern);
      return { membrane };
    }
    case "quad-edges": {
      const { yarns, diagonals } = quadEdges(sheet);
      return {
        hard: project(yarns),
        springs: (memory) => springs(memory, diagonals, baseline.diagonalStiffness, pattern),
      };
    }
    case "triangle-edges":
      return { hard: project(triangleEdges(sheet)) };
  }
}
