import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { runToFolder } from "../../src/node/run-folder.ts";
import { verifyFolder } from "../../src/node/verify-folder.ts";
import type { SceneInput, SheetInput } from "../../src/scene/input.ts";
import { checkScene, parseScene } from "../../src/scene/scene.ts";
import { sceneInput } from "../../src/scene/write.ts";
import { createSimulation } from "../../src/simulation.ts";
import { addRestMoments, restEnergy } from "../../src/system/rest-curvature.ts";
import { expectDirectional, largestDifference } from "../support.ts";

const [L, R] = [0.3, 0.1];
const material = { density: 0.15, D: 1e-3, poisson: 0.3, membraneStiffness: 1e4 };
const strip = (change: Partial<SheetInput>, scene: SceneInput = {}): SceneInput => ({
  gravity: 0,
  sheet: {
    shape: { type: "rectangle", width: L, height: 0.1 },
    sampling: { spacing: L / 12 },
    material,
    ...change,
  },
  pins: [{ at: { edge: "left" }, kind: "clamp" }],
  ...scene,
});

/** Distance of the middle of the right edge from (x, z), over L. */
function tipOff(input: SceneInput, x: number, z: number): number {
  const simulation = createSimulation(parseScene(input));
  if (input.static) expect(simulation.step().converged).toBe(true);
  else while (simulation.time < 3) simulation.step();
  const right = simulation.sheet.parts[0].edges.right as Int32Array;
  let [u, w] = [0, 0];
  for (const i of right) {
    u += simulation.Y[3 * i] / right.length;
    w += simulation.Y[3 * i + 2] / right.length;
  }
  return Math.hypot(u - x, w - z) / L;
}

describe("natural curvature", () => {
  const arc = [R * Math.sin(L / R), R * (1 - Math.cos(L / R))] as const;
  const still = { static: { forceTolerance: 1e-6 } };
  const moving = { h: 1 / 120, air: { drag: 1 } };

  test("a clamped strip without weight curls to an arc of that radius, the nearer the finer the mesh", () => {
    const coarse = tipOff(strip({ curvature: { value: 1 / R } }, still), ...arc);
    const sampling = { spacing: L / 24 };
    const fine = tipOff(strip({ curvature: { value: 1 / R }, sampling }, still), ...arc);
    expect(coarse).toBeLessThan(0.006);
    expect(fine).toBeLessThan(coarse / 3);
  });

  test("dynamics end where statics do; downwards it is the same the other way", () => {
    expect(tipOff(strip({ curvature: { value: 1 / R } }, moving), ...arc)).toBeLessThan(0.006);
    const [x, z] = arc;
    expect(tipOff(strip({ curvature: { value: -1 / R } }, still), x, -z)).toBeLessThan(0.006);
  });

  test.each([
    ["a rolled sheet", { pose: { type: "cylinder" as const, radius: 0.08, angle: 20 } }],
    [
      "a tube",
      {
        shape: { type: "tube" as const, radius: 0.05, height: 0.1 },
        sampling: { spacing: 0.0125 },
      },
    ],
  ])("%s that has the curvature of its pose stays as it is, nearly without energy", (_, change) => {
    const bent = createSimulation(parseScene({ ...strip(change), pins: [] }));
    const input = { ...strip({ ...change, curvature: "pose" }), pins: [] };
    const simulation = createSimulation(parseScene(input));
    expect(simulation.energy().bending).toBeLessThan(0.01 * bent.energy().bending);
    const start = simulation.Y.slice();
    for (let k = 0; k < 20; k++) simulation.step();
    for (let k = 0; k < 20; k++) bent.step();
    const moved = largestDifference(simulation.Y, start);
    // a closed tube cannot unroll, with or without
    expect(moved).toBeLessThan(Math.max(5e-5, 0.05 * largestDifference(bent.Y, start)));
  });

  test("its force is the slope of its energy while the sheet is not stretched: the normals do not count", () => {
    const pose = { type: "cylinder" as const, radius: 0.2, angle: 0 };
    const curvature = { value: 3, angle: 0 };
    const simulation = createSimulation(parseScene({ ...strip({ pose, curvature }), pins: [] }));
    const { natural, state, sheet } = simulation.system;
    const Y = state.Y.slice();
    const force = new Float64Array(Y.length);
    addRestMoments(force, natural!, sheet.n, Y);
    // rolls tighter: frames and positions of another cylinder less those of this one
    const other = { type: "cylinder" as const, radius: 0.19, angle: 0 };
    const tighter = createSimulation(parseScene({ ...strip({ pose: other }), pins: [] }));
    const roll = tighter.system.state.Y.map((y, k) => y - Y[k]);
    const energy = (at: Float64Array): number => restEnergy(natural!, sheet.n, at);
    const slope = force.map((f) => -f);
    expectDirectional(energy, slope, Y, roll, { eps: 1e-3, tol: 0.02 });
    // and no net force or change by moving it as a whole
    let sum = 0;
    for (let i = 0; i < sheet.n; i++) sum += force[3 * i + 2];
    const size = Math.max(...force.map(Math.abs));
    expect(Math.abs(sum)).toBeLessThan(1e-9 * size * sheet.n);
  });

  test("a new rigidity changes it too, live", () => {
    const simulation = createSimulation(parseScene(strip({ curvature: { value: 1 / R } })));
    const before = simulation.energy().bending;
    simulation.setMaterial(simulation.scene.sheets[0].name, { D: 2 * material.D });
    expect(simulation.energy().bending).toBeCloseTo(2 * before, 12);
    // flat, ½ D A κ²
    expect(before).toBeCloseTo((0.5 * material.D * L * 0.1) / R ** 2, 12);
  });

  test("it is written with its scene, refused without frames and where a direction means nothing", () => {
    const scene = parseScene(strip({ curvature: { value: 2, angle: 30 } }));
    expect(checkScene(JSON.parse(JSON.stringify(sceneInput(scene)))).sheets).toEqual(scene.sheets);
    const paper = parseScene(strip({ curvature: "pose" }, { constraint: "paper" }));
    expect(() => createSimulation(paper)).toThrow("natural curvature needs samples with frames");
    const tube = { type: "tube" as const, radius: 0.1, height: 0.2 };
    const around = parseScene({ ...strip({ shape: tube, curvature: { value: 1 } }), pins: [] });
    expect(() => createSimulation(around)).toThrow("write curvature: pose");
    expect(() => checkScene(strip({ curvature: "flat" as never }))).toThrow(
      'needs "pose" or { value, angle }',
    );
  });

  test.each(["pose", { value: 4, angle: 30 }] as const)(
    "verify works its energy out anew (%j)",
    async (curvature) => {
      const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-curl-")), "run");
      const pose = { type: "cylinder" as const, radius: 0.15, angle: 10 };
      const input = strip({ pose, curvature, noise: 1e-4 }, { gravity: 9.81, seconds: 0.1 });
      await runToFolder(parseScene({ ...input, record: { rate: 30 } }), folder);
      expect(verifyFolder(folder).faults).toEqual([]);
      fs.rmSync(path.dirname(folder), { recursive: true });
    },
  );
});

test("in equilibrium the mean of an attached patch is where it should be, to a ten-millionth of the sheet", () => {
  const target: [number, number, number] = [0.3, 0.3, 0.02];
  const simulation = createSimulation(
    parseScene({
      static: { forceTolerance: 1e-4 },
      sheet: { shape: { type: "rectangle", width: 0.4, height: 0.4 }, sampling: { points: 80 } },
      pins: [{ at: { corner: "top-left" } }],
      attachments: [{ at: { region: { min: [0.25, 0.25], max: [0.4, 0.4] } }, target }],
    }),
  );
  expect(simulation.step().converged).toBe(true);
  const { attachments, state } = simulation.system;
  attachments!.evaluate(state.Y);
  for (const g of attachments!.g) expect(Math.abs(g)).toBeLessThan(1e-7 * 0.4);
});
