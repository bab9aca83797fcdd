import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  edgeEdgeTime,
  pointTriangleTime,
  safeTime as safeTimeOfAll,
} from "../../../src/system/contact/ccd.ts";
import { edgeEdge, pointTriangle } from "../../../src/system/contact/distance.ts";
import { exactCollision } from "./exact-collision.ts";
import { randoms } from "./random.ts";

type Kind = "pointTriangle" | "edgeEdge";
const out = new Float64Array(1);
const w = new Float64Array(4);

function safeTime(
  kind: Kind,
  x: Float64Array,
  dx: Float64Array,
  ξ: number,
  reach = Number.POSITIVE_INFINITY,
): number {
  const f = kind === "pointTriangle" ? pointTriangleTime : edgeEdgeTime;
  f(out, 0, x, dx, 0, 1, 2, 3, ξ, reach, 1);
  return out[0];
}

function distanceAt(kind: Kind, x: Float64Array, dx: Float64Array, t: number): number {
  const y = x.map((v, i) => v + t * dx[i]);
  if (kind === "pointTriangle") pointTriangle(out, w, 0, y, 0, 1, 2, 3);
  else edgeEdge(out, w, 0, y, 0, 1, 2, 3);
  return Math.sqrt(out[0]);
}

const lattice = fc
  .array(fc.integer({ min: -2, max: 2 }), { minLength: 12, maxLength: 12 })
  .map((a) => Float64Array.from(a));
const generic = fc
  .array(fc.integer({ min: -(2 ** 30), max: 2 ** 30 }), { minLength: 12, maxLength: 12 })
  .map((a) => Float64Array.from(a, (v) => v * 2 ** -30));

describe("safe time of two features", () => {
  for (const kind of ["pointTriangle", "edgeEdge"] as const) {
    for (const [name, shape] of [
      ["small integer", lattice],
      ["random", generic],
    ] as const)
      test(`${kind}, ${name} coordinates: a tenth of the gap is left all the way, and at the end less than a fifth unless all was safe`, () => {
        fc.assert(
          fc.property(
            shape,
            shape,
            fc.constantFrom(0, 1e-6, 0.01),
            fc.constantFrom(0.01, Number.POSITIVE_INFINITY),
            (x, dx, ξ, reach) => {
              const t = safeTime(kind, x, dx, ξ, reach);
              const gap = Math.min(reach, distanceAt(kind, x, dx, 0) - ξ);
              if (gap <= 1e-14) {
                expect(t).toBe(0);
                return;
              }
              expect(t).toBeGreaterThan(0);
              let least = Number.POSITIVE_INFINITY;
              for (let m = 0; m <= 50; m++)
                least = Math.min(least, distanceAt(kind, x, dx, (t * m) / 50) - ξ);
              expect(least).toBeGreaterThanOrEqual(0.1 * gap - 1e-13);
              // the bound on rounds leaves more than a fifth in very few cases; none of these
              if (t < 1)
                expect(distanceAt(kind, x, dx, t) - ξ).toBeLessThanOrEqual(0.2 * gap + 1e-14);
            },
          ),
          { numRuns: 1000, seed: 2 },
        );
      });
  }

  test("a point that falls onto a triangle stops where a tenth of the gap is left", () => {
    const x = Float64Array.from([0.2, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
    const dx = Float64Array.from([0, 0, -4, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(safeTime("pointTriangle", x, dx, 0)).toBeCloseTo(0.9 / 4, 12);
    expect(safeTime("pointTriangle", x, dx, 0.5)).toBeCloseTo(0.45 / 4, 12);
  });

  test("crossing edges stop, sliding and leaving ones go all the way", () => {
    const x = Float64Array.from([-1, 0, 0.1, 1, 0, 0.1, 0, -1, 0, 0, 1, 0]);
    const down = Float64Array.from([0, 0, -1, 0, 0, -1, 0, 0, 0, 0, 0, 0]);
    expect(safeTime("edgeEdge", x, down, 0)).toBeCloseTo(0.09, 12);
    const up = down.map((v) => -v);
    expect(safeTime("edgeEdge", x, up, 0)).toBe(1);
    const along = Float64Array.from([0.9, 0.7, 0, 0.9, 0.7, 0, 0, 0, 0, 0, 0, 0]);
    expect(safeTime("edgeEdge", x, along, 0)).toBe(1);
  });

  test("wherever exact integer arithmetic proves a collision, the safe time ends before it; where it proves none, all is safe", () => {
    const lattice = fc.array(fc.integer({ min: -6, max: 6 }), { minLength: 12, maxLength: 12 });
    const seen = { yes: 0, no: 0, unknown: 0 };
    fc.assert(
      fc.property(
        lattice,
        lattice,
        fc.constantFrom<Kind>("pointTriangle", "edgeEdge"),
        (x, v, kind) => {
          const dx = v.map((u) => 2 * u);
          const t = safeTime(kind, Float64Array.from(x), Float64Array.from(dx), 0, 1e-6);
          const verdict = exactCollision(kind, x, dx);
          seen[verdict.answer]++;
          if (verdict.answer === "yes") expect(t).toBeLessThan(verdict.before);
          if (verdict.answer === "no") expect(t).toBe(1);
        },
      ),
      { numRuns: 300, seed: 4 },
    );
    expect(seen.yes).toBeGreaterThan(20);
    expect(seen.no).toBeGreaterThan(100);
  });

  test("tunnelling: a point that passes right through in one step is stopped before", () => {
    const x = Float64Array.from([0.2, 0.2, 0.001, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
    const dx = Float64Array.from([0, 0, -1000, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const t = safeTime("pointTriangle", x, dx, 0);
    expect(t).toBeGreaterThan(0);
    expect(t * 1000).toBeLessThan(0.001);
  });

  test("common motion, however fast, changes nothing", () => {
    const random = randoms(4);
    const x = Float64Array.from({ length: 12 }, random);
    const dx = Float64Array.from({ length: 12 }, (_, i) => [512, -256, 128][i % 3]);
    expect(safeTime("pointTriangle", x, dx, 0)).toBe(1);
    expect(safeTime("edgeEdge", x, dx, 0)).toBe(1);
  });

  test("features that touch already, or are nearer than asked, may not move", () => {
    const touching = Float64Array.from([0.2, 0.2, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
    const dx = Float64Array.from({ length: 12 }, (_, i) => (i === 2 ? 1 : 0));
    expect(safeTime("pointTriangle", touching, dx, 0)).toBe(0);
    const near = touching.slice();
    near[2] = 0.01;
    expect(safeTime("pointTriangle", near, dx, 0.02)).toBe(0);
    expect(safeTime("pointTriangle", near, dx, 0.005)).toBe(1);
  });

  test("many pairs: the least of their times, cut at the limit; a negative separation leaves a pair alone", () => {
    const random = randoms(9);
    const Y = Float64Array.from({ length: 300 }, random);
    const dY = Float64Array.from({ length: 300 }, () => 0.3 * random());
    const pick = () => {
      const four = new Set<number>();
      while (four.size < 4) four.add(Math.floor((random() + 1) * 50));
      return [...four];
    };
    const count = 600;
    const time = new Float64Array(1);
    for (const [first, one] of [
      [1, pointTriangleTime],
      [2, edgeEdgeTime],
    ] as const) {
      const fours = Array.from({ length: count }, pick);
      const pairs = Int32Array.from(fours.flat());
      const keep = new Float64Array(count).fill(1e-4);
      // one after the other, each within what those before it left: the rounding that is taken off grows with the limit
      let least = 1;
      for (const [a, b, c, e] of fours) {
        one(time, 0, Y, dY, a, b, c, e, 1e-4, 1e-3, least);
        least = time[0];
      }
      expect(least).toBeLessThan(1);
      expect(safeTimeOfAll(pairs, count, first, keep, Y, dY, 1e-3, 1)).toBe(least);
      expect(safeTimeOfAll(pairs, count, first, keep, Y, dY, 1e-3, least / 2)).toBe(least / 2);
      expect(safeTimeOfAll(pairs, 0, first, keep, Y, dY, 1e-3, 1)).toBe(1);
      expect(safeTimeOfAll(pairs, count, first, keep.fill(-1), Y, dY, 1e-3, 1)).toBe(1);
    }
  });
});
