import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { intersections, selfIntersections } from "../../../src/system/contact/intersections.ts";
import { grid, randoms } from "./random.ts";

type Vector = readonly [number, number, number];
const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/**
 * Closed convex sets are disjoint exactly if one of the face normals of their difference separates them: for triangles the two
 * normals, products of edges, and (in one plane) the edges' normals. On small integers doubles are exact.
 */
function apart(P: readonly Vector[], Q: readonly Vector[]): boolean {
  const edges = (T: readonly Vector[]) => T.map((a, m) => minus(T[(m + 1) % 3], a));
  const normal = (T: readonly Vector[]) => cross(minus(T[1], T[0]), minus(T[2], T[0]));
  const axes = [normal(P), normal(Q)];
  for (const e of edges(P)) for (const f of edges(Q)) axes.push(cross(e, f));
  for (const T of [P, Q]) for (const e of edges(T)) axes.push(cross(normal(T), e));
  return axes.some((n) => {
    const p = P.map((x) => dot(n, x));
    const q = Q.map((x) => dot(n, x));
    return Math.max(...p) < Math.min(...q) || Math.max(...q) < Math.min(...p);
  });
}

const vector = fc.tuple(
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -3, max: 3 }),
  fc.integer({ min: -3, max: 3 }),
);
const hasArea = (T: readonly Vector[]) =>
  dot(cross(minus(T[1], T[0]), minus(T[2], T[0])), [1, 10, 100]) !== 0 ||
  cross(minus(T[1], T[0]), minus(T[2], T[0])).some((v) => v !== 0);
const triangle = fc.tuple(vector, vector, vector).filter(hasArea);
const surface = (...T: (readonly Vector[])[]) => ({
  Y: Float64Array.from(T.flat(2)),
  triangles: Int32Array.from({ length: 3 * T.length }, (_, i) => i),
});

describe("intersecting triangles, exactly", () => {
  test("two triangles of small integer coordinates intersect exactly if no axis separates them", () => {
    fc.assert(
      fc.property(triangle, triangle, (P, Q) => {
        const meet = !apart(P, Q);
        expect(selfIntersections(surface(P, Q)).length).toBe(meet ? 2 : 0);
        expect(intersections(surface(P), surface(Q)).length).toBe(meet ? 2 : 0);
      }),
      { numRuns: 4000, seed: 5 },
    );
  });

  test("in one plane as well", () => {
    const flat = fc
      .tuple(vector, vector, vector)
      .map((T) => T.map(([x, y]): Vector => [x, y, x - y]))
      .filter(hasArea);
    fc.assert(
      fc.property(flat, flat, (P, Q) => {
        expect(selfIntersections(surface(P, Q)).length).toBe(apart(P, Q) ? 0 : 2);
      }),
      { numRuns: 2000, seed: 6 },
    );
  });

  test("triangles with one common point intersect exactly if they do when cut back a little from it", () => {
    // Cut back from v: replace (v, a, b) by the triangle (m, a, b) with m near v. Integers: everything times 64, m = v + 1/64 of the way.
    fc.assert(
      fc.property(vector, vector, vector, vector, vector, (v, a, b, c, d) => {
        const P = [v, a, b];
        const Q = [v, c, d];
        if (!hasArea(P) || !hasArea(Q)) return;
        const shared = {
          Y: Float64Array.from([v, a, b, c, d].flat()),
          triangles: Int32Array.from([0, 1, 2, 0, 3, 4]),
        };
        const centre = (T: readonly Vector[], c: number) => T[0][c] + T[1][c] + T[2][c];
        const back = (T: readonly Vector[]): Vector[] => {
          const m = [0, 1, 2].map((c) => 3 * 255 * T[0][c] + centre(T, c)) as unknown as Vector;
          const big = (x: Vector): Vector => [3 * 256 * x[0], 3 * 256 * x[1], 3 * 256 * x[2]];
          return [m, big(T[1]), big(T[2])];
        };
        const meet = selfIntersections(shared).length > 0;
        // cutting both back removes a neighbourhood of v only: what is left meets if they met beyond v (they share a segment from v on)
        const cut =
          !apart(
            back(P),
            Q.map((x): Vector => [768 * x[0], 768 * x[1], 768 * x[2]]),
          ) ||
          !apart(
            P.map((x): Vector => [768 * x[0], 768 * x[1], 768 * x[2]]),
            back(Q),
          );
        expect(meet).toBe(cut);
      }),
      { numRuns: 3000, seed: 7 },
    );
  });

  test("triangles with a common edge intersect only when folded flat", () => {
    const on = (b: Vector) => ({
      Y: Float64Array.from([0, 0, 0, 1, 0, 0, 0.3, 1, 0, ...b]),
      triangles: Int32Array.from([0, 1, 2, 1, 0, 3]),
    });
    expect(selfIntersections(on([0.5, -1, 0])).length).toBe(0);
    expect(selfIntersections(on([0.5, 1, 0])).length).toBe(2);
    expect(selfIntersections(on([0.5, 1, 1e-100])).length).toBe(0);
  });

  test("triangles without area are their edges, or points", () => {
    const T: Vector[] = [
      [0, 0, 0],
      [4, 0, 0],
      [0, 4, 0],
    ];
    const needle = (a: Vector, b: Vector) => [a, b, b];
    const count = (S: readonly Vector[]) => selfIntersections(surface(T, S)).length / 2;
    expect(count(needle([1, 1, -1], [1, 1, 1]))).toBe(1);
    expect(count(needle([3, 3, -1], [3, 3, 1]))).toBe(0);
    expect(count(needle([1, 1, 0], [5, 5, 0]))).toBe(1);
    expect(count(needle([1, 1, 0], [1, 1, 0]))).toBe(1);
    expect(count(needle([3, 3, 0], [3, 3, 0]))).toBe(0);
    const lines = selfIntersections(
      surface(needle([0, 0, 0], [2, 2, 2]), needle([1, 1, 1], [3, 3, 3])),
    );
    expect(lines.length).toBe(2);
    expect(
      selfIntersections(surface(needle([0, 0, 0], [1, 1, 1]), needle([2, 2, 2], [3, 3, 3]))).length,
    ).toBe(0);
  });

  test("a flat or gently bent sheet has none, a sheet pushed through itself has exactly those that trying all pairs finds", () => {
    const flat = grid(12, (i, j) => [i, j, 0]);
    expect(selfIntersections(flat).length).toBe(0);
    const bent = grid(12, (i, j) => [10 * Math.sin(i / 10), j, 10 * Math.cos(i / 10)]);
    expect(selfIntersections(bent).length).toBe(0);

    const random = randoms(12);
    const wild = grid(9, (i, j) => [i + random(), j + random(), 2 * random()]);
    const found = selfIntersections(wild);
    expect(found.length).toBeGreaterThan(50);
    const all: number[] = [];
    const count = wild.triangles.length / 3;
    for (let s = 0; s < count; s++)
      for (let t = s + 1; t < count; t++) {
        const pair = {
          Y: wild.Y,
          triangles: Int32Array.from(
            [s, t].flatMap((k) => [...wild.triangles.subarray(3 * k, 3 * k + 3)]),
          ),
        };
        if (selfIntersections(pair).length > 0) all.push(s, t);
      }
    expect([...found]).toEqual(all);
  });

  test("two surfaces: a sheet through a second one", () => {
    const floor = grid(8, (i, j) => [i, j, 0]);
    const above = grid(8, (i, j) => [i + 0.1, j + 0.2, 1e-12]);
    expect(intersections(floor, above).length).toBe(0);
    const tilted = grid(8, (i, j) => [i + 0.1, j + 0.2, j - 3.5]);
    const found = intersections(floor, tilted);
    expect(found.length / 2).toBeGreaterThan(10);
    const swapped = intersections(tilted, floor);
    const asPairs = (list: Int32Array, flip: boolean) =>
      Array.from({ length: list.length / 2 }, (_, k) =>
        flip ? `${list[2 * k + 1]},${list[2 * k]}` : `${list[2 * k]},${list[2 * k + 1]}`,
      ).sort();
    expect(asPairs(swapped, true)).toEqual(asPairs(found, false));
  });
});
