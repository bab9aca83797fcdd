/** The nearest point of triangles and edges to round bodies, against a search that shares nothing with it (src/verify). */
import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../../src/linalg/arena.ts";
import { createRigid } from "../../../src/scene/motion.ts";
import { type Body, parseScene } from "../../../src/scene/scene.ts";
import { createSimulation } from "../../../src/simulation.ts";
import { prepareBodies } from "../../../src/system/contact/colliders.ts";
import {
  NEAREST_LENGTH,
  NEAREST_NORMAL,
  NEAREST_WEIGHTS,
  nearestOfTriangle,
  rockingRows,
} from "../../../src/system/contact/triangle-body.ts";
import { signedDistance } from "../../../src/verify/bodies.ts";
import { randomVector } from "../../support.ts";

type Formula = Exclude<Body, { type: "mesh" }>;
const bodies: Formula[] = [
  { type: "sphere", radius: 1 },
  { type: "capsule", radius: 1, length: 2 },
  { type: "cylinder", radius: 1, length: 3, rounding: 0.2 },
  { type: "cone", radius: 1.2, length: 2, rounding: 0.2 },
  { type: "box", size: [2, 1.5, 1], rounding: 0.3 },
  { type: "edge", radius: 0.5 },
];

/** Triangles around the surface of a body that is about 1 in size. */
function triangles(count: number, seed: number): Float64Array[] {
  const r = randomVector(12 * count, seed);
  return Array.from({ length: count }, (_, t) => {
    const c = r.subarray(12 * t, 12 * t + 3);
    const far = 1.3 / Math.hypot(c[0], c[1], c[2]);
    return Float64Array.from({ length: 9 }, (_, k) => far * c[k % 3] + 0.35 * r[12 * t + 3 + k]);
  });
}

/** Lowest φ over a grid of the triangle, refined around the best place. */
function searched(
  phi: (x: number, y: number, z: number) => number,
  Y: Float64Array,
  finest = 1e-7,
): number {
  const at = (u: number, v: number): number =>
    phi(
      ...([0, 1, 2].map((c) => (1 - u - v) * Y[c] + u * Y[3 + c] + v * Y[6 + c]) as [
        number,
        number,
        number,
      ]),
    );
  let [best, bu, bv] = [Number.POSITIVE_INFINITY, 0, 0];
  for (let size = 1; size > finest; size /= 3) {
    const [cu, cv] = [bu, bv];
    for (let a = -12; a <= 12; a++)
      for (let b = -12; b <= 12; b++) {
        const u = size === 1 ? (a + 12) / 24 : cu + (size * a) / 12;
        const v = size === 1 ? (b + 12) / 24 : cv + (size * b) / 12;
        if (u < 0 || v < 0 || u + v > 1) continue;
        const value = at(u, v);
        if (value < best) [best, bu, bv] = [value, u, v];
      }
  }
  return best;
}

describe.each(bodies)("a triangle and a $type", (body) => {
  const table = inOneMemory((memory) => prepareBodies(memory, [body])).value;
  const phi = signedDistance(body);
  const pose = createRigid();
  pose.set([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
  const out = new Float64Array(NEAREST_LENGTH);
  // within a body distances have ridges, and the sheet never is
  const outside = (count: number, seed: number) =>
    triangles(count, seed).filter((Y) => searched(phi, Y) > 0);
  const nearest = (Y: Float64Array, far = Number.POSITIVE_INFINITY, k = 2): number => {
    nearestOfTriangle(out, table, 0, pose, Y, 0, 1, k, far);
    return out[0];
  };

  test("the nearest point is that of a search", () => {
    for (const Y of outside(60, 7)) {
      const wanted = searched(phi, Y);
      expect(nearest(Y)).toBeGreaterThan(wanted - 1e-6);
      expect(nearest(Y)).toBeLessThan(wanted + 1e-9);
      const w = out.subarray(NEAREST_WEIGHTS, NEAREST_WEIGHTS + 3);
      const at = [0, 1, 2].map((c) => w[0] * Y[c] + w[1] * Y[3 + c] + w[2] * Y[6 + c]);
      expect(phi(at[0], at[1], at[2])).toBeCloseTo(out[0], 9);
    }
  });

  test("of an edge too", () => {
    for (const Y of outside(60, 3)) {
      const edge = Float64Array.from([...Y.subarray(0, 6), ...Y.subarray(3, 6)]);
      expect(Math.abs(nearest(Y, Number.POSITIVE_INFINITY, 1) - searched(phi, edge))).toBeLessThan(
        1e-6,
      );
    }
  });

  test("where all of it is far it is a bound from below", () => {
    for (const Y of outside(60, 5)) {
      const wanted = searched(phi, Y);
      const bound = nearest(Y, 0.01);
      expect(bound).toBeLessThan(wanted + 1e-9);
      if (bound < wanted - 1e-6) expect(bound).toBeGreaterThanOrEqual(0.01);
    }
  });

  test("its slope is that of its weights along the normal, and rocking bends it down", () => {
    const rows = new Float64Array(18);
    for (const Y of outside(60, 11)) {
      const m = nearest(Y);
      const w = Array.from(out.subarray(NEAREST_WEIGHTS, NEAREST_WEIGHTS + 3));
      if (Math.min(...w) < 0.05 && Math.max(...w) < 0.999) continue; // a side is near: one-sided
      const n = Array.from(out.subarray(NEAREST_NORMAL, NEAREST_NORMAL + 3));
      const count = rockingRows(rows, pose, out, 0);
      const d = randomVector(9, 13);
      const slope = [0, 1, 2].reduce(
        (sum, k) => sum + w[k] * (n[0] * d[3 * k] + n[1] * d[3 * k + 1] + n[2] * d[3 * k + 2]),
        0,
      );
      const e = 1e-4;
      const moved = (t: number) => nearest(Y.map((y, k) => y + t * d[k]));
      const [up, down] = [moved(e), moved(-e)];
      expect((up - down) / (2 * e)).toBeCloseTo(slope, 3);
      if (body.type !== "sphere" || count !== 2) continue;
      // m″ = κ|δ_t|² − Σ (r·δ)² on a sphere of 1, where δ = Σ w d and its distance to the centre is m + 1
      const bend = [0, 9].reduce((sum, r) => {
        let along = 0;
        for (let k = 0; k < 9; k++) along += rows[r + k] * d[k];
        return sum + along * along;
      }, 0);
      const x = [0, 1, 2].map((c) => w[0] * d[c] + w[1] * d[3 + c] + w[2] * d[6 + c]);
      const across = x[0] ** 2 + x[1] ** 2 + x[2] ** 2 - slope ** 2;
      const wanted = across / (m + 1) - bend;
      expect((up - 2 * m + down) / (e * e)).toBeCloseTo(wanted, 1);
    }
  });
});

describe("coarse sheets on bodies thinner than a triangle", () => {
  // found by the soak: 0.38 mm into the cone, whose side was eight lines, and 0.05 mm into the ring, whose polygon was too coarse
  const cone = { type: "cone", radius: 0.03441, length: 0.1352, rounding: 0.005 } as const;
  const ring = { type: "torus", major: 0.06, minor: 0.006 } as const;

  test.each([
    { body: cone as Formula, position: [-0.002, -0.00822, -0.0776] },
    { body: ring as Formula, position: [0.01, 0.02, -0.02] },
  ])("no point of a triangle reaches into a $body.type", ({ body, position }) => {
    const simulation = createSimulation(
      parseScene({
        seed: 846,
        sheet: {
          shape: { type: "disc", radius: 0.1352 },
          sampling: { type: "irregular", points: 20 },
          material: { density: 0.6048, D: 1.632e-5, thickness: 2e-4 },
        },
        colliders: [
          { name: "body", body, position: position as [number, number, number], friction: 0.3 },
        ],
      }),
    );
    const phi = signedDistance(body);
    const { triangles } = simulation.sheet;
    let lowest = Number.POSITIVE_INFINITY;
    while (simulation.time < 0.22) {
      simulation.step();
      if (simulation.time < 0.1) continue;
      const { Y } = simulation;
      for (let t = 0; t < triangles.length; t += 3) {
        const corners = Float64Array.from(
          { length: 9 },
          (_, k) => Y[3 * triangles[t + Math.floor(k / 3)] + (k % 3)] - position[k % 3],
        );
        if (searched(phi, corners, 1e-3) < lowest) lowest = searched(phi, corners);
      }
    }
    expect(lowest).toBeGreaterThan(0);
    expect(lowest).toBeLessThan(1e-3); // it lies on it
  });
});
