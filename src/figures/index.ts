/** Every figure of the paper that we make again, in its order. */
import { crushedCylinder } from "./cylinder.ts";
import { draping } from "./draping.ts";
import type { Figure } from "./figure.ts";
import { locking } from "./locking.ts";
import { shear } from "./shear.ts";
import { skin } from "./skin.ts";
import { skirts } from "./skirts.ts";
import { spinningTankTop } from "./tank-top.ts";

export const figures: readonly Figure[] = [
  locking,
  draping,
  shear,
  crushedCylinder,
  spinningTankTop,
  skirts,
  skin,
];
