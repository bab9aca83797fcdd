/**
 * Meshes of glTF that bend: morph targets, then a skin.
 *
 *   x(t) = Σⱼ shareⱼ Mⱼ(t) Bⱼ (x₀ + Σₖ wₖ(t) dₖ)       Mⱼ the joint in the world, Bⱼ its inverse bind matrix
 *
 * The matrix of a skinned mesh's own node does not count, as glTF defines it.
 */
import type { VertexFrames } from "../sheet/kinematics.ts";
import { FileError } from "./file-error.ts";
import { type GltfFile, integer, type Json, list, record } from "./gltf-file.ts";
import type { MeshBend } from "./gltf-mesh.ts";
import { identity, product, sampled, type Track } from "./gltf-nodes.ts";

export interface Skin {
  /** Nodes. */
  readonly joints: readonly number[];
  /** [16] each. */
  readonly inverseBind: readonly Float64Array[];
}

/** 1/s: frames that are computed of an animation. Between them points go straight; a joint that turns by 10° from one to the next errs by 0.1 %. */
const RATE = 60;
/** Coordinates of all frames together: 200 MB. */
const MOST_NUMBERS = 5e7;

/** The skin of a node; null if it has none. */
export function skinOf(file: GltfFile, node: Json, nodes: number, place: string): Skin | null {
  if (node.skin === undefined) return null;
  const skins = list(file.json.skins ?? [], "skins");
  const skin = record(skins[integer(node.skin, 0, skins.length, place)], place);
  const joints = list(skin.joints ?? [], place).map((j) => integer(j, 0, nodes, place));
  const { inverseBindMatrices } = skin;
  if (inverseBindMatrices === undefined)
    return { joints, inverseBind: joints.map(() => identity()) };
  const all = file.accessor(inverseBindMatrices, "MAT4", place);
  if (all.length < 16 * joints.length)
    throw new FileError(
      "glTF",
      place,
      `${all.length / 16} bind matrices for ${joints.length} joints`,
    );
  return { joints, inverseBind: joints.map((_, j) => all.subarray(16 * j, 16 * j + 16)) };
}

/** What moves the points of one node. */
export interface Bender {
  readonly skin: Skin | null;
  jointMatrix(j: number, time: number): Float64Array;
  /** Keyframes of the weights of the morph targets. */
  readonly weights: Track | undefined;
  readonly node: Json;
  readonly place: string;
}

/** The points at a time, [3n]: in the world with a skin, in the node's coordinates without. */
export function bentPoints(
  points: Float64Array,
  bend: MeshBend | null,
  { skin, jointMatrix, weights, node, place }: Bender,
  time: number,
): Float64Array {
  const out = points.slice();
  if (bend === null) return out;
  const given = weights ? sampled(weights, time) : list(node.weights ?? bend.weights, place);
  bend.targets.forEach((target, t) => {
    const weight = Number(given[t] ?? 0);
    if (weight !== 0) for (let k = 0; k < out.length; k++) out[k] += weight * target[k];
  });
  if (skin === null || bend.perPoint === 0) return out;
  const matrices = skin.joints.map((_, j) => product(jointMatrix(j, time), skin.inverseBind[j]));
  const { joints, shares, perPoint } = bend;
  for (let i = 0; 3 * i < out.length; i++) {
    const [x, y, z] = out.subarray(3 * i, 3 * i + 3);
    out.fill(0, 3 * i, 3 * i + 3);
    for (let e = perPoint * i; e < perPoint * (i + 1); e++) {
      if (shares[e] === 0) continue;
      const M = matrices[joints[e]];
      if (M === undefined)
        throw new FileError(
          "glTF",
          place,
          `point ${i} names joint ${joints[e]}`,
          `the skin has ${matrices.length}`,
        );
      for (let c = 0; c < 3; c++)
        out[3 * i + c] += shares[e] * (M[c] * x + M[4 + c] * y + M[8 + c] * z + M[12 + c]);
    }
  }
  return out;
}

/** All points at 60 frames per second, from 0 to the last keyframe. */
export function bakedFrames(
  numbers: number,
  positionsAt: readonly ((time: number) => Float64Array)[],
  end: number,
  place: string,
): VertexFrames {
  const count = Math.ceil(end * RATE - 1e-9) + 1;
  if (!(count * numbers <= MOST_NUMBERS))
    throw new FileError(
      "glTF",
      place,
      `${count} frames of ${numbers / 3} points`,
      `at most ${MOST_NUMBERS / 3} points in all frames together`,
    );
  const times = Float64Array.from({ length: count }, (_, k) => Math.min(end, k / RATE));
  const positions = new Float32Array(count * numbers);
  let at = 0;
  for (const time of times)
    for (const points of positionsAt) {
      const now = points(time);
      positions.set(now, at);
      at += now.length;
    }
  return { times, positions, inFrames: false };
}
