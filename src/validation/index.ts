/** The tests of validation/reference, in their order. */
import { patchEnergy } from "./g1-patch-energy.ts";
import { cantilever } from "./g2-cantilever.ts";
import { catenary } from "./g3-catenary.ts";
import { metricBounds } from "./g4-metric-bounds.ts";
import { frequencies } from "./g5-frequencies.ts";
import { fallingStrip } from "./g6-falling-strip.ts";
import { wrinkle } from "./g7-wrinkle.ts";
import { contact } from "./g8-contact.ts";
import { hangingLoops } from "./g9-hanging-loops.ts";
import { inextensible } from "./g10-inextensible.ts";
import type { ValidationTest } from "./test.ts";

export const tests: readonly ValidationTest[] = [
  patchEnergy,
  cantilever,
  catenary,
  metricBounds,
  frequencies,
  fallingStrip,
  wrinkle,
  contact,
  hangingLoops,
  inextensible,
];
