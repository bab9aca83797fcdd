/**
 * Limp cloth: what keeps edges from turning into an S where bending is too weak to (bending length (D/σg)^⅓ under the spacing).
 *
 *   E_r = K_r Σₑ wₑ |r|²,     r = (yⱼ − yᵢ)/ℓ − ½(Fᵢ + Fⱼ) t        (frame-bending.ts)
 *
 * Quadratic, so that it stands in the same constant matrix as bending. K_r is a tension, one number per sheet: whatever scales with the
 * membrane makes the answer depend on it.
 */
import type { Scene } from "../scene/scene.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import type { PointMaterial } from "./build.ts";

/** K_r in units of the weight of a strip as long as the sheet, σ|g|√A. */
const WEIGHTS = 1.5;

export interface LimpCloth {
  /** [parts] N/m, K_r of each sheet. */
  readonly tension: Float64Array;
  /** K += K_r R. */
  addTo(K: Float64Array): void;
}

/** @param R the matrix of frame-bending.ts, on the pattern of K */
export function limpCloth(
  scene: Scene,
  sheet: Sheet,
  _material: PointMaterial,
  R: Float64Array,
): LimpCloth {
  const [x, y, z] = scene.gravity;
  const g = Math.sqrt(x * x + y * y + z * z);
  const tension = Float64Array.from(sheet.parts, ({ firstPoint, points }) => {
    let area = 0;
    let mass = 0;
    for (let i = firstPoint; i < firstPoint + points; i++) {
      area += sheet.area[i];
      mass += sheet.m[i];
    }
    return (WEIGHTS * mass * g) / Math.sqrt(area);
  });
  return {
    tension,
    addTo(K) {
      for (let p = 0; p < K.length; p++) K[p] += tension[0] * R[p];
    },
  };
}
