import { describe, expect, test } from "vitest";
import { shellMembrane } from "../../src/baselines/discrete-shells.ts";
import { hardEdges, springs } from "../../src/baselines/edges.ts";
import { quadEdges } from "../../src/baselines/quad-edges.ts";
import { triangleEdges } from "../../src/baselines/triangle-edges.ts";
import { multiplyScalar3 } from "../../src/linalg/sparse.ts";
import type { SceneInput } from "../../src/scene/input.ts";
import type { Sheet } from "../../src/sheet/kinematics.ts";
import type { RowSet } from "../../src/system/system.ts";
import {
  emptyMatrix,
  expectDirectional,
  fullPattern,
  heap,
  largest,
  largestDifference,
  plus,
  pose,
  randomPose,
  randomVector,
  rowsTimes,
  rowsTransposed,
  sheetOf,
  simulationOf,
  total,
} from "../support.ts";

const irregular = sheetOf({ sampling: { points: 60 } });
const grid = sheetOf({ sampling: { type: "grid", points: 49 } });

/** ∇Σψ from the last evaluate is the derivative of the energy, and J that of g. */
function expectDerivatives(set: RowSet, sheet: Sheet, Y: Float64Array): void {
  const dY = randomVector(Y.length, 8, 0.01);
  set.evaluate(Y);
  const gradient = rowsTransposed(set, set.sigma, Y.length);
  expectDirectional((at) => set.energy(at), gradient, Y, dY, { eps: 1e-5, tol: 1e-5 });
  const slope = rowsTimes(set, dY);
  const at = (s: number) => {
    set.evaluate(plus(Y, s, dY));
    return set.g.slice();
  };
  const eps = 1e-5;
  const difference = plus(at(eps), -1, at(-eps)).map((d) => d / (2 * eps));
  expect(largestDifference(slope, difference)).toBeLessThan(1e-6 * largest(slope));
  expect(sheet.n).toBeGreaterThan(0);
}

describe("discrete shells: the membrane", () => {
  const [young, thickness, nu] = [2e6, 1e-3, 0.3];
  const poisson = new Float64Array(irregular.n).fill(nu);
  const membrane = shellMembrane(
    irregular,
    { young, thickness, poisson },
    fullPattern(irregular.n),
  )(heap);

  test("its forces are the derivative of its energy, its rows that of the strain", () => {
    expectDerivatives(membrane, irregular, randomPose(irregular, 1, 0.1));
  });

  test("at rest, moved and turned, it has neither energy nor force", () => {
    const Y = pose(irregular, (u, v) => [0.6 * u - 0.8 * v, 1, 0.8 * u + 0.6 * v]);
    expect(membrane.energy(Y)).toBeLessThan(1e-20);
    membrane.evaluate(Y);
    expect(largest(membrane.sigma)).toBeLessThan(1e-10); // rounding of 1 times the stiffness of a triangle
  });

  test("stretched by s along u it holds E t A G²/(2(1 − ν²)) with G = (s² − 1)/2", () => {
    // one component of Green's strain alone: (1−ν)G² + νG² = G²; affine, so exact on any mesh
    const s = 1.1;
    const G = (s * s - 1) / 2;
    const exact = (young * thickness * G * G) / (2 * (1 - nu * nu));
    expect(membrane.energy(pose(irregular, (u, v) => [s * u, v, 0])) / exact).toBeCloseTo(1, 10);
  });

  test("sheared by γ it holds the energy of G = [0 γ/2; γ/2 γ²/2]", () => {
    const shear = 0.2;
    const [g01, g11] = [shear / 2, (shear * shear) / 2];
    const square = (1 - nu) * (2 * g01 * g01 + g11 * g11) + nu * g11 * g11;
    const exact = ((young * thickness) / (2 * (1 - nu * nu))) * square;
    const Y = pose(irregular, (u, v) => [u + shear * v, v, 0]);
    expect(membrane.energy(Y) / exact).toBeCloseTo(1, 10);
  });

  test("its geometric stiffness, unclamped, is the rest of the second derivative", () => {
    const Y = randomPose(irregular, 3, 0.1);
    const dY = randomVector(Y.length, 4);
    const force = (at: Float64Array) => {
      membrane.evaluate(at);
      return rowsTransposed(membrane, membrane.sigma, Y.length);
    };
    const eps = 1e-6;
    const exact = plus(force(plus(Y, eps, dY)), -1, force(plus(Y, -eps, dY))).map(
      (d) => d / (2 * eps),
    );
    membrane.evaluate(Y);
    const A = emptyMatrix(fullPattern(irregular.n));
    membrane.addStress?.(A, false);
    const product = new Float64Array(Y.length);
    multiplyScalar3(product, A, dY);
    const weighted = rowsTimes(membrane, dY).map((x, r) => x * membrane.weight[r]);
    const normal = rowsTransposed(membrane, weighted, Y.length);
    expect(largestDifference(plus(product, 1, normal), exact)).toBeLessThan(1e-6 * largest(exact));
  });
});

describe("edges", () => {
  const pattern = fullPattern(grid.n);

  test("warp and weft of a grid are its edges along the axes; each cell has two diagonals", () => {
    const { yarns, diagonals } = quadEdges(grid);
    const cells = 6 * 6;
    expect(yarns.length.length).toBe(2 * 6 * 7);
    expect(diagonals.length.length).toBe(2 * cells);
    for (let e = 0; e < 2 * cells; e++) expect(diagonals.length[e]).toBeCloseTo(Math.SQRT2 / 6, 12);
  });

  test("a sheet without warp and weft is refused, with what it needs", () => {
    expect(() => quadEdges(irregular)).toThrow(/sampling: \{ type: grid \}/);
  });

  test("springs: forces are the derivative of the energy", () => {
    const set = springs(heap, quadEdges(grid).diagonals, 3, pattern);
    expectDerivatives(set, grid, randomPose(grid, 2, 0.1));
  });

  test("a spring stretched by a little δ holds ½kδ²", () => {
    const [k, delta] = [5, 1e-6];
    const set = springs(heap, { points: [0, 1], length: [0.5] }, k, pattern);
    const Y = new Float64Array(3 * grid.n);
    Y[3] = 0.5 + delta;
    expect(set.energy(Y) / (0.5 * k * delta * delta)).toBeCloseTo(1, 4); // δ/L of the next order
  });

  test("hard edges read l²/L² − 1: nothing at rest, s² − 1 when stretched by s", () => {
    const set = hardEdges(heap, triangleEdges(irregular), fullPattern(irregular.n));
    set.evaluate(irregular.rest);
    expect(largest(set.g)).toBeLessThan(1e-12);
    set.evaluate(Float64Array.from(irregular.rest as Float64Array, (x) => 1.1 * x));
    for (const g of set.g) expect(g).toBeCloseTo(0.21, 12);
  });

  test("quads shear for nothing, triangles do not", () => {
    const sheared = pose(grid, (u, v) => [u + 0.5 * v, Math.sqrt(0.75) * v, 0]);
    const quads = hardEdges(heap, quadEdges(grid).yarns, pattern);
    quads.evaluate(sheared);
    expect(largest(quads.g)).toBeLessThan(1e-12);
    const triangles = hardEdges(heap, triangleEdges(grid), pattern);
    triangles.evaluate(sheared);
    expect(largest(triangles.g)).toBeGreaterThan(0.4);
  });
});

describe("methods of a scene", () => {
  const hung: SceneInput = {
    gravity: 9.81,
    h: 2e-3,
    pins: [{ at: { corner: "top-left" } }, { at: { corner: "top-right" } }],
  };
  const sheet = {
    sampling: { type: "grid" as const, points: 49 },
    pose: { rotation: [90, 0, 0] as [number, number, number] },
    material: { density: 0.2, D: 1e-4 },
    noise: 1e-4,
  };

  test.each(["discrete-shells", "quad-edges", "triangle-edges"] as const)(
    "%s: rests where it rests, and falls without gaining energy",
    (method) => {
      const still = simulationOf({ ...sheet, noise: 0 }, { ...hung, gravity: 0, method });
      const start = still.Y.slice();
      for (let k = 0; k < 5; k++) still.step();
      expect(largestDifference(still.Y, start)).toBeLessThan(1e-9);

      const simulation = simulationOf(sheet, { ...hung, method });
      let before = simulation.energy().total;
      for (let k = 0; k < 60; k++) {
        const report = simulation.step();
        expect(report.converged).toBe(true);
        const now = simulation.energy().total;
        expect(now - before).toBeLessThan(1e-6);
        before = now;
      }
      expect(Number.isFinite(total(simulation.Y))).toBe(true);
    },
  );

  test("quad edges keep warp and weft within the tolerance", () => {
    const simulation = simulationOf(sheet, { ...hung, method: "quad-edges", tolerance: 1e-3 });
    for (let k = 0; k < 60; k++) expect(simulation.step().residual).toBeLessThanOrEqual(1e-3);
  });

  test("static mode is refused where edges are projected, in words", () => {
    expect(() => simulationOf(sheet, { ...hung, method: "triangle-edges", static: true })).toThrow(
      /no static mode/,
    );
  });
});
