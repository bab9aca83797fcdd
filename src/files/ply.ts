/**
 * PLY, ascii and binary of both byte orders. The header declares elements with properties, scalars or
 * lists, in any order and of any name; we take x y z, normals and uv of `vertex`, polygons of `face`
 * and strips of `tristrips`, and walk over the rest.
 *
 * The trap: a header of 200 bytes can promise 10¹⁸ points. Before anything is allocated for an
 * element, the bytes that are left must be able to hold its count at its smallest size.
 */
import type { ReadonlyI32 } from "../linalg/arena.ts";
import {
  type Animation,
  frameNormals,
  frameNumber,
  type OutputFile,
  plainName,
} from "./animation.ts";
import { FileError, quoted } from "./file-error.ts";
import { checkCount, Faces, GrowingF64, type TriangleMesh } from "./mesh.ts";

type Scalar = "i1" | "u1" | "i2" | "u2" | "i4" | "u4" | "f4" | "f8";

interface Property {
  name: string;
  type: Scalar;
  /** Type of the count of a list; null for a scalar. */
  counted: Scalar | null;
}
interface Element {
  name: string;
  count: number;
  properties: Property[];
}

/** A map, not an object: a file may name a type "constructor". */
const TYPES: ReadonlyMap<string, Scalar> = new Map([
  ...["char", "int8"].map((name) => [name, "i1"] as const),
  ...["uchar", "uint8"].map((name) => [name, "u1"] as const),
  ...["short", "int16"].map((name) => [name, "i2"] as const),
  ...["ushort", "uint16"].map((name) => [name, "u2"] as const),
  ...["int", "int32"].map((name) => [name, "i4"] as const),
  ...["uint", "uint32"].map((name) => [name, "u4"] as const),
  ...["float", "float32"].map((name) => [name, "f4"] as const),
  ...["double", "float64"].map((name) => [name, "f8"] as const),
]);
const SIZES: Readonly<Record<Scalar, number>> = {
  i1: 1,
  u1: 1,
  i2: 2,
  u2: 2,
  i4: 4,
  u4: 4,
  f4: 4,
  f8: 8,
};
/** Programs write about twenty; the search for a name twice is quadratic. */
const MOST_HEADER_LINES = 10_000;

const U_NAMES = ["s", "u", "texture_u", "tx"];
const V_NAMES = ["t", "v", "texture_v", "ty"];

/**
 * @example
 * const mesh = parsePly(new Uint8Array(await file.arrayBuffer()));
 */
export function parsePly(bytes: Uint8Array): TriangleMesh {
  const { format, elements, end } = header(bytes);
  const source: Source =
    format === "ascii"
      ? new AsciiSource(bytes, end)
      : new BinarySource(bytes, end, format === "binary_little_endian");

  const positions = new GrowingF64();
  const normals = new GrowingF64();
  const pointUv = new GrowingF64();
  const cornerUv = new GrowingF64();
  const faces = new Faces("PLY");
  const textured = elements.some(
    (e) => e.name === "face" && e.properties.some((p) => p.name === "texcoord"),
  );
  for (const element of elements) {
    const smallest = element.properties.reduce(
      (sum, p) => sum + source.size(p.counted ?? p.type),
      0,
    );
    if (smallest === 0 && element.count > 0)
      throw new FileError("PLY", "header", `element ${quoted(element.name)} has no properties`);
    if (element.count * smallest > source.left())
      throw new FileError(
        "PLY",
        "header",
        `promises ${element.count} of ${quoted(element.name)}`,
        `the ${source.left()} bytes that follow cannot hold them`,
      );
    if (element.name === "vertex") checkCount("PLY", "header", element.count, 0);
    if (element.name === "vertex") readVertices(element, source, positions, normals, pointUv);
    else if (element.name === "face") readFaces(element, source, faces, cornerUv, textured);
    else if (element.name === "tristrips") readStrips(element, source, faces);
    else skip(element, source);
  }
  const mesh = faces.mesh(positions, cornerUv, "face");
  const { uv } = mesh;
  return {
    ...mesh,
    uv: uv ?? (pointUv.length > 0 ? pointUv.done() : null),
    ...(normals.length > 0 ? { normals: normals.done() } : {}),
  };
}

function header(bytes: Uint8Array): { format: string; elements: Element[]; end: number } {
  const elements: Element[] = [];
  let format = "";
  let at = 0;
  for (let number = 1; ; number++) {
    // a header line is short; binary data behind a lost end_header is not searched for newlines
    const newline = bytes.subarray(at, at + 4096).indexOf(10);
    const place = `line ${number}`;
    if (newline < 0 || number > MOST_HEADER_LINES)
      throw new FileError("PLY", place, "the header does not end", "needs a line end_header");
    const line = latin(bytes.subarray(at, at + newline)).trim();
    at += newline + 1;
    const words = line.split(/\s+/);
    if (number === 1) {
      if (line !== "ply") throw new FileError("PLY", place, `got ${quoted(line)}`, `needs "ply"`);
    } else if (words[0] === "format") {
      format = words[1] ?? "";
      if (!["ascii", "binary_little_endian", "binary_big_endian"].includes(format))
        throw new FileError(
          "PLY",
          place,
          `format ${quoted(format)}`,
          "needs ascii, binary_little_endian or binary_big_endian",
        );
    } else if (words[0] === "element") {
      const count = Number(words[2] ?? Number.NaN);
      if (words.length !== 3 || !Number.isInteger(count) || count < 0)
        throw new FileError("PLY", place, `got ${quoted(line)}`, "needs: element name count");
      if (elements.some((e) => e.name === words[1]))
        throw new FileError("PLY", place, `element ${quoted(words[1])} comes twice`);
      elements.push({ name: words[1], count, properties: [] });
    } else if (words[0] === "property") {
      const list = words[1] === "list";
      const type = TYPES.get(words[list ? 3 : 1] ?? "");
      const counted = list ? TYPES.get(words[2] ?? "") : null;
      const name = words[list ? 4 : 2];
      const element = elements.at(-1);
      if (
        type === undefined ||
        counted === undefined ||
        name === undefined ||
        element === undefined ||
        counted?.startsWith("f")
      )
        throw new FileError(
          "PLY",
          place,
          `got ${quoted(line)}`,
          `needs: property type name, or property list type type name, of ${[...TYPES.keys()].join(" ")}`,
        );
      element.properties.push({ name, type, counted });
    } else if (words[0] === "end_header") {
      break;
    } else if (words[0] !== "comment" && words[0] !== "obj_info" && line !== "") {
      throw new FileError(
        "PLY",
        place,
        `got ${quoted(line)}`,
        "needs format, element, property, comment or end_header",
      );
    }
  }
  if (format === "") throw new FileError("PLY", "header", "has no format line");
  const vertex = elements.find((e) => e.name === "vertex");
  for (const name of ["x", "y", "z"])
    if (!vertex?.properties.some((p) => p.name === name && p.counted === null))
      throw new FileError("PLY", "header", `element vertex has no ${name}`, "needs x, y and z");
  return { format, elements, end: at };
}

function readVertices(
  element: Element,
  source: Source,
  positions: GrowingF64,
  normals: GrowingF64,
  uv: GrowingF64,
): void {
  const { properties } = element;
  const find = (names: readonly string[]) =>
    properties.findIndex((p) => p.counted === null && names.includes(p.name));
  const xyz = ["x", "y", "z"].map((name) => find([name]));
  const normal = ["nx", "ny", "nz"].map((name) => find([name]));
  const texture = [find(U_NAMES), find(V_NAMES)];
  const hasNormals = !normal.includes(-1);
  const hasUv = !texture.includes(-1);
  const values = new Float64Array(properties.length);
  for (let i = 0; i < element.count; i++) {
    for (let p = 0; p < properties.length; p++) {
      const { type, counted } = properties[p];
      if (counted === null) values[p] = source.read(type);
      else source.skip(type, listLength(source, counted, type));
    }
    const push = (to: GrowingF64, columns: readonly number[]) => {
      for (const p of columns) {
        if (!Number.isFinite(values[p]))
          throw new FileError(
            "PLY",
            `vertex ${i}`,
            `${properties[p].name} is ${values[p]}`,
            "needs a finite number",
          );
        to.push(values[p]);
      }
    };
    push(positions, xyz);
    if (hasNormals) push(normals, normal);
    if (hasUv) push(uv, texture);
  }
}

function readFaces(
  element: Element,
  source: Source,
  faces: Faces,
  uv: GrowingF64,
  textured: boolean,
): void {
  for (let f = 0; f < element.count; f++) {
    let points: number[] = [];
    let texture: number[] = [];
    for (const { name, type, counted } of element.properties) {
      if (counted === null) source.skip(type, 1);
      else {
        const count = listLength(source, counted, type);
        checkCount("PLY", `face ${f}`, 0, count);
        if (name === "vertex_indices" || name === "vertex_index") {
          points = [];
          for (let k = 0; k < count; k++) points.push(pointNumber(source.read(type), f));
        } else if (name === "texcoord") {
          texture = [];
          for (let k = 0; k < count; k++) texture.push(source.read(type));
        } else source.skip(type, count);
      }
    }
    faces.begin(f);
    const uvs = textured && texture.length === 2 * points.length;
    for (let k = 0; k < points.length; k++) {
      faces.corner(points[k], uvs ? uv.length / 2 : -1);
      if (!uvs) continue;
      if (!Number.isFinite(texture[2 * k]) || !Number.isFinite(texture[2 * k + 1]))
        throw new FileError("PLY", `face ${f}`, "a texcoord is not finite");
      uv.push(texture[2 * k]);
      uv.push(texture[2 * k + 1]);
    }
  }
}

/** Strips: every point after the second makes a triangle with the two before; −1 starts anew. */
function readStrips(element: Element, source: Source, faces: Faces): void {
  for (let s = 0; s < element.count; s++) {
    for (const { name, type, counted } of element.properties) {
      if (counted === null) {
        source.skip(type, 1);
        continue;
      }
      const count = listLength(source, counted, type);
      if (name !== "vertex_indices" && name !== "vertex_index") {
        source.skip(type, count);
        continue;
      }
      let a = -1;
      let b = -1;
      let odd = false;
      for (let k = 0; k < count; k++) {
        const value = source.read(type);
        const c = value === -1 ? -1 : pointNumber(value, s);
        if (c === -1) {
          a = -1;
          b = -1;
          odd = false;
          continue;
        }
        if (a >= 0) {
          faces.begin(s);
          faces.corner(odd ? b : a, -1);
          faces.corner(odd ? a : b, -1);
          faces.corner(c, -1);
          odd = !odd;
        }
        a = b;
        b = c;
      }
    }
  }
}

function skip(element: Element, source: Source): void {
  for (let i = 0; i < element.count; i++)
    for (const { type, counted } of element.properties)
      source.skip(type, counted === null ? 1 : listLength(source, counted, type));
}

function pointNumber(value: number, face: number): number {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw new FileError(
    "PLY",
    `face ${face}`,
    `names point ${value}`,
    "needs a whole number from 0 up",
  );
}

function listLength(source: Source, counted: Scalar, type: Scalar): number {
  const count = source.read(counted);
  if (count >= 0 && count * source.size(type) <= source.left()) return count;
  throw new FileError(
    "PLY",
    source.place(),
    `a list of ${count}`,
    `the ${source.left()} bytes that follow cannot hold it`,
  );
}

/** Where the values behind the header come from. */
interface Source {
  read(type: Scalar): number;
  skip(type: Scalar, count: number): void;
  /** The fewest bytes that one value takes. */
  size(type: Scalar): number;
  left(): number;
  place(): string;
}

class BinarySource implements Source {
  private readonly view: DataView;
  private readonly little: boolean;
  private at: number;

  constructor(bytes: Uint8Array, at: number, little: boolean) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.little = little;
  }

  read(type: Scalar): number {
    const { view, at, little } = this;
    this.skip(type, 1);
    switch (type) {
      case "i1":
        return view.getInt8(at);
      case "u1":
        return view.getUint8(at);
      case "i2":
        return view.getInt16(at, little);
      case "u2":
        return view.getUint16(at, little);
      case "i4":
        return view.getInt32(at, little);
      case "u4":
        return view.getUint32(at, little);
      case "f4":
        return view.getFloat32(at, little);
      case "f8":
        return view.getFloat64(at, little);
    }
  }

  skip(type: Scalar, count: number): void {
    const end = this.at + count * SIZES[type];
    if (end > this.view.byteLength)
      throw new FileError("PLY", this.place(), "the file ends here", "the header promises more");
    this.at = end;
  }

  size(type: Scalar): number {
    return SIZES[type];
  }

  left(): number {
    return this.view.byteLength - this.at;
  }

  place(): string {
    return `byte ${this.at}`;
  }
}

class AsciiSource implements Source {
  private readonly bytes: Uint8Array;
  private at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  read(): number {
    const { bytes } = this;
    let at = this.at;
    while (at < bytes.length && bytes[at] <= 32) at++;
    const first = at;
    while (at < bytes.length && bytes[at] > 32) at++;
    this.at = at;
    if (first === at)
      throw new FileError("PLY", this.place(), "the file ends here", "the header promises more");
    const word = latin(bytes.subarray(first, Math.min(at, first + 400)));
    const value = Number(word);
    if (Number.isNaN(value) && word.toLowerCase() !== "nan")
      throw new FileError("PLY", `byte ${first}`, `got ${quoted(word)}`, "needs a number");
    return value;
  }

  skip(_type: Scalar, count: number): void {
    for (let k = 0; k < count; k++) this.read();
  }

  /** A digit and a separator; the last value needs none. */
  size(): number {
    return 2;
  }

  left(): number {
    return this.bytes.length - this.at + 1;
  }

  place(): string {
    return `byte ${this.at}`;
  }
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/**
 * A mesh as binary PLY with 64-bit positions. Per-corner uvs are written per face.
 *
 * @example
 * const bytes = writePly(mesh);
 */
export function* writePly({
  positions,
  triangles,
  uv,
  cornerUv,
  normals,
}: TriangleMesh): Generator<Uint8Array> {
  const columns = ["x", "y", "z"];
  if (normals) columns.push("nx", "ny", "nz");
  if (uv && !cornerUv) columns.push("s", "t");
  const n = positions.length / 3;
  yield plyHeader(n, "double", columns, triangles.length / 3, cornerUv !== undefined);
  const row = new Float64Array(columns.length * n);
  for (let i = 0, at = 0; i < n; i++) {
    for (let c = 0; c < 3; c++) row[at++] = positions[3 * i + c];
    if (normals) for (let c = 0; c < 3; c++) row[at++] = normals[3 * i + c];
    if (uv && !cornerUv) for (let c = 0; c < 2; c++) row[at++] = uv[2 * i + c];
  }
  yield new Uint8Array(row.buffer);
  yield faceBytes(triangles, cornerUv ?? null);
}

/** One binary PLY file per frame, 32-bit floats, with normals and the point fields as further properties. */
export function* plySequence(animation: Animation, startFrame: number): Generator<OutputFile> {
  const { n, uv } = animation;
  const fields = (animation.fields ?? []).filter((field) => field.per === "point");
  const columns = ["x", "y", "z", "nx", "ny", "nz"];
  if (uv !== null) columns.push("s", "t");
  for (const field of fields) columns.push(plainName(field.name, "field"));
  const head = plyHeader(n, "float", columns, animation.triangles.length / 3, false);
  const faces = faceBytes(animation.triangles, null);
  const Y = new Float64Array(3 * n);
  const normals = new Float64Array(3 * n);
  const values = fields.map(() => new Float64Array(n));
  const last = startFrame + animation.frames - 1;
  for (let frame = 0; frame < animation.frames; frame++)
    yield {
      name: `${plainName(animation.name)}_${frameNumber(startFrame + frame, last)}.ply`,
      chunks: (function* () {
        animation.positions(frame, Y);
        frameNormals(normals, animation, frame, Y);
        for (let f = 0; f < fields.length; f++) fields[f].values(frame, values[f]);
        const rows = new Float32Array(columns.length * n);
        for (let i = 0, at = 0; i < n; i++) {
          for (let c = 0; c < 3; c++) rows[at++] = Y[3 * i + c];
          for (let c = 0; c < 3; c++) rows[at++] = normals[3 * i + c];
          if (uv !== null) for (let c = 0; c < 2; c++) rows[at++] = uv[2 * i + c];
          for (let f = 0; f < fields.length; f++) rows[at++] = values[f][i];
        }
        yield head;
        yield new Uint8Array(rows.buffer);
        yield faces;
      })(),
    };
}

function plyHeader(
  n: number,
  type: string,
  columns: readonly string[],
  triangles: number,
  textured: boolean,
): Uint8Array {
  return new TextEncoder().encode(
    [
      "ply",
      "format binary_little_endian 1.0",
      "comment isoplate, metres, z up unless chosen otherwise",
      `element vertex ${n}`,
      ...columns.map((name) => `property ${type} ${name}`),
      `element face ${triangles}`,
      "property list uchar int vertex_indices",
      ...(textured ? ["property list uchar double texcoord"] : []),
      "end_header\n",
    ].join("\n"),
  );
}

function faceBytes(triangles: ReadonlyI32, cornerUv: Float64Array | null): Uint8Array {
  const size = cornerUv === null ? 13 : 13 + 49;
  const view = new DataView(new ArrayBuffer((triangles.length / 3) * size));
  for (let t = 0, at = 0; t < triangles.length; t += 3, at += size) {
    view.setUint8(at, 3);
    for (let k = 0; k < 3; k++) view.setInt32(at + 1 + 4 * k, triangles[t + k], true);
    if (cornerUv === null) continue;
    view.setUint8(at + 13, 6);
    for (let k = 0; k < 6; k++) view.setFloat64(at + 14 + 8 * k, cornerUv[2 * t + k], true);
  }
  return new Uint8Array(view.buffer);
}
