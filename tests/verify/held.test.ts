/** Pins and bodies that meet: neither goes through the other, recordings say where bodies stand, and verify takes them there. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { recordedAnimation } from "../../src/files/recorded.ts";
import { runToFolder } from "../../src/node/run-folder.ts";
import { verifyFolder } from "../../src/node/verify-folder.ts";
import { openRecording } from "../../src/node.ts";
import type { SceneInput } from "../../src/scene/input.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { forge } from "./forge.ts";

let root = "";
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-held-"));
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));
const rec = (): string => path.join(root, "rec");

/** A cloth, one of its edges pinned, with a ball of 5 cm under that edge; 1 cm of air between. */
const above = (change: Partial<SceneInput>): SceneInput => ({
  seconds: 0.3,
  h: 0.005,
  record: { rate: 40 },
  sheet: {
    shape: { type: "rectangle", width: 0.2, height: 0.1 },
    sampling: { type: "grid", points: 60 },
  },
  colliders: [
    { name: "ball", body: { type: "sphere", radius: 0.05 }, position: [0.1, 0.1, -0.06] },
  ],
  ...change,
});
const edge = { edge: "top" };
const up = { smooth: true, keys: [{ time: 0 }, { time: 0.3, translate: [0, 0, 0.06] }] } as const;
const down = {
  smooth: true,
  keys: [{ time: 0 }, { time: 0.3, translate: [0, 0, -0.06] }],
} as const;

describe.each(["frames"] as const)("pins against bodies (constraint: %s)", (constraint) => {
  test("a body that rises against pinned points stops below them; recorded, drawn and proven there", async () => {
    const scene = above({ constraint, pins: [{ at: edge }] });
    scene.colliders![0].motion = structuredClone(up) as never;
    const summary = await runToFolder(parseScene(scene), rec());
    expect(summary.problems).toEqual(["stuck: ball could not go on and is held back"]);
    expect(summary.warnings.join()).toMatch(/ball cannot go on at .*: pin\S* is in the way/);
    const recording = openRecording(rec());
    const last = recording.frames - 1;
    // 1 cm of 6, less half the thickness of the cloth: 3s² − 2s³ = 1/6 at s = 0.26
    const [stands] = recording.bodyTimes(last);
    expect(stands).toBeGreaterThan(0.07);
    expect(stands).toBeLessThan(0.08);
    expect(recording.bodyTimes(1)[0]).toBe(recording.time(1));
    const pose = new Float64Array(7);
    recordedAnimation(recording).bodies![0].pose(last, pose);
    expect(pose[2]).toBeGreaterThan(-0.0511);
    expect(pose[2]).toBeLessThan(-0.05);
    recording.close();
    expect(verifyFolder(rec()).faults).toEqual([]);
    fs.rmSync(path.join(rec(), "certificate.json"));
    // where it would be by the clock it is deep in the cloth
    forge(rec(), last, (_, __, times) => times.fill(0.3));
    const faults = verifyFolder(rec()).faults.join("\n");
    expect(faults).toMatch(/body "ball" stands at 0.3 s of its path/);
    expect(faults).toMatch(/point \d+ is .* mm inside of body "ball"|triangle \d+ reaches/);
  });

  test("a pin that is pulled into a body is held back, and the cloth not strained", async () => {
    const scene = above({
      constraint,
      pins: [{ at: edge, motion: structuredClone(down) as never }],
    });
    const summary = await runToFolder(parseScene(scene), rec());
    expect(summary.warnings.join()).toMatch(/pin\S* cannot go on at .*: ball is in the way/);
    expect(verifyFolder(rec()).faults).toEqual([]);
  });

  test("what is pinned inside of a body from the start is let be, and noted", async () => {
    const scene = above({ constraint, pins: [{ at: edge }] });
    scene.colliders![0].position = [0.1, 0.145, 0];
    scene.seconds = 0.05;
    await runToFolder(parseScene(scene), rec());
    const { faults, certificate } = verifyFolder(rec(), { strainLimit: 0.5 });
    expect(faults.filter((text) => /point \d+ is/.test(text))).toEqual([]);
    expect(certificate.notes.join()).toContain('pins hold points inside of body "ball"');
  });
});
