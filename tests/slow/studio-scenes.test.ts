/** Every kind of built-in scene in the studio's engine, without a page: it opens, steps, records and is drawn. */
import { describe, expect, test } from "vitest";
import { library } from "../../src/scenes.ts";
import { createEngine, handle, tick } from "../../studio/src/engine/engine.ts";
import type { FromEngine } from "../../studio/src/engine/protocol.ts";
import { interactive } from "../../studio/src/link.ts";

// variants of a scene (finer, stiffer, wider) take the same way as the scene itself
const scenes = library
  .filter(({ name }) => !/-(fine|limp|firm|stiff|regular|wide|biaxial|uniaxial)$/.test(name))
  .map(({ name, input }) => ({ name, input: interactive(input()) }));

describe("every scene runs in the studio", () => {
  test.each(scenes)("$name", { timeout: 120_000 }, async ({ input }) => {
    const said: FromEngine[] = [];
    const engine = createEngine((message) => said.push(message));
    await handle(engine, { type: "open", input, files: {}, keep: false, serial: 1, shared: false });
    await handle(engine, { type: "overlay", overlay: "edge-strain" });
    await handle(engine, { type: "step" });
    await handle(engine, { type: "step" });
    expect(tick(engine)).toBe(null); // it was told to step, not to run
    const kinds = new Set(said.map(({ type }) => type));
    expect([...kinds]).not.toContain("refused");
    expect(said.filter((m) => m.type === "warning" && m.fatal)).toEqual([]);
    const frames = said.filter((m) => m.type === "frame");
    expect(frames.length).toBeGreaterThan(2);
    const last = said.filter((m) => m.type === "beat").at(-1);
    expect(last?.line.steps).toBe(2);
    expect(Number.isFinite(last?.line.strain)).toBe(true);
    engine.session?.simulation.dispose();
  });
});
