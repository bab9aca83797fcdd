/**
 * glTF 2.0, read for what a simulation needs: triangle meshes in metres with z up, joined where the format has split them, uv, the
 * rigid motion of animated nodes (gltf-motion.ts), and the points at any time where a skin, morph targets or nodes move them.
 * Cameras and materials are passed over; compressed meshes are refused by name.
 *
 * The file is not trusted (gltf-file.ts): a node may have one parent, and the work of all motions is bounded.
 */
import type { Motion } from "../scene/scene.ts";
import { turnBack } from "./animation.ts";
import { FileError } from "./file-error.ts";
import { bakedFrames, bentPoints, skinOf } from "./gltf-bend.ts";
import { GltfFile, integer, type Json, list, record } from "./gltf-file.ts";
import { readMesh } from "./gltf-mesh.ts";
import { rigidMotion } from "./gltf-motion.ts";
import { determinant, parents, pathTo, type Tracks, tracksOf, worldMatrix } from "./gltf-nodes.ts";
import type { TriangleMesh } from "./mesh.ts";

export interface GltfObject {
  readonly name: string;
  /** Where it is at time 0, in the world, z up. Its `frames` are computed when first asked for. */
  readonly mesh: TriangleMesh;
  /** null: it does not move, or it bends. */
  readonly motion: Motion | null;
  /** Whether a skin or morph targets move its points. */
  readonly bends: boolean;
  /** Its points at a time (s), as `mesh` has them at time 0. */
  positionsAt(time: number): Float64Array;
  /** s, the last keyframe of the file. */
  readonly end: number;
}

/** Matrices of nodes computed for motions: about two seconds. */
const MOST_WORK = 2e6;

/**
 * Every mesh of the default scene, in the world. Takes a .glb, or a .gltf whose buffers are inside it.
 *
 * @example
 * const [body] = parseGltf(bytes);
 */
export function parseGltf(bytes: Uint8Array): GltfObject[] {
  const file = new GltfFile(bytes);
  const nodes = list(file.json.nodes ?? [], "nodes").map((node, k) => record(node, `node ${k}`));
  const parent = parents(nodes);
  const tree: Tree = { file, nodes, parent, tracks: tracksOf(file, nodes.length), work: 0 };
  const result: GltfObject[] = [];
  const seen = new Uint8Array(nodes.length);
  const stack = rootsOf(tree).reverse();
  while (stack.length > 0) {
    const k = stack.pop()!;
    if (seen[k]) continue;
    seen[k] = 1;
    for (const child of (nodes[k].children as number[] | undefined) ?? []) stack.push(child);
    const object = nodes[k].mesh === undefined ? null : objectAt(tree, k);
    if (object) result.push(object);
  }
  return result;
}

interface Tree {
  readonly file: GltfFile;
  readonly nodes: readonly Json[];
  readonly parent: Int32Array;
  readonly tracks: Map<number, Tracks>;
  /** Matrices computed so far. */
  work: number;
}

function rootsOf({ file: { json }, nodes, parent }: Tree): number[] {
  const scenes = list(json.scenes ?? [], "scenes");
  if (scenes.length === 0) return nodes.map((_, k) => k).filter((k) => parent[k] < 0);
  const scene = record(scenes[integer(json.scene ?? 0, 0, scenes.length, "scene")], "scene");
  return list(scene.nodes ?? [], "scene").map((k) => integer(k, 0, nodes.length, "scene"));
}

/** The matrix of a node in the world at a time. */
function matrixAt(tree: Tree, k: number, path: readonly number[], time: number): Float64Array {
  tree.work += path.length;
  if (tree.work > MOST_WORK)
    throw new FileError("glTF", `node ${k}`, "too many keyframes on too many nodes");
  return worldMatrix(path, tree.nodes, tree.tracks, time);
}

/** The mesh of a node; null if it has no triangles. */
function objectAt(tree: Tree, k: number): GltfObject | null {
  const { file, nodes, tracks } = tree;
  const node = nodes[k];
  const place = `node ${k}`;
  const path = pathTo(k, tree.parent);
  const read = readMesh(file, integer(node.mesh, 0, Infinity, place));
  if (read === null) return null;
  const matrix = (time: number): Float64Array => matrixAt(tree, k, path, time);
  const skin = skinOf(file, node, nodes.length, place);
  const joints = skin?.joints.map((j) => pathTo(j, tree.parent)) ?? [];
  const jointMatrix = (j: number, time: number): Float64Array =>
    matrixAt(tree, skin!.joints[j], joints[j], time);
  const { mesh, bend } = read;
  const weights = tracks.get(k)?.weights;
  const own = mesh.positions.slice();
  const positionsAt = (time: number): Float64Array => {
    const out = bentPoints(own, bend, { skin, jointMatrix, weights, node, place }, time);
    if (!skin || !bend || bend.perPoint === 0) move(out, matrix(time));
    turnBack(out);
    for (const x of out)
      if (!Number.isFinite(x))
        throw new FileError("glTF", place, "a point is not finite once placed");
    return out;
  };
  mesh.positions.set(positionsAt(0));
  if (determinant(matrix(0)) < 0) mirrored(mesh);
  const name = typeof node.name === "string" ? node.name : `node-${k}`;
  const end = endOf(tracks);
  const bends = bend !== null && (skin !== null || weights !== undefined);
  const motion = bends ? null : rigidMotion(path, tracks, matrix, place);
  return {
    name,
    mesh: withFrames(mesh, [positionsAt], end, place),
    motion,
    bends,
    positionsAt,
    end,
  };
}

function endOf(tracks: Map<number, Tracks>): number {
  let end = 0;
  for (const track of tracks.values())
    for (const { times } of Object.values(track)) end = Math.max(end, times[times.length - 1]);
  return end;
}

/** The mesh with its frames, computed when somebody asks for them; none where nothing is animated. */
function withFrames(
  mesh: TriangleMesh,
  positionsAt: readonly ((time: number) => Float64Array)[],
  end: number,
  place: string,
): TriangleMesh {
  if (end === 0) return mesh;
  let frames: TriangleMesh["frames"];
  return Object.defineProperty({ ...mesh }, "frames", {
    get: () => {
      frames ??= bakedFrames(mesh.positions.length, positionsAt, end, place);
      return frames;
    },
    enumerable: false,
  });
}

/**
 * All meshes of the file as one, as they are at time 0.
 *
 * @example
 * const { positions, triangles } = parseGltfMesh(bytes);
 */
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
  const mesh = { positions, triangles, uv, ...(cornerUv !== null && { cornerUv }) };
  const points = objects.map(({ positionsAt }) => positionsAt);
  return withFrames(mesh, points, Math.max(...objects.map(({ end }) => end)), "scene");
}

/** Every point by the matrix. */
function move(P: Float64Array, M: Float64Array): void {
  for (let k = 0; k < P.length; k += 3) {
    const [x, y, z] = [P[k], P[k + 1], P[k + 2]];
    for (let c = 0; c < 3; c++) P[k + c] = M[c] * x + M[4 + c] * y + M[8 + c] * z + M[12 + c];
  }
}

/** A mirroring transform turns triangles inside out; turned again, with their uvs. */
function mirrored(mesh: TriangleMesh): void {
  const { triangles, cornerUv } = mesh;
  for (let t = 0; t < triangles.length; t += 3)
    [triangles[t + 1], triangles[t + 2]] = [triangles[t + 2], triangles[t + 1]];
  if (cornerUv)
    for (let k = 0; k < cornerUv.length; k += 6)
      for (let c = 2; c < 4; c++)
        [cornerUv[k + c], cornerUv[k + c + 2]] = [cornerUv[k + c + 2], cornerUv[k + c]];
}
