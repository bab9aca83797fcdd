import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../../src/linalg/arena.ts";
import { createRigid, setRotation } from "../../../src/scene/motion.ts";
import {
  bodyDistance,
  DISTANCE_LENGTH,
  prepareBodies,
} from "../../../src/system/contact/colliders.ts";
import {
  cleanMesh,
  meshDistance,
  placePoints,
  prepareMeshBody,
} from "../../../src/system/contact/mesh-body.ts";
import { boxMesh } from "./meshes.ts";
import { heap, randoms } from "./random.ts";

/** A torus (non-convex, with an inside), finely triangulated. */
function torusMesh(major: number, minor: number, m: number, k: number) {
  const points: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i < m; i++)
    for (let j = 0; j < k; j++) {
      const [u, v] = [(2 * Math.PI * i) / m, (2 * Math.PI * j) / k];
      const ρ = major + minor * Math.cos(v);
      points.push(ρ * Math.cos(u), ρ * Math.sin(u), minor * Math.sin(v));
      const at = (a: number, b: number) => (a % m) * k + (b % k);
      triangles.push(at(i, j), at(i + 1, j), at(i + 1, j + 1));
      triangles.push(at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
  return { points: Float64Array.from(points), triangles: Int32Array.from(triangles) };
}

const out = new Float64Array(7);

describe("mesh bodies", () => {
  test("a box as a mesh has the signed distance of the box, its corners and edges included", () => {
    const { positions: points, triangles } = boxMesh(1, 0.6, 1.4);
    const body = prepareMeshBody(heap, cleanMesh(points, triangles, { closed: true }));
    expect(body.closed).toBe(true);
    expect(body.edges.length / 2).toBe(18);
    const table = prepareBodies(heap, [{ type: "box", size: [1, 0.6, 1.4], rounding: 0 }]);
    const exact = new Float64Array(DISTANCE_LENGTH);
    const random = randoms(1);
    for (let trial = 0; trial < 5000; trial++) {
      const y = Float64Array.from({ length: 3 }, random);
      meshDistance(out, 0, body, y, 0);
      bodyDistance(exact, 0, table, 0, y, 0);
      expect(out[0]).toBeCloseTo(exact[0], 14);
      for (let c = 0; c < 3; c++) expect(out[4 + c]).toBeCloseTo(y[c] - out[0] * out[1 + c], 13);
    }
  });

  test("a finely meshed torus has its distance but for the chord's sagitta, so the sign is right", () => {
    const [m, k] = [160, 60];
    const { points, triangles } = torusMesh(0.6, 0.2, m, k);
    const body = prepareMeshBody(heap, cleanMesh(points, triangles, { closed: true }));
    const sagitta = 0.8 * (1 - Math.cos(Math.PI / m)) + 0.2 * (1 - Math.cos(Math.PI / k));
    const random = randoms(2);
    for (let trial = 0; trial < 3000; trial++) {
      const y = Float64Array.from({ length: 3 }, random);
      const φ = Math.hypot(Math.hypot(y[0], y[1]) - 0.6, y[2]) - 0.2;
      meshDistance(out, 0, body, y, 0);
      expect(Math.abs(out[0] - φ)).toBeLessThan(2 * sagitta);
    }
  });

  test("the closest triangle is the closest of all", () => {
    const { points, triangles } = torusMesh(0.6, 0.2, 12, 8);
    const whole = prepareMeshBody(heap, cleanMesh(points, triangles, { closed: false }));
    const single = Array.from({ length: triangles.length / 3 }, (_, t) =>
      prepareMeshBody(
        heap,
        cleanMesh(points, triangles.subarray(3 * t, 3 * t + 3), { closed: false }),
      ),
    );
    const random = randoms(3);
    for (let trial = 0; trial < 100; trial++) {
      const y = Float64Array.from({ length: 3 }, random);
      const all = single.map((body) => (meshDistance(out, 0, body, y, 0), out[0]));
      const nearest = meshDistance(out, 0, whole, y, 0);
      expect(out[0]).toBe(Math.min(...all));
      expect(all[nearest]).toBe(out[0]);
      expect(out[0]).toBeGreaterThanOrEqual(0);
    }
  });

  test("inside-out meshes are turned, repeated points joined, and meshes with holes or twists treated as open, saying why", () => {
    const { positions: points, triangles } = boxMesh(2, 2, 2);
    const centre = new Float64Array(3);
    const flipped = triangles.map(
      (_, i) => triangles[i % 3 === 0 ? i : i % 3 === 1 ? i + 1 : i - 1],
    );
    const turned = prepareMeshBody(heap, cleanMesh(points, flipped, { closed: true, scale: 0.5 }));
    meshDistance(out, 0, turned, centre, 0);
    expect(out[0]).toBe(-0.5);

    // every triangle with points of its own, as STL has them
    const soup = Float64Array.from(
      [...triangles].flatMap((i) => [...points.subarray(3 * i, 3 * i + 3)]),
    );
    const joined = cleanMesh(soup, Int32Array.from(triangles.keys()), { closed: true });
    expect([joined.n, joined.closed]).toEqual([8, true]);

    // a triangle a thousand times, from any corner on, counts once; turned over it is another
    const [a, b, c] = triangles;
    const copies = Array.from({ length: 1000 }, () => [b, c, a, c, a, b]).flat();
    const often = cleanMesh(points, Int32Array.from([...triangles, ...copies]), { closed: true });
    expect([often.triangles.length, often.closed]).toEqual([triangles.length, true]);
    const both = cleanMesh(points, Int32Array.of(a, b, c, a, c, b), { closed: false });
    expect(both.triangles).toHaveLength(6);

    const holed = cleanMesh(points, triangles.subarray(3), { closed: true });
    expect(holed.closed).toBe(false);
    expect(holed.faults).toEqual(["3 of its 18 edges do not have a triangle on both sides"]);
    const twisted = triangles.slice();
    [twisted[1], twisted[2]] = [twisted[2], twisted[1]];
    expect(cleanMesh(points, twisted, { closed: true }).faults).toEqual([
      "3 of its 18 edges have triangles that face opposite ways",
    ]);
    expect(cleanMesh(points, twisted, { closed: false }).faults).toEqual([]);
    const nothing = prepareMeshBody(heap, cleanMesh(points, new Int32Array(0), { closed: true }));
    expect(meshDistance(out, 0, nothing, centre, 0)).toBe(-1);
    expect(out[0]).toBe(Number.POSITIVE_INFINITY);
  });

  test("lives in one memory, and is placed behind other points by its pose", () => {
    const { positions: points, triangles } = boxMesh(1, 0.6, 1.4);
    const mesh = cleanMesh(points, triangles, { closed: true });
    const { value: body } = inOneMemory((memory) => prepareMeshBody(memory, mesh));
    meshDistance(out, 0, body, Float64Array.from([0.9, 0, 0]), 0);
    expect([...out.subarray(0, 4)]).toEqual([0.4, 1, 0, 0]);

    const pose = createRigid();
    setRotation(pose, 0, 0, Math.PI / 2);
    pose.set([1, 2, 3], 9);
    const Y = new Float64Array(3 * (5 + body.n));
    placePoints(Y, 5, body.points, pose);
    expect([...Y.subarray(0, 15)].every((v) => v === 0)).toBe(true);
    // (x, y, z) ↦ (−y + 1, x + 2, z + 3)
    for (let i = 0; i < body.n; i++) {
      expect(Y[15 + 3 * i]).toBeCloseTo(1 - points[3 * i + 1], 14);
      expect(Y[15 + 3 * i + 1]).toBeCloseTo(2 + points[3 * i], 14);
      expect(Y[15 + 3 * i + 2]).toBeCloseTo(3 + points[3 * i + 2], 14);
    }
  });
});
