/**
 * Nodes of glTF and how they move: the tree, keyframes, and matrices (column-major 4 × 4) at a time.
 */
import { acos, sin } from "../linalg/elementary.ts";
import { FileError } from "./file-error.ts";
import { type GltfFile, integer, type Json, list, numbers, record } from "./gltf-file.ts";

/** Keyframes of one track. */
export const MOST_KEYS = 1e5;

export interface Track {
  times: Float64Array;
  values: Float64Array;
  width: number;
  mode: "LINEAR" | "STEP" | "CUBICSPLINE";
  /** Quaternions: along the sphere between keys. */
  turns: boolean;
}

export type Tracks = { translation?: Track; rotation?: Track; scale?: Track; weights?: Track };

const PATHS = ["translation", "rotation", "scale", "weights"] as const;

/** Keyframes of every animated node, of the first animation that moves it. */
export function tracksOf(file: GltfFile, nodes: number): Map<number, Tracks> {
  const result = new Map<number, Tracks>();
  for (const [a, value] of list(file.json.animations ?? [], "animations").entries()) {
    const place = `animation ${a}`;
    const animation = record(value, place);
    const samplers = list(animation.samplers ?? [], place);
    for (const entry of list(animation.channels ?? [], place)) {
      const channel = record(entry, place);
      const target = record(channel.target, place);
      const path = PATHS.find((name) => name === target.path);
      if (target.node === undefined || path === undefined) continue;
      const k = integer(target.node, 0, nodes, place);
      const tracks = result.get(k) ?? {};
      if (tracks[path] !== undefined) continue;
      const sampler = record(samplers[integer(channel.sampler, 0, samplers.length, place)], place);
      tracks[path] = trackOf(file, sampler, path, place);
      result.set(k, tracks);
    }
  }
  return result;
}

const TYPES = { translation: "VEC3", rotation: "VEC4", scale: "VEC3", weights: "SCALAR" } as const;

function trackOf(
  file: GltfFile,
  sampler: Json,
  path: (typeof PATHS)[number],
  place: string,
): Track {
  const times = file.accessor(sampler.input, "SCALAR", place);
  const values = file.accessor(sampler.output, TYPES[path], place);
  const { interpolation } = sampler;
  const mode =
    interpolation === "STEP" || interpolation === "CUBICSPLINE" ? interpolation : "LINEAR";
  const tangents = mode === "CUBICSPLINE" ? 3 : 1;
  const width =
    path === "weights"
      ? Math.max(1, Math.floor(values.length / times.length / tangents))
      : path === "rotation"
        ? 4
        : 3;
  const per = tangents * width;
  if (times.length === 0 || times.length > MOST_KEYS || values.length !== per * times.length)
    throw new FileError("glTF", place, `${times.length} times for ${values.length / per} values`);
  for (let i = 1; i < times.length; i++)
    if (!(times[i] > times[i - 1])) throw new FileError("glTF", place, "its times do not rise");
  return { times, values, width, mode, turns: path === "rotation" };
}

/** The parent of each node, −1 for none; refuses a second parent, which is also what makes cycles. */
export function parents(nodes: readonly Json[]): Int32Array {
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
export function pathTo(k: number, parent: Int32Array): number[] {
  const path: number[] = [];
  for (let i = k; i >= 0; i = parent[i]) {
    path.push(i);
    if (path.length > parent.length)
      throw new FileError("glTF", `node ${k}`, "is its own parent", "needs a tree");
    if (path.length > 1000) throw new FileError("glTF", `node ${k}`, "lies deeper than 1000 nodes");
  }
  return path.reverse();
}

/** Column-major 4×4 of the chain of nodes at a time. */
export function worldMatrix(
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
  const moves = tracks?.translation ?? tracks?.rotation ?? tracks?.scale;
  if (node.matrix !== undefined && moves === undefined)
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
export function sampled({ times, values, width, mode, turns }: Track, time: number): number[] {
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
  if (!turns) return a.map((x, c) => x + f * (b[c] - x));
  const cos = a.reduce((sum, x, c) => sum + x * b[c], 0);
  const angle = acos(Math.min(1, Math.abs(cos)));
  const sine = sin(angle);
  const [wa, wb] = sine < 1e-6 ? [1 - f, f] : [sin((1 - f) * angle) / sine, sin(f * angle) / sine];
  return a.map((x, c) => wa * x + (cos < 0 ? -wb : wb) * b[c]);
}

/** Not Math.hypot, whose last bits are the engine's. */
export function norm(v: readonly number[]): number {
  let sum = 0;
  for (const x of v) sum += x * x;
  return Math.sqrt(sum);
}

export function identity(): Float64Array {
  return Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
}

export function product(A: Float64Array, B: Float64Array): Float64Array {
  const C = new Float64Array(16);
  for (let column = 0; column < 4; column++)
    for (let row = 0; row < 4; row++)
      for (let k = 0; k < 4; k++) C[4 * column + row] += A[4 * k + row] * B[4 * column + k];
  return C;
}

/** Inverse of an affine matrix; null if it is singular. */
export function inverted(M: Float64Array): Float64Array | null {
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

export function determinant(M: Float64Array): number {
  return (
    M[0] * (M[5] * M[10] - M[6] * M[9]) -
    M[4] * (M[1] * M[10] - M[2] * M[9]) +
    M[8] * (M[1] * M[6] - M[2] * M[5])
  );
}
