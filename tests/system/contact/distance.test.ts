import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  edgeEdge,
  parallelFactor,
  pointTriangle,
  separation,
  squaredDistances,
  support,
} from "../../../src/system/contact/distance.ts";
import { randoms } from "./random.ts";

type Kind = "pointTriangle" | "edgeEdge";
const d2 = new Float64Array(1);
const w = new Float64Array(4);

function squared(kind: Kind, x: Float64Array): number {
  if (kind === "pointTriangle") pointTriangle(d2, w, 0, x, 0, 1, 2, 3);
  else edgeEdge(d2, w, 0, x, 0, 1, 2, 3);
  return d2[0];
}

/** The weights are feasible and give the distance: then it is the distance of two points of the features. */
function expectFeasible(kind: Kind, x: Float64Array): void {
  const d = Math.sqrt(squared(kind, x));
  const size = Math.max(...x.map(Math.abs), 1e-300);
  if (kind === "pointTriangle") {
    expect(w[0]).toBe(1);
    expect(w[1] + w[2] + w[3]).toBeCloseTo(-1, 14);
    for (let m = 1; m < 4; m++) expect(w[m]).toBeLessThanOrEqual(0);
  } else {
    expect(w[0] + w[1]).toBeCloseTo(1, 14);
    expect(w[2] + w[3]).toBeCloseTo(-1, 14);
    for (let m = 0; m < 2; m++) expect(w[m]).toBeGreaterThanOrEqual(0);
    for (let m = 2; m < 4; m++) expect(w[m]).toBeLessThanOrEqual(0);
  }
  const δ = new Float64Array(3);
  separation(δ, 0, w, 0, x, 0, 1, 2, 3);
  expect(Math.abs(Math.hypot(...δ) - d)).toBeLessThanOrEqual(1e-14 * size);
}

/** A lower bound by convexity: nothing of one feature is nearer along δ than its nearest corner. */
function lowerBound(kind: Kind, x: Float64Array): number {
  squared(kind, x);
  const δ = new Float64Array(3);
  separation(δ, 0, w, 0, x, 0, 1, 2, 3);
  const length = Math.hypot(...δ);
  if (length === 0) return 0;
  const first = kind === "pointTriangle" ? 1 : 2;
  const along = (m: number) =>
    (δ[0] * x[3 * m] + δ[1] * x[3 * m + 1] + δ[2] * x[3 * m + 2]) / length;
  const lower = Math.min(...Array.from({ length: first }, (_, m) => along(m)));
  const upper = Math.max(...Array.from({ length: 4 - first }, (_, m) => along(first + m)));
  return lower - upper;
}

/** Squared distance by dense sampling of both features and refinement around the best sample. */
function sampled(kind: Kind, x: Float64Array): number {
  const at = (s: number, t: number): number => {
    let sum = 0;
    for (let c = 0; c < 3; c++) {
      const δ =
        kind === "pointTriangle"
          ? x[c] - ((1 - s) * x[3 + c] + s * ((1 - t) * x[6 + c] + t * x[9 + c]))
          : (1 - s) * x[c] + s * x[3 + c] - ((1 - t) * x[6 + c] + t * x[9 + c]);
      sum += δ * δ;
    }
    return sum;
  };
  let best = Number.POSITIVE_INFINITY;
  let [bs, bt, radius] = [0.5, 0.5, 0.5];
  for (let level = 0; level < 24; level++) {
    const [cs, ct] = [bs, bt];
    for (let i = -8; i <= 8; i++)
      for (let j = -8; j <= 8; j++) {
        const s = Math.min(1, Math.max(0, cs + (radius * i) / 8));
        const t = Math.min(1, Math.max(0, ct + (radius * j) / 8));
        const value = at(s, t);
        if (value < best) [best, bs, bt] = [value, s, t];
      }
    radius *= 0.5;
  }
  return best;
}

/** Small integers give touching, coplanar, collinear, parallel and zero-length cases all the time. */
const lattice = fc
  .array(fc.integer({ min: -2, max: 2 }), { minLength: 12, maxLength: 12 })
  .map((a) => Float64Array.from(a));
/** Multiples of 2⁻³⁰, so that nothing underflows. */
const generic = fc
  .array(fc.integer({ min: -(2 ** 30), max: 2 ** 30 }), { minLength: 12, maxLength: 12 })
  .map((a) => Float64Array.from(a, (v) => v * 2 ** -30));
/** Flattened along one axis by a power of ten: needles and nearly parallel edges. */
const squeezed = fc
  .tuple(generic, fc.integer({ min: 0, max: 15 }), fc.integer({ min: 0, max: 15 }))
  .map(([a, i, j]) => {
    for (let m = 0; m < 4; m++) {
      a[3 * m + 1] *= 10 ** -i;
      a[3 * m + 2] *= 10 ** -j;
    }
    return a;
  });

describe("distances of features", () => {
  for (const kind of ["pointTriangle", "edgeEdge"] as const) {
    for (const [name, shape] of [
      ["small integer", lattice],
      ["random", generic],
      ["squeezed", squeezed],
    ] as const)
      test(`${kind} of ${name} coordinates: feasible weights and a separating plane prove the distance from both sides`, () => {
        // d is the distance of two points of the features, and a plane keeps the features at least d apart: so d is the distance.
        fc.assert(
          fc.property(shape, (x) => {
            expectFeasible(kind, x);
            const d = Math.sqrt(squared(kind, x));
            const size = Math.max(...x.map(Math.abs));
            // near touching the direction δ/d is all rounding, and proves nothing
            if (d > 1e-7 * size)
              expect(lowerBound(kind, x)).toBeGreaterThanOrEqual(
                d - 1e-13 * size - (1e-14 * size * size) / d,
              );
          }),
          { numRuns: 1500, seed: 1 },
        );
      });

    test(`${kind} of small integer coordinates is what dense sampling finds`, () => {
      fc.assert(
        fc.property(lattice, (x) => {
          expect(Math.sqrt(squared(kind, x))).toBeCloseTo(Math.sqrt(sampled(kind, x)), 5);
        }),
        { numRuns: 150, seed: 1 },
      );
    });

    test(`${kind}: the gradient is 2 w δ (central differences)`, () => {
      const random = randoms(kind === "edgeEdge" ? 11 : 12);
      const seen = new Set<number>();
      let checked = 0;
      while (checked < 60) {
        const x = Float64Array.from({ length: 12 }, random);
        squared(kind, x);
        const s = support(w, 0);
        // stay clear of the borders between features, where it jumps
        if ([...w].some((v) => v !== 0 && Math.abs(v) < 0.02)) continue;
        if (checked > 30 && seen.size < 5 && seen.has(s)) continue;
        seen.add(s);
        const g = gradient(kind, x);
        const eps = 1e-5;
        for (let j = 0; j < 12; j++) {
          const right = x.slice();
          const left = x.slice();
          right[j] += eps;
          left[j] -= eps;
          squared(kind, right);
          const sameRight = support(w, 0) === s;
          squared(kind, left);
          if (!sameRight || support(w, 0) !== s) continue;
          const slope = (squared(kind, right) - squared(kind, left)) / (2 * eps);
          expect(Math.abs(slope - g[j])).toBeLessThan(1e-8 * (1 + Math.abs(slope)) + 1e-8);
        }
        checked++;
      }
    });
  }

  test("closed forms: face, edge and corner of a triangle", () => {
    const x = Float64Array.from([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
    const at = (p: [number, number, number]) => {
      x.set(p);
      return squared("pointTriangle", x);
    };
    expect(at([0.25, 0.25, 2])).toBe(4);
    expect([...w]).toEqual([1, -0.5, -0.25, -0.25]);
    expect(at([0.5, -1, 0])).toBe(1);
    expect([...w].map(Math.abs)).toEqual([1, 0.5, 0.5, 0]);
    expect(support(w, 0)).toBe(0b0111);
    expect(at([-1, -1, 1])).toBe(3);
    expect(support(w, 0)).toBe(0b0011);
    expect(at([1, 1, 0])).toBeCloseTo(0.5, 15);
    expect(support(w, 0)).toBe(0b1101);
  });

  test("degenerate features: zero-length edges and collinear triangles give the distance of what is left", () => {
    const point = Float64Array.from([0, 0, 1, 2, 0, 0, 2, 0, 0, 2, 0, 0]);
    expect(squared("pointTriangle", point)).toBe(5); // a triangle that is one point
    const line = Float64Array.from([0, 0, 1, -1, 0, 0, 3, 0, 0, 1, 0, 0]);
    expect(squared("pointTriangle", line)).toBe(1); // a triangle that is a segment
    const points = Float64Array.from([1, 1, 1, 1, 1, 1, 2, 1, 1, 2, 1, 1]);
    expect(squared("edgeEdge", points)).toBe(1); // edges that are points
    const parallel = Float64Array.from([0, 0, 0, 1, 0, 0, 0.5, 1, 0, 3, 1, 0]);
    expect(squared("edgeEdge", parallel)).toBe(1);
    const collinear = Float64Array.from([0, 0, 0, 1, 0, 0, 3, 0, 0, 4, 0, 0]);
    expect(squared("edgeEdge", collinear)).toBe(4);
    const overlapping = Float64Array.from([0, 0, 0, 2, 0, 0, 1, 0, 0, 4, 0, 0]);
    expect(squared("edgeEdge", overlapping)).toBe(0);
  });

  test("edges that cross at an angle of 1e-9 touch to the last digits, not to half of them", () => {
    const x = Float64Array.from([-1, 0, 0, 1, 0, 0, -1, -1e-9, 0, 1, 1e-9, 0]);
    expect(Math.sqrt(squared("edgeEdge", x))).toBeLessThan(1e-16);
  });

  test("batches give the same bits as single pairs", () => {
    const random = randoms(5);
    const Y = Float64Array.from({ length: 300 }, random);
    const count = 200;
    const pairs = Int32Array.from({ length: 4 * count }, () => Math.floor((random() + 1) * 50));
    const many = new Float64Array(count);
    for (const [first, one] of [
      [1, pointTriangle],
      [2, edgeEdge],
    ] as const) {
      squaredDistances(many, pairs, count, first, Y);
      for (let k = 0; k < count; k++) {
        one(d2, w, 0, Y, pairs[4 * k], pairs[4 * k + 1], pairs[4 * k + 2], pairs[4 * k + 3]);
        expect(many[k]).toBe(d2[0]);
      }
    }
  });
});

describe("the factor of nearly parallel edges", () => {
  const at = (φ: number, size = 1) =>
    Float64Array.from([0, 0, 0, 1, 0, 0, 0, 0, 1, 0.3 * Math.cos(φ), 0.3 * Math.sin(φ), 1]).map(
      (x) => size * x,
    );
  const factor = (Y: Float64Array) => parallelFactor(Y, 0, 1, 2, 3);

  test("is 0 for parallel edges and such without a length, 1 above the threshold, and C¹ there", () => {
    expect(factor(at(0))).toBe(0);
    expect(factor(at(0, 0))).toBe(0);
    expect(factor(at(0.1))).toBe(1);
    const φ = Math.asin(Math.sqrt(1e-3));
    expect(factor(at(φ - 1e-6))).toBeCloseTo(1, 8);
    expect(factor(at(φ / 2))).toBeCloseTo(0.25 * 1.75, 3);
  });

  test("does not know how large things are", () => {
    for (const φ of [0.001, 0.01, 0.02]) expect(factor(at(φ, 1e-3))).toBeCloseTo(factor(at(φ)), 12);
  });
});

function gradient(kind: Kind, x: Float64Array): Float64Array {
  squared(kind, x);
  const δ = new Float64Array(3);
  separation(δ, 0, w, 0, x, 0, 1, 2, 3);
  return Float64Array.from({ length: 12 }, (_, i) => 2 * w[Math.floor(i / 3)] * δ[i % 3]);
}
