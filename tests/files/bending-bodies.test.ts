/** Bodies whose vertices move: files that say how, and sheets that they meet. */
import { describe, expect, test } from "vitest";
import { parseGltf } from "../../src/files/gltf-read.ts";
import { parseMesh, recordedAnimation } from "../../src/files/index.ts";
import { pc2Files } from "../../src/files/point-cache.ts";
import {
  createMemoryRecording,
  createSimulation,
  parseScene,
  type ReadMesh,
  runScene,
  type SceneInput,
} from "../../src/index.ts";
import { intersections } from "../../src/system/contact/intersections.ts";
import { GltfBuilder, SWING, walker } from "./walker.ts";

describe("glTF", () => {
  test("a skin turns the points of a joint with it, and blends between joints", () => {
    const [left] = parseGltf(walker(1));
    expect(left.bends).toBe(true);
    expect(left.motion).toBeNull();
    const rest = left.positionsAt(0);
    const now = left.positionsAt(0.25); // the end of the swing: 0.25 rad about x
    const [c, s] = [Math.cos(SWING), Math.sin(SWING)];
    for (let k = 0; k < rest.length; k += 3) {
      // z up: glTF's (x, y, z) is our (x, −z, y); a turn about x by θ takes (y, z) to (c y − s z, s y + c z) of glTF
      const [x, y, z] = [rest[k], rest[k + 2], -rest[k + 1]];
      const share = Math.min(1, Math.max(0, (-y - 0.03) / 0.1));
      const [ty, tz] = [c * y - s * z, s * y + c * z];
      expect(now[k]).toBeCloseTo(x, 6);
      expect(now[k + 2]).toBeCloseTo(y + share * (ty - y), 6);
      expect(now[k + 1]).toBeCloseTo(-(z + share * (tz - z)), 6);
    }
    // both legs as one mesh, 60 frames a second
    const { positions, frames } = parseMesh(walker(1), "walker.gltf");
    expect(frames!.times.length).toBe(61);
    expect(frames!.positions.length).toBe(61 * positions.length);
    expect(frames!.positions[15 * positions.length + 1]).toBeCloseTo(now[1], 6);
  });

  test("morph targets move points by their weights, which are animated", () => {
    const builder = new GltfBuilder();
    const attributes = {
      POSITION: builder.add(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), "VEC3"),
    };
    const target = { POSITION: builder.add(Float32Array.of(0, 0, 0, 0, 0, 2, 0, 0, 0), "VEC3") };
    const input = builder.add(Float32Array.of(0, 1), "SCALAR");
    const output = builder.add(Float32Array.of(0, 1), "SCALAR");
    const bytes = builder.done({
      nodes: [{ mesh: 0, translation: [5, 0, 0] }],
      meshes: [{ primitives: [{ attributes, targets: [target] }] }],
      animations: [
        {
          samplers: [{ input, output }],
          channels: [{ sampler: 0, target: { node: 0, path: "weights" } }],
        },
      ],
    });
    const { frames } = parseMesh(bytes, "face.gltf");
    const half = frames!.positions.subarray(30 * 9, 31 * 9);
    expect([...half.subarray(3, 6)]).toEqual([6, -1, 0]); // z of glTF is −y of ours
    expect([...half.subarray(0, 3)]).toEqual([5, 0, 0].map((x) => x + 0));
  });
});

/** A closed box mesh of 8 points around the origin, as OBJ text. */
function boxObj(size: [number, number, number]): string {
  const [a, b, c] = size.map((x) => x / 2);
  const lines: string[] = [];
  for (const z of [-c, c])
    for (const y of [-b, b]) for (const x of [-a, a]) lines.push(`v ${x} ${y} ${z}`);
  const quads = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"];
  return [...lines, ...quads.map((quad) => `f ${quad}`)].join("\n");
}

/** The box grows upwards by `growth` in a second, as a PC2 file of 24 frames a second. */
function growingBox(growth: number): Uint8Array {
  const { positions, triangles } = parseMesh(
    new TextEncoder().encode(boxObj([0.2, 0.2, 0.1])),
    "a.obj",
  );
  const [cache] = pc2Files(
    {
      name: "box",
      n: positions.length / 3,
      triangles,
      uv: null,
      rate: 24,
      frames: 25,
      positions: (frame, out) => {
        out.set(positions);
        for (let k = 2; k < out.length; k += 3) if (out[k] > 0) out[k] += (growth * frame) / 24;
      },
    },
    1,
  );
  const chunks = [...cache.chunks];
  return Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
}

const files: Record<string, Uint8Array> = {
  "box.obj": new TextEncoder().encode(boxObj([0.2, 0.2, 0.1])),
  "grow.pc2": growingBox(0.2),
  "short.pc2": growingBox(0.2).slice(0, 32),
};
const readMesh: ReadMesh = (path) => parseMesh(files[path], path);

function onBox(vertices: object): SceneInput {
  return {
    h: 1 / 240,
    seconds: 1,
    sheet: {
      name: "cloth",
      shape: { type: "rectangle", width: 0.3, height: 0.3 },
      sampling: { type: "grid", points: 100 },
      pose: { type: "flat", position: [-0.15, -0.15, 0.06] },
      material: "cotton",
    },
    colliders: [{ name: "box", body: { type: "mesh", file: "box.obj", ...vertices } }],
  };
}

const middleHeight = (Y: Float64Array): number => {
  let best = 0;
  for (let i = 1; 3 * i < Y.length; i++)
    if (Math.hypot(Y[3 * i], Y[3 * i + 1]) < Math.hypot(Y[3 * best], Y[3 * best + 1])) best = i;
  return Y[3 * best + 2];
};

describe("a mesh whose vertices move", () => {
  test("lifts the sheet on it as its point cache says, and is drawn and exported so", async () => {
    const scene = parseScene(onBox({ vertices: "grow.pc2" }));
    const recording = createMemoryRecording();
    await runScene(scene, { readMesh, recorder: recording });
    const Y = recording.positions(recording.frames - 1);
    // the top of the box is at 0.05 + 0.2, the sheet a thickness above
    expect(middleHeight(Y)).toBeGreaterThan(0.25);
    expect(middleHeight(Y)).toBeLessThan(0.256);
    const animation = recordedAnimation(recording, { readMesh });
    expect(animation.parts!.map(({ name }) => name)).toEqual(["cloth", "box"]);
    const out = new Float64Array(3 * animation.n);
    animation.positions(recording.frames - 1, out);
    expect(Math.max(...out.subarray(Y.length).filter((_, k) => k % 3 === 2))).toBeCloseTo(0.25, 6);
    const gap = animation.fields!.find(({ name }) => name === "gap")!;
    const gaps = new Float64Array(animation.n);
    gap.values(recording.frames - 1, gaps);
    expect(Math.min(...gaps.subarray(0, Y.length / 3))).toBeGreaterThan(0);
  });

  test("is led live, by places or by a function of time, and what is led is saved", () => {
    const simulation = createSimulation(parseScene(onBox({})), { readMesh });
    const { positions } = readMesh("box.obj");
    const up = positions.map((x, k) => (k % 3 === 2 && x > 0 ? x + 0.1 : x));
    simulation.setCollider("box", { vertices: up }, { seconds: 0.5 });
    while (simulation.time < 0.25) simulation.step();
    const saved = simulation.save();
    while (simulation.time < 0.7) simulation.step();
    expect(middleHeight(simulation.Y)).toBeGreaterThan(0.15);
    const end = simulation.Y.slice();
    const again = createSimulation(parseScene(onBox({})), { readMesh });
    again.restore(saved);
    while (again.time < 0.7) again.step();
    expect(again.Y).toEqual(end);
    again.setCollider("box", {
      vertices: (out, time) => {
        out.set(up);
        for (let k = 2; k < out.length; k += 3) if (out[k] > 0) out[k] += 0.2 * (time - 0.7);
      },
    });
    while (again.time < 1.2) again.step();
    expect(middleHeight(again.Y)).toBeGreaterThan(0.25);
    expect(() => again.setCollider("box", { vertices: [0, 0, 0] })).toThrow(/needs 24/);
  });

  test("what does not fit is said: no frames, another number of points, no such field", () => {
    const build = (vertices: object) => () =>
      createSimulation(parseScene(onBox(vertices)), { readMesh });
    expect(build({ vertices: "box.obj" })).toThrow(/nothing moves in box\.obj/);
    expect(build({ vertices: "short.pc2" })).toThrow(/PC2/);
    expect(build({ vertices: { file: "grow.pc2", rat: 2 } })).toThrow(/rate/);
  });
});

test("a skinned body walks in a skirt for 3 s, and no triangle cuts another in any frame", () => {
  files["walker.gltf"] = walker(3);
  const scene = parseScene({
    h: 1 / 120,
    sheet: {
      shape: { type: "tube", radius: 0.15, height: 0.4 },
      sampling: { type: "grid", points: 320 },
      pose: { type: "rest", position: [0, 0, -0.4] },
      material: { density: 0.15, D: 1e-4, membraneStiffness: 2e3, thickness: 1e-3 },
    },
    pins: [{ name: "waist", at: { edge: "top" } }],
    colliders: [
      {
        name: "walker",
        body: { type: "mesh", file: "walker.gltf", vertices: "walker.gltf" },
        friction: 0.2,
      },
    ],
    contact: { self: true },
  });
  const simulation = createSimulation(scene, { readMesh });
  expect(simulation.warnings).toEqual([]);
  const { triangles, frames, positions } = readMesh("walker.gltf");
  let touched = 0;
  for (let frame = 1; frame <= 180; frame++) {
    simulation.step();
    simulation.step();
    const at = frame * positions.length;
    const body = {
      Y: Float64Array.from(frames!.positions.subarray(at, at + positions.length)),
      triangles,
    };
    const sheet = { Y: simulation.Y, triangles: simulation.sheet.triangles };
    expect(intersections(sheet, body).length, `frame ${frame}`).toBe(0);
    touched += simulation.contact().contacts;
  }
  expect(touched).toBeGreaterThan(0);
});
