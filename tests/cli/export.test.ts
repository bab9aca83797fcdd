import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXPORT_FORMATS } from "../../src/files/export.ts";
import { parseObj } from "../../src/files/obj.ts";
import { parsePc2 } from "../../src/files/point-cache.ts";
import { recordedAnimation } from "../../src/files/recorded.ts";
import { meshReader } from "../../src/node/load-scene.ts";
import { createFolderRecorder, openRecording } from "../../src/recording/folder.ts";
import { bentScene, FRAMES, record } from "../picture/recordings.ts";
import { isoplate } from "./terminal.ts";

let root = "";
let run = "";
const at = (...names: string[]): string => path.join(root, ...names);

/** A sheet bent onto cylinders for 1 s at 4 frames a second, a ball that rises and turns, a cube from a file. */
const scene = bentScene({
  name: "bent",
  record: { rate: FRAMES - 1 },
  colliders: [
    {
      name: "ball",
      body: { type: "sphere", radius: 0.1 },
      position: [0.1, 0.1, 0.1],
      motion: { keys: [{ time: 0 }, { time: 1, translate: [0, 0, 0.02], rotate: [0, 0, 90] }] },
    },
    { name: "cube", body: { type: "mesh", file: "cube.obj", scale: 0.5 }, position: [0, 0, -2] },
  ],
});

beforeAll(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-export-"));
  run = at("run");
  const recorder = createFolderRecorder(run);
  record(recorder, scene);
  recorder.close();
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => `v ${k & 1} ${(k >> 1) & 1} ${k >> 2}\n`);
  const sides = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"];
  fs.writeFileSync(
    path.join(run, "cube.obj"),
    corners.join("") + sides.map((f) => `f ${f}\n`).join(""),
  );
});
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
      "8",
      "--start-frame",
      "11",
      "--up",
      "y",
      "--no-bodies",
    ];
    const { code } = await isoplate(["export", run, "--format", "obj", "--out", out, ...asked]);
    expect(code).toBe(0);
    expect(fs.readdirSync(out)).toEqual([11, 12, 13, 14, 15].map((k) => `bent_00${k}.obj`));
    const recording = openRecording(run);
    const Y = recording.positions(4);
    recording.close();
    const mesh = parseObj(fs.readFileSync(path.join(out, "bent_0015.obj"), "utf8"));
    expect(mesh.positions.length).toBe(Y.length);
    expect(mesh.positions[1]).toBeCloseTo(Y[2], 7);
    expect(mesh.positions[2]).toBeCloseTo(-Y[1], 7);
  });

  test("bodies are where they were: the ball's middle rises and it turns", () => {
    const recording = openRecording(run);
    const { bodies } = recordedAnimation(recording, { readMesh: meshReader(run) });
    expect(bodies!.map((body) => body.name)).toEqual(["ball", "cube"]);
    const pose = new Float64Array(7);
    bodies![0].pose(FRAMES - 1, pose);
    const near = (list: number[]) => list.map((x) => expect.closeTo(x, 12));
    expect([...pose.subarray(0, 3)]).toEqual(near([0.1, 0.1, 0.12]));
    expect([...pose.subarray(3)]).toEqual(near([0, 0, Math.SQRT1_2, Math.SQRT1_2]));
    expect(Math.max(...(bodies![1].positions as Float64Array))).toBe(0.5); // scaled
    recording.close();
  });

  test("fields: no strain on a cylinder but the chords', its curvature, the distance to what is nearest", () => {
    const recording = openRecording(run);
    const { n } = recording.sheet;
    const { fields } = recordedAnimation(recording, { readMesh: meshReader(run) });
    const values = (name: string, frame: number): Float64Array => {
      const field = fields!.find((one) => one.name === name)!;
      const out = new Float64Array(
        field.per === "point" ? n : recording.sheet.triangles.length / 3,
      );
      field.values(frame, out);
      return out;
    };
    const c = 2; // 1/m, at the last frame; spacing 0.1 m, so a chord is shorter by (c·0.1)²/24
    for (const strain of values("strain", FRAMES - 1)) expect(strain).toBeLessThan(0.2 ** 2 / 20);
    for (const strain of values("principal", FRAMES - 1))
      expect(strain).toBeLessThan(0.2 ** 2 / 20);
    for (const curvature of values("curvature", FRAMES - 1))
      expect(curvature).toBeCloseTo(c / 2, 1);
    const gap = values("gap", 0);
    const Y = recording.positions(0);
    for (let i = 0; i < n; i++) {
      const ball = Math.hypot(Y[3 * i] - 0.1, Y[3 * i + 1] - 0.1, Y[3 * i + 2] - 0.1) - 0.1;
      expect(gap[i]).toBeCloseTo(ball - recording.scene.colliders[0].offset, 12); // the cube is 1.5 m below
    }
    recording.close();
  });

  test("point caches hold the cloth frame by frame, and say that bodies were left out", async () => {
    const plain = await isoplate(["export", run, "--format", "pc2", "--out", at("y")]);
    expect(plain.err).toContain("bodies were left out");
    const z = ["--up", "z", "--bodies"];
    await isoplate(["export", run, "--format", "pc2", "--out", at("pc2"), ...z]);
    expect(fs.readdirSync(at("pc2")).sort()).toEqual([
      "bent.obj",
      "bent.pc2",
      "bent_ball.obj",
      "bent_ball.pc2",
      "bent_cube.obj",
      "bent_cube.pc2",
    ]);
    const cache = parsePc2(new Uint8Array(fs.readFileSync(at("pc2", "bent.pc2"))));
    const recording = openRecording(run);
    expect(cache.frames).toBe(recording.frames);
    const Y = recording.positions(3);
    for (let k = 0; k < Y.length; k++)
      expect(cache.positions[3 * cache.n * 3 + k]).toBe(Math.fround(Y[k]));
    recording.close();
  });

  test.each([
    [["--format", "fbx"], /Needs one of: glb, gltf, abc/],
    [["--format", "obj", "--from", "99"], /needs whole numbers within 0 … 4/],
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
