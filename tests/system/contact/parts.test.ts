/** The parts of contact by themselves: features of bodies, candidate pairs of them, limits of a step, impacts. */
import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../../src/linalg/arena.ts";
import { parseScene } from "../../../src/scene/scene.ts";
import { createSimulation } from "../../../src/simulation.ts";
import {
  createLimits,
  createStiffening,
  fade,
  stiffenPoints,
} from "../../../src/step/step-limit.ts";
import { bodyFeatures } from "../../../src/system/contact/body-features.ts";
import { createCandidates } from "../../../src/system/contact/broad-phase.ts";
import { findFeaturePairs } from "../../../src/system/contact/feature-pairs.ts";
import { addPairLimits, shortenAtPairs } from "../../../src/system/contact/pair-limits.ts";
import { createPairList } from "../../../src/system/contact/pair-lists.ts";
import { limitPoint } from "../../../src/system/contact/step-limits.ts";
import { simulationOf } from "../../support.ts";

describe("features of bodies", () => {
  test("a box has 8 corners and 12 edges, each of one of its sizes, with its rounding as radius", () => {
    const found = bodyFeatures(
      { type: "box", size: [0.2, 0.4, 0.6], rounding: 0.01 },
      0.05,
      1e-3,
      10,
    )!;
    expect(found.points.length).toBe(24);
    expect(found.edges.length).toBe(24);
    expect(found.radius).toBe(0.01);
    const lengths = [0, 0, 0];
    for (let e = 0; e < 24; e += 2) {
      const d = [0, 1, 2].map((c) =>
        Math.abs(found.points[3 * found.edges[e] + c] - found.points[3 * found.edges[e + 1] + c]),
      );
      const axis = d.findIndex((x) => x > 0);
      expect(d[axis]).toBeCloseTo([0.18, 0.38, 0.58][axis], 12);
      lengths[axis]++;
    }
    expect(lengths).toEqual([4, 4, 4]);
  });

  test("the rims of a cylinder lie on it, and never stick out; a rod has lines along its side", () => {
    const table = bodyFeatures(
      { type: "cylinder", radius: 0.5, length: 0.75, rounding: 0 },
      0.06,
      1e-3,
      10,
    )!;
    for (let i = 0; i < table.points.length; i += 3) {
      expect(Math.hypot(table.points[i], table.points[i + 1])).toBeCloseTo(0.5, 12);
      expect(Math.abs(table.points[i + 2])).toBe(0.375);
    }
    expect(table.edges.length / 2).toBe(table.points.length / 3); // closed polygons
    const rod = bodyFeatures(
      { type: "cylinder", radius: 0.01, length: 0.75, rounding: 0 },
      0.06,
      1e-3,
      10,
    )!;
    expect(rod.edges.length / 2 - rod.points.length / 3).toBe(8);
  });

  test("the polygon of a ring lacks at most a quarter of the sheet's thickness, however coarse the sheet", () => {
    const ring = { type: "torus", major: 0.088, minor: 0.01 } as const;
    for (const thickness of [2e-4, 1e-3]) {
      const { points } = bodyFeatures(ring, 0.07, thickness, 10)!;
      const middle = Math.hypot(points[0] + points[3], points[1] + points[4]) / 2;
      expect(ring.major - middle).toBeGreaterThan(0);
      expect(ring.major - middle).toBeLessThan(0.25 * thickness);
    }
  });

  test("what is rounder than a spacing, and a plane, has none", () => {
    expect(bodyFeatures({ type: "sphere", radius: 0.2 }, 0.05, 1e-3, 10)).toBeNull();
    expect(bodyFeatures({ type: "sphere", radius: 0.02 }, 0.05, 1e-3, 10)!.radius).toBe(0.02);
    expect(bodyFeatures({ type: "plane", normal: [0, 0, 1] }, 0.05, 1e-3, 10)).toBeNull();
  });
});

/** A point above a triangle, both free, and a list of this one pair. */
function pairAbove(gap: number) {
  const X = Float64Array.from([0.2, 0.2, gap, 0, 0, 0, 1, 0, 0, 0, 1, 0]);
  const { value } = inOneMemory((memory) => ({
    list: createPairList(memory, 1, 4, memory.f64(4)),
    limits: createLimits(memory, 4),
    stiffening: createStiffening(memory, 4),
  }));
  value.list.candidates.points.set([0, 1, 2, 3]);
  value.list.candidates.found[0] = 1;
  value.list.keep[0] = 1e-3;
  value.list.before.distance[0] = 0; // nothing is known of it
  return { X, ...value };
}

describe("limits of a step", () => {
  test("a point that falls onto a triangle at rest may use nine tenths of the gap; sliding is free", () => {
    const { X, list, limits } = pairAbove(0.011);
    const P = new Float64Array(12);
    P[2] = -0.09;
    addPairLimits(limits, list, X, P, 4, 1e-3);
    expect(limits.ratio[0]).toBeCloseTo(0.09 / (0.9 * 0.01), 9);
    expect(limits.normal[2]).toBeCloseTo(1, 12);
    expect(limits.ratio[1]).toBe(0); // it does not move
    limits.ratio.fill(0);
    P.fill(0);
    P[0] = 0.5;
    addPairLimits(limits, list, X, P, 4, 1e-3);
    expect(limits.ratio.every((r) => r === 0)).toBe(true);
  });

  test("points that approach each other share the gap, and a shortened motion keeps the pair apart", () => {
    const { X, list, limits } = pairAbove(0.011);
    const P = new Float64Array(12);
    P[2] = -0.02;
    for (const i of [1, 2, 3]) P[3 * i + 2] = 0.02;
    addPairLimits(limits, list, X, P, 4, 1e-3);
    for (let i = 0; i < 4; i++) expect(limits.ratio[i]).toBeCloseTo(0.02 / (0.9 * 0.005), 9);
    expect(shortenAtPairs(P, list, X, 4, 1e-3)).toBe(1);
    expect(X[2] + P[2] - P[5]).toBeGreaterThan(1e-3);
    expect(shortenAtPairs(P, list, X, 4, 1e-3)).toBe(0);
  });

  test("the tightest plane of a point counts, and a plane without room is a bounded ratio", () => {
    const { limits } = pairAbove(1);
    const p = Float64Array.from([0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    limitPoint(limits, 0, 0, 0, 1, 0.5, 0, p);
    limitPoint(limits, 0, 0, 0, 1, 0.25, 0, p);
    limitPoint(limits, 0, 0, 0, 1, 0.5, 0, p);
    expect(limits.ratio[0]).toBe(4);
    limitPoint(limits, 0, 0, 0, 1, 0, 0, p);
    expect(limits.ratio[0]).toBe(1e6);
  });

  test("no point is held to less than the share of the whole motion that its contact allows", () => {
    const { limits } = pairAbove(1);
    const p = Float64Array.from([0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    limitPoint(limits, 0, 0, 0, 1, 0.001, 0.25, p);
    expect(limits.ratio[0]).toBe(4);
  });

  test("an edge that rolls on a ball goes as far as it comes near it, not as far as its ends leave the tangent plane", () => {
    const simulation = simulationOf(
      {
        shape: { type: "rectangle", width: 0.2, height: 0.2 },
        sampling: { type: "grid", points: 25 },
        material: { thickness: 1e-3, density: 0.2, D: 1e-4 },
        pose: { position: [-0.1, -0.1, 0] },
      },
      { colliders: [{ body: { type: "sphere", radius: 0.5 }, position: [0, 0, 0] }] },
    );
    const { system, sheet, Y } = simulation;
    const [a, b] = [sheet.edges[0], sheet.edges[1]];
    const length = Math.hypot(...[0, 1, 2].map((c) => Y[3 * a + c] - Y[3 * b + c]));
    // all far away but one edge, tangent to the ball 0.3 mm above it: edges keep a quarter of a millimetre
    for (let i = 0; i < sheet.n; i++) Y[3 * i + 2] = 1;
    Y.set([-length / 2, 0, 0.5003], 3 * a);
    Y.set([length / 2, 0, 0.5003], 3 * b);
    system.bodies!.beginStep(
      Y,
      system.work.drivers.bodies,
      simulation.scene.h,
      new Uint8Array(Y.length),
    );
    const p = new Float64Array(Y.length);
    const tilt = (angle: number): number => {
      p[3 * a + 2] = (-angle * length) / 2;
      p[3 * b + 2] = (angle * length) / 2;
      return system.bodies!.barrier.maxStep!(Y, p);
    };
    // it comes down by ½Rθ²: 0.0156 mm at θ = 1/128, when its end is 0.2 mm below the tangent plane
    expect(tilt(1 / 128)).toBe(1);
    const share = tilt(1 / 16);
    expect(0.25 * (share / 16) ** 2).toBeGreaterThan(0.5 * 0.05e-3);
    expect(0.25 * (share / 16) ** 2).toBeLessThan(0.05e-3);
  });

  test("a point that goes ρ times too far is made so stiff that it ends within its plane, and the row fades", () => {
    const { limits, stiffening } = pairAbove(1);
    limits.ratio[0] = 5;
    limits.normal.set([0, 0, 1]);
    const blocks = new Float64Array(24); // inverse blocks of 2 N/m
    for (const c of [0, 3, 5]) blocks[c] = 0.5;
    expect(stiffenPoints(stiffening, limits, blocks, new Uint8Array(12))).toBe(true);
    const { rows } = stiffening;
    expect(rows.blocks).toBe(1);
    // force f on 2 N/m moved it by 5 slacks; with k more it moves by f/(2 + k) < slack
    expect((5 * 2) / (2 + rows.weight[0])).toBeLessThan(1);
    const before = rows.weight[0];
    fade(stiffening);
    expect(rows.weight[0]).toBe(before / 4);
    for (let k = 0; k < 5; k++) fade(stiffening);
    expect(rows.blocks).toBe(0);
  });
});

test("candidates of features: all pairs that come near along a motion, by counting one by one", () => {
  const simulation = createSimulation(
    parseScene({
      sheet: {
        shape: { type: "rectangle", width: 0.4, height: 0.4 },
        sampling: { points: 80 },
        pose: { position: [-0.2, -0.2, 0.1] },
      },
    }),
  );
  const { Y, sheet } = simulation;
  const box = bodyFeatures({ type: "box", size: [0.1, 0.1, 0.1], rounding: 0 }, 0.05, 1e-3, 10)!;
  const X = Float64Array.from([...Y, ...box.points]);
  const dX = new Float64Array(X.length);
  for (let i = sheet.n; i < X.length / 3; i++) dX[3 * i + 2] = 0.04; // the box rises to 0.01 below the sheet
  const edges = box.edges.map((e) => e + sheet.n);
  const groups = [{ first: sheet.n, count: 8, edges, radius: 0 }];
  const lists = inOneMemory((memory) => [
    createCandidates(memory, 2),
    createCandidates(memory, 2),
  ]).value;
  const [faces, lines] = lists;
  findFeaturePairs(faces, lines, groups, sheet.triangles, sheet.edges, X, dX, 0.012);
  // the four upper corners lie under one triangle each at least, and the list has grown to hold them
  const corners = new Set<number>();
  for (let k = 0; k < faces.found[0]; k++) corners.add(faces.points[4 * k]);
  expect(corners.size).toBe(4);
  expect(lines.found[0]).toBeGreaterThan(4);
  for (let k = 0; k < faces.found[0]; k++) expect(X[3 * faces.points[4 * k] + 2]).toBe(0.05);
});

test("drivers: pins come first, and only what has a motion moves", () => {
  const motion = [{ time: 0 }, { time: 1, translate: [0, 0, 0.01] as [number, number, number] }];
  const ball = { body: { type: "sphere" as const, radius: 0.01 } };
  const simulation = createSimulation(
    parseScene({
      sheet: { shape: { type: "rectangle", width: 0.1, height: 0.1 } },
      pins: [
        { name: "led", at: { corner: "top-left" }, motion },
        { name: "still", at: { corner: "top-right" } },
      ],
      colliders: [
        { ...ball, name: "stone", position: [1, 0, 0] },
        { ...ball, name: "bird", position: [2, 0, 0], motion },
      ],
    }),
  );
  const { drivers } = simulation.system.work;
  expect(drivers.pins).toBe(2);
  simulation.step();
  expect([...drivers.moves]).toEqual([1, 0, 0, 1]);
  drivers.to[3] = 2;
  expect(drivers.bodies.to[1]).toBe(2);
  simulation.setCollider("stone", { position: [1, 0, 0.1] });
  simulation.step();
  expect([...drivers.moves]).toEqual([1, 0, 1, 1]);
});

test("a driver that is late goes on in every step at twice its speed; one that was held back waits before it is tried again", () => {
  const simulation = simulationOf(
    { shape: { type: "rectangle", width: 0.2, height: 0.1 }, sampling: { points: 30 } },
    {
      pins: [
        { at: { edge: "left" } },
        { at: { edge: "right" }, motion: [{ time: 0 }, { time: 1, translate: [-0.02, 0, 0.01] }] },
      ],
    },
  );
  const { state } = simulation.system;
  const { h } = simulation.scene;
  for (let k = 0; k < 10; k++) simulation.step();
  state.clock[1] -= 4 * h;
  const late = (): number => Math.round((simulation.time - state.clock[1]) / h);
  const seen: number[] = [];
  for (let k = 0; k < 5; k++) {
    simulation.step();
    seen.push(late());
  }
  expect(seen).toEqual([3, 2, 1, 0, 0]);
  state.clock[1] -= 2 * h;
  state.wait[1] = 2;
  simulation.step();
  expect(late()).toBe(3);
  simulation.step();
  simulation.step();
  expect(late()).toBe(3);
});
