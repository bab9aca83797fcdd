/**
 * GLB (binary glTF 2.0) with the cloth as morph targets, which three.js, Blender and every web viewer
 * play without a plug-in.
 *
 * Frame 0 is the mesh; every other frame is a target, the differences of positions and normals from
 * it; one animation moves the weights from 1 0 0 … to 0 1 0 …, straight between frames. Rigid bodies
 * are nodes whose translation and rotation are animated. Each part of the cloth is a node of its own.
 *
 * The trap: a target costs memory on the graphics card all the time, and WebGL promises only 256 of
 * them (layers of a texture). Longer recordings are therefore thinned to every second, third, … frame,
 * and the caller is told. A GLB cannot be larger than 4 GiB either. For long caches take Alembic or USD.
 *
 * The JSON stands before the data and holds the bounds of every target, so frames are read twice.
 */
import { pointNormals } from "../sheet/normals.ts";
import {
  type Animation,
  type DisplayColor,
  frameNormals,
  type OutputFile,
  partMesh,
  partsOf,
  plainName,
  type RigidBody,
  turned,
  uniqueName,
} from "./animation.ts";

const MOST_TARGETS = 256;

export interface GlbPlan {
  /** Every how many frames one is kept. */
  readonly stride: number;
  readonly notes: string[];
}

/** Which frames a GLB keeps, and what to tell the user about it. */
export function glbPlan(animation: Animation, mostTargets: number = MOST_TARGETS): GlbPlan {
  const stride = Math.max(1, Math.ceil((animation.frames - 1) / mostTargets));
  if (stride === 1) return { stride, notes: [] };
  const kept = Math.floor((animation.frames - 1) / stride) + 1;
  return {
    stride,
    notes: [
      `GLB holds ${mostTargets} morph targets at most; of ${animation.frames} frames every ${ordinal(stride)} was kept (${kept}), straight between them. For all frames take abc or usda.`,
    ],
  };
}

/** One part with what its accessors need. */
interface Piece {
  name: string;
  triangles: Int32Array;
  uv: Float64Array | null;
  first: number;
  points: number;
  color: DisplayColor | undefined;
}

export function* glbFiles(
  given: Animation,
  mostTargets: number = MOST_TARGETS,
): Generator<OutputFile> {
  const animation = turned(given, "y");
  const { stride } = glbPlan(animation, mostTargets);
  const chunks = function* (): Generator<Uint8Array> {
    const { json, bytes, data } = gltf(animation, stride, null);
    yield* container(json, bytes, data);
  };
  yield { name: `${plainName(animation.name)}.glb`, chunks: chunks() };
}

/** The same as JSON that people can read, and its numbers in a file beside it. */
export function* gltfFiles(given: Animation): Generator<OutputFile> {
  const animation = turned(given, "y");
  const name = plainName(animation.name);
  const { json, data } = gltf(animation, glbPlan(animation).stride, `${name}.bin`);
  const text = new TextEncoder().encode(`${JSON.stringify(json, null, 1)}\n`);
  yield { name: `${name}.bin`, chunks: data() };
  yield { name: `${name}.gltf`, chunks: [text] };
}

interface Gltf {
  json: object;
  bytes: number;
  data: () => Generator<Uint8Array>;
}

/** @param uri of the file with the numbers; null if they follow the JSON */
function gltf(animation: Animation, stride: number, uri: string | null): Gltf {
  const frames = Math.floor((animation.frames - 1) / stride) + 1;
  const used = new Set<string>();
  const pieces: Piece[] = partsOf(animation).map((part) => ({
    name: uniqueName(part.name, used),
    ...partMesh(animation, part),
    first: part.firstPoint,
    points: part.points,
    color: part.color,
  }));
  const reader = new FrameReader(animation, stride, pieces);
  const times = Float32Array.from({ length: frames }, (_, k) => (k * stride) / animation.rate);
  const out = createDocument(times);
  const shared = pieces.map(({ triangles, uv }) => ({
    indices: out.layout.constant(Uint32Array.from(triangles), "SCALAR", { target: ELEMENTS }),
    uv: uv && out.layout.constant(flipped(uv), "VEC2", { target: VERTICES }),
  }));
  for (const body of animation.bodies ?? [])
    addBody(out, body, uniqueName(body.name, used), stride);
  const attributes = layOutFrames(out, reader, pieces);
  for (const [p, piece] of pieces.entries()) addPiece(out, piece, shared[p], attributes[p], stride);

  const { layout, nodes, meshes, materials, channels, samplers } = out;
  const json = {
    asset: { version: "2.0", generator: "isoplate" },
    scene: 0,
    scenes: [{ nodes: nodes.map((_, k) => k) }],
    nodes,
    meshes,
    materials,
    ...(channels.length > 0 && { animations: [{ name: animation.name, channels, samplers }] }),
    accessors: layout.accessors,
    bufferViews: layout.views,
    buffers: [{ byteLength: layout.bytes, ...(uri !== null && { uri }) }],
  };
  const data = function* (): Generator<Uint8Array> {
    yield* layout.constants();
    for (let k = 0; k < frames; k++) {
      reader.read(k);
      for (const piece of pieces) {
        yield asBytes(reader.difference(piece, "positions"));
        yield asBytes(reader.difference(piece, "normals"));
      }
    }
  };
  return { json, bytes: layout.bytes, data };
}

/** A glTF document that is being put together. */
interface Document {
  readonly frames: number;
  readonly layout: Layout;
  /** Accessor of the times of the frames. */
  readonly times: number;
  readonly nodes: object[];
  readonly meshes: object[];
  readonly materials: object[];
  readonly channels: object[];
  readonly samplers: object[];
}

/** With the times of the frames, and weights that show one morph target a frame (sampler 0). */
function createDocument(seconds: Float32Array<ArrayBuffer>): Document {
  const layout = new Layout();
  const frames = seconds.length;
  const times = layout.constant(seconds, "SCALAR", { range: true });
  const targets = frames - 1;
  const weights = new Float32Array(frames * targets);
  for (let k = 1; k < frames; k++) weights[k * targets + k - 1] = 1;
  const samplers: object[] = [];
  if (targets > 0)
    samplers.push({
      input: times,
      output: layout.constant(weights, "SCALAR", {}),
      interpolation: "LINEAR",
    });
  return {
    frames,
    layout,
    times,
    nodes: [],
    meshes: [],
    materials: [],
    channels: [],
    samplers,
  };
}

/** The number of a new material. */
function addMaterial(
  { materials }: Document,
  name: string,
  color: DisplayColor = [0.8, 0.8, 0.8],
): number {
  return (
    materials.push({
      name,
      doubleSided: true,
      pbrMetallicRoughness: {
        baseColorFactor: [...color, 1],
        metallicFactor: 0,
        roughnessFactor: 0.8,
      },
    }) - 1
  );
}

/** A rigid body: its mesh, and the path of its node. */
function addBody(out: Document, body: RigidBody, name: string, stride: number): void {
  const { frames, layout, nodes, meshes, channels, samplers } = out;
  const poses = new Float32Array(3 * frames);
  const rotations = new Float32Array(4 * frames);
  samplePoses(body.pose, stride, poses, rotations);
  const { length } = body.positions;
  const positions = Float32Array.from({ length }, (_, k) => body.positions[k]);
  const normals = new Float64Array(length);
  pointNormals(normals, body.positions, body.triangles);
  const triangles = Uint32Array.from(
    { length: body.triangles.length },
    (_, k) => body.triangles[k],
  );
  const node = nodes.length;
  nodes.push({
    name,
    mesh: meshes.length,
    translation: [...poses.subarray(0, 3)],
    rotation: [...rotations.subarray(0, 4)],
  });
  meshes.push({
    name: body.name,
    primitives: [
      {
        attributes: {
          POSITION: layout.constant(positions, "VEC3", { target: VERTICES, range: true }),
          NORMAL: layout.constant(Float32Array.from(normals), "VEC3", { target: VERTICES }),
        },
        indices: layout.constant(triangles, "SCALAR", { target: ELEMENTS }),
        material: addMaterial(out, body.name, body.color),
      },
    ],
  });
  if (frames === 1) return;
  for (const [path, values, type] of [
    ["translation", poses, "VEC3"],
    ["rotation", rotations, "VEC4"],
  ] as const) {
    channels.push({ sampler: samplers.length, target: { node, path } });
    samplers.push({
      input: out.times,
      output: layout.constant(values, type, {}),
      interpolation: "LINEAR",
    });
  }
}

/** Accessors of one frame of one part. */
interface FrameAttributes {
  readonly POSITION: number;
  readonly NORMAL: number;
}

/** Positions and normals of every part, frame by frame; bounds come from a first reading. */
function layOutFrames(
  { frames, layout }: Document,
  reader: FrameReader,
  pieces: readonly Piece[],
): FrameAttributes[][] {
  const bytes = frames * pieces.reduce((sum, piece) => sum + 24 * piece.points, 0);
  const view = layout.vertexView(bytes);
  const attributes = pieces.map((): FrameAttributes[] => []);
  for (let k = 0; k < frames; k++) {
    reader.read(k);
    for (const [p, piece] of pieces.entries()) {
      const positions = reader.difference(piece, "positions");
      attributes[p].push({
        POSITION: layout.inView(view, piece.points, bounds(positions)),
        NORMAL: layout.inView(view, piece.points, null),
      });
    }
  }
  return attributes;
}

/** A sheet: its first frame as a mesh, all others as morph targets. */
function addPiece(
  out: Document,
  piece: Piece,
  { indices, uv }: { indices: number; uv: number | null },
  [base, ...others]: readonly FrameAttributes[],
  stride: number,
): void {
  const { nodes, meshes, channels } = out;
  const isMoving = others.length > 0;
  if (isMoving) channels.push({ sampler: 0, target: { node: nodes.length, path: "weights" } });
  nodes.push({ name: piece.name, mesh: meshes.length });
  meshes.push({
    name: piece.name,
    primitives: [
      {
        attributes: { ...base, ...(uv !== null && { TEXCOORD_0: uv }) },
        indices,
        material: addMaterial(out, piece.name, piece.color),
        ...(isMoving && { targets: others }),
      },
    ],
    ...(isMoving && {
      weights: new Array(others.length).fill(0),
      extras: { targetNames: others.map((_, k) => `frame ${(k + 1) * stride}`) },
    }),
  });
}

/** The two chunks of a GLB behind its header; the JSON is padded with spaces to four bytes. */
function* container(
  json: object,
  binary: number,
  data: () => Generator<Uint8Array>,
): Generator<Uint8Array> {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padded = Math.ceil(text.length / 4) * 4;
  const total = 12 + 8 + padded + 8 + binary;
  if (total > 0xffffffff)
    throw new RangeError(
      `a GLB holds 4 GiB at most, this one would take ${(total / 2 ** 30).toFixed(1)}; choose fewer frames, or abc or usda`,
    );
  const head = new DataView(new ArrayBuffer(20));
  [0x46546c67, 2, total, padded, 0x4e4f534a].forEach((word, k) => {
    head.setUint32(4 * k, word, true);
  });
  yield new Uint8Array(head.buffer);
  const chunk = new Uint8Array(padded).fill(0x20);
  chunk.set(text);
  yield chunk;
  const next = new DataView(new ArrayBuffer(8));
  next.setUint32(0, binary, true);
  next.setUint32(4, 0x004e4942, true);
  yield new Uint8Array(next.buffer);
  yield* data();
}

const VERTICES = 34962;
const ELEMENTS = 34963;

/** Accessors and buffer views; constants lie first in the buffer, the frames behind them. */
class Layout {
  readonly accessors: object[] = [];
  readonly views: object[] = [];
  bytes = 0;
  private readonly arrays: (Float32Array | Uint32Array)[] = [];
  private readonly filled: number[] = [];

  constant(
    array: Float32Array | Uint32Array,
    type: "SCALAR" | "VEC2" | "VEC3" | "VEC4",
    { target, range = false }: { target?: number; range?: boolean },
  ): number {
    const width = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 }[type];
    this.views.push({
      buffer: 0,
      byteOffset: this.bytes,
      byteLength: array.byteLength,
      ...(target !== undefined && { target }),
    });
    this.bytes += array.byteLength; // four bytes a number: always aligned
    this.arrays.push(array);
    this.filled.push(0);
    return (
      this.accessors.push({
        bufferView: this.views.length - 1,
        componentType: array instanceof Float32Array ? 5126 : 5125,
        count: array.length / width,
        type,
        ...(range && rangeOf(array, width)),
      }) - 1
    );
  }

  /** One view for all vectors of all frames; accessors follow each other in it. */
  vertexView(byteLength: number): number {
    this.filled.push(0);
    const view = {
      buffer: 0,
      byteOffset: this.bytes,
      byteLength,
      byteStride: 12,
      target: VERTICES,
    };
    this.bytes += byteLength;
    return this.views.push(view) - 1;
  }

  inView(view: number, count: number, range: object | null): number {
    const byteOffset = this.filled[view];
    this.filled[view] += 12 * count;
    const accessor = {
      bufferView: view,
      byteOffset,
      componentType: 5126,
      count,
      type: "VEC3",
      ...range,
    };
    return this.accessors.push(accessor) - 1;
  }

  *constants(): Generator<Uint8Array> {
    for (const array of this.arrays) yield asBytes(array);
  }
}

/** Reads frames and gives each part's difference from the first, as 32-bit floats. */
class FrameReader {
  private readonly animation: Animation;
  private readonly stride: number;
  private readonly positions: Float64Array;
  private readonly normals: Float64Array;
  private readonly firstPositions: Float64Array;
  private readonly firstNormals: Float64Array;
  private frame = -1;

  constructor(animation: Animation, stride: number, pieces: readonly Piece[]) {
    this.animation = animation;
    this.stride = stride;
    this.positions = new Float64Array(3 * animation.n);
    this.normals = new Float64Array(3 * animation.n);
    this.firstPositions = this.positions;
    this.firstNormals = this.normals;
    if (pieces.length === 0) return;
    this.read(0);
    this.firstPositions = this.positions.map(Math.fround);
    this.firstNormals = this.normals.map(Math.fround);
  }

  read(frame: number): void {
    if (frame === this.frame) return;
    this.frame = frame;
    this.animation.positions(frame * this.stride, this.positions);
    frameNormals(this.normals, this.animation, frame * this.stride, this.positions);
  }

  /** Frame 0 itself, or what a later frame adds to it. */
  difference(piece: Piece, what: "positions" | "normals"): Float32Array {
    const now = this[what];
    const base = what === "positions" ? this.firstPositions : this.firstNormals;
    const out = new Float32Array(3 * piece.points);
    const first = 3 * piece.first;
    for (let k = 0; k < out.length; k++)
      out[k] = this.frame === 0 ? base[first + k] : now[first + k] - base[first + k];
    return out;
  }
}

function samplePoses(
  pose: (frame: number, out: Float64Array) => void,
  stride: number,
  positions: Float32Array,
  rotations: Float32Array,
): void {
  const out = new Float64Array(7);
  for (let k = 0; 3 * k < positions.length; k++) {
    pose(k * stride, out);
    // q and −q are one rotation; stay near the last, or viewers spin the long way round
    let dot = 0;
    for (let c = 0; c < 4 && k > 0; c++) dot += out[3 + c] * rotations[4 * k - 4 + c];
    for (let c = 0; c < 3; c++) positions[3 * k + c] = out[c];
    for (let c = 0; c < 4; c++) rotations[4 * k + c] = dot < 0 ? -out[3 + c] : out[3 + c];
  }
}

function bounds(positions: Float32Array): object {
  return rangeOf(positions, 3);
}

function rangeOf(
  array: Float32Array | Uint32Array,
  width: number,
): { min: number[]; max: number[] } {
  const min = new Array(width).fill(Infinity);
  const max = new Array(width).fill(-Infinity);
  for (let k = 0; k < array.length; k++) {
    min[k % width] = Math.min(min[k % width], array[k]);
    max[k % width] = Math.max(max[k % width], array[k]);
  }
  return { min, max };
}

/** glTF counts v down from the top of the picture. */
function flipped(uv: Float64Array): Float32Array {
  return Float32Array.from(uv, (x, k) => (k % 2 === 0 ? x : 1 - x));
}

function asBytes(array: Float32Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function ordinal(k: number): string {
  return k === 2 ? "second" : k === 3 ? "third" : `${k}th`;
}
