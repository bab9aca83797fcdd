/** The loops of contact that kernels repeat, bit for bit. */
import { pairUp, type SearchOperations } from "./broad-phase.ts";
import { safeTime } from "./ccd.ts";
import { contactRows } from "./contact-rows.ts";
import { squaredDistances } from "./distance.ts";
import { evaluateFriction } from "./friction.ts";

export interface ContactOperations extends SearchOperations {
  squaredDistances: typeof squaredDistances;
  safeTime: typeof safeTime;
  contactRows: typeof contactRows;
  evaluateFriction: typeof evaluateFriction;
}

export const contactOperations: ContactOperations = {
  pairUp,
  squaredDistances,
  safeTime,
  contactRows,
  evaluateFriction,
};
