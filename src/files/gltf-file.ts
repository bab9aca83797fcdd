/**
 * The container of glTF 2.0: its JSON, its buffers, and accessors as numbers.
 *
 * The file is not trusted: every count is checked against the bytes behind it before memory is taken, and all accessors together may
 * have five million values. (@gltf-transform/core reads more of glTF, but allocates what an accessor promises.)
 */
import { FileError, parseJsonText } from "./file-error.ts";

/** Values of all accessors together: some 100 bytes each while welding, half a gigabyte. */
const MOST_POINTS = 5e6;

export type Json = Record<string, unknown>;

export class GltfFile {
  readonly json: Json;
  private readonly buffers: Uint8Array[];
  private points = 0;

  constructor(bytes: Uint8Array) {
    const { json, binary } = chunks(bytes);
    this.json = json;
    const version = (record(json.asset, "asset").version ?? "") as string;
    if (typeof version !== "string" || !version.startsWith("2."))
      throw new FileError("glTF", "asset", `version ${JSON.stringify(version)}`, "needs 2.0");
    for (const name of list(json.extensionsRequired ?? [], "extensionsRequired"))
      if (
        name !== "KHR_mesh_quantization" &&
        !String(name).startsWith("KHR_materials") &&
        name !== "KHR_texture_transform"
      )
        throw new FileError(
          "glTF",
          "extensionsRequired",
          `needs ${String(name).slice(0, 60)}`,
          "save it without compression",
        );
    this.buffers = list(json.buffers ?? [], "buffers").map((buffer, k) => {
      const { uri } = record(buffer, `buffer ${k}`);
      if (uri === undefined && k === 0 && binary !== null) return binary;
      if (typeof uri === "string" && uri.startsWith("data:")) return dataUri(uri, `buffer ${k}`);
      throw new FileError(
        "glTF",
        `buffer ${k}`,
        "lies in another file",
        "needs a .glb, or data inside the .gltf",
      );
    });
  }

  /** Values of an accessor as numbers; normalised integers become fractions. */
  accessor(value: unknown, type: string, user: string): Float64Array {
    const accessors = list(this.json.accessors ?? [], "accessors");
    const index = integer(value, 0, accessors.length, user);
    const place = `accessor ${index}`;
    const accessor = record(accessors[index], place);
    if (accessor.type !== type)
      throw new FileError(
        "glTF",
        place,
        `is ${String(accessor.type).slice(0, 20)}`,
        `${user} needs ${type}`,
      );
    const width = WIDTHS[type];
    const count = integer(accessor.count, 0, 2 ** 31, place);
    this.points += count;
    if (this.points > MOST_POINTS)
      throw new FileError(
        "glTF",
        place,
        `${count} more values`,
        `a file may have ${MOST_POINTS} points and corners`,
      );
    const kind = COMPONENTS.get(accessor.componentType as number);
    if (kind === undefined)
      throw new FileError(
        "glTF",
        place,
        `component type ${String(accessor.componentType).slice(0, 20)}`,
      );
    // without a view it is all zeros, and takes as much memory as it says: hence the bound above
    const out = new Float64Array(width * count);
    const scale = accessor.normalized === true ? kind.scale : 1;
    if (accessor.bufferView !== undefined) {
      const offset = integer(accessor.byteOffset ?? 0, 0, Infinity, place);
      const { view, stride } = this.view(accessor.bufferView, place);
      const step = stride ?? kind.size * width;
      if (count > 0 && offset + step * (count - 1) + kind.size * width > view.byteLength)
        throw new FileError(
          "glTF",
          place,
          `${count} values of ${step} bytes`,
          `its view has ${view.byteLength - offset}`,
        );
      for (let i = 0; i < count; i++)
        for (let c = 0; c < width; c++)
          out[width * i + c] = kind.read(view, offset + step * i + kind.size * c) / scale;
    }
    if (accessor.sparse !== undefined)
      this.sparse(out, accessor.sparse, kind, width, count, scale, place);
    for (let k = 0; k < out.length; k++) {
      if (!Number.isFinite(out[k]))
        throw new FileError("glTF", place, `value ${k} is ${out[k]}`, "needs a finite number");
      if (scale !== 1 && out[k] < -1) out[k] = -1;
    }
    return out;
  }

  private sparse(
    out: Float64Array,
    value: unknown,
    kind: Component,
    width: number,
    count: number,
    scale: number,
    place: string,
  ): void {
    const sparse = record(value, place);
    const changed = integer(sparse.count, 0, count + 1, place);
    const where = record(sparse.indices, place);
    const what = record(sparse.values, place);
    const indexKind = COMPONENTS.get(where.componentType as number);
    if (indexKind === undefined)
      throw new FileError("glTF", place, "sparse indices of unknown type");
    const indices = this.view(where.bufferView, place).view;
    const values = this.view(what.bufferView, place).view;
    const firstIndex = integer(where.byteOffset ?? 0, 0, Infinity, place);
    const firstValue = integer(what.byteOffset ?? 0, 0, Infinity, place);
    if (
      firstIndex + changed * indexKind.size > indices.byteLength ||
      firstValue + changed * width * kind.size > values.byteLength
    )
      throw new FileError("glTF", place, `${changed} sparse values`, "their views are shorter");
    for (let k = 0; k < changed; k++) {
      const i = integer(indexKind.read(indices, firstIndex + k * indexKind.size), 0, count, place);
      for (let c = 0; c < width; c++)
        out[width * i + c] = kind.read(values, firstValue + (width * k + c) * kind.size) / scale;
    }
  }

  private view(value: unknown, user: string): { view: DataView; stride: number | null } {
    const views = list(this.json.bufferViews ?? [], "bufferViews");
    const index = integer(value, 0, views.length, user);
    const place = `bufferView ${index}`;
    const { buffer, byteOffset = 0, byteLength, byteStride } = record(views[index], place);
    const bytes = this.buffers[integer(buffer, 0, this.buffers.length, place)];
    const offset = integer(byteOffset, 0, Infinity, place);
    const length = integer(byteLength, 0, Infinity, place);
    if (offset + length > bytes.length)
      throw new FileError(
        "glTF",
        place,
        `bytes ${offset} … ${offset + length}`,
        `its buffer has ${bytes.length}`,
      );
    const stride = byteStride === undefined ? null : integer(byteStride, 1, 253, place);
    return { view: new DataView(bytes.buffer, bytes.byteOffset + offset, length), stride };
  }
}

function chunks(bytes: Uint8Array): { json: Json; binary: Uint8Array | null } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 4) throw new FileError("glTF", "byte 0", `${bytes.length} bytes`);
  if (view.getUint32(0, true) !== 0x46546c67) return { json: parseJson(bytes), binary: null };
  if (bytes.length < 20) throw new FileError("glTF", "byte 4", "the header is cut off");
  const version = view.getUint32(4, true);
  if (version !== 2) throw new FileError("glTF", "byte 4", `version ${version}`, "needs 2");
  let json: Json | null = null;
  let binary: Uint8Array | null = null;
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at, true);
    const type = view.getUint32(at + 4, true);
    if (at + 8 + length > bytes.length)
      throw new FileError(
        "glTF",
        `byte ${at}`,
        `a chunk of ${length} bytes`,
        `the file has ${bytes.length - at - 8} left`,
      );
    const chunk = bytes.subarray(at + 8, at + 8 + length);
    if (type === 0x4e4f534a && json === null) json = parseJson(chunk);
    if (type === 0x004e4942 && binary === null) binary = chunk;
    at += 8 + length;
  }
  if (json === null) throw new FileError("glTF", "byte 12", "has no JSON chunk");
  return { json, binary };
}

function parseJson(bytes: Uint8Array): Json {
  return record(parseJsonText(new TextDecoder().decode(bytes), "glTF"), "JSON");
}

function dataUri(uri: string, place: string): Uint8Array {
  const comma = uri.indexOf(",");
  if (comma < 0 || !uri.slice(0, comma).endsWith(";base64"))
    throw new FileError("glTF", place, "a data address without base64");
  const bytes = fromBase64(uri, comma + 1);
  if (bytes === null) throw new FileError("glTF", place, "its base64 is broken");
  return bytes;
}

const BASE64 = new Uint8Array(128).fill(255);
for (const [k, c] of [
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
].entries())
  BASE64[c.charCodeAt(0)] = k;

/** The bytes that a text stands for from `at` on, null if it is no base64. Without lists on the way: a file of 100 MB took 2.3 GB with atob. */
function fromBase64(text: string, at: number): Uint8Array | null {
  let end = text.length;
  while (end > at && text[end - 1] === "=") end--;
  if ((end - at) % 4 === 1 || text.length - end > 2) return null;
  const out = new Uint8Array(Math.floor(((end - at) * 3) / 4));
  let bits = 0;
  let count = 0;
  let length = 0;
  for (let k = at; k < end; k++) {
    const value = BASE64[text.charCodeAt(k)] ?? 255;
    if (value === 255) return null;
    bits = ((bits << 6) | value) & 0xffffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out[length++] = bits >> count;
  }
  return out;
}

const WIDTHS: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };

interface Component {
  size: number;
  /** What a normalised integer is divided by. */
  scale: number;
  read: (view: DataView, at: number) => number;
}

const COMPONENTS: ReadonlyMap<number, Component> = new Map([
  [5120, { size: 1, scale: 127, read: (view: DataView, at: number) => view.getInt8(at) }],
  [5121, { size: 1, scale: 255, read: (view: DataView, at: number) => view.getUint8(at) }],
  [5122, { size: 2, scale: 32767, read: (view: DataView, at: number) => view.getInt16(at, true) }],
  [5123, { size: 2, scale: 65535, read: (view: DataView, at: number) => view.getUint16(at, true) }],
  [5125, { size: 4, scale: 1, read: (view: DataView, at: number) => view.getUint32(at, true) }],
  [5126, { size: 4, scale: 1, read: (view: DataView, at: number) => view.getFloat32(at, true) }],
]);

export function record(value: unknown, place: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new FileError("glTF", place, "is not an object");
}

export function list(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new FileError("glTF", place, "is not a list");
}

export function integer(value: unknown, min: number, end: number, place: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value < end)
    return value;
  throw new FileError(
    "glTF",
    place,
    `refers to ${String(value).slice(0, 30)}`,
    `needs a whole number of ${min} … ${end - 1}`,
  );
}

export function numbers(value: unknown, count: number, place: string): number[] {
  const values = list(value, place);
  if (values.length === count && values.every((x) => typeof x === "number" && Number.isFinite(x)))
    return values as number[];
  throw new FileError("glTF", place, "its transform is broken", `needs ${count} numbers`);
}
