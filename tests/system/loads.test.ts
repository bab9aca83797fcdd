import { describe, expect, test } from "vitest";
import type { Simulation } from "../../src/simulation.ts";
import { addGravity, addPressure, areaNormals } from "../../src/system/loads.ts";
import {
  largest,
  largestDifference,
  moved,
  pose,
  rotation,
  rowsTransposed,
  sheetOf,
  simulationOf,
  total,
} from "../support.ts";

/** Sum of a vector per point. */
function sum(f: Float64Array): number[] {
  const out = [0, 0, 0];
  for (let k = 0; k < f.length; k++) out[k % 3] += f[k];
  return out;
}

/** Momentum over mass, m/s. */
function velocity({ V, system: { m } }: Simulation): number[] {
  return sum(V.map((v, k) => v * m[Math.floor(k / 3)])).map((p) => p / total(m));
}

describe("gravity", () => {
  test("its work on any motion is the loss of the energy −m g·y", () => {
    const simulation = simulationOf({}, { gravity: [1, -2, -9.81] });
    const { Y, system } = simulation;
    const f = new Float64Array(Y.length);
    addGravity(f, system.m, system.scene.gravity);
    const before = simulation.energy().gravity;
    const here = Y.slice();
    Y.set(moved(Y, rotation([0.3, 1, -0.4]), [0.2, 0.7, -0.5]));
    let work = 0;
    for (let k = 0; k < Y.length; k++) work += f[k] * (Y[k] - here[k]);
    expect(before - simulation.energy().gravity).toBeCloseTo(work, 12);
  });

  test("hung masses add to the points they hang on, and weigh", () => {
    const { system, sheet } = simulationOf(
      { material: { density: 0.2 } },
      { gravity: 9.81, masses: [{ at: { corner: "top-left", radius: 0.2 }, mass: 3 }] },
    );
    expect(total(sheet.m)).toBeCloseTo(0.2, 12);
    expect(total(system.m)).toBeCloseTo(3.2, 12);
    const f = new Float64Array(3 * sheet.n);
    addGravity(f, system.m, system.scene.gravity);
    expect(sum(f)[2]).toBeCloseTo(-3.2 * 9.81, 11);
  });
});

describe("drag", () => {
  test("a free sheet slows by 1/(1 + h c/σ) a step, the closed form of implicit Euler", () => {
    const [c, density, h] = [1.5, 0.2, 0.01];
    const simulation = simulationOf(
      { velocity: [2, -1, 0.5], material: { density } },
      { h, integrator: "euler", air: { drag: c } },
    );
    const steps = 20;
    for (let k = 0; k < steps; k++) simulation.step();
    const factor = (1 + (h * c) / density) ** -steps;
    const v = velocity(simulation);
    [2, -1, 0.5].forEach((v0, k) => {
      expect(v[k]).toBeCloseTo(v0 * factor, 3); // the solver stops at 1 mm/s
    });
    // and nothing but the mean: every point goes with it
    for (let k = 0; k < simulation.V.length; k++) expect(simulation.V[k]).toBeCloseTo(v[k % 3], 3);
  });

  test("wind carries a sheet along until it moves with it", () => {
    const simulation = simulationOf(
      { material: { density: 0.1 } },
      { h: 0.05, air: { drag: 2, wind: [1, 2, -1] } },
    );
    for (let k = 0; k < 40; k++) simulation.step();
    const v = velocity(simulation);
    [1, 2, -1].forEach((w, k) => {
      expect(v[k]).toBeCloseTo(w, 6); // (1 + 0.05·2/0.1)⁻⁴⁰ = 1e-12
    });
  });
});

describe("wind on the normal", () => {
  test("a level sheet falls no faster than √(2σg/ρ)", () => {
    const [density, rho, g] = [0.2, 1.2, 9.81];
    const simulation = simulationOf(
      { material: { density, D: 1 } }, // stiff, so that it stays level
      { h: 0.02, gravity: g, air: { density: rho } },
    );
    for (let k = 0; k < 100; k++) simulation.step();
    const v = velocity(simulation);
    expect(v[2]).toBeCloseTo(-Math.sqrt((2 * density * g) / rho), 4);
    expect(Math.hypot(v[0], v[1])).toBeLessThan(3e-3); // the solver stops at 1 mm/s or 1 % of the speed, here 18 mm/s
  });

  test("it does not push a sheet that is edge on, nor one that moves with it", () => {
    for (const [velocity0, wind] of [
      [
        [0, 0, 0],
        [3, 1, 0],
      ],
      [
        [0, 0, 2],
        [0, 0, 2],
      ],
    ] as [number, number, number][][]) {
      const simulation = simulationOf(
        { velocity: velocity0 },
        { h: 0.01, air: { density: 1.2, wind } },
      );
      for (let k = 0; k < 5; k++) simulation.step();
      const v = velocity(simulation);
      expect(largestDifference(v, velocity0)).toBeLessThan(1e-9);
    }
  });

  test("it drags a light sheet along and never past: implicit, however large the step", () => {
    const simulation = simulationOf(
      { material: { density: 0.01, D: 1e-3 } },
      { h: 0.1, air: { density: 1.2, wind: [0, 0, 10] } },
    );
    let last = 0;
    for (let k = 0; k < 20; k++) {
      simulation.step();
      const v = velocity(simulation)[2];
      expect(v).toBeGreaterThanOrEqual(last - 1e-9);
      expect(v).toBeLessThan(10 + 1e-9);
      last = v;
    }
    expect(last).toBeGreaterThan(9);
  });
});

describe("pressure", () => {
  test("on a flat sheet it is p·A along the normal, whatever the mesh", () => {
    for (const type of ["grid", "irregular"] as const) {
      const sheet = sheetOf({ sampling: { type, points: 81 } });
      const R = rotation([0.4, 0.9, -0.2]);
      const Y = moved(sheet.rest, R);
      const f = new Float64Array(3 * sheet.n);
      addPressure(f, Y, sheet.triangles, 50);
      const wanted = [50 * R[2], 50 * R[5], 50 * R[8]];
      expect(largestDifference(sum(f), wanted)).toBeLessThan(1e-12);
    }
  });

  test("on a tube the forces balance but for the open ends, and push outwards", () => {
    const sheet = sheetOf({
      shape: { type: "tube", radius: 0.2, height: 0.5 },
      sampling: { points: 300 },
    });
    const f = new Float64Array(3 * sheet.n);
    addPressure(f, sheet.rest, sheet.triangles, 100);
    expect(largest(sum(f))).toBeLessThan(1e-11);
    // radial: Σ f·r̂ = p × lateral area, less the second-order flattening of the chords
    let radial = 0;
    for (let i = 0; i < sheet.n; i++)
      radial += (f[3 * i] * sheet.rest[3 * i] + f[3 * i + 1] * sheet.rest[3 * i + 1]) / 0.2;
    expect(radial / (100 * 2 * Math.PI * 0.2 * 0.5)).toBeCloseTo(1, 1);
    expect(radial).toBeLessThan(100 * 2 * Math.PI * 0.2 * 0.5);
  });

  test("the normals at the points sum to the area of the sheet", () => {
    const sheet = sheetOf({ shape: { type: "disc", radius: 0.5 } });
    const N = new Float64Array(3 * sheet.n).fill(7);
    areaNormals(N, sheet.rest, sheet.triangles);
    expect(sum(N)[2]).toBeCloseTo(total(sheet.area), 12);
    for (let i = 0; i < sheet.n; i++) expect(N[3 * i + 2]).toBeCloseTo(sheet.area[i], 14);
  });

  test("lifts a free sheet by p/σ − g", () => {
    const simulation = simulationOf(
      { material: { density: 0.2, D: 1 } },
      { h: 0.01, gravity: 9.81, pressure: 4 },
    );
    for (let k = 0; k < 10; k++) simulation.step();
    expect(velocity(simulation)[2]).toBeCloseTo(0.1 * (4 / 0.2 - 9.81), 3);
  });
});

describe("foundation", () => {
  test("a weight sinks to σg/K, every point by itself", () => {
    const [density, K] = [0.2, 1e3];
    const simulation = simulationOf(
      { material: { density } },
      { h: 0.1, gravity: 9.81, foundation: { stiffness: K, axis: [0, 0, 1] }, air: { drag: 5 } },
    );
    for (let k = 0; k < 60; k++) simulation.step();
    const { Y } = simulation;
    for (let k = 2; k < Y.length; k += 3) expect(Y[k]).toBeCloseTo((-density * 9.81) / K, 7);
  });

  test("its rows are the slope of ½ K A (axis·(y − y₀))²", () => {
    const { sheet, system } = simulationOf(
      {},
      { foundation: { stiffness: 700, axis: [0, 0.6, 0.8] } },
    );
    const rows = system.foundation!;
    const { Y } = system.state;
    Y.set(pose(sheet, (u, v) => [u, v + 0.1 * u, 0.3 * v * v]));
    rows.evaluate(Y);
    const f = rowsTransposed(rows, rows.sigma, Y.length);
    let E = 0;
    for (let i = 0; i < sheet.n; i++) {
      const d =
        0.6 * (Y[3 * i + 1] - sheet.rest[3 * i + 1]) + 0.8 * (Y[3 * i + 2] - sheet.rest[3 * i + 2]);
      E += 0.5 * 700 * sheet.area[i] * d * d;
      expect(f[3 * i]).toBeCloseTo(0, 12);
      expect(f[3 * i + 1]).toBeCloseTo(700 * sheet.area[i] * d * 0.6, 10);
      expect(f[3 * i + 2]).toBeCloseTo(700 * sheet.area[i] * d * 0.8, 10);
    }
    expect(rows.energy(Y)).toBeCloseTo(E, 10);
  });
});
