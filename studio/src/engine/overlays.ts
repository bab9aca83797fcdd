/**
 * Numbers per point that colours show, and their ranges.
 *
 * A range ends at a round number (1, 2 or 5 times a power of ten) that 99.5 % of the points stay under. It only grows
 * while a scene runs, so that colours do not flicker, and never ends below a size that matters: a strain of a tenth of
 * a percent must not have the strongest colour.
 */

import {
  createResiduals,
  type ReadonlyF64,
  type Sheet,
  type Simulation,
} from "../../../src/index.ts";
import { COLOR_MAPS, type ColorMap, measureOf, roundUp } from "../../../src/view/index.ts";
import type { Overlay } from "./protocol.ts";

export interface Field {
  readonly label: string;
  readonly unit: string;
  /** What values are multiplied by to be shown in `unit`. */
  readonly factor: number;
  readonly map: ColorMap;
  /** The range never ends below this. */
  readonly least: number;
  /** The range never grows beyond this. */
  readonly most: number;
  /** @param shown the frame of the recording that Y is of; null: the present */
  values(Y: ReadonlyF64, shown: number | null): Float64Array | Float32Array;
}

/** @param past contact pressures of the frames of the recording */
export function createField(
  overlay: Overlay,
  simulation: Simulation,
  past: readonly Float32Array[],
): Field | null {
  const { sheet } = simulation;
  switch (overlay) {
    case "none":
      return null;
    case "edge-strain":
    case "principal-strain": {
      const measure = measureOf(sheet, overlay)!;
      return { ...measure, ...PERCENT, map: COLOR_MAPS.ember, least: 0.01, most: 1 };
    }
    case "curvature": {
      const measure = measureOf(sheet, "curvature")!;
      return { ...measure, unit: "1/m", factor: 1, map: COLOR_MAPS.balance, least: 1, most: 1e4 };
    }
    case "neighbourhood":
      return neighbourhoodSizes(sheet);
    case "contact":
      return pressures(simulation, past);
    case "residual":
      return residuals(sheet);
  }
}

const PERCENT = { unit: "%", factor: 100 };

/** A range that only grows. */
export function createRange(
  field: Field,
): (values: Float64Array | Float32Array) => { low: number; high: number; clipped: boolean } {
  let high = roundUp(field.least);
  const sizes = new Float64Array(4096);
  return (values) => {
    // a sample is enough to place a percentile, and sorting it costs 0.2 ms
    const stride = Math.max(1, Math.ceil(values.length / sizes.length));
    let count = 0;
    let largest = 0;
    for (let k = 0; k < values.length; k++) {
      const size = Math.abs(values[k]);
      if (size > largest) largest = size;
      if (k % stride === 0 && Number.isFinite(size)) sizes[count++] = size;
    }
    const sorted = sizes.subarray(0, count).sort();
    const typical = count > 0 ? sorted[Math.floor(0.995 * (count - 1))] : 0;
    if (typical > high) high = Math.min(roundUp(typical), field.most);
    return { low: field.map.signed ? -high : 0, high, clipped: largest > high * (1 + 1e-9) };
  };
}

function neighbourhoodSizes({ n, near }: Sheet): Field {
  const sizes = new Float64Array(n);
  for (let i = 0; i < n; i++) sizes[i] = near.start[i + 1] - near.start[i] - 1; // without itself
  const most = sizes.reduce((a, b) => Math.max(a, b), 1);
  return {
    label: "neighbours",
    unit: "points",
    factor: 1,
    map: COLOR_MAPS.viridis,
    least: most,
    most: 1e4,
    values: () => sizes,
  };
}

function residuals(sheet: Sheet): Field {
  const values = createResiduals(sheet);
  return {
    label: "constraint residual",
    unit: "1",
    factor: 1,
    map: COLOR_MAPS.ember,
    least: 0.01,
    most: 1,
    values: (Y) => values(Y),
  };
}

function pressures(simulation: Simulation, past: readonly Float32Array[]): Field {
  const out = new Float32Array(simulation.sheet.n);
  // the weight of the sheet on all of it, the least that can be called pressed
  const weight =
    9.81 * Math.max(...simulation.scene.sheets.map(({ material }) => material.density));
  return {
    label: "contact pressure",
    unit: "Pa",
    factor: 1,
    map: COLOR_MAPS.viridis,
    least: 5 * weight,
    most: 1e6,
    values(_, shown) {
      if (shown !== null && past[shown] !== undefined) return past[shown];
      simulation.contactPressure(out);
      return out;
    },
  };
}
