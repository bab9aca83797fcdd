import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../src/linalg/arena.ts";
import { type BodyMesh, bodyMesh, creased } from "../../src/picture/bodies.ts";
import type { Body } from "../../src/scene/scene.ts";
import { bodyDistance, prepareBodies } from "../../src/system/contact/colliders.ts";

type Formula = Exclude<Body, { type: "mesh" }>;

const closed: Record<string, Formula> = {
  sphere: { type: "sphere", radius: 0.4 },
  box: { type: "box", size: [1, 0.6, 0.3], rounding: 0 },
  "rounded box": { type: "box", size: [1, 0.6, 0.3], rounding: 0.05 },
  "box that is all rounding": { type: "box", size: [0.4, 0.4, 0.4], rounding: 0.2 },
  capsule: { type: "capsule", radius: 0.2, length: 0.7 },
  "capsule of no length": { type: "capsule", radius: 0.2, length: 0 },
  cylinder: { type: "cylinder", radius: 0.3, length: 0.8, rounding: 0 },
  "rounded cylinder": { type: "cylinder", radius: 0.3, length: 0.8, rounding: 0.06 },
  cone: { type: "cone", radius: 0.4, length: 0.9, rounding: 0 },
  "rounded cone": { type: "cone", radius: 0.4, length: 0.9, rounding: 0.08 },
  torus: { type: "torus", major: 0.5, minor: 0.1 },
  edge: { type: "edge", radius: 0.05 },
};

/** Signed distance of a point to the body, by the formulas that contact uses. */
function distanceTo(body: Formula): (x: number, y: number, z: number) => number[] {
  const { value } = inOneMemory((memory) => prepareBodies(memory, [body]));
  const out = new Float64Array(10);
  return (x, y, z) => {
    bodyDistance(out, 0, value, 0, Float64Array.of(x, y, z), 0);
    return Array.from(out.slice(0, 4));
  };
}

function volume({ positions: p, triangles }: BodyMesh): number {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]];
    sum +=
      p[a] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1]) +
      p[a + 1] * (p[b + 2] * p[c] - p[b] * p[c + 2]) +
      p[a + 2] * (p[b] * p[c + 1] - p[b + 1] * p[c]);
  }
  return sum / 6;
}

describe.each(Object.entries(closed))("%s", (name, body) => {
  const mesh = bodyMesh(body, { extent: 1 });
  const { positions, normals, triangles } = mesh;

  test("every point lies on the surface that contact knows, and its normal is the gradient there", () => {
    const distance = distanceTo(body);
    let [off, length, slope] = [0, 0, 0];
    for (let k = 0; k < positions.length; k += 3) {
      const [x, y, z] = positions.subarray(k, k + 3);
      // where a table edge is cut off there is no surface to be on
      if (name === "edge" && (x <= -0.99 || z <= -0.99 || Math.abs(normals[k + 1]) > 0.5)) continue;
      off = Math.max(off, Math.abs(distance(x, y, z)[0]));
      const [nx, ny, nz] = normals.subarray(k, k + 3);
      length = Math.max(length, Math.abs(Math.hypot(nx, ny, nz) - 1));
      const out = distance(x + 1e-6 * nx, y + 1e-6 * ny, z + 1e-6 * nz)[0];
      slope = Math.max(slope, Math.abs(out / 1e-6 - 1));
    }
    expect(off).toBeLessThan(1e-12);
    expect(length).toBeLessThan(1e-12);
    expect(slope).toBeLessThan(1e-4); // a millionth of a metre out, over curvatures up to 20/m
  });

  test("triangles have area, face outwards, and close up", () => {
    const edges = new Map<string, number>();
    let [smallest, facing] = [Infinity, Infinity];
    const place = (i: number): string =>
      Array.from(positions.subarray(3 * i, 3 * i + 3), (x) => Math.round(1e7 * x) + 0).join(",");
    for (let t = 0; t < triangles.length; t += 3) {
      const [a, b, c] = [triangles[t], triangles[t + 1], triangles[t + 2]];
      const u = [0, 1, 2].map((k) => positions[3 * b + k] - positions[3 * a + k]);
      const v = [0, 1, 2].map((k) => positions[3 * c + k] - positions[3 * a + k]);
      const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
      smallest = Math.min(smallest, Math.hypot(...n));
      const out = [0, 1, 2].reduce(
        (s, k) => s + n[k] * (normals[3 * a + k] + normals[3 * b + k] + normals[3 * c + k]),
        0,
      );
      facing = Math.min(facing, out);
      for (const [i, j] of [
        [a, b],
        [b, c],
        [c, a],
      ]) {
        const forth = `${place(i)} ${place(j)}`;
        const back = `${place(j)} ${place(i)}`;
        edges.set(forth, (edges.get(forth) ?? 0) + 1);
        edges.set(back, (edges.get(back) ?? 0) - 1);
      }
    }
    expect(smallest).toBeGreaterThan(0);
    expect(facing).toBeGreaterThan(0);
    // every edge is walked once in each direction; ends of table edges are fans of other points
    if (name !== "edge") expect([...edges.values()].every((n) => n === 0)).toBe(true);
  });
});

test("volumes are the closed forms, but for the chords", () => {
  const expectVolume = (body: Formula, exact: number): void => {
    const ratio = volume(bodyMesh(body)) / exact;
    expect(ratio).toBeGreaterThan(0.985);
    expect(ratio).toBeLessThan(1.0001);
  };
  expectVolume({ type: "sphere", radius: 2 }, (4 / 3) * Math.PI * 8);
  expectVolume({ type: "box", size: [1, 2, 3], rounding: 0 }, 6);
  expectVolume({ type: "capsule", radius: 1, length: 3 }, Math.PI * 3 + (4 / 3) * Math.PI);
  expectVolume({ type: "cylinder", radius: 2, length: 3, rounding: 0 }, 12 * Math.PI);
  expectVolume({ type: "cone", radius: 2, length: 3, rounding: 0 }, 4 * Math.PI);
  expectVolume({ type: "torus", major: 3, minor: 1 }, 6 * Math.PI ** 2);
});

test("a plane is as wide as asked, through the origin, and faces its normal", () => {
  const { positions, triangles } = bodyMesh({ type: "plane", normal: [1, 2, 2] }, { extent: 3 });
  let reach = 0;
  for (let k = 0; k < positions.length; k += 3) {
    const [x, y, z] = positions.subarray(k, k + 3);
    expect(x + 2 * y + 2 * z).toBeCloseTo(0, 12);
    reach = Math.max(reach, Math.hypot(x, y, z));
  }
  expect(reach).toBeCloseTo(1.5 * Math.SQRT2, 12);
  const [a, b, c] = [0, 1, 2].map((k) =>
    positions.subarray(3 * triangles[k], 3 * triangles[k] + 3),
  );
  const nx = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
  expect(nx).toBeGreaterThan(0);
});

describe("meshes from files", () => {
  test("a box of eight points has 24, with the normals of its sides; a ball keeps its points and its normals", () => {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) => [k & 1, (k >> 1) & 1, k >> 2]);
    const sides = [
      [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4],
      [2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5],
    ].flat();
    const box = creased(corners, sides);
    expect(box.positions.length).toBe(72);
    for (let i = 0; i < 24; i++) {
      const [x, y, z] = box.normals.subarray(3 * i, 3 * i + 3);
      expect(Math.abs(x) + Math.abs(y) + Math.abs(z)).toBeCloseTo(1, 12); // along an axis
      // outwards: on the side that it names
      const along = [x, y, z].findIndex((c) => Math.abs(c) > 0.5);
      expect(box.positions[3 * i + along]).toBe([x, y, z][along] > 0 ? 1 : 0);
    }

    const ball = bodyMesh({ type: "sphere", radius: 1 });
    const round = creased(ball.positions, ball.triangles);
    expect(round.positions.length).toBe(ball.positions.length);
    for (let k = 0; k < round.positions.length; k++)
      expect(Math.abs(round.normals[k] - round.positions[k])).toBeLessThan(0.06);
  });
});
