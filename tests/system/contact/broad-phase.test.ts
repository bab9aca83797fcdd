import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../../src/linalg/arena.ts";
import {
  type BroadPhase,
  type Candidates,
  createBroadPhase,
  createCandidates,
  findEdgeEdges,
  findPointTriangles,
  update,
} from "../../../src/system/contact/broad-phase.ts";
import { edgeEdge, pointTriangle } from "../../../src/system/contact/distance.ts";
import { grid, heap, randoms } from "./random.ts";

type Mesh = ReturnType<typeof grid>;
const d2 = new Float64Array(1);
const w = new Float64Array(4);

/** All pairs whose swept boxes come within the margin and that are not farther apart than margin and relative motion, by trying all. */
function brute(mesh: Mesh, dY: Float64Array | null, margin: number) {
  const box = (points: readonly number[]) => {
    const lower = [1 / 0, 1 / 0, 1 / 0];
    const upper = [-1 / 0, -1 / 0, -1 / 0];
    for (const i of points)
      for (let c = 0; c < 3; c++)
        for (const v of [mesh.Y[3 * i + c], mesh.Y[3 * i + c] + (dY ? dY[3 * i + c] : 0)]) {
          lower[c] = Math.min(lower[c], v);
          upper[c] = Math.max(upper[c], v);
        }
    return { lower, upper };
  };
  const distance = (a: readonly number[], b: readonly number[]) => {
    if (a.length === 1) pointTriangle(d2, w, 0, mesh.Y, a[0], b[0], b[1], b[2]);
    else edgeEdge(d2, w, 0, mesh.Y, a[0], a[1], b[0], b[1]);
    return Math.sqrt(d2[0]);
  };
  const relativeMotion = (a: readonly number[], b: readonly number[]) => {
    let most = 0;
    for (const i of a)
      for (const j of b)
        if (dY)
          most = Math.max(most, Math.hypot(...[0, 1, 2].map((c) => dY[3 * i + c] - dY[3 * j + c])));
    return most;
  };
  const near = (a: readonly number[], b: readonly number[], wa: number, wb: number) => {
    if (a.some((i) => b.includes(i))) return false;
    const [A, B] = [box(a), box(b)];
    return (
      [0, 1, 2].every(
        (c) => A.lower[c] - wa <= B.upper[c] + wb && B.lower[c] - wb <= A.upper[c] + wa,
      ) && distance(a, b) <= margin + relativeMotion(a, b)
    );
  };
  const chunks = (list: Int32Array, size: number) =>
    Array.from({ length: list.length / size }, (_, k) => [
      ...list.subarray(size * k, size * k + size),
    ]);
  const triangles = chunks(mesh.triangles, 3);
  const edges = chunks(mesh.edges, 2);
  const pointTriangles: number[] = [];
  const edgeEdges: number[] = [];
  for (let p = 0; p < mesh.n; p++)
    triangles.forEach((t, k) => {
      if (near([p], t, 0, margin)) pointTriangles.push(p, k);
    });
  edges.forEach((s, i) => {
    edges.forEach((t, j) => {
      if (i < j && near(s, t, margin / 2, margin / 2)) edgeEdges.push(i, j);
    });
  });
  return { pointTriangles, edgeEdges };
}

const kept = (list: Candidates) => [...list.primitives.subarray(0, 2 * list.found[0])];

function search(
  broad: BroadPhase,
  pt: Candidates,
  ee: Candidates,
  Y: Float64Array,
  dY: Float64Array | null = null,
) {
  findPointTriangles(pt, broad, Y, dY);
  findEdgeEdges(ee, broad, Y, dY);
  return { pointTriangles: kept(pt), edgeEdges: kept(ee) };
}

describe("broad phase", () => {
  test("finds exactly the pairs that trying all pairs finds, in order, for any pose, motion and margin", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 7 }),
        fc.integer(),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        fc.boolean(),
        (m, seed, margin, moving) => {
          const random = randoms(seed);
          const mesh = grid(m, (i, j) => [i * 0.3 + random() * 0.2, j * 0.3, random() * 0.5]);
          const dY = moving ? Float64Array.from({ length: 3 * mesh.n }, random) : null;
          const broad = createBroadPhase(heap, mesh);
          const pt = createCandidates(heap, 10000);
          const ee = createCandidates(heap, 10000);
          update(broad, mesh.Y, dY, margin);
          expect(search(broad, pt, ee, mesh.Y, dY)).toEqual(brute(mesh, dY, margin));
        },
      ),
      { numRuns: 60, seed: 1 },
    );
  });

  test("a refitted tree gives the same list as a fresh one, and is built anew when layers that it mixed have parted", () => {
    const random = randoms(8);
    // rows of odd number lie on top of the others: leaves hold both layers
    const layers = 12;
    const mesh = grid(layers, (i, j) => [Math.floor(i / 2), j, 0.3 * (i % 2)]);
    const odd = (k: number) => Math.floor(k / layers) % 2 === 1;
    const edges = mesh.edges.filter((_, e) => {
      const k = e - (e % 2);
      return odd(mesh.edges[k]) === odd(mesh.edges[k + 1]);
    });
    const loose = { ...mesh, edges };
    const old = createBroadPhase(heap, loose);
    const pt = createCandidates(heap, 50000);
    const ee = createCandidates(heap, 50000);
    for (let pose = 0; pose < 10; pose++) {
      for (let k = 0; k < mesh.n; k++) {
        if (odd(k)) mesh.Y[3 * k] += pose;
        for (let c = 0; c < 3; c++) mesh.Y[3 * k + c] += 0.1 * random();
      }
      update(old, mesh.Y, null, 0.3);
      const refitted = search(old, pt, ee, mesh.Y);
      const fresh = createBroadPhase(heap, loose);
      update(fresh, mesh.Y, null, 0.3);
      expect(search(fresh, pt, ee, mesh.Y)).toEqual(refitted);
    }
    // three trees at first, then again as the layers part, but not in every pose
    expect(old.rebuilds[0]).toBeGreaterThan(3);
    expect(old.rebuilds[0]).toBeLessThan(20);
  });

  test("no pair is missed that comes within the margin at any time of the motion", () => {
    const random = randoms(21);
    for (let trial = 0; trial < 20; trial++) {
      const mesh = grid(5, (i, j) => [0.3 * i, 0.3 * j, 0.3 * random()]);
      const dY = Float64Array.from({ length: 3 * mesh.n }, () => 0.4 * random());
      const margin = 0.05;
      const broad = createBroadPhase(heap, mesh);
      const pt = createCandidates(heap, 10000);
      const ee = createCandidates(heap, 10000);
      update(broad, mesh.Y, dY, margin);
      const found = search(broad, pt, ee, mesh.Y, dY);
      for (let t = 0; t <= 1; t += 0.05) {
        // at a time of the motion, without motion: fewer pairs, all of them among those found
        const then = { ...mesh, Y: mesh.Y.map((v, i) => v + t * dY[i]) };
        const there = brute(then, null, margin);
        for (const list of ["pointTriangles", "edgeEdges"] as const) {
          const keys = new Set<string>();
          for (let k = 0; k < found[list].length; k += 2)
            keys.add(`${found[list][k]},${found[list][k + 1]}`);
          for (let k = 0; k < there[list].length; k += 2)
            expect(keys.has(`${there[list][k]},${there[list][k + 1]}`)).toBe(true);
        }
      }
    }
  });

  test("the four points of a pair are those of its primitives, and none is shared", () => {
    const mesh = grid(9, (i, j) => [i, j, Math.sin(i * j)]);
    const broad = createBroadPhase(heap, mesh);
    const pt = createCandidates(heap, 50000);
    const ee = createCandidates(heap, 50000);
    update(broad, mesh.Y, null, 1.2);
    findPointTriangles(pt, broad, mesh.Y, null);
    findEdgeEdges(ee, broad, mesh.Y, null);
    expect(pt.found[0]).toBeGreaterThan(100);
    expect(ee.found[0]).toBeGreaterThan(100);
    for (let k = 0; k < pt.found[0]; k++) {
      const four = [...pt.points.subarray(4 * k, 4 * k + 4)];
      const [p, t] = pt.primitives.subarray(2 * k, 2 * k + 2);
      expect(four).toEqual([p, ...mesh.triangles.subarray(3 * t, 3 * t + 3)]);
      expect(new Set(four).size).toBe(4);
    }
    for (let k = 0; k < ee.found[0]; k++) {
      const four = [...ee.points.subarray(4 * k, 4 * k + 4)];
      const [s, t] = ee.primitives.subarray(2 * k, 2 * k + 2);
      expect(four).toEqual([
        ...mesh.edges.subarray(2 * s, 2 * s + 2),
        ...mesh.edges.subarray(2 * t, 2 * t + 2),
      ]);
      expect(new Set(four).size).toBe(4);
    }
  });

  test("groups that do not meet are left out", () => {
    // two layers: points below half are layer 0
    const mesh = grid(6, (i, j) => [(i % 3) + 0.01 * j, j, i < 3 ? 0 : 0.1]);
    const group = Array.from({ length: mesh.n }, (_, i) => (i < mesh.n / 2 ? 0 : 1));
    const pt = createCandidates(heap, 5000);
    const ee = createCandidates(heap, 5000);
    const only = (wanted: number[]) => {
      const broad = createBroadPhase(heap, { ...mesh, group, wanted });
      update(broad, mesh.Y, null, 1.1);
      search(broad, pt, ee, mesh.Y);
      const seen = new Set<string>();
      for (const list of [pt, ee])
        for (let k = 0; k < list.found[0]; k++) {
          const first = group[list.points[4 * k]];
          const second = group[list.points[4 * k + (list === pt ? 1 : 2)]];
          seen.add(first < second ? `${first}${second}` : `${second}${first}`);
        }
      return [...seen].sort();
    };
    expect(only([1, 1, 1, 1])).toEqual(["00", "01", "11"]);
    expect(only([0, 1, 1, 0])).toEqual(["01"]);
    expect(only([1, 0, 0, 0])).toEqual(["00"]);
    expect(only([0, 0, 0, 0])).toEqual([]);
  });

  test("a full list counts what it could not keep", () => {
    const mesh = grid(9, (i, j) => [i, j, 0]);
    const broad = createBroadPhase(heap, mesh);
    update(broad, mesh.Y, null, 1.2);
    const large = createCandidates(heap, 50000);
    const small = createCandidates(heap, 10);
    expect(findEdgeEdges(small, broad, mesh.Y, null)).toBe(
      findEdgeEdges(large, broad, mesh.Y, null),
    );
    expect(findPointTriangles(small, broad, mesh.Y, null)).toBe(
      findPointTriangles(large, broad, mesh.Y, null),
    );
    expect(small.found[0]).toBeGreaterThan(small.capacity);
  });

  test("lives in one memory, and a mesh without triangles or points has no pairs", () => {
    const mesh = grid(5, (i, j) => [i, j, 0]);
    const { value } = inOneMemory((memory) => ({
      broad: createBroadPhase(memory, mesh),
      pt: createCandidates(memory, 1000),
      ee: createCandidates(memory, 1000),
    }));
    update(value.broad, mesh.Y, null, 0.2);
    expect(search(value.broad, value.pt, value.ee, mesh.Y)).toEqual(brute(mesh, null, 0.2));

    const empty = new Int32Array(0);
    const nothing = createBroadPhase(heap, { n: 0, triangles: empty, edges: empty });
    update(nothing, new Float64Array(0), null, 1);
    expect(findPointTriangles(value.pt, nothing, mesh.Y, null)).toBe(0);
    expect(findEdgeEdges(value.ee, nothing, mesh.Y, null)).toBe(0);
  });
});
