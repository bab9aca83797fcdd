/**
 * Numbers per point that colours show, and their ranges.
 *
 * A range ends at a round number (1, 2 or 5 times a power of ten) that 99.5 % of the points stay under. It only grows
 * while a scene runs, so that colours do not flicker, and never ends below a size that matters: a strain of a tenth of
 * a percent shall not look like a fire.
 */
import { inOneMemory, type ReadonlyF64 } from "../../../src/linalg/arena.ts";
import { balance, type ColorMap, ember, MAPS, viridis } from "../../../src/picture/color.ts";
import { measureOf, roundUp } from "../../../src/picture/stage.ts";
import { colliderAt, createRigid } from "../../../src/scene/motion.ts";
import type { Body, Scene } from "../../../src/scene/scene.ts";
import { averagingWeights } from "../../../src/sheet/charts.ts";
import type { Sheet } from "../../../src/sheet/kinematics.ts";
import { bodyDistances, prepareBodies } from "../../../src/system/contact/colliders.ts";
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
  values(Y: ReadonlyF64, time: number): Float64Array;
}

export function createField(overlay: Overlay, sheet: Sheet, scene: Scene): Field | null {
  switch (overlay) {
    case "none":
      return null;
    case "edge-strain":
    case "principal-strain": {
      const measure = measureOf(sheet, overlay)!;
      return { ...measure, ...PERCENT, map: ember, least: 0.01, most: 1 };
    }
    case "curvature": {
      const measure = measureOf(sheet, "curvature")!;
      return { ...measure, unit: "1/m", factor: 1, map: balance, least: 1, most: 1e4 };
    }
    case "neighbourhood":
      return neighbourhoodSizes(sheet);
    case "contact":
      return gaps(sheet, scene);
    case "residual":
      return residuals(sheet);
  }
}

const PERCENT = { unit: "%", factor: 100 };

export { MAPS };

/** A range that only grows. */
export function createRange(
  field: Field,
): (values: Float64Array) => { low: number; high: number; clipped: boolean } {
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
    map: viridis,
    least: most,
    most: 1e4,
    values: () => sizes,
  };
}

/** max(|tr C − 2|, |det C − 1|) of C = FᵀF averaged over the neighbourhood (§4): what the method keeps at 0. */
function residuals({ n, near, area }: Sheet): Field {
  const B = averagingWeights(near, area);
  const out = new Float64Array(n);
  return {
    label: "constraint residual",
    unit: "1",
    factor: 1,
    map: ember,
    least: 0.01,
    most: 1,
    values(Y) {
      for (let i = 0; i < n; i++) {
        let [px, py, pz, qx, qy, qz] = [0, 0, 0, 0, 0, 0];
        for (let e = near.start[i]; e < near.start[i + 1]; e++) {
          const y = 3 * near.index[e];
          const u = B[2 * e];
          const v = B[2 * e + 1];
          px += Y[y] * u;
          py += Y[y + 1] * u;
          pz += Y[y + 2] * u;
          qx += Y[y] * v;
          qy += Y[y + 1] * v;
          qz += Y[y + 2] * v;
        }
        const a = px * px + py * py + pz * pz;
        const b = px * qx + py * qy + pz * qz;
        const d = qx * qx + qy * qy + qz * qz;
        out[i] = Math.max(Math.abs(a + d - 2), Math.abs(a * d - b * b - 1));
      }
      return out;
    },
  };
}

/** How near a point is to a body, as NEAR − gap: 0 where it is farther than NEAR. */
const NEAR = 0.01;
function gaps({ n }: Sheet, scene: Scene): Field {
  const colliders = scene.colliders.filter(({ body }) => body.type !== "mesh");
  const bodies = colliders.map(({ body }) => body as Exclude<Body, { type: "mesh" }>);
  const { value: table } = inOneMemory((memory) => prepareBodies(memory, bodies));
  const pose = createRigid();
  const phi = new Float64Array(n);
  const normal = new Float64Array(3 * n);
  const out = new Float64Array(n);
  return {
    label: "pressed against a body (10 mm − gap)",
    unit: "mm",
    factor: 1000,
    map: viridis,
    least: NEAR,
    most: NEAR,
    values(Y, time) {
      out.fill(0);
      colliders.forEach((collider, b) => {
        colliderAt(pose, collider, time);
        bodyDistances(phi, normal, table, b, pose, Y, n);
        for (let i = 0; i < n; i++) out[i] = Math.max(out[i], NEAR - (phi[i] - collider.offset));
      });
      for (let i = 0; i < n; i++) out[i] = Math.min(NEAR, Math.max(0, out[i]));
      return out;
    },
  };
}
