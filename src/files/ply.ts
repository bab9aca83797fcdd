/**
 * PLY, ascii and binary of both byte orders. Of the elements that the header declares (ply-source.ts) we take x y z, normals and uv of
 * `vertex`, polygons of `face` and strips of `tristrips`, and walk over the rest.
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
import {
  AsciiSource,
  BinarySource,
  type Element,
  readHeader,
  type Scalar,
  type Source,
} from "./ply-source.ts";

const U_NAMES = ["s", "u", "texture_u", "tx"];
const V_NAMES = ["t", "v", "texture_v", "ty"];

/**
 * @example
 * const mesh = parsePly(new Uint8Array(await file.arrayBuffer()));
 */
export function parsePly(bytes: Uint8Array): TriangleMesh {
  const { format, elements, end } = readHeader(bytes);
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
