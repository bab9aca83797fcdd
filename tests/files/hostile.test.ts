import { describe, expect, test } from "vitest";
import { parseDxf } from "../../src/files/dxf.ts";
import { FileError } from "../../src/files/file-error.ts";
import { parseGltf } from "../../src/files/gltf-read.ts";
import { parseObj } from "../../src/files/obj.ts";
import { parsePly } from "../../src/files/ply.ts";
import { parseMdd, parsePc2 } from "../../src/files/point-cache.ts";
import { parseStl } from "../../src/files/stl.ts";
import { parseSvg } from "../../src/files/svg.ts";
import { fuzz, fuzzTargets } from "./fuzz.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const gltf = (json: object) => bytes(JSON.stringify({ asset: { version: "2.0" }, ...json }));

test("the unharmed files are read", () => {
  for (const { name, seeds, read } of fuzzTargets()) {
    const failures = seeds.filter((seed) => {
      try {
        read(seed);
        return false;
      } catch (error) {
        return !(error instanceof FileError && name === "PLY"); // one PLY lies about its format on purpose
      }
    });
    expect([name, failures.length]).toEqual([name, 0]);
  }
});

test("two thousand broken files: a result or a FileError, none for long", () => {
  const outcome = fuzz(2000, 1);
  expect(outcome.results + outcome.refused).toBe(2000);
  expect(outcome.results).toBeGreaterThan(200); // the mutations do not just break everything
  expect(outcome.refused).toBeGreaterThan(200);
  expect(outcome.slowest.seconds).toBeLessThan(10);
});

describe("promises that the bytes cannot keep are refused before memory is taken", () => {
  test("counts in headers", () => {
    const stl = new Uint8Array(84 + 50);
    new DataView(stl.buffer).setUint32(80, 0xffffffff, true);
    expect(() => parseStl(stl)).toThrow(
      /promises 4294967295 triangles; the 134 bytes of the file hold 1/,
    );
    const mdd = new Uint8Array(100);
    new DataView(mdd.buffer).setInt32(0, 0x7fffffff);
    expect(() => parseMdd(mdd)).toThrow(/promises 2147483647 frames/);
    const pc2 = new Uint8Array(32);
    pc2.set(bytes("POINTCACHE2\0"));
    const view = new DataView(pc2.buffer);
    view.setInt32(12, 1, true);
    view.setInt32(16, 1 << 30, true);
    view.setInt32(28, 1 << 30, true);
    expect(() => parsePc2(pc2)).toThrow(/promises 1073741824 frames of 1073741824 points/);
    view.setInt32(16, 0, true); // no points: any number of frames would fit
    expect(() => parsePc2(pc2)).toThrow(/promises 1073741824 frames of 0 points/);
    const lists =
      "ply\nformat binary_little_endian 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uint int vertex_indices\nend_header\n\xff\xff\xff\xff";
    expect(() => parsePly(Uint8Array.from(lists, (c) => c.charCodeAt(0)))).toThrow(
      /a list of 4294967295/,
    );
  });

  test("glTF accessors: more than the view holds, more than all the memory, shared a thousand times", () => {
    const mesh = (accessor: object, more: object = {}) =>
      gltf({
        nodes: [{ mesh: 0 }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
        accessors: [accessor],
        ...more,
      });
    const vec3 = { componentType: 5126, type: "VEC3" };
    expect(() => parseGltf(mesh({ ...vec3, count: 2e9 }))).toThrow(/may have 5000000 points/);
    const small = {
      buffers: [{ uri: "data:;base64,AAAA" }],
      bufferViews: [{ buffer: 0, byteLength: 3 }],
    };
    expect(() => parseGltf(mesh({ ...vec3, count: 4, bufferView: 0 }, small))).toThrow(
      /its view has 3/,
    );
    const often = gltf({
      nodes: Array.from({ length: 1000 }, () => ({ mesh: 0 })),
      meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
      accessors: [{ ...vec3, count: 100000 }],
    });
    expect(() => parseGltf(often)).toThrow(/may have 5000000 points/);
  });
});

describe("rings and depths", () => {
  test("glTF nodes that are their own ancestors, or have two parents", () => {
    const ring = (nodes: object[], roots: number[]) =>
      gltf({
        nodes,
        scenes: [{ nodes: roots }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
        accessors: [{ componentType: 5126, type: "VEC3", count: 3 }],
      });
    expect(() => parseGltf(ring([{ children: [1], mesh: 0 }, { children: [0] }], [0]))).toThrow(
      /its own parent/,
    );
    expect(() =>
      parseGltf(ring([{ children: [2] }, { children: [2] }, { mesh: 0 }], [0, 1])),
    ).toThrow(/two parents/);
  });

  test("a chain of 10⁵ glTF nodes, 10⁵ SVG groups, a JSON of 10⁶ brackets", () => {
    const nodes = Array.from({ length: 1e5 }, (_, k) =>
      k === 99999 ? { mesh: 0 } : { children: [k + 1] },
    );
    expect(() =>
      parseGltf(gltf({ nodes, scenes: [{ nodes: [0] }], meshes: [{ primitives: [] }] })),
    ).toThrow(FileError);
    expect(() => parseSvg(`<svg>${"<g>".repeat(1e5)}`)).toThrow(/nested more than 1000 deep/);
    expect(() => parseGltf(bytes("[".repeat(1e6)))).toThrow(FileError);
  });

  test("DXF blocks that double at every level stop at a count, not at the end of time", () => {
    const insert = (name: string) => `0\nINSERT\n2\n${name}\n10\n0\n20\n0\n`;
    let blocks = "";
    for (let k = 0; k < 8; k++)
      blocks += `0\nBLOCK\n2\nB${k}\n${insert(`B${k + 1}`).repeat(20)}0\nENDBLK\n`;
    const text = `0\nSECTION\n2\nBLOCKS\n${blocks}0\nENDSEC\n0\nSECTION\n2\nENTITIES\n${insert("B0")}0\nENDSEC\n0\nEOF\n`;
    expect(() => parseDxf(text)).toThrow(/too much is drawn/);
  });
});

describe("work that grows faster than the file", () => {
  test("a thousand nodes deep, ten thousand keyframes each", () => {
    const count = 10000;
    const times = Buffer.from(Float32Array.from({ length: count }, (_, k) => k).buffer);
    const zeros = Buffer.alloc(12 * count);
    const nodes = Array.from({ length: 900 }, (_, k) =>
      k === 899 ? { mesh: 0 } : { children: [k + 1] },
    );
    const file = gltf({
      nodes,
      scenes: [{ nodes: [0] }],
      meshes: [{ primitives: [{ attributes: { POSITION: 2 } }] }],
      buffers: [{ uri: `data:;base64,${Buffer.concat([times, zeros]).toString("base64")}` }],
      bufferViews: [
        { buffer: 0, byteLength: 4 * count },
        { buffer: 0, byteOffset: 4 * count, byteLength: 12 * count },
      ],
      accessors: [
        { bufferView: 0, componentType: 5126, type: "SCALAR", count },
        { bufferView: 1, componentType: 5126, type: "VEC3", count },
        { componentType: 5126, type: "VEC3", count: 3 },
      ],
      animations: [
        {
          samplers: [{ input: 0, output: 1 }],
          channels: nodes
            .slice(0, 300)
            .map((_, node) => ({ sampler: 0, target: { node, path: "translation" } })),
        },
      ],
    });
    expect(() => parseGltf(file)).toThrow(FileError);
  });

  test("a polygon of 20 000 corners that folds to and fro is cut in less than the time limit of a test", () => {
    // a comb: every ear of it is hidden behind the next tooth
    let text = "";
    const corners = 20000;
    for (let k = 0; k < corners; k++)
      text += `v ${k % 2 === 0 ? k : corners - k} ${(k * 7919) % corners} 0\n`;
    text += `f ${Array.from({ length: corners }, (_, k) => k + 1).join(" ")}\n`;
    expect(parseObj(text).triangles.length).toBeGreaterThan(0);
  });

  test("a PLY header of 10⁵ elements, an SVG of 10⁵ outlines, an attribute of a million quotes", () => {
    const header = `ply\nformat ascii 1.0\n${Array.from({ length: 1e5 }, (_, k) => `element e${k} 0\n`).join("")}`;
    expect(() => parsePly(bytes(header))).toThrow(FileError);
    expect(() => parseSvg(`<svg><path d="${"M0 0h1v1z".repeat(1e5)}"/></svg>`)).toThrow(FileError);
    expect(() => parseSvg(`<svg a=${"'\"".repeat(5e5)}>`)).toThrow(FileError);
  });
});
