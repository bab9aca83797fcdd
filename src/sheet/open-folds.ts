/**
 * Panels that are sewn together and start flat on each other, like the two discs of a balloon, start a little apart instead.
 *
 * Layers in one plane have no sides: nothing could say which of them is the upper one, and pressure may push them through each other. So every sample in the
 * plane of a seam where the sheet turns back goes along its normal, by SLOPE times its distance from the seam, and by its thickness at most.
 */
import { angleNormals, FOLDED } from "./frames.ts";
import type { Part, Sheet } from "./kinematics.ts";

/** Height over distance from the seam: strains by SLOPE²/2, an eighth of a percent. */
const SLOPE = 0.05;
/** 1 − length of the mean normal of a sample whose triangles are in one plane. */
const FLAT = 1e-9;
/** Share of the thickness that samples in one plane may be off it. */
const APART = 1e-3;

/** Moves the samples of one part that lie on each other; the others stay as they are. */
export function openFolds(
  Y: Float64Array,
  sheet: Sheet,
  { firstPoint, points }: Part,
  thickness: number,
): void {
  const N = angleNormals(sheet, Y);
  const all = Array.from({ length: points }, (_, k) => 3 * (firstPoint + k));
  const lengthOf = (i: number): number => Math.sqrt(N[i] ** 2 + N[i + 1] ** 2 + N[i + 2] ** 2);
  const folds = all.filter((i) => lengthOf(i) < FOLDED).map((i) => Y.slice(i, i + 3));
  for (const i of all) {
    if (lengthOf(i) < 1 - FLAT) continue;
    let least = Number.POSITIVE_INFINITY;
    for (const fold of folds) {
      let height = 0;
      let square = 0;
      for (let c = 0; c < 3; c++) {
        height += N[i + c] * (Y[i + c] - fold[c]);
        square += (Y[i + c] - fold[c]) ** 2;
      }
      if (Math.abs(height) < APART * thickness) least = Math.min(least, square);
    }
    if (least === Number.POSITIVE_INFINITY) continue;
    const height = Math.min(thickness, SLOPE * Math.sqrt(least));
    for (let c = 0; c < 3; c++) Y[i + c] += height * N[i + c];
  }
}
