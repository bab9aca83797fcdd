import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withBodies } from "../../src/files/animation.ts";
import { withMotions } from "../../src/files/body-motion.ts";
import { exportAnimation, type FormatName } from "../../src/files/export.ts";
import { parseMesh } from "../../src/files/read-mesh.ts";
import { colliderAt, createRigid, moveInPlace } from "../../src/scene/motion.ts";
import { checkScene } from "../../src/scene/scene.ts";
import { frameOf, wavingSheets } from "../files/fixture.ts";
import { needs } from "./needs.ts";

/** One Blender for all files: it takes seconds to start. */

interface Shown {
  frames: number[][];
  polygons: number[][];
  uv: number[] | null;
}

const animation = wavingSheets();
const still = withBodies(animation);
const folder = mkdtempSync(join(tmpdir(), "isoplate-blender-"));
let shown: Record<string, Record<string, Shown>>;

function write(format: FormatName): string[] {
  const names: string[] = [];
  for (const { name, chunks } of exportAnimation(animation, format).files) {
    const path = join(folder, `${format}-${name}`);
    writeFileSync(path, "");
    for (const chunk of chunks) writeFileSync(path, chunk, { flag: "a" });
    names.push(path);
  }
  return names;
}

beforeAll(() => {
  const blender = needs("blender", "blender");
  const frames = Array.from({ length: animation.frames }, (_, k) => k);
  const jobs = [
    { key: "obj", format: "obj", file: write("obj")[3], frames: [1] },
    { key: "objBox", format: "obj", file: write("obj")[6 + 3], frames: [1] },
    { key: "ply", format: "ply", file: write("ply")[3], frames: [1] },
    { key: "stl", format: "stl", file: write("stl")[3], frames: [1] },
    { key: "glb", format: "glb", file: write("glb")[0], frames },
    ...(["pc2", "mdd"] as const).map((format) => {
      const [file, mesh] = write(format);
      return { key: format, format, file, mesh, frameStart: 1, frames: frames.map((k) => k + 1) };
    }),
  ];
  const jobsFile = join(folder, "jobs.json");
  const resultFile = join(folder, "result.json");
  writeFileSync(jobsFile, JSON.stringify(jobs));
  const script = join(import.meta.dirname, "readers", "blender_read.py");
  const args = ["--background", "--factory-startup", "--python-exit-code", "1", "--python", script];
  execFileSync(blender, [...args, "--", jobsFile, resultFile], { stdio: "pipe" });
  const results = JSON.parse(readFileSync(resultFile, "utf8"));
  shown = Object.fromEntries(jobs.map((job, k) => [job.key, results[k]]));
});
afterAll(() => rmSync(folder, { recursive: true }));

const SIZE = 2; // m, about what the scene measures
const CLOSE = 1e-6 * SIZE;

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  let worst = 0;
  for (let k = 0; k < expected.length; k++)
    worst = Math.max(worst, Math.abs(actual[k] - expected[k]));
  expect(worst).toBeLessThan(CLOSE);
}

describe("Blender reads what we write", () => {
  const parts = still.parts!;
  const ofPart = (Y: Float64Array, k: number) =>
    Y.subarray(3 * parts[k].firstPoint, 3 * (parts[k].firstPoint + parts[k].points));

  test("OBJ, opened as the menu does: upright, sheets as objects, the box in a file of its own", () => {
    const Y = frameOf(still, 3);
    expect(Object.keys(shown.obj).sort()).toEqual(["lower_sheet", "upper_sheet"]);
    for (const [k, name] of ["lower_sheet", "upper_sheet", "box"].entries()) {
      const { frames, polygons } = k < 2 ? shown.obj[name] : Object.values(shown.objBox)[0];
      expectClose(frames[0], ofPart(Y, k));
      const own = Array.from(still.triangles as Int32Array)
        .slice(3 * parts[k].firstTriangle, 3 * (parts[k].firstTriangle + parts[k].triangles))
        .map((i) => i - parts[k].firstPoint);
      expect(polygons.flat()).toEqual(own);
    }
    const { uv, polygons } = shown.obj.upper_sheet;
    const first = polygons[0][1] + parts[1].firstPoint;
    expect(uv![2]).toBeCloseTo(still.uv![2 * first], 6);
    expect(uv![3]).toBeCloseTo(still.uv![2 * first + 1], 6);
  });

  test("PLY: all points in order, all triangles", () => {
    const [object] = Object.values(shown.ply);
    expectClose(object.frames[0], frameOf(animation, 3));
    expect(object.polygons.flat()).toEqual(Array.from(animation.triangles as Int32Array));
  });

  test("STL: the same triangles, corner by corner", () => {
    const [object] = Object.values(shown.stl);
    const Y = frameOf(animation, 3);
    const expected = Array.from(animation.triangles as Int32Array).flatMap((i) => [
      ...Y.subarray(3 * i, 3 * i + 3),
    ]);
    // Blender may begin a triangle at another corner, and drops none
    expect(object.polygons.length).toBe(animation.triangles.length / 3);
    const corners = object.polygons.flat().flatMap((i) => object.frames[0].slice(3 * i, 3 * i + 3));
    expectClose(corners, expected);
  });

  test("GLB: sheets deform and the box turns, at every frame, turned back to z up", () => {
    for (let frame = 0; frame < animation.frames; frame++) {
      const Y = frameOf(still, frame);
      for (const [k, name] of ["lower_sheet", "upper_sheet", "box"].entries())
        expectClose(shown.glb[name].frames[frame], ofPart(Y, k));
    }
    const { uv, polygons } = shown.glb.lower_sheet;
    polygons.flat().forEach((i, corner) => {
      expect(uv![2 * corner]).toBeCloseTo(still.uv![2 * i], 6);
      expect(uv![2 * corner + 1]).toBeCloseTo(still.uv![2 * i + 1], 6);
    });
  });

  test.each(["pc2", "mdd"])(
    "%s: Mesh Cache moves the OBJ beside it through every frame",
    (format) => {
      const [object] = Object.values(shown[format]);
      for (let frame = 0; frame < animation.frames; frame++)
        expectClose(object.frames[frame], frameOf(animation, frame));
    },
  );
});

describe("we read what Blender writes", () => {
  test("GLB: a slab that slides and tilts on a turntable is a body that is where Blender has it, at every frame", () => {
    const file = join(folder, "slab.glb");
    const result = join(folder, "slab.json");
    const script = join(import.meta.dirname, "readers", "blender_write.py");
    const args = ["--background", "--factory-startup", "--python-exit-code", "1"];
    execFileSync(needs("blender", "blender"), [...args, "--python", script, "--", file, result], {
      stdio: "pipe",
    });
    const bytes = new Uint8Array(readFileSync(file));
    const input = {
      sheet: { shape: { type: "rectangle", width: 1, height: 1 } },
      colliders: [{ body: { type: "mesh", file: "slab.glb" }, motion: "file" }],
    };
    const [collider] = checkScene(withMotions(input, () => bytes)).colliders;
    const frames = JSON.parse(readFileSync(result, "utf8")) as number[][];
    expect(frames).toHaveLength(25);
    const own = parseMesh(bytes, "slab.glb").positions;
    expect(own.length).toBe(frames[0].length);
    const map = createRigid();
    for (const [frame, expected] of frames.entries()) {
      const Y = Float64Array.from(own);
      colliderAt(map, collider, frame / 24);
      for (let i = 0; i < Y.length; i += 3) moveInPlace(Y, i, map);
      // points come in an order of their own: each is one of Blender's eight
      for (let i = 0; i < Y.length; i += 3) {
        let nearest = Number.POSITIVE_INFINITY;
        for (let j = 0; j < expected.length; j += 3)
          nearest = Math.min(
            nearest,
            Math.hypot(Y[i] - expected[j], Y[i + 1] - expected[j + 1], Y[i + 2] - expected[j + 2]),
          );
        expect(nearest).toBeLessThan(CLOSE);
      }
    }
  });
});
