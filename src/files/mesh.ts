/**
 * Triangle meshes as files hold them, and what all readers share: growing arrays, polygons cut into
 * triangles, and points put together again that a format has split.
 *
 * A simulator needs the positions as they are joined, so they are never split: a point on a texture
 * seam stays one point, and its several uvs live in `cornerUv`. Formats that split points at seams
 * (glTF) or everywhere (STL) are welded by exact position; nearly equal is not equal, because a
 * tolerance would glue the two sides of a slit.
 */
import type { VertexFrames } from "../sheet/kinematics.ts";
import { FileError } from "./file-error.ts";

export interface TriangleMesh {
  /** [3n] m, xyz per point. */
  readonly positions: Float64Array;
  /** [3·triangles] points of each triangle, in the order of the file. */
  readonly triangles: Int32Array;
  /** [2n] of each point (the first that the file names, where a point has several); null without. */
  readonly uv: Float64Array | null;
  /** [6·triangles] of each corner; only where some point has several. */
  readonly cornerUv?: Float64Array;
  /** [3n] unit vectors, where the file has one per point. */
  readonly normals?: Float64Array;
  /** [4·cells] of meshes of volumes. */
  readonly tetrahedra?: Int32Array;
  /** Where the points are at other times. */
  readonly frames?: VertexFrames;
}

/**
 * Points and corners of triangles that a mesh may have: fifty times what is simulated. At the fewest bytes that a format
 * needs for each, a file of 100 MB could hold ten times as many, and their arrays would not fit into 1 GB.
 */
const MOST_POINTS = 5_000_000;
const MOST_CORNERS: number = 3 * MOST_POINTS;

/** @throws FileError if there are more points or corners than a mesh may have */
export function checkCount(format: string, place: string, points: number, corners: number): void {
  if (points > MOST_POINTS)
    throw new FileError(format, place, `${points} points`, `a mesh may have ${MOST_POINTS}`);
  if (corners > MOST_CORNERS)
    throw new FileError(format, place, `${corners} corners`, `a mesh may have ${MOST_CORNERS}`);
}

/** Numbers whose count is not known before; twice as much room whenever it is full. */
export class GrowingF64 {
  length = 0;
  array: Float64Array = new Float64Array(1024);

  push(value: number): void {
    if (this.length === this.array.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.array);
      this.array = larger;
    }
    this.array[this.length++] = value;
  }

  /** A copy of just what was pushed. */
  done(): Float64Array {
    return this.array.slice(0, this.length);
  }
}

export class GrowingI32 {
  length = 0;
  array: Int32Array = new Int32Array(1024);

  push(value: number): void {
    if (this.length === this.array.length) {
      const larger = new Int32Array(2 * this.length);
      larger.set(this.array);
      this.array = larger;
    }
    this.array[this.length++] = value;
  }

  done(): Int32Array {
    return this.array.slice(0, this.length);
  }
}

/**
 * Polygons as they are read, and triangles with a uv each once all points are known: a face may name
 * points that come after it in the file.
 *
 * A corner is a point and, where the file has textures, the number of its uv (−1 without). Texture
 * coordinates become one per point where the file allows that, and one per corner where it does not.
 */
export class Faces {
  private readonly format: string;
  private readonly starts = new GrowingI32();
  private readonly places = new GrowingI32();
  private readonly points = new GrowingI32();
  private readonly textures = new GrowingI32();

  constructor(format: string) {
    this.format = format;
  }

  /** Starts a polygon; `place` (its line or number) is for the error message. */
  begin(place: number): void {
    this.starts.push(this.points.length);
    this.places.push(place);
  }

  corner(point: number, texture: number): void {
    if (this.points.length >= MOST_CORNERS)
      checkCount(this.format, "faces", 0, this.points.length + 1);
    this.points.push(point);
    this.textures.push(texture);
  }

  /**
   * @param coordinates uv pairs that the textures number
   * @param unit what `place` counts: "line", "face"
   */
  mesh(positions: GrowingF64, coordinates: GrowingF64, unit: string): TriangleMesh {
    const n = positions.length / 3;
    const uvs = coordinates.length / 2;
    const cutter = new PolygonCutter(positions.array);
    const triangles = new GrowingI32();
    const textures = new GrowingI32();
    let textured = true;
    this.starts.push(this.points.length);
    for (let f = 0; f + 1 < this.starts.length; f++) {
      const first = this.starts.array[f];
      const count = this.starts.array[f + 1] - first;
      for (let k = first; k < first + count; k++) {
        this.check(this.points.array[k], 0, n, "point", unit, f);
        this.check(this.textures.array[k], -1, uvs, "uv", unit, f);
      }
      for (const k of cutter.cut(this.points.array, first, count)) {
        triangles.push(this.points.array[k]);
        textures.push(this.textures.array[k]);
        if (this.textures.array[k] < 0) textured = false;
      }
    }

    const mesh = { positions: positions.done(), triangles: triangles.done() };
    if (!textured || triangles.length === 0) return { ...mesh, uv: null };
    const cornerUv = new Float64Array(2 * triangles.length);
    for (let k = 0; k < triangles.length; k++) {
      cornerUv[2 * k] = coordinates.array[2 * textures.array[k]];
      cornerUv[2 * k + 1] = coordinates.array[2 * textures.array[k] + 1];
    }
    return { ...mesh, ...uvOfPoints(n, mesh.triangles, cornerUv) };
  }

  private check(i: number, min: number, end: number, what: string, unit: string, f: number): void {
    if (i >= min && i < end) return;
    const place = `${unit} ${this.places.array[f]}`;
    const has = `the file has ${end} of them`;
    throw new FileError(this.format, place, `names ${what} ${i}, counted from 0`, has);
  }
}

/** One uv per point if every point has one; else the first of each, and all of the corners. */
function uvOfPoints(
  n: number,
  triangles: Int32Array,
  cornerUv: Float64Array,
): { uv: Float64Array; cornerUv?: Float64Array } {
  const uv = new Float64Array(2 * n);
  const seen = new Uint8Array(n);
  let several = false;
  for (let k = 0; k < triangles.length; k++) {
    const i = triangles[k];
    if (seen[i] === 0) {
      seen[i] = 1;
      uv[2 * i] = cornerUv[2 * k];
      uv[2 * i + 1] = cornerUv[2 * k + 1];
    } else if (uv[2 * i] !== cornerUv[2 * k] || uv[2 * i + 1] !== cornerUv[2 * k + 1]) {
      several = true;
    }
  }
  return several ? { uv, cornerUv } : { uv };
}

/** The first split point of every joined one, in the order in which `weld` numbers them. */
export function weldSource(positions: Float64Array): Int32Array {
  const table = new PositionTable(positions.length / 3);
  const source: number[] = [];
  for (let i = 0; 3 * i < positions.length; i++) {
    const [x, y, z] = positions.subarray(3 * i, 3 * i + 3);
    if (table.find(x + 0, y + 0, z + 0) === source.length) source.push(i);
  }
  return Int32Array.from(source);
}

/**
 * Joins points with the same three coordinates (−0 is 0). Triangles that lose a corner are dropped.
 *
 * @param positions [3·points] of the split points
 * @param triangles points of each triangle
 * @param uv [2·points] or null
 */
export function weld(
  positions: Float64Array,
  triangles: Int32Array,
  uv: Float64Array | null,
): TriangleMesh {
  const points = positions.length / 3;
  const joined = new Int32Array(points);
  const table = new PositionTable(points);
  for (let i = 0; i < points; i++)
    joined[i] = table.find(
      positions[3 * i] + 0,
      positions[3 * i + 1] + 0,
      positions[3 * i + 2] + 0,
    );

  const kept = new GrowingI32();
  const cornerUv = new GrowingF64();
  for (let t = 0; t < triangles.length; t += 3) {
    const a = joined[triangles[t]];
    const b = joined[triangles[t + 1]];
    const c = joined[triangles[t + 2]];
    if (a === b || b === c || c === a) continue;
    kept.push(a);
    kept.push(b);
    kept.push(c);
    if (uv === null) continue;
    for (let k = t; k < t + 3; k++) {
      cornerUv.push(uv[2 * triangles[k]]);
      cornerUv.push(uv[2 * triangles[k] + 1]);
    }
  }
  const welded = table.positions.done();
  const indices = kept.done();
  if (uv === null) return { positions: welded, triangles: indices, uv: null };
  return {
    positions: welded,
    triangles: indices,
    ...uvOfPoints(welded.length / 3, indices, cornerUv.done()),
  };
}

/** Open-addressed hash of positions by the bits of their coordinates; at most half full. */
class PositionTable {
  readonly positions = new GrowingF64();
  private readonly slots: Int32Array;
  private readonly mask: number;
  private readonly key = new Float64Array(3);
  private readonly words = new Uint32Array(this.key.buffer);

  constructor(most: number) {
    let size = 16;
    while (size < 2 * most) size *= 2;
    this.slots = new Int32Array(size).fill(-1);
    this.mask = size - 1;
  }

  find(x: number, y: number, z: number): number {
    this.key[0] = x;
    this.key[1] = y;
    this.key[2] = z;
    let hash = 0x9e3779b9;
    for (let w = 0; w < 6; w++) {
      hash = Math.imul(hash ^ this.words[w], 0x85ebca6b);
      hash ^= hash >>> 15;
    }
    const { array } = this.positions;
    for (let slot = hash & this.mask; ; slot = (slot + 1) & this.mask) {
      const i = this.slots[slot];
      if (i < 0) {
        this.slots[slot] = this.positions.length / 3;
        this.positions.push(x);
        this.positions.push(y);
        this.positions.push(z);
        return this.slots[slot];
      }
      if (array[3 * i] === x && array[3 * i + 1] === y && array[3 * i + 2] === z) return i;
    }
  }
}

/**
 * Cuts polygons into triangles: convex ones as a fan, others by clipping ears in the plane of their
 * Newell normal. Ears cost O(corners²), which a hostile file could make last for hours, so one file
 * has a budget of tests; past it polygons are cut as fans (valid triangles, perhaps folded over).
 */
class PolygonCutter {
  private readonly positions: Float64Array;
  private tests = 1e8; // about a second
  private readonly out: number[] = [];
  private readonly ring: number[] = [];
  private first = 0;
  private u: Float64Array = new Float64Array(16); // by corner − first
  private v: Float64Array = new Float64Array(16);

  constructor(positions: Float64Array) {
    this.positions = positions;
  }

  /** Corners first … first+count of `points`, three per triangle; valid until the next call. */
  cut(points: Int32Array, first: number, count: number): readonly number[] {
    const { out, ring } = this;
    out.length = 0;
    ring.length = 0;
    for (let k = 0; k < count; k++)
      if (points[first + k] !== points[first + ((k + 1) % count)]) ring.push(first + k); // else the same corner twice
    if (ring.length < 3) return out;
    this.first = first;
    if (ring.length > 3 && this.flatten(points, ring)) this.clipEars(points, ring);
    for (let k = 1; k + 1 < ring.length; k++) this.emit(points, ring[0], ring[k], ring[k + 1]);
    return out;
  }

  private emit(points: Int32Array, a: number, b: number, c: number): void {
    if (points[a] === points[b] || points[b] === points[c] || points[c] === points[a]) return;
    this.out.push(a, b, c);
  }

  /** Puts the corners into their plane, counter-clockwise; false if a fan will do. */
  private flatten(points: Int32Array, ring: readonly number[]): boolean {
    const { positions: P, first } = this;
    let nx = 0;
    let ny = 0;
    let nz = 0;
    for (let k = 0; k < ring.length; k++) {
      const a = 3 * points[ring[k]];
      const b = 3 * points[ring[(k + 1) % ring.length]];
      nx += (P[a + 1] - P[b + 1]) * (P[a + 2] + P[b + 2]);
      ny += (P[a + 2] - P[b + 2]) * (P[a] + P[b]);
      nz += (P[a] - P[b]) * (P[a + 1] + P[b + 1]);
    }
    // drop the largest component of the normal; its sign keeps the orientation
    const largest = Math.max(Math.abs(nx), Math.abs(ny), Math.abs(nz));
    if (!(largest > 0 && largest < Infinity)) return false;
    const axis = Math.abs(nx) === largest ? 0 : Math.abs(ny) === largest ? 1 : 2;
    const positive = [nx, ny, nz][axis] > 0;
    const cu = (axis + (positive ? 1 : 2)) % 3;
    const cv = (axis + (positive ? 2 : 1)) % 3;
    const span = ring[ring.length - 1] - first + 1;
    if (span > this.u.length) {
      this.u = new Float64Array(2 * span);
      this.v = new Float64Array(2 * span);
    }
    for (const k of ring) {
      this.u[k - first] = P[3 * points[k] + cu];
      this.v[k - first] = P[3 * points[k] + cv];
    }
    for (let k = 0; k < ring.length; k++) {
      const next = ring[(k + 1) % ring.length];
      if (this.turn(ring[k], next, ring[(k + 2) % ring.length]) < 0) return true;
    }
    return false;
  }

  /** Emits ears and removes them from the ring until it is a triangle, or the budget is used up. */
  private clipEars(points: Int32Array, ring: number[]): void {
    let from = 0;
    let misses = 0;
    while (ring.length > 3 && misses < ring.length && this.tests > 0) {
      const length = ring.length;
      const a = ring[(from + length - 1) % length];
      const b = ring[from % length];
      const c = ring[(from + 1) % length];
      if (this.turn(a, b, c) >= 0 && this.empty(ring, a, b, c)) {
        if (this.turn(a, b, c) > 0) this.emit(points, a, b, c);
        ring.splice(from % length, 1);
        from = from % length;
        misses = 0;
      } else {
        from++;
        misses++;
      }
    }
  }

  private turn(a: number, b: number, c: number): number {
    const { u, v, first } = this;
    const ua = u[a - first];
    const va = v[a - first];
    return (u[b - first] - ua) * (v[c - first] - va) - (v[b - first] - va) * (u[c - first] - ua);
  }

  private empty(ring: readonly number[], a: number, b: number, c: number): boolean {
    this.tests -= ring.length;
    for (const k of ring) {
      if (k === a || k === b || k === c) continue;
      if (this.turn(a, b, k) < 0 || this.turn(b, c, k) < 0 || this.turn(c, a, k) < 0) continue;
      if (!this.same(k, a) && !this.same(k, b) && !this.same(k, c)) return false;
    }
    return true;
  }

  private same(k: number, a: number): boolean {
    const { u, v, first } = this;
    return u[k - first] === u[a - first] && v[k - first] === v[a - first];
  }
}
