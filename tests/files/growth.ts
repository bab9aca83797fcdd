/**
 * Files that grow: each generator makes a file of size n that was, or could be, slow for a careless reader. Twice the size
 * may take twice the time, and a little more; four times means that somewhere everything is compared with everything.
 */
import { parseDxf } from "../../src/files/dxf.ts";
import { FileError } from "../../src/files/file-error.ts";
import { parseGarmentCode } from "../../src/files/garment-code.ts";
import { parseGltf } from "../../src/files/gltf-read.ts";
import { parseObj } from "../../src/files/obj.ts";
import { parsePly } from "../../src/files/ply.ts";
import { parseStl } from "../../src/files/stl.ts";
import { parseSvg } from "../../src/files/svg.ts";
import { SceneError } from "../../src/scene/faults.ts";
import { parseSceneText } from "../../src/scene/text.ts";
import { polygonOutline } from "../../src/sheet/outline.ts";
import { SheetError } from "../../src/sheet/sheet-error.ts";

export interface Growth {
  name: string;
  /** A text of about n bytes, read. */
  make: (n: number) => string;
  read: (text: string) => unknown;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const repeated = (piece: string, n: number): string =>
  piece.repeat(Math.max(1, Math.floor(n / piece.length)));
const numbered = (piece: (k: number) => string, n: number): string => {
  const parts: string[] = [];
  for (let k = 0, length = 0; length < n; k++) {
    const next = piece(k);
    parts.push(next);
    length += next.length;
  }
  return parts.join("");
};
const svg = (body: string): string => `<svg viewBox="0 0 100 100">${body}</svg>`;
const scene = (text: string): unknown => parseSceneText(text, "scene");
const corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
const pairs = (...list: (string | number)[]): string => `${list.join("\n")}\n`;

/** A zigzag whose sides all lie beside each other, and one that crosses itself everywhere. */
const outline = (n: number, shape: (k: number) => [number, number]): unknown =>
  polygonOutline(Array.from({ length: Math.max(3, n) }, (_, k) => shape(k)));

export const GROWTHS: readonly Growth[] = [
  { name: "OBJ, equal triangles", make: (n) => corners + repeated("f 1 2 3\n", n), read: parseObj },
  { name: "OBJ, one polygon", make: (n) => `${corners}f ${repeated("1 2 3 ", n)}`, read: parseObj },
  {
    name: "OBJ, joined lines",
    make: (n) => `${corners}f ${repeated("1 2 3\\\n", n)}`,
    read: parseObj,
  },
  { name: "OBJ, points only", make: (n) => repeated("v 0 0 0\n", n), read: parseObj },
  { name: "OBJ, one word", make: (n) => `v ${repeated("1", n)} 0 0\n`, read: parseObj },
  { name: "OBJ, comments", make: (n) => repeated("#", n), read: parseObj },
  {
    name: "PLY, one polygon",
    make: (n) =>
      `ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list int int vertex_indices\nend_header\n0 0 0 1 0 0 0 1 0 ${3 * Math.floor(n / 6)} ${repeated("0 1 2 ", n)}`,
    read: (text) => parsePly(bytes(text)),
  },
  {
    name: "PLY, header",
    make: (n) => `ply\n${repeated("comment x\n", n)}`,
    read: (t) => parsePly(bytes(t)),
  },
  {
    name: "STL, ascii",
    make: (n) =>
      `solid\n${repeated("facet outer vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endfacet\n", n)}`,
    read: (text) => parseStl(bytes(text)),
  },
  {
    name: "STL, one word",
    make: (n) => `solid ${repeated("x", n)}`,
    read: (t) => parseStl(bytes(t)),
  },
  {
    name: "glTF, empty lists",
    make: (n) => `{"asset":{"version":"2.0"},"x":[${repeated("[],", n)}0]}`,
    read: (text) => parseGltf(bytes(text)),
  },
  {
    name: "glTF, nodes",
    make: (n) => `{"asset":{"version":"2.0"},"nodes":[${repeated('{"name":"a"},', n)}{}]}`,
    read: (text) => parseGltf(bytes(text)),
  },
  {
    name: "GarmentCode, lists",
    make: (n) => `{"pattern":[${repeated("[],", n)}0]}`,
    read: parseGarmentCode,
  },
  { name: "SVG, one line", make: (n) => svg(repeated("<g/>", n)), read: (t) => parseSvg(t) },
  {
    name: "SVG, letters in a tag",
    make: (n) => svg(`<path ${repeated("a", n)}/>`),
    read: (t) => parseSvg(t),
  },
  {
    name: "SVG, = in a tag",
    make: (n) => svg(`<path ${repeated("a = ", n)}/>`),
    read: (t) => parseSvg(t),
  },
  {
    name: "SVG, blanks in a number",
    make: (n) => svg(`<rect width="1${repeated(" ", n)}x"/>`),
    read: (t) => parseSvg(t),
  },
  {
    name: "SVG, blanks in the width",
    make: (n) => `<svg width="1${repeated(" ", n)}x"/>`,
    read: (t) => parseSvg(t),
  },
  {
    name: "SVG, open tags",
    make: (n) => svg(repeated("<g>", Math.min(n, 2400)) + repeated("</x>", n)),
    read: (t) => parseSvg(t),
  },
  {
    name: "SVG, transforms",
    make: (n) => svg(repeated(`<g transform="${"a".repeat(5000)}"/>`, n)),
    read: (t) => parseSvg(t),
  },
  {
    name: "SVG, equal names",
    make: (n) => svg(numbered((k) => `<rect id="a" x="${9 * k}" width="5" height="5"/>`, n)),
    read: (t) => parseSvg(t),
  },
  {
    name: "SVG, a long path",
    make: (n) => svg(`<path d="M0 0${numbered((k) => `l${k % 7} 1`, n)}z"/>`),
    read: (t) => parseSvg(t),
  },
  {
    name: "SVG, many points",
    make: (n) => svg(`<polygon points="${numbered((k) => `${k % 10} ${k} `, n)}"/>`),
    read: (t) => parseSvg(t),
  },
  {
    name: "DXF, lines",
    make: (n) =>
      pairs(0, "SECTION", 2, "ENTITIES") +
      numbered((k) => pairs(0, "LINE", 8, 0, 10, k, 20, 0, 11, k + 1, 21, 0), n),
    read: (t) => parseDxf(t),
  },
  {
    name: "DXF, lines that meet in one point",
    make: (n) =>
      pairs(0, "SECTION", 2, "ENTITIES") +
      numbered((k) => pairs(0, "LINE", 8, 0, 10, 0, 20, 0, 11, k, 21, 1), n),
    read: (t) => parseDxf(t),
  },
  {
    name: "DXF, blocks",
    make: (n) =>
      pairs(0, "SECTION", 2, "BLOCKS") +
      numbered(
        (k) =>
          pairs(0, "BLOCK", 2, `b${k}`, 0, "LINE", 8, 1, 10, 0, 20, 0, 11, 1, 21, 0, 0, "ENDBLK"),
        n,
      ),
    read: (t) => parseDxf(t),
  },
  {
    name: "DXF, a polyline",
    make: (n) =>
      pairs(0, "SECTION", 2, "ENTITIES", 0, "LWPOLYLINE", 70, 1) +
      numbered((k) => pairs(10, k, 20, k % 3), n),
    read: (t) => parseDxf(t),
  },
  {
    name: "JSON, unknown keys",
    make: (n) => `{${numbered((k) => `"k${k}":1,`, n)}"z":1}`,
    read: scene,
  },
  { name: "JSON, a long list", make: (n) => `{"pins":[${repeated("1,", n)}1]}`, read: scene },
  { name: "JSON, broken", make: (n) => `{"pins":[${repeated("1,", n)}`, read: scene },
  { name: "YAML, anchors", make: (n) => `a:\n${numbered((k) => ` - &a${k} x\n`, n)}`, read: scene },
  { name: "YAML, aliases", make: (n) => `a: &a 1\nb:\n${repeated(" - *a\n", n)}`, read: scene },
  {
    name: "YAML, anchors and aliases",
    make: (n) => `a:\n${numbered((k) => ` - &a${k} x\n - *a${k}\n`, n)}`,
    read: scene,
  },
  { name: "YAML, keys", make: (n) => numbered((k) => `k${k}: 1\n`, n), read: scene },
  { name: "YAML, blanks", make: (n) => `a:${repeated(" ", n)}1`, read: scene },
  { name: "YAML, quotes", make: (n) => `a: "${repeated("\\n", n)}`, read: scene },
  {
    name: "outline, sides beside each other",
    make: (n) => "x".repeat(n / 20),
    read: ({ length }) => outline(length, (k) => [k % 2, k / length + (k % 2 ? 1e-9 : 0)]),
  },
  {
    name: "outline, crossing itself everywhere",
    make: (n) => "x".repeat(n / 20),
    read: ({ length }) => outline(length, (k) => [Math.cos(2.4 * k), Math.sin(2.4 * k)]),
  },
];

/** CPU seconds of reading a file of n bytes; the answer may be an error of ours, and no other. */
export function cost({ make, read }: Growth, n: number): number {
  const text = make(n);
  const before = process.cpuUsage();
  try {
    read(text);
  } catch (error) {
    const ours = [FileError, SceneError, SheetError].some((type) => error instanceof type);
    if (!ours) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
