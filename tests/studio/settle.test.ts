import { describe, expect, test } from "vitest";
import type { SceneInput } from "../../src/index.ts";
import { sweptValues } from "../../studio/src/document/sweep.ts";
import { createEngine, handle } from "../../studio/src/engine/engine.ts";
import type { FromEngine } from "../../studio/src/engine/protocol.ts";

const cantilever: SceneInput = {
  name: "strip",
  solver: "interactive",
  sheet: {
    shape: { type: "rectangle", width: 0.2, height: 0.08 },
    sampling: { points: 120 },
    material: "paper",
  },
  air: { drag: 1.5 },
  pins: [{ name: "clamp", at: { edge: "left" }, kind: "clamp" }],
};

/** An engine with the scene open, and all that it says. */
async function opened(input: SceneInput) {
  const said: FromEngine[] = [];
  const engine = createEngine((message) => said.push(message));
  const open = (own: SceneInput, keep: boolean, serial: number): Promise<void> =>
    handle(engine, { type: "open", input: own, files: {}, keep, serial, shared: false });
  await open(input, false, 1);
  return { said, engine, open };
}

const lastOf = <T extends FromEngine["type"]>(said: readonly FromEngine[], type: T) =>
  said.filter((m): m is FromEngine & { type: T } => m.type === type).at(-1);

describe("settling in the studio", () => {
  test("at rest the clamp of a cantilever carries its weight, before any step", async () => {
    const { said, engine } = await opened(cantilever);
    await handle(engine, { type: "settle" });
    const { density } = engine.session!.simulation.scene.sheets[0].material;
    const weight = density * 0.2 * 0.08 * 9.81;
    const [{ name, force }] = lastOf(said, "beat")!.line.reactions;
    expect(name).toBe("clamp");
    // the static solver leaves 1e-4 of the load
    expect(Math.abs(force[2] / weight - 1)).toBeLessThan(1e-3);
    expect(Math.hypot(force[0], force[1])).toBeLessThan(1e-3 * weight);
    engine.session?.simulation.dispose();
  });

  test("another rigidity as it runs: a paper strip stays paper to look at", async () => {
    const { said, engine, open } = await opened(cantilever);
    const material = { preset: "paper", D: 1e-3 };
    await open({ ...cantilever, sheet: { ...cantilever.sheet!, material } }, true, 2);
    const { scene, taken } = lastOf(said, "opened")!;
    expect(taken).toBe("live");
    expect(scene.sheets[0].material).toMatchObject({ preset: "paper", D: 1e-3 });
    engine.session?.simulation.dispose();
  });

  test("values of a sweep are equally far apart, or equal factors", () => {
    expect(sweptValues(0, 3, 4, false)).toEqual([0, 1, 2, 3]);
    expect(sweptValues(1e-4, 1e-2, 3, true)).toEqual([1e-4, 1e-3, 1e-2]);
  });
});
