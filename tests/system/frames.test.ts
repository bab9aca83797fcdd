/** Samples with frames: bending and membrane against closed forms, invariants and differences. */
import { describe, expect, test } from "vitest";
import { inOneMemory } from "../../src/linalg/arena.ts";
import { multiplyScalar3 } from "../../src/linalg/sparse.ts";
import type { SamplingInput } from "../../src/scene/input.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { frameCharts } from "../../src/sheet/frames.ts";
import type { Sheet } from "../../src/sheet/kinematics.ts";
import { createSimulation } from "../../src/simulation.ts";
import { prepare } from "../../src/step/incremental-potential.ts";
import { minimise } from "../../src/step/minimise.ts";
import { edgeResidual, frameBending, framePattern } from "../../src/system/frame-bending.ts";
import {
  type ArcSet,
  arcConstraint,
  type NodeSet,
  nodeConstraint,
  retract,
} from "../../src/system/frame-membrane.ts";
import { randomVector, shapes, sheetOf } from "../support.ts";

const SPACING = 0.025; // m
const SAMPLINGS: readonly { name: string; sampling: SamplingInput }[] = [
  { name: "irregular, seed 1", sampling: { type: "irregular", spacing: SPACING } },
  { name: "grid", sampling: { type: "grid", spacing: SPACING } },
  { name: "turned grid", sampling: { type: "rotated", angle: 30, spacing: SPACING } },
];

function strip(sampling: SamplingInput): Sheet {
  return sheetOf({ shape: { type: "rectangle", width: 0.4, height: 0.2 }, sampling });
}

/** Positions and frames of a map of the plane into space, given with its derivatives. */
function posed(
  { n, uv, spacing }: Sheet,
  map: (u: number, v: number) => { y: number[]; a: number[]; b: number[] },
): Float64Array {
  const Y = new Float64Array(9 * n);
  for (let i = 0; i < n; i++) {
    const { y, a, b } = map(uv[2 * i], uv[2 * i + 1]);
    for (let c = 0; c < 3; c++) {
      Y[3 * i + c] = y[c];
      Y[3 * n + 6 * i + c] = spacing[i] * a[c];
      Y[3 * n + 6 * i + 3 + c] = spacing[i] * b[c];
    }
  }
  return Y;
}

/** Rolled onto a cylinder of radius R whose axis lies at an angle to v. */
function rolled(sheet: Sheet, R: number, angle: number): Float64Array {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return posed(sheet, (u, v) => {
    const p = c * u + s * v;
    const q = -s * u + c * v;
    const dp = [Math.cos(p / R), 0, Math.sin(p / R)];
    return {
      y: [R * Math.sin(p / R), q, R * (1 - Math.cos(p / R))],
      a: [c * dp[0], -s, c * dp[2]],
      b: [s * dp[0], c, s * dp[2]],
    };
  });
}

/** The linear map with columns a and b. */
const linear = (sheet: Sheet, a: number[], b: number[]): Float64Array =>
  posed(sheet, (u, v) => ({ y: [0, 1, 2].map((c) => 1 + a[c] * u + b[c] * v), a, b }));

function area({ triangleArea }: Sheet): number {
  let sum = 0;
  for (let t = 0; t < triangleArea.length; t++) sum += triangleArea[t];
  return sum;
}

/** ½ yᵀ K y over x, y and z. */
function quadratic(sheet: Sheet, K: Float64Array, Y: Float64Array): number {
  const out = new Float64Array(Y.length);
  multiplyScalar3(out, { ...framePattern(sheet, 3 * sheet.n), values: K }, Y);
  return 0.5 * out.reduce((sum, v, k) => sum + v * Y[k], 0);
}

const constant = (n: number, value: number): Float64Array => new Float64Array(n).fill(value);

function bendingOf(sheet: Sheet, Y: Float64Array, nu = 0): number {
  const pattern = framePattern(sheet, 3 * sheet.n);
  const { n } = sheet;
  const K = frameBending(sheet, frameCharts(sheet), constant(n, 1), constant(n, nu), pattern);
  return quadratic(sheet, K, Y);
}

function membraneOf(sheet: Sheet, K = 1): { arcs: ArcSet; nodes: NodeSet } {
  const { value } = inOneMemory((memory) => ({
    arcs: arcConstraint(memory, sheet, frameCharts(sheet), constant(sheet.n, K)),
    nodes: nodeConstraint(memory, sheet, constant(sheet.n, K), framePattern(sheet, 3 * sheet.n)),
  }));
  return value;
}

describe.each(SAMPLINGS)("on a strip, $name", ({ sampling }) => {
  const sheet = strip(sampling);

  test("a linear map does not bend, whatever it stretches, and leaves no residual of edges", () => {
    const Y = linear(sheet, [1.1, 0.2, -0.3], [0.1, 0.9, 0.4]);
    // rounding of sums over entries of size 1/ℓ² = 1600 m⁻² with numbers of size 1
    expect(Math.abs(bendingOf(sheet, Y))).toBeLessThan(1e-9);
    const R = edgeResidual(sheet, frameCharts(sheet), framePattern(sheet, 3 * sheet.n));
    expect(Math.abs(quadratic(sheet, R, Y))).toBeLessThan(1e-12);
  });

  test("a cylinder about any axis has D/2 A/R², within 0.07 % at ℓ/R = 0.25 (irregular meshes: 0.03 %)", () => {
    const R = 4 * SPACING;
    for (const angle of [0, 0.4, 0.8, 1.2, Math.PI / 2]) {
      const exact = area(sheet) / (2 * R * R);
      expect(Math.abs(bendingOf(sheet, rolled(sheet, R, angle)) / exact - 1)).toBeLessThan(
        sampling.type === "irregular" ? 3e-4 : 7e-4,
      );
    }
  });

  test("and its arcs are whole: membrane energy under 1.5e-4 of bending at K = 1e6 σgL", () => {
    const [sigma, g, L, D] = [0.15, 9.81, 0.3, 1e-4];
    const R = 4 * SPACING;
    const { arcs, nodes } = membraneOf(sheet, 1e6 * sigma * g * L);
    for (const angle of [0, 0.7]) {
      const Y = rolled(sheet, R, angle);
      const bending = (D * area(sheet)) / (2 * R * R);
      // the diagonals of a grid are √2 as long, and the energy is of order ℓ⁸
      const limit = sampling.type === "irregular" ? 1.5e-4 : 16e-4;
      expect((arcs.energy(Y) + nodes.energy(Y)) / bending).toBeLessThan(limit);
    }
  });

  test("a saddle z = κuv has only twist: D(1−ν)κ²A, exactly", () => {
    // quadratics are reproduced, so the energy of the linear plate is exact to rounding
    const kappa = 0.5;
    const Y = posed(sheet, (u, v) => ({
      y: [u, v, kappa * u * v],
      a: [1, 0, kappa * v],
      b: [0, 1, kappa * u],
    }));
    for (const nu of [0, 0.3])
      expect(bendingOf(sheet, Y, nu)).toBeCloseTo((1 - nu) * kappa * kappa * area(sheet), 9);
  });

  test.each([
    { name: "stretch", C: [1, 0, 0] },
    { name: "shear", C: [0, 0, 1] },
    { name: "both ways", C: [1, 1, 0] },
  ])("uniform $name has the stiffness K, frames free to relax", ({ C: [xx, yy, xy] }) => {
    const [K, e] = [1e3, 1e-3];
    const simulation = createSimulation(
      parseScene({
        gravity: 0,
        constraint: "frames",
        sheet: {
          shape: { type: "rectangle", width: 0.4, height: 0.2 },
          sampling,
          material: { density: 0.1, D: 1e-12, poisson: 0, membraneStiffness: K },
        },
      }),
    );
    const { system } = simulation;
    const { state, work, pins } = system;
    const { n } = system.sheet;
    state.Y.set(linear(system.sheet, [1 + e * xx, (e * xy) / 2, 0], [(e * xy) / 2, 1 + e * yy, 0]));
    // in the plane: a sheet this limp gives way to the compression of shear by folding
    pins.fixed.fill(1, 0, 3 * n);
    for (let k = 3 * n + 2; k < 9 * n; k += 3) pins.fixed[k] = 1;
    minimise(state.Y, prepare(system, 1e6, false, 0), work.minimise, work.fine, {
      moveTolerance: 1e-9,
      energyTolerance: 1e-15,
      maxIterations: 50,
      cgTolerance: 1e-8,
      cgMax: 2000,
    });
    const energy = system.membrane.reduce((sum, set) => sum + set.energy(state.Y), 0);
    const exact = 0.5 * K * e * e * (xx * xx + yy * yy + (xy * xy) / 2) * area(system.sheet);
    // the issue asks 2 % on irregular meshes and 5 % on grids
    expect(Math.abs(energy / exact - 1)).toBeLessThan(sampling.type === "irregular" ? 0.02 : 0.05);
  });
});

describe("derivatives", () => {
  test.each(shapes)("force is the derivative of the energy on $name", ({ sheet: input }) => {
    const sheet = sheetOf(input);
    const { arcs, nodes } = membraneOf(sheet);
    const Y = randomVector(9 * sheet.n, 1);
    const d = randomVector(9 * sheet.n, 2);
    const h = 1e-6;
    for (const set of [arcs, nodes]) {
      const at = (t: number): number => set.energy(Y.map((y, k) => y + t * d[k]));
      set.evaluate(Y);
      const force = new Float64Array(Y.length);
      set.addForce?.(force);
      for (let b = 0; b < set.blocks; b++)
        for (let e = set.start[b]; e < set.start[b + 1]; e++)
          for (let r = 0; r < 3; r++)
            for (let c = 0; c < 3; c++)
              force[3 * set.index[e] + c] += set.J[9 * e + 3 * r + c] * set.sigma[3 * b + r];
      const slope = force.reduce((sum, f, k) => sum + f * d[k], 0);
      // central differences of a polynomial of degree four: O(h²), and rounding of E/h
      const difference = (at(h) - at(-h)) / (2 * h);
      expect(Math.abs(difference / slope - 1)).toBeLessThan(1e-6);
    }
  });
});

test("a retracted step turns frames: their metric changes by its first-order part alone", () => {
  const sheet = strip({ type: "grid", spacing: 0.1 });
  const { n } = sheet;
  const Y = rolled(sheet, 0.2, 0.3);
  const p = randomVector(9 * n, 3).map((v) => 0.02 * v);
  const delta = new Float64Array(9 * n);
  retract(delta, n, Y, 0.7, p);
  for (let k = 0; k < 3 * n; k++) expect(delta[k]).toBe(0.7 * p[k]);
  const dot = (x: Float64Array, a: number, y: Float64Array, b: number): number =>
    x[a] * y[b] + x[a + 1] * y[b + 1] + x[a + 2] * y[b + 2];
  for (let f = 3 * n; f < 9 * n; f += 6)
    for (const [a, b] of [
      [f, f],
      [f, f + 3],
      [f + 3, f + 3],
    ]) {
      const after = Y.map((y, k) => y + delta[k]);
      const first = dot(Y, a, Y, b) + 0.7 * (dot(Y, a, p, b) + dot(p, a, Y, b));
      expect(dot(after, a, after, b)).toBeCloseTo(first, 14);
    }
});
