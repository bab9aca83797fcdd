/** The loops of contact that kernels repeat, bit for bit. */
import { pairEdgeEdges, pairPointTriangles, type SearchOperations } from "./broad-phase.ts";
import { safeTime } from "./ccd.ts";
import { squaredDistances } from "./distance.ts";

export interface ContactOperations extends SearchOperations {
  squaredDistances: typeof squaredDistances;
  safeTime: typeof safeTime;
}

export const contactOperations: ContactOperations = {
  pairPointTriangles,
  pairEdgeEdges,
  squaredDistances,
  safeTime,
};
