// biome-ignore-all format: components are kept in columns
/**
 * Natural curvature II₀ of sheets that are curved where nothing loads them: curled paper, a shell from a mould.
 *
 *   E = D/2 ∫ (1−ν)|II − II₀|² + ν tr²(II − II₀),      II = n·∇θ,  θ of frame-bending.ts
 *     = E_b − Σₘ Mₘ·(nₘ·y) + constant                  m: the middles of a triangle's sides; M: nine numbers each, linear in the unknowns
 *
 * n is taken where ∇θ is, at the middles: with one normal for the triangle an arc that turns by ℓ/R from edge to edge unbends by (ℓ/R)²/16.
 *
 * ∇θ of a sheet that does not stretch is along n, and n stays a unit vector: to first order a change of n changes nothing. So with the normals of
 * the start of a step this is a force, and the Hessian stays the constant one of bending.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import { cos, sin } from "../linalg/elementary.ts";
import type { SheetScene } from "../scene/scene.ts";
import type { FrameCharts } from "../sheet/frames.ts";
import type { Sheet } from "../sheet/kinematics.ts";
import { SheetError } from "../sheet/sheet-error.ts";
import { curvatureRows, localPoints } from "./frame-bending.ts";

export interface RestCurvature {
  /** [9·triangles] y, a, b of each corner. */
  readonly points: Int32Array;
  /** [81·triangles] 1/m: ∂₁θ₁, ∂₂θ₂ and ½(∂₂θ₁ + ∂₁θ₂) at the three middles as rows over the nine unknowns. */
  readonly rows: Float64Array;
  /** [3·triangles] 1/m: II₀ as (00, 11, 01). */
  readonly natural: Float64Array;
  /** [27·triangles] N: M. */
  readonly moment: Float64Array;
  /** J */
  constant: number;
}

/**
 * @param sheets of the scene, part by part
 * @param Y where the sheet starts, frames included
 * @returns null if all sheets are flat by nature
 */
export function restCurvature(sheet: Sheet, charts: FrameCharts, sheets: readonly SheetScene[], Y: ReadonlyF64): RestCurvature | null {
  if (!sheets.some(({ curvature }) => curvature !== null)) return null;
  const T = sheet.triangles.length / 3;
  const rest: RestCurvature = {
    points: new Int32Array(9 * T), rows: new Float64Array(81 * T), natural: new Float64Array(3 * T), moment: new Float64Array(27 * T), constant: 0,
  };
  for (let t = 0; t < T; t++) {
    localPoints(rest.points.subarray(9 * t, 9 * t + 9), sheet, t);
    curvatureRows(rest.rows.subarray(81 * t, 81 * t + 81), sheet, charts, t);
  }
  sheet.parts.forEach(({ firstPoint, points }, p) => {
    const { curvature, name } = sheets[p];
    if (curvature === null) return;
    for (let t = 0; t < T; t++) {
      const i = sheet.triangles[3 * t];
      if (i < firstPoint || i >= firstPoint + points) continue;
      if (curvature === "pose") setFromPose(rest, sheet.n, t, Y);
      else setGiven(rest, sheet, t, curvature, name);
    }
  });
  return rest;
}

/** Difference between a side as drawn and as it is: share of its length, and m, from which on a panel counts as turned. */
const TURNED = 1e-6, ROUNDING = 1e-12;

/** κ d dᵀ with the direction d of the material. */
function setGiven({ natural }: RestCurvature, { triangles, corners, uv }: Sheet, t: number, { value, angle }: { value: number; angle: number }, name: string): void {
  for (let k = 1; k < 3; k++)
    for (let c = 0; c < 2; c++) {
      const drawn = uv[2 * triangles[3 * t + k] + c] - uv[2 * triangles[3 * t] + c], own = corners[6 * t + 2 * k + c] - corners[6 * t + c];
      if (Math.abs(drawn - own) > TURNED * (Math.abs(drawn) + Math.abs(own)) + ROUNDING)
        throw new SheetError(name, ["a curvature by its direction needs a flat shape; write curvature: pose for tubes, meshes and turned panels"]);
    }
  const x = cos(angle), y = sin(angle);
  natural[3 * t] = value * x * x; natural[3 * t + 1] = value * y * y; natural[3 * t + 2] = value * x * y;
}

const normal = new Float64Array(3);

function setFromPose({ natural, rows, points }: RestCurvature, n: number, t: number, Y: ReadonlyF64): void {
  for (let m = 0; m < 3; m++) {
    middleNormal(normal, n, points, t, m, Y);
    for (let k = 0; k < 3; k++) {
      let sum = 0;
      for (let p = 0; p < 9; p++) sum += rows[81 * t + 27 * m + 9 * k + p] * along(normal, Y, 3 * points[9 * t + p]);
      natural[3 * t + k] += sum / 3;
    }
  }
}

function along(normal: ReadonlyF64, Y: ReadonlyF64, k: number): number {
  return normal[0] * Y[k] + normal[1] * Y[k + 1] + normal[2] * Y[k + 2];
}

/** Unit normal at the middle of the side opposite corner m: the mean of a × b of its ends' frames. */
function middleNormal(out: Float64Array, n: number, points: Int32Array, t: number, m: number, Y: ReadonlyF64): void {
  let x = 0, y = 0, z = 0;
  for (let k = 0; k < 3; k++) {
    if (k === m) continue;
    const f = 3 * n + 6 * points[9 * t + 3 * k];
    const p = Y[f + 1] * Y[f + 5] - Y[f + 2] * Y[f + 4], q = Y[f + 2] * Y[f + 3] - Y[f] * Y[f + 5], r = Y[f] * Y[f + 4] - Y[f + 1] * Y[f + 3];
    const length = Math.sqrt(p * p + q * q + r * r), s = length > 0 ? 1 / length : 0;
    x += s * p; y += s * q; z += s * r;
  }
  const length = Math.sqrt(x * x + y * y + z * z), s = length > 0 ? 1 / length : 0;
  out[0] = s * x; out[1] = s * y; out[2] = s * z;
}

/** M and the constant for this rigidity. */
export function setMoments(rest: RestCurvature, { triangles, triangleArea }: Sheet, D: ReadonlyF64, nu: ReadonlyF64): void {
  const { rows, natural, moment } = rest;
  rest.constant = 0;
  for (let t = 0; 3 * t < triangles.length; t++) {
    let stiffness = 0, poisson = 0;
    for (let k = 0; k < 3; k++) { stiffness += D[triangles[3 * t + k]] / 3; poisson += nu[triangles[3 * t + k]] / 3; }
    const a = natural[3 * t], d = natural[3 * t + 1], b = natural[3 * t + 2], w = (stiffness * triangleArea[t]) / 3;
    const ma = w * ((1 - poisson) * a + poisson * (a + d)), md = w * ((1 - poisson) * d + poisson * (a + d)), mb = 2 * w * (1 - poisson) * b;
    for (let m = 3 * t; m < 3 * t + 3; m++)
      for (let p = 0; p < 9; p++) moment[9 * m + p] = ma * rows[27 * m + p] + md * rows[27 * m + 9 + p] + mb * rows[27 * m + 18 + p];
    rest.constant += 1.5 * (ma * a + md * d + mb * b);
  }
}

/** force += what natural curvature pushes with at Y. */
export function addRestMoments(force: Float64Array, { points, moment, natural }: RestCurvature, n: number, Y: ReadonlyF64): void {
  for (let t = 0; 3 * t < natural.length; t++)
    for (let m = 0; m < 3; m++) {
      middleNormal(normal, n, points, t, m, Y);
      for (let p = 0; p < 9; p++) {
        const k = 3 * points[9 * t + p], f = moment[27 * t + 9 * m + p];
        force[k] += f * normal[0]; force[k + 1] += f * normal[1]; force[k + 2] += f * normal[2];
      }
    }
}

/** J: what it adds to E_b at Y. */
export function restEnergy({ points, moment, natural, constant }: RestCurvature, n: number, Y: ReadonlyF64): number {
  let E = constant;
  for (let t = 0; 3 * t < natural.length; t++)
    for (let m = 0; m < 3; m++) {
      middleNormal(normal, n, points, t, m, Y);
      for (let p = 0; p < 9; p++) E -= moment[27 * t + 9 * m + p] * along(normal, Y, 3 * points[9 * t + p]);
    }
  return E;
}
