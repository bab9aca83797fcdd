import { describe, expect, test } from "vitest";
import type { ReadonlyF64 } from "../../src/linalg/arena.ts";
import { multiplyScalar3 } from "../../src/linalg/sparse.ts";
import type { Vec3 } from "../../src/scene/scene.ts";
import { quadraticFit, secondRings } from "../../src/sheet/curvature.ts";
import type { Sheet } from "../../src/sheet/kinematics.ts";
import { hingeBending, pointBending } from "../../src/system/bending.ts";
import {
  dotOf,
  eigenvalues,
  fullPattern,
  largest,
  pose,
  shapes,
  sheetOf,
  simulationOf,
} from "../support.ts";

const irregular = sheetOf({ sampling: { points: 60 } });
const grid = sheetOf({ sampling: { type: "grid", points: 49 } });

function energyOf(sheet: Sheet, D: number, Y: ReadonlyF64, rows = "edges"): number {
  const pattern = fullPattern(sheet.n);
  const rigidity = new Float64Array(sheet.n).fill(D);
  const values =
    rows === "edges"
      ? hingeBending(sheet, rigidity, secondRings(sheet), pattern)
      : pointBending(sheet, rigidity, pattern);
  const product = new Float64Array(3 * sheet.n);
  multiplyScalar3(product, { ...pattern, values }, Y);
  return 0.5 * dotOf(product, Y);
}

describe("bending of samples without frames (§5)", () => {
  test.each(shapes)(
    "affine shapes of $name have no energy, boundary included",
    ({ sheet: input }) => {
      if (input.shape?.type === "tube" || input.shape?.type === "garment") return;
      const sheet = sheetOf(input);
      const flat = pose(sheet, (u, v) => [1.3 * u - 0.2 * v + 4, 0.5 * v, 0.7 * u + v - 2]);
      // against the energy of a shape as large that bends: rounding of K times 16 m²
      const bent = energyOf(
        sheet,
        1,
        pose(sheet, (u, v) => [u, v, u * u]),
      );
      expect(Math.abs(energyOf(sheet, 1, flat))).toBeLessThan(1e-10 * bent);
    },
  );

  test.each(shapes)("K of $name is symmetric and positive semidefinite", ({ sheet: input }) => {
    const sheet = sheetOf(input);
    const ones = new Float64Array(sheet.n).fill(1);
    const K = hingeBending(sheet, ones, secondRings(sheet), fullPattern(sheet.n));
    const scale = largest(K);
    for (let i = 0; i < sheet.n; i++)
      for (let j = 0; j < i; j++)
        expect(Math.abs(K[sheet.n * i + j] - K[sheet.n * j + i])).toBeLessThan(1e-12 * scale);
    const lambda = eigenvalues(K, sheet.n);
    expect(lambda[0]).toBeGreaterThan(-1e-12 * lambda[sheet.n - 1]);
    // a flat sheet's null space is 1, u, v and nothing else: no spurious modes
    if (input.shape?.type === "tube" || input.shape?.type === "garment") return;
    expect(lambda[2]).toBeLessThan(1e-10 * lambda[sheet.n - 1]);
    expect(lambda[3]).toBeGreaterThan(1e-7 * lambda[sheet.n - 1]);
  });

  test.each([
    ["irregular", 0.12, irregular],
    ["grid", 1.01, grid],
  ])(
    "%s: the mean over all axes of a cylinder is D A/(2R²), while single axes are off by up to %d of it",
    (_, spread, sheet) => {
      // heights of a parabola of curvature κ: the quadratic energy sees nothing else
      const [D, kappa, directions] = [1e-3, 0.5, 12];
      const exact = 0.5 * D * kappa * kappa;
      let mean = 0;
      for (let k = 0; k < directions; k++) {
        const [c, s] = [Math.cos((k * Math.PI) / directions), Math.sin((k * Math.PI) / directions)];
        const Y = pose(sheet, (u, v) => [u, v, 0.5 * kappa * (c * u + s * v) ** 2]);
        const energy = energyOf(sheet, D, Y);
        expect(Math.abs(energy / exact - 1)).toBeLessThan(spread);
        mean += energy / directions;
      }
      expect(mean / exact).toBeCloseTo(1, 10); // twelve directions average the fourth powers exactly
    },
  );

  test("K scales as D and not with the mesh: the mean over axes is the same on every spacing", () => {
    const bowl = (u: number, v: number): Vec3 => [u, v, 0.5 * (u * u + v * v)];
    const energies = [36, 144, 400].map((points) => {
      const sheet = sheetOf({ sampling: { points } });
      return energyOf(sheet, 1, pose(sheet, bowl));
    });
    for (const energy of energies) expect(Math.abs(energy / energies[2] - 1)).toBeLessThan(0.1);
  });
});

describe("the paper's energy as it is written, a row of L per point", () => {
  const square = (spacing: number): Sheet =>
    sheetOf({
      shape: { type: "rectangle", width: 1, height: 1 },
      sampling: { type: "grid", spacing },
    });
  const flat = (sheet: Sheet): Float64Array => pose(sheet, (u, v) => [u, v, 0]);

  test("bent along x a grid has 9/8 of ½D∫κ², the mean inverse of its areas", () => {
    // cotangents of a grid are second differences; diagonals that alternate give points 4/3 and 2/3 of s², and 1/A is 9/8 of 1/s² in the mean
    const sheet = square(0.1);
    const bump = (x: number): number => (x > 0.2 && x < 0.8 ? ((x - 0.2) * (0.8 - x)) ** 3 : 0);
    let sum = 0;
    for (let k = 1; k < 10; k++) {
      const second = (bump(0.1 * (k - 1)) - 2 * bump(0.1 * k) + bump(0.1 * (k + 1))) / 0.01;
      sum += 0.1 * second ** 2;
    }
    const z = pose(sheet, (u) => [0, 0, bump(u)]);
    expect(energyOf(sheet, 1, z, "points")).toBeCloseTo((9 / 8) * 0.5 * sum, 10);
  });

  test.each([0.1, 0.05])("a flat square has D times its perimeter over the spacing of %d", (s) => {
    // the row of a boundary point takes its slope for curvature: |LY| = s over an area of s²/2
    const sheet = square(s);
    const energy = energyOf(sheet, 1, flat(sheet), "points");
    expect(energy / (4 / s)).toBeGreaterThan(0.9); // corners have other areas
    expect(energy / (4 / s)).toBeLessThan(1.2);
    expect(energyOf(sheet, 1, flat(sheet))).toBeLessThan(1e-10 * energy); // of edges: none
  });
});

test("second derivatives of a quadratic are exact at every point, boundary included", () => {
  const sheet = sheetOf({ shape: { type: "disc", radius: 0.5 } });
  const near = secondRings(sheet);
  const Y = pose(sheet, (u, v) => [u * u, u * v - v, 2 * v * v + u]);
  const wanted = [2, 0, 0, 0, 1, 0, 0, 0, 4]; // xyz of h₀₀, h₀₁, h₁₁
  for (let i = 0; i < sheet.n; i++) {
    const { H } = quadraticFit(near, i, sheet.spacing[i]);
    const found = new Float64Array(9);
    for (let e = near.start[i], a = 0; e < near.start[i + 1]; e++, a++)
      for (let k = 0; k < 9; k++)
        found[k] += H[3 * a + Math.floor(k / 3)] * Y[3 * near.index[e] + (k % 3)];
    for (let k = 0; k < 9; k++) expect(found[k]).toBeCloseTo(wanted[k], 8);
  }
});

test("without frames a clamp holds the neighbours of its points, and lets go of them at its release", () => {
  const simulation = simulationOf(
    { shape: { type: "rectangle", width: 0.3, height: 0.1 }, sampling: { points: 60 } },
    {
      h: 0.01,
      constraint: "paper",
      gravity: 9.81,
      pins: [{ at: { edge: "left" }, kind: "clamp", release: 0.02 }],
    },
  );
  const { sheet, system } = simulation;
  const left = new Set<number>(sheet.parts[0].edges.left as Int32Array);
  const beside = new Set<number>();
  for (let e = 0; e < sheet.edges.length; e++)
    if (left.has(sheet.edges[e])) beside.add(sheet.edges[e ^ 1]);
  expect(Math.abs(simulation.energy().bending)).toBeLessThan(1e-12);
  simulation.step();
  for (const i of beside) expect(system.pins.fixed[3 * i + 2]).toBe(1);
  expect(simulation.Y[3 * [...beside][0] + 2]).toBe(0);
  for (let k = 0; k < 3; k++) simulation.step();
  expect(system.pins.fixed.some((held) => held === 1)).toBe(false);
});
