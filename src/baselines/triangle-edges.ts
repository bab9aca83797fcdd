/**
 * Constrained triangle edges (§4 Motivation, §6): every edge of the mesh keeps its length.
 *
 * |E| ≈ 3|V| constraints on 3|V| unknowns: an irregular mesh cannot bend at all. That is what it is here to show.
 */
import type { Sheet } from "../sheet/kinematics.ts";
import type { Edges } from "./edges.ts";

/** All edges of the sheet. */
export function triangleEdges({ edges, edgeLength }: Sheet): Edges {
  return { points: edges, length: edgeLength };
}
