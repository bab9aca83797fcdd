/**
 * SPLINE entities: curves by control points (de Boor), or through fit points (natural cubic).
 */
import type { Vec2 } from "../scene/scene.ts";
import { type Entity, finite, number } from "./dxf-read.ts";
import { FileError } from "./file-error.ts";
import { norm, type Stroke } from "./pattern.ts";

/** A B-spline by de Boor's algorithm, 8 steps a knot span; a smooth curve through its fit points if it has nothing else. */
export function splineStroke(entity: Entity): Stroke | null {
  const degree = number(entity, 71, 3);
  const knots: number[] = [];
  const weights: number[] = [];
  const control: Vec2[] = [];
  const fit: Vec2[] = [];
  for (const [code, value] of entity.pairs) {
    if (code === 40) knots.push(finite(value, entity));
    else if (code === 41) weights.push(finite(value, entity));
    else if (code === 10) control.push([finite(value, entity), 0]);
    else if (code === 20 && control.length > 0)
      control[control.length - 1][1] = finite(value, entity);
    else if (code === 11) fit.push([finite(value, entity), 0]);
    else if (code === 21 && fit.length > 0) fit[fit.length - 1][1] = finite(value, entity);
  }
  if (control.length === 0) return fitCurve(entity, fit);
  const n = control.length;
  if (
    !(
      Number.isInteger(degree) &&
      degree >= 1 &&
      degree <= 15 &&
      n > degree &&
      knots.length === n + degree + 1
    )
  )
    throw new FileError(
      "DXF",
      `line ${entity.line}`,
      `a spline of degree ${degree} with ${n} points and ${knots.length} knots`,
      "needs points + degree + 1 knots",
    );
  for (let k = 1; k < knots.length; k++)
    if (!(knots[k] >= knots[k - 1]))
      throw new FileError("DXF", `line ${entity.line}`, "the knots of a spline do not rise");
  if (weights.length > 0 && (weights.length !== n || weights.some((w) => !(w > 0))))
    throw new FileError(
      "DXF",
      `line ${entity.line}`,
      "the weights of a spline",
      "needs one above 0 for each point",
    );
  const points: Stroke = [];
  for (let span = degree; span < n; span++) {
    if (knots[span + 1] === knots[span]) continue;
    const steps = 8;
    for (let k = points.length === 0 ? 0 : 1; k <= steps; k++)
      points.push(
        deBoor(
          knots[span] + ((knots[span + 1] - knots[span]) * k) / steps,
          span,
          degree,
          knots,
          control,
          weights,
        ),
      );
  }
  return points.length > 1 ? points : null;
}

/**
 * The cubic spline through fit points, as CAD programs draw it: parameters by chord length, second derivatives continuous. The
 * ends have the tangents of the file (codes 12, 22 and 13, 23), else no curvature; a closed one (flag 1) goes on smoothly.
 */
function fitCurve(entity: Entity, given: readonly Vec2[]): Stroke | null {
  const isClosed = (number(entity, 70, 0) & 1) === 1;
  const fit = given.filter(
    (p, k) => k === 0 || p[0] !== given[k - 1][0] || p[1] !== given[k - 1][1],
  );
  if (isClosed && fit.length > 2 && (fit[0][0] !== fit.at(-1)![0] || fit[0][1] !== fit.at(-1)![1]))
    fit.push(fit[0]);
  if (fit.length < 2) return null;
  const n = fit.length;
  const h = fit.slice(1).map((p, k) => norm([p[0] - fit[k][0], p[1] - fit[k][1]]));
  const tangents = ([x, y]: readonly [number, number]): Vec2 | null => {
    const v: Vec2 = [number(entity, x, 0), number(entity, y, 0)];
    const length = norm(v);
    return length > 0 ? [v[0] / length, v[1] / length] : null;
  };
  const [start, end] = [tangents([12, 22]), tangents([13, 23])];
  const slopes = [0, 1].map((c) =>
    fitSlopes(
      fit.map((p) => p[c]),
      h,
      isClosed,
      start?.[c] ?? null,
      end?.[c] ?? null,
    ),
  );
  const points: Stroke = [fit[0]];
  const steps = 16;
  for (let k = 0; k + 1 < n; k++) {
    for (let s = 1; s < steps; s++) {
      const t = s / steps;
      const at = (c: number): number =>
        hermite(t, fit[k][c], fit[k + 1][c], h[k] * slopes[c][k], h[k] * slopes[c][k + 1]);
      points.push([at(0), at(1)]);
    }
    points.push(fit[k + 1]);
  }
  return points;
}

function hermite(t: number, a: number, b: number, da: number, db: number): number {
  const s = 1 - t;
  return s * s * (1 + 2 * t) * a + t * t * (1 + 2 * s) * b + s * s * t * da - t * t * s * db;
}

/**
 * Slopes dₖ at the points so that second derivatives agree where two pieces meet:
 *   dₖ₋₁/hₖ₋₁ + 2 (1/hₖ₋₁ + 1/hₖ) dₖ + dₖ₊₁/hₖ = 3 ((xₖ − xₖ₋₁)/hₖ₋₁² + (xₖ₊₁ − xₖ)/hₖ²)
 * solved by sweeps of Gauss–Seidel: rows are dominant by two to one, so 60 sweeps leave 10⁻¹⁸ of the error.
 */
function fitSlopes(
  x: readonly number[],
  h: readonly number[],
  isClosed: boolean,
  start: number | null,
  end: number | null,
): number[] {
  const n = x.length;
  const d = x.map(() => 0);
  if (n === 2 && start === null && end === null) return d.fill((x[1] - x[0]) / h[0]);
  const inner = (k: number, a: number, b: number, ha: number, hb: number): number =>
    (3 * ((x[k] - x[a]) / (ha * ha) + (x[b] - x[k]) / (hb * hb)) - d[a] / ha - d[b] / hb) /
    (2 * (1 / ha + 1 / hb));
  for (let sweep = 0; sweep < 60; sweep++) {
    if (isClosed) d[0] = inner(0, n - 2, 1, h[n - 2], h[0]);
    else d[0] = start ?? (3 * (x[1] - x[0])) / (2 * h[0]) - d[1] / 2;
    for (let k = 1; k + 1 < n; k++) d[k] = inner(k, k - 1, k + 1, h[k - 1], h[k]);
    if (isClosed) d[n - 1] = d[0];
    else d[n - 1] = end ?? (3 * (x[n - 1] - x[n - 2])) / (2 * h[n - 2]) - d[n - 2] / 2;
  }
  return d;
}

function deBoor(
  t: number,
  span: number,
  degree: number,
  knots: number[],
  control: Vec2[],
  weights: number[],
): Vec2 {
  const d: [number, number, number][] = [];
  for (let j = 0; j <= degree; j++) {
    const i = span - degree + j;
    const w = weights[i] ?? 1;
    d.push([control[i][0] * w, control[i][1] * w, w]);
  }
  for (let r = 1; r <= degree; r++)
    for (let j = degree; j >= r; j--) {
      const i = span - degree + j;
      const width = knots[i + degree - r + 1] - knots[i];
      const a = width === 0 ? 0 : (t - knots[i]) / width;
      for (let c = 0; c < 3; c++) d[j][c] = (1 - a) * d[j - 1][c] + a * d[j][c];
    }
  const [x, y, w] = d[degree];
  return [x / w, y / w];
}
