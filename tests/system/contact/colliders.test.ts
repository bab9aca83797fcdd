import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRigid, moveInPlace, setRotation } from "../../../src/scene/motion.ts";
import type { Body } from "../../../src/scene/scene.ts";
import {
  bodyDistance,
  createSweep,
  DISTANCE_LENGTH,
  poseAt,
  prepareBodies,
  setSweep,
  sweptPointTime,
  worldDistance,
} from "../../../src/system/contact/colliders.ts";
import { heap, randoms } from "./random.ts";

type Analytic = Exclude<Body, { type: "mesh" }>;
const hypot = Math.hypot;

/** Each body with the closed form of its inside. */
const bodies: Record<
  string,
  { body: Analytic; inside: (x: number, y: number, z: number) => boolean }
> = {
  plane: {
    body: { type: "plane", normal: [1, 2, 2] },
    inside: (x, y, z) => x + 2 * y + 2 * z < 0,
  },
  sphere: { body: { type: "sphere", radius: 0.5 }, inside: (x, y, z) => hypot(x, y, z) < 0.5 },
  box: {
    body: { type: "box", size: [1, 0.6, 1.4], rounding: 0 },
    inside: (x, y, z) => Math.abs(x) < 0.5 && Math.abs(y) < 0.3 && Math.abs(z) < 0.7,
  },
  "rounded box": {
    body: { type: "box", size: [1, 0.6, 1.4], rounding: 0.1 },
    inside: (x, y, z) =>
      hypot(
        Math.max(0, Math.abs(x) - 0.4),
        Math.max(0, Math.abs(y) - 0.2),
        Math.max(0, Math.abs(z) - 0.6),
      ) < 0.1,
  },
  capsule: {
    body: { type: "capsule", radius: 0.3, length: 0.8 },
    inside: (x, y, z) => hypot(x, y, Math.max(0, Math.abs(z) - 0.4)) < 0.3,
  },
  cylinder: {
    body: { type: "cylinder", radius: 0.5, length: 1, rounding: 0 },
    inside: (x, y, z) => hypot(x, y) < 0.5 && Math.abs(z) < 0.5,
  },
  "rounded cylinder": {
    body: { type: "cylinder", radius: 0.5, length: 1, rounding: 0.2 },
    inside: (x, y, z) =>
      hypot(Math.max(0, hypot(x, y) - 0.3), Math.max(0, Math.abs(z) - 0.3)) < 0.2,
  },
  cone: {
    body: { type: "cone", radius: 0.6, length: 0.8, rounding: 0 },
    inside: (x, y, z) => z > -0.4 && hypot(x, y) < (0.6 * (0.4 - z)) / 0.8,
  },
  torus: {
    body: { type: "torus", major: 0.6, minor: 0.15 },
    inside: (x, y, z) => hypot(hypot(x, y) - 0.6, z) < 0.15,
  },
  edge: {
    body: { type: "edge", radius: 0.2 },
    inside: (x, _, z) => hypot(Math.max(0, x + 0.2), Math.max(0, z + 0.2)) < 0.2,
  },
  "sharp edge": { body: { type: "edge", radius: 0 }, inside: (x, _, z) => x < 0 && z < 0 },
};
const shapes: [string, Analytic][] = [
  ...Object.entries(bodies).map(([name, { body }]): [string, Analytic] => [name, body]),
  ["rounded cone", { type: "cone", radius: 0.6, length: 0.8, rounding: 0.1 }],
];

const out = new Float64Array(DISTANCE_LENGTH);
function distance(body: Analytic, y: ArrayLike<number>): Float64Array {
  bodyDistance(out, 0, prepareBodies(heap, [body]), 0, Float64Array.from(y), 0);
  return out.slice();
}

describe("signed distance of bodies", () => {
  test.each(shapes)(
    "%s: φ is a distance: the foot y − φn lies on the surface, and φ changes no faster than y",
    (_, body) => {
      // The foot says that the surface is at most |φ| away, the slope (and φ = 0 on it) that it is at least |φ| away.
      const random = randoms(1);
      let before = [0, 0, 2];
      for (let trial = 0; trial < 1000; trial++) {
        const y = [1.2 * random(), 1.2 * random(), 1.2 * random()];
        const [φ, nx, ny, nz] = distance(body, y);
        expect(hypot(nx, ny, nz)).toBeCloseTo(1, 13);
        expect(
          Math.abs(distance(body, [y[0] - φ * nx, y[1] - φ * ny, y[2] - φ * nz])[0]),
        ).toBeLessThan(1e-14);
        const step = hypot(y[0] - before[0], y[1] - before[1], y[2] - before[2]);
        expect(Math.abs(φ - distance(body, before)[0])).toBeLessThanOrEqual(step * (1 + 1e-14));
        before = y;
      }
    },
  );

  test.each(Object.entries(bodies))("%s: φ < 0 exactly inside", (_, { body, inside }) => {
    const random = randoms(2);
    for (let trial = 0; trial < 1000; trial++) {
      const [x, y, z] = [random(), random(), random()];
      expect(distance(body, [x, y, z])[0] < 0).toBe(inside(x, y, z));
    }
  });

  test("rounding a cone keeps its base and slant where they were, and a cone rounded to the full is its inscribed ball", () => {
    const sharp: Analytic = { type: "cone", radius: 0.6, length: 0.8, rounding: 0 };
    const soft: Analytic = { ...sharp, rounding: 0.1 };
    expect(distance(soft, [0, 0, -1])[0]).toBeCloseTo(0.6, 14);
    // beside the middle of the slant: at the point (0.3, 0, 0) plus 0.5 along its normal (0.8, 0.6)
    expect(distance(soft, [0.7, 0, 0.3])[0]).toBeCloseTo(0.5, 14);
    expect(distance(sharp, [0.7, 0, 0.3])[0]).toBeCloseTo(0.5, 14);
    const r = (0.6 * 0.8) / (1 + 0.6); // in-radius of the profile
    expect(distance({ ...sharp, rounding: 9 }, [0, 0, 2])[0]).toBeCloseTo(2 - (-0.4 + 2 * r), 14);
  });

  test.each(shapes)(
    "%s: n and the Hessian are the derivatives of φ (central differences)",
    (_, body) => {
      const random = randoms(3);
      const eps = 1e-6;
      let checked = 0;
      while (checked < 200) {
        const y = [random(), random(), random()];
        const at = distance(body, y);
        const H = [
          [at[4], at[9], at[8]],
          [at[9], at[5], at[7]],
          [at[8], at[7], at[6]],
        ];
        const sides = [0, 1, 2].map((c) =>
          [1, -1].map((s) =>
            distance(
              body,
              y.map((v, m) => v + (m === c ? s * eps : 0)),
            ),
          ),
        );
        // across ridges and between regions the Hessian jumps; curvature that changes across the stencil betrays them
        const jumps = sides
          .flat()
          .some((side) => at.some((v, m) => Math.abs(side[m] - v) > 2e-4 * (1 + Math.abs(v))));
        if (jumps) continue;
        for (let c = 0; c < 3; c++) {
          const [right, left] = sides[c];
          expect(Math.abs((right[0] - left[0]) / (2 * eps) - at[1 + c])).toBeLessThan(1e-8);
          for (let m = 0; m < 3; m++)
            expect(Math.abs((right[1 + m] - left[1 + m]) / (2 * eps) - H[m][c])).toBeLessThan(
              1e-5 * (1 + Math.abs(H[m][c]) ** 2),
            );
        }
        checked++;
      }
    },
  );

  test("centres and axes, where no normal is unique, give a unit normal and finite numbers", () => {
    for (const [, body] of shapes)
      for (const y of [
        [0, 0, 0],
        [0, 0, 0.4],
        [0, 0, -0.4],
        [0, 0, 5],
        [0, 0, -5],
        [0.6, 0, 0],
      ]) {
        const d = distance(body, y);
        expect([...d].every(Number.isFinite)).toBe(true);
        expect(hypot(d[1], d[2], d[3])).toBeCloseTo(1, 14);
      }
  });

  test("in the world: φ is that of the point moved back, n its gradient there", () => {
    const random = randoms(4);
    const pose = createRigid();
    const eps = 1e-6;
    for (const [, body] of shapes) {
      const table = prepareBodies(heap, [body]);
      setRotation(pose, random(), random(), random());
      pose.set([random(), random(), random()], 9);
      const y = Float64Array.from([0.9, 0.8, 0.75]);
      bodyDistance(out, 0, table, 0, y, 0);
      const φ = out[0];
      const x = y.slice();
      moveInPlace(x, 0, pose);
      worldDistance(out, 0, table, 0, pose, x, 0);
      expect(out[0]).toBeCloseTo(φ, 14);
      const at = out.slice();
      for (let c = 0; c < 3; c++) {
        const [right, left] = [1, -1].map((s) => {
          const moved = x.slice();
          moved[c] += s * eps;
          worldDistance(out, 0, table, 0, pose, moved, 0);
          return out[0];
        });
        expect(Math.abs((right - left) / (2 * eps) - at[1 + c])).toBeLessThan(1e-8);
      }
    }
  });
});

describe("a point and a moving body", () => {
  const from = createRigid();
  const to = createRigid();
  const now = createRigid();
  const sweep = createSweep();
  const time = new Float64Array(1);

  test("the motion between two poses starts at the one and ends at the other, half a turn included", () => {
    const random = randoms(6);
    for (let trial = 0; trial < 200; trial++) {
      setRotation(from, 3 * random(), 3 * random(), 3 * random());
      from.set([random(), random(), random()], 9);
      if (trial % 4 === 0) {
        to.set(from);
        if (trial % 8 === 0) for (let m = 3; m < 9; m++) to[m] = -from[m]; // half a turn about the world's x
      } else setRotation(to, 3 * random(), 3 * random(), 3 * random());
      to.set([random(), random(), random()], 9);
      setSweep(sweep, from, to);
      poseAt(now, from, sweep, 0);
      for (let m = 0; m < 12; m++) expect(now[m]).toBeCloseTo(from[m], 13);
      poseAt(now, from, sweep, 1);
      for (let m = 0; m < 12; m++) expect(now[m]).toBeCloseTo(to[m], 12);
    }
  });

  test.each(shapes)(
    "%s: stays outside all the way up to the safe time, and is stopped only by the body",
    (_, body) => {
      const table = prepareBodies(heap, [body]);
      let stopped = 0;
      fc.assert(
        fc.property(
          fc.integer(),
          fc.constantFrom(0.1, 1, 20),
          fc.constantFrom(0, 1e-3),
          fc.constantFrom(0.01, Number.POSITIVE_INFINITY),
          (seed, speed, ξ, reach) => {
            const random = randoms(seed);
            setRotation(from, random(), random(), random());
            from.set([random(), random(), random()], 9);
            const still = random() < 0;
            if (still) to.set(from);
            else setRotation(to, 2 * random(), 2 * random(), 2 * random());
            to.set(
              [
                from[9] + speed * random(),
                from[10] + speed * random(),
                from[11] + speed * random(),
              ],
              9,
            );
            const Y = Float64Array.from({ length: 3 }, () => 1.5 * random());
            const dY = Float64Array.from({ length: 3 }, () => speed * random());
            setSweep(sweep, from, to);
            const φ = (t: number) => {
              poseAt(now, from, sweep, t);
              const x = Y.map((v, c) => v + t * dY[c]);
              worldDistance(out, 0, table, 0, now, x, 0);
              return out[0];
            };
            const gap = φ(0) - ξ;
            sweptPointTime(time, 0, table, 0, from, sweep, Y, dY, 0, ξ, reach, 1);
            const t = time[0];
            if (gap <= 1e-13) {
              expect(t).toBe(0);
              return;
            }
            let least = Number.POSITIVE_INFINITY;
            for (let m = 0; m <= 200; m++) least = Math.min(least, φ((t * m) / 200) - ξ);
            expect(least).toBeGreaterThanOrEqual(0.1 * Math.min(gap, reach) - 1e-13);
            expect(t).toBeGreaterThan(0);
            if (t < 1) {
              stopped++;
              expect(φ(t) - ξ).toBeLessThanOrEqual(0.2 * Math.min(gap, reach) + 1e-13);
            }
          },
        ),
        { numRuns: 300, seed: 3 },
      );
      expect(stopped).toBeGreaterThan(5);
    },
  );

  test("a sphere that jumps over a point in one step stops in front of it", () => {
    const table = prepareBodies(heap, [{ type: "sphere", radius: 0.1 }]);
    const start = createRigid();
    const end = createRigid();
    end[9] = 10;
    setSweep(sweep, start, end);
    const Y = Float64Array.from([5, 0, 0, 5, 0.2, 0]);
    const still = new Float64Array(6);
    sweptPointTime(time, 0, table, 0, start, sweep, Y, still, 0, 0, 0.05, 1);
    expect(10 * time[0]).toBeCloseTo(5 - 0.1 - 0.1 * 0.05, 6);
    sweptPointTime(time, 0, table, 0, start, sweep, Y, still, 1, 0, 0.05, 1);
    expect(time[0]).toBe(1); // the second point lies aside
  });
});
