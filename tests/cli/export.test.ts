import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXPORT_FORMATS } from "../../src/files/export.ts";
import { parseObj } from "../../src/files/obj.ts";
import { parsePc2 } from "../../src/files/point-cache.ts";
import { recordedAnimation } from "../../src/files/recorded.ts";
import { openRecording } from "../../src/recording/folder.ts";
import { isoplate } from "./terminal.ts";

let root = "";
let run = "";
const at = (...names: string[]): string => path.join(root, ...names);

const scene = {
  name: "drop on ball",
  seconds: 0.1,
  h: 0.02,
  record: { rate: 50 },
  sheet: {
    name: "cloth",
    shape: { type: "rectangle", width: 0.2, height: 0.2 },
    sampling: { type: "grid", points: 36 },
    pose: { position: [0, 0, 0.3] },
  },
  colliders: [
    {
      name: "ball",
      body: { type: "sphere", radius: 0.1 },
      position: [0.1, 0.1, 0.1],
      motion: { keys: [{ time: 0 }, { time: 0.1, translate: [0, 0, 0.02], rotate: [0, 0, 90] }] },
    },
  ],
};

beforeAll(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-export-"));
  run = at("run");
  fs.writeFileSync(at("scene.json"), JSON.stringify(scene));
  const { code, err } = await isoplate(["run", at("scene.json"), "--out", run, "--quiet"]);
  expect([code, err]).toEqual([0, expect.anything()]);
}, 60_000);
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

describe("export", () => {
  test.each(Object.keys(EXPORT_FORMATS))(
    "%s is written beside the recording, and nothing half-written stays",
    async (format) => {
      const { code, out } = await isoplate(["export", run, "--format", format]);
      expect(code).toBe(0);
      expect(out).toMatch(/^written: /);
      const names = fs.readdirSync(path.join(run, "export", format));
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) {
        expect(name).not.toMatch(/\.part$/);
        expect(fs.statSync(path.join(run, "export", format, name)).size).toBeGreaterThan(100);
      }
    },
  );

  test("range, rate, start frame, axes and bodies are as asked", async () => {
    const out = at("obj");
    const asked = [
      "--from",
      "2",
      "--to",
      "4",
      "--rate",
      "100",
      "--start-frame",
      "11",
      "--up",
      "y",
      "--no-bodies",
    ];
    const { code } = await isoplate(["export", run, "--format", "obj", "--out", out, ...asked]);
    expect(code).toBe(0);
    expect(fs.readdirSync(out)).toEqual([11, 12, 13, 14, 15].map((k) => `drop_on_ball_00${k}.obj`));
    const recording = openRecording(run);
    const Y = recording.positions(4);
    recording.close();
    const mesh = parseObj(fs.readFileSync(path.join(out, "drop_on_ball_0015.obj"), "utf8"));
    expect(mesh.positions.length).toBe(Y.length);
    expect(mesh.positions[1]).toBeCloseTo(Y[2], 7);
    expect(mesh.positions[2]).toBeCloseTo(-Y[1], 7);
  });

  test("bodies are where they were: the ball's middle rises and it turns", async () => {
    const recording = openRecording(run);
    const { bodies, fields } = recordedAnimation(recording);
    const pose = new Float64Array(7);
    bodies![0].pose(5, pose); // 0.1 s
    expect([...pose.subarray(0, 3)]).toEqual([0.1, 0.1, 0.12].map((x) => expect.closeTo(x, 12)));
    expect([...pose.subarray(3)]).toEqual(
      [0, 0, Math.SQRT1_2, Math.SQRT1_2].map((x) => expect.closeTo(x, 12)),
    );

    const gap = new Float64Array(recording.sheet.n);
    fields!.find((field) => field.name === "gap")!.values(0, gap);
    const Y = recording.positions(0);
    for (let i = 0; i < gap.length; i++) {
      const away = Math.hypot(Y[3 * i] - 0.1, Y[3 * i + 1] - 0.1, Y[3 * i + 2] - 0.1) - 0.1;
      expect(gap[i]).toBeCloseTo(away - recording.scene.colliders[0].offset, 12);
    }
    recording.close();
  });

  test("point caches hold cloth and bodies, frame by frame", async () => {
    await isoplate(["export", run, "--format", "pc2", "--out", at("pc2")]);
    const cache = parsePc2(new Uint8Array(fs.readFileSync(at("pc2", "drop_on_ball.pc2"))));
    const recording = openRecording(run);
    expect(cache.frames).toBe(recording.frames);
    const Y = recording.positions(3);
    for (let k = 0; k < Y.length; k++)
      expect(cache.positions[3 * cache.n * 3 + k]).toBe(Math.fround(Y[k]));
    recording.close();
  });

  test.each([
    [["--format", "fbx"], /Needs one of: glb, abc/],
    [["--format", "obj", "--from", "99"], /needs whole numbers within 0 … 5/],
    [["--format", "obj", "--rate", "0"], /Needs more than 0/],
    [[], /--format/],
  ])("%j is refused with exit code 2", async (args, message) => {
    const { code, err } = await isoplate(["export", run, ...args]);
    expect(code).toBe(2);
    expect(err).toMatch(message);
  });

  test("Ctrl-C leaves no half-written file", async () => {
    const out = at("stopped");
    const { code, err } = await isoplate(
      ["export", run, "--format", "vtu", "--out", out],
      (press) => press(),
    );
    expect(code).toBe(1);
    expect(err).toMatch(/broken off/);
    expect(fs.readdirSync(out)).toEqual([]);
  });
});
