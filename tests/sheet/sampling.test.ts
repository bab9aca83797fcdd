import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import type { Shape, Vec2 } from "../../src/scene/scene.ts";
import { annulusOutline, polygonOutline } from "../../src/sheet/outline.ts";
import { createRandom } from "../../src/sheet/random.ts";
import { SheetError } from "../../src/sheet/sheet-error.ts";
import { createTriangulation } from "../../src/sheet/triangulation.ts";
import { angles, bySpacing, euler, grid, irregular, sheetOf, sum } from "./sheets.ts";

const L: Shape = {
  type: "polygon",
  points: [[0, 0], [1, 0], [1, 0.4], [0.4, 0.4], [0.4, 1], [0, 1]],
  holes: [],
}; // biome-ignore format: an outline
const framed: Shape = {
  type: "polygon",
  points: [[0, 0], [2, 0], [2, 1], [0, 1]],
  holes: [[[0.5, 0.3], [1, 0.3], [1, 0.7], [0.5, 0.7]], [[1.3, 0.3], [1.7, 0.5], [1.3, 0.7]]],
}; // biome-ignore format: an outline
const shapes: {
  name: string;
  shape: Shape;
  area: (n: Record<string, number>) => number;
  euler: number;
}[] = [
  {
    name: "rectangle",
    shape: { type: "rectangle", width: 1.2, height: 0.7 },
    area: () => 0.84,
    euler: 1,
  },
  { name: "disc", shape: { type: "disc", radius: 0.5 }, area: (n) => ngon(n.outer, 0.5), euler: 1 },
  {
    name: "annulus",
    shape: { type: "annulus", inner: 0.2, outer: 0.5 },
    area: (n) => ngon(n.outer, 0.5) - ngon(n.inner, 0.2),
    euler: 0,
  },
  { name: "L", shape: L, area: () => 0.64, euler: 1 },
  { name: "frame with two holes", shape: framed, area: () => 2 - 0.2 - 0.08, euler: -1 },
  {
    name: "tube",
    shape: { type: "tube", radius: 0.2, height: 0.8 },
    area: () => 2 * Math.PI * 0.2 * 0.8,
    euler: 0,
  },
];

/** Area of the regular polygon with n corners on a circle: what a sampled disc can cover. */
function ngon(n: number, r: number): number {
  return (n / 2) * r * r * Math.sin((2 * Math.PI) / n);
}

describe("irregular sampling (§3)", () => {
  for (const { name, shape, area, euler: chi } of shapes) {
    test.each([40, 137, 662])(
      `${name}: %i points are exactly that many, and cover it once`,
      (points) => {
        for (const seed of [1, 2, 3]) {
          const sheet = sheetOf(shape, irregular(points), { seed });
          expect(sheet.n).toBe(points);
          const edges = sheet.parts[0].edges;
          const counts = Object.fromEntries(Object.entries(edges).map(([k, v]) => [k, v.length]));
          expect(sum(sheet.triangleArea)).toBeCloseTo(area(counts), 12);
          expect(Math.min(...Array.from(sheet.triangleArea as Float64Array))).toBeGreaterThan(0);
          expect(euler(sheet)).toBe(chi);
          // Corners of 90° that are cut off leave 45°; the rest is relaxed to 25° where it can be.
          if (points > 100) expect(angles(sheet).least).toBeGreaterThan(20);
        }
      },
    );
  }

  property.prop(
    [fc.integer({ min: 4, max: 400 }), fc.integer(), fc.double({ min: 0.02, max: 1, noNaN: true })],
    { numRuns: 50 },
  )(
    "a rectangle of any proportion has any number of points from its four corners on",
    (points, seed, height) => {
      const sheet = sheetOf({ type: "rectangle", width: 1, height }, irregular(points), { seed });
      expect(sheet.n).toBe(points);
      expect(sum(sheet.triangleArea)).toBeCloseTo(height, 12);
      expect(euler(sheet)).toBe(1);
    },
  );

  test("boundary and inside are equally dense: mean edge lengths agree within 3 %", () => {
    const { edges, edgeLength, boundary, n } = sheetOf(
      { type: "rectangle", width: 1, height: 1 },
      irregular(1656),
    );
    let [rim, rims, inner, inners] = [0, 0, 0, 0];
    for (let e = 0; e < edgeLength.length; e++) {
      if (boundary[edges[2 * e]] && boundary[edges[2 * e + 1]])
        [rim, rims] = [rim + edgeLength[e], rims + 1];
      else [inner, inners] = [inner + edgeLength[e], inners + 1];
    }
    expect(n).toBe(1656);
    expect(Math.abs(rim / rims / (inner / inners) - 1)).toBeLessThan(0.03);
  });

  test("points keep apart: no edge is shorter than half or longer than 1.6 of the mean", () => {
    for (const seed of [1, 2, 3, 4]) {
      const { edgeLength } = sheetOf({ type: "disc", radius: 1 }, irregular(800), { seed });
      const mean = sum(edgeLength) / edgeLength.length;
      const lengths = Array.from(edgeLength as Float64Array);
      expect(Math.min(...lengths) / mean).toBeGreaterThan(0.5);
      expect(Math.max(...lengths) / mean).toBeLessThan(1.6);
    }
  });

  test("it is no hexagonal grid: the six-fold order of its edge directions is under 0.2, a grid's is 1", () => {
    const { edges, uv, boundary } = sheetOf({ type: "disc", radius: 1 }, irregular(2000));
    let [c, s, count] = [0, 0, 0];
    for (let e = 0; e < edges.length; e += 2) {
      if (boundary[edges[e]] || boundary[edges[e + 1]]) continue;
      const angle = Math.atan2(
        uv[2 * edges[e + 1] + 1] - uv[2 * edges[e] + 1],
        uv[2 * edges[e + 1]] - uv[2 * edges[e]],
      );
      // six-fold order, that of a hexagonal grid, would make |mean e^(6iθ)| large
      [c, s, count] = [c + Math.cos(6 * angle), s + Math.sin(6 * angle), count + 1];
    }
    expect(Math.hypot(c, s) / count).toBeLessThan(0.2);
  });

  test("the same seed gives the same bits, another seed another sheet", () => {
    const of = (seed: number) =>
      sheetOf({ type: "annulus", inner: 0.1, outer: 0.4 }, irregular(300), { seed });
    expect(of(7).uv).toEqual(of(7).uv);
    expect(of(7).triangles).toEqual(of(7).triangles);
    expect(of(7).uv).not.toEqual(of(8).uv);
  });

  test("a spacing gives edges of that mean length within 5 %", () => {
    for (const spacing of [0.1, 0.03]) {
      const { edgeLength } = sheetOf(
        { type: "rectangle", width: 1, height: 0.8 },
        bySpacing(spacing),
      );
      expect(Math.abs(sum(edgeLength) / edgeLength.length / spacing - 1)).toBeLessThan(0.05);
    }
  });

  test("boundary points lie on the outline: on the circle to 1e-15, on the sides exactly", () => {
    const disc = sheetOf({ type: "disc", radius: 0.5 }, irregular(200));
    for (const i of disc.parts[0].edges.outer as Int32Array) {
      expect(Math.hypot(disc.uv[2 * i], disc.uv[2 * i + 1])).toBeCloseTo(0.5, 14);
    }
    const { uv, parts } = sheetOf({ type: "rectangle", width: 1.2, height: 0.7 }, irregular(200));
    const { left, right, bottom, top } = parts[0].edges;
    for (const i of left as Int32Array) expect(uv[2 * i]).toBe(0);
    for (const i of right as Int32Array) expect(uv[2 * i]).toBe(1.2);
    for (const i of bottom as Int32Array) expect(uv[2 * i + 1]).toBe(0);
    for (const i of top as Int32Array) expect(uv[2 * i + 1]).toBe(0.7);
    const corner = (name: string) => [
      uv[2 * parts[0].corners[name]],
      uv[2 * parts[0].corners[name] + 1],
    ];
    expect(corner("top-left")).toEqual([0, 0.7]);
    expect(corner("bottom-right")).toEqual([1.2, 0]);
  });

  test("edges run along: left and right upwards, bottom and top to the right", () => {
    const { uv, parts } = sheetOf({ type: "rectangle", width: 1, height: 1 }, irregular(120));
    for (const [name, c] of [
      ["left", 1],
      ["right", 1],
      ["bottom", 0],
      ["top", 0],
    ] as const) {
      const along = Array.from(parts[0].edges[name] as Int32Array, (i) => uv[2 * i + c]);
      expect(along).toEqual([...along].sort((a, b) => a - b));
      expect([along[0], along.at(-1)]).toEqual([0, 1]);
    }
  });

  test("too few points for the corners is an error that says how many it takes", () => {
    expect(() => sheetOf(L, irregular(5))).toThrow(/at least 6/);
    const thin: Shape = { type: "tube", radius: 0.03, height: 2 };
    expect(() => sheetOf(thin, irregular(40))).toThrow(/at least 467, so that six go around/);
    expect(() => sheetOf(thin, bySpacing(0.1))).toThrow(/needs 0.0314\d* or less/);
    expect(sheetOf(thin, irregular(467)).n).toBe(467);
    expect(sheetOf({ type: "tube", radius: 1, height: 0.01 }, irregular(12)).n).toBe(12);
  });
});

describe("grids", () => {
  test("625 points on a square are 25 × 25, neighbouring cells cut along different diagonals", () => {
    const sheet = sheetOf({ type: "rectangle", width: 1, height: 1 }, grid(625));
    expect(sheet.n).toBe(625);
    expect(sheet.parts[0].edges.left.length).toBe(25);
    const { least, most } = angles(sheet);
    expect([least, most]).toEqual([expect.closeTo(45, 9), expect.closeTo(90, 9)]);
    const lengths = new Set(Array.from(sheet.edgeLength as Float64Array, (x) => x.toFixed(9)));
    expect(lengths).toEqual(new Set([(1 / 24).toFixed(9), (Math.SQRT2 / 24).toFixed(9)]));
    // so that four or eight triangles meet at every inner point
    const met = new Int32Array(sheet.n);
    for (const i of Array.from(sheet.triangles as Int32Array)) met[i]++;
    const inner = Array.from(met).filter((_, i) => sheet.boundary[i] === 0);
    expect(new Set(inner)).toEqual(new Set([4, 8]));
  });

  test("a grid around a tube closes: as many points as cells around, no seam", () => {
    const sheet = sheetOf(
      { type: "tube", radius: 1, height: 1 },
      { type: "grid", angle: 0, spacing: 0.1 },
    );
    expect(sheet.n).toBe(63 * 11);
    expect(euler(sheet)).toBe(0);
    expect(sum(sheet.triangleArea)).toBeCloseTo(2 * Math.PI, 12);
    expect(sum(sheet.boundary)).toBe(2 * 63);
  });

  test("a rotated grid is square inside, follows the outline, and has no slivers", () => {
    for (const angle of [0.1, 0.5, Math.PI / 4]) {
      const sheet = sheetOf(
        { type: "rectangle", width: 1, height: 1 },
        { type: "rotated", angle, points: 625 },
      );
      expect(Math.abs(sheet.n - 625)).toBeLessThanOrEqual(3);
      expect(sum(sheet.triangleArea)).toBeCloseTo(1, 12);
      expect(angles(sheet).least).toBeGreaterThan(15);
      // squares are cut by turns, not as rounding has it: away from the outline points have four edges or eight
      const edges = new Int32Array(sheet.n);
      for (const i of sheet.edges as Int32Array) edges[i]++;
      const isInside = (i: number): boolean =>
        [sheet.rest[3 * i], sheet.rest[3 * i + 1]].every((x) => Math.abs(x - 0.5) < 0.4);
      const inside = [...edges].filter((_, i) => isInside(i));
      expect(inside.length).toBeGreaterThan(300);
      expect(inside.every((count) => count === 4 || count === 8)).toBe(true);
    }
  });

  test("a rotated grid on a tube is refused: it does not close", () => {
    expect(() =>
      sheetOf({ type: "tube", radius: 1, height: 1 }, { type: "rotated", angle: 0.3, points: 600 }),
    ).toThrow(/does not close/);
  });
});

describe("outlines", () => {
  test("a circle drawn with 1000 vertices does not force 1000 points", () => {
    const points = Array.from({ length: 1000 }, (_, k): Vec2 => {
      const a = (2 * Math.PI * k) / 1000;
      return [Math.cos(a), Math.sin(a)];
    });
    const sheet = sheetOf({ type: "polygon", points, holes: [] }, irregular(200));
    expect(sheet.n).toBe(200);
    expect(angles(sheet).least).toBeGreaterThan(20);
  });

  test("clockwise outlines and counter-clockwise holes are taken as they are meant", () => {
    const square: Vec2[] = [[0, 0], [1, 0], [1, 1], [0, 1]]; // biome-ignore format: an outline
    const hole: Vec2[] = [[0.4, 0.4], [0.6, 0.4], [0.6, 0.6], [0.4, 0.6]]; // biome-ignore format: an outline
    for (const points of [square, [...square].reverse()]) {
      for (const inner of [hole, [...hole].reverse()]) {
        const sheet = sheetOf({ type: "polygon", points, holes: [inner] }, irregular(150));
        expect(sum(sheet.triangleArea)).toBeCloseTo(0.96, 12);
        const { edges, corners } = sheet.parts[0];
        points.forEach((p, k) => {
          expect([sheet.uv[2 * corners[`c${k}`]], sheet.uv[2 * corners[`c${k}`] + 1]]).toEqual(p);
          expect(edges[`e${k}`][0]).toBe(corners[`c${k}`]);
          expect(edges[`e${k}`][edges[`e${k}`].length - 1]).toBe(corners[`c${(k + 1) % 4}`]);
        });
      }
    }
  });

  test("a bow tie, a repeated vertex, and holes outside or over each other are refused with their sides", () => {
    const square: Vec2[] = [[0, 0], [1, 0], [1, 1], [0, 1]]; // biome-ignore format: an outline
    const small = (u: number): Vec2[] => [[u, 0.4], [u + 0.2, 0.4], [u + 0.1, 0.6]]; // biome-ignore format: an outline
    expect(() => polygonOutline([[0, 0], [1, 1], [1, 0], [0, 1]])).toThrow(/crosses itself, side e0 meets side e2/); // biome-ignore format: an outline
    expect(() => polygonOutline([...square, [0, 0]])).toThrow(/drop the last vertex/);
    expect(() => polygonOutline(square, [small(2)])).toThrow(/hole 0: lies outside/);
    expect(() => polygonOutline(square, [small(0.3), small(0.35)])).toThrow(
      /hole 0: side e\d meets hole 1/,
    );
    expect(() => polygonOutline([[0, 0], [1, 0]])).toThrow(/needs 3 or more/); // biome-ignore format: an outline
    expect(() => polygonOutline([[0, 0], [1, 0], [0.5, 0], [0.5, 1]])).toThrow(SheetError); // biome-ignore format: an outline
  });

  test("an annulus has the area between its circles", () => {
    expect(annulusOutline(1, 2).area).toBeCloseTo(3 * Math.PI, 12);
  });
});

describe("constrained triangulation", () => {
  test("a comb whose teeth are nearer than its samples keeps its outline, where plain Delaunay would bridge the gaps", () => {
    // Ten teeth 0.02 apart, sampled every 0.1: outline pieces are no Delaunay edges of the points.
    const outline: Vec2[] = [[0, 0], [1, 0]]; // biome-ignore format: a list
    for (let k = 9; k >= 0; k--) {
      outline.push([k / 10 + 0.1, 1], [k / 10 + 0.02, 1]);
      if (k > 0) outline.push([k / 10 + 0.02, 0.1], [k / 10, 0.1]);
    }
    outline.push([0, 1]);
    const clean = outline.filter(
      (p, k) =>
        p[0] !== outline[(k + 1) % outline.length][0] ||
        p[1] !== outline[(k + 1) % outline.length][1],
    );
    const points = Float64Array.from(clean.flat());
    const { corners } = createTriangulation(points, [clean.map((_, k) => k)])();
    let area = 0;
    for (let t = 0; t < corners.length; t += 6) {
      const [a, b, c, d, e, f] = corners.subarray(t, t + 6);
      const doubled = (c - a) * (f - b) - (d - b) * (e - a);
      expect(doubled).toBeGreaterThan(0);
      area += doubled / 2;
    }
    let wanted = 0;
    clean.forEach((p, k) => {
      const q = clean[(k + 1) % clean.length];
      wanted += (p[0] * q[1] - p[1] * q[0]) / 2;
    });
    expect(area).toBeCloseTo(wanted, 12);
  });

  property.prop([fc.integer({ min: 5, max: 60 }), fc.integer()])(
    "the triangles of any star-shaped polygon add up to its area",
    (count, seed) => {
      const random = createRandom(seed);
      const points: number[] = [];
      for (let k = 0; k < count; k++) {
        const [a, r] = [(2 * Math.PI * (k + 0.8 * random())) / count, 0.2 + random()];
        points.push(r * Math.cos(a), r * Math.sin(a));
      }
      let area = 0;
      for (let k = 0; k < count; k++) {
        const j = (k + 1) % count;
        area += (points[2 * k] * points[2 * j + 1] - points[2 * k + 1] * points[2 * j]) / 2;
      }
      const { triangles, corners } = createTriangulation(Float64Array.from(points), [
        Array.from({ length: count }, (_, k) => k),
      ])();
      expect(triangles.length / 3).toBe(count - 2);
      let covered = 0;
      for (let t = 0; t < corners.length; t += 6) {
        const [a, b, c, d, e, f] = corners.subarray(t, t + 6);
        covered += ((c - a) * (f - b) - (d - b) * (e - a)) / 2;
      }
      expect(covered).toBeCloseTo(area, 12);
    },
  );

  test("duplicate points are refused with their number and place", () => {
    const points = Float64Array.of(0, 0, 1, 0, 1, 1, 0, 1, 0.5, 0.5, 0.5, 0.5);
    expect(createTriangulation(points, [[0, 1, 2, 3]])).toThrow(/point [45] at \(0.5, 0.5\)/);
  });
});

describe("random numbers", () => {
  test("streams of a seed differ, and are even: 1000 numbers have mean ½ within 4 standard errors", () => {
    const means = [0, 1, 2].map((stream) => {
      const random = createRandom(42, stream);
      return sum(Array.from({ length: 1000 }, random)) / 1000;
    });
    for (const mean of means) expect(Math.abs(mean - 0.5)).toBeLessThan(4 / Math.sqrt(12 * 1000));
    expect(new Set(means).size).toBe(3);
  });
});
