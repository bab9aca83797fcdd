/**
 * Bending energy of samples with frames, worked out anew in space: nothing is assembled, and another quadrature is used than the engine's.
 *
 * On every triangle θ is quadratic: at the corners it is F, turned into the triangle's coordinates; at the middle of a side with ends i and j,
 * length ℓ, direction t and normal n it is θ t = (3/2)(yⱼ − yᵢ)/ℓ − ¼(θᵢ + θⱼ) t and θ n = ½(θᵢ + θⱼ) n. Its gradient is linear, so that
 *
 *   E = D/2 ∫ (1−ν)|sym ∇θ|² + ν|tr ∇θ|²,       ∫ L² = A/12 (L₀² + L₁² + L₂² + (L₀ + L₁ + L₂)²)
 *
 * follows from the gradients at the three corners. What θ lacks on cubics is a quadratic form of the residuals r = (yⱼ − yᵢ)/ℓ − ½(θᵢ + θⱼ) t of the sides,
 * E += D μ Σ |r|²/ℓ², with μ from means over the axes of cylinders that are summed here.
 */
import type { ReadonlyF64 } from "../linalg/arena.ts";
import type { MeasuredSheet } from "../recording/measures.ts";
import type { Scene } from "../scene/scene.ts";
import type { KnownEnergy } from "./membrane.ts";
import { partsOf, placesOf } from "./places.ts";

type Vector = readonly number[];

/** Relative rounding of a number in single precision. */
const SINGLE = 2 ** -24;
/** Gradients at a corner are (4, 3, 1) times values of θ over a height; middles have up to 1.5 times the rounding of corners. */
const GRADIENT = 4 * 1.5 + 3 + 1;
/** A residual is a chord over its length less a mean of two. */
const RESIDUAL = 1 + 1;

/**
 * Gives the bending energy of a pose [9n].
 *
 * @param start the first frame, whose curvature is natural to sheets that say so
 */
export function createFrameBending(
  scene: Scene,
  sheet: MeasuredSheet,
  tangent: ReadonlyF64,
  start: ReadonlyF64 | null = null,
): (pose: ReadonlyF64) => KnownEnergy {
  const turn = cornerTurns(sheet, tangent);
  const material = materialOf(scene, sheet);
  const natural = Array.from({ length: sheet.triangles.length / 3 }, (_, t) => {
    const { curvature: given } = material(t);
    if (given === null) return null;
    if (given !== "pose") return givenCurvature(given);
    if (start === null) return null;
    const at = gradients(start, sheet, turn, triangleOf(sheet.corners, t).sides, t);
    return meanCurvature(middles(at), middleNormals(start, sheet, t));
  });
  return (pose) => {
    let energy = 0;
    let noise = 0;
    for (let t = 0; 3 * t < sheet.triangles.length; t++) {
      const { D, nu } = material(t);
      const { sides, area, height } = triangleOf(sheet.corners, t);
      const at = gradients(pose, sheet, turn, sides, t);
      const rest = natural[t];
      const square = rest
        ? beyondNatural(middles(at), middleNormals(pose, sheet, t), rest, nu)
        : curvature(at, nu);
      energy += 0.5 * D * area * square;
      noise += 0.5 * D * area * (rest ? 16 : 4) * (1 + nu) * ((GRADIENT * SINGLE) / height) ** 2;
      const mu = cubicStiffness(sides, area, nu);
      for (const [k, r] of residuals(pose, sheet, turn, sides, t).entries()) {
        energy += (D * mu * dot(r, r)) / sides[k].length ** 2;
        noise += D * mu * ((RESIDUAL * SINGLE) / sides[k].length) ** 2;
      }
    }
    // |√E − √E′| ≤ √noise, as √E is a norm
    return { energy, rounding: 2 * Math.sqrt(energy * noise) + noise };
  };
}

/** κ d dᵀ as (00, 11, 01), 1/m. */
function givenCurvature({ value, angle }: { value: number; angle: number }): Vector {
  const [x, y] = [Math.cos(angle), Math.sin(angle)];
  return [value * x * x, value * y * y, value * x * y];
}

/** Gradients of θ at the middles of the sides opposite the corners; they are linear. */
function middles(at: readonly Vector[][]): Vector[][] {
  return [0, 1, 2].map((m) =>
    [0, 1, 2].map((k) => sum(0.5, at[(m + 1) % 3][k], 0.5, at[(m + 2) % 3][k])),
  );
}

/** Along the normals, the mean of the gradients at the middles. */
function meanCurvature(at: readonly Vector[][], normals: readonly Vector[]): Vector {
  return [0, 1, 2].map((k) => at.reduce((total, g, m) => total + dot(g[k], normals[m]) / 3, 0));
}

/** 1/m²: mean over the middles of (1−ν)|sym ∇θ − II₀ n|² + ν|tr(∇θ − II₀ n)|². */
function beyondNatural(
  at: readonly Vector[][],
  normals: readonly Vector[],
  rest: Vector,
  nu: number,
): number {
  const square = (a: Vector): number => dot(a, a);
  return at.reduce((total, g, m) => {
    const [a, d, b] = g.map((v, k) => sum(1, v, -rest[k], normals[m]));
    const own = square(a) + square(d) + 2 * square(b);
    return total + ((1 - nu) * own + nu * square(sum(1, a, 1, d))) / 3;
  }, 0);
}

/** Unit normals at the middles of the sides opposite the corners: the mean of their ends'. */
function middleNormals(pose: ReadonlyF64, { n, triangles }: MeasuredSheet, t: number): Vector[] {
  const corner = [0, 1, 2].map((k) => {
    const f = 3 * n + 6 * triangles[3 * t + k];
    return unit(cross(vector(pose, f), vector(pose, f + 3)));
  });
  return [0, 1, 2].map((m) => unit(sum(1, corner[(m + 1) % 3], 1, corner[(m + 2) % 3])));
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function unit(a: Vector): Vector {
  const length = Math.sqrt(dot(a, a));
  return length > 0 ? a.map((x) => x / length) : a;
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** D and ν of a triangle, the means of its corners', and the natural curvature of its sheet. */
function materialOf(
  { sheets }: Scene,
  sheet: MeasuredSheet,
): (t: number) => { D: number; nu: number; curvature: Scene["sheets"][number]["curvature"] } {
  const { triangles } = sheet;
  const part = partsOf(sheet);
  return (t) => {
    const own = [0, 1, 2].map((k) => sheets[part[triangles[3 * t + k]]].material);
    const mean = (of: (m: (typeof own)[number]) => number): number =>
      own.reduce((sum, m) => sum + of(m) / 3, 0);
    const { curvature: given } = sheets[part[triangles[3 * t]]];
    return { D: mean((m) => m.D), nu: mean((m) => m.poisson), curvature: given };
  };
}

/** The side from corner k to the next: unit direction and length, m. */
interface Side {
  readonly x: number;
  readonly y: number;
  readonly length: number;
}

function triangleOf(
  corners: ReadonlyF64,
  t: number,
): { sides: Side[]; area: number; height: number } {
  const sides = [0, 1, 2].map((k) => {
    const [a, b] = [6 * t + 2 * k, 6 * t + 2 * ((k + 1) % 3)];
    const [u, v] = [corners[b] - corners[a], corners[b + 1] - corners[a + 1]];
    const length = Math.sqrt(u * u + v * v);
    return { x: u / length, y: v / length, length };
  });
  const [p, q] = [sides[0], sides[1]];
  const area = 0.5 * p.length * q.length * Math.abs(p.x * q.y - p.y * q.x);
  return { sides, area, height: (2 * area) / Math.max(...sides.map(({ length }) => length)) };
}

type Framed = Pick<MeasuredSheet, "n" | "triangles" | "spacing">;

/** The samples of a triangle and the columns of θ there. */
function cornersOf(
  pose: ReadonlyF64,
  { n, triangles, spacing }: Framed,
  turn: Float64Array,
  t: number,
): { points: number[]; corner: Vector[][] } {
  const points = [0, 1, 2].map((k) => triangles[3 * t + k]);
  const corner = points.map((i, k) => {
    const [c, s] = [turn[6 * t + 2 * k] / spacing[i], turn[6 * t + 2 * k + 1] / spacing[i]];
    const [a, b] = [vector(pose, 3 * n + 6 * i), vector(pose, 3 * n + 6 * i + 3)];
    return [sum(c, a, s, b), sum(-s, a, c, b)];
  });
  return { points, corner };
}

/** (yⱼ − yᵢ)/ℓ */
function chordOf(pose: ReadonlyF64, i: number, j: number, length: number): Vector {
  return sum(1 / length, vector(pose, 3 * j), -1 / length, vector(pose, 3 * i));
}

/** r of the sides. */
function residuals(
  pose: ReadonlyF64,
  sheet: Framed,
  turn: Float64Array,
  sides: readonly Side[],
  t: number,
): Vector[] {
  const { points, corner } = cornersOf(pose, sheet, turn, t);
  return sides.map(({ x, y, length }, i) => {
    const j = (i + 1) % 3;
    const ends = [0, 1].map((c) => sum(0.5, corner[i][c], 0.5, corner[j][c]));
    return sum(1, chordOf(pose, points[i], points[j], length), -1, sum(x, ends[0], y, ends[1]));
  });
}

/** Axes over half a turn: trigonometric sums up to cos 12α are exact. */
const AXES = 13;

/**
 * μ, m²: what the energy of cylinders with |y‴| = 1 lacks for the middles' normal derivatives, which are (ℓ²/8)(n·c)(t·c)² off, over what
 * Σ |r|²/ℓ² is there, both summed over the directions c across their axes.
 */
function cubicStiffness(sides: readonly Side[], area: number, nu: number): number {
  let [missing, present] = [0, 0];
  for (let k = 0; k < AXES; k++) {
    const angle = (Math.PI * k) / AXES;
    const along = sides.map(({ x, y }) => x * Math.cos(angle) + y * Math.sin(angle));
    const across = sides.map(({ x, y }) => x * Math.sin(angle) - y * Math.cos(angle));
    const delta = sides.map(({ length }, s) => (length ** 2 / 8) * across[s] * along[s] ** 2);
    const corners = [0, 1, 2].map((i) => errorGradient(sides, area, delta, i));
    missing += delta.reduce((total, d, s) => total + (area / 3) * d * across[s], 0);
    missing -= 0.5 * area * curvature(corners, nu);
    present += sides.reduce(
      (total, { length }, s) => total + (length / 12) ** 2 * along[s] ** 6,
      0,
    );
  }
  return Math.max(0, missing / present);
}

/** ∂₁e₁, ∂₂e₂ and ½(∂₂e₁ + ∂₁e₂) at corner i of e = Σ b δ nᵀ, as vectors along x. b of a side has the gradient 4∇λ of its other end at each of its ends. */
function errorGradient(
  sides: readonly Side[],
  area: number,
  delta: readonly number[],
  i: number,
): Vector[] {
  let [xx, yy, xy] = [0, 0, 0];
  for (const [s, other] of [
    [i, (i + 1) % 3],
    [(i + 2) % 3, (i + 2) % 3],
  ]) {
    // ∇λ of a corner is across the side opposite to it, towards the corner
    const opposite = sides[(other + 1) % 3];
    const scale = (4 * opposite.length) / (2 * area);
    const [g, h] = [-scale * opposite.y, scale * opposite.x];
    const [nx, ny] = [-delta[s] * sides[s].y, delta[s] * sides[s].x];
    xx += nx * g;
    yy += ny * h;
    xy += 0.5 * (nx * h + ny * g);
  }
  return [xx, yy, xy].map((v) => [v, 0, 0]);
}

/** ∂₁θ₁, ∂₂θ₂ and ½(∂₂θ₁ + ∂₁θ₂) at the three corners of a triangle, a vector in space each. */
function gradients(
  pose: ReadonlyF64,
  { n, triangles, spacing }: MeasuredSheet,
  turn: Float64Array,
  sides: readonly Side[],
  t: number,
): Vector[][] {
  const { points, corner } = cornersOf(pose, { n, triangles, spacing }, turn, t);
  // and at the middle of the side from corner k to the next
  const middle = sides.map(({ x, y, length }, k) => {
    const [i, j] = [k, (k + 1) % 3];
    const chord = chordOf(pose, points[i], points[j], length);
    const [first, second] = [0, 1].map((c) => sum(1, corner[i][c], 1, corner[j][c]));
    const along = sum(1.5, chord, -0.25, sum(x, first, y, second));
    const across = sum(-0.5 * y, first, 0.5 * x, second);
    return [sum(x, along, -y, across), sum(y, along, x, across)];
  });
  return [0, 1, 2].map((k) => {
    const [next, last] = [(k + 1) % 3, (k + 2) % 3];
    // derivatives along the two sides at this corner, of the parabolas through three values each
    const slope = (c: number, end: number, side: number): Vector =>
      sum(
        1 / sides[side].length,
        sum(4, middle[side][c], -3, corner[k][c]),
        -1 / sides[side].length,
        corner[end][c],
      );
    const [p, q] = [sides[k], sides[last]]; // q comes from the last corner to this one
    const det = -(p.x * q.y - p.y * q.x);
    const partial = (c: number): [Vector, Vector] => {
      const [a, b] = [slope(c, next, k), slope(c, last, last)];
      return [sum(-q.y / det, a, -p.y / det, b), sum(q.x / det, a, p.x / det, b)];
    };
    const [[d11, d21], [d12, d22]] = [partial(0), partial(1)];
    return [d11, d22, sum(0.5, d21, 0.5, d12)];
  });
}

/** 1/m²: mean over the triangle of (1−ν)|sym ∇θ|² + ν|tr ∇θ|². */
function curvature(at: readonly Vector[][], nu: number): number {
  const square = (of: (corner: readonly Vector[]) => Vector): number => {
    const values = at.map(of);
    let total = 0;
    for (let c = 0; c < 3; c++) {
      const [a, b, d] = [values[0][c], values[1][c], values[2][c]];
      total += (a * a + b * b + d * d + (a + b + d) * (a + b + d)) / 12;
    }
    return total;
  };
  const [first, second, mixed] = [0, 1, 2].map((k) => square((corner) => corner[k]));
  const trace = square((corner) => sum(1, corner[0], 1, corner[1]));
  return (1 - nu) * (first + second + 2 * mixed) + nu * trace;
}

/**
 * [6·triangles] cosine and sine, per corner, of the turn from the triangle's coordinates into the chart of its sample: by the recorded tangents of its two
 * edges, of which the mean counts where they do not agree (samples around which the material is not flat).
 */
function cornerTurns(
  { n, triangles, corners, edges }: MeasuredSheet,
  tangent: ReadonlyF64,
): Float64Array {
  const place = placesOf(edges, n);
  const out = new Float64Array(2 * triangles.length);
  for (let k = 0; k < triangles.length; k++) {
    const t = k - (k % 3);
    let [cosine, sine] = [0, 0];
    for (const other of [t + ((k + 1) % 3), t + ((k + 2) % 3)]) {
      const p = place.get(triangles[k] * n + triangles[other]) ?? 0;
      const sign = p % 2 === 0 ? 1 : -1; // tangents go from the first end to the second
      const [x, y] = [sign * tangent[2 * p], sign * tangent[2 * p + 1]];
      const [u, v] = [
        corners[2 * other] - corners[2 * k],
        corners[2 * other + 1] - corners[2 * k + 1],
      ];
      const length = Math.sqrt(u * u + v * v);
      cosine += (u * x + v * y) / length;
      sine += (u * y - v * x) / length;
    }
    const size = Math.sqrt(cosine * cosine + sine * sine);
    out[2 * k] = cosine / size;
    out[2 * k + 1] = sine / size;
  }
  return out;
}

function vector(x: ReadonlyF64, at: number): Vector {
  return [x[at], x[at + 1], x[at + 2]];
}

/** p a + q b */
function sum(p: number, a: Vector, q: number, b: Vector): Vector {
  return [p * a[0] + q * b[0], p * a[1] + q * b[1], p * a[2] + q * b[2]];
}
