/** Exports of recordings whose samples have frames: curved patches and their normals. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { select, turn, turned, withBodies } from "../../src/files/animation.ts";
import { EXPORT_FORMATS, exportAnimation } from "../../src/files/export.ts";
import { parseObj } from "../../src/files/obj.ts";
import { parsePly } from "../../src/files/ply.ts";
import { parsePc2 } from "../../src/files/point-cache.ts";
import { recordedAnimation } from "../../src/files/recorded.ts";
import { runToFolder } from "../../src/node/run-folder.ts";
import { type FolderRecording, openRecording } from "../../src/node.ts";
import { createPatches, evaluatePatches } from "../../src/sheet/patches.ts";
import { smallScene } from "../recording/sheets.ts";
import { isoplate } from "./terminal.ts";

let root = "";
const at = (...names: string[]): string => path.join(root, ...names);
let recording: FolderRecording;

beforeAll(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-curved-"));
  const ball = { name: "ball", body: { type: "sphere", radius: 0.05 }, position: [0, 0, -1] };
  await runToFolder(smallScene({ constraint: "frames", colliders: [ball as never] }), at("run"));
  await runToFolder(smallScene({ constraint: "paper" }), at("flat"));
  recording = openRecording(at("run"));
});
afterAll(() => {
  recording?.close();
  fs.rmSync(root, { recursive: true, force: true });
});

/** The curved sheet of a frame, by itself. */
function curved(frame: number, k: number): { positions: Float64Array; normals: Float64Array } {
  const patches = createPatches(recording.sheet, k);
  const positions = new Float64Array(3 * patches.n);
  const normals = new Float64Array(3 * patches.n);
  evaluatePatches(positions, normals, patches, recording.pose(frame));
  return { positions, normals };
}

describe("export --subdivide", () => {
  test.each(Object.keys(EXPORT_FORMATS))("%s is written whole", async (format) => {
    const out = at(format);
    const { code } = await isoplate([
      ...["export", at("run"), "--format", format, "--subdivide", "2", "--out", out],
    ]);
    expect(code).toBe(0);
    for (const name of fs.readdirSync(out)) {
      expect(name).not.toMatch(/\.part$/);
      expect(fs.statSync(path.join(out, name)).size).toBeGreaterThan(100);
    }
  });

  test("OBJ, PLY and PC2 hold the points of the patches; OBJ and PLY their normals", () => {
    const last = recording.frames - 1;
    const { positions, normals } = curved(last, 2);
    const n = positions.length / 3;
    const name = `small_${String(recording.frames).padStart(4, "0")}`;
    const text = fs.readFileSync(at("obj", `${name}.obj`), "utf8");
    const obj = parseObj(text);
    const ply = parsePly(fs.readFileSync(at("ply", `${name}.ply`)));
    const pc2 = parsePc2(fs.readFileSync(at("pc2", "small.pc2")));
    const cached = pc2.positions.subarray(3 * pc2.n * last);
    expect(text.match(/^vn /gm)!.length).toBe(obj.positions.length / 3);
    expect(text).toMatch(/^f (\d+)\/\1\/\1 /m);
    const upright = positions.slice(); // y is up in OBJ and PC2
    turn(upright);
    for (let k = 0; k < 3 * n; k++) {
      expect(obj.positions[k]).toBeCloseTo(upright[k], 7);
      expect(ply.positions[k]).toBeCloseTo(positions[k], 6);
      expect(cached[k]).toBeCloseTo(upright[k], 6);
      expect(ply.normals![k]).toBeCloseTo(normals[k], 6);
    }
    // the mesh of a point cache has no normals: those of the first frame would be kept for all
    expect(fs.readFileSync(at("pc2", "small.obj"), "utf8")).not.toContain("vn ");
  });

  test("USD and VTK name the normals of the patches", () => {
    const { normals } = curved(0, 2);
    const usd = fs.readFileSync(at("usda", "small.usda"), "utf8");
    const first = /normals\.timeSamples = \{\s*1: \[\(([^)]*)\)/
      .exec(usd)![1]
      .split(",")
      .map(Number);
    for (let c = 0; c < 3; c++) expect(first[c]).toBeCloseTo(normals[c], 6);
    expect(fs.readFileSync(at("vtu", "small_0001.vtu"), "latin1")).toContain('Name="Normals"');
  });

  test("not subdivided: the samples, with the normals of their frames", () => {
    const animation = recordedAnimation(recording);
    const [Y, N] = [new Float64Array(3 * animation.n), new Float64Array(3 * animation.n)];
    animation.positions(3, Y);
    animation.normals!(3, N);
    expect(Y).toEqual(recording.positions(3));
    const { n } = recording.sheet;
    const pose = recording.pose(3);
    for (let i = 0; i < n; i++) {
      const [a, b] = [0, 3].map((k) => pose.subarray(3 * n + 6 * i + k, 3 * n + 6 * i + k + 3));
      const cross = [0, 1, 2].map(
        (c) => a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3],
      );
      const length = Math.hypot(...cross);
      for (let c = 0; c < 3; c++) expect(N[3 * i + c]).toBeCloseTo(cross[c] / length, 12);
    }
  });

  test("normals turn with the axes, stay units between frames, and fields cover all points", () => {
    const animation = recordedAnimation(recording, { subdivide: 1 });
    const between = turned(withBodies(select(animation, { rate: 37 })), "y");
    const N = new Float64Array(3 * between.n);
    between.normals!(1, N);
    for (let k = 0; k < N.length; k += 3)
      expect(Math.hypot(N[k], N[k + 1], N[k + 2])).toBeCloseTo(1, 12);
    const whole = withBodies(animation); // the ball is round, its normals point away from its middle
    const [P, ofAll] = [new Float64Array(3 * whole.n), new Float64Array(3 * whole.n)];
    whole.positions(1, P);
    whole.normals!(1, ofAll);
    expect(whole.n).toBeGreaterThan(animation.n);
    for (let k = 3 * animation.n; k < P.length; k += 3) {
      const [x, y, z] = [P[k], P[k + 1], P[k + 2] + 1].map((c) => c / 0.05);
      expect(ofAll[k] * x + ofAll[k + 1] * y + ofAll[k + 2] * z).toBeGreaterThan(0.98);
    }
    for (const field of animation.fields!) {
      const values = new Float64Array(
        field.per === "point" ? animation.n : animation.triangles.length / 3,
      ).fill(Number.NaN);
      field.values(4, values);
      expect(values.every(Number.isFinite)).toBe(true);
    }
  });

  test("a recording without frames is refused, and so is a wrong number; nothing is written", async () => {
    for (const [run, k, message] of [
      ["flat", "1", "its samples have no frames"],
      ["run", "9", "subdivide 9: needs a whole number, 0 … 6"],
      ["run", "x", "Needs a whole number"],
    ]) {
      const out = at("none");
      const { code, err } = await isoplate([
        ...["export", at(run), "--format", "obj", "--subdivide", k, "--out", out],
      ]);
      expect(code).toBe(2);
      expect(err).toContain(message);
      expect(fs.existsSync(out)).toBe(false);
    }
  });

  test("recordings without frames have the normals of their triangles", () => {
    const flat = openRecording(at("flat"));
    const animation = recordedAnimation(flat);
    expect(animation.normals).toBeUndefined();
    const [file] = exportAnimation(animation, "obj", { from: 0, to: 0 }).files;
    const text = Buffer.concat([...file.chunks]).toString();
    expect(text.match(/^vn /gm)!.length).toBe(flat.sheet.n);
    flat.close();
  });
});
