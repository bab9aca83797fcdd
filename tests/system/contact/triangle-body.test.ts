import { describe, expect, test } from "vitest";
import { createRigid, setRotation } from "../../../src/scene/motion.ts";
import type { Body } from "../../../src/scene/scene.ts";
import {
  createSweep,
  DISTANCE_LENGTH,
  poseAt,
  prepareBodies,
  setSweep,
  sweptPointTime,
  worldDistance,
} from "../../../src/system/contact/colliders.ts";
import {
  evaluations,
  sweptTriangleTime,
  triangleDistance,
} from "../../../src/system/contact/triangle-body.ts";
import { heap, randoms } from "./random.ts";

const convex: [string, Exclude<Body, { type: "mesh" }>][] = [
  ["plane", { type: "plane", normal: [1, 2, 2] }],
  ["sphere", { type: "sphere", radius: 0.5 }],
  ["box", { type: "box", size: [1, 0.6, 1.4], rounding: 0 }],
  ["rounded box", { type: "box", size: [1, 0.6, 1.4], rounding: 0.1 }],
  ["capsule", { type: "capsule", radius: 0.3, length: 0.8 }],
  ["cylinder", { type: "cylinder", radius: 0.5, length: 1, rounding: 0 }],
  ["rounded cylinder", { type: "cylinder", radius: 0.5, length: 1, rounding: 0.2 }],
  ["cone", { type: "cone", radius: 0.6, length: 0.8, rounding: 0 }],
  ["rounded cone", { type: "cone", radius: 0.6, length: 0.8, rounding: 0.1 }],
  ["edge", { type: "edge", radius: 0.2 }],
  ["sharp edge", { type: "edge", radius: 0 }],
];
const all: typeof convex = [...convex, ["torus", { type: "torus", major: 0.6, minor: 0.15 }]];

const phi = new Float64Array(1);
const w = new Float64Array(3);
const out = new Float64Array(DISTANCE_LENGTH);
const pose = createRigid();

function phiAt(
  table: ReturnType<typeof prepareBodies>,
  Y: Float64Array,
  weights: ArrayLike<number>,
) {
  const x = Float64Array.from(
    [0, 1, 2],
    (c) => weights[0] * Y[c] + weights[1] * Y[3 + c] + weights[2] * Y[6 + c],
  );
  worldDistance(out, 0, table, 0, pose, x, 0);
  return out[0];
}

/** The least φ on a triangular lattice of weights, refined around the best. */
function sampled(table: ReturnType<typeof prepareBodies>, Y: Float64Array): number {
  let [bs, bt, best, radius] = [1 / 3, 1 / 3, Number.POSITIVE_INFINITY, 1];
  for (let level = 0; level < 16; level++) {
    const [cs, ct] = [bs, bt];
    for (let i = -6; i <= 6; i++)
      for (let j = -6; j <= 6; j++) {
        const s = Math.max(0, cs + (radius * i) / 6);
        const t = Math.max(0, ct + (radius * j) / 6);
        if (s + t > 1) continue;
        const value = phiAt(table, Y, [1 - s - t, s, t]);
        if (value < best) [best, bs, bt] = [value, s, t];
      }
    radius *= 0.6;
  }
  return best;
}

/** Triangles around the body, most of them outside. */
function randomTriangle(random: () => number, size: number): Float64Array {
  const centre = [1.2 * random(), 1.2 * random(), 1.2 * random()];
  return Float64Array.from({ length: 9 }, (_, i) => centre[i % 3] + size * random());
}

describe("triangles against bodies", () => {
  test.each(convex)(
    "%s: the nearest point is that of dense sampling, at few evaluations",
    (_, body) => {
      const random = randoms(1);
      const table = prepareBodies(heap, [body]);
      let total = 0;
      for (let trial = 0; trial < 60; trial++) {
        const Y = randomTriangle(random, [0.05, 0.3, 1][trial % 3]);
        setRotation(pose, random(), random(), random());
        triangleDistance(phi, w, 0, table, 0, pose, Y, 0, 1, 2);
        total += evaluations[0];
        expect(w[0] + w[1] + w[2]).toBeCloseTo(1, 14);
        expect(Math.min(...w)).toBeGreaterThanOrEqual(0);
        expect(phi[0]).toBeCloseTo(phiAt(table, Y, w), 13);
        const brute = sampled(table, Y);
        // inside are ridges, and no more is promised than a point of the triangle that is inside as well
        if (brute > 0) expect(phi[0]).toBeLessThanOrEqual(brute + 1e-9);
        else expect(phi[0]).toBeLessThanOrEqual(0);
        if (brute > 0) expect(phi[0]).toBeGreaterThanOrEqual(brute - 2e-4);
      }
      expect(total / 60).toBeLessThan(20);
    },
  );

  test.each(convex)(
    "%s: ∂φ/∂yₖ = wₖ n (central differences), wherever the triangle is outside",
    (_, body) => {
      const random = randoms(2);
      const table = prepareBodies(heap, [body]);
      const eps = 1e-5;
      let checked = 0;
      for (let trial = 0; trial < 400 && checked < 40; trial++) {
        const Y = randomTriangle(random, 0.4);
        setRotation(pose, random(), random(), random());
        triangleDistance(phi, w, 0, table, 0, pose, Y, 0, 1, 2);
        if (phi[0] < 0.02) continue;
        const weights = w.slice();
        phiAt(table, Y, weights);
        const n = out.slice(1, 4);
        for (let c = 0; c < 9; c++) {
          const at = (s: number) => {
            const moved = Y.slice();
            moved[c] += s * eps;
            triangleDistance(phi, w, 0, table, 0, pose, moved, 0, 1, 2);
            return phi[0];
          };
          // where the minimum jumps (triangles parallel to a face) a difference is no derivative
          const slope = (at(1) - at(-1)) / (2 * eps);
          expect(Math.abs(slope - weights[Math.floor(c / 3)] * n[c % 3])).toBeLessThan(2e-3);
        }
        checked++;
      }
      expect(checked).toBe(40);
    },
  );

  test("the corner of a box pokes at the middle of a triangle whose points are all far away", () => {
    const table = prepareBodies(heap, [{ type: "box", size: [2, 2, 2], rounding: 0 }]);
    pose.set(createRigid());
    // in the plane x + y + z = 3.03, which passes 0.01·√3 before the corner (1, 1, 1)
    const Y = Float64Array.from([4.03, -0.5, -0.5, -0.5, 4.03, -0.5, -0.5, -0.5, 4.03]);
    triangleDistance(phi, w, 0, table, 0, pose, Y, 0, 1, 2);
    expect(phi[0]).toBeCloseTo(0.01 * Math.sqrt(3), 9);
    for (const weight of w) expect(weight).toBeCloseTo(1 / 3, 6);
  });

  test("edges and points are triangles with points repeated; the torus gives a point of the triangle", () => {
    const random = randoms(5);
    for (const [, body] of all) {
      const table = prepareBodies(heap, [body]);
      for (let trial = 0; trial < 20; trial++) {
        const Y = randomTriangle(random, 0.4);
        setRotation(pose, random(), random(), random());
        triangleDistance(phi, w, 0, table, 0, pose, Y, 1, 1, 1);
        expect(phi[0]).toBeCloseTo(phiAt(table, Y, [0, 1, 0]), 14);
        triangleDistance(phi, w, 0, table, 0, pose, Y, 0, 1, 1);
        const edge = phi[0];
        triangleDistance(phi, w, 0, table, 0, pose, Y, 0, 1, 2);
        if (body.type !== "torus" && phi[0] > 0) expect(phi[0]).toBeLessThanOrEqual(edge + 1e-9);
        expect(phi[0]).toBeCloseTo(phiAt(table, Y, w), 13);
      }
    }
  });
});

describe("a moving triangle and a moving body", () => {
  const to = createRigid();
  const sweep = createSweep();
  const time = new Float64Array(1);

  test.each(all)(
    "%s: no point of the triangle comes near on the way, and it is stopped only by the body",
    (_, body) => {
      const random = randoms(7);
      const table = prepareBodies(heap, [body]);
      const from = createRigid();
      let stopped = 0;
      for (let trial = 0; trial < 150; trial++) {
        const speed = [0.3, 3][trial % 2];
        setRotation(from, random(), random(), random());
        from.set([random(), random(), random()], 9);
        if (trial % 3 === 0) to.set(from);
        else setRotation(to, random(), random(), random());
        to.set(
          [0, 1, 2].map((c) => from[9 + c] + speed * random()),
          9,
        );
        setSweep(sweep, from, to);
        const Y = randomTriangle(random, 0.3);
        const dY = Float64Array.from({ length: 9 }, () => speed * random());
        const least = (t: number) => {
          poseAt(pose, from, sweep, t);
          const moved = Y.map((v, c) => v + t * dY[c]);
          triangleDistance(phi, w, 0, table, 0, pose, moved, 0, 1, 2);
          return phi[0];
        };
        const gap = least(0);
        sweptTriangleTime(time, 0, table, 0, from, sweep, Y, dY, 0, 1, 2, 0, 0.05, 1);
        const t = time[0];
        if (gap <= 0) {
          expect(t).toBe(0);
          continue;
        }
        let lowest = Number.POSITIVE_INFINITY;
        for (let m = 0; m <= 60; m++) lowest = Math.min(lowest, least((t * m) / 60));
        if (body.type !== "torus")
          expect(lowest).toBeGreaterThanOrEqual(0.1 * Math.min(gap, 0.05) - 1e-8);
        if (t < 1 && body.type !== "torus") {
          stopped++;
          expect(least(t)).toBeLessThanOrEqual(0.2 * Math.min(gap, 0.05) + 1e-8);
        }
        // its corners are among its points
        for (let i = 0; i < 3; i++) {
          sweptPointTime(time, 0, table, 0, from, sweep, Y, dY, i, 0, 1e-3, 1);
          if (body.type !== "torus") expect(t).toBeLessThanOrEqual(time[0] + 1e-9);
        }
      }
      if (body.type !== "torus") expect(stopped).toBeGreaterThan(10);
    },
  );
});
