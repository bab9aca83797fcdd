import { describe, expect, test } from "vitest";
import { FileError } from "../../src/files/file-error.ts";
import { parseGltf, parseGltfMesh } from "../../src/files/gltf-read.ts";
import { createRigid, motionAt } from "../../src/scene/motion.ts";
import type { Vec3 } from "../../src/scene/scene.ts";

type Numbers = Float32Array | Uint16Array | Uint32Array | Int16Array | Uint8Array;
const TYPES = new Map<unknown, number>([
  [Float32Array, 5126],
  [Uint16Array, 5123],
  [Uint32Array, 5125],
  [Int16Array, 5122],
  [Uint8Array, 5121],
]);

/** A .gltf with these arrays as accessors 0, 1, … and the rest of its JSON as given. */
function gltf(arrays: [Numbers, string, object?][], json: object): Uint8Array {
  const bytes: number[] = [];
  const accessors: object[] = [];
  const bufferViews: object[] = [];
  for (const [array, type, more = {}] of arrays) {
    while (bytes.length % 4 !== 0) bytes.push(0);
    const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }[type]!;
    bufferViews.push({ buffer: 0, byteOffset: bytes.length, byteLength: array.byteLength });
    accessors.push({
      bufferView: accessors.length,
      componentType: TYPES.get(array.constructor),
      count: array.length / width,
      type,
      ...more,
    });
    bytes.push(...new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
  }
  const uri = `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`;
  const all = {
    asset: { version: "2.0" },
    accessors,
    bufferViews,
    buffers: [{ byteLength: bytes.length, uri }],
    ...json,
  };
  return new TextEncoder().encode(JSON.stringify(all));
}

const square = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
const mesh = (primitive: object) => ({
  nodes: [{ mesh: 0 }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 }, ...primitive }] }],
});

describe("meshes", () => {
  test("lists, strips and fans of the same square are the same two triangles, z up", () => {
    const list = parseGltfMesh(
      gltf(
        [
          [square, "VEC3"],
          [Uint16Array.of(0, 1, 2, 0, 2, 3), "SCALAR"],
        ],
        mesh({ indices: 1 }),
      ),
    );
    expect([...list.positions]).toEqual([0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1]);
    expect([...list.triangles]).toEqual([0, 1, 2, 0, 2, 3]);
    const fan = parseGltfMesh(gltf([[square, "VEC3"]], mesh({ mode: 6 })));
    expect([...fan.triangles]).toEqual([0, 1, 2, 0, 2, 3]);
    const strip = parseGltfMesh(
      gltf(
        [
          [square, "VEC3"],
          [Uint8Array.of(0, 1, 3, 2), "SCALAR"],
        ],
        mesh({ indices: 1, mode: 5 }),
      ),
    );
    expect([...strip.triangles]).toEqual([0, 1, 3, 3, 1, 2]); // every second one is turned around
  });

  test("points split at a texture seam are one again, with both uvs at their corners", () => {
    const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0);
    const uv = Float32Array.of(0, 1, 1, 1, 1, 0, 0.5, 0.5, 0.25, 0.25, 0, 0);
    const read = parseGltfMesh(
      gltf(
        [
          [positions, "VEC3"],
          [uv, "VEC2"],
        ],
        mesh({ attributes: { POSITION: 0, TEXCOORD_0: 1 } }),
      ),
    );
    expect(read.positions.length).toBe(12);
    expect([...read.triangles]).toEqual([0, 1, 2, 0, 2, 3]);
    expect([...read.cornerUv!]).toEqual([0, 0, 1, 0, 1, 1, 0.5, 0.5, 0.25, 0.75, 0, 1]); // v counts up here
  });

  test("quantised and sparse accessors have the values that they stand for", () => {
    const whole = parseGltfMesh(
      gltf(
        [[Int16Array.of(0, 0, 0, 32767, 0, 0, 0, -32767, 0), "VEC3", { normalized: true }]],
        mesh({}),
      ),
    );
    expect([...whole.positions]).toEqual([0, 0, 0, 1, 0, 0, 0, 0, -1]);
    const sparse = {
      count: 1,
      indices: { bufferView: 1, componentType: 5123 },
      values: { bufferView: 2 },
    };
    const changed = parseGltfMesh(
      gltf(
        [
          [square, "VEC3", { sparse }],
          [Uint16Array.of(3), "SCALAR"],
          [Float32Array.of(7, 8, 9), "VEC3"],
        ],
        mesh({ mode: 6 }),
      ),
    );
    expect([...changed.positions.slice(9)]).toEqual([7, -9, 8]);
  });

  test("transforms of parents add up; a mirroring one turns the triangles around again", () => {
    const nodes = [
      { children: [1], translation: [0, 0, 10] },
      { children: [2], rotation: [0, Math.SQRT1_2, 0, Math.SQRT1_2] },
      { mesh: 0, scale: [2, 1, 1] },
    ];
    const read = parseGltfMesh(gltf([[square, "VEC3"]], { ...mesh({ mode: 6 }), nodes }));
    // (1, 0, 0) → (2, 0, 0) → turned about y (0, 0, −2) → (0, 0, 8) → z up (0, −8, 0)
    expect([...read.positions.slice(3, 6)]).toEqual([0, -8, 0].map((x) => expect.closeTo(x, 6)));
    expect([...read.triangles]).toEqual([0, 1, 2, 0, 2, 3]);
    nodes[2] = { mesh: 0, scale: [-1, 1, 1] };
    expect([
      ...parseGltfMesh(gltf([[square, "VEC3"]], { ...mesh({ mode: 6 }), nodes })).triangles,
    ]).toEqual([0, 2, 1, 0, 3, 2]);
  });

  test("a node without triangles, lines and points are passed over; compression is refused by name", () => {
    expect(parseGltf(gltf([[square, "VEC3"]], mesh({ mode: 1 })))).toEqual([]);
    const draco = { ...mesh({}), extensionsRequired: ["KHR_draco_mesh_compression"] };
    expect(() => parseGltf(gltf([[square, "VEC3"]], draco))).toThrow(
      /needs KHR_draco_mesh_compression; save it without compression/,
    );
  });
});

describe("motion", () => {
  const animated = (
    times: number[],
    values: number[],
    path: string,
    more: object = {},
    node: object = {},
  ) =>
    parseGltf(
      gltf(
        [
          [square, "VEC3"],
          [Float32Array.from(times), "SCALAR"],
          [Float32Array.from(values), path === "rotation" ? "VEC4" : "VEC3"],
        ],
        {
          ...mesh({ mode: 6 }),
          nodes: [{ mesh: 0, ...node }],
          animations: [
            {
              samplers: [{ input: 1, output: 2, ...more }],
              channels: [{ sampler: 0, target: { node: 0, path } }],
            },
          ],
        },
      ),
    )[0];
  const quarter = (turns: number) => [
    0,
    Math.sin((turns * Math.PI) / 4),
    0,
    Math.cos((turns * Math.PI) / 4),
  ];

  function at(
    { motion }: { motion: Parameters<typeof motionAt>[1] },
    time: number,
    [x, y, z]: Vec3,
  ): number[] {
    const m = createRigid();
    motionAt(m, motion, time);
    return [0, 3, 6].map((r, k) => m[r] * x + m[r + 1] * y + m[r + 2] * z + m[9 + k]);
  }
  const near = (list: number[], digits: number) => list.map((x) => expect.closeTo(x, digits));

  test("two whole turns by quarters about the upright axis, somewhere else: every moment is on the circle", () => {
    const turns = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    const object = animated(
      turns,
      turns.flatMap(quarter),
      "rotation",
      {},
      { translation: [3, 0, 0] },
    );
    // glTF's y is our z, and so is the sense of turning
    for (let time = 0; time <= 8; time += 0.37) {
      const angle = (time * Math.PI) / 2;
      // between our keys of 5° the rotation vector is straight along one axis: exact but for 32-bit floats
      expect(at(object, time, [4, 0, 0])).toEqual(
        near([3 + Math.cos(angle), Math.sin(angle), 0], 5),
      );
    }
    expect(object.motion!.keys.at(-1)!.rotate[2]).toBeCloseTo(4 * Math.PI, 5);
  });

  test("STEP holds, LINEAR goes straight, CUBICSPLINE is Hermite's", () => {
    expect(at(animated([0, 1], [0, 0, 0, 2, 4, 6], "translation"), 0.25, [0, 0, 0])).toEqual(
      near([0.5, -1.5, 1], 6),
    );
    const steps = animated([0, 1], [0, 0, 0, 2, 0, 0], "translation", { interpolation: "STEP" });
    expect([0.5, 0.99, 1].map((time) => at(steps, time, [0, 0, 0])[0])).toEqual(near([0, 0, 2], 6));
    // flat at both ends: 3t² − 2t³; the straight pieces are off by at most 6·(1/16)²/8
    const spline = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0];
    const smooth = animated([0, 1], spline, "translation", { interpolation: "CUBICSPLINE" });
    for (const t of [0, 0.2, 0.5, 0.9, 1])
      expect(Math.abs(at(smooth, t, [0, 0, 0])[0] - (3 * t * t - 2 * t ** 3))).toBeLessThan(0.003);
  });

  test("what stretches is no rigid body, and says when", () => {
    expect(() => animated([0, 1], [1, 1, 1, 2, 1, 1], "scale")).toThrow(FileError);
    expect(() => animated([0, 1], [1, 1, 1, 2, 1, 1], "scale")).toThrow(
      /node 0: changes its size or shape at .* s; bodies move rigidly/,
    );
    expect(animated([0, 1], [2, 2, 2, 2, 2, 2], "scale").motion).toBeNull();
  });
});
