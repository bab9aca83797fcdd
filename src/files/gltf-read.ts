/**
 * glTF 2.0, read for what a simulation needs: triangle meshes in metres with z up, joined where the
 * format has split them, uv, and the rigid motion of animated nodes. Skins, morph targets, cameras,
 * materials are passed over; compressed meshes are refused by name.
 *
 * Motion. A node moves rigidly if M(t) M(0)⁻¹ is a rotation and a translation, M(t) being its matrix
 * in the world, parents included. Keys are taken wherever the node or a parent has one, and between
 * them so densely that a turn is at most 5°: our keyframes go straight in position and rotation
 * vector, glTF's along the sphere.
 *
 * The file is not trusted: every count is checked against the bytes behind it before memory is taken,
 * a node may have one parent, and all meshes together may have five million points and corners.
 * (@gltf-transform/core reads more of glTF, but allocates what an accessor promises.)
 */
import { acos, atan2, sin } from "../linalg/elementary.ts";
import type { Motion, Vec3 } from "../scene/scene.ts";
import { turnBack } from "./animation.ts";
import { FileError, parseJsonText } from "./file-error.ts";
import { type TriangleMesh, weld } from "./mesh.ts";

export interface GltfObject {
  readonly name: string;
  /** Where it is at time 0, in the world, z up. */
  readonly mesh: TriangleMesh;
  /** null: it does not move. */
  readonly motion: Motion | null;
}

const MOST_POINTS = 5e6; // some 100 bytes each while welding: half a gigabyte
const MOST_KEYS = 1e5;
/** Matrices of nodes computed for motions: about two seconds. */
const MOST_WORK = 2e6;
const STEP = (5 * Math.PI) / 180;
/** s; far below any time step, far above the rounding of 32-bit times. */
const STEP_TIME = 1e-5;
const SPLINE_PIECES = 16;

/**
 * Every mesh of the default scene, in the world. Takes a .glb, or a .gltf whose buffers are inside it.
 *
 * @example
 * const [body] = parseGltf(bytes);
 */
export function parseGltf(bytes: Uint8Array): GltfObject[] {
  return new GltfReader(bytes).objects();
}

/** All meshes of the file as one, standing still. */
export function parseGltfMesh(bytes: Uint8Array): TriangleMesh {
  const objects = parseGltf(bytes);
  if (objects.length === 0) throw new FileError("glTF", "scene", "has no triangles");
  if (objects.length === 1) return objects[0].mesh;
  const n = objects.reduce((sum, { mesh }) => sum + mesh.positions.length / 3, 0);
  const corners = objects.reduce((sum, { mesh }) => sum + mesh.triangles.length, 0);
  const positions = new Float64Array(3 * n);
  const triangles = new Int32Array(corners);
  const textured = objects.every(({ mesh }) => mesh.uv !== null);
  const uv = textured ? new Float64Array(2 * n) : null;
  const cornerUv =
    textured && objects.some(({ mesh }) => mesh.cornerUv) ? new Float64Array(2 * corners) : null;
  let first = 0;
  let at = 0;
  for (const { mesh } of objects) {
    positions.set(mesh.positions, 3 * first);
    if (uv !== null) uv.set(mesh.uv!, 2 * first);
    for (let k = 0; k < mesh.triangles.length; k++) {
      triangles[at + k] = first + mesh.triangles[k];
      if (cornerUv === null) continue;
      for (let c = 0; c < 2; c++)
        cornerUv[2 * (at + k) + c] = mesh.cornerUv
          ? mesh.cornerUv[2 * k + c]
          : mesh.uv![2 * mesh.triangles[k] + c];
    }
    first += mesh.positions.length / 3;
    at += mesh.triangles.length;
  }
  return { positions, triangles, uv, ...(cornerUv !== null && { cornerUv }) };
}

type Json = Record<string, unknown>;

class GltfReader {
  private readonly json: Json;
  private readonly buffers: Uint8Array[];
  private points = 0;
  private work = 0;

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

  objects(): GltfObject[] {
    const { json } = this;
    const nodes = list(json.nodes ?? [], "nodes").map((node, k) => record(node, `node ${k}`));
    const scenes = list(json.scenes ?? [], "scenes");
    const parent = parents(nodes);
    const roots =
      scenes.length > 0
        ? list(
            record(scenes[integer(json.scene ?? 0, 0, scenes.length, "scene")], "scene").nodes ??
              [],
            "scene",
          ).map((k) => integer(k, 0, nodes.length, "scene"))
        : nodes.map((_, k) => k).filter((k) => parent[k] < 0);
    const tracks = this.tracks(nodes.length);

    const result: GltfObject[] = [];
    const seen = new Uint8Array(nodes.length);
    const stack = [...roots].reverse();
    while (stack.length > 0) {
      const k = stack.pop()!;
      if (seen[k]) continue;
      seen[k] = 1;
      for (const child of (nodes[k].children as number[] | undefined) ?? []) stack.push(child);
      if (nodes[k].mesh === undefined) continue;
      const path = pathTo(k, parent);
      const name = typeof nodes[k].name === "string" ? (nodes[k].name as string) : `node-${k}`;
      const matrix = (time: number) => {
        this.work += path.length;
        if (this.work > MOST_WORK)
          throw new FileError("glTF", `node ${k}`, "too many keyframes on too many nodes");
        return worldMatrix(path, nodes, tracks, time);
      };
      const mesh = this.mesh(integer(nodes[k].mesh, 0, Infinity, `node ${k}`), matrix(0));
      if (mesh === null) continue;
      result.push({ name, mesh, motion: rigidMotion(path, tracks, matrix, `node ${k}`) });
    }
    return result;
  }

  /** All triangles of a mesh, its points moved by `M` and turned to z up. */
  private mesh(index: number, M: Float64Array): TriangleMesh | null {
    const meshes = list(this.json.meshes ?? [], "meshes");
    const place = `mesh ${index}`;
    const mesh = record(meshes[integer(index, 0, meshes.length, place)], place);
    const pieces: { positions: Float64Array; uv: Float64Array | null; triangles: Int32Array }[] =
      [];
    for (const primitive of list(mesh.primitives ?? [], place)) {
      const { attributes, indices, mode = 4 } = record(primitive, place);
      if (mode !== 4 && mode !== 5 && mode !== 6) continue; // points and lines
      const { POSITION, TEXCOORD_0 } = record(attributes, place);
      if (POSITION === undefined) continue;
      const positions = this.accessor(POSITION, "VEC3", place);
      const uv = TEXCOORD_0 === undefined ? null : this.accessor(TEXCOORD_0, "VEC2", place);
      if (uv !== null && uv.length / 2 !== positions.length / 3)
        throw new FileError(
          "glTF",
          place,
          `${uv.length / 2} uvs for ${positions.length / 3} points`,
        );
      const n = positions.length / 3;
      const corners =
        indices === undefined
          ? Float64Array.from({ length: n }, (_, k) => k)
          : this.accessor(indices, "SCALAR", place);
      for (const i of corners)
        if (!(i >= 0 && i < n))
          throw new FileError(
            "glTF",
            place,
            `a triangle names point ${i}`,
            `the mesh has ${n} (0 … ${n - 1})`,
          );
      if (uv !== null) for (let k = 1; k < uv.length; k += 2) uv[k] = 1 - uv[k];
      pieces.push({ positions, uv, triangles: trianglesOf(corners, mode) });
    }
    if (pieces.length === 0) return null;

    const n = pieces.reduce((sum, piece) => sum + piece.positions.length / 3, 0);
    const corners = pieces.reduce((sum, piece) => sum + piece.triangles.length, 0);
    const positions = new Float64Array(3 * n);
    const triangles = new Int32Array(corners);
    const uv = pieces.every((piece) => piece.uv !== null) ? new Float64Array(2 * n) : null;
    let first = 0;
    let at = 0;
    for (const piece of pieces) {
      positions.set(piece.positions, 3 * first);
      uv?.set(piece.uv!, 2 * first);
      for (const i of piece.triangles) triangles[at++] = first + i;
      first += piece.positions.length / 3;
    }
    // joined before it is moved: the same point must have the same bits
    const joined = weld(positions, triangles, uv);
    move(joined.positions, M);
    turnBack(joined.positions);
    for (const x of joined.positions)
      if (!Number.isFinite(x))
        throw new FileError("glTF", place, "a point is not finite once placed");
    return determinant(M) < 0 ? mirrored(joined) : joined;
  }

  /** Values of an accessor as numbers; normalised integers become fractions. */
  private accessor(value: unknown, type: string, user: string): Float64Array {
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

  /** Keyframes of translation, rotation and scale of every animated node, of the first animation that moves it. */
  private tracks(nodes: number): Map<number, Tracks> {
    const result = new Map<number, Tracks>();
    for (const [a, value] of list(this.json.animations ?? [], "animations").entries()) {
      const place = `animation ${a}`;
      const animation = record(value, place);
      const samplers = list(animation.samplers ?? [], place);
      for (const entry of list(animation.channels ?? [], place)) {
        const channel = record(entry, place);
        const { node, path } = record(channel.target, place);
        if (
          node === undefined ||
          (path !== "translation" && path !== "rotation" && path !== "scale")
        )
          continue;
        const k = integer(node, 0, nodes, place);
        const tracks = result.get(k) ?? {};
        if (tracks[path] !== undefined) continue;
        const sampler = record(
          samplers[integer(channel.sampler, 0, samplers.length, place)],
          place,
        );
        const times = this.accessor(sampler.input, "SCALAR", place);
        const values = this.accessor(sampler.output, path === "rotation" ? "VEC4" : "VEC3", place);
        const mode = sampler.interpolation ?? "LINEAR";
        const width = path === "rotation" ? 4 : 3;
        const per = mode === "CUBICSPLINE" ? 3 * width : width;
        if (times.length === 0 || times.length > MOST_KEYS || values.length !== per * times.length)
          throw new FileError(
            "glTF",
            place,
            `${times.length} times for ${values.length / per} values`,
          );
        for (let i = 1; i < times.length; i++)
          if (!(times[i] > times[i - 1]))
            throw new FileError("glTF", place, "its times do not rise");
        tracks[path] = {
          times,
          values,
          width,
          mode: mode === "STEP" || mode === "CUBICSPLINE" ? mode : "LINEAR",
        };
        result.set(k, tracks);
      }
    }
    return result;
  }
}

interface Track {
  times: Float64Array;
  values: Float64Array;
  width: number;
  mode: "LINEAR" | "STEP" | "CUBICSPLINE";
}
type Tracks = { translation?: Track; rotation?: Track; scale?: Track };

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
  try {
    return Uint8Array.from(atob(uri.slice(comma + 1)), (c) => c.charCodeAt(0));
  } catch {
    throw new FileError("glTF", place, "its base64 is broken");
  }
}

/** The parent of each node, −1 for none; refuses a second parent, which is also what makes cycles. */
function parents(nodes: readonly Json[]): Int32Array {
  const parent = new Int32Array(nodes.length).fill(-1);
  for (const [k, node] of nodes.entries())
    for (const child of list(node.children ?? [], `node ${k}`)) {
      const c = integer(child, 0, nodes.length, `node ${k}`);
      if (parent[c] >= 0)
        throw new FileError("glTF", `node ${c}`, "has two parents", "needs a tree");
      parent[c] = k;
    }
  return parent;
}

/** From the root down to the node. One parent each does not rule out a ring without a root. */
function pathTo(k: number, parent: Int32Array): number[] {
  const path: number[] = [];
  for (let i = k; i >= 0; i = parent[i]) {
    path.push(i);
    if (path.length > parent.length)
      throw new FileError("glTF", `node ${k}`, "is its own parent", "needs a tree");
    if (path.length > 1000) throw new FileError("glTF", `node ${k}`, "lies deeper than 1000 nodes");
  }
  return path.reverse();
}

function trianglesOf(corners: Float64Array, mode: 4 | 5 | 6): Int32Array {
  if (mode === 4)
    return Int32Array.from(corners.subarray(0, corners.length - (corners.length % 3)));
  const count = Math.max(0, corners.length - 2);
  const triangles = new Int32Array(3 * count);
  for (let t = 0; t < count; t++) {
    const odd = mode === 5 && t % 2 === 1;
    triangles[3 * t] = corners[mode === 6 ? 0 : odd ? t + 1 : t];
    triangles[3 * t + 1] = corners[mode === 6 ? t + 1 : odd ? t : t + 1];
    triangles[3 * t + 2] = corners[t + 2];
  }
  return triangles;
}

/** Column-major 4×4 of the chain of nodes at a time. */
function worldMatrix(
  path: readonly number[],
  nodes: readonly Json[],
  tracks: Map<number, Tracks>,
  time: number,
): Float64Array {
  let M = identity();
  for (const k of path) M = product(M, localMatrix(nodes[k], tracks.get(k), time, `node ${k}`));
  return M;
}

function localMatrix(
  node: Json,
  tracks: Tracks | undefined,
  time: number,
  place: string,
): Float64Array {
  if (node.matrix !== undefined && tracks === undefined)
    return Float64Array.from(numbers(node.matrix, 16, place));
  const t = tracks?.translation
    ? sampled(tracks.translation, time)
    : numbers(node.translation ?? [0, 0, 0], 3, place);
  const s = tracks?.scale
    ? sampled(tracks.scale, time)
    : numbers(node.scale ?? [1, 1, 1], 3, place);
  let q = tracks?.rotation
    ? sampled(tracks.rotation, time)
    : numbers(node.rotation ?? [0, 0, 0, 1], 4, place);
  const length = norm(q);
  if (!(length > 1e-12 && length < Infinity))
    throw new FileError("glTF", place, "its rotation is not a quaternion");
  q = q.map((x) => x / length);
  const [x, y, z, w] = q;
  // biome-ignore format: a matrix
  return Float64Array.of(
    (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + w * z) * s[0], 2 * (x * z - w * y) * s[0], 0,
    2 * (x * y - w * z) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + w * x) * s[1], 0,
    2 * (x * z + w * y) * s[2], 2 * (y * z - w * x) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0,
    t[0], t[1], t[2], 1,
  );
}

/** The value of a track at a time, as glTF defines it: held outside, slerp for rotations. */
function sampled({ times, values, width, mode }: Track, time: number): number[] {
  let high = times.length - 1;
  let low = 0;
  const offset = mode === "CUBICSPLINE" ? width : 0;
  const per = mode === "CUBICSPLINE" ? 3 * width : width;
  const at = (key: number, shift: number = offset) =>
    Array.from(values.subarray(per * key + shift, per * key + shift + width));
  if (time <= times[0]) return at(0);
  if (time >= times[high]) return at(high);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  const span = times[high] - times[low];
  const f = (time - times[low]) / span;
  const a = at(low);
  const b = at(high);
  if (mode === "STEP") return a;
  if (mode === "CUBICSPLINE") {
    const out = at(low, 2 * width);
    const into = at(high, 0);
    const f2 = f * f;
    const f3 = f2 * f;
    return a.map(
      (x, c) =>
        (2 * f3 - 3 * f2 + 1) * x +
        span * (f3 - 2 * f2 + f) * out[c] +
        (3 * f2 - 2 * f3) * b[c] +
        span * (f3 - f2) * into[c],
    );
  }
  if (width === 3) return a.map((x, c) => x + f * (b[c] - x));
  const cos = a.reduce((sum, x, c) => sum + x * b[c], 0);
  const angle = acos(Math.min(1, Math.abs(cos)));
  const sine = sin(angle);
  const [wa, wb] = sine < 1e-6 ? [1 - f, f] : [sin((1 - f) * angle) / sine, sin(f * angle) / sine];
  return a.map((x, c) => wa * x + (cos < 0 ? -wb : wb) * b[c]);
}

/** Keys of M(t) M(0)⁻¹ about where the node starts, z up; null if nothing on the path is animated. */
function rigidMotion(
  path: readonly number[],
  tracks: Map<number, Tracks>,
  matrix: (time: number) => Float64Array,
  place: string,
): Motion | null {
  const keyTimes = new Set<number>([0]);
  for (const k of path)
    for (const { times, mode } of Object.values(tracks.get(k) ?? {}))
      for (let i = 0; i < times.length; i++) {
        if (times[i] <= 0) continue;
        keyTimes.add(times[i]);
        const before = i > 0 ? Math.max(0, times[i - 1]) : 0;
        // a step holds until just before it; a spline is followed by short straight pieces
        if (mode === "STEP" && times[i] - STEP_TIME > before) keyTimes.add(times[i] - STEP_TIME);
        for (let part = 1; part < SPLINE_PIECES && mode === "CUBICSPLINE" && i > 0; part++)
          keyTimes.add(before + ((times[i] - before) * part) / SPLINE_PIECES);
      }
  if (keyTimes.size === 1 || keyTimes.size > MOST_KEYS) return null;
  const times = [...keyTimes].sort((a, b) => a - b);
  const start = matrix(0);
  const inverse = inverted(start);
  if (inverse === null) throw new FileError("glTF", place, "is flattened to nothing by its scale");
  const pivot: Vec3 = [start[12], start[13], start[14]];
  const rigidAt = (time: number): { rotation: number[]; translate: Vec3 } => {
    const now = matrix(time);
    const D = product(now, inverse);
    for (let a = 0; a < 3; a++)
      for (let b = 0; b <= a; b++) {
        let dot = 0;
        for (let c = 0; c < 3; c++) dot += D[4 * a + c] * D[4 * b + c];
        if (!(Math.abs(dot - (a === b ? 1 : 0)) < 1e-3))
          throw new FileError(
            "glTF",
            place,
            `changes its size or shape at ${time} s`,
            "bodies move rigidly",
          );
      }
    return {
      rotation: quaternionOf(D),
      translate: [now[12] - pivot[0], now[13] - pivot[1], now[14] - pivot[2]],
    };
  };

  const keys: Motion["keys"] = [];
  let last: number[] = [0, 0, 0, 1];
  let lastVector: Vec3 = [0, 0, 0];
  const add = (time: number) => {
    const { rotation, translate } = rigidAt(time);
    lastVector = nearestVector(rotation, lastVector);
    last = rotation;
    keys.push({ time, translate: zUp(translate), rotate: zUp(lastVector) });
  };
  add(0);
  for (let k = 1; k < times.length; k++) {
    // a quarter of the way tells the turn even where the whole is a full circle
    const quarter = rigidAt(times[k - 1] + (times[k] - times[k - 1]) / 4).rotation;
    const pieces = Math.max(1, Math.ceil((4 * angleBetween(last, quarter)) / STEP));
    if (keys.length + pieces > MOST_KEYS)
      throw new FileError("glTF", place, `more than ${MOST_KEYS} keyframes`);
    for (let p = 1; p <= pieces; p++) add(times[k - 1] + ((times[k] - times[k - 1]) * p) / pieces);
  }
  const still = keys.every(
    ({ translate, rotate }) => norm(translate) < 1e-9 && norm(rotate) < 1e-9,
  );
  return still ? null : { keys, smooth: false, pivot: zUp(pivot), spin: null };
}

function zUp([x, y, z]: Vec3): Vec3 {
  return [x, 0 - z, y];
}

function angleBetween(a: readonly number[], b: readonly number[]): number {
  const dot = Math.abs(a.reduce((sum, x, c) => sum + x * b[c], 0));
  return 2 * acos(Math.min(1, dot));
}

/** The rotation vector of a quaternion that lies nearest to another: the angle may exceed a turn. */
function nearestVector([x, y, z, w]: readonly number[], to: Vec3): Vec3 {
  const sine = norm([x, y, z]);
  const angle = 2 * atan2(sine, w);
  const axis: Vec3 =
    sine > 1e-9 ? [x / sine, y / sine, z / sine] : norm(to) > 1e-9 ? unit(to) : [0, 0, 1];
  const along = axis[0] * to[0] + axis[1] * to[1] + axis[2] * to[2];
  const turns = Math.round((along - angle) / (2 * Math.PI));
  const full = angle + 2 * Math.PI * turns;
  return [axis[0] * full, axis[1] * full, axis[2] * full];
}

function unit(v: Vec3): Vec3 {
  const length = norm(v);
  return [v[0] / length, v[1] / length, v[2] / length];
}

/** Shepperd's method; the matrix is column-major and a rotation but for rounding. */
function quaternionOf(D: Float64Array): number[] {
  const [xx, xy, xz, , yx, yy, yz, , zx, zy, zz] = D;
  const q =
    xx + yy + zz > 0
      ? [yz - zy, zx - xz, xy - yx, 1 + xx + yy + zz]
      : xx > yy && xx > zz
        ? [1 + xx - yy - zz, yx + xy, zx + xz, yz - zy]
        : yy > zz
          ? [yx + xy, 1 + yy - xx - zz, zy + yz, zx - xz]
          : [zx + xz, zy + yz, 1 + zz - xx - yy, xy - yx];
  const length = norm(q);
  return q.map((x) => x / length);
}

/** Not Math.hypot, whose last bits are the engine's. */
function norm(v: readonly number[]): number {
  let sum = 0;
  for (const x of v) sum += x * x;
  return Math.sqrt(sum);
}

function identity(): Float64Array {
  return Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
}

function product(A: Float64Array, B: Float64Array): Float64Array {
  const C = new Float64Array(16);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) C[4 * column + row] += A[4 * k + row] * B[4 * column + k];
  return C;
}

/** Inverse of an affine matrix; null if it is singular. */
function inverted(M: Float64Array): Float64Array | null {
  const d = determinant(M);
  if (!(Math.abs(d) > 1e-30)) return null;
  const R = identity();
  for (let column = 0; column < 3; column++)
    for (let row = 0; row < 3; row++) {
      const [a, b] = [(column + 1) % 3, (column + 2) % 3];
      const [e, f] = [(row + 1) % 3, (row + 2) % 3];
      // the cofactor of the transposed place
      R[4 * column + row] = (M[4 * e + a] * M[4 * f + b] - M[4 * e + b] * M[4 * f + a]) / d;
    }
  for (let row = 0; row < 3; row++)
    R[12 + row] = -(R[row] * M[12] + R[4 + row] * M[13] + R[8 + row] * M[14]);
  return R;
}

function determinant(M: Float64Array): number {
  return (
    M[0] * (M[5] * M[10] - M[6] * M[9]) -
    M[4] * (M[1] * M[10] - M[2] * M[9]) +
    M[8] * (M[1] * M[6] - M[2] * M[5])
  );
}

function move(P: Float64Array, M: Float64Array): void {
  for (let k = 0; k < P.length; k += 3) {
    const [x, y, z] = [P[k], P[k + 1], P[k + 2]];
    for (let c = 0; c < 3; c++) P[k + c] = M[c] * x + M[4 + c] * y + M[8 + c] * z + M[12 + c];
  }
}

/** A mirroring transform turns triangles inside out; turned again, with their uvs. */
function mirrored(mesh: TriangleMesh): TriangleMesh {
  const { triangles, cornerUv } = mesh;
  for (let t = 0; t < triangles.length; t += 3)
    [triangles[t + 1], triangles[t + 2]] = [triangles[t + 2], triangles[t + 1]];
  if (cornerUv)
    for (let k = 0; k < cornerUv.length; k += 6)
      for (let c = 2; c < 4; c++)
        [cornerUv[k + c], cornerUv[k + c + 2]] = [cornerUv[k + c + 2], cornerUv[k + c]];
  return mesh;
}

const WIDTHS: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

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

function record(value: unknown, place: string): Json {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Json;
  throw new FileError("glTF", place, "is not an object");
}

function list(value: unknown, place: string): unknown[] {
  if (Array.isArray(value)) return value;
  throw new FileError("glTF", place, "is not a list");
}

function integer(value: unknown, min: number, end: number, place: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value < end)
    return value;
  throw new FileError(
    "glTF",
    place,
    `refers to ${String(value).slice(0, 30)}`,
    `needs a whole number of ${min} … ${end - 1}`,
  );
}

function numbers(value: unknown, count: number, place: string): number[] {
  const values = list(value, place);
  if (values.length === count && values.every((x) => typeof x === "number" && Number.isFinite(x)))
    return values as number[];
  throw new FileError("glTF", place, "its transform is broken", `needs ${count} numbers`);
}
