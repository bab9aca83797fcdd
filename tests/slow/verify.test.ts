/** `isoplate verify` as a program of its own, on recordings with planted faults: samples with frames and without. */
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, expect, test } from "vitest";
import { FRAMES_HEADER } from "../../src/recording/format.ts";
import { forge, openForgery, swapFrames } from "../verify/forge.ts";
import { builtProgram } from "./program.ts";

const program = builtProgram();
const { at } = program;

/** A cloth that falls onto a ball which rises, and a second one beside it. */
const scene = (constraint: string): object => ({
  name: "ball",
  seconds: 0.15,
  h: 0.005,
  constraint,
  record: { rate: 40 },
  sheets: [0, 1].map((k) => ({
    name: `sheet${k}`,
    shape: { type: "rectangle", width: 0.2, height: 0.2 },
    sampling: { type: "grid", points: 64 },
    pose: { position: [-0.1 + 0.5 * k, -0.1, 0.11] },
  })),
  contact: { self: true },
  colliders: [
    {
      name: "ball",
      body: { type: "sphere", radius: 0.1 },
      motion: { keys: [{ time: 0 }, { time: 0.3, translate: [0, 0, 0.05] }], smooth: true },
    },
  ],
});

async function ran(...args: string[]): Promise<{ code: number | null; said: string }> {
  const run = program.isoplate(...args);
  return { code: await run.ended, said: run.said() };
}

/** The six, each with what verify must say. */
const FAULTS: readonly [name: string, plant: (folder: string) => void, told: RegExp][] = [
  [
    "a moved point",
    (folder) => forge(folder, 3, (Y) => (Y[30] += 1e-12), { seals: false }),
    /frame 3 .*: its hash does not match/,
  ],
  [
    "a moved point, all frames sealed anew",
    (folder) => forge(folder, 3, (Y) => (Y[30] += 1e-5)),
    /frame 3 .*: metrics.csv says/,
  ],
  [
    "two frames in each other's place",
    (folder) => swapFrames(folder, 2, 4),
    /frame 3 .*: does not come after the frame before it/,
  ],
  [
    "an intersection of sheets",
    (folder) =>
      forge(folder, 5, (Y) => {
        // the second sheet stands upright in the first
        for (let i = 64; i < 128; i++) {
          const [x, y] = [Y[3 * i] - 0.5, Y[3 * i + 1]];
          Y.set([1e-3 + 0.01 * y, y, 0.1 + x], 3 * i);
        }
      }),
    /frame 5 .*pairs of triangles cut through each other/,
  ],
  [
    "an intersection with a body that moves, where it is at that time",
    (folder) =>
      forge(folder, 5, (Y) => {
        for (let k = 2; k < 3 * 64; k += 3) Y[k] -= 2e-3;
      }),
    /frame 5 .*point \d+ is .* mm inside of body "ball"/,
  ],
  [
    "a strained edge",
    (folder) => forge(folder, 6, (Y) => (Y[0] -= 0.002)),
    /frame 6 .*edge 0–\d+ is strained by \S+ %, allowed are 2.00 %/,
  ],
  [
    "a changed scene",
    (folder) => {
      const file = path.join(folder, "scene.json");
      const text = fs.readFileSync(file, "utf8");
      fs.writeFileSync(file, text.replace(/"friction": 0(\.\d+)?/, '"friction": 0.9'));
    },
    /scene.json: is not the scene that was recorded/,
  ],
  [
    "a truncated file",
    (folder) => {
      const { layout } = openForgery(folder);
      fs.truncateSync(path.join(folder, "frames"), FRAMES_HEADER + 4.5 * layout.frameBytes);
    },
    /frames: cut short/,
  ],
];

describe.each(["frames"])("constraint: %s", (constraint) => {
  test("the recording is proven, and each of six faults that are planted in it is told", async () => {
    fs.writeFileSync(at("ball.json"), JSON.stringify(scene(constraint)));
    const made = await ran("run", at("ball.json"), "--out", at("good"), "--quiet", "--no-report");
    expect(made, made.said).toMatchObject({ code: 0 });
    const good = await ran("verify", at("good"), "--quiet");
    expect(good.said).toContain("7 frames of 128 points proven");
    expect(good.code, good.said).toBe(0);
    fs.rmSync(at("good", "certificate.json"));
    for (const [name, plant, told] of FAULTS) {
      fs.cpSync(at("good"), at("bad"), { recursive: true });
      plant(at("bad"));
      const { code, said } = await ran("verify", at("bad"), "--quiet");
      expect(code, name).toBe(1);
      expect(said, name).toMatch(told);
      expect(fs.existsSync(at("bad", "certificate.json")), name).toBe(false);
      fs.rmSync(at("bad"), { recursive: true });
    }
  });
});
