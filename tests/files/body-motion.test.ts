/** Bodies that move as an animated glTF file says, from the file to the sheet they push. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { Document, NodeIO } from "@gltf-transform/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { withMotions } from "../../src/files/body-motion.ts";
import { parseMesh } from "../../src/files/read-mesh.ts";
import { loadScene } from "../../src/node/load-scene.ts";
import { runToFolder } from "../../src/node/run-folder.ts";
import { openRecording } from "../../src/node.ts";
import { SceneError } from "../../src/scene/faults.ts";
import { colliderAt, createRigid, moveInPlace } from "../../src/scene/motion.ts";
import { checkScene, type Scene } from "../../src/scene/scene.ts";

/** A box of ±half, 8 points, as glTF has it: y up. */
const box = (half: readonly number[]): { positions: Float32Array; indices: Uint16Array } => ({
  positions: Float32Array.from(
    [0, 1, 2, 3, 4, 5, 6, 7].flatMap((k) =>
      [0, 1, 2].map((c) => half[c] * (k & (1 << c) ? 1 : -1)),
    ),
  ),
  indices: Uint16Array.from(
    [
      [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4],
      [2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5],
    ].flat(),
  ),
});

/**
 * Written by glTF-Transform: "arm" turns once about the vertical in 2 s and rises by 0.3 m, 0.5 m beside the
 * origin; "post" stands still.
 */
async function mixer(parts: readonly string[] = ["arm", "post"]): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const scene = document.createScene();
  const accessor = (type: "VEC3" | "VEC4" | "SCALAR", array: Float32Array | Uint16Array) =>
    document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const node = (name: string, half: readonly number[]) => {
    const { positions, indices } = box(half);
    const primitive = document
      .createPrimitive()
      .setAttribute("POSITION", accessor("VEC3", positions))
      .setIndices(accessor("SCALAR", indices));
    const made = document
      .createNode(name)
      .setMesh(document.createMesh(name).addPrimitive(primitive));
    scene.addChild(made);
    return made;
  };
  if (parts.includes("arm")) {
    const arm = node("arm", [0.4, 0.08, 0.06]).setTranslation([0.5, 0, 0]);
    const quarters = [0, 1, 2, 3, 4];
    const times = Float32Array.from(quarters, (k) => k / 2);
    const turns = quarters.flatMap((k) => [
      0,
      Math.sin((k * Math.PI) / 4),
      0,
      Math.cos((k * Math.PI) / 4),
    ]);
    const rises = quarters.flatMap((k) => [0.5, 0.075 * k, 0]);
    const animation = document.createAnimation("turn");
    for (const [target, type, values] of [
      ["rotation", "VEC4", turns],
      ["translation", "VEC3", rises],
    ] as const) {
      const sampler = document
        .createAnimationSampler()
        .setInput(accessor("SCALAR", times))
        .setOutput(accessor(type, Float32Array.from(values)))
        .setInterpolation("LINEAR");
      animation
        .addSampler(sampler)
        .addChannel(
          document
            .createAnimationChannel()
            .setSampler(sampler)
            .setTargetNode(arm)
            .setTargetPath(target),
        );
    }
  }
  if (parts.includes("post")) node("post", [0.03, 0.5, 0.03]);
  return new NodeIO().writeBinary(document);
}

const cloth = {
  name: "stirred",
  seconds: 0.5,
  h: 0.01,
  sheet: {
    shape: { type: "rectangle", width: 0.6, height: 0.6 },
    sampling: { type: "grid", points: 64 },
  },
  pins: [{ at: { edge: "top" } }],
};

let folder = "";
const files = new Map<string, Uint8Array>();
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "isoplate-motion-"));
  files.set("mixer.glb", await mixer());
  files.set("arm.glb", await mixer(["arm"]));
  files.set("post.glb", await mixer(["post"]));
  files.set("cut.glb", files.get("arm.glb")!.subarray(0, 300));
  for (const [name, bytes] of files) fs.writeFileSync(path.join(folder, name), bytes);
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const read = (file: string): Uint8Array => {
  const bytes = files.get(file);
  if (bytes === undefined) throw Object.assign(new Error("ENOENT"), { code: "ENOENT" });
  return bytes;
};
const parsed = (collider: object): Scene =>
  checkScene(withMotions({ ...cloth, colliders: [collider] }, read));

/** The world place of a collider's mesh at a time. */
function meshAt(scene: Scene, k: number, time: number): Float64Array {
  const { body } = scene.colliders[k];
  if (body.type !== "mesh") throw new Error(body.type);
  const mesh = parseMesh(read(body.file.split("#")[0]), body.file);
  const Y = Float64Array.from(mesh.positions, (x) => body.scale * x);
  const map = createRigid();
  colliderAt(map, scene.colliders[k], time);
  for (let i = 0; i < Y.length; i += 3) moveInPlace(Y, i, map);
  return Y;
}

describe("motion: file", () => {
  test.each([0, 0.13, 0.5, 1, 1.7, 2, 3])(
    "at %f s the arm is where the animation has it, placed, turned and scaled by the scene",
    (time) => {
      const [scale, position] = [0.5, [1, 2, 3]];
      const scene = parsed({
        body: { type: "mesh", file: "arm.glb", scale },
        position,
        rotation: [0, 0, 90],
        motion: "file",
      });
      const s = Math.min(time, 2);
      const [c, n] = [Math.cos(Math.PI * s), Math.sin(Math.PI * s)];
      const expected: number[] = [];
      const { positions } = box([0.4, 0.08, 0.06]);
      for (let i = 0; i < positions.length; i += 3) {
        // turned about the file's y, moved; y up to z up; then the scene's scale, quarter turn and place
        const [x, y, z] = positions.subarray(i, i + 3);
        const [X, Y, Z] = [c * x + n * z + 0.5, y + 0.15 * s, -n * x + c * z];
        const [u, v, w] = [X, -Z, Y].map((value) => scale * value);
        expected.push(position[0] - v, position[1] + u, position[2] + w);
      }
      const actual = meshAt(scene, 0, time);
      expect(actual.length).toBe(24);
      // welded points come in an order of their own: each is one of the eight
      let worst = 0;
      for (let i = 0; i < 24; i += 3) {
        let nearest = Number.POSITIVE_INFINITY;
        for (let j = 0; j < 24; j += 3)
          nearest = Math.min(
            nearest,
            Math.hypot(
              actual[i] - expected[j],
              actual[i + 1] - expected[j + 1],
              actual[i + 2] - expected[j + 2],
            ),
          );
        worst = Math.max(worst, nearest);
      }
      expect(worst).toBeLessThan(1e-6);
    },
  );

  test("a file of several objects becomes as many bodies, each with its own motion", () => {
    const scene = parsed({
      name: "mixer",
      body: { type: "mesh", file: "mixer.glb" },
      motion: "file",
    });
    expect(scene.colliders.map(({ name }) => name)).toEqual(["mixer-arm", "mixer-post"]);
    expect(scene.colliders[0].motion?.keys.length).toBeGreaterThan(4);
    expect(scene.colliders[1].motion).toBeNull();
    expect(Math.max(...meshAt(scene, 1, 1).filter((_, k) => k % 3 === 2))).toBeCloseTo(0.5, 6);
  });

  test("one object of a file is its name after #", () => {
    const scene = parsed({ body: { type: "mesh", file: "mixer.glb#arm" }, motion: "file" });
    expect(scene.colliders).toHaveLength(1);
    expect(meshAt(scene, 0, 0)).toEqual(
      meshAt(parsed({ body: { type: "mesh", file: "arm.glb" } }), 0, 0),
    );
  });

  test.each<[string, object, RegExp]>([
    [
      "nothing that moves",
      { body: { type: "mesh", file: "post.glb" } },
      /motion: nothing moves in "post.glb"/,
    ],
    [
      "a format without motion",
      { body: { type: "mesh", file: "a.obj" } },
      /motion: "a.obj" holds no motion/,
    ],
    [
      "a body that is no file",
      { body: { type: "sphere", radius: 1 } },
      /needs a body of type mesh, not sphere/,
    ],
    [
      "an object that is not there",
      { body: { type: "mesh", file: "mixer.glb#leg" } },
      /has no object "leg".*"arm", "post"/,
    ],
    [
      "a file that is not there",
      { body: { type: "mesh", file: "none.glb" } },
      /file: "none.glb": no such file/,
    ],
    [
      "a file that is cut short",
      { body: { type: "mesh", file: "cut.glb" } },
      /body.file: "cut.glb"/,
    ],
  ])("%s is told at its place", (_, collider, message) => {
    const faults = (() => {
      try {
        parsed({ ...collider, motion: "file" });
      } catch (error) {
        if (error instanceof SceneError) return error.message;
        throw error;
      }
      return "";
    })();
    expect(faults).toMatch(message);
    expect(faults).toContain("colliders[0]");
  });

  test("the file must lie in the scene's folder, unless told otherwise", () => {
    const inner = path.join(folder, "inner");
    fs.mkdirSync(inner);
    const colliders = [{ body: { type: "mesh", file: "../arm.glb" }, motion: "file" }];
    fs.writeFileSync(path.join(inner, "s.json"), JSON.stringify({ ...cloth, colliders }));
    expect(() => loadScene(path.join(inner, "s.json"))).toThrow(/outside the scene's folder/);
    const { scene } = loadScene(path.join(inner, "s.json"), { outside: true });
    expect(scene.colliders[0].motion?.keys.length).toBeGreaterThan(4);
  });

  test("without a way to read files it is a fault, not a body that stands still", () => {
    const colliders = [{ body: { type: "mesh", file: "arm.glb" }, motion: "file" }];
    expect(() => checkScene({ ...cloth, colliders })).toThrow(/no way to read files/);
  });

  test("the arm sweeps a hanging cloth aside, and the recording runs again by itself to the same hash", async () => {
    // the cloth hangs in y = 0; with a quarter turn in 0.5 s the arm, 0.4 m long about a centre 0.25 m away, comes through
    const scene = {
      ...cloth,
      seconds: 0.4,
      solver: "interactive",
      sheet: {
        ...cloth.sheet,
        sampling: { type: "grid", points: 100 },
        pose: { type: "flat", rotation: [90, 0, 0] },
      },
      colliders: [
        { body: { type: "mesh", file: "mixer.glb" }, position: [-0.3, -0.25, 0.1], motion: "file" },
      ],
    };
    fs.writeFileSync(path.join(folder, "stirred.json"), JSON.stringify(scene));
    const loaded = loadScene(path.join(folder, "stirred.json"));
    const out = path.join(folder, "out");
    const summary = await runToFolder(loaded.scene, out, { base: loaded.base });
    expect(summary.penetrationMax).toBeLessThan(1e-3);
    const recording = openRecording(out);
    const last = recording.positions(recording.frames - 1);
    recording.close();
    expect(Math.max(...last.filter((_, k) => k % 3 === 1))).toBeGreaterThan(0.05);
    // what the scene needs has come along
    const again = loadScene(path.join(out, "scene.json"));
    const rerun = await runToFolder(again.scene, path.join(folder, "again"), { base: again.base });
    expect(rerun.hash).toBe(summary.hash);
  });
});
