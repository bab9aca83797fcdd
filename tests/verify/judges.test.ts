/** The parts of verify against the engine's own, which they share nothing with: where both agree, both are likely right. */
import { describe, expect, test } from "vitest";
import { HEAP } from "../../src/linalg/arena.ts";
import type { Body } from "../../src/scene/scene.ts";
import { parseScene } from "../../src/scene/scene.ts";
import {
  bodyDistance,
  DISTANCE_LENGTH,
  prepareBodies,
} from "../../src/system/contact/colliders.ts";
import { intersections, selfIntersections } from "../../src/system/contact/intersections.ts";
import { depthIn, isInside, signedDistance } from "../../src/verify/bodies.ts";
import { crossings, selfCrossings } from "../../src/verify/exact.ts";
import { random as generator } from "../linalg/samples.ts";

/** Whether a triangle is none of a line: no sheet has such, and what its "inside" is can be argued. */
function hasArea(x: Float64Array, a: number, b: number, c: number): boolean {
  const [u, v] = [b, c].map((i) => [0, 1, 2].map((k) => x[3 * i + k] - x[3 * a + k]));
  return [0, 1, 2].some((k) => u[k] * v[(k + 1) % 3] !== u[(k + 1) % 3] * v[k]);
}

describe("exact crossings", () => {
  test("300 soups of triangles, some with common points, some on a coarse grid where all is degenerate", () => {
    const random = generator(7);
    let pairs = 0;
    for (let soup = 0; soup < 300; soup++) {
      const n = 12;
      const coarse = soup % 2 === 0;
      const positions = Float64Array.from({ length: 3 * n }, () =>
        coarse ? Math.floor(3 * random()) : random(),
      );
      const list: number[] = [];
      for (let t = 0; t < 10; t++) {
        const corner = (): number => Math.floor(n * random());
        const [a, b, c] = [corner(), corner(), corner()];
        if (a !== b && b !== c && c !== a && hasArea(positions, a, b, c)) list.push(a, b, c);
      }
      const triangles = Int32Array.from(list);
      const expected = selfIntersections({ Y: positions, triangles });
      const found = Int32Array.from(selfCrossings({ positions, triangles }).flat());
      const sorted = (flat: Int32Array): string[] =>
        Array.from(
          { length: flat.length / 2 },
          (_, k) => `${flat[2 * k]} ${flat[2 * k + 1]}`,
        ).sort();
      expect(sorted(found), `soup ${soup}`).toEqual(sorted(expected));
      pairs += found.length / 2;

      const other = { positions: positions.map((x) => x + 0.25), triangles };
      const across = intersections({ Y: positions, triangles }, { Y: other.positions, triangles });
      expect(sorted(Int32Array.from(crossings({ positions, triangles }, other).flat()))).toEqual(
        sorted(across),
      );
    }
    expect(pairs).toBeGreaterThan(500);
  });
});

const BODIES: readonly Exclude<Body, { type: "mesh" }>[] = [
  { type: "plane", normal: [1, 2, 3] },
  { type: "sphere", radius: 0.4 },
  { type: "box", size: [1, 0.6, 0.4], rounding: 0.05 },
  { type: "box", size: [1, 0.6, 0.4], rounding: 0 },
  { type: "capsule", radius: 0.2, length: 0.7 },
  { type: "cylinder", radius: 0.3, length: 0.8, rounding: 0.03 },
  { type: "cone", radius: 0.4, length: 0.9, rounding: 0.04 },
  { type: "cone", radius: 0.4, length: 0.9, rounding: 0 },
  { type: "torus", major: 0.4, minor: 0.1 },
  { type: "edge", radius: 0.1 },
];

describe("bodies", () => {
  test.each(BODIES)(
    "$type: 2000 distances are the engine's, outside to the last digits, inside by their sign",
    (body) => {
      const random = generator(3);
      const table = prepareBodies(HEAP, [body]);
      const out = new Float64Array(DISTANCE_LENGTH);
      const distance = signedDistance(body);
      for (let k = 0; k < 2000; k++) {
        const y = Float64Array.from({ length: 3 }, () => 2 * random() - 1);
        bodyDistance(out, 0, table, 0, y, 0);
        const own = distance(y[0], y[1], y[2]);
        if (out[0] > 0) expect(own).toBeCloseTo(out[0], 12);
        else expect(own).toBeLessThanOrEqual(1e-12);
      }
    },
  );

  const collider = (body: object, more: object = {}) =>
    parseScene({
      sheet: { shape: { type: "disc", radius: 1 } },
      colliders: [{ body: body as never, ...more }],
    }).colliders[0];
  const triangle = (...corners: number[][]): [Float64Array, Int32Array] => [
    Float64Array.from(corners.flat()),
    Int32Array.of(0, 1, 2),
  ];
  const depth = (body: Exclude<Body, { type: "mesh" }>, corners: number[][]) =>
    depthIn(collider(body), body, 0, ...triangle(...corners));

  test("a wire, a needle and a corner that poke through the middle of a triangle are found", () => {
    const wide = (z: number): number[][] => [
      [-1, -1, z],
      [1, -1, z],
      [0, 1.5, z],
    ];
    const wire = { type: "capsule" as const, radius: 1e-3, length: 0.02 };
    expect(depth(wire, wide(0)).triangles).toBeGreaterThan(9e-4);
    expect(depth(wire, wide(0.02)).triangle).toBe(-1);
    const corner = {
      type: "box" as const,
      size: [0.1, 0.1, 0.1] as [number, number, number],
      rounding: 0,
    };
    expect(depth(corner, wide(0.0499)).triangles).toBeCloseTo(1e-4, 5);
    expect(depth(corner, wide(0.0501)).triangle).toBe(-1);
    const ring = { type: "torus" as const, major: 0.1, minor: 0.002 };
    expect(depth(ring, wide(0.001)).triangles).toBeGreaterThan(5e-4);
    expect(depth(ring, wide(0.003)).triangle).toBe(-1);
  });

  test("a flat triangle whose corners touch a ball is not in it; one a tenth of a millimetre deeper is", () => {
    const ball = { type: "sphere" as const, radius: 0.1 };
    const on = (r: number): number[][] =>
      [0, 1, 2].map((k) => {
        const [s, t] = [
          0.01 * Math.cos((2 * Math.PI * k) / 3),
          0.01 * Math.sin((2 * Math.PI * k) / 3),
        ];
        return [s, t, Math.sqrt(r * r - s * s - t * t)];
      });
    expect(depth(ball, on(0.1))).toMatchObject({ point: -1, triangle: -1 });
    expect(depth(ball, on(0.0999)).points).toBeCloseTo(1e-4, 9);
  });

  test("inside and outside of a closed mesh, by its solid angle", () => {
    const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    const tetrahedron = { positions, triangles: Int32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3) };
    expect(isInside(tetrahedron, Float64Array.of(0.1, 0.1, 0.1), 0)).toBe(true);
    expect(isInside(tetrahedron, Float64Array.of(0.5, 0.5, 0.5), 0)).toBe(false);
  });
});
