import { describe, expect, test } from "vitest";
import { type Animation, select, turned, withBodies } from "../../src/files/animation.ts";
import { EXPORT_FORMATS, exportAnimation, type FormatName } from "../../src/files/export.ts";
import { parseGltf, parseGltfMesh } from "../../src/files/gltf-read.ts";
import { murmur128 } from "../../src/files/murmur.ts";
import { parseObj, writeObj } from "../../src/files/obj.ts";
import { parsePly, writePly } from "../../src/files/ply.ts";
import { parseMdd, parsePc2 } from "../../src/files/point-cache.ts";
import { parseMesh } from "../../src/files/read-mesh.ts";
import { recordedAnimation } from "../../src/files/recorded.ts";
import { parseStl, writeStl } from "../../src/files/stl.ts";
import { shortNumber } from "../../src/files/text.ts";
import { createMemoryRecording } from "../../src/recording/recording.ts";
import { runScene } from "../../src/recording/run.ts";
import { motionAt } from "../../src/scene/motion.ts";
import { parseScene } from "../../src/scene/scene.ts";
import { pointNormals } from "../../src/sheet/normals.ts";
import { frameOf, wavingSheets } from "./fixture.ts";
import { joined } from "./joined.ts";

const animation = wavingSheets();
const whole = withBodies(animation);

function written(format: FormatName, options = {}): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const { name, chunks } of exportAnimation(animation, format, options).files)
    files.set(name, joined(chunks));
  return files;
}

function expectClose(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
): void {
  expect(actual.length).toBe(expected.length);
  for (let k = 0; k < expected.length; k++)
    if (!(Math.abs(actual[k] - expected[k]) <= tolerance)) expect(actual[k]).toBe(expected[k]);
}

describe("what is written is read again", () => {
  const mesh = {
    positions: Float64Array.of(0, 0, 0, 1 / 3, 0, 0, 0, 1e-20, 0.1, -5, 7, 1e9),
    triangles: Int32Array.of(0, 1, 2, 1, 3, 2),
    uv: Float64Array.of(0, 0, 1, 0, 0, 1, 1, 1),
  };
  const split = { ...mesh, cornerUv: Float64Array.of(0, 0, 1, 0, 0, 1, 0.5, 0.25, 1, 1, 0, 1) };

  test("OBJ and PLY give back every bit, per-corner uv included", () => {
    for (const given of [mesh, split, { ...mesh, uv: null }]) {
      for (const again of [
        parseObj(new TextDecoder().decode(joined(writeObj(given)))),
        parsePly(joined(writePly(given))),
      ]) {
        expect([...again.positions]).toEqual([...given.positions]);
        expect([...again.triangles]).toEqual([...given.triangles]);
        expect(again.cornerUv ?? null).toEqual("cornerUv" in given ? given.cornerUv : null);
        if (!("cornerUv" in given)) expect(again.uv).toEqual(given.uv);
      }
    }
  });

  test("STL, binary and ascii, is welded into the same mesh", () => {
    const flat = {
      ...mesh,
      positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0),
      uv: null,
    };
    const again = parseStl(joined(writeStl(flat)));
    expect(again).toEqual(flat);
    const text = `solid s\n${[0, 1, 2, 1, 3, 2].map((i, k) => `${k % 3 === 0 ? "facet normal 0 0 1\nouter loop\n" : ""}vertex ${flat.positions.subarray(3 * i, 3 * i + 3).join(" ")}\n${k % 3 === 2 ? "endloop\nendfacet\n" : ""}`).join("")}endsolid\n`;
    expect(parseStl(new TextEncoder().encode(text))).toEqual(flat);
  });

  test("OBJ, PLY and STL sequences hold every frame to the precision of a 32-bit float, bodies in files of their own", () => {
    for (const format of ["obj", "ply", "stl"] as const) {
      const files = [...written(format, { startFrame: 7, up: "z", bodies: true })];
      const names = (name: string): string[] =>
        [7, 8, 9, 10, 11, 12].map((k) => `${name}_${String(k).padStart(4, "0")}.${format}`);
      expect(files.map(([name]) => name)).toEqual([
        ...names("waving_sheets"),
        ...names("waving_sheets_box"),
      ]);
      files.forEach(([name, bytes], k) => {
        const again = parseMesh(bytes, name);
        const frame = k % 6;
        const Y = frameOf(whole, frame);
        const own = k < 6 ? Y.subarray(0, 3 * animation.n) : Y.subarray(3 * animation.n);
        if (format !== "stl") expectClose(again.positions, own, 2e-7);
        else if (k < 6) expect(again.triangles.length).toBe(animation.triangles.length);
      });
    }
  });

  test("bodies come along where programs expect them; where not, that is told", () => {
    for (const format of ["csv", "ply", "pc2", "mdd"] as const) {
      const { files, notes } = exportAnimation(animation, format);
      expect([...files].some(({ name }) => name.includes("box"))).toBe(false);
      expect(notes.join()).toContain("--bodies");
      expect(exportAnimation(animation, format, { bodies: false }).notes).toEqual([]);
      const asked = [...exportAnimation(animation, format, { bodies: true }).files];
      expect(asked.some(({ name }) => name.startsWith("waving_sheets_box"))).toBe(true);
    }
    // a body that never moves is one file
    const still = {
      ...animation,
      bodies: animation.bodies!.map((body) => ({
        ...body,
        pose: (_: number, out: Float64Array) => body.pose(0, out),
      })),
    };
    const names = [...exportAnimation(still, "obj").files].map(({ name }) => name);
    expect(names.filter((name) => name.includes("box"))).toEqual(["waving_sheets_box_0001.obj"]);
  });

  test("OBJ and PLY have unit normals that stand on the surface, turned with it", () => {
    const text = new TextDecoder().decode(written("obj").get("waving_sheets_0001.obj"));
    const read = (head: string): number[] =>
      text
        .split("\n")
        .filter((line) => line.startsWith(`${head} `))
        .flatMap((line) => line.split(" ").slice(1).map(Number));
    const normals = Float64Array.from(read("vn"));
    const expected = new Float64Array(3 * animation.n);
    pointNormals(expected, frameOf(turned(animation, "y"), 0), animation.triangles);
    expectClose(normals, expected, 2e-6);
    expect(text).toMatch(/^f 1\/1\/1 /m);
    const ply = parsePly(written("ply").get("waving_sheets_0001.ply")!);
    const upright = new Float64Array(3 * animation.n);
    pointNormals(upright, frameOf(animation, 0), animation.triangles);
    expectClose(ply.normals!, upright, 2e-6);
  });

  test("a .gltf with its .bin is the GLB in two files", () => {
    const files = written("gltf");
    expect([...files.keys()].sort()).toEqual(["waving_sheets.bin", "waving_sheets.gltf"]);
    const json = JSON.parse(new TextDecoder().decode(files.get("waving_sheets.gltf")));
    const bin = files.get("waving_sheets.bin")!;
    expect(json.buffers).toEqual([{ byteLength: bin.length, uri: "waving_sheets.bin" }]);
    json.buffers[0].uri = `data:application/octet-stream;base64,${Buffer.from(bin).toString("base64")}`;
    const again = parseGltfMesh(new TextEncoder().encode(JSON.stringify(json)));
    const glb = parseGltfMesh(written("glb").get("waving_sheets.glb")!);
    expect(again.positions).toEqual(glb.positions);
  });

  test("a recording's colours are those that render shows: what the scene says, else its material's", async () => {
    const recorder = createMemoryRecording();
    const shape = { type: "disc", radius: 0.1 } as const;
    const sampling = { points: 30 };
    const scene = parseScene({
      seconds: 0.01,
      sheets: [
        { name: "red", shape, sampling, look: { front: "#ff0000" } },
        { name: "jeans", shape, sampling, material: "denim", pose: { position: [1, 0, 0] } },
      ],
    });
    await runScene(scene, { recorder });
    const [red, jeans] = recordedAnimation(recorder).parts!;
    expect(red.color).toEqual([1, 0, 0]);
    expect(jeans.color![2]).toBeCloseTo(((0x73 / 255 + 0.055) / 1.055) ** 2.4, 6);
  });

  test("colours of sheets and bodies go along: GLB's materials, USD's displayColor", () => {
    const red: [number, number, number] = [0.5, 0.1, 0.05];
    const painted = {
      ...animation,
      parts: animation.parts!.map((part) => ({ ...part, color: red })),
      bodies: animation.bodies!.map((body) => ({ ...body, color: [0.25, 0.5, 0.75] as const })),
    };
    const [glb] = [...exportAnimation(painted, "glb").files].map(({ chunks }) => joined(chunks));
    const length = new DataView(glb.buffer).getUint32(12, true);
    const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + length)));
    const colors = Object.fromEntries(
      json.materials.map(
        (m: { name: string; pbrMetallicRoughness: { baseColorFactor: number[] } }) => [
          m.name,
          m.pbrMetallicRoughness.baseColorFactor,
        ],
      ),
    );
    expect(colors).toEqual({
      lower_sheet: [...red, 1],
      upper_sheet: [...red, 1],
      box: [0.25, 0.5, 0.75, 1],
    });
    const [usda] = [...exportAnimation(painted, "usda").files].map(({ chunks }) =>
      new TextDecoder().decode(joined(chunks)),
    );
    expect(usda.match(/displayColor = \[\(0.5, 0.1, 0.05\)\]/g)).toHaveLength(2);
    expect(usda).toContain("displayColor = [(0.25, 0.5, 0.75)]");
  });

  test("PC2 and MDD hold every frame, start and rate", () => {
    const pc2 = parsePc2(written("pc2", { startFrame: 5 }).get("waving_sheets.pc2")!);
    const mdd = parseMdd(written("mdd", { startFrame: 0 }).get("waving_sheets.mdd")!);
    expect(pc2.n).toBe(animation.n);
    const upright = turned(animation, "y");
    expect([...pc2.times]).toEqual([5, 6, 7, 8, 9, 10]);
    expectClose(
      mdd.times,
      [0, 1, 2, 3, 4, 5].map((k) => k / 24),
      1e-7,
    );
    for (let frame = 0; frame < animation.frames; frame++)
      for (const cache of [pc2, mdd])
        expectClose(
          cache.positions.subarray(3 * pc2.n * frame, 3 * pc2.n * (frame + 1)),
          frameOf(upright, frame),
          2e-7,
        );
  });

  test("GLB: sheets where they start, joined, with uv; the box and its motion, z up again", () => {
    const objects = parseGltf(written("glb").get("waving_sheets.glb")!);
    expect(objects.map((object) => object.name).sort()).toEqual([
      "box",
      "lower_sheet",
      "upper_sheet",
    ]);
    const sheet = objects.find((object) => object.name === "lower_sheet")!;
    const part = animation.parts![0];
    expectClose(sheet.mesh.positions, frameOf(animation, 0).subarray(0, 3 * part.points), 2e-7);
    expectClose(sheet.mesh.uv!, (animation.uv as Float64Array).subarray(0, 2 * part.points), 2e-7);
    expect(sheet.motion).toBeNull();

    const box = objects.find((object) => object.name === "box")!;
    const rigid = new Float64Array(12);
    for (let frame = 0; frame < animation.frames; frame++) {
      motionAt(rigid, box.motion, frame / 24);
      const Y = frameOf(whole, frame).subarray(3 * animation.n);
      const P = box.mesh.positions;
      const moved = P.map((_, k) => {
        const [row, i] = [k % 3, k - (k % 3)];
        return (
          rigid[3 * row] * P[i] +
          rigid[3 * row + 1] * P[i + 1] +
          rigid[3 * row + 2] * P[i + 2] +
          rigid[9 + row]
        );
      });
      expectClose(moved, Y, 1e-6);
    }
    expect(parseGltfMesh(written("glb").get("waving_sheets.glb")!).positions.length).toBe(
      3 * whole.n,
    );
  });

  test("CSV has a line for every frame and point, with fields", () => {
    const lines = new TextDecoder()
      .decode(written("csv").get("waving_sheets.csv"))
      .trimEnd()
      .split("\n");
    expect(lines[0]).toBe("frame,time_s,point,x_m,y_m,z_m,strain");
    expect(lines.length).toBe(1 + animation.n * animation.frames);
    const Y = frameOf(animation, 2);
    expect(lines[1 + 2 * animation.n + 4].split(",").map(Number).slice(0, 6)).toEqual([
      3,
      2 / 24,
      4,
      Y[12],
      Y[13],
      Y[14],
    ]);
  });
});

describe("frames, rate and axes", () => {
  test("a range keeps its frames; twice the rate puts the middle between; half of it leaves every second out", () => {
    const range = select(animation, { from: 2, to: 4 });
    expect([range.frames, range.rate]).toEqual([3, 24]);
    expect(frameOf(range, 1)).toEqual(frameOf(animation, 3));
    const fast = select(animation, { rate: 48 });
    expect(fast.frames).toBe(11);
    const [a, b] = [frameOf(animation, 2), frameOf(animation, 3)];
    expectClose(
      frameOf(fast, 5),
      a.map((y, k) => (y + b[k]) / 2),
      1e-15,
    );
    expect(frameOf(fast, 10)).toEqual(frameOf(animation, 5));
    const slow = select(animation, { rate: 12 });
    expect(slow.frames).toBe(3);
    expect(frameOf(slow, 2)).toEqual(frameOf(animation, 4));
    const third = select(animation, { rate: 8 });
    expect(frameOf(third, 1)).toEqual(frameOf(animation, 3));
  });

  test("rates that do not divide end no later than the recording", () => {
    for (const rate of [5, 7, 23.976, 25, 29.97, 30, 60, 1000]) {
      const other = select(animation, { rate });
      expect((other.frames - 1) / rate).toBeLessThanOrEqual(5 / 24 + 1e-9);
      expect(other.frames / rate).toBeGreaterThan(5 / 24);
      expect(frameOf(other, other.frames - 1).every(Number.isFinite)).toBe(true);
    }
  });

  test("frames that are not there, and rates below 0, are refused", () => {
    expect(() => select(animation, { from: 6 })).toThrow(/0 … 5/);
    expect(() => select(animation, { from: -1 })).toThrow(RangeError);
    expect(() => select(animation, { from: 3, to: 2 })).toThrow(RangeError);
    expect(() => select(animation, { rate: 0 })).toThrow(/rate 0/);
  });

  test("y up turns points and bodies alike: baking before or after turning is the same", () => {
    const first = withBodies(turned(animation, "y"));
    const last = turned(whole, "y");
    for (const frame of [0, 3]) expectClose(frameOf(first, frame), frameOf(last, frame), 1e-15);
    const Y = frameOf(turned(animation, "y"), 1);
    const Z = frameOf(animation, 1);
    expect([Y[0], Y[1], Y[2]]).toEqual([Z[0], Z[2], -Z[1]]);
  });

  test("OBJ has y up as programs expect, and z up on request; GLB says that it cannot have z up", () => {
    for (const up of ["y", "z"] as const) {
      const options = up === "y" ? {} : { up };
      const file = written("obj", options).get("waving_sheets_0001.obj")!;
      expectClose(
        parseObj(new TextDecoder().decode(file)).positions,
        frameOf(turned(animation, up), 0),
        2e-7,
      );
    }
    expect(exportAnimation(animation, "glb", { up: "z" }).notes).toEqual([
      "glb always has y up; the other axis was not used.",
    ]);
  });
});

describe("long recordings", () => {
  const long = (frames: number): Animation => ({
    ...wavingSheets({ nu: 3, nv: 3, bodies: false }),
    frames,
  });

  test("a GLB of more frames than morph targets is thinned, and says so", () => {
    const { files, notes } = exportAnimation(long(1000), "glb");
    expect(notes.length).toBe(1);
    expect(notes[0]).toMatch(/of 1000 frames every 4th was kept \(250\)/);
    const [{ chunks }] = [...files];
    const bytes = joined(chunks);
    const view = new DataView(bytes.buffer);
    expect(view.getUint32(8, true)).toBe(bytes.length);
    const json = JSON.parse(
      new TextDecoder().decode(bytes.subarray(20, 20 + view.getUint32(12, true))),
    );
    expect(json.meshes[0].primitives[0].targets.length).toBe(249);
  });

  test.each(["abc", "usda", "pc2", "mdd", "csv", "glb"] as const)(
    "%s is made in pieces no larger than a few frames",
    (format) => {
      const animation = long(format === "glb" ? 257 : 2000);
      const frame = 3 * 8 * animation.n;
      let most = 0;
      let total = 0;
      for (const { chunks } of exportAnimation(animation, format).files)
        for (const chunk of chunks) {
          most = Math.max(most, chunk.length);
          total += chunk.length;
        }
      // headers that list frames grow by some bytes a frame (MDD's times, Alembic's places, glTF's JSON)
      const head = format === "glb" ? 300_000 : 40_000;
      expect(most).toBeLessThan(Math.max(4 * frame, 70_000, head));
      expect(total).toBeGreaterThan(
        animation.frames * 12 * animation.n * (format === "glb" ? 0.9 : 1),
      );
    },
  );

  test("progress ends at its total for every format, and not before the last frame is read", () => {
    for (const format of Object.keys(EXPORT_FORMATS) as FormatName[])
      for (const animation of [wavingSheets({ bodies: false }), wavingSheets({})]) {
        const told: number[] = [];
        let all = 0;
        const onFrame = (done: number, total: number) => {
          told.push(done);
          all = total;
        };
        for (const { chunks } of exportAnimation(animation, format, { onFrame }).files)
          for (const _ of chunks);
        expect(told).toEqual([...told].sort((a, b) => a - b));
        expect([format, told.at(-1)]).toEqual([format, all]);
        // point caches read the first frame once more, for the mesh beside them
        expect([format, told.indexOf(all)]).toEqual([format, all - 1]);
        expect(told.length).toBeLessThanOrEqual(all + 1);
      }
  });
});

test("nine digits and more give back every 32-bit float", () => {
  const bits = new DataView(new ArrayBuffer(4));
  for (let k = 0; k < 20_000; k++) {
    bits.setUint32(0, Math.imul(k, 0x9e3779b1) >>> 0);
    const x = bits.getFloat32(0);
    if (Number.isFinite(x)) expect(Math.fround(Number(shortNumber(x))) + 0).toBe(x + 0);
  }
});

test("murmur128 is MurmurHash3_x64_128: its published value, and every length of tail", () => {
  const hex = (text: string) =>
    Buffer.from(murmur128(new TextEncoder().encode(text))).toString("hex");
  // e34bbc7bbc071b6c 7a433ca9c49a9347 as two 64-bit numbers, little endian here
  expect(hex("The quick brown fox jumps over the lazy dog")).toBe(
    "6c1b07bc7bbc4be347939ac4a93c437a",
  );
  expect(hex("")).toBe("00000000000000000000000000000000");
  const seen = new Set(Array.from({ length: 64 }, (_, k) => hex("a".repeat(k))));
  expect(seen.size).toBe(64);
});
