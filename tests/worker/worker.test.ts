/** A simulation at the other end of a channel. The worker in a page is opened by tests/slow/examples.test.ts. */
import { MessageChannel } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { createSimulation, parseScene, type SceneInput, type Warning } from "../../src/index.ts";
import {
  createWorkerSimulation,
  type Port,
  serveSimulation,
  type WorkerFrame,
  type WorkerSimulation,
} from "../../src/worker/index.ts";

const cloth: SceneInput = {
  h: 1 / 240,
  sheet: {
    name: "cloth",
    shape: { type: "rectangle", width: 0.4, height: 0.4 },
    sampling: { type: "grid", points: 64 },
  },
  pins: [{ name: "left", at: { corner: "top-left" } }],
  colliders: [{ name: "ball", body: { type: "sphere", radius: 0.1 }, position: [1, 2, 3] }],
};

async function remote(
  scene: SceneInput = cloth,
  files: Record<string, Uint8Array> = {},
): Promise<WorkerSimulation> {
  const { port1, port2 } = new MessageChannel();
  const worker = Object.assign(port1 as unknown as Port, { terminate: () => port1.close() });
  const created = createWorkerSimulation(scene, { worker, files });
  serveSimulation(port2 as unknown as Port);
  return created;
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe("a simulation in a worker", () => {
  test("patterns come out of the files that are given with the scene", async () => {
    const svg = '<svg viewBox="0 0 200 300"><path id="front" d="M0 0h200v300h-200z"/></svg>';
    const sheet = { shape: { type: "garment", file: "shirt.svg" } } as const;
    const there = await remote({ sheet }, { "shirt.svg": new TextEncoder().encode(svg) });
    expect(there.scene.sheets[0].shape).toMatchObject({ panels: [{ name: "front" }] });
    there.dispose();
  });

  test("a worker whose file is not found is told, with what to do", async () => {
    const port: Port = { postMessage: () => {}, onmessage: null };
    const created = createWorkerSimulation(cloth, { worker: port });
    (port.onerror as unknown as (event: object) => void)({ type: "error" });
    await expect(created).rejects.toThrow(/imports "isoplate\/worker\/engine"/);
  });

  test("steps as one here does, and sends what there is to draw", async () => {
    const there = await remote();
    const here = createSimulation(parseScene(cloth));
    expect(there.sheet.n).toBe(here.sheet.n);
    expect(there.sheet.triangles).toEqual(Int32Array.from(here.sheet.triangles));
    await there.step(10);
    for (let k = 0; k < 10; k++) here.step();
    expect(there.frame.steps).toBe(10);
    expect(there.frame.time).toBe(here.time);
    expect(there.frame.positions).toEqual(Float32Array.from(here.Y));
    expect([...there.frame.poses.subarray(9)]).toEqual([1, 2, 3]);
    expect(await there.energy()).toEqual(here.energy());
    there.dispose();
  });

  test("takes live changes, hands included, and answers or refuses each", async () => {
    const there = await remote();
    await there.setPin("left", [0, 0, 0.5], { seconds: 0.05 });
    await there.setLoads({ gravity: 1 });
    const hand = there.grab([0], [0, 0, 1]);
    hand.moveTo([0, 0, 2]);
    await there.step(20);
    const [point] = await there.pinPoints("left");
    expect([...there.frame.positions.subarray(3 * point, 3 * point + 3)]).toEqual([0, 0, 0.5]);
    hand.release();
    await expect(there.setPin("lefd", [0, 0, 0])).rejects.toThrow(/did you mean "left"/);
    await expect(there.setCollider("ball", { vertices: () => {} })).rejects.toThrow(/functions/);
    const saved = await there.save();
    await there.step(5);
    const end = there.frame.positions.slice();
    await there.restore(saved);
    await there.step(5);
    expect(there.frame.positions).toEqual(end);
    there.dispose();
  });

  test("keeps pace with the clock, and stops when told", async () => {
    const there = await remote();
    const times: number[] = [];
    there.onFrame = ({ time }: WorkerFrame) => times.push(time);
    there.run({ speed: 2 });
    await until(() => times.length >= 12);
    there.pause();
    await there.step(0); // whatever was on its way has arrived
    const steps = times.slice(1).map((time, k) => time - times[k]);
    for (const step of steps.slice(0, 10)) expect(step).toBeCloseTo(1 / 60, 9);
    const { length } = times;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(times.length).toBe(length);
    there.dispose();
    await expect(there.step()).rejects.toThrow(/disposed/);
  });

  test("tells of new sheets, of warnings, and of scenes that it refuses", async () => {
    const there = await remote();
    const warnings: Warning[] = [];
    const sizes: number[] = [];
    there.onWarning = (warning) => warnings.push(warning);
    there.onRebuilt = ({ n }) => sizes.push(n);
    const middle = 3 * 27;
    const position = [...there.frame.positions.subarray(middle, middle + 3)] as [
      number,
      number,
      number,
    ];
    await there.addCollider({
      name: "in-the-way",
      body: { type: "sphere", radius: 0.06 },
      position,
    });
    await there.addSheet({
      name: "more",
      shape: { type: "disc", radius: 0.1 },
      sampling: { points: 30 },
    });
    expect(sizes).toEqual([64, there.sheet.n]);
    expect(there.sheet.parts.map(({ name }) => name)).toEqual(["cloth", "more"]);
    expect(warnings[0].cause).toBe("inside-body");
    there.dispose();
    const bad = { sheet: { shape: { type: "rectangel", width: 1, height: 1 } } };
    await expect(remote(bad as never)).rejects.toMatchObject({ name: "SceneError", faults: [{}] });
    const nameless = { ...cloth, colliders: [{ body: { type: "mesh", file: "a.obj" } as const }] };
    await expect(remote(nameless)).rejects.toThrow(/"a\.obj"; give its bytes/);
  });
});
