import { describe, expect, test } from "vitest";
import type { SceneInput, SubstrateInput } from "../../src/scene/input.ts";
import { parseScene, type Vec3 } from "../../src/scene/scene.ts";
import { createSimulation, type Simulation } from "../../src/simulation.ts";
import { operations } from "../../src/step/minimise.ts";
import {
  type BondOptions,
  type Bonds,
  bonds,
  cutSkin,
  embed,
  halfSpaceWavelength,
  patches,
} from "../../src/substrate/coupling.ts";
import { solidOf } from "../../src/substrate/substrate.ts";
import { block, SolidError } from "../../src/substrate/tetrahedra.ts";
import { heap, sheetOf } from "../support.ts";

const flesh = { young: 1e4, poisson: 0.45, density: 1000 };

describe("patches", () => {
  const sheet = sheetOf({
    shape: { type: "rectangle", width: 0.3, height: 0.2 },
    sampling: { points: 900 },
  });
  const { count, start, index, share, area, centre } = patches(sheet, sheet.n, sheet.rest, 0.03);

  test("every point is in one, shares add up to 1, areas to that of the sheet", () => {
    expect([...index].sort((a, b) => a - b)).toEqual(Array.from({ length: sheet.n }, (_, i) => i));
    for (let b = 0; b < count; b++) {
      let sum = 0;
      for (let e = start[b]; e < start[b + 1]; e++) sum += share[e];
      expect(sum).toBeCloseTo(1, 12);
    }
    expect(area.reduce((a, b) => a + b, 0)).toBeCloseTo(0.06, 9);
  });

  test("they are about as wide as asked: as many as squares of that side, none wider than two", () => {
    expect(count).toBeGreaterThan(0.8 * (0.06 / 0.03 ** 2));
    expect(count).toBeLessThan(1.6 * (0.06 / 0.03 ** 2));
    for (let b = 0; b < count; b++)
      for (let e = start[b]; e < start[b + 1]; e++) {
        const [x, y] = [sheet.rest[3 * index[e]], sheet.rest[3 * index[e] + 1]];
        expect(Math.hypot(x - centre[3 * b], y - centre[3 * b + 1])).toBeLessThan(0.03);
      }
  });

  test("finer than the sheet, every point is its own", () => {
    expect(patches(sheet, sheet.n, sheet.rest, 1e-4).count).toBe(sheet.n);
  });
});

describe("points in a solid", () => {
  const mesh = block({ size: [1, 1, 1], cells: [2, 2, 2] });

  test("are carried by affine maps, inside and a little outside", () => {
    const points = Float64Array.of(0.1, 0.2, 0.3, -0.5, 0.5, 0.5, 0.2, -0.1, 0.55);
    const { nodes, weight } = embed(mesh, points, 0.1);
    const map = (x: number, y: number, z: number): number => 3 * x - y + 0.5 * z + 2;
    for (let k = 0; k < 3; k++) {
      let sum = 0;
      for (let a = 0; a < 4; a++) {
        const p = 3 * nodes[4 * k + a];
        sum += weight[4 * k + a] * map(mesh.rest[p], mesh.rest[p + 1], mesh.rest[p + 2]);
      }
      expect(sum).toBeCloseTo(map(points[3 * k], points[3 * k + 1], points[3 * k + 2]), 12);
    }
  });

  test("a skin away from its solid is refused, with how many, how far and where", () => {
    expect(() => embed(mesh, Float64Array.of(0, 0, 0.5, 0, 0, 0.9), 0.1)).toThrow(
      /the skin is not on the solid: 1 of 2 patches lie farther than 0\.100 m from it, one at 0, 0, 0\.9 m by 0\.400 m/,
    );
  });
});

describe("rows", () => {
  const bonded = (options: BondOptions): Bonds =>
    bonds(heap, cutSkin(sheet, Y, mesh, flesh, options), options);
  const sheet = sheetOf({
    shape: { type: "rectangle", width: 1, height: 1 },
    sampling: { points: 200 },
  });
  const Y = Float64Array.from(sheet.rest as Float64Array).map((x, k) =>
    k % 3 === 2 ? 0.5 : x - 0.5,
  );
  const mesh = block({ size: [1, 1, 1], cells: [4, 4, 4] });

  test("two-way, moving both alike costs nothing and the forces on skin and solid cancel", () => {
    const set = bonded({
      spacing: 0.2,
      twoWay: true,
      points: sheet.n,
      D: 1e-2,
      first: sheet.n,
    });
    const all = new Float64Array(Y.length + mesh.rest.length);
    all.set(Y);
    all.set(mesh.rest, Y.length);
    // an affine map of both
    const sheared = all.map((x, k) => (k % 3 === 0 ? x + 0.3 * all[k + 2] + 1 : x));
    expect(set.energy(sheared)).toBeLessThan(1e-20);
    for (let i = 0; i < sheet.n; i++) all[3 * i + 2] += 0.01 * Math.sin(40 * all[3 * i]) + 0.01;
    set.evaluate(all);
    const f = new Float64Array(all.length);
    operations.addTransposed(f, set, set.sigma);
    const sum = (from: number, to: number): number => {
      let s = 0;
      for (let i = from; i < to; i++) s += f[3 * i + 2];
      return s;
    };
    expect(Math.abs(sum(0, sheet.n))).toBeGreaterThan(1);
    expect(sum(0, sheet.n) + sum(sheet.n, sheet.n + mesh.n)).toBeCloseTo(0, 9);
  });

  test("what averages to nothing within the patches is free", () => {
    const set = bonded({
      spacing: 0.3,
      twoWay: false,
      points: sheet.n,
      D: 1e-2,
      first: 0,
    });
    set.follow(mesh.rest);
    const { start, index, share } = set.patches;
    const wavy = Y.slice();
    for (let b = 0; b < set.blocks; b++) {
      const [i, j] = [index[start[b]], index[start[b] + 1]];
      wavy[3 * i + 2] += 0.1 * share[start[b] + 1];
      wavy[3 * j + 2] -= 0.1 * share[start[b]];
    }
    expect(set.energy(wavy)).toBeLessThan(1e-20);
  });

  test("the expected wavelength is 2π(4D/Ē)^⅓, and patches are a sixth of it", () => {
    const D = 1e-2;
    const expected = 2 * Math.PI * Math.cbrt((4 * D * (1 - 0.45 ** 2)) / 1e4);
    expect(halfSpaceWavelength(D, flesh) / expected).toBeCloseTo(1, 14);
    const set = bonded({
      spacing: null,
      twoWay: false,
      points: sheet.n,
      D,
      first: 0,
    });
    expect(set.spacing / expected).toBeCloseTo(1 / 6, 12);
  });
});

const LENGTH = 0.06;

/** A strip of skin, 20 mm of wavelength, on a block that is compressed from both ends. */
function strip(
  coupling: SubstrateInput["coupling"] & object,
  extra: SceneInput = {},
  substrate: Partial<SubstrateInput> = {},
): Simulation {
  const half = (s: number) => ({
    keys: [{ time: 0 }, { time: 0.1, translate: [s, 0, 0] as Vec3 }],
  });
  return createSimulation(
    parseScene({
      seconds: 0.1,
      h: 0.01,
      gravity: 0,
      sheet: {
        shape: { type: "rectangle", width: LENGTH, height: 0.01 },
        sampling: { spacing: 0.0025 },
        pose: { position: [-LENGTH / 2, -0.005, 0] },
        material: { density: 0.1, D: 1e-4, membraneStiffness: 2e4 },
        noise: 1e-5,
      },
      substrate: {
        shape: { type: "block", size: [LENGTH, 0.01, 0.02], cells: [12, 2, 4] },
        young: 1e4,
        position: [0, 0, -0.01],
        held: [
          { face: "left", axes: "x", motion: half(0.02 * LENGTH) },
          { face: "right", axes: "x", motion: half(-0.02 * LENGTH) },
          { face: "front", axes: "y" },
          { face: "back", axes: "y" },
          { face: "bottom", axes: "z" },
        ],
        coupling,
        ...substrate,
      },
      ...extra,
    }),
  );
}

describe.each([false, true])("a skin on a solid, twoWay %s", (twoWay) => {
  test("what a checkpoint keeps goes on bit for bit", () => {
    const simulation = strip({ twoWay });
    for (let s = 0; s < 6; s++) simulation.step();
    const bytes = simulation.save();
    for (let s = 6; s < 10; s++) simulation.step();

    const again = strip({ twoWay });
    again.restore(bytes);
    for (let s = 6; s < 10; s++) again.step();
    expect([...again.Y]).toEqual([...simulation.Y]);
  });

  test("the solid's boundary is where it is told to be, and frames hold the sheet's points alone", () => {
    const simulation = strip({ twoWay });
    for (let s = 0; s < 10; s++) simulation.step();
    const { substrate, state } = simulation.system;
    const x = substrate!.positions(state.Y);
    const { faces } = solidOf(simulation.scene, undefined, null)!.mesh;
    for (const p of faces.left) expect(x[3 * p]).toBeCloseTo(-0.48 * LENGTH, 12);
    for (const p of faces.bottom) expect(x[3 * p + 2]).toBeCloseTo(-0.02, 12);
    expect(simulation.Y.length).toBe(3 * simulation.sheet.n);
    // the skin is drawn along: its ends, free to slip by the give of what bonds them, come closer
    const along = [...simulation.Y].filter((_, k) => k % 3 === 0);
    expect(Math.max(...along) - Math.min(...along)).toBeLessThan(LENGTH - 2e-5);
  });
});

describe("what cannot be", () => {
  test("a skin beside its solid is refused", () => {
    expect(() => strip({}, {}, { position: [0, 0, 0.5] })).toThrow(SolidError);
  });

  test("patches, points or cells too coarse for the expected wrinkles are warned of", () => {
    const { warnings } = strip({ spacing: 0.012 });
    expect(warnings.map(({ text }) => text).join("\n")).toMatch(
      /spacing of 12 mm hides wrinkles of 19\.9 mm/,
    );
    expect(strip({}).warnings).toEqual([]);
  });
});
