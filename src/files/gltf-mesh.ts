/**
 * The triangles of a glTF mesh, its pieces put together and its points joined where the format has split them, and what bends it:
 * skin weights and morph targets of every point.
 */
import { FileError } from "./file-error.ts";
import { type GltfFile, integer, type Json, list, record } from "./gltf-file.ts";
import { type TriangleMesh, weld, weldSource } from "./mesh.ts";

/** A mesh in the coordinates of its node, y up. */
export interface GltfMesh {
  readonly mesh: TriangleMesh;
  /** null: it does not bend. */
  readonly bend: MeshBend | null;
}

/** What moves the points of a mesh beside its node. */
export interface MeshBend {
  /** [points][3n] m, differences from the positions. */
  readonly targets: readonly Float64Array[];
  /** Default weights of the targets. */
  readonly weights: readonly number[];
  /** [n·perPoint] joints and their shares, which sum to 1; none without a skin. */
  readonly joints: Int32Array;
  readonly shares: Float64Array;
  readonly perPoint: number;
}

/** One primitive: arrays over its own, split points. */
interface Piece {
  positions: Float64Array;
  uv: Float64Array | null;
  triangles: Int32Array;
  targets: Float64Array[];
  joints: Float64Array[]; // sets of four per point
  shares: Float64Array[];
}

/** null: it has no triangles. */
export function readMesh(file: GltfFile, index: number): GltfMesh | null {
  const meshes = list(file.json.meshes ?? [], "meshes");
  const place = `mesh ${index}`;
  const mesh = record(meshes[integer(index, 0, meshes.length, place)], place);
  const pieces: Piece[] = [];
  for (const primitive of list(mesh.primitives ?? [], place)) {
    const piece = readPiece(file, record(primitive, place), place);
    if (piece) pieces.push(piece);
  }
  if (pieces.length === 0) return null;
  const n = pieces.reduce((sum, piece) => sum + piece.positions.length / 3, 0);
  const positions = new Float64Array(3 * n);
  const uv = pieces.every((piece) => piece.uv !== null) ? new Float64Array(2 * n) : null;
  const triangles = new Int32Array(pieces.reduce((sum, piece) => sum + piece.triangles.length, 0));
  let first = 0;
  let at = 0;
  for (const piece of pieces) {
    positions.set(piece.positions, 3 * first);
    uv?.set(piece.uv!, 2 * first);
    for (const i of piece.triangles) triangles[at++] = first + i;
    first += piece.positions.length / 3;
  }
  // joined before it is moved: the same point must have the same bits
  const welded = weld(positions, triangles, uv);
  const bends = pieces.some(({ targets, joints }) => targets.length > 0 || joints.length > 0);
  const weights = list(mesh.weights ?? [], place).map(Number);
  return {
    mesh: welded,
    bend: bends ? bendOf(pieces, weldSource(positions), weights, place) : null,
  };
}

/** null: points and lines. */
function readPiece(file: GltfFile, primitive: Json, place: string): Piece | null {
  const { attributes, indices, mode = 4, targets } = primitive;
  if (mode !== 4 && mode !== 5 && mode !== 6) return null;
  const own = record(attributes, place);
  if (own.POSITION === undefined) return null;
  const positions = file.accessor(own.POSITION, "VEC3", place);
  const n = positions.length / 3;
  const uv = own.TEXCOORD_0 === undefined ? null : file.accessor(own.TEXCOORD_0, "VEC2", place);
  if (uv !== null && uv.length / 2 !== n)
    throw new FileError("glTF", place, `${uv.length / 2} uvs for ${n} points`);
  const corners =
    indices === undefined
      ? Float64Array.from({ length: n }, (_, k) => k)
      : file.accessor(indices, "SCALAR", place);
  for (const i of corners)
    if (!(i >= 0 && i < n))
      throw new FileError(
        "glTF",
        place,
        `a triangle names point ${i}`,
        `the mesh has ${n} (0 … ${n - 1})`,
      );
  if (uv !== null) for (let k = 1; k < uv.length; k += 2) uv[k] = 1 - uv[k];
  const piece: Piece = {
    positions,
    uv,
    triangles: trianglesOf(corners, mode),
    targets: [],
    joints: [],
    shares: [],
  };
  readBend(file, own, list(targets ?? [], place), piece, place);
  return piece;
}

/** Morph targets, and joints with their shares, in sets of four. */
function readBend(
  file: GltfFile,
  attributes: Json,
  targets: unknown[],
  piece: Piece,
  place: string,
): void {
  const n = piece.positions.length / 3;
  const checked = (values: Float64Array, per: number, what: string): Float64Array => {
    if (values.length !== per * n)
      throw new FileError("glTF", place, `${values.length / per} ${what} for ${n} points`);
    return values;
  };
  for (const target of targets) {
    const { POSITION } = record(target, place);
    piece.targets.push(
      POSITION === undefined
        ? new Float64Array(3 * n)
        : checked(file.accessor(POSITION, "VEC3", place), 3, "differences of a morph target"),
    );
  }
  for (let set = 0; attributes[`JOINTS_${set}`] !== undefined; set++) {
    const joints = file.accessor(attributes[`JOINTS_${set}`], "VEC4", place);
    const shares = file.accessor(attributes[`WEIGHTS_${set}`], "VEC4", place);
    piece.joints.push(checked(joints, 4, "joints"));
    piece.shares.push(checked(shares, 4, "weights"));
  }
}

/** The same of the joined points: those of the first of every group of split ones. */
function bendOf(
  pieces: readonly Piece[],
  source: Int32Array,
  weights: readonly number[],
  place: string,
): MeshBend {
  const [{ targets, joints: sets }] = pieces;
  if (pieces.some((p) => p.targets.length !== targets.length || p.joints.length !== sets.length))
    throw new FileError("glTF", place, "its pieces differ in morph targets or joints");
  const owner: [Piece, number][] = [];
  for (const piece of pieces)
    for (let i = 0; i < piece.positions.length / 3; i++) owner.push([piece, i]);
  const n = source.length;
  const perPoint = 4 * sets.length;
  const joints = new Int32Array(perPoint * n);
  const shares = new Float64Array(perPoint * n);
  const moved = targets.map(() => new Float64Array(3 * n));
  for (let k = 0; k < n; k++) {
    const [piece, i] = owner[source[k]];
    for (const [t, out] of moved.entries())
      out.set(piece.targets[t].subarray(3 * i, 3 * i + 3), 3 * k);
    let sum = 0;
    for (let e = 0; e < perPoint; e++) {
      joints[perPoint * k + e] = piece.joints[e >> 2][4 * i + (e & 3)];
      shares[perPoint * k + e] = piece.shares[e >> 2][4 * i + (e & 3)];
      sum += shares[perPoint * k + e];
    }
    if (perPoint > 0 && !(sum > 0))
      throw new FileError("glTF", place, `point ${i} has no weight at any joint`);
    for (let e = 0; e < perPoint; e++) shares[perPoint * k + e] /= sum;
  }
  return {
    targets: moved,
    weights: targets.map((_, t) => (Number.isFinite(weights[t]) ? weights[t] : 0)),
    joints,
    shares,
    perPoint,
  };
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
