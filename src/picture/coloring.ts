/**
 * Measures as colours: a number per point, its colour map, and the end of its range.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import {
  createCurvature,
  edgeStrains,
  type MeasuredSheet,
  principalStrains,
} from "../recording/measures.ts";
import { balance, type ColorMap, ember } from "./color.ts";

export const COLORINGS = [
  "material",
  "stretch",
  "edge-strain",
  "principal-strain",
  "curvature",
] as const;
export type Coloring = (typeof COLORINGS)[number];

/** A number per point, and how to show it. */
export interface Measure {
  label: string;
  unit?: string;
  /** What values are multiplied by to be shown. */
  factor?: number;
  map: ColorMap;
  /** No range ends below this, so that rounding noise is not shown in full colour. */
  least: number;
  values(Y: ReadonlyF64): Float64Array;
}

/**
 * The measure of that name, prepared for many frames; null for plain colours.
 *
 * @example
 * const strain = measureOf(simulation.sheet, "edge-strain")!;
 * const values = strain.values(simulation.pose); // one a point
 */
export function measureOf(sheet: MeasuredSheet, color: Coloring | Measure): Measure | null {
  if (typeof color !== "string") return color;
  switch (color) {
    case "material":
      return null;
    case "stretch":
      return worstOfEdges(sheet, "stretch", (strain) => strain);
    case "edge-strain":
      return worstOfEdges(sheet, "edge strain", Math.abs);
    case "principal-strain": {
      const strains = new Float64Array((2 * sheet.triangles.length) / 3);
      return {
        label: "principal strain",
        unit: "%",
        factor: 100,
        map: ember,
        least: 1e-3,
        values(Y) {
          principalStrains(strains, sheet, Y);
          const worst = new Float64Array(sheet.n);
          for (let k = 0; k < sheet.triangles.length; k++) {
            const t = Math.floor(k / 3);
            const size = Math.max(Math.abs(strains[2 * t]), Math.abs(strains[2 * t + 1]));
            const i = sheet.triangles[k];
            worst[i] = Math.max(worst[i], size);
          }
          return worst;
        },
      };
    }
    case "curvature":
      return {
        label: "mean curvature",
        unit: "1/m",
        map: balance,
        least: 0.1,
        values: createCurvature(sheet),
      };
  }
}

/** The largest value of the edges at each point, at least 0. */
function worstOfEdges(
  sheet: MeasuredSheet,
  label: string,
  value: (strain: number) => number,
): Measure {
  const strains = new Float64Array(sheet.edgeLength.length);
  return {
    label,
    unit: "%",
    factor: 100,
    map: ember,
    least: 1e-3,
    values(Y) {
      edgeStrains(strains, sheet, Y);
      const worst = new Float64Array(sheet.n);
      for (let e = 0; e < 2 * strains.length; e++) {
        const i = sheet.edges[e];
        worst[i] = Math.max(worst[i], value(strains[e >> 1]));
      }
      return worst;
    },
  };
}

/**
 * The next round number: 1, 2 or 5 times a power of ten.
 *
 * @example
 * roundUp(0.013); // 0.02
 */
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 2, 5, 10]) if (step * power >= value * (1 - 1e-9)) return step * power;
  return 10 * power;
}

export function rangeEnd(measure: Measure, looks: readonly { Y: Float64Array }[]): number {
  let end = measure.least;
  for (const { Y } of looks) {
    const sizes = measure.values(Y).map(Math.abs).filter(Number.isFinite).sort();
    if (sizes.length > 0) end = Math.max(end, sizes[Math.floor(0.995 * (sizes.length - 1))]);
  }
  return roundUp(end);
}
