/**
 * Broken and hostile files, made from good ones by seeded mutation: meshes, patterns, scenes, and the files of recordings. A reader may
 * answer with a result or with an error of its own kind, within time and memory; anything else is a bug.
 */
import { parseDxf } from "../../src/files/dxf.ts";
import { exportAnimation, type FormatName } from "../../src/files/export.ts";
import { FileError } from "../../src/files/file-error.ts";
import { parseGarmentCode } from "../../src/files/garment-code.ts";
import { parseGltf } from "../../src/files/gltf-read.ts";
import type { TriangleMesh } from "../../src/files/mesh.ts";
import { parseObj } from "../../src/files/obj.ts";
import { parsePly, writePly } from "../../src/files/ply.ts";
import { parseMdd, parsePc2 } from "../../src/files/point-cache.ts";
import { parseStl } from "../../src/files/stl.ts";
import { parseSvg } from "../../src/files/svg.ts";
import { decodeCheckpoint, encodeCheckpoint } from "../../src/recording/checkpoint-bytes.ts";
import { RecordingError } from "../../src/recording/container.ts";
import {
  decodeFramesHeader,
  encodeFramesHeader,
  framesLayout,
} from "../../src/recording/format.ts";
import { decodeSheet, encodeSheet } from "../../src/recording/sheet-bytes.ts";
import { SceneError } from "../../src/scene/faults.ts";
import { checkScene, type Panel, parseScene } from "../../src/scene/scene.ts";
import { parseSceneText, readSceneText } from "../../src/scene/text.ts";
import { createSheet } from "../../src/sheet/kinematics.ts";
import { random as generator } from "../linalg/samples.ts";
import { wavingSheets } from "./fixture.ts";
import { joined } from "./joined.ts";

export interface Target {
  name: string;
  seeds: Uint8Array[];
  /** Reads, and checks what it got. */
  read: (bytes: Uint8Array) => void;
}

export interface Outcome {
  cases: number;
  results: number;
  refused: number;
  /** By processor time: the machine may be busy with other things. */
  slowest: { target: string; case: number; seconds: number };
  /** Largest memory of the process, bytes. */
  memory: number;
}

/** Errors that say what is wrong with a file. */
const REFUSALS = [FileError, SceneError, RecordingError];

/** Runs `cases` mutations spread over all readers; throws at the first that misbehaves. */
export function fuzz(cases: number, seed: number): Outcome {
  const random = generator(seed);
  const targets = fuzzTargets();
  const outcome: Outcome = {
    cases,
    results: 0,
    refused: 0,
    slowest: { target: "", case: 0, seconds: 0 },
    memory: 0,
  };
  for (let k = 0; k < cases; k++) {
    const target = targets[k % targets.length];
    const bytes = mutated(target.seeds, random);
    const started = process.cpuUsage();
    try {
      target.read(bytes);
      outcome.results++;
    } catch (error) {
      if (!REFUSALS.some((kind) => error instanceof kind)) {
        const head = JSON.stringify(new TextDecoder("latin1").decode(bytes.subarray(0, 2000)));
        throw new Error(
          `${target.name}, case ${k} of seed ${seed}: ${(error as Error).stack}\n${head}`,
        );
      }
      outcome.refused++;
    }
    const { user, system } = process.cpuUsage(started);
    const seconds = (user + system) / 1e6;
    if (seconds > outcome.slowest.seconds)
      outcome.slowest = { target: target.name, case: k, seconds };
    if (k % 256 === 0) outcome.memory = Math.max(outcome.memory, process.memoryUsage().rss);
  }
  return outcome;
}

export function fuzzTargets(): Target[] {
  const text = new TextEncoder();
  const from = (format: FormatName, ending: string): Uint8Array => {
    const animation = wavingSheets({ nu: 4, nv: 3, frames: 3 });
    for (const { name, chunks } of exportAnimation(animation, format).files) {
      const bytes = joined(chunks);
      if (name.endsWith(ending)) return bytes;
    }
    throw new Error(format);
  };
  const glb = from("glb", ".glb");
  const jsonLength = new DataView(glb.buffer).getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(glb.subarray(20, 20 + jsonLength)));
  json.buffers[0].uri = `data:application/octet-stream;base64,${Buffer.from(glb.subarray(28 + jsonLength)).toString("base64")}`;
  json.nodes.push(
    { children: [0, 1], translation: [1, 2, 3] },
    { mesh: 0, matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] },
  );
  json.scenes[0].nodes = [2, 3, 4];
  json.accessors[0].sparse = {
    count: 1,
    indices: { bufferView: 0, componentType: 5125 },
    values: { bufferView: 0 },
  };

  const square = {
    positions: Float64Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0),
    triangles: Int32Array.of(0, 1, 2, 0, 2, 3),
  };
  const split = {
    ...square,
    uv: new Float64Array(8),
    cornerUv: Float64Array.from({ length: 12 }, (_, k) => k),
  };
  const asciiPly =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty float s\nproperty float t\n" +
    "element face 2\nproperty list uchar int vertex_indices\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n" +
    "0 0 0 0 0\n1 0 0 1 0\n1 1 0 1 1\n0 1 0 0 1\n4 0 1 2 3\n3 0 2 3\n5 0 1 2 -1 3\n";
  const bigPly = new TextEncoder().encode(asciiPly.replace("ascii", "binary_big_endian"));
  const asciiStl =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
  const svg =
    '<?xml version="1.0"?><!DOCTYPE svg><svg width="200mm" height="100mm" viewBox="0 0 200 100"><g transform="translate(1,2) rotate(3 4 5) scale(1.5) skewX(2) matrix(1 0 0 1 0 0)">' +
    '<path id="a" d="M0 0 h50 v20 c 1 2 3 4 -20 5 s 1 1 -5 0 q -3 -4 -10 0 t -5 2 a 5 3 30 0 1 -10 -8 z m 5 5 h 3 v 3 z"/></g>' +
    '<rect id="r" x="1" y="2" width="30" height="20" rx="3"/><circle r="10"/><ellipse rx="4" ry="2"/><polygon points="0,0 5,0 5,5"/></svg>';
  const dxf = [
    "0 SECTION 2 HEADER 9 $INSUNITS 70 4 0 ENDSEC 0 SECTION 2 BLOCKS 0 BLOCK 2 B 0 LINE 8 0 10 0 20 0 11 5 21 0 0 LINE 8 0 10 5 20 0 11 0 21 5 0 LINE 8 0 10 0 20 5 11 0 21 0 0 ENDBLK 0 ENDSEC",
    "0 SECTION 2 ENTITIES 0 INSERT 8 b 2 B 10 50 20 50 41 2 42 2 50 30",
    "0 LWPOLYLINE 8 p 90 3 70 1 10 0 20 0 42 0.5 10 10 20 0 10 0 20 10 0 CIRCLE 8 c 10 100 20 100 40 5",
    "0 SPLINE 8 s 71 2 40 0 40 0 40 0 40 1 40 1 40 1 10 0 20 0 10 5 20 9 10 10 20 0 0 LINE 8 s 10 10 20 0 11 0 21 0",
    "0 POLYLINE 8 q 70 1 0 VERTEX 8 q 10 0 20 0 0 VERTEX 8 q 10 9 20 0 0 VERTEX 8 q 10 0 20 9 0 SEQEND 0 ELLIPSE 8 e 10 300 20 0 11 9 21 0 40 0.5 0 ENDSEC 0 EOF",
  ]
    .join(" ")
    .replaceAll(" ", "\n");
  const garment = JSON.stringify({
    pattern: {
      panels: {
        f: {
          vertices: [
            [0, 0],
            [10, 0],
            [10, 10],
          ],
          edges: [
            { endpoints: [0, 1] },
            { endpoints: [1, 2], curvature: { type: "circle", params: [9, 0, 1] } },
            { endpoints: [2, 0], curvature: [0.5, 0.1] },
          ],
          translation: [1, 2, 3],
          rotation: [10, 20, 30],
        },
        b: {
          vertices: [
            [0, 0],
            [10, 0],
            [10, 10],
          ],
          edges: [
            { endpoints: [0, 1] },
            { endpoints: [1, 2] },
            {
              endpoints: [2, 0],
              curvature: {
                type: "cubic",
                params: [
                  [0.2, 0.2],
                  [0.8, 0.2],
                ],
              },
            },
          ],
        },
      },
      stitches: [[{ panel: "f", edge: 0 }, { panel: "b", edge: 1 }, "right_wrong"]],
    },
    properties: { units_in_meter: 100 },
  });
  const scene = {
    name: "fuzz",
    seconds: 1,
    sheets: [
      {
        shape: { type: "rectangle", width: 0.2, height: 0.3 },
        sampling: { type: "grid", points: 30 },
        material: { preset: "cotton", D: 1e-5 },
        pose: { type: "cylinder", radius: 0.2, position: [0, 0, 1], rotation: [0, 90, 0] },
      },
      {
        shape: {
          type: "polygon",
          points: [
            [0, 0],
            [1, 0],
            [0, 1],
          ],
        },
        material: "paper",
      },
    ],
    pins: [
      { at: { corner: "top-left", radius: 0.02 }, motion: [{ time: 1, translate: [0, 0, 1] }] },
    ],
    colliders: [{ body: { type: "box", size: [1, 1, 1] }, motion: { spin: { rate: 90 } } }],
    contact: { self: true },
  };
  const yaml =
    "name: fuzz # a scene\nsheet: &cloth\n  shape: { type: disc, radius: 0.2 }\n  sampling: {points: 60}\n  pose:\n    position: [0, 0, 1e-1]\n" +
    "pins:\n  - at: { nearest: [0, 0] }\n    kind: clamp\nair: {drag: .5}\n---\n";
  const sheets = parseScene(scene as never).sheets;
  const sheet = encodeSheet(createSheet(sheets, 1));
  const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return [
    {
      name: "OBJ",
      seeds: [
        from("obj", ".obj"),
        text.encode(
          "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .2 0\nvt 0 0\nvt 1 1\nf 1/1 2/2 3/1 4/2 5/1\nf -1 -2 -3\n",
        ),
      ],
      read: (b) => checkMesh(parseObj(decoded(b))),
    },
    {
      name: "PLY",
      seeds: [from("ply", ".ply"), text.encode(asciiPly), bigPly, joined(writePly(split))],
      read: (b) => checkMesh(parsePly(b)),
    },
    {
      name: "STL",
      seeds: [from("stl", ".stl"), text.encode(asciiStl)],
      read: (b) => checkMesh(parseStl(b)),
    },
    {
      name: "glTF",
      seeds: [glb, text.encode(JSON.stringify(json))],
      read: (b) => {
        for (const { mesh } of parseGltf(b)) checkMesh(mesh);
      },
    },
    { name: "PC2", seeds: [from("pc2", ".pc2")], read: (b) => void parsePc2(b) },
    { name: "MDD", seeds: [from("mdd", ".mdd")], read: (b) => void parseMdd(b) },
    {
      name: "SVG",
      seeds: [text.encode(svg)],
      read: (b) => parseSvg(decoded(b)).forEach(checkPanel),
    },
    {
      name: "DXF",
      seeds: [text.encode(dxf)],
      read: (b) => parseDxf(decoded(b)).forEach(checkPanel),
    },
    {
      name: "scene as JSON",
      seeds: [text.encode(JSON.stringify(scene)), text.encode(JSON.stringify(scene, null, 2))],
      read: (b) => {
        const { input, locate } = readSceneText(decoded(b), "scene.json");
        checkScene(input, "scene.json", locate);
      },
    },
    {
      name: "scene as YAML",
      seeds: [text.encode(yaml)],
      read: (b) => void parseSceneText(decoded(b), "scene.yaml"),
    },
    {
      name: "recording",
      seeds: [
        sheet,
        encodeCheckpoint({ frames: 3, version: "0" }, new Uint8Array(100)),
        encodeFramesHeader(
          framesLayout(30, { sealed: true, framed: true, bodies: 2, moving: true, parts: 3 }),
          "ab".repeat(32),
        ),
      ],
      read: (b) => {
        const magic = new TextDecoder("latin1").decode(b.subarray(0, 8));
        if (magic === "ISOFRAME") decodeFramesHeader(b);
        else if (magic === "ISOCHECK") decodeCheckpoint(b);
        else decodeSheet(b);
      },
    },
    {
      name: "GarmentCode",
      seeds: [text.encode(garment)],
      read: (b) => parseGarmentCode(decoded(b)).panels.forEach(checkPanel),
    },
  ];
}

function checkMesh({ positions, triangles, uv, cornerUv }: TriangleMesh): void {
  const n = positions.length / 3;
  if (!Number.isInteger(n)) throw new Error("positions are not triples");
  if (!positions.every(Number.isFinite)) throw new Error("a position is not finite");
  if (!triangles.every((i) => i >= 0 && i < n)) throw new Error("a triangle names no point");
  if (uv !== null && (uv.length !== 2 * n || !uv.every(Number.isFinite))) throw new Error("uv");
  if (cornerUv && cornerUv.length !== 2 * triangles.length) throw new Error("cornerUv");
}

function checkPanel({ points, edges, holes, place }: Panel): void {
  for (const point of [...points, ...holes.flat()])
    if (!point.every(Number.isFinite)) throw new Error("a point is not finite");
  for (const [first, last] of Object.values(edges))
    if (!(first >= 0 && first < points.length && last >= 0 && last < points.length))
      throw new Error("an edge names no vertex");
  if (![...place.position, ...place.rotation].every(Number.isFinite))
    throw new Error("a place is not finite");
}

const HOSTILE = [
  "nan",
  "NaN",
  "inf",
  "-1",
  "0",
  "1e308",
  "-1e308",
  "1e-320",
  "2147483648",
  "4294967295",
  "99999999999999999999",
  "0x7f",
  "",
  "null",
  "[]",
  "{}",
  "__proto__",
  "constructor",
  "\u0000",
  "é",
  "1e999",
];
const HUGE = [
  0xffffffff, 0x7fffffff, 0x80000000, 0x7fc00000, 0x7f800000, 0xff7fffff, 0, 1, 0x00ffffff,
];

/** One to four random changes to one of the seeds. */
function mutated(seeds: readonly Uint8Array[], random: () => number): Uint8Array {
  const below = (n: number) => Math.floor(random() * n);
  let bytes: Uint8Array = seeds[below(seeds.length)].slice();
  for (let wounds = 1 + below(4); wounds > 0; wounds--) {
    const at = below(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + below(64));
    switch (below(9)) {
      case 0: // cut off
        bytes = bytes.slice(0, at);
        break;
      case 1: // flip a bit
        if (at < bytes.length) bytes[at] ^= 1 << below(8);
        break;
      case 2: // any byte
        if (at < bytes.length) bytes[at] = below(256);
        break;
      case 3: // a huge or odd number, binary
        if (at + 4 <= bytes.length)
          new DataView(bytes.buffer).setUint32(
            at - (at % 4),
            HUGE[below(HUGE.length)],
            below(2) === 0,
          );
        break;
      case 4: {
        // a huge or odd number, text: in place of the number nearest
        let first = at;
        while (first < bytes.length && !isDigit(bytes[first])) first++;
        let last = first;
        while (last < bytes.length && (isDigit(bytes[last]) || bytes[last] === 46)) last++;
        bytes = spliced(
          bytes,
          first,
          last,
          new TextEncoder().encode(HOSTILE[below(HOSTILE.length)]),
        );
        break;
      }
      case 5: // take out
        bytes = spliced(bytes, at, to, new Uint8Array(0));
        break;
      case 6: // double
        bytes = spliced(bytes, at, at, bytes.slice(at, to));
        break;
      case 7: {
        // repeat many times
        const piece = bytes.slice(at, to);
        const times = below(50);
        const many = new Uint8Array(piece.length * times);
        for (let k = 0; k < times; k++) many.set(piece, k * piece.length);
        bytes = spliced(bytes, at, at, many);
        break;
      }
      default: {
        // a piece of another
        const other = seeds[below(seeds.length)];
        const cut = below(other.length);
        bytes = spliced(bytes, at, to, other.slice(cut, cut + below(64)));
      }
    }
  }
  return bytes;
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function spliced(bytes: Uint8Array, from: number, to: number, piece: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length - (to - from) + piece.length);
  out.set(bytes.subarray(0, from));
  out.set(piece, from);
  out.set(bytes.subarray(to), from + piece.length);
  return out;
}
