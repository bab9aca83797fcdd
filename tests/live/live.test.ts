/** Simulations that programs drive: pins, hands, bodies, material, loads, sheets that come and go, save and restore. */
import { describe, expect, test } from "vitest";
import {
  type ColliderInput,
  createSimulation,
  edgeStrain,
  hashNumbers,
  LiveError,
  parseScene,
  type SceneInput,
  type Simulation,
  type Vec3,
} from "../../src/index.ts";

const H = 1 / 240;
const FRAME = 1 / 60;

/** A cloth of 0.4 m that hangs from two corners. */
function cloth(more: Partial<SceneInput> = {}): SceneInput {
  return {
    h: H,
    sheet: {
      name: "cloth",
      shape: { type: "rectangle", width: 0.4, height: 0.4 },
      sampling: { type: "grid", points: 121 },
      material: "cotton",
    },
    pins: [
      { name: "left", at: { corner: "top-left", radius: 0.05 } },
      { name: "right", at: { corner: "top-right", radius: 0.05 } },
    ],
    ...more,
  };
}

const simulate = (input: SceneInput): Simulation => createSimulation(parseScene(input));

function run(simulation: Simulation, seconds: number): void {
  const end = simulation.time + seconds - H / 2;
  while (simulation.time < end) simulation.step();
}

function mean(simulation: Simulation, points: ArrayLike<number>): Vec3 {
  const out: Vec3 = [0, 0, 0];
  for (let k = 0; k < points.length; k++)
    for (let c = 0; c < 3; c++) out[c] += simulation.Y[3 * points[k] + c] / points.length;
  return out;
}

const distance = (a: Vec3, b: Vec3): number => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

describe("pins", () => {
  test("a pin driven at 60 Hz along a circle at 1 m/s is followed to 1 mm, in every step", () => {
    const simulation = simulate(cloth({ pins: [{ name: "hand", at: { corner: "top-left" } }] }));
    const points = simulation.pinPoints("hand");
    const start = mean(simulation, points);
    const [radius, speed] = [0.2, 1];
    const place = (time: number): Vec3 => {
      const angle = (speed * time) / radius;
      return [
        start[0] + radius * (Math.cos(angle) - 1),
        start[1],
        start[2] + radius * Math.sin(angle),
      ];
    };
    let worst = 0;
    while (simulation.time < 1.5) {
      simulation.setPin("hand", place(simulation.time + FRAME));
      for (let k = 0; k < 4; k++) {
        simulation.step();
        worst = Math.max(worst, distance(mean(simulation, points), place(simulation.time)));
      }
    }
    expect(worst).toBeLessThan(1e-3);
    expect(edgeStrain(simulation.sheet, simulation.pose).max).toBeLessThan(0.02);
  });

  test("a live transform is the motion that a scene would have had, turning included", () => {
    const keys = [
      { time: 0, translate: [0, 0, 0] as Vec3 },
      { time: 0.2, translate: [0.05, 0, 0.1] as Vec3, rotate: { radians: [0, 0.5, 0] as Vec3 } },
    ];
    const clamp = (motion: object): SceneInput =>
      cloth({ pins: [{ name: "jaw", at: { edge: "top" }, kind: "clamp", ...motion }] });
    const live = simulate(clamp({}));
    const pivot = mean(live, live.pinPoints("jaw"));
    const scripted = simulate(clamp({ motion: { keys, pivot } }));
    live.setPin("jaw", { translate: [0.05, 0, 0.1], rotate: [0, 0.5, 0] }, { seconds: 0.2 });
    run(scripted, 0.4);
    run(live, 0.4);
    expect(hashNumbers(live.Y)).toBe(hashNumbers(scripted.Y));
  });

  test("every point can have its own place, and turns keep to the short way", () => {
    const simulation = simulate(cloth());
    const points = simulation.pinPoints("left");
    const goal: number[] = [];
    for (const i of points) {
      const [x, y, z] = simulation.Y.subarray(3 * i, 3 * i + 3);
      goal.push(x, y, z + 0.02);
    }
    simulation.setPin("left", goal, { seconds: 0.1 });
    run(simulation, 0.1);
    points.forEach((i, k) => {
      for (let c = 0; c < 3; c++) expect(simulation.Y[3 * i + c]).toBe(goal[3 * k + c]);
    });
    // from 179° to 181° (given as −179°) the handle turns by 2°: no point goes further than 4 mm in a step
    const turns = simulate(cloth());
    const [first] = turns.pinPoints("left");
    turns.setPin("left", { rotate: [0, (179 / 180) * Math.PI, 0] }, { seconds: 1 });
    run(turns, 1);
    let last = mean(turns, [first]);
    turns.setPin("left", { rotate: [0, (-179 / 180) * Math.PI, 0] });
    for (let k = 0; k < 4; k++) {
      turns.step();
      const now = mean(turns, [first]);
      expect(distance(now, last)).toBeLessThan(1e-3);
      last = now;
    }
  });

  test("a pin lets go and takes hold again", () => {
    const simulation = simulate(cloth());
    const points = simulation.pinPoints("left");
    simulation.releasePin("left");
    const before = mean(simulation, points);
    run(simulation, 0.1);
    expect(mean(simulation, points)[2]).toBeLessThan(before[2] - 0.01);
    simulation.setPin("left", before, { seconds: 0.2 });
    run(simulation, 0.2);
    expect(distance(mean(simulation, points), before)).toBeLessThan(1e-12);
  });

  test("what is wrong is said with what is right", () => {
    const simulation = simulate(cloth());
    expect(() => simulation.setPin("lefd", [0, 0, 0])).toThrow(/pin "lefd".*did you mean "left"/);
    expect(() => simulation.setPin("left", [0, 0])).toThrow(/got 2 numbers, needs \d+ .* or 3/);
    expect(() => simulation.setPin("left", [0, Number.NaN, 0])).toThrow(/positions\[1\] is NaN/);
    expect(() => simulation.setPin("left", [0, 0, 1], { seconds: -1 })).toThrow(LiveError);
  });
});

describe("hands", () => {
  test("ten hands at once each lead their point where it is to go", () => {
    const simulation = simulate(cloth({ pins: [], gravity: 0 }));
    const { n } = simulation.sheet;
    const start = simulation.Y.slice();
    const held = Array.from({ length: 10 }, (_, k) => Math.floor((k * (n - 1)) / 9));
    const lift = (i: number): Vec3 => [start[3 * i], start[3 * i + 1] + 0.1, start[3 * i + 2]];
    const hands = held.map((i) => simulation.grab([i], lift(i)));
    run(simulation, 2);
    for (const i of held) expect(distance(mean(simulation, [i]), lift(i))).toBeLessThan(2e-3);
    // one of them lets go: the others still hold
    hands[3].release();
    hands[0].moveTo([start[0], start[1], start[2]]);
    expect(() => hands[0].moveTo([0, 0, Number.POSITIVE_INFINITY])).toThrow(/target\[2\]/);
    run(simulation, 0.1);
    for (const hand of hands) hand.release();
    expect(() => simulation.grab([n], [0, 0, 0])).toThrow(/no point/);
  });
});

describe("bodies, material, loads, forces", () => {
  const ball = { name: "ball", body: { type: "sphere", radius: 0.1 } as const };

  test("a body that is moved live goes as one that the scene moves", () => {
    const keys = [
      { time: 0, translate: [0, 0, 0] as Vec3 },
      { time: 0.2, translate: [0, 0.1, 0] as Vec3 },
    ];
    const at: Vec3 = [0.2, -0.2, 0.2];
    const scripted = simulate(cloth({ colliders: [{ ...ball, position: at, motion: keys }] }));
    const live = simulate(cloth({ colliders: [{ ...ball, position: at }] }));
    live.setCollider("ball", { position: [0.2, -0.1, 0.2] }, { seconds: 0.2 });
    run(scripted, 0.3);
    run(live, 0.3);
    let worst = 0;
    for (let k = 0; k < live.Y.length; k++)
      worst = Math.max(worst, Math.abs(live.Y[k] - scripted.Y[k]));
    expect(worst).toBeLessThan(1e-6);
    expect(live.contact().penetration).toBe(0);
    expect(() => live.setCollider("ball", { offset: 1 } as never)).toThrow(/offset.*rebuild/);
  });

  test("a body can be given a motion of its own, such as a steady spin, while the simulation runs", () => {
    const simulation = simulate(cloth({ colliders: [{ ...ball, position: [2, 0, 0] }] }));
    run(simulation, 0.1);
    const spin = { axis: [0, 0, 1] as Vec3, rate: { radians: 2 } };
    simulation.setCollider("ball", { position: [3, 0, 0], motion: { spin } });
    const { position, rotation } = simulation.colliderPose(0, 0.5);
    expect(position).toEqual([3, 0, 0]);
    expect(rotation[0]).toBeCloseTo(Math.cos(1), 12);
    expect(() => simulation.setCollider("ball", { motion: { spinn: 1 } as never })).toThrow(
      /did you mean "spin"/,
    );
  });

  test("a new rigidity is that of a simulation made with it", () => {
    const live = simulate(cloth());
    run(live, 0.1);
    const other = simulate(
      cloth({ sheet: { ...cloth().sheet!, material: { preset: "cotton", D: 1e-3 } } }),
    );
    other.restore(live.save());
    live.setMaterial("cloth", { D: 1e-3 });
    run(live, 0.1);
    run(other, 0.1);
    expect(hashNumbers(live.Y)).toBe(hashNumbers(other.Y));
    expect(live.scene.sheets[0].material).toEqual(other.scene.sheets[0].material); // still called cotton
    expect(live.scene.sheets[0].material.preset).toBe("cotton");
    expect(() => live.setMaterial("cloth", { thickness: 0.01 })).toThrow(/thickness.*rebuild/);
    expect(() => live.setMaterial("cloth", { D: -1 })).toThrow(/needs/);
  });

  test("details change what is shown and nothing that moves", () => {
    const [live, other] = [simulate(cloth()), simulate(cloth())];
    run(live, 0.05);
    run(other, 0.05);
    live.setDetails({ name: "blue", seconds: 9, looks: { cloth: { front: "#2244aa" } } });
    expect(live.scene).toMatchObject({ name: "blue", seconds: 9 });
    expect(live.scene.sheets[0].look).toEqual({ front: "#2244aa" });
    live.setDetails({ looks: { cloth: null } });
    expect(live.scene.sheets[0].look).toBeUndefined();
    expect(() => live.setDetails({ looks: { clth: null } })).toThrow(/clth.*cloth/);
    expect(() => live.setDetails({ seconds: Number.NaN })).toThrow(/seconds/);
    run(live, 0.05);
    run(other, 0.05);
    expect(hashNumbers(live.Y)).toBe(hashNumbers(other.Y));
  });

  test("loads change as they are said, and are checked as in a scene", () => {
    const simulation = simulate(cloth({ pins: [] }));
    run(simulation, 0.1);
    simulation.setLoads({ gravity: 0 });
    const before = simulation.V[2];
    run(simulation, 0.1);
    expect(simulation.V[2]).toBeCloseTo(before, 6);
    expect(Math.hypot(...simulation.scene.gravity)).toBe(0);
    expect(() => simulation.setLoads({ gravity: [0, 0, Number.NaN] })).toThrow(/gravity/);
    expect(() => simulation.setLoads({ air: { density: 1.2 } })).toThrow(/air\.density.*rebuild/);
  });

  test("a force callback that gives the weight is gravity", () => {
    const falls = simulate(cloth());
    const pushed = simulate(cloth({ gravity: 0 }));
    const { masses } = pushed;
    pushed.setForce((f) => {
      for (let i = 0; i < masses.length; i++) f[3 * i + 2] -= 9.81 * masses[i];
    });
    run(falls, 0.2);
    run(pushed, 0.2);
    let worst = 0;
    for (let k = 0; k < falls.Y.length; k++)
      worst = Math.max(worst, Math.abs(falls.Y[k] - pushed.Y[k]));
    expect(worst).toBeLessThan(1e-5); // both stop their iterations at 1 mm/s · h = 4e-6 m
    pushed.setForce((f) => {
      f[7] = Number.NaN;
    });
    expect(() => pushed.step()).toThrow(/points 2.*force callback/);
    pushed.setForce(null);
  });

  test("a force that is no function is refused at once, not in the next step", () => {
    const simulation = simulate(cloth());
    expect(() => simulation.setForce(3 as never)).toThrow(/force: got number, needs a function/);
  });
});

describe("rebuilding", () => {
  test("sheets come and go while the others keep their points, speeds and the time", () => {
    const simulation = simulate(cloth());
    run(simulation, 0.2);
    const [Y, V, time] = [simulation.Y.slice(), simulation.V.slice(), simulation.time];
    const added = simulation.addSheet({
      name: "napkin",
      shape: { type: "rectangle", width: 0.2, height: 0.2 },
      sampling: { type: "irregular", points: 40 },
      pose: { type: "flat", position: [2, 0, 0] },
    });
    expect(added).toEqual({ kept: ["cloth"], started: ["napkin"] });
    expect(simulation.time).toBeCloseTo(time, 12);
    expect(simulation.Y.slice(0, Y.length)).toEqual(Y);
    expect(simulation.V.slice(0, V.length)).toEqual(V);
    run(simulation, 0.1);
    const napkin = simulation.Y.slice(Y.length);
    const removed = simulation.remove("sheet", "cloth");
    expect(removed).toEqual({ kept: ["napkin"], started: [] });
    expect(simulation.scene.pins).toEqual([]);
    expect(simulation.Y).toEqual(napkin);
    expect(() => simulation.remove("sheet", "napkin")).toThrow(/only one/);
    run(simulation, 0.1);
  });

  test("a pin that is added holds its points where they are; a body that is added is in the way", () => {
    const simulation = simulate(cloth());
    run(simulation, 0.3);
    simulation.addPin({ name: "low", at: { corner: "bottom-left" }, kind: "clamp" });
    const points = simulation.pinPoints("low");
    const here = mean(simulation, points);
    simulation.addCollider({
      name: "floor",
      body: { type: "plane" },
      position: [0, 0, here[2] - 0.5],
    });
    run(simulation, 0.3);
    expect(distance(mean(simulation, points), here)).toBe(0);
    expect(() => simulation.addPin({ name: "x", at: { corner: "upper-left" } })).toThrow(/corner/);
    simulation.remove("pin", "low");
    run(simulation, 0.1);
    expect(distance(mean(simulation, points), here)).toBeGreaterThan(1e-3);
  });

  test("what has no name gets one that is free, and two of one name are refused", () => {
    const ball: ColliderInput = { body: { type: "sphere", radius: 0.1 }, position: [9, 9, 0] };
    const simulation = simulate(cloth({ colliders: [ball, ball] }));
    simulation.remove("collider", "sphere-1");
    simulation.addCollider(ball);
    const names = (): string[] => simulation.scene.colliders.map(({ name }) => name);
    expect(names()).toEqual(["sphere-2", "sphere-3"]);
    expect(() => simulation.addCollider({ ...ball, name: "sphere-3" })).toThrow(
      /"sphere-3" is the name of another collider too/,
    );
    expect(() => simulation.addPin({ name: "left", at: { corner: "bottom-left" } })).toThrow(
      /"left" is the name of another pin too/,
    );
    expect(names()).toEqual(["sphere-2", "sphere-3"]);
  });

  test("what a rebuilt simulation starts with is warned of, with its points", () => {
    const simulation = simulate(cloth());
    expect(simulation.warnings).toEqual([]);
    run(simulation, 0.1);
    const [x, y, z] = mean(simulation, [60]);
    simulation.addCollider({
      name: "ball",
      body: { type: "sphere", radius: 0.05 },
      position: [x, y, z],
    });
    const [warning] = simulation.warnings;
    expect(warning.cause).toBe("inside-body");
    expect(warning.points).toContain(60);
    expect(warning.time).toBe(simulation.time);
    expect(warning.text).toMatch(/inside ball/);
  });
});

describe("save, restore, dispose", () => {
  const busy = (): Simulation =>
    simulate(
      cloth({
        colliders: [
          { name: "ball", body: { type: "sphere", radius: 0.1 }, position: [0.2, -0.3, 0] },
        ],
      }),
    );

  test("live changes are saved with the state, and come back bit for bit", () => {
    const first = busy();
    first.setPin("left", { translate: [0.1, 0, 0] }, { seconds: 0.3 });
    first.setCollider("ball", { position: [0.2, 0, 0] }, { seconds: 0.3 });
    first.setMaterial("cloth", { D: 2e-5 });
    first.setLoads({ gravity: 5 });
    run(first, 0.1);
    first.releasePin("right");
    const saved = first.save();
    run(first, 0.2);
    const end = hashNumbers(first.Y);
    const second = busy();
    second.restore(saved);
    run(second, 0.2);
    expect(hashNumbers(second.Y)).toBe(end);
    first.restore(saved);
    run(first, 0.2);
    expect(hashNumbers(first.Y)).toBe(end);
  });

  test("a state saved before any change takes the changes back", () => {
    const simulation = busy();
    const saved = simulation.save();
    run(simulation, 0.1);
    const end = hashNumbers(simulation.Y);
    simulation.setLoads({ gravity: 0 });
    simulation.setMaterial("cloth", { D: 1e-3 });
    simulation.releasePin("left");
    run(simulation, 0.1);
    simulation.restore(saved);
    run(simulation, 0.1);
    expect(hashNumbers(simulation.Y)).toBe(end);
  });

  test("states of other scenes and torn states are refused", () => {
    const simulation = busy();
    const other = simulate(
      cloth({ sheet: { ...cloth().sheet!, sampling: { type: "grid", points: 100 } } }),
    );
    expect(() => other.restore(simulation.save())).toThrow(/another scene/);
    expect(() => simulation.restore(simulation.save().slice(0, -8))).toThrow(/another scene/);
  });

  test("positions and time can be set, and the scene that was given is not touched", () => {
    const scene = parseScene(cloth());
    const before = JSON.stringify(scene);
    const simulation = createSimulation(scene);
    simulation.setLoads({ gravity: 1 });
    simulation.releasePin("left");
    expect(JSON.stringify(scene)).toBe(before);
    const Y = simulation.Y.map((y) => y + 1);
    simulation.setState({ Y, V: new Float64Array(Y.length), time: 2 });
    expect(simulation.time).toBeCloseTo(2, 12);
    expect(simulation.Y).toEqual(Y);
    expect(() => simulation.setState({ Y: [1] })).toThrow(/needs 363/);
  });

  test("a disposed simulation says so", () => {
    const simulation = busy();
    simulation.dispose();
    simulation.dispose();
    expect(() => simulation.step()).toThrow(/disposed/);
    expect(() => simulation.Y).toThrow(/disposed/);
  });
});
