/**
 * Alembic (.abc) on Ogawa: what Maya, Houdini, Cinema 4D and Blender take as a geometry cache.
 *
 *   archive   version · library version · top object · metadata · time samplings · common metadata
 *   object    properties · child objects … · their names, metadata and two hashes
 *   compound  properties … · their headers
 *   array     sample and dimensions by turns;  scalar: samples;  a sample is its digest and its bytes
 *
 * Each part of the animation is an Xform with a PolyMesh below it: P, N and bounds a sample per
 * frame, topology and uv constant. Rigid bodies are a constant PolyMesh under a moving Xform.
 *
 * The traps: faces wind clockwise in Alembic; y is up by convention (Blender turns the points back
 * whatever one says); uv go by corner and indexed, as Maya writes and every reader expects.
 * The two hashes of an object are ours (of the digests below it): readers only compare them, to share
 * objects that are equal.
 *
 * Samples are made while they are written (see ogawa.ts): memory is a few frames, and 16 bytes for each.
 */
import type { ReadonlyI32 } from "../linalg/arena.ts";
import { pointNormals } from "../sheet/normals.ts";
import {
  type Animation,
  frameNormals,
  type OutputFile,
  partMesh,
  partsOf,
  plainName,
  uniqueName,
} from "./animation.ts";
import { murmur128 } from "./murmur.ts";
import { type OgawaData, type OgawaGroup, ogawaGroup, writeOgawa } from "./ogawa.ts";

/** Alembic's numbers of its plain types. */
const POD = { bool: 0, uint8: 1, uint32: 5, int32: 6, float32: 10, float64: 11 } as const;
const SIZE = { bool: 1, uint8: 1, uint32: 4, int32: 4, float32: 4, float64: 8 } as const;
type Pod = keyof typeof POD;

/** The sampling of animated properties; 0 is the archive's own, for what never changes. */
const FRAMES = 1;
const LIBRARY_VERSION = 10709; // 1.7.9: the layout has not changed since 1.5

export function* alembicFiles(animation: Animation, startFrame: number): Generator<OutputFile> {
  yield {
    name: `${plainName(animation.name)}.abc`,
    chunks: writeOgawa(archive(animation, startFrame)),
  };
}

function archive(animation: Animation, startFrame: number): OgawaGroup {
  const common = new CommonMetadata();
  const used = new Set<string>();
  const objects: ObjectNode[] = [];
  for (const part of partsOf(animation)) {
    const name = uniqueName(part.name, used);
    const { triangles, uv } = partMesh(animation, part);
    const Y = new Float64Array(3 * animation.n);
    const own = Y.subarray(3 * part.firstPoint, 3 * (part.firstPoint + part.points));
    const read = (frame: number) => {
      animation.positions(frame, Y);
      return own;
    };
    const N = new Float64Array(3 * animation.n);
    const ownNormals = N.subarray(3 * part.firstPoint, 3 * (part.firstPoint + part.points));
    const normals = (frame: number) => {
      animation.positions(frame, Y);
      frameNormals(N, animation, frame, Y);
      return ownNormals;
    };
    const mesh = polyMesh(triangles, uv, own.length / 3, animation.frames, read, normals);
    objects.push(xform(name, null, 1, [mesh(`${name}Shape`)]));
  }
  for (const body of animation.bodies ?? []) {
    const name = uniqueName(body.name, used);
    const points = Float64Array.from(
      { length: body.positions.length },
      (_, k) => body.positions[k],
    );
    const normals = new Float64Array(points.length);
    pointNormals(normals, points, body.triangles);
    const mesh = polyMesh(
      body.triangles,
      null,
      points.length / 3,
      1,
      () => points,
      () => normals,
    );
    objects.push(xform(name, body.pose, animation.frames, [mesh(`${name}Shape`)]));
  }

  const top = object({ name: "ABC", metadata: "", properties: [], children: objects }, common);
  const times = new DataView(new ArrayBuffer(2 * 24));
  [
    { at: 0, most: 1, step: 1, start: 0 },
    {
      at: 24,
      most: animation.frames,
      step: 1 / animation.rate,
      start: startFrame / animation.rate,
    },
  ].forEach(({ at, most, step, start }) => {
    times.setUint32(at, most, true);
    times.setFloat64(at + 4, step, true);
    times.setUint32(at + 12, 1, true); // one time per cycle: evenly spaced
    times.setFloat64(at + 16, start, true);
  });
  return ogawaGroup([
    stored(int32s([0])),
    stored(int32s([LIBRARY_VERSION])),
    top.group,
    stored(utf8("_ai_AlembicVersion=isoplate;_ai_Application=isoplate")),
    stored(new Uint8Array(times.buffer)),
    stored(common.bytes()),
  ]);
}

interface Property {
  name: string;
  metadata: string;
  kind: "compound" | "scalar" | "array";
  pod: Pod;
  extent: number;
  /** How many samples; all the same if `constant`. */
  samples: number;
  constant: boolean;
  children: Property[];
  /** Values of one sample and how many there are. */
  count: number;
  values: (frame: number) => ArrayLike<number>;
}

interface ObjectNode {
  name: string;
  metadata: string;
  properties: Property[];
  children: ObjectNode[];
}

/** A digest of everything written so far below an object, in order. */
class Trace {
  digest: Uint8Array = new Uint8Array(16);

  add(bytes: Uint8Array): void {
    this.digest = murmur128(joinBytes([this.digest, bytes]));
  }
}

function polyMesh(
  triangles: ReadonlyI32,
  uv: Float64Array | null,
  n: number,
  frames: number,
  read: (frame: number) => Float64Array,
  normals: (frame: number) => Float64Array,
): (name: string) => ObjectNode {
  // clockwise: a c b
  const indices = Int32Array.from(
    { length: triangles.length },
    (_, k) => triangles[k - (k % 3) + ((3 - (k % 3)) % 3)],
  );
  const threes = new Int32Array(triangles.length / 3).fill(3);
  const bounds = new Float64Array(6);
  const properties = [
    scalar(".selfBnds", "interpretation=box", "float64", 6, frames, (frame) => {
      box(bounds, read(frame));
      return bounds;
    }),
    array("P", "geoScope=vtx;interpretation=point", "float32", 3, n, frames, read),
    array(".faceIndices", "", "int32", 1, indices.length, frames, () => indices, true),
    array(".faceCounts", "", "int32", 1, triangles.length / 3, frames, () => threes, true),
    array("N", geomParam("vtx", "normal", 3), "float32", 3, n, frames, normals),
  ];
  if (uv !== null) {
    const metadata = geomParam("fvr", "vector", 2);
    properties.push(
      compound("uv", metadata, [
        array(".vals", metadata, "float32", 2, n, frames, () => uv, true),
        array(".indices", "", "uint32", 1, indices.length, frames, () => indices, true),
      ]),
    );
  }
  return (name) => ({
    name,
    metadata:
      "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=AbcGeom_PolyMesh_v1:.geom",
    properties: [
      compound(
        ".geom",
        "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1",
        properties,
      ),
    ],
    children: [],
  });
}

/** A transform: none (identity), or the pose of a body as one matrix operation. */
function xform(
  name: string,
  pose: ((frame: number, out: Float64Array) => void) | null,
  frames: number,
  children: ObjectNode[],
): ObjectNode {
  const properties = [scalar(".inherits", "", "bool", 1, frames, () => [1], true)];
  if (pose !== null) {
    const out = new Float64Array(7);
    const channels = Array.from({ length: 16 }, (_, k) => k);
    properties.push(
      scalar(".ops", "", "uint8", 1, frames, () => [3 << 4], true), // 3: a matrix
      scalar(".vals", "", "float64", 16, frames, (frame) => {
        pose(frame, out);
        return matrix(out);
      }),
      array(".animChans", "", "uint32", 1, 16, 1, () => channels, true),
      scalar("isNotConstantIdentity", "", "bool", 1, 1, () => [1], true),
    );
  }
  return {
    name,
    metadata: "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
    properties: [compound(".xform", "schema=AbcGeom_Xform_v3", properties)],
    children,
  };
}

/** Rows of the matrix that multiplies row vectors: rotated axes, then the position. */
function matrix([x, y, z, a, b, c, w]: Float64Array): number[] {
  // biome-ignore format: a matrix
  return [
    1 - 2 * (b * b + c * c), 2 * (a * b + w * c), 2 * (a * c - w * b), 0,
    2 * (a * b - w * c), 1 - 2 * (a * a + c * c), 2 * (b * c + w * a), 0,
    2 * (a * c + w * b), 2 * (b * c - w * a), 1 - 2 * (a * a + b * b), 0,
    x, y, z, 1,
  ];
}

function geomParam(scope: string, interpretation: string, extent: number): string {
  return `arrayExtent=1;geoScope=${scope};interpretation=${interpretation};isGeomParam=true;podExtent=${extent};podName=float32_t`;
}

function scalar(
  name: string,
  metadata: string,
  pod: Pod,
  extent: number,
  samples: number,
  values: (frame: number) => ArrayLike<number>,
  constant: boolean = false,
): Property {
  return {
    name,
    metadata,
    kind: "scalar",
    pod,
    extent,
    samples,
    constant: constant || samples === 1,
    children: [],
    count: 1,
    values,
  };
}

function array(
  name: string,
  metadata: string,
  pod: Pod,
  extent: number,
  count: number,
  samples: number,
  values: (frame: number) => ArrayLike<number>,
  constant: boolean = false,
): Property {
  return {
    ...scalar(name, metadata, pod, extent, samples, values, constant),
    kind: "array",
    count,
  };
}

function compound(name: string, metadata: string, children: Property[]): Property {
  return { ...scalar(name, metadata, "bool", 1, 0, () => []), kind: "compound", children };
}

/** An object as a group; `trace` knows its hashes once it is written. */
function object(node: ObjectNode, common: CommonMetadata): { group: OgawaGroup; trace: Trace } {
  const own = new Trace();
  own.add(utf8(node.name));
  const properties = compoundGroup(node.properties, common, own);
  const children = node.children.map((child) => object(child, common));
  const names = joinBytes(
    node.children.map((child) =>
      joinBytes([int32s([utf8(child.name).length]), utf8(child.name), common.one(child.metadata)]),
    ),
  );
  const trace = new Trace();
  const headers: OgawaData = {
    size: names.length + 32,
    bytes: () => {
      const below = new Trace(); // zeros without children, as the format asks
      for (const child of children) below.add(child.trace.digest);
      trace.add(own.digest);
      trace.add(below.digest);
      return joinBytes([names, own.digest, below.digest]);
    },
  };
  return {
    group: ogawaGroup([properties, ...children.map((child) => child.group), headers]),
    trace,
  };
}

function compoundGroup(properties: Property[], common: CommonMetadata, trace: Trace): OgawaGroup {
  if (properties.length === 0) return ogawaGroup([]);
  const groups = properties.map((property): OgawaGroup => {
    if (property.kind === "compound") return compoundGroup(property.children, common, trace);
    const samples = property.constant ? 1 : property.samples;
    if (property.kind === "scalar")
      return { count: samples, child: (frame) => sample(property, frame, trace) };
    // after each sample its dimensions: none, the count follows from the size
    return {
      count: 2 * samples,
      child: (k) => (k % 2 === 0 ? sample(property, k / 2, trace) : NOTHING),
    };
  });
  const headers = joinBytes(properties.map((property) => header(property, common)));
  return ogawaGroup([...groups, stored(headers)]);
}

const NOTHING: OgawaData = { size: 0, bytes: () => new Uint8Array(0) };

function sample(property: Property, frame: number, trace: Trace): OgawaData {
  const { pod, extent, count, values } = property;
  const size = SIZE[pod] * extent * count;
  return {
    size: 16 + size,
    bytes: () => {
      const bytes = new Uint8Array(16 + size);
      const view = new DataView(bytes.buffer, 16);
      const numbers = values(frame);
      const n = extent * count;
      if (pod === "float32") for (let k = 0; k < n; k++) view.setFloat32(4 * k, numbers[k], true);
      else if (pod === "float64")
        for (let k = 0; k < n; k++) view.setFloat64(8 * k, numbers[k], true);
      else if (SIZE[pod] === 4) for (let k = 0; k < n; k++) view.setInt32(4 * k, numbers[k], true);
      else for (let k = 0; k < n; k++) view.setUint8(k, numbers[k]);
      const digest = murmur128(bytes.subarray(16));
      bytes.set(digest);
      trace.add(digest);
      return bytes;
    },
  };
}

/**
 * The header of a property. Bits: 0–1 kind (2 array, 1 scalar, 0 compound; both for arrays of one), 2–3 bytes
 * per number below (1, 2, 4), 4–7 type, 8 own time sampling, 10 every sample as long as the first,
 * 11 constant, 12–19 extent, 20–27 metadata.
 */
function header(property: Property, common: CommonMetadata): Uint8Array {
  const { name, metadata, kind, pod, extent, samples, constant } = property;
  const title = utf8(name);
  const longest = Math.max(utf8(metadata).length, title.length, samples);
  const hint = longest < 256 ? 0 : longest < 65536 ? 1 : 2;
  const number = (value: number) => int32s([value]).subarray(0, 1 << hint);
  const index = common.index(metadata);
  let info = (hint << 2) | (index << 20);
  const parts: Uint8Array[] = [];
  if (kind !== "compound") {
    info |= kind === "scalar" ? 1 : property.count === 1 ? 3 : 2;
    info |= (POD[pod] << 4) | 0x100 | 0x400 | (extent << 12);
    if (constant) info |= 0x800;
    parts.push(number(samples), number(FRAMES));
  }
  parts.push(number(title.length), title);
  return joinBytes([int32s([info]), ...parts]);
}

/** Metadata strings that many headers share, stored once and named by a byte; 0 is none. */
class CommonMetadata {
  private readonly strings: string[] = [];

  /** Ours are a dozen strings under 256 bytes; the format would allow 254 of them. */
  index(metadata: string): number {
    if (metadata === "") return 0;
    const found = this.strings.indexOf(metadata);
    return found >= 0 ? found + 1 : this.strings.push(metadata);
  }

  one(metadata: string): Uint8Array {
    return new Uint8Array([this.index(metadata)]);
  }

  bytes(): Uint8Array {
    return joinBytes(
      this.strings.map((text) => joinBytes([new Uint8Array([text.length]), utf8(text)])),
    );
  }
}

function box(out: Float64Array, Y: Float64Array): void {
  out.fill(Infinity, 0, 3).fill(-Infinity, 3, 6);
  for (let k = 0; k < Y.length; k++) {
    const y = Math.fround(Y[k]);
    if (y < out[k % 3]) out[k % 3] = y;
    if (y > out[3 + (k % 3)]) out[3 + (k % 3)] = y;
  }
}

function stored(bytes: Uint8Array): OgawaData {
  return { size: bytes.length, bytes: () => bytes };
}

function int32s(values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, k) => {
    view.setInt32(4 * k, value, true);
  });
  return new Uint8Array(view.buffer);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
