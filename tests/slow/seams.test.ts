import { describe, expect, test } from "vitest";
import { edgeStrain } from "../../src/recording/measures.ts";
import type { GarmentInput, PanelInput, SceneInput } from "../../src/scene/input.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { secondRings } from "../../src/sheet/curvature.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { pick } from "../../src/sheet/picks.ts";
import { createSimulation, type Simulation } from "../../src/simulation.ts";
import { hingeBending } from "../../src/system/bending.ts";
import { selfIntersections } from "../../src/system/contact/intersections.ts";
import { closedSheet } from "../../src/system/seams.ts";
import {
  expectDirectional,
  fullPattern,
  randomVector,
  rowsTransposed,
  sameBits,
} from "../support.ts";

const rectangle = (
  name: string,
  [left, right]: [number, number],
  height: number,
  place: PanelInput["place"] = {},
): PanelInput => ({
  name,
  points: [
    [left, 0],
    [right, 0],
    [right, height],
    [left, height],
  ],
  edges: { right: [1, 2], left: [3, 0] },
  place,
});

/** Front and back, 20 cm apart over a ball, sewn at both sides in 0.2 s. */
const bag: GarmentInput = {
  type: "garment",
  panels: [
    rectangle("front", [-0.15, 0.15], 0.2, { position: [0, -0.1, 0] }),
    rectangle("back", [-0.15, 0.15], 0.2, { position: [0, 0.1, 0], rotation: [0, 0, 180] }),
  ],
  seams: [
    { from: "front:right", to: "back:left", reversed: true },
    { from: "back:right", to: "front:left", reversed: true },
  ],
  sewing: { seconds: 0.2 },
};

function worn(shape: GarmentInput = bag, more: SceneInput = {}): Simulation {
  return createSimulation(
    parseScene({
      sheet: { shape, sampling: { points: 110 }, material: "cotton" },
      contact: { self: true },
      colliders: [
        { body: { type: "sphere", radius: 0.11 }, position: [0, 0, -0.06], friction: 0.4 },
      ],
      ...more,
    }),
  );
}

const gap = ({ system, Y }: Simulation): number => system.seams!.widest(Y).gap;

describe("seams pulled together over time", () => {
  test("panels around a ball come together in the time given and then hold within 0.1 mm, unstretched and uncut", () => {
    const simulation = worn();
    const { sheet, Y, scene } = simulation;
    const start = gap(simulation);
    expect(start).toBeCloseTo(0.2, 12);
    const { triangles, sewn } = sheet;
    for (let k = 1; k <= 96; k++) {
      const { converged } = simulation.step();
      expect(converged).toBe(true);
      const time = k * scene.h;
      if (k === 24) {
        // half the time: the rope is half as long, and ends of the panels may be nearer
        expect(gap(simulation)).toBeLessThan(start / 2 + 1e-3);
        expect(gap(simulation)).toBeGreaterThan(start / 4);
      }
      if (k % 12 === 0) {
        expect(edgeStrain(sheet, simulation.pose).stretchMax).toBeLessThan(0.01);
        expect(selfIntersections({ Y, triangles, sewn: sewn! }).length).toBe(0);
      }
      // a few steps after the time is up they are one
      if (time > 0.23) expect(gap(simulation)).toBeLessThan(1e-4);
    }
    expect(simulation.system.seams!.closed).toBe(true);
    expect(simulation.warnings).toEqual([]);
    // a tube of 60 cm around does not slide over a ball of 69
    let height = 0;
    for (let i = 0; i < sheet.n; i++) height += (Y[3 * i + 2] * sheet.area[i]) / 0.12;
    expect(height).toBeGreaterThan(0);
  });

  test("what is being sewn does not fall, and falls freely as soon as it is sewn", () => {
    const simulation = worn(bag, { colliders: [], contact: { self: false } });
    const { sheet, Y, V, scene } = simulation;
    const mean = (of: Float64Array): number => {
      let sum = 0;
      for (let i = 0; i < sheet.n; i++) sum += (of[3 * i + 2] * sheet.area[i]) / 0.12;
      return sum;
    };
    const before = mean(Y);
    let falling = 0;
    for (let k = 0; k < 72; k++) {
      simulation.step();
      if (simulation.system.seams!.closed) falling++;
      if (falling === 0) expect(mean(Y)).toBeCloseTo(before, 6); // 1 µm
    }
    expect(falling).toBeGreaterThan(15);
    expect(mean(V)).toBeCloseTo(-9.81 * falling * scene.h, 4); // ropes pull both ways alike
  });

  test("a run resumed while it is sewn, and one resumed after, go on bit for bit", () => {
    const whole = worn();
    const marks = [30, 55].map((steps) => {
      while (whole.steps < steps) whole.step();
      return whole.save();
    });
    while (whole.steps < 64) whole.step();
    for (const mark of marks) {
      const resumed = worn();
      resumed.restore(mark);
      while (resumed.steps < 64) resumed.step();
      expect(sameBits(resumed.Y, whole.Y)).toBe(true);
    }
    // and back again: the same simulation from before the seams were closed
    const end = whole.Y.slice();
    whole.restore(marks[0]);
    expect(whole.system.seams!.closed).toBe(false);
    while (whole.steps < 64) whole.step();
    expect(sameBits(end, whole.Y)).toBe(true);
  });

  test("once closed it bends as the welded sheet does: the same energy for any shape, without frames", () => {
    const scene = parseScene({ sheet: { shape: bag, sampling: { points: 120 } } });
    const sheet = createSheet(scene.sheets, scene.seed);
    const { mesh, number, first } = closedSheet(sheet);
    const { rings } = createSimulation(scene).system.seams!;
    const one = (n: number): Float64Array => new Float64Array(n).fill(1);
    const closed = hingeBending(sheet, one(sheet.n), rings, fullPattern(sheet.n));
    const { sewn: _, ...open } = sheet;
    const welded = { ...open, ...mesh };
    const near = secondRings({ ...mesh, spacing: one(mesh.n) });
    const whole = hingeBending(welded, one(mesh.n), near, fullPattern(mesh.n));
    const y = randomVector(mesh.n, 3);
    const apart = Float64Array.from({ length: sheet.n }, (_, i) => y[number[i]]);
    expect(first.length).toBeLessThan(sheet.n);
    const energy = (K: Float64Array, z: Float64Array): number => {
      let sum = 0;
      for (let i = 0; i < z.length; i++)
        for (let j = 0; j < z.length; j++) sum += K[i * z.length + j] * z[i] * z[j];
      return sum;
    };
    expect(energy(closed, apart) / energy(whole, y)).toBeCloseTo(1, 10);
  });

  test("a cantilever sewn across its middle hangs as one that is welded there", () => {
    const tip = (seconds: number): number => {
      const simulation = createSimulation(
        parseScene({
          gravity: [0, -9.81, 0],
          air: { drag: 2 },
          sheet: {
            shape: {
              type: "garment",
              panels: [rectangle("a", [0, 0.1], 0.05), rectangle("b", [0.1, 0.2], 0.05)],
              seams: [{ from: "a:right", to: "b:left", reversed: true }],
              sewing: { seconds },
            },
            sampling: { points: 150 },
            material: { density: 0.2, D: 5e-4 },
          },
          pins: [{ kind: "clamp", at: { edge: "a:left" } }],
        }),
      );
      for (let k = 0; k < 240; k++) simulation.step();
      const end = pick(simulation.sheet, simulation.scene.pins[0].at);
      expect(end.length).toBeGreaterThan(3);
      const right = simulation.sheet.parts[0].edges["b:right"] as Int32Array;
      let sum = 0;
      for (const i of right) sum += simulation.Y[3 * i + 1] / right.length;
      return sum;
    };
    const [welded, sewn] = [tip(0), tip(0.02)];
    expect(welded).toBeLessThan(-0.05);
    expect(Math.abs(sewn - welded)).toBeLessThan(0.001 * 0.2); // 0.1 % of L: frames are tied across the seam
  });

  test("σ is the derivative of the ropes' energy, while they pull and when they are closed", () => {
    const simulation = worn();
    const { seams, seamFrames, state } = simulation.system;
    for (const steps of [30, 60]) {
      while (simulation.steps < steps) simulation.step();
      // apart by some millimetres: beyond the knee, where a rope pulls with nearly all its force
      const Y = Float64Array.from(state.Y);
      const shift = randomVector(Y.length, steps, 3e-3);
      for (let k = 0; k < Y.length; k++) Y[k] += shift[k];
      seams!.evaluate(Y);
      const gradient = rowsTransposed(seams!, seams!.sigma, Y.length);
      expectDirectional(seams!.energy, gradient, Y, randomVector(Y.length, 5), { eps: 1e-7 });
      expect(seamFrames!.blocks).toBe(seams!.closed ? 2 * seams!.blocks : 0);
      if (!seams!.closed) continue;
      seamFrames!.evaluate(Y);
      const ties = rowsTransposed(seamFrames!, seamFrames!.sigma, Y.length);
      const energy = (at: Float64Array): number => seamFrames!.energy(at);
      expectDirectional(energy, ties, Y, randomVector(Y.length, 6), { eps: 1e-7 });
    }
  });

  test("edges that meet are welded, others pulled together in half a second, unless the scene says otherwise", () => {
    const sheet = (shape: GarmentInput) => {
      const scene = parseScene({ sheet: { shape, sampling: { points: 120 } } });
      return createSheet(scene.sheets, scene.seed);
    };
    const { sewing: _, ...silent } = bag;
    expect(sheet(silent).parts[0].sewing).toBe(0.5);
    expect(sheet({ ...silent, sewing: { seconds: 0 } }).seamPairs).toBeUndefined();
    const wrap = 0.3 / Math.PI;
    const [front, back] = bag.panels!;
    const round = [
      { ...front, place: { wrap } },
      { ...back, place: { wrap, rotation: [0, 0, 180] as [number, number, number] } },
    ];
    expect(sheet({ ...silent, panels: round }).seamPairs).toBeUndefined();
    expect(sheet({ ...bag, panels: round }).parts[0].sewing).toBe(0.2);
    expect(sheet(bag).n).toBe(120);
  });

  test("a garment that is too small stays open, unstretched, and the run says which seam", () => {
    const simulation = worn(bag, {
      colliders: [{ body: { type: "sphere", radius: 0.12 }, position: [0, 0, 0.1] }],
      sheet: {
        shape: {
          ...bag,
          panels: bag.panels!.map((panel, k) => ({
            ...panel,
            place: { ...panel.place, position: [0, k === 0 ? -0.13 : 0.13, 0] },
          })),
        },
        sampling: { points: 120 },
        material: "cotton",
      },
    });
    while (simulation.time < 0.45) expect(simulation.step().converged).toBe(true);
    expect(simulation.system.seams!.closed).toBe(false);
    expect(edgeStrain(simulation.sheet, simulation.pose).stretchMax).toBeLessThan(0.01);
    expect(simulation.warnings.map(({ text }) => text).join()).toMatch(
      /seam (front:right to back:left|back:right to front:left) is still \d+\.\d mm open at 0\.40 s/,
    );
  });

  test("what cannot be sewn is refused, naming the seam", () => {
    const held: SceneInput = { pins: [{ name: "hem", at: { edges: ["front:e0", "back:e0"] } }] };
    expect(() => worn(bag, held)).toThrow(
      /(front:right to back:left|back:right to front:left): pinned on both sides by "hem", 200 mm apart; hold one side/,
    );
    expect(() => worn(bag, { static: {} })).toThrow(/sewing: takes time, and a static scene/);
    expect(() => worn({ ...bag, sewing: { seconds: -1 } })).toThrow(
      /sewing\.seconds: got -1, needs 0 … 60 s/,
    );
    expect(() => worn({ ...bag, sewing: {} as { seconds: number } })).toThrow(
      /sewing\.seconds: missing/,
    );
  });
});
