/** Live changes of sheets whose samples have frames, of drivers that are late, and between the slices of a step. */
import { describe, expect, test, vi } from "vitest";
import {
  createSimulation,
  hashNumbers,
  LiveError,
  parseScene,
  type SceneInput,
  type Simulation,
} from "../../src/index.ts";

const H = 1 / 240;

function strip(more: Partial<SceneInput> = {}): SceneInput {
  return {
    h: H,
    constraint: "frames",
    sheet: {
      name: "strip",
      shape: { type: "rectangle", width: 0.2, height: 0.1 },
      sampling: { type: "grid", points: 55 },
      material: "cotton",
    },
    pins: [{ name: "jaw", at: { edge: "left" }, kind: "clamp" }],
    ...more,
  };
}

const simulate = (input: SceneInput): Simulation => createSimulation(parseScene(input));

function run(simulation: Simulation, seconds: number): void {
  const end = simulation.time + seconds - H / 2;
  while (simulation.time < end) simulation.step();
}

describe("frames", () => {
  test("a clamp that is turned live turns its frames, as the motion of a scene would", () => {
    const live = simulate(strip());
    const points = live.pinPoints("jaw");
    const pivot = [0, 0, 0] as [number, number, number];
    for (const i of points)
      for (let c = 0; c < 3; c++) pivot[c] += live.Y[3 * i + c] / points.length;
    const rotate = [0, 0.6, 0] as [number, number, number];
    const keys = [{ time: 0 }, { time: 0.1, rotate: { radians: rotate } }];
    const motion = { keys, pivot };
    const scripted = simulate(
      strip({ pins: [{ name: "jaw", at: { edge: "left" }, kind: "clamp", motion }] }),
    );
    const before = live.system.state.Y.slice();
    live.setPin("jaw", { rotate }, { seconds: 0.1 });
    run(live, 0.15);
    run(scripted, 0.15);
    const { state, sheet } = live.system;
    const a = 3 * (sheet.n + 2 * points[0]);
    const [x, z] = [before[a], before[a + 2]];
    expect(state.Y[a]).toBeCloseTo(Math.cos(0.6) * x + Math.sin(0.6) * z, 9);
    expect(state.Y[a + 2]).toBeCloseTo(Math.cos(0.6) * z - Math.sin(0.6) * x, 9);
    expect(hashNumbers(state.Y)).toBe(hashNumbers(scripted.system.state.Y));
  });

  test("a saved state brings frames and bending back bit for bit, clamped as it is", () => {
    const simulation = simulate(strip());
    run(simulation, 0.05);
    simulation.setLoads({ gravity: [0, 0, -2] });
    run(simulation, 0.02);
    const saved = simulation.save();
    run(simulation, 0.05);
    const other = simulate(strip());
    other.restore(saved);
    run(other, 0.05);
    expect(hashNumbers(other.system.state.Y)).toBe(hashNumbers(simulation.system.state.Y));
  });

  test("a rebuild takes frames along, and makes them where there were none", () => {
    const simulation = simulate(strip());
    run(simulation, 0.05);
    const before = simulation.system.state.Y.slice();
    simulation.addCollider({ body: { type: "sphere", radius: 0.01 }, position: [9, 9, 9] });
    expect([...simulation.system.state.Y]).toEqual([...before]);

    const plain = simulate(strip({ constraint: "paper" }));
    run(plain, 0.05);
    plain.rebuild(parseScene(strip()));
    const { Y } = plain.system.state;
    expect(Y.length).toBe(9 * plain.sheet.n);
    run(plain, 0.05);
    expect(Y.every(Number.isFinite)).toBe(true);
  });
});

describe("steps in slices", () => {
  test("nothing can be changed between slices, and a step that is left is undone", () => {
    const simulation = simulate(strip());
    run(simulation, 0.02);
    simulation.setPin("jaw", { translate: [0, 0, 0.05] }, { seconds: H }); // takes more than a few iterations
    const before = hashNumbers(simulation.system.state.Y);
    // a clock that runs so fast that every slice is a long one
    let now = performance.now();
    const clock = vi.spyOn(performance, "now").mockImplementation(() => {
      now += 1000;
      return now;
    });
    const slices = simulation.stepping();
    expect(slices.next().done).toBe(false);
    expect(() => simulation.setPin("jaw", { translate: [0, 0, 0.1] })).toThrow(LiveError);
    expect(() => simulation.save()).toThrow(/under way/);
    expect(() => simulation.step()).toThrow(/under way/);
    slices.return(undefined as never);
    clock.mockRestore();
    expect(hashNumbers(simulation.system.state.Y)).toBe(before);
    simulation.setPin("jaw", { translate: [0, 0, 0.01] });
    simulation.step();
  });
});
